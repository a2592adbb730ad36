//! The table: an id that rises, a name of 1,000, an age, a salary, a flag, a city of 50, a time that rises. Names and
//! cities have 23.5 bytes a row together.

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

const FIRST: [&str; 40] = [
    "Alex",
    "Benedikt",
    "Clara",
    "Diana",
    "Elena",
    "Finn",
    "Guillermo",
    "Hugo",
    "Ioannis",
    "Josephine",
    "Karim",
    "Leonardo",
    "Magdalena",
    "Nathaniel",
    "Oluwaseun",
    "Priyanka",
    "Quentin",
    "Rosalinda",
    "Sofia",
    "Theodora",
    "Ulrich",
    "Valentina",
    "Wilma",
    "Xiaoming",
    "Yevgenia",
    "Zbigniew",
    "Abdullah",
    "Bridget",
    "Cornelius",
    "Desmond",
    "Eleonora",
    "Frederik",
    "Giovanna",
    "Hiroshi",
    "Isabella",
    "Jennifer",
    "Kofi",
    "Lakshmi",
    "Maria",
    "Nikolaos",
];
const LAST: [&str; 25] = [
    "Andersson",
    "Bernstein",
    "Castellano",
    "Dimitriou",
    "Eriksen",
    "Fitzgerald",
    "Grigoryan",
    "Hernandez",
    "Ibrahim",
    "Johansson",
    "Kowalski",
    "Lindqvist",
    "Mukherjee",
    "Nakamura",
    "Okonkwo",
    "Papadakis",
    "Quispe",
    "Rasmussen",
    "Schneider",
    "Tanaka",
    "Underwood",
    "Vasquez",
    "Wojciechowski",
    "Yamamoto",
    "Zimmermann",
];
const CITIES: [&str; 50] = [
    "Amsterdam",
    "Athens",
    "Auckland",
    "Bangkok",
    "Barcelona",
    "Beijing",
    "Berlin",
    "Bogota",
    "Boston",
    "Brisbane",
    "Budapest",
    "Cairo",
    "Chicago",
    "Copenhagen",
    "Dakar",
    "Delhi",
    "Dublin",
    "Edinburgh",
    "Florence",
    "Geneva",
    "Hamburg",
    "Hanoi",
    "Helsinki",
    "Istanbul",
    "Jakarta",
    "Johannesburg",
    "Kyoto",
    "Lagos",
    "Lima",
    "Lisbon",
    "London",
    "Madrid",
    "Manila",
    "Melbourne",
    "Montreal",
    "Mumbai",
    "Nairobi",
    "Osaka",
    "Oslo",
    "Paris",
    "Prague",
    "Reykjavik",
    "Rome",
    "Santiago",
    "Seoul",
    "Singapore",
    "Stockholm",
    "Tallinn",
    "Vancouver",
    "Warsaw",
];

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
            name: format!("{} {}", FIRST[next() as usize % 40], LAST[next() as usize % 25]),
            age: (18 + next() % 73) as u8,
            salary: 1000.0 + (next() % 1_100_000) as f64 / 100.0,
            active: next() % 2 == 0,
            city: CITIES[next() as usize % 50].to_owned(),
            ts: 1_700_000_000_000 + i as i64 * 1000 + (next() % 1000) as i64,
        })
        .collect()
}

pub fn to_batch(rows: &[Row]) -> forebay::table::Batch {
    Row::to_batch(rows).unwrap()
}
