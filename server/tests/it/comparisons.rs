//! Comparisons: which ratings count, the figures, and the exports.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::{Cursor, Read, Write};

use crate::util::{Client, TestApp};
use axum::http::{Method, StatusCode};
use base::error::Failure;
use model::{
    api::Scope,
    caller::System,
    comparison::{
        ComparisonView, CountedScores, Human, Selection, SortColumn, TaskCell, TaskFilter, TaskLine, TaskPage,
    },
    grading::{Draft, GradingItem, Next, Receipt},
    ids::{OutputId, StudyId},
    ratings::ModelScores,
    ratings_import::RatingsKind,
    run::Verdict,
    slices::{SliceFigure, SliceMetric, Slices},
    stats::Undefined,
};
use port::Comparisons;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use report::{bundle, comparison_figures, results_file};
use rusqlite::Connection;
use serde_json::{Value, json};
use services::{accounts::Origin, comparisons::input, ratings_import};

async fn study(client: &mut Client) -> String {
    let my_studies: Value = client.rpc("my_studies", json!({})).await.json();
    my_studies[0]["token"].as_str().unwrap().to_owned()
}

async fn next(client: &mut Client, study: &str) -> Option<GradingItem> {
    match client.rpc("next_item", json!({"study": study})).await.json() {
        Next::Item(item) => Some(*item),
        _ => None,
    }
}

async fn rate(client: &mut Client, item: &GradingItem, scores: [u8; 3], comment: &str, key: &str) -> Receipt {
    let draft = Draft { scores: scores.map(Some).to_vec(), comment: comment.into(), ..Draft::default() };
    client.rpc("submit_rating", json!({"assignment": item.token, "draft": draft, "key": key})).await.json()
}

/// The demo with ratings of three people and verdicts of every model.
pub async fn filled() -> TestApp {
    let app = TestApp::demo().await;
    let mut random = ChaCha8Rng::seed_from_u64(5);
    for (who, most) in [("ada", 40), ("bo", 40), ("chen", 25)] {
        let mut client = app.demo_user(who).await;
        let study = study(&mut client).await;
        for n in 0..most {
            let Some(item) = next(&mut client, &study).await else { break };
            let scores = [random.random_range(1..=4), random.random_range(1..=3), random.random_range(1..=5)];
            let comment = if n % 7 == 0 { "=1+1, \"quoted\"\nand 中文" } else { "" };
            rate(&mut client, &item, scores, comment, &format!("k{n}")).await;
        }
    }
    app.run_all(&mut random).await;
    app
}

/// A row of `counted`: study, output, rating, rater, scores.
type CountedRow = (i64, i64, i64, i64, String);

/// `counted` as stored.
fn counted(conn: &Connection) -> Result<Vec<CountedRow>, Failure> {
    counted_rows(conn, "SELECT study_id, output_id, rating_id, user_id, scores FROM counted ORDER BY 1, 2, 3")
}

/// `counted` as recomputed from the ratings.
fn recount(conn: &Connection) -> Result<Vec<CountedRow>, Failure> {
    counted_rows(
        conn,
        "SELECT a.study_id, a.output_id, r.id, r.user_id,
            (SELECT group_concat(score, '') FROM
                (SELECT score FROM rating_scores WHERE rating_id = r.id ORDER BY dimension))
         FROM ratings r JOIN assignments a ON a.id = r.assignment_id WHERE r.replaced_at IS NULL ORDER BY 1, 2, 3",
    )
}

