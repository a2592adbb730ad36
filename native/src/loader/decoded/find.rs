//! A worker that looks for a sample's picture before it reads the payload, or keeps the picture that it decoded.

use std::sync::Arc;

use forebay::{
    Result,
    image::{
        Picture,
        decode::{Decoder, Foreseen, Options as DecodeOptions, Orientation, Region},
        transform::{Needs, Out, Placement, Rect, Transformer},
    },
    order::Item,
};

use super::{Decoded, Prefix, key::Key, store::Entry};

/// What a worker keeps for it.
#[derive(Debug, Default)]
pub(in crate::loader) struct Lookup {
    /// For each content of which pixels are kept at the tensor's size: what makes these.
    canvases: Vec<Option<Transformer>>,
    /// An entry that came from a file or is being made.
    pixels: Vec<u8>,
    /// The part of a picture that is wanted.
    part: Vec<u8>,
}

/// Which picture is wanted: which content, its item with its number in its file, and its draws.
#[derive(Clone, Copy, Debug)]
pub(in crate::loader) struct Query<'a> {
    pub kind: usize,
    pub item: &'a Item,
    pub key: u64,
    pub decode: &'a DecodeOptions,
}

/// A picture that was there, or is now.
#[derive(Debug)]
pub(in crate::loader) struct Found {
    /// The entry, if its pixels are in memory and all of them are wanted.
    entry: Option<Arc<Entry>>,
    /// Whether a part of it is wanted, which the worker has cut out.
    cut: bool,
    full: (u32, u32),
    eighths: u32,
    part: Region,
    /// Where the sample's own picture lands.
    pub placement: Placement,
    /// Where the pixels that were found land.
    drawn: Placement,
}

impl Lookup {
    pub fn new(decoded: Option<&Decoded>) -> Lookup {
        let canvas = |prefix: &Prefix| match prefix {
            // The recipe was checked when the loader was built.
            Prefix::Canvas(image) => Transformer::new((**image).clone()).ok(),
            _ => None,
        };
        let canvases = decoded.map(|decoded| decoded.prefixes.iter().map(canvas).collect());
        Lookup { canvases: canvases.unwrap_or_default(), ..Lookup::default() }
    }

    /// Looks for a picture, which the caller places given its full size as it is seen.
    pub fn find(
        &mut self,
        decoded: &Decoded,
        query: &Query<'_>,
        transformer: &Transformer,
        place: impl FnOnce((u32, u32)) -> Placement,
    ) -> Option<Found> {
        let found = match decoded.prefixes.get(query.kind)? {
            Prefix::Canvas(_) => {
                let key = Key::new(query.item, query.kind as u32);
                let entry = decoded.store.get(&key)?;
                self.ready(decoded, &key, &entry)?;
                self.on_canvas(entry, query, transformer)
            }
            Prefix::Whole => {
                let foreseen = decoded.store.known(query.item.source, query.item.sample)?;
                let needs = transformer.needs_of(&foreseen, query.decode, place);
                let key = Key::new(query.item, foreseen.eighths(needs.options()));
                let entry = decoded.store.get(&key)?;
                self.ready(decoded, &key, &entry)?;
                self.cut_out((Some(entry), None), &foreseen, &needs)?
            }
            Prefix::Prepared(_) => return None,
        };
        decoded.store.count(true);
        Some(found)
    }

