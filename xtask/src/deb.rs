//! `cargo xtask deb`: a package for Debian, by cargo-deb. `[package.metadata.deb]` in `server/Cargo.toml` says what is in it.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::{
    image, server, setup,
    tools::{self, command, run, run_quietly, say},
};

/// `cargo xtask deb`
#[derive(Args)]
pub struct Options {
    /// Folder with the programs to pack: `aixgrade`, `aixgrade-worker` and `aixgrade-sandbox` [default: an optimized build, made now]
    #[arg(long, value_name = "DIR")]
    programs: Option<PathBuf>,
    /// Name and address of who makes the package [default: $DEBFULLNAME and $DEBEMAIL, otherwise those of git]
    #[arg(long, value_name = "NAME <ADDRESS>")]
    maintainer: Option<String>,
    /// Also let lintian check the package, and install, upgrade and purge it in a fresh Debian
    #[arg(long)]
    check: bool,
}

/// The version of cargo-deb.
const CARGO_DEB: &str = "3.8.0";

/// Builds the package, and checks it if that is wanted.
pub fn deb(options: &Options) -> Result<()> {
    setup::for_packages(options.check)?;
    let cargo_deb = cargo_deb()?;
    let folder = tools::root().join("target/deb");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    image::stage(options.programs.as_deref(), &folder.join("bin"))?;
    let maintainer = match &options.maintainer {
        Some(maintainer) => maintainer.clone(),
        None => maintainer()?,
    };
    texts(&folder, &maintainer)?;
    say("Packing");
    let package = folder.join("aixgrade.deb");
    let mut pack = command(cargo_deb);
    pack.args(["deb", "--no-build", "--no-strip", "--package", "server", "--maintainer", &maintainer]);
    run_quietly(pack.arg("--output").arg(&package))?;
    let about = run_quietly(
        command("dpkg-deb").args(["--show", "--showformat=${Package}_${Version}_${Architecture}"]).arg(&package),
    )?;
    let named = folder.join(format!("{about}.deb"));
    fs::rename(package, &named)?;
    println!("The package is {}", named.display());
    if options.check { check(&named) } else { Ok(()) }
}

/// cargo-deb in the version that is pinned, compiled once.
fn cargo_deb() -> Result<PathBuf> {
    let place = tools::root().join("target/tools");
    let program = place.join("bin/cargo-deb");
    if !run_quietly(command(&program).arg("--version")).is_ok_and(|version| version.trim().ends_with(CARGO_DEB)) {
        say(format!("Compiling cargo-deb {CARGO_DEB}"));
        let mut install = tools::cargo();
        install.args(["install", "cargo-deb", "--version", CARGO_DEB, "--locked", "--quiet", "--force", "--root"]);
        run(install.arg(&place))?;
    }
    Ok(program)
}

/// Whom the package names, as Debian's own tools decide.
fn maintainer() -> Result<String> {
    let of_git = |key: &str| run_quietly(command("git").args(["config", key])).ok();
    let value = |variable: &str, key: &str| {
        let value = env::var(variable).ok().or_else(|| of_git(key)).unwrap_or_default().trim().to_owned();
        if value.is_empty() {
            bail!("nobody is named as the package's maintainer; use --maintainer, or set {variable}");
        }
        Ok(value)
    };
    Ok(format!("{} <{}>", value("DEBFULLNAME", "user.name")?, value("DEBEMAIL", "user.email")?))
}

/// Where shells look for completions: shell, folder below `/usr/share`, what is before and after the program's name.
const COMPLETIONS: [(&str, &str, &str, &str); 3] = [
    ("bash", "bash-completion/completions", "", ""),
    ("zsh", "zsh/vendor-completions", "_", ""),
    ("fish", "fish/vendor_completions.d", "", ".fish"),
];

/// Writes what belongs to the package besides the programs: manual pages, completions, units, the package's changelog.
fn texts(folder: &Path, maintainer: &str) -> Result<()> {
    for name in [server::PROGRAM, server::WORKER] {
        let program = folder.join("bin").join(name);
        run_quietly(command(&program).arg("man").arg(folder.join("man")))?;
        for (shell, place, before, after) in COMPLETIONS {
            let place = folder.join(place);
            fs::create_dir_all(&place)?;
            let script = run_quietly(command(&program).args(["completions", shell]))?;
            fs::write(place.join(format!("{before}{name}{after}")), script)?;
        }
    }
    let units = folder.join("units");
    fs::create_dir_all(&units)?;
    for name in ["aixgrade.service", "aixgrade-worker.service"] {
        let unit = fs::read_to_string(tools::root().join("docs/operating").join(name))?;
        fs::write(units.join(name), packaged(&unit)?)?;
    }
    let version = run_quietly(command(folder.join("bin").join(server::PROGRAM)).arg("--version"))?;
    let version = version.split_whitespace().nth(1).context("`aixgrade --version` prints no version")?.to_owned();
    let date = run_quietly(command("git").args(["log", "-1", "--format=%aD"]))?;
    let changes = "CHANGELOG.md of the sources says what has changed.";
    let entry = format!(
        "aixgrade ({version}-1) unstable; urgency=medium\n\n  * {changes}\n\n -- {maintainer}  {}\n",
        date.trim()
    );
    fs::write(folder.join("changelog"), entry)?;
    Ok(())
}

/// A unit of docs/operating with the path of the packaged program.
fn packaged(unit: &str) -> Result<String> {
    let (here, there) = ("ExecStart=/usr/local/bin/", "ExecStart=/usr/bin/");
    if !unit.contains(here) {
        bail!("the unit has no line {here}…");
    }
    let lines = unit.lines().filter(|line| !line.contains("Install it as"));
    Ok(lines.map(|line| line.replace(here, there) + "\n").collect())
}

/// What is run in a fresh Debian, whose folder is the first argument.
const INSTALLATION: &str = include_str!("deb/check.sh");

/// What lintian reports wrongly: the package is not uploaded to Debian, and the helper is linked statically on purpose.
const SUPPRESSED: [&str; 2] = ["initial-upload-closes-no-bugs", "shared-library-lacks-prerequisites"];

/// Lets lintian check the package, then installs, upgrades and purges it in a fresh Debian.
fn check(package: &Path) -> Result<()> {
    say("Checking the package with lintian");
    let mut lintian = command("lintian");
    lintian.args(["--allow-root", "--tag-display-limit", "0", "--fail-on", "error,warning"]);
    run(lintian.arg("--suppress-tags").arg(SUPPRESSED.join(",")).arg(package))?;
    say("Installing and purging the package in a fresh Debian");
    let script = package.with_file_name("check.sh");
    fs::write(&script, INSTALLATION)?;
    let mut debian = image::debian(Path::new("/dev/null"))?;
    debian.arg(format!("--customize-hook=copy-in {} /tmp", package.display()));
    debian.arg(format!("--customize-hook=copy-in {} /tmp", script.display()));
    debian.arg("--customize-hook=chroot \"$1\" sh /tmp/check.sh");
    run_quietly(debian.arg("--format=null"))?;
    println!("The package can be installed, upgraded and purged.");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packaged_unit_starts_the_packaged_program() {
        for name in ["aixgrade.service", "aixgrade-worker.service"] {
            let unit = fs::read_to_string(tools::root().join("docs/operating").join(name)).unwrap();
            let packaged = packaged(&unit).unwrap();
            assert!(
                packaged.contains("\nExecStart=/usr/bin/aixgrade") && !packaged.contains("/usr/local"),
                "{packaged}"
            );
        }
        assert!(packaged("[Service]\n").is_err());
    }
}
