//! Parsing of texts with a test environment.

use std::ffi::OsString;
use std::path::Path;

use toolwright_config::{ConfigError, Configuration, Problem, ServerConfig, parse};

/// The path of the parsed texts.
pub const FILE: &str = "/home/ann/desk/toolwright.json";

/// The environment of the tests.
pub fn environment(name: &str) -> Option<OsString> {
    let value = match name {
        "HOME" => "/home/ann",
        "TOKEN" => "t0ken-of-ann",
        "EMPTY" => "",
        "PORT" => "8080",
        "API_URL" => "https://api.example.com",
        "BROKEN_HEADER" => "secret-with-end\n",
        "NESTED" => "${TOKEN}",
        _ => return None,
    };
    Some(value.into())
}

pub fn read(text: &str) -> Result<Configuration, ConfigError> {
    parse(text, Path::new(FILE), &environment)
}

/// The configuration of a text without problems.
#[allow(dead_code)]
pub fn clean(text: &str) -> Configuration {
    let configuration = read(text).unwrap_or_else(|error| panic!("{error}"));
    if let Some(problem) = configuration.problems.first() {
        panic!("{problem}");
    }
    configuration
}

/// The only server of a text without problems.
#[allow(dead_code)]
pub fn only_server(text: &str) -> ServerConfig {
    let servers: Vec<ServerConfig> = clean(text).servers().map(|(_, server)| server.clone()).collect();
    let [server] = &servers[..] else { panic!("{} servers", servers.len()) };
    server.clone()
}

/// The server of a client's entry without problems.
#[allow(dead_code)]
pub fn entry(entry: &str) -> ServerConfig {
    only_server(&format!("{{\"mcpServers\": {{\"s\": {entry}}}}}"))
}

/// All problems of a text.
#[allow(dead_code)]
pub fn problems(text: &str) -> Vec<Problem> {
    match read(text) {
        Ok(configuration) => configuration.problems,
        Err(ConfigError::Wrong(problem)) => vec![*problem],
        Err(error) => panic!("{error}"),
    }
}

/// The problems of a client's entry, each as message and fix.
#[allow(dead_code)]
pub fn messages_of(entry: &str) -> Vec<String> {
    problems(&format!("{{\"mcpServers\": {{\"s\": {entry}}}}}"))
        .into_iter()
        .map(|problem| format!("{}; {}", problem.message, problem.fix))
        .collect()
}
