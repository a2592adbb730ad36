//! A Parquet file of images as samples: each row one, its image the payload, what else it says the metadata.

use std::{borrow::Cow, ops::Range, sync::Arc};

use bytes::Bytes;
use forebay::{
    Limits, Result, Step, Stepper,
    doors::{Choice, Door, Fetch, Field, Records, Value},
    formats::Format,
    image::probe,
    sample::MediaFormat,
    step::Pieces,
    table::{DataType, TableFile},
};

use super::{
    images::{Candidate, Images, elsewhere, no_images},
    kept::Shared,
    objects::{self, Objects},
    rows::Rows,
    runs::Walker,
    table::{ParquetOpener, ParquetTable},
    values::Values,
};
use crate::hugging;

/// The field that has the path of an image.
const PATH: &str = "path";
/// Columns that name the sample where images have no path.
const NAMES: [&str; 6] = ["file_name", "filename", "image_name", "image_path", "name", "path"];
/// Columns that have the number of the class, or its name.
const CLASSES: [&str; 8] = ["label", "labels", "class", "cls", "target", "category", "class_id", "label_id"];
/// Columns that have its name.
const WORDS: [&str; 3] = ["class_name", "label_name", "category_name"];
/// Indexes of pages that lie this near to each other are read together.
const NEAR: u64 = 64 << 10;

/// Opens a file of images by its footer; an error that says so if no column holds images.
#[derive(Debug)]
pub struct SamplesOpener {
    limits: Limits,
    kept: Shared,
    pieces: Pieces,
    work: Work,
}

#[derive(Debug)]
enum Work {
    Footer(Box<ParquetOpener>),
    Trying(Box<Trying>),
}

/// The columns that may hold images are tried one by one.
#[derive(Debug)]
struct Trying {
    table: Option<ParquetTable>,
    candidates: Vec<Candidate>,
    /// The one that is tried.
    at: usize,
    images: Option<Images>,
    /// Its indexes of pages are read.
    learned: bool,
    /// The headers that are passed where there is no index, of images and of paths.
    walks: [Option<(usize, Walker)>; 2],
}

impl SamplesOpener {
    /// For a file of this many bytes.
    pub fn new(len: u64, limits: Limits) -> SamplesOpener {
        let footer = Box::new(ParquetOpener::new(len, limits.clone()));
        let kept = Shared::new(&limits);
        SamplesOpener { limits, kept, pieces: Pieces::default(), work: Work::Footer(footer) }
    }
    /// Keeps what it unpacks with that of other files.
    #[must_use]
    pub fn keeping(self, kept: &Shared) -> SamplesOpener {
        SamplesOpener { kept: kept.clone(), ..self }
    }
}

impl Stepper for SamplesOpener {
    type Output = Door;

    fn step(&mut self) -> Result<Step<Door>> {
        loop {
            match &mut self.work {
                Work::Footer(opener) => match opener.step()? {
                    Step::Need(ranges) => return Ok(Step::Need(ranges)),
                    Step::Done(table) => {
                        let candidates = Candidate::all(&table);
                        let walks = [None, None];
                        let trying =
                            Trying { table: Some(table), candidates, at: 0, images: None, learned: false, walks };
                        self.work = Work::Trying(Box::new(trying));
                    }
                },
                Work::Trying(trying) => return trying.step(&mut self.pieces, &self.limits, &self.kept),
            }
        }
    }

    fn push(&mut self, start: u64, bytes: Bytes) {
        if let Work::Footer(opener) = &mut self.work {
            opener.push(start, bytes.clone());
        }
        self.pieces.push(start, bytes);
    }
}

