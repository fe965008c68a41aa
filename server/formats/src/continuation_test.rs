//! Tests of `continuation.rs`.

use std::{fs::File, io::Read};

use model::code_lang::CodeLang;

use super::*;
use crate::humaneval::Benchmark;
use dresses::{Asked, dresses};

fn task(prompt: &str, declaration: &str) -> Task {
    Task {
        benchmark: Benchmark::HumanevalX,
        task_id: "X/0".into(),
        prompt: prompt.into(),
        declaration: declaration.into(),
        import: None,
        docstring: None,
        test: String::new(),
        test_setup: Some("package main\nimport (\n    \"testing\"\n)\n".into()),
        example_test: String::new(),
        canonical_solution: String::new(),
        source: None,
    }
}

fn check(lang: CodeLang, task: &Task, response: &str, prompt: Option<&str>, generation: &str) {
    let (read, _) = read(lang, task, response);
    assert_eq!((read.prompt.as_deref(), read.generation.as_str()), (prompt, generation), "{response}");
}

#[test]
fn python_functions_continue_the_prompt_or_bring_their_own() {
    let prompt = "from typing import List\n\n\ndef add(a: int, b: int) -> int:\n    \"\"\" Adds. \"\"\"\n";
    let python = |response: &str, own: Option<&str>, generation: &str| {
        let task = task(prompt, "from typing import List\n\n\ndef add(a: int, b: int) -> int:\n");
        check(CodeLang::Python, &task, response, own, generation);
    };
    let body = "    \"\"\" Adds. \"\"\"\n    return a + b";
    python(&format!("Sure.\n```python\nimport math\n{prompt}    return a + b\n```\n"), None, body);
    python("```python\ndef add(\n    a: int, b: int\n) -> int:\n    return a + b\n```", None, "    return a + b");
    python("```python\ndef add(a: int, b: int) -> int: return a + b\n```", None, "    return a + b");
    // Examples after the function are dropped, definitions are not.
    python(
        "```python\ndef add(a: int, b: int) -> int:\n    return _add(a, b)\n\nprint(add(1, 2))\n\ndef _add(x, y):\n    return x + y\nassert True\n```",
        Some("from typing import List\n\n\ndef _add(x, y):\n    return x + y\ndef add(a: int, b: int) -> int:\n"),
        "    return _add(a, b)",
    );
    python(
        "```python\nK = 1\ndef add(x, y):  # renamed\n  return x + y\n```",
        Some("from typing import List\n\n\nK = 1\ndef add(x, y):\n"),
        "  return x + y",
    );
    python("```python\n  return a + b\n```", None, "  return a + b");
    python("```python\nreturn a + b\n```", None, "    return a + b\n");
}

#[test]
fn java_methods_get_the_class_that_they_lack() {
    let declaration = "import java.util.*;\n\nclass Solution {\n    public int add(int a, int b) {\n";
    let java = |response: &str, own: Option<&str>, generation: &str| {
        check(CodeLang::Java, &task(declaration, declaration), response, own, generation);
    };
    let body = "\n        return a + b;\n    }\n}";
    java(&format!("```java\n{}{body}\n```", declaration.trim_end()), None, body);
    java("```java\npublic int add(int a, int b) {\n    return a + b;\n}\n```", None, "\n    return a + b;\n}\n}");
    java(
        "```java\nimport java.util.stream.*;\nclass Solution {\n    public int add(int a, int b) {\n        return a + b;\n    }\n}\n```",
        Some("import java.util.*;\n\nimport java.util.stream.*;\nclass Solution {\n\n"),
        &format!("    public int add(int a, int b) {{{body}"),
    );
    java(
        "```java\npublic int add(int x, int y) {\n    return x + y;\n}\n```",
        Some("import java.util.*;\n\nclass Solution {\n"),
        "public int add(int x, int y) {\n    return x + y;\n}\n}",
    );
}

