//! Rubrics: versions, files, and studies that score by a rubric of the lab's own.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use axum::http::{Method, StatusCode};
use model::{
    api::Scope,
    audit::Object,
    caller::System,
    comparison::Selection,
    conversation::InstructionKind,
    error::AppError,
    grading::{Draft, GradingItem, Next, Receipt},
    ids::{StudyId, SubmissionId, TaskRevisionId},
    lang::Bilingual,
    page::PageOf,
    plan::RatedAnswers,
    quality::{KnownItemSource, NewKnownItem, Pool},
    rubric::{Dimension, DimensionForm, Level, Rubric, SavedRubric},
    study::{NewStudy, StudySettings},
};
use port::{Accounts, Comparisons, Plans, Studies, Submissions, quality::Quality, rubrics::Rubrics, upkeep::Upkeeps};
use serde_json::{Value, json};

use crate::{
    comparisons::pseudonym,
    stalls::{rate_next, study},
    util::{Client, TestApp, make_conversations},
};

/// A rubric of two dimensions, with two and with nine levels.
fn security() -> Rubric {
    let text = |en: &str| Bilingual { en: en.into(), zh: String::new() };
    let dimension = |key: &str, levels: u8| Dimension {
        checklist: false,
        key: key.into(),
        name: text(key),
        question: Bilingual::default(),
        levels: (1..=levels)
            .rev()
            .map(|score| Level { score, label: Bilingual::default(), text: text(&format!("{key} {score}")) })
            .collect(),
    };
    Rubric {
        slug: "security".into(),
        version: 0,
        instructions: false,
        dimensions: vec![dimension("safe", 2), dimension("exposure", 9)],
    }
}

pub async fn save(app: &TestApp, rubric: Rubric) -> SavedRubric {
    app.services.rubrics.save(&System.admin(), rubric, None).await.unwrap()
}

/// A running study of all submissions of the starter dataset that ada and bo rate.
async fn begin(app: &TestApp, rubric: Option<&str>) -> Result<StudyId, AppError> {
    begin_with(app, rubric, None).await
}

/// The same with so many tasks.
async fn begin_with(app: &TestApp, rubric: Option<&str>, tasks: Option<u32>) -> Result<StudyId, AppError> {
    let (admin, most) = (System.admin(), PageOf::first(PageOf::MOST));
    let users = app.services.accounts.users(&admin, most.clone()).await?.rows;
    let rows = app.services.submissions.list(&admin, None, most).await?.rows;
    let new = NewStudy {
        title: "Security review".into(),
        dataset: "starter".into(),
        submissions: rows.iter().map(|row| row.id).collect(),
        raters: users.iter().filter(|user| ["ada", "bo"].contains(&user.name.as_str())).map(|user| user.id).collect(),
        rubric: rubric.map(str::to_owned),
        seed: Some(7),
        settings: StudySettings { raters_per_output: 2, tasks, ..StudySettings::default() },
        ..NewStudy::default()
    };
    app.services.studies.create(&admin, new).await
}

