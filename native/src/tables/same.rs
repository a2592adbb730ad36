//! From Arrow to Arrow: Parquet and Arrow IPC into each other. What both have is handed on as it is, batch by batch:
//! decimals, zones, nested values, dictionaries and the notes of other programs. Only what a filter asks for is read as
//! our own columns.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use arrow_array::{
    Array, ArrayRef, BooleanArray, PrimitiveArray, RecordBatch, RecordBatchOptions,
    cast::AsArray,
    make_array,
    types::{Date64Type, Time32MillisecondType, Time32SecondType, TimestampMillisecondType, TimestampSecondType},
};
use arrow_schema::{ArrowError, DataType as Arrow, Field as ArrowField, IntervalUnit, Schema as ArrowSchema, TimeUnit};
use forebay::{
    Error, Result,
    filter::Filter,
    table::{DataType, Schema},
    tables::{Scan, name_the_same},
};
use forebay_columns::{guard::guarded, hugging, parquet::not_parquet};
use parquet::{
    arrow::{ARROW_SCHEMA_META_KEY, ArrowSchemaConverter, encode_arrow_schema, parquet_to_arrow_schema},
    file::metadata::KeyValue,
};

use super::{
    ReadOptions, TableFormat, TableJob, TableRows, TableSink, TableSource, TableSummary,
    arrow::{Cuts, not_arrow, nulls_in_keys, read_record_batch},
    codes,
    columns_out::{IpcSink, ParquetSink, ipc_sink, parquet_sink},
    differ::differ,
    ipc::IpcSource,
    parquet::ParquetSource,
    route::{Place, open_ipc, open_parquet, output_file, table_format},
    writer::SharedFile,
};
use crate::{
    convert::Progress,
    input::{PIPE, display},
};

/// Rows that are handed to Parquet at a time, so that its row groups can be closed in time.
const SLICE: usize = 1 << 16;

/// An input, read as Arrow.
pub(super) enum ArrowInput {
    Parquet(Box<ParquetSource>),
    Ipc(Box<IpcSource>),
}

impl ArrowInput {
    /// Opens an input; `None` if it is of another family.
    fn open(path: &Path, options: &ReadOptions) -> Result<Option<ArrowInput>> {
        let format = match options.format {
            Some(format) => Some(format),
            None => table_format(path)?,
        };
        let named = |e: Error| e.file(display(path));
        Ok(match format {
            Some(TableFormat::Parquet) => {
                Some(ArrowInput::Parquet(Box::new(open_parquet(Place::Path(path), options).map_err(named)?)))
            }
            Some(format @ (TableFormat::Arrow | TableFormat::Arrows)) => {
                Some(ArrowInput::Ipc(Box::new(open_ipc(Place::Path(path), format, options).map_err(named)?)))
            }
            _ => None,
        })
    }

    /// Our names and types of all columns.
    fn schema(&self) -> &Arc<Schema> {
        match self {
            ArrowInput::Parquet(source) => source.schema(),
            ArrowInput::Ipc(source) => source.schema(),
        }
    }
    /// Arrow's.
    fn arrow_schema(&self) -> &Arc<ArrowSchema> {
        match self {
            ArrowInput::Parquet(source) => source.arrow_schema(),
            ArrowInput::Ipc(source) => source.arrow_schema(),
        }
    }
    fn source(&mut self) -> &mut dyn TableSource {
        match self {
            ArrowInput::Parquet(source) => &mut **source,
            ArrowInput::Ipc(source) => &mut **source,
        }
    }
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        match self {
            ArrowInput::Parquet(source) => source.next_record_batch(),
            ArrowInput::Ipc(source) => source.next_record_batch(),
        }
    }
    /// Refuses columns that cannot even be handed on, and those of the filter that cannot be read.
    fn refuse(&self, wanted: &[usize], filtered: &[usize]) -> Result<()> {
        let unread = match self {
            ArrowInput::Parquet(source) => source.unread_columns(),
            ArrowInput::Ipc(source) => source.unread_columns(),
        };
        unread.refuse_opaque(Some(wanted))?;
        unread.refuse(Some(filtered))
    }
    /// True if every batch has the same dictionaries.
    fn has_steady_dictionaries(&self) -> bool {
        matches!(self, ArrowInput::Ipc(source) if source.format() == TableFormat::Arrow)
    }
}

