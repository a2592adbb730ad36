//! Targets made ready: what is refused when a loader is built, and what every sample gets.

use std::{path::PathBuf, sync::Arc};

use bytes::BytesMut;
use forebay::{Error, Limits, Result, annotations::Raster, image::transform::Placement, order::Item, words::Word};

use super::{
    Cell, Origin, Target, TargetKind,
    column::{Column, Number, Pad},
    field::{self, Field},
    instances::Lay,
    marks::{Marks, Place},
    other::{ByName, OtherImage, OtherImages, Seen, geometry},
    values::{Classes, Collect, Write},
};
use crate::{
    OpenOptions,
    loader::{
        Dtype, Image, codes,
        content::Content,
        labels::{Resolver, item, refuse_twice},
        sources::Sources,
    },
};

/// Whole numbers up to here are exact as floats.
const EXACT: f64 = 9_007_199_254_740_992.0;
/// Places for objects unless the target says otherwise.
const PLACES: usize = 16;

/// What targets need to know of their loader.
#[derive(Debug)]
pub(in crate::loader) struct Terms<'a> {
    pub paths: &'a [PathBuf],
    pub open: &'a OpenOptions,
    pub orient: bool,
    pub workers: usize,
    /// How pictures are placed on tensors, if they are.
    pub image: Option<&'a Image>,
    pub dtype: Dtype,
    /// Samples come from warehouses, and have no pictures.
    pub stored: bool,
    /// Batches have sizes of their own.
    pub groups: bool,
    /// Batches are as large as their largest picture.
    pub padded: bool,
}

/// The targets of a loader.
#[derive(Debug, Default)]
pub(in crate::loader) struct Ready {
    targets: Vec<One>,
    pub columns: Vec<Column>,
    needs_record: bool,
    is_marked: bool,
    is_seen: bool,
    limits: Limits,
}

#[derive(Debug)]
struct One {
    name: String,
    kind: TargetKind,
    columns: std::ops::Range<usize>,
    make: Make,
    /// Whether a mask is written with its values, which are brought to one length.
    padded: bool,
    optional: bool,
    missing: Option<f64>,
    classes: Classes,
    /// The names of the classes, in the order of their numbers.
    names: Vec<String>,
}

#[derive(Debug)]
enum Make {
    Class(Box<Resolver>),
    Field(Field),
    Marks(Arc<Marks>, Lay),
    OtherImage(OtherImage),
}

/// What is known of the targets before.
#[derive(Debug, Default)]
struct Known<'a> {
    /// Label files that were read, by where they are.
    marks: Vec<(Place<'a>, Arc<Marks>)>,
    /// How many views there are.
    views: u64,
}

