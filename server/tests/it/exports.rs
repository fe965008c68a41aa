//! Tables of a comparison as CSV, JSON Lines, Parquet, and the folder for `datasets.load_dataset`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::{
    collections::BTreeMap,
    fs::File,
    io::{Cursor, Read, Write},
    process::Output,
};

use crate::{
    comparisons::{filled, selection},
    util::{TestApp, program::program},
};
use axum::http::{Method, StatusCode};
use base::formulas::unguarded;
use model::{
    api::Scope,
    caller::System,
    comparison::{Selection, TaskFilter},
    lang::Lang,
    ratings_import::RatingsKind,
    time::Timestamp,
};
use parquet::{
    file::reader::{FileReader, SerializedFileReader},
    record::{Field, Row},
};
use port::Comparisons;
use serde_json::Value;
use services::{comparisons::export, ratings_import};

const FORMATS: &str = include_str!("../../../docs/formats.md");
const TABLES: [&str; 4] = ["ratings", "verdicts", "outputs", "study-ratings"];

/// A comparison's file.
async fn exported(app: &TestApp, selection: Selection, name: &str) -> Vec<u8> {
    let service = &app.services.comparisons;
    let file = export::File::of(name).unwrap();
    let ready = service.ready(&System.admin(), selection, file, Lang::En).await.unwrap();
    let mut bytes = Vec::new();
    service.export(ready).await.unwrap().copy_to(&mut bytes).unwrap();
    bytes
}

/// The selection's one study, of which a table of its own makes sense.
fn of(table: &str) -> Selection {
    let studies = (table == "study-ratings").then(|| vec![model::ids::StudyId(1)]);
    Selection { studies, ..selection() }
}

fn rows(bytes: &[u8]) -> Vec<Row> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    let reader: SerializedFileReader<File> = SerializedFileReader::new(file).unwrap();
    reader.into_iter().collect::<Result<_, _>>().unwrap()
}

/// A value as JSON has it.
fn json(field: &Field) -> Value {
    match field {
        Field::Null => Value::Null,
        Field::Str(text) => text.as_str().into(),
        Field::Long(number) => (*number).into(),
        Field::Double(number) => (*number).into(),
        Field::Bool(yes) => (*yes).into(),
        Field::Group(row) => row.get_column_iter().map(|(name, field)| (name.clone(), json(field))).collect(),
        Field::ListInternal(list) => list.elements().iter().map(json).collect(),
        other => panic!("{other:?}"),
    }
}

