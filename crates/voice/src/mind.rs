//! What answers when no direct command is meant: usually a model that uses tools.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::BoxFuture;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use toolwright_model::Caller;

use crate::policy::Guard;

/// What answers when no direct command is meant.
pub trait Mind: Send + Sync + 'static {
    /// Thinks about one sentence. The future is dropped when it takes too long or the voice ends.
    fn think(self: Arc<Self>, thought: Thought) -> BoxFuture<'static, Result<Thinking, MindError>>;

    /// Hears what was done and said in a conversation without it, so that it can be spoken about later.
    fn hears(&self, _conversation: &str, _question: &str, _answer: &str) {}
}

/// One sentence to think about.
#[derive(Clone, Debug)]
pub struct Thought {
    /// What was said.
    pub text: String,
    /// The conversation that it belongs to.
    pub conversation: String,
    /// The language, where it is known.
    pub language: Option<String>,
    /// What the voice may do. Every call has to be shown to [`Guard::judge`] after it was mended and before it is
    /// run; what needs a yes comes back in [`Thinking::held`] and is not run.
    pub guard: Guard,
    /// Who calls the tools, for records: the front is `voice`.
    pub caller: Arc<Caller>,
    /// Where text goes while it is being written.
    pub words: Words,
    /// Cancelled when nobody waits any more.
    pub cancellation: CancellationToken,
}

/// Where text goes while it is being written. Nobody has to use it.
#[derive(Clone, Debug)]
pub struct Words {
    pieces: mpsc::Sender<String>,
    /// A piece found no room: what follows would not fit to what came before.
    is_torn: Arc<AtomicBool>,
}

/// How many pieces wait to be said.
const PIECES: usize = 1_024;

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Thinking {
    /// What to say, as the model wrote it.
    pub text: String,
    /// Calls that are run only after a yes. When there are some, they are asked for.
    pub held: Vec<HeldCall>,
    /// The model and who provides it.
    pub model: Option<(String, String)>,
    /// How many questions and answers the conversation has now.
    pub turns: usize,
}

/// A call that needs a yes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldCall {
    /// The tool: `server/name`, or a name that stands for one tool only.
    pub tool: String,
    /// Its arguments, as they will be sent.
    pub arguments: String,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MindError {
    /// The model cannot be reached, or does not answer.
    #[error("the model is not available: {0}")]
    Unavailable(String),
    /// It came to no end: too many rounds, too many tokens, the same call again and again.
    #[error("the model came to no answer: {0}")]
    NoAnswer(String),
}

impl Words {
    /// Where the other end reads.
    pub fn channel() -> (Words, mpsc::Receiver<String>) {
        let (pieces, receiver) = mpsc::channel(PIECES);
        (Words { pieces, is_torn: Arc::default() }, receiver)
    }

    /// One more piece of the answer. It never waits: what finds no room is heard with the whole answer.
    pub fn say(&self, piece: &str) {
        // Relaxed: it guards nothing but itself.
        if !self.is_torn.load(Ordering::Relaxed) && self.pieces.try_send(piece.to_owned()).is_err() {
            self.is_torn.store(true, Ordering::Relaxed);
        }
    }
}
