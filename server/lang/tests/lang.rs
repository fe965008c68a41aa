//! Languages besides Java, in their real sandboxes: verdicts as published and guarded.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop here")]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::Mutex,
};

use benchmarks::humaneval::{self, Task};
use lang::{
    Places, PublishedProgram, RunContext, Toolchain,
    grader::{self, LONGEST_TEXT, Sample},
    guard::{self, Guarded},
};
use model::{
    code_lang::CodeLang,
    published::PublishedText,
    reason::Reason,
    run::{Outcome, PublishedVerdict, Verdict},
};
use sandbox::tool;

mod common;

use common::{context, folder, short, short_context, tasks, toolchain};
use dresses::{Asked, dresses};
use formats::continuation::Continuation;

/// Grades the generations in the order given, with as many workers as a run has.
fn grade(lang: CodeLang, toolchain: &dyn Toolchain, work: &[(&Task, &str)]) -> Vec<Outcome> {
    grade_in(&context(), lang, toolchain, work)
}

fn grade_in(context: &RunContext, lang: CodeLang, toolchain: &dyn Toolchain, work: &[(&Task, &str)]) -> Vec<Outcome> {
    let work: Vec<_> = work.iter().map(|(task, generation)| (*task, Sample::of(generation))).collect();
    grade_samples(context, lang, toolchain, &work)
}

fn grade_samples(
    context: &RunContext,
    lang: CodeLang,
    toolchain: &dyn Toolchain,
    work: &[(&Task, Sample<'_>)],
) -> Vec<Outcome> {
    let (next, results) = (Mutex::new(0), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..toolchain.workers(std::thread::available_parallelism().map_or(1, usize::from)) {
            scope.spawn(|| {
                loop {
                    let at = {
                        let mut next = next.lock().unwrap();
                        *next += 1;
                        *next - 1
                    };
                    let Some((task, sample)) = work.get(at) else { return };
                    let outcome = grader::grade(toolchain, context, lang, task, *sample).unwrap();
                    results.lock().unwrap().insert(at, outcome);
                }
            });
        }
    });
    results.into_inner().unwrap().into_values().collect()
}

fn published(outcome: &Outcome) -> PublishedVerdict {
    outcome.published.as_ref().unwrap().verdict
}

fn shown(what: &str, outcome: &Outcome) -> String {
    let Outcome { verdict, message, published, .. } = outcome;
    format!("{what}: {verdict:?} {message:?}, published {published:?}\n")
}

/// Whether the canonical solution of this task is tried; all are with `prerequisites::every_task`.
fn is_tried(lang: CodeLang, task: &Task) -> bool {
    let is_compiled = matches!(lang, CodeLang::Cpp | CodeLang::Java | CodeLang::Go | CodeLang::Rust);
    let number = task.task_id.rsplit('/').next().and_then(|number| number.parse::<u32>().ok()).unwrap();
    !is_compiled || prerequisites::every_task() || number % 8 == 2
}

/// Canonical solutions come out as in the vectors, and what is published as passed passes guarded, too. Those that are
/// published as failed are always tried.
fn check_canonical(lang: CodeLang, flaky: &[&str], vector: impl Fn(&str) -> String) {
    let Some(data) = prerequisites::humaneval_x() else { return };
    let Some(toolchain) = toolchain(lang) else { return };
    let tasks = tasks(&data, lang);
    let vector = fs::read_to_string(data.join(vector(toolchain.version()))).unwrap();
    let expected: BTreeMap<&str, bool> = vector
        .lines()
        .skip(1)
        .map(|line| {
            let mut columns = line.split('\t');
            (columns.next().unwrap(), columns.next() == Some("1"))
        })
        .collect();
    assert_eq!((tasks.len(), expected.len()), (164, 164));
    let tried = tasks.values().filter(|task| is_tried(lang, task) || !expected[task.task_id.as_str()]);
    let work: Vec<(&Task, &str)> = tried.map(|task| (task, task.canonical_solution.as_str())).collect();
    let mut wrong = Vec::new();
    for ((task, _), outcome) in work.iter().zip(grade(lang, &*toolchain, &work)) {
        if flaky.contains(&task.task_id.as_str()) {
            continue;
        }
        let passes = expected[task.task_id.as_str()];
        let published = published(&outcome) == PublishedVerdict::Passed;
        if published != passes || (outcome.verdict == Verdict::Passed) != passes {
            wrong.push(shown(&task.task_id, &outcome));
        }
    }
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), work.len(), wrong.concat());
}

/// The language's own trials come out well.
fn check_trials(lang: CodeLang, toolchain: &dyn Toolchain) {
    let trials = lang::trials::run(lang, toolchain, &context()).unwrap();
    let fallen: Vec<_> = trials.iter().filter(|shown| shown.failed.is_some()).collect();
    assert!(!trials.is_empty() && fallen.is_empty(), "{fallen:?}");
}

