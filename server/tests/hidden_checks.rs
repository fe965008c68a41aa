//! Hidden checks behave like work. A model-based test sends the same random sequence of a rater's requests
//! to two studies, one of which hides checks among its work, and compares every answer.
//!
//! Both studies have the same number of items, each with its own task. The contents of an item (description,
//! code, signature) necessarily differ between the studies and are left out of the comparison; opaque names
//! are replaced by the order in which they first appeared.
//!
//! Both studies have the same limits for their raters, and the one with hidden checks has a limit of missed ones, too. It
//! may therefore warn or pause its rater when the other does not: only at the end of a window, whose length counts
//! outputs and checks alike. The test holds that, and then puts the other rater into the same state, so that what
//! follows is compared as well.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

#[path = "hidden_checks/steps.rs"]
mod steps;
mod util;

use axum::http::StatusCode;
use base::clock;
use db::quality::limits;
use model::{
    caller::{Admin, System},
    grading::MyStudy,
    ids::{OutputId, StudyId, SubmissionId, TaskRevisionId, UserId},
    page::PageOf,
    quality::{FeedbackLevel, FlagOn, KnownItemSource, LimitAction, NewKnownItem, Pool, QualitySettings},
    rubric::DimensionForm,
    study::{NewStudy, StudySettings, StudyStatus},
};
use port::{
    Accounts, Studies, Submissions,
    quality::{Monitoring as _, Quality as _},
    rubrics::Rubrics,
};
use proptest::{
    prelude::*,
    test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner},
};
use rusqlite::OptionalExtension;
use serde_json::{Value, json};
use steps::{Content, Step, step};
use util::{Answer, Client, TestApp, make_conversations};

const ADMIN: Admin = System.admin();
/// Outputs of the study with hidden checks.
const WORK: u32 = 14;
/// Outputs of one model in the starter dataset, each with its own task: the most items of a study.
const OUTPUTS: u32 = 28;
/// Ratings between an output and its repeat: more than the window of recent tasks, so that the repeat's task
/// is no nearer than any other.
const REPEAT_APART: u32 = 9;
/// Length of the windows after which limits are checked.
const WINDOW: u32 = 10;
/// Short name of the rubric with a checklist.
const LISTED: &str = "listed";
/// Random sequences per run; `PROPTEST_CASES` sets another number.
const CASES: u32 = 48;

/// A study with its rater, from the rater's view.
struct World {
    study: StudyId,
    rater: UserId,
    token: String,
    /// Items of the checklist in the study's rubric.
    checklist: usize,
    /// The rater's two sessions, used in turn.
    sessions: [Client; 2],
    turn: usize,
    /// The names of the assigned items, in order of first appearance.
    items: Vec<String>,
}

/// The part of a response that the rater sees.
type Seen = (StatusCode, String, Value);

impl World {
    fn session(&mut self) -> &mut Client {
        self.turn += 1;
        &mut self.sessions[self.turn % 2]
    }

    /// The number of items left, as shown in the rater's list of studies.
    async fn left(&mut self) -> u32 {
        let my_studies: Vec<MyStudy> = self.session().rpc("my_studies", json!({})).await.json();
        let row = my_studies.iter().find(|row| row.token.0 == self.token).unwrap();
        u32::try_from(row.progress.left).unwrap()
    }

    /// The item that was assigned so many items ago; an unassigned name if there is none.
    fn item(&self, ago: usize) -> String {
        let at = self.items.len().checked_sub(1 + ago);
        at.map_or_else(|| "0".repeat(32), |at| self.items[at].clone())
    }

    async fn rpc(&mut self, function: &str, arguments: Value) -> Seen {
        let answer = self.session().rpc(function, arguments).await;
        self.seen(&answer)
    }

    fn seen(&mut self, answer: &Answer) -> Seen {
        let mut body = serde_json::from_str(&answer.body).unwrap_or(Value::Null);
        if let Some(token) = body.pointer("/Item/token").and_then(Value::as_str)
            && !self.items.iter().any(|known| known == token)
        {
            self.items.push(token.to_owned());
        }
        self.normalise(&mut body);
        let location = answer.headers.get("location").map_or("", |to| to.to_str().unwrap());
        (answer.status, self.renamed(location), body)
    }

