//! PAX records: `LENGTH KEY=VALUE\n`, where the length counts itself and a value may hold newlines.

use super::{codes, raw::HeaderBlock};
use crate::error::{Error, Result};

/// What an extended header says about one field.
#[derive(Clone, Debug, Default)]
enum Setting<T> {
    #[default]
    Unset,
    /// Named with an empty value: the header block's own field counts again, whatever a global header said.
    Cleared,
    Set(T),
}

/// The records that matter for reading.
#[derive(Clone, Debug, Default)]
pub(super) struct Extension {
    path: Setting<Vec<u8>>,
    size: Setting<u64>,
    sparse: bool,
}

impl Extension {
    /// Takes in the records of one extended header; later ones win.
    pub(super) fn read(&mut self, body: &[u8]) -> Result<()> {
        for record in Records(body) {
            let (key, value) = record?;
            match key {
                b"path" if value.is_empty() => self.path = Setting::Cleared,
                b"path" if value.contains(&0) => {
                    return Err(Error::new(&codes::EXTENSION, "a PAX path has a NUL in it"));
                }
                b"path" => self.path = Setting::Set(value.to_vec()),
                b"size" if value.is_empty() => self.size = Setting::Cleared,
                b"size" => self.size = Setting::Set(decimal(value).ok_or_else(|| bad_size(value))?),
                _ if key.starts_with(b"GNU.sparse.") => self.sparse = true,
                _ => {}
            }
        }
        Ok(())
    }

    /// True when the payload is a GNU sparse file.
    pub(super) fn is_sparse(&self) -> bool {
        self.sparse
    }

    /// The path, by this extended header or else by the global one.
    pub(super) fn path<'a>(&'a self, global: &'a Extension) -> Option<&'a [u8]> {
        match (&self.path, &global.path) {
            (Setting::Set(path), _) | (Setting::Unset, Setting::Set(path)) => Some(path),
            _ => None,
        }
    }

    /// The size, by this extended header, or else by the global one, or else by the header block.
    pub(super) fn size(&self, global: &Extension, header: HeaderBlock<'_>) -> Result<u64> {
        match (&self.size, &global.size) {
            (Setting::Set(size), _) | (Setting::Unset, Setting::Set(size)) => Ok(*size),
            _ => header.size(),
        }
    }
}

fn decimal(digits: &[u8]) -> Option<u64> {
    // `parse` alone would take a sign.
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(digits).ok()?.parse().ok()
}

fn bad_size(value: &[u8]) -> Error {
    Error::new(&codes::NUMBER, format!("the PAX size \"{}\" is not a 64-bit number", value.escape_ascii()))
}

/// The records of an extended header's body.
struct Records<'a>(&'a [u8]);

impl<'a> Iterator for Records<'a> {
    type Item = Result<(&'a [u8], &'a [u8])>;

    fn next(&mut self) -> Option<Self::Item> {
        // Some writers fill the body with NULs.
        if self.0.iter().all(|&b| b == 0) {
            return None;
        }
        let (record, rest) = match split_record(self.0) {
            Some(found) => found,
            None => {
                let start = self.0[..self.0.len().min(40)].escape_ascii();
                let error = Error::new(&codes::EXTENSION, format!("a PAX record is malformed: \"{start}\""));
                self.0 = &[];
                return Some(Err(error));
            }
        };
        self.0 = rest;
        Some(Ok(record))
    }
}

type Record<'a> = (&'a [u8], &'a [u8]);

/// The first record as key and value, and what follows it.
fn split_record(body: &[u8]) -> Option<(Record<'_>, &[u8])> {
    // 20 digits hold any 64-bit number; a longer run of them is not a length.
    let blank = body.iter().take(21).position(|&b| b == b' ')?;
    let length = usize::try_from(decimal(&body[..blank])?).ok()?;
    let (record, rest) = body.split_at_checked(length)?;
    let (last, record) = record.split_last()?;
    let record = record.get(blank + 1..)?;
    let equals = record.iter().position(|&b| b == b'=')?;
    (*last == b'\n').then_some(((&record[..equals], &record[equals + 1..]), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_may_hold_newlines_and_equals_signs() {
        let body = b"13 path=a\nb=\n9 size=7\n\0\0";
        let records: Vec<_> = Records(body).map(Result::unwrap).collect();
        assert_eq!(records, [(&b"path"[..], &b"a\nb="[..]), (b"size", b"7")]);
    }

    #[test]
    fn malformed_records_are_errors() {
        for body in [&b"x"[..], b"99 path=a\n", b"0 =\n", b"2 \n", b"9 path=ab", b"7 path\n", b"+9 size=7\n", b" =\n"] {
            assert!(Extension::default().read(body).is_err(), "{}", body.escape_ascii());
        }
        for size in ["11 size=-7\n", "29 size=18446744073709551616\n"] {
            assert_eq!(Extension::default().read(size.as_bytes()).unwrap_err().code().id(), "tar.number", "{size}");
        }
    }
}
