//! How a study's work is assigned: creates the plan and changes it while people rate.
//!
//! All random choices are made by [`crate::plan`], from the study's seed and the number of the event: the
//! same study with the same events has the same result.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use app::{
    error::AppError,
    model::{
        audit::{Action, Object},
        ids::{OutputId, StudyId, SubmissionId, TaskRevisionId, UserId},
        lang::Lang,
        plan::{Extension, PlanDetail, Presentation, Reads, Sharing},
        study::{NewStudy, StudyStatus},
    },
    port::{Admin, Answer, Plans},
};
use async_trait::async_trait;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rusqlite::{Connection, Transaction};
use sha2::{Digest, Sha256};

use crate::{
    db::{
        Db, accounts,
        audit::{self, Change},
        guidelines,
        plan::{self as stored, Gradable, Moved, Planned, Row, Settings},
        quality::checks,
        queue,
        staging::{self, Import},
        studies,
    },
    error::Failure,
    plan::{self, Impossible, Standing, Unit},
    services::rubrics,
};

/// Maximum length of a title.
const TITLE_MAX: usize = 120;
/// The highest overlap; the schema has the same limit.
const OVERLAP_MAX: u32 = 100;
/// Fewest gaps between ratings from which the pace is measured instead of assumed.
const GAPS_MIN: usize = 10;

pub struct PlanService {
    db: Db,
}

impl PlanService {
    pub fn new(db: Db) -> Self {
        PlanService { db }
    }

    async fn change<T, F>(&self, admin: &Admin, action: Action, id: StudyId, work: F) -> Answer<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection, Study) -> Result<(T, String), Failure> + Send + 'static,
    {
        let work = move |tx: &Transaction<'_>| {
            let study = Study::open(tx, id)?;
            let (value, detail) = work(tx, study)?;
            Ok(Change::of(Object::Study(id), detail, value))
        };
        Ok(self.db.write_audited(admin, action, work).await?)
    }
}

#[async_trait]
impl Plans for PlanService {
    async fn get(&self, _: &Admin, id: StudyId) -> Answer<PlanDetail> {
        Ok(self.db.read_long(move |conn| detail(conn, id)).await?)
    }

    async fn join(&self, admin: &Admin, id: StudyId, user: UserId, share: Option<u32>) -> Answer<()> {
        self.change(admin, Action::StudyAddRater, id, move |tx, study| {
            join(tx, &study, user, share)?;
            Ok(((), format!("account {user}")))
        })
        .await
    }

    async fn leave(&self, admin: &Admin, id: StudyId, user: UserId) -> Answer<()> {
        self.change(admin, Action::StudyRemoveRater, id, move |tx, study| {
            leave(tx, &study, user)?;
            Ok(((), format!("account {user}")))
        })
        .await
    }

    async fn extend(&self, admin: &Admin, id: StudyId, by: Extension) -> Answer<()> {
        self.change(admin, Action::StudyExtend, id, move |tx, study| {
            let said = serde_json::to_string(&by)?;
            extend(tx, study, by)?;
            Ok(((), said))
        })
        .await
    }

    async fn copy(&self, admin: &Admin, id: StudyId) -> Answer<StudyId> {
        let new = self.db.read_long(move |conn| copy(conn, &Study::open(conn, id)?)).await?;
        let entry = move |copy| (Object::Study(id), format!("as study {copy}"));
        let create = create(self.db.clone(), admin.clone(), (new, Some(id)), (Action::StudyCopy, entry));
        // In a task of its own: a browser that hangs up leaves nothing half done.
        Ok(audit::spawn(create).await.map_err(Failure::internal)??)
    }

    async fn set_pace(&self, admin: &Admin, id: StudyId, seconds: Option<u32>) -> Answer<()> {
        self.change(admin, Action::StudySetPace, id, move |tx, study| {
            if seconds == Some(0) {
                return Err(Failure::invalid(
                    "seconds",
                    ("a rating takes at least 1 second", "每次评分至少 1 秒"),
                    ("Enter 1 or more", "请输入 1 或更大的数"),
                ));
            }
            stored::set_settings(tx, id, &Settings { pace_s: seconds, ..study.settings })?;
            Ok(((), seconds.map_or_else(|| "as measured".into(), |s| format!("{s} s"))))
        })
        .await
    }