impl Trying {
    fn step(&mut self, pieces: &mut Pieces, limits: &Limits, kept: &Shared) -> Result<Step<Door>> {
        loop {
            let (Some(candidate), Some(table)) = (self.candidates.get(self.at), &self.table) else {
                return Err(no_images());
            };
            let images = match &self.images {
                Some(images) => images,
                None => self.images.insert(candidate.open(table, kept)?),
            };
            let all = || [Some(&images.bytes), images.paths.as_ref()].into_iter().flatten();
            if !self.learned {
                let mut wanted = Vec::new();
                for cells in all() {
                    wanted.extend(cells.indexes()?);
                }
                let lacking: Vec<_> = together(wanted).into_iter().flat_map(|range| pieces.lacking(range)).collect();
                if !lacking.is_empty() {
                    return Ok(Step::Need(lacking));
                }
                all().try_for_each(|cells| cells.learn(pieces))?;
                self.learned = true;
            }
            for (cells, walk) in all().zip(&mut self.walks) {
                if let Some(range) = cells.pass(walk, pieces)? {
                    return Ok(Step::Need(vec![range]));
                }
            }
            if !candidate.told && table.rows() > 0 {
                let range = images.bytes.range(0)?;
                let lacking = pieces.lacking(range.clone());
                if !lacking.is_empty() {
                    return Ok(Step::Need(lacking));
                }
                if !looks_like_images(images, &pieces.expect(range)?) {
                    (self.at, self.images, self.learned, self.walks) = (self.at + 1, None, false, [None, None]);
                    continue;
                }
            }
            let (Some(table), Some(images)) = (self.table.take(), self.images.take()) else { return Err(no_images()) };
            return opened(table, images, (&self.candidates, self.at), limits, kept).map(Step::Done);
        }
    }
}

/// Ranges that lie near to each other as one.
fn together(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut all: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        match all.last_mut() {
            Some(last) if range.start <= last.end.saturating_add(NEAR) => last.end = last.end.max(range.end),
            _ => all.push(range),
        }
    }
    all
}

/// Whether the first values are images; where all are missing, whether they are stored as images are.
fn looks_like_images(images: &Images, bytes: &Bytes) -> bool {
    // What cannot be read is no reason to take another column, and said when it is read.
    let Ok((values, _)) = images.bytes.read(0, bytes) else { return images.paths.is_some() };
    match values.any() {
        Some(first) => probe(first).format != MediaFormat::Unknown,
        None => images.paths.is_some(),
    }
}

/// The samples of a file, once it is known which column has its images.
fn opened(
    table: ParquetTable,
    images: Images,
    (all, chosen): (&[Candidate], usize),
    limits: &Limits,
    kept: &Shared,
) -> Result<Door> {
    let schema = table.schema().clone();
    let number = |candidate: &Candidate| table.shown(candidate.root);
    let other = |(at, candidate): &(usize, &Candidate)| *at != chosen && candidate.told;
    // Their images are files next to the sample's, each read only for those who want them.
    let others: Vec<&Candidate> = all.iter().enumerate().filter(other).map(|(_, candidate)| candidate).collect();
    let own = all.get(chosen).and_then(number);
    let apart: Vec<usize> = others.iter().filter_map(|candidate| number(candidate)).chain(own).collect();
    let columns: Vec<usize> = (0..schema.len()).filter(|column| !apart.contains(column)).collect();
    let fields = || columns.iter().filter_map(|column| schema.fields().get(*column));
    let of_type = |names: &[&str], is: fn(&DataType) -> bool| {
        let found = names.iter().find(|name| fields().any(|field| field.name == **name && is(&field.dtype)));
        found.map(|name| (*name).to_owned())
    };
    let said = table.said().map(str::to_owned);
    let labeled =
        fields().find_map(|field| Some((field.name.clone(), hugging::classes(&field.name, said.as_deref())?)));
    let (labeled, classes) = labeled.map_or((None, Vec::new()), |(name, classes)| (Some(name), classes));
    let class = labeled.clone().or_else(|| of_type(&CLASSES, is_number));
    let word = of_type(&WORDS, is_text).or_else(|| of_type(&CLASSES, is_text));
    let path = if fields().any(|field| field.name == PATH) { format!("{}.{PATH}", images.name) } else { PATH.into() };
    let name = images.paths.as_ref().map(|_| path.clone()).or_else(|| of_type(&NAMES, is_text));
    let payload = Some(images.name.clone());
    let choice = Choice { payload, always: true, is_media: true, name, class, word };
    let mut notes = Vec::new();
    if images.list {
        let name = &images.name;
        notes.push(format!(
            "a row has a list of images in {name}: the first is the sample, the others are files next to it"
        ));
    }
    let boxes = fields().any(|field| field.name == objects::COLUMN).then(|| Objects::new(said.as_deref()));
    if boxes.is_some() {
        notes.push("boxes of objects are read as x, y, width and height in pixels".to_owned());
    }
    let others = others.into_iter().map(|candidate| candidate.open(&table, kept));
    let others = others.collect::<Result<Vec<_>>>()?;
    notes.extend(table.left_out().iter().cloned());
    let rows = Rows::new(table, columns, labeled, kept);
    let records = ParquetSamples { images, path, others, rows, classes, boxes, notes };
    Ok(Door::new(Arc::new(records), choice, limits))
}

