//! Boxes in metadata that other programs wrote: which shapes say what they are, and which do not.

use serde_json::{Map, Value};

use super::read::{At, mask, outlines, read};
use crate::{
    Annotation, BoxLayout, Classes, Notes, Picture, ReadOptions, Rect, Shape, codes,
    error::{Error, Result},
    path::{Segment, lookup},
    plain, voc,
    yolo::{self, Data},
};

/// What a sample's metadata says is in its picture.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Found {
    /// The picture, which has no name yet.
    pub picture: Picture,
    /// What says that it is an annotation and is none, each with its place.
    pub faults: Vec<Error>,
    /// What was found on the way.
    pub notes: Notes,
    /// Whether places were shares of the picture, of which pixels were made by the size that was given.
    pub shares: bool,
}

/// Fields that usually hold boxes, in the record, in the file beside the picture, or in what a program calls metadata.
const LISTS: [&str; 7] = ["boxes", "annotations", "objects", "object", "detections", "bboxes", "bbox"];
/// Fields of an object that are its box.
const BOXES: [&str; 3] = ["bbox", "box", "rect"];
/// Fields of an object that name its class.
const NAMES: [&str; 6] = ["label", "name", "category", "class", "cls", "category_id"];
/// Fields beside a list of boxes that name their classes, in its order.
const BESIDE: [&str; 9] =
    ["labels", "classes", "categories", "category", "label", "class", "names", "category_ids", "category_id"];
/// Names of the corners of a box: left, top, right, bottom.
const CORNERS: [[&str; 4]; 3] =
    [["xmin", "ymin", "xmax", "ymax"], ["x1", "y1", "x2", "y2"], ["left", "top", "right", "bottom"]];
/// Names of a place and a size.
const SIZES: [[&str; 4]; 2] = [["x", "y", "w", "h"], ["x", "y", "width", "height"]];
/// Files of lines of YOLO beside the picture.
const LINES: [&str; 3] = ["txt", "yolo", "boxes"];
/// Fields of an object that have a list of boxes, and beside it lists of what else is known of each.
const INNER: [&str; 3] = ["bbox", "boxes", "bboxes"];
/// How far outside of a picture a line of YOLO may reach, in pictures: beyond, its numbers mean something else.
const BEYOND: f64 = 1.0;

/// What a sample's metadata says is in its picture, of that size if it is known: what is marked as [`read`] reads it, and
/// otherwise boxes of other programs, as [`ReadOptions::boxes`] says or in shapes that say what they are. `None` if it says
/// nothing of that.
///
/// # Errors
///
/// Those of [`read`], and `label.ambiguous` for boxes that could mean several things, naming the option that says which.
/// A single annotation that is wrong is one of [`Found::faults`].
pub fn find(
    metadata: &Value,
    size: Option<(u32, u32)>,
    options: &ReadOptions,
    classes: &mut Classes,
) -> Result<Option<Found>> {
    let said = options.boxes.as_ref();
    if said.is_some_and(|field| field.is_none()) {
        return Ok(None);
    }
    let segments = said.map(|field| field.segments()).unwrap_or_default();
    let own = At { value: metadata, path: String::new() };
    let json = own.field("json");
    // What says what it is needs nobody's word: of a dataset of which a part was labeled, that part is read with any option.
    if [Some(&own), json.as_ref()].into_iter().flatten().any(|at| at.field("annotations_format").is_some()) {
        let picture = read(metadata, classes)?;
        return Ok(picture.map(|picture| Found { picture, ..Found::default() }));
    }
    let place = if segments.is_empty() {
        match usual(&own)? {
            Some(place) => place,
            None => return Ok(None),
        }
    } else {
        match named(&own, segments) {
            Some(place) => place,
            None => return Ok(None),
        }
    };
    let layout = said.and_then(|field| field.layout());
    let size = size.filter(|(width, height)| *width > 0 && *height > 0);
    let mut gather =
        Gather { layout, size, options, classes, ids: Map::new(), found: Found::default(), unnamed: false };
    gather.place(&place)?;
    gather.end(&place)
}

/// Where boxes are.
struct Place<'a> {
    list: At<'a>,
    /// The object that the list is a field of.
    around: Option<At<'a>>,
}

