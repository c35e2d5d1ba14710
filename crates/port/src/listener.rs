//! The address that is listened at.

use std::io;
use std::net::SocketAddr;

use tokio::net::TcpListener;

/// Whether other machines may reach the port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// This machine only.
    Loopback,
    /// Whoever can send to the address.
    Anywhere,
}

/// Why nothing can be listened at.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// Other machines could reach it, and nobody said that they may.
    #[error("other machines can reach {0}")]
    NotLoopback(SocketAddr),
    /// Somebody else is there.
    #[error("{0} is taken: another program listens there")]
    Taken(SocketAddr),
    /// The user may not.
    #[error("{0} may not be used by this user")]
    NotAllowed(SocketAddr),
    /// Something else of the system.
    #[error("{address} cannot be listened at: {source}")]
    Io {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
}

/// An address that is listened at. Who connects waits until it is served.
#[derive(Debug)]
pub struct Bound {
    pub(super) listener: TcpListener,
    /// The address, with its port when any was asked for.
    pub address: SocketAddr,
}

/// Listens at an address. Must be called on a tokio runtime.
pub async fn bind(address: SocketAddr, reach: Reach) -> Result<Bound, ListenError> {
    if !address.ip().is_loopback() && reach == Reach::Loopback {
        return Err(ListenError::NotLoopback(address));
    }
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::AddrInUse => ListenError::Taken(address),
        io::ErrorKind::PermissionDenied => ListenError::NotAllowed(address),
        _ => ListenError::Io { address, source },
    };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    Ok(Bound { listener, address })
}
