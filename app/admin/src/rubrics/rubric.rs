//! `/admin/rubrics/:slug`: a version of a rubric as raters see it, and its versions.

use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};

use crate::{
    menu::{file_item, item, more_menu, object_items},
    parts::asked,
};
use model::{
    audit::Object,
    rubric::{Rubric, RubricDetail, RubricVersion},
};
use pages::grade::scales::{Scales, ScoreSheet};
use rpc::rubrics::rubric_version;
use texts::I18n;
use ui::{
    context::use_i18n,
    frame::Page,
    load::{Data, Load},
    notice::{Notice, Tone},
};

/// A rubric.
#[component]
pub fn AdminRubricPage() -> impl IntoView {
    let i = use_i18n();
    let params = use_params_map();
    let query = use_query_map();
    let which = Memo::new(move |_| (asked(params, "slug"), asked(query, "version").parse().ok()));
    let data = Data::new(move || which.get(), |(slug, version)| rubric_version(slug, version));
    let outcome = move || {
        let t = i.rubrics();
        let (saved, same) = (asked(query, "saved"), asked(query, "same"));
        let text = match (saved.is_empty(), same.is_empty()) {
            (false, _) => format!("{} {}", (t.saved)(&saved), t.keeps),
            (_, false) => (t.same)(&same),
            _ => return None,
        };
        Some(view! { <Notice tone=Tone::Good><p>{text}</p></Notice> })
    };
    view! { <Load data let:detail>{page(i, detail, outcome())}</Load> }
}

fn page(i: I18n, detail: RubricDetail, outcome: impl IntoView + 'static) -> AnyView {
    let t = i.rubrics();
    let RubricDetail { rubric, versions, archived } = detail;
    let (slug, version) = (rubric.slug.clone(), rubric.version);
    let edit = format!("/admin/rubrics/{slug}/edit?version={version}");
    let copy = format!("/admin/rubrics/new?from={slug}&version={version}");
    let export = format!("/admin/rubrics/{slug}/rubric.json?version={version}");
    let object = Object::Rubric(slug.clone());
    let keys = rubric.dimensions.iter().map(|d| d.key.as_str()).collect::<Vec<_>>().join(", ");
    let title = rubric.name();
    view! {
        <Page title crumbs=vec![("/admin/rubrics".into(), t.title.into())] actions=move || view! {
            <a class="button primary" href=edit.clone()>{t.edit}</a>
            {more_menu(i, view! {
                {item(copy.clone(), t.copy)}
                {file_item(export.clone(), t.export)}
                {object_items(i, &object)}
            })}
        }>
            {outcome}
            {archived.then(|| view! { <Notice tone=Tone::Care><p>{t.archived}</p></Notice> })}
            <dl class="facts">
                <div><dt>{t.slug}</dt><dd><code>{slug.clone()}</code></dd></div>
                <div><dt>{t.version}</dt><dd>{version}</dd></div>
                <div><dt>{t.keys}</dt><dd><code>{keys}</code></dd></div>
            </dl>
            <section class="stack" aria-labelledby="preview">
                <h2 id="preview">{t.as_raters_see}</h2>
                <p class="muted">{t.preview_hint}</p>
                {preview(rubric)}
            </section>
            {versions_table(i, &slug, version, versions)}
        </Page>
    }
    .into_any()
}

/// The scales of the grading page, to try.
pub fn preview(rubric: Rubric) -> impl IntoView {
    let sheet = ScoreSheet::preview(&rubric);
    let (current, missing) = (RwSignal::new(0), RwSignal::new(None));
    let t = use_i18n().rubrics();
    let instructions =
        rubric.instructions.then(|| view! { <p class="muted">{t.instructions}": "{t.instructions_hint}</p> });
    view! { <div class="rubric-preview"><Scales rubric sheet current missing/>{instructions}</div> }
}

fn versions_table(i: I18n, slug: &str, shown: u32, versions: Vec<RubricVersion>) -> impl IntoView + use<> {
    let t = i.rubrics();
    let rows = versions
        .into_iter()
        .map(|RubricVersion { version, created_at, created_by, studies }| {
            let current = (shown == version).then_some("true");
            view! {
                <tr>
                    <th scope="row"><a href=format!("/admin/rubrics/{slug}?version={version}") aria-current=current>{version}</a></th>
                    <td class="num">{studies}</td>
                    <td class="when">{i.time(created_at)}</td>
                    <td translate="no">{created_by}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <section class="stack" aria-labelledby="versions">
            <h2 id="versions">{t.versions}</h2>
            <div class="table-box" role="group" aria-labelledby="versions" tabindex="0">
                <table class="table">
                    <thead><tr>
                        <th scope="col">{t.version}</th>
                        <th scope="col" class="num">{t.studies}</th>
                        <th scope="col">{t.saved_at}</th>
                        <th scope="col">{t.saved_by}</th>
                    </tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </section>
    }
}
