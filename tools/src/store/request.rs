//! What was asked.

use std::io::{BufRead, Read};

use super::write::Marks;

/// The most bytes of a line of a head, and the most lines.
const LINE: u64 = 16 << 10;
const LINES: usize = 100;

/// A request, of which the body comes behind it.
#[derive(Debug, Default)]
pub(super) struct Request {
    pub method: String,
    /// Without its percent-encoding.
    pub path: String,
    /// In pairs.
    pub query: Vec<(String, String)>,
    pub range: Option<Range>,
    pub if_match: Option<String>,
    /// Whether nothing may be there.
    pub if_none_match: bool,
    /// The object that is copied, by bucket and name.
    pub copies: Option<String>,
    /// The metadata of what is written.
    pub marks: Marks,
    /// How many bytes follow.
    pub body: u64,
}

/// The ranges that readers ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Range {
    Between(u64, u64),
    From(u64),
    Last(u64),
}

impl Request {
    /// The next request of a connection; none if it ended.
    pub fn read(reader: &mut impl BufRead) -> std::io::Result<Option<Request>> {
        let first = line(reader)?;
        let mut words = first.split_whitespace();
        let (Some(method), Some(target)) = (words.next(), words.next()) else { return Ok(None) };
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let pair = |pair: &str| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decoded(name), decoded(value))
        };
        let mut request = Request {
            method: method.to_owned(),
            path: decoded(path),
            query: query.split('&').map(pair).collect(),
            ..Request::default()
        };
        for _ in 0..LINES {
            let line = line(reader)?;
            let Some((name, value)) = line.trim().split_once(':') else { break };
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "range" => request.range = range(value),
                "if-match" => request.if_match = Some(value.to_owned()),
                "if-none-match" => request.if_none_match = value == "*",
                "x-amz-copy-source" => request.copies = Some(decoded(value)),
                "content-length" => request.body = value.parse().unwrap_or(0),
                mark if mark.starts_with("x-amz-meta-") => request.marks.push((mark.to_owned(), value.to_owned())),
                _ => {}
            }
        }
        Ok(Some(request))
    }

    /// The value of a name in the query, empty if it has none.
    pub fn asks(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(of, _)| of == name).map(|(_, value)| value.as_str())
    }
}

fn line(reader: &mut impl BufRead) -> std::io::Result<String> {
    let mut line = String::new();
    reader.by_ref().take(LINE).read_line(&mut line)?;
    Ok(line)
}

fn range(text: &str) -> Option<Range> {
    let (first, last) = text.strip_prefix("bytes=")?.split_once('-')?;
    Some(match (first.parse(), last.parse::<u64>()) {
        (Ok(first), Ok(last)) => Range::Between(first, last.checked_add(1)?),
        (Ok(first), Err(_)) => Range::From(first),
        (Err(_), Ok(last)) => Range::Last(last),
        _ => return None,
    })
}

/// Text without its percent-encoding; what is broken stays as it is.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        let hex = behind.get(..2).and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        (bytes, rest) = match (first, hex) {
            (b'%', Some(byte)) => ([bytes, vec![byte]].concat(), &behind[2..]),
            _ => ([bytes, vec![first]].concat(), behind),
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_one_after_the_other() {
        let text = "GET /b/a%20b?list-type=2&prefix=x%2F HTTP/1.1\r\nRange: bytes=5-9\r\n\r\n\
                    POST /b HTTP/1.1\r\ncontent-length: 3\r\n\r\nabcHEAD / HTTP/1.1\r\nrange: bytes=-7\r\n\r\n";
        let mut reader = text.as_bytes();
        let first = Request::read(&mut reader).unwrap().unwrap();
        assert_eq!((first.path.as_str(), first.range), ("/b/a b", Some(Range::Between(5, 10))));
        assert_eq!((first.asks("prefix"), first.asks("none")), (Some("x/"), None));
        let second = Request::read(&mut reader).unwrap().unwrap();
        assert_eq!((second.method.as_str(), second.body), ("POST", 3));
        std::io::copy(&mut reader.by_ref().take(second.body), &mut std::io::sink()).unwrap();
        assert_eq!(Request::read(&mut reader).unwrap().unwrap().range, Some(Range::Last(7)));
        assert!(Request::read(&mut reader).unwrap().is_none());
    }
}
