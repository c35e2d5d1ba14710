//! Properties that hold for any valid client file: Toolwright can be added and removed, and the rest stays.

use std::path::Path;

use proptest::prelude::*;
use toolwright_config::clients::{CLIENTS, Client, Document, Format, Gateway, PutError, Secret, Ways};

/// Seed texts of the three formats.
const SEEDS: &[(Format, &str)] = &[
    (Format::Json, include_str!("homes/ann/.cursor/mcp.json")),
    (Format::Json, include_str!("homes/ann/.config/zed/settings.json")),
    (Format::Json, include_str!("homes/ann/.codeium/windsurf/mcp_config.json")),
    (Format::Json, "{ \"a\" : [ 1 , { } ], /* b */ \"mcpServers\" : { } , }"),
    (Format::Toml, include_str!("homes/ann/.codex/config.toml")),
    (Format::Toml, "mcp_servers.a.command = 'x' # y\nb = 1\n"),
    (Format::Toml, "mcp_servers = { a = { command = 'x' } } # y\n"),
    (Format::Yaml, include_str!("homes/ann/.continue/config.yaml")),
    (Format::Yaml, include_str!("homes/ann/.config/goose/config.yaml")),
    (Format::Yaml, "{mcpServers: [{name: a, command: b}], extensions: {}} # c\n"),
    (Format::Yaml, "{mcpServers: [{name: a, command: b}], extensions:\"} # c\n"),
    (Format::Yaml, "{mcpServers: [{name: a, command: b} # c\n], extensions: } # d\n"),
    (
        Format::Yaml,
        "a: &x {b: 1}\nextensions: # here\n  one: *x\nmcpServers:\n- name: a\n  command: |\n    b\n\n# end\n",
    ),
];

/// Fragments that are inserted into a text.
const PIECES: &[&str] = &[
    "\n",
    "\r\n",
    " ",
    "  ",
    "\t",
    ",",
    "{",
    "}",
    "[",
    "]",
    ":",
    "\"",
    "'",
    "#",
    "# c\n",
    "// c\n",
    "/* c */",
    "- ",
    "=",
    "|\n",
    "null",
    "~",
    "{}",
    "[]",
    "\"mcpServers\": {}",
    "extensions:\n",
    "[mcp_servers]\n",
    "\u{feff}",
    "ä",
    "&a ",
    "*a",
    "---\n",
    "...\n",
];

fn any_text() -> impl Strategy<Value = (Format, String)> {
    let change = (any::<prop::sample::Index>(), 0..4usize, prop::sample::select(PIECES));
    (prop::sample::select(SEEDS), prop::collection::vec(change, 0..6)).prop_map(
        |((format, text), changes)| {
            let mut text = text.to_owned();
            for (place, cut, piece) in changes {
                let at = text.floor_char_boundary(place.index(text.len() + 1));
                let end = text.ceil_char_boundary((at + cut).min(text.len()));
                text.replace_range(at..end, piece);
            }
            (format, text)
        },
    )
}

fn any_json() -> impl Strategy<Value = (Format, String)> {
    let blank = prop::sample::select(&["", " ", "\n", "\n    ", "\r\n", "\t", " // c\n", " /* c */ "][..]);
    let leaf = prop::sample::select(&["1", "null", "\"x\"", "true", "\"//\"", "\"a\\\"b\""][..])
        .prop_map(str::to_owned);
    let value = leaf.prop_recursive(4, 24, 4, move |inner| {
        let object = (
            prop::collection::btree_map(
                "[a-d]{1,2}|mcpServers|context_servers",
                (inner.clone(), blank.clone()),
                0..4,
            ),
            blank.clone(),
            any::<bool>(),
        );
        let object = object.prop_map(|(members, blank, has_comma)| {
            let parts: Vec<String> = members
                .iter()
                .map(|(key, (value, blank))| format!("{blank}\"{key}\":{blank}{value}{blank}"))
                .collect();
            let comma = if has_comma && !parts.is_empty() { "," } else { "" };
            format!("{{{}{comma}{blank}}}", parts.join(","))
        });
        let list = (prop::collection::vec(inner, 0..3), blank.clone())
            .prop_map(|(items, blank)| format!("[{blank}{}{blank}]", items.join(&format!(",{blank}"))));
        prop_oneof![3 => object, 1 => list]
    });
    value.prop_map(|text| (Format::Json, text))
}

fn gateways(client: &Client) -> Vec<Gateway> {
    let stdio = Gateway::Stdio {
        command: "toolwright".to_owned(),
        args: vec!["stdio".to_owned(), "--all".to_owned()],
    };
    let http = Gateway::Http {
        url: "http://127.0.0.1:8484/mcp".to_owned(),
        token: Secret::Token("tw_x".to_owned()),
    };
    if client.ways == Ways::Both { vec![stdio, http] } else { vec![stdio] }
}

/// Checks the properties for every client of this format.
fn check_properties(format: Format, text: &str) -> Result<usize, TestCaseError> {
    let Ok(before) = Document::parse(text, format, Path::new("file")) else { return Ok(0) };
    prop_assert_eq!(before.to_text(), text);
    let mut count = 0;
    for client in CLIENTS.into_iter().filter(|client| client.format == format) {
        for gateway in gateways(client) {
            let mut document = before.clone();
            let put = match client.put(&mut document, "toolwright", &gateway) {
                Ok(put) => put,
                Err(PutError::NameTaken(_) | PutError::Edit(_)) => {
                    prop_assert_eq!(document.to_text(), text, "what cannot be done leaves no trace");
                    continue;
                }
                Err(error) => return Err(TestCaseError::fail(error.to_string())),
            };
            let once = document.to_text();
            client.put(&mut document, "toolwright", &gateway).expect("twice");
            prop_assert_eq!(document.to_text(), once.clone());
            // No comment is lost, and their order stays.
            let mut rest = once.as_str();
            for line in text
                .lines()
                .map(|line| line.trim())
                .filter(|line| line.starts_with("//") || line.starts_with('#'))
            {
                let at = rest
                    .find(line)
                    .ok_or_else(|| TestCaseError::fail(format!("{line:?} is lost in {once:?}")))?;
                rest = &rest[at + line.len()..];
            }
            if client.take_out(&mut document, "toolwright", put).is_ok() {
                let (back, had) = (document.root().data(), before.root().data());
                let is_same = back == had || had.is_empty() || put.made > 0;
                prop_assert!(is_same, "{:?} is not {:?}", document.to_text(), text);
            }
            count += 1;
        }
    }
    Ok(count)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn toolwright_is_added_and_removed_in_any_text((format, text) in any_text()) {
        check_properties(format, &text)?;
    }

    #[test]
    fn toolwright_is_added_and_removed_in_any_json((format, text) in any_json()) {
        check_properties(format, &text)?;
    }
}

#[test]
fn properties_are_checked_for_every_seed() {
    for (format, text) in SEEDS {
        assert!(check_properties(*format, text).unwrap_or_else(|error| panic!("{error}")) > 0, "{text}");
    }
}
