//! What users type: types and schemas in words, and times as text. What is understood is said again in the same words.

use forebay::{
    table::{DataType, TableSpec, parse_time, parse_type},
    tbf::CallerSchema,
};

const TIMES: [DataType; 8] = [
    DataType::Date,
    DataType::TimeUs,
    DataType::Ticks,
    DataType::TimestampMs,
    DataType::TimestampUs,
    DataType::TimestampNs,
    DataType::DateTime,
    DataType::DateTimeOffset,
];

pub(crate) fn times(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    for dtype in &TIMES {
        if let Some(time) = parse_time(dtype, text) {
            let said = time.to_string();
            assert_eq!(parse_time(dtype, &said), Some(time), "{text:?} is {said:?}");
        }
    }
}

pub(crate) fn times_seeds() -> Vec<Vec<u8>> {
    [
        "2024-02-29",
        "-0044-03-15",
        "+12024-01-01",
        "23:59:59.999999",
        "-10675199.02:48:05.4775808",
        "2024-02-29T23:59:59.123456789Z",
        "1677-09-21 00:12:43.145224193+05:30",
        "0001-01-01T00:00:00.0000000-14:00",
        "9999-12-31T23:59:59.9999999+14:00",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec()
}

pub(crate) fn specs(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(dtype) = parse_type(text) {
        assert_eq!(parse_type(&dtype.to_string()).expect("the name of a type"), dtype);
    }
    if let Ok(spec) = TableSpec::parse(text) {
        let schema = spec.schema().expect("a spec that was read");
        let again = TableSpec::from(&schema);
        assert_eq!(again.schema().expect("the same"), schema);
    }
    // It may be deep or wide; it may not be a panic.
    drop(CallerSchema::from_json(data));
}

pub(crate) fn specs_seeds() -> Vec<Vec<u8>> {
    [
        "key<u32, 5>",
        "vector<f32, 2x3>",
        "vector<vector<string>>",
        r#"{"columns":[{"name":"age","type":"i64","nullable":false},{"name":"v","type":"vector<f32,10>","encoding":"plain","offset":-3}]}"#,
        r#"[{"name":"a","type":"timestamp_ns"}]"#,
        r#"{"format":"tbf","columns":[{"name":"a","type":"u8","encoding":"rle"}]}"#,
        r#"{"S":[{"name":"a","type":"i16"},{"name":"b","type":"string"}]}"#,
        r#"{"U":{"value":{"struct":[{"name":"a","type":{"seq":"unit"}},{"name":"b","type":{"option":{"map":["u8","f64"]}}},{"name":"c","type":{"tuple":["i128","char"]}},{"name":"d","type":{"enum":[]}}]}}}"#,
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec()
}
