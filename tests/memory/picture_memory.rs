//! What small files that become large pictures, or large profiles, may take.
#![cfg(all(feature = "decode", not(target_arch = "wasm32")))]

use std::io::Write;

use flate2::{Compression, write::ZlibEncoder};
use forebay::{
    Limits,
    image::decode::{Decoder, Options},
};

use crate::{MEMORY, alone};

const MIB: usize = 1 << 20;

/// What decoding takes at most, besides the file.
fn peak(decoder: &mut Decoder, data: &[u8], options: &Options) -> (usize, Result<u32, String>) {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let result = decoder.decode(data, None, options).map(|p| p.width).map_err(|e| e.code().id().to_owned());
    (MEMORY.peak_usage() - before, result)
}

fn zlib(byte: u8, count: usize) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    for _ in 0..count / MIB {
        encoder.write_all(&vec![byte; MIB]).unwrap();
    }
    encoder.write_all(&vec![byte; count % MIB]).unwrap();
    encoder.finish().unwrap()
}

/// A PNG of zeros, of `channels` of `bits`, with chunks before its pixels.
fn png(width: u32, height: u32, (color, channels, bits): (u8, usize, u8), chunks: &[(&[u8; 4], Vec<u8>)]) -> Vec<u8> {
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut chunk = |kind: &[u8; 4], data: &[u8]| {
        png.extend((data.len() as u32).to_be_bytes());
        let body = [kind.as_slice(), data].concat();
        png.extend(&body);
        png.extend(crc32fast::hash(&body).to_be_bytes());
    };
    let size = [width.to_be_bytes(), height.to_be_bytes()].concat();
    chunk(b"IHDR", &[size, vec![bits, color, 0, 0, 0]].concat());
    for (kind, data) in chunks {
        chunk(kind, data);
    }
    let line = 1 + width as usize * channels * usize::from(bits) / 8;
    chunk(b"IDAT", &zlib(0, line * height as usize));
    chunk(b"IEND", b"");
    png
}

/// A TIFF of 64 × 64 whose profile is as long as the file.
fn tiff(profile: usize) -> Vec<u8> {
    let fields: [(u16, u16, u32, u32); 9] = [
        (256, 3, 1, 64),
        (257, 3, 1, 64),
        (258, 3, 1, 8),
        (259, 3, 1, 1),
        (262, 3, 1, 1),
        (273, 4, 1, 122),
        (277, 3, 1, 1),
        (279, 4, 1, 64 * 64),
        (34675, 7, profile as u32, 122 + 64 * 64),
    ];
    let mut tiff = b"II\x2a\0\x08\0\0\0\x09\0".to_vec();
    for (tag, kind, count, value) in fields {
        tiff.extend(tag.to_le_bytes().into_iter().chain(kind.to_le_bytes()));
        tiff.extend(count.to_le_bytes().into_iter().chain(value.to_le_bytes()));
    }
    tiff.extend([0; 4]);
    tiff.resize(122 + 64 * 64 + profile, 7);
    tiff
}

// One test: what others took meanwhile would count.
#[test]
fn a_picture_takes_what_its_pixels_take_whatever_else_its_file_says() {
    let _alone = alone();
    let options = Options::default().with_orient(true);
    let mut decoder = Decoder::default();
    // Profiles and texts that become a thousand times as much.
    let bomb = zlib(7, 96 * MIB);
    let named = |rest: &[&[u8]]| [&[b"x\0".as_slice()][..], rest].concat().concat();
    let parts: [(&[u8; 4], Vec<u8>); 3] =
        [(b"iCCP", named(&[&[0], &bomb])), (b"zTXt", named(&[&[0], &bomb])), (b"iTXt", named(&[&[1, 0, 0, 0], &bomb]))];
    for part in parts {
        let name = String::from_utf8_lossy(part.0).into_owned();
        let file = png(64, 64, (2, 3, 8), &[part]);
        let (peak, result) = peak(&mut decoder, &file, &options);
        assert_eq!(result, Ok(64), "{name}");
        assert!(peak < 16 * MIB, "{name}: {peak} bytes for a file of {}", file.len());
    }
    // What is stored of other formats is not copied more than once.
    let file = tiff(20 * MIB);
    let (took, result) = peak(&mut decoder, &file, &options);
    assert_eq!(result, Ok(64));
    assert!(took < 24 * MIB, "a TIFF's profile: {took} bytes");
    // Large pictures of few bytes: their pixels once, and what a decoder holds meanwhile.
    for (colors, times) in [((0, 1, 8), 3), ((2, 3, 8), 3), ((6, 4, 8), 4), ((6, 4, 16), 8)] {
        let file = png(2048, 2048, colors, &[]);
        let (took, result) = peak(&mut Decoder::default(), &file, &options);
        assert_eq!(result, Ok(2048), "{colors:?}");
        assert!(took < times * 4 * MIB + 2 * MIB, "{colors:?}: {took} bytes for {} × 4 MiB", times);
    }
    // Deep ones have fewer pixels.
    let file = png(512, 512, (6, 4, 16), &[]);
    let few = options.clone().with_limits(Limits::default().with_pixels(512 * 512));
    assert_eq!(peak(&mut decoder, &file, &few).1, Err("image.pixels".to_owned()));
    let file = png(512, 512, (6, 4, 8), &[]);
    assert_eq!(peak(&mut decoder, &file, &few).1, Ok(512));
    // 28 bytes that are 16,383 × 16,383 pixels of lossless WebP.
    let mut webp = b"RIFF\x14\0\0\0WEBPVP8L\x08\0\0\0\x2f".to_vec();
    webp.extend((0x3ffe_u32 | 0x3ffe << 14).to_le_bytes());
    webp.extend([0x88, 0x88, 0x08]);
    let (took, result) = peak(&mut decoder, &webp, &Options::default());
    assert_eq!(result, Err("image.pixels".to_owned()));
    assert!(took < MIB, "{took} bytes");
    // Room for a large picture is given back when small ones follow.
    let large = png(6000, 5000, (2, 3, 8), &[]);
    let small = png(64, 64, (2, 3, 8), &[]);
    let before = MEMORY.current_usage();
    let mut decoder = Decoder::default();
    assert!(decoder.decode(&large, None, &options).is_ok());
    assert!(MEMORY.current_usage() - before > 80 * MIB);
    assert!(decoder.decode(&small, None, &options).is_ok());
    assert!(MEMORY.current_usage() - before < 8 * MIB);
}
