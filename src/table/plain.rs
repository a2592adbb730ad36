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
    fn the_plain_forms_are_read() {
        assert_eq!((integer(b"-42"), integer(b""), integer(b"-"), integer(b"+1")), (Some(-42), None, None, None));
        assert_eq!((date(b"1970-01-02"), date(b"1970-1-2")), (Some(1), None));
        assert_eq!((moment(b"1970-01-01T00:00:01.5Z"), moment(b"1970-01-01")), (Some(1_500_000), None));
    }
}