/// The language's own trials come out well, and every conformance program gets the published evaluator's verdict.
fn check_conformance(lang: CodeLang, unguarded: &[&str]) {
    let Some(data) = prerequisites::humaneval_x() else { return };
    let Some(toolchain) = toolchain(lang) else { return };
    check_trials(lang, &*toolchain);
    let tasks = tasks(&data, lang);
    let table = fs::read_to_string(data.join("conformance.tsv")).unwrap();
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split('\t').collect()).collect();
    let rows: Vec<&Vec<&str>> = rows.iter().filter(|row| row[0] == short(lang)).collect();
    let generations: Vec<String> = rows.iter().map(|row| serde_json::from_str(row[3]).unwrap()).collect();
    let work: Vec<(&Task, &str)> =
        rows.iter().zip(&generations).map(|(row, text)| (&tasks[row[1]], text.as_str())).collect();
    let mut wrong = Vec::new();
    for (row, outcome) in rows.iter().zip(grade_in(&short_context(), lang, &*toolchain, &work)) {
        let passes = row[4] == "1";
        let guarded = passes && !unguarded.contains(&row[2]);
        let expected = match (passes, row[5]) {
            (true, _) => PublishedVerdict::Passed,
            (false, "\"timed out\"") => PublishedVerdict::Timeout,
            (false, _) => PublishedVerdict::Failed,
        };
        if published(&outcome) != expected || (outcome.verdict == Verdict::Passed) != guarded {
            wrong.push(shown(row[2], &outcome));
        }
    }
    assert!(!rows.is_empty());
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), rows.len(), wrong.concat());
}

/// Honest outputs that run beside the bombs.
const HONEST: usize = 4;

/// Whether a hostile generation uses up something that samples share: processors, memory, disk, processes, pipes.
fn is_bomb(file: &Path) -> bool {
    let name = file.file_name().unwrap().to_str().unwrap();
    let case = name.split('.').nth(1).unwrap();
    [
        "forks",
        "loops",
        "fills_",
        "makes_files",
        "takes_all_memory",
        "prints_without_end",
        "starts_threads",
        "starts_goroutines",
        "starts_a_worker",
    ]
    .iter()
    .any(|bomb| case.contains(bomb))
}

/// Hostile generations from `fixtures/lang`, one a file, `task.case.extension`: none passes guarded, and none changes a verdict
/// beside it.
fn check_hostile(lang: CodeLang) {
    let Some(data) = prerequisites::humaneval_x() else { return };
    let Some(toolchain) = toolchain(lang) else { return };
    let tasks = tasks(&data, lang);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/lang").join(lang.code());
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let prefix = tasks.keys().next().unwrap().split('/').next().unwrap().to_owned();
    let texts: Vec<(String, String)> = files
        .iter()
        .map(|file| {
            let number = file.file_name().unwrap().to_str().unwrap().split('.').next().unwrap().to_owned();
            (format!("{prefix}/{number}"), fs::read_to_string(file).unwrap())
        })
        .collect();
    let hostile = texts.iter().map(|(id, text)| (&tasks[id], text.as_str()));
    // Honest outputs between the bombs, run at the same time: they come out as they do alone.
    let honest: Vec<(&Task, &str)> =
        tasks.values().take(HONEST).map(|task| (task, task.canonical_solution.as_str())).collect();
    let mut beside = honest.iter().cycle();
    let mut work: Vec<(&Task, &str)> = Vec::new();
    let mut bombs = 0;
    for (file, sample) in files.iter().zip(hostile) {
        work.push(sample);
        if is_bomb(file) {
            bombs += 1;
            work.extend(beside.next());
        }
    }
    assert!(bombs >= 3, "{lang:?} has {bombs} bombs");
    let alone = grade(lang, &*toolchain, &honest);
    let both = |outcome: &Outcome| (outcome.verdict, published(outcome));
    let mut expected = honest.iter().zip(&alone).cycle();
    let mut outcomes = Vec::new();
    let mut all = grade_in(&short_context(), lang, &*toolchain, &work).into_iter();
    for file in &files {
        outcomes.extend(all.next());
        if is_bomb(file) {
            let (outcome, ((task, _), alone)) = (all.next().unwrap(), expected.next().unwrap());
            let what = format!("{} beside {}", task.task_id, file.display());
            assert_eq!(both(&outcome), both(alone), "{}", shown(&what, &outcome));
        }
    }
    assert!(alone.iter().filter(|outcome| outcome.verdict == Verdict::Passed).count() >= HONEST - 1);
    let lengths = outcomes.iter().map(|outcome| outcome.message.chars().count());
    assert!(lengths.max() <= Some(LONGEST_TEXT), "a message of any length is stored");
    let passed: Vec<_> = files
        .iter()
        .zip(outcomes)
        .filter(|(_, outcome)| outcome.verdict == Verdict::Passed)
        .map(|(file, _)| file.file_name().unwrap())
        .collect();
    assert!(files.len() >= 25, "{} hostile programs", files.len());
    assert!(passed.is_empty(), "these passed: {passed:?}");
}

