//! One column of layout D, from typed values to its bytes, with what the footer says about them.

use serde_json::Value as Json;

use super::{
    decode::{Whole, index_width},
    dictionary::Dictionary,
    encoding::{FieldEncoding, Stored},
    footer::{LONGEST_BOUND, MARK_ROWS},
};
use crate::{
    error::{Error, Result},
    table::{Binary, Bitmap, Column, ColumnData, DataType, DictIndices},
    tbf::{
        codes,
        raw::{
            LONGEST_VARINT, put_bytes, put_dictionary, put_long_varint, put_varint, put_varints, varint_len, zigzag,
        },
    },
};

/// What was written, for the footer.
#[derive(Debug)]
pub(super) struct Written {
    pub stored: Stored,
    pub offset: i128,
    /// Where the values begin, counted from the column's first byte.
    pub values: usize,
    pub min: Json,
    pub max: Json,
    pub distinct: Option<u64>,
    pub marks: Vec<u64>,
}

impl Written {
    fn new(stored: Stored) -> Self {
        Written { stored, offset: 0, values: 0, min: Json::Null, max: Json::Null, distinct: None, marks: vec![] }
    }
}

/// What a column's place in its file asks of its count, which may be written with more bytes than it needs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    /// Where the column will begin, so that its values begin at a multiple of their width and a reader can use them
    /// where they are; `None` if this does not matter.
    pub at: Option<u64>,
    /// The count must be longer than it needs to be: the first column of a table says like this that a footer follows.
    pub promise: bool,
}

impl Place {
    /// How many bytes longer the count must be for values of this width to stand well, `before` bytes from the
    /// column's first. A count of many bytes cannot grow that far; the values are copied then.
    fn padding(self, before: usize, count: usize, width: usize) -> usize {
        let least = usize::from(self.promise);
        let Some(at) = self.at else { return least };
        let past = (at + before as u64) % width as u64;
        let padding = if past == 0 { 0 } else { width - past as usize };
        let padding = if padding < least { padding + width } else { padding };
        if count + padding > LONGEST_VARINT { least } else { padding }
    }
}

/// Appends a column: type number, row count, values.
pub(super) fn column(out: &mut Vec<u8>, column: &Column, encoding: FieldEncoding, place: Place) -> Result<Written> {
    if !encoding.fits(column.dtype()) {
        let message = format!("a column of {} cannot be stored as {}", column.dtype(), encoding.name());
        return Err(Error::new(&codes::SCHEMA, message));
    }
    let validity = column.validity().filter(|_| column.null_count() > 0);
    match (column.dtype(), column.data()) {
        (DataType::Bool, ColumnData::Bool(bits)) => Ok(bools(out, bits, validity, place)),
        (DataType::F32, ColumnData::F32(b)) => Ok(floats(out, b, Stored::F32, validity, place)),
        (DataType::F64, ColumnData::F64(b)) => doubles(out, b, encoding, validity, place),
        (DataType::Bytes, ColumnData::Bytes(b)) => Ok(inline(out, b, validity, false, place)),
        (DataType::String, ColumnData::Str(s)) => strings(out, s.as_binary(), encoding, validity, place),
        (DataType::String, ColumnData::Dict(d)) => match encoding {
            FieldEncoding::Inline => Ok(inline(out, d.expand()?.as_binary(), validity, true, place)),
            _ => Ok(dictionary_column(out, &Dictionary::from_column(d, validity)?, place)),
        },
        (
            DataType::Date | DataType::TimestampMs | DataType::TimestampUs | DataType::I32 | DataType::I64,
            ColumnData::I32(_) | ColumnData::I64(_),
        )
        | (
            DataType::I8 | DataType::I16 | DataType::U8 | DataType::U16 | DataType::U32 | DataType::U64,
            ColumnData::I8(_)
            | ColumnData::I16(_)
            | ColumnData::U8(_)
            | ColumnData::U16(_)
            | ColumnData::U32(_)
            | ColumnData::U64(_),
        ) => match column.data() {
            ColumnData::I8(b) => integers(out, b, encoding, validity, place),
            ColumnData::I16(b) => integers(out, b, encoding, validity, place),
            ColumnData::I32(b) => integers(out, b, encoding, validity, place),
            ColumnData::U8(b) => integers(out, b, encoding, validity, place),
            ColumnData::U16(b) => integers(out, b, encoding, validity, place),
            ColumnData::U32(b) => integers(out, b, encoding, validity, place),
            ColumnData::U64(b) => integers(out, b, encoding, validity, place),
            ColumnData::I64(b) => integers(out, b, encoding, validity, place),
            _ => Err(unsupported(column.dtype())),
        },
        _ => Err(unsupported(column.dtype())),
    }
}

