//! Fills a data folder with a database of the largest supported size: invented tasks, models, ratings and
//! verdicts, inserted by the same statements as real ones, so that every trigger runs.
//!
//! Built and run by `cargo xtask bench results`. A bench target, because it is compiled neither with the
//! shipped program nor with the tests, and linted with both.

use std::{path::PathBuf, process::ExitCode};

use app::{
    model::{
        compare::Selection,
        run::{Outcome, Verdict},
    },
    port::System,
};
use clap::Parser;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rusqlite::{Connection, params};
use server::{
    clock,
    error::Failure,
    services::{Services, starter},
};

/// Fills an empty data folder.
#[derive(Parser)]
struct Arguments {
    /// The data folder
    #[arg(long)]
    data: PathBuf,
    /// Studies of the invented dataset; each gets ratings of every output by five people
    #[arg(long, default_value_t = 20)]
    studies: u32,
    /// Runs of every model; each gets a verdict for every task
    #[arg(long, default_value_t = 100)]
    runs: u32,
    /// Models
    #[arg(long, default_value_t = 10)]
    models: u32,
    /// Tasks
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
    let Arguments { studies, runs, models, tasks, .. } = arguments;
    let filled = services.db.write(move |tx| fill(tx, &Size { studies, runs, models, tasks })).await?;
    let known = services.comparisons.resolve(&System.admin(), selection()).await?;
    let counted: u64 = known.options.studies.iter().map(|study| study.ratings).sum();
    if counted != filled.ratings {
        return Err(Failure::internal(format!("{} ratings were inserted and {counted} count", filled.ratings)));
    }
    Ok(filled)
}

/// Slug of the dataset.
const DATASET: &str = "bench";
/// Ratings of every output in a study.
const OVERLAP: u32 = 5;

/// Sizes.
pub struct Size {
    pub studies: u32,
    /// Runs per model.
    pub runs: u32,
    pub models: u32,
    pub tasks: u32,
}

