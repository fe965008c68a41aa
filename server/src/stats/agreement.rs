//! How far raters agree (docs/statistics.md, "Agreement").

use app::model::comparison::Agreement;

/// Agreement on one dimension. Each unit is one output with the scores it got, one a rater; scores
/// are whole numbers from `low` to `high`.
pub fn agreement(units: &[Vec<u8>], low: u8, high: u8) -> Agreement {
    let (mut pairs, mut exact, mut near) = (0u64, 0u64, 0u64);
    for unit in units {
        for (i, a) in unit.iter().enumerate() {
            for b in &unit[i + 1..] {
                pairs += 1;
                exact += u64::from(a == b);
                near += u64::from(a.abs_diff(*b) <= 1);
            }
        }
    }
    let share = |n: u64| (pairs > 0).then(|| n as f64 / pairs as f64);
    Agreement { alpha: alpha_ordinal(units, low, high), exact: share(exact), within_one: share(near), pairs }
}

/// Krippendorff's alpha with the ordinal metric (Krippendorff, "Computing Krippendorff's
/// Alpha-Reliability", 2011, section D). Units with fewer than two scores do not count. `None` where
/// nothing can be paired, or where all paired scores are equal: then nothing says whether raters
/// would tell different outputs apart.
pub fn alpha_ordinal(units: &[Vec<u8>], low: u8, high: u8) -> Option<f64> {
    let size = usize::from(high.checked_sub(low)?) + 1;
    let mut coincidences = vec![vec![0.0; size]; size];
    for unit in units.iter().filter(|unit| unit.len() >= 2) {
        let weight = 1.0 / (unit.len() - 1) as f64;
        for (i, a) in unit.iter().enumerate() {
            for (j, b) in unit.iter().enumerate() {
                if i != j {
                    let (a, b) = (a.checked_sub(low)?, b.checked_sub(low)?);
                    *coincidences.get_mut(usize::from(a))?.get_mut(usize::from(b))? += weight;
                }
            }
        }
    }
    let totals: Vec<f64> = coincidences.iter().map(|row| row.iter().sum()).collect();
    let n: f64 = totals.iter().sum();
    let (mut observed, mut expected) = (0.0, 0.0);
    for c in 0..size {
        for k in c + 1..size {
            let between: f64 = totals[c..=k].iter().sum();
            let distance = (between - (totals[c] + totals[k]) / 2.0).powi(2);
            observed += coincidences[c][k] * distance;
            expected += totals[c] * totals[k] * distance;
        }
    }
    (expected > 0.0).then(|| 1.0 - (n - 1.0) * observed / expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four observers, twelve units, missing values: the worked example of Krippendorff 2011,
    /// section C, whose ordinal alpha the paper gives as 0.815.
    #[test]
    fn matches_the_published_example() {
        const X: u8 = 0;
        let observers = [
            [1, 2, 3, 3, 2, 1, 4, 1, 2, X, X, X],
            [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, X, 3],
            [X, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, X],
            [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, X],
        ];
        let units: Vec<Vec<u8>> =
            (0..12).map(|u| observers.iter().map(|o| o[u]).filter(|s| *s != X).collect()).collect();
        let alpha = alpha_ordinal(&units, 1, 5).unwrap();
        assert!((alpha - 0.815).abs() < 0.0005, "{alpha}");
    }

    #[test]
    fn says_nothing_where_nothing_can_be_said() {
        let check = |units: &[Vec<u8>], expected: Option<f64>| assert_eq!(alpha_ordinal(units, 1, 4), expected);
        check(&[], None);
        check(&[vec![1], vec![4]], None);
        check(&[vec![2, 2], vec![2, 2]], None);
        check(&[vec![1, 1], vec![4, 4]], Some(1.0));
    }

    #[test]
    fn counts_pairs() {
        let found = agreement(&[vec![1, 2, 4], vec![3], vec![4, 4]], 1, 4);
        assert_eq!((found.pairs, found.exact, found.within_one), (4, Some(0.25), Some(0.5)));
    }
}
