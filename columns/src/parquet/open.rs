//! A Parquet file's footer, and which of its columns this build cannot read though the file is sound: newer types,
//! compressions that are not built in, encryption. They are named, and all other columns are read.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use arrow_schema::{DataType as Arrow, Field as ArrowField, Schema as ArrowSchema, TimeUnit};
use base64::{Engine, prelude::BASE64_STANDARD};
use forebay::{Error, Limits, Result};
use parquet::{
    arrow::{
        ARROW_SCHEMA_META_KEY,
        arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions},
        encode_arrow_schema,
    },
    basic::{Compression, ConvertedType, LogicalType, Type},
    errors::ParquetError,
    file::metadata::{FileMetaData, KeyValue, ParquetMetaData, ParquetMetaDataReader},
};

use super::{file::ParquetFile, footer};
use crate::{arrow::field_of, codes, guard::guarded, ranges::Ranges};

/// Numbers of columns, and what about each is not read.
pub type NotRead = BTreeMap<usize, String>;

/// What a footer says, which of its columns are not read, and the numbers of those that [`INT96`] is said of.
pub type Loaded = (ArrowReaderMetadata, NotRead, Vec<usize>);

/// What a column of INT96 becomes.
pub const INT96: &str = "INT96 becomes times in microseconds, which reach all years; finer parts are cut";

/// Reads the footer.
pub fn load<F: Ranges>(file: &ParquetFile<F>, limits: &Limits) -> Result<Loaded> {
    let encrypted = footer::check(file.input(), limits)?;
    let metadata = guarded(|| ParquetMetaDataReader::new().parse_and_finish(file).map_err(not_parquet).map(Arc::new))?;
    let opened = guarded(|| ArrowReaderMetadata::try_new(metadata.clone(), Default::default()).map_err(not_parquet));
    let (opened, mut not_read) = match opened {
        Ok(opened) => (guarded(|| with_zones(opened))?, NotRead::new()),
        Err(e) => guarded(|| Ok(without_unknown_types(&metadata))).ok().flatten().ok_or(e)?,
    };
    let opened = guarded(|| with_values_of_dictionaries(opened))?;
    let (opened, old_times) = guarded(|| with_all_years(opened))?;
    let stored = metadata.file_metadata().schema_descr();
    // Months, days and milliseconds; Arrow's crates would take the days and milliseconds alone.
    if !hints(&metadata).any(|pair| pair.key == ARROW_SCHEMA_META_KEY) {
        let spans =
            (0..stored.num_columns()).filter(|leaf| stored.column(*leaf).converted_type() == ConvertedType::INTERVAL);
        not_read.extend(spans.map(|leaf| (stored.get_column_root_idx(leaf), "Parquet's type INTERVAL".to_owned())));
    }
    for leaf in encrypted.into_iter().filter(|leaf| *leaf < stored.num_columns()) {
        not_read.insert(stored.get_column_root_idx(leaf), "encryption".to_owned());
    }
    for chunk in metadata.row_groups().iter().flat_map(|group| group.columns().iter().enumerate()) {
        let (leaf, codec) = (chunk.0, chunk.1.compression());
        if !is_built_in(codec) && leaf < stored.num_columns() {
            let name = codec.to_string();
            let name = name.split('(').next().unwrap_or_default();
            not_read.entry(stored.get_column_root_idx(leaf)).or_insert_with(|| format!("compression {name}"));
        }
    }
    Ok((opened, not_read, old_times))
}

fn is_built_in(codec: Compression) -> bool {
    match codec {
        Compression::UNCOMPRESSED | Compression::SNAPPY | Compression::GZIP(_) | Compression::BROTLI(_) => true,
        Compression::LZ4 | Compression::LZ4_RAW | Compression::ZSTD(_) => true,
        Compression::LZO => false,
    }
}

/// The file as if the columns whose Arrow types are not known had none but Parquet's own.
fn without_unknown_types(metadata: &Arc<ParquetMetaData>) -> Option<(ArrowReaderMetadata, NotRead)> {
    let plain = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let base = ArrowReaderMetadata::try_new(metadata.clone(), plain).ok()?;
    let fields = hinted(metadata)?;
    if fields.len() != base.schema().fields().len() {
        return None;
    }
    let mut not_read = NotRead::new();
    let mut known: Vec<Arc<ArrowField>> = Vec::with_capacity(fields.len());
    for (i, (field, own)) in fields.into_iter().zip(base.schema().fields()).enumerate() {
        known.push(match field {
            Ok(field) => Arc::new(field),
            Err(name) => {
                not_read.insert(i, format!("Arrow's type {name}"));
                own.clone()
            }
        });
    }
    Some((hinted_by(metadata, &ArrowSchema::new(known)).ok()?, not_read))
}

