//! Comma-separated values (RFC 4180), UTF-8, one header line. The columns are described in
//! docs/formats.md.

use app::model::{comparison::Comparison, lang::Lang, rubric::Rubric};
use csv::Writer;

use crate::{db::studies::RatingLine, error::Failure};

/// The export of a study's ratings, a line a rating.
pub struct Ratings(Writer<Vec<u8>>);

impl Ratings {
    /// A table with its header: one column for each dimension of the rubric.
    pub fn new(rubric: &Rubric) -> Result<Self, Failure> {
        let mut writer = Writer::from_writer(Vec::new());
        let head = ["task_id", "model", "sample", "rater"].into_iter();
        let tail = ["comment", "flag", "notes", "rated_at", "superseded_at"];
        writer.write_record(head.chain(rubric.dimensions.iter().map(|d| d.key.as_str())).chain(tail))?;
        Ok(Ratings(writer))
    }

    /// Adds a rating.
    pub fn push(&mut self, line: RatingLine) -> Result<(), Failure> {
        let mut record = vec![line.task_id, line.model, line.sample.to_string(), line.rater];
        record.extend(line.scores.iter().map(u8::to_string));
        record.extend([
            line.comment,
            line.flag.unwrap_or_default(),
            match line.notes.as_slice() {
                [] => String::new(),
                notes => serde_json::to_string(notes)?,
            },
            line.at.rfc3339(),
            line.superseded_at.map(|at| at.rfc3339()).unwrap_or_default(),
        ]);
        Ok(self.0.write_record(record)?)
    }

    /// The file's bytes.
    pub fn finish(self) -> Result<Vec<u8>, Failure> {
        finish(self.0)
    }
}

/// The comparison's table: a line for each model and dimension.
pub fn comparison(comparison: &Comparison) -> Result<Vec<u8>, Failure> {
    let mut writer = Writer::from_writer(Vec::new());
    writer.write_record([
        "model",
        "dimension",
        "name",
        "ratings",
        "tasks",
        "mean",
        "ci95_low",
        "ci95_high",
        "distribution",
        "resamples",
        "seed",
    ])?;
    let figure = |value: Option<f64>| value.map(|v| v.to_string()).unwrap_or_default();
    for model in &comparison.models {
        for (scores, dimension) in model.dimensions.iter().zip(&comparison.rubric.dimensions) {
            let (low, _) = dimension.range();
            let distribution: Vec<_> =
                (low..).zip(&scores.distribution).map(|(score, n)| format!("{score}:{n}")).collect();
            writer.write_record([
                model.model.clone(),
                dimension.key.clone(),
                dimension.name.get(Lang::En).to_owned(),
                model.ratings.to_string(),
                model.tasks.to_string(),
                figure(scores.mean),
                figure(scores.interval.map(|i| i.low)),
                figure(scores.interval.map(|i| i.high)),
                distribution.join(" "),
                comparison.resamples.to_string(),
                comparison.seed.clone(),
            ])?;
        }
    }
    finish(writer)
}

fn finish(writer: Writer<Vec<u8>>) -> Result<Vec<u8>, Failure> {
    writer.into_inner().map_err(|e| Failure::internal(e.to_string()))
}

impl From<csv::Error> for Failure {
    fn from(e: csv::Error) -> Self {
        Failure::internal(e)
    }
}
