//! Label Studio: tasks as JSON, in the long form and in the short one that it calls JSON-MIN.
//!
//! Places are percent of the picture as it is shown; a box is turned about its upper left corner, in pixels. Annotations
//! that were canceled and predictions of a model are not truth and are counted; a task without any other annotation was
//! not labeled, which is something else than a picture without objects.
//!
//! | file | what it holds |
//! |---|---|
//! | `brush.rs` | masks as the brush leaves them |
//! | `names.rs` | names of pictures from URLs |
//! | `read.rs` | tasks |
//! | `region.rs` | one region: a box, an outline, a mask or a key point |
//! | `write.rs` | labels as tasks |

mod brush;
mod names;
mod read;
mod region;
mod write;

pub use names::name_from_url;
pub use read::read;
pub(super) use write::Script;
pub use write::write;
