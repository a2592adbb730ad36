//! What the samples of a file say of their pictures, gathered from their metadata: ranges in, labels out.

use std::{ops::Range, sync::Arc};

use bytes::Bytes;

use super::{
    opened::Opened,
    overlay::Over,
    read::DocumentReader,
    window::{BYTES, Gate, Wants, Window},
};
use crate::{
    annotations::{
        Labels, ReadOptions,
        record::{Gather, Told},
    },
    error::{Error, Result, codes},
    step::{Pieces, Step, Stepper, Turn},
};

/// Which samples are looked at, and in which order.
#[derive(Debug)]
enum Order {
    All(u64),
    Chosen(Vec<u32>),
    #[cfg_attr(not(feature = "overlay"), allow(dead_code, reason = "then nobody can make one"))]
    Over(Over),
}

impl Order {
    fn len(&self) -> u64 {
        match self {
            Order::All(len) => *len,
            Order::Chosen(chosen) => chosen.len() as u64,
            Order::Over(over) => over.changes.samples(),
        }
    }

    /// The number of the sample in a place; none has the last number that there is.
    fn at(&self, place: u64) -> u64 {
        let chosen = |chosen: &Vec<u32>| Some(u64::from(*chosen.get(usize::try_from(place).ok()?)?));
        match self {
            Order::All(_) => Some(place),
            Order::Chosen(all) => chosen(all),
            Order::Over(over) => over.changes.number(place),
        }
        .unwrap_or(u64::MAX)
    }
}

/// Gathers labels: [`step`](Self::step), do what it says, and when it is done [`finish`](Self::finish).
///
/// A TBL's metadata that has to be read as a whole is read once, and held. Pictures of an archive are looked at for their sizes
/// only if nothing else tells these.
#[derive(Debug)]
pub struct Labeled {
    opened: Arc<Opened>,
    options: ReadOptions,
    order: Order,
    document: Option<DocumentReader>,
    gate: Gate,
    gather: Option<Gather>,
    window: Option<Window>,
    /// The places of the window's samples, and how many of them were looked at.
    first: u64,
    looked: usize,
    /// What came for the document, which is of use to the rest.
    section: Pieces,
}

impl Labeled {
    /// For the samples `chosen`, in that order, or all.
    pub fn new(opened: Arc<Opened>, options: ReadOptions, chosen: Option<Vec<u32>>) -> Result<Labeled> {
        let len = opened.dataset.len();
        if let Some(i) = chosen.iter().flatten().find(|&&i| u64::from(i) >= len) {
            let message = format!("there are {len} samples, so none has the number {i}");
            return Err(Error::new(&codes::OUT_OF_RANGE, message).sample((*i).into()));
        }
        Ok(Self::of(opened, options, chosen.map_or(Order::All(len), Order::Chosen)))
    }

    /// For the samples of a file of `file_len` bytes with what changes there are over it. The bytes of samples that are not in
    /// the file follow those of the file.
    #[cfg(feature = "overlay")]
    pub fn over(opened: Arc<Opened>, options: ReadOptions, file_len: u64, changes: Arc<dyn super::Overlay>) -> Labeled {
        Self::of(opened, options, Order::Over(Over::new(changes, file_len)))
    }

    fn of(opened: Arc<Opened>, options: ReadOptions, order: Order) -> Labeled {
        Labeled {
            gate: Gate::new(&opened, true),
            document: Some(DocumentReader::new(opened.clone())),
            opened,
            options,
            order,
            gather: None,
            window: None,
            first: 0,
            looked: 0,
            section: Pieces::default(),
        }
    }

