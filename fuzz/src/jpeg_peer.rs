//! A JPEG whose pixels we make without a word is one of which the C library libjpeg-turbo says nothing either, and has the
//! same pixels; and one of which the library says nothing is refused for reasons of ours only.
//!
//! With the feature `libjpeg`, which needs the library.

use std::{ffi::c_uchar, slice};

use forebay::{
    error::Error,
    image::{
        codes,
        decode::{Decoder, Options},
    },
};

use super::jpeg_made::{Random, picture};

/// More would be slow, and finds nothing that fewer do not.
const PIXELS: u64 = 1 << 16;

/// What `tests/jpeg_made/reference.c` says.
#[repr(C)]
#[derive(Debug)]
struct Reference {
    fine: u32,
    damage: u32,
    labels: u32,
    message: u32,
    width: u32,
    height: u32,
    sum: u64,
}

unsafe extern "C" {
    fn reference_decode(bytes: *const c_uchar, length: usize, most: u64, pixels: *mut *mut c_uchar) -> Reference;
    fn free(pixels: *mut c_uchar);
}

pub(crate) fn body(data: &[u8]) {
    let mut limits = super::limits();
    limits.pixels = PIXELS;
    let options = Options::default().with_limits(limits);
    let mut decoder = Decoder::default();
    let ours = decoder.decode(data, None, &options).map(|p| (p.width, p.height, p.pixels.to_vec()));
    if !data.starts_with(&[0xff, 0xd8]) {
        return;
    }
    let mut made = std::ptr::null_mut();
    // SAFETY: the bytes are as many as is said, and the pixels come back allocated or null.
    let said = unsafe { reference_decode(data.as_ptr(), data.len(), PIXELS, &raw mut made) };
    let theirs = match made.is_null() {
        true => Vec::new(),
        // SAFETY: it gives width × height × 3 bytes.
        false => unsafe { slice::from_raw_parts(made, said.width as usize * said.height as usize * 3) }.to_vec(),
    };
    // SAFETY: it was allocated by malloc, or is null, and nothing of it is kept.
    unsafe { free(made) };
    match ours {
        Ok((width, height, pixels)) => {
            assert!(said.fine == 1 && said.damage == 0, "read, and the library says {said:?}");
            assert_eq!((width, height), (said.width, said.height));
            assert!(pixels == theirs, "other pixels than the library's");
        }
        Err(e) => {
            assert!(said.fine == 0 || said.damage > 0 || own_reason(&e), "refused, and the library reads it: {e}")
        }
    }
    // Damaged ones have an answer too.
    drop(decoder.decode(data, None, &options.with_damaged(true)));
}

/// Refused by us alone: fewer bytes left over than the library has looked ahead, components that no scan has, first
/// coefficients beyond 16 bits, more scans or pixels than anyone writes.
fn own_reason(e: &Error) -> bool {
    let why = ["left over", "lacks a component", "pixels are damaged", "pixels end early", "more than", "are over"];
    e.code() != &codes::UNSUPPORTED && why.iter().any(|why| e.message().contains(why))
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let mut random = Random::new(1);
    (0..300).map(|_| picture(random.next())).filter(|bytes| bytes.len() < 4096).collect()
}
