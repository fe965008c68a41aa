//! Matches the lines of a file of outputs to tasks, and collects what an admin should know before the
//! import. Pure: lines come in one by one, and little is kept of each.

mod tasks;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use model::{
    conversation::Way,
    message::Message,
    problem::Problem,
    submission::{FileLine, IdentityLeak, Matching, PREVIEW_LIST, PREVIEW_OUTPUTS, Shape, TheirVerdicts, WarningKind},
};
use sha2::{Digest, Sha256};

use tasks::folded;
pub use tasks::{Tasks, in_humaneval_x};

use super::{
    conversations::LineTurn,
    humaneval::Task,
    identity_leaks::LeakFinder,
    outputs::{KnownTasks, OutputLine},
    warnings,
};

/// A file of outputs, read once.
pub struct Scan<'t> {
    tasks: &'t Tasks,
    /// What the tasks ask for, to warn of outputs that do not have it.
    known: Option<&'t KnownTasks>,
    leak_finder: &'t LeakFinder,
    lines: u64,
    shapes: Vec<(Shape, u64)>,
    outputs: Chunks,
    labels: Labels,
    task_ids: Labels,
    with_text: u64,
    contradicting: u64,
    by_id: u64,
    by_text: u64,
    /// The first outputs that have a task by ID, with its place, and those that have one by description.
    first_by_id: Vec<(usize, OutputLine)>,
    first_by_text: Vec<(usize, OutputLine)>,
    leaks: Listed<IdentityLeak>,
    problems: Vec<Problem>,
    problem_count: u64,
}

/// The stored part of a line.
struct Scanned {
    line: u64,
    /// The task's ID in the file, if `label` is a file.
    task_id: Option<Arc<str>>,
    /// The name in lists: the task's id in the file, or the class's file.
    label: Arc<str>,
    by_id: Option<u32>,
    by_text: Option<u32>,
    hash: [u8; 16],
    /// A hash of its code.
    code: [u8; 16],
    warnings: Box<[WarningKind]>,
    empty: bool,
    /// Whether its description differs from that of the task with its ID.
    differs: bool,
    turn: Option<Box<LineTurn>>,
    /// Whether the file says that it is another sample of its task.
    is_further_sample: bool,
    /// Whether it passes, if the file says so.
    passed: Option<bool>,
}

impl Scanned {
    /// Its task, as the place in the dataset.
    fn task(&self, matching: Matching) -> Option<usize> {
        let found = if matching == Matching::Description { self.by_text } else { self.by_id };
        found.and_then(|at| usize::try_from(at).ok())
    }

    /// Its place in lists.
    fn place(&self) -> FileLine {
        FileLine { line: self.line, label: self.label.to_string() }
    }
}

/// Maximum size of the labels of a file that are stored whole, in bytes: a million outputs can have long ones.
const MOST_LABELS: usize = 16 * 1024 * 1024;
/// Maximum length of the others, in bytes.
const SHORT_LABEL: usize = 64;

/// The outputs of a file in parts of a bounded size: a vector of a million copies all when it grows.
#[derive(Default)]
struct Chunks(Vec<Vec<Scanned>>);

impl Chunks {
    const SIZE: usize = 4096;

    fn push(&mut self, output: Scanned) {
        match self.0.last_mut().filter(|last| last.len() < Chunks::SIZE) {
            Some(last) => last.push(output),
            None => self.0.push(vec![output]),
        }
    }

    fn iter(&self) -> impl Iterator<Item = &Scanned> {
        self.0.iter().flatten()
    }

    fn len(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }
}

/// The names of outputs in lists. The samples of a task, which follow each other, share theirs.
#[derive(Default)]
struct Labels {
    last: Option<Arc<str>>,
    /// Bytes of all so far.
    bytes: usize,
}

impl Labels {
    fn of(&mut self, text: &str) -> Arc<str> {
        if let Some(last) = self.last.as_ref().filter(|last| ***last == *text) {
            return last.clone();
        }
        self.bytes += text.len();
        if self.bytes > MOST_LABELS && text.len() > SHORT_LABEL {
            return format!("{}…", text.get(..text.floor_char_boundary(SHORT_LABEL)).unwrap_or_default()).into();
        }
        self.last.insert(text.into()).clone()
    }
}

