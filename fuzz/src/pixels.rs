//! The first four bytes choose options of the decoder and a recipe; the rest is a picture. It becomes pixels of the
//! size that it says, or is refused, and so do its tensor and
//! what it looks like in numbers, however often the same buffers are used.

use forebay::{
    curate::Look,
    image::{
        decode::{Decoder, Options, Region},
        transform::{Out, Recipe, Transformer},
    },
};
use serde_json::Value;

use super::jpeg_made::{Random, picture};

/// More would be slow, and finds nothing that fewer do not.
const PIXELS: u64 = 1 << 20;

pub(crate) fn body(data: &[u8]) {
    let Some((choice, payload)) = data.split_first_chunk::<4>() else { return };
    let on = |bit: u8| choice[0] & bit != 0;
    let mut limits = super::limits();
    limits.pixels = PIXELS;
    let mut options = Options::default().with_limits(limits).with_orient(on(2)).with_damaged(on(4));
    if on(32) {
        options = options.with_at_least(u32::from(choice[1]), u32::from(choice[2]));
    }
    let raw = on(8).then(|| (u32::from(choice[1] & 63), u32::from(choice[2] & 63)));

    let mut decoder = Decoder::default();
    let first = decoder.decode(payload, raw, &options).ok().map(|picture| {
        assert_eq!(picture.pixels.len() as u64, u64::from(picture.width) * u64::from(picture.height) * 3);
        assert!(u64::from(picture.full_width) * u64::from(picture.full_height) <= PIXELS);
        let look = Look::of(&picture, (picture.full_width, picture.full_height));
        assert!(look.brightness <= 25_500 && look.contrast <= 12_750);
        picture.pixels.to_vec()
    });
    let second = decoder.decode(payload, raw, &options).ok().map(|picture| picture.pixels);
    assert_eq!(first.as_deref(), second);
    if !on(4) && raw.is_none() {
        part(&mut decoder, payload, &options, *choice);
    }

    let mut recipe = Recipe::new(1 + u32::from(choice[1] & 31), 1 + u32::from(choice[2] & 31));
    recipe = match choice[3] & 3 {
        0 => recipe,
        1 => recipe.random_resized_crop().hflip(),
        2 => recipe.letterbox([114; 3]),
        _ => recipe.center_crop(40),
    };
    let Ok(mut transformer) = Transformer::new(recipe.imagenet()) else { return };
    let mut out = vec![f32::NAN; transformer.values()];
    let made =
        transformer.decode(&mut decoder, payload, raw, &options, u64::from(choice[3]), Out::F32(&mut out)).is_ok();
    assert!(!made || out.iter().all(|x| x.is_finite()));
}

/// A part of a picture has the pixels that the whole has there.
fn part(decoder: &mut Decoder, payload: &[u8], options: &Options, choice: [u8; 4]) {
    let upright = options.clone().with_orient(false);
    let Ok(whole) = decoder.decode(payload, None, &upright) else { return };
    let (pixels, width) = (whole.pixels.to_vec(), whole.width);
    let [_, x, y, size] = choice.map(u32::from);
    let upright = upright.with_region(Region { x, y, width: size, height: size });
    let part = decoder.decode(payload, None, &upright).expect("a part of an image that is whole");
    for (line, pixels_there) in part.pixels.chunks_exact(part.width as usize * 3).enumerate() {
        let at = ((part.top as usize + line) * width as usize + part.left as usize) * 3;
        assert_eq!(Some(pixels_there), pixels.get(at..at + pixels_there.len()), "line {line}");
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let index: Value = serde_json::from_str(include_str!("../../tests/fixtures/images.json")).expect("the fixtures");
    let bytes = include_bytes!("../../tests/fixtures/images.bin");
    let pictures = index["decode"].as_array().expect("pictures");
    let named = |name: &str| {
        let picture = pictures.iter().find(|p| p["name"] == name).expect("an image of that name");
        let at = |i: usize| picture["data"][i].as_u64().expect("a place") as usize;
        &bytes[at(0)..at(0) + at(1)]
    };
    let chosen = [
        ([0, 15, 15, 0], "jpeg 4:2:0"),
        ([32, 10, 7, 9], "jpeg 4:2:0"),
        ([0, 9, 3, 6], "jpeg restarts"),
        ([36, 3, 9, 6], "jpeg gray"),
        ([0, 9, 7, 1], "jpeg 4:2:2"),
        ([6, 3, 20, 2], "jpeg progressive"),
        ([0, 7, 7, 3], "jpeg progressive"),
        ([0, 7, 7, 0], "jpeg cmyk"),
        ([2, 5, 5, 1], "jpeg exif 6"),
        ([0, 15, 15, 0], "png 16 bit gray"),
        ([0, 9, 7, 1], "webp lossy"),
        ([0, 3, 20, 2], "webp lossless"),
        ([0, 3, 20, 0], "bmp 1 bit"),
        ([2, 3, 20, 0], "tiff gray"),
    ];
    let mut seeds: Vec<_> = chosen.iter().map(|(choice, name)| [&choice[..], named(name)].concat()).collect();
    seeds.push([&[8, 4, 3, 3][..], &[7; 4 * 3 * 3]].concat());
    // Structures that no program of the fixtures writes: arithmetic codes, odd samplings, many scans.
    let mut random = Random::new(7);
    let made = (0..200).map(|_| picture(random.next())).filter(|bytes| bytes.len() < 1500);
    seeds.extend(made.take(24).map(|bytes| [&[0, 9, 7, 0][..], &bytes].concat()));
    seeds
}
