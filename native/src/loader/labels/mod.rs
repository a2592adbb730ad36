//! Labels: a whole number for every sample.

pub(super) mod follow;
mod pick;
pub(super) mod table;

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use bytes::BytesMut;
use forebay::{
    Error, Result,
    filter::{Filter, Segment, codes::FIELD},
    order::Item,
};
use serde::{Deserialize, de::DeserializeSeed};

use super::{codes, sources::Sources};
use crate::{Dataset, input::display, select::matching_all};
use follow::Follow;
use pick::{Found, Pick};
use table::{Cell, Joined, cell};

/// Where labels come from. Text is turned into the number of its class.
///
/// `"cls"` alone is [`Labels::field`]`("cls")`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Labels {
    from: From,
    classes: Option<Vec<String>>,
    missing: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum From {
    Field(String),
    Folder,
    Table { path: PathBuf, key: String, label: String },
}

impl Labels {
    /// A field of the metadata, such as `cls` or `json.objects[0].class`, as filters write it. In archives and
    /// folders the files beside the picture are fields: `17.cls`, `17.json` and `17.txt` are `cls`, `json`, `txt`.
    pub fn field(path: impl Into<String>) -> Self {
        Labels { from: From::Field(path.into()), classes: None, missing: None }
    }
    /// The folder that the picture lies in: `dog` for `train/dog/17.jpg`.
    pub fn folder() -> Self {
        Labels { from: From::Folder, classes: None, missing: None }
    }
    /// A column of a table of any format that Forebay reads, such as CSV, Parquet or TBF, joined by name: `key` names
    /// the column with the samples' names. A sample's row is the one with its name (`train/dog/17.jpg`), or with the
    /// longest end of that (`dog/17.jpg`), or the only one that ends with it; each also without its ending. A row that several
    /// samples could have is refused.
    pub fn table(path: impl Into<PathBuf>, key: impl Into<String>, label: impl Into<String>) -> Self {
        let from = From::Table { path: path.into(), key: key.into(), label: label.into() };
        Labels { from, classes: None, missing: None }
    }
    /// Names the classes in the order of their numbers. Without it they are those that the file's own document
    /// lists as `classes`, or else all that occur, sorted: finding these reads the metadata of every sample once.
    #[must_use]
    pub fn classes(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.classes = Some(names.into_iter().map(Into::into).collect());
        self
    }
    /// The label of samples that have none; without this they are broken samples.
    #[must_use]
    pub fn missing(mut self, label: i64) -> Self {
        self.missing = Some(label);
        self
    }
}

impl std::convert::From<&str> for Labels {
    fn from(path: &str) -> Self {
        Labels::field(path)
    }
}

/// Classes by name.
type Classes = BTreeMap<String, i64>;

/// Labels made ready: finds one without reading more than its sample's metadata, and without allocating where that
/// is JSON in a TBL.
#[derive(Debug, Default)]
pub(super) struct Resolver {
    from: Source,
    classes: Classes,
    missing: Option<i64>,
    numbers: Numbers,
}

/// Which labels that are numbers count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Numbers {
    #[default]
    All,
    /// Those of the classes, which were listed.
    OfClasses,
    /// None, since labels are names and their classes were found among them.
    None,
}

#[derive(Debug, Default)]
enum Source {
    #[default]
    None,
    Field(Vec<Segment>),
    Folder,
    Table(Joined<Cell>),
}

impl Resolver {
    pub(super) fn new(labels: Option<&Labels>, sources: &Sources) -> Result<Resolver> {
        let Some(labels) = labels else { return Ok(Resolver::default()) };
        let from = match &labels.from {
            From::Field(path) => Source::Field(segments(path)?),
            From::Folder => Source::Folder,
            From::Table { path, key, label } => {
                let joined = Joined::read(path, key, label, sources, cell)?;
                joined.refuse_strangers(labels.missing.is_some(), (path, key), sources)?;
                Source::Table(joined)
            }
        };
        let mut resolver = Resolver { from, classes: Classes::new(), missing: labels.missing, numbers: Numbers::All };
        let (names, numbers) = match &labels.classes {
            Some(names) => (names.clone(), Numbers::OfClasses),
            None => match resolver.first_name(sources)? {
                None => (Vec::new(), Numbers::All),
                // A document may list the classes of something else, such as the folders.
                Some(first) => match documented(sources)?.filter(|names| names.contains(&first)) {
                    Some(names) => (names, Numbers::OfClasses),
                    None => (resolver.all(sources)?, Numbers::None),
                },
            },
        };
        refuse_twice(&names)?;
        resolver.numbers = numbers;
        resolver.classes = names.into_iter().zip(0..).collect();
        Ok(resolver)
    }

