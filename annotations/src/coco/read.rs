//! The file in pieces of any size, its elements out. What is kept is one element and the numbers of pictures and
//! classes, whatever the length of the file.

use std::collections::HashSet;

use crate::{
    Class, Id, Notes, Picture, ReadOptions, Rect, Result, Spot, codes,
    json::{Cursor, Feed, Stop, within},
};

use super::{
    element::{self, Detail, Element, Odd},
    ids::Ids,
};

/// An annotation as it comes: its picture and class by the dense numbers that [`Sink`] is told.
#[derive(Debug)]
#[non_exhaustive]
pub struct Marked<'a> {
    /// The picture's number.
    pub picture: u32,
    /// The class's number.
    pub class: Option<u32>,
    /// The box.
    pub rect: Rect,
    /// Whether it marks a crowd.
    pub crowd: bool,
    /// How sure its maker is.
    pub score: Option<f64>,
    /// What the file calls it by.
    pub id: Option<Id>,
    /// What is said beside the box.
    pub detail: Detail<'a>,
}

/// Who takes the elements. Numbers are dense and given when a picture or class is first met: an annotation may come
/// before them.
pub trait Sink {
    /// A class.
    fn class(&mut self, number: u32, class: Class) -> Result<()>;
    /// A picture.
    fn picture(&mut self, number: u32, picture: Picture) -> Result<()>;
    /// An annotation.
    fn annotation(&mut self, marked: Marked<'_>) -> Result<()>;
}

/// Bytes that are taken in at once.
const PIECE: usize = 128 << 10;

/// The lists of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum List {
    Pictures,
    Annotations,
    Classes,
}

impl List {
    const fn key(self) -> &'static str {
        match self {
            List::Pictures => "images",
            List::Annotations => "annotations",
            List::Classes => "categories",
        }
    }
}

/// Where reading stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In front of the first bytes.
    Start,
    /// In front of the outermost bracket.
    Open,
    /// In front of a key, behind that many.
    Key(usize),
    /// In a list, in front of an element, behind that many.
    Element(List, usize),
    /// Behind everything.
    End,
}

/// Reads a COCO file that comes in pieces.
#[derive(Debug)]
pub struct Reader {
    feed: Feed,
    place: Place,
    options: ReadOptions,
    pictures: Ids,
    classes: Ids,
    /// Names of classes.
    names: HashSet<String>,
    /// Lists that were begun, and that were ended.
    begun: [bool; 3],
    ended: [bool; 3],
    notes: Notes,
}

impl Reader {
    /// Reads by these options.
    pub fn new(options: &ReadOptions) -> Reader {
        Reader {
            feed: Feed::new(&options.limits),
            place: Place::Start,
            options: options.clone(),
            pictures: Ids::default(),
            classes: Ids::default(),
            names: HashSet::new(),
            begun: [false; 3],
            ended: [false; 3],
            notes: Notes::default(),
        }
    }

    /// Takes the next bytes, and gives what they complete.
    pub fn feed(&mut self, bytes: &[u8], sink: &mut impl Sink) -> Result<()> {
        // Long pieces would be held whole, and not where the processor is quick to find them.
        for piece in bytes.chunks(PIECE) {
            self.feed.push(piece)?;
            if self.feed.is_enough() {
                self.go(sink, false)?;
            }
        }
        Ok(())
    }

    /// Says that no more bytes come; gives what was found on the way.
    pub fn finish(mut self, sink: &mut impl Sink) -> Result<Notes> {
        self.go(sink, true)?;
        for list in [List::Pictures, List::Classes] {
            if !self.begun[list as usize] {
                let spot = Spot::default().path(list.key());
                return Err(spot.fault(&codes::VALUE, format!("the file has no {:?}", list.key())));
            }
        }
        if let Some((id, spot)) = self.pictures.undeclared() {
            return Err(spot.fault(&codes::PICTURE, format!("no image {id} is declared")));
        }
        if let Some((id, spot)) = self.classes.undeclared() {
            return Err(spot.fault(&codes::CLASS, format!("no category {id} is declared")));
        }
        Ok(self.notes)
    }

    /// Whether the file has a list of annotations so far; one without has not been labeled.
    pub fn has_annotations(&self) -> bool {
        self.begun[List::Annotations as usize]
    }

    /// Reads as far as the bytes go.
    fn go(&mut self, sink: &mut impl Sink, last: bool) -> Result<()> {
        loop {
            if self.place == Place::Start {
                if !self.feed.begin(last)? {
                    return Ok(());
                }
                self.place = Place::Open;
            }
            let done = match self.place {
                Place::Element(list, count) => self.element(list, count, last, sink)?,
                place => self.outer(place, last)?,
            };
            if !done {
                self.feed.wants_more();
                return Ok(());
            }
            if self.place == Place::End && last && self.feed.rest().is_empty() {
                return Ok(());
            }
        }
    }

