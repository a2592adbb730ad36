//! JSON lines in: one object a line, types sniffed or given.

use std::{
    collections::{HashMap, VecDeque},
    path::Path,
    sync::Arc,
};

use forebay::{
    Result,
    table::{Batch, ColumnBuilder, DataType, Field, Schema},
};
use serde_json::{Map, Value as Json};

use super::{
    BATCH_BYTES, ReadOptions, TableFormat, TableSource,
    cell::push_json,
    records::bad_row,
    sniff::JsonGuess,
    text_input::TextInput,
    text_rows::{TextRow, TextRows, with_types},
};

/// A row as it was read, or why it could not be.
type Parsed = Result<Map<String, Json>>;

/// JSON lines that are being read.
#[derive(Debug)]
pub(super) struct JsonSource {
    lines: Lines,
    sampled: VecDeque<(u64, usize, Parsed)>,
    all: Arc<Schema>,
    schema: Arc<Schema>,
    /// For each name of the file the place where it goes, if it is wanted.
    places: HashMap<String, Option<usize>>,
    options: ReadOptions,
    rows: TextRows,
}

#[derive(Debug)]
struct Lines {
    input: TextInput,
    line: u64,
    buffer: Vec<u8>,
    options: ReadOptions,
}

impl Lines {
    /// The next line that is not blank: its number, its bytes' count, and what it holds.
    fn next(&mut self) -> Result<Option<(u64, usize, Parsed)>> {
        loop {
            self.buffer.clear();
            let limit = self.options.limits.item_bytes.saturating_add(1);
            if !self.input.line(&mut self.buffer, limit)? {
                return Ok(None);
            }
            self.line += 1;
            self.options.limits.item(self.buffer.len() as u64).map_err(|e| e.row(self.line))?;
            let mut text = self.buffer.as_slice();
            if self.line == 1 {
                text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
            }
            if text.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let parsed = match serde_json::from_slice::<Json>(text) {
                Ok(Json::Object(row)) => Ok(row),
                Ok(_) => Err(bad_row(self.line, "this is no JSON object")),
                Err(e) => Err(bad_row(self.line, format!("column {}: {}", e.column(), short(&e)))),
            };
            return Ok(Some((self.line, self.buffer.len(), parsed)));
        }
    }
}

/// The parser's message without its own line number, which is always 1.
fn short(e: &serde_json::Error) -> String {
    let text = e.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}

impl JsonSource {
    pub fn open(path: &Path, options: &ReadOptions) -> Result<JsonSource> {
        Self::new(TextInput::open(path)?, options)
    }

    pub fn new(input: TextInput, options: &ReadOptions) -> Result<JsonSource> {
        let mut lines = Lines { input, line: 0, buffer: Vec::new(), options: options.clone() };
        let mut sampled = VecDeque::new();
        let mut bytes = 0;
        while options.spec.is_none() && sampled.len() < options.sniff_rows.max(1) && bytes < BATCH_BYTES {
            let Some(line) = lines.next().map_err(|e| e.file(&lines.input.name))? else { break };
            bytes += line.1;
            sampled.push_back(line);
        }
        let schema = match &options.spec {
            Some(spec) => spec.schema()?,
            None => sniff(&sampled, options)?,
        };
        let all = Arc::new(schema);
        let places = all.fields().iter().enumerate().map(|(i, f)| (f.name.clone(), Some(i))).collect();
        let rows = TextRows::default();
        let options = options.clone();
        Ok(JsonSource { lines, sampled, schema: all.clone(), all, places, options, rows })
    }

    fn push(&self, line: u64, row: &Map<String, Json>, columns: &mut [ColumnBuilder], rows: usize) -> Result<()> {
        for (name, json) in row {
            let Some(&place) = self.places.get(name) else {
                let message = format!("the field {name:?} was not among the first rows; give --types or --sniff-rows");
                return Err(bad_row(line, message).column(name));
            };
            let Some(column) = place.and_then(|at| columns.get_mut(at)) else { continue };
            push_json(column, json).map_err(|e| bad_row(line, e.message()).column(name))?;
        }
        for (column, field) in columns.iter_mut().zip(self.schema.fields()) {
            if column.len() == rows {
                push_json(column, &Json::Null)?;
            }
            if !field.nullable
                && !matches!(field.dtype, DataType::Key { .. })
                && row.get(&field.name).is_none_or(Json::is_null)
            {
                return Err(bad_row(line, "a value is missing").column(&field.name));
            }
        }
        Ok(())
    }
}

