//! What the name of a model asks of the server.

use std::time::Duration;

/// How a cut is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum End {
    /// The connection is closed as if all had been said, but the body is not whole.
    #[default]
    Closed,
    /// The connection is reset.
    Reset,
}

/// The words of a model's name: the scenario, then options, each behind a `+`.
///
/// | option | |
/// |---|---|
/// | `cut=N` | ends the connection after N bytes of the body |
/// | `reset` | a cut is a reset, not an orderly close |
/// | `split=N` | sends N bytes at a time |
/// | `delay=MS` | waits between two pieces |
/// | `slow=MS` | waits before the head |
/// | `pause=MS` | waits between the head and the body |
/// | `hold=N` | says nothing more after N pieces, until whoever asked goes away |
/// | `size=N` | the text of the answer has N bytes more |
/// | `endless` | repeats the first text for ever |
/// | `crlf` | ends the lines of events with CR and LF |
/// | `comments` | puts a comment before every event |
/// | `nothink` | refuses to be asked to think, as OpenAI and Ollama do; `/api/show` says so |
/// | `packed` | says that its answer is compressed |
/// | `noshow` | has no `/api/show` |
/// | `bare` | does not send the end mark (`[DONE]`, `message_stop`, `response.completed`, `done`) |
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// The scenario's name.
    pub scenario: String,
    /// Where it is cut.
    pub cut: Option<usize>,
    /// How it is cut.
    pub end: End,
    /// How many bytes are sent at a time.
    pub split: Option<usize>,
    /// The wait between two pieces.
    pub delay: Duration,
    /// The wait before the head.
    pub slow: Duration,
    /// The wait between head and body.
    pub pause: Duration,
    /// After how many pieces nothing more comes.
    pub hold: Option<usize>,
    /// How much longer the text is.
    pub size: usize,
    /// Whether the text never ends.
    pub endless: bool,
    /// Whether lines end with CR and LF.
    pub crlf: bool,
    /// Whether there are comments.
    pub comments: bool,
    /// Whether the end mark is missing.
    pub bare: bool,
    /// Whether it refuses to be asked to think.
    pub nothink: bool,
    /// Whether it says that its answer is compressed.
    pub packed: bool,
    /// Whether nothing is said of what it can do.
    pub noshow: bool,
}

impl Order {
    /// Reads the name of a model.
    pub fn read(model: &str) -> Order {
        let mut words = model.split('+');
        let scenario = words.next().unwrap_or_default();
        // Ollama's clients may add a tag.
        let scenario = scenario.split(':').next().unwrap_or_default().to_owned();
        let mut order = Order { scenario, ..Order::default() };
        for word in words {
            let (word, value) = word.split_once('=').unwrap_or((word, ""));
            let number: u64 = value.parse().unwrap_or_default();
            let size = usize::try_from(number).unwrap_or(usize::MAX);
            match word {
                "cut" => order.cut = Some(size),
                "reset" => order.end = End::Reset,
                "split" => order.split = Some(size.max(1)),
                "delay" => order.delay = Duration::from_millis(number),
                "slow" => order.slow = Duration::from_millis(number),
                "pause" => order.pause = Duration::from_millis(number),
                "hold" => order.hold = Some(size),
                "size" => order.size = size,
                "endless" => order.endless = true,
                "crlf" => order.crlf = true,
                "comments" => order.comments = true,
                "bare" => order.bare = true,
                "nothink" => order.nothink = true,
                "packed" => order.packed = true,
                "noshow" => order.noshow = true,
                _ => {}
            }
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_the_scenario_and_its_options() {
        let order = Order::read("s4-interleaved+split=3+cut=20+reset+delay=5");
        let wanted = Order {
            scenario: "s4-interleaved".into(),
            split: Some(3),
            cut: Some(20),
            end: End::Reset,
            delay: Duration::from_millis(5),
            ..Order::default()
        };
        assert_eq!(order, wanted);
    }
}
