//! Memory that NumPy borrows: the one door through which Rust's memory is seen from outside.
//!
//! A [`Memory`] owns bytes and says where they are. An array of it copies nothing and keeps the `Memory` alive as its base,
//! so that what the array points to lives as long as the array and every view of it. [`array`] makes one by NumPy's C
//! interface, which is the only `unsafe` here: a batch's arrays are made when the caches are cold, and going by
//! `numpy.asarray` and the attribute `__array_interface__`, which says the same to whoever asks, takes three times as long
//! then. Nothing here looks behind a pointer; what NumPy relies on is this:
//!
//! - The bytes do not move and are not freed while the `Memory` lives: it owns them behind one allocation, is immutable,
//!   and gives them to nobody.
//! - Shape and type never reach past them: they are held against the bytes that there are. Addresses are those of slices of
//!   the type, so they are aligned for it.
//! - Memory that others read (a mapped file, a payload) is marked as read-only. A batch's numbers may be written by the
//!   array alone: after their address is taken, no code of Rust reads or writes them until the last array is gone.

use std::{
    ffi::{c_int, c_void},
    ptr,
    sync::Arc,
};

use bytes::Bytes;
use forebay::image::transform::{Out, f16};
use forebay_native::loader::{self, TargetPart, Tensor as View};
use numpy::{
    PY_ARRAY_API, PyArrayDescr, PyArrayDescrMethods, dtype,
    npyffi::{
        NpyTypes,
        flags::{NPY_ARRAY_CARRAY, NPY_ARRAY_CARRAY_RO},
        get_type_object, npy_intp,
    },
};
use pyo3::{
    exceptions::PyOverflowError,
    prelude::*,
    types::{PyDict, PyTuple},
};

/// What the numbers of an array are.
#[derive(Clone, Copy, Debug)]
enum Kind {
    U8,
    U64,
    I64,
    F16,
    F32,
}

impl Kind {
    /// NumPy's type.
    fn descr(self, py: Python<'_>) -> Bound<'_, PyArrayDescr> {
        match self {
            Kind::U8 => dtype::<u8>(py),
            Kind::U64 => dtype::<u64>(py),
            Kind::I64 => dtype::<i64>(py),
            Kind::F16 => dtype::<f16>(py),
            Kind::F32 => dtype::<f32>(py),
        }
    }

    /// NumPy's word for it; the order of bytes is this machine's.
    fn word(self) -> String {
        let order = if cfg!(target_endian = "big") { '>' } else { '<' };
        match self {
            Kind::U8 => "|u1".into(),
            Kind::U64 => format!("{order}u8"),
            Kind::I64 => format!("{order}i8"),
            Kind::F16 => format!("{order}f2"),
            Kind::F32 => format!("{order}f4"),
        }
    }
}

/// What keeps bytes alive. It is never looked at again.
#[derive(Debug)]
#[allow(dead_code)]
enum Owner {
    Bytes(Bytes),
    Pixels(Vec<u8>),
    Numbers(Vec<u64>),
    Labels(Vec<i64>),
    Values(Values),
    Batch(Arc<loader::Batch>),
}

/// A tensor of its own.
#[derive(Debug)]
pub(crate) enum Values {
    U8(Vec<u8>),
    F32(Vec<f32>),
}

/// Bytes with a shape, for `numpy.asarray`.
#[pyclass(frozen, module = "forebay._forebay")]
#[derive(Debug)]
pub(crate) struct Memory {
    #[allow(dead_code)]
    owner: Owner,
    address: usize,
    kind: Kind,
    shape: Vec<usize>,
    writable: bool,
}

impl Memory {
    /// Bytes that are only read.
    pub(crate) fn bytes(bytes: Bytes) -> Self {
        let shape = vec![bytes.len()];
        let address = bytes.as_ptr().expose_provenance();
        Memory { owner: Owner::Bytes(bytes), address, kind: Kind::U8, shape, writable: false }
    }

