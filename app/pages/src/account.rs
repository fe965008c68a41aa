//! The visitor's account: language, display, keyboard shortcuts and password.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use crate::grade::help::action_text;
use model::{
    display::{Density, Display, TextSize, Theme, Wrap},
    error::AppError,
    keys::{Action, KeyFault, Keys},
    time_zone::TimeZone,
    user::Role,
};
use rpc::accounts::{linked, time_zones};
use texts::I18n;
use ui::{
    context::{use_i18n, use_visitor},
    failure::Failure,
    field::TextField,
    frame::{LanguageSwitch, Page},
    load::{Data, Load},
    notice::{Notice, Tone},
};

/// `/account`, or after a form `?done=password|keys|display`, `?error=current|password`, or
/// `?keys=taken|digit|browser|odd&at=ACTION&other=ACTION`.
#[component]
pub fn AccountPage() -> impl IntoView {
    let i18n = use_i18n();
    let t = i18n.account();
    let query = use_query_map().get_untracked();
    let error = query.get("error").unwrap_or_default();
    let done = query.get("done").unwrap_or_default();
    let wait = query.get("wait").and_then(|wait| wait.parse().ok()).unwrap_or(60);
    let on_current = match error.as_str() {
        "current" => t.password_wrong.to_owned(),
        "slow" => format!("{} {}", i18n.common.too_many_sentence, (i18n.common.wait)(wait)),
        _ => String::new(),
    };
    let on_new = if error == "password" { t.password_bad } else { "" };
    let visitor = use_visitor();
    let Some(me) = visitor.me else {
        return view! { <Failure error=AppError::Unauthenticated /> }.into_any();
    };
    let sso_error = (error == "sso").then(|| t.sso_error(&query.get("why").unwrap_or_default()));
    let provider = visitor.sso;
    let role = match me.role {
        Role::Admin => t.role_admin,
        Role::Rater => t.role_rater,
    };
    view! {
        <Page title=t.account_title narrow=true>
            {match done.as_str() {
                "password" => Some(view! { <Notice tone=Tone::Good>{t.password_done}</Notice> }),
                "display" => Some(view! { <Notice tone=Tone::Good>{t.display_done}</Notice> }),
                "sso" => Some(view! { <Notice tone=Tone::Good>{t.sso_done}</Notice> }),
                "unlinked" => Some(view! { <Notice tone=Tone::Good>{t.sso_unlinked}</Notice> }),
                "keys" => Some(view! { <Notice tone=Tone::Good>{i18n.grading().keys_done}</Notice> }),
                _ => None,
            }}
            <dl class="facts">
                <div><dt>{t.account_name}</dt><dd>{me.name.clone()}</dd></div>
                <div><dt>{t.account_role}</dt><dd>{role}</dd></div>
            </dl>
            <section class="card stack">
                <h2>{t.language_title}</h2>
                <p class="muted">{t.language_lead}</p>
                <LanguageSwitch />
            </section>
            {sso_error.map(|error| view! { <Notice tone=Tone::Bad>{error}</Notice> })}
            <DisplayForm display=me.settings.display />
            {visitor.mail.then(|| view! {
                <section class="card stack" aria-labelledby="mail">
                    <h2 id="mail">{t.mail_title}</h2>
                    <p class="muted">{t.mail_lead}</p>
                    // A page without the client.
                    <p class="row"><a class="button" href="/account/email" rel="external">{t.mail_link}</a></p>
                </section>
            })}
            <KeysForm keys=me.settings.keys.clone() />
            <form class="card stack" method="post" action="/account/password">
                <h2>{t.password_title}</h2>
                <p class="muted">{t.password_lead}</p>
                // Password managers look for the name of the account.
                <input type="text" name="username" value=me.name autocomplete="username" hidden readonly />
                <TextField
                    name="current"
                    label=t.password_current
                    error=on_current
                    kind="password"
                    autocomplete="current-password"
                />
                <TextField
                    name="new"
                    label=t.password_new
                    hint=t.password_hint
                    error=on_new
                    kind="password"
                    autocomplete="new-password"
                />
                <p class="row"><button class="button primary" type="submit">{t.password_button}</button></p>
            </form>
            {provider.map(|name| view! { <SingleSignOn name/> })}
        </Page>
    }
    .into_any()
}

