//! CSV in: names from the header, types sniffed or given, bad rows with their line.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::Arc,
};

use super::{
    delimiter,
    records::{Record, Records},
};
use crate::{
    error::{Error, Result, codes::ARGUMENT},
    step::Turn,
    table::{ColumnBuilder, DataType, Field, Schema},
    text::{
        BATCH_BYTES, TextFormat, TextOptions,
        cell::push_text,
        chunks::Chunks,
        codes::{bad_row, unlike_the_first},
        cut::{Quotes, RowEnds},
        rows::{TextRow, with_types},
        sniff::{TextGuess, is_of_text},
    },
};

/// The rows of a CSV.
#[derive(Debug)]
pub(in crate::text) struct CsvRows {
    records: Records,
    record: Record,
    /// What stands between fields is given.
    given: bool,
    /// What stands between fields was looked for.
    sniffed: bool,
    /// What may have been meant otherwise.
    pub notes: Vec<String>,
    begun: bool,
    header: Option<Vec<String>>,
    /// Records that were read for sniffing and come first.
    sampled: VecDeque<Record>,
    sampled_bytes: usize,
    columns: Arc<Columns>,
}

impl CsvRows {
    pub fn new(format: TextFormat, options: &TextOptions) -> Result<CsvRows> {
        let delimiter = options.delimiter.unwrap_or(format.delimiter());
        super::check_delimiter(delimiter)?;
        let given = format != TextFormat::Csv || options.delimiter.is_some();
        super::check_null(&options.null, Some(delimiter).filter(|_| given))?;
        Ok(CsvRows {
            records: Records::new(delimiter, &options.limits),
            record: Record::default(),
            given,
            sniffed: false,
            notes: Vec::new(),
            begun: false,
            header: None,
            sampled: VecDeque::new(),
            sampled_bytes: 0,
            columns: Arc::new(Columns { null: options.null.clone(), ..Columns::default() }),
        })
    }

    /// The columns, from the header and the first rows; `None` if more bytes must come first.
    pub fn open(&mut self, chunks: &mut Chunks, options: &TextOptions) -> Result<Option<Schema>> {
        if !self.sniffed {
            let most = if self.given { delimiter::SAID } else { delimiter::SAMPLE };
            let Some(sample) = chunks.peek(most) else { return Ok(None) };
            self.sniff_delimiter(sample, chunks, options);
            self.sniffed = true;
        }
        if !self.begun {
            match self.records.next(chunks, &mut self.record)? {
                Turn::Need(()) => return Ok(None),
                Turn::Item(()) if options.header => self.header = Some(names(&self.record)?),
                Turn::Item(()) => self.sampled.push_back(std::mem::take(&mut self.record)),
                Turn::Done => {}
            }
            self.begun = true;
        }
        let most = options.sniff_rows.max(1);
        while options.spec.is_none() && self.sampled.len() < most && self.sampled_bytes < BATCH_BYTES {
            match self.records.next(chunks, &mut self.record)? {
                Turn::Need(()) => return Ok(None),
                Turn::Item(()) => {}
                Turn::Done => break,
            }
            self.sampled_bytes += self.record.bytes();
            self.sampled.push_back(std::mem::take(&mut self.record));
        }
        let all = match &options.spec {
            Some(spec) => {
                let schema = spec.schema()?;
                if let Some(header) = &self.header {
                    same_names(&schema, header)?;
                }
                schema
            }
            None => {
                let mut header = self.header.take();
                self.notes.extend(header.as_mut().and_then(|names| each_once(names)));
                sniff(header, &self.sampled, options)?
            }
        };
        let typed: HashSet<&str> = options.types.iter().map(|(name, _)| name.as_str()).collect();
        let is_sniffed = |field: &Field| options.spec.is_none() && !typed.contains(field.name.as_str());
        let columns = Arc::make_mut(&mut self.columns);
        columns.sniffed = all.fields().iter().map(is_sniffed).collect();
        (columns.wanted, columns.all) = ((0..all.len()).collect(), all.clone());
        Ok(Some(all))
    }

