//! Tests of pages: whole walks in every order, and what a page costs.

#![allow(clippy::disallowed_methods, reason = "a database in memory")]

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use model::page::Which;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;

const SORTS: &[Sort<'_>] = &[Sort::number("id", "t.id"), Sort::text("name", "t.name"), Sort::number("size", "t.size")];
const FILTERS: &[Filter<'_>] = &[
    Filter { name: "kind", condition: "t.kind = #", indexed: true },
    Filter { name: "least", condition: "t.size >= CAST(# AS INTEGER)", indexed: false },
];
const LIST: List<'_> = List {
    columns: "t.id, t.name, t.size, t.kind",
    table: "t",
    joins: "",
    id: "t.id",
    within: "",
    filter: "",
    sorts: SORTS,
    usual: "-id",
    search: "t.name",
    filters: FILTERS,
};

#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    id: i64,
    name: String,
    size: i64,
    kind: String,
}

fn table(rows: usize) -> Connection {
    let conn = Connection::open_in_memory().unwrap();
    conn.execute_batch(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE, size INTEGER NOT NULL,
             kind TEXT NOT NULL) STRICT;
         CREATE INDEX t_name ON t (name);
         CREATE INDEX t_size ON t (size);
         CREATE INDEX t_kind ON t (kind);",
    )
    .unwrap();
    // Many ties, and one row of a rare kind.
    conn.execute(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
         INSERT INTO t SELECT i, 'name ' || (i % 7), i % 3, CASE i WHEN 3 THEN 'rare' ELSE 'usual' END FROM n",
        [rows as i64],
    )
    .unwrap();
    conn
}

fn read(conn: &Connection, of: &PageOf) -> Result<Paged<Line>, Failure> {
    page(conn, &LIST, of, &[], |row| {
        Ok(Line { id: row.get("id")?, name: row.get("name")?, size: row.get("size")?, kind: row.get("kind")? })
    })
}

fn of(which: Which, limit: u32) -> PageOf {
    PageOf { which, ..PageOf::first(limit) }
}

fn sorted(sort: &str) -> Which {
    Which { sort: sort.into(), ..Which::default() }
}

/// Every page, forth and back, with the rows in between.
fn walk(conn: &Connection, first: &PageOf, mut between: impl FnMut(&Connection)) -> Vec<Line> {
    let (mut rows, mut of) = (Vec::new(), first.clone());
    loop {
        let found = read(conn, &of).unwrap();
        assert!(found.rows.len() <= of.limit as usize);
        assert_eq!(found.previous.is_some(), of.after.is_some());
        rows.extend(found.rows);
        between(conn);
        match found.next {
            Some(next) => of.after = Some(next),
            None => return rows,
        }
    }
}

/// The same list by other means.
fn expected(conn: &Connection, which: &Which) -> Vec<Line> {
    let sort = if which.sort.is_empty() { "-id" } else { &which.sort };
    let (name, direction) = sort.strip_prefix('-').map_or((sort, "ASC"), |name| (name, "DESC"));
    let sql = format!("SELECT id, name, size, kind FROM t ORDER BY {name} {direction}, id {direction}");
    let mut statement = conn.prepare(&sql).unwrap();
    let rows = statement
        .query_map([], |row| Ok(Line { id: row.get(0)?, name: row.get(1)?, size: row.get(2)?, kind: row.get(3)? }));
    let words = which.search.to_lowercase();
    let holds = |line: &Line| {
        words.split_whitespace().all(|word| line.name.to_lowercase().contains(word))
            && which.filter("kind").is_none_or(|kind| line.kind == kind)
            && which.filter("least").is_none_or(|least| line.size >= least.parse::<i64>().unwrap())
    };
    rows.unwrap().map(Result::unwrap).filter(holds).collect()
}

const ORDERS: [&str; 7] = ["", "id", "-id", "name", "-name", "size", "-size"];

#[test]
fn pages_join_to_the_whole_list_in_every_order() {
    let mut random = ChaCha8Rng::seed_from_u64(24);
    for round in 0..40 {
        let conn = table(0);
        for _ in 0..random.random_range(0..60) {
            // Upper and lower case are one name; the empty name and the extreme numbers are values like others.
            let name = ["", "a", "A", "b~1", "B b", "\u{4e2d}\u{6587}"][random.random_range(0..6)];
            let size = [i64::MIN, -1, 0, 1, i64::MAX][random.random_range(0..5)];
            let kind = ["usual", "rare"][random.random_range(0..2)];
            conn.execute("INSERT INTO t (name, size, kind) VALUES (?1, ?2, ?3)", rusqlite::params![name, size, kind])
                .unwrap();
        }
        let limit = random.random_range(1..8);
        for order in ORDERS {
            for search in ["", "B", "b 1"] {
                for filters in [vec![], vec![("kind", "rare")], vec![("least", "0"), ("kind", "usual")]] {
                    let filters = filters.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
                    let which = Which { search: search.into(), sort: order.into(), filters };
                    let first = of(which.clone(), limit);
                    let rows = walk(&conn, &first, |_| ());
                    assert_eq!(rows, expected(&conn, &which), "round {round}, {which:?}, {limit} rows a page");
                    let counted = read(&conn, &PageOf { counted: true, ..first }).unwrap().found.unwrap();
                    assert_eq!(counted, Found { rows: rows.len() as u64, more: false }, "{which:?}");
                }
            }
        }
    }
}

