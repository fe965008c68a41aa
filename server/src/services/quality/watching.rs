//! A study as it goes on: live figures, ratings, flags, disagreements.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use app::{
    model::{
        comparison::Agreement,
        ids::{OutputId, StudyId, UserId},
        quality::{
            DisputeList, DisputeRow, DisputeState, FlagOn, FlagRow, Live, LiveRater, Projection, QualitySettings,
            RaterFigures, RatingFilter, RatingList,
        },
        rubric::Rubric,
    },
    port::{Answer, Caller, quality::Watching},
};
use async_trait::async_trait;
use rusqlite::Connection;

use super::QualityService;
use crate::{
    clock,
    db::{
        audit,
        quality::{self, checks, disputes as stored, flags, openings, watch},
        studies,
    },
    error::Failure,
    stats::{
        agreement::agreement,
        raters::{self, Held, Own},
    },
};

/// The longest reply to a flag, in characters.
const REPLY_MAX: usize = 4000;

#[async_trait]
impl Watching for QualityService {
    async fn live(&self, caller: &Caller, study: StudyId) -> Answer<Live> {
        caller.admin()?;
        let kept = self.figured.clone();
        Ok(self.db.read(move |conn| live(conn, study, &kept)).await?)
    }

    async fn ratings(&self, caller: &Caller, study: StudyId, filter: RatingFilter) -> Answer<RatingList> {
        caller.admin()?;
        let kept = self.figured.clone();
        Ok(self
            .db
            .read(move |conn| {
                let rubric = super::setup(conn, study)?.rubric;
                let settings = quality::settings(conn, study)?;
                let disputed: Vec<OutputId> = figured(conn, study, &kept, Asking::Page)?
                    .rated
                    .iter()
                    .filter(|one| one.disputed(&settings, &rubric))
                    .map(|one| one.output)
                    .collect();
                let (found, rows) = watch::ratings(conn, study, &filter, &disputed)?;
                Ok(RatingList {
                    title: super::title(conn, study)?,
                    rubric,
                    raters: studies::raters(conn, study)?.into_iter().map(|r| (r.id, r.name)).collect(),
                    models: watch::models(conn, study)?.into_iter().map(|m| (m.id, m.name)).collect(),
                    found,
                    rows,
                })
            })
            .await?)
    }

    async fn flags(&self, caller: &Caller, study: StudyId) -> Answer<(String, Vec<FlagRow>)> {
        caller.admin()?;
        Ok(self.db.read(move |conn| Ok((super::title(conn, study)?, flags::list(conn, study)?))).await?)
    }

    async fn answer_flag(&self, caller: &Caller, study: StudyId, on: FlagOn, reply: &str) -> Answer<()> {
        caller.admin()?;
        let reply = reply.trim().replace("\r\n", "\n");
        if reply.chars().count() > REPLY_MAX {
            return Err(app::error::AppError::invalid(
                "reply",
                ("the reply is longer than 4,000 characters", "答复超过 4,000 字"),
                ("Shorten it", "请缩短"),
            ));
        }
        let by = caller.id();
        self.change(caller, audit::Action::FlagAnswer, format!("study {study}"), move |tx| {
            let Some((user, flag)) = flags::standing(tx, study, on)? else {
                return Err(Failure::conflict(("The rater has withdrawn this flag.", "评分者已撤回该标记。")));
            };
            flags::insert(tx, study, on, (user, &flag), &reply, by)
        })
        .await
    }

    async fn disputes(&self, caller: &Caller, study: StudyId, page: u32) -> Answer<DisputeList> {
        caller.admin()?;
        let asking = caller.id();
        let (list, open) = self
            .db
            .read(move |conn| {
                let (found, rows, open) = super::disputes::rows(conn, study, asking, page)?;
                let list = DisputeList {
                    title: super::title(conn, study)?,
                    rubric: super::setup(conn, study)?.rubric,
                    settings: quality::settings(conn, study)?,
                    found,
                    rows,
                };
                Ok((list, open))
            })
            .await?;
        let (Some(user), false) = (asking, open.is_empty()) else { return Ok(list) };
        // The names under which the admin may decide these are made at the first look.
        let named = self
            .db
            .write(move |tx| {
                let name = |output| Ok((output, stored::handout(tx, study, output, user)?));
                open.into_iter().map(name).collect::<Result<BTreeMap<_, _>, Failure>>()
            })
            .await?;
        let token = |row: DisputeRow| DisputeRow { token: named.get(&row.output).cloned(), ..row };
        Ok(DisputeList { rows: list.rows.into_iter().map(token).collect(), ..list })
    }