fn counted_rows(conn: &Connection, query: &str) -> Result<Vec<CountedRow>, Failure> {
    let mut statement = conn.prepare(query)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub fn selection() -> Selection {
    Selection { dataset: "starter".into(), ..Selection::default() }
}

/// The newest figures, however long they take.
pub async fn compared(app: &TestApp, selection: Selection) -> ComparisonView {
    let service = &app.services.comparisons;
    let resolved = service.resolve(&System.admin(), selection.clone()).await.unwrap();
    service.computed(&resolved).await.unwrap();
    let found = service.get(&System.admin(), selection).await.unwrap();
    assert!(!found.behind);
    found
}

#[tokio::test]
async fn counted_ratings_follow_every_change() {
    let app = TestApp::demo().await;
    let db = &app.services.db;
    let mut random = ChaCha8Rng::seed_from_u64(17);
    let revision = || async { app.services.comparisons.resolve(&System.admin(), selection()).await.unwrap().revision };
    let mut revisions = vec![revision().await];
    let mut people = Vec::new();
    for name in ["ada", "bo", "chen"] {
        let mut client = app.demo_user(name).await;
        let study = study(&mut client).await;
        people.push((client, study, Vec::<GradingItem>::new()));
    }
    for step in 0..90 {
        let (client, study, given) = &mut people[random.random_range(0..3)];
        let scores = [random.random_range(1..=4), random.random_range(1..=3), random.random_range(1..=5)];
        let key = format!("step-{step}");
        // Mostly new ratings, now and then a changed one.
        let receipt = if given.is_empty() || random.random_bool(0.7) {
            let Some(item) = next(client, study).await else { continue };
            let receipt = rate(client, &item, scores, "", &key).await;
            given.push(item);
            receipt
        } else {
            let at = random.random_range(0..given.len());
            rate(client, &given[at], scores, "", &key).await
        };
        let (kept, anew) = db.read_blocking(|conn| Ok((counted(conn)?, recount(conn)?))).unwrap();
        assert_eq!(kept, anew, "step {step}");
        if receipt == Receipt::Stored {
            let now = revision().await;
            assert!(!revisions.contains(&now), "step {step}: a rating changes the revision");
            revisions.push(now);
        }
    }
    // The page's figures equal a computation from scratch.
    let shown = compared(&app, selection()).await;
    let fresh = db
        .read_blocking(|conn| {
            Ok(comparison_figures::compute(&input::read(conn, shown.options.name.clone(), &shown.selection)?))
        })
        .unwrap();
    assert_eq!(shown.figures, fresh);
    let counted = db.read_blocking(recount).unwrap().len() as u64;
    let models = &fresh.human.unwrap().comparison.models;
    assert_eq!(models.iter().map(|m| m.ratings).sum::<u64>(), counted);
}

#[tokio::test]
async fn selection_decides_what_is_compared() {
    let app = filled().await;
    let whole = compared(&app, selection()).await;
    assert_eq!(whole.figures.models.len(), 3);
    let ratings =
        |c: &ComparisonView| c.figures.human.iter().flat_map(|h| &h.comparison.models).map(|m| m.ratings).sum::<u64>();
    assert_eq!(ratings(&whole), 105);
    assert!(whole.figures.automated.is_some() && whole.figures.both.is_some());

    // The fully resolved selection means the same.
    assert_eq!(compared(&app, whole.selection.clone()).await.figures, whole.figures);
    // With fewer models, the others' own means and scores do not change. (Intervals and adjusted means do: they are over
    // the tasks that any compared model has a rating for.)
    let models = whole.selection.models.clone().unwrap();
    let two = compared(&app, Selection { models: Some(models[..2].to_vec()), ..selection() }).await;
    assert_eq!(two.figures.models, whole.figures.models[..2]);
    let (two, of_all) = (two.figures.human.unwrap().comparison, whole.figures.human.clone().unwrap().comparison);
    let without_intervals = |models: &[ModelScores]| {
        let mut models = models.to_vec();
        for scores in models.iter_mut().flat_map(|m| &mut m.dimensions) {
            (scores.mean, scores.interval, scores.own_interval) = (None, None, None);
        }
        models
    };
    assert_eq!(without_intervals(&two.models), without_intervals(&of_all.models[..2]));
    // The two languages together make the whole.
    let of = |lang| {
        let selection = Selection { nl_lang: Some(lang), ..selection() };
        async { ratings(&compared(&app, selection).await) }
    };
    assert_eq!(of(model::lang::Lang::En).await + of(model::lang::Lang::Zh).await, 105);
    // One rater alone.
    let chen = whole.options.raters.iter().find(|(_, name)| name == "chen").unwrap().0;
    assert_eq!(ratings(&compared(&app, Selection { raters: Some(vec![chen]), ..selection() }).await), 25);
    // No study, no people; no run, no tests.
    let tests = compared(&app, Selection { studies: Some(vec![]), ..selection() }).await.figures;
    assert!(tests.human.is_none() && tests.both.is_none() && tests.automated == whole.figures.automated);
    let people = compared(&app, Selection { runs: Some(vec![]), ..selection() }).await.figures;
    assert!(people.automated.is_none() && people.human == whole.figures.human);
    // Unknown objects give 404.
    let gone = Selection { studies: Some(vec![StudyId(99)]), ..selection() };
    assert!(app.services.comparisons.get(&System.admin(), gone).await.is_err());
    assert_eq!(whole.selection.scores, CountedScores::Raw);
}

#[tokio::test]
async fn tasks_are_filtered_by_ratings_and_verdicts() {
    let app = filled().await;
    let tasks = |filter: TaskFilter| {
        let service = app.services.comparisons.clone();
        async move { service.tasks(&System.admin(), selection(), filter).await.unwrap() }
    };
    let all: TaskPage = tasks(TaskFilter::default()).await;
    assert_eq!((all.found, all.all, all.lines.len()), (40, 40, 40));
    let whole = compared(&app, selection()).await;
    let models = whole.selection.models.unwrap();
    for (m, model) in models.iter().enumerate() {
        for verdict in Verdict::ALL {
            let found =
                tasks(TaskFilter { model: Some(*model), verdict: Some(verdict), ..TaskFilter::default() }).await;
            let expected =
                all.lines.iter().filter(|line| line.cells[m].verdict.is_some_and(|v| v.0 == verdict)).count();
            assert_eq!(found.found, expected as u64, "{verdict:?}");
        }
        // Every rating of a score links to a task: as many tasks as have one, at most as many as ratings.
        let counts = &whole.figures.human.as_ref().unwrap().comparison.models[m].dimensions[0].distribution;
        for (score, count) in (1..).zip(counts) {
            let score = Some(("correctness".to_owned(), score));
            let found = tasks(TaskFilter { model: Some(*model), score, ..TaskFilter::default() }).await.found;
            assert!(found <= *count && (found > 0) == (*count > 0), "{found} tasks of {count} ratings");
        }
    }
    // Every circle of the chart of tests and people links to the tasks of its outputs.
    let points = &whole.figures.both.as_ref().unwrap().points;
    assert!(!points.is_empty());
    for point in points {
        let on_spot = points.iter().filter(|other| other.grid_cell == point.grid_cell);
        let expected: std::collections::BTreeSet<_> = on_spot.map(|other| other.task.0).collect();
        let found = tasks(TaskFilter { grid_cell: Some(point.grid_cell), ..TaskFilter::default() }).await;
        let found: std::collections::BTreeSet<_> = found.lines.iter().map(|line| line.task.id.0).collect();
        assert_eq!(found, expected, "{}", point.grid_cell);
    }
    let wide = tasks(TaskFilter { spread: 2, ..TaskFilter::default() }).await;
    assert!(wide.found > 0 && wide.lines.iter().all(|line| line.spread >= Some(2)));
    let chinese = all.lines.iter().find(|line| line.task.nl_lang == model::lang::Lang::Zh).unwrap();
    let words: String = chinese.task.raw_nl.chars().take(4).collect();
    let found = tasks(TaskFilter { q: words, ..TaskFilter::default() }).await;
    assert!(found.lines.iter().any(|line| line.task.id == chinese.task.id) && found.found < 40);
    // A task shows every model's code with ratings and verdicts.
    let task =
        app.services.comparisons.task(&System.admin(), selection(), TaskFilter::default(), chinese.task.id).await;
    let task = task.unwrap();
    assert_eq!(task.outputs.len(), 3);
    assert!(task.before.is_some() || task.after.is_some());
}

#[tokio::test]
async fn tasks_are_sorted_by_every_column_of_every_model() {
    let app = filled().await;
    let tasks = |filter: TaskFilter| {
        let service = app.services.comparisons.clone();
        async move { service.tasks(&System.admin(), selection(), filter).await.unwrap() }
    };
    let whole = tasks(TaskFilter::default()).await;
    assert_eq!(whole.columns, [0, 1, 2]);
    let models = compared(&app, selection()).await.selection.models.unwrap();
    for (m, model) in models.iter().enumerate() {
        for (d, dimension) in whole.rubric.clone().unwrap().dimensions.iter().enumerate() {
            for ascending in [false, true] {
                let column = SortColumn { model: *model, metric: dimension.key.clone(), ascending };
                let found = tasks(TaskFilter { column: Some(column), ..TaskFilter::default() }).await;
                assert_eq!(found.found, whole.found, "an order leaves nothing out");
                let means: Vec<Option<f64>> = found.lines.iter().map(|line| line.cells[m].means[d]).collect();
                let rated = means.iter().take_while(|mean| mean.is_some()).count();
                assert!(means[rated..].iter().all(Option::is_none), "tasks without a score come last: {means:?}");
                assert!(rated > 1 && rated < means.len(), "{rated}");
                let in_order = |a: &Option<f64>, b: &Option<f64>| if ascending { a <= b } else { a >= b };
                assert!(means[..rated].is_sorted_by(in_order), "{means:?}");
            }
        }
        let column = SortColumn { model: *model, metric: SortColumn::TESTS.into(), ascending: false };
        let found = tasks(TaskFilter { column: Some(column), ..TaskFilter::default() }).await;
        let passed = |line: &TaskLine| line.cells[m].verdict.is_some_and(|(verdict, ..)| verdict == Verdict::Passed);
        let first = found.lines.iter().take_while(|line| passed(line)).count();
        assert!(first > 0 && !found.lines[first..].iter().any(passed), "those that pass come first");
    }
    // An unknown column changes nothing.
    let column = SortColumn { model: models[0], metric: "nothing".into(), ascending: false };
    assert_eq!(tasks(TaskFilter { column: Some(column), ..TaskFilter::default() }).await.lines, whole.lines);
    // The model that the others are compared with comes first, from whichever model on the page begins.
    let of = |from: u32| tasks(TaskFilter { base: Some(models[2]), from: Some(from), ..TaskFilter::default() });
    assert_eq!(of(0).await.columns, [2, 0, 1]);
    assert_eq!(of(1).await.columns, [2, 1]);
    assert_eq!(of(7).await.columns, [2, 0, 1], "an old address beyond the last model");
    let cells = |page: &TaskPage| page.lines[0].cells.clone();
    assert_eq!(cells(&of(1).await), [cells(&whole)[2].clone(), cells(&whole)[1].clone()]);
}

#[tokio::test]
async fn the_page_marks_differences_from_a_model_without_scripts() {
    let app = filled().await;
    let mut admin = app.admin().await;
    let models = compared(&app, selection()).await.selection.models.unwrap();
    let whole = app.services.comparisons.tasks(&System.admin(), selection(), TaskFilter::default()).await.unwrap();
    // What differs from the first model, counted here.
    let (mut higher, mut lower) = (0, 0);
    for line in &whole.lines {
        let (base, others) = line.cells.split_first().unwrap();
        for cell in others {
            let share = |cell: &TaskCell| match cell.verdict {
                Some((Verdict::Anomaly, ..)) | None => None,
                Some((Verdict::Passed, ..)) => Some(1.0),
                Some((_, passed, total)) => Some(f64::from(passed) / f64::from(total.max(1))),
            };
            let scores = base.means.iter().zip(&cell.means).map(|(base, own)| Some((*own)? - (*base)?));
            for by in scores.chain([share(cell).zip(share(base)).map(|(own, base)| own - base)]).flatten() {
                higher += usize::from(by > 1e-9);
                lower += usize::from(by < -1e-9);
            }
        }
    }
    assert!(higher > 0 && lower > 0);
    let page = admin.get("/admin/compare/starter").await.body;
    assert_eq!((page.matches('▲').count(), page.matches('▼').count()), (0, 0), "none until asked for");
    let page = admin.get(&format!("/admin/compare/starter?base={}", models[0])).await.body;
    // One more of each explains them.
    assert_eq!((page.matches('▲').count(), page.matches('▼').count()), (higher + 1, lower + 1));
    // A head of a column sorts by it, and once more the other way.
    let address = format!("sort={}.correctness", models[1]);
    assert!(page.contains(&address) && !page.contains("aria-sort"));
    let page = admin.get(&format!("/admin/compare/starter?{address}")).await.body;
    assert!(page.contains(r#"aria-sort="descending""#) && page.contains(&format!("{address}&amp;order=reverse#tasks")));
}

#[tokio::test]
async fn exports_contain_every_line_with_stable_pseudonyms() {
    let app = filled().await;
    let mut admin = app.admin().await;
    let export = |file: &'static str| {
        let mut admin = admin.clone();
        async move { admin.get(&format!("/admin/compare/starter/export/{file}")).await }
    };
    let csv = export("ratings.csv").await;
    assert_eq!(csv.status, StatusCode::OK);
    let mut reader = csv::Reader::from_reader(csv.body.as_bytes());
    let head = reader.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().unwrap();
    assert_eq!(rows.len(), 105);
    let column = |name: &str| head.iter().position(|h| h == name).unwrap();
    for row in &rows {
        assert!(["R1", "R2", "R3"].contains(&&row[column("rater")]), "{row:?}");
        assert!((1..=4).contains(&row[column("correctness")].parse::<u8>().unwrap()));
        // A spreadsheet does not run a comment as a formula.
        assert!(!row[column("comment")].starts_with('='), "{row:?}");
    }
    assert!(!["ada", "chen"].iter().any(|name| csv.body.contains(name)), "no name in the file");
    assert_eq!(export("ratings.csv").await.body, csv.body, "the same bytes again");

    let lines = export("ratings.jsonl").await.body;
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), rows.len());
    for (line, row) in lines.iter().zip(&rows) {
        assert_eq!(line["rater"], row[column("rater")]);
        assert_eq!(line["scores"]["maintainability"].to_string(), row[column("maintainability")]);
    }
    let verdicts = export("verdicts.jsonl").await.body;
    assert_eq!(verdicts.lines().count() + 1, export("verdicts.csv").await.body.lines().count());
    assert!(verdicts.lines().all(|line| line.contains("\"verdict\":\"")));
    let pairs = export("pairs.csv").await.body;
    // Three models on three dimensions, and two figures of the tests.
    assert_eq!(pairs.lines().count(), 1 + 3 * 3 + 3 * 2, "{pairs}");
    assert!(pairs.lines().skip(1).all(|line| line.split(',').count() == 10), "{pairs}");
    for (file, holds) in [("tables.md", "| Correctness |"), ("tables.tex", "\\toprule")] {
        let text = export(file).await.body;
        assert!(text.contains(holds), "{file}: {text}");
    }
    let tex = export("tables?file=tables.tex&score_decimals=3&words=zh").await;
    assert_eq!(tex.headers["content-disposition"], "attachment; filename=\"starter-tables.tex\"");
    assert!(tex.body.contains("siunitx") && tex.body.contains("S[table-format=1.3]"), "{}", tex.body);
    assert!(tex.body.contains("人工评分均值") && tex.body.contains("\\bfseries "), "{}", tex.body);
    let csv = export("tables?file=table-manual.csv&score_decimals=0").await.body;
    assert!(csv.lines().count() == 4 && csv.lines().next().unwrap().contains("95% CI low"), "{csv}");
    for wrong in ["tables?file=tables.tex&score_decimals=7", "tables.md?percent_decimals=x"] {
        assert_eq!(export(wrong).await.status, StatusCode::UNPROCESSABLE_ENTITY, "{wrong}");
    }
    assert_eq!(export("tables?file=nothing.tex").await.status, StatusCode::NOT_FOUND);
    assert_eq!(export("ratings.xls").await.status, StatusCode::NOT_FOUND);
    // Nobody else gets any of it.
    for file in ["ratings.csv", "verdicts.jsonl", "tables.md", "bundle.zip"] {
        let answer = app.rater().await.get(&format!("/admin/compare/starter/export/{file}")).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{file}");
    }
    assert_eq!(admin.get("/admin/compare/nothing/export/ratings.csv").await.status, StatusCode::NOT_FOUND);
}

