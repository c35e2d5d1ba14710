//! The command line: what may be asked for, and what was.

use std::time::Duration;

use crate::book::Writing;

/// What is printed when the command line cannot be understood.
pub const USAGE: &str = "\
usage: cargo xtask <task>

tasks:
  test                                format, lints, docs, dependency checks and every test
  fuzz [--minutes N] [--target NAME]  look for inputs that break a law or panic
                                      (NAME: laws, text, rules, schema_arguments, lines, config, clients,
                                      stream_anthropic, stream_chat, stream_responses, stream_ollama,
                                      voice_payload, voice_wyoming, zwave; default: all)
  book [--write]                      links and words of all pages, and whether docs/limits.md is up to date
                                      (--write brings it up to date)
  bench                               time per call beside other libraries, and the corpus score
  bench hostile                       a server with bad habits behind us and behind other gateways
  bench mcp                           a call direct, through us and through other gateways
  bench llm                           a request to a model direct, through us and through other proxies
  bench pages                         every page over a million recorded calls
  bench start                         the program's size, how soon it answers, its memory at rest
  bench voice [--config FILE …]       from what is said on MQTT to the published answer
  soak [--full] [--minutes N] [ID…]   the figures of connections and of the gateway in full size
                                      (Q01: the gateway killed 500 times under load; Q09, Q10, …;
                                      Q26: the broker of the voice killed 100 times)
  conformance                         the protocol's own suite: its client scenarios with our client, its server
                                      scenarios through the gateway";

/// One thing to do.
#[derive(Debug, PartialEq, Eq)]
pub enum Task {
    /// Everything a landing must pass.
    Test,
    /// Look for inputs that break a law.
    Fuzz(FuzzOptions),
    /// Measure, and compare with peers.
    Bench,
    /// The links and the words of the pages, and those that are generated.
    Book(Writing),
    /// Perform the scenarios of the protocol's own suite.
    Conformance,
    /// Hold us and other gateways against a hostile server.
    BenchHostile,
    /// What we and other gateways add to a call.
    BenchMcp,
    /// What we and other proxies add to a request to a model.
    BenchLlm,
    /// How long pages take over a million calls.
    BenchPages,
    /// How large the program is and how soon it answers.
    BenchStart,
    /// How long an answer to a spoken command takes; the words go to the program that measures it.
    BenchVoice(Vec<String>),
    /// The figures of connections in full size; the words go to the program that measures them.
    Soak(Vec<String>),
}

/// How long to fuzz, and what.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FuzzOptions {
    /// The time for everything together; without it each part runs to its own goal.
    pub time: Option<Duration>,
    /// Only this target.
    pub target: Option<FuzzTarget>,
}

/// One part of a fuzz run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FuzzTarget {
    /// The property tests of the normalizer, with many more cases than in the test run.
    Laws,
    /// libFuzzer on the lenient reading of text.
    Text,
    /// libFuzzer on the rules file.
    Rules,
    /// libFuzzer on schema and arguments together.
    SchemaArguments,
    /// libFuzzer on messages among other lines.
    Lines,
    /// libFuzzer on the configuration.
    Config,
    /// libFuzzer on the files of clients.
    Clients,
    /// libFuzzer on streams of Anthropic Messages.
    StreamAnthropic,
    /// libFuzzer on streams of OpenAI Chat.
    StreamChat,
    /// libFuzzer on streams of OpenAI Responses.
    StreamResponses,
    /// libFuzzer on streams of Ollama.
    StreamOllama,
    /// libFuzzer on messages that are spoken to the house.
    VoicePayload,
    /// libFuzzer on events of Wyoming.
    VoiceWyoming,
    /// libFuzzer on topics and payloads of a Z-Wave house.
    Zwave,
}

impl FuzzTarget {
    /// Every target, in the order in which they run.
    pub const ALL: [Self; 14] = [
        Self::Laws,
        Self::Text,
        Self::Rules,
        Self::SchemaArguments,
        Self::Lines,
        Self::Config,
        Self::Clients,
        Self::StreamAnthropic,
        Self::StreamChat,
        Self::StreamResponses,
        Self::StreamOllama,
        Self::Zwave,
        Self::VoicePayload,
        Self::VoiceWyoming,
    ];

    /// The name on the command line and of the fuzz binary.
    pub fn name(self) -> &'static str {
        match self {
            Self::Laws => "laws",
            Self::Text => "text",
            Self::Rules => "rules",
            Self::SchemaArguments => "schema_arguments",
            Self::Lines => "lines",
            Self::Config => "config",
            Self::Clients => "clients",
            Self::StreamAnthropic => "stream_anthropic",
            Self::StreamChat => "stream_chat",
            Self::StreamResponses => "stream_responses",
            Self::StreamOllama => "stream_ollama",
            Self::Zwave => "zwave",
            Self::VoicePayload => "voice_payload",
            Self::VoiceWyoming => "voice_wyoming",
        }
    }

    fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|target| target.name() == name)
    }
}

