//! The extension module of the Python package `forebay`: the libraries, handed to Python.
//!
//! What is here is what Python cannot do itself: memory that it borrows, work without its lock, errors that become its
//! exceptions. Options cross as one JSON text, whose fields `options.rs` names; reports cross as JSON too. The classes
//! that a user meets are written in Python, in `forebay/`, and stand on these.
//!
//! | file | what it holds |
//! |---|---|
//! | `memory.rs` | memory that NumPy borrows |
//! | `errors.rs` | errors as exceptions |
//! | `wait.rs` | work that takes long: without Python's lock, with progress, ended by Ctrl-C |
//! | `dataset.rs` | a dataset of samples |
//! | `table.rs` | a table, as rows and as Arrow's batches |
//! | `writer.rs` | a TBL that is written sample by sample |
//! | `convert.rs`, `check.rs` | converting and checking, samples and tables |
//! | `loader.rs`, `batch.rs`, `recipe.rs` | the loader, its batches, what becomes of pictures |
//! | `pictures.rs` | tensors of samples that others choose |

#![forbid(unsafe_code)]
// The clock and threads that the core must not touch are a host's work.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]
#![deny(clippy::print_stdout, clippy::print_stderr)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo, clippy::unimplemented)]

mod batch;
mod check;
mod convert;
mod dataset;
mod errors;
mod loader;
mod memory;
mod options;
mod pictures;
mod recipe;
mod table;
mod wait;
mod writer;

/// What the package's Python stands on. Nothing here is for users.
#[pyo3::pymodule]
mod _forebay {
    use pyo3::{prelude::*, types::PyModule};

    #[pymodule_export]
    use super::{
        batch::Batch,
        dataset::Dataset,
        loader::{Epoch, Loader},
        memory::Memory,
        pictures::Pictures,
        table::{Rows, Table},
        writer::TblWriter,
    };

    #[pymodule_export]
    use super::{check::check, convert::convert, options::is_table};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
