//! Reads a list a page at a time, by key: any page costs the same, however long the list.
//!
//! Every list has the same query. Inside, a table is read in the list's order from the key on, by an index, and no
//! further than [`READ`] rows; around it come the other tables, the filters and the search. So a page whose search or
//! filter matches little costs no more than that, and the next page goes on where it ended.

use model::page::{Found, PageOf, Paged};
use rusqlite::{Connection, Row, ToSql, types::Value};

use base::error::Failure;

/// Marks the statements of this module; a test holds their query plans to a search by key without sorting.
pub const MARK: &str = "/* page */";

/// Most rows of the list's table that one statement reads.
pub const READ: u32 = 10_000;

/// The type of a list's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An integer.
    Number,
    /// A text.
    Text,
}

/// An order of a list.
#[derive(Clone, Copy, Debug)]
pub struct Sort<'a> {
    /// Its name in addresses, requests and on the command line.
    pub name: &'a str,
    /// The column of the list's table, with an index after those of `within`. It need not be unique: rows with
    /// the same value are in the order of their numbers.
    pub column: &'a str,
    /// The type of the column's values.
    pub kind: Kind,
}

impl<'a> Sort<'a> {
    /// By a number.
    pub const fn number(name: &'a str, column: &'a str) -> Sort<'a> {
        Sort { name, column, kind: Kind::Number }
    }

    /// By a text.
    pub const fn text(name: &'a str, column: &'a str) -> Sort<'a> {
        Sort { name, column, kind: Kind::Text }
    }
}

/// A filter of a list.
#[derive(Clone, Copy, Debug)]
pub struct Filter<'a> {
    /// Its name in addresses, requests and on the command line.
    pub name: &'a str,
    /// A condition on its value, `#`.
    pub condition: &'a str,
    /// Whether the condition is on a column of the list's table with an index of its own, so that few matching rows
    /// among many are found at once where the list is in the order of its numbers.
    pub indexed: bool,
}

/// A list that is read in pages. Parameters of its own begin at `?3`.
pub struct List<'a> {
    /// The selected columns.
    pub columns: &'a str,
    /// The table that has the order, with its alias.
    pub table: &'a str,
    /// The others, each with `CROSS JOIN`, so that the planner follows the order instead of sorting.
    pub joins: &'a str,
    /// The column with the row's number in the table, unique within `within`.
    pub id: &'a str,
    /// The part of the table that is the list, as equalities that begin the index of every order; empty for all of it.
    pub within: &'a str,
    /// Further conditions on every row; empty for none.
    pub filter: &'a str,
    /// The orders.
    pub sorts: &'a [Sort<'a>],
    /// The usual order: the name of one of them, after `-` where the highest comes first.
    pub usual: &'a str,
    /// The text in which words are searched; empty if the list has no search.
    pub search: &'a str,
    /// The filters that a request can use.
    pub filters: &'a [Filter<'a>],
}

/// A place in a list: the value of the order's column, and the row's number.
#[derive(Clone, Debug)]
struct Place {
    value: Value,
    id: i64,
}

/// One statement's part of the table: the rows from a place on, or those that share its value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// From the beginning.
    Beginning,
    /// After the row with this number among those with the same value.
    Ties,
    /// After the value.
    Rest,
}

/// A list in one order, with its filters.
struct Query<'a> {
    list: &'a List<'a>,
    sort: Sort<'a>,
    descending: bool,
    /// Conditions inside, on the table's own index.
    inside: String,
    /// Conditions around.
    around: String,
    /// Parameters from `?3` on: the list's, then those of the conditions.
    params: Vec<&'a dyn ToSql>,
}

