//! What all changes of a journal that stand come to.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::{Blob, Change, Journal, change::listed, codes, draft::Draft, draft::set_in};
use crate::{
    annotations::{Classes, record as annotated},
    error::{Error, Result},
};

/// A dataset with its changes: which samples there are in which order, and what each says of itself.
#[derive(Debug)]
pub struct Edited {
    journal: Journal,
    /// Changes of a sample's metadata, by its number; numbers of changes.
    of_sample: HashMap<u64, Vec<usize>>,
    /// Samples in their new order; `None` where all of the file's stand as they are, and those that were added behind them.
    order: Option<Vec<u64>>,
    len: u64,
}

/// What an added sample is.
#[derive(Clone, Copy, Debug)]
pub struct Added<'a> {
    /// The name of its file.
    pub name: &'a str,
    /// Where its bytes are.
    pub blob: Blob,
}

impl Edited {
    /// What the changes come to.
    pub fn new(journal: Journal) -> Edited {
        let mut of_sample: HashMap<u64, Vec<usize>> = HashMap::new();
        let (mut gone, mut moves) = (HashSet::new(), Vec::new());
        for (k, change) in journal.standing_numbers() {
            match change {
                Change::Remove { sample } => drop(gone.insert(*sample)),
                Change::Restore { sample } => drop(gone.remove(sample)),
                Change::Move { sample, before } => moves.push((*sample, *before)),
                change => {
                    if let Some(sample) = change.sample() {
                        of_sample.entry(sample).or_default().push(k);
                    }
                }
            }
        }
        let (samples, added) = (journal.of().samples, journal.added());
        gone.extend(journal.additions().filter(|(.., stands)| !stands).map(|(number, ..)| number));
        let order = (!gone.is_empty() || !moves.is_empty()).then(|| {
            let moved =
                if moves.is_empty() { (0..samples + added).collect() } else { reorder(samples + added, &moves) };
            moved.into_iter().filter(|sample| !gone.contains(sample)).collect::<Vec<u64>>()
        });
        let len = order.as_ref().map_or(samples + added, |order| order.len() as u64);
        Edited { journal, of_sample, order, len }
    }

    /// The journal.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }
    /// How many samples there are.
    pub fn len(&self) -> u64 {
        self.len
    }
    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// The number that the sample in this place had, or that it got when it was added.
    pub fn at(&self, place: u64) -> Option<u64> {
        match &self.order {
            Some(order) => order.get(usize::try_from(place).ok()?).copied(),
            None => Some(place).filter(|place| *place < self.len),
        }
    }
    /// Whether only metadata changes: every sample of the file stands in its place, and there is no other.
    pub fn is_metadata_only(&self) -> bool {
        self.order.is_none() && self.journal.added() == 0
    }
    /// Whether the metadata of a sample changes.
    pub fn touches(&self, sample: u64) -> bool {
        self.of_sample.contains_key(&sample)
    }
    /// How many samples of the file have other metadata, how many are left out, and how many are new.
    pub fn counts(&self) -> (u64, u64, u64) {
        let samples = self.journal.of().samples;
        let changed = self.of_sample.keys().filter(|sample| **sample < samples).count() as u64;
        let new = self.journal.additions().filter(|(.., stands)| *stands).count() as u64;
        let kept = match &self.order {
            Some(order) => order.iter().filter(|sample| **sample < samples).count() as u64,
            None => samples,
        };
        (changed, samples - kept, new)
    }

