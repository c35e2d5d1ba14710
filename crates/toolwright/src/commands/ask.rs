//! `toolwright ask`: a question to a model that may use all tools.

mod document;
mod guard;
mod shown;

use std::io::{self, BufRead, IsTerminal, Write};
use std::pin::pin;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Builder;
use tokio_util::sync::CancellationToken;
use toolwright_agent::{Agent, Answer, AskError, AskErrorKind, Decision, Front, Offer, Question, Stop};
use toolwright_base::closest_names;
use toolwright_executor::printable;
use toolwright_mcp::front::SealKey;
use toolwright_model::Caller;

use super::call::{KEPT, TIME_TO_CLEAN_UP};
use super::{print, text_or_file};
use crate::cli::AskOptions;
use crate::gateway_source::{self, Behind, Wanted, Written};
use crate::report::{EXIT_FOUND, Report};
use crate::signals::Signals;
use crate::{agent_source, server_source, telemetry_source};
use guard::AsksBefore;
use shown::Shown;

/// How long servers may take to be ready before a question goes on without them.
const TO_BE_READY: Duration = Duration::from_secs(15);
/// What one's own conversation is called.
const CONVERSATION: &str = "ask";

pub fn run(options: &AskOptions) -> Result<ExitCode, Report> {
    match answered(options) {
        // A program gets one document, also when nobody could be asked.
        Err(report) if options.json => {
            print(&document::of_report(&report, options.model.as_deref()))?;
            Ok(report.exit_code())
        }
        done => done,
    }
}

fn answered(options: &AskOptions) -> Result<ExitCode, Report> {
    let text = question(options)?;
    let system = options.system.as_deref().map(text_or_file).transpose()?;
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| Report::cannot_start(&error))?;
    let done = runtime.block_on(ask(options, text, system));
    // A disk or a terminal that does not answer must not hold up the end of the program.
    runtime.shutdown_timeout(match io::stdin().is_terminal() {
        true => Duration::ZERO,
        false => TIME_TO_CLEAN_UP,
    });
    done
}

/// The question; nothing where somebody sits before us who has not asked yet.
fn question(options: &AskOptions) -> Result<Option<String>, Report> {
    let text = match options.question.as_deref() {
        None if io::stdin().is_terminal() && !options.json => return Ok(None),
        None | Some("-") => text_or_file("@-")?,
        Some(text) => text_or_file(text)?,
    };
    if text.trim().is_empty() {
        return Err(Report::usage(
            "there is no question",
            "write one: toolwright ask \"What time is it?\", or send it to standard input",
        )
        .called("no_question"));
    }
    Ok(Some(text))
}

async fn ask(options: &AskOptions, text: Option<String>, system: Option<String>) -> Result<ExitCode, Report> {
    let mut signals = Signals::new();
    let state = server_source::state_folder();
    let written = Written { flags: &options.ledger, state: state.as_deref(), own_secrets: &[] };
    let wanted = match (&options.toolbox, options.no_tools) {
        (_, true) => Wanted::Nobody,
        (Some(name), false) => Wanted::OfToolbox(name),
        (None, false) => Wanted::AtOnce,
    };
    let (config, roots, rules) = (&options.config, &options.roots, &options.rules);
    let behind = gateway_source::behind_with(config, roots, rules, SealKey::random(), written, wanted)?;
    let over = CancellationToken::new();
    let mut ledger = pin!(behind.keep_ledger(over.clone()));
    let asked = async {
        let (agent, model) = agent_source::agent(&behind, options.model.as_deref())?;
        let ready = async {
            server_source::settle(&behind.servers, Some(TO_BE_READY)).await;
            // What they have just listed is registered by tasks of their own, which may be a moment later.
            behind.servers.offer_anew();
            server_source::warn_of_unusable(&behind.servers.views());
        };
        tokio::select! {
            () = ready => {}
            code = signals.end() => return Ok(ExitCode::from(code)),
        }
        check_tools(options, &behind)?;
        let mut desk = Desk { options, behind: &behind, agent, model, system, signals: &mut signals };
        match text {
            Some(text) => desk.one(text).await,
            None => desk.one_after_the_other().await,
        }
    };
    let done = tokio::select! {
        done = asked => done,
        () = &mut ledger => Ok(ExitCode::SUCCESS),
    };
    let end = async {
        behind.servers.stop().await;
        over.cancel();
        tokio::join!(ledger, telemetry_source::end(behind.telemetry.as_ref()));
    };
    tokio::select! {
        () = end => done,
        code = signals.end() => Ok(ExitCode::from(code)),
    }
}

