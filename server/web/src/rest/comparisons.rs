//! Comparisons of a dataset's models, and their exports.

use axum::{
    Json,
    body::Body,
    extract::State,
    http::{StatusCode, header},
    response::IntoResponse,
};
use model::{
    caller::Admin,
    comparison::{ComparedTask, ComparisonView, Selection, TaskFilter, TaskLine},
    error::AppError,
    ids::TaskId,
    lang::Lang,
    ratings_import::{RatingsKind, RatingsPreview},
    slices::{SliceBy, Slices},
};
use port::Comparisons;
use serde::Deserialize;
use utoipa::IntoParams;

use super::{
    JsonResult,
    input::{PathParams, QueryParams, receive},
    paging::{Page, Paging},
    problem::Problem,
};
use crate::{download, session::Authorized, state::AppState};
use formats::ratings::Mapping;
use report::{figures::RenderOptions, tables::Print};
use services::{
    comparisons::{export::File, figure_files::Kind},
    ratings_import::File as RatingsFile,
};

/// Selection of a comparison, in the format of the comparison page's address.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
#[allow(dead_code, reason = "it is read by the API's document; the page's own reader reads the address")]
pub struct ComparisonQuery {
    /// IDs of the models, separated by commas, in display order; default: all.
    #[param(pattern = "^(none|[0-9]+(,[0-9]+)*)$")]
    models: Option<String>,
    /// IDs of the studies whose ratings count, all with one rubric; `none` for none.
    #[param(pattern = "^(none|[0-9]+(,[0-9]+)*)$")]
    studies: Option<String>,
    /// IDs of the runs whose verdicts count, at most one per model; `none` for none.
    #[param(pattern = "^(none|[0-9]+(,[0-9]+)*)$")]
    runs: Option<String>,
    /// Only ratings by these people.
    #[param(pattern = "^(none|[0-9]+(,[0-9]+)*)$")]
    raters: Option<String>,
    /// Only tasks in this description language.
    nl_lang: Option<Lang>,
    /// `raw` (all ratings) or `final` (adjudicated scores where they exist).
    #[param(pattern = "^(raw|final)$")]
    scores: Option<String>,
}

/// Filter of tasks.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
#[allow(dead_code, reason = "as above")]
pub struct Filtered {
    /// Text contained in the task's ID or description.
    q: Option<String>,
    /// The description's language.
    task_nl_lang: Option<Lang>,
    /// ID of the model to which `score` and `verdict` apply; any model if absent.
    model: Option<i64>,
    /// A dimension's key, a dot and a score that a rater gave: `correctness.4`.
    score: Option<String>,
    /// A verdict of any output, such as `passed` or `compile_error`.
    verdict: Option<String>,
    /// Tasks with two ratings of one output that differ by at least this much.
    spread: Option<u8>,
    /// `1`: tasks whose verdicts or mean scores differ between the models.
    differ: Option<String>,
    /// `spread`, `gap` or `difference`; or a model's ID, a dot and a dimension's key or `tests`, for the tasks with that
    /// model's highest values first; default: the dataset's order.
    sort: Option<String>,
    /// `reverse`: the lowest values of a model first.
    order: Option<String>,
    /// Start of the page: the value of `next` from the previous page. Absent for the first page.
    #[param(minimum = 0)]
    cursor: Option<u32>,
}

type Pairs = Vec<(String, String)>;

/// The selection in an address. Pages ignore what they cannot parse, so that old links work; the API reports
/// it.
fn selection(dataset: &str, query: &Pairs) -> Result<Selection, AppError> {
    let all = |key: &str| query.iter().filter(|(k, _)| k == key).map(|(_, v)| v.clone()).collect::<Vec<_>>();
    for key in ["models", "studies", "runs", "raters"] {
        for word in all(key).iter().flat_map(|value| value.split(',')).filter(|word| !word.is_empty()) {
            if word != "none" && word.parse::<i64>().is_err() {
                let what = format!("\"{word}\" is not a number");
                return Err(AppError::invalid(key, what, "Use comma-separated numbers, or none"));
            }
        }
    }
    if all("nl_lang").iter().any(|word| word.parse::<Lang>().is_err()) {
        return Err(AppError::invalid("nl_lang", "unknown language", "Use en or zh"));
    }
    if all("scores").iter().any(|word| !matches!(word.as_str(), "raw" | "final")) {
        return Err(AppError::invalid("scores", "unknown value", "Use raw or final"));
    }
    Ok(Selection::read(dataset, all))
}

fn filter(query: &Pairs) -> TaskFilter {
    let last = |key: &str| query.iter().rev().find(|(k, _)| k == key).map(|(_, v)| v.clone()).unwrap_or_default();
    TaskFilter::read(|key| if key == "page" { last("cursor") } else { last(key) })
}

