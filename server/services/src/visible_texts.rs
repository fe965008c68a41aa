//! An output's texts as raters and adjudicators see them, with the masked names.

use model::{code_lang::CodeLang, conversation::Conversation, ids::OutputId, lang::Lang, note::LineNote};
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
    /// Masks the names in stored texts that are masked in `output`; without an output, masks nothing.
    pub fn of(conn: &Connection, texts: StoredTexts, output: Option<OutputId>) -> Result<VisibleTexts, Failure> {
        let StoredTexts { raw_nl, nl_lang: lang, signature, code_lang, code, surrounding_text } = texts;
        let conversation = output.map(|output| conversation_view::masked(conn, output)).transpose()?.flatten();
        let names = output.map(|output| masks::of_output(conn, output)).transpose()?.unwrap_or_default();
        if names.is_empty() {
            return Ok(VisibleTexts {
                raw_nl,
                nl_lang: lang,
                signature,
                code_lang,
                code,
                surrounding_text,
                conversation,
                masked: None,
            });
        }
        let (masked, surrounding_text) = (mask(code, &names), mask(surrounding_text, &names).text);
        Ok(VisibleTexts {
            raw_nl,
            nl_lang: lang,
            signature,
            code_lang,
            code: masked.text.clone(),
            surrounding_text,
            conversation,
            masked: Some(masked),
        })
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
    VisibleTexts::of(conn, grading::texts(conn, output)?, Some(output))
}
