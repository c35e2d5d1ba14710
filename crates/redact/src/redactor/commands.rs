//! Secrets in commands, statements and files that name them in their own way: `mysql -p…`, `IDENTIFIED BY '…'`,
//! `<password>…</password>`, `.netrc`, `.pgpass`.

use super::addresses::end_of_word;
use super::keys::Keys;
use super::spans::Found;

/// How far around a word is looked for what says that a secret follows, in bytes.
const AROUND_BYTES: usize = 200;

/// The longest name of an element, and its longest tag, in bytes.
const MAX_NAME_BYTES: usize = 64;
const MAX_TAG_BYTES: usize = 256;

/// How a program takes its password.
#[derive(Clone, Copy)]
pub(super) enum Takes {
    /// Glued to one of these options: `-phunter2`.
    Glued(&'static [&'static str]),
    /// In the next word, or glued: `-p hunter2`.
    Next(&'static [&'static str]),
    /// As this word of those that are no options: `add_user bob hunter2` has it as the second.
    Word(usize),
    /// In a word behind a user and this sign: `bob%hunter2`, `bob/hunter2@db`.
    Behind(char),
}

/// Programs that take a password in an option of one letter.
pub(super) const PROGRAMS: &[(&str, Takes)] = &[
    ("mysql ", Takes::Glued(&["-p"])),
    ("mysqldump ", Takes::Glued(&["-p"])),
    ("mysqladmin ", Takes::Glued(&["-p"])),
    ("mysqlimport ", Takes::Glued(&["-p"])),
    ("mariadb ", Takes::Glued(&["-p"])),
    ("mariadb-dump ", Takes::Glued(&["-p"])),
    ("7z ", Takes::Glued(&["-p"])),
    ("sshpass ", Takes::Next(&["-p"])),
    ("docker login ", Takes::Next(&["-p"])),
    ("podman login ", Takes::Next(&["-p"])),
    ("buildah login ", Takes::Next(&["-p"])),
    ("registry login ", Takes::Next(&["-p"])),
    ("az login ", Takes::Next(&["-p"])),
    ("oc login ", Takes::Next(&["-p"])),
    ("mongo ", Takes::Next(&["-p"])),
    ("mongosh ", Takes::Next(&["-p"])),
    ("mongodump ", Takes::Next(&["-p"])),
    ("mosquitto_pub ", Takes::Next(&["-P"])),
    ("mosquitto_sub ", Takes::Next(&["-P"])),
    ("redis-cli ", Takes::Next(&["-a"])),
    ("ldapsearch ", Takes::Next(&["-w"])),
    ("ldapmodify ", Takes::Next(&["-w"])),
    ("ldapadd ", Takes::Next(&["-w"])),
    ("unzip ", Takes::Next(&["-P"])),
    ("zip ", Takes::Next(&["-P"])),
    ("rar ", Takes::Glued(&["-hp", "-p"])),
    ("xfreerdp ", Takes::Glued(&["/p:"])),
    ("sqlcmd ", Takes::Next(&["-P"])),
    ("bcp ", Takes::Next(&["-P"])),
    ("cqlsh ", Takes::Next(&["-p"])),
    ("twine upload ", Takes::Next(&["-p"])),
    ("rdesktop ", Takes::Next(&["-p"])),
    ("ncftpput ", Takes::Next(&["-p"])),
    ("ncftpget ", Takes::Next(&["-p"])),
    ("useradd ", Takes::Next(&["-p"])),
    ("usermod ", Takes::Next(&["-p"])),
    ("ssh-keygen ", Takes::Next(&["-N", "-P"])),
    ("snmpget ", Takes::Next(&["-A", "-X"])),
    ("snmpset ", Takes::Next(&["-A", "-X"])),
    ("snmpwalk ", Takes::Next(&["-A", "-X"])),
    ("doctl auth init ", Takes::Next(&["-t"])),
    ("gh secret set ", Takes::Next(&["--body", "-b"])),
    ("convertto-securestring ", Takes::Word(1)),
    ("vault login ", Takes::Word(1)),
    ("wpa_passphrase ", Takes::Word(2)),
    ("rabbitmqctl add_user ", Takes::Word(2)),
    ("rabbitmqctl change_password ", Takes::Word(2)),
    ("htpasswd -b ", Takes::Word(3)),
    ("htpasswd -bc ", Takes::Word(3)),
    ("htpasswd -cb ", Takes::Word(3)),
    ("mosquitto_passwd -b ", Takes::Word(3)),
    ("smbclient ", Takes::Behind('%')),
    ("lftp ", Takes::Behind(',')),
    ("sqlplus ", Takes::Behind('/')),
];

