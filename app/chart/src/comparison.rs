//! All charts of a comparison: the same for the page, for an exported file and for the bundle. A chart's id
//! is also its file name.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    figure::Figure,
    figures::{self, Bin, ColumnGroup, Entry, GridTask, PairDifference, ScoreScale, TestedRating, TokenScore},
};
use model::{
    claims::{Standing, significant},
    comparison::{Automated, Caption, Checked, ComparisonFigures, GridCell, Human, Selection, TaskGrid},
    ids::{ModelId, TaskId},
    ratings::{Comparison, Interval},
    rubric::Dimension,
    run::Verdict,
};
use texts::I18n;

/// With more raters, the chart of pairs of raters is left out; its table stays.
const MOST_RATERS: usize = 16;
/// With more pairs of models, the chart of differences is left out.
const MOST_PAIRS: usize = 15;

/// Link targets of a comparison's charts: the tasks behind each mark.
#[derive(Clone, Debug)]
pub struct Links {
    /// The dataset's short name.
    slug: String,
    /// The selection as a query.
    query: String,
    /// Ids of the models, by index.
    models: Vec<ModelId>,
    /// Captions of the figures.
    captions: Arc<Vec<Caption>>,
}

/// The files of a figure: see [`Links::files`].
#[derive(Clone, Debug)]
pub struct Files {
    address: String,
    query: String,
    /// Its caption.
    pub caption: Option<Caption>,
}

impl Files {
    /// The file of this kind; `more` are further settings.
    pub fn href(&self, kind: &str, more: &str) -> String {
        let fields: Vec<&str> = [self.query.as_str(), more].into_iter().filter(|field| !field.is_empty()).collect();
        format!("{}.{kind}?{}", self.address, fields.join("&"))
    }
}

impl Links {
    /// Links for a fully resolved selection.
    pub fn of(selection: &Selection) -> Links {
        Links {
            slug: selection.dataset.clone(),
            query: selection.query(),
            models: selection.models.clone().unwrap_or_default(),
            captions: Arc::default(),
        }
    }

    /// The same links with captions for the figures' files.
    pub fn captioned(self, captions: &[Caption]) -> Links {
        Links { captions: Arc::new(captions.to_vec()), ..self }
    }

    /// A file of the comparison.
    pub fn export(&self, file: &str) -> String {
        format!("/admin/compare/{}/export/{file}?{}", self.slug, self.query)
    }

    fn tasks(&self, model: Option<usize>, more: &str) -> String {
        let model = model.and_then(|at| self.models.get(at)).map(|id| format!("model={id}")).unwrap_or_default();
        let fields = [self.query.as_str(), &model, more];
        let fields: Vec<&str> = fields.into_iter().filter(|field| !field.is_empty()).collect();
        format!("/admin/compare/{}?{}#tasks", self.slug, fields.join("&"))
    }

    /// Tasks for which the model has data.
    pub fn model(&self, model: usize) -> String {
        self.tasks(Some(model), "")
    }

    /// Tasks for which the model got this score.
    pub fn score(&self, model: usize, dimension: &str, score: u8) -> String {
        self.tasks(Some(model), &format!("score={dimension}.{score}"))
    }

    /// Tasks for which the model got this verdict.
    pub fn verdict(&self, model: usize, verdict: Verdict) -> String {
        self.tasks(Some(model), &format!("verdict={}", verdict.name()))
    }

    /// Tasks with the largest differences between models first.
    pub fn gaps(&self) -> String {
        self.tasks(None, "sort=gap")
    }

    /// Tasks with an output in this cell.
    pub fn grid_cell(&self, grid_cell: GridCell) -> String {
        self.tasks(None, &format!("grid_cell={grid_cell}"))
    }

    /// One task; `more` is the filter that determines its neighbors.
    pub fn task(&self, task: TaskId, more: &str) -> String {
        let fields: Vec<&str> = [self.query.as_str(), more].into_iter().filter(|field| !field.is_empty()).collect();
        format!("/admin/compare/{}/tasks/{task}?{}", self.slug, fields.join("&"))
    }

