//! `/admin/inbox`: what waits for an admin. Kind, study, page and a request to confirm are in the address, so that the
//! page works without JavaScript and a link reproduces it.

mod item;
mod keyboard;

use leptos::prelude::*;
use leptos_router::{hooks::use_query_map, params::ParamsMap};

use self::keyboard::Keyboard;
use super::parts::{Filter, FormError, asked, select_field};
use model::{
    ids::StudyId,
    inbox::{InboxAct, InboxFilter, InboxKind, InboxPage},
};
use rpc::{
    inbox::{ActOnItems, inbox},
    quality::ReplyToFlag,
};
use texts::I18n;
use ui::{
    context::{use_i18n, use_visitor},
    effect::effect,
    form::{ActionForm, FormAction},
    frame::{Page, WaitingCount},
    load::{Data, Load},
    notice::{Empty, Notice, Tone},
    pager::{page_of, pager},
};

fn filter_of(query: Memo<ParamsMap>) -> InboxFilter {
    InboxFilter { kind: asked(query, "kind").parse().ok(), study: asked(query, "study").parse().ok().map(StudyId) }
}

/// The forms of the page.
#[derive(Clone, Copy)]
struct Forms {
    act: FormAction<ActOnItems>,
    reply: FormAction<ReplyToFlag>,
}

/// The inbox.
#[component]
pub fn InboxListPage() -> impl IntoView {
    let i = use_i18n();
    let t = i.inbox();
    let query = use_query_map();
    let forms = Forms { act: FormAction::new(), reply: FormAction::new() };
    let data = Data::new(
        move || (filter_of(query), page_of(query, ""), forms.act.version().get(), forms.reply.version().get()),
        |(filter, page, ..)| inbox(filter, page),
    );
    let keyboard = Keyboard::new();
    let count = use_context::<WaitingCount>();
    effect(move |_| {
        if let (Some(Ok(page)), Some(count)) = (data.get(), count) {
            count.0.set(page.waiting);
        }
    });
    let errors = move || {
        let failed = forms.act.value().get().and_then(Result::err);
        failed.or_else(|| forms.reply.value().get().and_then(Result::err))
    };
    view! {
        <Page title=t.title>
            <p class="lead">{t.lead}</p>
            {move || outcome(i, query)}
            <FormError of=errors/>
            <Load data let:page>{move || content(i, query, page.clone(), forms, keyboard)}</Load>
        </Page>
    }
}

/// The result of the last request, from the address.
fn outcome(i: I18n, query: Memo<ParamsMap>) -> Option<impl IntoView> {
    let t = i.inbox();
    let number = |key| asked(query, key).parse::<u64>().unwrap_or(0);
    let (done, gone, refused) = (number("done"), number("gone"), number("refused"));
    let tone = if gone + refused == 0 { Tone::Good } else { Tone::Care };
    let lines = [(done, t.done_n), (gone, t.gone_n), (refused, t.refused_n)];
    (done + gone + refused > 0).then(|| {
        let lines = lines.into_iter().filter(|(n, _)| *n > 0);
        view! { <Notice tone>{lines.map(|(n, words)| view! { <p>{words(n)}</p> }).collect_view()}</Notice> }
    })
}

fn content(i: I18n, query: Memo<ParamsMap>, page: InboxPage, forms: Forms, keyboard: Keyboard) -> AnyView {
    let t = i.inbox();
    let filter = filter_of(query);
    let asked_act = asked(query, "act").parse::<InboxAct>().ok();
    if let Some(act) = asked_act {
        return confirm(i, query, filter, act, forms);
    }
    let rows = &page.page.rows;
    if page.waiting == 0 {
        return view! { <Empty title=t.empty><p>{t.empty_hint}</p></Empty> }.into_any();
    }
    let head = filters(i, query, filter, &page);
    if rows.is_empty() {
        return view! {
            {head}
            <Empty title=t.empty_filter><p><a class="button" href="/admin/inbox">{t.show_all}</a></p></Empty>
        }
        .into_any();
    }
    keyboard.show(rows);
    let acts: Vec<InboxAct> =
        InboxAct::ALL.into_iter().filter(|act| rows.iter().any(|row| row.kind.acts().contains(act))).collect();
    let turner = pager(i, query, "", &page.page);
    let items = page.page.rows.into_iter().map(|row| item::card(i, row, filter, forms)).collect_view();
    let off = use_visitor().me.is_some_and(|me| me.settings.keys.off);
    view! {
        {head}
        {bulk(i, query, filter, acts)}
        <ul class="card-list inbox" aria-label=t.items>{items}</ul>
        {turner}
        {shortcuts(i, off)}
    }
    .into_any()
}