/// A conversion in which both sides are Arrow's.
pub(super) struct Same<'a> {
    job: &'a TableJob,
    /// What is written.
    schema: Arc<ArrowSchema>,
    notes: Vec<String>,
    /// The only input, which may be a pipe that cannot be opened again.
    opened: Option<ArrowInput>,
}

impl<'a> Same<'a> {
    /// The conversion, if all inputs are of this family and of the same types; else there is a way through our own
    /// columns, or none.
    pub fn of(job: &'a TableJob) -> Result<Option<Same<'a>>> {
        let family = |format| matches!(format, TableFormat::Parquet | TableFormat::Arrow | TableFormat::Arrows);
        let piped = job.inputs.iter().any(|path| display(path) == PIPE);
        // What comes from a pipe cannot be looked at twice.
        if !family(job.write.format) || job.read.samples || (piped && job.inputs.len() > 1) {
            return Ok(None);
        }
        let mut opened = None;
        let (mut common, mut first): (Option<(ArrowSchema, bool)>, Option<Arc<Schema>>) = (None, None);
        for path in &job.inputs {
            let Some(input) = ArrowInput::open(path, &job.read)? else { return Ok(None) };
            let (wanted, filtered) = chosen(&job.scan, input.schema()).map_err(|e| e.file(display(path)))?;
            input.refuse(&wanted, &filtered).map_err(|e| e.file(display(path)))?;
            let (schema, ours) = (input.arrow_schema().project(&wanted), input.schema().project(&wanted)?);
            let schema = schema.map_err(not_arrow)?;
            // The way through our own columns says which column it is.
            if !name_the_same(first.get_or_insert_with(|| ours.clone()), &ours) {
                return Ok(None);
            }
            let steady = input.has_steady_dictionaries() && job.inputs.len() == 1;
            common = Some(match common {
                None => (schema, steady),
                Some((all, _)) => match joined(&all, &schema) {
                    Some(all) => {
                        if let Some(column) = hugging::renamed(&all, &schema) {
                            let message = "the classes are others than in the first input, so that a number means something else here";
                            return Err(Error::new(&codes::TARGET, message).column(column).file(display(path)));
                        }
                        (all, false)
                    }
                    None => return Ok(None),
                },
            });
            opened = Some(input).filter(|_| job.inputs.len() == 1);
        }
        let Some((schema, steady)) = common else { return Ok(None) };
        let mut notes = Vec::new();
        // An Arrow file has one dictionary for each column.
        let schema = match job.write.format {
            TableFormat::Arrow if !steady => without_dictionaries(&schema, &mut notes),
            _ => schema,
        };
        let schema = match job.write.format {
            TableFormat::Parquet => {
                let schema = in_units_of_parquet(&schema, &mut notes);
                held_by_parquet(&schema)?;
                schema
            }
            _ => schema,
        };
        Ok(Some(Same { job, schema: Arc::new(schema), notes, opened }))
    }

    /// Writes `output`.
    pub fn run(mut self, output: &Path, progress: &mut dyn FnMut(&Progress)) -> Result<TableSummary> {
        let job = self.job;
        let named = |e: Error| e.file(display(output));
        let out = SharedFile::new(output_file(output, job.force, &job.write, job.verify)?);
        let mut sink = match job.write.format {
            TableFormat::Parquet => ArrowOutput::Parquet(Box::new(parquet_sink(out.clone(), &job.write)?)),
            _ => ArrowOutput::Ipc(Box::new(ipc_sink(out.clone(), &job.write)?)),
        };
        sink.begin(&self.schema).map_err(named)?;
        let mut rows = ArrowRows::new(job, &job.inputs, &job.read, &job.scan, self.schema.clone());
        rows.opened = self.opened.take();
        let mut summary = job.summary(output);
        summary.columns = self.schema.fields().len();
        summary.notes.clone_from(&self.notes);
        while let Some(batch) = rows.next()? {
            let step = if job.write.format == TableFormat::Parquet { SLICE } else { batch.num_rows() };
            for at in (0..batch.num_rows()).step_by(step.max(1)) {
                sink.write(&batch.slice(at, step.min(batch.num_rows() - at))).map_err(named)?;
            }
            summary.rows += batch.num_rows() as u64;
            progress(&Progress { samples: summary.rows, total: rows.total, ..Progress::default() });
        }
        summary.notes.append(&mut rows.notes);
        sink.finish().map_err(named)?;
        job.put_in_place(out.into_inner()?, &mut summary, |path| self.compare(path).map_err(named))?;
        Ok(summary)
    }

    /// Reads the inputs and what was written side by side.
    fn compare(&self, written: &Path) -> Result<u64> {
        let job = self.job;
        let read = ReadOptions { format: Some(job.write.format), ..ReadOptions::default() };
        let (all, output) = (Scan::default(), [written.to_owned()]);
        let mut inputs = ArrowRows::new(job, &job.inputs, &job.read, &job.scan, self.schema.clone());
        let mut outputs = ArrowRows::new(job, &output, &read, &all, self.schema.clone());
        let (mut left, mut right): (Option<RecordBatch>, Option<RecordBatch>) = (None, None);
        let mut row = 0u64;
        loop {
            left = match left {
                None => inputs.next()?,
                some => some,
            };
            right = match right {
                None => outputs.next()?,
                some => some,
            };
            let (a, b) = match (left.take(), right.take()) {
                (Some(a), Some(b)) => (a, b),
                (None, None) => return Ok(row),
                _ => return Err(differ(row, "there are not as many rows as were written")),
            };
            let n = a.num_rows().min(b.num_rows());
            for ((x, y), field) in a.columns().iter().zip(b.columns()).zip(self.schema.fields()) {
                if x.data_type() != y.data_type() {
                    let message = format!("{} became {}", x.data_type(), y.data_type());
                    return Err(differ(row, &message).column(field.name()));
                }
                let (x, y) = (nulls_in_keys(x), nulls_in_keys(y));
                if x.slice(0, n).as_ref() != y.slice(0, n).as_ref() {
                    let at = (0..n).find(|&i| x.slice(i, 1).as_ref() != y.slice(i, 1).as_ref()).unwrap_or(0);
                    return Err(differ(row + at as u64, "a cell").column(field.name()));
                }
            }
            row += n as u64;
            left = (a.num_rows() > n).then(|| a.slice(n, a.num_rows() - n));
            right = (b.num_rows() > n).then(|| b.slice(n, b.num_rows() - n));
        }
    }
}

/// The numbers of the wanted columns, and of those that the filter asks for.
fn chosen(scan: &Scan, schema: &Arc<Schema>) -> Result<(Vec<usize>, Vec<usize>)> {
    // Refuses what the filter cannot ask.
    scan.plan(schema)?;
    let wanted = match &scan.columns {
        Some(names) => schema.positions(names)?,
        None => (0..schema.len()).collect(),
    };
    let filtered = scan.filter.iter().flat_map(Filter::fields).map(|path| path.root());
    let mut filtered = schema.positions(filtered)?;
    filtered.sort_unstable();
    filtered.dedup();
    Ok((wanted, filtered))
}

/// The schema that both fit, where names and types are the same; what is said beside them is the first one's.
fn joined(a: &ArrowSchema, b: &ArrowSchema) -> Option<ArrowSchema> {
    let same = |(a, b): (&Arc<ArrowField>, &Arc<ArrowField>)| a.name() == b.name() && a.data_type() == b.data_type();
    if a.fields().len() != b.fields().len() || !a.fields().iter().zip(b.fields()).all(same) {
        return None;
    }
    let fields = a.fields().iter().zip(b.fields());
    let fields = fields.map(|(a, b)| a.as_ref().clone().with_nullable(a.is_nullable() || b.is_nullable()));
    Some(ArrowSchema::new_with_metadata(fields.collect::<Vec<_>>(), a.metadata().clone()))
}

/// The schema with the values of dictionaries in their place.
fn without_dictionaries(schema: &ArrowSchema, notes: &mut Vec<String>) -> ArrowSchema {
    let fields = schema.fields().iter().map(|field| match field.data_type() {
        Arrow::Dictionary(_, values) => {
            notes.push(format!("column {:?}: {} becomes {values}", field.name(), field.data_type()));
            field.as_ref().clone().with_data_type((**values).clone())
        }
        _ => field.as_ref().clone(),
    });
    ArrowSchema::new_with_metadata(fields.collect::<Vec<_>>(), schema.metadata().clone())
}

/// The schema with times in units that Parquet has: of whole seconds, and of dates in milliseconds, it would keep plain
/// numbers.
fn in_units_of_parquet(schema: &ArrowSchema, notes: &mut Vec<String>) -> ArrowSchema {
    let fields = schema.fields().iter().map(|field| {
        let Some(own) = unit_of_parquet(field.data_type()) else { return field.as_ref().clone() };
        notes.push(format!("column {:?}: {} becomes {own}", field.name(), field.data_type()));
        field.as_ref().clone().with_data_type(own)
    });
    ArrowSchema::new_with_metadata(fields.collect::<Vec<_>>(), schema.metadata().clone())
}

/// The type with times in units that Parquet has, also inside of lists and structs; `None` if it has no others.
fn unit_of_parquet(dtype: &Arrow) -> Option<Arrow> {
    let field = |field: &Arc<ArrowField>| {
        let own = unit_of_parquet(field.data_type())?;
        Some(Arc::new(field.as_ref().clone().with_data_type(own)))
    };
    Some(match dtype {
        Arrow::Timestamp(TimeUnit::Second, zone) => Arrow::Timestamp(TimeUnit::Millisecond, zone.clone()),
        Arrow::Date64 => Arrow::Timestamp(TimeUnit::Millisecond, None),
        Arrow::Time32(TimeUnit::Second) => Arrow::Time32(TimeUnit::Millisecond),
        // Of such dictionaries nothing would be read back but their values.
        Arrow::Dictionary(_, values) if values.is_decimal() => (**values).clone(),
        Arrow::Dictionary(_, values) => unit_of_parquet(values)?,
        Arrow::List(item) => Arrow::List(field(item)?),
        Arrow::LargeList(item) => Arrow::LargeList(field(item)?),
        Arrow::FixedSizeList(item, size) => Arrow::FixedSizeList(field(item)?, *size),
        Arrow::Map(entries, sorted) => Arrow::Map(field(entries)?, *sorted),
        Arrow::Struct(fields) => {
            let own: Vec<_> = fields.iter().map(field).collect();
            if own.iter().all(Option::is_none) {
                return None;
            }
            Arrow::Struct(fields.iter().zip(own).map(|(same, own)| own.unwrap_or_else(|| same.clone())).collect())
        }
        _ => return None,
    })
}

/// Refuses types that Parquet has no columns for, or would give back as others, by the column's name.
fn held_by_parquet(schema: &ArrowSchema) -> Result<()> {
    for field in schema.fields() {
        let one = ArrowSchema::new(vec![field.clone()]);
        let back = guarded(|| {
            let stored = ArrowSchemaConverter::new().convert(&one).map_err(not_parquet)?;
            let hint = KeyValue::new(ARROW_SCHEMA_META_KEY.to_owned(), encode_arrow_schema(&one));
            parquet_to_arrow_schema(&stored, Some(&vec![hint])).map_err(not_parquet)
        });
        // Its schema is taken, and then no value of it.
        let unwritten = matches!(field.data_type(), Arrow::Interval(IntervalUnit::MonthDayNano));
        if unwritten || !back.is_ok_and(|back| back.fields().iter().map(|f| f.data_type()).eq([field.data_type()])) {
            let what = field.data_type();
            let message = format!("Parquet has no columns of Arrow's type {what}");
            return Err(Error::new(&codes::TARGET, message).column(field.name()).with_options(&["columns"]));
        }
    }
    Ok(())
}

/// The rows of all inputs, as they are written.
struct ArrowRows<'a> {
    inputs: &'a [PathBuf],
    read: &'a ReadOptions,
    scan: &'a Scan,
    lossy: bool,
    schema: Arc<ArrowSchema>,
    current: Option<Current>,
    next: usize,
    total: Option<u64>,
    notes: Vec<String>,
    /// The next input, if it is open already.
    opened: Option<ArrowInput>,
}

