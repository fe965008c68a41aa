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
    eprintln!("aixgrade-sandbox is started by aixgrade, for each sandbox. There is nothing to do by hand.");
    ExitCode::from(2)
}
