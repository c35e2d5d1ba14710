//! Where a path below `/api/` leads.

use percent_encoding::percent_decode_str;

/// Every path and its method, as the description has them.
pub const API_ROUTES: &[(&str, &str)] = &[
    ("get", "/api/health"),
    ("get", "/api/status"),
    ("get", "/api/normalizer"),
    ("get", "/api/error-patterns"),
    ("get", "/api/operations"),
    ("get", "/api/operations/live"),
    ("get", "/api/operations/{call}"),
    ("get", "/api/stats"),
    ("get", "/api/rules"),
    ("get", "/api/suggestions"),
    ("get", "/api/suggestions/history"),
    ("get", "/api/suggestions/{id}"),
    ("post", "/api/suggestions/{id}/accept"),
    ("post", "/api/suggestions/{id}/dismiss"),
    ("post", "/api/suggestions/{id}/undo"),
    ("get", "/api/openapi.json"),
];

/// The longest id in a path.
const MAX_ID: usize = 200;

/// Where a path leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Path {
    Health,
    Status,
    Normalizer,
    ErrorPatterns,
    Operations,
    Live,
    Operation(String),
    Stats,
    Rules,
    Suggestions,
    History,
    Suggestion(String),
    Decide(String, Decision),
    Document,
}

/// What can be done with a suggestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    Accept,
    Dismiss,
    Undo,
}

impl Path {
    /// Reads what stands behind `/api/`.
    pub fn of(rest: &str) -> Option<Path> {
        let parts: Vec<&str> = rest.split('/').collect();
        Some(match parts.as_slice() {
            ["health"] => Path::Health,
            ["status"] => Path::Status,
            ["normalizer"] => Path::Normalizer,
            ["error-patterns"] => Path::ErrorPatterns,
            ["operations"] => Path::Operations,
            ["operations", "live"] => Path::Live,
            ["operations", call] => Path::Operation(id(call)?),
            ["stats"] => Path::Stats,
            ["rules"] => Path::Rules,
            ["suggestions"] => Path::Suggestions,
            ["suggestions", "history"] => Path::History,
            ["suggestions", suggestion] => Path::Suggestion(id(suggestion)?),
            ["suggestions", suggestion, decision] => {
                let decision = match *decision {
                    "accept" => Decision::Accept,
                    "dismiss" => Decision::Dismiss,
                    "undo" => Decision::Undo,
                    _ => return None,
                };
                Path::Decide(id(suggestion)?, decision)
            }
            ["openapi.json"] => Path::Document,
            _ => return None,
        })
    }

    /// Whether it changes something.
    pub fn is_decision(&self) -> bool {
        matches!(self, Path::Decide(..))
    }

    /// The methods that are possible there.
    pub fn methods(&self) -> &'static str {
        if self.is_decision() { "POST, OPTIONS" } else { "GET, HEAD, OPTIONS" }
    }
}

fn id(encoded: &str) -> Option<String> {
    let name = percent_decode_str(encoded).decode_utf8().ok()?;
    let is_one = !name.is_empty() && name.len() <= MAX_ID && !name.chars().any(char::is_control);
    is_one.then(|| name.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A path without a row in the table does not compile here.
    fn row(path: &Path) -> (&'static str, &'static str) {
        match path {
            Path::Health => ("get", "/api/health"),
            Path::Status => ("get", "/api/status"),
            Path::Normalizer => ("get", "/api/normalizer"),
            Path::ErrorPatterns => ("get", "/api/error-patterns"),
            Path::Operations => ("get", "/api/operations"),
            Path::Live => ("get", "/api/operations/live"),
            Path::Operation(_) => ("get", "/api/operations/{call}"),
            Path::Stats => ("get", "/api/stats"),
            Path::Rules => ("get", "/api/rules"),
            Path::Suggestions => ("get", "/api/suggestions"),
            Path::History => ("get", "/api/suggestions/history"),
            Path::Suggestion(_) => ("get", "/api/suggestions/{id}"),
            Path::Decide(_, Decision::Accept) => ("post", "/api/suggestions/{id}/accept"),
            Path::Decide(_, Decision::Dismiss) => ("post", "/api/suggestions/{id}/dismiss"),
            Path::Decide(_, Decision::Undo) => ("post", "/api/suggestions/{id}/undo"),
            Path::Document => ("get", "/api/openapi.json"),
        }
    }

    #[test]
    fn every_row_of_the_table_leads_to_its_path() {
        for (method, template) in API_ROUTES {
            let path = template.replace("{call}", "0a1b").replace("{id}", "0a1b");
            let path = Path::of(path.strip_prefix("/api/").expect("the prefix")).expect(template);
            assert_eq!(row(&path), (*method, *template));
            assert_eq!(path.is_decision(), *method == "post", "{template}");
        }
    }

    #[test]
    fn what_is_nearly_a_path_leads_nowhere() {
        let long = format!("operations/{}", "a".repeat(201));
        for rest in [
            "",
            "Health",
            "health/",
            "operations/",
            "operations/a/b",
            "operations/%00",
            "operations/%FF",
            "suggestions//accept",
            "suggestions/a/explode",
            "suggestions/a/accept/",
            "openapi",
            &long,
        ] {
            assert_eq!(Path::of(rest), None, "{rest}");
        }
        assert_eq!(Path::of("operations/a%20b"), Some(Path::Operation("a b".into())));
    }
}
