//! The leaderboard and a model's page: the same figures as comparisons, nothing computed twice, nothing invented for
//! models without data.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;

use axum::http::{Method, StatusCode};
use db::uploads::Purpose;
use model::{
    api::Scope,
    caller::System,
    comparison::{ComparisonView, CountedScores, Selection},
    ids::ModelId,
    results::{Board, BoardQuery, DatasetPage, ModelResults},
    submission::{InvalidLines, Matching},
};
use port::{Comparisons, Results, Submissions};

use crate::{comparisons::filled, fill, util::TestApp};

async fn board(app: &TestApp, query: BoardQuery) -> Board {
    app.services.results.board(&System.admin(), query).await.unwrap()
}

async fn compared(app: &TestApp) -> ComparisonView {
    let selection = Selection { dataset: "starter".into(), scores: CountedScores::Final, ..Selection::default() };
    app.services.comparisons.get(&System.admin(), selection).await.unwrap()
}

/// Adds a model that nobody has rated or run.
async fn unrated(app: &TestApp, model: &str) {
    let mut incoming = app.services.uploads.begin("unrated.jsonl").await.unwrap();
    incoming.write(br#"{"task_id":"S01","code":"int one() { return 1; }"}"#).await.unwrap();
    let file = incoming.finish().await.unwrap();
    let upload = app.services.submissions.note_upload(&System.admin(), file, Purpose::outputs(None)).await.unwrap();
    app.services
        .submissions
        .import(&System.admin(), upload, "starter", Matching::TaskId, model, InvalidLines::Refuse)
        .await
        .unwrap();
}

#[tokio::test]
async fn leaderboard_has_the_comparisons_figures() {
    let app = filled().await;
    let found = board(&app, BoardQuery::default()).await;
    let (shown, figures) = (&found.datasets[0], compared(&app).await.figures);
    let (human, automated) = (figures.human.unwrap(), figures.automated.unwrap());
    assert_eq!(shown.dimensions.len(), human.comparison.rubric.dimensions.len());
    assert_eq!((found.rows.len(), found.models, shown.without_ratings, shown.without_runs), (3, 3, 0, 0));
    for row in &found.rows {
        let at = figures.models.iter().position(|name| *name == row.name).unwrap();
        let people = row.results[0].people.as_ref().unwrap();
        let scores = &human.comparison.models[at];
        let means: Vec<_> = people.values.iter().map(|v| v.unwrap().value).collect();
        assert_eq!(means, scores.dimensions.iter().map(|d| d.mean.unwrap()).collect::<Vec<_>>());
        assert!(people.values.iter().zip(&scores.dimensions).all(|(v, d)| v.unwrap().interval == d.interval));
        assert_eq!((people.tasks, people.ratings), (scores.tasks, scores.ratings));
        let (tests, checked) = (row.results[0].tests.as_ref().unwrap(), automated.models[at].as_ref().unwrap());
        assert_eq!(tests.values[0].unwrap().value, checked.metrics.pass_at_1);
        assert_eq!((tests.values[0].unwrap().interval, tests.run), (checked.pass_interval, checked.run));
        assert!(people.at.is_some() && tests.at.is_some());
    }
    // Highest first, by the first column.
    let first: Vec<f64> =
        found.rows.iter().map(|r| r.results[0].people.as_ref().unwrap().values[0].unwrap().value).collect();
    assert!(first.is_sorted_by(|a, b| a >= b), "{first:?}");

    // Looking again computes nothing.
    let before = app.services.comparisons.computations();
    assert_eq!(board(&app, BoardQuery::default()).await, found);
    assert_eq!(app.services.comparisons.computations(), before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn figures_of_many_datasets_are_computed_once_while_nobody_waits() {
    let app = TestApp::demo().await;
    // A thousand ratings each: one request waits for some of them, not for all.
    let size = fill::Size { datasets: 6, raters: 10, studies: 60, runs: 1, models: 2, tasks: 10 };
    app.services.db.write_blocking(|tx| fill::fill(tx, &size)).unwrap();
    let first = board(&app, BoardQuery::default()).await;
    let computing = |board: &Board| board.datasets.iter().filter(|dataset| dataset.computing).count();
    assert!((1..size.datasets as usize).contains(&computing(&first)), "{} are computed later", computing(&first));
    let mut last = first;
    while computing(&last) > 0 {
        tokio::task::yield_now().await;
        last = board(&app, BoardQuery::default()).await;
    }
    let rated = |row: &model::results::BoardRow| row.results.iter().filter(|found| found.people.is_some()).count();
    assert!(last.rows.iter().any(|row| rated(row) == size.datasets as usize), "{:?}", last.rows);
    assert!(app.services.comparisons.computations() <= last.datasets.len() as u64, "none is computed twice");
}

#[tokio::test]
async fn model_without_data_has_none_and_is_counted() {
    let app = filled().await;
    unrated(&app, "Newcomer").await;
    let found = board(&app, BoardQuery::default()).await;
    assert_eq!(
        (found.empty[0].name.as_str(), found.datasets[0].without_ratings, found.datasets[0].without_runs),
        ("Newcomer", 1, 1)
    );
    assert_eq!((found.rows.len(), found.found, found.found_empty, found.models), (3, 3, 1, 4));
    assert_eq!(found.rows.iter().map(|row| row.rank).collect::<Vec<_>>(), [Some(1), Some(2), Some(3)]);
    // Not compared by default, but counted; chosen by hand, it is.
    let whole = compared(&app).await;
    assert_eq!((whole.figures.models.len(), whole.options.models.len(), whole.options.empty.len()), (3, 4, 1));

    let mut admin = app.admin().await;
    let page = admin.get("/admin/results").await;
    assert!(
        page.body.contains("1 model has no ratings yet.") && page.body.contains("1 model without results"),
        "{}",
        page.body
    );
    assert!(admin.get("/admin/compare/starter").await.body.contains("left out: 1."));
    let csv = admin.get("/admin/results.csv").await.body;
    assert_eq!(csv.lines().count(), 1 + 3 * 4, "{csv}");
    assert!(!csv.contains("Newcomer"));
    assert_eq!(admin.get("/admin/results?dataset=none").await.status, StatusCode::NOT_FOUND);
    assert!(
        admin.get("/admin/results?sort=starter.pass@1&order=reverse").await.body.contains(r#"aria-sort="ascending""#)
    );
    assert!(admin.get("/admin/results/datasets/starter").await.body.contains("/admin/compare/starter/tasks/"));
}

#[tokio::test]
async fn model_stands_against_its_baseline() {
    let app = filled().await;
    let whole = compared(&app).await;
    let ids: Vec<ModelId> = whole.selection.models.clone().unwrap();
    let found = app.services.results.model(&System.admin(), ids[2], Some(ids[0]), String::new()).await.unwrap();
    let (human, automated) = (whole.figures.human.unwrap(), whole.figures.automated.unwrap());
    let on = &found.datasets[0];
    assert_eq!(found.baseline.as_ref().map(|(id, _)| *id), Some(ids[0]));
    for (d, versus) in on.differences.iter().take(on.dataset.dimensions.len()).enumerate() {
        let rows = human.comparison.differences.iter().enumerate();
        let (at, x) = rows.into_iter().find(|(_, x)| (x.dimension, x.first, x.second) == (d, 0, 2)).unwrap();
        // The comparison has it the other way round.
        let (versus, interval) = (versus.unwrap(), x.interval.unwrap());
        assert_eq!(versus.difference.value, -x.mean.unwrap());
        let own = versus.difference.interval.unwrap();
        assert_eq!((own.low, own.high, versus.p), (-interval.high, -interval.low, human.holm[at]));
    }
    let pair = automated.pairs.iter().find(|x| (x.first, x.second) == (0, 2)).unwrap();
    assert_eq!(on.differences.last().unwrap().unwrap().difference.value, -pair.pass + 0.0);
    assert_eq!((on.submissions.len(), on.history.len(), on.older_runs), (1, 1, 0));
    assert_eq!(on.history[0].pass.unwrap().value, automated.models[2].as_ref().unwrap().metrics.pass_at_1);
    assert_eq!(on.history[0].versus.unwrap().difference.value, -pair.pass + 0.0);
    // A model is no baseline of its own, and an unknown one is not found.
    let own = app.services.results.model(&System.admin(), ids[2], Some(ids[2]), String::new()).await.unwrap();
    assert!(own.baseline.is_none() && own.datasets[0].differences.is_empty());
    assert!(app.services.results.model(&System.admin(), ModelId(999), None, String::new()).await.is_err());
}

#[tokio::test]
async fn datasets_are_shown_a_page_at_a_time() {
    let app = TestApp::demo().await;
    let size = fill::Size { datasets: 43, raters: 10, studies: 1, runs: 1, models: 2, tasks: 2 };
    app.services.db.write_blocking(|tx| fill::fill(tx, &size)).unwrap();
    let count = size.datasets as usize + 1;
    let all = board(&app, BoardQuery::default()).await.all_datasets;
    assert_eq!(all.len(), count, "the invented datasets and the demo's");

    let (mut after, mut shown, mut pages) = (String::new(), Vec::new(), 0);
    loop {
        let page = board(&app, BoardQuery { after, ..BoardQuery::default() }).await;
        assert!(page.rows.iter().all(|row| row.results.len() == page.datasets.len()));
        assert_eq!((page.page.before as usize, page.page.all as usize), (shown.len(), count));
        shown.extend(page.datasets.iter().map(|dataset| dataset.slug.clone()));
        pages += 1;
        let Some(next) = page.page.next else { break };
        after = next;
    }
    assert_eq!(pages, count.div_ceil(DatasetPage::SIZE));
    assert!(shown.iter().eq(all.iter().map(|(slug, _)| slug)));

    // A model's datasets, by the API; the demo's dataset has none of its outputs.
    let model =
        board(&app, BoardQuery::default()).await.rows.into_iter().find(|row| row.results[0].outputs).unwrap().model;
    let (token, mut client) = (app.token(&[Scope::Read]).await, app.anonymous());
    let (mut path, mut found) = (format!("/api/v1/results/models/{model}"), Vec::new());
    loop {
        let page: ModelResults = client.api(&token, Method::GET, &path, None).await.json();
        assert!(page.datasets.iter().all(|of| of.own.outputs && of.submissions.len() == 1));
        assert_eq!(page.others.len(), size.models as usize - 1, "of all datasets, on each page");
        found.extend(page.datasets.into_iter().map(|of| of.dataset.slug));
        let Some(next) = page.page.next else { break };
        path = format!("/api/v1/results/models/{model}?after={next}");
    }
    assert_eq!(found.len(), size.datasets as usize);
    assert!(found.is_sorted() && shown.iter().filter(|slug| found.contains(slug)).eq(&found));

    let mut admin = app.admin().await;
    let body = admin.get("/admin/results").await.body;
    assert!(body.contains("Datasets 1 to 20 of 44") && !body.contains("Previous page"), "{body}");
    let last = admin.get(&format!("/admin/results/models/{model}?after={}", found[39])).await.body;
    assert!(last.contains("Datasets 41 to 43 of 43") && last.contains(&format!("after={}", found[19])), "{last}");
    // The file has the figures of all pages.
    let csv = admin.get("/admin/results.csv").await.body;
    let datasets: BTreeSet<&str> = csv.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    assert!(datasets.len() > DatasetPage::SIZE, "{datasets:?}");
}
