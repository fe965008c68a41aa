//! The results of models by task: a row for each task, and for each model a column for each dimension and one for the
//! tests. Every column sorts, and the differences from one of the models can be marked.

use leptos::prelude::*;

use super::tasks::with;
use crate::parts::spread;
use model::{
    comparison::{SortColumn, TaskCell, TaskFilter, TaskLine, TaskPage},
    ids::ModelId,
    rubric::Dimension,
    run::Verdict,
    text::excerpt,
};
use texts::I18n;
use ui::{
    scores::{initials, initials_key, score},
    verdict::{verdict, verdict_cell},
};

/// What the table is drawn from, and where it is.
pub struct Matrix<'a> {
    pub i: I18n,
    /// The dataset's short name.
    pub dataset: &'a str,
    /// The address's query.
    pub query: &'a str,
    pub filter: TaskFilter,
    pub page: TaskPage,
}

impl Matrix<'_> {
    fn dimensions(&self) -> &[Dimension] {
        self.page.rubric.as_ref().map(|rubric| rubric.dimensions.as_slice()).unwrap_or_default()
    }

    fn id(&self, model: usize) -> Option<ModelId> {
        self.page.model_ids.get(model).copied()
    }

    fn name(&self, model: usize) -> String {
        self.page.models.get(model).cloned().unwrap_or_default()
    }

    /// Columns of one model.
    fn width(&self) -> usize {
        self.dimensions().len() + usize::from(self.page.grid.tested)
    }

    /// The place among the shown columns of the model from which differences are marked.
    fn base(&self) -> Option<usize> {
        let base = self.filter.base?;
        self.page.columns.iter().position(|model| self.id(*model) == Some(base))
    }

    /// The table, what its signs mean, and the ways to more models.
    pub fn view(&self) -> AnyView {
        let (t, a) = (self.i.comparison(), self.i.admin());
        let width = self.width().to_string();
        let groups = self.page.columns.iter().map(|model| {
            let name = self.name(*model);
            view! {
                <th role="columnheader" scope="colgroup" colspan=width.clone() class="matrix-model" title=name.clone()>
                    {name.clone()}
                </th>
            }
        });
        let heads = self.page.columns.iter().map(|model| self.heads(*model));
        let rated = !self.dimensions().is_empty();
        let rows = self.page.lines.iter().map(|line| self.row(line, rated));
        let (groups, heads, rows) = (groups.collect_view(), heads.collect_view(), rows.collect_view());
        let few = self.page.columns.len() * self.width() <= FEW;
        view! {
            {self.key()}
            {self.other_models()}
            <div class=if few { "table-box matrix-box few" } else { "table-box matrix-box" } role="group" aria-label=t.tasks tabindex="0">
                <table class="table matrix-table" role="table">
                    <caption class="visually-hidden">{t.tasks}</caption>
                    <thead role="rowgroup">
                        <tr role="row">
                            <th role="columnheader" scope="col" rowspan="2">{a.task}</th>
                            <th role="columnheader" scope="col" rowspan="2" class="matrix-text">{a.description}</th>
                            {groups}
                            {rated.then(|| view! {
                                <th role="columnheader" scope="col" rowspan="2" class="num matrix-edge">{a.spread}</th>
                            })}
                        </tr>
                        <tr role="row">{heads}</tr>
                    </thead>
                    <tbody role="rowgroup">{rows}</tbody>
                </table>
            </div>
        }
        .into_any()
    }

    /// A head for each of a model's columns, which sorts by it.
    fn heads(&self, model: usize) -> AnyView {
        let i = self.i;
        let head = |at: usize, class: &'static str, metric: &str, short: String, name: &str| {
            let column = self.filter.column.as_ref();
            let current = column.filter(|c| Some(c.model) == self.id(model) && c.metric == metric);
            let order = current.map(|column| if column.ascending { "ascending" } else { "descending" });
            let arrow = current.map(|column| if column.ascending { "↑" } else { "↓" });
            let sort = self.id(model).map(|model| SortColumn { model, metric: metric.to_owned(), ascending: false });
            // The highest first, and the lowest first when it is followed again.
            let reverse = if current.is_some_and(|column| !column.ascending) { "reverse" } else { "" };
            let query = with(self.query, "page", "");
            let query = with(&query, "sort", &sort.map(|sort| sort.sort()).unwrap_or_default());
            let href = format!("?{}#tasks", with(&query, "order", reverse));
            let title = (i.results().sort_by)(&(i.comparison().column_of)(&self.name(model), name));
            view! {
                <th role="columnheader" scope="col" class=edge(at, class) aria-sort=order>
                    <a href=href title=title rel="nofollow">
                        <span aria-hidden="true">{short}{arrow}</span>
                        <span class="visually-hidden">{name.to_owned()}</span>
                    </a>
                </th>
            }
        };
        let dimensions = self.dimensions();
        let of_people = dimensions.iter().zip(initials(i, dimensions)).enumerate();
        let of_people = of_people
            .map(|(d, (dimension, initial))| head(d, "num", &dimension.key, initial, dimension.name.get(i.lang)));
        let of_tests = self.page.grid.tested.then(|| {
            head(
                dimensions.len(),
                "matrix-verdict",
                SortColumn::TESTS,
                i.results().tests.to_owned(),
                i.comparison().pass_ratio,
            )
        });
        of_people.chain(of_tests).collect_view().into_any()
    }

    fn row(&self, line: &TaskLine, rated: bool) -> AnyView {
        let query = with(self.query, "layout", "");
        let href = format!("/admin/compare/{}/tasks/{}?{query}", self.dataset, line.task.id);
        let base = self.base().and_then(|at| line.cells.get(at));
        let cells = line.cells.iter().enumerate().map(|(at, cell)| {
            let base = base.filter(|_| Some(at) != self.base());
            let name = self.page.columns.get(at).map(|model| self.name(*model)).unwrap_or_default();
            self.cells(cell, base, &name)
        });
        let text = excerpt(&line.task.raw_nl, 140);
        view! {
            <tr role="row">
                <th role="rowheader" scope="row"><a href=href>{line.task.task_id.clone()}</a></th>
                <td role="cell" class="matrix-text" lang=line.task.nl_lang.tag() title=text.clone()>{text.clone()}</td>
                {cells.collect_view()}
                {rated.then(|| view! {
                    <td role="cell" class="num matrix-edge matrix-spread" data-label=self.i.admin().spread>{spread(line.spread)}</td>
                })}
            </tr>
        }
        .into_any()
    }

    /// A model's results of a task; `base` has those from which differences are marked. On a phone, where a model is a line of
    /// a card, its name is before the first result.
    fn cells(&self, cell: &TaskCell, base: Option<&TaskCell>, name: &str) -> AnyView {
        let i = self.i;
        let called = |at: usize| {
            (at == 0).then(|| view! { <span class="matrix-name" aria-hidden="true">{name.to_owned()}</span> })
        };
        let of_people = self.dimensions().iter().enumerate().map(|(d, dimension)| {
            let mean = |cell: &TaskCell| cell.means.get(d).copied().flatten();
            let by = base.and_then(|base| Some(mean(cell)? - mean(base)?));
            let (shown, mark) = (score(i, Some(dimension), mean(cell)), self.mark(base.is_some(), by));
            view! { <td role="cell" class=edge(d, "num")>{called(d)}<span>{shown}{mark}</span></td> }
        });
        let of_tests = self.page.grid.tested.then(|| {
            let by = base.and_then(|base| Some(passed_share(cell.verdict?)? - passed_share(base.verdict?)?));
            let shown = match cell.verdict {
                Some((found, passed, total)) => verdict_cell(i, found, passed, total),
                None => view! { <span class="muted">"–"</span> }.into_any(),
            };
            let at = self.dimensions().len();
            let mark = self.mark(base.is_some(), by);
            view! { <td role="cell" class=edge(at, "matrix-verdict")>{called(at)}<span>{shown}{mark}</span></td> }
        });
        view! { {of_people.collect_view()}{of_tests} }.into_any()
    }

    /// The sign of a difference from the base: its room stays empty where there is none, so that columns stay in line.
    fn mark(&self, compared: bool, by: Option<f64>) -> Option<AnyView> {
        let t = self.i.comparison();
        let Some(by) = by.filter(|by| by.abs() > 1e-9) else {
            return compared.then(|| view! { <span class="mark-of"></span> }.into_any());
        };
        let (class, sign, word) =
            if by > 0.0 { ("mark-of higher", "▲", t.higher_than) } else { ("mark-of lower", "▼", t.lower_than) };
        let base = self.base().and_then(|at| self.page.columns.get(at)).map(|model| self.name(*model));
        let word = word(&base.unwrap_or_default());
        Some(
            view! {
                <span class=class title=word.clone() aria-hidden="true">{sign}</span>
                <span class="visually-hidden">" "{word}</span>
            }
            .into_any(),
        )
    }

    /// What initials and signs stand for: only those that occur.
    fn key(&self) -> AnyView {
        let i = self.i;
        let cells = || self.page.lines.iter().flat_map(|line| &line.cells);
        let occurs = |of: &Verdict| cells().any(|cell| cell.verdict.is_some_and(|(found, ..)| found == *of));
        let verdicts = Verdict::ALL.into_iter().filter(occurs).map(|of| verdict(i, of)).collect_view();
        let base = self.base().and_then(|at| self.page.columns.get(at)).map(|model| self.name(*model));
        let marks = base.map(|base| view! { <span>{(i.comparison().marks_key)(&base)}</span> });
        view! { <p class="matrix-key small">{initials_key(i, self.dimensions())}{verdicts}{marks}</p> }.into_any()
    }

    /// The ways to the models before and after those shown; nothing where all are.
    fn other_models(&self) -> Option<AnyView> {
        let i = self.i;
        let (base, room) = (usize::from(self.base().is_some()), TaskPage::models_of(self.width()));
        let (all, shown) = (self.page.models.len().saturating_sub(base), self.page.columns.len().saturating_sub(base));
        if shown >= all {
            return None;
        }
        let from = self.filter.from.map(|from| from as usize).filter(|from| *from < all).unwrap_or(0);
        let link = |to: usize, word: &'static str| {
            let to = if to == 0 { String::new() } else { to.to_string() };
            view! { <a class="button" href=format!("?{}#tasks", with(self.query, "from", &to))>{word}</a> }
        };
        let before = (from > 0).then(|| link(from.saturating_sub(room), i.common.previous_page));
        let after = (from + shown < all).then(|| link(from + shown, i.common.next_page));
        let range = (i.comparison().models_shown)(from as u64 + 1, (from + shown) as u64, all as u64);
        Some(
            view! {
                <nav class="row" aria-label=i.comparison().models_pages>{before}<span class="muted">{range}</span>{after}</nav>
            }
            .into_any(),
        )
    }
}

/// With more columns of results, the table scrolls in a box of its own.
const FEW: usize = 16;

/// The class of a cell; the first one of a model has a line before it.
fn edge(at: usize, class: &str) -> String {
    if at == 0 { format!("{class} matrix-edge") } else { class.to_owned() }
}

/// How much of a task an output solves, 0 to 1, to compare two outputs; `None` for an anomaly, which cannot be right.
fn passed_share((verdict, passed, total): (Verdict, u32, u32)) -> Option<f64> {
    match verdict {
        Verdict::Anomaly => None,
        Verdict::Passed => Some(1.0),
        _ if total == 0 => Some(0.0),
        _ => Some((f64::from(passed) / f64::from(total)).min(1.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_compared_by_what_they_solve() {
        let check = |verdict, passed, total, share| assert_eq!(passed_share((verdict, passed, total)), share);
        check(Verdict::Passed, 0, 0, Some(1.0));
        check(Verdict::Failed, 3, 4, Some(0.75));
        check(Verdict::CompileError, 0, 0, Some(0.0));
        check(Verdict::Anomaly, 7, 4, None);
    }
}
