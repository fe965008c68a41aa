//! Editing a draft: its settings change and its plan is drawn again.

use model::{
    error::AppError,
    quality::QualitySettings,
    study::{NewStudy, StudyChange, StudyDraft, StudyStatus},
};
use rusqlite::Connection;

use super::{
    Study,
    change::{Compute, plan_again},
    new_study::asked,
};
use base::error::Failure;
use db::{
    plan as stored,
    quality::{self, known_items},
    studies,
};

/// The settings of a study.
pub(super) fn draft(conn: &Connection, study: &Study) -> Result<StudyDraft, Failure> {
    Ok(StudyDraft { status: study.status, settings: settings(conn, study)? })
}

fn settings(conn: &Connection, study: &Study) -> Result<NewStudy, Failure> {
    let Study { title, dataset, settings, .. } = study;
    let raters = stored::raters(conn, study.id)?;
    Ok(NewStudy {
        title: title.clone(),
        dataset: dataset.clone(),
        submissions: settings.submissions.clone(),
        shares: raters.iter().map(|(.., share)| share.unwrap_or(0)).collect(),
        raters: raters.into_iter().map(|(id, ..)| id).collect(),
        raters_per_output: settings.raters_per_output,
        seed: Some(settings.seed),
        tasks: settings.tasks,
        presentation: settings.presentation,
        answers: settings.answers,
        sharing: settings.sharing,
        pace_s: settings.pace_s,
        rubric: studies::setup(conn, study.id)?.map(|setup| setup.rubric.name()),
        break_minutes: quality::settings(conn, study.id)?.break_minutes,
        draft: true,
    })
}

/// Changes a draft. Its guidelines and quality settings stay.
pub(super) fn edit(conn: &Connection, study: &Study, change: &StudyChange) -> Result<Compute, Failure> {
    editable(study)?;
    let id = study.id;
    let before = settings(conn, study)?;
    let after = changed(before.clone(), change.clone())?;
    let (plan, outputs) = asked(conn, &after)?;
    let break_minutes = after.break_minutes;
    if plan.rubric_id != studies::rubric_id(conn, id)? && !known_items::list(conn, id)?.is_empty() {
        return Err(Failure::invalid(
            "rubric",
            (
                "the known scores of this study's items were given by the present rubric",
                "该项目标准题的标准评分是按当前评分标准给出的",
            ),
            ("Keep the rubric, or create another study", "请保留当前评分标准，或另建项目"),
        ));
    }
    let (next, members) = (plan.settings.clone(), plan.raters.clone());
    let replace = move |conn: &Connection| {
        // Neither a title nor a pace raises the version of the plan.
        if settings(conn, &Study::open(conn, id)?)? != before {
            return Err(Failure::conflict((
                "Somebody else has changed this draft meanwhile. Nothing was changed; open it again.",
                "其他管理员刚刚修改了该草稿，您的修改未保存，请重新打开。",
            )));
        }
        if plan.rubric_id != studies::rubric_id(conn, id)? && !known_items::list(conn, id)?.is_empty() {
            return Err(Failure::conflict((
                "Items with known scores were added meanwhile, so the rubric stays. Nothing was changed.",
                "期间添加了标准题，因此评分标准不能更改，您的修改未保存。",
            )));
        }
        for (rater, ..) in &plan.raters {
            if !studies::can_rate(conn, *rater)? {
                return Err(Failure::not_found("rater"));
            }
        }
        if break_minutes != before.break_minutes {
            let settings = quality::settings(conn, id)?;
            quality::save_settings(conn, id, &QualitySettings { break_minutes, ..settings })?;
        }
        studies::replace(conn, id, &plan)
    };
    Ok(plan_again(id, next, outputs, members, replace))
}

fn editable(study: &Study) -> Result<(), Failure> {
    match study.status {
        StudyStatus::Draft => Ok(()),
        _ => Err(Failure::conflict((
            "The study has started, so its settings stay as they are. Extend it, add or remove raters, or duplicate it as a new draft.",
            "项目已经开始，其设置不能再修改。可以扩充项目、添加或移除评分者，或复制为新的草稿。",
        ))),
    }
}

/// The settings with the changes.
fn changed(before: NewStudy, change: StudyChange) -> Result<NewStudy, Failure> {
    let StudyChange {
        title,
        rubric,
        submissions,
        raters,
        raters_per_output,
        seed,
        tasks,
        presentation,
        answers,
        sharing,
        shares,
        pace_s,
        break_minutes,
    } = change;
    if raters.is_some() && shares.is_none() && sharing.unwrap_or(before.sharing) == model::plan::Sharing::Hand {
        return Err(AppError::invalid(
            "shares",
            ("the raters change, but not their shares", "修改了评分者，但没有给出份额"),
            ("Enter a number of ratings for each rater", "请为每位评分者填写评分数量"),
        )
        .into());
    }
    // 0 stands for what `null` would say, which JSON cannot tell from an absent field.
    let number = |new: Option<u32>, old| match new {
        None => old,
        Some(0) => None,
        some => some,
    };
    Ok(NewStudy {
        title: title.unwrap_or(before.title),
        dataset: before.dataset,
        submissions: submissions.unwrap_or(before.submissions),
        raters: raters.unwrap_or(before.raters),
        raters_per_output: raters_per_output.unwrap_or(before.raters_per_output),
        seed: seed.or(before.seed),
        tasks: number(tasks, before.tasks),
        presentation: presentation.unwrap_or(before.presentation),
        answers: answers.unwrap_or(before.answers),
        sharing: sharing.unwrap_or(before.sharing),
        shares: shares.unwrap_or(before.shares),
        pace_s: number(pace_s, before.pace_s),
        // An empty name would stand for the dataset's default.
        rubric: rubric.filter(|name| !name.trim().is_empty()).or(before.rubric),
        break_minutes: break_minutes.unwrap_or(before.break_minutes),
        draft: true,
    })
}
