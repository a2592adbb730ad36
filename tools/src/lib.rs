//! Tools of the project: pictures drawn by code, the datasets made of them, and a store to read them from.
//!
//! | module | what it holds |
//! |---|---|
//! | [`picture`] | a labeled picture from a number |
//! | [`encode`] | its bytes as JPEG, PNG, WebP or BMP |
//! | [`dataset`] | many of them as a WebDataset tar, the same bytes on every run |
//! | [`store`] | a store of objects on loopback, slow as a far one |

#![forbid(unsafe_code)]
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tools are hosts: files and threads are theirs"
)]

pub mod dataset;
pub mod encode;
pub mod picture;
pub mod store;
