//! Numbers.

use crate::{Id, codes};

use super::{Cursor, Got, Stop};

/// A number: its value, and its digits, by which whole ones are kept exactly.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Number<'a> {
    /// Its first byte.
    pub at: usize,
    /// As it is written.
    pub text: &'a [u8],
    /// Its value, finite.
    pub value: f64,
    /// Whether it has a fraction or an exponent.
    pub fraction: bool,
}

/// Powers of ten that a floating-point number holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// Whole numbers up to this one are floating-point numbers.
const EXACT: u64 = 1 << 53;

/// Digits that are read at once.
const WORD: usize = 8;

/// Eight bytes from here on, if as many are left; the first is the lowest.
#[inline(always)]
fn word(text: &[u8], at: usize) -> Option<u64> {
    text.get(at..)?.first_chunk::<WORD>().map(|bytes| u64::from_le_bytes(*bytes))
}

/// How many of eight bytes are digits, up to the first that is not.
#[inline(always)]
fn digits(word: u64) -> usize {
    // A digit is a value up to 9 behind 0x3, and one that is larger carries into the upper half of its byte. What that
    // does to the bytes behind it is of no interest.
    let low = word ^ 0x3030_3030_3030_3030;
    let odd = (low | low.wrapping_add(0x0606_0606_0606_0606)) & 0xf0f0_f0f0_f0f0_f0f0;
    odd.trailing_zeros() as usize / 8
}

/// The number that the first `count` of eight digits are, from one on.
#[inline(always)]
fn joined(word: u64, count: usize) -> u64 {
    const PAIRS: u64 = 0x0000_00ff_0000_00ff;
    // With zeros in front they are eight; then two by two, and four by four.
    let low = (word ^ 0x3030_3030_3030_3030) << (64 - 8 * count);
    let pairs = low.wrapping_mul(10).wrapping_add(low >> 8);
    let upper = (pairs & PAIRS).wrapping_mul(100 + (1_000_000 << 32));
    let lower = ((pairs >> 16) & PAIRS).wrapping_mul(1 + (10_000 << 32));
    upper.wrapping_add(lower) >> 32
}

/// Powers of ten that are whole numbers of 64 bits, as far as they are needed.
const TENS: [u64; 2 * WORD] = {
    let mut tens = [1; _];
    let mut i = 1;
    while i < tens.len() {
        tens[i] = tens[i - 1] * 10;
        i += 1;
    }
    tens
};

/// A number as most are: up to seven digits, and up to fifteen behind a point. It gives the digits as a whole number, how
/// many of them are behind the point, and where the number ends; `None` for all others, also those that are wrong, and
/// where the bytes end so soon that it might go on.
///
/// Without `VALUE` only the end is looked for.
#[inline(always)]
fn short<const VALUE: bool>(text: &[u8], from: usize) -> Option<(u64, usize, usize)> {
    let whole = word(text, from)?;
    let count = digits(whole);
    if count == 0 || count == WORD || count > 1 && whole as u8 == b'0' {
        return None;
    }
    let joined = |word, count| if VALUE { joined(word, count) } else { 0 };
    let (mut mantissa, mut scale, mut end) = (joined(whole, count), 0, from + count);
    let mut behind = (whole >> (8 * count)) as u8;
    if behind == b'.' {
        let fraction = word(text, end + 1)?;
        scale = digits(fraction);
        if scale == 0 {
            return None;
        }
        mantissa = mantissa * TENS[scale] + joined(fraction, scale);
        behind = fraction.checked_shr(8 * scale as u32).unwrap_or(0) as u8;
        if scale == WORD {
            let more = word(text, end + 1 + WORD)?;
            let count = digits(more);
            if count == WORD {
                return None;
            }
            if count > 0 {
                // Up to seven and fifteen digits are more than 64 bits hold; the length says so before.
                mantissa = mantissa.checked_mul(TENS[count])?.checked_add(joined(more, count))?;
            }
            scale += count;
            behind = (more >> (8 * count)) as u8;
        }
        end += 1 + scale;
    }
    (mantissa <= EXACT && !matches!(behind, b'e' | b'E')).then_some((mantissa, scale, end))
}

