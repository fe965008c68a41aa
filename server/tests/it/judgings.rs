//! Judgings by an endpoint on this machine, which also misbehaves: only valid answers count, each once, and none of them
//! as a person's.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::{
    collections::BTreeMap,
    io::Read,
    process::Stdio,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::http::{Method, StatusCode};
use model::{
    api::Scope,
    audit::Object,
    caller::{Admin, System},
    collection::{
        CollectionResume, CollectionRow, CollectionSettings, CollectionStatus, RequestRow, RequestStatus, StopReason,
    },
    comparison::Selection,
    conversation::{InstructionAnswer, InstructionKind},
    grading::{Draft, Receipt},
    ids::{CollectionId, StudyId, SubmissionId},
    judging::{JudgingFacts, LevelOrder, NewJudging},
    lang::{Bilingual, Lang},
    page::PageOf,
    plan::RatedAnswers,
    rubric::Rubric,
    upkeep::{Dependent, DependentKind},
};
use port::{Submissions, collections::Collections, upkeep::Upkeeps};
use report::{bundle, comparison_figures};
use serde_json::{Value, json};

use crate::{
    collections::{allow, requests, run, set_up, texts},
    comparisons::{bundle_of, compared, filled, selection},
    rubrics,
    stalls::{count, study},
    util::{
        TestApp,
        endpoint::{Asked, Does, FakeEndpoint},
        make_conversations,
        program::program,
    },
};

const OPERATOR: Admin = System.admin();
/// The demo's study.
const STUDY: StudyId = StudyId(1);

fn new(settings: CollectionSettings) -> NewJudging {
    NewJudging {
        study: Some(STUDY),
        judge: "A judge".into(),
        endpoint: "fake".into(),
        settings,
        ..NewJudging::default()
    }
}

async fn create(app: &TestApp, new: NewJudging) -> CollectionId {
    Collections::create_judging(&app.services.collections, &OPERATOR, new).await.unwrap()
}

fn facts(row: &CollectionRow) -> JudgingFacts {
    row.judging.clone().unwrap()
}

/// An answer with these scores on the rubric of the demo.
fn answer(scores: [u8; 3]) -> String {
    let [correctness, code_quality, maintainability] = scores;
    let scores = json!({"correctness": correctness, "code_quality": code_quality, "maintainability": maintainability});
    json!({"comment": "As asked.", "scores": scores}).to_string()
}

/// A number that is the same for every request about an output.
fn kind(asked: &Asked) -> usize {
    let first = asked.prompt().split("An earlier answer").next().unwrap_or_default();
    first.trim_end().bytes().map(usize::from).sum()
}

fn is_again(asked: &Asked) -> bool {
    asked.prompt().contains("An earlier answer could not be used")
}

