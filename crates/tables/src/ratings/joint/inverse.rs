//! Inverting a large positive definite matrix.

use ndarray::{Array2, ArrayView2, Axis};

/// Blocks up to this size are inverted directly.
const BLOCK: usize = 64;

/// Returns the inverse of a symmetric positive definite matrix; one that rounding
/// has made indefinite is given as much of a diagonal as it takes.
pub(super) fn inverse(mut matrix: Array2<f64>) -> Array2<f64> {
    let scale = matrix.diag().iter().copied().fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let mut ridge = 0.0;
    loop {
        match definite(matrix.view()) {
            Some(found) if found.iter().all(|value| value.is_finite()) => return found,
            _ if ridge > scale => return Array2::zeros(matrix.dim()),
            _ => {
                let more = if ridge > 0.0 { ridge * 9.0 } else { 1e-12 * scale };
                matrix.diag_mut().iter_mut().for_each(|value| *value += more);
                ridge += more;
            }
        }
    }
}

/// Inverts by halves: nearly all of the work is products of large blocks.
fn definite(matrix: ArrayView2<'_, f64>) -> Option<Array2<f64>> {
    let size = matrix.nrows();
    if size <= BLOCK {
        return factor(matrix).map(|factor| of_factor(&factor));
    }
    let head = size / 2;
    let (top, bottom) = matrix.split_at(Axis(0), head);
    let ((before, corner), (_, after)) =
        (top.split_at(Axis(1), head), bottom.split_at(Axis(1), head));
    let first = definite(before)?;
    let bridge = first.dot(&corner);
    let last = definite((&after - &corner.t().dot(&bridge)).view())?;
    let across = -bridge.dot(&last);
    let mut inverse = Array2::zeros(matrix.dim());
    let (top, bottom) = inverse.view_mut().split_at(Axis(0), head);
    let (parts, others) = (top.split_at(Axis(1), head), bottom.split_at(Axis(1), head));
    let ((mut before, mut corner), (mut below, mut after)) = (parts, others);
    before.assign(&(first - across.dot(&bridge.t())));
    corner.assign(&across);
    below.assign(&across.t());
    after.assign(&last);
    Some(inverse)
}

/// Returns the lower triangle of which the matrix is the square (Cholesky's factor); `None` when it
/// is not positive definite.
fn factor(matrix: ArrayView2<'_, f64>) -> Option<Array2<f64>> {
    let mut factor = Array2::zeros(matrix.dim());
    for column in 0..matrix.nrows() {
        for row in column..matrix.nrows() {
            let [own, other] =
                [row, column].map(|line| factor.row(line).split_at(Axis(0), column).0);
            let left: f64 = matrix[(row, column)] - own.dot(&other);
            factor[(row, column)] = match row == column {
                true if left > 0.0 => left.sqrt(),
                true => return None,
                false => left / factor[(column, column)],
            };
        }
    }
    Some(factor)
}

/// Returns the inverse of what has this factor: its inverted factor, transposed, times itself.
fn of_factor(factor: &Array2<f64>) -> Array2<f64> {
    let mut inverted = Array2::<f64>::zeros(factor.dim());
    for column in 0..factor.nrows() {
        inverted[(column, column)] = 1.0 / factor[(column, column)];
        for row in column + 1..factor.nrows() {
            // Above its diagonal it is zero.
            let found: f64 = factor.row(row).dot(&inverted.column(column));
            inverted[(row, column)] = -found / factor[(row, row)];
        }
    }
    inverted.t().dot(&inverted)
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
        let matrix = Array2::from_shape_fn((size, size), |(row, column)| entry(row, column));
        let product = matrix.dot(&inverse(matrix.clone()));
        assert!((product - Array2::<f64>::eye(size)).iter().all(|value| value.abs() < 1e-12));
    }

    #[test]
    fn a_singular_matrix_has_something_finite() {
        let matrix = Array2::from_elem((100, 100), 1.0);
        assert!(inverse(matrix).iter().all(|value| value.is_finite()));
    }
}
