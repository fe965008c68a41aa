//! Builds the files for browsers: the client as wasm with its glue, the styles, and a small start module,
//! all under `target/client` with hashed names and a manifest.
//!
//! `server/src/http/assets.rs` reads that folder: from disk in a development build, embedded in a release.
//! It is the workspace's own folder even if cargo's target folder is shared, because each checkout embeds
//! its own client.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Write,
    path::{Path, PathBuf},
    sync::Mutex,
};

use anyhow::{Context, Result, anyhow, bail};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::{
    glue::{self, GroupFiles},
    setup, tools,
};

/// How much the client is optimized.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// Fast to build, megabytes to load.
    Dev,
    /// Minutes to build the first time; as small as possible, compressed.
    Release,
}

impl Profile {
    /// The profile with or without `--release`.
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

/// The groups of pages (app/src/routes.rs) whose pages need only the raters' styles.
const RATERS: [&str; 4] = ["enter", "my_studies", "grading", "side_by_side"];

/// Builds the client and the styles if their inputs have changed.
pub fn build(profile: Profile) -> Result<()> {
    let inputs = inputs(profile)?;
    if stamp().as_deref() == Some(inputs.as_str()) && folder().join("manifest.json").is_file() {
        tools::say("The client is up to date");
        return Ok(());
    }
    let toolchain = setup::wasm_target()?;
    tools::say(match profile {
        Profile::Dev => "Building the client",
        Profile::Release => "Building the client, optimized for size (over a minute the first time)",
    });
    let files = tools::build_artifacts(&mut command(profile, toolchain), "app")?;
    let wasm = files.iter().find(|file| file.extension().is_some_and(|e| e == "wasm"));
    let client = glue::split(wasm.context("cargo built no app.wasm")?, profile == Profile::Release)?;
    tools::say(match profile {
        Profile::Dev => "Writing target/client",
        Profile::Release => "Writing and compressing target/client",
    });
    write(&client, &styles()?, profile)?;
    // Last, so that a stamp exists only in a complete folder.
    fs::write(stamp_file(), inputs)?;
    Ok(())
}

/// The inputs of the client in `target/client`; `None` before the first build.
pub fn stamp() -> Option<String> {
    fs::read_to_string(stamp_file()).ok()
}

/// The cargo command that compiles the client.
fn command(profile: Profile, toolchain: setup::Toolchain) -> std::process::Command {
    let mut cargo = toolchain.cargo();
    cargo.args(["rustc", "--locked", "--package", "app", "--lib", "--crate-type", "cdylib"]);
    cargo.args(["--target", setup::WASM, "--profile", profile.cargo_name(), "--features", "hydrate"]);
    // Flags of a target replace those of .cargo/config.toml, so `erase_components` is repeated here. The
    // splitter reads the linker's relocations. The flags are not given after `--`, because
    // `build_artifacts` still adds an option of cargo's.
    let mut flags = vec!["--cfg=erase_components".to_owned(), "-Clink-args=--emit-relocs".to_owned()];
    if profile == Profile::Release {
        // Panic messages contain the crates' file names, without the folders of this machine, which are
        // also longer.
        flags.push(format!("--remap-path-prefix={}=", crates().display()));
    }
    let flags = serde_json::Value::from(flags);
    cargo.arg("--config").arg(format!("target.{}.rustflags={flags}", setup::WASM));
    // Checkouts that share a target folder would overwrite each other's client, because cargo gives a
    // cdylib a fixed name unless told otherwise.
    cargo.env("__CARGO_DEFAULT_LIB_METADATA", "aixgrade-client");
    cargo
}

/// The folder in which cargo stores the sources of crates.
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

/// A digest of all inputs of the client.
fn inputs(profile: Profile) -> Result<String> {
    let root = tools::root();
    let single = ["Cargo.toml", "Cargo.lock", ".cargo/config.toml", "app/Cargo.toml"];
    let ourselves = ["xtask/src/client.rs", "xtask/src/glue.rs", "xtask/src/prune.rs"];
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

/// The style sheets, each concatenated in the order of the file names (`00-…` first).
struct Styles {
    /// For every page.
    all: String,
    /// Without those of admins' pages, `60-…` to `89-…`.
    raters: String,
}

fn styles() -> Result<Styles> {
    let mut files = Vec::new();
    collect(&tools::root().join("style"), &mut files)?;
    files.retain(|file| file.extension().is_some_and(|e| e == "css"));
    files.sort();
    if files.is_empty() {
        bail!("no style sheet in style/");
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

/// The pieces that share the core's file: see [`packs`].
const WITH_CORE: &str = "core";

/// Groups the pieces into files, by the groups that load them; [`WITH_CORE`] goes into the file that
/// everybody loads.
///
/// The splitter creates a piece for every set of groups that share code, and small files compress badly. So
/// raters' code is in a few files by the groups that need it, a rater loads nothing twice and little that is
/// unused, and every other group has all its code in one file.
fn packs(groups: &BTreeMap<String, BTreeSet<String>>) -> BTreeMap<String, BTreeSet<&str>> {
    let mut packs: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for (group, pieces) in groups {
        for piece in pieces {
            let needs = |group: &&str| groups.get(*group).is_some_and(|pieces| pieces.contains(piece));
            let grades = needs(&"grading") || needs(&"side_by_side");
            let pack = if !RATERS.contains(&group.as_str()) {
                group.clone()
            } else if needs(&"enter") && grades {
                // A twentieth smaller than in a file of its own, and only the list of studies could do
                // without some of it.
                WITH_CORE.to_owned()
            } else if needs(&"my_studies") && grades {
                "my_studies-grading-side_by_side".to_owned()
            } else {
                RATERS.into_iter().filter(needs).collect::<Vec<_>>().join("-")
            };
            packs.entry(pack).or_default().insert(piece);
        }
    }
    packs
}

/// The manifest that tells the server which files a page names: `server/src/http/assets.rs`.
#[derive(Serialize)]
struct Manifest {
    /// The client's script.
    js: String,
    /// The code of every page.
    wasm: String,
    /// The styles of every page.
    css: String,
    /// The groups of pages, by name.
    groups: BTreeMap<String, GroupFiles>,
}

/// Replaces `target/client`.
fn write(client: &glue::Client, styles: &Styles, profile: Profile) -> Result<()> {
    let folder = folder();
    fs::create_dir_all(&folder)?;
    let _ = fs::remove_file(stamp_file());
    let mut assets = Assets { folder: folder.clone(), names: BTreeSet::new() };
    let css = assets.add("app", "css", styles.all.as_bytes())?;
    let raters = assets.add("raters", "css", styles.raters.as_bytes())?;
    let mut packs = packs(&client.groups);
    let common = packs.remove(WITH_CORE).unwrap_or_default();
    let core = assets.add("core", "wasm", &client.core_with(&common)?)?;
    let mut groups: BTreeMap<String, GroupFiles> = BTreeMap::new();
    for group in client.groups.keys() {
        let css = if RATERS.contains(&group.as_str()) { &raters } else { &css };
        groups.insert(group.clone(), GroupFiles { code: Vec::new(), css: css.clone() });
    }
    for (stem, pieces) in packs {
        let file = assets.add(&stem, "wasm", &client.packed(&pieces)?)?;
        for group in stem.split('-') {
            groups.entry(group.to_owned()).and_modify(|group| group.code.push(file.clone()));
        }
    }
    let js = assets.add("client", "js", client.script(&core, &groups)?.as_bytes())?;
    if profile == Profile::Release {
        assets.compress()?;
    }
    let manifest = Manifest { js, wasm: core, css, groups };
    // Renamed in one step, because a development server may be reading it.
    let fresh = folder.join("manifest.json.new");
    fs::write(&fresh, serde_json::to_vec_pretty(&manifest)?)?;
    fs::rename(&fresh, folder.join("manifest.json"))?;
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let current = match name.strip_suffix(".br").or(name.strip_suffix(".gz")) {
            Some(plain) => profile == Profile::Release && assets.names.contains(plain),
            None => name == "manifest.json" || assets.names.contains(&name),
        };
        if !current {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

struct Assets {
    folder: PathBuf,
    names: BTreeSet<String>,
}

impl Assets {
    /// Writes a file under a name derived from its content.
    fn add(&mut self, stem: &str, extension: &str, content: &[u8]) -> Result<String> {
        let hash = hex::encode(Sha256::digest(content));
        let name = format!("{stem}-{}.{extension}", &hash[..16]);
        fs::write(self.folder.join(&name), content)?;
        self.names.insert(name.clone());
        Ok(name)
    }

    /// Writes the compressed forms of all files, on all cores. Forms from an earlier build remain valid,
    /// because the name contains the content's hash.
    fn compress(&self) -> Result<()> {
        let work = Mutex::new(self.names.iter().collect::<Vec<_>>());
        let one = || -> Result<()> {
            loop {
                let next = work.lock().map_err(|_| anyhow!("a thread that compresses ended early"))?.pop();
                let Some(name) = next else { return Ok(()) };
                let content = fs::read(self.folder.join(name))?;
                let mut line = format!("    {name}: {}", kilobytes(content.len()));
                for (suffix, compress) in [("br", brotli as fn(&[u8]) -> Result<Vec<u8>>), ("gz", gzip)] {
                    let path = self.folder.join(format!("{name}.{suffix}"));
                    if !path.is_file() {
                        let fresh = self.folder.join(format!("{name}.new"));
                        fs::write(&fresh, compress(&content)?)?;
                        fs::rename(&fresh, &path)?;
                    }
                    line += &format!(", {suffix} {}", kilobytes(usize::try_from(fs::metadata(&path)?.len())?));
                }
                println!("{line}");
            }
        };
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            let running: Vec<_> = (0..threads).map(|_| scope.spawn(one)).collect();
            running
                .into_iter()
                .try_for_each(|thread| thread.join().map_err(|_| anyhow!("a thread that compresses ended early"))?)
        })
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
    fn raters_groups_share_files_and_others_have_one_each() {
        let set = |pieces: &[&str]| pieces.iter().map(|piece| (*piece).to_owned()).collect::<BTreeSet<_>>();
        let groups = BTreeMap::from([
            ("admin".to_owned(), set(&["all", "studies_too", "own"])),
            ("side_by_side".to_owned(), set(&["all", "graders", "raters"])),
            ("my_studies".to_owned(), set(&["all", "studies_too", "raters"])),
            ("enter".to_owned(), set(&["all"])),
            ("grading".to_owned(), set(&["all", "graders"])),
        ]);
        let expected = [
            ("admin", BTreeSet::from(["all", "studies_too", "own"])),
            ("core", BTreeSet::from(["all"])),
            ("my_studies", BTreeSet::from(["studies_too"])),
            ("my_studies-grading-side_by_side", BTreeSet::from(["raters"])),
            ("grading-side_by_side", BTreeSet::from(["graders"])),
        ];
        assert_eq!(packs(&groups), expected.map(|(name, pieces)| (name.to_owned(), pieces)).into());
    }

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
