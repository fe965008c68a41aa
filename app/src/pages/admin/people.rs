//! `/admin/people`: accounts and invitations.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::parts::FormError;
use crate::{
    i18n::{I18n, use_i18n, use_visitor},
    model::{
        lang::Lang,
        plan::Reads,
        user::{Invitation, Role, UserRow},
    },
    rpc::{
        accounts::{Invite, RevokeInvitation, SetDisabled, people},
        plans::SetReads,
    },
    ui::{
        copy::CopyRow,
        form::{ActionForm, FormAction},
        frame::Page,
        load::{Data, Load},
        notice::{Badge, Empty, Notice, Tone},
        pager::{page_of, pager},
    },
};

/// The accounts and the invitations.
#[component]
pub fn PeoplePage() -> impl IntoView {
    let i = use_i18n();
    let t = i.admin();
    let invite = FormAction::<Invite>::new();
    let revoke = FormAction::<RevokeInvitation>::new();
    let set_disabled = FormAction::<SetDisabled>::new();
    let set_reads = FormAction::<SetReads>::new();
    let changes = move || {
        (invite.version().get(), revoke.version().get(), set_disabled.version().get(), set_reads.version().get())
    };
    let query = use_query_map();
    let asked = move || (changes(), page_of(query, ""), page_of(query, "invitations"));
    let everybody = Data::new(asked, |(_, users, invitations)| people(users, invitations));
    view! {
        <Page title=t.people>
            <section class="card stack" aria-labelledby="invite">
                <h2 id="invite">{t.invite_people}</h2>
                <p>{t.invite_lead}</p>
                <InviteForm invite/>
            </section>
            <FormError of=move || set_disabled.value().get().and_then(Result::err)/>
            <FormError of=move || revoke.value().get().and_then(Result::err)/>
            <FormError of=move || set_reads.value().get().and_then(Result::err)/>
            <Load data=everybody let:both>
                {pager(i, query, "", &both.0)}
                {accounts(i, both.0.rows, set_disabled, set_reads)}
                {pager(i, query, "invitations", &both.1)}
                {invitations(i, both.1.rows, revoke)}
            </Load>
        </Page>
    }
}

/// Creates an invitation and shows its link once.
#[component]
fn InviteForm(
    /// The action that creates it.
    invite: FormAction<Invite>,
) -> impl IntoView {
    let t = use_i18n().admin();
    let query = use_query_map();
    // Without JavaScript the server redirects the browser back here with the link in the address.
    let carried = query.with_untracked(|q| q.get("link")).filter(|path| is_link(path));
    let link = move || match invite.value().get() {
        Some(answer) => answer.ok(),
        None => carried.clone(),
    };
    view! {
        <ActionForm action=invite attr:class="filter">
            <div class="field">
                <label class="label" for="invite-label">{t.invite_label}</label>
                <input class="input" id="invite-label" name="label" required maxlength="100" autocomplete="off"/>
            </div>
            <div class="field">
                <label class="label" for="invite-role">{t.role}</label>
                <select class="input" id="invite-role" name="role">
                    <option value="rater">{t.role_rater}</option>
                    <option value="admin">{t.role_admin}</option>
                </select>
            </div>
            <div class="field">
                <label class="label" for="invite-days">{t.invite_days}</label>
                <input class="input" id="invite-days" name="days" type="number" inputmode="numeric" min="1" max="90" value="14" required/>
            </div>
            <button class="button primary" type="submit" disabled=move || invite.pending().get()>{t.invite_button}</button>
        </ActionForm>
        <FormError of=move || invite.value().get().and_then(Result::err)/>
        {move || link().map(|path| view! { <InviteLink path/> })}
    }
}

/// The link, to be copied and sent to the person.
#[component]
fn InviteLink(
    /// Its path on this server.
    path: String,
) -> impl IntoView {
    let t = use_i18n().admin();
    view! {
        <Notice tone=Tone::Good>
            <div class="stack">
                <p>{t.invite_once}</p>
                <CopyRow id="invite-link" label=t.invite_link text=path/>
            </div>
        </Notice>
    }
}

/// Whether this is the path of an invitation: text from the address is shown only if it is.
fn is_link(path: &str) -> bool {
    path.strip_prefix("/join/").is_some_and(|secret| {
        (16..=128).contains(&secret.len())
            && secret.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
    })
}