/// Links the account to the identity provider, or removes the link.
#[component]
fn SingleSignOn(
    /// The provider's name.
    name: String,
) -> impl IntoView {
    let t = use_i18n().account();
    let linked = Data::new(|| (), |()| linked());
    view! {
        <section class="card stack" aria-labelledby="sso">
            <h2 id="sso">{t.sso_title}</h2>
            <Load data=linked let:linked>
                {if linked {
                    view! {
                        <p class="muted">{t.sso_linked_lead}</p>
                        <details class="confirm">
                            <summary class="button small-button">{t.sso_unlink}</summary>
                            <div class="confirm-box">
                                <p>{t.sso_unlink_hint}</p>
                                <form method="post" action="/account/sso/unlink">
                                    <button class="button small-button" type="submit">{t.sso_unlink}</button>
                                </form>
                            </div>
                        </details>
                    }
                    .into_any()
                } else {
                    let text = (t.sso_link)(&name);
                    view! {
                        <p class="muted">{t.sso_link_lead}</p>
                        <p class="row"><a class="button" href="/log-in/sso?link=true" rel="external">{text}</a></p>
                    }
                    .into_any()
                }}
            </Load>
        </section>
    }
}

/// The display settings: a plain form, because the attributes of the document carry them.
#[component]
fn DisplayForm(display: Display) -> impl IntoView {
    let t = use_i18n().account();
    let theme = |theme: &Theme| match theme {
        Theme::System => t.theme_system,
        Theme::Light => t.theme_light,
        Theme::Dark => t.theme_dark,
    };
    let text = |text: &TextSize| match text {
        TextSize::Normal => t.text_normal,
        TextSize::Small => t.text_small,
        TextSize::Large => t.text_large,
        TextSize::Largest => t.text_largest,
    };
    let density = |density: &Density| match density {
        Density::Comfortable => t.density_comfortable,
        Density::Compact => t.density_compact,
    };
    let wrap = |wrap: &Wrap| match wrap {
        Wrap::Scroll => t.wrap_scroll,
        Wrap::Wrap => t.wrap_wrap,
    };
    let Display { theme: at_theme, text: at_text, density: at_density, wrap: at_wrap, zone } = display;
    let zones = Data::new(|| (), |()| time_zones());
    let themes = Theme::ALL.iter().map(|x| (x.code(), theme(x), *x == at_theme)).collect();
    let texts = TextSize::ALL.iter().map(|x| (x.code(), text(x), *x == at_text)).collect();
    let densities = Density::ALL.iter().map(|x| (x.code(), density(x), *x == at_density)).collect();
    let wraps = Wrap::ALL.iter().map(|x| (x.code(), wrap(x), *x == at_wrap)).collect();
    view! {
        <form class="card stack" id="display" method="post" action="/account/display">
            <h2>{t.display_title}</h2>
            <p class="muted">{t.display_lead}</p>
            {choice("theme", t.theme, themes)}
            {choice("text", t.text_size, texts)}
            {choice("density", t.density, densities)}
            {choice("wrap", t.wrap, wraps)}
            <Load data=zones let:names>{zone_field(zone, names)}</Load>
            <p class="row"><button class="button primary" type="submit">{t.display_button}</button></p>
        </form>
    }
}

/// The time zone. With JavaScript, a button selects the device's.
fn zone_field(zone: TimeZone, names: Vec<String>) -> AnyView {
    let t = use_i18n().account();
    let select = NodeRef::<leptos::html::Select>::new();
    let options = std::iter::once(TimeZone::default().name().to_owned())
        .chain(names)
        .map(|name| {
            let (value, selected) = (name.clone(), name == zone.name());
            view! { <option value=value selected=selected>{name}</option> }
        })
        .collect_view();
    view! {
        <div class="field">
            <label class="label" for="display-zone">{t.zone}</label>
            <select class="input" id="display-zone" name="zone" node_ref=select aria-describedby="display-zone-hint">{options}</select>
            <p class="hint" id="display-zone-hint">{t.zone_hint}</p>
            <p class="row"><button class="button small-button scripted" type="button" on:click=move |_| {
                if let (Some(select), Some(here)) = (select.get_untracked(), TimeZone::of_device()) {
                    let before = select.value();
                    select.set_value(&here);
                    // The device may have a name that the server does not know.
                    if select.selected_index() < 0 {
                        select.set_value(&before);
                    }
                }
            }>{t.zone_here}</button></p>
        </div>
    }
    .into_any()
}

