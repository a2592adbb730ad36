//! A finished batch.

use std::sync::{Arc, Mutex, PoisonError};

use forebay_native::loader;
use pyo3::{call::PyCallArgs, exceptions::PyAttributeError, prelude::*, sync::PyOnceLock, types::PyDict};

use crate::{
    errors::{Raise, object},
    memory::{Memory, Tensor, array, buffer},
};

/// Samples, ready for training.
///
/// ``images`` is the memory that the loader filled, not a copy: it is the loader's to use again once the batch and every
/// array and tensor made of it is gone, so keep batches only as long as they are needed. Keeping them longer is safe, also
/// after the loader is gone. Everything is made when it is first asked for. ``images`` and ``labels`` may be set, to hand
/// on what became of them.
#[pyclass(frozen, module = "forebay")]
#[derive(Debug)]
pub(crate) struct Batch {
    batch: Arc<loader::Batch>,
    tensor: Option<Tensor>,
    labeled: bool,
    images: Once,
    labels: Once,
}

/// What is made when it is first asked for, and may be set.
#[derive(Debug, Default)]
struct Once(Mutex<Option<Py<PyAny>>>);

impl Once {
    /// What is there, or else what `make` makes. The lock is not held meanwhile: making an array runs Python.
    fn get(&self, py: Python<'_>, make: impl FnOnce() -> PyResult<Py<PyAny>>) -> PyResult<Py<PyAny>> {
        let known = self.known(py);
        if let Some(known) = known {
            return Ok(known);
        }
        let made = make()?;
        let mut place = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(place.get_or_insert(made).clone_ref(py))
    }
    fn known(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|known| known.clone_ref(py))
    }
    fn set(&self, value: Py<PyAny>) {
        let before = self.0.lock().unwrap_or_else(PoisonError::into_inner).replace(value);
        // Behind the lock: what dies may run Python.
        drop(before);
    }
}

/// What becomes of each picture's geometry, as Python's `Placement` takes it: the part of the picture (x, y, width,
/// height), the output's part (the same), the picture's full size, and whether it was mirrored and flipped.
type Placement = ((f64, f64, f64, f64), (u32, u32, u32, u32), (u32, u32), bool, bool);

impl Batch {
    pub(crate) fn new(mut batch: loader::Batch) -> Self {
        let tensor = Tensor::of(&mut batch);
        let labeled = batch.labels().len() == batch.len() && !batch.is_empty();
        Batch { batch: Arc::new(batch), tensor, labeled, images: Once::default(), labels: Once::default() }
    }

    pub(crate) fn epoch_of(&self) -> u64 {
        self.batch.epoch()
    }

    /// `images, labels`.
    pub(crate) fn pair<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok((self.images(py)?, self.labels(py)?).into_pyobject(py)?.into_any())
    }

    /// The package's own class of this name, made from each of these.
    fn listed<'py, T: PyCallArgs<'py>>(
        py: Python<'py>,
        name: &str,
        all: impl Iterator<Item = PyResult<T>>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
        let module = MODULE.get_or_try_init(py, || Ok::<_, PyErr>(py.import("forebay._batch")?.unbind()))?;
        let class = module.bind(py).getattr(name)?;
        all.map(|one| class.call1(one?)).collect()
    }
}

#[pymethods]
impl Batch {
    fn __len__(&self) -> usize {
        self.batch.len()
    }
    /// The epoch that it belongs to.
    #[getter]
    fn epoch(&self) -> u64 {
        self.batch.epoch()
    }
    /// Which step of its epoch it is.
    #[getter]
    fn step(&self) -> u64 {
        self.batch.step()
    }

    /// The numbers: n x 3 x height x width, or n x height x width x 3.
    #[getter]
    pub(crate) fn images(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.images.get(py, || match &self.tensor {
            Some(tensor) => array(py, tensor.memory(&self.batch)),
            None => Err(PyAttributeError::new_err("this loader gives payloads and no images: give it a size")),
        })
    }
    #[setter]
    fn set_images(&self, value: Py<PyAny>) {
        self.images.set(value);
    }