/// Compare models by human ratings and tests
///
/// Returns every figure of the comparison page: means with intervals, differences and their tests,
/// agreement, pass@k and AvgPassRatio, and the agreement of tests and people. docs/statistics.md has the
/// formulas. The response's `selection` is fully resolved: it selects the same data later.
#[utoipa::path(get, path = "/comparisons/{slug}", tag = "Comparisons", security(("token" = ["read"])),
    params(("slug" = String, Path, description = "Short name of the dataset"), ComparisonQuery),
    responses((status = 200, description = "The figures", body = ComparisonView)))]
pub async fn compare_models(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(slug): PathParams<String>,
    QueryParams(query): QueryParams<Pairs>,
) -> JsonResult<ComparisonView> {
    Ok(Json(state.services.comparisons.get(&admin, selection(&slug, &query)?).await?))
}

/// Slice a comparison by an attribute of its tasks
///
/// Every model's mean scores and pass@1 over the tasks that have the attribute in common, with the number of tasks and a 95%
/// interval, which a slice of fewer than five tasks does not have. By difficulty, the slice of a task is decided by the other
/// models, so each model has its own tasks in a slice. While `computing` is true, there are no figures yet.
#[utoipa::path(get, path = "/comparisons/{slug}/slices", tag = "Comparisons", security(("token" = ["read"])),
    params(("slug" = String, Path, description = "Short name of the dataset"),
        ("by" = SliceBy, Query, description = "Attribute of the tasks"), ComparisonQuery),
    responses((status = 200, description = "The figures of every slice", body = Slices)))]
pub async fn slice_comparison(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(slug): PathParams<String>,
    QueryParams(query): QueryParams<Pairs>,
) -> JsonResult<Slices> {
    let by = query.iter().rev().find(|(key, _)| key == "by").map_or("", |(_, value)| value.as_str());
    let Some(by) = SliceBy::from_name(by) else {
        let what = format!("unknown attribute \"{by}\"");
        return Err(AppError::invalid("by", what, "Use difficulty, length, code_lang or nl_lang").into());
    };
    Ok(Json(state.services.comparisons.slices(&admin, selection(&slug, &query)?, by).await?))
}

/// List the tasks of a comparison
///
/// A hundred per page, with every model's mean scores and verdict.
#[utoipa::path(get, path = "/comparisons/{slug}/tasks", tag = "Comparisons", security(("token" = ["read"])),
    params(("slug" = String, Path, description = "Short name of the dataset"), ComparisonQuery, Filtered),
    responses((status = 200, description = "Tasks in the requested order", body = Page<TaskLine>)))]
pub async fn list_compared_tasks(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams(slug): PathParams<String>,
    QueryParams(query): QueryParams<Pairs>,
    page: Paging,
) -> JsonResult<Page<TaskLine>> {
    let filter = filter(&query);
    let at = filter.page;
    let found = state.services.comparisons.tasks(&admin, selection(&slug, &query)?, filter).await?;
    let seen = (u64::from(at) + 1) * TaskFilter::PAGE as u64;
    let next = (found.found > seen).then(|| page.address(&(at + 1).to_string()));
    Ok(Json(Page { items: found.lines, next }))
}

/// Get a task with every model's outputs, ratings and verdicts
#[utoipa::path(get, path = "/comparisons/{slug}/tasks/{task}", tag = "Comparisons", security(("token" = ["read"])),
    params(("slug" = String, Path, description = "Short name of the dataset"),
        ("task" = TaskId, Path, description = "ID of the task"), ComparisonQuery),
    responses((status = 200, description = "The task", body = ComparedTask)))]
pub async fn get_compared_task(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams((slug, task)): PathParams<(String, TaskId)>,
    QueryParams(query): QueryParams<Pairs>,
) -> JsonResult<ComparedTask> {
    let filter = filter(&query);
    Ok(Json(state.services.comparisons.task(&admin, selection(&slug, &query)?, filter, task).await?))
}

/// Export a comparison
///
/// `ratings`, `verdicts`, `outputs` and `study-ratings` have one line each and end with `.csv`, `.jsonl` or `.parquet`.
/// Other files are `means.csv`, `pairs.csv`, `slices.csv`, `tables.md`, `tables.tex`, `bundle.zip`, from which `aixgrade report`
/// computes the same figures, and `dataset-folder.zip`, whose folder Python's `datasets.load_dataset` opens. Each table of
/// `tables.md` is also a CSV file with the same decimals: `table-automatic.csv`, `table-published.csv`, `table-manual.csv`,
/// `table-differences.csv`, `table-agreement.csv`.
#[utoipa::path(get, path = "/comparisons/{slug}/files/{file}", tag = "Comparisons", security(("token" = ["read"])),
    params(("slug" = String, Path, description = "Short name of the dataset"),
        ("file" = String, Path, description = "Name of the file"),
        ("words" = Option<Lang>, Query, description = "Language of tables; English where absent"),
        ("score_decimals" = Option<u8>, Query, description = "Decimals of scores in tables, 0 to 6; 2 where absent"),
        ("percent_decimals" = Option<u8>, Query, description = "Decimals of percentages in tables, 0 to 6; 1 where absent"),
        ComparisonQuery),
    responses((status = 200, description = "The file", body = Vec<u8>, content_type = "application/octet-stream")))]
