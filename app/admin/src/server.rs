//! `/admin/server`: what the operator's commands say about the server. `?unused=1` shows what pruning would delete. While
//! maintenance or an installation is in progress, the page loads its data again every few seconds.

use std::time::Duration;

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::parts::{FormError, asked, size};
use crate::places::{Place, tabs};
use model::{
    mail::{MailQueue, MailRow},
    server::{
        Backup, Backups, Disk, EngineState, Freed, LanguageState, Maintenance, RoutineState, ServerNotice, ServerState,
        Setting, Source, Work,
    },
    toolchains::Installation,
};
use rpc::{
    mail::TestMail,
    server::{StartMaintenance, server_notices, server_state, unused_data},
    toolchains::InstallToolchain,
};
use texts::{
    I18n,
    audit_details::unused,
    faults::{mail_fault, routine_fault},
};
use ui::{
    context::use_i18n,
    effect::effect,
    failure::error_text,
    form::{ActionForm, FormAction},
    frame::Page,
    load::{Data, Load},
    notice::{Badge, Empty, Notice, Tone},
};

/// How often the page looks again while something is in progress.
const AGAIN: Duration = Duration::from_secs(2);

/// The page without the preview, and with it.
const PAGE: &str = "/admin/server";
const PREVIEW: &str = "/admin/server?unused=1#unused";

/// The forms of the page.
#[derive(Clone, Copy)]
struct Forms {
    start: FormAction<StartMaintenance>,
    install: FormAction<InstallToolchain>,
    test: FormAction<TestMail>,
    /// Whether maintenance is in progress, so that none can be started.
    is_running: bool,
}

impl Forms {
    /// A form that starts maintenance.
    fn maintain(self, what: Maintenance, class: &'static str, label: &'static str) -> impl IntoView {
        view! {
            <ActionForm action=self.start>
                <input type="hidden" name="what" value=what.code()/>
                <button class=class type="submit" disabled=self.is_running>{label}</button>
            </ActionForm>
        }
    }
}

/// The state of the server.
#[component]
pub fn ServerPage() -> impl IntoView {
    let i = use_i18n();
    let query = use_query_map();
    let (start, install) = (FormAction::<StartMaintenance>::new(), FormAction::<InstallToolchain>::new());
    let test = FormAction::<TestMail>::new();
    let changes = move || start.version().get() + install.version().get() + test.version().get();
    let data = Data::new(changes, |_| server_state());
    let preview = Data::new(move || asked(query, "unused") == "1", unused_data);
    effect(move |_| {
        let is_busy = data.get().is_some_and(|found| found.is_ok_and(|found| is_busy(&found)));
        if is_busy {
            set_timeout(move || data.refetch(), AGAIN);
        }
    });
    let error = move || {
        let errors = [
            start.value().get().and_then(Result::err),
            install.value().get().and_then(Result::err),
            test.value().get().and_then(Result::err),
        ];
        errors.into_iter().flatten().next()
    };
    view! {
        <Page title=i.server().title>
            {tabs(i, Place::Settings, "/admin/server")}
            <FormError of=error/>
            <Load data let:found>
                {
                    let is_running = found.work.as_ref().is_some_and(Work::is_running);
                    content(i, found, Forms { start, install, test, is_running }, preview)
                }
            </Load>
        </Page>
    }
}

fn is_busy(found: &ServerState) -> bool {
    found.work.as_ref().is_some_and(Work::is_running) || found.languages.iter().any(LanguageState::is_installing)
}

fn content(i: I18n, found: ServerState, forms: Forms, preview: Data<Option<Vec<Freed>>>) -> AnyView {
    let t = i.server();
    let lead = (t.lead)(&found.version, found.schema, &i.time(found.started_at));
    view! {
        <p class="lead">{lead}</p>
        {found.work.as_ref().map(|work| work_notice(i, work))}
        {health(i, &found)}
        {forms.maintain(Maintenance::Check, "button", t.check_now)}
        {backups(i, found.backups, forms)}
        {storage(i, &found.disk, &found.data_folder)}
        <Load data=preview let:freed>{freed.map(|freed| pruning(i, &freed, forms))}</Load>
        {languages(i, found.languages, forms)}
        {connections(i, &found.endpoints, found.webhook_hosts, found.identity_provider)}
        {found.mail.map(|mail| email(i, mail, forms.test))}
        {settings(i, found.settings)}
    }
    .into_any()
}