/// The created rows.
pub struct Filled {
    /// Ratings, none superseded.
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

/// Creates everything.
#[allow(clippy::too_many_lines, reason = "one statement for each table")]
pub fn fill(conn: &Connection, size: &Size) -> Result<Filled, Failure> {
    let now = clock::now().0;
    let mut random = ChaCha8Rng::seed_from_u64(2022);
    let one = |sql: &str, values: &[&dyn rusqlite::ToSql]| -> Result<i64, Failure> {
        Ok(conn.prepare_cached(sql)?.query_row(values, |row| row.get(0))?)
    };
    let rubric: i64 = one("SELECT max(id) FROM rubrics", &[])?;
    let dataset = one("INSERT INTO datasets (slug, created_at) VALUES (?1, ?2) RETURNING id", &[&DATASET, &now])?;
    let version = one(
        "INSERT INTO dataset_versions (dataset_id, number, checksum, name_en, name_zh, description_en, description_zh,
             license, source, rubric_id, imported_at)
         VALUES (?1, 1, 'bench', 'Bench', '测量', '', '', '', 'made up', ?2, ?3) RETURNING id",
        &[&dataset, &rubric, &now],
    )?;
    let mut revisions = Vec::new();
    for n in 0..size.tasks {
        let task = one(
            "INSERT INTO tasks (dataset_id, external_id) VALUES (?1, ?2) RETURNING id",
            &[&dataset, &n.to_string()],
        )?;
        let (lang, text) = match n % 2 {
            0 => ("en", format!("Made-up task {n}: closes the stream, and ignores it where it is null")),
            _ => ("zh", format!("虚构题目 {n}：关闭输入流，如果为空则忽略")),
        };
        let revision = one(
            "INSERT INTO task_revisions (task_id, checksum, raw_nl, lang, human, tests, test_class)
             VALUES (?1, 'bench', ?2, ?3, 1, 1, 'Test') RETURNING id",
            &[&task, &text, &lang],
        )?;
        conn.prepare_cached(
            "INSERT INTO dataset_version_tasks (version_id, position, revision_id) VALUES (?1, ?2, ?3)",
        )?
        .execute(params![version, n, revision])?;
        revisions.push(revision);
    }
    let mut raters = Vec::new();
    for n in 0..2 * OVERLAP {
        raters.push(one(
            "INSERT INTO users (name, role, password_hash, created_at) VALUES (?1, 'rater', '-', ?2) RETURNING id",
            &[&format!("bench-{n}"), &now],
        )?);
    }
    let mut submissions = Vec::new();
    for n in 0..size.models {
        let model = one("INSERT INTO models (name) VALUES (?1) RETURNING id", &[&format!("Bench model {n}")])?;
        let submission = one(
            "INSERT INTO all_submissions (version_id, model_id, file_name, checksum, matching, created_at)
             VALUES (?1, ?2, 'bench.jsonl', 'bench', 'task_id', ?3) RETURNING id",
            &[&version, &model, &now],
        )?;
        let mut outputs = Vec::new();
        for revision in &revisions {
            outputs.push(one(
                "INSERT INTO outputs (submission_id, revision_id, sample, code, said) VALUES (?1, ?2, 0, ?3, '') RETURNING id",
                &[&submission, revision, &"void close(Reader r) { if (r != null) r.close(); }"],
            )?);
        }
        submissions.push((submission, outputs));
    }
    let mut filled = Filled { ratings: 0, verdicts: 0 };
    for n in 0..size.studies {
        let study = one(
            "INSERT INTO all_studies (token, title, version_id, rubric_id, overlap, seed, status, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'closed', ?7) RETURNING id",
            &[&clock::token().0, &format!("Bench study {n}"), &version, &rubric, &OVERLAP, &n.to_string(), &now],
        )?;
        for (position, (submission, _)) in submissions.iter().enumerate() {
            conn.prepare_cached(
                "INSERT INTO study_submissions (study_id, position, submission_id) VALUES (?1, ?2, ?3)",
            )?
            .execute(params![study, position, submission])?;
        }
        for rater in &raters {
            conn.prepare_cached("INSERT INTO study_raters (study_id, user_id) VALUES (?1, ?2)")?
                .execute(params![study, rater])?;
        }
        for (m, (_, outputs)) in submissions.iter().enumerate() {
            for (o, output) in outputs.iter().enumerate() {
                for slot in 0..OVERLAP {
                    let rater = raters[(o + slot as usize * 3) % raters.len()];
                    let assignment = one(
                        "INSERT INTO assignments (study_id, output_id, slot, user_id, shown_at, rated_at)
                         VALUES (?1, ?2, ?3, ?4, ?5, ?5) RETURNING id",
                        &[&study, output, &slot, &rater, &now],
                    )?;
                    let rating = one(
                        "INSERT INTO ratings (assignment_id, user_id, key, comment, shown_at, at)
                         VALUES (?1, ?2, 'k', '', ?3, ?3) RETURNING id",
                        &[&assignment, &rater, &now],
                    )?;
                    // Some models are better than others, some tasks harder.
                    let lean = (m % 3 + o % 2) as u32;
                    for (dimension, most) in [4u32, 3, 5].into_iter().enumerate() {
                        let score = (1 + (random.random_range(0..most) + lean) / 2).min(most);
                        conn.prepare_cached(
                            "INSERT INTO rating_scores (rating_id, dimension, score) VALUES (?1, ?2, ?3)",
                        )?
                        .execute(params![rating, dimension, score])?;
                    }
                    filled.ratings += 1;
                }
            }
        }
    }
    for (submission, outputs) in &submissions {
        for _ in 0..size.runs {
            let run = one(
                "INSERT INTO runs (submission_id, status, fresh, created_at, finished_at)
                 VALUES (?1, 'finished', 1, ?2, ?2) RETURNING id",
                &[submission, &now],
            )?;
            for output in outputs {
                let mut outcome = Outcome::new(if random.random_bool(0.4) { Verdict::Passed } else { Verdict::Failed });
                outcome.total = 5;
                outcome.passed = if outcome.verdict == Verdict::Passed { 5 } else { random.random_range(0..5) };
                let item = one(
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
                    now
                ])?;
                filled.verdicts += 1;
            }
        }
    }
    Ok(filled)
}
