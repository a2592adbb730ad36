//! The text of a document cut into tags and what stands between them.

use quick_xml::XmlVersion;
use quick_xml::escape::{EscapeError, unescape};
use quick_xml::events::{BytesStart, BytesText};

use crate::error::{Code, Error, Result};
use crate::limits::Limits;

use super::super::plain::short;
use super::super::{Spot, codes};
use super::decode::Decoder;

/// More than any label tool writes into one tag; finding one twice looks at all of them.
const MOST_ATTRIBUTES: usize = 256;
/// How text that is not looked at begins.
const CDATA: &str = "<![CDATA[";
/// What was read is thrown away in pieces of at least this size.
const THROW_AWAY: usize = 1 << 16;

/// One piece of a document.
#[derive(Debug)]
pub(super) enum Token {
    /// An element begins.
    Open { name: String, attributes: Attributes },
    /// The text of an element, or a part of it.
    Text(String),
    /// The element that began last ends.
    Close,
}

/// The attributes of a tag, all in one text.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Attributes {
    text: String,
    /// Where each name begins and ends, and where its value, which follows, ends.
    spans: Vec<[usize; 3]>,
}

impl Attributes {
    /// Every name with its value.
    pub(in super::super) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.spans.iter().map(|[start, name, value]| (&self.text[*start..*name], &self.text[*name..*value]))
    }

    fn push(&mut self, name: &str, value: &str) {
        let start = self.text.len();
        self.text.push_str(name);
        let end = self.text.len();
        self.text.push_str(value);
        self.spans.push([start, end, self.text.len()]);
    }
}

/// Cuts a document, however its bytes arrive.
#[derive(Debug)]
pub(super) struct Tokens {
    decoder: Decoder,
    text: String,
    /// Where the next token begins.
    at: usize,
    /// Bytes of it that were searched for its end.
    searched: usize,
    /// The quotation mark that was open there.
    quote: Option<u8>,
    line: u64,
    character: u64,
    ended: bool,
    open: Vec<String>,
    /// A tag that is a whole element closes it as well.
    closes: bool,
    rooted: bool,
    limits: Limits,
}

impl Tokens {
    pub(super) fn new(limits: Limits) -> Tokens {
        Tokens {
            decoder: Decoder::default(),
            text: String::new(),
            at: 0,
            searched: 0,
            quote: None,
            line: 1,
            character: 1,
            ended: false,
            open: Vec::new(),
            closes: false,
            rooted: false,
            limits,
        }
    }