/// The maintenance in progress, or how the last one ended.
fn work_notice(i: I18n, work: &Work) -> AnyView {
    let t = i.server();
    let Some(at) = work.ended_at else {
        let running = t.running(work.what);
        return view! {
            <Notice tone=Tone::Plain>
                <p>{running}</p>
                <p class="muted small without-script">{t.reload}</p>
            </Notice>
        }
        .into_any();
    };
    let ended = i.time(at);
    match &work.error {
        Some(error) => {
            let why = format!("{} {}", t.failed(work.what), error_text(error, i));
            view! { <Notice tone=Tone::Bad><p>{why}</p><p class="muted small">{ended}</p></Notice> }.into_any()
        }
        None => {
            let freed = (work.what == Maintenance::Prune).then(|| freed_table(i, &work.freed, false));
            let done = t.done(work.what);
            view! { <Notice tone=Tone::Good><p>{done}</p>{freed}<p class="muted small">{ended}</p></Notice> }.into_any()
        }
    }
}

/// A line of the list of checks.
struct Line {
    tone: Tone,
    name: &'static str,
    text: String,
    /// More, folded.
    more: Option<(String, Vec<String>)>,
}

fn health(i: I18n, found: &ServerState) -> AnyView {
    let t = i.server();
    let mut lines = vec![backup_line(i, &found.backups), database_line(i, &found.database), disk_line(i, &found.disk)];
    lines.extend(engine_lines(i, &found.engine));
    lines.push(Line {
        tone: if found.admins > 0 { Tone::Good } else { Tone::Bad },
        name: t.admins,
        text: i.number(found.admins),
        more: None,
    });
    let rows = lines.into_iter().map(|Line { tone, name, text, more }| {
        let word = match tone {
            Tone::Plain => t.unchecked,
            Tone::Good => t.good,
            Tone::Care => t.care,
            Tone::Bad => t.bad,
        };
        let more = more.map(|(summary, items)| {
            let items = items.into_iter().map(|item| view! { <li>{item}</li> }).collect_view();
            view! { <details><summary>{summary}</summary><ul>{items}</ul></details> }
        });
        view! {
            <li>
                <Badge tone>{word}</Badge>
                <span class="health-name">{name}</span>
                <div class="health-text"><p>{text}</p>{more}</div>
            </li>
        }
    });
    view! { <ul class="health">{rows.collect_view()}</ul> }.into_any()
}

fn backup_line(i: I18n, backups: &Backups) -> Line {
    let t = i.server();
    let newest = backups.newest.first().map(|newest| (t.newest)(&i.time(newest.created_at)));
    let (tone, text) = match (&backups.folder, &backups.unreadable, &backups.last.failed) {
        (None, ..) => (Tone::Care, t.backups_off.to_owned()),
        (_, Some(error), _) => (Tone::Bad, error_text(error, i)),
        (_, _, Some((at, why))) => (Tone::Bad, (t.backup_failed)(&i.time(*at), routine_fault(why).get(i.lang).0)),
        _ => match newest {
            Some(newest) => (Tone::Good, newest),
            None => (Tone::Care, t.no_backup_yet.to_owned()),
        },
    };
    Line { tone, name: t.backups, text, more: None }
}

fn database_line(i: I18n, database: &RoutineState) -> Line {
    let t = i.server();
    let (tone, text) = match (&database.failed, database.succeeded_at) {
        (Some((at, why)), _) => (Tone::Bad, (t.database_bad)(&i.time(*at), routine_fault(why).get(i.lang).0)),
        (None, Some(at)) => (Tone::Good, (t.database_good)(&i.time(at))),
        (None, None) => (Tone::Plain, t.database_unchecked.to_owned()),
    };
    Line { tone, name: t.database, text, more: None }
}

fn disk_line(i: I18n, disk: &Disk) -> Line {
    let t = i.server();
    let (tone, text) = match disk.space {
        None => (Tone::Plain, t.disk_unknown.to_owned()),
        Some((free, all)) => {
            let free = (t.disk_free)(&size(free), &size(all));
            match disk.is_short() {
                true => (Tone::Bad, format!("{free}{}{}", i.lang.pick(" ", ""), t.disk_short)),
                false => (Tone::Good, free),
            }
        }
    };
    Line { tone, name: t.disk, text, more: None }
}

