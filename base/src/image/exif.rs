//! The one thing that EXIF says about pixels: which way up they are.

use super::probe::{ORIENTATION, tiff_value};

/// Parts of a file that are looked at before giving up: files made by programs have at most a few hundred.
const MOST_PARTS: usize = 4096;

/// How a picture's stored pixels are to be turned, as EXIF counts it from 1, by its EXIF block; none where nothing is said or
/// something is wrong with it. A TIFF's own field belongs to how it is stored, and is always followed. Looks at no pixel.
pub fn exif_turn(payload: &[u8]) -> Option<u32> {
    let block = match payload {
        [0xff, 0xd8, ..] => jpeg(payload),
        [0x89, b'P', b'N', b'G', ..] => png(payload),
        [b'R', b'I', b'F', b'F', ..] => webp(payload),
        _ => None,
    };
    let tiff = block.map(|block| block.strip_prefix(b"Exif\0\0").unwrap_or(block));
    tiff.and_then(|tiff| tiff_value(tiff, ORIENTATION))
}

/// The first EXIF segment before the pixels.
fn jpeg(payload: &[u8]) -> Option<&[u8]> {
    let mut at = 2;
    for _ in 0..MOST_PARTS {
        // Other bytes before a marker are skipped, as everyone does.
        at += payload.get(at..)?.iter().position(|byte| *byte == 0xff)?;
        at += payload.get(at..)?.iter().position(|byte| *byte != 0xff)?;
        let code = payload[at];
        at += 1;
        match code {
            0x00 | 0x01 | 0xd0..=0xd8 => continue,
            0xd9 | 0xda => return None,
            _ => {}
        }
        let length = usize::from(u16::from_be_bytes(*payload.get(at..)?.first_chunk()?));
        let body = payload.get(at + 2..at + length)?;
        if code == 0xe1 && body.starts_with(b"Exif\0\0") {
            return Some(body);
        }
        at += length;
    }
    None
}

fn png(payload: &[u8]) -> Option<&[u8]> {
    let mut at = 8_usize;
    for _ in 0..MOST_PARTS {
        let length = u32::from_be_bytes(*payload.get(at..)?.first_chunk()?) as usize;
        let kind = payload.get(at + 4..at + 8)?;
        let end = at.checked_add(8)?.checked_add(length)?;
        match kind {
            b"eXIf" => return payload.get(at + 8..end),
            b"IEND" => return None,
            _ => at = end.checked_add(4)?,
        }
    }
    None
}

fn webp(payload: &[u8]) -> Option<&[u8]> {
    let mut at = 12_usize;
    for _ in 0..MOST_PARTS {
        let length = u32::from_le_bytes(*payload.get(at + 4..)?.first_chunk()?) as usize;
        let end = at.checked_add(8)?.checked_add(length)?;
        if payload.get(at..at + 4)? == b"EXIF" {
            return payload.get(at + 8..end);
        }
        at = end.checked_add(length & 1)?;
    }
    None
}
