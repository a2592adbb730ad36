//! Pictures decoded once, so that training need not: files become raw RGB of one size.

use std::sync::Mutex;

use bytes::Bytes;
use forebay::{
    Error, Result,
    error::codes,
    image::{
        decode::{self, Decoder},
        transform::{Fit, Layout, Out, Recipe, Resampling, Transformer},
    },
    random::Purpose,
    sample::MediaFormat,
    samples::Loaded,
};
use serde_json::{Value, json};

use crate::parallel::{all_cores, budget::Budget};

/// Decode every picture and resize it: samples become raw RGB, height × width × 3 bytes.
///
/// ```no_run
/// use forebay_native::{Dataset, convert::{Job, Options, Pixels, To}};
/// let mut options = Options::new(To::Tbl);
/// options.pixels = Some(Pixels::new(224, 224));
/// Job::new(vec![Dataset::open("train.tar")?], options).run("raw.tbl".as_ref())?;
/// # Ok::<(), forebay::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Pixels {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Which part of the picture is kept. What is random in it is drawn once, by the sample's number.
    pub fit: Fit,
    /// How it is resized.
    pub resampling: Resampling,
    /// The color where there is no picture.
    pub fill: [u8; 3],
    /// How it is decoded.
    pub decode: decode::Options,
}

impl Pixels {
    /// The whole picture, stretched to this size.
    pub fn new(width: u32, height: u32) -> Self {
        Pixels {
            width,
            height,
            fit: Fit::default(),
            resampling: Resampling::default(),
            fill: [0; 3],
            decode: decode::Options::default(),
        }
    }
    /// Sets which part of the picture is kept.
    #[must_use]
    pub fn with_fit(mut self, fit: Fit) -> Self {
        self.fit = fit;
        self
    }
    /// Sets how it is resized.
    #[must_use]
    pub fn with_resampling(mut self, resampling: Resampling) -> Self {
        self.resampling = resampling;
        self
    }
    /// Sets the color where there is no picture.
    #[must_use]
    pub fn with_fill(mut self, fill: [u8; 3]) -> Self {
        self.fill = fill;
        self
    }
    /// Sets how it is decoded.
    #[must_use]
    pub fn with_decode(mut self, decode: decode::Options) -> Self {
        self.decode = decode;
        self
    }

    fn recipe(&self) -> Recipe {
        let mut recipe =
            Recipe::new(self.width, self.height).fit(self.fit).resampling(self.resampling).layout(Layout::Nhwc);
        recipe.fill = self.fill;
        recipe
    }

    /// What a TBL's document says of it.
    pub(super) fn describe(&self) -> Value {
        let (fit, resampling) = (self.fit.name(), self.resampling.name());
        let mut said = json!({ "width": self.width, "height": self.height, "fit": fit, "resampling": resampling });
        if let Fit::CenterCrop { short: Some(short) } = self.fit {
            said["short"] = short.into();
        }
        if self.decode.orient {
            said["oriented"] = true.into();
        }
        if self.decode.exact {
            said["exact"] = true.into();
        }
        said
    }
}

/// Decoders for as many threads as ask at once; each keeps its buffers from picture to picture.
#[derive(Debug)]
pub(super) struct Decoding {
    pixels: Pixels,
    /// Of all threads together.
    budget: Budget,
    idle: Mutex<Vec<(Decoder, Transformer)>>,
}

impl Decoding {
    pub fn new(pixels: &Pixels) -> Result<Self> {
        if pixels.width > u32::from(u16::MAX) || pixels.height > u32::from(u16::MAX) {
            let message = format!("{} × {}: TBL v2 holds sides to 65,535 pixels", pixels.width, pixels.height);
            return Err(Error::new(&codes::ARGUMENT, message));
        }
        // The first one says here, and not for every sample, what is wrong with the size.
        let first = (Decoder::default(), Transformer::new(pixels.recipe())?);
        Ok(Decoding { pixels: pixels.clone(), budget: Budget::default(), idle: Mutex::new(vec![first]) })
    }

    /// Bytes that every sample becomes.
    pub fn bytes(&self) -> u64 {
        u64::from(self.pixels.width) * u64::from(self.pixels.height) * 3
    }

    /// Replaces a sample's file by its pixels.
    pub fn decode(&self, sample: &mut Loaded) -> Result<()> {
        // A thread that panicked while it held the lock had no time to leave anything half done.
        let idle = || self.idle.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let taken = idle().pop();
        let (mut decoder, mut transformer) = match taken {
            Some(pair) => pair,
            None => (Decoder::default(), Transformer::new(self.pixels.recipe())?),
        };
        let mut out = vec![0; transformer.values()];
        let raw = (sample.format == MediaFormat::RawU8).then_some((sample.width, sample.height));
        let (payload, key) = (&sample.payload, Purpose::Stored.key(0, &[sample.id]));
        let needs = transformer.needs(payload, raw, &self.pixels.decode, key);
        let cost = needs.cost(payload);
        let share = self.budget.take(cost);
        let decoded = transformer.decode_as(&needs, &mut decoder, payload, key);
        let done = decoded.and_then(|decoded| transformer.finish(&decoded, key, Out::U8(&mut out)));
        if self.budget.is_much(cost, all_cores()) {
            decoder = Decoder::default();
        }
        drop(share);
        idle().push((decoder, transformer));
        done?;
        sample.payload = Bytes::from(out);
        (sample.format, sample.width, sample.height) = (MediaFormat::RawU8, self.pixels.width, self.pixels.height);
        Ok(())
    }
}
