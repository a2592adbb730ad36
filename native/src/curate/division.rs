//! Who goes where in a split.

use std::collections::HashMap;

use forebay::{
    Error, Result,
    curate::{Duplicates, Fractions, Unit, divide as divided},
    error::codes::ARGUMENT,
    filter::Path,
    sample::stats::ClassCount,
    samples::is_of_sample,
};
use serde::Serialize;

use super::survey::{Faults, SurveyOptions, Wants, chosen, label, survey};
use crate::{dataset::Dataset, parallel::blocks::in_blocks};

/// How to divide. [`SurveyOptions::labels`] are the fields of the class: every class is divided in the same way.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct DivideOptions {
    /// The parts' names and how large each is to be; together they are 1.
    pub parts: Vec<(String, f64)>,
    /// Another seed divides otherwise.
    pub seed: u64,
    /// Samples that have the same in this field stay together.
    pub group: Option<Path>,
    /// Pictures whose hashes differ in at most that many bits stay together, and so do the same bytes.
    pub near: Option<u32>,
    /// Which samples, which classes, how many threads.
    pub survey: SurveyOptions,
}

/// A part of a dataset.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DividedPart"))]
#[non_exhaustive]
pub struct Part {
    /// What it is called.
    pub part: String,
    /// How many samples it has.
    pub samples: u64,
    /// Its samples by class, in the order in which the classes first come; samples without a class under the empty name.
    pub classes: Vec<ClassCount>,
    /// The samples' numbers.
    #[serde(skip)]
    pub numbers: Vec<u64>,
}

/// A dataset in parts.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Division {
    /// The parts.
    pub parts: Vec<Part>,
    /// Sets of samples that had to stay together, single ones not counted.
    pub groups: u64,
    /// Samples of whose class or look nothing is known since they do not read; they are divided like samples without a class.
    pub faults: Faults,
}

/// What the metadata says of a sample.
struct Said {
    class: Option<String>,
    group: Option<String>,
    fault: Option<Error>,
}

/// Divides a dataset. `told` hears how many samples were looked at, of how many, if they have to be.
pub fn divide(dataset: &Dataset, options: &DivideOptions, told: &mut dyn FnMut(u64, u64)) -> Result<Division> {
    let fractions: Vec<f64> = options.parts.iter().map(|(_, fraction)| *fraction).collect();
    let fractions = Fractions::new(&fractions)?;
    let mut division = Division::default();
    let source = std::slice::from_ref(dataset);
    let numbers = chosen(source, &options.survey, &mut division.faults)?.pop().unwrap_or_default();
    let said = said(dataset, &numbers, options)?;
    for (i, one) in numbers.iter().zip(&said) {
        if let Some(e) = &one.fault {
            division.faults.add(&Error::new(e.code(), e.message()).sample(*i).file(dataset.name()));
        }
    }
    refuse_unknown(&said, options)?;
    let mut sets = Sets::new(numbers.len());
    let mut by_group = HashMap::new();
    for (at, one) in said.iter().enumerate() {
        if let Some(group) = &one.group {
            sets.join(at, *by_group.entry(group.as_str()).or_insert(at));
        }
    }
    if let Some(distance) = options.near {
        join_near(dataset, distance, &numbers, options, &mut sets, &mut division.faults, told)?;
    }
    // Classes by the order in which they first come.
    let mut known: HashMap<&str, u32> = HashMap::new();
    let mut names = Vec::new();
    let classes: Vec<u32> = said
        .iter()
        .map(|one| {
            let class = one.class.as_deref().unwrap_or_default();
            *known.entry(class).or_insert_with(|| {
                names.push(class);
                names.len() as u32 - 1
            })
        })
        .collect();
    let (units, unit_of) = units(&mut sets, &numbers, &classes);
    division.groups = units.iter().filter(|unit| unit.samples > 1).count() as u64;
    let parts = divided(&units, &fractions, options.seed);
    let mut counts = vec![vec![0_u64; names.len()]; options.parts.len()];
    division.parts = options.parts.iter().map(|(name, _)| Part { part: name.clone(), ..Part::default() }).collect();
    for ((i, unit), class) in numbers.iter().zip(unit_of).zip(classes) {
        let at = parts.get(unit).map_or(0, |part| usize::from(*part));
        if let Some(part) = division.parts.get_mut(at) {
            part.numbers.push(*i);
            part.samples += 1;
        }
        if let Some(count) = counts.get_mut(at).and_then(|counts| counts.get_mut(class as usize)) {
            *count += 1;
        }
    }
    for (part, counts) in division.parts.iter_mut().zip(counts) {
        let there = names.iter().zip(counts).filter(|(_, count)| *count > 0);
        part.classes = there.map(|(name, samples)| ClassCount { label: (*name).to_owned(), samples }).collect();
    }
    Ok(division)
}

