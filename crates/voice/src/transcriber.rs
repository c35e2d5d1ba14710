//! Answers transcripts in the background.
//!
//! The front that passes a transcript never waits. A limited number is processed concurrently, so a slow
//! one does not delay the next; sentences of one conversation keep their order. On overload the newest have
//! priority: the oldest waiting transcript is dropped, and the user is informed.

mod handle;
mod queue;

use std::sync::{Arc, Mutex};

use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use toolwright_base::IgnorePoison;
use toolwright_executor::ToolExecutor;
use toolwright_model::Caller;
use toolwright_speech::Device;

use crate::confirm::Questions;
use crate::devices::{Devices, Freshness};
use crate::limits::{GRACE_PERIOD, Limits};
use crate::mind::Mind;
use crate::policy::{Guard, VoicePolicy};
use crate::status::{Drop, Status};
use crate::transcript::{Answer, AnswerKind, Ear, Transcript};
use queue::{Job, TranscriptQueue};

/// Answers transcripts in the background. Clones share one queue.
#[derive(Clone)]
pub struct BackgroundTranscriber(Arc<TranscriberState>);

/// Dependencies and settings of the transcriber.
pub struct TranscriberOptions {
    /// Runs every tool, repairs its arguments and records the call.
    pub executor: Arc<ToolExecutor>,
    /// Answers sentences that are no direct command; without it they are not understood.
    pub mind: Option<Arc<dyn Mind>>,
    /// The permissions of the voice.
    pub policy: Arc<VoicePolicy>,
    /// The limits.
    pub limits: Limits,
    /// The tool that lists the devices.
    pub list_tool: String,
    /// The tool that controls them.
    pub control_tool: String,
}

impl TranscriberOptions {
    /// The defaults.
    pub fn new(executor: Arc<ToolExecutor>) -> TranscriberOptions {
        TranscriberOptions {
            executor,
            mind: None,
            policy: Arc::default(),
            limits: Limits::default(),
            list_tool: toolwright_config::USUAL_LIST_TOOL.to_owned(),
            control_tool: toolwright_config::USUAL_CONTROL_TOOL.to_owned(),
        }
    }
}

struct TranscriberState {
    executor: Arc<ToolExecutor>,
    mind: Option<Arc<dyn Mind>>,
    policy: Arc<VoicePolicy>,
    limits: Limits,
    control_tool: String,
    devices: Devices,
    questions: Questions,
    status: Arc<Status>,
    queue: Mutex<TranscriptQueue>,
    tasks: TaskTracker,
    stop: CancellationToken,
}

impl BackgroundTranscriber {
    /// Starts no task before the first transcript.
    pub fn new(options: TranscriberOptions, status: Arc<Status>) -> BackgroundTranscriber {
        let TranscriberOptions { executor, mind, policy, limits, list_tool, control_tool } = options;
        BackgroundTranscriber(Arc::new(TranscriberState {
            executor,
            mind,
            policy,
            limits,
            control_tool,
            devices: Devices::new(list_tool),
            questions: Questions::new(limits.confirm, limits.hearing),
            status,
            queue: Mutex::new(TranscriptQueue::default()),
            tasks: TaskTracker::new(),
            stop: CancellationToken::new(),
        }))
    }

    /// Accepts a transcript without blocking: `ear` receives exactly one answer. Must be called on a tokio
    /// runtime.
    pub fn take(&self, transcript: Transcript, ear: Box<dyn Ear>) {
        let shared = &self.0;
        shared.status.received();
        if shared.stop.is_cancelled() {
            shared.drop_job(Job { transcript, ear }, Drop::Ending);
            return;
        }
        let dropped = shared.lock().push(Job { transcript, ear }, shared.limits.waiting);
        if let Some(job) = dropped {
            shared.drop_job(job, Drop::Overload);
        }
        self.pump();
    }

    /// Requests the devices, so that the first command need not wait for them.
    pub async fn warm(&self) {
        let caller = self.0.caller("voice", "start");
        self.0.devices.current(&self.0.executor, &caller, Freshness::Usual).await;
    }