    /// Finds out what stands between fields, if that is not given: what a first line as Excel writes it says, which is no row,
    /// or what the first rows agree on.
    fn sniff_delimiter(&mut self, sample: Vec<u8>, chunks: &mut Chunks, options: &TextOptions) {
        let said = delimiter::said(&sample);
        let found = match said {
            _ if self.given => self.records.delimiter(),
            Some((delimiter, _)) => delimiter,
            None => delimiter::sniff(sample, &options.limits),
        };
        if let Some((_, length)) = said {
            (0..length).for_each(|_| chunks.consume(1));
            self.notes.push("the first line names the delimiter, as Excel writes it, and is not a row".to_owned());
            self.records = Records::at_line(found, &options.limits, 2);
        } else if found != self.records.delimiter() {
            let found: char = found.into();
            self.notes.push(format!(
                "the delimiter is {found:?}, as the first rows have it; a delimiter given by name overrides it"
            ));
            self.records = Records::new(found as u8, &options.limits);
        }
    }

    /// The same columns, for the rest of the text from a line on.
    pub fn at_line(&self, line: u64) -> CsvRows {
        CsvRows {
            records: Records::at_line(self.records.delimiter(), self.records.limits(), line),
            record: Record::default(),
            given: true,
            sniffed: true,
            notes: Vec::new(),
            begun: true,
            header: None,
            sampled: VecDeque::new(),
            sampled_bytes: 0,
            columns: self.columns.clone(),
        }
    }

    /// The line on which the next record begins, between records.
    pub fn line(&self) -> u64 {
        self.records.line()
    }
    /// Where records end.
    pub fn ends(&self) -> RowEnds {
        RowEnds::Csv(Quotes::new(self.records.delimiter()))
    }
    /// Whether the next record is one that types were sniffed from.
    pub fn has_sampled(&self) -> bool {
        !self.sampled.is_empty()
    }

    /// Reads only these columns.
    pub fn select(&mut self, columns: &[usize]) {
        // A column that is not wanted goes nowhere.
        let own = Arc::make_mut(&mut self.columns);
        own.wanted = vec![usize::MAX; own.all.len()];
        for (at, &column) in columns.iter().enumerate() {
            if let Some(place) = own.wanted.get_mut(column) {
                *place = at;
            }
        }
    }

    /// The next row, into the columns.
    pub fn next(&mut self, chunks: &mut Chunks, columns: &mut [ColumnBuilder]) -> Result<Turn<TextRow, ()>> {
        match self.sampled.pop_front() {
            Some(sampled) => self.record = sampled,
            None => {
                if let Some(row) = self.next_in_place(chunks, columns) {
                    return Ok(Turn::Item(row));
                }
                match self.records.next(chunks, &mut self.record)? {
                    Turn::Item(()) => {}
                    Turn::Need(()) => return Ok(Turn::Need(())),
                    Turn::Done => return Ok(Turn::Done),
                }
            }
        }
        Ok(Turn::Item(TextRow {
            bytes: self.record.bytes(),
            words: false,
            outcome: self.columns.push(&self.record, columns),
        }))
    }

    /// The next row, read where it lies. `None` if it cannot be, or is not UTF-8.
    fn next_in_place(&mut self, chunks: &mut Chunks, columns: &mut [ColumnBuilder]) -> Option<TextRow> {
        let record = self.records.in_place(chunks)?;
        let text = std::str::from_utf8(chunks.fill()?.get(..record.read)?).ok()?;
        let cells = record.fields.iter().map(|span| (text.get(span.start..span.end), span.quoted));
        let outcome = self.columns.push_cells(record.line, cells, columns);
        let (bytes, read) = (record.bytes(), record.read);
        self.records.passed(chunks, read);
        Some(TextRow { bytes, words: false, outcome })
    }
}

/// The columns of the file, and where their cells go.
#[derive(Clone, Debug, Default)]
struct Columns {
    /// All of them.
    all: Schema,
    /// For each the place where it goes, if it is wanted.
    wanted: Vec<usize>,
    /// For each whether its type was found out from the first rows.
    sniffed: Vec<bool>,
    null: String,
}

impl Columns {
    /// Adds a record to the columns. After an error every column has a row too many or none.
    fn push(&self, record: &Record, columns: &mut [ColumnBuilder]) -> Result<()> {
        if record.open {
            return Err(bad_row(record.line, "a quote that opens is never closed"));
        }
        let cells = record.fields().map(|(field, quoted)| (std::str::from_utf8(field).ok(), quoted));
        self.push_cells(record.line, cells, columns)
    }

