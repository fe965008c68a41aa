//! Fills a data folder with a database of the largest supported size: invented tasks, models, ratings and
//! verdicts, inserted by the same statements as real ones, so that every trigger runs.
//!
//! Built and run by `cargo xtask bench results` and `cargo xtask bench growth`. A bench target, because it is compiled neither with the
//! shipped program nor with the tests, and linted with both.

use std::{path::PathBuf, process::ExitCode, sync::Arc};

use base::{clock, error::Failure};
use clap::Parser;
use model::{
    caller::System,
    comparison::Selection,
    run::{Outcome, Verdict},
    study::StudySettings,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rusqlite::{Connection, params};
use services::{Services, starter};

/// Fills an empty data folder.
#[derive(Parser)]
struct Arguments {
    /// The data folder
    #[arg(long)]
    data: PathBuf,
    /// Invented datasets, each with outputs of every model
    #[arg(long, default_value_t = 1)]
    datasets: u32,
    /// People who rate; ten of them in each study
    #[arg(long, default_value_t = 10)]
    raters: u32,
    /// Studies, spread over the datasets; each gets ratings of every output by five people
    #[arg(long, default_value_t = 20)]
    studies: u32,
    /// Runs of every model on every dataset; each gets a verdict for every task
    #[arg(long, default_value_t = 100)]
    runs: u32,
    /// Models
    #[arg(long, default_value_t = 10)]
    models: u32,
    /// Tasks of each dataset
    #[arg(long, default_value_t = 1000)]
    tasks: u32,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Arguments::parse()).await {
        Ok(filled) => {
            println!("{} ratings and {} verdicts", filled.ratings, filled.verdicts);
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("error: {failure:?}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: Arguments) -> Result<Filled, Failure> {
    let services = Services::open(&arguments.data).map_err(|e| Failure::internal(e.to_string()))?;
    if services.db.read(holds_data).await? {
        return Err(Failure::conflict("This data folder holds data already. Name an empty one with --data."));
    }
    starter::load(&services).await?;
    starter::demo(&services).await?;
    let Arguments { datasets, raters, studies, runs, models, tasks, .. } = arguments;
    let size = Arc::new(Size { datasets, raters, studies, runs, models, tasks });
    // A transaction for each part: the write-ahead log would otherwise become as large as the database.
    let (mut filled, of) = (Filled::default(), size.clone());
    let base = Arc::new(services.db.write(move |tx| base(tx, &of)).await?);
    for n in 0..datasets {
        let (of, with) = (size.clone(), base.clone());
        let dataset = Arc::new(services.db.write(move |tx| dataset(tx, &with, &of, n)).await?);
        for study in (n..studies).step_by(datasets as usize) {
            let (with, on) = (base.clone(), dataset.clone());
            filled.ratings += services.db.write(move |tx| rated_study(tx, &with, &on, study)).await?;
        }
        for submission in 0..dataset.submissions.len() {
            let (of, on) = (size.clone(), dataset.clone());
            filled.verdicts += services.db.write(move |tx| tested(tx, &on, &of, submission)).await?;
        }
    }
    let known = services.comparisons.resolve(&System.admin(), selection()).await?;
    let counted: u64 = known.options.studies.iter().map(|study| study.ratings).sum();
    if datasets == 1 && counted != filled.ratings {
        return Err(Failure::internal(format!("{} ratings were inserted and {counted} count", filled.ratings)));
    }
    Ok(filled)
}

/// Slug of the dataset.
const DATASET: &str = "bench";
/// Ratings of every output in a study.
const RATERS_PER_OUTPUT: u32 = 5;
/// Raters of a study.
const IN_STUDY: usize = 2 * RATERS_PER_OUTPUT as usize;
/// The time over which everything is spread, in milliseconds.
const FIVE_YEARS: i64 = 5 * 365 * 24 * 60 * 60 * 1000;

/// Sizes.
pub struct Size {
    pub datasets: u32,
    pub raters: u32,
    pub studies: u32,
    /// Runs per model and dataset.
    pub runs: u32,
    pub models: u32,
    /// Per dataset.
    pub tasks: u32,
}

/// The created rows.
#[derive(Default)]
pub struct Filled {
    /// Ratings, none replaced.
    ratings: u64,
    /// Verdicts.
    verdicts: u64,
}

/// The invented dataset with everything in it.
fn selection() -> Selection {
    Selection { dataset: DATASET.into(), ..Selection::default() }
}

/// Whether the folder contains anybody's data, beside which invented ratings must not be stored.
fn holds_data(conn: &Connection) -> Result<bool, Failure> {
    let tables = ["datasets", "users", "models", "submissions", "studies", "ratings", "runs"];
    for table in tables {
        if conn.prepare(&format!("SELECT 1 FROM {table}"))?.exists([])? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What all datasets share.
pub struct Base {
    rubric: i64,
    raters: Vec<i64>,
    models: Vec<i64>,
}

/// A dataset with the outputs of every model.
pub struct Dataset {
    version: i64,
    at: i64,
    /// Submissions with their outputs.
    submissions: Vec<(i64, Vec<i64>)>,
}

/// Creates everything in one transaction.
pub fn fill(conn: &Connection, size: &Size) -> Result<Filled, Failure> {
    let mut filled = Filled::default();
    let base = base(conn, size)?;
    for n in 0..size.datasets {
        let dataset = dataset(conn, &base, size, n)?;
        for study in (n..size.studies).step_by(size.datasets as usize) {
            filled.ratings += rated_study(conn, &base, &dataset, study)?;
        }
        for submission in 0..dataset.submissions.len() {
            filled.verdicts += tested(conn, &dataset, size, submission)?;
        }
    }
    Ok(filled)
}

fn one(conn: &Connection, sql: &str, values: &[&dyn rusqlite::ToSql]) -> Result<i64, Failure> {
    Ok(conn.prepare_cached(sql)?.query_row(values, |row| row.get(0))?)
}

fn base(conn: &Connection, size: &Size) -> Result<Base, Failure> {
    let now = clock::now().0;
    let rubric = one(conn, "SELECT max(id) FROM rubrics", &[])?;
    let mut raters = Vec::new();
    for n in 0..size.raters.max(IN_STUDY as u32) {
        raters.push(one(
            conn,
            "INSERT INTO users (name, role, password_hash, created_at) VALUES (?1, 'rater', '-', ?2) RETURNING id",
            &[&format!("bench-{n}"), &now],
        )?);
    }
    let mut models = Vec::new();
    for n in 0..size.models {
        let name = format!("Bench model {n}");
        models.push(one(conn, "INSERT INTO models (name) VALUES (?1) RETURNING id", &[&name])?);
    }
    Ok(Base { rubric, raters, models })
}

fn dataset(conn: &Connection, base: &Base, size: &Size, number: u32) -> Result<Dataset, Failure> {
    let now = clock::now().0;
    let at = now - FIVE_YEARS / i64::from(size.datasets) * i64::from(size.datasets - 1 - number);
    let slug = if number == 0 { DATASET.to_owned() } else { format!("{DATASET}-{number}") };
    let dataset = one(conn, "INSERT INTO datasets (slug, created_at) VALUES (?1, ?2) RETURNING id", &[&slug, &at])?;
    let version = one(
        conn,
        "INSERT INTO dataset_versions (dataset_id, number, checksum, name_en, name_zh, description_en, description_zh,
             license, source, rubric_id, imported_at)
         VALUES (?1, 1, 'bench', 'Bench', '测量', '', '', '', 'made up', ?2, ?3) RETURNING id",
        &[&dataset, &base.rubric, &at],
    )?;
    let mut revisions = Vec::new();
    for n in 0..size.tasks {
        let task = one(
            conn,
            "INSERT INTO tasks (dataset_id, external_id) VALUES (?1, ?2) RETURNING id",
            &[&dataset, &n.to_string()],
        )?;
        let (lang, text) = match n % 2 {
            0 => ("en", format!("Made-up task {n}: closes the stream, and ignores it where it is null")),
            _ => ("zh", format!("虚构题目 {n}：关闭输入流，如果为空则忽略")),
        };
        let revision = one(
            conn,
            "INSERT INTO task_revisions (task_id, checksum, raw_nl, nl_lang, human, tests, test_class)
             VALUES (?1, 'bench', ?2, ?3, 1, 1, 'Test') RETURNING id",
            &[&task, &text, &lang],
        )?;
        conn.prepare_cached(
            "INSERT INTO dataset_version_tasks (version_id, position, revision_id) VALUES (?1, ?2, ?3)",
        )?
        .execute(params![version, n, revision])?;
        revisions.push(revision);
    }
    let mut submissions = Vec::new();
    for model in &base.models {
        let submission = one(
            conn,
            "INSERT INTO all_submissions (version_id, model_id, file_name, checksum, matching, created_at)
             VALUES (?1, ?2, 'bench.jsonl', 'bench', 'task_id', ?3) RETURNING id",
            &[&version, model, &at],
        )?;
        let mut outputs = Vec::new();
        for revision in &revisions {
            outputs.push(one(
                conn,
                "INSERT INTO outputs (submission_id, revision_id, sample, code, surrounding_text) VALUES (?1, ?2, 0, ?3, '') RETURNING id",
                &[&submission, revision, &"void close(Reader r) { if (r != null) r.close(); }"],
            )?);
        }
        submissions.push((submission, outputs));
    }
    Ok(Dataset { version, at, submissions })
}

/// A closed study with its ratings; returns their number.
fn rated_study(conn: &Connection, base: &Base, dataset: &Dataset, number: u32) -> Result<u64, Failure> {
    let mut random = ChaCha8Rng::seed_from_u64(2022 + u64::from(number));
    let at = dataset.at;
    let raters: Vec<i64> =
        (0..IN_STUDY).map(|n| base.raters[(number as usize * IN_STUDY + n) % base.raters.len()]).collect();
    let study = one(
        conn,
        "INSERT INTO all_studies (token, title, version_id, rubric_id, settings, seed, status, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'closed', ?7) RETURNING id",
        &[
            &clock::token().0,
            &format!("Bench study {number}"),
            &dataset.version,
            &base.rubric,
            &serde_json::to_string(&StudySettings {
                raters_per_output: RATERS_PER_OUTPUT,
                ..StudySettings::default()
            })?,
            &number.to_string(),
            &at,
        ],
    )?;
    for (position, (submission, _)) in dataset.submissions.iter().enumerate() {
        conn.prepare_cached("INSERT INTO study_submissions (study_id, position, submission_id) VALUES (?1, ?2, ?3)")?
            .execute(params![study, position, submission])?;
    }
    for rater in &raters {
        conn.prepare_cached("INSERT INTO study_raters (study_id, user_id) VALUES (?1, ?2)")?
            .execute(params![study, rater])?;
    }
    let mut ratings = 0;
    for (m, (_, outputs)) in dataset.submissions.iter().enumerate() {
        for (o, output) in outputs.iter().enumerate() {
            for slot in 0..RATERS_PER_OUTPUT {
                let rater = raters[(o + slot as usize * 3) % raters.len()];
                let assignment = one(
                    conn,
                    "INSERT INTO assignments (study_id, output_id, slot, user_id, shown_at, rated_at)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?5) RETURNING id",
                    &[&study, output, &slot, &rater, &at],
                )?;
                let rating = one(
                    conn,
                    "INSERT INTO ratings (assignment_id, user_id, key, comment, shown_at, at)
                     VALUES (?1, ?2, 'k', '', ?3, ?3) RETURNING id",
                    &[&assignment, &rater, &at],
                )?;
                // Some models are better than others, some tasks harder.
                let lean = (m % 3 + o % 2) as u32;
                for (dimension, most) in [4u32, 3, 5].into_iter().enumerate() {
                    let score = (1 + (random.random_range(0..most) + lean) / 2).min(most);
                    conn.prepare_cached("INSERT INTO rating_scores (rating_id, dimension, score) VALUES (?1, ?2, ?3)")?
                        .execute(params![rating, dimension, score])?;
                }
                ratings += 1;
            }
        }
    }
    Ok(ratings)
}

/// Finished runs of a submission; returns the number of verdicts.
fn tested(conn: &Connection, dataset: &Dataset, size: &Size, submission: usize) -> Result<u64, Failure> {
    let (submission, outputs) = &dataset.submissions[submission];
    let mut random = ChaCha8Rng::seed_from_u64(2022 + submission.unsigned_abs());
    let mut verdicts = 0;
    for _ in 0..size.runs {
        let run = one(
            conn,
            "INSERT INTO runs (submission_id, status, fresh, created_at, finished_at)
             VALUES (?1, 'finished', 1, ?2, ?2) RETURNING id",
            &[submission, &dataset.at],
        )?;
        for output in outputs {
            let mut outcome = Outcome::new(if random.random_bool(0.4) { Verdict::Passed } else { Verdict::Failed });
            outcome.total = 5;
            outcome.passed = if outcome.verdict == Verdict::Passed { 5 } else { random.random_range(0..5) };
            let item = one(
                conn,
                "INSERT INTO run_items (run_id, output_id, state) VALUES (?1, ?2, 'waiting') RETURNING id",
                &[&run, output],
            )?;
            conn.prepare_cached(
                "UPDATE run_items SET state = 'done', verdict = ?2, passed = ?3, total = ?4, outcome = ?5,
                     finished_at = ?6 WHERE id = ?1",
            )?
            .execute(params![
                item,
                outcome.verdict.name(),
                outcome.passed,
                outcome.total,
                serde_json::to_string(&outcome)?,
                dataset.at
            ])?;
            verdicts += 1;
        }
    }
    Ok(verdicts)
}
