//! The binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(code) = server::sandbox::helper::main(std::env::args()) {
        return ExitCode::from(code);
    }
    ExitCode::SUCCESS
}
