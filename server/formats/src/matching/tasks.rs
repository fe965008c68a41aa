//! The tasks of a dataset, and which of them an output is for.

use std::collections::{BTreeSet, HashMap};

use model::{code_lang::CodeLang, message::Message, submission::Matching};

use crate::{lines::Fault, outputs::OutputLine};

/// A dataset's tasks, indexed for matching.
pub struct Tasks {
    langs: BTreeSet<CodeLang>,
    /// Their IDs, in the dataset's order.
    pub(super) ids: Vec<String>,
    /// Their descriptions with white space collapsed.
    pub(super) texts: Vec<String>,
    by_id: HashMap<String, usize>,
    by_text: HashMap<String, Vec<usize>>,
    /// By their IDs with a slash for every other character; nothing where several tasks share one.
    by_separated: HashMap<String, Option<usize>>,
}

impl Tasks {
    /// From each task's ID, description and programming language, in the dataset's order.
    pub fn new(tasks: impl IntoIterator<Item = (String, String, CodeLang)>) -> Tasks {
        let mut langs = BTreeSet::new();
        let (ids, texts): (Vec<_>, Vec<_>) = tasks
            .into_iter()
            .map(|(id, text, lang)| {
                langs.insert(lang);
                (id, folded(&text))
            })
            .unzip();
        let by_id = ids.iter().enumerate().map(|(at, id)| (id.clone(), at)).collect();
        let mut by_text: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, text) in texts.iter().enumerate() {
            by_text.entry(text.clone()).or_default().push(at);
        }
        let mut by_separated: HashMap<String, Option<usize>> = HashMap::new();
        for (at, id) in ids.iter().enumerate() {
            by_separated.entry(separated(id)).and_modify(|place| *place = None).or_insert(Some(at));
        }
        Tasks { langs, ids, texts, by_id, by_text, by_separated }
    }

    /// The ID of the task at a place in the dataset.
    pub fn id_at(&self, at: usize) -> Option<&str> {
        self.ids.get(at).map(String::as_str)
    }

    /// Whether a task has exactly this ID.
    pub fn has(&self, id: &str) -> bool {
        self.by_id.contains_key(id)
    }

    /// The ID of the task that a request's own ID names: the same, or with other characters for those that it cannot
    /// have; perhaps with the number of a sample after it (`HumanEval_0-s2`).
    pub fn by_custom_id(&self, custom_id: &str) -> Option<&str> {
        let find = |id: &str| match self.by_separated.get(id) {
            Some(place) => *place,
            None => self.by_task_id(id),
        };
        let at = self.by_task_id(custom_id).or_else(|| {
            let whole = separated(custom_id);
            let (start, end) = whole.rsplit_once('/').unwrap_or((&whole, ""));
            let number = ["sample", "s", "n", ""].iter().find_map(|word| end.strip_prefix(word));
            let is_sample =
                number.is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()));
            // The whole ID first: its own number is none of a sample.
            let start = start.trim_end_matches("/sample").trim_end_matches("/s");
            find(&whole).or_else(|| is_sample.then(|| find(start))?)
        })?;
        self.id_at(at)
    }

    /// Number of tasks.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are no tasks.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The task of an output, as its index in the dataset.
    pub fn find(&self, output: &OutputLine, matching: Matching) -> Option<usize> {
        match matching {
            _ if output.elsewhere => None,
            Matching::Description => self.by_description(output),
            Matching::Auto | Matching::TaskId => self.by_task_id(&output.task_id),
        }
    }

    /// By the whole ID, otherwise by the part after the last slash (`Java/12`), unless the part before it names a
    /// programming language that the dataset does not have, or as a task of HumanEval.
    pub(crate) fn by_task_id(&self, id: &str) -> Option<usize> {
        let tail = match id.rsplit_once('/') {
            Some((lang, _)) if named_lang(lang).is_some_and(|lang| !self.langs.contains(&lang)) => None,
            Some((_, tail)) => Some(tail),
            None => None,
        };
        let is_python = self.langs.contains(&CodeLang::Python);
        let python = || in_humaneval_x(id).filter(|_| is_python).and_then(|id| self.by_id.get(&id));
        self.by_id.get(id).or_else(|| self.by_id.get(tail?)).or_else(python).copied()
    }

    /// Why [`Tasks::find`] finds no task for an output, and how to fix it.
    pub fn mismatch(&self, output: &OutputLine, matching: Matching) -> Fault {
        let other_dataset = ("Choose the dataset of this output", "请选择该输出对应的数据集");
        let (what, remedy): (Message, Message) = match (matching, &output.raw_nl) {
            _ if output.elsewhere => (
                (
                    "the prompt belongs to another task or to another pair of languages",
                    "提示词属于其他任务或其他语言对",
                )
                    .into(),
                other_dataset.into(),
            ),
            (Matching::Description, None) => (
                ("the line has no description (\"raw_nl\")", "该行没有任务描述（“raw_nl”）").into(),
                ("Add the description, or match lines by task_id", "请补上任务描述，或按 task_id 匹配").into(),
            ),
            (Matching::Description, Some(text)) if self.by_text.contains_key(&folded(text)) => (
                (
                    format!(
                        "several tasks have this description, and the task ID \"{}\" is none of them",
                        output.task_id
                    ),
                    format!("多个任务有相同的描述，任务编号“{}”不在其中", output.task_id),
                )
                    .into(),
                ("Correct the task ID", "请修正任务编号").into(),
            ),
            (Matching::Description, Some(_)) => (
                ("no task of the dataset has this description", "数据集中没有任务有此描述").into(),
                (
                    "Choose the dataset of this output, or match lines by task_id",
                    "请选择该输出对应的数据集，或按 task_id 匹配",
                )
                    .into(),
            ),
            (Matching::Auto | Matching::TaskId, _) => (
                (
                    format!("the dataset has no task \"{}\"", output.task_id),
                    format!("数据集中没有任务“{}”", output.task_id),
                )
                    .into(),
                (
                    "Correct the task ID, or choose the dataset of this output",
                    "请修正任务编号，或选择该输出对应的数据集",
                )
                    .into(),
            ),
        };
        Fault(what, remedy)
    }

    fn by_description(&self, output: &OutputLine) -> Option<usize> {
        self.by_text(&output.task_id, output.raw_nl.as_deref())
    }

    /// By description; if several tasks share it, the one whose id matches too.
    pub(crate) fn by_text(&self, task_id: &str, raw_nl: Option<&str>) -> Option<usize> {
        match self.by_text.get(&folded(raw_nl?))?.as_slice() {
            [one] => Some(*one),
            several => self.by_task_id(task_id).filter(|at| several.contains(at)),
        }
    }
}

/// The programming language that a prefix of an ID names, such as `CPP`.
fn named_lang(word: &str) -> Option<CodeLang> {
    word.to_ascii_lowercase().parse().ok()
}

/// The ID in HumanEval-X of a task of HumanEval, which are those in Python.
pub fn in_humaneval_x(id: &str) -> Option<String> {
    id.strip_prefix("HumanEval/").map(|number| format!("Python/{number}"))
}

/// With a slash for every character that is neither a letter nor a digit.
fn separated(id: &str) -> String {
    id.chars().map(|c| if c.is_alphanumeric() { c } else { '/' }).collect()
}

/// With white space collapsed, because benchmarks copy descriptions and editors rewrap them.
pub(super) fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