fn engine_lines(i: I18n, engine: &EngineState) -> Vec<Line> {
    let t = i.server();
    match engine {
        EngineState::Workers { connected, ready, all } => {
            let (tone, text) = match (connected, ready) {
                (false, _) => (Tone::Bad, t.no_broker.to_owned()),
                (true, 0) => (Tone::Care, (t.workers)(0, *all)),
                (true, ready) => (Tone::Good, (t.workers)(*ready, *all)),
            };
            vec![Line { tone, name: i.workers().workers, text, more: None }]
        }
        EngineState::Here { missing, checks } => {
            let r = i.runs();
            let (tone, text) = match missing.is_empty() {
                true => (Tone::Good, t.engine_ready.to_owned()),
                false => (Tone::Care, r.engine_lacks(missing)),
            };
            let engine = Line { tone, name: t.engine, text, more: None };
            let (tone, text, more) = match checks {
                None => (Tone::Plain, t.sandbox_unchecked.to_owned(), None),
                Some(report) => {
                    let at = i.time(report.checked_at);
                    let list = |items: Vec<String>, summary| Some((summary, items));
                    match report.failed.len() as u64 {
                        0 => {
                            let passed = report.passed.iter().map(|check| r.sandbox_check(*check).to_owned());
                            let n = report.passed.len() as u64;
                            (Tone::Good, (t.sandbox_good)(n, &at), list(passed.collect(), (t.sandbox_list)(n)))
                        }
                        n => {
                            let failed: Vec<_> = report.failed.iter().map(|failed| r.failed_check(failed)).collect();
                            (Tone::Bad, (t.sandbox_bad)(n, &at) + " " + &failed.join("; "), None)
                        }
                    }
                }
            };
            vec![engine, Line { tone, name: t.sandbox, text, more }]
        }
    }
}

fn backups(i: I18n, backups: Backups, forms: Forms) -> AnyView {
    let t = i.server();
    let Backups { folder, keep: (days, weeks, months), newest, count, .. } = backups;
    let body = match folder {
        None => view! {
            <p>{t.backups_how}</p>
            <pre class="command" translate="no"><code>"aixgrade serve --backup-dir /mnt/other-disk/aixgrade"</code></pre>
        }
        .into_any(),
        Some(folder) => {
            let shown = newest.len() as u64;
            let more = (count > shown).then(|| {
                view! { <p class="muted small">{(t.more_backups)(&i.number(shown), &i.number(count))}</p> }
            });
            let table = match newest.is_empty() {
                true => view! { <p>{t.no_backup_yet}</p> }.into_any(),
                false => view! { {backup_table(i, newest)}{more}<p class="muted small">{t.restore_how}</p> }.into_any(),
            };
            view! {
                <p>{(t.folder)(&folder, days, weeks, months)}</p>
                {forms.maintain(Maintenance::BackUp, "button primary", t.back_up_now)}
                {table}
            }
            .into_any()
        }
    };
    view! { <section class="stack" aria-labelledby="backups"><h2 id="backups">{t.backups}</h2>{body}</section> }
        .into_any()
}

fn backup_table(i: I18n, newest: Vec<Backup>) -> AnyView {
    let t = i.server();
    let rows = newest.into_iter().map(|Backup { name, created_at, schema, files, bytes }| {
        view! {
            <tr role="row">
                <th role="rowheader" scope="row" data-label=t.backup title=name>{i.time(created_at)}</th>
                <td role="cell" class="num" data-label=t.files>{i.number(files)}</td>
                <td role="cell" class="num" data-label=t.size>{size(bytes)}</td>
                <td role="cell" class="num" data-label=t.schema>{schema}</td>
            </tr>
        }
    });
    table(
        t.backups,
        &[(t.backup, ""), (t.files, "num"), (t.size, "num"), (t.schema, "num")],
        rows.collect_view().into_any(),
    )
}

/// A table with these columns, each with its class.
fn table(caption: &'static str, columns: &[(&'static str, &'static str)], rows: AnyView) -> AnyView {
    let columns = columns
        .iter()
        .map(|(name, class)| view! { <th role="columnheader" scope="col" class=*class>{*name}</th> })
        .collect_view();
    view! {
        <div class="table-box list-box"><table class="table list" role="table">
            <caption class="visually-hidden">{caption}</caption>
            <thead role="rowgroup"><tr role="row">{columns}</tr></thead>
            <tbody role="rowgroup">{rows}</tbody>
        </table></div>
    }
    .into_any()
}

