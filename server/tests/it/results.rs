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
    results::{Board, BoardQuery, BoardRow, DatasetPage, ModelResults},
    slices::{BoardSlice, SliceBy, SliceFigure},
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

/// The leaderboard with figures over this slice.
async fn board_of(app: &TestApp, slice: &str) -> Board {
    board(app, BoardQuery { slice: slice.into(), ..BoardQuery::default() }).await
}

#[tokio::test]
async fn leaderboard_of_a_slice_has_the_figures_of_its_tasks_alone() {
    let app = filled().await;
    unrated(&app, "Newcomer").await;
    let selection = || Selection { dataset: "starter".into(), scores: CountedScores::Final, ..Selection::default() };
    // Every task with data is in one slice by language.
    let by_lang = app.services.comparisons.slices(&System.admin(), selection(), SliceBy::NlLang).await.unwrap();
    let all: u64 = by_lang.slices.iter().map(|slice| slice.tasks).sum();
    let mut with_tasks = 0;
    for by in SliceBy::ALL {
        let slices = app.services.comparisons.slices(&System.admin(), selection(), by).await.unwrap();
        for wanted in BoardSlice::of(by) {
            let found = board_of(&app, &wanted.name()).await;
            let (shown, name) = (&found.datasets[0], wanted.name());
            let of = shown.slice.as_ref().unwrap();
            assert_eq!((found.slice.as_str(), of.of_tasks, of.tested), (name.as_str(), all, 3));
            assert_eq!((found.found + found.found_empty, found.models), (4, 4), "{name}");
            let Some(place) = wanted.place(&slices.slices) else {
                assert_eq!((of.of, of.tasks, found.found, found.found_empty), (None, 0, 0, 4), "{name}");
                assert!(shown.dimensions.is_empty() && shown.pass_at.is_empty() && shown.highest.is_empty());
                continue;
            };
            with_tasks += 1;
            assert_eq!((of.of, of.tasks), (Some(slices.slices[place].of), slices.slices[place].tasks), "{name}");
            assert!(found.empty.iter().any(|model| model.name == "Newcomer"), "{name}");
            let keys = shown.dimensions.iter().map(|dimension| dimension.key.clone());
            let keys: Vec<String> = keys.chain(shown.pass_at.iter().map(|k| format!("pass@{k}"))).collect();
            for (metric, figures) in slices.metrics.iter().map(|metric| (metric, &metric.slices[place])) {
                let figure =
                    |row: &BoardRow| figures[slices.models.iter().position(|(id, _)| *id == row.model).unwrap()];
                let values = || figures.iter().filter_map(|figure| figure.value);
                let Some(at) = keys.iter().position(|key| key == metric.key()) else {
                    assert_eq!(values().count(), 0, "{name}: a metric with a value has a column");
                    continue;
                };
                let is_people = metric.dimension.is_some();
                for row in &found.rows {
                    let measured = if is_people { &row.results[0].people } else { &row.results[0].tests };
                    let column = if is_people { at } else { at - shown.dimensions.len() };
                    let own = measured.as_ref().and_then(|of| of.values[column]).map(|of| (of.value, of.interval));
                    let SliceFigure { tasks, value, interval } = figure(row);
                    assert_eq!(own, value.map(|value| (value, interval)), "{name}");
                    assert_eq!(measured.as_ref().map_or(0, |of| of.tasks), tasks, "{name}");
                    assert!(tasks >= 5 || interval.is_none());
                    assert!(measured.as_ref().is_none_or(|of| of.run.is_some() != is_people), "{name}");
                }
                let is_marked = by.is_shared() && values().count() > 1;
                let highest = is_marked.then(|| values().fold(f64::NEG_INFINITY, f64::max));
                assert_eq!(shown.highest[at], highest, "{name}");
                let sort = BoardQuery::column("starter", metric.key());
                let query = BoardQuery { sort: sort.clone(), slice: name.clone(), ..BoardQuery::default() };
                for row in board(&app, query).await.rows {
                    let higher = |own| values().filter(|value| *value > own + 1e-9).count() as u64;
                    let rank = figure(&row).value.filter(|_| by.is_shared()).map(|own| 1 + higher(own));
                    assert_eq!(row.rank, rank, "{name} by {sort}");
                }
            }
        }
    }
    assert!(
        with_tasks >= 8,
        "three by length, one language, two of descriptions, two or more by difficulty: {with_tasks}"
    );

    // Looking again computes nothing.
    let (before, known) = (app.services.comparisons.computations(), board_of(&app, "nl_lang.en").await);
    assert_eq!(board_of(&app, "nl_lang.en").await, known);
    assert_eq!(app.services.comparisons.computations(), before);
    let whole = board(&app, BoardQuery::default()).await;
    assert!(whole.slice.is_empty() && whole.datasets[0].slice.is_none());
    assert!(whole.rows.iter().all(|row| row.rank.is_some()));
}

