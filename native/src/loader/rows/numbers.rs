//! Numbers of one type.

/// Numbers of one type.
#[derive(Clone, Debug)]
pub(super) enum Numbers {
    I64(Vec<i64>),
    F32(Vec<f32>),
    U8(Vec<u8>),
}

impl Numbers {
    pub(super) fn len(&self) -> usize {
        match self {
            Numbers::I64(all) => all.len(),
            Numbers::F32(all) => all.len(),
            Numbers::U8(all) => all.len(),
        }
    }
    pub(super) fn none(&self, count: usize) -> Numbers {
        match self {
            Numbers::I64(_) => Numbers::I64(Vec::with_capacity(count)),
            Numbers::F32(_) => Numbers::F32(Vec::with_capacity(count)),
            Numbers::U8(_) => Numbers::U8(Vec::with_capacity(count)),
        }
    }
    pub(super) fn add(&mut self, from: &Numbers, range: std::ops::Range<usize>) {
        match (self, from) {
            (Numbers::I64(to), Numbers::I64(from)) => to.extend_from_slice(from.get(range).unwrap_or_default()),
            (Numbers::F32(to), Numbers::F32(from)) => to.extend_from_slice(from.get(range).unwrap_or_default()),
            (Numbers::U8(to), Numbers::U8(from)) => to.extend_from_slice(from.get(range).unwrap_or_default()),
            _ => {}
        }
    }
    pub(super) fn bytes(&self) -> usize {
        match self {
            Numbers::I64(all) => all.len() * 8,
            Numbers::F32(all) => all.len() * 4,
            Numbers::U8(all) => all.len(),
        }
    }
}
