//! Reads a list a page at a time, by key: any page costs the same, however long the list.

use app::model::page::{PageOf, Paged};
use rusqlite::{Connection, Row, ToSql, types::Value};

use crate::error::Failure;

/// Marks the statements of this module; a test holds their query plans to a search by key without sorting.
pub const MARK: &str = "/* page */";

/// The order of a list, which is that of its key.
#[derive(Clone, Copy, Debug)]
pub enum Order {
    /// By number, the highest first.
    Newest,
    /// By number, the lowest first.
    Oldest,
    /// By text.
    Text,
}

/// A list that is read in pages.
pub struct List<'a> {
    /// `SELECT … FROM …`, the table of `column` first, others by `CROSS JOIN`: so the planner follows the key instead
    /// of sorting. Parameters begin at `?3`.
    pub select: &'a str,
    /// Further conditions, beginning with `AND`; empty for none.
    pub filter: &'a str,
    /// The column that orders the list, with an index, unique within the filter.
    pub column: &'a str,
    /// SQL for the key's value in `column`, from the key as `?1`; usually `?1` itself.
    pub bound: &'a str,
    /// The order.
    pub order: Order,
}

/// Reads a page. `key` gives the key of a row.
///
/// # Errors
/// `after` or `before` is not a key of such a list.
pub fn page<T>(
    conn: &Connection,
    list: &List<'_>,
    page: &PageOf,
    params: &[&dyn ToSql],
    mut read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    key: impl Fn(&T) -> String,
) -> Result<Paged<T>, Failure> {
    let backwards = page.after.is_none() && page.before.is_some();
    let bound = match page.after.as_ref().or(page.before.as_ref()) {
        Some(text) => list.order.value(text)?,
        None => Value::Null,
    };
    let descending = matches!(list.order, Order::Newest) != backwards;
    let (compare, direction) = if descending { ("<", "DESC") } else { (">", "ASC") };
    let List { select, filter, column, bound: of_key, .. } = list;
    // The end of the list that lies before every key.
    let end = match (list.order, descending) {
        (_, true) => "9223372036854775807",
        (Order::Text, false) => "''",
        (_, false) => "-9223372036854775808",
    };
    let limit = page.limit.clamp(1, PageOf::MOST);
    let mut statement = conn.prepare_cached(&format!(
        "{select} WHERE {column} {compare} coalesce({of_key}, {end}) {filter}
         ORDER BY {column} {direction} LIMIT ?2 + 1 {MARK}"
    ))?;
    let all: Vec<&dyn ToSql> = [&bound as &dyn ToSql, &limit].into_iter().chain(params.iter().copied()).collect();
    let mut rows = statement.query_map(all.as_slice(), |row| read(row))?.collect::<Result<Vec<T>, _>>()?;
    let more = rows.len() > limit as usize;
    rows.truncate(limit as usize);
    if backwards {
        rows.reverse();
    }
    // On the other side lies the page that the reader came from.
    let (has_previous, has_next) = if backwards { (more, true) } else { (page.after.is_some(), more) };
    let previous = rows.first().filter(|_| has_previous).map(&key);
    let next = rows.last().filter(|_| has_next).map(&key);
    Ok(Paged { rows, previous, next })
}

/// SQL for whether id and description of a task (`t`, `r`) contain every word of the list that [`words`] makes.
pub fn contains(list: &str) -> String {
    format!(
        "NOT EXISTS (SELECT 1 FROM json_each({list}) w WHERE instr(lower(t.external_id || ' ' || r.raw_nl), w.value) = 0)"
    )
}

/// The words of a search as a JSON list.
///
/// # Errors
/// Never in practice.
pub fn words(text: &str) -> Result<String, Failure> {
    Ok(serde_json::to_string(&text.to_lowercase().split_whitespace().collect::<Vec<_>>())?)
}

impl Order {
    fn value(self, text: &str) -> Result<Value, Failure> {
        match self {
            Order::Text => Ok(Value::Text(text.to_owned())),
            Order::Newest | Order::Oldest => text.parse().map(Value::Integer).map_err(|_| {
                Failure::invalid(
                    "page",
                    (format!("`{text}` is not a key of this list"), format!("“{text}”不是此列表的键")),
                    ("Start at the first page", "请从第一页开始"),
                )
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Connection {
        let conn = Connection::open_in_memory().unwrap();
        conn.execute_batch(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, kind INTEGER NOT NULL);
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
             INSERT INTO t SELECT i, char(96 + i), i % 2 FROM n",
        )
        .unwrap();
        conn
    }

    /// Walks forth through the list and back, and returns the rows as they came on the way forth.
    fn walk(conn: &Connection, order: Order, column: &str, filter: &str) -> Vec<i64> {
        let list = List { select: "SELECT id, name FROM t", filter, column, bound: "?1", order };
        let read = |of: &PageOf| {
            let row = |row: &Row<'_>| Ok((row.get::<_, i64>("id")?, row.get::<_, String>("name")?));
            let key = |row: &(i64, String)| if column == "id" { row.0.to_string() } else { row.1.clone() };
            page(conn, &list, of, &[], row, key).unwrap()
        };
        let (mut pages, mut of) = (Vec::new(), PageOf::first(3));
        loop {
            let found = read(&of);
            let next = found.next.clone();
            pages.push(found);
            let Some(next) = next else { break };
            of = PageOf { after: Some(next), ..of };
        }
        assert_eq!(pages[0].previous, None);
        for place in (1..pages.len()).rev() {
            let back = read(&PageOf { after: None, before: pages[place].previous.clone(), limit: 3 });
            assert_eq!((&back.rows, &back.previous), (&pages[place - 1].rows, &pages[place - 1].previous));
            assert!(back.next.is_some());
        }
        pages.into_iter().flat_map(|page| page.rows).map(|(id, _)| id).collect()
    }

    #[test]
    fn pages_join_to_the_whole_list_in_both_directions() {
        let conn = table();
        assert_eq!(walk(&conn, Order::Newest, "id", ""), (1..=20).rev().collect::<Vec<_>>());
        assert_eq!(walk(&conn, Order::Oldest, "id", ""), (1..=20).collect::<Vec<_>>());
        assert_eq!(walk(&conn, Order::Text, "name", ""), (1..=20).collect::<Vec<_>>());
        assert_eq!(walk(&conn, Order::Newest, "id", "AND kind = 1"), (1..=19).rev().step_by(2).collect::<Vec<_>>());
    }

    #[test]
    fn a_key_of_another_list_is_refused() {
        let list = List { select: "SELECT id FROM t", filter: "", column: "id", bound: "?1", order: Order::Newest };
        let of = PageOf { after: Some("x".into()), ..PageOf::default() };
        assert!(page(&table(), &list, &of, &[], |row| row.get::<_, i64>(0), i64::to_string).is_err());
    }
}
