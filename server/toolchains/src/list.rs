//! The list: each language with its parts and needs.

use std::path::{Path, PathBuf};

use crate::{
    Error, fetch, install,
    system::{
        BOOST, BUBBLEWRAP, CARGO, Distribution, GCC, GO, GO_COMMAND, GXX, JDK, NODE, NPM, Need, OPENSSL, PYTHON, RUSTC,
        VENV,
    },
};

/// A language, or a benchmark with packages of its own.
#[derive(Debug)]
pub struct Language {
    /// The code: `python`, `codeif`.
    pub code: &'static str,
    /// The name, for people.
    pub name: &'static str,
    /// What is installed into a folder with toolchains.
    pub parts: &'static [&'static Part],
    /// What root installs, for running outputs.
    pub needs: &'static [&'static Need],
}

/// What one package manager installs into a folder of its own.
pub struct Part {
    /// The name of its folder.
    pub name: &'static str,
    /// What it has, with exact versions.
    pub what: &'static str,
    /// Where it comes from, and what verifies it.
    pub source: &'static str,
    /// The lock files and what belongs to them: name and content.
    pub locks: &'static [(&'static str, &'static str)],
    /// What root installs, for the installation.
    pub needs: &'static [&'static Need],
    /// Whether outputs run without it, in another version.
    pub is_optional: bool,
    /// A file that it has, by which it is recognized if the operator made the folder.
    pub proof: &'static str,
    /// The files that a pack contains; all without any.
    pub packed: &'static [&'static str],
    /// What else its content depends on.
    pub(crate) depends: fn() -> String,
    /// Fetches and verifies its files.
    pub(crate) fetch: fn(&Part, &Path) -> Result<(), Error>,
    /// Makes it usable from the files that were fetched, without a network.
    pub(crate) build: fn(&Part, &Path) -> Result<(), Error>,
}

impl std::fmt::Debug for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// The languages in which outputs can be run, and CodeIF-Bench.
pub static LANGUAGES: [Language; 7] = [
    Language { code: "java", name: "Java", parts: &[], needs: &[&BUBBLEWRAP, &JDK] },
    Language { code: "python", name: "Python", parts: &[&PYTHON_PACKAGES], needs: &[&BUBBLEWRAP, &PYTHON] },
    Language { code: "cpp", name: "C++", parts: &[], needs: &[&BUBBLEWRAP, &GXX, &BOOST, &OPENSSL] },
    Language { code: "javascript", name: "JavaScript", parts: &[&NODE_MODULES], needs: &[&BUBBLEWRAP, &NODE] },
    Language { code: "go", name: "Go", parts: &[&GO_TOOLCHAIN, &GO_MODULE], needs: &[&BUBBLEWRAP, &GO] },
    Language { code: "rust", name: "Rust", parts: &[&RUST_CRATES], needs: &[&BUBBLEWRAP, &RUSTC, &CARGO, &GCC] },
    Language { code: "codeif", name: "CodeIF-Bench", parts: &[&PYTHON_PACKAGES], needs: &[&BUBBLEWRAP, &PYTHON] },
];

impl Language {
    /// What installs all that the language needs into a data folder, as a sentence without its full stop.
    pub fn remedy(&self, folders: &[PathBuf], data: Option<&Path>) -> String {
        let missing = install::missing(folders, self);
        let mut steps: Vec<String> = Vec::new();
        match Distribution::here().map(|here| here.command(&missing)) {
            Some(command) => steps.extend(command.map(|command| format!("run `{command}`"))),
            None if missing.is_empty() => {}
            None => {
                let names: Vec<&str> = missing.iter().map(|need| need.what).collect();
                steps.push(format!("install {}", names.join(", ")));
            }
        }
        if !self.parts.is_empty() {
            steps.push(format!("run `{}`", self.command(data)));
        }
        let mut text = steps.join(", then ");
        if let Some(first) = text.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        text
    }

    /// The command that installs the language's parts into a data folder.
    fn command(&self, data: Option<&Path>) -> String {
        let folder = data.map(|data| format!(" --data {}", quoted(data))).unwrap_or_default();
        format!("aixgrade{folder} toolchains install {}", self.code)
    }
}

/// A path as a shell reads it.
fn quoted(path: &Path) -> String {
    let path = path.to_string_lossy();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    if path.chars().all(is_plain) { path.into_owned() } else { format!("'{}'", path.replace('\'', "'\\''")) }
}

/// The language with this code.
pub fn language(code: &str) -> Option<&'static Language> {
    LANGUAGES.iter().find(|language| language.code == code)
}

/// All parts, each once.
pub fn parts() -> Vec<&'static Part> {
    let mut parts: Vec<&'static Part> = Vec::new();
    for part in LANGUAGES.iter().flat_map(|language| language.parts) {
        if parts.iter().all(|known| known.name != part.name) {
            parts.push(part);
        }
    }
    parts
}

/// numpy in the newest version for each version of Python; the published environment of CodeIF-Bench does not name all
/// versions, and with these the published verdicts come out. `requirements.in` is what the lock file was made of:
/// `uv pip compile --universal --python-version 3.9 --fork-strategy requires-python --generate-hashes --no-annotate
/// --no-header requirements.in`.
static PYTHON_PACKAGES: Part = Part {
    name: "python",
    what: "numpy, pycodestyle 2.14.0, mccabe 0.7.0, radon 6.0.1, sympy 1.14.0",
    source: "wheels that pip fetches, each with its SHA-256",
    locks: &[("requirements.txt", include_str!("../locks/python/requirements.txt"))],
    needs: &[&PYTHON, &VENV],
    is_optional: false,
    proof: "bin/python3",
    // A virtual environment has absolute paths; it is made again from the wheels.
    packed: &["requirements.txt", fetch::WHEELS],
    depends: fetch::python_version,
    fetch: fetch::wheels,
    build: fetch::environment,
};

