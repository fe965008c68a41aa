//! The program `aixgrade`: server and command line in one.

use std::process::ExitCode;

fn main() -> ExitCode {
    server::cli::main()
}
