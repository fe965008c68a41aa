//! A comparison as a folder that `datasets.load_dataset` opens: Parquet files, and a `README.md` whose header names them
//! (the dataset card of the Hugging Face Hub).

use std::{
    collections::BTreeSet,
    fs,
    io::{Read, Seek, Write},
    path::Path,
};

use model::lang::Lang;
use zip::{CompressionMethod, ZipArchive, ZipWriter, write::SimpleFileOptions};

use super::{
    print_table::escape_markdown,
    table::{Column, Out, Type},
};
use base::error::Failure;
use comparison::input::ComparisonInput;

/// What the card says of the dataset besides the comparison.
pub struct About {
    pub description: String,
    /// The license as stated by the source.
    pub license: String,
}

/// A table of the folder.
pub struct FolderTable<'a> {
    pub name: &'static str,
    pub meaning: &'static str,
    pub columns: Vec<Column>,
    pub write: WriteTable<'a>,
}

/// Writes a table as Parquet and returns the number of lines.
pub type WriteTable<'a> = Box<dyn FnOnce(Out<'_>) -> Result<u64, Failure> + 'a>;

/// Writes the folder as a zip. Tables without lines are left out.
///
/// # Errors
/// `out` cannot be written.
pub fn write<W: Write + Seek + Send>(
    out: W,
    input: &ComparisonInput,
    about: &About,
    tables: Vec<FolderTable<'_>>,
) -> Result<(), Failure> {
    let mut zip = ZipWriter::new(out);
    // Parquet is compressed already. Entries have the zip format's default time, so the same content gives the same bytes.
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored).large_file(true);
    let mut written = Vec::new();
    for FolderTable { name, meaning, columns, write } in tables {
        zip.start_file(file(name), stored).map_err(Failure::internal)?;
        match write(&mut zip)? {
            0 => zip.abort_file().map_err(Failure::internal)?,
            lines => written.push(Written { name, meaning, columns, lines }),
        }
    }
    zip.start_file("README.md", SimpleFileOptions::default()).map_err(Failure::internal)?;
    zip.write_all(card(input, about, &written).as_bytes())?;
    zip.finish().map_err(Failure::internal)?;
    Ok(())
}

/// Unpacks a folder that [`write`] wrote.
///
/// # Errors
/// `to` is no empty or new folder, or cannot be written.
pub fn unpack(zip: impl Read + Seek, to: &Path) -> Result<(), Failure> {
    let refused = |why: String| Failure::invalid(&to.display().to_string(), why, "Choose another folder with -o");
    fs::create_dir_all(to).map_err(|e| refused(format!("the folder cannot be created: {e}")))?;
    if fs::read_dir(to)?.next().is_some() {
        return Err(refused("the folder is not empty".into()));
    }
    let mut zip = ZipArchive::new(zip).map_err(Failure::internal)?;
    zip.extract(to).map_err(|e| refused(format!("the folder cannot be written: {e}")))
}

fn file(table: &str) -> String {
    format!("data/{table}.parquet")
}

/// A table that has lines.
struct Written {
    name: &'static str,
    meaning: &'static str,
    columns: Vec<Column>,
    lines: u64,
}

/// The card: a YAML header for programs, and a description for people.
fn card(input: &ComparisonInput, about: &About, tables: &[Written]) -> String {
    let name = input.name.get(Lang::En);
    let langs: BTreeSet<&str> = input.tasks.iter().map(|task| task.nl_lang.code()).collect();
    let code_langs: BTreeSet<&str> = input.tasks.iter().map(|task| task.code_lang.code()).collect();
    let mut lines = vec!["---".to_owned(), format!("pretty_name: {}", yaml(&format!("{name}: models compared")))];
    lines.extend(license(&about.license));
    lines.push("language:".into());
    lines.extend(langs.iter().map(|lang| format!("- {lang}")));
    lines.push("tags:".into());
    lines.extend(["aixgrade", "code", "human-evaluation"].into_iter().chain(code_langs).map(|tag| format!("- {tag}")));
    if !tables.is_empty() {
        lines.push("configs:".into());
    }
    for table in tables {
        lines.push(format!("- config_name: {}", table.name));
        lines.push(format!("  data_files:\n  - split: train\n    path: {}", file(table.name)));
    }
    lines.push(format!("---\n\n# {}: models compared\n", escape_markdown(name)));
    if !about.description.is_empty() {
        lines.push(format!("{}\n", escape_markdown(&about.description)));
    }
    let models: Vec<String> = input.models.iter().map(|(_, name)| escape_markdown(name)).collect();
    lines.push(format!("Models: {}.\n", models.join(", ")));
    if let Some(rubric) = &input.rubric {
        let names: Vec<String> =
            rubric.dimensions.iter().map(|dimension| escape_markdown(dimension.name.get(Lang::En))).collect();
        lines.push(format!(
            "People rated outputs by the rubric {} {}: {}.\n",
            escape_markdown(&rubric.slug),
            rubric.version,
            names.join(", ")
        ));
    }
    if let Some(table) = tables.first() {
        lines.push(format!(
            "```python\nfrom datasets import load_dataset\n\n{0} = load_dataset(\"path/to/this/folder\", \"{0}\", split=\"train\")\n```\n",
            table.name
        ));
    }
    for table in tables {
        lines.push(format!("## {}\n\n{} Lines: {}.\n", table.name, table.meaning, table.lines));
        lines.push("| column | type | meaning |\n|---|---|---|".into());
        for column in &table.columns {
            let name = match column.kind {
                Type::Text => "text",
                Type::Integer => "integer",
                Type::Number => "number",
                Type::Boolean => "true or false",
                Type::Time => "time in UTC",
                Type::Json => "JSON as text",
                Type::List(_) => "list",
            };
            let optional = if column.optional { ", may be empty" } else { "" };
            lines.push(format!("| `{}` | {name}{optional} | {} |", column.name, escape_markdown(&column.meaning)));
        }
        lines.push(String::new());
    }
    lines.push(format!("## License and privacy\n\n{}\n", said_of_license(&about.license)));
    lines.push(
        "Raters appear under pseudonyms, drawn for each study. Comments and notes are as the raters wrote them.\n"
            .into(),
    );
    lines.push(format!("Exported with AixGrade {}.\n", env!("CARGO_PKG_VERSION")));
    lines.join("\n")
}

