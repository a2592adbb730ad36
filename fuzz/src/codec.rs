//! The first bytes choose a codec and a claimed size; the rest is what was stored.

use forebay::codec::{Codec, Compression, deflate};

use super::limits;

const CODECS: [Codec; 3] = [Codec::None, Codec::Lz4, Codec::Zstd];

pub(crate) fn body(data: &[u8]) {
    let Some((head, stored)) = data.split_first_chunk::<5>() else { return };
    let size = u64::from(u32::from_le_bytes([head[1], head[2], head[3], head[4]]));
    let limits = limits();
    if let Some(codec) = CODECS.get(usize::from(head[0])) {
        if let Ok(out) = codec.decompress(stored, size, &limits) {
            assert_eq!(out.len() as u64, size);
        }
    } else {
        let mut inflater = deflate::Inflater::default();
        if let Ok(out) = inflater.inflate(stored, size, &limits) {
            assert_eq!(out.len() as u64, size);
        }
        if let Ok(out) = inflater.inflate_all(stored, &limits) {
            assert!(out.len() as u64 <= limits.item_bytes);
        }
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let text = b"the same words again, the same words once more, and then the same words".repeat(9);
    let size = (text.len() as u32).to_le_bytes();
    let lz4 = Compression::Lz4 { level: 1 }.compress(&text).expect("level 1").expect("it shrinks");
    let deflated = deflate::deflate(&text, 6).expect("level 6");
    // One Zstandard frame with a raw block: the core itself does not write Zstandard without the C library.
    let zstd = [&[0x28, 0xb5, 0x2f, 0xfd, 0x20, 5, 5 << 3 | 1, 0, 0][..], b"hello"].concat();
    vec![
        [&[0][..], &size, &text].concat(),
        [&[1][..], &size, &lz4].concat(),
        [&[2][..], &5u32.to_le_bytes(), &zstd].concat(),
        [&[3][..], &size, &deflated].concat(),
    ]
}
