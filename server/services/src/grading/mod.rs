//! The rater's side of a study.
//!
//! Work is assigned one output at a time, under a lease, so that an absent rater blocks nobody for longer,
//! and still finds their draft later. The order is drawn from the study's seed for each rater, and two
//! outputs of one task are kept apart. The database, not this code, ensures that an output gets exactly its
//! number of different raters.
//!
//! `item` implements the actions on one item, `hand_out` chooses the next one.

mod differences;
mod hand_out;
mod item;

use std::collections::HashSet;

use async_trait::async_trait;
use model::{
    caller::Person,
    day::Day,
    error::{Answer, AppError},
    feedback::{Calibration, CalibrationStep, Feedback, FlagReply},
    grading::{
        Draft, GradingItem, Halt, MyStudy, Next, NextTask, OWN_RATINGS, OwnItems, OwnRating, OwnRatings, Progress,
        Receipt, RubricSheet,
    },
    guidelines::GuidelinesState,
    ids::{OutputId, Token, UserId},
    lang::Lang,
    plan::Presentation,
    rubric::Rubric,
    study::StudyStatus,
    time::Timestamp,
};
use port::Grading;
use prometheus_client::metrics::counter::Counter;
use rusqlite::Connection;

use self::item::Item;
pub use self::{
    hand_out::{has_left, lease_end, progress},
    item::Verb,
};
use crate::{
    conversation_view,
    quality::{
        self,
        calibration::{self, Gate},
        hidden_checks::HiddenChecks,
    },
    visible_texts::{self, VisibleTexts},
};
use base::{clock, error::Failure};
use db::{
    Db, bookmarks,
    grading::{self, RaterStudy},
    guidelines,
    quality::{
        checks::{self, Check},
        flags,
    },
    queue,
};

/// Maximum length of a submission key, in bytes.
const KEY_MAX: usize = 64;

pub struct GradingService {
    db: Db,
    /// Ratings that were accepted since the start of the process, replaced ones and known-score items included.
    pub submitted: Counter,
}

impl GradingService {
    pub fn new(db: Db) -> Self {
        GradingService { db, submitted: Counter::default() }
    }

    async fn view(parts: Parts, lang: Lang) -> Answer<GradingItem> {
        let Parts {
            token,
            study,
            visible_texts,
            draft,
            rated,
            progress,
            previous,
            following,
            calibration,
            replies,
            bookmarked,
            guidelines,
            rubric,
        } = parts;
        Ok(GradingItem {
            code: syntax::view_of_item(
                &token,
                visible_texts.code,
                visible_texts.surrounding_text,
                visible_texts.code_lang,
            )
            .await,
            token,
            study: study.token,
            title: study.title,
            presentation: study.settings.presentation,
            raw_nl: visible_texts.raw_nl,
            nl_lang: visible_texts.nl_lang,
            signature: visible_texts.signature,
            conversation: conversation_view::view(lang, visible_texts.conversation).await?,
            rubric,
            draft,
            rated,
            progress,
            previous,
            following,
            calibration,
            replies,
            bookmarked,
            break_minutes: study.settings.quality.break_minutes,
            guidelines,
        })
    }

    /// Adds the formatted code, outside the transaction.
    async fn answer(found: Found, lang: Lang) -> Answer<Next> {
        Ok(match found {
            Found::Parts(parts) => Next::Item(Box::new(Self::view(*parts, lang).await?)),
            Found::Feedback(feedback, visible_texts) => {
                let code =
                    syntax::view(visible_texts.code, visible_texts.surrounding_text, visible_texts.code_lang).await;
                let conversation = conversation_view::view(lang, visible_texts.conversation).await?;
                let feedback = Feedback { code, conversation, ..*feedback };
                Next::Calibration(Box::new(Calibration::Feedback(Box::new(feedback))))
            }
            Found::Other(next) => next,
        })
    }
}

/// What a transaction returns for a [`GradingItem`]; the code is formatted after it has ended.
struct Parts {
    token: Token,
    study: RaterStudy,
    visible_texts: VisibleTexts,
    draft: Draft,
    rated: bool,
    progress: Progress,
    previous: Option<Token>,
    following: Option<Token>,
    calibration: Option<CalibrationStep>,
    replies: Vec<FlagReply>,
    bookmarked: bool,
    guidelines: GuidelinesState,
    /// The study's, with the items that this output adds.
    rubric: Rubric,
}

/// [`Next`] before its code is formatted.
enum Found {
    Parts(Box<Parts>),
    Feedback(Box<Feedback>, VisibleTexts),
    Other(Next),
}

