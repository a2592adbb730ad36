//! The members of a ZIP archive: payloads that have a header of their own in front.
//!
//! Where such a payload begins shows only in that header, so header and payload are read together.

use bytes::Bytes;

use super::model::SampleInfo;
use crate::{
    codec::{Codec, deflate::Inflater},
    error::{Code, Error, Result},
};

/// What is wrong if the header is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FrameCodes {
    pub header: &'static Code,
}

/// What is known of the header before it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    /// Bytes from the header to where the payload has ended.
    pub room: u64,
    /// Bytes that the header has at least.
    pub lead: u64,
    pub codes: &'static FrameCodes,
}

const SIGNATURE: &[u8; 4] = b"PK\x03\x04";
/// The header's fixed part.
const FIXED: usize = 30;
/// Extra fields of most headers have fewer bytes than this.
const USUAL_EXTRA: u64 = 256;
/// The sizes stand behind the payload.
const SIZES_FOLLOW: u16 = 1 << 3;
/// The payload, or the header, is encrypted.
const ENCRYPTED: u16 = 1 | 1 << 6 | 1 << 13;

impl Member {
    /// Bytes that have the first `most` of a payload in them.
    pub fn first(&self, most: u64) -> u64 {
        self.lead.saturating_add(USUAL_EXTRA).saturating_add(most).min(self.room)
    }

    /// The payload as it is stored, among bytes that begin with its header; as much of it as is there.
    fn behind(&self, bytes: &Bytes, info: &SampleInfo) -> Result<Bytes> {
        let wrong = |message: String| Error::new(self.codes.header, message);
        let Some(header) = bytes.first_chunk::<FIXED>().filter(|header| header.starts_with(SIGNATURE)) else {
            return Err(wrong("there is no header of a member where the directory says".to_owned()));
        };
        let short = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
        let (flags, method) = (short(6), short(8));
        if flags & ENCRYPTED != 0 {
            return Err(wrong("the member is encrypted, and the directory says that it is not".to_owned()));
        }
        if method != if info.codec == Codec::Deflate { 8 } else { 0 } {
            return Err(wrong(format!("the member is stored by method {method}, and the directory says another")));
        }
        let size = u32::from_le_bytes([header[18], header[19], header[20], header[21]]);
        if flags & SIZES_FOLLOW == 0 && size != u32::MAX && u64::from(size) != info.stored_bytes {
            return Err(wrong(format!(
                "the member declares {size} bytes here, and {} in the directory",
                info.stored_bytes
            )));
        }
        let start = FIXED + usize::from(short(26)) + usize::from(short(28));
        let end = usize::try_from(info.stored_bytes).ok().and_then(|n| start.checked_add(n));
        let Some(end) = end.filter(|&end| end as u64 <= self.room) else {
            return Err(wrong(format!("the member's header has {start} bytes, which leave too few for its payload")));
        };
        Ok(bytes.slice(start.min(bytes.len())..end.min(bytes.len())))
    }

    /// The payload as it is stored.
    pub fn stored(&self, bytes: &Bytes, info: &SampleInfo) -> Result<Bytes> {
        self.behind(bytes, info)
    }

    /// At most the first `most` bytes of the payload, of bytes that begin with its header and may be cut.
    pub fn front(&self, bytes: &Bytes, info: &SampleInfo, most: usize) -> Result<Bytes> {
        let stored = self.behind(bytes, info)?;
        Ok(match info.codec {
            Codec::Deflate => Inflater::default().inflate_front(&stored, most.min(capped(info.bytes)))?.into(),
            _ => stored.slice(..stored.len().min(most)),
        })
    }
}

fn capped(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}
