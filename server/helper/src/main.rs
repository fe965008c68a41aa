//! The sandbox helper as a program; see the crate's library.

use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(code) = helper::main(std::env::args()) {
        return ExitCode::from(code);
    }
    if std::env::args().nth(1).as_deref() == Some("--version") {
        println!("{}", helper::VERSION);
        return ExitCode::SUCCESS;
    }
    eprintln!("aixgrade starts aixgrade-sandbox for each sandbox. Do not start it yourself.");
    ExitCode::from(2)
}
