//! Changes of a running study are stored in small transactions, between which people rate: what they come to, and what
//! a kill in the middle leaves.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::{
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Waker},
    time::Duration,
};

use db::Db;
use model::{
    caller::{Person, System},
    error::AppError,
    ids::{StudyId, SubmissionId, Token, UserId},
    plan::{Extension, Presentation, Reads, Sharing},
    quality::{Policy, QualitySettings},
    study::{NewStudy, StudySettings, StudyStatus},
    submission::{InvalidLines, Matching},
};
use port::{Grading, Plans, Studies, Submissions, quality::Quality};
use services::{Services, starter};
use sha2::{Digest, Sha256};

use crate::{
    plans::{id, one_rating, people, sound, study, submissions},
    stalls::{MOST_ROWS, count, is_sound, outputs, starter_tasks, uploaded},
    util::TestApp,
};

/// Everything that a plan consists of, as text.
async fn plan(services: &Services, study: StudyId) -> String {
    let read = move |conn: &rusqlite::Connection| {
        let mut text = String::new();
        for sql in [
            "SELECT t.external_id || ' ' || s.model_id || ' ' || a.slot || ' ' || coalesce(u.name, '-') || ' '
                 || coalesce(a.place, '-') || ' ' || (a.rated_at IS NOT NULL) || ' ' || (a.leased_until IS NOT NULL)
             FROM assignments a JOIN outputs o ON o.id = a.output_id JOIN submissions s ON s.id = o.submission_id
             JOIN task_revisions v ON v.id = o.revision_id JOIN tasks t ON t.id = v.task_id
             LEFT JOIN users u ON u.id = a.user_id WHERE a.study_id = ?1 ORDER BY 1",
            "SELECT u.name || ' ' || m.reads || ' ' || coalesce(m.share, '-') || ' ' || m.rated || ' ' || m.open || ' '
                 || (m.removed_at IS NOT NULL)
             FROM study_raters m JOIN users u ON u.id = m.user_id WHERE m.study_id = ?1 ORDER BY 1",
            // The digests below are of these words.
            "SELECT CASE e.kind WHEN 'added' THEN 'joined' WHEN 'removed' THEN 'left' WHEN 'taken_over' THEN 'taken'
                 ELSE e.kind END || ' ' || e.detail
             FROM plan_events e WHERE e.study_id = ?1 ORDER BY e.id",
            "SELECT raters_per_output || ' ' || coalesce(settings ->> '$.tasks', '-') FROM studies WHERE id = ?1",
        ] {
            let mut statement = conn.prepare(sql)?;
            for line in statement.query_map([study.0], |row| row.get::<_, String>(0))? {
                text += &(line? + "\n");
            }
        }
        Ok(text)
    };
    services.db.read(read).await.unwrap()
}

