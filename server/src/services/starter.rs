//! What an empty data folder is filled with, through the same services that everybody uses.

use app::{
    model::{ids::SubmissionId, study::NewStudy, submission::Matching, user::Role},
    port::{Accounts, Answer, Caller, Datasets, Studies, Submissions},
};

use super::{Services, accounts::random_password, folder};
use crate::{error::Failure, formats::bundled};

/// The starter dataset's short name.
pub const DATASET: &str = "starter";
/// The demo's people; everybody's password is `demo-password-NAME`.
const PEOPLE: [(&str, Role); 4] =
    [("admin", Role::Admin), ("ada", Role::Rater), ("bo", Role::Rater), ("chen", Role::Rater)];
const STUDY: &str = "Demo: three models on the starter tasks";
/// The study's title where `demo_results` adds ratings.
pub const RATED_STUDY: &str = "Demo with invented ratings: three models on the starter tasks";

/// Loads the starter dataset and the outputs of its models where there is no dataset yet. Whether it
/// did.
pub async fn load(services: &Services) -> Answer<bool> {
    let caller = Caller::Operator;
    if !services.datasets.list(&caller).await?.is_empty() {
        return Ok(false);
    }
    services.imports.starter(&caller).await?;
    let outputs = bundled::starter_outputs().map_err(|problem| Failure::internal(problem.to_string()))?;
    for output in outputs {
        let mut incoming = services.uploads.begin(&output.file).await?;
        incoming.write(&output.bytes).await?;
        let upload = services.submissions.note_upload(&caller, incoming.finish().await?).await?;
        services.submissions.take(&caller, upload, DATASET, Matching::TaskId, &output.model).await?;
    }
    Ok(true)
}

/// Creates the demo's accounts and its study in a folder without accounts. Returns every account's name and password.
///
/// The accounts get their published passwords at the very end, in one transaction, after the folder was marked: an
/// error on the way leaves no account that anybody can log in to.
pub async fn demo(services: &Services) -> Answer<Vec<(&'static str, String)>> {
    demo_with(services, STUDY).await
}

/// The same with another title for the study.
pub async fn demo_with(services: &Services, title: &str) -> Answer<Vec<(&'static str, String)>> {
    let caller = Caller::Operator;
    for (name, role) in PEOPLE {
        services.accounts.add(&caller, name, role, &random_password()).await?;
    }
    let studies = services.studies.list(&caller).await?;
    if !studies.iter().any(|study| study.title == title) {
        let mut submissions: Vec<SubmissionId> =
            services.submissions.list(&caller, Some(DATASET.into())).await?.iter().map(|row| row.id).collect();
        submissions.sort_unstable();
        let users = services.accounts.users(&caller).await?;
        let raters = users.iter().filter(|user| PEOPLE.contains(&(user.name.as_str(), Role::Rater)));
        let new = NewStudy {
            title: title.into(),
            dataset: DATASET.into(),
            submissions,
            raters: raters.map(|user| user.id).collect(),
            overlap: 2,
            // Fixed, so that every demo shows the same order.
            seed: Some(2022),
            ..NewStudy::default()
        };
        services.studies.create(&caller, new).await?;
    }
    folder::mark_demo(&services.folder).map_err(Failure::from)?;
    let accounts = accounts();
    services.accounts.reset_passwords(&caller, &accounts).await?;
    Ok(accounts)
}

/// The demo's accounts with their passwords.
pub fn accounts() -> Vec<(&'static str, String)> {
    PEOPLE.iter().map(|(name, _)| (*name, format!("demo-password-{name}"))).collect()
}
