//! What a file says of an annotation that the model has no place for.

/// What stays as it stood, as long as what it belongs to does.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Own {
    /// The area, if it is not that of the shape, and the latter: evaluation goes by what the file says.
    pub area: Option<[f64; 2]>,
    /// The attributes, if they are more than texts.
    pub attributes: String,
    /// Fields that are not known, each behind a comma.
    pub more: String,
    /// Some of its outlines lie in others: COCO fills them all.
    pub filled: bool,
}

/// What there is of it. It is not part of the model: annotations that say the same are the same, whatever they were read of.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept(pub Option<Box<Own>>);

impl PartialEq for Kept {
    fn eq(&self, _: &Kept) -> bool {
        true
    }
}
