//! Bytes to text, piece by piece.

use quick_xml::events::{BytesDecl, BytesStart};

/// How far a declaration of the encoding may reach.
const HEAD: usize = 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Utf8,
    Utf16 { big: bool },
    Latin1,
}

/// Turns the bytes of a document into text.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    encoding: Option<Encoding>,
    /// Bytes that do not make a character yet, or that were not looked at because the encoding is not known yet.
    held: Vec<u8>,
    broken: Option<String>,
}

impl Decoder {
    /// Adds the text of more bytes to `out`, up to the first byte that is none.
    pub(super) fn push(&mut self, bytes: &[u8], out: &mut String) {
        if self.broken.is_none() {
            self.held.extend_from_slice(bytes);
            self.decode(out, false);
        }
    }

    /// Says that no more bytes come.
    pub(super) fn finish(&mut self, out: &mut String) {
        if self.broken.is_none() {
            self.decode(out, true);
            if !self.held.is_empty() && self.broken.is_none() {
                self.broken = Some("it ends inside a character".to_owned());
            }
        }
    }

    /// Why the text does not go on after what was decoded.
    pub(super) fn broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }

    fn decode(&mut self, out: &mut String, ended: bool) {
        if self.encoding.is_none() {
            match sniff(&self.held, ended) {
                Ok(None) => return,
                Ok(Some((encoding, mark))) => {
                    self.encoding = Some(encoding);
                    self.held.drain(..mark);
                }
                Err(why) => {
                    self.broken = Some(why);
                    return;
                }
            }
        }
        match self.encoding {
            Some(Encoding::Latin1) => out.extend(self.held.drain(..).map(char::from)),
            Some(Encoding::Utf16 { big }) => self.decode_utf16(out, big),
            _ => self.decode_utf8(out),
        }
    }

    fn decode_utf8(&mut self, out: &mut String) {
        let (valid, wrong) = match std::str::from_utf8(&self.held) {
            Ok(text) => {
                out.push_str(text);
                (self.held.len(), false)
            }
            Err(e) => (e.valid_up_to(), e.error_len().is_some()),
        };
        if valid < self.held.len() {
            out.push_str(&String::from_utf8_lossy(&self.held[..valid]));
        }
        self.held.drain(..valid);
        if wrong {
            self.broken = Some("a byte is not UTF-8, and the file declares no other encoding".to_owned());
        }
    }

    fn decode_utf16(&mut self, out: &mut String, big: bool) {
        let units = self.held.chunks_exact(2).map(|pair| match big {
            true => u16::from_be_bytes([pair[0], pair[1]]),
            false => u16::from_le_bytes([pair[0], pair[1]]),
        });
        let whole = self.held.len() / 2 * 2;
        let mut used = 0;
        for decoded in char::decode_utf16(units) {
            match decoded {
                Ok(c) => {
                    out.push(c);
                    used += 2 * c.len_utf16();
                }
                // The other half may be in the bytes that come next.
                Err(e) if used + 2 == whole && (0xd800..0xdc00).contains(&e.unpaired_surrogate()) => break,
                Err(_) => {
                    self.broken = Some("half of a UTF-16 pair is alone".to_owned());
                    break;
                }
            }
        }
        self.held.drain(..used);
    }
}

/// The encoding of a document by its first bytes and how many of them are its mark; `None` where more are needed.
fn sniff(head: &[u8], ended: bool) -> Result<Option<(Encoding, usize)>, String> {
    if head.len() < 5 && !ended {
        return Ok(None);
    }
    match head {
        [0xef, 0xbb, 0xbf, ..] => return Ok(Some((Encoding::Utf8, 3))),
        [0xff, 0xfe, ..] => return Ok(Some((Encoding::Utf16 { big: false }, 2))),
        [0xfe, 0xff, ..] => return Ok(Some((Encoding::Utf16 { big: true }, 2))),
        [b'<', 0, ..] => return Ok(Some((Encoding::Utf16 { big: false }, 0))),
        [0, b'<', ..] => return Ok(Some((Encoding::Utf16 { big: true }, 0))),
        _ => {}
    }
    if !head.starts_with(b"<?xml") {
        return Ok(Some((Encoding::Utf8, 0)));
    }
    let within = &head[..head.len().min(HEAD)];
    let Some(end) = within.windows(2).position(|pair| pair == b"?>") else {
        return Ok((ended || head.len() >= HEAD).then_some((Encoding::Utf8, 0)));
    };
    let declaration = String::from_utf8_lossy(&within[2..end]);
    match declared(&declaration) {
        Some(name) => named(&name).map(|encoding| Some((encoding, 0))),
        None => Ok(Some((Encoding::Utf8, 0))),
    }
}

/// The encoding that a declaration, without its brackets, names.
fn declared(declaration: &str) -> Option<String> {
    let declaration = BytesDecl::from_start(BytesStart::from_content(declaration, 3));
    String::from_utf8(declaration.encoding()?.ok()?.into_owned()).ok()
}

fn named(name: &str) -> Result<Encoding, String> {
    match name.to_ascii_lowercase().as_str() {
        "utf-8" | "utf8" | "us-ascii" | "ascii" => Ok(Encoding::Utf8),
        "iso-8859-1" | "iso8859-1" | "latin1" | "latin-1" => Ok(Encoding::Latin1),
        // A file that declares UTF-16 in single bytes is none; what it is, UTF-8 shows.
        "utf-16" | "utf-16le" | "utf-16be" => Ok(Encoding::Utf8),
        _ => Err(format!("the encoding {:?} is not read: UTF-8, UTF-16 and ISO-8859-1 are", short(name))),
    }
}

fn short(name: &str) -> String {
    name.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Decoded at once and byte by byte, which must be the same.
    fn decoded(bytes: &[u8]) -> (String, bool) {
        let mut found = [1, bytes.len().max(1)].map(|step| {
            let (mut decoder, mut out) = (Decoder::default(), String::new());
            bytes.chunks(step).for_each(|piece| decoder.push(piece, &mut out));
            decoder.finish(&mut out);
            (out, decoder.broken().is_some())
        });
        assert_eq!(found[0], found[1]);
        std::mem::take(&mut found[0])
    }

    fn utf16(text: &str) -> Vec<u8> {
        [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect()
    }

    #[test]
    fn encodings_are_found_by_mark_and_declaration() {
        assert_eq!(decoded("\u{feff}<a>é</a>".as_bytes()), ("<a>é</a>".to_owned(), false));
        assert_eq!(decoded(&utf16("<a>é\u{1f600}</a>")), ("<a>é\u{1f600}</a>".to_owned(), false));
        assert_eq!(decoded(&utf16("<a/>")[2..]), ("<a/>".to_owned(), false));
        let latin = b"<?xml version='1.0' encoding='ISO-8859-1'?><a>caf\xe9</a>";
        assert!(decoded(latin).0.ends_with("<a>café</a>"));
        assert_eq!(decoded(b""), (String::new(), false));
    }

    #[test]
    fn what_is_before_a_wrong_byte_is_kept() {
        assert_eq!(decoded(b"<a>caf\xe9</a>"), ("<a>caf".to_owned(), true));
        assert_eq!(decoded(b"<abc>\xc3"), ("<abc>".to_owned(), true));
        assert!(decoded(b"<?xml version='1.0' encoding='EBCDIC-CP-US'?><a/>").1);
        let mut half = utf16("<a>");
        half.extend([0xd8, 0x00, 0x00, 0x41]);
        assert_eq!(decoded(&half), ("<a>".to_owned(), true));
    }
}
