//! What stands before the pixels, and between the scans: sizes, components, and which table each is read with.

use super::{
    parts::{Component, MOST_PARTS, Spec, damaged, word},
    tables::Tables,
};
use crate::{
    error::{Error, Result},
    image::codes,
};

/// Blocks of a unit of several components, as the standard bounds them.
const MOST_BLOCKS: usize = 10;

/// What the components are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Colors {
    #[default]
    Gray,
    /// Brightness and two differences.
    Ycc,
    Rgb,
    /// Inks, as Adobe writes them: 255 for none.
    Cmyk,
    /// The first three inks as brightness and two differences.
    Ycck,
}

/// A picture that this decoder reads.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Header {
    pub(super) width: u32,
    pub(super) height: u32,
    components: [Component; MOST_PARTS],
    count: usize,
    pub(super) colors: Colors,
    /// Units between restart markers; 0 for none.
    pub(super) restart: u32,
    /// The first scan.
    pub(super) scan: Spec,
    progressive: bool,
    arithmetic: bool,
    jfif: bool,
    /// What an Adobe marker says of colors.
    adobe: Option<u8>,
    /// Why what was read so far is not whole, though its pixels can be made.
    doubt: Option<&'static str>,
}

fn unsupported(message: impl Into<String>) -> Error {
    Error::new(&codes::UNSUPPORTED, message.into()).section("payload")
}

fn ends() -> Error {
    damaged("the JPEG ends where a marker or a segment is due; it may be cut")
}

/// What comes next in the file.
enum Event {
    Scan(Spec),
    /// The end of the picture.
    End,
}

impl Header {
    /// Reads up to the first scan.
    pub(super) fn read(payload: &[u8], tables: &mut Tables) -> Result<Header> {
        let mut header = Header::default();
        tables.begin();
        if !payload.starts_with(&[0xff, 0xd8]) {
            return Err(damaged("the JPEG does not begin as one"));
        }
        match header.event(payload, 2, tables)? {
            Event::Scan(spec) => {
                header.scan = spec;
                // What says later which colors they are comes too late, as it does for libjpeg.
                header.colors = header.colors_of();
                Ok(header)
            }
            Event::End => Err(damaged("the JPEG has no pixels")),
        }
    }

    /// The scan that follows at a marker; `None` at the picture's end.
    pub(super) fn next(&mut self, payload: &[u8], at: usize, tables: &mut Tables) -> Result<Option<Spec>> {
        match self.event(payload, at, tables)? {
            Event::Scan(_) if !self.progressive && self.scan.count == self.count => {
                Err(damaged("the JPEG has another scan after the one that has everything"))
            }
            Event::Scan(spec) => Ok(Some(spec)),
            Event::End => Ok(None),
        }
    }

    /// Reads from the end of the only scan to that of the picture.
    pub(super) fn finish(&mut self, payload: &[u8], at: usize, tables: &mut Tables) -> Result<()> {
        self.next(payload, at, tables)?;
        self.whole()
    }

    /// Holds that nothing of what was read makes doubt that the picture is whole.
    pub(super) fn whole(&self) -> Result<()> {
        self.doubt.map_or(Ok(()), |why| Err(damaged(why)))
    }

    fn doubt(&mut self, why: &'static str) {
        self.doubt.get_or_insert(why);
    }

    pub(super) fn progressive(&self) -> bool {
        self.progressive
    }

    pub(super) fn arithmetic(&self) -> bool {
        self.arithmetic
    }

    /// True if one scan has everything, and nothing needs to be kept.
    pub(super) fn simple(&self) -> bool {
        !self.progressive && !self.arithmetic && self.scan.count == self.count
    }

