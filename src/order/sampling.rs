//! How samples are drawn where not each of them comes once: by weight, or by class.

use std::sync::Arc;

use super::{
    classes::{Members, Stage},
    codes,
    weights::{Table, quanta},
};
use crate::{
    codec::checksum::fnv1a,
    error::{Error, Result},
};

/// Draws samples by their weights, or class by class, in place of each of them once.
///
/// Weights become whole numbers below 2^32 in proportion, so that every host draws the same; `docs/formats/order.md` says how.
///
/// ```
/// use forebay::order::{Order, Sampling, Settings, Source};
/// // One weight for each selected sample of all sources; from epoch 10 on others.
/// let weighted = Sampling::weighted(&[1.0, 0.0, 2.5, 0.25])?.since(10, &[1.0, 1.0, 1.0, 1.0])?;
/// let settings = Settings::default().with_seed(42).with_sampling(weighted).with_draws(1000);
/// let order = Order::new(vec![Source::new("train.tbl", 4)], settings)?;
/// assert!((0..1000).all(|k| order.epoch(9).unwrap().item(k).unwrap().sample != 1));
///
/// // The class of each sample: both come equally often, and 1 thrice as often as 0 from epoch 5 on.
/// let classes = Sampling::balanced(&[Some(0), Some(0), Some(0), Some(1)])?.since(5, &[1.0, 3.0])?;
/// let settings = Settings::default().with_seed(42).with_sampling(classes).with_draws(8);
/// let order = Order::new(vec![Source::new("train.tbl", 4)], settings)?;
/// let of_one = |epoch| (0..8).filter(|&k| order.epoch(epoch).unwrap().item(k).unwrap().sample == 3).count();
/// assert_eq!((of_one(0), of_one(5)), (4, 6));
/// # Ok::<(), forebay::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sampling {
    pub(super) by: By,
}

/// The parts are shared, so that clones cost nothing. Each list of stages says from which epoch on its weights hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum By {
    Weights(Vec<(u64, Arc<Table>)>),
    /// The samples of each class, and the running sums of the classes' weights.
    Classes(Arc<Members>, Vec<(u64, Arc<[u64]>)>),
}

impl Sampling {
    /// Draws with replacement, each sample in proportion to its weight: one for each selected sample, in the order of the
    /// sources. An epoch has as many draws as there are weights, or as [`Settings::with_draws`](super::Settings::with_draws)
    /// says.
    pub fn weighted(weights: &[f64]) -> Result<Self> {
        Ok(Sampling { by: By::Weights(vec![(0, Arc::new(table(weights)?))]) })
    }

    /// Takes from every class equally often: in each run of as many draws as there are classes with samples, one from each
    /// of them, and of a class all samples before any of them comes again. These are the classes of each selected sample, in
    /// the order of the sources, numbered from 0; what has none is never drawn.
    pub fn balanced(classes: &[Option<u32>]) -> Result<Self> {
        let members = Members::new(classes)?;
        let shares = members.shares(&quanta(&members.equal())?)?;
        Ok(Sampling { by: By::Classes(Arc::new(members), vec![(0, shares.into())]) })
    }

    /// Takes other weights from this epoch on: one for each sample, or for each class. For a curriculum call it once for
    /// every epoch in which weights change, in rising order.
    pub fn since(mut self, epoch: u64, weights: &[f64]) -> Result<Self> {
        match &mut self.by {
            By::Weights(stages) => {
                let (table, samples) = (table(weights)?, stages.first().map_or(0, |(_, first)| first.len()));
                if table.len() != samples {
                    let message = format!("{} weights are not one for each of {samples} samples", table.len());
                    return Err(Error::new(&codes::SETTINGS, message));
                }
                push(stages, epoch, Arc::new(table))?;
            }
            By::Classes(members, stages) => push(stages, epoch, members.shares(&quanta(weights)?)?.into())?,
        }
        Ok(self)
    }

    /// How many samples it is for.
    pub(super) fn samples(&self) -> u64 {
        match &self.by {
            By::Weights(stages) => stages.first().map_or(0, |(_, table)| table.len()),
            By::Classes(members, _) => members.samples(),
        }
    }

    /// What a state remembers of it: FNV-1a over all that decides what is drawn.
    pub(super) fn identity(&self) -> String {
        match &self.by {
            By::Weights(stages) => {
                let stage = |(from, table): &(u64, Arc<Table>)| {
                    let quanta = table.quanta().to_vec();
                    from.to_le_bytes().into_iter().chain(quanta.into_iter().flat_map(u32::to_le_bytes))
                };
                format!("weights {:016x}", fnv1a(stages.iter().flat_map(stage)))
            }
            By::Classes(members, stages) => {
                let stage = |(from, shares): &(u64, Arc<[u64]>)| {
                    let weights: Vec<u64> = shares.windows(2).map(|pair| pair[1] - pair[0]).collect();
                    from.to_le_bytes().into_iter().chain(weights.into_iter().flat_map(u64::to_le_bytes))
                };
                format!("classes {:016x}", fnv1a(members.bytes().chain(stages.iter().flat_map(stage))))
            }
        }
    }

    /// The stages of classes, if an epoch has that many draws.
    pub(super) fn stages(&self, draws: u64) -> Result<Vec<Stage>> {
        let By::Classes(members, stages) = &self.by else { return Ok(Vec::new()) };
        let mut drawn = vec![0; members.classes()];
        let mut found = Vec::with_capacity(stages.len());
        for (i, (from, shares)) in stages.iter().enumerate() {
            let stage = Stage { from: *from, shares: shares.clone(), drawn };
            drawn = match stages.get(i + 1) {
                Some((next, _)) => stage.drawn_until(*next, draws)?,
                None => Vec::new(),
            };
            found.push(stage);
        }
        Ok(found)
    }
}

/// Weights that can be drawn by.
fn table(weights: &[f64]) -> Result<Table> {
    let table = Table::new(quanta(weights)?);
    if table.total() == 0 && table.len() > 0 {
        return Err(Error::new(&codes::SETTINGS, format!("all of {} weights are 0", table.len())));
    }
    Ok(table)
}

/// Puts a stage behind the others; one for epoch 0 takes the place of the first.
fn push<T>(stages: &mut Vec<(u64, T)>, epoch: u64, stage: T) -> Result<()> {
    if let Some((last, _)) = stages.last().filter(|(last, _)| epoch < *last || (epoch == *last && epoch > 0)) {
        let message = format!("weights from epoch {epoch} on cannot follow those from epoch {last} on");
        return Err(Error::new(&codes::SETTINGS, message));
    }
    stages.retain(|(from, _)| *from < epoch);
    stages.push((epoch, stage));
    Ok(())
}
