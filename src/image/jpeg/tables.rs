//! The tables that files define, and what is known of a picture's coefficients.

use super::{
    huffman::{AcTable, Code, DcTable, Kind, Plain},
    parts::{Component, MOST_PARTS, Spec, damaged, word},
    standard,
};
use crate::error::{Error, Result};

/// What a picture says of one of its Huffman codes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Given {
    #[default]
    Nothing,
    Defined,
    /// More codes than fit: an error only if it is used, as for libjpeg.
    Wrong,
}

/// The tables that files define, kept from one picture to the next.
#[derive(Debug)]
pub(super) struct Tables {
    quant: [Option<[u16; 64]>; 4],
    /// Each component's quantisation: what its table was at its first scan.
    latched: [Option<[u16; 64]>; MOST_PARTS],
    /// Huffman codes as they were defined: by class, then by number.
    codes: [[Option<Code>; 4]; 2],
    given: [[Given; 4]; 2],
    /// What was made of them for reading fast.
    dc: [Option<DcTable>; 4],
    ac: [Option<AcTable>; 4],
    plain: [[Option<Plain>; 4]; 2],
    /// What arithmetic coding goes by: for the first coefficients, and for the others.
    conditions: Conditions,
    /// One more than the lowest bit that is known of each coefficient of each component; 0 if nothing is.
    known: [[u8; 64]; MOST_PARTS],
}

/// From which sizes on arithmetic coding tells differences and coefficients apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conditions {
    pub(super) first: [(u8, u8); 16],
    pub(super) others: [u8; 16],
}

impl Default for Conditions {
    fn default() -> Self {
        Conditions { first: [(0, 1); 16], others: [5; 16] }
    }
}

impl Default for Tables {
    fn default() -> Self {
        Tables {
            quant: [None; 4],
            latched: [None; MOST_PARTS],
            codes: Default::default(),
            given: Default::default(),
            dc: Default::default(),
            ac: Default::default(),
            plain: Default::default(),
            conditions: Conditions::default(),
            known: [[0; 64]; MOST_PARTS],
        }
    }
}

fn short() -> Error {
    damaged("a table of the JPEG is not as long as its segment")
}

impl Tables {
    /// Forgets what a picture before this one defined.
    pub(super) fn begin(&mut self) {
        (self.quant, self.latched) = ([None; 4], [None; MOST_PARTS]);
        self.given = Default::default();
        self.conditions = Conditions::default();
        self.known = [[0; 64]; MOST_PARTS];
    }

    /// True from the first scan on.
    pub(super) fn begun(&self) -> bool {
        self.latched.iter().any(Option::is_some)
    }

    pub(super) fn define_quant(&mut self, mut body: &[u8]) -> Result<()> {
        while let Some((&kind, rest)) = body.split_first() {
            let wide = kind >> 4 != 0;
            let (values, rest) = rest.split_at_checked(if wide { 128 } else { 64 }).ok_or_else(short)?;
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

    pub(super) fn define_codes(&mut self, mut body: &[u8]) -> Result<()> {
        while let Some((&kind, rest)) = body.split_first() {
            let (counts, rest) = rest.split_first_chunk::<16>().ok_or_else(short)?;
            let count = counts.iter().map(|n| usize::from(*n)).sum();
            let (symbols, rest) = rest.split_at_checked(count).ok_or_else(short)?;
            let (class, number) = (usize::from(kind >> 4), usize::from(kind & 15));
            if class > 1 || number > 3 || count > 256 {
                return Err(damaged("a Huffman table of the JPEG is wrong"));
            }
            // Differences of more bits are for lossless pictures only.
            let code = Code::new(*counts, symbols).filter(|_| class == 1 || symbols.iter().all(|s| *s < 16));
            self.given[class][number] = if code.is_some() { Given::Defined } else { Given::Wrong };
            self.codes[class][number] = code;
            body = rest;
        }
        Ok(())
    }

    /// What arithmetic coding goes by.
    pub(super) fn define_conditions(&mut self, body: &[u8]) -> Result<()> {
        let (pairs, []) = body.as_chunks::<2>() else { return Err(short()) };
        for [kind, value] in pairs {
            let number = usize::from(kind & 15);
            match kind >> 4 {
                0 if value & 15 <= value >> 4 => self.conditions.first[number] = (value & 15, value >> 4),
                1 => self.conditions.others[number] = *value,
                _ => return Err(damaged("the conditions of the JPEG's arithmetic coding are wrong")),
            }
        }
        Ok(())
    }

    /// Takes the standard's example codes for what is not defined: frames of moving pictures leave them out.
    pub(super) fn standard(&mut self) {
        for (class, number) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            if self.given[class][number] == Given::Nothing {
                let (counts, symbols) = standard::CODES[class][number];
                self.codes[class][number] = Code::new(*counts, symbols);
                self.given[class][number] = Given::Defined;
            }
        }
    }

    pub(super) fn defined(&self, class: usize, number: usize) -> bool {
        self.given[class].get(number) == Some(&Given::Defined)
    }

    /// Takes the table of this number for a component that has none yet; false if there is no such table.
    pub(super) fn latch(&mut self, component: usize, number: usize) -> bool {
        let slot = &mut self.latched[component];
        *slot = slot.or(self.quant.get(number).copied().flatten());
        slot.is_some()
    }

    /// A component's quantisation; zeros for one that no scan has.
    pub(super) fn quant(&self, component: usize) -> &[u16; 64] {
        const NONE: [u16; 64] = [0; 64];
        self.latched[component % MOST_PARTS].as_ref().unwrap_or(&NONE)
    }

    pub(super) fn conditions(&self) -> &Conditions {
        &self.conditions
    }

    /// Takes note of what a progressive scan gives; false if it does not go on where the ones before it ended. `high`
    /// is the bit down to which it takes them to be known.
    pub(super) fn follows(&mut self, spec: &Spec, high: u32) -> bool {
        let mut fine = true;
        for part in spec.parts() {
            let known = &mut self.known[part % MOST_PARTS];
            fine &= spec.first == 0 || known[0] > 0;
            for bits in known.iter_mut().take(spec.last + 1).skip(spec.first) {
                fine &= u32::from(bits.saturating_sub(1)) == high;
                *bits = spec.low as u8 + 1;
            }
        }
        fine
    }
}

impl Tables {
    /// Makes what a scan of a whole picture of this many bytes is read with.
    pub(super) fn fast(&mut self, components: &[Component], bytes: usize) {
        for component in components {
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
                    Some(table) if table.code() == code => table.suit(bytes),
                    Some(table) => table.become_of(code, bytes),
                    none => *none = Some(AcTable::new(code, bytes)),
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
    pub(super) fn simple(&mut self, components: &[Component], spec: &Spec) {
        let first = (spec.first == 0 && !spec.refines).then_some(Kind::First);
        let others = (spec.last > 0).then_some(if spec.refines { Kind::Found } else { Kind::Others });
        for part in spec.parts() {
            let component = &components[*part];
            for (class, number, kind) in [(0, component.dc & 3, first), (1, component.ac & 3, others)] {
                if let (Some(code), Some(kind)) = (&self.codes[class][number], kind)
                    && self.plain[class][number].as_ref().is_none_or(|table| !table.is_of(code, kind))
                {
                    self.plain[class][number] = Some(Plain::new(code, kind));
                }
            }
        }
    }

    pub(super) fn plain(&self, class: usize, number: usize) -> Option<&Plain> {
        self.plain[class][number & 3].as_ref()
    }
}