    /// Reads markers up to a scan or the end.
    fn event(&mut self, payload: &[u8], mut at: usize, tables: &mut Tables) -> Result<Event> {
        loop {
            // Other bytes before a marker are skipped, as everyone does, and reported, as libjpeg does.
            let stray = memchr::memchr(0xff, payload.get(at..).unwrap_or_default()).ok_or_else(ends)?;
            at += stray;
            let code = *payload.get(at + 1).ok_or_else(ends)?;
            if stray > 0 || code == 0 {
                self.doubt("bytes of the JPEG are left over before a marker");
            }
            // Any number of 0xff may stand before a marker.
            if code == 0xff {
                at += 1;
                continue;
            }
            at += 2;
            match code {
                0x00 | 0x01 | 0xd0..=0xd7 => continue,
                0xd8 => return Err(damaged("the JPEG begins a second time before its end")),
                0xd9 => return Ok(Event::End),
                0xc3 | 0xc5..=0xc8 | 0xcb | 0xcd..=0xcf | 0xde | 0xdf => {
                    let message =
                        "the JPEG is lossless or hierarchical, which is not decoded; store it as another kind";
                    return Err(unsupported(message));
                }
                0x02..=0xbf | 0xf0..=0xfd => {
                    return Err(damaged(format!("the JPEG has a marker without a meaning, {code:#x}")));
                }
                _ => {}
            }
            let Some(&[a, b]) = payload.get(at..at + 2) else { return Err(ends()) };
            let length = usize::from(u16::from_be_bytes([a, b]));
            let passed = matches!(code, 0xdc | 0xe0..=0xef | 0xfe);
            if length < 2 && !passed {
                return Err(damaged("a segment of the JPEG is shorter than its length"));
            }
            // Of what is only passed by, libjpeg takes less than a length as nothing but that.
            let length = length.max(2);
            let body = payload.get(at + 2..at + length).ok_or_else(ends)?;
            at += length;
            match code {
                0xdb => tables.define_quant(body)?,
                0xc4 => tables.define_codes(body)?,
                0xcc => tables.define_conditions(body)?,
                0xc0..=0xc2 | 0xc9 | 0xca => {
                    if self.count > 0 {
                        return Err(damaged("the JPEG has two frames"));
                    }
                    (self.progressive, self.arithmetic) = (matches!(code, 0xc2 | 0xca), code >= 0xc9);
                    self.frame(body)?;
                }
                0xdd => {
                    let &[a, b] = body else { return Err(damaged("the JPEG's restart interval is not two bytes")) };
                    self.restart = u32::from(u16::from_be_bytes([a, b]));
                }
                // Shorter ones count for nothing in libjpeg.
                0xe0 if body.starts_with(b"JFIF\0") && body.len() >= 14 => self.jfif = true,
                0xee if body.starts_with(b"Adobe") && body.len() >= 12 => self.adobe = body.get(11).copied(),
                0xda => return self.scan(body, at, tables).map(Event::Scan),
                _ => {}
            }
        }
    }

    pub(super) fn components(&self) -> &[Component] {
        &self.components[..self.count]
    }

