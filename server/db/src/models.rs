//! The list of models.

use model::{
    ids::ModelId,
    models::ModelRow,
    page::{PageOf, Paged},
    time::Timestamp,
};
use rusqlite::{Connection, Row};

use super::{
    page::{self, Filter, List, Sort},
    stored::{json, table},
};
use base::error::Failure;

/// Models that have a submission; archived ones count.
const LIST: List<'_> = List {
    columns: "m.id, m.name,
        (SELECT count(*) FROM submissions s WHERE s.model_id = m.id) AS submissions,
        (SELECT count(*) FROM submissions s JOIN runs r ON r.submission_id = s.id WHERE s.model_id = m.id) AS runs,
        (SELECT count(DISTINCT x.study_id) FROM submissions s JOIN study_submissions x ON x.submission_id = s.id
         JOIN studies t ON t.id = x.study_id WHERE s.model_id = m.id) AS studies,
        (SELECT json_group_array(slug) FROM (SELECT DISTINCT a.dataset_slug AS slug FROM all_submissions a
         WHERE a.model_id = m.id AND a.importing_until IS NULL ORDER BY slug)) AS datasets,
        (SELECT max(s.created_at) FROM submissions s WHERE s.model_id = m.id) AS newest",
    table: "models m",
    joins: "",
    id: "m.id",
    within: "",
    filter: "EXISTS (SELECT 1 FROM submissions s WHERE s.model_id = m.id)",
    sorts: &[Sort::text("name", "m.name"), Sort::number("added", "m.id")],
    usual: "name",
    search: "m.name",
    filters: &[Filter {
        name: "dataset",
        condition: "EXISTS (SELECT 1 FROM all_submissions a WHERE a.model_id = m.id AND a.dataset_slug = #
            AND a.importing_until IS NULL)",
        indexed: false,
    }],
};

/// A page of the models, by name unless asked otherwise.
pub fn list(conn: &Connection, of: &PageOf) -> Result<Paged<ModelRow>, Failure> {
    page::page(conn, &LIST, of, &[], row)
}

fn row(row: &Row<'_>) -> rusqlite::Result<ModelRow> {
    Ok(ModelRow {
        id: ModelId(row.get("id")?),
        name: row.get("name")?,
        datasets: json(row, table("models", &["id"]), "datasets")?,
        submissions: row.get("submissions")?,
        runs: row.get("runs")?,
        studies: row.get("studies")?,
        newest: row.get::<_, Option<i64>>("newest")?.map(Timestamp),
    })
}
