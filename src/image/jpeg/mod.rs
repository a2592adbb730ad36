//! JPEG, by a decoder of our own: what training reads most, in safe Rust.
//!
//! It decodes baseline, extended and progressive pictures, by Huffman or arithmetic codes, gray, YCbCr, RGB, CMYK or
//! YCCK, of 8 bits, to the pixels that libjpeg-turbo makes of them (and Pillow of its CMYK), to the last bit. It can
//! decode at 1 to 8 eighths of the size, and only a part of the picture: blocks outside are only read over, and nothing
//! behind the part's last line is read at all. All else is refused, as libjpeg-turbo refuses it: nothing is left to
//! another decoder.
//!
//! | module | |
//! |---|---|
//! | `header`, `tables`, `standard` | markers; tables, and those that are not written down |
//! | `bits`, `huffman`, `block` | from bytes to coefficients |
//! | `arithmetic`, `states` | the same for arithmetic codes |
//! | `idct`, `scaled` | from coefficients to pixels of a component |
//! | `several`, `passes` | the coefficients of pictures of several scans |
//! | `smooth` | those that a picture without its last scans lacks |
//! | `plan`, `scan`, `lines`, `colors` | what is needed, unit by unit, line by line |

mod arithmetic;
mod bits;
mod block;
mod colors;
mod header;
mod huffman;
mod idct;
mod lines;
mod parts;
mod passes;
mod plan;
mod scaled;
mod scan;
mod several;
mod smooth;
mod standard;
mod states;
mod tables;

#[cfg(feature = "packed")]
use std::sync::Arc;

use fearless_simd::{Level, Simd, dispatch};

#[cfg(feature = "packed")]
use crate::codec::packed;
use crate::error::Result;
use header::Header;
use parts::MOST_PARTS;
pub(crate) use plan::{Part, Plan};
use tables::Tables;

/// A decoder with its buffers.
#[derive(Debug)]
pub(crate) struct Jpeg {
    level: Level,
    tables: Tables,
    /// A segment of the scan without stuffing.
    bytes: Vec<u8>,
    rings: [Vec<u8>; MOST_PARTS],
    wide: [Vec<u8>; MOST_PARTS],
    sums: Vec<u16>,
    blocks: [block::Block; scan::MOST],
    kept: several::Coefficients,
    /// What coefficients behind a mark were packed with.
    #[cfg(feature = "packed")]
    packed: Option<Arc<packed::Tables>>,
    #[cfg(feature = "packed")]
    unpacker: packed::Unpacker,
}

/// A picture whose header was read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opened(Header);

impl Default for Jpeg {
    fn default() -> Self {
        Jpeg {
            level: Level::new(),
            tables: Tables::default(),
            bytes: Vec::new(),
            rings: Default::default(),
            wide: Default::default(),
            sums: Vec::new(),
            blocks: [block::Block::ZERO; scan::MOST],
            kept: several::Coefficients::default(),
            #[cfg(feature = "packed")]
            packed: None,
            #[cfg(feature = "packed")]
            unpacker: packed::Unpacker::default(),
        }
    }
}

impl Jpeg {
    /// Bytes that are kept for the coefficients of pictures of several scans.
    pub(crate) fn kept(&self) -> usize {
        self.kept.bytes()
    }

    /// Says what coefficients were packed with that stand behind a header instead of those of a JPEG.
    #[cfg(feature = "packed")]
    pub(crate) fn packed_with(&mut self, tables: Option<Arc<packed::Tables>>) {
        self.packed = tables;
    }

    /// Reads a header.
    pub(crate) fn open(&mut self, payload: &[u8]) -> Result<Opened> {
        Header::read(payload, &mut self.tables).map(Opened)
    }

    /// Decodes the picture just opened into `out`, the width × height × 3 bytes of the plan's part. Where `damaged`, it
    /// takes what can be had of a damaged one.
    pub(crate) fn decode(
        &mut self,
        payload: &[u8],
        Opened(header): &Opened,
        plan: &Plan,
        damaged: bool,
        out: &mut [u8],
    ) -> Result<()> {
        for ((ring, wide), part) in self.rings.iter_mut().zip(&mut self.wide).zip(&plan.parts[..plan.count]) {
            grow(ring, 2 * part.rows() * part.stride);
            if part.times != (1, 1) {
                grow(wide, part.stride * part.times.0);
            }
        }
        grow(&mut self.sums, plan.parts.iter().map(|p| p.stride).max().unwrap_or(0));
        let mut header = *header;
        if !damaged {
            header.whole()?;
        }
        #[cfg(feature = "packed")]
        let half = match &self.packed {
            Some(tables) if header.simple() => {
                let half = payload.get(header.scan.at..).and_then(packed::behind_mark);
                half.map(|half| self.unpacker.open(half, header.scan.at, tables)).transpose()?
            }
            _ => None,
        };
        #[cfg(feature = "packed")]
        let is_packed = half.is_some();
        #[cfg(not(feature = "packed"))]
        let is_packed = false;
        if is_packed {
            // Its bits are not those of the JPEG.
        } else if header.simple() {
            self.tables.fast(header.components(), payload.len());
        } else {
            let (kept, tables, bytes, header) = (&mut self.kept, &mut self.tables, &mut self.bytes, &mut header);
            // No vectors, but the processor's own steps for shifting bits.
            dispatch!(self.level, simd => simd.vectorize(
                #[inline(always)]
                || kept.read(simd, payload, header, tables, bytes, damaged)
            ))?;
        }
        let mut scan = scan::Scan {
            header: &header,
            plan,
            tables: &self.tables,
            segments: bits::Segments::new(payload, header.scan.at, &mut self.bytes),
            rings: &mut self.rings,
            lining: lines::Lining {
                colors: header.colors,
                wide: &mut self.wide,
                sums: &mut self.sums,
                next: plan.y.start,
            },
            blocks: &mut self.blocks,
            damaged,
        };
        #[cfg(feature = "packed")]
        if let Some(mut packed) = half {
            return dispatch!(self.level, simd => scan.show_packed(simd, &mut packed, out));
        }
        if !header.simple() {
            dispatch!(self.level, simd => scan.show(simd, &mut self.kept, out));
            return Ok(());
        }
        match dispatch!(self.level, simd => scan.run(simd, out))? {
            Some(end) if !damaged => header.finish(payload, end, &mut self.tables),
            _ => Ok(()),
        }
    }
}

impl Opened {
    pub(crate) fn full(&self) -> (u32, u32) {
        (self.0.width, self.0.height)
    }

    /// What to decode, at how many eighths of the size, and which part in pixels of the full size: left, top, width,
    /// height.
    pub(crate) fn plan(&self, eighths: u32, region: Option<(u32, u32, u32, u32)>) -> Plan {
        Plan::new(&self.0, eighths, region)
    }
}

fn grow<T: Clone + Default>(buffer: &mut Vec<T>, length: usize) {
    if buffer.len() < length {
        buffer.resize(length, T::default());
    }
}
