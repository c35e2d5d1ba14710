//! Who has the tokens for a server.

use std::future::Future;
use std::pin::Pin;

use crate::RequestError;

/// A future that can be sent between threads.
pub type BoxFuture<'f, T> = Pin<Box<dyn Future<Output = T> + Send + 'f>>;

/// Gives the tokens for one server, and hears when it wants another one.
pub trait Authorizer: Send + Sync {
    /// The token for the next request; `None` sends it without one.
    fn token(&self) -> BoxFuture<'_, Result<Option<String>, RequestError>>;

    /// The server has answered with 401 or 403. Says whether to try again with what `token` gives then.
    fn challenged(
        &self,
        status: u16,
        www_authenticate: Option<String>,
    ) -> BoxFuture<'_, Result<bool, RequestError>>;
}
