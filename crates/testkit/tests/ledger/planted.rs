//! The secrets that are planted: each with the call that carries it.

use serde_json::{Value, json};

/// How a secret is sent.
#[derive(Clone, Debug)]
pub enum Sent {
    /// In the arguments of a call of this tool.
    Arguments(&'static str, Value),
    /// In the name of a tool that is not there.
    ToolName(String),
    /// In a header of the request.
    Header(&'static str, String),
    /// As the message itself, which is no good one.
    Body(String),
}

/// A secret, and how it is sent.
#[derive(Clone, Debug)]
pub struct Planted {
    /// What must be found nowhere: the secret, and what stands for it.
    pub needles: Vec<String>,
    pub sent: Sent,
}

/// Numbers that look random and are the same in every run.
pub struct Dice(pub u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }

    /// A word of these characters.
    pub fn word(&mut self, characters: &str, length: usize) -> String {
        let characters: Vec<char> = characters.chars().collect();
        (0..length).map(|_| characters[self.below(characters.len())]).collect()
    }
}

const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const CAPITALS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const SMALL: &str = "abcdefghijklmnopqrstuvwxyz";

/// How many ways there are to plant one.
const WAYS: usize = 25;

/// So many secrets, by every way in turn. `known` are those that the gateway holds itself.
pub fn planted(count: usize, known: &[String]) -> Vec<Planted> {
    let mut dice = Dice(0x5eed_0014);
    (0..count).map(|number| plant(number, known, &mut dice)).collect()
}

fn plant(number: usize, known: &[String], dice: &mut Dice) -> Planted {
    // One that only its place tells: it looks like words.
    let plain = format!("{}-{}-{number}", dice.word(SMALL, 5), dice.word(SMALL, 6));
    let long = dice.word(LETTERS, 40);
    let shaped = shaped(number / WAYS, dice);
    let of_ours = known[number % known.len()].clone();
    let echo = |arguments: Value| Sent::Arguments("echo", arguments);
    let text = |text: String| echo(json!({ "text": text }));
    let says = |tool: &'static str, text: String| Sent::Arguments(tool, json!({ "text": text }));
    let one = |needle: String, sent: Sent| Planted { needles: vec![needle], sent };
    match number % WAYS {
        0 => one(plain.clone(), echo(json!({ "text": "x", "password": plain }))),
        1 => one(plain.clone(), echo(json!({ "text": "x", "options": { "login": [{ "apiKey": plain }] } }))),
        2 => one(plain.clone(), text(json!({ "client_secret": plain }).to_string())),
        3 => {
            let inner = json!({ "deep": json!({ "token": plain }).to_string() }).to_string();
            one(plain, text(inner))
        }
        4 => one(plain.clone(), text(format!("https://user:{plain}@example.com/path"))),
        5 => one(plain.clone(), text(format!("https://example.com/?page=2&access_token={plain}&x=1"))),
        6 => coded(&format!("user:{plain}"), &plain, |code| text(format!("Authorization: Basic {code}"))),
        7 => coded(&format!("password={plain}"), &plain, |code| echo(json!({ "text": "x", "data": code }))),
        8 => one(
            plain.clone(),
            echo(json!({ "text": "x", "headers": { "Authorization": format!("Bearer {plain}") } })),
        ),
        9 => one(
            plain.clone(),
            echo(json!({ "text": "x", "headers": { "Cookie": format!("sid={plain}; theme=dark") } })),
        ),
        10 => one(shaped.clone(), text(format!("use {shaped} for it"))),
        11 => one(shaped.clone(), echo(json!({ "text": "x", &shaped: true }))),
        12 => one(long.clone(), text(format!("the one from yesterday: {long}"))),
        13 => one(plain.clone(), says("fail", format!("login failed: password={plain}"))),
        14 => one(shaped.clone(), says("refuse", format!("the key {shaped} was refused"))),
        15 => one(plain.clone(), says("print", format!("connecting with token={plain}"))),
        16 => one(of_ours.clone(), says("fail", format!("cannot log in as {of_ours} there"))),
        17 => one(of_ours.clone(), says("print", format!("started with {of_ours}"))),
        18 => one(of_ours.clone(), text(format!("is it {of_ours}?"))),
        19 => coded(&of_ours, &of_ours, |code| echo(json!({ "text": "x", "blob": code }))),
        20 => one(shaped.clone(), Sent::ToolName(shaped)),
        21 => one(
            plain.clone(),
            Sent::Header(["x-api-key", "cookie", "proxy-authorization"][number / WAYS % 3], plain),
        ),
        // The name of the parameter is mended: both forms are written down.
        22 => one(plain.clone(), echo(json!({ "Text": format!("the password is {plain}") }))),
        23 if (number / WAYS).is_multiple_of(4) => {
            one(plain.clone(), says("die", format!("fatal: secret_key: {plain}")))
        }
        23 => one(
            plain.clone(),
            Sent::Arguments("slow", json!({ "text": ["x"], "pasword": plain, "ms": "soon" })),
        ),
        _ => one(
            plain.clone(),
            Sent::Body(format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo","arguments":{{"password":"{plain}",}}}}}}"#
            )),
        ),
    }
}

/// A secret inside base64: neither it nor the code may be found.
fn coded(whole: &str, secret: &str, sent: impl FnOnce(&str) -> Sent) -> Planted {
    let code = base64(whole.as_bytes());
    Planted { sent: sent(&code), needles: vec![secret.to_owned(), code.trim_end_matches('=').to_owned()] }
}

/// One as the known providers make them.
fn shaped(kind: usize, dice: &mut Dice) -> String {
    let mut word = |length| dice.word(LETTERS, length);
    match kind % 9 {
        0 => format!("ghp_{}", word(36)),
        1 => format!("sk-proj-{}", word(48)),
        2 => format!("AKIA{}", dice.word(CAPITALS, 16)),
        3 => format!("xoxb-123456789012-{}", word(24)),
        4 => format!("AIza{}", word(35)),
        5 => format!("glpat-{}", word(20)),
        6 => format!("eyJhbGciOiJIUzI1NiJ9.{}.{}", base64(word(30).as_bytes()), word(43)),
        7 => format!("sk_live_{}", word(24)),
        _ => format!("npm_{}", word(36)),
    }
}

/// As RFC 4648 writes it.
pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut code = String::new();
    for three in bytes.chunks(3) {
        let bits = three.iter().fold(0_usize, |bits, byte| bits << 8 | usize::from(*byte))
            << (8 * (3 - three.len()));
        for digit in 0..4 {
            let is_filling = digit > three.len();
            code.push(if is_filling { '=' } else { char::from(DIGITS[bits >> (18 - 6 * digit) & 63]) });
        }
    }
    code
}

#[test]
fn base64_is_that_of_the_standard() {
    for (plain, code) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
        assert_eq!(base64(plain.as_bytes()), code);
    }
}
