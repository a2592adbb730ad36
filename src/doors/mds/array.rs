//! Arrays of numbers. The encoding has type and shape, or each value begins with them.

use bytes::Bytes;
use serde_json::{Value as Json, json};

use super::numeric::Numeric;
use crate::{
    doors::{codes, field::Value, half, png::Pixels},
    error::{Error, Result},
    limits::Limits,
};

/// Of larger arrays metadata has only type and shape.
const SHOWN: usize = 4096;
/// The most dimensions that NumPy has.
const DIMENSIONS: usize = 64;

/// What the encoding declares for the arrays of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::doors) struct Array {
    dtype: Option<Numeric>,
    shape: Option<Vec<u64>>,
}

impl Array {
    /// Parses the text after `ndarray:`, such as `uint8:10,12,3`.
    pub fn of(words: &str) -> Result<Array> {
        let wrong = || {
            let message = format!("the encoding \"ndarray:{words}\" is not known; write the column again as bytes");
            Error::new(&codes::MDS_ENCODING, message)
        };
        let (dtype, shape) = words.split_once(':').map_or((words, None), |(dtype, shape)| (dtype, Some(shape)));
        let dtype = if dtype.is_empty() { None } else { Some(Numeric::of(dtype).ok_or_else(wrong)?) };
        let number = |word: &str| word.trim().parse::<u64>().map_err(|_| wrong());
        let shape = shape.map(|shape| shape.split(',').filter(|w| !w.is_empty()).map(number).collect()).transpose()?;
        Ok(Array { dtype, shape })
    }
}

/// An array as LitData writes it: the number of its type, how many dimensions, and they, and then the values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::doors) struct Headed {
    /// Whether the numbers of the head have their high byte first; values never have.
    pub is_big: bool,
    /// The types by their numbers.
    pub types: &'static [Option<Numeric>],
    /// The type of arrays of one dimension that have no head.
    pub only: Option<Numeric>,
}

/// The type that a number means.
fn numbered(byte: u8) -> Option<Numeric> {
    Some(match byte {
        8 => Numeric::U8,
        9 => Numeric::I8,
        16 => Numeric::U16,
        17 => Numeric::I16,
        18 => Numeric::F16,
        32 => Numeric::U32,
        33 => Numeric::I32,
        34 => Numeric::F32,
        64 => Numeric::U64,
        65 => Numeric::I64,
        66 => Numeric::F64,
        _ => return None,
    })
}

/// An array: pixels if it has the type and the shape of them, and otherwise type, shape and values.
pub(super) fn value(array: &Array, bytes: &Bytes, limits: &Limits) -> Result<Value> {
    let wrong = |message: String| Error::new(&codes::MDS_SAMPLE, message);
    let short = || wrong("the array ends inside its head".to_owned());
    let mut at = 0;
    let mut take = |n: usize| {
        let taken = bytes.get(at..at + n).ok_or_else(short)?;
        at += n;
        Ok::<_, Error>(taken)
    };
    let dtype = match array.dtype {
        Some(dtype) => dtype,
        None => {
            let byte = take(1)?.first().copied().unwrap_or_default();
            numbered(byte).ok_or_else(|| wrong(format!("there is no type of number {byte}")))?
        }
    };
    let shape = match &array.shape {
        Some(shape) => shape.clone(),
        None => {
            let byte = take(1)?.first().copied().unwrap_or_default();
            let (dimensions, width) = (usize::from(byte >> 2), 1_usize << (byte & 3));
            if dimensions > DIMENSIONS {
                return Err(wrong(format!("an array has at most {DIMENSIONS} dimensions, and this one {dimensions}")));
            }
            let sizes = take(dimensions * width)?.chunks_exact(width);
            sizes.map(|size| size.iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte))).collect()
        }
    };
    made(dtype, &shape, &bytes.slice(at..), limits)
}

/// An array that has its type and shape in front, or none.
pub(super) fn headed(headed: &Headed, bytes: &Bytes, limits: &Limits) -> Result<Value> {
    let wrong = |message: String| Error::new(&codes::MDS_SAMPLE, message);
    if let Some(dtype) = headed.only {
        return made(dtype, &[(bytes.len() / dtype.size()) as u64], bytes, limits);
    }
    let (numbers, _) = bytes.as_chunks::<4>();
    let read = |bytes: &[u8; 4]| if headed.is_big { u32::from_be_bytes(*bytes) } else { u32::from_le_bytes(*bytes) };
    let short = || wrong("the array ends inside its head".to_owned());
    let [dtype, dimensions, rest @ ..] = numbers else { return Err(short()) };
    let (dtype, dimensions) = (read(dtype) as usize, read(dimensions) as usize);
    let known = headed.types.get(dtype).copied().flatten();
    let known = known.ok_or_else(|| wrong(format!("arrays of the type of number {dtype} are not read")))?;
    if dimensions > DIMENSIONS {
        return Err(wrong(format!("an array has at most {DIMENSIONS} dimensions, and this one {dimensions}")));
    }
    let shape: Vec<u64> = rest.get(..dimensions).ok_or_else(short)?.iter().map(|n| read(n).into()).collect();
    made(known, &shape, &bytes.slice(8 + 4 * dimensions..), limits)
}

fn made(dtype: Numeric, shape: &[u64], data: &Bytes, limits: &Limits) -> Result<Value> {
    let wrong = |message: String| Error::new(&codes::MDS_SAMPLE, message);
    let count = shape.iter().try_fold(1_u64, |all, &size| all.checked_mul(size));
    let expected = count.and_then(|count| count.checked_mul(dtype.size() as u64));
    if expected != Some(data.len() as u64) {
        return Err(wrong(format!("an array of {} and shape {shape:?} has {} bytes", dtype.name(), data.len())));
    }
    limits.item(data.len() as u64)?;
    if let Some(pixels) = pixels(dtype, shape, data) {
        return Ok(Value::Pixels(pixels));
    }
    let values = data.chunks_exact(dtype.size());
    if values.len() > SHOWN {
        return Ok(Value::Json(json!({ "dtype": dtype.name(), "shape": shape })));
    }
    let values: Vec<Json> = values.filter_map(|bytes| dtype.read(bytes)).collect();
    Ok(Value::Json(json!({ "dtype": dtype.name(), "shape": shape, "values": values })))
}

/// Lines of pixels of one to four channels, if the array has the type and the shape of that.
fn pixels(dtype: Numeric, shape: &[u64], data: &Bytes) -> Option<Pixels> {
    let (height, width, channels, planes) = match *shape {
        // PyTorch has a plane for each channel.
        [channels @ (1 | 3 | 4), height, width] if height >= 8 && width >= 8 => (height, width, channels, true),
        // Smaller ones are vectors and matrices.
        [height, width, ..] if height < 8 || width < 8 => return None,
        [height, width] => (height, width, 1, false),
        [height, width, channels @ (1 | 3 | 4)] => (height, width, channels, false),
        _ => return None,
    };
    let bits = match dtype {
        Numeric::U8 => 8,
        Numeric::U16 => 16,
        _ => return None,
    };
    let (width, height) = (u32::try_from(width).ok()?, u32::try_from(height).ok()?);
    let data = if planes { half::together(data, channels as usize, bits as usize / 8) } else { data.clone() };
    let data = if bits == 16 { half::swapped(&data) } else { data };
    (width > 0 && height > 0).then_some(Pixels { width, height, channels: channels as u8, bits, data })
}
