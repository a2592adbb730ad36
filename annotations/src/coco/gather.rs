//! The elements of a file as [`Labels`].

use std::collections::HashMap;

use crate::{
    Annotation, Cause, Class, Flags, Id, Labels, Notes, Picture, ReadOptions, Result, kept::Own, merge::Pictures,
};

use super::{Marked, Reader, Sink};

/// Gathers the elements. It holds all of them: for files whose annotations fit into memory.
#[derive(Debug, Default)]
pub struct Gather {
    classes: Vec<(u32, Class)>,
    pictures: Vec<(u32, Picture)>,
    /// Annotations by the dense number of their picture.
    marked: Vec<Vec<Annotation>>,
    notes: Notes,
}

impl Sink for Gather {
    fn class(&mut self, number: u32, class: Class) -> Result<()> {
        self.classes.push((number, class));
        Ok(())
    }

    fn picture(&mut self, number: u32, picture: Picture) -> Result<()> {
        self.pictures.push((number, picture));
        Ok(())
    }

    fn annotation(&mut self, marked: Marked<'_>) -> Result<()> {
        let at = marked.picture as usize;
        if at >= self.marked.len() {
            self.marked.resize_with(at + 1, Vec::new);
        }
        let mut annotation = Annotation {
            shape: marked.detail.shape(&mut self.notes),
            rect: marked.rect,
            class: marked.class,
            score: marked.score,
            flags: Flags { crowd: marked.crowd, ..Flags::default() },
            keypoints: marked.detail.keypoints(&mut self.notes),
            attributes: marked.detail.attributes(&mut self.notes),
            id: marked.id,
            ..Annotation::default()
        };
        annotation.own = Own::of(&marked.detail, &annotation);
        self.marked[at].push(annotation);
        Ok(())
    }
}

impl Gather {
    /// The labels, with what was found on the way. `labelled` is false for a file without a list of annotations.
    pub fn labels(mut self, notes: Notes, labelled: bool, options: &ReadOptions) -> Result<Labels> {
        let mut labels = Labels { notes: self.notes, ..Labels::default() };
        labels.notes.join(notes);
        // Classes are numbered by the file's own numbers, as everybody does who needs numbers without gaps.
        if self.classes.iter().all(|(_, class)| matches!(class.id, Some(Id::Number(_)))) {
            self.classes.sort_by(|(_, a), (_, b)| a.id.cmp(&b.id));
        }
        let mut dense: HashMap<u32, u32> = HashMap::new();
        for (number, class) in self.classes {
            // The reader has refused names that are there twice.
            let given = labels.classes.add(class).unwrap_or_else(|there| there);
            dense.insert(number, given);
        }
        let mut pictures = Pictures::default();
        for (i, (number, mut picture)) in self.pictures.into_iter().enumerate() {
            picture.annotations = self.marked.get_mut(number as usize).map(std::mem::take).unwrap_or_default();
            for annotation in &mut picture.annotations {
                annotation.class = annotation.class.and_then(|class| dense.get(&class).copied());
            }
            picture.unlabelled = !labelled;
            let line = picture.line.unwrap_or(0);
            let added = pictures.add(picture, options.pick, &mut labels.notes);
            added.map_err(|e| e.line(line, 0).path(format!("images[{i}].file_name")))?;
        }
        labels.pictures = pictures.list();
        repeated(&mut labels);
        labels.count();
        Ok(labels)
    }
}

/// Counts annotations with an id that another one has.
fn repeated(labels: &mut Labels) {
    let mut ids: Vec<&Id> = labels.pictures.iter().flat_map(|p| &p.annotations).filter_map(|a| a.id.as_ref()).collect();
    ids.sort_unstable();
    let twice = ids.windows(2).filter(|pair| pair[0] == pair[1]).count();
    labels.notes.add_many(Cause::RepeatedId, twice as u64);
}

/// Reads a whole file that is in memory.
pub fn read(text: &[u8], options: &ReadOptions) -> Result<Labels> {
    let (mut reader, mut gather) = (Reader::new(options), Gather::default());
    reader.feed(text, &mut gather)?;
    let labelled = reader.has_annotations();
    let notes = reader.finish(&mut gather)?;
    gather.labels(notes, labelled, options)
}
