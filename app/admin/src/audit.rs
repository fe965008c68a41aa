//! `/admin/audit?person=&action=&object=&from=&to=&before=`: who did what, when and from where.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::parts::{Filter, asked, select_field};
use crate::places::{Place, tabs};
use model::{
    address::query_value,
    audit::{Action, AuditFilter, AuditPage as Found, Entry, Object, Via},
    audit_details::Details,
};
use rpc::audit::audit_log;
use texts::{I18n, audit_details::lines};
use ui::{
    context::use_i18n,
    frame::Page,
    load::{Data, Load},
    notice::Empty,
};

/// The audit log, newest first, narrowed by the address.
#[component]
pub fn AuditPage() -> impl IntoView {
    let i = use_i18n();
    let query = use_query_map();
    let wanted = Memo::new(move |_| AuditFilter::read(|key| asked(query, key)));
    let data = Data::new(move || wanted.get(), audit_log);
    view! { <Load data let:found>{page(i, wanted.get_untracked(), found)}</Load> }
}

fn page(i: I18n, filter: AuditFilter, found: Found) -> AnyView {
    let t = i.audit();
    let Found { people, entries, older } = found;
    let rest = query(&filter);
    let csv = format!("/admin/audit.csv?{}", rest.trim_end_matches('&'));
    let newest = (!filter.before.is_empty()).then(|| {
        let href = format!("?{}", rest.trim_end_matches('&'));
        view! { <a class="button" href=href>{t.newest}</a> }
    });
    let older = entries.last().filter(|_| older).map(|last| {
        let href = format!("?{rest}before={}", last.id);
        view! { <a class="button" rel="next" href=href>{t.older}</a> }
    });
    let turner = (newest.is_some() || older.is_some())
        .then(|| view! { <nav class="row" aria-label=t.pages>{newest}{older}</nav> });
    let list = if entries.is_empty() { view! { <Empty title=t.none/> }.into_any() } else { table(i, entries) };
    view! {
        <Page
            title=t.title
            actions=move || view! { <a class="button" href=csv.clone() rel="external" download="">{t.download}</a> }
        >
            {tabs(i, Place::Settings, "/admin/audit")}
            <p class="lead">{t.lead}</p>
            {filters(i, filter, people)}
            {list}
            {turner}
        </Page>
    }
    .into_any()
}

fn filters(i: I18n, filter: AuditFilter, people: Vec<String>) -> impl IntoView + use<> {
    let t = i.audit();
    let AuditFilter { person, action, object, from, to, before: _ } = filter;
    let people = people.into_iter().map(|name| (name.clone(), name)).collect();
    let mut actions: Vec<_> = Action::ALL.iter().map(|one| (one.name().to_owned(), name(i, *one))).collect();
    actions.sort_by(|a, b| a.1.cmp(&b.1));
    view! {
        <Filter search=true>
            {select_field("person", t.person, t.any, people, person)}
            {select_field("action", t.action, t.any, actions, action)}
            <div class="field">
                <label class="label" for="filter-object">{t.containing}</label>
                <input class="input" id="filter-object" type="search" name="object" maxlength="200" value=object/>
            </div>
            <div class="field">
                <label class="label" for="filter-from">{t.from}</label>
                <input class="input" id="filter-from" type="date" name="from" value=from/>
            </div>
            <div class="field">
                <label class="label" for="filter-to">{t.to}</label>
                <input class="input" id="filter-to" type="date" name="to" value=to/>
            </div>
            <button class="button" type="submit">{i.admin().filter}</button>
        </Filter>
    }
}

fn table(i: I18n, entries: Vec<Entry>) -> AnyView {
    let t = i.audit();
    let rows = entries.into_iter().map(|entry| row(i, entry)).collect_view();
    view! {
        <div class="table-box list-box"><table class="table list" role="table">
            <caption class="visually-hidden">{t.title}</caption>
            <thead role="rowgroup"><tr role="row">
                <th role="columnheader" scope="col">{t.when}</th>
                <th role="columnheader" scope="col">{t.who}</th>
                <th role="columnheader" scope="col">{t.what}</th>
                <th role="columnheader" scope="col">{t.object}</th>
                <th role="columnheader" scope="col">{t.detail}</th>
                <th role="columnheader" scope="col">{t.origin}</th>
            </tr></thead>
            <tbody role="rowgroup">{rows}</tbody>
        </table></div>
    }
    .into_any()
}

