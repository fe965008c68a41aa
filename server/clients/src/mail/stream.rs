//! The connection to an SMTP server, which may send only so much: the SMTP library reads each line whole before it looks at
//! its length, so a server, or anybody on the way to it before TLS, could otherwise fill this machine's memory.

use std::{
    error::Error,
    fmt,
    io::{self, ErrorKind},
    net::SocketAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use lettre::transport::smtp::client::AsyncTokioStream;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time,
};
use tokio_rustls::{
    TlsConnector,
    client::TlsStream,
    rustls::{ClientConfig, RootCertStore, crypto::ring, pki_types::ServerName},
};

/// Maximum size of everything that an SMTP server sends over one connection, in bytes: certificates take the most.
const MOST: usize = 256 * 1024;

/// The SMTP server has sent more than [`MOST`].
#[derive(Debug)]
pub struct TooMuch;

impl fmt::Display for TooMuch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the SMTP server sent more than {} KiB", MOST / 1024)
    }
}

impl Error for TooMuch {}

/// A connection that ends with [`TooMuch`].
#[derive(Debug)]
pub struct Limited {
    inner: TcpStream,
    left: usize,
}

impl AsyncRead for Limited {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(context, buffer))?;
        let read = buffer.filled().len() - before;
        self.left = match self.left.checked_sub(read) {
            Some(left) => left,
            None => return Poll::Ready(Err(io::Error::new(ErrorKind::InvalidData, TooMuch))),
        };
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Limited {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}

impl AsyncTokioStream for Limited {
    fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.inner.peer_addr()
    }
}

/// A connection with TLS from its start.
#[derive(Debug)]
struct Encrypted(TlsStream<Limited>);

impl AsyncRead for Encrypted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for Encrypted {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

impl AsyncTokioStream for Encrypted {
    fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.0.get_ref().0.peer_addr()
    }
}

/// Connects to the first of the addresses that answers. Each gets an equal part of the time.
///
/// # Errors
/// The last address's error.
pub async fn connect(addresses: &[SocketAddr], patience: Duration) -> io::Result<Limited> {
    let each = patience / u32::try_from(addresses.len().max(1)).unwrap_or(u32::MAX);
    let mut last = io::Error::new(ErrorKind::NotFound, "the server has no address");
    for address in addresses {
        match time::timeout(each, TcpStream::connect(address)).await {
            Ok(Ok(inner)) => return Ok(Limited { inner, left: MOST }),
            Ok(Err(e)) => last = e,
            Err(_) => last = ErrorKind::TimedOut.into(),
        }
    }
    Err(last)
}

/// Begins TLS, with the certificates that this machine trusts.
///
/// # Errors
/// The server's certificate is not valid for `host`, or the connection fails.
pub async fn encrypted(stream: Limited, host: &str) -> io::Result<Box<dyn AsyncTokioStream>> {
    let mut roots = RootCertStore::empty();
    // Certificates that cannot be read are not trusted.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from(host.to_owned()).map_err(|e| io::Error::new(ErrorKind::InvalidInput, e))?;
    Ok(Box::new(Encrypted(TlsConnector::from(Arc::new(config)).connect(name, stream).await?)))
}
