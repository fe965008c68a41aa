//! HumanEval-X's translation task: for each ordered pair of languages a dataset, made of the two languages' tasks.
//!
//! An output continues the declaration in the target language, and the target language's tests judge it. People read
//! the solution in the source language. Outputs carry the source's task id, as the benchmark's own.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use model::{
    code_lang::CodeLang,
    dataset::{Checks, TestKind},
    lang::{Bilingual, Lang},
    problem::Problem,
};

use super::{
    Found, FoundDataset, FoundTask, TestTree,
    humaneval::{SLUG, Source, Task},
    prose,
};

/// The languages of the published task, with their names in slugs.
const LANGUAGES: [(CodeLang, &str); 5] = [
    (CodeLang::Python, "python"),
    (CodeLang::Cpp, "cpp"),
    (CodeLang::Java, "java"),
    (CodeLang::JavaScript, "js"),
    (CodeLang::Go, "go"),
];

/// The language with this name in slugs.
pub fn language(name: &str) -> Option<CodeLang> {
    let rust = (name == "rust").then_some(CodeLang::Rust);
    LANGUAGES.iter().find(|(_, known)| *known == name).map(|(lang, _)| *lang).or(rust)
}

/// The beginning of the prompts of the published translation task.
const MARK: &str = "code translation\n";

/// Adds the translation datasets of every pair of languages that were found.
///
/// # Errors
/// There are no tasks in two of the languages.
pub fn add(found: &mut Found) -> Result<(), Vec<Problem>> {
    let mut read: BTreeMap<usize, (String, BTreeMap<u32, Task>)> = BTreeMap::new();
    for dataset in &found.datasets {
        let known = |(_, name): &(CodeLang, &str)| dataset.slug.strip_prefix(SLUG) == Some(*name);
        if let Some(at) = LANGUAGES.iter().position(known) {
            read.insert(at, (dataset.source.clone(), tasks(dataset)));
        }
    }
    if read.len() < 2 {
        return Err(vec![Problem::new(
            "HumanEval-X",
            ("the translation task needs two languages", "翻译任务需要两种语言"),
            (
                "Import the files of at least two of Python, C++, Java, JavaScript and Go together",
                "请同时导入 Python、C++、Java、JavaScript、Go 中至少两种语言的文件",
            ),
        )]);
    }
    for (from, source) in &read {
        for (to, target) in read.iter().filter(|(to, _)| *to != from) {
            found.datasets.push(dataset(LANGUAGES[*from], source, LANGUAGES[*to], target)?);
        }
    }
    Ok(())
}

/// A dataset's tasks by their number.
fn tasks(dataset: &FoundDataset) -> BTreeMap<u32, Task> {
    let bodies = dataset.tasks.iter().filter_map(|task| task.test_body.as_deref());
    let read = bodies.filter_map(|body| serde_json::from_str::<Task>(body).ok());
    read.filter_map(|task| Some((task.task_id.rsplit('/').next()?.parse().ok()?, task))).collect()
}

fn dataset(
    (from, from_name): (CodeLang, &str),
    (from_source, sources): &(String, BTreeMap<u32, Task>),
    (to, to_name): (CodeLang, &str),
    (to_source, targets): &(String, BTreeMap<u32, Task>),
) -> Result<FoundDataset, Vec<Problem>> {
    let both = sources.iter().filter_map(|(number, source)| Some((source, targets.get(number)?)));
    let tasks = both.map(|(source, target)| task(from, source, to, target)).collect::<Result<_, Problem>>();
    let (from, to) = (from.name(), to.name());
    Ok(FoundDataset {
        slug: format!("{SLUG}{from_name}-to-{to_name}"),
        name: Bilingual {
            en: format!("HumanEval-X, {from} to {to}"), zh: format!("HumanEval-X（{from} 译为 {to}）")
        },
        description: Bilingual {
            en: format!("Functions to be translated from {from} to {to}, judged by the tests of HumanEval-X in {to}."),
            zh: format!("将 {from} 函数翻译为 {to}，由 HumanEval-X 的 {to} 测试判定。"),
        },
        license: "Apache-2.0".into(),
        source: format!("{from_source}; {to_source}"),
        tasks: tasks.map_err(|problem| vec![problem])?,
        tests: Some(TestTree { kind: TestKind::HumanevalX, files: BTreeMap::new() }),
    })
}

fn task(from: CodeLang, source: &Task, to: CodeLang, target: &Task) -> Result<FoundTask, Problem> {
    let code = format!("{}{}", source.declaration.trim_start_matches('\n'), source.canonical_solution.trim_end());
    let (raw_nl, signature) = (
        format!("Translate this function from {} to {}.\n\n```{from}\n{code}\n```", from.name(), to.name()),
        prose::signature(&target.declaration, to),
    );
    let task_id = source.task_id.clone();
    let whole = Task { source: Some(Source { lang: from, task_id: task_id.clone(), code }), ..target.clone() };
    let body = serde_json::to_string(&whole).map_err(|e| {
        Problem::new(
            &task_id,
            (format!("the task cannot be stored ({e})"), format!("无法保存该任务（{e}）")),
            ("Use the files as the benchmark publishes them", "请使用基准发布的原始文件"),
        )
    })?;
    Ok(FoundTask {
        task_id,
        raw_nl,
        nl_lang: Lang::En,
        signature: Some(signature).filter(|text| !text.is_empty()),
        checks: Checks { human: true, tests: true },
        code_lang: to,
        test_class: None,
        test_body: Some(body),
        turns: Vec::new(),
    })
}

