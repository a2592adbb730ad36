//! Which files make a set of labels, and what format they have.

use std::path::{Path, PathBuf};

use forebay::{
    Error, Result,
    annotations::{Format, HEAD_BYTES, codes, detect},
    detect::HEAD_LEN,
    formats::Format as Container,
    words::Word,
};

use crate::input::{Input, display, io_error};

/// Extensions of files that may hold labels.
const EXTENSIONS: &[&str] = &["json", "xml", "txt", "csv", "yaml", "yml", "names", "data"];
/// How deep folders are looked at.
const DEEPEST: usize = 16;

/// The files of a set.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Files {
    /// Their format.
    pub format: Format,
    /// The file or folder that was named.
    pub root: PathBuf,
    /// The files of that format, by name.
    pub list: Vec<PathBuf>,
}

impl Files {
    /// The file of that name, or the label files of a folder. Several formats in one folder are refused, unless one is
    /// asked for.
    pub fn find(root: &Path, asked: Option<Format>) -> Result<Files> {
        if asked == Some(Format::Records) || asked.is_none() && !root.is_dir() && holds_samples(root)? {
            return Ok(Files { format: Format::Records, root: root.to_owned(), list: vec![root.to_owned()] });
        }
        let all = match root.is_dir() {
            true => beneath(root)?,
            false => vec![root.to_owned()],
        };
        let mut found: Vec<(Format, PathBuf)> = Vec::new();
        for file in all {
            let format = match asked {
                Some(format) if !root.is_dir() => Some(format),
                _ => format_of(&file)?,
            };
            found.extend(format.map(|format| (format, file)));
        }
        let mut formats: Vec<Format> = found.iter().map(|(format, _)| *format).collect();
        formats.sort_unstable();
        formats.dedup();
        let format = match (asked, &formats[..]) {
            (Some(asked), _) => asked,
            (None, [one]) => *one,
            (None, []) => {
                return Err(Error::new(&codes::FORMAT, "no labels of a known format are here").file(display(root)));
            }
            (None, several) => {
                let words: Vec<_> = several.iter().map(|format| format.word()).collect();
                let message = format!("labels of several formats are here: {}", words.join(", "));
                return Err(Error::new(&codes::AMBIGUOUS, message).with_options(&["format"]).file(display(root)));
            }
        };
        found.retain(|(of, _)| *of == format);
        if found.is_empty() {
            let message = format!("no labels of the format {} are here", format.word());
            return Err(Error::new(&codes::FORMAT, message).file(display(root)));
        }
        let list = found.into_iter().map(|(_, file)| file).collect();
        Ok(Files { format, root: root.to_owned(), list })
    }

    /// The only file, for formats that have one.
    pub fn only(&self) -> Result<&Path> {
        match &self.list[..] {
            [one] => Ok(one),
            several => {
                let message =
                    format!("{} files of the format {} are here; name one", several.len(), self.format.word());
                Err(Error::new(&codes::AMBIGUOUS, message).file(display(&self.root)))
            }
        }
    }
}

/// Files of a folder and the folders in it that may hold labels, by name.
fn beneath(root: &Path) -> Result<Vec<PathBuf>> {
    let mut files = walked(root)?;
    files.retain(|file| {
        let extension = file.extension().and_then(|ext| ext.to_str()).map(str::to_ascii_lowercase);
        extension.is_some_and(|ext| EXTENSIONS.contains(&ext.as_str()))
    });
    Ok(files)
}

/// Every file of a folder and the folders in it, by name.
pub(super) fn walked(root: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in walkdir::WalkDir::new(root).max_depth(DEEPEST).sort_by_file_name() {
        let entry = entry.map_err(|e| {
            let name = e.path().map(display).unwrap_or_else(|| display(root));
            let cause = e.into_io_error().unwrap_or_else(|| std::io::Error::other("folders lead in a circle"));
            io_error(&name, "look into the folder", cause)
        })?;
        if entry.file_type().is_file() {
            files.push(entry.into_path());
        }
    }
    Ok(files)
}

/// Whether a file is of samples, which may carry their annotations.
fn holds_samples(file: &Path) -> Result<bool> {
    let input = Input::pieces(file)?;
    let head = input.slice(0..input.len().min(HEAD_LEN as u64))?;
    Ok(matches!(forebay::detect::detect(&head), Some(Container::Tbl | Container::Tar)))
}

/// The format of a file by its first bytes.
fn format_of(file: &Path) -> Result<Option<Format>> {
    let input = Input::pieces(file)?;
    let head = input.slice(0..input.len().min(HEAD_BYTES as u64))?;
    Ok(detect(&display(file), &head))
}
