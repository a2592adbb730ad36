//! Dates and times as text and back, by the Gregorian calendar without time zones.

use std::fmt;

/// Ticks of 100 ns in a day.
const DAY_TICKS: i64 = 864_000_000_000;
/// Days from 0001-01-01 to 1970-01-01.
const DAYS_BEFORE_1970: i64 = 719_162;

/// A date, a time of day, a moment or a span, as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum Clock {
    /// Days since 1970-01-01.
    Date(i32),
    /// Microseconds since midnight.
    TimeUs(i64),
    /// Milliseconds since 1970.
    TimestampMs(i64),
    /// Microseconds since 1970.
    TimestampUs(i64),
    /// Nanoseconds since 1970.
    TimestampNs(i64),
    /// A span in ticks of 100 ns.
    Ticks(i64),
    /// Ticks since the year 1.
    DateTime(i64),
    /// Ticks since the year 1 by the local clock, and the clock's minutes east of UTC.
    DateTimeOffset { ticks: i64, minutes: i16 },
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Clock::Date(days) => date(f, days.into()),
            Clock::TimeUs(us) => span(f, us.into(), 1_000_000, 6),
            Clock::TimestampMs(ms) => moment(f, ms.into(), 1000, 3),
            Clock::TimestampUs(us) => moment(f, us.into(), 1_000_000, 6),
            Clock::TimestampNs(ns) => moment(f, ns.into(), 1_000_000_000, 9),
            Clock::Ticks(ticks) => span(f, ticks.into(), 10_000_000, 7),
            Clock::DateTime(ticks) => since_year_1(f, ticks),
            Clock::DateTimeOffset { ticks, minutes } => {
                since_year_1(f, ticks)?;
                let sign = if minutes < 0 { '-' } else { '+' };
                let m = minutes.unsigned_abs();
                write!(f, "{sign}{:02}:{:02}", m / 60, m % 60)
            }
        }
    }
}

fn since_year_1(f: &mut fmt::Formatter<'_>, ticks: i64) -> fmt::Result {
    moment(f, i128::from(ticks) - i128::from(DAYS_BEFORE_1970) * i128::from(DAY_TICKS), 10_000_000, 7)
}

fn date(f: &mut fmt::Formatter<'_>, days: i64) -> fmt::Result {
    let (y, m, d) = civil_from_days(days);
    match y {
        0..=9999 => write!(f, "{y:04}-{m:02}-{d:02}"),
        // With four digits at least, by which it reads back.
        _ => write!(f, "{y:+05}-{m:02}-{d:02}"),
    }
}

/// Units since 1970, `per_second` of them in a second.
fn moment(f: &mut fmt::Formatter<'_>, units: i128, per_second: i128, digits: usize) -> fmt::Result {
    let per_day = per_second * 86_400;
    date(f, units.div_euclid(per_day) as i64)?;
    write!(f, "T")?;
    clock(f, units.rem_euclid(per_day), per_second, digits)
}

/// `-3.04:05:06.7000000`: days only if there are any.
fn span(f: &mut fmt::Formatter<'_>, units: i128, per_second: i128, digits: usize) -> fmt::Result {
    if units < 0 {
        write!(f, "-")?;
    }
    let (units, per_day) = (units.abs(), per_second * 86_400);
    if units >= per_day {
        write!(f, "{}.", units / per_day)?;
    }
    clock(f, units % per_day, per_second, digits)
}

