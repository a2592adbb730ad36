//! More pictures of a sample: other views of its own, and those of another dataset that go with it.

use std::{collections::HashMap, path::Path};

use bytes::{Bytes, BytesMut};
use forebay::{
    Error, Result,
    annotations::{Matcher, stem},
    image::{
        decode::{Decoder, Options as DecodeOptions},
        transform::{Layout, Out, Resampling, Transformer},
    },
    order::{Item, Order},
};

use super::Cell;
use crate::{
    Dataset, OpenOptions,
    dataset::Stored,
    input::display,
    loader::{Dtype, Image, codes, sources::Sources},
    parallel::budget::Budget,
};

/// What else is seen of a sample.
#[derive(Debug)]
pub(super) enum OtherImage {
    /// Its own picture another time, with draws of its own by this number.
    View(Box<Image>, u64),
    /// A picture of another dataset, with the same draws.
    Picture(Box<Image>, ByName),
    /// The same, of which the values are classes.
    LabelMap(Box<Image>, ByName),
}

/// The pictures of another dataset, by the names of samples.
#[derive(Debug)]
pub(super) struct ByName {
    dataset: Dataset,
    /// For each source and sample its picture.
    numbers: Vec<Vec<Option<u64>>>,
}

impl ByName {
    pub fn open(path: &Path, open: &OpenOptions, sources: &Sources) -> Result<ByName> {
        let dataset = Dataset::open_with(path, open)?;
        let (mut numbers, mut seen) = (Vec::new(), HashMap::new());
        for i in 0..dataset.len() {
            let Some(name) = dataset.sample_name(i)? else { continue };
            let stem = stem(&name);
            if let Some(before) = seen.insert(stem.to_owned(), i) {
                let message =
                    format!("the samples {before} and {i} have the name {stem:?}, and only one can go with another");
                return Err(Error::new(&codes::SETTINGS, message).file(display(path)));
            }
            numbers.push((stem.to_owned(), i));
        }
        let names = Matcher::of(numbers.iter().map(|(stem, _)| stem.as_str()));
        let find = |name: &str, of: &str| {
            let found = names.take(stem(name), &format!("{of}: {name}")).map_err(|e| e.file(display(path)))?;
            Ok::<_, Error>(found.and_then(|k| numbers.get(k)).map(|(_, i)| *i))
        };
        let of_source = |dataset: &Dataset| -> Result<Vec<Option<u64>>> {
            let block = |range: std::ops::Range<u64>| -> Result<Vec<Option<u64>>> {
                range
                    .map(|i| Ok(dataset.sample_name(i)?.map(|name| find(&name, dataset.name())).transpose()?.flatten()))
                    .collect()
            };
            Ok(dataset.in_blocks(block)?.concat())
        };
        let numbers = sources.datasets().iter().map(of_source).collect::<Result<_>>()?;
        Ok(ByName { dataset, numbers })
    }

    /// Whether any sample has a picture.
    pub fn any(&self) -> bool {
        self.numbers.iter().flatten().any(Option::is_some)
    }
    fn of(&self, item: &Item) -> Option<u64> {
        *self.numbers.get(item.source)?.get(usize::try_from(item.sample).ok()?)?
    }
}

/// What a worker needs to see more of a sample.
#[derive(Debug, Default)]
pub(in crate::loader) struct OtherImages {
    transformers: Vec<Option<Transformer>>,
    buffer: BytesMut,
    pixels: Vec<u8>,
}

/// A sample of which more is to be seen.
#[derive(Debug)]
pub(in crate::loader) struct Seen<'a> {
    pub item: Item,
    pub payload: &'a Bytes,
    pub raw: Option<(u32, u32)>,
    /// The order, the epoch, and the place in it that it takes: what is random about it.
    pub drawn: (&'a Order, u64, &'a Item),
    /// The same as its key.
    pub key: u64,
    pub dtype: Dtype,
    pub decode: &'a DecodeOptions,
    pub verify: bool,
    pub budget: &'a Budget,
    /// The full size of its own picture.
    pub full: (u32, u32),
}

impl OtherImages {
    pub(super) fn new<'a>(sights: impl Iterator<Item = Option<&'a OtherImage>>) -> OtherImages {
        let transformer = |other: Option<&OtherImage>| {
            let recipe = match other? {
                OtherImage::View(image, _) | OtherImage::Picture(image, _) => (**image).clone(),
                OtherImage::LabelMap(image, _) => geometry(image),
            };
            // The recipes were checked when the loader was built.
            Transformer::new(recipe).ok()
        };
        OtherImages { transformers: sights.map(transformer).collect(), ..OtherImages::default() }
    }

    /// Fills a cell. `false` if the sample has none.
    pub(super) fn fill(
        &mut self,
        number: usize,
        other: &OtherImage,
        seen: &Seen<'_>,
        decoder: &mut Decoder,
        cell: &mut Cell,
    ) -> Result<bool> {
        let OtherImages { transformers, buffer, pixels } = self;
        let Some(Some(transformer)) = transformers.get_mut(number) else { return Ok(true) };
        let of_other;
        let (payload, raw, key) = match other {
            OtherImage::View(_, number) => {
                let (order, epoch, item) = seen.drawn;
                (seen.payload, seen.raw, order.key_of_view(epoch, item, *number))
            }
            OtherImage::Picture(_, beside) | OtherImage::LabelMap(_, beside) => {
                let Some(i) = beside.of(&seen.item) else { return Ok(false) };
                let named = |e: Error| e.file(beside.dataset.name()).sample(i);
                let Stored { payload, raw, .. } = beside.dataset.stored(i, seen.verify, buffer).map_err(named)?;
                of_other = payload;
                (&of_other, raw, seen.key)
            }
        };
        let needs = transformer.needs(payload, raw, seen.decode, key);
        let _share = seen.budget.take(needs.cost(payload));
        let decoded = transformer.decode_as(&needs, decoder, payload, key)?;
        if let OtherImage::LabelMap(..) = other {
            let (placement, full) = (decoded.placement(), seen.full);
            let own = (placement.full_width, placement.full_height);
            if own != full {
                let message = format!(
                    "the image of classes has {} x {} pixels, and the sample's image {} x {}",
                    own.0, own.1, full.0, full.1
                );
                return Err(Error::new(&codes::TARGET_VALUE, message));
            }
            pixels.resize(transformer.values(), 0);
            transformer.finish(&decoded, key, Out::U8(pixels))?;
            let to = cell.bytes();
            // Gray pixels have the same value in every plane.
            to.copy_from_slice(pixels.get(..to.len()).unwrap_or_default());
            return Ok(true);
        }
        transformer.finish(&decoded, key, seen.dtype.out(cell.bytes()))?;
        Ok(true)
    }
}

/// What a recipe does with places alone: values are neither mixed nor changed.
pub(super) fn geometry(image: &Image) -> Image {
    let mut recipe = image.clone();
    (recipe.resampling, recipe.layout, recipe.fill) = (Resampling::Nearest, Layout::Nchw, [0; 3]);
    (recipe.jitter, recipe.blur, recipe.erase, recipe.normalize) = (None, None, None, None);
    (recipe.grayscale, recipe.only_moves) = (0.0, true);
    recipe
}
