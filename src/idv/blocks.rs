//! Writing, in the subset that every reader takes: version 1.1.1.6, packing none or deflate, the same rows per
//! block everywhere.
//!
//! An [`Encoder`] turns one block into its stored bytes ([`encode`](Encoder::encode), pure, so that hosts may do
//! many side by side), says where each goes ([`place`](Encoder::place)) and ends the file with the tables
//! and the header, whose first form is 256 zeros. It keeps 16 bytes a block and nothing of the data.
//!
//! ```
//! use forebay::{idv::{Encoder, WriteOptions}, table::{Column, DataType, Field}};
//! let mut encoder = Encoder::new(vec![Field::new("x", DataType::I32)], WriteOptions::default())?;
//! let mut file = vec![0; 256];
//! let packed = encoder.encode(0, &Column::from(vec![1, 2, 3]))?;
//! assert_eq!(encoder.place(0, &packed)?, file.len() as u64);
//! file.extend(packed.stored);
//! let ending = encoder.finish()?;
//! file.extend(ending.tables);
//! file[..256].copy_from_slice(&ending.header);
//! # Ok::<(), forebay::Error>(())
//! ```

use super::{
    codec_def::{Codec, CodecDef},
    encode::{self, cannot},
    file::Packing,
    raw::{AnnotationEntry, BlockEntry, HEADER_BYTES, Header, TAIL_SIGNATURE, TocEntry, VERSION},
    sparse,
};
use crate::{
    codec::deflate::deflate,
    error::{self, Error, Result},
    table::{Column, ColumnData, Field},
};

/// How to write.
///
/// ```
/// use forebay::idv::{Packing, WriteOptions};
/// let small = WriteOptions::default().with_level(9).with_rows_per_block(65_536);
/// let quick = WriteOptions::default().with_packing(Packing::None).with_choose_sparse(false);
/// assert!(small.packing == Packing::Deflate && !quick.choose_sparse);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WriteOptions {
    /// How blocks are stored.
    pub packing: Packing,
    /// The level of deflate, 0 to 9.
    pub level: u8,
    /// How many rows each block but the last has.
    pub rows_per_block: u32,
    /// Store each vector as dense or sparse, whichever is smaller, instead of as it is given.
    pub choose_sparse: bool,
}

impl Default for WriteOptions {
    /// Deflate at level 6, 8192 rows a block, vectors in their smaller form.
    fn default() -> Self {
        WriteOptions { packing: Packing::Deflate, level: 6, rows_per_block: 8192, choose_sparse: true }
    }
}

impl WriteOptions {
    /// Sets how blocks are stored.
    #[must_use]
    pub fn with_packing(mut self, packing: Packing) -> Self {
        self.packing = packing;
        self
    }
    /// Sets the level of deflate.
    #[must_use]
    pub fn with_level(mut self, level: u8) -> Self {
        self.level = level;
        self
    }
    /// Sets the rows of each block but the last.
    #[must_use]
    pub fn with_rows_per_block(mut self, rows: u32) -> Self {
        self.rows_per_block = rows;
        self
    }
    /// Chooses between dense and sparse by size, or keeps what is given.
    #[must_use]
    pub fn with_choose_sparse(mut self, choose: bool) -> Self {
        self.choose_sparse = choose;
        self
    }
}

/// A column to be written, and its type in the file.
#[derive(Debug)]
struct Spec {
    field: Field,
    codec: Codec,
}

impl Spec {
    fn new(field: Field) -> Result<Self> {
        if field.name.is_empty() {
            return Err(cannot("a column without a name"));
        }
        let mut kinds = std::collections::HashSet::new();
        for annotation in &field.metadata {
            if annotation.name.is_empty() || !kinds.insert(&annotation.name) {
                return Err(cannot(format!("an annotation {:?} twice or without a name", annotation.name)));
            }
        }
        let codec = Codec::of(&field.dtype)?;
        Ok(Spec { field, codec })
    }
}

/// A block as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// The bytes for the file.
    pub stored: Vec<u8>,
    /// How many bytes they are once decompressed.
    pub bytes: u32,
    /// How many rows they hold.
    pub rows: u32,
}

