//! The bundle: one zip with the input of a comparison, its figures, and their documentation. `aixgrade
//! report` reads it on another machine, recomputes the figures and compares them.
//!
//! Must stay true: [`read`] returns what [`write`] was given, to the last bit; a file that is damaged,
//! missing or of a newer format is rejected with a message that names it.

use std::{
    collections::BTreeMap,
    io::{Read, Seek, Write},
};

use chart::comparison;
use model::{comparison::ComparisonFigures, ids::UserId, lang::Lang};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};
use texts::{I18n, captions};
use zip::{ZipArchive, ZipWriter, write::SimpleFileOptions};

use super::{
    figures::{self, print::Width},
    table::Out,
    tables,
};
use ::comparison::input::{ComparisonInput, InputRating, InputVerdict};
use base::error::Failure;

/// The manifest's `format`.
const FORMAT: &str = "aixgrade-bundle";
/// The layout that this program writes, and the newest that it reads.
pub const VERSION: u32 = 1;
/// Maximum size of a file that is read: a million ratings are about 80 MB.
const LARGEST: u64 = 2 << 30;

/// `manifest.json`: the content of the bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Always `aixgrade-bundle`.
    pub format: String,
    /// Version of the layout.
    pub version: u32,
    /// The program that wrote it.
    pub program: String,
    /// Time of writing, RFC 3339.
    pub made_at: String,
    /// SHA-256 of every other file.
    pub files: BTreeMap<String, String>,
}

/// A rating that counts. Positions are those of `setup.json`'s lists.
#[derive(Serialize, Deserialize)]
struct PackedRating {
    #[serde(flatten)]
    counted: InputRating,
    scores: Vec<u8>,
}

/// An output's verdict. `run` is a position in `setup.json`'s list.
#[derive(Serialize, Deserialize)]
struct PackedVerdict {
    run: u32,
    #[serde(flatten)]
    checked: InputVerdict,
}

/// An additional file: its name, and a function that writes it.
pub type Extra<'a> = (&'static str, Box<dyn FnOnce(Out<'_>) -> Result<(), Failure> + 'a>);

/// The input without the accounts' numbers, which a bundle must not contain; the names are pseudonyms already.
pub fn without_accounts(mut input: ComparisonInput) -> ComparisonInput {
    for ((id, _), number) in input.raters.iter_mut().zip(1..) {
        *id = UserId(number);
    }
    input.selection.raters = input.selection.raters.map(|_| input.raters.iter().map(|(id, _)| *id).collect());
    input
}

/// Writes a bundle of an input without names and accounts, its figures and `extras`.
pub fn write<W: Write + Seek + Send>(
    out: W,
    input: &ComparisonInput,
    figures: &ComparisonFigures,
    extras: Vec<Extra<'_>>,
    made_at: &str,
) -> Result<(), Failure> {
    let mut zip = Packer { zip: ZipWriter::new(out), files: BTreeMap::new() };
    zip.add("README.md", README.as_bytes())?;
    zip.add("statistics.md", include_bytes!("../../../docs/statistics.md"))?;
    zip.add("setup.json", &serde_json::to_vec_pretty(input)?)?;
    let ratings = input.scored().map(|(counted, scores)| PackedRating { counted: *counted, scores: scores.to_vec() });
    zip.entry("ratings.jsonl", |out| lines(out, ratings))?;
    let verdicts = input
        .runs
        .iter()
        .zip(0..)
        .flat_map(|(run, at)| run.verdicts.iter().map(move |checked| PackedVerdict { run: at, checked: *checked }));
    zip.entry("verdicts.jsonl", |out| lines(out, verdicts))?;
    if let Some(rubric) = &input.rubric {
        zip.add("rubric.json", &serde_json::to_vec_pretty(rubric)?)?;
    }
    zip.add("figures.json", &serde_json::to_vec_pretty(figures)?)?;
    for (lang, suffix) in [(Lang::En, ""), (Lang::Zh, ".zh")] {
        let print = tables::Print { lang, dataset: input.name.get(lang).to_owned(), ..tables::Print::default() };
        zip.add(&format!("tables{suffix}.md"), tables::markdown(figures, &print).as_bytes())?;
        zip.add(&format!("tables{suffix}.tex"), tables::latex(figures, &print).as_bytes())?;
    }
    let raters: Vec<String> = input.raters.iter().map(|(_, name)| name.clone()).collect();
    let options = figures::RenderOptions { width: Width::Page, theme: figures::Theme::Light, lang: Lang::En };
    for figure in comparison::all(I18n::of(Lang::En), figures, &raters) {
        let caption = captions::caption(I18n::of(Lang::En), &figure.id, &input.name.en, figures);
        let text = figures::svg(&figure, &caption.unwrap_or_else(|| figure.desc.clone()), options);
        zip.add(&format!("figures/{}.svg", figure.id), text.as_bytes())?;
    }
    for (name, write) in extras {
        zip.entry(name, write)?;
    }
    let manifest = Manifest {
        format: FORMAT.into(),
        version: VERSION,
        program: concat!("aixgrade ", env!("CARGO_PKG_VERSION")).into(),
        made_at: made_at.into(),
        files: zip.files.clone(),
    };
    zip.add("manifest.json", &serde_json::to_vec_pretty(&manifest)?)?;
    zip.zip.finish().map_err(Failure::internal)?;
    Ok(())
}

