//! The samples of a warehouse as a table: a row for each, with its boxes.

use std::{path::Path, sync::Arc};

use bytes::Bytes;
use forebay::{
    Error, Limits, Result,
    error::codes::ARGUMENT,
    step::Turn,
    table::{Batch, ColumnBuilder, DataType, Field, Schema, TableRows, TableSink, columns_first},
    tables::{Conversion, Scan},
    warehouse::to_f32,
};
use serde_json::{Value, json};

use super::open;
use crate::{
    input::display,
    output::refuse_inputs,
    shards::{OpenWarehouse, Proven},
    tables::{TableFormat, TableOutput, WriteOptions, create},
};

/// Rows that are made at a time.
const ROWS: u64 = 4096;

/// Writes a row for each sample of a warehouse, given by its manifest or folder, as a table in the format that the output's
/// name says; with `means` also the mean of each channel, for which every picture is read. Gives the number of rows.
pub fn export_samples(manifest: &Path, output: &Path, means: bool, force: bool, limits: &Limits) -> Result<u64> {
    let format = TableFormat::from_name(output).ok_or_else(|| {
        let message =
            "the name of the output does not say a format: .parquet, .arrow, .csv, .jsonl or another of a table";
        Error::new(&ARGUMENT, message).file(display(output))
    })?;
    refuse_inputs(output, [manifest])?;
    let options = WriteOptions::new(format);
    let target = options.core.target;
    let rows = Rows::new(open(manifest, limits)?, means)?;
    let name = rows.opened.joined.name().to_owned();
    let sink = Sink { path: output, force, options, file: None };
    let mut work = Conversion::over(rows, sink, Scan::default(), target, false);
    match work.step() {
        Ok(Turn::Done) => {}
        Ok(_) => return Err(columns_first()),
        Err(e) => return Err(e.file(name)),
    }
    let (done, sink) = work.into_parts();
    let named = |e: Error| e.file(display(output));
    let mut writer = sink.file.ok_or_else(columns_first)?.finish().map_err(named)?;
    writer.end()?;
    writer.into_file()?.commit(true)?;
    Ok(done.rows)
}

fn schema(means: bool) -> Result<Schema> {
    let list = |item| DataType::vector(item, None);
    let mut fields = vec![
        Field::new("sample", DataType::U64),
        Field::new("shard", DataType::String),
        Field::new("index", DataType::U64),
        Field::new("frame_id", DataType::U64).nullable(),
        Field::new("run", DataType::String).nullable(),
        Field::new("source", DataType::String).nullable(),
        Field::new("boxes", DataType::U32),
        Field::new("left", list(DataType::F32)),
        Field::new("top", list(DataType::F32)),
        Field::new("right", list(DataType::F32)),
        Field::new("bottom", list(DataType::F32)),
        Field::new("classes", list(DataType::String)),
    ];
    if means {
        let mean = |name| Field::new(name, DataType::F64).nullable();
        fields.extend([mean("mean_red"), mean("mean_green"), mean("mean_blue")]);
    }
    Schema::new(fields)
}

/// The rows, made as they are asked for.
struct Rows {
    opened: OpenWarehouse,
    proven: Proven,
    schema: Arc<Schema>,
    means: bool,
    wanted: Vec<usize>,
    next: u64,
}

impl Rows {
    fn new(opened: OpenWarehouse, means: bool) -> Result<Rows> {
        let schema = Arc::new(schema(means)?);
        let wanted = (0..schema.len()).collect();
        let proven = Proven::new(&opened.warehouse);
        Ok(Rows { opened, proven, schema, means, wanted, next: 0 })
    }

    fn slice(&self, range: std::ops::Range<u64>) -> Result<Bytes> {
        self.opened.joined.slice(range)
    }