/// The result of matching a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// How lines are matched; never [`Matching::Auto`].
    pub matching: Matching,
    /// The reason.
    pub reason: Message,
    /// The shapes found.
    pub shapes: Vec<(Shape, u64)>,
    /// Number of lines without blank ones.
    pub lines: u64,
    /// Matched lines.
    pub matched: u64,
    /// Tasks with an output.
    pub covered: u64,
    /// Ids of tasks without an output.
    pub missing: Listed<String>,
    /// Unmatched lines.
    pub unknown: Listed<FileLine>,
    /// Their task IDs: of the first [`PREVIEW_LIST`] lines, each once.
    pub unknown_ids: BTreeSet<String>,
    /// The file's own verdicts about matched lines.
    pub their_verdicts: TheirVerdicts,
    /// Whether any task has different outputs, or the file numbers the samples. If so, the model was sampled several times, and a repeated
    /// line is one more sample, because leaving it out would bias pass@k. In other files a repeat is a
    /// mistake and imported once.
    pub sampled: bool,
    /// Repeated lines.
    pub duplicates: Listed<FileLine>,
    /// How the model was asked, if the tasks are conversations.
    pub way: Option<Way>,
    /// Lines whose description differs from that of their task. They have one by their ID.
    pub differing: Listed<FileLine>,
    /// Lines without code.
    pub empty: Listed<FileLine>,
    /// The largest number of outputs of a task.
    pub samples_max: u64,
    /// Tasks with several outputs.
    pub tasks_with_samples: u64,
    /// Lines that may name a model.
    pub identity_leaks: Listed<IdentityLeak>,
    /// What will probably be read or judged in another way than expected, by kind.
    pub warnings: BTreeMap<WarningKind, Listed<FileLine>>,
    /// Lines that cannot be parsed.
    pub problems: Listed<Problem>,
    /// The first outputs that have a task, each with the task's place in the dataset.
    pub first: Vec<(usize, OutputLine)>,
    /// Whether the file could not be read to its end, so that an unknown number of lines is missing.
    pub cut_short: bool,
}

impl Summary {
    /// Number of outputs that an import stores.
    pub fn stored(&self) -> u64 {
        if self.sampled { self.matched } else { self.matched - self.duplicates.count }
    }
}

/// The first few entries of a kind, and the total.
#[derive(Debug, PartialEq, Eq)]
pub struct Listed<T> {
    /// At most [`PREVIEW_LIST`].
    pub first: Vec<T>,
    /// The total number.
    pub count: u64,
}

impl<T> Default for Listed<T> {
    fn default() -> Self {
        Listed { first: Vec::new(), count: 0 }
    }
}

impl<T> Listed<T> {
    fn push(&mut self, item: T) {
        self.count += 1;
        if self.first.len() < PREVIEW_LIST {
            self.first.push(item);
        }
    }
}

impl<'t> Scan<'t> {
    /// Starts to match against a dataset's tasks.
    pub fn new(tasks: &'t Tasks, leak_finder: &'t LeakFinder) -> Self {
        Scan {
            tasks,
            known: None,
            leak_finder,
            lines: 0,
            shapes: Vec::new(),
            outputs: Chunks::default(),
            labels: Labels::default(),
            task_ids: Labels::default(),
            with_text: 0,
            contradicting: 0,
            by_id: 0,
            by_text: 0,
            first_by_id: Vec::new(),
            first_by_text: Vec::new(),
            leaks: Listed::default(),
            problems: Vec::new(),
            problem_count: 0,
        }
    }

    /// Starts to match against tasks of which is known what they ask for.
    pub fn of_known(known: &'t KnownTasks, leak_finder: &'t LeakFinder) -> Self {
        Scan { known: Some(known), ..Scan::new(&known.tasks, leak_finder) }
    }

    /// What to warn of about an output that has these tasks by ID and by description.
    fn warnings(&self, output: &OutputLine, by_id: Option<usize>, by_text: Option<usize>) -> Vec<WarningKind> {
        let known = self.known.zip(by_text.or(by_id));
        let of = known.and_then(|(known, at)| Some((known.wanted.get(at)?, known.humaneval.get(&at))));
        of.map(|(wanted, task)| warnings::of(output, wanted, task)).unwrap_or_default()
    }

