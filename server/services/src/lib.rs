//! One service an area. What a method needs of its caller is a parameter (`model::caller::Admin`, `Person`, `System`), so
//! that nothing without authorization can call it; it reads or writes once. Browser and command line go through the
//! same methods, which implement the traits of the crate `port`. This crate may not know Axum, Leptos and pages.

pub mod accounts;
pub mod announcements;
pub mod audit;
pub mod backup;
pub mod codeif;
pub mod collections;
pub mod comparisons;
mod conversation_html;
mod conversation_view;
mod conversations;
pub mod datasets;
pub mod demo_results;
pub mod disk;
pub mod find;
pub mod folder;
pub mod grading;
pub mod groups;
pub mod guidelines;
pub mod imports;
pub mod inbox;
mod languages;
pub mod mail;
pub mod overview;
pub mod plans;
pub mod prune;
pub mod public_links;
pub mod quality;
mod queue;
mod rated_output;
pub mod ratings_import;
pub mod results;
mod routines;
pub mod rubrics;
mod run_figures;
pub mod run_pair;
pub mod runs;
pub mod server;
pub mod settings;
pub mod single_sign_on;
pub mod spool;
pub mod starter;
pub mod steps;
pub mod studies;
pub mod submissions;
mod task_tests;
pub mod throttle;
pub mod tokens;
pub mod toolchains;
pub mod upkeep;
pub mod uploads;
mod visible_texts;
pub mod webhooks;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use port::Ports;

use base::{error::Failure, folders::create_private};
use db::{Db, OpenError};
use engine::readiness;

/// Every service over one data folder; cheap to clone.
#[derive(Clone)]
pub struct Services {
    pub db: Db,
    pub folder: Arc<PathBuf>,
    /// People, invitations, logging in.
    pub accounts: Arc<accounts::AccountService>,
    /// What admins tell people.
    pub announcements: Arc<announcements::AnnouncementService>,
    /// Logging in with an identity provider.
    pub single_sign_on: Arc<single_sign_on::SingleSignOn>,
    /// Email, if the operator has named an SMTP server.
    pub mail: mail::MailService,
    /// Groups of people.
    pub groups: Arc<groups::GroupService>,
    pub datasets: Arc<datasets::DatasetService>,
    pub imports: Arc<imports::ImportService>,
    pub spool: spool::Spool,
    /// Uploaded files.
    pub uploads: uploads::Uploads,
    pub submissions: Arc<submissions::SubmissionService>,
    /// Outputs requested from endpoints.
    pub collections: collections::CollectionService,
    pub studies: Arc<studies::StudyService>,
    /// How studies' work is assigned.
    pub plans: Arc<plans::PlanService>,
    pub comparisons: Arc<comparisons::ComparisonService>,
    /// Results of all models on all datasets.
    pub results: Arc<results::ResultService>,
    /// Ratings made elsewhere.
    pub ratings: Arc<ratings_import::RatingsImport>,
    pub guidelines: Arc<guidelines::GuidelineService>,
    pub rubrics: Arc<rubrics::RubricService>,
    /// Runs of automated tests.
    pub runs: Arc<runs::RunService>,
    /// The rater's side of studies.
    pub grading: Arc<grading::GradingService>,
    /// Quality of studies: known scores, disagreements, flags, live figures.
    pub quality: Arc<quality::QualityService>,
    /// The admins' inbox.
    pub inbox: Arc<inbox::InboxService>,
    /// Personal settings.
    pub settings: Arc<settings::SettingsService>,
    /// Access tokens for the REST API.
    pub tokens: Arc<tokens::TokenService>,
    pub webhooks: webhooks::WebhookService,
    /// Public pages of closed studies.
    pub public_links: Arc<public_links::PublicLinkService>,
    pub audit: Arc<audit::AuditService>,
    /// Renaming, archiving, deleting.
    pub upkeep: Arc<upkeep::UpkeepService>,
    /// Toolchains that this machine lacks.
    pub toolchains: Arc<toolchains::ToolchainService>,
    /// The search over everything.
    pub search: Arc<find::FindService>,
    /// What the operator decided at the start, and what admins asked of the server since.
    pub server: Arc<server::ServerInfo>,
}

impl Services {
    /// The services as the pages see them; `reference` describes the REST API, which is not a service.
    pub fn ports(&self, reference: Arc<dyn port::api::Reference>) -> Ports {
        Ports {
            accounts: self.accounts.clone(),
            announcements: self.announcements.clone(),
            groups: self.groups.clone(),
            datasets: self.datasets.clone(),
            submissions: self.submissions.clone(),
            studies: self.studies.clone(),
            plans: self.plans.clone(),
            comparisons: self.comparisons.clone(),
            results: self.results.clone(),
            ratings: self.ratings.clone(),
            guidelines: self.guidelines.clone(),
            rubrics: self.rubrics.clone(),
            collections: Arc::new(self.collections.clone()),
            runs: self.runs.clone(),
            grading: self.grading.clone(),
            quality: self.quality.clone(),
            monitoring: self.quality.clone(),
            feedback: self.quality.clone(),
            inbox: self.inbox.clone(),
            mail: Arc::new(self.mail.clone()),
            settings: self.settings.clone(),
            tokens: self.tokens.clone(),
            reference,
            webhooks: Arc::new(self.webhooks.clone()),
            public_links: self.public_links.clone(),
            audit: self.audit.clone(),
            upkeep: self.upkeep.clone(),
            toolchains: self.toolchains.clone(),
            search: self.search.clone(),
            overview: Arc::new(self.clone()),
            server: Arc::new(self.clone()),
        }
    }

