//! The version of a warehouse: a key of everything that its content follows from.
//!
//! The first builder's key follows from names and options only, so that it stays when a label is edited. Ours adds a
//! digest of the content, and whatever else decides about bytes; the first builder's is kept beside it.
//!
//! ```
//! use forebay::warehouse::{ResizeMode, Transform, version::{Recipe, key, peer_key}};
//! let transform = Transform::new(Some([64, 64]), ResizeMode::Letterbox, 4);
//! let recipe = Recipe { dataset_root: "input".into(), transform, skip_empty: true, code_version: "0.6.0".into() };
//! assert_eq!(peer_key(&recipe), "c97996596c5bff772b4f841fb9cd80e03cee562b2105bc7eefca5022084cc662");
//! let version = key(&recipe, &[("dtype", "F16".into()), ("content", "6f0a".into())]);
//! assert!(version.text.unwrap().ends_with(r#""code_version":"0.6.0","dtype":"F16","content":"6f0a"}"#));
//! ```

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::checksums::Digest;
use crate::words::Word;

/// How a picture is made to fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum ResizeMode {
    /// Stretched to the size.
    Force,
    /// Scaled evenly, with black around.
    #[default]
    Letterbox,
}

impl Word for ResizeMode {
    const ALL: &'static [Self] = &[ResizeMode::Letterbox, ResizeMode::Force];

    fn word(self) -> &'static str {
        match self {
            ResizeMode::Letterbox => "letterbox",
            ResizeMode::Force => "force",
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            ResizeMode::Letterbox => "scaled evenly, with black around",
            ResizeMode::Force => "stretched to the size",
        }
    }
}

/// The transform of every image, as the manifest has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "WarehouseTransform"))]
#[non_exhaustive]
pub struct Transform {
    /// Width and height.
    pub target_size: Option<[u32; 2]>,
    /// How pictures were made to fit.
    pub resize_mode: ResizeMode,
    /// Places for boxes.
    pub max_boxes: u64,
    /// All other fields.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Transform {
    /// To this width and height.
    pub fn new(target_size: Option<[u32; 2]>, resize_mode: ResizeMode, max_boxes: u64) -> Self {
        Transform { target_size, resize_mode, max_boxes, other: Map::new() }
    }
}

/// The key of a version, by the first builder's rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    /// The input, as the builder was told.
    pub dataset_root: String,
    /// What is done to pictures.
    pub transform: Transform,
    /// Whether frames without boxes are left out.
    pub skip_empty: bool,
    /// The builder's version.
    pub code_version: String,
}

/// A version and what it follows from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Version {
    /// The key: 64 hexadecimal digits.
    pub key: String,
    /// What it is made of, in words.
    pub recipe: String,
    /// The text of which it is the SHA-256.
    pub text: Option<String>,
    /// The key that the first builder would have given.
    pub peer: Option<String>,
    /// The builder's version.
    pub code_version: String,
}

/// The fields of the first builder's key, in its order.
#[derive(Serialize)]
struct Fields<'a> {
    dataset_root: &'a str,
    target_size: Option<[u32; 2]>,
    resize_mode: ResizeMode,
    max_boxes: u64,
    skip_empty: bool,
    code_version: &'a str,
    #[serde(flatten)]
    more: &'a Map<String, Value>,
}

fn text(recipe: &Recipe, more: &Map<String, Value>) -> String {
    let fields = Fields {
        dataset_root: &recipe.dataset_root,
        target_size: recipe.transform.target_size,
        resize_mode: recipe.transform.resize_mode,
        max_boxes: recipe.transform.max_boxes,
        skip_empty: recipe.skip_empty,
        code_version: &recipe.code_version,
        more,
    };
    // Texts and numbers always have a text.
    serde_json::to_string(&fields).unwrap_or_default()
}

/// The SHA-256 of a text, in hexadecimal digits.
pub fn key_of(text: &str) -> String {
    let mut digest = Digest::default();
    digest.add(text.as_bytes());
    digest.finish()
}

/// The key that the first builder gives.
pub fn peer_key(recipe: &Recipe) -> String {
    key_of(&text(recipe, &Map::new()))
}

/// The version by our rules: the recipe, followed by `more` in this order, such as a digest of the content.
pub fn key(recipe: &Recipe, more: &[(&str, Value)]) -> Version {
    let fields: Map<String, Value> = more.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let text = text(recipe, &fields);
    let mut words = "sha256(dataset_root + cacheable_transform + max_boxes + skip_empty + code_version".to_owned();
    more.iter().for_each(|(name, _)| words.extend([" + ", name]));
    Version {
        key: key_of(&text),
        recipe: words + ")",
        text: Some(text),
        peer: Some(peer_key(recipe)),
        code_version: recipe.code_version.clone(),
    }
}