    /// Whether samples' records are read for them.
    pub(super) fn reads_records(&self) -> bool {
        matches!(self.from, Source::Field(_) | Source::Folder)
    }

    /// The classes in the order of their numbers.
    pub(super) fn names(&self) -> Vec<&str> {
        let mut all: Vec<_> = self.classes.iter().map(|(name, number)| (*number, name.as_str())).collect();
        all.sort_unstable();
        all.into_iter().map(|(_, name)| name).collect()
    }

    /// An item's label; 0 if no labels are wanted.
    pub(super) fn of(&self, sources: &Sources, item: &Item, buffer: &mut BytesMut) -> Result<i64> {
        if matches!(self.from, Source::None) {
            return Ok(0);
        }
        let (dataset, in_file) = sources.in_file(item)?;
        let item = &in_file;
        let wrong = |message| Err(Error::new(&codes::LABEL, message).file(dataset.name()).sample(item.sample));
        match self.pick(dataset, item, buffer, |text| self.classes.get(text).copied())? {
            Found::Class(n) => Ok(n),
            Found::Number(n) => match self.numbers {
                Numbers::All => Ok(n),
                Numbers::OfClasses if usize::try_from(n).is_ok_and(|n| n < self.classes.len()) => Ok(n),
                Numbers::OfClasses => {
                    wrong(format!("the label {n} is not the number of one of the {} classes", self.classes.len()))
                }
                Numbers::None => wrong(format!("the label {n} is a number, where those of other samples are names")),
            },
            Found::Missing => match self.missing {
                Some(label) => Ok(label),
                None => wrong("the sample has no label".to_owned()),
            },
            Found::Other(what) => wrong(format!("the label {what} is neither a whole number nor a known class")),
        }
    }

    fn pick(
        &self,
        dataset: &Dataset,
        item: &Item,
        buffer: &mut BytesMut,
        class: impl Fn(&str) -> Option<i64>,
    ) -> Result<Found> {
        let i = item.sample;
        let known = |text: &str| match text.trim() {
            // An empty file beside a picture says nothing, and a line end behind a name is not of it.
            "" => Found::Missing,
            name => class(name).or_else(|| class(text)).map_or_else(|| Found::Other(format!("{text:?}")), Found::Class),
        };
        match &self.from {
            Source::None => Ok(Found::Missing),
            Source::Table(joined) => Ok(match joined.of(item) {
                None => Found::Missing,
                Some(Cell::Number(n)) => Found::Number(*n),
                Some(Cell::Text(text)) => known(text),
                Some(Cell::Other(what)) => Found::Other(what.clone()),
            }),
            Source::Folder => {
                let name = dataset.sample_name(i)?;
                let folder = name.as_deref().and_then(|n| n.rsplit_once('/')).map(|(path, _)| path);
                Ok(folder.map_or(Found::Missing, |path| known(path.rsplit('/').next().unwrap_or(path))))
            }
            Source::Field(segments) => {
                let Some(record) = dataset.record_text(i, buffer)? else { return Ok(Found::Missing) };
                let mut json = serde_json::Deserializer::from_str(record.as_str());
                let mut leaf = Pick { known: &known, found: Found::Missing };
                Follow { segments, leaf: &mut leaf }.deserialize(&mut json).map_err(|e| {
                    Error::caused(&codes::LABEL, format!("the metadata is not JSON: {e}"), e)
                        .file(dataset.name())
                        .sample(i)
                })?;
                Ok(leaf.found)
            }
        }
    }

    /// The first label, if that is a name.
    fn first_name(&self, sources: &Sources) -> Result<Option<String>> {
        let (seen, mut buffer) = (RefCell::new(None), BytesMut::new());
        let note = |text: &str| {
            seen.replace(Some(text.to_owned()));
            Some(0)
        };
        for (source, dataset) in sources.datasets().iter().enumerate() {
            for i in 0..dataset.len() {
                match self.pick(dataset, &item(source, i), &mut buffer, note) {
                    // A broken sample is one for the policy, later.
                    Ok(Found::Missing) | Err(_) => {}
                    Ok(_) => return Ok(seen.take()),
                }
            }
        }
        Ok(None)
    }

