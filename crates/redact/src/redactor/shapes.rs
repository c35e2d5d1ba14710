//! Secrets that are known by how they are written: the table, and what finds all of it in one pass.

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::addresses::{UserOption, address, end_of_word, scheme, user_option};
use super::commands::{
    PROGRAMS, define, here_string, identified_by, literal, netrc, openssl, oracle, piped, program, quoted,
};
use super::followed;
use super::keys::Keys;
use super::options::OptionsError;
use super::pem::{Ends, block};
use super::spans::Found;

/// What a secret goes on with behind its start.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    /// `A-Z 0-9`
    Upper,
    /// `A-Z a-z 0-9 _ -`
    Word,
    /// The same and `. ~ + / = | %`.
    Dotted,
    /// The same as a word, and not made of words in lower case: `sk-learn-contrib` is a name.
    NoName,
    /// 14 letters or digits, a dot, and 32 or more hexadecimal digits.
    Airtable,
    /// Three parts with dots between them, or at least two.
    Jwt,
}

/// A start, what follows it, and how much of that there must be.
struct Shape(&'static str, Rest, usize);

/// Well-known secrets. The least length is well below the true one: programs cut what they print.
const SHAPES: &[Shape] = &[
    // Amazon
    Shape("AKIA", Rest::Upper, 12),
    Shape("ASIA", Rest::Upper, 12),
    Shape("ABIA", Rest::Upper, 12),
    Shape("ACCA", Rest::Upper, 12),
    // GitHub, GitLab, Bitbucket and Atlassian
    Shape("ghp_", Rest::Word, 8),
    Shape("gho_", Rest::Word, 8),
    Shape("ghu_", Rest::Word, 8),
    Shape("ghs_", Rest::Word, 8),
    Shape("ghr_", Rest::Word, 8),
    Shape("github_pat_", Rest::Word, 8),
    Shape("glpat-", Rest::Dotted, 8),
    Shape("gldt-", Rest::NoName, 12),
    Shape("glrt-", Rest::NoName, 12),
    Shape("glcbt-", Rest::NoName, 12),
    Shape("glptt-", Rest::NoName, 12),
    Shape("glft-", Rest::NoName, 12),
    Shape("glagent-", Rest::NoName, 12),
    Shape("GR1348941", Rest::Word, 12),
    Shape("ATATT3x", Rest::Dotted, 12),
    Shape("ATCTT3x", Rest::Dotted, 12),
    Shape("ATBB", Rest::NoName, 20),
    // Slack, Discord and others that talk
    Shape("xoxb-", Rest::Word, 8),
    Shape("xoxp-", Rest::Word, 8),
    Shape("xoxa-", Rest::Word, 8),
    Shape("xoxr-", Rest::Word, 8),
    Shape("xoxs-", Rest::Word, 8),
    Shape("xoxe-", Rest::Word, 8),
    Shape("xoxe.", Rest::Dotted, 8),
    Shape("xapp-", Rest::Word, 8),
    Shape("hooks.slack.com/services/", Rest::Dotted, 8),
    Shape("hooks.slack.com/workflows/", Rest::Dotted, 8),
    Shape("/api/webhooks/", Rest::Dotted, 8),
    Shape("webhook.office.com/", Rest::Dotted, 16),
    // Payment and shops
    Shape("sk_live_", Rest::Word, 8),
    Shape("sk_test_", Rest::Word, 8),
    Shape("rk_live_", Rest::Word, 8),
    Shape("rk_test_", Rest::Word, 8),
    Shape("whsec_", Rest::Dotted, 8),
    Shape("sq0atp-", Rest::Word, 8),
    Shape("sq0csp-", Rest::Word, 8),
    Shape("shpat_", Rest::Word, 8),
    Shape("shpss_", Rest::Word, 8),
    Shape("shpca_", Rest::Word, 8),
    Shape("shppa_", Rest::Word, 8),
    // Models
    Shape("sk-", Rest::NoName, 12),
    Shape("hf_", Rest::NoName, 12),
    Shape("gsk_", Rest::NoName, 12),
    Shape("xai-", Rest::NoName, 16),
    Shape("pplx-", Rest::NoName, 16),
    Shape("r8_", Rest::NoName, 16),
    Shape("nvapi-", Rest::NoName, 12),
    // Google
    Shape("AIza", Rest::Word, 16),
    Shape("ya29.", Rest::Dotted, 8),
    Shape("GOCSPX-", Rest::Word, 8),
    Shape("1//0", Rest::Word, 20),
    // Registries
    Shape("npm_", Rest::NoName, 16),
    Shape("pypi-", Rest::NoName, 16),
    Shape("rubygems_", Rest::NoName, 16),
    Shape("dckr_pat_", Rest::Word, 8),
    Shape("dckr_oat_", Rest::Word, 8),
    // Places where programs run
    Shape("dop_v1_", Rest::Word, 8),
    Shape("doo_v1_", Rest::Word, 8),
    Shape("dor_v1_", Rest::Word, 8),
    Shape("hvs.", Rest::NoName, 16),
    Shape("hvb.", Rest::NoName, 16),
    Shape("dapi", Rest::NoName, 32),
    Shape("sbp_", Rest::NoName, 16),
    Shape("fo1_", Rest::NoName, 16),
    Shape("tskey-", Rest::NoName, 12),
    Shape("AGE-SECRET-KEY-1", Rest::Word, 8),
    // Watching and writing
    Shape("glsa_", Rest::NoName, 16),
    Shape("glc_", Rest::NoName, 20),
    Shape("sntrys_", Rest::Dotted, 12),
    Shape("sntryu_", Rest::Word, 12),
    Shape("NRAK-", Rest::Word, 12),
    Shape("phx_", Rest::NoName, 16),
    Shape("lin_api_", Rest::Word, 8),
    Shape("ntn_", Rest::NoName, 16),
    Shape("secret_", Rest::NoName, 24),
    Shape("figd_", Rest::NoName, 12),
    Shape("CFPAT-", Rest::Word, 8),
    Shape("PMAK-", Rest::Word, 8),
    // Mail
    Shape("SG.", Rest::Dotted, 20),
    Shape("key-", Rest::NoName, 32),
    Shape("xkeysib-", Rest::Word, 12),
    Shape("xsmtpsib-", Rest::Word, 12),
    // Tables, builds, data and search
    Shape("pat", Rest::Airtable, 47),
    Shape("pul-", Rest::NoName, 32),
    Shape("bkua_", Rest::NoName, 20),
    Shape("bkat_", Rest::NoName, 20),
    Shape("bkct_", Rest::NoName, 20),
    Shape("nfp_", Rest::NoName, 24),
    Shape("sgp_", Rest::NoName, 24),
    Shape("lsv2_pt_", Rest::Word, 20),
    Shape("lsv2_sk_", Rest::Word, 20),
    Shape("pcsk_", Rest::NoName, 24),
    Shape("tvly-", Rest::NoName, 20),
    Shape("dp.pt.", Rest::Word, 20),
    Shape("dp.st.", Rest::Dotted, 20),
    Shape(".atlasv1.", Rest::Word, 40),
    Shape("pscale_tkn_", Rest::Word, 20),
    Shape("pscale_pw_", Rest::Word, 20),
    Shape("dt0c01.", Rest::Dotted, 24),
    Shape("HRKU-", Rest::Word, 20),
    Shape("FlyV1 ", Rest::Dotted, 20),
    Shape("rpa_", Rest::NoName, 24),
    Shape("CLOJARS_", Rest::Word, 20),
    Shape("duffel_live_", Rest::Word, 20),
    Shape("rzp_live_", Rest::Word, 12),
    Shape("rzp_test_", Rest::Word, 12),
    Shape("LTAI", Rest::NoName, 12),
    Shape("glsoat-", Rest::NoName, 12),
    Shape("ops_eyJ", Rest::Dotted, 40),
    // Everywhere
    Shape("eyJ", Rest::Jwt, 17),
];

/// What else begins a search, and what follows.
const OTHERS: &[(&str, Other)] = &[
    ("://", Other::Address),
    ("-----begin", Other::Pem),
    ("bearer ", Other::Scheme),
    ("basic ", Other::Scheme),
    (" -u ", Other::User),
    ("--user ", Other::User),
    ("--user=", Other::User),
    ("--proxy-user ", Other::User),
    ("--proxy-user=", Other::User),
    (":AA", Other::Bot),
    ("identified by ", Other::IdentifiedBy),
    ("password by ", Other::IdentifiedBy),
    ("password '", Other::Quoted),
    ("password \"", Other::Quoted),
    ("password('", Other::Quoted),
    ("password ", Other::Netrc),
    ("passwd ", Other::Followed),
    ("pass ", Other::Followed),
    ("passphrase ", Other::Followed),
    ("passwort ", Other::Followed),
    ("kennwort ", Other::Followed),
    ("pwd ", Other::Followed),
    ("pw ", Other::Followed),
    ("auth ", Other::Followed),
    ("_key ", Other::Followed),
    ("token ", Other::Followed),
    ("secret ", Other::Followed),
    (" ist ", Other::Said),
    (" lautet ", Other::Said),
    (" est ", Other::Said),
    (" es ", Other::Said),
    (" é ", Other::Said),
    (" è ", Other::Said),
    ("kind: secret\n", Other::Kubernetes),
    ("define(", Other::Define),
    ("oracle:thin:", Other::Oracle),
    ("<<< ", Other::HereString),
    ("--from-literal=", Other::Literal),
    ("secrets set ", Other::Literal),
    ("sudo -s", Other::Piped),
    ("pass:", Other::Openssl),
    ("chpasswd", Other::Piped),
    ("passwd --stdin", Other::Piped),
    ("--password-stdin", Other::Piped),
];

#[derive(Clone, Copy)]
enum Other {
    Address,
    Pem,
    Scheme,
    User,
    /// `123456789:AA…`, a bot of Telegram.
    Bot,
    IdentifiedBy,
    Quoted,
    Netrc,
    Openssl,
    Piped,
    /// A name, and its value behind a blank.
    Followed,
    /// A verb between a name and its value.
    Said,
    Kubernetes,
    Define,
    Oracle,
    HereString,
    Literal,
}

/// Finds everything of the table in one pass.
pub(super) struct Shapes(AhoCorasick);

impl Shapes {
    pub(super) fn new() -> Result<Shapes, OptionsError> {
        let starts = SHAPES.iter().map(|shape| shape.0).chain(OTHERS.iter().map(|other| other.0));
        let starts = starts.chain(PROGRAMS.iter().map(|program| program.0));
        AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::LeftmostLongest)
            .kind(Some(AhoCorasickKind::DFA))
            .build(starts)
            .map(Shapes)
            .map_err(|error| OptionsError::Shapes { why: error.to_string() })
    }

    /// Hides what has a known shape. Gives back what looks random and may be shown: certificates.
    pub(super) fn find(&self, text: &str, keys: &Keys, found: &mut Found<'_>) -> Vec<(usize, usize)> {
        let mut spared = Vec::new();
        let mut ends = Ends::default();
        let mut refused = Refused::default();
        let mut commands_end = [0; PROGRAMS.len()];
        let mut done = 0;
        for start in self.0.find_iter(text) {
            if start.start() < done {
                continue;
            }
            let pattern = start.pattern().as_usize();
            let Some(shape) = SHAPES.get(pattern) else {
                let other = pattern - SHAPES.len();
                let Some((_, other)) = OTHERS.get(other) else {
                    let number = other - OTHERS.len();
                    // Of one program in a command nothing is read twice.
                    if start.start() >= commands_end[number] && is_begin_of_word(text, start.start()) {
                        commands_end[number] = program(text, start.end(), PROGRAMS[number].1, found);
                    }
                    continue;
                };
                match *other {
                    Other::Address => address(text, start.end(), found),
                    Other::Scheme if is_begin_of_word(text, start.start()) => {
                        scheme(text, start.end(), found)
                    }
                    Other::Scheme => {}
                    Other::User if start.end() > refused.users => {
                        match user_option(text, start.end(), found) {
                            UserOption::Hidden(end) => done = end,
                            UserOption::Refused(end) => refused.users = end,
                        }
                    }
                    Other::User => {}
                    Other::Bot => bot(text, start.start(), found),
                    Other::IdentifiedBy => identified_by(text, start.end(), found),
                    Other::Quoted => quoted(text, start.end() - 1, found),
                    Other::Netrc => {
                        netrc(text, start.end(), found);
                        followed::find(text, start.end(), keys, found);
                    }
                    Other::Followed => followed::find(text, start.end(), keys, found),
                    Other::Said => followed::said(text, start.start(), start.end(), keys, found),
                    Other::Kubernetes => {
                        // The line must be this one alone; what is below it is read once.
                        done = followed::kubernetes(text, start.end(), found);
                    }
                    Other::Define => define(text, start.end(), keys, found),
                    Other::Oracle => oracle(text, start.end(), found),
                    Other::HereString => here_string(text, start.end(), found),
                    Other::Literal => literal(text, start.end(), found),
                    Other::Openssl => openssl(text, start.start(), found),
                    Other::Piped => piped(text, start.start(), found),
                    Other::Pem => {
                        if let Some(block) = block(text, start.start(), &mut ends) {
                            match block.is_private {
                                true => found.add_evident(start.start(), block.end),
                                false => spared.push((start.start(), block.end)),
                            }
                            done = block.end;
                        }
                    }
                }
                continue;
            };
            if let Some(end) = shape.end_in(text, start.start(), &mut refused) {
                // Of an address only its secret part goes.
                let is_address = shape.0.ends_with('/');
                found.add_evident(if is_address { start.end() } else { start.start() }, end);
                done = end;
            }
        }
        spared
    }
}

