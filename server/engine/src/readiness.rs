//! Checks whether the host has what the engine needs, and names the command that installs what is missing.
//!
//! Only looks for files, which takes microseconds, because pages call it. The isolation layers are checked before the
//! first run ([`super::self_test`]). Called by `services::runs` and the command line.

use std::fs;

use model::run::{Dates, EngineNeed, EngineReadiness};

use super::{dates, toolchain};
use sandbox::bubblewrap;

/// Looks for a JDK, bubblewrap and, if the run has a date, libfaketime.
pub fn check(date: Option<Dates>) -> EngineReadiness {
    let mut missing = Vec::new();
    if toolchain::find_jdk().is_err() {
        missing.push(EngineNeed::Jdk);
    }
    if bubblewrap::find("bwrap").is_none() {
        missing.push(EngineNeed::Bubblewrap);
    }
    if date.is_some_and(|date| dates::needs(date).is_err()) {
        missing.push(EngineNeed::Libfaketime);
    }
    let system = fs::read_to_string("/etc/os-release").or_else(|_| fs::read_to_string("/usr/lib/os-release"));
    let install = install_command(&system.unwrap_or_default(), &missing);
    EngineReadiness { missing, install }
}

/// The command that installs what is missing, by the distribution's `os-release`; `None` if the distribution is
/// unknown.
fn install_command(os_release: &str, missing: &[EngineNeed]) -> Option<String> {
    // By package manager: the distributions (or those that they derive from), the command, the JDK's packages. The JDK
    // needs `jlink` and its modules (`jmods`), which Fedora, SUSE and Alpine package separately.
    const MANAGERS: [(&[&str], &str, &str); 5] = [
        (&["debian", "ubuntu"], "apt-get install --no-install-recommends", "openjdk-17-jdk-headless"),
        (&["fedora", "rhel", "centos"], "dnf install", "java-21-openjdk-devel java-21-openjdk-jmods"),
        (&["suse", "opensuse"], "zypper install", "java-17-openjdk-devel java-17-openjdk-jmods"),
        (&["arch"], "pacman -S", "jdk17-openjdk"),
        (&["alpine"], "apk add", "openjdk17-jdk openjdk17-jmods"),
    ];
    if missing.is_empty() {
        return None;
    }
    let field = |name: &str| {
        let line = os_release.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        line.unwrap_or_default().trim_matches('"').to_owned()
    };
    let names = format!("{} {}", field("ID"), field("ID_LIKE"));
    // `opensuse-tumbleweed` counts as `opensuse`.
    let mut names = names.split_whitespace().map(|name| name.split('-').next().unwrap_or(name));
    let (_, command, jdk) = names.find_map(|name| MANAGERS.iter().find(|(ids, ..)| ids.contains(&name)))?;
    let packages = missing.iter().map(|need| match need {
        EngineNeed::Jdk => *jdk,
        EngineNeed::Bubblewrap => "bubblewrap",
        EngineNeed::Libfaketime => "libfaketime",
    });
    Some(format!("sudo {command} {}", packages.collect::<Vec<_>>().join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn install_command_matches_the_distribution() {
        let check = |os_release: &str, missing: &[EngineNeed], expected: Option<&str>| {
            assert_eq!(install_command(os_release, missing).as_deref(), expected, "{os_release}");
        };
        let both = [EngineNeed::Jdk, EngineNeed::Bubblewrap];
        let debian = "sudo apt-get install --no-install-recommends openjdk-17-jdk-headless bubblewrap";
        check("ID=debian\nVERSION_ID=\"12\"\n", &both, Some(debian));
        check("NAME=\"Linux Mint\"\nID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", &both, Some(debian));
        check("ID=fedora\n", &[EngineNeed::Bubblewrap], Some("sudo dnf install bubblewrap"));
        check(
            "ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n",
            &[EngineNeed::Bubblewrap],
            Some("sudo dnf install bubblewrap"),
        );
        check("ID=\"opensuse-tumbleweed\"\n", &[EngineNeed::Bubblewrap], Some("sudo zypper install bubblewrap"));
        check("ID=arch\n", &both, Some("sudo pacman -S jdk17-openjdk bubblewrap"));
        let dates = [EngineNeed::Libfaketime];
        check("ID=debian\n", &dates, Some("sudo apt-get install --no-install-recommends libfaketime"));
        check("ID=nixos\n", &both, None);
        check("", &both, None);
        check("ID=debian\n", &[], None);
    }
}
