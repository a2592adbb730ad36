//! What lies on a tensor that shows several samples.

use std::sync::Mutex;

use forebay::{
    image::transform::{Cut, MOST_PIECES, Placement, Shown},
    order::Item,
};

use super::pool::lock;

/// A picture on a sample's tensor, of those that a [mosaic](super::Builder::mosaic) or a
/// [mixture](super::Builder::mixed) brought together there.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Piece {
    /// Which sample it is.
    pub item: Item,
    /// Its label; 0 if the loader reads none.
    pub label: i64,
    /// Its share of the tensor, and of the label: those of all pieces together are 1.
    pub share: f64,
    /// Where it was placed.
    pub placement: Placement,
}

impl Piece {
    /// The rectangle of the tensor that another picture was cut into, or which this one was cut to, and whether it lies inside.
    pub fn cut(&self) -> Option<(Cut, bool)> {
        match self.placement.shown {
            Shown::Inside(cut) => Some((cut, true)),
            Shown::Outside(cut) => Some((cut, false)),
            _ => None,
        }
    }
}

/// Lists of pieces that are used again.
#[derive(Debug, Default)]
pub(super) struct Lists {
    spare: Mutex<Vec<Vec<Piece>>>,
    most: usize,
}

impl Lists {
    pub(super) fn new(most: usize) -> Lists {
        Lists { spare: Mutex::default(), most }
    }
    pub(super) fn take(&self) -> Vec<Piece> {
        lock(&self.spare).pop().unwrap_or_else(|| Vec::with_capacity(MOST_PIECES))
    }
    pub(super) fn give(&self, mut list: Vec<Piece>) {
        let mut spare = lock(&self.spare);
        if list.capacity() > 0 && spare.len() < self.most {
            list.clear();
            spare.push(list);
        }
    }
}
