//! Conversion of tables: ranges in, bytes to append out.

use std::{collections::BTreeMap, sync::Arc};

use forebay::{
    Error, Limits, Result,
    error::codes::ARGUMENT,
    filter::Filter,
    formats::Format,
    idv::Packing,
    step::Turn,
    table::{TableSpec, parse_type},
    tables::{AnyTable, Conversion, ConversionOptions, Converted, Input, InputRows, Scan, Target},
    tbf::Dialect,
    text::{OnBadRow, TextFormat, TextOptions},
    words::Word,
};
use js_sys::{Array, Object, Reflect, Uint8Array};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use super::sink::{self, Sink};
use crate::{
    fail::{Outcome, text, thrown},
    limits::GivenLimits,
    ranges::pairs,
    words::{self, unknown},
};

/// How a table is written.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "TableConversion"))]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Options {
    /// The format to write.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["tbf", "idv", "parquet", "arrow", "arrows", "csv", "tsv", "jsonl"])))]
    to: String,
    /// Only these columns, in this order.
    columns: Option<Vec<String>>,
    /// Only rows that match. The filter may name columns that are not written.
    #[serde(rename = "where")]
    filter: String,
    /// Change what the target cannot hold, and say so in the notes, instead of refusing it.
    lossy: bool,
    /// Rows of a row group (TBF, Parquet) or block (IDV).
    group_rows: Option<usize>,
    #[cfg_attr(feature = "schema", schemars(skip))]
    dialect: Option<String>,
    /// IDV: how blocks are packed. `none` has the bytes of the command; `deflate` is packed by another encoder than the command's, so that
    /// the rows are the same and the bytes are not. Default: `deflate`. Parquet: `snappy`, `lz4` or `none`; default: `snappy`. Arrow:
    /// `lz4` or `none`; default: `none`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["none", "deflate", "snappy", "lz4"])))]
    compression: Option<String>,
    #[cfg_attr(feature = "schema", schemars(skip))]
    types: BTreeMap<String, String>,
    #[cfg_attr(feature = "schema", schemars(skip))]
    spec: Option<String>,
    #[cfg_attr(feature = "schema", schemars(skip))]
    no_header: bool,
    #[cfg_attr(feature = "schema", schemars(skip))]
    delimiter: Option<String>,
    #[cfg_attr(feature = "schema", schemars(skip))]
    null: String,
    #[cfg_attr(feature = "schema", schemars(skip))]
    skip_bad_rows: bool,
    #[cfg_attr(feature = "schema", schemars(skip))]
    sniff_rows: Option<usize>,
    /// The column whose pictures become samples.
    #[cfg(feature = "columns")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pictures: Option<String>,
}

/// The result of converting a table.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "TableConverted"))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Summary<'a> {
    /// Rows written.
    rows: u64,
    /// Columns written.
    columns: usize,
    /// Bytes of the output.
    output_bytes: u64,
    /// Bad rows that were left out.
    skipped_rows: u64,
    /// What was changed to fit the target, which rows were left out, and other things worth knowing.
    notes: &'a [String],
}

/// The format of a text that is read.
pub(super) fn text_in(word: &str) -> Result<TextFormat> {
    TextFormat::from_name(word).ok_or_else(|| unknown("format of text", word))
}

impl Options {
    pub fn parse(json: &str) -> Result<Options> {
        serde_json::from_str(json).map_err(|e| Error::new(&ARGUMENT, format!("the options of a conversion: {e}")))
    }

    fn target(&self) -> Result<Target> {
        if let Some(format) = TextFormat::from_name(&self.to) {
            return Ok(Target::Text(format));
        }
        match Format::from_name(&self.to) {
            Some(Format::Idv) => Ok(Target::Idv),
            Some(Format::Tbf) => {
                // JavaScript names layouts in capitals, as reports do.
                let word = self.dialect.as_deref().unwrap_or("D");
                let written = Dialect::ALL.iter().copied().find(|dialect| dialect.to_string() == word);
                Ok(Target::Tbf(written.ok_or_else(|| unknown("layout that is written", word))?))
            }
            #[cfg(feature = "columns")]
            Some(Format::Parquet | Format::Arrow | Format::Arrows) => Ok(Target::Arrow),
            #[cfg(feature = "columns")]
            Some(Format::Tar) if self.pictures.is_some() => Ok(Target::Arrow),
            _ => Err(unknown("output format for tables", &self.to)),
        }
    }

    /// What takes the rows, if it is not the core.
    #[cfg_attr(not(feature = "columns"), allow(unused_variables))]
    fn sink(&self, core: &ConversionOptions, input: &Input) -> Result<Sink> {
        #[cfg(feature = "columns")]
        if let Some(column) = &self.pictures {
            let file = if let Input::Table(file) = input { Some(&**file) } else { None };
            return Ok(sink::pictures(column, file));
        }
        #[cfg(feature = "columns")]
        if let Some(sink) = sink::other(&self.to, self.compression.as_deref(), self.group_rows)? {
            return Ok(sink);
        }
        Ok(sink::core(core.write.clone()))
    }

    /// How text is read.
    pub fn text(&self, limits: Limits) -> Result<TextOptions> {
        let mut read = TextOptions::default();
        read.delimiter = match self.delimiter.as_deref().map(str::as_bytes) {
            None => None,
            Some([one]) => Some(*one),
            Some(_) => return Err(Error::new(&ARGUMENT, "a delimiter is one ASCII character")),
        };
        read.limits = limits;
        read.spec = self.spec.as_deref().map(TableSpec::parse).transpose()?;
        let dtype = |(name, dtype): (&String, &String)| Ok((name.clone(), parse_type(dtype)?));
        read.types = self.types.iter().map(dtype).collect::<Result<_>>()?;
        read.header = !self.no_header;
        read.null.clone_from(&self.null);
        if self.skip_bad_rows {
            read.on_bad_row = OnBadRow::Skip;
        }
        if let Some(rows) = self.sniff_rows {
            read.sniff_rows = rows;
        }
        Ok(read)
    }

