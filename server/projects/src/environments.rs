//! Virtual environments, and releases that pip downloads.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use toolchains::{on_path, run_with};

use crate::{
    Error, Work, archive, at, complete, partial,
    recipe::{Environment, Modules, Release},
    sha256, sources, write,
};

/// The folder of the environments, next to that of the sources.
pub const FOLDER: &str = "environments";

/// The file with what an environment was made of, written last.
const COMPLETE: &str = "complete";

/// Makes an environment unless it is there. Returns its folder.
pub(crate) fn make(work: &Work<'_>, name: &str, note: &mut dyn FnMut(&str)) -> Result<PathBuf, Error> {
    let recipe = work.recipe.environments.get(name);
    let recipe = recipe.ok_or_else(|| Error(format!("the recipe has no environment {name}")))?;
    let place = work.folder.join(FOLDER).join(name);
    let fingerprint = fingerprint(recipe);
    let is_there = fs::read_to_string(place.join(COMPLETE)).is_ok_and(|recorded| recorded == fingerprint);
    // The interpreter may have been removed since.
    if is_there && place.join("bin/python").exists() {
        return Ok(place);
    }
    let python = interpreter(&recipe.python, &work.request.pythons)?;
    let count = recipe.wheels.len() + recipe.sdists.len();
    note(&format!("environment {name}: Python {}, {count} packages", recipe.python));
    let made = partial(&place)?;
    run_with(Path::new("/"), &[], &python, &["-m", "venv", &made.to_string_lossy()])?;
    install(work, recipe, &made).map_err(|why| Error(format!("the environment {name} cannot be made: {why}")))?;
    // These name the folder's path, which is another one when it is complete. Nothing uses them.
    let bin = made.join("bin");
    for entry in fs::read_dir(&bin).map_err(at(&bin))? {
        let entry = entry?;
        if !entry.file_name().to_string_lossy().starts_with("python") {
            fs::remove_file(entry.path()).map_err(at(&entry.path()))?;
        }
    }
    write(&made.join(COMPLETE), fingerprint.as_bytes())?;
    complete(&made, &place)?;
    Ok(place)
}

fn fingerprint(recipe: &Environment) -> String {
    sha256(serde_json::to_string(recipe).unwrap_or_default().as_bytes())
}

/// Installs the packages. pip verifies the hash of each, and runs no code of any.
fn install(work: &Work<'_>, recipe: &Environment, place: &Path) -> Result<(), Error> {
    let list = place.join("requirements.txt");
    let lines = recipe.wheels.iter().map(|wheel| match wheel.split_once(' ') {
        Some((package, hash)) => format!("{package} --hash=sha256:{hash}\n"),
        None => format!("{wheel}\n"),
    });
    write(&list, lines.collect::<String>().as_bytes())?;
    let (python, list) = (place.join("bin/python"), list.to_string_lossy().into_owned());
    let mut arguments = vec!["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"];
    arguments.extend(["--only-binary", ":all:", "--require-hashes", "--no-compile", "--requirement", &list]);
    let packages = packages(work);
    arguments.extend(packages.iter().map(String::as_str));
    run_with(place, &[], &python, &arguments)?;
    let site = place.join("lib").join(format!("python{}", recipe.python)).join("site-packages");
    recipe.sdists.iter().try_for_each(|modules| take(work, modules, &python, &site))
}

/// The options that replace pip's index.
fn packages(work: &Work<'_>) -> Vec<String> {
    let folder =
        work.request.packages.iter().map(|folder| std::path::absolute(folder).unwrap_or_else(|_| folder.clone()));
    folder
        .flat_map(|folder| ["--no-index".into(), "--find-links".into(), folder.to_string_lossy().into_owned()])
        .collect()
}

/// Copies modules out of a release, with the metadata by which Python knows the package.
fn take(work: &Work<'_>, modules: &Modules, python: &Path, site: &Path) -> Result<(), Error> {
    let release = release(work, python, &modules.release, site.with_extension("release"))?;
    let info = format!("{}.dist-info", modules.release.package.replace('-', "_").replace("==", "-"));
    let place = |path: &Path| {
        let path = archive::below_first(path)?;
        if path == Path::new("PKG-INFO") {
            return Some(Path::new(&info).join("METADATA"));
        }
        modules.take.iter().any(|wanted| path.starts_with(wanted)).then_some(path)
    };
    let count = archive::unpack(&release.file, site, &place)?;
    let absent = modules.take.iter().find(|wanted| !site.join(wanted).exists());
    match absent {
        Some(absent) if count > 0 => Err(Error(format!("{} has no {}", modules.release.package, absent.display()))),
        Some(_) => Err(Error(format!("{} is empty", modules.release.package))),
        None => Ok(()),
    }
}

