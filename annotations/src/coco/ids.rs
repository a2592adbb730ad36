//! The file's own numbers of pictures and classes, and dense numbers for them: given when a number is first met, whether
//! it is declared there or only used.

use hashbrown::HashMap;

use crate::{Id, Spot};

/// Numbers of one kind of thing.
#[derive(Debug, Default)]
pub(super) struct Ids {
    /// Dense numbers, from 1, by the file's own where these are small, as most are; 0 is none.
    direct: Vec<u32>,
    numbers: HashMap<i64, u32>,
    texts: HashMap<Box<str>, u32>,
    /// Whether the thing was declared, by dense number.
    declared: Vec<bool>,
    /// Where those that were not yet declared were first used.
    used: HashMap<u32, Spot>,
    /// Numbers that were used last, each in the place that its lowest bits name: annotations of one picture stand
    /// together, and classes are few.
    last: Recent,
}

/// The file's own numbers below this are found by their place in a list, of at most 16 MiB.
const DIRECT: i64 = 1 << 22;

/// Places for numbers that were used last.
#[derive(Debug)]
struct Recent([Option<(i64, u32)>; 256]);

impl Default for Recent {
    fn default() -> Recent {
        Recent([None; 256])
    }
}

impl Recent {
    fn place(&mut self, n: i64) -> &mut Option<(i64, u32)> {
        &mut self.0[usize::from(n as u8)]
    }
}

impl Ids {
    fn find(&self, id: &Id) -> Option<u32> {
        match id {
            Id::Number(n) if (0..DIRECT).contains(n) => {
                self.direct.get(*n as usize).and_then(|dense| dense.checked_sub(1))
            }
            Id::Number(n) => self.numbers.get(n).copied(),
            Id::Text(text) => self.texts.get(text).copied(),
        }
    }

    fn add(&mut self, id: &Id, declared: bool) -> u32 {
        let dense = u32::try_from(self.declared.len()).unwrap_or(u32::MAX);
        self.declared.push(declared);
        match id {
            Id::Number(n) if (0..DIRECT).contains(n) => {
                let at = *n as usize;
                if at >= self.direct.len() {
                    self.direct.resize((at + 1).next_power_of_two(), 0);
                }
                self.direct[at] = dense.saturating_add(1);
                None
            }
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
        if let Id::Number(n) = id
            && let Some((last, dense)) = *self.last.place(*n)
            && *n == last
        {
            return Some(dense);
        }
        match self.find(id) {
            Some(dense) => {
                if let Id::Number(n) = id {
                    *self.last.place(*n) = Some((*n, dense));
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
        let direct = self.direct.iter().position(|at| at.checked_sub(1) == Some(*dense)).map(|n| Id::Number(n as i64));
        let number = direct.or_else(|| self.numbers.iter().find(|(_, at)| *at == dense).map(|(n, _)| Id::Number(*n)));
        let id = number.or_else(|| self.texts.iter().find(|(_, at)| *at == dense).map(|(t, _)| Id::Text(t.clone())))?;
        Some((id, spot.clone()))
    }
}