    /// A chart's files; `more` is what it depends on in addition to the selection.
    pub fn files(&self, id: &str, more: &str) -> Files {
        let fields: Vec<&str> = [self.query.as_str(), more].into_iter().filter(|field| !field.is_empty()).collect();
        Files {
            address: format!("/admin/compare/{}/figures/{id}", self.slug),
            query: fields.join("&"),
            caption: self.captions.iter().find(|caption| caption.id == id).cloned(),
        }
    }
}

/// All charts except the grid of tasks, which depends on a filter.
pub fn all(i: I18n, figures: &ComparisonFigures, raters: &[String]) -> Vec<Figure> {
    let mut found = Vec::new();
    if let Some(human) = &figures.human {
        for d in 0..human.comparison.rubric.dimensions.len() {
            found.extend(dimension(i, human, d, None));
            found.extend(rater_agreement(i, human, raters, d));
        }
    }
    if let Some(automated) = &figures.automated {
        found.extend(tested(i, figures, automated, None));
    }
    found.extend(tests_and_people(i, figures, None));
    found.extend(against_tokens(i, figures, None));
    found.extend(paper(i, figures, None));
    found
}

/// One dimension: means, differences, distribution.
pub fn dimension(i: I18n, human: &Human, d: usize, links: Option<&Links>) -> Vec<Figure> {
    let (c, holm) = (&human.comparison, &human.holm);
    let Some(dimension) = c.rubric.dimensions.get(d) else { return Vec::new() };
    let name = dimension.name.get(i.lang);
    let entries = ranked(human, d, links);
    let mut found = vec![match dimension.checklist {
        true => figures::answers(i, &dimension.key, name, &entries),
        false => figures::means(i, &dimension.key, name, dimension.range(), &entries),
    }];
    let called = |at: usize| c.models.get(at).map_or("?", |m| m.model.as_str()).to_owned();
    let pairs: Vec<PairDifference> = c
        .differences
        .iter()
        .enumerate()
        .filter(|(_, x)| x.dimension == d && x.mean.is_some())
        .map(|(at, x)| PairDifference {
            models: (called(x.first), called(x.second)),
            value: x.mean,
            interval: x.interval,
            n: x.tasks,
            separated: significant(x.interval, holm.get(at).copied().flatten()),
            href: links.map(Links::gaps),
        })
        .collect();
    if !pairs.is_empty() && pairs.len() <= MOST_PAIRS {
        found.push(figures::differences(i, &dimension.key, name, &pairs, false));
    }
    let order = Standing::of_ratings(human, d).ranked;
    let (levels, counts) = (levels(i, dimension), counts(c, d, dimension, &order));
    let score_way = |(m, score): (usize, u8)| Some(links?.score(*order.get(m)?, &dimension.key, score));
    found.push(figures::distribution(i, &dimension.key, name, &levels, &counts, &score_way));
    found
}

/// A dimension's models with ratings, highest mean first.
pub fn ranked(human: &Human, d: usize, links: Option<&Links>) -> Vec<Entry> {
    let standing = Standing::of_ratings(human, d);
    let letters = standing.letters();
    let entry = |m: &usize| {
        let model = human.comparison.models.get(*m)?;
        let scores = model.dimensions.get(d)?;
        Some(Entry {
            name: model.model.clone(),
            value: scores.mean,
            interval: scores.interval,
            n: model.tasks,
            answered: None,
            letters: letters.get(m).cloned().unwrap_or_default(),
            href: links.map(|links| links.model(*m)),
        })
    };
    standing.ranked.iter().filter_map(entry).collect()
}

/// The models with runs, highest pass@1 first.
pub fn ranked_by_pass(figures: &ComparisonFigures, automated: &Automated, links: Option<&Links>) -> Vec<Entry> {
    let standing = Standing::of_tests(automated);
    let letters = standing.letters();
    let entry = |m: &usize| {
        let checked = automated.models.get(*m)?.as_ref().filter(|of| of.metrics.has_tasks())?;
        Some(Entry {
            name: figures.models.get(*m)?.clone(),
            value: Some(checked.metrics.pass_at_1),
            interval: checked.pass_interval,
            n: checked.metrics.tasks.into(),
            answered: answered(checked),
            letters: letters.get(m).cloned().unwrap_or_default(),
            href: links.map(|links| links.verdict(*m, Verdict::Passed)),
        })
    };
    standing.ranked.iter().filter_map(entry).collect()
}

