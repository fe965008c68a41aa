//! Connections and their time limits: no client keeps one for longer than it makes use of it.
//!
//! A request's head has a fixed time. A body may take as long as it likes while it arrives at a minimum rate. An
//! answer may take as long as the client keeps reading: downloads are slow, and a run's progress is a stream of events
//! with pauses, so only a client that has stopped reading is cut off.

use std::{
    net::SocketAddr,
    pin::Pin,
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

/// How long a client may take; see the module.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// For the head of a request, counted from the end of the request before it: also the longest idle time of a
    /// connection.
    pub head: Duration,
    /// For a body: the waiting time that is left over when it arrives at [`BODY_RATE`].
    pub body: Duration,
    /// For the next bytes of an answer to be accepted.
    pub answer: Duration,
    /// For the answers that are under way when the server is told to stop.
    pub stop: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            // Browsers send a head at once; proxies keep idle connections for about as long.
            head: Duration::from_secs(30),
            // A phone in a tunnel.
            body: Duration::from_secs(30),
            answer: Duration::from_secs(30),
            // Below the 90 seconds after which systemd kills.
            stop: Duration::from_secs(60),
        }
    }
}

/// The lowest rate of a body, in bytes a second: a tenth of the slowest mobile connection in use.
const BODY_RATE: u64 = 1024;

/// Serves until `stop` is ready, and then for as long as [`Limits::stop`] allows.
pub async fn serve(mut listener: TcpListener, router: Router, limits: Limits, stop: impl Future<Output = ()>) {
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(limits.head);
    let connections = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        // axum's `accept` waits and tries again when the process is out of file descriptors.
        let (stream, address) = tokio::select! {
            accepted = Listener::accept(&mut listener) => accepted,
            () = &mut stop => break,
        };
        // A failure only means that small answers may wait for the next one.
        let _ = stream.set_nodelay(true);
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(limits.answer));
        let router = router.clone();
        let service = service_fn(move |request| answer(router.clone(), address, limits.body, request));
        let connection = builder.serve_connection(TokioIo::new(Box::pin(stream)), service);
        let connection = connections.watch(connection);
        tokio::spawn(async move {
            // A client that went away or was too slow is not our failure.
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended early");
            }
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

/// A body that fails when it arrives too slowly. Only the time spent waiting for the client counts.
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

    /// Long enough that it never ends a test that is not about it.
    const NEVER: Duration = Duration::from_secs(3600);
    const AT_ONCE: Duration = Duration::from_millis(20);

    async fn connect(router: Router, limits: Limits) -> TcpStream {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(serve(listener, router, limits, std::future::pending()));
        TcpStream::connect(address).await.unwrap()
    }

    fn never() -> Limits {
        Limits { head: NEVER, body: NEVER, answer: NEVER, stop: NEVER }
    }

    async fn rest(client: &mut TcpStream) -> String {
        let mut text = Vec::new();
        // A reset is an end, too.
        let _ = client.read_to_end(&mut text).await;
        String::from_utf8_lossy(&text).into_owned()
    }

    #[tokio::test]
    async fn a_head_that_does_not_end_ends_the_connection() {
        let mut client = connect(Router::new(), Limits { head: AT_ONCE, ..never() }).await;
        client.write_all(b"GET / HTTP/1.1\r\nHost: a").await.unwrap();
        assert!(!rest(&mut client).await.contains("200"));
        let mut idle = connect(Router::new(), Limits { head: AT_ONCE, ..never() }).await;
        assert_eq!(rest(&mut idle).await, "");
    }

    #[tokio::test]
    async fn a_body_that_stops_arriving_is_refused() {
        let router = Router::new().route_service("/", post(|body: String| async move { body }));
        let mut client = connect(router, Limits { body: AT_ONCE, ..never() }).await;
        client.write_all(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf").await.unwrap();
        let answer = rest(&mut client).await;
        assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    }

    #[tokio::test]
    async fn an_answer_that_nobody_reads_is_dropped() {
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
        // Nothing is read: the body, and whatever it holds, goes all the same.
        assert!(is_dropped.await.is_err());
        drop(client);
    }

    #[tokio::test(start_paused = true)]
    async fn events_with_pauses_are_not_cut_off() {
        let (send, receive) = mpsc::channel::<()>(1);
        let receive = std::sync::Arc::new(tokio::sync::Mutex::new(receive));
        let events = move || {
            let events = stream::unfold(receive, |receive| async move {
                receive.lock().await.recv().await?;
                Some((Ok::<_, std::convert::Infallible>(Event::default().data("beat")), receive))
            });
            async move { Sse::new(events) }
        };
        let limits = Limits { head: AT_ONCE, body: AT_ONCE, answer: AT_ONCE, stop: NEVER };
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
    async fn a_slow_body_that_keeps_coming_is_read_to_its_end() {
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
    async fn a_body_of_one_byte_now_and_then_is_refused() {
        let (send, receive) = futures::channel::mpsc::unbounded::<Result<Frame<Bytes>, std::io::Error>>();
        let read = tokio::spawn(Paced::new(StreamBody::new(receive), Duration::from_secs(30)).collect());
        for _ in 0..4 {
            tokio::time::advance(Duration::from_secs(10)).await;
            tokio::task::yield_now().await;
            // Refused after the third: nobody reads the last one.
            let _ = send.unbounded_send(Ok(Frame::data(Bytes::from_static(b"x"))));
            tokio::task::yield_now().await;
        }
        assert!(read.await.unwrap().is_err());
    }
}
