//! Several files of which each is its own answer: what goes wrong with one hides no other.

use std::path::{Path, PathBuf};

use forebay::Result;
use forebay_native::input::display;

use super::filtering::paths;
use crate::{exit::Outcome, output::Output};

/// Does `work` for each file that the names and patterns stand for; it is told whether there are others. With several,
/// what goes wrong with one is told in its place, and the worst outcome counts; with one it is the command's error.
pub(super) fn each(
    names: &[PathBuf],
    out: &Output,
    mut work: impl FnMut(&Path, bool) -> Result<Outcome>,
) -> Result<Outcome> {
    let mut files = Vec::new();
    for name in names {
        match paths(std::slice::from_ref(name)) {
            Ok(found) => files.extend(found.into_iter().map(Ok)),
            Err(e) => files.push(Err(e.file(display(name)))),
        }
    }
    let several = files.len() > 1;
    let mut worst = Outcome::Fine;
    for file in files {
        let done = file.and_then(|path| work(&path, several).map_err(|e| e.file(display(&path))));
        worst = worst.max(match done {
            Err(e) if several => {
                let outcome = Outcome::of(&e);
                out.error(e);
                outcome
            }
            done => done?,
        });
    }
    Ok(worst)
}
