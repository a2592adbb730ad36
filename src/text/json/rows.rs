//! JSON in: one object a line, or an array of objects; types sniffed or given.

use std::{
    collections::{BTreeSet, HashMap, HashSet, VecDeque},
    sync::Arc,
};

use serde_json::{Map, Value as Json};

use super::values::{Line, Lines};
use crate::{
    error::Result,
    step::Turn,
    table::{ColumnBuilder, DataType, Field, Schema},
    text::{
        BATCH_BYTES, TextOptions,
        cell::push_json,
        chunks::Chunks,
        codes::{bad_row, unlike_the_first},
        rows::{TextRow, with_types},
        sniff::{JsonGuess, is_of_text},
    },
};

/// The least memory that a cell of a column takes.
const CELL: usize = 4;

/// The rows of JSON lines.
#[derive(Debug)]
pub(in crate::text) struct JsonRows {
    lines: Lines,
    sampled: VecDeque<Line>,
    sampled_bytes: usize,
    schema: Schema,
    names: Arc<Names>,
    /// Columns that were given a type and are in none of the first rows.
    awaited: Vec<String>,
}

/// What is known of names.
#[derive(Clone, Debug, Default)]
struct Names {
    /// For each of the file the place where it goes, if it is wanted.
    places: HashMap<String, Option<usize>>,
    /// The columns whose types were found out from the first rows.
    sniffed: HashSet<String>,
    /// The columns in which no value may be missing.
    required: Vec<String>,
    /// The wanted columns were named, so that no other is missed.
    chosen: bool,
}

impl JsonRows {
    pub fn new(options: &TextOptions) -> JsonRows {
        let lines = Lines::new(&options.limits);
        let (sampled, names, awaited) = (VecDeque::new(), Arc::default(), Vec::new());
        JsonRows { lines, sampled, sampled_bytes: 0, schema: Schema::default(), names, awaited }
    }

    /// The columns, from the first rows; `None` if more bytes must come first.
    pub fn open(&mut self, chunks: &mut Chunks, options: &TextOptions) -> Result<Option<Schema>> {
        let most = options.sniff_rows.max(1);
        let mut is_whole = false;
        while options.spec.is_none() && self.sampled.len() < most && self.sampled_bytes < BATCH_BYTES {
            match self.lines.next(chunks)? {
                Turn::Need(()) => return Ok(None),
                Turn::Done => {
                    is_whole = true;
                    break;
                }
                Turn::Item(line) => {
                    self.sampled_bytes += line.bytes + line.memory / 16;
                    self.sampled.push_back(line);
                }
            }
        }
        let mut sniffed = HashSet::new();
        self.schema = match &options.spec {
            Some(spec) => spec.schema()?,
            None => {
                let fields = sniff(&self.sampled);
                let known: HashSet<&str> = fields.iter().map(|field| field.name.as_str()).collect();
                let given = || options.types.iter().map(|(name, _)| name);
                let typed: HashSet<&str> = given().map(String::as_str).collect();
                sniffed = known.difference(&typed).map(|&name| name.to_owned()).collect();
                // In a text that was seen to its end a column that is not there is a mistake.
                let awaited: BTreeSet<&String> = given().filter(|name| !known.contains(name.as_str())).collect();
                self.awaited = awaited.into_iter().filter(|_| !is_whole).cloned().collect();
                let awaited = self.awaited.iter().map(|name| Field::new(name, DataType::Json).nullable());
                with_types(fields.iter().cloned().chain(awaited).collect(), options)?
            }
        };
        let places = self.schema.fields().iter().enumerate().map(|(i, f)| (f.name.clone(), Some(i))).collect();
        self.names = Arc::new(Names { places, sniffed, required: required(&self.schema), chosen: false });
        Ok(Some(self.schema.clone()))
    }

