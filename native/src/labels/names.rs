//! Pictures found by the names of samples, which may have more folders in front, or fewer.

use std::cmp::Ordering;

/// Names in the order of their ends: those that end alike stand beside each other, however many there are.
#[derive(Debug)]
pub(crate) struct Names(Vec<(String, usize)>);

fn backwards(a: &str, b: &str) -> Ordering {
    a.bytes().rev().cmp(b.bytes().rev())
}

impl Names {
    /// Names, each with its number. Folders may be parted as on Windows, and `./` says nothing.
    pub fn of<'a>(names: impl IntoIterator<Item = &'a str>) -> Names {
        let plain = |name: &str| {
            let name = name.replace('\\', "/");
            name.strip_prefix("./").map(str::to_owned).unwrap_or(name)
        };
        let mut names: Vec<(String, usize)> = names.into_iter().map(plain).zip(0..).collect();
        names.sort_unstable_by(|(a, i), (b, k)| backwards(a, b).then(i.cmp(k)));
        Names(names)
    }

    /// The longest name that a sample's name is or ends with, folder by folder.
    pub fn longest_in(&self, sample: &str) -> Option<usize> {
        let mut ends = std::iter::once(0).chain(sample.match_indices('/').map(|(at, _)| at + 1));
        ends.find_map(|at| self.exactly(sample.get(at..)?))
    }

    fn exactly(&self, wanted: &str) -> Option<usize> {
        let at = self.0.partition_point(|(name, _)| backwards(name, wanted).is_lt());
        self.0.get(at).filter(|(name, _)| name == wanted).map(|(_, number)| *number)
    }

    /// Those that end with a folder and then this.
    pub fn ending_with(&self, tail: &str) -> impl Iterator<Item = usize> {
        let tail = format!("/{tail}");
        let at = self.0.partition_point(|(name, _)| backwards(name, &tail).is_lt());
        let behind = self.0.get(at..).unwrap_or_default().iter();
        behind.take_while(move |(name, _)| name.ends_with(&tail)).map(|(_, number)| *number)
    }
}

/// A sample's name, and the same without its ending, which some formats of labels do not name.
pub(crate) fn with_and_without_ending(sample: &str) -> impl Iterator<Item = &str> {
    let base = sample.rsplit('/').next().unwrap_or(sample);
    let without = base.rfind('.').and_then(|at| sample.get(..sample.len() - base.len() + at));
    std::iter::once(sample).chain(without)
}
