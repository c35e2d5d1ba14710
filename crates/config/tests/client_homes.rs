//! The files of all fourteen clients in one home: their servers are imported, Toolwright is added and removed, and no
//! content is lost.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use toolwright_config::clients::{
    CLIENTS, Client, Data, Document, Fate, Format, Found, Gateway, Merge, Places, PutError, Scope, Secret,
    System, Ways, client, merge, servers,
};
use toolwright_config::parse;

/// The imported and the skipped servers of each client.
const EXPECTED: &[(&str, &[&str], &[&str])] = &[
    ("claude-desktop", &["filesystem", "shell"], &[]),
    ("claude-code", &["sentry", "filesystem", "db"], &[]),
    ("cursor", &["github", "docs"], &[]),
    ("vs-code", &["perplexity", "fetch"], &[]),
    ("cline", &["weather", "notes"], &[]),
    ("windsurf", &["figma"], &[]),
    ("gemini-cli", &["py", "web", "old"], &[]),
    ("zed", &["local", "older"], &["postgres"]),
    ("continue", &["search", "linear"], &[]),
    ("goose", &["mail", "wiki"], &["developer"]),
    ("opencode", &["everything", "jira"], &[]),
    ("lm-studio", &["hf-mcp-server"], &[]),
    ("codex", &["context7", "team.tools"], &[]),
    ("kiro", &["aws-docs"], &[]),
];

fn home() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/homes/ann")
}

fn places() -> Places {
    let home = home();
    let environment = |name: &str| (name == "HOME").then(|| OsString::from(&home));
    Places::new(System::Linux, &environment).expect("a home")
}

/// The file of a client in the home, and its text.
fn file_of(client: &Client) -> (PathBuf, String) {
    let files = client.files(&places(), &Scope::User);
    let file =
        files.into_iter().find(|file| file.exists()).unwrap_or_else(|| panic!("{} has no file", client.id));
    let text = std::fs::read_to_string(&file).expect("read");
    (file, text)
}

fn document(client: &Client, text: &str) -> Document {
    Document::parse(text, client.format, Path::new("file"))
        .unwrap_or_else(|problem| panic!("{}: {problem}", client.id))
}

fn found_in(client: &'static Client) -> Vec<Found> {
    let (file, text) = file_of(client);
    servers(client, &document(client, &text), &file, &Scope::User)
}

fn stdio() -> Gateway {
    let args = ["stdio", "--config", "/home/ann/tool wright.json"].map(str::to_owned).to_vec();
    Gateway::Stdio { command: "/usr/bin/toolwright".to_owned(), args }
}

fn http() -> Gateway {
    let url = "http://127.0.0.1:8484/mcp".to_owned();
    Gateway::Http { url, token: Secret::Token("tw_0123456789abcdef".to_owned()) }
}

fn ways(client: &Client) -> Vec<Gateway> {
    if client.ways == Ways::Both { vec![stdio(), http()] } else { vec![stdio()] }
}

/// Collects all texts of a value.
fn texts(data: &Data, found: &mut BTreeSet<String>) {
    match data {
        Data::Text(text) | Data::Number(text) => drop(found.insert(text.clone())),
        Data::List(items) => items.iter().for_each(|item| texts(item, found)),
        Data::Map(members) => members.iter().for_each(|(_, value)| texts(value, found)),
        Data::Null | Data::Bool(_) => {}
    }
}

#[test]
fn table_has_all_clients_and_each_has_a_file() {
    let ids: Vec<&str> = EXPECTED.iter().map(|(id, ..)| *id).collect();
    assert_eq!(CLIENTS.map(|client| client.id).to_vec(), ids);
    for (id, taken, left_out) in EXPECTED {
        let found = found_in(client(id).expect("a client"));
        let names = |is_out: bool| -> Vec<&str> {
            found.iter().filter(|it| it.left_out.is_some() == is_out).map(|it| it.name.as_str()).collect()
        };
        assert_eq!((names(false), names(true)), (taken.to_vec(), left_out.to_vec()), "{id}");
    }
}

