//! The scenarios as data: what the model says, and what is odd about how its server says it.

use std::sync::LazyLock;

/// Something that a model says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Text for people.
    Text(String),
    /// What it thought first.
    Thinking(String),
    /// A refusal, in words.
    Refusal(String),
    /// A call. The arguments are text, which may be no JSON.
    Call {
        /// Its tool.
        name: String,
        /// Its arguments as they are written.
        arguments: String,
    },
}

/// How an answer ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// The model has said all.
    Stop,
    /// It waits for the results of its calls.
    Calls,
    /// There was no more room.
    Length,
    /// It was not allowed to go on.
    Filter,
    /// The connection ends in the middle of the last call's arguments.
    Dies,
    /// An error comes instead of the rest.
    Fails,
}

/// What is odd about the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Habit {
    /// Nothing.
    Clean,
    /// All calls come whole and in one piece.
    Together,
    /// Id and name come with every piece of a call.
    Repeats,
    /// The pieces of two calls alternate.
    Interleaves,
    /// Every call has the index 0.
    SameIndex,
    /// Calls have no id.
    NoId,
}

/// One scenario.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The word before the first dash of its name: `s1` … `s18`.
    pub key: &'static str,
    /// What a model is called that shows it.
    pub name: &'static str,
    /// What is said.
    pub parts: Vec<Part>,
    /// How it ends.
    pub finish: Finish,
    /// How it is said.
    pub habit: Habit,
    /// The status, when it is refused; then there are no parts.
    pub status: u16,
}

/// A call with this name is one of the first tool in the request.
pub const FIRST_TOOL: &str = "{first}";

/// What a client is to wait for when there were too many requests, in seconds.
pub const RETRY_AFTER: &str = "7";

/// Tokens of the question, of those the ones that were cached, and of the answer.
pub const TOKENS: (u32, u32, u32) = (100, 64, 20);

