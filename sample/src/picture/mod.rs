//! A labeled picture from a number: a landscape or a table with things on it, drawn by code.
//!
//! ```
//! let picture = forebay_sample::picture::draw(1, 17, 160, 120);
//! assert_eq!(picture.canvas.to_rgb8().len(), 160 * 120 * 3);
//! assert!(picture.things.iter().any(|t| t.class == picture.class));
//! ```

mod canvas;
mod fruit;
mod light;
mod objects;
mod random;
mod scene;

pub use canvas::{Bounds, Canvas};
pub use light::{Hour, Light, Weather};
pub use random::Random;

/// What pictures show; the place in the list is the class number.
pub const CLASSES: [&str; 10] =
    ["tree", "pine", "house", "boat", "car", "balloon", "flower", "apple", "orange", "pear"];

/// Something in a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thing {
    /// Its place in [`CLASSES`].
    pub class: usize,
    /// Left, top, width and height in whole pixels, inside the picture.
    pub bbox: [u32; 4],
}

/// A picture and what is known of it.
#[derive(Clone, Debug)]
pub struct Picture {
    /// Its pixels.
    pub canvas: Canvas,
    /// The class of the thing that it is about.
    pub class: usize,
    /// Everything in it that has a class.
    pub things: Vec<Thing>,
    /// Hour and weather.
    pub light: Light,
    /// One sentence.
    pub caption: String,
}

/// Draws picture `i` of the set `seed`.
pub fn draw(seed: u64, i: u64, width: u32, height: u32) -> Picture {
    let mut random = Random::new(seed, i);
    let class = random.below(CLASSES.len());
    let mut picture = if class >= 7 {
        scene::table(class, width as usize, height as usize, &mut random)
    } else {
        scene::landscape(class, width as usize, height as usize, &mut random)
    };
    scene::finish(&mut picture, &mut random);
    picture
}
