//! Numbers, dates and moments in their plainest form, from bytes: most cells of a text. What these do not read, the
//! parsers of every form do.

use super::days_from_civil;

/// An integer of at most 18 digits.
pub(super) fn integer(text: &[u8]) -> Option<i64> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    if !(1..=18).contains(&digits.len()) {
        return None;
    }
    let mut n = 0i64;
    for byte in digits {
        n = n * 10 + i64::from(digit(*byte)?);
    }
    Some(if digits.len() < text.len() { -n } else { n })
}

/// Below this every integer is a float of 64 bits, and of 32.
const EXACT: f64 = 9_007_199_254_740_992.0;
const EXACT_SINGLE: f32 = 16_777_216.0;
/// The digits that a float always keeps. An integer with no more of them, and zeros behind, is what programs write of a float.
const KEPT: usize = 17;

/// A float in any form; `None` for an integer that it would round, and for a number beyond all floats.
pub(crate) fn float(text: &str) -> Option<f64> {
    text.parse().ok().filter(|x: &f64| x.abs() < EXACT || is_meant(text, *x))
}

/// The same of 32 bits.
pub(crate) fn single(text: &str) -> Option<f32> {
    text.parse().ok().filter(|x: &f32| x.abs() < EXACT_SINGLE || is_meant(text, f64::from(*x)))
}

/// Whether a large float, or one of the words, is what its text says.
fn is_meant(text: &str, x: f64) -> bool {
    if !text.bytes().any(|b| b.is_ascii_digit()) {
        return true;
    }
    let is_of_64_bits = || text.parse::<i64>().is_ok() || text.parse::<u64>().is_ok();
    x.is_finite()
        && (text.contains(['.', 'e', 'E'])
            || if is_of_64_bits() { text.parse() == Ok(x as i128) } else { !is_rounded(text, x) })
}

/// Whether an integer of more than 64 bits is another number than the float that is read of it.
pub(crate) fn is_rounded(integer: &str, float: f64) -> bool {
    let kept = integer.trim_start_matches('-').trim_end_matches('0').len();
    kept > KEPT && format!("{float:.0}") != integer
}

/// Days since 1970 of `YYYY-MM-DD`.
pub(super) fn date(text: &[u8]) -> Option<i32> {
    let &[a, b, c, d, b'-', e, f, b'-', g, h] = text else { return None };
    let year = two(a, b)? * 100 + two(c, d)?;
    i32::try_from(days_from_civil(year.into(), two(e, f)?, two(g, h)?)?).ok()
}

/// Microseconds since 1970 of `YYYY-MM-DDThh:mm:ss`, with up to six more digits behind a dot, `Z` at the end or none.
pub(super) fn moment(text: &[u8]) -> Option<i64> {
    let text = text.strip_suffix(b"Z").unwrap_or(text);
    let (day, time) = text.split_at_checked(10)?;
    let (whole, fraction) = time.split_at_checked(9)?;
    let &[b'T' | b' ', a, b, b':', c, d, b':', e, f] = whole else { return None };
    let (h, m, s) = (two(a, b)?, two(c, d)?, two(e, f)?);
    if h > 23 || m > 59 || s > 59 {
        return None;
    }
    let us = match fraction {
        [] => 0,
        [b'.', digits @ ..] if (1..=6).contains(&digits.len()) => {
            let mut us = 0;
            for byte in digits {
                us = us * 10 + i64::from(digit(*byte)?);
            }
            us * 10i64.pow(6 - digits.len() as u32)
        }
        _ => return None,
    };
    // No day of four digits of a year is beyond what microseconds reach.
    Some((i64::from(date(day)?) * 86_400 + i64::from(h * 3600 + m * 60 + s)) * 1_000_000 + us)
}

fn two(tens: u8, ones: u8) -> Option<u32> {
    Some(u32::from(digit(tens)?) * 10 + u32::from(digit(ones)?))
}

fn digit(byte: u8) -> Option<u8> {
    Some(byte.wrapping_sub(b'0')).filter(|n| *n < 10)
}

#[cfg(test)]
mod tests {
    use super::{
        super::{Clock, DataType, parse_date, parse_time},
        *,
    };

    /// Every text that a few bytes can be changed to.
    fn near(text: &str) -> Vec<String> {
        let mut all = vec![text.to_owned(), format!("{text}Z"), format!("{text}.5"), format!(" {text}")];
        for at in 0..text.len() {
            for byte in "0139-+:. TZ/;".chars() {
                all.push(format!("{}{byte}{}", &text[..at], &text[at + 1..]));
            }
            all.push(format!("{}{}", &text[..at], &text[at + 1..]));
        }
        all
    }

    #[test]
    fn what_is_read_is_what_the_parsers_of_every_form_read() {
        let mut read = [0; 3];
        for text in ["0", "-0", "7", "-123", "999999999999999999", "1234567890123456789", "-9223372036854775808"] {
            for text in near(text) {
                if let Some(n) = integer(text.as_bytes()) {
                    assert_eq!(text.parse(), Ok(n), "{text}");
                    read[0] += 1;
                }
            }
        }
        for text in ["2024-02-29", "2023-02-29", "0000-01-01", "9999-12-31", "1970-01-01"] {
            for text in near(text) {
                if let Some(days) = date(text.as_bytes()) {
                    assert_eq!(parse_date(&text), Some(days), "{text}");
                    read[1] += 1;
                }
            }
        }
        for text in
            ["2024-02-29T23:59:59", "0000-01-01 00:00:00.000001", "9999-12-31T19:09:30.12", "1969-12-31T00:00:00"]
        {
            for text in near(text) {
                if let Some(us) = moment(text.as_bytes()) {
                    assert_eq!(parse_time(&DataType::TimestampUs, &text), Some(Clock::TimestampUs(us)), "{text}");
                    read[2] += 1;
                }
            }
        }
        assert!(read.iter().all(|n| *n > 50), "{read:?}");
    }

    #[test]
    fn no_float_is_another_number_than_its_text() {
        for (text, x) in [
            ("9007199254740992", 9_007_199_254_740_992.0),
            ("-9007199254740994", -9_007_199_254_740_994.0),
            ("18446744073709551616", 18_446_744_073_709_551_616.0),
            // As JavaScript writes them.
            ("123456789012345680000", 123_456_789_012_345_680_000.0),
            ("-12345678901234567000", -12_345_678_901_234_567_000.0),
            ("9007199254740993.0", 9_007_199_254_740_992.0),
            ("1e308", 1e308),
            ("1e-400", 0.0),
            ("inf", f64::INFINITY),
        ] {
            assert_eq!(float(text), Some(x), "{text}");
        }
        assert!(float("NaN").is_some_and(f64::is_nan));
        for text in ["9007199254740993", "-9007199254740993", "18446744073709551617", "1e309", "-1e400", "x", ""] {
            assert_eq!(float(text), None, "{text}");
        }
        assert_eq!(
            (single("16777216"), single("3.4e38"), single("-inf")),
            (Some(16_777_216.0), Some(3.4e38), Some(f32::NEG_INFINITY))
        );
        assert_eq!((single("16777217"), single("3.5e38")), (None, None));
    }

    #[test]
    fn the_plain_forms_are_read() {
        assert_eq!((integer(b"-42"), integer(b""), integer(b"-"), integer(b"+1")), (Some(-42), None, None, None));
        assert_eq!((date(b"1970-01-02"), date(b"1970-1-2")), (Some(1), None));
        assert_eq!((moment(b"1970-01-01T00:00:01.5Z"), moment(b"1970-01-01")), (Some(1_500_000), None));
    }
}
