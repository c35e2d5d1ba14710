//! What is written down of a call, without its secrets.

use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use toolwright_redact::{NamedValues, Redactor};

use crate::{Change, Exchange, Failure, Record};

/// How every mark begins.
const MARK: &str = "[redacted:";
/// How much of a body of an exchange is written down, in bytes.
const MAX_BODY: usize = 1 << 20;

/// What is said where a whole text is hidden.
const TOO_MANY: &str = "hidden as a whole: the call has more secrets than are searched for";

/// Arguments without their secrets. Only a ledger makes them, so that nobody forgets to.
#[derive(Clone, Default)]
pub struct Hidden {
    pub(crate) json: Option<Box<RawValue>>,
    /// What was hidden because of its key: a tool's error may say it again, without the key.
    named: NamedValues,
}

impl std::fmt::Debug for Hidden {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Hidden").field(&self.json).finish()
    }
}

impl Hidden {
    /// JSON as it is but for its secrets, and anything else as a string.
    pub(crate) fn new(redactor: &Redactor, arguments: &str) -> Hidden {
        let (shown, named) = redactor.json_and_named(arguments);
        Hidden { json: json(&shown), named }
    }

    /// How many bytes are searched for.
    pub(crate) fn named_bytes(&self) -> usize {
        self.named.bytes()
    }
}

/// Hides what a record says beside its arguments, and what was hidden in them.
pub(crate) fn hide(redactor: &Redactor, record: &mut Record, arguments: [&Hidden; 2]) {
    let mut named = NamedValues::default();
    arguments.into_iter().for_each(|hidden| named.extend(&hidden.named));
    if named.is_empty() {
        return hide_with(redactor, record);
    }
    hide_with(&redactor.and_named(&named), record);
    if named.is_incomplete() {
        hide_texts(redactor, record);
    }
}

