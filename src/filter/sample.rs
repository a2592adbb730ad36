//! A sample as a record: its index entry, name and metadata.

use super::{Builtin, Path, Record, SampleBox, Segment, Value};
use crate::sample::SampleInfo;

/// A sample of an image container, with whatever of it was read.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct SampleRecord<'a> {
    /// Its entry in the index.
    pub info: &'a SampleInfo,
    /// Its name, if the container has names. Without it, the metadata's field `name` counts.
    pub name: Option<&'a str>,
    /// Its metadata, parsed.
    pub metadata: Option<&'a serde_json::Value>,
    /// Its boxes; `None` if its metadata says nothing of boxes.
    #[doc(hidden)]
    pub boxes: Option<&'a [SampleBox]>,
}

impl<'a> SampleRecord<'a> {
    /// A sample of which only the index is known.
    pub fn new(info: &'a SampleInfo) -> Self {
        SampleRecord { info, name: None, metadata: None, boxes: None }
    }

    fn metadata(&self, segments: &[Segment]) -> Option<&'a serde_json::Value> {
        Path::lookup(segments, self.metadata?)
    }

    /// What the metadata has at this path, if it is not one of the index: `metadata.x` is its field `x` too.
    pub(super) fn find(&self, path: &Path) -> Option<&'a serde_json::Value> {
        let segments = path.segments();
        let inside = || match segments {
            [Segment::Key(root), rest @ ..] if root == "metadata" && !rest.is_empty() => self.metadata(rest),
            _ => None,
        };
        self.metadata(segments).or_else(inside)
    }
}

impl Record for SampleRecord<'_> {
    fn boxes(&self) -> &[SampleBox] {
        self.boxes.unwrap_or_default()
    }

    fn field(&self, path: &Path) -> Value<'_> {
        let info = self.info;
        let (width, height) = (u64::from(info.width), u64::from(info.height));
        let known = (width > 0 && height > 0).then_some(());
        let Some(builtin) = path.builtin() else {
            return self.find(path).into();
        };
        match builtin {
            Builtin::Index => info.index.into(),
            Builtin::Name => self.name.map_or_else(|| self.metadata(path.segments()).into(), Value::from),
            Builtin::Format => info.format.name().into(),
            Builtin::Width => known.map(|()| width).into(),
            Builtin::Height => known.map(|()| height).into(),
            Builtin::Aspect => known.map(|()| width as f64 / height as f64).into(),
            Builtin::Pixels => known.map(|()| width * height).into(),
            Builtin::Bytes => info.bytes.into(),
            Builtin::StoredBytes => info.stored_bytes.into(),
        }
    }
}
