//! Fills an empty data folder, through the same services as everyone else.

use model::{
    caller::System,
    dataset::ImportReport,
    error::{Answer, AppError},
    ids::SubmissionId,
    page::PageOf,
    problem::Problem,
    study::{NewStudy, StudySettings},
    submission::{InvalidLines, Matching},
    user::Role,
};
use port::{Accounts, Datasets, Studies, Submissions};

use super::{
    Services,
    accounts::{Validity, random_password},
    folder,
};
use base::error::Failure;
use db::uploads::Purpose;
use formats::bundled::{self, StarterOutputs};

/// Slug of the starter dataset.
pub const DATASET: &str = "starter";
/// The demo's people; each password is `demo-password-NAME`.
const PEOPLE: [(&str, Role); 4] =
    [("admin", Role::Admin), ("ada", Role::Rater), ("bo", Role::Rater), ("chen", Role::Rater)];
const STUDY: &str = "Demo: three models on the starter tasks";
/// Title of the study to which `demo_results` adds ratings.
pub const RATED_STUDY: &str = "Demo with invented ratings: three models on the starter tasks";

/// Imports the starter dataset and its models' outputs if there is no dataset yet. Returns whether it did.
pub async fn load(services: &Services) -> Answer<bool> {
    let admin = System.admin();
    if !services.datasets.list(&admin, PageOf::first(1)).await?.rows.is_empty() {
        return Ok(false);
    }
    services.imports.starter(System).await?;
    for output in bundled::starter_outputs().map_err(damaged)? {
        take(services, DATASET, &output).await?;
    }
    Ok(true)
}

fn damaged(problem: Problem) -> Failure {
    Failure::internal(problem.to_string())
}

async fn take(services: &Services, dataset: &str, output: &StarterOutputs) -> Answer<()> {
    let admin = System.admin();
    let mut incoming = services.uploads.begin(&output.file).await?;
    incoming.write(&output.bytes).await?;
    let upload =
        services.submissions.note_upload(&admin, incoming.finish().await?, Purpose::outputs(Some(dataset))).await?;
    services.submissions.import(&admin, upload, dataset, Matching::TaskId, &output.model, InvalidLines::Refuse).await?;
    Ok(())
}

/// Imports the starter tasks in languages other than Java, each a dataset, with their models' outputs. Outputs that
/// are there already are left as they are.
pub async fn languages(services: &Services) -> Answer<ImportReport> {
    let mut report = ImportReport { datasets: Vec::new(), rubric: None, notes: Vec::new() };
    for (dataset, files, outputs) in bundled::starter_languages().map_err(damaged)? {
        report.datasets.extend(services.imports.bundled(System, files).await?.datasets);
        for output in outputs {
            match take(services, &dataset, &output).await {
                Ok(()) | Err(AppError::Conflict(_)) => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(report)
}

/// Creates the demo's accounts and its study in a folder without accounts. Returns the name and password of
/// every account.
///
/// The published passwords are set last, in one transaction, after the folder was marked: an error on the
/// way leaves no account that can be used to log in.
pub async fn demo(services: &Services) -> Answer<Vec<(&'static str, String)>> {
    demo_with(services, STUDY).await
}

/// The same with another study title.
pub async fn demo_with(services: &Services, title: &str) -> Answer<Vec<(&'static str, String)>> {
    let admin = System.admin();
    for (name, role) in PEOPLE {
        services.accounts.add(System, name, role, &random_password(), Validity::Lasting).await?;
    }
    let most = PageOf::first(PageOf::MOST);
    let studies = services.studies.list(&admin, most.clone()).await?.rows;
    if !studies.iter().any(|study| study.title == title) {
        let found = services.submissions.list(&admin, Some(DATASET.into()), most.clone()).await?.rows;
        let mut submissions: Vec<SubmissionId> = found.iter().map(|row| row.id).collect();
        submissions.sort_unstable();
        let users = services.accounts.users(&admin, most).await?.rows;
        let raters = users.iter().filter(|user| PEOPLE.contains(&(user.name.as_str(), Role::Rater)));
        let new = NewStudy {
            title: title.into(),
            dataset: DATASET.into(),
            submissions,
            raters: raters.map(|user| user.id).collect(),
            // Constant,  so that every demo shows the same order.
            seed: Some(2022),
            settings: StudySettings { raters_per_output: 2, ..StudySettings::default() },
            ..NewStudy::default()
        };
        services.studies.create(&admin, new).await?;
    }
    folder::mark_demo(&services.folder).map_err(Failure::from)?;
    let accounts = accounts();
    // Lasting: they are known to everybody, and changed ones would not be.
    services.accounts.reset_passwords(System, &accounts, Validity::Lasting).await?;
    Ok(accounts)
}

/// The demo's accounts with their passwords.
pub fn accounts() -> Vec<(&'static str, String)> {
    PEOPLE.iter().map(|(name, _)| (*name, format!("demo-password-{name}"))).collect()
}
