//! `/admin/runs/compare?a=&b=&task=`: two runs of one dataset, compared.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::{compare_task, verdicts::item_result};
use crate::{
    filter::Field,
    list::Listing,
    parts::{Filter, asked},
};
use chart::{percentage, signed};
use model::{
    error::AppError,
    ids::RunId,
    lang::Lang,
    message::Message,
    page::{PageOf, Paged},
    run::{RunRow, Verdict},
    run_pair::{PairOutput, PairTask, Passes, RunPair, RunPairPage},
};
use rpc::runs::{compare_runs, runs};
use texts::{I18n, claims::p_text};
use ui::{
    context::use_i18n,
    failure::error_text,
    frame::Page,
    load::{Data, Load},
    notice::{Empty, Notice, Tone},
};

/// Newest runs to choose from; older ones are chosen on their own page.
const LISTED: u32 = 100;

/// The runs named in the address.
type Wanted = (Option<RunId>, Option<RunId>, Option<String>);

/// The comparison of two runs, and the form that selects them.
#[component]
pub fn CompareRunsPage() -> impl IntoView {
    let i = use_i18n();
    let t = i.runs();
    let query = use_query_map();
    let wanted = Memo::new(move |_| {
        let run = |key| asked(query, key).parse().ok().map(RunId);
        (run("a"), run("b"), Some(asked(query, "task")).filter(|task| !task.is_empty()))
    });
    let list = Listing::new("", &["show"]);
    let data = Data::new(
        move || (wanted.get(), list.asked()),
        |((a, b, task), page)| async move {
            let mut rows = runs(None, PageOf::first(LISTED)).await?.rows;
            let pair = match (a, b) {
                (Some(a), Some(b)) => match compare_runs(a, b, task, page).await {
                    // The reason why two runs cannot be compared is next to the lists from which to choose others.
                    Err(AppError::Conflict(why)) => Some(Err(why)),
                    Err(other) => return Err(other),
                    Ok(pair) => Some(Ok(pair)),
                },
                _ => None,
            };
            if let Some(Ok(RunPairPage { pair, .. })) = &pair {
                for row in [&pair.a, &pair.b] {
                    if rows.iter().all(|listed| listed.id != row.id) {
                        rows.push(row.clone());
                    }
                }
            }
            Ok((rows, pair))
        },
    );
    view! {
        <Page title=t.compare_runs crumbs=vec![("/admin/runs".into(), t.runs.into())]>
            <Load data let:found>{body(i, list, found.0, found.1, wanted.get_untracked())}</Load>
        </Page>
    }
}

fn body(
    i: I18n,
    list: Listing,
    rows: Vec<RunRow>,
    pair: Option<Result<RunPairPage, Message>>,
    wanted: Wanted,
) -> AnyView {
    let t = i.runs();
    if rows.is_empty() {
        return view! { <Empty title=t.no_runs><p>{t.no_runs_hint}</p></Empty> }.into_any();
    }
    let chosen = matches!(&pair, Some(Ok(_)));
    let chooser = chooser(i, &rows, &wanted, chosen);
    let found = pair.map(|pair| match pair {
        Err(why) => {
            let error = AppError::Conflict(why);
            view! { <Notice tone=Tone::Bad><p>{error_text(&error, i)}</p></Notice> }.into_any()
        }
        Ok(page) => match page.pair.focus {
            Some(_) => compare_task::view(i, page),
            None => side_by_side(i, list, page),
        },
    });
    view! { {chooser}{found} }.into_any()
}

fn chooser(i: I18n, rows: &[RunRow], wanted: &Wanted, chosen: bool) -> AnyView {
    let t = i.runs();
    // Once one is chosen, only runs of its dataset can stand next to it.
    let left = wanted.0.or_else(|| rows.first().map(|row| row.id));
    let dataset = left.and_then(|id| rows.iter().find(|row| row.id == id)).map(|row| row.dataset.clone());
    let fits = |row: &&RunRow| Some(row.id) != left && dataset.as_ref() == Some(&row.dataset);
    let right = wanted.1.or_else(|| rows.iter().find(fits).map(|row| row.id));
    let options = |chosen: Option<RunId>, only: Option<&str>| {
        let fitting = rows.iter().filter(|row| only.is_none_or(|slug| slug == row.dataset) || chosen == Some(row.id));
        let options = fitting.map(|row| {
            let when = i.time(row.created_at);
            let name = format!("{}: {} · {} · {when}", row.id, row.model_name, row.dataset);
            view! { <option value=row.id.to_string() selected=chosen == Some(row.id)>{name}</option> }
        });
        options.collect_view()
    };
    let only = dataset.as_deref().filter(|_| wanted.0.is_some());
    let (left, right) = (options(left, None), options(right, only));
    let form = view! {
            <Filter>
                <div class="field">
                    <label class="label" for="run-a">{t.run_a}</label>
                    <select class="input" id="run-a" name="a">{left}</select>
                </div>
                <div class="field">
                    <label class="label" for="run-b">{t.run_b}</label>
                    <select class="input" id="run-b" name="b">{right}</select>
                </div>
                <button class="button primary" type="submit">{t.compare}</button>
            </Filter>
    };
    // With two runs, the reader wants to see their results first.
    if chosen {
        return view! { <details class="more"><summary>{t.choose_others}</summary>{form}</details> }.into_any();
    }
    view! { <section class="card stack" aria-labelledby="choose"><h2 id="choose">{t.choose_runs}</h2>{form}</section> }
        .into_any()
}

