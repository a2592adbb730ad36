//! Any bytes have an answer, and a longer piece of the same payload never changes a size once known.

use forebay::image::probe;

pub(crate) fn body(data: &[u8]) {
    let whole = probe(data);
    assert_eq!(whole.width == 0, whole.height == 0);
    for cut in [data.len() / 2, data.len().saturating_sub(1), data.len().min(40)] {
        let part = probe(&data[..cut]);
        assert!(part.width == 0 || part == whole, "{part:?} at {cut}, {whole:?} in all");
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let jpeg = [
        &[0xff, 0xd8, 0xff, 0xe0, 0, 16][..],
        b"JFIF\0\x01\x01\0\0\x01\0\x01\0\0",
        &[0xff, 0xc0, 0, 17, 8, 1, 0x77, 1, 0xf4, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1],
    ]
    .concat();
    let png =
        [&b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR"[..], &[0, 0, 1, 0xf4, 0, 0, 1, 0x77, 8, 2, 0, 0, 0, 1, 2, 3, 4]].concat();
    let webp = [&b"RIFF\x40\0\0\0WEBPVP8X\x0a\0\0\0"[..], &[0x10, 0, 0, 0, 0xf3, 1, 0, 0x76, 1, 0], &[0; 30]].concat();
    let bmp =
        [&b"BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0"[..], &[2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 24, 0], &[0; 40]].concat();
    let tiff = [
        &b"II\x2a\0\x08\0\0\0\x02\0"[..],
        &[0, 1, 3, 0, 1, 0, 0, 0, 9, 0, 0, 0, 1, 1, 3, 0, 1, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0],
    ]
    .concat();
    vec![jpeg, png, webp, bmp, tiff]
}
