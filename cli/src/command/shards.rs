//! `forebay shards`: many datasets become many shards, each of which is a piece of work of its own.

use std::path::{Path, PathBuf};

use forebay::{Error, Result, error::codes, tbl::MetadataFormat};
use forebay_native::{
    convert::To,
    input::{self, remote},
    remote::Traffic,
    sharding::{Plan, Report},
};
use serde::Serialize;
use serde_json::Value;

use super::{
    asked,
    convert::WriteArgs,
    effect::{Given, Route, Uses},
    filtering::{FolderArgs, LimitArgs, advised, whole_sets},
    plan::blocks,
};
use crate::{
    exit::Outcome,
    human,
    output::Output,
    progress::Meter,
    words::{threads, word},
};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// TBL and TAR files, folders or patterns, in order.
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Output folder; created if it does not exist.
    ///
    /// Shards are named NAME-00000-of-00064.tbl and so on.
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    /// Number of shards.
    #[arg(long, value_name = "N")]
    shards: u64,
    /// Name of the shards; by default, the input's.
    ///
    /// With several inputs, the default is `shard`.
    #[arg(long)]
    name: Option<String>,
    /// Shuffle with this seed; by default, input order.
    #[arg(long, value_name = "SEED")]
    shuffle: Option<u64>,
    /// Shuffle blocks of B samples in windows of W blocks.
    ///
    /// 64x16 shuffles blocks of 64 adjacent samples, and then the samples within each window of 16 blocks.
    #[arg(long, value_name = "BxW", requires = "shuffle", value_parser = blocks)]
    blocks: Option<(u64, u64)>,
    /// Make only these shards, counted from 0, such as 3,7..9.
    ///
    /// 7..9 means 7, 8 and 9.
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', value_parser = numbers)]
    only: Option<Vec<(u64, u64)>>,
    /// Shards to make at once, each with --workers.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = threads)]
    jobs: usize,
    /// Print the plan and write nothing.
    #[arg(long)]
    dry_run: bool,
    /// Output format.
    #[arg(long, value_name = "FORMAT", value_parser = word::<To>(), default_value = "tbl")]
    to: To,
    #[command(flatten)]
    write: WriteArgs,
    /// Use only samples that match, such as 'width >= 224'.
    #[arg(long = "where", alias = "filter", value_name = "FILTER")]
    filter: Option<String>,
    /// Format of the metadata.
    #[arg(long, value_name = "NAME", hide_short_help = true, value_parser = word::<MetadataFormat>(), default_value = "json")]
    metadata_format: MetadataFormat,
    /// Skip and list damaged samples; still exit with 1.
    #[arg(long)]
    keep_going: bool,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    folder: FolderArgs,
}

/// Which options have an effect on what.
pub(super) const USES: Uses = &[(&["layout", "compression", "level", "metadata_format"], &[Route::Tbl])];

/// A number, or a first and a last one.
fn numbers(text: &str) -> Result<(u64, u64), String> {
    let number = |text: &str| text.parse::<u64>().ok();
    let pair = match text.split_once("..") {
        Some((first, last)) => number(first).zip(number(last)),
        None => number(text).map(|only| (only, only)),
    };
    pair.filter(|(first, last)| first <= last).ok_or_else(|| "numbers such as 3, or ranges such as 7..9".into())
}

pub(super) fn run(args: &Args, given: &Given, out: &Output) -> Result<Outcome> {
    given.check(USES, if args.to == To::Tar { Route::Tar } else { Route::Tbl })?;
    let limits = args.limits.limits();
    let mut settings = args.write.shards(args.shards, args.to, &limits, args.metadata_format)?;
    settings.name = args.name.clone().unwrap_or_default();
    (settings.shuffle, settings.blocks) = (args.shuffle, args.blocks);
    (settings.filter, settings.keep_going) = (args.filter.clone(), args.keep_going);
    settings.class_level = args.folder.level();
    let inputs = whole_sets(&args.inputs)?;
    inputs.iter().try_for_each(|path| args.folder.check(path))?;
    let plan = Plan::of(&inputs, settings).map_err(|e| match e.place().file.clone() {
        Some(file) => advised(e, Path::new(&file), &limits),
        None => e,
    })?;
    let chosen = chosen(args, &plan)?;
    if args.dry_run {
        say(&plan, args, out);
        return Ok(Outcome::Fine);
    }
    let mut meter = Meter::new(out, "writing shards");
    let how = args.write.making();
    let report = plan.open()?.make_all(&chosen, &args.output, &how, args.jobs.max(1), &mut |now| meter.update(now))?;
    print(&report, args, meter.elapsed().as_secs_f64(), out);
    Ok(if report.faults.is_empty() { Outcome::Fine } else { Outcome::Damaged })
}

