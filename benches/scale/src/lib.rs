//! What reading from an object store costs 1 to 10,000 workers: a simulation by events, the same on every run.
//!
//! What is asked for, and when, is not modelled: it comes from the code that the loader reads ahead by. The store, the
//! network and the hosts are models, with the numbers of `parameters.json`.
//!
//! | module | what it holds |
//! |---|---|
//! | [`parameters`] | what store, network and hosts are like |
//! | [`job`] | who reads what, and how |
//! | [`run`](mod@run) | a job from its beginning to its end |
//! | `sim`, `reading` | event by event: training and deaths; fetches and requests |
//! | [`worker`] | one reader: what it fetches, waits for and gives |
//! | [`fetches`] | what is on its way |
//! | [`store`], [`link`] | the store, and a host's network |
//! | [`outcome`] | what came of it |

#![forbid(unsafe_code)]
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a benchmark is a host: files and clocks are its own"
)]

pub mod fetches;
pub mod job;
pub mod link;
pub mod outcome;
pub mod parameters;
mod reading;
pub mod run;
mod sim;
#[cfg(test)]
mod small;
pub mod store;
pub mod worker;
