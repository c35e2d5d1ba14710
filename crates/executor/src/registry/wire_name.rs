//! The names under which models' APIs take tools: letters, digits, `_` and `-`, at most 64.

/// The longest name that every API takes.
pub(super) const MAX_WIRE_NAME: usize = 64;

/// The form of a name that every API takes: `server/read.file` becomes `server__read_file`.
pub(super) fn wire_name(callable: &str, qualified: &str) -> String {
    let mut text = String::with_capacity(callable.len() + 1);
    for c in callable.chars() {
        match c {
            'A'..='Z' | 'a'..='z' | '0'..='9' | '_' | '-' => text.push(c),
            '/' => text.push_str("__"),
            _ => text.push('_'),
        }
    }
    if text.len() <= MAX_WIRE_NAME { text } else { marked(&text, qualified) }
}

/// The same with a mark of the tool it stands for, where the plain form is too long or taken.
pub(super) fn marked(wire_name: &str, qualified: &str) -> String {
    let mark = format!("_{:08x}", hash(qualified));
    let kept = wire_name.len().min(MAX_WIRE_NAME - mark.len());
    format!("{}{mark}", &wire_name[..kept])
}

/// FNV-1a, folded to 32 bits: the same on every machine and in every version.
fn hash(text: &str) -> u32 {
    let long = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (long ^ (long >> 32)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_gets_a_form_that_the_apis_take() {
        assert_eq!(wire_name("read_file", "x/read_file"), "read_file");
        assert_eq!(wire_name("my server/read.file", "my server/read.file"), "my_server__read_file");
        let long = "a".repeat(100);
        let shortened = wire_name(&long, "x/long");
        assert_eq!(shortened.len(), MAX_WIRE_NAME);
        assert_ne!(shortened, wire_name(&long, "y/long"));
    }
}
