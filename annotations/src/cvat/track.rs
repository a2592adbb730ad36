//! The boxes of a video: tracks list frames, and what is between them follows.

use std::collections::BTreeMap;

use crate::error::{Error, Result};

use super::super::geometry::is_upright;
use super::super::xml::Node;
use super::super::{Annotation, Between, Cause, Notes, Picture, ReadOptions, Rect, Shape, Spot, codes};
use super::shape::{Shapes, whole, whole_or};

/// What an annotation that is computed takes in memory, about, beside its attributes; and so does a frame with nothing in it.
const BYTES: u64 = 320;

/// The boxes of every track, by their frame.
#[derive(Debug, Default)]
pub(super) struct Tracks {
    frames: BTreeMap<i64, Vec<Annotation>>,
    size: Option<(u32, u32)>,
    first: Option<i64>,
    last: Option<i64>,
    /// How many frames there are said to be.
    count: Option<i64>,
    step: i64,
    /// The file is of a video, as it says or as its tracks do.
    video: bool,
    /// Bytes of annotations that were computed.
    computed: u64,
}

impl Tracks {
    /// What stands before the tracks: the size of the pictures, the last frame, and whether frames were left out.
    pub(super) fn meta(&mut self, level: &Node) {
        let number = |node: &Node, name: &str| node.text_of(name).and_then(|text| text.parse::<i64>().ok());
        if let Some(size) = level.child("original_size") {
            let side = |name: &str| number(size, name).and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0);
            self.size = side("width").zip(side("height"));
        }
        self.first = number(level, "start_frame").or(self.first);
        self.last = number(level, "stop_frame").or(self.last);
        self.count = number(level, "size").or(self.count);
        self.video |= level.text_of("mode").is_some_and(|mode| mode.trim() == "interpolation");
        let filter = level.text_of("frame_filter").and_then(|text| text.trim().strip_prefix("step="));
        self.step = filter.and_then(|text| text.trim().parse().ok()).filter(|n| *n > 0).unwrap_or(self.step.max(1));
    }

    /// Takes in a track.
    pub(super) fn add(
        &mut self,
        track: &Node,
        class: u32,
        shapes: &mut Shapes,
        options: &ReadOptions,
        notes: &mut Notes,
    ) -> Result<()> {
        self.video = true;
        let id = whole_or(track, "id", 0)?;
        let mut listed: BTreeMap<i64, (Annotation, Spot)> = BTreeMap::new();
        for node in &track.children {
            let Some(mut annotation) = shapes.read(node, self.size, notes)? else { continue };
            let frame = whole(node, "frame")?;
            if !(0..=i64::from(u32::MAX)).contains(&frame) {
                return Err(node.spot.fault(&codes::NUMBER, format!("{frame} is not a number of a frame")));
            }
            annotation.class = Some(class);
            annotation.track = Some(id);
            if listed.insert(frame, (annotation, node.spot.clone())).is_some() {
                let message = format!("frame {frame} is there twice in track {id}");
                return Err(node.spot.fault(&codes::REPEATED, message));
            }
        }
        if options.between != Between::Listed {
            self.between(&listed, options, notes)?;
        }
        for (frame, (annotation, _)) in listed {
            self.frames.entry(frame).or_default().push(annotation);
        }
        Ok(())
    }

    /// Computes the frames that a track does not list. After one that says that the object is outside there is nothing.
    fn between(
        &mut self,
        listed: &BTreeMap<i64, (Annotation, Spot)>,
        options: &ReadOptions,
        notes: &mut Notes,
    ) -> Result<()> {
        let step = self.step.max(1);
        let mut next = listed.iter().skip(1);
        for (frame, (annotation, spot)) in listed {
            let following = next.next();
            let end = match following {
                Some((frame, _)) => *frame,
                // The last one goes on to the end of the video, if that is known.
                None => self.last.map_or(*frame, |last| last.saturating_add(1)),
            };
            if annotation.flags.outside || end <= frame.saturating_add(step) {
                continue;
            }
            if options.between == Between::Refuse {
                let message = format!("frames {frame} to {end} of a track are not listed");
                return Err(spot.fault(&codes::UNSUPPORTED, message).with_options(&["between"]));
            }
            let Some(from) = turned(annotation) else {
                let message = "only boxes are computed between the frames of a track, and this is not a box";
                return Err(spot.fault(&codes::UNSUPPORTED, message).with_options(&["between"]));
            };
            let to = following.and_then(|(_, (annotation, _))| turned(annotation)).unwrap_or(from);
            let attributes = annotation.attributes.iter().map(|(key, text)| key.len() + text.len() + 64);
            let bytes = BYTES.saturating_add(attributes.sum::<usize>() as u64);
            // All that will be made is counted before any of it is.
            let count = (end - frame - 1).unsigned_abs() / step.unsigned_abs();
            self.computed = self.computed.saturating_add(bytes.saturating_mul(count));
            let many = || format!("{count} frames from {frame} to {end} of a track would be computed");
            check(self.computed, options, many).map_err(|e| e.line(spot.line, spot.character))?;
            for frame_between in (*frame..end).step_by(usize::try_from(step).unwrap_or(usize::MAX)).skip(1) {
                let share = (frame_between - frame) as f64 / (end - frame) as f64;
                let (rect, degrees) = mixed(from, to, if following.is_some() { share } else { 0.0 });
                let moved = Annotation::rotated(rect, degrees, annotation.class);
                let computed = Annotation { shape: moved.shape, rect: moved.rect, ..annotation.clone() };
                // Most frames have few: a vector's own first step is four.
                let all = self.frames.entry(frame_between).or_insert_with(|| Vec::with_capacity(1));
                all.push(computed);
                notes.add(Cause::Interpolated);
            }
        }
        Ok(())
    }

    /// Adds the frames of the video in which nothing is: a detector learns from them too. If the file does not say which
    /// frames there are, or its numbers contradict each other, there are those that tracks name and no others.
    pub(super) fn add_empty(&mut self, options: &ReadOptions) -> Result<()> {
        let (true, Some(first), Some(last)) = (self.video, self.first, self.last) else { return Ok(()) };
        let step = self.step.max(1);
        let is_frame = |frame: i64| (first..=last).contains(&frame) && (frame - first) % step == 0;
        if first < 0 || last < first || last > i64::from(u32::MAX) || !self.frames.keys().all(|frame| is_frame(*frame))
        {
            return Ok(());
        }
        let count = (last - first) / step + 1;
        if self.count.is_some_and(|said| said != count) {
            return Ok(());
        }
        let empty = count.unsigned_abs().saturating_sub(self.frames.len() as u64).saturating_mul(BYTES);
        let many = || format!("{count} frames of the video would be images, most of them empty");
        check(self.computed.saturating_add(empty), options, many)?;
        for frame in (0..count).map(|number| first + number * step) {
            self.frames.entry(frame).or_default();
        }
        Ok(())
    }

    /// Hands over the frames, in their order.
    pub(super) fn pictures(self, sink: &mut dyn FnMut(Picture) -> Result<()>) -> Result<()> {
        for (frame, annotations) in self.frames {
            let mut picture = Picture::named(format!("frame_{frame:06}"));
            picture.width = self.size.map(|size| size.0);
            picture.height = self.size.map(|size| size.1);
            picture.id = Some(frame.into());
            picture.annotations = annotations;
            sink(picture)?;
        }
        Ok(())
    }
}

