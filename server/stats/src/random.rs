//! Random numbers that are the same on every machine (docs/statistics.md, "Seeds").

use model::{
    ratings::Interval,
    stats::{Known, Undefined},
};
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Resamples behind an interval.
pub const RESAMPLES: u32 = 10_000;
/// Resamples per random stream: enough work for a thread, and small enough to spread over cores.
const BLOCK: u32 = 256;
/// Share of resamples outside a 95 % interval on each side.
const TAIL: f64 = 0.025;

/// The purpose of a stream, in addition to a model's key.
pub(super) const TASKS: u64 = 0;
pub(super) const SIGNS: u64 = u64::MAX;

/// The source of a figure's random numbers, and the number of resamples.
#[derive(Clone, Copy, Debug)]
pub struct Draws {
    /// The recorded seed.
    pub seed: u64,
    /// The figure's number. Each figure has its own streams.
    pub figure: u64,
    /// Number of resamples.
    pub resamples: u32,
}

impl Draws {
    /// The default number of resamples.
    pub fn new(seed: u64, figure: u64) -> Self {
        Draws { seed, figure, resamples: RESAMPLES }
    }

    /// The stream of one block for `who`. Uses ChaCha8 because its output for a key never changes, unlike the
    /// library's default generator.
    pub(super) fn stream(&self, who: u64, block: u32) -> ChaCha8Rng {
        let mut key = [0; 32];
        for (place, part) in key.chunks_exact_mut(8).zip([self.seed, self.figure, who, u64::from(block)]) {
            place.copy_from_slice(&part.to_le_bytes());
        }
        ChaCha8Rng::from_seed(key)
    }

    /// Runs `each` for every block (its number and its resamples) on all cores and returns the results in block
    /// order.
    pub(super) fn blocks<T: Send>(&self, each: impl Fn(u32, u32) -> T + Sync) -> Vec<T> {
        let count = self.resamples.div_ceil(BLOCK);
        (0..count).into_par_iter().map(|b| each(b, BLOCK.min(self.resamples - b * BLOCK))).collect()
    }

    /// Resamples `clusters` clusters with replacement. `each` gets a buffer, created once per block, and how
    /// often each cluster was drawn; it fills a row of `columns` figures, NaN for undefined ones. Returns the
    /// columns.
    pub(super) fn columns<D>(
        &self,
        clusters: usize,
        columns: usize,
        buffers: impl Fn() -> D + Sync,
        each: impl Fn(&mut D, &[u32], &mut [f64]) + Sync,
    ) -> Vec<Vec<f64>> {
        let rows = self.blocks(|block, size| {
            let mut tasks = self.stream(TASKS, block);
            let mut counts = vec![0; clusters];
            let mut buffers = buffers();
            let mut rows = vec![f64::NAN; columns * size as usize];
            if columns > 0 {
                for row in rows.chunks_exact_mut(columns) {
                    counts.fill(0);
                    for _ in 0..clusters {
                        counts[pick(&mut tasks, clusters)] += 1;
                    }
                    each(&mut buffers, &counts, row);
                }
            }
            rows
        });
        transpose(&rows, columns)
    }
}

/// Transposes rows of figures, block by block.
pub(super) fn transpose(blocks: &[Vec<f64>], columns: usize) -> Vec<Vec<f64>> {
    let column =
        |c: usize| blocks.iter().flat_map(|rows| rows.iter().skip(c).step_by(columns.max(1))).copied().collect();
    (0..columns).into_par_iter().map(column).collect()
}

/// Draws a number below `n`; `n` is at least 1.
pub(super) fn pick(rng: &mut ChaCha8Rng, n: usize) -> usize {
    ((u64::from(rng.next_u32()) * n as u64) >> 32) as usize
}

/// The 95 % percentile interval of resampled figures. NaN values are left out.
pub(super) fn percentile(mut column: Vec<f64>) -> Known<Interval> {
    let drawn = column.len();
    column.retain(|v| v.is_finite());
    if column.is_empty() || column.len() * 2 < drawn {
        return Err(Undefined::Unstable);
    }
    column.sort_unstable_by(f64::total_cmp);
    // Rounds an end that is zero up to rounding errors: significance depends on whether the interval includes zero.
    let whole = |v: f64| (v * 1e12).round() / 1e12 + 0.0;
    Ok(Interval { low: whole(quantile(&column, TAIL)), high: whole(quantile(&column, 1.0 - TAIL)) })
}

/// Linear interpolation between order statistics (type 7 of Hyndman and Fan 1996, numpy's default).
/// `sorted` holds at least one number.
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let at = q * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    below + (above - below) * at.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_interpolate() {
        let check = |q, expected: f64| assert!((quantile(&[1.0, 2.0, 4.0, 8.0], q) - expected).abs() < 1e-12, "{q}");
        check(0.0, 1.0);
        check(0.25, 1.75);
        check(0.5, 3.0);
        check(1.0, 8.0);
    }

    #[test]
    fn undefined_resamples_are_skipped_up_to_half() {
        let check = |column: &[f64], expected| assert_eq!(percentile(column.to_vec()), expected);
        check(&[f64::NAN, 2.0, 2.0], Ok(Interval { low: 2.0, high: 2.0 }));
        check(&[f64::NAN, f64::NAN, 2.0], Err(Undefined::Unstable));
        check(&[], Err(Undefined::Unstable));
    }

    #[test]
    fn the_draws_do_not_depend_on_the_number_of_threads() {
        let draws = Draws { resamples: 1000, ..Draws::new(7, 1) };
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| draws.columns(9, 1, || (), |(), counts, row| row[0] = f64::from(counts[3])))
        };
        let alone = run(1);
        assert_eq!(alone, run(3));
        assert_eq!(alone[0].len(), 1000);
        // Each cluster is drawn once per resample on average, with a variance of 8/9.
        let mean = alone[0].iter().sum::<f64>() / 1000.0;
        assert!((mean - 1.0).abs() < 0.15, "{mean}");
    }
}
