//! The known-score items of the page: their pools, and the forms that add one.

use leptos::prelude::*;

use super::Forms;
use crate::parts::FormError;
use model::{
    ids::StudyId,
    lang::Lang,
    quality::{KnownItem, KnownItemChoices, KnownItemProposal, Pool, QualitySettings},
    rubric::Rubric,
};
use texts::I18n;
use ui::{
    code::CodeBox,
    form::ActionForm,
    notice::{Badge, Empty, Notice, Tone},
    scores::whole_score,
};

/// The section with the items, and the form for another.
pub(super) fn section(
    i: I18n,
    id: StudyId,
    (rubric, settings): (&Rubric, &QualitySettings),
    (known_items, choices, pools): (Vec<KnownItem>, KnownItemChoices, (usize, usize)),
    forms: Forms,
) -> impl IntoView + use<> {
    let t = i.quality();
    let empty = settings.known_item_every > 0 && pools.1 == 0;
    let items = if known_items.is_empty() {
        view! { <Empty title=t.known_none><p>{t.known_none_hint}</p></Empty> }.into_any()
    } else {
        let items = known_items.into_iter().map(|item| known_item_card(i, id, rubric, item, forms)).collect_view();
        view! { <ul class="card-list">{items}</ul> }.into_any()
    };
    view! {
        <section class="stack" aria-labelledby="known" id="known-items">
            <h2 id="known">{t.known}</h2>
            <p>{(t.pools_n)(pools.0, pools.1)}</p>
            {empty.then(|| view! { <Notice tone=Tone::Care><p>{t.pools_no_hidden}</p></Notice> })}
            {items}
            <FormError of=move || forms.change.value().get().and_then(Result::err)/>
            <FormError of=move || forms.remove.value().get().and_then(Result::err)/>
            <details class="more">
                <summary>{t.known_add}</summary>
                {known_item_form(i, id, rubric, choices, forms)}
            </details>
            <FormError of=move || forms.add.value().get().and_then(Result::err)/>
        </section>
    }
}

fn known_item_card(i: I18n, id: StudyId, rubric: &Rubric, item: KnownItem, forms: Forms) -> impl IntoView + use<> {
    let t = i.quality();
    let scores = rubric
        .dimensions
        .iter()
        .enumerate()
        .map(|(d, dimension)| {
            let reason = item.reasons.get(d).map(|r| if r.get(i.lang).is_empty() { r.get(other(i.lang)) } else { r.get(i.lang) });
            let reason = reason.filter(|r| !r.is_empty()).map(str::to_owned);
            view! {
                <div>
                    <dt>{dimension.name.get(i.lang).to_owned()}</dt>
                    <dd>{whole_score(i, Some(dimension), item.scores.get(d).copied())}{reason.map(|r| view! { " "<span class="muted">{r}</span> })}</dd>
                </div>
            }
        })
        .collect_view();
    let word = if item.deactivated { t.activate } else { t.deactivate };
    view! {
        <li class="card stack-tight">
            <p class="row">
                <code class="task-id">{item.task_id}</code>
                <Badge>{i.pool_name(item.pool)}</Badge>
                {item.pasted.then(|| view! { <Badge>{t.pasted}</Badge> })}
                {item.graded.then(|| view! { <Badge>{t.graded}</Badge> })}
                {item.deactivated.then(|| view! { <Badge tone=Tone::Care>{t.deactivated}</Badge> })}
                <span class="muted small">{(t.asked_n)(item.asked, item.right)}</span>
            </p>
            <p class="nl-text" lang=item.nl_lang.tag()>{item.raw_nl}</p>
            <dl class="facts">{scores}</dl>
            <details class="said"><summary>{t.known_code}</summary><CodeBox code=item.code of=format!("{}", item.id)/></details>
            <div class="row">
                <ActionForm action=forms.change attr:class="row">
                    <input type="hidden" name="study" value=id.to_string()/>
                    <input type="hidden" name="item" value=item.id.to_string()/>
                    {pool_field(i, "pool", format!("pool-{}", item.id), item.pool)}
                    <button class="button quiet" type="submit">{t.pool_change}</button>
                </ActionForm>
                <ActionForm action=forms.change>
                    <input type="hidden" name="study" value=id.to_string()/>
                    <input type="hidden" name="item" value=item.id.to_string()/>
                    <input type="hidden" name="deactivated" value=(!item.deactivated).to_string()/>
                    <button class="button quiet" type="submit">{word}</button>
                </ActionForm>
                {(!item.used).then(|| view! {
                    <ActionForm action=forms.remove>
                        <input type="hidden" name="study" value=id.to_string()/>
                        <input type="hidden" name="item" value=item.id.to_string()/>
                        <button class="button quiet" type="submit">{t.remove}</button>
                    </ActionForm>
                })}
            </div>
        </li>
    }
}

