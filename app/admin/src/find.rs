//! `/admin/find?q=`: the search over everything that an admin made, and over the pages. The palette of the crate `app` draws it
//! in a dialog, too.

use std::time::Duration;

use leptos::{ev, html, prelude::*, wasm_bindgen::JsCast, web_sys};
use leptos_router::hooks::{use_location, use_navigate, use_query_map};

use super::{
    filter::{Field, FilterBar},
    parts::asked,
};
use model::{
    error::AppError,
    find::{Hit, Kind},
    ids::RunId,
    lang::Lang,
    page::holds,
};
use rpc::find::find;
use texts::I18n;
use ui::{
    context::use_i18n,
    effect::effect,
    failure::error_text,
    frame::Page,
    load::{Data, Load},
    notice::Empty,
    palette::{FIND, InPalette},
};

/// How long typing pauses before the server is asked.
const PAUSE: Duration = Duration::from_millis(150);

/// How long a page may take until it has its title.
const TITLE: Duration = Duration::from_millis(700);

/// The tab's list of places that were visited, newest first: an address, a tab and a title in each line.
const PLACES: &str = "places";

/// How many places are remembered.
const REMEMBERED: usize = 8;

/// One line of the result.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    group: &'static str,
    name: String,
    detail: String,
    to: To,
}

/// What a line leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
enum To {
    /// A page.
    Page(String),
    /// What is done at once: where a form is sent to, and its fields. Each can be undone in the same way, or by logging
    /// in again.
    Act(&'static str, Vec<(&'static str, String)>),
}

/// The search, as a page or in its dialog.
#[component]
pub fn FindPage() -> impl IntoView {
    match use_context::<InPalette>() {
        Some(shared) => view! { <Dialog shared/> }.into_any(),
        None => view! { <Whole/> }.into_any(),
    }
}

/// The server's results for `words`; without words, nothing.
fn found(words: impl Fn() -> String + Send + Sync + 'static) -> Data<Vec<Hit>> {
    Data::new(words, |words| async move { if words.trim().is_empty() { Ok(Vec::new()) } else { find(words).await } })
}

/// A page of its own, which works without JavaScript.
#[component]
fn Whole() -> impl IntoView {
    let i = use_i18n();
    let query = use_query_map();
    let words = move || asked(query, "q");
    let data = found(words);
    let list = move |hits: Vec<Hit>| {
        let words = untrack(words);
        let lines = lines(i, &words, hits);
        if lines.is_empty() {
            return view! { <Empty title=i.lists().find_none/> }.into_any();
        }
        let groups = grouped(lines).into_iter().map(|(group, lines)| {
            let lines = lines.into_iter().map(|(_, Line { name, detail, to, .. })| match to {
                To::Page(href) => {
                    view! { <li><a href=href>{name}</a>" "<span class="muted small">{detail}</span></li> }.into_any()
                }
                To::Act(action, fields) => {
                    let fields = fields.into_iter().map(|(name, value)| {
                        view! { <input type="hidden" name=name value=value/> }
                    });
                    view! {
                        <li><form method="post" action=action>
                            {fields.collect_view()}
                            <button class="button small-button" type="submit">{name}</button>
                        </form></li>
                    }
                    .into_any()
                }
            });
            view! { <section><h2>{group}</h2><ul class="plain-list">{lines.collect_view()}</ul></section> }
        });
        view! { <div class="stack">{groups.collect_view()}</div> }.into_any()
    };
    view! {
        <Page title=i.common.find>
            <p class="muted">{i.lists().find_hint}</p>
            <FilterBar fields=vec![Field::Words]/>
            <Load data let:hits>{list(hits)}</Load>
        </Page>
    }
}

/// The dialog, which stays in the header: it opens whenever it is asked for, and remembers where one goes.
#[component]
fn Dialog(
    /// What the button sets.
    shared: InPalette,
) -> impl IntoView {
    let InPalette { asked, early } = shared;
    let dialog = NodeRef::<html::Dialog>::new();
    let is_open = RwSignal::new(false);
    effect(move |_: Option<()>| {
        let (Some(dialog), times) = (dialog.get(), asked.get()) else { return };
        if dialog.open() {
            early.set(None);
            dialog.close();
        } else if times > 0 {
            match dialog.show_modal() {
                Ok(()) => is_open.set(true),
                // Without a field, letters go where they went before.
                Err(_) => early.set(None),
            }
        }
    });
    let path = use_location().pathname;
    effect(move |before: Option<()>| {
        let path = path.get();
        // The first run is for the page on which the dialog was made, perhaps to be opened at once.
        if let (Some(()), Some(dialog)) = (before, dialog.get_untracked()) {
            dialog.close();
        }
        // The page's title comes with its data.
        if let Ok(timer) = set_timeout_with_handle(move || remember(&path), TITLE) {
            on_cleanup(move || timer.clear());
        }
    });
    let close = Callback::new(move |()| {
        if let Some(dialog) = dialog.get_untracked() {
            dialog.close();
        }
    });
    view! {
        <dialog class="palette" node_ref=dialog aria-label=use_i18n().common.find on:close=move |_| is_open.set(false)>
            {move || is_open.get().then(|| view! { <Palette early close/> })}
        </dialog>
    }
}

