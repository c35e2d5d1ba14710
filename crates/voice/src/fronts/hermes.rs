//! Hermes, the topics of Rhasspy: `hermes/asr/textCaptured` in, session control out.
//!
//! With a session, the answer ends it (`endSession`, which speaks it) or continues it when the answer is a
//! question (`continueSession`). Without a session, the answer is spoken (`tts/say`). A `hermes/nlu/query`
//! without a session returns the recognized intent and runs nothing.

use serde_json::{Value, json};
use tokio::time::Instant;
use toolwright_speech::{Command, HermesIn, Reading, read_hermes, read_intent};

use super::repeats::RecentMessages;
use crate::mqtt::{MqttMessage, MqttPublication, Outbox, Subscriber};
use crate::status::Drop;
use crate::transcriber::BackgroundTranscriber;
use crate::transcript::{Answer, AnswerKind, Delivery, Ear, Transcript};

const TEXT_CAPTURED: &str = "hermes/asr/textCaptured";
const QUERY: &str = "hermes/nlu/query";
const PARSED: &str = "hermes/nlu/intentParsed";
const NOT_RECOGNIZED: &str = "hermes/nlu/intentNotRecognized";
const END_SESSION: &str = "hermes/dialogueManager/endSession";
const CONTINUE_SESSION: &str = "hermes/dialogueManager/continueSession";
const SAY: &str = "hermes/tts/say";
const ERROR: &str = "hermes/error/nlu";

/// Rhasspy's site id for messages that name none.
const DEFAULT_SITE: &str = "default";
/// The Hermes front end.
pub(crate) struct HermesFront {
    transcriber: BackgroundTranscriber,
    outbox: Outbox,
    repeats: RecentMessages,
}

impl HermesFront {
    pub fn new(transcriber: BackgroundTranscriber, outbox: Outbox) -> HermesFront {
        HermesFront { transcriber, outbox, repeats: RecentMessages::default() }
    }

    fn handle_captured(&self, parsed: HermesIn) {
        let site = parsed.site.unwrap_or_else(|| DEFAULT_SITE.to_owned());
        // A question and its answer arrive in one session; without a session they share the site.
        let conversation = format!("hermes:{site}");
        let transcript = Transcript {
            id: parsed.id,
            text: parsed.text,
            conversation,
            source: format!("hermes {site}"),
            language: parsed.lang,
            said_at: None,
            received: Instant::now(),
        };
        let sink = HermesSink { outbox: self.outbox.clone(), site, session: parsed.session };
        if transcript.text.trim().is_empty() {
            // The wake word was detected, but no speech followed.
            sink.end(None);
            return;
        }
        self.transcriber.take(transcript, Box::new(sink));
    }

    fn handle_query(&self, query: HermesIn) {
        // The session receives its answer from `textCaptured`.
        if query.session.is_some() {
            return;
        }
        let (transcriber, outbox) = (self.transcriber.clone(), self.outbox.clone());
        self.transcriber.spawn_background(async move {
            let devices = transcriber.devices().await;
            let (topic, value) = query_response(&query, &read_intent(&query.text, &devices));
            publish(&outbox, topic, &value);
        });
    }
}

/// The topic and payload that answer a query.
fn query_response(query: &HermesIn, reading: &Reading) -> (&'static str, Value) {
    let site = query.site.as_deref().unwrap_or(DEFAULT_SITE);
    let (name, slots) = match reading {
        Reading::Certain(Command::Tell(tells)) => (tells.name(), json!([])),
        Reading::Certain(Command::Device { device, does }) => {
            let slot = json!({
                "entity": "device", "slotName": "name", "confidence": 1.0, "rawValue": device.name,
                "value": { "kind": "Unknown", "value": device.name },
            });
            (does.name(), json!([slot]))
        }
        Reading::Which { .. } | Reading::Unsure => {
            let value =
                json!({ "input": query.text, "siteId": site, "id": query.id, "sessionId": query.session });
            return (NOT_RECOGNIZED, value);
        }
    };
    let value = json!({
        "input": query.text,
        "intent": { "intentName": name, "confidenceScore": 1.0 },
        "slots": slots,
        "siteId": site,
        "id": query.id,
        "sessionId": query.session,
    });
    (PARSED, value)
}

impl Subscriber for HermesFront {
    fn topics(&self) -> Vec<String> {
        vec![TEXT_CAPTURED.to_owned(), QUERY.to_owned()]
    }

    fn receive(&self, message: MqttMessage) {
        let status = self.transcriber.status();
        if message.is_retained {
            status.dropped(Drop::Retained);
            tracing::warn!(topic = message.topic, "a message that the broker had kept was not heard");
            return;
        }
        let parsed = match read_hermes(&message.payload) {
            Ok(parsed) => parsed,
            Err(error) => {
                status.dropped(Drop::Malformed);
                tracing::warn!(topic = message.topic, "a message was dropped: {error}");
                let value = json!({ "error": error, "siteId": DEFAULT_SITE, "context": message.topic, "sessionId": null });
                publish(&self.outbox, ERROR, &value);
                return;
            }
        };
        if message.topic == QUERY {
            return self.handle_query(parsed);
        }
        // A session sends one text until it is continued.
        if message.is_repeated && self.repeats.is_repeated(&format!("{:?} {}", parsed.session, parsed.text)) {
            status.dropped(Drop::Duplicate);
            return;
        }
        self.handle_captured(parsed);
    }
}

/// Speaks an answer at its site.
struct HermesSink {
    outbox: Outbox,
    site: String,
    session: Option<String>,
}

impl HermesSink {
    fn end(&self, text: Option<&str>) -> Delivery {
        match (&self.session, text) {
            (Some(session), text) => {
                let value =
                    json!({ "sessionId": session, "text": text, "siteId": self.site, "customData": null });
                publish(&self.outbox, END_SESSION, &value)
            }
            (None, Some(text)) => {
                let value =
                    json!({ "text": text, "siteId": self.site, "lang": null, "id": null, "sessionId": null });
                publish(&self.outbox, SAY, &value)
            }
            (None, None) => Delivery::Lost,
        }
    }
}

impl Ear for HermesSink {
    fn answer(self: Box<Self>, answer: Answer) -> Delivery {
        match (&self.session, answer.kind) {
            (Some(session), AnswerKind::Asked) => {
                let value = json!({
                    "sessionId": session,
                    "text": answer.text,
                    "siteId": self.site,
                    "customData": null,
                    "intentFilter": null,
                    "sendIntentNotRecognized": false,
                });
                publish(&self.outbox, CONTINUE_SESSION, &value)
            }
            _ => self.end(Some(&answer.text)),
        }
    }
}

fn publish(outbox: &Outbox, topic: &str, value: &Value) -> Delivery {
    outbox.publish(MqttPublication {
        topic: topic.to_owned(),
        payload: value.to_string().into_bytes(),
        is_retained: false,
        correlation: None,
    })
}
