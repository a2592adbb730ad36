//! The samples that a filter accepts, and statistics of them.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::Value;

use super::{
    Oddities,
    boxes::Boxes,
    opened::Opened,
    window::{BYTES, Gate, Wants, Window},
};
use crate::{
    check::Fault,
    error::{Error, Result, codes},
    filter::{Builtin, Filter, Path, Record, SampleRecord, Seen},
    sample::{SampleInfo, stats::Stats},
    step::Turn,
};

/// Samples looked at between two returns to the host, which may want to stop.
const TURN: usize = 1 << 16;

/// A filter that is asked about one sample after the other, and at the end whether it could mean anything.
#[derive(Debug)]
pub struct Watch {
    filter: Filter,
    seen: Seen,
    odd: Oddities,
    boxes: Boxes,
}

impl Watch {
    /// For samples that come one by one; a part of them may have a watch of its own, and be [merged](Self::merge).
    pub fn new(filter: &Filter) -> Self {
        Watch { filter: filter.clone(), seen: Seen::new(filter), odd: Oddities::default(), boxes: Boxes::default() }
    }

    /// What is asked.
    pub fn filter(&self) -> &Filter {
        &self.filter
    }

    /// Whether it asks for more than the index, the payload and the file's name say. If there is [an
    /// index](super::Dataset::names_in_metadata), names are in the metadata.
    pub fn needs_record(&self, has_index: bool) -> bool {
        self.filter.needs_metadata() || has_index && self.filter.needs_name()
    }

    /// The sample, if the filter accepts it; its boxes are looked at, and not in it.
    ///
    /// # Errors
    ///
    /// Those of [`find`](crate::annotations::record::find), if the filter asks for boxes.
    pub fn accepts<'a>(
        &mut self,
        info: &'a SampleInfo,
        name: Option<&'a str>,
        metadata: Option<&'a Value>,
    ) -> Result<Option<SampleRecord<'a>>> {
        let boxes = if self.filter.needs_boxes() { self.boxes.of(info, metadata)? } else { None };
        let bare = SampleRecord { info, name, metadata, boxes: None };
        let record = SampleRecord { boxes: boxes.as_deref(), ..bare };
        self.seen.add(&record);
        Ok(self.filter.matches(&record).then_some(bare))
    }

    /// Hears why the metadata of a sample is text only.
    pub fn kept(&mut self, why: &Error) {
        if self.filter.needs_metadata() {
            self.odd.kept(why);
        }
    }

    /// Adds what another watch of the same filter saw; its [notes](Self::notes) are its own.
    pub fn merge(&mut self, other: Watch) {
        self.seen.merge(other.seen);
    }

    /// For after the last sample: refuses a filter that no sample could have answered.
    pub fn judge(&self) -> Result<()> {
        self.seen.judge(&self.filter)
    }

    /// Fields that the filter saw only as text.
    pub fn notes(self) -> impl Iterator<Item = String> {
        self.odd.notes()
    }
}

/// A field of samples as the filter language writes it.
pub fn field(name: &str) -> Result<Path> {
    let parsed = Filter::parse(&format!("{name} == null"))?;
    parsed.fields().next().cloned().ok_or_else(|| Error::new(&codes::ARGUMENT, format!("{name:?} is not a field")))
}

/// Looks at every sample. One that cannot be read matches nothing; the first such fault is kept.
#[derive(Debug)]
pub struct Selector {
    opened: Arc<Opened>,
    watch: Watch,
    wants: Wants,
    gate: Gate,
    window: Option<Window>,
    next: u64,
    matches: Vec<u32>,
    stats: Option<Stats>,
    labels: Option<Path>,
    faults: u64,
    first_fault: Option<Fault>,
}

impl Selector {
    /// Finds the numbers of the samples that a filter accepts.
    pub fn new(opened: Arc<Opened>, filter: &Filter) -> Result<Self> {
        Self::build(opened, filter, None, None)
    }

    /// Counts the samples that a filter accepts instead, by the class in the metadata field `label`, if it is given.
    pub fn statistics(opened: Arc<Opened>, filter: &Filter, label: Option<&str>) -> Result<Self> {
        Self::build(opened, filter, Some(Stats::default()), label.map(field).transpose()?)
    }

