//! The file's own numbers of pictures and classes, and dense numbers for them: given when a number is first met, whether
//! it is declared there or only used.

use hashbrown::HashMap;

use crate::annotations::{Id, Spot};

/// Numbers of one kind of thing.
#[derive(Debug, Default)]
pub(super) struct Ids {
    numbers: HashMap<i64, u32>,
    texts: HashMap<Box<str>, u32>,
    /// Whether the thing was declared, by dense number.
    declared: Vec<bool>,
    /// Where those that were not yet declared were first used.
    used: HashMap<u32, Spot>,
    /// The number that was used last: annotations of one picture stand together.
    last: Option<(i64, u32)>,
}

impl Ids {
    fn find(&self, id: &Id) -> Option<u32> {
        match id {
            Id::Number(n) => self.numbers.get(n).copied(),
            Id::Text(text) => self.texts.get(text).copied(),
        }
    }

    fn add(&mut self, id: &Id, declared: bool) -> u32 {
        let dense = u32::try_from(self.declared.len()).unwrap_or(u32::MAX);
        self.declared.push(declared);
        match id {
            Id::Number(n) => self.numbers.insert(*n, dense),
            Id::Text(text) => self.texts.insert(text.clone(), dense),
        };
        dense
    }

    /// The dense number of something that is declared now; `None` where it was declared before.
    pub fn declare(&mut self, id: &Id) -> Option<u32> {
        let Some(dense) = self.find(id) else { return Some(self.add(id, true)) };
        let declared = self.declared.get_mut(dense as usize)?;
        if *declared {
            return None;
        }
        *declared = true;
        self.used.remove(&dense);
        Some(dense)
    }

    /// The dense number of something that is used; `None` where it is not declared and all declarations were read.
    /// `spot` is asked where the use is the first.
    pub fn used(&mut self, id: &Id, all: bool, spot: impl FnOnce() -> Spot) -> Option<u32> {
        if let (Id::Number(n), Some((last, dense))) = (id, self.last)
            && *n == last
        {
            return Some(dense);
        }
        match self.find(id) {
            Some(dense) => {
                if let Id::Number(n) = id {
                    self.last = Some((*n, dense));
                }
                Some(dense)
            }
            None if all => None,
            None => {
                let dense = self.add(id, false);
                self.used.insert(dense, spot());
                Some(dense)
            }
        }
    }

    /// The first use of something that was never declared.
    pub fn undeclared(&self) -> Option<(Id, Spot)> {
        let (dense, spot) = self.used.iter().min_by_key(|(_, spot)| (spot.line, spot.character))?;
        let number = self.numbers.iter().find(|(_, at)| *at == dense).map(|(n, _)| Id::Number(*n));
        let id = number.or_else(|| self.texts.iter().find(|(_, at)| *at == dense).map(|(t, _)| Id::Text(t.clone())))?;
        Some((id, spot.clone()))
    }
}