pub async fn next(client: &mut Client, study: &str) -> GradingItem {
    match client.rpc("next_item", json!({"study": study})).await.json() {
        Next::Item(item) => *item,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_stored_version_never_changes() {
    let app = TestApp::demo().await;
    let (rubrics, admin) = (&app.services.rubrics, System.admin());
    let of = |version, new| SavedRubric { slug: "security".into(), version, new };
    assert_eq!(save(&app, security()).await, of(1, true));
    assert_eq!(save(&app, security()).await, of(1, false), "nothing to save");
    let used = begin(&app, Some("security")).await.unwrap();
    let mut edited = security();
    edited.dimensions[0].name.en = "Safety".into();
    assert_eq!(save(&app, edited.clone()).await, of(2, true));
    // An earlier content may return.
    assert_eq!(save(&app, security()).await, of(3, true));
    assert_eq!(app.services.studies.get(&admin, used).await.unwrap().rubric, "security 1");
    let detail = rubrics.get(&admin, "security", Some(2)).await.unwrap();
    assert_eq!(detail.rubric, Rubric { version: 2, ..edited.clone() });
    assert_eq!(detail.versions.iter().map(|v| (v.version, v.studies)).collect::<Vec<_>>(), [(3, 0), (2, 0), (1, 1)]);
    // Two people who edit the same version.
    let late = rubrics.save(&admin, edited.clone(), Some(2)).await.unwrap_err().to_string();
    assert!(late.contains("Somebody saved version 3"), "{late}");
    let taken = rubrics.save(&admin, edited, Some(0)).await.unwrap_err().to_string();
    assert!(taken.contains("already a rubric security"), "{taken}");
    let changed = app.services.db.write_blocking(|tx| Ok(tx.execute("UPDATE rubrics SET json = '{}'", [])?));
    assert!(changed.is_err(), "the database refuses it, too");
}

#[tokio::test]
async fn studies_with_another_rubric_are_rated_and_compared_by_it() {
    let app = TestApp::demo().await;
    let admin = System.admin();
    let mut ada = app.rater().await;
    // Ratings with the bundled rubric.
    let first = study(&mut ada).await;
    for _ in 0..3 {
        assert_eq!(rate_next(&mut ada, &first, "").await, Some(Receipt::Stored));
    }
    save(&app, security()).await;
    let id = begin(&app, Some("security 1")).await.unwrap();
    let studies: Value = ada.rpc("my_studies", json!({})).await.json();
    let mut tokens = studies.as_array().unwrap().iter().map(|study| study["token"].as_str().unwrap().to_owned());
    let own = tokens.find(|token| *token != first).unwrap();
    for n in 0..4_u8 {
        let item = next(&mut ada, &own).await;
        assert_eq!(item.rubric.dimensions, security().dimensions);
        let rate = |scores: Vec<Option<u8>>| {
            let draft = Draft { scores, ..Draft::default() };
            json!({"assignment": item.token, "draft": draft, "key": item.token})
        };
        // Scores of the bundled rubric do not fit.
        assert_ne!(ada.rpc("submit_rating", rate(vec![Some(4), Some(3), Some(5)])).await.status, StatusCode::OK);
        assert_ne!(ada.rpc("submit_rating", rate(vec![Some(3), Some(9)])).await.status, StatusCode::OK);
        let receipt: Receipt = ada.rpc("submit_rating", rate(vec![Some(2), Some(9 - n)])).await.json();
        assert_eq!(receipt, Receipt::Stored);
    }
    let comparisons = &app.services.comparisons;
    let selection = Selection { dataset: "starter".into(), studies: Some(vec![id]), ..Selection::default() };
    let resolved = comparisons.resolve(&admin, selection.clone()).await.unwrap();
    comparisons.computed(&resolved).await.unwrap();
    let human = comparisons.get(&admin, selection.clone()).await.unwrap().figures.human.unwrap().comparison;
    assert_eq!(human.rubric.dimensions, security().dimensions);
    assert_eq!(human.models.iter().map(|model| model.ratings).sum::<u64>(), 4);
    for model in human.models.iter().filter(|model| model.ratings > 0) {
        assert_eq!(model.dimensions[0].mean, Some(2.0));
        assert!(model.dimensions[1].mean.is_some_and(|mean| (6.0..=9.0).contains(&mean)), "{model:?}");
        assert_eq!(model.dimensions.iter().map(|d| d.distribution.len()).collect::<Vec<_>>(), [2, 9]);
    }
    // Both studies at once measure different things.
    let both = Selection { studies: Some(vec![StudyId(1), id]), ..selection };
    let refused = comparisons.get(&admin, both).await.unwrap_err().to_string();
    assert!(refused.contains("cannot be merged") && refused.contains("security 1"), "{refused}");
    let mut browser = app.admin().await;
    let page = browser.get(&format!("/admin/compare/starter?studies={id}")).await.body;
    assert!(page.contains("Not included, because scores by different rubrics cannot be merged"), "{page}");
    let csv = browser.get(&format!("/admin/compare/starter/export/ratings.csv?studies={id}&runs=none")).await.body;
    assert!(csv.lines().next().is_some_and(|head| head.contains("rater,safe,exposure,comment")), "{csv}");
    assert!(csv.contains(",security 1,"), "{csv}");
    for address in [format!("/admin/studies/{id}"), format!("/admin/studies/{id}/quality"), "/admin/results".into()] {
        assert_eq!(browser.get(&address).await.status, StatusCode::OK, "{address}");
    }
    // A duplicate scores by the same version.
    save(&app, Rubric { dimensions: security().dimensions[..1].to_vec(), ..security() }).await;
    let copy = app.services.plans.copy(&admin, id).await.unwrap();
    assert_eq!(app.services.studies.get(&admin, copy).await.unwrap().rubric, "security 1");
}

#[tokio::test]
async fn rubrics_are_files_defaults_and_choices() {
    let app = TestApp::demo().await;
    let admin = System.admin();
    let token = app.token(&[Scope::Read, Scope::WriteStudies, Scope::Admin]).await;
    let mut client = app.anonymous();
    // From one installation to another.
    let answer = client.api(&token, Method::POST, "/api/v1/rubrics", Some(json!(security()))).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    let mut browser = app.admin().await;
    let file = browser.get("/admin/rubrics/security/rubric.json").await;
    let other = TestApp::empty().await;
    let imported = other.services.rubrics.import(&admin, "security-1.json", file.body.as_bytes()).await.unwrap();
    assert!(imported.new && imported.version == 1);
    let refused = other.services.rubrics.import(&admin, "x.json", b"{\n \"slug\": 3}").await.unwrap_err().to_string();
    assert!(refused.starts_with("x.json, line 2: the file is not a rubric"), "{refused}");
    // An empty installation has the bundled rubric, even after a restart.
    let listed = async |app: &TestApp| {
        let rows = app.services.rubrics.list(&admin, PageOf::first(1)).await.unwrap().rows;
        rows.into_iter().map(|row| row.newest.name()).collect::<Vec<_>>()
    };
    assert_eq!(listed(&other).await, ["aixbench 1"]);
    assert_eq!(listed(&other.restarted()).await, ["aixbench 1"]);

    let body = json!({"rubric": "security"});
    let set = client.api(&token, Method::PUT, "/api/v1/datasets/starter/rubric", Some(body)).await;
    assert_eq!(set.json::<Value>()["rubric"], "security 1");
    let id = begin(&app, None).await.unwrap();
    assert_eq!(app.services.studies.get(&admin, id).await.unwrap().rubric, "security 1");
    assert_eq!(app.services.studies.get(&admin, StudyId(1)).await.unwrap().rubric, "aixbench 1");
    let wrong = begin(&app, Some("security 9")).await.unwrap_err().to_string();
    assert!(wrong.contains("there is no rubric \"security 9\""), "{wrong}");

    // Archived, it is the default still, but nothing else offers it.
    let archive = Object::Rubric("aixbench".into());
    app.services.upkeep.set_archived(&admin, archive.clone(), true).await.unwrap();
    assert_eq!(listed(&app).await, ["security 1"]);
    assert!(app.services.rubrics.choices(&admin, "starter").await.unwrap().others.is_empty());
    assert!(app.services.upkeep.delete(&admin, archive.clone()).await.is_err(), "bundled, and in use");
    app.services.upkeep.set_archived(&admin, archive, false).await.unwrap();
    assert_eq!(app.services.rubrics.choices(&admin, "starter").await.unwrap().others[0].name(), "aixbench 1");
    // An unused rubric can be deleted.
    save(&app, Rubric { slug: "unused".into(), ..security() }).await;
    app.services.upkeep.delete(&admin, Object::Rubric("unused".into())).await.unwrap();
    assert!(app.services.rubrics.get(&admin, "unused", None).await.is_err());
}

#[tokio::test]
async fn the_form_of_the_editor_saves_without_scripts_and_names_wrong_fields() {
    let app = TestApp::demo().await;
    let mut browser = app.admin().await;
    let page = browser.get("/admin/rubrics/aixbench/edit").await.body;
    assert!(page.contains("name=\"dimensions[2][levels][4][text_zh]\""), "{page}");
    let form = |key: &'static str, text: &'static str| {
        vec![
            ("slug", "own"),
            ("expected", "0"),
            ("dimensions[0][key]", key),
            ("dimensions[0][name_en]", "Safety"),
            ("dimensions[0][levels][0][text_en]", text),
            ("dimensions[0][levels][0][label_zh]", "安全"),
            ("dimensions[0][levels][1][text_en]", "Unsafe"),
        ]
    };
    let headers = [
        ("content-type", "application/x-www-form-urlencoded"),
        ("accept", "application/json"),
        ("sec-fetch-site", "same-origin"),
    ];
    let body = web::guard::query(form("Not a key", ""));
    let refused = browser.send(Method::POST, "/rpc/save_rubric", &headers, body).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    for field in ["dimensions[0].key", "dimensions[0].levels[0].text"] {
        assert!(refused.body.contains(field), "{}", refused.body);
    }
    let saved = browser.form("/rpc/save_rubric", &form("safety", "<script>alert(1)</script>")).await;
    assert!(saved.status.is_success() || saved.status.is_redirection(), "{}", saved.body);
    let page = browser.get("/admin/rubrics/own").await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.body.contains("&lt;script&gt;") && !page.body.contains("<script>alert"), "texts stay texts");
    let detail = app.services.rubrics.get(&System.admin(), "own", None).await.unwrap();
    assert_eq!(detail.rubric.dimensions[0].levels[0].label.zh, "安全");
    assert_eq!(detail.versions[0].created_by.as_deref(), Some("admin"));
    let entries = app.services.db.read_blocking(|conn| {
        Ok(conn.query_row(
            "SELECT count(*) FROM audit WHERE action = 'rubric.save' AND object = 'rubric own'",
            [],
            |row| row.get::<_, i64>(0),
        )?)
    });
    assert_eq!(entries.unwrap(), 1);
}

/// The rubric of two dimensions with a checklist of two items.
pub fn listed() -> Rubric {
    let mut rubric = Rubric { slug: "listed".into(), ..security() };
    for key in ["tested", "documented"] {
        let item = DimensionForm { key: key.into(), checklist: true, name_en: key.into(), ..DimensionForm::default() };
        rubric.dimensions.push(item.into());
    }
    rubric
}

/// The columns of a table whose texts have no commas.
fn columns<'a>(csv: &'a str, names: &[&str]) -> Vec<Vec<&'a str>> {
    let mut lines = csv.lines();
    let head: Vec<&str> = lines.next().unwrap().trim_start_matches('\u{feff}').split(',').collect();
    let places: Vec<usize> = names.iter().map(|name| head.iter().position(|h| h == name).unwrap()).collect();
    lines.map(|line| line.split(',').collect::<Vec<_>>()).map(|row| places.iter().map(|p| row[*p]).collect()).collect()
}