    /// Refuses labels of which no sample has one, unless something takes their place: each sample would be broken.
    pub(super) fn refuse_nowhere(
        &self,
        labels: Option<&Labels>,
        described: &[forebay::order::Source],
        sources: &Sources,
    ) -> Result<()> {
        let Some(labels) = labels.filter(|labels| labels.missing.is_none()) else { return Ok(()) };
        // One that does not read may have one: it is for the policy, later.
        if described.iter().all(|source| source.selected() == 0) || self.is_found(sources, true) {
            return Ok(());
        }
        let message = match &labels.from {
            From::Field(path) => {
                match matching_all(sources.datasets(), &Filter::parse(&format!("{path} in []"))?, |_| true) {
                    Err(e) if e.code() == &FIELD => e.message().to_owned(),
                    _ => format!("no sample has a label in the field {path}"),
                }
            }
            From::Folder => "the names of the samples have no folder, which labels are read from".to_owned(),
            From::Table { path, .. } => format!("no sample has a label in the table {}", display(path)),
        };
        Err(Error::new(&codes::LABEL, message))
    }

    /// Whether any sample has a label.
    pub(super) fn is_anywhere(&self, sources: &Sources) -> bool {
        // A broken sample is one for the policy, later.
        self.is_found(sources, false)
    }

    fn is_found(&self, sources: &Sources, broken: bool) -> bool {
        let mut buffer = BytesMut::new();
        let mut found = |source, dataset, i| match self.pick(dataset, &item(source, i), &mut buffer, |_| Some(0)) {
            Ok(found) => !matches!(found, Found::Missing),
            Err(_) => broken,
        };
        let mut datasets = sources.datasets().iter().enumerate();
        datasets.any(|(source, dataset)| (0..dataset.len()).any(|i| found(source, dataset, i)))
    }

    /// Every name that occurs, sorted.
    fn all(&self, sources: &Sources) -> Result<Vec<String>> {
        let mut all = BTreeSet::new();
        for (source, dataset) in sources.datasets().iter().enumerate() {
            let blocks = dataset.in_blocks(|range| {
                let (names, mut buffer) = (RefCell::new(BTreeSet::new()), BytesMut::new());
                let note = |text: &str| {
                    let mut names = names.borrow_mut();
                    if !names.contains(text) {
                        names.insert(text.to_owned());
                    }
                    Some(0)
                };
                for i in range {
                    // A broken sample is one for the policy, later.
                    let _ = self.pick(dataset, &item(source, i), &mut buffer, note);
                }
                Ok(names.into_inner())
            })?;
            all.extend(blocks.into_iter().flatten());
        }
        Ok(all.into_iter().collect())
    }
}

/// The number of a name that is listed twice is not known.
pub(super) fn refuse_twice(names: &[String]) -> Result<()> {
    let mut seen = BTreeMap::new();
    for (number, name) in names.iter().enumerate() {
        if let Some(before) = seen.insert(name, number) {
            let message = format!(
                "the class {name:?} is listed twice, as number {before} and {number}; list every class once with `classes`"
            );
            return Err(Error::new(&codes::SETTINGS, message));
        }
    }
    Ok(())
}

/// A sample of a source, wherever it comes in the order.
pub(super) fn item(source: usize, sample: u64) -> Item {
    Item { position: 0, source, sample, index: 0, padded: false }
}

/// The path of a field, as filters write it.
pub(super) fn segments(path: &str) -> Result<Vec<Segment>> {
    Ok(field(path)?.fields().next().map(|field| field.segments().to_vec()).unwrap_or_default())
}

/// A filter that is nothing but a field.
pub(super) fn field(path: &str) -> Result<Filter> {
    let filter = Filter::parse(path)?;
    if filter.fields().next().is_none_or(|field| field.to_string() != path.trim()) {
        let message = format!("{path:?} is not the path of a field, such as json.label");
        return Err(Error::new(&codes::SETTINGS, message));
    }
    Ok(filter)
}

/// The classes that the files' own documents list, if all of them list the same.
fn documented(sources: &Sources) -> Result<Option<Vec<String>>> {
    let mut all = None;
    for dataset in sources.datasets() {
        let document = dataset.document()?;
        let Some(list) = document.get("classes").and_then(|c| c.as_array()) else { return Ok(None) };
        let names: Option<Vec<String>> = list.iter().map(|name| name.as_str().map(str::to_owned)).collect();
        match (&all, names) {
            (None, Some(names)) => all = Some(names),
            (Some(before), Some(names)) if *before == names => {}
            _ => return Ok(None),
        }
    }
    Ok(all)
}
