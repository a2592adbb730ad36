//! The perspective that takes the corners of a picture to others.

/// The eight coefficients of the map from the result to the picture, `(a x + b y + c) / (g x + h y + 1)` and likewise for y.
/// As floats of 32 bits, which is what torchvision keeps of them. `None` if the corners lie in a line.
pub(super) fn coefficients(corners: [(f64, f64); 4], (width, height): (u32, u32)) -> Option<[f64; 8]> {
    let (right, bottom) = (f64::from(width) - 1.0, f64::from(height) - 1.0);
    let from = [(0.0, 0.0), (right, 0.0), (right, bottom), (0.0, bottom)];
    // Two equations for each corner: where it came from.
    let mut rows = [[0.0; 9]; 8];
    for (pair, ((x, y), (u, v))) in rows.as_chunks_mut::<2>().0.iter_mut().zip(corners.into_iter().zip(from)) {
        pair[0] = [x, y, 1.0, 0.0, 0.0, 0.0, -u * x, -u * y, u];
        pair[1] = [0.0, 0.0, 0.0, x, y, 1.0, -v * x, -v * y, v];
    }
    let found = solve(rows)?.map(|value| f64::from(value as f32));
    // One that cannot be taken back shows nothing.
    let [a, b, c, d, e, f, g, h] = found;
    let determinant = a * (e - f * h) - b * (d - f * g) + c * (d * h - e * g);
    (determinant.is_finite() && determinant.abs() > 1e-12).then_some(found)
}

/// Solves eight equations by elimination, each time with the largest number that is left.
fn solve(mut rows: [[f64; 9]; 8]) -> Option<[f64; 8]> {
    for k in 0..8 {
        let largest = (k..8).max_by(|&i, &j| rows[i][k].abs().total_cmp(&rows[j][k].abs()))?;
        rows.swap(k, largest);
        let pivot = rows[k];
        if pivot[k].abs() < 1e-9 {
            return None;
        }
        for (i, row) in rows.iter_mut().enumerate() {
            if i != k {
                let factor = row[k] / pivot[k];
                row.iter_mut().zip(pivot).for_each(|(value, own)| *value -= factor * own);
            }
        }
    }
    Some(std::array::from_fn(|k| rows[k][8] / rows[k][k]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_come_from_the_corners_of_the_picture() {
        let corners = [(3.0, 2.0), (90.0, 7.0), (95.0, 60.0), (1.0, 55.0)];
        let [a, b, c, d, e, f, g, h] = coefficients(corners, (100, 64)).unwrap();
        for ((x, y), (u, v)) in corners.into_iter().zip([(0.0, 0.0), (99.0, 0.0), (99.0, 63.0), (0.0, 63.0)]) {
            let w = g * x + h * y + 1.0;
            assert!(((a * x + b * y + c) / w - u).abs() < 1e-3 && ((d * x + e * y + f) / w - v).abs() < 1e-3);
        }
        assert_eq!(coefficients([(0.0, 0.0), (1.0, 1.0), (2.0, 2.0), (3.0, 3.0)], (9, 9)), None);
        assert_eq!(coefficients([(0.0, 0.0); 4], (1, 1)), None);
    }
}
