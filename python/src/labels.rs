//! Label files: boxes, outlines and masks of pictures.

use std::{path::PathBuf, sync::Arc};

use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, RecordBatchIterator, StringArray, UInt64Array,
    ffi_stream::FFI_ArrowArrayStream,
};
use forebay::{
    Error, Limits, Result,
    annotations::{
        Annotation, Class, Format, Id, LabelStats, Labels as Model, Notes, Picture, ReadOptions, Rect, Shape, Source,
        write::written,
    },
    check::Report,
    error::{Kind, codes},
    words::Word,
};
use forebay_native::labels::{Open, Set, class_names, read_project, write};
use pyo3::{prelude::*, types::PyCapsule};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{
    errors::Raise,
    options::{optional, parse, word},
    wait::long,
};

/// What a file cannot say by itself.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Wanted {
    format: Option<String>,
    pictures: Option<PathBuf>,
    voc_base: Option<u8>,
    task: Option<String>,
    scores: bool,
    between: Option<String>,
    pick: Option<String>,
    exif: Option<String>,
    names: Option<String>,
    classes: Option<Classes>,
    image_key: Option<String>,
    boxes: Option<String>,
    project: Option<PathBuf>,
}

/// Names of classes, or the file that has them.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Classes {
    Names(Vec<String>),
    File(PathBuf),
}

impl Wanted {
    fn open(self) -> Result<Open> {
        let mut options = ReadOptions::default();
        if self.project.is_some() {
            return Err(Error::new(
                &codes::ARGUMENT,
                "`project` numbers the classes, and nothing is counted by their numbers",
            ));
        }
        if self.voc_base.is_some_and(|base| base > 1) {
            return Err(Error::new(&codes::ARGUMENT, "`voc_base` is 0 or 1"));
        }
        options.voc_base = self.voc_base;
        options.scores = self.scores;
        options.task = optional("task", self.task.as_deref())?;
        options.pick = optional("pick", self.pick.as_deref())?;
        options.exif = optional("exif", self.exif.as_deref())?;
        options.between = optional("between", self.between.as_deref())?.unwrap_or_default();
        options.names = optional("names", self.names.as_deref())?.unwrap_or_default();
        options.image_key = self.image_key;
        options.boxes = self.boxes.map(|text| text.parse()).transpose()?;
        options.classes = match self.classes {
            None => None,
            Some(Classes::Names(names)) => Some(names),
            Some(Classes::File(path)) => Some(class_names(&path)?),
        };
        let open = Open::new(options).format(optional("format", self.format.as_deref())?);
        Ok(match self.pictures {
            Some(folder) => open.pictures(folder),
            None => open,
        })
    }
}

/// The labels of a set of pictures.
#[pyclass(frozen, module = "forebay._forebay")]
#[derive(Debug)]
pub(crate) struct LabelSet(Arc<Set>);

