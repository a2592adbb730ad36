//! A finished batch.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use forebay::order::Item;
use forebay_native::loader;
use pyo3::{
    PyTraverseError, PyVisit, call::PyCallArgs, exceptions::PyAttributeError, prelude::*, sync::PyOnceLock,
    types::PyDict,
};

use crate::{
    errors::{Raise, object},
    memory::{Memory, Part, Tensor, Values, array, buffer},
};

/// What an iteration gives.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Gives {
    Batches,
    /// `images, labels`.
    Pairs,
    Images,
    /// A dictionary of these and boxes.
    Named,
    /// A dictionary of these and targets.
    Targets,
}

impl Gives {
    pub(crate) fn of(name: &str) -> Gives {
        match name {
            "batches" => Gives::Batches,
            "pairs" => Gives::Pairs,
            "named" => Gives::Named,
            "targets" => Gives::Targets,
            _ => Gives::Images,
        }
    }
}

/// Samples, ready for training.
///
/// ``images`` is the memory that the loader filled, not a copy: it is the loader's to use again once the batch and every
/// array and tensor made of it is gone, so keep batches only as long as they are needed. Keeping them longer is safe, also
/// after the loader is gone. Everything is made when it is first asked for. ``images`` and ``labels`` may be set, to hand
/// on what became of them.
#[pyclass(frozen, module = "forebay")]
#[derive(Debug)]
pub(crate) struct Batch {
    held: Mutex<Held>,
    epoch: u64,
    step: u64,
    len: usize,
    images: Once,
    labels: Once,
}

/// A batch, and how far its numbers are.
#[derive(Debug)]
enum Held {
    /// Samples that lie in shards: nobody asked for their tensor yet.
    Lent(Box<loader::Batch>),
    /// With the address of its numbers, which are Python's from then on. There is none where it has payloads.
    Whole(Arc<loader::Batch>, Option<Tensor>, Arc<[Part]>),
    /// Never seen: what is there while one becomes the other.
    Gone,
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
    /// Shows Python's garbage collector what is held. Whoever has the lock holds it too, so it is no garbage then.
    fn show(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.0.try_lock().map_or(Ok(()), |held| held.as_ref().map_or(Ok(()), |held| visit.call(held)))
    }
    fn forget(&self) {
        let before = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(before);
    }
}

impl Held {
    fn whole(mut batch: loader::Batch) -> Held {
        let (tensor, parts) = (Tensor::of(&mut batch), Part::all(&mut batch));
        Held::Whole(Arc::new(batch), tensor, parts.into())
    }
}

/// What becomes of each picture's geometry, as Python's `Placement` takes it: the part of the picture (x, y, width,
/// height), the output's part (the same), the picture's full size, and whether it was mirrored and flipped.
type Placement = ((f64, f64, f64, f64), (u32, u32, u32, u32), (u32, u32), bool, bool, [[f64; 3]; 3]);

/// A batch with the address of its numbers, and those of its targets.
type Whole = (Arc<loader::Batch>, Option<Tensor>, Arc<[Part]>);

impl Batch {
    pub(crate) fn new(batch: loader::Batch) -> Self {
        let (epoch, step, len) = (batch.epoch(), batch.step(), batch.len());
        // Payloads of samples that have a shape are a warehouse's.
        let lent = !batch.payloads().is_empty() && batch.shape().len() > 1;
        let held = if lent { Held::Lent(Box::new(batch)) } else { Held::whole(batch) };
        Batch { held: Mutex::new(held), epoch, step, len, images: Once::default(), labels: Once::default() }
    }

    pub(crate) fn epoch_of(&self) -> u64 {
        self.epoch
    }

