//! IDV against real files, hostile bytes, its own writer and ML.NET itself.
#![allow(clippy::disallowed_methods, missing_docs)]

mod as_json;
mod faults;
mod generate;
mod ml_net;
mod requests;
mod round_trip;
mod twins;

use crate::common;
