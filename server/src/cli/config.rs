//! Settings: options, environment variables and a settings file, in this order. `aixgrade config` prints them.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use clap::{Arg, ArgAction, ArgMatches, CommandFactory, parser::ValueSource};
use serde::Serialize;
use toml::de::{DeTable, DeValue};

use super::{Cli, Global};
use base::error::Failure;
use command::table;
use model::server::{Setting, Source};

/// The table of the settings file that has the options of `aixgrade serve`.
const SERVE: &str = "serve";

/// The command that checks what some of these options name.
const DOCTOR: &str = "doctor";

/// Options of `aixgrade serve` that apply to one start and are not settings.
const ONE_START: [&str; 2] = ["demo", "help"];

/// Environment variables that have no option: what they are for.
const VARIABLES: [(&str, &str); 6] = [
    ("AIXGRADE_IMAGES", "images of toolchains that several servers share"),
    ("AIXGRADE_JDK", "JDK of the engine"),
    ("AIXGRADE_TOOLCHAINS", "toolchains of other languages"),
    ("AIXGRADE_SMTP_PASSWORD", "password of the SMTP server"),
    ("NODE_PATH", "modules of JavaScript"),
    ("RUST_LOG", "what is logged"),
];

/// A setting of the file.
#[derive(Clone)]
struct FromFile {
    /// Name of the option, without dashes.
    name: String,
    /// The option's name in the parser.
    id: String,
    /// The option's value; empty for one that takes no value.
    values: Vec<String>,
    path: String,
    line: u64,
}

/// A setting, and where its value comes from, as the command prints it.
#[derive(Serialize)]
struct Printed {
    setting: String,
    value: String,
    from: String,
}

/// The arguments of the program, completed by the settings file for what neither they nor the environment say.
///
/// # Errors
/// Refuses a file that cannot be read, has a syntax error, or has settings or values that do not exist.
pub fn with_file(arguments: Vec<OsString>) -> Result<Vec<OsString>, Failure> {
    // Arguments that are wrong are refused later, by the parser that reads them all.
    let Ok(matches) = Cli::command().ignore_errors(true).try_get_matches_from(&arguments) else {
        return Ok(arguments);
    };
    let Some(path) = matches.get_one::<PathBuf>("config") else { return Ok(arguments) };
    let file = read(path)?;
    let (mut global, mut options) = (Vec::new(), Vec::new());
    for setting in file {
        check(&setting)?;
        if setting.name == "data" {
            if is_open(&matches, "data") {
                global.extend(setting.arguments());
            }
        } else if let Some((name @ (SERVE | DOCTOR), command)) = matches.subcommand()
            && has_option(name, &setting.name)
            && is_open(command, &setting.id)
        {
            options.extend(setting.arguments());
        }
    }
    let mut arguments = arguments.into_iter();
    let program = arguments.next();
    Ok(program.into_iter().chain(global).chain(arguments).chain(options).collect())
}

/// Whether a command has this option.
fn has_option(command: &str, name: &str) -> bool {
    let all = Cli::command();
    all.find_subcommand(command).is_some_and(|command| command.get_arguments().any(|arg| arg.get_long() == Some(name)))
}

/// Whether neither the arguments nor the environment give this option.
fn is_open(matches: &ArgMatches, id: &str) -> bool {
    !matches!(matches.value_source(id), Some(ValueSource::CommandLine | ValueSource::EnvVariable))
}

impl FromFile {
    fn location(&self) -> String {
        format!("{}, line {}", self.path, self.line)
    }

    fn source(&self) -> Source {
        Source::File { path: self.path.clone(), line: self.line }
    }

    fn arguments(&self) -> Vec<OsString> {
        let option = format!("--{}", self.name);
        match self.values.is_empty() {
            true => vec![option.into()],
            // With an equals sign, a value may begin with a dash.
            false => self.values.iter().map(|value| format!("{option}={value}").into()).collect(),
        }
    }
}

