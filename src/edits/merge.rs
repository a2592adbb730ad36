//! Two journals of one file that began alike, made one.

use std::collections::{BTreeMap, BTreeSet};

use super::{Blob, Change, Field, Given, Journal, codes};
use crate::error::{Error, Result};

/// Whose change counts where both changed the same thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// That of the first journal.
    Ours,
    /// That of the second.
    Theirs,
}

/// What two journals changed differently.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Conflict {
    /// The sample; `None` is the document.
    pub sample: Option<u64>,
    /// What of it: a field's path, or `annotations`, `name`, `place`, `removed`, `review`, `tag X`.
    pub path: String,
    /// What the first made of it.
    pub ours: String,
    /// What the second made of it.
    pub theirs: String,
}

/// Both in one.
#[derive(Debug)]
#[non_exhaustive]
pub struct Merged {
    /// The journal: what both began with, then the first's changes, then the second's. What was undone is left out.
    pub journal: Journal,
    /// What they changed differently, by the side that was chosen.
    pub conflicts: Vec<Conflict>,
}

/// A thing that can be changed.
type Key = (Option<u64>, String);

/// Makes two journals one. Bytes of samples that `theirs` added stand `shift` bytes later in the file beside the new
/// journal. Where both change the same thing differently, `side` says which counts; without it that is refused.
pub fn merge(ours: &Journal, theirs: &Journal, shift: u64, side: Option<Side>) -> Result<Merged> {
    ours.of().expect(theirs.of())?;
    let samples = ours.of().samples;
    let (first, second) = (plain(ours), plain(theirs));
    let common = first.iter().zip(&second).take_while(|(a, b)| a == b).count();
    let adds = |changes: &[Change]| changes.iter().filter(|change| matches!(change, Change::Add { .. })).count() as u64;
    let (before, more) = (adds(&first[..common]), adds(&first[common..]));
    let later = |sample: u64| if sample >= samples + before { sample + more } else { sample };
    let rest: Vec<Change> = second[common..].iter().map(|change| renumbered(change, later, shift)).collect();
    let (own, other) = (things(&first[common..]), things(&rest));
    let conflicts = conflicts(&own, &other);
    if let (None, Some(one)) = (side, conflicts.first()) {
        let of = one.sample.map_or("the document".to_owned(), |sample| format!("sample {sample}"));
        let more = if conflicts.len() > 1 { format!(" (and {} more)", conflicts.len() - 1) } else { String::new() };
        let message = format!("{}: {} here, {} there{more}", one.path, one.ours, one.theirs);
        let e = Error::new(&codes::CONFLICT, format!("{of}: {message}")).with_options(&["ours", "theirs"]);
        return Err(one.sample.into_iter().fold(e, Error::sample));
    }
    let mut lost: BTreeSet<Key> = BTreeSet::new();
    if side == Some(Side::Ours) {
        lost.extend(conflicts.iter().map(|one| (one.sample, one.path.clone())));
    }
    let mut journal = Journal::new(ours.of().clone());
    let kept = rest.into_iter().filter_map(|change| without(change, &lost));
    for change in first.into_iter().chain(kept) {
        journal.push(change)?;
    }
    Ok(Merged { journal, conflicts })
}

/// The changes that stand, with samples numbered as if nothing had been undone.
fn plain(journal: &Journal) -> Vec<Change> {
    let mut numbers: BTreeMap<u64, Option<u64>> = BTreeMap::new();
    let mut next = journal.of().samples;
    for (number, _, stands) in journal.additions() {
        numbers.insert(number, stands.then_some(next));
        next += u64::from(stands);
    }
    let gone = |sample: u64| numbers.get(&sample).is_some_and(Option::is_none);
    let number = |sample: u64| numbers.get(&sample).copied().flatten().unwrap_or(sample);
    let refers = |change: &Change| match change {
        Change::Move { before: Some(before), .. } => gone(*before),
        _ => false,
    };
    let standing = journal.standing().filter(|change| !change.sample().is_some_and(gone) && !refers(change));
    standing.map(|change| renumbered(change, number, 0)).collect()
}

fn renumbered(change: &Change, number: impl Fn(u64) -> u64, shift: u64) -> Change {
    let mut change = change.clone();
    match &mut change {
        Change::Set { sample, .. }
        | Change::Remove { sample }
        | Change::Restore { sample }
        | Change::Rename { sample, .. }
        | Change::Tag { sample, .. }
        | Change::Review { sample, .. } => *sample = number(*sample),
        Change::Move { sample, before } => (*sample, *before) = (number(*sample), before.map(number)),
        Change::Add { blob, .. } => *blob = Blob { at: blob.at.saturating_add(shift), ..*blob },
        Change::Document { .. } | Change::Undo | Change::Redo => {}
    }
    change
}