#[async_trait]
impl Grading for GradingService {
    async fn my_studies(&self, person: &Person) -> Answer<Vec<MyStudy>> {
        let rater = person.id;
        Ok(self
            .db
            .read(move |conn| {
                let studies = grading::studies(conn, rater)?;
                let today = Day::of(clock::now());
                let my_studies = studies.into_iter().map(|study| {
                    Ok(MyStudy {
                        progress: progress(conn, &study, rater)?,
                        guidelines: guidelines::state(conn, study.id, rater)?,
                        presentation: study.settings.presentation,
                        token: study.token,
                        title: study.title,
                        open: study.status == StudyStatus::Running && !study.paused,
                        paused: study.paused,
                        due: study.settings.quality.due.map(|day| (day, today.is_some_and(|today| today > day))),
                    })
                });
                let mut my_studies = my_studies.collect::<Result<Vec<_>, Failure>>()?;
                // Work that has been begun first, then new work, then what is done or not open; newest first in each.
                my_studies.sort_by_key(|study| match (study.open, study.progress.left, study.progress.rated) {
                    (true, 1.., 1..) => 0,
                    (true, 1.., 0) => 1,
                    (true, 0, _) => 2,
                    (false, ..) => 3,
                });
                Ok(my_studies)
            })
            .await?)
    }

    async fn next(&self, person: &Person, study: &Token, holding: Vec<Token>) -> Answer<Next> {
        let (rater, lang) = (person.id, person.lang);
        let token = study.clone();
        let found = self
            .db
            .write(move |tx| {
                let study = grading::study(tx, &token, rater)?.ok_or_else(|| Failure::not_found("study"))?;
                if let Some(why) = halt(&study) {
                    let progress = progress(tx, &study, rater)?;
                    return Ok(Found::Other(Next::Paused { title: study.title, progress, why }));
                }
                if let Some(first) = calibration(tx, &study, rater, lang, &holding)? {
                    return Ok(first);
                }
                match hand_out::next_item(tx, &study, rater, &holding)? {
                    Some(item) => Ok(Found::Parts(Box::new(item.show(tx)?))),
                    None => Ok(Found::Other(finished(tx, study, rater)?)),
                }
            })
            .await?;
        Self::answer(found, lang).await
    }

    async fn next_task(&self, person: &Person, study: &Token, holding: Vec<Token>) -> Answer<NextTask> {
        let (rater, lang) = (person.id, person.lang);
        let token = study.clone();
        let found = self
            .db
            .write(move |tx| {
                let study = grading::study(tx, &token, rater)?.ok_or_else(|| Failure::not_found("study"))?;
                // Calibration items come one at a time in every study.
                let halt = halt(&study);
                let calibration = halt.is_none() && calibration(tx, &study, rater, lang, &holding)?.is_some();
                if study.settings.presentation == Presentation::One || calibration {
                    return Ok(Err(NextTask::OneByOne));
                }
                if let Some(why) = halt {
                    let progress = progress(tx, &study, rater)?;
                    return Ok(Err(NextTask::Paused { title: study.title, progress, why }));
                }
                match hand_out::next_task_excluding(tx, &study, rater, &holding)? {
                    Some(outputs) => {
                        let parts =
                            outputs.into_iter().map(|(output, _)| Item::work(study.clone(), rater, output).show(tx));
                        Ok(Ok(parts.collect::<Result<Vec<_>, Failure>>()?))
                    }
                    None => {
                        let progress = progress(tx, &study, rater)?;
                        let (previous, _) = grading::neighbors(tx, study.id, rater, None)?;
                        Ok(Err(NextTask::Finished { title: study.title, progress, previous }))
                    }
                }
            })
            .await?;
        Ok(match found {
            Ok(parts) => {
                let views = parts.into_iter().map(|parts| Self::view(parts, lang));
                let items = futures::future::try_join_all(views).await?;
                NextTask::Task(differences::marked(items).await?)
            }
            Err(other) => other,
        })
    }

    async fn item(&self, person: &Person, assignment: &Token) -> Answer<GradingItem> {
        let (rater, lang) = (person.id, person.lang);
        let token = assignment.clone();
        let parts = self.db.read(move |conn| Item::resolve(conn, &token, rater)?.show(conn)).await?;
        Self::view(parts, lang).await
    }

