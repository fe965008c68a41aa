//! The search over everything, by name.
//!
//! Words of three letters and more are looked up in `names`; the newest of what they find are
//! looked at. Shorter words alone, and kinds of which there are few, are searched in the newest names of each kind. Both are
//! bounded, however much there is.

use model::{
    find::{HITS, Hit, Kind},
    text::excerpt,
};
use rusqlite::{Connection, Row, params};

use base::error::Failure;

/// The newest names among which short words are searched.
const NEWEST: u32 = 1000;
/// The newest hits of long words that are looked at.
const LOOKED_AT: u32 = 200;
/// The letters that the index knows.
const LETTERS: usize = 3;

/// How a kind is found and shown.
struct Source {
    kind: Kind,
    /// Its number in `names`; `None`: it has so few objects that `names` leaves them out.
    number: Option<i64>,
    /// The table of its objects.
    table: &'static str,
    /// Name and detail, from `h.id`, the object's number. A name that is searched is `name`.
    select: &'static str,
    /// Whether short words alone find it: its table is small.
    short: bool,
}

const SOURCES: [Source; 8] = [
    Source {
        kind: Kind::Study,
        number: Some(4),
        table: "studies",
        select: "s.id AS place, s.title AS name, d.slug AS detail, s.title AS text FROM h
            CROSS JOIN studies s ON s.id = h.id
            CROSS JOIN dataset_versions v ON v.id = s.version_id CROSS JOIN datasets d ON d.id = v.dataset_id",
        short: true,
    },
    Source {
        kind: Kind::Dataset,
        number: Some(1),
        table: "datasets",
        select: "d.slug AS place, d.slug AS name, v.name_en || CASE v.name_zh WHEN v.name_en THEN '' ELSE ' · ' || v.name_zh END AS detail,
            d.slug || ' ' || v.name_en || ' ' || v.name_zh AS text FROM h
            CROSS JOIN datasets d ON d.id = h.id
            CROSS JOIN dataset_versions v ON v.dataset_id = d.id
                AND v.number = (SELECT max(number) FROM dataset_versions x WHERE x.dataset_id = d.id)",
        short: true,
    },
    Source {
        kind: Kind::Model,
        number: Some(3),
        table: "models",
        select: "m.id AS place, m.name AS name, '' AS detail, m.name AS text FROM h CROSS JOIN models m ON m.id = h.id",
        short: true,
    },
    Source {
        kind: Kind::Task,
        number: Some(2),
        table: "tasks",
        select: "d.slug AS place, t.external_id AS name, d.slug || ' · ' || r.raw_nl AS detail,
            t.external_id || ' ' || r.raw_nl AS text FROM h
            CROSS JOIN tasks t ON t.id = h.id CROSS JOIN datasets d ON d.id = t.dataset_id
            CROSS JOIN task_revisions r ON r.id = (SELECT max(id) FROM task_revisions x WHERE x.task_id = t.id)",
        short: false,
    },
    Source {
        kind: Kind::Person,
        number: Some(5),
        table: "users",
        select: "u.name AS place, u.name AS name, '' AS detail, u.name AS text FROM h CROSS JOIN users u ON u.id = h.id",
        short: true,
    },
    Source {
        kind: Kind::Rubric,
        number: None,
        table: "rubrics",
        select: "r.slug AS place, r.slug AS name, '' AS detail, r.slug AS text FROM h
            CROSS JOIN rubrics r ON r.id = h.id
                AND r.version = (SELECT max(x.version) FROM rubrics x WHERE x.slug = r.slug)",
        short: true,
    },
    Source {
        kind: Kind::Group,
        number: None,
        table: "person_groups",
        select: "g.id AS place, g.name AS name, '' AS detail, g.name AS text FROM h
            CROSS JOIN person_groups g ON g.id = h.id",
        short: true,
    },
    Source {
        kind: Kind::Collection,
        number: None,
        table: "collections",
        select: "c.id AS place, c.model_name AS name, d.slug AS detail, c.model_name || ' ' || c.endpoint AS text FROM h
            CROSS JOIN collections c ON c.id = h.id
            CROSS JOIN dataset_versions v ON v.id = c.version_id CROSS JOIN datasets d ON d.id = v.dataset_id",
        short: true,
    },
];

/// Objects with all these words in their names, by kind; names that begin with them come first.
///
/// # Errors
/// Fails if the database cannot be read.
pub fn find(conn: &Connection, words: &str) -> Result<Vec<Hit>, Failure> {
    let words = words.to_lowercase();
    let all: Vec<&str> = words.split_whitespace().collect();
    if all.is_empty() {
        return Ok(Vec::new());
    }
    let (long, short): (Vec<&str>, Vec<&str>) = all.iter().copied().partition(|word| word.chars().count() >= LETTERS);
    let mut found = Vec::new();
    for source in &SOURCES {
        let mut hits = match source.number {
            Some(number) if !long.is_empty() => by_letters(conn, source, number, &long, &short)?,
            Some(_) if !source.short => Vec::new(),
            _ => among_newest(conn, source, &all)?,
        };
        // Stable: the newest first among others.
        hits.sort_by_key(|hit| !hit.name.to_lowercase().starts_with(&words));
        hits.truncate(HITS);
        found.extend(hits);
    }
    let runs = runs(conn, &words, &found)?;
    found.extend(runs);
    found.sort_by_key(|hit| hit.kind);
    Ok(found)
}