fn clock(f: &mut fmt::Formatter<'_>, units: i128, per_second: i128, digits: usize) -> fmt::Result {
    let (s, fraction) = (units / per_second, units % per_second);
    write!(f, "{:02}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60)?;
    if fraction != 0 {
        write!(f, ".{fraction:0digits$}")?;
    }
    Ok(())
}

/// 64 bits of milliseconds reach no moment further away.
const MOST_YEARS: i64 = 300_000_000;

/// The days from 1970-01-01 to a date, if the date exists.
pub fn days_from_civil(year: i64, month: u32, day: u32) -> Option<i64> {
    if !(1..=12).contains(&month)
        || day < 1
        || day > days_in_month(year, month)
        || !(-MOST_YEARS..=MOST_YEARS).contains(&year)
    {
        return None;
    }
    // Years that begin in March, in cycles of 400, make leap days the last of their year.
    let y = if month <= 2 { year - 1 } else { year };
    let era = y.div_euclid(400);
    let year_of_era = y.rem_euclid(400);
    let day_of_year = (153 * ((i64::from(month) + 9) % 12) + 2) / 5 + i64::from(day) - 1;
    Some(era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468)
}

fn days_in_month(year: i64, month: u32) -> u32 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn civil_from_days(days: i64) -> (i64, u32, u32) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let day_of_era = z.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let m = (5 * day_of_year + 2) / 153;
    let day = (day_of_year - (153 * m + 2) / 5 + 1) as u32;
    let month = if m < 10 { m + 3 } else { m - 9 } as u32;
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// The days since 1970 of `YYYY-MM-DD`.
pub fn parse_date(text: &str) -> Option<i32> {
    let (y, rest) = text.get(1..)?.split_once('-')?;
    let (m, d) = rest.split_once('-')?;
    if m.len() != 2 || d.len() != 2 || !(m.bytes().chain(d.bytes())).all(|b| b.is_ascii_digit()) || y.len() < 3 {
        return None;
    }
    let year = text.get(..1 + y.len())?.parse().ok()?;
    i32::try_from(days_from_civil(year, m.parse().ok()?, d.parse().ok()?)?).ok()
}

/// The microseconds since 1970 of `YYYY-MM-DDThh:mm:ss[.ffffff]`, also with a blank for the `T` and with `Z` or
/// `+hh:mm` at the end, which is applied. Digits beyond microseconds must be 0: nothing is rounded.
pub fn parse_timestamp_us(text: &str) -> Option<i64> {
    let (day, time) = text.split_once(['T', ' '])?;
    let days = parse_date(day)?;
    let (time, east) = match time.strip_suffix('Z') {
        Some(time) => (time, 0),
        None => match time.rfind(['+', '-']) {
            Some(at) => (time.get(..at)?, parse_zone(time.get(at..)?)?),
            None => (time, 0),
        },
    };
    let us = i64::from(days).checked_mul(86_400_000_000)?.checked_add(parse_clock(time)?)?;
    us.checked_sub(east * 60_000_000)
}

fn parse_zone(text: &str) -> Option<i64> {
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let (h, m) = text.get(1..)?.split_once(':')?;
    let (h, m) = (two_digits(h)?, two_digits(m)?);
    (h < 24 && m < 60).then_some(sign * (h * 60 + m))
}

/// Microseconds of `hh:mm:ss[.ffffff]`.
pub(super) fn parse_clock(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let mut parts = whole.split(':').map(two_digits);
    let (h, m, s) = (parts.next()??, parts.next()??, parts.next()??);
    if parts.next().is_some() || h > 23 || m > 59 || s > 59 || fraction.is_empty() {
        return None;
    }
    let mut us = 0;
    for (i, b) in fraction.bytes().enumerate() {
        match (b, i) {
            (b'0'..=b'9', 0..6) => us = us * 10 + i64::from(b - b'0'),
            (b'0', _) => {}
            _ => return None,
        }
    }
    us *= 10i64.pow(6u32.saturating_sub(fraction.len().min(6) as u32));
    Some((h * 3600 + m * 60 + s) * 1_000_000 + us)
}

fn two_digits(text: &str) -> Option<i64> {
    let ok = text.len() == 2 && text.bytes().all(|b| b.is_ascii_digit());
    if ok { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates_are_inverse() {
        for days in (-800_000..3_000_000).step_by(37) {
            let (y, m, d) = civil_from_days(days);
            assert_eq!(days_from_civil(y, m, d), Some(days));
        }
        assert_eq!(parse_date("2024-02-29"), Some(19782));
        for bad in [
            "2023-02-29",
            "2024-13-01",
            "24-01-01",
            "2024-1-1",
            "x",
            "",
            "2024-01-0é",
            "-9223372036854775808-02-21",
            "9223372036854775807-02-21",
        ] {
            assert_eq!(parse_date(bad), None, "{bad}");
        }
    }

    #[test]
    fn moments_print_and_read_back() {
        assert_eq!(Clock::TimestampMs(1_700_000_000_123).to_string(), "2023-11-14T22:13:20.123");
        assert_eq!(Clock::TimestampUs(-1).to_string(), "1969-12-31T23:59:59.999999");
        assert_eq!(Clock::DateTime(0).to_string(), "0001-01-01T00:00:00");
        assert_eq!(Clock::DateTime(3_155_378_975_999_999_999).to_string(), "9999-12-31T23:59:59.9999999");
        assert_eq!(Clock::DateTimeOffset { ticks: 0, minutes: -90 }.to_string(), "0001-01-01T00:00:00-01:30");
        assert_eq!(Clock::Ticks(-(DAY_TICKS + 1)).to_string(), "-1.00:00:00.0000001");
        assert_eq!(Clock::Ticks(i64::MIN).to_string(), "-10675199.02:48:05.4775808");
        assert_eq!(Clock::Date(i32::MAX).to_string(), "+5881580-07-11");
        for us in [0, -1, 1_700_000_000_123_456, -62_135_596_800_000_000] {
            assert_eq!(parse_timestamp_us(&Clock::TimestampUs(us).to_string()), Some(us));
        }
        assert_eq!(parse_timestamp_us("1970-01-01 01:00:00+01:00"), Some(0));
        assert_eq!(parse_timestamp_us("1970-01-01T00:00:00.0000001"), None);
        assert_eq!(parse_timestamp_us("1970-01-01T24:00:00"), None);
    }
}
