//! Files as clients write them load unchanged.

use crate::support;

use std::path::{Path, PathBuf};
use std::time::Duration;

use support::{clean, entry, problems, read};
use toolwright_config::{Configuration, HttpKind, Severity, Transport};

fn names(configuration: &Configuration) -> Vec<String> {
    configuration.servers().map(|(toolbox, server)| format!("{}/{}", toolbox.name, server.name)).collect()
}

fn fixture(name: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients").join(name);
    std::fs::read_to_string(file).expect("the fixture")
}

#[test]
fn claude_desktop() {
    let configuration = clean(&fixture("claude_desktop_config.json"));
    assert_eq!(names(&configuration), ["default/filesystem", "default/github", "default/zwave"]);
    let Transport::Stdio { command, args, env, env_from, cwd } =
        &configuration.toolboxes[0].servers[0].transport
    else {
        panic!("no command")
    };
    assert_eq!(command, "npx");
    assert_eq!(
        args,
        &["-y", "@modelcontextprotocol/server-filesystem", "/Users/ann/Desktop", "/Users/ann/My Files"]
    );
    assert!(env.is_empty() && env_from.is_empty() && cwd.is_none());
    assert_eq!(configuration.toolboxes[0].description, None);
}

#[test]
fn claude_code() {
    let configuration = clean(&fixture("claude_code.mcp.json"));
    assert_eq!(names(&configuration), ["default/sentry", "default/docs", "default/local", "default/old"]);
    let kinds: Vec<&str> = configuration.servers().map(|(_, server)| server.transport.name()).collect();
    assert_eq!(kinds, ["http", "http", "stdio", "sse"]);
    let Transport::Http { url, headers, kind, login } = &configuration.toolboxes[0].servers[1].transport
    else {
        panic!("no address")
    };
    assert_eq!(url, "https://api.example.com/mcp");
    assert_eq!(headers, &[("Authorization".to_owned(), "Bearer t0ken-of-ann".to_owned())]);
    assert_eq!(*kind, HttpKind::Auto);
    assert_eq!((login.client_id.as_deref(), login.callback_port), (Some("x"), Some(8080)));
}

#[test]
fn cursor() {
    let configuration = clean(&fixture("cursor.mcp.json"));
    let Transport::Stdio { env, .. } = &configuration.toolboxes[0].servers[0].transport else {
        panic!("no command")
    };
    assert_eq!(env, &[("API_KEY".to_owned(), "t0ken-of-ann".to_owned())]);
    assert_eq!(names(&configuration), ["default/web", "default/remote"]);
}

#[test]
fn vs_code() {
    let configuration = read(&fixture("vscode.mcp.json")).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(names(&configuration), ["default/fetch", "default/github"]);
    // An input cannot be requested: the server is reported, with the variable to use instead.
    let [problem] = &configuration.problems[..] else { panic!("{:?}", configuration.problems) };
    assert_eq!((problem.server.as_deref(), problem.severity), (Some("perplexity"), Severity::Error));
    assert!(problem.fix.contains("${PERPLEXITY_KEY}"), "{problem}");
}

#[test]
fn cline_and_roo() {
    let configuration = clean(&fixture("cline_mcp_settings.json"));
    assert_eq!(
        names(&configuration),
        ["default/github.com/example/weather", "default/notes", "default/remote"]
    );
    let servers = &configuration.toolboxes[0].servers;
    assert_eq!(servers.iter().map(|server| server.is_disabled).collect::<Vec<_>>(), [false, true, false]);
    assert!(servers[0].tool_filters.allows("get_forecast"));
    // A tool that the user disabled in the client does not reappear.
    assert!(!servers[0].tool_filters.allows("delete_station"));
    let Transport::Http { kind: HttpKind::Streamable, .. } = servers[2].transport else {
        panic!("not streamable")
    };
}

#[test]
fn gemini_cli() {
    let configuration = read(&fixture("gemini_settings.json")).unwrap_or_else(|error| panic!("{error}"));
    assert!(!configuration.has_errors(), "{:?}", configuration.problems);
    assert_eq!(names(&configuration), ["default/py", "default/http"]);
    let filters = &configuration.toolboxes[0].servers[0].tool_filters;
    assert!(filters.allows("safe_tool") && !filters.allows("unsafe_tool") && !filters.allows("other"));
    // The rest of the settings gives at most one warning.
    assert!(configuration.problems.len() <= 1, "{:?}", configuration.problems);
}

#[test]
fn windsurf_and_copilot() {
    let configuration = clean(&fixture("windsurf_mcp_config.json"));
    assert_eq!(names(&configuration), ["default/figma", "default/playwright"]);
    assert!(configuration.toolboxes[0].servers[1].tool_filters.is_open());
}

#[test]
fn workbench_file() {
    let configuration = clean(&fixture("workbench-config.json"));
    assert_eq!(names(&configuration), ["dev/memory", "dev/filesystem", "prod/memory"]);
    assert_eq!(configuration.toolboxes[0].description.as_deref(), Some("Tools for development in /home/ann"));
    let filters = &configuration.toolboxes[0].servers[1].tool_filters;
    assert!(filters.allows("read_file") && !filters.allows("write_file"));
    assert!(configuration.toolboxes[1].servers[0].tool_filters.is_open());
    assert_eq!(configuration.toolboxes[1].servers[0].tool_filters.names().count(), 1);
}

