//! Connections to a real child process with bad habits: what is well-formed arrives, and what is not
//! breaks nothing but its own call.

use crate::child;

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use child::{Child, PATIENCE};
use tokio::time::{Instant, sleep, timeout};
use toolwright_jsonrpc::{Json, Notification, Request, raw};
use toolwright_mcp::stdio::{ChildCommand, StartedChild, start};
use toolwright_mcp::{Answer, Connection, Ending, Host, NoHost, RequestError, RequestOptions, StartError};
use toolwright_testkit::{BROKEN_ANSWERS, STDOUT_HABITS};

fn call(habit: &str, arguments: &str) -> Option<Json> {
    let params = format!(r#"{{"name":{},"arguments":{arguments}}}"#, raw::quote(habit));
    Some(Json::parse(&params).expect("JSON"))
}

fn options(timeout: Duration) -> RequestOptions {
    RequestOptions { timeout: Some(timeout), ..RequestOptions::default() }
}

impl Child {
    async fn call(&self, habit: &str, arguments: &str) -> Result<Json, RequestError> {
        let options = options(PATIENCE);
        let request = self.connection.request("tools/call", call(habit, arguments), &options);
        timeout(PATIENCE, request).await.expect("an answer or an error")
    }

    async fn says(&self, habit: &str, text: &str) -> String {
        let arguments = format!(r#"{{"text":{}}}"#, raw::quote(text));
        text_of(&self.call(habit, &arguments).await.expect("an answer"))
    }
}

fn text_of(result: &Json) -> String {
    let content = result.get("content").and_then(|content| content.items()).expect("content");
    content[0].get_text("text").expect("text")
}

fn is_running(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    Path::new(&format!("/proc/{pid}")).exists() && !stat.contains(") Z ")
}

async fn ends(pid: u32) {
    let deadline = Instant::now() + PATIENCE;
    while is_running(pid) {
        assert!(Instant::now() < deadline, "process {pid} still runs");
        sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn every_well_formed_answer_arrives_whatever_stands_around_it() {
    assert!(STDOUT_HABITS.len() >= 25);
    let server = Child::start(&[]);
    for habit in STDOUT_HABITS {
        let text = format!("{habit} ä \"quoted\" {{\"id\":1}}");
        assert_eq!(server.says(habit, &text).await, text, "{habit}");
        assert_eq!(server.says("plain", "next").await, "next", "after {habit}");
    }
    let counts = server.connection.counts();
    assert!(counts.noise >= 500, "{counts:?}");
    assert!(counts.last_noise.iter().any(|noise| noise.shown.contains("100%")), "{counts:?}");
    assert_eq!(server.connection.in_flight(), 0);
}

#[tokio::test]
async fn an_answer_that_comes_twice_or_to_nobody_is_counted() {
    let server = Child::start(&[]);
    for habit in ["answers-twice", "unknown-id", "two-on-a-line", "batch"] {
        server.says(habit, "x").await;
    }
    server.says("plain", "x").await;
    assert_eq!(server.connection.counts().unwanted, 4);
}

#[tokio::test]
async fn calls_at_once_get_their_own_answers() {
    let server = Arc::new(Child::start(&[]));
    let calls: Vec<_> = (0..200)
        .map(|number| {
            let server = Arc::clone(&server);
            tokio::spawn(async move { (server.says("plain", &format!("nonce {number}")).await, number) })
        })
        .collect();
    for call in calls {
        let (text, number) = call.await.expect("done");
        assert_eq!(text, format!("nonce {number}"));
    }
}

#[tokio::test]
async fn a_server_that_dies_fails_its_calls_at_once_with_code_and_stderr() {
    let server = Child::start(&[]);
    let hanging = server.call("hang", "{}");
    let dying = server.call("die", r#"{"text":"out of luck","code":7}"#);
    let (hanging, dying) = tokio::join!(hanging, dying);
    for error in [hanging.unwrap_err(), dying.unwrap_err()] {
        let RequestError::Closed(closed) = &error else { panic!("{error}") };
        assert_eq!(closed.ending, Ending::Exited(7));
        let said = error.to_string();
        assert!(
            said.contains("ended with exit code 7") && said.contains("cannot go on: out of luck"),
            "{said}"
        );
    }
    // And so do those that come later.
    let later = server.call("plain", "{}").await.unwrap_err();
    assert!(later.to_string().contains("exit code 7"), "{later}");
    assert!(server.connection.closed().is_some());
}

#[tokio::test]
async fn a_server_that_is_killed_is_told_by_its_signal() {
    for _ in 0..100 {
        let server = Child::start(&[]);
        let begin = Instant::now();
        let kill = async {
            while !server.stderr.text().contains("started") {
                sleep(Duration::from_millis(1)).await;
            }
            let pid = rustix::process::Pid::from_raw(server.pid.cast_signed()).expect("a process");
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("killed");
        };
        let (outcome, ()) = tokio::join!(server.call("hang", "{}"), kill);
        let error = outcome.unwrap_err().to_string();
        assert!(error.contains("signal 9 (SIGKILL)") && error.contains("hostile server started"), "{error}");
        assert!(begin.elapsed() < PATIENCE / 2);
    }
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_cancelled_at_the_server() {
    let server = Child::start(&[]);
    let patient = options(Duration::from_millis(100));
    let error = server.connection.request("tools/call", call("hang", "{}"), &patient).await.unwrap_err();
    assert!(matches!(error, RequestError::TimedOut(_)), "{error}");
    // A call that is dropped is cancelled as well.
    let options = options(PATIENCE);
    let dropped = server.connection.request("tools/call", call("hang", "{}"), &options);
    assert!(timeout(Duration::from_millis(100), dropped).await.is_err());
    assert_eq!(server.says("plain", "still here").await, "still here");
    let told = server.stderr.text();
    assert_eq!(told.matches("notified: notifications/cancelled").count(), 2, "{told}");
    assert!(told.contains("it took too long") && told.contains("the caller gave it up"), "{told}");
    assert_eq!(server.connection.in_flight(), 0);
}

#[tokio::test]
async fn no_cancellation_is_lost_when_more_calls_end_at_once_than_messages_may_wait() {
    const CALLS: usize = 500;
    let server = Arc::new(Child::start(&[]));
    let calls: Vec<_> = (0..CALLS)
        .map(|_| {
            let server = Arc::clone(&server);
            tokio::spawn(async move {
                let patient = options(Duration::from_secs(1));
                server.connection.request("tools/call", call("hang", "{}"), &patient).await
            })
        })
        .collect();
    for call in calls {
        let outcome = call.await.expect("done");
        assert!(matches!(outcome, Err(RequestError::TimedOut(_))), "{outcome:?}");
    }
    let deadline = Instant::now() + PATIENCE;
    while server.says("tally", "").await != CALLS.to_string() {
        assert!(Instant::now() < deadline, "{} cancellations", server.says("tally", "").await);
        sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_heartbeat_keeps_a_long_call_alive_and_is_passed_on() {
    let server = Child::start(&[]);
    let heard = Arc::new(Mutex::new(Vec::new()));
    let listener = Arc::clone(&heard);
    let options = RequestOptions {
        timeout: Some(Duration::from_millis(1500)),
        on_progress: Some(Arc::new(move |params| listener.lock().unwrap().push(params.to_string()))),
        ..RequestOptions::default()
    };
    let params = call("heartbeat", r#"{"text":"done","beats":6,"every_ms":500}"#).expect("params");
    let own = Json::parse(r#"{"progressToken":"mine","x":1}"#).expect("JSON");
    let params = params.with("_meta", &own);
    let result = server.connection.request("tools/call", Some(params), &options).await.expect("an answer");
    assert_eq!(text_of(&result), "done");
    let heard = heard.lock().unwrap();
    assert_eq!(heard.len(), 6);
    assert!(heard.iter().all(|params| params.contains(r#""progressToken":"mine""#)), "{heard:?}");
}

#[tokio::test]
async fn an_answer_that_is_too_large_or_too_deep_is_an_error_of_its_call_alone() {
    let server = Child::start(&[]);
    assert_eq!(text_of(&server.call("large", r#"{"megabytes":8}"#).await.expect("an answer")).len(), 8 << 20);
    let error = server.call("large", r#"{"megabytes":64}"#).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the response is larger than 16 MiB; request less at once, or raise \"maxResponseBytes\" of its server"
    );
    assert!(server.call("deep", r#"{"depth":64}"#).await.is_ok());
    for depth in [129, 5000, 1_000_000] {
        let error = server.call("deep", &format!(r#"{{"depth":{depth}}}"#)).await.unwrap_err();
        assert_eq!(error.to_string(), "the response nests deeper than 128 levels", "{depth}");
    }
    assert_eq!(server.says("plain", "still here").await, "still here");
}

#[tokio::test]
async fn the_largest_answer_is_a_setting() {
    let limited = |bytes| Child::start_limited(&[], Arc::new(NoHost), Some(bytes));
    let (small, large) = (limited(1 << 20), limited(40 << 20));
    let error = small.call("large", r#"{"megabytes":2}"#).await.unwrap_err().to_string();
    assert!(error.contains("larger than 1 MiB") && error.contains("maxResponseBytes"), "{error}");
    assert_eq!(small.says("plain", "still here").await, "still here");
    assert_eq!(
        text_of(&large.call("large", r#"{"megabytes":30}"#).await.expect("an answer")).len(),
        30 << 20
    );
    let error = large.call("large", r#"{"megabytes":41}"#).await.unwrap_err().to_string();
    assert!(error.contains("larger than 40 MiB"), "{error}");
}

#[tokio::test]
async fn a_server_gets_the_listed_variables_and_no_other() {
    let listed = |name: &str| {
        let list = ["HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"];
        let network =
            ["NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"];
        let proxies = ["http_proxy", "https_proxy", "no_proxy", "all_proxy"];
        let is_proxy = proxies.contains(&name.to_ascii_lowercase().as_str());
        list.contains(&name) || network.contains(&name) || is_proxy || name.starts_with("LC_")
    };
    let mut expected: Vec<String> = std::env::vars_os()
        .filter_map(|(name, _)| name.into_string().ok())
        .filter(|name| listed(name))
        .collect();
    // Cargo sets these for every test; only the second is asked for.
    assert!(std::env::var_os("CARGO_PKG_NAME").is_some() && std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    expected.extend(["CARGO_MANIFEST_DIR".to_owned(), "DECLARED".to_owned()]);
    expected.sort();
    let command = ChildCommand {
        program: env!("CARGO_BIN_EXE_hostile-server").into(),
        env: vec![("DECLARED".into(), "x".into())],
        env_from: vec!["CARGO_MANIFEST_DIR".into(), "NOT_SET_ANYWHERE".into()],
        ..ChildCommand::default()
    };
    let StartedChild { link, .. } = start(&command).expect("it starts");
    let connection = Connection::open(link, Arc::new(NoHost));
    let answer = connection.request("tools/call", call("environment", "{}"), &options(PATIENCE)).await;
    let names = text_of(&answer.expect("an answer"));
    let mut names: Vec<&str> = names.split(' ').collect();
    names.sort_unstable();
    assert_eq!(names, expected);
}

#[tokio::test]
async fn a_servers_own_requests_are_answered() {
    let server = Child::start(&[]);
    assert_eq!(server.says("asks-back", "x").await, "x");
    let deadline = Instant::now() + PATIENCE;
    while server.stderr.text().matches("answered: Some(").count() < 2 {
        assert!(Instant::now() < deadline, "{}", server.stderr.text());
        sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_server_that_asks_without_end_is_answered_so_many_at_once() {
    /// Never answers.
    struct Silent;
    impl Host for Silent {
        fn request(&self, _: Request) -> Answer<'_> {
            Box::pin(std::future::pending())
        }
        fn notified(&self, _: Notification) {}
    }
    let server = Child::start_with(&[], Arc::new(Silent));
    assert_eq!(server.says("asks-without-end", "x").await, "x");
    assert_eq!(server.says("plain", "still here").await, "still here");
    assert!(server.stderr.text().contains("64 requests are being answered"), "{}", server.stderr.tail());
}

#[tokio::test]
async fn what_a_server_started_ends_with_it() {
    // One that ends by itself, one that is killed, and one that ignores the end of its stdin.
    for (args, is_killed) in [(&[][..], false), (&[], true), (&["--ignore-end"], false)] {
        let server = Child::start(args);
        let child: u32 = server.says("starts-children", "").await.parse().expect("a process id");
        assert!(is_running(child));
        let pid = server.pid;
        if is_killed {
            let raw = rustix::process::Pid::from_raw(pid.cast_signed()).expect("a process");
            rustix::process::kill_process(raw, rustix::process::Signal::KILL).expect("killed");
        }
        drop(server);
        ends(pid).await;
        ends(child).await;
    }
}

#[tokio::test]
async fn a_program_that_cannot_be_started_is_told_by_its_reason() {
    let start = |program: &str, cwd: Option<&str>| {
        let cwd = cwd.map(Into::into);
        start(&ChildCommand { program: program.into(), cwd, ..ChildCommand::default() }).unwrap_err()
    };
    let missing = start("no-such-program-anywhere", None);
    assert!(matches!(missing, StartError::NotFound { .. }) && missing.is_lasting(), "{missing}");
    assert!(missing.to_string().contains("no-such-program-anywhere"), "{missing}");
    assert!(matches!(
        start(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"), None),
        StartError::NotAllowed { .. }
    ));
    let nowhere = start(env!("CARGO_BIN_EXE_hostile-server"), Some("/no/such/folder"));
    assert!(matches!(nowhere, StartError::NoFolder { .. }), "{nowhere}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_cancelled_around_its_answer_ends_once() {
    let server = Child::start(&[]);
    let options = options(PATIENCE);
    for round in 0..500u64 {
        let request = server.connection.request("tools/call", call("plain", "{}"), &options);
        let _ = timeout(Duration::from_micros(round % 250), request).await;
    }
    assert_eq!(server.connection.in_flight(), 0);
    assert_eq!(server.says("plain", "still here").await, "still here");
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_fails_its_call_at_once_and_is_shown() {
    let server = Child::start(&[]);
    for (habit, fault) in BROKEN_ANSWERS {
        let error = server.call(habit, r#"{"text":"what it says"}"#).await.unwrap_err();
        assert!(matches!(error, RequestError::Unreadable(_)), "{habit}: {error}");
        let said = error.to_string();
        assert!(said.contains(fault), "{habit}: {said}");
        assert!(said.contains("the server sent: {") && said.len() < 1000, "{habit}: {said}");
        assert_eq!(server.says("plain", "still here").await, "still here", "{habit}");
    }
    let error = server.call("error-without-id", "{}").await.unwrap_err();
    assert_eq!(error.to_string(), "Parse error");
}

#[tokio::test]
async fn an_answer_without_an_id_ends_no_call_while_several_wait_and_a_log_line_ends_none() {
    let server = Arc::new(Child::start(&[]));
    let waiting = {
        let server = Arc::clone(&server);
        tokio::spawn(async move { server.call("hang", "{}").await })
    };
    while server.connection.in_flight() == 0 {
        sleep(Duration::from_millis(1)).await;
    }
    let short = options(Duration::from_millis(500));
    for habit in ["no-id", "error-without-id"] {
        let outcome = server.connection.request("tools/call", call(habit, "{}"), &short).await;
        assert!(matches!(outcome, Err(RequestError::TimedOut(_))), "{habit}: {outcome:?}");
    }
    assert_eq!(server.says("json-log-line", "x").await, "x");
    assert_eq!(server.says("answers-hung", "x").await, "x");
    assert_eq!(text_of(&waiting.await.expect("done").expect("an answer")), "late");
}

#[cfg(unix)]
#[tokio::test]
async fn a_server_that_closes_its_output_is_gone() {
    let server = Child::start(&[]);
    let error = server.call("closes-stdout", "{}").await.unwrap_err();
    let RequestError::Closed(closed) = &error else { panic!("{error}") };
    assert_eq!(closed.ending, Ending::Mute, "{error}");
    ends(server.pid).await;
}
