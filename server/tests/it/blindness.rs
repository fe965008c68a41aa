//! Everything that a rater's session can reach, none of which names a model, a submission, a file, another
//! person or a database id.
//!
//! The lists of server functions, pages and other addresses come from the program itself, and the walk below
//! fails for any that it does not know. Each new one therefore needs a line here with the rater's request
//! and whether it is allowed.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::collections::{BTreeMap, BTreeSet};

use crate::util::{Answer, Client, TestApp, smtp::Smtp};
use axum::http::{Method, StatusCode};
use model::{
    announcement::{Announced, Audience, NewAnnouncement},
    audit::Object,
    caller::{Admin, System},
    feedback::{Calibration, DisagreementQueue, RaterFeedback},
    flag::{Flag, FlagReason},
    grading::{Draft, GradingItem, Halt, Next, NextTask},
    ids::StudyId,
    lang::Bilingual,
    note::{LineNote, Position},
    page::PageOf,
    plan::Presentation,
    quality::{CalibrationMode, FeedbackLevel, KnownItemSource, NewKnownItem, Policy, Pool, QualitySettings},
    study::{NewStudy, StudySettings},
};
use port::{
    Accounts, Studies, Submissions,
    announcements::Announcements as _,
    guidelines::Guidelines as _,
    quality::{Monitoring as _, Quality as _},
};
use serde_json::{Value, json};

const ADMIN: Admin = System.admin();

/// The users of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum For {
    /// Everyone who is logged in.
    Raters,
    /// Admins: a rater is refused, whatever they send.
    Admins,
    /// Everybody.
    Everybody,
}

