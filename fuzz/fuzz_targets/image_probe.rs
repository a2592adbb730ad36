#![no_main]
//! Any bytes have an answer, and a longer piece of the same payload never changes a size once known.

use forebay::image::probe;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let whole = probe(data);
    assert_eq!(whole.width == 0, whole.height == 0);
    for cut in [data.len() / 2, data.len().saturating_sub(1), data.len().min(40)] {
        let part = probe(&data[..cut]);
        assert!(part.width == 0 || part == whole, "{part:?} at {cut}, {whole:?} in all");
    }
});
