//! A task of HumanEval-X, and the program that the benchmark builds from the task and a sample.
//!
//! Pure functions. The texts equal those of `evaluate_humaneval_x.py::process_humaneval_test` exactly, because verdicts
//! depend on blank lines and on which imports are added.

use model::code_lang::CodeLang;
use serde::{Deserialize, de::IgnoredAny};

use crate::whole;

/// A task as in its dataset. Fields that its language does not use are empty.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Task {
    /// Its ID, such as `Python/0`.
    pub task_id: String,
    /// The model's prompt: imports, helper functions, signature and description.
    pub prompt: String,
    /// Imports and signature without the description.
    pub declaration: String,
    /// Go: the prompt's import block.
    pub import: String,
    /// Go: package clause and the test's imports.
    pub test_setup: String,
    /// The tests, which call the function and check its results.
    pub test: String,
    /// The authors' own solution, which passes.
    pub canonical_solution: String,
    /// Translation only: the solution in another language. A generation then continues `declaration`.
    pub source: Option<IgnoredAny>,
    /// Our own dataset format only: the text before an output, which is a whole function and does not continue
    /// `prompt`.
    pub setup: Option<String>,
}

/// The program that the published evaluator runs for a generation. `prompt` is the sample's own prompt, if it has one.
pub fn program(lang: CodeLang, task: &Task, prompt: Option<&str>, generation: &str) -> String {
    if let Some(setup) = &task.setup {
        // A program in Rust needs no `main` of the output then.
        let head = if lang == CodeLang::Rust { "#![cfg_attr(not(test), no_main)]\n" } else { "" };
        return format!("{head}{}{}\n", whole(lang, task, setup, generation), task.test);
    }
    let prompt = prompt.unwrap_or(&task.prompt);
    let test = &task.test;
    match lang {
        CodeLang::Python => format!("{}{test}\n", python_solution(prompt, generation)),
        CodeLang::Cpp => format!("{}{test}", cpp_solution(prompt, generation)),
        CodeLang::Java | CodeLang::JavaScript => format!("{prompt}{generation}\n{test}"),
        CodeLang::Go => format!("{}\n{test}", go_solution(task, prompt, generation)),
        CodeLang::Rust => format!("\nfn main(){{ \n }} \n{}{prompt}{generation}{test}", task.declaration),
    }
}

/// A C++ or Go program without the tests at its end, which equals the text that [`sample`] returns. `None` if the
/// program does not end with the task's tests.
pub fn without_tests<'a>(lang: CodeLang, task: &Task, program: &'a str) -> Option<&'a str> {
    let (between, end) = match (&task.setup, lang) {
        (Some(_), _) => ("", "\n"),
        (None, CodeLang::Go) => ("\n", ""),
        (None, _) => ("", ""),
    };
    program.strip_suffix(end)?.strip_suffix(task.test.as_str())?.strip_suffix(between)
}

/// The program without the tests.
pub fn sample(lang: CodeLang, task: &Task, prompt: Option<&str>, generation: &str) -> String {
    match &task.setup {
        Some(setup) => whole(lang, task, setup, generation),
        None => solution(lang, task, prompt, generation),
    }
}

/// An output that is a whole function, with the imports that the language's continuations get.
fn whole(lang: CodeLang, task: &Task, setup: &str, code: &str) -> String {
    match lang {
        CodeLang::Python => {
            let (futures, code) = whole::python_futures(code);
            format!("{futures}{PYTHON_IMPORTS}{setup}\n{code}\n")
        }
        CodeLang::Cpp => cpp_solution(&format!("{setup}\n"), &whole::cpp_without_main(code)),
        CodeLang::Go => go_whole(task, setup, code),
        CodeLang::JavaScript => format!("{setup}\n{}\n", whole::javascript_script(code)),
        CodeLang::Java | CodeLang::Rust => format!("{setup}\n{code}\n"),
    }
}