#[tokio::test]
async fn a_slice_is_in_the_address_in_files_and_in_the_api() {
    let app = filled().await;
    let (token, mut admin) = (app.token(&[Scope::Read]).await, app.admin().await);
    let page = admin.get("/admin/results?slice=length.short&sort=starter.pass@1").await;
    assert_eq!(page.status, StatusCode::OK);
    for text in [
        r#"<option value="length.short" selected"#,
        "Only tasks of this slice",
        "Length of the description · Short description",
        "so the bounds, below its name, are its own",
        "sort=starter.correctness&amp;slice=length.short",
        r#"href="/admin/results.csv?slice=length.short&amp;sort=starter.pass%401""#,
        r#"href="/admin/results?sort=starter.pass%401""#,
        " characters · ",
    ] {
        assert!(page.body.contains(text), "{text}: {}", page.body);
    }
    assert!(page.body.contains("board-value best") && page.body.contains(r#"scope="col" class="num board-rank""#));
    // Models with tasks of their own are not ranked, and the page says why.
    let page = admin.get("/admin/results?slice=difficulty.hard").await.body;
    assert!(
        page.contains("each model has its own tasks in the slice") && page.contains("for at least one model"),
        "{page}"
    );
    assert!(!page.contains("board-value best") && !page.contains(r#"class="num board-rank""#), "{page}");
    assert!(!page.contains("means are adjusted for tasks") && page.contains("aria-sort=\"descending\""), "{page}");
    // No task of the starter dataset is in Go: it says so, and nothing is 0.
    let page = admin.get("/admin/results?slice=code_lang.go").await.body;
    for text in ["no task with ratings or test results is in this slice", "3 models without results for these tasks"] {
        assert!(page.contains(text), "{text}: {page}");
    }
    assert!(!page.contains("board-value") && !page.contains("No results yet"), "{page}");

    let found: Board = admin.api(&token, Method::GET, "/api/v1/results?slice=nl_lang.zh", None).await.json();
    assert_eq!((found.slice.as_str(), found.rows.len()), ("nl_lang.zh", 3));
    let csv = admin.get("/admin/results.csv?slice=nl_lang.zh").await.body;
    assert_eq!(csv.lines().count(), 1 + 3 * 4, "{csv}");
    assert!(csv.lines().skip(1).all(|line| line.contains(",nl_lang,zh,")), "{csv}");
    assert_eq!(admin.api(&token, Method::GET, "/api/v1/results.csv?slice=nl_lang.zh", None).await.body, csv);
    assert_eq!(admin.get("/admin/results.csv?slice=code_lang.go").await.body.lines().count(), 1, "only the head");

    // What is no slice is refused, everywhere, and not passed over.
    for (wrong, what) in [
        ("difficulty", "difficulty has no value"),
        ("difficulty.tricky", "difficulty is never"),
        ("color.red", "no attribute"),
        ("length.1-5", "length.short, length.medium, length.long"),
    ] {
        let query = format!("?slice={wrong}");
        let answers = [
            admin.get(&format!("/admin/results{query}")).await,
            admin.get(&format!("/admin/results.csv{query}")).await,
            admin.api(&token, Method::GET, &format!("/api/v1/results{query}"), None).await,
            admin.api(&token, Method::GET, &format!("/api/v1/results.csv{query}"), None).await,
        ];
        for answer in answers {
            assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{wrong}: {}", answer.body);
            assert!(answer.body.contains(what), "{wrong}: {}", answer.body);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn figures_of_many_datasets_are_computed_once_while_nobody_waits() {
    let app = TestApp::demo().await;
    // A thousand ratings each: one request waits for some of them, not for all.
    let size = fill::Size { datasets: 6, raters: 10, studies: 60, runs: 1, models: 2, tasks: 10 };
    app.services.db.write_blocking(|tx| fill::fill(tx, &size)).unwrap();
    // A file has all figures, or there is none.
    let mut admin = app.admin().await;
    let refused = admin.get("/admin/results.csv").await;
    assert_eq!(refused.status, StatusCode::CONFLICT);
    let (_, named) = refused.body.split_once("are being computed: ").unwrap();
    let later = named.split('.').next().unwrap().split(", ").count();
    assert!((1..size.datasets as usize).contains(&later), "{later} are computed later: {named}");
    let computing = |board: &Board| board.datasets.iter().filter(|dataset| dataset.computing).count();
    let mut last = board(&app, BoardQuery::default()).await;
    while computing(&last) > 0 {
        tokio::task::yield_now().await;
        last = board(&app, BoardQuery::default()).await;
    }
    let rated = |row: &model::results::BoardRow| row.results.iter().filter(|found| found.people.is_some()).count();
    assert!(last.rows.iter().any(|row| rated(row) == size.datasets as usize), "{:?}", last.rows);
    assert_eq!(admin.get("/admin/results.csv").await.status, StatusCode::OK);
    let computations = app.services.comparisons.computations();
    assert!(computations <= last.datasets.len() as u64, "none is computed twice");

    // A slice is of the same computations, and no request waits for all of them either.
    let mut sliced = board_of(&app, "nl_lang.en").await;
    assert!(computing(&sliced) > 0, "none is computed later");
    while computing(&sliced) > 0 {
        tokio::task::yield_now().await;
        sliced = board_of(&app, "nl_lang.en").await;
    }
    assert!(sliced.rows.iter().any(|row| rated(row) == size.datasets as usize), "{:?}", sliced.rows);
    assert_eq!(app.services.comparisons.computations(), computations);
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
