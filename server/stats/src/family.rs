//! Correction for multiple tests (docs/statistics.md, "Paired tests").

/// Holm's step-down correction (Holm 1979): the adjusted p-values, in the order given. Entries without a
/// p-value are not part of the family.
pub fn holm(values: &[Option<f64>]) -> Vec<Option<f64>> {
    let mut order: Vec<(usize, f64)> = values.iter().enumerate().filter_map(|(i, p)| Some((i, (*p)?))).collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    let family = order.len();
    let mut adjusted = vec![None; values.len()];
    let mut least = 0.0_f64;
    for (rank, (at, p)) in order.into_iter().enumerate() {
        least = least.max(p * (family - rank) as f64).min(1.0);
        adjusted[at] = Some(least);
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holm_correction_by_hand() {
        // Holm 1979's procedure by hand: 0.01*4, 0.02*3, 0.03*2 (no less than 0.06), 0.04*1.
        let found = holm(&[Some(0.04), None, Some(0.01), Some(0.03), Some(0.02)]);
        let expected = [Some(0.06), None, Some(0.04), Some(0.06), Some(0.06)];
        for (found, expected) in found.iter().zip(expected) {
            assert_eq!(found.is_some(), expected.is_some());
            assert!((found.unwrap_or(0.0) - expected.unwrap_or(0.0)).abs() < 1e-15, "{found:?}");
        }
        assert_eq!(holm(&[Some(0.6), Some(0.9)]), [Some(1.0), Some(1.0)]);
        assert_eq!(holm(&[None]), [None]);
    }
}
