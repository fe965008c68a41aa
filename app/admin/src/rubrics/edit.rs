//! `/admin/rubrics/:slug/edit` and `/admin/rubrics/new?from=`: the editor, which saves a new version.
//!
//! The rubric itself is the state: typing changes its texts, and buttons change its structure and draw the form
//! again. Without JavaScript, the form saves the texts of the dimensions and levels that it has.

use std::ops::Range;

use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};

use super::rubric::preview;
use crate::parts::{FormError, asked};
use model::{
    lang::{Bilingual, Lang},
    rubric::{Dimension, Level, Rubric},
};
use rpc::rubrics::{SaveRubric, rubric_version};
use texts::I18n;
use ui::{
    context::use_i18n,
    form::{ActionForm, FormAction},
    frame::Page,
    load::{Data, Load},
    notice::WithoutScripts,
    text_area::area_text,
};

/// Most dimensions, most items of the checklist and most levels that the buttons add.
const MOST: (usize, usize, usize) = (12, 20, 9);

/// The editor of a new version.
#[component]
pub fn EditRubricPage() -> impl IntoView {
    let i = use_i18n();
    let params = use_params_map();
    let query = use_query_map();
    let which = Memo::new(move |_| (asked(params, "slug"), asked(query, "version").parse().ok()));
    let data = Data::new(move || which.get(), |(slug, version)| rubric_version(slug, version));
    view! {
        <Load data let:detail>
            {
                let newest = detail.versions.first().map_or(0, |version| version.version);
                let title = (i.rubrics().editing)(&detail.rubric.slug);
                editor(i, title, detail.rubric, newest)
            }
        </Load>
    }
}

/// The editor of a new rubric, which begins as a copy if the address names one.
#[component]
pub fn NewRubricPage() -> impl IntoView {
    let i = use_i18n();
    let query = use_query_map();
    let which = Memo::new(move |_| (asked(query, "from"), asked(query, "version").parse().ok()));
    let data = Data::new(
        move || which.get(),
        |(from, version)| async move {
            if from.is_empty() {
                return Ok(blank());
            }
            Ok(Rubric { slug: format!("{from}-copy"), ..rubric_version(from, version).await?.rubric })
        },
    );
    view! { <Load data let:rubric>{editor(i, i.rubrics().new.to_owned(), rubric, 0)}</Load> }
}

fn blank() -> Rubric {
    Rubric { slug: String::new(), version: 0, instructions: false, dimensions: vec![blank_dimension()] }
}

fn blank_dimension() -> Dimension {
    let mut dimension = Dimension {
        key: String::new(),
        checklist: false,
        name: Bilingual::default(),
        question: Bilingual::default(),
        levels: vec![blank_level(), blank_level(), blank_level()],
    };
    dimension.number_levels();
    dimension
}

fn blank_item() -> Dimension {
    Dimension { checklist: true, levels: Dimension::yes_and_no(), ..blank_dimension() }
}

fn blank_level() -> Level {
    Level { score: 0, label: Bilingual::default(), text: Bilingual::default() }
}

/// The rubric that is edited, and what the preview shows of it.
#[derive(Clone, Copy)]
struct Editor {
    rubric: RwSignal<Rubric>,
    shown: RwSignal<Rubric>,
}

impl Editor {
    /// Changes a text. The field shows it already.
    fn write(self, change: impl FnOnce(&mut Rubric)) {
        self.rubric.update_untracked(change);
    }

    /// Changes the structure, draws the form again and moves the focus to this element.
    fn rebuild(self, focus: String, change: impl FnOnce(&mut Rubric)) {
        self.rubric.update(|rubric| {
            change(rubric);
            rubric.dimensions.iter_mut().for_each(Dimension::number_levels);
        });
        self.show();
        request_animation_frame(move || {
            use leptos::wasm_bindgen::JsCast;
            let element = document().get_element_by_id(&focus);
            if let Some(element) = element.and_then(|element| element.dyn_into::<leptos::web_sys::HtmlElement>().ok()) {
                let _ = element.focus();
            }
        });
    }