/// Where questions are asked.
struct Desk<'a> {
    options: &'a AskOptions,
    behind: &'a Behind,
    agent: Agent,
    model: String,
    system: Option<String>,
    signals: &'a mut Signals,
}

/// What came of a question, and the exit code of the signal that came meanwhile.
type Ended = (Result<Answer, AskError>, Option<u8>);

impl Desk<'_> {
    /// One question, and the end.
    async fn one(&mut self, text: String) -> Result<ExitCode, Report> {
        let (answer, signal) = self.answer(text, None).await;
        if self.options.json {
            let fix = answer.as_ref().err().and_then(|error| self.fix(error));
            print(&document::of(&answer, &self.model, fix.as_deref()))?;
        }
        let code = match &answer {
            Ok(answer) => {
                if answer.stop == Stop::Empty && !self.options.json {
                    eprintln!(
                        "error: the model ended without a word, so there is no answer\nfix: ask again, or another model with --model"
                    );
                }
                exit_code(answer.stop)
            }
            Err(error) => {
                if !self.options.json {
                    self.tell(error);
                }
                if error.kind == AskErrorKind::NoTool { crate::report::EXIT_USAGE } else { EXIT_FOUND }
            }
        };
        Ok(ExitCode::from(signal.unwrap_or(code)))
    }

    /// Questions of somebody at a terminal, until there are no more.
    async fn one_after_the_other(&mut self) -> Result<ExitCode, Report> {
        eprintln!("asking {}; an empty line or Ctrl-D ends it", printable(&self.model, &[]));
        loop {
            let line = tokio::select! {
                line = line_of_terminal("> ") => line,
                code = self.signals.end() => return Ok(ExitCode::from(code)),
            };
            let Some(text) = line.filter(|text| !text.trim().is_empty()) else {
                return Ok(ExitCode::SUCCESS);
            };
            // Ctrl-C ends the answer and not the conversation.
            let (answer, _) = self.answer(text, Some(CONVERSATION)).await;
            match answer {
                Ok(answer) if answer.stop == Stop::Cancelled => eprintln!("(cancelled)"),
                Ok(_) => {}
                Err(error) => self.tell(&error),
            }
        }
    }

    /// Answers a question, with a person's word where one is needed.
    async fn answer(&mut self, text: String, conversation: Option<&str>) -> Ended {
        let mut shown = Shown::new(self.options);
        let stop = CancellationToken::new();
        let question = self.question(text, conversation, stop.clone());
        let (mut answer, mut signal) = {
            let asked = self.agent.ask(question, &mut shown);
            until_it_ends(asked, &stop, self.signals).await
        };
        while let (Ok(last), None) = (&mut answer, signal)
            && let Some(held) = last.held.take()
        {
            shown.end_line();
            let said = tokio::select! {
                said = line_of_terminal("[y/N] ") => said.unwrap_or_default(),
                code = self.signals.end() => return (answer, Some(code)),
            };
            let is_yes = ["y", "yes"].contains(&said.trim().to_ascii_lowercase().as_str());
            let decision = if is_yes { Decision::Yes } else { Decision::No };
            let gone_on = self.agent.go_on(held, decision, &mut shown);
            let (next, came) = until_it_ends(gone_on, &stop, self.signals).await;
            answer = match (answer, next) {
                (Ok(before), Ok(next)) => Ok(document::together(before, next)),
                (_, next) => next,
            };
            signal = came;
        }
        shown.end_line();
        (answer, signal)
    }

    fn question(&self, text: String, conversation: Option<&str>, stop: CancellationToken) -> Question {
        let options = self.options;
        let mut limits = self.agent.settings().limits.clone();
        limits.rounds = options.max_rounds.unwrap_or(limits.rounds);
        limits.time = options.timeout.unwrap_or(limits.time);
        let caller =
            Caller { client: "ask".to_owned(), toolbox: options.toolbox.clone(), ..Caller::default() };
        let mut question = Question::new(Front::Ask, text)
            .by(Arc::new(caller))
            .of_model(&self.model)
            .offering(self.offer())
            .within(limits)
            .cancelled_by(stop);
        question.conversation = conversation.map(str::to_owned);
        question.system.clone_from(&self.system);
        question.must_call.clone_from(&options.must_call);
        if !options.yes {
            question =
                question.guarded_by(Arc::new(AsksBefore::new(io::stdin().is_terminal() && !options.json)));
        }
        question
    }

    fn offer(&self) -> Offer {
        let options = self.options;
        let is_own = options.toolbox.as_deref() == Some("builtin");
        match (options.no_tools, &options.toolbox, options.tools.as_slice()) {
            (true, ..) => Offer::Nothing,
            (false, Some(_), []) if is_own => Offer::of(&["builtin/*", "files/*"]),
            (false, Some(_), []) => Offer::of(&["*", "!builtin/*", "!files/*"]),
            (false, _, tools @ [_, ..]) => Offer::of(tools),
            (false, None, []) => {
                agent_source::own_tools(self.behind.configuration.as_ref()).unwrap_or(Offer::All)
            }
        }
    }

    /// Why there is no answer.
    fn tell(&self, error: &AskError) {
        let details = match error.details.is_empty() {
            true => String::new(),
            false => format!("\n{}", error.details),
        };
        eprintln!("error: {}{}", error.sentence, printable(&details, KEPT));
        if let Some(fix) = self.fix(error) {
            eprintln!("fix: {fix}");
        }
    }

    /// What to do about it, where we know it.
    fn fix(&self, error: &AskError) -> Option<String> {
        match error.kind {
            AskErrorKind::Broken => agent_source::fix_for_unreachable(self.behind.configuration.as_ref()),
            AskErrorKind::NoModel => {
                Some("name another model with --model, or add it to llm.models".to_owned())
            }
            AskErrorKind::NoTool => Some("name one of them with --must-call".to_owned()),
            _ => None,
        }
    }
}

