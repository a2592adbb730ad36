//! Named targets: what a sample is trained towards, of any kind, beside its numbers.
//!
//! | file | what it holds |
//! |---|---|
//! | `mod.rs`, `words.rs` | what is wanted, and as text |
//! | `column.rs` | memory: columns of a batch, cells of a sample |
//! | `ready.rs` | targets made ready: what `build` refuses, what a sample gets |
//! | `field.rs`, `values.rs` | values of metadata and of tables, and what they become |
//! | `marks.rs`, `instances.rs` | what label files mark in pictures, and its way onto tensors |
//! | `other.rs` | more pictures of a sample: other views, pictures of another dataset |
//! | `view.rs` | what a batch shows of them |

mod column;
mod field;
mod instances;
mod marks;
mod other;
mod ready;
mod values;
mod view;
mod words;

use std::path::PathBuf;

use forebay::{annotations::Format, words::Word};
use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::Value;

#[doc(hidden)]
pub use column::TargetPart;
pub(super) use column::{Cell, Filled, TargetMemory};
pub(super) use other::{OtherImages, Seen};
pub(super) use ready::{Ready, Terms, column_bytes};
pub use view::{TargetView, padded};

use super::{Image, ImageSettings, Labels};
use column::Pad;

/// The kinds of targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TargetKind {
    /// The number of a class, as [`Labels`] have it: `i64`, `[n]`.
    Class,
    /// A whole number: `i64`, `[n]`.
    Int,
    /// A number: `f32`, `[n]`.
    Float,
    /// Whole numbers, such as tokens: `i64`, `[n, ...]`, or any number of them with offsets.
    Ints,
    /// Numbers: `f32`, `[n, ...]`, or any number of them with offsets.
    Floats,
    /// Several classes at once: `f32`, `[n, classes]`, 1 for each that the sample has.
    MultiHot,
    /// Text, as UTF-8 with offsets.
    Text,
    /// Boxes: `f32`, `[n, places, 4]`, from 0 to 1 of the tensor, with `mask` and `classes`.
    Boxes,
    /// A mask for each object: `u8`, `[n, places, height, width]`, 1 inside, with `mask` and `classes`.
    Masks,
    /// One picture of classes: `u8`, `[n, height, width]`, 0 outside of all objects, and one more than the class's number
    /// inside. Where objects lie over each other, the later one counts.
    Semantic,
    /// Key points: `f32`, `[n, places, points, 3]`, x and y from 0 to 1 of the tensor and the visibility, which is 0 for one
    /// that the tensor does not show; with `mask` and `classes`.
    Keypoints,
    /// Another view of the sample's picture, with draws of its own: as the recipe says, in the type of the loader's numbers.
    View,
    /// A picture of another dataset, such as that of a second camera, with the draws and the recipe of the sample's own.
    Picture,
    /// A picture of another dataset whose gray values are classes, placed as the sample's own: `u8`, `[n, height, width]`;
    /// values are not mixed, and 0 where there is no picture.
    LabelMap,
}

impl Word for TargetKind {
    const ALL: &'static [Self] = &[
        TargetKind::Class,
        TargetKind::Int,
        TargetKind::Float,
        TargetKind::Ints,
        TargetKind::Floats,
        TargetKind::MultiHot,
        TargetKind::Text,
        TargetKind::Boxes,
        TargetKind::Masks,
        TargetKind::Semantic,
        TargetKind::Keypoints,
        TargetKind::View,
        TargetKind::Picture,
        TargetKind::LabelMap,
    ];

    fn word(self) -> &'static str {
        match self {
            TargetKind::Class => "class",
            TargetKind::Int => "int",
            TargetKind::Float => "float",
            TargetKind::Ints => "ints",
            TargetKind::Floats => "floats",
            TargetKind::MultiHot => "multihot",
            TargetKind::Text => "text",
            TargetKind::Boxes => "boxes",
            TargetKind::Masks => "masks",
            TargetKind::Semantic => "semantic",
            TargetKind::Keypoints => "keypoints",
            TargetKind::View => "view",
            TargetKind::Picture => "picture",
            TargetKind::LabelMap => "labelmap",
        }
    }
}

impl TargetKind {
    /// Whether it is about what label files mark in pictures.
    const fn is_marked(self) -> bool {
        matches!(self, TargetKind::Boxes | TargetKind::Masks | TargetKind::Semantic | TargetKind::Keypoints)
    }
    /// Whether it is a picture.
    const fn is_picture(self) -> bool {
        matches!(self, TargetKind::View | TargetKind::Picture | TargetKind::LabelMap)
    }
    /// Whether samples may have any number of rows.
    const fn may_be_ragged(self) -> bool {
        matches!(
            self,
            TargetKind::Ints | TargetKind::Floats | TargetKind::Boxes | TargetKind::Masks | TargetKind::Keypoints
        )
    }
}

