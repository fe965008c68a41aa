//! A server whose operator adds brokers keeps everything that is in the broker, with more replicas.

use async_nats::{ConnectOptions, jetstream::stream};
use futures::TryStreamExt as _;
use server::jobs::cluster::{JOBS, RESULTS, SUITES_STREAM, create, jetstream};
use tokio::io::AsyncReadExt as _;

use super::{PATIENCE, brokers::Brokers, nats_server, prerequisites};

#[test]
fn more_replicas_are_made_of_every_stream_and_of_the_suites() {
    let Some(nats) = prerequisites::host(nats_server()) else { return };
    let folder = tempfile::tempdir().unwrap();
    let brokers = Brokers::start(folder.path(), nats, 3, "");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(tokio::time::timeout(PATIENCE, replicas_grow(&brokers))).unwrap();
}

async fn replicas_grow(brokers: &Brokers) {
    let options = ConnectOptions::with_user_and_password("server".to_owned(), "test".to_owned());
    let addresses: Vec<String> = brokers.ports.iter().map(|port| format!("127.0.0.1:{port}")).collect();
    let client = options.retry_on_initial_connect().connect(addresses).await.unwrap();
    let context = jetstream(&client);
    // The brokers have to find each other first.
    let store = loop {
        match create(&context, 1).await {
            Ok(store) => break store,
            Err(_) => tokio::task::yield_now().await,
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

    for _again in 0..2 {
        let store = create(&context, 3).await.unwrap();
        for name in [JOBS, RESULTS, SUITES_STREAM] {
            // Replicas are made after the answer.
            let found = loop {
                let found = context.get_stream(name).await.unwrap();
                let consumers: Vec<_> = found.consumers().try_collect().await.unwrap();
                let clusters = consumers.iter().map(|consumer| &consumer.cluster);
                let others = |cluster: &Option<stream::ClusterInfo>| {
                    cluster.iter().flat_map(|cluster| &cluster.replicas).filter(|replica| replica.current).count()
                };
                if others(&found.cached_info().cluster) == 2 && clusters.map(others).all(|count| count == 2) {
                    break found;
                }
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
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