    /// A sample that was added, by its number.
    pub fn added(&self, sample: u64) -> Option<Added<'_>> {
        let k = sample.checked_sub(self.journal.of().samples)?;
        match self.journal.addition(k)? {
            Change::Add { name, blob, .. } => Some(Added { name, blob: *blob }),
            _ => None,
        }
    }

    /// The record of a sample with its changes, under the number `id` that it gets. `text` is what the file says.
    pub fn record(&self, sample: u64, id: u64, text: Option<&str>) -> Result<String> {
        self.changed(sample, id, text).map_err(|e| e.sample(sample))
    }

    fn changed(&self, sample: u64, id: u64, text: Option<&str>) -> Result<String> {
        let mut draft = Draft::new(text, id);
        let k = sample.checked_sub(self.journal.of().samples);
        if let Some(Change::Add { name, given, .. }) = k.and_then(|k| self.journal.addition(k)) {
            draft.rename(name);
            draft.given(given)?;
        }
        let mut review = None;
        let changes =
            || self.of_sample.get(&sample).into_iter().flatten().filter_map(|&k| self.journal.changes().get(k));
        for change in changes() {
            match change {
                Change::Set { given, .. } => draft.given(given)?,
                Change::Rename { name, .. } => draft.rename(name),
                Change::Review { state, .. } => review = Some(state.as_deref()),
                _ => {}
            }
        }
        let tags = || {
            changes().filter_map(|change| match change {
                Change::Tag { add, remove, .. } => Some((&add[..], &remove[..])),
                _ => None,
            })
        };
        if tags().next().is_some() {
            draft.tag(tags())?;
        }
        if let Some(state) = review {
            draft.review(state)?;
        }
        Ok(crate::sample::record::renumber(&draft.finish(), id))
    }

    /// The document beside the samples with its changes. Classes of annotations that it does not list are added behind
    /// those that it lists.
    pub fn document(&self, mut fields: Map<String, Value>) -> Result<Map<String, Value>> {
        for change in self.journal.standing() {
            if let Change::Document { fields: changes } = change {
                changes.iter().try_for_each(|field| set_in(&mut fields, field))?;
            }
        }
        let mut lists = self.journal.standing().filter_map(|change| match change {
            Change::Set { given, .. } | Change::Add { given, .. } => given.annotations.as_deref(),
            _ => None,
        });
        if let Some(first) = lists.next()
            // What lists classes in a way of its own is left alone.
            && let Ok(mut classes) = annotated::read_classes(&fields)
        {
            let before = classes.len();
            std::iter::once(first).chain(lists).for_each(|list| name_classes(list, &mut classes));
            if classes.len() > before {
                list_classes(&mut fields, &classes, before);
            }
        }
        Ok(fields)
    }

    /// Whether the document changes.
    pub fn touches_document(&self) -> bool {
        self.journal.standing().any(|change| matches!(change, Change::Document { .. }))
    }

    /// Refuses metadata where there is no place for it.
    pub(super) fn refuse_metadata(&self, why: &str) -> Result<()> {
        match !self.of_sample.is_empty() || self.touches_document() || self.journal.added() > 0 {
            true => Err(Error::new(&codes::CANNOT, why.to_owned())),
            false => Ok(()),
        }
    }
}

fn name_classes(list: &str, classes: &mut Classes) {
    for name in listed(list).as_array().into_iter().flatten().filter_map(|one| one.get("class")?.as_str()) {
        classes.found(name);
    }
}

/// Adds the classes from number `before` on to the lists of a document.
fn list_classes(fields: &mut Map<String, Value>, classes: &Classes, before: usize) {
    let mut all = annotated::document(classes);
    let mut of = |key: &str| match all.remove(key) {
        Some(Value::Array(list)) => list,
        _ => Vec::new(),
    };
    let (names, details) = (of("classes"), of("categories"));
    let (old, new) = names.split_at(before.min(names.len()));
    let listed = matches!(fields.get("classes"), Some(Value::Array(list)) if list == old);
    match fields.get_mut("categories") {
        Some(Value::Array(list)) => {
            list.extend(details.into_iter().skip(before));
            if let (true, Some(Value::Array(list))) = (listed, fields.get_mut("classes")) {
                list.extend(new.iter().cloned());
            }
        }
        _ => {
            // `classes` without them are those of a folder, or another program's.
            if !fields.contains_key("classes") {
                fields.insert("classes".into(), names.into());
            }
            fields.insert("categories".into(), details.into());
        }
    }
}

/// Numbers below `len` in order, after these were moved, one after the other: a chain in which each knows its neighbors, so
/// that a move takes as long for the first as for the last.
fn reorder(len: u64, moves: &[(u64, Option<u64>)]) -> Vec<u64> {
    // The last place stands for both ends.
    let Ok(n) = usize::try_from(len) else { return Vec::new() };
    let mut next: Vec<usize> = (1..=n).chain([0]).collect();
    let mut before: Vec<usize> = std::iter::once(n).chain(0..n).collect();
    for (sample, target) in moves {
        let (sample, target) = (*sample as usize, target.map_or(n, |target| target as usize));
        if sample == target || sample >= n || target > n {
            continue;
        }
        let (left, right) = (before[sample], next[sample]);
        (next[left], before[right]) = (right, left);
        let left = before[target];
        (next[left], before[sample]) = (sample, left);
        (next[sample], before[target]) = (target, sample);
    }
    std::iter::successors(Some(next[n]), |&at| Some(next[at])).take_while(|&at| at != n).map(|at| at as u64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_made_one_after_the_other() {
        assert_eq!(reorder(5, &[(4, Some(0)), (0, None), (2, Some(2))]), [4, 1, 2, 3, 0]);
        assert_eq!(reorder(3, &[(0, Some(1)), (2, Some(0))]), [2, 0, 1]);
        assert_eq!(reorder(1, &[(0, None)]), [0]);
    }
}