/// The reference solutions of the starter tasks pass, and the invented models' outputs get the expected verdicts.
fn check_starter((slug, files, outputs): (String, formats::files::Files, Vec<formats::bundled::StarterOutputs>)) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets/starter-languages");
    let expected = fs::read_to_string(folder.join("expected.tsv")).unwrap();
    let dataset = formats::read(&files).unwrap().datasets.remove(0);
    let lang = dataset.tasks[0].code_lang;
    let Some(toolchain) = toolchain(lang) else { return };
    let tasks: BTreeMap<String, Task> = dataset
        .tasks
        .iter()
        .map(|task| (task.task_id.clone(), serde_json::from_str(task.test_body.as_deref().unwrap()).unwrap()))
        .collect();
    let mut named: Vec<(String, String, bool)> = Vec::new();
    for id in tasks.keys() {
        let place = folder.join(slug.strip_prefix("starter-").unwrap()).join("reference");
        let file = fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path());
        let file = file.into_iter().find(|file| file.file_stem().unwrap() == id.as_str()).unwrap();
        named.push((id.clone(), fs::read_to_string(file).unwrap(), true));
    }
    for output in outputs {
        let asked = formats::outputs::Asked { langs: vec![lang], ..Default::default() };
        formats::outputs::read(&output.file, output.bytes.as_slice(), &asked, |line| {
            let line = line.unwrap();
            let row = format!("{slug}\t{}\t{}\t", output.file, line.task_id);
            let passes = expected.lines().find_map(|known| known.strip_prefix(&row)).unwrap() == "1";
            named.push((line.task_id, line.code, passes));
        });
    }
    let work: Vec<(&Task, &str)> = named.iter().map(|(id, code, _)| (&tasks[id], code.as_str())).collect();
    for ((id, code, passes), outcome) in named.iter().zip(grade(lang, &*toolchain, &work)) {
        assert_eq!(outcome.published, None);
        assert_eq!(outcome.verdict == Verdict::Passed, *passes, "{}\n{code}", shown(id, &outcome));
    }
}

#[test]
fn starter_tasks_come_out_as_expected() {
    formats::bundled::starter_languages().unwrap().into_iter().for_each(check_starter);
}

/// What chat models write around and beside a function does no harm to a right answer, and does not make a wrong one right.
#[test]
fn chat_answers_for_the_starter_tasks_come_out_as_expected() {
    for (_, files, _) in formats::bundled::starter_languages().unwrap() {
        let dataset = formats::read(&files).unwrap().datasets.remove(0);
        let lang = dataset.tasks[0].code_lang;
        let Some(toolchain) = toolchain(lang) else { continue };
        let found = &dataset.tasks[0];
        let task: Task = serde_json::from_str(found.test_body.as_deref().unwrap()).unwrap();
        let wanted = formats::chat::Wanted::of(lang, found.signature.as_deref());
        let answers = clamp_answers(lang);
        let codes: Vec<String> =
            answers.iter().map(|(response, _)| formats::chat::split(response, &[lang], Some(&wanted)).code).collect();
        let work: Vec<(&Task, &str)> = codes.iter().map(|code| (&task, code.as_str())).collect();
        for ((response, passes), outcome) in answers.iter().zip(grade(lang, &*toolchain, &work)) {
            assert_eq!(outcome.verdict == Verdict::Passed, *passes, "{}", shown(response, &outcome));
        }
    }
}

