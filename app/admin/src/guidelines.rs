//! `/admin/guidelines/:kind/:key`: the guidelines of a study, or the default of a dataset's new studies.

use leptos::{html, prelude::*, task::spawn_local};
use leptos_router::hooks::{use_params_map, use_query_map};

use super::{
    audit::page_of,
    parts::{FormError, asked},
};
use model::{
    audit::Object,
    error::AppError,
    guidelines::{GuidelinesDetail, GuidelinesVersion, LONGEST_GUIDELINES},
    lang::{Bilingual, Lang},
};
use rpc::guidelines::{SaveGuidelines, guidelines, preview_guidelines};
use texts::I18n;
use ui::{
    context::use_i18n,
    form::{ActionForm, FormAction},
    frame::Page,
    load::{Data, Load},
    notice::{Empty, Notice, Tone},
    text_area::area_text,
};

/// The editor.
#[component]
pub fn GuidelinesEditPage() -> impl IntoView {
    let i = use_i18n();
    let params = use_params_map();
    let query = use_query_map();
    let save = FormAction::<SaveGuidelines>::new();
    let object = Memo::new(move |_| format!("{} {}", asked(params, "kind"), asked(params, "key")));
    let version = Memo::new(move |_| asked(query, "version").parse().ok());
    let data = Data::new(
        move || (object.get(), version.get(), save.version().get()),
        |(object, version, _)| guidelines(object, version),
    );
    view! { <Load data let:found>{page(i, object.get_untracked(), found, save)}</Load> }
}

fn page(i: I18n, object: String, found: GuidelinesDetail, save: FormAction<SaveGuidelines>) -> AnyView {
    let t = i.guidelines();
    let Ok(parsed) = object.parse::<Object>() else { return ().into_any() };
    let GuidelinesDetail { name, text, html, version, versions } = found;
    let lead = if matches!(parsed, Object::Dataset(_)) { t.lead_dataset } else { t.lead_study };
    let newest = versions.first().map_or(0, |newest| newest.version);
    let crumbs = vec![(page_of(&parsed), name.clone())];
    // The preview of what is typed; before that, of what is saved.
    let shown = RwSignal::new(Ok::<_, AppError>(html));
    let fields = Lang::ALL.map(|lang| (lang, NodeRef::<html::Textarea>::new()));
    let typed = move |at: usize| fields[at].1.get_untracked().map(|field| field.value()).unwrap_or_default();
    let preview = move |_| {
        let (en, zh) = (typed(0), typed(1));
        spawn_local(async move {
            shown.try_set(preview_guidelines(en, zh).await);
        });
    };
    let address = parsed.guidelines_address().unwrap_or_default();
    view! {
        <Page title=(t.of)(&name) crumbs>
            <p class="lead">{lead}</p>
            {(version < newest).then(|| view! { <Notice tone=Tone::Care><p>{t.older}</p></Notice> })}
            <ActionForm action=save attr:class="stack">
                <input type="hidden" name="object" value=object/>
                <input type="hidden" name="expected" value=newest.to_string()/>
                <p class="hint" id="markdown-hint">{t.markdown}</p>
                <div class="guidelines-fields">
                    {fields.map(|(lang, node)| field(i, lang, node, text.get_own(lang))).collect_view()}
                </div>
                <FormError of=move || save.value().get().and_then(Result::err)/>
                <p class="row">
                    <button class="button primary" type="submit" disabled=move || save.pending().get()>{t.save}</button>
                    <button class="button scripted" type="button" on:click=preview>{t.preview}</button>
                </p>
            </ActionForm>
            <section class="stack" aria-labelledby="shown">
                <h2 id="shown">{t.as_raters_see}</h2>
                {move || match shown.get() {
                    Ok(html) => rendered(i, html),
                    Err(error) => view! { <FormError of=move || Some(error.clone())/> }.into_any(),
                }}
            </section>
            {(!versions.is_empty()).then(|| versions_table(i, &address, version, versions))}
        </Page>
    }
    .into_any()
}

fn field(i: I18n, lang: Lang, node: NodeRef<html::Textarea>, text: &str) -> impl IntoView + use<> {
    let t = i.guidelines();
    let id = format!("guidelines-{}", lang.code());
    view! {
        <div class="field">
            <label class="label" for=id.clone()>{lang.pick(t.english, t.chinese)}</label>
            <textarea class="input" id=id name=lang.code() lang=lang.tag() rows="16" maxlength=LONGEST_GUIDELINES.to_string()
                node_ref=node aria-describedby="markdown-hint">{area_text(text)}</textarea>
        </div>
    }
}

fn rendered(i: I18n, html: Bilingual) -> AnyView {
    let t = i.guidelines();
    let Bilingual { en, zh } = html;
    if en.is_empty() && zh.is_empty() {
        return view! { <Empty title=t.none/> }.into_any();
    }
    let both = [(Lang::En, en), (Lang::Zh, zh)].into_iter().filter(|(_, html)| !html.is_empty());
    let both = both
        .map(|(lang, html)| view! { <div class="card prose" lang=lang.tag() inner_html=html></div> })
        .collect_view();
    view! { <div class="guidelines-fields">{both}</div> }.into_any()
}

fn versions_table(i: I18n, address: &str, shown: u32, versions: Vec<GuidelinesVersion>) -> impl IntoView + use<> {
    let t = i.guidelines();
    let rows = versions
        .into_iter()
        .map(|GuidelinesVersion { version, created_at, created_by }| {
            let current = (shown == version).then_some("true");
            view! {
                <tr>
                    <th scope="row"><a href=format!("{address}?version={version}") aria-current=current>{version}</a></th>
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
                        <th scope="col">{t.saved_at}</th>
                        <th scope="col">{t.saved_by}</th>
                    </tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </section>
    }
}