    async fn ask_extra(&self, caller: &Caller, study: StudyId, output: OutputId) -> Answer<()> {
        caller.admin()?;
        let caller = caller.clone();
        Ok(self
            .db
            .write(move |tx| {
                super::disputes::ask_extra(tx, study, output, caller.id())?;
                audit::note(tx, &caller, audit::Action::OutputAddRating, &format!("study {study}: output {output}"))
            })
            .await?)
    }
}

/// The figures of a study that every rating goes into, with the revision that they were computed at.
pub(super) struct Figured {
    settings: QualitySettings,
    stamp: [i64; 5],
    at: Instant,
    took: Duration,
    /// Each rater's figures.
    pub(super) raters: BTreeMap<UserId, RaterFigures>,
    /// Every output with a rating.
    pub(super) rated: Vec<stored::Rated>,
    agreement: Vec<Agreement>,
    extra: u64,
    waiting: u64,
    extra_waiting: u64,
    projection: Option<Projection>,
}

/// The newest figures of each study.
#[derive(Default)]
pub(super) struct Kept {
    by_study: Mutex<HashMap<StudyId, Arc<Figured>>>,
    busy: Mutex<HashSet<StudyId>>,
    computed: AtomicU64,
}

impl Kept {
    /// How many times figures were computed.
    pub(super) fn computed(&self) -> u64 {
        self.computed.load(Ordering::Relaxed)
    }
}

/// Who asks for figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asking {
    /// The admin's page: sees what the admin did at once.
    Page,
    /// A rater's list of studies, loaded often and by many: takes older figures while newer ones are computed.
    Studies,
}

/// Marks a study as being computed.
struct Busy<'a>(&'a Kept, StudyId);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        lock(&self.0.busy).remove(&self.1);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Whatever panicked while it held the lock left whole entries.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// While ratings come in, figures are computed again only after this many times as long as it took: a page over a
/// large study takes a small part of one core, and shows figures that are a few seconds old.
const REST: u32 = 8;
/// What takes less is always computed again.
const WORTH: Duration = Duration::from_millis(50);

/// The figures as they are, or as they were a moment ago. Only ratings may be that moment ahead of them; what the
/// admin did (a decision, another threshold) shows at once on the admin's page.
pub(super) fn figured(conn: &Connection, study: StudyId, kept: &Kept, asking: Asking) -> Result<Arc<Figured>, Failure> {
    let settings = quality::settings(conn, study)?;
    let stamp = watch::stamp(conn, study)?;
    if let Some(one) = lock(&kept.by_study).get(&study).filter(|one| one.settings == settings) {
        let of_ratings = one.stamp == stamp || (one.took > WORTH && one.at.elapsed() < one.took * REST);
        let is_busy = || lock(&kept.busy).contains(&study);
        if (one.stamp[2..] == stamp[2..] && of_ratings) || (asking == Asking::Studies && is_busy()) {
            return Ok(one.clone());
        }
    }
    lock(&kept.busy).insert(study);
    let _busy = Busy(kept, study);
    kept.computed.fetch_add(1, Ordering::Relaxed);
    let at = Instant::now();
    let rubric = super::setup(conn, study)?.rubric;
    let all = all_figures(conn, study, &rubric)?;
    let rated = stored::rated(conn, study, None)?;
    let states: Vec<DisputeState> = rated.iter().filter_map(|one| one.state(&settings, &rubric)).collect();
    let count = |state| states.iter().filter(|s| **s == state).count() as u64;
    let scales = rubric.dimensions.iter().map(app::model::rubric::Dimension::range).enumerate();
    let people = studies::raters(conn, study)?.into_iter();
    let times: Vec<_> = all.given.times().collect();
    let left = studies::get(conn, study)?.map_or(0, |row| row.wanted.saturating_sub(row.done));
    let found = Arc::new(Figured {
        raters: people.map(|r| (r.id, all.of(r.id, &settings, &rubric))).collect(),
        agreement: scales.map(|(d, (low, high))| agreement(&all.given.units(d), low, high)).collect(),
        extra: rated.iter().map(|one| one.extra).sum(),
        waiting: count(DisputeState::Waiting),
        extra_waiting: count(DisputeState::ExtraRater),
        projection: raters::projection(&times, clock::now(), left),
        rated,
        settings,
        stamp,
        took: at.elapsed(),
        at: Instant::now(),
    });
    lock(&kept.by_study).insert(study, found.clone());
    Ok(found)
}

