//! Founding document 001, "AI Client Integration": AI clients use the executor for all tool calls. One test
//! per scenario, named after it, with the recorded traffic of its model.

use std::sync::{Arc, Mutex};

use toolwright_agent::{Agent, DialectClient, Front, ModelClient, Question, Silent, Stop};
use toolwright_executor::observer::{Finished, Started};
use toolwright_executor::{CallObserver, ToolExecutor};
use toolwright_testkit::llm_upstream::{Dialect, Said};

use crate::stage::{self, Runs, recorded, registry, spoken, stage_of, usual};

const CALL: (&str, &str) = ("control_zwave_device", r#"{"device_name": "Switch One", "command": "on"}"#);
const ANSWER: &str = "Switch One is on.";

/// An observer that records the calls of the executor.
#[derive(Default)]
struct CallRecorder(Mutex<Vec<String>>);

impl CallObserver for CallRecorder {
    fn started(&self, call: &Started<'_>) {
        let front = call.caller.map_or("nobody", |caller| caller.front);
        let line = format!("{front} calls {} {}", call.name, call.arguments.expose());
        self.0.lock().expect("no test broke").push(line);
    }

    fn finished(&self, call: &Finished<'_>) {
        let line = format!("{} {}", call.name, if call.result.is_ok() { "answered" } else { "failed" });
        self.0.lock().expect("no test broke").push(line);
    }
}

/// Sends a question to a model that calls the switch; returns what the executor and the switch received.
async fn executed(dialect: Dialect, front: Front) -> (String, Vec<String>, Vec<String>) {
    let (runs, witness) = (Runs::default(), Arc::new(CallRecorder::default()));
    let executor = ToolExecutor::new(registry(vec![runs.switch()])).with_observer(Arc::clone(&witness) as _);
    let said = vec![Said::calls(&[CALL]), Said::text(ANSWER)];
    let stage = stage_of(dialect, said, executor, usual()).await;
    let client: Arc<dyn ModelClient> =
        Arc::new(DialectClient::new(Arc::clone(&stage.models), spoken(dialect)));
    let provider = client.provider();
    let agent = Agent::with_client(client, Arc::clone(&stage.executor), usual());
    let answer =
        agent.ask(Question::new(front, "Turn on switch one."), &mut Silent).await.expect("an answer");
    assert_eq!((answer.text.as_str(), answer.stop, answer.provider), (ANSWER, Stop::Answered, provider));
    assert_eq!((answer.rounds, answer.calls.len(), answer.turns), (2, 1, 1));
    let call = &answer.calls[0];
    assert_eq!(
        call.sent,
        serde_json::from_str::<serde_json::Value>(CALL.1)
            .map(|sent| match dialect {
                // Ollama sends objects, not texts.
                Dialect::Ollama => sent.to_string(),
                _ => CALL.1.to_owned(),
            })
            .expect("JSON")
    );
    assert_eq!(call.arguments.as_deref(), Some(r#"{"deviceName":"Switch One","action":"on"}"#));
    assert_eq!(call.result.as_ref().map(|output| output.text.as_str()), Ok(stage_text()));
    assert_eq!(stage.upstream.unsaid(stage::MODEL), 0);
    let seen = witness.0.lock().expect("no test broke").clone();
    (recorded(&stage.upstream.exchanges()), seen, runs.all())
}

fn stage_text() -> &'static str {
    "Successfully sent command to turn on Switch One"
}

#[tokio::test]
async fn anthropic_tool_execution() {
    let (wire, seen, runs) = executed(Dialect::Anthropic, Front::Ask).await;
    assert_eq!(
        seen,
        [
            r#"ask calls control_zwave_device {"device_name": "Switch One", "command": "on"}"#,
            "control_zwave_device answered",
        ]
    );
    assert_eq!(runs, [r#"{"deviceName":"Switch One","action":"on"}"#]);
    insta::assert_snapshot!(wire);
}

#[tokio::test]
async fn ollama_tool_execution() {
    let (wire, seen, runs) = executed(Dialect::Ollama, Front::Ask).await;
    assert_eq!(
        seen,
        [
            r#"ask calls control_zwave_device {"device_name":"Switch One","command":"on"}"#,
            "control_zwave_device answered",
        ]
    );
    assert_eq!(runs, [r#"{"deviceName":"Switch One","action":"on"}"#]);
    insta::assert_snapshot!(wire);
}

/// Not named in the founding document: clients of OpenAI's API.
#[tokio::test]
async fn openai_tool_execution() {
    let (wire, seen, runs) = executed(Dialect::Chat, Front::Ask).await;
    assert_eq!(seen.len(), 2);
    assert_eq!(runs, [r#"{"deviceName":"Switch One","action":"on"}"#]);
    insta::assert_snapshot!(wire);
}

/// The background transcriber uses the voice front over the same executor.
#[tokio::test]
async fn background_transcriber_tool_execution() {
    let (wire, seen, runs) = executed(Dialect::Ollama, Front::Voice).await;
    assert_eq!(
        seen,
        [
            r#"voice calls control_zwave_device {"device_name":"Switch One","command":"on"}"#,
            "control_zwave_device answered",
        ]
    );
    assert_eq!(runs, [r#"{"deviceName":"Switch One","action":"on"}"#]);
    insta::assert_snapshot!(wire);
}
