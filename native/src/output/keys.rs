//! Which files of a folder belong together: those that share a name up to its first dot.

use std::collections::HashMap;

use forebay::sample::record::{is_media, split};

/// What every sample that a run has written is called, up to the first dot: of two samples that share that, whoever reads the
/// folder would give the sidecars to the picture that comes first by name.
#[derive(Debug, Default)]
pub struct Keys(HashMap<String, Held>);

/// The files of a key.
#[derive(Debug)]
struct Held {
    /// The picture that comes first by name.
    first: Option<String>,
    sidecars: bool,
}

impl Keys {
    /// The names for all files of sample `i`: their own, or all of them with the sample's number behind what they share, where
    /// other files would be taken for theirs or theirs for those of others.
    pub fn give(&mut self, names: &[String], i: u64) -> Vec<String> {
        let Some(own) = names.first().map(|name| split(name).0.to_owned()) else { return Vec::new() };
        let mut key = own.clone();
        loop {
            let named = |name: &String| match name.strip_prefix(&own) {
                Some(rest) => format!("{key}{rest}"),
                None => name.clone(),
            };
            let given: Vec<String> = names.iter().map(named).collect();
            let picture = given.iter().filter(|name| is_media(name)).min().cloned();
            let place = plain(&key);
            match self.0.get_mut(&place) {
                None => {
                    self.0.insert(place, Held { first: picture, sidecars: given.len() > 1 });
                    return given;
                }
                // A picture alone takes nothing from those that come before it by name.
                Some(held) if given.len() == 1 && picture.is_some() && (!held.sidecars || held.first < picture) => {
                    held.first = held.first.take().min(picture);
                    return given;
                }
                Some(_) => key = format!("{key}~{i}"),
            }
        }
    }
}

/// A key without the parts that say nothing.
fn plain(key: &str) -> String {
    key.split('/').filter(|part| !part.is_empty() && *part != ".").collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_a_sample_stay_together_and_apart_from_those_of_others() {
        let mut keys = Keys::default();
        let mut give = |i, names: &[&str]| keys.give(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>(), i);
        assert_eq!(give(0, &["c.jpg", "c.json"]), ["c.jpg", "c.json"]);
        assert_eq!(give(1, &["d.jpg"]), ["d.jpg"]);
        assert_eq!(give(2, &["c.jpg", "c.txt"]), ["c~2.jpg", "c~2.txt"]);
        // Behind the picture that the sidecars belong to, and in front of it.
        assert_eq!(give(3, &["c.seg.png"]), ["c.seg.png"]);
        assert_eq!(give(4, &["c.bmp"]), ["c~4.bmp"]);
        // Nobody has sidecars.
        assert_eq!([give(5, &["d.bmp"]), give(6, &["d.jpg"])], [["d.bmp"], ["d.jpg"]]);
        assert_eq!(give(7, &["./d.jpg", "./d.cls"]), ["./d~7.jpg", "./d~7.cls"]);
        assert_eq!(give(8, &["a", "a.cls"]), ["a", "a.cls"]);
    }
}
