//! How long every page takes over a million recorded calls.
//!
//! `pages-bench TOOLWRIGHT [CALLS]` fills an index, starts the gateway over it, opens its pages by a login link, and
//! prints a table. `cargo xtask bench pages` runs it with what is released.

#![allow(clippy::print_stdout, reason = "its stdout is its report")]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json, value::RawValue};
use toolwright_ledger::index::Store;
use toolwright_ledger::{Change, Exchange, Failure, Kind, Record};

const CALLS: u64 = 1_000_000;
/// One exchange with a model for so many calls.
const CALLS_PER_EXCHANGE: u64 = 10;
const BATCH: u64 = 500;
/// How often each page is asked for.
const TIMES: usize = 40;
/// How long opening the index may take.
const OPENED: Duration = Duration::from_secs(120);
/// Calls come every two seconds: a million are 23 days.
const BETWEEN: i64 = 2_000_000;
const TOOLS: [&str; 6] = ["read_file", "search_code", "write_file", "run_tests", "fetch_page", "send_mail"];
const WORDS: [&str; 8] =
    ["config", "server", "database", "invoice", "kitchen", "report", "umbrella", "zebra"];

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// One of a list: each half as likely as the one before it.
    fn pick<'l>(&mut self, list: &[&'l str]) -> &'l str {
        list[(self.next().trailing_zeros() as usize).min(list.len() - 1)]
    }
}

