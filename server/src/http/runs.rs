//! A run's progress as a stream, and its results as files.

use std::{convert::Infallible, time::Duration};

use app::{
    model::{ids::RunId, run::RunStatus},
    port::{Caller, Runs as _},
};
use axum::{
    Extension,
    extract::{Path, Query, State},
    response::{
        IntoResponse,
        sse::{Event, Sse},
    },
};
use futures::{Stream, stream};
use serde::Deserialize;

use super::{download, errors::HttpError};
use crate::{report, state::AppState};

/// How often the browser hears of a run.
const BEAT: Duration = Duration::from_millis(500);

/// Events in one stream. The last is named `more`: the browser asks again, and knows that nothing is
/// wrong. A server that is told to stop waits for open streams, and ten seconds are long enough for that.
const BEATS: u32 = 20;

/// The media type of CSV files.
const CSV: &str = "text/csv; charset=utf-8";

/// `GET /admin/runs/{id}/progress`: server-sent events, each a `RunProgress` as JSON; the last one of
/// the stream is named `more`, or `end` when the run is at its end.
pub async fn progress(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<i64>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, HttpError> {
    let runs = state.services.runs.clone();
    // Who may not, or asks for nothing that is there, hears so by the status.
    runs.progress(&caller, RunId(id)).await?;
    let events = stream::unfold(Some(0), move |beat| {
        let (runs, caller) = (runs.clone(), caller.clone());
        async move {
            let beat = beat.filter(|beat| *beat < BEATS)?;
            if beat > 0 {
                tokio::time::sleep(BEAT).await;
            }
            let progress = runs.progress(&caller, RunId(id)).await.ok()?;
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
    Extension(caller): Extension<Caller>,
    Path(id): Path<i64>,
) -> Result<impl IntoResponse, HttpError> {
    let detail = state.services.runs.get(&caller, RunId(id)).await?;
    let download = state.services.spool.write(move |out| report::runs::csv(&detail, out).map(|()| 0)).await?;
    Ok(download::response(download, CSV, Some(format!("run-{id}.csv"))))
}

/// `GET /admin/runs/{id}/results.jsonl`
pub async fn json_lines(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<i64>,
) -> Result<impl IntoResponse, HttpError> {
    let detail = state.services.runs.get(&caller, RunId(id)).await?;
    let download = state.services.spool.write(move |out| report::runs::json_lines(&detail, out).map(|()| 0)).await?;
    Ok(download::response(download, "application/jsonl", Some(format!("run-{id}.jsonl"))))
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
    Extension(caller): Extension<Caller>,
    Query(Pair { a, b }): Query<Pair>,
) -> Result<impl IntoResponse, HttpError> {
    let pair = state.services.runs.compare(&caller, RunId(a), RunId(b), None).await?;
    let download = state.services.spool.write(move |out| report::runs::pair_csv(&pair, out).map(|()| 0)).await?;
    Ok(download::response(download, CSV, Some(format!("runs-{a}-{b}.csv"))))
}
