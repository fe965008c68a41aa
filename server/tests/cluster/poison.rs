//! An output of which every worker dies: it is tried again, tried alone, and then listed. The others get their verdicts.
//!
//! The test kills whichever worker says that the output is in progress. It then tells the broker what the worker cannot
//! say anymore, that the job is free again; otherwise, the broker would notice after [`ACK_WAIT`].
//!
//! [`ACK_WAIT`]: jobs::cluster::ACK_WAIT

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use async_nats::Client;
use futures::StreamExt as _;
use jobs::cluster::{JOBS, MOST_DELIVERIES, jetstream, messages::unpack};
use model::{
    caller::System,
    page::PageOf,
    reason::Fault,
    run::{ItemFilter, ItemState, RunStatus, Verdict},
};
use port::Runs as _;
use tokio::time::timeout;

use super::{Data, brokers::Brokers, prerequisites_of_workers, serve, wait, worker};

/// What a worker that is still there says of a job.
const IN_PROGRESS: &[u8] = b"+WPI";

/// What a worker says of a job that it gives back.
const GIVEN_BACK: &str = "-NAK";

/// What only the poisonous output contains. It takes long enough for its worker to say that it is in progress, and waits
/// for less than the limit.
const POISON: &str = "    import time\n    time.sleep(50)\n";

#[test]
fn an_output_that_kills_its_workers_is_tried_alone_and_then_listed() {
    let Some((nats, humaneval_x)) = prerequisites_of_workers() else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let data = Data::create_with(&folder.join("data"), &humaneval_x, 4, 1, |at, _| (at == 1).then_some(POISON));
    let brokers = Brokers::start(folder, nats, 1, "");
    let server = serve(&data.folder, &brokers.url("server"), 1);
    let url = brokers.url("worker");
    let observer = data.runtime.block_on(brokers.broker("server").connect_server("test")).unwrap();
    let mut signs = data.runtime.block_on(observer.subscribe(format!("$JS.ACK.{JOBS}.>"))).unwrap();
    data.runtime.block_on(observer.flush()).unwrap();

    let run = data.begin(data.submissions[0], true);
    let mut working = worker(folder, &url, "python");
    let (mut seen, mut killed) = (BTreeSet::new(), BTreeMap::<String, i64>::new());
    wait("the run finishes", || {
        let sign = data.runtime.block_on(async { timeout(Duration::from_millis(100), signs.next()).await });
        if let Ok(Some(sign)) = sign
            && sign.payload.starts_with(IN_PROGRESS)
            && let Some(queue) = data.runtime.block_on(poisoned(&observer, &sign.subject))
            && seen.insert(sign.subject.to_string())
        {
            working.kill();
            *killed.entry(queue).or_default() += 1;
            data.runtime.block_on(async {
                observer.publish(sign.subject, GIVEN_BACK.into()).await.unwrap();
                observer.flush().await.unwrap();
            });
            working = worker(folder, &url, "python");
        }
        data.progress(run).0 == RunStatus::Finished
    });

    // First beside other outputs, then alone. The broker may have given the job to a worker that was dead already, which
    // counts, too.
    assert_eq!(killed.keys().collect::<Vec<_>>(), ["python", "python-alone"]);
    assert!(killed.values().all(|times| *times <= MOST_DELIVERIES), "{killed:?}");
    assert_eq!(data.progress(run), (RunStatus::Finished, 4, 1));
    let items = data.runtime.block_on(async {
        let page = PageOf::first(PageOf::MOST);
        data.services.runs.items(&System.admin(), run, ItemFilter::default(), page).await.unwrap().rows
    });
    let states: BTreeMap<&str, _> =
        items.iter().map(|item| (item.task_id.as_str(), (item.state, item.verdict))).collect();
    let passed = (ItemState::Done, Some(Verdict::Passed));
    let expected =
        [("Python/0", passed), ("Python/1", (ItemState::Failed, None)), ("Python/2", passed), ("Python/3", passed)];
    assert_eq!(states, BTreeMap::from(expected));
    let poisonous = items.iter().find(|item| item.state == ItemState::Failed).unwrap().output;
    let detail = data.runtime.block_on(data.services.runs.item(&System.admin(), run, poisonous)).unwrap();
    assert_eq!(detail.fault, Some(Fault::WorkersLost { times: 5 }));
    drop((server, working));
}

/// The queue of the job that an acknowledgement is about, if the job is that of the poisonous output.
async fn poisoned(observer: &Client, subject: &str) -> Option<String> {
    // $JS.ACK.STREAM.CONSUMER.DELIVERED.SEQUENCE…
    let parts: Vec<&str> = subject.split('.').collect();
    let (queue, sequence) = (parts[3], parts[5].parse().unwrap());
    let stream = jetstream(observer).get_stream(JOBS).await.unwrap();
    // A job that was reported meanwhile is not there anymore.
    let job = stream.get_raw_message(sequence).await.ok()?;
    let assignment: serde_json::Value = unpack(&job.payload).unwrap();
    let code = assignment["job"]["code"].as_str().unwrap();
    code.contains(POISON.trim()).then(|| queue.to_owned())
}
