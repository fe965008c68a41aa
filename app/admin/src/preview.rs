//! `/admin/uploads/:id?dataset=&matching=`: the content of an uploaded file, before the import.

use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};

use super::{
    early_results::{Early, early_results},
    first_outputs::first_outputs,
    parts::{Filter, FormError, asked, param, size},
};
use model::{
    address::query_value,
    error::AppError,
    ids::UploadId,
    problem::Problem,
    submission::{FileLine, IdentityLeak, Matching, OtherDataset, Preview, WarningKind},
    table::TableField,
};
use rpc::submissions::{ChooseColumns, ImportSubmission, preview_upload, run_early};
use texts::I18n;
use ui::{
    context::use_i18n,
    effect::effect,
    form::{ActionForm, FormAction},
    frame::Page,
    load::{Data, Load},
    notice::{Notice, Tone},
};

/// The preview of an upload, and the form that imports it.
#[component]
pub fn PreviewPage() -> impl IntoView {
    let i = use_i18n();
    let t = i.admin();
    let params = use_params_map();
    let query = use_query_map();
    let wanted = Memo::new(move |_| {
        let id = param(params, "id").map(UploadId);
        let matching = match asked(query, "matching").as_str() {
            "task_id" => Matching::TaskId,
            "description" => Matching::Description,
            _ => Matching::Auto,
        };
        (id, asked(query, "dataset"), matching)
    });
    let choose = FormAction::<ChooseColumns>::new();
    let data = Data::new(
        move || (wanted.get(), choose.version().get()),
        |((id, dataset, matching), _)| async move {
            match id {
                Some(id) => preview_upload(id, dataset, matching).await,
                None => Err(AppError::NotFound("upload".into())),
            }
        },
    );
    // Tests take seconds: the page does not wait for them, and the browser asks once it is drawn.
    let in_browser = RwSignal::new(false);
    effect(move |_| in_browser.set(true));
    let early = Data::new(
        // Again with other columns.
        move || (wanted.get(), in_browser.get() || asked(query, "try") == "1", choose.version().get()),
        |((id, dataset, matching), begins, _)| async move {
            match id {
                Some(id) if begins => run_early(id, dataset, matching).await.map(Early::Ended),
                _ => Ok(Early::NotBegun),
            }
        },
    );
    let import = FormAction::<ImportSubmission>::new();
    let crumbs =
        vec![("/admin/submissions".into(), t.submissions.into()), ("/admin/upload".into(), t.upload_outputs.into())];
    view! {
        <Page title=t.preview crumbs>
            <Load data let:preview>{body(i, preview, early, wanted.get_untracked().2, untrack(|| asked(query, "model")), import, choose)}</Load>
        </Page>
    }
}

