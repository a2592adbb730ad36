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

/// A difference between two journals that cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "EditConflict"))]
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

/// What of a sample or of the document can be changed. A field that is called as one of the others is another thing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Annotations,
    Field(String),
    Name,
    Place,
    Removed,
    Review,
    Tag(String),
}

impl std::fmt::Display for What {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            What::Annotations => f.write_str("annotations"),
            What::Field(path) => f.write_str(path),
            What::Name => f.write_str("name"),
            What::Place => f.write_str("place"),
            What::Removed => f.write_str("removed"),
            What::Review => f.write_str("review"),
            What::Tag(tag) => write!(f, "tag {tag}"),
        }
    }
}

/// A thing that can be changed.
type Key = (Option<u64>, What);

/// Makes two journals one. Bytes of samples that the first added stand `shift[0]` bytes later in the file beside the new
/// journal, those of the second `shift[1]`. Where both change the same thing differently, `side` says which counts; without it that is refused.
pub fn merge(ours: &Journal, theirs: &Journal, shift: [u64; 2], side: Option<Side>) -> Result<Merged> {
    ours.of().expect(theirs.of())?;
    let samples = ours.of().samples;
    let (first, second) = (plain(ours), plain(theirs));
    let common = first.iter().zip(&second).take_while(|(a, b)| a == b).count();
    let adds = |changes: &[Change]| changes.iter().filter(|change| matches!(change, Change::Add { .. })).count() as u64;
    let (before, more) = (adds(&first[..common]), adds(&first[common..]));
    let later = |sample: u64| if sample >= samples + before { sample + more } else { sample };
    let rest: Vec<Change> = second[common..].iter().map(|change| renumbered(change, later, shift[1])).collect();
    let (begin, first) = first.split_at(common);
    let (own, other) = (things(first), things(&rest));
    let (conflicts, keys) = conflicts(&own, &other);
    if let (None, Some(one)) = (side, conflicts.first()) {
        // The sample is told by the error's own place.
        let of = if one.sample.is_some() { "" } else { "the document: " };
        let more = if conflicts.len() > 1 { format!(" (and {} more)", conflicts.len() - 1) } else { String::new() };
        let message = format!("{}: {} in the first journal, {} in the second{more}", one.path, one.ours, one.theirs);
        let e = Error::new(&codes::CONFLICT, format!("{of}{message}")).with_options(&["ours", "theirs"]);
        return Err(one.sample.into_iter().fold(e, Error::sample));
    }
    let mut lost: BTreeSet<Key> = keys.into_iter().collect();
    // What was said last counts, but not in a sample that stays away, nor inside of what is no longer an object.
    if side == Some(Side::Theirs) {
        lost = lost.into_iter().flat_map(in_the_way).collect();
    }
    let (of_ours, of_theirs) = match side {
        Some(Side::Ours) => (BTreeSet::new(), lost),
        _ => (lost, BTreeSet::new()),
    };
    let mut journal = Journal::new(ours.of().clone());
    let own = first.iter().cloned().filter_map(|change| without(change, &of_ours));
    let kept = rest.into_iter().filter_map(|change| without(change, &of_theirs));
    let first = begin.iter().cloned().chain(own).map(|change| renumbered(&change, |sample| sample, shift[0]));
    for change in first.chain(kept) {
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
        let mut put = |what: What, value: String| drop(all.insert((of, what), value));
        let field = |field: &Field| What::Field(field.path.clone());
        match change {
            Change::Set { given, .. } => {
                given.fields.iter().for_each(|one| put(field(one), said(one)));
                given.annotations.iter().for_each(|list| put(What::Annotations, list.to_string()));
            }
            Change::Document { fields } => fields.iter().for_each(|one| put(field(one), said(one))),
            Change::Remove { .. } => put(What::Removed, "removed".into()),
            Change::Restore { .. } => put(What::Removed, "kept".into()),
            Change::Rename { name, .. } => put(What::Name, format!("{name:?}")),
            Change::Move { before, .. } => {
                put(What::Place, before.map_or("at the end".into(), |before| format!("before sample {before}")));
            }
            Change::Tag { add, remove, .. } => {
                // Within one change what is given counts, as where it is applied.
                remove.iter().for_each(|tag| put(What::Tag(tag.clone()), "taken".into()));
                add.iter().for_each(|tag| put(What::Tag(tag.clone()), "given".into()));
            }
            Change::Review { state, .. } => put(What::Review, state.clone().unwrap_or_else(|| "open".into())),
            Change::Add { .. } | Change::Undo | Change::Redo => {}
        }
    }
    all
}

