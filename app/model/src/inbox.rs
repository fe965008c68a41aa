//! The admins' inbox, over all studies, test runs and webhooks. Nothing here names a model: admins decide about
//! ratings from this list.

use serde::{Deserialize, Serialize};

use super::{
    fault::{RequestFault, RoutineFault},
    feedback::RatedOutput,
    flag::Flag,
    ids::{RunId, StudyId, Token, UserId, WebhookId},
    lang::Lang,
    names::names,
    page::Paged,
    quality::FlagOn,
    reason::Fault,
    study::StudyStatus,
    time::Timestamp,
};

/// In a study without a minimum time of its own, a rating of less time than this, in seconds, is fast.
pub const FAST_S: u32 = 5;
/// Fewest timed ratings after which a rater can be too fast.
pub const PACE_TIMED: u32 = 20;
/// In a study without a limit of its own: fewest hidden known-score items after which a rater can miss too many.
pub const CHECKS_ANSWERED: u32 = 4;
/// A rater is too fast if at least one in so many timed ratings is fast, and misses too many known-score items if at least
/// one in so many is missed.
pub const ONE_IN: u32 = 2;
/// Most items of one request.
pub const ITEMS_MOST: usize = 500;
/// How long an act from the page can be undone, in seconds.
pub const UNDO_S: u32 = 10;

names! {
    /// The kinds of items.
    #[derive(PartialOrd, Ord)]
    pub enum InboxKind as code {
        /// A flag without a reply.
        Flag = "flag",
        /// A disagreement that waits for an adjudicator.
        Disagreement = "disagreement",
        /// A rater who failed the calibration.
        Calibration = "calibration",
        /// A rater who is too fast.
        Pace = "pace",
        /// A rater who misses hidden known-score items.
        Checks = "checks",
        /// A study with planned ratings that nobody will give.
        Plan = "plan",
        /// A run that the engine stopped.
        Run = "run",
        /// A run with engine errors.
        Engine = "engine",
        /// A webhook delivery that failed.
        Delivery = "delivery",
        /// Daily backups that fail.
        Backup = "backup",
        /// A database that SQLite finds damaged, or that cannot be checked.
        Integrity = "integrity",
    }
}

impl InboxKind {
    /// The acts that the list offers for an item of this kind; the first is the usual one.
    pub fn acts(self) -> &'static [InboxAct] {
        match self {
            InboxKind::Flag => &[InboxAct::Resolve],
            InboxKind::Disagreement => &[InboxAct::AddRater],
            InboxKind::Calibration => &[InboxAct::Restart, InboxAct::Admit],
            InboxKind::Pace | InboxKind::Checks => &[InboxAct::Dismiss, InboxAct::Resume],
            InboxKind::Plan | InboxKind::Backup | InboxKind::Integrity => &[],
            InboxKind::Run | InboxKind::Engine | InboxKind::Delivery => &[InboxAct::Retry, InboxAct::Dismiss],
        }
    }
}

names! {
    /// An act on items.
    pub enum InboxAct as code {
        /// Resolves flags without a reply.
        Resolve = "resolve",
        /// Has one more rater rate outputs with a disagreement.
        AddRater = "add_rater",
        /// Restarts a rater's calibration.
        Restart = "restart",
        /// Lets a rater rate regardless of the calibration.
        Admit = "admit",
        /// Lets a paused rater continue.
        Resume = "resume",
        /// Runs or sends again.
        Retry = "retry",
        /// Takes the item out of the inbox until it happens again.
        Dismiss = "dismiss",
    }
}

/// A filter for items. Absent fields do not restrict them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct InboxFilter {
    /// Of this kind.
    pub kind: Option<InboxKind>,
    /// Of this study.
    pub study: Option<StudyId>,
}

impl InboxFilter {
    /// The address of the inbox with this filter.
    pub fn address(self) -> String {
        let kind = self.kind.map(|kind| format!("kind={kind}"));
        let study = self.study.map(|study| format!("study={study}"));
        let query: Vec<_> = [kind, study].into_iter().flatten().collect();
        if query.is_empty() { "/admin/inbox".into() } else { format!("/admin/inbox?{}", query.join("&")) }
    }
}

/// Something that waits for an admin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct InboxRow {
    /// Its number. What waits again later keeps it.
    pub id: i64,
    pub kind: InboxKind,
    /// Its study, if it belongs to one.
    pub study: Option<StudyId>,
    /// The study's title.
    pub title: Option<String>,
    /// Since when it has been waiting.
    pub since: Timestamp,
    /// The subject.
    pub item: InboxItem,
}

