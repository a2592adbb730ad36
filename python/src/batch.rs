//! A finished batch.

use std::sync::Arc;

use forebay_native::loader;
use pyo3::prelude::*;

use crate::{
    errors::{Raise, object},
    memory::{Memory, Tensor},
};

/// Samples, ready for training. Its memory goes back to the loader when it and all that was made of it is gone.
#[pyclass(frozen, module = "forebay._forebay")]
#[derive(Debug)]
pub(crate) struct Batch {
    batch: Arc<loader::Batch>,
    tensor: Option<Tensor>,
    labelled: bool,
}

/// Position, number, error, and the number of the sample that stands in for it.
type Skipped<'py> = (u64, u64, Bound<'py, PyAny>, Option<u64>);

/// The part of the picture (x, y, width, height), the output's part (the same), the picture's full size, and whether it
/// was mirrored and flipped.
type Placement = ((f64, f64, f64, f64), (u32, u32, u32, u32), (u32, u32), bool, bool);

impl Batch {
    pub(crate) fn new(mut batch: loader::Batch) -> Self {
        let tensor = Tensor::of(&mut batch);
        let labelled = batch.labels().len() == batch.len() && !batch.is_empty();
        Batch { batch: Arc::new(batch), tensor, labelled }
    }
}

#[pymethods]
impl Batch {
    fn __len__(&self) -> usize {
        self.batch.len()
    }
    /// Epoch and step.
    fn position(&self) -> (u64, u64) {
        (self.batch.epoch(), self.batch.step())
    }
    /// The numbers; nothing where the loader gives payloads.
    fn images(&self) -> Option<Memory> {
        self.tensor.as_ref().map(|tensor| tensor.memory(&self.batch))
    }
    /// The labels; nothing where none were asked for.
    fn labels(&self) -> Option<Memory> {
        self.labelled.then(|| Memory::labels(self.batch.labels().to_vec()))
    }
    /// Each sample's number among all samples of all sources.
    fn indices(&self) -> Memory {
        Memory::numbers(self.batch.indices().to_vec())
    }
    /// Each sample's source, number there, position in the epoch, and whether it only fills the tail.
    fn items(&self) -> Vec<(usize, u64, u64, bool)> {
        self.batch.items().iter().map(|item| (item.source, item.sample, item.position, item.padded)).collect()
    }
    fn payloads(&self) -> Vec<Memory> {
        self.batch.payloads().iter().cloned().map(Memory::bytes).collect()
    }
    fn skipped<'py>(&self, py: Python<'py>) -> PyResult<Vec<Skipped<'py>>> {
        let one = |s: &loader::Skipped| Ok((s.position, s.index, object(py, &s.error)?, s.replaced_by));
        self.batch.skipped().iter().map(one).collect()
    }
    fn names(&self, py: Python<'_>) -> PyResult<Vec<Option<String>>> {
        py.detach(|| self.batch.names()).raise(py)
    }
    /// The samples' metadata, each as JSON text.
    fn metadata(&self, py: Python<'_>) -> PyResult<Vec<Option<String>>> {
        let found = py.detach(|| self.batch.metadata()).raise(py)?;
        Ok(found.into_iter().map(|value| value.map(|value| value.to_string())).collect())
    }
    fn placements(&self) -> Vec<Placement> {
        let one = |p: &loader::Placement| {
            let s = p.source;
            let full = (p.full_width, p.full_height);
            ((s.x, s.y, s.width, s.height), (p.x, p.y, p.width, p.height), full, p.mirrored, p.flipped)
        };
        self.batch.placements().iter().map(one).collect()
    }
}
