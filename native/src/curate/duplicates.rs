//! Samples that are alike, group by group, the best of each first.

use forebay::{
    Result,
    check::Fault,
    curate::{Duplicates, Group, Member},
    samples::is_of_sample,
};
use serde::Serialize;

use super::survey::{One, Survey, SurveyOptions, Wants, label, survey};
use crate::dataset::Dataset;

/// What was found.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Duplicates"))]
#[non_exhaustive]
pub struct DuplicateReport {
    /// Samples that were looked at.
    pub samples: u64,
    /// Samples that are not pictures; they are compared by their bytes alone.
    pub not_pictures: u64,
    /// Pictures in which nothing is to be seen; they are compared by their bytes alone.
    pub plain: u64,
    /// Samples that another one is better than: those that go if each group keeps its best.
    pub duplicates: u64,
    /// The groups.
    pub groups: Vec<GroupReport>,
    /// Samples that could not be read or decoded.
    pub fault_count: u64,
    /// The first of them.
    pub faults: Vec<Fault>,
}

impl DuplicateReport {
    /// Lines of a journal that remove all but the best of each group.
    pub fn changes(&self) -> impl Iterator<Item = String> + '_ {
        let others = self.groups.iter().flat_map(|group| group.samples.iter().skip(1));
        others.map(|other| serde_json::json!({ "do": "remove", "sample": other.i }).to_string())
    }
}

/// Samples that are alike.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DuplicateGroup"))]
#[non_exhaustive]
pub struct GroupReport {
    /// All of them have the same bytes.
    pub exact: bool,
    /// Their classes, if they are of more than one: the label of at least one is wrong, or both are right.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<String>,
    /// The samples, the best first.
    pub samples: Vec<MemberReport>,
}

/// One of a group.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AlikeSample"))]
#[non_exhaustive]
pub struct MemberReport {
    /// The file, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The sample's number.
    pub i: u64,
    /// Its name.
    pub name: Option<String>,
    /// Its class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Pixels across; 0 if that is not known.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Bytes of its payload.
    pub bytes: u64,
    /// In how many bits its hash differs from that of the best.
    pub distance: u32,
    /// Its bytes are those of the best.
    pub exact: bool,
}

/// Finds samples of the same bytes and, if there is a distance, pictures whose hashes differ in at most that many bits.
/// `told` hears how many samples were looked at, of how many.
pub fn duplicates(
    datasets: &[Dataset],
    distance: Option<u32>,
    options: &SurveyOptions,
    told: &mut dyn FnMut(u64, u64),
) -> Result<DuplicateReport> {
    let mut found = Duplicates::new(distance)?;
    let mut all = survey(datasets, Wants { digest: true, look: distance.is_some() }, options, told)?;
    all.all.iter().for_each(|one| found.add(one.seen.clone()));
    let groups = found.grouping().run()?;
    let plain = |one: &&One| one.seen.look.is_some_and(|look| look.hash.is_none());
    let mut report = DuplicateReport {
        samples: all.all.len() as u64,
        not_pictures: all.others,
        plain: all.all.iter().filter(plain).count() as u64,
        duplicates: groups.iter().map(|group| group.others().len() as u64).sum(),
        ..DuplicateReport::default()
    };
    for group in &groups {
        let group = named(datasets, group, &mut all, options)?;
        report.groups.push(group);
    }
    (report.fault_count, report.faults) = (all.faults.count, all.faults.all);
    Ok(report)
}

fn named(datasets: &[Dataset], group: &Group, all: &mut Survey, options: &SurveyOptions) -> Result<GroupReport> {
    let mut report = GroupReport { exact: group.others().iter().all(|other| other.exact), ..GroupReport::default() };
    for member in group.members() {
        report.samples.extend(one(datasets, member, all, options)?);
    }
    let mut classes: Vec<&String> = report.samples.iter().filter_map(|sample| sample.class.as_ref()).collect();
    classes.sort_unstable();
    classes.dedup();
    if classes.len() > 1 {
        report.classes = classes.into_iter().cloned().collect();
    }
    Ok(report)
}

fn one(
    datasets: &[Dataset],
    member: Member,
    all: &mut Survey,
    options: &SurveyOptions,
) -> Result<Option<MemberReport>> {
    let Some(one) = all.all.get(member.sample as usize) else { return Ok(None) };
    let Some(dataset) = datasets.get(one.dataset) else { return Ok(None) };
    // A name or class that does not read hides no duplicate.
    let mut forgive = |e: forebay::Error| match is_of_sample(&e) {
        true => {
            all.faults.add(&e.sample(one.i).file(dataset.name()));
            Ok(None)
        }
        false => Err(e),
    };
    let name = dataset.sample_name(one.i).or_else(&mut forgive)?;
    let class = if options.labels.is_empty() { Ok(None) } else { label(dataset, one.i, &options.labels) };
    let class = class.or_else(forgive)?;
    Ok(Some(MemberReport {
        file: (datasets.len() > 1).then(|| dataset.name().to_owned()),
        i: one.i,
        name,
        class,
        width: one.size.0,
        height: one.size.1,
        bytes: one.seen.bytes,
        distance: member.distance,
        exact: member.exact,
    }))
}
