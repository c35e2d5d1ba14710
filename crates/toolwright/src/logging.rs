//! The log: on standard error, for standard output belongs to results.

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

/// The variable that says what is logged, such as `info` or `toolwright_tools=debug`.
const VARIABLE: &str = "TOOLWRIGHT_LOG";

/// Logs warnings and errors, or what the variable asks for.
pub fn to_stderr() {
    let filter = EnvFilter::builder()
        .with_default_directive(LevelFilter::WARN.into())
        .with_env_var(VARIABLE)
        .from_env_lossy();
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
}
