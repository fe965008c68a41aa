//! The thresholds that triggers and views compare with. They are constants of the program; the table `policy` has them for
//! SQL.

use model::inbox::{CHECKS_ANSWERED, FAST_S, ONE_IN, PACE_TIMED};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use plan::rows::FIRST_EXTRA;

/// The row of the table `policy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    pub first_extra_slot: u32,
    pub fast_ms: u32,
    pub pace_timed: u32,
    pub checks_answered: u32,
    pub one_in: u32,
}

/// The policy of this program.
pub const POLICY: Policy = Policy {
    first_extra_slot: FIRST_EXTRA,
    fast_ms: FAST_S * 1000,
    pace_timed: PACE_TIMED,
    checks_answered: CHECKS_ANSWERED,
    one_in: ONE_IN,
};

/// Stores the policy, unless it is stored. A program that only opens the database then waits for no writer.
pub(super) fn store(conn: &mut Connection, policy: &Policy) -> rusqlite::Result<()> {
    if stored(conn)?.as_ref() == Some(policy) {
        return Ok(());
    }
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let Policy { first_extra_slot, fast_ms, pace_timed, checks_answered, one_in } = policy;
    tx.execute(
        "INSERT INTO policy (id, first_extra_slot, fast_ms, pace_timed, checks_answered, one_in)
         VALUES (1, ?1, ?2, ?3, ?4, ?5)
         ON CONFLICT DO UPDATE SET first_extra_slot = excluded.first_extra_slot, fast_ms = excluded.fast_ms,
             pace_timed = excluded.pace_timed, checks_answered = excluded.checks_answered, one_in = excluded.one_in",
        params![first_extra_slot, fast_ms, pace_timed, checks_answered, one_in],
    )?;
    tx.commit()
}

fn stored(conn: &Connection) -> rusqlite::Result<Option<Policy>> {
    conn.query_row("SELECT first_extra_slot, fast_ms, pace_timed, checks_answered, one_in FROM policy", [], |row| {
        Ok(Policy {
            first_extra_slot: row.get("first_extra_slot")?,
            fast_ms: row.get("fast_ms")?,
            pace_timed: row.get("pace_timed")?,
            checks_answered: row.get("checks_answered")?,
            one_in: row.get("one_in")?,
        })
    })
    .optional()
}

#[cfg(test)]
mod tests {
    use super::{super::migrations::tests::populated, *};

