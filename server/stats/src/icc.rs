//! Intraclass correlations with their intervals from F (docs/statistics.md, "Agreement").

use model::{
    ratings::Interval,
    stats::{Estimate, Known, Undefined},
};
use statrs::function::beta::{beta_reg, ln_beta};

/// The quantile of the upper end of a 95 % interval.
const UPPER: f64 = 0.975;

/// ICC(1): one-way random effects, one rater, over the units with at least two scores.
pub fn icc1(units: &[Vec<f64>]) -> Known<Estimate> {
    let units: Vec<&Vec<f64>> = units.iter().filter(|unit| unit.len() > 1).collect();
    enough(units.len())?;
    let (n, all) = (units.len() as f64, units.iter().map(|u| u.len() as f64).sum::<f64>());
    let center = units.iter().flat_map(|u| u.iter()).sum::<f64>() / all;
    let (mut between, mut within) = (0.0, 0.0);
    for unit in &units {
        let mean = average(unit);
        between += unit.len() as f64 * (mean - center).powi(2);
        within += unit.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
    }
    varies(between + within)?;
    let (msb, msw) = (between / (n - 1.0), within / (all - n));
    let k = (all - units.iter().map(|u| (u.len() as f64).powi(2)).sum::<f64>() / all) / (n - 1.0);
    let value = (msb - msw) / (msb + (k - 1.0) * msw);
    let (top, bottom) = (n - 1.0, all - n);
    // Avoids dividing by MSW, which is 0 if raters always agree.
    let end = |f: f64| (msb - f * msw) / (msb + (k - 1.0) * f * msw);
    let (low, high) = (end(quantile(UPPER, top, bottom)), end(1.0 / quantile(UPPER, bottom, top)));
    Ok(Estimate { value, interval: Ok(Interval { low, high }) })
}

/// ICC(2,1) and ICC(2,k): two-way random effects, absolute agreement. Each unit has one score from every
/// rater, in the same order. ICC(2,k) is undefined if its divisor is 0.
pub fn icc2(units: &[Vec<f64>]) -> Known<(Estimate, Known<Estimate>)> {
    enough(units.len())?;
    let raters = units.first().map_or(0, Vec::len);
    enough(raters)?;
    if units.iter().any(|unit| unit.len() != raters) {
        return Err(Undefined::NotCrossed);
    }
    let (n, k) = (units.len() as f64, raters as f64);
    let center = units.iter().map(|u| average(u)).sum::<f64>() / n;
    let by_rater: Vec<f64> = (0..raters).map(|r| units.iter().map(|u| u[r]).sum::<f64>() / n).collect();
    let rows = k * units.iter().map(|u| (average(u) - center).powi(2)).sum::<f64>();
    let columns = n * by_rater.iter().map(|m| (m - center).powi(2)).sum::<f64>();
    let rest = |u: &Vec<f64>| {
        let mean = average(u);
        u.iter().zip(&by_rater).map(|(v, m)| (v - mean - m + center).powi(2)).sum::<f64>()
    };
    let error = units.iter().map(rest).sum::<f64>();
    varies(rows + columns + error)?;
    let (top, bottom) = (n - 1.0, (n - 1.0) * (k - 1.0));
    let (msr, msc, mse) = (rows / top, columns / (k - 1.0), error / bottom);
    let value = (msr - mse) / (msr + (k - 1.0) * mse + k * (msc - mse) / n);
    let of_mean = |single: f64| k * single / (1.0 + (k - 1.0) * single);
    let divisor_k = msr + (msc - mse) / n;

    // Satterthwaite's degrees of freedom, rearranged so that MSE may be 0.
    let a = k * value * msc;
    let b = n * (1.0 + (k - 1.0) * value) - k * value;
    let freedom = bottom * (a + b * mse).powi(2) / (top * a.powi(2) + (b * mse).powi(2));
    let interval = if freedom.is_finite() && freedom > 0.0 {
        let spread = k * msc + (k * n - k - n) * mse;
        let (f, g) = (quantile(UPPER, top, freedom), quantile(UPPER, freedom, top));
        let low = n * (msr - f * mse) / (f * spread + n * msr);
        let high = n * (g * msr - mse) / (spread + n * g * msr);
        Ok(Interval { low, high })
    } else if mse == 0.0 && msc == 0.0 {
        Ok(Interval { low: 1.0, high: 1.0 })
    } else {
        Err(Undefined::NoVariation)
    };
    let interval_k = interval.map(|i| Interval { low: of_mean(i.low), high: of_mean(i.high) });
    // A divisor this small is a rounding error of 0.
    let mean = if divisor_k.abs() < 1e-12 * (msr + msc + mse) {
        Err(Undefined::NoDivisor)
    } else {
        Ok(Estimate { value: (msr - mse) / divisor_k, interval: interval_k })
    };
    Ok((Estimate { value, interval }, mean))
}