fn said(field: &Field) -> String {
    field.value.as_ref().map_or("taken away".into(), |value| value.get().to_owned())
}

/// What both changed differently, and the things that are in conflict, as `theirs` names them.
fn conflicts(ours: &BTreeMap<Key, String>, theirs: &BTreeMap<Key, String>) -> (Vec<Conflict>, Vec<Key>) {
    let (mut found, mut keys) = (Vec::new(), Vec::new());
    let mut tell = |(sample, what): &Key, ours: &str, theirs: &str| {
        let (ours, theirs) = (ours.to_owned(), theirs.to_owned());
        found.push(Conflict { sample: *sample, path: what.to_string(), ours, theirs });
        keys.push((*sample, what.clone()));
    };
    for (key, theirs) in theirs {
        match (ours.get(key), &key.1) {
            (Some(ours), _) if ours != theirs => tell(key, ours, theirs),
            // A field of theirs that lies in one of ours, or the other way round.
            (None, What::Field(path)) => {
                let of = |path: &str| (key.0, What::Field(path.to_owned()));
                let around = ancestors(path).find_map(|path| ours.get(&of(path)));
                let inside = |mark: &str| {
                    let begins = format!("{path}{mark}");
                    let (other, value) = ours.range(of(&begins)..).next()?;
                    let within =
                        matches!(other, (sample, What::Field(path)) if *sample == key.0 && path.starts_with(&begins));
                    within.then_some(value)
                };
                if let Some(ours) = around.or_else(|| inside(".")).or_else(|| inside("[")) {
                    tell(key, ours, theirs);
                }
            }
            _ => {}
        }
    }
    // A sample that one leaves out and the other, who does not, changes.
    let removed = |all: &BTreeMap<Key, String>, sample: Option<u64>| {
        all.get(&(sample, What::Removed)).is_some_and(|what| what == "removed")
    };
    let samples: BTreeSet<Option<u64>> = theirs.keys().map(|(sample, _)| *sample).collect();
    for sample in samples {
        let of = |all: &'_ BTreeMap<Key, String>| -> Vec<(Key, String)> {
            let these = all.range((sample, What::Annotations)..).take_while(|((of, _), _)| *of == sample);
            let these = these.filter(|((_, what), _)| *what != What::Removed);
            these.map(|(key, value)| (key.clone(), value.clone())).collect()
        };
        match (removed(ours, sample), removed(theirs, sample)) {
            (true, false) => of(theirs).iter().for_each(|(key, value)| tell(key, "removed", value)),
            (false, true) => {
                if let Some(((_, what), value)) = of(ours).first() {
                    tell(&(sample, What::Removed), &format!("{what} is {value}"), "removed");
                }
            }
            _ => {}
        }
    }
    (found, keys)
}

/// A thing of theirs that counts, and those of ours that would keep it from that.
fn in_the_way((sample, what): Key) -> Vec<Key> {
    let mut all = vec![(sample, What::Removed)];
    if let What::Field(path) = &what {
        all.extend(ancestors(path).map(|path| (sample, What::Field(path.to_owned()))));
    }
    all.push((sample, what));
    all
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
    let counts = |what: What| !lost.contains(&(of, what));
    let stays = |field: &Field| counts(What::Field(field.path.clone()));
    match change {
        Change::Set { sample, given } => {
            let annotations = given.annotations.filter(|_| counts(What::Annotations));
            let fields = given.fields.into_iter().filter(stays).collect();
            let given = Given { fields, annotations };
            (!given.is_empty()).then_some(Change::Set { sample, given })
        }
        Change::Document { fields } => {
            let fields: Vec<Field> = fields.into_iter().filter(stays).collect();
            (!fields.is_empty()).then_some(Change::Document { fields })
        }
        Change::Tag { sample, add, remove } => {
            let keep = |tags: Vec<String>| tags.into_iter().filter(|tag| counts(What::Tag(tag.clone()))).collect();
            let (add, remove): (Vec<_>, Vec<_>) = (keep(add), keep(remove));
            (!add.is_empty() || !remove.is_empty()).then_some(Change::Tag { sample, add, remove })
        }
        Change::Remove { .. } | Change::Restore { .. } => counts(What::Removed).then_some(change),
        Change::Rename { .. } => counts(What::Name).then_some(change),
        Change::Move { .. } => counts(What::Place).then_some(change),
        Change::Review { .. } => counts(What::Review).then_some(change),
        Change::Add { .. } | Change::Undo | Change::Redo => Some(change),
    }
}