fn other(lang: Lang) -> Lang {
    match lang {
        Lang::En => Lang::Zh,
        Lang::Zh => Lang::En,
    }
}

fn known_item_form(
    i: I18n,
    id: StudyId,
    rubric: &Rubric,
    choices: KnownItemChoices,
    forms: Forms,
) -> impl IntoView + use<> {
    let t = i.quality();
    let outputs = choices.outputs;
    let pick = (!outputs.is_empty()).then(|| {
        let options = outputs
            .into_iter()
            .map(|(output, task, model, sample)| {
                let name = if sample > 0 {
                    format!("{model} · {task} · {}", sample + 1)
                } else {
                    format!("{model} · {task}")
                };
                view! { <option value=output.to_string()>{name}</option> }
            })
            .collect_view();
        view! {
            <div class="field">
                <label class="label" for="known-output">{t.known_from}</label>
                <select class="input" id="known-output" name="item[output]">
                    <option value="">{t.known_no_output}</option>
                    {options}
                </select>
            </div>
            <p class="muted">{t.known_or}</p>
        }
    });
    let tasks = choices
        .tasks
        .into_iter()
        .map(
            |(revision, task, text)| view! { <option value=revision.to_string()>{format!("{task} · {text}")}</option> },
        )
        .collect_view();
    let dimensions = dimension_fields(i, rubric, &[]);
    let add = forms.add;
    view! {
        <ActionForm action=add attr:class="stack quality-form">
            <input type="hidden" name="study" value=id.to_string()/>
            {pick}
            <div class="field">
                <label class="label" for="known-task">{t.known_task}</label>
                <select class="input" id="known-task" name="item[task]">{tasks}</select>
            </div>
            <div class="field">
                <label class="label" for="known-code">{t.known_code}</label>
                <textarea class="input code-input" id="known-code" name="item[code]" rows="8" spellcheck="false" autocomplete="off"></textarea>
            </div>
            <div class="field">
                <label class="label" for="known-surrounding">{t.known_surrounding}</label>
                <textarea class="input" id="known-surrounding" name="item[surrounding_text]" rows="3" autocomplete="off"></textarea>
                <p class="hint">{t.known_surrounding_hint}</p>
            </div>
            <div class="field">
                {pool_field(i, "item[pool]", "known-pool".into(), Pool::Hidden)}
                <p class="hint">{t.pool_both_hint}</p>
            </div>
            <fieldset>
                <legend>{t.known_scores}</legend>
                <p class="hint">{t.reason_hint}</p>
                {dimensions}
            </fieldset>
            <p><button class="button primary" type="submit" disabled=move || add.pending().get()>{t.known_button}</button></p>
        </ActionForm>
    }
}

