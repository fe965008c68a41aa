//! Reading the audit log.

use async_trait::async_trait;
use model::{
    audit::{AUDIT_PAGE, Action, AuditFilter, AuditPage, Entry},
    caller::Admin,
    error::{Answer, AppError},
    time::Timestamp,
};
use port::audit::AuditLog;
use time::{Date, Duration, macros::format_description};

use super::spool::{Download, Spool};
use db::{
    Db, accounts,
    audit::{self, Filter},
};

/// Entries that an export reads at a time.
const BATCH: usize = 1000;

pub struct AuditService {
    db: Db,
    spool: Spool,
}

impl AuditService {
    /// A service over `db` that writes exports to `spool`.
    pub fn new(db: Db, spool: Spool) -> Self {
        AuditService { db, spool }
    }

    /// At most `most` entries that match the filter, newest first, older than the entry `before` if it is
    /// given (admin).
    ///
    /// # Errors
    /// The filter names an unknown action.
    pub async fn list(&self, _: &Admin, filter: Filter, before: Option<i64>, most: usize) -> Answer<Vec<Entry>> {
        known(&filter)?;
        Ok(self.db.read(move |conn| audit::list(conn, &filter, before, most)).await?)
    }

    /// All entries that pass the filter as CSV, newest first; only those before the entry `before`, where it is
    /// given (admin).
    ///
    /// # Errors
    /// As [`AuditService::list`]; too many downloads are open.
    pub async fn csv(&self, _: &Admin, filter: Filter, before: Option<i64>) -> Answer<Download> {
        known(&filter)?;
        let db = self.db.clone();
        let write = self.spool.write(move |out| {
            let mut table = report::csv::Audit::new(out)?;
            let (mut before, mut lines) = (before, 0);
            loop {
                let entries = db.read_blocking(|conn| audit::list(conn, &filter, before, BATCH))?;
                for entry in &entries {
                    table.entry(entry)?;
                }
                lines += entries.len() as u64;
                match entries.last() {
                    Some(last) if entries.len() == BATCH => before = Some(last.id),
                    _ => break,
                }
            }
            table.finish()?;
            Ok(lines)
        });
        Ok(write.await?)
    }
}

#[async_trait]
impl AuditLog for AuditService {
    async fn page(&self, admin: &Admin, asked: AuditFilter) -> Answer<AuditPage> {
        let (filter, before) = read(asked)?;
        // One more tells whether there are older ones.
        let mut entries = self.list(admin, filter, before, AUDIT_PAGE + 1).await?;
        let older = entries.len() > AUDIT_PAGE;
        entries.truncate(AUDIT_PAGE);
        let people = self.db.read(accounts::names).await?;
        Ok(AuditPage { people, entries, older })
    }
}

/// The filter of an address, and the entry before which its page begins.
///
/// # Errors
/// A day or a number is not one.
pub fn read(asked: AuditFilter) -> Answer<(Filter, Option<i64>)> {
    let AuditFilter { person, action, object, from, to, before } = asked;
    let given = |text: String| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    let before = match given(before) {
        Some(text) => Some(text.parse().map_err(|_| {
            AppError::invalid(
                "before",
                (format!("`{text}` is not the number of an entry"), format!("“{text}”不是条目编号")),
                ("Go to the newest entries", "请返回最新的条目"),
            )
        })?),
        None => None,
    };
    let day = |field: &str, text: String, later: i64| match given(text) {
        Some(text) => {
            let day = Date::parse(&text, format_description!("[year]-[month]-[day]"))
                .ok()
                .and_then(|date| date.checked_add(Duration::days(later)))
                .ok_or_else(|| {
                    AppError::invalid(
                        field,
                        (format!("`{text}` is not a date"), format!("“{text}”不是日期")),
                        ("Write it as 2026-11-22", "格式为 2026-11-22"),
                    )
                })?;
            Ok::<_, AppError>(Some(Timestamp(day.midnight().assume_utc().unix_timestamp() * 1000)))
        }
        None => Ok(None),
    };
    // The last day belongs to it.
    let (since, until) = (day("from", from, 0)?, day("to", to, 1)?);
    Ok((Filter { person: given(person), action: given(action), object: given(object), since, until }, before))
}

fn known(filter: &Filter) -> Answer<()> {
    match &filter.action {
        Some(action) if Action::named(action).is_none() => {
            let names = Action::ALL.iter().map(|known| known.name()).collect::<Vec<_>>().join(", ");
            Err(AppError::invalid(
                "action",
                (format!("no action is named \"{action}\""), format!("没有名为“{action}”的操作")),
                (format!("Use one of {names}"), format!("可用的操作：{names}")),
            ))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_whole_days() {
        let asked = |from: &str, to: &str| AuditFilter { from: from.into(), to: to.into(), ..AuditFilter::default() };
        let (filter, before) = read(asked("1970-01-02", " 1970-01-02 ")).unwrap();
        assert_eq!((filter.since, filter.until), (Some(Timestamp(86_400_000)), Some(Timestamp(2 * 86_400_000))));
        assert_eq!((filter.person, before), (None, None));
        assert!(read(asked("yesterday", "")).is_err());
        assert!(read(asked("", "9999-12-31")).is_err(), "the day after it cannot be written");
        assert!(read(AuditFilter { before: "x".into(), ..AuditFilter::default() }).is_err());
    }
}
