//! Smart batching: pictures of alike shape in one batch, so that little is distorted, padded or cut off.
//!
//! It is a rearrangement of the order inside windows of several steps, the same on every rank, computed window by
//! window. With `global = batch × world`, window `w` holds the positions of the steps from `w × steps` on (an
//! incomplete step of an uneven tail stays as it is). Its positions are sorted, stably, by the size of [`Groups`]
//! whose aspect is nearest to the sample's, narrow ones first; each `global` of them in a row are a step, and the
//! steps come in the order of a permutation by `key(seed, [6, epoch, w])`. A step has the size that is nearest for
//! the sample in its middle.

use forebay::{
    Error, Result,
    order::{self, Epoch, Item, Permutation, Tail},
    random::Purpose,
};
use serde::{Deserialize, Serialize};

use super::{codes, sources::Sources};

/// The settings of groups.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Groups {
    /// Steps in a window. More make purer groups; fewer keep the order closer to a full shuffle.
    pub steps: u64,
    /// Width and height of what a batch may be; each batch has the one that fits its pictures best.
    pub sizes: Vec<(u32, u32)>,
}

impl Groups {
    /// Groups inside windows of this many steps, by the nearest of these sizes.
    pub fn new(steps: u64, sizes: impl Into<Vec<(u32, u32)>>) -> Self {
        Groups { steps, sizes: sizes.into() }
    }

    pub(super) fn check(&self) -> Result<()> {
        let flat = self.sizes.iter().any(|(w, h)| *w == 0 || *h == 0);
        if self.steps == 0 || self.steps > 1 << 20 || self.sizes.is_empty() || self.sizes.len() > 64 || flat {
            let message = format!("groups of {} steps and the sizes {:?} are invalid", self.steps, self.sizes);
            return Err(Error::new(&codes::SETTINGS, message));
        }
        Ok(())
    }

    /// The number of the size whose aspect is nearest, of several as near the first: by whole numbers, so that every machine
    /// finds the same.
    fn nearest(&self, width: u32, height: u32) -> usize {
        if width == 0 || height == 0 {
            return 0;
        }
        // How many times one aspect is the other, as a fraction of at least 1.
        let apart = |&(w, h): &(u32, u32)| {
            let (a, b) = (u64::from(w) * u64::from(height), u64::from(h) * u64::from(width));
            (u128::from(a.max(b)), u128::from(a.min(b)))
        };
        let nearer = |(a, b): &(u128, u128), (c, d): &(u128, u128)| (a * d).cmp(&(c * b));
        let sizes = self.sizes.iter().map(apart).enumerate();
        sizes.min_by(|(_, a), (_, b)| nearer(a, b)).map_or(0, |(i, _)| i)
    }

    /// The sizes' places when they are sorted from narrow to wide.
    fn ranks(&self) -> Vec<usize> {
        let mut sorted: Vec<usize> = (0..self.sizes.len()).collect();
        let aspect = |i: &usize| self.sizes.get(*i).map_or(1.0, |(w, h)| f64::from(*w) / f64::from(*h));
        sorted.sort_by(|a, b| aspect(a).total_cmp(&aspect(b)));
        let mut ranks = vec![0; sorted.len()];
        sorted.into_iter().enumerate().for_each(|(rank, i)| ranks[i] = rank);
        ranks
    }
}

/// What comes in each step: as the order says, or rearranged in groups, of which one window is remembered.
#[derive(Debug, Default)]
pub(super) struct Plan {
    groups: Option<Groups>,
    window: Option<Window>,
}

#[derive(Debug)]
struct Window {
    epoch: u64,
    number: u64,
    /// The items of every step, one step after the other, and the size of each.
    items: Vec<Item>,
    sizes: Vec<usize>,
}

impl Plan {
    pub(super) fn new(groups: Option<Groups>) -> Self {
        Plan { groups, window: None }
    }
    pub(super) fn groups(&self) -> Option<&Groups> {
        self.groups.as_ref()
    }

    /// The items of one rank in one step, and the number of the step's size.
    pub(super) fn items(
        &mut self,
        epoch: &Epoch<'_>,
        settings: &order::Settings,
        (step, rank): (u64, u64),
        (samples, sources): (u64, &Sources),
    ) -> Result<(Vec<Item>, usize)> {
        let global = settings.batch * settings.world;
        let Some(groups) = &self.groups else { return Ok((epoch.batch(step, rank).collect(), 0)) };
        let whole_steps = if settings.tail == Tail::Uneven { samples / global } else { epoch.steps() };
        if step >= whole_steps {
            let items: Vec<Item> = epoch.batch(step, rank).collect();
            // The size of the whole step, which all ranks must agree on.
            let left: Vec<Item> = (0..settings.world).flat_map(|rank| epoch.batch(step, rank)).collect();
            let size = left.get(left.len() / 2).map_or(0, |item| size_of(groups, sources, item));
            return Ok((items, size));
        }
        let number = step / groups.steps;
        let remembered = self.window.take().filter(|w| (w.epoch, w.number) == (epoch.number(), number));
        let window = match remembered {
            Some(window) => window,
            None => Window::new(groups, epoch, settings.seed, (number, global, whole_steps), sources),
        };
        let place = step - number * groups.steps;
        let start = place * global + rank * settings.batch;
        let range =
            usize::try_from(start).unwrap_or(usize::MAX)..usize::try_from(start + settings.batch).unwrap_or(usize::MAX);
        let items = window.items.get(range).unwrap_or_default().to_vec();
        let size = usize::try_from(place).ok().and_then(|place| window.sizes.get(place)).copied().unwrap_or(0);
        self.window = Some(window);
        Ok((items, size))
    }
}

fn size_of(groups: &Groups, sources: &Sources, item: &Item) -> usize {
    let info = sources.in_file(item).and_then(|(dataset, item)| dataset.info(item.sample));
    // What cannot be looked at is broken, and found to be so later.
    info.map_or(0, |info| groups.nearest(info.width, info.height))
}

impl Window {
    fn new(
        groups: &Groups,
        epoch: &Epoch<'_>,
        seed: u64,
        (number, global, whole_steps): (u64, u64, u64),
        sources: &Sources,
    ) -> Window {
        let first = number * groups.steps;
        let count = groups.steps.min(whole_steps - first);
        let positions = first * global..(first + count) * global;
        let ranks = groups.ranks();
        let mut items: Vec<(usize, Item)> =
            positions.filter_map(|k| epoch.item(k)).map(|item| (size_of(groups, sources, &item), item)).collect();
        items.sort_by_key(|(size, item)| (ranks.get(*size).copied(), item.position));
        let steps: Vec<&[(usize, Item)]> = items.chunks(usize::try_from(global).unwrap_or(usize::MAX)).collect();
        let order = Permutation::new(count, Purpose::Groups.key(seed, &[epoch.number(), number]));
        let mut window = Window { epoch: epoch.number(), number, items: Vec::new(), sizes: Vec::new() };
        for place in 0..count {
            let step = usize::try_from(order.at(place)).ok().and_then(|i| steps.get(i)).copied().unwrap_or_default();
            window.sizes.push(step.get(step.len() / 2).map_or(0, |(size, _)| *size));
            window.items.extend(step.iter().map(|(_, item)| *item));
        }
        window
    }
}
