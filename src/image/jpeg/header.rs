//! What stands before the pixels: sizes, components and tables.

use super::huffman::{AcTable, DcTable};
use crate::{
    error::{Error, Result},
    image::codes,
};

/// One color, as the frame and the scan describe it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Component {
    id: u8,
    /// Blocks across and down in each unit.
    pub(super) across: usize,
    pub(super) down: usize,
    pub(super) quant: usize,
    pub(super) dc: usize,
    pub(super) ac: usize,
}

/// What the components are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Colors {
    #[default]
    Grey,
    /// Brightness and two differences.
    Ycc,
    Rgb,
}

/// The tables that files define, kept from one picture to the next.
#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(super) quant: [Option<[u16; 64]>; 4],
    pub(super) dc: [Option<DcTable>; 4],
    pub(super) ac: [Option<AcTable>; 4],
    /// Which Huffman tables this picture has defined: by class, then by number.
    defined: [[bool; 4]; 2],
}

/// A picture that this decoder reads.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Header {
    pub(super) width: u32,
    pub(super) height: u32,
    components: [Component; 3],
    count: usize,
    pub(super) colors: Colors,
    /// Units between restart markers; 0 for none.
    pub(super) restart: u32,
    /// Where the EXIF block lies.
    pub(super) exif: Option<(usize, usize)>,
    /// Where the scan's bytes begin.
    pub(super) scan: usize,
}

pub(super) fn damaged(message: impl Into<String>) -> Error {
    Error::new(&codes::DAMAGED, message.into()).section("payload")
}

fn ends() -> Error {
    damaged("the JPEG ends within its header")
}

/// What markers have said until the scan.
#[derive(Default)]
struct Seen {
    jfif: bool,
    adobe: Option<u8>,
}

impl Header {
    /// Reads up to the first scan. `None` for pictures that are another decoder's: progressive, arithmetic, of more
    /// than 8 bits, of four components, of several scans, or of unusual samplings.
    pub(super) fn read(payload: &[u8], tables: &mut Tables) -> Result<Option<Header>> {
        let mut header = Header::default();
        let mut seen = Seen::default();
        tables.quant = [None; 4];
        tables.defined = [[false; 4]; 2];
        let mut at = 2;
        loop {
            // Other bytes before a marker are skipped, as everyone does.
            at += memchr::memchr(0xff, payload.get(at..).unwrap_or_default()).ok_or_else(ends)?;
            let code = *payload.get(at + 1).ok_or_else(ends)?;
            if code == 0xff {
                at += 1;
                continue;
            }
            at += 2;
            if matches!(code, 0x00 | 0x01 | 0xd0..=0xd8) {
                continue;
            }
            if code == 0xd9 {
                return Err(damaged("the JPEG has no pixels"));
            }
            let length = match payload.get(at..at + 2) {
                Some(&[a, b]) => usize::from(u16::from_be_bytes([a, b])),
                _ => return Err(ends()),
            };
            let body =
                length.checked_sub(2).ok_or_else(|| damaged("a segment of the JPEG is shorter than its length"))?;
            let body = payload.get(at + 2..at + 2 + body).ok_or_else(ends)?;
            at += length;
            match code {
                0xdb => tables.define_quant(body)?,
                0xc4 => tables.define_codes(body)?,
                0xc0 | 0xc1 => {
                    if header.count > 0 {
                        return Err(damaged("the JPEG has two frames"));
                    }
                    if !header.frame(body)? {
                        return Ok(None);
                    }
                }
                0xc2..=0xcf => return Ok(None),
                0xdd => header.restart = u32::from(word(body, 0).ok_or_else(ends)?),
                0xe0 if body.starts_with(b"JFIF\0") => seen.jfif = true,
                0xe1 if body.starts_with(b"Exif\0\0") && header.exif.is_none() => {
                    header.exif = Some((at - body.len(), body.len()));
                }
                0xee if body.starts_with(b"Adobe") && body.len() >= 12 => seen.adobe = body.get(11).copied(),
                0xda => {
                    header.scan = at;
                    return Ok(header.scan(body, tables, &seen)?.then_some(header));
                }
                _ => {}
            }
        }
    }

    pub(super) fn components(&self) -> &[Component] {
        &self.components[..self.count]
    }