    /// What stands for the batch.
    pub(crate) fn given<'py>(&self, py: Python<'py>, gives: Gives) -> PyResult<Bound<'py, PyAny>> {
        match gives {
            Gives::Pairs => self.pair(py),
            Gives::Named => self.named(py),
            Gives::Targets => self.with_targets(py),
            Gives::Batches | Gives::Images => Ok(self.images(py)?.into_bound(py)),
        }
    }

    /// `images, labels`.
    fn pair<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok((self.images(py)?, self.labels(py)?).into_pyobject(py)?.into_any())
    }

    /// All that a detector is trained with, by name.
    fn named<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let all = PyDict::new(py);
        all.set_item("images", self.images(py)?)?;
        let places = self.look(|batch| batch.places());
        all.set_item("boxes", self.boxes_at(py, places)?)?;
        all.set_item("mask", self.mask_at(py, places)?)?;
        all.set_item("box_classes", self.box_classes_at(py, places)?)?;
        all.set_item("frame_ids", self.frame_ids(py)?)?;
        self.more(py, &all)?;
        Ok(all.into_any())
    }

    /// Images, or else payloads, and the targets, by name.
    fn with_targets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let all = PyDict::new(py);
        match self.images.known(py).is_some() || self.look(|batch| batch.shape().len() > 1) {
            true => all.set_item("images", self.images(py)?)?,
            false => all.set_item("payloads", self.payloads(py)?)?,
        }
        self.more(py, &all)?;
        Ok(all.into_any())
    }

    /// Labels, where there are any, sizes, where pictures are padded, and targets.
    fn more(&self, py: Python<'_>, all: &Bound<'_, PyDict>) -> PyResult<()> {
        if self.labels.known(py).is_some() || self.look(|batch| !batch.labels().is_empty()) {
            all.set_item("labels", self.labels(py)?)?;
        }
        if self.look(|batch| !batch.sizes().is_empty()) {
            all.set_item("sizes", self.sizes(py)?)?;
            all.set_item("pixel_mask", self.pixel_mask(py)?)?;
        }
        all.update(self.targets(py)?.as_mapping())
    }

    fn boxes_at(&self, py: Python<'_>, places: usize) -> PyResult<Py<PyAny>> {
        array(py, Memory::values(Values::F32(self.look(|batch| batch.boxes().to_vec())), vec![self.len, places, 4]))
    }
    fn mask_at(&self, py: Python<'_>, places: usize) -> PyResult<Py<PyAny>> {
        array(py, Memory::values(Values::F32(self.look(|batch| batch.mask().to_vec())), vec![self.len, places]))
    }
    fn box_classes_at(&self, py: Python<'_>, places: usize) -> PyResult<Py<PyAny>> {
        array(py, Memory::labels(self.look(|batch| batch.box_classes().to_vec()), Some(places)))
    }
    /// How many places for boxes there are, if there are any.
    fn places(&self) -> PyResult<usize> {
        match self.look(|batch| batch.places()) {
            0 => Err(PyAttributeError::new_err(
                "this loader gives no boxes: give it annotations, or a warehouse with boxes",
            )),
            places => Ok(places),
        }
    }

    /// Takes something out of the batch. Python is not called meanwhile, which could wait for a thread that waits here.
    fn look<T>(&self, look: impl FnOnce(&loader::Batch) -> T) -> T
    where
        T: Default,
    {
        match &*self.lock() {
            Held::Lent(batch) => look(batch),
            Held::Whole(batch, ..) => look(batch),
            Held::Gone => T::default(),
        }
    }

    /// The batch with its tensor, where that is there: Python's lock need not be given away for it.
    fn ready(&self) -> Option<Whole> {
        match &*self.held.try_lock().ok()? {
            Held::Whole(batch, tensor, parts) => Some((batch.clone(), tensor.clone(), parts.clone())),
            _ => None,
        }
    }

    /// The batch with its tensor, made where it was not.
    fn whole(&self) -> Option<Whole> {
        let mut held = self.lock();
        if let Held::Lent(_) = *held
            && let Held::Lent(batch) = std::mem::replace(&mut *held, Held::Gone)
        {
            *held = Held::whole(*batch);
        }
        match &*held {
            Held::Whole(batch, tensor, parts) => Some((batch.clone(), tensor.clone(), parts.clone())),
            _ => None,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
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
    /// What was set may hold the batch itself.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.images.show(&visit)?;
        self.labels.show(&visit)
    }
    fn __clear__(&self) {
        self.images.forget();
        self.labels.forget();
    }
    fn __len__(&self) -> usize {
        self.len
    }
    /// The epoch that it belongs to.
    #[getter]
    fn epoch(&self) -> u64 {
        self.epoch
    }
    /// Which step of its epoch it is.
    #[getter]
    fn step(&self) -> u64 {
        self.step
    }

    /// The numbers: n x 3 x height x width, or n x height x width x 3. Of a warehouse that is mapped or in memory the tensor
    /// is made when it is first asked for.
    #[getter]
    pub(crate) fn images(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let whole = || match self.ready() {
            Some(whole) => Some(whole),
            None => py.detach(|| self.whole()),
        };
        self.images.get(py, || match whole() {
            Some((batch, Some(tensor), _)) => array(py, tensor.memory(&batch)),
            _ => Err(PyAttributeError::new_err("this loader gives payloads and no images: give it a size")),
        })
    }
    #[setter]
    fn set_images(&self, value: Py<PyAny>) {
        self.images.set(value);
    }
    /// Each sample's numbers by themselves. Of a warehouse that is mapped or in memory, and holds what was asked for, they
    /// are read-only and lie where they lie in the shard; otherwise they are the parts of ``images``.
    #[getter]
    fn views(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        let lent = match &*self.lock() {
            Held::Lent(batch) => (0..batch.len()).map(|k| Memory::view(batch, k)).collect::<Option<Vec<_>>>(),
            _ => None,
        };
        match lent {
            Some(views) => views.into_iter().map(|view| array(py, view)).collect(),
            None => self.images(py)?.bind(py).try_iter()?.map(|one| Ok(one?.unbind())).collect(),
        }
    }

    /// The labels; empty where none were asked for.
    #[getter]
    pub(crate) fn labels(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.labels.get(py, || array(py, Memory::labels(self.look(|batch| batch.labels().to_vec()), None)))
    }
    #[setter]
    fn set_labels(&self, value: Py<PyAny>) {
        self.labels.set(value);
    }
    /// The targets by their names: arrays of the memory that the loader filled, and, with these behind the name, ``_mask``,
    /// ``_classes`` and ``_offsets``.
    #[getter]
    fn targets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        if let Some((batch, _, parts)) = py.detach(|| self.whole()) {
            for part in parts.iter() {
                all.set_item(&part.name, array(py, part.memory(&batch))?)?;
            }
        }
        Ok(all)
    }

    /// The boxes, where the loader was given ``annotations`` or a warehouse: n x places x 4: left, top, right and bottom from
    /// 0 to 1 of the picture; 0 where there is none.
    #[getter]
    fn boxes(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.boxes_at(py, self.places()?)
    }
    /// Where there is a box, n x places: 1, or 0 where there is none.
    #[getter]
    fn mask(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.mask_at(py, self.places()?)
    }
    /// The classes of the boxes, n x places: numbers of the loader's ``box_classes``; -1 where there is none.
    #[getter]
    fn box_classes(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.box_classes_at(py, self.places()?)
    }
    /// The samples' frames, as their labels count them; their ``indices`` where nobody knows frames.
    #[getter]
    fn frame_ids(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        array(py, Memory::numbers(self.look(|batch| batch.frame_ids().to_vec())))
    }

    /// Width and height of each picture in the upper left of its place, n x 2, where pictures are padded; empty otherwise.
    #[getter]
    fn sizes(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let sizes = self.look(|batch| batch.sizes().iter().flat_map(|(w, h)| [i64::from(*w), i64::from(*h)]).collect());
        array(py, Memory::labels(sizes, Some(2)))
    }
    /// Where pictures are padded, 1 for each pixel of a picture and 0 around it, n x height x width; empty otherwise.
    #[getter]
    fn pixel_mask(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let mask = || {
            self.look(|batch| {
                let mut mask = Vec::new();
                let shape = batch.pixel_mask(&mut mask);
                (mask, shape)
            })
        };
        let (mask, shape) = py.detach(mask);
        array(py, Memory::values(Values::U8(mask), shape.to_vec()))
    }

    /// Each sample's number among all samples of all files.
    #[getter]
    fn indices(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        array(py, Memory::numbers(self.look(|batch| batch.indices().to_vec())))
    }
    /// Where each sample comes from, and which only fill the tail.
    #[getter]
    fn items<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let items = self.look(|batch| batch.items().to_vec());
        Self::listed(py, "Item", items.iter().map(|item| Ok((item.source, item.sample, item.position, item.padded))))
    }
    /// The payloads, where the loader has no size: read-only buffers.
    #[getter]
    fn payloads(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        self.look(|batch| batch.payloads().to_vec()).into_iter().map(|bytes| buffer(py, bytes)).collect()
    }
    /// The payloads as text, where the loader has no size.
    #[getter]
    fn texts(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let texts = self.look(|batch| {
            let text = |(bytes, item): (&Bytes, &Item)| match std::str::from_utf8(bytes) {
                Ok(text) => Ok(text.to_owned()),
                Err(e) => Err(not_text(e, item.sample)),
            };
            Some(batch.payloads().iter().zip(batch.items()).map(text).collect::<forebay::Result<Vec<_>>>())
        });
        texts.transpose().raise(py).map(Option::unwrap_or_default)
    }
    /// Samples that could not be read, where the loader was told to skip or replace them.
    #[getter]
    fn skipped<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let held = match &*self.lock() {
            Held::Whole(batch, ..) => Some(batch.clone()),
            // What lies in shards was proven when they were opened.
            _ => None,
        };
        let one = |s: &loader::Skipped| Ok((s.position, s.index, object(py, &s.error)?, s.replaced_by));
        Self::listed(py, "Skipped", held.iter().flat_map(|batch| batch.skipped()).map(one))
    }
    /// What became of each picture's geometry.
    #[getter]
    fn placements<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        Self::listed(py, "Placement", self.look(|batch| batch.placements().to_vec()).iter().map(|p| Ok(placement(p))))
    }
    /// The pictures on each sample's tensor, its own first, where a mosaic or a mixture was asked for: lists of ``Piece``.
    #[getter]
    fn pieces<'py>(&self, py: Python<'py>) -> PyResult<Vec<Vec<Bound<'py, PyAny>>>> {
        let all = self.look(|batch| (0..batch.len()).map(|k| batch.pieces(k).to_vec()).collect::<Vec<_>>());
        let of_sample = |pieces: Vec<loader::Piece>| {
            let placed = Self::listed(py, "Placement", pieces.iter().map(|piece| Ok(placement(&piece.placement))))?;
            let one = |(piece, placed): (&loader::Piece, Bound<'py, PyAny>)| {
                let cut = piece.cut().map(|(cut, inside)| ((cut.left, cut.top, cut.right, cut.bottom), inside));
                Ok((piece.item.index, piece.label, piece.share, placed, cut))
            };
            Self::listed(py, "Piece", pieces.iter().zip(placed).map(one))
        };
        all.into_iter().map(of_sample).collect()
    }
    /// The labels as shares of so many classes, n x classes: those of all pictures on a sample's tensor, which are 1 together.
    fn soft_labels(&self, py: Python<'_>, classes: usize) -> PyResult<Py<PyAny>> {
        let rows = self.look(|batch| Some((batch.soft_labels(classes), batch.labels().len())));
        let (rows, len) = rows.unwrap_or((Ok(Vec::new()), 0));
        array(py, Memory::values(Values::F32(rows.raise(py)?), vec![len, classes]))
    }
    /// The samples' names: read when this is asked.
    #[getter]
    fn names(&self, py: Python<'_>) -> PyResult<Vec<Option<String>>> {
        py.detach(|| self.look(|batch| Some(batch.names())).transpose()).raise(py).map(Option::unwrap_or_default)
    }
    /// The samples' metadata: read when this is asked.
    #[getter]
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Vec<Option<Bound<'py, PyAny>>>> {
        static LOADS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let loads = LOADS.get_or_try_init(py, || Ok::<_, PyErr>(py.import("json")?.getattr("loads")?.unbind()))?;
        let found = py.detach(|| self.look(|batch| Some(batch.metadata())).transpose());
        let texts = found.raise(py)?.unwrap_or_default().into_iter().map(|value| value.map(|value| value.to_string()));
        texts.map(|text| text.map(|text| loads.bind(py).call1((text,))).transpose()).collect()
    }

    fn _gives<'py>(&self, py: Python<'py>, gives: &str) -> PyResult<Bound<'py, PyAny>> {
        self.given(py, Gives::of(gives))
    }
    /// ``images, labels = batch``, where there are labels.
    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if self.labels.known(py).is_none() && self.look(|batch| batch.labels().is_empty()) {
            let message =
                "this loader gives no labels, so a batch is not images and labels: give it labels, or take images";
            return Err(forebay::Error::new(&forebay::error::codes::ARGUMENT, message)).raise(py);
        }
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
        let (shape, dtype) = self.look(|batch| (batch.shape().to_vec(), Some(batch.dtype().name())));
        let what = match dtype {
            Some(dtype) if shape.len() > 1 => format!("{shape:?} {dtype}"),
            _ => "payloads".into(),
        };
        format!("<forebay.Batch {}:{}, {} samples, {what}>", self.epoch, self.step, self.len)
    }
}

fn placement(p: &loader::Placement) -> Placement {
    let s = p.source;
    (
        (s.x, s.y, s.width, s.height),
        (p.x, p.y, p.width, p.height),
        (p.full_width, p.full_height),
        p.mirrored,
        p.flipped,
        p.map().rows(),
    )
}

fn not_text(e: std::str::Utf8Error, sample: u64) -> forebay::Error {
    let message = format!("this payload is not UTF-8 text: {e}");
    forebay::Error::caused(&forebay::error::codes::ARGUMENT, message, e).sample(sample)
}
