//! The states of what admins start, in one list, so that studies, test runs, collections and judgings share their words and
//! colors.

use super::{collection::CollectionStatus, run::RunStatus, study::StudyStatus};

/// A state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Not started.
    Draft,
    Running,
    /// Interrupted by a person, who may resume it.
    Paused,
    /// Interrupted by a person or a limit; it can be resumed.
    Stopped,
    /// Everything is done.
    Finished,
    /// Ended by a person.
    Closed,
}

impl From<StudyStatus> for State {
    fn from(status: StudyStatus) -> State {
        match status {
            StudyStatus::Draft => State::Draft,
            StudyStatus::Running => State::Running,
            StudyStatus::Paused => State::Paused,
            StudyStatus::Closed => State::Closed,
        }
    }
}

impl From<RunStatus> for State {
    fn from(status: RunStatus) -> State {
        match status {
            RunStatus::Running => State::Running,
            RunStatus::Stopped => State::Stopped,
            RunStatus::Finished => State::Finished,
        }
    }
}

impl From<CollectionStatus> for State {
    fn from(status: CollectionStatus) -> State {
        match status {
            CollectionStatus::Draft => State::Draft,
            CollectionStatus::Running => State::Running,
            CollectionStatus::Stopped => State::Stopped,
            CollectionStatus::Finished => State::Finished,
        }
    }
}
