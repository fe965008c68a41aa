//! Parses code that models wrote.
//!
//! The parsers are C libraries of the tree-sitter project. Some short texts make them take any amount of memory, or abort
//! the whole process, and the library has no limit against either. Three limits stand in front of them: the brackets of
//! a text, a trial in a process of its own with little memory and CPU time ([`contain`]), and CPU time while parsing
//! ([`parse`]). One more limits all texts of a response together ([`within`]). This crate may not know what a tree is used for.

mod brackets;
mod indents;
mod trial;

use std::{
    cell::{Cell, RefCell},
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

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
    /// Its brackets nest deeper than [`DEEPEST`], more than [`MOST_OPEN`] of its `<` stay open, or, in Python, its blocks nest deeper
    /// than any that Python accepts.
    TooDeep,
    /// Parsing it takes more CPU time than allowed.
    TooMuchCpu,
    /// Parsing it takes more memory than any program needs, or ends the parser's process.
    TooMuchMemory,
    /// The caller stopped it.
    Stopped,
}

thread_local! {
    /// CPU time that parsing may still take, where it is limited.
    static LEFT: Cell<Option<Duration>> = const { Cell::new(None) };
    /// CPU time that this thread's parsing has taken, that of its trials included.
    static SPENT: Cell<Duration> = const { Cell::new(Duration::ZERO) };
    /// Once set, this thread parses nothing more.
    static STOP: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// CPU time that this thread's parsing has taken so far, that of its trials included.
pub fn spent() -> Duration {
    SPENT.get()
}

/// Does work in whose course this thread parses, until `stop` is set: from then on, no text has a tree
/// ([`Refusal::Stopped`]), so that the rest of the work takes little time.
pub fn until<T>(stop: &Arc<AtomicBool>, work: impl FnOnce() -> T) -> T {
    /// Restores the outer flag, also after a panic.
    struct Outer(Option<Arc<AtomicBool>>);
    impl Drop for Outer {
        fn drop(&mut self) {
            STOP.set(self.0.take());
        }
    }
    let _outer = Outer(STOP.replace(Some(Arc::clone(stop))));
    work()
}

fn is_stopped() -> bool {
    STOP.with_borrow(|stop| stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)))
}

/// Does work in whose course this thread parses several texts, such as the blocks of a response. Together they may take this much
/// CPU time, that of their trials included; what exceeds it has no tree ([`Refusal::TooMuchCpu`]). Within other such
/// work, the smaller limit holds.
pub fn within<T>(cpu: Duration, work: impl FnOnce() -> T) -> T {
    /// Restores the outer limit, also after a panic.
    struct Outer(Option<Duration>, Duration);
    impl Drop for Outer {
        fn drop(&mut self) {
            let used = self.1.saturating_sub(LEFT.get().unwrap_or_default());
            LEFT.set(self.0.map(|left| left.saturating_sub(used)));
        }
    }
    let outer = LEFT.get();
    let limit = outer.map_or(cpu, |left| left.min(cpu));
    LEFT.set(Some(limit));
    let _outer = Outer(outer, limit);
    work()
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
    if brackets::are_too_many(text) || (lang == CodeLang::Python && indents::are_too_many(text)) {
        return Err(Refusal::TooDeep);
    }
    if is_stopped() {
        return Err(Refusal::Stopped);
    }
    let left = LEFT.get();
    let cpu = left.map_or(cpu, |left| cpu.min(left));
    if left.is_some() && cpu.is_zero() {
        return Err(Refusal::TooMuchCpu);
    }
    let start = cpu_time();
    let tried = trial::pass(text, lang, cpu);
    let is_refused = tried.is_err();
    let tree = tried.and_then(|()| run(text, lang, cpu, watch));
    // A trial that succeeds takes as much as parsing here.
    let used = if is_refused { cpu } else { 2 * cpu_time().saturating_sub(start) };
    LEFT.set(left.map(|left| left.saturating_sub(used)));
    SPENT.set(SPENT.get() + used);
    tree
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stopped_work_parses_nothing_more() {
        let text = "int f() { return g(1, 2); }\n".repeat(2000);
        let parsed =
            || parse(&text, CodeLang::Cpp, Duration::from_secs(60), &mut || ControlFlow::Continue(())).map(drop);
        let stop = Arc::default();
        let (before, between, after) = until(&stop, || {
            let before = spent();
            assert_eq!(parsed(), Ok(()));
            let between = spent();
            stop.store(true, Ordering::Relaxed);
            assert_eq!(parsed(), Err(Refusal::Stopped));
            (before, between, spent())
        });
        assert!(before < between && between == after, "{before:?}, {between:?}, {after:?}");
        assert_eq!(parsed(), Ok(()), "other work goes on");
    }

    #[test]
    fn texts_share_a_limit() {
        let text = "int f() { return g(1, 2); }\n".repeat(2000);
        let parsed =
            || parse(&text, CodeLang::Cpp, Duration::from_secs(60), &mut || ControlFlow::Continue(())).map(drop);
        assert_eq!(within(Duration::ZERO, parsed), Err(Refusal::TooMuchCpu));
        assert_eq!(parsed(), Ok(()), "the limit is over");
        // However fast the machine is, what is left gets less.
        let limit = Duration::from_secs(60);
        let (first, second) = within(limit, || {
            let left = || LEFT.get().unwrap_or_default();
            assert_eq!(parsed(), Ok(()));
            let first = left();
            assert_eq!(within(limit * 2, parsed), Ok(()));
            assert_eq!(within(Duration::ZERO, parsed), Err(Refusal::TooMuchCpu));
            (first, left())
        });
        assert!(limit > first && first > second, "{first:?}, then {second:?}");
        assert_eq!(LEFT.get(), None);
    }
}
