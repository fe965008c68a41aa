//! From the compiler's wasm to what a browser loads: wasm-bindgen as a library, so that there is no
//! tool to install. Its version is pinned to the one that `app` uses; they share a private format.

use std::path::Path;

use anyhow::{Context, Result, bail};
use wasm_bindgen_cli_support::Bindgen;

/// The client as a browser loads it.
pub struct Client {
    /// The module that loads the wasm and speaks to it.
    pub js: String,
    /// The wasm itself.
    pub wasm: Vec<u8>,
}

/// Writes the glue for a compiled client; `small` leaves out the names of functions.
pub fn write(wasm: &Path, small: bool) -> Result<Client> {
    let mut output = Bindgen::new()
        .input_path(wasm)
        .out_name("app")
        .web(true)?
        .typescript(false)
        .remove_name_section(small)
        .remove_producers_section(small)
        .generate_output()
        .with_context(|| format!("cannot write the glue of {}", wasm.display()))?;
    // They would be files of their own, with names that no hash protects.
    if output.snippets().values().any(|list| !list.is_empty()) || !output.local_modules().is_empty() {
        bail!("a dependency of the client brings JavaScript files of its own; teach xtask/src/glue.rs to write them");
    }
    Ok(Client { js: output.js().to_owned(), wasm: output.wasm_mut().emit_wasm() })
}