    /// Takes more bytes of the document.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        if self.at >= THROW_AWAY && self.at * 2 >= self.text.len() {
            self.text.drain(..self.at);
            self.at = 0;
        }
        self.decoder.push(bytes, &mut self.text);
    }

    /// Says that no more bytes come.
    pub(super) fn finish(&mut self) {
        self.decoder.finish(&mut self.text);
        self.ended = true;
    }

    /// Where the next token begins.
    pub(super) fn spot(&self) -> Spot {
        let mut spot = Spot::line(self.line);
        spot.character = self.character;
        spot
    }

    /// The next token with its place; `None` if more bytes are needed or all is read.
    pub(super) fn next(&mut self) -> Result<Option<(Token, Spot)>> {
        loop {
            let spot = self.spot();
            if std::mem::take(&mut self.closes) {
                self.open.pop();
                return Ok(Some((Token::Close, spot)));
            }
            let Some(length) = self.length()? else { return self.rest(spot) };
            let piece = self.text.get(self.at..self.at + length).unwrap_or_default();
            let token = match piece.as_bytes() {
                [b'<', b'?', ..] => None,
                [b'<', b'!', ..] if piece.starts_with("<!--") => None,
                [b'<', b'!', b'[', ..] if piece.starts_with(CDATA) => {
                    Some(Token::Text(piece[CDATA.len()..length - 3].to_owned()))
                }
                [b'<', b'!', ..] => {
                    doctype(piece, &spot)?;
                    None
                }
                [b'<', b'/', ..] => {
                    let name = piece[2..length - 1].trim_end();
                    match self.open.pop() {
                        Some(open) if open == name => Some(Token::Close),
                        Some(open) => {
                            let message = format!("</{}> is where </{}> has to be", short(name), short(&open));
                            return Err(spot.fault(&codes::SYNTAX, message));
                        }
                        None => {
                            return Err(spot.fault(&codes::SYNTAX, format!("</{}> ends nothing", short(name))));
                        }
                    }
                }
                [b'<', ..] => {
                    let (name, attributes, whole) = tag(piece, &spot)?;
                    if self.open.is_empty() && std::mem::replace(&mut self.rooted, true) {
                        let message = format!("<{}> begins a second document", short(&name));
                        return Err(spot.fault(&codes::SYNTAX, message));
                    }
                    self.closes = whole;
                    self.open.push(name.clone());
                    self.limits.depth(self.open.len().try_into().unwrap_or(u32::MAX)).map_err(|e| at(e, &spot))?;
                    Some(Token::Open { name, attributes })
                }
                _ if self.open.is_empty() && piece.trim_ascii().is_empty() => None,
                _ if self.open.is_empty() => {
                    return Err(spot.fault(&codes::SYNTAX, "text is outside of the document's element"));
                }
                _ => Some(Token::Text(text(piece, &spot)?)),
            };
            self.pass(length);
            if let Some(token) = token {
                return Ok(Some((token, spot)));
            }
        }
    }

    /// What it means that no token is whole.
    fn rest(&mut self, spot: Spot) -> Result<Option<(Token, Spot)>> {
        self.limits.item((self.text.len() - self.at) as u64).map_err(|e| at(e, &spot))?;
        if let Some(why) = self.decoder.broken().map(str::to_owned) {
            self.pass(self.text.len() - self.at);
            return Err(self.spot().fault(&codes::ENCODING, why));
        }
        if !self.ended {
            return Ok(None);
        }
        self.pass(self.text.len() - self.at);
        let spot = self.spot();
        match self.open.last() {
            Some(open) => {
                Err(spot.fault(&codes::TRUNCATED, format!("the file ends, and <{}> has no end", short(open))))
            }
            None if !self.rooted => Err(spot.fault(&codes::FORMAT, "there is no element in the file")),
            None => Ok(None),
        }
    }

    /// The length of the next token, if all of it is there.
    fn length(&mut self) -> Result<Option<usize>> {
        let rest = &self.text[self.at..];
        let bytes = rest.as_bytes();
        let from = self.searched;
        let ends = |mark: &str, start: usize| {
            let from = floor(rest, from.saturating_sub(mark.len()).max(start));
            rest.get(from..).and_then(|tail| tail.find(mark)).map(|found| from + found + mark.len())
        };
        let found = match bytes {
            [] => return Ok(None),
            [b'<', b'?', ..] => ends("?>", 2),
            [b'<', b'!', ..] if rest.starts_with("<!--") => ends("-->", 4),
            [b'<', b'!', ..] if rest.starts_with(CDATA) => ends("]]>", CDATA.len()),
            // Too few to tell which it is: nothing was searched yet.
            [b'<', b'!', ..] if rest.len() < CDATA.len() && !self.ended => return Ok(None),
            // What a document type declares in itself is refused before it is looked at.
            [b'<', b'!', ..] => bytes[from..].iter().position(|b| b"[>".contains(b)).map(|n| from + n + 1),
            [b'<'] => None,
            [b'<', ..] => {
                let mut end = None;
                for (i, byte) in bytes.iter().enumerate().skip(from) {
                    match (self.quote, byte) {
                        (Some(mark), byte) if mark == *byte => self.quote = None,
                        (None, b'"' | b'\'') => self.quote = Some(*byte),
                        (None, b'>') => {
                            end = Some(i + 1);
                            break;
                        }
                        (None, b'<') if i > 0 => {
                            return Err(self.spot().fault(&codes::SYNTAX, "a tag begins inside of a tag"));
                        }
                        _ => {}
                    }
                }
                end
            }
            _ => rest[from..].find('<').map(|n| from + n).or_else(|| self.text_ends().then_some(rest.len())),
        };
        self.searched = found.map_or(bytes.len(), |_| 0);
        Ok(found)
    }

    /// Whether a text that no tag follows is all there is. A text that ends where it cannot be decoded is not whole.
    fn text_ends(&self) -> bool {
        self.ended && self.decoder.broken().is_none() && self.open.is_empty()
    }

    /// Goes past what was read.
    fn pass(&mut self, length: usize) {
        let passed = &self.text[self.at..self.at + length];
        let lines = passed.bytes().filter(|b| *b == b'\n').count() as u64;
        self.line += lines;
        let last = passed.rfind('\n').map_or(passed, |end| &passed[end + 1..]);
        let characters = last.chars().count() as u64;
        self.character = if lines > 0 { 1 + characters } else { self.character + characters };
        self.at += length;
        self.searched = 0;
    }
}

