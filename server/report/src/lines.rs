//! Ratings, verdicts and outputs as tables, one line each. Lines are written as they are read, without collecting them.

use std::collections::HashMap;

use model::{
    ids::OutputId,
    lang::Lang,
    rubric::{Dimension, Rubric},
    run::Verdict,
};
use texts::runs::EN;

use super::{
    runs::their_name,
    table::{Cell, Column, Form, Out, Table, Type},
};
use base::error::Failure;
use comparison::{
    input::ComparisonInput,
    line::{OutputLine, RatingLine, VerdictLine, digits},
};

/// Columns of a table of ratings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// A comparison's: with study, versions and language.
    Comparison,
    /// One study's own table: the columns that vary within it.
    Study,
}

/// What a table has a line for.
pub trait Kind {
    type Line<'a>;
}

/// Ratings.
pub struct Ratings;
/// Verdicts.
pub struct Verdicts;
/// Outputs.
pub struct Outputs;

impl Kind for Ratings {
    type Line<'a> = RatingLine<'a>;
}

impl Kind for Verdicts {
    type Line<'a> = VerdictLine<'a>;
}

impl Kind for Outputs {
    type Line<'a> = OutputLine<'a>;
}

/// Reads a column's cell from a line.
type Get<K> = Box<dyn for<'a> Fn(&'a <K as Kind>::Line<'a>) -> Cell<'a>>;
/// The columns of a table with their cells: the one list of what a table contains.
pub struct Columns<K: Kind>(Vec<(Column, Get<K>)>);

impl<K: Kind> Default for Columns<K> {
    fn default() -> Self {
        Columns(Vec::new())
    }
}

impl<K: Kind> Columns<K> {
    /// Adds a column after the others.
    pub fn add(&mut self, column: Column, get: impl for<'a> Fn(&'a K::Line<'a>) -> Cell<'a> + 'static) {
        self.0.push((column, Box::new(get)));
    }

    /// A table with these columns.
    ///
    /// # Errors
    /// `out` cannot be written.
    pub fn table(self, form: Form, out: Out<'_>) -> Result<Lines<'_, K>, Failure> {
        let (columns, cells): (Vec<Column>, Vec<Get<K>>) = self.0.into_iter().unzip();
        Ok(Lines { table: Table::new(form, columns, out)?, cells })
    }

    /// Name, type and meaning of every column.
    pub fn list(&self) -> impl Iterator<Item = &Column> {
        self.0.iter().map(|(column, _)| column)
    }
}

/// A table that is being written.
pub struct Lines<'o, K: Kind> {
    table: Table<'o>,
    cells: Vec<Get<K>>,
}

impl<K: Kind> Lines<'_, K> {
    /// Adds a line.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write<'a>(&mut self, line: &'a K::Line<'a>) -> Result<(), Failure> {
        let cells: Vec<Cell<'a>> = self.cells.iter().map(|get| get(line)).collect();
        self.table.line(&cells)
    }

    /// Writes out what is buffered.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(self) -> Result<(), Failure> {
        self.table.finish()
    }
}

pub(super) const TASK_ID: &str = "The task's ID in its source";
const NL_LANG: &str = "Language of the task's description";
const DATASET_VERSION: &str = "Version of the dataset, from 1";
const SUBMISSION: &str = "Number of the submission";
pub(super) const SAMPLE: &str = "Number of the output among those of its submission and task, from 0";

