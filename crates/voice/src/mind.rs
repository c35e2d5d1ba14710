//! The interface to what answers sentences that are no direct command: usually a model that uses tools.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::BoxFuture;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use toolwright_model::Caller;

use crate::policy::Guard;

/// Answers sentences that are no direct command.
pub trait Mind: Send + Sync + 'static {
    /// Answers one sentence. The future is dropped on timeout or shutdown.
    fn think(self: Arc<Self>, thought: Thought) -> BoxFuture<'static, Result<Thinking, MindError>>;

    /// Records a turn of a conversation that was handled without the model, so that later sentences can
    /// refer to it.
    fn hears(&self, _conversation: &str, _question: &str, _answer: &str) {}
}

/// One sentence to answer.
#[derive(Clone, Debug)]
pub struct Thought {
    /// The sentence.
    pub text: String,
    /// The conversation it belongs to.
    pub conversation: String,
    /// The language, if known.
    pub language: Option<String>,
    /// The permissions of the voice. Every call must pass [`Guard::judge`] after its repair and before it
    /// runs; calls that need a yes are returned in [`Thinking::held`] and do not run.
    pub guard: Guard,
    /// The caller of the tools, for records: the front is `voice`.
    pub caller: Arc<Caller>,
    /// The channel for partial text.
    pub words: Words,
    /// Cancelled when the answer is no longer needed.
    pub cancellation: CancellationToken,
}

/// The channel for partial text. Its use is optional.
#[derive(Clone, Debug)]
pub struct Words {
    pieces: mpsc::Sender<String>,
    /// A piece was dropped because the channel was full: later pieces would not follow the earlier ones.
    is_torn: Arc<AtomicBool>,
}

/// The capacity of the channel.
const PIECES: usize = 1_024;

/// The answer to a sentence.
#[derive(Clone, Debug, Default)]
pub struct Thinking {
    /// The text to speak, as the model wrote it.
    pub text: String,
    /// Calls that run only after a yes. If there are any, the voice asks for confirmation.
    pub held: Vec<HeldCall>,
    /// The model and its provider.
    pub model: Option<(String, String)>,
    /// The number of turns in the conversation.
    pub turns: usize,
}

/// A call that needs a confirmation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldCall {
    /// The tool: `server/name`, or a name that only one tool has.
    pub tool: String,
    /// The arguments as they will be sent.
    pub arguments: String,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MindError {
    /// The model cannot be reached or does not respond.
    #[error("the model is not available: {0}")]
    Unavailable(String),
    /// The model did not finish: too many rounds, too many tokens, the same call repeatedly.
    #[error("the model came to no answer: {0}")]
    NoAnswer(String),
}

impl Words {
    /// Creates the channel.
    pub fn channel() -> (Words, mpsc::Receiver<String>) {
        let (pieces, receiver) = mpsc::channel(PIECES);
        (Words { pieces, is_torn: Arc::default() }, receiver)
    }

    /// Sends one more piece of the answer. It never blocks: a piece that does not fit is spoken with the
    /// complete answer.
    pub fn say(&self, piece: &str) {
        // Relaxed: the flag orders no other memory access.
        if !self.is_torn.load(Ordering::Relaxed) && self.pieces.try_send(piece.to_owned()).is_err() {
            self.is_torn.store(true, Ordering::Relaxed);
        }
    }
}
