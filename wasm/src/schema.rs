//! The JSON Schemas of what crosses to JavaScript, for the package's types.

use forebay::{
    check, curate,
    sample::{self, MediaFormat},
    warehouse::{self, drift::Drift},
};
use schemars::SchemaGenerator;

use crate::{convert, edits, export, labeling, labels, tables, tensor, warehouse as warehouses};

/// Adds the types of all reports.
pub fn reports(all: &mut SchemaGenerator) {
    all.subschema_for::<check::Report>();
    all.subschema_for::<sample::stats::Report>();
    all.subschema_for::<MediaFormat>();
    all.subschema_for::<forebay::codec::Codec>();
    all.subschema_for::<curate::Reason>();
    all.subschema_for::<curate::Usual>();
    all.subschema_for::<Drift>();
    all.subschema_for::<warehouse::Statistics>();
    all.subschema_for::<warehouses::Sample<'_>>();
    all.subschema_for::<warehouses::RunCount>();
    all.subschema_for::<convert::Summary<'_>>();
    all.subschema_for::<edits::Written>();
    all.subschema_for::<export::Exported<'_>>();
    all.subschema_for::<labels::model::Counts<'_>>();
    all.subschema_for::<tables::convert::Summary<'_>>();
    all.subschema_for::<tables::stats::Counted>();
}

/// Adds the types of options that modules take.
pub fn options(all: &mut SchemaGenerator) {
    all.subschema_for::<convert::Options>();
    all.subschema_for::<tables::convert::Options>();
    all.subschema_for::<labeling::HowRead>();
    all.subschema_for::<tensor::Wanted>();
}
