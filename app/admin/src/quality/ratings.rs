//! `/admin/studies/:id/ratings?rater=&group=&model=&nl_lang=&dimension=&score=&flagged=&has_disagreement=&faster_than_s=&q=&after=`: the
//! ratings behind every figure, filtered by the address.

use leptos::prelude::*;
use leptos_router::{
    hooks::{use_params_map, use_query_map},
    params::ParamsMap,
};

use crate::{
    parts::{Filter, asked, lang_badge, param, select_field},
    study_tabs::{StudyFrame, StudyTab, tab_data},
};
use model::{
    error::AppError,
    ids::StudyId,
    lang::Lang,
    quality::{ListedRating, RatingFilter, RatingList, TabCounts},
    rubric::Rubric,
    text::excerpt,
};
use rpc::quality::study_ratings;
use texts::I18n;
use ui::{
    context::use_i18n,
    flag::{flag_badge, flag_words},
    load::{Data, Load},
    notice::{Badge, Empty, Tone},
    pager::{page_of, pager},
    scores::whole_score,
};

/// The list.
#[component]
pub fn RatingsPage() -> impl IntoView {
    let i = use_i18n();
    let params = use_params_map();
    let query = use_query_map();
    let read = move |key: &str| asked(query, key);
    let wanted = Memo::new(move |_| {
        let filter = RatingFilter {
            rater: read("rater").parse().ok(),
            group: read("group").parse().ok(),
            model: read("model").parse().ok(),
            nl_lang: read("nl_lang").parse().ok(),
            dimension: read("dimension").parse().ok(),
            score: read("score").parse().ok(),
            flagged: read("flagged") == "1",
            has_disagreement: read("has_disagreement") == "1",
            faster_than_s: read("faster_than_s").parse().ok(),
            text: read("q"),
            page: page_of(query, ""),
        };
        (param(params, "id").map(StudyId), filter)
    });
    let data = Data::new(
        move || wanted.get(),
        |(id, filter)| async move { study_ratings(id.ok_or_else(|| AppError::NotFound("study".into()))?, filter).await },
    );
    let study = Memo::new(move |_| wanted.get().0);
    let counts = tab_data(study);
    view! {
        <Load data let:list>
            {
                let (id, filter) = wanted.get_untracked();
                page(i, id, query, filter, (list, counts))
            }
        </Load>
    }
}

fn page(
    i: I18n,
    id: Option<StudyId>,
    query: Memo<ParamsMap>,
    filter: RatingFilter,
    (list, counts): (RatingList, Data<TabCounts>),
) -> AnyView {
    let RatingList { title, rubric, raters, groups, models, found, more, page } = list;
    let raters = raters.into_iter().map(|(id, name)| (id.0, name)).collect();
    let groups = groups.into_iter().map(|group| (group.id.0, group.name)).collect();
    let Some(id) = id else { return ().into_any() };
    let around = pager(i, query, "", &page);
    let rows = page.rows;
    let table = if rows.is_empty() {
        view! { <Empty title=i.admin().none_match/> }.into_any()
    } else {
        table(i, id, &rubric, rows)
    };
    view! {
        <StudyFrame title counts here=StudyTab::Ratings>
            {filters(i, &filter, &rubric, (raters, groups), models, (found, more))}
            {table}
            {around}
        </StudyFrame>
    }
    .into_any()
}

/// IDs with names.
type Named = Vec<(i64, String)>;

fn filters(
    i: I18n,
    f: &RatingFilter,
    rubric: &Rubric,
    (raters, groups): (Named, Named),
    models: Vec<(i64, String)>,
    (found, more): (u64, bool),
) -> impl IntoView + use<> {
    let (t, a) = (i.quality(), i.admin());
    let ids = |list: Vec<(i64, String)>| list.into_iter().map(|(id, name)| (id.to_string(), name)).collect::<Vec<_>>();
    let or_empty = |v: Option<String>| v.unwrap_or_default();
    let langs = Lang::ALL.into_iter().map(|l| (l.code().to_owned(), l.name().to_owned())).collect();
    let dimensions =
        rubric.dimensions.iter().enumerate().map(|(d, x)| (d.to_string(), x.name.get(i.lang).to_owned())).collect();
    let top = rubric.dimensions.iter().map(|d| d.range().1).max().unwrap_or(0);
    let scores = (1..=top).map(|s| (s.to_string(), s.to_string())).collect();
    let (text, flagged, disagreement) = (f.text.clone(), f.flagged, f.has_disagreement);
    let (rater, model) = (or_empty(f.rater.map(|v| v.to_string())), or_empty(f.model.map(|v| v.to_string())));
    let faster = or_empty(f.faster_than_s.map(|v| v.to_string()));
    let group = or_empty(f.group.map(|v| v.to_string()));
    let lang = or_empty(f.nl_lang.map(|v| v.code().to_owned()));
    let (dimension, score) = (or_empty(f.dimension.map(|v| v.to_string())), or_empty(f.score.map(|v| v.to_string())));
    view! {
        <Filter search=true>
            <div class="field">
                <label class="label" for="filter-q">{a.filter_text}</label>
                <input class="input" id="filter-q" type="search" name="q" value=text/>
            </div>
            {select_field("rater", a.rater, t.any, ids(raters), rater)}
            {(!groups.is_empty()).then(|| select_field("group", i.groups().group, i.groups().any, ids(groups), group))}
            {select_field("model", a.model, t.any, ids(models), model)}
            {select_field("nl_lang", a.language, t.any, langs, lang)}
            {select_field("dimension", t.dimension, t.any, dimensions, dimension)}
            {select_field("score", t.score, t.any, scores, score)}
            <div class="field">
                <label class="label" for="filter-faster">{t.faster_than}</label>
                <input class="input number" id="filter-faster" type="number" name="faster_than_s" min="1" value=faster/>
            </div>
            <label class="check"><input type="checkbox" name="flagged" value="1" checked=flagged/>{t.only_flagged}</label>
            <label class="check"><input type="checkbox" name="has_disagreement" value="1" checked=disagreement/>{t.only_disagreements}</label>
            <button class="button" type="submit">{a.filter}</button>
            <p class="filter-count" role="status">{if more { (t.found_more_n)(found) } else { (t.found_n)(found) }}</p>
        </Filter>
    }
}