/// The heading of a run's column: its model, and its number if both runs are of the same model.
pub fn names(i: I18n, a: &RunRow, b: &RunRow) -> [String; 2] {
    let name = |row: &RunRow| match a.model_name == b.model_name {
        true => (i.runs().run_of)(&row.model_name, row.id),
        false => row.model_name.clone(),
    };
    [name(a), name(b)]
}

fn side_by_side(i: I18n, list: Listing, RunPairPage { pair, tasks }: RunPairPage) -> AnyView {
    let t = i.runs();
    let [a, b] = names(i, &pair.a, &pair.b);
    let csv = format!("/admin/runs/compare.csv?a={}&b={}", pair.a.id, pair.b.id);
    view! {
        <div class="pair-figures">
            {totals(i, &pair, [a.clone(), b.clone()])}
            {pass_table(i, pair.passes, pair.p, [a.clone(), b.clone()])}
        </div>
        {task_list(i, list, (pair.a.id, pair.b.id), [a, b], tasks)}
        <p><a class="button" href=csv download="">{t.export_csv}</a></p>
    }
    .into_any()
}

fn totals(i: I18n, pair: &RunPair, [a, b]: [String; 2]) -> impl IntoView + use<> {
    let t = i.runs();
    let (m, n) = (pair.a.metrics, pair.b.metrics);
    let share = |name: &'static str, a: f64, b: f64| {
        let difference = format!("{} {}", signed((b - a) * 100.0, 1), t.points);
        (name, percentage(a), percentage(b), difference)
    };
    let plain = |name: &'static str, a: f64, b: f64| (name, format!("{a:.4}"), format!("{b:.4}"), signed(b - a, 4));
    let whole = |name: &'static str, a: u32, b: u32| {
        (name, i.number(a.into()), i.number(b.into()), signed(f64::from(b) - f64::from(a), 0))
    };
    let mut rows = vec![
        whole(t.solved, m.solved, n.solved),
        share("pass@1", m.pass_at_1, n.pass_at_1),
        share(t.ratio, m.ratio_mean, n.ratio_mean),
        plain(t.ratio_sum, m.ratio_sum, n.ratio_sum),
        share(t.ratio_clamped, m.ratio_mean_clamped, n.ratio_mean_clamped),
    ];
    if m.not_counted.max(n.not_counted) > 0 {
        rows.push(whole(t.not_counted_short, m.not_counted, n.not_counted));
    }
    if pair.a.failed.max(pair.b.failed) > 0 {
        rows.push(whole(t.engine_errors, pair.a.failed, pair.b.failed));
    }
    let rows = rows.into_iter().map(|(name, a, b, difference)| {
        view! { <tr><th scope="row">{name}</th><td class="num">{a}</td><td class="num">{b}</td><td class="num">{difference}</td></tr> }
    });
    let from = format!("{b} − {a}");
    let head = |row: &RunRow, name: String| {
        view! { <th scope="col" class="num"><a href=format!("/admin/runs/{}", row.id)>{name}</a></th> }
    };
    view! {
        <section class="stack" aria-labelledby="totals">
            <h2 id="totals">{t.totals}</h2>
            <div class="table-box" role="group" aria-labelledby="totals" tabindex="0"><table class="table">
                <thead><tr><td></td>{head(&pair.a, a)}{head(&pair.b, b)}<th scope="col" class="num">{t.difference}<br/><span class="muted small">{from}</span></th></tr></thead>
                <tbody>{rows.collect_view()}</tbody>
            </table></div>
        </section>
    }
}