/// In the dialog: a combobox whose list follows what is typed.
#[component]
fn Palette(
    /// What was typed before its field was there.
    early: RwSignal<Option<String>>,
    /// Closes the dialog; the focus returns to where it was.
    close: Callback<()>,
) -> impl IntoView {
    let i = use_i18n();
    let l = i.lists();
    let (typed, words, chosen) = (RwSignal::new(String::new()), RwSignal::new(String::new()), RwSignal::new(0_usize));
    let data = found(move || words.get());
    let found = RwSignal::new(None);
    effect(move |_: Option<()>| found.set(data.get()));
    let shown = Memo::new(move |_| {
        let hits = found.get().and_then(Result::ok).unwrap_or_default();
        // Hits of earlier words until those of these come; pages at once.
        let words = typed.get();
        if words.trim().is_empty() { places(i) } else { lines(i, &words, hits) }
    });
    let error = move || found.get().and_then(Result::err);
    effect(move |_: Option<()>| {
        let now = typed.get();
        chosen.set(0);
        if let Ok(timer) = set_timeout_with_handle(move || words.set(now), PAUSE) {
            on_cleanup(move || timer.clear());
        }
    });
    let input = NodeRef::<html::Input>::new();
    effect(move |_: Option<()>| {
        if let Some(input) = input.get() {
            let _ = input.focus();
            if let Some(early) = early.try_update_untracked(Option::take).flatten() {
                input.set_value(&early);
                typed.set(early);
            }
        }
    });
    let at = Memo::new(move |_| chosen.get().min(shown.with(Vec::len).saturating_sub(1)));
    effect(move |_: Option<()>| {
        if let Some(line) = document().get_element_by_id(&line_id(at.get())) {
            line.scroll_into_view_with_bool(false);
        }
    });
    let navigate = use_navigate();
    let keys = move |event: ev::KeyboardEvent| {
        let count = shown.with_untracked(Vec::len);
        // Text that an input method is still composing is not a choice.
        if event.is_composing() || count == 0 {
            return;
        }
        match event.key().as_str() {
            "ArrowDown" => chosen.set((at.get_untracked() + 1) % count),
            "ArrowUp" => chosen.set((at.get_untracked() + count - 1) % count),
            "Enter" => {
                if let Some(line) = shown.with_untracked(|lines| lines.get(at.get_untracked()).cloned()) {
                    close.run(());
                    match line.to {
                        To::Page(href) => navigate(&href, leptos_router::NavigateOptions::default()),
                        To::Act(action, fields) => act(action, &fields),
                    }
                }
            }
            _ => return,
        }
        event.prevent_default();
    };
    let write = move |event: ev::Event| {
        if let Some(input) = event.target().and_then(|target| target.dyn_into::<web_sys::HtmlInputElement>().ok()) {
            typed.set(input.value());
        }
    };
    view! {
        <div class="palette-search">
            <input
                class="input"
                type="text"
                role="combobox"
                autocomplete="off"
                spellcheck="false"
                maxlength="200"
                aria-label=i.common.find
                aria-describedby="palette-keys"
                aria-autocomplete="list"
                aria-expanded="true"
                aria-controls="palette-list"
                aria-activedescendant=move || (!shown.with(Vec::is_empty)).then(|| line_id(at.get()))
                placeholder=l.find_hint
                node_ref=input
                on:input=write
                on:keydown=keys
            />
            <button class="button quiet" type="button" on:click=move |_| close.run(())>{i.common.close}</button>
        </div>
        <div class="palette-list" id="palette-list" role="listbox" aria-label=i.common.find>
            {move || options(shown.get(), at, close)}
        </div>
        <p class="palette-none" role="status">{move || said(i, shown.with(Vec::len), error())}</p>
        <p class="palette-keys muted small" id="palette-keys">{l.find_keys}</p>
    }
}