    /// As [`push`](Self::push), of cells that are `None` if they are not UTF-8, each with whether it stood in quotes.
    fn push_cells<'a>(
        &self,
        line: u64,
        cells: impl ExactSizeIterator<Item = (Option<&'a str>, bool)>,
        columns: &mut [ColumnBuilder],
    ) -> Result<()> {
        if cells.len() != self.all.len() {
            return Err(bad_row(line, format!("{} fields where there are {} columns", cells.len(), self.all.len())));
        }
        for (i, (text, quoted)) in cells.enumerate() {
            let Some(column) = self.wanted.get(i).and_then(|&at| columns.get_mut(at)) else { continue };
            let name = || self.all.fields().get(i).map(|f| f.name.clone()).unwrap_or_default();
            let text = text.ok_or_else(|| bad_row(line, "this is not UTF-8").column(name()))?;
            let null = !quoted && text == self.null;
            let empty = text.is_empty() && !matches!(column.dtype(), DataType::String | DataType::Bytes);
            if null || empty {
                let nullable = self.all.fields().get(i).is_none_or(|f| f.nullable);
                match column.dtype() {
                    DataType::Key { .. } => push_text(column, "0")?,
                    _ if nullable => column.push_null(),
                    _ => return Err(bad_row(line, "a value is missing").column(name())),
                }
            } else {
                let sniffed = self.sniffed.get(i) == Some(&true);
                if sniffed && is_of_text(column.dtype(), text) {
                    return Err(unlike_the_first(line, column.dtype(), text).column(name()));
                }
                push_text(column, text).map_err(|e| {
                    let advice: &[&str] = if sniffed { &["types", "sniff_rows"] } else { &[] };
                    bad_row(line, e.message()).column(name()).with_options(advice)
                })?;
            }
        }
        Ok(())
    }
}

fn names(record: &Record) -> Result<Vec<String>> {
    record
        .fields()
        .map(|(f, _)| String::from_utf8(f.to_vec()).map_err(|_| bad_row(record.line, "a column's name is not UTF-8")))
        .collect()
}

