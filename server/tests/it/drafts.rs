//! Drafts: they are edited until they start, all or nothing, and say which outputs name a model before they do.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use crate::util::TestApp;
use axum::http::{Method, StatusCode};
use model::{
    api::Scope,
    audit::AuditFilter,
    caller::{Admin, System},
    error::AppError,
    ids::{StudyId, SubmissionId, UserId},
    page::PageOf,
    plan::{Presentation, Sharing},
    quality::QualitySettings,
    study::{NewStudy, StudyChange, StudySettings, StudyStatus},
};
use port::{Accounts, Plans as _, Studies as _, Submissions as _, audit::AuditLog as _, quality::Quality as _};
use serde_json::{Value, json};

const ADMIN: Admin = System.admin();

async fn draft(app: &TestApp) -> (StudyId, Vec<SubmissionId>, Vec<UserId>) {
    let page = || PageOf::first(PageOf::MOST);
    let users = app.services.accounts.users(&ADMIN, page()).await.unwrap().rows;
    let id = |name: &str| users.iter().find(|user| user.name == name).unwrap().id;
    let raters = vec![id("ada"), id("bo"), id("chen")];
    let rows = app.services.submissions.list(&ADMIN, None, page()).await.unwrap().rows;
    let mut submissions: Vec<_> = rows.iter().map(|row| row.id).collect();
    submissions.sort_unstable();
    let new = NewStudy {
        title: "Pilot".into(),
        dataset: "starter".into(),
        submissions: submissions[..1].to_vec(),
        raters: raters[..2].to_vec(),
        seed: Some(1),
        draft: true,
        settings: StudySettings { raters_per_output: 1, ..StudySettings::default() },
        ..NewStudy::default()
    };
    (app.services.studies.create(&ADMIN, new).await.unwrap(), submissions, raters)
}

/// Everything about a study that an edit changes, as text.
fn state(app: &TestApp, id: StudyId) -> String {
    app.services
        .db
        .read_blocking(|conn| {
            let text = |sql: &str| conn.query_row(sql, [id.0], |row| row.get::<_, String>(0));
            Ok([
                text("SELECT json_array(title, rubric_id, seed, json(settings)) FROM studies WHERE id = ?1")?,
                text("SELECT json_group_array(submission_id) FROM study_submissions WHERE study_id = ?1")?,
                text(
                    "SELECT json_group_array(json_array(user_id, share, open)) FROM study_raters WHERE study_id = ?1",
                )?,
                text(
                    "SELECT json_group_array(json_array(output_id, slot, user_id, place)) FROM
                      (SELECT * FROM assignments WHERE study_id = ?1 ORDER BY output_id, slot)",
                )?,
            ]
            .join("\n"))
        })
        .unwrap()
}

