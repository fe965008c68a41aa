//! Preparing projects, with a project, packages and a repository that are made at test time. Nothing is downloaded.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop here")]

use std::{
    fs::{self, File},
    io::Write,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    sync::{Mutex, OnceLock, PoisonError},
};

use benchmarks::place::Code;
use flate2::{Compression, write::GzEncoder};
use lang::{python::projects::ENVIRONMENT, repositories};
use projects::{Prepared, Recipe, Request, prepare, survey};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use toolchains::run_with;

const NAME: &str = "Text/shapes";

const SQUARE: &str = "import math

class Square:
    def area(self, unit=1):
        return self.side ** 2 * unit
";

/// The task's code, which belongs two lines below where the release has it.
const AREA: &str = "    def area(self, unit=1):\n        return self.side ** 2 * unit\n";

const TESTS: &str = "import unittest

class SquareTest(unittest.TestCase):
    def test_area(self):
        pass

    def test_known(self):
        pass
";

/// What a release's `setup.py` does when it is run: nothing may run it.
fn setup(mark: &Path) -> String {
    format!("open({:?}, 'w').close()\nfrom setuptools import setup\nsetup(name='shapes', version='1.0')\n", mark)
}

fn sha(bytes: impl AsRef<[u8]>) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// A `.tar.gz` archive.
fn archive(file: &Path, entries: &[(&str, &str)]) -> String {
    let mut archive = tar::Builder::new(GzEncoder::new(File::create(file).unwrap(), Compression::fast()));
    for (name, text) in entries {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, name, text.as_bytes()).unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap();
    sha(fs::read(file).unwrap())
}