#[pymethods]
impl LabelSet {
    /// Reads a label file, or a folder of them.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf, options: String) -> PyResult<LabelSet> {
        long(py, None, move |_| {
            let mut wanted = parse::<Wanted>(&options)?;
            let project = wanted.project.take();
            let mut set = wanted.open()?.read(&path)?;
            if let Some(project) = project {
                set.labels.follow(&read_project(&project, &Limits::host())?)?;
            }
            Ok(LabelSet(Arc::new(set)))
        })
    }

    fn __len__(&self) -> usize {
        self.model().pictures.len()
    }
    /// The word for the format.
    fn format(&self) -> &'static str {
        self.0.format.word()
    }
    fn annotations(&self) -> usize {
        self.model().annotations()
    }
    /// The classes as JSON text.
    fn classes(&self) -> String {
        self.model().classes.iter().map(class).collect::<Value>().to_string()
    }
    /// What was found while reading, as JSON text.
    fn notes(&self) -> String {
        notes(&self.model().notes).to_string()
    }
    /// Counts as JSON text.
    fn stats(&self, py: Python<'_>) -> PyResult<String> {
        let set = self.0.clone();
        long(py, None, move |_| Ok(stats(set.format, &LabelStats::of(&set.labels)).to_string()))
    }
    /// A picture and what is marked in it, as JSON text.
    fn picture(&self, py: Python<'_>, i: usize) -> PyResult<String> {
        let found = self.model().pictures.get(i).ok_or_else(|| {
            let message = format!("there is no image {i}: there are {}", self.model().pictures.len());
            Error::new(&codes::OUT_OF_RANGE, message)
        });
        Ok(picture(found.raise(py)?).to_string())
    }
    /// The names of the pictures.
    fn names(&self) -> Vec<String> {
        self.model().pictures.iter().map(|picture| picture.name.clone()).collect()
    }

    /// Writes them in a format; what was written and lost as JSON text.
    fn write(&self, py: Python<'_>, path: PathBuf, format: String, force: bool) -> PyResult<String> {
        let set = self.0.clone();
        long(py, None, move |_| {
            let format: Format = word("to", &format)?;
            if !written().any(|known| known == format) {
                let known: Vec<_> = written().map(|format| format.word()).collect();
                let message = format!("labels are not written as {}; these are: {}", format.word(), known.join(", "));
                return Err(Error::new(&codes::ARGUMENT, message));
            }
            let done = write(&set.labels, format, &path, force)?;
            let losses: Map<String, Value> =
                done.losses.iter().map(|(loss, n)| (loss.word().to_owned(), n.into())).collect();
            Ok(json!({ "files": done.files, "bytes": done.bytes, "losses": losses }).to_string())
        })
    }

    /// A row for each annotation, by Arrow's C interface.
    fn arrow_stream<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let set = self.0.clone();
        let batch = long(py, None, move |_| rows(&set.labels))?;
        let schema = batch.schema();
        let reader = RecordBatchIterator::new([Ok(batch)], schema);
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), c"arrow_array_stream")
    }
}

impl LabelSet {
    fn model(&self) -> &Model {
        &self.0.labels
    }
}

/// Counts what a label file holds, without holding it where its format allows that; JSON text.
#[pyfunction]
pub(crate) fn labels_stats(py: Python<'_>, path: PathBuf, options: String) -> PyResult<String> {
    long(py, None, move |_| {
        let (format, found) = parse::<Wanted>(&options)?.open()?.stats(&path)?;
        Ok(stats(format, &found).to_string())
    })
}

/// Whether a label file is sound: its first fault; a report as JSON text.
#[pyfunction]
pub(crate) fn labels_check(py: Python<'_>, path: PathBuf, options: String) -> PyResult<String> {
    long(py, None, move |_| {
        let open = parse::<Wanted>(&options)?.open()?;
        let report = match open.stats(&path) {
            Ok((_, stats)) => Report::new(stats.pictures),
            Err(e) if matches!(e.kind(), Kind::Damaged | Kind::Limit) => Report::unopened(&e),
            Err(e) => return Err(e),
        };
        Ok(json!(report).to_string())
    })
}

fn stats(format: Format, stats: &LabelStats) -> Value {
    let classes: Map<String, Value> =
        stats.classes.iter().map(|(name, count)| (name.clone(), (*count).into())).collect();
    let [small, medium, large] = stats.areas;
    json!({
        "format": format.word(),
        "pictures": stats.pictures,
        "without_annotations": stats.empty,
        "annotations": stats.annotations,
        "most_in_one": stats.most,
        "areas": { "small": small, "medium": medium, "large": large },
        "classes": classes,
        "notes": notes(&stats.notes),
    })
}

/// Counts by cause.
fn notes(notes: &Notes) -> Value {
    notes.iter().map(|(cause, n)| (cause.word().to_owned(), Value::from(n))).collect::<Map<_, _>>().into()
}

fn class(class: &Class) -> Value {
    json!({
        "name": class.name,
        "id": class.id.as_ref().map(id),
        "group": class.group,
        "keypoints": class.keypoints,
        "skeleton": class.skeleton,
    })
}

fn id(id: &Id) -> Value {
    match id {
        Id::Number(n) => (*n).into(),
        Id::Text(text) => text.as_ref().into(),
    }
}

fn corners(rect: &Rect) -> Value {
    json!([rect.x0, rect.y0, rect.x1, rect.y1])
}

fn picture(picture: &Picture) -> Value {
    json!({
        "name": picture.name,
        "width": picture.width,
        "height": picture.height,
        "id": picture.id.as_ref().map(id),
        "unlabelled": picture.unlabelled,
        "annotations": picture.annotations.iter().map(|one| {
            let mut found = annotation(one);
            found["clipped"] = picture.clip(one).rect().map_or(Value::Null, |rect| corners(&rect));
            found
        }).collect::<Value>(),
    })
}

