//! A shard's header as it lies on disk, and the blocks that it places.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::codes;
use crate::{
    error::{Error, Result},
    words::Word,
};

/// A shard's first bytes.
pub const MAGIC: [u8; 4] = *b"TWH1";
/// The header that every shard has.
pub const SHORT_HEADER_LEN: u64 = 64;
/// The header with the offsets of metadata and checksums.
pub const HEADER_LEN: u64 = 80;
/// The version of shards that is read and written.
pub const SHARD_VERSION: u32 = 1;
/// Channels of an image.
pub const CHANNELS: u32 = 3;

/// In the field of the type: boxes and masks are f32, whatever the images are.
const F32_BOXES: u32 = 0x100;

/// The type of a block's elements. The words are those of the manifest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub enum Dtype {
    /// Four bytes, from 0 to 1.
    #[default]
    F32,
    /// Two bytes, from 0 to 1: gives back every value of a picture of 8 bits.
    F16,
    /// One byte, from 0 to 255: an extension of Forebay's, for images only.
    U8,
}

impl Dtype {
    /// Bytes of an element.
    pub const fn size(self) -> u64 {
        match self {
            Dtype::F32 => 4,
            Dtype::F16 => 2,
            Dtype::U8 => 1,
        }
    }
    /// The number in a header.
    pub const fn code(self) -> u32 {
        match self {
            Dtype::F32 => 0,
            Dtype::F16 => 1,
            Dtype::U8 => 2,
        }
    }
    fn from_code(code: u32) -> Option<Self> {
        [Dtype::F32, Dtype::F16, Dtype::U8].into_iter().find(|dtype| dtype.code() == code)
    }
    /// The word for it in options and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Dtype::F32 => "f32",
            Dtype::F16 => "f16",
            Dtype::U8 => "u8",
        }
    }
}

impl Word for Dtype {
    const ALL: &'static [Self] = &[Dtype::F32, Dtype::F16, Dtype::U8];

    fn word(self) -> &'static str {
        self.name()
    }
}

/// The byte order of a shard's elements. The words are those of the manifest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Endianness {
    /// The lowest byte first.
    #[default]
    Little,
    /// The highest byte first.
    Big,
}

/// What all samples of a shard have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shape {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Places for boxes.
    pub max_boxes: u32,
    /// The type of the pixels.
    pub dtype: Dtype,
    /// The type of boxes and masks.
    pub boxes_dtype: Dtype,
    /// The byte order of all of them.
    pub endianness: Endianness,
}

impl Shape {
    /// Little-endian, with boxes in the type of the pixels; beside u8, which cannot hold them, in f32.
    pub const fn new(width: u32, height: u32, max_boxes: u32, dtype: Dtype) -> Self {
        let boxes_dtype = match dtype {
            Dtype::U8 => Dtype::F32,
            other => other,
        };
        Shape { width, height, max_boxes, dtype, boxes_dtype, endianness: Endianness::Little }
    }
    /// With boxes and masks in f32.
    #[must_use]
    pub const fn with_f32_boxes(mut self) -> Self {
        self.boxes_dtype = Dtype::F32;
        self
    }
    /// In this byte order.
    #[must_use]
    pub const fn with_endianness(mut self, endianness: Endianness) -> Self {
        self.endianness = endianness;
        self
    }

    /// Elements of an image.
    pub fn pixels(&self) -> Option<u64> {
        u64::from(self.width).checked_mul(self.height.into())?.checked_mul(CHANNELS.into())
    }
    /// Bytes of an image; none where there is no such number.
    pub fn image_len(&self) -> Option<u64> {
        self.pixels()?.checked_mul(self.dtype.size())
    }
    /// Bytes of a sample's boxes.
    pub const fn boxes_len(&self) -> u64 {
        self.max_boxes as u64 * 4 * self.boxes_dtype.size()
    }
    /// Bytes of a sample's mask.
    pub const fn mask_len(&self) -> u64 {
        self.max_boxes as u64 * self.boxes_dtype.size()
    }
}

/// A shard's header.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShardHeader {
    /// What the samples have in common.
    pub shape: Shape,
    /// How many there are.
    pub samples: u64,
    /// Where the images begin.
    pub image_offset: u64,
    /// Where the boxes begin.
    pub boxes_offset: u64,
    /// Where the masks begin.
    pub mask_offset: u64,
    /// Where the metadata of the samples begins; 0 where there is none.
    pub meta_offset: u64,
    /// Where the checksums of the blocks begin; 0 where there are none.
    pub checksum_offset: u64,
    /// Bytes of the header: 64 or 80.
    pub len: u64,
}

/// Where the blocks of a shard lie in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Blocks {
    /// The images, one after the other.
    pub images: Range<u64>,
    /// The boxes.
    pub boxes: Range<u64>,
    /// The masks.
    pub mask: Range<u64>,
}

