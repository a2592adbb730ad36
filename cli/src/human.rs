//! Numbers for people.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!((bytes(999), bytes(1000), bytes(999_960)), ("999 B".into(), "1.0 kB".into(), "1.0 MB".into()));
        assert_eq!(bytes(u64::MAX), "18.4 EB");
        assert_eq!((count(1), count(1_281_167)), ("1".into(), "1,281,167".into()));
    }
}
