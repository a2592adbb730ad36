//! Zstandard where there is no C library: in a browser.

use std::io::Read;

use ruzstd::decoding::{
    StreamingDecoder,
    errors::{FrameDecoderError, ReadFrameHeaderError},
};

/// Unpacks frames that follow each other onto `out`, which gets no longer than `most`; in words what is wrong with them.
pub(crate) fn unpack(packed: &[u8], most: u64, out: &mut Vec<u8>) -> Result<(), String> {
    let mut rest = packed;
    while !rest.is_empty() {
        // No decoder is used twice: it would reserve what the next frame claims.
        let frame = match StreamingDecoder::new(&mut rest) {
            Ok(frame) => frame,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                let behind = usize::try_from(length).ok().and_then(|length| rest.get(length..));
                rest = behind.ok_or_else(|| "a frame that is gone past is cut".to_owned())?;
                continue;
            }
            Err(e) => return Err(e.to_string()),
        };
        let room = most.saturating_sub(out.len() as u64).saturating_add(1);
        let mut frame = frame.take(room);
        frame.read_to_end(out).map_err(|e| e.to_string())?;
        if out.len() as u64 > most {
            return Err(format!("it becomes more than {most} bytes"));
        }
        let decoder = frame.into_inner().into_frame_decoder();
        let said = decoder.get_checksum_from_data();
        if said.is_some() && said != decoder.get_calculated_checksum() {
            return Err("a frame's checksum is wrong".to_owned());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::unpack;

    /// "forebay " twenty times with its checksum, as `zstd` 1.5 writes it.
    const FRAME: &[u8] = &[
        0x28, 0xb5, 0x2f, 0xfd, 0x24, 0xa0, 0x7d, 0x00, 0x00, 0x40, 0x66, 0x6f, 0x72, 0x65, 0x62, 0x61, 0x79, 0x20,
        0x01, 0x00, 0x95, 0x51, 0x85, 0x0b, 0xa6, 0xe7, 0x8d, 0xa6,
    ];

    #[test]
    fn frames_are_joined_and_those_of_others_gone_past() {
        let text = b"forebay ".repeat(20);
        let skipped = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
        let mut out = Vec::new();
        unpack(&[FRAME, &skipped, FRAME].concat(), 320, &mut out).unwrap();
        assert_eq!(out, [&text[..], &text].concat());
        assert!(unpack(&[FRAME, &skipped[..9]].concat(), 320, &mut Vec::new()).is_err());
        assert!(unpack(&[FRAME, b"more"].concat(), 320, &mut Vec::new()).is_err());
    }

    #[test]
    fn no_more_than_was_said_is_unpacked() {
        let e = unpack(FRAME, 159, &mut Vec::new()).unwrap_err();
        assert!(e.contains("more than 159"), "{e}");
    }

    #[test]
    fn a_wrong_checksum_is_damage() {
        let mut frame = FRAME.to_vec();
        *frame.last_mut().unwrap() ^= 1;
        assert_eq!(unpack(&frame, 160, &mut Vec::new()).unwrap_err(), "a frame's checksum is wrong");
    }
}