fn at(section: &'static str, offset: u64) -> impl Fn(Error) -> Error {
    move |e| e.section(section).offset(offset)
}

impl ShardHeader {
    /// Reads a header from the first bytes of a shard: 80, or all that it has.
    ///
    /// The field of the byte order says how the elements are stored. A header whose own numbers are written with the
    /// highest byte first is read too: then that field is `00 00 00 01`.
    pub fn parse(head: &[u8]) -> Result<Self> {
        let whole = head.first_chunk::<4>();
        if whole.is_some_and(|magic| *magic != MAGIC) {
            return Err(at("header", 0)(Error::new(&codes::MAGIC, "the file does not begin with TWH1")));
        }
        if (head.len() as u64) < SHORT_HEADER_LEN {
            let message = format!("a header has 64 bytes or more, the file has {}", head.len());
            return Err(at("header", head.len() as u64)(Error::new(&codes::TRUNCATED, message)));
        }
        let big = head.get(12..16) == Some(&[0, 0, 0, 1]);
        let u32_at = |place: usize| {
            let bytes = head.get(place..).and_then(<[u8]>::first_chunk::<4>).copied().unwrap_or_default();
            if big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
        };
        let u64_at = |place: usize| {
            let bytes = head.get(place..).and_then(<[u8]>::first_chunk::<8>).copied().unwrap_or_default();
            if big { u64::from_be_bytes(bytes) } else { u64::from_le_bytes(bytes) }
        };
        let version = u32_at(4);
        if version != SHARD_VERSION {
            return Err(at("header", 4)(Error::new(&codes::VERSION, format!("the shard is of version {version}"))));
        }
        let (dtype, boxes_dtype) = dtypes(u32_at(8)).map_err(at("header", 8))?;
        let endianness = match u32_at(12) {
            0 => Endianness::Little,
            1 => Endianness::Big,
            other => {
                let message = format!("byte order {other} is neither 0 for little nor 1 for big");
                return Err(at("header", 12)(Error::new(&codes::ENDIANNESS, message)));
            }
        };
        let (width, height, channels) = (u32_at(16), u32_at(20), u32_at(24));
        if channels != CHANNELS {
            let message = format!("images have {channels} channels; 3 are read");
            return Err(at("header", 24)(Error::new(&codes::CHANNELS, message)));
        }
        if width == 0 || height == 0 {
            return Err(at("header", 16)(Error::new(&codes::SHAPE, format!("images are {width} x {height}"))));
        }
        let shape = Shape { width, height, max_boxes: u32_at(28), dtype, boxes_dtype, endianness };
        let (image_offset, boxes_offset, mask_offset) = (u64_at(40), u64_at(48), u64_at(56));
        // The offsets behind byte 64 are there only where no block is.
        let first = image_offset.min(boxes_offset).min(mask_offset);
        let long = first >= HEADER_LEN && head.len() as u64 >= HEADER_LEN;
        Ok(ShardHeader {
            shape,
            samples: u64_at(32),
            image_offset,
            boxes_offset,
            mask_offset,
            meta_offset: if long { u64_at(64) } else { 0 },
            checksum_offset: if long { u64_at(72) } else { 0 },
            len: if long { HEADER_LEN } else { SHORT_HEADER_LEN },
        })
    }

    /// The header of 80 bytes. Its own numbers are little-endian, whatever the elements are, so that every reader
    /// can find out what they are.
    pub fn encode(&self) -> [u8; HEADER_LEN as usize] {
        let shape = &self.shape;
        let flag = if shape.boxes_dtype == Dtype::F32 && shape.dtype != Dtype::F32 { F32_BOXES } else { 0 };
        let words = [
            SHARD_VERSION,
            shape.dtype.code() | flag,
            u32::from(shape.endianness == Endianness::Big),
            shape.width,
            shape.height,
            CHANNELS,
            shape.max_boxes,
        ];
        let offsets = [
            self.samples,
            self.image_offset,
            self.boxes_offset,
            self.mask_offset,
            self.meta_offset,
            self.checksum_offset,
        ];
        let mut bytes = [0; HEADER_LEN as usize];
        let fields = MAGIC.into_iter().chain(words.iter().flat_map(|word| word.to_le_bytes()));
        let fields = fields.chain(offsets.iter().flat_map(|offset| offset.to_le_bytes()));
        bytes.iter_mut().zip(fields).for_each(|(byte, field)| *byte = field);
        bytes
    }

