//! From the compiler's wasm to what a browser loads: wasm-bindgen as a library, so that there is no
//! tool to install. Its version is pinned to the one that `app` uses; they share a private format.

use std::path::Path;

use anyhow::{Context, Result, bail};
use walrus::{FunctionBuilder, FunctionId, FunctionKind, Module, ir};
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
    if small {
        leave_out(output.wasm_mut())?;
    }
    Ok(Client { js: output.js().to_owned(), wasm: output.wasm_mut().emit_wasm() })
}

/// Empties what can never run, and drops what only that needed: about a twentieth of what a browser loads.
///
/// Leptos keeps with every erased view a way to hydrate while the client itself is still loading. Only its
/// `hydrate_lazy` begins that, and ours is `hydrate_body`; the linker cannot know, because the ways stand in
/// tables. Emptied are the bodies of those `async` functions alone, known by their call of what panics when
/// one is resumed after its end. That call names a place in the source, so the compiler has merged none of
/// them with a function that runs; other functions of such a name it does merge.
fn leave_out(module: &mut Module) -> Result<()> {
    let named = |id: FunctionId, part: &str| module.funcs.get(id).name.as_deref().is_some_and(|n| n.contains(part));
    let found: Vec<_> = module
        .funcs
        .iter_local()
        .filter(|(id, _)| named(*id, "hydrate_async"))
        .filter(|(_, function)| {
            let mut calls = Calls(Vec::new());
            ir::dfs_in_order(&mut calls, function, function.entry_block());
            calls.0.into_iter().any(|callee| named(callee, "async_fn_resumed"))
        })
        .map(|(id, _)| id)
        .collect();
    if found.is_empty() {
        bail!(
            "no function of the client hydrates by `hydrate_async`: Leptos has changed; look at xtask/src/glue.rs again"
        );
    }
    for id in found {
        let kind = module.types.get(module.funcs.get(id).ty());
        let (params, results) = (kind.params().to_vec(), kind.results().to_vec());
        let mut empty = FunctionBuilder::new(&mut module.types, &params, &results);
        empty.func_body().unreachable();
        let args = params.iter().map(|kind| module.locals.add(*kind)).collect();
        module.funcs.get_mut(id).kind = FunctionKind::Local(empty.local_func(args));
    }
    // Streams of bodies, which a dependency offers to scripts and no script of ours asks for.
    let streams: Vec<_> = module
        .exports
        .iter()
        .filter(|export| export.name.contains("intounderlying"))
        .map(|export| export.id())
        .collect();
    for export in streams {
        module.exports.delete(export);
    }
    walrus::passes::gc::run(module);
    Ok(())
}

/// The functions that a function calls.
struct Calls(Vec<FunctionId>);

impl ir::Visitor<'_> for Calls {
    fn visit_function_id(&mut self, callee: &FunctionId) {
        self.0.push(*callee);
    }
}