fn weather() -> Part {
    call("get_weather", r#"{"city":"Zürich","days":3}"#)
}

fn time() -> Part {
    call("get_time", r#"{"zone":"Europe/Zurich"}"#)
}

fn malformed() -> Part {
    call("get_weather", "{'city': 'Zürich', 'days': 3,}")
}

fn truncated() -> Part {
    call("get_weather", r#"{"city": "Zür"#)
}

fn call(name: &str, arguments: &str) -> Part {
    Part::Call { name: name.into(), arguments: arguments.into() }
}

fn text(text: &str) -> Part {
    Part::Text(text.into())
}

fn said(key: &'static str, name: &'static str, parts: Vec<Part>) -> Scenario {
    Scenario { key, name, parts, finish: Finish::Calls, habit: Habit::Clean, status: 200 }
}

fn refused(key: &'static str, name: &'static str, status: u16) -> Scenario {
    Scenario { status, finish: Finish::Stop, ..said(key, name, Vec::new()) }
}

impl Scenario {
    fn with(mut self, habit: Habit) -> Scenario {
        self.habit = habit;
        self
    }

    fn ending(mut self, finish: Finish) -> Scenario {
        self.finish = finish;
        self
    }

    /// The scenario of a name; a plain answer for a name that is none.
    pub fn of(name: &str) -> Scenario {
        static ALL: LazyLock<Vec<Scenario>> = LazyLock::new(scenarios);
        let key = name.split('-').next().unwrap_or_default();
        match ALL.iter().find(|scenario| scenario.key == key) {
            Some(scenario) => scenario.clone(),
            None => said("plain", "plain", vec![text("Good morning, Zürich 🌤")]).ending(Finish::Stop),
        }
    }
}

/// Every scenario: the twelve streams, the six whole answers, and those of the table of broken calls.
pub fn scenarios() -> Vec<Scenario> {
    let look = || text("Let me look: Zürich 🌤.");
    vec![
        said("s1", "s1-text-then-two-calls", vec![look(), weather(), time()]),
        said("s2", "s2-two-calls-in-one-chunk", vec![weather(), time()]).with(Habit::Together),
        said("s3", "s3-name-and-id-repeated", vec![weather()]).with(Habit::Repeats),
        said("s4", "s4-interleaved", vec![weather(), time()]).with(Habit::Interleaves),
        said("s5", "s5-same-index", vec![weather(), time()]).with(Habit::SameIndex),
        said("s6", "s6-no-id", vec![weather()]).with(Habit::NoId),
        said("s7", "s7-text-after-the-call", vec![look(), weather(), text("That is all.")]),
        said("s8", "s8-malformed-stream", vec![look(), malformed()]),
        said("s9", "s9-reasoning", vec![Part::Thinking("They want the weather 🤔.".into()), look(), weather()]),
        said("s10", "s10-stop-after-a-call", vec![weather()]).ending(Finish::Stop),
        said("s11", "s11-dies-in-arguments", vec![look(), weather()]).ending(Finish::Dies),
        said("s12", "s12-error-in-the-stream", vec![look(), weather()]).ending(Finish::Fails),
        said("s13", "s13-two-calls-cached", vec![look(), weather(), time()]),
        said("s14", "s14-malformed", vec![malformed()]),
        said("s15", "s15-truncated", vec![look(), truncated()]).ending(Finish::Length),
        said("s16", "s16-refusal", vec![Part::Refusal("I cannot help with that.".into())])
            .ending(Finish::Filter),
        refused("s17", "s17-too-many-requests", 429),
        refused("s18", "s18-bad-request", 400),
        // Broken calls that no proxy mends.
        said(
            "b1",
            "b1-wrong-names-and-types",
            vec![call("read_file", r#"{"file_path":"/etc/hosts","lines":"5"}"#)],
        ),
        said(
            "b2",
            "b2-other-spelling-of-the-tool",
            vec![call("GetWeather", r#"{"city":"Zürich","days":3}"#)],
        ),
        said(
            "b3",
            "b3-no-such-tool",
            vec![call("launch_rocket", r#"{"to":"Mars"}"#)],
        ),
        said("b4", "b4-calls-promised-none-came", vec![look()]),
        // A call that the model wrote as text.
        said(
            "b5",
            "b5-call-as-text",
            vec![text("<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Zürich\", \"days\": 3}}\n</tool_call>")],
        )
        .ending(Finish::Stop),
        // Nothing at all.
        said("b6", "b6-empty", Vec::new()).ending(Finish::Stop),
        // Whatever the first tool is called.
        said("b7", "b7-first-tool", vec![call(FIRST_TOOL, "{}")]),
        // Arguments without a bottom.
        said("b8", "b8-deep-arguments", vec![call("get_weather", &"{\"city\":".repeat(5_000))]),
        // A call without what it needs, until the model is told so.
        said("b9", "b9-corrects-itself", vec![call("get_weather", r#"{"days":3}"#)]),
        refused("e400", "e400", 400),
        refused("e401", "e401", 401),
        refused("e403", "e403", 403),
        refused("e404", "e404", 404),
        refused("e413", "e413", 413),
        refused("e500", "e500", 500),
        refused("e502", "e502", 502),
        refused("e503", "e503", 503),
        refused("e529", "e529", 529),
    ]
}

/// Text in pieces of about so many bytes, cut between characters.
pub fn pieces(text: &str, size: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let at = rest.char_indices().map(|(at, _)| at).find(|at| *at >= size).unwrap_or(rest.len());
        let (piece, more) = rest.split_at(at);
        pieces.push(piece);
        rest = more;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scenario_is_found_by_its_name() {
        for scenario in scenarios() {
            assert_eq!(Scenario::of(scenario.name).key, scenario.key);
            assert!(scenario.name.starts_with(scenario.key));
        }
        assert_eq!(Scenario::of("gpt-5").key, "plain");
    }

    #[test]
    fn pieces_make_the_text_again() {
        let text = "Zürich 🌤 and more";
        for size in 1..9 {
            assert_eq!(pieces(text, size).concat(), text);
        }
    }
}