/// A wheel with one module.
fn wheel(folder: &Path, name: &str, version: &str) -> String {
    let file = folder.join(format!("{name}-{version}-py3-none-any.whl"));
    let mut archive = zip::ZipWriter::new(File::create(&file).unwrap());
    let info = format!("{name}-{version}.dist-info");
    for (path, text) in [
        (format!("{name}.py"), String::new()),
        (format!("{info}/METADATA"), format!("Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")),
        (format!("{info}/WHEEL"), "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n".into()),
        (format!("{info}/RECORD"), format!("{name}.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")),
    ] {
        archive.start_file(path, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap();
    sha(fs::read(file).unwrap())
}

/// What a preparation reads.
struct Fixture {
    folder: tempfile::TempDir,
    recipe: Value,
}

/// The version of the Python on the path, if it can make virtual environments.
fn python() -> Result<String, toolchains::Error> {
    let question = "import ensurepip, sys, venv; print('%d.%d' % sys.version_info[:2])";
    run_with(Path::new("/"), &[], "python3", &["-c", question]).map(|said| said.trim().to_owned())
}

impl Fixture {
    /// With environments of this version of Python.
    fn new(python: &str) -> Fixture {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let packages = root.join("packages");
        for name in ["packages", "checkout/repo"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        let requirement = |id: &str, text: &str| json!({ "requirement": "Do.", "test": id, "unit_test": [text] });
        let id = |name: &str| format!("tests/test_square.py::SquareTest::{name}");
        let task = json!({
            "namespace": "shapes.Square.area", "project_path": NAME, "code": AREA, "context": "",
            "requirements": {
                "Code Standard": requirement(&id("test_style"), "def test_pep8(self):\n    assert '\\n'"),
                "Exception Handling": requirement(&id("test_known"), "def test_other(self): pass"),
                "Edge Case Handling": requirement(&id("test_edge"), "def test_edge(self:"),
                "Code Complexity": requirement("tests/test_square.py::Other::test", "def test(self): pass"),
                "Annotation Coverage": requirement("'tests/test_square.py::test_quoted'", "def test_quoted(): pass"),
            },
        });
        let other = json!({
            "namespace": "shapes.Square.name", "project_path": NAME, "code": "",
            "requirements": { "Code Standard": requirement(&id("test_style"), "def test_style(self): pass") },
        });
        fs::write(root.join("checkout/repo/L_9.jsonl"), format!("{task}\n{other}\n")).unwrap();
        let setup = setup(&root.join("has-run"));
        let release = archive(
            &packages.join("shapes-1.0.tar.gz"),
            &[
                ("shapes-1.0/PKG-INFO", "Metadata-Version: 2.1\nName: shapes\nVersion: 1.0\n"),
                ("shapes-1.0/setup.py", &setup),
                ("shapes-1.0/shapes/square.py", SQUARE),
                ("shapes-1.0/tests/test_square.py", TESTS),
            ],
        );
        let plain = archive(
            &packages.join("plain-2.0.tar.gz"),
            &[
                ("plain-2.0/PKG-INFO", "Metadata-Version: 2.1\nName: plain\nVersion: 2.0\n"),
                ("plain-2.0/setup.py", &setup),
                ("plain-2.0/plain/__init__.py", ""),
            ],
        );
        let pytest = wheel(&packages, "pytest", "7.4.0");
        let recipe = json!({
            "environments": { "small": {
                "python": python, "wheels": [format!("pytest==7.4.0 {pytest}")],
                "sdists": [{ "package": "plain==2.0", "sha256": plain, "take": ["plain"] }],
            } },
            "projects": { NAME: {
                "environment": "small",
                "sdist": { "package": "shapes==1.0", "sha256": release },
                "changes": [{ "file": "shapes/square.py", "blank": [[3, 2]] }],
                "files": { "shapes/square.py": sha(moved()), "tests/test_square.py": sha(TESTS) },
                "tasks": [{ "namespace": "shapes.Square.area", "file": "shapes/square.py", "first": 6, "last": 7,
                    "code": Code::of(AREA) }],
            } },
        });
        Fixture { folder, recipe }
    }

    fn root(&self) -> &Path {
        self.folder.path()
    }

    fn request(&self) -> Request {
        Request {
            folder: self.root().join("made"),
            benchmark: self.root().join("checkout"),
            packages: Some(self.root().join("packages")),
            ..Request::default()
        }
    }

    fn project(&mut self) -> &mut Value {
        &mut self.recipe["projects"][NAME]
    }

    fn prepare(&self, request: &Request) -> Prepared {
        environment(self, &request.folder);
        let recipe: Recipe = serde_json::from_value(self.recipe.clone()).unwrap();
        prepare(&recipe, request, &mut |_| {}).unwrap().pop().unwrap()
    }

    /// Why the project is not ready.
    fn refused(&self, request: &Request) -> String {
        let prepared = self.prepare(request);
        assert!(!prepared.is_new && !request.folder.join("Source_Code").join(NAME).exists());
        prepared.state.unwrap_err()
    }
}

/// The release's file with two blank lines before the class.
fn moved() -> String {
    SQUARE.replace("class", "\n\nclass")
}

/// Copies the environment that the first test made, because that takes seconds.
fn environment(fixture: &Fixture, folder: &Path) {
    static MADE: OnceLock<Mutex<Option<tempfile::TempDir>>> = OnceLock::new();
    let mut made = MADE.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    let made = made.get_or_insert_with(|| {
        let folder = tempfile::tempdir().unwrap();
        let recipe: Recipe = serde_json::from_value(fixture.recipe.clone()).unwrap();
        let request = Request { folder: folder.path().to_owned(), ..fixture.request() };
        prepare(&recipe, &request, &mut |_| {}).unwrap();
        folder
    });
    fs::create_dir_all(folder).unwrap();
    let (from, to) = (made.path().join("environments"), folder.join("environments"));
    if !to.exists() {
        run_with(Path::new("/"), &[], "cp", &["-a", from.to_str().unwrap(), to.to_str().unwrap()]).unwrap();
    }
}

#[test]
fn a_release_becomes_the_project_that_the_tasks_were_made_from() {
    let Some(version) = prerequisites::host(python()) else { return };
    let mut fixture = Fixture::new(&version);
    let request = fixture.request();
    let prepared = fixture.prepare(&request);
    let version = prepared.state.unwrap();
    assert!(version.ends_with(", pytest 7.4.0") && prepared.is_new, "{version}");
    let place = request.folder.join("Source_Code").join(NAME);
    assert_eq!(fs::read_to_string(place.join("shapes/square.py")).unwrap(), moved());
    // The test of each instruction is under the name of its ID, where the file has no such test and the text is valid.
    let tests = fs::read_to_string(place.join("tests/test_square.py")).unwrap();
    assert_eq!(tests, format!("{TESTS}\n    def test_style(self):\n        assert '\\n'\n"));
    let left_out = prepared.left_out.join("\n");
    for expected in [
        "Edge Case Handling: its text is not valid Python",
        "Code Complexity: the file has no class Other",
        "names no file of the project",
        "shapes.Square.name, Code Standard: the test ID tests/test_square.py::SquareTest::test_style is also that of another",
    ] {
        assert!(left_out.contains(expected), "{left_out}");
    }
    assert_eq!(prepared.left_out.len(), 4, "{left_out}");
    // The environment is shared, and has the modules of a package without a wheel, with its version.
    let environment = place.join(ENVIRONMENT);
    assert!(fs::read_link(&environment).unwrap().is_relative());
    let question = "import plain, importlib.metadata; print(importlib.metadata.version('plain'))";
    assert_eq!(run_with(Path::new("/"), &[], environment.join("bin/python"), &["-c", question]).unwrap().trim(), "2.0");
    assert!(!fixture.root().join("has-run").exists(), "code of a release ran");
    // Nothing is made twice, and another recipe replaces what this one made.
    let again = fixture.prepare(&request);
    assert!(again.state.is_ok() && !again.is_new && again.left_out == prepared.left_out, "{:?}", again.state);
    fixture.project()["files"] = json!({});
    assert!(fixture.prepare(&request).is_new);
    // The whole folder can be moved.
    let elsewhere = fixture.root().join("elsewhere");
    fs::rename(&request.folder, &elsewhere).unwrap();
    let recipe: Recipe = serde_json::from_value(fixture.recipe.clone()).unwrap();
    assert!(repositories::survey(&elsewhere, &recipe.tasks())[0].1.is_ok());
}

#[test]
fn a_stopped_preparation_is_resumed() {
    let Some(version) = prerequisites::host(python()) else { return };
    let fixture = Fixture::new(&version);
    let request = fixture.request();
    fixture.prepare(&request);
    let place = request.folder.join("Source_Code").join(NAME);
    // Killed while the sources were written, and between the record and the last rename.
    let partial = place.with_file_name(".partial-shapes");
    fs::create_dir_all(partial.join("shapes")).unwrap();
    fs::rename(&place, place.with_file_name(".partial-shapes.git")).unwrap();
    let recipe: Recipe = serde_json::from_value(fixture.recipe.clone()).unwrap();
    assert!(repositories::survey(&request.folder, &recipe.tasks()).is_empty(), "what is not complete is no project");
    let resumed = fixture.prepare(&request);
    assert!(resumed.state.is_ok() && resumed.is_new, "{:?}", resumed.state);
    assert!(!partial.exists());
    // The environment was killed before its last file.
    fs::remove_file(request.folder.join("environments/small/complete")).unwrap();
    let remade = fixture.prepare(&request);
    assert!(remade.state.is_ok() && request.folder.join("environments/small/complete").exists(), "{:?}", remade.state);
    // Two at once would write the same files.
    let lock = File::create(request.folder.join(".lock")).unwrap();
    lock.lock().unwrap();
    let busy = prepare(&recipe, &request, &mut |_| {}).unwrap_err().to_string();
    assert!(busy.contains("another `codeif prepare` works in"), "{busy}");
}

#[test]
fn nothing_with_another_hash_is_used() {
    let Some(version) = prerequisites::host(python()) else { return };
    let mut fixture = Fixture::new(&version);
    let request = fixture.request();
    let wrong = "0".repeat(64);
    let recipe = fixture.recipe.clone();
    fixture.project()["sdist"]["sha256"] = json!(wrong);
    let refused = fixture.refused(&request);
    assert!(refused.contains("shapes==1.0 has the SHA-256 ") && refused.contains(&format!("not {wrong}")), "{refused}");
    fixture.recipe = recipe.clone();
    fixture.project()["files"]["tests/test_square.py"] = json!(wrong);
    let refused = fixture.refused(&request);
    assert!(refused.contains("tests/test_square.py has the SHA-256 ") && refused.contains("--from"), "{refused}");
    for (part, name) in [("wheels", "pytest"), ("sdists", "plain")] {
        fixture.recipe = recipe.clone();
        let environment = &mut fixture.recipe["environments"]["small"];
        match part {
            "wheels" => environment["wheels"][0] = json!(format!("pytest==7.4.0 {wrong}")),
            _ => environment["sdists"][0]["sha256"] = json!(wrong),
        }
        let refused = fixture.refused(&request);
        assert!(refused.contains("environment small cannot be made") && refused.contains(name), "{refused}");
    }
    fixture.recipe["environments"]["small"]["python"] = json!("2.1");
    let refused = fixture.refused(&request);
    assert!(refused.contains("Python 2.1 was not found") && refused.contains("--python PROGRAM"), "{refused}");
}

#[test]
fn a_commit_is_fetched_where_the_release_has_no_tests() {
    let Some(version) = prerequisites::host(python()) else { return };
    let mut fixture = Fixture::new(&version);
    let base = fixture.root().join("git");
    let repository = base.join("owner/shapes");
    fs::create_dir_all(repository.join("tests")).unwrap();
    fs::create_dir_all(repository.join("shapes")).unwrap();
    let files = [
        ("shapes/square.py", SQUARE),
        ("tests/test_square.py", TESTS),
        ("large.bin", "x"),
        (".gitattributes", "tests export-ignore\n* filter=lfs\n"),
    ];
    for (name, text) in files {
        fs::write(repository.join(name), text).unwrap();
    }
    let git = |arguments: &[&str]| {
        let who = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "filter.lfs.required=false"];
        run_with(&repository, &[], "git", &[&who[..], arguments].concat())
    };
    let Some(_) = prerequisites::host(git(&["init", "--quiet"])) else { return };
    git(&["add", "."]).unwrap();
    git(&["commit", "--quiet", "--no-verify", "--message", "First"]).unwrap();
    let commit = git(&["rev-parse", "HEAD"]).unwrap().trim().to_owned();
    let project = fixture.project();
    project.as_object_mut().unwrap().remove("sdist");
    project["git"] = json!({ "repository": "owner/shapes", "commit": commit, "leave_out": ["large.bin"] });
    let mut request = fixture.request();
    let refused = fixture.refused(&request);
    assert!(refused.contains("repository owner/shapes only") && refused.contains("--git"), "{refused}");
    // From a folder, and by an address.
    for address in [base.display().to_string(), format!("file://{}", base.display())] {
        request.folder = fixture.root().join(format!("made-{}", address.len()));
        request.git = Some(address);
        let prepared = fixture.prepare(&request);
        assert!(prepared.state.is_ok(), "{:?}", prepared.state);
        let place = request.folder.join("Source_Code").join(NAME);
        assert!(!place.join("large.bin").exists() && !place.join(".git").exists());
    }
    fixture.project()["git"]["commit"] = json!("1".repeat(40));
    request.folder = fixture.root().join("made");
    let refused = fixture.refused(&request);
    assert!(refused.contains("`git ") && refused.contains(&"1".repeat(40)), "{refused}");
}

#[test]
fn sources_that_are_off_by_lines_are_refused_with_the_offset() {
    let Some(version) = prerequisites::host(python()) else { return };
    let mut fixture = Fixture::new(&version);
    let mut request = fixture.request();
    let theirs = fixture.root().join("theirs");
    let place = theirs.join("Source_Code").join(NAME);
    fs::create_dir_all(place.join("shapes")).unwrap();
    fs::create_dir_all(place.join("tests")).unwrap();
    fs::write(place.join("tests/test_square.py"), TESTS).unwrap();
    symlink("/etc/passwd", place.join("outside")).unwrap();
    let write = |text: &str| fs::write(place.join("shapes/square.py"), text).unwrap();
    request.from = vec![theirs.clone()];
    // Five lines above, after the change.
    write(&format!("{}{SQUARE}", "\n".repeat(7)));
    let refused = fixture.refused(&request);
    assert!(refused.contains("shapes/square.py has the task's code at line 13 instead of line 6 (+7)"), "{refused}");
    write("class Square:\n    def area(self, unit=1):\n        return 0\n");
    let refused = fixture.refused(&request);
    assert!(refused.contains("shapes/square.py does not have the task's code"), "{refused}");
    // A release is changed, the authors' file is used as it is.
    for text in [SQUARE.to_owned(), moved()] {
        write(&text);
        let prepared = fixture.prepare(&request);
        assert!(prepared.state.is_ok() && prepared.is_new, "{:?}", prepared.state);
        let made = request.folder.join("Source_Code").join(NAME);
        assert_eq!(fs::read_to_string(made.join("shapes/square.py")).unwrap(), moved());
        assert!(!made.join("outside").exists());
        fs::remove_dir_all(request.folder.join("Source_Code")).unwrap();
    }
    // As an archive.
    let file = fixture.root().join("theirs.tar.gz");
    let entry = |name: &str| format!("x/Source_Code/{NAME}/{name}");
    archive(
        &file,
        &[(&entry("shapes/square.py"), &moved()), (&entry("tests/test_square.py"), TESTS), ("x/Source_Code/other", "")],
    );
    request.from = vec![PathBuf::from("/nowhere").with_file_name("none.tar.gz"), file.clone()];
    let refused = fixture.refused(&request);
    assert!(refused.contains("none.tar.gz"), "{refused}");
    request.from = vec![file];
    assert!(fixture.prepare(&request).state.is_ok());
    let look = |fixture: &Fixture, request: &Request| {
        let recipe: Recipe = serde_json::from_value(fixture.recipe.clone()).unwrap();
        let of = survey(&recipe, &request.folder).pop().unwrap();
        assert_eq!(of.project, NAME);
        (of.is_there, of.state)
    };
    let (is_there, state) = look(&fixture, &request);
    assert!(is_there && state.is_ok(), "{state:?}");
    // Without a source, which `doctor` says like the preparation.
    fs::remove_dir_all(request.folder.join("Source_Code")).unwrap();
    let (is_there, state) = look(&fixture, &request);
    let how = format!("`aixgrade codeif prepare {} {NAME}`", request.folder.display());
    assert!(!is_there && state.unwrap_err().contains(&how));
    fixture.project().as_object_mut().unwrap().remove("sdist");
    fixture.project()["missing"] = json!("it is nowhere; use --from");
    request.from = Vec::new();
    assert!(fixture.refused(&request).contains("it is nowhere; use --from"));
    assert!(look(&fixture, &request).1.unwrap_err().contains("it is nowhere; use --from"));
}

#[test]
fn folders_of_the_operator_are_not_changed() {
    let Some(version) = prerequisites::host(python()) else { return };
    let fixture = Fixture::new(&version);
    let request = fixture.request();
    let place = request.folder.join("Source_Code").join(NAME);
    fs::create_dir_all(place.join("shapes")).unwrap();
    fs::write(place.join("shapes/square.py"), SQUARE).unwrap();
    let found = fixture.prepare(&request).state.unwrap_err();
    assert!(found.contains("has no Python environment with pytest"), "{found}");
    symlink(request.folder.join("environments/small"), place.join(ENVIRONMENT)).unwrap();
    let prepared = fixture.prepare(&request);
    // What `doctor` says, too.
    let recipe: Recipe = serde_json::from_value(fixture.recipe.clone()).unwrap();
    let found = survey(&recipe, &request.folder).pop().unwrap().state.unwrap_err();
    assert!(found.contains("at line 4 instead of line 6 (-2)"), "{found}");
    assert_eq!((prepared.state.unwrap_err(), prepared.is_new), (found, false));
    assert_eq!(fs::read_to_string(place.join("shapes/square.py")).unwrap(), SQUARE);
}

#[test]
fn requests_that_cannot_be_used_say_how_to_fix_them() {
    let Some(version) = prerequisites::host(python()) else { return };
    let fixture = Fixture::new(&version);
    let recipe: Recipe = serde_json::from_value(fixture.recipe.clone()).unwrap();
    let failed = |request: Request| prepare(&recipe, &request, &mut |_| {}).unwrap_err().to_string();
    let unknown = failed(Request { projects: vec!["Text/none".into()], ..fixture.request() });
    assert!(unknown.contains("no project Text/none") && unknown.contains(NAME), "{unknown}");
    let empty = failed(Request { benchmark: fixture.root().join("packages"), ..fixture.request() });
    assert!(empty.contains("has no tasks of CodeIF-Bench") && empty.contains("--benchmark"), "{empty}");
}