/// Refuses to make more than metadata may take, and says what makes fewer.
fn check(bytes: u64, options: &ReadOptions, what: impl FnOnce() -> String) -> Result<()> {
    options.limits.metadata(bytes).map(drop).map_err(|e| {
        let message = format!("{}: {}; without frames that are not listed it is less", what(), e.message());
        Error::new(e.code(), message).with_options(&["between"])
    })
}

/// A box and its turn; `None` for other shapes.
fn turned(annotation: &Annotation) -> Option<(Rect, f64)> {
    match annotation.shape {
        Shape::Box => Some((annotation.rect, 0.0)),
        Shape::Rotated { unturned, degrees } => Some((unturned, degrees)),
        _ => None,
    }
}

/// A box between two others; it turns the shorter way.
fn mixed((a, from): (Rect, f64), (b, to): (Rect, f64), share: f64) -> (Rect, f64) {
    let mix = |a: f64, b: f64| a + (b - a) * share;
    let way = (to - from + 180.0).rem_euclid(360.0) - 180.0;
    let degrees = if is_upright(way) { from } else { (from + way * share).rem_euclid(360.0) };
    (Rect::new(mix(a.x0, b.x0), mix(a.y0, b.y0), mix(a.x1, b.x1), mix(a.y1, b.y1)), degrees)
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;
    use crate::Labels;

    fn frame(frame: u64, x: u64, more: &str) -> String {
        format!("<box frame='{frame}' xtl='{x}' ytl='0' xbr='{}' ybr='10' {more}/>", x + 10)
    }

    fn read_track(meta: &str, boxes: &str, between: Between) -> Result<Labels> {
        let text = format!(
            "<annotations><meta><task><stop_frame>6</stop_frame>{meta}<original_size><width>64</width><height>48</height>\
            </original_size></task></meta><track id='7' label='car'>{boxes}</track></annotations>"
        );
        read(text.as_bytes(), &ReadOptions { between, ..ReadOptions::default() })
    }

    fn lefts(labels: &Labels) -> Vec<(String, f64)> {
        labels.pictures.iter().map(|p| (p.name.clone(), p.annotations[0].rect.x0)).collect()
    }

    #[test]
    fn frames_between_are_computed_and_counted() {
        let boxes = frame(0, 0, "") + &frame(2, 20, "") + &frame(3, 20, "outside='1'") + &frame(5, 8, "rotation='90'");
        let labels = read_track("", &boxes, Between::Interpolate).unwrap();
        let expected = [(0, 0.0), (1, 10.0), (2, 20.0), (3, 20.0), (5, 8.0), (6, 8.0)];
        assert_eq!(lefts(&labels), expected.map(|(n, x)| (format!("frame_{n:06}"), x)));
        assert_eq!((labels.notes.of(Cause::Interpolated), labels.pictures[0].size()), (2, Some((64, 48))));
        assert!(labels.pictures[3].annotations[0].flags.outside && labels.pictures[0].annotations[0].track == Some(7));
        assert!(matches!(labels.pictures[5].annotations[0].shape, Shape::Rotated { degrees: 90.0, .. }));
        assert_eq!(read_track("", &boxes, Between::Listed).unwrap().pictures.len(), 4);
        let e = read_track("", &boxes, Between::Refuse).unwrap_err();
        assert_eq!((e.code().id(), e.options()), ("label.unsupported", ["between"].as_slice()));
    }

    #[test]
    fn frames_that_were_left_out_of_the_video_are_not_computed() {
        let boxes = frame(0, 0, "") + &frame(6, 60, "");
        let labels = read_track("<frame_filter>step=3</frame_filter>", &boxes, Between::Interpolate).unwrap();
        assert_eq!(lefts(&labels), [(0, 0.0), (3, 30.0), (6, 60.0)].map(|(n, x)| (format!("frame_{n:06}"), x)));
    }

    #[test]
    fn frames_in_which_nothing_is_are_pictures_if_the_file_says_which_there_are() {
        let read_video = |meta: &str, boxes: &str, between| {
            let text = format!(
                "<annotations><meta><task>{meta}<stop_frame>14</stop_frame></task></meta>\
                <track label='car'>{boxes}</track></annotations>"
            );
            read(text.as_bytes(), &ReadOptions { between, ..ReadOptions::default() })
        };
        let names =
            |labels: Labels| labels.pictures.iter().map(|p| (p.name.clone(), p.annotations.len())).collect::<Vec<_>>();
        let every_fifth = "<size>3</size><start_frame>4</start_frame><frame_filter>step=5</frame_filter>";
        let one = frame(9, 0, "") + &frame(14, 0, "outside='1'");
        let found = names(read_video(every_fifth, &one, Between::Interpolate).unwrap());
        assert_eq!(found, [(4, 0), (9, 1), (14, 1)].map(|(n, boxes)| (format!("frame_{n:06}"), boxes)));
        // Only what tracks list, as was asked for; and where the numbers do not fit together.
        let few = |meta: &str, boxes: &str, between| read_video(meta, boxes, between).unwrap().pictures.len();
        assert_eq!(few(every_fifth, &one, Between::Listed), 2);
        for odd in [
            "<start_frame>5</start_frame><frame_filter>step=5</frame_filter>",
            "<size>4</size><start_frame>4</start_frame><frame_filter>step=5</frame_filter>",
            "<start_frame>10</start_frame><frame_filter>step=5</frame_filter>",
            "<start_frame>15</start_frame><frame_filter>step=5</frame_filter>",
            "<frame_filter>step=5</frame_filter>",
        ] {
            assert_eq!(few(odd, &one, Between::Interpolate), 2, "{odd}");
        }
        // A video without a track says by its mode that it is one; pictures say so themselves.
        let bare = |more: &str| {
            let text = format!(
                "<annotations><meta><task><mode>interpolation</mode><start_frame>0</start_frame><stop_frame>2</stop_frame>\
                </task></meta>{more}</annotations>"
            );
            read(text.as_bytes(), &ReadOptions::default()).unwrap().pictures.len()
        };
        assert_eq!((bare(""), bare("<image name='a.jpg'/>")), (3, 1));
        // Four billion frames of nothing are not made.
        let long = "<annotations><meta><task><start_frame>0</start_frame><stop_frame>4000000000</stop_frame></task></meta>\
            <track label='car'/></annotations>";
        let limits = crate::limits::Limits::default().with_metadata_bytes(1 << 16);
        let e = read(long.as_bytes(), &ReadOptions { limits, ..ReadOptions::default() }).unwrap_err();
        assert_eq!(e.code().id(), "limit.metadata");
    }

    #[test]
    fn tracks_that_make_no_sense_are_refused() {
        let both = frame(1, 0, "") + &frame(1, 0, "");
        assert!(
            read_track("", &both, Between::Interpolate).unwrap_err().to_string().contains("frame 1 is there twice")
        );
        assert!(read_track("", &frame(1 << 40, 0, ""), Between::Interpolate).is_err());
        let outline = "<polygon frame='0' points='1,2;3,4;5,1'/><polygon frame='2' points='1,2;3,4;5,1'/>";
        assert!(
            read_track("", outline, Between::Interpolate).unwrap_err().to_string().contains("only boxes are computed")
        );
        let far = format!(
            "<annotations><track label='car'>{}{}</track></annotations>",
            frame(0, 0, ""),
            frame(4_000_000_000, 0, "")
        );
        let limits = crate::limits::Limits::default().with_metadata_bytes(1 << 16);
        let e = read(far.as_bytes(), &ReadOptions { limits: limits.clone(), ..ReadOptions::default() }).unwrap_err();
        assert_eq!((e.code().id(), e.options()), ("limit.metadata", ["between"].as_slice()));
        assert!(e.to_string().contains("3999999999 frames from 0 to 4000000000"), "{e}");
        // What is refused is not made before: by default there would be more of it than there is memory for.
        let e = read(far.as_bytes(), &ReadOptions::default()).unwrap_err();
        assert_eq!(e.code().id(), "limit.metadata");
        // Every frame has the attributes too.
        let long = format!("<attribute name='a'>{}</attribute></box>", "x".repeat(1 << 12));
        let heavy = format!(
            "<annotations><track label='car'>{}{}</track></annotations>",
            frame(0, 0, "").replace("/>", &format!(">{long}")),
            frame(100, 0, "")
        );
        let e = read(heavy.as_bytes(), &ReadOptions { limits, ..ReadOptions::default() }).unwrap_err();
        assert_eq!(e.code().id(), "limit.metadata");
    }

    #[test]
    fn a_box_turns_the_shorter_way() {
        let rect = Rect::new(0.0, 0.0, 10.0, 10.0);
        assert_eq!(mixed((rect, 350.0), (rect, 20.0), 0.5).1, 5.0);
        assert_eq!(mixed((rect, 20.0), (rect, 350.0), 0.5).1, 5.0);
    }
}