    /// Where the blocks lie in a file of this many bytes, and all that is wrong with that. There are no blocks where
    /// one has no place.
    pub fn blocks(&self, file_len: u64) -> (Option<Blocks>, Vec<Error>) {
        let shape = &self.shape;
        let mut faults = Vec::new();
        let mut place = |name: &'static str, field: u64, start: u64, each: Option<u64>| {
            let end = each.and_then(|each| each.checked_mul(self.samples)).and_then(|len| start.checked_add(len));
            let (code, message) = match end {
                Some(end) if end <= file_len => return Some(start..end),
                Some(end) if start <= file_len => {
                    (&codes::TRUNCATED, format!("the block ends at {end}, the file at {file_len}"))
                }
                Some(_) => (&codes::RANGE, format!("the block begins at {start}, the file ends at {file_len}")),
                None => (&codes::RANGE, format!("{} samples from {start} on have no end in a file", self.samples)),
            };
            faults.push(Error::new(code, message).section(name).offset(field));
            None
        };
        let images = place("images", 40, self.image_offset, shape.image_len());
        let boxes = place("boxes", 48, self.boxes_offset, Some(shape.boxes_len()));
        let mask = place("mask", 56, self.mask_offset, Some(shape.mask_len()));
        let (Some(images), Some(boxes), Some(mask)) = (images, boxes, mask) else { return (None, faults) };
        let mut taken =
            [("header", 0..self.len), ("images", images.clone()), ("boxes", boxes.clone()), ("mask", mask.clone())];
        taken.sort_by_key(|(_, range)| (range.start, range.end));
        let mut before: Option<&(&'static str, Range<u64>)> = None;
        for block in taken.iter().filter(|(_, range)| !range.is_empty()) {
            if let Some((name, range)) = before
                && block.1.start < range.end
            {
                let message = format!("the block begins at {}, {name} ends at {}", block.1.start, range.end);
                faults.push(Error::new(&codes::OVERLAP, message).section(block.0).offset(block.1.start));
            }
            if before.is_none_or(|(_, range)| range.end < block.1.end) {
                before = Some(block);
            }
        }
        (Some(Blocks { images, boxes, mask }), faults)
    }
}

/// The types of images and of boxes.
fn dtypes(field: u32) -> Result<(Dtype, Dtype)> {
    let unknown = || Error::new(&codes::DTYPE, format!("there is no type {field:#x} of elements"));
    let dtype = Dtype::from_code(field & !F32_BOXES).ok_or_else(unknown)?;
    if field & F32_BOXES != 0 {
        return Ok((dtype, Dtype::F32));
    }
    if dtype == Dtype::U8 {
        return Err(Error::new(&codes::DTYPE, "boxes and masks cannot be u8; the flag 0x100 says that they are f32"));
    }
    Ok((dtype, dtype))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(shape: Shape) -> ShardHeader {
        ShardHeader {
            shape,
            samples: 2,
            image_offset: 80,
            boxes_offset: 128,
            mask_offset: 160,
            meta_offset: 0,
            checksum_offset: 168,
            len: 80,
        }
    }

    #[test]
    fn a_header_comes_back_in_every_type_and_byte_order() {
        for dtype in [Dtype::F32, Dtype::F16, Dtype::U8] {
            for endianness in [Endianness::Little, Endianness::Big] {
                for shape in [Shape::new(2, 1, 1, dtype), Shape::new(2, 1, 1, dtype).with_f32_boxes()] {
                    let header = header(shape.with_endianness(endianness));
                    assert_eq!(ShardHeader::parse(&header.encode()).unwrap(), header);
                }
            }
        }
    }

    #[test]
    fn a_header_that_is_big_endian_itself_is_read() {
        let mut bytes = header(Shape::new(2, 1, 1, Dtype::F32).with_endianness(Endianness::Big)).encode();
        bytes[4..32].chunks_mut(4).for_each(<[u8]>::reverse);
        bytes[32..].chunks_mut(8).for_each(<[u8]>::reverse);
        let read = ShardHeader::parse(&bytes).unwrap();
        assert_eq!((read.samples, read.shape.endianness, read.checksum_offset), (2, Endianness::Big, 168));
    }

    #[test]
    fn offsets_behind_byte_64_are_read_only_where_no_block_is() {
        let mut short = header(Shape::new(2, 1, 1, Dtype::F32));
        (short.image_offset, short.boxes_offset, short.mask_offset) = (64, 112, 144);
        let read = ShardHeader::parse(&short.encode()).unwrap();
        assert_eq!((read.len, read.checksum_offset), (64, 0));
    }

    #[test]
    fn every_fault_of_the_blocks_is_found() {
        let mut bad = header(Shape::new(2, 1, 1, Dtype::F32));
        bad.image_offset = 72;
        bad.mask_offset = 130;
        let (_, faults) = bad.blocks(168);
        let codes: Vec<_> = faults.iter().map(|e| (e.code().id(), e.place().section)).collect();
        let overlap = codes::OVERLAP.id();
        assert_eq!(codes, [(overlap, Some("images")), (overlap, Some("mask"))]);
        bad.boxes_offset = u64::MAX;
        let (blocks, faults) = bad.blocks(100);
        assert!(blocks.is_none());
        assert_eq!(
            faults.iter().map(|e| e.code().id()).collect::<Vec<_>>(),
            [codes::TRUNCATED.id(), codes::RANGE.id(), codes::RANGE.id()]
        );
    }
}