    fn renamed(&self, text: &str) -> String {
        let mut text = text.replace(&self.token, "STUDY");
        for (n, item) in self.items.iter().enumerate() {
            text = text.replace(item, &format!("item {n}"));
        }
        text
    }

    fn normalise(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.renamed(text),
            Value::Array(values) => values.iter_mut().for_each(|value| self.normalise(value)),
            Value::Object(fields) => {
                for content in ["raw_nl", "nl_lang", "signature", "code", "conversation", "title", "rubric"] {
                    fields.remove(content);
                }
                fields.values_mut().for_each(|value| self.normalise(value));
            }
            _ => {}
        }
    }

    /// This study in a rater's lists.
    fn of_study(&self, mut seen: Seen) -> Seen {
        if let Value::Array(studies) = &mut seen.2 {
            studies.retain(|study| study["token"] == "STUDY" || study["study"] == "STUDY");
        }
        seen
    }

    /// The rater's feedback from this study: replies, and figures about the rater.
    fn rater_feedback(&self, mut seen: Seen) -> Seen {
        for list in ["replies", "figures"] {
            let of = seen.2[list].as_array_mut().unwrap();
            of.retain(|one| one["study"] == "STUDY");
            for fields in of.iter_mut().filter_map(Value::as_object_mut) {
                // The clock goes on between the two studies.
                fields.remove("at");
                // Figures beyond progress and pace are shown only while the study hides no checks; a test of its own.
                fields.remove("figures");
            }
        }
        seen
    }

    async fn take(&mut self, app: &TestApp, step: &Step) -> Vec<Seen> {
        match step {
            Step::Next(holding) => {
                let holding: Vec<String> = holding.iter().map(|ago| self.item(*ago)).collect();
                vec![self.rpc("next_item", json!({"study": self.token, "holding": holding})).await]
            }
            Step::RateNext(content) => {
                let next = self.rpc("next_item", json!({"study": self.token, "holding": []})).await;
                let submitted = self.submit(&self.item(0), *content, 0).await;
                vec![next, submitted]
            }
            Step::Item(ago) => vec![self.rpc("item", json!({"assignment": self.item(*ago)})).await],
            Step::Draft(ago, content) => {
                let arguments = json!({"assignment": self.item(*ago), "draft": content.draft(self.checklist)});
                vec![self.rpc("save_draft", arguments).await]
            }
            Step::Submit(ago, content, key) => vec![self.submit(&self.item(*ago), *content, *key).await],
            Step::Skip(ago) => vec![self.rpc("skip", json!({"assignment": self.item(*ago)})).await],
            Step::Bookmark(ago, on) => {
                vec![self.rpc("bookmark", json!({"assignment": self.item(*ago), "on": on})).await]
            }
            Step::Undo(ago) => vec![self.rpc("undo_rating", json!({"assignment": self.item(*ago)})).await],
            Step::Form(ago, action, score) => {
                let (path, score) = (format!("/grade/{}", self.item(*ago)), score.to_string());
                let fields = [("score-0", &*score), ("score-1", &score), ("score-2", &score), ("action", action)];
                // Without a checklist, these are ignored.
                let answer = (score.parse::<u8>().unwrap() % 2).to_string();
                let fields = [
                    &fields[..],
                    &[("score-3", &*answer), ("score-4", &answer)],
                    &[("score-5", &*answer), ("score-6", &answer)],
                ]
                .concat();
                let answer = self.session().form(&path, &fields).await;
                vec![self.seen(&answer)]
            }
            Step::Page(ago) => {
                let path = format!("/grade/{}/{}", self.token, self.item(*ago));
                let answer = self.session().get(&path).await;
                vec![self.seen(&answer)]
            }
            Step::GoOn(ago) => {
                let item = self.item(*ago);
                let answer = self.session().form("/rpc/go_on", &[("what", &item)]).await;
                vec![self.seen(&answer)]
            }
            Step::Lists => {
                let mut own = self.rpc("own_ratings", json!({"study": self.token})).await;
                // The newest alone: a repeat takes the place of the row that it repeats, by a rule about what the rater sees,
                // which `it/quality.rs` holds. The two studies are rated a moment apart.
                if let Some(rows) = own.2.get_mut("rows").and_then(Value::as_array_mut) {
                    rows.truncate(1);
                    rows.iter_mut().filter_map(Value::as_object_mut).for_each(|row| drop(row.remove("at")));
                }
                let my_studies = self.rpc("my_studies", json!({})).await;
                let back = self.rpc("my_feedback", json!({})).await;
                let lists = self.rpc("own_lists", json!({"study": self.token})).await;
                vec![own, lists, self.of_study(my_studies), self.rater_feedback(back)]
            }
            Step::Pause => self.set(app, StudyStatus::Paused).await,
            Step::Resume => self.set(app, StudyStatus::Running).await,
            Step::Close => self.set(app, StudyStatus::Closed).await,
            Step::ReplyToFlag(ago) => vec![self.reply_to_flag(app, *ago).await],
            Step::ReadWarning => {
                let study = self.token.clone();
                let answer = self.session().form("/rpc/go_on", &[("what", &study)]).await;
                vec![self.seen(&answer)]
            }
            Step::PauseRater(paused) => {
                let rater = self.rater;
                app.services.quality.pause_rater(&ADMIN, self.study, rater, *paused).await.unwrap();
                Vec::new()
            }
            // Both worlds share the clock and the submission; see `check`.
            Step::Wait(_) | Step::Mask(_) => Vec::new(),
        }
    }

    async fn submit(&mut self, item: &str, content: Content, key: u8) -> Seen {
        let key = format!("key {item} {key}").replace(' ', "-");
        self.rpc("submit_rating", json!({"assignment": item, "draft": content.draft(self.checklist), "key": key})).await
    }

    /// An admin answers the flag on the item that was assigned so many items ago; a conflict without a flag.
    async fn reply_to_flag(&self, app: &TestApp, ago: usize) -> Seen {
        let token = self.item(ago);
        let on = app.services.db.read(move |conn| {
            let id = |sql| conn.query_row(sql, [&token], |row| row.get::<_, i64>(0)).ok();
            let check = id("SELECT id FROM checks WHERE token = ?1").map(FlagOn::Check);
            let work = id("SELECT a.id FROM handouts h JOIN assignments a ON a.study_id = h.study_id
                           AND a.output_id = h.output_id AND a.user_id = h.user_id WHERE h.token = ?1");
            Ok(check.or(work.map(FlagOn::Assignment)))
        });
        let status = match on.await.unwrap() {
            None => StatusCode::CONFLICT,
            Some(on) => match app.services.quality.reply_to_flag(&ADMIN, self.study, on, "looked at 已查看").await {
                Ok(()) => StatusCode::OK,
                Err(_) => StatusCode::CONFLICT,
            },
        };
        (status, String::new(), Value::Null)
    }

    /// Whether the rater is paused and has a warning, after how many items the last window ended, and how many are rated.
    async fn standing(&self, app: &TestApp) -> Standing {
        let (study, rater) = (self.study, self.rater);
        let found = app.services.db.read(move |conn| {
            let rated = limits::rated(conn, study, rater)?;
            let row = limits::list(conn, study)?.into_iter().find(|row| row.rater == rater).unwrap();
            Ok(Standing {
                paused: row.paused_at.is_some(),
                warned: row.warned,
                exceeded: conn
                    .prepare(
                        "SELECT fast, missed, checks, items FROM rater_limits WHERE study_id = ?1 AND user_id = ?2",
                    )?
                    .query_row([study.0, rater.0], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?]))
                    .optional()?
                    .unwrap_or_default(),
                judged: limits::judged(conn, study, rater)?,
                rated,
            })
        });
        found.await.unwrap()
    }

    /// Puts the rater into the same state as the other study's.
    async fn follow(&self, app: &TestApp, standing: Standing) {
        let (study, rater) = (self.study, self.rater);
        let sql = "UPDATE rater_limits SET warned = ?3, paused_at = CASE WHEN ?4 THEN 1 END,
                       fast = ?5, missed = ?6, checks = ?7, items = ?8
                   WHERE study_id = ?1 AND user_id = ?2";
        let [fast, missed, checks, items] = standing.exceeded;
        let values = (study.0, rater.0, standing.warned, standing.paused, fast, missed, checks, items);
        app.services.db.write(move |tx| Ok(tx.execute(sql, values)?)).await.unwrap();
    }

    async fn set(&self, app: &TestApp, status: StudyStatus) -> Vec<Seen> {
        // Refused in both if the study is already closed.
        let _ = app.services.studies.set_status(&ADMIN, self.study, status).await;
        Vec::new()
    }
}