impl Ready {
    /// Refuses targets that say nothing, contradict the other settings, or that no sample has.
    pub fn new(wanted: &[(String, Target)], terms: &Terms<'_>, sources: &Sources) -> Result<Ready> {
        let mut ready = Ready { limits: terms.open.limits.clone(), ..Ready::default() };
        let mut known = Known::default();
        for (name, target) in wanted {
            if name.is_empty() || ready.targets.iter().any(|one| one.name == *name) {
                return refuse(format!("two targets have the name {name:?}, or it is empty"));
            }
            target.check(terms).map_err(|why| Error::new(&codes::SETTINGS, format!("the target {name:?}: {why}")))?;
            let one = One::new(name, target, terms, sources, &mut known)?;
            let columns = target.columns(&one, terms);
            let first = ready.columns.len();
            ready.columns.extend(columns);
            ready.needs_record |= matches!(&one.make, Make::Field(field) if field.needs_record());
            ready.is_marked |= target.kind.is_marked();
            ready.is_seen |= target.kind.is_picture();
            ready.targets.push(One { columns: first..ready.columns.len(), ..one });
        }
        Ok(ready)
    }

    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }
    /// Whether some are about where the picture was placed.
    pub fn is_marked(&self) -> bool {
        self.is_marked
    }
    /// Whether some are pictures.
    pub fn is_seen(&self) -> bool {
        self.is_seen
    }
    /// Whether some are pictures of other datasets.
    pub fn has_other_pictures(&self) -> bool {
        self.targets.iter().any(|one| matches!(one.kind, TargetKind::Picture | TargetKind::LabelMap))
    }
    /// What a worker needs for these.
    pub fn others(&self) -> OtherImages {
        OtherImages::new(
            self.targets.iter().map(|one| if let Make::OtherImage(other) = &one.make { Some(other) } else { None }),
        )
    }
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.targets.iter().map(|one| one.name.as_str())
    }
    /// The kind of a target, and its columns.
    pub fn columns_of(&self, name: &str) -> Option<(TargetKind, std::ops::Range<usize>)> {
        self.targets.iter().find(|one| one.name == name).map(|one| (one.kind, one.columns.clone()))
    }
    /// The classes of a target, in the order of their numbers.
    pub fn classes_of(&self, name: &str) -> Vec<&str> {
        let one = self.targets.iter().find(|one| one.name == name);
        match one.map(|one| (&one.make, &one.names)) {
            Some((Make::Class(resolver), _)) => resolver.names(),
            Some((Make::Marks(marks, _), _)) => marks.classes.iter().map(String::as_str).collect(),
            Some((_, names)) => names.iter().map(String::as_str).collect(),
            None => Vec::new(),
        }
    }

    /// Fills the cells of a sample with what does not depend on its picture.
    pub fn read(&self, sources: &Sources, item: &Item, buffer: &mut BytesMut, cells: &mut [Cell]) -> Result<()> {
        for one in &self.targets {
            if let (Make::Class(resolver), Some(cell)) = (&one.make, cells.get_mut(one.columns.start)) {
                let class = resolver.of(sources, item, buffer).map_err(|e| one.named(e))?;
                cell.integers().fill(class);
            }
        }
        let (dataset, item) = sources.in_file(item)?;
        let record = if self.needs_record { field::record(dataset, &item, buffer)? } else { None };
        for one in &self.targets {
            if let (Make::Field(field), Some(cell)) = (&one.make, cells.get_mut(one.columns.start)) {
                let wrote = one.write(field, &item, record.as_ref().map(|record| record.as_str()), cell);
                wrote.map_err(|e| e.file(dataset.name()).sample(item.sample))?;
                if one.padded
                    && let Some([values, mask]) = cells.get_mut(one.columns.clone())
                {
                    mask.grow(values.len());
                    mask.bytes().fill(1);
                }
            }
        }
        Ok(())
    }

    /// Fills the cells of a sample with other pictures of it.
    pub fn see(
        &self,
        seen: &Seen<'_>,
        others: &mut OtherImages,
        decoder: &mut forebay::image::decode::Decoder,
        cells: &mut [Cell],
    ) -> Result<()> {
        for (number, one) in self.targets.iter().enumerate() {
            let (Make::OtherImage(other), Some(cell)) = (&one.make, cells.get_mut(one.columns.start)) else { continue };
            let found = others.fill(number, other, seen, decoder, cell).map_err(|e| {
                match *e.code() == codes::TARGET_VALUE {
                    true => one.fault(&codes::TARGET_VALUE, e.message()),
                    false => e,
                }
            })?;
            if !found {
                if !one.optional {
                    return Err(one.fault(&codes::TARGET_MISSING, "no image has the sample's name"));
                }
                cell.clear();
            }
        }
        Ok(())
    }

    /// Fills the cells of a sample with what is marked in its picture, which was placed.
    pub fn place(
        &self,
        sources: &Sources,
        item: &Item,
        placed: (&Placement, (u32, u32)),
        cells: &mut [Cell],
        raster: &mut Raster,
    ) -> Result<()> {
        self.clear_marks(cells);
        self.check_marks(sources, item, placed.1)?;
        self.add_marks(item, placed, cells, (raster, false));
        Ok(())
    }

    /// Forgets what was marked.
    pub fn clear_marks(&self, cells: &mut [Cell]) {
        for one in &self.targets {
            if let Make::Marks(_, lay) = &one.make {
                lay.clear(cells.get_mut(one.columns.clone()).unwrap_or_default());
            }
        }
    }

    /// Adds what is marked in a picture, which was placed. Of a faint one, over which another lies, no classes are drawn.
    pub fn add_marks(
        &self,
        item: &Item,
        (placement, size): (&Placement, (u32, u32)),
        cells: &mut [Cell],
        (raster, is_faint): (&mut Raster, bool),
    ) {
        for one in &self.targets {
            let Make::Marks(marks, lay) = &one.make else { continue };
            if !(is_faint && lay.kind == TargetKind::Semantic) {
                let found = marks.of(item.source, item.sample).unwrap_or_default();
                lay.add(found, placement, size, cells.get_mut(one.columns.clone()).unwrap_or_default(), raster);
            }
        }
    }

    /// Refuses a picture that nobody labeled, and one with more than is reasonable.
    pub fn check_marks(&self, sources: &Sources, item: &Item, size: (u32, u32)) -> Result<()> {
        for one in &self.targets {
            let Make::Marks(marks, lay) = &one.make else { continue };
            let found = marks.of(item.source, item.sample);
            if found.is_none() && !one.optional {
                let dataset = sources.of(item)?;
                let e = one.fault(&codes::TARGET_MISSING, "nobody has labeled the image");
                return Err(e.file(dataset.name()).sample(item.sample));
            }
            let found = found.unwrap_or_default();
            if lay.places.is_none() {
                // However many there are, they must be a reasonable amount together.
                let each = if lay.kind == TargetKind::Masks { u64::from(size.0) * u64::from(size.1) } else { 64 };
                self.limits.item(each.saturating_mul(found.len() as u64))?;
            }
        }
        Ok(())
    }
}

