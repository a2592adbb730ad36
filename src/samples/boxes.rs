//! The boxes that a sample's metadata has, for filters.

use serde_json::Value;

#[cfg(feature = "boxes")]
use crate::annotations::{Annotation, Classes, ReadOptions, Source, record};
use crate::{error::Result, filter::SampleBox, sample::SampleInfo};

/// Finds them; the classes that were named so far.
#[derive(Debug, Default)]
pub(super) struct Boxes {
    #[cfg(feature = "boxes")]
    classes: Classes,
}

impl Boxes {
    /// The boxes; `None` if the metadata says nothing of boxes.
    #[cfg(feature = "boxes")]
    pub fn of(&mut self, info: &SampleInfo, metadata: Option<&Value>) -> Result<Option<Vec<SampleBox>>> {
        let Some(metadata) = metadata else { return Ok(None) };
        let size = Some((info.width, info.height));
        let Some(found) = record::find(metadata, size, &ReadOptions::default(), &mut self.classes)? else {
            return Ok(None);
        };
        if let Some(first) = found.faults.into_iter().next() {
            return Err(first);
        }
        let boxes = found.picture.annotations.into_iter();
        Ok(Some(boxes.map(|one| as_filtered(one, &self.classes)).collect()))
    }

    /// Without the feature, a filter of boxes is [refused](crate::filter::Filter::check_for_samples) before.
    #[cfg(not(feature = "boxes"))]
    #[allow(clippy::unnecessary_wraps, reason = "as with the feature")]
    pub fn of(&mut self, _: &SampleInfo, _: Option<&Value>) -> Result<Option<Vec<SampleBox>>> {
        Ok(None)
    }
}

#[cfg(feature = "boxes")]
fn as_filtered(one: Annotation, classes: &Classes) -> SampleBox {
    SampleBox {
        label: one.class.and_then(|class| classes.name(class)).map(str::to_owned),
        corners: [one.rect.x0, one.rect.y0, one.rect.x1, one.rect.y1],
        score: one.score,
        source: one.source.map(Source::word),
        crowd: one.flags.crowd,
        difficult: one.flags.difficult,
        truncated: one.flags.truncated,
        occluded: one.flags.occluded,
        attributes: one.attributes,
    }
}
