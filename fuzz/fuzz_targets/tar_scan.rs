#![no_main]
//! Both TAR readers give the same members and the same error, and no member reaches past the file. So that the
//! fuzzer gets past the checksums, they are put right first in blocks that call themselves ustar, unless the first
//! byte is odd.

use forebay::{
    Limits,
    step::drive_mut,
    tar::{Event, Scanner, StreamReader, webdataset::group},
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((&first, rest)) = data.split_first() else { return };
    let mut file = rest.to_vec();
    if first % 2 == 0 {
        file.chunks_exact_mut(512).filter(|block| block[257..262] == *b"ustar").for_each(put_right);
    }
    let limits = Limits::browser().with_item_bytes(1 << 20);

    let mut scanner = Scanner::new(file.len() as u64, limits.clone()).with_read_ahead(u64::from(first) * 16);
    let scanned = drive_mut(&mut scanner, &file.clone().into()).map_err(|e| e.to_string());
    let end = scanned.as_ref().map(|a| (a.ending, a.archives, a.skipped)).map_err(String::clone);
    let archive = scanned.unwrap_or_else(|_| scanner.into_partial());
    assert!(archive.members.iter().all(|m| m.header_offset < m.offset && m.range().end <= file.len() as u64));
    assert_eq!(group(archive.members.names()).expect("few files").files(), archive.members.len());

    let mut reader = StreamReader::new(limits);
    let (mut members, mut left, mut failed) = (Vec::new(), 0, None);
    'file: for mut piece in file.chunks(usize::from(first) * 8 + 1) {
        loop {
            match reader.next(&mut piece) {
                Ok(Some(Event::Member(m))) => {
                    left = m.size;
                    members.push((m.name.to_owned(), m.offset, m.size));
                }
                Ok(Some(Event::Data(bytes))) => left -= bytes.len() as u64,
                Ok(_) => break,
                Err(e) => {
                    failed = Some(e);
                    break 'file;
                }
            }
        }
    }
    if left > 0 {
        members.pop();
    }
    let streamed = match failed {
        Some(e) => Err(e),
        None => reader.finish().map(|s| (s.ending, s.archives, s.skipped)),
    };
    assert_eq!(streamed.map_err(|e| e.to_string()), end);
    assert!(archive.members.iter().map(|m| (m.name.to_owned(), m.offset, m.size)).eq(members));
});

fn put_right(block: &mut [u8]) {
    block[148..156].fill(b' ');
    let sum: u32 = block.iter().map(|&b| u32::from(b)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
}
