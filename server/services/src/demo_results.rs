//! Content that `serve --demo` adds to the demo's study, so that comparisons show results at the first
//! start: invented ratings, given through the services that raters use, and real test runs.

use std::collections::HashMap;

use model::{
    caller::{Caller, Capability, Person, System},
    code::CodeView,
    error::{Answer, AppError},
    grading::{Draft, Next},
    ids::{SubmissionId, Token},
    lang::Lang,
    page::PageOf,
    run::NewRun,
    submission::{OutputFilter, OutputRow},
    user::{Me, UserRow},
};
use port::{Accounts, Grading, Runs, Submissions};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Services, starter};
use engine::readiness;

/// Number of outputs that each demo rater has rated: less than a share of the study, so that work is left.
const RATED: [(&str, usize); 3] = [("ada", 30), ("bo", 30), ("chen", 20)];

/// Comment of every invented rating, on screen and in exports.
const COMMENT: &str = "Invented for the demo.";

/// Rates part of the demo's study if it has no ratings yet.
pub async fn rate(services: &Services) -> Answer<()> {
    let models = models_by_code(services).await?;
    // Constant, so that every demo shows the same figures.
    let mut random = ChaCha8Rng::seed_from_u64(2022);
    let users = services.accounts.users(&System.admin(), PageOf::first(PageOf::MOST)).await?.rows;
    for (name, most) in RATED {
        let Some(rater) = users.iter().find(|user| user.name == name) else { continue };
        let rater = person(rater)?;
        let my_studies = services.grading.my_studies(&rater).await?;
        let Some(study) = my_studies.into_iter().find(|study| study.title == starter::RATED_STUDY) else { continue };
        for _ in study.progress.rated as usize..most {
            let Next::Item(item) = services.grading.next(&rater, &study.token, Vec::new()).await? else { break };
            let model = models.get(&text(&item.code)).copied().unwrap_or_default();
            // The first model is the best on average, the last the worst, and raters differ.
            let merit = 0.8 - 0.2 * model as f64;
            let scores = item.rubric.dimensions.iter().map(|dimension| {
                let (low, high) = dimension.range();
                let place: f64 = merit + random.random_range(-0.4..0.4);
                let steps = f64::from(high.saturating_sub(low));
                Some(low + (place.clamp(0.0, 1.0) * steps).round() as u8)
            });
            let draft = Draft { scores: scores.collect(), comment: COMMENT.to_owned(), ..Draft::default() };
            let Token(key) = &item.token;
            services.grading.submit(&rater, &item.token, draft, &format!("demo-{key}"), true).await?;
        }
    }
    Ok(())
}

/// Starts a run of each model's outputs if there are no runs yet; the server's engine executes them. Returns
/// false on a machine that cannot run tests.
pub async fn run(services: &Services) -> Answer<bool> {
    let admin = System.admin();
    if !readiness::check(None).missing.is_empty()
        || !services.runs.list(&admin, None, PageOf::first(1)).await?.rows.is_empty()
    {
        return Ok(false);
    }
    for submission in submissions(services, starter::DATASET).await? {
        services.runs.start(&admin, NewRun::of(submission)).await?;
    }
    Ok(true)
}

/// Imports the starter tasks in other languages and starts a run of each model's outputs in those that this machine can
/// run, if they have none yet. Returns lines for the operator.
pub async fn languages(services: &Services) -> Answer<Vec<String>> {
    let admin = System.admin();
    let mut lines = Vec::new();
    for dataset in starter::languages(services).await?.datasets {
        let mut started = 0;
        for submission in submissions(services, &dataset.slug).await? {
            let has_run = !services.runs.list(&admin, Some(submission), PageOf::first(1)).await?.rows.is_empty();
            match has_run {
                true => {}
                false => match services.runs.start(&admin, NewRun::of(submission)).await {
                    Ok(_) => started += 1,
                    // The reason names the command that installs what is missing.
                    Err(AppError::Conflict(why)) => {
                        lines.push(format!("{}: {}", dataset.slug, why));
                        break;
                    }
                    Err(error) => return Err(error),
                },
            }
        }
        if started > 0 {
            lines.push(format!("Started a test run of each model of {}.", dataset.slug));
        }
    }
    Ok(lines)
}

/// The submissions of a starter dataset in import order.
async fn submissions(services: &Services, dataset: &str) -> Answer<Vec<SubmissionId>> {
    let of = PageOf::first(PageOf::MOST);
    let rows = services.submissions.list(&System.admin(), Some(dataset.to_owned()), of).await?.rows;
    let mut ids: Vec<SubmissionId> = rows.iter().map(|row| row.id).collect();
    ids.sort_unstable();
    Ok(ids)
}

async fn outputs(services: &Services, submission: SubmissionId) -> Answer<Vec<OutputRow>> {
    let of = PageOf::first(PageOf::MOST);
    Ok(services.submissions.outputs(&System.admin(), submission, OutputFilter::default(), of).await?.rows)
}

/// Index of the model that wrote a code: raters cannot tell, but invented ratings should differ by model.
async fn models_by_code(services: &Services) -> Answer<HashMap<String, usize>> {
    let mut models = HashMap::new();
    for (model, submission) in submissions(services, starter::DATASET).await?.into_iter().enumerate() {
        for output in outputs(services, submission).await? {
            let detail = services.submissions.output(&System.admin(), output.id).await?;
            models.insert(text(&detail.code), model);
        }
    }
    Ok(models)
}

fn text(code: &CodeView) -> String {
    code.raw.iter().map(|line| line.text() + "\n").collect()
}

fn person(user: &UserRow) -> Answer<Person> {
    let UserRow { id, name, role, .. } = user;
    let me = Me { id: *id, name: name.clone(), role: *role, lang: Lang::En, settings: Default::default() };
    Person::of(&Caller::User(me))
}
