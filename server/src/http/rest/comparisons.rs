//! Comparisons of a dataset's models, and what there is to take away of them.

use app::{
    error::AppError,
    model::{
        compare::{Choice, Compared, TaskCompared, TaskFilter, TaskLine},
        ids::TaskId,
        lang::Lang,
        ratings_import::{RatingsKind, RatingsPreview},
    },
    port::Comparisons,
};
use axum::{
    Extension, Json,
    body::Body,
    extract::State,
    http::{StatusCode, header},
    response::IntoResponse,
};
use serde::Deserialize;
use utoipa::IntoParams;

use super::{
    Out, Who,
    input::{Asked, At, receive},
    paging::{Page, Paging},
    problem::Problem,
};
use crate::{
    formats::ratings::Mapping,
    http::download,
    report::figures::Theme,
    services::{
        comparisons::{export::File, pictures::Kind},
        ratings_import::File as RatingsFile,
    },
    state::AppState,
};

/// What is compared. It is written as in the address of the comparison's page.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
#[allow(dead_code, reason = "it is read by the API's document; the page's own reader reads the address")]
pub struct Chosen {
    /// The models' numbers with commas between, in the order in which they are to come; every one where absent.
    #[param(pattern = "^(none|[0-9]+(,[0-9]+)*)$")]
    models: Option<String>,
    /// Studies whose ratings count, all of one rubric; `none` for none.
    #[param(pattern = "^(none|[0-9]+(,[0-9]+)*)$")]
    studies: Option<String>,
    /// Runs whose verdicts count, at most one a model; `none` for none.
    #[param(pattern = "^(none|[0-9]+(,[0-9]+)*)$")]
    runs: Option<String>,
    /// Only ratings by these people.
    #[param(pattern = "^(none|[0-9]+(,[0-9]+)*)$")]
    raters: Option<String>,
    /// Only tasks in this language.
    lang: Option<Lang>,
    /// `raw` (every rating) or `final` (the adjudicator's say where there is one).
    #[param(pattern = "^(raw|final)$")]
    scores: Option<String>,
}

/// Which tasks.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
#[allow(dead_code, reason = "as above")]
pub struct Filtered {
    /// Words of the task's id or description.
    q: Option<String>,
    /// The description's language.
    tasklang: Option<Lang>,
    /// The model that `score` and `verdict` are about; any where absent.
    model: Option<i64>,
    /// A dimension's key, a dot and a score that somebody gave: `correctness.4`.
    score: Option<String>,
    /// A verdict of some output, such as `passed` or `compile_error`.
    verdict: Option<String>,
    /// Tasks where two ratings of one output lie at least so far apart.
    spread: Option<u8>,
    /// `1`: tasks where verdicts or mean scores differ between the models.
    differ: Option<String>,
    /// `spread`, `gap` or `apart`; the dataset's order where absent.
    sort: Option<String>,
    /// Where the page begins: what the page before gave in `next`. Absent for the first.
    #[param(minimum = 0)]
    cursor: Option<u32>,
}

type Pairs = Vec<(String, String)>;

/// The choice that an address makes. Pages pass over what they cannot read, so that old links open; a
/// program is told.
fn choice(dataset: &str, query: &Pairs) -> Result<Choice, AppError> {
    let all = |key: &str| query.iter().filter(|(k, _)| k == key).map(|(_, v)| v.clone()).collect::<Vec<_>>();
    for key in ["models", "studies", "runs", "raters"] {
        for word in all(key).iter().flat_map(|value| value.split(',')).filter(|word| !word.is_empty()) {
            if word != "none" && word.parse::<i64>().is_err() {
                let what = format!("\"{word}\" is not a number");
                return Err(AppError::invalid(key, what, "Use comma-separated numbers, or none"));
            }
        }
    }
    if all("lang").iter().any(|word| word.parse::<Lang>().is_err()) {
        return Err(AppError::invalid("lang", "unknown language", "Use en or zh"));
    }
    if all("scores").iter().any(|word| !matches!(word.as_str(), "raw" | "final")) {
        return Err(AppError::invalid("scores", "unknown kind of scores", "Use raw or final"));
    }
    Ok(Choice::read(dataset, all))
}

