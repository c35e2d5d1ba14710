//! Whether the upstreams of language models answer. No model is asked for anything.

use std::sync::Arc;

use toolwright_config::{Configuration, UpstreamKey};
use toolwright_llm::exchange::Mending;
use toolwright_llm::{FailureKind, dialects};
use toolwright_normalizer::Normalizer;
use toolwright_proxy::{CheckedUpstream, check as ask, failure_text};

use crate::entry::escaped;
use crate::finding::{Area, Check, Finding, Fix};
use crate::protocol::shown;

pub(crate) async fn check(configuration: &Configuration) -> Vec<Check> {
    let Some(settings) = configuration.llm.as_ref().filter(|settings| !settings.upstreams.is_empty()) else {
        return Vec::new();
    };
    let mending = Mending { normalizer: Arc::new(Normalizer::default()), cache: Arc::default() };
    let checked = match ask(settings, None, &mending).await {
        Ok(checked) => checked,
        Err(error) => {
            let fix = Fix::Do(format!("correct \"llm\".\"upstreams\" in {}", configuration.file.display()));
            let finding =
                Finding::error("upstream-unusable", error.to_string(), "its client cannot be made", fix);
            return vec![Check::new(Area::Models, Some(&error.upstream), "cannot be used").with([finding])];
        }
    };
    let of = |upstream: &CheckedUpstream| match &upstream.answers {
        Ok(found) => {
            let models = found.models.len();
            let said = format!("{}, answers in {} ms, {models} models", upstream.url, found.milliseconds);
            Check::new(Area::Models, Some(&upstream.name), said)
        }
        Err(failure) => {
            let key = settings.upstreams.iter().find(|known| known.name == upstream.name);
            let is_clients = key.is_some_and(|known| matches!(known.key, UpstreamKey::Client));
            let is_refused = matches!(failure.kind, FailureKind::Authentication | FailureKind::Permission);
            if is_refused && is_clients {
                let said = format!("{}, answers, and wants the key that clients send", upstream.url);
                return Check::new(Area::Models, Some(&upstream.name), said);
            }
            let finding = trouble(configuration, upstream, &failure_text(failure), is_refused);
            Check::new(Area::Models, Some(&upstream.name), upstream.url.clone()).with([finding])
        }
    };
    checked.upstreams.iter().map(of).collect()
}

fn trouble(
    configuration: &Configuration,
    upstream: &CheckedUpstream,
    why: &str,
    is_refused: bool,
) -> Finding {
    let place = format!("llm.upstreams.{} of {}", upstream.name, configuration.file.display());
    let finding = match (is_refused, dialects::of(upstream.dialect).local_server()) {
        (true, _) => Finding::error(
            "upstream-refuses-key",
            "the upstream does not take its key",
            shown(why),
            Fix::Do(format!(
                "write a key that is valid into /llm/upstreams/{}/apiKey, such as \"${{OPENAI_API_KEY}}\", and set that variable before the start",
                escaped(&upstream.name)
            )),
        ),
        (false, Some(server)) => Finding::error(
            "upstream-unreachable",
            format!("{} does not answer", server.name),
            shown(why),
            Fix::Run(server.command.to_owned()),
        ),
        (false, None) => Finding::error(
            "upstream-unreachable",
            "the upstream does not answer",
            shown(why),
            Fix::Do(format!(
                "start what should listen at {}, or correct /llm/upstreams/{}/url",
                upstream.url,
                escaped(&upstream.name)
            )),
        ),
    };
    finding.at(place)
}
