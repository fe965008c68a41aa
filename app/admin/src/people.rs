//! `/admin/people`: accounts and invitations.

mod invite;

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use self::invite::{InviteForm, InviteMany};
use super::{
    filter::{Field, send},
    list::Listing,
    parts::FormError,
};
use crate::places::{Place, tabs};
use model::{
    announcement::Audience,
    group::{Group, GroupName},
    lang::Lang,
    page::PageOf,
    plan::Reads,
    user::{Role, UserRow},
};
use rpc::{
    accounts::{CreateReset, Invite, InviteMany, RevokeInvitation, SetDisabled, SetRole, can_send, people},
    announcements::announcement_audiences,
    groups::groups,
    plans::SetReads,
};
use texts::I18n;
use ui::{
    announce::toaster,
    context::{use_i18n, use_visitor},
    copy::CopyRow,
    effect::effect,
    form::{ActionForm, FormAction},
    frame::Page,
    load::{Data, Load},
    notice::{Badge, Notice, Tone},
    pager::{page_of, pager},
};

/// The accounts and the invitations.
#[component]
pub fn PeoplePage() -> impl IntoView {
    let i = use_i18n();
    let t = i.admin();
    let invite = FormAction::<Invite>::new();
    let invite_many = FormAction::<InviteMany>::new();
    let reset = FormAction::<CreateReset>::new();
    let revoke = FormAction::<RevokeInvitation>::new();
    let set_disabled = FormAction::<SetDisabled>::new();
    let set_role = FormAction::<SetRole>::new();
    let set_reads = FormAction::<SetReads>::new();
    let changes = move || {
        (
            invite.version().get() + invite_many.version().get(),
            revoke.version().get(),
            set_disabled.version().get() + set_role.version().get(),
            set_reads.version().get(),
        )
    };
    let query = use_query_map();
    let list = Listing::new("name", &["role", "active", "group"]);
    // The groups, the studies that invited people can join, and whether links can be sent.
    let invitable = Data::new(
        || (),
        |()| async {
            let (groups, audiences) = (groups(PageOf::first(PageOf::MOST)).await?, announcement_audiences(None).await?);
            let can_send = can_send().await?;
            let study = |(to, title)| if let Audience::Study(id) = to { Some((id, title)) } else { None };
            Ok((groups.rows, audiences.into_iter().filter_map(study).collect::<Vec<_>>(), can_send))
        },
    );
    let asked = move || (changes(), list.asked(), page_of(query, "invitations"));
    // Without JavaScript the server redirects the browser back here with the link in the address.
    let carried = query.with_untracked(|q| q.get("link")).filter(|path| is_link(path, "/reset/"));
    let reset_link = move || match reset.value().get() {
        Some(answer) => answer.ok(),
        None => carried.clone(),
    };
    let toast = toaster();
    effect(move |_| {
        if set_reads.version().get() > 0 && set_reads.value().with_untracked(|value| matches!(value, Some(Ok(())))) {
            toast(i.plan().reads_saved.into());
        }
    });
    let forms = Forms { set_disabled, set_role, set_reads, reset };
    let everybody = Data::new(asked, |(_, users, invitations)| people(users, invitations));
    view! {
        <Page title=t.people>
            {tabs(i, Place::People, "/admin/people")}
            <section class="card stack" aria-labelledby="invite">
                <h2 id="invite">{t.invite_people}</h2>
                <p>{t.invite_lead}</p>
                <Load data=invitable let:joins>
                    <InviteForm invite studies=joins.1.clone() can_send=joins.2/>
                    <InviteMany invite=invite_many groups=joins.0 studies=joins.1 can_send=joins.2/>
                </Load>
            </section>
            <FormError of=move || set_disabled.value().get().and_then(Result::err)/>
            <FormError of=move || set_role.value().get().and_then(Result::err)/>
            <FormError of=move || reset.value().get().and_then(Result::err)/>
            {move || reset_link().map(|path| view! {
                <Notice tone=Tone::Good>
                    <div class="stack">
                        <p>{t.reset_once}</p>
                        <CopyRow id="reset-link" label=t.reset_link text=path/>
                    </div>
                </Notice>
            })}
            <FormError of=move || revoke.value().get().and_then(Result::err)/>
            <FormError of=move || set_reads.value().get().and_then(Result::err)/>
            <h2 id="accounts">{t.accounts}</h2>
            <p class="muted">{t.disable_hint}</p>
            <Load data=invitable let:joins>{list.bar(filters(i, joins.0))}</Load>
            <Load data=everybody let:both>
                {list.view(both.0, || ().into_any(), move |users| accounts(i, list, users, forms))}
                {pager(i, query, "invitations", &both.1)}
                {invite::invitations(i, both.1.rows, revoke)}
            </Load>
        </Page>
    }
}

