//! What stands before the pixels: sizes, components and tables.

use super::huffman::{AcTable, Code, DcTable, Plain};
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
    /// Huffman codes as they were defined: by class, then by number.
    codes: [[Option<Code>; 4]; 2],
    /// What was made of them for reading fast.
    dc: [Option<DcTable>; 4],
    ac: [Option<AcTable>; 4],
    plain: [[Option<Plain>; 4]; 2],
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
    /// The first scan.
    pub(super) scan: Spec,
    progressive: bool,
    jfif: bool,
    /// What an Adobe marker says of colors.
    adobe: Option<u8>,
}

pub(super) fn damaged(message: impl Into<String>) -> Error {
    Error::new(&codes::DAMAGED, message.into()).section("payload")
}

fn ends() -> Error {
    damaged("the JPEG ends within its header")
}

/// What a scan has.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spec {
    /// The places of its components.
    parts: [usize; 3],
    count: usize,
    /// The first and the last coefficient in the order in which they are stored.
    pub(super) first: usize,
    pub(super) last: usize,
    /// The bits below those that this scan gives, and whether the ones above came before.
    pub(super) low: u32,
    pub(super) refines: bool,
    /// Where its bytes begin.
    pub(super) at: usize,
}

impl Spec {
    pub(super) fn parts(&self) -> &[usize] {
        &self.parts[..self.count]
    }
}

/// What comes next in the file.
enum Event {
    Scan(Spec),
    /// The end of the picture.
    End,
    /// What another decoder reads.
    Foreign,
}

impl Header {
    /// Reads up to the first scan. `None` for pictures that are another decoder's: arithmetic, lossless, of more than 8
    /// bits, of four components, or of unusual samplings.
    pub(super) fn read(payload: &[u8], tables: &mut Tables) -> Result<Option<Header>> {
        let mut header = Header::default();
        tables.quant = [None; 4];
        tables.defined = [[false; 4]; 2];
        match header.event(payload, 2, tables)? {
            Event::Scan(spec) => {
                header.scan = spec;
                header.colors = header.colors_of();
                Ok(Some(header))
            }
            Event::End => Err(damaged("the JPEG has no pixels")),
            Event::Foreign => Ok(None),
        }
    }

    /// The scan that follows at a marker; `None` at the picture's end.
    pub(super) fn next(&mut self, payload: &[u8], at: usize, tables: &mut Tables) -> Result<Option<Spec>> {
        match self.event(payload, at, tables)? {
            Event::Scan(spec) => Ok(Some(spec)),
            Event::End => Ok(None),
            Event::Foreign => Err(damaged("the JPEG has two frames")),
        }
    }

    pub(super) fn progressive(&self) -> bool {
        self.progressive
    }

    /// True where one scan has everything, and nothing needs to be kept.
    pub(super) fn simple(&self) -> bool {
        !self.progressive && self.scan.count == self.count
    }