    /// The frame.
    fn frame(&mut self, body: &[u8]) -> Result<()> {
        let (Some(height), Some(width), Some(&[bits, .., count])) = (word(body, 1), word(body, 3), body.get(..6))
        else {
            return Err(ends());
        };
        (self.width, self.height) = (width.into(), height.into());
        if bits != 8 {
            let message = format!("the JPEG has {bits} bits a color, and those of 8 are decoded; convert it to 8");
            return Err(unsupported(message));
        }
        if width == 0 || count == 0 {
            return Err(damaged("the JPEG has no width or no components"));
        }
        // No height stands for one that comes after the scan.
        if height == 0 {
            return Err(unsupported("the JPEG gives its height only after its pixels, which is not decoded"));
        }
        if !matches!(count, 1 | 3 | 4) {
            return Err(unsupported(format!(
                "the JPEG has {count} components: neither gray nor colors that are known"
            )));
        }
        let parts = body.get(6..).unwrap_or_default().as_chunks::<3>();
        if parts.0.len() != usize::from(count) || !parts.1.is_empty() {
            return Err(damaged("the JPEG's frame has not as many components as it says"));
        }
        self.count = count.into();
        for (component, [id, sampling, quant]) in self.components.iter_mut().zip(parts.0) {
            let (across, down) = (usize::from(sampling >> 4), usize::from(sampling & 15));
            if !(1..=4).contains(&across) || !(1..=4).contains(&down) || *quant > 3 {
                return Err(damaged("a component of the JPEG has no such sampling or table"));
            }
            *component = Component { id: *id, across, down, stated: down, quant: (*quant).into(), dc: 0, ac: 0 };
        }
        if let [one] = &mut self.components[..self.count] {
            // A single component is stored block by block, whatever it says.
            (one.across, one.down) = (1, 1);
        }
        let (across, down) = self.unit();
        let whole = |c: &Component| across.is_multiple_of(c.across) && down.is_multiple_of(c.down);
        if !self.components().iter().all(whole) {
            return Err(unsupported("the resolutions of the JPEG's components are not multiples of each other"));
        }
        Ok(())
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

    /// Units of a scan across and down.
    pub(super) fn size_of(&self, spec: &Spec) -> (usize, usize) {
        let [part] = spec.parts() else { return self.units() };
        // A component by itself has no blocks that only fill units.
        let own = |full: u32, own: usize, most: usize| (full as usize * own).div_ceil(most * 8);
        let ((most_across, most_down), component) = (self.unit(), &self.components[*part]);
        (own(self.width, component.across, most_across), own(self.height, component.down, most_down))
    }

    /// The scan's header. A component's quantisation is that of its first scan, whatever its table becomes later.
    fn scan(&mut self, body: &[u8], at: usize, tables: &mut Tables) -> Result<Spec> {
        let wrong = || damaged("a scan of the JPEG is not one of its frame's");
        if self.count == 0 {
            return Err(damaged("the JPEG has a scan before its frame"));
        }
        let count = usize::from(*body.first().ok_or_else(ends)?);
        if !(1..=self.count).contains(&count) || body.len() != 4 + 2 * count {
            return Err(wrong());
        }
        let Some((parts, &[first, last, bits])) = body.get(1..).and_then(|rest| {
            let (parts, rest) = rest.split_at_checked(count * 2)?;
            Some((parts, rest.first_chunk::<3>()?))
        }) else {
            return Err(ends());
        };
        let (high, low) = (u32::from(bits >> 4), u32::from(bits & 15));
        let mut spec = Spec { count, first: first.into(), last: last.into(), low, at, ..Spec::default() };
        spec.refines = high != 0;
        if self.progressive {
            let fits = if first == 0 { last == 0 } else { count == 1 && first <= last && last < 64 };
            if !fits || low > 13 || spec.refines && high != low + 1 {
                return Err(wrong());
            }
        } else {
            // Some programs write zeros here: libjpeg tells of them, and reads what there is all the same.
            (spec.first, spec.last, spec.low, spec.refines) = (0, 63, 0, false);
        }
        if !self.arithmetic && !self.progressive && !tables.begun() {
            tables.standard();
        }
        for (n, part) in parts.as_chunks::<2>().0.iter().enumerate() {
            let [id, numbers] = *part;
            // Components of one name stand in their order; libjpeg never looks back for another either.
            let found = (n..self.count).find(|i| self.components[*i].id == id).ok_or_else(wrong)?;
            if spec.parts[..n].contains(&found) {
                return Err(wrong());
            }
            spec.parts[n] = found;
            let component = &mut self.components[found];
            (component.dc, component.ac) = (usize::from(numbers >> 4), usize::from(numbers & 15));
            let fits = |class: usize, n: usize| self.arithmetic || tables.defined(class, n);
            let dc = spec.first > 0 || spec.refines || fits(0, component.dc);
            let ac = spec.last == 0 || fits(1, component.ac);
            if !(dc && ac && tables.latch(found, component.quant)) {
                return Err(damaged("a scan of the JPEG uses a table that is not defined, or is wrong"));
            }
        }
        let blocks: usize = spec.parts().iter().map(|i| self.components[*i].across * self.components[*i].down).sum();
        if count > 1 && blocks > MOST_BLOCKS {
            return Err(damaged(format!("a scan of the JPEG has {blocks} blocks a unit: over {MOST_BLOCKS}")));
        }
        if self.progressive && !tables.follows(&spec, high) {
            self.doubt("a scan of the JPEG does not go on where the ones before it ended");
        }
        Ok(spec)
    }

    /// What the components are, as libjpeg sees it.
    fn colors_of(&self) -> Colors {
        let ids = self.components().iter().map(|c| c.id);
        match (self.count, self.adobe) {
            (1, _) => Colors::Gray,
            (4, None | Some(0)) => Colors::Cmyk,
            (4, _) => Colors::Ycck,
            _ if self.jfif => Colors::Ycc,
            (_, Some(0)) => Colors::Rgb,
            (_, None) if ids.eq(*b"RGB") => Colors::Rgb,
            _ => Colors::Ycc,
        }
    }
}