/// The forms of the accounts.
#[derive(Clone, Copy)]
struct Forms {
    set_disabled: FormAction<SetDisabled>,
    set_role: FormAction<SetRole>,
    set_reads: FormAction<SetReads>,
    reset: FormAction<CreateReset>,
}

/// Whether this is the path of a link that begins so: text from the address is shown only if it is.
fn is_link(path: &str, start: &str) -> bool {
    path.strip_prefix(start).is_some_and(|secret| {
        (16..=128).contains(&secret.len())
            && secret.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
    })
}

fn filters(i: I18n, groups: Vec<Group>) -> Vec<Field> {
    let (t, l) = (i.admin(), i.lists());
    let choice = |key, label, values: [(&'static str, &str); 2]| {
        let values = std::iter::once(("", l.any)).chain(values);
        Field::Choice(key, label, values.map(|(value, name)| (value, name.to_owned())).collect())
    };
    let mut fields = vec![
        choice("role", t.role, [("rater", t.role_rater), ("admin", t.role_admin)]),
        choice("active", t.state, [("1", t.enabled), ("0", t.disabled)]),
    ];
    if !groups.is_empty() {
        let groups = groups.into_iter().map(|group| (group.id.to_string(), group.name));
        let all = std::iter::once((String::new(), i.groups().any.to_owned())).chain(groups);
        fields.push(Field::Choices("group", i.groups().group, all.collect()));
    }
    fields
}

fn accounts(i: I18n, list: Listing, users: Vec<UserRow>, forms: Forms) -> AnyView {
    let t = i.admin();
    let me = use_visitor().me.map(|me| me.id);
    let rows = users.into_iter().map(|user| {
        let own = me == Some(user.id);
        let name = user.name.clone();
        view! {
            <tr role="row">
                <th role="rowheader" scope="row" data-label=t.name>{user.name.clone()}{group_links(&user.groups)}</th>
                <td role="cell" data-label=t.role>{i.role_name(user.role)}</td>
                <td role="cell" data-label=i.plan().reads>{reads_form(i, user.id, &name, user.reads, forms.set_reads)}</td>
                <td role="cell" data-label=t.state>
                    {if user.disabled {
                        view! { <Badge tone=Tone::Bad>{t.disabled}</Badge> }
                    } else {
                        view! { <Badge tone=Tone::Good>{t.enabled}</Badge> }
                    }}
                </td>
                <td role="cell" data-label=t.ratings class="num">{i.number(user.ratings)}</td>
                <td role="cell" data-label=t.since class="when">{i.time(user.created_at)}</td>
                <td role="cell" data-label=t.seen class="when">
                    {user.seen_at.map_or_else(|| t.not_seen.to_owned(), |at| i.date(at))}
                </td>
                <td role="cell" data-label="">
                    {if own {
                        view! { <span class="muted small">{t.thats_you}</span> }.into_any()
                    } else {
                        actions(i, &user, forms)
                    }}
                </td>
            </tr>
        }
    });
    view! {
        <div class="table-box list-box"><table class="table list" role="table">
            <caption class="visually-hidden">{t.accounts}</caption>
            <thead role="rowgroup">
                <tr role="row">
                    {list.head(t.name, "name", "")}
                    {list.head(t.role, "role", "")}
                    {list.head(i.plan().reads, "", "")}
                    {list.head(t.state, "", "")}
                    {list.head(t.ratings, "", "num")}
                    {list.head(t.since, "-since", "")}
                    {list.head(t.seen, "-seen", "")}
                    <th role="columnheader" scope="col"><span class="visually-hidden">{t.actions}</span></th>
                </tr>
            </thead>
            <tbody role="rowgroup">{rows.collect_view()}</tbody>
        </table></div>
    }
    .into_any()
}

/// The groups that somebody is in.
fn group_links(groups: &[GroupName]) -> Vec<AnyView> {
    let link = |group: &GroupName| {
        let href = format!("/admin/groups/{}", group.id);
        view! { " "<a class="small" href=href>{group.name.clone()}</a> }.into_any()
    };
    groups.iter().map(link).collect()
}

/// The actions of an admin on another account.
fn actions(i: I18n, user: &UserRow, Forms { set_disabled, set_role, reset, .. }: Forms) -> AnyView {
    let t = i.admin();
    let (id, disabled) = (user.id.to_string(), user.disabled);
    let form = move |id: String, text: &'static str, aria: String| {
        view! {
            <ActionForm action=set_disabled>
                <input type="hidden" name="user" value=id/>
                <input type="hidden" name="disabled" value=(!disabled).to_string()/>
                <button class="button small-button" type="submit" aria-label=aria>{text}</button>
            </ActionForm>
        }
    };
    if disabled {
        return form(id, t.enable, (t.enable_whom)(&user.name)).into_any();
    }
    let (whom, whose) = ((t.disable_whom)(&user.name), (t.reset_whose)(&user.name));
    let user_id = id.clone();
    view! {
        <div class="row">
            <a class="button small-button" href=Audience::Account(user.id).announce_address() aria-label=(i.announcements().announce_whom)(&user.name)>
                {i.announcements().write_to}
            </a>
            <ActionForm action=reset>
                <input type="hidden" name="user" value=user_id/>
                <button class="button small-button" type="submit" aria-label=whose>{t.reset}</button>
            </ActionForm>
            {change_role(i, user, set_role)}
            <details class="confirm">
                <summary class="button small-button">{whom.clone()}</summary>
                <div class="confirm-box">
                    {deactivation(i, user)}
                    {form(id, t.disable, whom)}
                </div>
            </details>
        </div>
    }
    .into_any()
}

