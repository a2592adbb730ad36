//! Tensors of samples that are named by number, for loaders of others that choose them.

use std::sync::{Mutex, PoisonError};

use forebay::{
    Error, Result,
    error::codes::ARGUMENT,
    image::{
        decode::{Decoder, Options as DecodeOptions},
        transform::{Out, Transformer, f16},
    },
    sample::MediaFormat,
};
use forebay_native::loader::{Dtype, ImageSettings};
use numpy::{Element, PyReadwriteArray1};
use pyo3::prelude::*;
use serde::Deserialize;

use crate::{
    dataset::Dataset,
    errors::Raise,
    options::{parse, word},
};

/// What shall become of pictures.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    image: ImageSettings,
    dtype: String,
}

/// A decoder and what comes behind it, for one thread at a time: a process of torch's has one.
#[pyclass(frozen, module = "forebay._forebay")]
#[derive(Debug)]
pub(crate) struct Pictures {
    tools: Mutex<(Decoder, Transformer)>,
    dtype: Dtype,
    shape: [usize; 3],
}

#[pymethods]
impl Pictures {
    #[new]
    fn new(py: Python<'_>, options: &str) -> PyResult<Pictures> {
        let made = || {
            let wanted: Wanted = parse(options)?;
            let (recipe, dtype) = (wanted.image.alone()?, word::<Dtype>("dtype", &wanted.dtype)?);
            let shape = recipe.layout.shape(recipe.width as usize, recipe.height as usize);
            let tools = Mutex::new((Decoder::default(), Transformer::new(recipe)?));
            Ok(Pictures { tools, dtype, shape })
        };
        made().raise(py)
    }

    /// The shape of each tensor.
    #[getter]
    fn shape(&self) -> [usize; 3] {
        self.shape
    }

    /// Writes the tensors of these samples into an array of one dimension, which has room for them and nothing else; the keys
    /// decide what is random about each.
    fn fill(
        &self,
        py: Python<'_>,
        dataset: &Dataset,
        numbers: Vec<u64>,
        keys: Vec<u64>,
        array: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        match self.dtype {
            Dtype::U8 => filled::<u8>(py, array, |all| self.write(dataset, &numbers, &keys, all, |part| Out::U8(part))),
            Dtype::F16 => {
                filled::<f16>(py, array, |all| self.write(dataset, &numbers, &keys, all, |part| Out::F16(part)))
            }
            Dtype::F32 => {
                filled::<f32>(py, array, |all| self.write(dataset, &numbers, &keys, all, |part| Out::F32(part)))
            }
            other => Err(Error::new(&ARGUMENT, format!("this package does not know {other:?}"))).raise(py),
        }
    }
}

impl Pictures {
    fn write<T>(
        &self,
        dataset: &Dataset,
        numbers: &[u64],
        keys: &[u64],
        all: &mut [T],
        part_of: impl Fn(&mut [T]) -> Out<'_>,
    ) -> Result<()> {
        let each = self.shape.iter().product::<usize>();
        if each == 0 || each.checked_mul(numbers.len()) != Some(all.len()) || keys.len() != numbers.len() {
            return Err(Error::new(&ARGUMENT, "the array has not as many numbers as these images"));
        }
        let mut tools = self.tools.lock().unwrap_or_else(PoisonError::into_inner);
        let (decoder, transformer) = &mut *tools;
        let dataset = dataset.opened();
        let options = DecodeOptions::default().with_limits(dataset.limits().clone());
        for ((&i, &key), part) in numbers.iter().zip(keys).zip(all.chunks_exact_mut(each)) {
            let out = part_of(part);
            let made = || {
                let (info, payload) = (dataset.info(i)?, dataset.payload(i)?);
                let raw = (info.format == MediaFormat::RawU8).then_some((info.width, info.height));
                let needs = transformer.needs(&payload, raw, &options, key);
                let decoded = transformer.decode_as(&needs, decoder, &payload, key)?;
                transformer.finish(&decoded, key, out)
            };
            made().map_err(|e| e.sample(i).file(dataset.name()))?;
        }
        Ok(())
    }
}

/// Writes the numbers of an array, which nobody else may see meanwhile, without Python's lock.
fn filled<T: Element + Send>(
    py: Python<'_>,
    array: &Bound<'_, PyAny>,
    write: impl FnOnce(&mut [T]) -> Result<()> + Send,
) -> PyResult<()> {
    let mut array = array.extract::<PyReadwriteArray1<'_, T>>()?;
    let all = array.as_slice_mut()?;
    py.detach(|| write(all)).raise(py)
}
