//! Turns the compiled client into the files that browsers load: splits it by groups of pages, writes its glue, packs
//! and compresses, joins the style sheets, and gives every file a hashed name, listed in a manifest.
//!
//! A program of its own, because what it is made of takes minutes to compile: xtask builds it beside the client itself.
//! `server/web/src/assets.rs` reads the folder that it writes.

mod glue;
mod prune;

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Mutex,
};

use anyhow::{Context, Result, anyhow, bail};
use serde::Serialize;
use sha2::{Digest, Sha256};

use glue::GroupFiles;

const USAGE: &str = "usage: client-builder [--small] WASM STYLES FOLDER
    WASM     the compiled client, linked with relocations
    STYLES   the folder with the style sheets
    FOLDER   where the files are written; others in it are removed
    --small  without names of functions and code that never runs, and compressed";

/// What to build from what.
#[derive(Debug, PartialEq, Eq)]
struct Order {
    small: bool,
    wasm: PathBuf,
    styles: PathBuf,
    folder: PathBuf,
}

impl Order {
    fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Order> {
        let mut arguments: Vec<OsString> = arguments.collect();
        let small = arguments.first().is_some_and(|first| first == "--small");
        if small {
            arguments.remove(0);
        }
        let Ok([wasm, styles, folder]) = <[OsString; 3]>::try_from(arguments) else { bail!(USAGE) };
        Ok(Order { small, wasm: wasm.into(), styles: styles.into(), folder: folder.into() })
    }
}