/// Hides the password that a program gets, and says where its command ends.
pub(super) fn program(text: &str, start: usize, takes: Takes, found: &mut Found<'_>) -> usize {
    let line = &text[start..];
    let end = start + line.find(['\n', ';', '|', '&']).unwrap_or(line.len());
    let (options, wanted) = match takes {
        Takes::Glued(options) | Takes::Next(options) => (options, 0),
        Takes::Word(number) => (&[][..], number),
        Takes::Behind(sign) => return behind(text, start, end, sign, found),
    };
    let (mut at, mut words) = (start, 0);
    while at < end {
        at += text[at..end].len() - text[at..end].trim_start_matches(' ').len();
        let word = end_of_word(text, at).min(end);
        // What ends a word may stand at its begin.
        let word = if word == at {
            (at + text[at..].chars().next().map_or(1, char::len_utf8)).min(end)
        } else {
            word
        };
        let of_option = |option: &&'static str| Some((*option, text[at..word].strip_prefix(*option)?));
        if let Some((option, glued)) = options.iter().find_map(of_option) {
            match (glued.is_empty(), takes) {
                (false, _) => found.add(at + option.len(), word),
                (true, Takes::Next(_)) => one_word(text, word, end, found),
                // `-p'hunter2'`
                (true, _) if text[word..end].starts_with(['"', '\'']) => one_word(text, word, end, found),
                (true, _) => {}
            }
        }
        words += usize::from(!text[at..word].starts_with('-') && at < word);
        if wanted > 0 && words == wanted {
            if !text[at..word].contains('=') {
                one_word(text, at, end, found);
            }
            return end;
        }
        at = word;
    }
    end
}

/// Hides what stands behind a user and a sign in the first such word, up to an `@`.
fn behind(text: &str, start: usize, end: usize, sign: char, found: &mut Found<'_>) -> usize {
    for word in text[start..end].split(' ') {
        let Some((user, rest)) = word.split_once(sign) else { continue };
        if user.is_empty()
            || !user.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-\\".contains(&byte))
        {
            continue;
        }
        let password = rest.split('@').next().unwrap_or_default();
        if !password.is_empty() && !password.starts_with(['$', '<']) {
            let at = password.as_ptr() as usize - text.as_ptr() as usize;
            found.add(at, at + password.len());
        }
        break;
    }
    end
}

/// The password of `oracle:thin:bob/hunter2@host`; `start` is behind `thin:`.
pub(super) fn oracle(text: &str, start: usize, found: &mut Found<'_>) {
    behind(text, start, end_of_word(text, start), '/', found);
}

/// `kinit bob <<< hunter2`: the next word, where the command speaks of a login.
pub(super) fn here_string(text: &str, start: usize, found: &mut Found<'_>) {
    let line = line_before(text, start).to_ascii_lowercase();
    if ["login", "token", "luks", "kinit", "passw"].iter().any(|word| line.contains(word)) {
        one_word(text, start, text.len(), found);
    }
}

/// `create secret … --from-literal=a=hunter2`, `secrets set A=hunter2`: what is assigned in the word that begins here.
pub(super) fn literal(text: &str, start: usize, found: &mut Found<'_>) {
    let end = end_of_word(text, start);
    if let Some((_, value)) = text[start..end].split_once('=')
        && line_before(text, start).contains("secret")
        && !value.is_empty()
        && !value.starts_with('$')
    {
        found.add(end - value.len(), end);
    }
}

