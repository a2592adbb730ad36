//! Samples become files again.

use std::path::Path;

use forebay::{
    Result,
    sample::record::{RestoredFile, codes::NAME, files},
    samples::{Oddities, renamed},
};

use crate::{
    Dataset,
    output::{Beneath, Names, Written},
};

/// The folder that samples go to.
#[derive(Debug)]
pub struct Target {
    folder: Beneath,
    force: bool,
    names: Names,
    files: u64,
    renamed: u64,
    odd: Oddities,
}

impl Target {
    /// A folder, which is made if it does not exist. With `force` files that are there are replaced.
    pub fn open(folder: &Path, force: bool) -> Result<Target> {
        let folder = Beneath::open(folder)?;
        Ok(Target { folder, force, names: Names::default(), files: 0, renamed: 0, odd: Oddities::default() })
    }

    /// Writes a sample's files. Nothing leaves the folder, whatever the names say.
    pub fn write(&mut self, dataset: &Dataset, i: u64) -> Result<()> {
        let mut left = false;
        let extension = dataset.info(i)?.format.extension();
        let files = match dataset.record(i)? {
            Some(record) => {
                if let Some(name) = renamed(&record) {
                    left = true;
                    self.odd.renamed(i, &name);
                }
                files(&record, i, extension).map_err(|e| e.file(dataset.name()))?
            }
            None => vec![RestoredFile { name: format!("{i:08}.{extension}"), content: None }],
        };
        let payload = dataset.payload(i)?;
        for file in &files {
            let content = file.content.as_deref().unwrap_or(&payload);
            let (folder, force) = (&mut self.folder, self.force);
            // The file system may take names for the same that are not, such as those that differ in case.
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
            self.renamed += u64::from(left || taken);
        }
        Ok(())
    }

    /// How many files were written.
    pub fn files(&self) -> u64 {
        self.files
    }
    /// The files among them that are not called as they were.
    pub fn renamed(&self) -> u64 {
        self.renamed
    }
    /// What was odd about names, to be told at the end.
    pub fn notes(self) -> Vec<String> {
        self.odd.notes().collect()
    }
}
