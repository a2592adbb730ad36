//! Times from text: what [`Clock`](super::Clock) prints, read back exactly.

use super::{Clock, DataType, days_from_civil};

/// Seconds of a day.
const DAY: i128 = 86_400;
/// Days from 0001-01-01 to 1970-01-01.
const DAYS_BEFORE_1970: i128 = 719_162;

/// The time that a text means in a column of this type; `None` if it means none, or would have to be rounded.
pub fn parse_time(dtype: &DataType, text: &str) -> Option<Clock> {
    let text = text.trim();
    Some(match dtype {
        DataType::Date => Clock::Date(super::parse_date(text)?),
        DataType::TimeUs => Clock::TimeUs(span(text, 6)?),
        DataType::Ticks => Clock::Ticks(span(text, 7)?),
        DataType::TimestampMs => Clock::TimestampMs(zoned(text, 3)?),
        DataType::TimestampUs => Clock::TimestampUs(zoned(text, 6)?),
        DataType::TimestampNs => Clock::TimestampNs(zoned(text, 9)?),
        DataType::DateTime => Clock::DateTime(since_year_1(text)?),
        DataType::DateTimeOffset => {
            let (local, minutes) = split_zone(text)?;
            Clock::DateTimeOffset { ticks: since_year_1(local)?, minutes: minutes? }
        }
        _ => return None,
    })
}

/// As [`parse_timestamp_us`] in nanoseconds, in the years 1677 to 2262 that these reach.
pub fn parse_timestamp_ns(text: &str) -> Option<i64> {
    match parse_time(&DataType::TimestampNs, text)? {
        Clock::TimestampNs(ns) => Some(ns),
        _ => None,
    }
}

fn since_year_1(text: &str) -> Option<i64> {
    i64::try_from(moment(text, 7)? + DAYS_BEFORE_1970 * DAY * 10_000_000).ok()
}

/// Units since 1970; a zone at the end is applied.
fn zoned(text: &str, digits: u32) -> Option<i64> {
    let (local, minutes) = split_zone(text)?;
    let east = i128::from(minutes.unwrap_or(0)) * 60 * 10i128.pow(digits);
    i64::try_from(moment(local, digits)? - east).ok()
}

/// The text without `Z` or `+hh:mm`, and what that says; `None` inside where there is no zone.
fn split_zone(text: &str) -> Option<(&str, Option<i16>)> {
    if let Some(local) = text.strip_suffix('Z') {
        return Some((local, Some(0)));
    }
    let time = text.find(['T', ' '])?;
    let Some(at) = text.rfind(['+', '-']).filter(|&at| at > time) else { return Some((text, None)) };
    let (h, m) = text.get(at + 1..)?.split_once(':')?;
    let (h, m) = (number(h, 2)?, number(m, 2)?);
    let minutes = i16::try_from(h * 60 + m).ok().filter(|_| h < 24 && m < 60)?;
    Some((text.get(..at)?, Some(if text[at..].starts_with('-') { -minutes } else { minutes })))
}

/// `YYYY-MM-DDThh:mm:ss[.fff]` in units of which a second has 10^digits.
fn moment(text: &str, digits: u32) -> Option<i128> {
    let (day, time) = text.split_once(['T', ' '])?;
    let (year, rest) = day.get(1..)?.split_once('-')?;
    let (month, dom) = rest.split_once('-')?;
    if year.len() < 3 {
        return None;
    }
    let days =
        days_from_civil(day.get(..1 + year.len())?.parse().ok()?, number(month, 2)? as u32, number(dom, 2)? as u32)?;
    let clock = clock(time, digits)?;
    if clock >= DAY * 10i128.pow(digits) {
        return None;
    }
    Some(i128::from(days) * DAY * 10i128.pow(digits) + clock)
}

/// `[-][days.]hh:mm:ss[.fff]`.
fn span(text: &str, digits: u32) -> Option<i64> {
    let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (days, time) = match text.split_once('.') {
        Some((days, time)) if !days.contains(':') => (i128::from(number(days, days.len().clamp(1, 18))?), time),
        _ => (0, text),
    };
    let units = days * DAY * 10i128.pow(digits) + clock(time, digits)?;
    i64::try_from(if negative { -units } else { units }).ok()
}