    async fn set_reads(&self, admin: &Admin, user: UserId, reads: Reads) -> Answer<()> {
        let set = move |tx: &Transaction<'_>| {
            let account = accounts::by_id(tx, user)?.ok_or_else(|| Failure::not_found("account"))?;
            if !stored::set_reads(tx, user, reads)? {
                return Err(Failure::not_found("account"));
            }
            Ok(Change::of(Object::Account(account.me.name), reads.to_string(), ()))
        };
        Ok(self.db.write_audited(admin, Action::UserSetLanguages, set).await?)
    }
}

/// A study with the input of its plan.
struct Study {
    id: StudyId,
    status: StudyStatus,
    title: String,
    dataset: String,
    settings: Settings,
}

impl Study {
    fn open(conn: &Connection, id: StudyId) -> Result<Study, Failure> {
        let row = studies::get(conn, id)?.ok_or_else(|| Failure::not_found("study"))?;
        let settings = stored::settings(conn, id)?.ok_or_else(|| Failure::not_found("study"))?;
        Ok(Study { id, status: row.status, title: row.title, dataset: row.dataset, settings })
    }

    fn changeable(&self) -> Result<(), Failure> {
        match self.status {
            StudyStatus::Closed => Err(Failure::conflict((
                "The study is closed. Duplicate it to continue with the same settings.",
                "项目已结束。如需沿用其设置，请复制该项目。",
            ))),
            _ => Ok(()),
        }
    }

    /// The languages in which a rater gets work: all, if work is shared by count.
    fn reads(&self, conn: &Connection, user: UserId) -> Result<Reads, Failure> {
        if self.settings.sharing == Sharing::Count { Ok(Reads::BOTH) } else { stored::reads(conn, user) }
    }

    /// Random numbers for the study's newest event.
    fn draw(&self, conn: &Connection) -> Result<u64, Failure> {
        let (events, taken) = stored::events(conn, self.id)?;
        let mut hash = Sha256::new();
        for part in [self.settings.seed, events.len() as u64, taken] {
            hash.update(part.to_be_bytes());
        }
        Ok(first_bytes(&hash.finalize()))
    }
}

fn first_bytes(digest: &[u8]) -> u64 {
    digest.iter().take(8).fold(0, |number, byte| (number << 8) | u64::from(*byte))
}

/// Planned ratings that one transaction stores, at some 10 µs each. Ratings that people submit get in between.
const CHUNK: usize = 200;

/// Checks what the admin asks for and makes a study of it; it runs at once unless it is to wait. Its plan is stored in
/// many short transactions, and nobody sees the study before the last, which `entry` describes for the audit log. `from`
/// is the study that it duplicates, if any.
pub(super) async fn create(
    db: Db,
    admin: Admin,
    (new, from): (NewStudy, Option<StudyId>),
    (action, entry): (Action, impl FnOnce(StudyId) -> (Object, String) + Send + 'static),
) -> Result<StudyId, Failure> {
    let (by, draft) = (admin.id(), new.draft);
    let (plan, outputs) = db.read_long(move |conn| asked(conn, &new)).await?;
    let draw = move || {
        let places = planned(&plan.settings, &outputs, &plan.raters)?;
        Ok::<_, Failure>(studies::Plan { places, ..plan })
    };
    let plan = Arc::new(tokio::task::spawn_blocking(draw).await.map_err(Failure::internal)??);
    let begun = plan.clone();
    let id = db.write(move |tx| studies::begin(tx, &begun, by)).await?;
    let published = match store(&db, id, &plan).await {
        Ok(()) => {
            let publish = move |tx: &Transaction<'_>| {
                publish(tx, (id, from), &plan, draft)?;
                let (object, detail) = entry(id);
                Ok(Change::of(object, detail, id))
            };
            db.write_audited(&admin, action, publish).await
        }
        Err(failure) => Err(failure),
    };
    if published.is_err() {
        // Nobody waits for it; what it cannot delete is deleted at the next start.
        tokio::task::spawn_blocking(move || db.clear_import(Import::Study(id.0)).map_err(AppError::from));
    }
    published
}

async fn store(db: &Db, id: StudyId, plan: &Arc<studies::Plan>) -> Result<(), Failure> {
    for from in (0..plan.places.len()).step_by(CHUNK) {
        let plan = plan.clone();
        db.write(move |tx| {
            staging::renew(tx, Import::Study(id.0))?;
            stored::insert(tx, id, plan.places.iter().skip(from).take(CHUNK))
        })
        .await?;
    }
    Ok(())
}

