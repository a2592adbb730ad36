//! The files that a loader reads, and what tells them from others of the same name.

use std::path::PathBuf;

use forebay::{
    Error, Result,
    codec::checksum::fnv1a,
    filter::Filter,
    order::{Item, Source},
    tbl::raw::HEADER_LEN,
};

use super::{OnBroken, codes};
use crate::{Dataset, OpenOptions, folder::Folder, parallel::blocks::in_blocks, select::matching_all};

/// The opened files, in the order in which their samples follow each other.
#[derive(Debug)]
pub(super) struct Sources {
    datasets: Vec<Dataset>,
}

impl Sources {
    pub(super) fn open(paths: &[PathBuf], options: &OpenOptions) -> Result<Sources> {
        let open = |path: &PathBuf| {
            let dataset = Dataset::open_with(path, options)?;
            match dataset.folder() {
                Some(folder) if folder.is_empty() => Err(no_pictures(folder)),
                _ if dataset.warehouse().is_some() => Err(tensors(&dataset)),
                _ => Ok(dataset),
            }
        };
        Ok(Sources { datasets: paths.iter().map(open).collect::<Result<_>>()? })
    }

    pub(super) fn datasets(&self) -> &[Dataset] {
        &self.datasets
    }
    /// The file of an item.
    pub(super) fn of(&self, item: &Item) -> Result<&Dataset> {
        self.datasets.get(item.source).ok_or_else(|| {
            let message = format!("there are {} sources", self.datasets.len());
            Error::new(&forebay::error::codes::OUT_OF_RANGE, message)
        })
    }

    /// Says which samples come next: their files must still be whole, and the system may fetch them.
    pub(super) fn announce(&self, items: &[Item], read_ahead: bool) -> Result<()> {
        let mut checked = None;
        for item in items {
            let dataset = self.of(item)?;
            if checked != Some(item.source) {
                if let Some(input) = dataset.input() {
                    input.unchanged()?;
                }
                checked = Some(item.source);
            }
            if read_ahead {
                dataset.will_need(item.sample);
            }
        }
        Ok(())
    }

    /// What the order needs to know of them. What the filter cannot look at is not selected where `on_broken` forgives
    /// it.
    pub(super) fn describe(&self, filter: Option<&Filter>, on_broken: OnBroken) -> Result<Vec<Source>> {
        let selected = match filter {
            Some(filter) => Some(matching_all(&self.datasets, filter, |e| on_broken.forgives(e))?.chosen),
            None => None,
        };
        let mut chosen = selected.map(Vec::into_iter);
        let one = |dataset: &Dataset| {
            let source = Source::new(dataset.name(), dataset.len()).identity(identity(dataset)?);
            match chosen.as_mut().and_then(Iterator::next) {
                Some(chosen) => source.select(chosen),
                None => Ok(source),
            }
        };
        self.datasets.iter().map(one).collect()
    }
}

/// Tensors are not decoded.
fn tensors(dataset: &Dataset) -> Error {
    let message = "a tensor warehouse has nothing to decode; `tensors::Loader` gives its batches";
    Error::new(&codes::SETTINGS, message).file(dataset.name())
}

/// A folder of shards is a likely mistake, and training on nothing a quiet one.
fn no_pictures(folder: &Folder) -> Error {
    let message = match folder.left_out() {
        0 => "the folder has no pictures".to_owned(),
        n => format!("the folder has no pictures but {n} other files; a pattern such as shards/*.tbl opens datasets"),
    };
    Error::new(&codes::SETTINGS, message).file(folder.name())
}

/// How many samples are looked into to tell a file from another: the first, the last, and some between.
const LOOKED_INTO: u64 = 16;

/// What tells a dataset from another: its length, a hash over where its samples lie, and one over what a few of them
/// begin and end with, checksums and metadata included. A TBL's header, where it has a checksum of all metadata, counts
/// too. It moves with the file to other machines and costs a few reads.
fn identity(dataset: &Dataset) -> Result<String> {
    let n = dataset.len();
    let layouts = in_blocks(n, |range| {
        let mut hash = crc32fast::Hasher::new();
        for i in range {
            // An entry that is damaged counts by being so.
            hash.update(bytemuck::bytes_of(&dataset.layout_of(i).unwrap_or_default()));
        }
        Ok(hash)
    })?;
    let mut layout = crc32fast::Hasher::new();
    layouts.iter().for_each(|hash| layout.combine(hash));
    let mut seen = Vec::new();
    if let (Some(_), Some(input)) = (dataset.tbl(), dataset.input()) {
        seen.push(input.slice(0..HEADER_LEN)?);
    }
    for k in 0..n.min(LOOKED_INTO) {
        // Evenly from the first to the last; n is at most 2^53, so nothing overflows.
        let i = k * n.saturating_sub(1) / n.min(LOOKED_INTO).saturating_sub(1).max(1);
        seen.extend(dataset.traits_of(i).into_iter().flatten());
    }
    // No CRC-32: that of bytes with their own CRC-32 behind them is the same whatever they are.
    let (layout, samples) = (layout.finalize(), fnv1a(seen.iter().flatten().copied()));
    Ok(format!("{} bytes, layout {layout:08x}, samples {samples:016x}", dataset.file_len()))
}
