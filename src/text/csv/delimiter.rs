//! What stands between the fields of a CSV, if nobody says it: a comma, unless the first rows agree on another.

use super::records::{Record, Records};
use crate::{limits::Limits, step::Turn, text::chunks::Chunks};

/// Bytes that are looked at.
pub(super) const SAMPLE: usize = 1 << 15;
/// What may stand there, the likeliest first.
const CANDIDATES: [u8; 4] = [b',', b';', b'\t', b'|'];

/// The first of the candidates by which every row of the beginning of a text has the same number of fields, and more
/// than one; a comma where there is none.
pub(super) fn sniff(sample: Vec<u8>, limits: &Limits) -> u8 {
    let cut = sample.len() == SAMPLE;
    let sample = bytes::Bytes::from(sample);
    let agrees = |delimiter: &&u8| {
        let (mut chunks, mut records) = (Chunks::default(), Records::new(**delimiter, limits));
        let (mut record, mut widths) = (Record::default(), Vec::new());
        chunks.push(sample.clone());
        chunks.end();
        while let Ok(Turn::Item(())) = records.next(&mut chunks, &mut record) {
            widths.push(record.len());
        }
        // The last row may go on behind the sample.
        if cut && widths.len() > 1 {
            widths.pop();
        }
        widths.first().is_some_and(|&first| first > 1 && widths.iter().all(|&width| width == first))
    };
    CANDIDATES.iter().find(agrees).copied().unwrap_or(b',')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{TextFormat, TextOptions, open};

    #[test]
    fn a_comma_gives_way_to_what_all_rows_agree_on() {
        for (text, found) in [
            ("a,b\n1,2\n", b','),
            ("a;b\n1,5;2\n", b';'),
            ("a\tb\n1\t2\n", b'\t'),
            ("a|b|c\n1|\"x|y\"|3\n", b'|'),
            ("a;b\n1,2;3,4\n", b';'),
            // One row disagrees, and a comma is what remains.
            ("a;b\n1;2\n3\n", b','),
            ("a,b\n1;2\n", b','),
            ("a,b;c\n1,2;3\n", b','),
            ("\"a;b\"\n\"1;2\"\n", b','),
            ("a\n", b','),
            ("", b','),
        ] {
            assert_eq!(sniff(text.into(), &Limits::host()), found, "{text}");
        }
        let long = format!("a;b\n{}", "1,5;2\n".repeat(10_000));
        assert_eq!(sniff(long.as_bytes()[..SAMPLE].to_vec(), &Limits::host()), b';');
    }

    #[test]
    fn what_was_found_is_said_and_what_is_given_goes_before() {
        let rows = open::read("a;b\n1;x\n", TextFormat::Csv, &TextOptions::default()).unwrap();
        assert_eq!(rows[0], r#"{"a":1,"b":"x"}"#);
        assert!(rows[1].starts_with("';' stands between columns"), "{rows:?}");
        let options = TextOptions { delimiter: Some(b','), ..TextOptions::default() };
        assert_eq!(open::read("a;b\n1;x\n", TextFormat::Csv, &options).unwrap(), [r#"{"a;b":"1;x"}"#]);
    }
}