fn unsupported(dtype: &DataType) -> Error {
    Error::new(&codes::CANNOT_HOLD, format!("TBF has no columns of {dtype}"))
}

/// Writes the type number and the count, and says how many bytes they take; values of `width` bytes follow after
/// `between` others.
fn head(out: &mut Vec<u8>, stored: Stored, rows: usize, place: Place, between: usize, width: usize) -> usize {
    let start = out.len();
    put_varint(out, stored.tag().into());
    let count = varint_len(rows as u64);
    let padding = place.padding(out.len() - start + count + between, count, width);
    put_long_varint(out, rows as u64, padding);
    out.len() - start
}

fn is_valid(validity: Option<&Bitmap>, row: usize) -> bool {
    validity.is_none_or(|v| v.get(row))
}

fn bools(out: &mut Vec<u8>, bits: &Bitmap, validity: Option<&Bitmap>, place: Place) -> Written {
    let mut w = Written::new(Stored::Bool);
    w.values = head(out, w.stored, bits.len(), place, 0, 1);
    let start = out.len();
    out.extend_from_slice(&bits.to_packed());
    if let Some(v) = validity {
        let v = v.to_packed();
        out[start..].iter_mut().zip(v.iter()).for_each(|(b, v)| *b &= v);
    }
    let there = validity.map_or(bits.len(), Bitmap::count_ones);
    let set = out[start..].iter().map(|b| b.count_ones() as usize).sum::<usize>();
    if there > 0 {
        (w.min, w.max) = (Json::Bool(set == there), Json::Bool(set > 0));
    }
    w
}

fn doubles(
    out: &mut Vec<u8>,
    values: &[f64],
    encoding: FieldEncoding,
    validity: Option<&Bitmap>,
    place: Place,
) -> Result<Written> {
    let lost = |x: &f64| f64::from(*x as f32).to_bits() != x.to_bits();
    let narrow = match encoding {
        FieldEncoding::Float64 => false,
        _ => !values.iter().enumerate().any(|(i, x)| lost(x) && is_valid(validity, i)),
    };
    if !narrow && encoding == FieldEncoding::Float32 {
        let row = values.iter().enumerate().position(|(i, x)| lost(x) && is_valid(validity, i)).unwrap_or(0);
        let x = values.get(row).copied().unwrap_or_default();
        return Err(Error::new(&codes::WIDTH, format!("{x} is not a number of 32 bits")).row(row as u64));
    }
    if narrow {
        let values: Vec<f32> = values.iter().map(|&x| x as f32).collect();
        return Ok(floats(out, &values, Stored::F32, validity, place));
    }
    Ok(floats(out, values, Stored::F64, validity, place))
}

/// Either width of float.
trait Float: bytemuck::Pod + PartialOrd + Into<f64> {
    const HIGHEST: Self;
    const LOWEST: Self;
}
impl Float for f32 {
    const HIGHEST: Self = f32::INFINITY;
    const LOWEST: Self = f32::NEG_INFINITY;
}
impl Float for f64 {
    const HIGHEST: Self = f64::INFINITY;
    const LOWEST: Self = f64::NEG_INFINITY;
}

