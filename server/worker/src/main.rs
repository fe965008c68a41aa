//! The program `aixgrade-worker`, the sandbox's helper and trials of parsers in one.

use std::process::ExitCode;

/// As in `aixgrade`, so that runs cost the same in both.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // Used if `aixgrade-sandbox` of this build is missing. Called before any thread is started, because the
    // helper changes namespaces, which only a single thread may do.
    match helper::main(std::env::args()).map(ExitCode::from).or_else(|| parsers::contain(std::env::args())) {
        Some(code) => code,
        None => worker::main(),
    }
}