/// How the rater of a study keeps its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Standing {
    paused: bool,
    warned: bool,
    /// How far the last window exceeded the limits, which a warning says: ratings that were too fast, missed checks, of how
    /// many checks, and of how many items.
    exceeded: [i64; 4],
    judged: Option<u64>,
    rated: u64,
}

/// The installation with all studies.
struct Installation {
    app: TestApp,
    rater: UserId,
    sessions: [Client; 2],
    submission: SubmissionId,
    conversations: bool,
}

impl Installation {
    async fn new() -> Installation {
        Installation::of(false).await
    }

    /// With conversations, every output is the last answer of one, and has two instructions.
    async fn of(conversations: bool) -> Installation {
        let app = TestApp::demo().await;
        let users = app.services.accounts.users(&ADMIN, PageOf::first(PageOf::MOST)).await.unwrap().rows;
        let rater = users.iter().find(|user| user.name == "ada").unwrap().id;
        let sessions = [app.rater().await, app.rater().await];
        // The bundled rubric with a checklist.
        let mut rubric = app.services.rubrics.get(&ADMIN, "aixbench", None).await.unwrap().rubric;
        rubric.slug = LISTED.into();
        rubric.instructions = conversations;
        for key in ["tested", "documented"] {
            let name_en = key.to_owned();
            let item = DimensionForm { key: key.into(), checklist: true, name_en, ..DimensionForm::default() };
            rubric.dimensions.push(item.into());
        }
        app.services.rubrics.save(&ADMIN, rubric, None).await.unwrap();
        let submission =
            app.services.submissions.list(&ADMIN, None, PageOf::first(PageOf::MOST)).await.unwrap().rows[0].id;
        if conversations {
            app.services.db.write(move |tx| make_conversations(tx, submission)).await.unwrap();
        }
        Installation { app, rater, sessions, submission, conversations }
    }