/// The fields of the scores and their reasons. `scores` are the chosen ones; the lowest without any.
fn dimension_fields(i: I18n, rubric: &Rubric, scores: &[Option<u8>]) -> impl IntoView + use<> {
    let t = i.quality();
    rubric
        .dimensions
        .iter()
        .enumerate()
        .map(|(d, dimension)| {
            let given = scores.get(d).copied().flatten();
            let levels = dimension
                .levels
                .iter()
                .map(|l| {
                    let label = l.label.get(i.lang);
                    let name = if label.is_empty() { l.score.to_string() } else { format!("{} {label}", l.score) };
                    view! { <option value=l.score.to_string() selected=Some(l.score) == given>{name}</option> }
                })
                .collect_view();
            // A dimension without a final score is to be chosen.
            let open = (!scores.is_empty() && given.is_none()).then(|| view! { <option value="">"–"</option> });
            let name = dimension.name.get(i.lang).to_owned();
            let (score_id, en_id, zh_id) = (format!("known-score-{d}"), format!("known-en-{d}"), format!("known-zh-{d}"));
            view! {
                <div class="fields">
                    <div class="field field--short">
                        <label class="label" for=score_id.clone()>{name.clone()}</label>
                        <select class="input" id=score_id name=format!("item[scores][{d}]") required=true>{open}{levels}</select>
                    </div>
                    <div class="field">
                        <label class="label" for=en_id.clone()><span class="visually-hidden">{format!("{name}: ")}</span>{t.reason_en}</label>
                        <input class="input" id=en_id name=format!("item[reasons_en][{d}]") maxlength="2000" autocomplete="off"/>
                    </div>
                    <div class="field">
                        <label class="label" for=zh_id.clone()><span class="visually-hidden">{format!("{name}: ")}</span>{t.reason_zh}</label>
                        <input class="input" id=zh_id name=format!("item[reasons_zh][{d}]") maxlength="2000" autocomplete="off"/>
                    </div>
                </div>
            }
        })
        .collect_view()
}

/// The form that adds an output of the study.
pub(super) fn proposed(
    i: I18n,
    id: StudyId,
    rubric: &Rubric,
    proposal: KnownItemProposal,
    forms: Forms,
) -> impl IntoView + use<> {
    let (t, add) = (i.quality(), forms.add);
    let KnownItemProposal { output, task_id, raw_nl, nl_lang, model, scores, decision, missing, .. } = proposal;
    let why = match decision {
        Some(comment) if comment.is_empty() => None,
        Some(comment) => Some(view! { <p>{t.known_this_reason}" "{comment}</p> }.into_any()),
        None => Some(view! { <p>{t.known_this_median}</p> }.into_any()),
    };
    let fields = dimension_fields(i, rubric, &scores);
    view! {
        <section class="card stack" aria-labelledby="known-this" id="known-proposal">
            <h2 id="known-this">{t.known_this}</h2>
            <p class="row"><code class="task-id">{task_id}</code><span>{model}</span></p>
            <p class="nl-text" lang=nl_lang.tag()>{raw_nl}</p>
            <Notice>
                {(missing > 0).then(|| view! { <p>{(t.known_missing)(missing)}</p> })}
                <p>{t.known_this_hint}</p>
            </Notice>
            {why}
            <ActionForm action=add attr:class="stack quality-form">
                <input type="hidden" name="study" value=id.to_string()/>
                <input type="hidden" name="item[output]" value=output.to_string()/>
                <div class="field">
                    {pool_field(i, "item[pool]", "known-this-pool".into(), Pool::Hidden)}
                    <p class="hint">{t.pool_both_hint}</p>
                </div>
                <fieldset>
                    <legend>{t.known_scores}</legend>
                    <p class="hint">{t.known_this_need}" "{t.reason_hint}</p>
                    {fields}
                </fieldset>
                <p><button class="button primary" type="submit" disabled=move || add.pending().get()>{t.known_button}</button></p>
            </ActionForm>
            <FormError of=move || add.value().get().and_then(Result::err)/>
        </section>
    }
}

fn pool_field(i: I18n, name: &'static str, field: String, chosen: Pool) -> impl IntoView {
    let options = Pool::ALL
        .into_iter()
        .map(|pool| view! { <option value=pool.code() selected=pool == chosen>{i.pool_name(pool)}</option> })
        .collect_view();
    view! {
        <label class="label" for=field.clone()>{i.quality().pool}</label>
        <select class="input" id=field name=name>{options}</select>
    }
}