/// Answers to the first starter task, and whether they pass.
fn clamp_answers(lang: CodeLang) -> Vec<(String, bool)> {
    let fenced = |code: &str| format!("```{}\n{code}\n```\n", syntax::display::display(lang).fences[0]);
    match lang {
        CodeLang::Python => python_clamp_answers(),
        CodeLang::Cpp => {
            let code = "#include <algorithm>\nint clamp(int value, int low, int high) {\n    return std::max(low, std::min(high, value));\n}";
            let main = "\n\nint main() {\n    std::cout << clamp(12, 1, 10) << std::endl;\n    return 0;\n}";
            vec![
                (fenced(&format!("#include <bits/stdc++.h>\nusing namespace std;\n{code}")), true),
                (fenced(&format!("#include <iostream>\n{code}{main}")), true),
                (
                    fenced(&format!(
                        "#include <iostream>\n{code}{}",
                        main.replace("int main()", "int main(int argc, char *argv[])")
                    )),
                    true,
                ),
                (format!("{}{}", fenced(code), fenced(&main[2..])), true),
                (fenced(&format!("int clamp(int value, int low, int high) {{ return value; }}{main}")), false),
            ]
        }
        CodeLang::JavaScript => {
            let code = "const clamp = (value, low, high) => Math.max(low, Math.min(high, value));";
            vec![
                (fenced(&format!("{code}\n\nmodule.exports = clamp;")), true),
                (fenced(&format!("{code}\n\nconsole.log(clamp(12, 1, 10)); // 10")), true),
                (fenced(&format!("{code}\nconsole.error('done');\nprocess.stdout.write('x');")), true),
                (fenced(&format!("export {code}")), true),
                (fenced(&format!("{code}\n\nexport default clamp;\nexport {{ clamp }};")), true),
                (
                    fenced(
                        "export default function clamp(value, low, high) {\n  return Math.max(low, Math.min(high, value));\n}",
                    ),
                    true,
                ),
                (fenced(&format!("{code}\nconsole.assert(clamp(12, 1, 10) === 10);")), true),
                (fenced("const clamp = (value) => value;\nconsole.log(clamp(1));"), false),
                (fenced("const clamp = (value) => value;"), false),
            ]
        }
        CodeLang::Go => {
            let code = "func Clamp(value int, low int, high int) int {\n\tif value < low {\n\t\treturn low\n\t}\n\tif value > high {\n\t\treturn high\n\t}\n\treturn value\n}";
            vec![
                (
                    fenced(&format!(
                        "package main\n\nimport (\n\t\"fmt\"\n)\n\n{code}\n\nfunc main() {{\n\tfmt.Println(Clamp(12, 1, 10))\n}}"
                    )),
                    true,
                ),
                (fenced(&format!("package clamp\n\n// Clamp limits strings. Not really.\n{code}")), true),
                (
                    fenced(&format!(
                        "package main\n\nimport \"testing\"\n\n{code}\n\nfunc TestMine(t *testing.T) {{\n\tif Clamp(12, 1, 10) != 10 {{\n\t\tt.Fatal(\"wrong\")\n\t}}\n}}"
                    )),
                    true,
                ),
                (
                    fenced(&format!(
                        "package main\n\nimport \"fmt\"\nimport \"fmt\"\n\n{code}\n\nfunc show() {{ fmt.Println(1) }}"
                    )),
                    true,
                ),
                (fenced(&format!("package main\n\nimport \"strings\"\n\n{code}")), false),
            ]
        }
        CodeLang::Rust => {
            let code = "fn clamp(value: i32, low: i32, high: i32) -> i32 {\n    value.max(low).min(high)\n}";
            let main = "fn main() {\n    println!(\"{}\", clamp(12, 1, 10));\n}";
            let tests = "#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn inside() {\n        assert_eq!(clamp(5, 1, 10), 5);\n    }\n}";
            vec![
                (fenced(&format!("pub {code}")), true),
                (fenced(&format!("use std::cmp::{{max, min}};\n\n{code}\n\n{main}")), true),
                (fenced(&format!("{code}\n\n{tests}")), true),
                (format!("{}Use it like this:\n\n{}", fenced(code), fenced(main)), true),
                (fenced(&format!("fn clamp(value: i32, _: i32, _: i32) -> i32 {{ value }}\n\n{main}")), false),
            ]
        }
        CodeLang::Java => Vec::new(),
    }
}

fn python_clamp_answers() -> Vec<(String, bool)> {
    let fenced = |code: &str| format!("```python\n{code}\n```\n");
    let code = "def clamp(value, low, high):\n    return max(low, min(high, value))";
    let wrong = "def clamp(value, low, high):\n    return value";
    vec![
        (format!("<think>\n{}No.\n</think>\n\n{}", fenced(wrong), fenced(code)), true),
        (format!("{}No.\n</think>\n\n{}", fenced(wrong), fenced(code)), true),
        (format!("<think>\nEasy.\n</think>\n\n{code}\n"), true),
        (format!("<think>\n{}But", fenced(code)), false),
        (format!("{}Corrected:\n{}", fenced(wrong), fenced(code)), true),
        (format!("1. Use it:\n\n   ```python\n   {}\n   ```\n", code.replace('\n', "\n   ")), true),
        (format!("{code}\n```\n\nIt never leaves the range."), true),
        (fenced(&format!("import math\nfrom __future__ import annotations\n\n{code}\n\nprint(clamp(1, 2, 3))")), true),
        (fenced(&format!("\"\"\"Clamps.\"\"\"\nfrom __future__ import annotations\n{code}")), true),
        (fenced(&format!("{wrong}\n\nprint(clamp(1, 2, 3))")), false),
    ]
}

/// The target's own solution is a right translation. In Go three tasks' tests call a helper function that only the
/// prompt has, and the published declaration of `CPP/38` ends inside a loop, so the published rule fails these.
fn check_translations(lang: CodeLang) {
    let Some(data) = prerequisites::humaneval_x() else { return };
    let Some(toolchain) = toolchain(lang) else { return };
    let tasks: Vec<Task> = tasks(&data, lang)
        .into_values()
        .filter(|task| ["/0", "/1", "/32", "/38", "/50", "/163"].iter().any(|end| task.task_id.ends_with(end)))
        .map(|task| Task { source: Some(serde::de::IgnoredAny), ..task })
        .collect();
    let work: Vec<(&Task, &str)> = tasks.iter().map(|task| (task, task.canonical_solution.as_str())).collect();
    for (task, outcome) in tasks.iter().zip(grade(lang, &*toolchain, &work)) {
        let helpless = ["CPP/38", "Go/32", "Go/38", "Go/50"].contains(&task.task_id.as_str());
        let passes = (published(&outcome) == PublishedVerdict::Passed, outcome.verdict == Verdict::Passed);
        assert_eq!(passes, (!helpless, !helpless), "{}", shown(&task.task_id, &outcome));
    }
}

#[test]
fn solutions_pass_as_translations() {
    [CodeLang::Python, CodeLang::Cpp, CodeLang::Java, CodeLang::JavaScript, CodeLang::Go]
        .into_iter()
        .for_each(check_translations);
}

