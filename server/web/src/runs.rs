//! A run's progress as a stream, and its results as files.

use std::{convert::Infallible, time::Duration};

use axum::{
    extract::{Path, Query, State},
    response::{
        IntoResponse,
        sse::{Event, Sse},
    },
};
use futures::{Stream, stream};
use model::{caller::Admin, ids::RunId, run::RunStatus};
use port::Runs as _;
use serde::Deserialize;

use super::{download, errors::HttpError, session::Authorized};
use crate::state::AppState;
use base::error::Failure;
use report::table::Form;
use services::spool::Download;

/// Interval between progress events.
const BEAT: Duration = Duration::from_millis(500);

/// Events per stream. The last one is named `more`, upon which the browser asks again. A server that stops
/// waits for open streams, and ten seconds are long enough for that.
const BEATS: u32 = 20;

/// The media type of CSV files.
const CSV: &str = "text/csv; charset=utf-8";

/// `GET /admin/runs/{id}/progress`: server-sent events, each a `RunProgress` as JSON; the last one of the
/// stream is named `more`, or `end` if the run has ended.
pub async fn progress(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    Path(id): Path<i64>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, HttpError> {
    let runs = state.services.runs.clone();
    // Forbidden and missing runs are reported by the status.
    runs.progress(&admin, RunId(id)).await?;
    let events = stream::unfold(Some(0), move |beat| {
        let (runs, admin) = (runs.clone(), admin.clone());
        async move {
            let beat = beat.filter(|beat| *beat < BEATS)?;
            if beat > 0 {
                tokio::time::sleep(BEAT).await;
            }
            let progress = runs.progress(&admin, RunId(id)).await.ok()?;
            let status = progress.status;
            let event = Event::default().retry(BEAT).json_data(progress).ok()?;
            match status {
                RunStatus::Running if beat + 1 == BEATS => Some((Ok(event.event("more")), None)),
                RunStatus::Running => Some((Ok(event), Some(beat + 1))),
                _ => Some((Ok(event.event("end")), None)),
            }
        }
    });
    Ok(Sse::new(events))
}

/// `GET /admin/runs/{id}/results.csv`
pub async fn csv(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    Path(id): Path<i64>,
) -> Result<impl IntoResponse, HttpError> {
    results_page(&state, admin, id, Form::Csv).await
}

/// `GET /admin/runs/{id}/results.jsonl`
pub async fn json_lines(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    Path(id): Path<i64>,
) -> Result<impl IntoResponse, HttpError> {
    results_page(&state, admin, id, Form::JsonLines).await
}

/// `GET /admin/runs/{id}/results.parquet`
pub async fn parquet(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    Path(id): Path<i64>,
) -> Result<impl IntoResponse, HttpError> {
    results_page(&state, admin, id, Form::Parquet).await
}

async fn results_page(
    state: &AppState,
    admin: Admin,
    id: i64,
    form: Form,
) -> Result<impl IntoResponse + use<>, HttpError> {
    let download = results(state, admin, RunId(id), form).await?;
    Ok(download::response(download, form.media(), Some(format!("run-{id}.{}", form.ending()))))
}

/// `GET /admin/languages.csv`: every model's newest run in each language of HumanEval-X.
pub async fn languages_csv(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
) -> Result<impl IntoResponse, HttpError> {
    let results = state.services.runs.languages(&admin).await?;
    let download = state.services.spool.write(move |out| report::languages::csv(&results, out)).await?;
    Ok(download::response(download, CSV, Some("languages.csv".to_owned())))
}

/// `GET /admin/conversations.csv`: every model's figures in CodeIF-Bench.
pub async fn conversations_csv(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
) -> Result<impl IntoResponse, HttpError> {
    let results = state.services.runs.conversations(&admin).await?;
    let download = state.services.spool.write(move |out| report::conversations::csv(&results, out)).await?;
    Ok(download::response(download, CSV, Some("conversations.csv".to_owned())))
}

/// The two runs of a comparison.
#[derive(Deserialize)]
pub struct Pair {
    a: i64,
    b: i64,
}

/// `GET /admin/runs/compare.csv?a=&b=`
pub async fn pair_csv(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    Query(Pair { a, b }): Query<Pair>,
) -> Result<impl IntoResponse, HttpError> {
    let pair = state.services.runs.compare(&admin, RunId(a), RunId(b), None).await?;
    let download = state.services.spool.write(move |out| report::runs::pair_csv(&pair, out).map(|()| 0)).await?;
    Ok(download::response(download, CSV, Some(format!("runs-{a}-{b}.csv"))))
}

/// Writes a run's outputs and figures.
pub async fn results(state: &AppState, admin: Admin, id: RunId, form: Form) -> Result<Download, Failure> {
    let runs = state.services.runs.clone();
    state.services.spool.write(move |out| runs.write_results(&admin, id, form, |_| true, out)).await
}