/// What marks an object: its word.
fn kind(annotation: &Annotation) -> &'static str {
    match &annotation.shape {
        Shape::Rotated { .. } => "rotated",
        Shape::Polygon(_) => "polygon",
        Shape::Mask(_) => "mask",
        Shape::Points => "points",
        _ => "box",
    }
}

/// Who made it.
fn source(source: Source) -> &'static str {
    match source {
        Source::Human => "human",
        Source::Model => "model",
        Source::Simulator => "simulator",
        _ => "other",
    }
}

fn annotation(one: &Annotation) -> Value {
    let shape = match &one.shape {
        Shape::Rotated { unturned, degrees } => json!({ "unturned": corners(unturned), "degrees": degrees }),
        Shape::Polygon(parts) => json!({ "parts": parts }),
        Shape::Mask(mask) => json!({ "width": mask.width(), "height": mask.height(), "counts": mask.counts() }),
        _ => Value::Null,
    };
    let flags = one.flags;
    let flags = [
        ("crowd", flags.crowd),
        ("difficult", flags.difficult),
        ("truncated", flags.truncated),
        ("occluded", flags.occluded),
        ("outside", flags.outside),
    ];
    json!({
        "kind": kind(one),
        "box": corners(&one.rect),
        "shape": shape,
        "class": one.class,
        "score": one.score,
        "source": one.source.map(source),
        "flags": flags.iter().filter(|(_, said)| *said).map(|(name, _)| *name).collect::<Vec<_>>(),
        "keypoints": one.keypoints.iter().map(|point| json!([point.x, point.y, point.visibility])).collect::<Value>(),
        "attributes": one.attributes.iter().map(|(key, value)| (key.clone(), value.clone().into())).collect::<Map<_, _>>(),
        "id": one.id.as_ref().map(id),
        "track": one.track,
    })
}

/// A row for each annotation.
fn rows(labels: &Model) -> Result<RecordBatch> {
    let all = || (0_u64..).zip(&labels.pictures).flat_map(|(i, p)| p.annotations.iter().map(move |a| (i, p, a)));
    let corner = |of: fn(&Rect) -> f64| -> ArrayRef {
        Arc::new(
            all().map(|(_, _, a)| of(&a.rect)).collect::<Vec<f64>>().into_iter().map(Some).collect::<Float64Array>(),
        )
    };
    let flag = |of: fn(&Annotation) -> bool| -> ArrayRef {
        Arc::new(all().map(|(_, _, a)| Some(of(a))).collect::<BooleanArray>())
    };
    let pixels = |of: fn(&Picture) -> Option<u32>| -> ArrayRef {
        Arc::new(all().map(|(_, p, _)| of(p).map(i64::from)).collect::<Int64Array>())
    };
    let columns: Vec<(&str, ArrayRef, bool)> = vec![
        ("picture", Arc::new(UInt64Array::from_iter_values(all().map(|(i, _, _)| i))), false),
        ("name", Arc::new(StringArray::from_iter_values(all().map(|(_, p, _)| p.name.as_str()))), false),
        ("width", pixels(|p| p.width), true),
        ("height", pixels(|p| p.height), true),
        (
            "class",
            Arc::new(all().map(|(_, _, a)| a.class.and_then(|c| labels.classes.name(c))).collect::<StringArray>()),
            true,
        ),
        ("kind", Arc::new(StringArray::from_iter_values(all().map(|(_, _, a)| kind(a)))), false),
        ("x0", corner(|r| r.x0), false),
        ("y0", corner(|r| r.y0), false),
        ("x1", corner(|r| r.x1), false),
        ("y1", corner(|r| r.y1), false),
        ("score", Arc::new(all().map(|(_, _, a)| a.score).collect::<Float64Array>()), true),
        ("track", Arc::new(all().map(|(_, _, a)| a.track).collect::<Int64Array>()), true),
        ("crowd", flag(|a| a.flags.crowd), false),
        ("difficult", flag(|a| a.flags.difficult), false),
        ("truncated", flag(|a| a.flags.truncated), false),
        ("occluded", flag(|a| a.flags.occluded), false),
    ];
    RecordBatch::try_from_iter_with_nullable(columns)
        .map_err(|e| Error::caused(&codes::IO, "the annotations do not become a table", e))
}