    /// The same columns, for the rest of the text from a line on, which is all lines.
    pub fn at_line(&self, line: u64) -> JsonRows {
        let lines = self.lines.at_line(line);
        let (sampled, names, awaited) = (VecDeque::new(), self.names.clone(), Vec::new());
        JsonRows { lines, sampled, sampled_bytes: 0, schema: self.schema.clone(), names, awaited }
    }

    /// Columns that were given a type and are in none of the first rows.
    pub fn awaited(&self) -> &[String] {
        &self.awaited
    }

    /// The line on which the next row begins, between rows.
    pub fn line(&self) -> u64 {
        self.lines.line_number()
    }
    /// Whether the rows are lines, and not elements of an array.
    pub fn is_in_lines(&self) -> bool {
        self.lines.are_lines()
    }
    /// Whether the next row is one that types were sniffed from.
    pub fn has_sampled(&self) -> bool {
        !self.sampled.is_empty()
    }

    /// Reads only the columns of this schema.
    pub fn select(&mut self, schema: &Schema) {
        let names = Arc::make_mut(&mut self.names);
        names.chosen = true;
        names.places.values_mut().for_each(|place| *place = None);
        for (at, field) in schema.fields().iter().enumerate() {
            names.places.insert(field.name.clone(), Some(at));
        }
        names.required = required(schema);
        self.schema = schema.clone();
    }

    /// The next row, into the columns, which hold this many rows.
    pub fn next(
        &mut self,
        chunks: &mut Chunks,
        columns: &mut [ColumnBuilder],
        rows: usize,
    ) -> Result<Turn<TextRow, ()>> {
        let line = match self.sampled.pop_front() {
            Some(sampled) => sampled,
            None => match self.lines.next(chunks)? {
                Turn::Item(line) => line,
                Turn::Need(()) => return Ok(Turn::Need(())),
                Turn::Done => return Ok(Turn::Done),
            },
        };
        let outcome = line.parsed.and_then(|row| self.push(line.number, &row, columns, rows));
        // A row of few bytes has a cell in every column all the same.
        Ok(Turn::Item(TextRow { bytes: line.bytes + CELL * columns.len(), words: line.words, outcome }))
    }

    fn push(&self, line: u64, row: &Map<String, Json>, columns: &mut [ColumnBuilder], rows: usize) -> Result<()> {
        for (name, json) in row {
            let Some(&place) = self.names.places.get(name) else {
                if self.names.chosen {
                    continue;
                }
                let message = format!(
                    "the field {name:?} was not among the first rows; give its type, or look at more rows first"
                );
                return Err(bad_row(line, message).column(name).with_options(&["types", "sniff_rows"]));
            };
            let Some(column) = place.and_then(|at| columns.get_mut(at)) else { continue };
            if let Json::String(text) = json
                && is_of_text(column.dtype(), text)
                && self.names.sniffed.contains(name)
            {
                return Err(unlike_the_first(line, column.dtype(), text).column(name));
            }
            // What the rows before have nothing of is filled up once there is something.
            column.pad(rows);
            push_json(column, json).map_err(|e| {
                let advice: &[&str] = if self.names.sniffed.contains(name) { &["types", "sniff_rows"] } else { &[] };
                bad_row(line, e.message()).column(name).with_options(advice)
            })?;
        }
        if let Some(name) = self.names.required.iter().find(|name| row.get(*name).is_none_or(Json::is_null)) {
            return Err(bad_row(line, "a value is missing").column(name));
        }
        Ok(())
    }
}

fn required(schema: &Schema) -> Vec<String> {
    let is_required = |field: &&Field| !field.nullable && !matches!(field.dtype, DataType::Key { .. });
    schema.fields().iter().filter(is_required).map(|field| field.name.clone()).collect()
}