    /// Decodes a picture so that it can be kept, if there is room for it, and keeps it. None if there is not, or if anything
    /// is wrong with it: it is then decoded as if there were no cache, which says so or sees nothing of it.
    pub fn fill(
        &mut self,
        decoded: &Decoded,
        query: &Query<'_>,
        (payload, raw, needs): (&[u8], Option<(u32, u32)>, &Needs),
        (transformer, decoder): (&Transformer, &mut Decoder),
        is_decoded: &mut impl FnMut(),
    ) -> Option<Found> {
        decoded.store.count(false);
        match decoded.prefixes.get(query.kind)? {
            Prefix::Canvas(_) => {
                let canvas = self.canvases.get_mut(query.kind)?.as_mut()?;
                let room = Room::take(decoded, canvas.values())?;
                let picture = transformer.decode_as(needs, decoder, payload, query.key).ok()?;
                is_decoded();
                let (full, placement) = (picture.picture(), *picture.placement());
                let (width, height) = (full.full_width, full.full_height);
                let plain = canvas.recipe().place(width, height, query.key);
                self.pixels.resize(canvas.values(), 0);
                canvas.apply_placed(full, &plain, query.key, Out::U8(&mut self.pixels)).ok()?;
                let foreseen = Foreseen { width, height, orientation: Orientation::Upright, in_parts: false };
                room.put(Key::new(query.item, query.kind as u32), foreseen, &self.pixels);
                Some(self.drawn(None, transformer, placement))
            }
            // Raw pixels are there already.
            Prefix::Whole if raw.is_none() => {
                let foreseen = Foreseen::of(payload, query.decode)?;
                needs.placed()?;
                let whole = needs.whole();
                let (eighths, part) = (foreseen.eighths(whole.options()), foreseen.part(whole.options()));
                let bytes = u64::from(part.width) * u64::from(part.height) * 3;
                let room = Room::take(decoded, usize::try_from(bytes).ok()?)?;
                let picture = decoder.decode(payload, None, whole.options()).ok()?;
                let as_foreseen = (picture.full_width, picture.full_height) == foreseen.seen()
                    && picture.eighths == eighths
                    && (picture.left, picture.top, picture.width, picture.height) == (0, 0, part.width, part.height);
                if !as_foreseen {
                    return None;
                }
                is_decoded();
                room.put(Key::new(query.item, eighths), foreseen, picture.pixels);
                self.cut_out((None, Some(&picture)), &foreseen, needs)
            }
            _ => None,
        }
    }

    /// Whether an entry's pixels can be had, in memory or in the buffer.
    fn ready(&mut self, decoded: &Decoded, key: &Key, entry: &Entry) -> Option<()> {
        (entry.pixels().is_some() || decoded.store.fetch(key, entry, &mut self.pixels)).then_some(())
    }

    fn on_canvas(&self, entry: Arc<Entry>, query: &Query<'_>, transformer: &Transformer) -> Found {
        let Foreseen { width, height, .. } = entry.foreseen;
        let placement = transformer.recipe().place(width, height, query.key);
        self.drawn(Some(entry), transformer, placement)
    }

    /// What was brought onto the canvas: from there on it is a picture of the tensor's size.
    fn drawn(&self, entry: Option<Arc<Entry>>, transformer: &Transformer, placement: Placement) -> Found {
        let (width, height) = (transformer.recipe().width, transformer.recipe().height);
        let mut drawn = placement;
        drawn.source = Rect { x: 0.0, y: 0.0, width: width.into(), height: height.into() };
        (drawn.x, drawn.y, drawn.width, drawn.height) = (0, 0, width, height);
        let part = Region { x: 0, y: 0, width, height };
        Found { entry, cut: false, full: (width, height), eighths: 8, part, placement, drawn }
    }