fn said_of_license(license: &str) -> String {
    let stated = match is_stated(license) {
        true => format!("The source of the tasks states the license {}.", escape_markdown(license)),
        false => "The source of the tasks states no license.".to_owned(),
    };
    format!("{stated} The models' outputs and the ratings may be under other terms.")
}

/// Whether a source states a license; some readers say that it does not.
fn is_stated(license: &str) -> bool {
    !matches!(license.trim().to_lowercase().as_str(), "" | "not stated" | "none" | "unknown")
}

/// The identifiers of licenses that a card may have, besides `unknown` and `other`.
#[rustfmt::skip]
const LICENSES: [&str; 77] = [
    "afl-3.0", "agpl-3.0", "apache-2.0", "apple-amlr", "apple-ascl", "artistic-2.0", "bigcode-openrail-m",
    "bigscience-bloom-rail-1.0", "bigscience-openrail-m", "bsd", "bsd-2-clause", "bsd-3-clause", "bsd-3-clause-clear",
    "bsl-1.0", "c-uda", "cc", "cc-by-2.0", "cc-by-2.5", "cc-by-3.0", "cc-by-4.0", "cc-by-nc-2.0", "cc-by-nc-3.0",
    "cc-by-nc-4.0", "cc-by-nc-nd-3.0", "cc-by-nc-nd-4.0", "cc-by-nc-sa-2.0", "cc-by-nc-sa-3.0", "cc-by-nc-sa-4.0",
    "cc-by-nd-4.0", "cc-by-sa-3.0", "cc-by-sa-4.0", "cc0-1.0", "cdla-permissive-1.0", "cdla-permissive-2.0",
    "cdla-sharing-1.0", "creativeml-openrail-m", "deepfloyd-if-license", "ecl-2.0", "epl-1.0", "epl-2.0", "etalab-2.0",
    "eupl-1.1", "eupl-1.2", "fair-noncommercial-research-license", "gemma", "gfdl", "gpl", "gpl-2.0", "gpl-3.0",
    "h-research", "intel-research", "isc", "lgpl", "lgpl-2.1", "lgpl-3.0", "lgpl-lr", "llama2", "llama3", "llama3.1",
    "llama3.2", "llama3.3", "llama4", "lppl-1.3c", "mit", "mpl-2.0", "ms-pl", "ncsa", "odbl", "odc-by", "ofl-1.1",
    "open-mdw", "openrail", "openrail++", "osl-3.0", "pddl", "postgresql", "wtfpl",
];

/// The license in the card's header.
fn license(stated: &str) -> Vec<String> {
    let identifier = stated.trim().to_lowercase().replace(' ', "-");
    match LICENSES.contains(&identifier.as_str()) {
        true => vec![format!("license: {identifier}")],
        false if !is_stated(stated) => vec!["license: unknown".into()],
        false => vec!["license: other".into(), format!("license_name: {}", yaml(stated))],
    }
}

/// A text in YAML, of which JSON is a part.
fn yaml(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn licenses_are_named_as_cards_name_them() {
        let check = |stated: &str, expected: &[&str]| assert_eq!(license(stated), expected, "{stated}");
        check("MIT", &["license: mit"]);
        check("Apache-2.0", &["license: apache-2.0"]);
        check("C-UDA", &["license: c-uda"]);
        check("CC BY 4.0", &["license: cc-by-4.0"]);
        check("", &["license: unknown"]);
        check("not stated", &["license: unknown"]);
        check("Ours: \"no\"\n- x", &["license: other", r#"license_name: "Ours: \"no\"\n- x""#]);
    }
}
