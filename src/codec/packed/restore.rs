//! From a packed picture to its coefficients, and to the JPEG that it was.

use fearless_simd::{Level, dispatch};

use super::{
    bits::{Bytes, PAD, unfolded},
    channel::Channel,
    corrupt,
    decode::{Streams, decode},
    encode::{levels, segments, shapes},
    picture::Picture,
    planes::{LANES, LEVELS},
    scan::Writer,
    tables::Tables,
};
use crate::{codec::checksum::crc32, error::Result};

/// A packed picture whose front was read.
pub(super) struct Opened<'a> {
    data: &'a [u8],
    tables: &'a Tables,
    pub(super) picture: Picture,
    /// The JPEG up to its scan, and what follows that.
    header: Vec<u8>,
    behind: &'a [u8],
    crc: u32,
    pub(super) rows: usize,
    /// Where each stream begins, by level, segment and lane; and where the last one ends.
    starts: Vec<usize>,
    segments: usize,
}

impl<'a> Opened<'a> {
    /// Reads the front of a picture that becomes `size` bytes, with the codes of the JPEG or without. `data` may lack its end,
    /// of levels that are not wanted.
    pub(super) fn new(data: &'a [u8], size: usize, tables: &'a Tables, codes: bool) -> Result<Opened<'a>> {
        let damaged = || corrupt("the front of the packed picture is damaged");
        let mut bytes = Bytes(data);
        let rows = bytes.byte().filter(|rows| *rows <= 2).ok_or_else(damaged)?;
        let tag = bytes.take(2).ok_or_else(damaged)?;
        if tag != (tables.digest() as u16).to_le_bytes() {
            return Err(corrupt("the picture is packed with other tables than those of the file"));
        }
        let crc = bytes.take(4).and_then(|b| b.first_chunk()).map(|b| u32::from_le_bytes(*b)).ok_or_else(damaged)?;
        let header = header(&mut bytes, size, tables).ok_or_else(damaged)?;
        let picture = if codes { Picture::read(&header) } else { Picture::read_shape(&header) };
        let picture = picture.ok().filter(|p| p.scan == header.len()).ok_or_else(damaged)?;
        let length = bytes.number().ok_or_else(damaged)?;
        let behind = bytes.take(length).ok_or_else(damaged)?;
        // Every block has two symbols of a bit or more.
        if picture.blocks() / 4 > data.len() {
            return Err(corrupt("the packed picture has more blocks than its bytes can hold"));
        }
        let rows = 1 << rows;
        let segments = segments(&picture, rows).count();
        let mut opened =
            Opened { data, tables, picture, header, behind, crc, rows, starts: Vec::new(), segments };
        opened.directory(&mut bytes).ok_or_else(|| corrupt("the packed picture's directory is damaged"))?;
        Ok(opened)
    }

    fn directory(&mut self, bytes: &mut Bytes<'_>) -> Option<()> {
        let (colors, segments) = (self.picture.components().len() > 1, self.segments);
        self.starts.resize(LEVELS * segments * LANES + 1, 0);
        for segment in 0..segments {
            for level in levels(colors) {
                let mut length = bytes.number()?;
                for lane in 0..LANES {
                    if lane > 0 {
                        length = length.checked_add_signed(unfolded(bytes.number()?))?;
                    }
                    self.starts[(level * segments + segment) * LANES + lane] = length;
                }
            }
        }
        let mut at = self.data.len() - bytes.0.len();
        for start in &mut self.starts {
            at += std::mem::replace(start, at);
        }
        Some(())
    }

    /// Whether the bytes are as many as they should be.
    fn is_whole(&self) -> bool {
        self.starts.last().is_some_and(|end| end + PAD == self.data.len())
    }

    /// Decodes a segment: of each channel the coefficients of the bands up to one.
    pub(super) fn segment(
        &self,
        segment: usize,
        rows: usize,
        bands: [usize; 2],
        channels: &mut [Channel; 2],
    ) -> Result<()> {
        for (channel, shape) in channels.iter_mut().zip(shapes(&self.picture, rows)) {
            channel.begin(shape);
        }
        let starts = |level: usize| self.starts.get((level * self.segments + segment) * LANES..)?.first_chunk();
        let streams = Streams { data: self.data, tables: self.tables, starts: &starts };
        let level = Level::new();
        dispatch!(level, simd => decode(simd, &streams, bands, channels)).ok_or_else(|| corrupt("the packed picture's coefficients are damaged"))
    }
}

/// Puts the marker segments together again.
fn header(bytes: &mut Bytes<'_>, most: usize, tables: &Tables) -> Option<Vec<u8>> {
    let mut header = vec![0xff, 0xd8];
    for _ in 0..bytes.number()? {
        let part = match bytes.number()? {
            0 => {
                let length = bytes.number()?;
                bytes.take(length)?
            }
            n => tables.shared.get(n - 1)?,
        };
        header.extend(part);
        if header.len() > most || part.is_empty() {
            return None;
        }
    }
    Some(header)
}

/// The JPEG of `size` bytes that a packed picture was.
pub(super) fn restore(data: &[u8], size: usize, tables: &Tables, channels: &mut [Channel; 2]) -> Result<Vec<u8>> {
    let mut opened = Opened::new(data, size, tables, true)?;
    if !opened.is_whole() {
        return Err(corrupt("the packed picture has not as many bytes as its directory says"));
    }
    let mut out = std::mem::take(&mut opened.header);
    out.reserve(size.saturating_sub(out.len()).min(data.len() * 2));
    let lost = || corrupt("the packed picture's coefficients are not those of a JPEG of the announced size");
    let mut writer = Writer::new(&opened.picture, size);
    for (i, rows) in segments(&opened.picture, opened.rows).enumerate() {
        opened.segment(i, rows, [3; 2], channels)?;
        for y in 0..rows {
            writer.row(y, channels, &mut out).ok_or_else(lost)?;
        }
    }
    writer.end(&mut out);
    out.extend_from_slice(opened.behind);
    if out.len() != size || crc32(&out) != opened.crc {
        return Err(corrupt("the packed picture gives another JPEG than the one that was packed"));
    }
    Ok(out)
}

/// Gives JPEGs back.
#[derive(Debug, Default)]
pub struct Unpacker {
    channels: [Channel; 2],
}

impl Unpacker {
    /// The JPEG of `size` bytes that was packed.
    pub fn restore(&mut self, packed: &[u8], size: usize, tables: &Tables) -> Result<Vec<u8>> {
        restore(packed, size, tables, &mut self.channels)
    }

    /// Reads only the coefficients: of brightness and of colors those of the bands up to one, of 0 to 3. Gives how many
    /// blocks there are.
    pub fn coefficients(&mut self, packed: &[u8], size: usize, tables: &Tables, bands: [usize; 2]) -> Result<u64> {
        let opened = Opened::new(packed, size, tables, false)?;
        let mut blocks = 0;
        for (i, rows) in segments(&opened.picture, opened.rows).enumerate() {
            opened.segment(i, rows, bands, &mut self.channels)?;
            blocks += self.channels.iter().map(|channel| channel.shape.blocks() as u64).sum::<u64>();
        }
        Ok(blocks)
    }
}
