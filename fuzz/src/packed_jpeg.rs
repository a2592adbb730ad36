//! The first bytes say what follows: a packed picture, tables, a picture's header and what is packed behind it, or a JPEG.

use std::sync::Arc;

use forebay::{
    Limits,
    codec::packed::{Packer, Tables, Unpacker},
    image::decode::{Decoder, Options},
};

use super::{jpeg_made::picture, limits};

pub(crate) fn body(data: &[u8]) {
    let Some((head, bytes)) = data.split_first_chunk::<3>() else { return };
    let size = usize::from(u16::from_le_bytes([head[1], head[2]])) * 4;
    let tables = Tables::standard().expect("the library's own");
    match head[0] % 4 {
        0 => {
            let mut unpacker = Unpacker::default();
            if let Ok(jpeg) = unpacker.restore(bytes, size, &tables) {
                assert_eq!(jpeg.len(), size);
            }
            let _ = unpacker.coefficients(bytes, size, &tables, [usize::from(head[1] % 4), usize::from(head[2] % 4)]);
        }
        1 => {
            if let Ok(read) = Tables::read(bytes) {
                assert_eq!(read.bytes(), bytes);
            }
        }
        2 => pixels(bytes, size, &tables),
        _ => same(bytes, &tables),
    }
}

/// Pixels of what may be packed coefficients.
fn pixels(bytes: &[u8], size: usize, tables: &Arc<Tables>) {
    let Ok(half) = tables.half(bytes, size as u64) else { return };
    let mut decoder = Decoder::default();
    decoder.packed_with(Some(tables.clone()));
    let options = Options::default().with_limits(limits());
    let _ = decoder.decode(&half, None, &options.clone().with_at_least(1, 1));
    let _ = decoder.decode(&half, None, &options);
}

/// A JPEG comes back byte for byte, and its packed coefficients have its pixels.
fn same(jpeg: &[u8], tables: &Arc<Tables>) {
    let Ok(packed) = Packer::default().pack_anyway(jpeg, tables) else { return };
    assert_eq!(tables.restore(&packed, jpeg.len() as u64, &Limits::default()).expect("it was packed"), jpeg);
    let half = tables.half(&packed, jpeg.len() as u64).expect("it was packed");
    let (mut one, mut two) = (Decoder::default(), Decoder::default());
    two.packed_with(Some(tables.clone()));
    for least in [1, 9, 1 << 12] {
        let options = Options::default().with_limits(limits()).with_at_least(least, least);
        // What has bytes left over after its last code is refused as a JPEG alone.
        if let (Ok(a), Ok(b)) = (one.decode(jpeg, None, &options), two.decode(&half, None, &options)) {
            assert_eq!((a.width, a.height, a.eighths), (b.width, b.height, b.eighths));
            assert!(a.pixels == b.pixels);
        }
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let tables = Tables::standard().expect("the library's own");
    let mut seeds = vec![[&[1, 0, 0][..], tables.bytes()].concat()];
    for jpeg in (0..400).map(picture) {
        let Ok(packed) = Packer::default().pack_anyway(&jpeg, &tables) else { continue };
        let size = (jpeg.len().div_ceil(4) as u16).to_le_bytes();
        seeds.push([&[0, size[0], size[1]][..], &packed].concat());
        seeds.push([&[2, size[0], size[1]][..], &packed].concat());
        seeds.push([&[3, 0, 0][..], &jpeg].concat());
    }
    seeds
}
