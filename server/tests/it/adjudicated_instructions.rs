//! Answers about the instructions of conversations on which raters disagree, and their adjudication.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use axum::http::{Method, StatusCode};
use model::{
    api::Scope,
    caller::{Admin, System},
    comparison::{CountedScores, Selection},
    conversation::InstructionKind,
    feedback::{Disagreement, DisagreementQueue},
    grading::{Draft, Next, Receipt},
    ids::{StudyId, Token},
    inbox::{InboxFilter, InboxItem, InboxKind},
    page::PageOf,
    plan::RatedAnswers,
    quality::{CORRECTNESS, DisagreementState, Policy, QualitySettings, RatingFilter},
    rubric::Rubric,
};
use port::{
    Accounts, Plans, Submissions,
    inbox::Inbox,
    quality::{Monitoring as _, Quality as _},
};
use report::{bundle, comparison_figures};
use serde_json::{Value, json};

use crate::{
    comparisons::{bundle_of, compared},
    rubrics,
    stalls::study,
    util::{Client, TestApp, make_conversations},
};

const ADMIN: Admin = System.admin();
const SCORES: [u8; 4] = [2, 9, 1, 0];

/// A study of six conversations with two instructions each, for Ada and Bo.
async fn begin(settings: QualitySettings) -> (TestApp, StudyId) {
    let app = TestApp::demo().await;
    let mut rubric = Rubric { instructions: true, ..rubrics::listed() };
    // The one dimension that can have a limit of its own.
    rubric.dimensions[0].key = CORRECTNESS.into();
    rubrics::save(&app, rubric).await;
    let submissions = app.services.submissions.list(&ADMIN, None, PageOf::first(1)).await.unwrap();
    let submission = submissions.rows[0].id;
    app.services.db.write(move |tx| make_conversations(tx, submission)).await.unwrap();
    let (id, _) = rubrics::conversations(&app, RatedAnswers::Last).await;
    app.services.quality.set(&ADMIN, id, crate::util::change_to(&settings)).await.unwrap();
    (app, id)
}

/// Rates everything: yes to the second instruction of each output, and `first` to the first of the n-th.
async fn rate(app: &TestApp, who: &str, first: impl Fn(u8) -> u8) -> Client {
    let mut client = app.demo_user(who).await;
    let own = study(&mut client).await;
    for n in 0.. {
        let Next::Item(item) = client.rpc("next_item", json!({"study": own, "holding": []})).await.json() else {
            break;
        };
        submit(&mut client, &item.token, first(n), &n.to_string()).await;
    }
    client
}

async fn submit(client: &mut Client, item: &Token, first: u8, key: &str) {
    let scores = SCORES.into_iter().chain([first, 1]).map(Some).collect();
    let draft = Draft { scores, ..Draft::default() };
    let sent = json!({"assignment": item, "draft": draft, "key": key});
    assert_eq!(client.rpc("submit_rating", sent).await.json::<Receipt>(), Receipt::Stored);
}

/// How many disagreements wait, which is the same everywhere.
async fn waiting(app: &TestApp, study: StudyId) -> u64 {
    let live = app.services.quality.live(&ADMIN, study).await.unwrap().disagreements;
    let filter = InboxFilter { kind: Some(InboxKind::Disagreement), study: Some(study) };
    let counts = app.services.inbox.counts(&ADMIN, filter).await.unwrap();
    assert_eq!(counts.first().map_or(0, |count| count.waiting), live, "in the inbox");
    let listed = app.services.inbox.list(&ADMIN, filter, PageOf::first(PageOf::MOST)).await.unwrap().rows;
    assert_eq!(listed.len() as u64, live);
    for row in listed {
        let InboxItem::Disagreement { spread, .. } = row.item else { panic!("{row:?}") };
        assert_eq!(spread, 1, "yes and no are one level apart");
    }
    let queue: DisagreementQueue = app.admin().await.rpc("my_disagreements", json!({})).await.json();
    assert_eq!(queue.waiting, live, "in the list of the adjudicator");
    let rows = app.services.quality.disagreements(&ADMIN, study, PageOf::default()).await.unwrap().page.rows;
    assert_eq!(rows.iter().filter(|row| row.state == DisagreementState::Waiting).count() as u64, live);
    // The rule in SQL, for every output.
    let due = "SELECT count(*) FROM inbox_due WHERE kind = 'disagreement'";
    let due = app.services.db.read(move |conn| Ok(conn.query_row(due, [], |row| row.get::<_, u64>(0))?)).await;
    assert_eq!(due.unwrap(), live);
    live
}

