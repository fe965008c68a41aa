//! Turns the compiler's wasm into the files that a browser loads: splits the client by groups of pages
//! (`wasm_split_cli_support`), writes its glue (`wasm-bindgen`), and joins both into one script.
//!
//! The order is fixed: the splitter needs the linker's relocations, which wasm-bindgen drops. Both tools are
//! used as libraries, so nothing has to be installed; their versions are pinned to those of `app`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use anyhow::{Context, Result, anyhow, bail};
use serde::Serialize;
use walrus::{Module, ModuleConfig};
use wasm_bindgen_cli_support::Bindgen;

use crate::prune;

/// The split client, before its files have names.
pub struct Client {
    /// The module that loads the wasm and calls it, without the link script.
    glue: String,
    /// The entry of the imports that split code needs in a debug build, such as `__canary_1: ~0xdead`.
    canary: String,
    /// The core, which every page needs.
    pub core: Vec<u8>,
    /// The other modules, by name.
    pub pieces: BTreeMap<String, Vec<u8>>,
    /// The groups of pages with their pieces.
    pub groups: BTreeMap<String, BTreeSet<String>>,
}

/// The module from which the core imports the functions that load groups.
const LOADERS: &str = "./loaders.js";

/// Splits a compiled client and writes its glue; `small` omits the names of functions.
pub fn split(wasm: &Path, small: bool) -> Result<Client> {
    let mut linked = fs::read(wasm).with_context(|| format!("cannot read {}", wasm.display()))?;
    if small {
        linked = prune::without_lazy_hydration(&linked)?;
    }
    let folder = tempfile::tempdir()?;
    let core = folder.path().join("core.wasm");
    let mut options = wasm_split_cli_support::Options::new(&linked);
    options.output_dir = folder.path();
    options.main_out_path = &core;
    options.link_name = LOADERS;
    let split =
        wasm_split_cli_support::transform(options).map_err(|e| anyhow!("cannot split {}: {e:#}", wasm.display()))?;
    let mut pieces = BTreeMap::new();
    for path in &split.split_modules {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        pieces.insert(name, tidied(path, small)?);
    }
    let groups = split.prefetch_map.into_iter().map(|(group, pieces)| (group, pieces.into_iter().collect())).collect();
    let canary = canary(&fs::read_to_string(folder.path().join(LOADERS))?)?;

    let mut output = Bindgen::new()
        .input_path(&core)
        .out_name("app")
        .web(true)?
        .typescript(false)
        .demangle(false)
        // The split-off code imports them.
        .keep_lld_exports(true)
        .remove_name_section(small)
        .remove_producers_section(small)
        .generate_output()
        .with_context(|| format!("cannot write the glue of {}", wasm.display()))?;
    // They would be separate files, with names without a hash.
    if output.snippets().values().any(|list| !list.is_empty()) || !output.local_modules().is_empty() {
        bail!(
            "a dependency of the client has its own JavaScript files, which client-builder/src/glue.rs does not support"
        );
    }
    if small {
        without_streams(output.wasm_mut());
    }
    Ok(Client { glue: output.js().to_owned(), canary, core: output.wasm_mut().emit_wasm(), pieces, groups })
}

/// Drops streams of bodies, which a dependency exports for scripts; none of our scripts uses them.
fn without_streams(core: &mut Module) {
    let streams: Vec<_> =
        core.exports.iter().filter(|export| export.name.contains("intounderlying")).map(|export| export.id()).collect();
    for export in streams {
        core.exports.delete(export);
    }
    walrus::passes::gc::run(core);
}

