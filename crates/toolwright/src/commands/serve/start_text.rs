//! What is said when the port is open: what is served, where, with which token, and what to do next.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use serde_json::json;
use toolwright_executor::printable;

use crate::gateway_source::Behind;

/// Whether the owner token and the login link are part of what is printed. They are printed on a terminal only:
/// the journal of a service and the log of a container are read by more people and kept for longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnerSecrets {
    Printed,
    /// The output names the file of the token and the commands that print them.
    NamedOnly,
}

/// What there is to say.
pub struct Started {
    pub address: SocketAddr,
    /// This install's own token, where one is needed.
    pub token: Option<String>,
    pub token_file: Option<PathBuf>,
    pub secrets: OwnerSecrets,
    pub toolboxes: Vec<Line>,
    /// Where the files tools work.
    pub folders: Vec<PathBuf>,
    pub configuration: Option<PathBuf>,
    /// The path that opens the pages, once.
    pub link: String,
    /// The host that the pages have for themselves, where it is this machine that looks at them.
    pub pages_host: Option<String>,
    /// The upstreams at which models are asked.
    pub upstreams: Vec<String>,
}

/// A toolbox.
pub struct Line {
    pub name: String,
    pub holds: Holds,
}

/// What a toolbox holds.
pub enum Holds {
    Servers(Vec<String>),
    OwnTools(usize),
}

/// The toolboxes of these names.
pub fn toolboxes(behind: &Behind, names: &[String]) -> Vec<Line> {
    let mut servers: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for view in behind.servers.views() {
        servers.entry(view.toolbox).or_default().push(view.name);
    }
    let line = |name: &String| {
        let holds = match servers.remove(name) {
            Some(servers) => Holds::Servers(servers),
            None => Holds::OwnTools(behind.own_tools),
        };
        Line { name: name.clone(), holds }
    };
    names.iter().map(line).collect()
}

impl Started {
    pub fn to_json(&self) -> String {
        format!("{}\n", self.to_value())
    }

    /// The same, for more to be said.
    pub fn to_value(&self) -> serde_json::Value {
        let toolboxes: serde_json::Map<String, serde_json::Value> =
            self.toolboxes.iter().map(|line| (line.name.clone(), json!(self.toolbox(&line.name)))).collect();
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "pid": std::process::id(),
            "address": self.address.to_string(),
            "url": self.url("/mcp"),
            "all": self.url("/mcp/all"),
            "toolboxes": toolboxes,
            "token": self.printed_token(),
            "tokenFile": self.token_file,
            "configuration": self.configuration,
            "dashboard": self.dashboard(),
            "llm": { "url": self.url(""), "upstreams": self.upstreams },
        })
    }

    pub fn to_text(&self) -> String {
        let mut rows = vec![
            (self.url("/mcp"), "the toolboxes; a model opens those that it needs".to_owned()),
            (self.url("/mcp/all"), "every tool at once".to_owned()),
        ];
        for line in &self.toolboxes {
            rows.push((self.toolbox(&line.name), self.told(&line.holds)));
        }
        if !self.upstreams.is_empty() {
            let upstreams = self.upstreams.join(", ");
            rows.push((
                self.url("/v1"),
                format!("language models of {upstreams}, for clients of Anthropic, OpenAI and Ollama"),
            ));
        }
        let width = rows.iter().map(|(url, _)| url.chars().count()).max().unwrap_or(0);
        let rows = rows.iter().map(|(url, what)| format!("  {url:width$}  {what}\n")).collect::<String>();
        let configuration = match &self.configuration {
            Some(file) => file.display().to_string(),
            None => "none, so these are the built-in tools; name servers in toolwright.json here, or with --config"
                .to_owned(),
        };
        let (token, dashboard) = self.access();
        let url = self.url("/mcp");
        let bearer = match (&self.token, self.secrets) {
            (None, _) => None,
            (Some(token), OwnerSecrets::Printed) => Some((token.as_str(), token.as_str())),
            (Some(_), OwnerSecrets::NamedOnly) => Some(("$(toolwright token show)", "TOKEN")),
        };
        let (flag, member) = match bearer {
            Some((in_shell, in_file)) => (
                format!(" --header \"Authorization: Bearer {in_shell}\""),
                format!(", \"headers\": {{\"Authorization\": \"Bearer {in_file}\"}}"),
            ),
            None => Default::default(),
        };
        let text = format!(
            "toolwright {} serves on {}\n\n{rows}\nConfiguration: {configuration}\nToken:         {token}\nDashboard:     {dashboard}\n\nNext:\n  1. Connect a client. Claude Code:\n       claude mcp add --transport http toolwright {url}{flag}\n     Others, in their file of servers:\n       {{\"mcpServers\": {{\"toolwright\": {{\"type\": \"http\", \"url\": \"{url}\"{member}}}}}}}\n  2. See whether it is ready, from another terminal:\n       curl {}\n\nCtrl-C ends it.\n",
            env!("CARGO_PKG_VERSION"),
            self.address,
            self.url("/readyz"),
        );
        printable(&text, &['\n', '\\']).into_owned()
    }

    /// How a person gets in: with the token, and to the dashboard.
    fn access(&self) -> (String, String) {
        let dashboard = self.dashboard();
        match (&self.token, &self.token_file, self.secrets) {
            (None, _, _) => ("none is needed".to_owned(), dashboard),
            (Some(_), Some(file), OwnerSecrets::NamedOnly) => (
                format!("in {}  (`toolwright token show` prints it)", file.display()),
                format!("{dashboard}  (`toolwright dashboard` prints a link that logs you in)"),
            ),
            (Some(token), file, _) => {
                let stored = match file {
                    Some(file) => format!("kept in {}", file.display()),
                    None => "for this run: there is no folder to keep it in".to_owned(),
                };
                let another = "works once; `toolwright dashboard` makes another";
                (format!("{token}  ({stored})"), format!("{dashboard}  ({another})"))
            }
        }
    }

    fn printed_token(&self) -> Option<&str> {
        self.token.as_deref().filter(|_| self.secrets == OwnerSecrets::Printed)
    }

    /// Where the dashboard is: with the login link only where that is printed.
    pub fn dashboard(&self) -> String {
        match self.secrets {
            OwnerSecrets::Printed => self.page(&self.link),
            OwnerSecrets::NamedOnly => self.url("/"),
        }
    }

    /// A page of the dashboard, at the host where the login link logs in. To be printed only where the link is.
    pub fn page(&self, path: &str) -> String {
        match &self.pages_host {
            Some(host) => format!("http://{host}:{}{path}", self.address.port()),
            None => self.url(path),
        }
    }

    fn told(&self, holds: &Holds) -> String {
        match holds {
            Holds::Servers(servers) if servers.len() == 1 => format!("the server {}", servers[0]),
            Holds::Servers(servers) => format!("the servers {}", servers.join(", ")),
            Holds::OwnTools(count) => {
                let folders: Vec<String> = self.folders.iter().map(|it| it.display().to_string()).collect();
                format!("{count} built-in tools: date, search, volume, and files in {}", folders.join(", "))
            }
        }
    }

    fn toolbox(&self, name: &str) -> String {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~');
        let encoded: String = name
            .bytes()
            .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
            .collect();
        self.url(&format!("/mcp/t/{encoded}"))
    }

    /// The address of a path.
    pub fn url(&self, path: &str) -> String {
        url_of(self.address, path)
    }
}