fn table(i: I18n, study: StudyId, rubric: &Rubric, rows: Vec<ListedRating>) -> AnyView {
    let (t, a) = (i.quality(), i.admin());
    let heads = rubric
        .dimensions
        .iter()
        .map(|d| view! { <th role="columnheader" scope="col" class="num">{d.name.get(i.lang).to_owned()}</th> })
        .collect_view();
    let rows = rows
        .into_iter()
        .map(|r| {
            let scores = rubric
                .dimensions
                .iter()
                .enumerate()
                .map(|(d, dimension)| {
                    let label = dimension.name.get(i.lang).to_owned();
                    view! { <td role="cell" data-label=label class="num">{whole_score(i, Some(dimension), r.scores.get(d).copied())}</td> }
                })
                .collect_view();
            let comment = (!r.comment.is_empty()).then(|| {
                let lang = Lang::detect(&r.comment).tag();
                view! { <p class="comment" lang=lang>{excerpt(&r.comment, 200)}</p> }
            });
            let flag = r.flag.as_ref().map(|f| view! { {flag_badge(i, f)}{flag_words(f)} });
            let disagreement = r.has_disagreement.then(|| view! { <Badge tone=Tone::Bad>{t.has_disagreement}</Badge> });
            let known = format!("/admin/studies/{study}/quality?output={}", r.output);
            let time = r.active_ms.map(|ms| duration(i, ms));
            view! {
                <tr role="row">
                    <th role="rowheader" scope="row" data-label=a.task>
                        <a href=format!("/admin/studies/{study}/tasks/{}", r.task)>{r.task_id}</a>
                    </th>
                    <td role="cell" data-label=a.description class="nl-text">
                        <span lang=r.nl_lang.tag()>{excerpt(&r.raw_nl, 90)}</span>" "{lang_badge(r.nl_lang)}
                        {comment}
                    </td>
                    <td role="cell" data-label=a.model>{r.model}</td>
                    <td role="cell" data-label=a.rater>{r.rater}</td>
                    {scores}
                    <td role="cell" data-label=a.flag>
                        <span class="row">{flag}{disagreement}</span>
                    </td>
                    <td role="cell" data-label=a.when class="when">
                        {i.time(r.at)}
                        {time.map(|text| view! { <span class="muted small">" "{text}</span> })}
                    </td>
                    <td role="cell" data-label=a.actions>
                        <a class="small" href=known>{t.known_this}</a>
                    </td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <div class="table-box list-box"><table class="table list" role="table">
            <caption class="visually-hidden">{t.ratings}</caption>
            <thead role="rowgroup"><tr role="row">
                <th role="columnheader" scope="col">{a.task}</th>
                <th role="columnheader" scope="col">{a.description}</th>
                <th role="columnheader" scope="col">{a.model}</th>
                <th role="columnheader" scope="col">{a.rater}</th>
                {heads}
                <th role="columnheader" scope="col">{a.flag}</th>
                <th role="columnheader" scope="col">{a.when}</th>
                <th role="columnheader" scope="col"><span class="visually-hidden">{a.actions}</span></th>
            </tr></thead>
            <tbody role="rowgroup">{rows}</tbody>
        </table></div>
    }
    .into_any()
}

/// A duration in words: seconds below two minutes, otherwise minutes and seconds.
pub fn duration(i: I18n, ms: u64) -> String {
    let seconds = ms.div_ceil(1000);
    if seconds < 120 { (i.admin().seconds)(seconds) } else { (i.admin().minutes)(seconds / 60, seconds % 60) }
}
