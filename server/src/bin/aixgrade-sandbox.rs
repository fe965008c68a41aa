//! The sandbox's helper by itself: see the crate `helper`.

use std::process::ExitCode;

fn main() -> ExitCode {
    helper::main(std::env::args()).map_or_else(
        || {
            eprintln!("aixgrade-sandbox is started by aixgrade, for each sandbox. There is nothing to do by hand.");
            ExitCode::from(2)
        },
        ExitCode::from,
    )
}
