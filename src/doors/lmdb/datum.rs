//! Caffe's `Datum`: 1 channels, 2 height, 3 width, 4 data, 5 label, 6 floats, 7 whether the data is a picture's file. Pixels
//! come plane by plane, blue first.

use bytes::Bytes;

use crate::{
    doors::{
        codes,
        field::Field,
        png::Pixels,
        proto::{Message, Read, Wire},
    },
    error::{Error, Result},
    limits::Limits,
};

#[derive(Debug, Default)]
struct Datum<'a> {
    channels: u32,
    height: u32,
    width: u32,
    data: &'a [u8],
    label: Option<i64>,
    is_encoded: bool,
}

fn read(bytes: &[u8]) -> Read<Datum<'_>> {
    let mut datum = Datum::default();
    let mut message = Message(bytes);
    while let Some(field) = message.next()? {
        let size = |n: u64| u32::try_from(n).unwrap_or_default();
        match field {
            (1, Wire::Varint(n)) => datum.channels = size(n),
            (2, Wire::Varint(n)) => datum.height = size(n),
            (3, Wire::Varint(n)) => datum.width = size(n),
            (4, Wire::Bytes(data)) => datum.data = data,
            (5, Wire::Varint(n)) => datum.label = Some(n.cast_signed()),
            (7, Wire::Varint(n)) => datum.is_encoded = n != 0,
            _ => {}
        }
    }
    Ok(datum)
}

impl Datum<'_> {
    fn is_pixels(&self) -> bool {
        let size = u64::from(self.channels) * u64::from(self.width);
        size > 0 && size.checked_mul(u64::from(self.height)) == Some(self.data.len() as u64)
    }
}

/// Whether a value is such a message, with a picture in it.
pub(super) fn is(value: &[u8]) -> bool {
    read(value).is_ok_and(|datum| !datum.data.is_empty() && (datum.is_encoded || datum.is_pixels()))
}

/// The picture and its label.
pub(super) fn fields(value: &Bytes, limits: &Limits) -> Result<Vec<Field>> {
    let wrong = || Error::new(&codes::LMDB_VALUE, "the value is no message of Caffe (Datum), as the first ones are");
    let datum = read(value).map_err(|_| wrong())?;
    let mut fields = Vec::new();
    limits.item(datum.data.len() as u64)?;
    if datum.is_encoded || !datum.is_pixels() {
        fields.push(Field::new("data", value.slice_ref(datum.data)));
    } else if let channels @ (1 | 3) = datum.channels {
        let plane = datum.data.len() / channels as usize;
        let data = match channels {
            1 => value.slice_ref(datum.data),
            _ => {
                let planes = |k: usize| datum.data.get(k * plane..).unwrap_or_default();
                let (blue, green, red) = (planes(0), planes(1), planes(2));
                let pixels = red.iter().zip(green).zip(blue).flat_map(|((red, green), blue)| [*red, *green, *blue]);
                pixels.collect::<Vec<u8>>().into()
            }
        };
        let (width, height) = (datum.width, datum.height);
        fields.push(Field::new("data", Pixels { width, height, channels: channels as u8, bits: 8, data }));
    } else {
        fields.push(Field::new("data", value.slice_ref(datum.data)));
        let shape = serde_json::json!([datum.channels, datum.height, datum.width]);
        fields.push(Field::new("shape", shape));
    }
    if let Some(label) = datum.label {
        fields.push(Field::new("label", serde_json::Value::from(label)));
    }
    Ok(fields)
}
