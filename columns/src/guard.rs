//! Other crates' panics about a file are damage, and no reason to stop the process.

use std::{
    any::Any,
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind},
};

use forebay::{Error, Result};

use crate::codes;

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// True if a panic of this thread becomes an error. A panic hook that asks may keep quiet.
pub fn panics_are_errors() -> bool {
    GUARDED.get()
}

/// Does work that may panic over what a file claims.
pub fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    let before = GUARDED.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(before);
    outcome.unwrap_or_else(|panic| Err(gave_up(&*panic)))
}

/// What such a panic is. A module of WebAssembly ends with a panic, and its host says this instead.
pub fn gave_up(panic: &(dyn Any + Send)) -> Error {
    Error::new(&codes::ARROW, format!("the reader gave up: {}", words(panic)))
}

fn words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given")
}