/// An input that is being read.
struct Current {
    input: ArrowInput,
    /// The filter, and its columns among those that are read, as ours.
    filter: Option<(Filter, Vec<usize>, Arc<Schema>)>,
    /// The wanted columns among those that are read.
    wanted: Vec<usize>,
    /// Columns of text among them that promise more than text, as ours: others would find them damaged.
    promised: (Vec<usize>, Arc<Schema>),
    /// Rows that were read.
    rows: u64,
}

impl<'a> ArrowRows<'a> {
    fn new(
        job: &TableJob,
        inputs: &'a [PathBuf],
        read: &'a ReadOptions,
        scan: &'a Scan,
        schema: Arc<ArrowSchema>,
    ) -> ArrowRows<'a> {
        let (lossy, notes) = (job.write.core.lossy, Vec::new());
        ArrowRows { inputs, read, scan, lossy, schema, current: None, next: 0, total: None, notes, opened: None }
    }

    /// The next rows; never an empty batch.
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            let name = self.next.checked_sub(1).and_then(|i| self.inputs.get(i)).map(|p| display(p));
            let named = |e: Error| match &name {
                Some(name) => e.file(name),
                None => e,
            };
            if let Some(current) = &mut self.current {
                match current.next(self.lossy).map_err(named)? {
                    Some(batch) if batch.num_rows() == 0 => {}
                    Some(batch) => return self.shaped(&batch).map(Some).map_err(named),
                    None => {
                        self.notes.append(&mut current.input.source().arrow_notes());
                        self.current = None;
                    }
                }
                continue;
            }
            let Some(path) = self.inputs.get(self.next) else { return Ok(None) };
            self.next += 1;
            let opened = match self.opened.take() {
                Some(input) => Ok(Some(input)),
                None => ArrowInput::open(path, self.read),
            };
            let changed = || Error::new(&codes::TARGET, "the file is another than a moment ago");
            let opened = opened.and_then(|input| Current::new(input.ok_or_else(changed)?, self.scan));
            let opened = opened.map_err(|e| e.file(display(path)))?;
            self.total = opened.input_rows().filter(|_| self.inputs.len() == 1 && self.scan.filter.is_none());
            self.current = Some(opened);
        }
    }

    /// The batch under the schema that is written.
    fn shaped(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let columns = batch
            .columns()
            .iter()
            .zip(self.schema.fields())
            .map(|(array, field)| in_unit(array, field.data_type()).map_err(|e| e.column(field.name())));
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let columns = columns.collect::<Result<Vec<_>>>()?;
        RecordBatch::try_new_with_options(self.schema.clone(), columns, &options).map_err(not_arrow)
    }
}

