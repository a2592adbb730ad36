//! What a filter may ask of a table's columns.

use super::{Clock, DataType, Field, Schema, moment::first_of, parse_time};
use crate::{
    error::Result,
    filter::{FieldKind, Filter, KnownField, Path, Segment, Value as Filtered},
};

impl Schema {
    /// Refuses a filter that names a column that is not there, or compares one with what it never holds, so that a
    /// slip of the pen does not select nothing.
    pub(crate) fn check_filter(&self, filter: &Filter) -> Result<()> {
        filter.refuse_boxes()?;
        self.positions(filter.fields().map(Path::root))?;
        filter.check_kinds(&|path| {
            let field = self.position(path.root()).and_then(|i| self.fields().get(i));
            let kind = field.map_or(FieldKind::Any, |field| kind_at(field, path.segments()));
            let words = match field {
                Some(field) => format!("column {:?} ({})", field.name, field.dtype),
                None => format!("the field {path}"),
            };
            KnownField { kind, words }
        })
    }
}

impl DataType {
    /// What filters see where a sparse vector of this type lists nothing; `None` for what they cannot compare.
    pub(super) fn zero(&self) -> Option<Filtered<'static>> {
        use DataType as T;
        Some(match self {
            T::Bool => false.into(),
            T::String => String::new().into(),
            // A key of 0 is missing.
            T::Key { .. } => Filtered::Null,
            T::TimeUs => Filtered::Time(Clock::TimeUs(0).into()),
            T::Ticks => Filtered::Time(Clock::Ticks(0).into()),
            T::DateTime => Filtered::Time(Clock::DateTime(0).into()),
            T::DateTimeOffset => Filtered::Time(Clock::DateTimeOffset { ticks: 0, minutes: 0 }.into()),
            T::RowId => format!("{:032x}", 0).into(),
            _ if matches!(kind(self), FieldKind::Number) => Filtered::Int(0),
            _ => return None,
        })
    }
}

fn kind_at(field: &Field, path: &[Segment]) -> FieldKind {
    match (&field.dtype, path) {
        (DataType::Json, _) => FieldKind::Any,
        (dtype, [_]) => kind(dtype),
        (DataType::Vector { item, .. }, [_, Segment::Index(_)]) => kind(item),
        _ => FieldKind::Nowhere,
    }
}

fn kind(dtype: &DataType) -> FieldKind {
    use DataType as T;
    macro_rules! time {
        ($dtype:ident, $example:literal) => {
            FieldKind::Time {
                canonical: |text| canonical(&T::$dtype, text),
                begins: |text| first_of(&T::$dtype, text).is_some(),
                example: $example,
            }
        };
    }
    match dtype {
        T::Bool => FieldKind::Bool,
        T::I8 | T::I16 | T::I32 | T::I64 | T::U8 | T::U16 | T::U32 | T::U64 => FieldKind::Number,
        T::F32 | T::F64 | T::Key { .. } => FieldKind::Number,
        T::String | T::RowId => FieldKind::Text,
        T::Bytes => FieldKind::Opaque,
        T::Date => time!(Date, "2024-02-29"),
        T::TimeUs => time!(TimeUs, "12:30:00"),
        T::TimestampMs => time!(TimestampMs, "2024-02-29T12:30:00"),
        T::TimestampUs => time!(TimestampUs, "2024-02-29T12:30:00"),
        T::TimestampNs => time!(TimestampNs, "2024-02-29T12:30:00"),
        T::DateTime => time!(DateTime, "2024-02-29T12:30:00"),
        T::DateTimeOffset => time!(DateTimeOffset, "2024-02-29T12:30:00+02:00"),
        T::Ticks => FieldKind::Span { canonical: |text| canonical(&T::Ticks, text), example: "1.02:30:00" },
        T::Vector { .. } => FieldKind::List,
        T::Json => FieldKind::Any,
    }
}

