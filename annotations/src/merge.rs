//! Pictures as a file names them: one that is named twice is refused, unless it was said which counts.

use std::collections::HashMap;

use crate::error::Error;

use super::{
    Cause, Notes, Pick, Picture, codes,
    json::{Got, Lines, Stop},
};

/// Pictures, by their order and by their names.
#[derive(Debug, Default)]
pub(crate) struct Pictures {
    list: Vec<Picture>,
    names: HashMap<String, usize>,
}

impl Pictures {
    /// Adds a picture. The error for one whose name is there already has no place yet.
    pub fn add(&mut self, picture: Picture, pick: Option<Pick>, notes: &mut Notes) -> Result<(), Error> {
        let Some(at) = self.names.get(&picture.name) else {
            self.names.insert(picture.name.clone(), self.list.len());
            self.list.push(picture);
            return Ok(());
        };
        let there = &mut self.list[*at];
        match pick {
            None => {
                let message = format!("two images have the name {:?}", picture.name);
                return Err(Error::new(&codes::REPEATED, message).with_options(&["pick"]));
            }
            Some(Pick::First) => notes.add_many(Cause::NotPicked, picture.annotations.len() as u64),
            Some(Pick::Last) => {
                notes.add_many(Cause::NotPicked, there.annotations.len() as u64);
                *there = picture;
            }
            Some(Pick::All) => {
                there.unlabelled &= picture.unlabelled;
                there.annotations.extend(picture.annotations);
            }
        }
        Ok(())
    }

    /// Adds a picture that was read of the value at a byte.
    pub fn read(
        &mut self,
        picture: Got<Picture>,
        (at, lines): (usize, &mut Lines<'_>),
        pick: Option<Pick>,
        notes: &mut Notes,
    ) -> Got<()> {
        let picture = Picture { line: Some(lines.of(at)), ..picture? };
        self.add(picture, pick, notes).map_err(|e| Stop::wrong(at, e.code(), e.message()).options(e.options()))
    }

    /// All of them.
    pub fn list(self) -> Vec<Picture> {
        self.list
    }
}
