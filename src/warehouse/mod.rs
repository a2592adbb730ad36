//! Tensor warehouses: pictures decoded and resized once, in shards of tensors with boxes and masks, and a manifest.
//!
//! [`Manifest::parse`] reads the manifest; an [`Opener`], told how long the shards are, reads their headers; a
//! [`Warehouse`] answers where the tensors of a sample lie; [`Checker`] finds every fault; [`ShardWriter`] writes. The
//! bytes are described in `docs/warehouse.md`.
//!
//! A warehouse is several files. To the core they are one: the manifest, and behind it every shard in the manifest's
//! order. So opening and checking ask for ranges of one file, as everywhere.
//!
//! ```
//! use forebay::{Limits, step::drive, warehouse::{self, Dtype, Manifest, ResizeMode, Shape, ShardWriter, Transform}};
//! // A shard of one sample, black, with a box.
//! let shape = Shape::new(4, 4, 2, Dtype::F32);
//! let mut writer = ShardWriter::new(shape, 1)?;
//! let image = writer.image_bytes(&[0; 48])?;
//! writer.add(&image, &[[0.25, 0.25, 0.5, 0.75]], None)?;
//! let done = writer.finish()?;
//! let shard = [&done.header[..], &image, &done.tail].concat();
//!
//! let transform = Transform::new(Some([4, 4]), ResizeMode::Letterbox, 2);
//! let recipe = warehouse::version::Recipe {
//!     dataset_root: "captures".into(), transform: transform.clone(), skip_empty: false, code_version: "1.0.0".into(),
//! };
//! let version = warehouse::version::key(&recipe, &[("dtype", "F32".into())]);
//! let mut manifest = Manifest::new("captures", transform, version, Dtype::F32);
//! manifest.shards.push(done.entry(0));
//! let manifest = manifest.to_bytes()?;
//!
//! // Opened again.
//! let read = Manifest::parse(&manifest, &Limits::default())?;
//! let file = [&manifest[..], &shard].concat().into();
//! let opener = warehouse::Opener::new(read, manifest.len() as u64, &[Some(shard.len() as u64)]);
//! let opened = drive(opener, &file)?;
//! let [boxes, mask] = opened.box_ranges(0)?.map(|r| file.slice(r.start as usize..r.end as usize));
//! assert_eq!(opened.boxes(0, &boxes, &mask)?, [[0.25, 0.25, 0.5, 0.75]]);
//! assert!(drive(warehouse::Checker::new(&opened), &file)?.ok);
//! # Ok::<(), forebay::Error>(())
//! ```
//!
//! | file | what it holds |
//! |---|---|
//! | `raw.rs` | a shard's header, and where its blocks are |
//! | `element.rs` | elements as numbers |
//! | `manifest.rs`, `version.rs` | the manifest; the key of its version |
//! | `metadata.rs`, `checksums.rs` | the two blocks that are extensions |
//! | `open.rs`, `file.rs` | opening; where the tensors of a sample lie |
//! | `write.rs` | where everything goes |
//! | `check.rs`, `pass.rs`, `codes.rs` | every fault |
//! | `proof.rs` | what is read beside its checksums |
//! | `transform.rs`, `placement.rs` | pictures and boxes made to fit |
//! | `picture.rs` | images as pictures again |
//! | `validation.rs` | what became of every frame |
//! | `statistics.rs`, `survey.rs` | what is in a warehouse, counted |
//! | `drift.rs`, `drift_svg.rs` | how far two are apart, and a picture of it |

mod check;
mod checksums;
pub mod codes;
#[doc(hidden)]
pub mod drift;
mod drift_svg;
mod element;
mod file;
mod manifest;
mod metadata;
mod open;
mod pass;
mod picture;
mod placement;
mod proof;
mod raw;
mod statistics;
mod survey;
#[cfg(feature = "transform")]
mod transform;
mod validation;
pub mod version;
mod write;

pub use check::Checker;
pub use checksums::{Checksums, Digest};
pub use element::{from_f32, from_pixels, is_native, to_f32};
pub use file::{Shard, Warehouse};
pub use manifest::{Counts, MANIFEST_NAME, Manifest, ShardEntry, Summary, Thresholds};
pub use metadata::SampleRecord;
pub use open::Opener;
pub use picture::without_bars;
pub use placement::{Chosen, Placement, choose};
pub use raw::{Blocks, Dtype, Endianness, HEADER_LEN, MAGIC, Shape, ShardHeader};
#[doc(hidden)]
pub use statistics::{Histogram, Named, Pixels, Statistics};
#[doc(hidden)]
pub use survey::Surveyor;
#[cfg(feature = "transform")]
pub use transform::Resizer;
pub use validation::{BoxCounts, Cause, RunTally, THRESHOLDS, set_threshold, summary};
pub use version::{ResizeMode, Transform};
pub use write::{FinishedShard, ShardWriter};

/// The SHA-256 of bytes that are in memory, as 64 hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    let mut digest = Digest::default();
    digest.add(bytes);
    digest.finish()
}
