//! Labels laid beside samples: by their pictures' names, each sample gets its annotations into its metadata.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use forebay::{
    Error, Result,
    annotations::{Format, Loss, Losses, Matcher, Notes, ReadOptions, codes, record},
    sample::record::attach,
    samples::Loaded,
    words::Word,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Set, images};

/// Names that are told; more are counted.
const NAMED: usize = 10;

/// Labels that wait for their samples.
#[derive(Debug)]
pub struct Beside {
    set: Set,
    options: ReadOptions,
    strict: bool,
    names: Matcher,
    found: Mutex<Found>,
}

#[derive(Debug, Default)]
struct Found {
    attached: Attached,
    losses: Losses,
    notes: Notes,
}

/// The result of attaching labels.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AttachedLabels"))]
#[non_exhaustive]
pub struct Attached {
    /// The format that they had.
    pub format: String,
    /// Samples that got annotations, also none where nothing is in the picture.
    pub samples: u64,
    /// Annotations that they got.
    pub annotations: u64,
    /// Samples that the labels do not name.
    pub unmatched: u64,
    /// The first of them, by their names.
    pub unmatched_names: Vec<String>,
    /// Samples whose pictures nobody has labeled, as the labels say.
    pub unlabelled: u64,
    /// Pictures of the labels that are none of the samples.
    pub missing: u64,
    /// The first of them, by their names.
    pub missing_names: Vec<String>,
    /// Samples that had annotations before, which were replaced.
    pub replaced: u64,
    /// Remarks of reading, by cause.
    pub notes: BTreeMap<&'static str, u64>,
    /// Losses that metadata cannot express, by cause.
    pub losses: BTreeMap<&'static str, u64>,
}

#[derive(Deserialize)]
struct Name {
    name: Option<String>,
}

impl Beside {
    /// Labels that were read, and the options by which they were.
    pub fn new(mut set: Set, options: ReadOptions) -> Beside {
        let names = Matcher::of(set.labels.pictures.iter().map(|picture| picture.name.as_str()));
        // What of its annotations a picture leaves is counted when its size is known.
        set.labels.notes.forget_annotations();
        let found = Found { notes: set.labels.notes.clone(), ..Found::default() };
        Beside { set, options, strict: false, names, found: Mutex::new(found) }
    }

    /// Refuses samples without labels and labels without samples, instead of counting them.
    #[must_use]
    pub fn strict(mut self, strict: bool) -> Beside {
        self.strict = strict;
        self
    }

    /// What a dataset's document says of the classes.
    pub(crate) fn document(&self) -> Map<String, Value> {
        record::document(&self.set.labels.classes)
    }

    /// Gives a sample its annotations.
    pub(crate) fn attach(&self, sample: &mut Loaded) -> Result<()> {
        let text = sample.record.take().unwrap_or_else(|| format!("{{\"id\":{}}}", sample.id));
        let name = serde_json::from_str::<Name>(&text).ok().and_then(|found| found.name);
        sample.record = Some(text);
        let Some(k) = name.as_deref().map(|name| self.names.take(name, name)).transpose()?.flatten() else {
            let mut found = self.found();
            found.attached.unmatched += 1;
            if found.attached.unmatched_names.len() < NAMED {
                found.attached.unmatched_names.push(name.unwrap_or_else(|| format!("sample {}", sample.id)));
            }
            return Ok(());
        };
        let Some(picture) = self.set.labels.pictures.get(k) else { return Ok(()) };
        if picture.unlabelled && picture.annotations.is_empty() {
            self.found().attached.unlabelled += 1;
            return Ok(());
        }
        let (mut picture, mut notes, mut losses) = (picture.clone(), Notes::default(), Losses::default());
        // A set of YOLO has looked at its pictures: its fractions are of their sizes.
        if self.set.format != Format::Yolo
            && let Some(seen) = images::told(sample.format, sample.width, sample.height, &sample.payload)
        {
            picture.told(seen, self.set.format, &self.options, &mut notes)?;
        }
        notes.count(&picture);
        let fields = record::fields(&picture, &self.set.labels.classes, &mut losses);
        let text = sample.record.as_deref().unwrap_or_default();
        let Some((text, had)) = attach(text, &fields) else {
            let message = "the JSON next to the image is not an object, and has no place for annotations";
            return Err(Error::new(&codes::UNSUPPORTED, message));
        };
        sample.record = Some(text);
        let mut found = self.found();
        found.attached.samples += 1;
        found.attached.annotations += picture.annotations.len() as u64;
        found.attached.replaced += u64::from(had);
        found.notes.join(notes);
        found.losses.join(&losses);
        Ok(())
    }

    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What became of all, before anything of the output is to be seen. `listed` says that the output lists classes.
    pub(crate) fn end(&self, listed: bool) -> Result<Attached> {
        let found = self.found();
        let (mut attached, mut losses) = (found.attached.clone(), found.losses.clone());
        attached.format = self.set.format.word().to_owned();
        let pictures = self.set.labels.pictures.iter().enumerate();
        for (_, picture) in pictures.filter(|(k, _)| !self.names.is_taken(*k)) {
            attached.missing += 1;
            if attached.missing_names.len() < NAMED {
                attached.missing_names.push(picture.name.clone());
            }
        }
        attached.unmatched_names.sort_unstable();
        if !listed {
            let details = self.set.labels.classes.iter().filter(|class| class.id.is_some() || class.group.is_some());
            losses.add_many(Loss::ClassDetail, details.count() as u64);
        }
        attached.notes = found.notes.iter().map(|(cause, n)| (cause.word(), n)).collect();
        attached.losses = losses.iter().map(|(loss, n)| (loss.word(), n)).collect();
        let what = match (&attached.unmatched_names[..], &attached.missing_names[..]) {
            _ if !self.strict && attached.samples > 0 => return Ok(attached),
            _ if attached.samples == 0 => "no sample has labels".to_owned(),
            ([first, ..], _) => {
                format!("{} samples have no labels, first {first:?}", attached.unmatched)
            }
            (_, [first, ..]) => {
                format!("{} labeled images have no matching sample, first {first:?}", attached.missing)
            }
            _ => return Ok(attached),
        };
        Err(Error::new(&codes::PICTURE, what))
    }
}