/// Reads a settings file. An option that is switched off is left out.
fn read(path: &Path) -> Result<Vec<FromFile>, Failure> {
    let shown = path.display().to_string();
    let text = fs::read_to_string(path).map_err(|e| {
        Failure::invalid(&shown, format!("the settings cannot be read: {e}"), "Name another file with --config")
    })?;
    let parsed = DeTable::parse(&text).map_err(|e| {
        let line = e.span().map_or(1, |span| line(&text, span.start));
        let what = format!("this is not TOML: {}", e.message());
        Failure::invalid(&format!("{shown}, line {line}"), what, "docs/operating.md has an example")
    })?;
    let mut settings = Vec::new();
    for (name, value) in parsed.get_ref() {
        let at = line(&text, name.span().start);
        match (&**name.get_ref(), value.get_ref()) {
            (SERVE, DeValue::Table(options)) => {
                for (name, value) in options {
                    let at = line(&text, name.span().start);
                    settings.extend(setting(name.get_ref(), value.get_ref(), &shown, at)?);
                }
            }
            ("data", value) => settings.extend(setting("data", value, &shown, at)?),
            (name, _) => return Err(unknown(name, &format!("{shown}, line {at}"))),
        }
    }
    Ok(settings)
}

/// The line of a position, from 1.
fn line(text: &str, at: usize) -> u64 {
    text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count() as u64 + 1
}

fn setting(name: &str, value: &DeValue<'_>, path: &str, line: u64) -> Result<Option<FromFile>, Failure> {
    let location = format!("{path}, line {line}");
    let option = match name {
        "data" => Cli::command().get_arguments().find(|arg| arg.get_long() == Some(name)).cloned(),
        _ => options().into_iter().find(|arg| arg.get_long() == Some(name)),
    };
    let Some(option) = option else { return Err(unknown(name, &location)) };
    let is_switch = matches!(option.get_action(), ArgAction::SetTrue);
    let is_list = matches!(option.get_action(), ArgAction::Append);
    let values = match value {
        DeValue::Boolean(true) if is_switch => Some(Vec::new()),
        DeValue::Boolean(false) if is_switch => return Ok(None),
        DeValue::String(text) if !is_switch => Some(vec![text.to_string()]),
        DeValue::Array(items) if is_list => {
            let text = |item: &DeValue<'_>| item.as_str().map(str::to_owned);
            items.iter().map(|item| text(item.get_ref())).collect()
        }
        _ => None,
    };
    let expected = match (is_switch, is_list) {
        (true, _) => "true or false",
        (_, true) => "a list of strings, such as [\"a\", \"b\"]",
        _ => "a string in quotation marks",
    };
    match values {
        Some(values) if values.is_empty() && !is_switch => Ok(None),
        Some(values) => Ok(Some(FromFile {
            name: name.to_owned(),
            id: option.get_id().to_string(),
            values,
            path: path.to_owned(),
            line,
        })),
        None => Err(Failure::invalid(&location, format!("{name} has the wrong type"), format!("Write {expected}"))),
    }
}

/// The options of `aixgrade serve` that are settings.
fn options() -> Vec<Arg> {
    let command = Cli::command();
    let serve = command.find_subcommand(SERVE);
    let all = serve.into_iter().flat_map(clap::Command::get_arguments).cloned();
    all.filter(|arg| arg.get_long().is_some_and(|name| !ONE_START.contains(&name))).collect()
}

fn unknown(name: &str, location: &str) -> Failure {
    let known = options().iter().filter_map(|arg| arg.get_long().map(str::to_owned)).collect::<Vec<_>>().join(", ");
    Failure::invalid(location, format!("unknown setting {name:?}"), format!("Use data, or in [serve]: {known}"))
}

/// Has the option's own parser read the value, so that an error names the line of the file.
fn check(setting: &FromFile) -> Result<(), Failure> {
    let arguments = ["aixgrade".into(), SERVE.into()].into_iter().chain(setting.arguments());
    Cli::command()
        .try_get_matches_from(arguments)
        .map(drop)
        .map_err(|e| Failure::invalid(&setting.location(), summary(&e), "`aixgrade serve --help` explains the setting"))
}

