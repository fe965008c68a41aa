//! Every list of admins in every order: whole walks over random rows, also while rows come in between; what they cost;
//! search, filters and counts; the search over everything.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use base::error::Failure;
use db::{FILE, accounts, models, runs, studies, submissions, uploads};
use model::{
    find::{Hit, Kind},
    page::{Found, PageOf, Paged, Which},
    study::StudySettings,
};
use rand::{Rng, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use rusqlite::{Connection, params};
use serde_json::{Value, json};
use services::webhooks::Origins;

use crate::util::TestApp;

/// A list: its server function, where its page is in the answer, and its orders with the SQL that says the same.
struct List {
    function: &'static str,
    arguments: fn(Value) -> Value,
    pointer: &'static str,
    /// The text that identifies a row, and the SQL of all rows.
    key: &'static str,
    rows: &'static str,
    orders: &'static [(&'static str, &'static str)],
}

const LISTS: &[List] = &[
    List {
        function: "studies",
        arguments: |page| json!({ "page": page }),
        pointer: "",
        key: "id",
        rows: "SELECT id AS key FROM studies WHERE archived_at IS NULL",
        orders: &[("created", "id"), ("title", "title COLLATE NOCASE"), ("status", "status")],
    },
    List {
        function: "runs",
        arguments: |page| json!({ "submission": null, "page": page }),
        pointer: "",
        key: "id",
        rows: "SELECT r.id AS key FROM runs r JOIN submissions s ON s.id = r.submission_id
            JOIN models m ON m.id = s.model_id JOIN dataset_versions v ON v.id = s.version_id
            JOIN datasets d ON d.id = v.dataset_id",
        orders: &[
            ("started", "r.id"),
            ("model", "m.name COLLATE NOCASE"),
            ("dataset", "d.slug"),
            ("status", "r.status"),
        ],
    },
    List {
        function: "submissions",
        arguments: |page| json!({ "dataset": null, "page": page }),
        pointer: "",
        key: "id",
        rows: "SELECT s.id AS key FROM submissions s JOIN models m ON m.id = s.model_id
            JOIN dataset_versions v ON v.id = s.version_id JOIN datasets d ON d.id = v.dataset_id
            WHERE s.archived_at IS NULL",
        orders: &[("uploaded", "s.id"), ("model", "m.name COLLATE NOCASE"), ("dataset", "d.slug")],
    },
    List {
        function: "models",
        arguments: |page| json!({ "page": page }),
        pointer: "",
        key: "id",
        rows: "SELECT id AS key FROM models WHERE id IN (SELECT model_id FROM submissions)",
        orders: &[("name", "name COLLATE NOCASE"), ("added", "id")],
    },
    List {
        function: "people",
        arguments: |page| json!({ "users": page }),
        pointer: "/0",
        key: "id",
        rows: "SELECT id AS key FROM users",
        orders: &[("name", "name COLLATE NOCASE"), ("since", "id"), ("role", "role")],
    },
    List {
        function: "groups",
        arguments: |page| json!({ "page": page }),
        pointer: "",
        key: "id",
        rows: "SELECT id AS key FROM person_groups",
        orders: &[("name", "name COLLATE NOCASE")],
    },
    List {
        function: "datasets",
        arguments: |page| json!({ "page": page }),
        pointer: "",
        key: "id",
        rows: "SELECT id AS key FROM datasets WHERE archived_at IS NULL",
        orders: &[("name", "slug"), ("added", "id")],
    },
    List {
        function: "dataset_tasks",
        arguments: |page| json!({ "slug": "starter", "version": null, "page": page }),
        pointer: "",
        key: "revision",
        rows: "SELECT revision_id AS key FROM dataset_version_tasks WHERE version_id =
            (SELECT max(v.id) FROM dataset_versions v JOIN datasets d ON d.id = v.dataset_id WHERE d.slug = 'starter')",
        orders: &[("order", "position")],
    },
    List {
        function: "uploads",
        arguments: |page| json!({ "page": page }),
        pointer: "",
        key: "id",
        rows: "SELECT id AS key FROM uploads WHERE purpose = 'outputs'",
        orders: &[("uploaded", "id")],
    },
    List {
        function: "submission_outputs",
        arguments: |page| json!({ "id": 1, "filter": {"words": "", "empty": false}, "page": page }),
        pointer: "",
        key: "id",
        rows: "SELECT id AS key FROM outputs WHERE submission_id = 1",
        orders: &[("order", "id")],
    },
];

/// Adds a study, a model with a submission and runs, and a person; names differ in case alone, or not at all.
fn add(conn: &Connection, random: &mut ChaCha8Rng, n: usize) -> Result<(), Failure> {
    let word = *["alpha", "Alpha", "beta", "B~1", "中文", ""].choose(random).unwrap();
    let status = *["draft", "running", "paused", "closed"].choose(random).unwrap();
    let version: i64 =
        conn.query_row("SELECT id FROM dataset_versions ORDER BY random() LIMIT 1", [], |row| row.get(0))?;
    conn.execute(
        "INSERT INTO all_studies (token, title, version_id, rubric_id, settings, seed, status, created_at)
         VALUES (?1, ?2, ?3, (SELECT min(id) FROM rubrics), ?5, '1', ?4, 1)",
        params![format!("token {n}"), word, version, status, serde_json::to_string(&StudySettings::default())?],
    )?;
    conn.execute("INSERT INTO models (name) VALUES (?1)", [format!("{word} {n}")])?;
    let model = conn.last_insert_rowid();
    let of_model = *[model, 1].choose(random).unwrap();
    for model in [model, of_model] {
        conn.execute(
            "INSERT INTO all_submissions (version_id, model_id, file_name, checksum, matching, created_at)
             VALUES (?1, ?2, 'f', ?3, 'id', 1) ON CONFLICT DO NOTHING",
            params![version, model, format!("{n} {model}")],
        )?;
    }
    let purpose = *["outputs", "ratings"].choose(random).unwrap();
    conn.execute(
        "INSERT INTO uploads (checksum, file_name, bytes, purpose, created_at) VALUES (?1, 'f', 1, ?2, 1)",
        params![format!("{n} {model}"), purpose],
    )?;
    for _ in 0..random.random_range(0..3) {
        let state = *["finished", "stopped"].choose(random).unwrap();
        conn.execute(
            "INSERT INTO runs (submission_id, status, fresh, created_at)
             SELECT id, ?1, 0, 1 FROM submissions ORDER BY random() LIMIT 1",
            [state],
        )?;
    }
    let role = *["rater", "admin"].choose(random).unwrap();
    conn.execute(
        "INSERT INTO users (name, role, password_hash, created_at) VALUES (?1, ?2, 'x', 1)",
        params![format!("{word} {n}"), role],
    )?;
    conn.execute("INSERT INTO person_groups (name, created_at) VALUES (?1, 1)", [format!("{word} {n}")])?;
    Ok(())
}

/// The keys of a page's rows, and the key of the next page.
fn rows(list: &List, answer: &Value) -> (Vec<i64>, Option<String>) {
    let page = answer.pointer(list.pointer).unwrap();
    let rows = page["rows"].as_array().unwrap_or_else(|| panic!("{}: {answer}", list.function));
    let key = |row: &Value| row[list.key].as_i64().unwrap_or_else(|| panic!("{}: {row}", list.function));
    (rows.iter().map(key).collect(), page["next"].as_str().map(str::to_owned))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_list_is_walked_whole_in_every_order() {
    let app = TestApp::demo().await;
    let mut random = ChaCha8Rng::seed_from_u64(24);
    for n in 0..30 {
        app.services.db.write_blocking(|tx| add(tx, &mut random, n)).unwrap();
    }
    // A model that is renamed takes its submissions and runs along.
    let renamed = |tx: &rusqlite::Transaction<'_>| Ok(tx.execute("UPDATE models SET name = 'zeta' WHERE id = 1", [])?);
    app.services.db.write_blocking(renamed).unwrap();
    let mut admin = app.admin().await;
    let mut n = 1000;
    for list in LISTS {
        for (order, sql) in list.orders {
            for descending in [false, true] {
                let direction = if descending { "DESC" } else { "ASC" };
                let id = if list.rows.contains(" r ") {
                    "r.id"
                } else if list.rows.contains(" s ") {
                    "s.id"
                } else {
                    "1"
                };
                let sql = format!("{} ORDER BY {sql} {direction}, {id} {direction}", list.rows);
                let sql = sql.replace(", 1 ", ", key ");
                let expected = || -> Vec<i64> {
                    let read = |conn: &Connection| {
                        let mut statement = conn.prepare(&sql)?;
                        let keys = statement.query_map([], |row| row.get("key"))?;
                        Ok(keys.collect::<Result<_, _>>()?)
                    };
                    app.services.db.read_blocking(read).unwrap()
                };
                let sort = format!("{}{order}", if descending { "-" } else { "" });
                for adding in [false, true] {
                    let before = expected();
                    let (mut walked, mut after) = (Vec::new(), None::<String>);
                    loop {
                        let page = json!({"after": after, "limit": 7, "which": {"sort": sort}});
                        let answer: Value = admin.rpc(list.function, (list.arguments)(page)).await.json();
                        let (keys, next) = rows(list, &answer);
                        walked.extend(keys);
                        if adding && walked.len() <= 21 {
                            app.services.db.write_blocking(|tx| add(tx, &mut random, n)).unwrap();
                            n += 1;
                        }
                        after = next;
                        if after.is_none() {
                            break;
                        }
                    }
                    let what = format!("{} by {sort}, rows added meanwhile: {adding}", list.function);
                    let known: Vec<i64> = walked.iter().copied().filter(|key| before.contains(key)).collect();
                    assert_eq!(known, before, "{what}");
                    let mut once = walked.clone();
                    once.sort_unstable();
                    once.dedup();
                    assert_eq!(once.len(), walked.len(), "{what}: a row twice");
                }
            }
        }
    }
}

/// Steps of SQLite's machine for the first page in each order of the lists that grow.
#[allow(clippy::disallowed_methods, reason = "the service's connections cannot be made to count")]
fn steps(app: &TestApp) -> Vec<(String, u64)> {
    type Read = fn(&Connection, &PageOf) -> Result<(), Failure>;
    let lists: [(&str, &[&str], Read); 6] = [
        ("studies", &["created", "title", "status"], |conn, of| studies::list(conn, of).map(|_| ())),
        ("runs", &["started", "model", "dataset", "status"], |conn, of| runs::list(conn, None, of).map(|_| ())),
        ("submissions", &["uploaded", "model", "dataset"], |conn, of| submissions::list(conn, None, of).map(|_| ())),
        ("uploads", &["uploaded"], |conn, of| uploads::list(conn, of).map(|_| ())),
        ("models", &["name", "added"], |conn, of| models::list(conn, of).map(|_| ())),
        ("people", &["name", "since", "role", "seen"], |conn, of| accounts::list(conn, of).map(|_| ())),
    ];
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
    let mut conn = Connection::open_with_flags(app.services.folder.join(FILE), flags).unwrap();
    let mut found = Vec::new();
    for (name, orders, read) in lists {
        for order in orders {
            for sign in ["", "-"] {
                let sort = format!("{sign}{order}");
                let of = PageOf { which: Which { sort: sort.clone(), ..Which::default() }, ..PageOf::first(3) };
                let count = Arc::new(AtomicU64::new(0));
                let counting = Arc::clone(&count);
                let count_one = move || {
                    counting.fetch_add(1, Ordering::Relaxed);
                    false
                };
                conn.progress_handler(1, Some(count_one)).unwrap();
                read(&conn, &of).unwrap();
                conn.progress_handler(0, None::<fn() -> bool>).unwrap();
                found.push((format!("{name} by {sort}"), count.load(Ordering::Relaxed)));
            }
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn long_lists_cost_what_short_ones_do() {
    let app = TestApp::demo().await;
    let fill = |from: usize, to: usize| {
        app.services
            .db
            .write_blocking(|tx| {
                for n in from..to {
                    tx.execute("INSERT INTO models (name) VALUES (?1)", [format!("m {n}")])?;
                    let model = tx.last_insert_rowid();
                    tx.execute(
                        "INSERT INTO all_submissions (version_id, model_id, file_name, checksum, matching, created_at)
                         VALUES (1, ?1, 'f', ?2, 'id', 1)",
                        params![model, n.to_string()],
                    )?;
                    tx.execute(
                        "INSERT INTO runs (submission_id, status, fresh, created_at) VALUES (?1, 'finished', 0, 1)",
                        [tx.last_insert_rowid()],
                    )?;
                    tx.execute(
                        "INSERT INTO uploads (checksum, file_name, bytes, created_at) VALUES (?1, 'f', 1, 1)",
                        [n.to_string()],
                    )?;
                    tx.execute(
                        "INSERT INTO all_studies (token, title, version_id, rubric_id, settings, seed, status, created_at)
                         VALUES (?1, 'same', 1, (SELECT min(id) FROM rubrics), ?2, '1', 'draft', 1)",
                        [format!("t {n}"), serde_json::to_string(&StudySettings::default())?],
                    )?;
                    tx.execute(
                        "INSERT INTO users (name, role, password_hash, created_at) VALUES (?1, 'rater', 'x', 1)",
                        [format!("u {n}")],
                    )?;
                }
                Ok(())
            })
            .unwrap();
    };
    fill(0, 20);
    let few = steps(&app);
    fill(20, 4000);
    let many = steps(&app);
    for ((what, few), (_, many)) in few.iter().zip(&many) {
        assert!(*many <= few + few / 4 + 200, "{what}: {many} steps instead of {few}");
    }
}

#[tokio::test]
async fn lists_are_searched_filtered_and_counted() {
    let app = TestApp::demo().await;
    let mut admin = app.admin().await;
    let page = |search: &str, filters: Value| json!({"limit": 50, "counted": true, "which": {"search": search, "filters": filters}});
    let all: Paged<Value> = admin.rpc("dataset_tasks", json!({"slug": "starter", "version": null})).await.json();
    let of = page("", json!([["nl_lang", "zh"]]));
    let chinese: Paged<Value> =
        admin.rpc("dataset_tasks", json!({"slug": "starter", "version": null, "page": of})).await.json();
    assert!(!chinese.rows.is_empty() && chinese.rows.len() < all.rows.len());
    assert_eq!(chinese.found, Some(Found { rows: chinese.rows.len() as u64, more: false }));
    assert!(chinese.rows.iter().all(|task| task["nl_lang"] == "zh"), "{:?}", chinese.rows);
    let id = all.rows[0]["task_id"].as_str().unwrap().to_uppercase();
    let of = page(&id, json!([]));
    let one: Paged<Value> =
        admin.rpc("dataset_tasks", json!({"slug": "starter", "version": null, "page": of})).await.json();
    assert!(one.rows.iter().any(|task| task["id"] == all.rows[0]["id"]));

    let raters: Value = admin.rpc("people", json!({"users": page("", json!([["role", "rater"]]))})).await.json();
    let roles: Vec<_> = raters[0]["rows"].as_array().unwrap().iter().map(|row| row["role"].clone()).collect();
    assert!(roles.len() > 1 && roles.iter().all(|role| role == "rater"), "{roles:?}");
    let none: Value = admin.rpc("people", json!({"users": page("ADA", json!([["active", "0"]]))})).await.json();
    assert_eq!(none[0]["rows"], json!([]));
    let wrong = admin.rpc("studies", json!({"page": {"which": {"sort": "raters"}}})).await;
    assert_eq!(wrong.status, 422);

    // The pages have the same, without scripts.
    let shown = admin.get("/admin/people?q=ada&sort=-since").await.body;
    assert!(shown.contains("aria-sort=\"descending\"") && shown.contains("1 result"), "{shown}");
    assert!(shown.contains("href=\"?q=ada&amp;sort=since\""), "{shown}");
    let nothing = admin.get("/admin/people?q=nobody&role=rater").await.body;
    assert!(nothing.contains("No matches") && nothing.contains("Clear search and filters"), "{nothing}");
}

/// Without words, the search lists every page and action; each leads to a part of a page that exists.
#[tokio::test]
async fn the_search_lists_pages_and_actions_that_exist() {
    let app = TestApp::demo().await;
    // The form of webhooks is there only if a host is allowed.
    app.services.webhooks.allow(Origins::parse(["https://hooks.example.org"]).unwrap());
    let mut admin = app.admin().await;
    let shown = admin.get("/admin/find").await.body;
    let main = shown.split("<main").nth(1).unwrap().split("</main>").next().unwrap();
    let addresses: Vec<&str> = main.split("href=\"/").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert!(addresses.len() > 30, "{addresses:?}");
    for address in addresses {
        let (path, part) = address.split_once('#').unwrap_or((address, ""));
        let page = admin.get(&format!("/{path}")).await;
        assert_eq!(page.status, 200, "{address}");
        assert!(part.is_empty() || page.body.contains(&format!("id=\"{part}\"")), "{address}");
    }
    let search = |words: &str| {
        format!("/admin/find?q={}", form_urlencoded::byte_serialize(words.as_bytes()).collect::<String>())
    };
    for words in ["rubric", "评分标准"] {
        let shown = admin.get(&search(words)).await.body;
        assert!(shown.contains("href=\"/admin/rubrics/new\""), "a name in either language is found: {words}");
    }
}

#[tokio::test]
async fn everything_is_found_by_name() {
    let app = TestApp::demo().await;
    app.services
        .db
        .write_blocking(|tx| {
            tx.execute_batch(
                "INSERT INTO models (name) VALUES ('Straße 7B'), ('plain \"quoted\" model'), ('qq');
                 INSERT INTO person_groups (name, created_at) VALUES ('Reading group', 0);
                 UPDATE all_studies SET title = '第一轮评分 \"pilot\"' WHERE id = 1;",
            )?;
            Ok(())
        })
        .unwrap();
    let mut admin = app.admin().await;
    let mut find = async |words: &str| -> Vec<Hit> { admin.rpc("find", json!({ "words": words })).await.json() };
    let names = |hits: &[Hit], kind: Kind| -> Vec<String> {
        hits.iter().filter(|hit| hit.kind == kind).map(|hit| hit.name.clone()).collect()
    };
    assert_eq!(names(&find("STARTER").await, Kind::Dataset), ["starter"]);
    assert_eq!(names(&find("ada").await, Kind::Person), ["ada"]);
    assert_eq!(names(&find("bench").await, Kind::Rubric), ["aixbench"]);
    assert_eq!(names(&find("reading").await, Kind::Group), ["Reading group"]);
    assert_eq!(names(&find("ad").await, Kind::Person)[0], "ada", "short words are found, too");
    assert_eq!(names(&find("straße").await, Kind::Model), ["Straße 7B"]);
    assert_eq!(names(&find("轮评分").await, Kind::Study).len(), 1);
    assert_eq!(names(&find("评分").await, Kind::Study).len(), 1, "two letters of Chinese are a word");
    assert_eq!(names(&find("\"quoted\" model").await, Kind::Model), ["plain \"quoted\" model"]);
    assert_eq!(names(&find("quoted mo").await, Kind::Model), ["plain \"quoted\" model"]);
    assert_eq!(names(&find("quoted xx").await, Kind::Model), [""; 0]);
    assert_eq!(find("1").await.iter().filter(|hit| hit.href == "/admin/studies/1").count(), 1);
    assert!(find("   ").await.is_empty() && find("\" OR *").await.is_empty());
    let task = find("the").await.into_iter().find(|hit| hit.kind == Kind::Task).unwrap();
    assert!(task.href.starts_with("/admin/datasets/starter?q="), "{task:?}");
    let most = find("a").await;
    for kind in Kind::ALL {
        assert!(names(&most, kind).len() <= model::find::HITS, "{kind:?}");
    }
    // The search finds new names of renamed objects, and no deleted ones.
    app.services
        .db
        .write_blocking(|tx| {
            tx.execute_batch(
                "UPDATE models SET name = 'other' WHERE name = 'qq'; DELETE FROM models WHERE name LIKE 'Stra%'",
            )?;
            Ok(())
        })
        .unwrap();
    assert_eq!(names(&find("other").await, Kind::Model), ["other"]);
    assert!(names(&find("straße").await, Kind::Model).is_empty());
}