/// The body sent to a server function.
pub enum Sent {
    Json(Value),
    Form(Vec<(&'static str, String)>),
}

/// The names that the rater knows at this moment.
#[derive(Clone, Default)]
pub struct Here {
    pub study: String,
    pub item: String,
    pub disagreement: String,
}

/// A line of the walk: an endpoint under `/rpc`, who may call it, and the request body.
pub type Line = (&'static str, For, Sent);

/// Every server function. Functions that change something come last; those that end the phase (such as a
/// skip) are left to [`Walk::ends`].
#[allow(clippy::too_many_lines, reason = "a list")]
pub fn functions(here: &Here, draft: &Draft) -> Vec<Line> {
    let form = |fields: &[(&'static str, &str)]| {
        Sent::Form(fields.iter().map(|(name, value)| (*name, (*value).to_owned())).collect())
    };
    let (study, item) = (&here.study, &here.item);
    let selection = json!({"dataset": "starter"});
    let mut lines: Vec<Line> = vec![
        ("who", For::Raters, Sent::Json(json!({}))),
        ("my_studies", For::Raters, Sent::Json(json!({}))),
        ("my_feedback", For::Raters, Sent::Json(json!({}))),
        ("next_item", For::Raters, Sent::Json(json!({"study": study, "holding": []}))),
        ("next_task_items", For::Raters, Sent::Json(json!({"study": study, "holding": []}))),
        ("item", For::Raters, Sent::Json(json!({"assignment": item}))),
        ("own_ratings", For::Raters, Sent::Json(json!({"study": study}))),
        ("bookmark", For::Raters, Sent::Json(json!({"assignment": item, "on": true}))),
        ("own_lists", For::Raters, Sent::Json(json!({"study": study}))),
        ("read_guidelines", For::Raters, Sent::Json(json!({"study": study}))),
        ("study_rubric", For::Raters, Sent::Json(json!({"study": study}))),
        ("save_draft", For::Raters, Sent::Json(json!({"assignment": item, "draft": draft}))),
        ("submit_rating", For::Raters, Sent::Json(json!({"assignment": "none", "draft": draft, "key": "k"}))),
        ("set_keys", For::Raters, Sent::Json(json!({"keys": {"off": false, "changed": []}}))),
        ("my_disagreements", For::Raters, Sent::Json(json!({}))),
        ("open_disagreement", For::Raters, Sent::Json(json!({"token": here.disagreement}))),
        ("read_replies", For::Raters, form(&[])),
        ("unread_announcements", For::Raters, Sent::Json(json!({}))),
        ("read_announcement", For::Raters, form(&[("token", "none")])),
        ("reset_name", For::Everybody, Sent::Json(json!({"secret": "none"}))),
        ("linked", For::Raters, Sent::Json(json!({}))),
        ("my_mail", For::Raters, Sent::Json(json!({}))),
        ("mail_link", For::Everybody, Sent::Json(json!({"token": "none"}))),
        ("time_zones", For::Raters, Sent::Json(json!({}))),
        ("open_invitation", For::Everybody, Sent::Json(json!({"secret": "none"}))),
        // Admins create links to a closed study's results, for the public; nobody can guess one.
        ("open_public_study", For::Everybody, Sent::Json(json!({"secret": "none"}))),
        ("open_public_task", For::Everybody, Sent::Json(json!({"secret": "none", "task": 1}))),
        // Listed so that they are known; called where the walk needs their effect.
        ("skip", For::Raters, Sent::Json(json!({"assignment": "none"}))),
        ("undo_rating", For::Raters, Sent::Json(json!({"assignment": "none"}))),
        ("go_on", For::Raters, form(&[("what", "none")])),
        ("adjudicate", For::Raters, form(&[("token", "none"), ("scores[0]", "1")])),
    ];
    let admins: Vec<(&'static str, Sent)> = vec![
        ("people", Sent::Json(json!({}))),
        ("can_send", Sent::Json(json!({}))),
        ("test_mail", form(&[("address", "a@b.example")])),
        ("announcements", Sent::Json(json!({}))),
        ("announcement_audiences", Sent::Json(json!({"also": null}))),
        ("announce", form(&[("to", "everyone"), ("en", "x"), ("zh", ""), ("last_day", "")])),
        ("withdraw_announcement", form(&[("id", "1")])),
        ("groups", Sent::Json(json!({}))),
        ("person_group", Sent::Json(json!({"id": 1}))),
        ("create_group", form(&[("name", "x")])),
        ("rename_group", form(&[("id", "1"), ("name", "x")])),
        ("delete_group", form(&[("id", "1")])),
        ("add_to_group", form(&[("id", "1"), ("names", "ada")])),
        ("remove_from_group", form(&[("id", "1"), ("user", "1")])),
        ("add_group", form(&[("id", "1"), ("group", "1")])),
        ("audit_log", Sent::Json(json!({"filter": {}}))),
        ("object_upkeep", Sent::Json(json!({"object": "submission 1"}))),
        ("archived_objects", Sent::Json(json!({}))),
        ("rename_object", form(&[("object", "submission 1"), ("name", "x")])),
        ("archive_object", form(&[("object", "submission 1"), ("archived", "true")])),
        ("delete_object", form(&[("object", "submission 1")])),
        ("restore_object", form(&[("object", "submission 1")])),
        ("models", Sent::Json(json!({}))),
        ("find", Sent::Json(json!({"words": "a"}))),
        ("languages", Sent::Json(json!({}))),
        ("conversations", Sent::Json(json!({}))),
        ("guidelines", Sent::Json(json!({"object": "study 1", "version": null}))),
        ("preview_guidelines", Sent::Json(json!({"en": "a", "zh": ""}))),
        ("save_guidelines", form(&[("object", "study 1"), ("en", "a"), ("zh", ""), ("expected", "0")])),
        ("rubrics", Sent::Json(json!({}))),
        ("rubric_version", Sent::Json(json!({"slug": "aixbench", "version": 1}))),
        ("rubrics_for", Sent::Json(json!({"dataset": "starter"}))),
        ("save_rubric", form(&[("slug", "x"), ("expected", "0")])),
        ("set_dataset_rubric", form(&[("dataset", "starter"), ("rubric", "aixbench 1")])),
        ("datasets", Sent::Json(json!({}))),
        ("dataset", Sent::Json(json!({"slug": "starter", "version": null}))),
        ("dataset_tasks", Sent::Json(json!({"slug": "starter", "version": null}))),
        ("submissions", Sent::Json(json!({"dataset": null}))),
        ("submission", Sent::Json(json!({"id": 1}))),
        ("submission_outputs", Sent::Json(json!({"id": 1, "filter": {"words": "a", "empty": true}}))),
        ("output", Sent::Json(json!({"id": 1}))),
        ("choose_block", form(&[("id", "1")])),
        ("choose_columns", form(&[("upload", "1"), ("columns[code]", "Answer")])),
        ("run_early", Sent::Json(json!({"upload": 1, "dataset": "starter", "matching": "auto"}))),
        (
            "preview_ratings",
            Sent::Json(json!({"upload": 1, "reading": {"dataset": "starter", "judge": false, "columns": {}}})),
        ),
        ("preview_upload", Sent::Json(json!({"upload": 1, "dataset": "starter", "matching": "auto"}))),
        ("uploads", Sent::Json(json!({}))),
        ("admin_overview", Sent::Json(json!({}))),
        ("inbox", Sent::Json(json!({}))),
        ("inbox_item", Sent::Json(json!({"id": 1}))),
        ("undo_act", form(&[("request", "1")])),
        ("act_on_items", form(&[("act", "dismiss"), ("items[0]", "1")])),
        ("studies", Sent::Json(json!({}))),
        ("study", Sent::Json(json!({"id": 1}))),
        ("compare", Sent::Json(json!({"id": 1}))),
        ("study_tasks", Sent::Json(json!({"id": 1}))),
        ("named_models", Sent::Json(json!({"study": 1}))),
        ("mask_study", form(&[("study", "1")])),
        ("draft_settings", Sent::Json(json!({"id": 1}))),
        ("edit_study", form(&[("id", "1"), ("study[title]", "x")])),
        ("study_task", Sent::Json(json!({"id": 1, "task": 1}))),
        ("plan", Sent::Json(json!({"id": 1}))),
        ("study_quality", Sent::Json(json!({"study": 1}))),
        ("study_live", Sent::Json(json!({"study": 1}))),
        ("study_tabs", Sent::Json(json!({"study": 1}))),
        ("study_ratings", Sent::Json(json!({"study": 1, "filter": model::quality::RatingFilter::default()}))),
        ("study_flags", Sent::Json(json!({"study": 1}))),
        ("study_disagreements", Sent::Json(json!({"study": 1}))),
        ("mask", Sent::Json(json!({"submission": 1}))),
        ("check_engine", Sent::Json(json!({}))),
        ("known_workers", Sent::Json(json!({}))),
        ("server_state", Sent::Json(json!({}))),
        ("server_notices", Sent::Json(json!({}))),
        ("unused_data", Sent::Json(json!({"asked": true}))),
        ("submission_toolchains", Sent::Json(json!({"submission": 1}))),
        ("runs", Sent::Json(json!({"submission": null}))),
        ("endpoints", Sent::Json(json!({}))),
        ("collections", Sent::Json(json!({}))),
        ("collection", Sent::Json(json!({"id": 1}))),
        ("collection_requests", Sent::Json(json!({"id": 1, "request": null}))),
        ("run", Sent::Json(json!({"id": 1}))),
        ("run_items", Sent::Json(json!({"id": 1, "filter": {"words": "a", "result": "differs", "flagged": true}}))),
        ("run_item", Sent::Json(json!({"id": 1, "output": 1}))),
        ("compare_runs", Sent::Json(json!({"a": 1, "b": 1, "task": null}))),
        ("results_board", Sent::Json(json!({"query": {}}))),
        ("results_model", Sent::Json(json!({"model": 1, "baseline": null}))),
        ("comparison_get", Sent::Json(json!({"selection": selection}))),
        ("comparison_revision", Sent::Json(json!({"selection": selection}))),
        ("comparison_slices", Sent::Json(json!({"selection": selection, "by": "difficulty"}))),
        ("comparison_tasks", Sent::Json(json!({"selection": selection, "filter": {}}))),
        ("comparison_task", Sent::Json(json!({"selection": selection, "filter": {}, "task": 1}))),
        ("tokens", Sent::Json(json!({}))),
        ("create_token", Sent::Json(json!({"label": "x", "scopes": ["read"], "days": 1}))),
        ("revoke_token", form(&[("id", "1")])),
        ("reference", Sent::Json(json!({}))),
        ("webhooks", Sent::Json(json!({}))),
        ("create_webhook", Sent::Json(json!({"url": "https://a.example/", "events": []}))),
        ("remove_webhook", form(&[("id", "1")])),
        ("test_webhook", form(&[("id", "1")])),
        ("deliveries", Sent::Json(json!({"id": 1}))),
        ("public_links", Sent::Json(json!({"study": 1}))),
        ("create_public_link", Sent::Json(json!({"study": 1, "code": true, "days": null}))),
        ("revoke_public_link", form(&[("id", "1")])),
        ("invite", form(&[("label", "x"), ("role", "rater"), ("days", "1")])),
        ("create_reset", form(&[("user", "1")])),
        ("invite_many", form(&[("lines", "x"), ("role", "rater"), ("days", "1")])),
        ("revoke_invitation", form(&[("id", "1")])),
        ("set_disabled", form(&[("user", "1"), ("disabled", "true")])),
        ("set_role", form(&[("user", "1"), ("role", "rater")])),
        ("set_reads", form(&[("user", "1"), ("reads", "en")])),
        ("create_study", form(&[("study[title]", "x"), ("study[dataset]", "starter")])),
        ("set_study_status", form(&[("id", "1"), ("status", "closed")])),
        ("reopen_study", form(&[("id", "1"), ("reason", "late")])),
        ("add_rater", form(&[("id", "1"), ("user", "1")])),
        ("remove_rater", form(&[("id", "1"), ("user", "1")])),
        ("extend_study", form(&[("id", "1"), ("raters_per_output", "3")])),
        ("duplicate_study", form(&[("id", "1")])),
        ("set_pace", form(&[("id", "1"), ("seconds", "9")])),
        ("set_quality", form(&[("study", "1"), ("settings[shown]", "own")])),
        ("add_known_item", form(&[("study", "1"), ("item[task]", "1"), ("item[code]", "x"), ("item[scores][0]", "1")])),
        ("change_known_item", form(&[("study", "1"), ("item", "1"), ("deactivated", "true"), ("pool", "hidden")])),
        ("remove_known_item", form(&[("study", "1"), ("item", "1")])),
        ("pause_rater", form(&[("study", "1"), ("rater", "1"), ("paused", "true")])),
        ("set_admission", form(&[("study", "1"), ("rater", "1"), ("admitted", "true")])),
        ("set_adjudicator", form(&[("study", "1"), ("user", "1"), ("on", "true")])),
        ("set_mask", form(&[("submission", "1"), ("on", "true")])),
        ("reply_to_flag", form(&[("study", "1"), ("check", "false"), ("on", "1"), ("reply", "x")])),
        ("ask_extra", form(&[("study", "1"), ("output", "1")])),
        ("import_ratings", form(&[("upload", "1"), ("dataset", "starter"), ("name", "x")])),
        ("import_submission", form(&[("upload", "1"), ("dataset", "starter"), ("matching", "auto"), ("model", "x")])),
        ("start_run", form(&[("submission", "1"), ("fresh", "false")])),
        ("stop_run", form(&[("id", "1")])),
        ("start_maintenance", form(&[("what", "back_up")])),
        ("install_toolchain", form(&[("code", "none")])),
        ("create_collection", form(&[("dataset", "starter"), ("model", "m"), ("endpoint", "local")])),
        ("create_judging", form(&[("study", "1"), ("judge", "m"), ("endpoint", "local")])),
        ("resume_collection", form(&[("id", "1")])),
        ("stop_collection", form(&[("id", "1")])),
        ("delete_collection", form(&[("id", "1")])),
        ("upload_collection", form(&[("id", "1")])),
        ("resume_run", form(&[("id", "1")])),
        ("run_failed_again", form(&[("id", "1")])),
        ("run_changed_again", form(&[("id", "1")])),
        ("run_removed_workers_again", form(&[("id", "1")])),
        ("run_again", form(&[("id", "1"), ("output", "1")])),
    ];
    lines.extend(admins.into_iter().map(|(name, sent)| (name, For::Admins, sent)));
    lines
}

/// Every page, as named by the routes, with a valid address for this rater.
pub fn pages(here: &Here) -> Vec<(&'static str, For, String)> {
    let Here { study, item, disagreement } = here;
    let admin = |pattern: &'static str, path: &str| (pattern, For::Admins, path.to_owned());
    vec![
        ("/", For::Raters, "/".into()),
        ("/log-in", For::Everybody, "/log-in?error=wrong&name=ada".into()),
        ("/join/{secret}", For::Everybody, "/join/none".into()),
        ("/reset/{secret}", For::Everybody, "/reset/none".into()),
        ("/mail/{token}", For::Everybody, "/mail/none".into()),
        ("/public/{secret}", For::Everybody, "/public/none".into()),
        ("/public/{secret}/tasks/{task}", For::Everybody, "/public/none/tasks/none".into()),
        ("/new-password", For::Raters, "/new-password".into()),
        ("/account", For::Raters, "/account".into()),
        ("/account/email", For::Raters, "/account/email".into()),
        ("/my-studies", For::Raters, "/my-studies".into()),
        ("/tour", For::Raters, "/tour".into()),
        ("/grade/{study}", For::Raters, format!("/grade/{study}")),
        ("/grade/{study}/{item}", For::Raters, format!("/grade/{study}/{item}")),
        ("/side-by-side/{study}", For::Raters, format!("/side-by-side/{study}")),
        ("/studies/{study}/mine", For::Raters, format!("/studies/{study}/mine")),
        ("/rubric/{study}", For::Raters, format!("/rubric/{study}")),
        ("/guidelines/{study}", For::Raters, format!("/guidelines/{study}")),
        ("/adjudicate", For::Raters, "/adjudicate?adjudicated=1".into()),
        ("/adjudicate/{token}", For::Raters, format!("/adjudicate/{disagreement}")),
        admin("/admin", "/admin"),
        admin("/admin/inbox", "/admin/inbox"),
        admin("/admin/datasets", "/admin/datasets"),
        admin("/admin/datasets/{slug}", "/admin/datasets/starter"),
        admin("/admin/submissions", "/admin/submissions"),
        admin("/admin/submissions/{id}", "/admin/submissions/1"),
        admin("/admin/studies", "/admin/studies"),
        admin("/admin/upload", "/admin/upload"),
        admin("/admin/uploads/{id}", "/admin/uploads/1"),
        admin("/admin/upload/ratings", "/admin/upload/ratings"),
        admin("/admin/uploads/{id}/ratings", "/admin/uploads/1/ratings"),
        admin("/admin/studies/new", "/admin/studies/new"),
        admin("/admin/studies/{id}/edit", "/admin/studies/1/edit"),
        admin("/admin/studies/{id}/plan", "/admin/studies/1/plan"),
        admin("/admin/people", "/admin/people"),
        admin("/admin/announcements", "/admin/announcements"),
        admin("/admin/groups", "/admin/groups"),
        admin("/admin/groups/{id}", "/admin/groups/1"),
        admin("/admin/audit", "/admin/audit"),
        admin("/admin/upkeep/{kind}/{key}", "/admin/upkeep/submission/1"),
        admin("/admin/archive", "/admin/archive"),
        admin("/admin/guidelines/{kind}/{key}", "/admin/guidelines/study/1"),
        admin("/admin/rubrics", "/admin/rubrics"),
        admin("/admin/rubrics/new", "/admin/rubrics/new"),
        admin("/admin/rubrics/{slug}", "/admin/rubrics/aixbench"),
        admin("/admin/rubrics/{slug}/edit", "/admin/rubrics/aixbench/edit"),
        admin("/admin/languages", "/admin/languages"),
        admin("/admin/conversations", "/admin/conversations"),
        admin("/admin/models", "/admin/models"),
        admin("/admin/settings", "/admin/settings"),
        admin("/admin/server", "/admin/server?unused=1"),
        admin("/admin/find", "/admin/find?q=a"),
        admin("/admin/api", "/admin/api"),
        admin("/admin/api/tokens", "/admin/api/tokens"),
        admin("/admin/api/webhooks", "/admin/api/webhooks"),
        admin("/admin/studies/{id}", "/admin/studies/1"),
        admin("/admin/outputs/{id}", "/admin/outputs/1"),
        admin("/admin/studies/{id}/tasks/{task}", "/admin/studies/1/tasks/1"),
        admin("/admin/studies/{id}/quality", "/admin/studies/1/quality"),
        admin("/admin/studies/{id}/ratings", "/admin/studies/1/ratings"),
        admin("/admin/studies/{id}/flags", "/admin/studies/1/flags"),
        admin("/admin/studies/{id}/disagreements", "/admin/studies/1/disagreements"),
        admin("/admin/collections", "/admin/collections"),
        admin("/admin/collections/new", "/admin/collections/new"),
        admin("/admin/judgings/new", "/admin/judgings/new"),
        admin("/admin/collections/{id}", "/admin/collections/1"),
        admin("/admin/runs", "/admin/runs"),
        admin("/admin/runs/compare", "/admin/runs/compare?a=1&b=1"),
        admin("/admin/runs/{id}", "/admin/runs/1"),
        admin("/admin/runs/{id}/outputs/{output}", "/admin/runs/1/outputs/1"),
        admin("/admin/results", "/admin/results"),
        admin("/admin/results/models/{model}", "/admin/results/models/1"),
        admin("/admin/results/datasets/{slug}", "/admin/results/datasets/starter"),
        admin("/admin/compare/{slug}", "/admin/compare/starter"),
        admin("/admin/compare/{slug}/tasks/{task}", "/admin/compare/starter/tasks/1"),
    ]
}

/// Every other address of the router: downloads, event streams, forms.
fn addresses() -> Vec<(&'static str, For, Method, &'static str)> {
    let admin = |pattern, method, path| (pattern, For::Admins, method, path);
    vec![
        ("/healthz", For::Everybody, Method::GET, "/healthz"),
        ("/readyz", For::Everybody, Method::GET, "/readyz"),
        ("/assets/{name}", For::Everybody, Method::GET, "/assets/none"),
        ("/dev/server", For::Everybody, Method::GET, "/dev/server"),
        ("/log-in", For::Everybody, Method::POST, "/log-in"),
        ("/log-in/sso", For::Everybody, Method::GET, "/log-in/sso"),
        ("/log-in/sso/callback", For::Everybody, Method::GET, "/log-in/sso/callback"),
        ("/account/sso/unlink", For::Raters, Method::POST, "/account/sso/unlink"),
        ("/new-password", For::Raters, Method::POST, "/new-password"),
        ("/log-out", For::Everybody, Method::POST, "/log-out"),
        ("/join/{secret}", For::Everybody, Method::POST, "/join/none"),
        ("/reset/{secret}", For::Everybody, Method::POST, "/reset/none"),
        ("/mail/{token}", For::Everybody, Method::POST, "/mail/none"),
        ("/account/email", For::Raters, Method::POST, "/account/email"),
        ("/account/password", For::Raters, Method::POST, "/account/password"),
        ("/account/keys", For::Raters, Method::POST, "/account/keys"),
        ("/account/display", For::Raters, Method::POST, "/account/display"),
        ("/account/toured", For::Raters, Method::POST, "/account/toured"),
        ("/lang", For::Everybody, Method::POST, "/lang"),
        ("/grade/{study}", For::Raters, Method::POST, "/grade/none"),
        ("/rpc/{*function}", For::Everybody, Method::POST, "/rpc/none"),
        ("/public/{secret}/embed.svg", For::Everybody, Method::GET, "/public/none/embed.svg"),
        ("/public/{secret}/files/{file}", For::Everybody, Method::GET, "/public/none/files/means.csv"),
        ("/public/{secret}/figures/{file}", For::Everybody, Method::GET, "/public/none/figures/x.svg"),
        admin("/admin/studies/{id}/ratings.csv", Method::GET, "/admin/studies/1/ratings.csv"),
        admin("/admin/studies/{id}/comparison.csv", Method::GET, "/admin/studies/1/comparison.csv"),
        admin("/admin/rubrics/{slug}/rubric.json", Method::GET, "/admin/rubrics/aixbench/rubric.json"),
        admin("/admin/results.csv", Method::GET, "/admin/results.csv"),
        admin("/admin/compare/{slug}/export/{file}", Method::GET, "/admin/compare/starter/export/table.csv"),
        admin("/admin/compare/{slug}/figures/{file}", Method::GET, "/admin/compare/starter/figures/x.svg"),
        admin("/admin/audit.csv", Method::GET, "/admin/audit.csv"),
        admin("/admin/languages.csv", Method::GET, "/admin/languages.csv"),
        admin("/admin/conversations.csv", Method::GET, "/admin/conversations.csv"),
        admin("/admin/runs/{id}/progress", Method::GET, "/admin/runs/1/progress"),
        admin("/admin/runs/compare.csv", Method::GET, "/admin/runs/compare.csv?a=1&b=1"),
        admin("/admin/runs/{id}/results.csv", Method::GET, "/admin/runs/1/results.csv"),
        admin("/admin/runs/{id}/results.parquet", Method::GET, "/admin/runs/1/results.parquet"),
        admin("/admin/runs/{id}/results.jsonl", Method::GET, "/admin/runs/1/results.jsonl"),
        admin("/admin/uploads/{id}/bad-lines.jsonl", Method::GET, "/admin/uploads/1/bad-lines.jsonl?dataset=starter"),
        admin("/admin/uploads/{id}/bad-lines.csv", Method::GET, "/admin/uploads/1/bad-lines.csv?dataset=starter"),
        admin("/admin/submissions/{id}/file", Method::GET, "/admin/submissions/1/file"),
        admin("/admin/submissions/{id}/bad-lines.jsonl", Method::GET, "/admin/submissions/1/bad-lines.jsonl"),
        admin("/admin/submissions/{id}/bad-lines.csv", Method::GET, "/admin/submissions/1/bad-lines.csv"),
        admin("/admin/upload/submission", Method::POST, "/admin/upload/submission"),
        admin("/admin/upload/dataset", Method::POST, "/admin/upload/dataset"),
        admin("/admin/upload/ratings", Method::POST, "/admin/upload/ratings"),
        admin("/admin/upload/rubric", Method::POST, "/admin/upload/rubric"),
    ]
}

/// Fields with a number that is no database id: a count, a position, a score, a time.
const NUMBERS: &[&str] = &[
    // A warning.
    "fast",
    "seconds",
    // Progress, steps, the rubric, scores.
    "rated",
    "skipped",
    "left",
    "number",
    "of",
    "needed",
    "right",
    "version",
    "score",
    "scores",
    "scales",
    "break_minutes",
    "only_here",
    "yours",
    "known",
    // Line notes, drafts, replies to flags, adjudications.
    "line",
    "column",
    "notes",
    "active_ms",
    "at",
    "adjudicated",
    "adjudicated_at",
    "spread",
    "disagreements",
    "waiting",
    // A rater's own figures.
    "per_hour",
    "ratings",
    "timed",
    "outputs",
    "pairs",
    "exact",
    "within_one",
    "difference",
    "alpha",
    "known_items_right",
    "flat",
    "longest_run",
];

/// Texts that no response to a rater may contain.
struct Secrets {
    names: Vec<String>,
    people: Vec<String>,
}

impl Secrets {
    async fn of(app: &TestApp, me: &str) -> Secrets {
        let (names, people) = app
            .services
            .db
            .read(|conn| {
                let list = |sql: &str| -> Result<Vec<String>, base::error::Failure> {
                    Ok(conn.prepare(sql)?.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
                };
                Ok((
                    list("SELECT name FROM models UNION SELECT file_name FROM submissions")?,
                    list("SELECT name FROM users WHERE name <> 'admin'")?,
                ))
            })
            .await
            .unwrap();
        assert!(names.len() >= 6, "{names:?}");
        let people: Vec<String> = people.into_iter().filter(|name| name != me).collect();
        assert!(people.len() >= 2, "{people:?}");
        Secrets { names, people }
    }

    fn check(&self, what: &str, answer: &Answer) {
        let mut text = answer.body.to_lowercase();
        for (name, value) in &answer.headers {
            text.push_str(&format!("\n{name}: {}", value.to_str().unwrap_or_default().to_lowercase()));
        }
        // A nonce is drawn at random, so it may contain a short name.
        if let Some(nonce) = text.split("'nonce-").nth(1).and_then(|rest| rest.split('\'').next()).map(str::to_owned) {
            text = text.replace(&nonce, "");
        }
        for secret in &self.names {
            // The first word too: "Northwind" of "Northwind 2".
            for part in [secret.as_str(), secret.split(['.', ' ']).next().unwrap()] {
                assert!(!text.contains(&part.to_lowercase()), "{what} names {part}");
            }
        }
        let words: BTreeSet<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
        for person in &self.people {
            assert!(!words.contains(person.as_str()), "{what} names {person}");
        }
        // An answer may repeat the question, so a word counts only if the question did not contain it.
        assert!(what.contains("submission") || !text.contains("submission"), "{what} speaks of submissions");
        // Addresses, values and other attributes contain no bare row number.
        for attribute in ["href", "action", "src", "data-token", "for", "id"] {
            for value in answer.body.split(&format!(" {attribute}=\"")).skip(1) {
                let value = value.split('"').next().unwrap_or_default();
                // The icon is an image in its address.
                if value.starts_with("data:") {
                    continue;
                }
                let number = value
                    .split(['/', '?', '=', '&'])
                    .find(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit()));
                assert!(number.is_none(), "{what} has {attribute}=\"{value}\"");
            }
        }
        if let Ok(value) = serde_json::from_str::<Value>(&answer.body) {
            no_ids(what, "", &value);
        }
    }
}

fn no_ids(what: &str, under: &str, value: &Value) {
    match value {
        Value::Number(number) => {
            assert!(NUMBERS.contains(&under), "{what} has the number {number} under `{under}`: is it an id?");
        }
        Value::Array(values) => values.iter().for_each(|value| no_ids(what, under, value)),
        Value::Object(fields) => fields.iter().for_each(|(name, value)| no_ids(what, name, value)),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

pub async fn call(client: &mut Client, name: &str, sent: &Sent) -> Answer {
    match sent {
        Sent::Json(arguments) => client.rpc(name, arguments.clone()).await,
        Sent::Form(fields) => {
            let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
            let headers = [
                ("content-type", "application/x-www-form-urlencoded"),
                ("accept", "application/json"),
                ("sec-fetch-site", "same-origin"),
            ];
            let body = web::guard::query(fields.iter().copied());
            client.send(Method::POST, &format!("/rpc/{name}"), &headers, body).await
        }
    }
}

/// One rater's walk through everything, repeated as things change.
struct Walk {
    secrets: Secrets,
    client: Client,
    /// Functions and pages that have given a useful answer.
    answered: BTreeSet<String>,
}

impl Walk {
    fn note(&mut self, what: &str, when: &str, of: For, answer: &Answer) {
        let said = format!("{what} {when}");
        self.secrets.check(&said, answer);
        let status = answer.status;
        if of == For::Admins {
            assert_eq!(status, StatusCode::FORBIDDEN, "{said}: {}", answer.body);
            return;
        }
        assert_ne!(status, StatusCode::BAD_REQUEST, "{said} did not understand what was sent: {}", answer.body);
        assert!(!status.is_server_error(), "{said}: {}", answer.body);
        assert_ne!(status, StatusCode::FORBIDDEN, "{said}");
        if status.is_success() || status.is_redirection() {
            self.answered.insert(what.to_owned());
        }
    }

    /// Everything, in the phase `when`.
    async fn everything(&mut self, when: &str, here: &Here, draft: &Draft) {
        for (pattern, of, path) in pages(here) {
            let answer = self.client.get(&path).await;
            self.note(pattern, when, of, &answer);
        }
        for (name, of, sent) in functions(here, draft) {
            let answer = call(&mut self.client, name, &sent).await;
            self.note(&format!("/rpc/{name}"), when, of, &answer);
        }
        let unknown = self.client.get("/no/such/page").await;
        self.note("/no/such/page", when, For::Everybody, &unknown);
    }

    async fn done(&mut self, name: &'static str, sent: Sent) {
        let answer = call(&mut self.client, name, &sent).await;
        assert!(answer.status.is_success() || answer.status.is_redirection(), "{name}: {}", answer.body);
        self.note(&format!("/rpc/{name}"), "done", For::Raters, &answer);
    }

    async fn next(&mut self, study: &str) -> Next {
        let answer = self.client.rpc("next_item", json!({"study": study, "holding": []})).await;
        self.note("/rpc/next_item", "on the way", For::Raters, &answer);
        answer.json()
    }

    async fn submit(&mut self, item: &GradingItem, draft: &Draft, key: &str) {
        let sent = json!({"assignment": item.token, "draft": draft, "key": key});
        self.done("submit_rating", Sent::Json(sent)).await;
    }
}

fn draft(scores: [u8; 3]) -> Draft {
    Draft { scores: scores.into_iter().map(Some).collect(), ..Draft::default() }
}

/// With everything that a draft can contain.
fn full() -> Draft {
    Draft {
        comment: "What is asked of an empty list?".into(),
        flag: Some(Flag { reason: FlagReason::Other, text: "Two readings.".into() }),
        active_ms: Some(4000),
        notes: vec![LineNote { at: Position { line: 1, column: 1 }, text: "too wide".into() }],
        ..draft([2, 2, 2])
    }
}

async fn study_named(client: &mut Client, title: &str) -> String {
    let my_studies: Value = client.rpc("my_studies", json!({})).await.json();
    let found = my_studies.as_array().unwrap().iter().find(|study| study["title"] == title);
    found.unwrap_or_else(|| panic!("{my_studies}"))["token"].as_str().unwrap().to_owned()
}

/// Rates everything that a rater is assigned.
async fn rate_all(client: &mut Client, study: &str, scores: [u8; 3]) {
    loop {
        match client.rpc("next_item", json!({"study": study, "holding": []})).await.json() {
            Next::Item(item) => {
                let sent = json!({"assignment": item.token, "draft": draft(scores), "key": "k"});
                let answer = client.rpc("submit_rating", sent).await;
                assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
            }
            Next::Calibration(calibration) => {
                let what = match *calibration {
                    Calibration::Feedback(feedback) => feedback.token.0,
                    Calibration::Passed(result) | Calibration::Stopped(result) => result.study.0,
                };
                client.form("/rpc/go_on", &[("what", &what)]).await;
            }
            Next::Finished { .. } => return,
            Next::Paused { .. } => panic!("the study is paused"),
        }
    }
}

#[tokio::test]
async fn walk_covers_every_function_page_and_address() {
    let here = Here::default();
    let check = |kind: &str, there: BTreeSet<String>, known: BTreeSet<String>| {
        let unknown: Vec<_> = there.difference(&known).collect();
        let gone: Vec<_> = known.difference(&there).collect();
        assert!(unknown.is_empty(), "the walk in this file does not know these {kind}: {unknown:?}");
        assert!(gone.is_empty(), "the walk in this file knows {kind} that are gone: {gone:?}");
        assert!(!there.is_empty());
    };
    check(
        "server functions",
        leptos::server_fn::axum::server_fn_paths().map(|(path, _)| path.to_owned()).collect(),
        functions(&here, &Draft::default()).iter().map(|(name, ..)| format!("/rpc/{name}")).collect(),
    );
    check(
        "pages",
        web::router::pages().iter().cloned().collect(),
        pages(&here).iter().map(|(pattern, ..)| (*pattern).to_owned()).collect(),
    );
    // Operators have a separate address, which people do not use.
    let router = include_str!("../../web/src/router.rs").split("pub fn watched").next().unwrap();
    check(
        "addresses",
        router.split(".route(\"").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect(),
        addresses().iter().map(|(pattern, ..)| (*pattern).to_owned()).collect(),
    );
}

#[tokio::test]
#[allow(clippy::too_many_lines, reason = "one walk through all calls of a rater")]
async fn raters_never_see_models_or_ids() {
    let app = TestApp::demo().await;
    // So that the page about email is there; nothing is sent.
    app.services.mail.configure(Smtp::default().client(|_| ()), "https://grade.example.org");
    prepare(&app).await;
    let client = app.rater().await;
    let mut walk = Walk { secrets: Secrets::of(&app, "ada").await, client, answered: BTreeSet::new() };
    let study = study_named(&mut walk.client, "Blind").await;
    let mut here = Here { study: study.clone(), item: "none".into(), disagreement: "none".into() };

    // The calibration, with its known scores.
    let Next::Item(first) = walk.next(&study).await else { panic!("a calibration item comes first") };
    assert!(first.calibration.is_some());
    here.item = first.token.0.clone();
    walk.everything("before the calibration", &here, &draft([1, 1, 1])).await;
    walk.submit(&first, &full(), "c1").await;
    assert!(matches!(walk.next(&study).await, Next::Calibration(_)));
    walk.everything("with known scores", &here, &draft([1, 1, 1])).await;
    walk.done("go_on", Sent::Form(vec![("what", first.token.0.clone())])).await;
    let Next::Item(second) = walk.next(&study).await else { panic!("a second item") };
    walk.submit(&second, &draft([4, 3, 5]), "c2").await;
    walk.done("go_on", Sent::Form(vec![("what", second.token.0.clone())])).await;
    let announced: Vec<Announced> = walk.client.rpc("unread_announcements", json!({})).await.json();
    walk.done("read_announcement", Sent::Form(vec![("token", announced[0].token.0.clone())])).await;
    let Next::Calibration(passed) = walk.next(&study).await else { panic!("the calibration's end") };
    assert!(matches!(*passed, Calibration::Passed(_)));
    walk.everything("after the calibration", &here, &draft([1, 1, 1])).await;
    walk.done("go_on", Sent::Form(vec![("what", study.clone())])).await;

    // Work: an output before and after it is rated, flagged, replied to, withdrawn; a few more, with hidden
    // checks among them.
    let Next::Item(item) = walk.next(&study).await else { panic!("work") };
    here.item = item.token.0.clone();
    walk.everything("before rating", &here, &draft([1, 2, 3])).await;
    walk.submit(&item, &full(), "w1").await;
    walk.everything("after rating", &here, &full()).await;
    walk.done("undo_rating", Sent::Json(json!({"assignment": item.token}))).await;
    walk.everything("taken back", &here, &full()).await;
    walk.submit(&item, &full(), "w2").await;
    for flag in app.services.quality.flags(&ADMIN, StudyId(2), PageOf::default()).await.unwrap().1.rows {
        app.services.quality.reply_to_flag(&ADMIN, StudyId(2), flag.on, "Any answer is fine.").await.unwrap();
    }
    let back: RaterFeedback = walk.client.rpc("my_feedback", json!({})).await.json();
    assert!(!back.replies.is_empty() && !back.figures.is_empty(), "{back:?}");
    walk.everything("with a reply", &here, &full()).await;
    let Next::Item(skipped) = walk.next(&study).await else { panic!("more work") };
    walk.done("skip", Sent::Json(json!({"assignment": skipped.token}))).await;
    for n in 0..8 {
        let Next::Item(item) = walk.next(&study).await else { panic!("more work") };
        here.item = item.token.0.clone();
        let answer = walk.client.get(&format!("/grade/{study}/{}", item.token)).await;
        walk.note("/grade/{study}/{item}", "on the way", For::Raters, &answer);
        walk.submit(&item, &full(), &format!("m{n}")).await;
    }

    // The others rate the rest and disagree; this rater adjudicates outputs that they did not rate.
    for (name, scores) in [("bo", [1, 1, 1]), ("chen", [4, 3, 5])] {
        rate_all(&mut app.demo_user(name).await, &study, scores).await;
    }
    let lines = walk.client.rpc("my_disagreements", json!({})).await.json::<DisagreementQueue>().lines;
    here.disagreement = lines[0].token.0.clone();
    walk.everything("with a disagreement", &here, &full()).await;
    let scores = ["scores[0]", "scores[1]", "scores[2]"].map(|field| (field, "2".to_owned()));
    let decision = [("token", here.disagreement.clone()), ("comment", "Misses one case.".into())];
    walk.done("adjudicate", Sent::Form(decision.into_iter().chain(scores).collect())).await;
    walk.everything("adjudicated", &here, &full()).await;

    // The same side by side.
    let side_by_side = study_named(&mut walk.client, "Beside").await;
    let answer = walk.client.rpc("next_task_items", json!({"study": side_by_side, "holding": []})).await;
    let NextTask::Task(items) = answer.json::<NextTask>() else { panic!("{}", answer.body) };
    let mut there = Here { study: side_by_side.clone(), item: items[0].token.0.clone(), disagreement: "none".into() };
    walk.everything("side by side before rating", &there, &draft([1, 1, 1])).await;
    walk.submit(&items[0], &full(), "b1").await;
    walk.everything("side by side after rating", &there, &full()).await;
    rate_side_by_side(&mut walk, &side_by_side).await;
    there.item = items[0].token.0.clone();
    walk.everything("side by side at the end", &there, &full()).await;

    // Paused by an admin, and warned.
    let ada = app.services.accounts.named(&ADMIN, "ada").await.unwrap().unwrap();
    app.services.quality.pause_rater(&ADMIN, StudyId(2), ada, true).await.unwrap();
    assert!(matches!(walk.next(&study).await, Next::Paused { why: Halt::Rater, .. }));
    let sent = json!({"assignment": here.item, "draft": draft([1, 2, 4]), "key": "held"});
    let refused = walk.client.rpc("submit_rating", sent).await;
    walk.secrets.check("a submission of a paused rater", &refused);
    assert_eq!(refused.status, StatusCode::CONFLICT, "{}", refused.body);
    walk.everything("paused by an admin", &here, &full()).await;
    app.services.quality.pause_rater(&ADMIN, StudyId(2), ada, false).await.unwrap();
    let warn = move |tx: &rusqlite::Transaction<'_>| {
        Ok(tx.execute("UPDATE rater_limits SET warned = 1 WHERE study_id = 2 AND user_id = ?1", [ada.0])?)
    };
    assert_eq!(app.services.db.write(warn).await.unwrap(), 1);
    assert!(matches!(walk.next(&study).await, Next::Paused { why: Halt::Warning(_), .. }));
    walk.everything("with a warning", &here, &full()).await;
    walk.done("go_on", Sent::Form(vec![("what", study.clone())])).await;
    assert!(!matches!(walk.next(&study).await, Next::Paused { .. }));

    // Paused, and closed.
    for status in ["paused", "closed"] {
        for id in ["2", "3"] {
            let mut admin = app.admin().await;
            let answer = admin.form("/rpc/set_study_status", &[("id", id), ("status", status)]).await;
            assert!(answer.status.is_success() || answer.status.is_redirection(), "{}", answer.body);
        }
        walk.everything(status, &here, &full()).await;
        walk.everything(status, &there, &full()).await;
    }

    for (pattern, of, method, path) in addresses() {
        // Logging out would end the walk.
        if pattern == "/log-out" {
            continue;
        }
        let headers = [
            ("accept", "text/html"),
            ("sec-fetch-site", "same-origin"),
            ("content-type", "application/x-www-form-urlencoded"),
        ];
        let answer = walk.client.send(method, path, &headers, String::new()).await;
        walk.secrets.check(pattern, &answer);
        if of == For::Admins {
            assert_eq!(answer.status, StatusCode::FORBIDDEN, "{pattern}");
        }
    }

    // A walk without useful answers would prove nothing.
    let silent: Vec<String> = functions(&here, &full())
        .iter()
        .filter(|(_, of, _)| *of == For::Raters)
        .map(|(name, ..)| format!("/rpc/{name}"))
        .chain(pages(&here).iter().filter(|(_, of, _)| *of == For::Raters).map(|(p, ..)| (*p).to_owned()))
        .filter(|what| !walk.answered.contains(what))
        .collect();
    assert!(silent.is_empty(), "never answered: {silent:?}");
}

#[tokio::test]
async fn nothing_is_reachable_without_log_in() {
    let app = TestApp::demo().await;
    let secrets = Secrets::of(&app, "").await;
    let here = Here { study: "none".into(), item: "none".into(), disagreement: "none".into() };
    let mut nobody = app.anonymous();
    for (pattern, of, path) in pages(&here) {
        let answer = nobody.get(&path).await;
        if of != For::Everybody {
            assert!(answer.location().starts_with("/log-in"), "{pattern}: {}", answer.status);
        } else if pattern != "/log-in" {
            // The login page repeats the name that was tried.
            secrets.check(pattern, &answer);
        }
    }
    for (name, of, sent) in functions(&here, &draft([1, 1, 1])) {
        let answer = call(&mut nobody, name, &sent).await;
        secrets.check(name, &answer);
        if of != For::Everybody {
            assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{name}: {}", answer.body);
        }
    }
}

/// Two studies: one at a time with every quality setting, and one side by side.
async fn prepare(app: &TestApp) {
    let users = app.services.accounts.users(&ADMIN, PageOf::first(PageOf::MOST)).await.unwrap().rows;
    let rows = app.services.submissions.list(&ADMIN, None, PageOf::first(PageOf::MOST)).await.unwrap().rows;
    let raters: Vec<_> = users.iter().filter(|user| user.name != "admin").map(|user| user.id).collect();
    let new = |title: &str, presentation| NewStudy {
        title: title.into(),
        dataset: "starter".into(),
        submissions: rows.iter().map(|row| row.id).collect(),
        raters: raters.clone(),
        seed: Some(11),
        settings: StudySettings { raters_per_output: 2, tasks: Some(8), presentation, ..StudySettings::default() },
        ..NewStudy::default()
    };
    // Each new study gets a copy.
    let text = Bilingual { en: "# How to rate\n\nTake your time.".into(), zh: String::new() };
    app.services.guidelines.save(&ADMIN, Object::Dataset("starter".into()), text, None).await.unwrap();
    let blind = app.services.studies.create(&ADMIN, new("Blind", Presentation::One)).await.unwrap();
    let side_by_side = app.services.studies.create(&ADMIN, new("Beside", Presentation::SideBySide)).await.unwrap();
    assert_eq!((blind, side_by_side), (StudyId(2), StudyId(3)));
    let text = Bilingual { en: "The server restarts at 18:00.".into(), zh: String::new() };
    let announced = NewAnnouncement { to: Audience::Study(blind), text, last_day: None, allow_names: false };
    app.services.announcements.publish(&ADMIN, announced).await.unwrap();
    let choices = app.services.quality.page(&ADMIN, blind).await.unwrap().choices;
    let pools = [Pool::Calibration, Pool::Calibration, Pool::Hidden, Pool::Hidden];
    for (n, (known, pool)) in [[4, 3, 5], [1, 1, 1], [4, 3, 5], [1, 1, 1]].iter().zip(pools).enumerate() {
        let source = KnownItemSource::Pasted {
            task: choices.tasks[n].0,
            code: format!("int known{n}() {{ return {n}; }}"),
            surrounding_text: String::new(),
        };
        let reasons = known.iter().map(|_| Bilingual { en: "Because.".into(), zh: "原因。".into() });
        let new = NewKnownItem { source, scores: known.to_vec(), reasons: reasons.collect(), pool };
        app.services.quality.add_known_item(&ADMIN, blind, new).await.unwrap();
    }
    let settings = QualitySettings {
        calibration: CalibrationMode::Train,
        tolerance: 1,
        known_item_every: 3,
        repeat_every: 3,
        repeat_apart: 1,
        spread: Some(1),
        policy: Policy::Adjudicator,
        shown: FeedbackLevel::Own,
        ..QualitySettings::default()
    };
    app.services.quality.set(&ADMIN, blind, crate::util::change_to(&settings)).await.unwrap();
    let ada = users.iter().find(|user| user.name == "ada").unwrap().id;
    app.services.quality.set_adjudicator(&ADMIN, blind, ada, true).await.unwrap();
}

/// Rates everything that is left, side by side.
async fn rate_side_by_side(walk: &mut Walk, study: &str) {
    let mut seen: BTreeMap<String, ()> = BTreeMap::new();
    loop {
        let answer = walk.client.rpc("next_task_items", json!({"study": study, "holding": []})).await;
        walk.note("/rpc/next_task_items", "on the way", For::Raters, &answer);
        let NextTask::Task(items) = answer.json::<NextTask>() else { return };
        for item in items.iter().filter(|item| !item.rated) {
            assert!(seen.insert(item.token.0.clone(), ()).is_none(), "an output comes once");
            walk.submit(item, &draft([3, 2, 4]), &item.token.0.clone()).await;
        }
    }
}