/// The fields as Arrow's types beside the schema have them; of a type that is not known, its name.
fn hinted(metadata: &ParquetMetaData) -> Option<Vec<std::result::Result<ArrowField, String>>> {
    let hint = hints(metadata).find(|pair| pair.key == ARROW_SCHEMA_META_KEY)?.value.as_ref()?;
    let bytes = BASE64_STANDARD.decode(hint).ok()?;
    let message = if bytes.starts_with(&[0xff; 4]) { bytes.get(8..)? } else { &bytes };
    let fields = arrow_ipc::root_as_message(message).ok()?.header_as_schema()?.fields()?;
    Some(fields.iter().map(field_of).collect())
}

/// The pairs beside the schema, among which Arrow's types may be.
fn hints(metadata: &ParquetMetaData) -> impl Iterator<Item = &KeyValue> {
    metadata.file_metadata().key_value_metadata().into_iter().flatten()
}

/// The file as if it said these types of Arrow.
fn hinted_by(metadata: &ParquetMetaData, schema: &ArrowSchema) -> Result<ArrowReaderMetadata> {
    let file = metadata.file_metadata();
    let hint = KeyValue::new(ARROW_SCHEMA_META_KEY.to_owned(), encode_arrow_schema(schema));
    let others = hints(metadata).filter(|pair| pair.key != ARROW_SCHEMA_META_KEY).cloned();
    let pairs = others.chain([hint]).collect();
    let file = FileMetaData::new(
        file.version(),
        file.num_rows(),
        file.created_by().map(str::to_owned),
        Some(pairs),
        file.schema_descr_ptr(),
        file.column_orders().cloned(),
    );
    let metadata = ParquetMetaData::new(file, metadata.row_groups().to_vec());
    ArrowReaderMetadata::try_new(Arc::new(metadata), Default::default()).map_err(not_parquet)
}

/// The file with times of INT96 in microseconds, and the numbers of these columns. Arrow's crates would take them for
/// nanoseconds, which reach from 1677 to 2262: the last day of the year 9999, which many programs write for "never", becomes one
/// of 1816. A file that has Arrow's types says itself what it means.
fn with_all_years(opened: ArrowReaderMetadata) -> Result<(ArrowReaderMetadata, Vec<usize>)> {
    let stored = opened.metadata().file_metadata().schema_descr();
    let old = |leaf: &usize| stored.column(*leaf).physical_type() == Type::INT96;
    let mut roots: Vec<usize> =
        (0..stored.num_columns()).filter(old).map(|leaf| stored.get_column_root_idx(leaf)).collect();
    roots.dedup();
    // Beside other times in one column they cannot be told apart.
    let other = |leaf: &usize| matches!(stored.column(*leaf).logical_type_ref(), Some(LogicalType::Timestamp(_)));
    let mixed: HashSet<usize> =
        (0..stored.num_columns()).filter(other).map(|leaf| stored.get_column_root_idx(leaf)).collect();
    roots.retain(|root| !mixed.contains(root));
    if roots.is_empty() || hints(opened.metadata()).any(|pair| pair.key == ARROW_SCHEMA_META_KEY) {
        return Ok((opened, Vec::new()));
    }
    let mut in_us = |own: &Arrow| match own {
        Arrow::Timestamp(TimeUnit::Nanosecond, zone) => Some(Arrow::Timestamp(TimeUnit::Microsecond, zone.clone())),
        _ => None,
    };
    let is_old: HashSet<usize> = roots.iter().copied().collect();
    let schema = opened.schema();
    let fields = schema.fields().iter().enumerate();
    let fields: Vec<_> =
        fields.map(|(i, field)| if is_old.contains(&i) { leaves(field, &mut in_us) } else { field.clone() }).collect();
    let hinted = hinted_by(opened.metadata(), &ArrowSchema::new_with_metadata(fields, schema.metadata().clone()))?;
    Ok((hinted, roots))
}

