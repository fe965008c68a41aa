//! CodeIF-Bench as CSV: a line for each figure of a model. docs/formats.md has the columns.

use std::io::Write;

use model::{
    conversation::TestProfile,
    conversation_results::{ConversationResults, DynamicFigures, Share},
    ids::RunId,
};

use super::csv::Table;
use base::error::Failure;

/// The table, under a header.
///
/// # Errors
/// `out` cannot be written.
pub fn csv(results: &ConversationResults, out: &mut dyn Write) -> Result<u64, Failure> {
    let head = ["dataset", "model", "way", "run", "profile", "figure", "part", "value", "of", "ci95_low", "ci95_high"];
    let mut table = Table::new(out, head)?;
    let mut lines = 0;
    for dataset in &results.datasets {
        for model in &dataset.models {
            let mut line = |way: &str, run: Option<RunId>, profile: &str, figure: &str, part: &str, share: &Share| {
                lines += 1;
                table.text(&dataset.slug)?;
                table.text(&model.name)?;
                table.value(way)?;
                table.optional(run)?;
                table.value(profile)?;
                table.value(figure)?;
                table.value(part)?;
                table.value(share.value)?;
                table.value(share.of)?;
                table.optional(share.interval.map(|interval| interval.low))?;
                table.optional(share.interval.map(|interval| interval.high))?;
                table.end_line()
            };
            for of in &model.ways {
                let (way, profile) = (of.way.name(), of.profile.map_or("", TestProfile::name));
                line(way, of.run, profile, "pass_rate_published", "", &of.published)?;
                if let Some(guarded) = &of.guarded {
                    line(way, of.run, profile, "pass_rate_guarded", "", guarded)?;
                }
                if let Some(authors) = &of.authors {
                    let share = |equal: u32, of: u32| Share {
                        value: if of == 0 { 0.0 } else { f64::from(equal) / f64::from(of) },
                        of,
                        interval: None,
                    };
                    let (equal, defective) = (authors.equal, authors.defective);
                    line(way, of.run, profile, "equal_to_authors", "", &share(equal, authors.compared))?;
                    let without = share(equal - authors.defective_equal, authors.compared - defective);
                    line(way, of.run, profile, "equal_to_authors", "without_defects", &without)?;
                }
                for (kind, share) in &of.kinds {
                    line(way, of.run, profile, "pass_rate_published", kind.name(), share)?;
                }
            }
            for (part, of) in model.dynamic.iter().flat_map(DynamicFigures::parts) {
                let mut figure = |name: &str, share: &Share| line("dynamic", None, "", name, &part, share);
                figure("instruction_accuracy", &of.instruction_accuracy)?;
                figure("conversation_accuracy", &of.accuracy)?;
                figure("instruction_following_efficiency", &of.efficiency)?;
                figure("forgotten", &of.forgotten)?;
            }
            let Some(figures) = &model.conversation else { continue };
            line("n", None, "", "instruction_accuracy", "", &figures.instruction_accuracy)?;
            line("n", None, "", "forgotten", "", &figures.forgotten)?;
            line("n", None, "", "forgotten_as_coded", "", &figures.forgotten_as_coded)?;
            for round in &figures.rounds {
                let part = format!("round_{}", round.round);
                line("n", None, "", "conversation_accuracy", &part, &round.accuracy)?;
                line("n", None, "", "instruction_accuracy", &part, &round.instruction_accuracy)?;
                if round.round > 1 {
                    line("n", None, "", "forgotten", &part, &round.forgotten)?;
                    line("n", None, "", "forgotten_as_coded", &part, &round.forgotten_as_coded)?;
                }
            }
        }
    }
    table.finish()?;
    Ok(lines)
}