    /// A step outside the lists; `false` where more bytes are needed.
    fn outer(&mut self, place: Place, last: bool) -> Result<bool> {
        let mut cursor = Cursor::new(self.feed.rest(), last, self.options.limits.nesting);
        let got = (|| match place {
            Place::Open => {
                if cursor.peek()? == b'[' {
                    let message = "an array of results, as a detector gives them, is not truth: an object with \
                        \"images\", \"annotations\" and \"categories\" belongs here";
                    return Err(Stop::wrong(cursor.at, &codes::UNSUPPORTED, message));
                }
                cursor.open(b'{').map(|()| Place::Key(0))
            }
            Place::Key(count) => {
                if !cursor.more(b'}', count)? {
                    return Ok(Place::End);
                }
                let at = cursor.at;
                let list = match &*cursor.key()? {
                    b"images" => List::Pictures,
                    b"annotations" => List::Annotations,
                    b"categories" => List::Classes,
                    _ => {
                        cursor.skip()?;
                        return Ok(Place::Key(count + 1));
                    }
                };
                if self.begun[list as usize] {
                    let message = format!("the key {:?} is there twice", list.key());
                    return Err(Stop::wrong(at, &codes::REPEATED, message).inside(list.key()));
                }
                within(cursor.open(b'['), list.key())?;
                Ok(Place::Element(list, 0))
            }
            // Blanks are all that may follow.
            _ => match cursor.finish() {
                Ok(()) => {
                    cursor.at = cursor.text.len();
                    Ok(Place::End)
                }
                Err(stop) => Err(stop),
            },
        })();
        let used = cursor.at;
        match got {
            Ok(next) => {
                if let Place::Element(list, 0) = next {
                    self.begun[list as usize] = true;
                }
                self.feed.advance(used);
                self.place = next;
                Ok(true)
            }
            Err(stop) => self.feed.error(stop).map_or(Ok(false), Err),
        }
    }

    /// Elements of a list, as many as there are; `false` where more bytes are needed.
    fn element(&mut self, list: List, mut count: usize, last: bool, sink: &mut impl Sink) -> Result<bool> {
        // The bytes are lent while they are read, so that lines can be counted meanwhile.
        let (bytes, mut done) = self.feed.lend();
        let outcome = loop {
            let mut cursor = Cursor::new(&bytes, last, self.options.limits.nesting);
            cursor.at = done;
            match self.one(&mut cursor, list, count, sink) {
                Ok(true) => {
                    done = cursor.at;
                    count += 1;
                }
                Ok(false) => {
                    done = cursor.at;
                    self.ended[list as usize] = true;
                    break Ok(true);
                }
                Err(Failed::Stop(Stop::More)) => break Ok(false),
                Err(Failed::Stop(Stop::Wrong(wrong))) => {
                    let spot = self.feed.spot(&bytes, wrong.at);
                    break Err(wrong.error(spot));
                }
                Err(Failed::Error(e)) => break Err(e),
            }
        };
        self.feed.give(bytes, done);
        self.place = if let Ok(true) = outcome { Place::Key(1) } else { Place::Element(list, count) };
        outcome
    }

    /// The next element of a list; `false` where it has ended.
    fn one(&mut self, cursor: &mut Cursor<'_>, list: List, count: usize, sink: &mut impl Sink) -> Result<bool, Failed> {
        let bytes = cursor.text;
        let step = |stop: Stop| stop.inside(format_args!("{}[{count}]", list.key()));
        if !cursor.more(b']', count).map_err(|stop| stop.inside(list.key()))? {
            return Ok(false);
        }
        let (start, mut odd) = (cursor.at, Odd::default());
        match list {
            List::Pictures => {
                let (mut picture, id, at) = element::picture(cursor, &self.options, &mut odd).map_err(step)?;
                let number = self.pictures.declare(&id).ok_or_else(|| {
                    let message = format!("two images have the id {id}");
                    step(Stop::wrong(at, &codes::REPEATED, message).inside("id"))
                })?;
                self.feed.pass(bytes, start);
                picture.line = Some(self.feed.spot(bytes, at).line);
                sink.picture(number, picture)?;
            }
            List::Classes => {
                let (class, id, [at, named]) = element::class(cursor, &mut odd).map_err(step)?;
                let number = self.classes.declare(&id).ok_or_else(|| {
                    let message = format!("two categories have the id {id}");
                    step(Stop::wrong(at, &codes::REPEATED, message).inside("id"))
                })?;
                if !self.names.insert(class.name.clone()) {
                    let message = format!("two categories have the name {:?}", class.name);
                    return Err(step(Stop::wrong(named, &codes::REPEATED, message).inside("name")).into());
                }
                sink.class(number, class)?;
            }
            List::Annotations => {
                let element = element::annotation(cursor, &mut odd).map_err(step)?;
                let feed = &mut self.feed;
                let mut spot = |at: usize, key: &str| {
                    feed.pass(bytes, start);
                    feed.spot(bytes, at).path(format!("annotations[{count}].{key}"))
                };
                let all = self.ended[List::Pictures as usize];
                let (id, at) = &element.picture;
                let picture = self.pictures.used(id, all, || spot(*at, "image_id")).ok_or_else(|| {
                    let message = format!("no image {id} is declared");
                    step(Stop::wrong(*at, &codes::PICTURE, message).inside("image_id"))
                })?;
                let all = self.ended[List::Classes as usize];
                let class = element.class.as_ref().map(|(id, at)| {
                    self.classes.used(id, all, || spot(*at, "category_id")).ok_or_else(|| {
                        let message = format!("no category {id} is declared");
                        step(Stop::wrong(*at, &codes::CLASS, message).inside("category_id"))
                    })
                });
                let class = class.transpose()?;
                let Element { id, rect, crowd, score, detail, .. } = element;
                sink.annotation(Marked { picture, class, rect, crowd, score, id, detail })?;
            }
        }
        odd.tell(&mut self.notes);
        Ok(true)
    }
}

/// Why an element was not taken.
enum Failed {
    Stop(Stop),
    Error(crate::Error),
}

impl From<Stop> for Failed {
    fn from(stop: Stop) -> Failed {
        Failed::Stop(stop)
    }
}

impl From<crate::Error> for Failed {
    fn from(e: crate::Error) -> Failed {
        Failed::Error(e)
    }
}
