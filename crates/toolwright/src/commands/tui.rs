//! `toolwright tui`: the gateway that runs, on the terminal, for people on ssh.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use jiff::tz::TimeZone;
use tokio::runtime::Builder;
use toolwright_port::status::{AskError, ask};
use toolwright_tui::run::Wanted;
use toolwright_tui::view::Look;
use toolwright_tui::{Find, Lost, Place, Theme};

use super::rules::user;
use super::status::{ANSWER, USUAL, behind_a_door, token, why_none};
use crate::cli::TuiOptions;
use crate::report::{EXIT_INTERRUPTED, Report};
use crate::signals::{Signals, Wanted as Signal};

pub fn run(options: &TuiOptions) -> Result<ExitCode, Report> {
    on_a_terminal()?;
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.map_err(|error| Report::cannot_start(&error))?;
    let left = runtime.block_on(shown(options));
    // The thread that reads keys may wait for one more.
    runtime.shutdown_background();
    left
}

async fn shown(options: &TuiOptions) -> Result<ExitCode, Report> {
    let (url, config) = (options.url.clone(), options.config.config.clone());
    // Before the terminal is taken: what is wrong now is a plain message.
    let place = found(url.clone(), config.clone(), USUAL.to_owned()).await.map_err(|none| none.report())?;
    if let Err(error) = ask(&place.url, &place.token, ANSWER).await {
        return Err(NotFound::No(error).report());
    }
    // One that comes back may be elsewhere. Until then it is looked for where it was, and no other is taken for it.
    let was = place.url;
    let find: Find = Arc::new(move || {
        let found = found(url.clone(), config.clone(), was.clone());
        Box::pin(async { found.await.map_err(|none| Lost::Refused(none.in_one_line())) })
    });
    let no_color = std::env::var_os("NO_COLOR");
    let look = Look { theme: Theme::from_no_color(no_color.as_deref()), zone: TimeZone::system() };
    let ended = toolwright_tui::run(Wanted { find, by: user(), look }, asked_to_end()).await;
    match ended {
        Ok(None) => Ok(ExitCode::SUCCESS),
        Ok(Some(code)) => Ok(ExitCode::from(code)),
        Err(error) => Err(Report::found(error.to_string(), "see the same without a page: toolwright status")),
    }
}

/// A page needs a terminal that can be written to in any place, and keys.
fn on_a_terminal() -> Result<(), Report> {
    let missing = match (io::stdin().is_terminal(), io::stdout().is_terminal()) {
        (true, true) if std::env::var_os("TERM").is_some_and(|term| term == "dumb") => {
            "TERM=dumb says that this terminal shows lines only"
        }
        (true, true) => return Ok(()),
        (false, _) => "standard input is no terminal",
        (true, false) => "standard output is no terminal",
    };
    let what = format!("`toolwright tui` cannot be shown here: {missing}");
    Err(Report::usage(
        what,
        "use `toolwright status` for the state, `toolwright audit tail -f` for the calls",
    ))
}

/// Waits until a signal asks for the end. A terminal that goes away does too.
async fn asked_to_end() -> u8 {
    match Signals::new().next().await {
        Signal::End(code) => code,
        Signal::Reload => EXIT_INTERRUPTED,
    }
}

/// Why there is no gateway to watch.
pub(super) enum NotFound {
    /// It does not tell.
    No(AskError),
    /// It has no port.
    NoPort,
}

impl NotFound {
    fn told(&self) -> (String, String) {
        match self {
            NotFound::No(error) => why_none(error),
            NotFound::NoPort => (
                "the gateway that runs serves over standard input and output, and has no port".to_owned(),
                "start one that has: toolwright serve".to_owned(),
            ),
        }
    }

    pub(super) fn report(&self) -> Report {
        let (what, fix) = self.told();
        Report::found(what, fix)
    }

    fn in_one_line(&self) -> String {
        self.told().0
    }
}

/// The gateway, as `toolwright status` finds it: where somebody says, behind its door, or where it usually is.
pub(super) async fn found(
    url: Option<String>,
    config: Option<PathBuf>,
    usual: String,
) -> Result<Place, NotFound> {
    if let Some(url) = url {
        return Ok(Place { url, token: token() });
    }
    let url = match behind_a_door(config.as_deref()).await {
        Some(status) => reachable(&status.address.ok_or(NotFound::NoPort)?),
        None => usual,
    };
    Ok(Place { url, token: token() })
}

/// Where one that listens everywhere is reached from here.
fn reachable(address: &str) -> String {
    address.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")
}

#[cfg(test)]
mod tests {
    use super::reachable;

    #[test]
    fn one_that_listens_everywhere_is_reached_on_this_machine() {
        for (address, reached) in [
            ("http://0.0.0.0:8484", "http://127.0.0.1:8484"),
            ("http://[::]:8484", "http://[::1]:8484"),
            ("http://10.0.0.0:8484", "http://10.0.0.0:8484"),
        ] {
            assert_eq!(reachable(address), reached);
        }
    }
}