fn row(i: I18n, entry: Entry) -> impl IntoView {
    let t = i.audit();
    let Entry { at, person, action, object, detail, via, token, address, .. } = entry;
    // The API's names are texts; this version knows all of them.
    let what = Action::named(&action).map_or_else(|| action.clone(), |action| name(i, action));
    let object = object.parse::<Object>().ok().map(|object| {
        view! { <a href=page_of(&object)>{t.object_name(&object)}</a> }
    });
    let via = match (via, token) {
        (Some(Via::Session), _) => t.browser.to_owned(),
        (Some(Via::Token), Some(id)) => (t.token_n)(id),
        (Some(Via::Token), None) => i.api().tokens.to_owned(),
        (Some(Via::CommandLine), _) => t.command_line.to_owned(),
        (None, _) => t.unknown.to_owned(),
    };
    let address = address.map(|address| view! { " "<code translate="no">{address}</code> });
    view! {
        <tr role="row">
            <td role="cell" data-label=t.when class="when">{i.time(at)}</td>
            <td role="cell" data-label=t.who translate="no">{person.unwrap_or_else(|| t.command_line.to_owned())}</td>
            <th role="rowheader" scope="row" data-label=t.what>{what}</th>
            <td role="cell" data-label=t.object>{object}</td>
            <td role="cell" data-label=t.detail class="audit-detail">{details(i, &detail)}</td>
            <td role="cell" data-label=t.origin>{via}{address}</td>
        </tr>
    }
}

/// The details of an entry; several as a list.
fn details(i: I18n, details: &Details) -> AnyView {
    let lines = lines(i, details).into_iter().map(|(name, value)| {
        view! { {format!("{name}{}", i.lang.pick(": ", "："))}<span translate="no">{value}</span> }
    });
    let lines: Vec<_> = lines.collect();
    match lines.len() {
        0 | 1 => lines.into_any(),
        _ => view! { <ul>{lines.into_iter().map(|line| view! { <li>{line}</li> }).collect_view()}</ul> }.into_any(),
    }
}

/// The words for an action.
pub fn name(i: I18n, action: Action) -> String {
    i.audit().action_name(action).to_owned()
}

/// The page about what was changed.
pub fn page_of(object: &Object) -> String {
    match object {
        Object::Account(_) | Object::Invitation(_) => "/admin/people".to_owned(),
        Object::Announcement(_) => "/admin/announcements".to_owned(),
        Object::Group(_) => "/admin/groups".to_owned(),
        Object::Dataset(slug) => format!("/admin/datasets/{}", query_value(slug)),
        Object::Rubric(slug) => format!("/admin/rubrics/{}", query_value(slug)),
        Object::Collection(id) => format!("/admin/collections/{id}"),
        Object::Run(id) => format!("/admin/runs/{id}"),
        Object::Worker(_) => "/admin/runs".to_owned(),
        Object::Storage | Object::Toolchain(_) => "/admin/server".to_owned(),
        Object::Study(id) => format!("/admin/studies/{id}"),
        Object::Submission(id) => format!("/admin/submissions/{id}"),
        Object::Token(_) => "/admin/api/tokens".to_owned(),
        Object::Webhook(_) => "/admin/api/webhooks".to_owned(),
    }
}

/// The filter as the address has it, without the place in the list; ends with `&` where it says anything.
fn query(filter: &AuditFilter) -> String {
    let given = filter.fields().into_iter().filter(|(_, value)| !value.is_empty());
    given.map(|(key, value)| format!("{key}={}&", query_value(value))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_keeps_the_filter() {
        let filter = AuditFilter { person: "a&b".into(), from: "2026-11-22".into(), ..AuditFilter::default() };
        assert_eq!(query(&filter), "person=a%26b&from=2026-11-22&");
        assert_eq!(query(&AuditFilter::default()), "");
    }
}
