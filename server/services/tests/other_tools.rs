//! Files of other tools from the upload to the stored outputs: previewed, imported, and what they say of an output.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::{collections::BTreeMap, fs, path::Path};

use db::uploads::Purpose;
use model::{
    caller::{Admin, System},
    error::AppError,
    ids::{SubmissionId, UploadId},
    page::PageOf,
    run::EngineReadiness,
    submission::{InvalidLines, Matching, OutputDetail, OutputFilter, Preview, Shape, TheirVerdicts},
};
use port::Submissions as _;
use services::Services;

const OPERATOR: Admin = System.admin();
const DATASET: &str = "tiny";

/// A data folder with a dataset that has the tasks of the fixtures.
struct Bench {
    services: Services,
    _folder: tempfile::TempDir,
}

impl Bench {
    async fn new() -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let services = Services::open_with(&folder.path().join("data"), |_| EngineReadiness::default()).unwrap();
        let dataset = folder.path().join("dataset");
        fs::create_dir(&dataset).unwrap();
        let about = r#"{"format": 1, "slug": "tiny", "name": {"en": "Tiny", "zh": "微型"}, "license": "MIT"}"#;
        fs::write(dataset.join("dataset.json"), about).unwrap();
        let tasks = [
            ("Python/2", "def truncate_number(number: float) -> float"),
            ("Python/3", "def below_zero(operations: list) -> bool"),
            ("S01", "def add(a, b)"),
        ];
        let line = |(id, signature): (&str, &str)| {
            let text = format!("Does the work of {id}.");
            serde_json::json!({"task_id": id, "raw_nl": text, "signature": signature, "code_lang": "python",
                "checks": ["human"]})
            .to_string()
        };
        fs::write(dataset.join("tasks.jsonl"), tasks.map(line).join("\n")).unwrap();
        services.imports.paths(System, vec![dataset]).await.unwrap();
        Bench { services, _folder: folder }
    }

    async fn upload(&self, name: &str) -> UploadId {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../formats/tests/fixtures").join(name);
        let mut incoming = self.services.uploads.begin(path.file_name().unwrap().to_str().unwrap()).await.unwrap();
        incoming.write(&fs::read(path).unwrap()).await.unwrap();
        let stored = incoming.finish().await.unwrap();
        self.services.submissions.note_upload(&OPERATOR, stored, Purpose::outputs(Some(DATASET))).await.unwrap()
    }

    async fn preview(&self, upload: UploadId) -> Preview {
        self.services.submissions.preview(&OPERATOR, upload, DATASET, Matching::Auto).await.unwrap()
    }

    async fn import(&self, upload: UploadId, model: &str, invalid: InvalidLines) -> Result<SubmissionId, AppError> {
        self.services.submissions.import(&OPERATOR, upload, DATASET, Matching::Auto, model, invalid).await
    }

    async fn details(&self, submission: SubmissionId) -> Vec<OutputDetail> {
        let (submissions, first) = (&self.services.submissions, PageOf::first(100));
        let page = submissions.outputs(&OPERATOR, submission, OutputFilter::default(), first).await.unwrap();
        let mut details = Vec::new();
        for row in page.rows {
            details.push(submissions.output(&OPERATOR, row.id).await.unwrap());
        }
        details
    }
}

#[tokio::test]
async fn a_log_of_inspect_is_imported_with_its_scores() {
    let bench = Bench::new().await;
    let upload = bench.upload("inspect/tiny.eval").await;
    let preview = bench.preview(upload).await;
    assert_eq!((preview.shapes, preview.matched, preview.samples_max), (vec![(Shape::Inspect, 4)], 4, 2));
    assert!(preview.archive && preview.table.is_none());
    let details = bench.details(bench.import(upload, "M", InvalidLines::Refuse).await.unwrap()).await;
    let shown: Vec<_> = details
        .iter()
        .map(|detail| {
            let reported = detail.reported.clone().unwrap();
            let passed = reported.verdict.map(|verdict| verdict.passed);
            (&*detail.row.task_id, detail.row.sample, passed, reported.epoch, reported.input_tokens)
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("S01", 0, Some(true), Some(1), Some(11)),
            ("Python/2", 0, Some(true), Some(1), Some(11)),
            ("S01", 1, Some(false), Some(2), Some(11)),
            ("Python/2", 1, Some(false), Some(2), Some(11)),
        ]
    );
    assert_eq!(details[2].reasoning.as_deref(), Some("Two numbers, so sum works."));
}