fn storage(i: I18n, disk: &Disk, folder: &str) -> AnyView {
    let t = i.server();
    let sizes = [
        (t.database, disk.database),
        (t.write_ahead_log, disk.write_ahead_log),
        (t.uploads, disk.uploads),
        (t.engine_files, disk.engine),
        (t.toolchains, disk.toolchains),
    ];
    let free = disk.space.map(|(free, _)| (t.free, free));
    let facts = sizes.into_iter().chain(free).map(|(name, bytes)| {
        view! { <div><dt>{name}</dt><dd>{size(bytes)}</dd></div> }
    });
    view! {
        <section class="stack" aria-labelledby="storage">
            <h2 id="storage">{t.storage}</h2>
            <p>{t.data_folder}{i.lang.pick(": ", "：")}<code translate="no">{folder.to_owned()}</code></p>
            <dl class="facts">{facts.collect_view()}</dl>
            <p><a class="button" href=PREVIEW>{t.preview_prune}</a></p>
        </section>
    }
    .into_any()
}

/// What pruning would delete, and the button that does.
fn pruning(i: I18n, freed: &[Freed], forms: Forms) -> AnyView {
    let t = i.server();
    let body = match freed.iter().any(|freed| freed.count > 0 || freed.skipped.is_some()) {
        false => view! { <Empty title=t.unused_none/> }.into_any(),
        true => {
            let has_some = freed.iter().any(|freed| freed.count > 0);
            let form = has_some.then(|| {
                view! {
                    <div class="row">
                        {forms.maintain(Maintenance::Prune, "button danger", t.prune)}
                        <a class="button quiet" href=PAGE>{t.cancel}</a>
                    </div>
                }
            });
            view! { <p>{t.unused_lead}</p>{freed_table(i, freed, true)}{form} }.into_any()
        }
    };
    view! { <section class="card stack" aria-labelledby="unused"><h2 id="unused">{t.unused}</h2>{body}</section> }
        .into_any()
}

/// Unused data by kind, without kinds that have none, and their sum.
fn freed_table(i: I18n, freed: &[Freed], with_skipped: bool) -> AnyView {
    let t = i.server();
    let (count, bytes) = freed.iter().fold((0, 0), |(count, bytes), freed| (count + freed.count, bytes + freed.bytes));
    let row = |name: &'static str, why: Option<&'static str>, count: String, bytes: String| {
        let why = why.map(|why| view! { <p class="muted small">{why}</p> });
        view! {
            <tr role="row">
                <th role="rowheader" scope="row" data-label=t.data>{name}{why}</th>
                <td role="cell" class="num" data-label=t.number>{count}</td>
                <td role="cell" class="num" data-label=t.size>{bytes}</td>
            </tr>
        }
    };
    let shown = freed.iter().filter(|freed| freed.count > 0 || (with_skipped && freed.skipped.is_some()));
    let rows = shown.map(|freed| {
        let name = unused(i.lang, freed.what);
        match freed.skipped {
            Some(why) => row(name, Some(t.skipped(why)), "–".to_owned(), "–".to_owned()),
            None => row(name, None, i.number(freed.count), size(freed.bytes)),
        }
    });
    let rows = rows.chain([row(t.total, None, i.number(count), size(bytes))]).collect_view();
    table(t.unused, &[(t.data, ""), (t.number, "num"), (t.size, "num")], rows.into_any())
}

fn languages(i: I18n, found: Vec<LanguageState>, forms: Forms) -> AnyView {
    let t = i.server();
    let body = match found.is_empty() {
        true => view! { <p>{t.workers_run}</p> }.into_any(),
        false => {
            let rows = found.into_iter().map(|language| language_row(i, language, forms)).collect_view();
            let columns = [(t.language, ""), (t.state, ""), (t.found, ""), (t.how_to_install, "")];
            view! { <p>{t.languages_lead}</p>{table(t.languages, &columns, rows.into_any())} }.into_any()
        }
    };
    view! { <section class="stack" aria-labelledby="languages"><h2 id="languages">{t.languages}</h2>{body}</section> }
        .into_any()
}

