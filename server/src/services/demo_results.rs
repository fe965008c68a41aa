//! What `serve --demo` adds to the demo's study, so that comparisons show something at the first start: invented
//! ratings, given through the services that raters use, and real runs of the tests.

use std::collections::HashMap;

use app::{
    model::{
        code::CodeView,
        grading::{Draft, Next},
        ids::{SubmissionId, Token},
        lang::Lang,
        user::{Me, UserRow},
    },
    port::{Accounts, Answer, Caller, Grading, Runs, Submissions},
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Services, starter};
use crate::engine::readiness;

/// How many outputs each demo rater has rated: less than a share of the study, so that there is still work.
const RATED: [(&str, usize); 3] = [("ada", 30), ("bo", 30), ("chen", 20)];

/// Every invented rating carries it, on screen and in exports.
const COMMENT: &str = "Invented for the demo.";

/// Rates part of the demo's study, where nobody has rated anything yet.
pub async fn rate(services: &Services) -> Answer<()> {
    let models = models_by_code(services).await?;
    // Fixed, so that every demo shows the same figures.
    let mut random = ChaCha8Rng::seed_from_u64(2022);
    let users = services.accounts.users(&Caller::Operator).await?;
    for (name, most) in RATED {
        let Some(rater) = users.iter().find(|user| user.name == name).map(caller) else { continue };
        let desk = services.grading.desk(&rater).await?;
        let Some(study) = desk.into_iter().find(|study| study.title == starter::RATED_STUDY) else { continue };
        for _ in study.progress.rated as usize..most {
            let Next::Item(item) = services.grading.next(&rater, &study.token, Vec::new()).await? else { break };
            let model = models.get(&text(&item.code)).copied().unwrap_or_default();
            // The first model is the best on average, the last the worst, and every rater has an opinion of their own.
            let merit = 0.8 - 0.2 * model as f64;
            let scores = item.rubric.dimensions.iter().map(|dimension| {
                let (low, high) = dimension.range();
                let place: f64 = merit + random.random_range(-0.4..0.4);
                let steps = f64::from(high.saturating_sub(low));
                Some(low + (place.clamp(0.0, 1.0) * steps).round() as u8)
            });
            let draft = Draft { scores: scores.collect(), comment: COMMENT.to_owned(), ..Draft::default() };
            let Token(key) = &item.token;
            services.grading.submit(&rater, &item.token, draft, &format!("demo-{key}")).await?;
        }
    }
    Ok(())
}

/// Starts a run of each model's outputs where nothing was run yet; the server's engine executes them. Whether it did:
/// not on a machine that cannot run tests.
pub async fn run(services: &Services) -> Answer<bool> {
    let caller = Caller::Operator;
    if !readiness::look().missing.is_empty() || !services.runs.list(&caller, None).await?.is_empty() {
        return Ok(false);
    }
    for submission in submissions(services).await? {
        services.runs.start(&caller, submission, false).await?;
    }
    Ok(true)
}

/// The starter submissions, in the order in which they were imported.
async fn submissions(services: &Services) -> Answer<Vec<SubmissionId>> {
    let rows = services.submissions.list(&Caller::Operator, Some(starter::DATASET.to_owned())).await?;
    let mut ids: Vec<SubmissionId> = rows.iter().map(|row| row.id).collect();
    ids.sort_unstable();
    Ok(ids)
}

/// Which model, counted from 0, wrote a code: raters cannot tell, and invented ratings should differ by model.
async fn models_by_code(services: &Services) -> Answer<HashMap<String, usize>> {
    let mut models = HashMap::new();
    for (model, submission) in submissions(services).await?.into_iter().enumerate() {
        for output in services.submissions.get(&Caller::Operator, submission).await?.outputs {
            let detail = services.submissions.output(&Caller::Operator, output.id).await?;
            models.insert(text(&detail.code), model);
        }
    }
    Ok(models)
}

fn text(code: &CodeView) -> String {
    code.raw.iter().map(|line| line.text() + "\n").collect()
}

fn caller(user: &UserRow) -> Caller {
    let UserRow { id, name, role, .. } = user;
    Caller::User(Me { id: *id, name: name.clone(), role: *role, lang: Lang::En, settings: Default::default() })
}
