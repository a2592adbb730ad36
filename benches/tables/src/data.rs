//! The table: an id that rises, a name of 1,000, an age, a salary, a flag, a city of 50, a time that rises.

use forebay::tbf::{TbfDecode, TbfEncode};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, bitcode::Encode, bitcode::Decode, TbfEncode, TbfDecode)]
pub struct Row {
    pub id: u32,
    pub name: String,
    pub age: u8,
    pub salary: f64,
    pub active: bool,
    pub city: String,
    pub ts: i64,
}

/// Rows from a small generator of its own, so that every run has the same.
pub fn rows(n: usize) -> Vec<Row> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..n)
        .map(|i| Row {
            id: i as u32,
            name: format!("name_{}", next() % 1000),
            age: (18 + next() % 73) as u8,
            salary: 30_000.0 + (next() % 15_000_000) as f64 / 100.0,
            active: next() % 2 == 0,
            city: format!("city_{}", next() % 50),
            ts: 1_700_000_000_000 + i as i64 * 1000 + (next() % 1000) as i64,
        })
        .collect()
}

pub fn to_batch(rows: &[Row]) -> forebay::table::Batch {
    Row::to_batch(rows).unwrap()
}
