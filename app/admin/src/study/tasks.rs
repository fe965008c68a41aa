//! The table of a study's tasks, with filter and order in the address.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use crate::{
    list::Listing,
    parts::{Filter, asked, choice, lang_badge, spread},
};
use model::{ids::StudyId, lang::Lang, page::Paged, ratings::TaskScores, rubric::Dimension, text::excerpt};
use texts::I18n;
use ui::{
    notice::Empty,
    scores::{Names, initials_key, scores as scores_of},
};

/// The list of tasks, as the address asks for it.
pub fn listing() -> Listing {
    Listing::new("order", &["nl_lang", "show"])
}

/// A page of the tasks with their mean scores, each one click away from its ratings.
pub fn view(
    i: I18n,
    study: StudyId,
    (models, dimensions): (&[String], &[Dimension]),
    list: Listing,
    page: Paged<TaskScores>,
) -> impl IntoView + use<> {
    let t = i.admin();
    let query = use_query_map();
    let read = move |key: &str| asked(query, key);
    let rows = list.view(
        page,
        || view! { <Empty title=t.none_match/> }.into_any(),
        |rows| table(i, study, (models, dimensions), rows),
    );
    view! {
        <Filter search=true>
            <div class="field">
                <label class="label" for="task-q">{t.filter_text}</label>
                <input class="input" id="task-q" type="search" name="q" value=move || read("q") prop:value=move || read("q")/>
            </div>
            <div class="field">
                <label class="label" for="task-lang">{t.language}</label>
                <select class="input" id="task-lang" name="nl_lang">
                    {choice(query, "nl_lang", "", t.any)} {choice(query, "nl_lang", "en", Lang::En.name())}
                    {choice(query, "nl_lang", "zh", Lang::Zh.name())}
                </select>
            </div>
            <div class="field">
                <label class="label" for="task-show">{t.show}</label>
                <select class="input" id="task-show" name="show">
                    {choice(query, "show", "", t.all_tasks)} {choice(query, "show", "rated", t.rated_tasks)}
                    {choice(query, "show", "unrated", t.unrated_tasks)} {choice(query, "show", "disagreements", t.disagreement_tasks)}
                </select>
            </div>
            <div class="field">
                <label class="label" for="task-sort">{t.order}</label>
                <select class="input" id="task-sort" name="sort">
                    {choice(query, "sort", "", t.order_dataset)} {choice(query, "sort", "spread", t.order_spread)}
                </select>
            </div>
            <button class="button" type="submit">{t.filter}</button>
        </Filter>
        {rows}
    }
}

fn table(i: I18n, study: StudyId, (models, dimensions): (&[String], &[Dimension]), rows: Vec<TaskScores>) -> AnyView {
    let t = i.admin();
    let heads = models
        .iter()
        .map(|name| view! { <th role="columnheader" scope="col" class="num">{name.clone()}</th> })
        .collect_view();
    let rows = rows
        .into_iter()
        .map(|row| {
            let href = format!("/admin/studies/{study}/tasks/{}", row.task.id);
            let scores = row
                .models
                .iter()
                .enumerate()
                .map(|(m, scores)| {
                    let name = models.get(m).cloned().unwrap_or_default();
                    view! {
                        <td role="cell" data-label=name class="num">
                            {(scores.ratings > 0).then(|| view! { <p>{scores_of(i, dimensions, &scores.means, Names::Initials)}</p> })}
                            <span class="muted small">{(t.ratings_n)(scores.ratings)}</span>
                        </td>
                    }
                })
                .collect_view();
            view! {
                <tr role="row">
                    <th role="rowheader" scope="row" data-label=t.task>
                        <a href=href>{row.task.task_id}</a>
                    </th>
                    <td role="cell" data-label=t.description class="nl-text">
                        <span lang=row.task.nl_lang.tag()>{excerpt(&row.task.raw_nl, 140)}</span>
                        " "
                        {lang_badge(row.task.nl_lang)}
                    </td>
                    {scores}
                    <td role="cell" data-label=t.spread class="num">
                        {spread(row.spread)}
                    </td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <p class="matrix-key small">{initials_key(i, dimensions)}<span>{t.tasks_legend}</span></p>
        <div class="table-box list-box"><table class="table list" role="table">
            <caption class="visually-hidden">{t.tasks}</caption>
            <thead role="rowgroup">
                <tr role="row">
                    <th role="columnheader" scope="col">{t.task}</th>
                    <th role="columnheader" scope="col">{t.description}</th>
                    {heads}
                    <th role="columnheader" scope="col" class="num">{t.spread}</th>
                </tr>
            </thead>
            <tbody role="rowgroup">{rows}</tbody>
        </table></div>
    }
    .into_any()
}
