//! What label files mark in pictures, as points that a placement can take along.

use std::path::PathBuf;

use forebay::{
    Result,
    annotations::{Annotation, Exif, Format, Shape},
    image::transform::{Placement, Rect},
};

use crate::{
    Dataset, OpenOptions,
    warehouse::{Marked, Settings, marked},
};

/// The marks of every sample of every dataset.
#[derive(Debug)]
pub(super) struct Marks {
    samples: Vec<Vec<Option<Box<[Mark]>>>>,
    pub classes: Vec<String>,
    /// Key points of an object.
    pub points: usize,
}

/// An object in a picture, in pixels of it.
#[derive(Debug)]
pub(super) struct Mark {
    pub rect: Rect,
    /// -1 where nobody knows it.
    pub class: i64,
    parts: Box<[Part]>,
    /// x, y and visibility of each.
    pub points: Box<[[f32; 3]]>,
    /// Only key points mark it: it has no box.
    only_points: bool,
}

/// What belongs to an object. Parts that lie over each other take nothing away from each other.
#[derive(Debug)]
enum Part {
    Outline(Box<[[f32; 2]]>),
    /// Edges around pixels.
    Edges(Box<[[[f32; 2]; 2]]>),
}

/// Where marks are, to tell whether two targets have the same.
pub(super) type Place<'a> = (&'a Option<PathBuf>, Option<Format>);

impl Marks {
    pub fn read(
        (path, format): Place<'_>,
        (sources, datasets): (&[PathBuf], &[Dataset]),
        (open, orient, workers): (&OpenOptions, bool, usize),
    ) -> Result<Marks> {
        let mut settings = Settings::default();
        settings.labels.clone_from(path);
        settings.label_format = format;
        settings.limits = open.limits.clone();
        settings.exif = if orient { Exif::Apply } else { Exif::Ignore };
        settings.label_options.exif = Some(settings.exif);
        settings.workers = Some(workers);
        let Marked { samples, classes, keypoints } = marked(sources, datasets, &settings)?;
        let of_sample = |all: Option<Vec<Annotation>>| -> Option<Box<[Mark]>> {
            // A crowd is several objects, and what is outside does not stand in the picture.
            let is_object = |one: &Annotation| !one.flags.crowd && !one.flags.outside;
            Some(all?.into_iter().filter(is_object).map(Mark::new).collect())
        };
        let samples: Vec<Vec<_>> = samples.into_iter().map(|all| all.into_iter().map(of_sample).collect()).collect();
        let most =
            samples.iter().flatten().flatten().flat_map(|marks| marks.iter()).map(|mark| mark.points.len()).max();
        Ok(Marks { samples, classes, points: keypoints.max(most.unwrap_or(0)) })
    }

    /// What is marked in a sample; nothing where nobody has labeled it.
    pub fn of(&self, source: usize, sample: u64) -> Option<&[Mark]> {
        self.samples.get(source)?.get(usize::try_from(sample).ok()?)?.as_deref()
    }
    /// Whether any sample is labeled.
    pub fn any(&self) -> bool {
        self.samples.iter().flatten().any(Option::is_some)
    }
}

impl Mark {
    fn new(annotation: Annotation) -> Mark {
        let r = annotation.rect;
        let only_points = annotation.shape == Shape::Points;
        let outline = |points: &[[f64; 2]]| Part::Outline(points.iter().map(|p| p.map(|v| v as f32)).collect());
        let parts: Box<[Part]> = match &annotation.shape {
            Shape::Polygon(parts) => parts.iter().map(|points| outline(points)).collect(),
            Shape::Rotated { unturned, degrees } => [outline(&unturned.corners(*degrees))].into(),
            Shape::Mask(mask) => {
                let edges = mask.edges().into_iter().map(|edge| edge.map(|point| point.map(|v| v as f32)));
                [Part::Edges(edges.collect())].into()
            }
            Shape::Points => [].into(),
            _ => [outline(&r.corners(0.0))].into(),
        };
        let points = annotation.keypoints.iter().map(|p| [p.x as f32, p.y as f32, f32::from(p.visibility)]).collect();
        Mark {
            rect: Rect { x: r.x0, y: r.y0, width: r.width(), height: r.height() },
            class: annotation.class.map_or(-1, i64::from),
            parts,
            points,
            only_points,
        }
    }

    /// Where its box is seen; nothing where the tensor shows nothing of it.
    pub fn seen(&self, placement: &Placement) -> Option<Rect> {
        placement.rect(&self.rect)
    }