/// The field of that path.
fn named<'a>(own: &At<'a>, segments: &[Segment]) -> Option<Place<'a>> {
    let (last, before) = segments.split_last()?;
    let path = |segments: &[Segment]| {
        segments.iter().fold(String::new(), |path, segment| match segment {
            Segment::Key(key) if path.is_empty() => key.clone(),
            Segment::Key(key) => format!("{path}.{key}"),
            Segment::Index(i) => format!("{path}[{i}]"),
        })
    };
    let around = lookup(before, own.value)?;
    let value = lookup(std::slice::from_ref(last), around).filter(|value| !value.is_null())?;
    let around = At { value: around, path: path(before) };
    Some(Place { list: At { value, path: path(segments) }, around: Some(around) })
}

/// The only one of the usual places that has boxes, or else one that has a list of none.
fn usual<'a>(own: &At<'a>) -> Result<Option<Place<'a>>> {
    let (mut full, mut empty) = (Vec::new(), None);
    let places = [Some(own.clone()), own.field("json"), own.field("metadata")];
    for around in places.into_iter().flatten() {
        for list in LISTS.iter().filter_map(|key| around.field(key)) {
            match holds(list.value) {
                Some(true) => full.push(Place { list, around: Some(around.clone()) }),
                Some(false) => empty = empty.or(Some(Place { list, around: Some(around.clone()) })),
                None => {}
            }
        }
    }
    let is_text = |at: &At<'a>, is: fn(&str) -> bool| at.value.as_str().is_some_and(is);
    let lines = LINES.iter().filter_map(|key| own.field(key)).filter(|at| is_text(at, is_yolo));
    let xml = own.field("xml").filter(|at| is_text(at, is_voc));
    full.extend(lines.chain(xml).map(|list| Place { list, around: None }));
    if let [first, second, ..] = &full[..] {
        let message =
            format!("boxes are in {} and in {}, and nothing says which count", first.list.path, second.list.path);
        return Err(ambiguous(&second.list, message));
    }
    Ok(full.pop().or(empty))
}

fn ambiguous(at: &At<'_>, message: impl Into<String>) -> Error {
    at.fault(&codes::AMBIGUOUS, message).with_options(&["boxes"])
}

/// Whether a value holds boxes, or is a list that could; `None` where it is something else.
fn holds(value: &Value) -> Option<bool> {
    match value {
        Value::Array(items) if items.is_empty() => Some(false),
        Value::Array(items) if is_four(items) => Some(true),
        Value::Array(items) => items
            .iter()
            .any(|item| match item {
                Value::Array(numbers) => is_four(numbers),
                Value::Object(fields) => has_place(fields),
                _ => false,
            })
            .then_some(true),
        // Lists of an object's fields, or a box by itself.
        Value::Object(fields) => match INNER.iter().find_map(|key| fields.get(*key)) {
            Some(Value::Array(items)) if items.is_empty() => Some(false),
            _ => has_place(fields).then_some(true),
        },
        _ => None,
    }
}

fn is_four(items: &[Value]) -> bool {
    items.len() == 4 && items.iter().all(Value::is_number)
}

fn has_place(fields: &Map<String, Value>) -> bool {
    let has = |key: &&str| fields.contains_key(*key);
    BOXES.iter().chain(&["bndbox", "segmentation"]).any(has)
        || CORNERS.iter().chain(&SIZES).any(|names| names.iter().all(has))
}

/// Whether all lines are a number of a class and shares of a picture, at least one of them good: a text that has any other
/// line is a caption.
fn is_yolo(text: &str) -> bool {
    let columns = |line: &str| line.split_ascii_whitespace().count();
    let numeric = |word: &str| word.parse::<f64>().is_ok();
    let like = |line: &str| {
        let first = line.split_ascii_whitespace().next().unwrap_or_default();
        first.bytes().all(|byte| byte.is_ascii_digit())
            && (matches!(columns(line), 5 | 6) || columns(line) >= 7 && columns(line) % 2 == 1)
            && line.split_ascii_whitespace().all(numeric)
    };
    let within = |line: &str| {
        let mut shares = line.split_ascii_whitespace().skip(1).filter_map(|word| word.parse::<f64>().ok());
        shares.all(|share| (-BEYOND..=1.0 + BEYOND).contains(&share))
    };
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
    lines.peek().is_some() && lines.clone().all(like) && lines.any(within)
}

