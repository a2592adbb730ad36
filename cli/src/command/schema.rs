//! The JSON Schemas of what the command prints with `--json`.

use forebay::{
    check::{Fault, Report as CheckReport},
    curate::Reason as OutlierReason,
};
use forebay_native::{
    curate::{DuplicateReport, OutlierReport},
    difference, edits as journals, sharding, thumbs as strips, warehouse as warehouses,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::{
    Manual, Script, bench, cache, check as checks, convert, cost, demo, edits, extract, head, inspect, labels, parts,
    plan, serve, shards, simulate, split, stats, table, thumbs, warehouse as built,
};
use crate::output::Failed;

/// A report of the command.
#[derive(Debug)]
pub struct Report {
    /// The name of its schema.
    pub name: &'static str,
    /// The commands that print it.
    pub of: &'static str,
    /// Makes its schema.
    pub schema: fn(SchemaGenerator) -> Schema,
}

const fn report<T: JsonSchema>(name: &'static str, of: &'static str) -> Report {
    Report { name, of, schema: SchemaGenerator::into_root_schema_for::<T> }
}

/// A row of a table: its columns are the fields.
fn table_row(_: SchemaGenerator) -> Schema {
    json_schema!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "HeadTable",
        "description": "A row of a table by its columns. Of a TBF that holds one value, that value.",
    })
}

/// A line of a journal.
fn change(_: SchemaGenerator) -> Schema {
    json_schema!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "ShowEdits",
        "description": "A line of a journal.",
        "type": "object",
        "properties": { "stands": { "type": "boolean", "description": "Whether it is not undone." } },
        "required": ["stands"],
        "additionalProperties": true,
    })
}

/// Every report.
pub fn reports() -> Vec<Report> {
    vec![
        report::<Failed<'_>>("error", "every command that fails"),
        report::<journals::Applied>("apply", "`apply`, `edits plan`"),
        report::<bench::Measured>("bench", "`bench`"),
        report::<cache::Cleared>("cache-clear", "`cache clear`"),
        report::<cache::Kept>("cache-list", "`cache list`"),
        report::<checks::Checked<'_>>("check", "`check`"),
        report::<Script>("completions", "`completions`"),
        report::<convert::Converted<'_>>(
            "convert",
            "`convert` and `concat` of samples, `split --shards`, `tar_to_tbl`",
        ),
        report::<table::convert::Converted<'_>>("convert-table", "`convert` of tables"),
        report::<demo::Drawn>("demo", "`demo --no-open`"),
        report::<difference::Difference>("diff", "`diff` of samples"),
        report::<warehouses::Difference>("diff-warehouse", "`diff` of warehouses"),
        report::<DuplicateReport>("duplicates", "`duplicates`"),
        report::<edits::Checked<'_>>("edits-check", "`edits check`"),
        report::<edits::Merged>("edits-merge", "`edits merge`"),
        Report { name: "edits-show", of: "`edits show`, a line for each change", schema: change },
        report::<extract::Extracted>("extract", "`extract --index`"),
        report::<extract::ExtractedAll>("extract-all", "`extract --all`"),
        report::<head::Row<'_>>("head", "`head` of samples, a line for each"),
        Report { name: "head-table", of: "`head` of tables, a line for each row", schema: table_row },
        report::<inspect::Inspected<'_>>("inspect", "`inspect` of samples"),
        report::<table::inspect::Inspected>("inspect-table", "`inspect` of tables"),
        report::<labels::convert::Converted>("labels-convert", "`labels convert` to labels"),
        report::<labels::skeleton::Made>("labels-skeleton", "`labels skeleton`"),
        report::<labels::look::Counted<'_>>("labels-stats", "`labels check`, `labels stats`"),
        report::<Manual>("man", "`man`"),
        report::<OutlierReport>("outliers", "`outliers`"),
        report::<parts::Ended<'_>>("parts-clear", "`parts clear`"),
        report::<parts::Uploads<'_>>("parts-list", "`parts list`"),
        report::<plan::Epoch>("plan", "`plan`"),
        report::<plan::OfRank>("plan-batch", "`plan --rank`, a line for each batch"),
        report::<cost::Costs>("plan-cost", "`plan --cost`"),
        report::<simulate::Simulated>("plan-simulate", "`plan --simulate`"),
        report::<serve::Serving<'_>>("serve", "`serve`, `demo`"),
        report::<shards::Written<'_>>("shards", "`shards`"),
        report::<sharding::Plan>("shards-plan", "`shards --dry-run`"),
        report::<split::parts::Divided<'_>>("split-parts", "`split` into parts"),
        report::<stats::Counted<'_>>("stats", "`stats` of samples"),
        report::<table::stats::Counted>("stats-table", "`stats` of tables"),
        report::<strips::ThumbsSummary>("thumbs", "`thumbs`"),
        report::<thumbs::Checked<'_>>("thumbs-check", "`thumbs --check`"),
        report::<built::print::Build<'_>>("warehouse-build", "`warehouse build`"),
        report::<built::print::Drifted<'_>>("warehouse-drift", "`warehouse drift`"),
        report::<built::print::Exported<'_>>("warehouse-export", "`warehouse export`"),
        report::<Vec<warehouses::Removed>>("warehouse-gc", "`warehouse gc`"),
        report::<Vec<warehouses::KeptReport<'_>>>("warehouse-list", "`warehouse list`"),
    ]
}

/// Adds the types of reports that Python has classes for.
pub fn types(all: &mut SchemaGenerator) {
    all.subschema_for::<Fault>();
    all.subschema_for::<CheckReport>();
    all.subschema_for::<OutlierReason>();
    all.subschema_for::<sharding::Report>();
    all.subschema_for::<warehouses::Built>();
    all.subschema_for::<warehouses::KeptReport<'_>>();
    all.subschema_for::<warehouses::Removed>();
}