fn main() -> ExitCode {
    match Order::parse(std::env::args_os().skip(1)).and_then(|order| run(&order)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("error: {e:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(order: &Order) -> Result<()> {
    let client = glue::split(&order.wasm, order.small)?;
    write(&order.folder, &client, &styles(&order.styles)?, order.small)
}

/// The groups of pages (app/src/routes.rs) whose pages need only the raters' styles.
const RATERS: [&str; 4] = ["enter", "my_studies", "grading", "side_by_side"];

/// The style sheets, each concatenated in the order of the file names (`00-…` first).
struct Styles {
    /// For every page.
    all: String,
    /// Without those of admins' pages, `60-…` to `89-…`.
    raters: String,
}

fn styles(folder: &Path) -> Result<Styles> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        files.push(entry?.path());
    }
    files.retain(|file| file.extension().is_some_and(|e| e == "css"));
    files.sort();
    if files.is_empty() {
        bail!("no style sheet in {}", folder.display());
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

/// The groups of pages that only admins see.
const ADMINS: [&str; 7] = ["admin", "data", "people", "rubrics", "runs", "studies", "upkeep"];
/// The groups of pages with charts, some of which everybody with a public link sees, too.
const CHARTS: [&str; 2] = ["comparison", "results"];

/// The pieces that share the core's file: see [`packs`].
const WITH_CORE: &str = "core";
/// The file of the pieces that several of [`ADMINS`] need.
const ADMINS_SHARE: &str = "admins";
/// The file of the pieces that several of [`ADMINS`] and [`CHARTS`] need, one of the latter among them.
const CHARTS_SHARE: &str = "admins_and_charts";

/// The number of bytes from which a piece that two groups need has a file for these two.
const LARGE: usize = 10_000;

/// Assigns the pieces to files, by the groups that load them; [`WITH_CORE`] goes into the file that everybody loads.
/// `size` is a piece's number of bytes.
///
/// The splitter creates a piece for every set of groups that share code, and small files compress badly. So
/// raters' code is in a few files by the groups that need it, and a rater loads nothing twice and little that is
/// unused. What three or more groups of admins need is in two files, of which the pages with charts need only one; an
/// admin loads them once. What only two of them need has a file for these two if it is large. Each group has the rest in
/// a file of its own.
fn packs(
    groups: &BTreeMap<String, BTreeSet<String>>,
    size: impl Fn(&str) -> usize,
) -> BTreeMap<String, BTreeSet<&str>> {
    let mut packs: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for (group, pieces) in groups {
        for piece in pieces {
            let needs = |group: &&str| groups.get(*group).is_some_and(|pieces| pieces.contains(piece));
            let grades = needs(&"grading") || needs(&"side_by_side");
            let of_admins: Vec<&str> = ADMINS.into_iter().chain(CHARTS).filter(needs).collect();
            let pack = if needs(&"enter") && grades {
                // A twentieth smaller than in a file of its own, and only the list of studies could do
                // without some of it.
                WITH_CORE.to_owned()
            } else if of_admins.contains(&group.as_str()) {
                match of_admins.len() {
                    1 => group.clone(),
                    2 if size(piece) >= LARGE => of_admins.join("-"),
                    _ if CHARTS.iter().any(needs) => CHARTS_SHARE.to_owned(),
                    _ => ADMINS_SHARE.to_owned(),
                }
            } else if !RATERS.contains(&group.as_str()) {
                group.clone()
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

/// The manifest that tells the server which files a page names: `server/web/src/assets.rs`.
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

/// Replaces the folder's files.
fn write(folder: &Path, client: &glue::Client, styles: &Styles, small: bool) -> Result<()> {
    fs::create_dir_all(folder)?;
    let mut assets = Assets { folder: folder.to_owned(), names: BTreeSet::new() };
    let css = assets.add("app", "css", styles.all.as_bytes())?;
    let raters = assets.add("raters", "css", styles.raters.as_bytes())?;
    let mut packs = packs(&client.groups, |piece| client.pieces.get(piece).map_or(0, Vec::len));
    let common = packs.remove(WITH_CORE).unwrap_or_default();
    let core = assets.add("core", "wasm", &client.core_with(&common)?)?;
    let mut groups: BTreeMap<String, GroupFiles> = BTreeMap::new();
    for group in client.groups.keys() {
        let css = if RATERS.contains(&group.as_str()) { &raters } else { &css };
        groups.insert(group.clone(), GroupFiles { code: Vec::new(), css: css.clone() });
    }
    for (stem, pieces) in packs {
        let file = assets.add(&stem, "wasm", &client.packed(&pieces)?)?;
        let loading = match stem.as_str() {
            ADMINS_SHARE => ADMINS.to_vec(),
            CHARTS_SHARE => ADMINS.into_iter().chain(CHARTS).collect(),
            stem => stem.split('-').collect(),
        };
        for group in loading {
            groups.entry(group.to_owned()).and_modify(|group| group.code.push(file.clone()));
        }
    }
    let js = assets.add("client", "js", client.script(&core, &groups)?.as_bytes())?;
    if small {
        assets.compress()?;
    }
    let manifest = Manifest { js, wasm: core, css, groups };
    // Renamed in one step, because a development server may be reading it.
    let fresh = folder.join("manifest.json.new");
    fs::write(&fresh, serde_json::to_vec_pretty(&manifest)?)?;
    fs::rename(&fresh, folder.join("manifest.json"))?;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let current = match name.strip_suffix(".br").or(name.strip_suffix(".gz")) {
            Some(plain) => small && assets.names.contains(plain),
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
                eprintln!("{line}");
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
    fn the_order_is_read_from_the_arguments() {
        let order = |arguments: &[&str]| Order::parse(arguments.iter().map(OsString::from));
        let read = order(&["--small", "a.wasm", "style", "out"]).unwrap();
        let expected = ["a.wasm", "style", "out"].map(PathBuf::from);
        assert!(read.small);
        assert_eq!([read.wasm, read.styles, read.folder], expected);
        assert!(!order(&["a.wasm", "style", "out"]).unwrap().small);
        assert!(order(&["a.wasm", "--small", "style", "out"]).unwrap_err().to_string().starts_with("usage: "));
        assert!(order(&[]).is_err());
    }

    #[test]
    fn nothing_is_in_two_files_of_a_group_and_the_core_is_in_no_other() {
        let set = |pieces: &[&str]| pieces.iter().map(|piece| (*piece).to_owned()).collect::<BTreeSet<_>>();
        let groups = BTreeMap::from([
            ("adjudication".to_owned(), set(&["all", "studies_too", "adjudicators"])),
            ("admin".to_owned(), set(&["all", "admins", "charts_too", "own"])),
            ("data".to_owned(), set(&["all", "admins", "charts_too", "small_for_two", "large_for_two"])),
            ("people".to_owned(), set(&["all", "admins"])),
            ("results".to_owned(), set(&["all", "charts_too", "charts", "small_for_two", "large_for_two"])),
            ("side_by_side".to_owned(), set(&["all", "graders", "raters"])),
            ("my_studies".to_owned(), set(&["all", "studies_too", "raters"])),
            ("enter".to_owned(), set(&["all"])),
            ("grading".to_owned(), set(&["all", "graders"])),
        ]);
        let expected = [
            ("adjudication", BTreeSet::from(["studies_too", "adjudicators"])),
            ("admin", BTreeSet::from(["own"])),
            ("admins", BTreeSet::from(["admins"])),
            ("admins_and_charts", BTreeSet::from(["charts_too", "small_for_two"])),
            ("data-results", BTreeSet::from(["large_for_two"])),
            ("results", BTreeSet::from(["charts"])),
            ("core", BTreeSet::from(["all"])),
            ("my_studies", BTreeSet::from(["studies_too"])),
            ("my_studies-grading-side_by_side", BTreeSet::from(["raters"])),
            ("grading-side_by_side", BTreeSet::from(["graders"])),
        ];
        let size = |piece: &str| if piece.starts_with("large") { LARGE } else { LARGE - 1 };
        assert_eq!(packs(&groups, size), expected.map(|(name, pieces)| (name.to_owned(), pieces)).into());
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