const README: &str = "# AixGrade comparison\n\n\
`aixgrade report THIS.zip` verifies every file, recomputes the figures and prints them. The recomputed figures\n\
must equal those in `figures.json` to the last bit.\n\n\
- `setup.json`: the selection: models, tasks, studies with their seeds, rubric, runs\n\
- `ratings.jsonl`: the ratings that count; `task`, `model`, `study`, `rater` are positions (from 0) in the lists of setup.json\n\
- `verdicts.jsonl`: the test results of every output\n\
- `data/`: the same data as tables, with comments, times and replaced ratings\n\
- `data/collections.jsonl`, `data/responses.jsonl`: how outputs were collected from endpoints, and every prompt with its\n  response; only where outputs were\n\
- `data/judgings.jsonl`, `data/judge_answers.jsonl`: how judge models were asked, and every prompt with its answer, also\n  those without valid scores; only where an endpoint was asked\n\
- `rubric.json`: the rubric with all levels\n\
- `figures.json`, `tables.md`, `tables.tex`, `figures/`: the figures as numbers, tables and charts\n\
- `statistics.md`: how every figure is computed\n\
- `manifest.json`: the program's version, and the SHA-256 of every file\n\n\
Raters have numbers instead of names.\n";

fn lines<T: Serialize>(out: &mut dyn Write, values: impl Iterator<Item = T>) -> Result<(), Failure> {
    for value in values {
        serde_json::to_writer(&mut *out, &value)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

struct Packer<W: Write + Seek + Send> {
    zip: ZipWriter<W>,
    files: BTreeMap<String, String>,
}

impl<W: Write + Seek + Send> Packer<W> {
    fn add(&mut self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        self.entry(name, |out| Ok(out.write_all(bytes)?))
    }

    /// A file that is written as a stream, without collecting it in memory.
    fn entry(&mut self, name: &str, write: impl FnOnce(Out<'_>) -> Result<(), Failure>) -> Result<(), Failure> {
        // Entries have the zip format's default time, so the same content gives the same bytes.
        self.zip.start_file(name, SimpleFileOptions::default()).map_err(Failure::internal)?;
        let mut out = Summed { out: std::io::BufWriter::new(&mut self.zip), sum: Sha256::new() };
        write(&mut out)?;
        out.flush()?;
        let sum = out.sum.finalize();
        self.files.insert(name.to_owned(), hex::encode(sum));
        Ok(())
    }
}

/// Writes, and hashes what was written.
struct Summed<W> {
    out: W,
    sum: Sha256,
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let count = self.out.write(bytes)?;
        self.sum.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

/// A bundle whose files all match their checksums.
pub struct Bundle {
    /// The manifest.
    pub manifest: Manifest,
    /// The input of the figures.
    pub input: ComparisonInput,
    /// The figures as computed at the export.
    pub figures: ComparisonFigures,
}

/// Reads a bundle. `name` identifies it in messages.
pub fn read(name: &str, bundle: impl Read + Seek) -> Result<Bundle, Failure> {
    let damaged = |what: String| Failure::invalid(name, what, "Export or download the bundle again");
    let mut zip =
        archives::zip(bundle).map_err(|e| damaged(format!("the file is not a zip file, or is damaged ({e})")))?;
    let manifest = file(&mut zip, "manifest.json").map_err(&damaged)?;
    let manifest = String::from_utf8(manifest).map_err(|_| damaged("manifest.json is damaged".into()))?;
    let head: serde_json::Value =
        serde_json::from_str(&manifest).map_err(|e| damaged(format!("manifest.json is damaged ({e})")))?;
    if head["format"] != FORMAT {
        return Err(Failure::invalid(
            name,
            "the file is not an AixGrade bundle",
            "Pass a file that `aixgrade export bundle` wrote",
        ));
    }
    // Checked first, because a newer layout may differ in everything else.
    if head["version"].as_u64().is_none_or(|version| version > u64::from(VERSION)) {
        return Err(Failure::invalid(
            name,
            format!("the bundle has format {}, but this version supports formats up to {VERSION}", head["version"]),
            "Use a newer version of AixGrade",
        ));
    }
    let manifest: Manifest =
        serde_json::from_str(&manifest).map_err(|e| damaged(format!("manifest.json is damaged ({e})")))?;
    let mut contents = BTreeMap::new();
    for (path, expected) in &manifest.files {
        let bytes = file(&mut zip, path).map_err(&damaged)?;
        if hex::encode(Sha256::digest(&bytes)) != *expected {
            return Err(damaged(format!("{path} does not match its checksum in the manifest")));
        }
        if ["setup.json", "ratings.jsonl", "verdicts.jsonl", "figures.json"].contains(&path.as_str()) {
            contents.insert(path.as_str(), bytes);
        }
    }
    let names = (0..zip.len()).map(|at| zip.by_index_raw(at)?.name().map(|name| name.into_owned()));
    let names = names
        .collect::<Result<Vec<_>, _>>()
        .map_err(|e| damaged(format!("the directory of the zip file is damaged ({e})")))?;
    if let Some(extra) = names.iter().find(|name| *name != "manifest.json" && !manifest.files.contains_key(*name)) {
        return Err(damaged(format!("{extra} is not in the manifest")));
    }
    let content =
        |path: &str| contents.get(path).map(Vec::as_slice).ok_or_else(|| damaged(format!("{path} is missing")));
    let bad = |path: &str, e: serde_json::Error| damaged(format!("{path} cannot be read ({e})"));
    let mut input: ComparisonInput =
        serde_json::from_slice(content("setup.json")?).map_err(|e| bad("setup.json", e))?;
    let figures: ComparisonFigures =
        serde_json::from_slice(content("figures.json")?).map_err(|e| bad("figures.json", e))?;
    let width = input.dimensions();
    for line in each_line::<PackedRating>(content("ratings.jsonl")?) {
        let (number, line) = line.map_err(|(number, e)| damaged(format!("ratings.jsonl, line {number}: {e}")))?;
        let counted = line.counted;
        let known = (counted.task as usize) < input.tasks.len()
            && (counted.model as usize) < input.models.len()
            && (counted.study as usize) < input.studies.len()
            && (counted.rater as usize) < input.raters.len();
        if !known || line.scores.len() != width {
            return Err(damaged(format!(
                "ratings.jsonl, line {number}: the line refers to an entry that setup.json does not have"
            )));
        }
        input.ratings.push(counted);
        input.scores.extend(line.scores);
    }
    for line in each_line::<PackedVerdict>(content("verdicts.jsonl")?) {
        let (number, line) = line.map_err(|(number, e)| damaged(format!("verdicts.jsonl, line {number}: {e}")))?;
        let known = (line.checked.task as usize) < input.tasks.len();
        match input.runs.get_mut(line.run as usize).filter(|_| known) {
            Some(run) => run.verdicts.push(line.checked),
            None => {
                return Err(damaged(format!(
                    "verdicts.jsonl, line {number}: the line refers to an entry that setup.json does not have"
                )));
            }
        }
    }
    Ok(Bundle { manifest, input, figures })
}

type Line<T> = Result<(usize, T), (usize, serde_json::Error)>;

fn each_line<T: DeserializeOwned>(bytes: &[u8]) -> impl Iterator<Item = Line<T>> {
    let lines = bytes.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty());
    lines.map(|(at, line)| match serde_json::from_slice(line) {
        Ok(value) => Ok((at + 1, value)),
        Err(e) => Err((at + 1, e)),
    })
}

fn file<R: Read + Seek>(zip: &mut ZipArchive<R>, path: &str) -> Result<Vec<u8>, String> {
    let entry = zip.by_name(path).map_err(|e| format!("{path} is missing or damaged ({e})"))?;
    let mut bytes = Vec::new();
    // An archive can expand to a thousand times its size.
    entry.take(LARGEST).read_to_end(&mut bytes).map_err(|e| format!("{path} is damaged ({e})"))?;
    Ok(bytes)
}