/// Hides every text that may repeat a secret. The names of tool, server and client stay: a call must not be able to
/// leave the audit by bringing many secrets.
fn hide_texts(redactor: &Redactor, record: &mut Record) {
    let hidden = |text: &str| format!("{} ({TOO_MANY})", redactor.mark(text));
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

/// How many bytes of a record are looked through.
pub(crate) fn bytes_of(record: &Record) -> usize {
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

/// Hides what a record of an exchange says: its bodies, and what was hidden in them everywhere else.
pub(crate) fn hide_exchange(redactor: &Redactor, record: &mut Record) {
    let mut hidden = [Hidden::default(), Hidden::default()];
    if let Some(exchange) = &mut record.exchange {
        let Exchange { request, answer, notes, .. } = &mut **exchange;
        for ((body, hidden), what) in
            [request, answer].into_iter().zip(&mut hidden).zip(["request", "answer"])
        {
            let Some(text) = body else { continue };
            let (shown, named) = hide_body(redactor, text);
            // First hidden, then cut: half a secret is not known for one.
            let end = shown.floor_char_boundary(MAX_BODY);
            if end < shown.len() {
                notes.push(format!("the {what} is kept up to byte {end} of {}", shown.len()));
            }
            *text = shown[..end].to_owned();
            hidden.named = named;
        }
    }
    let [request, answer] = &hidden;
    hide(redactor, record, [request, answer]);
}

/// A body without its secrets, and what was hidden because of its key.
fn hide_body(redactor: &Redactor, body: &str) -> (String, NamedValues) {
    let (shown, named) = redactor.json_and_named(body);
    match serde_json::from_str::<IgnoredAny>(body) {
        Ok(_) => (shown.into_owned(), named),
        // A stream, or a page of somebody between.
        Err(_) => (redactor.text(body).into_owned(), named),
    }
}

fn hide_with(redactor: &Redactor, record: &mut Record) {
    for change in &mut record.changes {
        hide_change(redactor, change);
    }
    if let Some(Failure { message, parameters, .. }) = &mut record.error {
        *message = redactor.text(message).into_owned();
        parameters.iter_mut().for_each(|path| hide_path(redactor, path));
    }
    // Names that others choose: a client's own, a tool that nobody has, and its server.
    record.tool = redactor.text(&record.tool).into_owned();
    for name in [&mut record.client, &mut record.server].into_iter().flatten() {
        *name = redactor.text(name).into_owned();
    }
    if let Some(exchange) = &mut record.exchange {
        let Exchange { model, upstream_model, stop, notes, request, answer, .. } = &mut **exchange;
        let words = [model, upstream_model].into_iter().chain(stop).chain(notes).chain(request).chain(answer);
        words.for_each(|word| *word = redactor.text(word).into_owned());
    }
}

/// A key of a path may be a secret itself.
fn hide_path(redactor: &Redactor, path: &mut String) {
    let keys: Vec<String> = path.split('/').map(|key| redactor.text(key).into_owned()).collect();
    *path = keys.join("/");
}

fn hide_change(redactor: &Redactor, change: &mut Change) {
    let is_secret = change.path.split('/').any(|key| redactor.hides_key(key));
    for value in [&mut change.from, &mut change.to].into_iter().flatten() {
        *value = match is_secret && !value.contains(MARK) {
            true => format!("\"{}\"", redactor.mark(value)),
            false => redactor.json(value).into_owned(),
        };
    }
    hide_path(redactor, &mut change.path);
}

/// JSON as it is, and anything else as a string.
fn json(text: &str) -> Option<Box<RawValue>> {
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
    fn what_a_key_hides_in_the_arguments_is_hidden_in_the_error_of_the_call_too() {
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
        hide(&redactor, &mut record, [&sent, &Hidden::default()]);
        let said = record.error.expect("an error").message;
        assert!(said.starts_with("anna may not log in with [redacted:"), "{said}");
        for secret in ["hunter-two", "aHVudGVy", "123456"] {
            assert!(!said.contains(secret), "{said}");
        }
        assert!(!format!("{sent:?}").contains("hunter"), "{sent:?}");
    }

    #[test]
    fn names_and_paths_that_others_choose_hide_secrets_too() {
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
        hide(&redactor(), &mut record, [&Hidden::default(), &Hidden::default()]);
        let written = serde_json::to_string(&record).expect("JSON");
        assert!(!written.contains("abcdefghij"), "{written}");
        assert!(written.contains("/items/[redacted:") && written.contains("\"/path\""), "{written}");
    }

    #[test]
    fn bodies_of_an_exchange_are_hidden_and_what_they_hid_is_hidden_beside_them() {
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
        hide_exchange(&redactor(), &mut record);
        let written = serde_json::to_string(&record).expect("JSON");
        assert!(!written.contains("hunter-two") && !written.contains("abcdefghij"), "{written}");
        let exchange = record.exchange.expect("it is there");
        let request: Value = serde_json::from_str(&exchange.request.expect("a body")).expect("still JSON");
        assert_eq!(request["model"], "gpt-4.1");
        assert_eq!(exchange.model, "gpt-4.1");
    }

    #[test]
    fn a_long_body_is_cut_and_that_is_said() {
        let exchange = Exchange { answer: Some("ä ".repeat(MAX_BODY)), ..Exchange::default() };
        let mut record = Record { exchange: Some(Box::new(exchange)), ..Record::default() };
        hide_exchange(&redactor(), &mut record);
        let exchange = record.exchange.expect("it is there");
        let kept = exchange.answer.expect("a body").len();
        assert!(kept <= MAX_BODY && kept > MAX_BODY - 4, "{kept}");
        assert!(exchange.notes[0].starts_with("the answer is kept up to byte "), "{:?}", exchange.notes);
    }

    #[test]
    fn what_was_not_hidden_stays_in_the_error() {
        let redactor = redactor();
        let sent = Hidden::new(&redactor, r#"{"path":"/tmp/notes.md","secret":"no"}"#);
        let message = "there is no /tmp/notes.md".to_owned();
        let error = Failure { message: message.clone(), ..Failure::default() };
        let mut record = Record { error: Some(error), ..Record::default() };
        hide(&redactor, &mut record, [&sent, &Hidden::default()]);
        assert_eq!(record.error.expect("an error").message, message);
    }

    #[test]
    fn more_secrets_than_are_searched_for_hide_whole_texts_and_no_names() {
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
        hide(&redactor, &mut record, [&sent, &Hidden::default()]);
        let written = serde_json::to_string(&record).expect("JSON");
        assert!(!written.contains("door-511"), "{written}");
        assert!(written.contains("more secrets than are searched for"), "{written}");
        assert_eq!((record.tool.as_str(), record.client.as_deref()), ("open_door", Some("editor")));
    }

    #[test]
    fn secrets_in_commands_and_in_nested_texts_are_hidden_in_the_error_too() {
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
            hide(&redactor, &mut record, [&sent, &Hidden::default()]);
            let said = record.error.expect("an error").message;
            assert!(!said.contains(secret), "{arguments}: {said}");
        }
    }
}