#[tokio::test]
async fn scores_stand_beside_peoples_as_they_arrive_and_are_in_none_of_their_figures() {
    let endpoint = FakeEndpoint::start(|asked| Does::Says(answer([3, 2, 1 + (kind(asked) % 5) as u8]))).await;
    let app = filled().await;
    allow(&app, &endpoint);
    let before = compared(&app, selection()).await;
    let id = create(&app, new(CollectionSettings::default())).await;
    let detail = app.services.collections.get(&OPERATOR, id).await.unwrap();
    let total = detail.plan.requests;
    assert_eq!((detail.row.status, endpoint.asked().len(), detail.plan.first.len()), (CollectionStatus::Draft, 0, 3));
    assert!(total > 20 && facts(&detail.row).outputs == total && detail.plan.prompt_tokens > total * 100, "{detail:?}");
    assert_eq!(facts(&detail.row).dimensions, ["correctness", "code_quality", "maintainability"]);

    let row = run(&app, id, CollectionResume { max_requests: Some(7), ..CollectionResume::default() }).await;
    assert_eq!((row.reason, row.answered), (Some(StopReason::MaxRequests), 7));
    let partly = compared(&app, selection()).await;
    assert_eq!(partly.figures.judges.first().map(|judge| judge.outputs), Some(7), "the comparison is live");
    let row = run(&app, id, CollectionResume { max_requests: Some(total), ..CollectionResume::default() }).await;
    assert_eq!((row.status, row.answered, facts(&row).scored), (CollectionStatus::Finished, total, total));

    let after = compared(&app, selection()).await;
    assert_eq!((&after.figures.human, &after.figures.automated), (&before.figures.human, &before.figures.automated));
    let [judge] = &after.figures.judges[..] else { panic!("one judge") };
    assert_eq!((judge.name.as_str(), judge.outputs), ("A judge", total));
    assert_eq!(judge.dimensions[0].means.iter().filter_map(|means| means.judge).fold(0.0, f64::max), 3.0);
    // What was asked names no model, and says what the levels mean.
    let models: Vec<&String> = after.figures.models.iter().collect();
    for asked in endpoint.asked() {
        let body = asked.body.to_string();
        assert!(models.iter().all(|name| !body.contains(name.as_str())), "{body}");
        assert!(asked.body["messages"][0]["role"] == "system" && body.contains("maintainability"), "{body}");
    }
    // Everything is recorded, and in the bundle.
    let first = requests(&app, id).await.remove(0);
    let request = app.services.collections.request(&OPERATOR, id, first.id).await.unwrap();
    assert_eq!((request.messages.len(), request.fault), (2, None));
    assert_eq!((first.reported_model.as_deref(), first.scores.map(|s| s[0])), (Some("fake-1"), Some(3)));
    let bytes = bundle_of(&app, selection()).await;
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(&bytes)).unwrap();
    let mut lines = |name: &str| -> Vec<Value> {
        let mut text = String::new();
        zip.by_name(name).unwrap().read_to_string(&mut text).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let (settings, answers) = (lines("data/judgings.jsonl"), lines("data/judge_answers.jsonl"));
    assert_eq!((settings.len(), &settings[0]["judge"], answers.len() as u64), (1, &json!("A judge"), total));
    assert_eq!((&answers[0]["scores"][0], &answers[0]["comment"]), (&json!(3), &json!("As asked.")));
    assert!(!settings[0].to_string().contains(&endpoint.url));

    // Deleting it deletes its scores, and nothing else; until then, what it judges stays.
    let submission = Object::Submission(SubmissionId(1));
    let judgings = Dependent { kind: DependentKind::Judgings, count: 1 };
    let upkeep = Upkeeps::get(&*app.services.upkeep, &OPERATOR, submission.clone()).await.unwrap();
    assert!(upkeep.in_use.contains(&judgings), "{upkeep:?}");
    let usual = new(CollectionSettings::default());
    let again = Collections::create_judging(&app.services.collections, &OPERATOR, usual).await;
    assert!(texts(&again.unwrap_err()).contains("already has scores of a judge model named A judge"));
    app.services.collections.remove(&OPERATOR, id).await.unwrap();
    assert!(compared(&app, selection()).await.figures.judges.is_empty());
    let upkeep = Upkeeps::get(&*app.services.upkeep, &OPERATOR, submission).await.unwrap();
    assert!(!upkeep.in_use.contains(&judgings), "{upkeep:?}");
    create(&app, new(CollectionSettings::default())).await;
}

