//! The footer's minimum and maximum, as the filter language sees them.

use serde_json::Value as Json;

use super::footer::Chunk;
use crate::{
    filter::{Bounds, Value},
    table::{Clock, DataType},
};

/// What a chunk proves about its values.
pub(super) fn of(chunk: &Chunk, dtype: &DataType, rows: u64) -> Option<Bounds> {
    let all_missing = chunk.nulls == rows;
    let (min, max) =
        if all_missing { (Value::Null, Value::Null) } else { (bound(&chunk.min, dtype)?, bound(&chunk.max, dtype)?) };
    Some(Bounds { min, max, some_missing: chunk.nulls > 0, all_missing })
}

fn bound(json: &Json, dtype: &DataType) -> Option<Value<'static>> {
    match dtype {
        DataType::Date => Some(Value::Time(Clock::Date(json.as_i64()?.try_into().ok()?).into())),
        DataType::TimestampMs => Some(Value::Time(Clock::TimestampMs(json.as_i64()?).into())),
        DataType::TimestampUs => Some(Value::Time(Clock::TimestampUs(json.as_i64()?).into())),
        DataType::F32 | DataType::F64 => match json {
            Json::String(s) if s == "Infinity" => Some(f64::INFINITY.into()),
            Json::String(s) if s == "-Infinity" => Some(f64::NEG_INFINITY.into()),
            other => other.as_f64().map(Value::from),
        },
        DataType::String => json.as_str().map(|s| s.to_owned().into()),
        t if t.is_integer() => match (json.as_i64(), json.as_u64()) {
            (Some(n), _) => Some(n.into()),
            (_, Some(n)) => Some(n.into()),
            _ => None,
        },
        _ => None,
    }
}
