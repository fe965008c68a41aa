//! Agreement of raters (docs/statistics.md, "Agreement").

use model::ratings::Agreement;

/// Agreement on one dimension. Each unit is one output with its scores, one per rater; scores are whole
/// numbers from `low` to `high`.
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

/// Krippendorff's alpha with the ordinal metric (Krippendorff, "Computing Krippendorff's Alpha-Reliability",
/// 2011, section D). Units with fewer than two scores do not count. `None` if no scores can be paired, or
/// all paired scores are equal: the data then do not show whether raters would tell different outputs apart.
/// Scores outside the scale give `None`.
pub fn alpha_ordinal(units: &[Vec<u8>], low: u8, high: u8) -> Option<f64> {
    let size = usize::from(high.checked_sub(low)?) + 1;
    let mut coincidences = Square::new(size);
    for unit in units {
        let levels: Option<Vec<usize>> = unit.iter().map(|s| Some(usize::from(s.checked_sub(low)?))).collect();
        let levels = levels.filter(|levels| levels.iter().all(|level| *level < size))?;
        coincide(&levels, |a, b, weight| coincidences.add(a, b, weight));
    }
    alpha(&coincidences)
}

/// Counts for every pair of levels.
#[derive(Clone, Debug)]
pub(super) struct Square {
    size: usize,
    cells: Vec<f64>,
}

impl Square {
    pub(super) fn new(size: usize) -> Self {
        Square { size, cells: vec![0.0; size * size] }
    }

    pub(super) fn clear(&mut self) {
        self.cells.fill(0.0);
    }

    pub(super) fn add(&mut self, a: usize, b: usize, weight: f64) {
        self.cells[a * self.size + b] += weight;
    }

    /// The non-zero entries, with their indices.
    pub(super) fn entries(&self) -> Vec<(usize, f64)> {
        self.cells.iter().copied().enumerate().filter(|(_, weight)| *weight != 0.0).collect()
    }

    /// Adds [`Square::entries`] of another square of the same size, `times` times.
    pub(super) fn absorb(&mut self, entries: &[(usize, f64)], times: f64) {
        for (cell, weight) in entries {
            self.cells[*cell] += times * weight;
        }
    }

    fn at(&self, a: usize, b: usize) -> f64 {
        self.cells[a * self.size + b]
    }

    fn rows(&self) -> Vec<f64> {
        self.cells.chunks(self.size.max(1)).map(|row| row.iter().sum()).collect()
    }

    fn columns(&self) -> Vec<f64> {
        (0..self.size).map(|b| (0..self.size).map(|a| self.at(a, b)).sum()).collect()
    }
}

/// One unit's contribution to the coincidence matrix: every ordered pair of levels, weighted by 1/(n − 1) so
/// that each of the unit's n ratings counts once.
pub(super) fn coincide(levels: &[usize], mut add: impl FnMut(usize, usize, f64)) {
    for (i, a) in levels.iter().enumerate() {
        for (j, b) in levels.iter().enumerate() {
            if i != j {
                add(*a, *b, 1.0 / (levels.len() - 1) as f64);
            }
        }
    }
}

/// Krippendorff's alpha from the coincidence matrix.
pub(super) fn alpha(coincidences: &Square) -> Option<f64> {
    let totals = coincidences.rows();
    let n: f64 = totals.iter().sum();
    let (mut observed, mut expected) = (0.0, 0.0);
    for c in 0..totals.len() {
        for k in c + 1..totals.len() {
            let between: f64 = totals[c..=k].iter().sum();
            let distance = (between - (totals[c] + totals[k]) / 2.0).powi(2);
            observed += coincidences.at(c, k) * distance;
            expected += totals[c] * totals[k] * distance;
        }
    }
    (expected > 0.0).then(|| 1.0 - (n - 1.0) * observed / expected)
}