#[test]
fn python_canonical_solutions_come_out_as_published() {
    check_canonical(CodeLang::Python, &[], |version| {
        let variant = if version.contains("Python 3.8.") { "" } else { "_py311" };
        format!("humanevalx_python_canonical{variant}.tsv")
    });
}

#[test]
fn python_conformance_programs_come_out_as_published() {
    check_conformance(CodeLang::Python, &[]);
}

#[test]
fn python_reuses_fork_servers_and_judges() {
    check_reuse(CodeLang::Python);
}

#[test]
fn javascript_reuses_judges() {
    check_reuse(CodeLang::JavaScript);
}

#[test]
fn javascript_samples_without_shared_state_get_both_verdicts_from_one_process() {
    let right = "  return number * 2\n}\n";
    let others = [
        "  return process.argv.length && number * 2\n}\n",
        "  console.log(number)\n  return number * 2\n}\n",
        "  return number\n}\n",
    ];
    check_both_verdicts(CodeLang::JavaScript, right, &others);
}

#[test]
fn python_samples_without_shared_state_get_both_verdicts_from_one_process() {
    let right = "    return number * 2\n";
    let others = [
        "    return len(sys.argv) * 0 + number * 2\n",
        "    string.left = 1\n    return number * 2\n",
        "    import math\n    return number * 2\n",
        "    return number\n",
    ];
    check_both_verdicts(CodeLang::Python, right, &others);
}

/// Java samples, the verdict on each as published and guarded, and whether one process gives both.
const JAVA_SAMPLES: [(&str, bool, bool, bool); 15] = [
    ("return number * 2; } }", true, true, true),
    ("return twice(number, 2); } static int twice(int a, int b) { return a * b; } }\n// 1", true, true, true),
    // The second run begins with static fields of its own: there are only two calls.
    ("return ++calls > 2 ? 0 : number * 2; } static int calls; }", true, true, true),
    ("return number * 2; } } class Helper { static { new ArrayList<>().get(0); } }", true, true, true),
    // Whatever could reach beyond its own classes runs in processes of its own.
    ("System.out.println(number); return number * 2; } }", true, true, false),
    ("try { return number * 2; } catch (Throwable e) { return 0; } } }", true, true, false),
    ("System.setProperty(\"a\", \"b\"); return number * 2; } }", true, true, false),
    ("return System.getProperty(\"a\") == null ? number * 2 : 0; } }", true, true, false),
    (
        "Runtime.getRuntime().addShutdownHook(new Thread(() -> Runtime.getRuntime().halt(1))); return number * 2; } }",
        false,
        false,
        false,
    ),
    (
        "new Thread(() -> System.exit(1)).start(); try { Thread.sleep(200); } catch (Exception e) { } return number * 2; } }",
        false,
        false,
        false,
    ),
    // These compile only together with the tests, or differently.
    ("return Main.class.getName().length() / 2 * number; } }", true, false, false),
    ("return \\u004dain.class.getName().length() / 2 * number; } }", true, false, false),
    ("return Ma\u{ad}in.class.getName().length() / 2 * number; } }", true, false, false),
    ("return number * 2; } }\nfinal", true, false, false),
    ("return number * 2; } } class AssertionError { }", false, false, false),
];

#[test]
fn java_samples_of_harmless_classes_get_both_verdicts_from_one_process() {
    check_java_samples(CodeLang::Java);
}

fn check_java_samples(lang: CodeLang) {
    let Some(toolchain) = toolchain(lang) else { return };
    let task = (lang::language(lang).unwrap().trials.task)();
    for (generation, is_published, is_guarded, is_quick) in JAVA_SAMPLES {
        let program = humaneval::program(lang, &task, None, generation);
        let solution = humaneval::sample(lang, &task, None, generation);
        let context = context();
        let apart = match toolchain.published(&context, &task, &program).unwrap() {
            PublishedProgram::Refused(judged) => *judged,
            PublishedProgram::Ready(run) => run().unwrap(),
        };
        assert_eq!(apart.passed, is_published, "{generation}: {apart:?}");
        let Guarded { outcome, published: quick } =
            guard::judge(&*toolchain, &context, &task, &program, &solution).unwrap();
        assert_eq!(quick.is_some_and(|judged| judged.passed), is_quick, "{generation}");
        assert!(!is_published || (outcome.verdict == Verdict::Passed) == is_guarded, "{generation}: {outcome:?}");
        let outcome = grader::grade(&*toolchain, &context, lang, &task, Sample::of(generation)).unwrap();
        let verdicts = (published(&outcome) == PublishedVerdict::Passed, outcome.verdict == Verdict::Passed);
        assert_eq!(verdicts, (is_published, is_guarded), "{}", shown(generation, &outcome));
    }
}

#[test]
fn java_reuses_judges() {
    check_reuse(CodeLang::Java);
}