/// The start of the character that a byte is of.
fn floor(text: &str, mut at: usize) -> usize {
    while at > 0 && !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Lets a document type pass that only names the document.
fn doctype(piece: &str, spot: &Spot) -> Result<()> {
    let Some(named) = piece.strip_prefix("<!DOCTYPE") else {
        return Err(spot.fault(&codes::SYNTAX, "<! begins no comment, no CDATA and no document type"));
    };
    if !named.ends_with('>') || named.split_ascii_whitespace().count() > 1 {
        let message = "a document type with declarations, or of another file, is not read: no entity is expanded";
        return Err(spot.fault(&codes::UNSUPPORTED, message));
    }
    Ok(())
}

/// The name and attributes of a tag, and whether it is a whole element.
fn tag(piece: &str, spot: &Spot) -> Result<(String, Attributes, bool)> {
    let inner = &piece[1..piece.len() - 1];
    let (inner, whole) = inner.strip_suffix('/').map_or((inner, false), |inner| (inner, true));
    let length = inner.find(|c: char| c.is_ascii_whitespace()).unwrap_or(inner.len());
    let name = &inner[..length];
    if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        return Err(spot.fault(&codes::SYNTAX, format!("<{}> is not a tag", short(inner))));
    }
    let wrong = |what: String| spot.fault(&codes::SYNTAX, format!("in <{}>: {what}", short(name)));
    let start = BytesStart::from_content(inner, length);
    let mut attributes = Attributes::default();
    // The crate's own search for names that are there twice knows no bound.
    for attribute in start.attributes().with_checks(false) {
        let attribute = attribute.map_err(|e| wrong(e.to_string()))?;
        let key = std::str::from_utf8(attribute.key.as_ref()).map_err(|e| wrong(e.to_string()))?;
        if attributes.spans.len() == MOST_ATTRIBUTES {
            return Err(wrong(format!("there are more than {MOST_ATTRIBUTES} attributes")));
        }
        if attributes.iter().any(|(name, _)| name == key) {
            return Err(spot.fault(&codes::REPEATED, format!("{} is there twice in <{}>", short(key), short(name))));
        }
        let value = attribute
            .normalized_value(XmlVersion::Implicit1_0)
            .map_err(|e| wrong(format!("the value of {}: {e}", short(key))))?;
        attributes.push(key, &value);
    }
    Ok((name.to_owned(), attributes, whole))
}

/// What a text says once its escapes are read.
fn text(piece: &str, spot: &Spot) -> Result<String> {
    let content = BytesText::from_escaped(piece).xml10_content();
    let content = content.map_err(|e| spot.fault(&codes::SYNTAX, e.to_string()))?;
    match unescape(&content) {
        Ok(text) => Ok(text.into_owned()),
        Err(e) => {
            let (code, offset): (&'static Code, usize) = match &e {
                EscapeError::UnrecognizedEntity(range, _) => (&codes::UNSUPPORTED, range.start.saturating_sub(1)),
                EscapeError::UnterminatedEntity(range) => (&codes::SYNTAX, range.start),
                _ => (&codes::SYNTAX, 0),
            };
            let mut spot = spot.clone();
            let before = content.get(..offset).unwrap_or_default();
            let lines = before.bytes().filter(|b| *b == b'\n').count() as u64;
            let last = before.rsplit('\n').next().unwrap_or_default().chars().count() as u64;
            spot.character = if lines > 0 { 1 + last } else { spot.character + last };
            spot.line += lines;
            let shown: String = e.to_string().chars().take(120).collect();
            Err(spot.fault(code, format!("an escape that cannot be read: {shown}")))
        }
    }
}