static NODE_MODULES: Part = Part {
    name: "node",
    what: "js-md5 0.7.3, and Node.js 16.14.0 as HumanEval-X names it (on x86-64)",
    source: "packages that npm fetches, with the integrity that package-lock.json names",
    locks: &[
        ("package.json", include_str!("../locks/node/package.json")),
        ("package-lock.json", include_str!("../locks/node/package-lock.json")),
    ],
    needs: &[&NPM],
    is_optional: false,
    proof: "node_modules/js-md5/package.json",
    packed: &[],
    depends: String::new,
    fetch: fetch::node,
    build: fetch::nothing,
};

/// A module of Go's own, with the sum of its files.
static GO_TOOLCHAIN: Part = Part {
    name: "go",
    what: "Go 1.18.4 as HumanEval-X names it (on x86-64)",
    source: "a module that go fetches, with its sum",
    locks: &[("golang.org/toolchain@v0.0.1-go1.18.4.linux-amd64", "h1:cw9whUlLHnDWu4IqLNo+oqdyU8DrY/j2yFiB9dlNuWM=")],
    needs: &[&GO_COMMAND],
    is_optional: true,
    proof: "bin/go",
    packed: &[],
    depends: String::new,
    fetch: fetch::go_toolchain,
    build: fetch::nothing,
};

/// The published module of HumanEval-X; `go mod vendor` gives the published `vendor`.
static GO_MODULE: Part = Part {
    name: "go-module",
    what: "testify 1.8.0 and the modules that it needs",
    source: "modules that go fetches, with the sums of the published go.sum",
    locks: &[("go.mod", include_str!("../locks/go/go.mod")), ("go.sum", include_str!("../locks/go/go.sum"))],
    needs: &[&GO_COMMAND],
    is_optional: false,
    proof: "vendor/modules.txt",
    packed: &[],
    depends: String::new,
    fetch: fetch::go_module,
    build: fetch::nothing,
};

/// The crates that HumanEval-X's Rust programs use.
static RUST_CRATES: Part = Part {
    name: "rust-crate",
    what: "rand 0.4, regex 1 and md5 0.7.0 with the crates that they need",
    source: "crates that cargo fetches, with the checksums that Cargo.lock names",
    locks: &[
        ("Cargo.toml", include_str!("../locks/rust/Cargo.toml")),
        ("Cargo.lock", include_str!("../locks/rust/Cargo.lock")),
    ],
    needs: &[&CARGO],
    is_optional: false,
    proof: "vendor/rand/Cargo.toml",
    packed: &[],
    depends: String::new,
    fetch: fetch::rust,
    build: fetch::nothing,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lock_file_has_a_hash_for_everything() {
        for part in parts() {
            assert!(!part.locks.is_empty() && !part.source.is_empty() && !part.what.is_empty(), "{part:?}");
            let (name, text) = part.locks.last().unwrap();
            let (entries, hashed) = match *name {
                "requirements.txt" => {
                    // An entry goes on to the line that does not end with a backslash.
                    let entries: Vec<&str> = text.split_inclusive('\n').filter(|line| line.contains("==")).collect();
                    let text = text.replace("\\\n", " ");
                    let hashed = text.lines().filter(|line| line.contains("==") && line.contains("--hash=sha256:"));
                    (entries.iter().filter(|line| !line.starts_with(' ')).count(), hashed.count())
                }
                "package-lock.json" => {
                    let lock: serde_json::Value = serde_json::from_str(text).unwrap();
                    let packages = lock["packages"].as_object().unwrap();
                    let hashed = packages.values().filter(|package| package["integrity"].is_string()).count();
                    // The first is the package itself.
                    (packages.len() - 1, hashed)
                }
                "Cargo.lock" => (text.matches("\nsource = ").count(), text.matches("\nchecksum = ").count()),
                // A module has a sum for its files; the others are for their go.mod.
                "go.sum" => (text.lines().count(), text.lines().filter(|line| line.contains(" h1:")).count()),
                _ => (1, usize::from(text.starts_with("h1:"))),
            };
            assert!(entries > 0 && entries == hashed, "{part:?}: {entries} entries, {hashed} hashes");
        }
    }

    #[test]
    fn codes_and_folders_are_unique() {
        let mut codes: Vec<&str> = LANGUAGES.iter().map(|language| language.code).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), LANGUAGES.len());
        let names: Vec<&str> = parts().iter().map(|part| part.name).collect();
        assert_eq!(names, ["python", "node", "go", "go-module", "rust-crate"]);
    }

    #[test]
    fn the_remedy_names_the_command() {
        let python = language("python").unwrap().remedy(&[], None);
        assert!(
            python.starts_with(['R', 'I']) && python.ends_with("un `aixgrade toolchains install python`"),
            "{python}"
        );
        let elsewhere = language("go").unwrap().remedy(&[], Some(Path::new("/data/it's here")));
        assert!(elsewhere.ends_with("aixgrade --data '/data/it'\\''s here' toolchains install go`"), "{elsewhere}");
        // C++ has nothing that can be installed without root.
        assert!(!language("cpp").unwrap().remedy(&[], None).contains("aixgrade"));
    }

    #[test]
    fn every_need_has_packages_in_every_distribution() {
        let parts = parts();
        let needs = LANGUAGES.iter().flat_map(|l| l.needs).chain(parts.iter().flat_map(|part| part.needs));
        for need in needs {
            assert!(need.packages.iter().all(|packages| !packages.is_empty()), "{}", need.what);
        }
    }
}
