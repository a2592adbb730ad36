//! CSV in: names from the header, types sniffed or given, bad rows with their line.

use std::{collections::VecDeque, path::Path, sync::Arc};

use forebay::{
    Error, Result,
    error::codes::ARGUMENT,
    table::{Batch, ColumnBuilder, DataType, Field, Schema},
};

use super::{
    BATCH_BYTES, ReadOptions, TableFormat, TableSource,
    cell::push_text,
    records::{Record, Records, bad_row},
    sniff::TextGuess,
    text_input::TextInput,
    text_rows::{TextRow, TextRows, with_types},
};

/// A CSV that is being read.
#[derive(Debug)]
pub(super) struct CsvSource {
    format: TableFormat,
    records: Records,
    /// Records that were read for sniffing and come first.
    sampled: VecDeque<Record>,
    /// Columns of the file, all of them.
    all: Arc<Schema>,
    schema: Arc<Schema>,
    /// For each column of the file the place where it goes, if it is wanted.
    wanted: Vec<usize>,
    options: ReadOptions,
    rows: TextRows,
}

impl CsvSource {
    pub fn open(path: &Path, format: TableFormat, options: &ReadOptions) -> Result<CsvSource> {
        Self::new(TextInput::open(path)?, format, options)
    }

    pub fn new(input: TextInput, format: TableFormat, options: &ReadOptions) -> Result<CsvSource> {
        let delimiter = options.delimiter.unwrap_or(if format == TableFormat::Tsv { b'\t' } else { b',' });
        if matches!(delimiter, b'"' | b'\n' | b'\r') {
            return Err(Error::new(&ARGUMENT, "a quote or the end of a line cannot stand between fields"));
        }
        let mut records = Records::new(input, delimiter, &options.limits);
        let named = |e: Error, name: &str| e.file(name);
        let mut first = Record::default();
        let mut header = None;
        let mut sampled = VecDeque::new();
        let name = records.name().to_owned();
        if records.next(&mut first).map_err(|e| named(e, &name))? {
            if options.header {
                header = Some(names(&first).map_err(|e| named(e, &name))?);
            } else {
                sampled.push_back(first);
            }
        }
        let fixed = options.spec.as_ref();
        let mut bytes = 0;
        while fixed.is_none() && sampled.len() < options.sniff_rows.max(1) && bytes < BATCH_BYTES {
            let mut record = Record::default();
            if !records.next(&mut record).map_err(|e| named(e, &name))? {
                break;
            }
            bytes += record.bytes();
            sampled.push_back(record);
        }
        let all = match fixed {
            Some(spec) => {
                let schema = spec.schema()?;
                if let Some(header) = &header {
                    same_names(&schema, header).map_err(|e| named(e, &name))?;
                }
                schema
            }
            None => sniff(header, &sampled, options)?,
        };
        let all = Arc::new(all);
        let wanted = (0..all.len()).collect();
        let rows = TextRows::default();
        let options = options.clone();
        Ok(CsvSource { format, records, sampled, schema: all.clone(), all, wanted, options, rows })
    }

    fn next_record(&mut self, record: &mut Record) -> Result<bool> {
        match self.sampled.pop_front() {
            Some(sampled) => {
                *record = sampled;
                Ok(true)
            }
            None => self.records.next(record),
        }
    }

    /// Adds a record to the columns. After an error every column has a row too many or none.
    fn push(&self, record: &Record, columns: &mut [ColumnBuilder]) -> Result<()> {
        let line = record.line;
        if record.open {
            return Err(bad_row(line, "a quote that opens is never closed"));
        }
        if record.len() != self.all.len() {
            return Err(bad_row(line, format!("{} fields where there are {} columns", record.len(), self.all.len())));
        }
        for (i, (field, quoted)) in record.fields().enumerate() {
            let Some(column) = self.wanted.get(i).and_then(|&at| columns.get_mut(at)) else { continue };
            let name = || self.all.fields().get(i).map(|f| f.name.clone()).unwrap_or_default();
            let text = std::str::from_utf8(field).map_err(|_| bad_row(line, "this is no UTF-8").column(name()))?;
            let null = !quoted && text == self.options.null;
            let empty = text.is_empty() && !matches!(column.dtype(), DataType::String | DataType::Bytes);
            if null || empty {
                let nullable = self.all.fields().get(i).is_none_or(|f| f.nullable);
                match column.dtype() {
                    DataType::Key { .. } => push_text(column, "0")?,
                    _ if nullable => column.push_null(),
                    _ => return Err(bad_row(line, "a value is missing").column(name())),
                }
            } else {
                push_text(column, text).map_err(|e| bad_row(line, e.message()).column(name()))?;
            }
        }
        Ok(())
    }
}

