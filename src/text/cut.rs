//! A text cut into pieces that begin and end where rows do, without reading the rows: a look at its quotes and ends of
//! lines.

use bytes::Bytes;

use super::csv::fields::find;

/// Some rows of a text, to be read with a [`PieceReader`](super::PieceReader).
#[derive(Clone, Debug)]
pub struct TextPiece {
    /// Its bytes, one part after the other.
    pub(super) parts: Vec<Bytes>,
    /// The line on which it begins, from 1.
    pub(super) line: u64,
    /// How many lines it has, or more.
    pub(super) lines: usize,
    /// It ends inside of a row, which is longer than a row may be.
    pub(super) torn: bool,
}

/// Cuts a text as its bytes come.
#[derive(Debug)]
pub struct TextCutter {
    rows: RowEnds,
    /// The beginning of a row whose end did not come yet.
    begun: Vec<Bytes>,
    begun_bytes: u64,
    /// The line on which that begins.
    line: u64,
    /// What was in memory already, the next one last.
    at_hand: Vec<Bytes>,
    /// Bytes that a row may have.
    most: u64,
}

impl TextCutter {
    pub(super) fn new(rows: RowEnds, line: u64, mut at_hand: Vec<Bytes>, most: u64) -> TextCutter {
        at_hand.reverse();
        TextCutter { rows, begun: Vec::new(), begun_bytes: 0, line, at_hand, most }
    }

    /// A piece of what had come before the text was cut. Asked until there is none, and then bytes are pushed.
    pub fn at_hand(&mut self) -> Option<TextPiece> {
        while let Some(bytes) = self.at_hand.pop() {
            if let Some(piece) = self.push(bytes) {
                return Some(piece);
            }
        }
        None
    }

    /// Takes the next bytes, and gives the rows that end in them. The more bytes come at a time, the larger the pieces.
    pub fn push(&mut self, mut bytes: Bytes) -> Option<TextPiece> {
        match self.rows.last_end(&bytes) {
            Some(end) => {
                let whole = bytes.split_to(end);
                self.begun.push(whole);
                let piece = self.piece(false);
                self.keep(bytes);
                Some(piece)
            }
            None => {
                self.keep(bytes);
                (self.begun_bytes > self.most).then(|| self.piece(true))
            }
        }
    }

    /// The last piece, once there are no more bytes.
    pub fn end(&mut self) -> Option<TextPiece> {
        (!self.begun.is_empty()).then(|| self.piece(false))
    }

    fn keep(&mut self, bytes: Bytes) {
        if !bytes.is_empty() {
            self.begun_bytes += bytes.len() as u64;
            self.begun.push(bytes);
        }
    }

    fn piece(&mut self, torn: bool) -> TextPiece {
        let (parts, line) = (std::mem::take(&mut self.begun), self.line);
        self.begun_bytes = 0;
        let lines = parts.iter().map(|part| newlines(part)).sum::<u64>();
        self.line += lines;
        // The last line may have no end.
        TextPiece { parts, line, lines: lines as usize + 1, torn }
    }
}

/// Finds where rows end.
#[derive(Debug)]
pub(super) enum RowEnds {
    /// With their line.
    Lines,
    /// As those of CSV.
    Csv(Quotes),
}

impl RowEnds {
    /// Behind the last row that ends in these bytes, which follow those of the last call.
    fn last_end(&mut self, bytes: &[u8]) -> Option<usize> {
        match self {
            RowEnds::Lines => bytes.iter().rposition(|b| *b == b'\n').map(|at| at + 1),
            RowEnds::Csv(quotes) => quotes.last_end(bytes),
        }
    }
}

/// Where in a CSV its quotes leave off.
#[derive(Debug)]
pub(super) struct Quotes {
    delimiter: u8,
    place: Place,
    /// The byte in front of the next.
    before: u8,
    /// The parts of the bytes that are in no quotes.
    outside: Vec<(usize, usize)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Outside,
    Inside,
    /// Behind a quote that ends them, unless another follows.
    Closing,
}

impl Quotes {
    /// From the beginning of a row on.
    pub fn new(delimiter: u8) -> Quotes {
        Quotes { delimiter, place: Place::Outside, before: b'\n', outside: Vec::new() }
    }

    fn last_end(&mut self, bytes: &[u8]) -> Option<usize> {
        self.outside.clear();
        let mut at = 0;
        while at < bytes.len() {
            match self.place {
                Place::Outside => {
                    let open = self.opening(bytes, at);
                    self.outside.push((at, open.unwrap_or(bytes.len())));
                    at = open.map_or(bytes.len(), |open| open + 1);
                    if open.is_some() {
                        self.place = Place::Inside;
                    }
                }
                Place::Inside => match find(bytes, at, b'"') {
                    Some(quote) => (at, self.place) = (quote + 1, Place::Closing),
                    None => at = bytes.len(),
                },
                Place::Closing if bytes.get(at) == Some(&b'"') => (at, self.place) = (at + 1, Place::Inside),
                Place::Closing => self.place = Place::Outside,
            }
        }
        self.before = bytes.last().copied().unwrap_or(self.before);
        let end = |&(start, end): &(usize, usize)| {
            let part = bytes.get(start..end)?;
            part.iter().rposition(|b| matches!(b, b'\n' | b'\r')).map(|at| start + at + 1)
        };
        self.outside.iter().rev().find_map(end)
    }

    /// The next quote that begins a field; others mean themselves.
    fn opening(&self, bytes: &[u8], mut at: usize) -> Option<usize> {
        loop {
            let quote = find(bytes, at, b'"')?;
            let before = quote.checked_sub(1).and_then(|i| bytes.get(i)).unwrap_or(&self.before);
            if *before == self.delimiter || matches!(before, b'\n' | b'\r') {
                return Some(quote);
            }
            at = quote + 1;
        }
    }
}

/// How many lines end in these bytes.
pub(super) fn newlines(bytes: &[u8]) -> u64 {
    // Few enough at a time for a byte to count them, of which many are added at once.
    bytes.chunks(192).map(|part| u64::from(part.iter().fold(0u8, |n, b| n + u8::from(*b == b'\n')))).sum()
}
