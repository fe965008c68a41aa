//! The list of tasks of a comparison, filtered and sorted. Pure.

use std::cmp::{Ordering, Reverse};

use model::{
    comparison::{GridLine, Sort, SortColumn, TaskCell, TaskFilter, TaskGrid, TaskLine, TaskPage},
    ids::{ModelId, TaskId},
    rubric::Rubric,
};

use super::comparison_figures;
use comparison::{
    input::{ComparisonInput, InputVerdict},
    spread::Ranges,
};

/// Every task of an input with its sums, computed once and queried often.
pub struct Lines(Vec<Line>);

impl Lines {
    /// The tasks that have a rating or belong to a run.
    pub fn of(input: &ComparisonInput) -> Lines {
        Lines(lines(input))
    }
}

/// One page of the tasks that match the filter.
pub fn page(input: &ComparisonInput, all: &Lines, filter: &TaskFilter) -> TaskPage {
    let found = filtered(input, all, filter);
    let from = (filter.page as usize).saturating_mul(TaskFilter::PAGE);
    let columns = columns(input, filter);
    TaskPage {
        models: input.models.iter().map(|(_, name)| name.clone()).collect(),
        model_ids: input.models.iter().map(|(id, _)| *id).collect(),
        rubric: input.rubric.clone(),
        found: found.len() as u64,
        all: all.0.len() as u64,
        grid: grid(input, &found, filter),
        lines: found.into_iter().skip(from).take(TaskFilter::PAGE).map(|line| line.shown(input, &columns)).collect(),
        columns,
    }
}

/// The models whose cells a page has: those from the filter's first on, after the one that they are compared with.
fn columns(input: &ComparisonInput, filter: &TaskFilter) -> Vec<usize> {
    let all = 0..input.models.len();
    let Some(from) = filter.from else { return all.collect() };
    let base = filter.base.and_then(|id| input.models.iter().position(|(known, _)| *known == id));
    let each = input.dimensions() + usize::from(!input.runs.is_empty());
    let others: Vec<usize> = all.filter(|model| Some(*model) != base).collect();
    // An old address may lead beyond the last model.
    let from = if (from as usize) < others.len() { from as usize } else { 0 };
    base.into_iter().chain(others.into_iter().skip(from).take(TaskPage::models_of(each))).collect()
}

/// The figures of the grid: what the filter selects, otherwise pass ratios if there are runs, otherwise the first
/// dimension.
fn grid(input: &ComparisonInput, found: &[&Line], filter: &TaskFilter) -> TaskGrid {
    let dimensions = input.rubric.iter().flat_map(|rubric| &rubric.dimensions);
    let tested = !input.runs.is_empty();
    let asked = dimensions.enumerate().find(|(_, d)| d.key == filter.grid);
    let first = input.rubric.as_ref().and_then(|rubric| rubric.dimensions.first()).map(|d| (0, d));
    let shown = asked.or(first.filter(|_| !tested));
    if input.models.is_empty() || (shown.is_none() && !tested) {
        return TaskGrid::default();
    }
    let most = TaskGrid::MOST / input.models.len();
    let tasks = found.iter().take(most).map(|line| {
        let value = |m: usize| match shown {
            Some((d, _)) => line.mean(m, d),
            None => line.verdicts.get(m).copied().flatten().and_then(|checked| Some(checked.sample()?.ratio)),
        };
        let row = &input.tasks[line.task];
        GridLine { task: row.id, task_id: row.task_id.clone(), values: (0..input.models.len()).map(value).collect() }
    });
    TaskGrid {
        dimension: shown.map(|(_, dimension)| dimension.clone()),
        tested,
        tasks: tasks.collect(),
        left_off: found.len().saturating_sub(most) as u64,
    }
}

/// The tasks before and after one in the filter's order.
pub fn neighbors(
    input: &ComparisonInput,
    all: &Lines,
    filter: &TaskFilter,
    task: TaskId,
) -> (Option<TaskId>, Option<TaskId>) {
    let found: Vec<TaskId> = filtered(input, all, filter).iter().map(|line| input.tasks[line.task].id).collect();
    let Some(at) = found.iter().position(|id| *id == task) else { return (None, found.first().copied()) };
    (at.checked_sub(1).and_then(|at| found.get(at)).copied(), found.get(at + 1).copied())
}

/// A task during filtering, as sums, so that nothing is copied for hidden tasks.
struct Line {
    task: usize,
    /// For each model, sum and number of scores per dimension.
    sums: Vec<(Vec<f64>, u64)>,
    /// For each model, number of ratings.
    ratings: Vec<u64>,
    verdicts: Vec<Option<InputVerdict>>,
    spread: Option<u8>,
}

