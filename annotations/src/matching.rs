//! Images of labels found by the names of samples, which may have more folders in front, or fewer.

use std::{cmp::Ordering, sync::OnceLock};

use super::codes::AMBIGUOUS;
use crate::{Error, Result, sample::split};

/// Finds the image of labels that a sample is, by its name. An image is of one sample at most.
///
/// ```
/// use forebay_annotations::Matcher;
/// let images = Matcher::of(["v1/1.jpg", "2.jpg"]);
/// assert_eq!(images.take("set/v1/1.jpg", "the first sample")?, Some(0));
/// assert_eq!(images.take("v2/1.jpg", "the second")?, None);
/// assert_eq!(images.take("v2/2.jpg", "the third")?, Some(1));
/// assert!(images.take("v3/2.jpg", "the fourth").is_err());
/// # Ok::<(), forebay_base::Error>(())
/// ```
#[derive(Debug)]
pub struct Matcher {
    /// In the order of their ends: those that end alike stand beside each other, however many there are.
    sorted: Vec<(String, usize)>,
    /// The sample that each was taken for.
    taken: Vec<OnceLock<String>>,
}

/// A name without its ending: all from the first dot of the last part on.
#[doc(hidden)]
pub fn stem(name: &str) -> &str {
    let last = name.rsplit('/').next().unwrap_or(name);
    &name[..name.len() - (last.len() - split(last).0.len())]
}

fn backwards(a: &str, b: &str) -> Ordering {
    a.bytes().rev().cmp(b.bytes().rev())
}

impl Matcher {
    /// Names, each with its number. Folders may be parted as on Windows, and `./` says nothing.
    pub fn of<'a>(names: impl IntoIterator<Item = &'a str>) -> Matcher {
        let plain = |name: &str| {
            let name = name.replace('\\', "/");
            name.strip_prefix("./").map(str::to_owned).unwrap_or(name)
        };
        let mut names: Vec<(String, usize)> = names.into_iter().map(plain).zip(0..).collect();
        names.sort_unstable_by(|(a, i), (b, k)| backwards(a, b).then(i.cmp(k)));
        let taken = names.iter().map(|_| OnceLock::new()).collect();
        Matcher { sorted: names, taken }
    }

    /// The picture that a sample's name means: the same name, the longest that it ends with, folder by folder, or the only
    /// one that ends with it; each also without the sample's ending, which some formats do not name. What could mean
    /// several pictures is refused, and so is a picture that two samples could be. `place` says which sample it is.
    pub fn take(&self, sample: &str, place: &str) -> Result<Option<usize>> {
        let Some(k) = self.find(sample)? else { return Ok(None) };
        let first = self.taken.get(k).map_or(place, |taken| taken.get_or_init(|| place.to_owned()).as_str());
        if first != place {
            let name = self.sorted.iter().find(|(_, number)| *number == k).map_or("", |(name, _)| name);
            let message = format!("{first:?} and {place:?} could both be the image {name:?} of the labels");
            return Err(Error::new(&AMBIGUOUS, message));
        }
        Ok(Some(k))
    }

    /// Whether a sample has taken it.
    pub fn is_taken(&self, k: usize) -> bool {
        self.taken.get(k).is_some_and(|taken| taken.get().is_some())
    }

    fn find(&self, sample: &str) -> Result<Option<usize>> {
        let plain = sample.replace('\\', "/");
        for name in with_and_without_ending(&plain) {
            if let Some(one) = self.longest_in(name) {
                return Ok(Some(one));
            }
            let several: Vec<&(String, usize)> = self.ending_with(name).take(3).collect();
            match several[..] {
                [] => {}
                [(_, one)] => return Ok(Some(*one)),
                _ => {
                    let names: Vec<_> = several.iter().map(|(name, _)| format!("{name:?}")).collect();
                    let message = format!("{sample:?} could be several images of the labels: {}", names.join(", "));
                    return Err(Error::new(&AMBIGUOUS, message));
                }
            }
        }
        Ok(None)
    }

    /// The longest name that a sample's name is or ends with.
    fn longest_in(&self, sample: &str) -> Option<usize> {
        let mut ends = std::iter::once(0).chain(sample.match_indices('/').map(|(at, _)| at + 1));
        ends.find_map(|at| self.exactly(sample.get(at..)?))
    }

    fn exactly(&self, wanted: &str) -> Option<usize> {
        let at = self.sorted.partition_point(|(name, _)| backwards(name, wanted).is_lt());
        self.sorted.get(at).filter(|(name, _)| name == wanted).map(|(_, number)| *number)
    }

    /// Those that end with a folder and then this.
    fn ending_with(&self, tail: &str) -> impl Iterator<Item = &(String, usize)> {
        let tail = format!("/{tail}");
        let at = self.sorted.partition_point(|(name, _)| backwards(name, &tail).is_lt());
        let behind = self.sorted.get(at..).unwrap_or_default().iter();
        behind.take_while(move |(name, _)| name.ends_with(&tail))
    }
}

/// A sample's name, and the same without its ending, which some formats of labels do not name.
fn with_and_without_ending(sample: &str) -> impl Iterator<Item = &str> {
    let base = sample.rsplit('/').next().unwrap_or(sample);
    let without = base.rfind('.').and_then(|at| sample.get(..sample.len() - base.len() + at));
    std::iter::once(sample).chain(without)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_another_or_its_end() {
        let names = ["a/1.jpg", "b/1.jpg", "c/2.jpg", "3.jpg", "./4.jpg", "d\\5.jpg", "train/6", "1.jpg"];
        let labels = Matcher::of(names);
        let find = |sample: &str| labels.find(sample).unwrap();
        assert_eq!([find("a/1.jpg"), find("x/b/1.jpg"), find("y/1.jpg")], [Some(0), Some(1), Some(7)]);
        assert_eq!([find("2.jpg"), find("x/2.jpg"), find("x/3.jpg")], [Some(2), None, Some(3)]);
        assert_eq!(
            [find("4.jpg"), find("d/5.jpg"), find("train/6.png"), find("6.png")],
            [Some(4), Some(5), Some(6), Some(6)]
        );
        assert_eq!([find("val/6.png"), find("9.jpg")], [None, None]);
        let labels = Matcher::of(["a/1.jpg", "b/1.jpg"]);
        assert_eq!(labels.find("1.jpg").unwrap_err().code().id(), "label.ambiguous");
    }

    #[test]
    fn a_picture_is_of_one_sample() {
        let labels = Matcher::of(["1.jpg", "v1/2.jpg"]);
        assert_eq!(labels.take("a/1.jpg", "a/1.jpg").unwrap(), Some(0));
        assert_eq!(labels.take("a/1.jpg", "a/1.jpg").unwrap(), Some(0));
        assert_eq!(labels.take("b/1.jpg", "b/1.jpg").unwrap_err().code().id(), "label.ambiguous");
        assert_eq!(labels.take("v2/2.jpg", "v2/2.jpg").unwrap(), None);
        assert!(labels.is_taken(0) && !labels.is_taken(1));
    }
}