    /// Whether the tensor shows any of it: of its box, or of its points if it has none.
    pub fn is_seen(&self, placement: &Placement, size: (u32, u32)) -> bool {
        match self.only_points {
            false => self.seen(placement).is_some(),
            true => self.points.iter().any(|point| point_on(*point, placement, size).is_some_and(|p| p[2] > 0.0)),
        }
    }

    /// Gives its pixels on a tensor: a row, and some columns of it.
    pub fn draw(
        &self,
        placement: &Placement,
        (width, height): (u32, u32),
        raster: &mut forebay::annotations::Raster,
        mut take: impl FnMut(usize, std::ops::Range<usize>),
    ) {
        let at = |[x, y]: [f32; 2]| {
            let (x, y) = placement.point(x.into(), y.into());
            [x, y]
        };
        // Labels may leave their picture, and what fills the tensor around it is none of it.
        let window = Window::new(placement);
        let mut inside = |row: usize, found: std::ops::Range<usize>| {
            let columns = window.columns(row);
            let found = found.start.max(columns.start)..found.end.min(columns.end);
            for part in placement.shown.columns(row, found) {
                if !part.is_empty() {
                    take(row, part);
                }
            }
        };
        for part in &self.parts {
            raster.begin(width as usize, height as usize);
            match part {
                Part::Outline(points) => raster.outline(points.iter().map(|point| at(*point))),
                Part::Edges(edges) => edges.iter().for_each(|[a, b]| raster.edge(at(*a), at(*b))),
            }
            raster.end(&mut inside);
        }
    }
}

/// The part of a tensor that shows a picture: what the crop left of it, turned and bent as its pixels are.
struct Window {
    corners: Option<[(f64, f64); 4]>,
    width: usize,
}

impl Window {
    fn new(placement: &Placement) -> Window {
        let side = |at: u32, length: u32| (f64::from(at), f64::from(at) + f64::from(length));
        let ((x, right), (y, bottom)) = (side(placement.x, placement.width), side(placement.y, placement.height));
        let at = |x: f64, y: f64| match &placement.warp {
            Some(warp) => warp.point(x, y),
            None => Some((x, y)),
        };
        // With a corner behind the horizon nobody knows where it ends.
        let corners = || Some([at(x, y)?, at(right, y)?, at(right, bottom)?, at(x, bottom)?]);
        Window { corners: corners(), width: placement.output_width as usize }
    }

    /// The columns of a row whose middles lie inside.
    fn columns(&self, row: usize) -> std::ops::Range<usize> {
        let Some(corners) = self.corners else { return 0..self.width };
        let (y, mut least, mut most) = (row as f64 + 0.5, f64::INFINITY, f64::NEG_INFINITY);
        for (from, to) in (0..4).map(|k| (corners[k], corners[(k + 1) % 4])) {
            if (from.1 <= y) != (to.1 <= y) {
                let x = from.0 + (y - from.1) * (to.0 - from.0) / (to.1 - from.1);
                (least, most) = (least.min(x), most.max(x));
            }
        }
        // No edge crosses the row: both ends are 0.
        let column = |at: f64| ((at - 0.5).ceil().max(0.0) as usize).min(self.width);
        if least <= most { column(least)..column(most) } else { 0..0 }
    }
}

/// The rows and columns of a tensor that show the picture; all, if it was turned or sheared.
fn shown(placement: &Placement) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
    if placement.warp.is_some() {
        return (0..placement.output_height as usize, 0..placement.output_width as usize);
    }
    let span = |from: u32, length: u32| from as usize..from as usize + length as usize;
    (span(placement.y, placement.height), span(placement.x, placement.width))
}

/// A key point in shares of a tensor, as far as it is marked: of one that the tensor does not show the visibility is 0.
pub(super) fn point_on([x, y, visibility]: [f32; 3], placement: &Placement, size: (u32, u32)) -> Option<[f32; 3]> {
    if visibility == 0.0 {
        return None;
    }
    // Where the picture was turned, what lies beside it has no place of its own.
    let is_picture = placement.warp.is_none() || placement.shows(x.into(), y.into());
    let (x, y) = placement.point(x.into(), y.into());
    let (rows, columns) = shown(placement);
    let within = |v: f64, span: &std::ops::Range<usize>| v >= span.start as f64 && v <= span.end as f64;
    let is_shown = is_picture && within(x, &columns) && within(y, &rows) && placement.shown.has(x, y);
    let share = |v: f64, side: u32| (v / f64::from(side.max(1))) as f32;
    Some([share(x, size.0), share(y, size.1), if is_shown { visibility } else { 0.0 }])
}
