//! `/admin/inbox`: what waits for an admin, as a queue. On the left, a line for each item; on the right, what an admin
//! decides the current one by. Acts happen at once, and can be undone for some seconds. Kind, study, page and current item
//! are in the address, so that the page works without JavaScript and a link reproduces it.

mod item;
mod keyboard;
mod preview;
mod rows;

use std::time::Duration;

use leptos::prelude::*;
use leptos_router::{hooks::use_query_map, params::ParamsMap};

use self::keyboard::Keyboard;
use super::parts::{Filter, FormError, asked, select_field};
use model::{
    address::query_value,
    ids::StudyId,
    inbox::{InboxAct, InboxDone, InboxFilter, InboxKind, InboxPage, UNDO_S},
};
use rpc::{
    inbox::{ActOnItems, UndoAct, inbox, inbox_item},
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

/// The parts of the page that act on each other.
#[derive(Clone, Copy)]
struct Queue {
    act: FormAction<ActOnItems>,
    undo: FormAction<UndoAct>,
    reply: FormAction<ReplyToFlag>,
    /// The item on the right.
    current: RwSignal<Option<i64>>,
    /// The results that the page tells of, the newest last.
    results: RwSignal<Vec<(InboxAct, InboxDone)>>,
    /// Items that were acted on and are still in the list that the page has: they are hidden, so that the next key acts on
    /// the next item, however long the answer takes.
    gone: RwSignal<Vec<i64>>,
    query: Memo<ParamsMap>,
}

impl Queue {
    fn new(query: Memo<ParamsMap>) -> Queue {
        let queue = Queue {
            act: FormAction::in_place(),
            undo: FormAction::in_place(),
            reply: FormAction::in_place(),
            current: RwSignal::new(drawn(query, "item").parse().ok()),
            results: RwSignal::new(result_in_address(query).into_iter().collect()),
            gone: RwSignal::new(Vec::new()),
            query,
        };
        effect(move |_| {
            if let Some(item) = asked_item(query) {
                queue.current.set(Some(item));
            }
        });
        effect(move |_| match queue.act.value().get() {
            Some(Ok(result)) => {
                queue.results.update(|results| results.push(result.clone()));
                if result.1.refused > 0 {
                    queue.gone.set(Vec::new());
                }
                queue.forget_later(result.1);
            }
            Some(Err(_)) => queue.gone.set(Vec::new()),
            None => {}
        });
        effect(move |_| {
            if let Some(Ok(_)) = queue.undo.value().get() {
                queue.results.update(|results| {
                    let _undone = results.pop();
                });
                queue.gone.set(Vec::new());
            }
        });
        queue
    }

    /// Takes a result off the page when it can no longer be undone.
    fn forget_later(self, done: InboxDone) {
        let forget = move || {
            self.results.try_update(|results| results.retain(|(_, result)| result.undo != done.undo));
        };
        set_timeout(forget, Duration::from_secs(UNDO_S.into()));
    }

    /// The filter of the list that is drawn.
    fn filter(self) -> InboxFilter {
        InboxFilter {
            kind: drawn(self.query, "kind").parse().ok(),
            study: drawn(self.query, "study").parse().ok().map(StudyId),
        }
    }

    /// Changes with everything that changes the list.
    fn version(self) -> usize {
        self.act.version().get() + self.undo.version().get() + self.reply.version().get()
    }

    /// Acts on these items.
    fn act_on(self, act: InboxAct, items: &[i64]) {
        let mut fields = vec![("act", act.to_string())];
        fields.extend(items.iter().map(|item| ("items[]", item.to_string())));
        self.gone.update(|gone| gone.extend(items));
        self.act.dispatch(&fields);
    }

    /// Undoes the last act.
    fn undo_last(self) {
        let last = self.results.with_untracked(|results| results.last().and_then(|(_, done)| done.undo));
        if let Some(request) = last {
            self.undo.dispatch(&[("request", request.to_string())]);
        }
    }

    /// The address of this page of the list, with an item.
    fn address(self, item: Option<i64>) -> String {
        let mut address = self.filter().address();
        let item = item.map(|item| item.to_string()).unwrap_or_default();
        let place = ["after", "before"].map(|key| (key, drawn(self.query, key)));
        for (key, value) in place.into_iter().chain([("item", item)]) {
            if !value.is_empty() {
                let sign = if address.contains('?') { '&' } else { '?' };
                address = format!("{address}{sign}{key}={}", query_value(&value));
            }
        }
        address
    }
}

/// The value of `key` in the address when something is drawn: a new address draws the list anew.
fn drawn(query: Memo<ParamsMap>, key: &str) -> String {
    query.with_untracked(|query| query.get(key)).unwrap_or_default()
}

fn asked_item(query: Memo<ParamsMap>) -> Option<i64> {
    asked(query, "item").parse().ok()
}

/// The result of a form that was sent without JavaScript.
fn result_in_address(query: Memo<ParamsMap>) -> Option<(InboxAct, InboxDone)> {
    let act = drawn(query, "act").parse().ok()?;
    let number = |key| drawn(query, key).parse::<u64>().unwrap_or(0);
    let undo = drawn(query, "undo").parse().ok();
    Some((act, InboxDone { done: number("done"), gone: number("gone"), refused: number("refused"), undo }))
}

/// The inbox.
#[component]
pub fn InboxListPage() -> impl IntoView {
    let i = use_i18n();
    let t = i.inbox();
    let query = use_query_map();
    let queue = Queue::new(query);
    let data = Data::new(
        move || (filter_of(query), page_of(query, ""), queue.version()),
        |(filter, page, _)| inbox(filter, page),
    );
    let preview = Data::new(
        move || (queue.current.get(), queue.version()),
        |(item, _)| async move {
            match item {
                Some(item) => inbox_item(item).await,
                None => Ok(None),
            }
        },
    );
    let keyboard = Keyboard::new(queue);
    effect(move |_| {
        if let Some(Ok(Some(item))) = preview.get() {
            keyboard.arrived(item.row.id);
        }
    });
    let count = use_context::<WaitingCount>();
    effect(move |_| {
        if let (Some(Ok(page)), Some(count)) = (data.get(), count) {
            count.0.set(page.waiting);
        }
    });
    let errors = move || {
        let failed = queue.act.value().get().and_then(Result::err);
        let failed = failed.or_else(|| queue.undo.value().get().and_then(Result::err));
        failed.or_else(|| queue.reply.value().get().and_then(Result::err))
    };
    view! {
        <Page title=t.title>
            <FormError of=errors/>
            <Load data let:page>{
                let pane = view! {
                    <Load data=preview let:item>{preview::pane(i, item, queue)}</Load>
                }
                .into_any();
                content(i, page, queue, keyboard, pane)
            }</Load>
            {move || last_act(i, queue)}
        </Page>
    }
}

fn content(i: I18n, page: InboxPage, queue: Queue, keyboard: Keyboard, pane: AnyView) -> AnyView {
    let t = i.inbox();
    let filter = queue.filter();
    if page.waiting == 0 {
        return view! { <Empty title=t.empty><p>{t.empty_hint}</p></Empty> }.into_any();
    }
    let head = filters(i, queue.query, filter, &page);
    if page.page.rows.is_empty() {
        return view! {
            {head}
            <Empty title=t.empty_filter><p><a class="button" href="/admin/inbox">{t.show_all}</a></p></Empty>
        }
        .into_any();
    }
    keyboard.show(&page.page.rows);
    let acts: Vec<InboxAct> = InboxAct::ALL
        .into_iter()
        .filter(|act| page.page.rows.iter().any(|row| row.kind.acts().contains(act)))
        .collect();
    let turner = pager(i, queue.query, "", &page.page);
    let rows = rows::rows(i, page.page.rows, queue);
    view! {
        {head}
        <div class="inbox" data-item=move || queue.current.get().map(|item| item.to_string())>
            <div class="inbox-list">
                {bulk(i, acts, queue)}
                {rows}
                {turner}
                {shortcuts(i)}
            </div>
            {pane}
        </div>
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
    let several = options.len() > 1 || !chosen.is_empty();
    let kind = drawn(query, "kind");
    view! {
        <div class="inbox-filters">
            <nav class="inbox-kinds" aria-label=t.kinds><ul>{link(None, t.all, all)}{kinds}</ul></nav>
            {several.then(|| view! {
                <Filter>
                    {(!kind.is_empty()).then(|| view! { <input type="hidden" name="kind" value=kind/> })}
                    {select_field("study", t.study, t.all_studies, options, chosen)}
                    <button class="button" type="submit">{t.filter}</button>
                </Filter>
            })}
        </div>
    }
}

/// The form that the checkboxes of the list belong to, with a button for each act. The style sheet leaves the buttons out
/// while nothing is selected.
fn bulk(i: I18n, acts: Vec<InboxAct>, queue: Queue) -> impl IntoView {
    let t = i.inbox();
    let buttons = acts
        .into_iter()
        .map(|act| view! { <button class="button" type="submit" name="act" value=act.code()>{t.act(act)}</button> })
        .collect_view();
    view! {
        <ActionForm action=queue.act attr:class="inbox-bulk" attr:id="inbox-form">
            {filter_fields(queue.filter())}
            <label class="check" data-scripts="">
                <input type="checkbox" id="inbox-all" on:change=move |event| keyboard::select_all(event_target_checked(&event))/>
                {t.select_all}
            </label>
            <span class="row inbox-acts" role="group" aria-label=t.with_selected>{buttons}</span>
        </ActionForm>
    }
}

/// The filter, for a form that returns to the list.
fn filter_fields(filter: InboxFilter) -> impl IntoView {
    let fields = [("kind", filter.kind.map(|kind| kind.to_string())), ("study", filter.study.map(|id| id.to_string()))];
    let fields = fields.into_iter().filter_map(|(name, value)| value.map(|value| (name, value)));
    fields.map(|(name, value)| view! { <input type="hidden" name=name value=value/> }).collect_view()
}

/// The last result: what happens now, what could not be done, and the button that undoes it.
fn last_act(i: I18n, queue: Queue) -> Option<impl IntoView> {
    let t = i.inbox();
    if let Some(undone) = asked(queue.query, "undone").parse::<u64>().ok().filter(|_| queue.results.with(Vec::is_empty))
    {
        return Some(
            view! { <div class="undo-bar"><Notice tone=Tone::Good><p>{(t.undone_n)(undone)}</p></Notice></div> }
                .into_any(),
        );
    }
    let (act, done) = queue.results.with(|results| results.last().cloned())?;
    let tone = if done.gone + done.refused == 0 { Tone::Good } else { Tone::Care };
    let consequence = (done.done > 0).then(|| t.consequence(act, done.done));
    let lines = [(done.gone, t.gone_n), (done.refused, t.refused_n)].into_iter().filter(|(n, _)| *n > 0);
    let lines = lines.map(|(n, words)| view! { <p>{words(n)}</p> }).collect_view();
    let undo = done.undo.map(|request| {
        view! {
            <ActionForm action=queue.undo>
                <input type="hidden" name="request" value=request.to_string()/>
                {filter_fields(queue.filter())}
                <button class="button" type="submit">{t.undo}" "<kbd>"u"</kbd></button>
            </ActionForm>
        }
    });
    Some(
        view! {
            <div class="undo-bar">
                <Notice tone>
                    {consequence.map(|text| view! { <p>{text}</p> })}
                    {lines}
                    {undo}
                </Notice>
            </div>
        }
        .into_any(),
    )
}

fn shortcuts(i: I18n) -> impl IntoView {
    let t = i.inbox();
    let off = use_visitor().me.is_some_and(|me| me.settings.keys.off);
    let keys = [
        ("j", t.key_next),
        ("k", t.key_previous),
        ("x", t.key_select),
        ("Enter", t.key_open),
        ("e", t.key_resolve),
        ("u", t.key_undo),
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
