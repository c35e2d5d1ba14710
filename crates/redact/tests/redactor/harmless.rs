//! What looks like a secret and is none: it should be left as it is.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::random::Random;
use super::redactor;

const PATHS: &[&str] = &[
    "/home/me/projects/toolwright/crates/redact/src/redactor/entropy.rs",
    "C:\\Users\\Me\\AppData\\Local\\Programs\\Python\\Python312\\python.exe",
    "src/components/UserProfileHeader/UserProfileHeader.test.tsx",
    "node_modules/.pnpm/@babel+core@7.23.0_supports-color@8.1.1/node_modules/@babel/core",
    "/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30",
    "~/.cargo/registry/src/index.crates.io-6f17d22bba15001f/serde-1.0.193/src/lib.rs",
    "/nix/store/5q3vzq1x0l8l9kqkz1y5ra7vmhj9i2mz-hello-2.12.1/bin/hello",
    "../../../packages/design-system/src/tokens/colors.ts",
    "/var/lib/docker/overlay2/3f4e5d6c7b8a9f0e1d2c3b4a5f6e7d8c9b0a1f2e3d4c5b6a7f8e9d0c1b2a3f4e/merged",
    "s3://my-bucket-name/year=2024/month=01/day=15/part-00000-of-00128.snappy.parquet",
    "/proc/self/task/12345/status",
    "target/debug/deps/libtoolwright_redact-8f3a2b1c4d5e6f70.rlib",
    "com/example/project/service/impl/UserAccountServiceImplementation.java",
    "/Library/Developer/CommandLineTools/usr/bin/python3",
    "./gradlew-wrapper-8.5-bin/distributions/gradle-8.5",
    "/opt/homebrew/Cellar/openssl@3/3.2.0_1/lib/libcrypto.3.dylib",
    "tests/fixtures/session_tokens/README.md",
    "/etc/systemd/system/multi-user.target.wants/ssh.service",
];

const CODE: &[&str] = &[
    "let token = self.next_token();",
    "const session = await createSession(request);",
    "fn login(user: &str, password: &str) -> Result<Session, AuthError> {",
    "if token == other { return; }",
    "password: String,",
    "token?: string;",
    "use crate::auth::session::Token;",
    "tokens = tokenizer.encode(text)",
    "session = requests.Session()",
    "parser.add_argument(\"--token\", required=True)",
    "SELECT id, email FROM users WHERE token IS NOT NULL",
    "for (let i = 0; i < tokens.length; i++) {",
    "import { getServerSideProps } from 'next/server'",
    "export default function AuthenticationProvider({ children }: Props) {",
    "static final long serialVersionUID = 8683452581122892189L;",
    "#define MAX_BUFFER_SIZE_IN_BYTES 0x7fffffffffffffff",
    "assert_eq!(parse(\"a=b\"), Ok(vec![(\"a\", \"b\")]));",
    "def test_should_return_404_when_user_is_not_found(self):",
    "const re = /^[A-Za-z0-9+/]{20,}={0,2}$/;",
    "x = (a + b) * c / d - e % f",
    "git rebase -i HEAD~3 && git push --force-with-lease",
    "docker run --rm -u 1000:1000 -p 8080:80 nginx:1.25-alpine",
    "cargo test -p toolwright-redact --all-targets -- --nocapture",
    "println!(\"{:?}\", std::env::var(\"HOME\"));",
    "{{ range .Items }}{{ .Name }}{{ end }}",
    "createElementNS(\"http://www.w3.org/2000/svg\", \"path\")",
    "M12 2C6.48 2 2 6.48 2 12s4.48 10 10 10 10-4.48 10-10S17.52 2 12 2z",
    "getElementsByClassNameAndAttributeValue",
    "ABSTRACT_SINGLETON_PROXY_FACTORY_BEAN_NAME",
    "internationalizationAndLocalizationSupport",
    "InvalidArgumentExceptionHandlerFactory",
    "__attribute__((visibility(\"default\")))",
    "kubectl get pods my-app-7d9f8b6c5d-x2x4z -n kube-system",
    "aarch64-unknown-linux-musl,x86_64-pc-windows-msvc",
    "background: linear-gradient(45deg, #ff0000 0%, #00ff00 100%);",
];