/// `hh:mm:ss[.fff]`; digits that the unit cannot hold must be 0.
fn clock(text: &str, digits: u32) -> Option<i128> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if whole.len() == text.len().wrapping_sub(1) {
        return None;
    }
    let mut parts = whole.split(':').map(|part| number(part, 2));
    let (h, m, s) = (parts.next()??, parts.next()??, parts.next()??);
    if parts.next().is_some() || h > 23 || m > 59 || s > 59 {
        return None;
    }
    let mut units = 0i128;
    for i in 0..(fraction.len() as u32).max(digits) {
        match (fraction.as_bytes().get(i as usize).copied().unwrap_or(b'0'), i < digits) {
            (d @ b'0'..=b'9', true) => units = units * 10 + i128::from(d - b'0'),
            (b'0', false) => {}
            _ => return None,
        }
    }
    Some(i128::from(h * 3600 + m * 60 + s) * 10i128.pow(digits) + units)
}

/// Exactly this many digits.
fn number(text: &str, digits: usize) -> Option<i64> {
    let ok = text.len() == digits && text.bytes().all(|b| b.is_ascii_digit());
    if ok { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_reads_back() {
        let times = [
            (DataType::Ticks, Clock::Ticks(i64::MIN)),
            (DataType::Ticks, Clock::Ticks(-1)),
            (DataType::TimeUs, Clock::TimeUs(i64::MAX)),
            (DataType::TimestampUs, Clock::TimestampUs(i64::MIN)),
            (DataType::TimestampUs, Clock::TimestampUs(i64::MAX)),
            (DataType::TimestampMs, Clock::TimestampMs(-1)),
            (DataType::TimestampNs, Clock::TimestampNs(i64::MIN)),
            (DataType::TimestampNs, Clock::TimestampNs(i64::MAX)),
            (DataType::TimestampNs, Clock::TimestampNs(1_700_000_000_000_000_001)),
            (DataType::DateTime, Clock::DateTime(0)),
            (DataType::DateTime, Clock::DateTime(3_155_378_975_999_999_999)),
            (DataType::DateTimeOffset, Clock::DateTimeOffset { ticks: 5, minutes: -90 }),
            (DataType::DateTimeOffset, Clock::DateTimeOffset { ticks: 638_000_000_000_000_001, minutes: 840 }),
            (DataType::Date, Clock::Date(-800_000)),
            // Years below 0 of fewer than four digits.
            (DataType::Date, Clock::Date(-719_529)),
            (DataType::Date, Clock::Date(-735_525)),
            (DataType::Date, Clock::Date(i32::MIN)),
            (DataType::Date, Clock::Date(i32::MAX)),
            (DataType::DateTime, Clock::DateTime(-1)),
            (DataType::DateTime, Clock::DateTime(i64::MIN)),
            (DataType::DateTime, Clock::DateTime(i64::MAX)),
            (DataType::TimestampUs, Clock::TimestampUs(-62_200_000_000_000_000)),
            (DataType::TimestampMs, Clock::TimestampMs(i64::MIN)),
            (DataType::TimestampMs, Clock::TimestampMs(i64::MAX)),
        ];
        for (dtype, clock) in times {
            assert_eq!(parse_time(&dtype, &clock.to_string()), Some(clock), "{clock}");
        }
        for days in (-1_200_000..1_200_000).step_by(997) {
            let date = Clock::Date(days);
            assert_eq!(parse_time(&DataType::Date, &date.to_string()), Some(date), "{date}");
        }
        assert_eq!(Clock::Date(-735_525).to_string(), "-0044-03-15");
    }

    #[test]
    fn what_is_no_time_or_too_fine_is_refused() {
        let us = DataType::TimestampUs;
        assert_eq!(parse_time(&us, "1970-01-01 01:00:00+01:00"), Some(Clock::TimestampUs(0)));
        assert_eq!(parse_time(&us, "1970-01-01T00:00:00.0000010Z"), Some(Clock::TimestampUs(1)));
        for bad in ["1970-01-01T00:00:00.0000001", "1970-01-01", "1970-01-01T24:00:00", "1970-01-01T00:00:00.", "x", ""]
        {
            assert_eq!(parse_time(&us, bad), None, "{bad}");
        }
        for zone in ["+24:00", "-23:60", "+99:99", "+1:00"] {
            assert_eq!(parse_time(&us, &format!("1970-01-01T00:00:00{zone}")), None, "{zone}");
            assert_eq!(parse_time(&DataType::DateTimeOffset, &format!("1970-01-01T00:00:00{zone}")), None, "{zone}");
        }
        assert_eq!(parse_time(&DataType::DateTimeOffset, "2024-01-01T00:00:00"), None);
        assert_eq!(parse_time(&DataType::Ticks, "1..00:00:00"), None);
    }
}
