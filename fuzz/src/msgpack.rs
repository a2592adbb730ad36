//! Any bytes as MessagePack: a value is as long as stepping over it says, and written again it reads as the same.

use forebay::{Limits, cursor::Cursor, msgpack, tbl::codes::METADATA};
use serde_json::{Value, json};

fn read(bytes: &[u8], limits: &Limits) -> Option<(Value, usize)> {
    let mut reader = msgpack::Reader::new(Cursor::new(bytes, 0, "metadata", &METADATA), &METADATA, limits);
    let value = reader.value(0).ok()?;
    Some((value, reader.cursor.position()))
}

pub(crate) fn body(data: &[u8]) {
    let limits = super::limits();
    let mut over = msgpack::Reader::new(Cursor::new(data, 0, "metadata", &METADATA), &METADATA, &limits);
    let stepped = over.skip().map(|()| over.cursor.position());
    let Some((value, len)) = read(data, &limits) else { return };
    assert_eq!(stepped.expect("what reads can be stepped over"), len);
    let mut again = Vec::new();
    msgpack::write(&value, &mut again);
    assert_eq!(read(&again, &limits).expect("what was written reads"), (value, again.len()));
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let values = [
        json!({ "id": 7, "name": "a.jpg", "boxes": [[0.5, -1, 300], [null, true]], "data": { "base64": "AAEC" } }),
        json!([u64::MAX, i64::MIN, -33, 128, 70_000, "é".repeat(40), "x".repeat(300), 1e300]),
    ];
    let mut seeds: Vec<Vec<u8>> = values
        .iter()
        .map(|value| {
            let mut out = Vec::new();
            msgpack::write(value, &mut out);
            out
        })
        .collect();
    // Bytes, an extension, floats of 32 bits, a key that is not text, wide lengths.
    seeds.push(
        b"\x85\xa1b\xc4\x02\0\x01\xa1e\xc7\x01\x05\x09\xa1f\xca\x7f\xc0\0\0\x07\xd4\x01\x02\xa1l\xdd\0\0\0\x01\xc0"
            .to_vec(),
    );
    seeds
}
