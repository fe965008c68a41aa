//! A toolchain whose solvers are one compiled program, each of which gives the answer of its number. Everything else is the
//! real toolchain's: how the program is compiled, its sandbox, and the judge.

use std::{
    io,
    sync::{Arc, Mutex},
};

use benchmarks::humaneval::Task;
use engine::EngineError;
use lang::{
    PublishedProgram, RunContext, Toolchain,
    guard::PooledJudge,
    process::{Budget, Running},
};
use model::code_lang::CodeLang;
use sandbox::{Child, Command, Profile, Sandbox};

use super::CHOICE;

/// A sandbox that remembers the last command that runs a compiled program.
pub struct Recording {
    pub sandbox: Arc<dyn Sandbox>,
    last: Mutex<Option<Command>>,
}

impl Recording {
    pub fn of(sandbox: Arc<dyn Sandbox>) -> Arc<Recording> {
        Arc::new(Recording { sandbox, last: Mutex::default() })
    }
}

impl Sandbox for Recording {
    fn start(&self, command: &Command) -> io::Result<Child> {
        let is_program = command.read_only.iter().any(|(_, inside)| inside.starts_with("/program/"));
        if is_program && command.profile != Profile::Build {
            *self.last.lock().unwrap() = Some(command.clone());
        }
        self.sandbox.start(command)
    }
}

/// A solver that is started once in the toolchain's way, and waits. Its files exist as long as it does.
struct Template {
    _running: Mutex<Running>,
    command: Command,
    budget: Budget,
}

impl Template {
    fn of(recording: &Recording, running: Running) -> Template {
        let command = recording.last.lock().unwrap().take().unwrap();
        Template { command, budget: running.budget(), _running: Mutex::new(running) }
    }

    fn start(&self, context: &RunContext, choice: Option<usize>) -> Result<Running, EngineError> {
        let mut command = self.command.clone();
        command.env.extend(choice.map(|number| (CHOICE.to_owned(), number.to_string())));
        context.start(&command, self.budget)
    }
}

/// The toolchain for one task.
pub struct Choosing<'a> {
    toolchain: &'a dyn Toolchain,
    recording: Arc<Recording>,
    solver: Template,
    own: Mutex<Option<Template>>,
    /// The number of the answer.
    pub choice: usize,
}

impl<'a> Choosing<'a> {
    /// Compiles a sample with all answers. The context's sandbox is `recording`.
    pub fn new(
        toolchain: &'a dyn Toolchain,
        recording: &Arc<Recording>,
        context: &RunContext,
        task: &Task,
        solution: &str,
    ) -> Choosing<'a> {
        let running = toolchain.solver(context, task, solution).unwrap();
        let running = running.unwrap_or_else(|why| panic!("{} does not compile: {why}\n{solution}", task.task_id));
        let solver = Template::of(recording, running);
        Choosing { toolchain, recording: Arc::clone(recording), solver, own: Mutex::default(), choice: 0 }
    }
}

impl Toolchain for Choosing<'_> {
    fn lang(&self) -> CodeLang {
        self.toolchain.lang()
    }

    fn version(&self) -> &str {
        self.toolchain.version()
    }

    fn published<'a>(
        &'a self,
        _: &'a RunContext,
        _: &'a Task,
        _: &'a str,
    ) -> Result<PublishedProgram<'a>, EngineError> {
        Err(EngineError::Harness("only the guard is asked".into()))
    }

    fn solver(&self, context: &RunContext, _: &Task, _: &str) -> Result<Result<Running, String>, EngineError> {
        self.solver.start(context, Some(self.choice)).map(Ok)
    }

    fn own_solver(
        &self,
        context: &RunContext,
        task: &Task,
        solution: &str,
    ) -> Result<Result<Running, String>, EngineError> {
        let mut own = self.own.lock().unwrap();
        if own.is_none() {
            match self.toolchain.own_solver(context, task, solution)? {
                Ok(running) => *own = Some(Template::of(&self.recording, running)),
                Err(why) => return Ok(Err(why)),
            }
        }
        own.as_ref().unwrap().start(context, None).map(Ok)
    }

    fn coerces_answers(&self, task: &Task) -> bool {
        self.toolchain.coerces_answers(task)
    }

    fn judge(&self, context: &RunContext, task: &Task) -> Result<Running, EngineError> {
        self.toolchain.judge(context, task)
    }

    fn pooled_judge(&self, context: &RunContext, task: &Task) -> Result<Option<PooledJudge<'_>>, EngineError> {
        self.toolchain.pooled_judge(context, task)
    }
}