/// The same values with times in milliseconds, and those of dictionaries in their place, where the type wants that.
fn in_unit(array: &ArrayRef, unit: &Arrow) -> Result<ArrayRef> {
    if array.data_type() == unit {
        return Ok(array.clone());
    }
    let larger = |_| Error::new(&codes::TARGET, "a time in seconds is larger than what milliseconds hold");
    let none = || ArrowError::ArithmeticOverflow(String::new());
    let other = || Error::new(&codes::TARGET, format!("{} as {unit}", array.data_type()));
    Ok(match (array.data_type(), unit) {
        (Arrow::Timestamp(TimeUnit::Second, _), Arrow::Timestamp(TimeUnit::Millisecond, zone)) => {
            let seconds = array.as_primitive::<TimestampSecondType>();
            let scaled: PrimitiveArray<TimestampMillisecondType> =
                seconds.try_unary(|n| n.checked_mul(1000).ok_or_else(none)).map_err(larger)?;
            Arc::new(scaled.with_timezone_opt(zone.clone()))
        }
        (Arrow::Date64, _) => Arc::new(array.as_primitive::<Date64Type>().unary::<_, TimestampMillisecondType>(|n| n)),
        (Arrow::Time32(TimeUnit::Second), _) => {
            let seconds = array.as_primitive::<Time32SecondType>();
            let scaled: PrimitiveArray<Time32MillisecondType> =
                seconds.try_unary(|n| n.checked_mul(1000).ok_or_else(none)).map_err(larger)?;
            Arc::new(scaled)
        }
        (Arrow::Dictionary(..), _) => {
            let dictionary = array.as_any_dictionary();
            let values = in_unit(dictionary.values(), unit)?;
            arrow_select::take::take(&values, dictionary.keys(), None).map_err(not_arrow)?
        }
        // What nests has the same lengths of other values.
        (_, nested) => {
            let wanted: Vec<&Arrow> = match nested {
                Arrow::List(item) | Arrow::LargeList(item) | Arrow::FixedSizeList(item, _) | Arrow::Map(item, _) => {
                    vec![item.data_type()]
                }
                Arrow::Struct(fields) => fields.iter().map(|field| field.data_type()).collect(),
                _ => return Err(other()),
            };
            let data = array.to_data();
            if data.child_data().len() != wanted.len() {
                return Err(other());
            }
            let children = data.child_data().iter().zip(wanted);
            let children = children.map(|(child, unit)| Ok(in_unit(&make_array(child.clone()), unit)?.to_data()));
            let children = children.collect::<Result<Vec<_>>>()?;
            let built = data.into_builder().data_type(unit.clone()).child_data(children).build();
            make_array(built.map_err(not_arrow)?)
        }
    })
}

