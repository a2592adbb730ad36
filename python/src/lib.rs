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
//! | `source.rs` | a file object of Python's, read by ranges |
//! | `table.rs` | a table, as rows and as Arrow's batches |
//! | `table_out.rs` | a table in memory, written as a file |
//! | `arrow_out.rs` | its batches, made ahead of whoever takes them |
//! | `capsule/`, `arrow_in.rs` | tables of other programs, by Arrow's C interface |
//! | `writer.rs` | a TBL that is written sample by sample |
//! | `convert.rs`, `check.rs` | converting and checking, samples and tables |
//! | `several.rs`, `extract.rs`, `plan.rs` | one dataset's shards, differences, files, and what a run gets |
//! | `curate.rs` | duplicates, outliers, splits |
//! | `thumbs.rs` | thumbnails in a file of their own |
//! | `edits.rs` | journals of edits |
//! | `shards.rs` | shards of many datasets, each on its own |
//! | `labels.rs`, `warehouse.rs` | label files, tensor warehouses |
//! | `loader.rs`, `batch.rs` | the loader, its batches |
//! | `rows.rs` | rows of tables as batches |
//! | `pictures.rs` | tensors of samples that others choose |
//! | `command.rs`, `page.rs` | the command; the viewer's page, unpacked |
//! | `large_pages.rs`, `kept.rs` | memory on large pages, kept when it is returned |

// Allowed where a capsule of Arrow's is opened, in `capsule/`, where an array is made, in `memory.rs`, where memory
// comes from, in `large_pages.rs` and `kept.rs`, and nowhere else.
#![deny(unsafe_code)]
// The clock and threads that the core must not touch are a host's work.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]
#![deny(clippy::print_stdout, clippy::print_stderr)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo, clippy::unimplemented)]

mod arrow_in;
mod arrow_out;
mod batch;
mod capsule;
mod check;
mod command;
mod convert;
mod curate;
mod dataset;
mod edits;
mod errors;
mod extract;
#[cfg(target_os = "linux")]
mod kept;
mod labels;
#[cfg(target_os = "linux")]
mod large_pages;
mod loader;
mod memory;
mod options;
mod page;
mod pictures;
mod plan;
mod rows;
mod several;
mod shards;
mod source;
mod table;
mod table_out;
mod thumbs;
mod wait;
mod warehouse;
mod writer;

#[cfg(target_os = "linux")]
#[global_allocator]
static MEMORY: large_pages::LargePages = large_pages::LargePages;

/// What the package's Python stands on. Nothing here is for users.
#[pyo3::pymodule]
mod _forebay {
    use pyo3::{prelude::*, types::PyModule};

    #[pymodule_export]
    use super::{
        arrow_in::Held,
        batch::Batch,
        dataset::Dataset,
        edits::Edits,
        labels::LabelSet,
        loader::{Epoch, Loader},
        memory::Memory,
        pictures::Pictures,
        rows::RowLoader,
        table::{Rows, Table},
        writer::TblWriter,
    };

    #[pymodule_export]
    use super::{
        check::check,
        command::{Server, command, give_page},
        convert::convert,
        curate::{divide, duplicates, outliers},
        edits::edits_apply,
        extract::extract,
        labels::{labels_check, labels_stats},
        options::is_table,
        page::unpacked,
        plan::plan,
        several::{diff, split},
        shards::{expand, shards_about, shards_make, shards_plan, shards_report},
        table_out::write_arrow,
        thumbs::thumbs,
        warehouse::{
            warehouse_begin, warehouse_build, warehouse_gc, warehouse_list, warehouse_manifest, warehouse_part,
        },
    };

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
