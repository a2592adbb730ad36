//! Where a field lies: a name, then names and positions inside it.

use std::fmt;

use forebay_base::path;
#[doc(inline)]
pub use forebay_base::path::Segment;

/// What the index of an image container knows, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Builtin {
    /// The sample's number.
    Index,
    /// The sample's name.
    Name,
    /// The format's word.
    Format,
    /// Pixels across.
    Width,
    /// Pixels down.
    Height,
    /// Width divided by height.
    Aspect,
    /// Width times height.
    Pixels,
    /// Bytes of the payload.
    Bytes,
    /// Bytes of the payload as stored.
    StoredBytes,
}

impl Builtin {
    /// Every one, by its name.
    pub(super) const ALL: [(&'static str, Builtin); 9] = [
        ("index", Self::Index),
        ("name", Self::Name),
        ("format", Self::Format),
        ("width", Self::Width),
        ("height", Self::Height),
        ("aspect", Self::Aspect),
        ("pixels", Self::Pixels),
        ("bytes", Self::Bytes),
        ("stored_bytes", Self::StoredBytes),
    ];

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, builtin)| *builtin)
    }
}

/// A field's place, such as `json.boxes[0].label`. Its first segment is always a key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Path {
    segments: Vec<Segment>,
    builtin: Option<Builtin>,
}

impl Path {
    /// The path of one name, for example a column's.
    #[doc(hidden)]
    pub fn from_name(name: &str) -> Self {
        Self::new(vec![Segment::Key(name.to_owned())])
    }

    pub(super) fn new(segments: Vec<Segment>) -> Self {
        let builtin = match segments.as_slice() {
            [Segment::Key(name)] => Builtin::from_name(name),
            _ => None,
        };
        Path { segments, builtin }
    }

    /// The parts, the first a key.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The first part: in a table, the column.
    #[doc(hidden)]
    pub fn root(&self) -> &str {
        match self.segments.first() {
            Some(Segment::Key(name)) => name,
            _ => "",
        }
    }

    /// The name, when the path is nothing but one.
    pub fn name(&self) -> Option<&str> {
        match self.segments.as_slice() {
            [Segment::Key(name)] => Some(name),
            _ => None,
        }
    }

    /// What the index knows under this name, when the path is nothing but one.
    pub(crate) fn builtin(&self) -> Option<Builtin> {
        self.builtin
    }

    /// Follows `segments` into a document.
    #[doc(hidden)]
    pub fn lookup<'a>(segments: &[Segment], document: &'a serde_json::Value) -> Option<&'a serde_json::Value> {
        path::lookup(segments, document)
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        path::write(&self.segments, f)
    }
}