    /// Adds the next line.
    pub fn push(&mut self, line: Result<OutputLine, Problem>) {
        self.lines += 1;
        let output = match line {
            Ok(output) => output,
            Err(problem) => {
                self.problem_count += 1;
                if self.problems.len() < PREVIEW_LIST {
                    self.problems.push(problem);
                }
                return;
            }
        };
        match self.shapes.iter_mut().find(|(shape, _)| *shape == output.shape) {
            Some((_, count)) => *count += 1,
            None => self.shapes.push((output.shape, 1)),
        }
        let by_id = self.tasks.find(&output, Matching::TaskId);
        let by_text = self.tasks.find(&output, Matching::Description);
        self.by_id += u64::from(by_id.is_some());
        self.by_text += u64::from(by_text.is_some());
        let mut differs = false;
        if let (Some(at), Some(text)) = (by_id, &output.raw_nl) {
            differs = self.tasks.texts.get(at) != Some(&folded(text));
            self.with_text += 1;
            self.contradicting += u64::from(differs);
        }
        for (found, first) in [(by_id, &mut self.first_by_id), (by_text, &mut self.first_by_text)] {
            if let Some(at) = found.filter(|_| first.len() < PREVIEW_OUTPUTS) {
                first.push((at, output.clone()));
            }
        }
        let label = output.file.as_deref().unwrap_or(&output.task_id);
        let own = self.known.zip(by_text.or(by_id)).and_then(|(known, at)| known.humaneval.get(&at));
        let code = output.visible_code(own.map(Task::beginning));
        if let Some(leak) = self.leak_finder.find(output.line, label, &code, &output.surrounding_text) {
            self.leaks.push(leak);
        }
        let warnings = self.warnings(&output, by_id, by_text).into();
        let place = |at: Option<usize>| at.and_then(|at| u32::try_from(at).ok());
        self.outputs.push(Scanned {
            warnings,
            code: hash_of(&[&output.code]),
            line: output.line,
            by_id: place(by_id),
            by_text: place(by_text),
            hash: content(&output),
            empty: output.is_empty(),
            differs,
            turn: output.turn.map(Box::new),
            is_further_sample: output.reported.as_ref().and_then(|of| of.epoch).is_some_and(|epoch| epoch > 1),
            passed: output.reported.as_ref().and_then(|of| of.verdict.as_ref()).map(|verdict| verdict.passed),
            task_id: output.file.is_some().then(|| self.task_ids.of(&output.task_id)),
            label: self.labels.of(output.file.as_deref().unwrap_or(&output.task_id)),
        });
    }

    /// The result of matching the file as requested.
    pub fn finish(self, asked: Matching) -> Summary {
        let (matching, reason) = self.decide(asked);
        let mut summary = Summary {
            matching,
            reason,
            shapes: self.shapes,
            lines: self.lines,
            identity_leaks: self.leaks,
            problems: Listed { first: self.problems, count: self.problem_count },
            first: if matching == Matching::Description { self.first_by_text } else { self.first_by_id },
            ..Summary::default()
        };
        summary.way = self.outputs.iter().find_map(|output| output.turn.as_deref()).map(|turn| turn.way);
        let is_conversation = summary.way.is_some();
        let mut samples = vec![0_u64; self.tasks.len()];
        let mut turns: HashMap<(usize, u32), u64> = HashMap::new();
        let mut repeats = vec![0_u64; self.tasks.len()];
        let mut seen = HashSet::new();
        let repeated = repeated(&self.outputs, matching);
        let are_samples = self.outputs.iter().any(|output| output.is_further_sample);
        for output in self.outputs.iter() {
            let Some(at) = output.task(matching) else {
                if summary.unknown.first.len() < PREVIEW_LIST {
                    summary.unknown_ids.insert(output.task_id.as_ref().unwrap_or(&output.label).to_string());
                }
                summary.unknown.push(output.place());
                continue;
            };
            summary.matched += 1;
            summary.their_verdicts.lines += u64::from(output.passed.is_some());
            summary.their_verdicts.passed += u64::from(output.passed == Some(true));
            if output.differs && matching != Matching::Description {
                summary.differing.push(output.place());
            }
            if let Some(LineTurn { turn, .. }) = output.turn.as_deref() {
                let of_turn = turns.entry((at, *turn)).or_default();
                *of_turn += 1;
                samples[at] = samples[at].max(*of_turn);
            } else if !seen.insert((at, output.hash)) {
                summary.duplicates.push(output.place());
                repeats[at] += 1;
                continue;
            }
            let is_repeated = !output.empty && repeated.contains(&output.code);
            for kind in output.warnings.iter().copied().chain(is_repeated.then_some(WarningKind::Repeated)) {
                summary.warnings.entry(kind).or_default().push(output.place());
            }
            if output.empty {
                summary.empty.push(output.place());
            }
            samples[at] += u64::from(!is_conversation);
        }
        // Equal answers to different turns are no repeats, and a conversation keeps all its turns.
        summary.sampled = is_conversation || are_samples || samples.iter().any(|different| *different > 1);
        if summary.sampled {
            samples.iter_mut().zip(repeats).for_each(|(count, again)| *count += again);
        }
        for (at, count) in samples.iter().enumerate() {
            summary.covered += u64::from(*count > 0);
            summary.tasks_with_samples += u64::from(*count > 1);
            summary.samples_max = summary.samples_max.max(*count);
            if *count == 0 {
                summary.missing.push(self.tasks.ids[at].clone());
            }
        }
        summary
    }

