//! Ways to write one call so that two readers may read two different ones.

/// One spelling.
pub struct Spelling {
    /// What is odd about it.
    pub about: String,
    /// The body of the request.
    pub body: Vec<u8>,
}

/// How many values of one key are written, and which comes first.
const TWICE: [(&str, bool); 2] = [("the other first", true), ("the other last", false)];

/// Letters that some readers take for the plain ones: the long s and the sign for kelvin.
fn alike(key: &str) -> Vec<String> {
    let mut forms = vec![key.to_uppercase(), title(key)];
    for (plain, odd) in [('s', 'ſ'), ('k', '\u{212a}')] {
        if key.contains(plain) {
            forms.push(key.replacen(plain, &odd.to_string(), 1));
        }
    }
    forms.retain(|form| form != key);
    forms
}

fn title(key: &str) -> String {
    let at = key.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(0);
    format!("{}{}{}", &key[..at], key[at..=at].to_uppercase(), &key[at + 1..])
}

/// The key with its first letter written as an escape: the same key.
fn escaped(key: &str) -> String {
    let first = key.chars().next().unwrap_or('x');
    format!("\\u{:04x}{}", first as u32, &key[first.len_utf8()..])
}

/// Objects that are odd in one of their members: each key with what it should be and what it must not.
fn odd_objects(members: &[(&str, String, String)]) -> Vec<(String, String)> {
    let mut objects = Vec::new();
    let plain = |skip: Option<&str>| -> Vec<String> {
        let kept = members.iter().filter(|(key, _, _)| Some(*key) != skip);
        kept.map(|(key, right, _)| format!(r#""{key}":{right}"#)).collect()
    };
    let joined = |mut parts: Vec<String>, one: String, is_first: bool| {
        parts.insert(if is_first { 0 } else { parts.len() }, one);
        format!("{{{}}}", parts.join(","))
    };
    for (key, right, other) in members {
        for (how, is_first) in TWICE {
            objects.push((
                format!("{key} twice, {how}"),
                joined(plain(None), format!(r#""{key}":{other}"#), is_first),
            ));
            let escaped = escaped(key);
            let about = format!("{key} twice, once escaped, {how}");
            objects.push((about, joined(plain(None), format!(r#""{escaped}":{other}"#), is_first)));
        }
        objects
            .push((format!("{key} twice, equal"), joined(plain(None), format!(r#""{key}":{right}"#), false)));
        let escaped = escaped(key);
        objects.push((
            format!("{key} escaped"),
            joined(plain(Some(key)), format!(r#""{escaped}":{right}"#), false),
        ));
        for form in alike(key) {
            for (how, is_first) in TWICE {
                let about = format!("{form} beside {key}, {how}");
                objects.push((about, joined(plain(None), format!(r#""{form}":{other}"#), is_first)));
            }
            let about = format!("{form} for {key}");
            objects.push((about, joined(plain(Some(key)), format!(r#""{form}":{right}"#), false)));
        }
        let padded = format!(r#""{key} ":{other}"#);
        objects.push((format!("{key} and a blank"), joined(plain(None), padded, true)));
        let cut = format!(r#""{key}\u0000":{other}"#);
        objects.push((format!("{key} and NUL"), joined(plain(None), cut, true)));
    }
    objects
}

/// Every spelling of a call of `line`; what must not be read of it calls `forbidden`. `meta` is what `_meta`
/// has to say in this era, as members.
pub fn all(meta: &[(&str, String, String)]) -> Vec<Spelling> {
    let mut spellings = Vec::new();
    let members: Vec<String> = meta.iter().map(|(key, right, _)| format!(r#""{key}":{right}"#)).collect();
    let meta_object = format!("{{{}}}", members.join(","));
    let arguments = r#"{"text":"right"}"#;
    let forbidden = format!(r#"{{"name":"forbidden","arguments":{{"text":"wrong"}},"_meta":{meta_object}}}"#);
    let params = format!(r#"{{"name":"line","arguments":{arguments},"_meta":{meta_object}}}"#);
    let envelope =
        |params: &str| format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{params}}}"#);
    let mut add = |about: String, body: Vec<u8>| spellings.push(Spelling { about, body });

    let quoted = |text: &str| format!(r#""{text}""#);
    let in_envelope = [
        ("jsonrpc", quoted("2.0"), quoted("1.0")),
        ("id", "7".to_owned(), "8".to_owned()),
        ("method", quoted("tools/call"), quoted("tools/list")),
        ("params", params.clone(), forbidden),
    ];
    for (about, body) in odd_objects(&in_envelope) {
        add(format!("message: {about}"), body.into_bytes());
    }
    let in_params = [
        ("name", quoted("line"), quoted("forbidden")),
        ("arguments", arguments.to_owned(), r#"{"text":"wrong"}"#.to_owned()),
        ("_meta", meta_object.clone(), r#"{"progressToken":"wrong"}"#.to_owned()),
    ];
    for (about, object) in odd_objects(&in_params) {
        add(format!("params: {about}"), envelope(&object).into_bytes());
    }
    for (about, object) in odd_objects(meta) {
        let object = format!(r#"{{"name":"line","arguments":{arguments},"_meta":{object}}}"#);
        add(format!("_meta: {about}"), envelope(&object).into_bytes());
    }
    let with_arguments = |arguments: &str| {
        envelope(&format!(r#"{{"name":"line","arguments":{arguments},"_meta":{meta_object}}}"#))
    };
    for (about, arguments) in odd_arguments() {
        add(format!("arguments: {about}"), with_arguments(&arguments).into_bytes());
    }
    for (about, name) in odd_names() {
        let object = format!(r#"{{"name":{name},"arguments":{arguments},"_meta":{meta_object}}}"#);
        add(format!("name: {about}"), envelope(&object).into_bytes());
    }
    for (about, body) in odd_bytes(&envelope(&params)) {
        add(format!("bytes: {about}"), body);
    }
    spellings
}

fn odd_arguments() -> Vec<(String, String)> {
    let mut odd: Vec<(String, String)> = [
        ("text twice", r#"{"text":"one","text":"two"}"#),
        ("text twice, once escaped", r#"{"text":"one","te\u0078t":"two"}"#),
        ("twice inside", r#"{"text":"one","deep":{"a":1,"a":2}}"#),
        ("twice in a list", r#"{"text":"one","deep":[{"a":1,"a":2}]}"#),
        ("Text beside text", r#"{"text":"one","Text":"two"}"#),
        ("__proto__", r#"{"text":"one","__proto__":{"admin":true}}"#),
        ("an empty key", r#"{"text":"one","":"two"}"#),
        ("as text", r#""{\"text\":\"one\"}""#),
        ("as a list", r#"["one"]"#),
        ("null", "null"),
        ("half a pair of escapes", r#"{"text":"\ud800"}"#),
        ("a pair in the wrong order", r#"{"text":"\udc00\ud800"}"#),
        ("NUL escaped", r#"{"text":"one\u0000two"}"#),
        ("a line end escaped", r#"{"text":"one\n{\"jsonrpc\":\"2.0\"}\n"}"#),
        ("separators of lines", "{\"text\":\"one\u{2028}two\u{2029}\u{85}three\"}"),
    ]
    .map(|(about, text)| (about.to_owned(), text.to_owned()))
    .to_vec();
    for number in [
        "1e400",
        "-1e400",
        "1e-400",
        "123456789012345678901234567890",
        "9007199254740993",
        "-0",
        "-0.0",
        "1E+2",
        "1.0",
        "0.1000000000000000055511151231257827",
        "01",
        "+1",
        ".5",
        "1.",
        "NaN",
        "Infinity",
        "0x10",
        "1_000",
    ] {
        odd.push((format!("the number {number}"), format!(r#"{{"text":"one","n":{number}}}"#)));
    }
    for depth in [60, 120, 129, 1_000, 100_000] {
        let (open, close) = ("[".repeat(depth), "]".repeat(depth));
        odd.push((format!("{depth} deep"), format!(r#"{{"text":"one","deep":{open}{close}}}"#)));
    }
    odd
}

fn odd_names() -> Vec<(String, String)> {
    [
        r#""for\u0062idden""#,
        r#""Forbidden""#,
        r#""FORBIDDEN""#,
        r#""forbidden ""#,
        r#"" forbidden""#,
        r#""forbidden\u0000""#,
        r#""line\u0000forbidden""#,
        r#""line\nforbidden""#,
        r#""one/forbidden""#,
        r#""one.forbidden""#,
        r#""one__forbidden""#,
        r#""one_forbidden""#,
        r#""ｆorbidden""#,
        r#""forbidd\u0435n""#,
        r#""for-bidden""#,
        r#""forBidden""#,
        r#""../forbidden""#,
        r#"["forbidden"]"#,
        r#"{"name":"forbidden"}"#,
        "7",
        "null",
        r#""""#,
    ]
    .map(|name| (name.to_owned(), name.to_owned()))
    .to_vec()
}

fn odd_bytes(body: &str) -> Vec<(String, Vec<u8>)> {
    let after = |rest: &str| format!("{body}{rest}").into_bytes();
    let before = |start: &str| format!("{start}{body}").into_bytes();
    let inside = |piece: &str| body.replacen(r#","method""#, &format!(r#"{piece},"method""#), 1).into_bytes();
    let other = r#"{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"forbidden"}}"#;
    let mut odd: Vec<(String, Vec<u8>)> = [
        ("a byte order mark", before("\u{feff}")),
        ("two byte order marks", before("\u{feff}\u{feff}")),
        ("NUL before", before("\0")),
        ("NUL behind", after("\0")),
        ("NUL between", inside("\0")),
        ("blanks around", format!(" \t\r\n{body}\r\n \t").into_bytes()),
        ("line ends between", inside("\n\r\n")),
        ("a message on the next line", after(&format!("\n{other}"))),
        ("two messages", after(other)),
        ("a batch", format!("[{body},{other}]").into_bytes()),
        ("a batch of one", format!("[{body}]").into_bytes()),
        ("one bracket too many", after("}")),
        ("a comma behind", after(",")),
        ("text behind", after(" forbidden")),
        ("text before", before("forbidden ")),
        ("a comment", inside("/* forbidden */")),
        ("a comment to the end of the line", after("// forbidden")),
        ("single quotes", body.replace('"', "'").into_bytes()),
        ("a comma too many", body.replacen(r#""right""#, r#""right","#, 1).into_bytes()),
        ("an odd blank", inside("\u{a0}")),
        ("a vertical tab", inside("\u{b}")),
        ("as text", serde_json::Value::from(body).to_string().into_bytes()),
        ("nothing", Vec::new()),
        ("half", body.as_bytes()[..body.len() / 2].to_vec()),
    ]
    .map(|(about, body)| (about.to_owned(), body))
    .to_vec();
    let with = |piece: &[u8]| {
        let at = body.find("right").unwrap_or(0);
        [&body.as_bytes()[..at], piece, &body.as_bytes()[at..]].concat()
    };
    for (about, piece) in [
        ("no UTF-8", &b"\xff"[..]),
        ("half a character", b"\xc3"),
        ("a character that is too long", b"\xc1\x81"),
        ("a half of a pair", b"\xed\xa0\x80"),
        ("a control character in a text", b"\x01"),
        ("a line end in a text", b"\n"),
    ] {
        odd.push((about.to_owned(), with(piece)));
    }
    let wide = |of: fn(u16) -> [u8; 2]| body.encode_utf16().flat_map(of).collect::<Vec<u8>>();
    odd.push(("UTF-16".to_owned(), wide(u16::to_le_bytes)));
    odd.push(("UTF-16, the other way round".to_owned(), wide(u16::to_be_bytes)));
    odd
}
