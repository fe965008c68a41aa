//! The program `aixgrade`: server, command line, and the sandbox's helper in one.

use std::process::ExitCode;

/// Requests allocate thousands of small texts on many threads: the system's allocator takes a tenth of their
/// time and keeps more memory. Without huge pages, so that a small server stays small.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // Used if `aixgrade-sandbox` of this build is missing. Called before any thread is started, because the
    // helper changes namespaces, which only a single thread may do.
    match helper::main(std::env::args()) {
        Some(code) => ExitCode::from(code),
        None => server::cli::main(),
    }
}
