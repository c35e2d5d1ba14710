//! One upstream of the section `llm`.

use toolwright_jsonrpc::raw::{Member, Node, quote};
use toolwright_model::Dialect;

use crate::SecretText;
use crate::configuration::secrets_of_address;
use crate::llm::{
    ReasoningQuirk, SchemaQuirk, USUAL_UPSTREAM_TIME, UpstreamKey, UpstreamQuirks, UpstreamSettings,
};
use crate::read::checks::{Check, check_address, check_header};
use crate::read::duplicates::DuplicateScope;
use crate::read::keys::ObjectKind;
use crate::read::{ConfigReader, non_null_value};

const UPSTREAM_KEYS: &[&str] = &[
    "kind",
    "url",
    "api",
    "apiKey",
    "apiKeyFile",
    "headers",
    "timeoutMs",
    "idleTimeoutMs",
    "textToolCalls",
    "quirks",
];
const UPSTREAM_WORDS: &[(&str, &str)] = &[
    ("type", "kind"),
    ("provider", "kind"),
    ("dialect", "kind"),
    ("baseurl", "url"),
    ("apibase", "url"),
    ("address", "url"),
    ("endpoint", "url"),
    ("host", "url"),
    ("uri", "url"),
    ("key", "apiKey"),
    ("token", "apiKey"),
    ("secret", "apiKey"),
    ("auth", "apiKey"),
    ("keyfile", "apiKeyFile"),
    ("tokenfile", "apiKeyFile"),
    ("httpheaders", "headers"),
    ("timeout", "timeoutMs"),
    ("idletimeout", "idleTimeoutMs"),
    ("idlems", "idleTimeoutMs"),
];
const QUIRK_KEYS: &[&str] = &[
    "maxCompletionTokens",
    "temperature",
    "topK",
    "nameChars",
    "schemas",
    "reasoning",
    "think",
    "inlineSystem",
    "maxTokens",
];

/// The dialect that most LLM servers support.
const COMMON: Dialect = Dialect::OpenAiChat;

/// Headers that the HTTP client sets itself.
const OWN_HEADERS: &[&str] =
    &["accept-encoding", "connection", "content-length", "content-type", "transfer-encoding"];

/// The limits of a tool name's length, and of a response in tokens.
const NAME_CHARS: std::ops::RangeInclusive<u64> = 8..=1024;
const TOKENS: std::ops::RangeInclusive<u64> = 1..=100_000_000;

