//! From a packed picture to its coefficients, and to the JPEG that it was.

use fearless_simd::{Level, dispatch};

use super::{
    bits::{Bytes, PAD, unfolded},
    channel::Channel,
    corrupt,
    decode::{Streams, decode},
    layout::{levels, segments, shapes},
    picture::Picture,
    planes::{LANES, LAST, LEVELS},
    scan::{Writer, channel_of},
    tables::Tables,
};
use crate::{codec::checksum::crc32, error::Result, limits::Limits};

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
        let mut opened = Opened { data, tables, picture, header, behind, crc, rows, starts: Vec::new(), segments };
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
            at = at.checked_add(std::mem::replace(start, at))?;
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
        dispatch!(level, simd => decode(simd, &streams, bands, channels))
            .ok_or_else(|| corrupt("the packed picture's coefficients are damaged"))
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

    /// Begins to read the coefficients of what [`Tables::half`] gave behind its mark.
    pub(crate) fn open<'a>(
        &'a mut self,
        half: &'a [u8],
        header: usize,
        tables: &'a Tables,
    ) -> Result<Coefficients<'a>> {
        Ok(Coefficients { opened: Opened::new(half, header, tables, false)?, channels: &mut self.channels })
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

/// What stands between the header of a JPEG and its packed coefficients, where a decoder is to take those as they are: no
/// program ends a picture there.
const MARK: &[u8] = b"\xff\xd9packed";

/// The packed picture behind a JPEG's header; `None` if that is followed by something else.
pub(crate) fn behind_mark(scan: &[u8]) -> Option<&[u8]> {
    scan.strip_prefix(MARK)
}

impl Tables {
    /// The header of the JPEG, by which programs see what it is, a mark, and the packed picture as it is.
    #[doc(hidden)]
    pub fn half(&self, packed: &[u8], size: u64) -> Result<Vec<u8>> {
        let opened = Opened::new(packed, usize::try_from(size).unwrap_or(usize::MAX), self, false)?;
        let mut half = opened.header;
        half.reserve_exact(MARK.len() + packed.len());
        half.extend_from_slice(MARK);
        half.extend_from_slice(packed);
        Ok(half)
    }
}

/// The coefficients of a packed picture, a segment at a time.
pub(crate) struct Coefficients<'a> {
    opened: Opened<'a>,
    channels: &'a mut [Channel; 2],
}

/// A row of blocks.
pub(crate) struct Row<'a> {
    pub(crate) firsts: &'a [i16],
    /// 0 for blocks that have only the first coefficient.
    pub(crate) lasts: &'a [u8],
    /// With room for the first coefficients, which are not there.
    pub(crate) others: &'a mut [[i16; 64]],
}

impl Coefficients<'_> {
    /// Rows of units of a segment.
    pub(crate) fn rows(&self) -> usize {
        self.opened.rows
    }

    /// Reads a segment: of brightness and of colors the bands up to one, of 0 to 3.
    pub(crate) fn segment(&mut self, segment: usize, bands: [usize; 2]) -> Result<()> {
        let rows = segments(&self.opened.picture, self.opened.rows).nth(segment);
        let rows = rows.ok_or_else(|| corrupt("the packed picture has fewer lines than its header says"))?;
        self.opened.segment(segment, rows, bands, self.channels)
    }

    /// The row `y` of a component's blocks in that segment, from one column on.
    pub(crate) fn row(&mut self, component: usize, y: usize, from: usize) -> Row<'_> {
        let (c, part) = channel_of(component);
        let Channel { shape, first, sums, blocks, .. } = &mut self.channels[c];
        let (begin, end) = (shape.place(part, from.min(shape.wide), y), shape.place(part, shape.wide, y));
        let lasts = sums.get(LAST * shape.places()..(LAST + 1) * shape.places()).unwrap_or_default();
        Row {
            firsts: first.get(begin..end).unwrap_or_default(),
            lasts: lasts.get(begin..end).unwrap_or_default(),
            others: blocks.get_mut(begin..end).unwrap_or_default(),
        }
    }
}

impl Tables {
    /// The JPEG of `size` bytes that was packed with these tables. `size` is the file's claim.
    pub fn restore(&self, packed: &[u8], size: u64, limits: &Limits) -> Result<Vec<u8>> {
        Unpacker::default().restore(packed, limits.item(size)?, self)
    }
}