fn is_voc(text: &str) -> bool {
    text.contains("<annotation")
}

/// Takes in annotations.
struct Gather<'a> {
    layout: Option<BoxLayout>,
    size: Option<(u32, u32)>,
    options: &'a ReadOptions,
    classes: &'a mut Classes,
    /// Names of classes by the numbers that the record itself gives them.
    ids: Map<String, Value>,
    found: Found,
    /// Whether some box was read as pixels for want of any word on its unit.
    unnamed: bool,
}

impl Gather<'_> {
    fn place(&mut self, place: &Place<'_>) -> Result<()> {
        let (list, mut around) = (&place.list, place.around.clone());
        if let Some(text) = list.value.as_str() {
            return if is_voc(text) { self.voc(list, text) } else { self.lines(list, text) };
        }
        let mut list = list.clone();
        // A list for each field instead of a list of objects.
        if list.value.is_object()
            && let Some(at) = INNER.iter().find_map(|key| list.field(key))
            && at.value.as_array().is_some_and(|items| items.is_empty() || items.iter().any(Value::is_array))
        {
            (around, list) = (Some(list), at);
        }
        if let Some(Value::Array(known)) = around.as_ref().and_then(|at| at.value.get("categories")) {
            let named = |one: &Value| Some((word(one.get("id")?)?, one.get("name")?.clone()));
            self.ids = known.iter().filter_map(named).collect();
        }
        let beside = around.as_ref().and_then(|at| BESIDE.iter().find_map(|key| at.value.get(*key)));
        match list.value {
            Value::Array(items) if is_four(items) => {
                let own = match beside {
                    Some(Value::Array(all)) => all.first(),
                    other => other,
                };
                self.item(&list, own)
            }
            Value::Array(_) => {
                let all = beside.and_then(Value::as_array);
                for (i, item) in list.items()?.iter().enumerate() {
                    self.item(item, all.and_then(|all| all.get(i)))?;
                }
                Ok(())
            }
            Value::Object(_) => self.item(&list, None),
            _ => Err(list.fault(&codes::VALUE, "boxes are a list, an object, or a text of lines")),
        }
    }

    /// One annotation: what is wrong with it alone is kept, what concerns all of its kind is an error.
    fn item(&mut self, item: &At<'_>, beside: Option<&Value>) -> Result<()> {
        match self.annotation(item, beside) {
            Ok(annotation) => self.found.picture.annotations.extend(annotation),
            Err(e) if e.code() == &codes::AMBIGUOUS => return Err(e),
            Err(e) => self.found.faults.push(e),
        }
        Ok(())
    }

    fn annotation(&mut self, item: &At<'_>, beside: Option<&Value>) -> Result<Option<Annotation>> {
        if item.value.is_array() {
            let rect = self.four(item, None)?;
            let class = beside.and_then(|value| self.class(value));
            return Ok(Some(Annotation::boxed(rect, class)));
        }
        let Value::Object(fields) = item.value else {
            return Err(item.fault(&codes::VALUE, "a box is four numbers or an object"));
        };
        if !has_place(fields) {
            return Ok(None);
        }
        let shape = match item.field("segmentation") {
            Some(at) if at.value.is_object() => Some(mask(&at)?),
            // COCO leaves an empty list where there is only a box.
            Some(at) if at.value.as_array().is_some_and(|list| !list.is_empty()) => Some(outlines(&at)?),
            _ => None,
        };
        let coco = ["category_id", "iscrowd"].iter().any(|key| fields.contains_key(*key));
        let around = match &shape {
            Some(Shape::Polygon(parts)) => Rect::around(parts.iter().flatten().copied()),
            Some(Shape::Mask(mask)) => mask.bounds(),
            _ => None,
        };
        let rect = match self.rect(item, coco)? {
            Some(rect) => rect,
            None => around.ok_or_else(|| item.fault(&codes::RECT, "nothing says where the annotation is"))?,
        };
        let name = NAMES.iter().find_map(|key| fields.get(*key)).or(beside);
        let class = name.and_then(|value| self.class(value));
        let mut annotation = Annotation::boxed(rect, class);
        annotation.shape = shape.unwrap_or_default();
        annotation.score = ["score", "confidence"].iter().find_map(|key| fields.get(*key)?.as_f64());
        let yes = |key: &str| fields.get(key).is_some_and(|value| value == true || value.as_i64() == Some(1));
        annotation.flags.crowd = yes("iscrowd") || yes("is_crowd");
        annotation.flags.difficult = yes("difficult");
        annotation.flags.truncated = yes("truncated");
        annotation.flags.occluded = yes("occluded");
        Ok(Some(annotation))
    }

    /// The box of an object; `None` where it has none.
    fn rect(&mut self, item: &At<'_>, coco: bool) -> Result<Option<Rect>> {
        if let Some(at) = BOXES.iter().find_map(|key| item.field(key)) {
            return match at.value {
                Value::Object(_) => self.sides(&at),
                _ => self.four(&at, coco.then_some(BoxLayout::Xywh)).map(Some),
            };
        }
        match item.field("bndbox") {
            Some(at) => self.bndbox(&at).map(Some),
            None => self.sides(item),
        }
    }

    /// Four numbers without names.
    fn four(&mut self, at: &At<'_>, usual: Option<BoxLayout>) -> Result<Rect> {
        let numbers = at.items()?.iter().map(number).collect::<Result<Vec<f64>>>()?;
        let Ok(numbers) = <[f64; 4]>::try_from(numbers) else {
            return Err(at.fault(&codes::RECT, "a box has four numbers"));
        };
        let Some(layout) = self.layout.or(usual) else {
            let message =
                "four numbers are two corners, or a corner and a size, or a center and a size, and nothing says which";
            return Err(ambiguous(at, message));
        };
        self.placed(at, layout, numbers)
    }

    /// A box whose numbers have names.
    fn sides(&mut self, at: &At<'_>) -> Result<Option<Rect>> {
        let all = |names: &[&str; 4]| {
            let sides: Option<Vec<At<'_>>> = names.iter().map(|name| at.field(name)).collect();
            sides.map(|sides| sides.iter().map(number).collect::<Result<Vec<f64>>>())
        };
        let four = |numbers: Vec<f64>| <[f64; 4]>::try_from(numbers).unwrap_or_default();
        if let Some(corners) = CORNERS.iter().find_map(all) {
            let shares = self.layout.is_some_and(BoxLayout::is_shares);
            self.unnamed |= self.layout.is_none();
            let layout = if shares { BoxLayout::Xyxyn } else { BoxLayout::Xyxy };
            return self.placed(at, layout, four(corners?)).map(Some);
        }
        let Some(numbers) = SIZES.iter().find_map(all) else { return Ok(None) };
        match self.layout.filter(|layout| !layout.is_corners()) {
            Some(layout) => self.placed(at, layout, four(numbers?)).map(Some),
            None => Err(ambiguous(at, "x and y are a corner or the center of a box, and nothing says which")),
        }
    }

    /// Corners as Pascal VOC names them.
    fn bndbox(&mut self, at: &At<'_>) -> Result<Rect> {
        let base = match self.options.voc_base {
            Some(base @ 0..=1) => f64::from(base),
            _ => {
                let message = "Pascal VOC's first pixel has the number 1, most tools write 0, and nothing says which";
                return Err(at.fault(&codes::AMBIGUOUS, message).with_options(&["voc_base"]));
            }
        };
        let side = |name: &str| number(&at.need(name)?);
        let corners = [side("xmin")? - base, side("ymin")? - base, side("xmax")?, side("ymax")?];
        self.placed(at, BoxLayout::Xyxy, corners)
    }

    /// A box in pixels of the picture.
    fn placed(&mut self, at: &At<'_>, layout: BoxLayout, numbers: [f64; 4]) -> Result<Rect> {
        let mut rect = layout.rect(numbers);
        if layout.is_shares() {
            let (width, height) = self.sized(at)?;
            rect = Rect::new(rect.x0 * width, rect.y0 * height, rect.x1 * width, rect.y1 * height);
        }
        let [x0, y0, x1, y1] = [rect.x0, rect.y0, rect.x1, rect.y1];
        if ![x0, y0, x1, y1].iter().all(|side| side.is_finite()) {
            return Err(at.fault(&codes::NUMBER, "a box reaches farther than any number"));
        }
        if x0 > x1 || y0 > y1 {
            return Err(at.fault(&codes::RECT, "a box has swapped corners or a negative size"));
        }
        Ok(rect)
    }

    /// The size of the picture, of which shares are.
    fn sized(&mut self, at: &At<'_>) -> Result<(f64, f64)> {
        self.found.shares = true;
        let message = "boxes are shares of an image whose size is not known";
        let (width, height) = self.size.ok_or_else(|| at.fault(&codes::SIZE, message))?;
        Ok((width.into(), height.into()))
    }

    /// The class that a value names.
    fn class(&mut self, value: &Value) -> Option<u32> {
        let value = value.get("name").unwrap_or(value);
        let text = word(value).filter(|text| !text.trim().is_empty())?;
        if let Some(name) = self.ids.get(&text).and_then(Value::as_str) {
            return Some(self.classes.found(name));
        }
        let Some(number) = value.as_i64() else { return Some(self.classes.found(&text)) };
        if let Some(known) = self.classes.by_id(number) {
            return Some(known);
        }
        let listed = usize::try_from(number).ok().and_then(|number| self.options.classes.as_ref()?.get(number));
        Some(self.classes.found(listed.unwrap_or(&text)))
    }

    /// Lines of YOLO, each by itself.
    fn lines(&mut self, at: &At<'_>, text: &str) -> Result<()> {
        self.sized(at)?;
        let size = self.size.unwrap_or_default();
        // The names are looked up here: to the reader there is one class, the line's.
        let data = Data { classes: ["class"].into_iter().collect(), ..Data::default() };
        for (number, line) in (1_u64..).zip(text.lines()) {
            let line = line.trim();
            let (first, rest) = line.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((line, ""));
            let Ok(class) = first.parse::<u32>() else { continue };
            match yolo::line(number, &format!("0 {rest}"), size, &data, self.options, &mut self.found.notes) {
                Ok(found) => {
                    let class = self.class(&class.into());
                    self.found.picture.annotations.extend(found.map(|one| Annotation { class, ..one }));
                }
                Err(e) if e.code() == &codes::AMBIGUOUS => return Err(e.path(at.path.clone())),
                Err(e) => self.found.faults.push(e.path(at.path.clone())),
            }
        }
        Ok(())
    }

    fn voc(&mut self, at: &At<'_>, text: &str) -> Result<()> {
        match voc::read(text.as_bytes(), self.classes, &mut self.found.notes, self.options) {
            Ok(picture) => self.found.picture.annotations = picture.annotations,
            Err(e) if e.code() == &codes::AMBIGUOUS => return Err(e.path(at.path.clone())),
            Err(e) => self.found.faults.push(e.path(at.path.clone())),
        }
        Ok(())
    }

    /// What was found, unless all of it could be shares as well as pixels.
    fn end(mut self, place: &Place<'_>) -> Result<Option<Found>> {
        let annotations = &self.found.picture.annotations;
        let within = |rect: &Rect| [rect.x0, rect.y0, rect.x1, rect.y1].iter().all(|side| (0.0..=1.0).contains(side));
        if self.unnamed && !annotations.is_empty() && annotations.iter().all(|one| within(&one.rect)) {
            let message = "every corner is from 0 to 1: pixels, or shares of the image, and nothing says which";
            return Err(ambiguous(&place.list, message));
        }
        self.found.picture.assumed = true;
        Ok(Some(self.found))
    }
}

