//! What an admin decides an item by: the output with its ratings, or what a rater rated last. No model is named.

use model::{
    caller::Admin,
    error::Answer,
    feedback::AnonymousRating,
    ids::{StudyId, Token, UserId},
    inbox::{InboxItem, InboxKind, InboxPreview, InboxRow, LatestRating},
    lang::Lang,
    quality::FlagOn,
};
use rusqlite::Connection;

use super::{InboxService, shown};
use crate::{
    quality::{self, calibration},
    rated_output::Read,
};
use base::error::Failure;
use db::{
    inbox::{self, Found, Subject, Waiting},
    quality::{checks, disagreements, flags},
    studies,
};

impl InboxService {
    /// The item, if it waits.
    pub(super) async fn look_at(&self, admin: &Admin, id: i64) -> Answer<Option<InboxPreview>> {
        let user = admin.id();
        let Some((row, waiting, own)) = self.db.read(move |conn| row(conn, id, user)).await? else { return Ok(None) };
        let Some(row) = self.named(user, vec![(row, waiting, own)]).await?.pop() else { return Ok(None) };
        let token = match &row.item {
            InboxItem::Disagreement { token, .. } => token.clone(),
            _ => None,
        };
        let (output, latest) = self.db.read(move |conn| decided_by(conn, waiting, token)).await?;
        let lang = admin.person().map_or(Lang::default(), |person| person.lang);
        let output = match output {
            Some(output) => Some(output.view(lang).await?),
            None => None,
        };
        Ok(Some(InboxPreview { row, output, latest }))
    }
}

fn row(conn: &Connection, id: i64, user: Option<UserId>) -> Result<Option<(InboxRow, Waiting, bool)>, Failure> {
    let Some(Found::Open(waiting)) = inbox::get(conn, id)? else { return Ok(None) };
    let Some((item, own)) = shown(conn, &waiting, user)? else { return Ok(None) };
    let Waiting { study, since, subject, .. } = waiting;
    let title = study.map(|study| studies::title(conn, study)).transpose()?.flatten();
    Ok(Some((InboxRow { id, kind: subject.kind(), study, title, since, item }, waiting, own)))
}

fn decided_by(
    conn: &Connection,
    item: Waiting,
    token: Option<Token>,
) -> Result<(Option<Read>, Vec<LatestRating>), Failure> {
    let Some(study) = item.study else { return Ok((None, Vec::new())) };
    Ok(match (item.subject, token) {
        (Subject::Flag(on), _) => (flagged(conn, study, on)?, Vec::new()),
        (Subject::Disagreement(output), Some(token)) => {
            (Some(Read::of_disagreement(conn, study, output, &token)?), Vec::new())
        }
        (Subject::Rater(InboxKind::Pace, rater), _) => (None, inbox::latest_ratings(conn, study, rater)?),
        (Subject::Rater(_, rater), _) => (None, inbox::latest_checks(conn, study, rater)?),
        // Without a token, the admin rates the output: their own rating must not depend on those of others.
        (
            Subject::Disagreement(_) | Subject::Plan | Subject::Run(..) | Subject::Delivery(_) | Subject::Routine(_),
            _,
        ) => (None, Vec::new()),
    })
}

/// The flagged output, with the rating that has the flag.
fn flagged(conn: &Connection, study: StudyId, on: FlagOn) -> Result<Option<Read>, Failure> {
    match on {
        FlagOn::Assignment(assignment) => {
            let Some((output, rating)) = flags::rating(conn, assignment)? else { return Ok(None) };
            let ratings = disagreements::rated(conn, study, output)?.map(|one| one.ratings).unwrap_or_default();
            let ratings = ratings.into_iter().filter(|(id, ..)| *id == rating);
            let ratings = ratings.map(|(id, _, scores)| (id, scores)).collect();
            Ok(Some(Read::of_ratings(conn, study, output, ratings)?))
        }
        FlagOn::Check(id) => {
            let check = checks::get(conn, id)?;
            let Some(draft) = checks::current(conn, id)? else { return Ok(None) };
            let rating = AnonymousRating {
                scores: checks::scores(&draft),
                comment: draft.comment,
                flag: draft.flag,
                notes: draft.notes,
            };
            let rubric = quality::setup(conn, study)?.rubric;
            Ok(Some(Read::of_texts(rubric, calibration::visible_texts(conn, &check)?, rating)))
        }
    }
}
