//! One class, one picture, one annotation from their JSON.

use std::borrow::Cow;

use crate::{
    Cause, Class, Id, Keypoint, Names, Notes, Picture, ReadOptions, Rect, Rle, Shape, codes,
    json::{Cursor, Got, Stop, within},
    names,
};

/// What an annotation says beside its box, as it stands in the file: looked at by who wants it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Detail<'a> {
    pub(super) segmentation: &'a [u8],
    pub(super) keypoints: &'a [u8],
    pub(super) attributes: &'a [u8],
    pub(super) area: &'a [u8],
    /// All of it, if it has fields that are not known.
    pub(super) own: &'a [u8],
}

/// An annotation, with the file's own numbers for picture and class, and where these stand.
#[derive(Debug)]
pub(super) struct Element<'a> {
    pub id: Option<Id>,
    pub picture: (Id, usize),
    pub class: Option<(Id, usize)>,
    pub rect: Rect,
    pub crowd: bool,
    pub score: Option<f64>,
    pub detail: Detail<'a>,
}

/// Fields that are known, so that one that is there twice is refused: parsers disagree about which one counts.
#[derive(Default)]
struct Seen(u32);

impl Seen {
    #[inline]
    fn first(&mut self, at: usize, bit: u32, name: &'static str) -> Got<()> {
        if self.0 & 1 << bit != 0 {
            return Err(Stop::wrong(at, &codes::REPEATED, format!("the key {name:?} is there twice")).inside(name));
        }
        self.0 |= 1 << bit;
        Ok(())
    }
}

/// How ids were written, in an element that is read now: one whose bytes end too early is read again.
#[derive(Debug, Default)]
pub(super) struct Odd {
    fractions: u64,
    texts: u64,
}

impl Odd {
    /// Counts what was found, once the element is whole.
    pub fn tell(&self, notes: &mut Notes) {
        notes.add_many(Cause::FloatId, self.fractions);
        notes.add_many(Cause::TextId, self.texts);
    }
}

/// An id.
#[inline]
fn id(cursor: &mut Cursor<'_>, odd: &mut Odd) -> Got<Option<Id>> {
    if let Some(number) = cursor.short_whole() {
        return Ok(Some(Id::Number(number)));
    }
    odd_id(cursor, odd)
}

/// An id as few are.
#[inline(never)]
fn odd_id(cursor: &mut Cursor<'_>, odd: &mut Odd) -> Got<Option<Id>> {
    match cursor.peek()? {
        b'"' => {
            let text = cursor.string()?;
            odd.texts += 1;
            Ok(Some(Id::Text(text.into())))
        }
        b'n' => cursor.null().map(|_| None),
        _ => {
            let number = cursor.number()?;
            odd.fractions += u64::from(number.fraction);
            number.id().map(Some)
        }
    }
}

/// A size in pixels; 0 and `null` are none.
fn pixels(cursor: &mut Cursor<'_>) -> Got<Option<u32>> {
    if cursor.null()? {
        return Ok(None);
    }
    let number = cursor.number()?;
    match number.whole().and_then(|n| u32::try_from(n).ok()) {
        Some(n) => Ok(Some(n).filter(|n| *n > 0)),
        None => Err(Stop::wrong(number.at, &codes::NUMBER, "a size is a whole number of pixels")),
    }
}

#[cold]
fn missing(at: usize, name: &'static str) -> Stop {
    Stop::wrong(at, &codes::VALUE, format!("{name:?} is missing")).inside(name)
}

/// A picture, its id and where that stands.
pub(super) fn picture(cursor: &mut Cursor<'_>, options: &ReadOptions, odd: &mut Odd) -> Got<(Picture, Id, usize)> {
    cursor.open(b'{')?;
    let start = cursor.at - 1;
    let (mut seen, mut fields) = (Seen::default(), 0);
    let (mut name, mut number) = (None, None);
    let mut picture = Picture::default();
    while cursor.more(b'}', fields)? {
        fields += 1;
        let at = cursor.at;
        match &*cursor.key()? {
            b"id" => {
                seen.first(at, 0, "id")?;
                cursor.peek()?;
                number = Some(cursor.at);
                picture.id = within(id(cursor, odd), "id")?;
            }
            b"file_name" => {
                seen.first(at, 1, "file_name")?;
                name = Some(within(file_name(cursor, options.names), "file_name")?);
            }
            b"width" => {
                seen.first(at, 2, "width")?;
                picture.width = within(pixels(cursor), "width")?;
            }
            b"height" => {
                seen.first(at, 3, "height")?;
                picture.height = within(pixels(cursor), "height")?;
            }
            _ => {
                cursor.skip()?;
            }
        }
    }
    picture.name = name.ok_or_else(|| missing(start, "file_name"))?;
    match (picture.id.clone(), number) {
        (Some(id), Some(at)) => Ok((picture, id, at)),
        _ => Err(missing(start, "id")),
    }
}