/// The end of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// Where the tables go: right behind the last block.
    pub at: u64,
    /// The tables and the tail signature.
    pub tables: Vec<u8>,
    /// The header, for the first 256 bytes of the file. Written last, it makes an interrupted file recognizable.
    pub header: [u8; HEADER_BYTES as usize],
}

/// Encodes blocks, assigns their positions and keeps the lookup tables.
#[derive(Debug)]
pub struct Encoder {
    columns: Vec<Spec>,
    options: WriteOptions,
    lookups: Vec<Vec<BlockEntry>>,
    /// The rows placed so far, for each column.
    rows: Vec<u64>,
    next: u64,
}

impl Encoder {
    /// An encoder for these columns. Names may repeat; the last of a name is the one that readers show.
    pub fn new(columns: Vec<Field>, options: WriteOptions) -> Result<Self> {
        if options.rows_per_block == 0 || i32::try_from(options.rows_per_block).is_err() {
            let message = format!("{} rows per block", options.rows_per_block);
            return Err(Error::new(&error::codes::ARGUMENT, message));
        }
        if options.level > 9 {
            let message = format!("deflate has levels 0 to 9, not {}", options.level);
            return Err(Error::new(&error::codes::ARGUMENT, message));
        }
        let n = columns.len();
        let mut specs = Vec::with_capacity(n);
        for field in columns {
            let name = field.name.clone();
            specs.push(Spec::new(field).map_err(|e| e.column(name))?);
        }
        Ok(Encoder { columns: specs, options, lookups: vec![Vec::new(); n], rows: vec![0; n], next: HEADER_BYTES })
    }

    /// The columns.
    pub fn columns(&self) -> impl ExactSizeIterator<Item = &Field> + '_ {
        self.columns.iter().map(|spec| &spec.field)
    }
    /// The options.
    pub fn options(&self) -> &WriteOptions {
        &self.options
    }
    /// Where the next block goes.
    pub fn position(&self) -> u64 {
        self.next
    }

    /// The stored bytes of a column's block. Pure: any blocks may be encoded side by side.
    pub fn encode(&self, column: usize, block: &Column) -> Result<Packed> {
        let spec = self.spec(column)?;
        pack(spec, block, &self.options).map_err(|e| e.column(&spec.field.name))
    }

    fn spec(&self, column: usize) -> Result<&Spec> {
        let n = self.columns.len();
        self.columns
            .get(column)
            .ok_or_else(|| Error::new(&error::codes::OUT_OF_RANGE, format!("column {column} of {n}")))
    }

    /// Takes a column's next block in and says where its bytes go. Columns may go ahead of each other, but
    /// within a column the blocks come in order, and only the last may have fewer rows than the others.
    pub fn place(&mut self, column: usize, packed: &Packed) -> Result<u64> {
        let name = self.spec(column)?.field.name.clone();
        let refuse = |message: String| Err(Error::new(&error::codes::ARGUMENT, message).column(name));
        let per_block = u64::from(self.options.rows_per_block);
        let (Some(rows), Some(lookup)) = (self.rows.get_mut(column), self.lookups.get_mut(column)) else {
            return refuse(format!("there is no column {column}"));
        };
        if u64::from(packed.rows) > per_block || packed.rows == 0 {
            return refuse(format!("a block of {} rows where blocks have {per_block}", packed.rows));
        }
        if *rows % per_block != 0 {
            return refuse("a block after one that was not full".to_owned());
        }
        let at = self.next;
        *rows += u64::from(packed.rows);
        lookup.push(BlockEntry { offset: at, stored_bytes: packed.stored.len() as u32, bytes: packed.bytes });
        self.next = at + packed.stored.len() as u64;
        Ok(at)
    }

    /// The tables and the header.
    pub fn finish(self) -> Result<Ending> {
        let rows = self.rows.first().copied().unwrap_or_default();
        if let Some((spec, n)) = self.columns.iter().zip(&self.rows).find(|(_, n)| **n != rows) {
            let message = format!("{n} rows, where the first column has {rows}");
            return Err(Error::new(&error::codes::ARGUMENT, message).column(&spec.field.name));
        }
        let at = self.next;
        let mut out = Vec::new();
        let mut entries = Vec::with_capacity(self.columns.len());
        for (spec, lookup) in self.columns.iter().zip(&self.lookups) {
            let lookup_offset = at + out.len() as u64;
            lookup.iter().for_each(|entry| entry.encode(&mut out));
            entries.push(TocEntry {
                name: spec.field.name.clone(),
                codec: CodecDef::new(spec.codec.clone()),
                compression: self.options.packing.code(),
                rows_per_block: self.options.rows_per_block,
                lookup_offset: lookup_offset as i64,
                annotations_offset: 0,
                at: 0,
            });
        }
        for (spec, entry) in self.columns.iter().zip(&mut entries) {
            if !spec.field.metadata.is_empty() {
                let table = annotations(spec, &self.options, at, &mut out).map_err(|e| e.column(&spec.field.name))?;
                entry.annotations_offset = table as i64;
            }
        }
        let toc_offset = at + out.len() as u64;
        entries.iter().for_each(|entry| entry.encode(&mut out));
        let tail_offset = at + out.len() as u64;
        out.extend(TAIL_SIGNATURE);
        let columns = u32::try_from(self.columns.len()).ok().filter(|&n| n <= i32::MAX as u32);
        let columns = columns.ok_or_else(|| cannot(format!("{} columns", self.columns.len())))?;
        let header = Header { version: VERSION, compatible: VERSION, toc_offset, tail_offset, rows, columns };
        Ok(Ending { at, tables: out, header: header.encode() })
    }
}