    /// The counters.
    pub fn status(&self) -> &Arc<Status> {
        &self.0.status
    }

    /// The number of waiting transcripts and of those in flight.
    pub fn load(&self) -> (usize, usize) {
        let queue = self.0.lock();
        (queue.waiting(), queue.running())
    }

    /// The limits.
    pub fn limits(&self) -> Limits {
        self.0.limits
    }

    /// The number of open questions, the number of known devices, and whether there is a model.
    pub(crate) fn summary(&self) -> (usize, usize, bool) {
        (self.0.questions.count(), self.0.devices.known().len(), self.0.mind.is_some())
    }

    /// The devices, cached or requested.
    pub(crate) async fn devices(&self) -> Arc<Vec<Device>> {
        let caller = self.0.caller("voice", "devices");
        self.0.devices.current(&self.0.executor, &caller, Freshness::Usual).await
    }

    /// Runs other work in the background; shutdown waits for it. It is dropped on overload.
    pub(crate) fn spawn_background(&self, work: impl Future<Output = ()> + Send + 'static) {
        let shared = &self.0;
        if shared.stop.is_cancelled() || shared.tasks.len() > shared.limits.waiting + shared.limits.at_once {
            shared.status.dropped(Drop::Overload);
            return;
        }
        let stop = shared.stop.clone();
        shared.tasks.spawn(async move {
            tokio::select! {
                () = work => {}
                () = stop.cancelled() => {}
            }
        });
    }

    /// Accepts nothing more, drops the waiting transcripts and waits for those in flight until the grace
    /// period is over.
    pub async fn stop(&self) {
        let shared = &self.0;
        shared.tasks.close();
        let waiting = shared.lock().clear();
        waiting.into_iter().for_each(|job| shared.drop_job(job, Drop::Ending));
        if timeout(GRACE_PERIOD, shared.tasks.wait()).await.is_err() {
            shared.stop.cancel();
            shared.tasks.wait().await;
        }
        shared.stop.cancel();
    }

    /// Starts as many jobs as may run concurrently.
    fn pump(&self) {
        while let Some(job) = self.0.next() {
            let this = self.clone();
            self.0.tasks.spawn(async move {
                let conversation = job.transcript.conversation.clone();
                let freed = ConversationSlot { this: &this, conversation };
                this.0.answer(job).await;
                drop(freed);
            });
        }
    }
}

/// Releases the slot of a conversation, also on a panic.
struct ConversationSlot<'t> {
    this: &'t BackgroundTranscriber,
    conversation: String,
}

impl std::ops::Drop for ConversationSlot<'_> {
    fn drop(&mut self) {
        self.this.0.lock().done(&self.conversation);
        self.this.pump();
    }
}

impl TranscriberState {
    fn next(&self) -> Option<Job> {
        self.lock().next(self.limits.at_once)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, TranscriptQueue> {
        self.queue.lock().ignore_poison()
    }

    fn guard(&self) -> Guard {
        let devices = self.devices.for_guard(&self.executor, &self.control_tool);
        Guard::new(Arc::clone(&self.policy), devices)
    }

    fn caller(&self, source: &str, conversation: &str) -> Arc<Caller> {
        Arc::new(Caller {
            client: source.to_owned(),
            principal: None,
            session: Some(conversation.to_owned()),
            front: "voice",
            toolbox: None,
        })
    }

    /// Reports that a transcript was dropped.
    fn drop_job(&self, job: Job, why: Drop) {
        let Job { transcript, ear } = job;
        self.status.dropped(why);
        tracing::warn!(conversation = transcript.conversation, why = why.word(), "a transcript was dropped");
        ear.answer(Answer {
            text: why.sentence().to_owned(),
            kind: AnswerKind::Dropped(why),
            took: transcript.received.elapsed(),
            question: transcript.text,
            id: transcript.id,
            conversation: transcript.conversation,
            model: None,
            turns: 0,
        });
    }
}