/// The number of tasks with a verdict, if not all have one.
fn answered(checked: &Checked) -> Option<u64> {
    let m = checked.metrics;
    (m.answered < m.tasks).then_some(m.answered.into())
}

/// The models with runs, highest AvgPassRatio first. Without letters: its differences are not tested.
pub fn ranked_by_ratio(figures: &ComparisonFigures, automated: &Automated, links: Option<&Links>) -> Vec<Entry> {
    let entry = |(m, checked): (usize, &Option<Checked>)| {
        let checked = checked.as_ref().filter(|of| of.metrics.has_tasks())?;
        Some(Entry {
            name: figures.models.get(m)?.clone(),
            value: Some(checked.metrics.ratio_mean),
            interval: checked.ratio_interval,
            n: checked.metrics.tasks.into(),
            answered: answered(checked),
            letters: String::new(),
            href: links.map(|links| links.model(m)),
        })
    };
    figures::by_value(automated.models.iter().enumerate().filter_map(entry).collect())
}

/// Scores with their labels, lowest first.
fn levels(i: I18n, dimension: &Dimension) -> Vec<(u8, String)> {
    dimension.levels.iter().rev().map(|level| (level.score, level.label.get(i.lang).to_owned())).collect()
}

fn counts(c: &Comparison, d: usize, dimension: &Dimension, order: &[usize]) -> Vec<(String, Vec<u64>)> {
    let each = order.iter().filter_map(|at| c.models.get(*at)).map(|m| {
        let given = m.dimensions.get(d).map(|s| s.distribution.as_slice()).unwrap_or_default();
        let counts = (0..dimension.levels.len()).map(|at| given.get(at).copied().unwrap_or(0));
        (m.model.clone(), counts.collect())
    });
    each.collect()
}

/// Agreement of each pair of raters on a dimension; `None` if no output has two ratings.
pub fn rater_agreement(i: I18n, human: &Human, raters: &[String], d: usize) -> Option<Figure> {
    let dimension = human.comparison.rubric.dimensions.get(d)?;
    let kappas = &human.reliability.get(d)?.kappas;
    let mut seen: BTreeMap<u32, String> = BTreeMap::new();
    for rater in kappas.iter().flat_map(|k| [k.first, k.second]) {
        let name = raters.get(rater as usize).cloned().unwrap_or_else(|| format!("{}", rater + 1));
        seen.insert(rater, name);
    }
    let names: Vec<(u32, String)> = seen.into_iter().collect();
    let shown = (2..=MOST_RATERS).contains(&names.len());
    shown.then(|| figures::rater_agreement(i, &dimension.key, dimension.name.get(i.lang), &names, kappas))
}

/// pass@1 and AvgPassRatio with their intervals, the verdicts, and differences in pass@1.
pub fn tested(i: I18n, figures: &ComparisonFigures, automated: &Automated, links: Option<&Links>) -> Vec<Figure> {
    let order = Standing::of_tests(automated).ranked;
    let with_run: Vec<(usize, &str, &Checked)> = order
        .iter()
        .filter_map(|m| Some((*m, figures.models.get(*m)?.as_str(), automated.models.get(*m)?.as_ref()?)))
        .collect();
    let place = |at: usize| with_run.get(at).map(|(m, ..)| *m);
    let mut found = vec![
        figures::shares(i, "pass-at-1", "pass@1", &ranked_by_pass(figures, automated, links)),
        figures::shares(i, "avg-pass-ratio", "AvgPassRatio", &ranked_by_ratio(figures, automated, links)),
    ];
    // Verdicts that do not occur are left out; the order is that of a run's page.
    let kinds: Vec<(Verdict, String)> = Verdict::ALL
        .into_iter()
        .filter(|v| with_run.iter().any(|(_, _, c)| c.verdicts.iter().any(|(known, n)| known == v && *n > 0)))
        .map(|v| (v, i.runs().verdict_name(v).to_owned()))
        .collect();
    let counts: Vec<(String, Vec<u64>)> = with_run
        .iter()
        .map(|(_, name, c)| {
            let count = |v: &Verdict| c.verdicts.iter().find(|(known, _)| known == v).map_or(0, |(_, n)| u64::from(*n));
            ((*name).to_owned(), kinds.iter().map(|(v, _)| count(v)).collect())
        })
        .collect();
    if !kinds.is_empty() {
        let way = |(at, verdict): (usize, Verdict)| Some(links?.verdict(place(at)?, verdict));
        found.push(figures::verdicts(i, "verdicts", &kinds, &counts, &way));
    }
    let called = |at: usize| figures.models.get(at).map_or("?", String::as_str).to_owned();
    let pairs: Vec<PairDifference> = automated
        .pairs
        .iter()
        // Without a common task there is no difference, not one of zero.
        .filter(|pair| pair.tasks > 0)
        .map(|pair| PairDifference {
            models: (called(pair.first), called(pair.second)),
            value: Some(pair.pass),
            interval: pair.pass_interval,
            n: pair.tasks,
            separated: significant(pair.pass_interval, pair.holm),
            href: links.map(Links::gaps),
        })
        .collect();
    if !pairs.is_empty() && pairs.len() <= MOST_PAIRS {
        found.push(figures::differences(i, "pass", "pass@1", &pairs, true));
    }
    found
}

