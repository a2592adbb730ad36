//! One sample's payload: which bytes to fetch and what to do with them.

use std::{ops::Range, sync::Arc};

use bytes::Bytes;

#[cfg(any(feature = "zip", feature = "doors"))]
use super::frame::Frame;
use super::model::SampleInfo;
use crate::{
    codec::{
        Codec,
        checksum::{crc16, crc32},
        packed::Tables,
    },
    error::{Code, Error, Result},
    limits::Limits,
};

/// How a payload proves that it is what was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Proof {
    /// Not at all.
    None,
    /// A CRC-32 of the stored bytes follows them.
    Crc32After,
    /// This CRC-16 of the decompressed bytes.
    Crc16(u16),
    /// This CRC-32 of the decompressed bytes.
    Crc32(u32),
    /// By what the record has that the payload is a part of.
    Inside,
}

/// A planned read of one sample: plain data, so a host can gather many, fetch their ranges as it likes and
/// decode them anywhere.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SamplePlan {
    /// The index entry of the sample.
    pub info: SampleInfo,
    /// How the payload is verified. Set it to [`Proof::None`] to read without verifying.
    pub proof: Proof,
    pub(crate) failed_proof: &'static Code,
    pub(crate) failed_codec: &'static Code,
    /// What the payload was packed with, if it was.
    tables: Option<Arc<Tables>>,
    /// What the payload is cut out of.
    #[cfg(any(feature = "zip", feature = "doors"))]
    frame: Option<Frame>,
}

impl SamplePlan {
    pub(crate) fn new(
        info: SampleInfo,
        proof: Proof,
        failed_proof: &'static Code,
        failed_codec: &'static Code,
    ) -> Self {
        SamplePlan {
            info,
            proof,
            failed_proof,
            failed_codec,
            tables: None,
            #[cfg(any(feature = "zip", feature = "doors"))]
            frame: None,
        }
    }

    /// Of a payload that was packed with these tables.
    pub(crate) fn packed(self, tables: Arc<Tables>) -> Self {
        SamplePlan { tables: Some(tables), ..self }
    }

    /// Of a payload that is cut out of what begins where the information says.
    #[cfg(any(feature = "zip", feature = "doors"))]
    pub(crate) fn framed(self, frame: Frame) -> Self {
        SamplePlan { frame: Some(frame), ..self }
    }

    /// Whether the payload lies in the file as it is, where and as long as the information says.
    #[doc(hidden)]
    pub fn is_plain(&self) -> bool {
        #[cfg(any(feature = "zip", feature = "doors"))]
        if self.frame.is_some() {
            return false;
        }
        self.info.codec == Codec::None
    }

    /// The bytes of the file that [`front`](Self::front) wants: what tells a picture's size, mostly.
    #[doc(hidden)]
    pub fn front_range(&self, most: u64) -> Range<u64> {
        let whole = self.info.range();
        #[cfg(any(feature = "zip", feature = "doors"))]
        if let Some(frame) = &self.frame {
            return whole.start..whole.start.saturating_add(frame.first(&self.info, most));
        }
        whole.start..whole.end.min(whole.start.saturating_add(most))
    }

    /// At most the first `most` bytes of the payload, of those of [`front_range`](Self::front_range): what is packed by
    /// the whole has none, and neither has what is damaged.
    #[doc(hidden)]
    pub fn front(&self, bytes: &Bytes, most: usize) -> Bytes {
        #[cfg(any(feature = "zip", feature = "doors"))]
        if let Some(frame) = &self.frame {
            return frame.front(bytes, &self.info, most).unwrap_or_default();
        }
        bytes.slice(..bytes.len().min(most))
    }

    /// The bytes of the file that [`decode`](Self::decode) wants: the stored payload, and its checksum where
    /// one follows it.
    pub fn range(&self) -> Range<u64> {
        let mut range = self.info.range();
        #[cfg(any(feature = "zip", feature = "doors"))]
        if let Some(frame) = &self.frame {
            range.end = range.start.saturating_add(frame.room(&self.info));
        }
        if self.proof == Proof::Crc32After {
            range.end = range.end.saturating_add(4);
        }
        range
    }

    /// Verifies and decompresses. `bytes` are those of [`range`](Self::range). A payload that is stored as it
    /// is comes back as a slice of `bytes`, not a copy.
    pub fn decode(&self, bytes: &Bytes, limits: &Limits) -> Result<Bytes> {
        self.payload(bytes, limits).map_err(|e| e.section("payload").sample(self.info.index).offset(self.info.offset))
    }

