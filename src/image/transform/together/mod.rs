//! Several samples on one tensor: a mosaic of four or nine, and two that are mixed, each of which may be a mosaic.
//!
//! Which samples these are, and how they are brought together, is arithmetic of the seed, the epoch and the position in it
//! (`docs/formats/order.md`): it depends neither on ranks nor on batches, and needs no sample to know another.

mod canvas;
mod mosaic;

pub use mosaic::{Mosaic, Tile};

use super::{Mixed, Mixing, Placement, Recipe, Shown};
use crate::{
    error::{Error, Result},
    image::codes,
    order::{Epoch, Item},
    random::Draws,
};

/// What samples are brought together by.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Together {
    /// Four around a point, or nine in three rows.
    pub mosaic: Option<Mosaic>,
    /// Two over each other, and how likely that is.
    pub mixing: Option<(Mixing, f64)>,
}

/// The most pictures on one tensor: two mosaics.
pub const MOST_PIECES: usize = 18;

/// A picture on a tensor.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Piece {
    /// Which sample it is.
    pub item: Item,
    /// The key of everything random about it.
    pub key: u64,
    /// 0 for the sample's own picture and its mosaic, 1 for what is mixed with them.
    pub layer: u8,
    /// Its place in a mosaic; without one the recipe's fit places it.
    pub tile: Option<Tile>,
}

/// All pictures of one tensor.
#[derive(Clone, Copy, Debug)]
pub struct Pieces {
    all: [Piece; MOST_PIECES],
    count: usize,
    /// How layer 1 comes over layer 0.
    pub mixed: Option<Mixed>,
}

impl Together {
    /// Whether there is anything to do.
    pub fn is_empty(&self) -> bool {
        self.mosaic.is_none() && self.mixing.is_none()
    }

    /// Refuses what is invalid.
    pub fn check(&self) -> Result<()> {
        if let Some(mosaic) = &self.mosaic {
            mosaic.check()?;
        }
        if let Some((mixing, probability)) = &self.mixing {
            if !(0.0..=1.0).contains(probability) {
                return Err(Error::new(&codes::RECIPE, format!("a chance of {probability} is not between 0 and 1")));
            }
            mixing.draw((1, 1), 0)?;
        }
        Ok(())
    }

    /// What an item is brought together with, on an output of this size. `drawn_as` is the place in the epoch that it takes,
    /// which is its own unless it stands in for a broken one.
    pub fn pieces(&self, epoch: &Epoch<'_>, (item, drawn_as): (Item, Item), size: (u32, u32)) -> Pieces {
        let own = Piece { item, key: epoch.key_of(&drawn_as), layer: 0, tile: None };
        let mut pieces = Pieces { all: [own; MOST_PIECES], count: 0, mixed: None };
        pieces.lay(self, epoch, &drawn_as, own, size);
        let Some((mixing, probability)) = self.mixing else { return pieces };
        let mut draw = Draws::new(epoch.key_of_partners(&drawn_as, &[]));
        let (is_mixed, bits) = (draw.chance(probability), draw.bits());
        if let (true, Some(item)) = (is_mixed, epoch.partner(bits)) {
            let key = epoch.key_of_partners(&drawn_as, &[2, 1]);
            pieces.lay(self, epoch, &drawn_as, Piece { item, key, layer: 1, tile: None }, size);
            // What cannot be drawn from was refused before.
            pieces.mixed = mixing.draw(size, epoch.key_of_partners(&drawn_as, &[3])).ok();
        }
        pieces
    }
}

impl Pieces {
    /// The pictures, in the order in which they are laid down.
    pub fn all(&self) -> &[Piece] {
        self.all.get(..self.count).unwrap_or_default()
    }

    fn push(&mut self, piece: Piece) {
        if let Some(place) = self.all.get_mut(self.count) {
            *place = piece;
            self.count += 1;
        }
    }

    /// Adds a layer: one picture, or a mosaic that begins with it.
    fn lay(&mut self, together: &Together, epoch: &Epoch<'_>, drawn_as: &Item, first: Piece, size: (u32, u32)) {
        let layer = u64::from(first.layer) + 1;
        let Some(mosaic) = &together.mosaic else { return self.push(first) };
        let mut draw = Draws::new(epoch.key_of_partners(drawn_as, &[layer]));
        if !draw.chance(mosaic.probability) {
            return self.push(first);
        }
        let center = mosaic.meet(size, &mut draw);
        for corner in 0..mosaic.pictures {
            let scale = draw.between(mosaic.scale.0, mosaic.scale.1);
            let mut piece = first;
            if corner > 0 {
                let bits = draw.bits();
                piece.item = epoch.partner(bits).unwrap_or(first.item);
                piece.key = epoch.key_of_partners(drawn_as, &[layer, u64::from(corner) + 1]);
            }
            piece.tile = Some(Tile { corner, of: mosaic.pictures, center, scale });
            self.push(piece);
        }
    }

    /// The key of what is done to a whole layer: that of its first picture.
    pub fn layer_key(&self, layer: u8) -> u64 {
        self.all().iter().find(|piece| piece.layer == layer).map_or(0, |piece| piece.key)
    }

    /// Where the output shows a layer.
    pub fn shown(&self, layer: u8) -> Shown {
        match (&self.mixed, layer) {
            (Some(Mixed::Cut { cut }), 0) => Shown::Outside(*cut),
            (Some(Mixed::Cut { cut }), _) => Shown::Inside(*cut),
            _ => Shown::All,
        }
    }

    /// The share of a layer.
    pub fn keep(&self, layer: u8) -> f64 {
        let keep = self.mixed.as_ref().map_or(1.0, Mixed::keep);
        if layer == 0 { keep } else { 1.0 - keep }
    }

    /// The share of a picture: its layer's, times its part of a mosaic. Together they are 1.
    pub fn share(&self, piece: &Piece, size: (u32, u32)) -> f64 {
        self.keep(piece.layer) * piece.tile.map_or(1.0, |tile| tile.share(size))
    }

    /// Places a picture of this full size; the fit of the recipe may look at its boxes.
    pub fn place(&self, piece: &Piece, recipe: &Recipe, (full, boxes): ((u32, u32), &[super::Rect])) -> Placement {
        let placement = match piece.tile {
            Some(tile) => tile.place(recipe, full, piece.key, recipe.warp(self.layer_key(piece.layer))),
            None => recipe.place_boxes(full.0, full.1, boxes, piece.key),
        };
        Placement { shown: self.shown(piece.layer), ..placement }
    }
}
