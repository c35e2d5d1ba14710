//! Redaction of records: secrets are removed before anything is written.

use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use toolwright_redact::{NamedValues, Redactor};

use crate::{Change, Exchange, Failure, Record};

/// Prefix of every redaction mark.
const MARK: &str = "[redacted:";
/// The part of an exchange's body that is recorded, in bytes.
const MAX_BODY_BYTES: usize = 1 << 20;

/// Text in place of a text that is redacted as a whole.
const TOO_MANY_SECRETS: &str = "hidden as a whole: the call has more secrets than are searched for";

/// Redacted arguments. Only a ledger creates them, so that no caller can forget the redaction.
#[derive(Clone, Default)]
pub struct Hidden {
    pub(crate) json: Option<Box<RawValue>>,
    /// Values that were redacted because of their key: a tool's error may repeat them without the key.
    named: NamedValues,
}

impl std::fmt::Debug for Hidden {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Hidden").field(&self.json).finish()
    }
}

impl Hidden {
    /// Redacts JSON values in place, and anything else as a string.
    pub(crate) fn new(redactor: &Redactor, arguments: &str) -> Hidden {
        let (shown, named) = redactor.json_and_named(arguments);
        Hidden { json: to_raw_json(&shown), named }
    }

    /// Number of bytes to search for.
    pub(crate) fn named_bytes(&self) -> usize {
        self.named.bytes()
    }
}

/// Redacts the texts of a record other than its arguments, including values that were redacted in the arguments.
pub(crate) fn redact_record(redactor: &Redactor, record: &mut Record, arguments: [&Hidden; 2]) {
    let mut named = NamedValues::default();
    arguments.into_iter().for_each(|hidden| named.extend(&hidden.named));
    if named.is_empty() {
        return redact_with(redactor, record);
    }
    redact_with(&redactor.and_named(&named), record);
    if named.is_incomplete() {
        redact_texts(redactor, record);
    }
}

/// Redacts every text that may repeat a secret. The names of tool, server and client stay: a call must not be able to
/// avoid the audit by containing many secrets.
fn redact_texts(redactor: &Redactor, record: &mut Record) {
    let hidden = |text: &str| format!("{} ({TOO_MANY_SECRETS})", redactor.mark(text));
    if let Some(error) = &mut record.error {
        error.message = hidden(&error.message);
    }
    for change in &mut record.changes {
        for value in [&mut change.from, &mut change.to].into_iter().flatten() {
            *value = format!("\"{}\"", redactor.mark(value));
        }
    }
    if let Some(exchange) = &mut record.exchange {
        let Exchange { notes, request, answer, .. } = &mut **exchange;
        for text in notes.iter_mut().chain(request).chain(answer) {
            *text = format!("\"{}\"", hidden(text));
        }
    }
}

/// Number of bytes of a record that are searched.
pub(crate) fn redactable_bytes(record: &Record) -> usize {
    let changes = record.changes.iter().map(|change| {
        let values = [&change.from, &change.to].into_iter().flatten().map(String::len).sum::<usize>();
        change.path.len() + values
    });
    let error = record
        .error
        .iter()
        .map(|error| error.message.len() + error.parameters.iter().map(String::len).sum::<usize>());
    let exchange = record.exchange.iter().map(|exchange| {
        let Exchange { notes, request, answer, .. } = &**exchange;
        notes.iter().chain(request).chain(answer).map(String::len).sum::<usize>()
    });
    let names = [Some(&record.tool), record.client.as_ref(), record.server.as_ref()];
    let names = names.into_iter().flatten().map(String::len).sum::<usize>();
    changes.chain(error).chain(exchange).sum::<usize>() + names
}

/// Redacts the record of an exchange: its bodies, and their secrets in all other texts.
pub(crate) fn redact_exchange(redactor: &Redactor, record: &mut Record) {
    let mut hidden = [Hidden::default(), Hidden::default()];
    if let Some(exchange) = &mut record.exchange {
        let Exchange { request, answer, notes, .. } = &mut **exchange;
        for ((body, hidden), what) in
            [request, answer].into_iter().zip(&mut hidden).zip(["request", "answer"])
        {
            let Some(text) = body else { continue };
            let (shown, named) = redact_body(redactor, text);
            // Redact first, then cut: the redactor does not recognize half a secret.
            let end = shown.floor_char_boundary(MAX_BODY_BYTES);
            if end < shown.len() {
                notes.push(format!("the {what} is kept up to byte {end} of {}", shown.len()));
            }
            *text = shown[..end].to_owned();
            hidden.named = named;
        }
    }
    let [request, answer] = &hidden;
    redact_record(redactor, record, [request, answer]);
}

