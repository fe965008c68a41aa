//! What a preview warns of: outputs that will probably be read or judged in another way than the author of their file expects.
//!
//! Called by [`super::matching::Scan`] for each output that has a task. An output can be of several kinds.

use model::{
    code_lang::CodeLang,
    reading::BlockRole,
    submission::{Shape, WarningKind},
};
use syntax::outline;

use super::{
    chat::{LONGEST_READING, MOST_PARSED, Wanted},
    humaneval,
    outputs::OutputLine,
};

/// Number of tasks with the same code from which on it is a repeat: short answers can be alike by chance.
pub const MANY_TASKS: usize = 3;

/// The warnings about an output, but for repeats. `task` is the task of HumanEval-X that it continues.
pub fn of(output: &OutputLine, wanted: &Wanted, task: Option<&humaneval::Task>) -> Vec<WarningKind> {
    parsers::within(LONGEST_READING, || found(output, wanted, task))
}

fn found(output: &OutputLine, wanted: &Wanted, task: Option<&humaneval::Task>) -> Vec<WarningKind> {
    let mut found = Vec::new();
    let is_stopped = output.end_by.as_deref().is_some_and(|why| ["length", "max_len", "max_tokens"].contains(&why));
    if output.is_cut_off || is_stopped {
        found.push(WarningKind::CutOff);
    }
    if !output.reading.reasoning.is_empty() {
        found.push(WarningKind::Reasoning);
    }
    if output.is_empty() {
        return found;
    }
    if output.published_text.is_some() {
        found.push(WarningKind::FencedGeneration);
    }
    // The turns of a conversation have no signature of their own, and classes are assembled.
    if output.turn.is_some() || output.shape == Shape::Classes {
        return found;
    }
    let whole = match task {
        Some(task) => format!("{}{}", output.prompt.as_deref().unwrap_or(task.beginning()), output.code),
        None => output.code.clone(),
    };
    let Some(outline) = outline::outline(&whole, wanted.lang) else { return found };
    let is_rest = outline.has_errors && is_rest_of_method(&whole, wanted.lang);
    if outline.has_errors && !is_rest {
        let other = CodeLang::ALL.into_iter().filter(|lang| *lang != wanted.lang).any(|lang| {
            outline::outline(&whole, lang).is_some_and(|outline| {
                !outline.has_errors && outline.definitions.iter().any(|found| !found.is_import && found.is_complete)
            })
        });
        found.push(if other { WarningKind::OtherLanguage } else { WarningKind::DoesNotParse });
    }
    if let Some(name) = &wanted.name {
        if outline.of(name).next().is_none() && !is_rest {
            found.push(WarningKind::LacksDefinition);
        }
        let parsed = output.reading.blocks.iter().take(MOST_PARSED);
        let versions = parsed.filter(|block| block.role != BlockRole::Helper).filter(|block| {
            outline::outline(&block.code, wanted.lang)
                .is_some_and(|outline| outline.of(name).any(|found| found.is_complete))
        });
        if output.reading.blocks.len() > 1 && versions.count() > 1 {
            found.push(WarningKind::SeveralCandidates);
        }
    }
    found
}

/// Whether code is the end of a method whose head is in the task: published outputs in Java are.
fn is_rest_of_method(code: &str, lang: CodeLang) -> bool {
    lang == CodeLang::Java && outline::is_code(code, lang)
}

#[cfg(test)]
mod tests {
    use std::{collections::HashMap, sync::Arc};

    use model::submission::{Matching, WarningKind::*};

    use super::*;
    use crate::{
        identity_leaks::LeakFinder,
        matching::{Scan, Tasks},
        outputs::{self, Asked, KnownTasks},
    };

    /// The kinds of warnings about a file with these lines, with their numbers.
    fn warnings(lines: &[serde_json::Value]) -> Vec<(WarningKind, u64)> {
        warnings_in(CodeLang::Python, lines)
    }

