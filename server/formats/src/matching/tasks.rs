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
        Tasks { langs, ids, texts, by_id, by_text }
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
    /// programming language that the dataset does not have.
    pub(crate) fn by_task_id(&self, id: &str) -> Option<usize> {
        let tail = match id.rsplit_once('/') {
            Some((lang, _)) if named_lang(lang).is_some_and(|lang| !self.langs.contains(&lang)) => None,
            Some((_, tail)) => Some(tail),
            None => None,
        };
        self.by_id.get(id).or_else(|| self.by_id.get(tail?)).copied()
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

/// With white space collapsed, because benchmarks copy descriptions and editors rewrap them.
pub(super) fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
