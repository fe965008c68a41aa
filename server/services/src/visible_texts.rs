//! An output's texts as raters and adjudicators see them, with the masked names.

use model::{
    code_lang::CodeLang,
    conversation::Conversation,
    ids::{OutputId, StudyId},
    lang::Lang,
    note::LineNote,
};
use rusqlite::Connection;

use crate::conversation_view;
use base::error::Failure;
use db::{
    grading::{self, StoredTexts},
    quality::masks,
};
use formats::masking::{Masked, mask};

/// The texts of an output and of its task.
pub struct VisibleTexts {
    pub raw_nl: String,
    pub nl_lang: Lang,
    /// The requested signature.
    pub signature: Option<String>,
    /// The requested programming language.
    pub code_lang: CodeLang,
    /// The code.
    pub code: String,
    /// The text around the code of a chat response.
    pub surrounding_text: String,
    /// The conversation of which it is the last answer, if its task is one.
    pub conversation: Option<Conversation>,
    /// Converts positions in the masked code to the stored code, if names are masked.
    pub masked: Option<Masked>,
}

impl VisibleTexts {
    /// An output's stored texts, with its masked names masked.
    pub fn of(conn: &Connection, texts: StoredTexts, output: OutputId) -> Result<VisibleTexts, Failure> {
        let names = masks::of_output(conn, output)?;
        Ok(VisibleTexts::masked(texts, conversation_view::masked(conn, output, &names)?, &names))
    }

    /// The stored texts of a study's known-score item. A name that is masked in any output of the study is masked here, too: an
    /// item that alone has it would be no work.
    pub fn of_known_item(
        conn: &Connection,
        study: StudyId,
        texts: StoredTexts,
        output: Option<OutputId>,
    ) -> Result<VisibleTexts, Failure> {
        let mut names = masks::of_study(conn, study)?;
        if let Some(output) = output {
            names.extend(masks::of_output(conn, output)?);
        }
        let conversation = output.map(|output| conversation_view::masked(conn, output, &names)).transpose()?.flatten();
        Ok(VisibleTexts::masked(texts, conversation, &names))
    }

    fn masked(texts: StoredTexts, conversation: Option<Conversation>, names: &[String]) -> VisibleTexts {
        let StoredTexts { raw_nl, nl_lang: lang, signature, code_lang, code, surrounding_text } = texts;
        if names.is_empty() {
            return VisibleTexts {
                raw_nl,
                nl_lang: lang,
                signature,
                code_lang,
                code,
                surrounding_text,
                conversation,
                masked: None,
            };
        }
        let (masked, surrounding_text) = (mask(code, names), mask(surrounding_text, names).text);
        VisibleTexts {
            raw_nl,
            nl_lang: lang,
            signature,
            code_lang,
            code: masked.text.clone(),
            surrounding_text,
            conversation,
            masked: Some(masked),
        }
    }

    /// Stored notes, with their positions in the code that raters see.
    pub fn as_read(&self, notes: Vec<LineNote>) -> Vec<LineNote> {
        match &self.masked {
            Some(masked) => masked.to_masked(notes),
            None => notes,
        }
    }
}

/// The texts of an output and of its task, with masked names.
pub fn of_output(conn: &Connection, output: OutputId) -> Result<VisibleTexts, Failure> {
    VisibleTexts::of(conn, grading::texts(conn, output)?, output)
}