    /// The frame; false for one that is another decoder's.
    fn frame(&mut self, body: &[u8]) -> Result<bool> {
        let (Some(height), Some(width), Some(&[bits, .., count])) = (word(body, 1), word(body, 3), body.get(..6))
        else {
            return Err(ends());
        };
        (self.width, self.height) = (width.into(), height.into());
        // No height stands for one that comes after the scan.
        if bits != 8 || !matches!(count, 1 | 3) || height == 0 {
            return Ok(false);
        }
        if width == 0 {
            return Err(damaged("the JPEG has no width"));
        }
        self.count = count.into();
        let parts = body.get(6..6 + self.count * 3).ok_or_else(ends)?;
        for (component, part) in self.components.iter_mut().zip(parts.as_chunks::<3>().0) {
            let [id, sampling, quant] = *part;
            let (across, down) = (usize::from(sampling >> 4), usize::from(sampling & 15));
            if !(1..=4).contains(&across) || !(1..=4).contains(&down) || quant > 3 {
                return Err(damaged("a component of the JPEG has no such sampling or table"));
            }
            *component = Component { id, across, down, quant: quant.into(), dc: 0, ac: 0 };
        }
        if let [one] = &mut self.components[..self.count] {
            // A single component is stored block by block, whatever it says.
            (one.across, one.down) = (1, 1);
        }
        let (across, down) = self.unit();
        let whole = |c: &Component| across.is_multiple_of(c.across) && down.is_multiple_of(c.down);
        let blocks: usize = self.components().iter().map(|c| c.across * c.down).sum();
        Ok(self.components().iter().all(whole) && blocks <= 10)
    }

    /// Blocks across and down that a unit of all components has at most.
    pub(super) fn unit(&self) -> (usize, usize) {
        let most = |of: fn(&Component) -> usize| self.components().iter().map(of).max().unwrap_or(1);
        (most(|c| c.across), most(|c| c.down))
    }

    /// The scan's header; false for a scan that is another decoder's.
    fn scan(&mut self, body: &[u8], tables: &Tables, seen: &Seen) -> Result<bool> {
        if self.count == 0 {
            return Err(damaged("the JPEG has a scan before its frame"));
        }
        let count = usize::from(*body.first().ok_or_else(ends)?);
        if count != self.count {
            return Ok(false);
        }
        let parts = body.get(1..1 + count * 2).ok_or_else(ends)?;
        for (component, part) in self.components.iter_mut().zip(parts.as_chunks::<2>().0) {
            let [id, numbers] = *part;
            if id != component.id {
                return Ok(false);
            }
            (component.dc, component.ac) = (usize::from(numbers >> 4), usize::from(numbers & 15));
            let defined = |class: usize, n: usize| tables.defined[class].get(n).copied().unwrap_or(false);
            let quant = tables.quant.get(component.quant).is_some_and(Option::is_some);
            if !(quant && defined(0, component.dc) && defined(1, component.ac)) {
                return Err(damaged("a scan of the JPEG uses a table that is not defined"));
            }
        }
        let ids: [u8; 3] = std::array::from_fn(|i| self.components[i].id);
        self.colors = match (self.count, seen.adobe) {
            (1, _) => Colors::Grey,
            _ if seen.jfif => Colors::Ycc,
            (_, Some(0)) => Colors::Rgb,
            (_, None) if ids == *b"RGB" => Colors::Rgb,
            _ => Colors::Ycc,
        };
        Ok(true)
    }
}

impl Tables {
    fn define_quant(&mut self, mut body: &[u8]) -> Result<()> {
        while let Some((&kind, rest)) = body.split_first() {
            let wide = kind >> 4 != 0;
            let (values, rest) = rest.split_at_checked(if wide { 128 } else { 64 }).ok_or_else(ends)?;
            let slot = self.quant.get_mut(usize::from(kind & 15)).ok_or_else(|| damaged("no such table"))?;
            let mut table = [0; 64];
            for (i, place) in super::block::ORDER.iter().take(64).enumerate() {
                table[usize::from(*place)] =
                    if wide { word(values, i * 2).unwrap_or_default() } else { values[i].into() };
            }
            *slot = Some(table);
            body = rest;
        }
        Ok(())
    }

    fn define_codes(&mut self, mut body: &[u8]) -> Result<()> {
        while let Some((&kind, rest)) = body.split_first() {
            let (counts, rest) = rest.split_first_chunk::<16>().ok_or_else(ends)?;
            let count = counts.iter().map(|n| usize::from(*n)).sum();
            let (symbols, rest) = rest.split_at_checked(count).ok_or_else(ends)?;
            let (class, number) = (usize::from(kind >> 4), usize::from(kind & 15));
            let wrong = || damaged("a Huffman table of the JPEG is wrong");
            if class > 1 || number > 3 || count > 256 {
                return Err(wrong());
            }
            if class == 0 {
                let slot = &mut self.dc[number];
                if !slot.as_ref().is_some_and(|table| table.is(counts, symbols)) {
                    *slot = Some(DcTable::new(*counts, symbols).ok_or_else(wrong)?);
                }
            } else {
                let slot = &mut self.ac[number];
                if !slot.as_ref().is_some_and(|table| table.is(counts, symbols)) {
                    *slot = Some(AcTable::new(*counts, symbols).ok_or_else(wrong)?);
                }
            }
            self.defined[class][number] = true;
            body = rest;
        }
        Ok(())
    }
}

fn word(body: &[u8], at: usize) -> Option<u16> {
    body.get(at..at + 2).map(|b| u16::from_be_bytes([b[0], b[1]]))
}