/// What changes make of things, the last of each.
fn things(changes: &[Change]) -> BTreeMap<Key, String> {
    let mut all = BTreeMap::new();
    for change in changes {
        let of = change.sample();
        let mut put = |path: &str, value: String| drop(all.insert((of, path.to_owned()), value));
        match change {
            Change::Set { given, .. } => {
                given.fields.iter().for_each(|field| put(&field.path, said(field)));
                given.annotations.iter().for_each(|list| put("annotations", list.to_string()));
            }
            Change::Document { fields } => fields.iter().for_each(|field| put(&field.path, said(field))),
            Change::Remove { .. } => put("removed", "removed".into()),
            Change::Restore { .. } => put("removed", "kept".into()),
            Change::Rename { name, .. } => put("name", format!("{name:?}")),
            Change::Move { before, .. } => {
                put("place", before.map_or("at the end".into(), |before| format!("before sample {before}")));
            }
            Change::Tag { add, remove, .. } => {
                add.iter().for_each(|tag| put(&format!("tag {tag}"), "given".into()));
                remove.iter().for_each(|tag| put(&format!("tag {tag}"), "taken".into()));
            }
            Change::Review { state, .. } => put("review", state.clone().unwrap_or_else(|| "open".into())),
            Change::Add { .. } | Change::Undo | Change::Redo => {}
        }
    }
    all
}

fn said(field: &Field) -> String {
    field.value.as_ref().map_or("taken away".into(), |value| value.get().to_owned())
}

fn conflicts(ours: &BTreeMap<Key, String>, theirs: &BTreeMap<Key, String>) -> Vec<Conflict> {
    let mut found = Vec::new();
    let mut tell = |key: &Key, ours: &str, theirs: &str| {
        let (sample, path) = key.clone();
        found.push(Conflict { sample, path, ours: ours.to_owned(), theirs: theirs.to_owned() });
    };
    for (key, theirs) in theirs {
        match ours.get(key) {
            Some(ours) if ours != theirs => tell(key, ours, theirs),
            Some(_) => {}
            // A field of theirs that lies in one of ours, or the other way round.
            None => {
                let around = ancestors(&key.1).find_map(|path| ours.get(&(key.0, path.to_owned())));
                let inside = || {
                    let first = ours.range((key.0, format!("{}.", key.1))..).next();
                    let indexed = ours.range((key.0, format!("{}[", key.1))..).next();
                    let within = |(other, _): &(&Key, &String)| {
                        other.0 == key.0
                            && other.1.strip_prefix(&key.1).is_some_and(|rest| rest.starts_with(['.', '[']))
                    };
                    first.filter(within).or(indexed.filter(within)).map(|(_, value)| value)
                };
                if let Some(ours) = around.or_else(inside) {
                    tell(key, ours, theirs);
                }
            }
        }
    }
    // A sample that one leaves out and the other changes.
    let removed = |all: &BTreeMap<Key, String>, sample: Option<u64>| {
        all.get(&(sample, "removed".to_owned())).is_some_and(|what| what == "removed")
    };
    let mut seen = BTreeSet::new();
    for ((sample, path), value) in theirs {
        if path != "removed" && removed(ours, *sample) {
            tell(&(*sample, path.clone()), "removed", value);
        }
        if path == "removed" && value == "removed" && seen.insert(*sample) {
            let other = ours.range((*sample, String::new())..).next().filter(|((of, _), _)| of == sample);
            if let Some(((_, path), value)) = other
                && path != "removed"
            {
                let changed = format!("{path} is {value}");
                tell(&(*sample, "removed".into()), &changed, "removed");
            }
        }
    }
    found
}

/// The paths that this one lies in.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    path.char_indices().filter(|(_, c)| matches!(c, '.' | '[')).map(|(at, _)| &path[..at])
}

/// A change without what does not count; `None` where nothing is left.
fn without(change: Change, lost: &BTreeSet<Key>) -> Option<Change> {
    if lost.is_empty() {
        return Some(change);
    }
    let of = change.sample();
    let counts = |path: &str| !lost.contains(&(of, path.to_owned()));
    match change {
        Change::Set { sample, given } => {
            let annotations = given.annotations.filter(|_| counts("annotations"));
            let fields = given.fields.into_iter().filter(|field| counts(&field.path)).collect();
            let given = Given { fields, annotations };
            (!given.is_empty()).then_some(Change::Set { sample, given })
        }
        Change::Document { fields } => {
            let fields: Vec<Field> = fields.into_iter().filter(|field| counts(&field.path)).collect();
            (!fields.is_empty()).then_some(Change::Document { fields })
        }
        Change::Tag { sample, add, remove } => {
            let keep = |tags: Vec<String>| tags.into_iter().filter(|tag| counts(&format!("tag {tag}"))).collect();
            Some(Change::Tag { sample, add: keep(add), remove: keep(remove) })
        }
        Change::Remove { .. } | Change::Restore { .. } => counts("removed").then_some(change),
        Change::Rename { .. } => counts("name").then_some(change),
        Change::Move { .. } => counts("place").then_some(change),
        Change::Review { .. } => counts("review").then_some(change),
        Change::Add { .. } | Change::Undo | Change::Redo => Some(change),
    }
}
