//! Arrow's C interface, inward: a capsule that any program's object gave becomes a stream of batches that are compared with
//! what they claim.
//!
//! A capsule is a pointer, and whoever can make one is trusted with the process's memory, as any extension module is. What
//! is checked is everything that can be: the capsule's name, that nobody has taken its stream yet, and of every batch the
//! lengths, offsets, keys and texts, before any of them is looked at.

use std::{
    ffi::CStr,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use arrow_array::{
    RecordBatch, StructArray,
    ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi_and_data_type},
    ffi_stream::FFI_ArrowArrayStream,
};
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
use forebay::{
    Error, Result,
    error::codes::{self, ARGUMENT},
};
use forebay_native::tables::codes::{ARROW, ROUTE};
use pyo3::{exceptions::PyTypeError, prelude::*, types::PyCapsule};

mod nulls;

/// The stream of an object that has `__arrow_c_stream__`.
pub(crate) fn stream_of(object: &Bound<'_, PyAny>) -> PyResult<FFI_ArrowArrayStream> {
    let capsule = object.call_method0("__arrow_c_stream__")?;
    let wrong = |_| PyTypeError::new_err("__arrow_c_stream__ did not give a capsule");
    let capsule = capsule.cast_into::<PyCapsule>().map_err(wrong)?;
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    // SAFETY: a capsule of this name holds an `ArrowArrayStream`, which is what the interface defines; the pointer is not
    // null and is valid as long as the capsule lives, which is until the end of this function. What is behind it is moved
    // out, and left as a stream that was released, so that the capsule's own destructor does nothing to it.
    #[allow(unsafe_code)]
    Ok(unsafe { FFI_ArrowArrayStream::from_raw(pointer.cast().as_ptr()) })
}

/// A stream of batches.
pub(crate) struct Batches {
    stream: FFI_ArrowArrayStream,
    schema: SchemaRef,
}

impl Batches {
    /// Reads the columns.
    pub(crate) fn open(mut stream: FFI_ArrowArrayStream) -> Result<Batches> {
        guarded(|| {
            if stream.release().is_none() {
                return Err(Error::new(&ARROW, "the stream was released already"));
            }
            let get = stream.get_schema().ok_or_else(incomplete)?;
            let mut found = FFI_ArrowSchema::empty();
            // SAFETY: the producer's own function, with its own stream and a place for the schema, as the interface defines.
            #[allow(unsafe_code)]
            let code = unsafe { get(&mut stream, &mut found) };
            if code != 0 {
                return Err(failed(&mut stream, code));
            }
            let format = found.format().to_owned();
            if format != ROWS {
                let message =
                    format!("this is one column instead of rows (of Arrow's format {format:?}): give a table");
                return Err(Error::new(&ARGUMENT, message));
            }
            let schema = Arc::new(Schema::try_from(&found).map_err(|e| unread(&e))?);
            Ok(Batches { stream, schema })
        })
    }

    pub(crate) fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// The next batch, sound to the last byte.
    pub(crate) fn next(&mut self) -> Result<Option<RecordBatch>> {
        guarded(|| {
            let get = self.stream.get_next().ok_or_else(incomplete)?;
            let mut found = FFI_ArrowArray::empty();
            // SAFETY: as for the schema; what is written there is the next array, or one that was released at the end.
            #[allow(unsafe_code)]
            let code = unsafe { get(&mut self.stream, &mut found) };
            if code != 0 {
                return Err(failed(&mut self.stream, code));
            }
            if found.is_released() {
                return Ok(None);
            }
            let of = DataType::Struct(self.schema.fields().clone());
            nulls::without_buffers(&mut found, &of);
            // SAFETY: the array is the producer's, of the type that its schema says; that is what the interface promises, and
            // all that can be checked of it is checked below before anything of it is looked at.
            #[allow(unsafe_code)]
            let rows = unsafe { from_ffi_and_data_type(found, of) }.map_err(|e| refused(&e))?;
            if rows.nulls().is_some_and(|nulls| nulls.null_count() > 0) {
                let message =
                    "a row as a whole is missing, which no table holds: fill it, or give its fields as columns";
                return Err(Error::new(&ROUTE, message));
            }
            for (column, field) in rows.child_data().iter().zip(self.schema.fields()) {
                column.validate_full().map_err(|e| refused(&e).column(field.name()))?;
            }
            Ok(Some(RecordBatch::from(StructArray::from(rows))))
        })
    }
}

/// How a schema says that a stream has rows.
const ROWS: &str = "+s";

fn refused(e: &ArrowError) -> Error {
    Error::new(&ARROW, e.to_string())
}

/// A type that a newer or another program has.
fn unread(e: &ArrowError) -> Error {
    Error::new(&ROUTE, format!("a column is not read: {e}"))
}

fn incomplete() -> Error {
    Error::new(&ARROW, "the stream lacks a function of Arrow's C interface")
}

/// What the program that gives the rows says went wrong there.
fn failed(stream: &mut FFI_ArrowArrayStream, code: i32) -> Error {
    let said = stream.get_last_error().and_then(|get| {
        // SAFETY: the producer's own function with its own stream; the text is copied before anything else is asked of it.
        #[allow(unsafe_code)]
        unsafe {
            let text = get(stream);
            (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
        }
    });
    let said = said.filter(|said| !said.is_empty()).unwrap_or_else(|| format!("its error {code}, without a word"));
    Error::new(&codes::IO, format!("the object that gives the rows failed: {said}"))
}

/// What panics over a claim is damage.
fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(Error::new(&ARROW, "the stream contradicts Arrow's C interface")))
}