    async fn save_draft(&self, person: &Person, assignment: &Token, draft: Draft) -> Answer<()> {
        let rater = person.id;
        let token = assignment.clone();
        Ok(self.db.write(move |tx| Item::resolve(tx, &token, rater)?.save_draft(tx, draft)).await?)
    }

    async fn submit(
        &self,
        person: &Person,
        assignment: &Token,
        draft: Draft,
        key: &str,
        first: bool,
    ) -> Answer<Receipt> {
        let rater = person.id;
        if key.len() > KEY_MAX || !key.chars().all(|c| c.is_ascii_graphic()) {
            return Err(AppError::Malformed);
        }
        // A form without JavaScript sends no key and needs none: the same content again is recognized.
        let key = if key.is_empty() { clock::token().0 } else { key.to_owned() };
        let token = assignment.clone();
        let receipt = self.db.write(move |tx| Item::resolve(tx, &token, rater)?.submit(tx, draft, &key, first)).await?;
        self.submitted.inc();
        Ok(receipt)
    }

    async fn skip(&self, person: &Person, assignment: &Token) -> Answer<()> {
        let rater = person.id;
        let token = assignment.clone();
        Ok(self.db.write(move |tx| Item::resolve(tx, &token, rater)?.skip(tx)).await?)
    }

    async fn undo(&self, person: &Person, assignment: &Token) -> Answer<()> {
        let rater = person.id;
        let token = assignment.clone();
        Ok(self.db.write(move |tx| Item::resolve(tx, &token, rater)?.undo(tx)).await?)
    }

    async fn bookmark(&self, person: &Person, assignment: &Token, on: bool) -> Answer<()> {
        let rater = person.id;
        let token = assignment.clone();
        Ok(self.db.write(move |tx| Item::resolve(tx, &token, rater)?.bookmark(tx, on)).await?)
    }

    async fn own_items(&self, person: &Person, study: &Token) -> Answer<OwnItems> {
        let rater = person.id;
        let token = study.clone();
        Ok(self
            .db
            .read_long(move |conn| {
                let study = grading::study(conn, &token, rater)?.ok_or_else(|| Failure::not_found("study"))?;
                own_items(conn, &study, rater)
            })
            .await?)
    }

    async fn rubric(&self, person: &Person, study: &Token) -> Answer<RubricSheet> {
        let rater = person.id;
        let token = study.clone();
        Ok(self
            .db
            .read(move |conn| {
                let study = grading::study(conn, &token, rater)?.ok_or_else(|| Failure::not_found("study"))?;
                Ok(RubricSheet { title: study.title, rubric: study.rubric })
            })
            .await?)
    }

    async fn own(&self, person: &Person, study: &Token, words: &str, page: usize) -> Answer<OwnRatings> {
        let rater = person.id;
        let (token, words) = (study.clone(), words.to_lowercase());
        Ok(self
            .db
            .read(move |conn| {
                let study = grading::study(conn, &token, rater)?.ok_or_else(|| Failure::not_found("study"))?;
                own_ratings(conn, &study, rater, &words, page)
            })
            .await?)
    }
}

/// Why the rater gets nothing to rate now, if anything.
fn halt(study: &RaterStudy) -> Option<Halt> {
    match study {
        RaterStudy { status, .. } if *status != StudyStatus::Running => Some(Halt::Study),
        RaterStudy { paused: true, .. } => Some(Halt::Rater),
        RaterStudy { warning: Some(warning), .. } => Some(Halt::Warning(*warning)),
        _ => None,
    }
}

fn replies(conn: &Connection, rater: UserId, token: &Token) -> Result<Vec<FlagReply>, Failure> {
    Ok(flags::of_item(conn, rater, token)?.into_iter().map(quality::reply).collect())
}

fn finished(conn: &Connection, study: RaterStudy, rater: UserId) -> Result<Next, Failure> {
    let progress = progress(conn, &study, rater)?;
    let (previous, _) = grading::neighbors(conn, study.id, rater, None)?;
    Ok(Next::Finished { title: study.title, progress, previous })
}