impl<'a> Cursor<'a> {
    /// The number that begins here.
    #[inline]
    pub fn number(&mut self) -> Got<Number<'a>> {
        let first = self.peek()?;
        let (at, text) = (self.at, self.text);
        let Some((mantissa, scale, end)) = short::<true>(text, at + usize::from(first == b'-')) else {
            return self.any_number(first);
        };
        let value = match scale {
            0 => mantissa as f64,
            _ => mantissa as f64 / POWERS[scale],
        };
        self.at = end;
        let value = if first == b'-' { -value } else { value };
        Ok(Number { at, text: &text[at..end], value, fraction: scale > 0 })
    }

    /// The value of a number as most are, if one begins here. `None` says nothing of what else is here.
    #[inline(always)]
    pub fn short_value(&mut self) -> Option<f64> {
        let negative = self.text.get(self.at) == Some(&b'-');
        let (mantissa, scale, end) = short::<true>(self.text, self.at + usize::from(negative))?;
        self.at = end;
        let value = if scale == 0 { mantissa as f64 } else { mantissa as f64 / POWERS[scale] };
        Some(if negative { -value } else { value })
    }

    /// Passes over a number as most are, if one begins here.
    #[inline(always)]
    pub fn pass_short(&mut self) -> bool {
        let end = short::<false>(self.text, self.at).map(|(_, _, end)| end);
        self.at = end.unwrap_or(self.at);
        end.is_some()
    }

    /// A whole number of up to fifteen digits, if one begins here and ends where that can be seen: what ids are. `None` says
    /// nothing of what else is here.
    #[inline(always)]
    pub fn short_whole(&mut self) -> Option<i64> {
        let from = self.at + usize::from(self.text.get(self.at) == Some(&b' '));
        let first = word(self.text, from)?;
        let count = digits(first);
        if count == 0 || count > 1 && first as u8 == b'0' {
            return None;
        }
        let (mut whole, mut end) = (joined(first, count), from + count);
        let mut behind = first.checked_shr(8 * count as u32).unwrap_or(0) as u8;
        if count == WORD {
            let more = word(self.text, end)?;
            let count = digits(more);
            if count == WORD {
                return None;
            }
            if count > 0 {
                whole = whole * TENS[count] + joined(more, count);
            }
            behind = (more >> (8 * count)) as u8;
            end += count;
        }
        if matches!(behind, b'.' | b'e' | b'E') {
            return None;
        }
        self.at = end;
        Some(whole as i64)
    }

    /// A number of any length.
    #[inline(never)]
    fn any_number(&mut self, first: u8) -> Got<Number<'a>> {
        if first != b'-' && !first.is_ascii_digit() {
            return Err(self.no_number());
        }
        let (at, text) = (self.at, self.text);
        let mut end = at + usize::from(first == b'-');
        let digits = end;
        let mut mantissa = 0u64;
        while let Some(digit) = text.get(end).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
            mantissa = mantissa.wrapping_mul(10).wrapping_add(digit.into());
            end += 1;
        }
        let mut count = end - digits;
        if count == 0 || count > 1 && text[digits] == b'0' {
            return if end == text.len() && count == 0 { Err(self.ended()) } else { Err(self.no_number()) };
        }
        let mut scale = 0;
        let mut fraction = false;
        if text.get(end) == Some(&b'.') {
            fraction = true;
            end += 1;
            let from = end;
            while let Some(digit) = text.get(end).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
                mantissa = mantissa.wrapping_mul(10).wrapping_add(digit.into());
                end += 1;
            }
            scale = end - from;
            count += scale;
            if scale == 0 && end < text.len() {
                return Err(self.no_number());
            }
        }
        let mut plain = count <= 19 && mantissa <= EXACT && scale < POWERS.len();
        if let Some(b'e' | b'E') = text.get(end) {
            (fraction, plain) = (true, false);
            end += 1 + usize::from(matches!(text.get(end + 1), Some(b'+' | b'-')));
            let from = end;
            while text.get(end).is_some_and(u8::is_ascii_digit) {
                end += 1;
            }
            if from == end && end < text.len() {
                return Err(self.no_number());
            }
        }
        if end >= text.len() && !self.last || !text[end - 1].is_ascii_digit() {
            // It may go on, or ends in the middle.
            return Err(self.ended());
        }
        let text = &text[at..end];
        let value = match plain {
            true if first == b'-' => -(mantissa as f64 / POWERS[scale]),
            true => mantissa as f64 / POWERS[scale],
            false => std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()).unwrap_or(f64::NAN),
        };
        if !value.is_finite() {
            return Err(Stop::wrong(at, &codes::NUMBER, "the number is larger than any floating-point number"));
        }
        self.at = end;
        Ok(Number { at, text, value, fraction })
    }

    /// What stands where a number belongs.
    #[cold]
    fn no_number(&mut self) -> Stop {
        let rest = &self.text[self.at..];
        let word = |word: &[u8]| rest.starts_with(word);
        // What could still become one of them is told apart when it is whole.
        let begins = |word: &[u8]| rest.len() < word.len() && word.starts_with(rest);
        if !self.last && (begins(b"NaN") || begins(b"Infinity") || begins(b"-Infinity")) {
            return self.ended();
        }
        let what = match rest.first() {
            _ if word(b"NaN") || word(b"Infinity") || word(b"-Infinity") => "NaN and infinities are not numbers",
            Some(b'"') => "a text is where a number belongs",
            Some(b'n' | b't' | b'f' | b'[' | b'{') => {
                return Stop::wrong(self.at, &codes::VALUE, "a number belongs here");
            }
            _ => return Stop::syntax(self.at, "this is not a number of JSON"),
        };
        Stop::wrong(self.at, &codes::NUMBER, what)
    }
}

