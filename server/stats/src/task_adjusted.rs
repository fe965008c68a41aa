//! Means of models that have different tasks, as if each had all of them (docs/statistics.md, "Task-adjusted means").

use super::connected::Groups;

/// Squared residual, relative to the right side, at which the equations count as solved.
const SOLVED: f64 = 1e-22;

/// Squared residual, relative to the values' sum of squares, that is rounding. It is all that remains of the right side
/// where models do not differ, and steps towards it would lead anywhere.
const ROUNDING: f64 = 1e-26;

/// Most steps of a solution. Models that are compared share tasks, and then far fewer are enough.
const MOST_STEPS: usize = 200;

/// Solves the equations again and again without allocating: for each resample once.
pub struct Solver {
    /// Number of models with a value, for each task.
    counts: Vec<f64>,
    /// A value for each task: sums, then means.
    tasks: Vec<f64>,
    /// The effect of each model, and what conjugate gradients need.
    effects: Vec<f64>,
    residual: Vec<f64>,
    direction: Vec<f64>,
    image: Vec<f64>,
    diagonal: Vec<f64>,
}

impl Solver {
    pub fn new(models: usize, tasks: usize) -> Solver {
        let (by_model, by_task) = (vec![0.0; models], vec![0.0; tasks]);
        Solver {
            counts: by_task.clone(),
            tasks: by_task,
            effects: by_model.clone(),
            residual: by_model.clone(),
            direction: by_model.clone(),
            image: by_model.clone(),
            diagonal: by_model,
        }
    }

    /// The adjusted mean of each model, from `values[model][task]`, NaN where a model does not have a task. NaN for a
    /// model without values.
    ///
    /// The least squares of value = model's effect + task's effect, with a weight of one for each value. Models that no
    /// chain of common tasks connects are adjusted apart from each other, each to the tasks of its own group.
    pub fn means(&mut self, values: &[Vec<f64>], means: &mut [f64]) {
        self.solve(values);
        // The tasks' effects follow from those of the models.
        self.tasks.fill(0.0);
        for (row, effect) in values.iter().zip(&self.effects) {
            add(&mut self.tasks, row, |value| value - effect);
        }
        let mut groups = Groups::new(values.len());
        let mut of_task = vec![None; self.tasks.len()];
        for (model, row) in values.iter().enumerate() {
            for (first, _) in of_task.iter_mut().zip(row).filter(|(_, value)| !value.is_nan()) {
                groups.join(*first.get_or_insert(model), model);
            }
        }
        let mut levels = vec![(0.0, 0.0); values.len()];
        for ((sum, count), first) in self.tasks.iter().zip(&self.counts).zip(of_task) {
            if let Some(model) = first {
                let (level, tasks) = &mut levels[groups.of(model)];
                *level += sum / count;
                *tasks += 1.0;
            }
        }
        for (model, (mean, effect)) in means.iter_mut().zip(&self.effects).enumerate() {
            let (level, tasks) = levels[groups.of(model)];
            // 0 / 0 for a model without values.
            *mean = effect + level / tasks;
        }
    }

    /// The models' effects, each group's up to a constant, by conjugate gradients on the normal equations without the
    /// tasks' effects. They have as many rows as there are models, and a product with them costs as much as reading the
    /// values.
    fn solve(&mut self, values: &[Vec<f64>]) {
        self.counts.fill(0.0);
        self.tasks.fill(0.0);
        for row in values {
            add(&mut self.counts, row, |_| 1.0);
            add(&mut self.tasks, row, |value| value);
        }
        for (sum, count) in self.tasks.iter_mut().zip(&self.counts) {
            *sum /= count.max(1.0);
        }
        for (model, row) in values.iter().enumerate() {
            let known = || row.iter().zip(&self.tasks).zip(&self.counts).filter(|((value, _), _)| !value.is_nan());
            self.residual[model] = known().map(|((value, mean), _)| value - mean).sum();
            self.diagonal[model] = known().map(|(_, count)| 1.0 - 1.0 / count).sum();
        }
        self.effects.fill(0.0);
        self.direction.fill(0.0);
        let squares: f64 = values.iter().flatten().filter(|value| !value.is_nan()).map(|value| value * value).sum();
        let goal = SOLVED * dot(&self.residual, &self.residual) + ROUNDING * squares;
        let mut before = 0.0;
        // Exact after as many steps as there are models but for rounding.
        for _ in 0..MOST_STEPS.min(2 * values.len()) {
            if dot(&self.residual, &self.residual) <= goal {
                break;
            }
            let preconditioned = |residual: f64, diagonal: f64| if diagonal > 0.0 { residual / diagonal } else { 0.0 };
            let pairs = || self.residual.iter().zip(&self.diagonal);
            let now: f64 = pairs().map(|(r, d)| r * preconditioned(*r, *d)).sum();
            let turn = if before > 0.0 { now / before } else { 0.0 };
            for (direction, (r, d)) in self.direction.iter_mut().zip(self.residual.iter().zip(&self.diagonal)) {
                *direction = preconditioned(*r, *d) + turn * *direction;
            }
            self.multiply(values);
            let curve = dot(&self.direction, &self.image);
            if curve <= 0.0 {
                break;
            }
            let step = now / curve;
            for (effect, direction) in self.effects.iter_mut().zip(&self.direction) {
                *effect += step * direction;
            }
            for (residual, image) in self.residual.iter_mut().zip(&self.image) {
                *residual -= step * image;
            }
            before = now;
        }
    }

