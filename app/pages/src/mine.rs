//! The ratings of a rater in a study.

use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};

use crate::grade::{UnsentBar, use_submit_queue};
use model::{
    address::query_value,
    grading::{OwnItem, OwnItems, OwnRating, OwnRatings},
    ids::Token,
    lang::Lang,
};
use rpc::grading::{own_lists, own_ratings};
use texts::I18n;
use ui::{
    context::use_i18n,
    frame::Page,
    load::{Data, Load},
    notice::{Badge, Empty, Tone},
    scores::whole_score,
};

/// `/studies/:study/mine?q=&page=`
#[component]
pub fn MinePage() -> impl IntoView {
    let (params, query) = (use_params_map(), use_query_map());
    let study = Memo::new(move |_| params.read().get("study").unwrap_or_default());
    let asked = Memo::new(move |_| {
        let query = query.read();
        let page = query.get("page").and_then(|page| page.parse().ok()).unwrap_or(1_usize).max(1);
        (query.get("q").unwrap_or_default(), page)
    });
    let submit_queue = use_submit_queue();
    let data = Data::new(
        move || (study.get(), asked.get(), submit_queue.waiting()),
        |(study, (words, page), _)| async move {
            Ok((own_lists(Token(study.clone())).await?, own_ratings(Token(study), words, page).await?))
        },
    );
    let i18n = use_i18n();
    let t = i18n.rater();
    let crumbs = vec![("/my-studies".to_owned(), i18n.common.nav_my_studies.to_owned())];
    let on = move || view! { <a class="button primary" href=move || format!("/grade/{}", study.get())>{t.continue_rating}</a> };
    view! {
        <Page title=t.mine_title crumbs actions=on>
            <UnsentBar />
            <Load data let:both>
                {item_list("skipped", t.mine_skipped, &study.get_untracked(), both.0.skipped)}
                {item_list("bookmarks", t.mine_bookmarks, &study.get_untracked(), both.0.bookmarked)}
                {both.0.older.then(|| view! { <p class="hint">{(t.mine_older)(OwnItems::MOST)}</p> })}
                {ratings(i18n, &study.get_untracked(), asked.get_untracked(), both.1)}
            </Load>
        </Page>
    }
}

/// A page of the ratings, with a search and links to the pages around it.
fn ratings(i18n: I18n, study: &str, (words, page): (String, usize), found: OwnRatings) -> AnyView {
    let t = i18n.rater();
    if found.rows.is_empty() && words.is_empty() && page == 1 {
        return view! { <Empty title=t.mine_empty /> }.into_any();
    }
    let link = |to: usize, label: &'static str| {
        let words = query_value(&words);
        view! { <a class="button" href=format!("/studies/{study}/mine?q={words}&page={to}")>{label}</a> }
    };
    let newer = (page > 1).then(|| link(page - 1, i18n.common.previous_page));
    let older = found.older.then(|| link(page + 1, i18n.common.next_page));
    let pages = (page > 1 || found.older).then(|| {
        view! { <nav class="row" aria-label=i18n.common.pages>{newer}{older}</nav> }
    });
    let list = match found.rows.is_empty() {
        true => view! { <Empty title=t.mine_not_found /> }.into_any(),
        false => {
            let study = study.to_owned();
            let rows =
                found.rows.into_iter().map(|rating| view! { <RatingLine study=study.clone() rating /> }).collect_view();
            view! {
                <div class="table-box list-box">
                    <table class="table list mine" role="table">
                        <caption class="visually-hidden">{t.mine_title}</caption>
                        <thead role="rowgroup">
                            <tr role="row">
                                <th role="columnheader" scope="col">{t.mine_task}</th>
                                <th role="columnheader" scope="col">{t.mine_scores}</th>
                                <th role="columnheader" scope="col">{t.mine_at}</th>
                                <th role="columnheader" scope="col">{t.mine_notes}</th>
                            </tr>
                        </thead>
                        <tbody role="rowgroup">{rows}</tbody>
                    </table>
                </div>
            }
            .into_any()
        }
    };
    view! {
        <p class="lead">{t.mine_lead}</p>
        <form class="filter" method="get" role="search">
            <div class="field">
                <label class="label" for="mine-words">{t.mine_search}</label>
                <input class="input" id="mine-words" type="search" name="q" maxlength="200" value=words.clone() />
            </div>
            <button class="button" type="submit">{t.mine_find}</button>
        </form>
        {list}
        {pages}
    }
    .into_any()
}

/// Outputs to return to; nothing without any.
fn item_list(id: &'static str, title: &'static str, study: &str, items: Vec<OwnItem>) -> Option<AnyView> {
    let t = use_i18n().rater();
    let row = |item: OwnItem| {
        view! {
            <li class="row">
                <a class="mine-task" href=format!("/grade/{study}/{}", item.token) lang=item.nl_lang.tag()>{item.raw_nl}</a>
                {item.rated.then(|| view! { <Badge tone=Tone::Good>{t.mine_rated}</Badge> })}
            </li>
        }
    };
    (!items.is_empty()).then(|| {
        view! {
            <section class="stack-tight" aria-labelledby=id>
                <h2 id=id>{title}</h2>
                <ul class="mine-items">{items.into_iter().map(row).collect_view()}</ul>
            </section>
        }
        .into_any()
    })
}

#[component]
fn RatingLine(study: String, rating: OwnRating) -> impl IntoView {
    let i18n = use_i18n();
    let (t, b, c) = (i18n.rater(), i18n.grading(), i18n.common);
    let OwnRating { token, at, raw_nl, nl_lang: lang, scores, scales, commented, flagged, notes } = rating;
    let noted = (!notes.is_empty()).then(|| {
        let count = (b.mine_notes_n)(notes.len());
        let rows = notes
            .into_iter()
            .map(|note| {
                let lang = Lang::detect(&note.text).tag();
                view! { <li><b>{(b.line_n)(note.at.line)}</b> " " <span lang=lang>{note.text}</span></li> }
            })
            .collect_view();
        view! {
            <details class="mine-notes">
                <summary>{count}</summary>
                <ul>{rows}</ul>
            </details>
        }
    });
    let scores = scores
        .into_iter()
        .enumerate()
        .map(|(d, score)| match score {
            Some(answer) if d >= scales => {
                view! { <b class="score">{if answer == 0 { c.no } else { c.yes }}</b> }.into_any()
            }
            score => whole_score(i18n, None, score),
        })
        .collect_view();
    view! {
        <tr role="row">
            <th role="rowheader" scope="row" class="mine-task" data-label=t.mine_task>
                <a href=format!("/grade/{study}/{token}") lang=lang.tag()>{raw_nl}</a>
            </th>
            <td role="cell" data-label=t.mine_scores><span class="scores">{scores}</span></td>
            <td role="cell" data-label=t.mine_at class="when">{i18n.time(at)}</td>
            <td role="cell" data-label=t.mine_notes>
                <span class="row">
                    {commented.then(|| view! { <Badge>{t.mine_commented}</Badge> })}
                    {flagged.then(|| view! { <Badge tone=Tone::Care>{t.mine_flagged}</Badge> })}
                </span>
                {noted}
            </td>
        </tr>
    }
}