#[tokio::test]
async fn what_is_not_valid_is_asked_once_more_and_then_counted_as_no_answer() {
    let endpoint = FakeEndpoint::start(|asked| {
        let valid = answer([2, 1, 4]);
        Does::Says(match (kind(asked) % 6, is_again(asked)) {
            (0, _) => format!("```json\n{valid}\n```"),
            (1, false) => "I would say it is good.".into(),
            (2, false) => valid.replace("\"maintainability\":4", "\"maintainability\":9"),
            (3, false) => r#"{"scores": {"correctness": 2}}"#.into(),
            // Never valid: cut off, and a dimension that the rubric does not have.
            (4, _) => valid[..valid.len() - 2].into(),
            (5, _) => valid.replace("correctness", "kindness"),
            (_, _) => valid,
        })
    })
    .await;
    let app = set_up(&endpoint).await;
    let id = create(&app, new(CollectionSettings { at_once: 3, ..CollectionSettings::default() })).await;
    let row = run(&app, id, CollectionResume::default()).await;
    let first: Vec<Asked> = endpoint.asked().into_iter().filter(|asked| !is_again(asked)).collect();
    let of = |kinds: &[usize]| first.iter().filter(|asked| kinds.contains(&(kind(asked) % 6))).count() as u64;
    let total = first.len() as u64;
    assert!([0, 1, 2, 3, 4, 5].iter().all(|kind| of(&[*kind]) > 0), "every kind of answer comes");
    assert_eq!((row.status, row.answered, row.failed, row.total), (CollectionStatus::Finished, total, 0, total));
    assert_eq!((facts(&row).invalid, facts(&row).scored), (of(&[4, 5]), of(&[0, 1, 2, 3])));
    assert_eq!(row.sent, total + of(&[1, 2, 3, 4, 5]), "each is asked at most once more");
    assert_eq!(endpoint.generated() as u64, row.sent, "asking once more is a request of its own");
    assert_eq!((row.prompt_tokens, row.response_tokens), (10 * row.sent, 20 * row.sent));

    let page = app.services.collections.requests(&OPERATOR, id, model::page::PageOf::first(200)).await.unwrap();
    let mut faults = BTreeMap::<String, usize>::new();
    for row in page.rows.iter().filter(|row| row.scores.is_none()) {
        let request = app.services.collections.request(&OPERATOR, id, row.id).await.unwrap();
        *faults.entry(request.fault.unwrap().en).or_default() += 1;
    }
    let expected = [
        "it is not a JSON object with \"scores\"",
        "the dimension \"code_quality\" has no score",
        "the dimension \"correctness\" has no score",
        "the dimension \"maintainability\" does not have the score 9",
    ];
    assert_eq!(faults.keys().map(String::as_str).collect::<Vec<_>>(), expected);
    // The bundle has the answers without valid scores, too. Nothing is done by resuming a finished one.
    app.services
        .collections
        .resume(&OPERATOR, id, CollectionResume { failed: true, ..CollectionResume::default() })
        .await
        .unwrap();
    assert_eq!(app.services.collections.get(&OPERATOR, id).await.unwrap().row.status, CollectionStatus::Finished);
}

#[tokio::test]
async fn several_answers_become_their_median_and_levels_are_listed_in_the_drawn_order() {
    // The seed tells the answers for an output apart; the order of levels is in the prompt.
    let endpoint = FakeEndpoint::start(|asked| {
        Does::Says(match asked.body["seed"].as_i64() {
            Some(7) => answer([1, 3, 5]),
            Some(8) => answer([4, 2, 1]),
            Some(9) => answer([2, 1, 2]),
            _ => "no seed".into(),
        })
    })
    .await;
    let app = filled().await;
    allow(&app, &endpoint);
    let settings = CollectionSettings { samples: 3, seed: Some(7), ..CollectionSettings::default() };
    let drawn = NewJudging { level_order: LevelOrder::Drawn, lang: Lang::Zh, ..new(settings) };
    let id = create(&app, drawn).await;
    let row = run(&app, id, CollectionResume::default()).await;
    assert_eq!((row.answered, facts(&row).scored * 3), (row.total, row.total));
    let judge = compared(&app, selection()).await.figures.judges.remove(0);
    for (dimension, median) in judge.dimensions.iter().zip([2.0, 2.0, 2.0]) {
        assert!(dimension.means.iter().all(|means| means.judge.is_none_or(|mean| (mean - median).abs() < 1e-12)));
    }
    let orders = app.services.collections.get(&OPERATOR, id).await.unwrap().orders;
    assert_eq!(orders.iter().map(|of| of.answers).sum::<u64>(), row.total);
    assert!(orders.len() == 2 && orders.iter().all(|of| of.means.len() == 3 && of.means[0] > 1.0), "{orders:?}");
    let system = |asked: &Asked| asked.body["messages"][0]["content"].as_str().unwrap_or_default().to_owned();
    let mut orders = BTreeMap::<String, usize>::new();
    for asked in endpoint.asked() {
        *orders.entry(system(&asked)).or_default() += 1;
    }
    assert_eq!(orders.len(), 2, "two orders");
    assert!(orders.values().all(|count| *count as u64 * 4 > row.total), "each about half of the time: {orders:?}");
    assert!(orders.keys().all(|text| text.contains("只回答一个 JSON 对象")));
}