fn publish(
    conn: &Connection,
    (id, from): (StudyId, Option<StudyId>),
    plan: &studies::Plan,
    draft: bool,
) -> Result<(), Failure> {
    for (rater, ..) in &plan.raters {
        // They may have changed since they were looked up.
        if !studies::can_rate(conn, *rater)? {
            return Err(Failure::not_found("rater"));
        }
    }
    studies::publish(conn, id, plan)?;
    guidelines::inherit(conn, id, from)?;
    if !draft {
        stored::note(conn, id, "started", None, &Moved { ratings: plan.places.len() as u64, from: None })?;
        studies::set_status(conn, id, StudyStatus::Running)?;
    }
    Ok(())
}

/// A study's title without spaces around it.
///
/// # Errors
///
/// Fails if it is empty or too long.
pub(super) fn checked_title(title: &str) -> Result<String, Failure> {
    let title = title.trim();
    if title.is_empty() || title.chars().count() > TITLE_MAX {
        return Err(Failure::invalid(
            "title",
            ("a title has 1 to 120 characters", "标题为 1 到 120 个字符"),
            ("Enter a title", "请填写标题"),
        ));
    }
    Ok(title.to_owned())
}

/// What the admin asks for, checked and not planned yet, and the outputs to plan.
fn asked(conn: &Connection, new: &NewStudy) -> Result<(studies::Plan, Vec<Gradable>), Failure> {
    let title = checked_title(&new.title)?;
    let submissions: Vec<SubmissionId> = distinct(&new.submissions);
    let ground = one_version(conn, &new.dataset, &submissions)?;
    if new.sharing == Sharing::Hand && new.shares.len() != new.raters.len() {
        return Err(Failure::invalid(
            "shares",
            ("a rater has no share", "有评分者没有份额"),
            ("Enter a number of ratings for each rater", "请为每位评分者填写评分数量"),
        ));
    }
    if new.pace_s == Some(0) {
        return Err(Failure::invalid(
            "pace",
            ("a rating takes at least 1 second", "每次评分至少 1 秒"),
            ("Enter 1 or more, or leave it empty", "请输入 1 或更大的数，或留空"),
        ));
    }
    let mut raters: Vec<(UserId, Reads, Option<u32>)> = Vec::new();
    for (at, rater) in new.raters.iter().enumerate() {
        if raters.iter().any(|(known, ..)| known == rater) {
            continue;
        }
        if !studies::can_rate(conn, *rater)? {
            return Err(Failure::not_found("rater"));
        }
        let reads = if new.sharing == Sharing::Count { Reads::BOTH } else { stored::reads(conn, *rater)? };
        let share = if new.sharing == Sharing::Hand { new.shares.get(at).copied() } else { None };
        raters.push((*rater, reads, share));
    }
    let settings = Settings {
        presentation: new.presentation,
        sharing: new.sharing,
        tasks: new.tasks,
        pace_s: new.pace_s,
        overlap: new.overlap,
        seed: new.seed.unwrap_or_else(|| rand::rng().random()),
        submissions,
    };
    let outputs = chosen(conn, &settings, &BTreeSet::new())?;
    if outputs.is_empty() {
        return Err(Failure::invalid(
            "submissions",
            ("the submissions contain no outputs to rate", "所选输出集中没有可评分的输出"),
            ("Choose other submissions", "请选择其他输出集"),
        ));
    }
    let rubric_id = match new.rubric.as_deref().map(str::trim) {
        None | Some("") => ground.rubric_id,
        Some(name) => rubrics::named(conn, name)?.id,
    };
    let plan = studies::Plan { title, version: ground.version, rubric_id, settings, raters, places: Vec::new() };
    Ok((plan, outputs))
}

fn one_version(conn: &Connection, dataset: &str, submissions: &[SubmissionId]) -> Result<studies::Candidate, Failure> {
    let mut ground: Option<studies::Candidate> = None;
    for id in submissions {
        let one = studies::candidate(conn, *id)?.ok_or_else(|| Failure::not_found("submission"))?;
        if one.dataset != dataset {
            return Err(Failure::invalid(
                "submissions",
                (
                    format!("submission {id} belongs to the dataset {}, not {dataset}", one.dataset),
                    format!("输出集 {id} 属于数据集 {}，而不是 {dataset}", one.dataset),
                ),
                ("Choose submissions of one dataset", "请选择同一数据集的输出集"),
            ));
        }
        if ground.as_ref().is_some_and(|first| first.version != one.version) {
            return Err(Failure::invalid(
                "submissions",
                ("the submissions belong to different versions of the dataset", "所选输出集属于数据集的不同版本"),
                (
                    "Upload the older ones again for the newest version, or choose submissions of one version",
                    "请针对最新版本重新上传较旧的输出集，或只选择同一版本的输出集",
                ),
            ));
        }
        ground = Some(one);
    }
    ground.ok_or_else(|| {
        Failure::invalid(
            "submissions",
            ("no submission is selected", "未选择输出集"),
            ("Select at least one", "请至少选择一项"),
        )
    })
}

