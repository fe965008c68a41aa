//! A study's plan while people join, leave and race: every output always has its number of different
//! raters, and nothing is lost or assigned twice.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::sync::Arc;

use crate::util::TestApp;
use db::accounts::Password;
use model::{
    caller::{Caller, Capability, Person, System},
    error::{AppError, Refusal},
    grading::{Draft, GradingItem, Next, NextTask, Receipt},
    ids::{StudyId, SubmissionId, Token, UserId},
    lang::Lang,
    page::PageOf,
    plan::{Extension, Presentation, RatedAnswers, Reads, Sharing},
    quality::{
        BREAK_MOST, CalibrationMode, FeedbackLevel, KnownItemSource, LimitAction, MISSED_LEAST, NewKnownItem, Policy,
        Pool, QualitySettings, SECONDS_MOST, WINDOW_LEAST, WINDOW_MOST,
    },
    study::{NewStudy, StudySettings, StudyStatus},
    user::{Me, Role},
};
use port::{Grading, Plans, Studies, Submissions, quality::Quality as _};
use proptest::{
    prelude::*,
    test_runner::{TestCaseError, TestRunner},
};
use services::{Services, starter};

/// A data folder with the starter's outputs and this many raters, who need no password here.
pub async fn people(raters: usize) -> (TestApp, Vec<Person>) {
    let app = TestApp::empty().await;
    starter::load(&app.services).await.unwrap();
    let callers = app
        .services
        .db
        .write(move |tx| {
            let mut callers = Vec::new();
            for n in 0..raters {
                let name = format!("rater{n}");
                let id =
                    db::accounts::insert(tx, &name, Role::Rater, Password { hash: "none", one_time: false })?.unwrap();
                let me = Me { id, name, role: Role::Rater, lang: Lang::En, settings: Default::default() };
                callers.push(Person::of(&Caller::User(me))?);
            }
            Ok(callers)
        })
        .await
        .unwrap();
    (app, callers)
}

pub fn id(person: &Person) -> UserId {
    person.id
}

pub async fn submissions(services: &Services) -> Vec<SubmissionId> {
    let mut all: Vec<_> = services
        .submissions
        .list(&System.admin(), None, PageOf::first(PageOf::MOST))
        .await
        .unwrap()
        .rows
        .iter()
        .map(|row| row.id)
        .collect();
    all.sort_unstable();
    all
}

pub async fn study(services: &Services, new: NewStudy) -> (StudyId, Token) {
    let id = services.studies.create(&System.admin(), new).await.unwrap();
    let row = services.studies.get(&System.admin(), id).await.unwrap().row;
    (id, row.token)
}

fn full(item: &GradingItem) -> Draft {
    Draft { scores: item.rubric.dimensions.iter().map(|_| Some(1)).collect(), ..Draft::default() }
}