/// The other role, after what it leads to.
fn change_role(i: I18n, user: &UserRow, set_role: FormAction<SetRole>) -> impl IntoView + use<> {
    let (t, id) = (i.admin(), user.id.to_string());
    let (to, whom, short, hint) = match user.role {
        Role::Rater => (Role::Admin, (t.promote_whom)(&user.name), t.promote, t.promote_hint),
        Role::Admin => (Role::Rater, (t.demote_whom)(&user.name), t.demote, t.demote_hint),
    };
    view! {
        <details class="confirm">
            <summary class="button small-button">{short}<span class="visually-hidden">" "{user.name.clone()}</span></summary>
            <div class="confirm-box">
                <p>{hint}</p>
                <ActionForm action=set_role>
                    <input type="hidden" name="user" value=id/>
                    <input type="hidden" name="role" value=to.code()/>
                    <button class="button small-button" type="submit">{whom}</button>
                </ActionForm>
            </div>
        </details>
    }
}

/// The consequences of a deactivation.
fn deactivation(i: I18n, user: &UserRow) -> AnyView {
    let t = i.admin();
    if user.open_ratings == 0 {
        return view! { <p>{t.deactivate_none}</p> }.into_any();
    }
    let alone = (user.alone_in > 0).then(|| view! { <p>{(t.deactivate_alone)(user.alone_in)}</p> });
    view! {
        <p>{(t.deactivate_open)(&i.number(user.open_ratings), user.open_studies)} " " {t.deactivate_goes}</p>
        {alone}
    }
    .into_any()
}

/// The languages that a person reads, and a form to change them.
fn reads_form(
    i: I18n,
    user: model::ids::UserId,
    name: &str,
    reads: Reads,
    set_reads: FormAction<SetReads>,
) -> impl IntoView + use<> {
    let p = i.plan();
    let (label, save) = ((p.reads_whose)(name), (p.reads_save_whose)(name));
    let choice = move |code: &'static str, text: &'static str| {
        view! { <option value=code selected=reads.code() == code>{text}</option> }
    };
    view! {
        <ActionForm action=set_reads attr:class="reads-form">
            <input type="hidden" name="user" value=user.to_string()/>
            // With JavaScript, a choice is saved at once.
            <select class="input" name="reads" aria-label=label on:change=|event| send(&event)>
                {choice("en zh", p.reads_both)} {choice("en", Lang::En.name())} {choice("zh", Lang::Zh.name())}
            </select>
            <button class="button small-button unscripted" type="submit" aria-label=save>{p.reads_save}</button>
        </ActionForm>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_invitations_are_shown_as_links() {
        let check = |path, shown| assert_eq!(is_link(path, "/join/"), shown, "{path}");
        check("/join/0123456789abcdefABCDEF_-", true);
        check("/join/short", false);
        check("https://elsewhere.example/join/0123456789abcdef", false);
        check("/join/0123456789abcdef?x=<b>", false);
        check("", false);
    }
}
