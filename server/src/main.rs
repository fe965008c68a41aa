//! The program `aixgrade`: server, command line, and the sandbox's helper, in one.

use std::process::ExitCode;

/// Requests come and go on many threads, each with thousands of small texts: the system's allocator takes a
/// tenth of their time and keeps more memory. Without huge pages: a server that is small stays small.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // Where no `aixgrade-sandbox` of this build lies beside. Before anything starts a thread: the helper changes
    // name spaces, which is for one thread only.
    match helper::main(std::env::args()) {
        Some(code) => ExitCode::from(code),
        None => server::cli::main(),
    }
}
