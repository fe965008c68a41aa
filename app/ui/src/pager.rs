//! Links to the pages before and after one page of a list. They are plain links: the page's place is in the address.

use leptos::prelude::*;
use leptos_router::params::ParamsMap;

use model::{
    address::query_of,
    page::{PageOf, Paged},
};
use texts::I18n;

fn keys(list: &str) -> (String, String) {
    match list {
        "" => ("after".into(), "before".into()),
        list => (format!("{list}_after"), format!("{list}_before")),
    }
}

/// The query of an address with these fields, with its question mark; empty without fields. Server and browser
/// write the same, which Leptos's `to_query_string` does not.
pub fn query_text(query: &ParamsMap) -> String {
    let fields = query.into_iter().map(|(name, value)| (name.as_ref(), value)).collect::<Vec<_>>();
    if fields.is_empty() { String::new() } else { format!("?{}", query_of(&fields)) }
}

/// The page that the address asks for. `list` tells the lists of one page apart; empty where there is one.
pub fn page_of(query: Memo<ParamsMap>, list: &str) -> PageOf {
    let (after, before) = keys(list);
    query.with(|query| PageOf { after: query.get(&after), before: query.get(&before), ..PageOf::default() })
}

/// The links around a page; nothing where it is the whole list.
pub fn pager<T>(i: I18n, query: Memo<ParamsMap>, list: &str, page: &Paged<T>) -> Option<AnyView> {
    if page.is_all() {
        return None;
    }
    let (after, before) = keys(list);
    let mut rest = query.get_untracked();
    rest.remove(&after);
    rest.remove(&before);
    let link = |name: String, key: &String, word: &'static str| {
        let mut query = rest.clone();
        query.insert(name, key.clone());
        view! { <a class="button" href=query_text(&query)>{word}</a> }
    };
    let previous = page.previous.as_ref().map(|key| link(before, key, i.common.previous_page));
    let next = page.next.as_ref().map(|key| link(after, key, i.common.next_page));
    Some(view! { <nav class="row" aria-label=i.common.pages>{previous}{next}</nav> }.into_any())
}
