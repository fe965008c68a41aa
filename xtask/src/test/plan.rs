//! What to run: the stages of a whole run, or what the command line names.

use anyhow::{Result, bail};

use super::{Counts, Lane, STAGES, Stage, journeys, prerequisites::Prerequisites, rust};

/// A stage, or the requested part of one.
pub struct Step {
    pub title: String,
    /// The stage's name, if it is a whole stage.
    pub name: Option<&'static str>,
    pub what: What,
    pub lane: Lane,
    /// The stages that must have ended before.
    pub after: &'static [&'static str],
}

pub enum What {
    Stage(fn(&Prerequisites) -> Result<Counts>),
    Journeys(Vec<String>),
    Rust(String),
}

impl Step {
    fn of(stage: &Stage, lane: Lane, after: &'static [&'static str]) -> Step {
        let title = format!("{}: {}", stage.name, stage.about);
        Step { title, name: Some(stage.name), what: What::Stage(stage.run), lane, after }
    }

    /// A part of a stage.
    fn part(title: String, what: What) -> Step {
        Step { title, name: None, what, lane: Lane::Server, after: &[] }
    }

    pub fn run(&self, prerequisites: &Prerequisites) -> Result<Counts> {
        match &self.what {
            What::Stage(run) => run(prerequisites),
            What::Journeys(names) => journeys::some(prerequisites, names),
            What::Rust(name) => rust::some(prerequisites, name),
        }
    }
}

/// The stages to run: those of a whole run without names. A name is a stage, otherwise a journey, otherwise part of a
/// Rust test's path; what is named runs one after the other.
pub fn plan(names: &[String]) -> Result<Vec<Step>> {
    if names.is_empty() {
        return Ok(STAGES.iter().filter_map(|stage| Some(Step::of(stage, stage.lane?, stage.after))).collect());
    }
    let all_journeys = journeys::names()?;
    let (mut steps, mut chosen) = (Vec::new(), Vec::new());
    for name in names {
        let file = name.trim_end_matches(".ts").trim_end_matches(".spec");
        if let Some(found) = STAGES.iter().find(|stage| stage.name == name) {
            steps.push(Step::of(found, Lane::Server, &[]));
        } else if all_journeys.iter().any(|journey| journey == file) {
            chosen.push(file.to_owned());
        } else if rust::find()?.iter().any(|test| test.path.contains(name.as_str())) {
            steps.push(Step::part(format!("rust: {name}"), What::Rust(name.clone())));
        } else {
            bail!("no stage, journey or Rust test is named `{name}`; `cargo xtask test --list` prints all names");
        }
    }
    if !chosen.is_empty() {
        steps.push(Step::part(format!("journeys: {}", chosen.join(", ")), What::Journeys(chosen)));
    }
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_stage_a_journey_or_a_rust_test() {
        let titles = |names: &[&str]| -> Vec<String> {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            plan(&names).unwrap().into_iter().map(|step| step.title).collect()
        };
        // The whole run lints the server and the client as it builds them.
        assert_eq!(titles(&[]).len(), STAGES.len() - 2);
        assert_eq!(titles(&["format"]), ["format: formatting"]);
        assert_eq!(titles(&["kill", "runs.spec.ts"]), ["journeys: kill, runs"]);
        let this = "a_name_is_a_stage_a_journey_or_a_rust_test";
        assert_eq!(titles(&[this]), [format!("rust: {this}")]);
        // The name must not occur in this file as a test's.
        assert!(plan(&["no_such_test_anywhere".to_owned()]).is_err());
    }
}
