//! A small regular-expression matcher for the `pattern` keywords of the corpus.
//!
//! It knows literals, `.`, classes, `\d \w \s`, groups, alternation, anchors and the quantifiers `* + ? {m,n}`:
//! what the tools use, so that the bench needs no further crate.

#[derive(Debug, Clone)]
enum Node {
    One(Set),
    Start,
    End,
    Group(Vec<Vec<Node>>),
    Repeat(Box<Node>, usize, usize),
}

#[derive(Debug, Clone)]
struct Set {
    negated: bool,
    ranges: Vec<(char, char)>,
}

/// Whether the pattern matches somewhere in the text. A pattern it cannot read matches nothing.
pub fn matches(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let mut at = 0;
    let Some(branches) = alternatives(&pattern, &mut at) else { return false };
    if at != pattern.len() {
        return false;
    }
    let text: Vec<char> = text.chars().collect();
    let root = [Node::Group(branches)];
    (0..=text.len()).any(|start| run(&root, &text, start, &mut |_| true))
}

fn alternatives(pattern: &[char], at: &mut usize) -> Option<Vec<Vec<Node>>> {
    let mut branches = vec![Vec::new()];
    while let Some(&letter) = pattern.get(*at) {
        if letter == ')' {
            break;
        }
        *at += 1;
        let node = match letter {
            '|' => {
                branches.push(Vec::new());
                continue;
            }
            '^' => Node::Start,
            '$' => Node::End,
            '.' => Node::One(Set { negated: true, ranges: vec![('\n', '\n')] }),
            '(' => {
                if pattern.get(*at) == Some(&'?') && pattern.get(*at + 1) == Some(&':') {
                    *at += 2;
                }
                let inner = alternatives(pattern, at)?;
                if pattern.get(*at) != Some(&')') {
                    return None;
                }
                *at += 1;
                Node::Group(inner)
            }
            '[' => Node::One(class(pattern, at)?),
            '\\' => {
                let escaped = *pattern.get(*at)?;
                *at += 1;
                Node::One(Set { negated: escaped.is_ascii_uppercase(), ranges: escape(escaped) })
            }
            _ => Node::One(Set { negated: false, ranges: vec![(letter, letter)] }),
        };
        let node = quantified(node, pattern, at)?;
        branches.last_mut()?.push(node);
    }
    Some(branches)
}

fn quantified(node: Node, pattern: &[char], at: &mut usize) -> Option<Node> {
    let (least, most) = match pattern.get(*at) {
        Some('*') => (0, usize::MAX),
        Some('+') => (1, usize::MAX),
        Some('?') => (0, 1),
        Some('{') => {
            let close = pattern[*at..].iter().position(|letter| *letter == '}')? + *at;
            let body: String = pattern[*at + 1..close].iter().collect();
            *at = close;
            match body.split_once(',') {
                None => (body.parse().ok()?, body.parse().ok()?),
                Some((least, "")) => (least.parse().ok()?, usize::MAX),
                Some((least, most)) => (least.parse().ok()?, most.parse().ok()?),
            }
        }
        _ => return Some(node),
    };
    *at += 1;
    Some(Node::Repeat(Box::new(node), least, most))
}

fn class(pattern: &[char], at: &mut usize) -> Option<Set> {
    let negated = pattern.get(*at) == Some(&'^');
    *at += usize::from(negated);
    let mut ranges = Vec::new();
    loop {
        let letter = *pattern.get(*at)?;
        *at += 1;
        match letter {
            ']' => return Some(Set { negated, ranges }),
            '\\' => {
                ranges.extend(escape(*pattern.get(*at)?));
                *at += 1;
            }
            _ if pattern.get(*at) == Some(&'-') && pattern.get(*at + 1).is_some_and(|end| *end != ']') => {
                ranges.push((letter, *pattern.get(*at + 1)?));
                *at += 2;
            }
            _ => ranges.push((letter, letter)),
        }
    }
}

fn escape(letter: char) -> Vec<(char, char)> {
    match letter.to_ascii_lowercase() {
        'd' => vec![('0', '9')],
        'w' => vec![('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_')],
        's' => vec![(' ', ' '), ('\t', '\r')],
        _ => vec![(letter, letter)],
    }
}

fn run(nodes: &[Node], text: &[char], at: usize, then: &mut dyn FnMut(usize) -> bool) -> bool {
    let Some((first, rest)) = nodes.split_first() else { return then(at) };
    match first {
        Node::Start => at == 0 && run(rest, text, at, then),
        Node::End => at == text.len() && run(rest, text, at, then),
        Node::One(set) => {
            text.get(at).is_some_and(|letter| set.has(*letter)) && run(rest, text, at + 1, then)
        }
        Node::Group(branches) => {
            branches.iter().any(|branch| run(branch, text, at, &mut |end| run(rest, text, end, then)))
        }
        Node::Repeat(node, least, most) => {
            let again = *most > 0
                && run(std::slice::from_ref(node), text, at, &mut |end| {
                    let more = Node::Repeat(
                        node.clone(),
                        least.saturating_sub(1),
                        if *most == usize::MAX { *most } else { most - 1 },
                    );
                    // A round that consumes nothing would repeat for ever.
                    end > at && run(&[more], text, end, &mut |stop| run(rest, text, stop, then))
                });
            again || (*least == 0 && run(rest, text, at, then))
        }
    }
}

impl Set {
    fn has(&self, letter: char) -> bool {
        self.ranges.iter().any(|(from, to)| (*from..=*to).contains(&letter)) != self.negated
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns_of_the_corpus_are_understood() {
        assert!(matches("^\\d{4}-\\d{2}-\\d{2}$", "2024-05-01"));
        assert!(!matches("^\\d{4}-\\d{2}-\\d{2}$", "2024-5-01"));
        assert!(matches("^[0-9]+(/udp)?$", "53/udp"));
        assert!(!matches("^[0-9]+(/udp)?$", "53/tcp"));
        assert!(matches("^(mon|tue)$", "tue"));
        assert!(!matches("^(mon|tue)$", "wed"));
        assert!(matches("^[a-z]{2}(-[A-Z]{2})?$", "pt-BR"));
        assert!(matches("^light\\.[a-z0-9_]+$", "light.bed_room"));
        assert!(!matches("^light\\.[a-z0-9_]+$", "lightXbed"));
        assert!(!matches("^[A-Za-z]", ""));
        assert!(matches("b+c", "aabbbc"));
    }
}