/// Returns a redacted body, and the values that were redacted because of their key.
fn redact_body(redactor: &Redactor, body: &str) -> (String, NamedValues) {
    let (shown, named) = redactor.json_and_named(body);
    match serde_json::from_str::<IgnoredAny>(body) {
        Ok(_) => (shown.into_owned(), named),
        // A stream, or an error page of a proxy.
        Err(_) => (redactor.text(body).into_owned(), named),
    }
}

fn redact_with(redactor: &Redactor, record: &mut Record) {
    for change in &mut record.changes {
        redact_change(redactor, change);
    }
    if let Some(Failure { message, parameters, .. }) = &mut record.error {
        *message = redactor.text(message).into_owned();
        parameters.iter_mut().for_each(|path| redact_path(redactor, path));
    }
    // Names that others choose: the client's own, an unknown tool, and its server.
    record.tool = redactor.text(&record.tool).into_owned();
    for name in [&mut record.client, &mut record.server].into_iter().flatten() {
        *name = redactor.text(name).into_owned();
    }
    if let Some(exchange) = &mut record.exchange {
        let Exchange { model, upstream_model, stop, notes, request, answer, .. } = &mut **exchange;
        let texts = [model, upstream_model].into_iter().chain(stop).chain(notes).chain(request).chain(answer);
        texts.for_each(|text| *text = redactor.text(text).into_owned());
    }
}

/// A key of a path may be a secret itself.
fn redact_path(redactor: &Redactor, path: &mut String) {
    let keys: Vec<String> = path.split('/').map(|key| redactor.text(key).into_owned()).collect();
    *path = keys.join("/");
}

fn redact_change(redactor: &Redactor, change: &mut Change) {
    let is_secret = change.path.split('/').any(|key| redactor.hides_key(key));
    for value in [&mut change.from, &mut change.to].into_iter().flatten() {
        *value = match is_secret && !value.contains(MARK) {
            true => format!("\"{}\"", redactor.mark(value)),
            false => redactor.json(value).into_owned(),
        };
    }
    redact_path(redactor, &mut change.path);
}

