//! `/admin/groups` and `/admin/groups/:id`: groups of people.

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

use super::{
    list::Listing,
    parts::{FormError, param},
};
use crate::places::{Place, tabs};
use model::{
    error::AppError,
    group::{Group, LONGEST_GROUP_NAME, Member},
    ids::GroupId,
};
use rpc::groups::{AddToGroup, CreateGroup, DeleteGroup, RemoveFromGroup, RenameGroup, groups, person_group};
use texts::I18n;
use ui::{
    context::use_i18n,
    form::{ActionForm, FormAction},
    frame::Page,
    load::{Data, Load},
    notice::{Badge, Empty, Tone},
};

/// All groups, and a form for another.
#[component]
pub fn GroupsPage() -> impl IntoView {
    let i = use_i18n();
    let t = i.groups();
    let list = Listing::new("name", &[]);
    let create = FormAction::<CreateGroup>::new();
    let data = Data::new(move || (list.asked(), create.version().get()), |(of, _)| groups(of));
    view! {
        <Page title=t.groups>
            {tabs(i, Place::People, "/admin/groups")}
            <p class="lead">{t.lead}</p>
            <ActionForm action=create attr:class="filter">
                <div class="field">
                    <label class="label" for="group-name">{t.name}</label>
                    <input class="input" id="group-name" name="name" required maxlength=LONGEST_GROUP_NAME.to_string() autocomplete="off"/>
                </div>
                <button class="button primary" type="submit" disabled=move || create.pending().get()>{t.create}</button>
            </ActionForm>
            <FormError of=move || create.value().get().and_then(Result::err)/>
            {list.bar(Vec::new())}
            <Load data let:page>
                {list.view(page, move || view! { <Empty title=t.none><p>{t.none_hint}</p></Empty> }.into_any(), move |rows| table(i, list, rows))}
            </Load>
        </Page>
    }
}

