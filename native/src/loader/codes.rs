//! The codes of the loader.

use forebay::error::{Code, Kind};

/// Settings that do not fit together.
pub const SETTINGS: Code =
    Code::usage("loader.settings", "The loader's settings do not fit together; the message says which.");
/// A setting without effect.
pub const IDLE: Code = Code::usage(
    "loader.idle",
    "A setting of the loader would change nothing, because of what the samples are or become; the message names it.",
);
/// A stopped loader was asked for a batch.
pub const STOPPED: Code = Code::usage("loader.stopped", "A stopped loader was asked for a batch.");
/// A sample without a weight.
pub const WEIGHT: Code = Code::damaged(
    "loader.weight",
    "A sample's weight is missing or is not a number of at least 0, and broken samples are errors.",
);
/// A sample without a label.
pub const LABEL: Code =
    Code::damaged("loader.label", "A sample's label is missing, or is neither a whole number nor a known class.");
/// A target that no sample has.
pub const TARGET: Code =
    Code::usage("loader.target", "No sample has the target that the loader was asked for; the message names it.");
/// A sample without a target.
pub const TARGET_MISSING: Code = Code::damaged("loader.target_missing", "A sample lacks a target.");
/// A target of another kind.
pub const TARGET_VALUE: Code = Code::damaged(
    "loader.target_value",
    "A sample's value for a target has another kind or length, or is not one of its classes.",
);
/// Frames without usable labels.
pub const ANNOTATION: Code =
    Code::damaged("loader.annotation", "Frames have no usable labels, and broken samples are errors.");
/// A worker panicked.
pub const PANIC: Code = Code::new(
    "loader.panic",
    Kind::Io,
    "A worker panicked over a sample; this is a bug, of Forebay or of the function that it was given.",
);
/// Every code of this module.
pub const ALL: &[&Code] =
    &[&SETTINGS, &IDLE, &STOPPED, &WEIGHT, &LABEL, &TARGET, &TARGET_MISSING, &TARGET_VALUE, &ANNOTATION, &PANIC];
