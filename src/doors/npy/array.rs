//! An array, and one row of it.

use bytes::Bytes;
use serde_json::{Number, Value as Json, json};

use super::header::{Header, Kind};
use crate::{
    doors::{codes, field::Value, half, png::Pixels},
    error::{Error, Result},
    limits::Limits,
};

/// Where an array's values are.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// In the file, from here on.
    File(u64),
    /// In memory: it was packed, or its rows do not lie together.
    Memory(Bytes),
}

/// An array of a file.
#[derive(Clone, Debug)]
pub(super) struct Array {
    /// Its name without `.npy`; empty for the only one.
    pub name: String,
    pub header: Header,
    pub place: Place,
}

impl Array {
    /// How many rows there are; an array without dimensions is one.
    pub fn rows(&self) -> u64 {
        self.header.shape.first().copied().unwrap_or(1)
    }
    /// The shape of a row.
    pub fn row_shape(&self) -> &[u64] {
        self.header.shape.get(1..).unwrap_or_default()
    }
    /// Bytes of a row.
    pub fn row_bytes(&self) -> u64 {
        // The whole was multiplied before.
        self.row_shape().iter().fold(self.header.size, |all, &n| all.saturating_mul(n))
    }

    /// The bytes of a row, of an array in memory.
    pub fn row(&self, i: u64) -> Option<Bytes> {
        let Place::Memory(all) = &self.place else { return None };
        let start = usize::try_from(i.checked_mul(self.row_bytes())?).ok()?;
        let end = start.checked_add(usize::try_from(self.row_bytes()).ok()?)?;
        (end <= all.len()).then(|| all.slice(start..end))
    }

    /// How many channels the pixels of a row have, and whether each has a plane of its own.
    pub fn channels(&self) -> Option<(u32, u32, u8, bool)> {
        let size = |n: u64| u32::try_from(n).ok().filter(|&n| n > 0);
        let is_pixels = self.header.kind == Kind::Unsigned && self.header.size <= 2;
        match *self.row_shape() {
            _ if !is_pixels => None,
            [height, width] => Some((size(width)?, size(height)?, 1, false)),
            [height, width, channels @ 1..=4] => Some((size(width)?, size(height)?, channels as u8, false)),
            [channels @ (1 | 3 | 4), height, width] => Some((size(width)?, size(height)?, channels as u8, true)),
            _ => None,
        }
    }

    /// The content of a row: pixels, or an array as a NumPy file of its own.
    pub fn value(&self, row: &Bytes, limits: &Limits) -> Result<Value> {
        limits.item(row.len() as u64)?;
        if row.len() as u64 != self.row_bytes() {
            return Err(Error::new(&codes::NPY_DATA, "the array ends inside of a row"));
        }
        let Some((width, height, channels, planes)) = self.channels() else {
            return Ok(Value::Bytes(self.file(self.row_shape(), row)));
        };
        let size = self.header.size as usize;
        let data = if planes { half::together(row, channels.into(), size) } else { row.clone() };
        let data = if size == 2 && !self.header.is_big { half::swapped(&data) } else { data };
        Ok(Value::Pixels(Pixels { width, height, channels, bits: size as u8 * 8, data }))
    }

    /// NumPy's file of values of this type.
    pub fn file(&self, shape: &[u64], values: &[u8]) -> Bytes {
        let sizes: String = shape.iter().map(|n| format!("{n}, ")).collect();
        let sizes =
            if shape.len() == 1 { sizes.trim_end().to_owned() } else { sizes.trim_end_matches(", ").to_owned() };
        let descr = &self.header.descr;
        let descr = if descr.starts_with('[') { descr.clone() } else { format!("'{descr}'") };
        let mut text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': ({sizes}), }}");
        let blanks = 63 - (10 + text.len()) % 64;
        text.push_str(&" ".repeat(blanks));
        text.push('\n');
        let len = u16::try_from(text.len()).unwrap_or(u16::MAX).to_le_bytes();
        [b"\x93NUMPY\x01\0", &len[..], text.as_bytes(), values].concat().into()
    }

    /// A single number.
    pub fn number(&self, bytes: &[u8]) -> Option<Json> {
        let size = self.header.size as usize;
        let bytes = bytes.get(..size)?;
        let mut eight = [0; 8];
        let place = eight.get_mut(..size)?;
        match self.header.is_big {
            true => place.iter_mut().zip(bytes.iter().rev()).for_each(|(to, from)| *to = *from),
            false => place.copy_from_slice(bytes),
        }
        let number = u64::from_le_bytes(eight);
        let float = |value: f64| Number::from_f64(value).map_or(Json::Null, Json::Number);
        Some(match (self.header.kind, size) {
            (Kind::Bool, _) => (number != 0).into(),
            (Kind::Unsigned, _) => number.into(),
            (Kind::Signed, _) => {
                let empty = 64 - 8 * size as u32;
                (number.cast_signed() << empty >> empty).into()
            }
            (Kind::Float, 2) => float(half::wide(number as u16)),
            (Kind::Float, 4) => half::decimal(f32::from_bits(number as u32)),
            (Kind::Float, 8) => float(f64::from_bits(number)),
            _ => return None,
        })
    }

    /// Describes the array in words.
    pub fn described(&self) -> Json {
        json!({ "dtype": self.words(), "shape": self.header.shape })
    }

    fn words(&self) -> String {
        let bits = self.header.size * 8;
        match self.header.kind {
            Kind::Bool => "bool".to_owned(),
            Kind::Unsigned => format!("uint{bits}"),
            Kind::Signed => format!("int{bits}"),
            Kind::Float => format!("float{bits}"),
            Kind::Other => self.header.descr.clone(),
        }
    }
}

/// Values in the order of C, of those in the order of Fortran: there the first index runs fastest.
pub(super) fn in_rows(header: &Header, values: &[u8]) -> Bytes {
    let size = header.size as usize;
    let count = values.len().checked_div(size).unwrap_or_default();
    if count == 0 {
        return Bytes::new();
    }
    let shape: Vec<usize> = header.shape.iter().map(|&n| n as usize).collect();
    let mut strides = Vec::with_capacity(shape.len());
    let mut stride = 1;
    for &n in &shape {
        strides.push(stride);
        stride *= n;
    }
    let mut out = Vec::with_capacity(values.len());
    let (mut index, mut at) = (vec![0; shape.len()], 0_usize);
    for _ in 0..count {
        out.extend_from_slice(values.get(at * size..(at + 1) * size).unwrap_or_default());
        for k in (0..shape.len()).rev() {
            index[k] += 1;
            at += strides[k];
            if index[k] < shape[k] {
                break;
            }
            at -= strides[k] * shape[k];
            index[k] = 0;
        }
    }
    out.into()
}