/// The address of a path of a gateway that listens there.
pub fn url_of(address: SocketAddr, path: &str) -> String {
    // An address that stands for all of them is none to connect to.
    let ip = match address.ip() {
        ip if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        ip => ip,
    };
    format!("http://{}{path}", SocketAddr::new(ip, address.port()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started() -> Started {
        Started {
            address: SocketAddr::from(([127, 0, 0, 1], 8484)),
            token: Some("tw_TOKEN".to_owned()),
            token_file: Some("/home/me/.local/state/toolwright/token".into()),
            secrets: OwnerSecrets::Printed,
            toolboxes: vec![Line { name: "builtin".to_owned(), holds: Holds::OwnTools(12) }],
            folders: vec!["/home/me/notes".into()],
            configuration: None,
            link: "/login?once=LINK".to_owned(),
            pages_host: Some("toolwright-x.localhost".to_owned()),
            upstreams: vec!["anthropic".into(), "local".into()],
        }
    }

    #[test]
    fn without_a_configuration_it_says_what_there_is_and_what_to_do() {
        insta::assert_snapshot!(started().to_text());
    }

    #[test]
    fn with_a_configuration_every_toolbox_has_its_address() {
        let servers = |names: &[&str]| Holds::Servers(names.iter().map(|name| (*name).to_owned()).collect());
        let text = Started {
            token: None,
            token_file: None,
            pages_host: None,
            configuration: Some("/home/me/toolwright.json".into()),
            toolboxes: vec![
                Line { name: "dev".to_owned(), holds: servers(&["git", "memory"]) },
                Line { name: "my büro".to_owned(), holds: servers(&["calendar"]) },
            ],
            ..started()
        };
        insta::assert_snapshot!(text.to_text());
    }

    #[test]
    fn a_log_gets_the_path_of_the_token_and_neither_token_nor_login_link() {
        let logged = || Started { secrets: OwnerSecrets::NamedOnly, ..started() };
        let (text, line) = (logged().to_text(), logged().to_json());
        for said in [&text, &line] {
            assert!(!said.contains("tw_TOKEN") && !said.contains("/login"), "{said}");
            assert!(said.contains("/home/me/.local/state/toolwright/token"), "{said}");
        }
        for command in ["toolwright token show", "toolwright dashboard"] {
            assert!(text.contains(command), "{text}");
        }
        let said: serde_json::Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!((&said["token"], &said["dashboard"]), (&json!(null), &json!("http://127.0.0.1:8484/")));
        // Where no token is needed there is nothing to name.
        let open = Started { token: None, token_file: None, link: "/".to_owned(), ..logged() }.to_text();
        assert!(open.contains("none is needed") && !open.contains("token show"), "{open}");
    }

    #[test]
    fn programs_read_one_line() {
        let anywhere = SocketAddr::from(([0, 0, 0, 0], 1));
        let line = Started { address: anywhere, pages_host: None, ..started() }.to_json();
        assert_eq!(line.matches('\n').count(), 1);
        let said: serde_json::Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!(said["url"], "http://127.0.0.1:1/mcp");
        assert_eq!(said["toolboxes"]["builtin"], "http://127.0.0.1:1/mcp/t/builtin");
        assert_eq!(said["token"], "tw_TOKEN");
    }
}
