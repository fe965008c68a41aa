//! Parses code that models wrote.
//!
//! The parsers are C libraries of the tree-sitter project. Some short texts make them take any amount of memory, or abort
//! the whole process, and the library has no limit against either. Three limits stand in front of them: the brackets of
//! a text ([`are_too_many`]), a trial in a process of its own with little memory and CPU time ([`contain`]), and CPU time
//! while parsing ([`parse`]). This crate may not know what a tree is used for.

mod brackets;
mod trial;

use std::{ops::ControlFlow, time::Duration};

use model::code_lang::CodeLang;
use nix::time::{ClockId, clock_gettime};
use tree_sitter::{Language, ParseOptions, ParseState, Parser, Tree};

pub use brackets::{DEEPEST, MOST_OPEN};
pub use trial::{contain, contain_in};

/// The parser reports progress after this many of its own steps (`OP_COUNT_PER_PARSER_CALLBACK_CHECK`).
pub const STEPS_A_REPORT: u64 = 100;

/// Why a text has no tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Its brackets nest deeper than [`DEEPEST`], or more than [`MOST_OPEN`] of its `<` stay open.
    TooDeep,
    /// Parsing it takes more CPU time than allowed.
    TooMuchCpu,
    /// Parsing it takes more memory than any program needs, or ends the parser's process.
    TooMuchMemory,
    /// The caller stopped it.
    Stopped,
}

/// The syntax tree of a text, which may contain errors. `cpu` limits the CPU time. `watch` is called after every
/// [`STEPS_A_REPORT`] steps of the parser and may stop it.
///
/// # Errors
///
/// Fails if the text exceeds a limit, or `watch` stops the parser.
pub fn parse(
    text: &str,
    lang: CodeLang,
    cpu: Duration,
    watch: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Tree, Refusal> {
    if brackets::are_too_many(text) {
        return Err(Refusal::TooDeep);
    }
    trial::pass(text, lang, cpu)?;
    run(text, lang, cpu, watch)
}

/// Parses in this process.
fn run(text: &str, lang: CodeLang, cpu: Duration, watch: &mut dyn FnMut() -> ControlFlow<()>) -> Result<Tree, Refusal> {
    let mut parser = Parser::new();
    parser.set_language(&grammar(lang)).map_err(|_| Refusal::Stopped)?;
    let start = cpu_time();
    let mut refusal = Refusal::TooMuchCpu;
    let mut progress = |_: &ParseState| {
        if cpu_time().saturating_sub(start) > cpu {
            return ControlFlow::Break(());
        }
        let next = watch();
        if next.is_break() {
            refusal = Refusal::Stopped;
        }
        next
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let bytes = text.as_bytes();
    let tree = parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options));
    tree.ok_or(refusal)
}

/// The grammar of a language.
pub fn grammar(lang: CodeLang) -> Language {
    match lang {
        CodeLang::Java => tree_sitter_java::LANGUAGE.into(),
        CodeLang::Python => tree_sitter_python::LANGUAGE.into(),
        CodeLang::Cpp => tree_sitter_cpp::LANGUAGE.into(),
        CodeLang::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
        CodeLang::Go => tree_sitter_go::LANGUAGE.into(),
        CodeLang::Rust => tree_sitter_rust::LANGUAGE.into(),
    }
}

/// CPU time of this thread. Linux always has this clock; without it, CPU time has no limit.
pub fn cpu_time() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map(Duration::from).unwrap_or_default()
}
