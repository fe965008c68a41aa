//! Feedback to raters, and disagreements as their adjudicators see them. No answer here contains a model,
//! a submission or a database id.

use async_trait::async_trait;
use model::{
    audit::{Action, Object},
    audit_details::Fact,
    caller::Person,
    error::{Answer, AppError, Refusal},
    feedback::{Disagreement, DisagreementLine, DisagreementQueue, FlagReply, OwnFigures, RaterFeedback},
    grading::TEXT_MAX,
    ids::{OutputId, StudyId, Token, UserId},
    quality::FeedbackLevel,
    study::StudyStatus,
    text::excerpt,
    user::Role,
};
use port::quality::Feedback;
use rusqlite::Connection;

use super::{
    QualityService,
    hidden_checks::HiddenChecks,
    monitoring::{FigureCache, Requester, study_figures},
};
use crate::{
    conversation_view::{asked_about, with_instructions},
    grading::progress,
    rated_output,
};
use base::error::Failure;
use db::{
    audit::Change,
    grading, instruction_answers,
    quality::{
        self, calibrations, checks,
        disagreements::{self, Listed},
        flags, limits,
    },
};

/// Replies that were read stay listed until this many newer ones have come.
const READ_SHOWN: u32 = 5;
/// Maximum number of listed disagreements of each kind.
const LISTED: usize = 100;

#[async_trait]
impl Feedback for QualityService {
    async fn rater_feedback(&self, person: &Person) -> Answer<RaterFeedback> {
        let me = person.clone();
        let cache = self.figure_cache.clone();
        Ok(self
            .db
            .read(move |conn| {
                Ok(RaterFeedback {
                    replies: flags::replies(conn, me.id, READ_SHOWN)?.into_iter().map(reply).collect(),
                    disagreements: disagreements::count_waiting(conn, me.id, me.role == Role::Admin)?,
                    figures: own_figures(conn, &cache, me.id)?,
                })
            })
            .await?)
    }

    async fn read_replies(&self, person: &Person) -> Answer<()> {
        let rater = person.id;
        Ok(self.db.write(move |tx| flags::read(tx, rater)).await?)
    }

    async fn go_on(&self, person: &Person, what: &Token) -> Answer<Token> {
        let rater = person.id;
        let token = what.clone();
        Ok(self
            .db
            .write(move |tx| {
                // Hidden checks behave as work here: both are unknown.
                let check = checks::by_token(tx, &token, rater)?.filter(|check| !check.kind.is_hidden());
                if let Some(item) = check {
                    let study = grading::study_of(tx, item.study, rater)?;
                    let study = study.ok_or_else(|| Failure::not_found("study"))?;
                    if item.rated_at.is_some() {
                        checks::acknowledge(tx, item.id)?;
                    }
                    return Ok(study.token);
                }
                let study = grading::study(tx, &token, rater)?.ok_or_else(|| Failure::not_found("study"))?;
                calibrations::acknowledge(tx, study.id, rater)?;
                limits::acknowledge(tx, study.id, rater)?;
                Ok(study.token)
            })
            .await?)
    }

    async fn disagreements(&self, person: &Person) -> Answer<DisagreementQueue> {
        let me = person.clone();
        let (user, admin) = (me.id, me.role == Role::Admin);
        let (queue, places) = self.db.read(move |conn| lines(conn, user, admin)).await?;
        // Names of listed outputs are created on first display.
        let tokens = self.handouts(user, places).await?;
        let named = queue.lines.into_iter().zip(tokens).map(|(line, token)| DisagreementLine { token, ..line });
        Ok(DisagreementQueue { lines: named.collect(), ..queue })
    }

    async fn disagreement(&self, person: &Person, token: &Token) -> Answer<Disagreement> {
        let me = person.clone();
        let token = token.clone();
        let of = token.clone();
        let (title, decided, read) = self
            .db
            .read(move |conn| {
                let (study, output) = may_decide(conn, &of, me.id, me.role == Role::Admin)?;
                let read = rated_output::Read::of_disagreement(conn, study, output, &of)?;
                Ok((super::title(conn, study)?, disagreements::current(conn, study, output)?, read))
            })
            .await?;
        Ok(Disagreement {
            token,
            title,
            output: read.view(person.lang).await?,
            adjudicated_at: decided.as_ref().map(|(_, d)| d.at),
            adjudicated: decided.map(|(_, d)| (d.scores, d.comment)),
        })
    }