#[test]
fn toolwright_file_has_all_features() {
    let configuration = clean(&fixture("toolwright.json"));
    assert_eq!(names(&configuration), ["default/time", "dev/build"]);
    let build = &configuration.toolboxes[1].servers[0];
    assert_eq!(build.timeout, Some(Duration::from_secs(120)));
    assert_eq!(build.idle, Some(Duration::from_secs(600)));
    assert!(build.tool_filters.allows("run_tests") && !build.tool_filters.allows("run_shell"));
    let Transport::Stdio { command, env_from, cwd, .. } = &build.transport else { panic!("no command") };
    assert_eq!(command, "/home/ann/bin/build-server");
    assert_eq!(env_from, &["CARGO_HOME", "RUSTUP_HOME"]);
    assert_eq!(cwd.as_deref(), Some(Path::new("/home/ann/desk/crates")));
}

#[test]
fn both_formats_share_the_default_toolbox() {
    let configuration = clean(
        r#"{"toolboxes": {"default": {"description": "mine", "mcpServers": {"a": {"command": "x"}}}},
            "mcpServers": {"b": {"command": "y"}}}"#,
    );
    assert_eq!(names(&configuration), ["default/a", "default/b"]);
    assert_eq!(configuration.toolboxes[0].description.as_deref(), Some("mine"));
    let both = r#"{"toolboxes": {"default": {"description": "mine", "mcpServers": {"a": {"command": "x"}}}},
            "mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}}}"#;
    assert_eq!(names(&read(both).expect("a configuration")), ["default/b"]);
    assert_eq!(problems(both).len(), 1);
}

#[test]
fn same_server_in_two_toolboxes_is_two_servers() {
    let configuration = clean(
        r#"{"toolboxes": {"dev": {"description": "d", "mcpServers": {"a": {"command": "x"}}},
                          "prod": {"description": "p", "mcpServers": {"a": {"command": "x"}}}}}"#,
    );
    assert_eq!(names(&configuration), ["dev/a", "prod/a"]);
    assert_eq!(configuration.toolboxes[0].servers, configuration.toolboxes[1].servers);
}

#[test]
fn file_without_servers_is_valid() {
    for text in [
        "{}",
        r#"{"mcpServers": {}}"#,
        r#"{"toolboxes": {}}"#,
        r#"{"servers": {}, "inputs": []}"#,
        r#"{"globalShortcut": "", "scale": 0}"#,
        r#"{"$schema": "x", "_comment": "nothing yet"}"#,
        "\u{feff}{ }\r\n",
    ] {
        assert_eq!(clean(text).servers().count(), 0, "{text}");
    }
}

#[test]
fn transport_names_are_accepted_in_every_form() {
    for (word, name) in [
        ("stdio", "stdio"),
        ("STDIO", "stdio"),
        ("local", "stdio"),
        ("http", "http"),
        ("remote", "http"),
        ("streamable-http", "http"),
        ("streamableHttp", "http"),
        ("streamable_http", "http"),
        ("StreamableHTTP", "http"),
        ("sse", "sse"),
        ("SSE", "sse"),
    ] {
        let way = if name == "stdio" { r#""command": "x""# } else { r#""url": "http://localhost/mcp""# };
        for key in ["type", "transport"] {
            assert_eq!(entry(&format!(r#"{{"{key}": "{word}", {way}}}"#)).transport.name(), name, "{word}");
        }
    }
}

#[test]
fn relative_paths_start_at_home_or_at_the_file() {
    let cases = [
        (r#"{"command": "npx"}"#, "npx", None),
        (r#"{"command": "~/bin/serve"}"#, "/home/ann/bin/serve", None),
        (r#"{"command": "./serve"}"#, "/home/ann/desk/serve", None),
        (r#"{"command": "bin/serve", "cwd": "/srv"}"#, "/srv/bin/serve", Some("/srv")),
        (r#"{"command": "x", "cwd": "~"}"#, "x", Some("/home/ann")),
        (r#"{"command": "x", "cwd": "~/a b"}"#, "x", Some("/home/ann/a b")),
        (r#"{"command": "x", "cwd": "data"}"#, "x", Some("/home/ann/desk/data")),
        (r#"{"command": "x", "cwd": "../data"}"#, "x", Some("/home/ann/desk/../data")),
        (r#"{"command": "x", "cwd": "."}"#, "x", Some("/home/ann/desk/.")),
        (r#"{"command": "x", "cwd": "${HOME}"}"#, "x", Some("/home/ann")),
        (r#"{"command": "~ann/serve"}"#, "/home/ann/desk/~ann/serve", None),
        (r#"{"command": ["npx", "-y"], "args": ["x"]}"#, "npx", None),
    ];
    for (text, program, folder) in cases {
        let Transport::Stdio { command, cwd, .. } = entry(text).transport else { panic!("no command") };
        assert_eq!(command, program, "{text}");
        assert_eq!(cwd, folder.map(PathBuf::from), "{text}");
    }
}

#[test]
fn command_list_precedes_the_arguments() {
    let server = entry(
        r#"{"type": "local", "command": ["npx", "-y", "x"], "args": ["--port"], "environment": {"A": "b"}}"#,
    );
    let Transport::Stdio { args, env, .. } = server.transport else { panic!("no command") };
    assert_eq!(args, ["-y", "x", "--port"]);
    assert_eq!(env, [("A".to_owned(), "b".to_owned())]);
}

#[test]
fn equivalent_servers_are_equal() {
    let one = entry(r#"{"command": "x", "env": {"A": "${TOKEN}"}}"#);
    let same = entry(r#"{ "env": {"A": "t0ken-of-ann"}, /* moved */ "command": "x", }"#);
    assert_eq!(one.transport, same.transport);
    assert_ne!(one.transport, entry(r#"{"command": "x", "env": {"A": "b"}}"#).transport);
}
