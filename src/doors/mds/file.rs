//! The samples of all shards.

use std::{ops::Range, sync::Arc};

use bytes::Bytes;

use super::{shard::Column, value::Values};
use crate::{
    doors::{
        codes,
        field::{Field, Value},
        records::{Records, out_of_range},
    },
    error::{Error, Result},
    formats::Format,
    limits::Limits,
};

/// A shard and where its samples are.
#[derive(Clone, Debug)]
pub(super) struct Shard {
    pub name: String,
    pub start: u64,
    /// The number of its first sample.
    pub first: u64,
    /// Where each sample begins, and where the last ends, from the start of the shard.
    pub offsets: Vec<u32>,
    pub columns: Arc<[Column]>,
}

/// Shards, opened.
#[derive(Clone, Debug)]
pub struct Mds {
    format: Format,
    shards: Vec<Shard>,
    samples: u64,
    faults: Vec<(&'static crate::error::Code, String, Option<String>)>,
    passed: Vec<Arc<Error>>,
    limits: Limits,
}

impl Mds {
    pub(super) fn new(
        format: Format,
        shards: Vec<Shard>,
        samples: u64,
        faults: Vec<Error>,
        passed: Vec<Arc<Error>>,
        limits: &Limits,
    ) -> Mds {
        let faults = faults.iter().map(|e| (e.code(), e.message().to_owned(), e.place().member.clone())).collect();
        Mds { format, shards, samples, faults, passed, limits: limits.clone() }
    }

    fn shard(&self, i: u64) -> Result<&Shard> {
        let at = self.shards.partition_point(|shard| shard.first <= i);
        let shard = at.checked_sub(1).and_then(|at| self.shards.get(at)).filter(|_| i < self.samples);
        shard.ok_or_else(|| out_of_range(i, self.samples))
    }

    /// The content of a column; its errors have the code of the format.
    fn values(&self, column: &Column, bytes: &Bytes) -> Result<Values> {
        let values = column.encoding.values(bytes, &self.limits);
        let coded = |e: Error| match self.format {
            Format::LitData if e.code() == &codes::MDS_SAMPLE => {
                Error::new(&codes::LITDATA_ITEM, e.message().to_owned())
            }
            _ => e,
        };
        values.map_err(|e| coded(e).column(column.name.as_str()))
    }

    /// The columns of sample `i`, each with its bytes.
    fn cut<'a>(&'a self, i: u64, sample: &Bytes) -> Result<Vec<(&'a Column, Bytes)>> {
        let shard = self.shard(i)?;
        let code = if self.format == Format::LitData { &codes::LITDATA_ITEM } else { &codes::MDS_SAMPLE };
        let wrong = |message: String| Error::new(code, message).member(shard.name.as_str());
        let varying = shard.columns.iter().filter(|column| column.size.is_none()).count();
        let (sizes, _) = sample.get(..varying * 4).unwrap_or_default().as_chunks::<4>();
        if sizes.len() != varying {
            return Err(wrong(format!("the sample has {} bytes, too few for {varying} sizes", sample.len())));
        }
        let (mut sizes, mut at) = (sizes.iter().map(|size| u32::from_le_bytes(*size)), varying * 4);
        let mut cut = Vec::with_capacity(shard.columns.len());
        for column in &*shard.columns {
            let size = column.size.or_else(|| sizes.next()).unwrap_or_default();
            let end = usize::try_from(size).ok().and_then(|size| at.checked_add(size));
            let Some(end) = end.filter(|&end| end <= sample.len()) else {
                let message = format!("{size} bytes are announced and {} are left", sample.len() - at);
                return Err(wrong(message).column(column.name.as_str()));
            };
            cut.push((column, sample.slice(at..end)));
            at = end;
        }
        if at != sample.len() {
            return Err(wrong(format!("{} bytes of the sample belong to no column", sample.len() - at)));
        }
        Ok(cut)
    }
}

impl Records for Mds {
    fn format(&self) -> Format {
        self.format
    }
    fn len(&self) -> u64 {
        self.samples
    }
    fn range(&self, i: u64) -> Result<Range<u64>> {
        let shard = self.shard(i)?;
        let at = usize::try_from(i - shard.first).ok();
        let places = at.and_then(|at| Some((*shard.offsets.get(at)?, *shard.offsets.get(at + 1)?)));
        let (start, end) = places.ok_or_else(|| out_of_range(i, self.samples))?;
        Ok(shard.start + u64::from(start)..shard.start + u64::from(end))
    }
    fn fields(&self, i: u64, bytes: &Bytes, _: bool) -> Result<Vec<Field>> {
        let mut fields = Vec::new();
        for (column, bytes) in self.cut(i, bytes)? {
            let values = self.values(column, &bytes)?;
            match values {
                Values::One(value) => fields.push(Field::new(column.name.as_str(), value)),
                Values::List(list) => {
                    let named = list.into_iter().enumerate();
                    fields.extend(named.map(|(k, value)| Field::new(format!("{}.{k}", column.name), value)));
                }
            }
        }
        Ok(fields)
    }
    fn field(&self, i: u64, name: &str, bytes: &Bytes, verify: bool) -> Result<Option<Value>> {
        let cut = self.cut(i, bytes)?;
        if let Some((column, bytes)) = cut.iter().find(|(column, _)| column.name == name) {
            let values = self.values(column, bytes)?;
            if let Values::One(value) = values {
                return Ok(Some(value));
            }
        }
        let fields = self.fields(i, bytes, verify)?;
        Ok(fields.into_iter().find(|field| field.name == name).map(|field| field.value))
    }
    fn whole(&self, _: u64, bytes: &Bytes, _: bool) -> Result<Bytes> {
        Ok(bytes.clone())
    }
    fn notes(&self) -> Vec<String> {
        match self.faults.first() {
            Some((_, message, member)) => {
                vec![format!("{}: {message}; the shards are right", member.as_deref().unwrap_or_default())]
            }
            None => Vec::new(),
        }
    }
    fn passed(&self) -> &[Arc<Error>] {
        &self.passed
    }
    fn faults(&self) -> Vec<Error> {
        let faults = self.faults.iter();
        let error = |code, message: &str, member: &Option<String>| {
            Error::new(code, message).member(member.as_deref().unwrap_or_default())
        };
        faults.map(|(code, message, member)| error(code, message, member)).collect()
    }
}