/// Checks what must always be true.
pub async fn sound(services: &Services, study: StudyId) {
    services
        .db
        .read(move |conn| {
            let count = |sql: &str| conn.query_row(sql, [study.0], |row| row.get::<_, i64>(0));
            for (what, sql) in [
                (
                    "an output without exactly its number of raters",
                    "SELECT count(*) FROM (SELECT 1 FROM assignments a JOIN studies s ON s.id = a.study_id
                     WHERE s.id = ?1 GROUP BY output_id HAVING count(*) <> s.raters_per_output OR max(slot) <> s.raters_per_output - 1)",
                ),
                (
                    "a rater twice on one output",
                    "SELECT count(*) FROM (SELECT 1 FROM ratings r JOIN assignments a ON a.id = r.assignment_id
                     WHERE a.study_id = ?1 AND r.replaced_at IS NULL GROUP BY a.output_id, r.user_id
                     HAVING count(*) > 1)",
                ),
                (
                    "a rating that is not its assignment's",
                    "SELECT count(*) FROM ratings r JOIN assignments a ON a.id = r.assignment_id
                     WHERE a.study_id = ?1 AND (a.user_id <> r.user_id OR a.rated_at IS NULL)",
                ),
                (
                    "rated without a rating",
                    "SELECT count(*) FROM assignments a WHERE a.study_id = ?1 AND a.rated_at IS NOT NULL
                     AND NOT EXISTS (SELECT 1 FROM ratings r WHERE r.assignment_id = a.id AND r.replaced_at IS NULL)",
                ),
                (
                    "a former rater with work",
                    "SELECT count(*) FROM assignments a JOIN study_raters m USING (study_id, user_id)
                     WHERE a.study_id = ?1 AND m.removed_at IS NOT NULL AND a.rated_at IS NULL",
                ),
                (
                    "work of a person outside the study",
                    "SELECT count(*) FROM assignments a WHERE a.study_id = ?1 AND a.user_id IS NOT NULL
                     AND NOT EXISTS (SELECT 1 FROM study_raters m
                         WHERE m.study_id = a.study_id AND m.user_id = a.user_id)",
                ),
                (
                    "a rater's figures that are not what is counted",
                    "SELECT count(*) FROM study_raters m WHERE m.study_id = ?1 AND (
                     m.rated <> (SELECT count(*) FROM assignments a WHERE a.study_id = m.study_id
                         AND a.user_id = m.user_id AND a.rated_at IS NOT NULL)
                     OR m.open <> (SELECT count(*) FROM assignments a WHERE a.study_id = m.study_id
                         AND a.user_id = m.user_id AND a.rated_at IS NULL))",
                ),
                (
                    "more than three in one hand",
                    "SELECT count(*) FROM (SELECT 1 FROM assignments a JOIN studies s ON s.id = a.study_id
                     WHERE s.id = ?1 AND s.presentation = 'one' AND leased_until IS NOT NULL
                     GROUP BY user_id HAVING count(*) > 3)",
                ),
                (
                    "a language that the rater may not get",
                    "SELECT count(*) FROM assignments a JOIN study_raters m USING (study_id, user_id)
                     JOIN outputs o ON o.id = a.output_id JOIN task_revisions t ON t.id = o.revision_id
                     WHERE a.study_id = ?1 AND instr(m.reads, t.nl_lang) = 0",
                ),
            ] {
                assert_eq!(count(sql)?, 0, "{what}");
            }
            Ok(())
        })
        .await
        .unwrap();
}

/// Rates until nothing is left for this rater, one output at a time; returns the number of ratings.
async fn rate_all(services: &Services, person: &Person, study: &Token) -> usize {
    let mut given = 0;
    loop {
        match services.grading.next(person, study, Vec::new()).await.unwrap() {
            Next::Item(item) => {
                // Another rater may have taken it over meanwhile; then there is another one.
                match services.grading.submit(person, &item.token, full(&item), "k", true).await {
                    Ok(receipt) => given += usize::from(receipt == Receipt::Stored),
                    Err(AppError::Refused(Refusal::Away)) => {}
                    Err(e) => panic!("{e}"),
                }
            }
            Next::Finished { .. } => return given,
            other => panic!("{other:?}"),
        }
    }
}

async fn finished(services: &Services, study: StudyId) -> (u64, u64) {
    let row = services.studies.get(&System.admin(), study).await.unwrap().row;
    (row.done, row.wanted)
}

#[derive(Clone, Debug)]
enum Step {
    Next { who: usize, ahead: usize },
    Rate(usize),
    Skip(usize),
    Join(usize),
    Leave(usize),
    Race(Vec<usize>),
    MoreRaters,
    MoreTasks,
    MoreModels,
}

fn step(people: usize) -> impl Strategy<Value = Step> {
    let who = 0..people;
    prop_oneof![
        4 => (who.clone(), 0_usize..3).prop_map(|(who, ahead)| Step::Next { who, ahead }),
        6 => who.clone().prop_map(Step::Rate),
        2 => who.clone().prop_map(Step::Skip),
        2 => who.clone().prop_map(Step::Join),
        2 => who.clone().prop_map(Step::Leave),
        4 => prop::collection::vec(who, 2..6).prop_map(Step::Race),
        1 => Just(Step::MoreRaters),
        1 => Just(Step::MoreTasks),
        1 => Just(Step::MoreModels),
    ]
}