    /// A picture's pixels, which belong to whoever asked for them; `None` where the size is not theirs.
    pub(crate) fn pixels(mut pixels: Vec<u8>, width: u32, height: u32) -> Option<Self> {
        let shape = vec![height as usize, width as usize, 3];
        if shape.iter().try_fold(1_usize, |n, &side| n.checked_mul(side))? != pixels.len() {
            return None;
        }
        let address = pixels.as_mut_ptr().expose_provenance();
        Some(Memory { owner: Owner::Pixels(pixels), address, kind: Kind::U8, shape, writable: true })
    }

    /// Numbers of samples.
    pub(crate) fn numbers(mut numbers: Vec<u64>) -> Self {
        let (address, shape) = (numbers.as_mut_ptr().expose_provenance(), vec![numbers.len()]);
        Memory { owner: Owner::Numbers(numbers), address, kind: Kind::U64, shape, writable: true }
    }

    /// A tensor; an empty one where shape and numbers do not agree.
    pub(crate) fn values(mut values: Values, shape: Vec<usize>) -> Self {
        let (address, kind, numbers) = match &mut values {
            Values::U8(all) => (all.as_mut_ptr().expose_provenance(), Kind::U8, all.len()),
            Values::F32(all) => (all.as_mut_ptr().expose_provenance(), Kind::F32, all.len()),
        };
        let agrees = shape.iter().try_fold(1_usize, |n, &side| n.checked_mul(side)) == Some(numbers);
        let shape = if agrees { shape } else { vec![0] };
        Memory { owner: Owner::Values(values), address, kind, shape, writable: true }
    }

    /// The image of a sample that lies in a shard, where it may be seen as numbers of the batch's type.
    pub(crate) fn view(batch: &loader::Batch, k: usize) -> Option<Self> {
        let (owner, shape) = (batch.payloads().get(k)?.clone(), batch.shape().get(1..)?.to_vec());
        let (address, kind, numbers) = match batch.view(k)? {
            View::U8(seen) => (seen.as_ptr().expose_provenance(), Kind::U8, seen.len()),
            View::F16(seen) => (seen.as_ptr().expose_provenance(), Kind::F16, seen.len()),
            View::F32(seen) => (seen.as_ptr().expose_provenance(), Kind::F32, seen.len()),
            _ => return None,
        };
        let wanted = shape.iter().try_fold(1_usize, |n, &side| n.checked_mul(side))?;
        // Part of the payload, which is what stays.
        let within = address == owner.as_ptr().addr() && wanted == numbers;
        within.then_some(Memory { owner: Owner::Bytes(owner), address, kind, shape, writable: false })
    }

    /// Labels, one for each sample or so many.
    pub(crate) fn labels(mut labels: Vec<i64>, each: Option<usize>) -> Self {
        let address = labels.as_mut_ptr().expose_provenance();
        let shape = match each {
            Some(each) => vec![labels.len().checked_div(each).unwrap_or(0), each],
            None => vec![labels.len()],
        };
        Memory { owner: Owner::Labels(labels), address, kind: Kind::I64, shape, writable: true }
    }
}

/// Where a batch's numbers are, taken while it belongs to nobody else.
#[derive(Clone, Debug)]
pub(crate) struct Tensor {
    address: usize,
    kind: Kind,
    shape: Vec<usize>,
}

impl Tensor {
    /// The address of a batch's numbers; `None` where it has payloads instead, or shape and numbers do not agree.
    pub(crate) fn of(batch: &mut loader::Batch) -> Option<Self> {
        let shape = batch.shape().to_vec();
        let (address, kind, numbers) = match batch.images_mut() {
            Out::U8(out) => (out.as_mut_ptr().expose_provenance(), Kind::U8, out.len()),
            Out::F16(out) => (out.as_mut_ptr().expose_provenance(), Kind::F16, out.len()),
            Out::F32(out) => (out.as_mut_ptr().expose_provenance(), Kind::F32, out.len()),
            _ => return None,
        };
        let wanted = shape.iter().try_fold(1_usize, |n, &side| n.checked_mul(side))?;
        (shape.len() > 1 && wanted == numbers).then_some(Tensor { address, kind, shape })
    }

