//! The codes of orders.

use crate::error::Code;

/// The settings do not fit together.
pub const SETTINGS: Code = Code::usage(
    "order.settings",
    "The batch, world, shuffle, weights, classes, draws or selection do not fit together; the message says which.",
);
/// A saved state is of another version.
pub const STATE_VERSION: Code =
    Code::usage("order.state_version", "A saved loader state is of a version that this one does not read.");
/// A file is not the one of the state.
pub const STATE_FILE: Code = Code::usage(
    "order.state_file",
    "A file has changed, or is another, since the loader state was saved; the message names it.",
);
/// The selection is not the one of the state.
pub const STATE_FILTER: Code = Code::usage(
    "order.state_filter",
    "The filter, or what it selects, is not the one the loader state was saved with.",
);
/// A setting is not the one of the state.
pub const STATE_SETTING: Code = Code::usage(
    "order.state_setting",
    "Seed, shuffle, tail, mix, draws, repeats or global batch (batch × world) is not the one the loader state was saved \
     with.",
);
/// The weights or classes are not those of the state.
pub const STATE_SAMPLING: Code = Code::usage(
    "order.state_sampling",
    "The weights or classes that samples are drawn by are not those the loader state was saved with.",
);
/// The position is beyond the epoch.
pub const STATE_POSITION: Code =
    Code::usage("order.state_position", "A saved loader state is beyond the end of its epoch.");
/// Every code of this module.
pub const ALL: &[&Code] =
    &[&SETTINGS, &STATE_VERSION, &STATE_FILE, &STATE_FILTER, &STATE_SETTING, &STATE_SAMPLING, &STATE_POSITION];