/// The columns of ratings by `rubric`.
pub fn ratings(rubric: Option<&Rubric>, scope: Scope) -> Columns<Ratings> {
    let mut columns = Columns::<Ratings>::default();
    let all = scope == Scope::Comparison;
    let name = rubric.map(|r| format!("{} {}", r.slug, r.version)).unwrap_or_default();
    if all {
        columns.add(Column::new("study", Type::Integer, "Number of the study"), |line| line.study.0.into());
        columns.add(Column::new("dataset_version", Type::Integer, DATASET_VERSION), |line| line.dataset_version.into());
        columns.add(Column::new("rubric", Type::Text, "Name and version of the rubric"), move |_| name.clone().into());
    }
    columns.add(Column::new("task_id", Type::Text, TASK_ID), |line| line.task_id.into());
    if all {
        columns.add(Column::new("nl_lang", Type::Text, NL_LANG), |line| line.nl_lang.code().into());
    }
    columns.add(Column::new("model", Type::Text, "The model"), |line| line.model.into());
    if all {
        columns.add(Column::new("submission", Type::Integer, SUBMISSION), |line| line.submission.into());
    }
    columns.add(Column::new("sample", Type::Integer, SAMPLE), |line| line.sample.into());
    columns.add(Column::new("rater", Type::Text, "Pseudonym of the rater within the study"), |line| line.rater.into());
    for (at, dimension) in rubric.iter().flat_map(|rubric| &rubric.dimensions).enumerate() {
        let meaning = format!("Score: {}", title(dimension));
        let column = Column::grouped(dimension.key.clone(), ("scores", &dimension.key), Type::Integer, meaning);
        columns.add(column, move |line| digits(line.scores).nth(at).map(u32::from).into());
    }
    if rubric.is_some_and(|rubric| rubric.instructions) {
        let meaning = "Answers to \"does it follow this instruction?\" as TURN:ANSWER; 1 for yes, 0 for no";
        columns.add(Column::optional("instructions", Type::Text, meaning), |line| line.instructions.into());
    }
    columns.add(Column::new("comment", Type::Text, "The rater's comment"), |line| line.comment.into());
    let meaning = "Reason for which the rater flagged the output, as JSON, with details where there are any";
    columns.add(Column::optional("flag", Type::Json, meaning), |line| line.flag.into());
    let note = Type::List(&[("line", Type::Integer), ("column", Type::Integer), ("text", Type::Text)]);
    columns.add(Column::optional("notes", note, "Notes on lines of the code"), |line| line.notes.into());
    if all {
        let meaning = "When the rater first saw the output";
        columns.add(Column::optional("shown_at", Type::Time, meaning), |line| line.shown_at.into());
    }
    columns.add(Column::new("rated_at", Type::Time, "When the rater rated it"), |line| line.at.into());
    let meaning = "When a later rating replaced this one; empty if this one counts";
    columns.add(Column::optional("replaced_at", Type::Time, meaning), |line| line.replaced_at.into());
    columns
}

/// The columns of verdicts.
pub fn verdicts() -> Columns<Verdicts> {
    let mut columns = Columns::<Verdicts>::default();
    columns.add(Column::new("run", Type::Integer, "Number of the run"), |line| line.run.0.into());
    columns
        .add(Column::optional("dataset_version", Type::Integer, DATASET_VERSION), |line| line.dataset_version.into());
    columns.add(Column::new("task_id", Type::Text, TASK_ID), |line| line.task_id.into());
    columns.add(Column::new("nl_lang", Type::Text, NL_LANG), |line| line.nl_lang.code().into());
    columns.add(Column::new("model", Type::Text, "The model"), |line| line.model.into());
    columns.add(Column::optional("submission", Type::Integer, SUBMISSION), |line| line.submission.into());
    columns.add(Column::new("sample", Type::Integer, SAMPLE), |line| line.sample.into());
    columns.add(Column::optional("verdict", Type::Text, VERDICT), |line| line.verdict.into());
    columns.add(Column::optional("limit", Type::Text, LIMIT), |line| {
        line.spent.as_ref().and_then(|spent| spent.limit).map(|limit| limit.name()).into()
    });
    columns.add(Column::new("passed", Type::Integer, PASSED), |line| line.passed.into());
    columns.add(Column::new("total", Type::Integer, TOTAL), |line| line.total.into());
    columns.add(Column::new("cpu_ms", Type::Integer, CPU_MS), |line| {
        line.spent.as_ref().map_or(0, |spent| spent.cpu_ms).into()
    });
    columns.add(Column::new("wall_ms", Type::Integer, WALL_MS), |line| {
        line.spent.as_ref().map_or(0, |spent| spent.wall_ms).into()
    });
    columns.add(Column::new("cached", Type::Boolean, CACHED), |line| line.cached.into());
    columns
        .add(Column::optional("finished_at", Type::Time, "When the output was done"), |line| line.finished_at.into());
    columns.add(Column::optional("published", Type::Text, PUBLISHED), |line| line.published.into());
    columns.add(Column::optional("difference", Type::Text, DIFFERENCE), |line| {
        let passed = Verdict::Passed.name();
        let differs = line.published == Some(passed) && line.verdict.is_some_and(|verdict| verdict != passed);
        let reason = line.spent.as_ref().and_then(|spent| spent.reason.as_ref());
        differs.then(|| EN.difference(reason)).into()
    });
    columns
        .add(Column::optional("their_verdict", Type::Text, THEIR_VERDICT), |line| line.theirs.map(their_name).into());
    let meaning = "That verdict in the words of the tool that wrote the file";
    columns.add(Column::optional("their_words", Type::Text, meaning), |line| line.their_words.into());
    columns
}

pub(super) const LIMIT: &str = "The limit that the output exceeded";
pub(super) const CPU_MS: &str = "CPU time in milliseconds";
pub(super) const WALL_MS: &str = "Wall time in milliseconds";
pub(super) const CACHED: &str = "Whether the verdict was reused from an earlier run";
pub(super) const DIFFERENCE: &str = "Why the output passes as published and not guarded";
pub(super) const THEIR_VERDICT: &str = "The verdict that came with the output in its file";
pub(super) const VERDICT: &str = "What the tests came to; empty without a run or after an engine error";
pub(super) const PASSED: &str = "Test cases that passed";
pub(super) const TOTAL: &str = "Test cases";
pub(super) const PUBLISHED: &str = "Verdict of the benchmark's own evaluator; empty if it has none";

