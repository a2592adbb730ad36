//! Any bytes as CSV or JSON lines are read or refused, and the same whatever the batches; a reading that leaves bad
//! rows out gives the rows that one without bad rows gives.
//!
//! The tests of the native crate run these bodies too, so that they need not be built a second time for that.

use forebay::Limits;
use forebay_native::tables::{OnBadRow, ReadOptions, TableFormat, open_text};

/// The rows as JSON, and how many were left out.
fn rows(
    data: &[u8],
    format: TableFormat,
    on_bad_row: OnBadRow,
    batch_rows: usize,
) -> forebay::Result<(Vec<String>, u64)> {
    let mut options = ReadOptions::default();
    options.limits = Limits::browser().with_item_bytes(1 << 20);
    (options.on_bad_row, options.batch_rows, options.sniff_rows) = (on_bad_row, batch_rows, 3);
    let mut source = open_text(data.to_vec(), format, &options)?;
    let mut rows = Vec::new();
    while let Some(batch) = source.next_batch()? {
        assert!(batch.rows() > 0 && batch.rows() <= batch_rows, "{} rows", batch.rows());
        rows.extend(batch.iter().map(|row| row.to_json(Default::default())));
    }
    Ok((rows, source.skipped()))
}

fn body(data: &[u8], format: TableFormat) {
    let Ok((all, skipped)) = rows(data, format, OnBadRow::Skip, 4096) else {
        assert!(rows(data, format, OnBadRow::Error, 4096).is_err(), "what cannot be opened has no rows");
        return;
    };
    assert_eq!(rows(data, format, OnBadRow::Skip, 1).expect("one by one"), (all.clone(), skipped));
    match rows(data, format, OnBadRow::Error, 4096) {
        Ok(strict) => assert_eq!(strict, (all, 0)),
        Err(_) => assert!(skipped > 0, "an error without a bad row"),
    }
}

pub(crate) fn csv(data: &[u8]) {
    body(data, TableFormat::Csv);
}

pub(crate) fn csv_seeds() -> Vec<Vec<u8>> {
    [
        "id,name,when,x\n1,\"a \"\"b\"\"\n,c\",2024-02-29,0.5\n2,,1999-12-31T23:59:59.5,NaN\n18446744073709551615,\"\",,-1e300\r\n",
        "a,b\n1,x\n2\n\n\"3\n\",y\n4,z",
        "\u{feff}flag;é\ntrue,007\nfalse,東京\n",
    ]
    .map(|s| s.as_bytes().to_vec())
    .into()
}

pub(crate) fn jsonl(data: &[u8]) {
    body(data, TableFormat::Jsonl);
}

pub(crate) fn jsonl_seeds() -> Vec<Vec<u8>> {
    [
        "{\"id\":18446744073709551615,\"x\":0.5,\"v\":[1,2],\"s\":\"\\ud83e\\udd80\"}\n\n{\"id\":1,\"x\":\"NaN\",\"v\":[]}\n",
        "{\"a\":{\"b\":[null,-9223372036854775808]},\"t\":\"2024-02-29\"}\r\n{\"a\":7,\"t\":null}\n[1]\n{\"a\":",
    ]
    .map(|s| s.as_bytes().to_vec())
    .into()
}
