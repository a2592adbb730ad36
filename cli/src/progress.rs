//! A bar on a terminal, lines with `--verbose`, nothing otherwise.

use std::time::{Duration, Instant};

use forebay_native::convert::Progress;
use indicatif::{ProgressBar, ProgressStyle};

use crate::{human, output::Output};

/// Time between two lines of `--verbose`.
const EVERY: Duration = Duration::from_secs(1);

/// Shows how far work on samples is.
pub(crate) struct Meter<'a> {
    out: &'a Output,
    what: &'static str,
    /// What is counted.
    unit: &'static str,
    started: Instant,
    spoken: Instant,
    bar: Option<ProgressBar>,
}

impl<'a> Meter<'a> {
    pub fn new(out: &'a Output, what: &'static str) -> Self {
        let now = Instant::now();
        Meter { out, what, unit: "samples", started: now, spoken: now, bar: None }
    }
    /// Counts rows of a table.
    pub fn of_rows(out: &'a Output, what: &'static str) -> Self {
        let mut meter = Meter::new(out, what);
        meter.unit = "rows";
        meter
    }

    /// Counts frames.
    pub fn of_frames(out: &'a Output, what: &'static str) -> Self {
        let mut meter = Meter::new(out, what);
        meter.unit = "frames";
        meter
    }

    /// Counts steps of an epoch.
    pub fn of_steps(out: &'a Output, what: &'static str) -> Self {
        let mut meter = Meter::new(out, what);
        meter.unit = "steps";
        meter
    }

    /// Hears how far it is.
    pub fn update(&mut self, progress: &Progress) {
        if self.out.bar() {
            let bar = self.bar.get_or_insert_with(|| new_bar(self.what, self.unit, progress.total));
            bar.set_position(progress.samples);
            let rate = progress.bytes as f64 / self.started.elapsed().as_secs_f64().max(1e-3);
            if progress.bytes > 0 {
                bar.set_message(format!("{}, {}/s", human::bytes(progress.bytes), human::bytes(rate as u64)));
            }
        } else if self.out.verbose() && self.spoken.elapsed() >= EVERY {
            self.spoken = Instant::now();
            let total = progress.total.map(|n| format!(" of {}", human::count(n))).unwrap_or_default();
            let seconds = self.started.elapsed().as_secs_f64();
            let rate = progress.bytes as f64 / seconds.max(1e-3);
            let bytes = match progress.bytes {
                0 => String::new(),
                n => format!(", {}, {}/s", human::bytes(n), human::bytes(rate as u64)),
            };
            let done = human::count(progress.samples);
            self.out.note(format!("{}: {done}{total} {}{bytes}, {seconds:.0} s", self.what, self.unit));
        }
    }

    /// Hears how many are done, and of how many if that is known.
    pub fn count(&mut self, done: u64, total: impl Into<Option<u64>>) {
        let mut progress = Progress::default();
        (progress.samples, progress.total) = (done, total.into());
        self.update(&progress);
    }

    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

impl Drop for Meter<'_> {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn new_bar(what: &'static str, unit: &str, total: Option<u64>) -> ProgressBar {
    let (bar, template) = match total {
        Some(total) => (
            ProgressBar::new(total),
            format!("{{prefix}} {{wide_bar}} {{human_pos}}/{{human_len}} {unit}, {{msg}}, {{eta}} left"),
        ),
        None => {
            (ProgressBar::new_spinner(), format!("{{prefix}} {{spinner}} {{human_pos}} {unit}, {{msg}}, {{elapsed}}"))
        }
    };
    // The templates are known; should one be wrong, the default style still shows progress.
    let style = ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.set_style(style);
    bar.set_prefix(what);
    bar
}
