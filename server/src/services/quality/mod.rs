//! Quality of studies: settings, known-score items, masking, for admins.
//!
//! `monitoring` shows a study's live figures, `disagreements` resolves disagreements, `feedback` is the raters'
//! side, `calibration` has the items before the work and `hidden_checks` those among it; `schedule` decides
//! their positions.

pub mod calibration;
mod disagreements;
mod feedback;
pub mod hidden_checks;
mod masking;
mod monitoring;
mod schedule;

use std::sync::Arc;

use app::{
    model::{
        audit::{Action, Object},
        code::CodeView,
        code_lang::CodeLang,
        ids::{OutputId, StudyId, SubmissionId, UserId},
        quality::{
            CalibrationMode, CalibrationRow, KnownItem, KnownItemSource, NewKnownItem, Policy, QualityPage,
            QualitySettings,
        },
        rubric::Rubric,
        submission::{MaskState, StudyLeaks},
    },
    port::{Admin, Answer, quality::Quality},
};
use async_trait::async_trait;
use rusqlite::{Connection, Transaction};

pub use self::{
    disagreements::{after_rating, ask_after, ask_extra, look_after},
    feedback::reply,
    monitoring::flag_detail,
};
use crate::{
    db::{
        self, Db,
        audit::{self, Change},
        quality::{self, calibrations, known_items},
        steps::Step,
        studies,
    },
    error::Failure,
    layout,
    services::steps,
};