#[tokio::test]
#[allow(clippy::too_many_lines, reason = "one study, from its conversations to its bundle")]
async fn a_judge_answers_which_instructions_an_output_follows() {
    // The seed tells the answers for an output apart. Outputs differ in their kind.
    let endpoint = FakeEndpoint::start(|asked| {
        let (first, second) = match asked.body["seed"].as_i64() {
            Some(7) => (1, 1),
            Some(8) => (0, 0),
            // The third of the first judging; there is none in the second, so that both answers tie.
            _ => (0, 1),
        };
        let scores = json!({"safe": 2, "exposure": 9, "tested": 1, "documented": 0});
        let with = |more: Value| {
            let mut scores = scores.clone();
            scores.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            json!({"comment": "", "scores": scores}).to_string()
        };
        let valid = with(json!({"instruction_1": first, "instruction_2": second}));
        Does::Says(match (kind(asked) % 4, is_again(asked)) {
            // Without one of the answers, and with one that is neither yes nor no: asked once more.
            (0, false) => with(json!({"instruction_1": first})),
            (1, false) => with(json!({"instruction_1": first, "instruction_2": "yes"})),
            // About an instruction that there is not: no answer, also when asked once more.
            (2, _) => with(json!({"instruction_1": first, "instruction_2": second, "instruction_3": 1})),
            _ => valid,
        })
    })
    .await;
    let app = set_up(&endpoint).await;
    rubrics::save(&app, Rubric { instructions: true, ..rubrics::listed() }).await;
    let submission = app.services.submissions.list(&OPERATOR, None, PageOf::first(1)).await.unwrap().rows[0].id;
    app.services.db.write(move |tx| make_conversations(tx, submission)).await.unwrap();
    let (id, _) = rubrics::conversations(&app, RatedAnswers::Last).await;
    // Ada follows no first instruction of every other output; both are followed for Bo.
    for (who, every) in [("ada", 2), ("bo", 100)] {
        let mut client = app.demo_user(who).await;
        let own = study(&mut client).await;
        for n in 0..6 {
            let item = rubrics::next(&mut client, &own).await;
            let scores = [2, 9, 1, 0, u8::from((n + 1) % every != 0), 1].map(Some).to_vec();
            let draft = Draft { scores, ..Draft::default() };
            let rating = json!({"assignment": item.token, "draft": draft, "key": n.to_string()});
            assert_eq!(client.rpc("submit_rating", rating).await.json::<Receipt>(), Receipt::Stored);
        }
    }
    let selection = Selection { dataset: "starter".into(), studies: Some(vec![id]), ..Selection::default() };
    let before = compared(&app, selection.clone()).await;

    let settings = CollectionSettings { samples: 3, seed: Some(7), ..CollectionSettings::default() };
    let judging = create(&app, NewJudging { study: Some(id), ..new(settings) }).await;
    let row = run(&app, judging, CollectionResume::default()).await;
    let facts = facts(&row);
    assert!(facts.instructions && facts.dimensions.len() == 4 && facts.outputs == 6, "{facts:?}");
    let all = requests(&app, judging).await;
    let answered: Vec<&RequestRow> = all.iter().filter(|row| row.scores.is_some()).collect();
    assert_eq!(answered.len() as u64 + facts.invalid, row.total);
    assert!(
        facts.invalid > 0 && facts.scored > 1 && all.iter().any(|row| row.turn == 1),
        "every kind comes: {facts:?}"
    );
    assert_eq!(answered.len() as u64, facts.scored * 3, "each answer for an output is of one kind");
    for request in &answered {
        let turns: Vec<u32> = request.instruction_answers.iter().map(|answer| answer.turn).collect();
        assert_eq!((request.scores.as_deref(), turns), (Some(&[2, 9, 1, 0][..]), vec![1, 2]));
    }
    let first = |seed: u32| answered.iter().find(|row| row.sample == seed).unwrap().instruction_answers[0];
    assert_eq!(first(0), InstructionAnswer { turn: 1, follows: true });
    assert_eq!(first(1), InstructionAnswer { turn: 1, follows: false });
    // What is asked: each instruction as material, and no other conversation's.
    let asked = endpoint.asked().remove(0);
    let (system, user) = (asked.body["messages"][0].to_string(), asked.body["messages"][1]["content"].to_string());
    assert!(system.contains("instruction_2") && !system.contains("Instruction 2"), "{system}");
    assert!(user.contains("<<<instruction_1 ") && user.matches("Instruction 1").count() == 1, "{user}");

    // Two of three answers say no to the first instruction, and yes to the second.
    let after = compared(&app, selection.clone()).await;
    assert_eq!(after.figures.human, before.figures.human, "people's figures are theirs");
    let [judge] = &after.figures.judges[..] else { panic!("one judge") };
    assert_eq!((judge.outputs, judge.both, judge.dimensions.len()), (facts.scored, facts.scored, 4));
    let of = |kind| &judge.instructions.iter().find(|of| of.kind == kind).unwrap().figures;
    let (edge, style) = (of(InstructionKind::EdgeCase), of(InstructionKind::CodeStandard));
    let pairs = facts.scored * 2;
    assert_eq!((edge.agreement.pairs, style.agreement.pairs), (pairs, pairs));
    assert_eq!((edge.confusion[0][1], edge.confusion[1][1]), (0, 0), "the judge says no");
    assert_eq!(edge.confusion[0][0] + edge.confusion[1][0], pairs);
    assert_eq!(style.confusion, vec![vec![0, 0], vec![0, pairs]]);
    assert_eq!(style.agreement.exact.unwrap().value, 1.0);
    assert_eq!(edge.agreement.kappas.iter().filter(|of| of.outputs > 0).count(), 2, "one with each rater");

    // The page of a request, the API and the bundle have the answers; the bundle gives the same figures again.
    let request = answered[0].id;
    let page = app.admin().await.get(&format!("/admin/collections/{judging}?request={request}")).await.body;
    assert!(page.contains("followed, ") || page.contains("not followed"), "{page}");
    let page = app.admin().await.get(&format!("/admin/compare/starter?studies={id}")).await.body;
    assert!(page.contains("Instruction: Edge cases"), "{page}");
    let token = app.token(&[Scope::Read]).await;
    let path = format!("/api/v1/collections/{judging}/requests?size=1");
    let listed: Value = app.anonymous().api(&token, Method::GET, &path, None).await.json();
    assert_eq!(listed["items"][0]["instruction_answers"].as_array().map(|all| all.len() % 2), Some(0), "{listed}");
    let bytes = bundle_of(&app, selection.clone()).await;
    let found = bundle::read("b.zip", std::io::Cursor::new(&bytes)).unwrap();
    assert_eq!(found.input.judges[0].instructions.len() as u64, pairs);
    assert_eq!(comparison_figures::compute(&found.input), found.figures);
    assert_eq!(found.figures.judges, after.figures.judges);
    let mut text = String::new();
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(&bytes)).unwrap();
    zip.by_name("data/judge_answers.jsonl").unwrap().read_to_string(&mut text).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.iter().filter(|line| line["instructions"] == "1:1 2:1").count() as u64, facts.scored);
    assert!(lines.iter().filter(|line| line["scores"].is_null()).all(|line| line.get("instructions").is_none()));

    // Two answers that contradict each other: the instruction counts as not followed.
    let settings = CollectionSettings { samples: 2, seed: Some(7), ..CollectionSettings::default() };
    let tie = NewJudging { study: Some(id), judge: "A tie".into(), ..new(settings) };
    let tie = create(&app, tie).await;
    run(&app, tie, CollectionResume::default()).await;
    let figures = compared(&app, selection.clone()).await.figures;
    let tied = figures.judges.iter().find(|judge| judge.name == "A tie").unwrap();
    assert!(tied.instructions.iter().all(|of| of.figures.confusion[0][1] + of.figures.confusion[1][1] == 0));

    // Deleting the judgings deletes their answers.
    assert_eq!(count(&app, "judged_instructions") as u64, facts.scored * 4);
    for id in [judging, tie] {
        app.services.collections.remove(&OPERATOR, id).await.unwrap();
    }
    app.services.db.clear_imports(base::clock::now()).unwrap();
    assert_eq!((count(&app, "judged_instructions"), count(&app, "judged_scores")), (0, 0));
    assert_eq!(compared(&app, selection).await.figures.human, before.figures.human);
}