fn body(
    i: I18n,
    mut p: Preview,
    early: Data<Early>,
    asked: Matching,
    model: String,
    import: FormAction<ImportSubmission>,
    choose: FormAction<ChooseColumns>,
) -> AnyView {
    let (t, u) = (i.admin(), i.uploads());
    if lacks_columns(&p) {
        return without_columns(i, &p, choose);
    }
    let begin = format!("?dataset={}&matching={}&try=1", query_value(&p.dataset), matching_word(asked));
    let facts = facts(i, &p);
    let bad_lines = bad_lines(i, &p);
    let first = first_outputs(i, std::mem::take(&mut p.first));
    let matching = matching_form(i, &p, asked);
    let columns = columns_form(i, &p, choose)
        .map(|form| view! { <details class="fold"><summary>{i.ratings_import().columns}</summary>{form}</details> });
    let others = other_datasets(i, &p);
    let form = import_form(i, &p, model, import);
    let same = p.same_as.map(|id| {
        view! {
            <Notice tone=Tone::Care>
                <p>{t.preview_same} " " <a href=format!("/admin/submissions/{id}")>{t.open_submission}</a></p>
            </Notice>
        }
    });
    let verdict = if p.acceptable_in_part() {
        view! { <Notice tone=Tone::Bad><p>{(u.preview_part)(p.problem_count)}</p></Notice> }.into_any()
    } else if p.problem_count > 0 {
        let cut_short = p.cut_short.then(|| view! { <p>{u.cut_short}</p> });
        view! { <Notice tone=Tone::Bad><p>{(t.preview_bad)(p.problem_count)}</p>{cut_short}</Notice> }.into_any()
    } else if p.matched == 0 {
        view! { <Notice tone=Tone::Bad><p>{t.preview_none_matched}</p></Notice> }.into_any()
    } else {
        view! { <Notice tone=Tone::Good><p>{(t.preview_good)(p.matched, p.tasks_covered, p.tasks_total)}</p></Notice> }
            .into_any()
    };
    let warnings = std::mem::take(&mut p.warnings).into_iter().map(|warning| {
        let (id, name, what) = warning_texts(i, warning.kind);
        finding(i, id, name, what, warning.count, lines(warning.examples))
    });
    let warnings: Vec<AnyView> = warnings.collect();
    let findings = vec![
        finding(
            i,
            "missing",
            t.missing,
            t.missing_what,
            p.missing_count,
            p.missing.into_iter().map(|id| (None, id)).collect(),
        ),
        finding(i, "unknown", t.unknown, t.unknown_what, p.unknown_count, lines(p.unknown)),
        finding(i, "differing", u.differing, u.differing_what, p.differing_count, lines(p.differing)),
        finding(i, "duplicates", t.duplicates, t.duplicates_what, p.duplicate_count, lines(p.duplicates)),
        finding(i, "empty", t.empty_outputs, t.empty_what, p.empty_count, lines(p.empty)),
        finding(
            i,
            "identity_leaks",
            t.identity_leaks,
            t.identity_leaks_what,
            p.identity_leak_count,
            leak_places(i, p.identity_leaks),
        ),
    ];
    view! {
        {verdict}
        {same}
        {others}
        {(p.problem_count > 0).then(|| problem_table(i, p.problems, p.problem_count))}
        {bad_lines}
        {(p.matched > 0).then(|| view! { <Load data=early let:state>{early_results(i, state, begin.clone())}</Load> })}
        {columns}
        {facts}
        <section class="stack" aria-labelledby="findings">
            <h2 id="findings">{t.findings}</h2>
            <div class="findings">{warnings}{findings}</div>
        </section>
        {form}
        {first}
        {matching}
    }
    .into_any()
}

/// Whether the file is a table of which nothing can be read before its columns are chosen.
fn lacks_columns(p: &Preview) -> bool {
    let fields = p.table.as_ref().map(|table| table.fields.as_slice()).unwrap_or_default();
    fields.iter().any(|field| field.needed && field.column.is_none())
}

/// The preview of such a table.
fn without_columns(i: I18n, p: &Preview, choose: FormAction<ChooseColumns>) -> AnyView {
    let (t, u) = (i.admin(), i.uploads());
    let again = format!("/admin/upload?dataset={}", query_value(&p.dataset));
    view! {
        <Notice tone=Tone::Care><p>{u.columns_unknown}</p></Notice>
        {columns_form(i, p, choose)}
        <dl class="facts">
            <div><dt>{t.file}</dt><dd class="file-name">{p.file.clone()}</dd></div>
            <div><dt>{t.size}</dt><dd>{size(p.bytes)}</dd></div>
        </dl>
        <p><a href=again>{t.other_file}</a></p>
    }
    .into_any()
}

/// Links to the previews for datasets that the file may belong to.
fn other_datasets(i: I18n, p: &Preview) -> Option<AnyView> {
    let u = i.uploads();
    let line = |other: &OtherDataset| {
        let address = format!("?dataset={}", query_value(&other.dataset));
        view! {
            <li>
                {(u.other_dataset)(&other.dataset, other.known, other.of)} " "
                <a href=address>{u.read_for_it}</a>
            </li>
        }
    };
    let lines = p.other_datasets.iter().map(line).collect::<Vec<_>>();
    (!lines.is_empty()).then(|| {
        view! {
            <Notice tone=Tone::Care>
                <p>{u.other_datasets}</p>
                <ul>{lines}</ul>
            </Notice>
        }
        .into_any()
    })
}

/// What a preview warns of: an ID for its place on the page, its name, and what it means.
fn warning_texts(i: I18n, kind: WarningKind) -> (&'static str, &'static str, &'static str) {
    let u = i.uploads();
    match kind {
        WarningKind::DoesNotParse => ("does-not-parse", u.warn_does_not_parse, u.warn_does_not_parse_what),
        WarningKind::OtherLanguage => ("other-language", u.warn_other_language, u.warn_other_language_what),
        WarningKind::LacksDefinition => ("lacks-definition", u.warn_lacks_definition, u.warn_lacks_definition_what),
        WarningKind::CutOff => ("cut-off", u.warn_cut_off, u.warn_cut_off_what),
        WarningKind::FencedGeneration => ("fenced-generation", u.warn_fenced_generation, u.warn_fenced_generation_what),
        WarningKind::Reasoning => ("reasoning", u.warn_reasoning, u.warn_reasoning_what),
        WarningKind::SeveralCandidates => ("several", u.warn_several, u.warn_several_what),
        WarningKind::Repeated => ("repeated", u.warn_repeated, u.warn_repeated_what),
    }
}