/// Where a target's values come from.
#[derive(Clone, Debug, PartialEq)]
enum Origin {
    Labels(Labels),
    /// A field of the metadata, by its path.
    Field(String),
    Table {
        path: PathBuf,
        key: String,
        column: String,
    },
    /// A label file, or else what is with the samples.
    Marks {
        path: Option<PathBuf>,
        format: Option<Format>,
    },
    /// The sample's own picture, by another recipe.
    View(Box<Image>),
    /// Pictures of another dataset.
    Pictures(PathBuf),
    /// Text that is not a target, and why.
    Wrong(String),
}

impl Origin {
    /// A setting of label files, for a target that is not read from them.
    fn not_of_objects(setting: &str) -> Origin {
        Origin::Wrong(format!(
            "`{setting}` is about label files, so it needs boxes, masks, images of classes or key points"
        ))
    }
}

/// One of the targets that a loader gives with its samples, by
/// [`Builder::target`](super::Builder::target).
///
/// ```no_run
/// use forebay_native::loader::{Image, Loader, Target};
/// let mut loader = Loader::open("train")?
///     .image(Image::new(640, 640).letterbox([114; 3]).hflip())
///     .target("boxes", Target::boxes("instances.json").most(64))
///     .target("masks", Target::masks("instances.json").ragged())
///     .target("weather", Target::multi_hot("json.weather").classes(["fog", "rain", "snow"]))
///     .target("caption", Target::text("txt").optional())
///     .target("speed", "float:runs.parquet#frame,speed") // as text, for a command or a file of settings
///     .build()?;
/// for batch in loader.epoch(0)? {
///     let batch = batch?;
///     let Some(boxes) = batch.target("boxes") else { break };
///     let (corners, there) = (boxes.values().f32(), boxes.mask()); // [n, 64, 4], [n, 64]
/// }
/// # Ok::<(), forebay::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    kind: TargetKind,
    from: Origin,
    /// How many rows, or the shape of the numbers.
    shape: Option<Vec<usize>>,
    ragged: bool,
    /// How samples with any number of rows come to one length.
    pad: Option<Pad>,
    optional: bool,
    /// What takes the place of a number that is missing.
    missing: Option<f64>,
    classes: Option<Vec<String>>,
}

impl<'de> Deserialize<'de> for Target {
    /// A target's text, or a view.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Target, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Written {
            view: ImageSettings,
        }
        match Value::deserialize(deserializer)? {
            Value::String(text) => Ok(Target::from(text)),
            value => {
                let image = Written::deserialize(value).map_err(D::Error::custom)?.view.alone();
                image.map(Target::view).map_err(|e| D::Error::custom(e.message()))
            }
        }
    }
}

impl Target {
    fn new(kind: TargetKind, from: Origin) -> Target {
        Target { kind, from, shape: None, ragged: false, pad: None, optional: false, missing: None, classes: None }
    }

    /// The number of a class: a metadata field by its path, or one of [`Labels`].
    pub fn class(labels: impl Into<Labels>) -> Target {
        Target::new(TargetKind::Class, Origin::Labels(labels.into()))
    }
    /// A whole number from the metadata field of this path. In archives and folders the files beside the picture are fields:
    /// `json.age` of `17.json`, `txt` for `17.txt`.
    pub fn int(path: impl Into<String>) -> Target {
        Target::new(TargetKind::Int, Origin::Field(path.into()))
    }
    /// A number from a metadata field.
    pub fn float(path: impl Into<String>) -> Target {
        Target::new(TargetKind::Float, Origin::Field(path.into()))
    }
    /// Whole numbers from a metadata field that is a list: any number of them, or such as fill a [shape](Self::shape).
    pub fn ints(path: impl Into<String>) -> Target {
        Target::new(TargetKind::Ints, Origin::Field(path.into()))
    }
    /// Numbers from a metadata field that is a list: any number of them, or such as fill a [shape](Self::shape).
    pub fn floats(path: impl Into<String>) -> Target {
        Target::new(TargetKind::Floats, Origin::Field(path.into()))
    }
    /// Several classes from a metadata field: a list of names or of numbers, or one. Without [`classes`](Self::classes) they
    /// are all that occur, for which every sample's metadata is read once.
    pub fn multi_hot(path: impl Into<String>) -> Target {
        Target::new(TargetKind::MultiHot, Origin::Field(path.into()))
    }
    /// Text from a metadata field.
    pub fn text(path: impl Into<String>) -> Target {
        Target::new(TargetKind::Text, Origin::Field(path.into()))
    }