    /// Does what the available bytes allow; now and then it only says that some samples were looked at.
    pub fn step(&mut self) -> Result<Turn<()>> {
        if let Some(document) = &mut self.document {
            let fields = match document.step()? {
                Step::Need(ranges) => return Ok(Turn::Need(ranges)),
                Step::Done(fields) => fields,
            };
            let fields = match &self.order {
                Order::Over(over) => over.changes.document(fields)?,
                _ => fields,
            };
            self.gather = Some(Gather::new(&self.options, &fields)?);
            self.document = None;
        }
        while let Some(need) = self.gate.step(&self.opened)? {
            let lacking = self.known(need, |this, start, bytes| drop(this.gate.push(start, bytes)));
            if !lacking.is_empty() {
                return Ok(Turn::Need(lacking));
            }
        }
        let mut window = match self.window.take() {
            Some(window) => window,
            None if self.first >= self.order.len() => return Ok(Turn::Done),
            None => {
                let wants = Wants { record: true, ..Wants::default() };
                let mut places = (self.first..self.order.len()).map(|place| self.order.at(place));
                let over = match &self.order {
                    Order::Over(over) => Some(over),
                    _ => None,
                };
                Window::fill(&self.opened, over, wants, BYTES, &mut places)
            }
        };
        let mut lacking = Vec::new();
        for range in window.lacking() {
            match self.section.get(range.clone()) {
                Some(bytes) => window.push(range.start, bytes),
                None => lacking.push(range),
            }
        }
        if lacking.is_empty() {
            lacking = self.look(&mut window)?;
        }
        if !lacking.is_empty() {
            self.window = Some(window);
            return Ok(Turn::Need(lacking));
        }
        self.first += window.samples.len() as u64;
        self.looked = 0;
        Ok(Turn::Item(()))
    }

    /// Hands over what is here already; what is not.
    fn known(&mut self, need: Vec<Range<u64>>, push: fn(&mut Self, u64, Bytes)) -> Vec<Range<u64>> {
        let mut lacking = Vec::new();
        for range in need {
            match self.section.get(range.clone()) {
                Some(bytes) => push(self, range.start, bytes),
                None => lacking.push(range),
            }
        }
        lacking
    }

    /// Looks at the samples of a window; what else it needs for that.
    fn look(&mut self, window: &mut Window) -> Result<Vec<Range<u64>>> {
        while let Some(sample) = window.samples.get(self.looked).copied() {
            let place = self.first + self.looked as u64;
            let needs = self.sample(window, sample, place).map_err(|e| e.sample(sample))?;
            if needs {
                window.want_sizes();
                let lacking = window.lacking();
                if !lacking.is_empty() {
                    return Ok(lacking);
                }
                continue;
            }
            self.looked += 1;
        }
        Ok(Vec::new())
    }

    /// Looks at the sample in a place. Whether it needs its size for that, and nothing was done.
    fn sample(&mut self, window: &Window, sample: u64, place: u64) -> Result<bool> {
        let Some(gather) = &mut self.gather else { return Ok(false) };
        let info = window.info(sample)?;
        let mut told: Told = match window.quickly(sample, |text| gather.quick(text))? {
            Some(told) => told,
            None => {
                let record = window.record(sample, place)?.unwrap_or_default();
                match gather.slow(&record, Some((info.width, info.height))) {
                    // Perhaps only for want of it.
                    Err(_) if !window.knows_size(sample) => return Ok(true),
                    told => told?,
                }
            }
        };
        if told.needs_size() && !window.knows_size(sample) {
            return Ok(true);
        }
        // The name that a change gave it, or that of the file.
        let name = match self.opened.dataset.name(sample, None) {
            Some(name) if !window.is_changed(sample) => Some(name.to_owned()),
            _ => told.name.take(),
        };
        gather.add(place, told, name, info.format, (info.width, info.height))?;
        Ok(false)
    }

    /// Bytes from `start` on.
    pub fn push(&mut self, start: u64, bytes: Bytes) {
        if let Some(document) = &mut self.document {
            self.section.push(start, bytes.clone());
            return document.push(start, bytes);
        }
        let Some(bytes) = self.gate.push(start, bytes) else { return };
        if let Some(window) = &mut self.window {
            window.push(start, bytes);
        }
    }

    /// Samples looked at so far.
    pub fn done(&self) -> u64 {
        self.gather.as_ref().map_or(0, |gather| gather.len() as u64)
    }

    /// Samples in all.
    pub fn total(&self) -> u64 {
        self.order.len()
    }

