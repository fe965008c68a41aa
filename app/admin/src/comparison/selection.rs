//! The selection, as a form whose fields are the address's.

use leptos::{prelude::*, wasm_bindgen::JsCast, web_sys};
use leptos_router::{NavigateOptions, hooks::use_navigate};

use model::{
    comparison::{ComparisonView, CountedScores, Selection, StudyOption},
    lang::Lang,
};
use texts::I18n;
use ui::context::use_i18n;

/// The form, closed unless there is nothing to show yet.
#[allow(clippy::too_many_lines, reason = "one form, field by field")]
pub fn form(i: I18n, found: &ComparisonView) -> AnyView {
    let open = found.figures.human.is_none() && found.figures.automated.is_none() && !found.counting;
    let (options, selection) = (&found.options, &found.selection);
    let boxes = |key: &'static str, rows: Vec<(i64, String, String)>, ticked: &dyn Fn(i64) -> bool| -> AnyView {
        if rows.is_empty() {
            return view! { <p class="muted small">{i.comparison().none_yet}</p> }.into_any();
        }
        // Those of the selection first, so that none is out of sight below the others.
        let (chosen, others): (Vec<_>, Vec<_>) = rows.into_iter().partition(|(id, ..)| ticked(*id));
        let count = chosen.len();
        chosen
            .into_iter()
            .chain(others)
            .enumerate()
            .map(|(at, (id, name, note))| {
                let checked = at < count;
                view! {
                    <label class="tick">
                        <input type="checkbox" name=key value=id.to_string() checked=checked/>
                        <span>{name}" "<span class="muted small">{note}</span></span>
                    </label>
                }
            })
            .collect_view()
            .into_any()
    };
    let t = i.comparison();
    let has = |ids: Option<Vec<i64>>| move |id: i64| ids.as_ref().is_some_and(|ids| ids.contains(&id));
    let models = options.models.iter().map(|(id, name)| (id.0, name.clone(), String::new())).collect();
    let models =
        boxes("models", models, &has(selection.models.as_ref().map(|ids| ids.iter().map(|id| id.0).collect())));
    let going = |open: bool| if open { format!(" · {}", t.still_going) } else { String::new() };
    let studies = options
        .studies
        .iter()
        .map(|s| {
            let note = format!("{} · {}{}", (t.ratings_n)(&i.number(s.ratings)), s.rubric, going(s.open));
            (s.id.0, s.title.clone(), note)
        })
        .collect();
    let studies =
        boxes("studies", studies, &has(selection.studies.as_ref().map(|ids| ids.iter().map(|id| id.0).collect())));
    let name_of =
        |id| options.models.iter().find(|(known, _)| *known == id).map(|(_, n)| n.clone()).unwrap_or_default();
    let runs = options
        .runs
        .iter()
        .map(|r| (r.id.0, name_of(r.model), format!("{} · {}{}", (t.run_n)(r.id.0), r.done, going(r.open))))
        .collect();
    let runs = boxes("runs", runs, &has(selection.runs.as_ref().map(|ids| ids.iter().map(|id| id.0).collect())));
    let raters = options.raters.iter().map(|(id, name)| (id.0, name.clone(), String::new())).collect();
    let raters =
        boxes("raters", raters, &has(selection.raters.as_ref().map(|ids| ids.iter().map(|id| id.0).collect())));
    let (lang, scores) = (selection.nl_lang, selection.scores);
    let others = left_out(i, found);
    let only = only_groups(i, found);
    view! {
        <details class="comparison-selection" open=open>
            <summary>{t.what}</summary>
            <Form slug=selection.dataset.clone()>
                <fieldset class="ticks"><legend>{t.models}</legend>
                    <input type="hidden" name="models" value="none"/>{models}
                </fieldset>
                <fieldset class="ticks"><legend>{t.studies}</legend>
                    <input type="hidden" name="studies" value="none"/>{studies}
                    {others}
                </fieldset>
                <fieldset class="ticks"><legend>{t.runs}</legend>
                    <input type="hidden" name="runs" value="none"/>{runs}
                </fieldset>
                <fieldset class="ticks"><legend>{t.raters}</legend>
                    {raters}<p class="muted small">{t.all_raters}</p>
                    {only}
                </fieldset>
                <div class="ticks">
                    <div class="field">
                        <label class="label" for="selection-lang">{t.lang}</label>
                        <select class="input" id="selection-lang" name="nl_lang">
                            <option value="" selected=lang.is_none()>{t.both_langs}</option>
                            {Lang::ALL.map(|l| view! {
                                <option value=l.code() selected=lang.eq(&Some(l))>{l.name()}</option>
                            }).collect_view()}
                        </select>
                    </div>
                    <div class="field">
                        <label class="label" for="selection-scores">{t.scores}</label>
                        <select class="input" id="selection-scores" name="scores">
                            <option value="" selected=scores.eq(&CountedScores::Raw)>{t.scores_raw}</option>
                            <option value="final" selected=scores.eq(&CountedScores::Final)>{t.scores_final}</option>
                        </select>
                    </div>
                    <button class="button primary" type="submit">{t.show}</button>
                </div>
            </Form>
        </details>
    }
    .into_any()
}

