//! The files of an archive that a sample becomes.

use std::borrow::Cow;

use bytes::Bytes;

use crate::{
    error::Result,
    sample::{
        MediaFormat,
        record::{self, RestoredFile},
    },
    tar::{END, header_for, padding, webdataset::group},
};

/// A sample's file as it goes into an archive.
#[derive(Clone, Debug)]
pub struct ArchiveFile {
    /// Its name.
    pub name: String,
    /// The blocks in front.
    pub header: Vec<u8>,
    /// The bytes of the file.
    pub content: Bytes,
}

impl ArchiveFile {
    fn new(name: String, content: Bytes) -> Result<Self> {
        Ok(ArchiveFile { header: header_for(&name, content.len() as u64)?, name, content })
    }
    /// Gives it another name.
    pub(super) fn rename(&mut self, name: String) -> Result<()> {
        self.header = header_for(&name, self.content.len() as u64)?;
        self.name = name;
        Ok(())
    }
    /// How many zeros follow the content.
    pub fn padding(&self) -> usize {
        padding(self.content.len() as u64)
    }
    /// All of it, with the zeros.
    pub fn pieces(&self) -> [&[u8]; 3] {
        [&self.header, &self.content, &END[..self.padding()]]
    }
}

/// A name that a file has no longer, and the one that it has.
#[derive(Clone, Debug)]
pub struct Renamed {
    /// Before.
    pub was: String,
    /// Now.
    pub is: String,
}

/// The files of sample `id` as an archive holds them: under the names that they had, or numbered.
/// [`renamed`] says where a name could not stay, and what is returned beside them where that of the payload could not.
pub fn archive_files(
    id: u64,
    record: Option<&str>,
    payload: &Bytes,
    format: MediaFormat,
) -> Result<(Vec<ArchiveFile>, Option<Renamed>)> {
    let extension = format.extension();
    let mut files = match record {
        Some(record) => record::files(record, id, extension)?,
        None => vec![RestoredFile { name: format!("{id:08}.{extension}"), content: None }],
    };
    let renamed = as_one(&mut files, extension, payload.len() as u64);
    let file =
        |file: RestoredFile| ArchiveFile::new(file.name, file.content.map_or_else(|| payload.clone(), Bytes::from));
    Ok((files.into_iter().map(file).collect::<Result<_>>()?, renamed))
}

/// Sees to it that who reads the files of a sample [finds it in them](group): a payload without an extension, or with that
/// of one of its sidecars, gets one more. If that does not help, as with sidecars that are pictures, all stays as it was.
/// `bytes` are the payload's.
pub fn as_one(files: &mut Vec<RestoredFile>, extension: &str, bytes: u64) -> Option<Renamed> {
    if files.len() < 2 || finds_it(files, bytes) {
        return None;
    }
    let at = files.iter().position(|file| file.content.is_none())?;
    let mut other = files.clone();
    let mut payload = other.remove(at);
    let was = std::mem::take(&mut payload.name);
    payload.name = format!("{was}.{extension}");
    let is = payload.name.clone();
    // Of files as large the first is the sample.
    for place in [at, 0] {
        other.insert(place, payload.clone());
        if finds_it(&other, bytes) {
            *files = other;
            return Some(Renamed { was, is });
        }
        other.remove(place);
    }
    None
}

/// Whether all of the files read as one sample, which is the payload.
fn finds_it(files: &[RestoredFile], bytes: u64) -> bool {
    let sized = |file: &RestoredFile| file.content.as_ref().map_or(bytes, |content| content.len() as u64);
    let found = group(files.iter().map(|file| (file.name.as_str(), sized(file)))).unwrap_or_default();
    let payload = |sample: usize| files.get(sample).is_some_and(|file| file.content.is_none());
    found.len() == 1 && found.get(0).is_some_and(|sample| payload(sample.primary))
}

/// The name of a record that leaves the folder, so that its files go out under [another](record::inside).
pub fn renamed(record: &str) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Named<'a> {
        #[serde(borrow)]
        name: Option<Cow<'a, str>>,
    }
    let name = serde_json::from_str::<Named<'_>>(record).ok()?.name?;
    record::safe_name(&name).is_err().then(|| name.into_owned())
}