#[tokio::test]
async fn trouble_of_the_endpoint_loses_no_answer_and_counts_none_twice() {
    let (hung, repaired) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let is_repaired = repaired.clone();
    let endpoint = FakeEndpoint::start(move |asked| match (kind(asked) % 7, asked.earlier) {
        (0, 0) => Does::Sends(429, vec![("retry-after", "0".into())], String::new()),
        (1, 0) => Does::Sends(503, vec![], "busy".into()),
        (2, 0) => Does::CutsOff,
        (3, 0) => Does::Sends(200, vec![], "{\"choices\": []}".into()),
        // Each costs the time limit.
        (4, 0) if hung.fetch_add(1, Ordering::Relaxed) < 2 => Does::Hangs,
        (5, 0) => Does::Slowly(Duration::from_millis(30), answer([1, 1, 1])),
        // Never ending: the request has failed for good. On a busy machine the time limit may end one before its size
        // does, and it is sent again.
        (6, _) if !is_repaired.load(Ordering::Relaxed) => Does::Endless,
        _ => Does::Says(answer([1, 1, 1])),
    })
    .await;
    let app = set_up(&endpoint).await;
    let id = create(&app, new(CollectionSettings { timeout_s: 5, at_once: 2, ..CollectionSettings::default() })).await;
    let mut row = run(&app, id, CollectionResume::default()).await;
    while row.status == CollectionStatus::Stopped {
        row = run(&app, id, CollectionResume::default()).await;
    }
    assert!(row.failed > 0 && row.answered + row.failed == row.total, "{row:?}");
    repaired.store(true, Ordering::Relaxed);
    let row = run(&app, id, CollectionResume { failed: true, ..CollectionResume::default() }).await;
    assert_eq!((row.status, row.answered, row.failed), (CollectionStatus::Finished, row.total, 0));
    assert_eq!((facts(&row).scored, facts(&row).invalid), (row.total, 0));
    assert_eq!((row.prompt_tokens, row.response_tokens), (10 * row.total, 20 * row.total));
}