/// The first changes of a study in all its forms, each with what the plan is after it.
async fn changed(presentation: Presentation, sharing: Sharing) -> String {
    let (app, raters) = people(6).await;
    let (services, admin) = (&app.services, System.admin());
    let models = submissions(services).await;
    if sharing != Sharing::Count {
        let only = Reads::of(&[model::lang::Lang::En]).unwrap();
        services.plans.set_reads(&admin, id(&raters[3]), only).await.unwrap();
    }
    let new = NewStudy {
        title: "Changed".into(),
        dataset: starter::DATASET.into(),
        submissions: models[..2].to_vec(),
        raters: raters[..4].iter().map(id).collect(),
        shares: vec![20; if sharing == Sharing::Hand { 4 } else { 0 }],
        seed: Some(7),
        draft: true,
        settings: StudySettings {
            raters_per_output: 2,
            tasks: Some(6),
            presentation,
            sharing,
            ..StudySettings::default()
        },
        ..NewStudy::default()
    };
    let (study, token) = study(services, new).await;
    let share = (sharing == Sharing::Hand).then_some(9);
    let mut plans = String::new();
    for step in 0..9 {
        match step {
            // A draft is planned anew.
            0 => services.plans.join(&admin, study, id(&raters[4]), share).await.unwrap(),
            1 => services.plans.leave(&admin, study, id(&raters[0])).await.unwrap(),
            2 => {
                let more = Extension { tasks: Some(7), ..Extension::default() };
                services.plans.extend(&admin, study, more).await.unwrap();
                services.studies.set_status(&admin, study, StudyStatus::Running).await.unwrap();
                for rater in &raters[1..4] {
                    one_rating(services, rater, &token).await;
                    one_rating(services, rater, &token).await;
                    // One more is in their hands.
                    let _ = services.grading.next(rater, &token, Vec::new()).await;
                }
            }
            3 => services.plans.leave(&admin, study, id(&raters[1])).await.unwrap(),
            4 => services.plans.join(&admin, study, id(&raters[5]), share).await.unwrap(),
            5 => {
                let more = Extension { submissions: vec![models[2]], ..Extension::default() };
                services.plans.extend(&admin, study, more).await.unwrap();
            }
            6 => services.plans.join(&admin, study, id(&raters[1]), share).await.unwrap(),
            7 => {
                let more = Extension { raters_per_output: Some(3), tasks: Some(9), ..Extension::default() };
                services.plans.extend(&admin, study, more).await.unwrap();
            }
            _ => services.plans.leave(&admin, study, id(&raters[4])).await.unwrap(),
        }
        sound(services, study).await;
        plans += &plan(services, study).await;
    }
    assert_eq!(count(&app, "study_steps"), 0);
    let digest = Sha256::digest(&plans);
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[tokio::test]
async fn changes_give_the_recorded_plans() {
    let mut found = Vec::new();
    for presentation in [Presentation::One, Presentation::SideBySide] {
        for sharing in [Sharing::Count, Sharing::Language, Sharing::Hand] {
            found.push(changed(presentation, sharing).await);
        }
    }
    // Recorded; only another order of outputs or another choice of raters may change these.
    let expected = [
        "26e686cead1466c0",
        "d67cb6dd7085dda2",
        "0f09653b0327441c",
        "c609afa2cd40111f",
        "d4b5396124300bb6",
        "3c47bb1d727356ed",
    ];
    assert_eq!(found, expected);
}

/// A running study of many outputs, with a planned rating of each for two of four raters.
async fn large() -> (TestApp, Vec<Person>, StudyId, Token) {
    let (app, raters) = people(6).await;
    let admin = System.admin();
    let tasks = starter_tasks(&app).await;
    let submission = taken(&app, "Large", 3_000 / tasks.len()).await;
    let new = NewStudy {
        title: "Large".into(),
        dataset: starter::DATASET.into(),
        submissions: vec![submission],
        raters: raters[..4].iter().map(id).collect(),
        seed: Some(3),
        settings: StudySettings { raters_per_output: 2, ..StudySettings::default() },
        ..NewStudy::default()
    };
    let study = app.services.studies.create(&admin, new).await.unwrap();
    let token = app.services.studies.get(&admin, study).await.unwrap().row.token;
    // The requests that created the study do not count.
    (app.restarted(), raters, study, token)
}

async fn taken(app: &TestApp, model: &str, samples: usize) -> SubmissionId {
    let upload = uploaded(app, &outputs(&starter_tasks(app).await, samples)).await;
    app.services
        .submissions
        .import(&System.admin(), upload, starter::DATASET, Matching::TaskId, model, InvalidLines::Refuse)
        .await
        .unwrap()
}

/// The changes of a study that move, add or delete many planned ratings.
#[derive(Clone, Copy, Debug)]
enum Many {
    Leave,
    Join,
    Extend,
    AskAgain,
}

const EVERY: [Many; 4] = [Many::Leave, Many::Join, Many::Extend, Many::AskAgain];

async fn make(services: &Services, study: StudyId, raters: &[Person], change: Many) -> Result<(), AppError> {
    let admin = System.admin();
    match change {
        Many::Leave => services.plans.leave(&admin, study, id(&raters[0])).await,
        Many::Join => services.plans.join(&admin, study, id(&raters[4]), None).await,
        Many::Extend => {
            let more = Extension { raters_per_output: Some(3), ..Extension::default() };
            services.plans.extend(&admin, study, more).await
        }
        Many::AskAgain => {
            let settings =
                QualitySettings { spread: Some(0), policy: Policy::ExtraRater, ..QualitySettings::default() };
            services.quality.set(&admin, study, crate::util::change_to(&settings)).await
        }
    }
}

/// Rates every output twice with scores that differ, as if raters had: without the minutes that this takes.
async fn rated_apart(services: &Services, study: StudyId) {
    let rate = move |tx: &rusqlite::Transaction<'_>| {
        tx.execute(
            "INSERT INTO ratings (assignment_id, user_id, key, comment, at)
             SELECT id, user_id, 'k', '', 1 FROM assignments WHERE study_id = ?1 AND user_id IS NOT NULL",
            [study.0],
        )?;
        tx.execute(
            "INSERT INTO rating_scores (rating_id, dimension, score)
             SELECT r.id, d.value, a.slot FROM ratings r JOIN assignments a ON a.id = r.assignment_id,
                 json_each('[0, 1, 2]') d WHERE a.study_id = ?1",
            [study.0],
        )?;
        Ok(tx.execute("UPDATE assignments SET rated_at = 1, leased_until = NULL WHERE study_id = ?1", [study.0])?)
    };
    services.db.write_blocking(rate).unwrap();
}