fn check_both_verdicts(lang: CodeLang, right: &str, others: &[&str]) {
    let Some(toolchain) = toolchain(lang) else { return };
    let task = (lang::language(lang).unwrap().trials.task)();
    let check = |generation: &str, expected: bool| {
        let program = humaneval::program(lang, &task, None, generation);
        let solution = humaneval::sample(lang, &task, None, generation);
        let guarded = guard::judge(&*toolchain, &context(), &task, &program, &solution).unwrap();
        assert_eq!(guarded.published.is_some_and(|judged| judged.passed), expected, "{generation}");
    };
    check(right, true);
    others.iter().for_each(|generation| check(generation, false));
}

/// Checks that fork servers and judges are idle after samples have passed. The verdicts do not depend on this, only
/// speed.
fn check_reuse(lang: CodeLang) {
    let Some(toolchain) = toolchain(lang) else { return };
    assert!(!toolchain.is_warm());
    let trials = lang::language(lang).unwrap().trials;
    let right = || trials.trials.iter().filter(|trial| trial.passes);
    for trial in right().chain(trials.trials.iter().filter(|trial| !trial.published)).chain(right()) {
        let outcome = grader::grade(&*toolchain, &context(), lang, &(trials.task)(), Sample::of(trial.generation));
        assert_eq!(outcome.unwrap().verdict == Verdict::Passed, trial.passes, "{}", trial.generation);
    }
    assert!(toolchain.is_warm());
}

#[test]
fn javascript_canonical_solutions_come_out_as_published() {
    check_canonical(CodeLang::JavaScript, &[], |version| {
        let variant = if version.contains("Node.js 16.") { "" } else { "_node20" };
        format!("humanevalx_js_canonical{variant}.tsv")
    });
}

#[test]
fn javascript_conformance_programs_come_out_as_published() {
    check_conformance(CodeLang::JavaScript, &["exit0"]);
}

#[test]
fn cpp_canonical_solutions_come_out_as_published() {
    check_canonical(CodeLang::Cpp, &[], |_| "humanevalx_cpp_canonical.tsv".to_owned());
}

#[test]
fn cpp_conformance_programs_come_out_as_published() {
    check_conformance(CodeLang::Cpp, &["exit0"]);
}

#[test]
fn go_canonical_solutions_come_out_as_published() {
    // 95 depends on the order in which a map is walked: it fails one run of four by itself.
    check_canonical(CodeLang::Go, &["Go/95"], |version| {
        let variant = if version.contains("Go 1.18") { "" } else { "_go126" };
        format!("humanevalx_go_canonical{variant}.tsv")
    });
}

/// Whether the Go builder lets a text join a batch. `sample` is the part after the package clause and the imports and
/// before the test.
fn joins(builder: &Path, sample: &str) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("main_test.go");
    let sample =
        format!("package main\n\nimport (\n    \"testing\"\n    \"github.com/stretchr/testify/assert\"\n)\n{sample}");
    let test = "func TestF(t *testing.T) {\n    assert.New(t).Equal(1, F(1))\n}\n";
    fs::write(&file, format!("{sample}\n{test}")).unwrap();
    let (file, end) = (file.to_str().unwrap().to_owned(), sample.len().to_string());
    // For a text that cannot be parsed, the builder reports an error.
    tool::run(builder, ["", "joins", "", &file, &end, "F"]).is_ok_and(|said| said.trim() == "true")
}

#[test]
fn go_samples_that_could_affect_others_are_built_alone() {
    let (go, places) = (lang::language(CodeLang::Go).unwrap(), Places::from_environment());
    let Some(()) = prerequisites::toolchain("go", (go.look)(&places)) else { return };
    drop((go.find)(&places, &folder()).unwrap());
    let images = engine::toolchain::images(&folder());
    let image = fs::read_dir(images).unwrap().map(|entry| entry.unwrap().path().join("go/builder"));
    let builder = image.into_iter().find(|builder| builder.is_file()).unwrap();
    let function = "func F(n int) int {\n    return n\n}\n";
    for sample in [
        function.to_owned(),
        format!(
            "import \"math\"\n\nconst c = 1\n\ntype t struct{{ n int }}\n\nfunc (x t) m() float64 {{ return math.Abs(1) }}\n{function}"
        ),
        format!("// A comment: go f(), unsafe.\n{function}func g[T any](x T) T {{ return x }}\n"),
    ] {
        assert!(joins(&builder, &sample), "{sample}");
    }
    for sample in [
        format!("var v = 1\n{function}"),
        format!("{function}func init() {{}}\n"),
        format!("{function}func main() {{}}\n"),
        format!("{function}func TestMain(m *testing.M) {{}}\n"),
        format!("{function}func TestMore(t *testing.T) {{}}\n"),
        format!("{function}func ExampleF() {{\n    // Output: 1\n}}\n"),
        format!("{function}func helper(t *testing.T) {{}}\n"),
        format!("{function}func names() {{ _ = TestF }}\n"),
        format!("{function}func TestF() {{}}\n"),
        format!("{function}func starts() {{ go F(1) }}\n"),
        format!("{function}func starts() {{ func() {{ go func() {{}}() }}() }}\n"),
        format!("import \"time\"\n{function}func starts() {{ time.AfterFunc(1, func() {{}}) }}\n"),
        format!("import \"unsafe\"\n{function}func size() uintptr {{ return unsafe.Sizeof(1) }}\n"),
        format!("import \"os\"\n{function}func leaves() {{ os.Exit(0) }}\n"),
        format!("import \"reflect\"\n{function}func kind() {{ reflect.TypeOf(1) }}\n"),
        format!("import \"C\"\n{function}"),
        format!("import \"s1\"\n{function}func other() {{ s1.F(1) }}\n"),
        format!("import t \"testing\"\n{function}func runs(x *t.T) {{}}\n"),
        format!("import . \"math\"\n{function}func abs() {{ Abs(1) }}\n"),
        format!("//go:linkname other s1.F\nfunc other(n int) int\n{function}"),
        format!("//go:noinline\n{function}"),
        format!("//line other.go:1\n{function}"),
        format!("func declared()\n{function}"),
        "func F[T any](n T) T {\n    return n\n}\n".to_owned(),
        "func f(n int) int {\n    return n\n}\n".to_owned(),
        // A comment or a block without an end, which extends into the tests.
        format!("{function}/*"),
        format!("{function}func opens() {{"),
    ] {
        assert!(!joins(&builder, &sample), "{sample}");
    }
}

