//! Search and loading of files, and the errors of files that cannot be used.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use toolwright_config::{ConfigError, FoundBy, Located, load, locate_from, process_environment};

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let file = folder.join(name);
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    fs::write(&file, text).expect("a file");
    file
}

fn nothing(_: &str) -> Option<OsString> {
    None
}

fn found(folder: &Path, environment: &dyn Fn(&str) -> Option<OsString>) -> Option<Located> {
    locate_from(folder, None, environment).expect("no error")
}

#[test]
fn first_default_location_is_used() {
    let scratch = folder();
    let (here, home) = (scratch.path().join("here"), scratch.path().join("home"));
    fs::create_dir_all(&here).unwrap();
    let environment = |name: &str| (name == "HOME").then(|| home.clone().into_os_string());
    assert_eq!(found(&here, &environment), None);
    write(scratch.path(), "here/.mcp.json", "{}");
    assert_eq!(found(&here, &environment), None, "a project's own file is asked for by name only");
    let mut expected = Vec::new();
    for (name, by) in [
        ("home/.config/toolwright/toolwright.json", FoundBy::UserFolder),
        ("here/workbench-config.json", FoundBy::CurrentFolder),
        ("here/toolwright.json", FoundBy::CurrentFolder),
    ] {
        expected.push(Located { file: write(scratch.path(), name, "{}"), by });
        assert_eq!(found(&here, &environment).as_ref(), expected.last());
    }
}

#[test]
fn xdg_config_home_is_respected() {
    let scratch = folder();
    let file = write(scratch.path(), "xdg/toolwright/toolwright.json", "{}");
    let set = |value: &Path| {
        let value = value.to_owned();
        move |name: &str| (name == "XDG_CONFIG_HOME").then(|| value.clone().into_os_string())
    };
    let here = scratch.path().join("here");
    assert_eq!(found(&here, &set(&scratch.path().join("xdg"))).map(|located| located.file), Some(file));
    // A relative path is ignored, as the XDG specification demands.
    assert_eq!(found(&here, &set(Path::new("xdg"))), None);
}

#[test]
fn named_file_takes_precedence() {
    let scratch = folder();
    write(scratch.path(), "toolwright.json", "{}");
    let other = write(scratch.path(), "other.json", "{}");
    let third = write(scratch.path(), "home/third.json", "{}");
    let named = |name: &str| match name {
        "WORKBENCH_CONFIG" => Some(OsString::from("~/third.json")),
        "HOME" => Some(scratch.path().join("home").into_os_string()),
        _ => None,
    };
    assert_eq!(found(scratch.path(), &named), Some(Located { file: third, by: FoundBy::Variable }));
    let explicit = locate_from(scratch.path(), Some(Path::new("other.json")), &named).unwrap();
    assert_eq!(explicit, Some(Located { file: other, by: FoundBy::Flag }));
    // An empty variable counts as unset.
    let empty = |name: &str| (name == "WORKBENCH_CONFIG").then(OsString::new);
    assert_eq!(found(scratch.path(), &empty).map(|located| located.by), Some(FoundBy::CurrentFolder));
}

#[test]
fn missing_named_file_is_an_error() {
    let scratch = folder();
    write(scratch.path(), "toolwright.json", "{}");
    let error = locate_from(scratch.path(), Some(Path::new("toolwrigth.json")), &nothing).unwrap_err();
    assert!(error.to_string().starts_with("there is no file "), "{error}");
    assert!(
        error.fix().starts_with("did you mean ") && error.fix().ends_with("toolwright.json?"),
        "{}",
        error.fix()
    );
    let named = |name: &str| (name == "WORKBENCH_CONFIG").then(|| OsString::from("nowhere/at/all"));
    let error = locate_from(scratch.path(), None, &named).unwrap_err();
    assert!(error.fix().contains("WORKBENCH_CONFIG"), "{}", error.fix());
    assert!(matches!(error, ConfigError::NotFound { asked_by: Some("WORKBENCH_CONFIG"), near: None, .. }));
}

#[test]
fn relative_folders_start_at_the_file() {
    let scratch = folder();
    let text = "{\"mcpServers\": {\"a\": {\"command\": \"x\", \"cwd\": \"data\"}}}";
    let file = write(scratch.path(), "deep/toolwright.json", text);
    let configuration = load(&file, &nothing).unwrap();
    assert_eq!(configuration.file, file);
    let toolwright_config::Transport::Stdio { cwd, .. } = &configuration.toolboxes[0].servers[0].transport
    else {
        panic!("no command")
    };
    assert_eq!(cwd.as_deref(), Some(scratch.path().join("deep/data").as_path()));
}

#[test]
fn unusable_file_is_reported_with_the_reason() {
    let scratch = folder();
    let at = |name: &str| scratch.path().join(name);
    fs::create_dir(at("folder.json")).unwrap();
    fs::write(at("utf16.json"), b"\xff\xfe{\0}\0").unwrap();
    fs::write(at("latin1.json"), b"{\n  \"caf\xe9\": 1}").unwrap();
    fs::write(at("large.json"), vec![b' '; (4 << 20) + 1]).unwrap();
    fs::write(at("limit.json"), [vec![b' '; (4 << 20) - 2], b"{}".to_vec()].concat()).unwrap();
    let messages = |name: &str| {
        let error = load(&at(name), &nothing).unwrap_err();
        assert_eq!(error.file(), at(name));
        assert!(error.to_string().ends_with(&error.fix()));
        error.to_string().replace(&scratch.path().display().to_string(), "")
    };
    assert_eq!(messages("missing.json"), "there is no file /missing.json\nfix: check the path");
    assert_eq!(messages("folder.json"), "/folder.json is a folder, not a file\nfix: name the file in it");
    assert_eq!(messages("utf16.json"), "/utf16.json is UTF-16, not UTF-8\nfix: save it as UTF-8");
    assert_eq!(messages("latin1.json"), "/latin1.json:2:7: this byte is not UTF-8\nfix: save it as UTF-8");
    assert_eq!(
        messages("large.json"),
        "/large.json is larger than 4 MiB\nfix: name a file that contains only the configuration"
    );
    assert!(load(&at("limit.json"), &nothing).unwrap().toolboxes.is_empty());
}

#[cfg(unix)]
#[test]
fn unreadable_file_is_reported() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = folder();
    let file = write(scratch.path(), "toolwright.json", "{}");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
    match load(&file, &nothing) {
        Err(error @ ConfigError::NotReadable { .. }) => {
            assert_eq!(error.fix(), "check the permissions of the file")
        }
        // Root may read everything.
        other => assert!(other.is_ok() && fs::read(&file).is_ok(), "{other:?}"),
    }
}

#[test]
fn deep_nesting_is_refused() {
    let scratch = folder();
    for deep in [
        "[".repeat(1 << 20),
        "{\"a\":".repeat(700_000),
        format!("{{\"mcpServers\":{}", "[{\"a\":".repeat(5_000)),
    ] {
        let file = write(scratch.path(), "deep.json", &deep);
        let error = load(&file, &nothing).unwrap_err();
        assert!(error.to_string().contains("nest deeper than 128 levels"), "{error}");
        assert!(error.to_string().len() < 1_000);
    }
}

#[test]
fn process_environment_accepts_any_name() {
    for name in ["", "=", "A=B", "a\0b"] {
        assert_eq!(process_environment(name), None);
    }
    assert!(process_environment("CARGO_MANIFEST_DIR").is_some());
}
