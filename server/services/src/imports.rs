//! Importing datasets: reads a folder, an archive or files, then stores all of it or nothing.

use std::{io::Seek, path::PathBuf, sync::Arc};

use model::{
    caller::{Admin, System},
    dataset::ImportReport,
    error::{Answer, AppError},
    problem::Problem,
};

use super::{datasets::DatasetService, uploads::HeldFile};
use base::{background, error::Failure};
use db::datasets::{NewTask, NewVersion};
use formats::{
    Found, FoundDataset, bundled,
    files::Files,
    kind::{self, FileKind},
    translation,
};

/// The tasks of a benchmark that become datasets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tasks {
    /// Those of the files.
    Own,
    /// HumanEval-X's translation task as well.
    WithTranslation,
}

pub struct ImportService {
    datasets: Arc<DatasetService>,
}

impl ImportService {
    pub fn new(datasets: Arc<DatasetService>) -> Self {
        ImportService { datasets }
    }

    /// Imports a folder, an archive or files on this machine.
    ///
    /// # Errors
    ///
    /// Lists every problem found.
    pub async fn paths(&self, system: System, paths: Vec<PathBuf>) -> Answer<ImportReport> {
        self.import(&system.admin(), Tasks::Own, move || from_paths(&paths)).await
    }

    /// The same with HumanEval-X's translation task: a dataset for each pair of languages.
    ///
    /// # Errors
    ///
    /// Lists every problem found.
    pub async fn with_translation(&self, system: System, paths: Vec<PathBuf>) -> Answer<ImportReport> {
        self.import(&system.admin(), Tasks::WithTranslation, move || from_paths(&paths)).await
    }

    /// Imports uploaded files: one archive, or the files of a dataset.
    ///
    /// # Errors
    ///
    /// Lists every problem found.
    pub async fn sent(&self, admin: &Admin, sent: Vec<HeldFile>, tasks: Tasks) -> Answer<ImportReport> {
        self.import(admin, tasks, move || {
            let opened = sent.iter().map(|file| Ok((file.name.clone(), file.open()?)));
            from_open_files(opened.collect::<Result<_, Failure>>()?)
        })
        .await
    }

    /// Imports the bundled starter dataset.
    ///
    /// # Errors
    ///
    /// Fails if the program is damaged.
    pub async fn starter(&self, system: System) -> Answer<ImportReport> {
        self.import(&system.admin(), Tasks::Own, || bundled::starter().map_err(invalid)).await
    }

    /// Imports a bundled dataset.
    ///
    /// # Errors
    ///
    /// Fails if the program is damaged.
    pub async fn bundled(&self, system: System, files: Files) -> Answer<ImportReport> {
        self.import(&system.admin(), Tasks::Own, move || Ok(files)).await
    }

    async fn import<F>(&self, admin: &Admin, tasks: Tasks, open: F) -> Answer<ImportReport>
    where
        F: FnOnce() -> Result<Files, Failure> + Send + 'static,
    {
        let read = background::run(move || {
            let refused = |problems| Failure::App(AppError::Invalid(problems));
            let mut found = formats::read(&open()?).map_err(refused)?;
            if tasks == Tasks::WithTranslation {
                translation::add(&mut found).map_err(refused)?;
            }
            Ok::<_, Failure>((found, bundled::rubric().map_err(invalid)?))
        });
        let (found, bundled) = read.await??;
        let Found { datasets, rubric, mut notes, bare } = found;
        let wording = rubric.as_ref().map(|_| "The rubric has the wording of the source.".to_owned());
        let versions = datasets.into_iter().map(|dataset| new_version(dataset, bare)).collect();
        let datasets = self.datasets.store(admin, versions, rubric.unwrap_or(bundled)).await?;
        if bare {
            notes.push(
                "The source contains only tasks. The tests and the rubric of the previous version are kept.".into(),
            );
        }
        Ok(ImportReport { datasets, rubric: wording, notes })
    }
}

fn invalid(problem: Problem) -> Failure {
    Failure::App(AppError::Invalid(vec![problem]))
}

fn new_version(found: FoundDataset, bare: bool) -> NewVersion {
    let (test_kind, test_files) = found.tests.map_or((None, Default::default()), |tree| (Some(tree.kind), tree.files));
    let tasks = found.tasks.into_iter().map(|task| NewTask {
        task_id: task.task_id,
        raw_nl: task.raw_nl,
        nl_lang: task.nl_lang,
        signature: task.signature,
        checks: task.checks,
        code_lang: task.code_lang,
        test_class: task.test_class,
        test_body: task.test_body,
        turns: task.turns,
    });
    NewVersion {
        slug: found.slug,
        name: found.name,
        description: found.description,
        license: found.license,
        source: found.source,
        test_kind,
        test_files,
        tasks: tasks.collect(),
        bare,
    }
}

fn from_paths(paths: &[PathBuf]) -> Result<Files, Failure> {
    if let [folder] = paths
        && folder.is_dir()
    {
        return Files::folder(folder).map_err(invalid);
    }
    let mut open = Vec::new();
    for path in paths {
        let shown = path.display().to_string();
        if path.is_dir() {
            return Err(Failure::invalid(
                &shown,
                ("a folder cannot be combined with other paths", "文件夹不能与其他路径一起导入"),
                ("Pass one folder, or only files", "请只指定一个文件夹，或只指定文件"),
            ));
        }
        let file = std::fs::File::open(path).map_err(|e| {
            Failure::invalid(
                &shown,
                (format!("the file cannot be read: {e}"), format!("无法读取文件：{e}")),
                ("Check its name and permissions", "请检查文件名和权限"),
            )
        })?;
        let name = path.file_name().map_or(shown, |name| name.to_string_lossy().into_owned());
        open.push((name, file));
    }
    from_open_files(open)
}

/// One archive, or plain files (each possibly gzipped).
fn from_open_files(mut open: Vec<(String, std::fs::File)>) -> Result<Files, Failure> {
    let is_archive = |name: &str| [".zip", ".tar.gz", ".tgz"].iter().any(|end| name.to_lowercase().ends_with(end));
    if open.len() == 1
        && let Some((name, file)) = open.pop_if(|(name, _)| is_archive(name))
    {
        let zip = name.to_lowercase().ends_with(".zip");
        return if zip { Files::zip(&name, file) } else { Files::tar_gz(&name, file) }.map_err(invalid);
    }
    let mut files = Files::named(open.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", "));
    for (name, mut file) in open {
        if is_archive(&name) {
            return Err(Failure::invalid(
                &name,
                ("an archive cannot be combined with other files", "压缩包不能与其他文件一起导入"),
                ("Upload the archive on its own", "请单独上传压缩包"),
            ));
        }
        kind::check(&FileKind::Dataset, &name, &mut file).map_err(invalid)?;
        file.rewind()?;
        files.add_plain(&name, file).map_err(invalid)?;
    }
    Ok(files)
}
