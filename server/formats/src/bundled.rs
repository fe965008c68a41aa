//! Data embedded in the program: the rubric, the starter dataset and its three models' outputs.

use model::{problem::Problem, rubric::Rubric};
use rust_embed::RustEmbed;
use serde::Deserialize;

use super::files::Files;

#[derive(RustEmbed)]
#[folder = "../../datasets"]
#[include = "rubric/*.json"]
#[include = "starter/*"]
#[include = "starter-languages/*"]
#[exclude = "starter/reference/*"]
#[exclude = "starter/expected.tsv"]
#[exclude = "starter-languages/expected.tsv"]
struct Datasets;

const STARTER: &str = "starter/";

/// The folders of the starter datasets in other languages.
const LANGUAGES: [&str; 5] = ["python", "cpp", "javascript", "go", "rust"];

/// Outputs of one of the starter dataset's models.
pub struct StarterOutputs {
    /// Name of the invented model.
    pub model: String,
    /// The file's name.
    pub file: String,
    /// The file.
    pub bytes: Vec<u8>,
}

/// The bundled rubric.
///
/// # Errors
/// Fails if it is damaged, which a test rules out.
pub fn rubric() -> Result<Rubric, Problem> {
    read("rubric/aixbench.json")
}

/// The starter dataset.
///
/// # Errors
/// Fails if it is damaged, which a test rules out.
pub fn starter() -> Result<Files, Problem> {
    let mut files = Files::named("starter");
    for path in Datasets::iter() {
        let own = path.strip_prefix(STARTER).filter(|path| !path.starts_with("outputs/"));
        if let (Some(own), Some(file)) = (own, Datasets::get(&path)) {
            files.add(own, file.data.into_owned())?;
        }
    }
    Ok(files)
}

/// The starter datasets in languages other than Java, each with its short name and its outputs.
///
/// # Errors
/// Fails if they are damaged, which a test rules out.
pub fn starter_languages() -> Result<Vec<(String, Files, Vec<StarterOutputs>)>, Problem> {
    LANGUAGES.iter().map(|lang| starter_in(lang)).collect()
}

fn starter_in(lang: &str) -> Result<(String, Files, Vec<StarterOutputs>), Problem> {
    let (slug, folder) = (format!("starter-{lang}"), format!("starter-languages/{lang}/"));
    let mut files = Files::named(slug.clone());
    for path in Datasets::iter() {
        let own = path.strip_prefix(&folder).filter(|path| !path.starts_with("outputs/"));
        if let (Some(own), Some(file)) = (own, Datasets::get(&path)) {
            files.add(own, file.data.into_owned())?;
        }
    }
    Ok((slug, files, outputs(&folder)?))
}

/// The starter dataset's outputs, in display order.
///
/// # Errors
/// Fails if they are damaged, which a test rules out.
pub fn starter_outputs() -> Result<Vec<StarterOutputs>, Problem> {
    outputs(STARTER)
}

/// The models' outputs in a dataset's folder.
fn outputs(folder: &str) -> Result<Vec<StarterOutputs>, Problem> {
    #[derive(Deserialize)]
    struct Listed {
        file: String,
        model: String,
    }
    let listed: Vec<Listed> = read("starter/outputs/models.json")?;
    let with_bytes = listed.into_iter().map(|Listed { file, model }| {
        let path = format!("{folder}outputs/{file}");
        let found = Datasets::get(&path).ok_or_else(|| damaged(&path, "it is missing"))?;
        Ok(StarterOutputs { model, file, bytes: found.data.into_owned() })
    });
    with_bytes.collect()
}

fn read<T: serde::de::DeserializeOwned>(path: &str) -> Result<T, Problem> {
    let file = Datasets::get(path).ok_or_else(|| damaged(path, "it is missing"))?;
    serde_json::from_slice(&file.data).map_err(|e| damaged(path, &e.to_string()))
}

fn damaged(path: &str, what: &str) -> Problem {
    Problem::new(
        path,
        format!("the program was built with a damaged file: {what}"),
        "Build it again from a clean clone",
    )
}

#[cfg(test)]
mod tests {
    use model::code_lang::CodeLang;

    use super::*;
    use crate as formats;

    #[test]
    fn starter_tasks_exist_in_every_language_with_test_programs() {
        for (slug, files, outputs) in starter_languages().unwrap() {
            let dataset = formats::read(&files).unwrap().datasets.remove(0);
            assert_eq!((dataset.slug.as_str(), dataset.tasks.len(), outputs.len()), (slug.as_str(), 4, 3));
            assert_eq!(dataset.tests.unwrap().kind, model::dataset::TestKind::Programs);
        }
    }

    #[test]
    fn bundled_data_is_valid() {
        let rubric = rubric().unwrap();
        assert_eq!(rubric.problems(), []);
        assert_eq!(rubric.dimensions.iter().map(|d| d.range()).collect::<Vec<_>>(), [(1, 4), (1, 3), (1, 5)]);
        let found = formats::read(&starter().unwrap()).unwrap();
        assert_eq!(found.datasets[0].tasks.len(), 40);
        let outputs = starter_outputs().unwrap();
        assert_eq!(outputs.len(), 3);
        for output in outputs {
            let mut count = 0;
            let asked = formats::outputs::Asked { langs: vec![CodeLang::Java], ..Default::default() };
            formats::outputs::read(&output.file, output.bytes.as_slice(), &asked, |line| {
                line.unwrap();
                count += 1;
            });
            assert_eq!(count, 40, "{}", output.file);
        }
    }
}
