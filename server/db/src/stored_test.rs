//! Every kind of stored value that this program reads from text: a row is damaged by SQL, and reading it is refused with
//! table, row and column. And the rule that only `stored.rs` parses.

use std::path::Path;

use model::{
    collection::CollectionSettings,
    grading::Draft,
    ids::{
        ApiTokenId, CollectionId, DatasetVersionId, DeliveryId, ModelId, OutputId, RunId, StudyId, SubmissionId,
        TaskRevisionId, UserId, WebhookId,
    },
    page::PageOf,
    quality::FlagOn,
    run::{Environment, ItemFilter, Outcome, Verdict},
};
use rusqlite::Connection;

use crate::{
    accounts, announcements, audit, collections, comparisons, conversations, datasets, grading, inbox, judgings,
    migrations, plan,
    quality::{calibrations, checks, disagreements, flags, known_items, limits, masks, monitoring},
    results,
    routines::{self, Routine},
    rubrics, run_how, run_results, runs, steps, studies, submissions, tokens, webhooks,
};
use base::error::Failure;

const STUDY: StudyId = StudyId(1);
const OUTPUT: OutputId = OutputId(1);
const RATER: UserId = UserId(2);
const RUN: RunId = RunId(1);
const COLLECTION: CollectionId = CollectionId(1);