#[test]
fn what_stands_before_a_function_is_kept() {
    let js = task("/* Adds. */\nconst add = (a, b) => {\n", "const add = (a, b) => {\n");
    let body = "\n  return sum(a, b);\n}";
    let helper = "function sum(a, b) { return a + b; }";
    check(
        CodeLang::JavaScript,
        &js,
        &format!("```js\n{helper}\nconst add = (a, b) => {{{body}\n```"),
        Some(&format!("{helper}\n")),
        &format!("const add = (a, b) => {{{body}"),
    );
    check(
        CodeLang::JavaScript,
        &js,
        "```js\nfunction add(a, b) {\n  return a + b;\n}\n```",
        Some(""),
        "function add(a, b) {\n  return a + b;\n}",
    );
    let go = task("// Adds.\nfunc Add(a int, b int) int {\n", "func Add(a int, b int) int {\n");
    check(
        CodeLang::Go,
        &go,
        "```go\npackage main\n\nimport (\n\t\"math\"\n\t\"unicode\"\n)\n\nfunc sum(a, b int) int { return a + b }\n\nfunc Add(a int, b int) int {\n\treturn sum(a, b)\n}\n```",
        Some("import \"unicode\"\n// Adds.\nfunc Add(a int, b int) int {\n"),
        "\n\treturn sum(a, b)\n}\n\nfunc sum(a, b int) int { return a + b }\n",
    );
    let declaration = "#include<stdio.h>\nusing namespace std;\nint add(int a,int b){\n";
    let cpp = task(declaration, declaration);
    check(
        CodeLang::Cpp,
        &cpp,
        "```cpp\nint add(int a, int b) {\n  return a + b;\n}\n```",
        None,
        "\n  return a + b;\n}",
    );
    check(
        CodeLang::Cpp,
        &cpp,
        "```cpp\nint sum(int a, int b) { return a + b; }\nint add(int a, int b) {\n  return sum(a, b);\n}\n```",
        Some("#include<stdio.h>\nusing namespace std;\nint sum(int a, int b) { return a + b; }\n"),
        "int add(int a, int b) {\n  return sum(a, b);\n}",
    );
}

/// Models usually repeat the prompt, or at least the declaration. Both give the authors' solution again.
#[test]
fn canonical_solutions_in_a_response_are_read_as_they_are() {
    for lang in CodeLang::ALL {
        for (task, plain) in tasks(lang) {
            let squeeze = |text: String| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            let expected = squeeze(humaneval::solution(lang, &plain, None, &task.canonical_solution));
            let fence = syntax::display::display(lang).fences[0];
            for beginning in [&task.prompt, &task.declaration] {
                let response = format!("Here:\n\n```{fence}\n{beginning}{}\n```\n", task.canonical_solution);
                let (Continuation { prompt, generation }, _) = read(lang, &task, &response);
                let made = squeeze(humaneval::solution(lang, &plain, prompt.as_deref(), &generation));
                // A description that follows the declaration becomes part of the body if it is repeated; so does
                // what a few tasks have after the function's head.
                let is_body = squeeze(generation.clone()).ends_with(&squeeze(task.canonical_solution.clone()));
                let may_differ = declaration(&task).goes_on || (beginning == &task.prompt && prompt.is_none());
                let same = made == expected || (may_differ && is_body);
                assert!(same, "{}\n{prompt:?}\n{generation}", task.task_id);
            }
        }
    }
}

/// The benchmark's tasks in a language, as they are stored and as they are judged.
fn tasks(lang: CodeLang) -> Vec<(Task, humaneval::Task)> {
    let Some(data) = prerequisites::humaneval_x() else { return Vec::new() };
    let name = if lang == CodeLang::JavaScript { "js" } else { lang.code() };
    let file = File::open(data.join(format!("humaneval_{name}.jsonl.gz"))).unwrap();
    let mut text = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).unwrap();
    let read = |line: &str| {
        let mut value: serde_json::Value = serde_json::from_str(line).unwrap();
        value["benchmark"] = "humaneval-x".into();
        (serde_json::from_value(value.clone()).unwrap(), serde_json::from_value(value).unwrap())
    };
    let tasks: Vec<_> = text.lines().map(read).collect();
    assert_eq!(tasks.len(), 164);
    tasks
}

