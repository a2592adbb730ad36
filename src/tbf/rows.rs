//! Rows as Rust structs: what `#[derive(TbfEncode, TbfDecode)]` implements.
//!
//! A slice of structs is turned into columns field by field, and back, so nothing is interpreted cell by cell.
//!
//! ```
//! # #[cfg(feature = "derive")] {
//! use forebay::tbf::{TbfDecode, TbfEncode};
//! #[derive(TbfEncode, TbfDecode, Debug, PartialEq)]
//! struct Person {
//!     name: String,
//!     #[tbf(encoding = "u8", offset = 18)]
//!     age: u32,
//!     email: Option<String>,
//! }
//! let people = vec![Person { name: "Ada".into(), age: 36, email: None }];
//! let file = Person::to_tbf(&people)?;
//! assert_eq!(Person::from_tbf(&file.into(), &Default::default())?, people);
//! # }
//! # Ok::<(), forebay::Error>(())
//! ```

use bytes::Bytes;

use super::{TableSchema, WriteOptions, Writer};
use crate::{
    error::{Error, Result},
    limits::Limits,
    table::{
        Batch, Binary, Bitmap, BitmapBuilder, Column, ColumnData, DataType, DictStrings, Strings, StringsBuilder, codes,
    },
};

/// Structs that can be written as rows.
pub trait TbfEncode: Sized {
    /// The columns and how they are stored.
    fn table_schema() -> Result<TableSchema>;
    /// The rows as columns, in the schema's order.
    fn columns(rows: &[Self]) -> Result<Vec<Column>>;

    /// The rows as a batch.
    fn to_batch(rows: &[Self]) -> Result<Batch> {
        Batch::with_rows(Self::table_schema()?.schema().clone(), Self::columns(rows)?, rows.len())
    }
    /// The rows as a file of layout D.
    fn to_tbf(rows: &[Self]) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        let mut writer = Writer::new(Self::table_schema()?, WriteOptions::default())?;
        writer.push(&Self::to_batch(rows)?, &mut out)?;
        writer.finish(&mut out)?;
        Ok(out)
    }
}

/// Structs that can be read from rows. Columns are found by name; others are ignored.
pub trait TbfDecode: Sized {
    /// The names of the columns that are read.
    fn column_names() -> &'static [&'static str];
    /// The rows of a batch.
    fn from_batch(batch: &Batch) -> Result<Vec<Self>>;

    /// The rows of a file of any layout that has names and types. Columns that are not needed are not decoded.
    fn from_tbf(file: &Bytes, limits: &Limits) -> Result<Vec<Self>> {
        let opened = crate::step::drive(super::Opener::new(file.len() as u64).limits(limits.clone()), file)?;
        let table = opened.table()?;
        let columns: Vec<usize> =
            Self::column_names().iter().filter_map(|name| table.schema().position(name)).collect();
        let mut pieces = crate::step::Pieces::default();
        pieces.push(0, file.clone());
        let mut rows = Vec::new();
        for group in 0..table.groups() {
            let found = Self::from_batch(&table.decode(group, &columns, &pieces)?)?;
            if rows.is_empty() { rows = found } else { rows.extend(found) }
        }
        Ok(rows)
    }
}

/// Types that a field may have.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a column of a TBF table",
    label = "no column holds this type",
    note = "columns hold bool, integers to 64 bits, f32, f64, String, Vec<u8> and Option of these",
    note = "a nested struct has no single column: give its fields to the row itself, or leave it out with #[tbf(skip)]"
)]
pub trait TbfField: Sized {
    /// What reads the cells of a column.
    type Reader<'a>;
    /// True where values may be missing.
    const NULLABLE: bool;
    /// The column's type.
    fn dtype() -> DataType;
    /// Values as a column.
    fn column<'a>(values: impl ExactSizeIterator<Item = &'a Self>) -> Result<Column>
    where
        Self: 'a;
    /// Makes a column readable as this type: integers of another width are converted where every value fits.
    fn adapt(column: &Column) -> Result<Column> {
        let same = *column.dtype() == Self::dtype();
        let column = if same { column.clone() } else { column.cast(&Self::dtype())? };
        if !Self::NULLABLE && column.null_count() > 0 {
            let row = (0..column.len()).find(|&i| column.is_null(i)).unwrap_or_default();
            return Err(Error::new(&codes::VALUE, "a value is missing, and the field is no Option").row(row as u64));
        }
        Ok(column)
    }
    /// A reader of an adapted column.
    fn reader(column: &Column) -> Result<Self::Reader<'_>>;
    /// The cell in a row.
    fn read(reader: &Self::Reader<'_>, row: usize) -> Self;
}

fn stored_otherwise(column: &Column) -> Error {
    Error::new(&codes::SHAPE, format!("a column of {} cannot be read like this", column.dtype()))
}

macro_rules! number_fields {
    ($($t:ty, $variant:ident);*) => {$(
        impl TbfField for $t {
            type Reader<'a> = &'a [$t];
            const NULLABLE: bool = false;
            fn dtype() -> DataType {
                DataType::$variant
            }
            fn column<'a>(values: impl ExactSizeIterator<Item = &'a Self>) -> Result<Column> {
                Ok(values.copied().collect::<Vec<$t>>().into())
            }
            fn reader(column: &Column) -> Result<&[$t]> {
                match column.data() {
                    ColumnData::$variant(b) => Ok(b),
                    _ => Err(stored_otherwise(column)),
                }
            }
            #[inline]
            fn read(reader: &&[$t], row: usize) -> Self {
                reader.get(row).copied().unwrap_or_default()
            }
        }
    )*};
}
number_fields!(
    i8, I8; i16, I16; i32, I32; i64, I64; u8, U8; u16, U16; u32, U32; u64, U64; f32, F32; f64, F64
);

