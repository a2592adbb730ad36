//! Any bytes as a compressed text: its rows are those of what it unpacks to, or it is refused.

use std::io::Read;

use bytes::Bytes;
use forebay::{Result, error::Kind};
use forebay_native::tables::{ReadOptions, TableFormat, open_bytes};

/// The first bytes may unpack to a great many.
const MOST: u64 = 1 << 20;

fn rows(bytes: Bytes) -> Result<Vec<String>> {
    let mut options = ReadOptions::default();
    (options.text.limits, options.text.sniff_rows, options.text.batch_rows) = (crate::limits(), 3, 64);
    let mut source = open_bytes(bytes, TableFormat::Csv, &options)?;
    let mut rows = Vec::new();
    while let Some(batch) = source.next_batch()? {
        rows.extend(batch.iter().map(|row| row.to_json(Default::default())));
    }
    Ok(rows)
}

pub(crate) fn body(data: &[u8]) {
    let mut plain = Vec::new();
    let unpacked = if data.starts_with(&[0x1f, 0x8b, 8]) {
        flate2::read::MultiGzDecoder::new(data).take(MOST + 1).read_to_end(&mut plain)
    } else if data.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        zstd::Decoder::new(data).and_then(|mut decoder| decoder.by_ref().take(MOST + 1).read_to_end(&mut plain))
    } else {
        plain.extend_from_slice(data);
        Ok(data.len())
    };
    if plain.len() as u64 > MOST {
        return;
    }
    // What is unpacked may begin as something packed does.
    let again = plain.starts_with(&[0x1f, 0x8b, 8]) || plain.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]);
    let found = rows(Bytes::copy_from_slice(data));
    if let Err(e) = &found {
        assert!(matches!(e.kind(), Kind::Damaged | Kind::Limit | Kind::Unsupported), "{e}");
    }
    match (unpacked, found) {
        (Ok(_), Ok(found)) if !again => assert_eq!(rows(plain.into()).expect("what it unpacks to reads"), found),
        (Ok(_), Err(_)) if !again => assert!(rows(plain.into()).is_err(), "what it unpacks to reads"),
        (Err(_), found) => assert!(found.is_err(), "damaged compression has rows"),
        _ => {}
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    use std::io::Write;
    let text = "id,name\n1,Ada\n2,\"x\ny\"\n3,\n".repeat(4);
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    gz.write_all(text.as_bytes()).expect("memory");
    let gz = gz.finish().expect("memory");
    let raw = {
        let mut stored = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
        stored.write_all(b"a,b\n1,2\n").expect("memory");
        stored.finish().expect("memory")
    };
    let zstd = zstd::encode_all(text.as_bytes(), 3).expect("memory");
    vec![[gz.clone(), raw.clone()].concat(), [zstd.clone(), zstd.clone()].concat(), gz, raw, zstd, text.into_bytes()]
}
