//! The files of an archive that a sample becomes.

use std::borrow::Cow;

use bytes::Bytes;

use crate::{
    error::Result,
    sample::{
        MediaFormat,
        record::{self, RestoredFile},
    },
    tar::{END, header_for, padding},
};

/// A sample's file as it goes into an archive.
#[derive(Clone, Debug)]
pub struct ArchiveFile {
    /// The blocks in front.
    pub header: Vec<u8>,
    /// The bytes of the file.
    pub content: Bytes,
}

impl ArchiveFile {
    /// How many zeros follow the content.
    pub fn padding(&self) -> usize {
        padding(self.content.len() as u64)
    }
    /// All of it, with the zeros.
    pub fn pieces(&self) -> [&[u8]; 3] {
        [&self.header, &self.content, &END[..self.padding()]]
    }
}

/// The files of sample `id` as an archive holds them: under the names that they had, or numbered.
/// [`renamed`] says where a name could not stay.
pub fn archive_files(id: u64, record: Option<&str>, payload: &Bytes, format: MediaFormat) -> Result<Vec<ArchiveFile>> {
    let extension = format.extension();
    let files = match record {
        Some(record) => record::files(record, id, extension)?,
        None => vec![RestoredFile { name: format!("{id:08}.{extension}"), content: None }],
    };
    let file = |file: RestoredFile| {
        let content = file.content.map_or_else(|| payload.clone(), Bytes::from);
        Ok(ArchiveFile { header: header_for(&file.name, content.len() as u64)?, content })
    };
    files.into_iter().map(file).collect()
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
