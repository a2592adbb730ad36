//! A shard as it is written: where everything goes, and what proves it.

use super::{
    checksums::{Checksums, Digest},
    codes,
    element::{from_f32, from_pixels},
    manifest::ShardEntry,
    metadata::{RecordsWriter, SampleRecord},
    raw::{Dtype, HEADER_LEN, Shape, ShardHeader},
};
use crate::{
    codec::checksum::{Crc32, crc32},
    error::{Error, Result},
};

/// Blocks begin at multiples of this, so that numbers lie where machines read them at once. The first builder's do so
/// by themselves.
const ALIGN: u64 = 4;
/// Bytes that are summed in every way before the next are.
const PART: usize = 32 << 10;

/// Writes a shard: images as they come, each at the position that it is told, and the rest behind them.
///
/// It keeps boxes, masks, metadata and checksums, a few hundred bytes a sample, and no pixels.
///
/// ```
/// use forebay::warehouse::{Dtype, Manifest, SampleRecord, Shape, ShardWriter};
/// let shape = Shape::new(2, 1, 4, Dtype::F16).with_f32_boxes();
/// // How many samples there will be. Fewer are not a mistake; they cost a look at the file for its digest.
/// let mut shard = ShardWriter::new(shape, 2)?;
/// let mut file = Vec::new();
/// for frame in [7, 8] {
///     // Red and black: channel by channel, row by row.
///     let image = shard.image_bytes(&[255, 0, 0, 0, 0, 0])?;
///     let mut record = SampleRecord::new();
///     record.frame_id = Some(frame);
///     let at = shard.add(&image, &[[0.0, 0.0, 0.5, 1.0]], Some(&record))?;
///     // The host writes the bytes there.
///     file.resize(at as usize, 0);
///     file.extend(image);
/// }
/// let done = shard.finish()?;
/// file.extend(&done.tail);
/// file[..80].copy_from_slice(&done.header);
/// assert_eq!((done.tail_at, done.len), (80 + 2 * 12, file.len() as u64));
/// // What the manifest says of it, with the SHA-256 of the file.
/// let entry = done.entry(0);
/// assert_eq!((entry.relative_path.as_str(), entry.samples), ("shard_00000.bin", 2));
/// assert_eq!(entry.checksum_sha256, Some(forebay::warehouse::sha256(&file)));
/// # Ok::<(), forebay::Error>(())
/// ```
#[derive(Debug)]
pub struct ShardWriter {
    shape: Shape,
    image_len: u64,
    expected: u64,
    plain: bool,
    samples: u64,
    boxes: Vec<u8>,
    mask: Vec<u8>,
    records: RecordsWriter,
    sums: Checksums,
    /// Of the header for as many samples as are expected, and of all images. None where there will be fewer.
    digest: Option<Digest>,
}

/// A shard whose images were written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FinishedShard {
    /// The first bytes of the file.
    pub header: [u8; HEADER_LEN as usize],
    /// Where the tail goes: behind the last image.
    pub tail_at: u64,
    /// Boxes, masks, checksums and metadata.
    pub tail: Vec<u8>,
    /// Bytes of the file.
    pub len: u64,
    /// How many samples it has.
    pub samples: u64,
    /// What they have in common.
    pub shape: Shape,
    /// The SHA-256 of the file. None where there are not as many samples as were expected: then the file must be read
    /// for it, by [`Digest`].
    pub sha256: Option<String>,
}

impl FinishedShard {
    /// What the manifest says of it, as the shard of this number.
    pub fn entry(&self, number: usize) -> ShardEntry {
        ShardEntry::new(number, &self.shape, self.samples, self.sha256.clone())
    }
}

fn cannot(message: impl Into<String>) -> Error {
    Error::new(&codes::CANNOT_HOLD, message)
}

impl ShardWriter {
    /// For samples of this shape, of which `expected` are to come.
    pub fn new(shape: Shape, expected: u64) -> Result<Self> {
        if shape.width == 0 || shape.height == 0 {
            return Err(cannot(format!("images of {} x {} have no pixels", shape.width, shape.height)));
        }
        if shape.boxes_dtype == Dtype::U8 || (shape.boxes_dtype == Dtype::F16 && shape.dtype != Dtype::F16) {
            return Err(cannot(format!(
                "boxes of {} images cannot be {}",
                shape.dtype.name(),
                shape.boxes_dtype.name()
            )));
        }
        let image_len = shape.image_len().ok_or_else(|| cannot("an image has more bytes than a file can have"))?;
        let mut writer = ShardWriter {
            shape,
            image_len,
            expected,
            plain: false,
            samples: 0,
            boxes: Vec::new(),
            mask: Vec::new(),
            records: RecordsWriter::default(),
            sums: Checksums::default(),
            digest: None,
        };
        writer.begin()?;
        Ok(writer)
    }

    fn begin(&mut self) -> Result<()> {
        let header = self.header(self.expected)?.encode();
        self.digest.insert(Digest::default()).add(&header);
        Ok(())
    }

    /// Without checksums and metadata: byte for byte what the first builder writes.
    pub fn plain(mut self) -> Result<Self> {
        self.plain = true;
        self.begin()?;
        Ok(self)
    }

    /// What the samples have in common.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }
    /// How many samples there are.
    pub fn samples(&self) -> u64 {
        self.samples
    }
    /// Bytes of an image.
    pub fn image_len(&self) -> u64 {
        self.image_len
    }
    /// Where the image of sample `k` goes, however many there will be: so that images can be written in any order.
    pub(crate) fn image_at(&self, k: u64) -> Result<u64> {
        k.checked_mul(self.image_len)
            .and_then(|n| n.checked_add(HEADER_LEN))
            .ok_or_else(|| cannot("a shard has more bytes than a file can have"))
    }