/// Every output with both, pass ratio against score.
pub fn tests_and_people(i: I18n, figures: &ComparisonFigures, links: Option<&Links>) -> Option<Figure> {
    let (both, human) = (figures.both.as_ref()?, figures.human.as_ref()?);
    let dimension = human.comparison.rubric.dimensions.get(both.dimension)?;
    let name = dimension.name.get(i.lang);
    let (low, high) = dimension.range();
    if !both.bins.is_empty() {
        let bins = both.bins.iter().map(|bin| {
            let (ratio, share) = bin.grid_cell.place();
            Bin {
                ratio,
                score: f64::from(low) + share * f64::from(high.saturating_sub(low)),
                models: bin.models.clone(),
                href: links.map(|links| links.grid_cell(bin.grid_cell)),
            }
        });
        return Some(figures::bins(i, "tests", name, (low, high), &figures.models, &bins.collect::<Vec<_>>()));
    }
    let points: Vec<TestedRating> = both
        .points
        .iter()
        .map(|p| TestedRating {
            model: p.model,
            task: p.task_id.clone(),
            ratio: p.ratio,
            score: p.score,
            href: links.map(|links| links.task(p.task, "sort=difference")),
        })
        .collect();
    Some(figures::tests_and_people(i, "tests", name, (low, high), &figures.models, &points))
}

/// Each dimension, then pass@1, against the tokens of the outputs, as far as at least two models have both.
pub fn against_tokens(i: I18n, figures: &ComparisonFigures, links: Option<&Links>) -> Vec<Figure> {
    let mut found = Vec::new();
    if figures.tokens.is_empty() {
        return found;
    }
    let mut add = |(id, name, scale): (&str, &str, ScoreScale), score: &dyn Fn(usize) -> Option<Scored>| {
        let models = figures.models.iter().zip(&figures.tokens).enumerate().filter_map(|(m, (name, of))| {
            let (value, interval) = score(m)?;
            let tokens = of.generated.filter(|tokens| *tokens > 0.0)?;
            let (outputs, href) = ((of.reported, of.outputs), links.map(|links| links.model(m)));
            Some(TokenScore { name: name.clone(), tokens, outputs, value, interval, href })
        });
        let models: Vec<TokenScore> = models.collect();
        if models.len() > 1 {
            found.push(figures::against_tokens(i, id, name, scale, &models));
        }
    };
    if let Some(human) = &figures.human {
        for (d, dimension) in human.comparison.rubric.dimensions.iter().enumerate() {
            let (low, high) = dimension.range();
            let scale = if dimension.checklist { ScoreScale::Shares } else { ScoreScale::Scores(low, high) };
            add((&dimension.key, dimension.name.get(i.lang), scale), &|m| {
                let scores = human.comparison.models.get(m)?.dimensions.get(d)?;
                Some((scores.mean?, scores.interval))
            });
        }
    }
    if let Some(automated) = &figures.automated {
        add(("pass", "pass@1", ScoreScale::Shares), &|m| {
            let checked = automated.models.get(m)?.as_ref().filter(|of| of.metrics.has_tasks())?;
            Some((checked.metrics.pass_at_1, checked.pass_interval))
        });
    }
    found
}

/// A score with its interval.
type Scored = (f64, Option<Interval>);