/// The outputs that the study grades: all, or for a pilot those of a number of tasks. `kept` tasks come
/// first, then others in an order drawn by the seed, which does not change when tasks or submissions are
/// added.
fn chosen(conn: &Connection, settings: &Settings, kept: &BTreeSet<i64>) -> Result<Vec<Gradable>, Failure> {
    let mut outputs = Vec::new();
    for id in &settings.submissions {
        outputs.extend(stored::gradable(conn, *id)?);
    }
    if let Some(most) = settings.tasks {
        let rank = |task: i64| {
            let mut hash = Sha256::new();
            hash.update(settings.seed.to_be_bytes());
            hash.update(task.to_be_bytes());
            (!kept.contains(&task), first_bytes(&hash.finalize()), task)
        };
        let mut tasks: Vec<_> =
            outputs.iter().map(|o| o.task.0).collect::<BTreeSet<_>>().into_iter().map(rank).collect();
        tasks.sort_unstable();
        tasks.truncate(most as usize);
        let tasks: BTreeSet<i64> = tasks.into_iter().map(|(.., task)| task).collect();
        outputs.retain(|output| tasks.contains(&output.task.0));
    }
    Ok(outputs)
}

/// The whole plan of a draft.
fn planned(
    settings: &Settings,
    outputs: &[Gradable],
    raters: &[(UserId, Reads, Option<u32>)],
) -> Result<Vec<Planned>, Failure> {
    if raters.is_empty() {
        return Err(Failure::invalid(
            "raters",
            ("no rater is selected", "未选择评分者"),
            ("Select at least one", "请至少选择一位"),
        ));
    }
    fits(settings.overlap, raters.len())?;
    let mut members: BTreeMap<i64, Vec<OutputId>> = BTreeMap::new();
    let mut units: BTreeMap<i64, Unit> = BTreeMap::new();
    for output in outputs {
        let unit = unit(settings.presentation, output);
        members.entry(unit.id).or_default().push(output.output);
        units.insert(unit.id, unit);
    }
    let units: Vec<Unit> = units.into_values().collect();
    let raters: Vec<plan::Rater> =
        raters.iter().map(|(id, reads, share)| plan::Rater { id: id.0, reads: *reads, share: *share }).collect();
    let given = plan::make(&units, &raters, settings.overlap, settings.seed).map_err(impossible)?;
    let places = given.into_iter().flat_map(|one| {
        members.get(&one.unit).into_iter().flatten().map(move |output| Planned {
            output: *output,
            slot: one.slot,
            rater: Some(UserId(one.rater)),
            place: Some(one.place),
        })
    });
    Ok(places.collect())
}

fn fits(overlap: u32, raters: usize) -> Result<(), Failure> {
    if overlap < 1 || overlap as usize > raters || overlap > OVERLAP_MAX {
        let most = raters.min(OVERLAP_MAX as usize);
        return Err(Failure::invalid(
            "overlap",
            (
                format!("{overlap} different raters per output are not possible with {raters} raters"),
                format!("{raters} 位评分者无法满足每个输出 {overlap} 位评分者"),
            ),
            (format!("Choose 1 to {most}"), format!("请选择 1 到 {most}")),
        ));
    }
    Ok(())
}

fn impossible(why: Impossible) -> Failure {
    match why {
        Impossible::TooFewReaders { lang, readers } => {
            let name = match lang {
                Lang::En => "English",
                Lang::Zh => "Chinese",
            };
            Failure::invalid(
                "raters",
                (
                    format!("only {readers} of the raters read {name}, fewer than the raters per output"),
                    format!("只有 {readers} 位评分者能阅读 {name}，少于每个输出的评分人数"),
                ),
                (
                    "Add raters who read it, lower the raters per output, or assign the work evenly",
                    "请添加能阅读该语言的评分者、减少每个输出的评分人数，或改为平均分配",
                ),
            )
        }
        Impossible::SharesTooSmall { shares, wanted } => Failure::invalid(
            "shares",
            (
                format!("the shares add up to {shares}, but the study needs {wanted}"),
                format!("份额合计为 {shares}，而项目需要 {wanted}"),
            ),
            (
                "Raise some shares. A share cannot exceed the outputs in the languages that the rater reads",
                "请提高部分份额；份额不能超过评分者所能阅读语言的输出数",
            ),
        ),
    }
}