    /// Opens the data folder. If it is missing, creates it, readable only by its owner.
    ///
    /// # Errors
    ///
    /// Fails if the folder cannot be created, or its database cannot be used: see [`OpenError`].
    pub fn open(folder: &Path) -> Result<Services, OpenFailure> {
        Services::open_with(folder, readiness::check)
    }

    /// The same where `look` tells what the engine lacks on this machine.
    ///
    /// # Errors
    /// As [`Services::open`].
    pub fn open_with(folder: &Path, readiness_check: runs::ReadinessCheck) -> Result<Services, OpenFailure> {
        // It contains password hashes and unpublished ratings.
        create_private(folder).map_err(|cause| OpenFailure::Folder { folder: folder.to_path_buf(), cause })?;
        let db = Db::open(folder)?;
        let uploads = uploads::Uploads::new(folder);
        let datasets = Arc::new(datasets::DatasetService::new(db.clone()));
        let spool = spool::Spool::new(folder);
        let comparisons = Arc::new(comparisons::ComparisonService::new(db.clone(), spool.clone()));
        let studies = Arc::new(studies::StudyService::new(db.clone()));
        let engine = jobs::Engine::new(db.clone(), folder);
        let runs = Arc::new(runs::RunService::new(db.clone(), engine.clone(), readiness_check));
        let quality = Arc::new(quality::QualityService::new(db.clone()));
        let mail = mail::MailService::new(db.clone());
        let accounts = Arc::new(accounts::AccountService::new(db.clone(), mail.clone()));
        let submissions =
            Arc::new(submissions::SubmissionService::new(db.clone(), uploads.clone(), spool.clone(), engine.clone()));
        Ok(Services {
            imports: Arc::new(imports::ImportService::new(datasets.clone())),
            datasets,
            collections: collections::CollectionService::new(
                db.clone(),
                submissions.clone(),
                uploads.clone(),
                engine.clone(),
            ),
            submissions,
            plans: Arc::new(plans::PlanService::new(db.clone())),
            ratings: Arc::new(ratings_import::RatingsImport::new(db.clone(), uploads.clone())),
            audit: Arc::new(audit::AuditService::new(db.clone(), spool.clone())),
            upkeep: Arc::new(upkeep::UpkeepService::new(db.clone())),
            toolchains: Arc::new(toolchains::ToolchainService::new(db.clone(), engine.clone(), folder)),
            search: Arc::new(find::FindService::new(db.clone())),
            server: Arc::default(),
            uploads,
            tokens: Arc::new(tokens::TokenService::new(db.clone())),
            webhooks: webhooks::WebhookService::new(db.clone(), runs.clone(), studies.clone()),
            public_links: Arc::new(public_links::PublicLinkService::new(
                db.clone(),
                studies.clone(),
                comparisons.clone(),
            )),
            results: Arc::new(results::ResultService::new(db.clone(), spool.clone(), comparisons.clone())),
            guidelines: Arc::new(guidelines::GuidelineService::new(db.clone())),
            rubrics: Arc::new(rubrics::RubricService::open(db.clone()).map_err(|why| OpenFailure::Rubric(why.into()))?),
            studies,
            comparisons,
            spool,
            inbox: Arc::new(inbox::InboxService::new(db.clone(), runs.clone(), quality.clone())),
            runs,
            grading: Arc::new(grading::GradingService::new(db.clone())),
            quality,
            settings: Arc::new(settings::SettingsService::new(db.clone())),
            single_sign_on: Arc::new(single_sign_on::SingleSignOn::new(db.clone(), accounts.clone(), mail.clone())),
            groups: Arc::new(groups::GroupService::new(db.clone())),
            announcements: Arc::new(announcements::AnnouncementService::new(db.clone())),
            accounts,
            mail,
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
        folder: PathBuf,
        /// The operating system's error.
        cause: std::io::Error,
    },
    #[error(transparent)]
    Database(#[from] OpenError),
    /// The bundled rubric cannot be stored.
    #[error("the bundled rubric cannot be stored: {0}")]
    Rubric(model::error::AppError),
}

impl From<OpenFailure> for Failure {
    fn from(e: OpenFailure) -> Self {
        Failure::internal(e)
    }
}
