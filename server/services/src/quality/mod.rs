//! Quality of studies: settings, known-score items, masking, for admins.
//!
//! `monitoring` shows a study's live figures, `disagreements` resolves disagreements, `feedback` is the raters'
//! side, `known` adds known-score items, `calibration` has the items before the work and `hidden_checks` those among it;
//! `schedule` decides their positions, and `limits` what follows when a rater is too fast or misses checks.

pub mod calibration;
mod disagreements;
mod feedback;
pub mod hidden_checks;
pub(crate) mod known;
pub mod limits;
pub(super) mod masking;
pub(crate) mod monitoring;
mod schedule;
pub mod spread;

use std::sync::Arc;

use async_trait::async_trait;
use model::{
    audit::{Action, Object},
    audit_details::Fact,
    caller::Admin,
    code::CodeView,
    code_lang::CodeLang,
    error::Answer,
    ids::{OutputId, StudyId, SubmissionId, UserId},
    plan::Presentation,
    quality::{
        CORRECTNESS, CalibrationRow, KnownItem, KnownItemChange, KnownItemProposal, KnownItemRecord, NewKnownItem,
        Policy, Pool, QualityPage, QualitySettings,
    },
    quality_preset::{ExtraWork, QualityChange, QualityPreset, Workload},
    rubric::Rubric,
    study::StudySettings,
    submission::{MaskState, StudyLeaks},
};
use port::quality::Quality;
use rusqlite::{Connection, Transaction};

pub use self::{
    disagreements::{after_rating, ask_after, ask_extra, look_after},
    feedback::reply,
};
use crate::steps;
use base::error::Failure;
use db::{
    Db,
    audit::{self, Change},
    plan,
    quality::{self, calibrations, checks, known_items, limits as stored_limits},
    steps::Step,
    studies,
};

pub struct QualityService {
    db: Db,
    figure_cache: Arc<monitoring::FigureCache>,
}

impl QualityService {
    pub fn new(db: Db) -> Self {
        QualityService { db, figure_cache: Arc::default() }
    }

    /// How many times a study's figures were computed, for tests.
    pub fn computations(&self) -> u64 {
        self.figure_cache.computed()
    }

    async fn change(
        &self,
        admin: &Admin,
        action: Action,
        (object, facts): (Object, Vec<Fact>),
        work: impl FnOnce(&Connection) -> Result<(), Failure> + Send + 'static,
    ) -> Answer<()> {
        let work = move |tx: &Transaction<'_>| {
            work(tx)?;
            Ok(Change::of(object, facts, ()))
        };
        Ok(self.db.write_audited(admin, action, work).await?)
    }
}

/// The study's settings, or 404.
pub(super) fn setup(conn: &Connection, study: StudyId) -> Result<studies::Setup, Failure> {
    studies::setup(conn, study)?.ok_or_else(|| Failure::not_found("study"))
}

/// The study's title, or 404.
fn title(conn: &Connection, study: StudyId) -> Result<String, Failure> {
    Ok(studies::get(conn, study)?.ok_or_else(|| Failure::not_found("study"))?.title)
}

#[async_trait]
impl Quality for QualityService {
    async fn page(&self, _: &Admin, study: StudyId) -> Answer<QualityPage> {
        let (page, codes) = self.db.read_long(move |conn| page(conn, study)).await?;
        let views = codes.into_iter().map(|(code, surrounding_text, lang)| syntax::view(code, surrounding_text, lang));
        let views = futures::future::join_all(views).await;
        let known_items =
            page.known_items.into_iter().zip(views).map(|(item, code)| KnownItem { code, ..item }).collect();
        Ok(QualityPage { known_items, ..page })
    }