#[tokio::test]
async fn different_answers_about_an_instruction_are_a_disagreement() {
    let (app, id) = begin(QualitySettings { spread: Some(1), ..QualitySettings::default() }).await;
    let mut ada = rate(&app, "ada", |_| 1).await;
    assert_eq!(waiting(&app, id).await, 0, "ratings are missing");
    rate(&app, "bo", |n| u8::from(n > 1)).await;
    assert_eq!(waiting(&app, id).await, 2);
    let filter = RatingFilter { has_disagreement: true, ..RatingFilter::default() };
    assert_eq!(app.services.quality.ratings(&ADMIN, id, filter).await.unwrap().found, 4);

    // A changed rating ends a disagreement, and begins another.
    let rows = app.services.quality.disagreements(&ADMIN, id, PageOf::default()).await.unwrap().page.rows;
    let items = "SELECT h.token FROM handouts h JOIN users u ON u.id = h.user_id
                 WHERE u.name = 'ada' AND h.study_id = ?1 AND h.output_id = ?2";
    let (one, of) = (rows[0].output.0, id.0);
    let token = app.services.db.read(move |conn| Ok(conn.query_row(items, [of, one], |row| row.get(0).map(Token))?));
    let token = token.await.unwrap();
    submit(&mut ada, &token, 0, "agrees").await;
    assert_eq!(waiting(&app, id).await, 1);
    submit(&mut ada, &token, 1, "differs").await;
    assert_eq!(waiting(&app, id).await, 2);

    // A study without a limit has no disagreements; one that limits correctness alone has none about instructions.
    for spread_correctness in [None, Some(0)] {
        let settings = QualitySettings { spread_correctness, ..QualitySettings::default() };
        app.services.quality.set(&ADMIN, id, crate::util::change_to(&settings)).await.unwrap();
        assert_eq!(waiting(&app, id).await, 0);
    }
    // Any difference counts, whatever spread the study allows.
    app.services
        .quality
        .set(&ADMIN, id, model::patch::Patch::of_texts([("spread".into(), "7".into())].into()).into())
        .await
        .unwrap();
    assert_eq!(waiting(&app, id).await, 2);
}

#[tokio::test]
async fn one_more_rater_is_asked_where_answers_about_instructions_differ() {
    let (app, id) = begin(QualitySettings::default()).await;
    rate(&app, "ada", |_| 1).await;
    rate(&app, "bo", |n| u8::from(n > 0)).await;
    let chen = app.services.accounts.users(&ADMIN, PageOf::first(PageOf::MOST)).await.unwrap().rows;
    let chen = chen.iter().find(|user| user.name == "chen").unwrap().id;
    app.services.plans.join(&ADMIN, id, chen, None).await.unwrap();
    let settings = QualitySettings { spread: Some(1), policy: Policy::ExtraRater, ..QualitySettings::default() };
    app.services.quality.set(&ADMIN, id, crate::util::change_to(&settings)).await.unwrap();
    let live = app.services.quality.live(&ADMIN, id).await.unwrap();
    assert_eq!((live.extra, live.extra_waiting), (1, 1));
    rate(&app, "chen", |_| 1).await;
    // The median is that of the scores; the answers count as they are.
    let rows = app.services.quality.disagreements(&ADMIN, id, PageOf::default()).await.unwrap().page.rows;
    assert_eq!((rows.len(), rows[0].state), (1, DisagreementState::Median));
    assert_eq!(rows[0].final_scores, Some(SCORES.map(f64::from).to_vec()));
    assert_eq!(rows[0].ratings.len(), 3);
}