/// `server/lang/tests` runs them.
#[test]
fn canonical_solutions_in_every_usual_dress_become_whole_programs() {
    let mut tried = 0;
    for lang in CodeLang::ALL {
        let fence = syntax::display::display(lang).fences[0];
        for (task, plain) in tasks(lang) {
            let asked = Asked {
                prompt: &task.prompt,
                declaration: &task.declaration,
                canonical_solution: &task.canonical_solution,
            };
            let canonical = humaneval::program(lang, &plain, None, &task.canonical_solution);
            let all = dresses(lang, &asked);
            assert!(all.len() >= dresses::FEWEST);
            let example = |code: String| format!("Use it so:\n\n```{fence}\n{code}```\n");
            let examples: Vec<String> = dresses::examples(lang, &asked).into_iter().map(example).collect();
            for (dress, code) in all {
                let response = format!("Sure:\n\n```{fence}\n{code}```\nDone.");
                let (made, _) = read(lang, &task, &response);
                let program = humaneval::program(lang, &plain, made.prompt.as_deref(), &made.generation);
                assert!(!made.generation.trim().is_empty(), "{} {dress}", task.task_id);
                check_program(lang, (&canonical, &program), &format!("{} {dress}\n{made:#?}", task.task_id));
                let code = code.trim_matches('\n');
                // The grammar of C++ does not know `typeid(int)`.
                if tried % 4 == 0 && !code.contains("typeid(") && !code.starts_with(' ') {
                    let (fenced, _) = read(lang, &task, &format!("```{fence}\n{code}\n```"));
                    let response = format!(
                        "Sure, here is the function:\n\n{code}\n\nIt returns the result.\n\nNotes:\n- Time: O(n)"
                    );
                    let (unfenced, answer) = read(lang, &task, &response);
                    assert_eq!(unfenced, fenced, "{} {dress}: {response}\n{:?}", task.task_id, answer.reading);
                }
                // One example in one place for each, and all of them over the tasks.
                let (example, is_behind) = (&examples[tried / 2 % examples.len()], tried % 2 == 0);
                tried += 1;
                let response =
                    if is_behind { format!("{response}\n\n{example}") } else { format!("{example}\n{response}") };
                assert_eq!(read(lang, &task, &response).0, made, "{} {dress}: {response}", task.task_id);
            }
        }
    }
}

/// Everything that the program of the canonical solution defines is defined as often, and its imports are there.
fn check_program(lang: CodeLang, (canonical, program): (&str, &str), what: &str) {
    let defined = |text: &str| {
        let mut names: Vec<String> = items::items(text, lang).into_iter().flat_map(|item| item.names).collect();
        names.sort();
        names
    };
    let (expected, found) = (defined(canonical), defined(program));
    let count = |names: &[String], name: &String| names.iter().filter(|other| *other == name).count();
    for name in &expected {
        assert_eq!(count(&found, name), count(&expected, name), "{name}: {what}");
    }
    let imports = |text: &str| {
        let of = items::items(text, lang).into_iter().filter(|item| item.kind == ItemKind::Import);
        of.map(|item| squeezed(item.text(text))).collect::<Vec<_>>()
    };
    let found = imports(program);
    for import in imports(canonical) {
        // What a generation seems to use is imported again, and never twice.
        let is_there = lang == CodeLang::Go || found.contains(&import);
        assert!(is_there, "{import}: {what}");
    }
    let has_error = |text: &str| outline::outline(text, lang).is_none_or(|outline| outline.has_errors);
    assert!(!has_error(program) || has_error(canonical), "syntax: {what}");
}