/// The status line of the results.
fn said(i: I18n, lines: usize, error: Option<AppError>) -> AnyView {
    match (error, lines) {
        (Some(error), _) => error_text(&error, i).into_any(),
        (None, 0) => i.lists().find_none.into_any(),
        (None, count) => {
            let count = (i.lists().found)(&i.number(count as u64));
            view! { <span class="visually-hidden">{count}</span> }.into_any()
        }
    }
}

fn line_id(at: usize) -> String {
    format!("palette-{at}")
}

fn options(lines: Vec<Line>, chosen: Memo<usize>, close: Callback<()>) -> impl IntoView {
    let groups = grouped(lines).into_iter().map(|(group, lines)| {
        let options = lines.into_iter().map(|(at, Line { name, detail, to, .. })| {
            // An act has no address of its own: a click sends its form.
            let (href, form) = match to {
                To::Page(href) => (Some(href), None),
                To::Act(action, fields) => (None, Some((action, fields))),
            };
            let go = move |_| {
                close.run(());
                if let Some((action, fields)) = &form {
                    act(action, fields);
                }
            };
            view! {
                <a
                    role="option"
                    id=line_id(at)
                    class="palette-option"
                    tabindex="-1"
                    href=href
                    aria-selected=move || if chosen.get() == at { "true" } else { "false" }
                    on:click=go
                >
                    <span>{name}</span>
                    <span class="muted small">{detail}</span>
                </a>
            }
        });
        view! {
            <div role="group" aria-label=group>
                <div class="palette-group" aria-hidden="true">{group}</div>
                {options.collect_view()}
            </div>
        }
    });
    groups.collect_view()
}