impl Line {
    fn mean(&self, model: usize, dimension: usize) -> Option<f64> {
        let (sums, n) = self.sums.get(model)?;
        (*n > 0).then(|| sums.get(dimension).copied().unwrap_or(0.0) / *n as f64)
    }

    /// Largest difference between models' means, as a share of the scale; different verdicts count
    /// as much as a whole scale.
    fn gap(&self, input: &ComparisonInput) -> f64 {
        let scale = |d: usize| {
            let range = input.rubric.as_ref().and_then(|r| r.dimensions.get(d)).map_or((1, 2), |d| d.range());
            f64::from(range.1.saturating_sub(range.0)).max(1.0)
        };
        let means = (0..input.dimensions()).map(|d| {
            let means: Vec<f64> = (0..self.sums.len()).filter_map(|m| self.mean(m, d)).collect();
            let (low, high) = means.iter().fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(*v), h.max(*v)));
            if means.len() < 2 { 0.0 } else { (high - low) / scale(d) }
        });
        let samples = self.verdicts.iter().flatten().filter_map(InputVerdict::sample);
        let ratios: Vec<f64> = samples.map(|sample| sample.ratio.clamp(0.0, 1.0)).collect();
        let (low, high) = ratios.iter().fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(*v), h.max(*v)));
        means.fold(if ratios.len() < 2 { 0.0 } else { high - low }, f64::max)
    }

    fn verdicts_differ(&self) -> bool {
        let mut found = self.verdicts.iter().flatten().filter_map(|v| Some(v.sample()?.solved));
        found.next().is_some_and(|first| found.any(|other| other != first))
    }

    /// Largest difference between tests and people on the first dimension, over the models.
    fn apart(&self, input: &ComparisonInput) -> f64 {
        let Some(rubric) = &input.rubric else { return 0.0 };
        let dimension = rubric.against_tests().and_then(|at| Some((at, rubric.dimensions.get(at)?.range())));
        let Some((at, (low, high))) = dimension else { return 0.0 };
        let width = f64::from(high.saturating_sub(low)).max(1.0);
        let each = self.verdicts.iter().enumerate().filter_map(|(m, verdict)| {
            let score = (self.mean(m, at)? - f64::from(low)) / width;
            Some((score - verdict.as_ref()?.sample()?.ratio.clamp(0.0, 1.0)).abs())
        });
        each.fold(0.0, f64::max)
    }

    /// The value of a column: higher is better.
    fn value(&self, input: &ComparisonInput, column: &SortColumn) -> Option<f64> {
        let model = input.models.iter().position(|(known, _)| *known == column.model)?;
        if column.metric == SortColumn::TESTS {
            return Some(self.verdicts.get(model)?.as_ref()?.sample()?.ratio.clamp(0.0, 1.0));
        }
        let dimensions = &input.rubric.as_ref()?.dimensions;
        self.mean(model, dimensions.iter().position(|d| d.key == column.metric)?)
    }

    fn shown(&self, input: &ComparisonInput, columns: &[usize]) -> TaskLine {
        let cells = columns.iter().map(|&m| TaskCell {
            means: (0..input.dimensions()).map(|d| self.mean(m, d)).collect(),
            ratings: self.ratings.get(m).copied().unwrap_or(0),
            verdict: self
                .verdicts
                .get(m)
                .copied()
                .flatten()
                .and_then(|checked| Some((checked.verdict?, checked.passed, checked.total))),
        });
        TaskLine { cells: cells.collect(), spread: self.spread, task: input.tasks[self.task].clone() }
    }
}

/// Every task that has a rating or belongs to a run.
fn lines(input: &ComparisonInput) -> Vec<Line> {
    let (models, dimensions) = (input.models.len(), input.dimensions());
    let mut all: Vec<Line> = (0..input.tasks.len())
        .map(|task| Line {
            task,
            sums: vec![(vec![0.0; dimensions], 0); models],
            ratings: vec![0; models],
            verdicts: vec![None; models],
            spread: None,
        })
        .collect();
    let mut known = vec![false; all.len()];
    let mut ranges = Ranges::default();
    let decided = input.decided();
    for (rating, scores) in input.scored() {
        let Some(line) = all.get_mut(rating.task as usize) else { continue };
        known[line.task] = true;
        if let Some(ratings) = line.ratings.get_mut(rating.model as usize) {
            *ratings += 1;
        }
        let counts = !decided.contains(&(rating.study, rating.output));
        if let Some((sums, n)) = line.sums.get_mut(rating.model as usize).filter(|_| counts) {
            sums.iter_mut().zip(scores).for_each(|(sum, score)| *sum += f64::from(*score));
            *n += 1;
        }
        line.spread = line.spread.max(ranges.add(rating.output, scores));
    }
    for one in &input.finals {
        let line = all.get_mut(one.task as usize);
        if let Some((sums, n)) = line.and_then(|line| line.sums.get_mut(one.model as usize)) {
            sums.iter_mut().zip(&one.scores).for_each(|(sum, score)| *sum += score);
            *n += 1;
        }
    }
    for run in &input.runs {
        for task in &run.tasks {
            if let Some(known) = known.get_mut(*task as usize) {
                *known = true;
            }
        }
        for checked in &run.verdicts {
            let place = all.get_mut(checked.task as usize).and_then(|line| line.verdicts.get_mut(run.model as usize));
            if let Some(place @ None) = place {
                *place = Some(*checked);
            }
        }
    }
    all.retain(|line| known[line.task]);
    all
}