/// The pair of languages of a dataset of the translation task, to recognize its outputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    source: CodeLang,
    target: CodeLang,
    /// The declarations in the target language.
    declarations: BTreeSet<String>,
}

impl Pair {
    /// The pair of these tasks; `None` if they are not of the translation task.
    pub fn of(tasks: &HashMap<impl Eq + std::hash::Hash, Task>, target: CodeLang) -> Option<Pair> {
        let source = tasks.values().find_map(|task| task.source.as_ref())?.lang;
        let declarations = tasks.values().map(|task| task.declaration.trim().to_owned()).collect();
        Some(Pair { source, target, declarations })
    }
}

/// The task of an output, according to the line's prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// It is the text that an output of the dataset continues.
    Own,
    /// It is what the published generator gives a model; the output continues the declaration at its end.
    Published,
    /// It is of another task, or of another pair of languages.
    Other,
}

/// Whether an output with this prompt belongs to a dataset: of the translation task if there is a `pair`.
pub fn fit(pair: Option<&Pair>, prompt: &str) -> Fit {
    match (pair, prompt.strip_prefix(MARK)) {
        (None, None) => Fit::Own,
        (None, Some(_)) => Fit::Other,
        (Some(pair), Some(rest)) => {
            let begins = rest.strip_prefix(pair.source.name()).is_some_and(|rest| rest.starts_with(":\n"));
            let names = rest.contains(&format!("\n{}:\n", pair.target.name()));
            if begins && names { Fit::Published } else { Fit::Other }
        }
        (Some(pair), None) if pair.declarations.contains(prompt.trim()) => Fit::Own,
        (Some(_), None) => Fit::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{files::Files, read};

    fn line(prefix: &str, number: u32, declaration: &str) -> String {
        let line = serde_json::json!({
            "task_id": format!("{prefix}/{number}"), "prompt": format!("{declaration}  // text\n"), "test": "t",
            "declaration": declaration, "canonical_solution": "  return x\n}\n", "example_test": "",
        });
        format!("{line}\n")
    }

    fn found(names: &[(&str, &str, &str)]) -> Found {
        let mut files = Files::named("x");
        for (name, prefix, declaration) in names {
            let text = line(prefix, 0, declaration) + &line(prefix, 7, declaration);
            files.add(&format!("humaneval_{name}.jsonl"), text.into_bytes()).unwrap();
        }
        read(&files).unwrap()
    }

    #[test]
    fn every_pair_of_languages_is_a_dataset() {
        let mut both = found(&[("js", "JavaScript", "const f = (x) => {\n"), ("cpp", "CPP", "int f(int x){\n")]);
        add(&mut both).unwrap();
        let slugs: Vec<&str> = both.datasets.iter().map(|dataset| dataset.slug.as_str()).collect();
        let pairs = ["humaneval-x-cpp-to-js", "humaneval-x-js-to-cpp"];
        assert_eq!(slugs, [&["humaneval-x-cpp", "humaneval-x-js"], &pairs[..]].concat());
        let task = &both.datasets[2].tasks[1];
        assert_eq!((task.task_id.as_str(), task.code_lang), ("CPP/7", CodeLang::JavaScript));
        let text = "Translate this function from C++ to JavaScript.\n\n```cpp\nint f(int x){\n  return x\n}\n```";
        assert_eq!(task.raw_nl, text);
        assert_eq!(task.signature.as_deref(), Some("const f = (x) => {"));
        let stored: Task = serde_json::from_str(task.test_body.as_deref().unwrap()).unwrap();
        assert_eq!((stored.task_id.as_str(), stored.beginning()), ("JavaScript/7", "const f = (x) => {\n"));
        assert!(add(&mut found(&[("cpp", "CPP", "int f(int x){\n")])).is_err());
    }

    #[test]
    fn a_prompt_tells_the_pair_of_languages() {
        let mut both = found(&[("js", "JavaScript", "const f = (x) => {\n"), ("cpp", "CPP", "int f(int x){\n")]);
        add(&mut both).unwrap();
        let tasks: HashMap<u32, Task> = tasks(&both.datasets[2]).into_iter().collect();
        let pair = Pair::of(&tasks, CodeLang::JavaScript);
        let check = |prompt: &str, of_pair, alone| {
            assert_eq!((fit(pair.as_ref(), prompt), fit(None, prompt)), (of_pair, alone), "{prompt}");
        };
        let published = "code translation\nC++:\nint f(int x){\n  return x\n}\nJavaScript:\nconst f = (x) => {\n";
        check(published, Fit::Published, Fit::Other);
        check(&published.replace("JavaScript:", "Java:"), Fit::Other, Fit::Other);
        check(&published.replace("C++:", "Go:"), Fit::Other, Fit::Other);
        check("const f = (x) => {\n", Fit::Own, Fit::Own);
        check("int f(int x){\n", Fit::Other, Fit::Own);
    }
}
