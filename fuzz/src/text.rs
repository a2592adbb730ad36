//! Any bytes as CSV or JSON lines are read or refused, and the same whatever the batches and the pieces that they
//! come in; a reading that leaves bad rows out gives the rows that one without bad rows gives.

use bytes::Bytes;
use forebay::{
    step::Turn,
    text::{OnBadRow, TextFormat, TextOptions, TextReader},
};

/// The rows as JSON, and how many were left out.
fn rows(
    data: &[u8],
    format: TextFormat,
    on_bad_row: OnBadRow,
    batch_rows: usize,
    piece: usize,
) -> forebay::Result<(Vec<String>, u64)> {
    let mut options = TextOptions::default();
    options.limits = super::limits().with_item_bytes(1 << 20);
    (options.on_bad_row, options.batch_rows, options.sniff_rows) = (on_bad_row, batch_rows, 3);
    let mut reader = TextReader::new(format, options)?;
    let mut pieces = data.chunks(piece);
    let mut rows = Vec::new();
    loop {
        match reader.step()? {
            Turn::Need(()) => match pieces.next() {
                Some(piece) => reader.push(Bytes::copy_from_slice(piece)),
                None => reader.end(),
            },
            Turn::Item(batch) => {
                assert!(batch.rows() > 0 && batch.rows() <= batch_rows, "{} rows", batch.rows());
                rows.extend(batch.iter().map(|row| row.to_json(Default::default())));
            }
            Turn::Done => return Ok((rows, reader.skipped())),
        }
    }
}

fn body(data: &[u8], format: TextFormat) {
    let Ok((all, skipped)) = rows(data, format, OnBadRow::Skip, 4096, usize::MAX) else {
        let strict = rows(data, format, OnBadRow::Error, 4096, usize::MAX);
        assert!(strict.is_err(), "what cannot be opened has no rows");
        return;
    };
    // Each piece is looked at anew until the columns are known: of a long text a few are enough.
    let piece = if data.len() < 64 { 3 } else { data.len() / 16 };
    assert_eq!(rows(data, format, OnBadRow::Skip, 1, piece).expect("piece by piece"), (all.clone(), skipped));
    match rows(data, format, OnBadRow::Error, 4096, usize::MAX) {
        Ok(strict) => assert_eq!(strict, (all, 0)),
        Err(_) => assert!(skipped > 0, "an error without a bad row"),
    }
}

pub(crate) fn csv(data: &[u8]) {
    body(data, TextFormat::Csv);
}

pub(crate) fn csv_seeds() -> Vec<Vec<u8>> {
    [
        "id,name,when,x\n1,\"a \"\"b\"\"\n,c\",2024-02-29,0.5\n2,,1999-12-31T23:59:59.5,NaN\n18446744073709551615,\"\",,-1e300\r\n",
        "a,b\n1,x\n2\n\n\"3\n\",y\n4,z",
        "\u{feff}flag;é\ntrue,007\nfalse,東京\n",
        "a|b\n1|\"x|y\"\n\n2|-\n",
        "a\tb\r\n-1.5e-3\t23:59:59.5\r\n",
    ]
    .map(|s| s.as_bytes().to_vec())
    .into()
}

pub(crate) fn jsonl(data: &[u8]) {
    body(data, TextFormat::Jsonl);
}

pub(crate) fn jsonl_seeds() -> Vec<Vec<u8>> {
    [
        "{\"id\":18446744073709551615,\"x\":0.5,\"v\":[1,2],\"s\":\"\\ud83e\\udd80\"}\n\n{\"id\":1,\"x\":\"NaN\",\"v\":[]}\n",
        "{\"a\":{\"b\":[null,-9223372036854775808]},\"t\":\"2024-02-29\"}\r\n{\"a\":7,\"t\":null}\n[1]\n{\"a\":",
        "[{\"a\":1,\"b\":\"x\"},\n {\"b\":null,\"a\":1e400}\n]\n",
        "{\"a\":NaN,\"b\":-Infinity,\"c\":{}}\n{\"c\":[[1],[\"\\u0000\"]],\"a\":true}\n",
    ]
    .map(|s| s.as_bytes().to_vec())
    .into()
}