    /// The labels.
    pub fn finish(self) -> Result<Labels> {
        match self.gather {
            Some(gather) => gather.finish(),
            None => Err(Error::new(&codes::MISSING_BYTES, "the samples were not looked at to their end")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{samples::Opener, step::drive, tar};

    /// A bitmap of that size, as far as its header says.
    fn bitmap(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = b"BM".to_vec();
        bytes.extend([0; 8]);
        for value in [54u32, 40, width, height, 1 | 24 << 16, 0, 0, 0, 0, 0, 0] {
            bytes.extend(value.to_le_bytes());
        }
        bytes.resize(700, 7);
        bytes
    }

    fn archive(files: &[(&str, Vec<u8>)]) -> Bytes {
        let mut bytes = Vec::new();
        for (name, content) in files {
            bytes.extend(tar::header_for(name, content.len() as u64).unwrap());
            bytes.extend(content);
            bytes.resize(bytes.len() + tar::padding(content.len() as u64), 0);
        }
        bytes.extend(tar::END);
        bytes.into()
    }

    fn said(more: &str) -> Vec<u8> {
        format!(r#"{{{more}"annotations_format":"forebay.1","annotations":[{{"class":"a","xmin":1,"ymin":1,"xmax":2,"ymax":2}}]}}"#)
            .into_bytes()
    }

    /// The labels, and how many bytes were asked for.
    fn gathered(file: &Bytes, chosen: Option<Vec<u32>>) -> Result<(Labels, u64)> {
        let dataset = drive(Opener::new(file.len() as u64), file)?;
        let opened = Arc::new(Opened::new(dataset, crate::Limits::default(), None));
        let mut work = Labeled::new(opened, ReadOptions::default(), chosen)?;
        let mut read = 0;
        loop {
            match work.step()? {
                Turn::Need(ranges) => ranges.into_iter().for_each(|range| {
                    read += range.end - range.start;
                    work.push(range.start, file.slice(range.start as usize..range.end as usize));
                }),
                Turn::Item(()) => {}
                Turn::Done => return Ok((work.finish()?, read)),
            }
        }
    }

    #[test]
    fn pictures_are_looked_at_only_where_nothing_else_tells_their_size() {
        let sized = said(r#""annotations_size":[9,8],"#);
        let told = sized.len() as u64;
        let all = archive(&[("a.bmp", bitmap(3, 4)), ("a.json", sized.clone())]);
        let (labels, read) = gathered(&all, None).unwrap();
        assert_eq!((labels.pictures[0].size(), read), (Some((9, 8)), told));
        let files = [("a.bmp", bitmap(3, 4)), ("a.json", sized), ("b.bmp", bitmap(5, 6)), ("b.json", said(""))];
        let (labels, read) = gathered(&archive(&files), None).unwrap();
        let sizes: Vec<_> = labels.pictures.iter().map(|picture| (picture.name.as_str(), picture.size())).collect();
        assert_eq!(sizes, [("a.bmp", Some((9, 8))), ("b.bmp", Some((5, 6)))]);
        assert_eq!(labels.annotations(), 2);
        assert_eq!(read, told + files[3].1.len() as u64 + 1400);
        let (labels, _) = gathered(&archive(&files), Some(vec![1])).unwrap();
        assert_eq!(labels.pictures.len(), 1);
        assert_eq!(gathered(&archive(&files), Some(vec![2])).unwrap_err().code(), &codes::OUT_OF_RANGE);
    }

    #[test]
    fn shares_wait_for_the_size_and_samples_that_say_nothing_are_not_labeled() {
        let lines = ("a.txt", b"0 0.5 0.5 1 1\n".to_vec());
        let files = [("a.bmp", bitmap(30, 40)), lines, ("b.bmp", bitmap(5, 6))];
        let (labels, _) = gathered(&archive(&files), None).unwrap();
        let [a, b] = &labels.pictures[..] else { panic!("{labels:?}") };
        assert_eq!((a.annotations[0].rect.x1, a.annotations[0].rect.y1, a.unlabelled), (30.0, 40.0, false));
        assert_eq!((b.size(), b.unlabelled), (Some((5, 6)), true));
        let none = gathered(&archive(&files[2..]), None).unwrap_err();
        assert_eq!(none.code().id(), "label.format");
    }
}