/// A page, from 1, of the rater's ratings that count, newest first, of work and hidden checks alike.
///
/// Of ratings of the same code for the same description, only the newest is in the list. So it is with two models that gave
/// the same answer, and so a hidden repeat is never listed together with the rating that it repeats.
fn own_ratings(
    conn: &Connection,
    study: &RaterStudy,
    rater: UserId,
    words: &str,
    page: usize,
) -> Result<OwnRatings, Failure> {
    let checks = HiddenChecks::of(conn, study, rater)?;
    let mut all: Vec<(Own<'_>, OwnRating)> = Vec::new();
    for grading::Own { output, code, comment, rating } in grading::own(conn, study, rater)? {
        all.push((Own { of: Listed::Work(output), code, comment }, rating));
    }
    for (at, check) in checks.rated() {
        let Some(draft) = checks::current(conn, check.id)? else { continue };
        let texts = calibration::stored_texts(conn, check)?.0;
        let rating = OwnRating {
            token: check.token.clone(),
            at,
            scores: draft.scores,
            scales: study.rubric.scales(),
            commented: !draft.comment.is_empty(),
            flagged: draft.flag.is_some(),
            notes: draft.notes,
            raw_nl: texts.raw_nl,
            nl_lang: texts.nl_lang,
        };
        all.push((Own { of: Listed::Check(check), code: texts.code, comment: draft.comment }, rating));
    }
    all.sort_by_key(|(_, rating)| std::cmp::Reverse(rating.at));
    let mut seen = HashSet::new();
    all.retain(|(found, rating)| seen.insert((rating.raw_nl.clone(), found.code.clone())));
    all.retain(|(found, rating)| found.has(words, rating));
    let before = page.saturating_sub(1).saturating_mul(OWN_RATINGS);
    let older = all.len() > before.saturating_add(OWN_RATINGS);
    let rows = all.into_iter().skip(before).take(OWN_RATINGS).map(|(found, rating)| {
        let visible = match found.of {
            Listed::Work(output) => visible_texts::of_output(conn, output)?,
            Listed::Check(check) => calibration::visible_texts(conn, check)?,
        };
        let notes = visible.as_read(rating.notes);
        Ok(OwnRating { raw_nl: visible.raw_nl, notes, ..rating })
    });
    Ok(OwnRatings { rows: rows.collect::<Result<_, Failure>>()?, older })
}

/// An item of the rater's own list.
enum Listed<'a> {
    Work(OutputId),
    Check(&'a Check),
}

/// By what a rating is found and told apart.
struct Own<'a> {
    of: Listed<'a>,
    code: String,
    comment: String,
}

impl Own<'_> {
    /// Whether the description, the comment and the line notes have all these words, which are in lower case.
    fn has(&self, words: &str, rating: &OwnRating) -> bool {
        let notes = rating.notes.iter().map(|note| note.text.as_str());
        let texts = [rating.raw_nl.as_str(), self.comment.as_str()].into_iter().chain(notes);
        let text = texts.collect::<Vec<_>>().join("\n").to_lowercase();
        words.split_whitespace().all(|word| text.contains(word))
    }
}

/// The rater's skipped and bookmarked items, newest first, of work and hidden checks.
fn own_items(conn: &Connection, study: &RaterStudy, rater: UserId) -> Result<OwnItems, Failure> {
    let mut older = false;
    let mut listed = |mut found: Vec<(Timestamp, Token)>| {
        found.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
        older |= found.len() > OwnItems::MOST;
        found.truncate(OwnItems::MOST);
        let items = found.into_iter().map(|(_, token)| Item::resolve(conn, &token, rater)?.listed(conn));
        items.collect::<Result<Vec<_>, Failure>>()
    };
    let mut skipped = queue::skipped(conn, study.id, rater)?;
    let checks = HiddenChecks::of(conn, study, rater)?;
    skipped.extend(checks.skipped().map(|(at, check)| (at, check.token.clone())));
    let (skipped, bookmarked) = (listed(skipped)?, listed(bookmarks::list(conn, study.id, rater)?)?);
    Ok(OwnItems { skipped, bookmarked, older })
}

/// Calibration steps that come before the work.
fn calibration(
    tx: &Connection,
    study: &RaterStudy,
    rater: UserId,
    lang: Lang,
    holding: &[Token],
) -> Result<Option<Found>, Failure> {
    let other = |calibration| Ok(Some(Found::Other(Next::Calibration(Box::new(calibration)))));
    match calibration::gate(tx, study, rater, holding)? {
        Gate::Open => Ok(None),
        Gate::Item(item) => Ok(Some(Found::Parts(Box::new(Item::check(study.clone(), item).show(tx)?)))),
        Gate::Feedback(item) => {
            let visible_texts = calibration::visible_texts(tx, &item)?;
            let feedback = calibration::feedback(tx, study, &item, lang)?;
            Ok(Some(Found::Feedback(Box::new(feedback), visible_texts)))
        }
        Gate::Passed(result) => other(Calibration::Passed(result)),
        Gate::Stopped(result) => other(Calibration::Stopped(result)),
    }
}
