//! Labels written as YOLO's lines, and the `data.yaml` beside them.

use std::collections::HashMap;

use crate::error::{Error, Result};

use super::super::listing::stem;
use super::super::script::{Out, boxed_by, files, only_names, present, told};
use super::super::{Annotation, Classes, Clip, Flags, Labels, Loss, Losses, Picture, Rect, Shape, Task, codes};

/// Writes a set: a `data.yaml`, and the labels of each picture in `labels/`; the pictures belong into `images/`. What the
/// format cannot say is counted. Without a task, labels that all have as many key points are written with them, labels of outlines
/// alone as such, turned boxes alone as such, and everything else as boxes: a trainer takes only one of them from a set.
///
/// # Errors
///
/// `label.repeated` where two pictures would have the same file of labels.
pub fn write(labels: &Labels, task: Option<Task>, put: &mut dyn FnMut(&str, &[u8]) -> Result<()>) -> Result<Losses> {
    files(Script { task, ..Script::default() }, labels, put)
}

/// A file a picture, behind that of the classes.
#[derive(Debug, Default)]
pub(crate) struct Script {
    task: Option<Task>,
    /// Key points of every annotation, if all have as many: a set has those of one kind.
    keypoints: Option<usize>,
    /// The names of the files that were written, and of whose picture each was.
    seen: HashMap<String, usize>,
}

impl super::super::script::Script for Script {
    fn begin(&mut self, labels: &Labels, out: &mut Out<'_>) -> Result<()> {
        self.keypoints = keypoints_of(labels).filter(|_| self.task.is_none());
        let task = || if self.keypoints.is_some() { Task::Boxes } else { task_of(labels) };
        self.task = Some(self.task.unwrap_or_else(task));
        *out.losses = only_names(labels);
        count_names(&labels.classes, out.losses)?;
        let mut text = data_yaml(&labels.classes);
        if let Some(many) = self.keypoints {
            text.push_str(&format!("kpt_shape: [{many}, 3]\n"));
        }
        out.file("data.yaml", text.as_bytes())
    }

    fn picture(&mut self, labels: &Labels, i: usize, _: u32, out: &mut Out<'_>) -> Result<()> {
        let picture = &labels.pictures[i];
        if picture.unlabelled {
            out.losses.add(Loss::Unlabelled);
            return Ok(());
        }
        let name = label_name(&picture.name);
        let text = lines_of(picture, self.task.unwrap_or(Task::Boxes), self.keypoints.is_some(), out.losses);
        if let Some(other) = self.seen.insert(name.clone(), i) {
            let other = &labels.pictures[other].name;
            let message = format!("{other:?} and {:?} would have the same labels, {name}", picture.name);
            return Err(Error::new(&codes::REPEATED, message));
        }
        text.map_or(Ok(()), |text| out.file(&name, text.as_bytes()))
    }
}

/// Counts names that lose the blanks around them; two that would become one are refused.
fn count_names(classes: &Classes, losses: &mut Losses) -> Result<()> {
    let mut seen: HashMap<&str, &str> = HashMap::new();
    for name in classes.iter().map(|class| class.name.as_str()) {
        if let Some(other) = seen.insert(name.trim(), name) {
            let message = format!("the classes {other:?} and {name:?} would have one name; give one of them another");
            return Err(Error::new(&codes::REPEATED, message));
        }
        losses.add_many(Loss::Name, u64::from(name.trim() != name));
    }
    Ok(())
}

/// What the lines of a set have to be so that nothing that marks its objects is lost, if one kind of line can do that.
fn task_of(labels: &Labels) -> Task {
    let annotations = || labels.pictures.iter().flat_map(|p| &p.annotations).filter(|one| !one.flags.outside);
    match () {
        () if annotations().next().is_none() => Task::Boxes,
        () if annotations().all(|one| matches!(one.shape, Shape::Rotated { .. })) => Task::Obb,
        () if annotations().all(|one| matches!(one.shape, Shape::Polygon(_))) => Task::Segment,
        () => Task::Boxes,
    }
}

/// How many key points every annotation has, if all have as many: then they can be written behind the boxes.
fn keypoints_of(labels: &Labels) -> Option<usize> {
    let mut all = labels.pictures.iter().flat_map(|p| &p.annotations).filter(|one| !one.flags.outside);
    let many = all.next()?.keypoints.len();
    all.all(|one| one.keypoints.len() == many).then_some(many).filter(|many| *many > 0)
}

/// The text of a `data.yaml` for pictures under `images/`.
pub fn data_yaml(classes: &Classes) -> String {
    // A key without a value would be no list of names.
    let none = if classes.is_empty() { " []" } else { "" };
    let mut out = format!("path: .\ntrain: images\nval: images\nnc: {}\nnames:{none}\n", classes.len());
    for (number, class) in classes.iter().enumerate() {
        out.push_str(&format!("  {number}: {}\n", quoted(&class.name)));
    }
    out
}

