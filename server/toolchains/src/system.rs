//! What only root can install: how each need is recognized, and its packages in five distributions.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use crate::{fetch, on_path};

/// A distribution with its package manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    Debian,
    Fedora,
    Suse,
    Arch,
    Alpine,
}

impl Distribution {
    /// All, in the order of [`Need::packages`].
    pub const ALL: [Distribution; 5] =
        [Distribution::Debian, Distribution::Fedora, Distribution::Suse, Distribution::Arch, Distribution::Alpine];

    /// The name, for people.
    pub fn name(self) -> &'static str {
        self.about().0
    }

    /// Name, identifiers in `os-release`, and the command that installs packages.
    fn about(self) -> (&'static str, &'static [&'static str], &'static str) {
        match self {
            Distribution::Debian => ("Debian", &["debian", "ubuntu"], "sudo apt-get install --no-install-recommends"),
            Distribution::Fedora => ("Fedora", &["fedora", "rhel", "centos"], "sudo dnf install"),
            Distribution::Suse => ("openSUSE", &["suse", "opensuse"], "sudo zypper install"),
            Distribution::Arch => ("Arch", &["arch"], "sudo pacman -S"),
            Distribution::Alpine => ("Alpine", &["alpine"], "sudo apk add"),
        }
    }

    /// The distribution that an `os-release` file describes, or from which it derives.
    pub fn of(os_release: &str) -> Option<Distribution> {
        let field = |name: &str| {
            let line = os_release.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
            line.unwrap_or_default().trim_matches('"').to_owned()
        };
        let names = format!("{} {}", field("ID"), field("ID_LIKE"));
        // `opensuse-tumbleweed` counts as `opensuse`.
        let mut names = names.split_whitespace().map(|name| name.split('-').next().unwrap_or(name));
        names.find_map(|name| Distribution::ALL.into_iter().find(|known| known.about().1.contains(&name)))
    }

    /// The distribution of this machine.
    pub fn here() -> Option<Distribution> {
        let text = fs::read_to_string("/etc/os-release").or_else(|_| fs::read_to_string("/usr/lib/os-release"));
        Distribution::of(&text.unwrap_or_default())
    }

    /// The packages with these needs, each once.
    pub fn packages(self, needs: &[&Need]) -> Vec<&'static str> {
        let mut packages = Vec::new();
        for package in needs.iter().flat_map(|need| need.packages[self as usize].split(' ')) {
            if !packages.contains(&package) {
                packages.push(package);
            }
        }
        packages
    }

    /// The line to paste that installs these needs; `None` without any.
    pub fn command(self, needs: &[&Need]) -> Option<String> {
        let packages = self.packages(needs);
        (!packages.is_empty()).then(|| format!("{} {}", self.about().2, packages.join(" ")))
    }
}

/// The lines to paste that install these needs: one for this machine's distribution, otherwise one for each that is
/// known.
pub fn commands(needs: &[&Need]) -> Vec<(Distribution, String)> {
    let here = Distribution::here();
    let all = Distribution::ALL.into_iter().filter(|known| here.is_none_or(|here| here == *known));
    all.filter_map(|known| Some((known, known.command(needs)?))).collect()
}