const CSS: &[&str] = &[
    ".css-1q2w3e4r { margin: 0 auto; }",
    "hover:bg-blue-500 dark:text-gray-100 md:grid-cols-2 px-4 py-2.5",
    "Button_primary__3xK9a Header_container__aB3xY",
    "font: 12px/1.5 \"Helvetica Neue\", Arial, sans-serif;",
    "sc-bdVaJa kHgXyz styled__Wrapper-sc-1x2y3z4-0",
    "transform: translate3d(0,0,0) rotate(45deg) scale(1.25);",
    "transition: background-color 0.3s cubic-bezier(0.4,0,0.2,1);",
    "@media (min-width: 768px) and (max-width: 1024px) { a { color: #abc; } }",
    "grid-template-areas: \"header header\" \"main sidebar\";",
    "--mdc-theme-on-primary: #ffffff; --spacing-unit: 8px;",
];

const SENTENCES: &[&str] = &[
    "How do I reset my password?",
    "The token is expired.",
    "the session is over now",
    "Unexpected token } in JSON at position 4",
    "password: missing",
    "Error: API_KEY is not set",
    "auth: failed",
    "basic usage: server [options]",
    "Please enter the bearer token below.",
    "Basic authentication is not supported by this server.",
    "He is the author of three books on risk-assessment-methods.",
    "max_tokens: 4000",
    "The secret is to keep it simple.",
    "Meet me at 10:30 in room 4, it is on floor 2.",
    "Session: Monday, about testing",
    "This function takes a key and a value, and returns the old one.",
    "The pin is connected to ground.",
    "Donaudampfschifffahrtsgesellschaftskapitän",
    "pneumonoultramicroscopicsilicovolcanoconiosis",
    "Write a story: once upon a time, there was a fox.",
    "No such file or directory (os error 2)",
    "error[E0382]: borrow of moved value: `items`",
    "at Object.<anonymous> (/home/me/app.js:3:7)",
    "connect ECONNREFUSED 127.0.0.1:1883",
    "expected one of: json, yaml, toml; got: xml",
    "rate limit: 60 requests per minute, try again in 12 s",
    "Rückmeldung: Prüfung erfolgreich, Größe 12,5 MB",
    "提示：文件已保存。",
    "The cookies are in the jar; sessions start at nine.",
    "invalid value for parameter limit: must be between 1 and 100",
    "I sent an e-mail to me@example.com about it.",
    "100% sure, 50%25 of the time",
    "tool call failed: timeout after 30000 ms (attempt 3/5)",
    "Usage: prog --token <token> --output <file>",
];

const URLS: &[&str] = &[
    "https://example.com:80/a@b",
    "https://github.com/rust-lang/rust/commit/0f1e2d3c4b5a69788796a5b4c3d2e1f001234567",
    "https://docs.rs/serde_json/1.0.108/serde_json/value/enum.Value.html#method.as_str",
    "https://en.wikipedia.org/wiki/Special:Search?search=caf%C3%A9+au+lait&go=Go",
    "http://localhost:3000/api/v1/users/42?page=2&sort=created_at&order=desc",
    "https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=42s",
    "https://cdn.example.com/assets/main.4f3a2b1c.chunk.js",
    "mailto:me@example.com?subject=Hello%20World",
    "https://api.example.com/v2/orders/550e8400-e29b-41d4-a716-446655440000/items",
    "git@github.com:owner/repository-with-long-name.git",
    "ssh://git@example.com:2222/owner/repo.git",
    "https://maps.example.com/@52.5200066,13.404954,15z",
    "file:///home/me/My%20Documents/report-2024-final.pdf",
    "https://registry.npmjs.org/@types/node/-/node-20.10.5.tgz",
    "wss://stream.example.com/socket?channel=news&limit=20",
];

