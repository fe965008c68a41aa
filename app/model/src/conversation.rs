//! Tasks that are conversations: a base prompt and instructions that follow it, turn by turn (CodeIF-Bench).

use serde::{Deserialize, Serialize};

use super::{
    ids::{OutputId, SubmissionId},
    names::names,
    reason::DataDefect,
};

/// A defect of a task's data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnDefect {
    /// The turn that its tests cannot judge; absent if they can judge none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
    pub defect: DataDefect,
}

names! {
    /// What an instruction asks for.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum InstructionKind as name {
        /// The base prompt: the function itself.
        Base = "base",
        InputOutput = "input_output",
        ExceptionHandling = "exception_handling",
        EdgeCase = "edge_case",
        FunctionalityExtension = "functionality_extension",
        AnnotationCoverage = "annotation_coverage",
        CodeComplexity = "code_complexity",
        CodeStandard = "code_standard",
        /// Repository level only: whether the context is used.
        ContextUsage = "context_usage",
        /// Repository level only: whether the context is used correctly.
        ContextUsageCorrectness = "context_usage_correctness",
    }
}

impl InstructionKind {
    /// The name in the benchmark's files.
    pub fn title(self) -> &'static str {
        match self {
            InstructionKind::Base => "Base",
            InstructionKind::InputOutput => "Input-Output Conditions",
            InstructionKind::ExceptionHandling => "Exception Handling",
            InstructionKind::EdgeCase => "Edge Case Handling",
            InstructionKind::FunctionalityExtension => "Functionality Extension",
            InstructionKind::AnnotationCoverage => "Annotation Coverage",
            InstructionKind::CodeComplexity => "Code Complexity",
            InstructionKind::CodeStandard => "Code Standard",
            InstructionKind::ContextUsage => "Context Usage Verification",
            InstructionKind::ContextUsageCorrectness => "Context Usage Correctness Verification",
        }
    }

    /// The kind that the benchmark's files call so. Case, blanks, "-" and "_" do not matter.
    pub fn from_title(title: &str) -> Option<InstructionKind> {
        let letters = |text: &str| -> String {
            text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
        };
        let wanted = letters(title);
        InstructionKind::ALL.into_iter().find(|kind| letters(kind.title()) == wanted)
    }
}

/// How a model was asked for the outputs of a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// The base prompt alone.
    Base,
    /// The base prompt and one instruction in one message.
    Single,
    /// The base prompt, the model's answer, then one instruction.
    Multi,
    /// The base prompt, then all instructions, turn by turn; the model sees its earlier answers.
    N,
    /// As `N`, but the tests of each answer decide what is asked next, and the model is told which of them fail.
    Dynamic,
}

impl Way {
    /// Every way, in the benchmark's order.
    pub const ALL: [Way; 5] = [Way::Base, Way::Single, Way::Multi, Way::N, Way::Dynamic];

    /// The name in the database, in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Way::Base => "base",
            Way::Single => "single",
            Way::Multi => "multi",
            Way::N => "n",
            Way::Dynamic => "dynamic",
        }
    }

    /// The way of that name, which may be one of the benchmark's folders.
    pub fn from_name(name: &str) -> Option<Way> {
        match name {
            "base" => Some(Way::Base),
            "single" | "single_round" => Some(Way::Single),
            "multi" | "multi_round" => Some(Way::Multi),
            "n" | "n_round" => Some(Way::N),
            "dynamic" => Some(Way::Dynamic),
            _ => None,
        }
    }
}

/// A turn of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct TaskTurn {
    /// Its number: 0 is the base prompt.
    pub turn: u32,
    pub kind: InstructionKind,
    /// What is asked for.
    pub instruction: String,
    /// Its place in the order in which the benchmark lists the instructions, from 1; 0 for the base prompt. Outputs of
    /// single instructions have this order.
    pub listed: u32,
    /// Whether the benchmark judges the answer to this turn in a conversation of all turns.
    pub judged: bool,
}