fn unit(presentation: Presentation, output: &Gradable) -> Unit {
    match presentation {
        Presentation::One => {
            Unit { id: output.output.0, task: output.task.0, model: output.model.0, nl_lang: output.nl_lang }
        }
        // Every rater of a task rates all its models, so there is no model to balance.
        Presentation::SideBySide => Unit { id: output.task.0, task: output.task.0, model: 0, nl_lang: output.nl_lang },
    }
}

fn plan_again(conn: &Connection, study: &Study, kept: &BTreeSet<i64>) -> Result<u64, Failure> {
    let outputs = chosen(conn, &study.settings, kept)?;
    let places = planned(&study.settings, &outputs, &stored::raters(conn, study.id)?)?;
    stored::clear(conn, study.id)?;
    stored::insert(conn, study.id, &places)?;
    Ok(places.len() as u64)
}

/// The current raters without `except`.
fn standings(conn: &Connection, study: &Study, rows: &[Row], except: Option<UserId>) -> Result<Vec<Standing>, Failure> {
    let raters = stored::raters(conn, study.id)?.into_iter().filter(|(id, ..)| Some(*id) != except);
    let mut standings: Vec<Standing> = raters
        .map(|(id, reads, share)| Standing {
            rater: plan::Rater { id: id.0, reads, share },
            has: HashSet::new(),
            open: 0,
        })
        .collect();
    let at: HashMap<i64, usize> = standings.iter().enumerate().map(|(at, s)| (s.rater.id, at)).collect();
    let mut counted = HashSet::new();
    for row in rows {
        let Some(standing) = row.rater.and_then(|id| at.get(&id.0)).and_then(|at| standings.get_mut(*at)) else {
            continue;
        };
        let unit = unit(study.settings.presentation, &row.of);
        standing.has.insert(unit.id);
        if !row.rated && counted.insert((standing.rater.id, unit.id)) {
            standing.open += 1;
        }
    }
    Ok(standings)
}

/// Assigns planned ratings without a rater; those that no rater may get stay unassigned. Returns the number
/// of assigned ones.
fn share_out(conn: &Connection, study: &Study, free: &[Row], except: Option<UserId>) -> Result<u64, Failure> {
    let rows = stored::rows(conn, study.id)?;
    let mut standings = standings(conn, study, &rows, except)?;
    for standing in &mut standings {
        // Additional work raises manual shares.
        standing.rater.share = None;
    }
    let known: HashMap<i64, Unit> =
        rows.iter().map(|row| unit(study.settings.presentation, &row.of)).map(|unit| (unit.id, unit)).collect();
    // A unit once for each rater it lacks, with its planned ratings.
    let mut wants: Vec<(Unit, Vec<&Row>)> = Vec::new();
    let mut copies: HashMap<i64, usize> = HashMap::new();
    let mut groups: HashMap<(i64, usize), usize> = HashMap::new();
    for row in free {
        let unit = unit(study.settings.presentation, &row.of);
        // The n-th free rating of an output belongs to the n-th rater that its unit lacks.
        let copy = copies.entry(row.of.output.0).or_default();
        let at = *groups.entry((unit.id, *copy)).or_insert_with(|| {
            wants.push((unit, Vec::new()));
            wants.len() - 1
        });
        *copy += 1;
        if let Some((_, rows)) = wants.get_mut(at) {
            rows.push(row);
        }
    }
    let units: Vec<Unit> = wants.iter().map(|(unit, _)| *unit).collect();
    let draw = study.draw(conn)?;
    let found = plan::share_out(&units, &known, &mut standings, draw);
    let mut by_rater: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
    for (at, rater) in found.into_iter().enumerate() {
        if let Some(rater) = rater {
            by_rater.entry(rater).or_default().push(at);
        }
    }
    let mut moved = 0;
    for (rater, theirs) in by_rater {
        let rater = UserId(rater);
        let lists: Vec<&(Unit, Vec<&Row>)> = theirs.iter().filter_map(|at| wants.get(*at)).collect();
        moved += append(conn, study.id, rater, &lists, draw)?;
        raise_share(conn, study, rater)?;
    }
    Ok(moved)
}

/// Appends units to a rater's order, shuffled among themselves.
fn append(
    conn: &Connection,
    study: StudyId,
    rater: UserId,
    units: &[&(Unit, Vec<&Row>)],
    draw: u64,
) -> Result<u64, Failure> {
    let tasks: Vec<i64> = units.iter().map(|(unit, _)| unit.task).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(draw ^ rater.0.unsigned_abs());
    let last = queue::last_place(conn, study, rater)?;
    let mut moved = 0;
    for (place, at) in (last + 1..).zip(plan::spread(&tasks, &mut rng)) {
        let Some((_, rows)) = units.get(at) else { continue };
        for row in rows {
            stored::give(conn, row.assignment, Some(rater), Some(place))?;
            moved += 1;
        }
    }
    Ok(moved)
}

