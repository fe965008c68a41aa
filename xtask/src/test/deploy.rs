//! Lints of what operators deploy, by the ecosystem's own tools: the Dockerfile, the compose file, the manifest of Kubernetes,
//! the systemd units, the scripts of the package for Debian.

use std::{fs, path::PathBuf, process::Command};

use anyhow::{Context, Result};

use super::{
    Counts,
    prerequisites::{Kind, Prerequisites, Skip},
};
use crate::{
    toolchains,
    tools::{self, command, on_path},
};

/// Runs each linter; those that cannot be had are skipped by name.
pub fn all(_: &Prerequisites) -> Result<Counts> {
    let linters = toolchains::prepared_for_tests().join("linters");
    let linter = |program: &str| command(linters.join("bin").join(program));
    let mut counts = Counts::default();
    let mut check = |name: &str, missing: Option<Kind>, command: &mut Command| -> Result<()> {
        let shown = tools::shown(command);
        if let Some(kind) = missing {
            let why = format!("`{shown}` cannot be started");
            counts.skipped.push(Skip { kind, name: name.to_owned(), why });
            return Ok(());
        }
        let output = command.output().with_context(|| format!("cannot start `{shown}`"))?;
        let printed = [output.stdout, output.stderr].concat();
        let printed = String::from_utf8_lossy(&printed);
        let is_good = output.status.success() && !printed.lines().any(is_fault);
        if !is_good {
            eprintln!("`{shown}` found:\n{}", printed.trim());
            counts.failures.push(name.to_owned());
        }
        counts.add(Counts::one(is_good));
        Ok(())
    };
    let missing = (!linters.join("complete").is_file()).then_some(Kind::Toolchain);
    check("Dockerfile", missing, linter("hadolint").arg("Dockerfile"))?;
    let compose = "docs/operating/compose.yml";
    check(compose, missing, linter("compose-spec").args(["-no-interpolation", compose]))?;
    let manifest = "docs/operating/kubernetes.yml";
    // The oldest version that it names.
    check(
        manifest,
        missing,
        linter("kubernetes-validate").args(["--strict", "--kubernetes-version", "1.30", manifest]),
    )?;
    for script in SCRIPTS {
        check(script, missing, linter("shellcheck").arg(script))?;
    }
    let missing = (!on_path("systemd-analyze")).then_some(Kind::Host);
    for unit in UNITS {
        check(unit, missing, command("systemd-analyze").arg("verify").arg(checkable(unit)?))?;
    }
    Ok(counts)
}

/// Whether a line of `systemd-analyze` names a misspelt setting, which it passes. Releases before 254 do not know one of ours.
fn is_fault(line: &str) -> bool {
    line.contains("Unknown ") && !line.contains("'DelegateSubgroup'")
}

const SCRIPTS: [&str; 2] = ["server/debian/postinst", "xtask/src/deb/check.sh"];

const UNITS: [&str; 2] = ["aixgrade.service", "aixgrade-worker.service"];

/// A copy of a unit that starts a program that exists here.
fn checkable(unit: &str) -> Result<PathBuf> {
    let folder = tools::root().join("target/units");
    fs::create_dir_all(&folder)?;
    let text = fs::read_to_string(tools::root().join("docs/operating").join(unit))?;
    let file = folder.join(unit);
    fs::write(&file, text.replace("=/usr/local/bin/", "=/usr/bin/env "))?;
    Ok(file)
}