    fn show(self) {
        self.shown.set(self.rubric.get_untracked());
    }
}

fn editor(i: I18n, title: String, rubric: Rubric, newest: u32) -> AnyView {
    let t = i.rubrics();
    let save = FormAction::<SaveRubric>::new();
    let editor = Editor { rubric: RwSignal::new(rubric.clone()), shown: RwSignal::new(rubric.clone()) };
    let part = move |is_checklist: bool| {
        editor.rubric.with(|rubric| {
            let (scales, all) = (rubric.scales(), rubric.dimensions.len());
            let part = if is_checklist { scales..all } else { 0..scales };
            let fields = part.clone().zip(rubric.dimensions.get(part.clone()).unwrap_or_default());
            fields.map(|(d, x)| dimension(i, editor, (d, part.clone(), all), x)).collect_view()
        })
    };
    let add = move |_| {
        let at = editor.rubric.with_untracked(Rubric::scales);
        let focus = id(&format!("dimensions[{at}][key]"));
        editor.rebuild(focus, |rubric| rubric.dimensions.insert(rubric.scales(), blank_dimension()));
    };
    let full = move || editor.rubric.with(|rubric| rubric.scales() >= MOST.0);
    let add_item = move |_| {
        let at = editor.rubric.with_untracked(|rubric| rubric.dimensions.len());
        editor.rebuild(id(&format!("dimensions[{at}][key]")), |rubric| rubric.dimensions.push(blank_item()));
    };
    let items_full = move || editor.rubric.with(|rubric| rubric.dimensions.len() - rubric.scales() >= MOST.1);
    view! {
        <Page title crumbs=vec![("/admin/rubrics".into(), t.title.into())]>
            <p class="lead">{t.keeps}</p>
            <WithoutScripts text=t.without_scripts/>
            <div class="rubric-editor">
                <div on:change=move |_| editor.show()>
                    <ActionForm action=save attr:class="stack">
                        <input type="hidden" name="expected" value=newest.to_string()/>
                        {slug_field(i, &rubric.slug, newest > 0)}
                        <p class="hint">{t.languages_hint}</p>
                        {move || part(false)}
                        <p class="scripted">
                            <button class="button" type="button" id="add-dimension" disabled=full on:click=add>{t.add_dimension}</button>
                        </p>
                        <h2>{t.checklist}</h2>
                        <p class="hint">{t.checklist_hint}</p>
                        <div class="field">
                            <label class="check">
                                <input type="checkbox" name="instructions" value="true" aria-describedby="instructions-hint"
                                    checked=rubric.instructions prop:checked=move || editor.rubric.with(|rubric| rubric.instructions)
                                    on:change=move |event| editor.write(|rubric| rubric.instructions = event_target_checked(&event))/>
                                {t.instructions}
                            </label>
                            <p class="hint" id="instructions-hint">{t.instructions_hint}</p>
                        </div>
                        {move || part(true)}
                        <p class="scripted">
                            <button class="button" type="button" id="add-item" disabled=items_full on:click=add_item>{t.add_item}</button>
                        </p>
                        <FormError of=move || save.value().get().and_then(Result::err)/>
                        <p class="rubric-save"><button class="button primary" type="submit" disabled=move || save.pending().get()>{t.save}</button></p>
                    </ActionForm>
                </div>
                <section class="stack rubric-seen" aria-labelledby="preview" tabindex="0">
                    <h2 id="preview">{t.as_raters_see}</h2>
                    {move || preview(editor.shown.get())}
                </section>
            </div>
        </Page>
    }
    .into_any()
}

fn slug_field(i: I18n, slug: &str, is_fixed: bool) -> impl IntoView + use<> {
    let t = i.rubrics();
    view! {
        <div class="field field--short">
            <label class="label" for="slug">{t.slug}</label>
            <input class="input" id="slug" name="slug" required maxlength="40" pattern="[a-z0-9][a-z0-9\\-]*" autocomplete="off" spellcheck="false"
                value=slug.to_owned() readonly=is_fixed aria-describedby="slug-hint"/>
            <p class="hint" id="slug-hint">{t.slug_hint}</p>
        </div>
    }
}