#[tokio::test]
async fn budgets_end_it_before_they_are_exceeded() {
    let endpoint =
        FakeEndpoint::start(|asked| Does::Says(if is_again(asked) { answer([1, 1, 1]) } else { "no".into() })).await;
    let app = set_up(&endpoint).await;
    let requests = CollectionSettings { max_requests: Some(9), at_once: 4, ..CollectionSettings::default() };
    let id = create(&app, new(requests)).await;
    let row = run(&app, id, CollectionResume::default()).await;
    assert_eq!((row.reason, row.sent, endpoint.asked().len()), (Some(StopReason::MaxRequests), 9, 9));
    let limit = 4_000;
    let tokens = CollectionSettings {
        max_tokens: Some(limit),
        response_tokens: Some(20),
        at_once: 8,
        ..CollectionSettings::default()
    };
    let id = create(&app, NewJudging { judge: "Another judge".into(), ..new(tokens) }).await;
    let row = run(&app, id, CollectionResume::default()).await;
    let used = row.prompt_tokens + row.response_tokens;
    assert_eq!(row.reason, Some(StopReason::MaxTokens));
    assert!(used <= limit && row.sent > 0, "{used} tokens of {limit}");
}

/// The command line is killed with SIGKILL again and again while answers arrive.
#[tokio::test(flavor = "multi_thread")]
async fn killed_programs_lose_no_answer_and_repeat_no_answered_request() {
    const AT_ONCE: usize = 4;
    let endpoint = FakeEndpoint::start(|asked| {
        let invalid = kind(asked).is_multiple_of(3) && !is_again(asked);
        Does::Slowly(Duration::from_millis(40), if invalid { "no".into() } else { answer([3, 2, 1]) })
    })
    .await;
    let app = set_up(&endpoint).await;
    let settings = CollectionSettings { samples: 2, at_once: AT_ONCE as u32, ..CollectionSettings::default() };
    let id = create(&app, new(settings)).await;
    app.services.collections.resume(&OPERATOR, id, CollectionResume::default()).await.unwrap();
    let (name, number) = (format!("fake={}", endpoint.url), id.to_string());
    let (mut kills, mut stored) = (0, BTreeMap::<i64, RequestRow>::new());
    loop {
        let mut child = program(&app, &["judge", "--resume", &number, "--endpoint", &name])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let asked = endpoint.asked().len();
        let mut ended = false;
        while endpoint.asked().len() < asked + 17 && !ended {
            ended = child.try_wait().unwrap().is_some();
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // A later process takes over when the lease of the killed one has expired.
        app.services.db.write(move |tx| Ok(tx.execute("UPDATE collections SET leased_until = 0", [])?)).await.unwrap();
        for request in requests(&app, id).await.into_iter().filter(|r| r.status == RequestStatus::Answered) {
            let before = stored.insert(request.id, request.clone());
            assert!(before.is_none_or(|before| before == request), "a stored answer changed");
        }
        if ended {
            break;
        }
        kills += 1;
        assert!(kills < 100, "it never ends");
    }
    let row = app.services.collections.get(&OPERATOR, id).await.unwrap().row;
    assert_eq!((row.status, row.answered, row.failed), (CollectionStatus::Finished, row.total, 0));
    assert_eq!((facts(&row).scored * 2, facts(&row).invalid), (row.total, 0));
    assert!(kills >= 3, "{kills} kills");
    let count = "SELECT count(*) FROM collection_requests WHERE status = 'answered'";
    let answered: usize =
        app.services.db.read(move |conn| Ok(conn.query_row(count, [], |row| row.get(0))?)).await.unwrap();
    assert!(answered as u64 > row.total, "some were asked once more");
    assert_eq!(endpoint.generated(), answered, "each request has its own key, and no other");
    assert!(endpoint.asked().len() <= answered + kills * AT_ONCE, "at most those in flight are repeated");
    assert_eq!((row.prompt_tokens, row.response_tokens), (10 * answered as u64, 20 * answered as u64));
}

#[tokio::test]
async fn what_a_judge_writes_is_text_everywhere() {
    let hostile = "\u{1b}[31m=cmd()|' /C calc'!A0 <script>alert(1)</script> </textarea>";
    let endpoint = FakeEndpoint::start(move |_| {
        let scores = json!({"correctness": 1, "code_quality": 1, "maintainability": 1});
        Does::Says(json!({"comment": hostile, "scores": scores}).to_string())
    })
    .await;
    let app = set_up(&endpoint).await;
    let name = format!("fake={}", endpoint.url);
    let call = |args: &[&str]| {
        let mut command = program(&app, args);
        tokio::task::spawn_blocking(move || command.output().unwrap())
    };
    // An output with terminal escapes is shown without them.
    let escape = "UPDATE outputs SET code = code || char(27) || '[2J'";
    app.services.db.write(move |tx| Ok(tx.execute(escape, [])?)).await.unwrap();
    let planned = call(&["judge", "1", "--judge", "J", "--endpoint", &name, "--dry-run"]).await.unwrap();
    let text = String::from_utf8(planned.stdout).unwrap();
    assert!(planned.status.success() && text.contains("Dry run: nothing was sent."), "{text}");
    assert!(!text.contains('\u{1b}') && text.contains("[2J") && endpoint.asked().is_empty());
    let task = text.split("--- Task ").nth(1).and_then(|rest| rest.lines().next()).unwrap().to_owned();
    let made = call(&["--json", "judge", "1", "--judge", "J", "--endpoint", &name, "--task", &task]).await.unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let made: Value = serde_json::from_slice(&made.stdout).unwrap();
    assert_eq!(made["judging"]["scored"], made["total"]);
    let id = made["id"].to_string();
    for command in [&["collections", "list"][..], &["collections", "show", &id], &["collections", "requests", &id]] {
        let shown = call(command).await.unwrap();
        let text = String::from_utf8(shown.stdout).unwrap();
        assert!(shown.status.success() && !text.contains('\u{1b}'), "{text}");
    }
    let mut admin = app.admin().await;
    let first = requests(&app, CollectionId(id.parse().unwrap())).await.remove(0);
    let page = admin.get(&format!("/admin/collections/{id}?request={}", first.id)).await.body;
    assert!(page.contains("&lt;script>alert(1)") || page.contains("&lt;script&gt;alert(1)"), "it is shown as text");
    assert!(!page.contains("<script>alert(1)"));
    // Mistakes are told before anything is sent.
    for (args, words) in [
        (&["judge", "1", "--judge", "J", "--endpoint", &name][..], "already has scores"),
        (&["judge", "77", "--judge", "K", "--endpoint", &name], "study"),
        (&["judge", "1", "--judge", "K", "--endpoint", &name, "--task", "nope"], "no output for a task nope"),
        (&["judge", "1", "--judge", "K", "--endpoint", &name, "--level-order", "best"], "\"best\" is none of"),
        (&["collect", "--resume", &id, "--endpoint", &name, "--samples", "0"], ""),
    ] {
        let refused = call(args).await.unwrap();
        let told = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(told.contains(words), "{args:?}: {told}");
    }
    let imported = call(&["collections", "import", &id]).await.unwrap();
    assert!(String::from_utf8_lossy(&imported.stderr).contains("A judging has no outputs to import"));
}

#[tokio::test]
async fn rest_creates_judgings_and_refuses_what_does_not_fit() {
    let endpoint = FakeEndpoint::start(|_| Does::Says(answer([1, 1, 1]))).await;
    let app = set_up(&endpoint).await;
    let refused = async |new: NewJudging, words: &str| {
        let error = Collections::plan_judging(&app.services.collections, &OPERATOR, new).await.unwrap_err();
        assert!(texts(&error).contains(words), "{error:?}");
    };
    let usual = || new(CollectionSettings::default());
    refused(NewJudging { study: None, ..usual() }, "a study or a submission").await;
    refused(NewJudging { submission: Some(SubmissionId(1)), ..usual() }, "a study or a submission").await;
    refused(NewJudging { rubric: "aixbench".into(), ..usual() }, "its own rubric").await;
    refused(NewJudging { judge: " ".into(), ..usual() }, "the name is empty").await;
    let template = Bilingual { en: "{description}".into(), zh: String::new() };
    let settings = CollectionSettings { template, ..CollectionSettings::default() };
    refused(NewJudging { settings, ..usual() }, "template of its own").await;
    let settings = CollectionSettings { samples: 0, ..CollectionSettings::default() };
    refused(NewJudging { settings, ..usual() }, "from 1 to 1000").await;

    let token = app.token(&[Scope::Read, Scope::WriteData]).await;
    let mut admin = app.anonymous();
    let body = json!({"submission": 1, "rubric": "aixbench 1", "judge": "J", "endpoint": "fake", "level_order": "worst_first"});
    let plan: Value = admin.api(&token, Method::POST, "/api/v1/judgings/plan", Some(body.clone())).await.json();
    let made = admin.api(&token, Method::POST, "/api/v1/judgings", Some(body)).await;
    assert_eq!(made.status, StatusCode::CREATED);
    let id = made.json::<Value>()["id"].as_i64().unwrap();
    let found: Value = admin.api(&token, Method::GET, &format!("/api/v1/collections/{id}"), None).await.json();
    assert_eq!(found["row"]["total"], plan["requests"]);
    assert_eq!(found["row"]["judging"]["level_order"], "worst_first");
    let list: Value = admin.api(&token, Method::GET, "/api/v1/collections?kind=scores", None).await.json();
    assert_eq!(list["items"].as_array().map(Vec::len), Some(1), "{list}");
    let list: Value = admin.api(&token, Method::GET, "/api/v1/collections?kind=outputs", None).await.json();
    assert_eq!(list["items"].as_array().map(Vec::len), Some(0), "{list}");
}
