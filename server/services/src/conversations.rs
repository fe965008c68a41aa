//! CodeIF-Bench over its ways, turns and kinds, for `services::runs`, which has authorized the caller.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, PoisonError},
};

use model::{
    conversation::{InstructionKind, TestProfile, Way},
    conversation_results::{
        AuthorComparison, AuthorDifference, ConversationDataset, ConversationFigures, ConversationResults,
        DifferenceReason, DynamicFigures, LeaderboardRow, ModelConversations, Share, WayResults,
    },
    dynamic,
    ids::{ModelId, RunId, SubmissionId},
};
use rusqlite::Connection;

use base::error::Failure;
use db::conversations::{self, Answer, WayOutputs};
use stats::{
    conversations::{self as figures, Leaderboard, Part, RoundAnswer, TaskRounds},
    dynamic as of_dynamic,
};

/// Maximum number of listed differences of a run.
const MOST_DIFFERENCES: usize = 100;
/// The short names that the leaderboard's column L-1 combines: function level as published, repository level 1.
const LEADERBOARD: (&str, &str) = ("codeif-bench-v0", "codeif-bench-l-1-part-2");

/// What a model's figures were computed from: its submissions, runs and their revisions.
type Key = Vec<(SubmissionId, Option<RunId>, i64)>;

/// A model's figures with their key.
type Cached = (Key, ModelConversations);

/// Figures that did not change since they were computed, by dataset and model. One entry for each model that was shown.
#[derive(Clone, Default)]
pub struct ConversationCache(Arc<Mutex<HashMap<(String, ModelId), Cached>>>);

/// A model's answers in every way, as read.
struct Loaded {
    slug: String,
    key: Key,
    model: ModelId,
    name: String,
    ways: Vec<(WayOutputs, Vec<Answer>)>,
}

/// What was read in one snapshot. [`Read::finish`] computes the figures.
pub struct Read {
    datasets: Vec<(String, bool)>,
    /// The models of each dataset, by name.
    models: Vec<Vec<(ModelId, Key)>>,
    /// Those whose figures are not cached.
    new: Vec<Loaded>,
}

impl ConversationCache {
    /// Reads what has changed.
    ///
    /// # Errors
    /// The database fails.
    pub fn read(&self, conn: &Connection) -> Result<Read, Failure> {
        let datasets = conversations::datasets(conn)?;
        let (mut models, mut new) = (Vec::new(), Vec::new());
        for (slug, _) in &datasets {
            let mut by_model: BTreeMap<(String, i64), Vec<WayOutputs>> = BTreeMap::new();
            for of in conversations::way_outputs(conn, slug)? {
                by_model.entry((of.name.to_lowercase(), of.model.0)).or_default().push(of);
            }
            let mut of_dataset = Vec::new();
            for ((_, model), ways) in by_model {
                let model = ModelId(model);
                let key: Key = ways.iter().map(|of| (of.submission, of.run.map(|(run, _)| run), of.revision)).collect();
                of_dataset.push((model, key.clone()));
                let place = (slug.clone(), model);
                if self.lock(|cache| cache.get(&place).is_some_and(|(known, _)| *known == key)) {
                    continue;
                }
                let name = ways.first().map(|of| of.name.clone()).unwrap_or_default();
                let ways = ways.into_iter().map(|of| {
                    let answers = conversations::answers(conn, of.submission, of.run.map(|(run, _)| run))?;
                    Ok((of, answers))
                });
                let ways = ways.collect::<Result<_, Failure>>()?;
                new.push(Loaded { slug: slug.clone(), key, model, name, ways });
            }
            models.push(of_dataset);
        }
        Ok(Read { datasets, models, new })
    }

