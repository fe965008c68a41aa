//! Known-score items: adding them, also outputs that the study grades, their pools, and files of them.

use std::collections::BTreeSet;

use model::{
    audit_details::Fact,
    error::AppError,
    ids::{OutputId, StudyId, TaskRevisionId, UserId},
    plan::RatedAnswers,
    quality::{
        CalibrationMode, KnownItemChange, KnownItemProposal, KnownItemRecord, KnownItemSource, NewKnownItem, Pool,
        QualitySettings,
    },
    text::excerpt,
};
use rusqlite::Connection;

use super::masking;
use base::error::Failure;
use db::{
    conversations, plan,
    quality::{
        self, disagreements,
        known_items::{self, PoolSizes},
        masks,
    },
};
use stats::raters::final_scores;

/// Maximum length of an item's code, and of the text around it, in characters: longer than any published output.
const CODE_MAX: usize = 32 * 1024;
/// Maximum length of a reason, in characters.
const REASON_MAX: usize = 2000;
/// Most items of one file.
const ITEMS_MOST: usize = 1000;

/// Characters of a line that few people would write.
const LONG_LINE: usize = 120;

/// The audit log's details of a new item.
pub fn facts(id: i64, new: &NewKnownItem) -> Vec<Fact> {
    let output = match new.source {
        KnownItemSource::Output(output) => Some(Fact::Output(output)),
        KnownItemSource::Pasted { .. } => None,
    };
    [Fact::KnownItem(id)].into_iter().chain(output).chain([Fact::Pool(new.pool)]).collect()
}

/// What the outputs of a study look like, so that its hidden checks look the same.
#[derive(Clone, Debug)]
pub struct Likeness {
    /// Whether an output has text around its code.
    with_text: bool,
    /// Whether an output has none.
    without_text: bool,
    /// Whether an output names a model, or none of the new items does.
    may_name: bool,
    /// Whether there is a task of which raters see one output only, as of one that has no outputs but the item.
    has_single_task: bool,
    /// Forms of new items that no output has.
    missing_forms: BTreeSet<Form>,
    /// Which answers of conversations the study rates.
    answers: RatedAnswers,
}

/// How code is written, which raters see in its original form. Published outputs of some models have a space around every
/// token, or no line breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Form {
    has_spaced_tokens: bool,
    /// All of it is one line, and too long for one.
    is_long_line: bool,
    has_tabs: bool,
}

impl Form {
    fn of(code: &str) -> Form {
        // Few people write a space before any of these.
        let (mut all, mut spaced, mut before) = (0_usize, 0, ' ');
        for c in code.chars() {
            if matches!(c, '(' | ')' | '.' | ',' | ';') {
                all += 1;
                spaced += usize::from(before == ' ');
            }
            before = c;
        }
        Form {
            has_spaced_tokens: all > 0 && 2 * spaced > all,
            is_long_line: code.trim().chars().count() > LONG_LINE && !code.trim().contains('\n'),
            has_tabs: code.contains('\t'),
        }
    }
}

/// How new items have to look. Takes long if items name a model and outputs do not, so it is called before the transaction.
pub fn likeness(conn: &Connection, study: StudyId, new: &[KnownItemSource]) -> Result<Likeness, Failure> {
    let mut texts = Vec::new();
    for of in new {
        match source(conn, study, of) {
            Ok(source) => texts.push((source.code, source.surrounding_text)),
            // `add` says which item it is.
            Err(Failure::App(_)) => {}
            Err(other) => return Err(other),
        }
    }
    likeness_for(conn, study, &texts)
}

