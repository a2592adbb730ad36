//! One frame made into what is stored of it.

use std::{
    fs::File,
    io::Read as _,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use bytes::BytesMut;
use forebay::{
    Error, Result,
    annotations::Exif,
    image::decode::{Orientation, cost, orientation},
    warehouse::{BoxCounts, Cause, Endianness, from_pixels, sha256},
};

use super::{
    Settings,
    frames::{Frame, Place, Stamp, Survey, changed},
    image::{How, Imager, decode_options, place},
    recorder::cause_of,
};
use crate::{
    input::{display, io_error},
    parallel::budget::Budget,
};

/// Makes frames, on any number of threads.
pub(super) struct Maker<'a> {
    survey: &'a Survey,
    settings: &'a Settings,
    how: How,
    budget: Budget,
    tools: Mutex<Vec<Tools>>,
    /// Room for images, used again and again.
    room: Mutex<Vec<Vec<u8>>>,
}

/// What a thread works with.
#[derive(Default)]
struct Tools {
    imager: Imager,
    file: Vec<u8>,
    buffer: BytesMut,
}

/// How long something took.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Times {
    pub read: Duration,
    pub decode: Duration,
    pub resize: Duration,
}

/// What became of a frame.
pub(super) enum Became {
    Stored(Image),
    /// Left out for having no box.
    Empty(BoxCounts),
    Refused(Cause, String),
}

/// What is stored of a frame.
pub(super) struct Image {
    pub bytes: Vec<u8>,
    pub boxes: Vec<[f32; 4]>,
    pub classes: Vec<Option<u32>>,
    pub counts: BoxCounts,
    pub turned: bool,
}

/// A frame that was worked on.
pub(super) struct Made {
    /// The digest of the picture as it lies in its source.
    pub digest: String,
    pub became: Became,
    pub times: Times,
}

/// The longest time that buffers of this size are kept for: larger ones are given back.
const KEPT: usize = 64 << 20;

impl<'a> Maker<'a> {
    pub fn new(survey: &'a Survey, settings: &'a Settings, workers: usize) -> Self {
        let decode = decode_options(settings.exif == Exif::Apply, &settings.limits);
        let how = How { size: settings.size, resize: settings.resize, decode };
        let budget = Budget::new(crate::parallel::budget::usual(workers));
        Maker { survey, settings, how, budget, tools: Mutex::default(), room: Mutex::default() }
    }

    /// Takes back the room of an image that was written.
    pub fn give_back(&self, bytes: Vec<u8>) {
        self.room.lock().unwrap_or_else(PoisonError::into_inner).push(bytes);
    }

    fn with_tools<T>(&self, work: impl FnOnce(&mut Tools) -> T) -> T {
        let lock = || self.tools.lock().unwrap_or_else(PoisonError::into_inner);
        let mut tools = lock().pop().unwrap_or_default();
        let made = work(&mut tools);
        if tools.file.capacity() > KEPT {
            tools.file = Vec::new();
        }
        lock().push(tools);
        made
    }

    /// The digest of a frame's picture as it lies in its source.
    pub fn digest(&self, frame: &Frame) -> Result<String> {
        self.with_tools(|tools| {
            let Tools { file, buffer, .. } = tools;
            self.payload(frame, file, buffer).map(|(payload, _)| sha256(&payload))
        })
    }

    /// A frame's picture, and its size where it is raw.
    fn payload<'b>(&self, frame: &Frame, file: &'b mut Vec<u8>, buffer: &mut BytesMut) -> Result<Payload<'b>> {
        match &frame.place {
            Place::File(stamp) => {
                read(stamp, file)?;
                Ok((Bytes::Borrowed(file), None))
            }
            Place::Sample { dataset, number } => {
                let dataset = self.survey.datasets.get(*dataset).ok_or_else(changed)?;
                let stored = dataset.stored(*number, true, buffer)?;
                Ok((Bytes::Owned(stored.payload), stored.raw))
            }
        }
    }

    /// Works on a frame. Faults of the frame are its outcome; what concerns the whole build is an error.
    pub fn make(&self, frame: &Frame) -> Result<Made> {
        self.with_tools(|tools| self.make_with(frame, tools))
    }

    fn make_with(&self, frame: &Frame, tools: &mut Tools) -> Result<Made> {
        let mut times = Times::default();
        let begun = Instant::now();
        let Tools { imager, file, buffer } = tools;
        let payload = self.payload(frame, file, buffer);
        let (payload, raw) = match payload {
            Ok(found) => found,
            // A damaged sample of a dataset.
            Err(e) => return refused(&e, String::new(), times).ok_or(e),
        };
        let digest = sha256(&payload);
        times.read = begun.elapsed();
        let turned = raw.is_none() && orientation(&payload) != Orientation::Upright;
        if turned && self.settings.exif == Exif::Refuse {
            let became = Became::Refused(Cause::Turned, "the image is to be turned, as EXIF says".into());
            return Ok(Made { digest, became, times });
        }
        let _share = self.budget.take(cost(&payload, &self.how.decode));
        let begun = Instant::now();
        let decoded = match imager.decode(&payload, raw, &self.how) {
            Ok(decoded) => decoded,
            Err(e) => return refused(&e, digest, times).ok_or(e),
        };
        times.decode = begun.elapsed();
        let begun = Instant::now();
        let (mut boxes, mut classes) = (Vec::new(), Vec::new());
        let counts = place(&frame.boxes, &decoded.placement, self.settings.max_boxes, |corners, class| {
            boxes.push(corners);
            classes.push(class);
        });
        if boxes.is_empty() && self.settings.skip_empty {
            return Ok(Made { digest, became: Became::Empty(counts), times });
        }
        let planes = decoded.image()?;
        let mut bytes = self.room.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        bytes.clear();
        from_pixels(self.settings.dtype, Endianness::Little, planes, &mut bytes);
        times.resize = begun.elapsed();
        let turned = turned && self.settings.exif == Exif::Apply;
        Ok(Made { digest, became: Became::Stored(Image { bytes, boxes, classes, counts, turned }), times })
    }
}

/// Bytes that are borrowed or shared.
enum Bytes<'a> {
    Borrowed(&'a [u8]),
    Owned(bytes::Bytes),
}

type Payload<'a> = (Bytes<'a>, Option<(u32, u32)>);

impl std::ops::Deref for Bytes<'_> {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Borrowed(bytes) => bytes,
            Bytes::Owned(bytes) => bytes,
        }
    }
}

/// A fault of one frame's picture.
fn refused(e: &Error, digest: String, times: Times) -> Option<Made> {
    let cause = cause_of(e)?;
    Some(Made { digest, became: Became::Refused(cause, e.to_string()), times })
}

/// Reads a file that must be as it was.
fn read(stamp: &Stamp, into: &mut Vec<u8>) -> Result<()> {
    let failed = |e| io_error(&display(&stamp.path), "read the image", e);
    let mut file = File::open(&stamp.path).map_err(failed)?;
    let found = file.metadata().map_err(failed)?;
    if Stamp::of(stamp.path.clone(), &found) != *stamp {
        return Err(changed().file(display(&stamp.path)));
    }
    into.clear();
    let read = (&mut file).take(stamp.size.saturating_add(1)).read_to_end(into).map_err(failed)?;
    if read as u64 != stamp.size {
        return Err(changed().file(display(&stamp.path)));
    }
    Ok(())
}