/// Gives columns whose name was there before one of their own, as DuckDB does, and says so.
fn each_once(header: &mut [String]) -> Option<String> {
    let all: HashSet<String> = header.iter().cloned().collect();
    let (mut taken, mut renamed) = (HashSet::new(), Vec::new());
    let mut next: HashMap<String, usize> = HashMap::new();
    for name in header {
        if taken.insert(name.clone()) {
            continue;
        }
        let count = next.entry(name.clone()).or_default();
        let free = loop {
            *count += 1;
            let free = format!("{name}_{count}");
            if !all.contains(&free) && taken.insert(free.clone()) {
                break free;
            }
        };
        renamed.push(format!("{:?}", free));
        *name = free;
    }
    let (count, more) = (renamed.len(), if renamed.len() > 8 { ",..." } else { "" });
    renamed.truncate(8);
    (count > 0).then(|| format!("columns of a name that was there before are called {}{more}", renamed.join(", ")))
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
fn sniff(header: Option<Vec<String>>, sampled: &VecDeque<Record>, options: &TextOptions) -> Result<Schema> {
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
    use super::*;
    use crate::table::TableSpec;
    use crate::text::{OnBadRow, open};

    fn read(text: &str, options: &TextOptions) -> Result<Vec<String>> {
        open::read(text, TextFormat::Csv, options)
    }

    #[test]
    fn types_are_sniffed_and_quotes_tell_empty_from_missing() {
        let rows = read("id,name,x\n1,\"\",0.5\n2,,\n", &TextOptions::default()).unwrap();
        assert_eq!(rows, [r#"{"id":1,"name":"","x":0.5}"#, r#"{"id":2,"name":null,"x":null}"#]);
    }

    #[test]
    fn a_column_name_that_comes_again_gets_one_that_is_free() {
        let rows = read("a,b,a,a_1,a\n1,2,3,4,5\n", &TextOptions::default()).unwrap();
        assert_eq!(rows[0], r#"{"a":1,"b":2,"a_2":3,"a_1":4,"a_3":5}"#);
        assert_eq!(rows[1], r#"columns of a name that was there before are called "a_2", "a_3""#);
        let options = TextOptions { types: vec![("a_1".into(), DataType::String)], ..Default::default() };
        assert_eq!(read("a,a\n1,2\n", &options).unwrap()[0], r#"{"a":1,"a_1":"2"}"#);
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_first_name_however_it_comes() {
        for text in ["\u{feff}\"a,b\",c\n1,2\n", "\n\u{feff}a\n", "\u{feff}\u{feff}a\n1\n", "\u{feff}", "\u{feff}\n1\n"]
        {
            read(text, &TextOptions::default()).unwrap();
        }
        assert_eq!(read("\u{feff}\"a,b\",c\n1,2\n", &TextOptions::default()).unwrap(), [r#"{"a,b":1,"c":2}"#]);
        let e = read("\u{feff}a\n1,2\n", &TextOptions::default()).unwrap_err();
        assert!(e.message().starts_with("line 2"), "{e}");
    }

    #[test]
    fn a_text_of_another_encoding_says_which_it_is() {
        let utf16: Vec<u8> = "\u{feff}a,b\n1,2\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        for format in TextFormat::ALL {
            for size in [1, 100] {
                let mut reader = crate::text::TextReader::new(format, TextOptions::default()).unwrap();
                utf16.chunks(size).for_each(|part| reader.push(bytes::Bytes::copy_from_slice(part)));
                let e = reader
                    .open()
                    .and_then(|_| {
                        reader.end();
                        reader.open()
                    })
                    .unwrap_err();
                assert!(e.message().contains("the text is UTF-16"), "{format:?}: {e}");
            }
        }
    }

    #[test]
    fn bad_rows_name_their_line_or_are_left_out() {
        let text = "a,b\n1,x\n2\n\n\"3\n\",y\n4,z\n";
        let mut options = TextOptions { types: vec![("a".into(), DataType::I64)], ..Default::default() };
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
        let spec = TableSpec::parse(r#"[{"name":"a","type":"u8","nullable":false}]"#).unwrap();
        let options = TextOptions { spec: Some(spec), ..Default::default() };
        assert_eq!(read("a\n7\n", &options).unwrap(), [r#"{"a":7}"#]);
        assert!(read("b\n7\n", &options).is_err());
        assert!(read("a\n\"\"\n", &options).unwrap_err().message().contains("missing"));
        assert!(read("a\n256\n", &options).unwrap_err().message().contains("line 2"));
    }

    #[test]
    fn what_the_first_rows_do_not_show_is_not_lost() {
        let options = TextOptions { sniff_rows: 1, ..Default::default() };
        for (first, late) in [
            ("12345", "00123"),
            ("12345", "-007"),
            ("1", "+4912345"),
            ("1.5", "007"),
            ("0.5", "9007199254740993"),
            ("0.5", "1e400"),
            ("2024-02-29T12:00:00", "2024-02-29T12:00:00+05:00"),
        ] {
            let text = format!("a\n{first}\n{late}\n");
            let e = read(&text, &options).unwrap_err();
            assert_eq!((e.place().row, e.place().column.as_deref()), (Some(1), Some("a")), "{e}");
            // Seen among the first rows it stays the text that it is.
            let rows = read(&text, &TextOptions::default()).unwrap();
            assert_eq!(rows[1], format!("{{\"a\":\"{late}\"}}"));
        }
        // Whoever gives the type means it.
        let mut options = TextOptions { types: vec![("a".into(), DataType::I64)], sniff_rows: 1, ..Default::default() };
        assert_eq!(read("a\n1\n007\n", &options).unwrap()[1], r#"{"a":7}"#);
        options.types = vec![("a".into(), DataType::TimestampUs)];
        let rows = read("a\n2024-02-29T12:00:00\n2024-02-29T12:00:00+05:00\n", &options).unwrap();
        assert_eq!(rows[1], r#"{"a":"2024-02-29T07:00:00"}"#);
        for (first, late) in
            [("1", "0"), ("0", "-1"), ("1.5", "0.5"), ("2024-02-29T12:00:00", "2024-02-29T12:00:00.5Z")]
        {
            assert!(
                read(&format!("a\n{first}\n{late}\n"), &TextOptions { sniff_rows: 1, ..Default::default() }).is_ok()
            );
        }
    }

    #[test]
    fn without_a_header_columns_are_numbered() {
        let options = TextOptions { header: false, ..Default::default() };
        assert_eq!(read("1,a\n2,b", &options).unwrap()[1], r#"{"column_1":2,"column_2":"b"}"#);
        assert!(read("", &options).unwrap().is_empty());
    }
}