fn accounts(
    i: I18n,
    users: Vec<UserRow>,
    set_disabled: FormAction<SetDisabled>,
    set_reads: FormAction<SetReads>,
) -> impl IntoView {
    let t = i.admin();
    let me = use_visitor().me.map(|me| me.id);
    let rows = users.into_iter().map(|user| {
        let own = me == Some(user.id);
        let name = user.name.clone();
        let (text, aria) = if user.disabled {
            (t.enable, (t.enable_whom)(&user.name))
        } else {
            (t.disable, (t.disable_whom)(&user.name))
        };
        view! {
            <tr role="row">
                <th role="rowheader" scope="row" data-label=t.name>{user.name}</th>
                <td role="cell" data-label=t.role>{role(i, user.role)}</td>
                <td role="cell" data-label=i.plan().reads>{reads_form(i, user.id, &name, user.reads, set_reads)}</td>
                <td role="cell" data-label=t.state>
                    {if user.disabled {
                        view! { <Badge tone=Tone::Bad>{t.disabled}</Badge> }
                    } else {
                        view! { <Badge tone=Tone::Good>{t.enabled}</Badge> }
                    }}
                </td>
                <td role="cell" data-label=t.ratings class="num">{i.number(user.ratings)}</td>
                <td role="cell" data-label=t.since class="when">{i.time(user.created_at)}</td>
                <td role="cell" data-label="">
                    {if own {
                        view! { <span class="muted small">{t.thats_you}</span> }.into_any()
                    } else {
                        view! {
                            <ActionForm action=set_disabled>
                                <input type="hidden" name="user" value=user.id.to_string()/>
                                <input type="hidden" name="disabled" value=(!user.disabled).to_string()/>
                                <button class="button small-button" type="submit" aria-label=aria>{text}</button>
                            </ActionForm>
                        }
                        .into_any()
                    }}
                </td>
            </tr>
        }
    });
    view! {
        <section class="stack" aria-labelledby="accounts">
            <h2 id="accounts">{t.accounts}</h2>
            <p class="muted">{t.disable_hint}</p>
            <div class="table-box list-box"><table class="table list" role="table">
                <caption class="visually-hidden">{t.accounts}</caption>
                <thead role="rowgroup">
                    <tr role="row">
                        <th role="columnheader" scope="col">{t.name}</th>
                        <th role="columnheader" scope="col">{t.role}</th>
                        <th role="columnheader" scope="col">{i.plan().reads}</th>
                        <th role="columnheader" scope="col">{t.state}</th>
                        <th role="columnheader" scope="col" class="num">{t.ratings}</th>
                        <th role="columnheader" scope="col">{t.since}</th>
                        <th role="columnheader" scope="col"><span class="visually-hidden">{t.actions}</span></th>
                    </tr>
                </thead>
                <tbody role="rowgroup">{rows.collect_view()}</tbody>
            </table></div>
        </section>
    }
}

fn invitations(i: I18n, invitations: Vec<Invitation>, revoke: FormAction<RevokeInvitation>) -> impl IntoView {
    let t = i.admin();
    if invitations.is_empty() {
        return view! {
            <section class="stack" aria-labelledby="invitations">
                <h2 id="invitations">{t.invitations}</h2>
                <Empty title=t.no_invitations/>
            </section>
        }
        .into_any();
    }
    let rows = invitations.into_iter().map(|one| {
        let state = match (&one.used_by, one.open) {
            (Some(name), _) => (Tone::Plain, (t.used_by)(name)),
            (None, true) => (Tone::Good, t.open.into()),
            (None, false) => (Tone::Care, t.ended.into()),
        };
        let whose = (t.revoke_whose)(&one.label);
        let revoking = one.open.then(|| {
            view! {
                <ActionForm action=revoke>
                    <input type="hidden" name="id" value=one.id.to_string()/>
                    <button class="button small-button" type="submit" aria-label=whose>{t.revoke}</button>
                </ActionForm>
            }
        });
        view! {
            <tr role="row">
                <th role="rowheader" scope="row" data-label=t.invite_label>{one.label}</th>
                <td role="cell" data-label=t.role>{role(i, one.role)}</td>
                <td role="cell" data-label=t.state><Badge tone=state.0>{state.1}</Badge></td>
                <td role="cell" data-label=t.ends_at class="when">{i.time(one.expires_at)}</td>
                <td role="cell" data-label="">{revoking}</td>
            </tr>
        }
    });
    view! {
        <section class="stack" aria-labelledby="invitations">
            <h2 id="invitations">{t.invitations}</h2>
            <div class="table-box list-box"><table class="table list" role="table">
                <caption class="visually-hidden">{t.invitations}</caption>
                <thead role="rowgroup">
                    <tr role="row">
                        <th role="columnheader" scope="col">{t.invite_label}</th>
                        <th role="columnheader" scope="col">{t.role}</th>
                        <th role="columnheader" scope="col">{t.state}</th>
                        <th role="columnheader" scope="col">{t.ends_at}</th>
                        <th role="columnheader" scope="col"><span class="visually-hidden">{t.actions}</span></th>
                    </tr>
                </thead>
                <tbody role="rowgroup">{rows.collect_view()}</tbody>
            </table></div>
        </section>
    }
    .into_any()
}

/// The languages that a person reads, and a form to change them.
fn reads_form(
    i: I18n,
    user: crate::model::ids::UserId,
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
            <select class="input" name="reads" aria-label=label>
                {choice("en zh", p.reads_both)} {choice("en", Lang::En.name())} {choice("zh", Lang::Zh.name())}
            </select>
            <button class="button small-button" type="submit" aria-label=save>{p.reads_save}</button>
        </ActionForm>
    }
}

fn role(i: I18n, role: Role) -> &'static str {
    match role {
        Role::Admin => i.admin().role_admin,
        Role::Rater => i.admin().role_rater,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_invitations_are_shown_as_links() {
        let check = |path, shown| assert_eq!(is_link(path), shown, "{path}");
        check("/join/0123456789abcdefABCDEF_-", true);
        check("/join/short", false);
        check("https://elsewhere.example/join/0123456789abcdef", false);
        check("/join/0123456789abcdef?x=<b>", false);
        check("", false);
    }
}