/// The shards that are asked for, each once.
fn chosen(args: &Args, plan: &Plan) -> Result<Vec<u64>> {
    let Some(only) = &args.only else { return Ok((0..plan.shards()).collect()) };
    if let Some((_, last)) = only.iter().find(|(_, last)| *last >= plan.shards()) {
        let message = format!("--only: there is no shard {last}; there are {}, counted from 0", plan.shards());
        return Err(Error::new(&codes::ARGUMENT, message));
    }
    let chosen: std::collections::BTreeSet<u64> = only.iter().flat_map(|(first, last)| *first..=*last).collect();
    Ok(chosen.into_iter().collect())
}

/// The plan: with JSON as it is, else in a few words.
fn say(plan: &Plan, args: &Args, out: &Output) {
    if out.json() {
        return out.value(plan);
    }
    let (shards, samples) = (plan.shards(), plan.samples());
    let range = |shard: u64| plan.range(shard).end - plan.range(shard).start;
    out.line(format!("{} samples of {} inputs", human::count(samples), human::count(plan.inputs().len() as u64)));
    out.line(format!(
        "{} of {} to {} samples, {}",
        if shards == 1 { "1 shard".to_owned() } else { format!("{} shards", human::count(shards)) },
        human::count(samples / shards),
        human::count((0..shards).map(range).max().unwrap_or(0)),
        match plan.settings().shuffle {
            Some(seed) => format!("shuffled by {seed}"),
            None => "in the order of the inputs".into(),
        }
    ));
    for shard in [0, shards - 1] {
        out.line(input::display(&remote::beneath(&args.output, plan.name(shard))));
    }
    out.line(format!("about {} of memory for each", human::bytes(plan.memory_bytes(args.write.making().workers))));
}

/// The result of making shards.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Shards"))]
pub(super) struct Written<'a> {
    #[serde(flatten)]
    report: &'a Report,
    /// How long this run took.
    elapsed: f64,
    /// What was asked of stores and servers, if anything was.
    #[serde(skip_serializing_if = "Option::is_none")]
    network: Option<Traffic>,
}

fn print(report: &Report, args: &Args, seconds: f64, out: &Output) {
    if out.json() {
        return out.value(&Written { report, elapsed: seconds, network: asked() });
    }
    let row = |label: &str, value: String| out.note(format!("{label:<14}{value}"));
    row("output", input::display(&args.output));
    let count = |n: u64, what: &str| (n > 0).then(|| format!("{} {what}", human::count(n)));
    let parts =
        [count(report.made, "made"), count(report.reused, "there already"), count(report.left, "not asked for")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    row("shards", format!("{} ({})", human::count(report.shards), parts.join(", ")));
    row("samples", human::count(report.samples));
    row("size", human::bytes(report.output_bytes));
    if report.verified > 0 {
        row("verified", format!("{} payloads read back equal", human::count(report.verified)));
    }
    row("elapsed", format!("{seconds:.2} s"));
    report.notes.iter().for_each(|note| row("note", note.clone()));
    report.faults.iter().for_each(|fault| row("left out", words(fault)));
}

/// A fault as it is told to people.
fn words(fault: &Value) -> String {
    let text = |field: &str| fault.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    match fault.get("sample").and_then(Value::as_u64) {
        Some(sample) => format!("sample {sample}: {} [{}]", text("message"), text("code")),
        None => format!("{} [{}]", text("message"), text("code")),
    }
}

#[cfg(test)]
mod tests {
    use super::numbers;

    #[test]
    fn numbers_and_ranges_are_read() {
        assert_eq!([numbers("3"), numbers("7..9"), numbers("4..4")], [Ok((3, 3)), Ok((7, 9)), Ok((4, 4))]);
        for wrong in ["", "a", "3..", "..3", "9..7", "-1", "1.5", "99999999999999999999"] {
            assert!(numbers(wrong).is_err(), "{wrong}");
        }
    }
}
