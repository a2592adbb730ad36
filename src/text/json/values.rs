//! The rows of a JSON text as they come: one a line, or the elements of one array over any number of lines.

use serde_json::{Map, Value as Json};

use super::wide;
use crate::{
    error::Result,
    limits::Limits,
    step::Turn,
    text::{chunks::Chunks, codes::bad_row, cut::newlines},
};

/// Memory that a value takes once it is parsed, beside its text.
const VALUE: u64 = 112;
/// Parsed values may take this many times what a row's text may have.
const PARSED: u64 = 4;
/// Rows up to this length are parsed without being looked at first.
const SHORT: usize = 1 << 20;

/// A row.
#[derive(Debug)]
pub(super) struct Line {
    /// The line that it begins in, from 1.
    pub number: u64,
    /// Of its text.
    pub bytes: usize,
    /// About the bytes that it takes once it is parsed, if that is much.
    pub memory: usize,
    /// It has words of JavaScript for numbers that JSON does not have.
    pub words: bool,
    /// The row, or why it cannot be read.
    pub parsed: Result<Map<String, Json>>,
}

/// Where reading stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In front of everything that is not blank.
    Start,
    /// In lines.
    Lines,
    /// In an array, where an element may begin; `true` where one must, behind a comma.
    Before(bool),
    /// In an element that began in that line.
    Inside(u64, Nesting),
    /// In an array, behind an element.
    Behind,
    /// Behind the array.
    Closed,
}

/// How deep in brackets, and whether in a text or behind a backslash there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Nesting {
    depth: usize,
    text: bool,
    escaped: bool,
}

/// What a byte is to the element that it follows.
enum End {
    /// It belongs to it.
    No,
    /// It is its last.
    With,
    /// It is behind it.
    Before,
}

impl Nesting {
    fn take(&mut self, byte: u8) -> End {
        if self.text {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => {
                    self.text = false;
                    if self.depth == 0 {
                        return End::With;
                    }
                }
                _ => {}
            }
            return End::No;
        }
        match byte {
            b'"' => self.text = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' if self.depth > 0 => {
                self.depth -= 1;
                if self.depth == 0 {
                    return End::With;
                }
            }
            b',' | b']' | b' ' | b'\t' | b'\r' | b'\n' if self.depth == 0 => return End::Before,
            _ => {}
        }
        End::No
    }
}

/// Finds the rows.
#[derive(Debug)]
pub(super) struct Lines {
    place: Place,
    /// The mark in front of the text was passed over, if there is one.
    unmarked: bool,
    /// The last whole line's number.
    number: u64,
    /// The beginning of a row that the bytes so far do not end.
    begun: Vec<u8>,
    limits: Limits,
}

impl Lines {
    pub fn new(limits: &Limits) -> Lines {
        Lines { place: Place::Start, unmarked: false, number: 0, begun: Vec::new(), limits: limits.clone() }
    }

    /// For the rest of such a text from a line on.
    pub fn at_line(&self, line: u64) -> Lines {
        let limits = self.limits.clone();
        Lines { place: self.place, unmarked: true, number: line.saturating_sub(1), begun: Vec::new(), limits }
    }
    /// The line on which the next row begins, between rows.
    pub fn line_number(&self) -> u64 {
        self.number + 1
    }
    /// Whether there is a row a line.
    pub fn are_lines(&self) -> bool {
        self.place == Place::Lines
    }

    /// The next row.
    pub fn next(&mut self, chunks: &mut Chunks) -> Result<Turn<Line, ()>> {
        if !self.unmarked {
            if chunks.skip_mark()?.is_none() {
                return Ok(Turn::Need(()));
            }
            self.unmarked = true;
        }
        if self.place == Place::Start {
            // Blank lines in front, of which nothing is kept.
            loop {
                let Some(bytes) = chunks.fill() else { return Ok(Turn::Need(())) };
                let blank = bytes.iter().take_while(|b| b.is_ascii_whitespace()).count();
                self.number += newlines(&bytes[..blank]);
                let first = bytes.get(blank).copied();
                let end = bytes.is_empty();
                chunks.consume(blank);
                match first {
                    Some(b'[') => {
                        chunks.consume(1);
                        self.place = Place::Before(false);
                        break;
                    }
                    None if !end => {}
                    _ => {
                        self.place = Place::Lines;
                        break;
                    }
                }
            }
        }
        if self.place == Place::Lines { self.line(chunks) } else { self.element(chunks) }
    }

