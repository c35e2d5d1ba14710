//! MQTT: `voice/transcription` in, `voice/ai-response` out, as in the voice gateway of founding document
//! 001.
//!
//! The front drops retained, stale and repeated messages: no user says them now. It reports malformed
//! messages on `voice/error`.

use std::sync::Arc;

use bytes::Bytes;
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::time::Instant;
use toolwright_speech::{is_stale, read_payload};

use super::repeats::RecentMessages;
use super::{SOURCE, now};
use crate::mqtt::{MqttMessage, MqttPublication, Outbox, Subscriber};
use crate::status::Drop;
use crate::transcriber::BackgroundTranscriber;
use crate::transcript::{Answer, AnswerKind, Delivery, Ear, Transcript};

/// The topics of this front.
#[derive(Clone, Debug)]
pub(crate) struct Topics {
    pub transcription: String,
    pub response: String,
    pub status: String,
    pub error: String,
    /// Topic prefixes that clients may use for response topics, each with its `/`.
    answers: Vec<String>,
}

impl Topics {
    pub fn new(prefix: &str, responses: &[String]) -> Topics {
        let own = [prefix].into_iter().chain(responses.iter().map(String::as_str));
        Topics {
            answers: own.map(|prefix| format!("{}/", prefix.trim_end_matches('/'))).collect(),
            transcription: format!("{prefix}/transcription"),
            response: format!("{prefix}/ai-response"),
            status: format!("{prefix}/status"),
            error: format!("{prefix}/error"),
        }
    }

    /// Whether a client may use this response topic. An answer on another topic could be a command to a
    /// device, and an answer on the transcription topic would be processed as a sentence.
    fn may_answer_at(&self, topic: &str) -> bool {
        let own = [&self.transcription, &self.status, &self.error];
        is_plain(topic)
            && !own.iter().any(|known| *known == topic)
            && !topic.to_ascii_lowercase().ends_with("/set")
            && self
                .answers
                .iter()
                .any(|prefix| topic.len() > prefix.len() && topic.starts_with(prefix.as_str()))
    }
}

/// The MQTT front end.
pub(crate) struct MqttFront {
    topics: Arc<Topics>,
    transcriber: BackgroundTranscriber,
    outbox: Outbox,
    repeats: RecentMessages,
}

impl MqttFront {
    pub fn new(topics: Topics, transcriber: BackgroundTranscriber, outbox: Outbox) -> MqttFront {
        MqttFront { topics: Arc::new(topics), transcriber, outbox, repeats: RecentMessages::default() }
    }

    fn drop_message(&self, why: Drop, message: &str, sink: MqttSink, id: Option<String>) {
        self.transcriber.status().dropped(why);
        tracing::warn!(
            topic = self.topics.transcription,
            why = why.word(),
            "a message was dropped: {message}"
        );
        sink.error(why.word(), message, None, id);
    }
}

impl Subscriber for MqttFront {
    fn topics(&self) -> Vec<String> {
        vec![self.topics.transcription.clone()]
    }

    fn receive(&self, message: MqttMessage) {
        let status = self.transcriber.status();
        let response_topic = message.response_topic.filter(|topic| {
            let may_answer = self.topics.may_answer_at(topic);
            if !may_answer {
                tracing::warn!(
                    topic,
                    "a response topic is not used: it is not below topicPrefix or responsePrefixes"
                );
            }
            may_answer
        });
        let sink = MqttSink {
            topics: Arc::clone(&self.topics),
            outbox: self.outbox.clone(),
            response_topic,
            correlation: message.correlation,
        };
        if message.is_retained {
            // No error is published: the broker sends the retained message with every connection.
            status.dropped(Drop::Retained);
            tracing::warn!(topic = message.topic, "a message that the broker had kept was not heard");
            return;
        }
        let parsed = match read_payload(&message.payload) {
            Ok(parsed) => parsed,
            Err(error) => return self.drop_message(Drop::Malformed, &error.to_string(), sink, None),
        };
        if parsed.source.as_deref() == Some(SOURCE) {
            return;
        }
        let id = parsed.id.clone();
        if is_stale(parsed.said_at, Timestamp::now(), self.transcriber.limits().max_age) {
            return self.drop_message(
                Drop::Stale,
                "it was said too long ago, or the clocks do not agree",
                sink,
                id,
            );
        }
        let dedup_key = match (&parsed.id, parsed.said_at) {
            (Some(id), _) => Some(format!("id {} {id}", parsed.conversation)),
            (None, Some(at)) => Some(format!("at {at} {} {}", parsed.conversation, parsed.text)),
            (None, None) => {
                message.is_repeated.then(|| format!("text {} {}", parsed.conversation, parsed.text))
            }
        };
        if dedup_key.is_some_and(|id| self.repeats.is_repeated(&id)) {
            status.dropped(Drop::Duplicate);
            tracing::info!(topic = message.topic, "a message came twice and was heard once");
            return;
        }
        let transcript = Transcript {
            id: parsed.id,
            text: parsed.text,
            conversation: format!("mqtt:{}", parsed.conversation),
            source: parsed.source.unwrap_or_else(|| "mqtt".to_owned()),
            language: parsed.language,
            said_at: parsed.said_at,
            received: Instant::now(),
        };
        self.transcriber.take(transcript, Box::new(sink));
    }
}