#[test]
fn go_conformance_programs_come_out_as_published() {
    check_conformance(CodeLang::Go, &[]);
}

#[test]
fn no_hostile_python_program_passes_guarded() {
    check_hostile(CodeLang::Python);
}

#[test]
fn no_hostile_cpp_program_passes_guarded() {
    check_hostile(CodeLang::Cpp);
}

#[test]
fn no_hostile_javascript_program_passes_guarded() {
    check_hostile(CodeLang::JavaScript);
}

#[test]
fn no_hostile_go_program_passes_guarded() {
    check_hostile(CodeLang::Go);
}

#[test]
fn java_canonical_solutions_come_out_as_published() {
    check_canonical(CodeLang::Java, &[], |_| "humanevalx_java_canonical.tsv".to_owned());
}

#[test]
fn java_conformance_programs_come_out_as_published() {
    check_conformance(CodeLang::Java, &["exit0"]);
}

#[test]
fn no_hostile_java_program_passes_guarded() {
    check_hostile(CodeLang::Java);
}

#[test]
fn rust_trials_come_out_well() {
    with_rust(|toolchain, _| check_trials(CodeLang::Rust, toolchain));
}

/// There are no published verdicts for Rust; these are what the published commands give.
#[test]
fn rust_canonical_solutions_pass_where_there_are_tests() {
    with_rust(check_rust_solutions);
}

/// Output that cargo takes for a pass, and the guard does not.
#[test]
fn rust_programs_that_end_or_hide_the_tests_pass_only_as_published() {
    with_rust(check_rust_escapes);
}

#[test]
fn no_hostile_rust_program_passes_guarded() {
    check_hostile(CodeLang::Rust);
}

fn with_rust(check: impl FnOnce(&dyn Toolchain, &BTreeMap<String, Task>)) {
    let Some(data) = prerequisites::humaneval_x() else { return };
    let Some(toolchain) = toolchain(CodeLang::Rust) else { return };
    check(&*toolchain, &tasks(&data, CodeLang::Rust));
}

fn check_rust_solutions(toolchain: &dyn Toolchain, tasks: &BTreeMap<String, Task>) {
    assert_eq!(tasks.len(), 164);
    let tried = tasks.values().filter(|task| is_tried(CodeLang::Rust, task));
    let work: Vec<(&Task, &str)> = tried.map(|task| (task, task.canonical_solution.as_str())).collect();
    let mut wrong = Vec::new();
    for ((task, _), outcome) in work.iter().zip(grade(CodeLang::Rust, toolchain, &work)) {
        // Its tests are in a comment.
        let expected = if task.task_id == "Rust/32" { Verdict::Anomaly } else { Verdict::Passed };
        if published(&outcome) != PublishedVerdict::Passed || outcome.verdict != expected {
            wrong.push(shown(&task.task_id, &outcome));
        }
    }
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), work.len(), wrong.concat());
}

fn check_rust_escapes(toolchain: &dyn Toolchain, tasks: &BTreeMap<String, Task>) {
    let task = &tasks["Rust/0"];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/lang/rust");
    let cases = [
        "leaves",
        "leaves_by_libc",
        "sets_a_panic_hook",
        "at_exit",
        "constructor",
        "hides_the_test",
        "ends_in_a_test_of_its_own",
        "shadows_the_assertions",
        "reads_the_test_from_its_source",
    ];
    let texts = cases.map(|case| fs::read_to_string(folder.join(format!("0.{case}.rs"))).unwrap());
    let work: Vec<(&Task, &str)> = texts.iter().map(|text| (task, text.as_str())).collect();
    for (case, outcome) in cases.iter().zip(grade(CodeLang::Rust, toolchain, &work)) {
        let passes = (published(&outcome) == PublishedVerdict::Passed, outcome.verdict == Verdict::Passed);
        assert_eq!(passes, (true, false), "{}", shown(case, &outcome));
    }
}

