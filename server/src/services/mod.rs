//! One service an area. A method's first statement decides whether the caller may; then it reads or
//! writes once. Browser and command line go through the same methods.

pub mod accounts;
pub mod audit;
pub mod comparisons;
pub mod datasets;
pub mod demo_results;
pub mod folder;
pub mod grading;
pub mod imports;
pub mod plans;
pub mod prune;
pub mod public_links;
pub mod quality;
pub mod ratings_import;
pub mod run_pair;
pub mod runs;
pub mod settings;
pub mod spool;
pub mod starter;
pub mod studies;
pub mod submissions;
pub mod throttle;
pub mod tokens;
pub mod uploads;
pub mod webhooks;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use app::port::Ports;

use crate::{
    db::{Db, OpenError},
    error::Failure,
};

/// Every service over one data folder; cheap to clone.
#[derive(Clone)]
pub struct Services {
    /// The database.
    pub db: Db,
    /// The data folder.
    pub folder: Arc<PathBuf>,
    /// People, invitations, logging in.
    pub accounts: Arc<accounts::AccountService>,
    /// Datasets and their versions.
    pub datasets: Arc<datasets::DatasetService>,
    /// Importing datasets.
    pub imports: Arc<imports::ImportService>,
    /// Downloads.
    pub spool: spool::Spool,
    /// Files that are sent.
    pub uploads: uploads::Uploads,
    /// Model outputs.
    pub submissions: Arc<submissions::SubmissionService>,
    /// Studies and their comparison.
    pub studies: Arc<studies::StudyService>,
    /// How studies' work is shared.
    pub plans: Arc<plans::PlanService>,
    /// Comparisons of a dataset's models.
    pub comparisons: Arc<comparisons::ComparisonService>,
    /// Ratings from elsewhere.
    pub ratings: Arc<ratings_import::RatingsImport>,
    /// Runs of automated tests.
    pub runs: Arc<runs::RunService>,
    /// The rater's side.
    pub grading: Arc<grading::GradingService>,
    /// Quality of studies: known scores, disagreements, flags, a study as it goes on.
    pub quality: Arc<quality::QualityService>,
    /// What people set for themselves.
    pub settings: Arc<settings::SettingsService>,
    /// Personal tokens for the REST API.
    pub tokens: Arc<tokens::TokenService>,
    /// Addresses that hear of ends.
    pub webhooks: webhooks::WebhookService,
    /// Public pages of closed studies.
    pub public_links: Arc<public_links::PublicLinkService>,
    /// The audit log.
    pub audit: Arc<audit::AuditService>,
}

impl Services {
    /// The services as the pages see them.
    pub fn ports(&self) -> Ports {
        Ports {
            accounts: self.accounts.clone(),
            datasets: self.datasets.clone(),
            submissions: self.submissions.clone(),
            studies: self.studies.clone(),
            plans: self.plans.clone(),
            comparisons: self.comparisons.clone(),
            ratings: self.ratings.clone(),
            runs: self.runs.clone(),
            grading: self.grading.clone(),
            quality: self.quality.clone(),
            watching: self.quality.clone(),
            feedback: self.quality.clone(),
            settings: self.settings.clone(),
            tokens: self.tokens.clone(),
            webhooks: Arc::new(self.webhooks.clone()),
            public_links: self.public_links.clone(),
        }
    }

    /// Opens the data folder, making it (readable by its owner alone) where it is missing.
    ///
    /// # Errors
    /// The folder cannot be made, or its database cannot be used: see [`OpenError`].
    pub fn open(folder: &Path) -> Result<Services, OpenFailure> {
        make_private(folder).map_err(|cause| OpenFailure::Folder { folder: folder.to_path_buf(), cause })?;
        let db = Db::open(folder)?;
        let uploads = uploads::Uploads::new(folder);
        let datasets = Arc::new(datasets::DatasetService::new(db.clone()));
        let spool = spool::Spool::new(folder);
        let comparisons = Arc::new(comparisons::ComparisonService::new(db.clone(), spool.clone()));
        let studies = Arc::new(studies::StudyService::new(db.clone(), comparisons.clone()));
        let runs = Arc::new(runs::RunService::new(db.clone(), crate::jobs::Engine::new(db.clone(), folder)));
        Ok(Services {
            imports: Arc::new(imports::ImportService::new(datasets.clone())),
            datasets,
            submissions: Arc::new(submissions::SubmissionService::new(db.clone(), uploads.clone())),
            plans: Arc::new(plans::PlanService::new(db.clone())),
            ratings: Arc::new(ratings_import::RatingsImport::new(db.clone(), uploads.clone())),
            uploads,
            spool,
            tokens: Arc::new(tokens::TokenService::new(db.clone())),
            webhooks: webhooks::WebhookService::new(db.clone(), runs.clone(), studies.clone()),
            public_links: Arc::new(public_links::PublicLinkService::new(
                db.clone(),
                studies.clone(),
                comparisons.clone(),
            )),
            studies,
            comparisons,
            runs,
            grading: Arc::new(grading::GradingService::new(db.clone())),
            quality: Arc::new(quality::QualityService::new(db.clone())),
            settings: Arc::new(settings::SettingsService::new(db.clone())),
            accounts: Arc::new(accounts::AccountService::new(db.clone())),
            audit: Arc::new(audit::AuditService::new(db.clone())),
            folder: Arc::new(folder.to_path_buf()),
            db,
        })
    }
}

/// Why a data folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OpenFailure {
    /// The folder itself.
    #[error("the data folder {} cannot be used: {cause}. Choose another with --data", .folder.display())]
    Folder {
        /// Which.
        folder: PathBuf,
        /// The operating system's word.
        cause: std::io::Error,
    },
    /// Its database.
    #[error(transparent)]
    Database(#[from] OpenError),
}

impl From<OpenFailure> for Failure {
    fn from(e: OpenFailure) -> Self {
        Failure::internal(e)
    }
}

fn make_private(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    // It holds password hashes and unpublished ratings.
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}
