//! Pixels to tensors, the same numbers as natively.

use forebay::{
    Error, Result,
    error::codes::ARGUMENT,
    image::{
        decode::{Decoder, Options},
        transform::{Fit, Layout, Normalize, Out, Recipe, Resampling, Transformer},
    },
};
use js_sys::{Float32Array, Object, Uint8Array};
use serde::Deserialize;
use wasm_bindgen::prelude::*;

use crate::{
    fail::{Outcome, thrown},
    words::{chosen, unknown},
};

/// Which numbers an image becomes. The same as those of the native loader, to the last bit.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ImageNumbers"))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Wanted {
    /// Pixels across and down.
    size: (u32, u32),
    /// `f32`: normalized floats; `u8`: the pixels themselves. Default: `f32`.
    #[cfg_attr(feature = "schema", schemars(default, extend("enum" = ["f32", "u8"])))]
    dtype: String,
    /// Planes one after the other (PyTorch), or channels side by side. Default: `nchw`.
    #[cfg_attr(feature = "schema", schemars(default, schema_with = "crate::words::any::<Layout>"))]
    layout: String,
    /// Which part of the image: all of it, distorted; its shorter side resized to `short` and the middle of that; the middle without
    /// resizing; all of it undistorted on `fill`. Default: `stretch`.
    #[cfg_attr(feature = "schema", schemars(default, extend("enum" = ["stretch", "center-crop", "pad", "letterbox"])))]
    fit: String,
    /// How pixels between pixels are found; all but `nearest` and `bilinear-plain` look at every pixel. Default: `bilinear`.
    #[cfg_attr(feature = "schema", schemars(default, extend("enum" = ["nearest", "bilinear", "bilinear-plain", "bicubic", "lanczos"])))]
    resampling: String,
    /// For `center-crop` alone: the length of the shorter side before the middle is cut out. Default: the larger of `size`.
    short: Option<u32>,
    /// The color where there is no image: red, green and blue. Default: black.
    fill: Option<[u8; 3]>,
    #[cfg_attr(feature = "schema", schemars(skip))]
    mean: Option<[f32; 3]>,
    #[cfg_attr(feature = "schema", schemars(skip))]
    std: Option<[f32; 3]>,
    /// Turn the image as its EXIF orientation says. Default: false, as in most training code.
    #[cfg_attr(feature = "schema", schemars(default))]
    orient: bool,
}

/// Makes tensors of one kind, picture after picture, in buffers that it keeps.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Tensors {
    decoder: Decoder,
    transformer: Transformer,
    options: Options,
    values: Values,
}

#[derive(Debug)]
enum Values {
    U8(Vec<u8>),
    F32(Vec<f32>),
}

impl Wanted {
    fn recipe(&self) -> Result<Recipe> {
        let fit = Fit::named(&self.fit, self.short, self.size)?;
        let resampling = Resampling::named(&self.resampling)?;
        let layout = chosen("layout", Some(&self.layout), Layout::Nchw)?;
        let mut recipe = Recipe::new(self.size.0, self.size.1).fit(fit).resampling(resampling).layout(layout);
        recipe.fill = self.fill.unwrap_or_default();
        if self.mean.is_some() || self.std.is_some() {
            let unit = Normalize::UNIT;
            let (mean, std) = (self.mean.unwrap_or(unit.mean), self.std.unwrap_or(unit.std));
            recipe = recipe.normalize(Normalize { mean, std });
        }
        Ok(recipe)
    }
}

impl Tensors {
    fn of(wanted: &str) -> Result<Self> {
        let wanted: Wanted =
            serde_json::from_str(wanted).map_err(|e| Error::new(&ARGUMENT, format!("the tensor: {e}")))?;
        let transformer = Transformer::new(wanted.recipe()?)?;
        let values = match wanted.dtype.as_str() {
            "u8" if wanted.mean.is_some() || wanted.std.is_some() => {
                return Err(Error::new(&ARGUMENT, "bytes are not normalized; leave out what normalizes, or take f32"));
            }
            "u8" => Values::U8(vec![0; transformer.values()]),
            "f32" => Values::F32(vec![0.0; transformer.values()]),
            other => return Err(unknown("dtype", other)),
        };
        let options = Options::default().with_orient(wanted.orient);
        Ok(Tensors { decoder: Decoder::default(), transformer, options, values })
    }
}

#[wasm_bindgen]
impl Tensors {
    /// For tensors of this kind, described as JSON.
    #[wasm_bindgen(constructor)]
    pub fn new(wanted: &str) -> Outcome<Tensors> {
        Self::of(wanted).map_err(thrown)
    }

    /// The tensor of a payload: a `Uint8Array` or a `Float32Array`, the one that is given where it is of that kind and
    /// length. Raw pixels need their width and height; for everything else these are 0.
    pub fn make(
        &mut self,
        payload: Vec<u8>,
        raw_width: u32,
        raw_height: u32,
        into: Option<Object>,
    ) -> Outcome<JsValue> {
        let raw = (raw_width > 0).then_some((raw_width, raw_height));
        let out = match &mut self.values {
            Values::U8(values) => Out::U8(values),
            Values::F32(values) => Out::F32(values),
        };
        self.transformer.decode(&mut self.decoder, &payload, raw, &self.options, 0, out).map_err(thrown)?;
        let fits = |length: u32| length as usize == self.transformer.values();
        Ok(match &self.values {
            Values::U8(values) => match into.and_then(|array| array.dyn_into::<Uint8Array>().ok()) {
                Some(array) if fits(array.length()) => {
                    array.copy_from(values);
                    array.into()
                }
                _ => Uint8Array::from(values.as_slice()).into(),
            },
            Values::F32(values) => match into.and_then(|array| array.dyn_into::<Float32Array>().ok()) {
                Some(array) if fits(array.length()) => {
                    array.copy_from(values);
                    array.into()
                }
                _ => Float32Array::from(values.as_slice()).into(),
            },
        })
    }
}