    async fn set(&self, admin: &Admin, study: StudyId, change: QualityChange) -> Answer<()> {
        let set = move |tx: &Transaction<'_>| {
            let rubric = setup(tx, study)?.rubric;
            let before = plan::settings(tx, study)?;
            let pools = known_items::sizes(tx, study)?;
            let quality = change.apply(&before.quality, &rubric, pools.calibration)?;
            check(&quality, &rubric)?;
            known::check_pools(&quality, pools)?;
            plan::save_settings(tx, study, &StudySettings { quality, ..before })?;
            let of = |s: &QualitySettings| (s.known_item_every, s.repeat_every, s.repeat_apart, s.calibration);
            if of(&before.quality) != of(&quality) {
                checks::restart(tx, study)?;
            }
            if limits::differ(&before.quality, &quality) {
                stored_limits::restart(tx, study)?;
            }
            // Both look at every rated output.
            let look = Step::Disagreements(OutputId(0));
            let steps = match asks_by_itself(&quality) {
                true => steps::encoded(&[Step::ExtraRaters(OutputId(0)), look])?,
                false => steps::encoded(&[look])?,
            };
            db::steps::add(tx, study, &steps)?;
            Ok(Change::of(Object::Study(study), [settings_fact(&quality)?], ()))
        };
        self.db.write_audited(admin, Action::StudySetQuality, set).await?;
        let db = self.db.clone();
        // In a task of its own: a browser that hangs up stops nothing.
        Ok(audit::spawn(async move { steps::finish(&db, study).await }).await.map_err(Failure::internal)??)
    }

    async fn propose_known_item(&self, _: &Admin, study: StudyId, output: OutputId) -> Answer<KnownItemProposal> {
        Ok(self.db.read(move |conn| known::proposal(conn, study, output)).await?)
    }

    async fn add_known_item(&self, admin: &Admin, study: StudyId, new: NewKnownItem) -> Answer<i64> {
        let by = admin.id();
        let source = new.source.clone();
        let likeness = self.db.read_long(move |conn| known::likeness(conn, study, &[source])).await?;
        let add = move |tx: &Transaction<'_>| {
            let id = known::add(tx, study, &new, &likeness, by)?;
            checks::restart(tx, study)?;
            Ok(Change::of(Object::Study(study), known::facts(id, &new), id))
        };
        Ok(self.db.write_audited(admin, Action::KnownScoresAdd, add).await?)
    }

    async fn change_known_item(&self, admin: &Admin, study: StudyId, item: i64, change: KnownItemChange) -> Answer<()> {
        // Also a change of nothing needs its item.
        self.db.read(move |conn| known::find(conn, study, item).map(drop)).await?;
        // Each change has its own action in the audit log.
        if let Some(deactivated) = change.deactivated {
            let word = if deactivated { Action::KnownScoresDeactivate } else { Action::KnownScoresActivate };
            let change = KnownItemChange { pool: None, ..change };
            self.change(admin, word, (Object::Study(study), vec![Fact::KnownItem(item)]), move |tx| {
                known::change(tx, study, item, change, None)?;
                checks::restart(tx, study)
            })
            .await?;
        }
        if let Some(pool) = change.pool {
            let change = KnownItemChange { deactivated: None, ..change };
            let facts = vec![Fact::KnownItem(item), Fact::Pool(pool)];
            let likeness = match pool {
                Pool::Calibration => None,
                Pool::Hidden | Pool::Both => {
                    Some(self.db.read_long(move |conn| known::likeness_of_item(conn, study, item)).await?)
                }
            };
            self.change(admin, Action::KnownScoresSetPool, (Object::Study(study), facts), move |tx| {
                known::change(tx, study, item, change, likeness.as_ref())?;
                checks::restart(tx, study)
            })
            .await?;
        }
        Ok(())
    }

    async fn remove_known_item(&self, admin: &Admin, study: StudyId, item: i64) -> Answer<()> {
        let entry = (Object::Study(study), vec![Fact::KnownItem(item)]);
        self.change(admin, Action::KnownScoresRemove, entry, move |tx| {
            known::remove(tx, study, item)?;
            checks::restart(tx, study)
        })
        .await
    }

    async fn known_items(&self, _: &Admin, study: StudyId) -> Answer<Vec<KnownItemRecord>> {
        Ok(self.db.read(move |conn| known::records(conn, study)).await?)
    }

    async fn import_known_items(&self, admin: &Admin, study: StudyId, items: Vec<KnownItemRecord>) -> Answer<u64> {
        let by = admin.id();
        let read = move |conn: &Connection| {
            let items = known::of_file(conn, study, items)?;
            let sources: Vec<_> = items.iter().map(|item| item.source.clone()).collect();
            Ok((known::likeness(conn, study, &sources)?, items))
        };
        let (likeness, items) = self.db.read_long(read).await?;
        let add = move |tx: &Transaction<'_>| {
            let count = known::import(tx, study, &items, &likeness, by)?;
            checks::restart(tx, study)?;
            Ok(Change::of(Object::Study(study), [Fact::KnownItems(count)], count))
        };
        Ok(self.db.write_audited(admin, Action::KnownScoresAdd, add).await?)
    }

    async fn pause_rater(&self, admin: &Admin, study: StudyId, rater: UserId, paused: bool) -> Answer<()> {
        let work = move |tx: &Transaction<'_>| limits::pause(tx, study, rater, paused);
        Ok(self.db.write_audited(admin, limits::action(paused), work).await?)
    }

    async fn set_admission(&self, admin: &Admin, study: StudyId, rater: UserId, admitted: bool) -> Answer<()> {
        let (word, by) = (if admitted { Action::CalibrationAdmit } else { Action::CalibrationReset }, admin.id());
        self.change(admin, word, (Object::Study(study), vec![Fact::Account(rater)]), move |tx| {
            setup(tx, study)?;
            if !quality::is_rater(tx, study, rater)? {
                return Err(Failure::not_found("rater"));
            }
            if admitted { calibrations::admit(tx, study, rater, by) } else { calibrations::reset(tx, study, rater) }
        })
        .await
    }

    async fn set_adjudicator(&self, admin: &Admin, study: StudyId, user: UserId, on: bool) -> Answer<()> {
        let word = if on { Action::AdjudicatorAdd } else { Action::AdjudicatorRemove };
        self.change(admin, word, (Object::Study(study), vec![Fact::Account(user)]), move |tx| {
            setup(tx, study)?;
            if on && !studies::can_rate(tx, user)? {
                return Err(Failure::not_found("account"));
            }
            quality::set_adjudicator(tx, study, user, on)
        })
        .await
    }

    async fn mask(&self, _: &Admin, submission: SubmissionId, whole: bool) -> Answer<MaskState> {
        Ok(self.db.read_long(move |conn| masking::state(conn, submission, whole)).await?)
    }

    async fn leaks(&self, _: &Admin, study: StudyId, whole: bool) -> Answer<StudyLeaks> {
        Ok(self.db.read_long(move |conn| masking::of_study(conn, study, whole)).await?)
    }

    async fn mask_study(&self, admin: &Admin, study: StudyId) -> Answer<()> {
        // Searching takes long, so it is done before the transaction.
        let leaks = self.db.read_long(move |conn| masking::of_study(conn, study, true)).await?;
        let by = admin.id();
        let mask = move |tx: &Transaction<'_>| {
            let mut entries = Vec::new();
            for one in leaks.submissions {
                masking::set(tx, one.submission, true, by)?;
                entries.push((Object::Submission(one.submission), vec![Fact::Study(study)]));
            }
            Ok(Change::each(entries, ()))
        };
        Ok(self.db.write_audited(admin, Action::SubmissionMask, mask).await?)
    }

    async fn set_mask(&self, admin: &Admin, submission: SubmissionId, on: bool) -> Answer<()> {
        let (word, by) = (if on { Action::SubmissionMask } else { Action::SubmissionUnmask }, admin.id());
        self.change(admin, word, (Object::Submission(submission), Vec::new()), move |tx| {
            masking::set(tx, submission, on, by)
        })
        .await
    }
}