fn is_begin_of_word(text: &str, start: usize) -> bool {
    !text.as_bytes()[..start].last().is_some_and(u8::is_ascii_alphanumeric)
}

fn bot(text: &str, colon: usize, found: &mut Found<'_>) {
    let digits =
        text.as_bytes()[..colon].iter().rev().take(11).take_while(|byte| byte.is_ascii_digit()).count();
    if !(7..=10).contains(&digits) {
        return;
    }
    let end = colon + 1 + length(&text[colon + 1..], Rest::Word);
    if end - colon > 24 {
        found.add_evident(colon - digits, end);
    }
}

/// How far it is known that no shape of a kind begins, so that nothing is read twice.
#[derive(Default)]
struct Refused {
    names: usize,
    jwts: usize,
    users: usize,
}

impl Shape {
    /// Where the secret that begins here ends, if it is one.
    fn end_in(&self, text: &str, start: usize, refused: &mut Refused) -> Option<usize> {
        let Shape(begin, rest, least) = self;
        let behind = text[start..].strip_prefix(begin)?;
        let is_word = begin.starts_with(|c: char| c.is_ascii_alphanumeric()) && !begin.ends_with('/');
        if is_word && !is_begin_of_word(text, start) {
            return None;
        }
        let from = start + begin.len();
        match rest {
            Rest::NoName if from <= refused.names => return None,
            Rest::Jwt if from <= refused.jwts || !is_jwt(behind, from, refused) => return None,
            _ => {}
        }
        if *rest == Rest::Airtable && !is_airtable(behind) {
            return None;
        }
        let length = length(behind, *rest);
        let word = &behind[..length];
        if *rest == Rest::NoName && is_name(word) {
            refused.names = from + length;
            return None;
        }
        if length < *least || *rest == Rest::Upper && !word.bytes().any(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let end = from + length;
        Some(if begin.ends_with('/') { end_of_word(text, end) } else { end })
    }
}

fn is_airtable(text: &str) -> bool {
    let (id, rest) = (text.as_bytes().get(..14), text.as_bytes().get(14..15 + 32));
    id.is_some_and(|id| id.iter().all(u8::is_ascii_alphanumeric))
        && rest.is_some_and(|rest| rest[0] == b'.' && rest[1..].iter().all(u8::is_ascii_hexdigit))
}

/// Whether at least two parts with a dot between them follow.
fn is_jwt(text: &str, from: usize, refused: &mut Refused) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
    let header = text.bytes().take_while(is_part).count();
    let is_one = text[header..]
        .strip_prefix('.')
        .is_some_and(|rest| rest.bytes().take(8).take_while(is_part).count() == 8);
    if !is_one {
        refused.jwts = from + header;
    }
    is_one
}

/// Words in lower case with signs between them.
fn is_name(word: &str) -> bool {
    word.contains(['-', '_']) && word.bytes().all(|byte| byte.is_ascii_lowercase() || b"-_.".contains(&byte))
}

/// How much of the text belongs to a secret. A full stop at its end does not.
fn length(text: &str, rest: Rest) -> usize {
    let belongs = |byte: &u8| match rest {
        Rest::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
        Rest::Word | Rest::NoName => byte.is_ascii_alphanumeric() || b"_-".contains(byte),
        Rest::Jwt => byte.is_ascii_alphanumeric() || b"_-.=".contains(byte),
        Rest::Airtable => byte.is_ascii_alphanumeric() || *byte == b'.',
        Rest::Dotted => byte.is_ascii_alphanumeric() || b"_-.~+/=|%".contains(byte),
    };
    let length = text.bytes().take_while(|byte| belongs(byte)).count();
    text[..length].trim_end_matches('.').len()
}