impl<'t> ConfigReader<'t, '_> {
    /// Reads one upstream; `None` if it has an error.
    pub(super) fn upstream(&mut self, name: String, member: &Member<'t>) -> Option<UpstreamSettings> {
        let errors = self.collector.errors();
        let Some(members) = member.value.as_object() else {
            let message = format!("an upstream is an object, not {}", member.value.a_type_name());
            self.collector.error(
                &member.value,
                message,
                "write {\"kind\": \"openai\", \"url\": \"https://…\"}",
            );
            return None;
        };
        self.check_duplicates(members, DuplicateScope::Server);
        let object = ObjectKind::Section { known: UPSTREAM_KEYS, foreign: &[], words: UPSTREAM_WORDS };
        // Avoids a second report about one misspelled key.
        let has_all = self.collector.errors() == errors && {
            self.check_keys(members, object);
            self.collector.errors() == errors
        };
        let kind = self.kind(&name, member, members, has_all);
        let dialect = self.api(members, kind);
        let url = self.upstream_url(member, members, kind, has_all);
        let key = self.upstream_key(members);
        let headers = non_null_value(members, "headers")
            .and_then(|node| self.pairs(&node, "headers", check_own_header));
        let headers = headers.unwrap_or_default();
        self.secrets.extend(headers.iter().map(|(_, value)| value.clone()));
        let headers = headers.into_iter().map(|(name, value)| (name, SecretText::new(value))).collect();
        let mut time = |key| non_null_value(members, key).and_then(|node| self.milliseconds(&node, key));
        let (first_byte, idle) = (time("timeoutMs"), time("idleTimeoutMs"));
        let reads_text_calls =
            non_null_value(members, "textToolCalls").and_then(|node| self.flag(&node, "textToolCalls"));
        let quirks = non_null_value(members, "quirks").map(|node| self.quirks(&node)).unwrap_or_default();
        let (Some(dialect), Some(url)) = (dialect, url) else { return None };
        (self.collector.errors() == errors).then_some(UpstreamSettings {
            name,
            dialect,
            url,
            key,
            headers,
            first_byte: first_byte.unwrap_or(USUAL_UPSTREAM_TIME),
            idle: idle.unwrap_or(USUAL_UPSTREAM_TIME),
            reads_text_calls,
            quirks,
        })
    }

    /// The default dialect of its `kind`.
    fn kind(
        &mut self,
        name: &str,
        member: &Member<'t>,
        members: &[Member<'t>],
        has_all: bool,
    ) -> Option<Dialect> {
        let kinds: Vec<(&str, Dialect)> = Dialect::kinds().map(|kind| (kind.kind(), kind)).collect();
        if let Some(node) = non_null_value(members, "kind") {
            return self.word(&node, "kind", &kinds);
        }
        if has_all {
            let url = non_null_value(members, "url").and_then(|node| node.as_text()).unwrap_or_default();
            let message = format!(
                "an upstream needs a \"kind\": {}",
                alternatives(kinds.iter().map(|(kind, _)| *kind))
            );
            let fix = format!("add \"kind\": \"{}\"", suggested_kind(name, &url).kind());
            self.collector.error_at_key(member.raw_key(), message, fix);
        }
        None
    }

    /// The dialect that `api` selects among those of its kind.
    fn api(&mut self, members: &[Member<'t>], kind: Option<Dialect>) -> Option<Dialect> {
        let Some(node) = non_null_value(members, "api") else { return kind };
        let with_api = |dialect: &Dialect| Some((dialect.api()?, *dialect));
        let apis: Vec<(&str, Dialect)> = Dialect::ALL.iter().filter_map(with_api).collect();
        let api = self.word(&node, "api", &apis);
        if api.is_some() && kind.is_some_and(|kind| kind.api().is_none()) {
            let kinds = Dialect::kinds().filter(|kind| kind.api().is_some()).map(Dialect::kind);
            let message = format!("\"api\" is read for upstreams of the kind {} only", alternatives(kinds));
            self.collector.warning(&node, message, "remove it");
        }
        api.filter(|api| kind.is_some_and(|kind| kind.kind() == api.kind())).or(kind)
    }

    fn upstream_url(
        &mut self,
        member: &Member<'t>,
        members: &[Member<'t>],
        kind: Option<Dialect>,
        has_all: bool,
    ) -> Option<String> {
        let Some(node) = non_null_value(members, "url") else {
            if has_all {
                let example = kind.unwrap_or(COMMON).default_url();
                let fix = format!("add \"url\": \"{example}\"");
                self.collector.error_at_key(member.raw_key(), "an upstream needs a \"url\"", fix);
            }
            return None;
        };
        let text = self.text(&node, "\"url\"")?;
        let url = text.trim().trim_end_matches('/');
        self.secrets.extend(secrets_of_address(url).into_iter().map(str::to_owned));
        self.secrets.extend(user_of_address(url).map(str::to_owned));
        // The message must not quote a value from a variable.
        let is_own = node.as_text().is_some_and(|written| !written.contains('$'));
        if let Err((message, fix)) = check_address(url) {
            let fix = if is_own { fix } else { "check the value of the variable".to_owned() };
            self.collector.error(&node, message, fix);
            return None;
        }
        if let Some(base) = kind.and_then(|kind| without_endpoint(kind, url)) {
            let message = "the url of an upstream is its base address, without an endpoint path";
            let is_plain = is_own && !base.contains(['@', '?', '#']);
            let fix =
                if is_plain { format!("write {}", quote(base)) } else { "leave out its end".to_owned() };
            self.collector.error(&node, message, fix);
            return None;
        }
        Some(url.to_owned())
    }

    fn upstream_key(&mut self, members: &[Member<'t>]) -> UpstreamKey {
        let (text, file) = (non_null_value(members, "apiKey"), non_null_value(members, "apiKeyFile"));
        if let (Some(_), Some(node)) = (text, file) {
            let message = "\"apiKey\" and \"apiKeyFile\" both define the key";
            self.collector.error(&node, message, "keep one of them");
        }
        if let Some(node) = text {
            return self.key_text(&node).map_or(UpstreamKey::Client, UpstreamKey::Text);
        }
        let path = file.and_then(|node| {
            let text = self.text(&node, "\"apiKeyFile\"")?;
            self.path(&node, &text, "\"apiKeyFile\"", "file")
        });
        path.map_or(UpstreamKey::Client, UpstreamKey::File)
    }

    fn key_text(&mut self, node: &Node<'t>) -> Option<SecretText> {
        let key = self.secret_text(node, "\"apiKey\"")?;
        self.secrets.insert(key.clone());
        if key.trim().is_empty() {
            let fix = "write \"${NAME}\", or leave it out: then the client's own key is forwarded";
            self.collector.error(node, "\"apiKey\" is empty", fix);
            return None;
        }
        if key.contains(|char: char| char.is_control() || char.is_whitespace() || !char.is_ascii()) {
            let message = "a key cannot hold spaces, line breaks or letters outside of ASCII";
            self.collector.error(node, message, "check the end of the variable's value");
            return None;
        }
        Some(SecretText::new(key))
    }

    fn quirks(&mut self, node: &Node<'t>) -> UpstreamQuirks {
        let Some(members) = node.as_object() else {
            let message = format!("\"quirks\" is an object, not {}", node.a_type_name());
            self.collector.error(node, message, "write {\"temperature\": false}, or leave it out");
            return UpstreamQuirks::default();
        };
        self.check_duplicates(members, DuplicateScope::Server);
        self.check_keys(members, ObjectKind::Section { known: QUIRK_KEYS, foreign: &[], words: &[] });
        let schemas = non_null_value(members, "schemas").and_then(|node| {
            self.word(&node, "schemas", &SchemaQuirk::ALL.map(|quirk| (quirk.word(), quirk)))
        });
        let reasoning = non_null_value(members, "reasoning").and_then(|node| {
            self.word(&node, "reasoning", &ReasoningQuirk::ALL.map(|quirk| (quirk.word(), quirk)))
        });
        let name_chars = non_null_value(members, "nameChars")
            .and_then(|node| self.whole(&node, "nameChars", "characters", NAME_CHARS, 64));
        let max_tokens = non_null_value(members, "maxTokens")
            .and_then(|node| self.whole(&node, "maxTokens", "tokens", TOKENS, 4096));
        let mut flag = |key| non_null_value(members, key).and_then(|node| self.flag(&node, key));
        UpstreamQuirks {
            max_completion_tokens: flag("maxCompletionTokens"),
            temperature: flag("temperature"),
            top_k: flag("topK"),
            think: flag("think"),
            inline_system: flag("inlineSystem"),
            name_chars: name_chars.and_then(|chars| usize::try_from(chars).ok()),
            schemas,
            reasoning,
            max_tokens,
        }
    }
}

/// Checks a header that is sent in addition to those of the HTTP client.
fn check_own_header(name: &str, value: &str) -> Check {
    if OWN_HEADERS.contains(&name.to_ascii_lowercase().as_str()) {
        return Err(("every request gets this header by itself", "remove it"));
    }
    check_header(name, value)
}

/// The user part of an address.
fn user_of_address(url: &str) -> Option<&str> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next()?.rsplit_once('@').map(|(user, _)| user)
}

/// The address without an endpoint path, if it ends with one. The gateway appends these paths itself.
fn without_endpoint(kind: Dialect, url: &str) -> Option<&str> {
    kind.endpoints().iter().find_map(|ending| url.strip_suffix(ending))
}

/// The kind that the name and the address of an upstream suggest.
fn suggested_kind(name: &str, url: &str) -> Dialect {
    let name = name.to_ascii_lowercase();
    let is_named = |kind: &Dialect| kind.hints().iter().any(|word| name.contains(word) || url.contains(word));
    // An address with a version is an OpenAI-compatible server, whatever its port is.
    let has_port = |kind: &Dialect| {
        let (_, port) = kind.default_url().rsplit_once(':').unwrap_or_default();
        port.parse::<u16>().is_ok() && url.contains(&format!(":{port}")) && !url.contains("/v1")
    };
    Dialect::kinds().find(|kind| is_named(kind) || has_port(kind)).unwrap_or(COMMON)
}

/// A list of alternatives: `"a", "b" or "c"`.
fn alternatives<'w>(words: impl Iterator<Item = &'w str>) -> String {
    let words: Vec<String> = words.map(|word| format!("\"{word}\"")).collect();
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} or {last}", before.join(", ")),
        None => String::new(),
    }
}
