//! `/admin/upkeep/:kind/:key` and `/admin/archive`: renaming, archiving and deleting what admins made.

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

use super::{audit::page_of, parts::FormError};
use crate::places::{Place, tabs};
use model::{
    audit::Object,
    error::AppError,
    ids::StudyId,
    upkeep::{Archived, Dependent, Upkeep},
};
use rpc::upkeep::{ArchiveObject, DeleteObject, RenameObject, RestoreObject, archived_objects, object_upkeep};
use texts::I18n;
use ui::{
    context::use_i18n,
    form::{ActionForm, FormAction},
    frame::Page,
    load::{Data, Load},
    notice::{Empty, Notice, Tone},
};

/// The forms that an object's state offers.
#[derive(Clone, Copy)]
struct Forms {
    rename: FormAction<RenameObject>,
    archive: FormAction<ArchiveObject>,
    delete: FormAction<DeleteObject>,
    restore: FormAction<RestoreObject>,
}

impl Forms {
    /// The last form's error.
    fn error(self) -> Option<AppError> {
        let errors = [
            self.rename.value().get().and_then(Result::err),
            self.archive.value().get().and_then(Result::err),
            self.delete.value().get().and_then(Result::err),
            self.restore.value().get().and_then(Result::err),
        ];
        errors.into_iter().flatten().next()
    }

    fn version(self) -> usize {
        self.rename.version().get()
            + self.archive.version().get()
            + self.delete.version().get()
            + self.restore.version().get()
    }
}

/// The upkeep of one object.
#[component]
pub fn UpkeepPage() -> impl IntoView {
    let i = use_i18n();
    let params = use_params_map();
    let forms = Forms {
        rename: FormAction::new(),
        archive: FormAction::new(),
        delete: FormAction::new(),
        restore: FormAction::new(),
    };
    let object = Memo::new(move |_| {
        params.with(|params| {
            format!("{} {}", params.get("kind").unwrap_or_default(), params.get("key").unwrap_or_default())
        })
    });
    let data =
        Data::new(move || (object.get(), forms.version()), |(object, _)| async move { object_upkeep(object).await });
    view! {
        <Load data let:found>{page(i, object.get_untracked(), found, forms)}</Load>
    }
}

fn page(i: I18n, object: String, found: Upkeep, forms: Forms) -> AnyView {
    let t = i.upkeep();
    let Ok(parsed) = object.parse::<Object>() else { return ().into_any() };
    let name = i.audit().object_name(&parsed);
    let home = page_of(&parsed);
    let object_again = object.clone();
    let body = if found.deleted {
        deleted(i, object, forms)
    } else {
        view! {
            {found.can_rename.then(|| rename(i, &parsed, object.clone(), found.name.clone(), forms))}
            {archive(i, object.clone(), found.archived_at.is_some(), forms)}
            {delete(i, &parsed, object, (found.in_use, found.studies), found.deleted_with, forms)}
        }
        .into_any()
    };
    // The page is drawn again after each act.
    let acted = forms.archive.value().with_untracked(|value| matches!(value, Some(Ok(()))));
    let done = (acted && !found.deleted).then(|| archived(i, object_again, found.archived_at.is_some(), forms));
    view! {
        <Page title=t.link crumbs=vec![(home, (t.of)(&name, &found.name))]>
            <FormError of=move || forms.error()/>
            {done}
            {body}
        </Page>
    }
    .into_any()
}

/// That the object was just archived or unarchived, with the way back.
fn archived(i: I18n, object: String, is_archived: bool, forms: Forms) -> AnyView {
    let t = i.upkeep();
    view! {
        <Notice tone=Tone::Good>
            <p role="status">{if is_archived { t.archived } else { t.unarchived }}</p>
            <ActionForm action=forms.archive>
                <input type="hidden" name="object" value=object/>
                <input type="hidden" name="archived" value=(!is_archived).to_string()/>
                <button class="button" type="submit" disabled=move || forms.archive.pending().get()>{t.undo}</button>
            </ActionForm>
        </Notice>
    }
    .into_any()
}

fn deleted(i: I18n, object: String, forms: Forms) -> AnyView {
    let t = i.upkeep();
    view! {
        <Notice tone=Tone::Care>
            <p>{t.deleted}</p>
            <ActionForm action=forms.restore>
                <input type="hidden" name="object" value=object/>
                <button class="button" type="submit">{t.undo}</button>
            </ActionForm>
        </Notice>
    }
    .into_any()
}

fn rename(i: I18n, parsed: &Object, object: String, name: String, forms: Forms) -> AnyView {
    let t = i.upkeep();
    let (label, note, longest) = match parsed {
        Object::Study(_) => (t.title_of_study, None, "120"),
        _ => (t.model_of_submission, Some(t.rename_model_note), "100"),
    };
    view! {
        <section class="card stack" aria-labelledby="rename">
            <h2 id="rename">{t.rename}</h2>
            <ActionForm action=forms.rename>
                <input type="hidden" name="object" value=object/>
                <div class="stack"><div class="field">
                    <label class="label" for="new-name">{label}</label>
                    <input class="input" id="new-name" name="name" required maxlength=longest value=name aria-describedby=note.map(|_| "new-name-note")/>
                    {note.map(|note| view! { <p class="hint" id="new-name-note">{note}</p> })}
                </div>
                <div><button class="button" type="submit" disabled=move || forms.rename.pending().get()>{t.rename}</button></div></div>
            </ActionForm>
        </section>
    }
    .into_any()
}