    /// Cuts out of a whole picture what the decoder would have made of it.
    fn cut_out(
        &mut self,
        (entry, whole): (Option<Arc<Entry>>, Option<&Picture<'_>>),
        foreseen: &Foreseen,
        needs: &Needs,
    ) -> Option<Found> {
        let (all, part) = (foreseen.part(needs.whole().options()), foreseen.part(needs.options()));
        let placement = *needs.placed()?;
        let (full, eighths, cut) = (foreseen.seen(), foreseen.eighths(needs.options()), part != all);
        let held = entry.as_deref().and_then(Entry::pixels);
        let pixels = whole.map(|picture| picture.pixels).or(held).unwrap_or(&self.pixels);
        if cut {
            self.part.clear();
            let (stride, line) = (all.width as usize * 3, part.width as usize * 3);
            let first = part.y as usize * stride + part.x as usize * 3;
            for y in 0..part.height as usize {
                self.part.extend_from_slice(pixels.get(first + y * stride..)?.get(..line)?);
            }
        } else if let Some(picture) = whole {
            self.pixels.clear();
            self.pixels.extend_from_slice(picture.pixels);
        }
        Some(Found { entry, cut, full, eighths, part, placement, drawn: placement })
    }

    /// Makes the tensor of what was found.
    pub fn finish(&self, found: &Found, transformer: &mut Transformer, key: u64, out: Out<'_>) -> Result<()> {
        transformer.apply_placed(&self.picture(found)?, &found.drawn, key, out)
    }
    /// Lays what was found on a tensor of several pictures.
    pub fn lay_down(&self, found: &Found, transformer: &mut Transformer) -> Result<()> {
        transformer.lay_down(&self.picture(found)?, &found.drawn)
    }

    fn picture<'a>(&'a self, found: &'a Found) -> Result<Picture<'a>> {
        let all = found.entry.as_deref().and_then(Entry::pixels).unwrap_or(&self.pixels);
        let Region { x, y, width, height } = found.part;
        let mut picture = Picture::new(width, height, if found.cut { &self.part } else { all })?;
        (picture.full_width, picture.full_height) = found.full;
        (picture.eighths, picture.left, picture.top) = (found.eighths, x, y);
        Ok(picture)
    }

    /// Looks for what a warehouse would hold, with the size of its picture.
    pub fn find_image(&mut self, decoded: &Decoded, query: &Query<'_>) -> Option<[u32; 2]> {
        let Prefix::Prepared(_) = decoded.prefixes.get(query.kind)? else { return None };
        let key = Key::new(query.item, query.kind as u32);
        let entry = decoded.store.get(&key)?;
        self.ready(decoded, &key, &entry)?;
        if let Some(pixels) = entry.pixels() {
            self.pixels.clear();
            self.pixels.extend_from_slice(pixels);
        }
        decoded.store.count(true);
        Some([entry.foreseen.width, entry.foreseen.height])
    }
    /// Keeps what a warehouse would hold, if there is room.
    pub fn keep_image(&self, decoded: &Decoded, query: &Query<'_>, [width, height]: [u32; 2], image: &[u8]) {
        decoded.store.count(false);
        if let Some(room) = Room::take(decoded, image.len()) {
            let foreseen = Foreseen { width, height, orientation: Orientation::Upright, in_parts: false };
            room.put(Key::new(query.item, query.kind as u32), foreseen, image);
        }
    }
    /// Gives back the room of a picture that was too large for every worker to keep.
    pub fn let_go(&mut self) {
        (self.pixels, self.part) = (Vec::new(), Vec::new());
    }
    /// What was found.
    pub fn image(&self) -> &[u8] {
        &self.pixels
    }
}

impl Decoded {
    /// About how many bytes decoding a picture will hold.
    pub fn cost(&self, kind: usize, needs: &Needs, payload: &[u8]) -> u64 {
        match self.prefixes.get(kind) {
            Some(Prefix::Whole) => needs.whole().cost(payload),
            _ => needs.cost(payload),
        }
    }
}

/// Room for an entry, given back unless it is filled.
struct Room<'a> {
    decoded: &'a Decoded,
    bytes: usize,
}

impl<'a> Room<'a> {
    fn take(decoded: &'a Decoded, bytes: usize) -> Option<Room<'a>> {
        // Made only then: dropping it gives room back.
        decoded.store.take_room(bytes).then(|| Room { decoded, bytes })
    }
    fn put(self, key: Key, foreseen: Foreseen, pixels: &[u8]) {
        self.decoded.store.put(key, foreseen, pixels);
        std::mem::forget(self);
    }
}

impl Drop for Room<'_> {
    fn drop(&mut self) {
        self.decoded.store.give_back(self.bytes);
    }
}