    async fn decide(
        &self,
        person: &Person,
        token: &Token,
        scores: Vec<u8>,
        comment: &str,
        seen: Option<i64>,
    ) -> Answer<Option<Token>> {
        let me = person.clone();
        let comment = comment.trim().replace("\r\n", "\n");
        if comment.chars().count() > TEXT_MAX {
            return Err(AppError::invalid(
                "comment",
                ("the reason is longer than 4,000 characters", "理由超过 4,000 字"),
                ("Shorten it", "请缩短"),
            ));
        }
        let token = token.clone();
        let (user, admin) = (me.id, me.role == Role::Admin);
        let of = token.clone();
        let before = self.db.read(move |conn| following(conn, &of, user, admin)).await?;
        self.db
            .write_audited(person, Action::OutputAdjudicate, move |tx| {
                let (study, output) = may_decide(tx, &token, me.id, admin)?;
                let rubric = super::setup(tx, study)?.rubric;
                let dimensions = rubric.dimensions.len();
                let instructions = asked_about(tx, &rubric, output)?;
                let rubric = with_instructions(rubric, &instructions);
                let fits = scores.len() == rubric.dimensions.len()
                    && rubric.dimensions.iter().zip(&scores).all(|(d, score)| d.has(*score));
                if !fits {
                    return Err(Failure::invalid(
                        "scores",
                        ("a score is missing or outside its scale", "有分数缺失或超出评分范围"),
                        ("Choose a score for every dimension", "请为每个维度选择分数"),
                    ));
                }
                let standing = disagreements::current(tx, study, output)?;
                // Counts once if pressed twice.
                if standing
                    .as_ref()
                    .is_some_and(|(by, d)| *by == me.id && d.scores == scores && d.comment == comment)
                {
                    return Ok(Change::each(Vec::new(), ()));
                }
                let at = standing.map_or(0, |(_, d)| d.at.0);
                if seen.is_some_and(|seen| seen != at) {
                    return Err(Failure::conflict((
                        "Somebody else has adjudicated this meanwhile. Nothing was changed. Reload the page to see the present final scores.",
                        "其他裁定者已对此作出裁定，您的裁定未保存。请重新加载页面查看当前的最终评分。",
                    )));
                }
                let (scores, answers) = scores.split_at(dimensions.min(scores.len()));
                let adjudication = disagreements::decide(tx, study, output, me.id, scores, &comment)?;
                instruction_answers::adjudicate(tx, adjudication, &instructions, answers)?;
                Ok(Change::of(Object::Study(study), [Fact::Output(output)], ()))
            })
            .await?;
        let left = self.db.read(move |conn| disagreements::waiting(conn, user, admin, LISTED)).await?;
        let left: Vec<_> = left.into_iter().map(|listed| (listed.study, listed.output)).collect();
        // On in the list, so that what was skipped comes again at the end.
        let following = before.into_iter().find(|place| left.contains(place)).or_else(|| left.first().copied());
        Ok(self.handouts(user, following.into_iter().collect()).await?.pop())
    }
}

impl QualityService {
    /// The names under which a person knows these outputs.
    pub(crate) async fn handouts(&self, user: UserId, places: Vec<(StudyId, OutputId)>) -> Answer<Vec<Token>> {
        if places.is_empty() {
            return Ok(Vec::new());
        }
        let name = move |tx: &rusqlite::Transaction<'_>| {
            places.into_iter().map(|(study, output)| disagreements::handout(tx, study, output, user)).collect()
        };
        Ok(self.db.write(name).await?)
    }
}

