//! Reading little-endian fields from bytes that lie somewhere in a file.
//!
//! A [`Cursor`] knows the file offset of its first byte, so running out of bytes is an error that names the
//! place.

use crate::error::{Code, Error, Result};

/// A position in a slice of a file.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    data: &'a [u8],
    at: usize,
    base: u64,
    section: &'static str,
    truncated: &'static Code,
}

macro_rules! fixed {
    ($($name:ident $t:ty),*) => {$(
        #[doc = concat!("Reads a little-endian `", stringify!($t), "`.")]
        pub fn $name(&mut self) -> Result<$t> {
            Ok(<$t>::from_le_bytes(self.array()?))
        }
    )*};
}

impl<'a> Cursor<'a> {
    /// Reads `data`, whose first byte lies at `base` in the file, in the part named `section`; running out
    /// of bytes is an error with the code `truncated`.
    pub fn new(data: &'a [u8], base: u64, section: &'static str, truncated: &'static Code) -> Self {
        Cursor { data, at: 0, base, section, truncated }
    }
    /// The file offset of the next byte.
    pub fn offset(&self) -> u64 {
        self.base + self.at as u64
    }
    /// How many bytes were read.
    pub fn position(&self) -> usize {
        self.at
    }
    /// How many bytes are left.
    pub(crate) fn remaining(&self) -> usize {
        self.data.len() - self.at
    }
    /// True when every byte was read.
    pub fn is_empty(&self) -> bool {
        self.remaining() == 0
    }
    /// The bytes that are left, without reading them.
    pub fn rest(&self) -> &'a [u8] {
        &self.data[self.at..]
    }
    /// An error at the next byte, in this section.
    pub fn error(&self, code: &'static Code, message: impl Into<String>) -> Error {
        Error::new(code, message).section(self.section).offset(self.offset())
    }
    /// The next `n` bytes.
    pub fn take(&mut self, n: usize) -> Result<&'a [u8]> {
        let end = self.at.checked_add(n).filter(|&end| end <= self.data.len());
        let Some(end) = end else {
            return Err(self.error(self.truncated, format!("{n} bytes are needed and {} are left", self.remaining())));
        };
        let bytes = &self.data[self.at..end];
        self.at = end;
        Ok(bytes)
    }
    /// The next `n` bytes, where `n` is a number from the file.
    pub(crate) fn take_u64(&mut self, n: u64) -> Result<&'a [u8]> {
        match usize::try_from(n) {
            Ok(n) => self.take(n),
            Err(_) => {
                Err(self.error(self.truncated, format!("{n} bytes are needed and {} are left", self.remaining())))
            }
        }
    }
    /// The next `N` bytes as an array.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }
    fixed!(u8 u8, u16 u16, u32 u32, u64 u64, i8 i8, i16 i16, i32 i32, i64 i64, f32 f32, f64 f64);
}

#[cfg(test)]
mod tests {
    use super::*;
    const SHORT: Code = Code::damaged("test.short", "Short.");

    #[test]
    fn running_out_names_the_byte() {
        let mut c = Cursor::new(&[1, 0, 2], 100, "header", &SHORT);
        assert_eq!(c.u16().unwrap(), 1);
        let e = c.u32().unwrap_err();
        assert_eq!((e.code().id(), e.place().offset, e.place().section), ("test.short", Some(102), Some("header")));
        assert_eq!(c.u8().unwrap(), 2);
        assert!(c.take_u64(u64::MAX).is_err());
    }
}
