//! The search engine of `search_web`, from the environment: a key on the command line would be seen by all.

use toolwright_builtin_tools::{ApiKey, BuiltinError, ProviderConfig, SearchConfig};

use crate::report::Report;

/// The variable that chooses the engine; without it there is none.
const ENGINE: &str = "TOOLWRIGHT_SEARCH";
/// Its address. SearXNG needs it, the others have their own.
const URL: &str = "TOOLWRIGHT_SEARCH_URL";
/// The key of Brave and Google.
const KEY: &str = "TOOLWRIGHT_SEARCH_KEY";
/// The id of a search engine of Google.
const CX: &str = "TOOLWRIGHT_SEARCH_CX";

/// What to do when no engine is chosen.
pub const HOW_TO_CHOOSE: &str = "set TOOLWRIGHT_SEARCH=duckduckgo; or searxng with TOOLWRIGHT_SEARCH_URL, \
    brave with TOOLWRIGHT_SEARCH_KEY, google with TOOLWRIGHT_SEARCH_KEY and TOOLWRIGHT_SEARCH_CX";

/// How `search_web` searches. An engine that cannot be used is a matter of that tool alone: it says so when it is
/// called, and the others work.
pub fn config() -> SearchConfig {
    let config = SearchConfig::default();
    match from_environment() {
        Ok(provider) => SearchConfig { provider, ..config },
        Err(report) => {
            let why = "web search is not set up: the search engine that was chosen cannot be used";
            SearchConfig { fault: Some(format!("{why}. {}", report.what())), ..config }
        }
    }
}

/// The engine that the environment chooses.
pub fn from_environment() -> Result<Option<ProviderConfig>, Report> {
    // What is not UTF-8 is no engine, address or key either.
    let chosen = read(|name| std::env::var(name).ok())?;
    let built = chosen.as_ref().map(|provider| provider.build(SearchConfig::default().timeout));
    match built {
        Some(Err(BuiltinError::Search { url, reason })) => Err(unusable(&url, &reason)),
        Some(Err(error)) => Err(Report::usage(error.to_string(), format!("correct {URL}"))),
        Some(Ok(_)) | None => Ok(chosen),
    }
}

/// An address that no engine can have.
pub fn unusable(url: &str, reason: &str) -> Report {
    Report::usage(format!("cannot use \"{url}\" to search the web: {reason}"), format!("correct {URL}"))
}

fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Option<ProviderConfig>, Report> {
    let set =
        |name: &str| variable(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
    let Some(engine) = set(ENGINE) else { return Ok(None) };
    let needed = |name: &str| {
        let missing =
            || Report::usage(format!("{ENGINE} is {engine}, but {name} is not set"), format!("set {name}"));
        set(name).ok_or_else(missing)
    };
    Ok(Some(match engine.to_ascii_lowercase().as_str() {
        "searxng" => ProviderConfig::SearxNg { url: needed(URL)? },
        "brave" => ProviderConfig::Brave { api_key: ApiKey::new(needed(KEY)?), url: set(URL) },
        "google" => {
            ProviderConfig::Google { api_key: ApiKey::new(needed(KEY)?), cx: needed(CX)?, url: set(URL) }
        }
        "duckduckgo" => ProviderConfig::DuckDuckGo { url: set(URL) },
        _ => {
            let what = format!("{ENGINE} is {engine:?}, which is no search engine that is known");
            return Err(Report::usage(what, "use searxng, brave, google or duckduckgo"));
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(variables: &[(&str, &str)]) -> Result<Option<ProviderConfig>, String> {
        let variable =
            |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        read(variable).map_err(|report| report.to_string())
    }

    #[test]
    fn every_engine_is_chosen_with_what_it_needs() {
        let key = || ApiKey::new("k");
        assert_eq!(chosen(&[]), Ok(None));
        assert_eq!(chosen(&[(ENGINE, " "), (KEY, "k")]), Ok(None));
        assert_eq!(
            chosen(&[(ENGINE, "SearXNG"), (URL, "http://a")]),
            Ok(Some(ProviderConfig::SearxNg { url: "http://a".to_owned() }))
        );
        assert_eq!(
            chosen(&[(ENGINE, "brave"), (KEY, "k")]),
            Ok(Some(ProviderConfig::Brave { api_key: key(), url: None }))
        );
        assert_eq!(
            chosen(&[(ENGINE, "google"), (KEY, "k"), (CX, "c")]),
            Ok(Some(ProviderConfig::Google { api_key: key(), cx: "c".to_owned(), url: None }))
        );
        assert_eq!(chosen(&[(ENGINE, "duckduckgo")]), Ok(Some(ProviderConfig::DuckDuckGo { url: None })));
    }

    #[test]
    fn what_is_missing_is_named() {
        for (variables, expected) in [
            (
                &[(ENGINE, "searxng")][..],
                "error: TOOLWRIGHT_SEARCH is searxng, but TOOLWRIGHT_SEARCH_URL is not set\nfix: set TOOLWRIGHT_SEARCH_URL",
            ),
            (
                &[(ENGINE, "google"), (KEY, "k")],
                "error: TOOLWRIGHT_SEARCH is google, but TOOLWRIGHT_SEARCH_CX is not set\nfix: set TOOLWRIGHT_SEARCH_CX",
            ),
            (
                &[(ENGINE, "bing")],
                "error: TOOLWRIGHT_SEARCH is \"bing\", which is no search engine that is known\nfix: use searxng, brave, google or duckduckgo",
            ),
        ] {
            assert_eq!(chosen(variables), Err(expected.to_owned()));
        }
    }
}