/// Reads what the metadata says of each sample, on all cores.
fn said(dataset: &Dataset, numbers: &[u64], options: &DivideOptions) -> Result<Vec<Said>> {
    let (class, group) = (&options.survey.labels, options.group.as_slice());
    let blocks = in_blocks(numbers.len() as u64, |range| {
        let these = numbers.get(range.start as usize..range.end as usize).unwrap_or_default();
        let one = |i: &u64| {
            let field = |fields: &[Path]| if fields.is_empty() { Ok(None) } else { label(dataset, *i, fields) };
            match field(class).and_then(|class| Ok((class, field(group)?))) {
                Ok((class, group)) => Ok(Said { class, group, fault: None }),
                Err(e) if is_of_sample(&e) => Ok(Said { class: None, group: None, fault: Some(e) }),
                Err(e) => Err(e),
            }
        };
        these.iter().map(one).collect::<Result<Vec<_>>>()
    })?;
    Ok(blocks.into_iter().flatten().collect())
}

/// A field that no sample has is a mistake.
fn refuse_unknown(said: &[Said], options: &DivideOptions) -> Result<()> {
    let refuse = |what: &str, option: &'static [&'static str]| {
        let message = format!("no sample has a {what} in the field that was named for it");
        Err(Error::new(&ARGUMENT, message).with_options(option))
    };
    if !options.survey.labels.is_empty() && !said.is_empty() && said.iter().all(|one| one.class.is_none()) {
        return refuse("class", &["by"]);
    }
    if options.group.is_some() && !said.is_empty() && said.iter().all(|one| one.group.is_none()) {
        return refuse("group", &["group"]);
    }
    Ok(())
}

/// Joins pictures that are near, and the same bytes.
fn join_near(
    dataset: &Dataset,
    distance: u32,
    numbers: &[u64],
    options: &DivideOptions,
    sets: &mut Sets,
    faults: &mut Faults,
    told: &mut dyn FnMut(u64, u64),
) -> Result<()> {
    let mut duplicates = Duplicates::new(Some(distance))?;
    let source = std::slice::from_ref(dataset);
    // What the filter does not read was told when it chose.
    let these = SurveyOptions { selection: Some(vec![numbers.to_vec()]), ..options.survey.clone() };
    let found = survey(source, Wants { digest: true, look: true }, &these, told)?;
    found.all.iter().for_each(|one| duplicates.add(one.seen.clone()));
    let place = |sample: u64| numbers.binary_search(&found.all.get(sample as usize)?.i).ok();
    for group in duplicates.grouping().run()? {
        for other in group.others() {
            if let Some((a, b)) = place(group.best().sample).zip(place(other.sample)) {
                sets.join(a, b);
            }
        }
    }
    faults.count += found.faults.count;
    let room = 20_usize.saturating_sub(faults.all.len());
    faults.all.extend(found.faults.all.into_iter().take(room));
    Ok(())
}

/// Sets of samples that stay together, and of each sample its number. The class of a set is the one that most have; of
/// several the first.
fn units(sets: &mut Sets, numbers: &[u64], classes: &[u32]) -> (Vec<Unit>, Vec<usize>) {
    let mut number_of: HashMap<usize, usize> = HashMap::new();
    let mut units: Vec<Unit> = Vec::new();
    let mut counts: Vec<HashMap<u32, u64>> = Vec::new();
    let mut unit_of = Vec::with_capacity(numbers.len());
    for (at, (i, class)) in numbers.iter().zip(classes).enumerate() {
        let unit = *number_of.entry(sets.find(at)).or_insert_with(|| {
            units.push(Unit { first: *i, samples: 0, class: *class });
            counts.push(HashMap::new());
            units.len() - 1
        });
        unit_of.push(unit);
        if let Some((unit, counts)) = units.get_mut(unit).zip(counts.get_mut(unit)) {
            unit.samples += 1;
            *counts.entry(*class).or_default() += 1;
        }
    }
    for (unit, counts) in units.iter_mut().zip(counts) {
        let most = counts.into_iter().max_by_key(|(class, count)| (*count, std::cmp::Reverse(*class)));
        unit.class = most.map_or(unit.class, |(class, _)| class);
    }
    (units, unit_of)
}

/// Sets that are joined.
struct Sets(Vec<usize>);

impl Sets {
    fn new(len: usize) -> Sets {
        Sets((0..len).collect())
    }

    /// The first of the set that this one is in.
    fn find(&mut self, mut at: usize) -> usize {
        loop {
            let Some(&up) = self.0.get(at) else { return at };
            if up == at {
                return at;
            }
            // Half the way for whoever asks next.
            let next = self.0.get(up).copied().unwrap_or(up);
            self.0.get_mut(at).into_iter().for_each(|place| *place = next);
            at = next;
        }
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.0.get_mut(a.max(b)).into_iter().for_each(|place| *place = a.min(b));
    }
}