/// Drops an output's package clause and the imports that the test's setup contains as well, and adds those that it misses.
fn go_whole(task: &Task, setup: &str, code: &str) -> String {
    let (own, code) = whole::go_parts(code);
    let added = whole::go_unimported(&GO_PACKAGES, &own, &task.test_setup, &code);
    let missing = whole::go_missing(&own, &task.test_setup);
    let missing = missing.iter().map(|import| format!("import {import}\n"));
    let imports: String = added.iter().map(|package| format!("import \"{package}\"\n")).chain(missing).collect();
    format!("{}\n{imports}{setup}\n{code}\n", task.test_setup)
}

/// A prompt with its continuation, without the tests. Judges use the task's own prompt.
pub fn solution(lang: CodeLang, task: &Task, prompt: Option<&str>, generation: &str) -> String {
    let prompt = prompt.unwrap_or(&task.prompt);
    match lang {
        CodeLang::Python => python_solution(prompt, generation),
        CodeLang::Cpp => cpp_solution(prompt, generation),
        CodeLang::Go => go_solution(task, prompt, generation),
        CodeLang::Java | CodeLang::JavaScript => format!("{prompt}{generation}\n"),
        CodeLang::Rust => format!("\nfn main(){{ \n }} \n{}{prompt}{generation}", task.declaration),
    }
}

/// The imports before every Python program.
pub const PYTHON_IMPORTS: &str = "import math
import re
import sys
import copy
import datetime
import itertools
import collections
import heapq
import statistics
import functools
import hashlib
import numpy
import numpy as np
import string
from typing import *
from collections import *
";

/// The headers of C++ programs. Those that the prompt includes are not added again.
pub const CPP_INCLUDES: [&str; 9] = [
    "#include<stdlib.h>",
    "#include<algorithm>",
    "#include<math.h>",
    "#include<stdio.h>",
    "#include<vector>",
    "#include<string>",
    "#include<climits>",
    "#include<cstring>",
    "#include<iostream>",
];

/// The packages that a Go program imports if the generation appears to use them.
const GO_PACKAGES: [&str; 10] =
    ["math", "strings", "fmt", "strconv", "time", "bytes", "regexp", "sort", "math/rand", "crypto/md5"];

fn python_solution(prompt: &str, generation: &str) -> String {
    format!("{PYTHON_IMPORTS}{prompt}{}\n", cut(generation))
}

/// The imports that a sample's own prompt must have: `imports` and those of the packages that the code uses, without what the
/// tests import and what the evaluator adds for the generation. `helpers` is the rest of the prompt.
pub fn go_prompt_imports(test_setup: &str, helpers: &str, generation: &str, imports: &[String]) -> Vec<String> {
    let code = format!("{helpers}\n{generation}");
    let plain = |package: &&str| format!("\"{package}\"");
    let mut needed = whole::go_missing(imports, test_setup);
    needed.extend(whole::go_unimported(&GO_PACKAGES, imports, test_setup, &code).iter().map(plain));
    // The evaluator would not import those either that are not used.
    let used = whole::go_unimported(&GO_PACKAGES, &[], "", &code);
    let unused = GO_PACKAGES.iter().copied().filter(|package| !used.contains(package));
    let left_out: Vec<String> = unused.chain(go_added(test_setup, generation)).map(|package| plain(&package)).collect();
    needed.retain(|import| !left_out.contains(import));
    needed
}

/// The packages that the evaluator imports for a generation.
fn go_added<'t>(test_setup: &'t str, generation: &'t str) -> impl Iterator<Item = &'static str> + 't {
    GO_PACKAGES.into_iter().filter(move |package| {
        let name = package.rsplit('/').next().unwrap_or(package);
        !test_setup.contains(package) && generation.contains(&format!("{name}."))
    })
}

/// The packages of [`GO_PACKAGES`] that a text appears to use, written as code uses them: `math. sort.`
pub fn go_mentions(text: &str) -> String {
    let names = GO_PACKAGES.iter().map(|package| format!("{}.", package.rsplit('/').next().unwrap_or(package)));
    names.filter(|name| text.contains(name)).collect::<Vec<_>>().join(" ")
}