/// Appends a column's annotations and their table; says where the table begins.
fn annotations(spec: &Spec, options: &WriteOptions, at: u64, out: &mut Vec<u8>) -> Result<u64> {
    let mut table = Vec::with_capacity(spec.field.metadata.len());
    for annotation in &spec.field.metadata {
        let name = |e: Error| Error::new(e.code(), format!("annotation {:?}: {}", annotation.name, e.message()));
        if annotation.value.len() != 1 {
            return Err(name(cannot(format!("{} values instead of one", annotation.value.len()))));
        }
        let codec = Codec::of(annotation.value.dtype()).map_err(name)?;
        let bytes = encode::encode(&codec, &annotation.value).map_err(name)?;
        let packed = match options.packing {
            Packing::None => None,
            Packing::Deflate => Some(deflate(&bytes, options.level)?).filter(|p| p.len() < bytes.len()),
        };
        let packing = if packed.is_some() { Packing::Deflate } else { Packing::None };
        let stored = packed.unwrap_or(bytes);
        if stored.is_empty() {
            return Err(name(cannot("no bytes at all")));
        }
        table.push(AnnotationEntry {
            kind: annotation.name.clone(),
            codec: CodecDef::new(codec),
            compression: packing.code(),
            offset: at + out.len() as u64,
            stored_bytes: stored.len() as u64,
            at: 0,
        });
        out.extend(stored);
    }
    let offset = at + out.len() as u64;
    super::primitives::put_leb(out, table.len() as u64);
    table.iter().for_each(|entry| entry.encode(out));
    Ok(offset)
}

fn pack(spec: &Spec, block: &Column, options: &WriteOptions) -> Result<Packed> {
    if *block.dtype() != spec.field.dtype {
        return Err(cannot(format!("a block of {} in a column of {}", block.dtype(), spec.field.dtype)));
    }
    let chosen = match block.data() {
        ColumnData::Vector(v) if options.choose_sparse => {
            let data = ColumnData::Vector(sparse::smaller(v)?);
            Some(Column::new(block.dtype().clone(), data, block.validity().cloned())?)
        }
        _ => None,
    };
    let bytes = encode::encode(&spec.codec, chosen.as_ref().unwrap_or(block))?;
    let size = bytes.len() as u32;
    let stored = match options.packing {
        Packing::None => bytes,
        Packing::Deflate => deflate(&bytes, options.level)?,
    };
    if i32::try_from(stored.len()).is_err() {
        return Err(cannot("a block of more than 2 GiB; take fewer rows per block"));
    }
    let rows = u32::try_from(block.len()).map_err(|_| cannot("more rows in a block than 32 bits count"))?;
    Ok(Packed { stored, bytes: size, rows })
}
