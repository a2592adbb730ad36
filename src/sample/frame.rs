//! Payloads that do not lie in the file by themselves: bytes around them are read with them, and they are cut out.

#[cfg(feature = "doors")]
use std::{fmt, sync::Arc};

use bytes::Bytes;

#[cfg(feature = "zip")]
use super::member::Member;
use super::model::SampleInfo;
use crate::error::Result;

/// Cuts the payload of a sample out of its record.
#[cfg(feature = "doors")]
#[doc(hidden)]
pub trait Cut: fmt::Debug + Send + Sync {
    /// The payload of sample `i`, of all bytes of its record; the record's own checksums are compared if `verify` says so.
    fn cut(&self, i: u64, record: &Bytes, verify: bool) -> Result<Bytes>;
}

/// How a payload is cut out of what is read.
#[derive(Clone, Debug)]
pub(crate) enum Frame {
    /// A header of its own stands in front.
    #[cfg(feature = "zip")]
    Member(Member),
    /// It is a part of a record, which lies where the information says.
    #[cfg(feature = "doors")]
    Record(Arc<dyn Cut>),
}

impl PartialEq for Frame {
    fn eq(&self, other: &Frame) -> bool {
        match (self, other) {
            #[cfg(feature = "zip")]
            (Frame::Member(a), Frame::Member(b)) => a == b,
            #[cfg(feature = "doors")]
            (Frame::Record(a), Frame::Record(b)) => std::ptr::addr_eq(Arc::as_ptr(a), Arc::as_ptr(b)),
            #[cfg(all(feature = "zip", feature = "doors"))]
            _ => false,
        }
    }
}

impl Eq for Frame {}

#[cfg_attr(
    not(all(feature = "zip", feature = "doors")),
    allow(unused_variables, reason = "either needs less than both")
)]
impl Frame {
    /// Bytes of the file, from where the information says, that are read for it.
    pub fn room(&self, info: &SampleInfo) -> u64 {
        match self {
            #[cfg(feature = "zip")]
            Frame::Member(member) => member.room,
            #[cfg(feature = "doors")]
            Frame::Record(_) => info.stored_bytes,
        }
    }

    /// Bytes that have the first `most` of a payload in them. Where in a record its payload is, only all of it says.
    #[cfg_attr(not(feature = "zip"), allow(unused_variables))]
    pub fn first(&self, info: &SampleInfo, most: u64) -> u64 {
        match self {
            #[cfg(feature = "zip")]
            Frame::Member(member) => member.first(most),
            #[cfg(feature = "doors")]
            Frame::Record(_) => info.stored_bytes,
        }
    }

    /// The payload as it is stored.
    pub fn stored(&self, bytes: &Bytes, info: &SampleInfo, verify: bool) -> Result<Bytes> {
        match self {
            #[cfg(feature = "zip")]
            Frame::Member(member) => member.stored(bytes, info),
            #[cfg(feature = "doors")]
            Frame::Record(cut) => cut.cut(info.index, bytes, verify),
        }
    }

    /// At most the first `most` bytes of the payload, of the [first](Self::first) bytes.
    pub fn front(&self, bytes: &Bytes, info: &SampleInfo, most: usize) -> Result<Bytes> {
        match self {
            #[cfg(feature = "zip")]
            Frame::Member(member) => member.front(bytes, info, most),
            #[cfg(feature = "doors")]
            Frame::Record(cut) => {
                let payload = cut.cut(info.index, bytes, false)?;
                Ok(payload.slice(..payload.len().min(most)))
            }
        }
    }
}
