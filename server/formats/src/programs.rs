//! Tests of our own format in languages other than Java: a program for each task, as datasets/README.md describes it.

use model::code_lang::CodeLang;
use serde::Serialize;

use super::{files::Files, lines::Fault};

/// Maximum size of a test program or a reference solution in bytes.
const LARGEST: usize = 256 * 1024;

/// The tests of a task as stored in the database (`task_tests`); `lang::humaneval` reads it.
#[derive(Serialize)]
struct Body<'a> {
    task_id: &'a str,
    /// The text before a continuation: setup, signature and the opening of the body.
    prompt: String,
    declaration: String,
    /// Go: the package clause and imports of the test file.
    test_setup: String,
    test: String,
    /// The reference solution, a whole function; empty if the dataset has none.
    canonical_solution: &'a str,
    /// The text before every output.
    setup: &'a str,
}

/// The end of a test file's name, and what opens a function's body, in a language with test programs.
fn of(lang: CodeLang) -> Option<(&'static str, &'static str)> {
    match lang {
        CodeLang::Python => Some(("py", ":\n")),
        CodeLang::Cpp => Some(("cpp", " {\n")),
        CodeLang::JavaScript => Some(("js", " {\n")),
        CodeLang::Go => Some(("go", " {\n")),
        CodeLang::Rust => Some(("rs", " {\n")),
        CodeLang::Java => None,
    }
}

/// Whether a file name is that of a test program.
pub fn is_test_file(name: &str) -> bool {
    let end = name.rsplit_once('.').map(|(_, end)| end);
    CodeLang::ALL.into_iter().filter_map(of).any(|(known, _)| Some(known) == end)
}

/// Whether the signature begins as the language's guard reads it.
fn is_head(lang: CodeLang, signature: &str) -> bool {
    let one_line = !signature.trim().contains('\n') && signature.contains('(');
    one_line
        && match lang {
            CodeLang::Python => signature.starts_with("def ") && !signature.trim_end().ends_with(':'),
            CodeLang::JavaScript => signature.starts_with("const ") && signature.trim_end().ends_with("=>"),
            CodeLang::Go => signature.starts_with("func ") && !signature.trim_end().ends_with('{'),
            CodeLang::Rust => signature.starts_with("fn ") && !signature.trim_end().ends_with('{'),
            _ => !signature.trim_end().ends_with('{'),
        }
}

/// A file with tests or with a reference solution; `None` if it is not there.
fn program<'a>(files: &'a Files, root: &str, path: &str) -> Result<Option<&'a str>, Fault> {
    match files.text(&format!("{root}{path}")) {
        Some(Ok(text)) if text.len() <= LARGEST => Ok(Some(text)),
        Some(Ok(_)) => Err(Fault(
            (format!("{path} is larger than {} KiB", LARGEST / 1024), format!("{path} 超过 {} KiB", LARGEST / 1024))
                .into(),
            ("Shorten it", "请缩短").into(),
        )),
        Some(Err(_)) => Err(Fault(
            (format!("{path} is not UTF-8"), format!("{path} 不是 UTF-8 编码")).into(),
            ("Save it as UTF-8", "请保存为 UTF-8 编码").into(),
        )),
        None => Ok(None),
    }
}

/// The tests of a task, from the file that it names, with the reference solution of the same name, if there is one.
///
/// # Errors
/// The language has no test programs, the file is missing or unsuitable, or the signature is no function's head.
pub fn body(
    files: &Files,
    root: &str,
    (task_id, name): (&str, &str),
    (lang, signature): (CodeLang, &str),
    setup: &str,
) -> Result<String, Fault> {
    let Some((end, opening)) = of(lang) else {
        let name = lang.name();
        return Err(Fault(
            (format!("tests of tasks in {name} are not supported"), format!("不支持 {name} 任务的测试")).into(),
            ("Write \"checks\": [\"human\"]", "请写成 \"checks\": [\"human\"]").into(),
        ));
    };
    if !is_head(lang, signature) {
        return Err(Fault(
            ("\"signature\" is not the head of a function in one line", "“signature”不是单行的函数头").into(),
            (
                "Write it as datasets/README.md shows for the language, without what opens the body",
                "请按 datasets/README.md 中该语言的写法填写，不含函数体的开头",
            )
                .into(),
        ));
    }
    let path = format!("tests/{name}.{end}");
    let Some(text) = program(files, root, &path)? else {
        return Err(Fault(
            (format!("the file {path} is missing"), format!("缺少文件 {path}")).into(),
            ("Add it, or correct the name", "请补上该文件，或改正名称").into(),
        ));
    };
    let canonical_solution = program(files, root, &format!("reference/{name}.{end}"))?.unwrap_or_default();
    let (test_setup, test) = match lang {
        CodeLang::Go => text.split_at(text.find("\nfunc ").map_or(0, |at| at + 1)),
        _ => ("", text),
    };
    let prompt = format!("{setup}{}{}{opening}", if setup.is_empty() { "" } else { "\n" }, signature.trim());
    let body = Body {
        task_id,
        // In Rust, the prompt comes after the declaration.
        declaration: if lang == CodeLang::Rust { String::new() } else { prompt.clone() },
        prompt,
        test_setup: test_setup.to_owned(),
        test: test.to_owned(),
        canonical_solution,
        setup,
    };
    let mut text = serde_json::to_string(&body).map_err(|e| {
        Fault(
            (format!("the task cannot be stored ({e})"), format!("无法保存该任务（{e}）")).into(),
            ("Check its texts", "请检查其文本").into(),
        )
    })?;
    // A dataset has thousands, and what a text has to grow can be as much as it has.
    text.shrink_to_fit();
    Ok(text)
}