    /// An image's bytes, from pixels of 8 bits: channel by channel, row by row.
    pub fn image_bytes(&self, pixels: &[u8]) -> Result<Vec<u8>> {
        if Some(pixels.len() as u64) != self.shape.pixels() {
            let Shape { width, height, .. } = self.shape;
            return Err(cannot(format!("{} values are not an image of 3 x {height} x {width}", pixels.len())));
        }
        let mut bytes = Vec::new();
        from_pixels(self.shape.dtype, self.shape.endianness, pixels, &mut bytes);
        Ok(bytes)
    }

    /// Takes the next sample in and says where its image goes. `image` are its bytes as they are written; boxes are
    /// corners from 0 to 1, left, top, right, bottom.
    pub fn add(&mut self, image: &[u8], boxes: &[[f32; 4]], record: Option<&SampleRecord>) -> Result<u64> {
        let most = self.shape.max_boxes as usize;
        if image.len() as u64 != self.image_len {
            return Err(cannot(format!("an image has {} bytes, this one {}", self.image_len, image.len())));
        }
        if boxes.len() > most {
            return Err(cannot(format!("there are {} boxes, and places for {most}", boxes.len())));
        }
        if let Some(bad) = boxes.iter().find(|bounds| !is_box(bounds)) {
            return Err(cannot(format!(
                "{bad:?} is not a box: corners lie from 0 to 1, left before right, top before bottom"
            )));
        }
        if self.plain && record.is_some() {
            return Err(cannot("the first builder's shards have no metadata"));
        }
        let at = self.image_at(self.samples)?;
        let (dtype, endianness) = (self.shape.boxes_dtype, self.shape.endianness);
        from_f32(dtype, endianness, boxes.as_flattened(), &mut self.boxes);
        self.mask.reserve(most * dtype.size() as usize);
        (0..most).for_each(|k| {
            let there = if k < boxes.len() { 1.0 } else { 0.0 };
            from_f32(dtype, endianness, &[there], &mut self.mask);
        });
        self.samples += 1;
        self.boxes.resize(usize::try_from(self.samples * self.shape.boxes_len()).unwrap_or(usize::MAX), 0);
        self.records.add(record)?;
        self.sum(image);
        Ok(at)
    }

    /// Takes an image into the checksums, all of them while a part of it is near.
    fn sum(&mut self, image: &[u8]) {
        let mut crc = Crc32::default();
        for part in image.chunks(PART) {
            if !self.plain {
                crc.update(part);
            }
            if let Some(digest) = &mut self.digest {
                digest.add(part);
            }
        }
        if !self.plain {
            self.sums.images.push(crc.finish());
        }
    }

    /// Says that there will be fewer samples than were expected. Their number stands before them, so their digest would
    /// not be the file's, and is not made any further.
    pub fn expect_fewer(&mut self) {
        self.digest = None;
    }

    /// The header for this many samples. The block of checksums follows the masks, so that its place and that of the
    /// metadata behind it are known before the first sample is.
    fn header(&self, samples: u64) -> Result<ShardHeader> {
        let too_large = || cannot(format!("a shard of {samples} samples has more bytes than a file can have"));
        let after = |at: u64, each: u64| at.checked_add(each.checked_mul(samples)?)?.checked_next_multiple_of(ALIGN);
        let places = || {
            let boxes = after(HEADER_LEN, self.image_len)?;
            let mask = after(boxes, self.shape.boxes_len())?;
            let sums = after(mask, self.shape.mask_len())?;
            Some((boxes, mask, sums, sums.checked_add(Checksums::len_of(samples)?)?))
        };
        let (boxes_offset, mask_offset, sums, meta) = places().ok_or_else(too_large)?;
        Ok(ShardHeader {
            shape: self.shape,
            samples,
            image_offset: HEADER_LEN,
            boxes_offset,
            mask_offset,
            meta_offset: if self.plain { 0 } else { meta },
            checksum_offset: if self.plain { 0 } else { sums },
            len: HEADER_LEN,
        })
    }

    /// What is left to be written.
    pub fn finish(mut self) -> Result<FinishedShard> {
        let header = self.header(self.samples)?;
        let tail_at = self.image_at(self.samples)?;
        let mut tail = Vec::new();
        let mut put = |at: u64, bytes: &[u8]| {
            tail.resize(usize::try_from(at - tail_at).unwrap_or(usize::MAX), 0);
            tail.extend_from_slice(bytes);
        };
        put(header.boxes_offset, &self.boxes);
        put(header.mask_offset, &self.mask);
        let encoded = header.encode();
        if !self.plain {
            // A block is always there, so that the header does not depend on what comes.
            let meta = self.records.block();
            (self.sums.header, self.sums.boxes) = (crc32(&encoded), crc32(&self.boxes));
            (self.sums.mask, self.sums.meta) = (crc32(&self.mask), crc32(&meta));
            put(header.checksum_offset, &self.sums.encode());
            put(header.meta_offset, &meta);
        }
        let digest = self.digest.filter(|_| self.samples == self.expected);
        let sha256 = digest.map(|mut digest| {
            digest.add(&tail);
            digest.finish()
        });
        Ok(FinishedShard {
            header: encoded,
            tail_at,
            len: tail_at + tail.len() as u64,
            tail,
            samples: self.samples,
            shape: self.shape,
            sha256,
        })
    }
}

/// Whether corners are those of a box: from 0 to 1, left not behind right and top not below bottom.
pub(super) fn is_box(&[left, top, right, bottom]: &[f32; 4]) -> bool {
    // What is not a number is in no range.
    [left, top, right, bottom].iter().all(|x| (0.0..=1.0).contains(x)) && left <= right && top <= bottom
}
