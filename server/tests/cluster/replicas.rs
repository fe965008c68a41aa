//! A server whose operator adds brokers keeps everything that is in the broker, with more replicas.

use std::time::Duration;

use async_nats::jetstream::stream;
use futures::TryStreamExt as _;
use jobs::cluster::{JOBS, RESULTS, SUITES_STREAM, create, jetstream};
use prerequisites::PATIENCE;
use tokio::{
    io::AsyncReadExt as _,
    time::{sleep, timeout},
};

use super::{brokers::Brokers, nats_server};

/// How long the test waits before it looks again.
const MOMENT: Duration = Duration::from_millis(50);

/// After how many looks the test lets another broker lead a consumer that has a copy left behind. Version 2.9.10, Debian's,
/// sometimes leaves the copy of an idle consumer behind until then; docs/operating.md has the command for operators.
const LOOKS: u32 = 100;

#[test]
fn more_replicas_are_made_of_every_stream_and_of_the_suites() {
    let Some(nats) = prerequisites::host(nats_server()) else { return };
    let folder = tempfile::tempdir().unwrap();
    let brokers = Brokers::start(folder.path(), nats, 3, "");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async { timeout(PATIENCE, replicas_grow(&brokers)).await.unwrap() });
}

async fn replicas_grow(brokers: &Brokers) {
    let client = brokers.broker("server").connect_server("test").await.unwrap();
    let context = jetstream(&client);
    // The brokers have to find each other first.
    let store = loop {
        match create(&context, 1).await {
            Ok(store) => break store,
            Err(_) => sleep(MOMENT).await,
        }
    };
    store.put("suite", &mut &b"tests"[..]).await.unwrap();

    // An operator's description stays, a limit that another version made does not.
    let mut config = context.get_stream(SUITES_STREAM).await.unwrap().cached_info().config.clone();
    assert_eq!(config.num_replicas, 1);
    let most_bytes = config.max_bytes;
    config.description = Some("an operator's".to_owned());
    config.max_bytes = most_bytes / 2;
    context.update_stream(config.clone()).await.unwrap();

    let mut looks = 0;
    for _again in 0..2 {
        let store = create(&context, 3).await.unwrap();
        for name in [JOBS, RESULTS, SUITES_STREAM] {
            // Replicas are made after the answer.
            let found = loop {
                let found = context.get_stream(name).await.unwrap();
                let consumers: Vec<_> = found.consumers().try_collect().await.unwrap();
                let behind = consumers.iter().find(|consumer| current_copies(&consumer.cluster) < 2);
                if behind.is_none() && current_copies(&found.cached_info().cluster) == 2 {
                    break found;
                }
                looks += 1;
                if let Some(consumer) = behind.filter(|_| looks % LOOKS == 0) {
                    let step_down = format!("$JS.API.CONSUMER.LEADER.STEPDOWN.{name}.{}", consumer.name);
                    client.request(step_down, "".into()).await.unwrap();
                }
                sleep(MOMENT).await;
            };
            assert_eq!(found.cached_info().config.num_replicas, 3, "{name}");
        }
        let stream::Config { description, max_bytes, num_replicas, .. } =
            context.get_stream(SUITES_STREAM).await.unwrap().cached_info().config.clone();
        assert_eq!((description.as_deref(), max_bytes, num_replicas), (Some("an operator's"), most_bytes, 3));
        let mut content = String::new();
        store.get("suite").await.unwrap().read_to_string(&mut content).await.unwrap();
        assert_eq!(content, "tests");
    }
}

/// How many other brokers have all that the leader has.
fn current_copies(cluster: &Option<stream::ClusterInfo>) -> usize {
    cluster.iter().flat_map(|cluster| &cluster.replicas).filter(|replica| replica.current).count()
}
