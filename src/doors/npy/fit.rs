//! Which arrays are images, and which their labels.

use super::{array::Array, header::Kind};

/// Words in the names of arrays of labels, and of images.
const LABELS: [&str; 5] = ["label", "target", "class", "y", "lab"];
const IMAGES: [&str; 6] = ["image", "img", "x", "data", "picture", "frames"];
/// Parts of names that say which split an array is of.
const SPLITS: [&str; 6] = ["train", "test", "valid", "validation", "val", "dev"];

/// Rows of an array that are samples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub array: usize,
    pub labels: Option<usize>,
    pub split: Option<&'static str>,
    /// The number of the first.
    pub first: u64,
    pub rows: u64,
}

/// The samples of these arrays: rows of images; else rows of the only array, or of one that has labels; else each array.
pub(super) fn parts(arrays: &[Array]) -> Option<Vec<Part>> {
    let images = |array: &&(usize, &Array)| {
        let shape = &array.1.header.shape;
        array.1.channels().is_some() && shape.len() >= 3 && !is(LABELS, &array.1.name)
    };
    // Rows without bytes are no samples, however many there are.
    let numbered: Vec<(usize, &Array)> = arrays.iter().enumerate().filter(|(_, array)| array.row_bytes() > 0).collect();
    let mut chosen: Vec<_> = numbered.iter().filter(images).copied().collect();
    if chosen.is_empty() {
        // Numbers that are no pixels: rows with labels, or named as images are.
        let rows = |(k, array): &&(usize, &Array)| {
            array.header.shape.len() >= 2
                && array.header.kind != Kind::Other
                && !is(LABELS, &array.name)
                && (labels(arrays, *k).is_some() || is(IMAGES, &array.name))
        };
        chosen = numbered.iter().filter(rows).copied().collect();
    }
    if let ([only], true) = (&numbered[..], chosen.is_empty())
        && !only.1.header.shape.is_empty()
    {
        chosen = vec![*only];
    }
    if chosen.is_empty() {
        return None;
    }
    let mut first = 0_u64;
    let mut parts = Vec::new();
    for (k, array) in chosen {
        let rows = array.rows();
        parts.push(Part { array: k, labels: labels(arrays, k), split: split(&array.name), first, rows });
        first = first.saturating_add(rows);
    }
    Some(parts)
}

fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Whether a word of the name begins with one of these; single letters have to be all of it.
fn is<const N: usize>(known: [&str; N], name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    words(&name).any(|word| {
        let fits = |known: &str| if known.len() == 1 { word == known } else { word.starts_with(known) };
        known.iter().any(|known| fits(known))
    })
}

fn split(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    SPLITS.iter().find(|split| words(&name).any(|word| word == **split)).copied()
}

/// The array that has a number for each row of array `k`.
fn labels(arrays: &[Array], k: usize) -> Option<usize> {
    let images = arrays.get(k)?;
    let fits = |(at, array): &(usize, &Array)| {
        *at != k
            && array.rows() == images.rows()
            && matches!(array.header.shape[..], [_] | [_, 1])
            && matches!(array.header.kind, Kind::Unsigned | Kind::Signed)
            && is(LABELS, &array.name)
            && split(&array.name) == split(&images.name)
    };
    arrays.iter().enumerate().find(fits).map(|(at, _)| at)
}