/// An error that knows no place yet.
fn at(error: Error, spot: &Spot) -> Error {
    error.line(spot.line, spot.character)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every token, as text, and the error that ends them; the same however the bytes arrive.
    fn read(text: &[u8]) -> (String, Option<String>) {
        let found = [1, 7, text.len().max(1)].map(|step| {
            let mut tokens = Tokens::new(Limits::default());
            let mut out = String::new();
            let mut pieces = text.chunks(step);
            let failed = loop {
                match tokens.next() {
                    Ok(Some((Token::Open { name, attributes }, spot))) => {
                        let attributes: String = attributes.iter().map(|(k, v)| format!(" {k}={v:?}")).collect();
                        out.push_str(&format!("{}:{} <{name}{attributes}>", spot.line, spot.character));
                    }
                    Ok(Some((Token::Text(text), _))) => out.push_str(&format!("{text:?}")),
                    Ok(Some((Token::Close, _))) => out.push_str("</>"),
                    Ok(None) => match pieces.next() {
                        Some(piece) => tokens.push(piece),
                        None if tokens.ended => break None,
                        None => tokens.finish(),
                    },
                    Err(e) => break Some(e.to_string()),
                }
            };
            (out, failed)
        });
        assert_eq!(found[0], found[1]);
        assert_eq!(found[0], found[2]);
        let [_, _, whole] = found;
        whole
    }

    fn fault(text: &str) -> String {
        read(text.as_bytes()).1.unwrap()
    }

    #[test]
    fn tags_and_texts_come_with_their_place() {
        let text =
            "<?xml version=\"1.0\"?>\n<!-- <b> -->\n<a x='1 > 0' y=\"&lt;&#10;\">\n é&amp;<b/><![CDATA[<c>]]></a >\n";
        let (tokens, failed) = read(text.as_bytes());
        assert_eq!(tokens, "3:1 <a x=\"1 > 0\" y=\"<\\n\">\"\\n é&\"4:8 <b></>\"<c>\"</>");
        assert_eq!(failed, None);
        assert_eq!(read(b"<!DOCTYPE a>\r\n<a/>").0, "2:1 <a></>");
    }

    #[test]
    fn faults_say_where() {
        for (text, place) in [
            ("<a>\n<b></c></a>", "line 2, character 4: </c>"),
            ("<a>\ncat & dog</a>", "line 2, character 5: "),
            ("<a>\ncaf&eacute;</a>", "line 2, character 4: "),
            ("<a x='1' x='2'/>", "line 1, character 1: x is there twice"),
            ("<a/>\n<b/>", "line 2, character 1: <b> begins a second"),
            ("<a/>\nmore", "line 1, character 5: text is outside"),
            ("<a>\n<b>1", "line 2, character 5: the file ends, and <b>"),
            ("<a>\n<b", "line 2, character 3: the file ends, and <a>"),
            ("", "line 1, character 1: there is no element"),
            ("</a>", "line 1, character 1: </a> ends nothing"),
            ("<a <b>", "line 1, character 1: a tag begins inside"),
            ("< a>", "line 1, character 1: "),
            ("<!DOCTYPE a [<!ENTITY e \"x\">]><a>&e;</a>", "line 1, character 1: a document type"),
            ("\n<!DOCTYPE a SYSTEM \"x.dtd\"><a/>", "line 2, character 1: a document type"),
            ("<!ENTITY e \"x\"><a/>", "line 1, character 1: <! begins"),
            ("<a>\n<![OCTYPE a>", "line 2, character 1: <! begins"),
            ("<a>\n<!-></a>- -->", "line 2, character 1: <! begins"),
            ("<a>\n<!x></a>", "line 2, character 1: <! begins"),
        ] {
            let found = fault(text);
            assert!(found.starts_with(place), "{text:?}: {found}");
        }
        assert!(read(b"<a>\nb\xe9</a>").1.unwrap().starts_with("line 2, character 2: a byte is not UTF-8"));
    }

    #[test]
    fn bombs_stop_early() {
        assert!(fault(&"<a>".repeat(200_000)).contains("limit.nesting"));
        let attributes: String = (0..300_000).map(|i| format!(" a{i}='1'")).collect();
        let mut tokens = Tokens::new(Limits::default());
        tokens.push(format!("<a{attributes}/>").as_bytes());
        tokens.finish();
        assert!(tokens.next().unwrap_err().to_string().contains("more than 256 attributes"));
        let mut tokens = Tokens::new(Limits::default().with_item_bytes(100));
        tokens.push(&[b'<'; 1]);
        tokens.push(&[b'a'; 200]);
        assert_eq!(tokens.next().unwrap_err().code().id(), "limit.item");
    }
}