fn filtered<'a>(input: &ComparisonInput, all: &'a Lines, filter: &TaskFilter) -> Vec<&'a Line> {
    let words: Vec<String> = filter.q.to_lowercase().split_whitespace().map(str::to_owned).collect();
    let model = filter.model.and_then(|id: ModelId| input.models.iter().position(|(known, _)| *known == id));
    let scored = scored_tasks(input, filter, model);
    let on_spot = tasks_on_spot(input, filter, model);
    let concerns = |m: usize| model.is_none_or(|model| model == m);
    let mut found: Vec<&Line> = all
        .0
        .iter()
        .filter(|line| {
            let task = &input.tasks[line.task];
            let text = || format!("{} {}", task.task_id, task.raw_nl).to_lowercase();
            (words.is_empty() || {
                let text = text();
                words.iter().all(|word| text.contains(word.as_str()))
            }) && filter.nl_lang.is_none_or(|lang| lang == task.nl_lang)
                && model.is_none_or(|m| {
                    line.ratings.get(m).is_some_and(|n| *n > 0) || line.verdicts.get(m).is_some_and(Option::is_some)
                })
                && scored.as_ref().is_none_or(|tasks| tasks[line.task])
                && on_spot.as_ref().is_none_or(|tasks| tasks[line.task])
                && filter.verdict.is_none_or(|verdict| {
                    let mut own = line.verdicts.iter().enumerate().filter(|(m, _)| concerns(*m));
                    own.any(|(_, checked)| checked.is_some_and(|checked| checked.verdict == Some(verdict)))
                })
                && line.spread.unwrap_or(0) >= filter.spread
                && (!filter.differ || line.verdicts_differ() || line.gap(input) > 0.0)
        })
        .collect();
    let by = |value: fn(&Line, &ComparisonInput) -> f64, found: &mut Vec<&Line>| {
        // A stable sort keeps the dataset's order among equals.
        found.sort_by(|a, b| value(b, input).total_cmp(&value(a, input)));
    };
    if let Some(column) = &filter.column {
        found.sort_by(|a, b| match (a.value(input, column), b.value(input, column)) {
            (Some(a), Some(b)) if column.ascending => a.total_cmp(&b),
            (Some(a), Some(b)) => b.total_cmp(&a),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => Ordering::Equal,
        });
        return found;
    }
    match filter.sort {
        Sort::Dataset => {}
        Sort::Spread => found.sort_by_key(|line| Reverse(line.spread)),
        Sort::Gap => by(Line::gap, &mut found),
        Sort::Difference => by(Line::apart, &mut found),
    }
    found
}

/// Tasks with an output in the filter's cell; `None` without such a filter.
fn tasks_on_spot(input: &ComparisonInput, filter: &TaskFilter, model: Option<usize>) -> Option<Vec<bool>> {
    let grid_cell = filter.grid_cell?;
    let mut tasks = vec![false; input.tasks.len()];
    let Some(dimension) = input.rubric.as_ref().and_then(Rubric::against_tests) else { return Some(tasks) };
    for (point, place) in comparison_figures::points(input, dimension, &input.cells(dimension)) {
        if point.grid_cell == grid_cell
            && model.is_none_or(|model| model == point.model)
            && let Some(task) = tasks.get_mut(place)
        {
            *task = true;
        }
    }
    Some(tasks)
}

/// Tasks with the filter's score; `None` without such a filter.
fn scored_tasks(input: &ComparisonInput, filter: &TaskFilter, model: Option<usize>) -> Option<Vec<bool>> {
    let (key, score) = filter.score.as_ref()?;
    let mut tasks = vec![false; input.tasks.len()];
    let dimension = input.rubric.as_ref().and_then(|r| r.dimensions.iter().position(|d| d.key == *key));
    let Some(dimension) = dimension else { return Some(tasks) };
    for (rating, scores) in input.scored() {
        if scores.get(dimension) == Some(score)
            && model.is_none_or(|model| model == rating.model as usize)
            && let Some(task) = tasks.get_mut(rating.task as usize)
        {
            *task = true;
        }
    }
    Some(tasks)
}