/// Links to the lines that are not imported.
fn bad_lines(i: I18n, p: &Preview) -> Option<AnyView> {
    let u = i.uploads();
    let query = format!("?dataset={}&matching={}", query_value(&p.dataset), matching_word(p.matching));
    let address = |ending: &str| format!("/admin/uploads/{}/bad-lines.{ending}{query}", p.upload);
    (p.bad_lines() > 0).then(|| {
        let lines =
            (!p.archive).then(|| view! { <a class="button" href=address("jsonl") download="">{u.bad_lines_file}</a> });
        view! {
            <section class="stack" aria-labelledby="not-imported">
                <h2 id="not-imported">{u.bad_head}" "<span class="count">{i.number(p.bad_lines())}</span></h2>
                <p class="muted">{u.bad_lead}</p>
                <p class="row">{lines}<a class="button" href=address("csv") download="">{u.bad_list_file}</a></p>
            </section>
        }
        .into_any()
    })
}

/// How lines are matched, as addresses and forms have it.
fn matching_word(matching: Matching) -> &'static str {
    match matching {
        Matching::Auto => "auto",
        Matching::TaskId => "task_id",
        Matching::Description => "description",
    }
}

fn facts(i: I18n, p: &Preview) -> impl IntoView + use<> {
    let (t, u) = (i.admin(), i.uploads());
    let theirs =
        (p.their_verdicts.lines > 0).then(|| (u.their_verdicts_of)(p.their_verdicts.passed, p.their_verdicts.lines));
    let shapes = p.shapes.iter().map(|(shape, lines)| format!("{} ({})", shape.title(), i.number(*lines)));
    let shapes = shapes.collect::<Vec<_>>().join(" · ");
    let samples = match p.tasks_with_samples {
        0 => t.one_sample_each.to_owned(),
        tasks => (t.samples_line)(tasks, p.samples_max),
    };
    view! {
        <dl class="facts">
            <div><dt>{t.file}</dt><dd class="file-name">{p.file.clone()}</dd></div>
            <div><dt>{t.size}</dt><dd>{size(p.bytes)}</dd></div>
            <div><dt>{t.dataset}</dt><dd><a href=format!("/admin/datasets/{}", p.dataset)>{p.dataset.clone()}</a></dd></div>
            <div><dt>{t.shape}</dt><dd>{if shapes.is_empty() { "–".into() } else { shapes }}</dd></div>
            <div><dt>{t.lines}</dt><dd>{i.number(p.lines)}</dd></div>
            <div><dt>{t.matched}</dt><dd>{i.number(p.matched)}</dd></div>
            <div><dt>{t.tasks_answered}</dt><dd>{(i.common.of)(p.tasks_covered, p.tasks_total)}</dd></div>
            <div><dt>{t.samples}</dt><dd>{samples}</dd></div>
            {theirs.map(|theirs| view! { <div><dt>{u.their_verdicts}</dt><dd>{theirs}</dd></div> })}
            {p.way.map(|way| view! { <div><dt>{i.conversations().way}</dt><dd>{i.conversations().way_name(way)}</dd></div> })}
        </dl>
    }
}

fn matching_form(i: I18n, p: &Preview, asked: Matching) -> impl IntoView + use<> {
    let t = i.admin();
    let outcome = match p.matching {
        Matching::Description => t.matched_by_description,
        Matching::TaskId | Matching::Auto => t.matched_by_id,
    };
    let slug = p.dataset.clone();
    let reason = i.lang.pick(&p.matching_reason, &p.matching_reason_zh).clone();
    let reason = (!reason.is_empty()).then(|| view! { <p class="muted">{reason}</p> });
    let options = [
        (Matching::Auto, t.match_auto),
        (Matching::TaskId, t.match_task_id),
        (Matching::Description, t.match_description),
    ]
    .map(|(matching, name)| {
        view! { <option value=matching_word(matching) selected=matching == asked>{name}</option> }
    });
    view! {
        <section class="card stack" aria-labelledby="matching">
            <h2 id="matching">{t.matching}</h2>
            <p>{outcome}</p>
            {reason}
            <Filter>
                <input type="hidden" name="dataset" value=slug/>
                <div class="field">
                    <label class="label" for="matching">{t.match_label}</label>
                    <select class="input" id="matching" name="matching">{options.into_iter().collect_view()}</select>
                </div>
                <button class="button" type="submit">{t.match_again}</button>
            </Filter>
        </section>
    }
}

