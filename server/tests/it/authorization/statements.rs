//! No statement that runs while people work reads a whole table that grows.
//!
//! The test makes every request (the rows of `endpoints.rs`, which other tests keep complete), rates a study and
//! executes a run. Every statement is recorded, and then compiled again over a database with thousands of
//! rows and statistics. Its bytecode shows which tables it walks from end to end: it opens a cursor with
//! `Rewind` or `Last` and continues with `Next` or `Prev`. New statements are covered as soon as a page or
//! call executes them.

use std::collections::{BTreeMap, BTreeSet};

use axum::http::Method;
use base::clock;
use db::{page, recording, run_workers, runs, staging};
use model::{
    caller::System,
    ids::{RunId, StudyId},
    quality::{CalibrationMode, FeedbackLevel, QualitySettings},
    time::Timestamp,
};
use port::quality::Quality;
use rand::SeedableRng;
use rusqlite::Connection;
use serde_json::json;

use crate::fill;

use super::{Scope, TestApp, endpoints, set_up};

/// Tables whose size depends on the installation, not on the work done with it: a walk over one of them
/// takes microseconds, and each row was created by an admin.
const SMALL: [&str; 36] = [
    "sqlite_schema",
    // One row.
    "policy",
    // Settings of the index of names.
    "names_config",
    // Names and addresses that recently failed to log in.
    "login_failures",
    // Workers whose credentials were stolen.
    "removed_workers",
    // The last 200; `db::comparisons::cache_figures` deletes older ones.
    "figures",
    // One row for each person, dataset, rubric, model, study, upload, token, webhook or link.
    "users",
    "rater_settings",
    "password_resets",
    "invitations",
    // Everything that admins told people.
    "announcements",
    // One row for each group, each member of one, and each identity of a person.
    "person_groups",
    "person_group_members",
    "identities",
    "datasets",
    "dataset_versions",
    "rubrics",
    "archived_rubrics",
    // Every version of a study's or dataset's guidelines.
    "study_guidelines",
    "dataset_guidelines",
    "models",
    "all_submissions",
    "submission_masks",
    "all_studies",
    "study_submissions",
    "study_raters",
    "study_revisions",
    // Two rows.
    "routines",
    // One row for each study and kind of item.
    "inbox_counts",
    "all_judgings",
    "api_tokens",
    "webhooks",
    "public_links",
    "adjudicators",
    // One row for each run.
    "runs",
    "run_revisions",
];

/// Partial indexes whose condition keeps them small, whatever the table's size.
const FEW: [&str; 6] = [
    // Open runs, leased items of open runs, pending deliveries, imports in progress.
    "runs_open",
    "run_items_leased",
    "webhook_deliveries_due",
    "submissions_importing",
    "studies_importing",
    "judgings_importing",
];

/// Statements that may walk a growing table: a part of their text, the table or index, and the reason.
const ALLOWED: &[(&str, &str, &str)] = &[
    (
        "FROM audit a LEFT JOIN users u ON u.id = a.user_id",
        "audit",
        "Newest first by key until the page is full; a filter that matches little reads further, for an admin alone.",
    ),
    (
        "SELECT key, length(outcome) AS size FROM outcomes",
        "outcomes",
        "Verdicts that pruning would delete, for an admin who asks; on a reader for long reads.",
    ),
    (
        "SELECT checksum, max(bytes) AS size FROM uploads",
        "uploads",
        "Uploads that pruning would delete, for an admin who asks; on a reader for long reads.",
    ),
    (
        "SELECT checksum, length(bytes) AS size FROM blobs",
        "blobs",
        "Test files that pruning would delete, for an admin who asks; on a reader for long reads.",
    ),
    ("SELECT key, length(outcome) AS size FROM outcomes", "run_items", "The keys that are in use, for the same list."),
    (
        "SELECT checksum, length(bytes) AS size FROM blobs",
        "test_tree_files_by_file",
        "The test files that are in use, for the same list.",
    ),
    (
        "SELECT 1 FROM uploads WHERE checksum = ?1 UNION ALL",
        "uploads",
        "For each stored file, by the server every hour and for an admin who asks what pruning would delete.",
    ),
    ("FROM collections ORDER BY id DESC LIMIT 1000", "collections", "The newest by key; an admin created each."),
];

/// Whether the plan sorts the rows of the statement itself or of a table in it; subqueries of single rows may. A table
/// that is a query must come a row at a time: otherwise all of it is read for the first row.
fn sorts(conn: &Connection, sql: &str) -> bool {
    let mut plan = conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    let mut steps = plan.raw_query();
    let (mut found, mut rows) = (false, BTreeSet::from([0_i64]));
    while let Some(step) = steps.next().unwrap() {
        let (id, parent, detail): (i64, i64, String) =
            (step.get("id").unwrap(), step.get("parent").unwrap(), step.get("detail").unwrap());
        if !rows.contains(&parent) {
            continue;
        }
        if detail.starts_with("CO-ROUTINE") || detail.starts_with("MATERIALIZE") {
            rows.insert(id);
        }
        found |= detail.contains("ORDER BY") || detail.starts_with("MATERIALIZE page_key");
    }
    found
}