/// Krippendorff's alpha for nominal data with two values for each unit, by its definition: 1 − observed disagreement
/// over the expected one.
fn nominal_alpha(units: &[(u8, u8)]) -> f64 {
    let values: Vec<u8> = units.iter().flat_map(|(a, b)| [*a, *b]).collect();
    let n = values.len() as f64;
    let observed = units.iter().filter(|(a, b)| a != b).count() as f64 / units.len() as f64;
    let differing = values.iter().map(|a| values.iter().filter(|b| a != *b).count()).sum::<usize>() as f64;
    1.0 - observed / (differing / (n * (n - 1.0)))
}

/// Cohen's kappa without weights.
fn cohens_kappa(units: &[(u8, u8)]) -> f64 {
    let n = units.len() as f64;
    let share = |of: &dyn Fn(&(u8, u8)) -> bool| units.iter().filter(|u| of(u)).count() as f64 / n;
    let chance = share(&|u| u.0 == 1) * share(&|u| u.1 == 1) + share(&|u| u.0 == 0) * share(&|u| u.1 == 0);
    (share(&|u| u.0 == u.1) - chance) / (1.0 - chance)
}

#[tokio::test]
async fn a_checklist_is_rated_exported_and_compared() {
    let app = TestApp::demo().await;
    let admin = System.admin();
    save(&app, listed()).await;
    // Twelve outputs, which both rate.
    let id = begin_with(&app, Some("listed"), Some(4)).await.unwrap();
    let (mut ada, mut bo) = (app.rater().await, app.demo_user("bo").await);
    let own = study(&mut ada).await;
    let submit = async |client: &mut Client, item: &GradingItem, scores: [u8; 4], key: &str| {
        let draft = Draft { scores: scores.map(Some).to_vec(), ..Draft::default() };
        client.rpc("submit_rating", json!({"assignment": item.token, "draft": draft, "key": key})).await
    };
    // An item without an answer is not complete, and has no third answer.
    let item = next(&mut ada, &own).await;
    assert_eq!(item.rubric.dimensions, listed().dimensions);
    for scores in [json!([2, 9, 1, null]), json!([2, 9, 1, 2]), json!([0, 9, 1, 1]), json!([2, 9])] {
        let draft = json!({"scores": scores, "comment": "", "flag": null});
        let answer = ada.rpc("submit_rating", json!({"assignment": item.token, "draft": draft, "key": "no"})).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{scores}");
    }
    // A draft may lack answers, and keeps those that it has.
    let draft = Draft { scores: vec![None, Some(3), Some(0), None], ..Draft::default() };
    ada.rpc("save_draft", json!({"assignment": item.token, "draft": draft})).await.json::<Value>();
    assert_eq!(next(&mut ada, &own).await.draft, draft);
    // A changed answer is a new rating.
    for (key, answer) in [("first", 0), ("second", 1)] {
        assert_eq!(submit(&mut ada, &item, [2, 9, answer, 1], key).await.json::<Receipt>(), Receipt::Stored);
    }
    for (client, every, left) in [(&mut ada, 3, 11), (&mut bo, 2, 12)] {
        for n in 0..left {
            let item = next(client, &own).await;
            let answers = [2, 9, u8::from(n % every != 0), u8::from(n < 11)];
            assert_eq!(submit(client, &item, answers, &n.to_string()).await.json::<Receipt>(), Receipt::Stored);
        }
    }
    let mine = ada.rpc("own_ratings", json!({"study": own})).await.json::<Value>()["rows"].take();
    assert_eq!((mine[11]["scores"].clone(), mine[11]["scales"].clone()), (json!([2, 9, 1, 1]), json!(2)));

    let path = format!("/admin/compare/starter/export/study-ratings.csv?studies={}&runs=none", id.0);
    let csv = app.admin().await.get(&path).await.body;
    let names = ["task_id", "model", "rater", "replaced_at", "tested"];
    let rows = columns(&csv, &names);
    assert_eq!(rows.len(), 25, "{csv}");
    let replaced: Vec<_> = rows.iter().filter(|row| !row[3].is_empty()).collect();
    assert_eq!(
        replaced.iter().map(|row| (row[2], row[4])).collect::<Vec<_>>(),
        [(pseudonym(&app, id, "ada").await.as_str(), "0")],
        "the first answer stays"
    );

    let comparisons = &app.services.comparisons;
    let selection = Selection { dataset: "starter".into(), studies: Some(vec![id]), ..Selection::default() };
    comparisons.computed(&comparisons.resolve(&admin, selection.clone()).await.unwrap()).await.unwrap();
    let human = comparisons.get(&admin, selection).await.unwrap().figures.human.unwrap();
    let counted: Vec<_> = rows.iter().filter(|row| row[3].is_empty()).collect();
    // The share of yes, with all tasks weighing the same.
    for model in human.comparison.models.iter().filter(|model| model.ratings > 0) {
        let mut tasks: std::collections::BTreeMap<&str, Vec<f64>> = std::collections::BTreeMap::new();
        for row in counted.iter().filter(|row| row[1] == model.model) {
            tasks.entry(row[0]).or_default().push(row[4].parse().unwrap());
        }
        let means = tasks.values().map(|answers| answers.iter().sum::<f64>() / answers.len() as f64);
        let expected = means.sum::<f64>() / tasks.len() as f64;
        assert!((model.dimensions[2].mean.unwrap() - expected).abs() < 1e-9, "{model:?}");
        assert_eq!(model.dimensions[2].distribution.iter().sum::<u64>(), model.ratings, "{model:?}");
    }
    // Agreement, against its definitions for two categories without an order.
    let of = |rater: &str, row: &[&str]| {
        let same = counted.iter().find(|other| other[2] == rater && other[..2] == row[..2])?;
        same[4].parse::<u8>().ok()
    };
    let both: Vec<(u8, u8)> =
        counted.iter().filter(|row| row[2] == "R1").filter_map(|row| Some((of("R1", row)?, of("R2", row)?))).collect();
    assert!(both.iter().any(|(a, b)| a != b) && both.iter().any(|(a, b)| a == b), "{both:?}");
    let reliability = &human.reliability[2];
    assert_eq!(reliability.pairs, both.len() as u64);
    let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found} {expected} {both:?}");
    close(reliability.alpha.unwrap().value, nominal_alpha(&both));
    close(reliability.kappas[0].kappa.unwrap().value, cohens_kappa(&both));
    close(reliability.exact.unwrap().value, both.iter().filter(|(a, b)| a == b).count() as f64 / both.len() as f64);
}