    async fn study(&self, tasks: u32, seed: u64, action: LimitAction) -> World {
        // Every other pair of studies has a checklist.
        let listed = seed % 2 == 1;
        let checklist = if listed { 2 + if self.conversations { 2 } else { 0 } } else { 0 };
        let new = NewStudy {
            title: format!("{tasks} tasks"),
            dataset: "starter".into(),
            submissions: vec![self.submission],
            raters: vec![self.rater],
            seed: Some(seed),
            rubric: listed.then(|| LISTED.to_owned()),
            settings: StudySettings { raters_per_output: 1, tasks: Some(tasks), ..StudySettings::default() },
            ..NewStudy::default()
        };
        let study = self.app.services.studies.create(&ADMIN, new).await.unwrap();
        // Both get figures, so that the figures are compared, too.
        let settings = QualitySettings { shown: FeedbackLevel::Own, ..limits_then(action) };
        self.app.services.quality.set(&ADMIN, study, util::change_to(&settings)).await.unwrap();
        let token = self.app.services.db.read(move |conn| {
            Ok(conn.query_row("SELECT token FROM studies WHERE id = ?1", [study.0], |row| row.get(0))?)
        });
        let token = token.await.unwrap();
        World {
            study,
            rater: self.rater,
            token,
            checklist,
            sessions: self.sessions.clone(),
            turn: 0,
            items: Vec::new(),
        }
    }