/// A database with a row of every kind that this program can read, and without what would refuse damage.
fn readable() -> Connection {
    let folder = tempfile::tempdir().unwrap();
    let conn = migrations::tests::populated(folder.path());
    let triggers: Vec<String> = {
        let mut names = conn.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").unwrap();
        names.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    for trigger in triggers {
        conn.execute_batch(&format!("DROP TRIGGER {trigger}")).unwrap();
    }
    conn.execute_batch("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON;").unwrap();
    let rubric = r#"{"slug":"r","version":2,"dimensions":[]}"#;
    let outcome = serde_json::to_string(&Outcome::new(Verdict::Passed)).unwrap();
    let draft = serde_json::to_string(&Draft::default()).unwrap();
    let judging = r#"{"lang":"en","level_order":"drawn","rubric":"r 2","dimensions":[],"instructions":false,"outputs":1,"prompt_tokens":1}"#;
    let set = |sql: &str, value: &str| conn.execute(sql, [value]).unwrap();
    set("UPDATE rubrics SET json = ?1", rubric);
    set("UPDATE run_items SET outcome = ?1 WHERE outcome IS NOT NULL", &outcome);
    set("UPDATE run_items SET fault = ?1 WHERE fault IS NOT NULL", r#"{"code":"no_tests"}"#);
    set("UPDATE runs SET fault = ?1 WHERE fault IS NOT NULL", r#"{"code":"no_tests"}"#);
    set("UPDATE runs SET environment = ?1 WHERE id = 1", &serde_json::to_string(&Environment::default()).unwrap());
    set("UPDATE drafts SET json = ?1", &draft);
    set("UPDATE checks SET draft = ?1", &draft);
    set("UPDATE check_ratings SET draft = ?1", &draft);
    set("UPDATE ratings SET flag = ?1 WHERE flag IS NOT NULL", r#""cannot_judge""#);
    set("UPDATE flag_replies SET flag = ?1", r#""cannot_judge""#);
    set("UPDATE rater_settings SET keys = ?1", "[]");
    set("UPDATE collections SET settings = ?1", &serde_json::to_string(&CollectionSettings::default()).unwrap());
    set("UPDATE collections SET judging = ?1", judging);
    conn.execute_batch(
        "UPDATE collections SET kind = 'scores', status = 'running', holder = 'me', tasks = '[\"1\"]';
         UPDATE collection_requests SET prompt = '1', tests = NULL, scores = '12', instruction_answers = '1:1',
             output_id = 1;
         UPDATE study_raters SET removed_at = NULL;
         UPDATE users SET disabled = 0, lang = 'en';
         INSERT INTO disagreements (study_id, output_id, state, spread_exceeded, spread) VALUES (1, 1, 0, 1, 2)
             ON CONFLICT DO UPDATE SET state = 0;
         DELETE FROM archived_rubrics;
         UPDATE announcements SET last_day = '2026-11-30';
         UPDATE checks SET rated_at = 1000;
         UPDATE run_items SET state = 'done', published = 'passed', failure = 'assertion_error' WHERE id = 1;
         UPDATE all_submissions SET importing_until = NULL;",
    )
    .unwrap();
    conn
}

/// A table, the rows to damage, how the error names the first of them, the column, and what reads it.
type Kind = (&'static str, &'static str, &'static str, &'static str, fn(&Connection) -> Result<(), Failure>);

/// Damages a kind of value, reads it, and undoes the damage. Returns what is wrong with the answer, if anything.
fn check(conn: &Connection, (table, rows, named, column, read): Kind) -> Option<String> {
    conn.execute_batch("BEGIN").unwrap();
    let place = format!("{table} ({named}), column {column}");
    let before = read(conn);
    // SQL reads the settings of studies, too, so they have to stay JSON.
    let damaged = if column == "settings" { "json_set(settings, '$.sharing', 'damaged')" } else { "'damaged'" };
    let damage = format!("UPDATE {table} SET {column} = {damaged} WHERE {rows}");
    assert!(conn.execute(&damage, []).unwrap() > 0, "{place}: no row to damage");
    let after = read(conn);
    conn.execute_batch("ROLLBACK").unwrap();
    match (before, after) {
        (Err(e), _) => Some(format!("{place}, before the damage: {e}")),
        (Ok(()), Ok(())) => Some(format!("{place}: it was read")),
        (Ok(()), Err(e)) => (!e.to_string().contains(&place)).then(|| format!("{place}: {e}")),
    }
}

fn first() -> PageOf {
    PageOf::first(PageOf::MOST)
}

#[test]
#[expect(clippy::too_many_lines, reason = "a row for each stored value")]
fn a_damaged_value_is_refused_with_its_place() {
    let kinds: &[Kind] = &[
        ("users", "id = 2", "id 2", "role", |c| accounts::by_id(c, RATER).map(drop)),
        ("users", "id = 2", "id 2", "lang", |c| accounts::by_id(c, RATER).map(drop)),
        ("users", "id = 2", "id 2", "reads", |c| plan::reads(c, RATER).map(drop)),
        ("rater_settings", "user_id = 2", "id 2", "keys", |c| accounts::by_id(c, RATER).map(drop)),
        ("rater_settings", "user_id = 2", "id 2", "display", |c| accounts::by_id(c, RATER).map(drop)),
        ("invitations", "id = 1", "id 1", "role", |c| accounts::invitations(c, &first()).map(drop)),
        ("api_tokens", "id = 1", "id 1", "scopes", |c| tokens::get(c, ApiTokenId(1)).map(drop)),
        ("audit", "id = 1", "id 1", "detail", |c| audit::list(c, &audit::Filter::default(), None, 9).map(drop)),
        ("audit", "id = 1", "id 1", "via", |c| audit::list(c, &audit::Filter::default(), None, 9).map(drop)),
        ("announcements", "id = 1", "id 1", "last_day", |c| announcements::list(c, &first()).map(drop)),
        ("webhooks", "id = 1", "id 1", "events", |c| webhooks::get(c, WebhookId(1)).map(drop)),
        ("webhook_deliveries", "id = 1", "id 1", "event", |c| webhooks::delivery(c, DeliveryId(1)).map(drop)),
        ("webhook_deliveries", "id = 1", "id 1", "state", |c| webhooks::delivery(c, DeliveryId(1)).map(drop)),
        ("webhook_deliveries", "id = 1", "id 1", "error", |c| webhooks::delivery(c, DeliveryId(1)).map(drop)),
        ("webhook_deliveries", "id = 1", "delivery 1", "error", |c| inbox::delivery(c, DeliveryId(1)).map(drop)),
        ("routines", "name = 'backup'", "name backup", "error", |c| routines::item(c, Routine::Backup).map(drop)),
        ("inbox", "id = (SELECT min(id) FROM inbox)", "id 1", "kind", |c| inbox::get(c, 1).map(drop)),
        (
            "inbox_counts",
            "(study_id, kind) = (SELECT study_id, kind FROM inbox_counts LIMIT 1)",
            "kind damaged",
            "kind",
            |c| inbox::counts(c, None).map(drop),
        ),
        ("rubrics", "id = 2", "id 2", "json", |c| rubrics::get(c, "r", None).map(drop)),
        ("rubrics", "id = 2", "id 2", "json", |c| rubrics::list(c, &first()).map(drop)),
        ("rubrics", "id = 2", "rubric_id 2", "json", |c| studies::setup(c, STUDY).map(drop)),
        ("rubrics", "id = 2", "rubric_id 2", "json", |c| judgings::of_study(c, STUDY).map(drop)),
        ("dataset_versions", "id = 2", "id 2", "test_kind", |c| datasets::test_kind(c, DatasetVersionId(2)).map(drop)),
        ("dataset_versions", "id = 2", "version 2", "test_kind", |c| runs::get(c, RUN).map(drop)),
        ("task_revisions", "id = 1", "revision 1", "nl_lang", |c| datasets::tasks(c, DatasetVersionId(2)).map(drop)),
        ("task_revisions", "id = 1", "revision 1", "code_lang", |c| datasets::tasks(c, DatasetVersionId(2)).map(drop)),
        ("task_revisions", "id = 1", "revision_id 1", "nl_lang", |c| grading::texts(c, OUTPUT).map(drop)),
        ("task_revisions", "id = 1", "revision_id 1", "code_lang", |c| {
            runs::code_langs(c, DatasetVersionId(2)).map(drop)
        }),
        ("task_turns", "turn = 1", "revision_id 2, turn 1", "kind", |c| {
            conversations::turns(c, TaskRevisionId(2)).map(drop)
        }),
        ("task_tests", "1", "revision_id 2", "body", |c| {
            c.execute_batch("UPDATE task_revisions SET tests = 1")?;
            runs::task_programs::<serde_json::Value>(c, DatasetVersionId(2)).map(drop)
        }),
        ("all_submissions", "id = 1", "id 1", "way", |c| conversations::way(c, SubmissionId(1)).map(drop)),
        ("all_submissions", "id = 1", "submission_id 1", "way", |c| conversations::of_output(c, OutputId(2)).map(drop)),
        ("all_submissions", "id = 1", "id 1", "matching", |c| submissions::origin(c, SubmissionId(1)).map(drop)),
        ("runs", "id = 1", "id 1", "status", |c| runs::get(c, RUN).map(drop)),
        ("runs", "id = 1", "id 1", "environment", |c| runs::get(c, RUN).map(drop)),
        ("runs", "id = 1", "id 1", "fault", |c| runs::get(c, RUN).map(drop)),
        ("runs", "id = 1", "id 1", "status", |c| results::submissions(c, ModelId(1), "d").map(drop)),
        ("runs", "id = 1", "id 1", "dates", |c| run_how::get(c, RUN).map(drop)),
        ("runs", "id = 1", "id 1", "profile", |c| run_how::get(c, RUN).map(drop)),
        ("run_items", "id = 1", "id 1", "state", |c| runs::brief_items(c, RUN).map(drop)),
        ("run_items", "id = 1", "id 1", "verdict", |c| run_results::verdicts(c, RUN).map(drop)),
        ("run_items", "id = 1", "id 1", "failure", |c| run_results::failures(c, RUN).map(drop)),
        ("run_items", "id = 1", "id 1", "verdict", |c| comparisons::verdict(c, RUN, OUTPUT).map(drop)),
        ("run_items", "id = 1", "item 1", "verdict", |c| runs::samples(c, RUN).map(drop)),
        ("run_items", "id = 1", "item 1", "published", |c| runs::samples(c, RUN).map(drop)),
        ("run_items", "id = 1", "id 1", "outcome", |c| {
            runs::items_page(c, RUN, &ItemFilter::default(), &first()).map(drop)
        }),
        ("all_studies", "id = 1", "id 1", "status", |c| studies::get(c, STUDY).map(drop)),
        ("all_studies", "id = 1", "id 1", "settings", |c| plan::settings(c, STUDY).map(drop)),
        ("all_studies", "id = 1", "id 1", "seed", |c| plan::input(c, STUDY).map(drop)),
        ("study_raters", "study_id = 1 AND user_id = 2", "study_id 1, user_id 2", "reads", |c| {
            plan::raters(c, STUDY).map(drop)
        }),
        ("plan_events", "id = 1", "id 1", "detail", |c| plan::events(c, StudyId(3)).map(drop)),
        ("study_steps", "id = 1", "id 1", "step", |c| steps::next(c, StudyId(3)).map(drop)),
        ("drafts", "1", "study_id 1, output_id 1, user_id 3", "json", |c| {
            grading::draft(c, STUDY, OUTPUT, UserId(3)).map(drop)
        }),
        ("ratings", "id = 2", "id 2", "flag", |c| grading::current(c, STUDY, OUTPUT, RATER, 2).map(drop)),
        ("ratings", "id = 2", "id 2", "flag", |c| inbox::flag(c, FlagOn::Assignment(1)).map(drop)),
        ("counted", "study_id = 1", "rating_id 2", "scores", |c| disagreements::rated(c, STUDY, OUTPUT).map(drop)),
        ("counted", "study_id = 1", "id 2", "scores", |c| monitoring::timed_ratings(c, STUDY).map(drop)),
        ("known_items", "id = 1", "id 1", "scores", |c| known_items::get(c, 1).map(drop)),
        ("known_items", "id = 1", "id 1", "reasons", |c| known_items::get(c, 1).map(drop)),
        ("known_items", "id = 1", "id 1", "pool", |c| known_items::get(c, 1).map(drop)),
        ("known_items", "id = 1", "known_item_id 1", "scores", |c| limits::window(c, STUDY, RATER, 10).map(drop)),
        ("checks", "id = 1", "id 1", "kind", |c| checks::list(c, STUDY, RATER).map(drop)),
        ("checks", "id = 1", "id 1", "draft", |c| checks::draft(c, 1).map(drop)),
        ("check_ratings", "id = 1", "id 1", "draft", |c| checks::current(c, 1).map(drop)),
        ("check_ratings", "id = 1", "id 1", "draft", |c| flags::standing(c, STUDY, FlagOn::Check(1)).map(drop)),
        ("calibrations", "1", "study_id 1, user_id 2", "state", |c| calibrations::get(c, STUDY, RATER).map(drop)),
        ("adjudications", "id = 2", "adjudication 2", "scores", |c| disagreements::current(c, STUDY, OUTPUT).map(drop)),
        ("flag_replies", "id = 1", "id 1", "flag", |c| flags::replies(c, RATER, 9).map(drop)),
        ("submission_masks", "1", "submission_id 1", "names", |c| masks::of_output(c, OUTPUT).map(drop)),
        ("collections", "id = 1", "id 1", "status", |c| collections::get(c, COLLECTION).map(drop)),
        ("collections", "id = 1", "id 1", "settings", |c| collections::next(c, COLLECTION, "me", &[]).map(drop)),
        ("collections", "id = 1", "id 1", "tasks", |c| collections::get(c, COLLECTION).map(drop)),
        ("collections", "id = 1", "id 1", "reason", |c| collections::get(c, COLLECTION).map(drop)),
        ("collections", "id = 1", "id 1", "waiting", |c| collections::get(c, COLLECTION).map(drop)),
        ("collections", "id = 1", "id 1", "form", |c| collections::get(c, COLLECTION).map(drop)),
        ("collections", "id = 1", "id 1", "ends", |c| collections::get(c, COLLECTION).map(drop)),
        ("collection_requests", "id = 1", "id 1", "other_parts", |c| collections::request(c, COLLECTION, 1).map(drop)),
        ("collection_requests", "id = 1", "id 1", "tests", |c| {
            collections::requests(c, COLLECTION, &first()).map(drop)
        }),
        ("collection_requests", "id = 1", "id 1", "tests_fault", |c| {
            collections::requests(c, COLLECTION, &first()).map(drop)
        }),
        ("collection_requests", "id = 1", "id 1", "scores", |c| judgings::answers(c, COLLECTION, OUTPUT).map(drop)),
        ("collection_requests", "id = 1", "id 1", "instruction_answers", |c| {
            judgings::answers(c, COLLECTION, OUTPUT).map(drop)
        }),
        ("collection_requests", "id = 1", "id 1", "status", |c| {
            collections::requests(c, COLLECTION, &first()).map(drop)
        }),
        ("collection_requests", "id = 1", "id 1", "error", |c| {
            collections::requests(c, COLLECTION, &first()).map(drop)
        }),
        ("collection_requests", "id = 1", "id 1", "level_order", |c| {
            c.execute_batch("UPDATE collection_requests SET status = 'waiting'")?;
            collections::next(c, COLLECTION, "me", &[]).map(drop)
        }),
        ("collection_prompts", "1", "collection_id 1, prompt 1", "messages", |c| {
            collections::prompt(c, COLLECTION, "1").map(drop)
        }),
    ];
    let conn = readable();
    let wrong: Vec<String> = kinds.iter().filter_map(|kind| check(&conn, *kind)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_disagreement_in_an_unknown_state_is_refused() {
    let conn = readable();
    conn.execute_batch("UPDATE disagreements SET state = 9 WHERE study_id = 1 AND output_id = 1").unwrap();
    let failure = disagreements::get(&conn, STUDY, OUTPUT).unwrap_err().to_string();
    assert!(failure.contains("disagreements (study_id 1, output_id 1), column state"), "{failure}");
}

#[test]
fn a_damaged_judging_never_becomes_a_collection_of_outputs() {
    let check = |damage: &str, column: &str| {
        let conn = readable();
        assert!(collections::get(&conn, COLLECTION).unwrap().unwrap().judging.is_some());
        conn.execute_batch(&format!("UPDATE collections SET {damage}")).unwrap();
        let place = format!("collections (id 1), column {column}");
        let found = [collections::get(&conn, COLLECTION).map(drop), collections::list(&conn, &first()).map(drop)];
        for found in found {
            let failure = found.unwrap_err().to_string();
            assert!(failure.contains(&place), "{damage}: {failure}");
        }
    };
    check("judging = '{\"lang\":\"xx\"}'", "judging");
    check("judging = 'damaged'", "judging");
    check("judging = NULL", "judging");
    check("kind = 'damaged'", "kind");

    // The next request of one is not that of a task, whatever its kind has become.
    let conn = readable();
    conn.execute_batch("DELETE FROM collection_requests; UPDATE collections SET kind = 'damaged'").unwrap();
    let failure = collections::next(&conn, COLLECTION, "me", &[]).unwrap_err().to_string();
    assert!(failure.contains("collections (id 1), column kind"), "{failure}");
}

/// Files that parse what is not stored, or that read databases of earlier schemas.
const ELSEWHERE: &[(&str, &str)] = &[
    ("stored.rs", "it is the one place"),
    ("page.rs", "it parses addresses of pages"),
    ("find.rs", "it parses what people search for"),
    ("rubrics.rs", "it parses the names of rubrics that people give"),
    ("flags.rs", "it parses the keys of flags in addresses of pages"),
];

/// What reads a stored value and can fail.
const READERS: &[&str] = &[
    "json",
    "optional_json",
    "optional_raw_json",
    "parsed",
    "optional_parsed",
    "named",
    "optional_named",
    "numbered",
    "scores",
    "optional_scores",
    "from_text",
];

#[test]
fn only_one_file_parses_stored_values_and_no_failure_is_dropped() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    assert!(files.len() > 50, "the sources of db are elsewhere");
    for (name, text) in files {
        let text = text.split("#[cfg(test)]").next().unwrap();
        let may_parse = ELSEWHERE.iter().any(|(file, _)| *file == name);
        for (at, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap();
            let parses =
                [".parse()", ".parse::<", "serde_json::from_", "::from_name("].iter().any(|p| code.contains(p));
            assert!(may_parse || !parses, "{name}:{}: read it with db/stored.rs: {line}", at + 1);
        }
        for reader in READERS.iter().filter(|_| name != "stored.rs") {
            for (at, _) in text.match_indices(&format!("{reader}(row")) {
                let call = &text[at + reader.len()..];
                let after = call[end_of_call(call)..].trim_start();
                let kept = after.starts_with(['?', ',', ')', '}', ';']) || after.starts_with(".map(");
                assert!(kept, "{name}: a failure of `{reader}` is dropped: {}", call.lines().next().unwrap());
            }
        }
    }
}

/// The length of a call's arguments in parentheses.
fn end_of_call(text: &str) -> usize {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    text.len()
}

fn sources(folder: &Path, files: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            sources(&path, files);
        } else if name.ends_with(".rs") && !name.ends_with("_test.rs") {
            files.push((name, std::fs::read_to_string(&path).unwrap()));
        }
    }
}