fn archive(i: I18n, object: String, archived: bool, forms: Forms) -> AnyView {
    let t = i.upkeep();
    let (what, button) = if archived { (t.is_archived, t.unarchive) } else { (t.archive_what, t.archive) };
    view! {
        <section class="card stack" aria-labelledby="archive">
            <h2 id="archive">{t.archive_title}</h2>
            <p>{what}</p>
            <ActionForm action=forms.archive>
                <input type="hidden" name="object" value=object/>
                <input type="hidden" name="archived" value=(!archived).to_string()/>
                <button class="button" type="submit" disabled=move || forms.archive.pending().get()>{button}</button>
            </ActionForm>
        </section>
    }
    .into_any()
}

fn delete(
    i: I18n,
    parsed: &Object,
    object: String,
    (in_use, studies): (Vec<Dependent>, Vec<(StudyId, String)>),
    deleted_with: Vec<Dependent>,
    forms: Forms,
) -> AnyView {
    let t = i.upkeep();
    let list = |all: Vec<Dependent>| {
        let rows = all.into_iter().map(|dependent| view! { <li>{t.dependent(dependent)}</li> }).collect_view();
        view! { <ul>{rows}</ul> }
    };
    let body = if in_use.is_empty() {
        let note = if matches!(parsed, Object::Dataset(_) | Object::Rubric(_)) {
            t.delete_no_undo_note
        } else {
            t.delete_undo_note
        };
        let with = (!deleted_with.is_empty()).then(|| view! { <p>{t.delete_with}</p>{list(deleted_with)} });
        view! {
            {with}
            <p>{note}</p>
            <ActionForm action=forms.delete>
                <input type="hidden" name="object" value=object/>
                <button class="button danger" type="submit" disabled=move || forms.delete.pending().get()>{t.delete_confirm}</button>
            </ActionForm>
        }
        .into_any()
    } else {
        let named = studies
            .into_iter()
            .map(|(id, title)| view! { <li><a href=format!("/admin/studies/{id}")>{title}</a></li> })
            .collect::<Vec<_>>();
        let named = (!named.is_empty()).then(|| view! { <p>{t.in_use_studies}</p><ul>{named}</ul> });
        view! { <p>{(t.in_use)(&i.audit().object_name(parsed))}</p>{list(in_use)}{named}<p>{t.archive_instead}</p> }
            .into_any()
    };
    view! {
        <section class="card stack" aria-labelledby="delete">
            <h2 id="delete">{t.delete}</h2>
            {body}
        </section>
    }
    .into_any()
}

/// Everything archived.
#[component]
pub fn ArchivePage() -> impl IntoView {
    let i = use_i18n();
    let t = i.upkeep();
    let unarchive = FormAction::<ArchiveObject>::new();
    let data = Data::new(move || unarchive.version().get(), |_| archived_objects());
    view! {
        <Page title=t.archive_title>
            {tabs(i, Place::Settings, "/admin/archive")}
            <p class="lead">{t.archived_lead}</p>
            <FormError of=move || unarchive.value().get().and_then(Result::err)/>
            <Load data let:found>{archive_list(i, found, unarchive)}</Load>
        </Page>
    }
}

fn archive_list(i: I18n, found: Vec<Archived>, unarchive: FormAction<ArchiveObject>) -> AnyView {
    let t = i.upkeep();
    if found.is_empty() {
        return view! { <Empty title=t.none_archived/> }.into_any();
    }
    let rows = found.into_iter().map(|Archived { object, name, at }| {
        let object = object.parse::<Object>().ok();
        let shown = object.as_ref().map(|object| {
            let name = i.audit().object_name(object);
            view! { <a href=page_of(object)>{name}</a> }
        });
        let whose = format!("{}{}{name}", t.unarchive, i.common.colon);
        let back = object.map(|object| {
            view! {
                <ActionForm action=unarchive>
                    <input type="hidden" name="object" value=object.to_string()/>
                    <input type="hidden" name="archived" value="false"/>
                    <button class="button small-button" type="submit" aria-label=whose>{t.unarchive}</button>
                </ActionForm>
            }
        });
        view! {
            <tr role="row">
                <th role="rowheader" scope="row" data-label=t.object>{shown}</th>
                <td role="cell" data-label=t.name translate="no">{name}</td>
                <td role="cell" data-label=t.archived_at class="when">{i.time(at)}</td>
                <td role="cell">{back}</td>
            </tr>
        }
    });
    view! {
        <div class="table-box list-box"><table class="table list" role="table">
            <caption class="visually-hidden">{t.archive_title}</caption>
            <thead role="rowgroup"><tr role="row">
                <th role="columnheader" scope="col">{t.object}</th>
                <th role="columnheader" scope="col">{t.name}</th>
                <th role="columnheader" scope="col">{t.archived_at}</th>
                <th role="columnheader" scope="col"><span class="visually-hidden">{t.unarchive}</span></th>
            </tr></thead>
            <tbody role="rowgroup">{rows.collect_view()}</tbody>
        </table></div>
    }
    .into_any()
}
