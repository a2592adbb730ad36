//! What is worth knowing of samples that were converted.

use crate::{error::Error, sample::record};

/// What of the samples that were converted is not as it was: counted, with the first of each by name.
#[derive(Clone, Debug, Default)]
pub struct Oddities {
    kept: Counted,
    renamed: Counted,
    numbered: Counted,
    several: Counted,
    taken_in: Counted,
}

#[derive(Clone, Debug, Default)]
struct Counted {
    count: u64,
    first: String,
}

impl Counted {
    fn add(&mut self, first: impl FnOnce() -> String) {
        if self.count == 0 {
            self.first = first();
        }
        self.count += 1;
    }
}

impl Oddities {
    /// A record that keeps metadata as text: [`FoundRecord::kept`](super::FoundRecord::kept).
    pub fn kept(&mut self, why: &Error) {
        self.kept.add(|| why.to_string());
    }
    /// A sample that goes into an archive under another name: [`renamed`](super::renamed).
    pub fn renamed(&mut self, sample: u64, name: &str) {
        self.renamed.add(|| format!("sample {sample}, {name:?}, is {:?}", record::inside(name)));
    }
    /// A file that got a name of its own, since another has the one that it had, or no file can have it.
    pub fn numbered(&mut self, sample: u64, name: &str, now: &str) {
        self.numbered.add(|| format!("sample {sample}, {name:?}, is {now:?}"));
    }
    /// A sample with files in an archive that are samples of their own there, such as a picture beside its picture.
    pub fn several(&mut self, sample: u64, name: &str) {
        self.several.add(|| format!("sample {sample}, {name:?}"));
    }
    /// A sample that goes into a TBL under its name, if that is one under which it will not come out.
    pub(crate) fn taken_in(&mut self, sample: u64, name: &str) {
        if record::safe_name(name).is_err() {
            self.taken_in.add(|| format!("sample {sample}, {name:?}, will be {:?}", record::inside(name)));
        }
    }
    /// What is to be said of all that.
    pub fn notes(self) -> impl Iterator<Item = String> {
        let said = |counted: Counted, one: &str, many: &str| {
            let what = if counted.count == 1 { one.to_owned() } else { many.replace('#', &counted.count.to_string()) };
            (counted.count > 0).then(|| format!("{what}: {}", counted.first))
        };
        [
            said(
                self.kept,
                "the metadata of 1 sample does not read and is kept as text",
                "the metadata of # samples does not read and is kept as text; the first",
            ),
            said(
                self.taken_in,
                "1 name leaves its folder and comes out as another",
                "# names leave their folder and come out as others; the first",
            ),
            said(
                self.renamed,
                "1 name left its folder and is another now",
                "# names left their folder and are others now; the first",
            ),
            said(
                self.numbered,
                "1 name was taken or too long and is another now",
                "# names were taken or too long and are others now; the first",
            ),
            said(
                self.several,
                "1 sample has files that read as samples of their own",
                "# samples have files that read as samples of their own; the first",
            ),
        ]
        .into_iter()
        .flatten()
    }
}