/// A name after `--tool` that offers nothing is a slip, and no wish.
fn check_tools(options: &AskOptions, behind: &Behind) -> Result<(), Report> {
    let tools = behind.executor.registry().snapshot();
    let wanted = options.tools.iter().filter(|name| !name.trim_start().starts_with('!'));
    for name in wanted {
        let offer = Offer::of(std::slice::from_ref(name));
        if tools.wire_names().any(|(_, tool)| offer.takes(tool)) {
            continue;
        }
        let known: Vec<&str> =
            tools.wire_names().flat_map(|(_, tool)| [tool.name(), tool.qualified_name()]).collect();
        let fix = match &closest_names(name, known)[..] {
            [] => "see which there are: toolwright tools".to_owned(),
            near => format!("did you mean {}? All of them: toolwright tools", near.join(" or ")),
        };
        return Err(Report::usage(format!("no tool is called \"{name}\""), fix).called("no_tool"));
    }
    Ok(())
}

/// Waits for an answer. A signal ends it: then it says so itself, unless a second one comes.
async fn until_it_ends(
    answer: impl Future<Output = Result<Answer, AskError>>,
    stop: &CancellationToken,
    signals: &mut Signals,
) -> Ended {
    let mut answer = pin!(answer);
    let code = tokio::select! {
        answer = &mut answer => return (answer, None),
        code = signals.end() => code,
    };
    stop.cancel();
    tokio::select! {
        answer = &mut answer => (answer, Some(code)),
        // Nothing is waited for any more.
        code = signals.end() => std::process::exit(code.into()),
    }
}

/// A line that somebody writes. Nothing at the end.
async fn line_of_terminal(prompt: &'static str) -> Option<String> {
    let read = move || {
        eprint!("{prompt}");
        let _ = io::stderr().flush();
        let mut line = String::new();
        match io::stdin().lock().read_line(&mut line) {
            Ok(1..) => Some(line),
            _ => None,
        }
    };
    tokio::task::spawn_blocking(read).await.ok().flatten()
}

fn exit_code(stop: Stop) -> u8 {
    match stop {
        Stop::Answered | Stop::Length | Stop::Rounds | Stop::Confirm => 0,
        Stop::Empty | Stop::Refused | Stop::Repeats | Stop::Tokens | Stop::Time | Stop::Cancelled => {
            EXIT_FOUND
        }
    }
}