/// A text in quotation marks, as YAML and JSON both read it.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            // What YAML takes for an end of a line, or does not allow.
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}') => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out + "\""
}

/// Where the labels of a picture belong, beside a folder `images` that has the pictures.
///
/// ```
/// use forebay_annotations::yolo::label_name;
/// assert_eq!(label_name("sub/a.b.jpg"), "labels/sub/a.b.txt");
/// assert_eq!(label_name("images/train/a.jpg"), "labels/train/a.txt");
/// ```
pub fn label_name(picture: &str) -> String {
    let picture = picture.strip_prefix("images/").unwrap_or(picture);
    format!("labels/{}.txt", stem(picture))
}

/// The lines of a picture. Boxes are cut at its border; what a line cannot say is counted. `None` where the picture's size
/// is not known, without which there are no fractions.
pub fn lines(picture: &Picture, task: Task, losses: &mut Losses) -> Option<String> {
    lines_of(picture, task, false, losses)
}

/// The same, with key points behind each box if they are `posed`.
fn lines_of(picture: &Picture, task: Task, posed: bool, losses: &mut Losses) -> Option<String> {
    let Some((width, height)) = picture.size() else {
        losses.add(Loss::SizeMissing);
        return None;
    };
    let size = (f64::from(width), f64::from(height));
    let mut out = String::new();
    for annotation in present(picture, losses) {
        let Some(class) = annotation.class else {
            losses.add(Loss::NoClass);
            continue;
        };
        let shape = || if annotation.shape == Shape::Points { Shape::Box } else { annotation.shape.clone() };
        let boxed = posed.then(|| Annotation { shape: shape(), keypoints: Vec::new(), ..annotation.clone() });
        let one = boxed.as_ref().unwrap_or(annotation);
        let Some(values) = values(one, size, task, losses) else { continue };
        out.push_str(&class.to_string());
        for value in values {
            out.push_str(&format!(" {value}"));
        }
        for point in annotation.keypoints.iter().filter(|_| posed) {
            let [x, y] = [point.x / size.0, point.y / size.1].map(|share| share.clamp(0.0, 1.0));
            out.push_str(&format!(" {x} {y} {}", point.visibility));
        }
        out.push('\n');
        told(one, Flags::default(), |_, _| false, losses);
    }
    Some(out)
}