/// Reads a page.
///
/// # Errors
/// `after` or `before` is not a key of this list in this order, or the list has no such order.
pub fn page<T>(
    conn: &Connection,
    list: &List<'_>,
    of: &PageOf,
    params: &[&dyn ToSql],
    mut read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Paged<T>, Failure> {
    let backwards = of.after.is_none() && of.before.is_some();
    let (sort, reversed) = list.sort(&of.which.sort)?;
    let values = Values::of(list, of)?;
    let mut query = Query::of(list, sort, reversed != backwards, &values, params);
    let from = of.after.as_ref().or(of.before.as_ref()).map(|key| query.place(key)).transpose()?;
    let limit = of.limit.clamp(1, PageOf::MOST) as usize;
    let mut rows: Vec<(T, Place)> = Vec::new();
    // The key at which reading stopped, if the list continues.
    let mut end = None;
    for &part in query.parts(from.is_some()) {
        let wanted = limit + 1 - rows.len();
        let found = query.read(conn, part, from.as_ref(), wanted, &mut read)?;
        let full = found.len() == wanted;
        rows.extend(found);
        if full {
            break;
        }
        end = query.end(conn, part, from.as_ref())?;
        if end.is_some() {
            break;
        }
    }
    let more = rows.len() > limit;
    rows.truncate(limit);
    if more {
        end = rows.last().map(|(_, place)| place.clone());
    }
    // On the other side lies the page that the reader came from.
    let came_from =
        from.map(|from| rows.first().map(|(_, place)| place.clone()).or_else(|| end.clone()).unwrap_or(from));
    let (previous, next) = if backwards { (end, came_from) } else { (came_from, end) };
    let (previous, next) = (previous.map(|place| query.key(&place)), next.map(|place| query.key(&place)));
    let mut rows: Vec<T> = rows.into_iter().map(|(row, _)| row).collect();
    if backwards {
        rows.reverse();
    }
    query.descending = reversed;
    let found = if of.counted { Some(query.count(conn)?) } else { None };
    Ok(Paged { rows, previous, next, found })
}

impl<'a> List<'a> {
    /// The order with this name, and whether it is reversed: the highest first.
    fn sort(&self, name: &str) -> Result<(Sort<'a>, bool), Failure> {
        let asked = if name.is_empty() { self.usual } else { name };
        let (column, reversed) = asked.strip_prefix('-').map_or((asked, false), |column| (column, true));
        let found = self.sorts.iter().find(|sort| sort.name == column);
        found.map(|sort| (*sort, reversed)).ok_or_else(|| {
            let names = self.sorts.iter().map(|sort| sort.name).collect::<Vec<_>>().join(", ");
            Failure::invalid(
                "sort",
                (format!("this list cannot be sorted by `{column}`"), format!("此列表不能按“{column}”排序")),
                (
                    format!("Sort by one of: {names}; a minus sign before it reverses the order"),
                    format!("可用的排序列：{names}；在前面加减号则倒序"),
                ),
            )
        })
    }
}

/// The values of a request's conditions.
struct Values<'a> {
    /// Filters with a value.
    filters: Vec<(Filter<'a>, String)>,
    /// The words searched, as a JSON list.
    words: Option<String>,
}

impl<'a> Values<'a> {
    fn of(list: &List<'a>, of: &PageOf) -> Result<Values<'a>, Failure> {
        let value = |filter: &Filter<'a>| Some((*filter, of.which.filter(filter.name)?.to_owned()));
        let search = of.which.search.trim();
        let words = if search.is_empty() || list.search.is_empty() { None } else { Some(words(search)?) };
        Ok(Values { filters: list.filters.iter().filter_map(value).collect(), words })
    }
}

impl<'a> Query<'a> {
    fn of(
        list: &'a List<'a>,
        sort: Sort<'a>,
        descending: bool,
        values: &'a Values<'a>,
        params: &[&'a dyn ToSql],
    ) -> Query<'a> {
        let mut query = Query {
            list,
            sort,
            descending,
            inside: and(list.within),
            around: and(list.filter),
            params: params.to_vec(),
        };
        // One index leads; the other filters look at row by row.
        let mut led = !query.is_unique();
        for (filter, value) in &values.filters {
            query.params.push(value);
            let condition = and(&filter.condition.replace('#', &format!("?{}", query.params.len() + 2)));
            if filter.indexed && !led {
                led = true;
                query.inside.push_str(&condition);
            } else {
                query.around.push_str(&condition);
            }
        }
        if let Some(words) = &values.words {
            query.params.push(words);
            let place = query.params.len() + 2;
            query.around.push_str(&format!(
                " AND NOT EXISTS (SELECT 1 FROM json_each(?{place}) w WHERE instr(lower({}), w.value) = 0)",
                list.search
            ));
        }
        query
    }

    /// Whether the order's column is itself the row's number or another unique key.
    fn is_unique(&self) -> bool {
        self.sort.column == self.list.id
    }

    fn parts(&self, from: bool) -> &'static [Part] {
        match (from, self.is_unique()) {
            (false, _) => &[Part::Beginning],
            (true, true) => &[Part::Rest],
            (true, false) => &[Part::Ties, Part::Rest],
        }
    }

    /// The rows of the table inside, in their order. `?1` is the value or the number after which they begin, `?2` a
    /// number of rows.
    fn inner(&self, part: Part) -> String {
        let List { table, id, .. } = self.list;
        let column = self.sort.column;
        let (compare, direction) = if self.descending { ("<", "DESC") } else { (">", "ASC") };
        let condition = match (part, self.descending, self.sort.kind) {
            (Part::Rest, ..) => format!("{column} {compare} ?1"),
            // The value is in the last parameter.
            (Part::Ties, ..) => format!("{column} = ?{} AND {id} {compare} ?1", self.params.len() + 3),
            // Both are before or after every value, so that the index is searched, not scanned.
            (Part::Beginning, true, Kind::Number) => format!("{column} <= coalesce(?1, 9223372036854775807)"),
            (Part::Beginning, true, Kind::Text) => format!("{column} < coalesce(?1, x'')"),
            (Part::Beginning, false, Kind::Number) => format!("{column} >= coalesce(?1, -9223372036854775808)"),
            (Part::Beginning, false, Kind::Text) => format!("{column} >= coalesce(?1, '')"),
        };
        let order = match part {
            Part::Ties => format!("{id} {direction}"),
            _ if self.is_unique() => format!("{column} {direction}"),
            _ => format!("{column} {direction}, {id} {direction}"),
        };
        let inside = &self.inside;
        format!(
            "SELECT {column} AS page_value, {id} AS page_id FROM {table} WHERE {condition}{inside} ORDER BY {order}"
        )
    }

    /// The whole query without a limit, with what it selects.
    fn whole(&self, columns: &str, part: Part) -> String {
        let List { table, joins, id, within, .. } = self.list;
        let inner = self.inner(part);
        let (within, around) = (and(within), &self.around);
        format!(
            "SELECT {columns} FROM ({inner} LIMIT {READ}) page_key CROSS JOIN {table} ON {id} = page_id{within} {joins} \
             WHERE 1{around}"
        )
    }

    /// Runs a statement of this query from a place on.
    fn run<T>(
        &self,
        conn: &Connection,
        sql: &str,
        (part, from, number): (Part, Option<&Place>, u64),
        mut read: impl FnMut(&Row<'_>) -> Result<T, Failure>,
    ) -> Result<Vec<T>, Failure> {
        let (first, value) = match (part, from) {
            (Part::Ties, Some(from)) => (Value::Integer(from.id), from.value.clone()),
            (_, Some(from)) => (from.value.clone(), Value::Null),
            (_, None) => (Value::Null, Value::Null),
        };
        let mut statement = conn.prepare_cached(sql)?;
        let params =
            [&first as &dyn ToSql, &number].into_iter().chain(self.params.iter().copied()).chain([&value as _]);
        // A statement may lack the last ones: those of the conditions around it.
        for (place, param) in params.enumerate().take(statement.parameter_count()) {
            statement.raw_bind_parameter(place + 1, param)?;
        }
        let mut rows = statement.raw_query();
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(read(row)?);
        }
        Ok(found)
    }

    fn read<T>(
        &self,
        conn: &Connection,
        part: Part,
        from: Option<&Place>,
        limit: usize,
        read: &mut impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<(T, Place)>, Failure> {
        let columns = format!("{}, page_value, page_id", self.list.columns);
        let sql = format!("{} LIMIT ?2 {MARK}", self.whole(&columns, part));
        self.run(conn, &sql, (part, from, limit as u64), |row| Ok((read(row)?, place(row)?)))
    }

    /// The last row that a statement read, if it read as many as it may.
    fn end(&self, conn: &Connection, part: Part, from: Option<&Place>) -> Result<Option<Place>, Failure> {
        let sql = format!("{} LIMIT 1 OFFSET ?2 {MARK}", self.inner(part));
        let last = u64::from(READ) - 1;
        Ok(self.run(conn, &sql, (part, from, last), |row| Ok(place(row)?))?.pop())
    }

    /// The number of rows, as far as one statement reads.
    fn count(&self, conn: &Connection) -> Result<Found, Failure> {
        let sql = format!("SELECT count(*) FROM ({} LIMIT ?2) {MARK}", self.whole("1", Part::Beginning));
        let asked = (Part::Beginning, None, PageOf::COUNTED + 1);
        let rows = self.run(conn, &sql, asked, |row| Ok(row.get::<_, u64>(0)?))?.pop().unwrap_or(0);
        let more = rows > PageOf::COUNTED || self.end(conn, Part::Beginning, None)?.is_some();
        Ok(Found { rows: rows.min(PageOf::COUNTED), more })
    }

    /// The place that a key names.
    fn place(&self, key: &str) -> Result<Place, Failure> {
        let wrong = || {
            Failure::invalid(
                "page",
                (format!("`{key}` is not a key of this list"), format!("“{key}”不是此列表的键")),
                ("Start at the first page", "请从第一页开始"),
            )
        };
        let (id, text) = match self.is_unique() {
            true => (0, key),
            false => {
                let (id, text) = key.split_once('~').ok_or_else(wrong)?;
                (id.parse().map_err(|_| wrong())?, text)
            }
        };
        let value = match self.sort.kind {
            Kind::Text => Value::Text(text.to_owned()),
            Kind::Number => Value::Integer(text.parse().map_err(|_| wrong())?),
        };
        Ok(Place { value, id })
    }

    /// The key of a place.
    fn key(&self, place: &Place) -> String {
        let text = match &place.value {
            Value::Text(text) => text.clone(),
            Value::Integer(number) => number.to_string(),
            _ => String::new(),
        };
        if self.is_unique() { text } else { format!("{}~{text}", place.id) }
    }
}

fn and(condition: &str) -> String {
    if condition.is_empty() { String::new() } else { format!(" AND {condition}") }
}

fn place(row: &Row<'_>) -> rusqlite::Result<Place> {
    // A unique key may be a text.
    let id = match row.get("page_id")? {
        Value::Integer(id) => id,
        _ => 0,
    };
    Ok(Place { value: row.get("page_value")?, id })
}

/// The text of a task (`t`, `r`) in which words are searched.
pub const TASK_TEXT: &str = "t.external_id || ' ' || r.raw_nl";

/// The words of a search as a JSON list.
fn words(text: &str) -> Result<String, Failure> {
    Ok(serde_json::to_string(&text.to_lowercase().split_whitespace().collect::<Vec<_>>())?)
}

#[cfg(test)]
#[path = "page_test.rs"]
mod tests;
