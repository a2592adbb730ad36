//! The files that a loader reads, and what tells them from others of the same name.

use std::path::PathBuf;

use forebay::{
    Result,
    filter::Filter,
    order::{Item, Source},
};

use crate::{Dataset, OpenOptions, select::matching};

/// The opened files, in the order in which their samples follow each other.
#[derive(Debug)]
pub(super) struct Sources {
    datasets: Vec<Dataset>,
}

impl Sources {
    pub(super) fn open(paths: &[PathBuf], options: &OpenOptions) -> Result<Sources> {
        let datasets = paths.iter().map(|path| Dataset::open_with(path, options)).collect::<Result<_>>()?;
        Ok(Sources { datasets })
    }

    pub(super) fn datasets(&self) -> &[Dataset] {
        &self.datasets
    }
    /// The file of an item.
    pub(super) fn of(&self, item: &Item) -> Result<&Dataset> {
        self.datasets.get(item.source).ok_or_else(|| {
            let message = format!("there are {} sources", self.datasets.len());
            forebay::Error::new(&forebay::error::codes::OUT_OF_RANGE, message)
        })
    }

    /// Says which samples come next: their files must still be whole, and the system may fetch them.
    pub(super) fn announce(&self, items: &[Item], read_ahead: bool) -> Result<()> {
        let mut checked = None;
        for item in items {
            let dataset = self.of(item)?;
            if checked != Some(item.source) {
                if let Some(input) = dataset.input() {
                    input.check_whole()?;
                }
                checked = Some(item.source);
            }
            if read_ahead {
                dataset.will_need(item.sample);
            }
        }
        Ok(())
    }

    /// What the order needs to know of them.
    pub(super) fn describe(&self, filter: Option<&Filter>) -> Result<Vec<Source>> {
        let one = |dataset: &Dataset| {
            let source = Source::new(dataset.name(), dataset.len()).identity(identity(dataset));
            match filter {
                Some(filter) => source.select(matching(dataset, filter)?),
                None => Ok(source),
            }
        };
        self.datasets.iter().map(one).collect()
    }
}

/// What tells a dataset from another: its length, and a hash over where its samples lie. It moves with the file to
/// other machines and does not need its contents to be read.
fn identity(dataset: &Dataset) -> String {
    let mut hash = crc32fast::Hasher::new();
    for i in 0..dataset.len() {
        // An entry that is damaged counts by being so.
        let place = dataset.layout_of(i).unwrap_or_default();
        hash.update(bytemuck::bytes_of(&place));
    }
    format!("{} bytes, layout {:08x}", dataset.file_len(), hash.finalize())
}
