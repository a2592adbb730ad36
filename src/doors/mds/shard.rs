//! The description that a shard begins with.

use serde_json::{Map, Value as Json};

use super::value::Encoding;
use crate::{
    doors::codes,
    error::{Error, Result},
};

/// One column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::doors) struct Column {
    pub name: String,
    pub encoding: Encoding,
    /// Bytes of each value; `None` where they vary.
    pub size: Option<u32>,
}

/// The columns of a shard, by its description.
pub(super) fn columns(text: &[u8]) -> Result<Vec<Column>> {
    let wrong = |message: &str| Error::new(&codes::MDS_DESCRIPTION, message.to_owned());
    let said: Map<String, Json> = serde_json::from_slice(text)
        .map_err(|e| Error::caused(&codes::MDS_DESCRIPTION, format!("the description is not readable JSON: {e}"), e))?;
    match said.get("format") {
        None | Some(Json::Null) => {}
        Some(format) if format == "mds" => {}
        Some(other) => {
            let message = format!("the shard has the format {other}, and only \"mds\" is read; write it again as that");
            return Err(Error::new(&codes::MDS_ENCODING, message));
        }
    }
    let list =
        |name: &str| said.get(name).and_then(Json::as_array).ok_or_else(|| wrong("the description has no columns"));
    let (names, encodings, sizes) = (list("column_names")?, list("column_encodings")?, list("column_sizes")?);
    if names.len() != encodings.len() || names.len() != sizes.len() {
        return Err(wrong("the description does not have a name, an encoding and a size of each column"));
    }
    let columns = names.iter().zip(encodings).zip(sizes);
    columns
        .map(|((name, encoding), size)| {
            let texts = name.as_str().zip(encoding.as_str());
            let (name, encoding) = texts.ok_or_else(|| wrong("a column has no name, or no encoding"))?;
            let encoding = Encoding::of(encoding).map_err(|e| e.column(name))?;
            // A missing size means that the column varies.
            let size = size.as_u64().map(u32::try_from).transpose();
            let size = size.map_err(|_| wrong("the size of a column does not fit 32 bits"))?.filter(|&size| size > 0);
            Ok(Column { name: name.to_owned(), encoding, size })
        })
        .collect()
}
