//! The program `aixgrade`: server, command line, the sandbox's helper and trials of parsers in one.

use std::process::ExitCode;

/// Requests allocate thousands of small texts on many threads: the system's allocator takes a tenth of their
/// time and keeps more memory. Without huge pages, so that a small server stays small.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The client, as `cargo xtask build --release` leaves it. A checkout without it has no such folder; the program must
/// still compile.
#[cfg(not(debug_assertions))]
#[derive(rust_embed::RustEmbed)]
#[folder = "../target/client"]
#[include = "manifest.json"]
#[include = "*.br"]
#[include = "*.gz"]
#[allow_missing = true]
struct Client;

/// Hash of the embedded client. Mentioning the variable makes cargo embed the folder again when xtask
/// changes it; the macro alone does not notice new files.
#[cfg(not(debug_assertions))]
const _EMBEDDED: Option<&str> = option_env!("AIXGRADE_CLIENT");

fn main() -> ExitCode {
    // Used if `aixgrade-sandbox` of this build is missing. Called before any thread is started, because the
    // helper changes namespaces, which only a single thread may do.
    match helper::main(std::env::args()).map(ExitCode::from).or_else(|| parsers::contain(std::env::args())) {
        Some(code) => code,
        None => {
            #[cfg(not(debug_assertions))]
            web::assets::embed(|name| Client::get(name).map(|file| file.data));
            server::cli::main()
        }
    }
}
