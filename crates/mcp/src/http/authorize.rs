//! Who gives the requests to a server their token.

use std::future::Future;
use std::pin::Pin;

use crate::RequestError;

/// What an [`Authorizer`] answers, in time.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Knows the login of one server. It may be asked by several requests at once.
pub trait Authorizer: Send + Sync {
    /// The token for the next request, without `Bearer`; `None` when there is none (yet).
    fn token(&self) -> BoxFuture<'_, Result<Option<String>, RequestError>>;

    /// The server refused a request with 401 or 403. Says whether the request should be tried again with
    /// what [`Authorizer::token`] gives from now on.
    fn challenged(
        &self,
        status: u16,
        www_authenticate: Option<String>,
    ) -> BoxFuture<'_, Result<bool, RequestError>>;
}
