//! Tables of every type, with the values that break things, from a seed.

use std::sync::Arc;

use forebay::table::{Batch, Clock, ColumnBuilder, DataType, Field, KeyType, Schema, Value, VectorRow};

/// Types that every format holds as they are.
pub fn plain() -> Vec<DataType> {
    DataType::simple().filter(is_plain).collect()
}

/// The other scalars.
pub fn others() -> Vec<DataType> {
    DataType::simple().filter(|dtype| !is_plain(dtype)).collect()
}

fn is_plain(dtype: &DataType) -> bool {
    dtype.is_integer() || matches!(dtype, DataType::Bool | DataType::F32 | DataType::F64 | DataType::String)
}

/// Keys and vectors of several shapes.
pub fn composed() -> Vec<DataType> {
    let key = DataType::Key { inner: KeyType::U32, count: 9 };
    vec![
        key.clone(),
        DataType::Key { inner: KeyType::U64, count: u64::MAX },
        DataType::vector(DataType::F32, None),
        DataType::vector(DataType::I64, Some(3)),
        DataType::vector(DataType::String, None),
        DataType::vector(DataType::DateTime, Some(2)),
        DataType::vector(key, None),
        DataType::Vector { item: Box::new(DataType::U8), dims: vec![2, 2] },
    ]
}

use crate::dice::Dice;

impl Dice {
    fn bits(&mut self) -> u64 {
        match self.below(6) {
            0 | 1 => self.below(3),
            2 => u64::MAX,
            3 => 1 << self.below(64),
            4 => (1 << 63) - 1,
            _ => self.roll(),
        }
    }
}

const TEXTS: [&str; 14] = [
    "",
    " ",
    "a",
    "NaN",
    "null",
    "007",
    "a,b",
    "\"",
    "\"\"",
    "line\nbreak\r\nand \u{0} control \u{7f}",
    "\u{feff}mark",
    "Grüße 🎉 e\u{301}",
    "\t",
    "[1,2]",
];

const JSONS: [&str; 5] = [r#"{"a":[1,null,{"b":"\"x\""}]}"#, "[]", "18446744073709551615", "\"text\"", "0.1"];

/// Adds a value of the column's type.
fn push(column: &mut ColumnBuilder, dice: &mut Dice) {
    let bits = dice.bits();
    // Up to the year 9999 and back to the year 1, so that every calendar has it.
    const LAST: i64 = 3_155_378_975_999_999_999;
    const EPOCH: i64 = 621_355_968_000_000_000;
    let ticks = (bits % LAST as u64) as i64;
    let text;
    let items;
    let value = match column.dtype().clone() {
        DataType::Bool => Value::Bool(bits & 1 == 1),
        DataType::I8 => Value::Int((bits as i8).into()),
        DataType::I16 => Value::Int((bits as i16).into()),
        DataType::I32 => Value::Int((bits as i32).into()),
        DataType::I64 => Value::Int(bits as i64),
        DataType::U8 => Value::UInt((bits as u8).into()),
        DataType::U16 => Value::UInt((bits as u16).into()),
        DataType::U32 => Value::UInt((bits as u32).into()),
        DataType::U64 => Value::UInt(bits),
        DataType::F32 => Value::F32(match dice.below(4) {
            0 => f32::NAN,
            1 => -0.0,
            2 => 0.1,
            _ => f32::from_bits(bits as u32),
        }),
        DataType::F64 => Value::F64(match dice.below(5) {
            0 => f64::NAN,
            1 => -0.0,
            2 => f64::NEG_INFINITY,
            3 => 5e-324,
            _ => f64::from_bits(dice.roll()),
        }),
        DataType::String => Value::Str(TEXTS[dice.below(TEXTS.len() as u64) as usize]),
        DataType::Json => Value::Json(JSONS[dice.below(JSONS.len() as u64) as usize]),
        DataType::Bytes => {
            text = bits.to_le_bytes();
            Value::Bytes(&text[..dice.below(9) as usize])
        }
        DataType::Date => Value::Time(Clock::Date(((ticks - EPOCH) / 864_000_000_000) as i32)),
        DataType::TimeUs => Value::Time(Clock::TimeUs((bits % 86_400_000_000) as i64)),
        DataType::TimestampMs => Value::Time(Clock::TimestampMs((ticks - EPOCH) / 10_000)),
        DataType::TimestampUs => Value::Time(Clock::TimestampUs((ticks - EPOCH) / 10)),
        // To 100 ns, which is all that IDV holds; a test of its own takes finer ones through the other formats.
        DataType::TimestampNs => Value::Time(Clock::TimestampNs(bits as i64 / 100 * 100)),
        // IDV has no place for the least; a test of its own takes that one through the other formats.
        DataType::Ticks => Value::Time(Clock::Ticks((bits as i64).max(i64::MIN + 1))),
        DataType::DateTime => Value::Time(Clock::DateTime(ticks)),
        DataType::DateTimeOffset => {
            let minutes = dice.below(1681) as i16 - 840;
            Value::Time(Clock::DateTimeOffset { ticks: ticks.clamp(864_000_000_000, LAST - 864_000_000_000), minutes })
        }
        DataType::RowId => Value::RowId(u128::from(bits) << 64 | u128::from(dice.bits())),
        DataType::Key { count, .. } => {
            Value::Key(if bits > count { bits % count.saturating_add(1).max(1) } else { bits })
        }
        DataType::Vector { item, .. } => {
            let len = column.dtype().vector_len().unwrap_or(dice.below(4) as u32);
            let mut inner = ColumnBuilder::new(&item);
            (0..len).for_each(|_| push(&mut inner, dice));
            items = inner.finish().unwrap();
            Value::Vector { row: VectorRow { len, first: 0, count: len as usize, indices: None }, items: &items }
        }
        other => panic!("no values of {other}"),
    };
    column.push(value).unwrap();
}

/// A table of these types; with `nulls`, a quarter of the values is missing.
pub fn table(types: &[DataType], rows: usize, nulls: bool, seed: u64) -> Batch {
    let mut dice = Dice(seed);
    let (mut fields, mut columns) = (Vec::new(), Vec::new());
    for (i, dtype) in types.iter().enumerate() {
        let key = matches!(dtype, DataType::Key { .. });
        let mut field = Field::new(format!("{i}, {dtype} \"ü\""), dtype.clone());
        field.nullable = nulls && !key;
        let mut column = ColumnBuilder::new(dtype);
        for _ in 0..rows {
            if field.nullable && dice.below(4) == 0 { column.push_null() } else { push(&mut column, &mut dice) }
        }
        fields.push(field);
        columns.push(column.finish().unwrap().without_needless_validity());
    }
    Batch::with_rows(Arc::new(Schema::new(fields).unwrap()), columns, rows).unwrap()
}
