//! Tensors of samples that are named by number, for loaders of others that choose them.

use std::sync::{Mutex, PoisonError};

use forebay::{
    Error, Result,
    error::codes::ARGUMENT,
    image::{
        decode::{Decoder, Options as DecodeOptions},
        transform::Transformer,
    },
    sample::MediaFormat,
};
use forebay_native::loader::Dtype;
use pyo3::prelude::*;
use serde::Deserialize;

use crate::{
    dataset::Dataset,
    errors::Raise,
    memory::{Memory, Values},
    options::{parse, word},
    recipe::Image,
};

/// What shall become of pictures.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    image: Image,
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

    /// One tensor of these samples; the keys decide what is random about each.
    fn make(&self, py: Python<'_>, dataset: &Dataset, numbers: Vec<u64>, keys: Vec<u64>) -> PyResult<Memory> {
        py.detach(|| self.tensor(dataset, &numbers, &keys)).raise(py)
    }
}

impl Pictures {
    fn tensor(&self, dataset: &Dataset, numbers: &[u64], keys: &[u64]) -> Result<Memory> {
        let each = self.shape.iter().product::<usize>();
        let all = each
            .checked_mul(numbers.len())
            .filter(|&n| n <= MOST_VALUES)
            .ok_or_else(|| Error::new(&ARGUMENT, "so many pictures of this size are more than any memory holds"))?;
        let mut values = Values::zeros(self.dtype, all)?;
        let mut tools = self.tools.lock().unwrap_or_else(PoisonError::into_inner);
        let (decoder, transformer) = &mut *tools;
        let dataset = dataset.opened();
        let options = DecodeOptions::default().with_limits(dataset.limits().clone());
        for (k, (&i, &key)) in numbers.iter().zip(keys).enumerate() {
            let out = values.part(k * each..(k + 1) * each);
            let made = || {
                let (info, payload) = (dataset.info(i)?, dataset.payload(i)?);
                let raw = (info.format == MediaFormat::RawU8).then_some((info.width, info.height));
                let needs = transformer.needs(&payload, raw, &options, key);
                let decoded = transformer.decode_as(&needs, decoder, &payload, key)?;
                transformer.finish(&decoded, key, out)
            };
            made().map_err(|e| e.sample(i).file(dataset.name()))?;
        }
        let [a, b, c] = self.shape;
        Ok(Memory::values(values, vec![numbers.len(), a, b, c]))
    }
}

/// A tensor of more numbers than this is a mistake.
const MOST_VALUES: usize = 1 << 31;
