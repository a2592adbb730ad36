//! The codes of building.

use forebay::error::Code;

/// Somebody else builds the same.
pub const BUSY: Code = Code::io("warehouse.busy", "Another process is building the same warehouse in the same folder.");
/// Nothing to store.
pub const NO_FRAMES: Code =
    Code::usage("warehouse.no_frames", "The sources have no frame, or none that can be stored.");
/// There is no build to take part in.
pub const NOT_BEGUN: Code = Code::usage(
    "warehouse.not_begun",
    "A part of a build was to be made, and no build of these sources and settings was begun in the folder.",
);
/// The sources are others by now.
pub const STALE: Code = Code::usage(
    "warehouse.stale",
    "A source was changed after the warehouse was built, and only one that is up to date was to be opened.",
);
/// Every code of this module.
pub const ALL: &[&Code] = &[&BUSY, &NO_FRAMES, &NOT_BEGUN, &STALE];