    /// Reads markers up to a scan or the end.
    fn event(&mut self, payload: &[u8], mut at: usize, tables: &mut Tables) -> Result<Event> {
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
                return Ok(Event::End);
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
                0xc0..=0xc2 => {
                    if self.count > 0 {
                        return Err(damaged("the JPEG has two frames"));
                    }
                    self.progressive = code == 0xc2;
                    if !self.frame(body)? {
                        return Ok(Event::Foreign);
                    }
                }
                0xc3..=0xcf => return Ok(Event::Foreign),
                0xdd => self.restart = u32::from(word(body, 0).ok_or_else(ends)?),
                0xe0 if body.starts_with(b"JFIF\0") => self.jfif = true,
                0xe1 if body.starts_with(b"Exif\0\0") && self.exif.is_none() => {
                    self.exif = Some((at - body.len(), body.len()));
                }
                0xee if body.starts_with(b"Adobe") && body.len() >= 12 => self.adobe = body.get(11).copied(),
                0xda => return self.scan(body, at, tables).map(Event::Scan),
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

    /// Units across and down.
    pub(super) fn units(&self) -> (usize, usize) {
        let (across, down) = self.unit();
        ((self.width as usize).div_ceil(8 * across), (self.height as usize).div_ceil(8 * down))
    }

    /// The scan's header.
    fn scan(&mut self, body: &[u8], at: usize, tables: &Tables) -> Result<Spec> {
        let wrong = || damaged("a scan of the JPEG is not one of its frame's");
        if self.count == 0 {
            return Err(damaged("the JPEG has a scan before its frame"));
        }
        let count = usize::from(*body.first().ok_or_else(ends)?);
        if !(1..=self.count).contains(&count) {
            return Err(wrong());
        }
        let Some((parts, &[first, last, bits])) = body.get(1..).and_then(|rest| {
            let (parts, rest) = rest.split_at_checked(count * 2)?;
            Some((parts, rest.first_chunk::<3>()?))
        }) else {
            return Err(ends());
        };
        let mut spec =
            Spec { count, first: first.into(), last: last.into(), low: u32::from(bits & 15), at, ..Spec::default() };
        spec.refines = bits >> 4 != 0;
        if self.progressive {
            let fits = if first == 0 { last == 0 } else { count == 1 && first <= last && last < 64 };
            if !fits || spec.low > 13 {
                return Err(wrong());
            }
        } else {
            (spec.first, spec.last, spec.low, spec.refines) = (0, 63, 0, false);
        }
        for (n, (place, part)) in spec.parts.iter_mut().zip(parts.as_chunks::<2>().0).enumerate() {
            let [id, numbers] = *part;
            // Components of one name stand in their order.
            let all =
                self.components[..self.count].iter_mut().enumerate().skip(if count == self.count { n } else { 0 });
            let (found, component) = all.into_iter().find(|(_, c)| c.id == id).ok_or_else(wrong)?;
            *place = found;
            (component.dc, component.ac) = (usize::from(numbers >> 4), usize::from(numbers & 15));
            let defined = |class: usize, n: usize| tables.defined[class].get(n).copied().unwrap_or(false);
            let quant = tables.quant.get(component.quant).is_some_and(Option::is_some);
            let dc = spec.first > 0 || spec.refines || defined(0, component.dc);
            let ac = spec.last == 0 || defined(1, component.ac);
            if !(quant && dc && ac) {
                return Err(damaged("a scan of the JPEG uses a table that is not defined"));
            }
        }
        let [a, b, c] = spec.parts;
        if count > 1 && (a == b || count > 2 && (b == c || a == c)) {
            return Err(wrong());
        }
        Ok(spec)
    }

    /// What the components are, as libjpeg sees it.
    fn colors_of(&self) -> Colors {
        let ids: [u8; 3] = std::array::from_fn(|i| self.components[i].id);
        match (self.count, self.adobe) {
            (1, _) => Colors::Grey,
            _ if self.jfif => Colors::Ycc,
            (_, Some(0)) => Colors::Rgb,
            (_, None) if ids == *b"RGB" => Colors::Rgb,
            _ => Colors::Ycc,
        }
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
            if class == 0 && symbols.iter().any(|s| *s > 16) {
                return Err(wrong());
            }
            self.codes[class][number] = Some(Code::new(*counts, symbols).ok_or_else(wrong)?);
            self.defined[class][number] = true;
            body = rest;
        }
        Ok(())
    }
}

impl Tables {
    /// Makes what a scan of a whole picture is read with.
    pub(super) fn fast(&mut self, header: &Header) {
        for component in header.components() {
            let (dc, ac) = (component.dc & 3, component.ac & 3);
            if let Some(code) = &self.codes[0][dc] {
                match &mut self.dc[dc] {
                    Some(table) if table.code() == code => {}
                    Some(table) => table.become_of(code),
                    none => *none = Some(DcTable::new(code)),
                }
            }
            if let Some(code) = &self.codes[1][ac] {
                match &mut self.ac[ac] {
                    Some(table) if table.code() == code => {}
                    Some(table) => table.become_of(code),
                    none => *none = Some(AcTable::new(code)),
                }
            }
        }
    }

    pub(super) fn dc(&self, number: usize) -> Option<&DcTable> {
        self.dc[number & 3].as_ref()
    }

    pub(super) fn ac(&self, number: usize) -> Option<&AcTable> {
        self.ac[number & 3].as_ref()
    }

    /// Makes what one of several scans is read with.
    pub(super) fn simple(&mut self, header: &Header, spec: &Spec) {
        for part in spec.parts() {
            let component = &header.components()[*part];
            for (class, number) in [(0, component.dc & 3), (1, component.ac & 3)] {
                if let Some(code) = &self.codes[class][number]
                    && self.plain[class][number].as_ref().is_none_or(|table| table.code() != code)
                {
                    self.plain[class][number] = Some(Plain::new(code));
                }
            }
        }
    }

    pub(super) fn plain(&self, class: usize, number: usize) -> Option<&Plain> {
        self.plain[class][number & 3].as_ref()
    }
}

fn word(body: &[u8], at: usize) -> Option<u16> {
    body.get(at..at + 2).map(|b| u16::from_be_bytes([b[0], b[1]]))
}
