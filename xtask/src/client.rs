//! Builds what browsers load: the client as wasm with its glue, the styles, and a small module that
//! starts the one on the page, all under `target/client` with hashed names and a manifest.
//!
//! `server/src/http/assets.rs` reads that folder: from the disk in a development build, embedded in
//! a release. The folder is the workspace's own even where cargo's target folder is shared, because
//! each checkout embeds its own client.

use std::{
    collections::BTreeMap,
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

use crate::{glue, setup, tools};

/// How much work goes into a small client.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// Quick to build, megabytes to load.
    Dev,
    /// Minutes to build the first time, as small as it gets, compressed.
    Release,
}

impl Profile {
    /// The one for `--release` or its absence.
    pub fn of(release: bool) -> Self {
        if release { Profile::Release } else { Profile::Dev }
    }

    fn cargo_name(self) -> &'static str {
        match self {
            Profile::Dev => "wasm-dev",
            Profile::Release => "wasm-release",
        }
    }
}

/// The parts of the client, by the features of `app` that make them: app/src/part.rs.
pub const PARTS: [&str; 11] =
    ["desk", "grading", "beside", "data", "setup", "results", "outputs", "quality", "runs", "compare", "outside"];

/// The parts that raters see. They load the styles of raters' pages and no others.
const RATERS: [&str; 3] = ["desk", "grading", "beside"];

/// Builds the client and the styles, where what they are made from has changed.
pub fn build(profile: Profile) -> Result<()> {
    let inputs = inputs(profile)?;
    if stamp().as_deref() == Some(inputs.as_str()) && folder().join("manifest.json").is_file() {
        tools::say("The client is up to date");
        return Ok(());
    }
    let toolchain = setup::wasm_target()?;
    tools::say(match profile {
        Profile::Dev => "Building the client",
        Profile::Release => "Building the client, optimised for size (over a minute the first time)",
    });
    // One client that has every page is the quickest to build, and too heavy for anything else.
    let units = match profile {
        Profile::Dev => vec![PARTS.to_vec()],
        Profile::Release => PARTS.map(|part| vec![part]).to_vec(),
    };
    let clients = compile(profile, toolchain, units)?;
    tools::say(match profile {
        Profile::Dev => "Writing target/client",
        Profile::Release => "Writing and compressing target/client",
    });
    write(&clients, &styles()?, profile)?;
    // Last: a stamp stands only beside a complete folder.
    fs::write(stamp_file(), inputs)?;
    Ok(())
}

/// How many parts are compiled at the same time. Link-time optimisation of one part keeps one core
/// busy; more lanes than this would each compile the dependencies again and hold a gigabyte and more.
const LANES: usize = 2;

/// Compiles every unit (some parts of the client in one), in lanes, and writes its glue. The order is
/// that of the units, whichever lane was done first.
fn compile(
    profile: Profile,
    toolchain: setup::Toolchain,
    units: Vec<Vec<&str>>,
) -> Result<Vec<(Vec<&str>, glue::Client)>> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let lanes = LANES.min(cores).min(units.len());
    let lane = &|lane: usize| -> Result<Vec<(usize, glue::Client)>> {
        let mut done = Vec::new();
        for (place, parts) in units.iter().enumerate().skip(lane).step_by(lanes) {
            println!("    {}", parts.join(", "));
            let mut cargo = command(profile, toolchain, parts);
            // Cargo locks its target folder, so every lane but the first has one of its own.
            if lane > 0 {
                cargo.arg("--target-dir").arg(tools::root().join(format!("target/client-lane-{lane}")));
            }
            let files = tools::build_artifacts(&mut cargo, "app")?;
            let wasm = files.iter().find(|file| file.extension().is_some_and(|e| e == "wasm"));
            // Read before the lane's next one is built: all leave their file in the same place.
            let client = glue::write(wasm.context("cargo built no app.wasm")?, profile == Profile::Release)?;
            done.push((place, client));
        }
        Ok(done)
    };
    let mut done = std::thread::scope(|scope| -> Result<Vec<(usize, glue::Client)>> {
        let running: Vec<_> = (0..lanes).map(|number| scope.spawn(move || lane(number))).collect();
        let mut all = Vec::new();
        for thread in running {
            all.extend(thread.join().map_err(|_| anyhow::anyhow!("a thread that builds the client ended early"))??);
        }
        Ok(all)
    })?;
    done.sort_by_key(|(place, _)| *place);
    Ok(done.into_iter().map(|(place, client)| (units[place].clone(), client)).collect())
}

