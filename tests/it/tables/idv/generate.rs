//! Tables of every type, with the values that break things, from a seed.

use forebay::{
    Error,
    idv::{Codec, Encoder, WriteOptions},
    table::{Column, ColumnData, DataType, Field, KeyType, VectorColumn},
};

/// The scalars that are written, but for keys.
pub fn scalars() -> Vec<DataType> {
    DataType::simple().filter(|dtype| Codec::of(dtype).is_ok()).collect()
}

pub use crate::dice::Dice;

impl Dice {
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
    /// Often zero, often an extreme, else anything.
    fn bits(&mut self) -> u64 {
        match self.below(6) {
            0 | 1 => 0,
            2 => u64::MAX,
            3 => 1 << self.below(64),
            4 => self.below(100),
            _ => self.roll(),
        }
    }
    /// Clock time within the years 1 to 9999, with room for any offset.
    fn ticks(&mut self) -> i64 {
        const DAY: u64 = 864_000_000_000;
        match self.below(4) {
            0 => 0,
            _ => (DAY + self.below(3_155_378_975_999_999_999 - 2 * DAY)) as i64,
        }
    }
    fn text(&mut self) -> String {
        const PARTS: [&str; 9] = ["", "plain", "é", "😀", "\0", "\u{feff}", "\u{ffff}", "e\u{301}", "日本語"];
        (0..self.below(4)).map(|_| PARTS[self.below(9) as usize]).collect()
    }
    /// A column of scalars.
    pub fn scalars(&mut self, dtype: &DataType, n: usize) -> Column {
        macro_rules! many {
            ($make:expr) => {
                (0..n).map(|_| $make).collect::<Vec<_>>()
            };
        }
        let data = match dtype {
            DataType::I8 => return many!(self.bits() as i8).into(),
            DataType::I16 => return many!(self.bits() as i16).into(),
            DataType::I32 => return many!(self.bits() as i32).into(),
            DataType::I64 => return many!(self.bits() as i64).into(),
            DataType::U8 | DataType::Key { inner: KeyType::U8, .. } => many!(self.bits() as u8).into(),
            DataType::U16 | DataType::Key { inner: KeyType::U16, .. } => many!(self.bits() as u16).into(),
            DataType::U32 | DataType::Key { inner: KeyType::U32, .. } => many!(self.bits() as u32).into(),
            DataType::U64 | DataType::Key { inner: KeyType::U64, .. } => many!(self.bits()).into(),
            DataType::F32 => {
                let bits = many!(match self.below(8) {
                    0 => 0x7fa0_0001,
                    1 => 0x8000_0000,
                    2 => 0xff80_0000,
                    _ => self.bits() as u32,
                });
                return bits.into_iter().map(f32::from_bits).collect::<Vec<_>>().into();
            }
            DataType::F64 => {
                let bits = many!(match self.below(8) {
                    0 => 0x7ff4_0000_0000_0001,
                    1 => 1 << 63,
                    _ => self.bits(),
                });
                return bits.into_iter().map(f64::from_bits).collect::<Vec<_>>().into();
            }
            DataType::Bool => return many!(self.one_in(3)).into(),
            DataType::String => return many!(self.text()).into(),
            // The least duration reads as zero outside of vectors: it was the old missing value.
            DataType::Ticks => many!((self.bits() as i64).max(i64::MIN + 1)).into(),
            DataType::DateTime => many!(self.ticks()).into(),
            DataType::DateTimeOffset => {
                let ticks = many!(self.ticks());
                let minutes: Vec<i16> =
                    ticks.iter().map(|&t| if t == 0 { 0 } else { self.below(1681) as i16 - 840 }).collect();
                let data = ColumnData::Offset { ticks: ticks.into(), minutes: minutes.into() };
                return Column::new(dtype.clone(), data, None).unwrap();
            }
            DataType::RowId => {
                let ids = many!(u128::from(self.bits()) << 64 | u128::from(self.bits()));
                return Column::new(dtype.clone(), ColumnData::U128(ids.into()), None).unwrap();
            }
            other => panic!("{other} is not written"),
        };
        let column: Column = data;
        column.cast_logical(dtype.clone()).unwrap()
    }