fn floats<F: Float>(
    out: &mut Vec<u8>,
    values: &[F],
    stored: Stored,
    validity: Option<&Bitmap>,
    place: Place,
) -> Written {
    let mut w = Written::new(stored);
    w.values = head(out, stored, values.len(), place, 0, size_of::<F>());
    let mut low = F::HIGHEST;
    let mut high = F::LOWEST;
    let start = out.len();
    let le = |out: &mut Vec<u8>, values: &[F]| {
        let start = out.len();
        out.extend_from_slice(bytemuck::cast_slice(values));
        if cfg!(target_endian = "big") {
            out[start..].chunks_exact_mut(size_of::<F>()).for_each(<[u8]>::reverse);
        }
    };
    // Comparisons with NaN are false, so it takes no part in the bounds.
    match validity {
        None => {
            le(out, values);
            // Several bounds side by side do not wait for each other.
            let (mut lows, mut highs) = ([low; 8], [high; 8]);
            let (groups, rest) = values.as_chunks::<8>();
            for group in groups {
                for ((low, high), &x) in lows.iter_mut().zip(&mut highs).zip(group) {
                    *low = if x < *low { x } else { *low };
                    *high = if x > *high { x } else { *high };
                }
            }
            low = lows.iter().chain(rest).fold(low, |low, &x| if x < low { x } else { low });
            high = highs.iter().chain(rest).fold(high, |high, &x| if x > high { x } else { high });
        }
        Some(v) => {
            for (i, &x) in values.iter().enumerate() {
                if v.get(i) {
                    le(out, &[x]);
                    low = if x < low { x } else { low };
                    high = if x > high { x } else { high };
                } else {
                    out.resize(out.len() + size_of::<F>(), 0);
                }
            }
        }
    }
    debug_assert_eq!(out.len() - start, size_of_val(values));
    if low <= high {
        (w.min, w.max) = (float_bound(low.into()), float_bound(high.into()));
    }
    w
}

fn float_bound(x: f64) -> Json {
    match x {
        f64::INFINITY => "Infinity".into(),
        f64::NEG_INFINITY => "-Infinity".into(),
        x => serde_json::Number::from_f64(x).map_or(Json::Null, Json::Number),
    }
}

/// What integers are like.
struct Extent {
    min: i128,
    max: i128,
    any: bool,
}

fn extent<L: Whole>(values: &[L], validity: Option<&Bitmap>) -> Extent {
    let bounds = match validity {
        // Folded by value, so that many are compared at once.
        None => values.first().map(|&first| {
            let least = values.iter().fold(first, |m, &n| n.min(m));
            (least, values.iter().fold(first, |m, &n| n.max(m)))
        }),
        Some(v) => {
            let there = || values.iter().enumerate().filter(|(i, _)| v.get(*i)).map(|(_, n)| *n);
            there().min().zip(there().max())
        }
    };
    match bounds {
        Some((min, max)) => Extent { min: min.wide(), max: max.wide(), any: true },
        None => Extent { min: 0, max: 0, any: false },
    }
}

const WIDTHS: [(Stored, Stored, i128, i128); 4] = [
    (Stored::U8, Stored::I8, u8::MAX as i128, i8::MIN as i128),
    (Stored::U16, Stored::I16, u16::MAX as i128, i16::MIN as i128),
    (Stored::U32, Stored::I32, u32::MAX as i128, i32::MIN as i128),
    (Stored::U64, Stored::I64, u64::MAX as i128, i64::MIN as i128),
];

/// The smallest fixed width, with an offset only if that makes it smaller.
fn smallest(e: &Extent) -> (Stored, i128) {
    let width = |(unsigned, signed, top, bottom): &(Stored, Stored, i128, i128)| {
        if e.min >= 0 && e.max <= *top {
            return Some((*unsigned, 0));
        }
        if e.min >= *bottom && e.max < -*bottom {
            return Some((*signed, 0));
        }
        (e.max - e.min <= *top && *top <= i128::from(u32::MAX)).then_some((*unsigned, e.min))
    };
    WIDTHS.iter().find_map(width).unwrap_or((Stored::I64, 0))
}

fn integers<L: Whole>(
    out: &mut Vec<u8>,
    values: &[L],
    encoding: FieldEncoding,
    validity: Option<&Bitmap>,
    place: Place,
) -> Result<Written> {
    let e = extent(values, validity);
    let (stored, offset) = choose(values, &e, encoding);
    check_extent(values, &e, stored, offset, validity, L::RANGE)?;
    let mut w = Written::new(stored);
    w.offset = offset;
    w.values = head(out, stored, values.len(), place, 0, stored.width().unwrap_or(1));
    if e.any {
        (w.min, w.max) = (whole_bound(e.min), whole_bound(e.max));
    }
    match stored {
        Stored::U8 => narrow::<L, 1>(out, values, offset, validity),
        Stored::I8 => narrow::<L, 1>(out, values, offset, validity),
        Stored::U16 | Stored::I16 => narrow::<L, 2>(out, values, offset, validity),
        Stored::U32 | Stored::I32 => narrow::<L, 4>(out, values, offset, validity),
        Stored::VarInt => w.marks = varints(out, values, validity),
        _ => narrow::<L, 8>(out, values, offset, validity),
    }
    Ok(w)
}