    /// The cells of sample `i`, in the order of all columns.
    fn cells(&self, i: u64) -> Result<Vec<Value>> {
        let warehouse = &self.opened.warehouse;
        let (shard, index) = warehouse.locate(i)?;
        self.proven.labels(warehouse, &self.opened.joined, i)?;
        let [boxes, mask] = warehouse.box_ranges(i)?;
        let boxes = warehouse.boxes(i, &self.slice(boxes)?, &self.slice(mask)?)?;
        let record = warehouse.sample_record(i)?;
        let names = warehouse.manifest().classes.as_deref().unwrap_or_default();
        let class = |k: usize| match record.classes.get(k).copied().flatten() {
            Some(class) => names.get(class as usize).cloned().unwrap_or_else(|| class.to_string()).into(),
            None => Value::from(""),
        };
        let corner = |side: usize| -> Value { boxes.iter().map(|corners| number(corners[side])).collect() };
        let mut cells = vec![
            json!(i),
            json!(warehouse.entry(shard).map_or("", |entry| entry.id.as_str())),
            json!(index),
            json!(record.frame_id),
            json!(record.run),
            json!(record.source),
            json!(boxes.len()),
            corner(0),
            corner(1),
            corner(2),
            corner(3),
            (0..boxes.len()).map(class).collect(),
        ];
        if self.means {
            cells.extend(self.channels(i)?.map(|mean| json!(mean)));
        }
        Ok(cells)
    }

    /// The mean of each channel; none where a pixel is not a number.
    fn channels(&self, i: u64) -> Result<[Option<f64>; 3]> {
        let OpenWarehouse { warehouse, joined, .. } = &self.opened;
        let shape = warehouse.locate(i)?.0.header().shape;
        let plan = self.proven.plan(warehouse, joined, i)?;
        let bytes = plan.decode(&self.slice(plan.range())?, warehouse.limits())?;
        let mut values = vec![0.0f32; bytes.len() / shape.dtype.size() as usize];
        to_f32(shape.dtype, shape.endianness, &bytes, &mut values);
        let plane = (values.len() / 3).max(1);
        let mean = |values: &[f32]| values.iter().map(|x| f64::from(*x)).sum::<f64>() / plane as f64;
        let mut planes = values.chunks(plane);
        Ok(std::array::from_fn(|_| planes.next().map(mean).filter(|mean| mean.is_finite())))
    }
}

/// A corner; what is not a number is written as the word that tables know.
fn number(x: f32) -> Value {
    match x.is_finite() {
        true => json!(f64::from(x)),
        false if x.is_nan() => "NaN".into(),
        false if x > 0.0 => "Infinity".into(),
        false => "-Infinity".into(),
    }
}

impl TableRows for Rows {
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }
    fn rows(&self) -> Option<u64> {
        Some(self.opened.warehouse.len())
    }
    fn select(&mut self, columns: &[usize]) -> Result<()> {
        let (fields, wanted): (Vec<_>, Vec<_>) =
            columns.iter().filter_map(|&k| Some((self.schema.fields().get(k)?.clone(), *self.wanted.get(k)?))).unzip();
        (self.schema, self.wanted) = (Arc::new(Schema::new(fields)?), wanted);
        Ok(())
    }
    fn step(&mut self) -> Result<Turn<Batch>> {
        let end = self.opened.warehouse.len().min(self.next.saturating_add(ROWS));
        if self.next >= end {
            return Ok(Turn::Done);
        }
        let mut columns: Vec<_> = self.schema.fields().iter().map(|field| ColumnBuilder::new(&field.dtype)).collect();
        for i in self.next..end {
            let cells = self.cells(i).map_err(|e| e.sample(i))?;
            for (column, k) in columns.iter_mut().zip(&self.wanted) {
                column.push_json(cells.get(*k).unwrap_or(&Value::Null))?;
            }
        }
        self.next = end;
        let columns = columns.into_iter().map(ColumnBuilder::finish).collect::<Result<_>>()?;
        Ok(Turn::Item(Batch::new(self.schema.clone(), columns)?))
    }
}

/// The output, which is there once the columns are known.
struct Sink<'a> {
    path: &'a Path,
    force: bool,
    options: WriteOptions,
    file: Option<TableOutput>,
}

impl TableSink for Sink<'_> {
    fn begin(&mut self, schema: &Arc<Schema>, _: &mut Vec<u8>) -> Result<()> {
        self.file.insert(create(self.path, self.force, &self.options)?).begin(schema)
    }
    fn rows_at_once(&self) -> usize {
        self.file.as_ref().map_or(usize::MAX, TableOutput::rows_at_once)
    }
    fn push(&mut self, batch: &Batch, _: &mut Vec<u8>) -> Result<()> {
        self.file.as_mut().ok_or_else(columns_first)?.write(batch).map_err(|e| e.file(display(self.path)))
    }
    fn finish(&mut self, _: &mut Vec<u8>) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }
}
