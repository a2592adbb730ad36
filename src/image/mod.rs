//! What Forebay knows about pictures.
//!
//! | module | what it does |
//! |---|---|
//! | [`probe`](mod@probe) | format, width and height from the first bytes, without decoding |

pub mod probe;

pub use probe::{Probe, format_of, probe};