fn language_row(i: I18n, language: LanguageState, forms: Forms) -> impl IntoView + use<> {
    let (t, r) = (i.server(), i.runs());
    let LanguageState { code, name, found, missing, can_install, installation } = language;
    let (tone, word) = match missing.is_empty() {
        true => (Tone::Good, t.ready),
        false => (Tone::Plain, t.not_ready),
    };
    let is_running = matches!(installation, Installation::Running { .. });
    let progress = match &installation {
        Installation::None => None,
        Installation::Running { what, done, of } => Some((r.toolchain_running)(&name, what, *done, *of)),
        Installation::Failed { why } => Some((r.toolchain_failed)(&name, why)),
        Installation::Done => Some((r.toolchain_done)(&name)),
    };
    let label = (t.install)(&name);
    let install = (can_install && !is_running).then(|| {
        view! {
            <ActionForm action=forms.install>
                <input type="hidden" name="code" value=code/>
                <button class="button small-button" type="submit">{label}</button>
            </ActionForm>
        }
    });
    view! {
        <tr role="row">
            <th role="rowheader" scope="row" data-label=t.language translate="no">{name}</th>
            <td role="cell" data-label=t.state><Badge tone>{word}</Badge></td>
            <td role="cell" data-label=t.found translate="no">{found.join("; ")}</td>
            <td role="cell" data-label=t.how_to_install>
                <div class="stack-tight">
                    {(!missing.is_empty()).then(|| view! { <p class="small" lang="en">{missing}</p> })}
                    {progress.map(|progress| view! { <p class="small">{progress}</p> })}
                    {install}
                </div>
            </td>
        </tr>
    }
}

fn connections(
    i: I18n,
    endpoints: &[model::collection::EndpointRow],
    webhook_hosts: Vec<String>,
    identity_provider: Option<String>,
) -> AnyView {
    let t = i.server();
    let endpoints = endpoints.iter().map(|endpoint| {
        let key = if endpoint.has_key { t.with_key } else { t.without_key };
        format!("{}: {} ({key})", endpoint.name, endpoint.url)
    });
    let groups = [
        (t.endpoints, endpoints.collect::<Vec<_>>()),
        (t.webhook_hosts, webhook_hosts),
        (t.identity_provider, identity_provider.into_iter().collect()),
    ];
    let rows = groups.into_iter().map(|(name, values)| {
        let values = match values.is_empty() {
            true => view! { <dd class="muted">{t.none}</dd> }.into_any(),
            false => {
                values.into_iter().map(|value| view! { <dd translate="no">{value}</dd> }).collect_view().into_any()
            }
        };
        view! { <div><dt>{name}</dt>{values}</div> }
    });
    view! {
        <section class="stack" aria-labelledby="connections">
            <h2 id="connections">{t.connections}</h2>
            <dl class="facts">{rows.collect_view()}</dl>
            <p class="muted small">{t.connections_lead}</p>
        </section>
    }
    .into_any()
}

fn email(i: I18n, mail: MailQueue, test: FormAction<TestMail>) -> AnyView {
    let t = i.server();
    let MailQueue { server, sender, waiting, failed, last_sent_at, problems } = mail;
    let facts = [
        (t.smtp_server, server),
        (t.sender, sender),
        (t.waiting, i.number(waiting)),
        (t.given_up, i.number(failed)),
        (t.last_sent, last_sent_at.map_or_else(|| t.never.to_owned(), |at| i.time(at))),
    ];
    let facts = facts.into_iter().map(|(name, value)| view! { <div><dt>{name}</dt><dd>{value}</dd></div> });
    let table = (!problems.is_empty()).then(|| problem_table(i, problems));
    let result = move || {
        let result = test.value().get().and_then(Result::ok)?;
        Some(match result {
            None => view! { <Notice tone=Tone::Good>{t.test_sent}</Notice> }.into_any(),
            Some(why) => {
                view! { <Notice tone=Tone::Bad>{mail_fault(i.lang, &why)}{i.lang.pick(".", "。")}</Notice> }.into_any()
            }
        })
    };
    view! {
        <section class="stack" aria-labelledby="mail">
            <h2 id="mail">{t.mail}</h2>
            <dl class="facts">{facts.collect_view()}</dl>
            <ActionForm action=test attr:class="filter">
                <div class="field">
                    <label class="label" for="test-address">{t.test_address}</label>
                    <input class="input" id="test-address" name="address" type="email" required autocomplete="email"/>
                </div>
                <button class="button" type="submit" disabled=move || test.pending().get()>{t.test_send}</button>
            </ActionForm>
            {result}
            {table}
        </section>
    }
    .into_any()
}

