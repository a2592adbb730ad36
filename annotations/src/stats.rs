//! What there is to count in labels: of [`Labels`], and of a COCO file as it comes, whatever its length.

use crate::Result;

use super::{Cause, Class, Clip, Id, Labels, Notes, Picture, Rect, coco};

/// Areas up to which an object is small, and medium: 32 and 96 pixels squared, as COCO counts them.
const SIZES: [f64; 2] = [1024.0, 9216.0];

/// Counts.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct LabelStats {
    /// Pictures.
    pub pictures: u64,
    /// Those without an annotation.
    pub empty: u64,
    /// Annotations.
    pub annotations: u64,
    /// The most in one picture.
    pub most: u64,
    /// Classes and how many annotations each has, in their order.
    pub classes: Vec<(String, u64)>,
    /// Annotations that are small, medium and large, by the area that their picture leaves of them.
    pub areas: [u64; 3],
    /// What was found, counted by cause.
    pub notes: Notes,
}

impl LabelStats {
    /// Counts labels.
    pub fn of(labels: &Labels) -> LabelStats {
        let mut stats = LabelStats { notes: labels.notes.clone(), ..LabelStats::default() };
        stats.classes = labels.classes.iter().map(|class| (class.name.clone(), 0)).collect();
        for picture in &labels.pictures {
            stats.picture(picture.annotations.len() as u64);
            for annotation in &picture.annotations {
                if let Some(class) = annotation.class.and_then(|class| stats.classes.get_mut(class as usize)) {
                    class.1 += 1;
                }
                stats.area(picture.clip(annotation));
            }
        }
        stats
    }

    fn picture(&mut self, annotations: u64) {
        self.pictures += 1;
        self.empty += u64::from(annotations == 0);
        self.annotations += annotations;
        self.most = self.most.max(annotations);
    }

    fn area(&mut self, clip: Clip) {
        let Some(area) = clip.rect().map(|rect| rect.area()) else { return };
        self.areas[SIZES.iter().filter(|most| area > **most).count()] += 1;
    }
}

/// Counts a COCO file as it comes: its pictures and classes are kept, its annotations are not.
#[derive(Debug, Default)]
pub struct Tally {
    sizes: Vec<Option<(u32, u32)>>,
    counts: Vec<u32>,
    classes: Vec<Option<Class>>,
    per_class: Vec<u64>,
    pictures: Vec<bool>,
    /// Runs of ids, both ends included: files count them up, so that there are few.
    ids: Vec<(i64, i64)>,
    stats: LabelStats,
    late: bool,
}

fn slot<T: Default + Clone>(list: &mut Vec<T>, at: u32) -> &mut T {
    let at = at as usize;
    if at >= list.len() {
        list.resize(at + 1, T::default());
    }
    &mut list[at]
}

impl coco::Sink for Tally {
    fn class(&mut self, number: u32, class: Class) -> Result<()> {
        *slot(&mut self.classes, number) = Some(class);
        Ok(())
    }

    fn picture(&mut self, number: u32, picture: Picture) -> Result<()> {
        *slot(&mut self.sizes, number) = picture.size();
        *slot(&mut self.pictures, number) = true;
        Ok(())
    }

    fn annotation(&mut self, marked: coco::Marked<'_>) -> Result<()> {
        let declared = self.pictures.get(marked.picture as usize).copied().unwrap_or_default();
        self.late |= !declared;
        *slot(&mut self.counts, marked.picture) += 1;
        match marked.class {
            Some(class) => *slot(&mut self.per_class, class) += 1,
            None => self.stats.notes.add(Cause::NoClass),
        }
        if marked.crowd {
            self.stats.notes.add(Cause::Crowd);
        }
        // What is said beside the box is looked at as a reader does, and let go.
        let notes = &mut self.stats.notes;
        let shape = marked.detail.shape(notes);
        notes.count_shape(&shape);
        marked.detail.keypoints(notes);
        marked.detail.attributes(notes);
        if let Some(Id::Number(id)) = marked.id {
            match self.ids.last_mut() {
                Some((_, end)) if end.checked_add(1) == Some(id) => *end = id,
                _ => self.ids.push((id, id)),
            }
        }
        let size = self.sizes.get(marked.picture as usize).copied().flatten();
        let clip = clip(marked.rect, size);
        match clip {
            Clip::Whole(_) => {}
            Clip::Cut(_) => self.stats.notes.add(Cause::Clipped),
            Clip::Nothing => self.stats.notes.add(Cause::DroppedEmpty),
        }
        self.stats.area(clip);
        Ok(())
    }
}

fn clip(rect: Rect, size: Option<(u32, u32)>) -> Clip {
    match size {
        Some((width, height)) => rect.clipped(width.into(), height.into()),
        None => rect.clipped(f64::INFINITY, f64::INFINITY),
    }
}

