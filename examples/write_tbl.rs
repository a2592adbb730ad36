//! Writes a TBL, here into memory: the encoder says where bytes go, the host puts them there.
//!
//! ```text
//! $ cargo run --example write_tbl
//! 404 bytes, 3 samples, each 48 bytes
//! ```

use std::error::Error;

use bytes::Bytes;
use forebay::{
    codec::Compression,
    sample::MediaFormat,
    samples::Opener,
    step::drive,
    tbl::{Document, Encoder, Layout, MetadataFormat, MetadataWriter, PackOptions, Patch, pack},
};

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let options = PackOptions::new(Layout::Guide, Compression::None);
    let mut encoder = Encoder::new(options, Some(3))?;
    let mut metadata = MetadataWriter::new(options.layout, MetadataFormat::Json, Document::default())?;
    let (mut file, mut spool) = (Vec::new(), Vec::new());
    for i in 0..3_u8 {
        let pixels = Bytes::from(vec![i; 4 * 4 * 3]);
        let packed = pack(pixels, MediaFormat::RawU8, 4, 4, &options)?;
        let at = encoder.place(&packed, true)?;
        put(&mut file, at, &packed.stored);
        put(&mut file, at + packed.stored.len() as u64, packed.trailer());
        metadata.add(Some(&format!(r#"{{"name":"{i}.raw","cls":{i}}}"#)), &mut spool)?;
    }
    // Index, metadata and header come last: until they are there, the file is not a TBL.
    for patch in encoder.finish(metadata.finish())? {
        match patch {
            Patch::Bytes { at, bytes } => put(&mut file, at, &bytes),
            Patch::Spool { at, .. } => put(&mut file, at, &spool),
            Patch::End { len } => file.resize(len as usize, 0),
            // Only where the number of samples was not known.
            other => return Err(format!("unexpected: {other:?}").into()),
        }
    }
    let file = Bytes::from(file);
    let dataset = drive(Opener::new(file.len() as u64), &file)?;
    println!("{} bytes, {} samples, each {} bytes", file.len(), dataset.len(), dataset.info(2)?.bytes);
    Ok(())
}

fn put(file: &mut Vec<u8>, at: u64, bytes: &[u8]) {
    let end = at as usize + bytes.len();
    file.resize(file.len().max(end), 0);
    file[at as usize..end].copy_from_slice(bytes);
}
