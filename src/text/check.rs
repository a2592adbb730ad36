//! Every bad row of a text.

use bytes::Bytes;

use super::{OnBadRow, TextFormat, TextInput, TextOptions};
use crate::{
    check::Report,
    error::{Error, Kind, Result, codes::NOTE},
    step::{Step, Stepper, Turn},
    table::TableRows,
};

/// Reads a text to its end and names its bad rows. One whose columns cannot be found out is an error.
#[derive(Debug)]
pub struct TextChecker {
    input: TextInput,
    opened: bool,
    report: Report,
}

impl TextChecker {
    /// For a text of `len` bytes. What the options say of bad rows does not count here.
    pub fn new(format: TextFormat, len: u64, mut options: TextOptions) -> Result<TextChecker> {
        options.on_bad_row = OnBadRow::Skip;
        Ok(TextChecker { input: TextInput::new(format, len, options)?, opened: false, report: Report::new(0) })
    }

    /// Good rows so far.
    pub fn checked(&self) -> u64 {
        self.report.samples
    }
}

impl Stepper for TextChecker {
    type Output = Report;

    fn step(&mut self) -> Result<Step<Report>> {
        if !self.opened {
            if let Some(ranges) = self.input.open()? {
                return Ok(Step::Need(ranges));
            }
            self.opened = true;
        }
        loop {
            match self.input.step() {
                Ok(Turn::Need(ranges)) => return Ok(Step::Need(ranges)),
                Ok(Turn::Item(batch)) => self.report.samples += batch.rows() as u64,
                Ok(Turn::Done) => break,
                Err(e) if matches!(e.kind(), Kind::Damaged | Kind::Limit) => {
                    self.report.fault(&e);
                    break;
                }
                Err(e) => return Err(e),
            }
        }
        let reader = &mut self.input.reader;
        let (bad, skipped) = (reader.bad_rows(), reader.skipped());
        report_rows(&mut self.report, &bad, skipped, reader.notes());
        Ok(Step::Done(std::mem::take(&mut self.report)))
    }

    fn push(&mut self, start: u64, bytes: Bytes) {
        self.input.push(start, bytes);
    }
}

/// Adds what is known of bad rows to a report: the first of them as faults, how many there are, and the rest in words.
pub fn report_rows(report: &mut Report, bad: &[Error], skipped: u64, notes: Vec<String>) {
    bad.iter().for_each(|e| report.fault(e));
    notes.into_iter().for_each(|note| report.note(&Error::new(&NOTE, note)));
    report.fault_count = report.fault_count.max(skipped);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, format: TextFormat) -> Result<Report> {
        let mut checker = TextChecker::new(format, text.len() as u64, TextOptions::default())?;
        loop {
            match checker.step()? {
                Step::Done(report) => return Ok(report),
                Step::Need(ranges) => {
                    for range in ranges {
                        let part = &text[range.start as usize..range.end as usize];
                        checker.push(range.start, Bytes::copy_from_slice(part.as_bytes()));
                    }
                }
            }
        }
    }

    #[test]
    fn bad_rows_are_named_with_their_lines_and_counted_beyond_those_that_are_named() {
        let report = check("id,name\n1,Ada\n2\n3,Bob\n", TextFormat::Csv).unwrap();
        assert_eq!((report.ok, report.samples, report.fault_count), (false, 2, 1));
        assert!(report.faults[0].message.contains("line 3"), "{:?}", report.faults);
        let many: String = (0..50).map(|_| "7\n").collect();
        let report = check(&format!("id,name\n1,Ada\n{many}"), TextFormat::Csv).unwrap();
        assert_eq!((report.samples, report.fault_count, report.faults.len()), (1, 50, 20));
        assert!(report.notes[0].message.contains("30 more"), "{:?}", report.notes);
    }

    #[test]
    fn a_sound_text_and_an_empty_one_have_no_fault() {
        let report = check("{\"a\":1}\n{\"a\":2}\n", TextFormat::Jsonl).unwrap();
        assert_eq!((report.ok, report.samples, report.fault_count), (true, 2, 0));
        assert!(check("", TextFormat::Csv).map_or(true, |report| report.samples == 0));
    }
}
