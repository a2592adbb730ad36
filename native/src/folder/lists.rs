//! Lists of images in a folder, as Hugging Face's image folders have them: `metadata.csv`, `metadata.jsonl` or
//! `metadata.parquet`, each with a column `file_name` and a row for each image in its folder or below it.

use std::{collections::HashMap, path::Path, sync::Arc};

use forebay::{
    Error, Limits, Result,
    formats::Format,
    step::Turn,
    table::{JsonStyle, TableRows},
    tables::{Input as Rows, InputRows},
    text::{TextFormat, TextOptions},
};
use serde_json::Value;

use crate::input::{Input, remote};

/// The name of a list, without its extension.
const LIST: &str = "metadata";
/// The column that names the image.
const COLUMN: &str = "file_name";
/// Columns are named up to this many.
const NAMED: usize = 6;

/// Rows of lists, by the number of the file that they are of.
#[derive(Debug, Default)]
pub(super) struct Lists {
    rows: HashMap<u32, Box<str>>,
    /// Which of the files are lists.
    pub files: Vec<usize>,
    pub notes: Vec<String>,
    /// Lists that cannot be read, and rows of them that name no file.
    pub faults: Vec<Error>,
}

impl Lists {
    /// Reads the lists among the files of a folder, which are in the order of their names.
    pub fn read(root: &Path, files: &[(String, u64)], limits: &Limits) -> Lists {
        let mut lists = Lists::default();
        let mut found: Vec<(usize, Format)> =
            files.iter().enumerate().filter_map(|(i, (name, _))| Some((i, of(name)?))).collect();
        // The nearest list counts, so it comes last.
        found.sort_by_key(|(i, _)| files.get(*i).map_or(0, |(name, _)| name.matches('/').count()));
        for (i, format) in found {
            let Some((name, _)) = files.get(i) else { continue };
            let path = remote::beneath(root, name);
            match Input::open(&path, crate::input::Io::default()).and_then(|input| rows_of(&input, format, limits)) {
                Ok(rows) if rows.iter().any(|row| row.get(COLUMN).is_some()) => {
                    lists.files.push(i);
                    lists.take(name, &rows, files);
                }
                Ok(_) => lists.notes.push(format!("{name} has no column {COLUMN}, so it is not a list of images")),
                Err(e) => lists.faults.push(e),
            }
        }
        lists
    }

    /// Gives each row to the file that it names.
    fn take(&mut self, list: &str, rows: &[Value], files: &[(String, u64)]) {
        let folder = list.rfind('/').map_or("", |at| &list[..=at]);
        let (mut images, mut lost) = (0, Vec::new());
        for row in rows {
            let named = row.get(COLUMN).and_then(Value::as_str).unwrap_or_default();
            let path = format!("{folder}{}", named.strip_prefix("./").unwrap_or(named));
            match files.binary_search_by(|(name, _)| name.as_str().cmp(&path)) {
                Ok(i) => {
                    self.rows.insert(i as u32, row.to_string().into());
                    images += 1;
                }
                Err(_) => lost.push(named),
            }
        }
        let columns: Vec<&str> = rows
            .iter()
            .find_map(Value::as_object)
            .map_or(Vec::new(), |row| row.keys().map(String::as_str).filter(|key| *key != COLUMN).collect());
        let shown: Vec<String> = columns.iter().take(NAMED).map(|column| format!("json.{column}")).collect();
        let more = if columns.len() > NAMED { ", ..." } else { "" };
        let (are, fields) = (if images == 1 { "image" } else { "images" }, shown.join(", "));
        self.notes.push(format!("{list} describes {images} {are}, in these fields: {fields}{more}"));
        if let Some(first) = lost.first() {
            let message = match lost.len() {
                1 => format!("a row names {first:?}, which is not in this folder or below it"),
                n => format!("{n} rows name files that are not in this folder or below it; the first: {first:?}"),
            };
            self.faults.push(Error::new(&forebay::annotations::codes::PICTURE, message).file(list));
        }
    }

    /// Whether there is a row of any image.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
    /// Whether a file has one.
    pub fn has(&self, file: usize) -> bool {
        u32::try_from(file).is_ok_and(|file| self.rows.contains_key(&file))
    }
    /// The row of a file.
    pub fn row(&self, file: usize) -> Option<Value> {
        serde_json::from_str(self.rows.get(&u32::try_from(file).ok()?)?).ok()
    }
}

/// The format of a list of this name; `None` for other files.
fn of(name: &str) -> Option<Format> {
    let base = name.rsplit('/').next().unwrap_or(name);
    let (stem, extension) = base.rsplit_once('.')?;
    let format = Format::from_extension(extension)?;
    (stem == LIST && matches!(format, Format::Csv | Format::Jsonl | Format::Parquet)).then_some(format)
}

/// The rows of a table, each as a JSON object.
fn rows_of(input: &Input, format: Format, limits: &Limits) -> Result<Vec<Value>> {
    let named = |e: Error| e.file(input.name());
    let mut rows = opened(input, format, limits).map_err(named)?;
    let (mut all, mut opened) = (Vec::new(), false);
    loop {
        let need = if opened { None } else { rows.open().map_err(named)? };
        let turn = match need {
            Some(ranges) => Turn::Need(ranges),
            None => {
                opened = true;
                rows.step().map_err(named)?
            }
        };
        match turn {
            Turn::Need(ranges) => {
                for range in ranges {
                    rows.push(range.start, input.slice(range)?);
                }
            }
            Turn::Item(batch) => {
                for i in 0..batch.rows() {
                    let text = batch.row(i).map_err(named)?.to_json(JsonStyle::default());
                    all.extend(serde_json::from_str::<Value>(&text));
                }
            }
            Turn::Done => return Ok(all),
        }
    }
}

fn opened(input: &Input, format: Format, limits: &Limits) -> Result<InputRows> {
    limits.metadata(input.len())?;
    let mut text = TextOptions::default();
    text.limits = limits.clone();
    let len = input.len();
    let rows = match format {
        Format::Csv => Rows::Text { format: TextFormat::Csv, len },
        Format::Jsonl => Rows::Text { format: TextFormat::Jsonl, len },
        #[cfg(feature = "arrow")]
        Format::Parquet => {
            let mut opener = forebay_columns::parquet::ParquetOpener::new(len, limits.clone());
            let table = input.drive(&mut opener, |_| 0)?;
            Rows::Table(Arc::new(forebay::tables::AnyTable::Other(Box::new(table))))
        }
        other => {
            let message = format!("this build does not read {}", other.name());
            return Err(Error::new(&forebay::error::codes::NOT_SAMPLES, message));
        }
    };
    InputRows::new(rows, text)
}