/// The subject of an item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum InboxItem {
    /// A flag.
    Flag {
        /// The flagged object.
        on: FlagOn,
        /// The task's `task_id`.
        task_id: String,
        /// Start of the description.
        raw_nl: String,
        nl_lang: Lang,
        /// The name of the rater.
        rater: String,
        flag: Flag,
        /// The rater's comment on the output.
        comment: String,
    },
    /// A disagreement.
    Disagreement {
        /// The task's `task_id`.
        task_id: String,
        /// Start of the description.
        raw_nl: String,
        nl_lang: Lang,
        /// The widest spread.
        spread: u8,
        /// The name under which the asking admin adjudicates it; absent if they rated it.
        token: Option<Token>,
    },
    /// A rater: how many of how many ratings were too fast, or hidden checks missed.
    Rater {
        rater: UserId,
        /// Their name.
        name: String,
        count: u64,
        of: u64,
        /// The minimum time that the ratings did not keep, in seconds.
        seconds: u32,
        /// Whether the rater is paused.
        paused: bool,
    },
    /// A study's plan.
    Plan {
        status: StudyStatus,
        /// Planned ratings without a rater.
        unassigned: u64,
        /// Names of deactivated raters with remaining work.
        inactive: Vec<String>,
    },
    /// A run.
    Run {
        run: RunId,
        dataset: String,
        /// Why the engine stopped it.
        fault: Option<Fault>,
        /// Outputs with engine errors.
        errors: u64,
    },
    /// A webhook delivery.
    Delivery {
        webhook: WebhookId,
        /// Its address.
        url: String,
        /// HTTP status of the last response.
        status: Option<u16>,
        /// Why the last attempt failed.
        error: Option<RequestFault>,
        attempts: u32,
    },
    /// What the server does for itself every day.
    Routine {
        /// Attempts that failed since the last one that succeeded.
        failures: u32,
        /// Why the last one failed.
        why: RoutineFault,
        /// When it last succeeded.
        succeeded_at: Option<Timestamp>,
    },
}

/// The inbox page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct InboxPage {
    /// How many items wait in all.
    pub waiting: u64,
    /// How many wait of each kind, of the filter's study; kinds without any are left out.
    pub kinds: Vec<(InboxKind, u64)>,
    /// Studies with items, with their titles and how many wait.
    pub studies: Vec<(StudyId, String, u64)>,
    /// A page of the items: what belongs to no study first, then study by study, the newest first, and within a study
    /// what keeps raters from working first, and of disagreements the widest.
    pub page: Paged<InboxRow>,
}

/// How many items wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct InboxCount {
    pub kind: InboxKind,
    pub waiting: u64,
}

/// Request to do something with items.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct InboxRequest {
    /// The act.
    pub act: InboxAct,
    /// The items' numbers, 1 to [`ITEMS_MOST`].
    pub items: Vec<i64>,
}

/// The result of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct InboxDone {
    /// Number of items that were dealt with.
    pub done: u64,
    /// Items that did not wait any more: another admin was faster, or their cause has gone.
    pub gone: u64,
    /// Items for which this cannot be done.
    pub refused: u64,
    /// The number by which what is not carried out yet can be undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<i64>,
}

/// An item with what an admin decides by. Like the list, it names no model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InboxPreview {
    pub row: InboxRow,
    /// The output, with the rating that has the flag, or with the ratings that disagree; absent for other kinds, and for a
    /// disagreement about an output that the admin rates.
    pub output: Option<RatedOutput>,
    /// What a rater rated last, newest first; empty for other kinds.
    pub latest: Vec<LatestRating>,
}

/// A rating of a rater who needs an admin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatestRating {
    /// The task's `task_id`.
    pub task_id: String,
    /// When it was submitted.
    pub at: Timestamp,
    /// The active time, in milliseconds, where it was measured.
    pub active_ms: Option<u64>,
    /// One score per dimension.
    pub scores: Vec<u8>,
    /// The known scores, of a calibration item or hidden check.
    pub known: Option<Vec<u8>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_as_they_are_written() {
        for kind in InboxKind::ALL {
            assert_eq!(kind.code().parse(), Ok(kind));
            assert_eq!(serde_json::to_value(kind).ok(), Some(kind.code().into()));
            assert!(kind.acts().iter().all(|act| InboxAct::ALL.contains(act)));
        }
        for act in InboxAct::ALL {
            assert_eq!(act.code().parse(), Ok(act));
            assert_eq!(serde_json::to_value(act).ok(), Some(act.code().into()));
        }
        assert_eq!("add-rater".parse(), Ok(InboxAct::AddRater));
        assert!("flags".parse::<InboxKind>().is_err());
    }

    #[test]
    fn the_filter_is_in_the_address() {
        let check = |kind, study, address| assert_eq!(InboxFilter { kind, study }.address(), address);
        check(None, None, "/admin/inbox");
        check(Some(InboxKind::Flag), None, "/admin/inbox?kind=flag");
        check(Some(InboxKind::Run), Some(StudyId(3)), "/admin/inbox?kind=run&study=3");
    }
}