    /// Kinds of what waits about raters in the first study.
    fn waiting(conn: &Connection) -> Vec<String> {
        let sql = "SELECT i.kind FROM inbox i JOIN inbox_due d USING (kind, study_id, subject)
            WHERE i.study_id = 1 AND i.kind IN ('pace', 'checks') AND i.done_at IS NULL ORDER BY 1";
        conn.prepare(sql).unwrap().query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    #[test]
    fn thresholds_of_the_program_decide_what_waits() {
        let folder = tempfile::tempdir().unwrap();
        let mut conn = populated(folder.path());
        assert_eq!(stored(&conn).unwrap(), Some(POLICY));
        // One fast rating and one missed item: too few to tell.
        conn.execute("UPDATE rater_watch SET timed = 1, fast = 1, checks = 1, missed = 1 WHERE study_id = 1", [])
            .unwrap();
        assert_eq!(waiting(&conn), [""; 0]);
        store(&mut conn, &Policy { pace_timed: 1, ..POLICY }).unwrap();
        assert_eq!(waiting(&conn), ["pace"]);
        store(&mut conn, &Policy { checks_answered: 1, ..POLICY }).unwrap();
        assert_eq!(waiting(&conn), ["checks"]);
        let watch = |timed: u32, fast: u32| {
            conn.execute("UPDATE rater_watch SET timed = ?1, fast = ?2 WHERE study_id = 1", [timed, fast]).unwrap();
            waiting(&conn).contains(&"pace".to_owned())
        };
        assert!(!watch(PACE_TIMED - 1, PACE_TIMED - 1));
        assert!(watch(PACE_TIMED, PACE_TIMED.div_ceil(ONE_IN)));
        assert!(!watch(PACE_TIMED, PACE_TIMED.div_ceil(ONE_IN) - 1));
    }

    #[test]
    fn ratings_are_fast_below_the_time_of_the_program() {
        let folder = tempfile::tempdir().unwrap();
        let conn = populated(folder.path());
        let rate = |key: &str, ms: u32| {
            conn.execute("UPDATE ratings SET replaced_at = 1 WHERE assignment_id = 5 AND replaced_at IS NULL", [])
                .unwrap();
            conn.execute(
                "INSERT INTO ratings (assignment_id, user_id, key, comment, at, active_ms) VALUES (5, 2, ?1, '', 2000, ?2)",
                params![key, ms],
            )
            .unwrap();
            let counts = "SELECT timed, fast FROM rater_watch WHERE study_id = 2 AND user_id = 2";
            conn.query_row(counts, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap()
        };
        assert_eq!(rate("slow", POLICY.fast_ms), (1, 0));
        assert_eq!(rate("fast", POLICY.fast_ms - 1), (2, 1));
    }

    #[test]
    fn the_schema_knows_slots_of_extra_ratings_from_the_program() {
        let folder = tempfile::tempdir().unwrap();
        let mut conn = populated(folder.path());
        let plan = |conn: &Connection, slot: u32| {
            let sql = "INSERT INTO assignments (study_id, output_id, slot) VALUES (2, 2, ?1)";
            conn.execute(sql, [slot]).is_ok()
        };
        // The study wants one rating of an output.
        assert!(plan(&conn, 0) && !plan(&conn, 1) && !plan(&conn, FIRST_EXTRA - 1) && plan(&conn, FIRST_EXTRA));
        store(&mut conn, &Policy { first_extra_slot: 5, ..POLICY }).unwrap();
        assert!(!plan(&conn, 4) && plan(&conn, 5));
    }

    /// Text constants and comments may have digits.
    fn without_texts(sql: &str) -> String {
        let lines = sql.lines().map(|line| line.split("--").next().unwrap_or_default());
        let sql = lines.collect::<Vec<_>>().join(" ");
        sql.split('\'').step_by(2).collect::<Vec<_>>().join("''")
    }

    /// Words, numbers and operators of comparison.
    fn tokens(sql: &str) -> Vec<String> {
        let (mut found, mut before) = (Vec::<String>::new(), None);
        for c in sql.chars() {
            let is_operator = "<>=".contains(c);
            let kind = (is_operator || c.is_alphanumeric() || "_.".contains(c)).then_some(is_operator);
            match found.last_mut() {
                Some(last) if kind.is_some() && kind == before => last.push(c),
                _ if kind.is_some() => found.push(c.to_string()),
                _ => {}
            }
            before = kind;
        }
        found
    }

    /// The first number above 1 that the SQL compares with.
    fn compared(sql: &str) -> Option<u64> {
        let tokens = tokens(sql);
        let is_comparison = |word: &str| ["<", ">", "<=", ">=", "=", "<>"].contains(&word);
        let mut numbers = tokens.windows(2).filter_map(|pair| match pair {
            [a, b] if is_comparison(a) => b.parse::<u64>().ok(),
            [a, b] if is_comparison(b) => a.parse::<u64>().ok(),
            _ => None,
        });
        numbers.find(|number| *number > 1)
    }

    #[test]
    fn triggers_and_views_compare_with_no_number_of_their_own() {
        assert_eq!(compared("WHERE a >= 20 AND b = 1"), Some(20));
        assert_eq!(compared("WHERE e <> 0 AND (4<c.d) AND f << 40"), Some(4));
        assert_eq!(compared("WHERE e <> 0 AND g = 1"), None);
        let folder = tempfile::tempdir().unwrap();
        let conn = populated(folder.path());
        let mut statement =
            conn.prepare("SELECT name, sql FROM sqlite_schema WHERE type IN ('trigger', 'view')").unwrap();
        let all = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))).unwrap();
        let all: Vec<_> = all.map(Result::unwrap).collect();
        assert!(all.len() > 80, "{}", all.len());
        for (name, sql) in all {
            // Rows of the search's index have the number of their kind, which is no threshold.
            let number = compared(&without_texts(&sql)).filter(|_| !sql.contains("FROM names"));
            assert_eq!(number, None, "{name}");
        }
    }
}