#[test]
fn every_output_keeps_its_raters_through_all_changes() {
    const PEOPLE: usize = 6;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let strategy = (
        prop::collection::vec(step(PEOPLE), 1..50),
        any::<u64>(),
        prop_oneof![Just(Presentation::One), Just(Presentation::SideBySide)],
        prop_oneof![Just(Sharing::Count), Just(Sharing::Language), Just(Sharing::Hand)],
    );
    let config = ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() };
    let played = TestRunner::new(config).run(&strategy, |(steps, seed, presentation, sharing)| {
        runtime.block_on(play(PEOPLE, steps, seed, presentation, sharing));
        Ok(())
    });
    played.unwrap();
}

#[allow(clippy::too_many_lines, reason = "one arm for each step")]
async fn play(people_n: usize, steps: Vec<Step>, seed: u64, presentation: Presentation, sharing: Sharing) {
    let (app, callers) = people(people_n).await;
    let services = app.services.clone();
    let operator = System.admin();
    let models = submissions(&services).await;
    if sharing != Sharing::Count {
        let only = Reads::of(&[Lang::En]).unwrap();
        services.plans.set_reads(&operator, id(&callers[3]), only).await.unwrap();
    }
    let new = NewStudy {
        title: "Play".into(),
        dataset: starter::DATASET.into(),
        submissions: models[..2].to_vec(),
        raters: callers[..4].iter().map(id).collect(),
        shares: vec![100; if sharing == Sharing::Hand { 4 } else { 0 }],
        seed: Some(seed),
        settings: StudySettings {
            raters_per_output: 2,
            tasks: Some(6),
            presentation,
            sharing,
            ..StudySettings::default()
        },
        ..NewStudy::default()
    };
    let (study, token) = study(&services, new).await;
    sound(&services, study).await;
    let share = (sharing == Sharing::Hand).then_some(5);
    let mut raters_per_output = 2;
    let mut tasks = 6;
    for step in steps {
        match step {
            Step::Next { who, ahead } => {
                let mut holding = Vec::new();
                for _ in 0..=ahead {
                    match services.grading.next(&callers[who], &token, holding.clone()).await {
                        Ok(Next::Item(item)) => holding.push(item.token),
                        Ok(Next::Finished { .. }) | Err(AppError::NotFound(_)) => break,
                        other => panic!("{other:?}"),
                    }
                }
            }
            Step::Rate(who) => one_rating(&services, &callers[who], &token).await,
            Step::Skip(who) => {
                if let Ok(Next::Item(item)) = services.grading.next(&callers[who], &token, Vec::new()).await {
                    services.grading.skip(&callers[who], &item.token).await.unwrap();
                }
            }
            Step::Join(who) => match services.plans.join(&operator, study, id(&callers[who]), share).await {
                Ok(()) | Err(AppError::Conflict(_)) => {}
                Err(e) => panic!("{e}"),
            },
            Step::Leave(who) => match services.plans.leave(&operator, study, id(&callers[who])).await {
                Ok(()) | Err(AppError::NotFound(_)) => {}
                Err(e) => panic!("{e}"),
            },
            Step::Race(who) => {
                let racing = who.into_iter().map(|who| {
                    let (services, caller, token) = (services.clone(), callers[who].clone(), token.clone());
                    tokio::spawn(async move { one_rating(&services, &caller, &token).await })
                });
                for one in racing.collect::<Vec<_>>() {
                    one.await.unwrap();
                }
            }
            Step::MoreRaters => {
                let by = Extension { raters_per_output: Some(raters_per_output + 1), ..Extension::default() };
                if services.plans.extend(&operator, study, by).await.is_ok() {
                    raters_per_output += 1;
                }
            }
            Step::MoreTasks => {
                let by = Extension { tasks: Some(tasks + 1), ..Extension::default() };
                if services.plans.extend(&operator, study, by).await.is_ok() {
                    tasks += 1;
                }
            }
            Step::MoreModels => {
                let by = Extension { submissions: vec![models[2]], ..Extension::default() };
                let _ = services.plans.extend(&operator, study, by).await;
            }
        }
        sound(&services, study).await;
    }
    // With all raters, shared by count and nothing skipped, everything is rated in the end.
    for caller in &callers {
        let _ = services.plans.join(&operator, study, id(caller), share.map(|_| 1000)).await;
    }
    services.db.write(|tx| Ok(tx.execute("DELETE FROM skips", [])?)).await.unwrap();
    for _ in 0..2 {
        for caller in &callers {
            rate_all(&services, caller, &token).await;
        }
    }
    sound(&services, study).await;
    if sharing == Sharing::Count && presentation == Presentation::One {
        let (done, wanted) = finished(&services, study).await;
        assert_eq!(done, wanted);
    }
}