/// A right answer gets the verdict of the canonical solution, whatever a model usually writes around its function. Each dress
/// is tried with one task; with `prerequisites::every_task`, with all.
fn check_responses(lang: CodeLang) {
    /// Tasks whose canonical solutions pass. Those of the first four have helpers in their openings.
    const TRIED: [usize; 8] = [10, 38, 0, 50, 9, 17, 66, 140];
    /// Its verdict depends on the order of a map.
    const FLAKY: [&str; 1] = ["Go/95"];
    let Some(data) = prerequisites::humaneval_x() else { return };
    let Some(toolchain) = toolchain(lang) else { return };
    let (all, context) = (tasks(&data, lang), context());
    let mut named: Vec<(&Task, &str, Continuation)> = Vec::new();
    for task in all.values() {
        let number: usize = task.task_id.rsplit('/').next().unwrap().parse().unwrap();
        let place = TRIED.iter().position(|tried| *tried == number);
        let asked = Asked {
            prompt: &task.prompt,
            declaration: &task.declaration,
            canonical_solution: &task.canonical_solution,
        };
        let is_flaky = FLAKY.contains(&task.task_id.as_str());
        for (at, (dress, code)) in dresses(lang, &asked).into_iter().enumerate().filter(|_| !is_flaky) {
            if prerequisites::every_task() || place == Some(at % TRIED.len()) {
                let response = response(lang, &code);
                named.push((task, dress, formats::continuation::read(lang, &stored(task), &response).0));
            }
        }
    }
    let passes: BTreeMap<&str, (Verdict, PublishedVerdict)> = if prerequisites::every_task() {
        let work: Vec<_> = all.values().map(|task| (task, Sample::of(&task.canonical_solution))).collect();
        let outcomes = grade_samples(&context, lang, &*toolchain, &work);
        let verdicts = outcomes.iter().map(|outcome| (outcome.verdict, published(outcome)));
        all.keys().map(String::as_str).zip(verdicts).collect()
    } else {
        BTreeMap::new()
    };
    let work: Vec<_> = named
        .iter()
        .map(|(task, _, made)| (*task, Sample { prompt: made.prompt.as_deref(), ..Sample::of(&made.generation) }))
        .collect();
    let mut wrong = Vec::new();
    for ((task, dress, made), outcome) in named.iter().zip(grade_samples(&context, lang, &*toolchain, &work)) {
        let expected = passes.get(task.task_id.as_str()).unwrap_or(&(Verdict::Passed, PublishedVerdict::Passed));
        if (outcome.verdict, published(&outcome)) != *expected {
            wrong.push(shown(&format!("{} {dress}\n{made:#?}", task.task_id), &outcome));
        }
    }
    assert!(work.len() >= dresses::FEWEST, "{}", work.len());
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), work.len(), wrong.concat());
    check_published_text(lang, &*toolchain, &all);
}

fn response(lang: CodeLang, code: &str) -> String {
    format!("Sure:\n\n```{}\n{code}\n```\nDone.", syntax::display::display(lang).fences[0])
}

/// A task as the database has it.
fn stored(task: &Task) -> formats::humaneval::Task {
    formats::humaneval::Task {
        benchmark: formats::humaneval::Benchmark::HumanevalX,
        task_id: task.task_id.clone(),
        prompt: task.prompt.clone(),
        declaration: task.declaration.clone(),
        import: Some(task.import.clone()),
        docstring: None,
        test: task.test.clone(),
        test_setup: Some(task.test_setup.clone()),
        example_test: String::new(),
        canonical_solution: String::new(),
        source: None,
    }
}

/// The published evaluator judges what its file has.
fn check_published_text(lang: CodeLang, toolchain: &dyn Toolchain, all: &BTreeMap<String, Task>) {
    let task = all.values().find(|task| task.task_id.ends_with("/0")).unwrap();
    let response = response(lang, &format!("{}{}", task.declaration, task.canonical_solution));
    let (made, _) = formats::continuation::read(lang, &stored(task), &response);
    let text = PublishedText { prompt: None, generation: response };
    let sample = Sample { prompt: made.prompt.as_deref(), ..Sample::of(&made.generation) };
    let sample = Sample { published_text: Some(&text), ..sample };
    let outcome = grader::grade(toolchain, &context(), lang, task, sample).unwrap();
    let found = (outcome.verdict, published(&outcome), &outcome.reason);
    let expected = (Verdict::Passed, PublishedVerdict::Failed, &Some(Reason::PublishedReadsFences));
    assert_eq!(found, expected, "{}", shown(&task.task_id, &outcome));
}

#[test]
fn python_responses_become_continuations() {
    check_responses(CodeLang::Python);
}

#[test]
fn cpp_responses_become_continuations() {
    check_responses(CodeLang::Cpp);
}

#[test]
fn java_responses_become_continuations() {
    check_responses(CodeLang::Java);
}

#[test]
fn javascript_responses_become_continuations() {
    check_responses(CodeLang::JavaScript);
}

#[test]
fn go_responses_become_continuations() {
    check_responses(CodeLang::Go);
}

#[test]
fn rust_responses_become_continuations() {
    check_responses(CodeLang::Rust);
}
