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

use std::iter::Take;

use bytes::Bytes;

use super::{dictionary::TextBuilder, encoding::TableSchema, write::WriteOptions, write::Writer};
use crate::{
    error::{Error, Result},
    limits::Limits,
    table::{Batch, Binary, Bitmap, BitmapBuilder, Column, ColumnData, DataType, DictIndices, StringsBuilder, codes},
    tbf::codes as tbf_codes,
};

/// Bytes of structs whose fields are gathered together.
const BLOCK: usize = 32 << 10;

/// Structs that can be written as rows.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be rows of a TBF table",
    label = "this has no columns",
    note = "only structs that derive TbfEncode have; a field with #[tbf(flatten)] must be one, and not an Option of one"
)]
pub trait TbfEncode: Sized {
    /// The columns and how they are stored.
    fn table_schema() -> Result<TableSchema>;
    /// The rows as columns, in the schema's order.
    fn columns_of<'a>(rows: impl ExactSizeIterator<Item = &'a Self> + Clone) -> Result<Vec<Column>>
    where
        Self: 'a;

    /// The rows as columns, in the schema's order.
    fn columns(rows: &[Self]) -> Result<Vec<Column>> {
        Self::columns_of(rows.iter())
    }
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
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from rows of a table",
    label = "this has no columns",
    note = "only structs that derive TbfDecode have; a field with #[tbf(flatten)] must be one, and not an Option of one"
)]
pub trait TbfDecode: Sized {
    /// The names of the columns that are read.
    fn column_names() -> Vec<&'static str>;
    /// The rows of a batch.
    fn from_batch(batch: &Batch) -> Result<Vec<Self>>;

    /// The rows of a file of any layout that has names and types. Columns that are not needed are not decoded.
    fn from_tbf(file: &Bytes, limits: &Limits) -> Result<Vec<Self>> {
        let opened = crate::step::drive(crate::tbf::Opener::new(file.len() as u64).with_limits(limits.clone()), file)?;
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
    note = "the fields of a nested struct become columns of the row with #[tbf(flatten)]; #[tbf(skip)] leaves it out"
)]
pub trait TbfField: Sized {
    /// What gathers the cells of a column.
    type Builder;
    /// What reads the cells of a column.
    type Reader<'a>;
    /// True where values may be missing.
    const NULLABLE: bool;
    /// The column's type.
    fn dtype() -> DataType;
    /// A builder for about this many cells.
    fn builder(rows: usize) -> Self::Builder;
    /// Adds cells.
    fn gather<'a>(builder: &mut Self::Builder, values: impl Iterator<Item = &'a Self>) -> Result<()>
    where
        Self: 'a;
    /// The column.
    fn finish(builder: Self::Builder) -> Result<Column>;
    /// Makes a column readable as this type: integers of another width are converted where every value fits.
    fn adapt(column: &Column) -> Result<Column> {
        let same = *column.dtype() == Self::dtype();
        let column = if same { column.clone() } else { column.cast(&Self::dtype())? };
        if !Self::NULLABLE && column.null_count() > 0 {
            let row = (0..column.len()).find(|&i| column.is_null(i)).unwrap_or_default();
            return Err(Error::new(&codes::VALUE, "a value is missing, and the field is not an Option").row(row as u64));
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
            type Builder = Vec<$t>;
            type Reader<'a> = &'a [$t];
            const NULLABLE: bool = false;
            fn dtype() -> DataType {
                DataType::$variant
            }
            fn builder(rows: usize) -> Self::Builder {
                Vec::with_capacity(rows)
            }
            fn gather<'a>(builder: &mut Self::Builder, values: impl Iterator<Item = &'a Self>) -> Result<()> {
                builder.extend(values.copied());
                Ok(())
            }
            fn finish(builder: Self::Builder) -> Result<Column> {
                Ok(builder.into())
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
    type Builder = BitmapBuilder;
    type Reader<'a> = &'a Bitmap;
    const NULLABLE: bool = false;
    fn dtype() -> DataType {
        DataType::Bool
    }
    fn builder(rows: usize) -> Self::Builder {
        BitmapBuilder::with_capacity(rows)
    }
    fn gather<'a>(builder: &mut Self::Builder, values: impl Iterator<Item = &'a Self>) -> Result<()> {
        builder.extend(values.copied());
        Ok(())
    }
    fn finish(builder: Self::Builder) -> Result<Column> {
        Column::new(DataType::Bool, ColumnData::Bool(builder.finish()), None)
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
pub struct TextReader<'a>(Texts<'a>);

#[derive(Debug)]
enum Texts<'a> {
    /// Each row has its own. That all of them are text was checked at once.
    Plain {
        text: &'a str,
        offsets: &'a [u32],
        base: u32,
    },
    /// Rows share them; the texts are looked up once.
    U8(&'a [u8], Vec<&'a str>),
    U16(&'a [u16], Vec<&'a str>),
    U32(&'a [u32], Vec<&'a str>),
}

impl<'a> TextReader<'a> {
    #[inline]
    fn get(&self, row: usize) -> &'a str {
        let shared = |texts: &[&'a str], i: Option<usize>| i.and_then(|i| texts.get(i).copied()).unwrap_or_default();
        match &self.0 {
            Texts::Plain { text, offsets, base } => match offsets.get(row..row.saturating_add(2)) {
                Some(&[a, b]) => text.get((a - base) as usize..(b - base) as usize).unwrap_or_default(),
                _ => "",
            },
            Texts::U8(indices, texts) => shared(texts, indices.get(row).map(|&i| usize::from(i))),
            Texts::U16(indices, texts) => shared(texts, indices.get(row).map(|&i| usize::from(i))),
            Texts::U32(indices, texts) => shared(texts, indices.get(row).map(|&i| i as usize)),
        }
    }
}