    fn build(opened: Arc<Opened>, filter: &Filter, stats: Option<Stats>, labels: Option<Path>) -> Result<Self> {
        filter.check_for_samples()?;
        let looks = |path: &Path| {
            use Builtin::{Aspect, Format, Height, Pixels, Width};
            matches!(path.builtin(), Some(Width | Height | Aspect | Pixels | Format))
        };
        let (watch, has_index) = (Watch::new(filter), opened.dataset.has_index());
        let wants = Wants {
            payload: false,
            size: !has_index && (stats.is_some() || filter.needs_boxes() || filter.fields().any(looks)),
            record: labels.is_some() || watch.needs_record(opened.dataset.names_in_metadata()),
        };
        Ok(Selector {
            gate: Gate::new(&opened, wants.record),
            opened,
            watch,
            wants,
            window: None,
            next: 0,
            matches: Vec::new(),
            stats,
            labels,
            faults: 0,
            first_fault: None,
        })
    }

    /// Does what the available bytes allow; now and then it only says that many samples were looked at.
    pub fn step(&mut self) -> Result<Turn<()>> {
        if let Some(need) = self.gate.step(&self.opened)? {
            return Ok(Turn::Need(need));
        }
        let len = self.opened.dataset.len();
        let mut turn = 0;
        loop {
            let window = match self.window.take() {
                Some(window) => window,
                None if self.next >= len => {
                    // What no sample has is refused once all of them are there and were looked at.
                    return if self.opened.growing { Ok(()) } else { self.watch.judge() }.map(|()| Turn::Done);
                }
                None => Window::fill(&self.opened, None, self.wants, BYTES, &mut (self.next..len)),
            };
            let lacking = window.lacking();
            if !lacking.is_empty() {
                self.window = Some(window);
                return Ok(Turn::Need(lacking));
            }
            for &i in &window.samples {
                if let Err(e) = self.look(&window, i) {
                    if e.code() == &crate::annotations::codes::AMBIGUOUS {
                        return Err(e.sample(i));
                    }
                    self.faults += 1;
                    self.first_fault.get_or_insert_with(|| Fault::from(&e));
                }
            }
            self.next += window.samples.len() as u64;
            turn += window.samples.len();
            if turn >= TURN {
                return Ok(Turn::Item(()));
            }
        }
    }

    fn look(&mut self, window: &Window, i: u64) -> Result<()> {
        let info = window.info(i)?;
        // What does not read is in there as text.
        let metadata = if self.wants.record { window.value(i)?.map(|(value, _)| value) } else { None };
        let name = match self.watch.filter().needs_name() {
            true => self.opened.dataset.name(i, metadata.as_ref()),
            false => None,
        };
        let Some(record) = self.watch.accepts(&info, name, metadata.as_ref())? else { return Ok(()) };
        match &mut self.stats {
            Some(stats) => {
                let label = self.labels.as_ref().and_then(|path| record.field(path).label());
                stats.add(&info, label.as_deref());
            }
            None => self.matches.extend(u32::try_from(i)),
        }
        Ok(())
    }

    /// Bytes of the file from `start` on.
    pub fn push(&mut self, start: u64, bytes: Bytes) {
        let Some(bytes) = self.gate.push(start, bytes) else { return };
        if let Some(window) = &mut self.window {
            window.push(start, bytes);
        }
    }

    /// Samples looked at so far.
    #[doc(hidden)]
    pub fn looked_at(&self) -> u64 {
        self.next
    }
    /// Samples that could not be looked at.
    #[doc(hidden)]
    pub fn faults(&self) -> u64 {
        self.faults
    }
    /// Why the first of them could not.
    #[doc(hidden)]
    pub fn first_fault(&self) -> Option<&Fault> {
        self.first_fault.as_ref()
    }
    /// The numbers of the samples that match.
    pub fn take_matches(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.matches)
    }
    /// The statistics, if they were asked for.
    pub fn stats(&self) -> Option<&Stats> {
        self.stats.as_ref()
    }
}