fn filter(query: &Pairs) -> TaskFilter {
    let last = |key: &str| query.iter().rev().find(|(k, _)| k == key).map(|(_, v)| v.clone()).unwrap_or_default();
    TaskFilter::read(|key| if key == "page" { last("cursor") } else { last(key) })
}

/// Models compared, by people and by tests
///
/// Every figure of the comparison's page: means with intervals, differences and their tests, agreement,
/// pass@k and AvgPassRatio, and how far tests and people agree. docs/statistics.md has the formulas. The
/// answer's `choice` leaves nothing to a default: with it, the same is compared tomorrow.
#[utoipa::path(get, path = "/comparisons/{slug}", tag = "comparisons", security(("token" = ["read"])),
    params(("slug" = String, Path, description = "The dataset's short name"), Chosen),
    responses((status = 200, description = "The figures", body = Compared)))]
pub async fn compare_models(
    State(state): State<AppState>,
    Extension(who): Who,
    At(slug): At<String>,
    Asked(query): Asked<Pairs>,
) -> Out<Compared> {
    Ok(Json(state.services.comparisons.get(&who, choice(&slug, &query)?).await?))
}

/// The tasks behind a comparison
///
/// A hundred a page, with every model's mean scores and verdict.
#[utoipa::path(get, path = "/comparisons/{slug}/tasks", tag = "comparisons", security(("token" = ["read"])),
    params(("slug" = String, Path, description = "The dataset's short name"), Chosen, Filtered),
    responses((status = 200, description = "In the order asked for", body = Page<TaskLine>)))]
pub async fn list_compared_tasks(
    State(state): State<AppState>,
    Extension(who): Who,
    At(slug): At<String>,
    Asked(query): Asked<Pairs>,
    page: Paging,
) -> Out<Page<TaskLine>> {
    let filter = filter(&query);
    let at = filter.page;
    let found = state.services.comparisons.tasks(&who, choice(&slug, &query)?, filter).await?;
    let seen = (u64::from(at) + 1) * TaskFilter::PAGE as u64;
    let next = (found.found > seen).then(|| page.address(&(at + 1).to_string()));
    Ok(Json(Page { items: found.lines, next }))
}

/// One task with every model's outputs, ratings and verdicts
#[utoipa::path(get, path = "/comparisons/{slug}/tasks/{task}", tag = "comparisons", security(("token" = ["read"])),
    params(("slug" = String, Path, description = "The dataset's short name"),
        ("task" = TaskId, Path, description = "The task"), Chosen),
    responses((status = 200, description = "The task", body = TaskCompared)))]
pub async fn get_compared_task(
    State(state): State<AppState>,
    Extension(who): Who,
    At((slug, task)): At<(String, TaskId)>,
    Asked(query): Asked<Pairs>,
) -> Out<TaskCompared> {
    let filter = filter(&query);
    Ok(Json(state.services.comparisons.task(&who, choice(&slug, &query)?, filter, task).await?))
}

/// Take a comparison away
///
/// `ratings.csv`, `ratings.jsonl`, `verdicts.csv`, `verdicts.jsonl` (a line each), `tables.md`,
/// `tables.tex`, or `bundle.zip`, from which `aixgrade report` prints the same figures.
#[utoipa::path(get, path = "/comparisons/{slug}/files/{file}", tag = "comparisons", security(("token" = ["read"])),
    params(("slug" = String, Path, description = "The dataset's short name"),
        ("file" = String, Path, description = "The file's name"), Chosen),
    responses((status = 200, description = "The file", body = Vec<u8>, content_type = "application/octet-stream")))]
pub async fn comparison_file(
    State(state): State<AppState>,
    Extension(who): Who,
    At((slug, name)): At<(String, String)>,
    Asked(query): Asked<Pairs>,
) -> Result<impl IntoResponse, Problem> {
    let Some(file) = File::of(&name) else {
        let detail = "There is no such file; docs/api.md lists those that there are.";
        return Err(Problem::new(StatusCode::NOT_FOUND, detail));
    };
    let service = state.services.comparisons.clone();
    let ready = service.ready(&who, choice(&slug, &query)?, file, Lang::En).await?;
    let download = service.export(ready).await?;
    Ok(download::response(download, file.kind(), None))
}