impl TbfField for bool {
    type Reader<'a> = &'a Bitmap;
    const NULLABLE: bool = false;
    fn dtype() -> DataType {
        DataType::Bool
    }
    fn column<'a>(values: impl ExactSizeIterator<Item = &'a Self>) -> Result<Column> {
        let bits: Bitmap = values.copied().collect();
        Column::new(DataType::Bool, ColumnData::Bool(bits), None)
    }
    fn reader(column: &Column) -> Result<&Bitmap> {
        match column.data() {
            ColumnData::Bool(b) => Ok(b),
            _ => Err(stored_otherwise(column)),
        }
    }
    #[inline]
    fn read(reader: &&Bitmap, row: usize) -> Self {
        reader.get(row)
    }
}

/// Reads texts.
#[derive(Debug)]
#[non_exhaustive]
pub enum TextReader<'a> {
    /// Each row has its own.
    Plain(&'a Strings),
    /// Rows share them; the texts are looked up once.
    Dictionary(&'a DictStrings, Vec<&'a str>),
}

impl TbfField for String {
    type Reader<'a> = TextReader<'a>;
    const NULLABLE: bool = false;
    fn dtype() -> DataType {
        DataType::String
    }
    fn column<'a>(values: impl ExactSizeIterator<Item = &'a Self>) -> Result<Column> {
        let mut out = StringsBuilder::with_capacity(values.len(), values.len() * 8);
        for value in values {
            out.push(value)?;
        }
        Ok(out.into())
    }
    fn reader(column: &Column) -> Result<TextReader<'_>> {
        match column.data() {
            ColumnData::Str(s) => Ok(TextReader::Plain(s)),
            ColumnData::Dict(d) => Ok(TextReader::Dictionary(d, d.values().iter().collect())),
            _ => Err(stored_otherwise(column)),
        }
    }
    #[inline]
    fn read(reader: &TextReader<'_>, row: usize) -> Self {
        match reader {
            TextReader::Plain(s) => s.get(row).to_owned(),
            TextReader::Dictionary(d, texts) => texts.get(d.indices().get(row)).copied().unwrap_or_default().to_owned(),
        }
    }
}

impl TbfField for Vec<u8> {
    type Reader<'a> = &'a Binary;
    const NULLABLE: bool = false;
    fn dtype() -> DataType {
        DataType::Bytes
    }
    fn column<'a>(values: impl ExactSizeIterator<Item = &'a Self>) -> Result<Column> {
        let mut out = StringsBuilder::with_capacity(values.len(), 0);
        for value in values {
            out.push_bytes(value)?;
        }
        Ok(out.finish_binary().into())
    }
    fn reader(column: &Column) -> Result<&Binary> {
        match column.data() {
            ColumnData::Bytes(b) => Ok(b),
            _ => Err(stored_otherwise(column)),
        }
    }
    fn read(reader: &&Binary, row: usize) -> Self {
        reader.get(row).to_vec()
    }
}

impl<T: TbfField + Default> TbfField for Option<T> {
    type Reader<'a> = (T::Reader<'a>, Option<&'a Bitmap>);
    const NULLABLE: bool = true;
    fn dtype() -> DataType {
        T::dtype()
    }
    fn column<'a>(values: impl ExactSizeIterator<Item = &'a Self>) -> Result<Column>
    where
        Self: 'a,
    {
        let mut validity = BitmapBuilder::with_capacity(values.len());
        let filler = T::default();
        let values: Vec<Option<&T>> = values.map(Option::as_ref).collect();
        values.iter().for_each(|v| validity.push(v.is_some()));
        let column = T::column(values.iter().map(|v| v.unwrap_or(&filler)))?;
        Ok(column.with_validity(Some(validity.finish()))?.without_needless_validity())
    }
    fn reader(column: &Column) -> Result<Self::Reader<'_>> {
        Ok((T::reader(column)?, column.validity()))
    }
    #[inline]
    fn read((reader, validity): &Self::Reader<'_>, row: usize) -> Self {
        validity.is_none_or(|v| v.get(row)).then(|| T::read(reader, row))
    }
}

/// For derived code: the column of that name, as the field's type; `None` where the batch has none.
#[doc(hidden)]
pub fn field_column<T: TbfField>(batch: &Batch, name: &str) -> Result<Option<Column>> {
    batch.column_by_name(name).map(|c| T::adapt(c).map_err(|e| e.column(name))).transpose()
}

/// For derived code: as [`field_column`], where the column must be there.
#[doc(hidden)]
pub fn required_column<T: TbfField>(batch: &Batch, name: &str) -> Result<Column> {
    match field_column::<T>(batch, name)? {
        Some(column) => Ok(column),
        None => {
            batch.schema().positions([name])?;
            Err(Error::new(&codes::COLUMN, "the column is not there").column(name))
        }
    }
}