/// A study of the outputs of one submission, which are the last answers of conversations of three turns.
pub async fn conversations(app: &TestApp, answers: RatedAnswers) -> (StudyId, SubmissionId) {
    let admin = System.admin();
    let submission = app.services.submissions.list(&admin, None, PageOf::first(1)).await.unwrap().rows[0].id;
    let users = app.services.accounts.users(&admin, PageOf::first(PageOf::MOST)).await.unwrap().rows;
    let new = NewStudy {
        title: "Conversations".into(),
        dataset: "starter".into(),
        submissions: vec![submission],
        raters: users.iter().filter(|user| ["ada", "bo"].contains(&user.name.as_str())).map(|user| user.id).collect(),
        rubric: Some("listed".into()),
        seed: Some(7),
        settings: StudySettings { raters_per_output: 2, answers, tasks: Some(6), ..StudySettings::default() },
        ..NewStudy::default()
    };
    (app.services.studies.create(&admin, new).await.unwrap(), submission)
}

#[tokio::test]
#[allow(clippy::too_many_lines, reason = "one study, from its conversations to its figures")]
async fn raters_see_a_conversation_and_say_which_instructions_an_answer_follows() {
    let app = TestApp::demo().await;
    let admin = System.admin();
    save(&app, Rubric { instructions: true, ..listed() }).await;
    let submission = app.services.submissions.list(&admin, None, PageOf::first(1)).await.unwrap().rows[0].clone();
    let of = submission.id;
    app.services.db.write(move |tx| make_conversations(tx, of)).await.unwrap();
    let (id, _) = conversations(&app, RatedAnswers::Last).await;
    let plan = app.services.plans.get(&admin, id).await.unwrap();
    assert_eq!((plan.answers, plan.outputs), (Some(RatedAnswers::Last), plan.tasks));

    let (mut ada, mut bo) = (app.rater().await, app.demo_user("bo").await);
    let own = study(&mut ada).await;
    let item = next(&mut ada, &own).await;
    let keys: Vec<&str> = item.rubric.dimensions.iter().map(|d| d.key.as_str()).collect();
    assert_eq!(keys, ["safe", "exposure", "tested", "documented", "instruction_1", "instruction_2"]);
    assert_eq!(item.rubric.dimensions[4].question.en, "Instruction 1");
    let html = item.conversation.clone().unwrap();
    for text in ["Turn 1", "Edge cases", "Instruction 2", "earlier 0", "<del", "Changes since the previous answer"] {
        assert!(html.contains(text), "{text}: {html}");
    }
    assert!(!html.contains(&submission.model_name) && !html.contains("Instruction 0"), "{html}");
    // A name in an earlier answer is found before the start, and masked like one in the rated answer.
    let (name, naming) = (submission.model_name.clone(), submission.model_name.clone());
    let set = move |tx: &rusqlite::Transaction<'_>| {
        let sql = "UPDATE outputs SET code = ?2 || char(10) || code WHERE submission_id = ?1 AND turn = 0";
        Ok(tx.execute(sql, (of.0, naming))?)
    };
    app.services.db.write(set).await.unwrap();
    let leaks = app.services.quality.leaks(&admin, id, true).await.unwrap();
    assert_eq!(leaks.count, plan.outputs, "{leaks:?}");
    let shown = ada.rpc("item", json!({"assignment": item.token})).await.json::<GradingItem>().conversation.unwrap();
    assert!(shown.contains(&name), "{shown}");
    app.services.quality.set_mask(&admin, of, true).await.unwrap();
    let shown = ada.rpc("item", json!({"assignment": item.token})).await.json::<GradingItem>().conversation.unwrap();
    assert!(!shown.contains(&name) && shown.contains("earlier 0"), "{shown}");
    // The same in the rater's language, and on the page without JavaScript.
    let page = ada.get(&format!("/grade/{own}/{}", item.token)).await.body;
    assert!(page.contains("Turn 2 · Code style") && page.contains("name=\"score-5\""), "{page}");

    // Each instruction needs an answer; a changed one is a new rating, and the old one stays.
    let rate = async |client: &mut Client, item: &GradingItem, answers: [u8; 2], key: &str| {
        let scores = [2, 9, 1, 0].into_iter().chain(answers).map(Some).collect();
        let draft = Draft { scores, ..Draft::default() };
        client.rpc("submit_rating", json!({"assignment": item.token, "draft": draft, "key": key})).await
    };
    let short = Draft { scores: [2, 9, 1, 0].map(Some).to_vec(), ..Draft::default() };
    let refused = ada.rpc("submit_rating", json!({"assignment": item.token, "draft": short, "key": "short"})).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    for (key, answers) in [("first", [0, 0]), ("second", [1, 1])] {
        assert_eq!(rate(&mut ada, &item, answers, key).await.json::<Receipt>(), Receipt::Stored);
    }
    let again: GradingItem = ada.rpc("item", json!({"assignment": item.token})).await.json();
    assert_eq!(again.draft.scores, [2, 9, 1, 0, 1, 1].map(Some));
    for (client, every) in [(&mut ada, 2_u8), (&mut bo, 3)] {
        let rest: u8 = if every == 2 { 5 } else { 6 };
        for n in 0..rest {
            let item = next(client, &own).await;
            let answers = [u8::from(!n.is_multiple_of(every)), 1];
            assert_eq!(rate(client, &item, answers, &n.to_string()).await.json::<Receipt>(), Receipt::Stored);
        }
    }
    let mine = ada.rpc("own_ratings", json!({"study": own})).await.json::<Value>()["rows"].take();
    assert_eq!(mine[5]["scores"], json!([2, 9, 1, 0, 1, 1]));

    let path = format!("/admin/compare/starter/export/study-ratings.csv?studies={}&runs=none", id.0);
    let csv = app.admin().await.get(&path).await.body;
    let rows = columns(&csv, &["task_id", "model", "rater", "replaced_at", "instructions"]);
    assert_eq!(rows.iter().filter(|row| !row[3].is_empty()).map(|row| row[4]).collect::<Vec<_>>(), ["1:0 2:0"]);
    let counted: Vec<_> = rows.iter().filter(|row| row[3].is_empty()).collect();
    let follows = |rater: &str, task: &str| {
        let row = counted.iter().find(|row| row[2] == rater && row[0] == task).unwrap();
        row[4].strip_prefix("1:").unwrap()[..1].parse::<u8>().unwrap()
    };
    let both: Vec<(u8, u8)> =
        counted.iter().filter(|row| row[2] == "R1").map(|row| (follows("R1", row[0]), follows("R2", row[0]))).collect();
    let comparisons = &app.services.comparisons;
    let selection = Selection { dataset: "starter".into(), studies: Some(vec![id]), ..Selection::default() };
    comparisons.computed(&comparisons.resolve(&admin, selection.clone()).await.unwrap()).await.unwrap();
    let human = comparisons.get(&admin, selection).await.unwrap().figures.human.unwrap();
    let kinds: Vec<_> = human.instructions.iter().map(|of| (of.kind, of.answers)).collect();
    assert_eq!(kinds, [(InstructionKind::EdgeCase, 12), (InstructionKind::CodeStandard, 12)]);
    let edge = &human.instructions[0];
    let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found} {expected} {both:?}");
    close(edge.reliability.alpha.unwrap().value, nominal_alpha(&both));
    let yes = both.iter().map(|(a, b)| f64::from(a + b)).sum::<f64>() / 12.0;
    let at = human.comparison.models.iter().position(|model| model.model == submission.model_name).unwrap();
    close(edge.models[at].mean.unwrap(), yes);
    // The scores are those of the rubric, without the answers.
    assert_eq!(human.comparison.rubric.dimensions.len(), 4);
    assert_eq!(human.reliability.len(), 4);
}

