//! The index: chunks, and the items in them.

use std::sync::Arc;

use serde_json::{Map, Value as Json};

use super::leaf::encoding;
use crate::{
    doors::{codes, mds::Column},
    error::{Error, Result},
};

/// A chunk, as the index lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Chunk {
    /// The name of its file.
    pub name: String,
    /// How many items it has.
    pub items: Option<u64>,
}

/// The chunks that an index lists, and the leaves of their items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    chunks: Vec<Chunk>,
    pub(in crate::doors) columns: Arc<[Column]>,
}

fn wrong(message: impl Into<String>) -> Error {
    Error::new(&codes::LITDATA_INDEX, message.into())
}

impl Spec {
    /// By the text of `index.json`; `None` if that is another program's.
    pub fn of(text: &[u8]) -> Result<Option<Spec>> {
        let said: Json = serde_json::from_slice(text).map_err(|e| {
            Error::caused(&codes::LITDATA_INDEX, format!("the index of LitData is not readable JSON: {e}"), e)
        })?;
        let (Some(Json::Array(chunks)), Some(config)) = (said.get("chunks"), said.get("config")) else {
            return Ok(None);
        };
        let config = config.as_object().ok_or_else(|| wrong("the index does not say how the items are written"))?;
        let chunk = |chunk: &Json| {
            let name = chunk.get("filename").and_then(Json::as_str);
            let name = name.ok_or_else(|| wrong("a chunk of the index has no name"))?.to_owned();
            Ok(Chunk { name, items: chunk.get("chunk_size").and_then(Json::as_u64) })
        };
        let chunks = chunks.iter().map(chunk).collect::<Result<Vec<_>>>()?;
        refuse(config, &chunks)?;
        Ok(Some(Spec { chunks, columns: columns(config)?.into() }))
    }

    /// The chunks, in their order.
    pub fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    /// Whether items of the other one have the same leaves.
    pub fn fits(&self, other: &Spec) -> bool {
        self.columns == other.columns
    }
}

/// Refuses what is written in another way than as items of leaves.
fn refuse(config: &Map<String, Json>, chunks: &[Chunk]) -> Result<()> {
    let said = |key: &str| config.get(key).filter(|value| !value.is_null());
    let no = |message: String| Err(Error::new(&codes::LITDATA_UNSUPPORTED, message));
    if let Some(encryption) = said("encryption") {
        return no(format!("the chunks are encrypted ({encryption}); write them again without encryption"));
    }
    if chunks.iter().any(|chunk| chunk.name.ends_with(".parquet")) {
        return no("the index is one of Parquet files; open those files themselves".to_owned());
    }
    match said("item_loader") {
        Some(loader) if loader != "PyTreeLoader" => no(format!(
            "the chunks are for {loader}, and only those for \"PyTreeLoader\" are read; write the samples again for that"
        )),
        _ => Ok(()),
    }
}

/// The leaves, in the order in which an item has them.
fn columns(config: &Map<String, Json>) -> Result<Vec<Column>> {
    let serializers = config.get("data_format").and_then(Json::as_array);
    let serializers = serializers.ok_or_else(|| wrong("the index has no data_format"))?;
    let mut names = Vec::new();
    match config.get("data_spec").and_then(Json::as_str) {
        Some(text) => {
            let spec: Json = serde_json::from_str(text).map_err(|e| {
                Error::caused(&codes::LITDATA_INDEX, format!("the data_spec of the index is not readable JSON: {e}"), e)
            })?;
            let tree = match spec.as_array().map(Vec::as_slice) {
                Some([version, tree]) if *version == 1 => tree,
                _ => return Err(wrong("the data_spec of the index is not one of version 1")),
            };
            leaves(tree, "", &mut names)?;
        }
        None => names.extend((0..serializers.len()).map(|k| k.to_string())),
    }
    if names.len() != serializers.len() {
        let message =
            format!("data_spec has {} leaves, and data_format {} serializers", names.len(), serializers.len());
        return Err(wrong(message));
    }
    let named = names.into_iter().zip(serializers);
    named
        .map(|(name, serializer)| {
            let serializer = serializer.as_str().ok_or_else(|| wrong("a serializer of data_format has no name"))?;
            let name = if name.is_empty() { serializer.to_owned() } else { name };
            let encoding = encoding(serializer).map_err(|e| e.column(name.as_str()))?;
            Ok(Column { name, encoding, size: None })
        })
        .collect()
}

/// The names of the leaves below a node: the keys of dictionaries and the numbers of lists, with dots between. The depth is
/// bounded by that of JSON.
fn leaves(node: &Json, name: &str, names: &mut Vec<String>) -> Result<()> {
    let children = node.get("children_spec").and_then(Json::as_array);
    let children = children.ok_or_else(|| wrong("a node of the data_spec has no children_spec"))?;
    if node.get("type").is_none_or(Json::is_null) {
        names.push(name.to_owned());
        return Ok(());
    }
    let keys: Option<Vec<Json>> =
        node.get("context").and_then(Json::as_str).and_then(|text| serde_json::from_str(text).ok());
    for (k, child) in children.iter().enumerate() {
        let key = keys.as_ref().filter(|keys| keys.len() == children.len()).and_then(|keys| keys.get(k));
        let key = match key {
            Some(Json::String(key)) => key.clone(),
            Some(key) => key.to_string(),
            None => k.to_string(),
        };
        let name = if name.is_empty() { key } else { format!("{name}.{key}") };
        leaves(child, &name, names)?;
    }
    Ok(())
}