/// Something that root installs.
#[derive(Debug)]
pub struct Need {
    /// The name, for people.
    pub what: &'static str,
    /// How it is recognized.
    test: Test,
    /// The packages that have it, separated by blanks, by distribution.
    pub packages: [&'static str; 5],
}

/// How a need is recognized.
#[derive(Debug)]
enum Test {
    /// A program on the search path, or this file in a folder with toolchains.
    Program(&'static str, &'static str),
    /// A header of C++.
    Header(&'static str),
    /// Python modules.
    Modules(&'static str),
    /// [`jdk`].
    Jdk,
    /// The engine looks for it, and only where a run needs it.
    Elsewhere,
}

impl Need {
    /// Whether it is on this machine, or in one of these folders with toolchains.
    pub fn is_met(&self, folders: &[PathBuf]) -> bool {
        match self.test {
            Test::Program(name, own) => {
                let is_own = |folder: &PathBuf| !own.is_empty() && folder.join(own).is_file();
                folders.iter().any(is_own) || on_path(name).is_some()
            }
            Test::Header(name) => {
                ["/usr/include", "/usr/local/include"].iter().any(|folder| Path::new(folder).join(name).is_file())
            }
            Test::Modules(names) => {
                fetch::run(Path::new("/"), "python3", &["-I", "-c", &format!("import {names}")]).is_ok()
            }
            Test::Jdk => jdk().is_some(),
            Test::Elsewhere => true,
        }
    }

    /// The version of a program or a JDK that is there, as it prints it.
    pub fn version(&self, folders: &[PathBuf]) -> Option<String> {
        match self.test {
            Test::Program(name, own) => {
                let in_folder = folders.iter().map(|folder| folder.join(own)).find(|file| file.is_file());
                let program = in_folder.filter(|_| !own.is_empty()).or_else(|| on_path(name))?;
                let question = if name == "go" { "version" } else { "--version" };
                let said = fetch::run(Path::new("/"), program, &[question]).ok()?;
                let line = said.lines().next()?.trim();
                // Node.js prints nothing but its version.
                let is_named = line.contains(|c: char| c.is_ascii_alphabetic() && c != 'v');
                Some(if is_named { line.to_owned() } else { format!("{name} {line}") })
            }
            Test::Jdk => {
                let text = fs::read_to_string(jdk()?.join("release")).ok()?;
                let version = text.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="))?;
                Some(format!("JDK {}", version.trim_matches('"')))
            }
            _ => None,
        }
    }
}

/// The JDK from which images are built: it has `jlink` and its modules. `AIXGRADE_JDK` or `JAVA_HOME` names it, otherwise
/// it has the `javac` of the search path.
pub fn jdk() -> Option<PathBuf> {
    let named = ["AIXGRADE_JDK", "JAVA_HOME"].into_iter().filter_map(env::var_os).map(PathBuf::from);
    let found = on_path("javac").and_then(|javac| javac.canonicalize().ok());
    let mut homes = named.chain(found.and_then(|javac| Some(javac.parent()?.parent()?.to_path_buf())));
    homes.find(|home| home.join("bin/jlink").is_file() && home.join("jmods").is_dir())
}

const fn program(name: &'static str, own: &'static str, packages: [&'static str; 5]) -> Need {
    Need { what: name, test: Test::Program(name, own), packages }
}

// In the order of `Distribution::ALL`. The JDK needs `jlink` and its modules (`jmods`), which Fedora, SUSE and Alpine
// package separately. Debian's default JDK is the one that each of its releases has.
pub static JDK: Need = Need {
    what: "a JDK with jlink and jmods",
    test: Test::Jdk,
    packages: [
        "default-jdk-headless",
        "java-21-openjdk-devel java-21-openjdk-jmods",
        "java-17-openjdk-devel java-17-openjdk-jmods",
        "jdk17-openjdk",
        "openjdk17-jdk openjdk17-jmods",
    ],
};
pub static BUBBLEWRAP: Need =
    Need { what: "bubblewrap", test: Test::Program("bwrap", ""), packages: ["bubblewrap"; 5] };
pub static LIBFAKETIME: Need = Need { what: "libfaketime", test: Test::Elsewhere, packages: ["libfaketime"; 5] };
pub static PYTHON: Need =
    program("python3", "python/bin/python3", ["python3", "python3", "python3", "python", "python3"]);
pub static VENV: Need = Need {
    what: "Python's venv and ensurepip",
    test: Test::Modules("venv, ensurepip"),
    packages: ["python3-venv", "python3", "python3", "python", "python3"],
};
pub static GXX: Need = program("g++", "", ["g++", "gcc-c++", "gcc-c++", "gcc", "g++"]);
pub static BOOST: Need = Need {
    what: "the C++ header boost/any.hpp",
    test: Test::Header("boost/any.hpp"),
    packages: ["libboost-dev", "boost-devel", "libboost_headers-devel", "boost", "boost-dev"],
};
pub static OPENSSL: Need = Need {
    what: "the C++ header openssl/md5.h",
    test: Test::Header("openssl/md5.h"),
    packages: ["libssl-dev", "openssl-devel", "libopenssl-devel", "openssl", "openssl-dev"],
};
pub static NODE: Need = program("node", "node/bin/node", ["nodejs"; 5]);
pub static NPM: Need = program("npm", "", ["npm", "npm", "npm-default", "npm", "npm"]);
pub static GO: Need = program("go", "go/bin/go", ["golang-go", "golang", "go", "go", "go"]);
/// Go on the search path, which fetches modules.
pub static GO_COMMAND: Need = program("go", "", GO.packages);
pub static RUSTC: Need = program("rustc", "rust/bin/rustc", ["rustc", "rust", "rust", "rust", "rust"]);
pub static CARGO: Need = program("cargo", "rust/bin/cargo", ["cargo", "cargo", "cargo", "rust", "cargo"]);
pub static GCC: Need = program("gcc", "", ["gcc", "gcc", "gcc", "gcc", "gcc musl-dev"]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_is_the_distributions() {
        let check = |os_release: &str, needs: &[&Need], expected: Option<&str>| {
            let command = Distribution::of(os_release).and_then(|known| known.command(needs));
            assert_eq!(command.as_deref(), expected, "{os_release}");
        };
        let both: [&Need; 2] = [&JDK, &BUBBLEWRAP];
        let debian = "sudo apt-get install --no-install-recommends default-jdk-headless bubblewrap";
        check("ID=debian\nVERSION_ID=\"12\"\n", &both, Some(debian));
        check("NAME=\"Linux Mint\"\nID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", &both, Some(debian));
        check("ID=fedora\n", &[&BUBBLEWRAP], Some("sudo dnf install bubblewrap"));
        check("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", &[&BUBBLEWRAP], Some("sudo dnf install bubblewrap"));
        check("ID=\"opensuse-tumbleweed\"\n", &[&BUBBLEWRAP], Some("sudo zypper install bubblewrap"));
        check("ID=arch\n", &both, Some("sudo pacman -S jdk17-openjdk bubblewrap"));
        check("ID=alpine\n", &[&GXX, &OPENSSL], Some("sudo apk add g++ openssl-dev"));
        check("ID=nixos\n", &both, None);
        check("", &both, None);
        check("ID=debian\n", &[], None);
    }

    #[test]
    fn a_package_with_two_needs_is_named_once() {
        assert_eq!(Distribution::Arch.packages(&[&RUSTC, &CARGO, &GCC, &GXX]), ["rust", "gcc"]);
    }

    #[test]
    fn a_program_in_a_folder_with_toolchains_meets_a_need() {
        let folder = tempfile::tempdir().unwrap();
        let need = program("aixgrade-no-such-program", "tool/bin/tool", ["tool"; 5]);
        let folders = [folder.path().to_owned()];
        assert!(!need.is_met(&folders));
        fs::create_dir_all(folder.path().join("tool/bin")).unwrap();
        fs::write(folder.path().join("tool/bin/tool"), "").unwrap();
        assert!(need.is_met(&folders));
    }
}
