//! ZIP archives made by hand, byte by byte: what tests and fuzzing begin with.

use forebay::codec::{checksum::crc32, deflate::deflate};

/// An archive of these members, each with whether it is deflated; with records of ZIP64 where `wide` says so.
pub fn archive(members: &[(&str, &[u8], bool)], wide: bool) -> Vec<u8> {
    let (mut file, mut directory) = (Vec::new(), Vec::new());
    for (name, content, packed) in members {
        let stored = if *packed { deflate(content, 6).expect("level 6") } else { content.to_vec() };
        let at = file.len() as u64;
        let mut common = vec![20, 0, 0, 8, if *packed { 8 } else { 0 }, 0, 0, 0, 0, 0];
        common.extend(crc32(content).to_le_bytes());
        let sizes = [stored.len() as u32, content.len() as u32];
        file.extend(b"PK\x03\x04");
        file.extend(&common);
        sizes.iter().for_each(|n| file.extend(n.to_le_bytes()));
        file.extend((name.len() as u16).to_le_bytes());
        file.extend([0, 0]);
        file.extend(name.as_bytes());
        file.extend(&stored);
        let mut extra = Vec::new();
        if wide {
            extra.extend([1, 0, 24, 0]);
            [content.len() as u64, stored.len() as u64, at].iter().for_each(|n| extra.extend(n.to_le_bytes()));
        }
        let narrow = |n: u32| if wide { u32::MAX } else { n }.to_le_bytes();
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&common);
        sizes.iter().for_each(|n| directory.extend(narrow(*n)));
        directory.extend((name.len() as u16).to_le_bytes());
        directory.extend((extra.len() as u16).to_le_bytes());
        directory.extend([0; 10]);
        directory.extend(narrow(at as u32));
        directory.extend(name.as_bytes());
        directory.extend(extra);
    }
    let (start, size, count) = (file.len() as u64, directory.len() as u64, members.len() as u64);
    file.extend(directory);
    if wide {
        let at = file.len() as u64;
        file.extend(b"PK\x06\x06");
        file.extend(44_u64.to_le_bytes());
        file.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        [count, count, size, start].iter().for_each(|n| file.extend(n.to_le_bytes()));
        file.extend(b"PK\x06\x07\0\0\0\0");
        file.extend(at.to_le_bytes());
        file.extend([1, 0, 0, 0]);
    }
    file.extend(b"PK\x05\x06\0\0\0\0");
    [count, count].iter().for_each(|n| file.extend(if wide { u16::MAX } else { *n as u16 }.to_le_bytes()));
    [size, start].iter().for_each(|n| file.extend(if wide { u32::MAX } else { *n as u32 }.to_le_bytes()));
    file.extend([0, 0]);
    file
}