/// The choice of a table's columns.
fn columns_form(i: I18n, p: &Preview, choose: FormAction<ChooseColumns>) -> Option<AnyView> {
    let (t, u) = (i.ratings_import(), i.uploads());
    let table = p.table.as_ref()?;
    let field = |field: &TableField| {
        let (id, name) = (format!("column-{}", field.name), format!("columns[{}]", field.name));
        let chosen = table.chosen.get(&field.name).cloned().unwrap_or_default();
        let usual = match &field.column {
            Some(column) if chosen.is_empty() => column.clone(),
            _ => t.by_name.to_owned(),
        };
        let usual = if field.column.is_none() && chosen.is_empty() { t.no_column.to_owned() } else { usual };
        let options = table
            .names
            .iter()
            .map(|column| view! { <option value=column.clone() selected=*column == chosen>{column.clone()}</option> })
            .collect_view();
        let needed = field.needed.then(|| view! { " "<span class="muted small">{t.needed}</span> });
        let (meaning, hint) = (u.column(&field.name), format!("{id}-meaning"));
        let described = meaning.is_some().then(|| hint.clone());
        view! {
            <div class="field">
                <label class="label" for=id.clone()><code>{field.name.clone()}</code>{needed}</label>
                {meaning.map(|meaning| view! { <p class="muted small" id=hint>{meaning}</p> })}
                <select class="input" id=id name=name aria-describedby=described>
                    <option value="" selected=chosen.is_empty()>{usual}</option>
                    {options}
                </select>
            </div>
        }
    };
    let fields = table.fields.iter().map(field).collect_view();
    let upload = p.upload.to_string();
    Some(
        view! {
            <section class="card stack" aria-labelledby="columns">
                <h2 id="columns">{t.columns}</h2>
                <p class="muted">{u.columns_lead}</p>
                <ActionForm action=choose attr:class="stack">
                    <input type="hidden" name="upload" value=upload/>
                    {fields}
                    <div class="row"><button class="button" type="submit">{t.read_again}</button></div>
                </ActionForm>
                <FormError of=move || choose.value().get().and_then(Result::err)/>
            </section>
        }
        .into_any(),
    )
}

/// Invalid lines, each with its problem and fix.
pub fn problem_table(i: I18n, problems: Vec<Problem>, count: u64) -> impl IntoView {
    let t = i.admin();
    let more = count.saturating_sub(problems.len() as u64);
    let rows = problems.into_iter().map(|problem| {
        let (what, remedy, lang) = problem.texts(i.lang);
        let (what, remedy) = (what.to_owned(), remedy.to_owned());
        view! {
            <tr role="row">
                <th role="rowheader" scope="row" data-label=t.line class="num">{problem.line.map(|n| i.number(n)).unwrap_or(problem.file)}</th>
                <td role="cell" data-label=t.what lang=lang>{what}</td>
                <td role="cell" data-label=t.remedy lang=lang>{remedy}</td>
            </tr>
        }
    });
    view! {
        <section class="stack" aria-labelledby="bad-lines">
            <h2 id="bad-lines">{t.bad_lines}</h2>
            <div class="table-box list-box"><table class="table list" role="table">
                <caption class="visually-hidden">{t.bad_lines}</caption>
                <thead role="rowgroup">
                    <tr role="row">
                        <th role="columnheader" scope="col" class="num">{t.line}</th>
                        <th role="columnheader" scope="col">{t.what}</th>
                        <th role="columnheader" scope="col">{t.remedy}</th>
                    </tr>
                </thead>
                <tbody role="rowgroup">{rows.collect_view()}</tbody>
            </table></div>
            {(more > 0).then(|| view! { <p class="muted">{(t.and_more)(more)}</p> })}
        </section>
    }
}

fn lines(found: Vec<FileLine>) -> Vec<(Option<u64>, String)> {
    // An archive's classes have no line.
    found.into_iter().map(|one| ((one.line > 0).then_some(one.line), one.label)).collect()
}

/// Each identity leak: the name, its place in the code, and the text around it.
pub fn leak_places(i: I18n, found: Vec<IdentityLeak>) -> Vec<(Option<u64>, String)> {
    let t = i.quality();
    let text = |found: IdentityLeak| {
        let place = found.code_line.map_or_else(|| t.in_words.to_owned(), t.code_line);
        (
            (found.line > 0).then_some(found.line),
            format!("{} ({place}): {}", found.names().collect::<Vec<_>>().join(", "), found.excerpt),
        )
    };
    found.into_iter().map(text).collect()
}

