//! Labels gathered from the records of samples, one after another.

use serde_json::{Map, Value};

use super::{Found, find, quick, read_classes};
use crate::{
    Cause, Id, Labels, Names, Notes, Picture, ReadOptions, base_name, checked_name, codes,
    error::{Error, Result},
    sample::MediaFormat,
};

/// What a record says.
#[derive(Debug, Default)]
pub struct Told {
    picture: Picture,
    notes: Notes,
    /// Its own `name`.
    pub name: Option<String>,
    /// It says something of what is in the picture.
    found: bool,
    /// Its boxes are shares of the picture.
    shares: bool,
}

impl Told {
    /// Whether the size of the picture makes a difference.
    pub fn needs_size(&self) -> bool {
        self.shares || self.picture.size().is_none()
    }
}

/// Takes in what samples say of their pictures. Those that say nothing are pictures that nobody has labeled; if none says
/// anything, there are no labels.
#[derive(Debug)]
pub struct Gather {
    options: ReadOptions,
    labels: Labels,
    marked: bool,
}

impl Gather {
    /// For the samples beside which this document stands.
    pub fn new(options: &ReadOptions, document: &Map<String, Value>) -> Result<Gather> {
        let labels = Labels { classes: read_classes(document)?, ..Labels::default() };
        Ok(Gather { options: options.clone(), labels, marked: false })
    }

    /// What a record's text says, if it is of the usual kind. `None` says nothing: then its value is to be asked.
    pub fn quick(&mut self, text: &str) -> Option<Told> {
        if self.options.boxes.as_ref().is_some_and(|field| field.is_none()) {
            return None;
        }
        let quick::Marked { picture, name } = quick::marked(text, &mut self.labels.classes)?;
        Some(Told { picture, name, found: true, ..Told::default() })
    }

    /// What a record says, of a picture of that size.
    pub fn slow(&mut self, record: &Value, size: Option<(u32, u32)>) -> Result<Told> {
        let found = find(record, size, &self.options, &mut self.labels.classes)?;
        let is_found = found.is_some();
        let Found { picture, faults, notes, shares } = found.unwrap_or_default();
        if let Some(first) = faults.into_iter().next() {
            return Err(first);
        }
        let name = record.get("name").and_then(Value::as_str).map(str::to_owned);
        Ok(Told { picture, notes, name, found: is_found, shares })
    }

    /// Adds the picture of the sample in this place, of this name if it has one; its size counts where the record has none.
    pub fn add(
        &mut self,
        place: u64,
        told: Told,
        name: Option<String>,
        format: MediaFormat,
        (width, height): (u32, u32),
    ) -> Result<()> {
        let Told { mut picture, notes, found, shares, .. } = told;
        self.labels.notes.join(notes);
        self.marked |= found;
        picture.unlabelled = !found;
        let name = name.unwrap_or_else(|| format!("{place:08}.{}", format.extension()));
        let name = if self.options.names == Names::Last { base_name(&name).to_owned() } else { name };
        checked_name(&name)?;
        picture.name = name;
        if picture.size().is_none() {
            let size = (width > 0 && height > 0).then_some((width, height));
            (picture.width, picture.height) = size.unzip();
            picture.shares = shares;
        }
        self.labels.pictures.push(picture);
        Ok(())
    }

    /// How many pictures there are so far.
    pub fn len(&self) -> usize {
        self.labels.pictures.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.labels.pictures.is_empty()
    }

    /// The labels.
    pub fn finish(mut self) -> Result<Labels> {
        if !self.marked {
            return Err(Error::new(&codes::FORMAT, "no sample has annotations in its metadata"));
        }
        repeated_ids(&mut self.labels);
        self.labels.count();
        Ok(self.labels)
    }
}

/// Numbers of pictures that are there twice, as in sets that were joined, name nothing.
fn repeated_ids(labels: &mut Labels) {
    let mut ids: Vec<&Id> = labels.pictures.iter().filter_map(|picture| picture.id.as_ref()).collect();
    ids.sort_unstable();
    if ids.windows(2).any(|pair| pair[0] == pair[1]) {
        let count = ids.len() as u64;
        labels.pictures.iter_mut().for_each(|picture| picture.id = None);
        labels.notes.add_many(Cause::RepeatedId, count);
    }
}
