//! Numbers in JSON that no type holds: the parser rounds them to floats and says nothing, or calls the text damaged. And words for
//! numbers that JSON does not have, as Python writes them.

use crate::table::is_rounded;

/// The fewest digits of an integer beyond 64 bits.
const DIGITS: usize = 19;

/// Whether digits enough follow each other that an integer beyond 64 bits may be among them: a look at every nineteenth
/// byte tells mostly.
pub(super) fn may_be_in(text: &[u8]) -> bool {
    let digits = |at: &[u8]| at.iter().take_while(|b| b.is_ascii_digit()).count();
    let before = |at: &[u8]| at.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    (DIGITS - 1..text.len()).step_by(DIGITS).any(|at| {
        let (front, behind) = text.split_at(at);
        // A run of any length is looked at once for each of its steps, and no further than it takes.
        let behind = digits(behind.get(..DIGITS).unwrap_or(behind));
        let front = || before(front.get(front.len().saturating_sub(DIGITS)..).unwrap_or(front));
        behind > 0 && behind + front() >= DIGITS
    })
}

/// The words, which are read as numbers where a number may be.
const WORDS: [&str; 3] = ["NaN", "Infinity", "-Infinity"];

/// The text with such numbers and words in quotes, and whether there were words; none if it has neither. Only what stands in
/// the place of a value is put in quotes, so that a text that is not JSON for other reasons stays so.
pub(super) fn quoted(text: &[u8]) -> Option<(Vec<u8>, bool)> {
    let mut out = Vec::new();
    let (mut at, mut copied, mut words) = (0, 0, false);
    // What came last and is not blank.
    let mut before = b',';
    while let Some(&byte) = text.get(at) {
        match byte {
            b'"' => {
                at += 1;
                while let Some(&inside) = text.get(at) {
                    at += if inside == b'\\' { 2 } else { 1 };
                    if inside == b'"' {
                        break;
                    }
                }
            }
            b'-' | b'0'..=b'9' | b'N' | b'I' => {
                let rest = text.get(at..).unwrap_or_default();
                let is_part = |b: &&u8| matches!(b, b'-' | b'+' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z');
                let end = at + rest.iter().take_while(is_part).count();
                let token = text.get(at..end).and_then(|token| std::str::from_utf8(token).ok()).unwrap_or_default();
                let behind = text.get(end..).unwrap_or_default().iter().find(|b| !b.is_ascii_whitespace());
                let is_value =
                    matches!(before, b',' | b':' | b'[') && matches!(behind, None | Some(b',' | b']' | b'}'));
                let is_word = WORDS.contains(&token);
                if is_value && (is_word || !is_held(token)) {
                    out.extend_from_slice(text.get(copied..at).unwrap_or_default());
                    out.push(b'"');
                    out.extend_from_slice(token.as_bytes());
                    out.push(b'"');
                    copied = end;
                    words |= is_word;
                }
                at = end;
            }
            _ => at += 1,
        }
        if !byte.is_ascii_whitespace() {
            before = byte;
        }
    }
    out.extend_from_slice(text.get(copied..).unwrap_or_default());
    (copied > 0).then_some((out, words))
}

/// Whether a type holds this number as it was meant.
fn is_held(token: &str) -> bool {
    let Ok(float) = token.parse::<f64>() else { return true };
    if !float.is_finite() {
        return false;
    }
    let is_integer = !token.contains(['.', 'e', 'E']);
    !is_integer || token.parse::<i64>().is_ok() || token.parse::<u64>().is_ok() || !is_rounded(token, float)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_that_would_become_others_are_texts() {
        let text = |text: &str| quoted(text.as_bytes()).map(|(out, _)| String::from_utf8(out).unwrap());
        for (given, kept) in [
            (r#"{"a":12345678901234567890123}"#, r#"{"a":"12345678901234567890123"}"#),
            (r#"{"a":[1,-9223372036854775809,2]}"#, r#"{"a":[1,"-9223372036854775809",2]}"#),
            (r#"{"a":1e400,"b":-1e400}"#, r#"{"a":"1e400","b":"-1e400"}"#),
            (r#"{"a":NaN,"b":[-Infinity, Infinity ]}"#, r#"{"a":"NaN","b":["-Infinity", "Infinity" ]}"#),
        ] {
            assert_eq!(text(given).as_deref(), Some(kept));
        }
        for held in [
            r#"{"a":18446744073709551615,"b":-9223372036854775808,"c":0.1234567890123456789012}"#,
            r#"{"a":"12345678901234567890123","b":"\\\"12345678901234567890123"}"#,
            // 2^70, and floats as JavaScript writes them.
            r#"{"a":1180591620717411303424,"b":100000000000000000000,"c":123456789012345680000}"#,
            r#"{"12345678901234567890123":1}"#,
            r#"{"a":"NaN","b":["Infinity"]}"#,
            r#"{NaN:1,12345678901234567890123:2,"c":NaN4}"#,
        ] {
            assert_eq!(text(held), None, "{held}");
        }
    }

    #[test]
    fn a_run_of_digits_is_seen_wherever_it_begins() {
        for front in 0..60 {
            for (digits, seen) in [(18, false), (19, true), (20, true), (41, true)] {
                let text = format!("{}{}x", "x".repeat(front), "7".repeat(digits));
                assert_eq!(may_be_in(text.as_bytes()), seen, "{front} {digits}");
            }
        }
        assert!(!may_be_in(b"") && !may_be_in(b"1"));
    }
}
