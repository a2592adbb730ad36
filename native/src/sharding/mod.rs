//! Many datasets become many shards, of which each is a pure function of the inputs, the settings and its number.
//!
//! A [`Plan`] is made once, is small, and travels as JSON. Whoever has it makes any shard of it, on any machine that sees
//! the inputs, in any order, and everybody makes the same bytes. So a set of shards is as many pieces of work as it has
//! shards, none of which needs to hear of another; what was made is found again and skipped.
//!
//! ```no_run
//! use forebay_native::sharding::{MakeOptions, Plan, Settings};
//! let plan = Plan::of(&["a.tar".into(), "b.tar".into()], Settings::new(64).with_shuffle(42))?;
//! let shards = plan.open()?;
//! let made = shards.make(3, "ready".as_ref(), &MakeOptions::default())?;
//! println!("{} samples in {}", made.samples, made.output);
//! # Ok::<(), forebay::Error>(())
//! ```
//!
//! | file | what it holds |
//! |---|---|
//! | `settings.rs` | what decides the bytes, and what does not |
//! | `plan.rs` | which samples each shard has |
//! | `open.rs` | the inputs of a plan, opened when they are needed |
//! | `make.rs` | one shard, made or found |
//! | `record.rs` | what says of a shard which plan made it, and that it is whole |
//! | `all.rs`, `report.rs` | several shards side by side, and what came of them |
//! | `split.rs` | shards that appear together |

mod all;
mod make;
mod open;
mod plan;
mod record;
mod report;
mod settings;
mod split;

pub use open::Shards;
pub use plan::{Plan, PlannedInput};
pub use report::{Made, Report};
pub use settings::{MakeOptions, Settings};
pub use split::split;

use std::{io, path::Path};

use forebay::Result;

use crate::input::{display, io_error, remote};

/// Makes a folder, if it is not there; a store has none that were to be made.
pub(crate) fn make_folder(folder: &Path) -> Result<()> {
    if remote::is_remote(folder) {
        return remote::refuse_writing(folder);
    }
    match crate::output::make_folder(folder) {
        Err(e) if e.kind() != io::ErrorKind::AlreadyExists => Err(io_error(&display(folder), "make the folder", e)),
        _ => Ok(()),
    }
}

/// The codes of shards.
#[doc(hidden)]
pub mod codes {
    use forebay::error::Code;
    /// An input is another one.
    pub const CHANGED: Code =
        Code::io("shards.changed", "An input is not what it was when the plan of the shards was made.");
    /// Somebody else's file.
    pub const FOREIGN: Code = Code::usage(
        "shards.foreign",
        "A file has the name of a shard, and this plan did not make it: another plan did, or something else.",
    );
    /// No plan.
    pub const PLAN: Code = Code::usage("shards.plan", "A plan of shards does not read, or is invalid.");
    /// Every code of this module.
    pub const ALL: &[&Code] = &[&CHANGED, &FOREIGN, &PLAN];
}
