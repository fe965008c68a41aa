//! The search over everything that an admin made.

use serde::{Deserialize, Serialize};

/// Hits of one kind at most.
pub const HITS: usize = 6;

/// Characters of a search at most; more are not read.
pub const WORDS_MAX: usize = 200;

/// A search result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Study,
    Dataset,
    Model,
    Run,
    Task,
    Person,
    Rubric,
    Group,
    Collection,
}

impl Kind {
    /// Every kind, in the order in which they are shown.
    pub const ALL: [Kind; 9] = [
        Kind::Study,
        Kind::Dataset,
        Kind::Model,
        Kind::Run,
        Kind::Task,
        Kind::Person,
        Kind::Rubric,
        Kind::Group,
        Kind::Collection,
    ];
}

/// One thing that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hit {
    pub kind: Kind,
    /// Its name: a title, a short name, the ID of a task, the number of a run.
    pub name: String,
    /// Distinguishes it from others of that name: a dataset, the beginning of a description; may be empty.
    pub detail: String,
    /// The address of its page.
    pub href: String,
}