/// Sends a form with these fields. The event that it sends lets unsent ratings be kept before a logout.
fn act(action: &str, fields: &[(&'static str, String)]) {
    let form = document().create_element("form").ok().and_then(|form| form.dyn_into::<web_sys::HtmlFormElement>().ok());
    let (Some(form), Some(body)) = (form, document().body()) else { return };
    form.set_method("post");
    form.set_action(action);
    form.set_hidden(true);
    for (name, value) in fields {
        let input = document()
            .create_element("input")
            .ok()
            .and_then(|input| input.dyn_into::<web_sys::HtmlInputElement>().ok());
        if let Some(input) = input {
            input.set_name(name);
            input.set_value(value);
            let _ = form.append_child(&input);
        }
    }
    let _ = body.append_child(&form);
    let _ = form.request_submit();
}

/// The lines by group, each with its place among all.
fn grouped(lines: Vec<Line>) -> Vec<(&'static str, Vec<(usize, Line)>)> {
    let mut groups: Vec<(&'static str, Vec<(usize, Line)>)> = Vec::new();
    for (at, line) in lines.into_iter().enumerate() {
        match groups.last_mut() {
            Some((group, lines)) if *group == line.group => lines.push((at, line)),
            _ => groups.push((line.group, vec![(at, line)])),
        }
    }
    groups
}

/// The pages and actions with these words, then what the server has found.
fn lines(i: I18n, words: &str, hits: Vec<Hit>) -> Vec<Line> {
    if words.trim().is_empty() {
        return all(i).map(|(line, _)| line).collect();
    }
    let hits = hits.into_iter().map(|hit| Line {
        group: group(i, hit.kind),
        name: if hit.kind == Kind::Run {
            (i.runs().run_n)(RunId(hit.name.parse().unwrap_or_default()))
        } else {
            hit.name
        },
        detail: hit.detail,
        to: To::Page(hit.href),
    });
    named(i, words).chain(hits).collect()
}

/// Recently visited pages, what is on them with its kind, then all pages and actions.
fn places(i: I18n) -> Vec<Line> {
    let recent = recent().into_iter().map(|(href, name)| Line {
        group: i.lists().kind_recent,
        detail: kind_at(i, &href).unwrap_or_default().to_owned(),
        name,
        to: To::Page(href),
    });
    recent.chain(all(i).map(|(line, _)| line)).collect()
}

/// The page whose list has what is at an address; `None` for a page of [`DESTINATIONS`], which is no thing of a kind.
fn kind_at(i: I18n, path: &str) -> Option<&'static str> {
    let above = |(_, _, page): &&Destination| {
        // Every page is below the overview's address.
        *page != "/admin" && path.strip_prefix(*page).is_some_and(|rest| rest.starts_with('/'))
    };
    if addresses().any(|page| page == path) {
        return None;
    }
    let (_, name, _) = DESTINATIONS.iter().filter(above).max_by_key(|(_, _, page)| page.len())?;
    Some(name(i))
}

fn storage() -> Option<web_sys::Storage> {
    window().session_storage().ok()?
}

/// The places that were visited: address and title.
fn visited(storage: &web_sys::Storage) -> Vec<(String, String)> {
    let lines = storage.get_item(PLACES).ok().flatten().unwrap_or_default();
    lines.lines().filter_map(|line| line.split_once('\t')).map(|(path, title)| (path.into(), title.into())).collect()
}

/// Remembers the page at `path` with its title, unless the visitor has left it meanwhile.
fn remember(path: &str) {
    let (Some(storage), Ok(now)) = (storage(), window().location().pathname()) else { return };
    let title = document().title();
    let title = title.trim_end_matches(" · AixGrade");
    if now != path || !path.starts_with("/admin/") || path == FIND || title.is_empty() {
        return;
    }
    let others = visited(&storage).into_iter().filter(|(other, _)| other != path);
    let places = std::iter::once((path.to_owned(), title.to_owned())).chain(others).take(REMEMBERED);
    let lines: Vec<String> = places.map(|(path, title)| format!("{path}\t{title}")).collect();
    let _ = storage.set_item(PLACES, &lines.join("\n"));
}

/// The places before this one, newest first.
fn recent() -> Vec<(String, String)> {
    let here = window().location().pathname().unwrap_or_default();
    let places = storage().map(|storage| visited(&storage)).unwrap_or_default();
    places.into_iter().filter(|(path, _)| *path != here).collect()
}

fn group(i: I18n, kind: Kind) -> &'static str {
    let l = i.lists();
    match kind {
        Kind::Study => l.kind_study,
        Kind::Dataset => l.kind_dataset,
        Kind::Model => l.kind_model,
        Kind::Run => l.kind_run,
        Kind::Task => l.kind_task,
        Kind::Person => l.kind_person,
        Kind::Rubric => i.rubrics().title,
        Kind::Group => i.groups().groups,
        Kind::Collection => i.collections().title,
    }
}

/// A page or an action: its group, its name and its address.
type Destination = (Group, Name, &'static str);

/// A text in the visitor's language.
type Name = fn(I18n) -> &'static str;

/// Whether a destination is somewhere to look or something to do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    Page,
    Action,
}

/// Every page without a parameter in its address, and what is done on them, by the names in the navigation and on buttons.
const DESTINATIONS: [Destination; 39] = [
    (Group::Page, |i| i.common.nav_overview, "/admin"),
    (Group::Page, |i| i.common.nav_inbox, "/admin/inbox"),
    (Group::Page, |i| i.common.nav_results, "/admin/results"),
    (Group::Page, |i| i.common.nav_studies, "/admin/studies"),
    (Group::Page, |i| i.rubrics().title, "/admin/rubrics"),
    (Group::Page, |i| i.common.nav_datasets, "/admin/datasets"),
    (Group::Page, |i| i.languages().title, "/admin/languages"),
    (Group::Page, |i| i.conversations().title, "/admin/conversations"),
    (Group::Page, |i| i.common.nav_models, "/admin/models"),
    (Group::Page, |i| i.admin().submissions, "/admin/submissions"),
    (Group::Page, |i| i.collections().title, "/admin/collections"),
    (Group::Page, |i| i.common.nav_runs, "/admin/runs"),
    (Group::Page, |i| i.common.nav_people, "/admin/people"),
    (Group::Page, |i| i.groups().groups, "/admin/groups"),
    (Group::Page, |i| i.announcements().announcements, "/admin/announcements"),
    (Group::Page, |i| i.common.nav_settings, "/admin/settings"),
    (Group::Page, |i| i.server().title, "/admin/server"),
    (Group::Page, |i| i.audit().title, "/admin/audit"),
    (Group::Page, |i| i.upkeep().archive_title, "/admin/archive"),
    (Group::Page, |i| i.api().tokens, "/admin/api/tokens"),
    (Group::Page, |i| i.api().webhooks, "/admin/api/webhooks"),
    (Group::Page, |i| i.api().api, "/admin/api"),
    (Group::Page, |i| i.common.nav_my_studies, "/my-studies"),
    (Group::Page, |i| i.common.account, "/account"),
    (Group::Action, |i| i.admin().new_study, "/admin/studies/new"),
    (Group::Action, |i| i.admin().upload_outputs, "/admin/upload"),
    (Group::Action, |i| i.admin().import_dataset, "/admin/datasets#import"),
    (Group::Action, |i| i.ratings_import().import_ratings, "/admin/upload/ratings"),
    (Group::Action, |i| i.collections().new, "/admin/collections/new"),
    (Group::Action, |i| i.collections().new_judging, "/admin/judgings/new"),
    (Group::Action, |i| i.runs().compare_runs, "/admin/runs/compare"),
    (Group::Action, |i| i.rubrics().new, "/admin/rubrics/new"),
    (Group::Action, |i| i.rubrics().import, "/admin/rubrics#import-head"),
    (Group::Action, |i| i.admin().invite_people, "/admin/people#invite"),
    (Group::Action, |i| i.groups().create, "/admin/groups#group-name"),
    (Group::Action, |i| i.announcements().new, "/admin/announcements#announce-head"),
    (Group::Action, |i| i.server().back_up_now, "/admin/server#backups"),
    (Group::Action, |i| i.api().new_token, "/admin/api/tokens#new-token-head"),
    (Group::Action, |i| i.api().new_webhook, "/admin/api/webhooks#new-webhook-head"),
];

/// The addresses of all pages and actions, without the parts of pages that they lead to.
pub fn addresses() -> impl Iterator<Item = &'static str> {
    DESTINATIONS.iter().map(|(_, _, address)| address.split_once('#').map_or(*address, |(page, _)| page))
}