#[tokio::test]
#[allow(clippy::too_many_lines, reason = "one study, from its ratings to its bundle")]
async fn adjudicated_answers_replace_those_of_the_raters() {
    let (app, id) = begin(QualitySettings { spread: Some(1), ..QualitySettings::default() }).await;
    rate(&app, "ada", |_| 1).await;
    rate(&app, "bo", |n| u8::from(n > 2)).await;
    assert_eq!(waiting(&app, id).await, 3);
    let raw = Selection { dataset: "starter".into(), studies: Some(vec![id]), ..Selection::default() };
    let finals = Selection { scores: CountedScores::Final, ..raw.clone() };
    let before = compared(&app, raw.clone()).await.figures;
    let undecided = compared(&app, finals.clone()).await.figures;
    assert_eq!(undecided.human, before.human, "without an adjudication, both are the same");

    // The adjudicator sees the answers beside the scores, under letters.
    let mut admin = app.admin().await;
    let DisagreementQueue { lines, .. } = admin.rpc("my_disagreements", json!({})).await.json();
    assert!(lines.iter().all(|line| line.spread == 1));
    let token = lines[0].token.clone();
    let seen: Disagreement = admin.rpc("open_disagreement", json!({"token": token})).await.json();
    let keys: Vec<&str> = seen.output.rubric.dimensions.iter().map(|d| d.key.as_str()).collect();
    assert_eq!(keys[3..], ["documented", "instruction_1", "instruction_2"]);
    assert_eq!(seen.output.rubric.dimensions[4].question.en, "Instruction 1");
    let mut given: Vec<&[u8]> = seen.output.ratings.iter().map(|rating| rating.scores.as_slice()).collect();
    given.sort_unstable();
    assert_eq!(given, [[2, 9, 1, 0, 0, 1], [2, 9, 1, 0, 1, 1]]);
    let page = admin.get(&format!("/adjudicate/{token}")).await.body;
    assert!(page.contains("Turn 1 · Edge cases") && page.contains("name=\"scores[5]\""), "{page}");

    // Every instruction needs an answer, which is yes or no.
    let api = app.token(&[Scope::WriteStudies]).await;
    let path = format!("/api/v1/adjudications/{token}");
    let put =
        async |scores: Value| app.anonymous().api(&api, Method::PUT, &path, Some(json!({"scores": scores}))).await;
    for wrong in [json!(SCORES), json!([2, 9, 1, 0, 1]), json!([2, 9, 1, 0, 2, 1]), json!([2, 9, 1, 0, 1, 1, 1])] {
        assert_eq!(put(wrong.clone()).await.status, StatusCode::UNPROCESSABLE_ENTITY, "{wrong}");
    }
    assert_eq!(waiting(&app, id).await, 3, "nothing is stored");
    for scores in [[2, 9, 1, 0, 1, 1], [2, 9, 1, 0, 1, 1], [2, 9, 1, 0, 0, 0]] {
        let answer = put(json!(scores)).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    }
    assert_eq!(waiting(&app, id).await, 2);
    // By the page's form, which is sent without JavaScript.
    let other = lines[1].token.clone();
    let fields = [2, 9, 1, 0, 1, 1].map(|score: u8| score.to_string());
    let names: Vec<String> = (0..6).map(|d| format!("scores[{d}]")).collect();
    let mut form = vec![("token", other.0.as_str())];
    form.extend(names.iter().zip(&fields).map(|(name, score)| (name.as_str(), score.as_str())));
    admin.form("/rpc/adjudicate", &form).await;
    assert_eq!(waiting(&app, id).await, 1);

    // Who decided what, and when, stays; an answer that is sent twice counts once.
    let again: Disagreement = admin.rpc("open_disagreement", json!({"token": token})).await.json();
    assert_eq!(again.adjudicated, Some((vec![2, 9, 1, 0, 0, 0], String::new())));
    let rows = app.services.quality.disagreements(&ADMIN, id, PageOf::default()).await.unwrap().page.rows;
    let row = rows.iter().find(|row| row.history.len() == 2).unwrap();
    let history: Vec<_> = row.history.iter().map(|d| (d.scores[4..].to_vec(), d.replaced)).collect();
    assert_eq!(history, [(vec![0, 0], false), (vec![1, 1], true)]);
    assert_eq!(row.final_scores, Some(vec![2.0, 9.0, 1.0, 0.0, 0.0, 0.0]));
    assert_eq!((&row.spread[4..], row.instructions.len()), (&[1, 0][..], 2));
    let list = admin.get(&format!("/admin/studies/{id}/disagreements")).await.body;
    assert!(list.contains("Turn 2 · Code style"), "{list}");
    let count = "SELECT count(*) FROM audit WHERE action = 'output.adjudicate'";
    let audited = app.services.db.read(move |conn| Ok(conn.query_row(count, [], |row| row.get::<_, i64>(0))?)).await;
    assert_eq!(audited.unwrap(), 3);

    // Of six outputs, one has a no to both instructions, one a yes to both; in one, the raters' answers still count.
    let after = compared(&app, finals.clone()).await.figures;
    let human = after.human.as_ref().unwrap();
    let mean = |kind| {
        let of = human.instructions.iter().find(|of| of.kind == kind).unwrap();
        of.models.iter().find_map(|model| model.mean).unwrap()
    };
    let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    close(mean(InstructionKind::EdgeCase), (0.0 + 1.0 + 0.5 + 3.0) / 6.0);
    close(mean(InstructionKind::CodeStandard), 5.0 / 6.0);
    let raters = before.human.as_ref().unwrap();
    for (with, without) in human.instructions.iter().zip(&raters.instructions) {
        assert_eq!((with.answers, &with.reliability), (without.answers, &without.reliability), "the raters' own");
    }
    assert_eq!(compared(&app, raw).await.figures.human, before.human, "raw figures have the raters' answers");
    // The bundle has them, and gives the same figures again.
    let bytes = bundle_of(&app, finals).await;
    let found = bundle::read("b.zip", std::io::Cursor::new(&bytes)).unwrap();
    let answers: Vec<(u32, u8)> = found.input.final_instructions.iter().map(|one| (one.turn, one.follows)).collect();
    assert_eq!(answers.iter().filter(|(turn, _)| *turn == 1).count(), 2);
    assert_eq!(answers.iter().filter(|(_, follows)| *follows == 0).count(), 2);
    assert_eq!(comparison_figures::compute(&found.input), found.figures);
    assert_eq!(found.figures.human, after.human);
}