fn pass_table(i: I18n, p: Passes, test: Option<f64>, [a, b]: [String; 2]) -> impl IntoView {
    let t = i.runs();
    let heads = |name: &str| [format!("{name} {}", t.passes), format!("{name} {}", t.not_passed)];
    let ([a_yes, a_no], [b_yes, b_no]) = (heads(&a), heads(&b));
    let n = move |count: u32| i.number(count.into());
    let not_counted = (p.not_counted > 0).then(|| view! { <p>{(t.pairs_not_counted)(p.not_counted)}</p> });
    let sentence = test.map(|test| {
        let (more, less) = (p.only_a.max(p.only_b).into(), p.only_a.min(p.only_b).into());
        let (one, other) = if p.only_a >= p.only_b { (&a, &b) } else { (&b, &a) };
        let words = if test < 0.05 { t.pass_significant } else { t.pass_not_significant };
        words(one, other, more, less, &p_text(test))
    });
    view! {
        <section class="stack" aria-labelledby="passes">
            <h2 id="passes">{t.pass_table}</h2>
            {sentence.map(|sentence| view! { <p>{sentence}</p> })}
            {not_counted}
            <div class="table-box" role="group" aria-labelledby="passes" tabindex="0"><table class="table pass-table">
                <thead><tr><td></td><th scope="col" class="num">{b_yes}</th><th scope="col" class="num">{b_no}</th><th scope="col" class="num">{t.in_all}</th></tr></thead>
                <tbody>
                    <tr><th scope="row">{a_yes}</th><td class="num">{n(p.both)}</td><td class="num apart">{n(p.only_a)}</td><td class="num muted">{n(p.both + p.only_a)}</td></tr>
                    <tr><th scope="row">{a_no}</th><td class="num apart">{n(p.only_b)}</td><td class="num">{n(p.neither)}</td><td class="num muted">{n(p.only_b + p.neither)}</td></tr>
                    <tr class="means-foot"><th scope="row">{t.in_all}</th><td class="num">{n(p.both + p.only_b)}</td><td class="num">{n(p.only_a + p.neither)}</td><td class="num">{n(p.both + p.only_a + p.only_b + p.neither)}</td></tr>
                </tbody>
            </table></div>
        </section>
    }
}

/// A page of the tasks with its filter.
fn task_list(
    i: I18n,
    list: Listing,
    ids: (RunId, RunId),
    names: [String; 2],
    tasks: Paged<PairTask>,
) -> impl IntoView + use<> {
    let (t, w) = (i.runs(), i.admin());
    let show = vec![
        ("", t.all_tasks.to_owned()),
        ("differ", t.only_differ.to_owned()),
        ("only_a", (t.only_passes)(&names[0])),
        ("only_b", (t.only_passes)(&names[1])),
    ];
    let fields = vec![Field::Choice("show", t.show, show), Field::Kept("a"), Field::Kept("b")];
    let none = move || view! { <Empty title=w.none_match/> }.into_any();
    view! {
        <section class="stack" aria-labelledby="tasks">
            <h2 id="tasks">{w.tasks}</h2>
            <p class="muted small">{t.order_hint}</p>
            {list.bar(fields)}
            {list.view(tasks, none, move |rows| table(i, ids, &names, rows))}
        </section>
    }
}

fn table(i: I18n, (a, b): (RunId, RunId), names: &[String; 2], rows: Vec<PairTask>) -> AnyView {
    let (t, w) = (i.runs(), i.admin());
    let [left, right] = names.clone();
    let rows = rows.into_iter().map(|task| {
        let href = format!("/admin/runs/compare?a={a}&b={b}&task={}", model::address::query_value(&task.task_id));
        let differs = task.differs();
        let lang = Lang::detect(&task.raw_nl).tag();
        view! {
            <tr role="row" class:differs=differs>
                <th role="rowheader" scope="row" data-label=w.task><a href=href>{task.task_id.clone()}</a></th>
                <td role="cell" data-label=w.description class="nl-text" lang=lang>{task.raw_nl.clone()}</td>
                <td role="cell" data-label=left.clone()>{side(i, a, &task.a)}</td>
                <td role="cell" data-label=right.clone()>{side(i, b, &task.b)}</td>
                <td role="cell" data-label=t.difference>{if differs { t.differs } else { t.same }}</td>
            </tr>
        }
    });
    let rows = rows.collect_view();
    view! {
        <div class="table-box list-box"><table class="table list" role="table">
            <caption class="visually-hidden">{w.tasks}</caption>
            <thead role="rowgroup">
                <tr role="row">
                    <th role="columnheader" scope="col">{w.task}</th>
                    <th role="columnheader" scope="col">{w.description}</th>
                    <th role="columnheader" scope="col">{names[0].clone()}</th>
                    <th role="columnheader" scope="col">{names[1].clone()}</th>
                    <th role="columnheader" scope="col">{t.difference}</th>
                </tr>
            </thead>
            <tbody role="rowgroup">{rows}</tbody>
        </table></div>
    }
    .into_any()
}

/// The results of one side's samples, the first in full.
pub fn side(i: I18n, run: RunId, samples: &[PairOutput]) -> AnyView {
    let t = i.runs();
    let Some(first) = samples.first() else {
        return view! { <span class="muted">{t.missing}</span> }.into_any();
    };
    let passed = samples.iter().filter(|o| o.verdict == Some(Verdict::Passed)).count();
    let cases = first.verdict.filter(|_| first.total > 0);
    let cases =
        cases.map(|_| view! { " "<span class="verdict-cases">{format!("{}/{}", first.passed, first.total)}</span> });
    let more = (samples.len() > 1).then(|| {
        let of = (i.common.of)(passed as u64, samples.len() as u64);
        view! { <span class="muted small">" · "{i.admin().samples}": "{of}" "{t.passes}</span> }
    });
    view! {
        <span class="verdict one-line"><a class="plain-link" href=format!("/admin/runs/{run}/outputs/{}", first.output)>{item_result(i, first.state, first.verdict, None)}</a>{cases}</span>{more}
    }
    .into_any()
}