    /// What the core is told; `chosen` are the numbers of rows, in rising order.
    fn core(&self, limits: Limits, chosen: Option<Vec<u32>>) -> Result<ConversionOptions> {
        let target = self.target()?;
        let mut core = ConversionOptions::new(target);
        core.rows = chosen.map(|rows| rows.into_iter().map(u64::from).collect());
        let filter = (!self.filter.trim().is_empty()).then(|| Filter::parse(&self.filter)).transpose()?;
        core.scan = Scan::new(self.columns.clone(), filter);
        core.text = self.text(limits)?;
        let (read, write) = (&core.text, &mut core.write);
        (write.lossy, write.group_rows) = (self.lossy, self.group_rows);
        write.spec.clone_from(&read.spec);
        write.csv.follow(read);
        if target != Target::Arrow {
            let packing = words::chosen("compression of tables", self.compression.as_deref(), Packing::Deflate)?;
            write.idv = write.idv.clone().with_packing(packing);
        }
        if let Some(rows) = self.group_rows {
            write.idv = write.idv.clone().with_rows_per_block(u32::try_from(rows).unwrap_or(u32::MAX));
        }
        Ok(core)
    }
}

/// Converts a table: `step`, and after every step `take` what is to be written; when it is done, `patches`.
#[wasm_bindgen]
#[derive(Debug)]
pub struct TableConverter {
    work: Option<Conversion<InputRows, Sink>>,
    done: Converted,
    /// Where what was taken last went.
    at: u64,
    looked_at: u64,
}

impl TableConverter {
    fn new(input: Input, options: &Options, limits: Limits, chosen: Option<Vec<u32>>) -> Result<TableConverter> {
        let core = options.core(limits, chosen)?;
        let sink = options.sink(&core, &input)?;
        let work = Some(Conversion::into_sink(input, core, sink)?);
        Ok(TableConverter { work, done: Converted::default(), at: 0, looked_at: 0 })
    }

    pub(super) fn of_table(file: Arc<AnyTable>, options: &str, chosen: Option<Vec<u32>>) -> Result<TableConverter> {
        Self::new(Input::Table(file), &Options::parse(options)?, Limits::default(), chosen)
    }
}

#[wasm_bindgen]
impl TableConverter {
    /// For a text of `len` bytes; of all its rows, or of those with these numbers, in rising order.
    #[wasm_bindgen(js_name = ofText)]
    pub fn of_text(
        format: &str,
        len: f64,
        limits: &GivenLimits,
        options: &str,
        chosen: Option<Vec<u32>>,
    ) -> Outcome<TableConverter> {
        let begin = || {
            let input = Input::Text { format: text_in(format)?, len: len as u64 };
            Self::new(input, &Options::parse(options)?, limits.into(), chosen)
        };
        begin().map_err(thrown)
    }

    /// The ranges that are needed, none where there is something to take; nothing when it is done.
    pub fn step(&mut self) -> Outcome<Option<Vec<f64>>> {
        let Some(work) = &mut self.work else { return Ok(None) };
        let step = work.step().map_err(thrown)?;
        self.looked_at = work.looked_at();
        Ok(match step {
            Turn::Need(ranges) => pairs(ranges),
            Turn::Item(()) => Some(Vec::new()),
            Turn::Done => {
                self.done = self.work.take().map(Conversion::finish).unwrap_or_default();
                None
            }
        })
    }

    /// Bytes of the input from `start` on.
    pub fn push(&mut self, start: f64, bytes: Vec<u8>) {
        if let Some(work) = &mut self.work {
            work.push(start as u64, bytes.into());
        }
    }

    /// Rows of the input that were looked at so far.
    #[wasm_bindgen(getter)]
    pub fn done(&self) -> f64 {
        self.looked_at as f64
    }

    /// Where the bytes of [`take`](Self::take) go.
    #[wasm_bindgen(getter)]
    pub fn at(&self) -> f64 {
        self.at as f64
    }

    /// Bytes to write now; nothing if there are none. They follow each other.
    pub fn take(&mut self) -> Option<Uint8Array> {
        let bytes = self.work.as_mut()?.take();
        self.at = self.done.output_bytes;
        self.done.output_bytes += bytes.len() as u64;
        (!bytes.is_empty()).then(|| Uint8Array::from(bytes.as_slice()))
    }

    /// What is left to do to the output, in order: objects with `what` and the numbers that it takes.
    pub fn patches(&mut self) -> Array {
        let all = Array::new();
        let add = |what: &str, field: &str, value: JsValue| {
            let patch = Object::new();
            for (name, value) in [("what", what.into()), ("at", 0.into()), (field, value)] {
                // Setting a field of a plain object cannot fail.
                let _ = Reflect::set(&patch, &name.into(), &value);
            }
            all.push(&patch);
        };
        if let Some(front) = &self.done.front {
            add("bytes", "bytes", Uint8Array::from(front.as_slice()).into());
        }
        add("end", "len", (self.done.output_bytes as f64).into());
        all
    }

    /// What was done, as JSON.
    pub fn finish(&self) -> String {
        let Converted { rows, columns, output_bytes, skipped_rows, .. } = self.done;
        text(&Summary { rows, columns, output_bytes, skipped_rows, notes: &self.done.notes })
    }
}
