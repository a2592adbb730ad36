//! Pictures that are laid on one canvas, and two canvases that are mixed.

use super::{
    super::{
        Mixed, Needs, Out, Placement, Resampling, Transformer, augment, color,
        resize::{self, Target, Wanted},
        tensor::{self, View},
    },
    Piece, Pieces,
};
use crate::{
    error::{Error, Result},
    image::{
        Picture, codes,
        decode::{Decoder, Options},
    },
};

#[doc(hidden)]
impl Transformer {
    /// Begins a layer: all of the canvas has the fill color.
    pub fn begin_layer(&mut self) {
        self.canvas.resize(self.values(), 0);
        let fill = self.recipe.fill;
        self.canvas.as_chunks_mut::<3>().0.fill(fill);
    }

    /// Decodes a payload for one of several pieces as its [needs](Self::needs_for) say, and lays it down. `decoded` is
    /// called in between.
    pub fn lay(
        &mut self,
        (pieces, piece): (&Pieces, &Piece),
        (needs, decoder, payload): (&Needs, &mut Decoder, &[u8]),
        decoded: impl FnOnce() -> Result<()>,
    ) -> Result<Placement> {
        let place = |full| pieces.place(piece, &self.recipe, (full, &[]));
        let found = self.decode_placed(needs, decoder, payload, place)?;
        let placement = found.placement;
        decoded()?;
        self.lay_down(&found.picture, &placement)?;
        Ok(placement)
    }

    /// Brings a picture to its part of the canvas, mirrored as its placement says.
    pub fn lay_down(&mut self, picture: &Picture<'_>, placement: &Placement) -> Result<()> {
        let width = self.recipe.width as usize;
        let source = placement.source_in(picture);
        let (w, h) = (placement.width, placement.height);
        if w == 0 || h == 0 || source.width <= 0.0 || source.height <= 0.0 {
            return Ok(());
        }
        let (long, line) = (w as usize, w as usize * 3);
        let exact = placement.pixel_for_pixel(&source);
        let (mut mirror, mut flip) = (placement.mirrored, placement.flipped);
        let (from, start, stride) = match exact {
            Some((x, y)) => (picture.pixels, (y * picture.width as usize + x) * 3, picture.width as usize * 3),
            None => {
                self.scratch.resize(line * h as usize, 0);
                if self.recipe.resampling == Resampling::Nearest {
                    resize::nearest(picture, &source, (&mut self.scratch, w, h));
                } else {
                    let resampling = self.recipe.resampling;
                    let wanted = Wanted { width: w, height: h, resampling, mirrored: (mirror, flip) };
                    self.resizing.resize(picture, &source, &wanted, Target::Pixels(&mut self.scratch))?;
                    (mirror, flip) = (false, false);
                }
                (&self.scratch[..], 0, line)
            }
        };
        let rows = self.canvas.chunks_exact_mut(width * 3).skip(placement.y as usize).take(h as usize);
        for (y, row) in rows.enumerate() {
            let at = start + if flip { h as usize - 1 - y } else { y } * stride;
            let to = row.as_chunks_mut::<3>().0.get_mut(placement.x as usize..placement.x as usize + long);
            let (Some(from), Some(to)) = (from.get(at..at + line), to) else {
                return Err(Error::new(&codes::RECIPE, "an image is smaller than it says"));
            };
            to.copy_from_slice(from.as_chunks().0);
            if mirror {
                to.reverse();
            }
        }
        Ok(())
    }

    /// Does to a layer what the recipe does behind its fit.
    pub fn end_layer(&mut self, key: u64) {
        augment::change(&self.recipe, &mut self.canvas, &mut self.scratch, key);
        color::change(&self.recipe, &mut self.canvas, &mut self.scratch, (false, false), key);
    }

    /// Puts a layer aside, which the next one is mixed with.
    pub fn keep_layer(&mut self) {
        std::mem::swap(&mut self.canvas, &mut self.aside);
    }

    /// Mixes the canvas into the layer that was put aside: bytes, before they are normalized.
    pub fn mix_layers(&mut self, mixed: &Mixed) {
        let Transformer { canvas, aside, .. } = self;
        match mixed {
            Mixed::Up { keep } => {
                let keep = (keep.clamp(0.0, 1.0) * 65536.0).round_ties_even() as u32;
                for (other, own) in canvas.iter_mut().zip(aside.iter()) {
                    *other = ((u32::from(*own) * keep + u32::from(*other) * (65536 - keep) + 32768) >> 16) as u8;
                }
            }
            Mixed::Cut { cut } => {
                let width = cut.width as usize * 3;
                let (columns, rows) =
                    (cut.left as usize * 3..cut.right as usize * 3, cut.top as usize..cut.bottom as usize);
                let lines = aside.chunks_exact_mut(width.max(1)).zip(canvas.chunks_exact(width.max(1)));
                for (own, other) in lines.skip(rows.start).take(rows.len()) {
                    own[columns.clone()].copy_from_slice(&other[columns.clone()]);
                }
                std::mem::swap(canvas, aside);
            }
        }
    }

    /// Makes the canvas a tensor.
    pub fn write_layers(&mut self, out: Out<'_>) -> Result<()> {
        let (width, height) = (self.recipe.width as usize, self.recipe.height as usize);
        if out.len() != self.values() || self.canvas.len() != self.values() {
            return Err(Error::new(&codes::RECIPE, format!("the output is not one of {width} × {height} × 3 values")));
        }
        let view = View { data: &self.canvas, start: 0, stride: width * 3 };
        tensor::write(&view, (width, height), (false, false), &self.recipe, &self.tables, out);
        Ok(())
    }

    /// What of a payload is needed for a piece; crops may look at the boxes of the picture, which the caller gives for its size.
    pub fn needs_for<'b>(
        &self,
        (pieces, piece): (&Pieces, &Piece),
        (payload, raw): (&[u8], Option<(u32, u32)>),
        options: &Options,
        boxes: impl FnOnce((u32, u32)) -> &'b [super::super::Rect],
    ) -> Needs {
        let place = |full| pieces.place(piece, &self.recipe, (full, boxes(full)));
        self.needs_placed(payload, raw, options, place)
    }
}
