//! More names of secrets: of programs and doors, in other languages, and short ones that also mean something else.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Words that make a key secret, exactly as they are.
const WORDS: &[&str] = &[
    // Programs
    "pswd",
    "passwort",
    "psk",
    "hmac",
    "xsrf",
    "dsn",
    "phpsessid",
    "jsessionid",
    "sessid",
    "sessionid",
    "aspsessionid",
    "dbpass",
    "smtppass",
    "mailpass",
    "userpass",
    "ftppass",
    "mysqlpass",
    "pgpass",
    "redispass",
    "adminpass",
    "rootpass",
    "authpass",
    "sshpass",
    "keypass",
    "storepass",
    "wifipass",
    "loginpw",
    "userpw",
    "rootpw",
    "adminpw",
    "dbpw",
    "passwds",
    "passcodes",
    "passphrases",
    "pins",
    "iban",
    "ssn",
    "creds",
    // Other languages, with and without their signs
    "kennwort",
    "passwörter",
    "kennwörter",
    "zugangscode",
    "mdp",
    "contraseña",
    "contrasena",
    "contraseñas",
    "contrasenas",
    "senha",
    "senhas",
    "wachtwoord",
    "hasło",
    "haslo",
    "heslo",
    "пароль",
    "пароли",
    "парола",
    "лозинка",
    "lozinka",
    "geslo",
    "lösenord",
    "losenord",
    "passord",
    "adgangskode",
    "kodeord",
    "salasana",
    "jelszó",
    "jelszo",
    "parola",
    "şifre",
    "sifre",
    "κωδικός",
    "κωδικος",
    "matkhau",
    "katasandi",
    "slaptažodis",
    "slaptazodis",
    "parole",
    "parool",
    "lykilorð",
    "סיסמה",
    "סיסמא",
];

/// The same written together or apart, in ASCII: `door_code`, `doorCode`.
const PARTS: &[&str] = &[
    "apitoken",
    "bearertoken",
    "connectionstring",
    "connstring",
    "connstr",
    "presharedkey",
    "sharedkey",
    "networkkey",
    "doorcode",
    "unlockcode",
    "lockcode",
    "accesscode",
    "entrycode",
    "gatecode",
    "alarmcode",
    "disarmcode",
    "garagecode",
    "keypadcode",
    "safecode",
    "pincode",
    "securitycode",
    "verificationcode",
    "authcode",
    "otpcode",
    "mfacode",
    "smscode",
    "logincode",
    "resetcode",
    "backupcode",
    "cardnumber",
    "creditcard",
    "ccnumber",
    "socialsecurity",
    "motdepasse",
    "motsdepasse",
    "palavrapasse",
    "katasandi",
    "wifikey",
    "wepkey",
    "wpakey",
    "appkey",
    "subscriptionkey",
    "onetimecode",
    "githubpat",
    "gitlabpat",
    "azurepat",
    "devopspat",
];

/// Last words of keys that speak about a secret and hold none: `password_policy`, `token_count`.
const PROPERTIES: &[&str] = &[
    "age",
    "algorithm",
    "count",
    "counts",
    "disabled",
    "enabled",
    "expired",
    "expires",
    "expiry",
    "file",
    "files",
    "format",
    "length",
    "lifetime",
    "limit",
    "method",
    "mode",
    "path",
    "policy",
    "provider",
    "required",
    "strength",
    "timeout",
    "ttl",
    "type",
    "types",
];

/// Ends of keys in languages that write no blanks.
const ENDS: &[&str] = &[
    "密码",
    "密碼",
    "口令",
    "パスワード",
    "暗証番号",
    "비밀번호",
    "암호",
    "كلمةالمرور",
    "كلمةالسر",
    "รหัสผ่าน",
    "mậtkhẩu",
    "पासवर्ड",
    "пароль",
];

/// Last words of keys that also mean something else: `pass: true`, `sid: 5`.
const WEAK: &[&str] = &["pass", "pw", "sid", "sas", "clave"];

/// Words before `pass` that make it no password.
const BEFORE_PASS: &[&str] = &[
    "first", "second", "third", "last", "final", "one", "two", "multi", "single", "boarding", "ski",
    "season", "day", "bus", "train", "render", "forward", "backward", "low", "high", "band", "all", "must",
    "did", "mountain",
];

/// What `pass` is said to be when it is no password.
const RESULTS: &[&str] =
    &["fail", "failed", "n/a", "ok", "pass", "passed", "skip", "skipped", "warn", "yes", "no"];

static WORD_SET: LazyLock<HashSet<&str>> = LazyLock::new(|| WORDS.iter().copied().collect());
static FOLDED_ENDS: LazyLock<Vec<String>> = LazyLock::new(|| ENDS.iter().map(|end| folded(end)).collect());

/// Whether a key only speaks about a secret.
pub(crate) fn is_property(words: &[String]) -> bool {
    words.len() > 1 && words.last().is_some_and(|last| PROPERTIES.contains(&last.as_str()))
}

/// Whether a key of these words is secret.
pub(crate) fn is_secret_name(key: &str, words: &[String]) -> bool {
    if words.iter().any(|word| WORD_SET.contains(word.as_str())) {
        return true;
    }
    let folded = folded(key);
    PARTS.iter().any(|part| folded.contains(part))
        || !key.is_ascii() && FOLDED_ENDS.iter().any(|end| folded.ends_with(end.as_str()))
}

/// The last word of a key that is secret unless its value says otherwise.
pub(crate) fn weak_word(words: &[String]) -> Option<&'static str> {
    let (last, before) = words.split_last()?;
    // The last of several may be empty: a sign at the end.
    if last.is_empty() {
        return weak_word(before);
    }
    let weak = WEAK.iter().find(|weak| *weak == last)?;
    let is_other =
        *weak == "pass" && before.last().is_some_and(|before| BEFORE_PASS.contains(&before.as_str()));
    (!is_other).then_some(*weak)
}

/// Whether the value of such a key is none of a secret.
pub(crate) fn is_harmless_value(weak: &str, value: &str) -> bool {
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    match weak {
        "sid" => value.len() < 8 || is_number && value.len() <= 12,
        "sas" => value.len() < 20 && !value.contains('='),
        _ => {
            is_number && value.len() < 4
                || RESULTS.iter().any(|result| result.eq_ignore_ascii_case(value.trim()))
        }
    }
}

/// The letters and digits of a key, in lower case.
fn folded(key: &str) -> String {
    key.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
