//! What `forebay warehouse` says.

use std::time::Duration;

use forebay::{
    warehouse::{Counts, drift::Drift},
    words::Word as _,
};
use forebay_native::{
    input::display,
    warehouse::{Built, Kept, Removed},
};
use serde::Serialize;
use serde_json::Value;

use crate::{human, output::Output};

/// Refused frames that are named; `--verbose` names all.
const NAMED: usize = 20;

/// What was built.
pub(super) fn built(built: &Built, took: Duration, drift: Option<Drifted<'_>>, out: &Output) {
    if out.json() {
        out.value(&Build { built, seconds: took.as_secs_f64(), drift });
        return;
    }
    built.notes.iter().for_each(|note| out.note(note));
    let named = if out.verbose() { usize::MAX } else { NAMED };
    for refused in built.refused.iter().take(named) {
        out.note(format!("refused: {}: {} ({})", refused.file, refused.reason, refused.cause.word()));
    }
    if built.refused.len() > named {
        out.note(format!("and {} more; --verbose names them all", built.refused.len() - named));
    }
    table(built, out);
    for (field, one, many) in [
        (
            "boxes_dropped",
            "box lies outside of its image, and is left out",
            "boxes lie outside of their image, and are left out",
        ),
        ("boxes_truncated", "box has no place, and is left out", "boxes have no place, and are left out"),
        (
            "boxes_disagreeing",
            "box differs in pixels and in shares; pixels count",
            "boxes differ in pixels and in shares; pixels count",
        ),
    ] {
        let n = built.summary.totals.other.get(field).and_then(Value::as_u64).unwrap_or(0);
        if n > 0 {
            out.note(format!("{} {}", human::count(n), if n == 1 { one } else { many }));
        }
    }
    for broken in &built.violations {
        out.note(format!("allowed although {broken}"));
    }
    if built.resumed > 0 {
        out.line(format!("{} frames were done by a build that did not end", human::count(built.resumed)));
    }
    let how = if built.reused { "there already, and whole".to_owned() } else { format!("{:.1} s", took.as_secs_f64()) };
    let samples = human::count(built.samples);
    let shards = if built.shards == 1 { "1 shard".into() } else { format!("{} shards", human::count(built.shards)) };
    let bytes = human::bytes(built.bytes);
    out.line(format!("{}: {samples} samples, {shards}, {bytes}, {how}", display(&built.manifest)));
}

/// A warehouse beside an earlier one.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Drift"))]
pub(in crate::command) struct Drifted<'a> {
    #[serde(flatten)]
    drift: &'a Drift,
    /// The distance that was given with `--fail-above`.
    fail_above: Option<f64>,
    /// The rows that are further apart.
    above: Vec<&'a str>,
}

pub(super) fn drifted(drift: &Drift, fail_above: Option<f64>) -> Drifted<'_> {
    let above = fail_above.map(|most| drift.above(most).map(|row| row.name.as_str()).collect());
    Drifted { drift, fail_above, above: above.unwrap_or_default() }
}

/// The result of building a warehouse.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "WarehouseBuild"))]
pub(in crate::command) struct Build<'a> {
    #[serde(flatten)]
    built: &'a Built,
    /// How long it took.
    seconds: f64,
    /// With `--drift-from`: how far it is from that warehouse.
    #[serde(skip_serializing_if = "Option::is_none")]
    drift: Option<Drifted<'a>>,
}

/// The runs, a line for each, and all of them.
fn table(built: &Built, out: &Output) {
    let mut rows = vec![["run", "stored", "with boxes", "empty", "missing", "invalid", "boxes"].map(str::to_owned)];
    let of = |name: &str, counts: &Counts| {
        let more = |field: &str| human::count(counts.other.get(field).and_then(Value::as_u64).unwrap_or(0));
        [
            name.to_owned(),
            more("stored"),
            human::count(counts.non_empty),
            human::count(counts.empty),
            human::count(counts.missing_image + counts.missing_file),
            human::count(counts.invalid),
            more("boxes"),
        ]
    };
    rows.extend(built.summary.runs.iter().map(|run| of(&run.run_dir, run)));
    rows.push(of("all", &built.summary.totals));
    columns(&rows, usize::MAX, out);
}

/// Lines of columns: the first to the left, numbers to the right, and words to the left again from column `words` on.
pub(super) fn columns<const N: usize>(rows: &[[String; N]], words: usize, out: &Output) {
    let wide: [usize; N] = std::array::from_fn(|k| rows.iter().map(|row| row[k].chars().count()).max().unwrap_or(0));
    for row in rows {
        let mut line = format!("{:<1$}", row[0], wide[0]);
        for (k, (cell, wide)) in row.iter().zip(wide).enumerate().skip(1) {
            line.push_str(&if k < words { format!("  {cell:>wide$}") } else { format!("  {cell:<wide$}") });
        }
        out.line(line.trim_end());
    }
}

/// The warehouses of a folder.
pub(super) fn list(found: &[Kept], out: &Output) {
    if out.json() {
        out.value(&found.iter().map(Kept::report).collect::<Vec<_>>());
        return;
    }
    let mut rows = vec![["version", "state", "made from", "images", "samples", "size"].map(str::to_owned)];
    for kept in found {
        let name = kept.folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let name = if kept.unfinished { "-".to_owned() } else { name.chars().take(13).collect() };
        let [root, images, samples] = kept.manifest.as_ref().map_or_else(Default::default, |manifest| {
            let [width, height] = manifest.transform.target_size.unwrap_or_default();
            let images =
                format!("{width}x{height} {:?} {}", manifest.transform.resize_mode, manifest.default_dtype.name());
            [manifest.dataset_root.clone(), images.to_lowercase(), human::count(manifest.samples())]
        });
        rows.push([name, kept.report().state.into(), root, images, samples, human::bytes(kept.bytes)]);
    }
    columns(&rows, usize::MAX, out);
    for kept in found {
        for said in kept.fault.iter().chain(&kept.stale) {
            out.note(format!("{}: {said}", display(&kept.folder)));
        }
    }
}

/// A table of what warehouses have.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "WarehouseExported"))]
pub(in crate::command) struct Exported<'a> {
    /// The table.
    output: String,
    /// Its rows.
    rows: u64,
    /// The version of the warehouse.
    version: &'a str,
}

/// What was exported.
pub(super) fn exported(manifest: &forebay::warehouse::Manifest, rows: u64, output: &std::path::Path, out: &Output) {
    match out.json() {
        true => out.value(&Exported { output: display(output), rows, version: &manifest.version }),
        false => out.line(format!("{}: {rows} rows", display(output))),
    }
}

/// What was cleared away.
pub(super) fn removed(removed: &[Removed], dry_run: bool, out: &Output) {
    if out.json() {
        out.value(&removed);
        return;
    }
    for one in removed {
        let did = match (dry_run, one.gone) {
            (true, _) => "would remove",
            (_, true) => "removed",
            (_, false) => "left, since it holds other files or is in use:",
        };
        out.line(format!("{did} {}: {}, {}", display(&one.folder), one.why, human::bytes(one.bytes)));
    }
    let gone: u64 = removed.iter().filter(|one| one.gone || dry_run).map(|one| one.bytes).sum();
    out.line(format!("{} in {} folders", human::bytes(gone), removed.len()));
}