/// Every format gives a submission without a change to its file.
#[tokio::test]
async fn every_tool_gets_to_a_submission() {
    let bench = Bench::new().await;
    for (name, shape, outputs) in [
        ("human-eval/samples.jsonl_results.jsonl", Shape::HumanEval, 4),
        ("evalplus/samples.jsonl.zst", Shape::EvalPlus, 4),
        ("evalplus/samples_eval_results.json", Shape::EvalPlus, 4),
        ("evalplus/tiny_temp_0.8.zip", Shape::EvalPlus, 4),
        ("bigcode/generations_tiny.json", Shape::Bigcode, 4),
        ("lm-eval/samples_tiny_code.jsonl", Shape::LmEval, 4),
        ("inspect/tiny.json", Shape::Inspect, 4),
        ("multipl-e/tiny-py.tar.gz", Shape::MultiplE, 4),
        ("multipl-e/HumanEval_2_truncate_number.results.json.gz", Shape::MultiplE, 2),
        ("tables/outputs.csv", Shape::Table, 3),
    ] {
        let upload = bench.upload(name).await;
        let preview = bench.preview(upload).await;
        assert_eq!(preview.problems, [], "{name}");
        assert_eq!(preview.shapes, [(shape, outputs)], "{name}");
        let submission = bench.import(upload, name, InvalidLines::Refuse).await.unwrap();
        let details = bench.details(submission).await;
        assert_eq!(details.len() as u64, outputs, "{name}");
        let verdicts = details.iter().filter_map(|detail| detail.reported.as_ref()?.verdict);
        let (mut lines, mut passed) = (0, 0);
        for verdict in verdicts {
            lines += 1;
            passed += u64::from(verdict.passed);
        }
        assert_eq!(preview.their_verdicts, TheirVerdicts { lines, passed }, "{name}");
    }
}

#[tokio::test]
async fn failed_requests_of_a_batch_are_left_out_on_request() {
    let bench = Bench::new().await;
    let upload = bench.upload("batches/anthropic.jsonl").await;
    assert!(matches!(bench.import(upload, "M", InvalidLines::Refuse).await, Err(AppError::Invalid(_))));
    let submission = bench.import(upload, "M", InvalidLines::LeaveOut).await.unwrap();
    let details = bench.details(submission).await;
    assert_eq!(details.len(), 1);
    assert_eq!(details[0].reported.as_ref().unwrap().model.as_deref(), Some("claude-x"));
}

#[tokio::test]
async fn columns_of_a_table_are_chosen_in_the_preview() {
    let bench = Bench::new().await;
    let upload = bench.upload("tables/semicolons.csv").await;
    let preview = bench.preview(upload).await;
    assert_eq!((preview.problem_count, preview.matched), (2, 0));
    assert_eq!(preview.table.unwrap().names, ["Nr", "Answer; of the model", "Note"]);
    let columns = [("task_id", "Nr"), ("code", "Answer; of the model"), ("passed", "")];
    let columns: BTreeMap<_, _> = columns.map(|(ours, theirs)| (ours.to_owned(), theirs.to_owned())).into();
    bench.services.submissions.choose_columns(&OPERATOR, upload, columns).await.unwrap();
    let preview = bench.preview(upload).await;
    assert_eq!((preview.problem_count, preview.matched), (0, 2));
    assert_eq!(preview.table.unwrap().chosen.len(), 2);
    let submission = bench.import(upload, "M", InvalidLines::Refuse).await.unwrap();
    assert_eq!(bench.details(submission).await.len(), 2);
    let unknown = bench.services.submissions.choose_columns(&OPERATOR, UploadId(99), BTreeMap::new()).await;
    assert!(matches!(unknown, Err(AppError::NotFound(_))));
}

/// A list of unknown tasks has the files of an archive, but other datasets are found by task IDs.
#[tokio::test]
async fn another_dataset_is_found_for_an_archive() {
    let bench = Bench::new().await;
    let folder = tempfile::tempdir().unwrap();
    let about = r#"{"format": 1, "slug": "other", "name": {"en": "Other", "zh": "另一个"}, "license": "MIT"}"#;
    fs::write(folder.path().join("dataset.json"), about).unwrap();
    let task = r#"{"task_id": "Z1", "raw_nl": "Does nothing.", "code_lang": "python", "checks": ["human"]}"#;
    fs::write(folder.path().join("tasks.jsonl"), task).unwrap();
    bench.services.imports.paths(System, vec![folder.path().to_owned()]).await.unwrap();
    let upload = bench.upload("evalplus/tiny_temp_0.8.zip").await;
    let preview = bench.services.submissions.preview(&OPERATOR, upload, "other", Matching::Auto).await.unwrap();
    assert_eq!((preview.matched, preview.unknown_count), (0, 4));
    assert!(preview.unknown.iter().all(|one| one.label.ends_with(".py")), "{:?}", preview.unknown);
    let found: Vec<_> = preview.other_datasets.iter().map(|one| (&*one.dataset, one.known, one.of)).collect();
    assert_eq!(found, [("tiny", 2, 2)]);
}