impl Tally {
    /// Whether annotations came before their pictures, so that the file has to be read again, with a tally that
    /// [`again`](Self::again) gives, for what depends on sizes.
    pub fn is_late(&self) -> bool {
        self.late
    }

    /// A tally that knows the sizes of the pictures.
    pub fn again(self) -> Tally {
        Tally { sizes: self.sizes, pictures: self.pictures, ..Tally::default() }
    }

    /// The counts, with what the reader found.
    pub fn stats(mut self, notes: Notes, labelled: bool) -> LabelStats {
        let mut stats = self.stats;
        stats.notes.join(notes);
        for number in 0..self.pictures.len().min(self.sizes.len()) {
            stats.picture(self.counts.get(number).copied().unwrap_or(0).into());
            if self.sizes[number].is_none() {
                stats.notes.add(Cause::SizeMissing);
            }
        }
        if !labelled {
            stats.notes.add_many(Cause::Unlabelled, stats.pictures);
        }
        let mut classes: Vec<(Class, u64)> = Vec::new();
        for (number, class) in self.classes.into_iter().enumerate() {
            let count = self.per_class.get(number).copied().unwrap_or(0);
            classes.extend(class.map(|class| (class, count)));
        }
        if classes.iter().all(|(class, _)| matches!(class.id, Some(Id::Number(_)))) {
            classes.sort_by(|(a, _), (b, _)| a.id.cmp(&b.id));
        }
        stats.classes = classes.into_iter().map(|(class, count)| (class.name, count)).collect();
        self.ids.sort_unstable();
        let (mut twice, mut last) = (0u64, None::<i64>);
        for (from, to) in self.ids {
            let seen = last.filter(|last| *last >= from).map_or(0, |last| last.min(to).abs_diff(from) + 1);
            twice += seen;
            last = Some(last.map_or(to, |last| last.max(to)));
        }
        stats.notes.add_many(Cause::RepeatedId, twice);
        stats
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ReadOptions;

    #[test]
    fn a_file_is_counted_as_its_labels_are_whatever_comes_first() {
        let images =
            r#""images": [{"id": 5, "file_name": "a.jpg", "width": 100, "height": 80}, {"id": 2, "file_name": "b"}]"#;
        let annotations = r#""annotations": [
            {"id": 1, "image_id": 5, "category_id": 7, "bbox": [-1, 0, 20, 20], "segmentation": [[5, 5, 9, 5, 9, 9]]},
            {"id": 2, "image_id": 5, "category_id": 3, "bbox": [0, 0, 50, 50], "iscrowd": 1,
             "segmentation": {"size": [80, 100], "counts": [7999, 1]}, "keypoints": [1, 2], "attributes": 3},
            {"id": 2, "image_id": 2, "category_id": 3, "bbox": [1, 1, 0, 5], "segmentation": [5, 5]},
            {"id": 3, "image_id": 5, "category_id": 3, "bbox": [1, 2, 3, 4],
             "segmentation": {"size": [48, 64], "counts": "0"}},
            {"id": 4, "image_id": 5, "category_id": 3, "bbox": [1, 2, 3, 4], "segmentation": [[1, 2, 3]]}]"#;
        let classes = r#""categories": [{"id": 7, "name": "x"}, {"id": 3, "name": "y"}]"#;
        for order in [[images, annotations, classes], [annotations, classes, images], [classes, images, annotations]] {
            let text = format!("{{{}}}", order.join(","));
            let options = ReadOptions::default();
            let labels = coco::read(text.as_bytes(), &options).unwrap();
            let tally = |mut tally: Tally| {
                let mut reader = coco::Reader::new(&options);
                for piece in text.as_bytes().chunks(7) {
                    reader.feed(piece, &mut tally).unwrap();
                }
                (reader.finish(&mut tally).unwrap(), tally)
            };
            let (mut notes, mut counted) = tally(Tally::default());
            if counted.is_late() {
                (notes, counted) = tally(counted.again());
            }
            let (stats, expected) = (counted.stats(notes, true), LabelStats::of(&labels));
            assert_eq!(stats, expected, "{text}");
            assert_eq!((stats.notes.of(Cause::Clipped), stats.notes.of(Cause::RepeatedId)), (1, 1));
            let odd = [Cause::BadMask, Cause::OddValue, Cause::Polygon, Cause::Mask].map(|cause| stats.notes.of(cause));
            assert_eq!(odd, [3, 2, 1, 1]);
            assert_eq!(stats.classes, [("y".to_owned(), 4), ("x".to_owned(), 1)]);
            assert_eq!((stats.areas, stats.most, stats.empty), ([3, 1, 0], 4, 0));
        }
    }
}