const NAMES: &[&str] = &[
    "IMG_20240115_103000_HDR.jpg",
    "Screenshot 2024-01-15 at 10.30.00.png",
    "report-final-v2-2024-01-15.xlsx",
    "backup_2024-01-15T10-30-00Z.tar.gz",
    "toolwright-x86_64-unknown-linux-gnu.tar.xz",
    "libssl1.1_1.1.1f-1ubuntu2.20_amd64.deb",
    "MyApplicationConfiguration.Development.json",
    "Cargo.lock",
    "test_data_000123_of_000456.jsonl",
    "DSC01234.ARW",
    "com.example.myapplication.debug-v1.2.3-build456.apk",
    "2024_Q4_Financial_Statement_Draft03.docx",
    "RFC7519-JSON-Web-Token.txt",
    "windows10.0-kb5034441-x64_3a1b2c4d5e6f70819203a4b5c6d7e8f901234567.msu",
    "python-3.12.1-macos11.pkg",
    "Qwen2.5-Coder-32B-Instruct-Q4_K_M.gguf",
    "Meta-Llama-3.1-70B-Instruct",
    "claude-3-5-sonnet-20241022",
    "gpt-4o-mini-2024-07-18",
    "text-embedding-ada-002",
    "sk-learn-contrib-package",
    "npm_config_registry_default",
    "hf_transformers_cache_dir",
    "switch.living_room_lamp_3",
    "sensor.temperature_outside_2",
];

const NUMBERS: &[&str] = &[
    "3.14159265358979323846264338327950288",
    "12345678901234567890123456789",
    "-1.7976931348623157e+308",
    "0xdeadbeefcafebabe",
    "1705312200000",
    "1,234,567.89",
    "+49 30 1234567890",
    "4111-1111",
    "192.168.178.100:8443",
    "2001:0db8:85a3:0000:0000:8a2e:0370:7334",
    "00:1A:2B:3C:4D:5E",
    "52.5200066,13.4049540",
    "10000000000000000000000000",
    "v1.2.3-rc.4+build.567",
];

const TIMES: &[&str] = &[
    "2024-01-15T10:30:00Z",
    "2024-01-15T10:30:00.123456789+01:00",
    "20240115T103000Z",
    "Mon, 15 Jan 2024 10:30:00 GMT",
    "2024-W03-1",
    "P3Y6M4DT12H30M5S",
    "2024-01-15_10-30-00_UTC",
    "15.01.2024 10:30",
    "2024-01-15T10:30:00Z/2024-02-15T10:30:00Z",
    "Europe/Berlin",
    "TZ=America/Argentina/Buenos_Aires",
    "1h30m15s",
];

const JSON: &[&str] = &[
    r#"{"path":"src/main.rs","old_text":"let a = 1;","new_text":"let a = 2;"}"#,
    r#"{"query":"select * from orders where id = 5","limit":100}"#,
    r#"{"max_tokens":4096,"temperature":0.7,"model":"claude-3-5-sonnet-20241022"}"#,
    r#"{"entity_id":"light.kitchen","brightness":128,"rgb_color":[255,128,0]}"#,
    r#"{"author":"me","tokens":512,"keyboard":"qwerty","pinned":true}"#,
    r#"{"_meta":{"progressToken":7},"id":"call_Zk2LwX0vB7nM4tR6yP1sD3q8"}"#,
    r#"{"tool_use_id":"toolu_01A09q90qw90lq917835lq9","name":"read_file"}"#,
    r#"{"edits_json":"[{\"old\":\"a\",\"new\":\"b\"}]","dry_run":"true"}"#,
    r#"{"name":"limit","value":20}"#,
    r#"{"args":["--output","file.txt","--verbose"]}"#,
    r#"{"key":"color","value":"blue"}"#,
    r##"{"content":"# Title\n\nSome *markdown* with `code` and [a link](https://example.com).\n"}"##,
    r#"{"regex":"^[a-z]+\\d{2,}$","flags":"gi"}"#,
    r#"{"trace_id":"4bf92f3577b34da6a3ce929d0e0e4736","span_id":"00f067aa0ba902b7"}"#,
    r#"{"ulid":"01ARZ3NDEKTSV4RRFFQ69G5FAV"}"#,
    r#"{"integrity":"sha512-oRw5EqFVZ0OZ4kQ2sIkVbPnSQ0p6hE3C3sVJqk0dXHqk1l4b8lYwqk5Yb1F7c2v9r8QyQ0mM9xkqv3jz7l2xOQ=="}"#,
    r#"{"ssh":"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGq8Zk2LwX0vB7nM4tR6yP1sD3q8Zk2LwX0vB7nM4tR6 me@host"}"#,
];

