//! A warehouse's samples as pictures: what converting one writes.

use bytes::Bytes;
use serde_json::{Map, Value};

use crate::{
    annotations::{Annotation, Classes, Losses, Picture, Rect, record},
    error::{Error, Result},
    image::codes,
    warehouse::{Shape, Warehouse},
};

/// Endings of pictures that a source may have; a PNG is not called by them.
const ENDINGS: [&str; 7] = [".jpg", ".jpeg", ".bmp", ".webp", ".tif", ".tiff", ".png"];

/// The classes of a warehouse, for the document of what it becomes.
pub(super) fn document(warehouse: &Warehouse) -> Map<String, Value> {
    let classes: Classes = warehouse.manifest().classes.iter().flatten().cloned().collect();
    if classes.is_empty() { Map::new() } else { record::document(&classes) }
}

/// An image as a PNG.
pub(super) fn png(shape: &Shape, image: &[u8]) -> Result<Bytes> {
    let pixels = shape.picture(image)?;
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, shape.width, shape.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    encoder.set_filter(png::Filter::Adaptive);
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(&pixels)?;
        writer.finish()
    });
    written.map_err(|e| Error::caused(&codes::RAW_SIZE, format!("the image cannot be written: {e}"), e))?;
    Ok(out.into())
}

/// The file name of sample `i`'s picture, and its record: what the warehouse knows of it, and its boxes in pixels, as they
/// stand beside other pictures.
pub(super) fn described(warehouse: &Warehouse, i: u64, id: u64, text: &str) -> Result<(String, String)> {
    let known = warehouse.sample_record(i)?;
    let (shard, _) = warehouse.locate(i)?;
    let Shape { width, height, .. } = shard.header().shape;
    let name = warehouse.name(i, &known)?;
    let stem = ENDINGS.iter().find_map(|ending| {
        let at = name.len().checked_sub(ending.len())?;
        name.get(at..)?.eq_ignore_ascii_case(ending).then(|| &name[..at])
    });
    let name = format!("{}.png", stem.unwrap_or(&name));

    let mut classes: Classes = warehouse.manifest().classes.iter().flatten().cloned().collect();
    let mut picture = Picture::named(&name);
    (picture.width, picture.height) = (Some(width), Some(height));
    let mut said: Map<String, Value> = serde_json::from_str(text).unwrap_or_default();
    for one in said.remove("boxes").as_ref().and_then(Value::as_array).into_iter().flatten() {
        let corner = |k: usize, of: u32| one["box"][k].as_f64().unwrap_or_default() * f64::from(of);
        let rect = Rect::new(corner(0, width), corner(1, height), corner(2, width), corner(3, height));
        let class = one["label"].as_str().map(|name| classes.found(name));
        picture.annotations.push(Annotation::boxed(rect, class));
    }
    ["id", "name"].iter().for_each(|key| drop(said.remove(*key)));
    said.extend(record::fields(&picture, &classes, &mut Losses::default()));
    let record = serde_json::json!({ "id": id, "name": name, "json": said });
    Ok((name, record.to_string()))
}
