//! One cell from text or JSON, into a column of a known type.

use serde_json::Value as Json;

use crate::{
    error::{Error, Result},
    table::{ColumnBuilder, DataType, Value, VectorRow, codes, float, parse_time, single},
};

/// Adds a cell from text, such as a CSV field. Nothing is cut or rounded, but the decimal fractions of floats.
pub fn push_text(column: &mut ColumnBuilder, text: &str) -> Result<()> {
    if column.push_plain(text) {
        return Ok(());
    }
    let misfit = |dtype: &DataType| Err(mismatch(dtype, text));
    let trimmed = text.trim();
    // The column is borrowed until the value is known, so the type is cloned only if it is not a plain one.
    let value = match column.dtype() {
        DataType::String => Value::Str(text),
        DataType::Bytes | DataType::RowId => Value::Str(trimmed),
        DataType::Bool => match trimmed {
            "1" => Value::Bool(true),
            "0" => Value::Bool(false),
            word if word.eq_ignore_ascii_case("true") => Value::Bool(true),
            word if word.eq_ignore_ascii_case("false") => Value::Bool(false),
            _ => return misfit(column.dtype()),
        },
        DataType::F32 => match single(trimmed) {
            Some(x) => Value::F32(x),
            None => return misfit(column.dtype()),
        },
        DataType::F64 => match float(trimmed) {
            Some(x) => Value::F64(x),
            None => return misfit(column.dtype()),
        },
        DataType::Vector { .. } => match serde_json::from_str(trimmed) {
            Ok(json @ (Json::Array(_) | Json::Object(_))) => return push_json(column, &json),
            _ => return misfit(column.dtype()),
        },
        DataType::Json if super::json::is_json(trimmed) => Value::Json(trimmed),
        DataType::Json => return misfit(column.dtype()),
        dtype if dtype.is_integer() || matches!(dtype, DataType::Key { .. }) => {
            match (trimmed.parse::<i64>(), trimmed.parse::<u64>()) {
                (Ok(n), _) => Value::Int(n),
                (_, Ok(n)) => Value::UInt(n),
                _ => return misfit(dtype),
            }
        }
        dtype => match parse_time(dtype, trimmed) {
            Some(time) => Value::Time(time),
            None => return misfit(dtype),
        },
    };
    push_value(column, value)
}

/// Adds a cell from JSON: arrays as vectors, text as times and bytes, anything to a column of JSON.
pub fn push_json(column: &mut ColumnBuilder, json: &Json) -> Result<()> {
    match (column.dtype(), json) {
        // Category 0 is what keys have for missing.
        (DataType::Key { .. }, Json::Null) => column.push(Value::UInt(0)),
        (_, Json::Null) => {
            column.push_null();
            Ok(())
        }
        // A decimal fraction means the nearest number of the column's width.
        (DataType::F32, Json::Number(n)) if n.as_i64().is_none() && n.as_u64().is_none() => {
            // From its digits, for rounding to 64 bits and then to 32 may end beside the nearest.
            match n.to_string().parse::<f32>() {
                Ok(x) if x.is_finite() => column.push(Value::F32(x)),
                _ => Err(mismatch(column.dtype(), &json.to_string())),
            }
        }
        (DataType::Vector { item, .. }, Json::Array(list)) => {
            let mut items = ColumnBuilder::new(item);
            list.iter().try_for_each(|item| push_json(&mut items, item).map_err(rowless))?;
            let items = items.finish()?;
            let len = u32::try_from(list.len()).map_err(|_| mismatch(column.dtype(), "an array this long"))?;
            let row = VectorRow { len, first: 0, count: list.len(), indices: None };
            push_value(column, Value::Vector { row, items: &items })
        }
        (DataType::Vector { item, .. }, Json::Object(sparse)) if is_sparse(sparse) => {
            let (indices, mut items) = (positions(sparse), ColumnBuilder::new(item));
            let values = sparse.get("values").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
            values.iter().try_for_each(|item| push_json(&mut items, item).map_err(rowless))?;
            let (items, len) = (items.finish()?, sparse.get("length").and_then(Json::as_u64));
            match (len.and_then(|n| u32::try_from(n).ok()), indices) {
                (Some(len), Some(indices))
                    if indices.len() == items.len()
                        && indices.len() < len as usize
                        && indices.is_sorted_by(|a, b| a < b)
                        && indices.last().is_none_or(|i| *i < len) =>
                {
                    let row = VectorRow { len, first: 0, count: items.len(), indices: Some(&indices) };
                    push_value(column, Value::Vector { row, items: &items })
                }
                _ => Err(mismatch(column.dtype(), &json.to_string())),
            }
        }
        (dtype, Json::String(text)) => match parse_time(dtype, text) {
            Some(time) => push_value(column, Value::Time(time)),
            None => column.push_json(json).map_err(rowless),
        },
        _ => column.push_json(json).map_err(rowless),
    }
}

