//! Choosing the submissions of a study: search, all, none, and how many are selected.

use std::collections::HashSet;

use leptos::prelude::*;

use model::{ids::SubmissionId, submission::SubmissionRow, text::natural_cmp};
use ui::context::use_i18n;

/// From how many submissions a search is offered.
const MANY: usize = 8;

/// The submissions as checkboxes, by model name. What is hidden by the search stays selected. Without JavaScript there are
/// only the checkboxes.
#[component]
pub fn SubmissionChoice(
    /// All submissions for the dataset.
    rows: Vec<SubmissionRow>,
    /// The selected ones.
    ticked: RwSignal<HashSet<SubmissionId>>,
) -> impl IntoView {
    let i = use_i18n();
    let t = i.admin();
    let mut rows = rows;
    rows.sort_by(|a, b| b.number.cmp(&a.number).then_with(|| natural_cmp(&a.model_name, &b.model_name)));
    let newest = rows.first().map_or(0, |row| row.number);
    let all = rows.len();
    let words = RwSignal::new(String::new());
    let matches = move |text: &str| words.with(|words| words.split_whitespace().all(|word| text.contains(word)));
    // Only submissions for the newest version go together.
    let selectable: Vec<(SubmissionId, String)> =
        rows.iter().filter(|row| row.number == newest).map(|row| (row.id, searched(row))).collect();
    let selectable = StoredValue::new(selectable);
    let select = move |on: bool| {
        let of: Vec<SubmissionId> =
            selectable.with_value(|all| all.iter().filter(|(_, text)| matches(text)).map(|(id, _)| *id).collect());
        ticked.update(|ticked| match on {
            true => ticked.extend(of),
            false if words.with_untracked(String::is_empty) => ticked.clear(),
            false => of.iter().for_each(|id| _ = ticked.remove(id)),
        });
    };
    let chosen = ticked.get_untracked();
    let items = rows
        .into_iter()
        .map(|row| {
            let id = row.id;
            let old = row.number < newest;
            let text = searched(&row);
            view! {
                <li hidden=move || !matches(&text)>
                    <label class="check">
                        <input type="checkbox" name="study[submissions][]" value=id.to_string() checked=chosen.contains(&id)
                            prop:checked=move || ticked.with(|ticked| ticked.contains(&id))
                            on:change=move |event| {
                                let on = event_target_checked(&event);
                                ticked.update(|ticked| _ = if on { ticked.insert(id) } else { ticked.remove(&id) });
                            }/>
                        <span>
                            <strong>{row.model_name}</strong>
                            " "
                            <span class="muted small">
                                {(t.submission_line)(row.outputs, row.tasks, &row.file)}
                            </span>
                            {old.then(|| view! { " "<span class="badge tone-care">{(t.version_n)(row.number)}</span> })}
                        </span>
                    </label>
                </li>
            }
        })
        .collect_view();
    let tools = (all > 1).then(|| {
        let all_text = move || if words.with(String::is_empty) { t.select_all } else { t.select_matching };
        view! {
            <div class="scripted"><div class="choice-tools">
                {(all >= MANY).then(|| view! {
                    <input class="input" type="search" id="submission-search" placeholder=t.search_models aria-label=t.search_models
                        on:input=move |event| words.set(event_target_value(&event).to_lowercase())
                        on:keydown=move |event| if event.key() == "Enter" { event.prevent_default() }/>
                })}
                <button class="button small-button" type="button" on:click=move |_| select(true)>{all_text}</button>
                <button class="button small-button" type="button" on:click=move |_| select(false)>{t.select_none}</button>
                <span class="muted small" role="status">
                    {move || (t.selected_of)(ticked.with(HashSet::len) as u64, all as u64)}
                </span>
            </div></div>
        }
    });
    view! {
        <fieldset>
            <legend>{t.study_submissions}</legend>
            <p class="hint">{t.study_submissions_hint}</p>
            {tools}
            <ul class="checks" class:checks--many=all.ge(&MANY)>{items}</ul>
        </fieldset>
    }
}

/// The text of a submission that the search looks at.
fn searched(row: &SubmissionRow) -> String {
    format!("{} {}", row.model_name, row.file).to_lowercase()
}