/// Rates the rater's next output, if there is one.
pub async fn one_rating(services: &Services, person: &Person, study: &Token) {
    match services.grading.next(person, study, Vec::new()).await {
        Ok(Next::Item(item)) => match services.grading.submit(person, &item.token, full(&item), "k", true).await {
            Ok(_) | Err(AppError::Refused(Refusal::Away) | AppError::NotFound(_)) => {}
            Err(e) => panic!("{e}"),
        },
        Ok(Next::Finished { .. }) | Err(AppError::NotFound(_)) => {}
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn twenty_at_once_finish_a_study_together() {
    let (app, callers) = people(20).await;
    let services = app.services.clone();
    let new = NewStudy {
        title: "Twenty".into(),
        dataset: starter::DATASET.into(),
        submissions: submissions(&services).await,
        raters: callers.iter().map(id).collect(),
        seed: Some(20),
        settings: StudySettings { raters_per_output: 7, ..StudySettings::default() },
        ..NewStudy::default()
    };
    let (study, token) = study(&services, new).await;
    let services = Arc::new(services);
    let working: Vec<_> = callers
        .into_iter()
        .map(|caller| {
            let (services, token) = (services.clone(), token.clone());
            tokio::spawn(async move { rate_all(&services, &caller, &token).await })
        })
        .collect();
    let mut given = 0;
    for one in working {
        given += one.await.unwrap();
    }
    sound(&services, study).await;
    let (done, wanted) = finished(&services, study).await;
    assert_eq!((done, given as u64), (wanted, wanted));
}

#[tokio::test]
async fn side_by_side_assigns_whole_tasks_in_a_per_rater_order() {
    let (app, callers) = people(3).await;
    let services = &app.services;
    let new = NewStudy {
        title: "Beside".into(),
        dataset: starter::DATASET.into(),
        submissions: submissions(services).await,
        raters: callers.iter().map(id).collect(),
        seed: Some(3),
        settings: StudySettings {
            raters_per_output: 3,
            presentation: Presentation::SideBySide,
            ..StudySettings::default()
        },
        ..NewStudy::default()
    };
    let (study, token) = study(services, new).await;
    let mut orders = Vec::new();
    for caller in &callers {
        let mut order = std::collections::BTreeMap::new();
        let mut ahead: Option<Token> = None;
        loop {
            let holding = ahead.iter().cloned().collect();
            let NextTask::Task(items) = services.grading.next_task(caller, &token, holding).await.unwrap() else {
                break;
            };
            assert_eq!(items.len(), 3);
            assert!(items.iter().all(|item| item.raw_nl == items[0].raw_nl));
            assert!(!order.contains_key(&items[0].raw_nl), "what the page has does not come again");
            order.insert(items[0].raw_nl.clone(), items.iter().map(|item| item.code.clone()).collect::<Vec<_>>());
            ahead = Some(items[0].token.clone());
            for item in &items {
                services.grading.submit(caller, &item.token, full(item), "k", true).await.unwrap();
            }
        }
        orders.push(order);
    }
    let (done, wanted) = finished(services, study).await;
    assert_eq!(done, wanted);
    assert_eq!(orders[0].keys().collect::<Vec<_>>(), orders[1].keys().collect::<Vec<_>>());
    assert_ne!(orders[0], orders[1], "the letters are each rater's own");
    sound(services, study).await;
}

#[tokio::test]
async fn draft_is_planned_changed_started_and_duplicated() {
    let (app, callers) = people(4).await;
    let services = &app.services;
    let operator = System.admin();
    let new = NewStudy {
        title: "Draft".into(),
        dataset: starter::DATASET.into(),
        submissions: submissions(services).await[..2].to_vec(),
        raters: callers[..2].iter().map(id).collect(),
        shares: vec![20, 10],
        seed: Some(5),
        draft: true,
        settings: StudySettings {
            sharing: Sharing::Hand,
            raters_per_output: 1,
            tasks: Some(15),
            pace_s: Some(60),
            ..StudySettings::default()
        },
        ..NewStudy::default()
    };
    let short = NewStudy { shares: vec![20, 9], ..new.clone() };
    assert!(matches!(services.studies.create(&operator, short).await, Err(AppError::Invalid(_))));
    let (study, token) = study(services, new).await;
    let plan = services.plans.get(&operator, study).await.unwrap();
    assert_eq!((plan.status, plan.wanted, plan.outputs, plan.tasks), (StudyStatus::Draft, 30, 30, 15));
    assert_eq!(plan.raters.iter().map(|r| r.open).collect::<Vec<_>>(), [20, 10]);
    assert_eq!(plan.hours(plan.wanted), Some(0.5));
    for caller in &callers[..2] {
        assert!(matches!(services.grading.next(caller, &token, Vec::new()).await, Err(AppError::NotFound(_))));
        assert!(services.grading.my_studies(caller).await.unwrap().is_empty(), "no rater sees a draft");
    }
    services.plans.join(&operator, study, id(&callers[2]), Some(30)).await.unwrap();
    let plan = services.plans.get(&operator, study).await.unwrap();
    assert_eq!(plan.raters.iter().map(|r| r.open).collect::<Vec<_>>(), [10, 5, 15], "in proportion to the shares");
    services.studies.set_status(&operator, study, StudyStatus::Running).await.unwrap();
    sound(services, study).await;

    // Raised, never lowered.
    let more = |raters_per_output| Extension { raters_per_output: Some(raters_per_output), ..Extension::default() };
    services.plans.extend(&operator, study, more(2)).await.unwrap();
    sound(services, study).await;
    assert!(matches!(services.plans.extend(&operator, study, more(1)).await, Err(AppError::Invalid(_))));
    assert!(matches!(services.plans.extend(&operator, study, more(4)).await, Err(AppError::Invalid(_))));

    let copy = services.plans.copy(&operator, study).await.unwrap();
    let clone = services.plans.get(&operator, copy).await.unwrap();
    assert_eq!((clone.status, clone.wanted, clone.title.as_str()), (StudyStatus::Draft, 60, "Draft (2)"));
    assert_ne!(clone.seed, plan.seed);

    // Each change is in the audit log.
    let actions = services
        .db
        .read(|conn| {
            let mut rows = conn.prepare("SELECT DISTINCT action FROM audit WHERE action LIKE 'study.%' ORDER BY 1")?;
            Ok(rows.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?)
        })
        .await
        .unwrap();
    assert_eq!(actions, ["study.add_rater", "study.create", "study.duplicate", "study.extend", "study.set_status"]);
}

/// What [`a_duplicate_has_the_settings_and_people_of_its_original`] draws: settings that a study with [`ITEMS`] items of
/// each pool accepts.
fn quality() -> impl Strategy<Value = QualitySettings> {
    let calibration = (
        prop_oneof![Just(CalibrationMode::None), Just(CalibrationMode::MustPass), Just(CalibrationMode::Train)],
        0..=3u8,
        1..=ITEMS,
    );
    let every = || prop_oneof![Just(0u32), 2..=10_000u32];
    let disagreements = (
        proptest::option::of(0..=3u8),
        proptest::option::of(0..=3u8),
        prop_oneof![Just(Policy::Adjudicator), Just(Policy::ExtraRater)],
    );
    let shown = prop_oneof![Just(FeedbackLevel::Nothing), Just(FeedbackLevel::Progress), Just(FeedbackLevel::Own)];
    let limits = (
        prop_oneof![Just(0u32), 1..=SECONDS_MOST],
        1..=WINDOW_LEAST,
        prop_oneof![Just(0u32), MISSED_LEAST..=WINDOW_LEAST],
        WINDOW_LEAST..=WINDOW_MOST,
        prop_oneof![Just(LimitAction::Note), Just(LimitAction::Warn), Just(LimitAction::Pause)],
    );
    let due = proptest::option::of((2026..2100u16, 1..=12u8, 1..=28u8));
    let rest = (every(), every(), 0..=10_000u32, disagreements, shown, limits, 0..=BREAK_MOST, due);
    (calibration, rest).prop_map(|((calibration, tolerance, needed), rest)| {
        let (known_item_every, repeat_every, repeat_apart, disagreements, shown, limits, break_minutes, due) = rest;
        let (spread, spread_correctness, policy) = disagreements;
        // An extra rater needs a limit.
        let policy = if spread.or(spread_correctness).is_none() { Policy::Adjudicator } else { policy };
        let (min_seconds, fast_limit, missed_limit, limit_window, limit_action) = limits;
        QualitySettings {
            calibration,
            tolerance,
            needed: if calibration == CalibrationMode::MustPass { needed } else { 0 },
            // A limit of missed checks needs checks.
            known_item_every: if missed_limit > 0 { known_item_every.max(2) } else { known_item_every },
            repeat_every,
            repeat_apart,
            spread,
            spread_correctness,
            policy,
            shown,
            min_seconds,
            fast_limit,
            missed_limit,
            limit_window,
            limit_action,
            break_minutes,
            due: due.map(|(year, month, day)| format!("{year}-{month:02}-{day:02}").parse().unwrap()),
        }
    })
}

/// Items with known scores in each pool of the studies that are duplicated.
const ITEMS: u32 = 2;

#[test]
fn a_duplicate_has_the_settings_and_people_of_its_original() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (app, callers) = runtime.block_on(people(4));
    let strategy = (
        quality(),
        (1..=2u32, proptest::option::of(1..=5u32), proptest::option::of(1..=600u32)),
        prop_oneof![Just(Presentation::One), Just(Presentation::SideBySide)],
        prop_oneof![Just(RatedAnswers::Last), Just(RatedAnswers::Each)],
        prop_oneof![Just(Sharing::Count), Just(Sharing::Language), Just(Sharing::Hand)],
        (
            proptest::sample::subsequence(vec![0, 1, 2, 3], 2..=3),
            proptest::sample::subsequence(vec![0, 1, 2, 3], 0..=3),
        ),
    );
    let config = ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() };
    let run = TestRunner::new(config).run(&strategy, |(quality, numbers, presentation, answers, sharing, people)| {
        let (raters_per_output, tasks, pace_s) = numbers;
        let new = NewStudy {
            title: "Original".into(),
            dataset: starter::DATASET.into(),
            raters: people.0.iter().map(|at| id(&callers[*at])).collect(),
            shares: if sharing == Sharing::Hand {
                (0..people.0.len()).map(|at| 100 + at as u32).collect()
            } else {
                vec![]
            },
            draft: true,
            settings: StudySettings {
                raters_per_output,
                tasks,
                pace_s,
                presentation,
                answers,
                sharing,
                ..StudySettings::default()
            },
            ..NewStudy::default()
        };
        let adjudicators: Vec<UserId> = people.1.iter().map(|at| id(&callers[*at])).collect();
        runtime.block_on(duplicated(&app.services, new, quality, &adjudicators))
    });
    run.unwrap();
}

