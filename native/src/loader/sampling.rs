//! By what samples are drawn: weights and classes, from the metadata or from the caller.

use std::collections::{BTreeMap, BTreeSet};

use bytes::BytesMut;
use forebay::{
    Error, Result,
    filter::{Filter, Record, SampleRecord, Value},
    order::{Item, Sampling, Source},
};
use serde::Deserialize;

use super::{
    Labels, OnBroken, codes,
    labels::{Resolver, field},
    settings::or_text,
    sources::Sources,
};
use crate::{Dataset, parallel::blocks::in_blocks};

/// How often each sample is drawn, in proportion. `"json.weight"` alone is [`Weights::field`], and a list of numbers
/// [`Weights::numbers`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weights {
    stages: Vec<(u64, Values)>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged, expecting = "weights are a field, or a number for each sample")]
enum Values {
    Field(String),
    Numbers(Vec<f64>),
}

impl Weights {
    /// A field, as filters write it: of the metadata, such as `json.weight`, or of the index, such as `pixels`.
    pub fn field(path: impl Into<String>) -> Self {
        Weights { stages: vec![(0, Values::Field(path.into()))] }
    }
    /// One for each sample of all files, selected or not.
    pub fn numbers(weights: impl Into<Vec<f64>>) -> Self {
        Weights { stages: vec![(0, Values::Numbers(weights.into()))] }
    }
    /// Takes these weights from this epoch on. Each change holds four more bytes a sample.
    #[must_use]
    pub fn since(mut self, epoch: u64, weights: impl Into<Weights>) -> Self {
        self.stages
            .extend(weights.into().stages.into_iter().map(|(from, values)| (epoch.saturating_add(from), values)));
        self
    }
}

impl From<&str> for Weights {
    fn from(path: &str) -> Self {
        Weights::field(path)
    }
}
impl From<Vec<f64>> for Weights {
    fn from(weights: Vec<f64>) -> Self {
        Weights::numbers(weights)
    }
}

/// Classes that come in fixed proportions. `"cls"` alone is [`Balance::by`]`("cls")`: all classes equally often.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Balance {
    #[serde(deserialize_with = "or_text")]
    labels: Labels,
    #[serde(rename = "since")]
    stages: Vec<(u64, Vec<(String, f64)>)>,
}

impl Balance {
    /// Takes samples of every label equally often.
    pub fn by(labels: impl Into<Labels>) -> Self {
        Balance { labels: labels.into(), stages: Vec::new() }
    }
    /// Takes classes in these proportions from this epoch on, and others not at all. A class is called by its name, or by
    /// its label where labels are numbers. Small whole numbers are best: each run of as many draws as they add up to holds
    /// exactly these.
    #[must_use]
    pub fn since(mut self, epoch: u64, weights: impl IntoIterator<Item = (impl Into<String>, f64)>) -> Self {
        self.stages.push((epoch, weights.into_iter().map(|(class, weight)| (class.into(), weight)).collect()));
        self
    }
}

impl From<&str> for Balance {
    fn from(path: &str) -> Self {
        Balance::by(path)
    }
}
impl From<Labels> for Balance {
    fn from(labels: Labels) -> Self {
        Balance::by(labels)
    }
}

fn refuse<T>(message: String) -> Result<T> {
    Err(Error::new(&codes::SETTINGS, message))
}

/// What is looked at for weights and classes: the selected samples.
pub(super) struct Selected<'a> {
    pub(super) sources: &'a Sources,
    pub(super) described: &'a [Source],
    pub(super) on_broken: OnBroken,
}

