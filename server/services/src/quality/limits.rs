//! A study's limits on how its raters rate: a minimum time, and missed hidden checks.
//!
//! **What follows must not tell a hidden check from work.** So limits are checked only when a window of items ends,
//! and a window ends after a number of rated items, whatever they are. Each window is checked once: a rater who undoes
//! and rates again learns nothing. What the rater reads names neither the limit nor an item.

use model::{
    audit::{Action, Object},
    audit_details::Fact,
    ids::{StudyId, UserId},
    quality::{BREAK_MOST, LimitAction, MISSED_LEAST, QualitySettings, SECONDS_MOST, WINDOW_LEAST, WINDOW_MOST},
};
use rusqlite::{Connection, Transaction};

use base::error::Failure;
use db::{
    audit::Change,
    quality::{
        self, checks,
        limits::{self, Exceeded, RatedItem},
    },
};

/// Called in the transaction that stores a rating of work or of a hidden check.
pub fn after_rating(conn: &Connection, study: StudyId, rater: UserId) -> Result<(), Failure> {
    let settings = quality::settings(conn, study)?;
    if !settings.has_limits() {
        return Ok(());
    }
    let rated = limits::rated(conn, study, rater)?;
    match limits::judged(conn, study, rater)? {
        None => limits::begin(conn, study, rater, rated.saturating_sub(1)),
        Some(judged) if rated >= judged + u64::from(settings.limit_window) => {
            limits::begin(conn, study, rater, rated)?;
            let window = limits::window(conn, study, rater, settings.limit_window)?;
            let of = exceeded(&settings, &window);
            if of.fast == 0 && of.missed == 0 {
                return Ok(());
            }
            let (warn, pause) =
                (settings.limit_action == LimitAction::Warn, settings.limit_action == LimitAction::Pause);
            limits::exceed(conn, study, rater, of, warn, pause)
        }
        Some(_) => Ok(()),
    }
}

/// How far the window exceeds the limits; no item is counted for a limit that was kept.
fn exceeded(settings: &QualitySettings, window: &[RatedItem]) -> Exceeded {
    let least = u64::from(settings.min_seconds) * 1000;
    let fast = window.iter().filter(|item| item.active_ms.is_some_and(|ms| ms < least)).count() as u64;
    let (mut checks, mut missed) = (0, 0);
    for (draft, known) in window.iter().filter_map(|item| item.known.as_ref()) {
        checks += 1;
        missed += u64::from(!settings.right(&checks::scores(draft), known));
    }
    let over = |count: u64, limit: u32, on: bool| if on && count >= u64::from(limit) { count } else { 0 };
    Exceeded {
        fast: over(fast, settings.fast_limit, settings.min_seconds > 0),
        missed: over(missed, settings.missed_limit, settings.missed_limit > 0),
        checks,
        items: window.len() as u64,
    }
}

/// The problem with the minutes before a break is suggested, if any.
pub fn check_break(minutes: u32) -> Result<(), Failure> {
    if minutes <= BREAK_MOST {
        return Ok(());
    }
    Err(Failure::invalid(
        "break_minutes",
        (
            format!("{minutes} minutes before a break are more than a day's work"),
            format!("{minutes} 分钟后才提示休息，超过了一天的工作时间"),
        ),
        (
            format!("Enter 1 to {BREAK_MOST} minutes, or 0 for no note"),
            format!("请输入 1 到 {BREAK_MOST} 分钟，或输入 0 表示不提示"),
        ),
    ))
}

/// The problem with the limits, if any.
pub fn check(settings: &QualitySettings) -> Result<(), Failure> {
    check_break(settings.break_minutes)?;
    if !settings.has_limits() {
        return Ok(());
    }
    let window = settings.limit_window;
    if !(WINDOW_LEAST..=WINDOW_MOST).contains(&window) {
        return Err(Failure::invalid(
            "limit_window",
            (
                format!(
                    "a window has {WINDOW_LEAST} to {WINDOW_MOST} outputs, so that raters cannot tell which output was a check"
                ),
                format!("每段须为 {WINDOW_LEAST} 到 {WINDOW_MOST} 个输出，以免评分者看出哪个输出是检验题"),
            ),
            ("Enter another number; 20 is a good start", "请输入其他数字，可以从 20 开始"),
        ));
    }
    if settings.min_seconds > SECONDS_MOST {
        return Err(Failure::invalid(
            "min_seconds",
            ("the minimum time is at most an hour", "最短用时不能超过一小时"),
            (format!("Enter 0 to {SECONDS_MOST}"), format!("请输入 0 到 {SECONDS_MOST}")),
        ));
    }
    if settings.min_seconds > 0 && !(1..=window).contains(&settings.fast_limit) {
        return Err(Failure::invalid(
            "fast_limit",
            (
                format!("{} of {window} outputs cannot be too fast", settings.fast_limit),
                format!("{window} 个输出中不可能有 {} 个过快", settings.fast_limit),
            ),
            (format!("Enter 1 to {window}"), format!("请输入 1 到 {window}")),
        ));
    }
    if settings.missed_limit > 0 && !(MISSED_LEAST..=window).contains(&settings.missed_limit) {
        return Err(Failure::invalid(
            "missed_limit",
            (
                format!(
                    "a limit reacts to at least {MISSED_LEAST} missed checks, so that raters cannot tell which output was one"
                ),
                format!("至少要错 {MISSED_LEAST} 道检验题，以免评分者看出哪个输出是检验题"),
            ),
            (format!("Enter {MISSED_LEAST} to {window}, or 0"), format!("请输入 {MISSED_LEAST} 到 {window}，或 0")),
        ));
    }
    if settings.missed_limit > 0 && settings.known_item_every == 0 {
        return Err(Failure::invalid(
            "missed_limit",
            (
                "no known-score items come as hidden checks, so none can be missed",
                "没有作为隐藏检验题的标准题，不会有错题",
            ),
            (
                "Insert a known-score item about every N outputs, or enter 0",
                "请先设置约每 N 个输出插入一道标准题，或输入 0",
            ),
        ));
    }
    Ok(())
}

/// Whether raters begin new windows, because the limits are different.
pub fn differ(old: &QualitySettings, new: &QualitySettings) -> bool {
    let of = |s: &QualitySettings| (s.min_seconds, s.fast_limit, s.missed_limit, s.limit_window);
    of(old) != of(new)
}

/// Pauses a rater, or lets a paused one continue.
pub fn pause(tx: &Transaction<'_>, study: StudyId, rater: UserId, paused: bool) -> Result<Change<()>, Failure> {
    super::setup(tx, study)?;
    if !quality::is_rater(tx, study, rater)? {
        return Err(Failure::not_found("rater"));
    }
    let changed = if paused { limits::pause(tx, study, rater)? } else { limits::resume(tx, study, rater)? };
    let entries = if changed { vec![(Object::Study(study), vec![Fact::Account(rater)])] } else { Vec::new() };
    Ok(Change::each(entries, ()))
}

/// The action in the audit log.
pub fn action(paused: bool) -> Action {
    if paused { Action::StudyPauseRater } else { Action::StudyResumeRater }
}