/// Reads the command line, without the program's name.
pub fn parse(words: impl IntoIterator<Item = String>) -> Result<Task, String> {
    let mut words = words.into_iter();
    let task = match words.next().as_deref() {
        Some("test") => Task::Test,
        Some("fuzz") => return parse_fuzz(words).map(Task::Fuzz),
        Some("bench") => match words.next().as_deref() {
            None => Task::Bench,
            Some("hostile") => Task::BenchHostile,
            Some("mcp") => Task::BenchMcp,
            Some("llm") => Task::BenchLlm,
            Some("pages") => Task::BenchPages,
            Some("start") => Task::BenchStart,
            Some("voice") => return Ok(Task::BenchVoice(words.collect())),
            Some(extra) => return Err(format!("`{extra}` was not expected here")),
        },
        Some("soak") => return Ok(Task::Soak(words.collect())),
        Some("conformance") => Task::Conformance,
        Some("book") => match words.next().as_deref() {
            None => Task::Book(Writing::Check),
            Some("--write") => Task::Book(Writing::Write),
            Some(extra) => return Err(format!("`{extra}` was not expected here")),
        },
        Some(other) => return Err(format!("there is no task `{other}`")),
        None => return Err("no task was named".to_owned()),
    };
    match words.next() {
        Some(extra) => Err(format!("`{extra}` was not expected here")),
        None => Ok(task),
    }
}

fn parse_fuzz(mut words: impl Iterator<Item = String>) -> Result<FuzzOptions, String> {
    let mut options = FuzzOptions::default();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("`{word}` needs a value"));
        match word.as_str() {
            "--minutes" => options.time = Some(parse_minutes(&value()?)?),
            "--target" => {
                let name = value()?;
                let target = FuzzTarget::by_name(&name).ok_or(format!("there is no fuzz target `{name}`"))?;
                options.target = Some(target);
            }
            _ => return Err(format!("`{word}` was not expected here")),
        }
    }
    Ok(options)
}

fn parse_minutes(text: &str) -> Result<Duration, String> {
    text.parse()
        .ok()
        .filter(|minutes: &f64| *minutes > 0.0)
        .and_then(|minutes| Duration::try_from_secs_f64(minutes * 60.0).ok())
        .ok_or_else(|| format!("`--minutes {text}` is not a number of minutes above 0"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Task, String> {
        parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn each_task_is_found_by_its_name() {
        assert_eq!(parsed("test"), Ok(Task::Test));
        assert_eq!(parsed("bench"), Ok(Task::Bench));
        assert_eq!(parsed("book"), Ok(Task::Book(Writing::Check)));
        assert_eq!(parsed("book --write"), Ok(Task::Book(Writing::Write)));
        assert_eq!(parsed("conformance"), Ok(Task::Conformance));
        assert_eq!(parsed("bench hostile"), Ok(Task::BenchHostile));
        assert_eq!(parsed("bench mcp"), Ok(Task::BenchMcp));
        assert_eq!(parsed("bench llm"), Ok(Task::BenchLlm));
        assert_eq!(parsed("bench pages"), Ok(Task::BenchPages));
        assert_eq!(parsed("bench start"), Ok(Task::BenchStart));
        assert_eq!(parsed("bench voice --times 5"), Ok(Task::BenchVoice(vec!["--times".into(), "5".into()])));
        assert_eq!(parsed("soak --minutes 1"), Ok(Task::Soak(vec!["--minutes".into(), "1".into()])));
        assert_eq!(parsed("fuzz"), Ok(Task::Fuzz(FuzzOptions::default())));
    }

    #[test]
    fn fuzz_takes_a_time_and_a_target() {
        let expected =
            FuzzOptions { time: Some(Duration::from_secs(90)), target: Some(FuzzTarget::SchemaArguments) };
        assert_eq!(parsed("fuzz --target schema_arguments --minutes 1.5"), Ok(Task::Fuzz(expected)));
    }

    #[test]
    fn what_is_not_understood_is_named() {
        for (line, named) in [
            ("", "no task"),
            ("lint", "`lint`"),
            ("test --fast", "`--fast`"),
            ("fuzz --minutes", "`--minutes` needs a value"),
            ("fuzz --minutes 0", "`--minutes 0`"),
            ("fuzz --minutes -3", "`--minutes -3`"),
            ("fuzz --minutes inf", "`--minutes inf`"),
            ("fuzz --target json", "`json`"),
            ("fuzz 5", "`5`"),
            ("bench friendly", "`friendly`"),
            ("bench hostile twice", "`twice`"),
        ] {
            let reason = parsed(line).expect_err(line);
            assert!(reason.contains(named), "{line:?} said {reason:?}");
        }
    }

    #[test]
    fn the_usage_names_every_fuzz_target() {
        for target in FuzzTarget::ALL {
            assert!(USAGE.contains(target.name()), "{target:?}");
        }
    }
}