fn canonical(dtype: &DataType, text: &str) -> Option<String> {
    parse_time(dtype, text).map(|time| time.to_string())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::table::{Batch, Column, ColumnBuilder, Value, VectorColumn};

    fn refusal(dtype: DataType, text: &str) -> String {
        let schema = Schema::new(vec![Field::new("n", DataType::U8), Field::new("a", dtype)]).unwrap();
        match schema.check_filter(&Filter::parse(text).unwrap()) {
            Ok(()) => String::new(),
            Err(e) => {
                assert_eq!((e.code().id(), e.place().column.as_deref()), ("filter.kind", Some("a")), "{text}: {e}");
                e.message().to_owned()
            }
        }
    }

    #[test]
    fn what_a_column_never_holds_is_refused_with_what_to_write() {
        use DataType as T;
        let floats = T::vector(T::F32, Some(3));
        for (dtype, text, message) in [
            (T::String, "a > 3", "column \"a\" (string) holds text, and 3 is a number: write a > \"3\""),
            (T::U8, "a == '3.5'", "column \"a\" (u8) holds numbers, and \"3.5\" is text: write a == 3.5"),
            (T::U8, "a == 'x'", "column \"a\" (u8) holds numbers, and \"x\" is text: compare it with a number"),
            (T::U8, "a in [1, 'x']", "column \"a\" (u8) holds numbers, and \"x\" is text: compare it with a number"),
            (T::U8, "a.b == 3", "column \"a\" (u8) has no parts such as a.b"),
            (
                T::Bool,
                "a == 1",
                "column \"a\" (bool) holds true or false, and 1 is a number: write a == true or a == false",
            ),
            (T::Bool, "a > false", "true and false are in no order: write a == true or a == false"),
            (T::Bytes, "a == 'x'", "column \"a\" (bytes) holds bytes, which compare with null only"),
            (
                floats.clone(),
                "a > 1.5",
                "column \"a\" (vector<f32, 3>) holds lists, and 1.5 is a number: write a[0] > 1.5 for one item, or 1.5 in a for any",
            ),
            (
                floats.clone(),
                "a[0] > 'x'",
                "column \"a\" (vector<f32, 3>) holds numbers, and \"x\" is text: compare it with a number",
            ),
            (
                T::Date,
                "a > 1900",
                "column \"a\" (date) holds times, and 1900 is a number: write a time in quotes, such as \"2024-02-29\"",
            ),
            (
                T::Date,
                "a == 'May'",
                "column \"a\" (date) holds times, and \"May\" is not one: write one such as \"2024-02-29\"",
            ),
            (
                T::TimestampUs,
                "a > '2024-02-29 12:30:00'",
                "column \"a\" (timestamp_us) writes this time as \"2024-02-29T12:30:00\"",
            ),
            (
                T::TimestampMs,
                "a == '2024-02-29'",
                "column \"a\" (timestamp_ms) holds times, and \"2024-02-29\" is not one: write one such as \"2024-02-29T12:30:00\"",
            ),
            (
                T::Ticks,
                "a > '1.00:00:00'",
                "column \"a\" (ticks) holds spans of time, which are compared by == and != only",
            ),
            (
                T::Ticks,
                "a == 'x'",
                "column \"a\" (ticks) holds spans of time, and \"x\" is not one: write one such as \"1.02:30:00\"",
            ),
            (T::Ticks, "a in ['02:30:00', '0.02:30:00']", "column \"a\" (ticks) writes this time as \"02:30:00\""),
            (
                T::Date,
                "a > '2024-02-3'",
                "column \"a\" (date) holds times, and \"2024-02-3\" is not one: write one such as \"2024-02-29\"",
            ),
            (T::String, "a == n", "column \"a\" (string) holds text and column \"n\" (u8) numbers: they never compare"),
        ] {
            assert_eq!(refusal(dtype, text), message, "{text}");
        }
    }

    #[test]
    fn what_can_hold_is_not_refused() {
        use DataType as T;
        for (dtype, text) in [
            (T::String, "a >= 'b' && a != null && a ~ '*'"),
            (T::F64, "a > 3 && 2.5 < a && a > n && a in [1, null]"),
            (T::Bool, "a && !a && a == true"),
            (T::Date, "a >= '1900' && a < '2024-02' && a == '2024-02-29'"),
            (T::TimestampUs, "a >= '2024-02-29' && a < '2024-02-29T12'"),
            (T::Json, "a > 3 && a.b == 'x' && a"),
            (T::vector(T::String, None), "a[1] == 'x' && 'y' in a && a == null"),
            (T::Key { inner: crate::table::KeyType::U8, count: 3 }, "a == 2"),
            (T::Bytes, "a == null"),
            (T::Ticks, "a == '1.00:00:00' || a in ['-00:00:01', null]"),
        ] {
            assert_eq!(refusal(dtype, text), "", "{text}");
        }
    }

    #[test]
    fn what_names_no_field_is_refused() {
        let schema = Schema::new(vec![Field::new("a b", DataType::U8)]).unwrap();
        for (text, message) in [
            ("\"a b\" == 1", "\"a b\" == 1 compares text and no field: a field is written `a b`"),
            ("null == 3", "null == 3 compares no field: it is the same of everything"),
        ] {
            let e = schema.check_filter(&Filter::parse(text).unwrap()).unwrap_err();
            assert_eq!((e.code().id(), e.message()), ("filter.kind", message));
        }
        assert!(schema.check_filter(&Filter::parse("true").unwrap()).is_ok());
        let e = schema.check_filter(&Filter::parse("`a b` > 2 && any(box)").unwrap()).unwrap_err();
        assert_eq!((e.code().id(), e.place().offset), ("filter.field", Some(13)));
    }

    #[test]
    fn times_are_compared_by_when_they_are() {
        let rows = |column: Column, text: &str| {
            let schema = Arc::new(Schema::new(vec![Field::new("t", column.dtype().clone()).nullable()]).unwrap());
            Batch::new(schema, vec![column]).unwrap().matching(&Filter::parse(text).unwrap()).unwrap()
        };
        let dates = |text: &str| {
            let mut column = ColumnBuilder::new(&DataType::Date);
            for date in ["+10000-01-01", "2024-02-29", "-0044-03-15", "-0100-01-01"] {
                column.push(Value::Time(super::super::parse_time(&DataType::Date, date).unwrap())).unwrap();
            }
            column.push_null();
            rows(column.finish().unwrap(), text)
        };
        assert_eq!(dates("t < '0001-01-01'"), [2, 3]);
        assert_eq!(dates("t > '9999-12-31'"), [0]);
        assert_eq!(dates("t > '-0099-01-01' && t <= '2024-02-29'"), [1, 2]);
        assert_eq!(dates("t ~ '2024-*' || t in ['-0044-03-15']"), [1, 2]);
        assert_eq!(dates("t != '2024-02-29'"), [0, 2, 3]);
        let moments = |text: &str| {
            let mut column = ColumnBuilder::new(&DataType::TimestampUs);
            for us in [-1, 0, 1] {
                column.push(Value::Time(Clock::TimestampUs(us))).unwrap();
            }
            rows(column.finish().unwrap(), text)
        };
        // A day is its midnight, as in SQL.
        assert_eq!(moments("t > '1970-01-01'"), [2]);
        assert_eq!(moments("t <= '1970-01-01'"), [0, 1]);
        assert_eq!(moments("'1970' <= t"), [1, 2]);
        assert_eq!(moments("t == '1970-01-01T00:00:00'"), [1]);
    }

    #[test]
    fn items_are_found_in_vectors_whether_or_not_they_are_sparse() {
        let items = Column::from(vec![1.5f32, 2.5, 3.5, 1.5]);
        let vectors = VectorColumn::sparse(vec![2u32, 5, 1].into(), &[2, 1, 1], vec![3u32].into(), items).unwrap();
        let dtype = DataType::vector(DataType::F32, None);
        let column = Column::new(dtype.clone(), crate::table::ColumnData::Vector(vectors), None).unwrap();
        let schema = Arc::new(Schema::new(vec![Field::new("v", dtype)]).unwrap());
        let batch = Batch::new(schema, vec![column]).unwrap();
        let rows = |text: &str| batch.matching(&Filter::parse(text).unwrap()).unwrap();
        assert_eq!((rows("1.5 in v"), rows("3.5 in v"), rows("0 in v")), (vec![0, 2], vec![1], vec![1]));
        assert_eq!((rows("v[0] == 0"), rows("v[3] == 3.5")), (vec![1], vec![1]));
    }

    #[test]
    fn what_a_sparse_vector_leaves_out_is_what_its_default_shows() {
        for dtype in DataType::simple().filter(|dtype| !matches!(dtype, DataType::Json)) {
            let mut column = ColumnBuilder::new(&dtype);
            column.push_null();
            let column = column.finish().unwrap().with_validity(None).unwrap();
            let shown = Filtered::from(column.value(0));
            match dtype.zero() {
                Some(zero) => assert!(zero.same(&shown), "{dtype}: {shown:?}"),
                None => assert!(
                    matches!(
                        dtype,
                        DataType::Bytes
                            | DataType::Date
                            | DataType::TimestampMs
                            | DataType::TimestampUs
                            | DataType::TimestampNs
                    ),
                    "{dtype}"
                ),
            }
        }
        assert!(matches!(Column::from(vec![1u8]).value(0), Value::UInt(1)));
    }
}