/// `define('DB_PASSWORD', 'hunter2')`; `start` is behind the bracket.
pub(super) fn define(text: &str, start: usize, keys: &Keys, found: &mut Found<'_>) {
    let rest = text[start..].trim_start_matches(' ');
    let Some(quote) = rest.chars().next().filter(|quote| matches!(quote, '"' | '\'')) else { return };
    let Some((name, rest)) = rest[1..].split_once(quote).filter(|(name, _)| name.len() <= MAX_NAME_BYTES)
    else {
        return;
    };
    let Some(value) = rest.trim_start_matches(' ').strip_prefix(',') else { return };
    let value = value.trim_start_matches(' ');
    if keys.is_secret(name) && value.starts_with(['"', '\'']) {
        let at = value.as_ptr() as usize - text.as_ptr() as usize;
        quoted(text, at, found);
    }
}

/// The line before this place, as far as it is looked at.
fn line_before(text: &str, start: usize) -> &str {
    let mut from = start.saturating_sub(AROUND_BYTES);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let from = text[from..start].rfind('\n').map_or(from, |line| from + line + 1);
    &text[from..start]
}

/// Hides the next word, which may be in quotes.
fn one_word(text: &str, from: usize, end: usize, found: &mut Found<'_>) {
    let start = from + text[from..end].len() - text[from..end].trim_start_matches(' ').len();
    let rest = &text[start..end];
    if let Some(quote) = rest.chars().next().filter(|first| matches!(first, '"' | '\'')) {
        let length = rest[1..].find(quote).unwrap_or(rest.len() - 1);
        return found.add(start + 1, start + 1 + length);
    }
    let word = end_of_word(text, start).min(end);
    if !text[start..word].starts_with(['$', '-', '<']) {
        found.add(start, word);
    }
}

/// `IDENTIFIED BY 'x'`: the next word. "identified by its name" is a sentence.
pub(super) fn identified_by(text: &str, start: usize, found: &mut Found<'_>) {
    let word = &text[start..end_of_word(text, start)];
    let is_mere_word = word.bytes().all(|byte| byte.is_ascii_alphabetic()) && !word.is_empty();
    if !is_mere_word || text[start + word.len()..].starts_with(';') {
        one_word(text, start, text.len(), found);
    }
}

/// `PASSWORD 'x'`; `quote` is where the quotes begin. A sentence in quotes is none.
pub(super) fn quoted(text: &str, quote: usize, found: &mut Found<'_>) {
    let inside = quote + 1;
    let rest = &text[inside..];
    let end = rest.find(['"', '\'', ' ', '\n']).unwrap_or(rest.len());
    if rest[end..].starts_with(['"', '\'']) && rest[..end].bytes().any(|byte| byte.is_ascii_alphanumeric()) {
        found.add(inside, inside + end);
    }
}

/// `machine host login me password x`, in one line or in several; `start` is behind `password `.
pub(super) fn netrc(text: &str, start: usize, found: &mut Found<'_>) {
    let mut from = start.saturating_sub(AROUND_BYTES);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let before = &text[from..start];
    if before.contains("login ") && (before.contains("machine ") || before.contains("default ")) {
        one_word(text, start, text.len(), found);
    }
}

/// `openssl … -passin pass:x`; `start` is where `pass:` begins.
pub(super) fn openssl(text: &str, start: usize, found: &mut Found<'_>) {
    let before = text[..start].trim_end_matches(['"', '\'', ' ', '=']);
    if ["-pass", "-passin", "-passout"].iter().any(|option| before.ends_with(option)) {
        let value = start + "pass:".len();
        found.add(value, end_of_word(text, value));
    }
}

/// `echo 'me:x' | chpasswd`, `echo x | passwd --stdin me`: what stands before, up to `start`.
pub(super) fn piped(text: &str, start: usize, found: &mut Found<'_>) {
    let before = line_before(text, start);
    let Some(pipe) = before.rfind('|') else { return };
    let said =
        ["echo ", "printf "].iter().filter_map(|word| Some(before[..pipe].rfind(word)? + word.len())).max();
    let Some(said) = said else { return };
    let value = before[said..pipe].trim_matches(|c: char| " \"'".contains(c));
    let value =
        value.trim_start_matches("-n ").trim_start_matches("-e ").trim_matches(|c: char| " \"'".contains(c));
    // Of `me:x` the name stays.
    let value = value.split_once(':').map_or(value, |(_, password)| password);
    if !value.is_empty() && !value.starts_with('$') {
        let start = value.as_ptr() as usize - text.as_ptr() as usize;
        found.add(start, start + value.len());
    }
}

