//! The table of pages, forms, downloads, server functions and operations of the API. `authorization.rs` requests them all;
//! `blindness.rs` and `authorship.rs` take from here what admins use.
//!
//! A row's four statuses are for no account, a rater of the study (ada), a rater of another study
//! (dora), an admin. Rows run in this order over one demo, in which submissions, study, run, outputs and
//! tasks with the number 1 exist; rows that change something should leave these intact.

use model::api::Scope;
use serde_json::{Value, json};

/// The kind of request.
pub enum Call {
    /// Opens a page or a download.
    Get(&'static str),
    /// Sends a form.
    Form(&'static str, Vec<(&'static str, &'static str)>),
    /// Sends a form with files, here without any.
    Files(&'static str),
    /// Calls a server function.
    Function(Value),
}

/// One row.
pub struct Row {
    /// `GET /path/{as}/routed`, `POST /…`, or a server function's `/rpc/name`.
    pub what: &'static str,
    /// How it is requested.
    pub call: Call,
    /// The four statuses.
    pub expected: [u16; 4],
}

impl Row {
    /// Whether raters may not use it.
    pub fn is_for_admins(&self) -> bool {
        self.expected[1] == 403
    }

    /// The name of a server function.
    pub fn function(&self) -> Option<&'static str> {
        self.what.strip_prefix("/rpc/")
    }
}

const fn row(what: &'static str, call: Call, expected: [u16; 4]) -> Row {
    Row { what, call, expected }
}

fn page(what: &'static str, address: &'static str, expected: [u16; 4]) -> Row {
    row(what, Call::Get(address), expected)
}

/// A page or download for admins only.
fn admins_page(what: &'static str, address: &'static str) -> Row {
    page(what, address, [303, 403, 403, 200])
}

fn call(what: &'static str, arguments: Value, expected: [u16; 4]) -> Row {
    row(what, Call::Function(arguments), expected)
}

/// A server function for admins only.
fn admins_call(what: &'static str, arguments: Value) -> Row {
    call(what, arguments, [401, 403, 403, 200])
}

/// A server function on objects of ada's study only.
fn adas_call(what: &'static str, arguments: Value) -> Row {
    call(what, arguments, [401, 200, 404, 404])
}

/// A page of a list in another order, searched, filtered and counted.
fn narrowed(sort: &str, filter: &str, value: &str) -> Value {
    json!({"which": {"search": "a", "sort": sort, "filters": [[filter, value]]}, "limit": 2, "counted": true})
}

/// Pages, forms, downloads, server functions.
#[allow(clippy::too_many_lines, reason = "a list")]
pub fn rows() -> Vec<Row> {
    let keys = serde_json::to_value(model::keys::Keys::default()).unwrap_or_default();
    let filter = serde_json::to_value(model::quality::RatingFilter::default()).unwrap_or_default();
    let draft = json!({"scores": [4, 3, 5], "comment": "", "flag": null});
    vec![
        // Accounts.
        page("GET /", "/", [303, 200, 200, 200]),
        page("GET /log-in", "/log-in", [200; 4]),
        page("GET /join/{secret}", "/join/made-up-secret", [404; 4]),
        page("GET /account", "/account", [303, 200, 200, 200]),
        // Nobody here has to choose a password: accounts.rs tests those who have.
        page("GET /new-password", "/new-password", [303; 4]),
        row("POST /new-password", Call::Form("/new-password", vec![("new", "x")]), [303; 4]),
        // No provider is set up: single_sign_on.rs has one.
        page("GET /log-in/sso", "/log-in/sso", [404; 4]),
        page("GET /log-in/sso/callback", "/log-in/sso/callback?code=x&state=y", [404; 4]),
        row("POST /account/sso/unlink", Call::Form("/account/sso/unlink", vec![]), [303; 4]),
        call("/rpc/linked", json!({}), [401, 200, 200, 200]),
        call("/rpc/time_zones", json!({}), [401, 200, 200, 200]),
        row("POST /log-in", Call::Form("/log-in", vec![("name", "nobody"), ("password", "x")]), [303; 4]),
        row("POST /join/{secret}", Call::Form("/join/x", vec![("name", "a"), ("password", "b")]), [303; 4]),
        row("POST /account/password", Call::Form("/account/password", vec![("current", "x"), ("new", "y")]), [303; 4]),
        row("POST /lang", Call::Form("/lang", vec![("lang", "en")]), [303; 4]),
        call("/rpc/open_invitation", json!({"secret": "made-up-secret"}), [404; 4]),
        page("GET /reset/{secret}", "/reset/made-up-secret", [404; 4]),
        // No email is sent: mail.rs has an SMTP server.
        page("GET /mail/{token}", "/mail/made-up-token", [404; 4]),
        row("POST /mail/{token}", Call::Form("/mail/made-up-token", vec![]), [303; 4]),
        page("GET /account/email", "/account/email", [303, 404, 404, 404]),
        row("POST /account/email", Call::Form("/account/email", vec![("address", "a@b.example")]), [303; 4]),
        call("/rpc/my_mail", json!({}), [401, 200, 200, 200]),
        call("/rpc/mail_link", json!({"token": "made-up-token"}), [404; 4]),
        call("/rpc/test_mail", json!({"address": "a@b.example"}), [401, 403, 403, 409]),
        row("POST /reset/{secret}", Call::Form("/reset/x", vec![("password", "b")]), [303; 4]),
        call("/rpc/reset_name", json!({"secret": "made-up-secret"}), [404; 4]),
        call("/rpc/who", json!({}), [401, 200, 200, 200]),
        call("/rpc/set_keys", json!({"keys": keys}), [401, 200, 200, 200]),
        row("POST /account/keys", Call::Form("/account/keys", vec![("action", "reset")]), [303; 4]),
        row("POST /account/display", Call::Form("/account/display", vec![("theme", "dark")]), [303; 4]),
        row("POST /account/toured", Call::Form("/account/toured", vec![]), [303; 4]),
        // Grading.
        page("GET /my-studies", "/my-studies", [303, 200, 200, 200]),
        page("GET /grade/{study}", "/grade/STUDY", [303, 200, 404, 404]),
        page("GET /grade/{study}/{item}", "/grade/STUDY/ITEM", [303, 200, 404, 404]),
        page("GET /studies/{study}/mine", "/studies/STUDY/mine", [303, 200, 404, 404]),
        // The demo's study shows one output at a time, and redirects there.
        page("GET /side-by-side/{study}", "/side-by-side/STUDY", [303, 302, 404, 404]),
        page("GET /rubric/{study}", "/rubric/STUDY", [303, 200, 404, 404]),
        page("GET /tour", "/tour", [303, 200, 200, 200]),
        page("GET /guidelines/{study}", "/guidelines/STUDY", [303, 200, 404, 404]),
        adas_call("/rpc/read_guidelines", json!({"study": "STUDY"})),
        adas_call("/rpc/study_rubric", json!({"study": "STUDY"})),
        call("/rpc/my_studies", json!({}), [401, 200, 200, 200]),
        adas_call("/rpc/next_item", json!({"study": "STUDY"})),
        adas_call("/rpc/item", json!({"assignment": "ITEM"})),
        adas_call("/rpc/save_draft", json!({"assignment": "ITEM", "draft": draft})),
        adas_call("/rpc/own_ratings", json!({"study": "STUDY"})),
        adas_call("/rpc/own_ratings", json!({"study": "STUDY", "words": "a list", "page": 2})),
        adas_call("/rpc/own_lists", json!({"study": "STUDY"})),
        adas_call("/rpc/bookmark", json!({"assignment": "ITEM", "on": true})),
        adas_call("/rpc/submit_rating", json!({"assignment": "ITEM", "draft": draft, "key": "k"})),
        row(
            "POST /grade/{study}",
            Call::Form("/grade/ITEM", vec![("key", "k2"), ("action", "save")]),
            [303, 303, 404, 404],
        ),
        // Feedback, and disagreements: only their adjudicator opens one.
        page("GET /adjudicate", "/adjudicate", [303, 200, 200, 200]),
        page("GET /adjudicate/{token}", "/adjudicate/made-up", [303, 404, 404, 404]),
        call("/rpc/my_feedback", json!({}), [401, 200, 200, 200]),
        call("/rpc/read_replies", json!({}), [401, 200, 200, 200]),
        adas_call("/rpc/go_on", json!({"what": "STUDY"})),
        call("/rpc/my_disagreements", json!({}), [401, 200, 200, 200]),
        call("/rpc/open_disagreement", json!({"token": "made-up"}), [401, 404, 404, 404]),
        call("/rpc/adjudicate", json!({"token": "made-up", "scores": [4, 3, 5], "comment": ""}), [401, 404, 404, 404]),
        // Data.
        admins_page("GET /admin", "/admin"),
        admins_page("GET /admin/datasets", "/admin/datasets"),
        admins_page("GET /admin/datasets/{slug}", "/admin/datasets/starter"),
        admins_page("GET /admin/submissions", "/admin/submissions"),
        admins_page("GET /admin/submissions/{id}", "/admin/submissions/1"),
        admins_page("GET /admin/outputs/{id}", "/admin/outputs/1"),
        admins_page("GET /admin/upload", "/admin/upload"),
        admins_page("GET /admin/uploads/{id}", "/admin/uploads/1?dataset=starter"),
        admins_page("GET /admin/uploads/{id}/bad-lines.jsonl", "/admin/uploads/1/bad-lines.jsonl?dataset=starter"),
        admins_page("GET /admin/uploads/{id}/bad-lines.csv", "/admin/uploads/1/bad-lines.csv?dataset=starter"),
        admins_page("GET /admin/submissions/{id}/file", "/admin/submissions/1/file"),
        admins_page("GET /admin/submissions/{id}/bad-lines.jsonl", "/admin/submissions/1/bad-lines.jsonl"),
        admins_page("GET /admin/submissions/{id}/bad-lines.csv", "/admin/submissions/1/bad-lines.csv"),
        row("POST /admin/upload/submission", Call::Files("/admin/upload/submission"), [303, 403, 403, 422]),
        row("POST /admin/upload/dataset", Call::Files("/admin/upload/dataset"), [303, 403, 403, 422]),
        admins_page("GET /admin/upload/ratings", "/admin/upload/ratings"),
        admins_page("GET /admin/uploads/{id}/ratings", "/admin/uploads/1/ratings?dataset=starter"),
        row("POST /admin/upload/ratings", Call::Files("/admin/upload/ratings"), [303, 403, 403, 422]),
        admins_call(
            "/rpc/preview_ratings",
            json!({"upload": 1, "reading": {"dataset": "starter", "judge": false, "columns": {}}}),
        ),
        admins_page("GET /admin/models", "/admin/models?sort=-added"),
        admins_page("GET /admin/settings", "/admin/settings"),
        admins_page("GET /admin/server", "/admin/server?unused=1"),
        admins_call("/rpc/server_state", json!({})),
        admins_call("/rpc/server_notices", json!({})),
        admins_call("/rpc/unused_data", json!({"asked": true})),
        // The server of this test has no folder for backups.
        call("/rpc/start_maintenance", json!({"what": "back_up"}), [401, 403, 403, 409]),
        admins_page("GET /admin/find", "/admin/find?q=starter"),
        admins_call("/rpc/models", json!({})),
        admins_call("/rpc/models", json!({"page": narrowed("-name", "dataset", "starter")})),
        admins_call("/rpc/find", json!({"words": "starter n"})),
        admins_call("/rpc/find", json!({"words": "1"})),
        admins_call("/rpc/datasets", json!({})),
        admins_call("/rpc/datasets", json!({"page": narrowed("-added", "check", "tests")})),
        admins_call("/rpc/dataset", json!({"slug": "starter", "version": null})),
        admins_call(
            "/rpc/dataset_tasks",
            json!({"slug": "starter", "version": null, "page": narrowed("order", "nl_lang", "en")}),
        ),
        admins_call("/rpc/submissions", json!({"dataset": null})),
        admins_call("/rpc/submissions", json!({"dataset": null, "page": narrowed("-model", "dataset", "starter")})),
        admins_call("/rpc/submissions", json!({"dataset": null, "page": narrowed("dataset", "model", "1")})),
        admins_call("/rpc/submission", json!({"id": 1})),
        admins_call("/rpc/submission_outputs", json!({"id": 1, "filter": {"words": "a b", "empty": true}})),
        admins_call("/rpc/output", json!({"id": 1})),
        admins_call("/rpc/choose_block", json!({"id": 1})),
        admins_call("/rpc/mask", json!({"submission": 1})),
        admins_call("/rpc/set_mask", json!({"submission": 1, "on": false})),
        admins_call("/rpc/preview_upload", json!({"upload": 1, "dataset": "starter", "matching": "auto"})),
        call("/rpc/run_early", json!({"upload": 4711, "dataset": "starter", "matching": "auto"}), [401, 403, 403, 404]),
        admins_call("/rpc/choose_columns", json!({"upload": 1, "columns": {"code": "Answer"}})),
        admins_call("/rpc/uploads", json!({"page": narrowed("uploaded", "none", "1")})),
        // The existing upload has outputs, no ratings.
        call("/rpc/import_ratings", json!({"upload": 1, "dataset": "starter", "name": "T"}), [401, 403, 403, 422]),
        admins_call(
            "/rpc/import_submission",
            json!({"upload": 1, "dataset": "starter", "matching": "auto", "model": "M"}),
        ),
        // Runs.
        admins_page("GET /admin/runs", "/admin/runs"),
        admins_page("GET /admin/runs/compare", "/admin/runs/compare?a=1&b=1"),
        admins_page("GET /admin/runs/compare.csv", "/admin/runs/compare.csv?a=1&b=1"),
        admins_call("/rpc/compare_runs", json!({"a": 1, "b": 1, "task": null})),
        admins_page("GET /admin/runs/{id}", "/admin/runs/1"),
        admins_page("GET /admin/runs/{id}/outputs/{output}", "/admin/runs/1/outputs/1"),
        admins_page("GET /admin/runs/{id}/results.csv", "/admin/runs/1/results.csv"),
        admins_page("GET /admin/runs/{id}/results.parquet", "/admin/runs/1/results.parquet"),
        admins_page("GET /admin/runs/{id}/results.jsonl", "/admin/runs/1/results.jsonl"),
        admins_call("/rpc/check_engine", json!({})),
        admins_call("/rpc/known_workers", json!({})),
        admins_call("/rpc/submission_toolchains", json!({"submission": 1})),
        // An existing one would be fetched from the operator's registries.
        call("/rpc/install_toolchain", json!({"code": "none"}), [401, 403, 403, 404]),
        admins_call("/rpc/runs", json!({"submission": null})),
        admins_call("/rpc/runs", json!({"submission": null, "page": narrowed("-model", "status", "finished")})),
        admins_call("/rpc/runs", json!({"submission": null, "page": narrowed("dataset", "dataset", "starter")})),
        admins_call("/rpc/runs", json!({"submission": null, "page": narrowed("started", "dataset", "starter")})),
        admins_call("/rpc/runs", json!({"submission": null, "page": narrowed("-status", "model", "1")})),
        admins_call("/rpc/run", json!({"id": 1})),
        admins_page("GET /admin/languages", "/admin/languages"),
        admins_page("GET /admin/languages.csv", "/admin/languages.csv"),
        admins_call("/rpc/languages", json!({})),
        admins_page("GET /admin/conversations", "/admin/conversations"),
        admins_page("GET /admin/conversations.csv", "/admin/conversations.csv"),
        admins_call("/rpc/conversations", json!({})),
        admins_call("/rpc/run_items", json!({"id": 1, "filter": {"words": "a", "result": "differs", "flagged": true}})),
        admins_call("/rpc/run_item", json!({"id": 1, "output": 1})),
        admins_call("/rpc/start_run", json!({"submission": 1, "fresh": false})),
        admins_call("/rpc/stop_run", json!({"id": 1})),
        // A run that was stopped before it started has nothing to repeat.
        call("/rpc/run_again", json!({"id": 1, "output": 1}), [401, 403, 403, 409]),
        call("/rpc/run_failed_again", json!({"id": 1}), [401, 403, 403, 409]),
        call("/rpc/run_changed_again", json!({"id": 1}), [401, 403, 403, 409]),
        call("/rpc/run_removed_workers_again", json!({"id": 1}), [401, 403, 403, 409]),
        // A stream, read to its end, which comes at once for a stopped run.
        admins_page("GET /admin/runs/{id}/progress", "/admin/runs/1/progress"),
        admins_call("/rpc/resume_run", json!({"id": 1})),
        // Results.
        admins_page("GET /admin/results", "/admin/results"),
        admins_page("GET /admin/results/models/{model}", "/admin/results/models/1?baseline=2"),
        admins_page("GET /admin/results/datasets/{slug}", "/admin/results/datasets/starter"),
        admins_page("GET /admin/results.csv", "/admin/results.csv"),
        admins_call("/rpc/results_board", json!({"query": {}})),
        admins_call("/rpc/results_model", json!({"model": 1, "baseline": 2})),
        // Comparisons.
        admins_page("GET /admin/compare/{slug}", "/admin/compare/starter"),
        admins_page("GET /admin/compare/{slug}/tasks/{task}", "/admin/compare/starter/tasks/TASK"),
        admins_page("GET /admin/compare/{slug}/export/{file}", "/admin/compare/starter/export/tables.md"),
        // Nobody has rated and no run has ended, so this chart does not exist.
        page("GET /admin/compare/{slug}/figures/{file}", "/admin/compare/starter/figures/x.svg", [303, 403, 403, 404]),
        admins_call("/rpc/comparison_get", json!({"selection": {"dataset": "starter"}})),
        admins_call("/rpc/comparison_revision", json!({"selection": {"dataset": "starter"}})),
        admins_call("/rpc/comparison_slices", json!({"selection": {"dataset": "starter"}, "by": "difficulty"})),
        admins_call("/rpc/comparison_tasks", json!({"selection": {"dataset": "starter"}, "filter": {}})),
        admins_call("/rpc/comparison_task", json!({"selection": {"dataset": "starter"}, "filter": {}, "task": "TASK"})),
        // The inbox.
        admins_page("GET /admin/inbox", "/admin/inbox?kind=flag&study=1"),
        admins_call("/rpc/inbox", json!({"filter": {"kind": "flag", "study": 1}})),
        admins_call("/rpc/inbox_item", json!({"id": 4711})),
        call("/rpc/undo_act", json!({"request": 4711}), [401, 403, 403, 409]),
        call("/rpc/act_on_items", json!({"act": "dismiss", "items": [4711]}), [401, 403, 403, 404]),
        // Studies.
        admins_page("GET /admin/studies", "/admin/studies"),
        admins_page("GET /admin/studies/new", "/admin/studies/new"),
        admins_page("GET /admin/studies/{id}", "/admin/studies/1"),
        admins_page("GET /admin/studies/{id}/tasks/{task}", "/admin/studies/1/tasks/TASK"),
        page("GET /admin/studies/{id}/ratings.csv", "/admin/studies/1/ratings.csv", [303, 403, 403, 303]),
        page("GET /admin/studies/{id}/comparison.csv", "/admin/studies/1/comparison.csv", [303, 403, 403, 303]),
        admins_call("/rpc/admin_overview", json!({})),
        admins_call("/rpc/studies", json!({})),
        admins_call("/rpc/studies", json!({"page": narrowed("created", "status", "running")})),
        admins_call("/rpc/studies", json!({"page": narrowed("-title", "dataset", "starter")})),
        admins_call("/rpc/studies", json!({"page": narrowed("status", "model", "1")})),
        admins_call("/rpc/study", json!({"id": 1})),
        admins_page("GET /admin/studies/{id}/edit", "/admin/studies/1/edit"),
        admins_call("/rpc/draft_settings", json!({"id": 1})),
        admins_call("/rpc/named_models", json!({"study": 1})),
        admins_call("/rpc/mask_study", json!({"study": 1})),
        // It has started.
        call("/rpc/edit_study", json!({"id": 1, "study": {"title": "T"}}), [401, 403, 403, 409]),
        admins_call("/rpc/compare", json!({"id": 1})),
        admins_call("/rpc/study_tasks", json!({"id": 1})),
        admins_call("/rpc/study_task", json!({"id": 1, "task": "TASK"})),
        // Assignment of work: removed raters may return, which leaves the plan unchanged.
        admins_page("GET /admin/studies/{id}/plan", "/admin/studies/1/plan"),
        admins_call("/rpc/plan", json!({"id": 1})),
        admins_call("/rpc/set_pace", json!({"id": 1, "seconds": "90"})),
        admins_call("/rpc/set_reads", json!({"user": 2, "reads": "en zh"})),
        // It adds nothing, and says so.
        call(
            "/rpc/extend_study",
            json!({"id": 1, "submissions": [], "raters_per_output": "", "tasks": ""}),
            [401, 403, 403, 409],
        ),
        admins_call("/rpc/remove_rater", json!({"id": 1, "user": 4})),
        admins_call("/rpc/add_rater", json!({"id": 1, "user": 4, "share": ""})),
        admins_call("/rpc/duplicate_study", json!({"id": 1})),
        // Quality.
        admins_page("GET /admin/studies/{id}/quality", "/admin/studies/1/quality"),
        admins_page("GET /admin/studies/{id}/ratings", "/admin/studies/1/ratings"),
        admins_page("GET /admin/studies/{id}/flags", "/admin/studies/1/flags"),
        admins_page("GET /admin/studies/{id}/disagreements", "/admin/studies/1/disagreements"),
        admins_call("/rpc/study_quality", json!({"study": 1})),
        admins_call("/rpc/study_live", json!({"study": 1})),
        admins_call("/rpc/study_tabs", json!({"study": 1})),
        admins_call("/rpc/study_ratings", json!({"study": 1, "filter": filter})),
        admins_call("/rpc/study_flags", json!({"study": 1})),
        admins_call("/rpc/study_disagreements", json!({"study": 1})),
        admins_call("/rpc/set_quality", json!({"study": 1, "settings": {"shown": "own"}})),
        admins_call(
            "/rpc/add_known_item",
            json!({"study": 1, "item": {"output": "1", "scores": [4, 3, 5], "reasons_en": ["a", "b", "c"], "pool": "calibration"}}),
        ),
        admins_call(
            "/rpc/change_known_item",
            json!({"study": 1, "item": 1, "deactivated": true, "pool": "calibration"}),
        ),
        admins_call("/rpc/remove_known_item", json!({"study": 1, "item": 1})),
        admins_call("/rpc/pause_rater", json!({"study": 1, "rater": 2, "paused": false})),
        admins_call("/rpc/set_admission", json!({"study": 1, "rater": 2, "admitted": true})),
        admins_call("/rpc/set_adjudicator", json!({"study": 1, "user": 4, "on": false})),
        call("/rpc/reply_to_flag", json!({"study": 1, "check": false, "on": 4711, "reply": ""}), [401, 403, 403, 409]),
        call("/rpc/ask_extra", json!({"study": 1, "output": 4711}), [401, 403, 403, 404]),
        admins_call("/rpc/set_study_status", json!({"id": 1, "status": "running"})),
        call("/rpc/reopen_study", json!({"id": 1, "reason": "late"}), [401, 403, 403, 409]),
        admins_call(
            "/rpc/create_study",
            json!({"study": {"title": "T", "dataset": "starter", "submissions": [1], "raters": [2]}}),
        ),
        // Guidelines.
        admins_page("GET /admin/guidelines/{kind}/{key}", "/admin/guidelines/study/1"),
        admins_call("/rpc/guidelines", json!({"object": "dataset starter", "version": null})),
        admins_call("/rpc/preview_guidelines", json!({"en": "a", "zh": ""})),
        admins_call("/rpc/save_guidelines", json!({"object": "dataset starter", "en": "", "zh": "", "expected": 0})),
        // Rubrics. The one that is saved equals the newest version, so nothing changes.
        admins_page("GET /admin/rubrics", "/admin/rubrics"),
        admins_page("GET /admin/rubrics/new", "/admin/rubrics/new?from=aixbench"),
        admins_page("GET /admin/rubrics/{slug}", "/admin/rubrics/aixbench"),
        admins_page("GET /admin/rubrics/{slug}/edit", "/admin/rubrics/aixbench/edit?version=1"),
        admins_page("GET /admin/rubrics/{slug}/rubric.json", "/admin/rubrics/aixbench/rubric.json"),
        row("POST /admin/upload/rubric", Call::Files("/admin/upload/rubric"), [303, 403, 403, 422]),
        admins_call("/rpc/rubrics", json!({})),
        admins_call("/rpc/rubric_version", json!({"slug": "aixbench", "version": 1})),
        call("/rpc/save_rubric", json!({"slug": "x", "dimensions": [], "expected": 0}), [401, 403, 403, 422]),
        admins_call("/rpc/rubrics_for", json!({"dataset": "starter"})),
        admins_call("/rpc/set_dataset_rubric", json!({"dataset": "starter", "rubric": "aixbench 1"})),
        // People.
        admins_page("GET /admin/people", "/admin/people"),
        admins_call("/rpc/people", json!({})),
        admins_call("/rpc/people", json!({"users": narrowed("-since", "role", "rater")})),
        admins_call("/rpc/people", json!({"users": narrowed("role", "active", "1")})),
        admins_call("/rpc/people", json!({"users": narrowed("-name", "active", "0")})),
        admins_call("/rpc/can_send", json!({})),
        admins_call("/rpc/invite", json!({"label": "x", "role": "rater", "days": 1})),
        admins_call("/rpc/invite_many", json!({"lines": "y\nz", "role": "rater", "days": 1})),
        admins_call("/rpc/people", json!({"users": narrowed("name", "group", "1")})),
        admins_page("GET /admin/announcements", "/admin/announcements?to=account+2"),
        admins_call("/rpc/announce", json!({"to": "everyone", "en": "Hello", "zh": "", "last_day": ""})),
        admins_call("/rpc/announcement_audiences", json!({"also": "account 2"})),
        admins_call(
            "/rpc/announcements",
            json!({"page": {"which": {"search": "h", "sort": "published", "filters": []}, "limit": 2}}),
        ),
        admins_call("/rpc/withdraw_announcement", json!({"id": 1})),
        call("/rpc/unread_announcements", json!({}), [401, 200, 200, 200]),
        call("/rpc/read_announcement", json!({"token": "none"}), [401, 404, 404, 404]),
        admins_page("GET /admin/groups", "/admin/groups"),
        admins_call("/rpc/create_group", json!({"name": "G"})),
        admins_page("GET /admin/groups/{id}", "/admin/groups/1"),
        admins_call(
            "/rpc/groups",
            json!({"page": {"which": {"search": "g", "sort": "-name", "filters": []}, "limit": 2}}),
        ),
        admins_call("/rpc/person_group", json!({"id": 1})),
        admins_call("/rpc/rename_group", json!({"id": 1, "name": "H"})),
        admins_call("/rpc/add_to_group", json!({"id": 1, "names": "ada"})),
        admins_call("/rpc/add_group", json!({"id": 1, "group": 1})),
        admins_call("/rpc/remove_from_group", json!({"id": 1, "user": 2})),
        admins_call("/rpc/delete_group", json!({"id": 1})),
        admins_call("/rpc/revoke_invitation", json!({"id": 2})),
        admins_call("/rpc/create_reset", json!({"user": 2})),
        admins_call("/rpc/set_disabled", json!({"user": 4, "disabled": false})),
        admins_call("/rpc/set_role", json!({"user": 4, "role": "rater"})),
        // The audit log.
        // Upkeep.
        admins_page("GET /admin/upkeep/{kind}/{key}", "/admin/upkeep/study/1"),
        admins_page("GET /admin/archive", "/admin/archive"),
        admins_call("/rpc/object_upkeep", json!({"object": "submission 1"})),
        admins_call("/rpc/archived_objects", json!({})),
        call("/rpc/rename_object", json!({"object": "study 1", "name": ""}), [401, 403, 403, 422]),
        admins_call("/rpc/archive_object", json!({"object": "study 1", "archived": false})),
        call("/rpc/delete_object", json!({"object": "submission 1"}), [401, 403, 403, 409]),
        call("/rpc/restore_object", json!({"object": "submission 1"}), [401, 403, 403, 409]),
        admins_page("GET /admin/audit", "/admin/audit?person=admin&from=2026-01-01"),
        admins_page("GET /admin/audit.csv", "/admin/audit.csv?action=study.create"),
        admins_call("/rpc/audit_log", json!({"filter": {}})),
        // Collections: no endpoint is allowed here, and there is no collection.
        admins_page("GET /admin/collections", "/admin/collections"),
        admins_page("GET /admin/collections/new", "/admin/collections/new"),
        admins_page("GET /admin/judgings/new", "/admin/judgings/new"),
        page("GET /admin/collections/{id}", "/admin/collections/1", [303, 403, 403, 404]),
        admins_call("/rpc/endpoints", json!({})),
        admins_call("/rpc/collections", json!({})),
        admins_call("/rpc/collections", json!({"page": narrowed("created", "status", "running")})),
        admins_call("/rpc/collections", json!({"page": narrowed("-created", "dataset", "starter")})),
        call("/rpc/collection", json!({"id": 1}), [401, 403, 403, 404]),
        call("/rpc/collection_requests", json!({"id": 1, "request": null}), [401, 403, 403, 404]),
        call(
            "/rpc/create_collection",
            json!({"collection": {"dataset": "starter", "model": "m", "endpoint": "local"}}),
            [401, 403, 403, 422],
        ),
        call(
            "/rpc/create_judging",
            json!({"collection": {"study": "1", "judge": "m", "endpoint": "local"}}),
            [401, 403, 403, 422],
        ),
        admins_call("/rpc/collections", json!({"page": narrowed("created", "kind", "scores")})),
        call("/rpc/resume_collection", json!({"id": 1}), [401, 403, 403, 404]),
        call("/rpc/stop_collection", json!({"id": 1}), [401, 403, 403, 404]),
        call("/rpc/delete_collection", json!({"id": 1}), [401, 403, 403, 404]),
        call("/rpc/upload_collection", json!({"id": 1}), [401, 403, 403, 404]),
        // Programs.
        admins_page("GET /admin/api", "/admin/api"),
        admins_page("GET /admin/api/tokens", "/admin/api/tokens"),
        admins_page("GET /admin/api/webhooks", "/admin/api/webhooks"),
        call("/rpc/open_public_study", json!({"secret": "made-up"}), [404; 4]),
        call("/rpc/open_public_task", json!({"secret": "made-up", "task": "TASK"}), [404; 4]),
        page("GET /public/{secret}", "/public/made-up-secret", [404; 4]),
        page("GET /public/{secret}/embed.svg", "/public/made-up-secret/embed.svg", [404; 4]),
        page("GET /public/{secret}/files/{file}", "/public/made-up-secret/files/means.csv", [404; 4]),
        page("GET /public/{secret}/figures/{file}", "/public/made-up-secret/figures/correctness-means.svg", [404; 4]),
        page("GET /public/{secret}/tasks/{task}", "/public/made-up-secret/tasks/TASK", [404; 4]),
        admins_call("/rpc/tokens", json!({})),
        admins_call("/rpc/create_token", json!({"label": "x", "scopes": ["read"], "days": 1})),
        admins_call("/rpc/revoke_token", json!({"id": 1})),
        admins_call("/rpc/reference", json!({})),
        admins_call("/rpc/webhooks", json!({})),
        // No host is allowed here, and there is no webhook.
        call("/rpc/create_webhook", json!({"url": "https://a.example/", "events": []}), [401, 403, 403, 422]),
        call("/rpc/remove_webhook", json!({"id": 1}), [401, 403, 403, 404]),
        call("/rpc/test_webhook", json!({"id": 1}), [401, 403, 403, 404]),
        call("/rpc/deliveries", json!({"id": 1}), [401, 403, 403, 404]),
        admins_call("/rpc/public_links", json!({"study": 1})),
        // It is running, and only a closed study has a public page.
        call("/rpc/create_public_link", json!({"study": 1, "code": false, "days": null}), [401, 403, 403, 409]),
        call("/rpc/revoke_public_link", json!({"id": 1}), [401, 403, 403, 404]),
        // Last, because they change what the rows above need.
        adas_call("/rpc/skip", json!({"assignment": "ITEM"})),
        adas_call("/rpc/undo_rating", json!({"assignment": "ITEM"})),
        adas_call("/rpc/next_task_items", json!({"study": "STUDY"})),
        row("POST /log-out", Call::Form("/log-out", vec![]), [303; 4]),
    ]
}

/// Operations of the API, each with its scope; none for public ones.
#[allow(clippy::too_many_lines, reason = "a list")]
pub fn operations() -> Vec<(&'static str, Option<Scope>)> {
    let read = Some(Scope::Read);
    let data = Some(Scope::WriteData);
    let runs = Some(Scope::WriteRuns);
    let studies = Some(Scope::WriteStudies);
    let admin = Some(Scope::Admin);
    vec![
        ("GET /api/v1/openapi.json", None),
        ("GET /api/v1/me", read),
        ("GET /api/v1/datasets", read),
        ("GET /api/v1/datasets/{slug}", read),
        ("GET /api/v1/datasets/{slug}/tasks", read),
        ("POST /api/v1/imports", data),
        ("GET /api/v1/guidelines/{kind}/{key}", read),
        ("PUT /api/v1/guidelines/{kind}/{key}", studies),
        ("GET /api/v1/rubrics", read),
        ("POST /api/v1/rubrics", studies),
        ("GET /api/v1/rubrics/{slug}", read),
        ("GET /api/v1/datasets/{slug}/rubrics", read),
        ("PUT /api/v1/datasets/{slug}/rubric", studies),
        ("GET /api/v1/uploads", read),
        ("POST /api/v1/uploads", data),
        ("GET /api/v1/uploads/{id}/preview", read),
        ("PUT /api/v1/uploads/{id}/columns", data),
        ("POST /api/v1/uploads/{id}/early-results", data),
        ("GET /api/v1/uploads/{id}/bad-lines.jsonl", read),
        ("GET /api/v1/uploads/{id}/bad-lines.csv", read),
        ("GET /api/v1/submissions", read),
        ("POST /api/v1/submissions", data),
        ("GET /api/v1/submissions/{id}", read),
        ("GET /api/v1/submissions/{id}/file", read),
        ("GET /api/v1/submissions/{id}/bad-lines.jsonl", read),
        ("GET /api/v1/submissions/{id}/bad-lines.csv", read),
        ("GET /api/v1/submissions/{id}/outputs", read),
        ("GET /api/v1/outputs/{id}", read),
        ("PUT /api/v1/outputs/{id}/block", data),
        ("GET /api/v1/submissions/{id}/mask", read),
        ("PUT /api/v1/submissions/{id}/mask", studies),
        ("GET /api/v1/endpoints", read),
        ("GET /api/v1/collections", read),
        ("POST /api/v1/collections", data),
        ("POST /api/v1/collections/plan", data),
        ("POST /api/v1/judgings", data),
        ("POST /api/v1/judgings/plan", data),
        ("GET /api/v1/collections/{id}", read),
        ("DELETE /api/v1/collections/{id}", data),
        ("POST /api/v1/collections/{id}/resume", data),
        ("POST /api/v1/collections/{id}/stop", data),
        ("POST /api/v1/collections/{id}/upload", data),
        ("GET /api/v1/collections/{id}/requests", read),
        ("GET /api/v1/collections/{id}/requests/{request}", read),
        ("GET /api/v1/runs", read),
        ("POST /api/v1/runs", runs),
        ("GET /api/v1/runs/{id}", read),
        ("GET /api/v1/runs/{id}/progress", read),
        ("GET /api/v1/runs/{id}/items", read),
        ("GET /api/v1/runs/{id}/items/{output}", read),
        ("POST /api/v1/runs/{id}/stop", runs),
        ("POST /api/v1/runs/{id}/rerun", runs),
        ("GET /api/v1/runs/{id}/against/{other}", read),
        ("GET /api/v1/runs/{id}/results.jsonl", read),
        ("GET /api/v1/runs/{id}/results.csv", read),
        ("GET /api/v1/runs/{id}/results.parquet", read),
        ("GET /api/v1/languages", read),
        ("GET /api/v1/workers", read),
        ("GET /api/v1/conversations", read),
        ("GET /api/v1/studies", read),
        ("POST /api/v1/studies", studies),
        ("GET /api/v1/studies/{id}", read),
        ("PATCH /api/v1/studies/{id}", studies),
        ("PUT /api/v1/studies/{id}/status", studies),
        ("POST /api/v1/studies/{id}/reopening", studies),
        ("GET /api/v1/studies/{id}/comparison", read),
        ("GET /api/v1/studies/{id}/tasks", read),
        ("GET /api/v1/studies/{id}/tasks/{task}", read),
        ("GET /api/v1/studies/{id}/public-links", studies),
        ("POST /api/v1/studies/{id}/public-links", studies),
        ("DELETE /api/v1/public-links/{id}", studies),
        ("GET /api/v1/studies/{id}/plan", read),
        ("POST /api/v1/studies/{id}/extension", studies),
        ("POST /api/v1/studies/{id}/duplicate", studies),
        ("POST /api/v1/studies/{id}/raters", studies),
        ("DELETE /api/v1/studies/{id}/raters/{user}", studies),
        ("PUT /api/v1/studies/{id}/pace", studies),
        ("PUT /api/v1/people/{id}/reads", admin),
        ("GET /api/v1/studies/{id}/quality", read),
        ("PATCH /api/v1/studies/{id}/quality", studies),
        ("GET /api/v1/studies/{id}/known-items", read),
        ("POST /api/v1/studies/{id}/known-items", studies),
        ("POST /api/v1/studies/{id}/known-items/import", studies),
        ("PATCH /api/v1/studies/{id}/known-items/{item}", studies),
        ("DELETE /api/v1/studies/{id}/known-items/{item}", studies),
        ("PUT /api/v1/studies/{id}/raters/{user}/pause", studies),
        ("PUT /api/v1/studies/{id}/calibrations/{rater}", studies),
        ("PUT /api/v1/studies/{id}/adjudicators/{user}", studies),
        ("GET /api/v1/studies/{id}/identity-leaks", read),
        ("GET /api/v1/studies/{id}/live", read),
        ("GET /api/v1/studies/{id}/ratings", read),
        ("GET /api/v1/studies/{id}/flags", read),
        ("POST /api/v1/studies/{id}/flags/replies", studies),
        ("GET /api/v1/studies/{id}/disagreements", read),
        ("POST /api/v1/studies/{id}/disagreements/{output}/extra", studies),
        ("GET /api/v1/adjudications", studies),
        ("GET /api/v1/adjudications/{token}", studies),
        ("PUT /api/v1/adjudications/{token}", studies),
        ("GET /api/v1/inbox", read),
        ("GET /api/v1/inbox/counts", read),
        ("POST /api/v1/inbox/actions", admin),
        ("GET /api/v1/results", read),
        ("GET /api/v1/results.csv", read),
        ("GET /api/v1/results/models/{model}", read),
        ("GET /api/v1/comparisons/{slug}", read),
        ("GET /api/v1/comparisons/{slug}/tasks", read),
        ("GET /api/v1/comparisons/{slug}/tasks/{task}", read),
        ("GET /api/v1/comparisons/{slug}/files/{file}", read),
        ("GET /api/v1/comparisons/{slug}/figures/{file}", read),
        ("GET /api/v1/comparisons/{slug}/slices", read),
        ("POST /api/v1/ratings", studies),
        ("GET /api/v1/archive", read),
        ("GET /api/v1/objects/{kind}/{key}", read),
        ("PATCH /api/v1/objects/{kind}/{key}", admin),
        ("DELETE /api/v1/objects/{kind}/{key}", admin),
        ("POST /api/v1/objects/{kind}/{key}/restore", admin),
        ("GET /api/v1/people", admin),
        ("PATCH /api/v1/people/{id}", admin),
        ("GET /api/v1/announcements", admin),
        ("POST /api/v1/announcements", admin),
        ("DELETE /api/v1/announcements/{id}", admin),
        ("GET /api/v1/groups", admin),
        ("POST /api/v1/groups", admin),
        ("GET /api/v1/groups/{id}", admin),
        ("PATCH /api/v1/groups/{id}", admin),
        ("DELETE /api/v1/groups/{id}", admin),
        ("PATCH /api/v1/groups/{id}/members", admin),
        ("GET /api/v1/invitations", admin),
        ("POST /api/v1/invitations", admin),
        ("DELETE /api/v1/invitations/{id}", admin),
        ("GET /api/v1/audit", admin),
        ("GET /api/v1/tokens", admin),
        ("POST /api/v1/tokens", admin),
        ("DELETE /api/v1/tokens/{id}", admin),
        ("GET /api/v1/webhooks", admin),
        ("POST /api/v1/webhooks", admin),
        ("DELETE /api/v1/webhooks/{id}", admin),
        ("POST /api/v1/webhooks/{id}/test", admin),
        ("GET /api/v1/webhooks/{id}/deliveries", admin),
    ]
}
