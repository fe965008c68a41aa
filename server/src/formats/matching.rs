//! Which task each line of a file of outputs is about, and what an admin should know before the
//! file is taken. Pure: the lines come in one by one, and little is kept of each.

use std::collections::{HashMap, HashSet};

use app::model::{
    message::Message,
    problem::Problem,
    submission::{Matching, PREVIEW_LIST, Shape, Telltale},
};
use sha2::{Digest, Sha256};

use super::{outputs::OutputLine, telltales::Telltales};

/// A dataset's tasks, ready to be found.
pub struct Tasks {
    ids: Vec<String>,
    texts: Vec<String>,
    by_id: HashMap<String, usize>,
    by_text: HashMap<String, Vec<usize>>,
}

impl Tasks {
    /// Of each task its id and its description, in the dataset's order.
    pub fn new(tasks: impl IntoIterator<Item = (String, String)>) -> Tasks {
        let (ids, texts): (Vec<_>, Vec<_>) = tasks.into_iter().map(|(id, text)| (id, folded(&text))).unzip();
        let by_id = ids.iter().enumerate().map(|(at, id)| (id.clone(), at)).collect();
        let mut by_text: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, text) in texts.iter().enumerate() {
            by_text.entry(text.clone()).or_default().push(at);
        }
        Tasks { ids, texts, by_id, by_text }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The task of an output, as its place in the dataset.
    pub fn find(&self, output: &OutputLine, matching: Matching) -> Option<usize> {
        match matching {
            Matching::Description => self.by_description(output),
            Matching::Auto | Matching::TaskId => self.by_task_id(&output.task_id),
        }
    }

    /// By the id as it stands, else by what follows the last slash (`Java/12`).
    fn by_task_id(&self, id: &str) -> Option<usize> {
        let tail = id.rsplit('/').next().unwrap_or(id);
        self.by_id.get(id).or_else(|| self.by_id.get(tail)).copied()
    }

    /// By the description; where several tasks have it, the one whose id fits too.
    fn by_description(&self, output: &OutputLine) -> Option<usize> {
        match self.by_text.get(&folded(output.raw_nl.as_deref()?))?.as_slice() {
            [one] => Some(*one),
            several => self.by_task_id(&output.task_id).filter(|at| several.contains(at)),
        }
    }
}

/// White space folded: benchmarks copy descriptions, editors rewrap them.
fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A file of outputs, read once.
pub struct Scan<'t> {
    tasks: &'t Tasks,
    telltales: &'t Telltales,
    lines: u64,
    shapes: Vec<(Shape, u64)>,
    outputs: Vec<Scanned>,
    with_text: u64,
    contradicting: u64,
    by_id: u64,
    by_text: u64,
    told: Listed<Telltale>,
    problems: Vec<Problem>,
    problem_count: u64,
}

/// What is kept of a line.
struct Scanned {
    line: u64,
    /// What lists call it: the task's id as the file has it, or the class's file.
    label: String,
    by_id: Option<usize>,
    by_text: Option<usize>,
    hash: [u8; 16],
    empty: bool,
}

/// What a file comes to when it is matched.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// How lines find their tasks; never [`Matching::Auto`].
    pub matching: Matching,
    /// Why.
    pub reason: Message,
    /// The shapes met.
    pub shapes: Vec<(Shape, u64)>,
    /// Lines read, blank ones not counted.
    pub lines: u64,
    /// Lines that found their task.
    pub matched: u64,
    /// Tasks that get an output.
    pub covered: u64,
    /// Ids of tasks that get none.
    pub missing: Listed<String>,
    /// Lines that found no task.
    pub unknown: Listed<(u64, String)>,
    /// Whether some task has different outputs: then the model was asked several times, and a line
    /// that says the same again is one more sample, because leaving it out would bias pass@k. In
    /// other files it is a mistake, and taken once.
    pub sampled: bool,
    /// Lines that say the same again.
    pub duplicates: Listed<(u64, String)>,
    /// Lines without code.
    pub empty: Listed<(u64, String)>,
    /// The most outputs that one task gets.
    pub samples_max: u64,
    /// Tasks that get several.
    pub tasks_with_samples: u64,
    /// Lines that may name a model.
    pub telltales: Listed<Telltale>,
    /// Lines that cannot be read.
    pub problems: Listed<Problem>,
}