fn whole_bound(n: i128) -> Json {
    match (i64::try_from(n), u64::try_from(n)) {
        (Ok(n), _) => n.into(),
        (_, Ok(n)) => n.into(),
        _ => Json::Null,
    }
}

fn choose<L: Whole>(values: &[L], e: &Extent, encoding: FieldEncoding) -> (Stored, i128) {
    use FieldEncoding as F;
    match encoding {
        F::I8 => (Stored::I8, 0),
        F::I16 => (Stored::I16, 0),
        F::I32 => (Stored::I32, 0),
        F::I64 => (Stored::I64, 0),
        F::U8 => (Stored::U8, 0),
        F::U16 => (Stored::U16, 0),
        F::U32 => (Stored::U32, 0),
        F::U64 => (Stored::U64, 0),
        F::VarInt => (Stored::VarInt, 0),
        F::U8Offset { offset } => (Stored::U8, offset.into()),
        F::U16Offset { offset } => (Stored::U16, offset.into()),
        F::U32Offset { offset } => (Stored::U32, offset.into()),
        _ => {
            let (stored, offset) = smallest(e);
            let fixed = stored.width().unwrap_or(8) * values.len();
            // Fixed widths are read much faster, so integers of varying length must save a quarter.
            let worth_it = fixed > 2 * values.len()
                && e.max <= i128::from(i64::MAX)
                && varint_bytes(values, fixed / 4 * 3) <= fixed / 4 * 3;
            if worth_it { (Stored::VarInt, 0) } else { (stored, offset) }
        }
    }
}

/// The bytes of all values as varints; if it is clear that they pass `enough`, what they are by then.
fn varint_bytes<L: Whole>(values: &[L], enough: usize) -> usize {
    let mut total = 0;
    for chunk in values.chunks(4096) {
        total += chunk.iter().map(|n| varint_len(zigzag(n.bits()))).sum::<usize>();
        if total > enough {
            break;
        }
    }
    total
}

fn check_extent<L: Whole>(
    values: &[L],
    e: &Extent,
    stored: Stored,
    offset: i128,
    validity: Option<&Bitmap>,
    range: (i128, i128),
) -> Result<()> {
    let (low, high) = match stored {
        Stored::I8 => i8::RANGE,
        Stored::I16 => i16::RANGE,
        Stored::I32 => i32::RANGE,
        Stored::U8 => u8::RANGE,
        Stored::U16 => u16::RANGE,
        Stored::U32 => u32::RANGE,
        Stored::U64 => u64::RANGE,
        _ => i64::RANGE,
    };
    if offset < range.0 || offset > range.1 {
        return Err(Error::new(&codes::WIDTH, format!("the offset {offset} is outside of the column's type")));
    }
    let fits = |n: i128| (low..=high).contains(&(n - offset));
    if !e.any || fits(e.min) && fits(e.max) {
        return Ok(());
    }
    let row = values.iter().enumerate().position(|(i, n)| is_valid(validity, i) && !fits(n.wide())).unwrap_or(0);
    let value = values.get(row).map_or(0, |n| n.wide());
    let plus = if offset == 0 { String::new() } else { format!(" with offset {offset}") };
    let message =
        format!("{value} does not fit {}{plus}, which holds {} to {}", stored.name(), low + offset, high + offset);
    Err(Error::new(&codes::WIDTH, message).row(row as u64))
}

/// Appends the low `W` bytes of each value less the offset; they are known to suffice.
fn narrow<L: Whole, const W: usize>(out: &mut Vec<u8>, values: &[L], offset: i128, validity: Option<&Bitmap>) {
    let start = out.len();
    if offset == 0 && W == size_of::<L>() && validity.is_none() && cfg!(target_endian = "little") {
        out.extend_from_slice(bytemuck::cast_slice(values));
        return;
    }
    let offset = offset as i64;
    out.resize(start + values.len() * W, 0);
    let slots = out[start..].as_chunks_mut::<W>().0;
    let low = |n: &L| {
        let bytes = n.bits().wrapping_sub(offset).to_le_bytes();
        let mut low = [0; W];
        low.copy_from_slice(&bytes[..W]);
        low
    };
    match validity {
        None => slots.iter_mut().zip(values).for_each(|(slot, n)| *slot = low(n)),
        Some(v) => {
            for (i, (slot, n)) in slots.iter_mut().zip(values).enumerate() {
                if v.get(i) {
                    *slot = low(n);
                }
            }
        }
    }
}