/// Messages that were not delivered.
fn problem_table(i: I18n, problems: Vec<MailRow>) -> AnyView {
    let t = i.server();
    let rows = problems.into_iter().map(|row| {
        let why = row.error.map(|error| mail_fault(i.lang, &error)).unwrap_or_default();
        view! {
            <tr role="row">
                <th role="rowheader" scope="row" data-label=t.recipient translate="no">{row.address}</th>
                <td role="cell" data-label=t.message>{t.mail_kind(row.kind)}</td>
                <td role="cell" data-label=t.why>{why}</td>
                <td role="cell" class="num" data-label=t.attempts>{row.attempts}</td>
                <td role="cell" data-label=t.next_attempt class="when">
                    {row.next_at.map_or_else(|| t.given_up_state.to_owned(), |at| i.time(at))}
                </td>
            </tr>
        }
    });
    let columns = [(t.recipient, ""), (t.message, ""), (t.why, ""), (t.attempts, "num"), (t.next_attempt, "")];
    view! { <h3>{t.problems}</h3>{table(t.problems, &columns, rows.collect_view().into_any())} }.into_any()
}

fn settings(i: I18n, settings: Vec<Setting>) -> Option<AnyView> {
    let t = i.server();
    if settings.is_empty() {
        return None;
    }
    let (defaults, set): (Vec<_>, Vec<_>) = settings.into_iter().partition(|setting| setting.source == Source::Default);
    let rows = |settings: Vec<Setting>| {
        let rows = settings.into_iter().map(|Setting { name, value, source }| {
            let value = if value.is_empty() { "–".to_owned() } else { value };
            view! {
                <tr role="row">
                    <th role="rowheader" scope="row" data-label=t.setting><code translate="no">{name}</code></th>
                    <td role="cell" data-label=t.value class="value" translate="no">{value}</td>
                    <td role="cell" data-label=t.source>{t.source_of(&source)}</td>
                </tr>
            }
        });
        table(t.settings, &[(t.setting, ""), (t.value, ""), (t.source, "")], rows.collect_view().into_any())
    };
    let count = i.number(defaults.len() as u64);
    let folded = (!defaults.is_empty()).then(|| {
        view! {
            <details class="more">
                <summary>{(t.defaults)(&count)}</summary>
                {rows(defaults)}
            </details>
        }
    });
    let set = (!set.is_empty()).then(|| rows(set));
    Some(
        view! {
            <section class="stack" aria-labelledby="settings">
                <h2 id="settings">{t.settings}</h2>
                <p>{t.settings_lead}</p>
                {set}
                {folded}
            </section>
        }
        .into_any(),
    )
}

/// What an admin should know about the server, for the overview. Called at the top of a page.
pub fn notices_data() -> Data<Vec<ServerNotice>> {
    Data::new(|| (), |()| server_notices())
}

/// Names what an admin should do about the server; empty if there is nothing.
#[component]
pub fn ServerNotices(
    /// What [`notices_data`] loads.
    data: Data<Vec<ServerNotice>>,
) -> impl IntoView {
    let i = use_i18n();
    let t = i.server();
    let one = move |notice: ServerNotice| {
        let (tone, text) = match notice {
            ServerNotice::DiskShort { free, size: all } => (Tone::Bad, (t.disk_notice)(&size(free), &size(all))),
            ServerNotice::BackupLate { newest: Some(newest) } => (Tone::Care, (t.backup_late)(&i.time(newest))),
            ServerNotice::BackupLate { newest: None } => (Tone::Care, t.no_backup_yet.to_owned()),
            ServerNotice::NoBackups => (Tone::Care, t.no_backups.to_owned()),
        };
        view! { <Notice tone><p>{text}" "<a href=PAGE>{t.open_server}</a></p></Notice> }
    };
    view! { <Load data let:found>{found.into_iter().map(one).collect_view()}</Load> }
}
