//! Editing a draft: its settings change and its plan is drawn again.

use model::{
    ids::UserId,
    plan::Sharing,
    study::{NewStudy, StudyChange, StudyDraft, StudyStatus},
};
use rusqlite::Connection;

use super::{
    Study,
    change::{Compute, plan_again},
    new_study::asked,
};
use crate::quality::known;
use base::error::Failure;
use db::{plan as stored, quality::known_items, studies};

/// The settings of a study.
pub(super) fn draft(conn: &Connection, study: &Study) -> Result<StudyDraft, Failure> {
    Ok(StudyDraft { status: study.status, settings: present(conn, study)? })
}

/// The study as a request for it, with the raters for whom `counts` is true.
pub(super) fn request(
    conn: &Connection,
    study: &Study,
    counts: impl Fn(UserId) -> Result<bool, Failure>,
) -> Result<NewStudy, Failure> {
    let mut raters = Vec::new();
    for rater in stored::raters(conn, study.id)? {
        if counts(rater.0)? {
            raters.push(rater);
        }
    }
    Ok(NewStudy {
        title: study.title.clone(),
        dataset: study.dataset.clone(),
        submissions: study.input.submissions.clone(),
        shares: raters.iter().map(|(.., share)| share.unwrap_or(0)).collect(),
        raters: raters.into_iter().map(|(id, ..)| id).collect(),
        seed: Some(study.input.seed),
        rubric: studies::setup(conn, study.id)?.map(|setup| setup.rubric.name()),
        draft: true,
        settings: study.input.settings,
    })
}

fn present(conn: &Connection, study: &Study) -> Result<NewStudy, Failure> {
    request(conn, study, |_| Ok(true))
}

/// Changes a draft. Its guidelines stay.
pub(super) fn edit(conn: &Connection, study: &Study, change: &StudyChange) -> Result<Compute, Failure> {
    editable(study)?;
    let id = study.id;
    let before = present(conn, study)?;
    let after = changed(&before, change)?;
    if after.settings.quality != before.settings.quality {
        known::check_pools(&after.settings.quality, known_items::sizes(conn, id)?)?;
    }
    let (plan, outputs) = asked(conn, &after)?;
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
    let (next, members) = (plan.input.clone(), plan.raters.clone());
    let replace = move |conn: &Connection| {
        // Neither a title nor a pace raises the version of the plan.
        if present(conn, &Study::open(conn, id)?)? != before {
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
fn changed(before: &NewStudy, change: &StudyChange) -> Result<NewStudy, Failure> {
    let after = change.apply(before)?;
    for (field, stays) in [("dataset", after.dataset == before.dataset), ("draft", after.draft)] {
        if !stays {
            return Err(Failure::invalid(
                field,
                ("it cannot be changed", "此项不能更改"),
                ("Leave it out, or create another study", "请去掉此项，或另建项目"),
            ));
        }
    }
    if change.has("raters") && !change.has("shares") && after.settings.sharing == Sharing::Hand {
        return Err(Failure::invalid(
            "shares",
            ("the raters change, but not their shares", "修改了评分者，但没有给出份额"),
            ("Enter a number of ratings for each rater", "请为每位评分者填写评分数量"),
        ));
    }
    let seed = after.seed.or(before.seed);
    // Without a name, the study would get the dataset's default.
    let rubric = after.rubric.filter(|name| !name.trim().is_empty()).or_else(|| before.rubric.clone());
    Ok(NewStudy { seed, rubric, ..after })
}
