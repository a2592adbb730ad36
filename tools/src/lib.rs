//! Tools of the project: pictures drawn by code, and the datasets made of them.
//!
//! | module | what it holds |
//! |---|---|
//! | [`picture`] | a labeled picture from a number |
//! | [`encode`] | its bytes as JPEG, PNG, WebP or BMP |
//! | [`dataset`] | many of them as a WebDataset tar, the same bytes on every run |

#![forbid(unsafe_code)]
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tools are hosts: files and threads are theirs"
)]

pub mod dataset;
pub mod encode;
pub mod picture;