/// One kind of finding: its count always, its places if there are any.
fn finding(
    i: I18n,
    id: &'static str,
    name: &'static str,
    what: &'static str,
    count: u64,
    places: Vec<(Option<u64>, String)>,
) -> AnyView {
    let t = i.admin();
    if count == 0 {
        return view! { <div class="finding finding--none"><h3>{name}" "<span class="count">"0"</span></h3></div> }
            .into_any();
    }
    let more = count.saturating_sub(places.len() as u64);
    let items = places.into_iter().map(|(line, text)| {
        let line = line.map(|n| view! { <span class="muted">{(t.line_n)(n)}" "</span> });
        view! { <li>{line}<code>{text}</code></li> }
    });
    view! {
        <details class="finding" id=id>
            <summary><h3>{name}" "<span class="count">{i.number(count)}</span></h3></summary>
            <p class="muted">{what}</p>
            <ul class="places">{items.collect_view()}</ul>
            {(more > 0).then(|| view! { <p class="muted">{(t.and_more)(more)}</p> })}
        </details>
    }
    .into_any()
}

fn import_form(i: I18n, p: &Preview, model: String, import: FormAction<ImportSubmission>) -> impl IntoView + use<> {
    let t = i.admin();
    let u = i.uploads();
    let in_part = p.acceptable_in_part();
    let good = p.acceptable() || in_part;
    let (upload, slug, matched) = (p.upload.to_string(), p.dataset.clone(), p.matched);
    let again = format!("/admin/upload?dataset={slug}");
    let tells = p.identity_leak_count > 0;
    let why = if p.problem_count > 0 { (t.preview_bad)(p.problem_count) } else { t.preview_none_matched.to_owned() };
    let matching = matching_word(p.matching);
    // Without JavaScript, the browser asks for the tick when the form is sent.
    let needs_tick = RwSignal::new(false);
    let good_only = in_part.then(|| {
        effect(move |_: Option<()>| needs_tick.set(true));
        good_only(i, p, needs_tick)
    });
    view! {
        <section class="card stack" aria-labelledby="import">
            <h2 id="import">{t.import}</h2>
            <p>{if in_part { u.good_lead } else { t.import_lead }}</p>
            <ActionForm action=import attr:class="stack form">
                <input type="hidden" name="upload" value=upload/>
                <input type="hidden" name="dataset" value=slug/>
                <input type="hidden" name="matching" value=matching/>
                <div class="field">
                    <label class="label" for="import-model">{t.model_name}</label>
                    <input class="input" id="import-model" name="model" value=model required maxlength="100" autocomplete="off" disabled=!good aria-describedby="import-hint"/>
                    <p class="hint" id="import-hint">{if good { t.model_name_hint.to_owned() } else { why }}</p>
                </div>
                {good_only}
                {tells.then(|| view! {
                    <div class="field">
                        <label class="check">
                            <input type="checkbox" name="mask" value="true" aria-describedby="mask-hint"/>
                            {i.quality().mask_on_import}
                        </label>
                        <p class="hint" id="mask-hint">{i.quality().mask_on_take_hint}</p>
                    </div>
                })}
                <button class="button primary" type="submit" disabled=move || !good || needs_tick.get() || import.pending().get()>
                    {(t.import_outputs_button)(matched)}
                </button>
            </ActionForm>
            <FormError of=move || import.value().get().and_then(Result::err)/>
            <p><a href=again>{t.other_file}</a></p>
        </section>
    }
}

/// The choice to leave out the invalid lines. The form cannot be sent without it.
fn good_only(i: I18n, p: &Preview, needs_tick: RwSignal<bool>) -> AnyView {
    let u = i.uploads();
    let samples = (p.samples_max > 1).then(|| view! { " "{(u.good_only_samples)(p.samples_max)} });
    view! {
        <div class="field">
            <label class="check">
                <input type="checkbox" name="good_lines_only" value="true" required aria-describedby="good-only-hint"
                    on:change=move |event| needs_tick.set(!event_target_checked(&event))/>
                {(u.good_only)(p.problem_count)}
            </label>
            <p class="hint" id="good-only-hint">{(u.good_only_hint)(p.missing_count, p.tasks_total)}{samples}</p>
        </div>
    }
    .into_any()
}