/// A release in a folder of its own, which is removed with it.
pub(crate) struct Downloaded {
    pub file: PathBuf,
    folder: PathBuf,
}

impl Drop for Downloaded {
    fn drop(&mut self) {
        // The next preparation removes what remains.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// pip has no option that only downloads a release: it builds the package's metadata, which runs code of the package.
/// This saves the file that pip has downloaded and verified and ends before that. Where a pip has no such step, the
/// script fails before anything is downloaded.
const DOWNLOAD: &str = "
import os, shutil, sys
from pip._internal.operations import prepare
prepare._get_prepared_distribution
def stop(requirement, *rest, **more):
    shutil.copy(requirement.local_file_path, sys.argv[1])
    os._exit(0)
prepare._get_prepared_distribution = stop
from pip._internal.cli.main import main
sys.exit(main(['download', '--quiet', '--disable-pip-version-check', '--no-deps', '--no-binary', ':all:',
    '--dest', sys.argv[1], *sys.argv[2:]]) or 'pip has downloaded nothing')
";

/// Downloads a release with pip and verifies it.
pub(crate) fn release(work: &Work<'_>, python: &Path, release: &Release, folder: PathBuf) -> Result<Downloaded, Error> {
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(at(&folder))?;
    }
    fs::create_dir_all(&folder).map_err(at(&folder))?;
    let mut downloaded = Downloaded { file: PathBuf::new(), folder };
    let folder = downloaded.folder.to_string_lossy().into_owned();
    let mut arguments = vec!["-I", "-c", DOWNLOAD, &folder, &release.package];
    let packages = packages(work);
    arguments.extend(packages.iter().map(String::as_str));
    run_with(Path::new("/"), &[], python, &arguments)?;
    let entries = fs::read_dir(&downloaded.folder).map_err(at(&downloaded.folder))?;
    let file = entries.flatten().map(|entry| entry.path()).find(|path| path.is_file());
    downloaded.file = file.ok_or_else(|| Error(format!("pip has saved no release of {}", release.package)))?;
    sources::verify(&release.package, &downloaded.file, &release.sha256)?;
    Ok(downloaded)
}

/// An interpreter of a version: one that the operator names, one on the search path, or one that pyenv or uv installed.
fn interpreter(version: &str, named: &[PathBuf]) -> Result<PathBuf, Error> {
    let question = "import sys; print('%d.%d' % sys.version_info[:2])";
    let is_it = |program: &PathBuf| {
        run_with(Path::new("/"), &[], program, &["-I", "-c", question]).is_ok_and(|said| said.trim() == version)
    };
    let on_path = [format!("python{version}"), "python3".to_owned()].into_iter().filter_map(|name| on_path(&name));
    let managed = managed().into_iter().flat_map(|(folder, prefix)| {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let prefix = format!("{prefix}{version}.");
        let own = entries.filter(move |entry| entry.file_name().to_string_lossy().starts_with(&prefix));
        own.map(|entry| entry.path().join("bin/python3"))
    });
    named.iter().cloned().chain(on_path).chain(managed).find(is_it).ok_or_else(|| {
        Error(format!(
            "Python {version} was not found. Install it, for example with `uv python install {version}` or `pyenv \
             install {version}`, or name it with --python PROGRAM"
        ))
    })
}

/// Folders with interpreters of uv and pyenv, and what the names begin with before the version.
fn managed() -> Vec<(PathBuf, &'static str)> {
    let home = env::var_os("HOME").map(PathBuf::from);
    let of = |variable: &str, default: &str| {
        env::var_os(variable).map(PathBuf::from).or_else(|| home.as_ref().map(|home| home.join(default)))
    };
    let uv = of("UV_PYTHON_INSTALL_DIR", ".local/share/uv/python").map(|folder| (folder, "cpython-"));
    let pyenv = of("PYENV_ROOT", ".pyenv").map(|folder| (folder.join("versions"), ""));
    uv.into_iter().chain(pyenv).collect()
}