/// Creates a study with these settings and adjudicators, and compares it with its duplicate.
async fn duplicated(
    services: &Services,
    new: NewStudy,
    quality: QualitySettings,
    adjudicators: &[UserId],
) -> Result<(), TestCaseError> {
    let admin = System.admin();
    let new = NewStudy { submissions: submissions(services).await[..2].to_vec(), ..new };
    let study = services.studies.create(&admin, new).await.unwrap();
    let tasks = services.quality.page(&admin, study).await.unwrap().choices.tasks;
    for (at, (task, ..)) in tasks.iter().enumerate().take(2 * ITEMS as usize) {
        let new = NewKnownItem {
            source: KnownItemSource::Pasted {
                // Hidden checks are of tasks that the study has, which are the first.
                task: if at % 2 == 0 { *task } else { tasks[0].0 },
                code: format!("int known{at}() {{ return {at}; }}"),
                surrounding_text: String::new(),
            },
            scores: vec![4, 3, 5],
            reasons: Vec::new(),
            pool: if at % 2 == 0 { Pool::Calibration } else { Pool::Hidden },
        };
        services.quality.add_known_item(&admin, study, new).await.unwrap();
    }
    services.quality.set(&admin, study, crate::util::change_to(&quality)).await.unwrap();
    for rater in adjudicators {
        services.quality.set_adjudicator(&admin, study, *rater, true).await.unwrap();
    }

    let copy = services.plans.copy(&admin, study).await.unwrap();
    let settings = async |study| {
        let draft = services.plans.draft(&admin, study).await.unwrap();
        let page = services.quality.page(&admin, study).await.unwrap();
        // The title says that it is a duplicate, and its plan is drawn anew.
        let new = NewStudy { title: String::new(), seed: None, ..draft.settings };
        let known = services.quality.known_items(&admin, study).await.unwrap();
        (new, page.settings, page.adjudicators, serde_json::to_value(known).unwrap())
    };
    let (original, duplicate) = (settings(study).await, settings(copy).await);
    prop_assert_eq!(original.1, quality);
    prop_assert_eq!(original, duplicate);
    Ok(())
}

