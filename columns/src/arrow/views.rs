//! Texts as Arrow's views: 16 bytes a row, which hold a short text or say where a long one lies.
//!
//! Of a text that is stored once for many rows only the view is repeated, and whoever keeps texts as views takes these as they
//! are, where others are taken apart and looked at again.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, PrimitiveArray, StringViewArray,
    cast::AsArray,
    types::{ArrowPrimitiveType, UInt8Type, UInt16Type, UInt32Type},
};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType as Arrow, Field as ArrowField, Schema as ArrowSchema};
use forebay::{
    Result,
    table::{Column, ColumnData, DictIndices, DictStrings},
};

use super::{TYPE, guarded, not_arrow, nulls_of, shared, text_array, to_array};

/// The same names and types, with texts as views. [`to_record_batch`](super::to_record_batch) makes what its schema says.
#[doc(hidden)]
#[must_use]
pub fn with_views(schema: &ArrowSchema) -> ArrowSchema {
    let field = |field: &Arc<ArrowField>| match field.data_type() {
        // What is a text only to Arrow keeps the form that it is known by.
        Arrow::Utf8 if !field.metadata().contains_key(TYPE) => {
            Arc::new(field.as_ref().clone().with_data_type(Arrow::Utf8View))
        }
        _ => field.clone(),
    };
    ArrowSchema::new_with_metadata(schema.fields().iter().map(field).collect::<Vec<_>>(), schema.metadata().clone())
}

/// A column of texts.
pub(super) fn to_views(column: &Column) -> Result<ArrayRef> {
    match column.data() {
        ColumnData::Dict(texts) => dictionary(texts, nulls_of(column)),
        _ => Ok(Arc::new(StringViewArray::from(to_array(column)?.as_string::<i32>()))),
    }
}

/// The view of each text is made once.
fn dictionary(texts: &DictStrings, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
    let values = StringViewArray::from(&text_array(texts.values(), None)?);
    match texts.indices() {
        DictIndices::U8(b) => taken::<UInt8Type>(&values, shared(b.bytes(), b.len()), nulls),
        DictIndices::U16(b) => taken::<UInt16Type>(&values, shared(b.bytes(), b.len()), nulls),
        DictIndices::U32(b) => taken::<UInt32Type>(&values, shared(b.bytes(), b.len()), nulls),
    }
}

/// The numbers were compared with how many texts there are when the column was made.
fn taken<T: ArrowPrimitiveType>(
    values: &StringViewArray,
    numbers: arrow_buffer::ScalarBuffer<T::Native>,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef> {
    let numbers = PrimitiveArray::<T>::try_new(numbers, nulls).map_err(not_arrow)?;
    guarded(|| arrow_select::take::take(values as &dyn Array, &numbers, None).map_err(not_arrow))
}

#[cfg(test)]
mod tests {
    use forebay::table::{Batch, DataType, Field, Schema, Strings, Value};

    use super::*;
    use crate::arrow::{from_record_batch, to_arrow_schema, to_record_batch};

    const TEXTS: [&str; 5] = ["", "ü", "of twelve b.", "of thirteen b", "a text that lies elsewhere, as it is long"];

    /// A column with each of these widths of numbers, in which some rows are missing.
    fn column(texts: usize, rows: usize) -> Column {
        let all: Strings = (0..texts).map(|i| format!("{}{}", TEXTS[i % 5], i / 5)).collect();
        let numbers = DictIndices::narrowest((0..rows).map(|i| (i * 31 % texts) as u32).collect(), texts);
        let there = (0..rows).map(|i| i % 7 != 3).collect();
        let dict = DictStrings::new(numbers, all).unwrap();
        Column::new(DataType::String, ColumnData::Dict(dict), Some(there)).unwrap()
    }

    fn batch() -> Batch {
        let rows = 2000;
        let plain = Column::strings((0..rows).map(|i| (i % 3 > 0).then_some(TEXTS[i % 5])));
        let mut columns: Vec<_> = [1, 5, 300, 70_000].map(|texts| column(texts, rows)).into();
        columns.extend([plain, Column::from((0..rows as i64).collect::<Vec<_>>())]);
        let fields = columns.iter().enumerate();
        let fields = fields.map(|(i, c)| Field::new(i.to_string(), c.dtype().clone()).nullable()).collect();
        Batch::new(Arc::new(Schema::new(fields).unwrap()), columns).unwrap()
    }

    #[test]
    fn views_say_what_plain_texts_say() {
        let all = batch();
        let plain = Arc::new(to_arrow_schema(all.schema()).unwrap());
        let views = Arc::new(with_views(&plain));
        assert!((0..5).all(|i| *views.field(i).data_type() == Arrow::Utf8View) && views.field(5) == plain.field(5));
        for (start, rows) in [(0, 2000), (0, 0), (13, 900), (1999, 1)] {
            let part = all.slice(start, rows);
            for schema in [&plain, &views] {
                let made = to_record_batch(&part, schema).unwrap();
                assert_eq!(made.schema(), *schema);
                let back = from_record_batch(&made, all.schema(), false).unwrap();
                assert_eq!(back.rows(), rows);
                for (a, b) in back.columns().iter().zip(part.columns()) {
                    assert!((0..rows).all(|i| a.value(i).same(&b.value(i))), "{start} {rows}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_text_stays_what_it_is() {
        let mut json = forebay::table::ColumnBuilder::new(&DataType::Json);
        for text in ["{}", "[1, 2, 3, 4, 5, 6, 7, 8]"] {
            json.push(Value::Json(text)).unwrap();
        }
        let field = Field::new("more", DataType::Json);
        let all = Batch::new(Arc::new(Schema::new(vec![field]).unwrap()), vec![json.finish().unwrap()]).unwrap();
        let schema = Arc::new(with_views(&to_arrow_schema(all.schema()).unwrap()));
        assert_eq!(*schema.field(0).data_type(), Arrow::Utf8);
        let made = to_record_batch(&all, &schema).unwrap();
        let back = from_record_batch(&made, all.schema(), false).unwrap();
        assert!(back.row(1).unwrap().value(0).same(&Value::Json("[1, 2, 3, 4, 5, 6, 7, 8]")));
    }
}
