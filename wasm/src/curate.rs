//! What pictures look like, which are alike, and which stand out, the same as natively.

use forebay::{
    Error, Limits, Result,
    curate::{self, Duplicates, Fractions, Look, Measures, Outliers, Seen, Trait, Unit},
    error::codes::ARGUMENT,
    words::Word as _,
};
use js_sys::{Float64Array, Uint8Array, Uint32Array};
use serde_json::json;
use wasm_bindgen::prelude::*;

use crate::fail::{Outcome, thrown};

/// Numbers that say what is known of a sample: four of its digest, then whether it was looked at, width, height, whether it
/// has a hash, the hash in two halves, brightness, contrast, sharpness.
const NUMBERS: usize = 13;

/// Looks at payloads, one after the other, in buffers that it keeps.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct Looker {
    looker: curate::Looker,
}

#[wasm_bindgen]
impl Looker {
    /// Makes one.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Looker {
        Looker::default()
    }

    /// What is known of a payload, as numbers; raw pixels need their width and height, everything else has 0. What is not a
    /// picture, or is not to be looked at, has a digest alone.
    pub fn look(
        &mut self,
        payload: &[u8],
        raw_width: u32,
        raw_height: u32,
        digest: bool,
        look: bool,
    ) -> Outcome<Uint32Array> {
        self.numbers(payload, (raw_width, raw_height), digest, look).map_err(thrown)
    }
}

impl Looker {
    fn numbers(&mut self, payload: &[u8], raw: (u32, u32), digest: bool, look: bool) -> Result<Uint32Array> {
        let mut numbers = [0_u32; NUMBERS];
        if digest {
            let digest = Seen::of(0, payload).digest;
            let words = [96, 64, 32, 0].map(|shift| (digest >> shift) as u32);
            numbers.iter_mut().zip(words).for_each(|(number, word)| *number = word);
        }
        if look {
            let raw = (raw.0 > 0).then_some(raw);
            let look = self.looker.look(payload, raw, &Limits::browser())?;
            let (known, hash) = (look.hash.is_some(), look.hash.unwrap_or(0));
            let rest = [
                1,
                look.width,
                look.height,
                u32::from(known),
                (hash >> 32) as u32,
                hash as u32,
                look.brightness,
                look.contrast,
                look.sharpness,
            ];
            numbers.iter_mut().skip(4).zip(rest).for_each(|(number, n)| *number = n);
        }
        Ok(Uint32Array::from(&numbers[..]))
    }
}

/// What is known of samples: their numbers, the bytes of each, and [`NUMBERS`] numbers of each.
struct Known {
    samples: Vec<u32>,
    bytes: Vec<f64>,
    numbers: Vec<u32>,
}

impl Known {
    fn new(samples: &Uint32Array, bytes: &Float64Array, numbers: &Uint32Array) -> Result<Known> {
        let known = Known { samples: samples.to_vec(), bytes: bytes.to_vec(), numbers: numbers.to_vec() };
        match known.samples.len() == known.bytes.len() && known.samples.len() * NUMBERS == known.numbers.len() {
            true => Ok(known),
            false => Err(Error::new(&ARGUMENT, "the samples and their details differ in number")),
        }
    }

    fn each(&self) -> impl Iterator<Item = Seen> + '_ {
        let numbers = self.numbers.chunks_exact(NUMBERS);
        self.samples.iter().zip(&self.bytes).zip(numbers).map(|((sample, bytes), numbers)| {
            let mut seen = Seen::unread(u64::from(*sample), *bytes as u64);
            seen.digest = numbers.iter().take(4).fold(0, |so_far, word| so_far << 32 | u128::from(*word));
            if let [1, width, height, known, high, low, brightness, contrast, sharpness] =
                *numbers.get(4..).unwrap_or_default()
            {
                let mut look = Look::default();
                (look.width, look.height) = (width, height);
                look.hash = (known == 1).then_some(u64::from(high) << 32 | u64::from(low));
                (look.brightness, look.contrast, look.sharpness) = (brightness, contrast, sharpness);
                seen.look = Some(look);
            }
            seen
        })
    }
}

/// Groups of samples that are alike, as JSON text: of each group its members with `sample`, `distance`, `exact`, the best
/// first. Without a distance only the same bytes are.
#[wasm_bindgen(js_name = duplicateGroups)]
pub fn duplicate_groups(
    samples: &Uint32Array,
    bytes: &Float64Array,
    numbers: &Uint32Array,
    distance: Option<u32>,
) -> Outcome<String> {
    let groups = || -> Result<String> {
        let mut duplicates = Duplicates::new(distance)?;
        Known::new(samples, bytes, numbers)?.each().for_each(|seen| duplicates.add(seen));
        let groups = duplicates.grouping().run()?;
        let members = |group: &curate::Group| -> Vec<_> {
            let one = |m: curate::Member| json!({ "sample": m.sample, "distance": m.distance, "exact": m.exact });
            group.members().map(one).collect()
        };
        Ok(json!(groups.iter().map(members).collect::<Vec<_>>()).to_string())
    };
    groups().map_err(thrown)
}

/// Samples that stand out, as JSON text: `traits` and `outliers`, each with `sample` and `reasons`. `sizes` are widths and
/// heights, 0 where they are not known; traits stand one after the other, with commas.
#[wasm_bindgen(js_name = findOutliers)]
pub fn find_outliers(
    samples: &Uint32Array,
    bytes: &Float64Array,
    sizes: &Uint32Array,
    numbers: &Uint32Array,
    traits: &str,
    score: f64,
) -> Outcome<String> {
    let found = || -> Result<String> {
        let known = Known::new(samples, bytes, numbers)?;
        let sizes = sizes.to_vec();
        let mut outliers = Outliers::default();
        for (seen, size) in known.each().zip(sizes.chunks_exact(2)) {
            let (width, height) = match (seen.look, size) {
                (Some(look), _) => (look.width, look.height),
                (None, [width, height]) => (*width, *height),
                _ => (0, 0),
            };
            outliers.add(Measures { sample: seen.sample, bytes: seen.bytes, width, height, look: seen.look });
        }
        let traits: Vec<Trait> = traits
            .split(',')
            .filter(|name| !name.is_empty())
            .map(|name| {
                Trait::from_word(name)
                    .ok_or_else(|| Error::new(&ARGUMENT, format!("{name:?} is not a trait of images")))
            })
            .collect::<Result<_>>()?;
        let traits = if traits.is_empty() { Trait::ALL } else { &traits };
        let found = outliers.find(traits, score);
        let rows = found.outliers.iter().map(|one| json!({ "sample": one.sample, "reasons": one.reasons }));
        Ok(json!({ "traits": found.usual, "outliers": rows.collect::<Vec<_>>() }).to_string())
    };
    found().map_err(thrown)
}

/// The number of the part of each unit: of each the lowest number of its samples, how many they are, and its class.
#[wasm_bindgen(js_name = divideUnits)]
pub fn divide_units(units: &Uint32Array, fractions: &[f64], seed: u64) -> Outcome<Uint8Array> {
    let parts = || -> Result<Uint8Array> {
        let units: Vec<Unit> = units
            .to_vec()
            .chunks_exact(3)
            .filter_map(|unit| match *unit {
                [first, samples, class] => Some(Unit { first: first.into(), samples: samples.into(), class }),
                _ => None,
            })
            .collect();
        Ok(Uint8Array::from(curate::divide(&units, &Fractions::new(fractions)?, seed).as_slice()))
    };
    parts().map_err(thrown)
}
