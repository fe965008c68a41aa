//! A study as it goes on: live figures, ratings, flags, disagreements.

use app::{
    model::{
        ids::{OutputId, StudyId},
        quality::{
            DisputeList, DisputeState, FlagOn, FlagRow, Live, LiveRater, RaterFigures, RatingFilter, RatingList,
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
        quality::{self, disputes as stored, flags, openings, probes, watch},
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
        Ok(self.db.read(move |conn| live(conn, study)).await?)
    }

    async fn ratings(&self, caller: &Caller, study: StudyId, filter: RatingFilter) -> Answer<RatingList> {
        caller.admin()?;
        Ok(self
            .db
            .read(move |conn| {
                let rubric = super::setup(conn, study)?.rubric;
                let settings = quality::settings(conn, study)?;
                let disputed: Vec<OutputId> = stored::rated(conn, study, None)?
                    .into_iter()
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
                "the reply is longer than 4000 characters",
                "Shorten it",
            ));
        }
        let by = caller.id();
        self.change(caller, "flag answer", format!("study {study}"), move |tx| {
            let Some((user, flag)) = flags::standing(tx, study, on)? else {
                return Err(Failure::conflict("The rater has taken the flag back meanwhile."));
            };
            flags::insert(tx, study, on, (user, &flag), &reply, by)
        })
        .await
    }

    async fn disputes(&self, caller: &Caller, study: StudyId) -> Answer<DisputeList> {
        caller.admin()?;
        let asking = caller.id();
        // Names under which the admin may decide are made at the first look.
        Ok(self
            .db
            .write(move |tx| {
                Ok(DisputeList {
                    title: super::title(tx, study)?,
                    rubric: super::setup(tx, study)?.rubric,
                    settings: quality::settings(tx, study)?,
                    rows: super::disputes::rows(tx, study, asking)?,
                })
            })
            .await?)
    }

    async fn ask_extra(&self, caller: &Caller, study: StudyId, output: OutputId) -> Answer<()> {
        caller.admin()?;
        let caller = caller.clone();
        Ok(self
            .db
            .write(move |tx| {
                super::disputes::ask_extra(tx, study, output, caller.id())?;
                audit::note(tx, &caller, "extra rating", &format!("study {study}: output {output}"))
            })
            .await?)
    }
}

fn live(conn: &Connection, study: StudyId) -> Result<Live, Failure> {
    let row = studies::get(conn, study)?.ok_or_else(|| Failure::not_found("study"))?;
    let rubric = super::setup(conn, study)?.rubric;
    let settings = quality::settings(conn, study)?;
    let all = all_figures(conn, study, &rubric)?;
    let rated = stored::rated(conn, study, None)?;
    let states: Vec<DisputeState> = rated.iter().filter_map(|one| one.state(&settings, &rubric)).collect();
    let count = |state| states.iter().filter(|s| **s == state).count() as u64;
    let agreements = rubric.dimensions.iter().enumerate().map(|(d, dimension)| {
        let (low, high) = dimension.range();
        let units: Vec<Vec<u8>> =
            rated.iter().map(|one| one.ratings.iter().filter_map(|(_, _, s)| s.get(d).copied()).collect()).collect();
        agreement(&units, low, high)
    });
    let raters = studies::raters(conn, study)?.into_iter().map(|r| LiveRater {
        figures: all.of(r.id, &settings, &rubric),
        id: r.id,
        name: r.name,
        rated: r.rated,
        skipped: r.skipped,
        leased: r.leased,
        last_at: r.last_at,
        median_ms: r.median_ms,
    });
    let times: Vec<_> = all.given.iter().map(|g| g.at).collect();
    Ok(Live {
        study,
        status: row.status,
        done: row.done,
        wanted: row.wanted,
        extra: rated.iter().map(|one| one.extra).sum(),
        dimensions: rubric.dimensions.iter().map(|d| d.name.clone()).collect(),
        raters: raters.collect(),
        models: watch::models(conn, study)?,
        leases: watch::leases(conn, study)?,
        projection: raters::projection(&times, clock::now(), row.wanted.saturating_sub(row.done)),
        disputes: count(DisputeState::Waiting),
        extra_waiting: count(DisputeState::ExtraRater),
        flags: flags::open(conn, study)?,
        stopped: openings::stopped(conn, study)?,
        agreement: agreements.collect(),
    })
}

/// Everything that figures about a study's raters are computed from.
pub struct AllFigures {
    given: Vec<raters::Given<OutputId, app::model::ids::UserId>>,
    answered: Vec<probes::Answered>,
    scales: Vec<(u8, u8)>,
}

/// Reads it.
pub fn all_figures(conn: &Connection, study: StudyId, rubric: &Rubric) -> Result<AllFigures, Failure> {
    Ok(AllFigures {
        given: watch::given(conn, study)?,
        answered: probes::answered(conn, study)?,
        scales: rubric.dimensions.iter().map(app::model::rubric::Dimension::range).collect(),
    })
}

impl AllFigures {
    /// The figures of one rater.
    pub fn of(
        &self,
        rater: app::model::ids::UserId,
        settings: &app::model::quality::QualitySettings,
        rubric: &Rubric,
    ) -> RaterFigures {
        let own = || self.answered.iter().filter(|a| a.rater == rater);
        let scores = |a: &probes::Answered| a.draft.scores.iter().flatten().copied().collect::<Vec<u8>>();
        let whole = |a: &&probes::Answered| scores(a).len() == rubric.dimensions.len();
        let held = |of: fn(probes::Kind) -> bool| -> Vec<Held> {
            own()
                .filter(|a| of(a.kind))
                .filter(whole)
                .map(|a| Held { given: scores(a), against: a.against.clone() })
                .collect()
        };
        let gold = held(|kind| kind != probes::Kind::Repeat);
        let right = gold.iter().filter(|h| settings.right(&h.given, &h.against)).count() as u64;
        let unmarked: Own = own()
            .filter(|a| a.kind != probes::Kind::Opening)
            .filter(whole)
            .map(|a| (a.at, scores(a), a.draft.active_ms))
            .collect();
        raters::figures(
            rater,
            &self.given,
            unmarked,
            &gold,
            right,
            &held(|kind| kind == probes::Kind::Repeat),
            &self.scales,
        )
    }
}
