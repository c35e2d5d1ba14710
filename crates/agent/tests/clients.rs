//! Provider-specific requests, and the selection of the client.

use toolwright_agent::{AgentSettings, Silent};
use toolwright_proxy::Place;
use toolwright_testkit::llm_upstream::{Dialect, Said};

use crate::stage::{MODEL, Runs, ask, stage, stage_with, usual};

#[tokio::test]
async fn a_model_has_the_client_of_what_its_upstream_speaks() {
    for (dialect, provider, path) in [
        (Dialect::Anthropic, "anthropic", "/v1/messages"),
        (Dialect::Chat, "openai", "/v1/chat/completions"),
        (Dialect::Responses, "openai", "/v1/responses"),
        (Dialect::Ollama, "ollama", "/api/chat"),
    ] {
        let stage = stage(dialect, vec![Said::text("Hi.")], vec![Runs::default().switch()]).await;
        let answer = stage.agent.ask(ask("Hi."), &mut Silent).await.expect("an answer");
        assert_eq!((answer.provider, answer.text.as_str()), (provider, "Hi."));
        assert_eq!(stage.upstream.exchanges()[0].asked.path, path);
        let place = stage.models.place_of(MODEL).expect("it leads somewhere");
        assert_eq!(
            place,
            Place { upstream: "scripted".into(), dialect: place.dialect, model: MODEL.into(), has_key: true }
        );
    }
}

#[tokio::test]
async fn anthropic_request_sets_cache_control() {
    let stage = stage(Dialect::Anthropic, vec![Said::text("Hi.")], vec![Runs::default().switch()]).await;
    stage.agent.ask(ask("Hi."), &mut Silent).await.expect("an answer");
    let asked = &stage.upstream.exchanges()[0].asked;
    assert_eq!(asked.json("/system/0/cache_control/type"), "ephemeral");
    assert_eq!(asked.json("/messages/0/content/0/cache_control/type"), "ephemeral");
    assert_eq!(asked.json("/max_tokens"), 2_048);
}

#[tokio::test]
async fn ollama_is_given_room_for_the_conversation() {
    let settings = AgentSettings { temperature: Some(0.5), ..usual() };
    let stage = stage_with(Dialect::Ollama, vec![Said::text("Hi."); 2], Vec::new(), settings).await;
    stage.agent.ask(ask("Hi."), &mut Silent).await.expect("an answer");
    stage.agent.ask(ask(&"word ".repeat(8_000)), &mut Silent).await.expect("an answer");
    let exchanges = stage.upstream.exchanges();
    let options = exchanges[0].asked.json("/options");
    assert_eq!((&options["num_ctx"], &options["num_predict"]), (&4_096.into(), &2_048.into()));
    assert_eq!(options["temperature"], 0.5);
    assert_eq!(exchanges[0].asked.json("/keep_alive"), "30m");
    assert_eq!(exchanges[1].asked.json("/options/num_ctx"), 16_384);
}