    /// The study with `WORK` outputs and hidden checks among them, and the number of its items.
    async fn with_checks(&self, seed: u64, action: LimitAction) -> (World, u32) {
        let mut world = self.study(WORK, seed, action).await;
        let (study, submission) = (world.study, self.submission);
        let spare = self.app.services.db.read(move |conn| {
            let mut statement = conn.prepare(
                "SELECT v.revision_id, min(o.id) FROM studies s
                 JOIN dataset_version_tasks v ON v.version_id = s.version_id
                 JOIN outputs o ON o.revision_id = v.revision_id AND o.submission_id = ?2
                 WHERE s.id = ?1 AND v.revision_id NOT IN (
                     SELECT o.revision_id FROM assignments a JOIN outputs o ON o.id = a.output_id WHERE a.study_id = ?1)
                 GROUP BY v.revision_id ORDER BY v.position LIMIT 4",
            )?;
            let rows = statement.query_map([study.0, submission.0], |row| Ok((row.get::<_, i64>(0)?, row.get(1)?)))?;
            Ok(rows.collect::<Result<Vec<_>, _>>()?)
        });
        for (task, output) in spare.await.unwrap() {
            // Pasted code belongs to no conversation.
            let source = match self.conversations {
                true => KnownItemSource::Output(OutputId(output)),
                false => KnownItemSource::Pasted {
                    task: TaskRevisionId(task),
                    // Written as the outputs of this submission are.
                    code: format!("int known{task} ;"),
                    surrounding_text: String::new(),
                },
            };
            // Answers about instructions have no known scores.
            let known = if world.checklist > 0 { 2 } else { 0 };
            let scores = [vec![2; 3], vec![1; known]].concat();
            let new = NewKnownItem { source, scores, reasons: Vec::new(), pool: Pool::Hidden };
            self.app.services.quality.add_known_item(&ADMIN, study, new).await.unwrap();
        }
        let settings = QualitySettings {
            known_item_every: 4,
            repeat_every: 3,
            repeat_apart: REPEAT_APART,
            shown: FeedbackLevel::Own,
            missed_limit: 2,
            ..limits_then(action)
        };
        self.app.services.quality.set(&ADMIN, study, util::change_to(&settings)).await.unwrap();
        let items = world.left().await;
        (world, items)
    }

    /// A study with this many items and no hidden checks. A task without an output adds none.
    async fn without_checks(&self, items: u32, seed: u64, action: LimitAction) -> World {
        for tasks in items..=OUTPUTS {
            let mut world = self.study(tasks, seed, action).await;
            if world.left().await == items {
                return world;
            }
        }
        unreachable!("the dataset has fewer outputs than {items}")
    }

    /// Sends the sequence to a study with hidden checks and to one without.
    async fn check(&self, seed: u64, action: LimitAction, rated: usize, steps: &[Step]) -> Result<(), TestCaseError> {
        let (mut checked, items) = self.with_checks(seed, action).await;
        prop_assume!(items > WORK && items <= OUTPUTS);
        let mut plain = self.without_checks(items, seed, action).await;
        let mut before = checked.standing(&self.app).await;
        let prefix = vec![Step::RateNext(Content::Plain(2)); rated];
        for (n, step) in prefix.iter().chain(steps).enumerate() {
            if let Step::Wait(minutes) = step {
                clock::advance(i64::from(*minutes) * 60_000);
            }
            if let Step::Mask(on) = step {
                self.app.services.quality.set_mask(&ADMIN, self.submission, *on).await.unwrap();
            }
            let (left, right) = (plain.take(&self.app, step).await, checked.take(&self.app, step).await);
            prop_assert_eq!(left, right, "step {}: {:?} (work left, hidden checks right)", n, step);
            let (mirror, now) = (plain.standing(&self.app).await, checked.standing(&self.app).await);
            prop_assert_eq!((mirror.judged, mirror.rated), (now.judged, now.rated), "windows end together, step {}", n);
            if (mirror.paused, mirror.warned) != (now.paused, now.warned) {
                // Only missed checks can do that, and only where a window ends.
                prop_assert!(now.paused || now.warned, "step {}: {:?}", n, step);
                prop_assert!(now.judged != before.judged && now.judged == Some(now.rated), "step {}: {:?}", n, step);
                prop_assert!(now.rated - before.judged.unwrap_or_default() >= u64::from(WINDOW), "step {}", n);
                plain.follow(&self.app, now).await;
            }
            before = now;
        }
        Ok(())
    }
}

/// Settings with limits that [`Content::Everything`], which takes five seconds, does not keep.
fn limits_then(limit_action: LimitAction) -> QualitySettings {
    QualitySettings { min_seconds: 6, fast_limit: 3, limit_window: WINDOW, limit_action, ..QualitySettings::default() }
}

#[test]
fn hidden_checks_answer_like_work_through_every_sequence() {
    compare(false, CASES);
}

#[test]
fn hidden_checks_of_conversations_answer_like_work() {
    compare(true, CASES / 3);
}

fn compare(conversations: bool, cases: u32) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let installation = runtime.block_on(Installation::of(conversations));
    let config = Config { failure_persistence: None, max_shrink_iters: 40, ..Config::with_cases(cases) };
    // The sequences are always the same, so failures can be reproduced.
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let action = prop::sample::select(vec![LimitAction::Note, LimitAction::Warn, LimitAction::Pause]);
    let input = (0u64..50, action, 0usize..20, prop::collection::vec(step(), 1..40));
    runner
        .run(&input, |(seed, action, rated, steps)| runtime.block_on(installation.check(seed, action, rated, &steps)))
        .unwrap_or_else(|e| panic!("{e}"));
}

