//! The header of a baseline JPEG: its shape, its codes, and its marker segments.

use super::Kept;

/// Components of a picture, at most.
pub(super) const MOST_PARTS: usize = 3;
/// Blocks of a unit of several components, as the standard bounds them.
const MOST_BLOCKS: usize = 10;

/// Where the coefficients of a block stand, in the order in which a JPEG stores them.
pub(super) const ORDER: [u8; 64] = {
    let mut order = [63; 64];
    let (mut x, mut y, mut i) = (0_usize, 0_usize, 0);
    while i < 64 {
        order[i] = (y * 8 + x) as u8;
        i += 1;
        let up = (x + y) % 2 == 0;
        if up && x == 7 || !up && y == 7 {
            if up { y += 1 } else { x += 1 }
        } else if up && y == 0 {
            x += 1;
        } else if !up && x == 0 {
            y += 1;
        } else if up {
            x += 1;
            y -= 1;
        } else {
            x -= 1;
            y += 1;
        }
    }
    order
};

/// Bits that are looked at in one go.
const LOOK: u32 = 10;

/// A Huffman code of a JPEG, for reading and for writing.
#[derive(Clone, Debug)]
pub(super) struct Code {
    /// By the next bits: the symbol, and above it the length of its code; 0 if that is longer.
    look: Box<[u16; 1 << LOOK]>,
    /// For each length, one more than its last code, with zeros below to 16 bits; and what to add for a symbol's place.
    limits: [u32; 17],
    offsets: [i32; 17],
    symbols: [u8; 256],
    /// By symbol: its code and the length of that, 0 if it has none.
    pub(super) words: [(u16, u8); 256],
}

impl Code {
    fn new(counts: &[u8; 16], symbols: &[u8]) -> Option<Code> {
        let mut made = Code {
            look: Box::new([0; 1 << LOOK]),
            limits: [0; 17],
            offsets: [0; 17],
            symbols: [0; 256],
            words: [(0, 0); 256],
        };
        made.symbols.get_mut(..symbols.len())?.copy_from_slice(symbols);
        let (mut code, mut place) = (0_u32, 0_usize);
        for length in 1..=16_u32 {
            let at = length as usize;
            made.offsets[at] = place as i32 - code as i32;
            for _ in 0..counts[at - 1] {
                let symbol = *symbols.get(place)?;
                if code >= 1 << length {
                    return None;
                }
                made.words[usize::from(symbol)] = (code as u16, length as u8);
                if length <= LOOK {
                    let (from, many) = ((code << (LOOK - length)) as usize, 1 << (LOOK - length));
                    made.look.get_mut(from..from + many)?.fill((length << 8) as u16 | u16::from(symbol));
                }
                code += 1;
                place += 1;
            }
            made.limits[at] = code << (16 - length);
            code <<= 1;
        }
        (place == symbols.len()).then_some(made)
    }

    /// The symbol at the top of a word and the length of its code; `None` if the bits are not a code.
    #[inline(always)]
    pub(super) fn symbol(&self, word: u64) -> Option<(u32, u32)> {
        let look = u32::from(self.look[(word >> (64 - LOOK)) as usize]);
        if look != 0 { Some((look & 0xff, look >> 8)) } else { self.far((word >> 48) as u32) }
    }

    #[cold]
    fn far(&self, next: u32) -> Option<(u32, u32)> {
        let length = (1..=16).find(|&n| next < self.limits[n])?;
        let place = (next >> (16 - length)) as i32 + self.offsets[length];
        Some((u32::from(self.symbols[place as usize & 255]), length as u32))
    }
}

/// One color.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Component {
    id: u8,
    /// Blocks across and down in each unit.
    pub(super) across: usize,
    pub(super) down: usize,
    pub(super) dc: usize,
    pub(super) ac: usize,
}

/// A JPEG of one scan that has everything.
#[derive(Clone, Debug, Default)]
pub(super) struct Picture {
    width: usize,
    height: usize,
    components: [Component; MOST_PARTS],
    count: usize,
    /// Units between restart markers; 0 for none.
    pub(super) restart: usize,
    /// By class, then by number.
    codes: [[Option<Code>; 4]; 2],
    /// Whether codes are not looked at.
    shape_only: bool,
    /// Where the bits of the scan begin.
    pub(super) scan: usize,
}

impl Picture {
    /// Reads up to the scan.
    pub(super) fn read(jpeg: &[u8]) -> Result<Picture, Kept> {
        Picture::default().read_on(jpeg)
    }

    /// The same without codes, where only coefficients are wanted.
    pub(super) fn read_shape(jpeg: &[u8]) -> Result<Picture, Kept> {
        Picture { shape_only: true, ..Picture::default() }.read_on(jpeg)
    }

    fn read_on(mut self, jpeg: &[u8]) -> Result<Picture, Kept> {
        let picture = &mut self;
        if !jpeg.starts_with(&[0xff, 0xd8]) {
            return Err(Kept::Damaged);
        }
        let mut at = 2;
        while let Some(part) = part(jpeg, at) {
            at += part.len();
            let body = part.get(4..).unwrap_or_default();
            match part[1] {
                0xc0 | 0xc1 => picture.frame(body)?,
                0xc2 => return Err(Kept::Progressive),
                0xc9 | 0xca | 0xcc => return Err(Kept::Arithmetic),
                0xc4 if picture.shape_only => {}
                0xc4 => picture.define(body).ok_or(Kept::Damaged)?,
                0xdd => picture.restart = usize::from(word(body, 0).ok_or(Kept::Damaged)?),
                0xda => {
                    picture.begin(body)?;
                    picture.scan = at;
                    return Ok(self);
                }
                0xdb | 0xe0..=0xef | 0xfe => {}
                _ => return Err(Kept::Damaged),
            }
        }
        Err(Kept::Damaged)
    }