/// A number, also as text: what was XML before has only text.
fn number(at: &At<'_>) -> Result<f64> {
    match at.value.as_str().and_then(plain::number) {
        Some(number) => Ok(number),
        None => at.number(),
    }
}

/// A name, or a number as one.
fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Task, words::Word};

    fn options(boxes: Option<&str>) -> ReadOptions {
        ReadOptions { boxes: boxes.map(|text| text.parse().unwrap()), ..ReadOptions::default() }
    }

    /// Left, top, right, bottom and class of each box, of a picture of 200 x 100.
    /// Corners and the name of the class.
    type Told = Vec<([f64; 4], String)>;

    fn told(record: &Value, options: &ReadOptions) -> Result<Option<Told>> {
        let mut classes = Classes::default();
        let Some(mut found) = find(record, Some((200, 100)), options, &mut classes)? else { return Ok(None) };
        if !found.faults.is_empty() {
            return Err(found.faults.remove(0));
        }
        let boxes = found.picture.annotations.iter().map(|one| {
            let name = one.class.and_then(|class| classes.name(class)).unwrap_or_default();
            ([one.rect.x0, one.rect.y0, one.rect.x1, one.rect.y1], name.to_owned())
        });
        Ok(Some(boxes.collect()))
    }

    fn one(record: Value, boxes: Option<&str>) -> ([f64; 4], String) {
        told(&record, &options(boxes)).unwrap().unwrap().remove(0)
    }

    fn fault(record: Value, options: &ReadOptions) -> (&'static str, String) {
        let e = told(&record, options).unwrap_err();
        (e.code().id(), e.place().path.clone().unwrap_or_default())
    }

    #[test]
    fn shapes_that_say_what_they_are_need_no_option() {
        let corners = ([1.0, 2.0, 4.0, 6.0], "cat".to_owned());
        for record in [
            json!({"json": {"objects": [{"label": "cat", "xmin": 1, "ymin": 2, "xmax": 4, "ymax": 6}]}}),
            json!({"metadata": {"detections": [{"class": "cat", "box": {"x1": 1, "y1": 2, "x2": 4, "y2": 6}}]}}),
            json!({"boxes": [{"category": {"name": "cat"}, "left": "1", "top": 2, "right": 4, "bottom": 6}]}),
            // COCO's own words: a corner and a size.
            json!({"annotations": [{"bbox": [1, 2, 3, 4], "category_id": 7}], "categories": [{"id": 7, "name": "cat"}]}),
            json!({"annotations": [{"label": "cat", "segmentation": [[1, 2, 4, 2, 4, 6]]}]}),
        ] {
            assert_eq!(one(record.clone(), None), corners, "{record}");
        }
        let mask = json!({"annotations": [{"category_id": 3,
            "segmentation": {"size": [10, 10], "counts": [32, 4, 6, 4, 6, 4, 6, 4, 34]}}]});
        assert_eq!(one(mask, None), ([3.0, 2.0, 7.0, 6.0], "3".into()));
        let pascal = json!({"xml": "<annotation><object><name>cat</name><bndbox><xmin>2</xmin><ymin>3</ymin><xmax>4</xmax>\
            <ymax>6</ymax></bndbox></object></annotation>"});
        let voc = ReadOptions { voc_base: Some(1), ..ReadOptions::default() };
        assert_eq!(told(&pascal, &voc).unwrap().unwrap(), std::slice::from_ref(&corners));
        let object = json!({"object": {"name": "cat", "bndbox": {"xmin": "2", "ymin": 3, "xmax": 4, "ymax": 6}}});
        assert_eq!(told(&object, &voc).unwrap().unwrap(), [corners]);
        assert_eq!(fault(object, &options(None)), ("label.ambiguous", "object.bndbox".into()));
        assert_eq!(fault(pascal, &options(None)), ("label.ambiguous", "xml".into()));
    }

    #[test]
    fn lines_of_yolo_are_shares_of_the_picture_and_captions_are_none() {
        let text = |text: &str, options: &ReadOptions| told(&json!({ "txt": text }), options);
        let boxes = text("3 0.5 0.5 0.25 0.5\n\n0 0.5 0.5 1 1\n", &options(None)).unwrap().unwrap();
        assert_eq!(boxes, [([75.0, 25.0, 125.0, 75.0], "3".into()), ([0.0, 0.0, 200.0, 100.0], "0".into())]);
        let mut named = options(None);
        (named.classes, named.scores) = (Some(vec!["a".into(), "b".into()]), true);
        assert_eq!(text("1 0.5 0.5 1 1 0.9", &named).unwrap().unwrap()[0].1, "b");
        for caption in ["2024 1 1 12 30", "3 cats and 4 dogs", "", "5", "0 120 40 20 20", "0 0.5 0.5 0.2 0.2\na boat"] {
            assert_eq!(text(caption, &options(None)).unwrap(), None, "{caption}");
        }
        let e = text("0 0.5 0.5 1 1\n0 0.5 0.5 -1 1\n", &options(None)).unwrap_err();
        assert_eq!((e.code().id(), e.place().line), ("label.rect", Some(2)));
        assert_eq!(text("0 0.5 0.5 1 1 0.9", &options(None)).unwrap_err().code().id(), "label.ambiguous");
        let e = find(&json!({"txt": "0 0.5 0.5 1 1"}), None, &options(None), &mut Classes::default()).unwrap_err();
        assert_eq!(e.code().id(), "label.size");
    }

    #[test]
    fn what_could_mean_several_things_is_refused_until_an_option_says_it() {
        let list = json!({"json": {"boxes": [{"label": "cat", "bbox": [1, 2, 30, 40]}]}});
        assert_eq!(fault(list.clone(), &options(None)), ("label.ambiguous", "json.boxes[0].bbox".into()));
        let cat = |corners: [f64; 4]| (corners, "cat".to_owned());
        assert_eq!(one(list.clone(), Some("json.boxes:xywh")), cat([1.0, 2.0, 31.0, 42.0]));
        assert_eq!(one(list.clone(), Some(":xyxy")), cat([1.0, 2.0, 30.0, 40.0]));
        assert_eq!(one(list.clone(), Some("json.boxes:cxcywh")), cat([-14.0, -18.0, 16.0, 22.0]));
        assert_eq!(told(&list, &options(Some("none"))).unwrap(), None);
        assert_eq!(told(&list, &options(Some("json.others:xywh"))).unwrap(), None);
        // Some call the center x and y.
        let sides = json!({"objects": [{"class": "cat", "x": 10, "y": 20, "width": 4, "height": 6}]});
        assert_eq!(fault(sides.clone(), &options(None)).0, "label.ambiguous");
        assert_eq!(one(sides.clone(), Some(":xywh")), cat([10.0, 20.0, 14.0, 26.0]));
        assert_eq!(one(sides, Some("objects:cxcywh")), cat([8.0, 17.0, 12.0, 23.0]));
        // Corners that are all from 0 to 1.
        let shares = json!({"objects": [{"class": "cat", "xmin": 0.25, "ymin": 0, "xmax": 0.5, "ymax": 1}]});
        assert_eq!(fault(shares.clone(), &options(None)), ("label.ambiguous", "objects".into()));
        assert_eq!(one(shares.clone(), Some(":xyxyn")), cat([50.0, 0.0, 100.0, 100.0]));
        assert_eq!(one(shares, Some(":xyxy")), cat([0.25, 0.0, 0.5, 1.0]));
        // Lists of the fields.
        let columns = json!({"objects": {"bbox": [[1, 2, 3, 4]], "category": ["cat"]}});
        assert_eq!(fault(columns.clone(), &options(None)).0, "label.ambiguous");
        assert_eq!(one(columns, Some("objects:xyxy")), cat([1.0, 2.0, 3.0, 4.0]));
        assert_eq!(one(json!({"label": "cat", "bbox": [1, 2, 3, 4]}), Some(":xyxy")), cat([1.0, 2.0, 3.0, 4.0]));
        // Two places.
        let two = json!({"txt": "0 0.5 0.5 1 1", "json": {"boxes": [[1, 2, 3, 4]], "labels": ["cat"]}});
        let e = told(&two, &options(Some(":xyxy"))).unwrap_err();
        assert_eq!((e.code().id(), e.place().path.as_deref()), ("label.ambiguous", Some("txt")));
        assert_eq!(one(two, Some("json.boxes:xyxy")), cat([1.0, 2.0, 3.0, 4.0]));
    }

    /// The page that shows samples finds boxes by the same rule, and is held to the same records.
    #[test]
    fn records_are_read_as_the_fixture_says() {
        let all: Vec<Value> = serde_json::from_str(include_str!("../../../tests/fixtures/boxes.json")).unwrap();
        for case in all {
            let record = &case["record"];
            let found = |options: &ReadOptions| {
                let mut classes = Classes::default();
                find(record, Some((200, 100)), options, &mut classes).map(|found| (found.unwrap_or_default(), classes))
            };
            let mut said = options(case["said"].as_str());
            said.scores = case["scores"] == true;
            said.task = case["task"].as_str().map(|word| Task::from_word(word).unwrap());
            said.voc_base = case["voc_base"].as_u64().map(|base| u8::try_from(base).unwrap());
            if said != ReadOptions::default() {
                assert_eq!(found(&options(None)).unwrap_err().code(), &codes::AMBIGUOUS, "{record}");
            }
            let (found, classes) = found(&said).unwrap_or_else(|e| panic!("{record}: {e}"));
            let boxes: Vec<Value> = (found.picture.annotations.iter())
                .map(|Annotation { rect, class, .. }| {
                    let name = class.and_then(|class| classes.name(class)).unwrap_or_default();
                    json!([rect.x0, rect.y0, rect.x1, rect.y1, name])
                })
                .collect();
            let told = (boxes.len(), found.faults.len() as u64);
            let wanted = case["boxes"].as_array().unwrap();
            assert_eq!(told, (wanted.len(), case["broken"].as_u64().unwrap_or(0)), "{record}");
            for (found, wanted) in boxes.iter().zip(wanted) {
                assert_eq!(found[4], wanted[4], "{record}");
                for side in 0..4 {
                    let apart = found[side].as_f64().unwrap() - wanted[side].as_f64().unwrap();
                    assert!(apart.abs() < 1e-9, "{record}");
                }
            }
        }
    }

    #[test]
    fn nothing_is_found_where_there_are_none_and_an_empty_list_says_so() {
        for record in [
            json!(null),
            json!(3),
            json!([]),
            json!({"boxes": 3}),
            json!({"objects": ["a boat"]}),
            json!({"annotations": [{"caption": "a boat"}]}),
            json!({"json": {"label": "boat"}}),
        ] {
            assert_eq!(told(&record, &options(None)).unwrap(), None, "{record}");
        }
        for record in [json!({"json": {"boxes": []}}), json!({"objects": {"bbox": [], "category": []}})] {
            assert_eq!(told(&record, &options(None)).unwrap(), Some(Vec::new()), "{record}");
        }
        let marked = json!({"json": {"annotations_format": "forebay.1", "annotations": []}, "txt": "0 0.5 0.5 1 1"});
        for boxes in [None, Some("json.other:xywh"), Some(":xyxy")] {
            assert_eq!(told(&marked, &options(boxes)).unwrap(), Some(Vec::new()), "{boxes:?}");
        }
    }

    #[test]
    fn what_is_wrong_with_one_annotation_is_said_beside_the_others() {
        let boxes = json!([[1, 2, 3, 4], [1, 2, -3, 4], [1e308, 1, 1e308, 5], ["x", 1, 2, 3], [1, 2], 7]);
        let found = find(&json!({ "boxes": boxes }), None, &options(Some(":xywh")), &mut Classes::default()).unwrap();
        let found = found.unwrap();
        let codes: Vec<_> = found.faults.iter().map(|e| e.code().id()).collect();
        assert_eq!(found.picture.annotations.len(), 1);
        assert_eq!(codes, ["label.rect", "label.number", "label.number", "label.rect", "label.value"]);
        assert_eq!(found.faults[2].place().path.as_deref(), Some("boxes[3][0]"));
    }

    #[test]
    fn classes_go_by_the_numbers_that_a_document_gives_them() {
        let mut classes =
            super::super::read_classes(json!({"categories": [{"id": 18, "name": "dog"}]}).as_object().unwrap())
                .unwrap();
        let record = json!({"annotations": [{"bbox": [1, 2, 3, 4], "category_id": 18}, {"bbox": [1, 2, 3, 4], "category_id": 5}]});
        let found = find(&record, None, &options(None), &mut classes).unwrap().unwrap();
        let names: Vec<_> =
            found.picture.annotations.iter().map(|one| classes.name(one.class.unwrap()).unwrap()).collect();
        assert_eq!(names, ["dog", "5"]);
    }
}
