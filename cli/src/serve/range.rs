//! The one form of `Range` that a viewer needs: a single range of bytes.

use std::ops::Range;

/// What a request's `Range` header asks of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// The whole file: there is no header, or one that RFC 9110 says to ignore (another unit, malformed,
    /// several ranges at once).
    All,
    /// These bytes, which the file has.
    Part(Range<u64>),
    /// Bytes that the file does not have.
    Nothing,
}

/// Reads the header's value for a file of `len` bytes.
pub(super) fn asked(header: Option<&str>, len: u64) -> Asked {
    let Some(spec) = header.and_then(|h| h.trim().strip_prefix("bytes=")) else { return Asked::All };
    let Some((first, last)) = spec.split_once('-') else { return Asked::All };
    let (first, last) = (first.trim(), last.trim());
    let range = match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => first..last.saturating_add(1).min(len),
        (Some(first), None) if last.is_empty() => first..len,
        (None, Some(suffix)) if first.is_empty() => len.saturating_sub(suffix)..len,
        _ => return Asked::All,
    };
    if range.start < range.end { Asked::Part(range) } else { Asked::Nothing }
}

/// Digits and nothing else; a number beyond 64 bits is as good as the largest.
fn number(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| text.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_held_against_the_file() {
        let is = |header, expected| assert_eq!(asked(Some(header), 100), expected, "{header}");
        is("bytes=0-63", Asked::Part(0..64));
        is("bytes=64-", Asked::Part(64..100));
        is("bytes=90-1000", Asked::Part(90..100));
        is("bytes=-10", Asked::Part(90..100));
        is("bytes=-1000", Asked::Part(0..100));
        is("bytes=0-99999999999999999999999", Asked::Part(0..100));
        for nothing in ["bytes=100-", "bytes=100-200", "bytes=-0", "bytes=99999999999999999999999-"] {
            is(nothing, Asked::Nothing);
        }
        for ignored in ["bytes=5-2", "bytes=a-b", "bytes=0-1,5-6", "bytes=", "bytes=-", "items=0-1", "bytes=+1-2"] {
            is(ignored, Asked::All);
        }
        assert_eq!((asked(None, 100), asked(Some("bytes=0-"), 0)), (Asked::All, Asked::Nothing));
    }
}