/// Ends the gateway with this program.
struct Gateway(Child);

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let Some(program) = words.next() else {
        eprintln!("usage: pages-bench TOOLWRIGHT [CALLS]");
        return ExitCode::from(2);
    };
    let calls = words.next().and_then(|word| word.parse().ok()).unwrap_or(CALLS);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let done =
        runtime.map_err(Into::into).and_then(|runtime| runtime.block_on(run(Path::new(&program), calls)));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(program: &Path, calls: u64) -> Result<()> {
    let program = std::path::absolute(program)?;
    let home = tempfile::tempdir()?;
    let index = home.path().join("index.db");
    fill(&index, calls).await?;
    let configuration =
        json!({ "mcpServers": {}, "builtinTools": true, "store": format!("sqlite:{}", index.display()) });
    std::fs::write(home.path().join("toolwright.json"), configuration.to_string())?;
    let mut gateway = Gateway(
        Command::new(&program)
            .args(["serve", "--port", "0", "--json", "--rate", "0", "--config", "toolwright.json"])
            .current_dir(home.path())
            .env("XDG_STATE_HOME", home.path().join("state"))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?,
    );
    let mut line = String::new();
    BufReader::new(gateway.0.stdout.take().ok_or("no output")?).read_line(&mut line)?;
    let said: Value = serde_json::from_str(&line)?;
    let base = said["dashboard"].as_str().ok_or("no address")?.trim_end_matches('/');
    let made = Command::new(&program)
        .args(["dashboard", "--url", base])
        .env("XDG_STATE_HOME", home.path().join("state"))
        .output()?;
    let link = String::from_utf8(made.stdout)?.trim().to_owned();
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build()?;
    let answer = client.get(&link).send().await?;
    let cookie = answer.headers().get("set-cookie").ok_or("no cookie")?.to_str()?;
    let cookie = cookie.split(';').next().unwrap_or_default().to_owned();
    let begun = Instant::now();
    while client.get(format!("{base}/calls")).header("cookie", &cookie).send().await?.status() != 200 {
        if begun.elapsed() > OPENED {
            return Err("the index was not opened in time".into());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    eprintln!("    the index was open after {:.1} s", begun.elapsed().as_secs_f64());
    println!("| page over {calls} calls | p50 | p95 | longest |\n|---|---|---|---|");
    for path in paths(calls) {
        let mut times = Vec::new();
        for _ in 0..TIMES {
            let begun = Instant::now();
            let answer = client.get(format!("{base}{path}")).header("cookie", &cookie).send().await?;
            let status = answer.status();
            let body = answer.bytes().await?;
            if status != 200 {
                return Err(format!("{path}: {status}: {}", String::from_utf8_lossy(&body)).into());
            }
            times.push(begun.elapsed());
        }
        times.sort();
        let at = |share: usize| shown(times[(times.len() * share / 100).min(times.len() - 1)]);
        println!("| `{path}` | {} | {} | {} |", at(50), at(95), at(100));
    }
    Ok(())
}

fn shown(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1000.0)
}

fn paths(calls: u64) -> Vec<String> {
    let plain = [
        "/",
        "/live",
        "/calls",
        "/normalizer",
        "/errors",
        "/rules",
        "/playground",
        "/servers",
        "/toolboxes",
        "/models",
        "/models?period=all",
        "/security",
        "/about",
        "/notices",
        "/calls?outcome=error",
        "/calls?outcome=changed",
        "/calls?tool=read_file",
        "/calls?tool=send_mail",
        "/calls?server=files&client=cursor",
        "/calls?rule=param_renamed",
        "/calls?q=config",
        "/calls?q=zebra",
        "/calls?q=item4711",
        "/calls?tool=send_mail&q=config",
        "/calls?tool=read_file&outcome=error&q=zebra",
        "/calls?from=2026-01-01T00:00",
        "/calls?to=2020-01-01T00:00",
        "/calls?q=nothinglikeit",
    ];
    plain.into_iter().map(str::to_owned).chain([format!("/calls/call-{}", calls / 2)]).collect()
}

async fn fill(index: &Path, calls: u64) -> Result<()> {
    let (store, _) = Store::sqlite(index).await?;
    let now = i64::try_from(std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?.as_micros())?;
    let start = now - calls as i64 * BETWEEN;
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut seq = 0;
    let begun = Instant::now();
    for first in (1..=calls).step_by(BATCH as usize) {
        let mut records = Vec::new();
        for number in first..(first + BATCH).min(calls + 1) {
            let ts = start + number as i64 * BETWEEN;
            seq += 1;
            records.push(call(number, seq, ts, &mut random));
            if number.is_multiple_of(CALLS_PER_EXCHANGE) {
                seq += 1;
                records.push(exchange(number, seq, ts, &mut random));
            }
        }
        store.insert(&records).await?;
    }
    let seconds = begun.elapsed().as_secs_f64();
    eprintln!("    {seq} records in {seconds:.0} s, {:.0} a second", seq as f64 / seconds);
    store.close().await;
    Ok(())
}

fn call(number: u64, seq: u64, ts: i64, random: &mut Random) -> Record {
    let item = random.next() % 50_000;
    let arguments = format!(
        r#"{{"path":"/home/user/project/src/module{item}/file.rs","query":"{} {} item{item}","limit":{}}}"#,
        random.pick(&WORDS),
        random.pick(&WORDS),
        random.next() % 100
    );
    let mut record = Record {
        seq,
        ts,
        node: "bench".into(),
        call: format!("call-{number}"),
        client: Some(random.pick(&["claude", "cursor", "codex"]).into()),
        session: Some(format!("session-{}", number / 200)),
        front: "mcp".into(),
        toolbox: Some("work".into()),
        server: Some(random.pick(&["files", "web", "home"]).into()),
        tool: random.pick(&TOOLS).into(),
        bytes_in: arguments.len() as u64,
        arguments: RawValue::from_string(arguments).ok(),
        duration_us: random.next() % 500_000,
        bytes_out: random.next() % 5_000,
        ..Record::default()
    };
    if random.next().is_multiple_of(20) {
        let message = format!("no such file: /home/user/project/src/module{item}/file.rs");
        record.error = Some(Failure { code: "tool_failed".into(), message, ..Failure::default() });
    }
    if random.next().is_multiple_of(10) {
        let change = Change { code: "param_renamed".into(), path: "/path".into(), ..Change::default() };
        record.changes = vec![change];
        record.normalized = record.arguments.clone();
    }
    record
}

fn exchange(number: u64, seq: u64, ts: i64, random: &mut Random) -> Record {
    let exchange = Exchange {
        upstream: random.pick(&["anthropic", "local"]).into(),
        model: random.pick(&["claude-sonnet", "claude-haiku", "qwen3"]).into(),
        upstream_model: random.pick(&["claude-sonnet", "claude-haiku", "qwen3"]).into(),
        status: 200,
        input_tokens: Some(random.next() % 20_000),
        output_tokens: Some(random.next() % 2_000),
        first_token_us: Some(random.next() % 900_000),
        attempts: 1,
        ..Exchange::default()
    };
    Record {
        seq,
        ts,
        kind: Kind::Exchange,
        node: "bench".into(),
        call: format!("exchange-{number}"),
        client: Some("claude".into()),
        front: "llm".into(),
        duration_us: random.next() % 5_000_000,
        exchange: Some(Box::new(exchange)),
        ..Record::default()
    }
}