    /// Adds to the row that has begun, within the limit.
    fn grow(&mut self, part: usize, first_line: u64) -> Result<()> {
        let length = (self.begun.len() + part) as u64;
        let least_of_too_many = self.limits.item_bytes.saturating_add(1);
        self.limits.item(least_of_too_many.min(length)).map(drop).map_err(|e| e.row(first_line))
    }

    /// The next line that is not blank.
    fn line(&mut self, chunks: &mut Chunks) -> Result<Turn<Line, ()>> {
        loop {
            let Some(bytes) = chunks.fill() else { return Ok(Turn::Need(())) };
            if bytes.is_empty() && self.begun.is_empty() {
                return Ok(Turn::Done);
            }
            let end = bytes.iter().position(|b| *b == b'\n').map(|at| at + 1);
            let part = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
            self.grow(part.len(), self.number + 1)?;
            // A line that lies in one piece is read where it lies.
            let whole = end.is_some() && self.begun.is_empty();
            if !whole {
                self.begun.extend_from_slice(part);
            }
            let ended = end.is_some() || bytes.is_empty();
            let mut line = None;
            if ended {
                self.number += 1;
                let text = if whole { part } else { &self.begun };
                if !text.iter().all(u8::is_ascii_whitespace) {
                    line = Some(parse(self.number, text, &self.limits));
                }
                self.begun.clear();
            }
            let read = part.len();
            chunks.consume(read);
            if let Some(line) = line {
                return line.map(Turn::Item);
            }
        }
    }

    /// The next element of the array.
    fn element(&mut self, chunks: &mut Chunks) -> Result<Turn<Line, ()>> {
        loop {
            let Some(bytes) = chunks.fill() else { return Ok(Turn::Need(())) };
            let Some(&byte) = bytes.first() else {
                return match self.place {
                    Place::Closed => Ok(Turn::Done),
                    _ => Err(bad_row(self.number + 1, "the text ends inside of its array")),
                };
            };
            let blank = bytes.iter().take_while(|b| b.is_ascii_whitespace()).count();
            if blank > 0 && !matches!(self.place, Place::Inside(..)) {
                self.number += newlines(&bytes[..blank]);
                chunks.consume(blank);
                continue;
            }
            match (self.place, byte) {
                (Place::Before(false) | Place::Behind, b']') => self.place = Place::Closed,
                (Place::Behind, b',') => self.place = Place::Before(true),
                (Place::Before(_), b',' | b']') => return Err(bad_row(self.number + 1, "a value is missing")),
                (Place::Before(_), _) => {
                    self.place = Place::Inside(self.number + 1, Nesting::default());
                    continue;
                }
                (Place::Inside(first, nesting), _) => {
                    let mut nesting = nesting;
                    let mut read = 0;
                    let end = bytes.iter().find_map(|&b| match nesting.take(b) {
                        End::Before => Some(read),
                        End::With => Some(read + 1),
                        End::No => {
                            read += 1;
                            None
                        }
                    });
                    let part = &bytes[..end.unwrap_or(bytes.len())];
                    self.number += newlines(part);
                    self.begun.extend_from_slice(part);
                    let part = part.len();
                    chunks.consume(part);
                    self.grow(0, first)?;
                    self.place = Place::Inside(first, nesting);
                    if end.is_some() {
                        self.place = Place::Behind;
                        let line = parse(first, &self.begun, &self.limits);
                        self.begun.clear();
                        return line.map(Turn::Item);
                    }
                    continue;
                }
                (Place::Closed, _) => return Err(bad_row(self.number + 1, "more follows after the array")),
                _ => return Err(bad_row(self.number + 1, "a comma or the end of the array is expected")),
            }
            chunks.consume(1);
        }
    }
}

/// A row from its text. One that would take far more memory than its text is refused before it does.
fn parse(number: u64, text: &[u8], limits: &Limits) -> Result<Line> {
    let memory = if text.len() > SHORT { text.len() as u64 + VALUE * values(text) } else { 0 };
    if memory > limits.item_bytes.saturating_mul(PARSED) {
        return Err(limits.item(memory).err().unwrap_or_else(|| bad_row(number, "too many values")).row(number));
    }
    let (parsed, words) = exactly(text);
    let parsed = match parsed {
        Ok(Json::Object(row)) => Ok(row),
        Ok(_) => Err(bad_row(number, "this is not a JSON object")),
        // A line's own end is not yet the next line.
        Err(e) if e.line() > 1 => {
            let inside = newlines(text.strip_suffix(b"\n").unwrap_or(text));
            Err(bad_row(number + inside.min(e.line() as u64 - 1), short(&e)))
        }
        Err(e) => Err(bad_row(number, format!("column {}: {}", e.column(), short(&e)))),
    };
    Ok(Line { number, bytes: text.len(), memory: memory as usize, words, parsed })
}