#[tokio::test]
async fn database_enforces_raters_per_output() {
    let (app, callers) = people(2).await;
    let services = &app.services;
    let new = NewStudy {
        title: "Exact".into(),
        dataset: starter::DATASET.into(),
        submissions: submissions(services).await[..1].to_vec(),
        raters: callers.iter().map(id).collect(),
        draft: true,
        settings: StudySettings { raters_per_output: 2, ..StudySettings::default() },
        ..NewStudy::default()
    };
    let (study, token) = study(services, new).await;
    let refused = async |sql: &'static str| {
        let done = services.db.write(move |tx| Ok(tx.execute(sql, [study.0])?)).await;
        assert!(done.is_err(), "{sql}");
    };
    refused("INSERT INTO assignments (study_id, output_id, slot) SELECT ?1, output_id, 2 FROM assignments LIMIT 1")
        .await;
    refused("UPDATE assignments SET user_id = 1 WHERE study_id = ?1").await;
    // With one rating deleted, the draft does not start.
    services
        .db
        .write(move |tx| {
            let one = "SELECT min(id) FROM assignments WHERE study_id = ?1";
            Ok(tx.execute(&format!("DELETE FROM assignments WHERE id = ({one})"), [study.0])?)
        })
        .await
        .unwrap();
    assert!(services.studies.set_status(&System.admin(), study, StudyStatus::Running).await.is_err());
    services.plans.join(&System.admin(), study, UserId(99), None).await.unwrap_err();
    services
        .plans
        .extend(&System.admin(), study, Extension { raters_per_output: Some(2), ..Extension::default() })
        .await
        .unwrap();
    services.studies.set_status(&System.admin(), study, StudyStatus::Running).await.unwrap();
    refused("DELETE FROM assignments WHERE study_id = ?1").await;
    refused("UPDATE all_studies SET settings = json_set(settings, '$.raters_per_output', 1) WHERE id = ?1").await;
    let Next::Item(item) = services.grading.next(&callers[0], &token, Vec::new()).await.unwrap() else {
        panic!("there is work")
    };
    services.grading.submit(&callers[0], &item.token, full(&item), "k", true).await.unwrap();
    refused("UPDATE assignments SET user_id = NULL WHERE study_id = ?1 AND rated_at IS NOT NULL").await;
    sound(services, study).await;
}
