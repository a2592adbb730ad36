//! Parts for training, validation and test: by class, by group, by a seed.

use std::path::{Path, PathBuf};

use forebay::{
    Error, Result,
    check::Fault,
    curate::MOST_DISTANCE,
    error::codes::ARGUMENT,
    samples::{MetadataChoice, field, is_of_sample},
};
use forebay_native::{
    convert::To,
    curate::{DivideOptions, Division, Part, csv_line, divide, refuse_parts, write_parts},
    dataset::Dataset,
    input::display,
};
use serde::Serialize;

use super::Args;
use crate::{
    command::{
        curating::{begin_sheets, class_fields, tell_faults, to_stdout},
        filtering::{PixelLimitArgs, filter},
    },
    exit::Outcome,
    human,
    output::{Output, printable},
    progress::Meter,
};

/// Classes printed for people; JSON has them all.
const SHOWN: usize = 20;

/// What is asked of parts.
#[derive(Debug, clap::Args)]
pub(super) struct PartArgs {
    /// Fraction for training (train.tbl).
    ///
    /// All fractions together are 1.
    #[arg(long, value_name = "FRACTION", conflicts_with = "shards")]
    train: Option<f64>,
    /// Fraction for validation (val.tbl).
    #[arg(long, value_name = "FRACTION", conflicts_with = "shards")]
    val: Option<f64>,
    /// Fraction for test (test.tbl).
    #[arg(long, value_name = "FRACTION", conflicts_with = "shards")]
    test: Option<f64>,
    /// Divide every class of this field alike.
    ///
    /// `class` means the field class, or else cls. Name any other field, such as json.label.
    #[arg(long, value_name = "FIELD", conflicts_with = "shards")]
    by: Option<String>,
    /// Keep samples with the same field value together.
    ///
    /// For example the run, the patient or the video.
    #[arg(long, value_name = "FIELD", conflicts_with = "shards")]
    group: Option<String>,
    /// Keep images with similar hashes together.
    ///
    /// Similar hashes differ in at most N bits.
    #[arg(long, value_name = "N", conflicts_with = "shards", value_parser = clap::value_parser!(u32).range(0..=i64::from(MOST_DISTANCE)))]
    near: Option<u32>,
    /// Seed of the division.
    #[arg(long, value_name = "N", conflicts_with = "shards")]
    seed: Option<u64>,
    /// Write the part of each sample to this CSV file.
    ///
    /// Without --output, only this file is written.
    #[arg(long, value_name = "CSV", conflicts_with = "shards")]
    list: Option<PathBuf>,
    /// Use only samples that match, such as 'width >= 224'.
    #[arg(long = "where", alias = "filter", value_name = "FILTER", conflicts_with = "shards")]
    filter: Option<String>,
    #[command(flatten)]
    pixel_limit: PixelLimitArgs,
}

impl PartArgs {
    /// Whether parts are asked for.
    pub(super) fn any(&self) -> bool {
        self.train.or(self.val).or(self.test).is_some()
    }
    /// Whether a list is asked for.
    pub(super) fn list(&self) -> bool {
        self.list.is_some()
    }
}