/// The first few of a kind, and how many there are.
#[derive(Debug, PartialEq, Eq)]
pub struct Listed<T> {
    /// At most [`PREVIEW_LIST`].
    pub first: Vec<T>,
    /// All.
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
    /// A scan against a dataset's tasks.
    pub fn new(tasks: &'t Tasks, telltales: &'t Telltales) -> Self {
        Scan {
            tasks,
            telltales,
            lines: 0,
            shapes: Vec::new(),
            outputs: Vec::new(),
            with_text: 0,
            contradicting: 0,
            by_id: 0,
            by_text: 0,
            told: Listed::default(),
            problems: Vec::new(),
            problem_count: 0,
        }
    }

    /// Takes the next line in.
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
        let by_id = self.tasks.by_task_id(&output.task_id);
        let by_text = self.tasks.by_description(&output);
        self.by_id += u64::from(by_id.is_some());
        self.by_text += u64::from(by_text.is_some());
        if let (Some(at), Some(text)) = (by_id, &output.raw_nl) {
            self.with_text += 1;
            self.contradicting += u64::from(self.tasks.texts.get(at) != Some(&folded(text)));
        }
        let label = output.file.as_deref().unwrap_or(&output.task_id);
        if let Some(told) = self.telltales.find(output.line, label, &output.code, &output.said) {
            self.told.push(told);
        }
        self.outputs.push(Scanned {
            line: output.line,
            by_id,
            by_text,
            hash: content(&output),
            empty: output.is_empty(),
            label: output.file.unwrap_or(output.task_id),
        });
    }

    /// What the file comes to when it is matched as asked.
    pub fn finish(self, asked: Matching) -> Summary {
        let (matching, reason) = self.decide(asked);
        let mut summary = Summary {
            matching,
            reason,
            shapes: self.shapes,
            lines: self.lines,
            telltales: self.told,
            problems: Listed { first: self.problems, count: self.problem_count },
            ..Summary::default()
        };
        let mut samples = vec![0_u64; self.tasks.len()];
        let mut repeats = vec![0_u64; self.tasks.len()];
        let mut seen = HashSet::new();
        for output in self.outputs {
            let found = if matching == Matching::Description { output.by_text } else { output.by_id };
            let Some(at) = found else {
                summary.unknown.push((output.line, output.label));
                continue;
            };
            summary.matched += 1;
            if !seen.insert((at, output.hash)) {
                summary.duplicates.push((output.line, output.label));
                repeats[at] += 1;
                continue;
            }
            if output.empty {
                summary.empty.push((output.line, output.label));
            }
            samples[at] += 1;
        }
        summary.sampled = samples.iter().any(|different| *different > 1);
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

/// What makes two outputs of a task the same: everything that is kept of them. Half of a SHA-256 is
/// plenty against chance.
pub fn content(output: &OutputLine) -> [u8; 16] {
    let mut hasher = Sha256::new();
    for text in [output.code.as_str(), "\0", &output.said, "\0", output.end_by.as_deref().unwrap_or_default()] {
        hasher.update(text.as_bytes());
    }
    let mut half = [0; 16];
    half.copy_from_slice(&hasher.finalize()[..16]);
    half
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::outputs;

    fn scan(tasks: &[(&str, &str)], file: &str, asked: Matching) -> Summary {
        let tasks = Tasks::new(tasks.iter().map(|(id, text)| ((*id).to_owned(), (*text).to_owned())));
        let telltales = Telltales::new([]);
        let mut scan = Scan::new(&tasks, &telltales);
        outputs::read("f.jsonl", file.as_bytes(), |line| scan.push(line));
        scan.finish(asked)
    }

    const TASKS: [(&str, &str); 3] = [("0", "Adds two numbers."), ("1", "Closes the reader"), ("12", "Sorts.")];

    #[test]
    fn finds_tasks_by_id_or_by_text() {
        let check = |lines: &[&str], asked, matching, matched, reason: &str| {
            let summary = scan(&TASKS, &lines.join("\n"), asked);
            assert_eq!((summary.matching, summary.matched), (matching, matched), "{lines:?}: {}", summary.reason);
            assert!(summary.reason.en.contains(reason), "{}", summary.reason);
        };
        let by_id = [
            r#"{"task_id": 0, "code": "a"}"#,
            r#"{"task_id": "Java/12", "code": "b"}"#,
            r#"{"task_id": 7, "code": "c"}"#,
        ];
        check(&by_id, Matching::Auto, Matching::TaskId, 2, "2 of 3 lines have a task ID");
        check(&by_id, Matching::Description, Matching::Description, 0, "");
        let other_ids = [
            r#"{"task_id": 1, "raw_nl": "Adds  two\nnumbers. ", "code": "a"}"#,
            r#"{"task_id": 0, "raw_nl": "Sorts.", "code": "b"}"#,
            r#"{"task_id": 12, "raw_nl": "Something else", "code": "b"}"#,
        ];
        check(&other_ids, Matching::Auto, Matching::Description, 2, "the description differs for 3 of 3 known IDs");
        check(&other_ids, Matching::TaskId, Matching::TaskId, 3, "");
        let reworded = [
            r#"{"task_id": 0, "raw_nl": "Adds two numbers.", "code": "a"}"#,
            r#"{"task_id": 1, "raw_nl": "Closes the Reader.", "code": "b"}"#,
        ];
        check(&reworded, Matching::Auto, Matching::TaskId, 2, "The description differs from the dataset for 1 of them");
        let strange_ids = [r#"{"task_id": "x9", "raw_nl": "Sorts.", "code": "a"}"#];
        check(&strange_ids, Matching::Auto, Matching::Description, 1, "No task ID belongs to this dataset");
    }

    #[test]
    fn tells_an_admin_everything() {
        let summary = scan(
            &TASKS,
            &[
                r#"{"task_id": 0, "code": "a"}"#,
                "",
                r#"{"task_id": 0, "code": "a"}"#,
                r#"{"task_id": 0, "code": "b // by ChatGPT"}"#,
                r#"{"task_id": 1, "generation": " \n"}"#,
                r#"{"task_id": 9, "code": "c"}"#,
                "oops",
            ]
            .join("\n"),
            Matching::Auto,
        );
        assert_eq!((summary.lines, summary.matched, summary.covered), (6, 4, 2));
        assert_eq!(summary.shapes, [(Shape::Aixbench, 4), (Shape::HumanEvalX, 1)]);
        assert_eq!(summary.missing.first, ["12"]);
        assert_eq!(summary.duplicates.first, [(3, "0".to_owned())]);
        assert_eq!(summary.empty.first, [(5, "1".to_owned())]);
        assert_eq!(summary.unknown.first, [(6, "9".to_owned())]);
        // The repeat is a sample, because the task has different ones too.
        assert_eq!((summary.sampled, summary.samples_max, summary.tasks_with_samples), (true, 3, 1));
        let twice = [r#"{"task_id": 0, "code": "a"}"#; 2].join("\n");
        let same = scan(&TASKS, &twice, Matching::Auto);
        assert_eq!((same.sampled, same.samples_max, same.duplicates.count), (false, 1, 1));
        let told = summary.telltales;
        assert_eq!((told.count, told.first[0].line, told.first[0].name.as_str()), (1, 4, "chatgpt"));
        assert_eq!((summary.problems.count, summary.problems.first[0].line), (1, Some(7)));
    }

    #[test]
    fn lists_stay_short_and_counts_exact() {
        let file: String = (100..300).map(|id| format!("{{\"task_id\": {id}, \"code\": \"x\"}}\n")).collect();
        let summary = scan(&TASKS, &format!("{file}{}", "[]\n".repeat(70)), Matching::Auto);
        assert_eq!((summary.unknown.first.len(), summary.unknown.count), (PREVIEW_LIST, 200));
        assert_eq!((summary.problems.first.len(), summary.problems.count), (PREVIEW_LIST, 70));
    }

    #[test]
    fn the_published_files_find_their_tasks() {
        let Some(folder) = crate::prerequisites::aixbench_data() else { return };
        let text = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
        let tasks = |name: &str| {
            let of = |line: &str| {
                let task: serde_json::Value = serde_json::from_str(line).unwrap();
                (task["task_id"].to_string(), task["raw_nl"].as_str().unwrap().to_owned())
            };
            Tasks::new(text(name).lines().map(of))
        };
        let telltales = Telltales::new([]);
        let check = |dataset: &str, file: &str, matching, matched, missing| {
            let tasks = tasks(dataset);
            let mut scan = Scan::new(&tasks, &telltales);
            outputs::read(file, text(file).as_bytes(), |line| scan.push(line));
            let summary = scan.finish(Matching::Auto);
            assert_eq!((summary.matching, summary.matched, summary.missing.count), (matching, matched, missing));
            assert_eq!(summary.problems.count, 0);
        };
        check("dataset_autotest_nl.jsonl", "prediction.jsonl", Matching::TaskId, 175, 0);
        check("dataset_manual_nl.jsonl", "manual_outputs_aixcoder.jsonl", Matching::TaskId, 82, 79);
        check("dataset_manual_nl.jsonl", "prediction.jsonl", Matching::Description, 82, 79);
        check("dataset_autotest_nl.jsonl", "manual_outputs_aixcoder.jsonl", Matching::Description, 82, 93);
    }
}