    /// Boxes of a label file, or of a folder of them, in any format that [`labels`](crate::labels) reads.
    pub fn boxes(labels: impl Into<PathBuf>) -> Target {
        Target::marked(TargetKind::Boxes, Some(labels.into()))
    }
    /// A mask for each object of a label file.
    pub fn masks(labels: impl Into<PathBuf>) -> Target {
        Target::marked(TargetKind::Masks, Some(labels.into()))
    }
    /// One picture of classes, from the objects of a label file.
    pub fn semantic(labels: impl Into<PathBuf>) -> Target {
        Target::marked(TargetKind::Semantic, Some(labels.into()))
    }
    /// Key points of a label file.
    pub fn keypoints(labels: impl Into<PathBuf>) -> Target {
        Target::marked(TargetKind::Keypoints, Some(labels.into()))
    }
    fn marked(kind: TargetKind, path: Option<PathBuf>) -> Target {
        Target::new(kind, Origin::Marks { path, format: None })
    }
    /// Another view of the sample's picture: crops, colors and flips are drawn anew, as
    /// `docs/formats/order.md` says it. For contrastive training, in sizes of their own.
    pub fn view(image: Image) -> Target {
        Target::new(TargetKind::View, Origin::View(Box::new(image)))
    }
    /// Pictures of another dataset, found by the samples' names without their endings, that go with those of the samples:
    /// placed, mirrored and changed by the same draws, if they have the same size.
    pub fn picture(dataset: impl Into<PathBuf>) -> Target {
        Target::new(TargetKind::Picture, Origin::Pictures(dataset.into()))
    }
    /// Pictures of another dataset, found as [`picture`](Self::picture) does it, whose gray values are classes. One of another
    /// size than the sample's picture is a broken sample. Colors of a palette are not classes: store gray values.
    pub fn label_map(dataset: impl Into<PathBuf>) -> Target {
        Target::new(TargetKind::LabelMap, Origin::Pictures(dataset.into()))
    }

    /// Takes the marks in the samples' own metadata, as converting with labels writes them: boxes, masks or another
    /// kind that is of objects.
    #[must_use]
    pub fn own(mut self) -> Target {
        match &mut self.from {
            Origin::Marks { path, .. } => *path = None,
            Origin::Wrong(_) => {}
            from => *from = Origin::not_of_objects("own"),
        }
        self
    }
    /// The format of the label file, which is found out otherwise.
    #[must_use]
    pub fn format(mut self, to: Format) -> Target {
        match &mut self.from {
            Origin::Marks { format, .. } => *format = Some(to),
            Origin::Wrong(_) => {}
            from => *from = Origin::not_of_objects("format"),
        }
        self
    }

    /// Takes the values from a column of a table instead, joined by the samples' names as
    /// [`Labels::table`] says it.
    #[must_use]
    pub fn table(mut self, path: impl Into<PathBuf>, key: impl Into<String>, column: impl Into<String>) -> Target {
        let (path, key, column) = (path.into(), key.into(), column.into());
        self.from = match self.kind {
            TargetKind::Class => Origin::Labels(Labels::table(path, key, column)),
            _ => Origin::Table { path, key, column },
        };
        self
    }
    /// The shape of a sample's numbers, such as `[3]` or `[4, 4]`: a sample with another number of them is broken.
    #[must_use]
    pub fn shape(mut self, shape: impl Into<Vec<usize>>) -> Target {
        self.shape = Some(shape.into());
        self
    }
    /// Places for objects: 16 otherwise. More objects than that are left out.
    #[must_use]
    pub fn most(mut self, places: usize) -> Target {
        self.shape = Some(vec![places]);
        self
    }
    /// All objects instead of places for them, one sample's after the other's, with offsets.
    #[must_use]
    pub fn ragged(mut self) -> Target {
        self.ragged = true;
        self
    }
    /// Samples with any number of numbers, bytes of text or objects are brought to the length of the longest in their batch:
    /// `[n, length]`, with a `mask`. A sample has at most `longest`, and more are cut off. In the place of what is not there stands `fill`, which for
    /// tokens is the padding token; classes there are -1.
    ///
    /// ```
    /// use forebay_native::loader::Target;
    /// // At most 512 tokens, in batches as long as their longest sample, in steps of 8.
    /// let tokens = Target::ints("json.tokens").padded(0.0, 512).multiple(8);
    /// let as_text: Target = "ints/pad=0,512,8:json.tokens".parse()?;
    /// assert_eq!(as_text, tokens);
    /// # Ok::<(), forebay::Error>(())
    /// ```
    #[must_use]
    pub fn padded(mut self, fill: f64, longest: usize) -> Target {
        let multiple = self.pad.map_or(1, |pad| pad.multiple);
        self.pad = Some(Pad { fill, longest, multiple });
        self
    }
    /// Lengths of [padded](Self::padded) batches are multiples of this, or the longest that is allowed.
    #[must_use]
    pub fn multiple(mut self, rows: usize) -> Target {
        let pad = self.pad.unwrap_or(Pad { fill: 0.0, longest: 0, multiple: 1 });
        self.pad = Some(Pad { multiple: rows, ..pad });
        self
    }
    /// Samples may be without it, and are broken samples otherwise: they have zeros, no text, no objects.
    #[must_use]
    pub fn optional(mut self) -> Target {
        self.optional = true;
        self
    }
    /// The number of samples that have none, such as -1 or NaN.
    #[must_use]
    pub fn missing(mut self, number: f64) -> Target {
        (self.optional, self.missing) = (true, Some(number));
        self
    }
    /// Names the classes in the order of their numbers.
    #[must_use]
    pub fn classes(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Target {
        self.classes = Some(names.into_iter().map(Into::into).collect());
        self
    }

    pub(super) fn is_view(&self) -> bool {
        self.kind == TargetKind::View
    }
    /// Returns its kind.
    pub fn kind(&self) -> TargetKind {
        self.kind
    }
}