/// Links to the same comparison by the raters of one group only.
fn only_groups(i: I18n, found: &ComparisonView) -> impl IntoView + use<> {
    let (options, selection) = (&found.options, &found.selection);
    let links: Vec<_> = options
        .groups
        .iter()
        .map(|(name, members)| {
            let only = Selection { raters: Some(members.clone()), ..selection.clone() };
            let href = format!("/admin/compare/{}?{}", selection.dataset, only.query());
            view! { " "<a href=href>{name.clone()}</a> }
        })
        .collect();
    (!links.is_empty()).then(|| view! { <p class="small">{i.groups().only_group}{i.common.colon}{links}</p> })
}

/// Studies with ratings that the selection leaves out because they use another rubric.
pub fn left_out(i: I18n, found: &ComparisonView) -> impl IntoView + use<> {
    let (options, selection) = (&found.options, &found.selection);
    let is_selected = |study: &&StudyOption| selection.studies.iter().flatten().any(|id| *id == study.id);
    let rubric = options.studies.iter().find(is_selected).map(|study| &study.rubric);
    let others = options.studies.iter().filter(|study| study.ratings > 0 && !study.archived);
    let others = others.filter(|study| rubric.is_some_and(|rubric| study.rubric != *rubric));
    let names: Vec<_> = others.map(|study| format!("{} ({})", study.title, study.rubric)).collect();
    (!names.is_empty())
        .then(|| view! { <p class="muted small">{(i.rubrics().left_out)(&texts::list(i.lang, &names))}</p> })
}

/// The selection in words, for a printed page, which omits the form.
pub fn on_paper(i: I18n, found: &ComparisonView) -> impl IntoView + use<> {
    let (t, selection, options) = (i.comparison(), &found.selection, &found.options);
    let chosen = |word: &'static str, names: Vec<String>| {
        (!names.is_empty()).then(|| view! { <span>{word}{i.common.colon}{names.join(", ")}". "</span> })
    };
    let studies = options.studies.iter().filter(|s| selection.studies.iter().flatten().any(|id| *id == s.id));
    let runs = options.runs.iter().filter(|r| selection.runs.iter().flatten().any(|id| *id == r.id));
    let raters = options.raters.iter().filter(|(id, _)| selection.raters.iter().flatten().any(|known| known == id));
    let scores = match selection.scores {
        CountedScores::Raw => t.scores_raw,
        CountedScores::Final => t.scores_final,
    };
    view! {
        <p class="print-only small">
            {chosen(t.models, found.figures.models.clone())}
            {chosen(t.studies, studies.map(|s| format!("{} ({})", s.title, s.id)).collect())}
            {chosen(t.runs, runs.map(|r| r.id.to_string()).collect())}
            {chosen(t.raters, raters.map(|(_, name)| name.clone()).collect())}
            {chosen(t.lang, selection.nl_lang.map(|lang| lang.name().to_owned()).into_iter().collect())}
            {chosen(t.scores, vec![scores.to_owned()])}
        </p>
    }
}

/// With scripts the address is short; without, the browser sends all fields, which mean the same.
#[component]
fn Form(slug: String, children: Children) -> impl IntoView {
    let navigate = use_navigate();
    let _ = use_i18n();
    let on_submit = move |event: web_sys::SubmitEvent| {
        let form = event.target().and_then(|target| target.dyn_into::<web_sys::HtmlFormElement>().ok());
        let Some(fields) = form.and_then(|form| web_sys::FormData::new_with_form(&form).ok()) else { return };
        event.prevent_default();
        let all = |key: &str| fields.get_all(key).iter().filter_map(|value| value.as_string()).collect();
        let query = Selection::read(&slug, all).query();
        navigate(
            &format!("/admin/compare/{slug}?{query}"),
            NavigateOptions { scroll: false, ..NavigateOptions::default() },
        );
    };
    view! { <form class="selection-form" method="get" on:submit=on_submit>{children()}</form> }
}
