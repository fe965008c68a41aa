//! An output with ratings of it, as adjudicators and the inbox see it: without names of raters or the model.

use model::{
    code::CodeView,
    feedback::{AnonymousRating, RatedOutput},
    ids::{OutputId, StudyId, Token, UserId},
    lang::Lang,
    rubric::Rubric,
};
use rusqlite::Connection;
use sha2::{Digest, Sha256};

use crate::{
    conversation_view::{self, asked_about, with_instructions},
    quality,
    visible_texts::{self, VisibleTexts},
};
use base::error::Failure;
use db::{instruction_answers, notes, quality::disagreements};

/// What was read in a transaction. The code is formatted after it.
pub struct Read {
    rubric: Rubric,
    texts: VisibleTexts,
    ratings: Vec<AnonymousRating>,
}

impl Read {
    /// An output of a study, with ratings of it by number and scores.
    pub fn of_ratings(
        conn: &Connection,
        study: StudyId,
        output: OutputId,
        ratings: Vec<(i64, Vec<u8>)>,
    ) -> Result<Read, Failure> {
        let rubric = quality::setup(conn, study)?.rubric;
        let rubric = with_instructions(rubric.clone(), &asked_about(conn, &rubric, output)?);
        let texts = visible_texts::of_output(conn, output)?;
        let rating = |(rating, mut scores): (i64, Vec<u8>)| {
            scores.extend(instruction_answers::of_rating(conn, rating)?.into_iter().flatten());
            let (comment, flag) = disagreements::comment_and_flag(conn, rating)?;
            Ok(AnonymousRating {
                scores,
                comment,
                flag,
                notes: texts.as_read(notes::of(conn, notes::Of::Work, rating)?),
            })
        };
        let ratings = ratings.into_iter().map(rating).collect::<Result<_, Failure>>()?;
        Ok(Read { rubric, texts, ratings })
    }

    /// An output with the ratings that disagree, in an order drawn from the name of the disagreement: letter A is not
    /// always the same person.
    pub fn of_disagreement(
        conn: &Connection,
        study: StudyId,
        output: OutputId,
        token: &Token,
    ) -> Result<Read, Failure> {
        let mut ratings = disagreements::rated(conn, study, output)?.map(|one| one.ratings).unwrap_or_default();
        let place = |rater: UserId| Sha256::new().chain_update(&token.0).chain_update(rater.0.to_be_bytes()).finalize();
        ratings.sort_by_key(|(_, rater, _)| place(*rater));
        let ratings = ratings.into_iter().map(|(rating, _, scores)| (rating, scores)).collect();
        Read::of_ratings(conn, study, output, ratings)
    }

    /// Texts with one rating of them.
    pub fn of_texts(rubric: Rubric, texts: VisibleTexts, mut rating: AnonymousRating) -> Read {
        rating.notes = texts.as_read(rating.notes);
        Read { rubric, texts, ratings: vec![rating] }
    }

    /// The output as a person who reads this language sees it.
    ///
    /// # Errors
    /// Formatting was aborted.
    pub async fn view(self, lang: Lang) -> Result<RatedOutput, Failure> {
        let Read { rubric, texts, ratings } = self;
        let VisibleTexts { raw_nl, nl_lang, signature, code_lang, code, surrounding_text, conversation, .. } = texts;
        let code: CodeView = syntax::view(code, surrounding_text, code_lang).await;
        let conversation = conversation_view::view(lang, conversation).await?;
        Ok(RatedOutput { raw_nl, nl_lang, signature, code, conversation, rubric, ratings })
    }
}