fn file_name(cursor: &mut Cursor<'_>, policy: Names) -> Got<String> {
    cursor.peek()?;
    let at = cursor.at;
    let name = cursor.string()?;
    let name = names::named(&name, policy).map(str::to_owned);
    name.map_err(|e| Stop::wrong(at, e.code(), e.message()).options(e.options()))
}

/// A class, and where its id and its name stand.
pub(super) fn class(cursor: &mut Cursor<'_>, odd: &mut Odd) -> Got<(Class, Id, [usize; 2])> {
    cursor.open(b'{')?;
    let start = cursor.at - 1;
    let (mut seen, mut fields) = (Seen::default(), 0);
    let mut at = [start; 2];
    let mut class = Class::default();
    while cursor.more(b'}', fields)? {
        fields += 1;
        let here = cursor.at;
        match &*cursor.key()? {
            b"id" => {
                seen.first(here, 0, "id")?;
                cursor.peek()?;
                at[0] = cursor.at;
                class.id = within(id(cursor, odd), "id")?;
            }
            b"name" => {
                seen.first(here, 1, "name")?;
                cursor.peek()?;
                at[1] = cursor.at;
                class.name = within(cursor.string(), "name")?.into_owned();
            }
            b"supercategory" if cursor.peek()? == b'"' => {
                class.group = Some(cursor.string()?.into_owned()).filter(|text| !text.is_empty());
            }
            b"keypoints" if cursor.peek()? == b'[' => class.keypoints = within(texts(cursor), "keypoints")?,
            b"skeleton" if cursor.peek()? == b'[' => class.skeleton = within(lines(cursor), "skeleton")?,
            _ => {
                cursor.skip()?;
            }
        }
    }
    if class.name.trim().is_empty() {
        return Err(missing(start, "name"));
    }
    match class.id.clone() {
        Some(id) => Ok((class, id, at)),
        None => Err(missing(start, "id")),
    }
}

fn texts(cursor: &mut Cursor<'_>) -> Got<Vec<String>> {
    cursor.open(b'[')?;
    let mut texts = Vec::new();
    while cursor.more(b']', texts.len())? {
        texts.push(cursor.string()?.into_owned());
    }
    Ok(texts)
}

fn lines(cursor: &mut Cursor<'_>) -> Got<Vec<[u32; 2]>> {
    cursor.open(b'[')?;
    let mut lines = Vec::new();
    while cursor.more(b']', lines.len())? {
        cursor.peek()?;
        let at = cursor.at;
        let ends: Vec<u32> = numbers(cursor)?.into_iter().map(|n| n as u32).collect();
        let [from, to] = ends[..] else {
            return Err(Stop::wrong(at, &codes::VALUE, "a line of a skeleton joins two key points"));
        };
        lines.push([from, to]);
    }
    Ok(lines)
}

fn numbers(cursor: &mut Cursor<'_>) -> Got<Vec<f64>> {
    cursor.open(b'[')?;
    let mut numbers = Vec::new();
    while cursor.more(b']', numbers.len())? {
        let number = cursor.number();
        numbers.push(within(number, format_args!("[{}]", numbers.len()))?.value);
    }
    Ok(numbers)
}

