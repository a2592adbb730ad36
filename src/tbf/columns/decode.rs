//! One column of layout D, from its bytes to typed values.

use bytemuck::Pod;
use bytes::Bytes;

use super::encoding::Stored;
use crate::{
    cursor::Cursor,
    error::{Error, Result},
    table::{Binary, Bitmap, Buffer, ColumnData, DataType, DictIndices, DictStrings, Strings},
    tbf::{codes, raw},
};

/// What is known of a column before its values are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape<'a> {
    pub stored: Stored,
    pub rows: usize,
    pub dtype: &'a DataType,
    pub offset: i128,
}

/// The values that begin at the cursor, which moves past them. `bytes` are those the cursor reads, so that
/// values can share them.
pub(super) fn values(c: &mut Cursor<'_>, bytes: &Bytes, shape: Shape<'_>) -> Result<ColumnData> {
    match shape.stored {
        Stored::Bool => {
            let bits = c.take(shape.rows.div_ceil(8))?;
            Ok(ColumnData::Bool(Bitmap::new(bytes.slice_ref(bits), shape.rows)))
        }
        Stored::F32 | Stored::F64 => floats(c, bytes, shape),
        Stored::Dictionary => {
            let dictionary = raw::dictionary(c)?;
            indices(c, bytes, shape.rows, dictionary)
        }
        Stored::Inline => {
            let at = c.offset();
            let (offsets, data) = raw::strings(c, shape.rows)?;
            if *shape.dtype == DataType::Bytes {
                return Ok(ColumnData::Bytes(Binary::new(offsets, data)?));
            }
            Ok(ColumnData::Str(Strings::new(offsets, data).map_err(|e| e.offset(at))?))
        }
        Stored::VarInt => varints(c, shape),
        _ => integers(c, bytes, shape),
    }
}

/// The bytes of an index into a dictionary of this many entries.
pub(super) const fn index_width(entries: usize) -> usize {
    match entries {
        0..=256 => 1,
        257..=65_536 => 2,
        _ => 4,
    }
}

/// Dictionary indexes that begin at the cursor.
pub(super) fn indices(c: &mut Cursor<'_>, bytes: &Bytes, rows: usize, dictionary: Strings) -> Result<ColumnData> {
    let at = c.clone();
    let width = index_width(dictionary.len());
    let stored = take(c, rows, width)?;
    let stored = bytes.slice_ref(stored);
    let indices = match width {
        1 => DictIndices::U8(Buffer::from_le_bytes(stored)),
        2 => DictIndices::U16(Buffer::from_le_bytes(stored)),
        _ => DictIndices::U32(Buffer::from_le_bytes(stored)),
    };
    let entries = dictionary.len();
    DictStrings::new(indices, dictionary).map(ColumnData::Dict).map_err(|e| {
        at.error(&codes::INDEX, format!("{} (of {entries} entries)", e.message())).row(e.place().row.unwrap_or(0))
    })
}

fn take<'a>(c: &mut Cursor<'a>, rows: usize, width: usize) -> Result<&'a [u8]> {
    c.take_u64((rows as u64).saturating_mul(width as u64))
}

fn floats(c: &mut Cursor<'_>, bytes: &Bytes, shape: Shape<'_>) -> Result<ColumnData> {
    let width = if shape.stored == Stored::F32 { 4 } else { 8 };
    let stored = bytes.slice_ref(take(c, shape.rows, width)?);
    Ok(match (shape.stored, shape.dtype) {
        (Stored::F32, DataType::F64) => {
            let narrow = Buffer::<f32>::from_le_bytes(stored);
            ColumnData::F64(narrow.iter().map(|&x| f64::from(x)).collect())
        }
        (Stored::F32, _) => ColumnData::F32(Buffer::from_le_bytes(stored)),
        _ => ColumnData::F64(Buffer::from_le_bytes(stored)),
    })
}

/// An integer that a column can be stored as or hold.
pub(super) trait Whole: Pod + Send + Sync + Ord {
    /// The bits, sign-extended.
    fn bits(self) -> i64;
    /// The number.
    fn wide(self) -> i128;
    /// The number with these low bits.
    fn from_bits(bits: i64) -> Self;
    /// A number that was read as it is stored.
    fn from_le(stored: Self) -> Self;
    /// Smallest and largest.
    const RANGE: (i128, i128);
    /// As values of a column.
    fn data(buffer: Buffer<Self>) -> ColumnData;
}

macro_rules! whole {
    ($($t:ty, $variant:ident);*) => {$(
        impl Whole for $t {
            #[inline]
            fn bits(self) -> i64 {
                self as i64
            }
            fn wide(self) -> i128 {
                self as i128
            }
            #[inline]
            fn from_bits(bits: i64) -> Self {
                bits as $t
            }
            #[inline]
            fn from_le(stored: Self) -> Self {
                <$t>::from_le(stored)
            }
            const RANGE: (i128, i128) = (<$t>::MIN as i128, <$t>::MAX as i128);
            fn data(buffer: Buffer<Self>) -> ColumnData {
                ColumnData::$variant(buffer)
            }
        }
    )*};
}
whole!(i8, I8; i16, I16; i32, I32; i64, I64; u8, U8; u16, U16; u32, U32; u64, U64);

