//! Texts and their escapes.

use std::borrow::Cow;

use crate::codes;

use super::{Cursor, Got, Stop};

impl<'a> Cursor<'a> {
    /// The text that begins here, with what its escapes stand for.
    pub fn string(&mut self) -> Got<Cow<'a, str>> {
        if self.peek()? != b'"' {
            return Err(Stop::wrong(self.at, &codes::VALUE, "a text belongs here"));
        }
        let start = self.at + 1;
        let (end, escaped) = self.end_of_string(start)?;
        let raw = &self.text[start..end];
        let utf8 = |e: std::str::Utf8Error| Stop::wrong(start + e.valid_up_to(), &codes::ENCODING, "this is not UTF-8");
        let plain = std::str::from_utf8(raw).map_err(utf8)?;
        let text = if escaped { Cow::Owned(unescaped(plain, start)?) } else { Cow::Borrowed(plain) };
        self.at = end + 1;
        Ok(text)
    }

    /// A key that has no escapes, and the colon behind it. Keys with escapes are read the long way.
    #[inline]
    pub fn key(&mut self) -> Got<Cow<'a, [u8]>> {
        if self.peek()? != b'"' {
            return Err(Stop::syntax(self.at, "a key, in quotation marks, belongs here"));
        }
        let start = self.at + 1;
        let (end, escaped) = self.end_of_string(start)?;
        let key = match escaped {
            false => Cow::Borrowed(&self.text[start..end]),
            true => Cow::Owned(self.string()?.into_owned().into_bytes()),
        };
        self.at = end + 1;
        if self.peek()? != b':' {
            return Err(Stop::syntax(self.at, "a colon belongs here"));
        }
        self.at += 1;
        Ok(key)
    }

    /// A key of up to fifteen bytes with its colon right behind it, as most are. `None` says nothing of what else is here.
    #[inline(always)]
    pub fn short_key(&mut self) -> Option<&'a [u8]> {
        let rest = self.text.get(self.at..)?;
        let words = rest.get(1..)?.first_chunk::<16>()?;
        if rest[0] != b'"' {
            return None;
        }
        let [first, second] = [0, 8].map(|at| u64::from_le_bytes(words[at..at + 8].try_into().unwrap_or_default()));
        let len = match special(first) {
            0 => 8 + special(second).trailing_zeros() as usize / 8,
            found => found.trailing_zeros() as usize / 8,
        };
        let key = rest.get(1..1 + len)?;
        if rest.get(1 + len..3 + len)? != b"\":" {
            return None;
        }
        self.at += 3 + len;
        Some(key)
    }

    /// Where a text ends, and whether it has escapes.
    #[inline]
    pub(super) fn end_of_string(&self, start: usize) -> Got<(usize, bool)> {
        let mut end = start;
        let mut escaped = false;
        loop {
            // Eight bytes at a time, up to one that is special.
            while let Some(word) = self.text.get(end..).and_then(|rest| rest.first_chunk::<8>()) {
                let special = special(u64::from_le_bytes(*word));
                end += special.trailing_zeros() as usize / 8;
                if special != 0 {
                    break;
                }
            }
            match self.text.get(end) {
                None => return Err(self.ended()),
                Some(b'"') => return Ok((end, escaped)),
                Some(b'\\') => {
                    escaped = true;
                    end += 2;
                }
                Some(0..0x20) => return Err(Stop::syntax(end, "a text goes over the end of its line")),
                Some(_) => end += 1,
            }
        }
    }
}

/// The upper bits of bytes that end a text, begin an escape, or are control characters: the lowest that is set is right.
#[inline(always)]
fn special(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let below = |word: u64, most: u64| word.wrapping_sub(ONES * most) & !word;
    let quote = below(word ^ (ONES * b'"' as u64), 1);
    let escape = below(word ^ (ONES * b'\\' as u64), 1);
    (quote | escape | below(word, 0x20)) & (ONES * 0x80)
}

/// What a text's escapes stand for.
fn unescaped(raw: &str, start: usize) -> Got<String> {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let here = start + raw.len() - rest.len() + at;
        let escape = rest.as_bytes().get(at + 1).copied();
        rest = rest.get(at + 2..).unwrap_or_default();
        out.push(match escape {
            Some(c @ (b'"' | b'\\' | b'/')) => c.into(),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let (c, used) = code_point(rest).ok_or_else(|| Stop::syntax(here, "an escape is not a character"))?;
                rest = &rest[used..];
                c
            }
            _ => return Err(Stop::syntax(here, "JSON has no such escape")),
        });
    }
    out.push_str(rest);
    Ok(out)
}

/// The character of an escape behind its `\u`, which may be two, and the bytes that it takes. Half of a pair is none.
fn code_point(text: &str) -> Option<(char, usize)> {
    let hex = |at: usize| {
        let digits = text.get(at..at + 4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        u32::from_str_radix(digits, 16).ok()
    };
    let first = hex(0)?;
    if let 0xd800..0xdc00 = first {
        let second = hex(6).filter(|low| text[4..].starts_with("\\u") && (0xdc00..0xe000).contains(low))?;
        return Some((char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))?, 10));
    }
    Some((char::from_u32(first)?, 4))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_short_key_is_a_key(text in "\"([a-z_]{0,18}|[a-z]{0,6}(\\\\n|\n|é)[a-z]{0,4})\" ?:1,                   ") {
            let (mut short, mut long) = (Cursor::new(text.as_bytes(), false, 9), Cursor::new(text.as_bytes(), false, 9));
            match short.short_key() {
                Some(key) => {
                    prop_assert_eq!(key, &*long.key().unwrap());
                    prop_assert_eq!(short.at, long.at);
                }
                None => prop_assert_eq!(short.at, 0),
            }
        }
    }
}
