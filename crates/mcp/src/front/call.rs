//! A request that a service works on.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use toolwright_jsonrpc::{ErrorObject, Id, Json};

use super::fronts::InFlight;
use super::service::Serving;
use super::session::Session;
use super::task::Task;
use super::way::{Step, Way};

/// A request that a service works on. Dropping it ends the work.
pub(super) struct Call {
    work: Option<Serving<'static, Result<Json, ErrorObject>>>,
    pub way: Arc<Way>,
    /// The work, when it goes on by itself.
    task: Option<Task>,
    /// What counts it while its client waits.
    pub hold: Option<Hold>,
}

/// What counts a request while its client waits for it.
pub(super) struct Hold {
    pub _in_flight: InFlight,
    pub _id: Option<HeldId>,
}

/// The id of a request in its session, which nobody else may use meanwhile.
pub(super) struct HeldId {
    pub session: Arc<Session>,
    pub id: Id,
}

impl Drop for HeldId {
    fn drop(&mut self) {
        self.session.release(&self.id);
    }
}

impl Call {
    pub fn new(work: Serving<'static, Result<Json, ErrorObject>>, way: Arc<Way>, hold: Hold) -> Call {
        Call { work: Some(work), way, task: None, hold: Some(hold) }
    }

    /// What comes next. Nothing is lost when the wait is given up.
    pub async fn next(&mut self) -> Step {
        poll_fn(|context| {
            if !self.way.is_cancelled()
                && let Some(work) = &mut self.work
                && let Poll::Ready(outcome) = work.as_mut().poll(context)
            {
                self.work = None;
                // What it said before comes first.
                self.way.settle(outcome);
            }
            match self.way.poll_step(context) {
                Some(step) => {
                    if matches!(step, Step::Cancelled) {
                        // At once, not when the connection is dealt with.
                        self.work = None;
                        self.task = None;
                    }
                    Poll::Ready(step)
                }
                None => Poll::Pending,
            }
        })
        .await
    }

    /// Lets the work go on while nobody waits.
    pub fn detach(&mut self) {
        if let Some(work) = self.work.take() {
            let way = Arc::clone(&self.way);
            self.task = Some(Task::spawn(async move { way.finish(work.await) }));
        }
    }
}