/// A Python generation up to its first line that is not blank and does not begin with a space or a tab.
fn cut(generation: &str) -> String {
    // Python's definition of whitespace has four characters more than Unicode's.
    let is_blank = |line: &str| line.chars().all(|c| c.is_whitespace() || ('\x1c'..='\x1f').contains(&c));
    let is_inside = |line: &&str| is_blank(line) || line.starts_with([' ', '\t']);
    generation.split('\n').take_while(is_inside).collect::<Vec<_>>().join("\n")
}

fn cpp_solution(prompt: &str, generation: &str) -> String {
    let missing = CPP_INCLUDES.iter().filter(|include| !prompt.contains(*include));
    let includes: String = missing.map(|include| format!("{include}\n")).collect();
    format!("{includes}\n{prompt}{generation}\n")
}

fn go_solution(task: &Task, prompt: &str, generation: &str) -> String {
    let lines: Vec<String> = go_added(&task.test_setup, generation).map(|package| format!("\"{package}\"\n")).collect();
    let block = if lines.is_empty() { String::new() } else { format!("import (\n{})\n", lines.join("    ")) };
    let prompt = if task.import.is_empty() { prompt.to_owned() } else { prompt.replace(&task.import, "") };
    format!("{}\n{block}{prompt}{generation}", task.test_setup)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lang: CodeLang, task: &Task, generation: &str, expected: &str) {
        assert_eq!(program(lang, task, None, generation), expected);
        let whole = program(lang, task, None, generation);
        assert!(whole.starts_with(&solution(lang, task, None, generation)), "{lang}");
        if let CodeLang::Cpp | CodeLang::Go = lang {
            check_without_tests(lang, task, generation);
        }
    }

    fn check_without_tests(lang: CodeLang, task: &Task, generation: &str) {
        let whole = program(lang, task, None, generation);
        assert_eq!(without_tests(lang, task, &whole), Some(&*sample(lang, task, None, generation)), "{lang}");
    }

    #[test]
    fn python_generation_ends_at_the_first_unindented_line() {
        let task = Task { prompt: "def f():\n".into(), test: "f()".into(), ..Task::default() };
        let with = |body: &str| format!("{PYTHON_IMPORTS}def f():\n{body}\nf()\n");
        check(CodeLang::Python, &task, "    return 1\n\n\x1c\n\tx\nprint(1)\n  y", &with("    return 1\n\n\x1c\n\tx"));
        check(CodeLang::Python, &task, "# comment\n    return 1", &with(""));
        check(CodeLang::Python, &task, "", &with(""));
        assert!(PYTHON_IMPORTS.lines().count() == 16);
    }

    #[test]
    fn cpp_adds_headers_that_the_prompt_does_not_spell_the_same_way() {
        let prompt = "#include<stdio.h>\n#include <vector>\n#include<math.h>\n";
        let task = Task { prompt: prompt.into(), test: "int main(){}".into(), ..Task::default() };
        let added = "#include<stdlib.h>\n#include<algorithm>\n#include<vector>\n#include<string>\n#include<climits>\n\
                     #include<cstring>\n#include<iostream>\n";
        check(CodeLang::Cpp, &task, "x", &format!("{added}\n{prompt}x\nint main(){{}}"));
    }

    #[test]
    fn go_imports_packages_that_the_generation_appears_to_use() {
        let task = Task {
            prompt: "import (\n    \"math\"\n)\nfunc F() {".into(),
            import: "import (\n    \"math\"\n)\n".into(),
            test_setup: "package main\nimport \"fmt\"\n".into(),
            test: "func TestF()".into(),
            ..Task::default()
        };
        let start = "package main\nimport \"fmt\"\n\n";
        check(CodeLang::Go, &task, "}", &format!("{start}func F() {{}}\nfunc TestF()"));
        // Uses in comments and at the end of longer names count; imports of the test's setup are not repeated.
        let generation = "// strings.\nfmt.Print(mymath.X, rand.Int())}";
        let block = "import (\n\"math\"\n    \"strings\"\n    \"math/rand\"\n)\n";
        check(CodeLang::Go, &task, generation, &format!("{start}{block}func F() {{{generation}\nfunc TestF()"));
    }

    /// As published: the path of one package is found in that of another one. `whole::go_unimported` compares whole paths.
    #[test]
    fn go_does_not_import_a_package_whose_path_is_in_an_import_of_the_tests() {
        let task = Task { test_setup: "package main\nimport \"math/rand\"\n".into(), ..Task::default() };
        let generation = "math.Abs(1); rand.Int(); sort.Ints(nil)}";
        let whole = program(CodeLang::Go, &task, None, generation);
        assert!(whole.contains("import (\n\"sort\"\n)\n"), "{whole}");
    }

    #[test]
    fn an_own_go_prompt_has_the_imports_that_nothing_else_adds() {
        let check = |helpers: &str, generation: &str, own: &[&str], expected: &[&str]| {
            let own: Vec<String> = own.iter().map(|import| (*import).to_owned()).collect();
            let setup = "package main\nimport (\n\t\"testing\"\n\t\"math/rand\"\n)\n";
            assert_eq!(go_prompt_imports(setup, helpers, generation, &own), expected, "{helpers} {generation}");
        };
        let own = ["\"sort\"", "\"unicode\"", "\"math/rand\"", "str \"strings\""];
        check("", "sort.Ints(nil); unicode.IsUpper(c)", &own, &["\"unicode\"", "str \"strings\""]);
        // The evaluator looks for packages in the generation only, and takes `math/rand` for `math`.
        check("strings.ToLower(\"\")", "sort.Ints(nil)", &[], &["\"strings\""]);
        check("", "math.Abs(1)", &[], &["\"math\""]);
    }

    #[test]
    fn outputs_in_our_own_format_are_whole_functions() {
        let task = |setup: &str| Task { test: "t".into(), setup: Some(setup.into()), ..Task::default() };
        let python = "def f(x):\n    return g(x)\n\ndef g(x):\n    return x\n";
        let expected = format!("{PYTHON_IMPORTS}\n{python}\nt\n");
        assert_eq!(program(CodeLang::Python, &task(""), None, python), expected, "nothing is cut");
        let go = Task { test_setup: "package main\nimport \"testing\"\n".into(), ..task("") };
        let code = "package main\n\nimport \"sort\"\n\nfunc F() { sort.Ints(nil); strings.ToLower(\"\") }";
        let whole = "package main\nimport \"testing\"\n\nimport \"strings\"\nimport \"sort\"\n\n\n\n\n\n\
                     func F() { sort.Ints(nil); strings.ToLower(\"\") }\n";
        assert_eq!(sample(CodeLang::Go, &go, None, code), whole);
        let twice = sample(CodeLang::Go, &go, None, "package main\nimport \"testing\"\nfunc F() {}");
        assert_eq!(twice, "package main\nimport \"testing\"\n\n\n\n\nfunc F() {}\n");
        let future = "from __future__ import annotations\n";
        let futures = program(CodeLang::Python, &task(""), None, &format!("x = 1\n{future}"));
        assert_eq!(futures, format!("{future}{PYTHON_IMPORTS}\nx = 1\n\n\nt\n"));
        assert_eq!(sample(CodeLang::JavaScript, &task("s"), None, "export const f = 1;"), "s\nconst f = 1;\n");
        check_without_tests(CodeLang::Go, &go, code);
        check_without_tests(CodeLang::Cpp, &task("int x;"), "int f();");
        assert_eq!(sample(CodeLang::JavaScript, &task("s"), None, "code"), "s\ncode\n");
        let rust = "#![cfg_attr(not(test), no_main)]\ns\nfn main() {}\nt\n";
        assert_eq!(program(CodeLang::Rust, &task("s"), None, "fn main() {}"), rust);
    }

    #[test]
    fn sample_can_have_its_own_prompt() {
        let task = Task { prompt: "theirs".into(), test: "t".into(), ..Task::default() };
        assert_eq!(program(CodeLang::JavaScript, &task, Some("own"), "g"), "owng\nt");
        assert_eq!(program(CodeLang::Java, &task, None, "g"), "theirsg\nt");
    }
}
