//! The formats that are written, behind one face: samples in order, bytes out at positions.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    Oddities,
    make::{Parts, Ready},
    neighbors::Neighbors,
};
use crate::{
    codec::packed::{Kept, Tables},
    error::{Error, Result, codes},
    sample::record,
    tar::END,
    tbl::{Encoder, MetadataWriter, PackOptions, Patch},
};

/// How many samples were written, and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Samples.
    pub samples: u64,
    /// Bytes of their payloads before compression.
    pub payload_bytes: u64,
    /// Bytes of their payloads as stored.
    pub stored_bytes: u64,
    /// Samples that compression made smaller.
    pub compressed_samples: u64,
}

/// Puts samples behind each other. It keeps positions and metadata and nothing of the payloads: the host writes a
/// sample's [pieces](Ready::pieces) where [`place`](Self::place) says.
#[derive(Debug)]
pub struct Writer {
    target: Target,
    counts: Counts,
    odd: Oddities,
    /// How many JPEGs were not packed, by why.
    unpacked: BTreeMap<Kept, u64>,
}

#[derive(Debug)]
enum Target {
    Tbl(Box<(Encoder, MetadataWriter)>),
    Tar { at: u64, neighbors: Neighbors },
}

impl Writer {
    /// Writes a TBL; `count` is the number of samples, if it is known.
    pub fn tbl(options: PackOptions, count: Option<u64>, metadata: MetadataWriter) -> Result<Self> {
        Ok(Self::new(Target::Tbl(Box::new((Encoder::new(options, count)?, metadata)))))
    }

    /// Writes a TBL into a file to which it costs nothing to get bytes in front, as [`Encoder::moving`] does.
    #[doc(hidden)]
    pub fn moving_tbl(options: PackOptions, metadata: MetadataWriter) -> Result<Self> {
        Ok(Self::new(Target::Tbl(Box::new((Encoder::moving(options)?, metadata)))))
    }

    /// Says what the payloads of a TBL are packed with, if it is not the tables that the library brings.
    #[doc(hidden)]
    #[must_use]
    pub fn with_tables(mut self, tables: Arc<Tables>) -> Self {
        if let Target::Tbl(writers) = self.target {
            let (encoder, metadata) = *writers;
            self.target = Target::Tbl(Box::new((encoder.with_tables(Some(tables)), metadata)));
        }
        self
    }

    /// Writes an archive.
    pub fn tar() -> Self {
        Self::new(Target::Tar { at: 0, neighbors: Neighbors::default() })
    }

    fn new(target: Target) -> Self {
        Writer { target, counts: Counts::default(), odd: Oddities::default(), unpacked: BTreeMap::new() }
    }

    /// Takes the next sample in and says where its pieces go: where those of the sample before end. What it appends to
    /// `spool` waits for [`Patch::Spool`]. In an archive the files of a sample may get other names, and so other pieces.
    pub fn place(&mut self, ready: &mut Ready, spool: &mut Vec<u8>) -> Result<u64> {
        ready.kept.iter().for_each(|e| self.odd.kept(e));
        let payload = ready.content.len() as u64;
        let (at, stored) = match (&mut self.target, &mut ready.parts) {
            (Target::Tbl(writers), Parts::Payload(packed)) => {
                let (encoder, metadata) = &mut **writers;
                let id = encoder.count();
                ready.outside.iter().for_each(|name| self.odd.taken_in(id, name));
                packed.kept.into_iter().for_each(|why| *self.unpacked.entry(why).or_default() += 1);
                // Samples that were left out move the numbers of those behind them.
                let moved =
                    (ready.id != id).then(|| ready.record.as_deref().map(|record| record::renumber(record, id)));
                let record = moved.as_ref().unwrap_or(&ready.record).as_deref();
                let at = encoder.place(packed, metadata.keeps_records() && record.is_some())?;
                metadata.add(record, spool)?;
                (at, packed.stored.len() as u64)
            }
            (Target::Tar { at, neighbors }, parts) => {
                let id = self.counts.samples;
                ready.outside.iter().for_each(|name| self.odd.renamed(id, name));
                if let Parts::Files(files) = parts {
                    let placed = neighbors.place(files, id)?;
                    let (before, now) = (ready.named.take(), placed.renamed);
                    if let Some(named) = before.as_ref().or(now.as_ref()) {
                        let is = now.as_ref().unwrap_or(named);
                        self.odd.numbered(id, &named.was, &is.is);
                    }
                    let (first, last) = (placed.samples.iter().min(), placed.samples.iter().max());
                    if first != last
                        && let Some(file) = files.first()
                    {
                        self.odd.several(id, &file.name);
                    }
                    ready.reads_as = placed.samples;
                }
                let start = *at;
                *at += ready.pieces().map(|piece| piece.len() as u64).sum::<u64>();
                (start, payload)
            }
            (Target::Tbl(_), Parts::Files(_)) => {
                return Err(Error::new(&codes::ARGUMENT, "files of an archive have no place in a TBL"));
            }
        };
        self.counts.samples += 1;
        self.counts.payload_bytes += payload;
        self.counts.stored_bytes += stored;
        self.counts.compressed_samples += u64::from(stored < payload);
        Ok(at)
    }

    /// What was written so far.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// What is worth knowing of the samples so far.
    pub fn notes(&self) -> impl Iterator<Item = String> + use<> {
        let kinds: Vec<String> = self.unpacked.iter().map(|(why, n)| format!("{n} {}", why.name())).collect();
        let kinds = kinds.join(", ");
        let said =
            (!kinds.is_empty()).then(|| format!("JPEGs stored as they are, since they cannot be packed: {kinds}"));
        self.odd.clone().notes().chain(said)
    }

    /// Where the end goes, and what it is: bytes behind the last sample, perhaps none.
    pub fn tail(&self) -> (u64, &'static [u8]) {
        match &self.target {
            Target::Tbl(_) => (0, &[]),
            Target::Tar { at, .. } => (*at, &END),
        }
    }

    /// What makes the file whole, once the [tail](Self::tail) was written.
    pub fn finish(self) -> Result<Vec<Patch>> {
        match self.target {
            Target::Tbl(writers) => writers.0.finish(writers.1.finish()),
            Target::Tar { at, .. } => Ok(vec![Patch::End { len: at + END.len() as u64 }]),
        }
    }
}
