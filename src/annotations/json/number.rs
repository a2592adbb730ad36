//! Numbers.

use crate::annotations::{Id, codes};

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

impl<'a> Cursor<'a> {
    /// The number that begins here.
    #[inline]
    pub fn number(&mut self) -> Got<Number<'a>> {
        let first = self.peek()?;
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
            Some(b'"') => "a text stands where a number belongs",
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
    pub fn whole(&self) -> Option<i64> {
        if self.fraction {
            let exact = self.value.fract() == 0.0 && self.value.abs() <= EXACT as f64;
            return exact.then_some(self.value as i64);
        }
        std::str::from_utf8(self.text).ok()?.parse().ok()
    }

    /// The number as something's name.
    pub fn id(&self) -> Got<Id> {
        let whole = self.whole().map(Id::Number);
        whole.ok_or_else(|| Stop::wrong(self.at, &codes::NUMBER, "an id is a whole number of 64 bits, or a text"))
    }
}
