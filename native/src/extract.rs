//! Samples become files again.

use std::{
    io::IoSlice,
    path::{Path, PathBuf},
};

use forebay::{
    Result,
    sample::record::{RestoredFile, codes::NAME, files},
    samples::{Oddities, as_one, renamed},
};

use crate::{
    Dataset,
    input::remote,
    output::{AtomicFile, Beneath, Keys, Names, Written},
};

/// The folder that samples go to.
#[derive(Debug)]
pub struct Target {
    folder: Folder,
    force: bool,
    /// The dataset that is read, whose file stays as it is even where a sample has its name.
    kept: Option<String>,
    names: Names,
    keys: Keys,
    files: u64,
    renamed: u64,
    odd: Oddities,
}

#[derive(Debug)]
enum Folder {
    Near(Beneath),
    /// In a store. Names differ there as they do here, so none is taken for another.
    Far(PathBuf),
}

impl Folder {
    fn open(path: &Path) -> Result<Folder> {
        match remote::is_remote(path) {
            true => remote::refuse_writing(path).map(|()| Folder::Far(path.to_owned())),
            false => Beneath::open(&remote::local(path)?).map(Folder::Near),
        }
    }

    fn write(&mut self, name: &Path, bytes: &[u8], force: bool) -> Result<Written> {
        match self {
            Folder::Near(folder) => folder.write(name, bytes, force),
            Folder::Far(folder) => {
                let mut file = AtomicFile::create_as_named(&remote::beneath(folder, name), force)?;
                file.append(&mut [IoSlice::new(bytes)])?;
                file.commit(false)?;
                Ok(Written::Whole)
            }
        }
    }
}

impl Target {
    /// A folder, which is made if it does not exist, or the address of one in a store. With `force` files that are there are replaced.
    pub fn open(folder: &Path, force: bool) -> Result<Target> {
        let folder = Folder::open(folder)?;
        Ok(Target {
            folder,
            force,
            kept: None,
            names: Names::default(),
            keys: Keys::default(),
            files: 0,
            renamed: 0,
            odd: Oddities::default(),
        })
    }

    /// Writes a sample's files. Nothing leaves the folder, whatever the names say.
    pub fn write(&mut self, dataset: &Dataset, i: u64) -> Result<()> {
        let mut left = false;
        if self.kept.as_deref() != Some(dataset.name()) {
            self.kept = Some(dataset.name().to_owned());
            if let Folder::Near(folder) = &mut self.folder {
                folder.keep(Path::new(dataset.name()));
            }
        }
        let extension = dataset.info(i)?.format.extension();
        let mut files = match dataset.record(i)? {
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
        let had: Vec<String> = files.iter().map(|file| file.name.clone()).collect();
        as_one(&mut files, extension, payload.len() as u64);
        let before = files.iter().map(|file| file.name.clone()).collect::<Vec<_>>();
        let now = self.keys.give(&before, i);
        files.iter_mut().zip(now).for_each(|(file, now)| file.name = now);
        for (file, had) in files.iter().zip(had) {
            let content = file.content.as_deref().unwrap_or(&payload);
            let (folder, force) = (&mut self.folder, self.force);
            // The file system may take names for the same that are not, such as those that differ in case.
            let write = |path: &Path| Ok(folder.write(path, content, force)? == Written::Whole);
            let path = self.names.give(&file.name, i, write).map_err(|e| match e.code() == &NAME {
                true => e.sample(i).file(dataset.name()),
                false => e,
            })?;
            let taken = path != Path::new(had.trim_start_matches("./"));
            if taken {
                self.odd.numbered(i, &had, &path.to_string_lossy());
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
