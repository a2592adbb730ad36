//! Where the fields of a record stand, for records that lie in one piece and whose quotes are plain: most of them.

/// A field of a record: where it stands in the text, without its quotes, and whether it has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub start: usize,
    pub end: usize,
    pub quoted: bool,
}

/// A byte in every place of a word.
const EACH: u64 = 0x0101_0101_0101_0101;
/// The ends of lines, alike.
const LINE_FEED: u64 = b'\n' as u64 * EACH;
const CARRIAGE_RETURN: u64 = b'\r' as u64 * EACH;
/// The highest bit of every byte of a word.
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The bytes that end a field.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    delimiter: u8,
    /// The delimiter in every place of a word.
    word: u64,
}

impl Ends {
    pub fn new(delimiter: u8) -> Ends {
        Ends { delimiter, word: u64::from(delimiter) * EACH }
    }

    fn is_one(self, byte: u8) -> bool {
        byte == self.delimiter || byte == b'\n' || byte == b'\r'
    }

    /// Where the first of them stands from `at` on, eight bytes at a time.
    fn find(self, text: &[u8], mut at: usize) -> Option<usize> {
        while let Some(eight) = text.get(at..).and_then(<[u8]>::first_chunk::<8>) {
            let word = u64::from_le_bytes(*eight);
            let hits = zeros(word ^ self.word) | zeros(word ^ LINE_FEED) | zeros(word ^ CARRIAGE_RETURN);
            if hits != 0 {
                return Some(at + hits.trailing_zeros() as usize / 8);
            }
            at += 8;
        }
        let rest = text.get(at..)?;
        rest.iter().position(|&b| self.is_one(b)).map(|n| at + n)
    }

    /// The fields of the record at the front of a text, and where the byte stands that ends it. `None` if the record
    /// may go on behind the text, has more than `most` fields, or quotes that are more than a field's first and last byte.
    pub fn record(self, text: &[u8], fields: &mut Vec<Span>, most: usize) -> Option<usize> {
        fields.clear();
        let mut at = 0;
        while fields.len() < most {
            let end = if text.get(at) == Some(&b'"') {
                let start = at + 1;
                let close = find(text, start, b'"')?;
                fields.push(Span { start, end: close, quoted: true });
                // Another quote, or text behind the quotes: read by the rules, byte by byte.
                Some(close + 1).filter(|&end| text.get(end).is_some_and(|&b| self.is_one(b)))?
            } else {
                let end = self.find(text, at)?;
                fields.push(Span { start: at, end, quoted: false });
                end
            };
            if text.get(end) != Some(&self.delimiter) {
                return Some(end);
            }
            at = end + 1;
        }
        None
    }
}

/// The highest bit of every byte that is 0. Bytes behind the first such may have it too.
const fn zeros(word: u64) -> u64 {
    word.wrapping_sub(EACH) & !word & HIGH
}

/// Where a byte stands first from `at` on.
pub(in crate::text) fn find(text: &[u8], mut at: usize, byte: u8) -> Option<usize> {
    let wanted = u64::from(byte) * EACH;
    let eight = |at: usize| {
        let word = u64::from_le_bytes(*text.get(at..)?.first_chunk::<8>()?);
        let hits = zeros(word ^ wanted);
        Some(if hits == 0 { 8 } else { hits.trailing_zeros() as usize / 8 })
    };
    // Most are near. Far ones are looked for in steps that a compiler makes vectors of.
    for _ in 0..2 {
        match eight(at) {
            Some(8) => at += 8,
            Some(n) => return Some(at + n),
            None => break,
        }
    }
    while let Some(block) = text.get(at..).and_then(<[u8]>::first_chunk::<64>) {
        if block.iter().fold(false, |any, b| any | (*b == byte)) {
            break;
        }
        at += 64;
    }
    while let Some(n) = eight(at) {
        at += n;
        if n < 8 {
            return Some(at);
        }
    }
    text.get(at..)?.iter().position(|&b| b == byte).map(|n| at + n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_is_found_wherever_it_stands() {
        for len in 0..200 {
            for at in 0..len {
                let mut text = vec![b'x'; len];
                text[at] = b'"';
                // Neighbors of it in the table of bytes, and those that differ in one bit.
                text.iter_mut().skip(at + 1).step_by(3).for_each(|b| *b = b'#');
                for from in [0, at / 2, at] {
                    assert_eq!(find(&text, from, b'"'), Some(at), "{len} {at}");
                }
                assert_eq!(find(&text, at + 1, b'"'), None, "{len} {at}");
                text[at] = b';';
                assert_eq!(Ends::new(b';').find(&text, 0), Some(at), "{len} {at}");
            }
        }
    }

    #[test]
    fn fields_are_told_apart_and_what_is_not_plain_is_left_to_the_rules() {
        let fields = |text: &str| {
            let mut spans = Vec::new();
            let end = Ends::new(b',').record(text.as_bytes(), &mut spans, 10)?;
            let cells: Vec<String> =
                spans.iter().map(|s| format!("{}{}", &text[s.start..s.end], if s.quoted { "q" } else { "" })).collect();
            Some((cells.join("|"), end))
        };
        for (text, cells, end) in [
            ("a,b\n", "a|b", 3),
            (",\r\n", "|", 1),
            ("\"x,\ny\",\"\"\n", "x,\nyq|q", 9),
            ("a\"b,c \"d\"\r", "a\"b|c \"d\"", 9),
            ("1,2,3,4,5,6,7,8,9,0\n", "1|2|3|4|5|6|7|8|9|0", 19),
        ] {
            assert_eq!(fields(text), Some((cells.to_owned(), end)), "{text:?}");
        }
        for text in ["", "a,b", "a,\"b", "a,\"b\"", "\"a\"\"b\"\n", "\"a\"b\n", "1,2,3,4,5,6,7,8,9,0,1\n"] {
            assert_eq!(fields(text), None, "{text:?}");
        }
    }
}
