//! Workers on other machines and their queues, above the list of runs. While the page is visible, it reloads every few
//! seconds.

use std::time::Duration;

use leptos::{leptos_dom::helpers::IntervalHandle, prelude::*, task::spawn_local};

use model::workers::{QueueRow, ToRunAgain, WorkerAbility, WorkerRow, WorkerState, Workers};
use rpc::runs::{RunRemovedWorkersAgain, known_workers};
use texts::I18n;
use ui::{
    effect::effect,
    form::{ActionForm, FormAction},
    load::{Data, Load},
    notice::{Badge, Notice, Tone},
};

/// How often a visible page reloads: as often as workers announce themselves.
const BEAT: Duration = Duration::from_secs(5);

/// What is known of workers: as the page was loaded, and newer.
#[derive(Clone, Copy)]
pub struct WorkersData {
    first: Data<Option<Workers>>,
    newer: RwSignal<Option<Workers>>,
    again: FormAction<RunRemovedWorkersAgain>,
}

/// Loads workers, and keeps reloading where there are any. Called at the top of a page.
pub fn workers_data() -> WorkersData {
    let first = Data::new(|| (), |()| known_workers());
    let newer = RwSignal::new(None);
    effect(move |before: Option<Option<IntervalHandle>>| {
        if let Some(Some(handle)) = before {
            handle.clear();
        }
        // A server without a broker does not get one while it runs.
        first.get()?.ok()??;
        let ask = move || {
            if document().hidden() {
                return;
            }
            spawn_local(async move {
                // The next request makes up for one that fails.
                if let Ok(Some(answer)) = known_workers().await {
                    newer.try_set(Some(answer));
                }
            });
        };
        let handle = set_interval_with_handle(ask, BEAT).ok();
        if let Some(handle) = handle {
            on_cleanup(move || handle.clear());
        }
        handle
    });
    WorkersData { first, newer, again: FormAction::new() }
}

/// Workers and queues; nothing if outputs run in the server's process.
pub fn section(i: I18n, data: WorkersData) -> impl IntoView {
    let WorkersData { first, newer, again } = data;
    view! {
        <Load data=first let:loaded>
            {loaded.map(|loaded| view! {
                <section class="stack" aria-labelledby="workers">
                    <h2 id="workers">{i.workers().workers}</h2>
                    {move || view(i, newer.get().unwrap_or_else(|| loaded.clone()), again)}
                </section>
            })}
        </Load>
    }
}

fn view(i: I18n, found: Workers, again: FormAction<RunRemovedWorkersAgain>) -> AnyView {
    let t = i.workers();
    let unserved: Vec<String> = found
        .queues
        .iter()
        .filter(|queue| !queue.served && queue.waiting > 0)
        .map(|queue| queue.kind.clone())
        .collect();
    let notices = view! {
        {(!found.connected).then(|| view! { <Notice tone=Tone::Bad><p>{t.no_broker}</p></Notice> })}
        {(!unserved.is_empty()).then(|| view! { <Notice tone=Tone::Care><p>{(t.unserved)(&unserved.join(", "))}</p></Notice> })}
        {(found.lost_jobs + found.refused_results > 0).then(|| {
            view! { <p class="muted small">{(t.repaired)(found.lost_jobs, found.refused_results)}</p> }
        })}
    };
    let busy: Vec<QueueRow> = found.queues.into_iter().filter(|queue| queue.waiting + queue.running > 0).collect();
    let queues = match busy.is_empty() {
        true => view! { <p class="muted">{t.idle}</p> }.into_any(),
        false => queue_table(i, busy),
    };
    let rows = match found.workers.is_empty() {
        true => view! { <p>{t.none}</p> }.into_any(),
        false => table(i, found.workers),
    };
    let to_run_again = (!found.to_run_again.is_empty()).then(|| {
        let runs = found.to_run_again.into_iter().map(|ToRunAgain { run, outputs }| {
            view! {
                <li>
                    <a href=format!("/admin/runs/{run}")>{(t.results_of_run)(run.0, outputs)}</a>
                    <ActionForm action=again>
                        <input type="hidden" name="id" value=run.to_string()/>
                        <button class="button" type="submit">{t.run_again}</button>
                    </ActionForm>
                </li>
            }
        });
        let runs = runs.collect_view();
        view! {
            <Notice tone=Tone::Care><p>{t.run_again_intro}</p><ul class="plain-list">{runs}</ul></Notice>
        }
    });
    view! {
        {notices}
        {to_run_again}
        {rows}
        {queues}
    }
    .into_any()
}

