//! Findings as files: a journal of edits, and lines of CSV.

use std::{io::IoSlice, path::Path};

use forebay::{
    Result,
    edits::{Change, Journal},
};

use crate::{
    dataset::Dataset,
    edits::identity,
    output::{AtomicFile, refuse_inputs},
};

/// A journal of these changes to a dataset, objects of JSON as a journal's lines have them.
#[doc(hidden)]
pub fn journal_of(dataset: &Dataset, changes: impl IntoIterator<Item = String>) -> Result<String> {
    let mut journal = Journal::new(identity(dataset)?);
    for change in changes {
        journal.push(Change::parse(&change)?)?;
    }
    Ok(journal.text())
}

/// Writes a journal of these changes to a dataset, objects of JSON as a journal's lines have them.
pub fn write_journal(
    dataset: &Dataset,
    changes: impl IntoIterator<Item = String>,
    output: &Path,
    force: bool,
) -> Result<()> {
    refuse_inputs(output, [Path::new(dataset.name())])?;
    write_text(&journal_of(dataset, changes)?, output, force)
}

/// Writes a text file, which appears when it is whole.
pub fn write_text(text: &str, output: &Path, force: bool) -> Result<()> {
    let mut file = AtomicFile::create(output, force)?;
    file.append(&mut [IoSlice::new(text.as_bytes())])?;
    file.commit(true)
}

/// A line of CSV with its end: fields that need it stand in quotes.
pub fn csv_line<'a>(fields: impl IntoIterator<Item = &'a str>) -> String {
    let mut line = String::new();
    for (at, field) in fields.into_iter().enumerate() {
        if at > 0 {
            line.push(',');
        }
        match field.contains(['"', ',', '\n', '\r']) {
            true => line.push_str(&format!("\"{}\"", field.replace('"', "\"\""))),
            false => line.push_str(field),
        }
    }
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        assert_eq!(csv_line(["a", "b,c", "d\"e", "", "x\ny"]), "a,\"b,c\",\"d\"\"e\",,\"x\ny\"\n");
    }
}