/// Returns JSON as it is, and anything else as a string.
fn to_raw_json(text: &str) -> Option<Box<RawValue>> {
    let whole = RawValue::from_string(text.trim().to_owned());
    whole.or_else(|_| serde_json::value::to_raw_value(text)).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use toolwright_redact::{MAX_NAMED, RedactOptions};

    use super::*;

    fn redactor() -> Redactor {
        Redactor::new([7; 32], RedactOptions::default()).expect("the usual options")
    }

    #[test]
    fn secret_arguments_are_redacted_in_the_error() {
        let redactor = redactor();
        let sent =
            Hidden::new(&redactor, r#"{"user":"anna","password":"hunter-two","pin":{"token":123456}}"#);
        let shown = sent.json.as_deref().map(RawValue::get).unwrap_or_default();
        assert!(shown.contains("anna") && !shown.contains("hunter-two"), "{shown}");
        let error = Failure {
            message: "anna may not log in with hunter-two (aHVudGVyLXR3bw==) or 123456".to_owned(),
            ..Failure::default()
        };
        let mut record = Record { error: Some(error), ..Record::default() };
        redact_record(&redactor, &mut record, [&sent, &Hidden::default()]);
        let message = record.error.expect("an error").message;
        assert!(message.starts_with("anna may not log in with [redacted:"), "{message}");
        for secret in ["hunter-two", "aHVudGVy", "123456"] {
            assert!(!message.contains(secret), "{message}");
        }
        assert!(!format!("{sent:?}").contains("hunter"), "{sent:?}");
    }

    #[test]
    fn untrusted_names_and_paths_are_redacted() {
        let token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
        let change = Change { path: format!("/items/{token}"), ..Change::default() };
        let parameters = vec![format!("/{token}"), "/path".to_owned()];
        let mut record = Record {
            client: Some(format!("editor {token}")),
            server: Some(token.to_owned()),
            changes: vec![change],
            error: Some(Failure { parameters, ..Failure::default() }),
            ..Record::default()
        };
        redact_record(&redactor(), &mut record, [&Hidden::default(), &Hidden::default()]);
        let written = serde_json::to_string(&record).expect("JSON");
        assert!(!written.contains("abcdefghij"), "{written}");
        assert!(written.contains("/items/[redacted:") && written.contains("\"/path\""), "{written}");
    }

    #[test]
    fn exchange_bodies_and_related_texts_are_redacted() {
        let exchange = Exchange {
            model: "gpt-4.1".to_owned(),
            request: Some(r#"{"model":"gpt-4.1","metadata":{"password":"hunter-two"},"text":"my token is ghp_abcdefghijklmnopqrstuvwxyz0123456789"}"#.to_owned()),
            answer: Some("data: {\"delta\":\"hunter-two it is\"}\n\n".to_owned()),
            notes: vec!["metadata hunter-two was left out".to_owned()],
            ..Exchange::default()
        };
        let error = Failure { message: "wrong hunter-two".to_owned(), ..Failure::default() };
        let mut record =
            Record { exchange: Some(Box::new(exchange)), error: Some(error), ..Record::default() };
        redact_exchange(&redactor(), &mut record);
        let written = serde_json::to_string(&record).expect("JSON");
        assert!(!written.contains("hunter-two") && !written.contains("abcdefghij"), "{written}");
        let exchange = record.exchange.expect("it is there");
        let request: Value = serde_json::from_str(&exchange.request.expect("a body")).expect("still JSON");
        assert_eq!(request["model"], "gpt-4.1");
        assert_eq!(exchange.model, "gpt-4.1");
    }

    #[test]
    fn long_body_is_truncated_with_a_note() {
        let exchange = Exchange { answer: Some("ä ".repeat(MAX_BODY_BYTES)), ..Exchange::default() };
        let mut record = Record { exchange: Some(Box::new(exchange)), ..Record::default() };
        redact_exchange(&redactor(), &mut record);
        let exchange = record.exchange.expect("it is there");
        let kept = exchange.answer.expect("a body").len();
        assert!(kept <= MAX_BODY_BYTES && kept > MAX_BODY_BYTES - 4, "{kept}");
        assert!(exchange.notes[0].starts_with("the answer is kept up to byte "), "{:?}", exchange.notes);
    }

    #[test]
    fn unredacted_values_stay_in_the_error() {
        let redactor = redactor();
        let sent = Hidden::new(&redactor, r#"{"path":"/tmp/notes.md","secret":"no"}"#);
        let message = "there is no /tmp/notes.md".to_owned();
        let error = Failure { message: message.clone(), ..Failure::default() };
        let mut record = Record { error: Some(error), ..Record::default() };
        redact_record(&redactor, &mut record, [&sent, &Hidden::default()]);
        assert_eq!(record.error.expect("an error").message, message);
    }

    #[test]
    fn too_many_secrets_redact_whole_texts_but_no_names() {
        let redactor = redactor();
        let pins: Vec<String> = (0..2 * MAX_NAMED).map(|n| format!("\"pin\":\"door-{n}-x\"")).collect();
        let sent = Hidden::new(&redactor, &format!("{{{}}}", pins.join(",")));
        let change = Change { from: Some("\"door-511-x\"".to_owned()), ..Change::default() };
        let error = Failure { message: "no door-511-x here".to_owned(), ..Failure::default() };
        let exchange = Exchange { answer: Some("door-511-x".to_owned()), ..Exchange::default() };
        let mut record = Record {
            tool: "open_door".to_owned(),
            client: Some("editor".to_owned()),
            error: Some(error),
            changes: vec![change],
            exchange: Some(Box::new(exchange)),
            ..Record::default()
        };
        redact_record(&redactor, &mut record, [&sent, &Hidden::default()]);
        let written = serde_json::to_string(&record).expect("JSON");
        assert!(!written.contains("door-511"), "{written}");
        assert!(written.contains("more secrets than are searched for"), "{written}");
        assert_eq!((record.tool.as_str(), record.client.as_deref()), ("open_door", Some("editor")));
    }

    #[test]
    fn secrets_of_commands_and_nested_texts_are_redacted_in_errors() {
        let redactor = redactor();
        let nested =
            serde_json::json!({"body": serde_json::json!({"password": "blue \"harbour\""}).to_string()});
        for (arguments, message, secret) in [
            (r#"{"command":"login --password hunter-two now"}"#.to_owned(), "bad: hunter-two", "hunter"),
            (r#"{"header":"Bearer hunter-2wo"}"#.to_owned(), "refused hunter-2wo.", "hunter"),
            (nested.to_string(), "no blue \"harbour\" there", "harbour"),
        ] {
            let sent = Hidden::new(&redactor, &arguments);
            let error = Failure { message: message.to_owned(), ..Failure::default() };
            let mut record = Record { error: Some(error), ..Record::default() };
            redact_record(&redactor, &mut record, [&sent, &Hidden::default()]);
            let message = record.error.expect("an error").message;
            assert!(!message.contains(secret), "{arguments}: {message}");
        }
    }
}