/// The numbers of a line; `None` where nothing of it is in the picture, or nothing can be said.
fn values(annotation: &Annotation, size: (f64, f64), task: Task, losses: &mut Losses) -> Option<Vec<f64>> {
    let rect = match annotation.rect.clipped(size.0, size.1) {
        _ if annotation.shape == Shape::Points => {
            losses.add(Loss::Points);
            return None;
        }
        Clip::Whole(rect) => rect,
        Clip::Cut(rect) => {
            losses.add(Loss::Clipped);
            rect
        }
        Clip::Nothing => {
            losses.add(Loss::Outside);
            return None;
        }
    };
    let points = |points: &[[f64; 2]]| -> Vec<f64> {
        points.iter().flat_map(|[x, y]| [(x / size.0).clamp(0.0, 1.0), (y / size.1).clamp(0.0, 1.0)]).collect()
    };
    match (&annotation.shape, task) {
        (Shape::Rotated { unturned, degrees }, Task::Obb | Task::Segment) => {
            return Some(points(&unturned.corners(*degrees)));
        }
        (Shape::Polygon(parts), Task::Segment) if parts.len() == 1 && parts[0].len() >= 3 => {
            if let Some(around) = Rect::around(parts[0].iter().copied()) {
                boxed_by(around, annotation, losses);
            }
            return Some(points(&parts[0]));
        }
        (Shape::Rotated { .. }, _) => losses.add(Loss::Rotation),
        (Shape::Polygon(_), _) => losses.add(Loss::Outline),
        (Shape::Mask(_), _) => losses.add(Loss::Mask),
        _ => {}
    }
    Some(match task {
        Task::Boxes => {
            let Rect { x0, y0, x1, y1 } = rect;
            vec![(x0 + x1) / 2.0 / size.0, (y0 + y1) / 2.0 / size.1, rect.width() / size.0, rect.height() / size.1]
        }
        // A set of outlines has no lines of boxes: the trainer would throw the outlines away.
        Task::Obb | Task::Segment => points(&rect.corners(0.0)),
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::{Keypoint, Notes, ReadOptions};
    use super::super::{Data, read};
    use super::*;
    use crate::limits::Limits;

    fn picture(annotations: Vec<Annotation>) -> Picture {
        Picture { width: Some(320), height: Some(240), annotations, ..Picture::named("a.jpg") }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let classes: Classes = ["no", "a: \"b\" #c\\", "汽车\u{2028}\u{7f}"].into_iter().collect();
        let data = Data::from_yaml(data_yaml(&classes).as_bytes(), &Limits::default()).unwrap();
        assert_eq!(data.classes, classes);
        let boxed = Annotation::boxed(Rect::new(10.25, 20.5, 60.75, 80.125), Some(1));
        let turned = Annotation::rotated(Rect::new(100.0, 120.0, 200.0, 160.0), 30.0, Some(0));
        let outline = Annotation::polygon(vec![vec![[1.5, 2.5], [30.0, 4.0], [9.0, 77.0]]], Some(2)).unwrap();
        for (task, annotations) in [
            (Task::Boxes, vec![boxed.clone()]),
            (Task::Obb, vec![turned.clone()]),
            (Task::Segment, vec![outline.clone()]),
        ] {
            let mut losses = Losses::default();
            let text = lines(&picture(annotations.clone()), task, &mut losses).unwrap();
            let options = ReadOptions { task: Some(task), ..ReadOptions::default() };
            let found = read(text.as_bytes(), (320, 240), &data, &options, &mut Notes::default()).unwrap();
            assert!(losses.is_empty() && found.len() == annotations.len());
            for (a, b) in found.iter().zip(&annotations) {
                assert_eq!((a.class, std::mem::discriminant(&a.shape)), (b.class, std::mem::discriminant(&b.shape)));
                let off = [a.rect.x0 - b.rect.x0, a.rect.y0 - b.rect.y0, a.rect.x1 - b.rect.x1, a.rect.y1 - b.rect.y1];
                assert!(off.iter().all(|by| by.abs() < 1e-9), "{off:?}");
            }
        }
    }

    #[test]
    fn key_points_are_written_where_every_annotation_has_as_many() {
        let mut labels = Labels::default();
        let class = Some(labels.classes.found("whale"));
        let points = [(10.0, 20.0, 2), (0.0, 0.0, 0), (30.0, 60.0, 1)];
        let keypoints: Vec<_> = points.map(|(x, y, visibility)| Keypoint { x, y, visibility }).into();
        let rect = Rect::new(10.0, 20.0, 30.0, 60.0);
        let points = Annotation { shape: Shape::Points, keypoints, ..Annotation::boxed(rect, class) };
        let wider = Rect::new(5.0, 10.0, 35.0, 70.0);
        labels.pictures = vec![picture(vec![points.clone(), Annotation { shape: Shape::Box, rect: wider, ..points }])];
        let written = |labels: &Labels| {
            let mut files = Vec::new();
            let mut put = |name: &str, bytes: &[u8]| {
                files.push((name.to_owned(), String::from_utf8_lossy(bytes).into_owned()));
                Ok(())
            };
            let losses = write(labels, None, &mut put).unwrap();
            (files, losses)
        };
        let (files, losses) = written(&labels);
        assert!(losses.is_empty() && files[0].1.ends_with("kpt_shape: [3, 3]\n"), "{losses:?} {files:?}");
        let data = Data::from_yaml(files[0].1.as_bytes(), &Limits::default()).unwrap();
        let options = ReadOptions::default();
        let found = read(files[1].1.as_bytes(), (320, 240), &data, &options, &mut Notes::default()).unwrap();
        assert_eq!(found.len(), 2);
        for (one, is) in
            found.iter().flat_map(|one| one.keypoints.iter().zip(&labels.pictures[0].annotations[0].keypoints))
        {
            assert!((one.x - is.x).abs() < 1e-9 && (one.y - is.y).abs() < 1e-9 && one.visibility == is.visibility);
        }
        labels.pictures[0].annotations.push(Annotation::boxed(rect, class));
        let (files, losses) = written(&labels);
        assert!(!files[0].1.contains("kpt_shape"));
        assert_eq!([losses.of(Loss::Points), losses.of(Loss::Keypoints)], [1, 1]);
    }

    #[test]
    fn what_a_line_cannot_say_is_counted() {
        let mut losses = Losses::default();
        let mut marked = Annotation::boxed(Rect::new(-5.0, 0.0, 10.0, 10.0), Some(0));
        marked.score = Some(0.5);
        marked.flags.crowd = true;
        let annotations = vec![
            marked,
            Annotation::boxed(Rect::new(400.0, 0.0, 410.0, 10.0), Some(0)),
            Annotation::boxed(Rect::new(0.0, 0.0, 10.0, 10.0), None),
            Annotation::rotated(Rect::new(100.0, 120.0, 200.0, 160.0), 30.0, Some(0)),
        ];
        let text = lines(&picture(annotations), Task::Boxes, &mut losses).unwrap();
        assert_eq!(text.lines().next(), Some("0 0.015625 0.020833333333333332 0.03125 0.041666666666666664"));
        let found: Vec<_> = losses.iter().collect();
        let mut expected =
            [Loss::Clipped, Loss::Score, Loss::Flag, Loss::Outside, Loss::NoClass, Loss::Rotation].map(|l| (l, 1));
        expected.sort();
        assert_eq!(found, expected);
        assert_eq!(lines(&Picture::named("a.jpg"), Task::Boxes, &mut losses), None);
    }
}