    fn decide(&self, asked: Matching) -> (Matching, Message) {
        let (by_id, by_text, other) = (self.by_id, self.by_text, self.contradicting);
        if asked != Matching::Auto {
            return (asked, Message::default());
        }
        let agreeing = self.with_text - other;
        if by_text > 0 && by_text > agreeing && (by_id == 0 || other > agreeing) {
            let (why, zh) = match by_id {
                0 => ("No task ID belongs to this dataset.".to_owned(), "没有任务编号属于该数据集。".to_owned()),
                _ => (
                    format!(
                        "The task IDs seem to belong to another dataset: the description differs for {other} of {by_id} known IDs."
                    ),
                    format!("任务编号似乎属于另一个数据集：{by_id} 个已知编号中有 {other} 个描述不同。"),
                ),
            };
            let why = (
                format!("{why} {by_text} lines have a description of this dataset."),
                format!("{zh}{by_text} 行的描述属于该数据集。"),
            );
            return (Matching::Description, why.into());
        }
        let lines = self.outputs.len();
        let mut reason = Message::from((
            format!("{by_id} of {lines} lines have a task ID of this dataset."),
            format!("{lines} 行中有 {by_id} 行的任务编号属于该数据集。"),
        ));
        if other > 0 {
            reason.en.push_str(&format!(" The description differs from the dataset for {other} of them."));
            reason.zh.push_str(&format!("其中 {other} 行的描述与数据集不同。"));
        }
        (Matching::TaskId, reason)
    }
}

/// The hashes of code that is given for many tasks.
fn repeated(outputs: &Chunks, matching: Matching) -> HashSet<[u8; 16]> {
    let without_turn = outputs.iter().filter(|output| output.turn.is_none());
    let mut tasks: Vec<([u8; 16], usize)> =
        without_turn.filter_map(|output| Some((output.code, output.task(matching)?))).collect();
    tasks.sort_unstable();
    tasks.dedup();
    let many = tasks.chunk_by(|(code, _), (other, _)| code == other).filter(|same| same.len() >= warnings::MANY_TASKS);
    many.filter_map(|same| same.first()).map(|(code, _)| *code).collect()
}

/// Identifies equal outputs of a task: a hash of everything that is stored of them. Half of a SHA-256 rules
/// out collisions.
pub fn content(output: &OutputLine) -> [u8; 16] {
    hash_of(&[
        &output.code,
        "\0",
        &output.surrounding_text,
        "\0",
        output.end_by.as_deref().unwrap_or_default(),
        "\0",
        output.prompt.as_deref().unwrap_or_default(),
        "\0",
        output.published_text.as_ref().map_or("", |text| &text.generation),
    ])
}

fn hash_of(texts: &[&str]) -> [u8; 16] {
    let mut hasher = Sha256::new();
    texts.iter().for_each(|text| hasher.update(text.as_bytes()));
    let mut half = [0; 16];
    half.copy_from_slice(&hasher.finalize()[..16]);
    half
}

#[cfg(test)]
#[path = "matching_test.rs"]
mod tests;
