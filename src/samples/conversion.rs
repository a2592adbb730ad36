//! From a file of samples of one format to another: ranges in, bytes to write at positions out, a window of samples in
//! memory at a time.

use std::{ops::Range, sync::Arc};

use bytes::Bytes;

use super::{
    Inherited, MetadataChoice, is_of_sample,
    make::{Form, Ready},
    opened::Opened,
    overlay::Over,
    read::DocumentReader,
    window::{BYTES, Gate, Wants, Window},
    write::Writer,
};
use crate::{
    check::Fault,
    error::{Error, Result, codes},
    formats::Format,
    step::{Step, Stepper, Turn},
    tbl::{MetadataFormat, Patch},
};

/// What is said of a warehouse that is to become a file of pictures where PNG is not built in.
#[cfg(all(feature = "warehouse", not(feature = "png")))]
const NO_TENSORS: &str = "a warehouse holds tensors, and the feature that makes images of them is not built in";

/// How to convert. Made with [`new`](Self::new), then changed field by field.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConversionOptions {
    /// The form of the samples in the output.
    pub form: Form,
    /// TBL: the metadata.
    pub metadata: MetadataChoice,
    /// Leave broken samples out, list them, and keep the rest.
    pub keep_going: bool,
    /// Bytes of samples that are read before they are written.
    pub window: u64,
    /// The input's name, for the document.
    pub source: String,
}

impl ConversionOptions {
    /// All of the samples with their own metadata.
    pub fn new(form: Form) -> Self {
        let metadata = MetadataChoice::of(MetadataFormat::default());
        ConversionOptions { form, metadata, keep_going: false, window: BYTES, source: String::new() }
    }
}

/// Samples whose bytes are there: each is to be [made](Self::make), wherever there is a thread for it, and then all of
/// them [written](Conversion::write).
#[derive(Debug)]
pub struct Batch {
    window: Window,
    form: Form,
    /// The number of the first of them in the output.
    first: u64,
}

impl Batch {
    /// The samples, by their places in the batch.
    pub fn places(&self) -> Range<usize> {
        0..self.window.samples.len()
    }

    /// Verifies the sample in this place and makes it ready to be written.
    pub fn make(&self, k: usize) -> Result<Ready> {
        // None has the last number that there is.
        let i = self.window.samples.get(k).copied().unwrap_or(u64::MAX);
        let loaded = self.window.load(i, self.first + k as u64);
        loaded.and_then(|sample| self.form.make(sample, self.window.limits())).map_err(|e| e.sample(i))
    }
}

/// The result of a conversion.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Converted {
    /// How many samples were written, and their bytes.
    pub counts: super::Counts,
    /// Bytes of the output.
    pub output_bytes: u64,
    /// The samples left out, and why.
    pub faults: Vec<Fault>,
    /// Things worth knowing.
    pub notes: Vec<String>,
}

/// Converts the samples of a file: [`step`](Self::step), do what it says, and after every step write what there is at
/// [`at`](Self::at); when it is done, apply what [`finish`](Self::finish) says.
#[derive(Debug)]
pub struct Conversion {
    opened: Arc<Opened>,
    options: ConversionOptions,
    chosen: Option<Vec<u32>>,
    over: Option<Over>,
    /// Until the document was read.
    document: Option<DocumentReader>,
    gate: Gate,
    window: Option<Window>,
    /// The place in the output of the next sample to be made.
    next: u64,
    writer: Option<Writer>,
    at: u64,
    out: Vec<Ready>,
    tail: &'static [u8],
    ended: bool,
    spool: Vec<u8>,
    done: Converted,
}

