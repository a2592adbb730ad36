//! What the statistics of a Parquet file prove of its columns.

use arrow_schema::{DataType as Arrow, TimeUnit};
use forebay::{
    filter::{Bounds, Filter, Value as Filtered},
    table::{Clock, DataType, JsonStyle, Schema, Value},
};
use parquet::{
    arrow::arrow_reader::ArrowReaderMetadata,
    basic::ColumnOrder,
    file::{metadata::ColumnChunkMetaData, statistics::Statistics},
};
use serde_json::Value as Json;

/// False if no row of the group can match. `schema` is that of the whole file.
pub fn may_match(metadata: &ArrowReaderMetadata, schema: &Schema, group: usize, filter: &Filter) -> bool {
    let Some(rows) = metadata.metadata().row_groups().get(group) else { return true };
    filter.may_match(&|path| {
        let root = schema.position(path.name()?)?;
        let (leaf, arrow) = leaf(metadata, root)?;
        let statistics = rows.columns().get(leaf)?.statistics()?;
        let nulls = statistics.null_count_opt();
        if nulls.is_some() && nulls == u64::try_from(rows.num_rows()).ok() {
            return Some(Bounds { min: Filtered::Null, max: Filtered::Null, some_missing: true, all_missing: true });
        }
        let (min, max) = extremes(statistics, &schema.field(root).ok()?.dtype, arrow)?;
        let (min, max) = (comparable(min)?, comparable(max)?);
        Some(Bounds { min, max, some_missing: nulls != Some(0), all_missing: false })
    })
}

/// The least and the greatest value of a column, if every group knows them to the last byte.
pub fn least_and_greatest(
    metadata: &ArrowReaderMetadata,
    root: usize,
    dtype: &DataType,
) -> (Option<Json>, Option<Json>) {
    let Some((leaf, arrow)) = leaf(metadata, root) else { return (None, None) };
    let chunks = || metadata.metadata().row_groups().iter().filter_map(move |group| group.columns().get(leaf));
    let known = |chunk: &ColumnChunkMetaData| chunk.statistics().is_some_and(|s| s.min_is_exact() && s.max_is_exact());
    let empty = |chunk: &ColumnChunkMetaData| {
        chunk.statistics().and_then(Statistics::null_count_opt) == u64::try_from(chunk.num_values()).ok()
    };
    let mut bounds: Option<(Filtered<'_>, Json, Filtered<'_>, Json)> = None;
    for chunk in chunks().filter(|chunk| !empty(chunk)) {
        let found = chunk.statistics().filter(|_| known(chunk)).and_then(|s| extremes(s, dtype, arrow));
        let Some((min, max)) = found else { return (None, None) };
        let (Some(low), Some(high)) = (comparable(min), comparable(max)) else { return (None, None) };
        let shown = |value: Value<'_>| serde_json::from_str(&value.to_json(JsonStyle::default())).unwrap_or_default();
        bounds = Some(match bounds {
            None => (low, shown(min), high, shown(max)),
            Some((a, x, b, y)) => {
                let less = low.order(&a).is_some_and(std::cmp::Ordering::is_lt);
                let more = high.order(&b).is_some_and(std::cmp::Ordering::is_gt);
                let (a, x) = if less { (low, shown(min)) } else { (a, x) };
                let (b, y) = if more { (high, shown(max)) } else { (b, y) };
                (a, x, b, y)
            }
        });
    }
    bounds.map_or((None, None), |(_, min, _, max)| (Some(min), Some(max)))
}

