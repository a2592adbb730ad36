//! Pictures through the core's public interface: probed, decoded, made into tensors.

mod augment;
mod decode;
mod image_probe;
mod jpeg;
mod jpeg_scans;
mod jpeg_structures;
mod mix;
mod together;
mod transform;