impl Current {
    fn new(mut input: ArrowInput, scan: &Scan) -> Result<Current> {
        let all = input.schema().clone();
        let (wanted, filtered) = chosen(scan, &all)?;
        let mut places: HashMap<usize, usize> = HashMap::new();
        let mut columns = Vec::new();
        for &column in wanted.iter().chain(&filtered) {
            places.entry(column).or_insert_with(|| {
                columns.push(column);
                columns.len() - 1
            });
        }
        let place = |those: &[usize]| those.iter().filter_map(|column| places.get(column).copied()).collect::<Vec<_>>();
        let filter = match &scan.filter {
            Some(filter) => Some((filter.clone(), place(&filtered), all.project(&filtered)?)),
            None => None,
        };
        let more = |column: &usize| {
            matches!(
                all.fields().get(*column).map(|field| &field.dtype),
                Some(DataType::Json | DataType::DateTimeOffset)
            ) && *input.arrow_schema().field(*column).data_type() == Arrow::Utf8
        };
        let promised: Vec<usize> = wanted.iter().copied().filter(more).collect();
        let promised = (place(&promised), all.project(&promised)?);
        let wanted = place(&wanted);
        if let Some(filter) = &scan.filter {
            input.source().prune(filter);
        }
        // Even if all are read: what is chosen may come in another order, or twice.
        input.source().select(&columns)?;
        Ok(Current { input, filter, wanted, promised, rows: 0 })
    }

