//! The readable form of a task that is a piece of source code: its description as prose, and its signature.

use std::ops::Range;

use model::code_lang::CodeLang;

use super::humaneval::Task;

/// A task for people.
#[derive(Debug, PartialEq, Eq)]
pub struct PromptParts {
    /// The comment that describes the function, without the marks of a comment.
    pub description: String,
    /// The function's head, after the helper functions that the task gives.
    pub signature: String,
}

/// The description and the signature of a task in this language. A prompt without a comment is its own description.
pub fn split_prompt(task: &Task, lang: CodeLang) -> PromptParts {
    let prompt = &task.prompt;
    let comment = match lang {
        CodeLang::Python => last_docstring(prompt),
        CodeLang::Go => comments(before_last_func(prompt)).pop(),
        _ => comments(prompt).pop(),
    };
    let description = comment.as_ref().map(|range| plain(&prompt[range.clone()], lang)).unwrap_or_default();
    let code = match (lang, comment) {
        // The prompt is a comment alone.
        (CodeLang::Rust, _) => task.declaration.clone(),
        (_, Some(range)) => format!("{}{}", &prompt[..range.start], &prompt[range.end..]),
        (_, None) => prompt.clone(),
    };
    let description = if description.trim().is_empty() { prompt.trim().to_owned() } else { description };
    PromptParts { description, signature: signature(&code, lang) }
}

/// The last text in triple quotes.
fn last_docstring(prompt: &str) -> Option<Range<usize>> {
    let close = ["\"\"\"", "'''"].into_iter().filter_map(|mark| Some((prompt.rfind(mark)?, mark))).max()?;
    let open = prompt[..close.0].rfind(close.1)?;
    // One of the published texts opens with four.
    let open = prompt[..open].trim_end_matches(&close.1[..1]).len();
    Some(open..close.0 + 3)
}

/// The text before the last function of a Go prompt.
fn before_last_func(prompt: &str) -> &str {
    prompt.rfind("\nfunc ").map_or(prompt, |at| &prompt[..=at])
}

/// The comments of a text in a language of the C family. Line comments that follow each other are one.
fn comments(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut last_is_line = false;
    let mut at = 0;
    while let Some(next) = text[at..].find(['/', '"']).map(|next| at + next) {
        let rest = &text[next..];
        if let Some(body) = rest.strip_prefix("/*") {
            let end = body.find("*/").map_or(text.len(), |end| next + 2 + end + 2);
            found.push(next..end);
            (last_is_line, at) = (false, end);
        } else if rest.starts_with("//") {
            let end = next + rest.find('\n').unwrap_or(rest.len());
            match found.last_mut().filter(|last| last_is_line && text[last.end..next].trim().is_empty()) {
                Some(last) => last.end = end,
                None => found.push(next..end),
            }
            (last_is_line, at) = (true, end);
        } else if let Some(string) = rest.strip_prefix('"') {
            // A string ends in its line.
            let end = string.find(['"', '\n']).filter(|end| string[*end..].starts_with('"'));
            at = next + 1 + end.map_or(0, |end| end + 1);
        } else {
            at = next + 1;
        }
    }
    found
}

/// A comment's text: no marks, no common indentation, no blank lines around it.
fn plain(comment: &str, lang: CodeLang) -> String {
    let inner = match lang {
        CodeLang::Python => comment.get(3..comment.len() - 3).unwrap_or_default().trim_start_matches(['"', '\'']),
        _ => match comment.strip_prefix("/*") {
            Some(block) => block.strip_suffix("*/").unwrap_or(block).trim_start_matches('*'),
            None => comment,
        },
    };
    let line = |line: &str| {
        let text = line.trim_start();
        match text.strip_prefix("//") {
            Some(rest) if comment.starts_with("//") => rest.strip_prefix(' ').unwrap_or(rest).trim_end().to_owned(),
            _ => line.trim_end().to_owned(),
        }
    };
    let lines: Vec<String> = inner.lines().map(line).collect();
    let indent = |line: &String| line.len() - line.trim_start().len();
    // The first line begins behind the mark, and so says nothing about the indentation of the others; but every line
    // comment has a mark of its own.
    let first = usize::from(!comment.starts_with("//"));
    let common = lines.iter().skip(first).filter(|line| !line.is_empty()).map(indent).min().unwrap_or(0);
    let dedented = lines.iter().enumerate().map(|(at, line)| match at < first {
        true => line.trim_start(),
        false => line.get(common..).unwrap_or_default(),
    });
    dedented.collect::<Vec<_>>().join("\n").trim_matches('\n').trim_end().to_owned()
}