/// Cohen's kappa with quadratic weights, from the contingency table of two raters. `None` if they share no
/// output or both always gave the same single level.
pub(super) fn kappa(table: &Square) -> Option<f64> {
    let (rows, columns) = (table.rows(), table.columns());
    let n: f64 = rows.iter().sum();
    let (mut observed, mut expected) = (0.0, 0.0);
    for (a, row) in rows.iter().enumerate() {
        for (b, column) in columns.iter().enumerate() {
            let distance = (a.abs_diff(b) as f64).powi(2);
            observed += distance * table.at(a, b);
            expected += distance * row * column;
        }
    }
    (expected > 0.0).then(|| 1.0 - n * observed / expected)
}

/// Agreement weights for two levels: 1 for equal levels, 0 for the two ends of the scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// By the square of the distance.
    Quadratic,
    /// By the number of pairs of levels between them, ends included (Gwet 2014, section 3.5).
    Ordinal,
}

impl Weights {
    fn of(self, a: usize, b: usize, size: usize) -> f64 {
        let (apart, most) = (a.abs_diff(b) as f64, (size - 1) as f64);
        match self {
            Weights::Quadratic => 1.0 - (apart / most).powi(2),
            Weights::Ordinal => 1.0 - (apart + 1.0) * apart / ((most + 1.0) * most),
        }
    }
}

/// The sums over units from which AC2 is computed.
#[derive(Clone, Debug)]
pub(super) struct Gwet {
    /// Units with at least two scores, and the sum of their agreement.
    paired: f64,
    agreement: f64,
    /// Units with a score, and the sum of each level's share.
    units: f64,
    shares: Vec<f64>,
    /// The weight of each pair of levels.
    weights: Vec<f64>,
}

impl Gwet {
    pub(super) fn new(size: usize, weights: Weights) -> Self {
        let each = (0..size).flat_map(|a| (0..size).map(move |b| weights.of(a, b, size)));
        Gwet { paired: 0.0, agreement: 0.0, units: 0.0, shares: vec![0.0; size], weights: each.collect() }
    }

    pub(super) fn clear(&mut self) {
        (self.paired, self.agreement, self.units) = (0.0, 0.0, 0.0);
        self.shares.fill(0.0);
    }

    /// Adds a unit that was drawn `times` times; `agreement` is its [`Gwet::agreement`].
    pub(super) fn add(&mut self, levels: &[usize], agreement: Option<f64>, times: f64) {
        if levels.is_empty() {
            return;
        }
        if let Some(agreement) = agreement {
            self.paired += times;
            self.agreement += times * agreement;
        }
        self.units += times;
        for level in levels {
            self.shares[*level] += times / levels.len() as f64;
        }
    }

    /// Adds another's sums, on the same scale, `times` times.
    pub(super) fn absorb(&mut self, other: &Gwet, times: f64) {
        self.paired += times * other.paired;
        self.agreement += times * other.agreement;
        self.units += times * other.units;
        for (share, own) in self.shares.iter_mut().zip(&other.shares) {
            *share += times * own;
        }
    }

    /// A unit's agreement: the mean weight of its ordered pairs of scores; `None` if it has no pair.
    pub(super) fn agreement(&self, levels: &[usize]) -> Option<f64> {
        let size = self.shares.len();
        let mut sum = 0.0;
        for (i, a) in levels.iter().enumerate() {
            for (j, b) in levels.iter().enumerate() {
                if i != j {
                    sum += self.weights[a * size + b];
                }
            }
        }
        (levels.len() > 1).then(|| sum / (levels.len() * (levels.len() - 1)) as f64)
    }

    /// AC2. `None` if no output has two scores or the scale has fewer than two levels.
    pub(super) fn ac2(&self) -> Option<f64> {
        let size = self.shares.len() as f64;
        if self.paired == 0.0 || size < 2.0 {
            return None;
        }
        let spread: f64 = self.shares.iter().map(|s| s / self.units).map(|share| share * (1.0 - share)).sum();
        let chance = self.weights.iter().sum::<f64>() / (size * (size - 1.0)) * spread;
        Some((self.agreement / self.paired - chance) / (1.0 - chance))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four observers, twelve units, missing values: the worked example of Krippendorff 2011,
    /// section C, whose ordinal alpha the paper gives as 0.815.
    #[test]
    fn matches_published_example() {
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
    fn agreement_without_pairs_is_undefined() {
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