    /// As [`decode`](Self::decode), verified where `verify` says so; but of a packed JPEG its header alone, and behind that
    /// the coefficients as they are packed, with which a [`Decoder`](crate::image::decode::Decoder) that has the tables makes
    /// the same pixels sooner.
    #[cfg(feature = "packed")]
    #[doc(hidden)]
    pub fn half(&self, bytes: &Bytes, verify: bool, limits: &Limits) -> Result<(Bytes, Option<Arc<Tables>>)> {
        let whole =
            |plan: &SamplePlan| if verify { plan.decode(bytes, limits) } else { plan.decode_unverified(bytes, limits) };
        let Some(tables) = &self.tables else { return Ok((whole(self)?, None)) };
        let plain = SampleInfo { bytes: self.info.stored_bytes, codec: Codec::None, ..self.info.clone() };
        let packed = whole(&SamplePlan { info: plain, tables: None, ..self.clone() })?;
        let half = tables.half(&packed, limits.item(self.info.bytes)? as u64).map_err(|e| {
            Error::caused(self.failed_codec, e.message().to_owned(), e)
                .section("payload")
                .sample(self.info.index)
                .offset(self.info.offset)
        })?;
        Ok((half.into(), Some(tables.clone())))
    }

    /// As [`decode`](Self::decode), of the same bytes, without verifying.
    #[doc(hidden)]
    pub fn decode_unverified(&self, bytes: &Bytes, limits: &Limits) -> Result<Bytes> {
        let unproven = SamplePlan { proof: Proof::None, ..self.clone() };
        #[cfg(any(feature = "zip", feature = "doors"))]
        if self.frame.is_some() {
            return unproven.decode(bytes, limits);
        }
        // The checksum behind the payload is of no use.
        let stored = usize::try_from(self.info.stored_bytes).unwrap_or(usize::MAX);
        unproven.decode(&bytes.slice(..stored.min(bytes.len())), limits)
    }

    /// The stored payload among the bytes of [`range`](Self::range).
    fn stored(&self, bytes: &Bytes) -> Result<Bytes> {
        #[cfg(any(feature = "zip", feature = "doors"))]
        if let Some(frame) = &self.frame {
            return frame.stored(bytes, &self.info, self.proof != Proof::None);
        }
        if self.proof != Proof::Crc32After {
            return Ok(bytes.clone());
        }
        let (stored, crc) = bytes.split_at(bytes.len() - 4);
        let announced = u32::from_le_bytes([crc[0], crc[1], crc[2], crc[3]]);
        let found = crc32(stored);
        if announced != found {
            let message = format!("CRC-32 is {found:08x}, the file says {announced:08x}");
            return Err(Error::new(self.failed_proof, message));
        }
        Ok(bytes.slice(..bytes.len() - 4))
    }

    fn payload(&self, bytes: &Bytes, limits: &Limits) -> Result<Bytes> {
        let wanted = self.range();
        if bytes.len() as u64 != wanted.end - wanted.start {
            return Err(Error::new(
                &crate::error::codes::MISSING_BYTES,
                format!("{} bytes were planned and {} delivered", wanted.end - wanted.start, bytes.len()),
            ));
        }
        let stored = self.stored(bytes)?;
        let payload = match self.info.codec {
            Codec::None => stored,
            codec => {
                let restored = match &self.tables {
                    Some(tables) => tables.restore(&stored, self.info.bytes, limits),
                    None => codec.decompress(&stored, self.info.bytes, limits),
                };
                restored.map(Bytes::from).map_err(|e| match e.kind() {
                    crate::error::Kind::Damaged => Error::caused(self.failed_codec, e.message().to_owned(), e),
                    _ => e,
                })?
            }
        };
        if let Proof::Crc16(announced) = self.proof {
            let found = crc16(&payload);
            if announced != found {
                let message = format!("CRC-16 is {found:04x}, the file says {announced:04x}");
                return Err(Error::new(self.failed_proof, message));
            }
        }
        if let Proof::Crc32(announced) = self.proof {
            let found = crc32(&payload);
            if announced != found {
                let message = format!("CRC-32 is {found:08x}, the archive says {announced:08x}");
                return Err(Error::new(self.failed_proof, message));
            }
        }
        Ok(payload)
    }
}
