//! Which columns of a file may hold images, by their types and by what `datasets` says of them.
//!
//! An image is a struct of `bytes` and `path`, or plain bytes; several of a row are a list of such structs. Sounds look the same,
//! and bytes may be anything: where the footer does not describe a column, its first value must begin as an image does.

use arrow_schema::DataType;
use forebay::{Error, Result};
use parquet::arrow::arrow_reader::ArrowReaderMetadata;

use super::{cells::Cells, kept::Shared, table::ParquetTable};
use crate::{
    codes,
    hugging::{Said, said_of},
};

/// A column that may hold images.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// Its number in the file.
    pub root: usize,
    pub name: String,
    /// The stored columns of its bytes and paths.
    bytes: usize,
    path: Option<usize>,
    /// Whether the footer declares it to hold images.
    pub told: bool,
    /// Whether a row has a list of them.
    pub list: bool,
}

/// A column of images.
#[derive(Debug)]
pub(super) struct Images {
    pub name: String,
    pub bytes: Cells,
    pub paths: Option<Cells>,
    pub list: bool,
}

impl Candidate {
    /// The columns that may hold images, the likeliest first.
    pub fn all(table: &ParquetTable) -> Vec<Candidate> {
        let (metadata, said) = (table.opened().0, table.said());
        let mut found = Vec::new();
        for (root, field) in metadata.schema().fields().iter().enumerate() {
            let (rank, list) = match (field.data_type(), said_of(field.name(), said)) {
                (_, Said::Other) => continue,
                (dtype, told) => {
                    let Some((rank, list)) = rank(dtype) else { continue };
                    (if told == Said::Pictures { rank } else { rank + 10 }, list)
                }
            };
            if let (Some(_), Some((bytes, path))) = (table.shown(root), leaves(metadata, root)) {
                let name = field.name().clone();
                found.push((rank, Candidate { root, name, bytes, path, told: rank < 10, list }));
            }
        }
        found.sort_by_key(|(rank, candidate)| (*rank, candidate.root));
        found.into_iter().map(|(_, candidate)| candidate).collect()
    }

    /// Its values, the last of which are kept there.
    pub fn open(&self, table: &ParquetTable, kept: &Shared) -> Result<Images> {
        let (metadata, chunks, len, limits) = table.opened();
        let cells = |leaf: usize| Cells::new(metadata, chunks, leaf, (len, limits, kept));
        let named = |e: Error| e.column(&self.name);
        Ok(Images {
            name: self.name.clone(),
            bytes: cells(self.bytes).map_err(named)?,
            paths: self.path.map(cells).transpose().map_err(named)?,
            list: self.list,
        })
    }
}

/// How likely a type is that of images, and whether it is a list.
fn rank(dtype: &DataType) -> Option<(u8, bool)> {
    let bytes = |dtype: &DataType| matches!(dtype, DataType::Binary | DataType::LargeBinary | DataType::BinaryView);
    let image = |dtype: &DataType| match dtype {
        DataType::Struct(parts) => parts.iter().any(|part| part.name() == "bytes" && bytes(part.data_type())),
        _ => false,
    };
    match dtype {
        dtype if image(dtype) => Some((0, false)),
        DataType::List(item) | DataType::LargeList(item) if image(item.data_type()) => Some((1, true)),
        dtype if bytes(dtype) => Some((2, false)),
        _ => None,
    }
}

/// The stored columns of the bytes and of the paths.
fn leaves(metadata: &ArrowReaderMetadata, root: usize) -> Option<(usize, Option<usize>)> {
    let stored = metadata.parquet_schema();
    let own: Vec<usize> = (0..stored.num_columns()).filter(|leaf| stored.get_column_root_idx(*leaf) == root).collect();
    let called = |leaf: &usize, name: &str| {
        let column = stored.column(*leaf);
        column.physical_type() == parquet::basic::Type::BYTE_ARRAY
            && column.path().parts().last().is_some_and(|last| last == name)
    };
    match own[..] {
        [only] if stored.column(only).path().parts().len() == 1 => Some((only, None)),
        _ => {
            let find = |name| own.iter().copied().find(|leaf| called(leaf, name));
            Some((find("bytes")?, find("path")))
        }
    }
}

/// The error for a file without images.
pub(super) fn no_images() -> Error {
    let message = "this is a Parquet table, and no column of it holds images";
    Error::new(&forebay::error::codes::NOT_SAMPLES, message)
}

/// The error for a row whose image is elsewhere.
pub(super) fn elsewhere(name: &str, row: u64, is_list: bool) -> Error {
    let message = match is_list {
        true => format!("the list {name} of the row has no image"),
        false => {
            format!("the row has no bytes of an image in {name}: at most a path, to a file that is not in the dataset")
        }
    };
    Error::new(&codes::NO_PAYLOAD, message).row(row)
}