/// Harmless by design, but random: a rule for looks cannot know.
const RANDOM_IDS: &[&str] = &[
    "https://docs.google.com/document/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgVE2upms/edit",
    "V1StGXR8aZ5jdHi6BcmyT",
    "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
];

fn ordinary() -> Vec<String> {
    let mut all: Vec<String> = [PATHS, CODE, CSS, SENTENCES, URLS, NAMES, NUMBERS, TIMES, JSON]
        .concat()
        .into_iter()
        .map(str::to_owned)
        .collect();
    let mut random = Random::new(3);
    for length in [7, 12, 16, 32, 40, 40, 56, 64, 64, 96, 128] {
        all.push(random.hex(length));
        all.push(format!("commit {}", random.hex(length)));
        all.push(format!("sha256:{}", random.hex(length).to_uppercase()));
    }
    for _ in 0..10 {
        let part = |random: &mut Random, length| random.hex(length);
        let uuid = [8, 4, 4, 4, 12].map(|length| part(&mut random, length)).join("-");
        all.push(uuid.clone());
        all.push(format!("urn:uuid:{uuid}"));
        all.push(format!("order_{uuid}"));
    }
    let picture = [b"\x89PNG\r\n\x1a\n".as_slice(), random.word(150).as_bytes(), &[0xff; 40]].concat();
    all.push(STANDARD.encode(&picture));
    all.push(format!("data:image/png;base64,{}", STANDARD.encode(&picture)));
    all.push(format!("data:font/woff2;base64,{}", random.base64(300)));
    all.push(random.base64(4000));
    for text in [
        "Hello world, this is a test",
        "{\"page\":2,\"after\":\"2024-01-15\"}",
        "<svg xmlns=\"http://x\"><path/></svg>",
    ] {
        all.push(STANDARD.encode(text));
    }
    all
}

#[test]
fn ordinary_texts_are_left_as_they_are() {
    let redactor = redactor();
    let texts = ordinary();
    let mut changed = Vec::new();
    for text in &texts {
        let in_json = json!({"text": text}).to_string();
        if redactor.text(text) != *text {
            changed.push(format!("{text}\n    {}", redactor.text(text)));
        } else if redactor.json(&in_json) != in_json {
            changed.push(format!("{in_json}\n    {}", redactor.json(&in_json)));
        }
    }
    println!("{} of {} ordinary texts were changed", changed.len(), texts.len());
    assert!(texts.len() >= 200, "{}", texts.len());
    assert!(changed.is_empty(), "{} of {}:\n{}", changed.len(), texts.len(), changed.join("\n"));
}

#[test]
fn random_identifiers_are_hidden_which_is_known() {
    let redactor = redactor();
    for text in RANDOM_IDS {
        assert_ne!(redactor.text(text), *text);
    }
}

/// How often a random word is missed by its looks alone. The numbers are in the documentation.
#[test]
fn random_words_are_rarely_missed() {
    let redactor = redactor();
    let mut random = Random::new(11);
    let lower = b"abcdefghijklmnopqrstuvwxyz0123456789";
    for (length, most_missed) in [(20, 60), (24, 40), (32, 20), (40, 10), (64, 2)] {
        let missed = |words: Vec<String>| words.iter().filter(|word| redactor.text(word) == **word).count();
        let mixed = missed((0..1000).map(|_| random.word(length)).collect());
        let small = missed((0..1000).map(|_| random.of(lower, length)).collect());
        println!("{length} characters: {mixed} of 1000 missed with capitals, {small} without");
        assert!(mixed <= most_missed && small <= most_missed * 2, "{length}: {mixed}, {small}");
    }
}