/// A picture of a comparison
///
/// Named as on the comparison's page, as SVG or PNG: `means-0.svg`, `tasks-grid.png`. With `theme=dark` on a
/// dark ground.
#[utoipa::path(get, path = "/comparisons/{slug}/pictures/{file}", tag = "comparisons",
    security(("token" = ["read"])),
    params(("slug" = String, Path, description = "The dataset's short name"),
        ("file" = String, Path, description = "The picture's name"),
        ("theme" = Option<String>, Query, description = "`light` or `dark`"), Chosen),
    responses((status = 200, description = "The picture", body = Vec<u8>, content_type = "image/svg+xml")))]
pub async fn comparison_picture(
    State(state): State<AppState>,
    Extension(who): Who,
    At((slug, name)): At<(String, String)>,
    Asked(query): Asked<Pairs>,
) -> Result<impl IntoResponse, Problem> {
    let Some(picture) = Kind::of(&name) else {
        let detail = "There is no such picture; take the names from the comparison's page.";
        return Err(Problem::new(StatusCode::NOT_FOUND, detail));
    };
    let theme = query.iter().rev().find(|(key, _)| key == "theme").and_then(|(_, name)| Theme::named(name));
    let asked = (choice(&slug, &query)?, filter(&query));
    let (media, theme) = (picture.1.media(), theme.unwrap_or_default());
    let bytes = state.services.comparisons.picture(&who, asked, picture, (theme, Lang::En)).await?;
    Ok(([(header::CONTENT_TYPE, media)], bytes))
}

/// Where ratings come from.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Origin {
    /// The short name of the dataset whose outputs were rated.
    dataset: String,
    /// The file's name, for messages.
    file: String,
    /// People's ratings: the title of the closed study that they become.
    title: Option<String>,
    /// A judge model's scores, under this name: compared with people, never mixed in. Instead of `title`.
    judge: Option<String>,
    /// Which column holds what, where it has another name: `task_id=Nr,rater=Who`.
    #[serde(default)]
    #[param(required = false)]
    columns: String,
    /// Whether to say only what the file holds, and to take nothing.
    #[serde(default)]
    #[param(required = false)]
    dry_run: bool,
}

/// Import ratings
///
/// The body is a CSV of another tool's ratings or of a judge model's scores (docs/formats.md). All of it is
/// taken or nothing; try it with `dry_run=true` first, which names everything that is wrong.
#[utoipa::path(post, path = "/ratings", tag = "comparisons", params(Origin), security(("token" = ["write:studies"])),
    request_body(content = Vec<u8>, content_type = "application/octet-stream", description = "The CSV"),
    responses((status = 200, description = "What it holds, and whether it was taken", body = RatingsPreview)))]
pub async fn import_ratings(
    State(state): State<AppState>,
    Extension(who): Who,
    Asked(origin): Asked<Origin>,
    body: Body,
) -> Out<RatingsPreview> {
    let kind = match (origin.title, origin.judge) {
        (Some(title), None) => RatingsKind::People(title),
        (None, Some(judge)) => RatingsKind::Judge(judge),
        _ => {
            let what = "either the title of a study or the name of a judge is needed";
            return Err(AppError::invalid("title", what, "Pass title or judge").into());
        }
    };
    let mut mapping = Mapping::new();
    for pair in origin.columns.split(',').filter(|pair| !pair.trim().is_empty()) {
        let Some((ours, theirs)) = pair.split_once('=') else {
            let what = format!("\"{pair}\" does not map a column");
            return Err(AppError::invalid("columns", what, "Use OURS=THEIRS, separated by commas").into());
        };
        mapping.insert(ours.trim().to_owned(), theirs.trim().to_owned());
    }
    let held = receive(&state, &origin.file, body).await?.hold().await?;
    let content = Box::new(held.open()?);
    let file = RatingsFile { dataset: origin.dataset, kind, name: origin.file, content, mapping };
    let found = match origin.dry_run {
        true => state.services.ratings.preview(&who, file).await?,
        false => state.services.ratings.take(&who, file).await?,
    };
    Ok(Json(found))
}
