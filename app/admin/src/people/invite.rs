//! Invitations: the forms that create them, and the list of them.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::is_link;
use crate::parts::FormError;
use model::{
    group::Group,
    ids::StudyId,
    mail::{InvitationMail, MailState},
    user::{CreatedInvitation, Invitation},
};
use rpc::accounts::{Invite, InviteMany, RevokeInvitation};
use texts::{I18n, faults::mail_fault};
use ui::{
    context::use_i18n,
    copy::CopyRow,
    effect::effect,
    form::{ActionForm, FormAction},
    notice::{Badge, Empty, Notice, Tone},
};

/// Creates an invitation and shows its link once.
#[component]
pub fn InviteForm(
    /// The action that creates it.
    invite: FormAction<Invite>,
    /// The studies that the invited person can join.
    studies: Vec<(StudyId, String)>,
    /// Whether the link can be sent by email.
    can_send: bool,
) -> impl IntoView {
    let i = use_i18n();
    let t = i.admin();
    let studies = study_field(i, "invite-study", studies);
    let query = use_query_map();
    // Without JavaScript the server redirects the browser back here with the link in the address.
    let carried = query.with_untracked(|q| q.get("link")).filter(|path| is_link(path, "/join/"));
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
            {studies}
            {send_field(i, can_send)}
            <button class="button primary" type="submit" disabled=move || invite.pending().get()>{t.invite_button}</button>
        </ActionForm>
        <FormError of=move || invite.value().get().and_then(Result::err)/>
        {move || link().map(|path| view! { <InviteLink path/> })}
    }
}

/// A choice of the study that invited people join; nothing if no study is running.
fn study_field(i: I18n, id: &'static str, studies: Vec<(StudyId, String)>) -> Option<AnyView> {
    if studies.is_empty() {
        return None;
    }
    let t = i.admin();
    let options = studies.into_iter().map(|(id, title)| view! { <option value=id.to_string()>{title}</option> });
    let field = view! {
        <div class="field">
            <label class="label" for=id>{t.invite_study}</label>
            <select class="input" id=id name="study">
                <option value="">{t.no_study}</option>
                {options.collect_view()}
            </select>
        </div>
    };
    Some(field.into_any())
}

/// Whether to send links by email; nothing if the server sends none.
fn send_field(i: I18n, can_send: bool) -> Option<AnyView> {
    let field = || {
        view! {
            <label class="choice">
                <input type="checkbox" name="send" value="true"/>
                <span>{i.admin().invite_send}</span>
            </label>
        }
    };
    can_send.then(|| field().into_any())
}