    /// The numbers, which keep their batch alive.
    pub(crate) fn memory(&self, batch: &Arc<loader::Batch>) -> Memory {
        let Tensor { address, kind, shape } = self.clone();
        Memory { owner: Owner::Batch(batch.clone()), address, kind, shape, writable: true }
    }
}

/// Where a part of a batch's targets is, taken while the batch belongs to nobody else.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) name: String,
    tensor: Tensor,
}

impl Part {
    /// Every part of every target, named by the target and what it is of it, as `boxes` and `boxes_mask`.
    pub(crate) fn all(batch: &mut loader::Batch) -> Vec<Part> {
        let mut all = Vec::new();
        batch.targets_mut(|target, part, shape, numbers| {
            let (address, kind, n) = match numbers {
                TargetPart::U8(all) => (all.as_mut_ptr().expose_provenance(), Kind::U8, all.len()),
                TargetPart::F16(all) => (all.as_mut_ptr().expose_provenance(), Kind::F16, all.len()),
                TargetPart::F32(all) => (all.as_mut_ptr().expose_provenance(), Kind::F32, all.len()),
                TargetPart::I64(all) => (all.as_mut_ptr().expose_provenance(), Kind::I64, all.len()),
            };
            let name = if part.is_empty() { target.to_owned() } else { format!("{target}_{part}") };
            if shape.iter().try_fold(1_usize, |n, &side| n.checked_mul(side)) == Some(n) {
                all.push(Part { name, tensor: Tensor { address, kind, shape } });
            }
        });
        all
    }

    /// The numbers, which keep their batch alive.
    pub(crate) fn memory(&self, batch: &Arc<loader::Batch>) -> Memory {
        self.tensor.memory(batch)
    }
}

/// An array of this memory, which it keeps alive.
pub(crate) fn array(py: Python<'_>, memory: Memory) -> PyResult<Py<PyAny>> {
    let large = |_| PyOverflowError::new_err("this shape is larger than NumPy's arrays can be");
    let side = |&side: &usize| npy_intp::try_from(side).map_err(large);
    let mut dims = memory.shape.iter().map(side).collect::<PyResult<Vec<_>>>()?;
    let count = c_int::try_from(dims.len()).map_err(large)?;
    let flags = if memory.writable { NPY_ARRAY_CARRAY } else { NPY_ARRAY_CARRAY_RO };
    let data = ptr::with_exposed_provenance_mut::<c_void>(memory.address);
    let descr = memory.kind.descr(py).into_dtype_ptr();
    let owner = Bound::new(py, memory)?;
    // SAFETY: `dims` are `count` numbers, and type and shape stay within the bytes at `data`, which is not null and aligned;
    // they live as long as `owner`, which becomes the array's base. NumPy takes `descr` and `owner`, also where it fails,
    // and gives an array that nobody else has, or null with an exception.
    #[allow(unsafe_code)]
    unsafe {
        let class = get_type_object(py, NpyTypes::PyArray_Type);
        let none = ptr::null_mut();
        let made = PY_ARRAY_API.PyArray_NewFromDescr(
            py,
            class,
            descr,
            count,
            dims.as_mut_ptr(),
            none,
            data,
            flags,
            ptr::null_mut(),
        );
        let made = Bound::from_owned_ptr_or_err(py, made)?;
        if PY_ARRAY_API.PyArray_SetBaseObject(py, made.as_ptr().cast(), owner.into_ptr()) != 0 {
            return Err(PyErr::fetch(py));
        }
        Ok(made.unbind())
    }
}

/// Bytes as a `memoryview` that is only read.
pub(crate) fn buffer(py: Python<'_>, bytes: Bytes) -> PyResult<Py<PyAny>> {
    array(py, Memory::bytes(bytes))?.getattr(py, "data")
}

#[pymethods]
impl Memory {
    /// NumPy's array interface, version 3.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let interface = PyDict::new(py);
        interface.set_item("version", 3)?;
        interface.set_item("typestr", self.kind.word())?;
        interface.set_item("shape", PyTuple::new(py, &self.shape)?)?;
        interface.set_item("data", (self.address, !self.writable))?;
        Ok(interface)
    }
}