impl Conversion {
    /// Plans the conversion of the samples `chosen`, in that order, or of all.
    pub fn new(opened: Arc<Opened>, options: ConversionOptions, chosen: Option<Vec<u32>>) -> Result<Self> {
        let len = opened.dataset.len();
        #[cfg(all(feature = "warehouse", not(feature = "png")))]
        if opened.dataset.warehouse().is_some() {
            return Err(Error::new(&codes::ARGUMENT, NO_TENSORS));
        }
        if let Some(i) = chosen.iter().flatten().find(|&&i| u64::from(i) >= len) {
            let message = format!("there are {len} samples, so none has the number {i}");
            return Err(Error::new(&codes::OUT_OF_RANGE, message).sample((*i).into()));
        }
        let (document, writer) = match options.form.tbl() {
            Some((pack, _)) => {
                pack.validate()?;
                (Some(DocumentReader::new(opened.clone())), None)
            }
            None => (None, Some(Writer::tar())),
        };
        let faults = opened.losses().map(Fault::from).collect();
        Ok(Conversion {
            gate: Gate::new(&opened, true),
            opened,
            options,
            chosen,
            over: None,
            document,
            window: None,
            next: 0,
            writer,
            at: 0,
            out: Vec::new(),
            tail: &[],
            ended: false,
            spool: Vec::new(),
            done: Converted { faults, ..Converted::default() },
        })
    }

    /// Plans it for the samples of a file of `file_len` bytes with what changes there are over it. The bytes of samples that are
    /// not in the file follow those of the file.
    #[cfg(feature = "overlay")]
    #[doc(hidden)]
    pub fn over(
        opened: Arc<Opened>,
        options: ConversionOptions,
        file_len: u64,
        changes: Arc<dyn super::Overlay>,
    ) -> Result<Self> {
        let mut work = Self::new(opened, options, None)?;
        work.over = Some(Over::new(changes, file_len));
        Ok(work)
    }

    /// Does what the available bytes allow. When every sample was written, the end is there to be taken.
    pub fn step(&mut self) -> Result<Turn<Batch>> {
        if self.document.is_some()
            && let Some(need) = self.begin()?
        {
            return Ok(Turn::Need(need));
        }
        if let Some(need) = self.gate.step(&self.opened)? {
            return Ok(Turn::Need(need));
        }
        let window = match self.window.take() {
            Some(window) => window,
            None if self.next >= self.total() => {
                if let (Some(writer), false) = (&self.writer, self.ended) {
                    (self.at, self.tail) = writer.tail();
                    self.ended = true;
                }
                return Ok(Turn::Done);
            }
            None => self.window_from(self.next),
        };
        let lacking = window.lacking();
        if !lacking.is_empty() {
            self.window = Some(window);
            return Ok(Turn::Need(lacking));
        }
        let first = self.next;
        self.next += window.samples.len() as u64;
        Ok(Turn::Item(Batch { window, form: self.options.form.clone(), first }))
    }

