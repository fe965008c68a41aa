//! The reproducibility bundle: one zip with everything that a comparison's figures rest on, the figures
//! themselves, and how they are computed. `aixgrade report` reads it on another machine, computes the
//! figures again and holds the two together.
//!
//! Must stay true: what [`read`] gives is what [`write`] was given, to the last bit; a file that is
//! damaged, missing or of a newer format is refused with a word that says which.

use std::{
    collections::BTreeMap,
    io::{Read, Seek, Write},
};

use app::{
    i18n::I18n,
    model::{compare::Sheet, ids::UserId, lang::Lang},
    ui::chart::compared,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};
use zip::{ZipArchive, ZipWriter, write::SimpleFileOptions};

use super::{
    figures,
    ground::{Checked, Counted, Ground},
    tables,
};
use crate::error::Failure;

/// What the manifest's `format` says.
const FORMAT: &str = "aixgrade-bundle";
/// The newest layout that this program writes and reads.
pub const VERSION: u32 = 1;
/// The largest file of a bundle that is read: a million ratings are about 80 MB.
const LARGEST: u64 = 2 << 30;

/// `manifest.json`: what is in the bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Always `aixgrade-bundle`.
    pub format: String,
    /// The layout's number.
    pub version: u32,
    /// The program that wrote it.
    pub program: String,
    /// When, RFC 3339.
    pub made_at: String,
    /// SHA-256 of every other file.
    pub files: BTreeMap<String, String>,
}

/// A rating that counts. Places are those of `setup.json`'s lists.
#[derive(Serialize, Deserialize)]
struct RatingLine {
    #[serde(flatten)]
    counted: Counted,
    scores: Vec<u8>,
}

/// An output's verdict. `run` is a place of `setup.json`'s list.
#[derive(Serialize, Deserialize)]
struct VerdictLine {
    run: u32,
    #[serde(flatten)]
    checked: Checked,
}

/// A file to put in besides: its name, and what writes it.
pub type Extra<'a> = (&'static str, Box<dyn FnOnce(&mut dyn Write) -> Result<(), Failure> + 'a>);

/// The ground with people's names gone: what a bundle may hold.
pub fn without_names(mut ground: Ground) -> Ground {
    for (place, rater) in ground.raters.iter_mut().enumerate() {
        let number = i64::try_from(place + 1).unwrap_or(i64::MAX);
        *rater = (UserId(number), format!("rater {number}"));
    }
    ground.choice.raters = ground.choice.raters.map(|_| ground.raters.iter().map(|(id, _)| *id).collect());
    ground
}

