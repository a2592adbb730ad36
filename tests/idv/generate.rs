//! Tables of every type, with the values that break things, from a seed.

use forebay::{
    Error,
    idv::{Annotation, Block, Codec, ColumnSpec, Encoder, Item, Layout, Lengths, Texts, Values, Vectors, WriteOptions},
};

/// The layouts that are written.
pub const LAYOUTS: [Layout; 16] = [
    Layout::Int8,
    Layout::UInt8,
    Layout::Int16,
    Layout::UInt16,
    Layout::Int32,
    Layout::UInt32,
    Layout::Int64,
    Layout::UInt64,
    Layout::Float32,
    Layout::Float64,
    Layout::Bool,
    Layout::Text,
    Layout::Duration,
    Layout::DateTime,
    Layout::DateTimeOffset,
    Layout::RowId,
];

/// SplitMix64.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    pub fn below(&mut self, n: u64) -> u64 {
        self.roll() % n
    }
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
    pub fn values(&mut self, layout: Layout, n: usize) -> Values {
        macro_rules! many {
            ($make:expr) => {
                (0..n).map(|_| $make).collect()
            };
        }
        match layout {
            Layout::Int8 => Values::Int8(many!(self.bits() as i8)),
            Layout::UInt8 => Values::UInt8(many!(self.bits() as u8)),
            Layout::Int16 => Values::Int16(many!(self.bits() as i16)),
            Layout::UInt16 => Values::UInt16(many!(self.bits() as u16)),
            Layout::Int32 => Values::Int32(many!(self.bits() as i32)),
            Layout::UInt32 => Values::UInt32(many!(self.bits() as u32)),
            Layout::Int64 => Values::Int64(many!(self.bits() as i64)),
            Layout::UInt64 => Values::UInt64(many!(self.bits())),
            Layout::Float32 => Values::Float32(many!(f32::from_bits(match self.below(8) {
                0 => 0x7fa0_0001,
                1 => 0x8000_0000,
                2 => 0xff80_0000,
                _ => self.bits() as u32,
            }))),
            Layout::Float64 => Values::Float64(many!(f64::from_bits(match self.below(8) {
                0 => 0x7ff4_0000_0000_0001,
                1 => 1 << 63,
                _ => self.bits(),
            }))),
            Layout::Bool => Values::Bool(many!(self.one_in(3))),
            Layout::Text => {
                let all: Vec<String> = many!(self.text());
                Values::Text(all.iter().map(String::as_str).collect::<Texts>())
            }
            // The least duration reads as zero outside of vectors: it was the old missing value.
            Layout::Duration => Values::Duration(many!((self.bits() as i64).max(i64::MIN + 1))),
            Layout::DateTime => Values::DateTime(many!(self.ticks())),
            Layout::DateTimeOffset => {
                let ticks: Vec<i64> = many!(self.ticks());
                let minutes = ticks.iter().map(|&t| if t == 0 { 0 } else { self.below(1681) as i16 - 840 }).collect();
                Values::DateTimeOffset { ticks, minutes }
            }
            Layout::RowId => Values::RowId(many!(u128::from(self.bits()) << 64 | u128::from(self.bits()))),
            other => panic!("{other:?} is not written"),
        }
    }

    fn item(&mut self) -> Item {
        if self.one_in(5) {
            let (layout, max) = [
                (Layout::UInt8, 255),
                (Layout::UInt16, 65535),
                (Layout::UInt32, u64::from(u32::MAX)),
                (Layout::UInt64, u64::MAX),
            ][self.below(4) as usize];
            return Item::key(layout, 1 + self.below(max)).unwrap();
        }
        Item::plain(LAYOUTS[self.below(16) as usize])
    }

    pub fn codec(&mut self) -> Codec {
        let dims = match self.below(5) {
            0 => Some(vec![0]),
            1 => Some(vec![1 + self.below(9) as u32]),
            2 => Some(vec![2, 1 + self.below(3) as u32]),
            _ => None,
        };
        Codec { item: self.item(), dims }
    }

    pub fn block(&mut self, codec: &Codec, n: usize) -> Block {
        let Some(size) = codec.vector_size() else { return Block::Scalars(self.values(codec.item.layout, n)) };
        let lengths = if size > 0 {
            Lengths::All(size)
        } else if self.one_in(3) {
            Lengths::All(self.below(5) as u32)
        } else {
            Lengths::Each((0..n).map(|_| self.below(7) as u32).collect())
        };
        let (mut counts, mut indices, mut total) = (Vec::new(), Vec::new(), 0);
        for i in 0..n {
            let length = lengths.get(i);
            let mut listed: Vec<u32> = (0..length).filter(|_| self.one_in(2)).collect();
            if length == 0 || listed.len() == length as usize || self.one_in(2) {
                counts.push(-1);
                total += length as usize;
                continue;
            }
            counts.push(listed.len() as i32);
            total += listed.len();
            indices.append(&mut listed);
        }
        let values = self.values(codec.item.layout, total);
        Block::Vectors(Vectors { lengths, counts, indices, values })
    }
}

/// A table as it is given to the writer.
pub struct Table {
    pub columns: Vec<ColumnSpec>,
    /// For each column its blocks.
    pub blocks: Vec<Vec<Block>>,
}

pub fn table(dice: &mut Dice, columns: usize, rows: usize, rows_per_block: usize) -> Table {
    let sizes: Vec<usize> = (0..rows).step_by(rows_per_block).map(|at| rows_per_block.min(rows - at)).collect();
    let mut table = Table { columns: Vec::new(), blocks: Vec::new() };
    for i in 0..columns {
        let mut spec = ColumnSpec::new(format!("column {}", i / 2), dice.codec());
        for kind in ["SlotNames", "KeyValues", "IsNormalized", "é😀"] {
            if dice.one_in(3) {
                let codec = dice.codec();
                let value = dice.block(&codec, 1);
                spec.annotations.push(Annotation { kind: kind.into(), codec, value });
            }
        }
        table.blocks.push(sizes.iter().map(|&n| dice.block(&spec.codec, n)).collect());
        table.columns.push(spec);
    }
    table
}

/// The file, row group after row group.
pub fn write(table: &Table, options: &WriteOptions) -> Result<Vec<u8>, Error> {
    let mut encoder = Encoder::new(table.columns.clone(), options.clone())?;
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
