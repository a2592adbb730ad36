//! In which order coefficients are written, and what is known of each before it is.
//!
//! A block is 16 squares of four coefficients, called quads. Every plane has one symbol a block, of the blocks that have
//! something there.

/// Planes of a channel: first coefficients, the number of the last quad, the first quad in two parts, the other 15.
pub(super) const PLANES: usize = 19;
/// The plane of quad `k`, from 1 on, is this many behind it.
pub(super) const QUAD: usize = 3;

/// What a plane's symbols are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The size of a first coefficient's difference.
    First,
    /// The number of the last quad that has something, from 1; 0 for none.
    Last,
    /// Two sizes, four bits each.
    Pair,
    /// One size.
    One,
    /// Four sizes, three bits each.
    Quad,
}

/// The symbol for what has none of its own.
pub(super) const ESCAPE: u16 = 0xfff;

impl Kind {
    pub(super) const ALL: [Kind; 5] = [Kind::First, Kind::Last, Kind::Pair, Kind::One, Kind::Quad];

    pub(super) const fn of(plane: usize) -> Kind {
        match plane {
            0 => Kind::First,
            1 => Kind::Last,
            2 => Kind::Pair,
            3 => Kind::One,
            _ => Kind::Quad,
        }
    }

    /// The bits that follow a symbol; `None` if there is no such symbol.
    pub(super) fn raw(self, symbol: u16) -> Option<u32> {
        let symbol = u32::from(symbol);
        match self {
            Kind::First if symbol <= 11 => Some(symbol),
            Kind::Last if symbol <= 16 => Some(0),
            Kind::One if symbol <= 10 => Some(symbol),
            Kind::Pair | Kind::Quad if symbol == u32::from(ESCAPE) => Some(0),
            Kind::Pair if symbol >> 4 <= 10 && symbol & 15 <= 10 => Some((symbol >> 4) + (symbol & 15)),
            Kind::Quad if symbol < 1 << 12 => {
                let sizes = [symbol & 7, symbol >> 3 & 7, symbol >> 6 & 7, symbol >> 9];
                sizes.iter().all(|size| *size < 7).then(|| sizes.iter().sum())
            }
            _ => None,
        }
    }

    /// The symbols that always have a code.
    pub(super) fn needed(self) -> std::ops::RangeInclusive<u16> {
        match self {
            Kind::First => 0..=11,
            Kind::Last => 0..=16,
            Kind::One => 0..=10,
            Kind::Pair | Kind::Quad => ESCAPE..=ESCAPE,
        }
    }
}

/// The first coefficient of each quad in a block.
pub(super) const AT: [usize; 16] = [0, 2, 16, 18, 32, 4, 34, 20, 36, 48, 6, 50, 22, 52, 38, 54];

/// Sums of sizes that are kept of every block: of the first coefficient's difference, the last quad's number, the other
/// three of the first quad, and each of the other quads.
pub(super) const SUMS: usize = 20;
pub(super) const FIRST: usize = 0;
pub(super) const LAST: usize = 1;
pub(super) const RIGHT: usize = 2;
pub(super) const BELOW: usize = 3;
pub(super) const ACROSS: usize = 4;

/// The two sums that tell most about a plane from the third on.
pub(super) const PARENTS: [(usize, usize); PLANES - 2] = [
    (LAST, FIRST),
    (RIGHT, BELOW),
    (RIGHT, ACROSS),
    (BELOW, ACROSS),
    (5, 6),
    (6, 7),
    (5, 7),
    (7, 8),
    (7, 9),
    (10, 11),
    (8, 10),
    (9, 11),
    (13, 10),
    (14, 11),
    (12, 15),
    (12, 16),
    (17, 18),
];

/// Contexts of a plane.
pub(super) const CELLS: usize = 128;
/// Contexts of a plane by what stands around.
pub(super) const AROUND: usize = 32;
/// The context of a lane's first difference.
pub(super) const BEGIN: usize = 6;

/// Parts of a picture's bytes, in their order: what smaller sizes need comes first.
pub(super) const LEVELS: usize = 7;

/// The level of a channel's plane.
pub(super) const fn level(channel: usize, plane: usize) -> usize {
    match (channel, band(plane)) {
        (_, 0) => 0,
        (0, band) => 2 * band,
        (_, band) => 2 * band - 1,
    }
}

/// How far a plane's coefficients are from the first one: 0 for that, 1 for its quad, 2 for the quads around that.
pub(super) const fn band(plane: usize) -> usize {
    match plane {
        0 => 0,
        1..=3 => 1,
        4..=6 => 2,
        _ => 3,
    }
}

/// Lanes that are read in step.
pub(super) const LANES: usize = 4;
