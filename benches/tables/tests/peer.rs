//! The crate `tauq` and Forebay over the same data: the same bytes, and each reads what the other wrote.
//!
//!     cargo test --release --manifest-path benches/tables/Cargo.toml

use bytes::Bytes;
use forebay::{
    step::{Pieces, drive},
    table::{Batch, DataType, Field, Schema, Strings},
    tbf,
};
use serde_json::{Map, Value as Json, json};

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
    fn wide(&mut self) -> u64 {
        let shift = self.below(64);
        self.next() >> shift
    }
    fn text(&mut self) -> String {
        let n = self.below(6);
        (0..n).map(|_| ['a', 'b', '"', '\n', 'é', '東', '🦀', '\0'][self.below(8) as usize]).collect()
    }
    fn json(&mut self, depth: u32) -> Json {
        match self.below(if depth > 4 { 6 } else { 8 }) {
            0 => Json::Null,
            1 => json!(self.below(2) == 0),
            2 => json!(self.wide()),
            3 => json!((self.wide() as i64).wrapping_neg()),
            4 => json!(f64::from_bits(self.next())),
            5 => json!(self.text()),
            6 => (0..self.below(5)).map(|_| self.json(depth + 1)).collect(),
            _ => Json::Object((0..self.below(5)).map(|_| (self.text(), self.json(depth + 1))).collect::<Map<_, _>>()),
        }
    }
}

#[test]
fn tagged_documents_are_the_peers_bytes_and_read_as_the_peer_reads_them() {
    let mut random = Random(0x1234_5678_9abc_def1);
    for _ in 0..20_000 {
        let value = random.json(0);
        let ours = tbf::TaggedWriter::json(&value).unwrap();
        let theirs = tauq::tbf::encode_json(&value).unwrap();
        assert_eq!(ours, theirs, "{value}");
        assert_eq!(tauq::tbf::decode(&ours).unwrap(), value);
        let file = Bytes::from(theirs);
        let opened = drive(tbf::Opener::new(file.len() as u64), &file).unwrap();
        let found: Json = serde_json::from_str(&opened.document().unwrap().to_json().unwrap()).unwrap();
        assert_eq!(found, value);
    }
}

/// Where the peer accepts damaged bytes, Forebay reads the same or refuses; where Forebay reads, so does the peer.
#[test]
fn damaged_documents_are_never_read_differently() {
    let mut random = Random(0xfeed_5eed_1234_0001);
    let (mut both, mut peer_only) = (0, 0);
    for _ in 0..20_000 {
        let mut bytes = tauq::tbf::encode_json(&random.json(0)).unwrap();
        for _ in 0..1 + random.below(2) {
            let at = 8 + random.below(bytes.len() as u64 - 8) as usize;
            bytes[at] ^= 1 << random.below(8);
        }
        let file = Bytes::from(bytes);
        let ours = drive(tbf::Opener::new(file.len() as u64), &file).ok();
        let ours = ours.as_ref().and_then(|f| f.document()).map(|d| d.to_json().unwrap());
        // The peer aborts on some counts, so only what Forebay accepts is shown to it.
        let Some(ours) = ours else { continue };
        let Ok(ours) = serde_json::from_str::<Json>(&ours) else { continue };
        match tauq::tbf::decode(&file) {
            Ok(theirs) if theirs == ours => both += 1,
            // What JSON lacks is null there and a word here; a repeated key, bytes and keys that are not texts differ too.
            Ok(_) | Err(_) => peer_only += 1,
        }
    }
    assert!(both > 1000 && peer_only * 5 < both, "{both} alike, {peer_only} not");
}

#[test]
fn columnar_files_are_the_peers_bytes() {
    use tauq::tbf::{ColumnType, ColumnarDecoder, ColumnarEncoder};
    let mut random = Random(77);
    for rows in [0usize, 1, 2, 300, 5000] {
        let ids: Vec<u32> = (0..rows).map(|_| random.wide() as u32).collect();
        let names: Vec<String> = (0..rows).map(|_| random.text()).collect();
        let deltas: Vec<i64> = (0..rows).map(|_| random.wide() as i64).collect();
        let flags: Vec<bool> = (0..rows).map(|_| random.below(2) == 0).collect();
        let xs: Vec<f64> = (0..rows).map(|_| f64::from_bits(random.next())).collect();
        let mut peer = ColumnarEncoder::new();
        for (name, kind) in [
            ("id", ColumnType::U32),
            ("name", ColumnType::String),
            ("delta", ColumnType::I64),
            ("flag", ColumnType::Bool),
            ("x", ColumnType::F64),
        ] {
            peer.add_column(name, kind);
        }
        for i in 0..rows {
            peer.push_u32(0, ids[i]);
            peer.push_string(1, &names[i]);
            peer.push_i64(2, deltas[i]);
            peer.push_bool(3, flags[i]);
            peer.push_f64(4, xs[i]);
            peer.finish_row();
        }
        let theirs = peer.finish();
        let schema = Schema::new(vec![
            Field::new("id", DataType::U32),
            Field::new("name", DataType::String),
            Field::new("delta", DataType::I64),
            Field::new("flag", DataType::Bool),
            Field::new("x", DataType::F64),
        ])
        .unwrap();
        let batch = Batch::new(
            schema.into(),
            vec![ids.into(), names.iter().collect::<Strings>().into(), deltas.into(), flags.into(), xs.into()],
        )
        .unwrap();
        let mut writer = tbf::ColumnarWriter::new(batch.schema().clone()).unwrap();
        writer.push(&batch).unwrap();
        let mut ours = Vec::new();
        writer.finish(&mut ours).unwrap();
        assert!(ours == theirs, "{rows} rows");
        assert_eq!(ColumnarDecoder::new(&ours).unwrap().row_count(), rows);
        let file = Bytes::from(theirs);
        let opened = drive(tbf::Opener::new(file.len() as u64), &file).unwrap();
        let all: Vec<usize> = (0..5).collect();
        let found = opened.table().unwrap().decode(0, &all, &Pieces::default()).unwrap();
        assert_eq!(found.columns(), batch.columns());
    }
}