/// Maximum length of a pasted item's code, in characters: longer than any published output.
const CODE_MAX: usize = 32 * 1024;
/// Maximum length of a reason, in characters.
const REASON_MAX: usize = 2000;
/// Maximum "one in n" and distance that a study may set.
const OFTEN_MAX: u32 = 10_000;

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
        (object, detail): (Object, String),
        work: impl FnOnce(&Connection) -> Result<(), Failure> + Send + 'static,
    ) -> Answer<()> {
        let work = move |tx: &Transaction<'_>| {
            work(tx)?;
            Ok(Change::of(object, detail, ()))
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
        let views = codes.into_iter().map(|(code, surrounding_text, lang)| layout::view(code, surrounding_text, lang));
        let views = futures::future::join_all(views).await;
        let known_items =
            page.known_items.into_iter().zip(views).map(|(item, code)| KnownItem { code, ..item }).collect();
        Ok(QualityPage { known_items, ..page })
    }

    async fn set(&self, admin: &Admin, study: StudyId, settings: QualitySettings) -> Answer<()> {
        // Both look at every rated output.
        let look = Step::Disagreements(OutputId(0));
        let steps = match asks_by_itself(&settings) {
            true => steps::encoded(&[Step::ExtraRaters(OutputId(0)), look])?,
            false => steps::encoded(&[look])?,
        };
        self.change(admin, Action::StudySetQuality, (Object::Study(study), settings_json(&settings)?), move |tx| {
            check(&settings, known_items::asked(tx, study)?.len(), &setup(tx, study)?.rubric)?;
            quality::save_settings(tx, study, &settings)?;
            db::steps::add(tx, study, &steps)
        })
        .await?;
        let db = self.db.clone();
        // In a task of its own: a browser that hangs up stops nothing.
        Ok(audit::spawn(async move { steps::finish(&db, study).await }).await.map_err(Failure::internal)??)
    }

    async fn add_known_item(&self, admin: &Admin, study: StudyId, new: NewKnownItem) -> Answer<i64> {
        let by = admin.id();
        let add = move |tx: &Transaction<'_>| {
            let id = add_known_item(tx, study, &new, by)?;
            Ok(Change::of(Object::Study(study), format!("item {id}"), id))
        };
        Ok(self.db.write_audited(admin, Action::KnownScoresAdd, add).await?)
    }

    async fn retire_known_item(&self, admin: &Admin, study: StudyId, item: i64, retired: bool) -> Answer<()> {
        let word = if retired { Action::KnownScoresRetire } else { Action::KnownScoresRestore };
        self.change(admin, word, (Object::Study(study), format!("item {item}")), move |tx| {
            if !known_items::retire(tx, study, item, retired)? {
                return Err(Failure::not_found("item"));
            }
            let settings = quality::settings(tx, study)?;
            let asked = known_items::asked(tx, study)?.len();
            if settings.calibration == CalibrationMode::MustPass && (asked as u64) < u64::from(settings.needed) {
                return Err(Failure::conflict((
                    "Fewer items would remain than raters need to get right. Lower that number first.",
                    "剩余的标准题将少于通过所需的题数，请先减少通过所需的题数。",
                )));
            }
            Ok(())
        })
        .await
    }

    async fn set_admission(&self, admin: &Admin, study: StudyId, rater: UserId, admitted: bool) -> Answer<()> {
        let (word, by) = (if admitted { Action::CalibrationAdmit } else { Action::CalibrationReset }, admin.id());
        self.change(admin, word, (Object::Study(study), format!("account {rater}")), move |tx| {
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
        self.change(admin, word, (Object::Study(study), format!("account {user}")), move |tx| {
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
                entries.push((Object::Submission(one.submission), format!("for study {study}")));
            }
            Ok(Change::each(entries, ()))
        };
        Ok(self.db.write_audited(admin, Action::SubmissionMask, mask).await?)
    }

    async fn set_mask(&self, admin: &Admin, submission: SubmissionId, on: bool) -> Answer<()> {
        let (word, by) = (if on { Action::SubmissionMask } else { Action::SubmissionUnmask }, admin.id());
        self.change(admin, word, (Object::Submission(submission), String::new()), move |tx| {
            masking::set(tx, submission, on, by)
        })
        .await
    }
}

fn settings_json(settings: &QualitySettings) -> Result<String, Failure> {
    Ok(serde_json::to_string(settings)?)
}

/// The input of the view of an item: its code, the text around it and its language.
type ItemText = (String, String, CodeLang);

/// The page, and the input of its items' views.
fn page(conn: &Connection, study: StudyId) -> Result<(QualityPage, Vec<ItemText>), Failure> {
    let setup = setup(conn, study)?;
    let settings = quality::settings(conn, study)?;
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
            scores: item.scores,
            reasons: item.reasons,
            retired: item.retired,
        })
    });
    let items = items.collect::<Result<Vec<_>, Failure>>()?;
    let raters = studies::raters(conn, study)?;
    let calibrations = raters.into_iter().map(|rater| calibration_row(conn, study, &settings, rater.id, rater.name));
    let page = QualityPage {
        title: title(conn, study)?,
        rubric: setup.rubric,
        calibrations: calibrations.collect::<Result<_, _>>()?,
        settings,
        known_items: items,
        choices: known_items::choices(conn, study)?,
        adjudicators: quality::adjudicators(conn, study)?,
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

/// The problem with the settings, if any.
fn check(settings: &QualitySettings, items: usize, rubric: &Rubric) -> Result<(), Failure> {
    let widest = rubric.dimensions.iter().map(|d| d.range()).map(|(low, high)| high - low).max().unwrap_or(0);
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
    if settings.tolerance >= widest {
        return Err(Failure::invalid(
            "tolerance",
            ("every score would count as correct", "任何分数都会算作正确"),
            (format!("Choose 0 to {}", widest.saturating_sub(1)), format!("请选择 0 到 {}", widest.saturating_sub(1))),
        ));
    }
    for (field, every) in [("gold_every", settings.known_item_every), ("repeat_every", settings.repeat_every)] {
        if every == 1 || every > OFTEN_MAX {
            return Err(Failure::invalid(
                field,
                ("the number must be 2 to 10,000, or 0", "此数须为 2 到 10,000，或 0"),
                ("Enter another number; 20 is a good start", "请输入其他数字，可以从 20 开始"),
            ));
        }
    }
    if settings.repeat_apart > OFTEN_MAX {
        return Err(Failure::invalid(
            "repeat_apart",
            ("the distance is at most 10,000 outputs", "间隔最多为 10,000 个输出"),
            ("Enter a smaller number", "请输入更小的数"),
        ));
    }
    if settings.calibration != CalibrationMode::None && items == 0 {
        return Err(Failure::invalid(
            "opening",
            ("the calibration has no known-score items", "校准没有标准题"),
            ("Add items below first", "请先在下方添加标准题"),
        ));
    }
    if settings.known_item_every > 0 && items == 0 {
        return Err(Failure::invalid(
            "gold_every",
            ("there are no known-score items to insert", "没有可插入的标准题"),
            ("Add items below first, or enter 0", "请先在下方添加标准题，或输入 0"),
        ));
    }
    if settings.calibration == CalibrationMode::MustPass && (settings.needed == 0 || settings.needed as usize > items) {
        return Err(Failure::invalid(
            "needed",
            (
                format!("{} of {items} items cannot be required", settings.needed),
                format!("无法要求 {items} 题中答对 {} 题", settings.needed),
            ),
            (format!("Choose 1 to {items}"), format!("请选择 1 到 {items}")),
        ));
    }
    Ok(())
}

fn add_known_item(conn: &Connection, study: StudyId, new: &NewKnownItem, by: Option<UserId>) -> Result<i64, Failure> {
    let rubric = setup(conn, study)?.rubric;
    let fits = new.scores.len() == rubric.dimensions.len()
        && rubric.dimensions.iter().zip(&new.scores).all(|(d, score)| d.has(*score));
    if !fits {
        return Err(Failure::invalid(
            "scores",
            ("a known score is outside its scale", "有标准分数超出评分范围"),
            ("Choose a score for every dimension", "请为每个维度选择分数"),
        ));
    }
    let mut reasons = new.reasons.clone();
    reasons.resize_with(rubric.dimensions.len(), Default::default);
    for reason in &mut reasons {
        reason.en = reason.en.trim().to_owned();
        reason.zh = reason.zh.trim().to_owned();
        if reason.en.chars().count().max(reason.zh.chars().count()) > REASON_MAX {
            return Err(Failure::invalid(
                "reasons",
                ("a reason is longer than 2,000 characters", "理由超过 2,000 字"),
                ("Shorten it", "请缩短"),
            ));
        }
    }
    let insert = |revision, output, code: &str, surrounding_text: &str| {
        let row =
            known_items::NewRow { revision, output, code, surrounding_text, scores: &new.scores, reasons: &reasons };
        known_items::insert(conn, study, &row, by)
    };
    match &new.source {
        KnownItemSource::Output(id) => {
            let Some((revision, code, surrounding_text, graded)) = known_items::output(conn, study, *id)? else {
                return Err(Failure::not_found("output"));
            };
            if graded {
                return Err(Failure::invalid(
                    "output",
                    (
                        "this output is part of the study, so its scores cannot be shown in advance",
                        "该输出属于本项目，不能预先公开其分数",
                    ),
                    ("Choose an output of another submission, or paste code", "请选择其他输出集的输出，或粘贴代码"),
                ));
            }
            insert(revision, Some(*id), &code, &surrounding_text)
        }
        KnownItemSource::Pasted { task, code } => {
            if !known_items::has_task(conn, study, *task)? {
                return Err(Failure::not_found("task"));
            }
            let code = code.replace("\r\n", "\n");
            if code.trim().is_empty() || code.chars().count() > CODE_MAX {
                return Err(Failure::invalid(
                    "code",
                    ("the code must have 1 to 32,768 characters", "代码须为 1 到 32,768 个字符"),
                    ("Paste code for the task", "请粘贴该任务的代码"),
                ));
            }
            insert(*task, None, &code, "")
        }
    }
}

/// Whether extra raters are assigned automatically.
fn asks_by_itself(settings: &QualitySettings) -> bool {
    settings.policy == Policy::ExtraRater
}