/// The code around a description without imports and what opens a body: functions that the task gives, and the head
/// of the one that is asked for.
pub(super) fn signature(code: &str, lang: CodeLang) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut in_imports = false;
    for line in code.lines() {
        let text = line.trim();
        in_imports |= text == "import (";
        let import = in_imports
            || ["import ", "from ", "#include", "using namespace ", "use "].iter().any(|start| text.starts_with(start))
            || text == "class Solution {";
        in_imports &= text != ")";
        let repeated = text.is_empty() && kept.last().is_none_or(|last| last.trim().is_empty());
        if !import && !repeated {
            kept.push(line.trim_end());
        }
    }
    let common = kept.iter().filter(|line| !line.is_empty()).map(|line| line.len() - line.trim_start().len()).min();
    let dedented: Vec<&str> = kept.iter().map(|line| line.get(common.unwrap_or(0)..).unwrap_or_default()).collect();
    let text = dedented.join("\n");
    let text = text.trim_end();
    let opening = if lang == CodeLang::Python { ':' } else { '{' };
    match text.strip_suffix(opening) {
        // The arrow of a JavaScript function says nothing without its brace.
        Some(head) if !head.trim_end().ends_with("=>") => head.trim_end().to_owned(),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::humaneval::Benchmark;

    fn check(lang: CodeLang, prompt: &str, description: &str, signature: &str) {
        let task = Task {
            benchmark: Benchmark::HumanevalX,
            task_id: String::new(),
            prompt: prompt.to_owned(),
            declaration: "use x;\nuse y::{z};\n\nfn same(s: &str) -> String {\n".to_owned(),
            import: None,
            docstring: None,
            test: String::new(),
            test_setup: None,
            example_test: String::new(),
            canonical_solution: String::new(),
            source: None,
        };
        let expected = PromptParts { description: description.to_owned(), signature: signature.to_owned() };
        assert_eq!(split_prompt(&task, lang), expected, "{prompt}");
    }

    #[test]
    fn takes_the_description_out_of_python() {
        check(
            CodeLang::Python,
            "from typing import List\n\n\ndef same(xs: List[int]) -> int:\n    \"\"\" Sums.\n      >>> same([1])\n    1\n    \"\"\"\n",
            "Sums.\n  >>> same([1])\n1",
            "def same(xs: List[int]) -> int",
        );
        check(
            CodeLang::Python,
            "def a(s):\n    \"\"\"\n    Encodes.\n    \"\"\"\n    return s\n\n\ndef b(s):\n    '''\n    Decodes.\n    '''\n",
            "Decodes.",
            "def a(s):\n    \"\"\"\n    Encodes.\n    \"\"\"\n    return s\n\ndef b(s)",
        );
        check(CodeLang::Python, "def same(xs):\n", "def same(xs):", "def same(xs)");
        check(CodeLang::Python, "def f(x):\n    \"\"\"\"\n    The ''.\"\"\"\n", "The ''.", "def f(x)");
    }

    #[test]
    fn takes_the_description_out_of_languages_with_c_comments() {
        check(
            CodeLang::Cpp,
            "/*\nSums // them.\n  >>> 1\n*/\n#include<vector>\nusing namespace std;\nint same(vector<int> xs){\n",
            "Sums // them.\n  >>> 1",
            "int same(vector<int> xs)",
        );
        check(
            CodeLang::Cpp,
            "string a(string s){\n    return s+\"/*\"; // no change\n}\nstring b(string s){\n    // Decodes\n    // it.\n",
            "Decodes\nit.",
            "string a(string s){\n    return s+\"/*\"; // no change\n}\nstring b(string s)",
        );
        check(
            CodeLang::Java,
            "import java.util.*;\n\nclass Solution {\n    /**\n    Sums.\n     */\n    public int same(int x) {\n",
            "Sums.",
            "public int same(int x)",
        );
        check(
            CodeLang::JavaScript,
            "/* Sums.\n  >>> 1\n  */\nconst same = (xs) => {\n",
            "Sums.\n>>> 1",
            "const same = (xs) => {",
        );
        check(
            CodeLang::Go,
            "import (\n    \"math\"\n)\n\n// Encodes.\nfunc A() {\n    // no change\n}\n\n// Decodes\n//   it.\nfunc B(s string) string {\n",
            "Decodes\n  it.",
            "// Encodes.\nfunc A() {\n    // no change\n}\n\nfunc B(s string) string",
        );
        check(CodeLang::Rust, "\n/*\n Sums.\n    \n*/\n", "Sums.", "fn same(s: &str) -> String");
    }
}