#[test]
fn user_files_on_three_operating_systems() {
    let environment = |name: &str| match name {
        "HOME" | "USERPROFILE" => Some(OsString::from("/home/ann")),
        "APPDATA" => Some(OsString::from("/home/ann/AppData/Roaming")),
        _ => None,
    };
    let mut shown = String::new();
    for system in [System::Linux, System::MacOs, System::Windows] {
        let places = Places::new(system, &environment).expect("a home");
        shown.push_str(&format!("{system:?}\n"));
        for client in CLIENTS {
            for file in client.files(&places, &Scope::User) {
                shown.push_str(&format!("  {:14} {}\n", client.id, file.display()));
            }
        }
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn conversion_loses_no_text() {
    for client in CLIENTS {
        let (file, text) = file_of(client);
        let document = document(client, &text);
        let root = document.root();
        for found in servers(client, &document, &file, &Scope::User) {
            let holder = root.at(&client.path(root, &found.name));
            let Some(entry) = holder.filter(|_| found.project.is_none() && found.left_out.is_none()) else {
                continue;
            };
            let (mut there, mut here) = (BTreeSet::new(), BTreeSet::new());
            texts(&entry.data(), &mut there);
            texts(&found.entry, &mut here);
            let all: String = here.iter().map(|text| format!("{text}\n")).collect();
            for text in there {
                // Converted texts: kinds, names, variables, durations.
                let kinds = [
                    "stdio",
                    "local",
                    "remote",
                    "custom",
                    "streamable_http",
                    "streamable-http",
                    "streamableHttp",
                    "http",
                ];
                let is_ours = kinds.contains(&text.as_str()) || text == found.name;
                let is_variable = text.contains('$') || text.contains("{env:");
                let in_milliseconds =
                    text.parse::<f64>().is_ok_and(|it| here.contains(&format!("{}", it * 1000.0)));
                assert!(
                    is_ours || is_variable || in_milliseconds || all.contains(&text),
                    "{}/{}: {text:?} is lost: {}",
                    client.id,
                    found.name,
                    found.entry.json()
                );
            }
        }
    }
}

#[test]
fn imported_configuration_loads() {
    let found: Vec<Found> = CLIENTS.into_iter().flat_map(found_in).collect();
    let into = Merge { text: None, file: Path::new("/home/ann/toolwright.json"), toolbox: None };
    let merged = merge(&into, found).unwrap_or_else(|error| panic!("{error}"));
    insta::assert_snapshot!(merged.text);
    let environment = |name: &str| {
        let is_set = name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
        is_set.then(|| OsString::from(format!("value-of-{name}")))
    };
    let configuration =
        parse(&merged.text, Path::new("/home/ann/toolwright.json"), &environment).expect("it loads");
    let names: Vec<&str> = configuration.servers().map(|(_, server)| server.name.as_str()).collect();
    let added: Vec<&str> = merged
        .fates
        .iter()
        .filter_map(|(_, fate)| if let Fate::Added(name) = fate { Some(name.as_str()) } else { None })
        .collect();
    // The user must first set a variable for an input that an editor asks for.
    let usable: Vec<&str> = added.iter().copied().filter(|name| *name != "perplexity").collect();
    assert_eq!(names, usable);
    let messages: Vec<String> = configuration.problems.iter().map(|problem| problem.line()).collect();
    assert_eq!(messages.len(), 1, "{messages:#?}");
    assert!(messages[0].contains("${PERPLEXITY_KEY}"), "{messages:?}");
    let off =
        |name: &str| configuration.servers().any(|(_, server)| server.name == name && server.is_disabled);
    for name in ["docs", "notes", "old", "mail", "jira", "team.tools"] {
        assert!(off(name), "{name} is switched on");
    }
    // A server of two clients is imported once.
    assert_eq!(
        merged.fates.iter().filter(|(_, fate)| *fate == Fate::Same("filesystem".to_owned())).count(),
        1
    );
    let again = Merge { text: Some(&merged.text), ..into };
    let twice = merge(&again, CLIENTS.into_iter().flat_map(found_in).collect()).expect("merged");
    assert_eq!(twice.text, merged.text, "twice is the same as once");
}

#[test]
fn name_conflict_gets_a_suffix() {
    let found: Vec<Found> = found_in(client("cursor").expect("a client"));
    let ours =
        "{\n  // mine\n  \"mcpServers\": {\n    \"github\": {\"command\": \"other\"}, // stays\n  },\n}\n";
    let into = Merge { text: Some(ours), file: Path::new("toolwright.json"), toolbox: None };
    let merged = merge(&into, found).expect("merged");
    assert!(merged.text.contains("// mine") && merged.text.contains("// stays"), "{}", merged.text);
    assert!(merged.text.contains("\"github\": {\"command\": \"other\"}"), "{}", merged.text);
    assert_eq!(merged.fates[0].1, Fate::Added("github-cursor".to_owned()));
    let found: Vec<Found> = found_in(client("cursor").expect("a client"));
    let into = Merge { toolbox: Some("web"), ..into };
    let merged = merge(&into, found).expect("merged");
    let configuration =
        parse(&merged.text, Path::new("toolwright.json"), &|_| Some("x".into())).expect("it loads");
    let web = configuration.toolboxes.iter().find(|toolbox| toolbox.name == "web").expect("a toolbox");
    assert_eq!(web.servers.iter().map(|server| server.name.as_str()).collect::<Vec<_>>(), ["github", "docs"]);
    assert!(configuration.problems.is_empty(), "{:?}", configuration.problems);
}

/// Variants of a client's file.
fn forms(format: Format, text: &str) -> Vec<(&'static str, String)> {
    let mut forms = vec![
        ("as it is", text.to_owned()),
        ("CRLF", text.replace('\n', "\r\n")),
        ("byte order mark", format!("\u{feff}{text}")),
        ("no line break at the end", text.trim_end().to_owned()),
        ("empty", String::new()),
        ("blanks", "\n\n".to_owned()),
    ];
    if format == Format::Json {
        forms.push(("tabs", text.replace("  ", "\t")));
        forms.push(("odd indentation", text.replace("\n  ", "\n   ")));
        forms.push(("braces", "{}".to_owned()));
        forms.push(("braces over lines", "{\n}\n".to_owned()));
        forms.push(("a comment alone", "// nothing yet\n".to_owned()));
        let holder = if text.contains("\"servers\"") { "servers" } else { "mcpServers" };
        forms.push(("no servers", format!("{{\n    \"{holder}\": {{}}\n}}\n")));
    } else {
        forms.push(("a comment alone", "# nothing yet\n".to_owned()));
    }
    forms
}

/// The lines of a text that contain a comment.
fn comments(text: &str) -> Vec<&str> {
    text.lines()
        .filter(|line| {
            line.contains("//") && !line.contains("://") || line.contains("/*") || line.contains("# ")
        })
        .map(str::trim)
        .collect()
}

#[test]
fn toolwright_is_added_and_removed_in_every_form() {
    let mut count = 0;
    for client in CLIENTS {
        let (_, text) = file_of(client);
        for (form, text) in forms(client.format, &text) {
            for gateway in ways(client) {
                let what = format!("{} {form} {gateway:?}", client.id);
                let before = document(client, &text);
                let mut document = before.clone();
                let put = client
                    .put(&mut document, "toolwright", &gateway)
                    .unwrap_or_else(|error| panic!("{what}: {error}"));
                let after = document.to_text();
                assert_ne!(after, text, "{what}");
                // Apart from its own entry, the content is unchanged.
                let mut without = document.root().data();
                without.remove(&client.path(document.root(), "toolwright"));
                let mut expected = before.root().data();
                expected.set(
                    &client.path(before.root(), "toolwright"),
                    Data::map([("name", Data::text("toolwright"))]),
                );
                expected.remove(&client.path(before.root(), "toolwright"));
                assert_eq!(without, expected, "{what}");
                for comment in comments(&text) {
                    assert!(
                        after.contains(comment.trim_end_matches(',')),
                        "{what}: {comment:?} is lost in\n{after}"
                    );
                }
                assert_eq!(after.starts_with('\u{feff}'), text.starts_with('\u{feff}'), "{what}");
                if form == "CRLF" {
                    assert_eq!(
                        after.matches('\n').count(),
                        after.matches("\r\n").count(),
                        "{what}:\n{after:?}"
                    );
                }
                // Adding it twice changes nothing.
                client.put(&mut document, "toolwright", &gateway).expect("put");
                assert_eq!(document.to_text(), after, "{what}");
                let ours = servers(client, &document, Path::new("file"), &Scope::User);
                let ours = ours.iter().find(|found| found.name == "toolwright").expect("it is there");
                assert_eq!(ours.left_out.as_deref(), Some("this is Toolwright itself"), "{what}");
                client
                    .take_out(&mut document, "toolwright", put)
                    .unwrap_or_else(|error| panic!("{what}: {error}"));
                let back = document.to_text();
                if form == "as it is" || form == "CRLF" || form == "byte order mark" {
                    assert_eq!(back, text, "{what}");
                } else {
                    assert_eq!(document.root().data(), before.root().data(), "{what}");
                }
                count += 1;
            }
        }
    }
    assert!(count > 200, "{count}");
}

#[test]
fn other_transport_replaces_the_first_and_keeps_user_keys() {
    for client in CLIENTS.into_iter().filter(|client| client.ways == Ways::Both) {
        let (_, text) = file_of(client);
        let mut document = document(client, &text);
        client.put(&mut document, "toolwright", &stdio()).expect("put");
        let mut path = client.path(document.root(), "toolwright");
        path.push(toolwright_config::clients::Step::key("addedByHand"));
        document.set(&path, &Data::text("stays")).unwrap_or_else(|error| panic!("{}: {error}", client.id));
        client
            .put(&mut document, "toolwright", &http())
            .unwrap_or_else(|error| panic!("{}: {error}", client.id));
        let entry = document.root().at(&path[..path.len() - 1]).expect("an entry").data();
        assert_eq!(entry.get("addedByHand"), Some(&Data::text("stays")), "{}", client.id);
        for key in ["command", "cmd", "args"] {
            assert_eq!(entry.get(key), None, "{}: {}", client.id, document.to_text());
        }
        assert!(entry.json().contains("http://127.0.0.1:8484/mcp"), "{}", client.id);
        client.put(&mut document, "toolwright", &stdio()).expect("put");
        assert!(!document.to_text().contains("tw_0123456789abcdef"), "{}", client.id);
    }
}

#[test]
fn toolwright_entry_of_each_client() {
    let mut shown = String::new();
    for client in CLIENTS {
        for gateway in ways(client) {
            let mut document = document(client, "");
            client.put(&mut document, "toolwright", &gateway).expect("put");
            shown.push_str(&format!("--- {}\n{}\n", client.id, document.to_text()));
        }
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn impossible_entry_is_refused() {
    let desktop = client("claude-desktop").expect("a client");
    let mut empty = document(desktop, "{}");
    assert_eq!(desktop.put(&mut empty, "toolwright", &http()), Err(PutError::StdioOnly("Claude Desktop")));
    assert_eq!(empty.to_text(), "{}");
    let mut taken = document(desktop, r#"{"mcpServers": {"toolwright": {"command": "other"}}}"#);
    assert_eq!(
        desktop.put(&mut taken, "toolwright", &stdio()),
        Err(PutError::NameTaken("toolwright".to_owned()))
    );
    let mut list = document(desktop, r#"{"mcpServers": []}"#);
    let error = desktop.put(&mut list, "toolwright", &stdio()).expect_err("a list");
    assert_eq!(error.to_string(), "\"mcpServers\" is a list, where servers belong");
    assert_eq!(list.to_text(), r#"{"mcpServers": []}"#);
}

#[test]
fn syntax_errors_have_a_position() {
    let mut shown = String::new();
    for (id, text) in [
        ("cursor", "{\"mcpServers\": {\"a\": {\"command\": \"npx\" \"args\": []}}}"),
        ("zed", "{\n  \"context_servers\": {\n"),
        ("codex", "model = \"x\"\n[mcp_servers.a]\ncommand = npx\n"),
        ("goose", "extensions:\n  a: [1, 2\n  b: 3\n"),
        ("continue", "mcpServers:\n\t- name: a\n"),
        ("goose", "a: 1\n---\nb: 2\n"),
        ("goose", "API_KEY: sk-0123456789abcdef: x\n"),
        ("codex", "api_key = sk-0123456789abcdef\n"),
    ] {
        let client = client(id).expect("a client");
        let problem = Document::parse(text, client.format, Path::new("/home/ann/settings")).expect_err(id);
        shown.push_str(&format!("{problem}\n\n"));
    }
    assert!(!shown.contains("0123456789abcdef"), "{shown}");
    insta::assert_snapshot!(shown);
}

#[test]
fn clients_are_found_by_common_names() {
    for (word, id) in [
        ("claude", "claude-code"),
        ("Claude Desktop", "claude-desktop"),
        ("vscode", "vs-code"),
        ("VS Code", "vs-code"),
        ("gemini", "gemini-cli"),
        ("lmstudio", "lm-studio"),
        ("CURSOR", "cursor"),
    ] {
        assert_eq!(client(word).map(|client| client.id).ok(), Some(id), "{word}");
    }
    assert_eq!(client("cursr").err().flatten().map(|client| client.id), Some("cursor"));
    assert!(client("emacs").is_err());
}

#[test]
fn opencode_version_2_has_servers_one_level_deeper() {
    let opencode = client("opencode").expect("a client");
    let text = r#"{"mcp": {"servers": {"a": {"type": "local", "command": ["x", "y"], "disabled": true}}}}"#;
    let mut document = document(opencode, text);
    let found = servers(opencode, &document, Path::new("opencode.json"), &Scope::User);
    assert_eq!(found[0].entry.json(), r#"{"command": "x", "args": ["y"], "disabled": true}"#);
    opencode.put(&mut document, "toolwright", &stdio()).expect("put");
    assert!(document.root().get("mcp").and_then(|mcp| mcp.get("servers")?.get("toolwright")).is_some());
}

#[test]
fn project_servers_run_in_the_project_folder() {
    let folder = Path::new("/home/ann/shop");
    let code = client("vs-code").expect("a client");
    let text = r#"{"servers": {"lint": {"command": "node", "args": ["${workspaceFolder}/lint.js"]}, "far": {"url": "https://x.example/mcp"}}}"#;
    let found = servers(
        code,
        &document(code, text),
        &folder.join(".vscode/mcp.json"),
        &Scope::Project(folder.into()),
    );
    assert_eq!(
        found[0].entry.json(),
        r#"{"command": "node", "args": ["/home/ann/shop/lint.js"], "cwd": "/home/ann/shop"}"#
    );
    assert_eq!(found[1].entry.json(), r#"{"url": "https://x.example/mcp"}"#);
}