/// A rater's pseudonym in a study that was exported.
pub async fn pseudonym(app: &TestApp, study: StudyId, rater: &'static str) -> String {
    let query =
        "SELECT p.name FROM pseudonyms p JOIN users u ON u.id = p.user_id WHERE p.study_id = ?1 AND u.name = ?2";
    app.services.db.read(move |conn| Ok(conn.query_row(query, (study.0, rater), |row| row.get(0))?)).await.unwrap()
}

#[tokio::test]
async fn no_export_contains_an_account_name() {
    let app = filled().await;
    // Names that occur in no other text.
    app.services
        .db
        .write(|tx| {
            tx.execute("UPDATE users SET name = 'person-' || hex(name) WHERE role = 'rater'", [])?;
            Ok(())
        })
        .await
        .unwrap();
    let mut admin = app.admin().await;
    for query in ["", "?studies=1"] {
        for file in [
            "ratings.csv",
            "ratings.jsonl",
            "study-ratings.csv",
            "verdicts.csv",
            "verdicts.jsonl",
            "means.csv",
            "pairs.csv",
            "slices.csv",
            "tables.md",
            "tables.tex",
        ] {
            let answer = admin.get(&format!("/admin/compare/starter/export/{file}{query}")).await;
            assert_eq!(answer.status, StatusCode::OK, "{file}");
            assert!(!answer.body.is_empty() && !answer.body.contains("person-"), "{file}{query}: {}", answer.body);
        }
    }
    let names = app.services.comparisons.figure_names(&System.admin(), selection()).await.unwrap();
    assert!(names.contains(&"correctness-raters".to_owned()), "{names:?}");
    for name in names {
        for kind in ["svg", "csv", "txt"] {
            let answer = admin.get(&format!("/admin/compare/starter/figures/{name}.{kind}")).await;
            assert_eq!(answer.status, StatusCode::OK, "{name}.{kind}");
            assert!(!answer.body.contains("person-"), "{name}.{kind}: {}", answer.body);
        }
    }
    let agreement = admin.get("/admin/compare/starter/figures/correctness-raters.csv").await.body;
    assert!(agreement.contains("R1") && agreement.contains("R3"), "{agreement}");
    let mut zip = zip::ZipArchive::new(Cursor::new(bundled(&app).await)).unwrap();
    for at in 0..zip.len() {
        let mut entry = zip.by_index(at).unwrap();
        let (name, mut text) = (entry.name().unwrap().into_owned(), String::new());
        entry.read_to_string(&mut text).unwrap();
        assert!(!text.contains("person-"), "{name} in the bundle");
    }
    // On screen, an admin sees the names.
    let page = admin.get("/admin/compare/starter").await;
    assert!(page.body.contains("person-"), "{}", page.body);
}