/// A manual share is never below the rater's present number.
fn raise_share(conn: &Connection, study: &Study, rater: UserId) -> Result<(), Failure> {
    if study.settings.sharing == Sharing::Hand {
        let has = u32::try_from(stored::units(conn, study.id, rater, study.settings.presentation)?).unwrap_or(u32::MAX);
        let known = stored::raters(conn, study.id)?.into_iter().find(|(id, ..)| *id == rater);
        if known.is_some_and(|(.., share)| share.is_some_and(|share| share < has)) {
            stored::set_share(conn, study.id, rater, has)?;
        }
    }
    Ok(())
}

fn leave(conn: &Connection, study: &Study, user: UserId) -> Result<(), Failure> {
    study.changeable()?;
    if !stored::raters(conn, study.id)?.iter().any(|(id, ..)| *id == user) {
        return Err(Failure::not_found("rater"));
    }
    if study.status == StudyStatus::Draft {
        stored::clear(conn, study.id)?;
        stored::remove(conn, study.id, user)?;
        let ratings = plan_again(conn, study, &BTreeSet::new())?;
        return stored::note(conn, study.id, "planned", None, &Moved { ratings, from: None });
    }
    let free: Vec<Row> =
        stored::rows(conn, study.id)?.into_iter().filter(|row| row.rater == Some(user) && !row.rated).collect();
    stored::leave(conn, study.id, user)?;
    checks::release(conn, study.id, user)?;
    for row in &free {
        stored::give(conn, row.assignment, None, None)?;
    }
    stored::note(conn, study.id, "left", Some(user), &Moved { ratings: free.len() as u64, from: Some(user) })?;
    share_out(conn, study, &free, Some(user))?;
    Ok(())
}

fn join(conn: &Connection, study: &Study, user: UserId, share: Option<u32>) -> Result<(), Failure> {
    study.changeable()?;
    if !studies::can_rate(conn, user)? {
        return Err(Failure::not_found("rater"));
    }
    if stored::raters(conn, study.id)?.iter().any(|(id, ..)| *id == user) {
        return Err(Failure::conflict(("This rater is already in the study.", "该评分者已在项目中。")));
    }
    let share = match (study.settings.sharing, share) {
        (Sharing::Hand, None) => {
            return Err(Failure::invalid(
                "share",
                ("this study assigns work manually", "该项目采用手动分配"),
                ("Enter a number of ratings for the rater", "请填写该评分者的评分数量"),
            ));
        }
        (Sharing::Hand, share) => share,
        _ => None,
    };
    let rows = stored::rows(conn, study.id)?;
    let before = standings(conn, study, &rows, Some(user))?;
    stored::join(conn, study.id, user, study.reads(conn, user)?, share)?;
    if study.status == StudyStatus::Draft {
        let ratings = plan_again(conn, study, &BTreeSet::new())?;
        return stored::note(conn, study.id, "planned", None, &Moved { ratings, from: None });
    }
    // Units that their rater has not started; of unassigned work, one rating per output.
    let mut units: Vec<(Unit, Option<i64>, Vec<&Row>, bool)> = Vec::new();
    let mut at: HashMap<(i64, Option<i64>), usize> = HashMap::new();
    for row in &rows {
        let unit = unit(study.settings.presentation, &row.of);
        let whose = row.rater.map(|id| id.0);
        let place = *at.entry((unit.id, whose)).or_insert_with(|| {
            units.push((unit, whose, Vec::new(), true));
            units.len() - 1
        });
        if let Some((_, whose, list, fresh)) = units.get_mut(place) {
            *fresh &= !row.begun && !row.rated;
            if whose.is_some() || !list.iter().any(|other| other.of.output == row.of.output) {
                list.push(row);
            }
        }
    }
    let units: Vec<(Unit, Option<i64>, Vec<&Row>)> =
        units.into_iter().filter(|(.., fresh)| *fresh).map(|(unit, whose, rows, _)| (unit, whose, rows)).collect();
    let waiting: Vec<(Unit, Option<i64>)> = units.iter().map(|(unit, whose, _)| (*unit, *whose)).collect();
    let open: HashMap<i64, u64> = before.iter().map(|standing| (standing.rater.id, standing.open)).collect();
    let all = standings(conn, study, &rows, None)?;
    let Some(newcomer) = all.into_iter().find(|standing| standing.rater.id == user.0) else {
        return Err(Failure::internal("the new rater is not in the study"));
    };
    let draw = study.draw(conn)?;
    let taken = plan::newcomer(&waiting, &open, &newcomer, draw);
    let mut lost: HashMap<i64, u32> = HashMap::new();
    let lists: Vec<(Unit, Vec<&Row>)> = taken
        .iter()
        .filter_map(|at| units.get(*at))
        .map(|(unit, whose, rows)| {
            if let Some(whose) = whose {
                *lost.entry(*whose).or_default() += 1;
            }
            (*unit, rows.clone())
        })
        .collect();
    let moved = append(conn, study.id, user, &lists.iter().collect::<Vec<_>>(), draw)?;
    if study.settings.sharing == Sharing::Hand {
        // What they passed on is no longer theirs to pass on.
        for (id, _, share) in stored::raters(conn, study.id)? {
            if let (Some(share), Some(lost)) = (share, lost.get(&id.0)) {
                stored::set_share(conn, study.id, id, share.saturating_sub(*lost))?;
            }
        }
    }
    stored::note(conn, study.id, "joined", Some(user), &Moved { ratings: moved, from: None })
}