#[tokio::test]
async fn a_study_rates_the_last_answer_or_each_one() {
    let app = TestApp::demo().await;
    let admin = System.admin();
    save(&app, Rubric { instructions: true, ..listed() }).await;
    let submission = app.services.submissions.list(&admin, None, PageOf::first(1)).await.unwrap().rows[0].id;
    app.services.db.write(move |tx| make_conversations(tx, submission)).await.unwrap();
    let (each, _) = conversations(&app, RatedAnswers::Each).await;
    let plan = app.services.plans.get(&admin, each).await.unwrap();
    assert_eq!((plan.answers, plan.outputs), (Some(RatedAnswers::Each), plan.tasks * 3));
    let mut ada = app.rater().await;
    let own = study(&mut ada).await;
    // An answer has the instructions up to its own.
    let mut items = std::collections::BTreeSet::new();
    for n in 0..plan.outputs {
        let item = next(&mut ada, &own).await;
        let asked = item.rubric.dimensions.len() - 4;
        items.insert(asked);
        let scores = [2, 9, 1, 0].into_iter().chain(vec![1; asked]).map(Some).collect();
        let draft = Draft { scores, ..Draft::default() };
        let rating = json!({"assignment": item.token, "draft": draft, "key": n.to_string()});
        assert_eq!(ada.rpc("submit_rating", rating).await.json::<Receipt>(), Receipt::Stored);
    }
    assert_eq!(items.into_iter().collect::<Vec<_>>(), [0, 1, 2]);
    // Pasted code would belong to no conversation.
    let task = app.services.db.read(move |conn| {
        Ok(conn
            .query_row("SELECT revision_id FROM outputs WHERE submission_id = ?1", [submission.0], |row| row.get(0))?)
    });
    let source = KnownItemSource::Pasted {
        task: TaskRevisionId(task.await.unwrap()),
        code: "int a;".into(),
        surrounding_text: String::new(),
    };
    let new = NewKnownItem { source, scores: vec![2, 9, 1, 0], reasons: Vec::new(), pool: Pool::Both };
    let refused = app.services.quality.add_known_item(&admin, each, new).await.unwrap_err().to_string();
    assert!(refused.contains("a conversation"), "{refused}");
    // The other ways: every answer to an instruction is the last of its conversation.
    let draft = |answers| NewStudy {
        title: "Draft".into(),
        dataset: "starter".into(),
        submissions: vec![submission],
        raters: vec![plan.raters[0].id],
        draft: true,
        settings: StudySettings { raters_per_output: 1, answers, ..StudySettings::default() },
        ..NewStudy::default()
    };
    for (way, last, all) in [("n", 1, 3), ("multi", 2, 3), ("single", 2, 3), ("base", 3, 3)] {
        let set = move |tx: &rusqlite::Transaction<'_>| {
            Ok(tx.execute("UPDATE all_submissions SET way = ?2 WHERE id = ?1", (submission.0, way))?)
        };
        app.services.db.write(set).await.unwrap();
        for (answers, times) in [(RatedAnswers::Last, last), (RatedAnswers::Each, all)] {
            let id = app.services.studies.create(&admin, draft(answers)).await.unwrap();
            let plan = app.services.plans.get(&admin, id).await.unwrap();
            assert_eq!(plan.outputs, plan.tasks * times, "{way} {answers:?}");
        }
    }
}