/// The first line of a parser's error.
fn summary(error: &clap::Error) -> String {
    let text = error.render().to_string();
    text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

/// Addresses without the passwords that they may contain.
fn without_passwords(addresses: &str) -> String {
    let shown = addresses.split(',').map(|address| match address.split_once("://").zip(address.rsplit_once('@')) {
        Some(((scheme, rest), (_, host))) => {
            // Without a colon, it is a token.
            let user = rest.split_once(':').map_or("", |(user, _)| user);
            let user = if user.contains('@') { "" } else { user };
            format!("{scheme}://{user}:…@{host}")
        }
        None => address.to_owned(),
    });
    shown.collect::<Vec<_>>().join(",")
}

/// Every setting of the server and where its value comes from, without passwords. `arguments` are those of the program,
/// without what the settings file adds.
///
/// # Errors
/// An argument, an environment variable or the settings file is wrong.
pub fn settings(global: &Global, arguments: &[OsString]) -> Result<Vec<Setting>, Failure> {
    let matches = Cli::command()
        .try_get_matches_from(arguments)
        .map_err(|e| Failure::invalid("environment", summary(&e), "`aixgrade serve --help` explains the setting"))?;
    let file = match &global.config {
        Some(path) => read(path)?,
        None => Vec::new(),
    };
    file.iter().try_for_each(check)?;
    let mut settings = vec![Setting {
        name: "data".into(),
        value: global.folder()?.display().to_string(),
        source: data_source(global, &file),
    }];
    let serve = matches.subcommand_matches(SERVE);
    for option in options() {
        let (name, id) = (option.get_long().unwrap_or_default(), option.get_id().as_str());
        let raw = serve.and_then(|serve| serve.get_raw(id)).into_iter().flatten();
        let is_switch = matches!(option.get_action(), ArgAction::SetTrue);
        let given = match is_switch {
            true => serve.and_then(|serve| serve.try_get_one::<bool>(id).ok()?).unwrap_or(&false).to_string(),
            false => raw.map(|value| value.to_string_lossy().into_owned()).collect::<Vec<_>>().join(", "),
        };
        let in_file = file.iter().find(|setting| setting.name == name);
        let (value, source) = match (serve.and_then(|serve| serve.value_source(id)), in_file, option.get_env()) {
            (Some(ValueSource::CommandLine), ..) => (given, Source::Argument(format!("--{name}"))),
            (Some(ValueSource::EnvVariable), _, Some(variable)) => {
                (given, Source::Variable(variable.to_string_lossy().into_owned()))
            }
            (_, Some(setting), _) if setting.values.is_empty() => ("true".to_owned(), setting.source()),
            (_, Some(setting), _) => (setting.values.join(", "), setting.source()),
            _ => (given, Source::Default),
        };
        settings.push(Setting { name: name.to_owned(), value: without_passwords(&value), source });
    }
    for (variable, _) in VARIABLES {
        let value = std::env::var_os(variable).map(|value| value.to_string_lossy().into_owned());
        let value = value.map(|value| if variable.ends_with("_PASSWORD") { "…".to_owned() } else { value });
        let source = value.as_ref().map_or(Source::Default, |_| Source::Variable(variable.to_owned()));
        settings.push(Setting { name: variable.into(), value: value.unwrap_or_default(), source });
    }
    Ok(settings)
}

/// Where the data folder's name comes from.
fn data_source(global: &Global, file: &[FromFile]) -> Source {
    let in_file = file.iter().find(|setting| setting.name == "data");
    // The settings file has already been added to the arguments, so the folder is the one that counts.
    match (in_file, std::env::var_os("AIXGRADE_DATA"), &global.data) {
        (Some(setting), None, Some(data)) if setting.values == [data.display().to_string()] => setting.source(),
        (_, Some(value), Some(data)) if Path::new(&value) == data => Source::Variable("AIXGRADE_DATA".to_owned()),
        (_, _, Some(_)) => Source::Argument("--data".to_owned()),
        (_, _, None) => Source::Default,
    }
}

/// Prints every setting of the server and where it comes from.
pub fn print(global: &Global) -> Result<(), Failure> {
    let settings = settings(global, &["aixgrade".into(), SERVE.into()])?;
    let printed = settings.into_iter().map(|Setting { name, value, source }| {
        let from = match source {
            Source::Default => "default".to_owned(),
            Source::Argument(name) | Source::Variable(name) => name,
            Source::File { path, line } => format!("{path}, line {line}"),
        };
        let purpose =
            VARIABLES.iter().find(|(variable, _)| *variable == name).map(|(_, purpose)| (*purpose).to_owned());
        Printed { setting: purpose.unwrap_or(name), value, from }
    });
    global.show(&printed.collect::<Vec<_>>(), |settings| {
        let row = |s: &Printed| {
            let value = if s.value.is_empty() { "-".to_owned() } else { s.value.clone() };
            vec![s.setting.clone(), value, s.from.clone()]
        };
        table(&["SETTING", "VALUE", "FROM"], &settings.iter().map(row).collect::<Vec<_>>())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_in_addresses_are_not_shown() {
        for (address, shown) in [
            ("nats://server:secret@n1:4222,nats://n2:4222", "nats://server:…@n1:4222,nats://n2:4222"),
            ("tls://token@n1:4222", "tls://:…@n1:4222"),
            ("", ""),
        ] {
            assert_eq!(without_passwords(address), shown);
        }
    }
}