/// The columns of outputs with their mean scores by the input's rubric.
pub fn outputs(input: &ComparisonInput) -> Columns<Outputs> {
    let mut columns = Columns::<Outputs>::default();
    columns.add(Column::new("dataset_version", Type::Integer, DATASET_VERSION), |line| line.dataset_version.into());
    columns.add(Column::new("task_id", Type::Text, TASK_ID), |line| line.task.task_id.as_str().into());
    columns.add(Column::new("nl_lang", Type::Text, NL_LANG), |line| line.task.nl_lang.code().into());
    columns.add(Column::new("code_lang", Type::Text, "Programming language of the task"), |line| {
        line.task.code_lang.code().into()
    });
    columns
        .add(Column::new("description", Type::Text, "The task's description"), |line| line.task.raw_nl.as_str().into());
    columns.add(Column::optional("signature", Type::Text, "The declaration that the task asks to implement"), |line| {
        line.task.signature.as_deref().into()
    });
    columns.add(Column::new("model", Type::Text, "The model"), |line| line.model.into());
    columns.add(Column::new("submission", Type::Integer, SUBMISSION), |line| line.submission.into());
    columns.add(Column::new("sample", Type::Integer, SAMPLE), |line| line.sample.into());
    let meaning = "The turn of the conversation that the output answers, from 0; empty if the task is none";
    columns.add(Column::optional("turn", Type::Integer, meaning), |line| line.turn.into());
    let meaning = "The output's code as people see it, without fences";
    columns.add(Column::new("code", Type::Text, meaning), |line| line.code.into());
    let meaning = "Number of the run; empty without one";
    columns.add(Column::optional("run", Type::Integer, meaning), |line| line.run.map(|run| run.0).into());
    columns.add(Column::optional("verdict", Type::Text, VERDICT), |line| line.verdict.into());
    columns.add(Column::optional("passed", Type::Integer, PASSED), |line| line.passed.into());
    columns.add(Column::optional("total", Type::Integer, TOTAL), |line| line.total.into());
    columns.add(Column::optional("published", Type::Text, PUBLISHED), |line| line.published.into());
    let means = std::rc::Rc::new(OutputMeans::of(input));
    let known = means.clone();
    columns.add(Column::new("ratings", Type::Integer, "Number of ratings that count"), move |line| {
        known.0.get(&line.output).map_or(0, |means| means.ratings).into()
    });
    for (at, dimension) in input.rubric.iter().flat_map(|rubric| &rubric.dimensions).enumerate() {
        let meaning = format!("Mean score: {}", title(dimension));
        let name = format!("mean_{}", dimension.key);
        let known = means.clone();
        columns.add(Column::grouped(name, ("means", &dimension.key), Type::Number, meaning), move |line| {
            known.0.get(&line.output).and_then(|means| means.mean(at)).into()
        });
    }
    columns
}

fn title(dimension: &Dimension) -> String {
    let (low, high) = dimension.range();
    format!("{}, {low} to {high}", dimension.name.get(Lang::En))
}

/// The mean scores of outputs.
struct OutputMeans(HashMap<OutputId, Means>);

#[derive(Default)]
struct Means {
    /// Ratings that count.
    ratings: u32,
    /// Sum of the scores on each dimension, and of how many ratings or final scores.
    sums: Vec<f64>,
    summands: u32,
}

impl Means {
    fn add(&mut self, scores: impl ExactSizeIterator<Item = f64>) {
        self.sums.resize(scores.len(), 0.0);
        self.sums.iter_mut().zip(scores).for_each(|(sum, score)| *sum += score);
        self.summands += 1;
    }

    fn mean(&self, dimension: usize) -> Option<f64> {
        (self.summands > 0).then_some(self.sums.get(dimension)? / f64::from(self.summands))
    }
}

impl OutputMeans {
    /// Final scores replace the ratings of their output, as in every figure.
    fn of(input: &ComparisonInput) -> OutputMeans {
        let mut means: HashMap<OutputId, Means> = HashMap::new();
        let decided = input.decided();
        for (rating, scores) in input.scored() {
            let own = means.entry(rating.output).or_default();
            own.ratings += 1;
            if !decided.contains(&(rating.study, rating.output)) {
                own.add(scores.iter().map(|score| f64::from(*score)));
            }
        }
        for one in &input.finals {
            means.entry(one.output).or_default().add(one.scores.iter().copied());
        }
        OutputMeans(means)
    }
}
