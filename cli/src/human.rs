//! Numbers for people, and numbers as people write them.

use std::time::Duration;

/// Bytes with a unit: `1.5 MB` (powers of ten).
pub(crate) fn bytes(n: u64) -> String {
    const UNITS: [&str; 6] = ["kB", "MB", "GB", "TB", "PB", "EB"];
    if n < 1000 {
        return format!("{n} B");
    }
    let mut value = n as f64 / 1000.0;
    let mut unit = 0;
    while value >= 999.95 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// Digits in groups of three.
pub(crate) fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A time with a unit: `0.4 s`, `12 min`, `3.5 h`.
pub(crate) fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 60.0 => format!("{s:.1} s"),
        s if s < 3600.0 => format!("{:.1} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

/// A number and the unit behind it, which is one of these.
fn measure(text: &str, units: &[(&str, f64)], example: &str) -> Result<f64, String> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let unit =
        units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit.trim()) && (*name).len() == unit.trim().len());
    let found = number.parse::<f64>().ok().zip(unit).map(|(number, (_, unit))| number * unit);
    found.filter(|found| found.is_finite()).ok_or_else(|| format!("not a number with a unit, such as {example}"))
}

/// Bytes, with a unit or not: `200GB`, `1 GiB`, `4096`.
pub(crate) fn parse_bytes(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, f64); 11] = [
        ("", 1.0),
        ("B", 1.0),
        ("kB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("TB", 1e12),
        ("PB", 1e15),
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
        ("GiB", 1_073_741_824.0),
        ("TiB", 1_099_511_627_776.0),
    ];
    // As a whole number it is exact.
    text.trim().parse().or_else(|_| measure(text, &UNITS, "200GB").map(|bytes| bytes as u64))
}

/// A time with a unit: `50ms`, `0.2s`, `800us`, `12h`, `1d`.
pub(crate) fn parse_time(text: &str) -> Result<Duration, String> {
    let seconds = measure(
        text,
        &[("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("min", 60.0), ("h", 3600.0), ("d", 86_400.0)],
        "50ms",
    )?;
    Duration::try_from_secs_f64(seconds).map_err(|e| e.to_string())
}

/// Bits a second: `1Gb/s`, `100 MB/s`.
pub(crate) fn parse_rate(text: &str) -> Result<u64, String> {
    let bad = || "not a rate, such as 1Gb/s or 100MB/s".to_owned();
    let rate = text.trim().strip_suffix("/s").ok_or_else(bad)?;
    let (amount, bits) = match rate.strip_suffix('b') {
        Some(amount) => (amount, 1.0),
        None => (rate.strip_suffix('B').ok_or_else(bad)?, 8.0),
    };
    let units = [("", 1.0), ("k", 1e3), ("M", 1e6), ("G", 1e9), ("T", 1e12)];
    let rate = measure(amount, &units, "1Gb/s").map_err(|_| bad())? * bits;
    if rate >= 1.0 { Ok(rate as u64) } else { Err(bad()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!((bytes(999), bytes(1000), bytes(999_960)), ("999 B".into(), "1.0 kB".into(), "1.0 MB".into()));
        assert_eq!(bytes(u64::MAX), "18.4 EB");
        assert_eq!([0.04, 90.0, 5400.0].map(seconds), ["0.0 s", "1.5 min", "1.5 h"]);
        assert_eq!((count(1), count(1_281_167)), ("1".into(), "1,281,167".into()));
    }

    #[test]
    fn what_people_write_is_understood_or_refused() {
        let bytes = ["4096", "200GB", "1.5 kB", "1GiB", "18446744073709551615"].map(|text| parse_bytes(text).unwrap());
        assert_eq!(bytes, [4096, 200_000_000_000, 1500, 1 << 30, u64::MAX]);
        assert_eq!(parse_time("50ms").unwrap(), Duration::from_millis(50));
        assert_eq!(parse_time("1d").unwrap(), 24 * parse_time("1h").unwrap());
        assert_eq!(
            ["1Gb/s", "100MB/s", "2.5 Gb/s"].map(|text| parse_rate(text).unwrap()),
            [1_000_000_000, 800_000_000, 2_500_000_000]
        );
        for bad in ["", "GB", "-1", "1 parsec", "1e999GB", "x"] {
            assert!(parse_bytes(bad).is_err() && parse_time(bad).is_err() && parse_rate(bad).is_err(), "{bad}");
        }
        assert!(parse_rate("0b/s").is_err() && parse_rate("1Gb").is_err() && parse_time("5").is_err());
    }
}
