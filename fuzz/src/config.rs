//! Reading a configuration.

use std::ffi::OsString;
use std::path::Path;

use toolwright_config::{ConfigError, blanked, parse};

/// Any text is a configuration or an error with its place and its fix; no secret of a server is in what is
/// printed of it, and blanking keeps every byte in its place.
pub fn config(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    assert_eq!(blanked(&text).len(), text.len());
    let problems = match parse(&text, Path::new("/home/ann/toolwright.json"), &environment) {
        Ok(configuration) => {
            for (_, server) in configuration.servers() {
                let printed = format!("{:?} {}", server.transport, server.describe());
                for secret in server.secrets() {
                    assert!(
                        !printed.contains(&secret) || is_spoken(&secret),
                        "{secret:?} is shown: {printed:?}"
                    );
                }
            }
            configuration.problems
        }
        Err(ConfigError::Wrong(problem)) => vec![*problem],
        Err(error) => panic!("{text:?} is refused as if it were no text: {error}"),
    };
    let plain = text.strip_prefix('\u{feff}').unwrap_or(&text);
    for problem in problems {
        assert!(!problem.message.is_empty() && !problem.fix.is_empty(), "{text:?} is refused without a word");
        let line =
            plain.split('\n').nth(problem.line - 1).unwrap_or_else(|| panic!("no line {}", problem.line));
        assert!(problem.column <= line.chars().count() + 1, "{text:?}: {problem}");
    }
}

/// A secret that is part of what stands for secrets, or of the words around them.
fn is_spoken(secret: &str) -> bool {
    "[redacted] Stdio { command: args: env: env_from: cwd: None Some Http url: headers: kind: Auto Streamable Sse }"
        .contains(secret)
}

fn environment(name: &str) -> Option<OsString> {
    match name {
        "HOME" => Some("/home/ann".into()),
        "TOKEN" => Some("t0ken-of-ann".into()),
        _ => None,
    }
}