/// A field set of radio buttons: each has a value, a label and whether it is chosen.
pub fn choice(
    name: &'static str,
    title: &'static str,
    options: Vec<(&'static str, &'static str, bool)>,
) -> impl IntoView + use<> {
    let options = options
        .into_iter()
        .map(|(value, label, chosen)| {
            view! {
                <label class="choice">
                    <input type="radio" name=name value=value checked=chosen />
                    <span>{label}</span>
                </label>
            }
        })
        .collect_view();
    view! {
        <fieldset class="choices">
            <legend>{title}</legend>
            {options}
        </fieldset>
    }
}

/// The rater's keyboard shortcuts: a field each, validated while typing and again by the server.
#[component]
fn KeysForm(keys: Keys) -> impl IntoView {
    let i18n = use_i18n();
    let b = i18n.grading();
    let query = use_query_map().get_untracked();
    let told = told_fault(|name| query.get(name));
    // The typed key; anything else (two characters) is ignored.
    let chosen = RwSignal::new(Action::ALL.map(|action| (action, keys.key(action))).to_vec());
    let off = keys.off;
    let fault = Memo::new(move |_| chosen.with(|chosen| Keys::choose(off, chosen).err()));
    let rows = Action::ALL
        .into_iter()
        .map(|action| {
            let id = format!("key-{}", action.code());
            let error = move || {
                let now = fault.get().filter(|(at, _)| *at == action).map(|(_, fault)| fault);
                let before = told.filter(|(at, _)| *at == action).map(|(_, fault)| fault);
                now.or(before).map(|fault| fault_text(i18n, fault))
            };
            let wrong = move || error().is_some();
            let type_in = move |event: leptos::ev::Event| {
                if let Some(key) = event_target_value(&event).chars().next() {
                    chosen.update(|chosen| {
                        if let Some(slot) = chosen.iter_mut().find(|(a, _)| *a == action) {
                            slot.1 = key;
                        }
                    });
                }
            };
            let (name, described) = (id.clone(), format!("{id}-error"));
            view! {
                <div class="key-row" class:field-wrong=wrong>
                    <label for=id.clone()>{action_text(i18n, action)}</label>
                    <input
                        class="input"
                        id=id
                        name=name
                        value=keys.key(action).to_string()
                        maxlength="1"
                        autocomplete="off"
                        autocapitalize="off"
                        spellcheck="false"
                        aria-describedby=described.clone()
                        aria-invalid=move || if wrong() { "true" } else { "false" }
                        on:input=type_in
                    />
                    <p class="field-error" id=described role="status">{error}</p>
                </div>
            }
        })
        .collect_view();
    view! {
        <form class="card stack" id="keys" method="post" action="/account/keys">
            <h2>{b.keys_title}</h2>
            <p class="muted">{b.keys_lead}</p>
            <div class="key-rows">{rows}</div>
            <label class="choice">
                <input type="checkbox" name="off" checked=off />
                <span>{b.keys_off}</span>
            </label>
            <p class="row">
                <button class="button primary" type="submit" name="action" value="save">{b.keys_save}</button>
                <button class="button" type="submit" name="action" value="reset">{b.keys_reset}</button>
            </p>
        </form>
    }
}

/// The result of saving keyboard shortcuts.
fn told_fault(query: impl Fn(&str) -> Option<String>) -> Option<(Action, KeyFault)> {
    let action = |name: &str| {
        let code = query(name)?;
        Action::ALL.into_iter().find(|action| action.code() == code)
    };
    let fault = match query("keys")?.as_str() {
        "taken" => KeyFault::Taken(action("other")?),
        "digit" => KeyFault::Digit,
        "browser" => KeyFault::Browser,
        "odd" => KeyFault::NotOneKey,
        _ => return None,
    };
    Some((action("at")?, fault))
}

fn fault_text(i18n: I18n, fault: KeyFault) -> String {
    let b = i18n.grading();
    match fault {
        KeyFault::Taken(other) => (b.key_taken)(action_text(i18n, other)),
        KeyFault::Digit => b.key_digit.into(),
        KeyFault::Browser => b.key_browser.into(),
        KeyFault::NotOneKey => b.key_odd.into(),
    }
}
