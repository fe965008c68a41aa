//! A running study: live figures, ratings, flags, disagreements.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use async_trait::async_trait;
use model::{
    audit::{Action, Object},
    audit_details::Fact,
    caller::Admin,
    error::Answer,
    grading::TEXT_MAX,
    ids::{OutputId, StudyId, UserId},
    lang::Bilingual,
    page::{Found, PageOf, Paged},
    quality::{
        DisagreementList, DisagreementRow, DisagreementState, FlagOn, FlagRow, Live, LiveRater, Projection,
        QualitySettings, RaterFigures, RatingFilter, RatingList, TabCounts,
    },
    ratings::Agreement,
    rubric::Rubric,
};
use port::quality::Monitoring;
use rusqlite::Connection;

use super::QualityService;
use crate as services;
use base::{clock, error::Failure};
use db::{
    groups,
    quality::{self, calibrations, checks, disagreements as stored, flags, monitoring},
    studies,
};
use stats::{
    agreement::agreement,
    raters::{self, MatchedScores, RatingHistory},
};

#[async_trait]
impl Monitoring for QualityService {
    async fn tabs(&self, _: &Admin, study: StudyId) -> Answer<TabCounts> {
        let counts = self.db.read(move |conn| monitoring::tabs(conn, study)).await?;
        Ok(counts.ok_or_else(|| Failure::not_found("study"))?)
    }

    async fn live(&self, _: &Admin, study: StudyId) -> Answer<Live> {
        let cache = self.figure_cache.clone();
        Ok(self.db.read_long(move |conn| live(conn, study, &cache)).await?)
    }

    async fn ratings(&self, _: &Admin, study: StudyId, filter: RatingFilter) -> Answer<RatingList> {
        Ok(self
            .db
            .read_long(move |conn| {
                let rubric = super::setup(conn, study)?.rubric;
                let page = monitoring::ratings(conn, study, &filter)?;
                let found = page.found.unwrap_or(Found { rows: 0, more: false });
                Ok(RatingList {
                    title: super::title(conn, study)?,
                    rubric,
                    raters: studies::rater_names(conn, study)?,
                    groups: groups::of_study(conn, study.0)?,
                    models: monitoring::models(conn, study)?.into_iter().map(|m| (m.id, m.name)).collect(),
                    found: found.rows,
                    more: found.more,
                    page,
                })
            })
            .await?)
    }

    async fn flags(&self, _: &Admin, study: StudyId, of: PageOf) -> Answer<(String, Paged<FlagRow>)> {
        Ok(self.db.read_long(move |conn| Ok((super::title(conn, study)?, flags::page(conn, study, &of)?))).await?)
    }

    async fn reply_to_flag(&self, admin: &Admin, study: StudyId, on: FlagOn, reply: &str) -> Answer<()> {
        let reply = reply.trim().replace("\r\n", "\n");
        if reply.chars().count() > TEXT_MAX {
            return Err(model::error::AppError::invalid(
                "reply",
                ("the reply is longer than 4,000 characters", "答复超过 4,000 字"),
                ("Shorten it", "请缩短"),
            ));
        }
        let by = admin.id();
        self.change(admin, Action::FlagReply, (Object::Study(study), vec![Fact::Flag(on)]), move |tx| {
            let Some((user, flag)) = flags::standing(tx, study, on)? else {
                return Err(Failure::conflict(("The rater has withdrawn this flag.", "评分者已撤回该标记。")));
            };
            flags::insert(tx, study, on, (user, &flag), &reply, by)
        })
        .await
    }

    async fn disagreements(&self, admin: &Admin, study: StudyId, of: PageOf) -> Answer<DisagreementList> {
        let requester = admin.id();
        let (list, open) = self
            .db
            .read_long(move |conn| {
                let (page, open) = super::disagreements::rows(conn, study, requester, &of)?;
                let list = DisagreementList {
                    title: super::title(conn, study)?,
                    rubric: super::setup(conn, study)?.rubric,
                    settings: quality::settings(conn, study)?,
                    page,
                };
                Ok((list, open))
            })
            .await?;
        let (Some(user), false) = (requester, open.is_empty()) else { return Ok(list) };
        // The names by which the admin adjudicates these are created on first display.
        let named = self
            .db
            .write(move |tx| {
                let name = |output| Ok((output, stored::handout(tx, study, output, user)?));
                open.into_iter().map(name).collect::<Result<BTreeMap<_, _>, Failure>>()
            })
            .await?;
        let token = |row: DisagreementRow| DisagreementRow { token: named.get(&row.output).cloned(), ..row };
        Ok(DisagreementList { page: list.page.map(token), ..list })
    }

