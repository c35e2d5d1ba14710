//! Whether a server's program can be found and started, before it is.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::json;
use toolwright_config::{Configuration, ServerConfig, Toolbox, Transport};

use crate::entry;
use crate::finding::{Area, Check, Finding, Fix, quoted};
use crate::program::{self, Found};

/// The oldest Node.js that servers are written for.
const NODE: u32 = 18;
/// The ends of names of files that other programs run.
const SCRIPTS: [&str; 9] = ["js", "mjs", "cjs", "ts", "py", "rb", "jar", "sh", "php"];

/// The line of a server that is a program; nothing for one that is reached over HTTP.
pub(crate) async fn check(
    configuration: &Configuration,
    toolbox: &Toolbox,
    server: &ServerConfig,
    name: &str,
) -> Option<Check> {
    let Transport::Stdio { command, args, env, cwd, .. } = &server.transport else { return None };
    let set = |key: &str, value: &serde_json::Value| {
        entry::set(&configuration.file, &toolbox.name, &server.name, key, value)
    };
    let check = |said: String| Check::new(Area::Process, Some(name), said);
    let path = env.iter().find(|(key, _)| key == "PATH").map(|(_, value)| OsString::from(value));
    let path = path.or_else(|| std::env::var_os("PATH")).unwrap_or_default();
    if let Some(folder) = cwd.as_ref().filter(|folder| !folder.is_dir()) {
        let folder = folder.display().to_string();
        let finding = Finding::error(
            "folder-not-found",
            "the folder to run it in is not there",
            "a program cannot be started in a folder that does not exist",
            Fix::Run(format!("mkdir -p {}", quoted(&folder))),
        );
        return Some(check("cannot be started".to_owned()).with([finding.at(folder)]));
    }
    let shown = Path::new(command).display().to_string();
    let file = match program::find(Path::new(command), &path) {
        Found::There(file) => file,
        Found::NotExecutable(file) => {
            let file = file.display().to_string();
            let finding = Finding::error(
                "program-not-executable",
                format!("the program \"{shown}\" may not be run"),
                "its file has no permission to be executed",
                Fix::Run(format!("chmod u+x {}", quoted(&file))),
            );
            return Some(check("cannot be started".to_owned()).with([finding.at(file)]));
        }
        Found::Folder(folder) => {
            let finding = Finding::error(
                "program-is-folder",
                format!("\"{shown}\" is a folder"),
                "only a program can be started",
                Fix::Do("write the program in it as \"command\"".to_owned()),
            );
            return Some(check("cannot be started".to_owned()).with([finding.at(folder.display())]));
        }
        Found::Nowhere { near } => {
            let fix = match (&near, install(&shown)) {
                (_, Some(install)) => install,
                (Some(near), None) => set("command", &json!(near)),
                (None, None) => Fix::Do(format!(
                    "install {shown}, or write its whole path as \"command\"; the search path is {}",
                    path.to_string_lossy()
                )),
            };
            let meant = near.map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default();
            let what = format!("the program \"{shown}\" was not found{meant}");
            let why = "it is in no folder of the search path that servers are started with";
            let finding = Finding::error("program-not-found", what, why, fix);
            return Some(
                check("cannot be started".to_owned()).with([finding.at(configuration.file.display())]),
            );
        }
    };
    if let Some(missing) = program::missing_interpreter(&file, &path) {
        let finding = Finding::error(
            "interpreter-not-found",
            format!("\"{missing}\", which runs \"{shown}\", was not found"),
            "the first line of the script names it",
            Fix::Do(format!("install {missing}, or correct the first line of {}", file.display())),
        );
        return Some(
            check("cannot be started".to_owned()).with([finding.at(format!("{}:1", file.display()))]),
        );
    }
    if let Some((at, missing)) = missing_script(args, cwd.as_deref()) {
        let near = program::near_file(&missing).map(|near| near.display().to_string());
        let fix = match &near {
            Some(near) => set(&format!("args/{at}"), &json!(near)),
            None => {
                Fix::Do(format!("correct the path in \"args\", or put the file there: {}", missing.display()))
            }
        };
        let meant = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        let what = format!("the script that \"{shown}\" should run is not there{meant}");
        let finding =
            Finding::error("script-not-found", what, "an argument names a file that does not exist", fix);
        return Some(check(file.display().to_string()).with([finding.at(missing.display())]));
    }
    let (versions, finding) = versions(&shown, &path).await;
    Some(check(format!("{}{versions}", file.display())).with(finding))
}

/// The first argument that is a script which is not there.
fn missing_script(args: &[String], cwd: Option<&Path>) -> Option<(usize, PathBuf)> {
    args.iter().enumerate().find_map(|(at, arg)| {
        let path = Path::new(arg);
        let is_script = path.extension().is_some_and(|end| SCRIPTS.iter().any(|known| end == *known));
        let is_path = arg.contains('/') && !arg.contains("://") && !arg.starts_with(['-', '@']);
        let whole = cwd.map_or_else(|| path.to_owned(), |folder| folder.join(path));
        (is_script && is_path && !whole.exists()).then_some((at, whole))
    })
}

/// What brings a program that many servers need.
fn install(program: &str) -> Option<Fix> {
    Some(match program {
        "npx" | "node" | "npm" => Fix::Do(format!(
            "install Node.js {NODE} or later, which brings {program}: https://nodejs.org/en/download"
        )),
        "uvx" | "uv" => Fix::Run("curl -LsSf https://astral.sh/uv/install.sh | sh".to_owned()),
        "docker" => Fix::Do("install Docker: https://docs.docker.com/get-docker/".to_owned()),
        _ => return None,
    })
}

/// The versions of what runs a server, and whether they are too old.
async fn versions(program: &str, path: &OsString) -> (String, Option<Finding>) {
    let asked = match program {
        "npx" | "node" => "node",
        "uvx" | "uv" => program,
        _ => return (String::new(), None),
    };
    let Found::There(file) = program::find(Path::new(asked), path) else {
        let what = format!("\"{asked}\", which {program} needs, was not found");
        let fix = install(asked).unwrap_or_else(|| Fix::Do(format!("install {asked}")));
        let finding = Finding::error("interpreter-not-found", what, "it runs what this command starts", fix);
        return (String::new(), Some(finding));
    };
    let Some(version) = program::version(&file, path).await else { return (String::new(), None) };
    let said = format!(", {asked} {}", version.trim_start_matches(asked).trim());
    let is_old = asked == "node" && program::major(&version).is_some_and(|major| major < NODE);
    let finding = is_old.then(|| {
        Finding::warning(
            "node-too-old",
            format!("Node.js is {version}, and MCP servers are written for {NODE} or later"),
            "servers then end at their start with messages about syntax or missing modules",
            Fix::Do(format!("install Node.js {NODE} or later: https://nodejs.org/en/download")),
        )
        .at(file.display())
    });
    (said, finding)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_argument_that_is_a_script_must_be_there() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("there.js"), "").expect("written");
        let missing = |args: &[&str]| {
            let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
            missing_script(&args, Some(folder.path())).map(|(at, _)| at)
        };
        assert_eq!(missing(&["-u", "./gone.py"]), Some(1));
        assert_eq!(missing(&["./there.js", "/srv/gone.mjs"]), Some(1));
        for fine in
            [&["./there.js"][..], &["-y", "@scope/server.js"], &["https://a/b.js"], &["gone.js"], &["/tmp"]]
        {
            assert_eq!(missing(fine), None, "{fine:?}");
        }
    }
}
