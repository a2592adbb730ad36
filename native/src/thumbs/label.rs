//! What a thumbnail says of itself: of which sample of which file it is, and what its picture is like.

use forebay::{Error, Result, codec::checksum::fnv1a, error::codes::ARGUMENT, tbl::raw::HEADER_LEN};

use crate::dataset::Dataset;

/// Bytes of a JPEG in which its comment stands.
const WITHIN: usize = 256;

/// What the comment of a thumbnail says. The npm package writes and reads the same words (`www/lib/src/samples/strip.ts`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Label {
    pub sample: u64,
    /// Of the file, sixteen digits.
    pub digest: String,
    /// No edge of the thumbnails is longer.
    pub size: u32,
    /// Width and height of the picture as it is seen, and how EXIF says that it was turned for that, from 1; not of what
    /// could not be drawn.
    pub picture: Option<(u32, u32, u32)>,
}

impl Label {
    pub fn words(&self) -> String {
        let Label { sample, digest, size, picture } = self;
        let from = match picture {
            None => String::new(),
            Some((width, height, 1)) => format!(" from {width}x{height}"),
            Some((width, height, turned)) => format!(" from {width}x{height} turned {turned}"),
        };
        format!("forebay thumb {sample} of {digest} within {size}{from}")
    }

    fn parse(words: &str) -> Option<Label> {
        let mut words = words.split(' ');
        let mut after = |said: &[&str]| {
            said.iter().all(|word| words.next() == Some(word)).then(|| words.next()).flatten().map(str::to_owned)
        };
        let sample = after(&["forebay", "thumb"])?.parse().ok()?;
        let digest = after(&["of"])?;
        let size = after(&["within"])?.parse().ok()?;
        let picture = match after(&["from"]) {
            None => None,
            Some(sides) => {
                let (width, height) = sides.split_once('x')?;
                let turned = after(&["turned"]).map_or(Some(1), |turned| turned.parse().ok())?;
                Some((width.parse().ok()?, height.parse().ok()?, turned))
            }
        };
        let hex = digest.len() == 16 && digest.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        hex.then_some(Label { sample, digest, size, picture })
    }

    /// The JPEG with these words as its first comment.
    pub fn written(&self, jpeg: &[u8]) -> Vec<u8> {
        let words = self.words();
        let (start, rest) = jpeg.split_at(jpeg.len().min(2));
        // Some hundred characters at most.
        let marker = [[0xff, 0xfe], ((words.len() + 2) as u16).to_be_bytes()].concat();
        [start, &marker, words.as_bytes(), rest].concat()
    }

    /// What the first comment of a JPEG says; nothing where it is none of these.
    pub fn of(jpeg: &[u8]) -> Option<Label> {
        let head = jpeg.get(..WITHIN.min(jpeg.len()))?.strip_prefix(&[0xff, 0xd8])?;
        let mut rest = head;
        while let [0xff, marker, high, low, segment @ ..] = rest {
            let len = usize::from(u16::from_be_bytes([*high, *low])).checked_sub(2)?;
            match *marker {
                // Picture data begins.
                0xda => return None,
                0xfe => return Label::parse(std::str::from_utf8(segment.get(..len)?).ok()?),
                _ => rest = segment.get(len..)?,
            }
        }
        None
    }
}

/// What tells a file from others: a TBL's header, which has a checksum of all metadata, and where its samples lie.
pub(super) fn digest(dataset: &Dataset) -> Result<String> {
    let refuse = || {
        let message = "thumbnails are made of one TBL or TAR; make one with: forebay convert";
        Error::new(&ARGUMENT, message).file(dataset.name())
    };
    let (container, input) = dataset.container().zip(dataset.input()).ok_or_else(refuse)?;
    let header = match (dataset.tbl(), dataset.tar()) {
        (Some(_), _) => input.slice(0..HEADER_LEN)?,
        (None, Some(_)) => Default::default(),
        (None, None) => return Err(refuse()),
    };
    let places = (0..container.len()).flat_map(|i| {
        // An entry that is damaged counts by being so.
        let place = container.info(i).map_or([0, 0], |info| [info.offset, info.stored_bytes]);
        let [offset, stored] = place.map(u64::to_le_bytes);
        offset.into_iter().chain(stored)
    });
    Ok(format!("{:016x}", fnv1a(header.iter().copied().chain(places))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(picture: Option<(u32, u32, u32)>) -> Label {
        Label { sample: 17, digest: "0123456789abcdef".into(), size: 160, picture }
    }

    #[test]
    fn a_label_is_read_as_it_was_written() {
        let jpeg = [0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xda, 0, 2, 9];
        for picture in [None, Some((640, 480, 1)), Some((480, 640, 6))] {
            let written = label(picture).written(&jpeg);
            assert_eq!(Label::of(&written), Some(label(picture)));
            for end in 0..written.len().min(40) {
                assert_eq!(Label::of(&written[..end]), None, "{end} bytes");
            }
        }
        assert_eq!(
            label(Some((480, 640, 6))).words(),
            "forebay thumb 17 of 0123456789abcdef within 160 from 480x640 turned 6"
        );
        assert_eq!(Label::of(&jpeg), None);
    }

    #[test]
    fn other_words_are_no_label() {
        for words in [
            "",
            "forebay thumb",
            "forebay thumb x of 0123456789abcdef within 160",
            "forebay thumb 1 of 0123 within 160",
            "forebay thumb 1 of 0123456789ABCDEF within 160",
            "forebay thumb 1 of 0123456789abcdef within -1",
            "forebay thumb 1 of 0123456789abcdef within 160 from 4",
            "forebay thumb 1 of 0123456789abcdef within 160 from 4x4 turned much",
        ] {
            assert_eq!(Label::parse(words), None, "{words}");
        }
    }
}