/// The file with the zones that Arrow's types name: the crate takes them only for times of the same unit, and other programs
/// write seconds as milliseconds.
fn with_zones(opened: ArrowReaderMetadata) -> Result<ArrowReaderMetadata> {
    let Some(fields) = hinted(opened.metadata()) else { return Ok(opened) };
    let fields: Vec<_> = fields.into_iter().flatten().map(Arc::new).collect();
    let (own, said) = (types_of_leaves(opened.schema().fields()), types_of_leaves(&fields));
    if own.len() != said.len() {
        return Ok(opened);
    }
    let mut said = said.into_iter();
    with_types(opened, &mut |own| match (own, said.next()?) {
        (Arrow::Timestamp(unit, Some(_)), Arrow::Timestamp(other, Some(zone))) if *unit != other => {
            Some(Arrow::Timestamp(*unit, Some(zone)))
        }
        _ => None,
    })
}

/// The file with plain values for dictionaries that other programs write and Arrow's crates cannot read: of decimals
/// and what else lies in bytes of a fixed length.
fn with_values_of_dictionaries(opened: ArrowReaderMetadata) -> Result<ArrowReaderMetadata> {
    with_types(opened, &mut |own| match own {
        Arrow::Dictionary(_, values) if is_of_fixed_bytes(values) => Some((**values).clone()),
        _ => None,
    })
}

/// The file with other types of Arrow where there is one for a type that nests nothing.
fn with_types(
    opened: ArrowReaderMetadata,
    of: &mut impl FnMut(&Arrow) -> Option<Arrow>,
) -> Result<ArrowReaderMetadata> {
    let schema = opened.schema();
    let fields: Vec<_> = schema.fields().iter().map(|field| leaves(field, of)).collect();
    if schema.fields().iter().eq(&fields) {
        return Ok(opened);
    }
    hinted_by(opened.metadata(), &ArrowSchema::new_with_metadata(fields, schema.metadata().clone()))
}

fn types_of_leaves(fields: &[Arc<ArrowField>]) -> Vec<Arrow> {
    let mut found = Vec::new();
    for field in fields {
        leaves(field, &mut |own| {
            found.push(own.clone());
            None
        });
    }
    found
}

/// The field with other types, also inside of lists and structs.
fn leaves(field: &Arc<ArrowField>, of: &mut impl FnMut(&Arrow) -> Option<Arrow>) -> Arc<ArrowField> {
    let dtype = match field.data_type() {
        Arrow::List(item) => Arrow::List(leaves(item, of)),
        Arrow::LargeList(item) => Arrow::LargeList(leaves(item, of)),
        Arrow::FixedSizeList(item, size) => Arrow::FixedSizeList(leaves(item, of), *size),
        Arrow::Map(entries, sorted) => Arrow::Map(leaves(entries, of), *sorted),
        Arrow::Struct(fields) => Arrow::Struct(fields.iter().map(|field| leaves(field, of)).collect()),
        own => match of(own) {
            Some(other) => other,
            None => return field.clone(),
        },
    };
    Arc::new(field.as_ref().clone().with_data_type(dtype))
}

fn is_of_fixed_bytes(values: &Arrow) -> bool {
    values.is_decimal() || matches!(values, Arrow::Float16 | Arrow::Interval(_))
}

/// Numbers of encodings and compressions up to this may come to mean something; larger ones are damage.
const NEXT_NUMBERS: u64 = 32;

/// An error of Parquet's crate: what it has no words for may be sound, all else is damage.
pub fn not_parquet(e: ParquetError) -> Error {
    let text = e.to_string();
    let code = if is_unsupported(&e, &text) { &codes::ROUTE } else { &codes::ARROW };
    Error::caused(code, text, e)
}

fn is_unsupported(e: &ParquetError, text: &str) -> bool {
    let number = |word: &str| text.split_once(word).and_then(|(_, rest)| rest.trim().parse::<u64>().ok());
    let newer = ["Unexpected Encoding ", "Unexpected CompressionCodec ", "Unexpected Compression "];
    matches!(e, ParquetError::NYI(_))
        || codes::says_unsupported(text)
        || newer.into_iter().filter_map(number).any(|n| n < NEXT_NUMBERS)
}