#[tokio::test]
async fn a_killed_change_is_undone_before_its_first_transaction_and_finished_after_it() {
    for change in EVERY {
        let (app, raters, study, _) = large().await;
        if matches!(change, Many::AskAgain) {
            rated_apart(&app.services, study).await;
        }
        let before = plan(&app.services, study).await;
        let sql = |sql: &'static str| app.services.db.write_blocking(move |tx| Ok(tx.execute_batch(sql)?)).unwrap();

        // Killed while the first transaction is written.
        sql("CREATE TRIGGER killed AFTER INSERT ON study_steps BEGIN SELECT RAISE(ABORT, 'killed'); END");
        assert!(matches!(make(&app.services, study, &raters, change).await, Err(AppError::Internal(_))), "{change:?}");
        assert_eq!(plan(&app.services, study).await, before, "{change:?}");
        assert_eq!(count(&app, "study_steps"), 0);

        // Killed after three steps.
        sql("DROP TRIGGER killed; CREATE TABLE done (step INTEGER);
             CREATE TRIGGER done BEFORE DELETE ON study_steps BEGIN INSERT INTO done VALUES (OLD.id); END;
             CREATE TRIGGER redone BEFORE UPDATE ON study_steps BEGIN INSERT INTO done VALUES (OLD.id); END;
             CREATE TRIGGER killed BEFORE INSERT ON done WHEN (SELECT count(*) FROM done) = 3
             BEGIN SELECT RAISE(ABORT, 'killed'); END");
        assert!(make(&app.services, study, &raters, change).await.is_err(), "{change:?}");
        assert_eq!(count(&app, "done"), 3, "{change:?}");
        assert!(count(&app, "study_steps") > 0, "{change:?}");
        let half = plan(&app.services, study).await;
        assert_ne!(half, before, "{change:?}");
        sql("DROP TRIGGER killed; DROP TRIGGER done; DROP TRIGGER redone; DROP TABLE done");
        // A study whose plan is incomplete does not start.
        let started = app
            .services
            .db
            .write_blocking(|tx| Ok(tx.execute("UPDATE all_studies SET status = 'running' WHERE id = ?1", [study.0])?));
        assert!(started.is_err(), "{change:?}");

        let app = app.restarted();
        services::steps::finish_all(&app.services.db).await.unwrap();
        assert_eq!(count(&app, "study_steps"), 0);
        is_sound(&app);
        let finished = plan(&app.services, study).await;
        // The same change of the same study, undisturbed.
        let (other, raters, study, _) = large().await;
        if matches!(change, Many::AskAgain) {
            rated_apart(&other.services, study).await;
        } else {
            sound(&other.services, study).await;
        }
        make(&other.services, study, &raters, change).await.unwrap();
        assert_eq!(finished, plan(&other.services, study).await, "{change:?}");
        assert!(finished != half && finished != before, "{change:?}");
    }
}

/// Keeps a draft of the rater's in the queue of writes until `stop`: each adds the next one before it ends, so that one
/// waits behind every other write, however busy the machine is.
fn drafts_without_end(db: &Db, rater: UserId, study: StudyId, stop: Arc<AtomicBool>) {
    let next = db.clone();
    let draft = move |tx: &rusqlite::Transaction<'_>| {
        if !stop.load(Ordering::Relaxed) {
            drafts_without_end(&next, rater, study, stop.clone());
            // A transaction gathers writes for some milliseconds: few of these.
            std::thread::sleep(Duration::from_millis(2));
        }
        Ok(tx.execute(
            "INSERT INTO drafts (study_id, output_id, user_id, json, updated_at)
             SELECT study_id, output_id, ?1, '{}', 0 FROM assignments WHERE study_id = ?2 LIMIT 1
             ON CONFLICT DO UPDATE SET updated_at = updated_at + 1",
            [rater.0, study.0],
        )?)
    };
    // The first poll queues it. Nobody waits for its answer.
    let mut write = pin!(db.write(draft));
    assert!(write.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ratings_are_stored_between_the_steps_of_a_change() {
    for change in EVERY {
        let (app, raters, study, token) = large().await;
        if matches!(change, Many::AskAgain) {
            rated_apart(&app.services, study).await;
        }
        let app = app.restarted();
        // The commits, in order.
        app.services
            .db
            .write_blocking(|tx| {
                Ok(tx.execute_batch(
                    "CREATE TABLE log (what TEXT);
                     CREATE TRIGGER log_rating AFTER INSERT ON drafts BEGIN INSERT INTO log VALUES ('draft'); END;
                     CREATE TRIGGER log_draft AFTER UPDATE ON drafts BEGIN INSERT INTO log VALUES ('draft'); END;
                     CREATE TRIGGER log_step AFTER DELETE ON study_steps BEGIN INSERT INTO log VALUES ('step'); END;
                     CREATE TRIGGER log_rest AFTER UPDATE ON study_steps BEGIN INSERT INTO log VALUES ('step'); END",
                )?)
            })
            .unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        drafts_without_end(&app.services.db, id(&raters[1]), study, stop.clone());
        let (rater, services, is_stopped) = (raters[1].clone(), app.services.clone(), stop.clone());
        let rating = tokio::spawn(async move {
            while !is_stopped.load(Ordering::Relaxed) {
                one_rating(&services, &rater, &token).await;
            }
        });
        make(&app.services, study, &raters, change).await.unwrap();
        stop.store(true, Ordering::Relaxed);
        rating.await.unwrap();
        let log: Vec<String> = app
            .services
            .db
            .read_blocking(|conn| {
                let mut statement = conn.prepare("SELECT what FROM log ORDER BY rowid")?;
                Ok(statement.query_map([], |row| row.get("what"))?.collect::<Result<_, _>>()?)
            })
            .unwrap();
        let steps = log.iter().filter(|what| *what == "step").count();
        assert!(steps > 2, "{change:?}: {steps} steps");
        let between = log.windows(2).filter(|pair| pair[0] == "step" && pair[1] == "draft").count();
        assert_eq!(between, steps, "{change:?}: steps that another write follows");
        let most = app.services.db.most_rows();
        assert!(most <= MOST_ROWS, "{change:?}: one transaction changed {most} rows");
        is_sound(&app);
        if !matches!(change, Many::AskAgain) {
            sound(&app.services, study).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_is_computed_again_if_the_plan_changed_meanwhile() {
    let (app, raters, study, token) = large().await;
    let (services, admin) = (&app.services, System.admin());
    // Two admins at once, while the others rate and take over what is left.
    let one = services.plans.leave(&admin, study, id(&raters[0]));
    let other = services.plans.join(&admin, study, id(&raters[4]), None);
    let rating = async {
        for _ in 0..20 {
            one_rating(services, &raters[1], &token).await
        }
    };
    let (one, other, ()) = tokio::join!(one, other, rating);
    one.unwrap();
    other.unwrap();
    sound(services, study).await;
    let events = services.plans.get(&admin, study).await.unwrap().events;
    let kinds: Vec<_> = events.iter().map(|event| event.kind.as_str()).collect();
    assert!(kinds.contains(&"removed") && kinds.contains(&"added"), "{kinds:?}");
}