    async fn ask_extra(&self, admin: &Admin, study: StudyId, output: OutputId) -> Answer<()> {
        let by = admin.id();
        self.change(admin, Action::OutputAddRating, (Object::Study(study), vec![Fact::Output(output)]), move |tx| {
            super::disagreements::ask_extra(tx, study, output, by)
        })
        .await
    }
}

/// The figures of a study that depend on every rating, with the revision of their input.
pub(super) struct StudyFigures {
    settings: QualitySettings,
    revision: [i64; 4],
    at: Instant,
    took: Duration,
    pub(super) raters: BTreeMap<UserId, RaterFigures>,
    agreement: Vec<Agreement>,
    projection: Option<Projection>,
}

/// The newest figures of each study.
#[derive(Default)]
pub(super) struct FigureCache {
    by_study: Mutex<HashMap<StudyId, Arc<StudyFigures>>>,
    busy: Mutex<HashSet<StudyId>>,
    computed: AtomicU64,
}

impl FigureCache {
    pub(super) fn computed(&self) -> u64 {
        self.computed.load(Ordering::Relaxed)
    }
}

/// The page that asks for figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Requester {
    /// The admin's page: shows the admin's own changes at once.
    AdminPage,
    /// A rater's list of studies, loaded often and by many: accepts older figures while newer ones are
    /// computed.
    RaterList,
}

/// Marks a study as being computed.
struct Busy<'a>(&'a FigureCache, StudyId);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        lock(&self.0.busy).remove(&self.1);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic leaves whole entries; ignore poisoning.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// While ratings arrive, figures are recomputed only after this many times their computing time: a page over
/// a large study then takes a small part of one core and shows figures that are a few seconds old.
const REST: u32 = 8;
/// Figures that take less are always recomputed.
const WORTH: Duration = Duration::from_millis(50);

/// Current figures, or those of a moment ago. Only ratings may be newer than the figures; the admin's own
/// changes (an extra rating, another threshold) show at once on the admin's page.
pub(super) fn study_figures(
    conn: &Connection,
    study: StudyId,
    cache: &FigureCache,
    requester: Requester,
) -> Result<Arc<StudyFigures>, Failure> {
    let settings = quality::settings(conn, study)?;
    let revision = monitoring::revision(conn, study)?;
    if let Some(one) = lock(&cache.by_study).get(&study).filter(|one| one.settings == settings) {
        let of_ratings = one.revision == revision || (one.took > WORTH && one.at.elapsed() < one.took * REST);
        let is_busy = || lock(&cache.busy).contains(&study);
        if (one.revision[2..] == revision[2..] && of_ratings) || (requester == Requester::RaterList && is_busy()) {
            return Ok(one.clone());
        }
    }
    lock(&cache.busy).insert(study);
    let _busy = Busy(cache, study);
    cache.computed.fetch_add(1, Ordering::Relaxed);
    let at = Instant::now();
    let rubric = super::setup(conn, study)?.rubric;
    let all = figure_input(conn, study, &rubric)?;
    let scales = rubric.dimensions.iter().map(model::rubric::Dimension::range).enumerate();
    let people = studies::rater_names(conn, study)?.into_iter();
    let times: Vec<_> = all.ratings.times().collect();
    let left = studies::get(conn, study)?.map_or(0, |row| row.wanted.saturating_sub(row.done));
    let found = Arc::new(StudyFigures {
        raters: people.map(|(id, _)| (id, all.of(id, &settings, &rubric))).collect(),
        agreement: scales.map(|(d, (low, high))| agreement(&all.ratings.units(d), low, high)).collect(),
        projection: raters::projection(&times, clock::now(), left),
        settings,
        revision,
        took: at.elapsed(),
        at: Instant::now(),
    });
    lock(&cache.by_study).insert(study, found.clone());
    Ok(found)
}