/// Whether messages can be published to a topic.
fn is_plain(topic: &str) -> bool {
    !topic.is_empty() && !topic.starts_with('$') && !topic.contains(['+', '#', '\0']) && topic.len() <= 1_024
}

/// Publishes an answer.
struct MqttSink {
    topics: Arc<Topics>,
    outbox: Outbox,
    /// The response topic that the client requested, with MQTT 5.
    response_topic: Option<String>,
    correlation: Option<Bytes>,
}

impl MqttSink {
    fn publish(&self, topic: &str, value: &Value) -> Delivery {
        self.outbox.publish(MqttPublication {
            topic: topic.to_owned(),
            payload: value.to_string().into_bytes(),
            is_retained: false,
            correlation: self.correlation.clone(),
        })
    }

    fn error(&self, why: &str, message: &str, question: Option<String>, id: Option<String>) -> Delivery {
        let value = json!({
            "error": why,
            "message": message,
            "question": question,
            "id": id,
            "timestamp": now(),
            "source": SOURCE,
        });
        let delivery = self.publish(&self.topics.error, &value);
        match &self.response_topic {
            Some(topic) => self.publish(topic, &value),
            None => delivery,
        }
    }
}

impl Ear for MqttSink {
    fn answer(self: Box<Self>, answer: Answer) -> Delivery {
        if let AnswerKind::Dropped(why) = answer.kind {
            return self.error(why.word(), &answer.text, Some(answer.question), answer.id);
        }
        let topic = self.response_topic.as_deref().unwrap_or(&self.topics.response);
        self.publish(topic, &response(&answer))
    }
}

/// The answer in the format of the voice gateway of the founding document; the fields after `duration` are
/// Toolwright's.
fn response(answer: &Answer) -> Value {
    let (model, provider) = match &answer.model {
        Some((model, provider)) => (model.as_str(), provider.as_str()),
        None => ("direct", SOURCE),
    };
    let mut value = json!({
        "question": answer.question,
        "answer": answer.text,
        "timestamp": now(),
        "source": SOURCE,
        "model": model,
        "conversationTurns": answer.turns,
        "provider": provider,
        "duration": (answer.took.as_secs_f64() * 1000.0).round() / 1000.0,
        "kind": answer.kind.word(),
        "conversation": answer.conversation.strip_prefix("mqtt:").unwrap_or(&answer.conversation),
    });
    if let (Some(id), Some(members)) = (&answer.id, value.as_object_mut()) {
        members.insert("id".to_owned(), json!(id));
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn response_topics_are_restricted() {
        let topics = Topics::new("voice", &["answers".to_owned()]);
        for topic in ["voice/answers/ann", "answers/ann", "voice/ai-response"] {
            assert!(topics.may_answer_at(topic), "{topic}");
        }
        for topic in [
            "zwave/Front_Door/lock/endpoint_0/targetMode/set",
            "voice/lamp/set",
            "answers/SET",
            "voice/transcription",
            "voice/status",
            "voices/ann",
            "voice/",
            "answers",
            "homeassistant/x",
            "voice/+",
        ] {
            assert!(!topics.may_answer_at(topic), "{topic}");
        }
    }

    #[test]
    fn wildcard_topics_are_not_plain() {
        assert!(is_plain("answers/of/ann"));
        for topic in ["", "$SYS/x", "a/#", "a/+/b"] {
            assert!(!is_plain(topic), "{topic}");
        }
    }
}
