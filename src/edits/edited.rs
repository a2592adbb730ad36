//! What all changes of a journal that stand come to.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    ops::Range,
};

use serde_json::{Map, Value};

use super::{Blob, Change, Journal, change::listed, codes, draft::Draft, draft::set_in, tree::Node};
use crate::{
    annotations::{Classes, Project, absent, record as annotated},
    error::{Error, Result},
};

/// A dataset with its changes: which samples there are in which order, and what each says of itself.
#[derive(Debug)]
pub struct Edited {
    journal: Journal,
    /// Changes of a sample's metadata, by its number; numbers of changes.
    of_sample: HashMap<u64, Vec<usize>>,
    /// Samples in their new order, as runs of numbers that follow each other, each behind the places before it: what this
    /// takes is decided by the changes, and not by how many samples a journal says that there are. `None` where all of the
    /// file's stand as they are, and those that were added behind them.
    order: Option<Vec<(u64, Range<u64>)>>,
    len: u64,
    /// The classes that the document lists, if those of a project.
    classes: Option<Classes>,
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
        let (mut gone, mut moves) = (BTreeSet::new(), Vec::new());
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
        let all = journal.of().samples.saturating_add(journal.added());
        gone.extend(journal.additions().filter(|(.., stands)| !stands).map(|(number, ..)| number));
        let order = (!gone.is_empty() || !moves.is_empty()).then(|| placed(reorder(all, &moves), &gone));
        let end = |(place, run): &(u64, Range<u64>)| place + (run.end - run.start);
        let len = order.as_ref().map_or(all, |order| order.last().map_or(0, end));
        Edited { journal, of_sample, order, len, classes: None }
    }

    /// Lists the classes of a project in the document, in its order, and no others.
    ///
    /// # Errors
    ///
    /// `label.class` for an annotation of a change whose class the project does not have.
    pub fn follow(mut self, project: &Project) -> Result<Edited> {
        let mut named = Classes::default();
        self.annotated().for_each(|list| name_classes(list, &mut named));
        if let Some(class) = named.iter().find(|class| project.classes().find(&class.name).is_none()) {
            return Err(absent(&class.name));
        }
        self.classes = Some(project.classes().clone());
        Ok(self)
    }

    /// The annotations that changes give samples.
    fn annotated(&self) -> impl Iterator<Item = &str> {
        self.journal.standing().filter_map(|change| match change {
            Change::Set { given, .. } | Change::Add { given, .. } => given.annotations.as_deref(),
            _ => None,
        })
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
            Some(order) => {
                let (before, run) = order.get(order.partition_point(|(at, _)| *at <= place).checked_sub(1)?)?;
                run.start.checked_add(place - before).filter(|sample| *sample < run.end)
            }
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
            Some(order) => {
                order.iter().map(|(_, run)| run.end.min(samples).saturating_sub(run.start.min(samples))).sum()
            }
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

    /// The document beside the samples with its changes. Classes of annotations that are not in its list are added behind
    /// those that are. A document without a list gets none: it would number classes by which samples were edited.
    pub fn document(&self, mut fields: Map<String, Value>) -> Result<Map<String, Value>> {
        let mut changes = self.journal.standing().filter_map(|change| match change {
            Change::Document { fields } => Some(fields),
            _ => None,
        });
        if let Some(first) = changes.next() {
            let mut document = Node::Fields(fields.into());
            let mut all = first.iter().chain(changes.flatten());
            all.try_for_each(|field| set_in(&mut document, field))?;
            fields = match document.value() {
                Value::Object(fields) => fields,
                _ => Map::new(),
            };
        }
        if let Some(classes) = &self.classes {
            fields.extend(annotated::document(classes));
            return Ok(fields);
        }
        let mut lists = self.annotated();
        if ["categories", "classes"].iter().any(|key| fields.contains_key(*key))
            && let Some(first) = lists.next()
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
        self.classes.is_some() || self.journal.standing().any(|change| matches!(change, Change::Document { .. }))
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

/// Numbers below `n` in order, after these were moved, one after the other: a chain in which each knows its neighbors, of
/// which those are kept that are not the numbers beside it. So a move takes as long for the first as for the last.
fn reorder(n: u64, moves: &[(u64, Option<u64>)]) -> Vec<Range<u64>> {
    // The number behind the last stands for both ends.
    let (mut next, mut before): (BTreeMap<u64, u64>, BTreeMap<u64, u64>) = (BTreeMap::new(), BTreeMap::new());
    let usual_next = |at: u64| if at == n { 0 } else { at + 1 };
    let usual_before = |at: u64| if at == 0 { n } else { at - 1 };
    for (sample, target) in moves {
        let (sample, target) = (*sample, target.unwrap_or(n));
        if sample == target || sample >= n || target > n {
            continue;
        }
        let left = before.get(&sample).copied().unwrap_or_else(|| usual_before(sample));
        let right = next.get(&sample).copied().unwrap_or_else(|| usual_next(sample));
        next.insert(left, right);
        before.insert(right, left);
        let left = before.get(&target).copied().unwrap_or_else(|| usual_before(target));
        for (left, right) in [(left, sample), (sample, target)] {
            next.insert(left, right);
            before.insert(right, left);
        }
    }
    next.retain(|at, next| *next != usual_next(*at));
    let mut runs = Vec::new();
    let mut at = next.get(&n).copied().unwrap_or(0);
    while at < n {
        let (last, behind) = next.range(at..n).next().map_or((n - 1, n), |(last, behind)| (*last, *behind));
        runs.push(at..last + 1);
        at = behind;
    }
    runs
}

/// The runs without the numbers that are gone, each with its place.
fn placed(runs: Vec<Range<u64>>, gone: &BTreeSet<u64>) -> Vec<(u64, Range<u64>)> {
    let (mut place, mut all) = (0, Vec::new());
    let mut add = |run: Range<u64>| {
        if run.start < run.end {
            all.push((place, run.clone()));
            place += run.end - run.start;
        }
    };
    for run in runs {
        let mut start = run.start;
        for sample in gone.range(run.clone()) {
            add(start..*sample);
            start = sample + 1;
        }
        add(start..run.end);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(n: u64, moves: &[(u64, Option<u64>)]) -> Vec<u64> {
        reorder(n, moves).into_iter().flatten().collect()
    }

    #[test]
    fn moves_are_made_one_after_the_other() {
        assert_eq!(moved(5, &[(4, Some(0)), (0, None), (2, Some(2))]), [4, 1, 2, 3, 0]);
        assert_eq!(moved(3, &[(0, Some(1)), (2, Some(0))]), [2, 0, 1]);
        assert_eq!(moved(1, &[(0, None)]), [0]);
        assert_eq!(moved(0, &[]), [0; 0]);
    }

    #[test]
    fn what_an_order_takes_is_decided_by_its_changes() {
        let many = 1 << 52;
        let of = crate::edits::Identity::of_folder([("a", 1)].into_iter(), many, "a");
        let mut journal = Journal::new(of);
        for change in [
            r#"{"do":"remove","sample":7}"#.to_owned(),
            format!(r#"{{"do":"move","sample":{},"before":0}}"#, many - 1),
            r#"{"do":"remove","sample":0}"#.to_owned(),
        ] {
            journal.push(Change::parse(&change).unwrap()).unwrap();
        }
        let edited = Edited::new(journal);
        assert_eq!((edited.len(), edited.counts()), (many - 2, (0, 2, 0)));
        let at = |place: u64| edited.at(place);
        assert_eq!([at(0), at(1), at(6), at(7)], [Some(many - 1), Some(1), Some(6), Some(8)]);
        assert_eq!([at(many - 3), at(many - 2), at(u64::MAX)], [Some(many - 2), None, None]);
    }

    proptest::proptest! {
        #[test]
        fn the_order_is_that_of_a_list(
            n in 1_u64..12,
            moves in proptest::collection::vec((0_u64..12, proptest::option::of(0_u64..12)), 0..20),
            gone in proptest::collection::btree_set(0_u64..12, 0..5),
        ) {
            let moves: Vec<_> = moves.into_iter().map(|(a, b)| (a % n, b.map(|b| b % n))).collect();
            let mut list: Vec<u64> = (0..n).collect();
            for (sample, target) in moves.iter().filter(|(sample, target)| Some(*sample) != *target) {
                list.retain(|one| one != sample);
                let at = target.map_or(list.len(), |target| list.iter().position(|one| *one == target).unwrap());
                list.insert(at, *sample);
            }
            list.retain(|one| !gone.contains(one));
            let found = placed(reorder(n, &moves), &gone);
            let places: Vec<u64> = found.iter().flat_map(|(at, run)| (*at..).take(run.clone().count())).collect();
            proptest::prop_assert_eq!(places, (0..list.len() as u64).collect::<Vec<_>>());
            proptest::prop_assert_eq!(found.into_iter().flat_map(|(_, run)| run).collect::<Vec<_>>(), list);
        }
    }
}
