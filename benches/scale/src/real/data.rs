//! A TBL of samples that nothing shrinks.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::Path,
};

use forebay::{Result, random::Draws};
use forebay_native::{
    Dataset,
    convert::{Job, Options, To},
    input::io_error,
};

/// Bytes that a loader reads for a sample: 4 of them are its checksum.
pub const SAMPLE_BYTES: u64 = 100_000;
const PAYLOAD: usize = SAMPLE_BYTES as usize - 4;

/// The bytes of a TBL of this many samples, and how many of them are in front of these and behind.
pub fn table(folder: &Path, samples: u64) -> Result<(Vec<u8>, (u64, u64))> {
    let (archive, table) = (folder.join("a.tar"), folder.join("a.tbl"));
    let failed = |e: std::io::Error| io_error("a.tar", "write", e);
    let mut file = BufWriter::new(File::create(&archive).map_err(failed)?);
    let mut payload = vec![0; PAYLOAD];
    let mut draws = Draws::new(7);
    for sample in 0..samples {
        payload.chunks_mut(8).for_each(|chunk| chunk.copy_from_slice(&draws.bits().to_le_bytes()[..chunk.len()]));
        file.write_all(&header(&format!("{sample:08}.bin"), PAYLOAD)).map_err(failed)?;
        file.write_all(&payload).map_err(failed)?;
        file.write_all(&vec![0; PAYLOAD.next_multiple_of(512) - PAYLOAD]).map_err(failed)?;
    }
    file.write_all(&[0; 1024]).map_err(failed)?;
    drop(file.into_inner().map_err(|e| failed(e.into_error()))?);
    Job::new(vec![Dataset::open(&archive)?], Options::new(To::Tbl)).run(&table)?;
    let dataset = Dataset::open(&table)?;
    let front = dataset.stored_range(0).map_or(0, |range| range.start);
    let around = (front, dataset.file_len().saturating_sub(front + samples * SAMPLE_BYTES));
    let bytes = std::fs::read(&table).map_err(|e| io_error("a.tbl", "read", e))?;
    for path in [archive, table] {
        std::fs::remove_file(path).map_err(failed)?;
    }
    Ok((bytes, around))
}

/// The header of a member of a TAR.
fn header(name: &str, len: usize) -> [u8; 512] {
    let mut header = [0; 512];
    let mut put = |at: usize, text: &str| header[at..at + text.len()].copy_from_slice(text.as_bytes());
    put(0, name);
    put(100, "0000644\0");
    put(108, "0000000\0");
    put(116, "0000000\0");
    put(124, &format!("{len:011o}\0"));
    put(136, "00000000000\0");
    put(148, "        ");
    put(156, "0");
    put(257, "ustar\x0000");
    let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    header
}