    /// The labels; empty where none were asked for.
    #[getter]
    pub(crate) fn labels(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.labels.get(py, || {
            let labels = if self.labeled { self.batch.labels().to_vec() } else { Vec::new() };
            array(py, Memory::labels(labels))
        })
    }
    #[setter]
    fn set_labels(&self, value: Py<PyAny>) {
        self.labels.set(value);
    }

    /// Each sample's number among all samples of all files.
    #[getter]
    fn indices(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        array(py, Memory::numbers(self.batch.indices().to_vec()))
    }
    /// Where each sample comes from, and which only fill the tail.
    #[getter]
    fn items<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let items = self.batch.items().iter();
        Self::listed(py, "Item", items.map(|item| Ok((item.source, item.sample, item.position, item.padded))))
    }
    /// The payloads, where the loader has no size: read-only buffers.
    #[getter]
    fn payloads(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        self.batch.payloads().iter().map(|bytes| buffer(py, bytes.clone())).collect()
    }
    /// The payloads as text, where the loader has no size.
    #[getter]
    fn texts(&self, py: Python<'_>) -> PyResult<Vec<&str>> {
        let items = self.batch.items().iter();
        let texts = self.batch.payloads().iter().zip(items);
        texts.map(|(bytes, item)| std::str::from_utf8(bytes).map_err(|e| not_text(e, item.sample)).raise(py)).collect()
    }
    /// Samples that could not be read, where the loader was told to skip or replace them.
    #[getter]
    fn skipped<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let one = |s: &loader::Skipped| Ok((s.position, s.index, object(py, &s.error)?, s.replaced_by));
        Self::listed(py, "Skipped", self.batch.skipped().iter().map(one))
    }
    /// What became of each picture's geometry.
    #[getter]
    fn placements<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let one = |p: &loader::Placement| -> PyResult<Placement> {
            let (s, full) = (p.source, (p.full_width, p.full_height));
            Ok(((s.x, s.y, s.width, s.height), (p.x, p.y, p.width, p.height), full, p.mirrored, p.flipped))
        };
        Self::listed(py, "Placement", self.batch.placements().iter().map(one))
    }
    /// The samples' names: read when this is asked.
    #[getter]
    fn names(&self, py: Python<'_>) -> PyResult<Vec<Option<String>>> {
        py.detach(|| self.batch.names()).raise(py)
    }
    /// The samples' metadata: read when this is asked.
    #[getter]
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Vec<Option<Bound<'py, PyAny>>>> {
        static LOADS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let loads = LOADS.get_or_try_init(py, || Ok::<_, PyErr>(py.import("json")?.getattr("loads")?.unbind()))?;
        let texts = py.detach(|| -> forebay::Result<Vec<Option<String>>> {
            Ok(self.batch.metadata()?.into_iter().map(|value| value.map(|value| value.to_string())).collect())
        });
        texts.raise(py)?.into_iter().map(|text| text.map(|text| loads.bind(py).call1((text,))).transpose()).collect()
    }

    /// ``images, labels = batch``.
    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.pair(py)?.try_iter()?.into_any())
    }
    #[pyo3(signature = (**options))]
    fn __dlpack__<'py>(&self, py: Python<'py>, options: Option<&Bound<'py, PyDict>>) -> PyResult<Bound<'py, PyAny>> {
        self.images(py)?.bind(py).call_method("__dlpack__", (), options)
    }
    fn __dlpack_device__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.images(py)?.bind(py).call_method0("__dlpack_device__")
    }
    fn __repr__(&self) -> String {
        let (epoch, step, n) = (self.batch.epoch(), self.batch.step(), self.batch.len());
        let what = match self.tensor {
            Some(_) => format!("{:?}, {:?}", self.batch.shape(), self.batch.dtype()).to_lowercase(),
            None => "payloads".into(),
        };
        format!("<forebay.Batch {epoch}:{step}, {n} samples, {what}>")
    }
}

fn not_text(e: std::str::Utf8Error, sample: u64) -> forebay::Error {
    let message = format!("this payload is not UTF-8 text: {e}");
    forebay::Error::caused(&forebay::error::codes::ARGUMENT, message, e).sample(sample)
}
