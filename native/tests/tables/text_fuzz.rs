//! Bytes from a stranger as CSV and JSON lines: the bodies of the fuzz targets, over mutated seeds.

use super::generate::Dice;

#[path = "../../../fuzz/src/text.rs"]
mod text;

fn mutate(seed: &[u8], dice: &mut Dice) -> Vec<u8> {
    const WORDS: [&[u8]; 12] =
        [b"\"", b",", b"\n", b"\r", b"{", b"}", b"[", b"\xff", b"\xc3", b"\0", b"18446744073709551616", b"1e999"];
    let mut out = seed.to_vec();
    for _ in 0..1 + dice.below(4) {
        let at = dice.below(out.len() as u64 + 1) as usize;
        let to = (at + dice.below(9) as usize).min(out.len());
        match dice.below(4) {
            0 => out.truncate(at),
            1 => drop(out.drain(at..to)),
            2 => drop(out.splice(at..at, WORDS[dice.below(12) as usize].iter().copied())),
            _ => {
                let piece = out[at..to].to_vec();
                drop(out.splice(at..at, piece));
            }
        }
    }
    out
}

fn smoke(body: fn(&[u8]), seeds: Vec<Vec<u8>>) {
    let mut dice = Dice(7);
    for seed in seeds {
        (0..=seed.len()).for_each(|cut| body(&seed[..cut]));
        (0..1500).for_each(|_| body(&mutate(&seed, &mut dice)));
    }
}

#[test]
fn no_bytes_break_the_reader_of_csv() {
    smoke(text::csv, text::csv_seeds());
}

#[test]
fn no_bytes_break_the_reader_of_json_lines() {
    smoke(text::jsonl, text::jsonl_seeds());
}