impl One {
    fn new<'a>(
        name: &str,
        target: &'a Target,
        terms: &Terms<'_>,
        sources: &Sources,
        known: &mut Known<'a>,
    ) -> Result<One> {
        let mut one = One {
            name: name.to_owned(),
            kind: target.kind,
            columns: 0..0,
            make: Make::Field(Field::Path(Vec::new())),
            padded: target.pad.is_some(),
            optional: target.optional,
            missing: target.missing,
            classes: Classes::default(),
            names: Vec::new(),
        };
        one.make = one.find(target, terms, sources, known)?;
        if let (TargetKind::MultiHot, Make::Field(field)) = (one.kind, &one.make) {
            let (names, count) = several(field, target, sources)?;
            refuse_twice(&names)?;
            one.classes = Classes { names: names.iter().cloned().zip(0..).collect(), count };
            one.names = names;
        }
        Ok(one)
    }

    /// Where its values come from.
    fn find<'a>(
        &mut self,
        target: &'a Target,
        terms: &Terms<'_>,
        sources: &Sources,
        known: &mut Known<'a>,
    ) -> Result<Make> {
        let nowhere = |what: &str| Err(one_nowhere(&self.name, what));
        Ok(match &target.from {
            Origin::Wrong(why) => return Err(Error::new(&forebay::error::codes::ARGUMENT, why.clone())),
            Origin::Labels(labels) => {
                let mut labels = labels.clone();
                if let Some(names) = &target.classes {
                    labels = labels.classes(names.clone());
                }
                if target.optional {
                    labels = labels.missing(target.missing.map_or(-1, |number| number as i64));
                }
                let resolver = Resolver::new(Some(&labels), sources)?;
                if !resolver.is_anywhere(sources) {
                    return nowhere("has a label");
                }
                Make::Class(Box::new(resolver))
            }
            Origin::Field(path) => {
                let field = Field::path(path)?;
                if !is_anywhere(&field, sources)? {
                    return nowhere(&format!("has the field {path}"));
                }
                Make::Field(field)
            }
            Origin::Table { path, key, column } => {
                let field = Field::table((path, key, column), target.optional, sources)?;
                if !is_anywhere(&field, sources)? {
                    return nowhere(&format!("has a value in the column {column:?}"));
                }
                Make::Field(field)
            }
            Origin::View(image) => {
                forebay::image::transform::Transformer::new((**image).clone())?;
                Content::Images(image.clone()).check(terms.dtype)?;
                let number = known.views + 1;
                known.views = number;
                Make::OtherImage(OtherImage::View(image.clone(), number))
            }
            Origin::Pictures(path) => {
                let beside = ByName::open(path, terms.open, sources)?;
                if !beside.any() {
                    return nowhere(&format!("has the name of an image in {}", crate::input::display(path)));
                }
                let image = Box::new(terms.image.cloned().unwrap_or_else(|| Image::new(1, 1)));
                Make::OtherImage(match target.kind {
                    TargetKind::Picture => OtherImage::Picture(image, beside),
                    _ => {
                        forebay::image::transform::Transformer::new(geometry(&image))?;
                        OtherImage::LabelMap(image, beside)
                    }
                })
            }
            Origin::Marks { path, format } => {
                let from = (path, *format);
                let before = known.marks.iter().find(|(known, _)| *known == from).map(|(_, marks)| marks.clone());
                let how = (terms.open, terms.orient, terms.workers);
                let marks = match before {
                    Some(marks) => marks,
                    None => Arc::new(Marks::read(from, (terms.paths, sources.datasets()), how)?),
                };
                known.marks.push((from, marks.clone()));
                if !marks.any() {
                    let what = match path {
                        Some(path) => format!("is named by {}", crate::input::display(path)),
                        None => "has annotations in its metadata".to_owned(),
                    };
                    return nowhere(&what);
                }
                self.mark(marks, target)?
            }
        })
    }

    fn mark(&self, marks: Arc<Marks>, target: &Target) -> Result<Make> {
        if self.kind == TargetKind::Semantic && marks.classes.len() > 254 {
            return refuse(format!("an image of classes has at most 254 of them, and not {}", marks.classes.len()));
        }
        if self.kind == TargetKind::Keypoints && marks.points == 0 {
            return Err(one_nowhere(&self.name, "has a key point"));
        }
        let places = target.shape.as_ref().and_then(|shape| shape.first()).copied().unwrap_or(PLACES);
        let places = if target.ragged || target.pad.is_some() { None } else { Some(places) };
        let lay = Lay { kind: self.kind, places, points: marks.points };
        Ok(Make::Marks(marks, lay))
    }

    fn fault(&self, code: &'static forebay::error::Code, why: &str) -> Error {
        Error::new(code, format!("the target {:?}: {why}", self.name))
    }
    /// A label's error, with the target's name.
    fn named(&self, e: Error) -> Error {
        if *e.code() != codes::LABEL {
            return e;
        }
        let place = e.place().clone();
        let mut named = self.fault(&codes::LABEL, e.message());
        if let Some(file) = place.file {
            named = named.file(file);
        }
        match place.sample {
            Some(sample) => named.sample(sample),
            None => named,
        }
    }

    /// Writes a sample's value into its cell.
    fn write(&self, field: &Field, item: &Item, record: Option<&str>, cell: &mut Cell) -> Result<()> {
        let wanted = match cell {
            Cell::Dense(_) if self.kind == TargetKind::Ints => Some(cell.integers().len()),
            Cell::Dense(_) if self.kind == TargetKind::Floats => Some(cell.floats().len()),
            _ => None,
        };
        let mut write = Write::new(self.kind, &self.classes, cell);
        let read = field.read(item, record, &mut write);
        let (found, taken, fault) = (write.found, write.taken, write.fault);
        read?;
        if let Some(why) = fault {
            return Err(self.fault(&codes::TARGET_VALUE, &why));
        }
        if !found {
            if !self.optional {
                return Err(self.fault(&codes::TARGET_MISSING, "the sample has none"));
            }
            cell.clear();
            if let (Some(number), Cell::Dense(_)) = (self.missing, &cell) {
                match self.kind {
                    TargetKind::Int | TargetKind::Ints => cell.integers().fill(number as i64),
                    _ => cell.floats().fill(number as f32),
                }
            }
            return Ok(());
        }
        match wanted {
            Some(wanted) if wanted != taken => {
                Err(self.fault(&codes::TARGET_VALUE, &format!("it has {taken} numbers instead of {wanted}")))
            }
            _ => Ok(()),
        }
    }
}

