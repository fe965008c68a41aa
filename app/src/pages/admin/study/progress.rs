//! The upper half of a study's page: its state, its raters, its flags.

use leptos::{either::Either, prelude::*};

use crate::{
    i18n::I18n,
    model::{
        grading::Flag,
        study::{RaisedFlag, RaterProgress, StudyDetail, StudyRow, StudyStatus},
    },
    pages::admin::parts::{FormError, progress, status},
    rpc::studies::SetStudyStatus,
};

/// A study without its figures.
pub fn view(i: I18n, detail: StudyDetail, set_status: ServerAction<SetStudyStatus>) -> AnyView {
    let t = i.admin();
    let StudyDetail { row, overlap, seed, rubric, raters, flags } = detail;
    view! {
        {controls(i, &row, set_status)}
        <dl class="facts">
            <div><dt>{t.models}</dt><dd>{row.models.join(" · ")}</dd></div>
            <div><dt>{t.dataset}</dt><dd><a href=format!("/admin/datasets/{}", row.dataset)>{row.dataset.clone()}</a></dd></div>
            <div><dt>{t.ratings}</dt><dd>{(i.common.of)(row.done, row.wanted)}</dd></div>
            <div><dt>{t.overlap}</dt><dd>{overlap}</dd></div>
            <div><dt>{t.rubric}</dt><dd>{rubric}</dd></div>
            <div><dt>{t.seed}</dt><dd><code>{seed}</code></dd></div>
            <div><dt>{t.created_at}</dt><dd>{i.time(row.created_at)}</dd></div>
        </dl>
        {rater_table(i, raters)}
        {flag_table(i, &row, flags)}
    }
    .into_any()
}

fn controls(i: I18n, row: &StudyRow, set_status: ServerAction<SetStudyStatus>) -> impl IntoView + use<> {
    let t = i.admin();
    let id = row.id;
    let button = move |status: StudyStatus, text: &'static str, class: &'static str| {
        view! {
            <ActionForm action=set_status>
                <input type="hidden" name="id" value=id.to_string()/>
                <input type="hidden" name="status" value=status.code()/>
                <button class=class type="submit" disabled=move || set_status.pending().get()>{text}</button>
            </ActionForm>
        }
    };
    let buttons = match row.status {
        StudyStatus::Closed => Either::Left(view! { <p class="muted">{t.closed_note}</p> }),
        other => {
            let toggle = match other {
                StudyStatus::Running => button(StudyStatus::Paused, t.pause, "button"),
                StudyStatus::Draft => button(StudyStatus::Running, i.plan().start, "button primary"),
                _ => button(StudyStatus::Running, t.resume, "button primary"),
            };
            Either::Right(view! {
                {toggle}
                <details class="confirm">
                    <summary class="button">{t.close_study}</summary>
                    <div class="confirm-box">
                        <p>{t.close_warning}</p>
                        {button(StudyStatus::Closed, t.close_for_good, "button danger")}
                    </div>
                </details>
            })
        }
    };
    view! {
        <div class="study-state">
            {status(i, row.status)}
            {progress(i, row.done, row.wanted)}
            <div class="study-controls">
                <a class="button" href=format!("/admin/studies/{id}/plan")>{i.plan().plan_link}</a>
                {buttons}
            </div>
        </div>
        <FormError of=move || set_status.value().get().and_then(Result::err)/>
    }
}

