//! Means adjusted for the raters' leniency (docs/statistics.md, "Means adjusted for leniency").

use std::collections::BTreeMap;

use model::stats::{Adjusted, Known, Undefined};

use super::{
    bootstrap::{Cell, mean},
    connected::Groups,
    ratings::Unit,
};

/// The adjusted mean of each of `models` models: least squares for output + rater + error, with the raters'
/// leniencies summing to zero.
pub fn adjusted(units: &[Unit], models: usize) -> Known<Adjusted> {
    let units: Vec<&Unit> = units.iter().filter(|unit| !unit.ratings.is_empty()).collect();
    let raters: BTreeMap<u32, usize> = units.iter().flat_map(|u| &u.ratings).map(|(rater, _)| (*rater, 0)).collect();
    let raters: BTreeMap<u32, usize> = raters.into_keys().enumerate().map(|(place, rater)| (rater, place)).collect();
    if raters.is_empty() {
        return Err(Undefined::Nothing);
    }
    let placed: Vec<Vec<(usize, f64)>> = units
        .iter()
        .map(|u| u.ratings.iter().filter_map(|(r, score)| Some((*raters.get(r)?, f64::from(*score)))).collect())
        .collect();
    let groups = groups(raters.len(), &placed);
    if groups > 1 {
        return Err(Undefined::Disconnected(u32::try_from(groups).unwrap_or(u32::MAX)));
    }
    let leniency = leniency(raters.len(), &placed).ok_or(Undefined::NoVariation)?;
    let tasks = units.iter().map(|u| u.task + 1).max().unwrap_or(0);
    let means = (0..models).map(|model| {
        let mut cells: Vec<Cell> = vec![Vec::new(); tasks];
        for (unit, scores) in units.iter().zip(&placed).filter(|(unit, _)| unit.model == model) {
            let sum: f64 = scores.iter().map(|(rater, score)| score - leniency[*rater]).sum();
            cells[unit.task].push(sum / scores.len() as f64);
        }
        mean(&cells).ok_or(Undefined::Nothing)
    });
    Ok(Adjusted { means: means.collect(), raters: raters.keys().copied().zip(leniency.iter().copied()).collect() })
}

/// Number of groups of raters that share no output.
fn groups(raters: usize, units: &[Vec<(usize, f64)>]) -> usize {
    let mut groups = Groups::new(raters);
    for pair in units.iter().flat_map(|unit| unit.windows(2)) {
        groups.join(pair[0].0, pair[1].0);
    }
    groups.count()
}

/// The raters' leniencies. Eliminating the outputs from the normal equations leaves one equation per rater;
/// adding a constant to every entry fixes the sum at zero.
fn leniency(raters: usize, units: &[Vec<(usize, f64)>]) -> Option<Vec<f64>> {
    let mut matrix = vec![vec![1.0; raters]; raters];
    let mut right = vec![0.0; raters];
    for unit in units {
        let n = unit.len() as f64;
        let mean = unit.iter().map(|(_, score)| score).sum::<f64>() / n;
        for (a, score) in unit {
            matrix[*a][*a] += 1.0;
            right[*a] += score - mean;
            for (b, _) in unit {
                matrix[*a][*b] -= 1.0 / n;
            }
        }
    }
    solve(matrix, right)
}

/// Solves a symmetric positive definite system by Cholesky decomposition; `None` if it is not positive definite.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Option<Vec<f64>> {
    let n = right.len();
    for i in 0..n {
        for j in 0..=i {
            let done: f64 = (0..j).map(|k| matrix[i][k] * matrix[j][k]).sum();
            let rest = matrix[i][j] - done;
            if i == j {
                if rest <= 0.0 {
                    return None;
                }
                matrix[i][i] = rest.sqrt();
            } else {
                matrix[i][j] = rest / matrix[j][j];
            }
        }
    }
    for i in 0..n {
        let done: f64 = (0..i).map(|k| matrix[i][k] * right[k]).sum();
        right[i] = (right[i] - done) / matrix[i][i];
    }
    for i in (0..n).rev() {
        let done: f64 = (i + 1..n).map(|k| matrix[k][i] * right[k]).sum();
        right[i] = (right[i] - done) / matrix[i][i];
    }
    Some(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(model: usize, task: usize, ratings: &[(u32, u8)]) -> Unit {
        Unit { model, task, ratings: ratings.to_vec() }
    }

    #[test]
    fn strict_rater_does_not_lower_adjusted_means() {
        // Rater 2 always gives two less than rater 1. Model 0 had mostly rater 1, model 1 mostly rater 2;
        // both are equally good.
        let units = [
            unit(0, 0, &[(1, 4), (2, 2)]),
            unit(1, 0, &[(1, 4), (2, 2)]),
            unit(0, 1, &[(1, 5)]),
            unit(1, 1, &[(2, 3)]),
        ];
        let found = adjusted(&units, 3).unwrap();
        assert!((found.raters[0].1 - 1.0).abs() < 1e-12 && (found.raters[1].1 + 1.0).abs() < 1e-12);
        let (first, second) = (found.means[0].unwrap(), found.means[1].unwrap());
        assert!((first - 3.5).abs() < 1e-12 && (second - 3.5).abs() < 1e-12, "{first} {second}");
        assert_eq!(found.means[2], Err(Undefined::Nothing));
    }

    #[test]
    fn disconnected_raters_are_reported() {
        let units = [unit(0, 0, &[(1, 4), (2, 2)]), unit(0, 1, &[(3, 1)]), unit(0, 2, &[(4, 1), (5, 2)])];
        assert_eq!(adjusted(&units, 1), Err(Undefined::Disconnected(3)));
        assert_eq!(adjusted(&[], 1), Err(Undefined::Nothing));
        assert!(adjusted(&[unit(0, 0, &[(1, 4)])], 1).is_ok(), "one rater alone is no trouble");
    }
}