fn is_number(dtype: &DataType) -> bool {
    use DataType as T;
    matches!(dtype, T::I8 | T::I16 | T::I32 | T::I64 | T::U8 | T::U16 | T::U32 | T::U64)
}

fn is_text(dtype: &DataType) -> bool {
    matches!(dtype, DataType::String)
}

/// The rows of a file.
#[derive(Debug)]
struct ParquetSamples {
    images: Images,
    /// What the field with the paths is called.
    path: String,
    /// Further columns of images.
    others: Vec<Images>,
    rows: Rows,
    classes: Vec<String>,
    boxes: Option<Objects>,
    notes: Vec<String>,
}

impl ParquetSamples {
    /// The images of a row, the first under the name of their column.
    fn images(images: &Images, i: u64, bytes: &Bytes) -> Result<Vec<Field>> {
        let (values, row) = images.bytes.read(i, bytes)?;
        Ok(Self::among(images, &values, row))
    }

    /// The images of a row that is among these.
    fn among(images: &Images, values: &Values, row: u64) -> Vec<Field> {
        let named = |k: usize| if k == 0 { images.name.clone() } else { format!("{}.{k}", images.name) };
        let of = values.of(row).iter().map(|value| Bytes::copy_from_slice(value.data())).enumerate();
        of.map(|(k, value)| Field::new(named(k), value)).collect()
    }
}

impl Records for ParquetSamples {
    fn format(&self) -> Format {
        Format::Parquet
    }
    fn len(&self) -> u64 {
        self.rows.table().rows()
    }
    fn range(&self, i: u64) -> Result<Range<u64>> {
        self.images.bytes.range(i)
    }
    fn fields(&self, i: u64, bytes: &Bytes, _: bool) -> Result<Vec<Field>> {
        Self::images(&self.images, i, bytes)
    }
    fn field(&self, i: u64, name: &str, bytes: &Bytes, verify: bool) -> Result<Option<Value>> {
        if name != self.images.name {
            let fields = self.fields(i, bytes, verify)?;
            return Ok(fields.into_iter().find(|field| field.name == name).map(|field| field.value));
        }
        let (values, row) = self.images.bytes.read(i, bytes)?;
        let first = values.first(row).filter(|image| !image.is_empty());
        first.map(|image| Some(image.into())).ok_or_else(|| elsewhere(&self.images.name, i, self.images.list))
    }
    fn kept(&self, i: u64) -> Option<Result<Vec<Field>>> {
        let (values, row) = self.images.bytes.known(i)?;
        let fields = Self::among(&self.images, &values, row);
        // What is wrong with a row is said by who reads it.
        (!fields.is_empty()).then_some(Ok(fields))
    }
    /// A row without an image has its metadata all the same.
    fn whole(&self, _: u64, _: &Bytes, _: bool) -> Result<Bytes> {
        Ok(Bytes::new())
    }
    fn beside(&self, i: u64) -> Result<Vec<Range<u64>>> {
        let mut ranges = self.rows.ranges(i)?;
        for cells in self.images.paths.iter().chain(self.others.iter().map(|images| &images.bytes)) {
            if cells.known(i).is_none() {
                ranges.push(cells.range(i)?);
            }
        }
        Ok(ranges)
    }
    fn fields_beside(&self, i: u64, fetch: Fetch<'_>) -> Result<Vec<Field>> {
        let mut fields = self.rows.fields(i, fetch)?;
        if let Some(paths) = &self.images.paths {
            let (values, row) = match paths.known(i) {
                Some(known) => known,
                None => paths.read(i, &fetch(paths.range(i)?)?)?,
            };
            if let Some(path) = values.first(row) {
                let text = String::from_utf8_lossy(&path);
                fields.push(Field::new(&self.path, serde_json::Value::from(text.as_ref())));
            }
        }
        for images in &self.others {
            fields.extend(match images.bytes.known(i) {
                Some((values, row)) => Self::among(images, &values, row),
                None => Self::images(images, i, &fetch(images.bytes.range(i)?)?)?,
            });
        }
        if let Some(boxes) = &self.boxes {
            let objects = fields.iter().find(|field| field.name == objects::COLUMN).map(|field| field.value.to_json());
            fields.extend(objects.map(|objects| boxes.annotations(&objects)).unwrap_or_default());
        }
        Ok(fields)
    }
    fn name(&self, _: u64) -> Option<Cow<'_, str>> {
        None
    }
    fn classes(&self) -> &[String] {
        &self.classes
    }
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}
