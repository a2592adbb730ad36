//! The samples that a filter accepts, and statistics of them.

use std::{ops::Range, rc::Rc};

use forebay::{
    Result,
    check::Fault,
    filter::{Builtin, Filter, Path, Record, SampleRecord, Seen},
    stats::Stats,
};
use wasm_bindgen::prelude::*;

use crate::{
    fail::{Outcome, text, thrown},
    opened::Opened,
    ranges::pairs,
    window::{BYTES, Gate, Wants, Window},
};

/// Samples looked at between two returns to JavaScript, which may want to stop.
const TURN: usize = 1 << 16;

/// Looks at every sample. One that cannot be read matches nothing; the first such fault is kept.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Selector {
    opened: Rc<Opened>,
    filter: Filter,
    seen: Seen,
    wants: Wants,
    gate: Gate,
    window: Option<Window>,
    next: u64,
    matches: Vec<u32>,
    stats: Option<Stats>,
    labels: Option<Path>,
    faults: u64,
    first_fault: Option<String>,
}

impl Selector {
    pub(crate) fn new(opened: Rc<Opened>, filter: &str, stats: bool, label: &str) -> Result<Self> {
        let filter = Filter::parse(filter)?;
        filter.check_for_samples()?;
        let labels = match label {
            "" => None,
            field => Filter::parse(&format!("{field} == null"))?.fields().next().cloned(),
        };
        let looks = |path: &Path| {
            use Builtin::{Aspect, Format, Height, Pixels, Width};
            matches!(path.builtin(), Some(Width | Height | Aspect | Pixels | Format))
        };
        let wants = Wants {
            payload: false,
            size: !opened.is_tbl() && (stats || filter.fields().any(looks)),
            record: filter.needs_metadata() || labels.is_some() || (filter.needs_name() && opened.is_tbl()),
        };
        Ok(Selector {
            gate: Gate::new(&opened, wants.record),
            opened,
            seen: Seen::new(&filter),
            filter,
            wants,
            window: None,
            next: 0,
            matches: Vec::new(),
            stats: stats.then(Stats::default),
            labels,
            faults: 0,
            first_fault: None,
        })
    }

    fn advance(&mut self) -> Result<Option<Vec<Range<u64>>>> {
        if let Some(need) = self.gate.step(&self.opened)? {
            return Ok(Some(need));
        }
        let len = self.opened.core.len();
        let mut turn = 0;
        loop {
            let window = match self.window.take() {
                Some(window) => window,
                None if self.next >= len => return self.judge().map(|()| None),
                None => Window::fill(&self.opened, self.wants, BYTES, &mut (self.next..len)),
            };
            let lacking = window.lacking();
            if !lacking.is_empty() {
                self.window = Some(window);
                return Ok(Some(lacking));
            }
            for &i in &window.samples {
                if let Err(e) = self.look(&window, i) {
                    self.faults += 1;
                    self.first_fault.get_or_insert_with(|| text(&Fault::from(&e)));
                }
            }
            self.next += window.samples.len() as u64;
            turn += window.samples.len();
            if turn >= TURN {
                return Ok(Some(Vec::new()));
            }
        }
    }

    /// Refuses what no sample has, once all of them are there and were looked at.
    fn judge(&self) -> Result<()> {
        if self.opened.growing { Ok(()) } else { self.seen.judge(&self.filter) }
    }

    fn look(&mut self, window: &Window, i: u64) -> Result<()> {
        let info = window.info(i)?;
        let metadata = match self.wants.record {
            true => window.value(i)?,
            false => None,
        };
        // What does not read is in there as text, as for the command.
        let metadata = metadata.map(|(value, _)| value);
        let mut record = SampleRecord::new(&info);
        record.name = match self.filter.needs_name() {
            true => self.opened.core.name(i, metadata.as_ref()),
            false => None,
        };
        record.metadata = metadata.as_ref();
        self.seen.add(&record);
        if !self.filter.matches(&record) {
            return Ok(());
        }
        match &mut self.stats {
            Some(stats) => {
                let label = self.labels.as_ref().and_then(|path| record.field(path).label());
                stats.add(&info, label.as_deref());
            }
            None => self.matches.extend(u32::try_from(i)),
        }
        Ok(())
    }
}

#[wasm_bindgen]
impl Selector {
    /// The ranges that are needed, perhaps none where there is just more to do; nothing when it is done.
    pub fn step(&mut self) -> Outcome<Option<Vec<f64>>> {
        Ok(self.advance().map_err(thrown)?.and_then(pairs))
    }

    /// Bytes of the file from `start` on.
    pub fn push(&mut self, start: f64, bytes: Vec<u8>) {
        let Some(bytes) = self.gate.push(start as u64, bytes.into()) else { return };
        if let Some(window) = &mut self.window {
            window.push(start as u64, bytes);
        }
    }

    /// Samples looked at so far.
    #[wasm_bindgen(getter)]
    pub fn done(&self) -> f64 {
        self.next as f64
    }

    /// Samples that could not be looked at.
    #[wasm_bindgen(getter)]
    pub fn faults(&self) -> f64 {
        self.faults as f64
    }

    /// Why the first of them could not, as JSON.
    #[wasm_bindgen(js_name = firstFault)]
    pub fn first_fault(&self) -> Option<String> {
        self.first_fault.clone()
    }

    /// The numbers of the samples that match.
    pub fn matches(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.matches)
    }

    /// The statistics as JSON.
    pub fn stats(&self) -> Option<String> {
        self.stats.as_ref().map(|stats| text(&stats.report()))
    }
}