/// By the index of letters; then the words that it does not know.
fn by_letters(
    conn: &Connection,
    source: &Source,
    number: i64,
    long: &[&str],
    short: &[&str],
) -> Result<Vec<Hit>, Failure> {
    let phrases: Vec<String> = long.iter().map(|word| format!("\"{}\"", word.replace('"', "\"\""))).collect();
    let first = number << 40;
    let sql = format!(
        "WITH h AS (SELECT rowid - ?3 AS id FROM names WHERE names MATCH ?2 AND rowid > ?3 AND rowid < ?3 + (1 << 40)
             ORDER BY rowid DESC LIMIT {LOOKED_AT})
         SELECT * FROM (SELECT {}) WHERE NOT EXISTS (
             SELECT 1 FROM json_each(?1) w WHERE instr(lower(text), w.value) = 0)",
        source.select
    );
    let mut statement = conn.prepare_cached(&sql)?;
    let rows = statement
        .query_map(params![serde_json::to_string(short)?, phrases.join(" "), first], |row| hit(source, row))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn among_newest(conn: &Connection, source: &Source, words: &[&str]) -> Result<Vec<Hit>, Failure> {
    let sql = format!(
        "WITH h AS (SELECT id FROM {} ORDER BY id DESC LIMIT {NEWEST})
         SELECT * FROM (SELECT {}) WHERE NOT EXISTS (
             SELECT 1 FROM json_each(?1) w WHERE instr(lower(text), w.value) = 0)",
        source.table, source.select
    );
    let mut statement = conn.prepare_cached(&sql)?;
    let rows = statement.query_map([serde_json::to_string(words)?], |row| hit(source, row))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn hit(source: &Source, row: &Row<'_>) -> rusqlite::Result<Hit> {
    let name: String = row.get("name")?;
    let place = match row.get_ref("place")? {
        rusqlite::types::ValueRef::Integer(id) => id.to_string(),
        other => model::address::query_value(other.as_str()?),
    };
    let href = match source.kind {
        Kind::Study => format!("/admin/studies/{place}"),
        Kind::Dataset => format!("/admin/datasets/{place}"),
        Kind::Model => format!("/admin/results/models/{place}"),
        Kind::Task => format!("/admin/datasets/{place}?q={}", model::address::query_value(&name)),
        Kind::Person => format!("/admin/people?q={place}"),
        Kind::Run => format!("/admin/runs/{place}"),
        Kind::Rubric => format!("/admin/rubrics/{place}"),
        Kind::Group => format!("/admin/groups/{place}"),
        Kind::Collection => format!("/admin/collections/{place}"),
    };
    let detail = excerpt(&row.get::<_, String>("detail")?, 120);
    Ok(Hit { kind: source.kind, name, detail, href })
}

/// The run and the study with this number, and the newest runs of the models that were found.
fn runs(conn: &Connection, words: &str, found: &[Hit]) -> Result<Vec<Hit>, Failure> {
    let mut hits = Vec::new();
    let run = |row: &Row<'_>| {
        let id: i64 = row.get("id")?;
        Ok(Hit {
            kind: Kind::Run,
            name: id.to_string(),
            detail: format!("{} · {}", row.get::<_, String>("model_name")?, row.get::<_, String>("dataset_slug")?),
            href: format!("/admin/runs/{id}"),
        })
    };
    if let Ok(number) = words.parse::<i64>() {
        let mut statement = conn.prepare_cached("SELECT id, model_name, dataset_slug FROM runs WHERE id = ?1")?;
        hits.extend(statement.query_map([number], run)?.collect::<Result<Vec<_>, _>>()?);
        let mut statement = conn.prepare_cached("SELECT id, title FROM studies WHERE id = ?1")?;
        let study = |row: &Row<'_>| {
            let id: i64 = row.get("id")?;
            let href = format!("/admin/studies/{id}");
            Ok(Hit { kind: Kind::Study, name: row.get("title")?, detail: id.to_string(), href })
        };
        let studies = statement.query_map([number], study)?.collect::<Result<Vec<_>, _>>()?;
        hits.extend(studies.into_iter().filter(|hit| found.iter().all(|other| other.href != hit.href)));
    }
    let mut statement = conn.prepare_cached(
        "SELECT id, model_name, dataset_slug FROM runs WHERE model_name = ?1 ORDER BY id DESC LIMIT 2",
    )?;
    for model in found.iter().filter(|hit| hit.kind == Kind::Model).take(HITS / 2) {
        let rows = statement.query_map([&model.name], run)?.collect::<Result<Vec<_>, _>>()?;
        hits.extend(rows.into_iter().filter(|hit| words != hit.name));
    }
    Ok(hits)
}