fn queue_table(i: I18n, queues: Vec<QueueRow>) -> AnyView {
    let t = i.workers();
    let rows = queues.into_iter().map(|queue| {
        view! {
            <tr role="row">
                <th role="rowheader" scope="row" data-label=t.queue>{queue.kind}</th>
                <td role="cell" data-label=t.waiting class="num">{queue.waiting}</td>
                <td role="cell" data-label=t.running class="num">{queue.running}</td>
            </tr>
        }
    });
    let rows = rows.collect_view();
    view! {
        <div class="table-box list-box"><table class="table list" role="table">
            <caption class="visually-hidden">{t.queues}</caption>
            <thead role="rowgroup">
                <tr role="row">
                    <th role="columnheader" scope="col">{t.queue}</th>
                    <th role="columnheader" scope="col" class="num">{t.waiting}</th>
                    <th role="columnheader" scope="col" class="num">{t.running}</th>
                </tr>
            </thead>
            <tbody role="rowgroup">{rows}</tbody>
        </table></div>
    }
    .into_any()
}

fn table(i: I18n, workers: Vec<WorkerRow>) -> AnyView {
    let t = i.workers();
    let rows = workers.into_iter().map(|worker| {
        let state = worker.state;
        let tone = match state {
            WorkerState::Ready => Tone::Good,
            WorkerState::Draining | WorkerState::Gone => Tone::Plain,
            WorkerState::OtherBuild | WorkerState::FailedChecks | WorkerState::Removed => Tone::Bad,
        };
        let other = (state == WorkerState::OtherBuild).then(|| {
            view! { <span class="muted small block">{(t.other_build)(&worker.version, &worker.build)}</span> }
        });
        let abilities =
            worker.abilities.iter().map(|ability| view! { <li>{described(i, ability)}</li> }).collect_view();
        let slots = (i.common.of)(worker.running.into(), worker.slots.into());
        view! {
            <tr role="row">
                <th role="rowheader" scope="row" data-label=t.worker>{worker.name.clone()}</th>
                <td role="cell" data-label=t.state><span><Badge tone>{t.state_name(state)}</Badge>{other}</span></td>
                <td role="cell" data-label=t.abilities><ul class="plain-list small">{abilities}</ul></td>
                <td role="cell" data-label=t.slots class="num">{slots}</td>
                <td role="cell" data-label=t.done class="num">{worker.done}</td>
                <td role="cell" data-label=t.unanswered class="num">{worker.unanswered}</td>
                <td role="cell" data-label=t.rate class="num">{format!("{:.0}", worker.per_minute)}</td>
                <td role="cell" data-label=t.last_seen class="when">{i.time(worker.last_seen)}</td>
            </tr>
        }
    });
    let rows = rows.collect_view();
    view! {
        <div class="table-box list-box"><table class="table list" role="table">
            <caption class="visually-hidden">{t.workers}</caption>
            <thead role="rowgroup">
                <tr role="row">
                    <th role="columnheader" scope="col">{t.worker}</th>
                    <th role="columnheader" scope="col">{t.state}</th>
                    <th role="columnheader" scope="col">{t.abilities}</th>
                    <th role="columnheader" scope="col" class="num">{t.slots}</th>
                    <th role="columnheader" scope="col" class="num">{t.done}</th>
                    <th role="columnheader" scope="col" class="num">{t.unanswered}</th>
                    <th role="columnheader" scope="col" class="num">{t.rate}</th>
                    <th role="columnheader" scope="col">{t.last_seen}</th>
                </tr>
            </thead>
            <tbody role="rowgroup">{rows}</tbody>
        </table></div>
    }
    .into_any()
}

/// One line about what a worker runs, or why it does not.
fn described(i: I18n, ability: &WorkerAbility) -> String {
    let (t, r) = (i.workers(), i.runs());
    match (&ability.fault, ability.failed.as_slice()) {
        (Some(fault), _) => (t.cannot)(&ability.kind, &r.fault_line(fault)),
        (None, []) => (t.checked)(&ability.kind, &ability.toolchain, ability.checks),
        (None, failed) => {
            let failed: Vec<String> = failed.iter().map(|check| r.failed_check(check)).collect();
            (t.failed)(&ability.kind, &failed.join("; "))
        }
    }
}