impl TableSource for JsonSource {
    fn format(&self) -> TableFormat {
        TableFormat::Jsonl
    }
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }
    fn rows(&self) -> Option<u64> {
        None
    }

    fn select(&mut self, columns: &[usize]) -> Result<()> {
        self.schema = self.all.project(columns)?;
        self.places.values_mut().for_each(|place| *place = None);
        for (at, field) in self.schema.fields().iter().enumerate() {
            self.places.insert(field.name.clone(), Some(at));
        }
        Ok(())
    }

    fn next_batch(&mut self) -> Result<Option<Batch>> {
        let mut rows = std::mem::take(&mut self.rows);
        let (schema, options, name) = (self.schema.clone(), self.options.clone(), self.lines.input.name.clone());
        let batch = rows.batch(&schema, &options, &name, |columns, rows| {
            let next = match self.sampled.pop_front() {
                Some(sampled) => Some(sampled),
                None => self.lines.next().map_err(|e| e.file(&name))?,
            };
            let Some((line, bytes, parsed)) = next else { return Ok(None) };
            let outcome = parsed.and_then(|row| self.push(line, &row, columns, rows));
            Ok(Some(TextRow { bytes, outcome }))
        });
        self.rows = rows;
        batch
    }

    fn notes(&mut self) -> Vec<String> {
        self.rows.notes()
    }
    fn skipped(&self) -> u64 {
        self.rows.skipped()
    }
}

/// Names in the order in which they first come, and what their values have in common.
fn sniff(sampled: &VecDeque<(u64, usize, Parsed)>, options: &ReadOptions) -> Result<Schema> {
    let mut guesses: Vec<(&String, JsonGuess)> = Vec::new();
    let mut places: HashMap<&String, usize> = HashMap::new();
    for row in sampled.iter().filter_map(|(_, _, parsed)| parsed.as_ref().ok()) {
        for (name, json) in row {
            let at = *places.entry(name).or_insert_with(|| {
                guesses.push((name, JsonGuess::default()));
                guesses.len() - 1
            });
            if let Some((_, guess)) = guesses.get_mut(at) {
                guess.add(json);
            }
        }
    }
    // A field that is always null could be anything.
    let field =
        |(name, guess): (&String, JsonGuess)| Field::new(name, guess.dtype().unwrap_or(DataType::Json)).nullable();
    with_types(guesses.into_iter().map(field).collect(), options)
}

#[cfg(test)]
mod tests {
    use super::{super::OnBadRow, *};

    fn read(text: &str, options: &ReadOptions) -> Result<Vec<String>> {
        let mut source = JsonSource::new(TextInput::of(text.as_bytes().to_vec()), options)?;
        let mut rows = Vec::new();
        while let Some(batch) = source.next_batch()? {
            rows.extend(batch.iter().map(|row| row.to_json(Default::default())));
        }
        rows.extend(source.notes());
        Ok(rows)
    }

    #[test]
    fn rows_keep_exact_integers_words_vectors_and_nested_values() {
        let text = concat!(
            "{\"id\":18446744073709551615,\"x\":0.5,\"v\":[1,2]}\n\n",
            "{\"id\":1,\"x\":\"NaN\",\"v\":[],\"more\":{\"a\":[null,-9223372036854775808]}}\n",
        );
        let rows = read(text, &ReadOptions::default()).unwrap();
        assert_eq!(rows[0], r#"{"id":18446744073709551615,"x":0.5,"v":[1,2],"more":null}"#);
        assert_eq!(rows[1], r#"{"id":1,"x":"NaN","v":[],"more":{"a":[null,-9223372036854775808]}}"#);
    }

    #[test]
    fn bad_lines_are_named_or_left_out() {
        let text = "{\"a\":1}\n{\"a\":}\n[1]\n{\"a\":2}\n{\"b\":1}\n";
        let mut options = ReadOptions { sniff_rows: 1, ..Default::default() };
        let e = read(text, &options).unwrap_err();
        assert!(e.message().starts_with("line 2: "), "{e}");
        options.on_bad_row = OnBadRow::Skip;
        let rows = read(text, &options).unwrap();
        assert_eq!(rows[..2], [r#"{"a":1}"#, r#"{"a":2}"#]);
        assert!(rows[4].contains("line 5: the field \"b\""), "{rows:?}");
    }
}
