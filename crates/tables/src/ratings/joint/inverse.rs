//! Inverting a large positive definite matrix.

use nalgebra::DMatrix;

/// Blocks up to this size are inverted directly.
const BLOCK: usize = 64;

/// Returns the inverse of a symmetric positive definite matrix; one that rounding
/// has made indefinite is given as much of a diagonal as it takes.
pub(super) fn inverse(mut matrix: DMatrix<f64>) -> DMatrix<f64> {
    let size = matrix.nrows();
    let scale = matrix.diagonal().iter().copied().fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let mut ridge = 0.0;
    loop {
        match definite(&matrix) {
            Some(found) if found.iter().all(|value| value.is_finite()) => return found,
            _ if ridge > scale => return DMatrix::zeros(size, size),
            _ => {
                let more = if ridge > 0.0 { ridge * 9.0 } else { 1e-12 * scale };
                (0..size).for_each(|place| matrix[(place, place)] += more);
                ridge += more;
            }
        }
    }
}

/// Inverts by halves: nearly all of the work is products of large blocks.
fn definite(matrix: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    let size = matrix.nrows();
    if size <= BLOCK {
        return matrix.clone().cholesky().map(|factor| factor.inverse());
    }
    let (head, tail) = (size / 2, size - size / 2);
    let corner = matrix.view((0, head), (head, tail));
    let first = definite(&matrix.view((0, 0), (head, head)).clone_owned())?;
    let bridge = &first * corner;
    let rest = matrix.view((head, head), (tail, tail)) - corner.transpose() * &bridge;
    let last = definite(&rest)?;
    let across = &bridge * &last;
    let mut inverse = DMatrix::zeros(size, size);
    inverse.view_mut((0, 0), (head, head)).copy_from(&(first + &across * bridge.transpose()));
    inverse.view_mut((0, head), (head, tail)).copy_from(&-&across);
    inverse.view_mut((head, 0), (tail, head)).copy_from(&-across.transpose());
    inverse.view_mut((head, head), (tail, tail)).copy_from(&last);
    Some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_times_its_inverse_is_one() {
        let size = 150;
        let entry = |row: usize, column: usize| match row.abs_diff(column) {
            0 => 3.0,
            apart => 1.0 / (apart as f64).powi(2) / 4.0,
        };
        let matrix = DMatrix::from_fn(size, size, entry);
        let product = &matrix * inverse(matrix.clone());
        assert!((product - DMatrix::identity(size, size)).amax() < 1e-12);
    }

    #[test]
    fn a_singular_matrix_has_something_finite() {
        let matrix = DMatrix::from_element(100, 100, 1.0);
        assert!(inverse(matrix).iter().all(|value| value.is_finite()));
    }
}