/// Whether the message with an invitation's link was sent, or why not.
fn mail_state(i: I18n, mail: Option<InvitationMail>) -> Option<AnyView> {
    let t = i.admin();
    let InvitationMail { state, error } = mail?;
    let why = error.map(|error| mail_fault(i.lang, &error));
    let text = match (state, why) {
        (MailState::Sent, _) => t.mail_sent.to_owned(),
        (MailState::Withdrawn, _) => t.mail_withdrawn.to_owned(),
        (MailState::Waiting, None) => t.mail_waiting.to_owned(),
        (MailState::Waiting, Some(why)) => (t.mail_again)(&why),
        (MailState::Failed, why) => (t.mail_failed)(&why.unwrap_or_default()),
    };
    Some(view! { <p class="muted small">{text}</p> }.into_any())
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

/// Creates invitations for a list of people, and shows their links once.
#[component]
pub fn InviteMany(
    /// The action that creates them.
    invite: FormAction<InviteMany>,
    /// The groups that the invited people can join.
    groups: Vec<Group>,
    /// The studies that they can join.
    studies: Vec<(StudyId, String)>,
    /// Whether the links can be sent by email.
    can_send: bool,
) -> impl IntoView {
    let i = use_i18n();
    let t = i.admin();
    let studies = study_field(i, "invite-many-study", studies);
    let groups = (!groups.is_empty()).then(|| {
        let g = i.groups();
        let options = groups
            .into_iter()
            .map(|group| view! { <option value=group.id.to_string()>{group.name}</option> })
            .collect_view();
        view! {
            <div class="field">
                <label class="label" for="invite-many-group">{g.group}</label>
                <select class="input" id="invite-many-group" name="group">
                    <option value="">{g.no_group}</option>
                    {options}
                </select>
            </div>
        }
    });
    let made = move || invite.value().get().and_then(Result::ok);
    // Who has been invited is in the table below; the form is ready for others.
    let lines = NodeRef::<leptos::html::Textarea>::new();
    effect(move |_| {
        if let (Some(_), Some(lines)) = (made(), lines.get_untracked()) {
            lines.set_value("");
        }
    });
    view! {
        // The links must be shown at once, which needs JavaScript.
        <details class="more scripted">
            <summary>{t.invite_many}</summary>
            <ActionForm action=invite attr:class="stack">
                <p class="hint" id="invite-lines-hint">{t.invite_many_lead}</p>
                <div class="field">
                    <label class="label" for="invite-lines">{t.invite_many_names}</label>
                    <textarea class="input" id="invite-lines" node_ref=lines name="lines" rows="8" required aria-describedby="invite-lines-hint"></textarea>
                </div>
                <div class="filter">
                    <div class="field">
                        <label class="label" for="invite-many-role">{t.role}</label>
                        <select class="input" id="invite-many-role" name="role">
                            <option value="rater">{t.role_rater}</option>
                            <option value="admin">{t.role_admin}</option>
                        </select>
                    </div>
                    <div class="field">
                        <label class="label" for="invite-many-days">{t.invite_days}</label>
                        <input class="input" id="invite-many-days" name="days" type="number" inputmode="numeric" min="1" max="90" value="14" required/>
                    </div>
                    {groups}
                    {studies}
                    {send_field(i, can_send)}
                    <button class="button primary" type="submit" disabled=move || invite.pending().get()>{t.invite_many_button}</button>
                </div>
            </ActionForm>
            <FormError of=move || invite.value().get().and_then(Result::err)/>
            {move || made().map(|made| view! { <div class="stack invite-result">{created(i, made)}</div> })}
        </details>
    }
}

/// Links that were just created, as a table and as a text to copy into a spreadsheet.
fn created(i: I18n, made: Vec<CreatedInvitation>) -> impl IntoView {
    let t = i.admin();
    let origin = window().location().origin().unwrap_or_default();
    let text: Vec<_> = made.iter().map(|one| format!("{}\t{origin}{}", one.label, one.path)).collect();
    let rows = made
        .into_iter()
        .map(|one| {
            view! {
                <tr>
                    <th scope="row">{one.label}</th>
                    <td>{i.role_name(one.role)}</td>
                    <td><code>{format!("{origin}{}", one.path)}</code></td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <Notice tone=Tone::Good><p>{t.invite_many_once}</p></Notice>
        <div class="table-box"><table class="table">
            <caption class="visually-hidden">{t.invitations}</caption>
            <thead><tr><th scope="col">{t.invite_label}</th><th scope="col">{t.role}</th><th scope="col">{t.invite_link}</th></tr></thead>
            <tbody>{rows}</tbody>
        </table></div>
        <p class="label">{t.invite_many_list}</p>
        <CopyRow id="invite-list" label=t.invite_many_list text=text.join("\n") rows=6/>
    }
}

/// The list of invitations.
pub fn invitations(i: I18n, invitations: Vec<Invitation>, revoke: FormAction<RevokeInvitation>) -> impl IntoView {
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
                <th role="rowheader" scope="row" data-label=t.invite_label>
                    {one.label}
                    {one.group.map(|group| view! { " "<span class="muted small">{group.name}</span> })}
                    {one.study.map(|study| view! {
                        " "<a class="small" href=format!("/admin/studies/{}", study.id)>{study.title}</a>
                    })}
                    {mail_state(i, one.mail)}
                </th>
                <td role="cell" data-label=t.role>{i.role_name(one.role)}</td>
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