    fn frame(&mut self, body: &[u8]) -> Result<(), Kept> {
        let (Some(height), Some(width), Some(&[bits, .., count])) = (word(body, 1), word(body, 3), body.get(..6))
        else {
            return Err(Kept::Damaged);
        };
        if bits != 8 {
            return Err(Kept::Depth);
        }
        if self.count > 0 || width == 0 || height == 0 {
            return Err(Kept::Damaged);
        }
        if !matches!(count, 1 | 3) {
            return Err(Kept::Colors);
        }
        let (parts, []) = body.get(6..).unwrap_or_default().as_chunks::<3>() else { return Err(Kept::Damaged) };
        if parts.len() != usize::from(count) {
            return Err(Kept::Damaged);
        }
        (self.width, self.height, self.count) = (width.into(), height.into(), count.into());
        for (component, &[id, sampling, _]) in self.components.iter_mut().zip(parts) {
            let (across, down) = (usize::from(sampling >> 4), usize::from(sampling & 15));
            if !(1..=4).contains(&across) || !(1..=4).contains(&down) {
                return Err(Kept::Damaged);
            }
            *component = Component { id, across, down, dc: 0, ac: 0 };
        }
        let [a, b, c] = &mut self.components;
        if count == 1 {
            // A single component is stored block by block, whatever it says.
            (a.across, a.down) = (1, 1);
        } else if (b.across, b.down) != (c.across, c.down) {
            return Err(Kept::Colors);
        }
        let blocks: usize = self.components().iter().map(|c| c.across * c.down).sum();
        if blocks > MOST_BLOCKS { Err(Kept::Damaged) } else { Ok(()) }
    }

    /// Huffman codes.
    fn define(&mut self, mut body: &[u8]) -> Option<()> {
        while let Some((&kind, rest)) = body.split_first() {
            let (counts, rest) = rest.split_first_chunk::<16>()?;
            let count = counts.iter().map(|n| usize::from(*n)).sum();
            let (symbols, rest) = rest.split_at_checked(count)?;
            let slot = self.codes.get_mut(usize::from(kind >> 4))?.get_mut(usize::from(kind & 15))?;
            *slot = Some(Code::new(counts, symbols)?);
            body = rest;
        }
        Some(())
    }

    /// The scan's header.
    fn begin(&mut self, body: &[u8]) -> Result<(), Kept> {
        let count = usize::from(*body.first().ok_or(Kept::Damaged)?);
        if self.count == 0 || body.len() != 4 + 2 * count {
            return Err(Kept::Damaged);
        }
        if count != self.count {
            return Err(Kept::Scans);
        }
        let (parts, rest) = body[1..].split_at(2 * count);
        if rest != [0, 63, 0] {
            return Err(Kept::Damaged);
        }
        let (parts, _) = parts.as_chunks::<2>();
        for (component, &[id, numbers]) in self.components.iter_mut().zip(parts) {
            (component.dc, component.ac) = (usize::from(numbers >> 4), usize::from(numbers & 15));
            if component.id != id {
                return Err(Kept::Damaged);
            }
        }
        let known = |class: usize, n: usize| self.shape_only || self.codes[class].get(n).is_some_and(Option::is_some);
        if self.components().iter().all(|c| known(0, c.dc) && known(1, c.ac)) { Ok(()) } else { Err(Kept::Damaged) }
    }

    pub(super) fn components(&self) -> &[Component] {
        &self.components[..self.count]
    }

    /// The codes of a component: of first coefficients, and of the others.
    pub(super) fn codes(&self, component: &Component) -> Option<(&Code, &Code)> {
        self.codes[0][component.dc & 3].as_ref().zip(self.codes[1][component.ac & 3].as_ref())
    }

    /// Units across and down.
    pub(super) fn units(&self) -> (usize, usize) {
        let most = |of: fn(&Component) -> usize| self.components().iter().map(of).max().unwrap_or(1);
        (self.width.div_ceil(8 * most(|c| c.across)), self.height.div_ceil(8 * most(|c| c.down)))
    }

    /// Blocks in all.
    pub(super) fn blocks(&self) -> usize {
        let (across, down) = self.units();
        let unit: usize = self.components().iter().map(|c| c.across * c.down).sum();
        across * down * unit
    }
}

/// The marker segment at a place, marker and length included.
pub(super) fn part(jpeg: &[u8], at: usize) -> Option<&[u8]> {
    let rest = jpeg.get(at..)?;
    let &[0xff, _, a, b, ..] = rest else { return None };
    let length = usize::from(u16::from_be_bytes([a, b]));
    if length < 2 { None } else { rest.get(..2 + length) }
}

fn word(body: &[u8], at: usize) -> Option<u16> {
    body.get(at..at + 2).map(|b| u16::from_be_bytes([b[0], b[1]]))
}