fn extend(conn: &Connection, study: Study, by: Extension) -> Result<(), Failure> {
    study.changeable()?;
    let before = study.settings.clone();
    let mut settings = before.clone();
    let more = distinct(&by.submissions);
    settings.submissions.extend(more.iter().filter(|id| !before.submissions.contains(id)));
    one_version(conn, &study.dataset, &settings.submissions)?;
    if let Some(overlap) = by.overlap {
        if overlap < before.overlap {
            return Err(Failure::invalid(
                "overlap",
                (
                    format!("each output already has {} raters", before.overlap),
                    format!("每个输出已有 {} 位评分者", before.overlap),
                ),
                (
                    "The number cannot be lowered. Duplicate the study to use a smaller one",
                    "此数不能减少；如需更少，请复制项目后重新设置",
                ),
            ));
        }
        settings.overlap = overlap;
    }
    let rows = stored::rows(conn, study.id)?;
    let kept: BTreeSet<i64> = rows.iter().map(|row| row.of.task.0).collect();
    if let Some(tasks) = by.tasks {
        if before.tasks.is_some() && (tasks as usize) < kept.len() {
            return Err(Failure::invalid(
                "tasks",
                (format!("the study already has {} tasks", kept.len()), format!("项目已有 {} 个任务", kept.len())),
                ("Enter this number or a larger one", "请输入不小于此数的数字"),
            ));
        }
        // A study of all tasks has no more to add.
        settings.tasks = before.tasks.map(|_| tasks);
    }
    let raters = stored::raters(conn, study.id)?;
    fits(settings.overlap, raters.len())?;
    let outputs = chosen(conn, &settings, &kept)?;
    for lang in Lang::ALL {
        let readers = raters.iter().filter(|(_, reads, _)| reads.has(lang)).count();
        if readers < settings.overlap as usize && outputs.iter().any(|output| output.nl_lang == lang) {
            return Err(impossible(Impossible::TooFewReaders { lang, readers }));
        }
    }
    let study = Study { settings, ..study };
    stored::set_settings(conn, study.id, &study.settings)?;
    if study.status == StudyStatus::Draft {
        let ratings = plan_again(conn, &study, &kept)?;
        return stored::note(conn, study.id, "planned", None, &Moved { ratings, from: None });
    }
    let there: BTreeSet<i64> = rows.iter().map(|row| row.of.output.0).collect();
    let mut places = Vec::new();
    for output in &outputs {
        let from = if there.contains(&output.output.0) { before.overlap } else { 0 };
        places.extend((from..study.settings.overlap).map(|slot| Planned {
            output: output.output,
            slot,
            rater: None,
            place: None,
        }));
    }
    if places.is_empty() {
        return Err(Failure::conflict((
            "Nothing to add. Choose a submission, more tasks or more raters per output.",
            "没有可增加的内容：请选择输出集、更多任务或更多评分人数。",
        )));
    }
    stored::insert(conn, study.id, &places)?;
    stored::note(conn, study.id, "extended", None, &Moved { ratings: places.len() as u64, from: None })?;
    if study.settings.presentation == Presentation::SideBySide {
        same_raters(conn, &study, &kept)?;
    }
    let added: BTreeSet<(i64, u32)> = places.iter().map(|place| (place.output.0, place.slot)).collect();
    let free: Vec<Row> = stored::rows(conn, study.id)?
        .into_iter()
        .filter(|row| row.rater.is_none() && added.contains(&(row.of.output.0, row.slot)))
        .collect();
    share_out(conn, &study, &free, None)?;
    stored::look_over(conn, study.id)
}

