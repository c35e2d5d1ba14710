//! Tasks that end with their owner, and the text of messages.

use std::future::Future;
use std::sync::{Mutex, MutexGuard};

use toolwright_base::{IgnorePoison, off_async};
use toolwright_jsonrpc::{ErrorObject, Id, Message, Notification, Response};

use super::shape::Shaped;
use tokio::task::AbortHandle;

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
    mutex.lock().ignore_poison()
}

/// The line of an answer.
pub(super) fn answer_line(id: Option<Id>, outcome: Result<impl Into<Shaped>, ErrorObject>) -> String {
    let Shaped { result, more } = match outcome {
        Ok(shaped) => shaped.into(),
        Err(error) => return error_line(id, error),
    };
    let bytes = result.as_str().len();
    let message = Message::Response(Response { id, outcome: Ok(result), extra: Vec::new() });
    let mut line = off_async(bytes, || message.to_line());
    if !more.is_empty() {
        // Into the result: nothing but the message ends after it.
        line.insert_str(line.len() - "}}".len(), &more);
    }
    line
}

/// The line of an error.
pub(super) fn error_line(id: Option<Id>, error: ErrorObject) -> String {
    let bytes = error.message.len() + error.data.as_ref().map_or(0, |data| data.as_str().len());
    let message = Message::Response(Response { id, outcome: Err(error), extra: Vec::new() });
    off_async(bytes, || message.to_line())
}

/// The line of a notification.
pub(super) fn notification_line(notification: Notification) -> String {
    Message::Notification(notification).to_line()
}