impl TableSource for CsvSource {
    fn format(&self) -> TableFormat {
        self.format
    }
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }
    fn rows(&self) -> Option<u64> {
        None
    }

    fn select(&mut self, columns: &[usize]) -> Result<()> {
        self.schema = self.all.project(columns)?;
        // A column that is not wanted goes nowhere.
        self.wanted = vec![usize::MAX; self.all.len()];
        for (at, &column) in columns.iter().enumerate() {
            if let Some(place) = self.wanted.get_mut(column) {
                *place = at;
            }
        }
        Ok(())
    }

    fn next_batch(&mut self) -> Result<Option<Batch>> {
        let mut rows = std::mem::take(&mut self.rows);
        let (schema, options, name) = (self.schema.clone(), self.options.clone(), self.records.name().to_owned());
        let mut record = Record::default();
        let batch = rows.batch(&schema, &options, &name, |columns, _| {
            if !self.next_record(&mut record).map_err(|e| e.file(&name))? {
                return Ok(None);
            }
            Ok(Some(TextRow { bytes: record.bytes(), outcome: self.push(&record, columns) }))
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

fn names(record: &Record) -> Result<Vec<String>> {
    record
        .fields()
        .map(|(f, _)| String::from_utf8(f.to_vec()).map_err(|_| bad_row(record.line, "a column's name is no UTF-8")))
        .collect()
}

fn same_names(schema: &Schema, header: &[String]) -> Result<()> {
    let differ = schema.fields().iter().map(|f| &f.name).zip(header).find(|(a, b)| a != b);
    if let Some((wanted, found)) = differ {
        return Err(Error::new(&ARGUMENT, format!("the schema names {wanted:?} where the header has {found:?}")));
    }
    if schema.len() != header.len() {
        let message = format!("the schema has {} columns, the header {}", schema.len(), header.len());
        return Err(Error::new(&ARGUMENT, message));
    }
    Ok(())
}

/// Names and types from the first rows. Columns may have missing values that the sample does not show.
fn sniff(header: Option<Vec<String>>, sampled: &VecDeque<Record>, options: &ReadOptions) -> Result<Schema> {
    let width = header.as_ref().map_or_else(|| sampled.front().map_or(0, Record::len), Vec::len);
    let header = header.unwrap_or_else(|| (1..=width).map(|i| format!("column_{i}")).collect());
    let mut guesses = vec![TextGuess::default(); width];
    for record in sampled.iter().filter(|r| r.len() == width) {
        for (guess, (field, quoted)) in guesses.iter_mut().zip(record.fields()) {
            match std::str::from_utf8(field) {
                Ok(text) if !quoted && text == options.null => {}
                Ok("") => {}
                Ok(text) => guess.add(text),
                Err(_) => {}
            }
        }
    }
    let sniffed = header.into_iter().zip(guesses).map(|(name, guess)| Field::new(name, guess.dtype()).nullable());
    with_types(sniffed.collect(), options)
}

#[cfg(test)]
mod tests {
    use super::{super::OnBadRow, *};

    fn read(text: &str, options: &ReadOptions) -> Result<Vec<String>> {
        let mut source = CsvSource::new(TextInput::of(text.as_bytes().to_vec()), TableFormat::Csv, options)?;
        let mut rows = Vec::new();
        while let Some(batch) = source.next_batch()? {
            rows.extend(batch.iter().map(|row| row.to_json(Default::default())));
        }
        rows.extend(source.notes());
        Ok(rows)
    }

    #[test]
    fn types_are_sniffed_and_quotes_tell_empty_from_missing() {
        let rows = read("id,name,x\n1,\"\",0.5\n2,,\n", &ReadOptions::default()).unwrap();
        assert_eq!(rows, [r#"{"id":1,"name":"","x":0.5}"#, r#"{"id":2,"name":null,"x":null}"#]);
    }

    #[test]
    fn bad_rows_name_their_line_or_are_left_out() {
        let text = "a,b\n1,x\n2\n\n\"3\n\",y\n4,z\n";
        let mut options = ReadOptions { types: vec![("a".into(), DataType::I64)], ..Default::default() };
        let e = read(text, &options).unwrap_err();
        assert_eq!((e.code().id(), e.place().row), ("table.row", Some(1)));
        assert!(e.message().starts_with("line 3: 1 fields"), "{e}");
        options.on_bad_row = OnBadRow::Skip;
        let rows = read(&text.replace("4,", "four,"), &options).unwrap();
        assert_eq!(rows[..2], [r#"{"a":1,"b":"x"}"#, r#"{"a":3,"b":"y"}"#]);
        assert!(rows[2].contains("line 3:") && rows[3].contains("line 7:"), "{rows:?}");
    }

    #[test]
    fn a_given_schema_must_have_the_headers_names() {
        let spec = super::super::TableSpec::parse(r#"[{"name":"a","type":"u8","nullable":false}]"#).unwrap();
        let options = ReadOptions { spec: Some(spec), ..Default::default() };
        assert_eq!(read("a\n7\n", &options).unwrap(), [r#"{"a":7}"#]);
        assert!(read("b\n7\n", &options).is_err());
        assert!(read("a\n\"\"\n", &options).unwrap_err().message().contains("missing"));
        assert!(read("a\n256\n", &options).unwrap_err().message().contains("line 2"));
    }

    #[test]
    fn without_a_header_columns_are_numbered() {
        let options = ReadOptions { header: false, ..Default::default() };
        assert_eq!(read("1,a\n2,b", &options).unwrap()[1], r#"{"column_1":2,"column_2":"b"}"#);
        assert!(read("", &options).unwrap().is_empty());
    }
}