    fn item(&mut self) -> DataType {
        if self.one_in(5) {
            let inner = [KeyType::U8, KeyType::U16, KeyType::U32, KeyType::U64][self.below(4) as usize];
            return DataType::Key { inner, count: 1 + self.below(inner.max()) };
        }
        let all = scalars();
        all[self.below(all.len() as u64) as usize].clone()
    }

    pub fn dtype(&mut self) -> DataType {
        let dims = match self.below(5) {
            0 => vec![0],
            1 => vec![1 + self.below(9) as u32],
            2 => vec![2, 1 + self.below(3) as u32],
            _ => return self.item(),
        };
        DataType::Vector { item: Box::new(self.item()), dims }
    }

    pub fn column(&mut self, dtype: &DataType, n: usize) -> Column {
        let DataType::Vector { item, .. } = dtype else { return self.scalars(dtype, n) };
        let lengths: Vec<u32> = match dtype.vector_len() {
            Some(size) => vec![size; n],
            None if self.one_in(3) => vec![self.below(5) as u32; n],
            None => (0..n).map(|_| self.below(7) as u32).collect(),
        };
        let (mut counts, mut indices, mut total) = (Vec::new(), Vec::new(), 0);
        for &length in &lengths {
            let mut listed: Vec<u32> = (0..length).filter(|_| self.one_in(2)).collect();
            if listed.len() == length as usize || self.one_in(2) {
                counts.push(length);
            } else {
                counts.push(listed.len() as u32);
                indices.append(&mut listed);
            }
            total += counts.last().copied().unwrap_or_default() as usize;
        }
        let items = self.scalars(item, total);
        let vectors = VectorColumn::sparse(lengths.into(), &counts, indices.into(), items).unwrap();
        Column::new(dtype.clone(), ColumnData::Vector(vectors), None).unwrap()
    }
}

/// A table as it is given to the writer.
pub struct Table {
    pub fields: Vec<Field>,
    /// For each column its blocks.
    pub blocks: Vec<Vec<Column>>,
}

pub fn table(dice: &mut Dice, columns: usize, rows: usize, rows_per_block: usize) -> Table {
    let sizes: Vec<usize> = (0..rows).step_by(rows_per_block).map(|at| rows_per_block.min(rows - at)).collect();
    let mut table = Table { fields: Vec::new(), blocks: Vec::new() };
    for i in 0..columns {
        let mut field = Field::new(format!("column {}", i / 2), dice.dtype());
        for kind in [Field::SLOT_NAMES, Field::KEY_VALUES, "IsNormalized", "é😀"] {
            if dice.one_in(3) {
                let dtype = dice.dtype();
                field = field.with(kind, dice.column(&dtype, 1));
            }
        }
        table.blocks.push(sizes.iter().map(|&n| dice.column(&field.dtype, n)).collect());
        table.fields.push(field);
    }
    table
}

/// The file, row group after row group.
pub fn write(table: &Table, options: &WriteOptions) -> Result<Vec<u8>, Error> {
    let mut encoder = Encoder::new(table.fields.clone(), options.clone())?;
    let mut file = vec![0; 256];
    for group in 0..table.blocks.first().map_or(0, Vec::len) {
        for (column, blocks) in table.blocks.iter().enumerate() {
            let packed = encoder.encode(column, &blocks[group])?;
            assert_eq!(encoder.place(column, &packed)?, file.len() as u64);
            file.extend(packed.stored);
        }
    }
    let ending = encoder.finish()?;
    assert_eq!(ending.at, file.len() as u64);
    file.extend(ending.tables);
    file[..256].copy_from_slice(&ending.header);
    Ok(file)
}