/// A statement and the table that it walks.
fn walks(conn: &Connection, sql: &str) -> Vec<String> {
    let names: BTreeMap<i64, String> = conn
        .prepare("SELECT rootpage, name FROM sqlite_schema WHERE rootpage > 0")
        .unwrap()
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    // The smallest or largest entry of an index is one step, which the plan calls a search.
    let Ok(mut plan) = conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}")) else { return Vec::new() };
    let mut steps = plan.raw_query();
    let mut scans = false;
    while let Some(step) = steps.next().unwrap() {
        scans |= step.get::<_, String>("detail").unwrap().starts_with("SCAN");
    }
    if !scans {
        return Vec::new();
    }
    let Ok(mut statement) = conn.prepare(&format!("EXPLAIN {sql}")) else { return Vec::new() };
    let mut rows = statement.raw_query();
    let (mut open, mut from_end, mut steps, mut bounded) =
        (BTreeMap::new(), BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut found = BTreeSet::new();
    while let Some(row) = rows.next().unwrap() {
        let (opcode, cursor, root): (String, i64, i64) =
            (row.get("opcode").unwrap(), row.get("p1").unwrap(), row.get("p2").unwrap());
        match opcode.as_str() {
            // A trigger's program begins with new cursor numbers.
            "Init" => {
                found.extend(walked(&open, &from_end, &steps, &bounded));
                (open, from_end, steps, bounded) = Default::default();
            }
            "OpenRead" | "OpenWrite" | "ReopenIdx" => {
                if let Some(name) = names.get(&root) {
                    open.insert(cursor, name.clone());
                }
            }
            // A cursor of a sorter or of a temporary table reuses the number.
            "OpenEphemeral" | "OpenAutoindex" | "OpenPseudo" | "SorterOpen" => {
                open.remove(&cursor);
            }
            "Rewind" | "Last" => {
                from_end.insert(cursor);
            }
            "Next" | "Prev" => {
                steps.insert(cursor);
            }
            // It stops where a range ends: `expires_at < ?`.
            "IdxGT" | "IdxGE" | "IdxLT" | "IdxLE" => {
                bounded.insert(cursor);
            }
            _ => {}
        }
    }
    found.extend(walked(&open, &from_end, &steps, &bounded));
    found.into_iter().collect()
}

fn walked(
    open: &BTreeMap<i64, String>,
    from_end: &BTreeSet<i64>,
    steps: &BTreeSet<i64>,
    bounded: &BTreeSet<i64>,
) -> Vec<String> {
    let walked = from_end.intersection(steps).filter(|cursor| !bounded.contains(cursor));
    walked.filter_map(|cursor| open.get(cursor).cloned()).collect()
}

/// The table of an index; the name itself for a table.
fn table_of(conn: &Connection, name: &str) -> String {
    conn.query_row("SELECT tbl_name FROM sqlite_schema WHERE name = ?1", [name], |row| row.get(0))
        .unwrap_or_else(|_| name.to_owned())
}

