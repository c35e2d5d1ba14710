//! What a server may ask of us.

use std::future::Future;
use std::pin::Pin;

use toolwright_jsonrpc::{ErrorObject, Json, METHOD_NOT_FOUND, Notification, Request};

/// The answer to a server's request, in time.
pub type Answer<'h> = Pin<Box<dyn Future<Output = Result<Json, ErrorObject>> + Send + 'h>>;

/// Hears what a server says by itself. `ping` and progress are dealt with before.
pub trait Host: Send + Sync {
    /// A request: sampling, elicitation, roots or something of the server's own.
    fn request(&self, request: Request) -> Answer<'_>;

    /// A request that came on the way of a request of ours which has no host of its own, or has ended.
    fn request_of_nobody(&self, request: Request) -> Answer<'_> {
        self.request(request)
    }

    /// A notification.
    fn notified(&self, notification: Notification);

    /// The server has answered a request of this host after its caller stopped waiting, or is gone: it sends nothing
    /// about it any more.
    fn answered_late(&self) {}
}

/// Answers every request by saying that it knows none.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHost;

impl Host for NoHost {
    fn request(&self, request: Request) -> Answer<'_> {
        let message = format!("\"{}\" is not offered here", request.method);
        Box::pin(async move { Err(ErrorObject::new(METHOD_NOT_FOUND, message)) })
    }

    fn notified(&self, _: Notification) {}
}