#[test]
fn pages_lead_back_as_they_led_forth() {
    let conn = table(40);
    for order in ORDERS {
        let (mut pages, mut at) = (Vec::new(), of(sorted(order), 7));
        loop {
            let found = read(&conn, &at).unwrap();
            at.after.clone_from(&found.next);
            pages.push(found);
            if at.after.is_none() {
                break;
            }
        }
        assert_eq!(pages.len(), 6);
        for place in (1..pages.len()).rev() {
            let before = PageOf { before: pages[place].previous.clone(), ..of(sorted(order), 7) };
            assert_eq!(read(&conn, &before).unwrap(), pages[place - 1], "{order}, page {place}");
        }
    }
}

#[test]
fn rows_that_come_meanwhile_move_no_others() {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    for order in ORDERS {
        let conn = table(100);
        let before = expected(&conn, &sorted(order));
        let rows = walk(&conn, &of(sorted(order), 9), |conn| {
            let (name, size) = (format!("name {}", random.random_range(0..9)), random.random_range(-1..5));
            // The oldest first comes to an end only if no row is added.
            if conn.query_row("SELECT count(*) FROM t", [], |row| row.get::<_, i64>(0)).unwrap() < 110 {
                conn.execute("INSERT INTO t (name, size, kind) VALUES (?1, ?2, 'new')", rusqlite::params![name, size])
                    .unwrap();
            }
        });
        let old: Vec<Line> = rows.iter().filter(|row| row.kind != "new").cloned().collect();
        assert_eq!(old, before, "{order}");
        let mut ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), rows.len(), "{order}: a row twice");
    }
}

/// Steps of SQLite's machine for a page.
fn steps(conn: &mut Connection, of: &PageOf) -> u64 {
    let count = Arc::new(AtomicU64::new(0));
    let counting = Arc::clone(&count);
    let count_one = move || {
        counting.fetch_add(1, Ordering::Relaxed);
        false
    };
    conn.progress_handler(1, Some(count_one)).unwrap();
    read(conn, of).unwrap();
    conn.progress_handler(0, None::<fn() -> bool>).unwrap();
    count.load(Ordering::Relaxed)
}

#[test]
fn a_page_of_a_million_rows_costs_as_much_as_one_of_ten() {
    let (mut few, mut many) = (table(10), table(1_000_000));
    for order in ORDERS {
        for kind in ["", "rare"] {
            let which = Which { filters: vec![("kind".into(), kind.into())], ..sorted(order) };
            if kind == "rare" && !["", "id", "-id"].contains(&order) {
                continue;
            }
            let first = of(which, 5);
            let (small, large) = (steps(&mut few, &first), steps(&mut many, &first));
            assert!(large <= small + 20, "{order} {kind}: {large} steps instead of {small}");
        }
        // In the middle, among 300,000 rows with the same value.
        let middle = |id: i64| {
            let column = order.trim_start_matches('-');
            let key = match column {
                "name" => format!("{id}~name {}", id % 7),
                "size" => format!("{id}~{}", id % 3),
                _ => id.to_string(),
            };
            PageOf { after: Some(key), ..of(sorted(order), 3) }
        };
        let (small, large) = (steps(&mut few, &middle(5)), steps(&mut many, &middle(500_000)));
        assert!(large <= 2 * small + 100, "{order}: {large} steps in the middle instead of {small}");
    }
}

#[test]
fn a_search_without_matches_reads_a_bounded_part_and_goes_on() {
    let (mut some, mut many) = (table(2 * READ as usize), table(1_000_000));
    for order in ORDERS {
        let nothing = of(Which { search: "nowhere".into(), ..sorted(order) }, 5);
        let (small, large) = (steps(&mut some, &nothing), steps(&mut many, &nothing));
        assert!(large <= small + small / 100, "{order}: {large} steps instead of {small}");
    }
    // The only match is the last row of three stretches.
    let mut conn = table(3 * READ as usize);
    conn.execute("UPDATE t SET name = 'needle' WHERE id = 1", []).unwrap();
    let needle = PageOf { counted: true, ..of(Which { search: "needle".into(), ..Which::default() }, 5) };
    let found = read(&conn, &needle).unwrap();
    assert_eq!((found.rows.len(), found.next.is_some()), (0, true));
    assert_eq!(found.found, Some(Found { rows: 0, more: true }));
    assert_eq!(walk(&conn, &needle, |_| ()).iter().map(|row| row.id).collect::<Vec<_>>(), [1]);
    conn = table(1500);
    let all = read(&conn, &PageOf { counted: true, ..PageOf::default() }).unwrap();
    assert_eq!(all.found, Some(Found { rows: 1000, more: true }));
}

#[test]
fn other_keys_and_orders_are_refused() {
    let conn = table(5);
    let keyed = |sort: &str, key: &str| read(&conn, &PageOf { after: Some(key.into()), ..of(sorted(sort), 5) });
    assert!(keyed("id", "x").is_err());
    assert!(keyed("size", "3").is_err());
    assert!(keyed("size", "x~3").is_err());
    assert!(keyed("size", "3~x").is_err());
    assert!(keyed("name", "3~x").is_ok());
    assert!(keyed("kind", "3").is_err());
    assert!(keyed("-", "3").is_err());
}
