//! Boxes, masks and classes of pictures: one model, and the label formats that are read into it and written from it.
//!
//! A box has its corners in continuous pixels of the stored raster, counted from 0 at the top left corner of the top
//! left pixel: a box around only the first pixel is `[0, 0, 1, 1]`. Every format counts differently; its reader says
//! how, and nothing above has to know.
//!
//! | file | what it holds |
//! |---|---|
//! | `geometry.rs` | rectangles, what turning and clipping does to them |
//! | `model.rs` | an annotation, a picture, labels |
//! | `classes.rs` | classes: dense numbers, names, the file's own numbers |
//! | `rle.rs` | masks as runs, also in COCO's text |
//! | `raster.rs`, `holes.rs` | outlines and masks as pixels; outlines that are holes of others |
//! | `notes.rs` | what was found while reading, what was lost while writing, counted by cause |
//! | `names.rs` | names of pictures that stay inside their folder |
//! | `listing.rs` | names of the files of a folder, and what other names mean among them |
//! | `matching.rs` | which image of labels a sample is, by its name |
//! | `field.rs` | where in metadata boxes are |
//! | `options.rs` | what a file cannot say by itself |
//! | `format.rs` | the formats, and which one a file has |
//! | `set.rs` | a file or a folder of labels, whatever its format |
//! | `told.rs` | what the pictures themselves say: sizes, and turns by EXIF |
//! | `stats.rs` | counts |
//! | `skeleton.rs` | label files without labels, for tools to begin with |
//! | `project.rs` | the classes of a project, which give labels their numbers |
//! | `script.rs`, `write.rs` | how a format is written; which formats are |
//! | `codes.rs`, `fault.rs` | what can be wrong, and where |
//! | `json/` | JSON whose values know where they lie |
//! | [`record`] | annotations in the metadata of samples |
//! | [`coco`] | a format, and so on |
//!
//! ```
//! use forebay_annotations::{Clip, Rect};
//! let beyond = Rect::new(80.0, 60.0, 104.25, 83.0);
//! assert_eq!(beyond.clipped(100.0, 80.0), Clip::Cut(Rect::new(80.0, 60.0, 100.0, 80.0)));
//! // What rounding adds is cut and not counted.
//! assert_eq!(Rect::new(0.0, 0.0, 100.0000001, 80.0).clipped(100.0, 80.0), Clip::Whole(Rect::new(0.0, 0.0, 100.0, 80.0)));
//! ```

#![forbid(unsafe_code)]
#![deny(missing_docs)]
// A file can never make this panic on purpose; tests may.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo, clippy::unimplemented)]

mod classes;
pub mod coco;
pub mod codes;
pub mod createml;
pub mod cvat;
pub mod datumaro;
pub mod dota;
mod fault;
mod field;
mod format;
mod geometry;
mod holes;
mod id;
mod json;
mod kept;
pub mod kitti;
pub mod labelme;
pub mod labelstudio;
mod listing;
mod matching;
mod merge;
mod model;
mod names;
mod notes;
pub mod open_images;
mod options;
mod plain;
mod project;
mod raster;
pub mod record;
pub mod recorder;
mod rle;
mod script;
mod set;
mod skeleton;
mod stats;
mod told;
pub mod via;
pub mod voc;
pub mod write;
mod xml;
pub mod yolo;

use forebay_base::{Error, Result, error, image, limits, path, sample, step, words};

pub use classes::{Class, Classes};
pub use fault::Spot;
pub use field::{BoxField, BoxLayout};
pub use format::{Format, HEAD_BYTES, detect};
pub use geometry::{Clip, Rect, Turn, corners_of};
pub use id::Id;
pub use listing::Listing;
pub use matching::Matcher;
#[doc(hidden)]
pub use matching::stem;
pub use model::{Annotation, Flags, Keypoint, Labels, Picture, Shape, Source};
pub use names::{base_name, checked_name};
pub use notes::{Cause, Loss, Losses, Notes};
pub use options::{Between, Exif, Names, Pick, ReadOptions, Task};
pub use project::{Project, absent};
#[doc(hidden)]
pub use raster::Raster;
pub use rle::Rle;
pub use set::{Set, SetReader};
pub use skeleton::{Skeleton, SkeletonWriter, Sketch};
pub use stats::{LabelStats, Tally};
pub use told::Seen;
