//! Connections and their time limits: a client that makes no progress loses its connection.
//!
//! The head of a request has a fixed time. A body may take any time as long as it arrives at a minimum rate.
//! A response may take any time as long as the client keeps reading: downloads are slow, and a run's
//! progress is a stream of events with pauses.

use std::{
    collections::HashMap,
    net::{IpAddr, SocketAddr},
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
    time::Duration,
};

use axum::{
    Router,
    body::Body,
    extract::{ConnectInfo, Request},
    serve::Listener,
};
use http_body::{Body as HttpBody, Frame, SizeHint};
use hyper::{body::Bytes, server::conn::http1, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
};
use tokio::{
    net::TcpListener,
    time::{Instant, Sleep, sleep, timeout},
};
use tokio_io_timeout::TimeoutStream;
use tower::ServiceExt;

use services::throttle::network;

/// Time limits of a client; see the module.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// For the head of a request, counted from the end of the previous request; also the longest idle time
    /// of a connection.
    pub head: Duration,
    /// For a body: the waiting time that remains if it arrives at [`BODY_RATE`].
    pub body: Duration,
    /// For the client to accept the next bytes of a response.
    pub answer: Duration,
    /// For pending responses when the server stops.
    pub stop: Duration,
    /// Simultaneous connections.
    pub connections: usize,
    /// Simultaneous connections from one IPv4 address or IPv6 /64. A reverse proxy on this machine is exempt: it brings everybody.
    pub from_one_address: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            // Browsers send a head at once; proxies keep idle connections for about this long.
            head: Duration::from_secs(30),
            // Long enough for a phone in a tunnel.
            body: Duration::from_secs(30),
            answer: Duration::from_secs(30),
            // Below the 90 seconds after which systemd kills the process.
            stop: Duration::from_secs(60),
            // A connection takes a file descriptor and some 10 KB; services may have 4,096 descriptors or more.
            connections: 2_000,
            // A browser opens six; a laboratory may share one address.
            from_one_address: 500,
        }
    }
}

/// The open connections, by [`network`].
#[derive(Default)]
struct Connections(Mutex<HashMap<String, usize>>);

impl Connections {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a new connection until the result is dropped; `None` if there are too many.
    fn admit(self: &Arc<Self>, address: IpAddr, limits: &Limits) -> Option<Admitted> {
        let mut open = self.lock();
        let network = network(address);
        let own = open.get(&network).copied().unwrap_or_default();
        let too_many = !address.is_loopback() && own >= limits.from_one_address;
        if too_many || open.values().sum::<usize>() >= limits.connections {
            return None;
        }
        open.insert(network.clone(), own + 1);
        Some(Admitted { connections: self.clone(), network })
    }
}

/// An open connection.
struct Admitted {
    connections: Arc<Connections>,
    network: String,
}

impl Drop for Admitted {
    fn drop(&mut self) {
        let mut open = self.connections.lock();
        match open.get_mut(&self.network) {
            Some(own) if *own > 1 => *own -= 1,
            _ => {
                open.remove(&self.network);
            }
        }
    }
}

/// Minimum rate of a body, in bytes per second: a tenth of the slowest mobile connection in use.
const BODY_RATE: u64 = 1024;

/// Serves until `stop` is ready, and then for at most [`Limits::stop`].
pub async fn serve(mut listener: TcpListener, router: Router, limits: Limits, stop: impl Future<Output = ()>) {
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(limits.head);
    let connections = GracefulShutdown::new();
    let open = Arc::new(Connections::default());
    let mut stop = std::pin::pin!(stop);
    loop {
        // axum's `accept` waits and retries when the process is out of file descriptors.
        let (stream, address) = tokio::select! {
            accepted = Listener::accept(&mut listener) => accepted,
            () = &mut stop => break,
        };
        let Some(admitted) = open.admit(address.ip().to_canonical(), &limits) else {
            tracing::debug!("a connection was closed: there are too many");
            continue;
        };
        // If this fails, small responses may be delayed, nothing more.
        let _ = stream.set_nodelay(true);
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(limits.answer));
        let router = router.clone();
        let service = service_fn(move |request| answer(router.clone(), address, limits.body, request));
        let connection = builder.serve_connection(TokioIo::new(Box::pin(stream)), service);
        let connection = connections.watch(connection);
        tokio::spawn(async move {
            // A client that disconnected or was too slow is not an error of ours.
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended early");
            }
            drop(admitted);
        });
    }
    drop(listener);
    if timeout(limits.stop, connections.shutdown()).await.is_err() {
        tracing::warn!("some answers were cut off: their clients did not read them in time");
    }
}