fn rater_table(i: I18n, raters: Vec<RaterProgress>) -> impl IntoView {
    let t = i.admin();
    let most = raters.iter().map(|r| r.rated).max().unwrap_or(0);
    let rows = raters.into_iter().map(|r| {
        view! {
            <tr role="row">
                <th role="rowheader" scope="row" data-label=t.rater>{r.name.clone()}</th>
                <td role="cell" data-label=t.rated class="num">
                    <span class="meter-cell">
                        <meter min="0" max=most.max(1) value=r.rated aria-label=(t.rated_by)(&r.name)></meter>
                        {i.number(r.rated)}
                    </span>
                </td>
                <td role="cell" data-label=t.skipped class="num">{i.number(r.skipped)}</td>
                <td role="cell" data-label=t.handed_out class="num">{i.number(r.leased)}</td>
                <td role="cell" data-label=t.median_time class="num">{r.median_ms.map_or_else(|| "–".into(), |ms| duration(i, ms))}</td>
                <td role="cell" data-label=t.last_rating class="when">{r.last_at.map_or_else(|| "–".into(), |at| i.time(at))}</td>
            </tr>
        }
    });
    view! {
        <section class="stack" aria-labelledby="raters">
            <h2 id="raters">{t.progress}</h2>
            <div class="table-box list-box"><table class="table list" role="table">
                <caption class="visually-hidden">{t.progress}</caption>
                <thead role="rowgroup">
                    <tr role="row">
                        <th role="columnheader" scope="col">{t.rater}</th>
                        <th role="columnheader" scope="col" class="num">{t.rated}</th>
                        <th role="columnheader" scope="col" class="num">{t.skipped}</th>
                        <th role="columnheader" scope="col" class="num">{t.handed_out}</th>
                        <th role="columnheader" scope="col" class="num">{t.median_time}</th>
                        <th role="columnheader" scope="col">{t.last_rating}</th>
                    </tr>
                </thead>
                <tbody role="rowgroup">{rows.collect_view()}</tbody>
            </table></div>
        </section>
    }
}

/// A time in words: seconds below two minutes, else minutes and seconds.
fn duration(i: I18n, ms: i64) -> String {
    let seconds = ms.max(0).unsigned_abs().div_ceil(1000);
    if seconds < 120 { (i.admin().seconds)(seconds) } else { (i.admin().minutes)(seconds / 60, seconds % 60) }
}

fn flag_table(i: I18n, row: &StudyRow, flags: Vec<RaisedFlag>) -> Option<impl IntoView + use<>> {
    let t = i.admin();
    let study = row.id;
    if flags.is_empty() {
        return None;
    }
    let rows = flags.into_iter().map(|f| {
        view! {
            <tr role="row">
                <th role="rowheader" scope="row" data-label=t.task>
                    <a href=format!("/admin/studies/{study}?q={}#tasks", f.task_id)>{f.task_id.clone()}</a>
                </th>
                <td role="cell" data-label=t.model>{f.model}</td>
                <td role="cell" data-label=t.rater>{f.rater}</td>
                <td role="cell" data-label=t.flag>{flag_text(i, &f.flag)}</td>
                <td role="cell" data-label=t.when class="when">{i.time(f.at)}</td>
            </tr>
        }
    });
    Some(view! {
        <section class="stack" aria-labelledby="flags">
            <h2 id="flags">{t.flags}</h2>
            <div class="table-box list-box"><table class="table list" role="table">
                <caption class="visually-hidden">{t.flags}</caption>
                <thead role="rowgroup">
                    <tr role="row">
                        <th role="columnheader" scope="col">{t.task}</th>
                        <th role="columnheader" scope="col">{t.model}</th>
                        <th role="columnheader" scope="col">{t.rater}</th>
                        <th role="columnheader" scope="col">{t.flag}</th>
                        <th role="columnheader" scope="col">{t.when}</th>
                    </tr>
                </thead>
                <tbody role="rowgroup">{rows.collect_view()}</tbody>
            </table></div>
        </section>
    })
}

/// A flag's reason in words.
pub fn flag_text(i: I18n, flag: &Flag) -> String {
    match flag {
        Flag::DescriptionUnclear => i.admin().flag_unclear.into(),
        Flag::CannotJudge => i.admin().flag_cannot_judge.into(),
        Flag::CodeTruncated => i.admin().flag_truncated.into(),
        Flag::Other(text) => text.clone(),
    }
}