    fn warnings_in(lang: CodeLang, lines: &[serde_json::Value]) -> Vec<(WarningKind, u64)> {
        let names = ["clamp", "initials", "run", "second"];
        let ids = (1..=4).map(|n| (format!("P{n}"), format!("Text {n}."), lang));
        let wanted = names.map(|name| Wanted { lang, name: Some(name.into()) }).to_vec();
        let known = Arc::new(KnownTasks { tasks: Tasks::new(ids), wanted, humaneval: HashMap::new() });
        let asked = Asked { langs: vec![lang], tasks: Some(Arc::clone(&known)), ..Asked::default() };
        let finder = LeakFinder::new(std::iter::empty());
        let mut scan = Scan::of_known(&known, &finder);
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        outputs::read("a.jsonl", text.as_bytes(), &asked, |line| scan.push(line));
        scan.finish(Matching::Auto).warnings.into_iter().map(|(kind, listed)| (kind, listed.count)).collect()
    }

    #[test]
    fn a_preview_warns_of_what_will_fail() {
        let one = |response: &str| {
            let line = serde_json::json!({"task_id": "P1", "completion": response});
            warnings(&[line]).into_iter().map(|(kind, _)| kind).collect::<Vec<_>>()
        };
        let code = "def clamp(v, l, h):\n    return max(l, min(h, v))";
        let fenced = format!("```python\n{code}\n```");
        assert_eq!(one(code), []);
        assert_eq!(one(&fenced), []);
        assert_eq!(one("clamp = lambda v, l, h: max(l, min(h, v))"), []);
        assert_eq!(one("```python\ndef limit(v, l, h):\n    return v\n```"), [LacksDefinition]);
        assert_eq!(one("I cannot help with that, sorry."), [DoesNotParse, LacksDefinition]);
        assert_eq!(one("```python\ndef clamp(v, l, h):\n    return max(l,"), [DoesNotParse, CutOff]);
        assert_eq!(
            one("```java\nint clamp(int v, int l, int h) {\n    return v;\n}\n```"),
            [OtherLanguage, LacksDefinition]
        );
        assert_eq!(one(&format!("<think>\nEasy.\n</think>\n{fenced}")), [Reasoning]);
        assert_eq!(one("<think>\nSort it. But"), [CutOff, Reasoning]);
        assert_eq!(one(&format!("{fenced}\nCorrected:\n{fenced}")), [SeveralCandidates]);
        assert_eq!(one(&format!("A helper:\n```python\ndef g(x):\n    return x\n```\n{fenced}")), []);
        assert_eq!(one(""), []);
    }

    #[test]
    fn java_may_be_the_rest_of_a_method() {
        let one = |code: &str| {
            let found = warnings_in(CodeLang::Java, &[serde_json::json!({"task_id": "P1", "code": code})]);
            found.into_iter().map(|(kind, _)| kind).collect::<Vec<_>>()
        };
        assert_eq!(one("public int clamp ( int v ) { \nreturn v ; \n} "), []);
        assert_eq!(one("public class Solution {\n    public int clamp(int v) { return v; }\n}"), []);
        assert_eq!(one("    return Math.max(1, v);\n}\n"), []);
        assert_eq!(one("public int limit(int v) { return v; }"), [LacksDefinition]);
        assert_eq!(one("public int clamp(int v) { return v }"), [DoesNotParse]);
        assert_eq!(one("def clamp(v):\n    return v\n"), [OtherLanguage, LacksDefinition]);
    }

    #[test]
    fn one_text_for_many_tasks_is_a_repeat() {
        let line = |task: &str, code: &str| serde_json::json!({"task_id": task, "code": code, "end_by": "stop"});
        let all = "def clamp(): return 1\ndef initials(): return 1\ndef run(): return 1\ndef second(): return 1\n";
        let lines = ["P1", "P2", "P3", "P4"].map(|task| line(task, all));
        assert_eq!(warnings(&lines), [(Repeated, 4)]);
        assert_eq!(warnings(&lines[..2]), []);
        // Samples of one task may be alike, and empty outputs have a list of their own.
        assert_eq!(warnings(&[line("P1", all), line("P1", all), line("P1", all)]), []);
        assert_eq!(warnings(&["P1", "P2", "P3"].map(|task| line(task, ""))), []);
        let cut = serde_json::json!({"task_id": "P1", "code": all, "end_by": "max_len"});
        assert_eq!(warnings(&[cut]), [(CutOff, 1)]);
    }
}