async fn answer(
    router: Router,
    address: SocketAddr,
    patience: Duration,
    request: hyper::Request<hyper::body::Incoming>,
) -> Result<axum::response::Response, std::convert::Infallible> {
    let mut request: Request = request.map(|body| Body::new(Paced::new(body, patience)));
    request.extensions_mut().insert(ConnectInfo(address));
    router.oneshot(request).await
}

/// A body that fails if it arrives too slowly. Only the time spent waiting for the client counts.
struct Paced<B> {
    body: B,
    /// The longest and the current waiting time.
    patience: Duration,
    left: Duration,
    waiting: Option<Instant>,
    alarm: Pin<Box<Sleep>>,
}

impl<B> Paced<B> {
    fn new(body: B, patience: Duration) -> Self {
        Paced { body, patience, left: patience, waiting: None, alarm: Box::pin(sleep(patience)) }
    }

    fn arrived(&mut self, bytes: usize) {
        if let Some(since) = self.waiting.take() {
            self.left = self.left.saturating_sub(since.elapsed());
        }
        let earned = Duration::from_secs_f64(bytes as f64 / BODY_RATE as f64);
        self.left = self.left.saturating_add(earned).min(self.patience);
    }
}

impl<B> HttpBody for Paced<B>
where
    B: HttpBody<Data = Bytes> + Unpin,
    B::Error: Into<axum::BoxError>,
{
    type Data = Bytes;
    type Error = axum::BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            if let Some(Ok(frame)) = &frame {
                self.arrived(frame.data_ref().map_or(0, Bytes::len));
            }
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        if self.waiting.is_none() {
            let now = Instant::now();
            let until = now + self.left;
            self.waiting = Some(now);
            self.alarm.as_mut().reset(until);
        }
        ready!(self.alarm.as_mut().poll(context));
        let slow = std::io::Error::new(std::io::ErrorKind::TimedOut, "the request's body arrives too slowly");
        Poll::Ready(Some(Err(slow.into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use axum::{
        response::sse::{Event, Sse},
        routing::{get, post},
    };
    use futures::stream;
    use http_body_util::{BodyExt, StreamBody};
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpStream,
        sync::{mpsc, oneshot},
    };

    use super::*;

    /// Too long to end a test about another limit.
    const NEVER: Duration = Duration::from_secs(3600);
    const AT_ONCE: Duration = Duration::from_millis(20);

    async fn connect(router: Router, limits: Limits) -> TcpStream {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(serve(listener, router, limits, std::future::pending()));
        TcpStream::connect(address).await.unwrap()
    }

    fn never() -> Limits {
        Limits { head: NEVER, body: NEVER, answer: NEVER, stop: NEVER, ..Limits::default() }
    }

    async fn rest(client: &mut TcpStream) -> String {
        let mut text = Vec::new();
        // A reset also ends the connection.
        let _ = client.read_to_end(&mut text).await;
        String::from_utf8_lossy(&text).into_owned()
    }

    #[tokio::test]
    async fn unfinished_head_times_out() {
        let mut client = connect(Router::new(), Limits { head: AT_ONCE, ..never() }).await;
        client.write_all(b"GET / HTTP/1.1\r\nHost: a").await.unwrap();
        assert!(!rest(&mut client).await.contains("200"));
        let mut idle = connect(Router::new(), Limits { head: AT_ONCE, ..never() }).await;
        assert_eq!(rest(&mut idle).await, "");
    }

    #[test]
    fn connections_are_limited_by_address_and_in_total() {
        let open = Arc::new(Connections::default());
        let limits = Limits { connections: 4, from_one_address: 2, ..never() };
        let admit = |address: &str| open.admit(address.parse().unwrap(), &limits);
        let (first, second) = (admit("203.0.113.7"), admit("203.0.113.7"));
        assert!(first.is_some() && second.is_some() && admit("203.0.113.7").is_none());
        // A proxy on this machine has connections for everybody.
        let proxied: Vec<_> = (0..2).map(|_| admit("127.0.0.1")).collect();
        assert!(proxied.iter().all(Option::is_some) && admit("198.51.100.1").is_none(), "in total");
        drop(first);
        assert!(admit("203.0.113.7").is_some());
        drop((second, proxied));
        // A subscriber has all addresses of an IPv6 /64.
        let third = (admit("2001:db8::1"), admit("2001:db8::2"));
        assert!(third.0.is_some() && third.1.is_some() && admit("2001:db8::3").is_none());
        assert!(admit("2001:db8:0:1::1").is_some());
        drop(third);
        assert!(open.lock().is_empty());
    }

    #[tokio::test]
    async fn stalled_body_is_refused() {
        let router = Router::new().route_service("/", post(|body: String| async move { body }));
        let mut client = connect(router, Limits { body: AT_ONCE, ..never() }).await;
        client.write_all(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf").await.unwrap();
        let answer = rest(&mut client).await;
        assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    }

    #[tokio::test]
    async fn unread_response_is_dropped() {
        let (dropped, is_dropped) = oneshot::channel::<()>();
        let dropped = std::sync::Arc::new(std::sync::Mutex::new(Some(dropped)));
        let endless = move || {
            let held = dropped.lock().unwrap().take();
            let chunks = stream::repeat_with(move || {
                let _held = &held;
                Ok::<_, std::io::Error>(Bytes::from_static(&[b'x'; 65536]))
            });
            async move { Body::from_stream(chunks) }
        };
        let router = Router::new().route_service("/", get(endless));
        let mut client = connect(router, Limits { answer: AT_ONCE, ..never() }).await;
        client.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
        // The handler does not read the body; the connection still ends.
        assert!(is_dropped.await.is_err());
        drop(client);
    }

    #[tokio::test(start_paused = true)]
    async fn event_stream_with_pauses_continues() {
        let (send, receive) = mpsc::channel::<()>(1);
        let receive = std::sync::Arc::new(tokio::sync::Mutex::new(receive));
        let events = move || {
            let events = stream::unfold(receive, |receive| async move {
                receive.lock().await.recv().await?;
                Some((Ok::<_, std::convert::Infallible>(Event::default().data("beat")), receive))
            });
            async move { Sse::new(events) }
        };
        let limits = Limits { head: AT_ONCE, body: AT_ONCE, answer: AT_ONCE, ..never() };
        let mut client = connect(Router::new().route_service("/", get(events)), limits).await;
        client.write_all(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").await.unwrap();
        for _ in 0..2 {
            // Longer than every limit.
            tokio::time::advance(AT_ONCE * 3).await;
            send.send(()).await.unwrap();
        }
        drop(send);
        let answer = rest(&mut client).await;
        assert_eq!(answer.matches("data: beat").count(), 2, "{answer}");
    }

    #[tokio::test(start_paused = true)]
    async fn slow_steady_body_is_read_completely() {
        let (send, receive) = futures::channel::mpsc::unbounded::<Result<Frame<Bytes>, std::io::Error>>();
        let read = tokio::spawn(Paced::new(StreamBody::new(receive), Duration::from_secs(30)).collect());
        // 20 KiB every 19 seconds, for an hour.
        for _ in 0..190 {
            tokio::time::advance(Duration::from_secs(19)).await;
            tokio::task::yield_now().await;
            send.unbounded_send(Ok(Frame::data(Bytes::from(vec![b'x'; 20 * 1024])))).unwrap();
            tokio::task::yield_now().await;
        }
        drop(send);
        assert_eq!(read.await.unwrap().unwrap().to_bytes().len(), 190 * 20 * 1024);
    }

    #[tokio::test(start_paused = true)]
    async fn trickled_body_is_refused() {
        let (send, receive) = futures::channel::mpsc::unbounded::<Result<Frame<Bytes>, std::io::Error>>();
        let read = tokio::spawn(Paced::new(StreamBody::new(receive), Duration::from_secs(30)).collect());
        for _ in 0..4 {
            tokio::time::advance(Duration::from_secs(10)).await;
            tokio::task::yield_now().await;
            // Refused after the third; the last one is not read.
            let _ = send.unbounded_send(Ok(Frame::data(Bytes::from_static(b"x"))));
            tokio::task::yield_now().await;
        }
        assert!(read.await.unwrap().is_err());
    }
}