/// The dimension on which a study's raters agree least, and Krippendorff's alpha, as the page of the study has them or had
/// a moment ago; `None` without outputs that were rated twice.
pub(crate) fn least_agreement(
    quality: &QualityService,
    conn: &Connection,
    study: StudyId,
) -> Result<Option<(Bilingual, f64)>, Failure> {
    let rubric = super::setup(conn, study)?.rubric;
    let found = study_figures(conn, study, &quality.figure_cache, Requester::RaterList)?;
    let alphas = rubric.dimensions.into_iter().zip(&found.agreement);
    let alphas = alphas.filter_map(|(dimension, agreement)| Some((dimension.name, agreement.alpha?)));
    Ok(alphas.min_by(|(_, a), (_, b)| a.total_cmp(b)))
}

fn live(conn: &Connection, study: StudyId, cache: &FigureCache) -> Result<Live, Failure> {
    let row = studies::get(conn, study)?.ok_or_else(|| Failure::not_found("study"))?;
    let rubric = super::setup(conn, study)?.rubric;
    let found = study_figures(conn, study, cache, Requester::AdminPage)?;
    let disagreements = stored::counts(conn, study)?;
    let in_state = |state| disagreements.get(&state).copied().unwrap_or(0);
    let raters = services::studies::raters(conn, study)?.into_iter().map(|r| LiveRater {
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
        extra: stored::extra(conn, study)?,
        dimensions: rubric.dimensions.iter().map(|d| d.name.clone()).collect(),
        raters: raters.collect(),
        models: monitoring::models(conn, study)?,
        leases: monitoring::leases(conn, study)?,
        projection: found.projection,
        disagreements: in_state(DisagreementState::Waiting),
        extra_waiting: in_state(DisagreementState::ExtraRater),
        flags: flags::open(conn, study)?,
        stopped: calibrations::stopped(conn, study)?,
        agreement: found.agreement.clone(),
    })
}

/// The input of the figures about a study's raters.
pub struct FigureInput {
    ratings: raters::Ratings<OutputId, UserId>,
    answered: Vec<checks::Answered>,
    scales: Vec<(u8, u8)>,
}

pub fn figure_input(conn: &Connection, study: StudyId, rubric: &Rubric) -> Result<FigureInput, Failure> {
    let ratings = monitoring::timed_ratings(conn, study)?.into_iter().map(|one| {
        let monitoring::TimedRating { output, rater, scores, at, active_ms } = one;
        raters::CountedRating { output, rater, scores, at, active_ms }
    });
    Ok(FigureInput {
        ratings: raters::Ratings::new(ratings.collect()),
        answered: checks::answered(conn, study)?,
        scales: rubric.dimensions.iter().map(model::rubric::Dimension::range).collect(),
    })
}

impl FigureInput {
    /// The figures of one rater.
    pub fn of(&self, rater: UserId, settings: &QualitySettings, rubric: &Rubric) -> RaterFigures {
        let own = || self.answered.iter().filter(|a| a.rater == rater);
        // Answers about instructions follow.
        let width = rubric.dimensions.len();
        let scores = |a: &checks::Answered| a.draft.scores.iter().take(width).flatten().copied().collect::<Vec<u8>>();
        let whole = |a: &&checks::Answered| scores(a).len() == width;
        let matched = |of: fn(checks::Kind) -> bool| -> Vec<MatchedScores> {
            own()
                .filter(|a| of(a.kind))
                .filter(whole)
                .map(|a| MatchedScores { scores: scores(a), reference: a.against.clone() })
                .collect()
        };
        let known_items = matched(|kind| kind != checks::Kind::Repeat);
        let right = known_items.iter().filter(|h| settings.right(&h.scores, &h.reference)).count() as u64;
        let unmarked: RatingHistory = own()
            .filter(|a| a.kind != checks::Kind::Calibration)
            .filter(whole)
            .map(|a| (a.at, scores(a), a.draft.active_ms))
            .collect();
        raters::figures(
            rater,
            &self.ratings,
            unmarked,
            &known_items,
            right,
            &matched(|kind| kind == checks::Kind::Repeat),
            &self.scales,
        )
    }
}