fn varints<L: Whole>(out: &mut Vec<u8>, values: &[L], validity: Option<&Bitmap>) -> Vec<u64> {
    let start = out.len();
    let mut marks = Vec::with_capacity(values.len() / MARK_ROWS);
    for (k, chunk) in values.chunks(MARK_ROWS).enumerate() {
        if k > 0 {
            marks.push((out.len() - start) as u64);
        }
        match validity {
            None => put_varints(out, chunk.iter().map(|n| zigzag(n.bits()))),
            Some(v) => {
                let valid = |i: usize| v.get(k * MARK_ROWS + i);
                put_varints(out, chunk.iter().enumerate().map(|(i, n)| if valid(i) { zigzag(n.bits()) } else { 0 }));
            }
        }
    }
    marks
}

fn strings(
    out: &mut Vec<u8>,
    values: &Binary,
    encoding: FieldEncoding,
    validity: Option<&Bitmap>,
    place: Place,
) -> Result<Written> {
    let limit = match encoding {
        FieldEncoding::Inline => return Ok(inline(out, values, validity, true, place)),
        FieldEncoding::Dictionary => None,
        _ => Some(values.used().len() + values.len()),
    };
    match Dictionary::build(values, validity, limit)? {
        Some(d) => Ok(dictionary_column(out, &d, place)),
        None => Ok(inline(out, values, validity, true, place)),
    }
}

fn dictionary_column(out: &mut Vec<u8>, d: &Dictionary, place: Place) -> Written {
    let mut w = Written::new(Stored::Dictionary);
    let start = out.len();
    let mut entries = Vec::with_capacity(d.entries.used().len() + 2 * d.entries.len() + 8);
    put_dictionary(&mut entries, d.entries.iter());
    head(out, w.stored, d.indices.len(), place, entries.len(), index_width(d.entries.len()));
    out.extend_from_slice(&entries);
    w.values = out.len() - start;
    match &d.indices {
        DictIndices::U8(b) => out.extend_from_slice(b),
        DictIndices::U16(b) => narrow::<u16, 2>(out, b, 0, None),
        DictIndices::U32(b) => narrow::<u32, 4>(out, b, 0, None),
    }
    w.distinct = Some(d.distinct());
    let there = || d.entries.iter().zip(&d.used).filter(|(_, used)| **used).map(|(e, _)| e);
    (w.min, w.max) = text_bounds(there().min(), there().max());
    w
}

fn text_bounds(min: Option<&[u8]>, max: Option<&[u8]>) -> (Json, Json) {
    let text = |bound: Option<&[u8]>| {
        let short = bound.filter(|b| b.len() <= LONGEST_BOUND)?;
        std::str::from_utf8(short).ok().map(Json::from)
    };
    (text(min).unwrap_or_default(), text(max).unwrap_or_default())
}

fn inline(out: &mut Vec<u8>, values: &Binary, validity: Option<&Bitmap>, is_text: bool, place: Place) -> Written {
    let mut w = Written::new(Stored::Inline);
    w.values = head(out, w.stored, values.len(), place, 0, 1);
    let start = out.len();
    out.reserve(values.used().len() + values.len());
    let (mut min, mut max): (Option<&[u8]>, Option<&[u8]>) = (None, None);
    for (i, s) in values.iter().enumerate() {
        if i > 0 && i % MARK_ROWS == 0 {
            w.marks.push((out.len() - start) as u64);
        }
        if !is_valid(validity, i) {
            out.push(0);
            continue;
        }
        put_bytes(out, s);
        if is_text {
            min = Some(min.map_or(s, |m| m.min(s)));
            max = Some(max.map_or(s, |m| m.max(s)));
        }
    }
    (w.min, w.max) = text_bounds(min, max);
    w
}
