//! One header block: 512 bytes, in any dialect.

use std::fmt;

use ::tar::{EntryType, Header};

use super::codes;
use crate::error::{Error, Result};

/// Everything in an archive comes in blocks of this many bytes.
pub(super) const BLOCK: usize = 512;

/// What a header announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A regular file, or a kind that POSIX says to read as one.
    File,
    /// A folder. It has no payload, whatever its size field says.
    Directory,
    /// GNU's list of a folder's files, with a payload.
    DumpDirectory,
    /// A symbolic or hard link, without a payload.
    Link,
    /// A device, a pipe or a volume label, without a payload.
    Special,
    /// The payload is the next member's name.
    LongName,
    /// The payload is the next member's link target.
    LongLink,
    /// The payload is PAX records for the next member.
    Pax,
    /// The payload is PAX records for all members that follow.
    GlobalPax,
    /// The payload is not the file's bytes as they are.
    Unsupported(&'static str),
}

/// A block whose checksum is right.
#[derive(Clone, Copy)]
pub(super) struct HeaderBlock<'a>(&'a Header);

impl fmt::Debug for HeaderBlock<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("HeaderBlock").field(&self.kind()).finish()
    }
}

impl<'a> HeaderBlock<'a> {
    /// Verifies the checksum.
    pub(super) fn new(block: &'a [u8; BLOCK]) -> Result<Self> {
        let header = Header::from_byte_slice(block);
        let stored = header.cksum().map_err(|_| Error::new(&codes::CHECKSUM, "the checksum is not a number"))?;
        let unsigned = sum(block);
        // Some old programs added the bytes up as signed ones.
        if stored != unsigned && i64::from(stored) != signed_sum(block, unsigned) {
            return Err(Error::new(
                &codes::CHECKSUM,
                format!("the header's checksum is {stored} and its bytes add up to {unsigned}"),
            ));
        }
        Ok(HeaderBlock(header))
    }

    pub(super) fn kind(self) -> Kind {
        match self.0.entry_type() {
            EntryType::Directory => Kind::Directory,
            EntryType::Link | EntryType::Symlink => Kind::Link,
            EntryType::Char | EntryType::Block | EntryType::Fifo => Kind::Special,
            EntryType::GNULongName => Kind::LongName,
            EntryType::GNULongLink => Kind::LongLink,
            EntryType::XHeader => Kind::Pax,
            EntryType::XGlobalHeader => Kind::GlobalPax,
            EntryType::GNUSparse => Kind::Unsupported("a GNU sparse file"),
            other => match other.as_byte() {
                b'X' => Kind::Pax, // Solaris, before POSIX chose `x`
                b'D' => Kind::DumpDirectory,
                b'V' => Kind::Special,
                b'M' => Kind::Unsupported("the rest of a file that began in another volume"),
                b'N' => Kind::Unsupported("a name list of an old GNU tar"),
                _ => Kind::File,
            },
        }
    }

    /// The size field: octal with blanks anywhere around it, or base-256.
    pub(super) fn size(self) -> Result<u64> {
        let field = &self.0.as_old().size;
        if field[0] & 0x80 != 0 && (field[0] != 0x80 || field[1..4] != [0; 3]) {
            return Err(Error::new(&codes::NUMBER, "the size is negative or does not fit 64 bits"));
        }
        self.0.entry_size().map_err(|_| {
            Error::new(&codes::NUMBER, format!("the size \"{}\" is not an octal number", field.escape_ascii()))
        })
    }

    /// True for a header that is beyond doubt: with the magic of POSIX or GNU, and with a name.
    pub(super) fn is_of_posix_or_gnu(self) -> bool {
        let bytes = self.0.as_bytes();
        bytes[0] != 0 && matches!(&bytes[257..265], b"ustar\x0000" | b"ustar  \0")
    }

    /// True if headers of a sparse file of GNU follow this one.
    pub(super) fn has_more_of_sparse(self) -> bool {
        self.0.entry_type() == EntryType::GNUSparse && self.0.as_bytes()[482] != 0
    }

    /// The two parts of the name; the first is empty if there is no prefix.
    pub(super) fn name(self) -> (&'a [u8], &'a [u8]) {
        let bytes = self.0.as_bytes();
        // Only POSIX has a prefix here. GNU's own magic, "ustar  ", means times at this place.
        let prefix = if bytes[257..263] == *b"ustar\0" { until_nul(&bytes[345..500]) } else { &[] };
        (prefix, until_nul(&bytes[..100]))
    }
}

/// The bytes before the first NUL.
pub(super) fn until_nul(field: &[u8]) -> &[u8] {
    field.split(|&b| b == 0).next().unwrap_or_default()
}

/// How many bytes follow a payload to fill its last block.
pub(super) const fn padding_of(size: u64) -> u64 {
    size.wrapping_neg() % BLOCK as u64
}

const CHECKSUM_FIELD: std::ops::Range<usize> = 148..156;

/// The sum of the bytes, the checksum field taken as blanks.
fn sum(block: &[u8; BLOCK]) -> u32 {
    let all: u32 = block.iter().map(|&b| u32::from(b)).sum();
    let field: u32 = block[CHECKSUM_FIELD].iter().map(|&b| u32::from(b)).sum();
    all - field + 8 * u32::from(b' ')
}

fn signed_sum(block: &[u8; BLOCK], unsigned: u32) -> i64 {
    let outside = block[..CHECKSUM_FIELD.start].iter().chain(&block[CHECKSUM_FIELD.end..]);
    i64::from(unsigned) - 256 * outside.filter(|&&b| b >= 0x80).count() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_fills_the_last_block() {
        assert_eq!([0, 1, 511, 512, 513, u64::MAX].map(padding_of), [0, 511, 1, 0, 511, 1]);
    }

    #[test]
    fn a_header_summed_with_signed_bytes_is_accepted() {
        let mut header = Header::new_old();
        header.as_old_mut().name[..2].copy_from_slice(&[b'a', 0xe9]);
        header.set_size(7);
        header.set_cksum();
        let unsigned = header.cksum().unwrap();
        assert!(HeaderBlock::new(header.as_bytes()).is_ok());
        let field = format!("{:06o}\0 ", unsigned - 256);
        header.as_old_mut().cksum.copy_from_slice(field.as_bytes());
        assert_eq!(HeaderBlock::new(header.as_bytes()).unwrap().size().unwrap(), 7);
    }
}