/// `[x, y, width, height]`.
#[inline]
fn bbox(cursor: &mut Cursor<'_>) -> Got<Rect> {
    cursor.open(b'[')?;
    let start = cursor.at - 1;
    let mut values = [0.0; 4];
    let mut at = [0; 4];
    let mut count = 0;
    while cursor.more(b']', count)? {
        let Some(value) = values.get_mut(count) else {
            return Err(Stop::wrong(cursor.at, &codes::RECT, "a box has four numbers: x, y, width, height"));
        };
        at[count] = cursor.at;
        if let Some(short) = cursor.short_value() {
            *value = short;
            count += 1;
            continue;
        }
        match cursor.number() {
            Ok(number) => (*value, at[count]) = (number.value, number.at),
            Err(stop) => return Err(stop.inside(format_args!("[{count}]"))),
        }
        count += 1;
    }
    if count != 4 {
        return Err(Stop::wrong(start, &codes::RECT, "a box has four numbers: x, y, width, height"));
    }
    let [x, y, width, height] = values;
    for side in 2..4 {
        if values[side] < 0.0 {
            let stop = Stop::wrong(at[side], &codes::RECT, "the size of a box is negative");
            return Err(stop.inside(format_args!("[{side}]")));
        }
    }
    Ok(Rect::sized(x, y, width, height))
}

/// The fields of an annotation.
#[derive(Clone, Copy)]
pub(super) enum Field {
    Id,
    Picture,
    Class,
    Rect,
    Crowd,
    Segmentation,
    Keypoints,
    Attributes,
    Score,
    Area,
    /// What follows from the others.
    Counted,
    Other,
}

impl Field {
    /// By whole texts: a match would compare byte by byte.
    #[inline(always)]
    pub fn of(name: &[u8]) -> Field {
        let is = |known: &[u8]| name == known;
        match () {
            () if is(b"id") => Field::Id,
            () if is(b"image_id") => Field::Picture,
            () if is(b"category_id") => Field::Class,
            () if is(b"bbox") => Field::Rect,
            () if is(b"iscrowd") => Field::Crowd,
            () if is(b"area") => Field::Area,
            () if is(b"segmentation") => Field::Segmentation,
            () if is(b"score") => Field::Score,
            () if is(b"keypoints") => Field::Keypoints,
            () if is(b"attributes") => Field::Attributes,
            () if is(b"num_keypoints") => Field::Counted,
            () => Field::Other,
        }
    }
}

/// An annotation.
pub(super) fn annotation<'a>(cursor: &mut Cursor<'a>, odd: &mut Odd) -> Got<Element<'a>> {
    cursor.open(b'{')?;
    let start = cursor.at - 1;
    let (mut seen, mut fields) = (Seen::default(), 0);
    let (mut own, mut picture, mut class, mut rect) = (None, None, None, None);
    let (mut crowd, mut score, mut detail, mut is_odd) = (false, None, Detail::default(), false);
    while cursor.more(b'}', fields)? {
        fields += 1;
        let at = cursor.at;
        let name = match cursor.short_key() {
            Some(name) => Cow::Borrowed(name),
            None => cursor.key()?,
        };
        match Field::of(&name) {
            Field::Id => {
                seen.first(at, 0, "id")?;
                own = within(id(cursor, odd), "id")?;
            }
            Field::Picture => {
                seen.first(at, 1, "image_id")?;
                cursor.peek()?;
                let at = cursor.at;
                picture = within(id(cursor, odd), "image_id")?.map(|id| (id, at));
            }
            Field::Class => {
                seen.first(at, 2, "category_id")?;
                cursor.peek()?;
                let at = cursor.at;
                class = within(id(cursor, odd), "category_id")?.map(|id| (id, at));
            }
            Field::Rect => {
                seen.first(at, 3, "bbox")?;
                if !cursor.null()? {
                    rect = Some(within(bbox(cursor), "bbox")?);
                }
            }
            Field::Crowd => {
                seen.first(at, 4, "iscrowd")?;
                crowd = match cursor.short_whole() {
                    Some(number) => number != 0,
                    None => match cursor.boolean()? {
                        Some(yes) => yes,
                        None if cursor.null()? => false,
                        None => within(cursor.number(), "iscrowd")?.value != 0.0,
                    },
                };
            }
            Field::Segmentation => {
                seen.first(at, 5, "segmentation")?;
                detail.segmentation = within(cursor.skip(), "segmentation")?;
            }
            Field::Keypoints => {
                seen.first(at, 6, "keypoints")?;
                detail.keypoints = within(cursor.skip(), "keypoints")?;
            }
            Field::Attributes => {
                seen.first(at, 7, "attributes")?;
                detail.attributes = within(cursor.skip(), "attributes")?;
            }
            Field::Score => {
                seen.first(at, 8, "score")?;
                if !cursor.null()? {
                    score = Some(within(cursor.number(), "score")?.value);
                }
            }
            Field::Area => detail.area = cursor.skip()?,
            Field::Counted => drop(cursor.skip()?),
            Field::Other => {
                is_odd = true;
                cursor.skip()?;
            }
        }
    }
    if is_odd {
        detail.own = &cursor.text[start..cursor.at];
    }
    let rect = rect.ok_or_else(|| missing(start, "bbox"))?;
    let picture = picture.ok_or_else(|| missing(start, "image_id"))?;
    Ok(Element { id: own, picture, class, rect, crowd, score, detail })
}