/// A dimension or an item of the checklist, at its place, among those with which it can change places, of so many.
fn dimension(i: I18n, editor: Editor, (d, part, of): (usize, Range<usize>, usize), x: &Dimension) -> AnyView {
    let t = i.rubrics();
    let field = format!("dimensions[{d}]");
    let is_item = x.checklist;
    // The checklist counts its own items.
    let n = d + 1 - part.start;
    let (title, of_dimension) = if is_item { (t.item_n, t.of_item) } else { (t.dimension_n, t.of_dimension) };
    let count = x.levels.len();
    let levels =
        x.levels.iter().enumerate().map(|(l, level)| level_fields(i, editor, (d, l, count), level)).collect_view();
    let at = move |rubric: &mut Rubric, set: fn(&mut Dimension, String), value: String| {
        if let Some(dimension) = rubric.dimensions.get_mut(d) {
            set(dimension, value);
        }
    };
    let text = move |name: &str, label: &str, value: &str, rows: u32, set: fn(&mut Dimension, String)| {
        let write = move |value| editor.write(|rubric| at(rubric, set, value));
        text_field(&format!("dimensions[{d}][{name}]"), label, of_dimension(label, n), value, rows, write)
    };
    let both = |what: &str, lang: Lang| (t.in_language)(what, lang.name());
    let up = d.checked_sub(1).filter(|to| part.contains(to));
    let moves = [(t.up, "up", up), (t.down, "down", Some(d + 1).filter(|to| part.contains(to)))];
    let moves = moves.map(|(label, name, to)| {
        let swap = move |_| {
            if let Some(to) = to {
                editor.rebuild(id(&format!("dimensions[{to}][{name}]")), |rubric| rubric.dimensions.swap(d, to));
            }
        };
        act(&format!("{field}[{name}]"), label, of_dimension(label, n), to.is_none(), swap)
    });
    let remove = move |_| {
        editor.rebuild(if is_item { "add-item" } else { "add-dimension" }.into(), |rubric| {
            rubric.dimensions.remove(d);
        });
    };
    let remove = act(&format!("{field}[remove]"), t.remove, of_dimension(t.remove, n), of < 2, remove);
    let add = move |_| {
        let focus = id(&format!("dimensions[{d}][levels][{count}][text_en]"));
        editor.rebuild(focus, |rubric| {
            if let Some(dimension) = rubric.dimensions.get_mut(d) {
                dimension.levels.push(blank_level());
            }
        });
    };
    let add = act(&format!("{field}[add]"), t.add_level, (t.of_dimension)(t.add_level, n), count >= MOST.2, add);
    let levels = (!is_item).then(|| {
        view! {
            <p class="label">{t.levels}</p>
            <ol class="rubric-levels">{levels}</ol>
            <p class="scripted">{add}</p>
        }
    });
    let question = if is_item { t.statement } else { t.question };
    view! {
        <fieldset class="card stack rubric-dimension">
            <legend>{title(n)}</legend>
            {is_item.then(|| view! { <input type="hidden" name=format!("{field}[checklist]") value="true"/> })}
            <p class="scripted row">{moves.collect_view()} {remove}</p>
            {text("key", t.key, &x.key, 1, |d, value| d.key = value)}
            <p class="hint">{t.key_hint}</p>
            <div class="rubric-both">
                {text("name_en", &both(t.dimension_name, Lang::En), &x.name.en, 1, |d, value| d.name.en = value)}
                {text("name_zh", &both(t.dimension_name, Lang::Zh), &x.name.zh, 1, |d, value| d.name.zh = value)}
                {text("question_en", &both(question, Lang::En), &x.question.en, 1, |d, value| d.question.en = value)}
                {text("question_zh", &both(question, Lang::Zh), &x.question.zh, 1, |d, value| d.question.zh = value)}
            </div>
            {levels}
        </fieldset>
    }
    .into_any()
}

