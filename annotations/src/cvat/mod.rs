//! CVAT's XML, for images and for video: corners in pixels, counted from 0, and turns clockwise about the center.
//!
//! A file is read picture by picture, so that its size does not matter. The frames of a video have no names; they are
//! called `frame_000000` and so on. Those in which nothing is are there too, if the file says which frames the video has.
//!
//! | file | what it holds |
//! |---|---|
//! | `read.rs` | a file, piece by piece |
//! | `shape.rs` | boxes, outlines, masks and points |
//! | `track.rs` | the boxes of a video, and those between key frames |
//! | `mask.rs` | masks, row by row here and column by column in the model |
//! | `write.rs` | a file for images |

mod mask;
mod read;
mod shape;
mod track;
mod write;

pub use read::{Reader, read};
pub(super) use write::Script;
pub use write::write;