/// Writes a bundle of a ground without names, its figures and `extras`.
pub fn write<W: Write + Seek>(
    out: W,
    ground: &Ground,
    sheet: &Sheet,
    extras: Vec<Extra<'_>>,
    made_at: &str,
) -> Result<(), Failure> {
    let mut zip = Packer { zip: ZipWriter::new(out), files: BTreeMap::new() };
    zip.add("README.md", README.as_bytes())?;
    zip.add("statistics.md", include_bytes!("../../../docs/statistics.md"))?;
    zip.add("setup.json", &serde_json::to_vec_pretty(ground)?)?;
    let ratings = ground.scored().map(|(counted, scores)| RatingLine { counted: *counted, scores: scores.to_vec() });
    zip.entry("ratings.jsonl", |out| lines(out, ratings))?;
    let verdicts = ground
        .runs
        .iter()
        .zip(0..)
        .flat_map(|(run, at)| run.verdicts.iter().map(move |checked| VerdictLine { run: at, checked: *checked }));
    zip.entry("verdicts.jsonl", |out| lines(out, verdicts))?;
    if let Some(rubric) = &ground.rubric {
        zip.add("rubric.json", &serde_json::to_vec_pretty(rubric)?)?;
    }
    zip.add("figures.json", &serde_json::to_vec_pretty(sheet)?)?;
    for (lang, suffix) in [(Lang::En, ""), (Lang::Zh, ".zh")] {
        zip.add(&format!("tables{suffix}.md"), tables::markdown(sheet, lang).as_bytes())?;
        zip.add(&format!("tables{suffix}.tex"), tables::latex(sheet, lang).as_bytes())?;
    }
    let raters: Vec<String> = ground.raters.iter().map(|(_, name)| name.clone()).collect();
    for figure in compared::all(I18n::of(Lang::En), sheet, &raters) {
        let text = figures::svg(&figure, figures::Theme::Light, Lang::En);
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

const README: &str = "# A comparison made with AixGrade\n\n\
`aixgrade report THIS.zip` checks every file, computes the figures again and prints them; they must be\n\
the same to the last bit as those in `figures.json`.\n\n\
- `setup.json`: what was compared: models, tasks, studies with their seeds, rubric, runs\n\
- `ratings.jsonl`: the ratings that count; `task`, `model`, `study`, `rater` are places, from 0, in setup.json's lists\n\
- `verdicts.jsonl`: what the tests said of every output\n\
- `data/`: the same as tidy tables, with comments, times and superseded ratings\n\
- `rubric.json`: what was judged, level by level\n\
- `figures.json`, `tables.md`, `tables.tex`, `figures/`: the figures\n\
- `statistics.md`: how every figure is computed\n\
- `manifest.json`: the program's version, and the SHA-256 of every file\n\n\
Raters have numbers in place of names.\n";

fn lines<T: Serialize>(out: &mut dyn Write, values: impl Iterator<Item = T>) -> Result<(), Failure> {
    for value in values {
        serde_json::to_writer(&mut *out, &value)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

struct Packer<W: Write + Seek> {
    zip: ZipWriter<W>,
    files: BTreeMap<String, String>,
}

impl<W: Write + Seek> Packer<W> {
    fn add(&mut self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        self.entry(name, |out| Ok(out.write_all(bytes)?))
    }

    /// A file that is written as it is made: nothing of it is gathered.
    fn entry(&mut self, name: &str, write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>) -> Result<(), Failure> {
        // The default time of a zip's entries is fixed: the same content gives the same bytes.
        self.zip.start_file(name, SimpleFileOptions::default()).map_err(Failure::internal)?;
        let mut out = Summed { out: std::io::BufWriter::new(&mut self.zip), sum: Sha256::new() };
        write(&mut out)?;
        out.flush()?;
        let sum = out.sum.finalize();
        self.files.insert(name.to_owned(), hex::encode(sum));
        Ok(())
    }
}

/// Writes, and sums up what was written.
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

/// A bundle whose every file is as it was written.
pub struct Bundle {
    /// What is in it.
    pub manifest: Manifest,
    /// What the figures rest on.
    pub ground: Ground,
    /// The figures as they were computed then.
    pub sheet: Sheet,
}

/// Reads a bundle. `name` is what messages call it.
pub fn read(name: &str, bundle: impl Read + Seek) -> Result<Bundle, Failure> {
    let damaged = |what: String| Failure::invalid(name, what, "Take the bundle again from where it was made");
    let mut zip =
        ZipArchive::new(bundle).map_err(|e| damaged(format!("this is no zip file, or a damaged one ({e})")))?;
    let manifest = file(&mut zip, "manifest.json").map_err(&damaged)?;
    let manifest = String::from_utf8(manifest).map_err(|_| damaged("manifest.json is damaged".into()))?;
    let head: serde_json::Value =
        serde_json::from_str(&manifest).map_err(|e| damaged(format!("manifest.json is damaged ({e})")))?;
    if head["format"] != FORMAT {
        return Err(Failure::invalid(
            name,
            "this is no bundle of AixGrade's",
            "Name a file that `aixgrade export bundle` wrote",
        ));
    }
    // Before anything else is read: a newer layout may look different altogether.
    if head["version"].as_u64().is_none_or(|version| version > u64::from(VERSION)) {
        return Err(Failure::invalid(
            name,
            format!("it has format {}, and this program knows up to {VERSION}", head["version"]),
            "Use the program that wrote it, or a newer one",
        ));
    }
    let manifest: Manifest =
        serde_json::from_str(&manifest).map_err(|e| damaged(format!("manifest.json is damaged ({e})")))?;
    let mut contents = BTreeMap::new();
    for (path, expected) in &manifest.files {
        let bytes = file(&mut zip, path).map_err(&damaged)?;
        if hex::encode(Sha256::digest(&bytes)) != *expected {
            return Err(damaged(format!("{path} is not what the manifest's checksum says")));
        }
        if ["setup.json", "ratings.jsonl", "verdicts.jsonl", "figures.json"].contains(&path.as_str()) {
            contents.insert(path.as_str(), bytes);
        }
    }
    let names = (0..zip.len()).map(|at| zip.by_index_raw(at)?.name().map(|name| name.into_owned()));
    let names = names.collect::<Result<Vec<_>, _>>().map_err(|e| damaged(format!("its directory is damaged ({e})")))?;
    if let Some(extra) = names.iter().find(|name| *name != "manifest.json" && !manifest.files.contains_key(*name)) {
        return Err(damaged(format!("{extra} is not in the manifest")));
    }
    let content =
        |path: &str| contents.get(path).map(Vec::as_slice).ok_or_else(|| damaged(format!("{path} is missing")));
    let bad = |path: &str, e: serde_json::Error| damaged(format!("{path} cannot be read ({e})"));
    let mut ground: Ground = serde_json::from_slice(content("setup.json")?).map_err(|e| bad("setup.json", e))?;
    let sheet: Sheet = serde_json::from_slice(content("figures.json")?).map_err(|e| bad("figures.json", e))?;
    let width = ground.dimensions();
    for line in each_line::<RatingLine>(content("ratings.jsonl")?) {
        let (number, line) = line.map_err(|(number, e)| damaged(format!("ratings.jsonl, line {number}: {e}")))?;
        let counted = line.counted;
        let known = (counted.task as usize) < ground.tasks.len()
            && (counted.model as usize) < ground.models.len()
            && (counted.study as usize) < ground.studies.len()
            && (counted.rater as usize) < ground.raters.len();
        if !known || line.scores.len() != width {
            return Err(damaged(format!("ratings.jsonl, line {number}: it points at nothing in setup.json")));
        }
        ground.ratings.push(counted);
        ground.scores.extend(line.scores);
    }
    for line in each_line::<VerdictLine>(content("verdicts.jsonl")?) {
        let (number, line) = line.map_err(|(number, e)| damaged(format!("verdicts.jsonl, line {number}: {e}")))?;
        let known = (line.checked.task as usize) < ground.tasks.len();
        match ground.runs.get_mut(line.run as usize).filter(|_| known) {
            Some(run) => run.verdicts.push(line.checked),
            None => return Err(damaged(format!("verdicts.jsonl, line {number}: it points at nothing in setup.json"))),
        }
    }
    Ok(Bundle { manifest, ground, sheet })
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
    // An archive can promise a thousand times its size.
    entry.take(LARGEST).read_to_end(&mut bytes).map_err(|e| format!("{path} is damaged ({e})"))?;
    Ok(bytes)
}