/// What the client in `target/client` was made from; absent before the first build.
pub fn stamp() -> Option<String> {
    fs::read_to_string(stamp_file()).ok()
}

/// The cargo command that compiles the client.
fn command(profile: Profile, toolchain: setup::Toolchain, parts: &[&str]) -> std::process::Command {
    let mut cargo = toolchain.cargo();
    cargo.args(["rustc", "--locked", "--package", "app", "--lib", "--crate-type", "cdylib"]);
    cargo.args(["--target", setup::WASM, "--profile", profile.cargo_name()]);
    cargo.arg("--features").arg(format!("hydrate,{}", parts.join(",")));
    if profile == Profile::Release {
        // Messages name the crates' files: not by the folders of whoever built this, which are longer, too.
        // Flags of a target replace those of .cargo/config.toml, so what stands there is said again.
        let flags = ["--cfg=erase_components".to_owned(), format!("--remap-path-prefix={}=", crates().display())];
        let flags = serde_json::Value::from(flags.to_vec());
        cargo.arg("--config").arg(format!("target.{}.rustflags={flags}", setup::WASM));
    }
    // Checkouts that share a target folder would overwrite each other's client: cargo gives a cdylib
    // no name of its own unless asked.
    cargo.env("__CARGO_DEFAULT_LIB_METADATA", "aixgrade-client");
    cargo
}

/// Where cargo keeps the sources of crates.
fn crates() -> PathBuf {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    home.unwrap_or_default().join("registry/src")
}

fn folder() -> PathBuf {
    tools::root().join("target/client")
}

fn stamp_file() -> PathBuf {
    tools::root().join("target/client.stamp")
}

/// A digest of everything that the client is made from.
fn inputs(profile: Profile) -> Result<String> {
    let root = tools::root();
    let single = ["Cargo.toml", "Cargo.lock", ".cargo/config.toml", "app/Cargo.toml"];
    let ourselves = ["xtask/src/client.rs", "xtask/src/glue.rs"];
    let mut files: Vec<_> = single.into_iter().chain(ourselves).map(|file| root.join(file)).collect();
    for folder in ["app/src", "style"] {
        collect(&root.join(folder), &mut files)?;
    }
    files.sort();
    let mut digest = Sha256::new();
    digest.update(profile.cargo_name());
    digest.update(tools::run_quietly(tools::command("rustc").arg("--version"))?);
    for file in files {
        let content = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
        digest.update(file.strip_prefix(&root).unwrap_or(&file).to_string_lossy().as_bytes());
        digest.update(content.len().to_le_bytes());
        digest.update(content);
    }
    Ok(hex::encode(digest.finalize()))
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// The style sheets, each set one after the other in the order of their names (`00-…` first).
struct Styles {
    /// For every page.
    all: String,
    /// Without those of admins' pages, which are `60-…` to `89-…`.
    raters: String,
}

fn styles() -> Result<Styles> {
    let mut files = Vec::new();
    collect(&tools::root().join("style"), &mut files)?;
    files.retain(|file| file.extension().is_some_and(|e| e == "css"));
    files.sort();
    if files.is_empty() {
        bail!("there is no style sheet in style/");
    }
    let mut styles = Styles { all: String::new(), raters: String::new() };
    for file in files {
        let sheet = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))? + "\n";
        styles.all += &sheet;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        if !("60".."90").contains(&name.get(..2).unwrap_or_default()) {
            styles.raters += &sheet;
        }
    }
    Ok(styles)
}