impl Number<'_> {
    /// The whole number; a fraction that equals one counts.
    #[inline]
    pub fn whole(&self) -> Option<i64> {
        if self.fraction {
            let exact = self.value.fract() == 0.0 && self.value.abs() <= EXACT as f64;
            return exact.then_some(self.value as i64);
        }
        if self.value.abs() < EXACT as f64 {
            return Some(self.value as i64);
        }
        std::str::from_utf8(self.text).ok()?.parse().ok()
    }

    /// The number as something's name.
    #[inline]
    pub fn id(&self) -> Got<Id> {
        let whole = self.whole().map(Id::Number);
        whole.ok_or_else(|| Stop::wrong(self.at, &codes::NUMBER, "an id is a whole number of 64 bits, or a text"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Option<(f64, bool, usize)> {
        let mut cursor = Cursor::new(text.as_bytes(), true, 10);
        let number = cursor.number().ok()?;
        Some((number.value, number.fraction, cursor.at))
    }

    #[test]
    fn numbers_end_where_they_end() {
        for (text, value, fraction, end) in [
            ("0.5,        ", 0.5_f64, true, 3),
            ("0,        ", 0.0, false, 1),
            ("-0]       ", -0.0, false, 2),
            ("1234567,  ", 1_234_567.0, false, 7),
            ("12345678,          ", 12_345_678.0, false, 8),
            ("123456789012345678,          ", 123_456_789_012_345_678.0, false, 18),
            ("1.5,               ", 1.5, true, 3),
            ("2765.1486500000005,          ", 2_765.148_650_000_000_5, true, 18),
            ("0.12345678]                  ", 0.123_456_78, true, 10),
            ("0.1234567890123456789]       ", 0.123_456_789_012_345_68, true, 21),
            ("1.5e3,             ", 1_500.0, true, 5),
            ("15E-1,             ", 1.5, true, 5),
            ("7", 7.0, false, 1),
        ] {
            let got = read(text).unwrap();
            assert_eq!((got.0.to_bits(), got.1, got.2), (value.to_bits(), fraction, end), "{text}");
        }
        for text in [
            "01,         ",
            "-,          ",
            "1.,         ",
            ".5,         ",
            "1.e5        ",
            "+1          ",
            "-01.5       ",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn ids_are_read_as_numbers_are(text in " ?(0|[1-9][0-9]{0,17})(\\.5|e1|E|,|\\]|[a-z])?") {
            let padded = format!("{text}        ,      ");
            let mut cursor = Cursor::new(padded.as_bytes(), true, 10);
            let got = cursor.short_whole();
            let mut other = Cursor::new(padded.as_bytes(), true, 10);
            if let Some(got) = got {
                let number = other.number().unwrap();
                prop_assert_eq!((Some(got), cursor.at), (number.whole(), other.at));
                prop_assert!(!number.fraction);
            } else {
                prop_assert_eq!(cursor.at, 0);
            }
        }

        #[test]
        fn the_short_way_is_the_long_way(text in "-?(0|[1-9][0-9]{0,12})(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,2})?") {
            let padded = format!("{text},                   ");
            let long = Cursor::new(padded.as_bytes(), true, 10).any_number(padded.as_bytes()[0]).ok().map(|n| n.value);
            let got = read(&padded);
            let mut cursor = Cursor::new(padded.as_bytes(), true, 10);
            if let Some(value) = cursor.short_value() {
                prop_assert_eq!((Some(value.to_bits()), cursor.at), (long.map(f64::to_bits), text.len()));
            }
            let mut cursor = Cursor::new(padded.as_bytes(), true, 10);
            if cursor.pass_short() {
                prop_assert_eq!((cursor.at, long.is_some()), (text.len(), true));
            }
            prop_assert_eq!(got.map(|got| got.0.to_bits()), long.map(f64::to_bits));
            prop_assert_eq!(got.map(|got| got.2), long.map(|_| text.len()));
            let exact: f64 = text.parse().unwrap();
            prop_assert_eq!(got.map(|got| got.0.to_bits()), Some(exact.to_bits()).filter(|_| exact.is_finite()));
            // Wherever the bytes end, it is the same number, or more bytes are wanted.
            prop_assert_eq!(read(&text).map(|got| got.0.to_bits()), Some(exact.to_bits()).filter(|_| exact.is_finite()));
        }

        #[test]
        fn any_text_gives_the_same_whichever_way(text in "[-0-9.eE+, ]{0,30}") {
            let long = |text: &str| {
                let mut cursor = Cursor::new(text.as_bytes(), false, 10);
                let first = cursor.peek().ok()?;
                cursor.any_number(first).ok().map(|n| (n.value.to_bits(), n.fraction, n.text.len()))
            };
            let mut cursor = Cursor::new(text.as_bytes(), false, 10);
            let got = cursor.number().ok().map(|n| (n.value.to_bits(), n.fraction, n.text.len()));
            prop_assert_eq!(got, long(&text));
        }
    }
}
