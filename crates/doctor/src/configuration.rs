//! The file that names the servers.

use toolwright_config::{ConfigError, Configuration, FoundBy, Problem, Severity as Bad};

use crate::finding::{Area, Check, Finding, Fix, Severity};

pub(crate) fn check(found: &Result<Option<(Configuration, FoundBy)>, ConfigError>) -> Check {
    let check = |said: String| Check::new(Area::Configuration, None, said);
    match found {
        Err(ConfigError::Wrong(problem)) => {
            check(format!("{} cannot be read", problem.file.display())).with([told(problem)])
        }
        Err(error) => {
            let shown = error.to_string();
            let what = shown.lines().next().unwrap_or_default().to_owned();
            let why = "what it names cannot be served";
            let fix = match error {
                ConfigError::NotFound { near: Some(near), .. } => {
                    let near = near.display().to_string();
                    Fix::Run(format!("toolwright doctor --config {}", super::finding::quoted(&near)))
                }
                error => Fix::Do(error.fix()),
            };
            let finding = Finding::error("configuration-unusable", what, why, fix);
            check(format!("{} cannot be used", error.file().display()))
                .with([finding.at(error.file().display())])
        }
        Ok(None) => check("none: the built-in tools are served".to_owned()),
        Ok(Some((configuration, by))) => {
            let servers = configuration.servers().count();
            let said = format!(
                "{}, {}: {servers} server{} in {} toolbox{}",
                configuration.file.display(),
                by.words(),
                if servers == 1 { "" } else { "s" },
                configuration.toolboxes.len(),
                if configuration.toolboxes.len() == 1 { "" } else { "es" },
            );
            check(said).with(configuration.problems.iter().map(told))
        }
    }
}

fn told(problem: &Problem) -> Finding {
    let id = match problem.severity {
        Bad::Error => "configuration-mistake",
        Bad::Warning => "configuration-doubt",
    };
    let consequence = match (problem.severity, problem.server.is_some() || problem.llm.is_some()) {
        (Bad::Error, true) => format!("{} is left out because of it", problem.subject()),
        (Bad::Error, false) => format!("{} cannot be used because of it", problem.subject()),
        (Bad::Warning, _) => {
            format!("{} is used, and this is probably not what was meant", problem.subject())
        }
    };
    let excerpt = problem.excerpt.text.trim();
    let why = if excerpt.is_empty() { consequence } else { format!("{consequence}: {excerpt}") };
    Finding {
        severity: if problem.severity == Bad::Error { Severity::Error } else { Severity::Warning },
        ..Finding::error(id, problem.message.clone(), why, Fix::Do(problem.fix.clone()))
    }
    .at(format!("{}:{}:{}", problem.file.display(), problem.line, problem.column))
}