fn refuse<T>(message: String) -> Result<T> {
    Err(Error::new(&codes::SETTINGS, message))
}

fn one_nowhere(name: &str, what: &str) -> Error {
    Error::new(&codes::TARGET, format!("no sample has the target {name:?}: none {what}"))
}

/// Whether any sample has a value.
fn is_anywhere(field: &Field, sources: &Sources) -> Result<bool> {
    let mut buffer = BytesMut::new();
    for (source, dataset) in sources.datasets().iter().enumerate() {
        for i in 0..dataset.len() {
            let (item, mut leaf) = (item(source, i), Collect::default());
            let mut look = || -> Result<()> {
                let record = if field.needs_record() { field::record(dataset, &item, &mut buffer)? } else { None };
                field.read(&item, record.as_ref().map(|record| record.as_str()), &mut leaf)
            };
            // A broken sample is one for the policy, later.
            if look().is_ok() && leaf.found {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// The classes of a target that has several: as they are listed, or else all that occur.
fn several(field: &Field, target: &Target, sources: &Sources) -> Result<(Vec<String>, usize)> {
    let count = target.shape.as_ref().and_then(|shape| shape.first()).copied();
    if let Some(names) = &target.classes {
        return Ok((names.clone(), count.unwrap_or(names.len()).max(names.len())));
    }
    if let Some(count) = count {
        return Ok((Vec::new(), count));
    }
    let mut all = Collect::default();
    for (source, dataset) in sources.datasets().iter().enumerate() {
        let blocks = dataset.in_blocks(|range| {
            let (mut found, mut buffer) = (Collect::default(), BytesMut::new());
            for i in range {
                let item = item(source, i);
                let mut look = || -> Result<()> {
                    let record = if field.needs_record() { field::record(dataset, &item, &mut buffer)? } else { None };
                    field.read(&item, record.as_ref().map(|record| record.as_str()), &mut found)
                };
                // A broken sample is one for the policy, later.
                let _ = look();
            }
            Ok(found)
        })?;
        for block in blocks {
            all.names.extend(block.names);
            all.greatest = all.greatest.max(block.greatest);
        }
    }
    match (all.names.is_empty(), all.greatest) {
        (false, _) => {
            let names: Vec<String> = all.names.into_iter().collect();
            let count = names.len();
            Ok((names, count))
        }
        (true, Some(greatest)) if (0..MOST_CLASSES).contains(&greatest) => Ok((Vec::new(), greatest as usize + 1)),
        _ => {
            refuse("its classes are not known: list them with `classes`, or say how many there are with `shape`".into())
        }
    }
}

/// The most classes that are counted by their greatest number, which may be a mistake.
const MOST_CLASSES: i64 = 1 << 20;

impl Target {
    /// What is wrong with it as a setting.
    fn check(&self, terms: &Terms<'_>) -> Result<(), String> {
        let (kind, word) = (self.kind, self.kind.word());
        let takes = |what: &str, takes: bool| match takes {
            true => Ok(()),
            false => Err(format!("`{what}` means nothing for a target of the kind {word}")),
        };
        if self.shape.is_some() {
            takes("shape", kind == TargetKind::MultiHot || kind.may_be_ragged() && !self.ragged && self.pad.is_none())?;
        }
        if let Some(pad) = &self.pad {
            takes("padded", (kind.may_be_ragged() || kind == TargetKind::Text) && !self.ragged)?;
            self.check_pad(pad)?;
        }
        if self.ragged {
            takes("ragged", kind.may_be_ragged())?;
        }
        if self.classes.is_some() {
            takes("classes", matches!(kind, TargetKind::Class | TargetKind::MultiHot))?;
        }
        let is_dense = self.shape.is_some();
        if self.missing.is_some() {
            takes(
                "missing",
                matches!(kind, TargetKind::Class | TargetKind::Int | TargetKind::Float)
                    || matches!(kind, TargetKind::Ints | TargetKind::Floats) && is_dense,
            )?;
        }
        if let Some(number) = self.missing.filter(|_| !matches!(kind, TargetKind::Float | TargetKind::Floats))
            && number != (number as i64) as f64
        {
            return Err(format!("its numbers are whole, and `missing` is {number}"));
        }
        let single = kind.is_marked() || kind == TargetKind::MultiHot;
        if self.shape.as_ref().is_some_and(|shape| shape.contains(&0) || shape.is_empty() || single && shape.len() > 1)
        {
            return Err(format!("{:?} is not a shape for it", self.shape.clone().unwrap_or_default()));
        }
        if kind.is_picture() {
            return match kind {
                _ if terms.stored => Err("the samples of a warehouse are tensors, which have no other image".into()),
                TargetKind::View => Ok(()),
                _ if terms.image.is_none() => Err("it is placed as the sample's own image, so it needs `image`".into()),
                _ if terms.groups => {
                    Err("`groups` give batches sizes of their own, which it does not follow yet".into())
                }
                _ if terms.padded => {
                    Err("`padded` gives batches sizes of their own, which it does not follow yet".into())
                }
                _ => Ok(()),
            };
        }
        if !kind.is_marked() {
            return match &self.from {
                Origin::Marks { .. } => Err(format!("a target of the kind {word} is not read from label files")),
                _ => Ok(()),
            };
        }
        if !matches!(self.from, Origin::Marks { .. } | Origin::Wrong(_)) {
            return Err(format!(
                "a target of the kind {word} is read from label files, or from annotations in metadata"
            ));
        }
        if terms.paths.is_empty() {
            return Err(
                "label files find images by the names of their files, and these datasets were open already: give \
                 their paths to Loader::open"
                    .into(),
            );
        }
        match terms.image {
            None => Err("it follows images onto their tensors, so it needs `image`".into()),
            Some(_) if (terms.groups || terms.padded) && matches!(kind, TargetKind::Masks | TargetKind::Semantic) => {
                let what = if terms.groups { "`groups` give" } else { "`padded` gives" };
                Err(format!("{what} batches sizes of their own, which masks do not follow yet"))
            }
            Some(_) => Ok(()),
        }
    }

    /// What is wrong with how it is padded.
    fn check_pad(&self, Pad { fill, longest, multiple }: &Pad) -> Result<(), String> {
        if *longest == 0 {
            return Err("`longest` of `padded` must be at least 1".into());
        }
        if *multiple == 0 || multiple > longest {
            return Err(format!("`multiple` ({multiple}) must be from 1 to `longest` ({longest})"));
        }
        let whole = fill.fract() == 0.0;
        let fits = match self.kind {
            TargetKind::Ints => whole && fill.abs() <= EXACT,
            TargetKind::Text | TargetKind::Masks => whole && (0.0..=255.0).contains(fill),
            _ => !fill.is_finite() || (*fill as f32).is_finite(),
        };
        if fits { Ok(()) } else { Err(format!("{fill} is not a value that it can hold, so it cannot fill a gap")) }
    }

    /// Its columns, the values first.
    fn columns(&self, one: &One, terms: &Terms<'_>) -> Vec<Column> {
        let (width, height) = terms.image.map_or((0, 0), |image| (image.width as usize, image.height as usize));
        let tensor = |image: &Image| {
            let number = match terms.dtype {
                Dtype::U8 => Number::U8,
                Dtype::F16 => Number::F16,
                Dtype::F32 => Number::F32,
            };
            vec![Column::dense("", number, &image.layout.shape(image.width as usize, image.height as usize))]
        };
        let numbers = |number| match (&self.shape, self.pad) {
            (Some(shape), _) => vec![Column::dense("", number, shape)],
            (None, Some(pad)) => {
                vec![Column::padded("", number, &[], pad), Column::padded("mask", Number::U8, &[], pad.with(0.0))]
            }
            (None, None) => vec![Column::ragged("", number, &[])],
        };
        let (number, row) = match self.kind {
            TargetKind::Class | TargetKind::Int => return vec![Column::dense("", Number::I64, &[])],
            TargetKind::Float => return vec![Column::dense("", Number::F32, &[])],
            TargetKind::Ints => return numbers(Number::I64),
            TargetKind::Floats => return numbers(Number::F32),
            TargetKind::MultiHot => return vec![Column::dense("", Number::F32, &[one.classes.count])],
            TargetKind::Text => return numbers(Number::U8),
            TargetKind::View | TargetKind::Picture => {
                return if let Make::OtherImage(OtherImage::View(image, _) | OtherImage::Picture(image, _)) = &one.make {
                    tensor(image)
                } else {
                    Vec::new()
                };
            }
            TargetKind::Semantic | TargetKind::LabelMap => {
                return vec![Column::dense("", Number::U8, &[height, width])];
            }
            TargetKind::Boxes => (Number::F32, vec![4]),
            TargetKind::Masks => (Number::U8, vec![height, width]),
            TargetKind::Keypoints => {
                let points = if let Make::Marks(_, lay) = &one.make { lay.points } else { 0 };
                (Number::F32, vec![points, 3])
            }
        };
        match &one.make {
            Make::Marks(_, Lay { places: Some(places), .. }) => {
                let shape: Vec<usize> = std::iter::once(*places).chain(row).collect();
                vec![
                    Column::dense("", number, &shape),
                    Column::dense("mask", Number::U8, &[*places]),
                    Column::dense("classes", Number::I64, &[*places]),
                ]
            }
            _ => match self.pad {
                Some(pad) => vec![
                    Column::padded("", number, &row, pad),
                    Column::padded("classes", Number::I64, &[], pad.with(-1.0)),
                    Column::padded("mask", Number::U8, &[], pad.with(0.0)),
                ],
                None => vec![Column::ragged("", number, &row), Column::ragged("classes", Number::I64, &[])],
            },
        }
    }
}

/// Refuses columns for which no machine has memory.
pub(in crate::loader) fn column_bytes(columns: &[Column], samples: usize) -> Option<usize> {
    columns.iter().try_fold(0_usize, |all, column| {
        // Eight bytes are the most that a number has.
        column.numbers()?.checked_mul(8)?;
        let each = column.bytes().checked_add(column.padded_bytes()?)?;
        all.checked_add(each.checked_mul(samples)?)
    })
}