async fn bundled(app: &TestApp) -> Vec<u8> {
    bundle_of(app, selection()).await
}

pub async fn bundle_of(app: &TestApp, selection: Selection) -> Vec<u8> {
    use services::comparisons::export::File;
    let service = &app.services.comparisons;
    let ready = service.ready(&System.admin(), selection, File::Bundle, model::lang::Lang::En).await.unwrap();
    let mut bytes = Vec::new();
    service.export(ready).await.unwrap().copy_to(&mut bytes).unwrap();
    bytes
}

/// The same bundle with one file changed, with its checksum corrected on request.
fn tampered(bytes: &[u8], file: &str, change: impl Fn(String) -> String, checksum: bool) -> Vec<u8> {
    use sha2::Digest;
    let mut old = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut files = Vec::new();
    for at in 0..old.len() {
        let mut entry = old.by_index(at).unwrap();
        let mut content = String::new();
        entry.read_to_string(&mut content).unwrap();
        files.push((entry.name().unwrap().into_owned(), content));
    }
    let mut sum = None;
    for (name, content) in &mut files {
        if name == file {
            let new = change(content.clone());
            assert_ne!(*content, new, "nothing was changed in {file}");
            *content = new;
            sum = Some(hex::encode(sha2::Sha256::digest(content.as_bytes())));
        }
    }
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, mut content) in files {
        if checksum && name == "manifest.json" && file != "manifest.json" {
            let mut manifest: Value = serde_json::from_str(&content).unwrap();
            manifest["files"][file] = json!(sum.clone().unwrap());
            content = manifest.to_string();
        }
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(content.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[tokio::test]
async fn bundle_reproduces_figures_and_changes_are_refused() {
    let app = filled().await;
    let bytes = bundled(&app).await;
    let bundle = bundle::read("b.zip", Cursor::new(&bytes)).unwrap();
    let again = comparison_figures::compute(&bundle.input);
    assert_eq!(serde_json::to_string(&again).unwrap(), serde_json::to_string(&bundle.figures).unwrap(), "bit for bit");
    assert_eq!(again, compared(&app, selection()).await.figures, "and as the page shows them");
    assert!(bundle.manifest.files.contains_key("figures/correctness-means.svg"), "{:?}", bundle.manifest.files);
    let mut raters: Vec<&str> = bundle.input.raters.iter().map(|(_, name)| name.as_str()).collect();
    raters.sort_unstable();
    assert_eq!(raters, ["R1", "R2", "R3"]);
    let everything = {
        let mut zip = zip::ZipArchive::new(Cursor::new(&bytes)).unwrap();
        let mut all = String::new();
        for at in 0..zip.len() {
            zip.by_index(at).unwrap().read_to_string(&mut all).unwrap();
        }
        all
    };
    assert!(!["\"ada\"", "\"chen\"", ",ada,", ",chen,"].iter().any(|name| everything.contains(name)));

    let refused = |bytes: Vec<u8>, word: &str| {
        let error = match bundle::read("b.zip", Cursor::new(bytes)) {
            Ok(_) => panic!("taken in spite of: {word}"),
            Err(base::error::Failure::App(e)) => e.to_string(),
            Err(e) => panic!("{e:?}"),
        };
        assert!(error.contains(word), "{error}");
    };
    refused(b"not a zip".to_vec(), "not a zip file");
    refused(bytes[..bytes.len() / 2].to_vec(), "damaged");
    refused(tampered(&bytes, "ratings.jsonl", |s| s.replacen("[1,", "[2,", 1), false), "ratings.jsonl does not match");
    refused(tampered(&bytes, "manifest.json", |s| s.replace("\"version\": 1", "\"version\": 2"), false), "format 2");
    refused(
        tampered(&bytes, "manifest.json", |s| s.replace("aixgrade-bundle", "other"), false),
        "not an AixGrade bundle",
    );
    refused(tampered(&bytes, "ratings.jsonl", |s| s.replacen("\"task\":", "\"task\":9", 1), true), "line 1");
    // A changed rating with a corrected checksum is read, and gives other figures, which `report` reports.
    let changed = tampered(&bytes, "ratings.jsonl", |s| s.replace("\"scores\":[1,", "\"scores\":[4,"), true);
    let changed = bundle::read("b.zip", Cursor::new(changed)).unwrap();
    assert_ne!(comparison_figures::compute(&changed.input), changed.figures);
}

/// Outputs with the ratings of each rater, in a study of the demo.
fn any_study(app: &TestApp) -> StudyId {
    app.services
        .db
        .read_blocking(|conn| {
            Ok(conn.query_row("SELECT min(study_id) FROM counted", [], |row| row.get(0).map(StudyId))?)
        })
        .unwrap()
}

#[tokio::test]
async fn final_scores_replace_ratings_on_request() {
    let app = filled().await;
    let study = any_study(&app);
    let raw = compared(&app, selection()).await;
    let finals = Selection { scores: CountedScores::Final, ..selection() };
    // Without an adjudication, both are the same.
    let before = compared(&app, finals.clone()).await;
    assert_eq!(before.figures.human.as_ref().unwrap().comparison, raw.figures.human.as_ref().unwrap().comparison);
    let decided: Vec<i64> = app
        .services
        .db
        .write_blocking(|tx| {
            let outputs = tx
                .prepare("SELECT DISTINCT output_id FROM counted WHERE study_id = ?1 ORDER BY 1 LIMIT 6")?
                .query_map([study.0], |row| row.get(0))?
                .collect::<Result<Vec<i64>, _>>()?;
            for output in &outputs {
                tx.execute(
                    "INSERT INTO adjudications (study_id, output_id, user_id, scores, comment, at)
                     VALUES (?1, ?2, 1, '[4,3,5]', '', 0)",
                    [study.0, *output],
                )?;
            }
            Ok(outputs)
        })
        .unwrap();
    let after = compared(&app, finals.clone()).await;
    assert_ne!(after.revision, before.revision, "a decision is news");
    assert_eq!(after.figures.human.as_ref().unwrap().adjudicated, 6);
    // Each output's decision, or the mean of its ratings as they are stored.
    let counted = app.services.db.read_blocking(recount).unwrap();
    let read = |conn: &rusqlite::Connection| input::read(conn, after.options.name.clone(), &after.selection);
    let input = app.services.db.read_blocking(read).unwrap();
    for (m, model) in after.figures.human.as_ref().unwrap().comparison.models.iter().enumerate() {
        let outputs: std::collections::BTreeSet<_> =
            input.ratings.iter().filter(|r| r.model as usize == m).map(|r| r.output).collect();
        for (d, scores) in model.dimensions.iter().enumerate() {
            let of_output = |output: &OutputId| {
                if decided.contains(&output.0) {
                    return [4.0, 3.0, 5.0][d];
                }
                let own = counted.iter().filter(|row| row.1 == output.0);
                let given: Vec<f64> = own.map(|(.., digits)| f64::from(digits.as_bytes()[d] - b'0')).collect();
                given.iter().sum::<f64>() / given.len() as f64
            };
            let mean = outputs.iter().map(of_output).sum::<f64>() / outputs.len() as f64;
            assert!((scores.own_mean.unwrap() - mean).abs() < 1e-9, "{m} {d}");
        }
    }
    // Raw figures and agreement ignore adjudications.
    let still = compared(&app, selection()).await;
    assert_eq!(still.figures.human.as_ref().unwrap().comparison, raw.figures.human.as_ref().unwrap().comparison);
    assert_eq!(after.figures.human.as_ref().unwrap().reliability, raw.figures.human.as_ref().unwrap().reliability);
    // The list of tasks shows the same scores.
    let page = app.services.comparisons.tasks(&System.admin(), finals, TaskFilter::default()).await.unwrap();
    let place = input.ratings.iter().find(|r| r.output.0 == decided[0]).unwrap();
    let line = page.lines.iter().find(|l| l.task.id == input.tasks[place.task as usize].id).unwrap();
    assert_eq!(line.cells[place.model as usize].means, [Some(4.0), Some(3.0), Some(5.0)]);
}

fn file(kind: RatingsKind, bytes: &str) -> ratings_import::File {
    ratings_import::File {
        dataset: "starter".into(),
        kind,
        name: "theirs.csv".into(),
        content: Box::new(Cursor::new(bytes.to_owned())),
        mapping: Default::default(),
    }
}

#[tokio::test]
async fn judge_model_is_compared_and_never_mixed_in() {
    let app = filled().await;
    let before = compared(&app, selection()).await;
    let csv = app.admin().await.get("/admin/compare/starter/export/ratings.csv").await.body;
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let head = reader.headers().unwrap().clone();
    let at = |name: &str| head.iter().position(|h| h == name).unwrap();
    let mut seen = std::collections::BTreeSet::new();
    let mut judged = "task_id,model,correctness,code_quality,maintainability,why\n".to_owned();
    for row in reader.records() {
        let row = row.unwrap();
        if seen.insert((row[at("task_id")].to_owned(), row[at("model")].to_owned())) {
            judged += &format!(
                "{},{},{},{},{},because\n",
                &row[at("task_id")],
                &row[at("model")],
                &row[at("correctness")],
                &row[at("code_quality")],
                3
            );
        }
    }
    let judge = || RatingsKind::Judge("A judge 1".into());
    let service = &app.services.ratings;
    let preview = service.preview(&System.admin(), file(judge(), &judged)).await.unwrap();
    assert_eq!((preview.ratings, preview.problem_count, preview.imported), (seen.len() as u64, 0, false));
    assert_eq!(preview.unused, ["why"]);
    assert!(compared(&app, selection()).await.figures.judges.is_empty(), "a preview takes nothing");
    service.import(&System.admin(), file(judge(), &judged)).await.unwrap();

    let after = compared(&app, selection()).await;
    assert_ne!(after.revision, before.revision);
    assert_eq!((&after.figures.human, &after.figures.automated), (&before.figures.human, &before.figures.automated));
    let [found] = &after.figures.judges[..] else { panic!("one judge") };
    assert_eq!((found.name.as_str(), found.both), ("A judge 1", seen.len() as u64));
    // It repeats each output's first rater, so it agrees with people more than by chance.
    let correctness = &found.dimensions[0];
    assert!(correctness.agreement.exact.unwrap().value > 0.3, "{correctness:?}");
    assert_eq!(correctness.agreement.kappas.len(), after.raters.len(), "with each rater");
    let outputs: u64 = correctness.means.iter().map(|m| m.outputs).sum();
    assert_eq!(outputs, found.both);
    assert_eq!(found.dimensions[2].correlation.spearman, Err(Undefined::NoVariation), "3 throughout");
    // The same name again would merge two judge models.
    let again = service.import(&System.admin(), file(judge(), &judged)).await;
    assert!(matches!(again, Err(base::error::Failure::App(e)) if e.to_string().contains("already")));
    // A bundle contains it, too.
    let bytes = bundled(&app).await;
    let bundle = bundle::read("b.zip", Cursor::new(&bytes)).unwrap();
    assert_eq!(comparison_figures::compute(&bundle.input).judges, after.figures.judges);
}

#[tokio::test]
async fn imported_ratings_become_a_closed_study_or_nothing() {
    let app = filled().await;
    let csv = app.admin().await.get("/admin/compare/starter/export/ratings.csv").await.body;
    let service = &app.services.ratings;
    let people = || RatingsKind::People("From elsewhere".into());
    // With one invalid line, nothing is imported.
    let wrong = format!("{csv}1,1,r,no-such-task,en,Nobody,1,0,R1,4,3,5,,,,,2026-01-01T00:00:00Z,\n");
    let refused = service.import(&System.admin(), file(people(), &wrong)).await;
    let told = match refused {
        Err(base::error::Failure::App(e)) => e.to_string(),
        other => panic!("{other:?}"),
    };
    assert!(told.contains("Nobody"), "{told}");
    let whole = compared(&app, selection()).await;
    assert_eq!(whole.options.studies.len(), 1, "{:?}", whole.options.studies);

    let taken = service.import(&System.admin(), file(people(), &csv)).await.unwrap();
    let study = taken.study.unwrap();
    assert_eq!((taken.ratings, taken.raters.len()), (105, 3));
    // The same ratings give the same means and the same agreement.
    let theirs = compared(&app, Selection { studies: Some(vec![study]), ..selection() }).await.figures.human.unwrap();
    let ours = whole.figures.human.unwrap();
    let means = |h: &Human| -> Vec<Option<f64>> {
        h.comparison.models.iter().flat_map(|m| m.dimensions.iter().map(|d| d.mean)).collect()
    };
    assert_eq!(means(&theirs), means(&ours));
    let alpha = |h: &Human| h.reliability.iter().map(|r| r.alpha.map(|e| e.value)).collect::<Vec<_>>();
    assert_eq!(alpha(&theirs), alpha(&ours));
    let (kept, anew) = app.services.db.read_blocking(|conn| Ok((counted(conn)?, recount(conn)?))).unwrap();
    assert_eq!(kept, anew);
    // Nobody can log in as one of the imported raters.
    let names = app.services.db.read_blocking(|conn| {
        let mut statement = conn.prepare("SELECT name FROM users WHERE name LIKE '%imported%'")?;
        Ok(statement.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?)
    });
    for name in names.unwrap() {
        assert!(
            app.services.accounts.log_in(&name, "", Origin { address: None, device: None }).await.is_err(),
            "{name}"
        );
    }
}

#[tokio::test]
async fn every_chart_is_a_file() {
    let app = filled().await;
    let mut admin = app.admin().await;
    let found = compared(&app, selection()).await;
    let all = chart::comparison::all(texts::I18n::of(model::lang::Lang::En), &found.figures, &found.raters);
    let mut ids: Vec<String> = all.into_iter().map(|figure| figure.id).collect();
    ids.push("tasks-grid".into());
    let distinct: std::collections::BTreeSet<&String> = ids.iter().collect();
    assert_eq!(distinct.len(), ids.len(), "{ids:?}");
    for kind in ["means", "differences", "distribution", "raters"] {
        assert!(ids.contains(&format!("correctness-{kind}")), "{ids:?}");
    }
    for id in
        ["pass-at-1", "avg-pass-ratio", "verdicts", "pass-differences", "tests-both", "paper-automatic", "paper-manual"]
    {
        assert!(ids.iter().any(|known| known == id), "{id} of {ids:?}");
    }
    for id in &ids {
        let answer = admin.get(&format!("/admin/compare/starter/figures/{id}.svg")).await;
        assert_eq!(answer.status, StatusCode::OK, "{id}");
        assert!(answer.body.starts_with("<svg") && !answer.body.contains("<a "), "{id}: a file leads nowhere");
    }
    let dark = admin.get("/admin/compare/starter/figures/correctness-means.svg?theme=dark").await.body;
    assert_ne!(dark, admin.get("/admin/compare/starter/figures/correctness-means.svg").await.body);
    for wrong in ["nothing.svg", "correctness-means.gif", "correctness-means"] {
        let answer = admin.get(&format!("/admin/compare/starter/figures/{wrong}")).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{wrong}");
    }
    let answer = app.rater().await.get("/admin/compare/starter/figures/correctness-means.svg").await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN);
}

/// The per-task results of the published runner, as a run's verdicts would give them.
#[test]
fn published_sums_follow_from_published_results() {
    let Some(folder) = prerequisites::aixbench_data() else { return };
    let check = |model: &str, solved: u32, sum: f64, percent: f64| {
        let path = folder.join(format!("reference_{model}.tsv"));
        let text = std::fs::read_to_string(&path).unwrap();
        let input = results_file::input(&[(model.into(), "results".into(), text)]).unwrap();
        let figures = comparison_figures::compute(&input);
        let metrics = figures.automated.unwrap().models[0].as_ref().unwrap().metrics;
        assert_eq!((metrics.tasks, metrics.solved), (175, solved), "{model}");
        assert!((metrics.ratio_sum - sum).abs() < 5e-5, "{model}: {}", metrics.ratio_sum);
        assert!((metrics.ratio_mean * 100.0 - percent).abs() < 5e-3, "{model}: {}", metrics.ratio_mean);
        assert!(metrics.ratio_sum_clamped < metrics.ratio_sum, "task 164 is an anomaly");
    };
    check("aixcoder", 86, 119.9646, 68.55);
    check("copilot", 79, 121.9653, 69.69);
}

#[tokio::test]
async fn quality_is_drawn_against_tokens_as_far_as_files_report_them() {
    let app = filled().await;
    let mut admin = app.admin().await;
    let without = compared(&app, selection()).await;
    assert!(without.figures.tokens.is_empty());
    assert!(!admin.get("/admin/compare/starter").await.body.contains(r#"id="tokens""#));
    // All outputs of the first model, all but one of the second, none of the third.
    let models: Vec<i64> = without.selection.models.iter().flatten().map(|id| id.0).collect();
    let (first, second) = (models[0], models[1]);
    let report = move |tx: &rusqlite::Transaction<'_>| {
        let add = "INSERT INTO reported (output_id, format, other_text, input_tokens, output_tokens)
            SELECT o.id, 'human_eval_x', 0, 50, CASE s.model_id WHEN ?1 THEN 100 ELSE 3000 END FROM outputs o
            JOIN submissions s ON s.id = o.submission_id WHERE s.model_id = ?1 OR s.model_id = ?2
            AND o.id > (SELECT min(x.id) FROM outputs x JOIN submissions y ON y.id = x.submission_id WHERE y.model_id = ?2)";
        tx.execute(add, [first, second])?;
        Ok(())
    };
    app.services.db.write(report).await.unwrap();
    // Another selection, because the figures of the first are cached.
    let selection = || Selection { scores: CountedScores::Final, ..selection() };
    let found = compared(&app, selection()).await.figures;
    let tokens: Vec<_> = found.tokens.iter().map(|of| (of.generated, of.prompt, of.outputs - of.reported)).collect();
    let outputs = found.tokens[2].outputs;
    assert_eq!(tokens, [(Some(100.0), Some(50.0), 0), (Some(3000.0), Some(50.0), 1), (None, None, outputs)]);

    let names = app.services.comparisons.figure_names(&System.admin(), selection()).await.unwrap();
    let of_tokens: Vec<_> = names.iter().filter(|name| name.ends_with("-tokens")).collect();
    assert_eq!(of_tokens, ["correctness-tokens", "code_quality-tokens", "maintainability-tokens", "pass-tokens"]);
    for name in of_tokens {
        for kind in ["svg", "csv", "txt"] {
            let answer = admin.get(&format!("/admin/compare/starter/figures/{name}.{kind}?scores=final")).await;
            assert_eq!(answer.status, StatusCode::OK, "{name}.{kind}");
        }
    }
    let csv = admin.get("/admin/compare/starter/figures/pass-tokens.csv?scores=final").await.body;
    assert!(csv.starts_with("name,tokens,value,low,high,frontier\n") && csv.lines().count() == 3, "{csv}");
    let page = admin.get("/admin/compare/starter?scores=final&tokens=pass-tokens").await.body;
    for text in
        ["Quality and tokens", "Without token counts: ", "With token counts for only some outputs: ", "chart-frontier"]
    {
        assert!(page.contains(text), "{text}: {page}");
    }
    let chosen = page.split(r#"aria-label="Metric""#).nth(1).unwrap_or_default();
    assert!(chosen.contains("tokens=correctness-tokens#tokens"), "{chosen}");
    let bundle = bundle::read("b.zip", Cursor::new(&bundle_of(&app, selection()).await)).unwrap();
    assert_eq!(comparison_figures::compute(&bundle.input).tokens, found.tokens, "the bundle has what is drawn");
}

#[tokio::test]
async fn slices_are_on_the_page_in_the_api_and_in_a_file() {
    let app = filled().await;
    let mut admin = app.admin().await;
    let page = admin.get("/admin/compare/starter").await.body;
    assert!(page.contains("Results by difficulty, length or language") && !page.contains("slices-caption"), "{page}");
    for at in ["/admin/compare/starter", "/admin/results/datasets/starter"] {
        let page = admin.get(&format!("{at}?slice_by=difficulty&slice_metric=correctness&q=sum")).await.body;
        assert!(page.contains("slices-caption") && page.contains("Correctness (1–4)"), "{page}");
        assert!(page.contains("compare slices in a row") && page.contains(">n = "), "{page}");
        // The form keeps the rest of the address.
        assert!(page.contains(r#"<input type="hidden" name="q" value="sum""#), "{page}");
    }
    // The leaderboard of one dataset has them, too; that of all links to it.
    let board = admin.get("/admin/results?dataset=starter&slice_by=length&slice_metric=correctness").await.body;
    assert!(board.contains("slices-caption") && board.contains("board-rank"), "{board}");
    let board = admin.get("/admin/results").await.body;
    assert!(board.contains(r#"href="/admin/results?dataset=starter#slices""#), "{board}");
    // Every starter task is in Java.
    let page = admin.get("/admin/compare/starter?slice_by=code_lang").await.body;
    assert!(page.contains("tasks are in one slice (Java)") && !page.contains("slices-caption"), "{page}");
    // An attribute that does not exist is none.
    assert!(!admin.get("/admin/compare/starter?slice_by=colour").await.body.contains("slices-caption"));

    let token = app.token(&[Scope::Read]).await;
    let found = admin.api(&token, Method::GET, "/api/v1/comparisons/starter/slices?by=length", None).await;
    assert_eq!(found.status, StatusCode::OK, "{}", found.body);
    let found: Slices = serde_json::from_str(&found.body).unwrap();
    assert!((2..=3).contains(&found.slices.len()), "{:?}", found.slices);
    let keys: Vec<&str> = found.metrics.iter().map(SliceMetric::key).collect();
    assert_eq!(keys, ["correctness", "code_quality", "maintainability", "pass@1"]);
    let tests = found.metrics.last().unwrap();
    let tasks = |figures: &Vec<SliceFigure>| figures[0].tasks;
    assert_eq!(tests.slices.iter().map(tasks).sum::<u64>(), tasks(&tests.all), "every task is in one slice");
    let wrong = admin.api(&token, Method::GET, "/api/v1/comparisons/starter/slices?by=colour", None).await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", wrong.body);
    assert!(wrong.body.contains("code_lang or nl_lang"), "{}", wrong.body);

    let file = admin.get("/admin/compare/starter/export/slices.csv").await.body;
    assert!(file.starts_with("attribute,slice,figure,model,tasks,value,ci95_low,ci95_high,adjusted\n"), "{file}");
    for attribute in ["difficulty", "length", "code_lang", "nl_lang"] {
        assert!(file.lines().any(|line| line.starts_with(&format!("{attribute},"))), "{attribute}: {file}");
    }
}
