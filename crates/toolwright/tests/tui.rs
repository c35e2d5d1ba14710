//! `toolwright tui` as a person uses it: in a real terminal, before a real gateway.

#![cfg(unix)]

use std::time::Duration;

use serde_json::json;

use crate::gateway::{Gateway, Home, until};
use crate::notes;
use crate::tmux::Tmux;

/// A gateway with a server, the built-in tools, and something that calls taught it.
fn taught(home: &Home) -> Gateway {
    home.put("toolwright.json", &notes::configuration(&json!({ "builtinTools": true })));
    let gateway = Gateway::start(home, &[]);
    for words in ["buy milk", "feed the cat"] {
        notes::correct_itself(&gateway, words);
    }
    gateway
}

/// A call that has to be mended, and is answered.
fn mended_call(gateway: &Gateway) {
    let read = json!({ "name": "read_file", "arguments": { "file_path": "notes.md" } });
    gateway.modern("/mcp/t/builtin", "tools/call", read).expect("it is read");
}

#[test]
fn calls_servers_and_suggestions_are_watched_and_decided_in_a_terminal() {
    let home = Home::new();
    let gateway = taught(&home);
    let tmux = Tmux::start(&home, (100, 30));
    tmux.line("toolwright tui");
    // What was before is there, and what ends comes by itself.
    let screen = tmux.until("the calls of before", |screen| screen.matches("notes/send_note").count() >= 4);
    assert!(screen.contains("[1 Live]") && screen.contains("refused"), "{screen}");
    mended_call(&gateway);
    let screen = tmux.until("the mended call", |screen| {
        screen.lines().any(|line| line.contains("files/read_file") && line.contains("repaired"))
    });
    assert!(screen.contains(r#"before  {"file_path":"notes.md"}"#), "{screen}");
    assert!(screen.contains(r#"after   {"path":"notes.md"}"#), "{screen}");
    tmux.until("the last hour", |screen| {
        screen.contains("last hour: 5 calls, 1 repaired, 2 failed (2 refused)")
    });
    tmux.press(&["Enter"]);
    tmux.until("the call alone", |screen| {
        screen.contains("toolwright explain") && !screen.contains("send_note")
    });
    tmux.press(&["Escape"]);
    tmux.until_shown("notes/send_note");

    // A filter, while the list is held still.
    tmux.write("/send_note refused");
    tmux.until_shown("(2 of 5)");
    tmux.press(&["Enter"]);
    tmux.until("only what fits it", |screen| !screen.contains("read_file"));
    tmux.press(&["Escape"]);
    tmux.until_shown("files/read_file");
    tmux.press(&["p"]);
    tmux.until_shown("PAUSED, 0 new");
    mended_call(&gateway);
    tmux.until_shown("PAUSED, 1 new");
    tmux.press(&["p"]);
    tmux.until("it goes on", |screen| {
        let rows =
            screen.lines().filter(|line| line.contains("files/read_file") && line.contains("repaired"));
        !screen.contains("PAUSED") && rows.count() == 2
    });

    tmux.press(&["Tab"]);
    let screen = tmux.until_shown("[2 Servers]");
    assert!(screen.lines().any(|line| line.contains("notes") && line.contains("ready")), "{screen}");
    tmux.until("its era and calls", |screen| {
        screen.lines().any(|line| line.contains("> notes") && line.contains("legacy") && line.contains(" 4 "))
    });
    tmux.press(&["3"]);
    tmux.until("the suggestion", |screen| screen.contains("payload -> prose") && screen.contains("waiting"));
    tmux.press(&["a"]);
    tmux.until_shown("Accept payload -> prose of notes/send_note? y yes, n no");
    tmux.press(&["n"]);
    tmux.until_shown("nothing was decided");
    assert!(!notes::send(&gateway, "payload", "not yet"), "no rule is in force");
    tmux.press(&["a"]);
    tmux.until_shown("? y yes, n no");
    tmux.press(&["y"]);
    tmux.until("it is decided", |screen| screen.contains("in force") && !screen.contains("waiting"));
    until("the rule is in force", || notes::send(&gateway, "payload", "water the plants"));
    tmux.press(&["?"]);
    tmux.until_shown("every word must be in the client");
    tmux.press(&["Escape"]);
    tmux.press(&["1"]);
    tmux.until("the call that the rule mended", |screen| {
        screen.lines().any(|line| line.contains("notes/send_note") && line.contains("repaired"))
    });
    assert!(tmux.is_second_screen());
    tmux.press(&["q"]);
    tmux.is_given_back();
}

#[test]
fn a_gateway_that_goes_away_is_waited_for_and_found_again_elsewhere() {
    let home = Home::new();
    let mut gateway = taught(&home);
    let tmux = Tmux::start(&home, (100, 30));
    tmux.line("toolwright tui");
    tmux.until("a suggestion", |screen| screen.contains("all is well") && screen.contains("3 Suggestions 1"));
    gateway.signal("KILL");
    gateway.end(Duration::from_secs(20)).expect("it is gone");
    let screen = tmux.until_shown("the gateway went away; trying again");
    assert!(screen.contains("notes/send_note"), "what was known stays: {screen}");
    tmux.press(&["3"]);
    tmux.until_shown("payload -> prose");
    tmux.write("ay");
    tmux.until_shown("nothing was decided");
    tmux.press(&["1"]);
    // At another port, with the same journal: the feed goes on behind the last call.
    let gateway = Gateway::start(&home, &[]);
    mended_call(&gateway);
    tmux.until("it is back", |screen| screen.contains("all is well") && screen.contains("files/read_file"));
    tmux.until_shown(&format!("http://127.0.0.1:{}", gateway.port));
    assert!(!notes::send(&gateway, "payload", "nothing"), "what was decided meanwhile is not done later");
    tmux.press(&["Escape"]);
    tmux.until_shown("Esc again leaves");
    tmux.press(&["Escape"]);
    tmux.is_given_back();
}

#[test]
fn a_server_that_is_down_is_seen_from_every_part() {
    let home = Home::new();
    let servers = json!({ "mcpServers": { "lost": { "command": "no-such-program-anywhere" } } });
    home.put("toolwright.json", &servers.to_string());
    let gateway = Gateway::start(&home, &[]);
    let _ = gateway.modern("/mcp/t/default", "tools/list", json!({}));
    let tmux = Tmux::start(&home, (100, 30));
    tmux.line("toolwright tui");
    tmux.until("it is seen", |screen| {
        screen.contains("2 Servers !1") && screen.contains("! the server 'lost' cannot be used")
    });
    tmux.press(&["2"]);
    tmux.until("why", |screen| screen.contains("> lost") && screen.contains("was not found"));
    tmux.press(&["C-c"]);
    tmux.is_given_back();
}

#[test]
fn the_terminal_is_given_back_whatever_ends_the_page() {
    let home = Home::new();
    let gateway = Gateway::start(&home, &[]);
    let url = format!("http://127.0.0.1:{}", gateway.port);
    for (signal, code) in [("TERM", 143), ("INT", 130), ("HUP", 130)] {
        let tmux = Tmux::start(&home, (80, 24));
        tmux.line(&format!("toolwright tui --url {url}; echo code-$?"));
        tmux.until_shown("No calls yet");
        assert!(tmux.is_second_screen());
        let pages = crate::gateway::processes_with(&format!("tui\0--url\0{url}"));
        let [page] = pages.as_slice() else { panic!("{pages:?}") };
        let sent =
            std::process::Command::new("kill").args([&format!("-{signal}"), &page.to_string()]).status();
        assert!(sent.expect("kill").success());
        tmux.until_shown(&format!("code-{code}"));
        tmux.is_given_back();
    }
}

#[test]
fn small_terminals_are_told_and_every_size_is_drawn_anew() {
    let home = Home::new();
    let _gateway = taught(&home);
    let tmux = Tmux::start(&home, (100, 30));
    tmux.line("toolwright tui");
    tmux.until_shown("notes/send_note");
    tmux.resize((30, 8));
    tmux.until_shown("30x8 is too small");
    tmux.resize((40, 12));
    tmux.until("a narrow list", |screen| screen.contains("[1 Live]") && screen.contains("notes/send_note"));
    tmux.resize((120, 40));
    let screen =
        tmux.until("a wide one", |screen| screen.contains("changes") && screen.contains("toolwright 0."));
    assert!(!screen.contains("too small"), "nothing of before is left: {screen}");
    // The environment of the tests wants no colours.
    let codes = tmux.screen_with_codes();
    assert!(codes.contains("\u{1b}[1;7m") && !has_colours(&codes), "{codes:?}");
    tmux.press(&["q"]);
    tmux.until_prompt();
    tmux.line("NO_COLOR= toolwright tui");
    tmux.until_shown("notes/send_note");
    assert!(has_colours(&tmux.screen_with_codes()), "colours are used where nobody minds");
}

/// Whether a letter has another colour than the terminal's own.
fn has_colours(screen: &str) -> bool {
    let codes = screen.split("\u{1b}[").skip(1).filter_map(|rest| rest.split_once('m'));
    let numbers = codes.flat_map(|(codes, _)| codes.split(';').filter_map(|code| code.parse::<u8>().ok()));
    numbers.into_iter().any(|code| matches!(code, 30..=38 | 40..=48 | 90..=107))
}

#[test]
fn without_a_terminal_or_a_gateway_that_is_said_with_what_to_do() {
    let home = Home::new();
    let (code, out, errors) = home.run(&["tui"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert_eq!(
        errors,
        "error: `toolwright tui` cannot be shown here: standard input is no terminal\n\
         fix: use `toolwright status` for the state, `toolwright audit tail -f` for the calls\n"
    );
    let tmux = Tmux::start(&home, (100, 30));
    tmux.line("toolwright tui | cat; toolwright tui --url http://127.0.0.1:9; echo code-$?");
    let screen = tmux.until_shown("code-1");
    assert!(screen.contains("standard output is no terminal"), "{screen}");
    assert!(
        screen.contains(
            "error: no gateway runs: http://127.0.0.1:9 is closed\nfix: start one: toolwright serve"
        ),
        "{screen}"
    );
    tmux.until_prompt();
    tmux.line("clear; TERM=dumb toolwright tui; echo code-$?");
    assert!(tmux.until_shown("code-2").contains("TERM=dumb"));
    tmux.is_given_back();
    // Somebody else's gateway.
    let other = Home::new();
    let gateway = Gateway::start(&other, &[]);
    tmux.line(&format!("clear; toolwright tui --url http://127.0.0.1:{}; echo code-$?", gateway.port));
    assert!(tmux.until_shown("code-1").contains("does not take the token"));
}
