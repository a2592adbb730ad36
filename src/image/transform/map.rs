//! Maps of the plane: where each point of a picture goes.

/// A map of points to points: straight lines stay straight. Affine, unless its last row says otherwise.
///
/// ```
/// use forebay::image::transform::Map;
/// let quarter = Map::affine([[0.0, -1.0, 10.0], [1.0, 0.0, 0.0]]);
/// let wider = Map::affine([[2.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
/// let both = quarter.then(&wider);
/// assert_eq!(both.point(3.0, 4.0), Some((12.0, 3.0)));
/// assert_eq!(both.inverse().and_then(|back| back.point(12.0, 3.0)), Some((3.0, 4.0)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Map {
    rows: [[f64; 3]; 3],
}

impl Default for Map {
    fn default() -> Self {
        Map::IDENTITY
    }
}

impl Map {
    /// Every point stays where it is.
    pub const IDENTITY: Map = Map { rows: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] };

    /// The map by these two rows: `x' = a x + b y + c`, and `y'` likewise.
    pub const fn affine([first, second]: [[f64; 3]; 2]) -> Map {
        Map { rows: [first, second, [0.0, 0.0, 1.0]] }
    }
    /// The map by three rows: what the first two give is divided by what the third gives.
    pub const fn perspective(rows: [[f64; 3]; 3]) -> Map {
        Map { rows }
    }
    /// Its three rows.
    pub const fn rows(&self) -> [[f64; 3]; 3] {
        self.rows
    }

    /// Where a point goes; `None` for one at or behind the horizon of a perspective.
    pub fn point(&self, x: f64, y: f64) -> Option<(f64, f64)> {
        let [a, b, c] = self.rows.map(|[a, b, c]| a * x + b * y + c);
        // What is not a number is nowhere.
        (c > HORIZON).then(|| (a / c, b / c))
    }

    /// This map, and then another.
    #[must_use]
    pub fn then(&self, next: &Map) -> Map {
        let column = |k: usize| self.rows.map(|row| row[k]);
        let columns = [column(0), column(1), column(2)];
        Map { rows: next.rows.map(|row| columns.map(|[a, b, c]| row[0] * a + row[1] * b + row[2] * c)) }
    }

    /// The map that takes everything back; `None` if this one puts several points on one.
    pub fn inverse(&self) -> Option<Map> {
        let [[a, b, c], [d, e, f], [g, h, i]] = self.rows;
        let minors = [
            [e * i - f * h, c * h - b * i, b * f - c * e],
            [f * g - d * i, a * i - c * g, c * d - a * f],
            [d * h - e * g, b * g - a * h, a * e - b * d],
        ];
        let determinant = a * minors[0][0] + b * minors[1][0] + c * minors[2][0];
        let rows = minors.map(|row| row.map(|value| value / determinant));
        rows.iter().flatten().all(|value| value.is_finite()).then_some(Map { rows })
    }
}

/// Below this a point is as good as at the horizon.
const HORIZON: f64 = 1e-9;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_and_its_inverse_leave_points_where_they_are() {
        let map = Map::perspective([[1.2, 0.3, 5.0], [-0.2, 0.8, 7.0], [0.001, 0.002, 1.0]]);
        let back = map.then(&map.inverse().unwrap());
        for (x, y) in [(0.0, 0.0), (10.0, 3.0), (100.0, 200.0)] {
            let (u, v) = back.point(x, y).unwrap();
            assert!((u - x).abs() < 1e-9 && (v - y).abs() < 1e-9);
        }
        assert_eq!(map.point(-2000.0, 0.0), None, "behind the horizon");
        assert_eq!(Map::affine([[1.0, 2.0, 0.0], [2.0, 4.0, 0.0]]).inverse(), None);
        assert_eq!(Map::IDENTITY.point(f64::NAN, 0.0), None, "no number is nowhere");
    }

    #[test]
    fn the_first_map_comes_first() {
        let moved = Map::affine([[1.0, 0.0, 3.0], [0.0, 1.0, 0.0]]);
        let doubled = Map::affine([[2.0, 0.0, 0.0], [0.0, 2.0, 0.0]]);
        assert_eq!(moved.then(&doubled).point(1.0, 1.0), Some((8.0, 2.0)));
        assert_eq!(doubled.then(&moved).point(1.0, 1.0), Some((5.0, 2.0)));
    }
}