/// The answer to the question whether an output follows an instruction of its conversation. Files have it as
/// `TURN:ANSWER`, with 1 for yes and 0 for no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct InstructionAnswer {
    /// The turn of the instruction.
    pub turn: u32,
    pub follows: bool,
}

impl InstructionAnswer {
    /// Several answers as files have them, separated by spaces.
    pub fn join(answers: &[InstructionAnswer]) -> String {
        let each = answers.iter().map(|answer| format!("{}:{}", answer.turn, u8::from(answer.follows)));
        each.collect::<Vec<_>>().join(" ")
    }

    /// Reads what [`InstructionAnswer::join`] wrote; `None` for any other text.
    pub fn split(text: &str) -> Option<Vec<InstructionAnswer>> {
        let each = text.split_whitespace().map(|word| {
            let (turn, answer) = word.split_once(':')?;
            let follows = match answer {
                "1" => true,
                "0" => false,
                _ => return None,
            };
            Some(InstructionAnswer { turn: turn.parse().ok()?, follows })
        });
        each.collect()
    }
}

/// A turn of a conversation, with the model's answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct AnsweredTurn {
    #[serde(flatten)]
    pub asked: TaskTurn,
    /// Its place in the conversation, from 0; other than `turn` in a dynamic conversation, which can ask for an instruction
    /// several times.
    pub place: u32,
    /// Whether the model was told, instead of the instruction, that its last answer fails the instruction's tests.
    pub again: bool,
    /// The answer; absent if the model gave none or it was not imported.
    pub answer: Option<TurnAnswer>,
}

/// A model's answer to a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct TurnAnswer {
    pub output: OutputId,
    /// The submission: an answer to the base prompt can be of another one than the answers that follow.
    pub submission: SubmissionId,
    /// The code, as in [`AnsweredTurn::answer`]'s output.
    pub code: String,
    /// The text around the code.
    pub surrounding_text: String,
}

/// The conversation of which an output is the last answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Conversation {
    pub way: Way,
    /// The turns in order; the last one is the output's own.
    pub turns: Vec<AnsweredTurn>,
}

names! {
    /// Which form of the benchmark's tests a run uses.
    #[derive(Default)]
    pub enum TestProfile as name {
        /// As when the authors computed the published verdicts: three tests of the first release do not parse.
        #[default]
        AsRun = "as-run",
        /// As in the data file.
        AsReleased = "as-released",
        /// By the rules of the branch `v1`: the answer to a single instruction is judged by its own tests only.
        V1 = "v1",
    }
}

/// Whether an answer fulfils one turn, by the tests of that turn alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct TurnCheck {
    pub turn: u32,
    /// By exit code, as published.
    pub published: bool,
    /// Whether the tests also ran to their end.
    pub guarded: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_answers_are_read_back() {
        let answers = [(1, true), (12, false)].map(|(turn, follows)| InstructionAnswer { turn, follows });
        assert_eq!(InstructionAnswer::join(&answers), "1:1 12:0");
        assert_eq!(InstructionAnswer::split("1:1 12:0"), Some(answers.to_vec()));
        assert_eq!(InstructionAnswer::split(""), Some(Vec::new()));
        for wrong in ["1", "1:2", "x:1", "1:1,2:0", "-1:1"] {
            assert_eq!(InstructionAnswer::split(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn names_of_kinds_and_ways_are_unique() {
        for kind in InstructionKind::ALL {
            assert_eq!(InstructionKind::from_name(kind.name()), Some(kind));
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
            assert_eq!(InstructionKind::from_title(&kind.title().to_lowercase().replace(' ', "_")), Some(kind));
        }
        for way in Way::ALL {
            assert_eq!(Way::from_name(way.name()), Some(way));
            assert_eq!(serde_json::to_value(way).unwrap(), way.name());
        }
        for profile in TestProfile::ALL {
            assert_eq!(TestProfile::from_name(profile.name()), Some(profile));
            assert_eq!(serde_json::to_value(profile).unwrap(), profile.name());
        }
        assert_eq!((InstructionKind::from_title("Bass"), Way::from_name("m")), (None, None));
    }
}
