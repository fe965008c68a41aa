//! Texts that make a parser take any amount of memory, or abort its process, cost the server nothing. In a program of its
//! own, because it measures its memory and looks at its processes.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::{
    fs,
    ops::ControlFlow,
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use model::{code::Line, code_lang::CodeLang};
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};

/// Longest code that is highlighted, in bytes (`syntax`).
const LONGEST: usize = 32 * 1024;

/// One test at a time, because one of them ends the others' processes.
static ALONE: Mutex<()> = Mutex::new(());

fn contain() -> MutexGuard<'static, ()> {
    let program = std::env::var_os("AIXGRADE_PROGRAM").unwrap_or_else(|| env!("CARGO_BIN_EXE_aixgrade").into());
    parsers::contain_in(PathBuf::from(program));
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn text(lines: &[Line]) -> String {
    lines.iter().map(Line::text).collect::<Vec<_>>().join("\n")
}

/// A number of kilobytes in this process's status.
fn kilobytes(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let value = status.lines().find_map(|line| line.strip_prefix(name)?.trim().strip_suffix(" kB"));
    value.unwrap().trim().parse().unwrap()
}

/// The processes of this one that try texts.
fn trials() -> Vec<Pid> {
    let children = fs::read_dir("/proc/self/task").unwrap().filter_map(Result::ok);
    let children = children.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    let ids: Vec<i32> =
        children.flat_map(|ids| ids.split(' ').filter_map(|id| id.parse().ok()).collect::<Vec<_>>()).collect();
    ids.into_iter().map(Pid::from_raw).collect()
}

#[test]
fn deep_or_long_code_is_highlighted_or_plain_in_every_language() {
    let _alone = contain();
    for lang in CodeLang::ALL {
        for unit in
            ["(", "[", "{", "f(", "a ? b : ", "- ", "not ", "<", "if a:\n ", "/*", "\"\"\"", "`${", "f'{", "x => "]
        {
            let code = unit.repeat((LONGEST - 1) / unit.len());
            assert_eq!(text(&syntax::lines(&code, lang)).trim_end(), code.trim_end(), "{lang}: {unit}");
        }
    }
    // Where a parser took gigabytes, this process did not.
    assert!(kilobytes("VmHWM:") < 512 << 10, "{} KB", kilobytes("VmHWM:"));
}

#[test]
fn a_text_that_takes_any_amount_of_memory_is_refused_and_the_next_one_is_parsed() {
    let _alone = contain();
    let parse = |text: &str| {
        let tree = parsers::parse(text, CodeLang::Java, Duration::from_secs(5), &mut || ControlFlow::Continue(()));
        tree.map(|tree| tree.root_node().has_error())
    };
    for _ in 0..2 {
        assert_eq!(parse(&"x => ".repeat(6_000)), Err(parsers::Refusal::TooMuchMemory));
        assert_eq!(parse("class X { int f() { return 1; } }"), Ok(false));
        assert_eq!(parse("class X { int f() { return 1; }"), Ok(true));
    }
    // The longest output of ordinary code that is assembled.
    let longest = format!("class X {{\n{}}}", "    int f(int a) { return a + g(a, b[1]); }\n".repeat(24_000));
    assert_eq!(parse(&longest[..1 << 20]), Ok(true));
}

#[test]
fn a_trial_that_somebody_ended_refuses_nothing() {
    let _alone = contain();
    for _ in 0..3 {
        for trial in trials() {
            let _ended = kill(trial, Signal::SIGKILL);
        }
        let lines = syntax::lines("int f() { return 1; }", CodeLang::Java);
        assert!(lines[0].0.iter().any(|run| run.0 == "keyword"), "{lines:?}");
        assert_ne!(trials(), []);
    }
}
