//! The ratings of a rater in a study.

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

use crate::grade::UnsentBar;
use model::{
    grading::{OwnItem, OwnRating},
    ids::Token,
    lang::Lang,
};
use rpc::grading::{own_lists, own_ratings};
use ui::{
    context::use_i18n,
    frame::Page,
    load::{Data, Load},
    notice::{Badge, Empty, Tone},
    scores::whole_score,
};

/// `/studies/:study/mine`
#[component]
pub fn MinePage() -> impl IntoView {
    let params = use_params_map();
    let study = Memo::new(move |_| params.read().get("study").unwrap_or_default());
    let data = Data::new(
        move || study.get(),
        |study| async move { Ok((own_lists(Token(study.clone())).await?, own_ratings(Token(study)).await?)) },
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
                {if both.1.is_empty() {
                    view! { <Empty title=t.mine_empty /> }.into_any()
                } else {
                    let rows = both
                        .1
                        .into_iter()
                        .map(|rating| view! { <RatingLine study=study.get_untracked() rating /> })
                        .collect_view();
                    view! {
                        <p class="lead">{t.mine_lead}</p>
                        <div class="table-box">
                            <table class="table">
                                <thead>
                                    <tr>
                                        <th scope="col">{t.mine_task}</th>
                                        <th scope="col">{t.mine_scores}</th>
                                        <th scope="col">{t.mine_notes}</th>
                                    </tr>
                                </thead>
                                <tbody>{rows}</tbody>
                            </table>
                        </div>
                    }
                        .into_any()
                }}
            </Load>
        </Page>
    }
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
    let OwnRating { token, raw_nl, nl_lang: lang, scores, scales, commented, flagged, notes } = rating;
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
        <tr>
            <td class="mine-task">
                <a href=format!("/grade/{study}/{token}") lang=lang.tag()>{raw_nl}</a>
            </td>
            <td><span class="scores">{scores}</span></td>
            <td>
                <span class="row">
                    {commented.then(|| view! { <Badge>{t.mine_commented}</Badge> })}
                    {flagged.then(|| view! { <Badge tone=Tone::Care>{t.mine_flagged}</Badge> })}
                </span>
                {noted}
            </td>
        </tr>
    }
}
