//! Samples become files again.

use std::path::{Path, PathBuf};

use forebay::{
    Result,
    sample::record::{RestoredFile, codes::NAME, files},
    samples::{Oddities, renamed},
};
use forebay_native::{
    Dataset, OpenOptions,
    output::{Beneath, Names, Written},
};
use pyo3::prelude::*;
use serde_json::json;

use crate::wait::long;

/// Writes samples with their sidecars into a folder, under the names that they had; what was done as JSON text.
#[pyfunction]
pub(crate) fn extract(
    py: Python<'_>,
    path: PathBuf,
    folder: PathBuf,
    chosen: Option<Vec<u64>>,
    force: bool,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    long(py, progress, move |wire| {
        let dataset = Dataset::open_with(&path, &OpenOptions::default())?;
        let samples = chosen.as_ref().map_or(dataset.len(), |chosen| chosen.len() as u64);
        let mut target = Target::open(&folder, force)?;
        let numbers: Box<dyn Iterator<Item = u64>> = match chosen {
            Some(chosen) => Box::new(chosen.into_iter()),
            None => Box::new(0..samples),
        };
        for (done, i) in (1..).zip(numbers) {
            target.write(&dataset, i)?;
            wire.tell(done, Some(samples));
        }
        let notes: Vec<String> = target.odd.notes().collect();
        let (files, renamed) = (target.files, target.renamed);
        Ok(json!({ "samples": samples, "files": files, "renamed": renamed, "notes": notes }).to_string())
    })
}

/// The folder that samples go to.
struct Target {
    folder: Beneath,
    force: bool,
    names: Names,
    files: u64,
    /// The files among them that are not called as they were.
    renamed: u64,
    odd: Oddities,
}

impl Target {
    fn open(folder: &Path, force: bool) -> Result<Target> {
        let folder = Beneath::open(folder)?;
        Ok(Target { folder, force, names: Names::default(), files: 0, renamed: 0, odd: Oddities::default() })
    }

    /// Writes a sample's files. Nothing leaves the folder, whatever the names say.
    fn write(&mut self, dataset: &Dataset, i: u64) -> Result<()> {
        let extension = dataset.info(i)?.format.extension();
        let record = dataset.record(i)?;
        let left = record.as_deref().and_then(renamed);
        if let Some(name) = &left {
            self.odd.renamed(i, name);
        }
        let files = match &record {
            Some(record) => files(record, i, extension).map_err(|e| e.file(dataset.name()))?,
            None => vec![RestoredFile { name: format!("{i:08}.{extension}"), content: None }],
        };
        let payload = dataset.payload(i)?;
        for file in &files {
            let content = file.content.as_deref().unwrap_or(&payload);
            let (folder, force) = (&mut self.folder, self.force);
            let write = |path: &Path| Ok(folder.write(path, content, force)? == Written::Whole);
            let path = self.names.give(&file.name, i, write).map_err(|e| match e.code() == &NAME {
                true => e.sample(i).file(dataset.name()),
                false => e,
            })?;
            let taken = path != Path::new(file.name.trim_start_matches("./"));
            if taken {
                self.odd.numbered(i, &file.name, &path.to_string_lossy());
            }
            self.files += 1;
            self.renamed += u64::from(left.is_some() || taken);
        }
        Ok(())
    }
}