/// True for `{"length":5,"indices":[1],"values":[2.5]}`, which is how sparse vectors are written.
pub(super) fn is_sparse(object: &serde_json::Map<String, Json>) -> bool {
    object.len() == 3
        && object.get("length").is_some_and(Json::is_u64)
        && object.get("indices").is_some_and(Json::is_array)
        && object.get("values").is_some_and(Json::is_array)
}

fn positions(object: &serde_json::Map<String, Json>) -> Option<Vec<u32>> {
    let list = object.get("indices")?.as_array()?;
    list.iter().map(|i| u32::try_from(i.as_u64()?).ok()).collect()
}

fn push_value(column: &mut ColumnBuilder, value: Value<'_>) -> Result<()> {
    column.push(value).map_err(rowless)
}

/// The builder counts the rows of its batch; the callers know the line.
fn rowless(e: Error) -> Error {
    Error::new(e.code(), e.message())
}

fn mismatch(dtype: &DataType, text: &str) -> Error {
    let short: String = text.chars().take(60).collect();
    let dots = if short.len() < text.len() { "..." } else { "" };
    Error::new(&codes::VALUE, format!("{short:?}{dots} does not fit a column of {dtype}"))
}

#[cfg(test)]
mod tests {
    use crate::table::KeyType;

    use super::*;

    fn text(dtype: &DataType, cell: &str) -> Result<String> {
        let mut column = ColumnBuilder::new(dtype);
        push_text(&mut column, cell)?;
        Ok(column.finish()?.value(0).to_json(Default::default()))
    }

    #[test]
    fn text_becomes_what_the_column_says() {
        let vector = DataType::vector(DataType::F32, None);
        let key = DataType::Key { inner: KeyType::U8, count: 4 };
        for (dtype, cell, json) in [
            (DataType::U64, "18446744073709551615", "18446744073709551615"),
            (DataType::I64, "-9223372036854775808", "-9223372036854775808"),
            (DataType::F64, "nan", "\"NaN\""),
            (DataType::F32, "0.1", "0.1"),
            (DataType::Bool, "TRUE", "true"),
            (DataType::String, " 007", "\" 007\""),
            (DataType::Bytes, "AQI=", "\"AQI=\""),
            (DataType::Ticks, "-1.00:00:00.0000001", "\"-1.00:00:00.0000001\""),
            (DataType::Json, "{\"a\": 1}", "{\"a\": 1}"),
            (vector.clone(), "[0.1, \"NaN\", 3]", "[0.1,\"NaN\",3.0]"),
            (vector.clone(), "[3398379.2, 3398379.25]", "[3398379.2,3398379.2]"),
            (vector, r#"{"length":3,"indices":[1],"values":[2.5]}"#, "[0.0,2.5,0.0]"),
            (key, "0", "null"),
        ] {
            assert_eq!(text(&dtype, cell).unwrap(), json);
        }
    }

    #[test]
    fn text_that_does_not_fit_is_refused() {
        for (dtype, cell) in [
            (DataType::U8, "256"),
            (DataType::I64, "9223372036854775808"),
            (DataType::F64, "one"),
            (DataType::F64, "9007199254740993"),
            (DataType::F64, "1e400"),
            (DataType::F32, " 16777217"),
            (DataType::F32, "-1e39"),
            (DataType::Json, "{"),
            (DataType::vector(DataType::F32, None), "[1.5e39]"),
            (DataType::vector(DataType::U8, Some(2)), "[1]"),
            (DataType::vector(DataType::U8, None), r#"{"length":1,"indices":[1],"values":[2]}"#),
            (DataType::Date, "2023-02-29"),
        ] {
            assert_eq!(text(&dtype, cell).unwrap_err().code().id(), "table.value", "{cell}");
        }
    }
}