/// The kinds as links with their counts, and the study.
fn filters(i: I18n, query: Memo<ParamsMap>, filter: InboxFilter, page: &InboxPage) -> impl IntoView + use<> {
    let t = i.inbox();
    let all: u64 = page.kinds.iter().map(|(_, count)| count).sum();
    let link = |kind: Option<InboxKind>, name: &'static str, count: u64| {
        let href = InboxFilter { kind, ..filter }.address();
        let current = (filter.kind == kind).then_some("true");
        view! { <li><a href=href aria-current=current>{name}" "<span class="count">{i.number(count)}</span></a></li> }
    };
    let kinds = page.kinds.iter().map(|(kind, count)| link(Some(*kind), t.kind(*kind), *count)).collect_view();
    let chosen = filter.study.map(|id| id.to_string()).unwrap_or_default();
    let mut options: Vec<(String, String)> = page
        .studies
        .iter()
        .map(|(id, title, count)| (id.to_string(), format!("{title} ({})", i.number(*count))))
        .collect();
    // A study without items stays chosen.
    if !chosen.is_empty() && !options.iter().any(|(id, _)| *id == chosen) {
        options.push((chosen.clone(), chosen.clone()));
    }
    let kept = asked(query, "kind");
    view! {
        <nav class="inbox-kinds" aria-label=t.kinds><ul>{link(None, t.all, all)}{kinds}</ul></nav>
        {(!options.is_empty()).then(|| view! {
            <Filter>
                {(!kept.is_empty()).then(|| view! { <input type="hidden" name="kind" value=kept/> })}
                {select_field("study", t.study, t.all_studies, options, chosen)}
                <button class="button" type="submit">{t.filter}</button>
            </Filter>
        })}
    }
}

/// The form that the items' checkboxes belong to, with a button for each act.
fn bulk(i: I18n, query: Memo<ParamsMap>, filter: InboxFilter, acts: Vec<InboxAct>) -> impl IntoView {
    let t = i.inbox();
    let kept = kept(query, filter);
    let buttons = acts
        .into_iter()
        .map(|act| view! { <button class="button" type="submit" name="act" value=act.code()>{t.act(act)}</button> })
        .collect_view();
    view! {
        <Filter id="inbox-form">
            {kept}
            <label class="check" data-scripts="">
                <input type="checkbox" id="inbox-all" on:change=move |event| keyboard::select_all(event_target_checked(&event))/>
                {t.select_all}
            </label>
            <span class="row" role="group" aria-label=t.with_selected>{buttons}</span>
        </Filter>
    }
}

/// The part of the address that stays: the filter and the page.
fn kept(query: Memo<ParamsMap>, filter: InboxFilter) -> impl IntoView {
    let fields = [
        ("kind", filter.kind.map(|kind| kind.to_string()).unwrap_or_default()),
        ("study", filter.study.map(|study| study.to_string()).unwrap_or_default()),
        ("after", asked(query, "after")),
        ("before", asked(query, "before")),
    ];
    fields
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| view! { <input type="hidden" name=name value=value/> })
        .collect_view()
}

/// Asks to confirm the act in the address, and states its consequence.
fn confirm(i: I18n, query: Memo<ParamsMap>, filter: InboxFilter, act: InboxAct, forms: Forms) -> AnyView {
    let t = i.inbox();
    let items: Vec<i64> = query
        .read_untracked()
        .get_all("item")
        .unwrap_or_default()
        .iter()
        .filter_map(|text| text.parse().ok())
        .collect();
    let mut back = filter.address();
    if items.is_empty() {
        return view! {
            <Notice tone=Tone::Care><p>{t.nothing_selected}</p></Notice>
            <p><a class="button" href=back>{t.show_all}</a></p>
        }
        .into_any();
    }
    for key in ["after", "before"] {
        let value = asked(query, key);
        if !value.is_empty() {
            back = format!("{back}{}{key}={value}", if back.contains('?') { '&' } else { '?' });
        }
    }
    keyboard::focus_confirm();
    let count = items.len() as u64;
    let fields =
        items.into_iter().map(|id| view! { <input type="hidden" name="items[]" value=id.to_string()/> }).collect_view();
    let (kind, study) = (filter.kind.map(|kind| kind.to_string()), filter.study.map(|study| study.to_string()));
    view! {
        <section class="card stack" aria-labelledby="confirm-title">
            <h2 id="confirm-title">{t.confirm}</h2>
            <p>{t.consequence(act, count)}</p>
            <ActionForm action=forms.act attr:class="row">
                <input type="hidden" name="act" value=act.code()/>
                {fields}
                {kind.map(|kind| view! { <input type="hidden" name="kind" value=kind/> })}
                {study.map(|study| view! { <input type="hidden" name="study" value=study/> })}
                <button class="button primary" id="inbox-confirm" type="submit" disabled=move || forms.act.pending().get()>
                    {t.act(act)}" "<span class="count">{i.number(count)}</span>
                </button>
                <a class="button" href=back>{t.cancel}</a>
            </ActionForm>
        </section>
    }
    .into_any()
}

fn shortcuts(i: I18n, off: bool) -> impl IntoView {
    let t = i.inbox();
    let keys = [
        ("j", t.key_next),
        ("k", t.key_previous),
        ("x", t.key_select),
        ("Enter", t.key_open),
        ("e", t.key_resolve),
        ("?", t.key_help),
    ];
    let rows = keys
        .into_iter()
        .map(|(key, what)| view! { <div><dt><kbd>{key}</kbd></dt><dd>{what}</dd></div> })
        .collect_view();
    view! {
        <details class="more" id="inbox-keys">
            <summary>{t.shortcuts}</summary>
            <dl class="help-keys">{rows}</dl>
            {off.then(|| view! { <p class="hint">{t.keys_off}" "<a href="/account#keys">{t.keys_change}</a></p> })}
        </details>
    }
}
