//! What one sample is, whichever container it comes from. The engine that opens, selects, checks and converts samples is
//! [`samples`](crate::samples).
//!
//! | file | what it holds |
//! |---|---|
//! | `classes.rs` | folders as classes |
//! | `model.rs` | media formats; what an index says about a sample |
//! | `plan.rs` | a planned read of one payload |
//! | `frame.rs` | payloads that are cut out of what is read |
//! | `member.rs` | those of a ZIP, with a header of their own in front |
//! | `record.rs` | name and sidecars as one JSON object, and back |
//! | `holds.rs` | whether values hold what a JSON text says |
//! | `stats.rs` | counts, sizes, shapes and classes of many |

mod classes;
#[cfg(any(feature = "zip", feature = "doors"))]
mod frame;
#[doc(hidden)]
pub mod holds;
#[cfg(feature = "zip")]
mod member;
mod model;
mod plan;
#[doc(hidden)]
pub mod record;
#[doc(hidden)]
pub mod stats;

#[doc(hidden)]
pub use classes::{ClassLevel, classes_document};
#[cfg(feature = "doors")]
#[doc(hidden)]
pub use frame::Cut;
#[cfg(any(feature = "zip", feature = "doors"))]
pub(crate) use frame::Frame;
#[cfg(feature = "zip")]
pub(crate) use member::{FrameCodes, Member};
pub use model::{MediaFormat, SampleInfo};
pub use plan::{Proof, SamplePlan};
