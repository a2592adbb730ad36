//! Reads values one after the other.

use crate::codes;

use super::{Got, Stop};

/// A place in the bytes of a JSON text.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'a> {
    pub text: &'a [u8],
    pub at: usize,
    /// No more bytes will come.
    pub last: bool,
    /// How deep values may nest.
    pub nesting: u32,
}

impl<'a> Cursor<'a> {
    /// At the beginning of a text.
    pub fn new(text: &'a [u8], last: bool, nesting: u32) -> Cursor<'a> {
        Cursor { text, at: 0, last, nesting }
    }

    /// What the end of the bytes means.
    #[cold]
    pub fn ended(&self) -> Stop {
        if self.last {
            Stop::wrong(self.text.len(), &codes::TRUNCATED, "the file ends here, inside a value")
        } else {
            Stop::More
        }
    }

    /// The next byte that is not blank.
    #[inline]
    pub fn peek(&mut self) -> Got<u8> {
        loop {
            match self.text.get(self.at) {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.at += 1,
                Some(byte) => return Ok(*byte),
                None => return Err(self.ended()),
            }
        }
    }

    /// Passes over a bracket, which has to stand here.
    #[inline]
    pub fn open(&mut self, bracket: u8) -> Got<()> {
        if self.peek()? == bracket {
            self.at += 1;
            return Ok(());
        }
        let what = if bracket == b'{' { "an object belongs here" } else { "an array belongs here" };
        Err(self.odd(what))
    }

    /// Something else stands where a value of some type belongs: of the wrong type, or no value at all.
    #[cold]
    pub fn odd(&self, what: &'static str) -> Stop {
        match self.text.get(self.at) {
            Some(b'"' | b'{' | b'[' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => {
                Stop::wrong(self.at, &codes::VALUE, what)
            }
            _ => Stop::syntax(self.at, what),
        }
    }

    /// Whether another element follows, behind `count` that were read; passes over the comma or the closing bracket.
    #[inline(always)]
    pub fn more(&mut self, close: u8, count: usize) -> Got<bool> {
        let byte = self.peek()?;
        if byte == close {
            self.at += 1;
            return Ok(false);
        }
        if count == 0 {
            return Ok(true);
        }
        if byte != b',' {
            return Err(Stop::syntax(self.at, "a comma or a closing bracket belongs here"));
        }
        self.at += 1;
        if self.peek()? == close {
            return Err(Stop::syntax(self.at, "nothing follows the comma"));
        }
        Ok(true)
    }

    /// Passes over a word.
    fn word(&mut self, word: &[u8]) -> Got<()> {
        let rest = &self.text[self.at..];
        if rest.starts_with(word) {
            self.at += word.len();
            return Ok(());
        }
        if word.starts_with(rest) {
            Err(self.ended())
        } else {
            Err(Stop::syntax(self.at, "this is not a value of JSON"))
        }
    }

    /// `true` or `false`, where one stands here.
    pub fn boolean(&mut self) -> Got<Option<bool>> {
        match self.peek()? {
            b't' => self.word(b"true").map(|()| Some(true)),
            b'f' => self.word(b"false").map(|()| Some(false)),
            _ => Ok(None),
        }
    }

    /// Passes over `null`, where it stands here.
    #[inline]
    pub fn null(&mut self) -> Got<bool> {
        if self.peek()? != b'n' {
            return Ok(false);
        }
        self.word(b"null").map(|()| true)
    }

    /// Passes over a value of any kind, and gives its bytes.
    pub fn skip(&mut self) -> Got<&'a [u8]> {
        let first = self.peek()?;
        let start = self.at;
        if first.is_ascii_digit() {
            if !self.pass_short() {
                self.number()?;
            }
            return Ok(&self.text[start..self.at]);
        }
        // The brackets that are open, innermost last; `true` for objects.
        let mut open: Vec<bool> = Vec::new();
        loop {
            match self.peek()? {
                b'{' | b'[' => {
                    let object = self.text[self.at] == b'{';
                    if open.len() as u64 >= u64::from(self.nesting) {
                        let message = format!("values nest deeper than {} levels", self.nesting);
                        return Err(Stop::wrong(start, &crate::limits::codes::NESTING, message));
                    }
                    self.at += 1;
                    if self.more(if object { b'}' } else { b']' }, 0)? {
                        open.push(object);
                        if object {
                            self.key()?;
                        }
                        continue;
                    }
                }
                b'"' => {
                    let (end, _) = self.end_of_string(self.at + 1)?;
                    self.at = end + 1;
                }
                b't' => self.word(b"true")?,
                b'f' => self.word(b"false")?,
                b'n' => self.word(b"null")?,
                _ => {
                    self.number()?;
                }
            }
            // What follows a value: the end of brackets, or the next value.
            loop {
                let Some(object) = open.last().copied() else { return Ok(&self.text[start..self.at]) };
                if self.more(if object { b'}' } else { b']' }, 1)? {
                    if object {
                        self.key()?;
                    }
                    break;
                }
                open.pop();
            }
        }
    }

    /// Refuses what follows the only value of a text.
    pub fn finish(&mut self) -> Got<()> {
        match self.peek() {
            Ok(_) => Err(Stop::syntax(self.at, "something follows the end of the document")),
            Err(Stop::Wrong(wrong)) if wrong.at == self.text.len() => Ok(()),
            Err(stop) => Err(stop),
        }
    }
}