/// Assigns new outputs of side-by-side tasks to the raters who have the task.
fn same_raters(conn: &Connection, study: &Study, tasks: &BTreeSet<i64>) -> Result<(), Failure> {
    let rows = stored::rows(conn, study.id)?;
    let active: BTreeSet<i64> = stored::raters(conn, study.id)?.into_iter().map(|(id, ..)| id.0).collect();
    let mut people: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
    let mut of: BTreeMap<(i64, i64), Vec<&Row>> = BTreeMap::new();
    for row in rows.iter().filter(|row| tasks.contains(&row.of.task.0)) {
        if let Some(rater) = row.rater.filter(|id| active.contains(&id.0)) {
            people.entry(row.of.task.0).or_default().insert(rater.0);
        }
        of.entry((row.of.task.0, row.of.output.0)).or_default().push(row);
    }
    for ((task, _), rows) in &of {
        let mut lacking = people.get(task).cloned().unwrap_or_default();
        for row in rows {
            if let Some(rater) = row.rater {
                lacking.remove(&rater.0);
            }
        }
        let free = rows.iter().filter(|row| row.rater.is_none());
        for (row, rater) in free.zip(lacking) {
            let rater = UserId(rater);
            let place = queue::last_place(conn, study.id, rater)? + 1;
            stored::give(conn, row.assignment, Some(rater), Some(place))?;
        }
    }
    Ok(())
}

fn copy(conn: &Connection, study: &Study) -> Result<NewStudy, Failure> {
    let settings = &study.settings;
    let mut raters = Vec::new();
    for rater in stored::raters(conn, study.id)? {
        if studies::can_rate(conn, rater.0)? {
            raters.push(rater);
        }
    }
    let suffix = " (2)";
    let title: String = study.title.chars().take(TITLE_MAX - suffix.len()).collect();
    Ok(NewStudy {
        title: format!("{title}{suffix}"),
        dataset: study.dataset.clone(),
        submissions: settings.submissions.clone(),
        shares: raters.iter().map(|(.., share)| share.unwrap_or(0)).collect(),
        raters: raters.into_iter().map(|(id, ..)| id).collect(),
        overlap: settings.overlap,
        seed: None,
        tasks: settings.tasks,
        presentation: settings.presentation,
        sharing: settings.sharing,
        pace_s: settings.pace_s,
        rubric: studies::setup(conn, study.id)?.map(|setup| setup.rubric.name()),
        draft: true,
    })
}

fn detail(conn: &Connection, id: StudyId) -> Result<PlanDetail, Failure> {
    let study = Study::open(conn, id)?;
    let models = studies::models(conn, id)?;
    let size = stored::size(conn, id)?;
    let all = chosen(conn, &Settings { tasks: None, ..study.settings.clone() }, &BTreeSet::new())?;
    let mut gaps = stored::gaps(conn, id)?;
    gaps.sort_unstable();
    let median = gaps.get(gaps.len() / 2).filter(|_| gaps.len() >= GAPS_MIN);
    let (events, taken) = stored::events(conn, id)?;
    Ok(PlanDetail {
        study: id,
        title: study.title,
        status: study.status,
        presentation: study.settings.presentation,
        sharing: study.settings.sharing,
        overlap: study.settings.overlap,
        seed: study.settings.seed.to_string(),
        dataset: study.dataset,
        tasks: size.tasks,
        tasks_most: all.iter().map(|output| output.task).collect::<HashSet<TaskRevisionId>>().len() as u64,
        outputs: size.outputs,
        wanted: size.wanted,
        done: size.done,
        waiting: size.waiting,
        pace_s: study.settings.pace_s,
        measured_s: median.and_then(|ms| u32::try_from((ms + 999) / 1000).ok()),
        raters: stored::shares(conn, id, &models.iter().map(|(id, _)| *id).collect::<Vec<_>>())?,
        models: models.into_iter().map(|(_, name)| name).collect(),
        more: stored::more(conn, id)?,
        others: stored::others(conn, id)?,
        events,
        taken,
    })
}

fn distinct<T: Copy + Ord>(given: &[T]) -> Vec<T> {
    let mut seen = BTreeSet::new();
    given.iter().copied().filter(|id| seen.insert(*id)).collect()
}