fn enough(n: usize) -> Known<()> {
    match n {
        0 => Err(Undefined::Nothing),
        1 => Err(Undefined::TooFew),
        _ => Ok(()),
    }
}

fn varies(squares: f64) -> Known<()> {
    if squares < 1e-12 { Err(Undefined::NoVariation) } else { Ok(()) }
}

fn average(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The quantile of Fisher's F, solved for x = d1·F / (d1·F + d2), which is beta distributed: bisection first,
/// then Newton's method.
fn quantile(q: f64, d1: f64, d2: f64) -> f64 {
    let (a, b) = (d1 / 2.0, d2 / 2.0);
    // Works in log F, because x loses precision near 0 and 1.
    let share = |log: f64| {
        let odds = log.exp() * d1 / d2;
        (odds / (1.0 + odds), 1.0 / (1.0 + odds))
    };
    let cdf = |log: f64| {
        let (x, rest) = share(log);
        if x < 0.5 { beta_reg(a, b, x) } else { 1.0 - beta_reg(b, a, rest) }
    };
    let (mut low, mut high) = (-700.0, 700.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if cdf(middle) < q { low = middle } else { high = middle }
    }
    let mut log: f64 = (low + high) / 2.0;
    for _ in 0..3 {
        let (x, rest) = share(log);
        let density = (a * x.ln() + b * rest.ln() - ln_beta(a, b)).exp();
        let next = log - (cdf(log) - q) / density;
        if next.is_finite() && (next - log).abs() < 1e-6 {
            log = next;
        }
    }
    log.exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six targets by four judges: table 2 of Shrout and Fleiss 1979, whose table 4 gives ICC(1,1) = .17,
    /// ICC(2,1) = .29, ICC(2,4) = .62.
    #[test]
    fn matches_published_example() {
        let units = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]];
        let units: Vec<Vec<f64>> = units.iter().map(|u| u.iter().map(|v| f64::from(*v)).collect()).collect();
        let near = |found: f64, printed: f64| assert!((found - printed).abs() < 0.005, "{found} {printed}");
        near(icc1(&units).unwrap().value, 0.17);
        let (single, mean) = icc2(&units).unwrap();
        near(single.value, 0.29);
        near(mean.unwrap().value, 0.62);
    }

    #[test]
    fn undefined_figures_have_a_reason() {
        assert_eq!(icc1(&[]), Err(Undefined::Nothing));
        assert_eq!(icc1(&[vec![1.0, 2.0], vec![1.0]]), Err(Undefined::TooFew));
        assert_eq!(icc1(&[vec![2.0, 2.0], vec![2.0, 2.0]]), Err(Undefined::NoVariation));
        assert_eq!(icc2(&[vec![1.0, 2.0], vec![1.0]]), Err(Undefined::NotCrossed));
        assert_eq!(icc2(&[vec![1.0], vec![2.0]]), Err(Undefined::TooFew));
        // Outputs with the same mean, and raters who differ no more than by chance.
        let (single, mean) = icc2(&[vec![4.0, 1.0, 3.0, 2.0], vec![2.0, 3.0, 4.0, 1.0]]).unwrap();
        assert!(single.value < 0.0);
        assert_eq!(mean, Err(Undefined::NoDivisor));
        // Perfect agreement must not fail.
        let perfect = icc1(&[vec![1.0, 1.0], vec![3.0, 3.0]]).unwrap();
        assert_eq!((perfect.value, perfect.interval), (1.0, Ok(Interval { low: 1.0, high: 1.0 })));
        let (single, mean) = icc2(&[vec![1.0, 1.0], vec![3.0, 3.0]]).unwrap();
        assert_eq!((single.value, mean.unwrap().value), (1.0, 1.0));
        assert_eq!(single.interval, Ok(Interval { low: 1.0, high: 1.0 }));
    }
}