    fn input_rows(&self) -> Option<u64> {
        match &self.input {
            ArrowInput::Parquet(source) => source.rows(),
            ArrowInput::Ipc(source) => source.rows(),
        }
    }

    fn next(&mut self, lossy: bool) -> Result<Option<RecordBatch>> {
        let Some(mut batch) = self.input.next()? else { return Ok(None) };
        let first = self.rows;
        self.rows += batch.num_rows() as u64;
        let read = |columns: &[usize], schema| {
            let asked = batch.project(columns).map_err(not_arrow)?;
            guarded(|| read_record_batch(&asked, schema, lossy, &mut Cuts::default())).map_err(|e| e.row_after(first))
        };
        if !self.promised.0.is_empty() {
            read(&self.promised.0, &self.promised.1)?;
        }
        if let Some((filter, columns, schema)) = &self.filter {
            let rows = read(columns, schema)?.matching(filter)?;
            if rows.len() < batch.num_rows() {
                let mut mask = vec![false; batch.num_rows()];
                for row in rows {
                    if let Some(wanted) = mask.get_mut(row) {
                        *wanted = true;
                    }
                }
                let mask = BooleanArray::from(mask);
                batch = guarded(|| arrow_select::filter::filter_record_batch(&batch, &mask).map_err(not_arrow))?;
            }
        }
        batch.project(&self.wanted).map(Some).map_err(not_arrow)
    }
}

/// Where the rows go.
enum ArrowOutput {
    Parquet(Box<ParquetSink>),
    Ipc(Box<IpcSink>),
}

impl ArrowOutput {
    fn begin(&mut self, schema: &Arc<ArrowSchema>) -> Result<()> {
        match self {
            ArrowOutput::Parquet(sink) => sink.begin_arrow(schema.clone()),
            ArrowOutput::Ipc(sink) => sink.begin_arrow(schema.clone()),
        }
    }
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        match self {
            ArrowOutput::Parquet(sink) => guarded(|| sink.write_arrow(batch)),
            ArrowOutput::Ipc(sink) => guarded(|| sink.write_arrow(batch)),
        }
    }
    fn finish(self) -> Result<()> {
        let finished = match self {
            ArrowOutput::Parquet(mut sink) => sink.finish(&mut Vec::new()),
            ArrowOutput::Ipc(mut sink) => sink.finish(&mut Vec::new()),
        };
        finished.map(drop)
    }
}
