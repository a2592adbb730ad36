//! One sample on its way from a source to a writer.

use std::sync::Arc;

use forebay::{
    Error, Result,
    sample::record,
    samples::{Inherited, Loaded, is_of_sample},
};

use super::{
    options::Options,
    stream::{StreamInput, Streamed},
};
use crate::{
    dataset::{Dataset, Used},
    input::is_of_source,
};

/// Where samples come from.
#[derive(Debug)]
pub(crate) enum Origin {
    /// Files and folders, reached at random.
    Datasets { sources: Vec<Arc<Dataset>>, selection: Option<Vec<(u32, u64)>> },
    /// An archive that is read once.
    Stream(Box<StreamInput>),
    /// Samples that are made of others.
    Derived(Derived),
}

/// A sample for each one of a dataset, made of that one by a function.
#[derive(Clone)]
pub(crate) struct Derived {
    pub dataset: Arc<Dataset>,
    /// What the document names as the source of all.
    pub source: String,
    pub make: Arc<Make>,
}

type Make = dyn Fn(&Dataset, u64) -> Result<Loaded> + Send + Sync;

impl std::fmt::Debug for Derived {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Derived").field("source", &self.source).finish_non_exhaustive()
    }
}

impl Origin {
    /// How many samples there will be, if that is known.
    pub fn count(&self) -> Option<u64> {
        match self {
            Origin::Datasets { selection: Some(chosen), .. } => Some(chosen.len() as u64),
            Origin::Datasets { sources, .. } => Some(sources.iter().map(|s| s.len()).sum()),
            Origin::Derived(derived) => Some(derived.dataset.len()),
            Origin::Stream(_) => None,
        }
    }

    /// How many threads read the samples.
    pub fn threads(&self, workers: usize) -> usize {
        match self {
            Origin::Datasets { sources, .. } => sources.iter().fold(workers, |n, source| source.threads(n)),
            Origin::Derived(derived) => derived.dataset.threads(workers),
            Origin::Stream(_) => workers,
        }
    }

    /// Refuses warehouses of which no shard can be opened: an output without samples would replace one that has some.
    pub fn refuse_nothing_left(&self) -> Result<()> {
        let Origin::Datasets { sources, .. } = self else { return Ok(()) };
        if sources.iter().any(|source| !source.is_empty()) {
            return Ok(());
        }
        let first = sources.iter().find_map(|source| Some((source, source.warehouse()?.faults().first()?)));
        match first {
            Some((source, e)) => {
                let message = format!("no shard of the warehouse can be opened; the first: {}", e.message());
                let member = e.place().member.iter();
                Err(member.fold(Error::new(e.code(), message), Error::member).file(source.name()))
            }
            None => Ok(()),
        }
    }

    /// Whether samples of more than one source come together.
    pub fn is_joined(&self) -> bool {
        matches!(self, Origin::Datasets { sources, .. } if sources.len() > 1)
    }

    /// Nothing yet of what a document inherits.
    pub fn inherited(&self) -> Inherited {
        match self {
            Origin::Datasets { sources, .. } => Inherited::of(sources.len()),
            Origin::Stream(_) | Origin::Derived(_) => Inherited::default(),
        }
    }

    /// The inputs' names and their bytes on disk.
    pub fn inputs(&self) -> (Vec<String>, u64) {
        match self {
            Origin::Datasets { sources, .. } => {
                (sources.iter().map(|s| s.name().to_owned()).collect(), sources.iter().map(|s| s.file_len()).sum())
            }
            Origin::Derived(Derived { dataset, .. }) => (vec![dataset.name().to_owned()], dataset.file_len()),
            Origin::Stream(input) => (vec![input.name().to_owned()], input.file_len()),
        }
    }

    /// What a TBL's document inherits: where the samples are from, and the documents of TBLs and folders.
    ///
    /// A document that does not read is an error, or with `forgive` one that is handed there and left out.
    pub fn document(&self, inherited: &mut Inherited, mut forgive: Option<&mut dyn FnMut(Error)>) -> Result<()> {
        match self {
            Origin::Datasets { sources, .. } => {
                for source in sources {
                    match (source.document(), &mut forgive) {
                        (Err(e), Some(forgive)) if is_of_sample(&e) => forgive(e),
                        (found, _) => inherited.document(found?),
                    }
                }
                sources.iter().filter(|s| s.tbl().is_none()).for_each(|s| inherited.source(s.name()));
            }
            Origin::Derived(derived) => inherited.source(&derived.source),
            Origin::Stream(input) => inherited.source(input.name()),
        }
        Ok(())
    }

    /// What is worth knowing of the sources themselves.
    pub fn notes(&self) -> Vec<String> {
        match self {
            Origin::Datasets { sources, .. } => {
                let several = sources.len() > 1;
                let of = |s: &Arc<Dataset>| {
                    let name = s.name().to_owned();
                    let notes = s.notes().into_iter();
                    notes.map(move |note| if several { format!("{name}: {note}") } else { note }).collect::<Vec<_>>()
                };
                sources.iter().flat_map(of).collect()
            }
            Origin::Stream(_) | Origin::Derived(_) => Vec::new(),
        }
    }

    /// Folders, links and specials of archives, and files of folders that belong to no image.
    pub fn skipped_members(&self) -> u64 {
        match self {
            Origin::Datasets { sources, .. } => {
                let archives = sources.iter().filter_map(|s| s.tar()).map(|tar| tar.archive().skipped.total());
                let folders = sources.iter().filter_map(|s| s.folder()).map(|f| f.left_out());
                let zips = sources.iter().filter_map(|s| s.zip()).map(|zip| zip.left_out().total());
                archives.chain(folders).chain(zips).sum()
            }
            Origin::Stream(_) | Origin::Derived(_) => 0,
        }
    }