    /// The product of the equations' matrix with `direction`, into `image`.
    fn multiply(&mut self, values: &[Vec<f64>]) {
        self.tasks.fill(0.0);
        for (row, direction) in values.iter().zip(&self.direction) {
            add(&mut self.tasks, row, |_| *direction);
        }
        for (sum, count) in self.tasks.iter_mut().zip(&self.counts) {
            *sum /= count.max(1.0);
        }
        for ((row, direction), image) in values.iter().zip(&self.direction).zip(&mut self.image) {
            let known = row.iter().zip(&self.tasks).filter(|(value, _)| !value.is_nan());
            *image = known.map(|(_, mean)| direction - mean).sum();
        }
    }
}

/// Adds `of` each known value of a model to its task's sum.
fn add(sums: &mut [f64], row: &[f64], of: impl Fn(f64) -> f64) {
    for (sum, value) in sums.iter_mut().zip(row) {
        if !value.is_nan() {
            *sum += of(*value);
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: f64 = f64::NAN;

    fn means(values: &[Vec<f64>]) -> Vec<f64> {
        let mut means = vec![0.0; values.len()];
        Solver::new(values.len(), values.first().map_or(0, Vec::len)).means(values, &mut means);
        means
    }

    fn check(values: &[Vec<f64>], expected: &[f64]) {
        let found = means(values);
        let close =
            |(found, expected): (&f64, &f64)| (found - expected).abs() < 1e-9 || found.is_nan() && expected.is_nan();
        assert!(found.iter().zip(expected).all(close), "{values:?}: {found:?}, expected {expected:?}");
    }

    #[test]
    fn hard_tasks_do_not_lower_the_mean_of_the_model_that_has_them() {
        // The second model is one point better on both common tasks, and has the hard task alone.
        check(&[vec![3.0, 2.0, NONE], vec![4.0, 3.0, 1.0]], &[5.0 / 3.0, 8.0 / 3.0]);
        // With every task, it is the mean.
        check(&[vec![3.0, 2.0, 1.0], vec![4.0, 3.0, 1.0]], &[2.0, 8.0 / 3.0]);
        check(&[vec![3.0, NONE, 1.0]], &[2.0]);
    }

    #[test]
    fn a_chain_of_common_tasks_compares_models_without_one() {
        // 0 and 1 share task 0, 1 and 2 share task 1: 0 is one above 1, which is one above 2.
        check(&[vec![4.0, NONE], vec![3.0, 2.0], vec![NONE, 1.0]], &[3.5, 2.5, 1.5]);
    }

    /// The exact difference is 0, and what rounding leaves of it must not be taken for one.
    #[test]
    fn models_alike_on_their_common_tasks_have_the_same_mean() {
        for common in 2..40 {
            let third = |task: usize| ((task * 7 + common) % 13) as f64 / 3.0;
            let one: Vec<f64> = (0..common).map(third).chain([NONE]).collect();
            let other: Vec<f64> = (0..common).rev().map(third).chain([1.0]).collect();
            let found = means(&[one, other]);
            assert!((found[0] - found[1]).abs() < 1e-9, "{common} tasks: {found:?}");
        }
    }

    #[test]
    fn models_without_a_chain_keep_their_own_level() {
        check(&[vec![4.0, NONE, 2.0], vec![NONE, 1.0, NONE], vec![NONE, NONE, NONE]], &[3.0, 1.0, NONE]);
    }
}