fn is_sound(app: &TestApp, id: StudyId) {
    let wrong =
        app.services.db.read_blocking(|conn| {
            let count = |sql: &str| conn.query_row(sql, [id.0], |row| row.get::<_, i64>(0));
            Ok([
            count("SELECT count(*) FROM (SELECT 1 FROM assignments a JOIN studies s ON s.id = a.study_id WHERE s.id = ?1
                   GROUP BY output_id HAVING count(*) <> s.raters_per_output OR count(DISTINCT user_id) <> s.raters_per_output)")?,
            count("SELECT count(*) FROM assignments a WHERE study_id = ?1 AND user_id NOT IN
                   (SELECT user_id FROM study_raters m WHERE m.study_id = a.study_id)")?,
            count("SELECT count(*) FROM study_raters m WHERE study_id = ?1 AND open <>
                   (SELECT count(*) FROM assignments a WHERE a.study_id = m.study_id AND a.user_id = m.user_id)")?,
            count("SELECT count(*) FROM pragma_foreign_key_check WHERE ?1 > 0")?,
        ])
        });
    assert_eq!(wrong.unwrap(), [0; 4]);
}

#[tokio::test]
async fn a_draft_changes_wholly_or_not_at_all_until_it_starts() {
    let app = TestApp::demo().await;
    let (id, submissions, raters) = draft(&app).await;
    let before = state(&app, id);
    let refused = async |change: StudyChange, field: &str| {
        match app.services.plans.edit(&ADMIN, id, change).await.unwrap_err() {
            AppError::Invalid(problems) => assert_eq!(problems[0].file, field),
            other => panic!("{field}: {other:?}"),
        }
        assert_eq!(state(&app, id), before, "{field}");
    };
    let of = |fields: Value| StudyChange::of(fields.as_object().unwrap().clone());
    refused(of(json!({"break_minutes": 481})), "break_minutes").await;
    refused(of(json!({"spread": 9})), "spread").await;
    refused(of(json!({"calibration": "must_pass", "needed": 1})), "calibration").await;
    refused(of(json!({"title": " ", "raters_per_output": 2})), "title").await;
    refused(of(json!({"title": "New", "raters_per_output": 3})), "raters_per_output").await;
    refused(of(json!({"raters": []})), "raters").await;
    refused(of(json!({"submissions": []})), "submissions").await;
    refused(of(json!({"rubric": "none 9"})), "rubric").await;
    refused(of(json!({"sharing": "hand", "shares": [1, 1]})), "shares").await;
    refused(of(json!({"tasks": 0})), "tasks").await;
    refused(of(json!({"pace_s": 0})), "pace_s").await;
    refused(of(json!({"dataset": "other"})), "dataset").await;
    refused(of(json!({"raterss": []})), "raterss").await;

    // One field leaves the others.
    app.services.plans.edit(&ADMIN, id, of(json!({"title": "Round 2"}))).await.unwrap();
    assert_eq!(state(&app, id), before.replace("Pilot", "Round 2"), "the same seed draws the same plan");
    // All of them.
    let all = of(json!({
        "submissions": submissions, "raters": raters, "raters_per_output": 2, "seed": 9, "tasks": 5,
        "presentation": "side_by_side", "sharing": "language", "pace_s": 40, "break_minutes": 45
    }));
    app.services.plans.edit(&ADMIN, id, all).await.unwrap();
    is_sound(&app, id);
    let present = app.services.plans.draft(&ADMIN, id).await.unwrap().settings;
    assert_eq!((present.submissions, present.raters, present.seed), (submissions.clone(), raters.clone(), Some(9)));
    let settings = StudySettings {
        raters_per_output: 2,
        tasks: Some(5),
        presentation: Presentation::SideBySide,
        sharing: Sharing::Language,
        pace_s: Some(40),
        quality: QualitySettings { break_minutes: 45, ..QualitySettings::default() },
        ..StudySettings::default()
    };
    assert_eq!(present.settings, settings);
    let plan = app.services.plans.get(&ADMIN, id).await.unwrap();
    assert_eq!((plan.tasks, plan.wanted), (5, plan.outputs * 2));
    // Null is all and as measured.
    app.services.plans.edit(&ADMIN, id, of(json!({"tasks": null, "pace_s": null}))).await.unwrap();
    let present = app.services.plans.draft(&ADMIN, id).await.unwrap().settings;
    assert_eq!(present.settings, StudySettings { tasks: None, pace_s: None, ..settings });
    is_sound(&app, id);
    let filter = AuditFilter { action: "study.edit".into(), ..AuditFilter::default() };
    assert_eq!(
        app.services.audit.page(&ADMIN, filter).await.unwrap().entries.len(),
        3,
        "what was refused is not in the audit log"
    );

    app.services.studies.set_status(&ADMIN, id, StudyStatus::Running).await.unwrap();
    let before = state(&app, id);
    let late = app.services.plans.edit(&ADMIN, id, of(json!({"title": "Late"}))).await;
    let AppError::Conflict(message) = late.unwrap_err() else { panic!("no conflict") };
    assert!(message.en.contains("Extend it"), "{message:?}");
    assert_eq!(state(&app, id), before);
    let page = app.admin().await.get(&format!("/admin/studies/{id}/edit")).await.body;
    assert!(page.contains("has started") && !page.contains("/rpc/edit_study"), "{page}");
}

#[tokio::test]
async fn a_draft_is_edited_by_form_and_by_the_api() {
    let app = TestApp::demo().await;
    let (id, submissions, raters) = draft(&app).await;
    let mut admin = app.admin().await;
    let page = admin.get(&format!("/admin/studies/{id}/edit")).await.body;
    assert!(page.contains("value=\"Pilot\""), "{page}");
    let ticked = |value: String| {
        page.split("<input").any(|input| {
            let input = input.split('>').next().unwrap();
            input.contains(&format!("value=\"{value}\"")) && input.contains("checked") && input.contains("[]")
        })
    };
    assert!(ticked(submissions[0].to_string()) && ticked(raters[1].to_string()) && !ticked(raters[2].to_string()));
    let (number, submission) = (id.to_string(), submissions[1].to_string());
    let names: Vec<_> = raters.iter().map(|rater| rater.to_string()).collect();
    let sent = [
        ("id", number.as_str()),
        ("study[title]", "Edited"),
        ("study[submissions][0]", submission.as_str()),
        ("study[raters][0]", names[1].as_str()),
        ("study[raters][1]", names[2].as_str()),
        ("study[seed]", ""),
        ("study[settings][raters_per_output]", "2"),
        ("study[settings][tasks]", ""),
        ("study[settings][presentation]", "one"),
        ("study[settings][sharing]", "count"),
    ];
    let answer = admin.form("/rpc/edit_study", &sent).await;
    assert_eq!(answer.location(), format!("/admin/studies/{id}/plan"));
    let present = app.services.plans.draft(&ADMIN, id).await.unwrap().settings;
    assert_eq!((present.title.as_str(), present.settings.raters_per_output, present.seed), ("Edited", 2, Some(1)));
    assert_eq!((present.submissions, present.raters), (vec![submissions[1]], raters[1..].to_vec()));
    is_sound(&app, id);

    let token = app.token(&[Scope::WriteStudies]).await;
    let patch = async |body: Value| {
        app.anonymous().api(&token, Method::PATCH, &format!("/api/v1/studies/{id}"), Some(body)).await
    };
    let answer = patch(json!({"raters_per_output": 1, "title": "By program"})).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    let plan: Value = answer.json();
    assert_eq!((plan["title"].as_str(), plan["raters_per_output"].as_u64()), (Some("By program"), Some(1)));
    assert!(patch(json!({"raterss": []})).await.status.is_client_error());
    app.services.studies.set_status(&ADMIN, id, StudyStatus::Running).await.unwrap();
    assert_eq!(patch(json!({"raters_per_output": 2})).await.status, StatusCode::CONFLICT);
}

/// Makes three outputs of a study name a model.
async fn name_a_model(app: &TestApp, study: StudyId, submission: SubmissionId) {
    let sql = "UPDATE outputs SET code = '// As an AI model, GPT-4 wrote this' || char(10) || code
               WHERE id IN (SELECT DISTINCT a.output_id FROM assignments a JOIN outputs o ON o.id = a.output_id
                            WHERE a.study_id = ?1 AND o.submission_id = ?2 ORDER BY 1 LIMIT 3)";
    app.services.db.write(move |tx| Ok(tx.execute(sql, [study.0, submission.0])?)).await.unwrap();
}

#[tokio::test]
async fn a_draft_whose_outputs_name_a_model_starts_only_if_that_is_meant() {
    let app = TestApp::demo().await;
    let (id, submissions, _) = draft(&app).await;
    assert!(!app.services.quality.leaks(&ADMIN, id, false).await.unwrap().any());
    name_a_model(&app, id, submissions[0]).await;
    // The other submission is not in this study.
    name_a_model(&app, StudyId(1), submissions[1]).await;
    let leaks = app.services.quality.leaks(&ADMIN, id, false).await.unwrap();
    assert_eq!((leaks.count, leaks.submissions.len(), leaks.submissions[0].submission), (3, 1, submissions[0]));
    let mut admin = app.admin().await;
    let plan = format!("/admin/studies/{id}/plan");
    assert!(admin.get(&plan).await.body.contains("3 outputs may reveal their model to raters"));
    let number = id.to_string();
    let start = [("id", number.as_str()), ("status", "running")];
    let asked = admin.form("/rpc/set_study_status", &start).await;
    assert_eq!(asked.location(), format!("{plan}?start=unmasked"));
    assert_eq!(app.services.studies.get(&ADMIN, id).await.unwrap().row.status, StudyStatus::Draft);
    let question = admin.get(asked.location()).await.body;
    assert!(question.contains("no longer rate blind"), "{question}");
    // Hiding the names and starting is one step.
    let other = app.services.plans.copy(&ADMIN, id).await.unwrap();
    admin.form("/rpc/mask_study", &[("study", number.as_str()), ("start", "true")]).await;
    assert_eq!(app.services.studies.get(&ADMIN, id).await.unwrap().row.status, StudyStatus::Running);
    assert_eq!(app.services.quality.leaks(&ADMIN, id, true).await.unwrap().count, 0);
    // The same submission is masked in the copy, too; unmasked again, it starts if that is meant.
    app.services.quality.set_mask(&ADMIN, submissions[0], false).await.unwrap();
    let other = other.to_string();
    let meant = [("id", other.as_str()), ("status", "running"), ("unmasked", "true")];
    admin.form("/rpc/set_study_status", &meant).await;
    let copy = StudyId(other.parse().unwrap());
    assert_eq!(app.services.studies.get(&ADMIN, copy).await.unwrap().row.status, StudyStatus::Running);
}
