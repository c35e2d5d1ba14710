//! Tasks that end with their owner, and the text of messages.

use std::future::Future;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::task::AbortHandle;
use toolwright_jsonrpc::{ErrorObject, Id, Json, Message, Notification, Response};

/// A task that ends when this is dropped.
#[derive(Debug)]
pub(super) struct Task(AbortHandle);

impl Task {
    pub fn spawn(work: impl Future<Output = ()> + Send + 'static) -> Task {
        Task(tokio::spawn(work).abort_handle())
    }

    pub fn is_finished(&self) -> bool {
        self.0.is_finished()
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// What a lock guards, even when somebody panicked while holding it: no state here is ever half written.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The line of an answer.
pub(super) fn answer_line(id: Option<Id>, outcome: Result<Json, ErrorObject>) -> String {
    Message::Response(Response { id, outcome, extra: Vec::new() }).to_line()
}

/// The line of a notification.
pub(super) fn notification_line(notification: Notification) -> String {
    Message::Notification(notification).to_line()
}