fn settings_fact(settings: &QualitySettings) -> Result<Fact, Failure> {
    Ok(Fact::Settings(serde_json::to_value(settings)?))
}

/// The input of the view of an item: its code, the text around it and its language.
type ItemText = (String, String, CodeLang);

/// The page, and the input of its items' views.
fn page(conn: &Connection, study: StudyId) -> Result<(QualityPage, Vec<ItemText>), Failure> {
    let setup = setup(conn, study)?;
    let StudySettings { presentation, quality: settings, .. } = plan::settings(conn, study)?;
    let row = studies::get(conn, study)?.ok_or_else(|| Failure::not_found("study"))?;
    let pools = known_items::sizes(conn, study)?;
    let workload = Workload {
        ratings: row.wanted.checked_div(row.raters).unwrap_or(0),
        side_by_side: presentation == Presentation::SideBySide,
        calibration: pools.calibration as u64,
        hidden: pools.hidden as u64,
        both: pools.both as u64,
    };
    let items = known_items::list(conn, study)?;
    let codes = items
        .iter()
        .map(|known_items::KnownItem { texts, .. }| {
            (texts.code.clone(), texts.surrounding_text.clone(), texts.code_lang)
        })
        .collect();
    let items = items.into_iter().map(|item| {
        let answers = known_items::answers(conn, item.id)?;
        Ok(KnownItem {
            id: item.id,
            asked: answers.len() as u64,
            right: answers.iter().filter(|given| settings.right(given, &item.scores)).count() as u64,
            code: CodeView::default(),
            task_id: item.task_id,
            raw_nl: item.texts.raw_nl,
            nl_lang: item.texts.nl_lang,
            pasted: item.output.is_none(),
            graded: item.graded,
            pool: item.pool,
            used: item.used,
            scores: item.scores,
            reasons: item.reasons,
            deactivated: item.deactivated,
        })
    });
    let items = items.collect::<Result<Vec<_>, Failure>>()?;
    let raters = studies::rater_names(conn, study)?;
    let calibrations = raters.into_iter().map(|(id, name)| calibration_row(conn, study, &settings, id, name));
    let page = QualityPage {
        title: row.title,
        preset: QualityPreset::of(&settings, &setup.rubric, pools.calibration),
        extra_work: ExtraWork::of(&settings, &workload),
        workload,
        rubric: setup.rubric,
        calibrations: calibrations.collect::<Result<_, _>>()?,
        settings,
        known_items: items,
        choices: known_items::choices(conn, study)?,
        adjudicators: quality::adjudicators(conn, study)?,
        limits: stored_limits::list(conn, study)?,
        proposal: None,
    };
    Ok((page, codes))
}