    fn lock<T>(&self, work: impl FnOnce(&mut HashMap<(String, ModelId), (Key, ModelConversations)>) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Read {
    /// Computes the figures that are not cached. Takes some tenths of a second for each model.
    pub fn finish(self, cache: &ConversationCache) -> ConversationResults {
        for loaded in self.new {
            let figures = model(&loaded);
            cache.lock(|cache| cache.insert((loaded.slug, loaded.model), (loaded.key, figures)));
        }
        let datasets = self.datasets.into_iter().zip(self.models).filter(|(_, models)| !models.is_empty());
        let datasets: Vec<ConversationDataset> = datasets
            .map(|((slug, runs), models)| {
                let known = |model: ModelId| cache.lock(|cache| cache.get(&(slug.clone(), model)).cloned());
                let models = models.into_iter().filter_map(|(model, _)| Some(known(model)?.1)).collect();
                ConversationDataset { slug, runs, models }
            })
            .collect();
        let leaderboard = leaderboard(&datasets);
        ConversationResults { datasets, leaderboard }
    }
}

/// An answer's verdict: that of the run, else the one that the authors published.
fn verdict(of: &WayOutputs, answer: &Answer) -> Option<bool> {
    match of.run {
        Some(_) => answer.published,
        None => answer.author.map(|author| author.passed),
    }
}

fn model(loaded: &Loaded) -> ModelConversations {
    let ways = loaded.ways.iter().filter_map(|(of, answers)| way(of, answers)).collect();
    ModelConversations {
        model: loaded.model,
        name: loaded.name.clone(),
        ways,
        conversation: conversation(loaded),
        dynamic: dynamic_figures(loaded),
    }
}

/// The figures of one way; `None` without a verdict.
fn way(of: &WayOutputs, answers: &[Answer]) -> Option<WayResults> {
    let kinds: Vec<InstructionKind> = InstructionKind::ALL
        .into_iter()
        .filter(|kind| answers.iter().any(|answer| answer.kind == *kind && verdict(of, answer).is_some()))
        .collect();
    if kinds.is_empty() {
        return None;
    }
    let mut parts: BTreeMap<i64, Vec<Part>> = BTreeMap::new();
    for answer in answers {
        let row = parts.entry(answer.position).or_insert_with(|| vec![(0.0, 0); kinds.len() + 2]);
        let mut add = |column: usize, passed: Option<bool>| {
            if let (Some(passed), Some(part)) = (passed, row.get_mut(column)) {
                part.0 += f64::from(u8::from(passed));
                part.1 += 1;
            }
        };
        let passed = verdict(of, answer);
        add(0, passed);
        // The same answers in both figures.
        add(1, answer.guarded.filter(|_| passed.is_some()));
        if let Some(at) = kinds.iter().position(|kind| *kind == answer.kind) {
            add(at + 2, passed);
        }
    }
    let shares = figures::shares(&parts.into_values().collect::<Vec<_>>());
    let share = |column: usize| shares.get(column).copied().unwrap_or_default();
    Some(WayResults {
        way: of.way,
        submission: of.submission,
        run: of.run.map(|(run, _)| run),
        profile: of.run.map(|(_, profile)| profile.unwrap_or_default()),
        published: share(0),
        guarded: of.run.map(|_| share(1)),
        kinds: (2..).map(share).zip(kinds).map(|(share, kind)| (kind, share)).collect(),
        authors: authors(of, answers),
    })
}

/// The verdicts of a run beside those of the authors; `None` without a run or without their verdicts.
fn authors(of: &WayOutputs, answers: &[Answer]) -> Option<AuthorComparison> {
    let profile = of.run?.1.unwrap_or_default();
    let mut comparison = AuthorComparison::default();
    for answer in answers {
        let (Some(passed), Some(author)) = (answer.published, answer.author) else { continue };
        let is_equal = passed == author.passed;
        comparison.compared += 1;
        comparison.defective += u32::from(answer.cannot_judge);
        comparison.defective_equal += u32::from(answer.cannot_judge && is_equal);
        if is_equal {
            comparison.equal += 1;
        } else if comparison.differences.len() < MOST_DIFFERENCES {
            comparison.differences.push(AuthorDifference {
                output: answer.output,
                task_id: answer.task_id.clone(),
                kind: answer.kind,
                authors_passed: author.passed,
                reason: match profile {
                    _ if author.other_text => DifferenceReason::OtherText,
                    _ if answer.cannot_judge => DifferenceReason::Defect,
                    TestProfile::AsRun => DifferenceReason::Unknown,
                    TestProfile::AsReleased | TestProfile::V1 => DifferenceReason::Profile,
                },
            });
        }
    }
    (comparison.compared > 0).then_some(comparison)
}

/// The figures of conversations of all turns; `None` without a run of them.
fn conversation(loaded: &Loaded) -> Option<ConversationFigures> {
    let (_, answers) = loaded.ways.iter().find(|(of, _)| of.way == Way::N && of.run.is_some())?;
    let base = loaded.ways.iter().find(|(of, _)| of.way == Way::Base);
    let base: HashMap<(i64, u32), bool> = base
        .iter()
        .flat_map(|(of, answers)| {
            let passed = |answer: &Answer| Some(((answer.position, answer.conversation), verdict(of, answer)?));
            answers.iter().filter_map(passed).collect::<Vec<_>>()
        })
        .collect();
    let mut tasks: BTreeMap<i64, BTreeMap<u32, Vec<&Answer>>> = BTreeMap::new();
    for answer in answers {
        tasks.entry(answer.position).or_default().entry(answer.conversation).or_default().push(answer);
    }
    let tasks: Vec<Vec<TaskRounds>> = tasks
        .into_iter()
        .map(|(position, conversations)| {
            let rounds = |(conversation, answers): (u32, Vec<&Answer>)| {
                let own = answers.iter().find(|answer| answer.turn == 0).and_then(|answer| answer.published);
                let base = own.or_else(|| base.get(&(position, conversation)).copied());
                let judged = answers.iter().filter(|answer| answer.turn > 0).filter_map(|answer| {
                    Some(RoundAnswer { turn: answer.turn, passed: answer.published?, checks: answer.checks.clone() })
                });
                let rounds = figures::rounds(base.unwrap_or(false), &judged.collect::<Vec<_>>());
                let unjudged = answers.iter().filter(|answer| answer.turn > 0 && answer.published.is_none());
                let own = unjudged.filter_map(|answer| answer.checks.iter().find(|check| check.turn == answer.turn));
                TaskRounds { base, rounds, unjudged: own.map(|check| check.published).collect() }
            };
            conversations.into_iter().map(rounds).collect()
        })
        .collect();
    Some(figures::figures(&tasks))
}

/// The figures of dynamic conversations; `None` without a run of them.
fn dynamic_figures(loaded: &Loaded) -> Option<DynamicFigures> {
    let (_, answers) = loaded.ways.iter().find(|(of, _)| of.way == Way::Dynamic && of.run.is_some())?;
    let mut tasks: BTreeMap<i64, BTreeMap<u32, Vec<dynamic::Answered>>> = BTreeMap::new();
    for answer in answers {
        let conversation = tasks.entry(answer.position).or_default().entry(answer.conversation).or_default();
        // After an answer without a verdict, it is not known what the next ones were asked for.
        if conversation.len() == answer.turn as usize && !answer.checks.is_empty() {
            conversation.push(dynamic::Answered { instruction: answer.instruction, checks: answer.checks.clone() });
        }
    }
    let rounds = |answers: Vec<dynamic::Answered>| {
        // An answer is tested with the instructions that its conversation can ask for, in order.
        let all = answers.first().map(|first| first.checks.iter().map(|check| check.turn).filter(|turn| *turn > 0));
        let instructions: Vec<u32> = all.into_iter().flatten().collect();
        dynamic::progress(&instructions, &answers).rounds
    };
    let tasks: Vec<_> = tasks.into_values().map(|of| of.into_values().map(rounds).collect()).collect();
    Some(of_dynamic::figures(&tasks))
}

/// The leaderboard's column L-1.
fn leaderboard(datasets: &[ConversationDataset]) -> Vec<LeaderboardRow> {
    let of = |slug: &str| datasets.iter().find(|dataset| dataset.slug == slug);
    let (Some(function), Some(repository)) = (of(LEADERBOARD.0), of(LEADERBOARD.1)) else { return Vec::new() };
    let counts = |share: Share| (share.count(), share.of);
    let mut rows = Vec::new();
    for model in &function.models {
        let Some(other) = repository.models.iter().find(|other| other.model == model.model) else { continue };
        for way in &model.ways {
            let Some(at_repository) = other.ways.iter().find(|other| other.way == way.way) else { continue };
            let cell = Leaderboard { function: counts(way.published), repository: counts(at_repository.published) };
            rows.push(LeaderboardRow {
                model: model.model,
                name: model.name.clone(),
                way: way.way,
                function: cell.function,
                repository: cell.repository,
                published: if way.way == Way::Base { cell.value() } else { cell.published() },
                value: cell.value(),
            });
        }
    }
    rows
}
