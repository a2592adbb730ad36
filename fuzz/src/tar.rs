//! Both TAR readers give the same members and the same error, and no member reaches past the file. So that the
//! fuzzer gets past the checksums, they are put right first in blocks that call themselves ustar, unless the first
//! byte is odd.

use forebay::{
    step::drive_mut,
    tar::{self, Event, Opener, StreamReader, webdataset::group},
};

pub(crate) fn body(data: &[u8]) {
    let Some((&first, rest)) = data.split_first() else { return };
    let mut file = rest.to_vec();
    if first % 2 == 0 {
        put_right(&mut file);
    }
    let limits = super::limits();

    let mut scanner = Opener::new(file.len() as u64).with_limits(limits.clone()).with_read_ahead(u64::from(first) * 16);
    let scanned = drive_mut(&mut scanner, &file.clone().into()).map_err(|e| e.to_string());
    let end = scanned.as_ref().map(|a| (a.ending, a.archives, a.skipped)).map_err(String::clone);
    let archive = scanned.unwrap_or_else(|_| scanner.into_partial());
    assert!(archive.members.iter().all(|m| m.header_offset < m.offset && m.range().end <= file.len() as u64));
    assert_eq!(
        group(archive.members.iter().map(|member| (member.name, member.size))).expect("few files").files(),
        archive.members.len()
    );

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
}

/// Gives blocks that call themselves ustar the checksum that they should have.
pub(crate) fn put_right(file: &mut [u8]) {
    for block in file.chunks_exact_mut(512).filter(|block| block[257..262] == *b"ustar") {
        block[148..156].fill(b' ');
        let sum: u32 = block.iter().map(|&b| u32::from(b)).sum();
        block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    }
}

/// Four members with sidecars, one with a long name; with and without the end; and two archives in one.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let mut open = Vec::new();
    let long = format!("{}/0003.jpg", "folder".repeat(30));
    for (name, payload) in
        [("a/0001.jpg", &b"\xff\xd8\xff"[..]), ("a/0001.cls", b"7"), ("0002.png", b""), (&long, b"x")]
    {
        open.extend(tar::header_for(name, payload.len() as u64).expect("a header"));
        open.extend_from_slice(payload);
        open.resize(open.len() + tar::padding(payload.len() as u64), 0);
    }
    let closed = [&open[..], &tar::END].concat();
    let twice = closed.repeat(2);
    // The first byte says how to read: checksums put right or left, how far ahead, in which pieces.
    [(0, open), (1, closed), (40, twice)].map(|(first, file)| [&[first][..], &file].concat()).to_vec()
}