/// The stored column of a root that is neither a list nor a struct, with its Arrow type, if its order is the type's.
fn leaf(metadata: &ArrowReaderMetadata, root: usize) -> Option<(usize, &Arrow)> {
    let stored = metadata.parquet_schema();
    // Stored columns are in the order of their roots.
    let (mut leaf, mut end) = (0, stored.num_columns());
    while leaf < end {
        let middle = leaf + (end - leaf) / 2;
        if stored.get_column_root_idx(middle) < root { leaf = middle + 1 } else { end = middle }
    }
    if leaf == stored.num_columns() || stored.get_column_root_idx(leaf) != root {
        return None;
    }
    let column = stored.column(leaf);
    let order = metadata.metadata().file_metadata().column_order(leaf);
    let plain = column.path().parts().len() == 1 && column.max_rep_level() == 0;
    let arrow = metadata.schema().fields().get(root)?.data_type();
    // Under the total order of floats a bound that is not NaN is a bound of all values that are not NaN.
    let ordered = matches!(order, ColumnOrder::TYPE_DEFINED_ORDER(_) | ColumnOrder::IEEE_754_TOTAL_ORDER);
    (plain && ordered).then_some((leaf, arrow))
}

/// Least and greatest as values of our type; `None` if they are not known or mean something else there.
fn extremes<'a>(statistics: &'a Statistics, dtype: &DataType, arrow: &Arrow) -> Option<(Value<'a>, Value<'a>)> {
    use DataType as T;
    if statistics.is_min_max_deprecated() {
        return None;
    }
    let unsigned = matches!(dtype, T::U8 | T::U16 | T::U32 | T::U64);
    let whole = dtype.is_integer();
    match (statistics, arrow) {
        (Statistics::Int32(s), _) if whole => {
            let value = |n: &i32| if unsigned { Value::UInt((*n as u32).into()) } else { Value::Int((*n).into()) };
            Some((value(s.min_opt()?), value(s.max_opt()?)))
        }
        (Statistics::Int64(s), _) if whole => {
            let value = |n: &i64| if unsigned { Value::UInt(*n as u64) } else { Value::Int(*n) };
            Some((value(s.min_opt()?), value(s.max_opt()?)))
        }
        (Statistics::Float(s), Arrow::Float32) => {
            let (min, max) = (*s.min_opt()?, *s.max_opt()?);
            (!min.is_nan() && !max.is_nan()).then_some((Value::F32(min), Value::F32(max)))
        }
        (Statistics::Double(s), Arrow::Float64) => {
            let (min, max) = (*s.min_opt()?, *s.max_opt()?);
            (!min.is_nan() && !max.is_nan()).then_some((Value::F64(min), Value::F64(max)))
        }
        (Statistics::Int32(s), Arrow::Date32) if *dtype == T::Date => {
            let value = |n: &i32| Value::Time(Clock::Date(*n));
            Some((value(s.min_opt()?), value(s.max_opt()?)))
        }
        (Statistics::Int64(s), Arrow::Timestamp(TimeUnit::Millisecond, _)) if *dtype == T::TimestampMs => {
            let value = |n: &i64| Value::Time(Clock::TimestampMs(*n));
            Some((value(s.min_opt()?), value(s.max_opt()?)))
        }
        (Statistics::Int64(s), Arrow::Timestamp(TimeUnit::Microsecond, _)) if *dtype == T::TimestampUs => {
            let value = |n: &i64| Value::Time(Clock::TimestampUs(*n));
            Some((value(s.min_opt()?), value(s.max_opt()?)))
        }
        (Statistics::Int64(s), Arrow::Timestamp(TimeUnit::Nanosecond, _)) if *dtype == T::TimestampNs => {
            let value = |n: &i64| Value::Time(Clock::TimestampNs(*n));
            Some((value(s.min_opt()?), value(s.max_opt()?)))
        }
        (Statistics::ByteArray(s), Arrow::Utf8 | Arrow::LargeUtf8 | Arrow::Utf8View) if *dtype == T::String => {
            Some((Value::Str(s.min_opt()?.as_utf8().ok()?), Value::Str(s.max_opt()?.as_utf8().ok()?)))
        }
        _ => None,
    }
}

/// As the filter language compares it.
fn comparable(value: Value<'_>) -> Option<Filtered<'static>> {
    Some(match value {
        Value::Int(n) => n.into(),
        Value::UInt(n) => n.into(),
        Value::F32(x) => f64::from(x).into(),
        Value::F64(x) => x.into(),
        Value::Str(s) => s.to_owned().into(),
        Value::Time(time) => Filtered::Time(time.into()),
        _ => return None,
    })
}