/// Names in the order in which they first come, and what their values have in common.
fn sniff(sampled: &VecDeque<Line>) -> Vec<Field> {
    let mut guesses: Vec<(&String, JsonGuess)> = Vec::new();
    let mut places: HashMap<&String, usize> = HashMap::new();
    for row in sampled.iter().filter_map(|line| line.parsed.as_ref().ok()) {
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
    guesses.into_iter().map(field).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{OnBadRow, TextFormat, TextReader, open};

    fn read(text: &str, options: &TextOptions) -> Result<Vec<String>> {
        open::read(text, TextFormat::Jsonl, options)
    }

    #[test]
    fn rows_keep_exact_integers_words_vectors_and_nested_values() {
        let text = concat!(
            "{\"id\":18446744073709551615,\"x\":0.5,\"v\":[1,2]}\n\n",
            "{\"id\":1,\"x\":\"NaN\",\"v\":[],\"more\":{\"a\":[null,-9223372036854775808]}}\n",
        );
        let rows = read(text, &TextOptions::default()).unwrap();
        assert_eq!(rows[0], r#"{"id":18446744073709551615,"x":0.5,"v":[1,2],"more":null}"#);
        assert_eq!(rows[1], r#"{"id":1,"x":"NaN","v":[],"more":{"a":[null,-9223372036854775808]}}"#);
    }

    #[test]
    fn numbers_that_no_type_holds_are_kept_as_texts_and_not_rounded() {
        let text = concat!(
            "{\"id\":12345678901234567890123,\"x\":1e400,\"v\":{\"n\":[-12345678901234567890123]}}\n",
            "{\"id\":1,\"x\":9007199254740993,\"v\":0.5}\n",
        );
        let rows = read(text, &TextOptions::default()).unwrap();
        let first = r#"{"id":"12345678901234567890123","x":"1e400","v":{"n":["-12345678901234567890123"]}}"#;
        assert_eq!(rows, [first, r#"{"id":1,"x":9007199254740993,"v":0.5}"#]);
        // What is not JSON stays an error.
        for text in ["{\"a\":12345678901234567890123,}\n", "{12345678901234567890123:1}\n"] {
            assert!(read(text, &TextOptions::default()).is_err(), "{text}");
        }
    }

    #[test]
    fn words_that_python_writes_for_numbers_are_numbers_and_are_said() {
        let text = "{\"x\":NaN,\"v\":[1.5,-Infinity]}\n{\"x\":2,\"v\":[]}\n{\"x\":Infinity}\n";
        for sniff_rows in [1, 10] {
            let rows = read(text, &TextOptions { sniff_rows, ..Default::default() }).unwrap();
            assert_eq!(rows[0], r#"{"x":"NaN","v":[1.5,"-Infinity"]}"#);
            assert_eq!(rows[1], r#"{"x":2.0,"v":[]}"#);
            assert!(rows[3].starts_with("2 rows have NaN or Infinity"), "{rows:?}");
        }
        for text in ["{\"x\":NaN,}\n", "{NaN:1}\n", "{\"x\":nan}\n", "{\"x\":NaN1}\n", "{\"x\":+Infinity}\n"] {
            assert!(read(text, &TextOptions::default()).is_err(), "{text}");
        }
    }

    #[test]
    fn rows_without_a_column_leave_it_empty_wherever_they_are() {
        let text = "{\"a\":1}\n{\"b\":[1]}\n{\"a\":\"x\"}\n{\"c\":\"z\"}\n{}\n{\"a\":2}\n";
        let mut options = TextOptions { on_bad_row: OnBadRow::Skip, ..Default::default() };
        options.types = vec![("a".into(), DataType::I64)];
        for batch_rows in [1, 2, 100] {
            options.batch_rows = batch_rows;
            let rows = read(text, &options).unwrap();
            let expected = [
                r#"{"a":1,"b":null,"c":null}"#,
                r#"{"a":null,"b":[1],"c":null}"#,
                r#"{"a":null,"b":null,"c":"z"}"#,
                r#"{"a":null,"b":null,"c":null}"#,
                r#"{"a":2,"b":null,"c":null}"#,
            ];
            assert_eq!(rows[..5], expected, "{batch_rows}");
        }
    }

    #[test]
    fn few_bytes_do_not_name_more_columns_than_there_is_room_for() {
        let row: Vec<String> = (0..250).map(|i| format!("\"{i}\":1")).collect();
        let text = format!("{{{}}}\n", row.join(","));
        let with =
            |bytes| TextOptions { limits: crate::Limits::host().with_metadata_bytes(bytes), ..Default::default() };
        let e = read(&text, &with(1 << 20)).unwrap_err();
        assert_eq!(e.code().id(), "limit.columns", "{e}");
        assert!(e.message().contains("250 columns is over the limit of 128"), "{e}");
        assert_eq!(read(&text, &with(2 << 20)).unwrap().len(), 1);
        let csv = row.join(",");
        assert!(open::read(&csv, TextFormat::Csv, &with(1 << 20)).is_err());
    }

    #[test]
    fn a_field_that_comes_late_has_the_type_that_was_given() {
        let text = "{\"a\":1}\n{\"a\":2,\"late\":\"7\"}\n{\"late\":8}\n";
        let mut options =
            TextOptions { sniff_rows: 1, types: vec![("late".into(), DataType::Json)], ..Default::default() };
        let rows = read(text, &options).unwrap();
        assert_eq!(rows[..3], [r#"{"a":1,"late":null}"#, r#"{"a":2,"late":"7"}"#, r#"{"a":null,"late":8}"#]);
        assert!(rows[3].contains("\"late\""), "{rows:?}");
        // Whoever names the columns does not miss it.
        let mut reader =
            TextReader::new(TextFormat::Jsonl, TextOptions { sniff_rows: 1, ..Default::default() }).unwrap();
        reader.push(text.into());
        reader.end();
        assert!(reader.open().unwrap());
        reader.select(&[0]).unwrap();
        let Turn::Item(batch) = reader.step().unwrap() else { panic!() };
        assert_eq!((batch.rows(), batch.column(0).unwrap().null_count()), (3, 1));
        // If all rows were looked at, a name that none has is a mistake.
        options.types = vec![("lat".into(), DataType::Json)];
        options.sniff_rows = 10;
        assert_eq!(read(text, &options).unwrap_err().code().id(), "table.column");
    }

    #[test]
    fn a_zone_that_the_first_rows_do_not_show_is_not_lost() {
        let text = "{\"t\":\"2024-02-29T12:00:00\"}\n{\"t\":\"2024-02-29T12:00:00-05:00\"}\n";
        let mut options = TextOptions { sniff_rows: 1, ..Default::default() };
        let e = read(text, &options).unwrap_err();
        assert_eq!((e.place().row, e.place().column.as_deref()), (Some(1), Some("t")), "{e}");
        options.types = vec![("t".into(), DataType::TimestampUs)];
        assert_eq!(read(text, &options).unwrap()[1], r#"{"t":"2024-02-29T17:00:00"}"#);
    }

    #[test]
    fn bad_lines_are_named_or_left_out() {
        let text = "{\"a\":1}\n{\"a\":}\n[1]\n{\"a\":2}\n{\"b\":1}\n";
        let mut options = TextOptions { sniff_rows: 1, ..Default::default() };
        let e = read(text, &options).unwrap_err();
        assert!(e.message().starts_with("line 2: "), "{e}");
        let e = read("{\n{\"a\":1}\n", &TextOptions::default()).unwrap_err();
        assert!(e.message().starts_with("line 1: "), "{e}");
        options.on_bad_row = OnBadRow::Skip;
        let rows = read(text, &options).unwrap();
        assert_eq!(rows[..2], [r#"{"a":1}"#, r#"{"a":2}"#]);
        assert!(rows[4].contains("line 5: the field \"b\""), "{rows:?}");
    }
}
