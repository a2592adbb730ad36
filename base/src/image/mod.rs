//! The format, size and orientation of images, without decoding them.

mod exif;
mod probe;

#[doc(hidden)]
pub use exif::exif_turn;
pub use probe::{HEAD_BYTES, Probe, format_of, probe, probe_named};
#[doc(hidden)]
pub use probe::{ORIENTATION, jpeg_in_scans, tiff_claims, tiff_value};