pub async fn comparison_file(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams((slug, name)): PathParams<(String, String)>,
    QueryParams(query): QueryParams<Pairs>,
) -> Result<impl IntoResponse, Problem> {
    let Some(file) = File::of(&name) else {
        let detail = "File not found. docs/api.md lists the files.";
        return Err(Problem::new(StatusCode::NOT_FOUND, detail));
    };
    let service = state.services.comparisons.clone();
    let last = |key: &str| query.iter().rev().find(|(known, _)| known == key).map(|(_, value)| value.clone());
    let print = Print::read(last, Lang::En)?;
    let ready = service.ready(&admin, selection(&slug, &query)?, file, print).await?;
    let download = service.export(ready).await?;
    Ok(download::response(download, file.kind(), None))
}

/// Get a figure of a comparison
///
/// Named as on the comparison's page: `correctness-means.svg`, `tasks-grid.png`. As SVG, PNG (600 pixels per inch) or PDF, as
/// wide as a journal's column (89 mm) or page (183 mm); with `.csv` the data behind it, with `.txt` its caption.
#[utoipa::path(get, path = "/comparisons/{slug}/figures/{file}", tag = "Comparisons",
    security(("token" = ["read"])),
    params(("slug" = String, Path, description = "The dataset's short name"),
        ("file" = String, Path, description = "The picture's name"),
        ("width" = Option<String>, Query, description = "`column` (89 mm, the default) or `page` (183 mm)"),
        ("words" = Option<Lang>, Query, description = "Language of its texts; English where absent"),
        ("theme" = Option<String>, Query, description = "`light` or `dark`"), ComparisonQuery),
    responses((status = 200, description = "The picture", body = Vec<u8>, content_type = "image/svg+xml")))]
pub async fn comparison_figure(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    PathParams((slug, name)): PathParams<(String, String)>,
    QueryParams(query): QueryParams<Pairs>,
) -> Result<impl IntoResponse, Problem> {
    let Some(figure_kind) = Kind::of(&name) else {
        let detail = "Chart not found. The comparison page links to every chart.";
        return Err(Problem::new(StatusCode::NOT_FOUND, detail));
    };
    let last = |key: &str| query.iter().rev().find(|(known, _)| known == key).map(|(_, value)| value.clone());
    let options = RenderOptions::read(last, Lang::En)?;
    let asked = (selection(&slug, &query)?, filter(&query));
    let bytes = state.services.comparisons.figure_file(&admin, asked, figure_kind, options).await?;
    Ok(([(header::CONTENT_TYPE, figure_kind.1.media())], bytes))
}

/// Origin of the ratings.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Origin {
    /// Short name of the dataset whose outputs were rated.
    dataset: String,
    /// Name of the file, used in messages.
    file: String,
    /// People's ratings: title of the closed study to create.
    title: Option<String>,
    /// A judge model's scores: its name. The scores are compared with people's and never mixed with them.
    /// Instead of `title`.
    judge: Option<String>,
    /// Columns with other names: `task_id=Nr,rater=Who`.
    #[serde(default)]
    #[param(required = false)]
    columns: String,
    /// Whether to check the file without importing it.
    #[serde(default)]
    #[param(required = false)]
    dry_run: bool,
}

/// Import ratings
///
/// The body is a CSV file with another tool's ratings or of a judge model's scores (docs/formats.md). Imports
/// everything or nothing; `dry_run=true` lists all problems first.
#[utoipa::path(post, path = "/ratings", tag = "Comparisons", params(Origin), security(("token" = ["write:studies"])),
    request_body(content = Vec<u8>, content_type = "application/octet-stream", description = "The CSV file"),
    responses((status = 200, description = "Content of the file, its problems, and whether it was imported", body = RatingsPreview)))]
pub async fn import_ratings(
    State(state): State<AppState>,
    Authorized(admin): Authorized<Admin>,
    QueryParams(origin): QueryParams<Origin>,
    body: Body,
) -> JsonResult<RatingsPreview> {
    let kind = match (origin.title, origin.judge) {
        (Some(title), None) => RatingsKind::People(title),
        (None, Some(judge)) => RatingsKind::Judge(judge),
        _ => {
            let what = "either the title of a study or the name of a judge model is required";
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
        true => state.services.ratings.preview(&admin, file).await?,
        false => state.services.ratings.import(&admin, file).await?,
    };
    Ok(Json(found))
}