    /// Adds the Protobuf documents of the sources: bytes that only the user understands.
    pub fn protobuf(&self, inherited: &mut Inherited) -> Result<()> {
        let Origin::Datasets { sources, .. } = self else { return Ok(()) };
        for source in sources {
            source.protobuf()?.into_iter().for_each(|bytes| inherited.protobuf(bytes));
        }
        Ok(())
    }

    /// The samples in order. With `keep_going` a stream goes on behind what is damaged.
    pub fn items(self, keep_going: bool) -> Box<dyn Iterator<Item = Result<Item>> + Send> {
        match self {
            Origin::Datasets { sources, selection: Some(chosen) } => {
                Box::new(chosen.into_iter().enumerate().filter_map(move |(id, (source, i))| {
                    let dataset = sources.get(source as usize)?.clone();
                    Some(Ok(Item { id: id as u64, from: From::Dataset { dataset, i } }))
                }))
            }
            Origin::Datasets { sources, selection: None } => {
                let all = sources.into_iter().flat_map(|s| (0..s.len()).map(move |i| (s.clone(), i)));
                Box::new(
                    all.enumerate()
                        .map(|(id, (dataset, i))| Ok(Item { id: id as u64, from: From::Dataset { dataset, i } })),
                )
            }
            Origin::Derived(derived) => Box::new((0..derived.dataset.len()).map(move |i| {
                let derived = derived.clone();
                Ok(Item { id: i, from: From::Derived { derived, i } })
            })),
            Origin::Stream(input) => {
                let mut id = 0;
                Box::new(input.samples(keep_going).map(move |sample| {
                    sample.map(|sample| match sample {
                        Ok(sample) => {
                            id += 1;
                            Item { id: id - 1, from: From::Stream(sample) }
                        }
                        Err(e) => Item { id, from: From::Passed(e) },
                    })
                }))
            }
        }
    }
}

/// A sample that was not read yet, and its number in the output.
#[derive(Debug)]
pub(crate) struct Item {
    pub id: u64,
    from: From,
}

#[derive(Debug)]
enum From {
    Dataset {
        dataset: Arc<Dataset>,
        i: u64,
    },
    Stream(Streamed),
    /// None at all: a place that a stream passed over.
    Passed(Error),
    Derived {
        derived: Derived,
        i: u64,
    },
}

impl Item {
    /// Bytes that the sample will take, for bounding what is in flight.
    pub fn weight(&self) -> u64 {
        match &self.from {
            From::Dataset { dataset, i } | From::Derived { derived: Derived { dataset, .. }, i } => dataset.weight(*i),
            From::Stream(sample) => sample.payload.len() as u64,
            From::Passed(_) => 0,
        }
    }

    /// Gives an error the place where the sample is from, as far as it has none.
    pub fn blame(&self) -> impl Fn(Error) -> Error + use<> {
        let id = (!matches!(self.from, From::Passed(_))).then_some(self.id);
        let streamed = if let From::Stream(sample) = &self.from { Some(sample.name.clone()) } else { None };
        let from = match &self.from {
            From::Dataset { dataset, i } | From::Derived { derived: Derived { dataset, .. }, i } => {
                Some((dataset.clone(), *i))
            }
            From::Stream(_) | From::Passed(_) => None,
        };
        move |e| {
            // Only what is broken is asked for its name.
            let name = match &from {
                _ if is_of_source(&e) => None,
                Some((dataset, i)) => dataset.sample_name(*i).ok().flatten(),
                None => streamed.clone(),
            };
            let e = if let Some(name) = name { e.member(name) } else { e };
            match (&from, id) {
                (Some((dataset, i)), _) => e.sample(*i).file(dataset.name()),
                (None, Some(id)) => e.sample(id),
                (None, None) => e,
            }
        }
    }

    /// Reads, verifies and looks at the sample; also what of a mapped file is of no use once it is written.
    pub fn load(self, options: &Options) -> Result<(Loaded, Option<Used>)> {
        let id = self.id;
        let (mut sample, used) = match self.from {
            From::Dataset { dataset, i } => {
                let sample = dataset.load_as(i, id)?;
                let used = dataset.stored_range(i);
                (sample, used.map(|range| (dataset, range)))
            }
            From::Derived { derived: Derived { dataset, make, .. }, i } => {
                let sample = make(&dataset, i)?;
                let used = dataset.stored_range(i);
                (sample, used.map(|range| (dataset, range)))
            }
            From::Passed(e) => return Err(e),
            From::Stream(sample) => {
                let payload = sample.payload.clone();
                (Loaded::from_files(id, &sample.name, payload, &sample.sidecars(), sample.before), None)
            }
        };
        if let Some(labels) = &options.labels {
            labels.attach(&mut sample)?;
        }
        sample.record = with_users(sample.record, id, options);
        Ok((sample, used))
    }
}

/// Adds what the user's own `samples` say.
fn with_users(record: Option<String>, id: u64, options: &Options) -> Option<String> {
    let more = usize::try_from(id).ok().and_then(|i| options.metadata.samples.get(i)).filter(|m| !m.is_empty());
    match (record, more) {
        (record, None) => record,
        (Some(record), Some(more)) => Some(record::merge(&record, more)),
        (None, Some(more)) => Some(record::merge(&format!("{{\"id\":{id}}}"), more)),
    }
}