fn table(i: I18n, list: Listing, rows: Vec<Group>) -> AnyView {
    let t = i.groups();
    let rows = rows
        .into_iter()
        .map(|group| {
            let names: Vec<_> = group.members.iter().map(|member| member.name.as_str()).collect();
            view! {
                <tr role="row">
                    <th role="rowheader" scope="row" data-label=t.name>
                        <a href=format!("/admin/groups/{}", group.id)>{group.name.clone()}</a>
                    </th>
                    <td role="cell" data-label=t.members>
                        {(t.members_n)(group.members.len() as u64)}" "
                        <span class="muted small">{names.join(", ")}</span>
                    </td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <div class="table-box list-box"><table class="table list" role="table">
            <caption class="visually-hidden">{t.groups}</caption>
            <thead role="rowgroup">
                <tr role="row">{list.head(t.name, "name", "")}{list.head(t.members, "", "")}</tr>
            </thead>
            <tbody role="rowgroup">{rows}</tbody>
        </table></div>
    }
    .into_any()
}

/// The forms of a group.
#[derive(Clone, Copy)]
struct Forms {
    rename: FormAction<RenameGroup>,
    add: FormAction<AddToGroup>,
    remove: FormAction<RemoveFromGroup>,
    delete: FormAction<DeleteGroup>,
}

/// One group with its members.
#[component]
pub fn GroupPage() -> impl IntoView {
    let i = use_i18n();
    let params = use_params_map();
    let id = Memo::new(move |_| param(params, "id").map(GroupId));
    let forms = Forms {
        rename: FormAction::new(),
        add: FormAction::new(),
        remove: FormAction::new(),
        delete: FormAction::new(),
    };
    let changes = move || forms.rename.version().get() + forms.add.version().get() + forms.remove.version().get();
    let data = Data::new(
        move || (id.get(), changes()),
        |(id, _)| async move { person_group(id.ok_or_else(|| AppError::NotFound("group".into()))?).await },
    );
    view! { <Load data let:group>{page(i, group, forms)}</Load> }
}

fn page(i: I18n, group: Group, forms: Forms) -> AnyView {
    let t = i.groups();
    let Forms { rename, add, remove, delete } = forms;
    let id = group.id;
    let crumbs = vec![("/admin/people".into(), i.admin().people.into()), ("/admin/groups".into(), t.groups.into())];
    let people = format!("/admin/people?group={id}");
    let members = match group.members.is_empty() {
        true => view! { <Empty title=t.nobody/> }.into_any(),
        false => members(i, id, group.members, remove),
    };
    view! {
        <Page title=group.name.clone() crumbs>
            <ActionForm action=rename attr:class="filter">
                <input type="hidden" name="id" value=id.to_string()/>
                <div class="field">
                    <label class="label" for="group-name">{t.name}</label>
                    <input class="input" id="group-name" name="name" value=group.name required
                        maxlength=LONGEST_GROUP_NAME.to_string() autocomplete="off"/>
                </div>
                <button class="button" type="submit" disabled=move || rename.pending().get()>{t.rename}</button>
            </ActionForm>
            <FormError of=move || rename.value().get().and_then(Result::err)/>
            <section class="stack" aria-labelledby="group-members">
                <h2 id="group-members">{t.members}</h2>
                {members}
                <FormError of=move || remove.value().get().and_then(Result::err)/>
                <p><a href=people>{t.show_people}</a></p>
            </section>
            <section class="card stack" aria-labelledby="group-add">
                <h2 id="group-add">{t.add}</h2>
                <ActionForm action=add attr:class="stack">
                    <input type="hidden" name="id" value=id.to_string()/>
                    <div class="field">
                        <label class="label" for="group-names">{t.add_names}</label>
                        <textarea class="input" id="group-names" name="names" rows="4" required autocomplete="off" spellcheck="false"></textarea>
                    </div>
                    <p class="row"><button class="button primary" type="submit" disabled=move || add.pending().get()>{t.add_button}</button></p>
                </ActionForm>
                <FormError of=move || add.value().get().and_then(Result::err)/>
            </section>
            <details class="confirm">
                <summary class="button small-button">{t.delete}</summary>
                <div class="confirm-box">
                    <p>{t.delete_hint}</p>
                    <ActionForm action=delete>
                        <input type="hidden" name="id" value=id.to_string()/>
                        <button class="button small-button" type="submit">{t.delete}</button>
                    </ActionForm>
                </div>
            </details>
            <FormError of=move || delete.value().get().and_then(Result::err)/>
        </Page>
    }
    .into_any()
}

fn members(i: I18n, group: GroupId, members: Vec<Member>, remove: FormAction<RemoveFromGroup>) -> AnyView {
    let t = i.groups();
    let rows = members
        .into_iter()
        .map(|member| {
            let whom = (t.remove_whom)(&member.name);
            view! {
                <tr role="row">
                    <th role="rowheader" scope="row" data-label=i.admin().name>
                        {member.name}" "
                        {member.disabled.then(|| view! { <Badge tone=Tone::Bad>{t.deactivated}</Badge> })}
                    </th>
                    <td role="cell" data-label="">
                        <ActionForm action=remove>
                            <input type="hidden" name="id" value=group.to_string()/>
                            <input type="hidden" name="user" value=member.id.to_string()/>
                            <button class="button small-button" type="submit" aria-label=whom>{t.remove}</button>
                        </ActionForm>
                    </td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <div class="table-box list-box"><table class="table list" role="table">
            <caption class="visually-hidden">{t.members}</caption>
            <thead role="rowgroup">
                <tr role="row">
                    <th role="columnheader" scope="col">{i.admin().name}</th>
                    <th role="columnheader" scope="col"><span class="visually-hidden">{i.admin().actions}</span></th>
                </tr>
            </thead>
            <tbody role="rowgroup">{rows}</tbody>
        </table></div>
    }
    .into_any()
}