/// A level, at its place of so many.
fn level_fields(i: I18n, editor: Editor, (d, l, of): (usize, usize, usize), x: &Level) -> AnyView {
    let t = i.rubrics();
    let field = format!("dimensions[{d}][levels][{l}]");
    let (n, score) = (d + 1, x.score);
    let text = move |name: &str, what: &str, lang: Lang, value: &str, rows: u32, set: fn(&mut Level, String)| {
        let write = move |value: String| {
            editor.write(|rubric| {
                if let Some(level) = rubric.dimensions.get_mut(d).and_then(|dimension| dimension.levels.get_mut(l)) {
                    set(level, value);
                }
            });
        };
        let label = (t.in_language)(what, lang.name());
        let whole = (t.of_level)(&label, n, score);
        text_field(&format!("dimensions[{d}][levels][{l}][{name}]"), &label, whole, value, rows, write)
    };
    let moves = [(t.up, "up", l.checked_sub(1)), (t.down, "down", Some(l + 1).filter(|to| *to < of))];
    let moves = moves.map(|(label, name, to)| {
        let swap = move |_| {
            if let Some(to) = to {
                editor.rebuild(id(&format!("dimensions[{d}][levels][{to}][{name}]")), |rubric| {
                    if let Some(dimension) = rubric.dimensions.get_mut(d) {
                        dimension.levels.swap(l, to);
                    }
                });
            }
        };
        act(&format!("{field}[{name}]"), label, (t.of_level)(label, n, score), to.is_none(), swap)
    });
    let remove = move |_| {
        editor.rebuild(id(&format!("dimensions[{d}][add]")), |rubric| {
            if let Some(dimension) = rubric.dimensions.get_mut(d) {
                dimension.levels.remove(l);
            }
        });
    };
    let remove = act(&format!("{field}[remove]"), t.remove, (t.of_level)(t.remove, n, score), of <= 2, remove);
    view! {
        <li class="stack">
            <p class="row"><b>{(t.level_n)(score)}</b> <span class="scripted row">{moves.collect_view()} {remove}</span></p>
            <div class="rubric-both">
                {text("label_en", t.label, Lang::En, &x.label.en, 1, |l, value| l.label.en = value)}
                {text("label_zh", t.label, Lang::Zh, &x.label.zh, 1, |l, value| l.label.zh = value)}
                {text("text_en", t.text, Lang::En, &x.text.en, 2, |l, value| l.text.en = value)}
                {text("text_zh", t.text, Lang::Zh, &x.text.zh, 2, |l, value| l.text.zh = value)}
            </div>
        </li>
    }
    .into_any()
}

/// The ID of a field with this name.
fn id(name: &str) -> String {
    name.replace('[', "-").replace(']', "")
}

/// A text field. `whole` is its accessible name, which begins with the visible label.
fn text_field(
    name: &str,
    label: &str,
    whole: String,
    value: &str,
    rows: u32,
    write: impl Fn(String) + 'static,
) -> AnyView {
    let (id, name, value) = (id(name), name.to_owned(), value.to_owned());
    let on_input = move |event: leptos::ev::Event| write(event_target_value(&event));
    let field = if rows > 1 {
        view! {
            <textarea class="input" id=id.clone() name=name rows=rows.to_string() aria-label=whole prop:value=value.clone() on:input=on_input>{area_text(&value)}</textarea>
        }
        .into_any()
    } else {
        view! { <input class="input" id=id.clone() name=name value=value.clone() prop:value=value autocomplete="off" aria-label=whole on:input=on_input/> }
            .into_any()
    };
    view! { <div class="field"><label class="label" for=id>{label.to_owned()}</label>{field}</div> }.into_any()
}

/// A button that changes the structure.
fn act(
    name: &str,
    label: &'static str,
    whole: String,
    disabled: bool,
    on_click: impl FnMut(leptos::ev::MouseEvent) + 'static,
) -> AnyView {
    view! {
        <button class="button small-button" type="button" id=id(name) aria-label=whole disabled=disabled on:click=on_click>{label}</button>
    }
    .into_any()
}
