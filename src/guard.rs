//! Panics over what a file claims are damage of that file, and no reason to stop the process: here they are caught, those of
//! decoders and of the crates that read Parquet and Arrow. A module of WebAssembly ends with a panic all the same, and its host
//! says what this would.

use std::{
    any::Any,
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind},
};

use crate::error::{Code, Error, Result};

thread_local! {
    static GUARDED: Cell<Option<&'static Code>> = const { Cell::new(None) };
}

/// True if a panic of this thread becomes an error. A panic hook that asks may keep quiet.
pub fn panics_are_errors() -> bool {
    GUARDED.get().is_some()
}

/// Does work that may panic over what a file claims, which then is an error of this code.
pub fn guarded<T>(code: &'static Code, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let before = GUARDED.replace(Some(code));
    let outcome = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(before);
    outcome.unwrap_or_else(|panic| Err(gave_up(code, &*panic)))
}

/// What such a panic is, while it is one.
pub fn error_of(panic: &(dyn Any + Send)) -> Option<Error> {
    GUARDED.get().map(|code| gave_up(code, panic))
}

fn gave_up(code: &'static Code, panic: &(dyn Any + Send)) -> Error {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let words = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
    Error::new(code, format!("the reader gave up: {words}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::panic)]
    fn a_panic_is_an_error_of_the_code_and_leaves_the_thread_as_it_was() {
        let code = &crate::error::codes::NOTE;
        let e = guarded(code, || {
            assert!(panics_are_errors());
            // One in the other.
            assert!(guarded(code, || -> Result<()> { panic!("{} within", 7) }).is_err() && panics_are_errors());
            Err::<(), _>(Error::new(code, "as usual"))
        });
        assert_eq!(e.unwrap_err().message(), "as usual");
        let e = guarded(code, || -> Result<()> { panic!("over {}", 7) }).unwrap_err();
        assert!(e.code() == code && e.message().ends_with("over 7") && !panics_are_errors(), "{e}");
    }
}