fn live(conn: &Connection, study: StudyId, kept: &Kept) -> Result<Live, Failure> {
    let row = studies::get(conn, study)?.ok_or_else(|| Failure::not_found("study"))?;
    let rubric = super::setup(conn, study)?.rubric;
    let found = figured(conn, study, kept, Asking::Page)?;
    let raters = studies::raters(conn, study)?.into_iter().map(|r| LiveRater {
        figures: found.raters.get(&r.id).cloned().unwrap_or_default(),
        id: r.id,
        name: r.name,
        rated: r.rated,
        skipped: r.skipped,
        leased: r.leased,
        last_at: r.last_at,
        median_ms: r.median_ms,
    });
    Ok(Live {
        study,
        status: row.status,
        done: row.done,
        wanted: row.wanted,
        extra: found.extra,
        dimensions: rubric.dimensions.iter().map(|d| d.name.clone()).collect(),
        raters: raters.collect(),
        models: watch::models(conn, study)?,
        leases: watch::leases(conn, study)?,
        projection: found.projection,
        disputes: found.waiting,
        extra_waiting: found.extra_waiting,
        flags: flags::open(conn, study)?,
        stopped: openings::stopped(conn, study)?,
        agreement: found.agreement.clone(),
    })
}

/// Everything that figures about a study's raters are computed from.
pub struct AllFigures {
    given: raters::Ratings<OutputId, UserId>,
    answered: Vec<checks::Answered>,
    scales: Vec<(u8, u8)>,
}

/// Reads it.
pub fn all_figures(conn: &Connection, study: StudyId, rubric: &Rubric) -> Result<AllFigures, Failure> {
    Ok(AllFigures {
        given: raters::Ratings::new(watch::given(conn, study)?),
        answered: checks::answered(conn, study)?,
        scales: rubric.dimensions.iter().map(app::model::rubric::Dimension::range).collect(),
    })
}

impl AllFigures {
    /// The figures of one rater.
    pub fn of(&self, rater: UserId, settings: &QualitySettings, rubric: &Rubric) -> RaterFigures {
        let own = || self.answered.iter().filter(|a| a.rater == rater);
        let scores = |a: &checks::Answered| a.draft.scores.iter().flatten().copied().collect::<Vec<u8>>();
        let whole = |a: &&checks::Answered| scores(a).len() == rubric.dimensions.len();
        let held = |of: fn(checks::Kind) -> bool| -> Vec<Held> {
            own()
                .filter(|a| of(a.kind))
                .filter(whole)
                .map(|a| Held { given: scores(a), against: a.against.clone() })
                .collect()
        };
        let gold = held(|kind| kind != checks::Kind::Repeat);
        let right = gold.iter().filter(|h| settings.right(&h.given, &h.against)).count() as u64;
        let unmarked: Own = own()
            .filter(|a| a.kind != checks::Kind::Calibration)
            .filter(whole)
            .map(|a| (a.at, scores(a), a.draft.active_ms))
            .collect();
        raters::figures(
            rater,
            &self.given,
            unmarked,
            &gold,
            right,
            &held(|kind| kind == checks::Kind::Repeat),
            &self.scales,
        )
    }
}
