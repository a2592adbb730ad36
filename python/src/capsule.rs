//! Arrow's C interface, inward: a capsule that any program's object gave becomes a stream of batches that are compared with
//! what they claim.
//!
//! A capsule is a pointer, and whoever can make one is trusted with the process's memory, as any extension module is. What
//! is checked is everything that can be: the capsule's name, that nobody has taken its stream yet, and of every batch the
//! lengths, offsets, keys and texts, before any of them is looked at.

use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::{
    Array, RecordBatch,
    ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader},
};
use arrow_schema::{ArrowError, SchemaRef};
use forebay::{Error, Result};
use forebay_native::tables::codes::ARROW;
use pyo3::{exceptions::PyTypeError, prelude::*, types::PyCapsule};

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
pub(crate) struct Batches(RecordBatchStreamReader);

impl Batches {
    /// Reads the columns.
    pub(crate) fn open(stream: FFI_ArrowArrayStream) -> Result<Batches> {
        guarded(|| RecordBatchStreamReader::try_new(stream).map(Batches).map_err(|e| refused(&e)))
    }

    pub(crate) fn schema(&self) -> SchemaRef {
        arrow_array::RecordBatchReader::schema(&self.0)
    }

    /// The next batch, sound to the last byte.
    pub(crate) fn next(&mut self) -> Result<Option<RecordBatch>> {
        guarded(|| {
            let Some(batch) = self.0.next().transpose().map_err(|e| refused(&e))? else { return Ok(None) };
            for (column, field) in batch.columns().iter().zip(batch.schema_ref().fields()) {
                let sound = column.to_data().validate_full();
                sound.map_err(|e| refused(&e).column(field.name()))?;
            }
            Ok(Some(batch))
        })
    }
}

fn refused(e: &ArrowError) -> Error {
    Error::new(&ARROW, e.to_string())
}

/// What panics over a claim is damage.
fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(Error::new(&ARROW, "the stream contradicts Arrow's C interface")))
}