/// The rater's answers about the item that was assigned so many items ago.
async fn answers_about(world: &mut World, ago: usize) -> Vec<Seen> {
    let item = world.item(ago);
    let shown = world.rpc("item", json!({"assignment": item})).await;
    let submitted = world.submit(&item, Content::Plain(1), 9).await;
    let undone = world.rpc("undo_rating", json!({"assignment": item})).await;
    vec![shown, submitted, undone]
}

/// Rates items until the newest one is an unrated hidden check.
async fn next_check(app: &TestApp, world: &mut World) {
    loop {
        world.take(app, &Step::Next(Vec::new())).await;
        let token = world.item(0);
        let hidden = app
            .services
            .db
            .read(move |conn| Ok(conn.prepare("SELECT 1 FROM checks WHERE token = ?1")?.exists([token])?));
        if hidden.await.unwrap() {
            return;
        }
        world.take(app, &Step::Submit(0, Content::Plain(2), 0)).await;
    }
}

#[tokio::test]
async fn hidden_checks_are_taken_over_like_work() {
    let installation = Installation::new().await;
    let app = &installation.app;
    let users = app.services.accounts.users(&ADMIN, PageOf::first(PageOf::MOST)).await.unwrap().rows;
    let bo = users.iter().find(|user| user.name == "bo").unwrap().id;
    let (mut checked, items) = installation.with_checks(3, LimitAction::Note).await;
    let mut plain = installation.without_checks(items, 3, LimitAction::Note).await;
    next_check(app, &mut checked).await;
    while plain.items.len() < checked.items.len() {
        plain.take(app, &Step::Next(Vec::new())).await;
        if plain.items.len() < checked.items.len() {
            plain.take(app, &Step::Submit(0, Content::Plain(2), 0)).await;
        }
    }
    // Ada is absent for longer than a lease. Bo joins and rates until nothing is left for him, whatever he asks.
    clock::advance(31 * 60_000);
    for world in [&mut plain, &mut checked] {
        use port::Plans;
        app.services.plans.join(&ADMIN, world.study, bo, None).await.unwrap();
        let mut session = app.demo_user("bo").await;
        // A request that ends the lease of a check of ada's finds nothing; the next one goes on.
        let mut idle = 0;
        while idle < 3 {
            let next: Value = session.rpc("next_item", json!({"study": world.token, "holding": []})).await.json();
            let Some(token) = next.pointer("/Item/token") else {
                idle += 1;
                continue;
            };
            let draft = Content::Plain(3).draft(world.checklist);
            let answer = session.rpc("submit_rating", json!({"assignment": token, "draft": draft, "key": "k"})).await;
            assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
        }
    }
    let (left, right) = (answers_about(&mut plain, 0).await, answers_about(&mut checked, 0).await);
    assert_eq!(left[1].0, StatusCode::CONFLICT, "another rater has it: {left:?}");
    assert_eq!(left[1..], right[1..]);
    // Nothing is left in either study.
    let (left, right) = (plain.left().await, checked.left().await);
    assert_eq!((left, right), (0, 0));
}

#[tokio::test]
async fn own_figures_are_hidden_until_a_study_with_checks_closes() {
    let installation = Installation::new().await;
    let app = &installation.app;
    let (mut world, _) = installation.with_checks(5, LimitAction::Note).await;
    let figures = async |world: &mut World| {
        let back: Value = world.session().rpc("my_feedback", json!({})).await.json();
        let all = back["figures"].as_array().unwrap().clone();
        all.into_iter().find(|of| of["study"] == world.token.as_str()).map(|of| of["figures"].clone())
    };
    while world.left().await > 0 {
        world.take(app, &Step::RateNext(Content::Plain(2))).await;
        // Nothing is left at the end, but a changed rating would still change the figures.
        assert_eq!(figures(&mut world).await, Some(Value::Null));
    }
    app.services.studies.set_status(&ADMIN, world.study, StudyStatus::Closed).await.unwrap();
    assert!(figures(&mut world).await.unwrap().is_array());
}