/// The paper's two bar charts.
pub fn paper(i: I18n, figures: &ComparisonFigures, links: Option<&Links>) -> Vec<Figure> {
    let t = i.comparison();
    let mut found = Vec::new();
    if let Some(automated) = &figures.automated {
        let percent = |r: Interval| Interval { low: r.low * 100.0, high: r.high * 100.0 };
        let of = |value: fn(&Checked) -> (f64, Option<Interval>)| {
            let each = automated.models.iter().map(|m| m.as_ref().filter(|of| of.metrics.has_tasks()).map(value));
            each.map(|found| found.map(|(v, within)| (v * 100.0, within.map(percent)))).collect::<Vec<_>>()
        };
        let groups = [
            ("pass@1".to_owned(), of(|c| (c.metrics.pass_at_1, c.pass_interval))),
            ("AvgPassRatio".to_owned(), of(|c| (c.metrics.ratio_mean, c.ratio_interval))),
        ];
        let way = |(_, m): (usize, usize)| links.map(|links| links.verdict(m, Verdict::Passed));
        let scale = ("pass@1, AvgPassRatio (%)", 0.0, 100.0);
        found.push(figures::columns(i, "paper-automatic", t.figure_3, &figures.models, &groups, scale, &way));
    }
    if let Some(human) = &figures.human {
        let c = &human.comparison;
        let groups: Vec<ColumnGroup> = c
            .rubric
            .dimensions
            .iter()
            .enumerate()
            .map(|(d, dimension)| {
                let means = c.models.iter().map(|m| m.dimensions.get(d).and_then(|s| Some((s.mean?, s.interval))));
                (dimension.name.get(i.lang).to_owned(), means.collect())
            })
            .collect();
        let top = c.rubric.dimensions.iter().map(|d| d.range().1).max().unwrap_or(5);
        let way = |(_, m): (usize, usize)| links.map(|links| links.model(m));
        let scale = (t.mean_score, 0.0, f64::from(top));
        found.push(figures::columns(i, "paper-manual", t.figure_4, &figures.models, &groups, scale, &way));
    }
    found
}

/// One cell per model and task. `filter` is the query that determines a task's neighbors.
pub fn grid(i: I18n, models: &[String], grid: &TaskGrid, links: Option<(&Links, &str)>) -> Option<Figure> {
    if grid.tasks.is_empty() {
        return None;
    }
    let (name, scale): (_, Vec<_>) = match &grid.dimension {
        None => (i.comparison().pass_ratio.to_owned(), figures::percent_scale()),
        Some(dimension) => {
            let (low, high) = dimension.range();
            let scores = (low..=high).map(|score| (dimension.share(score.into()), i.score(Some(dimension), score)));
            (dimension.name.get(i.lang).to_owned(), scores.collect())
        }
    };
    let value = |v: f64| match &grid.dimension {
        None => (v.clamp(0.0, 1.0), format!("{:.0}%", v * 100.0)),
        Some(dimension) => (dimension.share(v), format!("{v:.2}")),
    };
    let tasks: Vec<GridTask> = grid
        .tasks
        .iter()
        .map(|task| GridTask {
            name: task.task_id.clone(),
            values: task.values.iter().map(|v| v.map(value)).collect(),
            href: links.map(|(links, filter)| links.task(task.task, filter)),
        })
        .collect();
    Some(figures::grid(i, "tasks", &name, models, &tasks, &scale))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_contain_the_selection_and_the_mark() {
        let selection =
            Selection { dataset: "d".into(), models: Some(vec![ModelId(4), ModelId(2)]), ..Selection::default() };
        let links = Links::of(&selection);
        let check = |href: String, expected: &str| assert_eq!(href, expected);
        check(links.score(1, "correctness", 3), "/admin/compare/d?models=4,2&model=2&score=correctness.3#tasks");
        check(links.verdict(0, Verdict::Timeout), "/admin/compare/d?models=4,2&model=4&verdict=timeout#tasks");
        check(links.task(TaskId(9), "sort=difference"), "/admin/compare/d/tasks/9?models=4,2&sort=difference");
        let files = links.files("tests-both", "");
        check(files.href("png", "width=page"), "/admin/compare/d/figures/tests-both.png?models=4,2&width=page");
        check(
            Links::of(&Selection { dataset: "d".into(), ..Selection::default() }).gaps(),
            "/admin/compare/d?sort=gap#tasks",
        );
    }
}