impl Detail<'_> {
    /// What marks the object more closely than its box. A mask that is invalid is counted, and the box stays.
    pub fn shape(&self, notes: &mut Notes) -> Shape {
        match self.segmentation.first() {
            Some(b'{') => match mask(self.segmentation) {
                Some(mask) => Shape::Mask(Box::new(mask)),
                None => {
                    notes.add(Cause::BadMask);
                    Shape::Box
                }
            },
            Some(b'[') => match outlines(self.segmentation) {
                Some(parts) if parts.is_empty() => Shape::Box,
                Some(parts) => Shape::Polygon(parts),
                None => {
                    notes.add(Cause::BadMask);
                    Shape::Box
                }
            },
            _ => Shape::Box,
        }
    }

    /// The key points; those that are invalid are none.
    pub fn keypoints(&self, notes: &mut Notes) -> Vec<Keypoint> {
        if self.keypoints.first() != Some(&b'[') {
            return Vec::new();
        }
        match whole(self.keypoints).and_then(|mut cursor| numbers(&mut cursor).ok()) {
            Some(values) if values.len() % 3 == 0 => {
                let point = |p: &[f64]| Keypoint { x: p[0], y: p[1], visibility: p[2] as u8 };
                values.chunks_exact(3).map(point).collect()
            }
            _ => {
                notes.add(Cause::OddValue);
                Vec::new()
            }
        }
    }

    /// Whatever else is said, as text; nested values are left out.
    pub fn attributes(&self, notes: &mut Notes) -> Vec<(String, String)> {
        let Some(mut cursor) = whole(self.attributes) else { return Vec::new() };
        let node = cursor.node().ok();
        let Some(object) = node.as_ref().and_then(|node| node.object().ok()) else {
            if self.attributes != b"null" {
                notes.add(Cause::OddValue);
            }
            return Vec::new();
        };
        let texts = object.0.iter().filter_map(|(key, node)| Some((key.clone().into_owned(), node.plain()?)));
        texts.collect()
    }
}

/// Values that were looked at before: they nest no deeper than they may.
pub(super) fn whole(text: &[u8]) -> Option<Cursor<'_>> {
    (!text.is_empty()).then(|| Cursor::new(text, true, u32::MAX))
}

/// Lists of x and y.
fn outlines(text: &[u8]) -> Option<Vec<Vec<[f64; 2]>>> {
    let mut cursor = whole(text)?;
    cursor.open(b'[').ok()?;
    let mut parts = Vec::new();
    while cursor.more(b']', parts.len()).ok()? {
        let values = numbers(&mut cursor).ok()?;
        if values.len() % 2 != 0 || values.is_empty() {
            return None;
        }
        parts.push(values.chunks_exact(2).map(|p| [p[0], p[1]]).collect());
    }
    Some(parts)
}

/// `{"size": [height, width], "counts": runs or their text}`.
fn mask(text: &[u8]) -> Option<Rle> {
    let mut cursor = whole(text)?;
    let node = cursor.node().ok()?;
    let object = node.object().ok()?;
    let size = object.get("size").ok()??.array().ok()?;
    let [height, width] = size else { return None };
    let (height, width) = (height.pixels().ok()??, width.pixels().ok()??);
    let counts = object.get("counts").ok()??;
    if let Ok(text) = counts.text() {
        return Rle::from_text(width, height, text).ok();
    }
    let runs = counts.array().ok()?.iter().map(|node| {
        let number = node.number().ok().filter(|n| n.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(n));
        number.map(|n| n as u32)
    });
    Rle::new(width, height, runs.collect::<Option<Vec<u32>>>()?).ok()
}