pub(super) fn run(args: &Args, dataset: &Dataset, to: To, out: &Output) -> Result<Outcome> {
    let given = &args.parts;
    let limits = args.limits.limits();
    let mut options = DivideOptions::default();
    let parts = [("train", given.train), ("val", given.val), ("test", given.test)];
    options.parts = parts.into_iter().filter_map(|(name, part)| Some((name.to_owned(), part?))).collect();
    options.seed = given.seed.unwrap_or(0);
    options.group = given.group.as_deref().map(field).transpose()?;
    options.near = given.near;
    options.survey.workers = args.write.workers();
    options.survey.filter = filter(given.filter.as_deref())?;
    options.survey.limits = given.pixel_limit.limits(limits.clone());
    options.survey.labels = match given.by.as_deref() {
        None => Vec::new(),
        Some("class") => class_fields(None)?,
        other => class_fields(other)?,
    };
    let mut convert = args.write.options(to, &limits)?;
    convert.metadata = MetadataChoice::of(args.metadata_format);
    if let Some(folder) = &args.output {
        refuse_parts(options.parts.iter().map(|(name, _)| name.as_str()), folder, &convert)?;
    }
    let files = [given.list.as_ref()];
    let [list] = begin_sheets(files, [Path::new(dataset.name())], args.write.force())?;
    let mut meter = Meter::new(out, "comparing");
    let division = divide(dataset, &options, &mut |done, total| meter.count(done, total))?;
    drop(meter);
    let text = list.is_some().then(|| csv(dataset, &division)).transpose()?.unwrap_or_default();
    let mut rows: Vec<Row> =
        division.parts.iter().map(|part| Row { part: part.clone(), output: None, output_bytes: None }).collect();
    if let Some(folder) = &args.output {
        let mut meter = Meter::new(out, "splitting");
        let written = write_parts(dataset, &division.parts, folder, &convert, &mut |now| meter.update(now))?;
        drop(meter);
        for (row, (summary, _)) in rows.iter_mut().zip(&written) {
            row.output = Some(summary.output.clone());
            row.output_bytes = Some(summary.output_bytes);
        }
    } else if given.list.is_none() {
        return Err(Error::new(&ARGUMENT, "no output folder is given").with_options(&["output"]));
    }
    list.map_or(Ok(()), |sheet| sheet.write(&text))?;
    if to_stdout(files) {
        // Where the list goes nothing else does.
    } else if out.json() {
        out.value(&Divided {
            parts: rows,
            groups: division.groups,
            seed: options.seed,
            fault_count: division.faults.count,
            faults: &division.faults.all,
        });
    } else {
        print(&division, &rows, out);
        given.list.iter().for_each(|path| out.note(format!("wrote {}", display(path))));
    }
    Ok(tell_faults(division.faults.count, &division.faults.all, out))
}

/// A dataset in parts.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "SplitParts"))]
pub(in crate::command) struct Divided<'a> {
    /// The parts.
    parts: Vec<Row>,
    /// Sets of samples that had to stay together, single ones not counted.
    groups: u64,
    /// The seed of the division.
    seed: u64,
    /// Samples of whose class or look nothing is known since they do not read.
    fault_count: u64,
    /// The first of them.
    faults: &'a [Fault],
}

/// A part of a dataset, and its file if one was written.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "SplitPart"))]
struct Row {
    #[serde(flatten)]
    part: Part,
    /// The file.
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
    /// Its bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    output_bytes: Option<u64>,
}

/// Every sample in its part, in the order of the dataset.
fn csv(dataset: &Dataset, division: &Division) -> Result<String> {
    let mut all: Vec<(u64, &str)> = Vec::new();
    for part in &division.parts {
        all.extend(part.numbers.iter().map(|i| (*i, part.part.as_str())));
    }
    all.sort_unstable();
    let mut text = csv_line(["i", "name", "part"]);
    for (i, part) in all {
        // One that does not read hides no other.
        let name = match dataset.sample_name(i) {
            Err(e) if is_of_sample(&e) => String::new(),
            name => name?.unwrap_or_default(),
        };
        text += &csv_line([i.to_string().as_str(), &name, part]);
    }
    Ok(text)
}

fn print(division: &Division, rows: &[Row], out: &Output) {
    if division.groups > 0 {
        out.line(format!("{} groups stay together", human::count(division.groups)));
    }
    for (part, row) in division.parts.iter().zip(rows) {
        let output = row.output.as_deref().unwrap_or(&part.part);
        out.line(format!("{}: {} samples", printable(output), human::count(part.samples)));
        let named = part.classes.iter().filter(|class| !class.label.is_empty());
        for class in named.take(SHOWN) {
            out.line(format!("{:>10}  {}", human::count(class.samples), printable(&class.label)));
        }
    }
}
