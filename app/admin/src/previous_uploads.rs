//! The list of uploaded files with what became of them. While an import is in progress, a visible page asks again every
//! few seconds.

use std::time::Duration;

use leptos::prelude::*;

use super::{list::Listing, parts::size};
use model::{
    address::query_value,
    page::Paged,
    submission::{UploadRow, UploadState},
};
use rpc::submissions::uploads;
use texts::I18n;
use ui::{
    context::use_i18n,
    effect::effect,
    load::{Data, Load},
    notice::{Empty, Progress},
};

/// How often a page with an import in progress asks.
const BEAT: Duration = Duration::from_secs(2);

/// The list's data. Call it at the top of the page.
pub fn uploads_data() -> (Listing, Data<Paged<UploadRow>>) {
    let list = Listing::new("-uploaded", &[]);
    let data = Data::new(move || list.asked(), uploads);
    let busy = StoredValue::new(false);
    effect(move |_| {
        let importing = |row: &UploadRow| matches!(row.state, UploadState::Importing { .. });
        busy.set_value(data.get().and_then(Result::ok).is_some_and(|page| page.rows.iter().any(importing)));
    });
    effect(move |_| {
        let ask = move || {
            if busy.get_value() && !document().hidden() {
                data.refetch();
            }
        };
        if let Ok(beat) = set_interval_with_handle(ask, BEAT) {
            on_cleanup(move || beat.clear());
        }
    });
    (list, data)
}

/// The list.
#[component]
pub fn PreviousUploads(
    /// The selection in the address.
    list: Listing,
    /// The rows, created at the top of the page.
    data: Data<Paged<UploadRow>>,
) -> impl IntoView {
    let i = use_i18n();
    let t = i.uploads();
    view! {
        <section class="stack" aria-labelledby="previous-uploads">
            <h2 id="previous-uploads">{t.previous}</h2>
            <p class="muted">{t.previous_lead}</p>
            <Load data let:page>
                {list.view(page, move || view! { <Empty title=t.no_uploads/> }.into_any(), move |rows| table(i, list, rows))}
            </Load>
        </section>
    }
}

fn table(i: I18n, list: Listing, rows: Vec<UploadRow>) -> AnyView {
    let (t, a) = (i.uploads(), i.admin());
    let rows = rows.into_iter().map(|row| {
        let dataset = row.dataset.clone().map_or_else(
            || "–".into_any(),
            |slug| view! { <a href=format!("/admin/datasets/{slug}")>{slug.clone()}</a> }.into_any(),
        );
        view! {
            <tr role="row">
                <th role="rowheader" scope="row" data-label=a.file class="file-name">{row.file.clone()}</th>
                <td role="cell" data-label=a.size class="num">{size(row.bytes)}</td>
                <td role="cell" data-label=a.dataset>{dataset}</td>
                <td role="cell" data-label=t.state>{state(i, &row)}</td>
                <td role="cell" data-label=t.by>{row.by.clone().unwrap_or_else(|| "–".into())}</td>
                <td role="cell" data-label=t.uploaded class="when">{i.time(row.created_at)}</td>
            </tr>
        }
    });
    view! {
        <div class="table-box list-box"><table class="table list" role="table">
            <caption class="visually-hidden">{t.previous}</caption>
            <thead role="rowgroup">
                <tr role="row">
                    {list.head(a.file, "", "")}
                    {list.head(a.size, "", "num")}
                    {list.head(a.dataset, "", "")}
                    {list.head(t.state, "", "")}
                    {list.head(t.by, "", "")}
                    {list.head(t.uploaded, "-uploaded", "")}
                </tr>
            </thead>
            <tbody role="rowgroup">{rows.collect_view()}</tbody>
        </table></div>
    }
    .into_any()
}

fn state(i: I18n, row: &UploadRow) -> AnyView {
    let t = i.uploads();
    match &row.state {
        UploadState::Waiting => {
            let preview = row.dataset.as_ref().map(|slug| {
                let address = format!("/admin/uploads/{}?dataset={}", row.id, query_value(slug));
                view! { " "<a href=address>{t.open_preview}</a> }
            });
            view! { <span>{t.waiting}{preview}</span> }.into_any()
        }
        UploadState::Importing { stored, total } => {
            let text = (t.importing)(*stored, *total);
            view! {
                <div class="so-far">
                    <Progress value=*stored max=*total label=i.admin().outputs/>
                    <span class="so-far-figures">{text}</span>
                </div>
            }
            .into_any()
        }
        UploadState::Imported { submission, model } => view! {
            <span>{t.imported}" "<a href=format!("/admin/submissions/{submission}")>{model.clone()}</a></span>
        }
        .into_any(),
    }
}
