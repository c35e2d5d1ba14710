//! `cargo xtask bench mcp`: what a gateway adds to a call, ours beside others, in one run and one table.
//!
//! The others are installed under the target folder; one that cannot be had is named below the table.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::lane::python_environment;
use super::{print, write};
use crate::invocation::Invocation;
use crate::running::Running;
use crate::step::{Failure, announce, note};
use crate::workspace::Workspace;

const STEP: &str = "bench mcp";

/// The other gateways, with the versions that are compared.
const RUST_PROXY: &str = "0.6.0";
const NPM_PROXY: &str = "6.7.19";
const PIP_PROXY: &str = "0.13.0";

/// Builds everything as it ships, measures, and prints the table.
pub fn run(workspace: &Workspace) -> Result<(), Failure> {
    announce("bench mcp: build");
    let packages = ["--package", "toolwright", "--package", "toolwright-testkit"];
    workspace.cargo(["build", "--release"]).args(packages).run(STEP)?;
    let programs = workspace.target().join("release");
    let folder = workspace.target().join("bench/mcp");
    let server = programs.join("echo-server");
    let direct = direct(&server);
    // The server that is reached over HTTP is the one that is measured by itself.
    let back = Invocation::new(&server, workspace.root()).args(["--http", "0"]);
    let back = Running::start(&back, STEP)?;
    let mut lanes = vec![direct];
    lanes.push(ours(&programs, &folder, "http", &json!({"url": back.url}))?);
    lanes.push(ours(&programs, &folder, "stdio", &json!({"command": server}))?);
    let mut missing = Vec::new();
    for (name, lane) in [
        ("mcp-proxy (Rust), HTTP", rust_proxy(workspace, &folder, &format!("transport = \"http\"\nurl = \"{}\"", back.url))),
        ("mcp-proxy (Rust), stdio", rust_proxy(workspace, &folder, &format!("transport = \"stdio\"\ncommand = \"{}\"", server.display()))),
        ("mcp-proxy (npm), stdio", npm_proxy(workspace, &folder, &server)),
        ("mcp-proxy (pip), stdio", pip_proxy(workspace, &folder, &server)),
    ] {
        match lane {
            Ok(mut lane) => {
                lane["name"] = json!(name);
                lanes.push(lane);
            }
            Err(failure) => missing.push(format!("{name}: {}", failure.reason())),
        }
    }
    let order = folder.join("order.json");
    write(&order, &Value::Array(lanes).to_string())?;
    announce("bench mcp: in turns");
    let report = Invocation::new(programs.join("mcp-bench"), workspace.root()).arg(&order).read(STEP)?;
    let report: Value = serde_json::from_str(&report)
        .map_err(|error| Failure::new(STEP, format!("its report was not understood: {error}")))?;
    print(&render(&report, &missing))?;
    print(&idle(workspace, &programs)?)
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn direct(server: &Path) -> Value {
    json!({"name": "the server by itself", "words": [shown(server), "--http", "{port}"], "path": "/mcp", "tool": "echo"})
}

/// The gateway before one server, at the endpoint where it changes nothing.
fn ours(programs: &Path, folder: &Path, way: &str, server: &Value) -> Result<Value, Failure> {
    let file = folder.join(format!("toolwright-{way}.json"));
    let toolbox = json!({"description": "One server", "mcpServers": {"echo": server}});
    write(&file, &json!({"toolboxes": {"echo": toolbox}}).to_string())?;
    let words = [
        &shown(&programs.join("toolwright")),
        "serve",
        "--no-auth",
        "--port",
        "{port}",
        "--config",
        &shown(&file),
    ];
    let name = format!("toolwright, {}", if way == "http" { "HTTP" } else { way });
    Ok(json!({"name": name, "words": words, "path": "/mcp/t/echo", "tool": "echo"}))
}

fn rust_proxy(workspace: &Workspace, folder: &Path, backend: &str) -> Result<Value, Failure> {
    let root = folder.join("mcp-proxy-rust");
    let program = root.join("bin/mcp-proxy");
    if !program.exists() {
        note(&format!("building mcp-proxy {RUST_PROXY} of crates.io for the comparison (under the target folder)"));
        let install = ["install", "mcp-proxy", "--quiet", "--locked", "--version", RUST_PROXY, "--root"];
        workspace.cargo(install).arg(&root).run(STEP)?;
    }
    let way = if backend.contains("\"http\"") { "http" } else { "stdio" };
    let file = folder.join(format!("mcp-proxy-{way}.toml"));
    let listen = "[proxy]\nname = \"bench\"\nseparator = \"_\"\n\n[proxy.listen]\nhost = \"127.0.0.1\"\nport = {port}\n";
    let content = format!("{listen}\n[[backends]]\nname = \"b\"\n{backend}\n");
    Ok(json!({
        "words": [shown(&program), "--config", shown(&file)],
        "file": file,
        "content": content,
        "path": "/",
        "tool": "b_echo",
    }))
}

fn npm_proxy(workspace: &Workspace, folder: &Path, server: &Path) -> Result<Value, Failure> {
    let folder = folder.join("mcp-proxy-npm");
    let script = folder.join("node_modules/.bin/mcp-proxy");
    if !script.exists() {
        note(&format!("installing mcp-proxy {NPM_PROXY} (npm, under the target folder)"));
        let npm = workspace.program("npm").args(["install", "--no-audit", "--no-fund", "--silent", "--prefix"]);
        npm.arg(&folder).args(["node@24", &format!("mcp-proxy@{NPM_PROXY}")]).run(STEP)?;
    }
    let node = folder.join("node_modules/node/bin/node");
    let words = [&shown(&node), &shown(&script), "--port", "{port}", "--", &shown(server)];
    Ok(json!({"words": words, "path": "/mcp", "tool": "echo"}))
}

fn pip_proxy(workspace: &Workspace, folder: &Path, server: &Path) -> Result<Value, Failure> {
    let folder = folder.join("mcp-proxy-pip");
    let python = python_environment(workspace, &folder, STEP)?;
    let program: PathBuf = python.with_file_name("mcp-proxy");
    if !program.exists() {
        note(&format!("installing mcp-proxy {PIP_PROXY} (pip, under the target folder)"));
        let pip = Invocation::new(&python, workspace.root());
        pip.args(["-m", "pip", "install", "--quiet", &format!("mcp-proxy=={PIP_PROXY}")]).run(STEP)?;
    }
    let words = [&shown(&program), "--port", "{port}", "--", &shown(server)];
    Ok(json!({"words": words, "path": "/mcp", "tool": "echo"}))
}

/// One line for each lane and number of clients.
fn render(report: &Value, missing: &[String]) -> String {
    let empty = Vec::new();
    let lanes = report["lanes"].as_array().unwrap_or(&empty);
    let us = |value: &Value| value.as_f64().unwrap_or(0.0) / 1000.0;
    let mut lines = vec![format!(
        "{:<26} {:>7}  {:>9} {:>9}  {:>9} {:>9}  {:>8}  {:>11}  {:>6}",
        "", "clients", "p50 us", "p99 us", "added p50", "added p99", "calls/s", "CPU us/call", "RSS MB"
    )];
    for lane in lanes {
        for (at, figures) in lane["figures"].as_array().unwrap_or(&empty).iter().enumerate() {
            let base = &lanes[0]["figures"][at];
            let added = |key: &str| us(&figures[key]) - us(&base[key]);
            lines.push(format!(
                "{:<26} {:>7}  {:>9.0} {:>9.0}  {:>9.0} {:>9.0}  {:>8.0}  {:>11.1}  {:>6.1}",
                lane["name"].as_str().unwrap_or_default(),
                lane["clients"][at],
                us(&figures["p50_ns"]),
                us(&figures["p99_ns"]),
                added("p50_ns"),
                added("p99_ns"),
                figures["calls_per_second"].as_f64().unwrap_or(0.0),
                figures["cpu_us_per_call"].as_f64().unwrap_or(0.0),
                lane["rss_kib"].as_f64().unwrap_or(0.0) / 1024.0,
            ));
        }
    }
    let unanswered = report["missing"].as_array().unwrap_or(&empty).iter().map(|lane| {
        format!("{}: {}", lane["name"].as_str().unwrap_or_default(), lane["error"].as_str().unwrap_or_default())
    });
    lines.extend(missing.iter().cloned().chain(unanswered).map(|reason| format!("not measured: {reason}")));
    lines.join("\n")
}

/// What the gateway uses when it does nothing, with ten servers that run.
fn idle(workspace: &Workspace, programs: &Path) -> Result<String, Failure> {
    let report = Invocation::new(programs.join("mcp-bench-idle"), workspace.root())
        .arg(programs.join("toolwright"))
        .arg(programs.join("echo-server"))
        .read(STEP)?;
    Ok(report.trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_compares_with_the_server_by_itself() {
        let figures = |p50: u64| json!([{"p50_ns": p50, "p99_ns": 2 * p50, "calls_per_second": 10.0, "cpu_us_per_call": 1.5}]);
        let report = json!({
            "lanes": [
                {"name": "direct", "clients": [1], "figures": figures(50_000), "rss_kib": 1024},
                {"name": "ours", "clients": [1], "figures": figures(80_000), "rss_kib": 2048},
            ],
            "missing": [{"name": "other", "error": "it does not answer"}],
        });
        let table = render(&report, &["third: no network".into()]);
        let ours = table.lines().find(|line| line.starts_with("ours")).expect("a line");
        let words: Vec<&str> = ours.split_whitespace().collect();
        assert_eq!(words, ["ours", "1", "80", "160", "30", "60", "10", "1.5", "2.0"]);
        assert!(table.contains("not measured: third: no network"), "{table}");
        assert!(table.contains("not measured: other: it does not answer"), "{table}");
    }
}