/// The same for the code of items and the text around it.
fn likeness_for(conn: &Connection, study: StudyId, texts: &[(String, String)]) -> Result<Likeness, Failure> {
    let finder = masking::leak_finder(conn)?;
    let names = |code: &str, text: &str| finder.find(0, "", code, text).is_some();
    let mut may_name = !texts.iter().any(|(code, text)| names(code, text));
    let mut missing_forms: BTreeSet<Form> = texts.iter().map(|(code, _)| Form::of(code)).collect();
    for submission in plan::input(conn, study)?.map(|input| input.submissions).unwrap_or_default() {
        if may_name && missing_forms.is_empty() {
            break;
        }
        for (.., code, text) in masks::texts_of_study(conn, study, submission)? {
            may_name = may_name || names(&code, &text);
            missing_forms.remove(&Form::of(&code));
        }
    }
    let has = |text| known_items::has_output_with(conn, study, text);
    let answers = plan::settings(conn, study)?.answers;
    let has_single_task = known_items::has_single_task(conn, study)?;
    Ok(Likeness { with_text: has(true)?, without_text: has(false)?, may_name, has_single_task, missing_forms, answers })
}

/// Adds an item.
pub fn add(
    conn: &Connection,
    study: StudyId,
    new: &NewKnownItem,
    likeness: &Likeness,
    by: Option<UserId>,
) -> Result<i64, Failure> {
    let source = source(conn, study, &new.source)?;
    let rubric = super::setup(conn, study)?.rubric;
    let scores = match &new.source {
        KnownItemSource::Output(output) if source.graded && new.scores.is_empty() => {
            let found = proposal(conn, study, *output)?.scores;
            found.into_iter().map(Option::unwrap_or_default).collect()
        }
        _ => new.scores.clone(),
    };
    let fits = scores.len() == rubric.dimensions.len()
        && rubric.dimensions.iter().zip(&scores).all(|(d, score)| d.has(*score));
    if !fits {
        return Err(Failure::invalid(
            "scores",
            ("a known score is missing or outside its scale", "有标准分数缺失或超出评分范围"),
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
    if source.graded && reasons.iter().all(|reason| reason.en.is_empty() && reason.zh.is_empty()) {
        return Err(Failure::invalid(
            "reasons",
            ("an output of this study needs an explanation of its scores", "本项目的输出须说明评分理由"),
            ("Give a reason for at least one dimension", "请至少为一个维度填写理由"),
        ));
    }
    if !source.graded && new.pool != Pool::Calibration {
        likeness.check(conn, study, &source)?;
    }
    if known_items::has(conn, study, source.revision, &source.code)? {
        return Err(Failure::conflict((
            "This code is already a known-score item of its task. Change the pool of that item instead.",
            "该代码已是此任务的标准题，请直接更改那道题的用途。",
        )));
    }
    let row = known_items::NewRow {
        revision: source.revision,
        output: source.output,
        code: &source.code,
        surrounding_text: &source.surrounding_text,
        scores: &scores,
        reasons: &reasons,
        pool: new.pool,
    };
    known_items::insert(conn, study, &row, by)
}

/// The code of a new item.
struct Source {
    revision: TaskRevisionId,
    output: Option<OutputId>,
    code: String,
    surrounding_text: String,
    /// Whether the study grades the output.
    graded: bool,
}

fn source(conn: &Connection, study: StudyId, of: &KnownItemSource) -> Result<Source, Failure> {
    match of {
        KnownItemSource::Output(id) => {
            let Some((revision, code, surrounding_text, graded)) = known_items::output(conn, study, *id)? else {
                return Err(Failure::not_found("output"));
            };
            if graded && disagreements::rated(conn, study, *id)?.is_none() {
                return Err(Failure::invalid(
                    "output",
                    ("this output is part of the study, and nobody has rated it yet", "该输出属于本项目，尚无人评分"),
                    ("Choose an output that is rated, or paste code", "请选择已评分的输出，或粘贴代码"),
                ));
            }
            Ok(Source { revision, output: Some(*id), code, surrounding_text, graded })
        }
        KnownItemSource::Pasted { task, code, surrounding_text } => {
            if !known_items::has_task(conn, study, *task)? {
                return Err(Failure::not_found("task"));
            }
            // Without a conversation around it, a hidden check would show that it is none of the work.
            if !conversations::turns(conn, *task)?.is_empty() {
                return Err(Failure::invalid(
                    "code",
                    (
                        "the task is a conversation, of which the code would be no part",
                        "该任务是一段对话，粘贴的代码不属于其中",
                    ),
                    ("Choose an output of a submission instead", "请改为选择某个输出集中的输出"),
                ));
            }
            let code = code.replace("\r\n", "\n");
            if code.trim().is_empty() || code.chars().count() > CODE_MAX {
                return Err(Failure::invalid(
                    "code",
                    ("the code must have 1 to 32,768 characters", "代码须为 1 到 32,768 个字符"),
                    ("Paste code for the task", "请粘贴该任务的代码"),
                ));
            }
            let surrounding_text = surrounding_text.replace("\r\n", "\n").trim().to_owned();
            if surrounding_text.chars().count() > CODE_MAX {
                return Err(Failure::invalid(
                    "surrounding_text",
                    ("the text around the code is longer than 32,768 characters", "代码以外的文字超过 32,768 个字符"),
                    ("Shorten it", "请缩短"),
                ));
            }
            Ok(Source { revision: *task, output: None, code, surrounding_text, graded: false })
        }
    }
}

impl Likeness {
    /// Refuses a hidden check that raters could tell from work by its text.
    fn check(&self, conn: &Connection, study: StudyId, source: &Source) -> Result<(), Failure> {
        let has_text = !source.surrounding_text.is_empty();
        if has_text && !self.with_text && self.without_text {
            return Err(Failure::invalid(
                "surrounding_text",
                (
                    "no output of this study has text around its code, so raters could tell this item from work",
                    "本项目的输出都没有代码以外的文字，评分者能把这道题与正常题目区分开",
                ),
                ("Use code without such text", "请使用不带这类文字的代码"),
            ));
        }
        if !has_text && self.with_text && !self.without_text {
            return Err(Failure::invalid(
                "surrounding_text",
                (
                    "every output of this study has text around its code, so raters could tell this item from work",
                    "本项目的输出都带有代码以外的文字，评分者能把这道题与正常题目区分开",
                ),
                ("Add text such as a model would write around the code", "请补充模型会在代码前后写的文字"),
            ));
        }
        if !self.may_name && masking::leak_finder(conn)?.find(0, "", &source.code, &source.surrounding_text).is_some() {
            return Err(Failure::invalid(
                "code",
                (
                    "the code names a model and no output of this study does, so raters could tell this item from work",
                    "代码中出现了模型名称，而本项目的输出都没有，评分者能把这道题与正常题目区分开",
                ),
                ("Remove the name", "请删去该名称"),
            ));
        }
        if self.missing_forms.contains(&Form::of(&source.code)) {
            return Err(Failure::invalid(
                "code",
                (
                    "no output of this study is written in this form (spaces around tokens, line breaks, tabs), so raters could \
                     tell this item from work",
                    "本项目的输出都不是这种写法（标记之间的空格、换行、制表符），评分者能把这道题与正常题目区分开",
                ),
                ("Write the code as the study's outputs are written", "请按本项目输出的写法书写代码"),
            ));
        }
        if let Some(output) = source.output
            && !plan::could_rate(conn, study, output, self.answers)?
        {
            return Err(Failure::invalid(
                "output",
                (
                    "the study rates other answers of conversations, so raters could tell this item from work",
                    "本项目评的是对话中的其他回答，评分者能把这道题与正常题目区分开",
                ),
                (
                    "Choose an answer such as the study rates, or use the item in the calibration only",
                    "请选择本项目会评的那类回答，或仅用于校准",
                ),
            ));
        }
        if !self.has_single_task && !known_items::is_graded(conn, study, source.revision)? {
            return Err(Failure::invalid(
                "task",
                (
                    "the study has no output of this task, so raters could tell this item from work",
                    "本项目没有该任务的输出，评分者能把这道题与正常题目区分开",
                ),
                (
                    "Choose a task of the study, or use the item in the calibration only",
                    "请选择本项目中的任务，或仅用于校准",
                ),
            ));
        }
        Ok(())
    }
}

/// An output that the study grades, with its final scores: those of its adjudication, or the median of its ratings.
pub fn proposal(conn: &Connection, study: StudyId, output: OutputId) -> Result<KnownItemProposal, Failure> {
    let dimensions = super::setup(conn, study)?.rubric.dimensions.len();
    let found = disagreements::rated(conn, study, output)?;
    let Some(one) = found else { return Err(Failure::not_found("output")) };
    let history = disagreements::history(conn, study, output)?;
    let decision = history.into_iter().map(|one| one.decision).find(|decision| !decision.replaced);
    let given: Vec<Vec<u8>> = one.ratings.iter().map(|(.., scores)| scores.clone()).collect();
    let scores = final_scores(decision.as_ref().map(|d| d.scores.as_slice()), true, &given, dimensions);
    // A median between two levels is no score.
    let whole = |score: f64| (score.fract() == 0.0).then_some(score as u8);
    let about = disagreements::about(conn, output)?;
    Ok(KnownItemProposal {
        output,
        task_id: about.task_id,
        raw_nl: excerpt(&about.raw_nl, 200),
        nl_lang: about.nl_lang,
        model: about.model,
        scores: scores.unwrap_or_default().into_iter().map(whole).collect(),
        decision: decision.map(|d| d.comment),
        ratings: given.len() as u64,
        missing: known_items::missing(conn, study, output)?,
    })
}

/// How an item has to look to come as a hidden check. As long as [`likeness`].
pub fn likeness_of_item(conn: &Connection, study: StudyId, item: i64) -> Result<Likeness, Failure> {
    let found = known_items::get(conn, item)?.filter(|found| found.study == study);
    let texts = found.ok_or_else(|| Failure::not_found("item"))?.texts;
    likeness_for(conn, study, &[(texts.code, texts.surrounding_text)])
}

/// Deactivates or activates an item, or changes its pool. `likeness` is needed for a pool of hidden checks.
pub fn change(
    conn: &Connection,
    study: StudyId,
    item: i64,
    change: KnownItemChange,
    likeness: Option<&Likeness>,
) -> Result<(), Failure> {
    if let Some(likeness) = likeness {
        let found = find(conn, study, item)?;
        if !found.graded {
            let source = Source {
                revision: known_items::task(conn, item)?.ok_or_else(|| Failure::not_found("task"))?,
                output: found.output,
                code: found.texts.code,
                surrounding_text: found.texts.surrounding_text,
                graded: false,
            };
            likeness.check(conn, study, &source)?;
        }
    }
    if !known_items::change(conn, study, item, change)? {
        return Err(Failure::not_found("item"));
    }
    enough(conn, study)
}

/// An item of a study.
///
/// # Errors
///
/// Fails if the study has no such item.
pub fn find(conn: &Connection, study: StudyId, item: i64) -> Result<known_items::KnownItem, Failure> {
    let found = known_items::get(conn, item)?.filter(|found| found.study == study);
    found.ok_or_else(|| Failure::not_found("item"))
}

/// Removes an item that no rater has had.
pub fn remove(conn: &Connection, study: StudyId, item: i64) -> Result<(), Failure> {
    if find(conn, study, item)?.used {
        return Err(Failure::conflict((
            "A rater has had this item, so it stays in the records. Deactivate it instead.",
            "已有评分者做过这道题，须保留记录。请改为停用。",
        )));
    }
    known_items::remove(conn, item)?;
    enough(conn, study)
}

/// Refuses a change after which raters could not pass the calibration.
fn enough(conn: &Connection, study: StudyId) -> Result<(), Failure> {
    let settings = quality::settings(conn, study)?;
    let items = known_items::sizes(conn, study)?.calibration;
    if settings.calibration == CalibrationMode::MustPass && (items as u64) < u64::from(settings.needed) {
        return Err(Failure::conflict((
            "Fewer items would remain in the calibration than raters need to get right. Lower that number first.",
            "校准中剩余的标准题将少于通过所需的题数，请先减少通过所需的题数。",
        )));
    }
    Ok(())
}

/// The active items, for a file.
pub fn records(conn: &Connection, study: StudyId) -> Result<Vec<KnownItemRecord>, Failure> {
    super::setup(conn, study)?;
    let items = known_items::list(conn, study)?.into_iter().filter(|item| !item.deactivated);
    let record = |item: known_items::KnownItem| KnownItemRecord {
        task_id: item.task_id,
        code: item.texts.code,
        surrounding_text: item.texts.surrounding_text,
        scores: item.scores,
        reasons: item.reasons,
        pool: item.pool,
    };
    Ok(items.map(record).collect())
}

/// The items of a file. A problem names its item, counted from 1.
pub fn of_file(conn: &Connection, study: StudyId, items: Vec<KnownItemRecord>) -> Result<Vec<NewKnownItem>, Failure> {
    if items.is_empty() || items.len() > ITEMS_MOST {
        return Err(Failure::invalid(
            "items",
            (format!("the file has {} items", items.len()), format!("文件包含 {} 道题", items.len())),
            (format!("Import 1 to {ITEMS_MOST}"), format!("请导入 1 到 {ITEMS_MOST} 道题")),
        ));
    }
    let new = |(number, item): (u64, KnownItemRecord)| {
        let KnownItemRecord { task_id, code, surrounding_text, scores, reasons, pool } = item;
        let Some(task) = known_items::task_named(conn, study, &task_id)? else {
            return Err(Failure::invalid(
                &format!("{number}.task_id"),
                (format!("the dataset has no task \"{task_id}\""), format!("数据集中没有任务“{task_id}”")),
                ("Use a task of the study's dataset", "请使用该项目数据集中的任务"),
            ));
        };
        Ok(NewKnownItem { source: KnownItemSource::Pasted { task, code, surrounding_text }, scores, reasons, pool })
    };
    (1..).zip(items).map(new).collect()
}

/// Adds the items of a file. A problem names its item, counted from 1.
pub fn import(
    conn: &Connection,
    study: StudyId,
    items: &[NewKnownItem],
    likeness: &Likeness,
    by: Option<UserId>,
) -> Result<u64, Failure> {
    for (number, new) in (1u64..).zip(items) {
        add(conn, study, new, likeness, by).map_err(|failure| match failure {
            Failure::App(AppError::Invalid(mut problems)) => {
                problems.iter_mut().for_each(|problem| problem.file = format!("{number}.{}", problem.file));
                Failure::App(AppError::Invalid(problems))
            }
            other => other,
        })?;
    }
    Ok(items.len() as u64)
}

/// The items that the settings need and the pools lack, if any.
pub fn check_pools(settings: &QualitySettings, pools: PoolSizes) -> Result<(), Failure> {
    let PoolSizes { calibration, hidden, both } = pools;
    let calibrates = settings.calibration != CalibrationMode::None;
    if calibrates && calibration == 0 {
        return Err(Failure::invalid(
            "calibration",
            ("the calibration has no known-score items that every rater can get", "校准没有每位评分者都能做的标准题"),
            ("Add items for the calibration below first", "请先在下方添加用于校准的标准题"),
        ));
    }
    if settings.known_item_every > 0 && hidden == 0 && both == 0 {
        return Err(Failure::invalid(
            "known_item_every",
            ("no known-score items are for hidden checks", "没有用于隐藏检验的标准题"),
            ("Add items for hidden checks below first, or enter 0", "请先在下方添加用于隐藏检验的标准题，或输入 0"),
        ));
    }
    if settings.known_item_every > 0 && hidden == 0 && calibrates {
        return Err(Failure::invalid(
            "known_item_every",
            (
                "no known-score items are left for hidden checks, because items in both pools come in the calibration",
                "没有剩余的标准题用于隐藏检验，因为两用的标准题都在校准中出现",
            ),
            (
                "Add items for hidden checks only, change the pool of some, or enter 0",
                "请添加仅用于隐藏检验的标准题，更改部分标准题的用途，或输入 0",
            ),
        ));
    }
    if settings.calibration == CalibrationMode::MustPass
        && (settings.needed == 0 || settings.needed as usize > calibration)
    {
        return Err(Failure::invalid(
            "needed",
            (
                format!("the calibration has {calibration} items, so {} cannot be required", settings.needed),
                format!("校准共有 {calibration} 题，无法要求答对 {} 题", settings.needed),
            ),
            (format!("Require 1 to {calibration}"), format!("请要求 1 到 {calibration} 题")),
        ));
    }
    Ok(())
}
