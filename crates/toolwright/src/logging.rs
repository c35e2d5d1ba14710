//! The log: on standard error, for standard output belongs to results.

use std::io::{self, IsTerminal, Stderr, Write};
use std::sync::OnceLock;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

/// The variable that says what is logged, such as `info` or `toolwright=debug`.
const VARIABLE: &str = "TOOLWRIGHT_LOG";

/// How the log of servers is called.
const SERVERS: &str = "toolwright_toolbox";
/// How that of the ledger is: what it cannot keep, people want to hear of without asking.
const LEDGER: &str = "toolwright_ledger";

/// What takes the secrets out of a line.
type Hide = Box<dyn Fn(&str) -> String + Send + Sync>;

static HIDE: OnceLock<Hide> = OnceLock::new();

/// Every line of the log goes through this from now on: whoever writes one, at any level, need not know which of
/// its words are secrets. Only the first one counts.
pub fn hide_with(hide: impl Fn(&str) -> String + Send + Sync + 'static) {
    let _ = HIDE.set(Box::new(hide));
}

/// Writes lines without their secrets. A line comes in one piece. One that cannot be written is lost: of an error the
/// subscriber would print a line to standard error itself, which fails again and panics.
struct Hiding(Stderr);

impl Write for Hiding {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let _ = match HIDE.get() {
            Some(hide) => self.0.write_all(hide(&String::from_utf8_lossy(line)).as_bytes()),
            None => self.0.write_all(line),
        };
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Who tells what becomes of servers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Servers {
    /// The command itself, when it has seen them.
    Told,
    /// The log, while they run.
    Logged,
}

/// Logs errors, or what the variable asks for. What becomes of a call the commands say themselves.
pub fn to_stderr(servers: Servers) {
    let asked = std::env::var_os(VARIABLE).is_some_and(|asked| !asked.is_empty());
    let filter = EnvFilter::builder().with_default_directive(LevelFilter::ERROR.into());
    let filter = match servers {
        Servers::Told if !asked => filter.parse_lossy(format!("error,{SERVERS}=off")),
        Servers::Logged if !asked => filter.parse_lossy(format!("error,{LEDGER}=warn")),
        _ => filter.with_env_var(VARIABLE).from_env_lossy(),
    };
    let colors = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(colors)
        .with_writer(|| Hiding(io::stderr()))
        .init();
}