impl TbfField for String {
    type Builder = TextBuilder;
    type Reader<'a> = TextReader<'a>;
    const NULLABLE: bool = false;
    fn dtype() -> DataType {
        DataType::String
    }
    fn builder(rows: usize) -> Self::Builder {
        TextBuilder::new(rows)
    }
    fn gather<'a>(builder: &mut Self::Builder, values: impl Iterator<Item = &'a Self>) -> Result<()> {
        builder.extend(values.map(String::as_str))
    }
    fn finish(builder: Self::Builder) -> Result<Column> {
        builder.finish()
    }
    fn reader(column: &Column) -> Result<TextReader<'_>> {
        match column.data() {
            ColumnData::Str(s) => {
                let offsets = s.as_binary().offsets().as_slice();
                let base = offsets.first().copied().unwrap_or_default();
                let end = offsets.last().copied().unwrap_or_default();
                let used = s.as_binary().data().get(base as usize..end as usize).unwrap_or_default();
                let text = std::str::from_utf8(used).map_err(|_| Error::new(&codes::UTF8, "a text is not UTF-8"))?;
                Ok(TextReader(Texts::Plain { text, offsets, base }))
            }
            ColumnData::Dict(d) => {
                let texts = d.values().iter().collect();
                Ok(TextReader(match d.indices() {
                    DictIndices::U8(b) => Texts::U8(b, texts),
                    DictIndices::U16(b) => Texts::U16(b, texts),
                    DictIndices::U32(b) => Texts::U32(b, texts),
                }))
            }
            _ => Err(stored_otherwise(column)),
        }
    }
    #[inline]
    fn read(reader: &TextReader<'_>, row: usize) -> Self {
        reader.get(row).to_owned()
    }
}

impl TbfField for Vec<u8> {
    type Builder = StringsBuilder;
    type Reader<'a> = &'a Binary;
    const NULLABLE: bool = false;
    fn dtype() -> DataType {
        DataType::Bytes
    }
    fn builder(rows: usize) -> Self::Builder {
        StringsBuilder::with_capacity(rows, 0)
    }
    fn gather<'a>(builder: &mut Self::Builder, mut values: impl Iterator<Item = &'a Self>) -> Result<()> {
        values.try_for_each(|value| builder.push_bytes(value))
    }
    fn finish(builder: Self::Builder) -> Result<Column> {
        Ok(builder.finish_binary().into())
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
    type Builder = (T::Builder, BitmapBuilder);
    type Reader<'a> = (T::Reader<'a>, Option<&'a Bitmap>);
    const NULLABLE: bool = true;
    fn dtype() -> DataType {
        T::dtype()
    }
    fn builder(rows: usize) -> Self::Builder {
        (T::builder(rows), BitmapBuilder::with_capacity(rows))
    }
    fn gather<'a>((cells, validity): &mut Self::Builder, values: impl Iterator<Item = &'a Self>) -> Result<()>
    where
        Self: 'a,
    {
        let filler = T::default();
        T::gather(
            cells,
            values.map(|value| {
                validity.push(value.is_some());
                value.as_ref().unwrap_or(&filler)
            }),
        )
    }
    fn finish((cells, validity): Self::Builder) -> Result<Column> {
        Ok(T::finish(cells)?.with_validity(Some(validity.finish()))?.without_needless_validity())
    }
    fn reader(column: &Column) -> Result<Self::Reader<'_>> {
        Ok((T::reader(column)?, column.validity()))
    }
    #[inline]
    fn read((reader, validity): &Self::Reader<'_>, row: usize) -> Self {
        validity.is_none_or(|v| v.get(row)).then(|| T::read(reader, row))
    }
}

/// For derived code: the column of that name, as the field's type; `None` if the batch has none.
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

/// For derived code: some rows at a time, as many as stay in the processor's nearest memory while field after field is
/// taken from them.
#[doc(hidden)]
pub fn row_blocks<'a, T: 'a, I: ExactSizeIterator<Item = &'a T> + Clone>(rows: I) -> impl Iterator<Item = Take<I>> {
    let block = (BLOCK / size_of::<T>().max(1)).max(16);
    let mut left = Some(rows);
    std::iter::from_fn(move || {
        let mut rows = left.take().filter(|rows| rows.len() > 0)?;
        let now = rows.clone().take(block);
        if rows.nth(block - 1).is_some() {
            left = Some(rows);
        }
        Some(now)
    })
}

/// For derived code: the columns of a row of which some come from nested structs, which must not bring a name twice.
#[doc(hidden)]
pub fn without_repeats(schema: TableSchema) -> Result<TableSchema> {
    let fields = schema.schema().fields();
    let twice = fields.iter().enumerate().find(|(i, f)| fields.iter().take(*i).any(|other| other.name == f.name));
    match twice {
        Some((_, field)) => {
            Err(Error::new(&tbf_codes::SCHEMA, "two fields, one of them nested, are one column").column(&field.name))
        }
        None => Ok(schema),
    }
}