/// A value as CSV has it, without lists.
fn cell(field: &Field) -> String {
    match field {
        Field::Null => String::new(),
        Field::Str(text) => text.clone(),
        Field::Long(number) => number.to_string(),
        Field::Double(number) => number.to_string(),
        Field::Bool(yes) => yes.to_string(),
        Field::TimestampMillis(at) => Timestamp(*at).rfc3339(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn every_table_has_the_same_values_in_three_forms() {
    let app = filled().await;
    // Values that the invented ratings do not have.
    app.services
        .db
        .write(|tx| {
            tx.execute_batch(
                "INSERT INTO rating_notes (rating_id, line, \"column\", text) VALUES (3, 1, 5, '=why?'), (3, 2, 1, 'b');
                 UPDATE ratings SET flag = '{\"other\":\"Two readings.\"}' WHERE id = 4;
                 UPDATE ratings SET flag = '\"cannot_judge\"' WHERE id = 5;",
            )?;
            Ok(())
        })
        .await
        .unwrap();
    for table in TABLES {
        let file = |ending: &str| format!("{table}.{ending}");
        let csv = exported(&app, of(table), &file("csv")).await;
        let mut reader = csv::Reader::from_reader(&*csv);
        let head = reader.headers().unwrap().clone();
        let lines: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().unwrap();
        assert!(lines.len() > 60, "{table}: {}", lines.len());
        let scores = ["correctness", "code_quality", "maintainability"];
        for name in head.iter().filter(|name| !scores.contains(&name.trim_start_matches("mean_"))) {
            assert!(FORMATS.contains(&format!("`{name}`")), "docs/formats.md does not describe {name}");
        }

        let parquet = rows(&exported(&app, of(table), &file("parquet")).await);
        assert_eq!(parquet.len(), lines.len(), "{table}");
        if table.ends_with("ratings") {
            let filled = |column: &str| {
                let all = parquet.iter().flat_map(Row::get_column_iter);
                all.filter(|(name, field)| *name == column && !matches!(field, Field::Null)).count()
            };
            assert_eq!((filled("notes"), filled("flag")), (1, 2), "{table}");
        }
        for (row, line) in parquet.iter().zip(&lines) {
            let names: Vec<&str> = row.get_column_iter().map(|(name, _)| name.as_str()).collect();
            assert_eq!(names, head.iter().collect::<Vec<_>>(), "{table}");
            for ((name, field), csv) in row.get_column_iter().zip(line) {
                match field {
                    Field::ListInternal(_) => {
                        let parsed: Value = serde_json::from_str(unguarded(csv)).unwrap();
                        assert_eq!(json(field), parsed, "{table}, {name}");
                    }
                    field => assert_eq!(cell(field), unguarded(csv), "{table}, {name}"),
                }
            }
        }

        let text = String::from_utf8(exported(&app, of(table), &file("jsonl")).await).unwrap();
        assert_eq!(text.lines().count(), lines.len(), "{table}");
        for (line, row) in text.lines().zip(&parquet) {
            let object: BTreeMap<String, Value> = serde_json::from_str(line).unwrap();
            for (name, field) in row.get_column_iter() {
                // Scores and means are objects in JSON.
                let of_group = |group: &str, key: &str| object.get(group).and_then(|of| of.get(key)).cloned();
                let own = object.get(name).cloned();
                let value = own.or_else(|| of_group("scores", name));
                let value = value.or_else(|| of_group("means", name.trim_start_matches("mean_"))).unwrap();
                let expected = match (field, &value) {
                    (Field::TimestampMillis(at), _) => Timestamp(*at).rfc3339().into(),
                    // JSON of any form is text in Parquet.
                    (Field::Str(text), Value::Object(_)) => serde_json::from_str(text).unwrap(),
                    (Field::Str(text), _) if name == "flag" => serde_json::from_str(text).unwrap(),
                    _ => json(field),
                };
                assert_eq!(value, expected, "{table}, {name}");
            }
        }
    }
}

#[tokio::test]
async fn columns_have_their_types() {
    let app = filled().await;
    let schema = |bytes: Vec<u8>| {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&bytes).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        let mut text = Vec::new();
        parquet::schema::printer::print_schema(&mut text, reader.metadata().file_metadata().schema());
        String::from_utf8(text).unwrap()
    };
    let ratings = schema(exported(&app, selection(), "ratings.parquet").await);
    for part in [
        "REQUIRED INT64 study;",
        "REQUIRED BYTE_ARRAY task_id (STRING);",
        "OPTIONAL INT64 correctness;",
        "OPTIONAL BYTE_ARRAY flag (STRING);",
        "OPTIONAL group notes (LIST) {",
        "REQUIRED INT64 line;",
        "REQUIRED INT64 rated_at (TIMESTAMP(MILLIS,true));",
        "OPTIONAL INT64 replaced_at (TIMESTAMP(MILLIS,true));",
    ] {
        assert!(ratings.contains(part), "{part} is not in {ratings}");
    }
    let verdicts = schema(exported(&app, selection(), "verdicts.parquet").await);
    assert!(verdicts.contains("REQUIRED BOOLEAN cached;"), "{verdicts}");
    let outputs = schema(exported(&app, selection(), "outputs.parquet").await);
    assert!(outputs.contains("OPTIONAL DOUBLE mean_correctness;"), "{outputs}");
}

#[tokio::test]
async fn outputs_have_their_code_verdict_and_means() {
    let app = filled().await;
    app.services
        .db
        .write(|tx| {
            tx.execute("UPDATE outputs SET reasoning = 'secret-thought ' || id", [])?;
            Ok(())
        })
        .await
        .unwrap();
    let text = String::from_utf8(exported(&app, selection(), "outputs.jsonl").await).unwrap();
    assert!(!text.contains("secret-thought"), "reasoning is left out");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let stored = |conn: &rusqlite::Connection| -> Result<Vec<String>, base::error::Failure> {
        let mut statement = conn.prepare("SELECT code FROM outputs ORDER BY code")?;
        Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
    };
    let mut codes: Vec<String> = lines.iter().map(|line| line["code"].as_str().unwrap().to_owned()).collect();
    codes.sort_by(|a, b| a.as_bytes().cmp(b.as_bytes()));
    assert_eq!(codes, app.services.db.read(stored).await.unwrap(), "each output once, as it is stored");
    let tasks = app.services.comparisons.tasks(&System.admin(), selection(), TaskFilter::default()).await.unwrap();
    let keys: Vec<String> = tasks.rubric.unwrap().dimensions.into_iter().map(|dimension| dimension.key).collect();
    let mut rated = 0;
    for task in tasks.lines {
        for (model, cell) in tasks.models.iter().zip(&task.cells) {
            let own: Vec<&Value> =
                lines.iter().filter(|line| line["task_id"] == *task.task.task_id && line["model"] == **model).collect();
            let [line] = own[..] else { panic!("{own:?}") };
            assert_eq!(line["ratings"], cell.ratings);
            for (key, mean) in keys.iter().zip(&cell.means) {
                assert_eq!(line["means"][key].as_f64(), *mean, "{key}");
            }
            rated += u32::from(cell.ratings > 0);
            let verdict = cell.verdict.map(|(verdict, passed, total)| (verdict.name().to_owned(), passed, total));
            let known = line["verdict"].as_str().map(|name| {
                let count = |column: &str| u32::try_from(line[column].as_u64().unwrap()).unwrap();
                (name.to_owned(), count("passed"), count("total"))
            });
            assert_eq!(known, verdict);
            assert_eq!(line["description"], *task.task.raw_nl);
        }
    }
    assert!(rated > 30, "{rated}");
}

#[tokio::test]
async fn no_table_contains_an_account_name() {
    let app = filled().await;
    app.services
        .db
        .write(|tx| {
            tx.execute("UPDATE users SET name = 'person-' || hex(name) WHERE role = 'rater'", [])?;
            Ok(())
        })
        .await
        .unwrap();
    let shown = |bytes: &[u8]| rows(bytes).iter().map(Row::to_string).collect::<Vec<_>>().join("\n");
    for table in TABLES {
        let text = shown(&exported(&app, of(table), &format!("{table}.parquet")).await);
        assert!(!text.contains("person-"), "{table}");
        assert_eq!(text.contains("R1"), table.ends_with("ratings"), "{table}");
        let json = exported(&app, of(table), &format!("{table}.jsonl")).await;
        assert!(!String::from_utf8(json).unwrap().contains("person-"), "{table}");
    }
    let bytes = exported(&app, selection(), "dataset-folder.zip").await;
    let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    for at in 0..zip.len() {
        let mut entry = zip.by_index(at).unwrap();
        let (name, mut content) = (entry.name().unwrap().into_owned(), Vec::new());
        entry.read_to_end(&mut content).unwrap();
        let text = match name.ends_with(".parquet") {
            true => shown(&content),
            false => String::from_utf8(content).unwrap(),
        };
        assert!(!text.contains("person-"), "{name}");
    }
}

fn ran(app: &TestApp, args: &[&str]) -> Output {
    program(app, args).output().unwrap()
}

#[tokio::test]
async fn the_command_line_exports_the_leaderboard() {
    let app = filled().await;
    let export = |args: &[&str]| ran(&app, &[&["export", "leaderboard"], args].concat());
    let text = |output: Output| String::from_utf8(output.stdout).unwrap();
    let mut admin = app.admin().await;
    for (args, path) in [
        (&[][..], "/admin/results.csv"),
        (&["--dataset", "starter"][..], "/admin/results.csv?dataset=starter"),
        (&["--slice", "length.long"][..], "/admin/results.csv?slice=length.long"),
    ] {
        let (ours, page) = (text(export(args)), admin.get(path).await.body);
        assert_eq!(ours, page, "{args:?}");
        assert!(ours.lines().count() > 1, "{args:?}");
    }
    for (args, what) in [
        (&["export", "leaderboard", "--slice", "length"][..], "length has no value"),
        (&["export", "leaderboard", "--slice", "color.red"], "no attribute"),
        (&["export", "leaderboard", "--slice", ""], "difficulty.hard"),
        (&["export", "leaderboard", "--dataset", "none"], "not found"),
        (&["export", "leaderboard", "--study", "1"], "--slice selects tasks"),
        (&["export", "leaderboard", "--format", "parquet"], "as CSV"),
        (&["export", "ratings", "--dataset", "starter", "--slice", "length.long"], "only the leaderboard"),
        (&["export", "ratings"], "--dataset or --study"),
    ] {
        let refused = ran(&app, args);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(refused.status.code() == Some(2) && said.contains(what), "{args:?}: {said}");
    }
}

#[tokio::test]
async fn the_dataset_folder_has_a_card_and_its_tables() {
    let app = filled().await;
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("new");
    let export = ["export", "dataset-folder", "--dataset", "starter"];
    let named = [&export[..], &["-o", to.to_str().unwrap()]].concat();
    let output = ran(&app, &named);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for table in ["outputs", "ratings", "verdicts"] {
        let bytes = std::fs::read(to.join(format!("data/{table}.parquet"))).unwrap();
        assert_eq!(bytes, exported(&app, selection(), &format!("{table}.parquet")).await, "{table}");
    }
    let card = std::fs::read_to_string(to.join("README.md")).unwrap();
    let (header, body) = card.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
    for line in ["license: mit", "- en", "- zh", "- java", "- config_name: ratings", "    path: data/ratings.parquet"] {
        assert!(header.lines().any(|known| known == line), "{line} is not in {header}");
    }
    assert!(body.contains("| `mean_correctness` | number, may be empty | Mean score: Correctness, 1 to 4 |"), "{body}");
    // Nothing is written over, and a folder needs a name.
    let again = ran(&app, &named);
    assert!(!again.status.success() && String::from_utf8_lossy(&again.stderr).contains("not empty"));
    let unnamed = ran(&app, &export);
    assert!(!unnamed.status.success() && String::from_utf8_lossy(&unnamed.stderr).contains("-o"));

    // Without runs, there is no table of verdicts, and the card names none.
    let without = Selection { runs: Some(Vec::new()), ..selection() };
    let mut zip = zip::ZipArchive::new(Cursor::new(exported(&app, without, "dataset-folder.zip").await)).unwrap();
    let mut names: Vec<String> = zip.file_names().map(|name| name.unwrap().into_owned()).collect();
    names.sort();
    assert_eq!(names, ["README.md", "data/outputs.parquet", "data/ratings.parquet"]);
    let mut card = String::new();
    zip.by_name("README.md").unwrap().read_to_string(&mut card).unwrap();
    assert!(!card.contains("verdicts.parquet"), "{card}");
}

#[tokio::test]
async fn csv_for_excel_begins_with_a_byte_order_mark_and_can_be_imported() {
    let app = filled().await;
    let mut admin = app.admin().await;
    let token = app.token(&[Scope::Read]).await;
    for (plain, marked) in [
        ("/admin/compare/starter/export/ratings.csv", "/admin/compare/starter/export/ratings.csv?bom=true"),
        (
            "/admin/compare/starter/export/pairs.csv?runs=none",
            "/admin/compare/starter/export/pairs.csv?runs=none&bom=true",
        ),
        ("/admin/results.csv", "/admin/results.csv?bom=true"),
        ("/admin/runs/1/results.csv", "/admin/runs/1/results.csv?bom=true"),
        ("/api/v1/comparisons/starter/files/outputs.csv", "/api/v1/comparisons/starter/files/outputs.csv?bom=true"),
        ("/api/v1/runs/1/results.csv", "/api/v1/runs/1/results.csv?bom=true"),
        ("/api/v1/results.csv", "/api/v1/results.csv?bom=true"),
    ] {
        let without = admin.api(&token, Method::GET, plain, None).await;
        let with = admin.api(&token, Method::GET, marked, None).await;
        assert_eq!(without.status, StatusCode::OK, "{plain}: {}", without.body);
        assert!(!without.body.starts_with('\u{feff}'), "{plain}");
        assert_eq!(with.body, format!("\u{feff}{}", without.body), "{marked}");
        assert_eq!(with.headers["content-length"], with.body.len().to_string(), "{marked}");
    }
    let lines = admin.get("/admin/compare/starter/export/ratings.jsonl?bom=true").await;
    assert!(lines.body.starts_with('{'), "only CSV has a mark");
    let study = admin.get("/admin/studies/1/ratings.csv?bom=true").await;
    assert!(admin.get(study.location()).await.body.starts_with('\u{feff}'), "{}", study.location());

    let output = ran(&app, &["export", "ratings", "--dataset", "starter", "--bom"]);
    let csv = String::from_utf8(output.stdout).unwrap();
    assert!(csv.starts_with("\u{feff}study,"), "{csv}");
    let refused = ran(&app, &["export", "ratings", "--dataset", "starter", "--format", "jsonl", "--bom"]);
    assert!(!refused.status.success() && String::from_utf8_lossy(&refused.stderr).contains("--bom"));

    let file = ratings_import::File {
        dataset: "starter".into(),
        kind: RatingsKind::People("Again".into()),
        name: "ratings.csv".into(),
        content: Box::new(Cursor::new(csv)),
        mapping: Default::default(),
    };
    let found = app.services.ratings.preview(&System.admin(), file).await.unwrap();
    assert!(found.problems.is_empty() && found.ratings == 105, "{found:?}");
}

#[tokio::test]
async fn every_link_of_the_export_menu_is_a_file() {
    let app = filled().await;
    let mut admin = app.admin().await;
    let page = admin.get("/admin/compare/starter").await.body;
    let links = page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let files: Vec<String> = links
        .filter(|link| link.starts_with("/admin/compare/starter/export/"))
        .map(|link| link.replace("&amp;", "&"))
        .collect();
    let names: Vec<&str> = files.iter().filter_map(|file| file.rsplit('/').next()?.split('?').next()).collect();
    for table in ["ratings", "verdicts", "outputs"] {
        for ending in ["csv", "jsonl", "parquet"] {
            assert!(names.contains(&&*format!("{table}.{ending}")), "{table}.{ending} is not in {names:?}");
        }
    }
    assert!(names.contains(&"dataset-folder.zip") && names.contains(&"bundle.zip"), "{names:?}");
    let mut marked = 0;
    for file in &files {
        let answer = admin.get(file).await;
        assert_eq!(answer.status, StatusCode::OK, "{file}");
        assert_eq!(answer.body.starts_with('\u{feff}'), file.contains("bom=true"), "{file}");
        marked += u32::from(file.contains("bom=true"));
    }
    assert_eq!(marked, 5, "each table as CSV for Excel");
}
