//! Details of an annotation that the model has no place for.

/// Details of a COCO annotation, written back unchanged as long as the annotation itself is unchanged.
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

/// The details, if any. They take no part in comparisons: two annotations are equal if the model says the same of both.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept(pub Option<Box<Own>>);

impl PartialEq for Kept {
    fn eq(&self, _: &Kept) -> bool {
        true
    }
}
