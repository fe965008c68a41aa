//! The ratings of one dimension, the input of most figures.

use super::bootstrap::Cell;

/// One output with its scores on one dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Index of the model in the comparison.
    pub model: usize,
    /// Index of the task in the dataset.
    pub task: usize,
    /// Pairs of rater and score; at most one per rater.
    pub ratings: Vec<(u32, u8)>,
}

/// One cell for each of `tasks` tasks, with all ratings of one model's outputs.
pub fn cells(units: &[Unit], model: usize, tasks: usize) -> Vec<Cell> {
    let mut cells = vec![Vec::new(); tasks];
    for unit in units.iter().filter(|unit| unit.model == model) {
        if let Some(cell) = cells.get_mut(unit.task) {
            cell.extend(unit.ratings.iter().map(|(_, score)| f64::from(*score)));
        }
    }
    cells
}

/// How many ratings of one model gave each score from `low` to `high`, lowest first.
pub fn distribution(units: &[Unit], model: usize, low: u8, high: u8) -> Vec<u64> {
    let scores = || units.iter().filter(|unit| unit.model == model).flat_map(|unit| &unit.ratings);
    (low..=high).map(|score| scores().filter(|(_, s)| *s == score).count() as u64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_of_a_task_share_a_cell() {
        let unit = |model, task, ratings: &[(u32, u8)]| Unit { model, task, ratings: ratings.to_vec() };
        let units =
            [unit(0, 1, &[(7, 4), (8, 3)]), unit(0, 1, &[(7, 1)]), unit(1, 0, &[(7, 2)]), unit(0, 9, &[(7, 4)])];
        assert_eq!(cells(&units, 0, 2), [vec![], vec![4.0, 3.0, 1.0]]);
        assert_eq!(distribution(&units, 0, 1, 4), [1, 0, 1, 2]);
    }
}