async fn use_everything(setup: &super::TestSetup) {
    let app = &setup.app;
    let settings = QualitySettings {
        shown: FeedbackLevel::Own,
        spread: Some(0),
        calibration: CalibrationMode::None,
        repeat_every: 2,
        ..QualitySettings::default()
    };
    app.services.quality.set(&System.admin(), StudyId(1), crate::util::change_to(&settings)).await.unwrap();
    // A rater's day, with a changed rating, and another rater's on the same outputs.
    for name in ["ada", "bo", "chen"] {
        let mut rater = app.demo_user(name).await;
        let mut last = None;
        for n in 0..12 {
            let next: serde_json::Value = rater.rpc("next_item", json!({"study": setup.study})).await.json();
            let Some(token) = next.pointer("/Item/token").and_then(|token| token.as_str()) else { break };
            let token = token.to_owned();
            let flag = if n == 3 { json!({"other": "look"}) } else { json!(null) };
            let draft = json!({"scores": [1 + n % 4, 2, 3], "comment": "c", "flag": flag});
            rater.rpc("save_draft", json!({"assignment": token, "draft": draft})).await;
            let sent = json!({"assignment": token, "draft": draft, "key": format!("k{n}"), "holding": [token]});
            rater.rpc("submit_rating", sent).await;
            last = Some(token);
        }
        if let Some(token) = last {
            rater.rpc("undo_rating", json!({"assignment": token})).await;
            rater.rpc("skip", json!({"assignment": token})).await;
        }
    }
    for row in endpoints::rows() {
        for who in [1, 3] {
            setup.send(&mut setup.people[who].clone(), &row).await;
        }
    }
    let token = app.token(&Scope::ALL).await;
    for (what, _) in endpoints::operations() {
        let (method, path) = what.split_once(' ').unwrap();
        let address = setup.address(path, if method == "GET" { "1" } else { "4711" });
        app.anonymous().api(&token, method.parse::<Method>().unwrap(), &address, None).await;
    }
    // The engine's part of a run.
    let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(1);
    app.run_all(&mut random).await;
    app.services
        .db
        .write_blocking(|tx| {
            let until = Timestamp(clock::now().0 + runs::LEASE_MS);
            let run = RunId(1);
            runs::renew(tx, "test", until)?;
            runs::claim(tx, run, "test", until, true)?;
            runs::waiting(tx, run, 0, 100)?;
            runs::done(tx, run, 0, 100)?;
            runs::left(tx, run)?;
            runs::open(tx, false)?;
            // Workers on other machines.
            runs::open_runs(tx, 8, false)?;
            runs::has_open_items(tx, run)?;
            runs::claim_several(tx, run, "test", until, true, 10)?;
            runs::held(tx, run, "test")?;
            runs::in_progress(tx, runs::Ticket { item: 1, attempt: 1 })?;
            run_workers::is_removed(tx, "w")?;
            run_workers::has_reported(tx, "w")?;
            run_workers::to_run_again(tx)?;
            run_workers::remove(tx, "w")?;
            runs::lacks_environment(tx, run)?;
            run_workers::others_done(tx, run, model::code_lang::CodeLang::Java, "f")?;
            staging::abandoned(tx, clock::now())?;
            Ok(())
        })
        .unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_statement_walks_a_table_that_grows() {
    let app = TestApp::recorded().await;
    let setup = set_up(app).await;
    use_everything(&setup).await;
    let seen = recording::seen();
    assert!(seen.len() > 200, "only {} statements were recorded", seen.len());

    // Thousands of rows in another installation, so that this one's runs do not change.
    let large = TestApp::demo().await;
    let size = fill::Size { datasets: 1, raters: 10, studies: 2, runs: 2, models: 6, tasks: 80 };
    let db = &large.services.db;
    db.write_blocking(|tx| {
        fill::fill(tx, &size)?;
        // Without statistics the planner expects many rows, as in installations where these nearly empty
        // tables are large.
        Ok(tx.execute_batch("ANALYZE; DELETE FROM sqlite_stat1 WHERE CAST(stat AS INTEGER) < 500")?)
    })
    .unwrap();
    // A migration runs once, before anybody works.
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/migrations");
    let texts = std::fs::read_dir(folder).unwrap().map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
    let lines = |text: String| {
        text.lines().map(|line| line.split("--").next().unwrap_or_default().to_owned() + " ").collect::<String>()
    };
    let migrations: String = texts.map(lines).collect();
    let migrations = migrations.split_whitespace().collect::<Vec<_>>().join(" ");
    let (mut wrong, mut used, mut pages) = (Vec::new(), BTreeSet::new(), 0);
    db.write_blocking(|conn| {
        conn.execute_batch("ANALYZE sqlite_schema")?;
        // Shows that the test can fail.
        assert_eq!(walks(conn, "SELECT id FROM ratings WHERE comment = ?1"), ["ratings"]);
        assert_eq!(walks(conn, "SELECT max(id) FROM ratings"), [""; 0]);
        assert_eq!(walks(conn, "SELECT comment FROM ratings WHERE id = ?1"), [""; 0]);
        assert!(sorts(conn, "SELECT id FROM ratings ORDER BY at LIMIT 10"));
        assert!(!sorts(conn, "SELECT id FROM ratings WHERE id < ?1 ORDER BY id DESC LIMIT 10"));
        assert!(sorts(conn, "SELECT r.id FROM (SELECT id FROM ratings ORDER BY at LIMIT 10) r CROSS JOIN users"));
        for sql in &seen {
            let word = sql.split_whitespace().next().unwrap_or_default().to_uppercase();
            if !["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"].contains(&word.as_str()) {
                continue;
            }
            // Walks in the bytecode of a plain INSERT are foreign key checks, made only while one is
            // violated.
            let one_line = sql.split_whitespace().collect::<Vec<_>>().join(" ");
            if (word == "INSERT" && !one_line.contains("SELECT")) || migrations.contains(one_line.trim_end_matches(';'))
            {
                continue;
            }
            if sql.contains(page::MARK) {
                pages += 1;
                let mut walked = walks(conn, sql);
                walked.retain(|name| !FEW.contains(&name.as_str()));
                if sorts(conn, sql) || !walked.is_empty() {
                    wrong.push(format!("a page that sorts or walks {walked:?}: {one_line}"));
                }
                continue;
            }
            for name in walks(conn, sql) {
                if FEW.contains(&name.as_str()) || SMALL.contains(&table_of(conn, &name).as_str()) {
                    continue;
                }
                match ALLOWED.iter().position(|(piece, of, _)| sql.contains(piece) && *of == name) {
                    Some(at) => {
                        used.insert(at);
                    }
                    None => wrong.push(format!("{name}: {}", sql.split_whitespace().collect::<Vec<_>>().join(" "))),
                }
            }
        }
        Ok(())
    })
    .unwrap();
    assert!(pages >= 12, "only {pages} statements read a page");
    assert!(wrong.is_empty(), "Statements that walk a whole table or index:\n{}", wrong.join("\n"));
    let unused: Vec<_> = (0..ALLOWED.len()).filter(|at| !used.contains(at)).map(|at| ALLOWED[at].0).collect();
    assert!(unused.is_empty(), "allowed without need: {unused:?}");
}