    /// Takes in what became of the samples of a batch, in their order. It is written while the bytes of the next
    /// window, which [`needs`](Self::needs) tells, are read.
    pub fn write(&mut self, made: impl IntoIterator<Item = Result<Ready>>) -> Result<()> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        for ready in made {
            let mut ready = match ready {
                Err(e) if self.options.keep_going => {
                    self.done.faults.push(Fault::from(&e));
                    continue;
                }
                ready => ready?,
            };
            let at = writer.place(&mut ready, &mut self.spool)?;
            if self.out.is_empty() {
                self.at = at;
            }
            self.out.push(ready);
        }
        if self.next < self.total() {
            self.window = Some(self.window_from(self.next));
        }
        Ok(())
    }

    /// Bytes of the input from `start` on.
    pub fn push(&mut self, start: u64, bytes: Bytes) {
        if let Some(document) = &mut self.document {
            return document.push(start, bytes);
        }
        let Some(bytes) = self.gate.push(start, bytes) else { return };
        if let Some(window) = &mut self.window {
            window.push(start, bytes);
        }
    }

    /// Returns the ranges that the next samples lack, perhaps none.
    pub fn needs(&self) -> Vec<Range<u64>> {
        self.window.as_ref().map(Window::lacking).unwrap_or_default()
    }
    /// What those behind them will need, so that it can be read meanwhile.
    #[doc(hidden)]
    pub fn ahead(&self) -> Option<Vec<Range<u64>>> {
        let window = self.window.as_ref()?;
        Some(self.window_from(self.next + window.samples.len() as u64).lacking())
    }

    /// Where the [pieces](Self::pieces) go.
    #[doc(hidden)]
    pub fn at(&self) -> u64 {
        self.at
    }
    /// Bytes to write now; they follow each other.
    pub fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        self.out.iter().flat_map(Ready::pieces).chain(std::iter::once(self.tail))
    }
    /// Forgets the pieces, once they were written.
    pub fn written(&mut self) {
        self.out.clear();
        self.tail = &[];
    }
    /// Bytes of the metadata, which wait for the end: [`Patch::Spool`] wants all of them, in order.
    pub fn take_spool(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.spool)
    }

    /// Samples that were made so far.
    #[doc(hidden)]
    pub fn made(&self) -> u64 {
        self.next
    }
    /// Samples in all.
    #[doc(hidden)]
    pub fn total(&self) -> u64 {
        match (&self.over, &self.chosen) {
            (Some(over), _) => over.changes.samples(),
            (_, Some(chosen)) => chosen.len() as u64,
            _ => self.opened.dataset.len(),
        }
    }

    /// Returns the patches left to do to the output, in order.
    pub fn finish(&mut self) -> Result<Vec<Patch>> {
        let Some(writer) = self.writer.take() else { return Ok(Vec::new()) };
        self.done.counts = *writer.counts();
        self.done.notes.extend(writer.notes());
        let patches = writer.finish()?;
        if let Some(Patch::End { len }) = patches.last() {
            self.done.output_bytes = *len;
        }
        Ok(patches)
    }

    /// Returns the result; complete once the conversion is [finished](Self::finish).
    pub fn converted(&self) -> &Converted {
        &self.done
    }

    /// Reads the document and begins a TBL; the ranges that are needed for that.
    fn begin(&mut self) -> Result<Option<Vec<Range<u64>>>> {
        let (Some(document), Some((pack, tables))) = (&self.document, self.options.form.tbl()) else { return Ok(None) };
        let (pack, tables) = (*pack, tables.cloned());
        let mut inherited = Inherited::default();
        match document.section()? {
            Step::Need(ranges) => return Ok(Some(ranges)),
            Step::Done(Some((tbl, section))) if tbl.header().metadata_format == Some(MetadataFormat::Protobuf) => {
                inherited.protobuf(section.to_vec());
            }
            Step::Done(Some((tbl, section))) => match tbl.document(&section) {
                Err(e) if self.options.keep_going && is_of_sample(&e) => self.done.faults.push(Fault::from(&e)),
                found => inherited.document(found?),
            },
            #[cfg(feature = "doors")]
            Step::Done(None) if let Some(door) = self.opened.dataset.door() => inherited.document(door.document()),
            Step::Done(None) => {}
        }
        if let Some(over) = &self.over {
            inherited.change(|fields| over.changes.document(fields))?;
        }
        #[cfg(all(feature = "warehouse", feature = "png"))]
        if let super::Dataset::Warehouse(warehouse) = &self.opened.dataset {
            inherited.document(super::tensors::document(warehouse));
        }
        // What it is called in an archive; a TBL says it itself, and so does a warehouse.
        if !matches!(self.opened.dataset.format(), Format::Tbl | Format::Warehouse) {
            inherited.source(&self.options.source);
        }
        let notes = &mut self.done.notes;
        let metadata = inherited.into_writer(pack.layout, &self.options.metadata, None, notes)?;
        let writer = Writer::tbl(pack, Some(self.total()), metadata)?;
        self.writer = Some(match tables {
            Some(tables) => writer.with_tables(tables),
            None => writer,
        });
        self.document = None;
        Ok(None)
    }

    /// The window that begins with the sample in this place of the output.
    fn window_from(&self, place: u64) -> Window {
        let wants = Wants { payload: true, size: false, record: true };
        let chosen = self.chosen.as_deref();
        let sample = |k: u64| match &self.over {
            // None has the last number that there is.
            Some(over) => over.changes.number(k).unwrap_or(u64::MAX),
            None => chosen.map_or(k, |c| c.get(k as usize).copied().unwrap_or_default().into()),
        };
        Window::fill(
            &self.opened,
            self.over.as_ref(),
            wants,
            self.options.window,
            &mut (place..self.total()).map(sample),
        )
    }
}
