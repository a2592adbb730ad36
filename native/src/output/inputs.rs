//! Outputs in the place of what is read.

use std::{fs, path::Path};

use forebay::{Error, Result, error::codes::ARGUMENT, sample::record::is_media};

use crate::input::{PIPE, display};

/// What tells a warehouse's folder from others.
const MANIFEST: &str = "manifest.json";
/// How the names of its shards begin and end.
const SHARD: (&str, &str) = ("shard_", ".bin");

/// Refuses an output that is one of these inputs, by whatever path and through whatever links, though `force` was given:
/// that is for what an earlier run left. What is made of a dataset (a journal, a list, thumbnails, one sample of
/// it) does not stand for it, so the dataset would be lost. A warehouse is its manifest and its shards, a folder its pictures
/// and what stands beside them.
#[doc(hidden)]
pub fn refuse_inputs<'a>(output: &Path, inputs: impl IntoIterator<Item = &'a Path>) -> Result<()> {
    refuse(output, inputs, true)
}

/// The same for what may take the place of the dataset that it was made of, but not that of a part of it: of one of several
/// inputs neither, for then the output was most likely forgotten, as where the last of several shards is taken for it.
#[doc(hidden)]
pub fn refuse_parts<'a>(output: &Path, inputs: impl IntoIterator<Item = &'a Path>) -> Result<()> {
    let inputs: Vec<&Path> = inputs.into_iter().collect();
    let several = inputs.len() > 1;
    refuse(output, inputs, several)
}

fn refuse<'a>(output: &Path, inputs: impl IntoIterator<Item = &'a Path>, whole: bool) -> Result<()> {
    if output.as_os_str() == PIPE {
        return Ok(());
    }
    let real = fs::canonicalize(output).ok();
    let is_read = |input: &Path| match (&real, fs::canonicalize(input)) {
        (Some(output), Ok(input)) => {
            (whole && *output == input) || is_of_warehouse(output, &input) || is_of_folder(output, &input)
        }
        // Addresses are what they say, and what is not there cannot be lost.
        _ => whole && output == input && real.is_none() && crate::input::remote::is_remote(output),
    };
    match inputs.into_iter().any(is_read) {
        false => Ok(()),
        true => {
            let message = "the output is one of the files that are read, which would be lost; name another file";
            Err(Error::new(&ARGUMENT, message).file(display(output)))
        }
    }
}

/// Whether `output` is a file of the warehouse that is called by its manifest or by its folder.
fn is_of_warehouse(output: &Path, input: &Path) -> bool {
    let folder = match input.file_name().is_some_and(|name| name == MANIFEST) {
        true => input.parent(),
        false => input.join(MANIFEST).is_file().then_some(input),
    };
    let name = output.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let is_part = name == MANIFEST || (name.starts_with(SHARD.0) && name.ends_with(SHARD.1));
    is_part && folder.is_some_and(|folder| output.starts_with(folder))
}

/// Whether `output` is a picture of the folder `input`, or a file of the same name beside one.
fn is_of_folder(output: &Path, input: &Path) -> bool {
    if !(input.is_dir() && output.starts_with(input) && output.is_file()) || input.join(MANIFEST).is_file() {
        return false;
    }
    let is_picture = |path: &Path| path.file_name().is_some_and(|name| is_media(&name.to_string_lossy()));
    let beside = |folder: &Path| {
        let mut files = fs::read_dir(folder).into_iter().flatten().flatten();
        files.any(|file| file.path().file_stem() == output.file_stem() && is_picture(&file.path()))
    };
    is_picture(output) || output.parent().is_some_and(beside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_is_known_by_every_path_that_leads_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["a.tbl", "b.csv", "manifest.json", "shard_00000.bin", "note.txt"] {
            fs::write(at(name), name).unwrap();
        }
        fs::create_dir(at("sub")).unwrap();
        let input = at("a.tbl");
        let refused = |output: &Path, input: &Path| refuse_inputs(output, [input]).is_err();
        assert!(refused(&input, &input) && refused(&at("sub/../a.tbl"), &input));
        assert!(!refused(&at("b.csv"), &input) && !refused(&at("not there"), &input) && !refused("-".as_ref(), &input));
        for (output, lost) in
            [("manifest.json", true), ("shard_00000.bin", true), ("note.txt", false), ("new.parquet", false)]
        {
            assert_eq!(refused(&at(output), folder.path()), lost, "{output}");
            assert_eq!(refused(&at(output), &at("manifest.json")), lost, "{output}");
        }
        fs::remove_file(at("manifest.json")).unwrap();
        for name in ["1.jpg", "1.json", "list.json"] {
            fs::write(at("sub").join(name), name).unwrap();
        }
        for (output, lost) in [("1.jpg", true), ("1.json", true), ("list.json", false), ("2.jpg", false)] {
            let output = at("sub").join(output);
            assert_eq!(refused(&output, folder.path()), lost, "{}", output.display());
            assert_eq!(refuse_parts(&output, [folder.path()]).is_err(), lost, "{}", output.display());
        }
        assert!(refuse_parts(&input, [input.as_path()]).is_ok());
        assert!(refuse_parts(&input, [at("b.csv").as_path(), &input]).is_err());
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&input, at("link")).unwrap();
            assert!(refused(&at("link"), &input) && refused(&input, &at("link")));
        }
        let there = Path::new("s3://bucket/a.tbl");
        assert_eq!(refused(there, there), cfg!(feature = "remote"));
    }
}