/// A module from the splitter, without the linker's padded numbers and, if it should be small, without
/// names.
fn tidied(path: &Path, small: bool) -> Result<Vec<u8>> {
    let mut config = ModuleConfig::new();
    config.generate_name_section(!small).generate_producers_section(false);
    let mut module = config.parse_file(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(module.emit_wasm())
}

/// Additional imports that the splitter's own link script passes to split code: in a debug build a mark of
/// the compilation, otherwise nothing.
fn canary(link_script: &str) -> Result<String> {
    let (_, after) = link_script.split_once("{ __wasm_split: { ").context("the splitter's link script has changed")?;
    let (canary, _) = after.split_once(" } };").context("the splitter's link script has changed")?;
    Ok(canary.trim().trim_end_matches(',').to_owned())
}

/// A group's files by name: code that is loaded when one of its pages is first opened, and the style sheet
/// of its pages.
#[derive(Serialize)]
pub struct GroupFiles {
    /// Files made by [`Client::packed`].
    pub code: Vec<String>,
    /// A style sheet.
    pub css: String,
}

impl Client {
    /// A file with several pieces: their number, the number and length of each, and the pieces.
    pub fn packed(&self, names: &BTreeSet<&str>) -> Result<Vec<u8>> {
        let mut head = vec![u32::try_from(names.len())?];
        let mut content = Vec::new();
        for (number, (_, piece)) in (0_u32..).zip(&self.pieces).filter(|(_, (name, _))| names.contains(name.as_str())) {
            head.extend([number, u32::try_from(piece.len())?]);
            content.extend_from_slice(piece);
        }
        let mut file: Vec<u8> = head.into_iter().flat_map(u32::to_le_bytes).collect();
        file.extend(content);
        Ok(file)
    }

    /// The file that every page loads: the core's length, the core, and a file of pieces.
    pub fn core_with(&self, names: &BTreeSet<&str>) -> Result<Vec<u8>> {
        let length = u32::try_from(self.core.len())?.to_le_bytes();
        Ok([&length[..], &self.core, &self.packed(names)?].concat())
    }

    /// The client's one script: glue, loaders of groups, and the start.
    pub fn script(&self, core: &str, groups: &BTreeMap<String, GroupFiles>) -> Result<String> {
        // The glue imports the loaders once for each. They are in the same file instead, because two files
        // that import each other cannot both be named by their content.
        let mut glue = String::new();
        let mut aliases = String::new();
        for line in self.glue.lines() {
            match line.strip_prefix("import * as ").and_then(|rest| rest.split_once(" from ")) {
                Some((alias, from)) if from.contains(LOADERS) => aliases += &format!("const {alias} = loaders;\n"),
                Some(_) => bail!("the glue imports another file: {line}"),
                None => glue += &format!("{line}\n"),
            }
        }
        let code: BTreeMap<&str, &[String]> = groups.iter().map(|(name, g)| (name.as_str(), &g.code[..])).collect();
        let css: BTreeMap<&str, &str> = groups.iter().map(|(name, g)| (name.as_str(), g.css.as_str())).collect();
        let (code, css) = (serde_json::to_string(&code)?, serde_json::to_string(&css)?);
        Ok(format!(
            "{glue}\nconst CODE = {code};\nconst CSS = {css};\nconst CORE = '{core}';\nconst CANARY = {{ {} }};\n{LINK_SCRIPT}{aliases}{START}",
            self.canary
        ))
    }
}

/// Loads groups. Loaded ones are remembered; a failure is forgotten, so the next call retries. A piece that
/// is in several files is instantiated once, because a second time would reset its data.
const LINK_SCRIPT: &str = "
const here = (name) => new URL('./' + name, import.meta.url);
const once = (known, work) => (name) =>
    known[name] ??= work(name).catch((error) => { delete known[name]; throw error; });
const placed = {};
const fetched = async (name) => {
    const answer = await fetch(here(name));
    if (!answer.ok) throw new Error(`${answer.status} for ${name}`);
    return answer.arrayBuffer();
};
const place = async (file) => {
    const [count] = new Uint32Array(file, 0, 1);
    const head = new Uint32Array(file, 4, 2 * count);
    const imports = { __wasm_split: { ...CANARY, ...initSync() } };
    const pieces = [];
    for (let n = 0, from = 4 + 8 * count; n < count; n += 1) {
        const [number, length] = head.subarray(2 * n);
        placed[number] ??= WebAssembly.instantiate(new Uint8Array(file, from, length), imports);
        pieces.push(placed[number]);
        from += length;
    }
    await Promise.all(pieces);
};
const code = once({}, async (name) => place(await fetched(name)));
const css = once({}, (name) => new Promise((loaded, failed) => {
    if ([...document.styleSheets].some((sheet) => sheet.href === here(name).href)) return loaded();
    const link = document.createElement('link');
    Object.assign(link, { rel: 'stylesheet', href: here(name), onload: loaded });
    link.onerror = () => { link.remove(); failed(new Error(`no ${name}`)); };
    document.head.append(link);
}));
// Leaving the page aborts prefetches; this is not reported as a failure.
let leaving = false;
for (const event of ['beforeunload', 'pagehide']) addEventListener(event, () => { leaving = true; });
addEventListener('pageshow', () => { leaving = false; });
const loader = (group) => async (callback, data) => {
    let here = true;
    try {
        await Promise.all([css(CSS[group]), ...CODE[group].map(code)]);
    } catch (error) {
        if (!leaving) console.error(error);
        here = false;
    }
    initSync().__indirect_function_table.get(callback)(data, here);
};
const loaders = Object.fromEntries(Object.keys(CODE).map((group) => ['__wasm_split_load_' + group, loader(group)]));
";

/// Starts the client when the server's page has been painted. A background page, which is not painted, does
/// not wait for that.
const START: &str = "
const file = await fetched(CORE);
const [length] = new Uint32Array(file, 0, 1);
await __wbg_init({ module_or_path: new Uint8Array(file, 4, length) });
await place(file.slice(4 + length));
await new Promise((go) => { requestAnimationFrame(() => setTimeout(go)); setTimeout(go, 200); });
hydrate();
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_of_pieces_lists_numbers_and_lengths() {
        let pieces = [("a", "abc"), ("b", "no"), ("c", "d")];
        let client = Client {
            glue: String::new(),
            canary: String::new(),
            core: Vec::new(),
            pieces: pieces.map(|(name, piece)| (name.to_owned(), piece.into())).into(),
            groups: BTreeMap::new(),
        };
        let head = [2_u32, 0, 3, 2, 1].map(u32::to_le_bytes).concat();
        assert_eq!(client.packed(&["c", "a"].into()).unwrap(), [&head[..], b"abcd"].concat());
    }

    #[test]
    fn the_canary_is_read_from_the_link_script() {
        let script = |inside: &str| format!("sharedImports = {{ __wasm_split: {{ {inside} }} }};\n");
        assert_eq!(canary(&script("__canary_1: ~0xdead,")).unwrap(), "__canary_1: ~0xdead");
        assert_eq!(canary(&script("")).unwrap(), "");
        assert!(canary("something else").is_err());
    }
}
