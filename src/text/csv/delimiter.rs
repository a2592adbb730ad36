//! What stands between the fields of a CSV, if nobody says it: a comma, unless the first rows agree on another.

use super::records::{Record, Records};
use crate::{limits::Limits, step::Turn, text::chunks::Chunks};

/// Bytes that are looked at.
pub(super) const SAMPLE: usize = 1 << 15;
/// Bytes of a first line that [`said`] looks at.
pub(super) const SAID: usize = 10;
/// What may stand there, the likeliest first.
const CANDIDATES: [u8; 4] = [b',', b';', b'\t', b'|'];

/// What a first line such as `sep=;` says, and its length with the mark in front of it and its end. Excel writes and reads such.
pub(super) fn said(sample: &[u8]) -> Option<(u8, usize)> {
    let text = sample.strip_prefix(b"\xef\xbb\xbf").unwrap_or(sample);
    let [delimiter, end @ ..] = text.strip_prefix(b"sep=")? else { return None };
    let end = if end.starts_with(b"\r\n") { 2 } else { usize::from(end.starts_with(b"\n")) };
    (end > 0 && super::check_delimiter(*delimiter).is_ok()).then(|| (*delimiter, sample.len() - text.len() + 5 + end))
}

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
    fn a_first_line_of_excel_says_the_delimiter_and_is_no_header() {
        let read = |text: &str, options: &TextOptions| open::read(text, TextFormat::Csv, options).unwrap();
        let options = TextOptions::default();
        for text in ["sep=;\na;b\n1,5;x\n", "\u{feff}sep=;\r\na;b\r\n1,5;x\r\n", "sep=|\na|b\n1,5|x\n"] {
            let rows = read(text, &options);
            assert_eq!(rows[0], r#"{"a":"1,5","b":"x"}"#, "{text}");
            assert!(rows[1].starts_with("the first line names") && rows.len() == 2, "{rows:?}");
        }
        let given = TextOptions { delimiter: Some(b','), ..TextOptions::default() };
        assert_eq!(read("sep=;\na,b\n1;5,x\n", &given)[0], r#"{"a":"1;5","b":"x"}"#);
        let e = open::read("sep=;\na;b\n1\n", TextFormat::Csv, &options).unwrap_err();
        assert!(e.message().starts_with("line 3: "), "{e}");
        assert_eq!(read("sep=;a\n1;2\n", &options)[0], r#"{"sep=":1,"a":2}"#);
    }

    #[test]
    fn what_was_found_is_said_and_what_is_given_goes_before() {
        let rows = open::read("a;b\n1;x\n", TextFormat::Csv, &TextOptions::default()).unwrap();
        assert_eq!(rows[0], r#"{"a":1,"b":"x"}"#);
        assert!(rows[1].starts_with("the delimiter is ';'"), "{rows:?}");
        let options = TextOptions { delimiter: Some(b','), ..TextOptions::default() };
        assert_eq!(open::read("a;b\n1;x\n", TextFormat::Csv, &options).unwrap(), [r#"{"a;b":"1;x"}"#]);
    }
}
