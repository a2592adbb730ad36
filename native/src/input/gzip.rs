//! Gzip as it lies around: members one after another, with zeros between and behind them, which tapes and some tools leave.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

/// What is in a gzip file.
#[derive(Debug)]
pub(crate) struct Gzip<R> {
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> Gzip<R> {
    pub fn new(raw: R) -> Gzip<R> {
        Gzip { member: Some(GzDecoder::new(raw)) }
    }
}

impl<R: BufRead> Read for Gzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let n = member.read(buffer)?;
            if n > 0 || buffer.is_empty() {
                return Ok(n);
            }
            skip_zeros(member.get_mut())?;
            let ended = member.get_mut().fill_buf()?.is_empty();
            self.member = self.member.take().filter(|_| !ended).map(|member| GzDecoder::new(member.into_inner()));
        }
        Ok(0)
    }
}

fn skip_zeros(raw: &mut impl BufRead) -> io::Result<()> {
    loop {
        let bytes = raw.fill_buf()?;
        let (zeros, all) = (bytes.iter().take_while(|byte| **byte == 0).count(), bytes.len());
        raw.consume(zeros);
        if zeros < all || all == 0 {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Write};

    use super::*;

    fn packed(text: &[u8]) -> Vec<u8> {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        out.write_all(text).unwrap();
        out.finish().unwrap()
    }

    fn unpacked(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        // Every boundary of a buffer falls somewhere.
        Gzip::new(BufReader::with_capacity(7, bytes)).read_to_end(&mut text).map(|_| text)
    }

    #[test]
    fn members_and_zeros_follow_each_other() {
        let (one, two) = (packed(b"one "), packed(b"two"));
        for (zeros, more) in [(0, 0), (1, 0), (100, 3), (0, 512)] {
            let bytes = [&one[..], &vec![0; zeros], &two, &vec![0; more]].concat();
            assert_eq!(unpacked(&bytes).unwrap(), b"one two");
        }
        assert_eq!(unpacked(&packed(b"")).unwrap(), b"");
    }

    #[test]
    fn what_is_cut_or_something_else_is_an_error() {
        let one = packed(b"one");
        for end in 0..one.len() {
            assert!(unpacked(&one[..end]).is_err(), "{end}");
        }
        assert!(unpacked(&[&one[..], b"\0\0garbage"].concat()).is_err());
    }
}
