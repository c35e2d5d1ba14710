//! `cargo xtask test`: everything a landing must pass, quick checks first, the tests themselves last.
//!
//! The tests come last so that the runner's own closing lines end the output. End-to-end tests are
//! integration tests of the `toolwright` crate and run with the others.

use std::path::Path;

use crate::book::{self, Writing};
use crate::conformance;
use crate::dependencies;
use crate::layers;
use crate::setup;
use crate::step::{self, Failure, announce, note};
use crate::workspace::Workspace;

/// Crates that must build without an asynchronous runtime.
const PURE_CRATES: [&str; 8] = [
    "toolwright-base",
    "toolwright-model",
    "toolwright-jsonrpc",
    "toolwright-redact",
    "toolwright-config",
    "toolwright-normalizer",
    "toolwright-llm",
    "toolwright-speech",
];

/// The runtime they must not pull in.
const RUNTIME: &str = "tokio";

/// Runs every step; the first that fails ends the run.
pub fn run(workspace: &Workspace) -> Result<(), Failure> {
    setup::for_tests(workspace)?;
    formatting(workspace)?;
    suites(workspace)?;
    book::run(workspace, Writing::Check)?;
    pure_crates(workspace)?;
    layers::run(workspace)?;
    lints(workspace)?;
    dependencies::run(workspace)?;
    cargo_deny(workspace)?;
    documentation(workspace)?;
    fuzz_targets(workspace)?;
    conformance::run(workspace)?;
    released(workspace)?;
    tests(workspace)
}

fn formatting(workspace: &Workspace) -> Result<(), Failure> {
    step::run("fmt", &workspace.cargo(["fmt", "--all", "--check"]))
}

/// The behaviour tests of a crate are modules of one program, `tests/suite.rs`: a file that it does not name would
/// never be run.
fn suites(workspace: &Workspace) -> Result<(), Failure> {
    let step = "files of tests";
    announce(step);
    let wrong = |error: std::io::Error| Failure::new(step, error.to_string());
    let packages = |folder: &str| std::fs::read_dir(workspace.root().join(folder)).map_err(wrong);
    for entry in packages("crates")?.chain(packages("servers")?) {
        let tests = entry.map_err(wrong)?.path().join("tests");
        let Ok(suite) = std::fs::read_to_string(tests.join("suite.rs")) else { continue };
        for file in std::fs::read_dir(&tests).map_err(wrong)? {
            let file = file.map_err(wrong)?.path();
            if is_left_out(&suite, &file) {
                let what = format!("{} is not a module of suite.rs beside it", file.display());
                return Err(Failure::new(step, what));
            }
        }
    }
    Ok(())
}

fn is_left_out(suite: &str, file: &Path) -> bool {
    let name = file.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    let is_module = file.extension().is_some_and(|extension| extension == "rs") && name != "suite";
    is_module && !suite.lines().any(|line| line == format!("mod {name};"))
}

fn lints(workspace: &Workspace) -> Result<(), Failure> {
    let clippy = workspace.cargo(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]);
    step::run("clippy", &clippy)
}

fn pure_crates(workspace: &Workspace) -> Result<(), Failure> {
    let step = "crates without a runtime";
    announce(step);
    for package in PURE_CRATES {
        let tree =
            workspace.cargo(["tree", "-p", package, "-e", "normal", "--target", "all", "--prefix", "none"]);
        if lists_runtime(&tree.read(step)?) {
            return Err(Failure::new(step, format!("{package} pulls in {RUNTIME}")).repeat_with(&tree));
        }
    }
    Ok(())
}

fn lists_runtime(tree: &str) -> bool {
    tree.lines().any(|line| line.split_whitespace().next() == Some(RUNTIME))
}

fn cargo_deny(workspace: &Workspace) -> Result<(), Failure> {
    if !setup::has_cargo_command(workspace, "deny") {
        announce("cargo-deny");
        note(
            "skipped: cargo-deny is not installed (`cargo install cargo-deny --locked` adds it); its main rules were checked above",
        );
        return Ok(());
    }
    step::run("cargo-deny", &workspace.cargo(["deny", "check", "bans", "licenses", "sources"]))?;
    announce("advisories");
    if !setup::has_advisories(workspace) {
        note("skipped: no database of advisories within reach");
        return Ok(());
    }
    workspace.cargo(["deny", "check", "advisories"]).run("advisories")
}

fn documentation(workspace: &Workspace) -> Result<(), Failure> {
    let build = workspace.cargo(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings");
    step::run("docs", &build)?;
    step::run("doc tests", &workspace.cargo(["test", "--quiet", "--doc", "--workspace"]))
}

/// The fuzz targets are a workspace of their own, so that nothing else waits for libFuzzer. Here
/// what they check is run without it, on their seeds and past finds.
fn fuzz_targets(workspace: &Workspace) -> Result<(), Failure> {
    const MANIFEST: &str = "fuzz/Cargo.toml";
    step::run("fuzz targets: fmt", &workspace.cargo(["fmt", "--manifest-path", MANIFEST, "--check"]))?;
    let target = workspace.target().join("fuzz-replay");
    let replay = workspace.cargo(["test", "--quiet", "--no-default-features", "--manifest-path", MANIFEST]);
    step::run("fuzz targets: replay", &replay.arg("--target-dir").arg(target))
}

/// What newcomers run first. An optimised build can fail where all others pass: futures have other layouts in it.
fn released(workspace: &Workspace) -> Result<(), Failure> {
    step::run("release build", &workspace.cargo(["build", "--release"]))
}

fn tests(workspace: &Workspace) -> Result<(), Failure> {
    if setup::has_cargo_command(workspace, "nextest") {
        return step::run("tests", &workspace.cargo(["nextest", "run", "--workspace", "--no-fail-fast"]));
    }
    announce("tests");
    note("cargo-nextest is not installed: running them with `cargo test`");
    workspace.cargo(["test", "--workspace", "--no-fail-fast", "--lib", "--bins", "--tests"]).run("tests")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_no_suite_names_is_found() {
        let suite = "mod a;\nmod b_c;\n";
        for (file, is_out) in
            [("a.rs", false), ("b_c.rs", false), ("c.rs", true), ("suite.rs", false), ("data", false)]
        {
            assert_eq!(is_left_out(suite, Path::new(file)), is_out, "{file}");
        }
    }

    #[test]
    fn the_runtime_is_found_by_its_whole_name() {
        assert!(lists_runtime("a v0.1.0 (/here)\ntokio v1.0.0 (*)\n"));
        assert!(!lists_runtime("a v0.1.0 (/here/tokio)\ntokio-util v0.7.0\n"));
    }
}
