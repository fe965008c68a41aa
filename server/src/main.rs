//! The program `aixgrade`: server, command line, and the sandbox's helper, in one.

use std::process::ExitCode;

fn main() -> ExitCode {
    // Before anything starts a thread: the helper changes name spaces, which is for one thread only.
    match server::sandbox::helper::main(std::env::args()) {
        Some(code) => ExitCode::from(code),
        None => server::cli::main(),
    }
}
