//! How the code of a chat response was found.

use serde::{Deserialize, Serialize};

/// A chat response as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Reading {
    /// What the model thought before it answered; empty if it shows no reasoning. Never run, and never shown to raters.
    pub reasoning: String,
    /// Why the code is what it is.
    pub why: Why,
    /// The code blocks of the answer, in order.
    pub blocks: Vec<ReadBlock>,
}

impl Reading {
    /// Whether the response contains more than its code.
    pub fn is_plain(&self) -> bool {
        self.reasoning.is_empty() && self.blocks.is_empty() && self.why == Why::Whole
    }
}

/// A code block of a response.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct ReadBlock {
    /// The language that it is marked with; empty if it has no mark.
    pub language: String,
    pub code: String,
    pub role: BlockRole,
    /// Whether the response ends within it.
    pub is_cut_off: bool,
}

/// What a code block is to the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum BlockRole {
    /// It is the output.
    Code,
    /// The output needs something from it, which stands before the code.
    Helper,
    /// It is not part of the output.
    Left,
}

/// Why the code of a response is the output.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// The answer has no code block, so all of it is code.
    #[default]
    Whole,
    /// The reasoning does not end, so there is no answer.
    NoAnswer,
    /// It is the only block.
    Only,
    /// It is the only block that defines this name, which the task asks for.
    Defines(String),
    /// Of several blocks that define this name, it is the last complete one.
    LastVersion(String),
    /// An admin chose the block.
    Chosen,
    /// No block defines what the task asks for. It is the first one that may be a solution, or its last version.
    First,
}