/// `<password>x</password>`: what an element with such a name holds.
pub(super) fn elements(text: &str, keys: &Keys, found: &mut Found<'_>) {
    let mut at = 0;
    while let Some(open) = text[at..].find('<').map(|open| at + open) {
        at = open + 1;
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_:.-".contains(byte);
        let length =
            text.as_bytes()[at..].iter().take(MAX_NAME_BYTES + 1).take_while(|byte| is_name(byte)).count();
        let name = &text[at..at + length];
        if length == 0 || length > MAX_NAME_BYTES {
            continue;
        }
        let tag = &text.as_bytes()[at + length..];
        let Some(close) = tag.iter().take(MAX_TAG_BYTES).position(|byte| matches!(byte, b'>' | b'<')) else {
            continue;
        };
        let attributes = &text[at + length..at + length + close];
        let is_named = named_by_attribute(attributes, keys);
        if !is_named && !keys.is_secret(name.rsplit(':').next().unwrap_or(name)) {
            continue;
        }
        if is_named && let Some(value) = attribute(attributes, "value") {
            let start = value.as_ptr() as usize - text.as_ptr() as usize;
            found.add(start, start + value.len());
            continue;
        }
        let is_open = tag[close] == b'>' && (close == 0 || tag[close - 1] != b'/');
        let value = at + length + close + 1;
        if !is_open {
            continue;
        }
        let end = value + text[value..].find('<').unwrap_or(text.len() - value);
        let inside = &text[value..end];
        // `<token> and <file>` in a usage text are places for values.
        let is_element = text[end..].starts_with("</")
            || text[end..].starts_with("<![CDATA[")
            || end == text.len() && !inside.contains(char::is_whitespace);
        let (value, end) = match text[end..].starts_with("<![CDATA[") {
            true => {
                let inside = end + "<![CDATA[".len();
                (inside, inside + text[inside..].find("]]>").unwrap_or(text.len() - inside))
            }
            false => (value, end),
        };
        let said = text[value..end].trim();
        if is_element && !said.is_empty() && !["true", "false", "null"].contains(&said) {
            let start = said.as_ptr() as usize - text.as_ptr() as usize;
            found.add(start, start + said.len());
            at = end;
        }
    }
}

/// Whether `name="db.password"` or `key="ApiKey"` stands in a tag.
fn named_by_attribute(attributes: &str, keys: &Keys) -> bool {
    ["name", "key"]
        .iter()
        .filter_map(|name| attribute(attributes, name))
        .any(|name| name.len() <= MAX_NAME_BYTES && keys.is_secret(name.rsplit('.').next().unwrap_or(name)))
}

/// What an attribute of a tag holds.
fn attribute<'t>(attributes: &'t str, name: &str) -> Option<&'t str> {
    let (at, _) = attributes.match_indices(name).find(|(at, _)| {
        attributes[..*at].ends_with(char::is_whitespace) && attributes[at + name.len()..].starts_with("=\"")
    })?;
    attributes[at + name.len() + 2..].split('"').next().filter(|value| !value.is_empty())
}

/// The last part of `host:port:database:user:password`, a line of `.pgpass`.
pub(super) fn pgpass(text: &str, found: &mut Found<'_>) {
    for line in text.lines() {
        let parts: Vec<&str> = line.splitn(6, ':').collect();
        let [host, port, database, user, password] = parts.as_slice() else { continue };
        let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let is_word = |part: &&str| {
            !part.is_empty() && !part.contains(|c: char| c.is_whitespace() || "\"'{}/".contains(c))
        };
        if [host, port, database, user].into_iter().all(is_word)
            && (*port == "*" || is_number(port) && (2..=5).contains(&port.len()))
            && !is_number(database)
            && !is_number(user)
            && !password.is_empty()
            && !password.contains(char::is_whitespace)
        {
            let start = password.as_ptr() as usize - text.as_ptr() as usize;
            found.add(start, start + password.len());
        }
    }
}