impl Selected<'_> {
    /// What the order draws by, if it draws.
    pub(super) fn sampling(&self, weights: Option<&Weights>, balance: Option<&Balance>) -> Result<Option<Sampling>> {
        match (weights, balance) {
            (None, None) => Ok(None),
            (Some(_), Some(_)) => refuse("`weights` and `balanced` both decide the draws; give one of them".into()),
            (Some(weights), None) => self.weighted(weights).map(Some),
            (None, Some(balance)) => self.balanced(balance).map(Some),
        }
    }

    fn weighted(&self, weights: &Weights) -> Result<Sampling> {
        let mut sampling = None;
        for (epoch, values) in &weights.stages {
            let values = match values {
                Values::Field(path) => self.fields(path)?,
                Values::Numbers(numbers) => self.numbers(numbers)?,
            };
            sampling = Some(match sampling {
                None => Sampling::weighted(&values)?,
                Some(before) => Sampling::since(before, *epoch, &values)?,
            });
        }
        sampling.ok_or_else(|| Error::new(&codes::SETTINGS, "there are no weights"))
    }

    /// The weights of those that are selected.
    fn numbers(&self, numbers: &[f64]) -> Result<Vec<f64>> {
        let all: u64 = (0..self.sources.len()).map(|source| self.sources.samples(source)).sum();
        if numbers.len() as u64 != all {
            return refuse(format!("{} weights are not one for each of {all} samples", numbers.len()));
        }
        let (mut found, mut rest) = (Vec::new(), numbers);
        for (source, described) in self.described.iter().enumerate() {
            let samples = usize::try_from(self.sources.samples(source)).unwrap_or(usize::MAX);
            let (of_source, behind) = rest.split_at(samples.min(rest.len()));
            let one = |i| of_source.get(usize::try_from(described.sample(i)).ok()?).copied();
            found.extend((0..described.selected()).filter_map(one));
            rest = behind;
        }
        Ok(found)
    }

    fn fields(&self, path: &str) -> Result<Vec<f64>> {
        let filter = field(path)?;
        self.each(|item, _| {
            let (dataset, item) = self.sources.in_file(item)?;
            let found = number(dataset, item.sample, &filter)?;
            let wrong = |what: &str| Error::new(&codes::WEIGHT, what).file(dataset.name()).sample(item.sample);
            match found {
                None => Err(wrong(&format!("the sample has no number {path}"))),
                Some(weight) if weight.is_finite() && weight >= 0.0 => Ok(weight),
                Some(weight) => Err(wrong(&format!("the weight {weight} is not a number of at least 0"))),
            }
        })
        .map(|all| all.into_iter().map(|weight| weight.unwrap_or(0.0)).collect())
    }

    fn balanced(&self, balance: &Balance) -> Result<Sampling> {
        let resolver = Resolver::new(Some(&balance.labels), self.sources)?;
        resolver.refuse_nowhere(Some(&balance.labels), self.described, self.sources)?;
        let labels = self.each(|item, buffer| resolver.of(self.sources, item, buffer))?;
        let known: BTreeSet<i64> = labels.iter().flatten().copied().collect();
        let classes: BTreeMap<i64, u32> = known.iter().copied().zip(0..).collect();
        let of: Vec<Option<u32>> =
            labels.iter().map(|label| label.and_then(|label| classes.get(&label).copied())).collect();
        let mut sampling = Sampling::balanced(&of)?;
        let names = resolver.names();
        for (epoch, stage) in &balance.stages {
            let mut weights = vec![0.0; classes.len()];
            for (class, weight) in stage {
                let named = names.iter().position(|name| name == class).and_then(|number| i64::try_from(number).ok());
                let label = named.or_else(|| class.parse().ok().filter(|_| names.is_empty()));
                let Some(number) = label.and_then(|label| classes.get(&label)) else {
                    return refuse(format!("no selected sample is of the class {class:?}"));
                };
                weights[*number as usize] = *weight;
            }
            sampling = sampling.since(*epoch, &weights)?;
        }
        Ok(sampling)
    }

    /// What is found for each selected sample, on all cores; nothing for a sample whose error is forgiven.
    fn each<T: Send>(&self, find: impl Fn(&Item, &mut BytesMut) -> Result<T> + Sync) -> Result<Vec<Option<T>>> {
        let mut all = Vec::new();
        for (source, described) in self.described.iter().enumerate() {
            let blocks = in_blocks(described.selected(), |range| {
                let mut buffer = BytesMut::new();
                let one = |i| {
                    let item = Item { position: 0, source, sample: described.sample(i), index: 0, padded: false };
                    match find(&item, &mut buffer) {
                        Ok(found) => Ok(Some(found)),
                        Err(e) if self.on_broken.forgives(&e) => Ok(None),
                        Err(e) => Err(e),
                    }
                };
                range.map(one).collect::<Result<Vec<_>>>()
            })?;
            all.extend(blocks.into_iter().flatten());
        }
        Ok(all)
    }
}

/// A field of a sample as a number.
fn number(dataset: &Dataset, i: u64, filter: &Filter) -> Result<Option<f64>> {
    let info = dataset.info(i)?;
    let metadata = if filter.needs_metadata() { dataset.metadata_value(i)? } else { None };
    let mut record = SampleRecord::new(&info);
    record.metadata = metadata.as_ref();
    let found = filter.fields().next().map(|path| record.field(path));
    Ok(match found {
        Some(Value::Bool(is)) => Some(f64::from(u8::from(is))),
        Some(Value::Int(n)) => Some(n as f64),
        Some(Value::Float(x)) => Some(x),
        // What a sidecar such as `17.weight` holds.
        Some(Value::Str(text)) => text.trim().parse().ok(),
        _ => None,
    })
}
