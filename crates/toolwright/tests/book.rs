//! The book is true: every fenced block of README.md, CONTRIBUTING.md and `docs/` is run, checked, or says why it is not.
//!
//! `sh` and `console` blocks are run, in a folder and a home of their own for each page; `text` behind one is what it prints;
//! `json` and `config` are read as what they are. docs/README.md says how a block is marked. A page of which nothing is said
//! here is run with the others at the end.

#![cfg(unix)]

mod block;
mod commands;
mod compare;
mod desk;
mod json;
#[path = "../../../tests/book/markdown.rs"]
mod markdown;
mod page;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use block::Kind;
use page::Page;

/// Tests of one page each, so that they run beside each other.
macro_rules! pages {
    ($($test:ident: $page:literal,)*) => {
        const ALONE: &[&str] = &[$($page),*];
        $(#[test] fn $test() { told(Page::read($page).run()); })*
    };
}

pages! {
    the_readme_is_true: "README.md",
    the_page_of_call_is_true: "docs/call.md",
    the_page_of_the_gateway_is_true: "docs/gateway.md",
    the_page_of_the_interface_is_true: "docs/api.md",
    the_page_of_the_journal_is_true: "docs/audit.md",
    the_page_of_the_models_is_true: "docs/llm.md",
    the_page_of_learning_is_true: "docs/learning.md",
    the_page_of_servers_is_true: "docs/servers.md",
    the_page_of_the_voice_is_true: "docs/voice.md",
    the_page_of_the_doctor_is_true: "docs/doctor.md",
    the_page_of_status_is_true: "docs/status.md",
    the_page_of_operations_is_true: "docs/operations.md",
}

#[test]
fn all_other_pages_are_true() {
    let others = all().into_iter().filter(|page| !ALONE.contains(&page.as_str()));
    told(others.flat_map(|page| Page::read(&page).run()).collect());
}

/// No page is run here: what this test tells is that something cannot be run, with what to do about it.
#[test]
fn every_block_says_what_it_is() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for name in all() {
        let page = Page::read(&name);
        for (block, kind) in page.blocks() {
            match kind {
                Ok(kind) => *counts.entry(kind.counted(block)).or_default() += 1,
                Err(what) => wrong.push(format!("{name}:{}: {what}", block.line)),
            }
        }
    }
    for (what, count) in &counts {
        eprintln!("{count:4}  {what}");
    }
    told(wrong);
    let left = counts.iter().filter(|(what, _)| what.starts_with("not run")).map(|(_, count)| count);
    assert!(left.sum::<usize>() <= MOST_NOT_RUN, "too many blocks are not run: {counts:#?}");
}

/// How many blocks may stay without being run or checked, pictures among them.
const MOST_NOT_RUN: usize = 12;

#[test]
fn a_block_that_says_nothing_is_told_with_what_to_do() {
    for (text, said) in [
        ("```\nx\n```\n", "a block without a language"),
        ("```rust\nx\n```\n", "blocks of \"rust\" are not known here"),
        ("```text\nx\n```\n", "a text that is not what the command before it prints"),
        ("```sh no_run=tired\nx\n```\n", "\"tired\" is no reason"),
        ("```json\n{\"a\": 1}\n```\n", "nobody knows what this JSON is"),
        ("```text checked_by=gone.rs\nx\n```\n", "there is no gone.rs"),
    ] {
        let page = Page::of("docs/page.md", text);
        let kinds: Vec<_> = page.blocks().collect();
        let [(_, Err(what))] = kinds.as_slice() else { panic!("{text}: {kinds:?}") };
        assert!(what.starts_with(said), "{text}: {what}");
    }
}

#[test]
fn a_planted_example_that_is_not_true_is_found() {
    for (text, said) in [
        ("```sh\nfalse\n```\n", "exit code 1 instead of 0"),
        ("```sh\necho one\n```\n\n```text\ntwo\n```\n", "prints something else"),
        ("```console\n$ echo one\ntwo\n```\n", "prints something else"),
        ("```config\n{\"mcpServers\": {\"a\": {}}}\n```\n", "server \"a\" is left out"),
        ("```json\n{\"mcpServers\": {\"a\": 5}}\n```\n", "server \"a\" is left out"),
        ("```json\n[{\"id\": \"a\", \"tools\": [\"x\"], \"type\": \"no\"}]\n```\n", "no such rules file"),
        ("```json\n{\"code\": \"Z9\"}\n```\n", "\"Z9\" is no code"),
    ] {
        let wrong = Page::of("docs/page.md", text).run();
        let [wrong] = wrong.as_slice() else { panic!("{text}: {wrong:?}") };
        assert!(wrong.starts_with("docs/page.md:") && wrong.contains(said), "{text}: {wrong}");
    }
}

#[test]
fn what_is_started_on_a_page_is_ended_with_it() {
    let page = Page::of("docs/page.md", "```sh\ntoolwright serve\ncurl localhost:8484/healthz\n```\n");
    let mut desk = desk::Desk::new(&page.name);
    assert_eq!(page.run_at(&mut desk), Vec::<String>::new());
    let port = desk.port();
    assert!(std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());
    drop(desk);
    crate::gateway::until("it is gone", || std::net::TcpStream::connect(("127.0.0.1", port)).is_err());
}

#[test]
fn every_client_has_its_guide() {
    let page = std::fs::read_to_string(root().join("docs/clients.md")).expect("the page");
    for client in toolwright_config::clients::CLIENTS {
        for part in
            [format!("\n## {}\n", client.title), format!("\n$ toolwright install {} --undo\n", client.id)]
        {
            assert!(page.contains(&part), "docs/clients.md has no {part:?}");
        }
    }
}

fn told(wrong: Vec<String>) {
    assert!(wrong.is_empty(), "{} examples are not true:\n\n{}", wrong.len(), wrong.join("\n\n"));
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// README.md, CONTRIBUTING.md and every page of the book, by their names from the top folder.
fn all() -> Vec<String> {
    let mut found: Vec<String> = vec!["README.md".to_owned(), "CONTRIBUTING.md".to_owned()];
    let mut folders = vec!["docs".to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(root().join(&folder)).expect("a folder of the book") {
            let entry = entry.expect("an entry");
            let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                folders.push(name);
            } else if name.ends_with(".md") {
                found.push(name);
            }
        }
    }
    found.sort();
    found
}

/// What is done with a block, for `every_block_says_what_it_is`.
impl Kind {
    fn counted(&self, block: &markdown::Block) -> String {
        match self {
            Kind::Run | Kind::Session => format!("run: {}", block.language),
            Kind::Shown => "compared with what is printed".to_owned(),
            Kind::Config | Kind::Problems | Kind::Json(_) => format!("checked here: {}", block.language),
            Kind::Elsewhere => format!("checked by another test: {}", block.language),
            Kind::NotRun(reason) => format!("not run, {reason}: {}", block.language),
        }
    }
}
