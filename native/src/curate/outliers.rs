//! Samples that stand out, with the reasons.

use forebay::{
    Result,
    check::Fault,
    curate::{Measures, Outliers, Reason, Trait, Usual},
    samples::is_of_sample,
};
use serde::Serialize;

use super::survey::{SurveyOptions, Wants, survey};
use crate::dataset::Dataset;

/// What was found.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Outliers"))]
#[non_exhaustive]
pub struct OutlierReport {
    /// Samples that were looked at.
    pub samples: u64,
    /// Samples that are not pictures; of them only the bytes are counted.
    pub not_pictures: u64,
    /// What is usual, trait by trait.
    #[serde(rename = "traits")]
    pub usual: Vec<Usual>,
    /// Who stands out, the furthest first.
    pub outliers: Vec<OutlierRow>,
    /// Samples that could not be read or decoded.
    pub fault_count: u64,
    /// The first of them.
    pub faults: Vec<Fault>,
}

impl OutlierReport {
    /// Lines of a journal that give each of them its reasons as tags.
    pub fn changes(&self) -> impl Iterator<Item = String> + '_ {
        self.outliers.iter().map(|one| {
            let tags: Vec<&str> = one.reasons.iter().map(|reason| reason.reason).collect();
            serde_json::json!({ "do": "tag", "sample": one.i, "add": tags }).to_string()
        })
    }
}

/// A sample that stands out.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Outlier"))]
#[non_exhaustive]
pub struct OutlierRow {
    /// The file, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The sample's number.
    pub i: u64,
    /// Its name.
    pub name: Option<String>,
    /// Why, the strongest reason first.
    pub reasons: Vec<Reason>,
}

/// Finds samples that are further than `score` deviations from the median of all, in any of these traits. Without one of how
/// pictures look none is decoded. `told` hears how many samples were looked at, of how many.
pub fn outliers(
    datasets: &[Dataset],
    traits: &[Trait],
    score: f64,
    options: &SurveyOptions,
    told: &mut dyn FnMut(u64, u64),
) -> Result<OutlierReport> {
    let look = traits.iter().any(|of| matches!(of, Trait::Brightness | Trait::Contrast | Trait::Sharpness));
    let mut all = survey(datasets, Wants { digest: false, look }, options, told)?;
    let mut found = Outliers::default();
    for one in &all.all {
        let (width, height) = one.size;
        let measures = Measures { sample: one.seen.sample, bytes: one.seen.bytes, width, height, look: one.seen.look };
        found.add(measures);
    }
    let found = found.find(traits, score);
    let mut report = OutlierReport {
        samples: all.all.len() as u64,
        not_pictures: all.others,
        usual: found.usual,
        ..OutlierReport::default()
    };
    for outlier in found.outliers {
        let Some(one) = all.all.get(outlier.sample as usize) else { continue };
        let Some(dataset) = datasets.get(one.dataset) else { continue };
        let name = match dataset.sample_name(one.i) {
            Err(e) if is_of_sample(&e) => {
                all.faults.add(&e.sample(one.i).file(dataset.name()));
                None
            }
            name => name?,
        };
        let file = (datasets.len() > 1).then(|| dataset.name().to_owned());
        report.outliers.push(OutlierRow { file, i: one.i, name, reasons: outlier.reasons });
    }
    (report.fault_count, report.faults) = (all.faults.count, all.faults.all);
    Ok(report)
}