/// Replaces `target/client`.
fn write(clients: &[(Vec<&str>, glue::Client)], styles: &Styles, profile: Profile) -> Result<()> {
    let folder = folder();
    let mut assets = Assets { folder: folder.clone(), profile, manifest: BTreeMap::new() };
    let old: Vec<_> = fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    let _ = fs::remove_file(stamp_file());
    fs::create_dir_all(&folder)?;
    let all = assets.add("app", "css", styles.all.as_bytes())?;
    let raters = assets.add("raters", "css", styles.raters.as_bytes())?;
    for (parts, client) in clients {
        // A client with admins' pages, too, leads to them without loading anything.
        let css = if parts.iter().all(|part| RATERS.contains(part)) { &raters } else { &all };
        let stem = if let [part] = parts[..] { part } else { "client" };
        let wasm = assets.add(stem, "wasm", &client.wasm)?;
        let js = assets.add(stem, "js", client.js.as_bytes())?;
        // Pages may hold no script of their own (Content-Security-Policy), so this is a file too.
        let boot = format!(
            "import init, {{ hydrate }} from './{js}';\n\
             await init({{ module_or_path: new URL('./{wasm}', import.meta.url) }});\n\
             // What the server drew is on the screen before the client takes hold of it; a page in the\n\
             // background, which draws nothing, does not wait for that.\n\
             await new Promise((go) => {{ requestAnimationFrame(() => setTimeout(go)); setTimeout(go, 200); }});\n\
             hydrate();\n\
             // Journeys in a browser wait for this; nothing else reads it.\n\
             document.documentElement.setAttribute('data-hydrated', '');\n"
        );
        let boot = assets.add(&format!("{stem}-boot"), "js", boot.as_bytes())?;
        // Pages ask by the part's name.
        for part in parts {
            for (name, file) in [(".css", css), (".wasm", &wasm), (".js", &js), ("-boot.js", &boot)] {
                assets.manifest.insert(format!("{part}{name}"), file.clone());
            }
        }
    }
    let manifest = folder.join("manifest.json");
    // Put in place in one step: a development server may be reading it.
    let fresh = folder.join("manifest.json.new");
    fs::write(&fresh, serde_json::to_vec_pretty(&assets.manifest)?)?;
    fs::rename(&fresh, &manifest)?;
    for file in old {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let hashed = name.trim_end_matches(".br").trim_end_matches(".gz");
        let current = assets.manifest.values().any(|current| current == hashed) || name == "manifest.json";
        if !current {
            fs::remove_file(&file)?;
        }
    }
    Ok(())
}

struct Assets {
    folder: PathBuf,
    profile: Profile,
    manifest: BTreeMap<String, String>,
}

impl Assets {
    /// Writes a file under a name that its content decides, and its compressed forms in a release.
    fn add(&mut self, stem: &str, extension: &str, content: &[u8]) -> Result<String> {
        let hash = hex::encode(Sha256::digest(content));
        let name = format!("{stem}-{}.{extension}", &hash[..16]);
        let path = self.folder.join(&name);
        fs::write(&path, content)?;
        let mut line = format!("    {name}: {}", kilobytes(content.len()));
        for (suffix, compress) in [("br", brotli as fn(&[u8]) -> Result<Vec<u8>>), ("gz", gzip)] {
            let compressed = self.folder.join(format!("{name}.{suffix}"));
            if self.profile == Profile::Release {
                let packed = compress(content)?;
                line += &format!(", {suffix} {}", kilobytes(packed.len()));
                fs::write(compressed, packed)?;
            } else if compressed.exists() {
                fs::remove_file(compressed)?;
            }
        }
        println!("{line}");
        self.manifest.insert(format!("{stem}.{extension}"), name.clone());
        Ok(name)
    }
}

fn kilobytes(bytes: usize) -> String {
    format!("{} KB", bytes.div_ceil(1024))
}

fn brotli(content: &[u8]) -> Result<Vec<u8>> {
    let parameters = brotli::enc::BrotliEncoderParams { quality: 11, lgwin: 22, ..Default::default() };
    let mut packed = Vec::new();
    brotli::BrotliCompress(&mut &*content, &mut packed, &parameters)?;
    Ok(packed)
}

fn gzip(content: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(content)?;
    Ok(encoder.finish()?)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn compressed_forms_hold_the_same() {
        let check = |content: &[u8]| {
            let mut plain = Vec::new();
            brotli::BrotliDecompress(&mut &*brotli(content).unwrap(), &mut plain).unwrap();
            assert_eq!(plain, content);
            plain.clear();
            flate2::read::GzDecoder::new(&*gzip(content).unwrap()).read_to_end(&mut plain).unwrap();
            assert_eq!(plain, content);
        };
        check(b"");
        check(b"body { margin: 0 }\n");
        check(&"描述 ".repeat(10_000).into_bytes());
    }
}
