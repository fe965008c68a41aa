//! The outputs that CodeIF-Bench's authors published: imported from a checkout, through the same services as every upload.

use std::path::PathBuf;

use model::{
    caller::System,
    error::{Answer, AppError},
    submission::{InvalidLines, Matching},
};
use port::{Datasets, Submissions};

use super::Services;
use base::background;
use db::uploads::Purpose;
use formats::{codeif_outputs, files::Files};

/// Imports the outputs below a checkout's folders `Experiments`, with their verdicts, to the datasets that are there.
/// Returns notes about what was imported and what was not. Outputs that are there already are left as they are.
///
/// # Errors
/// The checkout cannot be read or has no such outputs, or a file has no line for its dataset.
pub async fn import_outputs(services: &Services, checkout: PathBuf) -> Answer<Vec<String>> {
    let shown = checkout.display().to_string();
    let read = background::run(move || {
        let files = Files::folder(&checkout).map_err(|problem| vec![problem])?;
        codeif_outputs::read(&files)
    });
    let found = read.await?.map_err(AppError::Invalid)?;
    if found.is_empty() {
        return Err(AppError::invalid(
            &shown,
            ("the folder has no published outputs of CodeIF-Bench", "文件夹中没有 CodeIF-Bench 公布的输出"),
            ("Pass a checkout of the branch main", "请指定 main 分支的仓库"),
        ));
    }
    let admin = System.admin();
    let (mut imported, mut missing, mut notes) = (0, Vec::new(), Vec::new());
    for of in found {
        if services.datasets.get(&admin, &of.dataset, None).await.is_err() {
            missing.push(of.dataset);
            continue;
        }
        let mut incoming = services.uploads.begin(&of.file).await?;
        incoming.write(of.lines.as_bytes()).await?;
        let file = incoming.finish().await?;
        let upload = services.submissions.note_upload(&admin, file, Purpose::outputs(Some(&of.dataset))).await?;
        let (dataset, model) = (&of.dataset, &of.model);
        let took =
            services.submissions.import(&admin, upload, dataset, Matching::TaskId, model, InvalidLines::LeaveOut);
        match took.await {
            Ok(_) => imported += 1,
            Err(AppError::Conflict(_)) => {}
            Err(error) => {
                notes.push(format!("The outputs of {model} in {dataset} ({}) are not imported: {error}", of.way.name()))
            }
        }
    }
    missing.sort();
    missing.dedup();
    notes.insert(0, format!("{imported} files of published outputs were imported."));
    for dataset in missing {
        let mut note = format!("Published outputs were left out, because there is no dataset {dataset}.");
        if dataset.ends_with("v0") {
            note.push_str(
                " Get its file with `git -C DIR show 93b17ef:function/L_1_part_1.jsonl`, and import that file first.",
            );
        }
        notes.push(note);
    }
    Ok(notes)
}