/// The value, with numbers that no type holds as texts: a number of it would be another one. So are the words for numbers that
/// JSON does not have and Python writes; whether there are such.
fn exactly(text: &[u8]) -> (serde_json::Result<Json>, bool) {
    let parsed = serde_json::from_slice::<Json>(text);
    if parsed.is_ok() && !wide::may_be_in(text) {
        return (parsed, false);
    }
    match wide::quoted(text).and_then(|(text, words)| Some((serde_json::from_slice(&text).ok()?, words))) {
        Some((quoted, words)) => (Ok(quoted), words),
        None => (parsed, false),
    }
}

/// Whether a text is one JSON value.
pub fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// Whether two texts are the same value, however they are laid out.
pub fn same_json(a: &str, b: &str) -> bool {
    a == b || matches!((exactly(a.as_bytes()).0, exactly(b.as_bytes()).0), (Ok(a), Ok(b)) if a == b)
}

/// How many values a text holds at most.
fn values(text: &[u8]) -> u64 {
    let (mut quoted, mut escaped, mut found) = (false, false, 1);
    for &byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = quoted,
            b'"' => quoted = !quoted,
            b',' | b'[' | b'{' if !quoted => found += 1,
            _ => {}
        }
    }
    found
}

/// The parser's message without its own line number.
fn short(e: &serde_json::Error) -> String {
    let text = e.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{TextFormat, TextOptions, open};

    fn read(text: &str) -> Result<Vec<String>> {
        open::read(text, TextFormat::Jsonl, &TextOptions::default())
    }

    #[test]
    fn an_array_of_objects_is_rows_however_it_is_laid_out() {
        let rows = [r#"{"a":1,"b":"x,]}\"[{"}"#, r#"{"a":2,"b":null}"#];
        for text in [
            "[{\"a\":1,\"b\":\"x,]}\\\"[{\"},{\"a\":2}]",
            "\u{feff}\n [\n  {\n \"a\": 1,\n \"b\": \"x,]}\\\"[{\"\n  },\n\n  {\"a\":2}\n]\n \n",
        ] {
            assert_eq!(read(text).unwrap(), rows, "{text}");
        }
        assert!(read("[]").unwrap().is_empty() && read(" [ ] ").unwrap().is_empty());
    }

    #[test]
    fn what_is_wrong_with_an_array_is_named_with_its_line() {
        for (text, said) in [
            ("[{\"a\":1},\n{\"a\":2}", "line 2: the text ends inside"),
            ("[{\"a\":1}\n{\"a\":2}]", "line 2: a comma or the end"),
            ("[{\"a\":1},\n]", "line 2: a value is missing"),
            ("[,{\"a\":1}]", "line 1: a value is missing"),
            ("[{\"a\":1}]\n7", "line 2: more follows"),
            ("[{\"a\":1},\n7]", "line 2: this is not a JSON object"),
            ("[{\"a\":1},\n{\n\"a\":}]", "line 3: "),
            ("[1", "line 1: the text ends inside"),
        ] {
            let e = read(text).unwrap_err();
            assert!(e.code().id() == "table.row" && e.message().starts_with(said), "{text}: {e}");
        }
    }

    #[test]
    fn a_row_that_would_become_far_more_than_its_text_is_refused() {
        let row = format!("{{\"a\":[{}1]}}", "1,".repeat(600_000));
        let limits = Limits::host();
        assert!(parse(1, row.as_bytes(), &limits).is_ok());
        let e = parse(7, row.as_bytes(), &limits.with_item_bytes(2 << 20)).unwrap_err();
        assert_eq!((e.code().id(), e.place().row), ("limit.item", Some(7)));
        // Commas in a text are not values.
        let text = format!("{{\"a\":\"{}\"}}", ",".repeat(1_500_000));
        assert!(parse(1, text.as_bytes(), &Limits::host().with_item_bytes(2 << 20)).is_ok());
    }
}