fn calibration_row(
    conn: &Connection,
    study: StudyId,
    settings: &QualitySettings,
    rater: UserId,
    name: String,
) -> Result<CalibrationRow, Failure> {
    let standing = calibrations::get(conn, study, rater)?;
    let round = standing.map_or(0, |s| s.round);
    let (rated, right) = calibration::score(conn, study, rater, round, settings)?;
    Ok(CalibrationRow {
        rater,
        name,
        state: standing.map(|s| s.state),
        rated,
        right,
        earlier: round.into(),
        admitted: standing.is_some_and(|s| s.admitted),
    })
}

/// Checks the settings of a study with this rubric.
pub fn check(settings: &QualitySettings, rubric: &Rubric) -> Result<(), Failure> {
    settings.check()?;
    let widest = rubric.widest();
    let wide = |field: &str, value: Option<u8>| match value {
        Some(v) if v >= widest => Err(Failure::invalid(
            field,
            (format!("two ratings never differ by more than {widest} levels"), format!("两次评分最多相差 {widest} 级")),
            (format!("Choose 0 to {}, or leave it empty", widest - 1), format!("请选择 0 到 {}，或留空", widest - 1)),
        )),
        _ => Ok(()),
    };
    wide("spread", settings.spread)?;
    wide("spread_correctness", settings.spread_correctness)?;
    if settings.spread_correctness.is_some() && rubric.dimensions.iter().all(|d| d.key != CORRECTNESS) {
        return Err(Failure::invalid(
            "spread_correctness",
            (
                format!("the rubric has no dimension with the key \"{CORRECTNESS}\""),
                format!("评分标准没有键为“{CORRECTNESS}”的维度"),
            ),
            ("Leave it empty", "请留空"),
        ));
    }
    if settings.tolerance >= widest {
        return Err(Failure::invalid(
            "tolerance",
            ("every score would count as correct", "任何分数都会算作正确"),
            (format!("Choose 0 to {}", widest.saturating_sub(1)), format!("请选择 0 到 {}", widest.saturating_sub(1))),
        ));
    }
    Ok(())
}

/// Whether extra raters are assigned automatically.
fn asks_by_itself(settings: &QualitySettings) -> bool {
    settings.policy == Policy::ExtraRater
}
