//! A box of a sample, as filters see it.

/// A box of a sample, with what filters know of it.
#[derive(Clone, Debug, Default)]
pub struct SampleBox {
    /// The name of its class.
    pub label: Option<String>,
    /// Left, top, right and bottom, in pixels.
    pub corners: [f64; 4],
    /// How sure its maker is.
    pub score: Option<f64>,
    /// Who made it.
    pub source: Option<&'static str>,
    /// It marks a group.
    pub crowd: bool,
    /// It is hard to see.
    pub difficult: bool,
    /// The object goes on beyond the image.
    pub truncated: bool,
    /// Something is in front of the object.
    pub occluded: bool,
    /// Whatever else is known of it, as text.
    pub attributes: Vec<(String, String)>,
}