/// The name of the page at an address.
#[cfg(test)]
pub fn name_of(i: I18n, page: &str) -> Option<&'static str> {
    DESTINATIONS.iter().find(|(_, _, href)| *href == page).map(|(_, name, _)| name(i))
}

/// A line with its names in both languages.
type Named = (Line, Vec<&'static str>);

/// What is done at once, with all its names: logging out, and how pages look to the visitor.
fn acts(i: I18n) -> impl Iterator<Item = Named> {
    let l = i.lists();
    let names = |name: fn(I18n) -> &'static str| Lang::ALL.map(|lang| name(I18n::of(lang))).to_vec();
    let here = use_location();
    let here = format!(
        "{}{}",
        here.pathname.get_untracked(),
        match here.search.get_untracked() {
            search if search.is_empty() => search,
            search => format!("?{search}"),
        }
    );
    let next = move || ("next", here.clone());
    let themes: [(&str, Name); 3] = [
        ("dark", |i| i.lists().theme_dark),
        ("light", |i| i.lists().theme_light),
        ("system", |i| i.lists().theme_system),
    ];
    let line = move |name: &str, action, fields| Line {
        group: l.kind_action,
        name: name.to_owned(),
        detail: String::new(),
        to: To::Act(action, fields),
    };
    let mut all: Vec<Named> = themes
        .iter()
        .map(|(code, name)| {
            let fields = vec![("theme", (*code).to_owned()), next()];
            (line(name(i), "/account/display", fields), names(*name))
        })
        .collect();
    for lang in Lang::ALL.into_iter().filter(|lang| *lang != i.lang) {
        let name = I18n::of(lang).lists().use_language;
        let fields = vec![("lang", lang.code().to_owned()), next()];
        all.push((line(name, "/lang", fields), vec![name, i.common.language]));
    }
    all.push((line(i.common.log_out, "/log-out", Vec::new()), names(|i| i.common.log_out)));
    all.into_iter()
}

/// Every page, and everything that can be done, each with its names in both languages.
fn all(i: I18n) -> impl Iterator<Item = Named> {
    let l = i.lists();
    let places = DESTINATIONS.into_iter().map(move |(group, name, href)| {
        let group = match group {
            Group::Page => l.kind_page,
            Group::Action => l.kind_action,
        };
        let line = Line { group, name: name(i).to_owned(), detail: String::new(), to: To::Page(href.to_owned()) };
        (line, Lang::ALL.map(|lang| name(I18n::of(lang))).to_vec())
    });
    places.chain(acts(i))
}

/// The pages and actions whose name in either language has these words.
fn named(i: I18n, words: &str) -> impl Iterator<Item = Line> {
    all(i).filter(move |(_, names)| names.iter().any(|name| holds(name, words))).map(|(line, _)| line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recent_things_have_their_kind_and_pages_have_none() {
        let i = I18n::of(Lang::En);
        let check = |path, kind| assert_eq!(kind_at(i, path), kind, "{path}");
        check("/admin/studies/7", Some("Studies"));
        check("/admin/studies/7/plan", Some("Studies"));
        check("/admin/rubrics/aixbench", Some("Rubrics"));
        check("/admin/people", None);
        check("/admin/studies/new", None);
        check("/admin/api/tokens", None);
        check("/admin/outputs/3", None);
    }
}