/// Calls a generic function with the integer type that a column's values have in memory.
macro_rules! with_memory_type {
    ($dtype:expr, $f:ident, [$($first:ty),*], ($($arg:expr),*)) => {
        match $dtype {
            DataType::I8 => $f::<$($first,)* i8>($($arg),*),
            DataType::I16 => $f::<$($first,)* i16>($($arg),*),
            DataType::I32 | DataType::Date => $f::<$($first,)* i32>($($arg),*),
            DataType::U8 => $f::<$($first,)* u8>($($arg),*),
            DataType::U16 => $f::<$($first,)* u16>($($arg),*),
            DataType::U32 => $f::<$($first,)* u32>($($arg),*),
            DataType::U64 => $f::<$($first,)* u64>($($arg),*),
            _ => $f::<$($first,)* i64>($($arg),*),
        }
    };
}

fn integers(c: &mut Cursor<'_>, bytes: &Bytes, shape: Shape<'_>) -> Result<ColumnData> {
    macro_rules! stored_as {
        ($t:ty) => {
            with_memory_type!(shape.dtype, fixed, [$t], (c, bytes, shape))
        };
    }
    match shape.stored {
        Stored::I8 => stored_as!(i8),
        Stored::I16 => stored_as!(i16),
        Stored::I32 => stored_as!(i32),
        Stored::U8 => stored_as!(u8),
        Stored::U16 => stored_as!(u16),
        Stored::U32 => stored_as!(u32),
        Stored::U64 => stored_as!(u64),
        _ => stored_as!(i64),
    }
}

fn fixed<S: Whole, L: Whole>(c: &mut Cursor<'_>, bytes: &Bytes, shape: Shape<'_>) -> Result<ColumnData> {
    let at = c.clone();
    let stored = take(c, shape.rows, size_of::<S>())?;
    if shape.offset == 0 && S::RANGE == L::RANGE {
        // The same type: what was stored is shared, or copied once where it is not aligned.
        return Ok(L::data(Buffer::from_le_bytes(bytes.slice_ref(stored))));
    }
    let numbers = || stored.chunks_exact(size_of::<S>()).map(|n| S::from_le(bytemuck::pod_read_unaligned(n)));
    let fits = |low: i128, high: i128| low + shape.offset >= L::RANGE.0 && high + shape.offset <= L::RANGE.1;
    if !(in_reach(shape.offset) && fits(S::RANGE.0, S::RANGE.1)) {
        let low = numbers().min().map_or(0, Whole::wide);
        let high = numbers().max().map_or(0, Whole::wide);
        let all_fit = in_reach(shape.offset) && fits(low, high);
        if !(stored.is_empty() || all_fit) {
            let row = numbers().position(|n| !in_reach(shape.offset) || !fits(n.wide(), n.wide()));
            return Err(outside(&at, shape, row.unwrap_or(0)));
        }
    }
    // The sum is right modulo 2^64 and known to fit.
    let offset = shape.offset as i64;
    Ok(L::data(numbers().map(|n| L::from_bits(n.bits().wrapping_add(offset))).collect()))
}

fn in_reach(offset: i128) -> bool {
    offset.unsigned_abs() <= u128::from(u64::MAX)
}

fn outside(at: &Cursor<'_>, shape: Shape<'_>, row: usize) -> Error {
    at.error(&codes::VALUE, format!("a value is outside of {}", shape.dtype)).row(row as u64)
}

fn varints(c: &mut Cursor<'_>, shape: Shape<'_>) -> Result<ColumnData> {
    with_memory_type!(shape.dtype, varint_column, [], (c, shape))
}

fn varint_column<L: Whole>(c: &mut Cursor<'_>, shape: Shape<'_>) -> Result<ColumnData> {
    if shape.rows > c.remaining() {
        return Err(c.error(&codes::COUNT, format!("{} rows, where {} bytes are left", shape.rows, c.remaining())));
    }
    let bytes = c.rest();
    let mut out: Vec<L> = Vec::with_capacity(shape.rows);
    let mut block = [0u64; 1024];
    let (mut at, mut all) = (0, 0);
    while out.len() < shape.rows {
        let wanted = &mut block[..(shape.rows - out.len()).min(1024)];
        let found = raw::read_varints(bytes, &mut at, wanted);
        all = wanted[..found].iter().fold(all, |all, n| all | n);
        out.extend(wanted[..found].iter().map(|&n| L::from_bits(raw::unzigzag(n))));
        if found < wanted.len() {
            c.take(at)?;
            return Err(raw::bad_varint(c).row(out.len() as u64));
        }
    }
    // The bits of all numbers together say whether any can be out of range.
    let wrong = i128::from(all >> 1) > L::RANGE.1 || (L::RANGE.0 == 0 && all & 1 != 0);
    if wrong || shape.offset != 0 {
        let fits = |n: i64| (L::RANGE.0..=L::RANGE.1).contains(&(i128::from(n).saturating_add(shape.offset)));
        let mut again = 0;
        for (row, value) in out.iter_mut().enumerate() {
            let n = raw::unzigzag(raw::read_varint(bytes, &mut again).unwrap_or_default());
            if !fits(n) {
                return Err(outside(c, shape, row));
            }
            *value = L::from_bits(n.wrapping_add(shape.offset as i64));
        }
    }
    c.take(at)?;
    Ok(L::data(out.into()))
}