/// A reply to a flag for the wire.
pub fn reply(r: flags::Reply) -> FlagReply {
    FlagReply {
        token: r.token,
        study: r.study,
        title: r.title,
        raw_nl: r.raw_nl,
        nl_lang: r.nl_lang,
        flag: r.flag,
        reply: r.reply,
        at: r.at,
        fresh: r.fresh,
    }
}

/// The token's disagreement, if the person may adjudicate it: by role, and never of an output that they rate themselves.
fn may_decide(conn: &Connection, token: &Token, user: UserId, admin: bool) -> Result<(StudyId, OutputId), Failure> {
    let found = disagreements::handed(conn, token, user)?.ok_or_else(|| Failure::not_found("disagreement"))?;
    let (study, output) = found;
    if !admin && !quality::is_adjudicator(conn, study, user)? {
        return Err(AppError::Forbidden.into());
    }
    if disagreements::rates(conn, study, output, user)? {
        return Err(AppError::Refused(Refusal::RatedYourself).into());
    }
    if disagreements::get(conn, study, output)?.is_some() {
        Ok(found)
    } else {
        Err(AppError::Refused(Refusal::Agreed).into())
    }
}

/// What follows a disagreement in its adjudicator's list.
fn following(conn: &Connection, token: &Token, user: UserId, admin: bool) -> Result<Vec<(StudyId, OutputId)>, Failure> {
    let Some(here) = disagreements::handed(conn, token, user)? else { return Ok(Vec::new()) };
    let waiting = disagreements::waiting(conn, user, admin, LISTED)?;
    let places = waiting.into_iter().map(|listed| (listed.study, listed.output));
    Ok(places.skip_while(|place| *place != here).skip(1).collect())
}

/// An adjudicator's list without names yet, and the output of each line.
fn lines(
    conn: &Connection,
    user: UserId,
    admin: bool,
) -> Result<(DisagreementQueue, Vec<(StudyId, OutputId)>), Failure> {
    let mut queue = DisagreementQueue {
        waiting: disagreements::count_waiting(conn, user, admin)?,
        adjudicated: disagreements::count_decided_by(conn, user, admin)?,
        ..DisagreementQueue::default()
    };
    let mut places = Vec::new();
    let waiting = disagreements::waiting(conn, user, admin, LISTED)?;
    // An adjudicator may change their own adjudication.
    for listed in waiting.into_iter().chain(disagreements::decided_by(conn, user, admin, LISTED)?) {
        places.push((listed.study, listed.output));
        queue.lines.push(line(conn, listed)?);
    }
    Ok((queue, places))
}

fn line(conn: &Connection, listed: Listed) -> Result<DisagreementLine, Failure> {
    let about = disagreements::about(conn, listed.output)?;
    Ok(DisagreementLine {
        token: Token(String::new()),
        title: listed.title,
        raw_nl: excerpt(&about.raw_nl, 200),
        nl_lang: about.nl_lang,
        spread: listed.spread,
        adjudicated_at: listed.adjudicated_at,
    })
}

/// The person's figures in the studies that show them.
fn own_figures(conn: &Connection, cache: &FigureCache, rater: UserId) -> Result<Vec<OwnFigures>, Failure> {
    let mut found = Vec::new();
    for study in grading::studies(conn, rater)? {
        if study.settings.quality.shown == FeedbackLevel::Nothing {
            continue;
        }
        let study_figures = study_figures(conn, study.id, cache, Requester::RaterList)?;
        let Some(own) = study_figures.raters.get(&rater).cloned() else { continue };
        if own.ratings == 0 {
            continue;
        }
        let progress = progress(conn, &study, rater)?;
        // A figure that changes with a rating would reveal a hidden check, so such studies show the figures
        // only after they are closed and ratings cannot change.
        let final_now = study.status == StudyStatus::Closed || !HiddenChecks::of(conn, &study, rater)?.are_any();
        let with_agreement = study.settings.quality.shown == FeedbackLevel::Own && final_now;
        found.push(OwnFigures {
            progress,
            per_hour: own.per_hour,
            active_ms: own.active_ms,
            figures: with_agreement.then(|| (study.rubric.clone(), own)),
            study: study.token,
            title: study.title,
        });
    }
    Ok(found)
}
