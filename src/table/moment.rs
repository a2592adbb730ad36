//! When times are, whatever their unit, and the first time that a part of a text means.

use super::{Clock, DataType, parse_time};
use crate::filter::{Time, Times};

/// Nanoseconds of a day, of a tick, and of a minute in ticks.
const DAY: i128 = 86_400_000_000_000;
const TICK: i128 = 100;
const MINUTE: i128 = 60 * 10_000_000;
/// Days from 0001-01-01 to 1970-01-01.
const DAYS_BEFORE_1970: i128 = 719_162;

/// What is compared with what: moments, times of day, spans.
const MOMENT: u8 = 0;
const TIME_OF_DAY: u8 = 1;
const SPAN: u8 = 2;

impl From<Clock> for Time {
    fn from(clock: Clock) -> Time {
        /// What filters ask of the times of one type.
        macro_rules! times {
            ($variant:ident, $number:expr) => {{
                static TIMES: Times = Times {
                    at: |number, _| nanoseconds(Clock::$variant(number.try_into().unwrap_or_default())),
                    first: |text| match first_of(&DataType::$variant, text)? {
                        Clock::$variant(number) => Some((number.into(), 0)),
                        _ => None,
                    },
                    text: |number, _| Clock::$variant(number.try_into().unwrap_or_default()).to_string(),
                };
                Time::new($number.into(), 0, &TIMES)
            }};
        }
        static OFFSETS: Times = Times {
            at: |ticks, minutes| nanoseconds(Clock::DateTimeOffset { ticks, minutes }),
            first: |text| match first_of(&DataType::DateTimeOffset, text)? {
                Clock::DateTimeOffset { ticks, minutes } => Some((ticks, minutes)),
                _ => None,
            },
            text: |ticks, minutes| Clock::DateTimeOffset { ticks, minutes }.to_string(),
        };
        match clock {
            Clock::Date(n) => times!(Date, n),
            Clock::TimeUs(n) => times!(TimeUs, n),
            Clock::TimestampMs(n) => times!(TimestampMs, n),
            Clock::TimestampUs(n) => times!(TimestampUs, n),
            Clock::TimestampNs(n) => times!(TimestampNs, n),
            Clock::Ticks(n) => times!(Ticks, n),
            Clock::DateTime(n) => times!(DateTime, n),
            Clock::DateTimeOffset { ticks, minutes } => Time::new(ticks, minutes, &OFFSETS),
        }
    }
}

/// Of what a time is one; and its nanoseconds from midnight, from 1970, or of the span.
fn nanoseconds(clock: Clock) -> (u8, i128) {
    let since_year_1 = |ticks: i128| ticks * TICK - DAYS_BEFORE_1970 * DAY;
    match clock {
        Clock::Date(days) => (MOMENT, i128::from(days) * DAY),
        Clock::TimestampMs(n) => (MOMENT, i128::from(n) * 1_000_000),
        Clock::TimestampUs(n) => (MOMENT, i128::from(n) * 1000),
        Clock::TimestampNs(n) => (MOMENT, n.into()),
        Clock::DateTime(ticks) => (MOMENT, since_year_1(ticks.into())),
        // By the clock of UTC.
        Clock::DateTimeOffset { ticks, minutes } => {
            (MOMENT, since_year_1(i128::from(ticks) - i128::from(minutes) * MINUTE))
        }
        Clock::TimeUs(n) => (TIME_OF_DAY, i128::from(n) * 1000),
        Clock::Ticks(n) => (SPAN, i128::from(n) * TICK),
    }
}

/// The time of a type that a text is, or the first whose text begins so.
pub(super) fn first_of(dtype: &DataType, text: &str) -> Option<Clock> {
    // Of a number that is cut in two the rest is 0, or 1 where months and days have no 0.
    let rests: &[&str] = match dtype {
        DataType::Date => &["0000-01-01", "0000-00-01", "0000-01-00"],
        DataType::TimeUs => &["00:00:00"],
        DataType::DateTimeOffset => {
            &["0000-01-01T00:00:00+00:00", "0000-00-01T00:00:00+00:00", "0000-01-00T00:00:00+00:00"]
        }
        DataType::Ticks => &[],
        _ => &["0000-01-01T00:00:00", "0000-00-01T00:00:00", "0000-01-00T00:00:00"],
    };
    if let Some(whole) = parse_time(dtype, text) {
        return Some(whole);
    }
    let begun = |rest: &&str| {
        let shaped =
            text.bytes().zip(rest.bytes()).all(|(a, b)| if b.is_ascii_digit() { a.is_ascii_digit() } else { a == b });
        let whole = format!("{text}{}", rest.get(text.len()..).filter(|_| shaped && !text.is_empty())?);
        parse_time(dtype, &whole)
    };
    rests.iter().filter_map(begun).min_by_key(|time| nanoseconds(*time).1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_text_is_the_first_time_that_begins_so() {
        let first = |dtype: &DataType, text: &str| first_of(dtype, text).map(|time| time.to_string());
        for (text, time) in [
            ("2024", "2024-01-01T00:00:00"),
            ("20", "2000-01-01T00:00:00"),
            ("2024-0", "2024-01-01T00:00:00"),
            ("2024-1", "2024-10-01T00:00:00"),
            ("2024-02-1", "2024-02-10T00:00:00"),
            ("2024-02-29", "2024-02-29T00:00:00"),
            ("2024-02-29T12", "2024-02-29T12:00:00"),
            ("2024-02-29T12:30:00.5", "2024-02-29T12:30:00.500000"),
        ] {
            assert_eq!(first(&DataType::TimestampUs, text).as_deref(), Some(time), "{text}");
        }
        assert_eq!(first(&DataType::Date, "2024-02").as_deref(), Some("2024-02-01"));
        assert_eq!(first(&DataType::TimeUs, "12:3").as_deref(), Some("12:30:00"));
        assert_eq!(first(&DataType::DateTimeOffset, "2024").as_deref(), Some("2024-01-01T00:00:00+00:00"));
        for text in ["", "May", "2024-02-3", "2023-02-29", "é", "2024-02-29 12"] {
            assert_eq!(first(&DataType::TimestampUs, text), None, "{text}");
        }
    }

    #[test]
    fn times_are_in_order_whatever_their_unit() {
        let is_less = |a: Clock, b: Clock| {
            let ((kind, a), (of, b)) = (nanoseconds(a), nanoseconds(b));
            kind == of && a < b
        };
        let day = Clock::Date(1);
        assert_eq!(nanoseconds(day), nanoseconds(Clock::TimestampMs(86_400_000)));
        assert!(is_less(Clock::DateTime(0), day) && is_less(Clock::TimestampMs(i64::MIN), Clock::Date(i32::MIN)));
        let west = Clock::DateTimeOffset { ticks: 0, minutes: -60 };
        assert!(is_less(Clock::DateTimeOffset { ticks: 1, minutes: 0 }, west));
        assert!(!is_less(Clock::TimeUs(0), day) && !is_less(day, Clock::TimeUs(0)));
    }
}
