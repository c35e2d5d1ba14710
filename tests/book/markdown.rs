//! Markdown as the checks of the book read it: fenced blocks, prose without code, headings. The checks of links and words
//! (`xtask/src/book`) and the tests that run the examples (`crates/toolwright/tests/book`) include this file.

#![allow(dead_code, reason = "each of them uses its own part")]

/// A fenced block.
#[derive(Clone, Debug)]
pub struct Block {
    /// The line of its fence, from 1.
    pub line: usize,
    /// The line after its closing fence, from 1.
    pub end: usize,
    /// The first word behind the fence.
    pub language: String,
    /// The other words behind it.
    pub words: Vec<String>,
    /// What stands in it.
    pub text: String,
}

impl Block {
    /// The value of `key=value` behind the fence.
    pub fn value(&self, key: &str) -> Option<&str> {
        self.words.iter().find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
    }
}

/// The fenced blocks of a page, and the line of one that is never closed.
pub fn blocks(page: &str) -> Result<Vec<Block>, usize> {
    let mut found: Vec<Block> = Vec::new();
    let mut open: Option<(Block, String, usize)> = None;
    for (index, line) in page.lines().enumerate() {
        open = match open {
            None => opening(index + 1, line),
            Some((mut block, fence, _)) if line.trim() == fence => {
                block.end = index + 2;
                found.push(block);
                None
            }
            Some((mut block, fence, indent)) => {
                let blanks = line.len() - line.trim_start_matches(' ').len();
                block.text.extend([&line[blanks.min(indent)..], "\n"]);
                Some((block, fence, indent))
            }
        };
    }
    match open {
        Some((block, ..)) => Err(block.line),
        None => Ok(found),
    }
}

fn opening(number: usize, line: &str) -> Option<(Block, String, usize)> {
    let text = line.trim_start_matches(' ');
    let ticks = text.len() - text.trim_start_matches('`').len();
    if ticks < 3 || text[ticks..].contains('`') {
        return None;
    }
    let mut words = text[ticks..].split_whitespace().map(str::to_owned);
    let language = words.next().unwrap_or_default();
    let block = Block { line: number, end: number, language, words: words.collect(), text: String::new() };
    Some((block, "`".repeat(ticks), line.len() - text.len()))
}

/// The page with every fenced block left blank; lines keep their numbers.
pub fn without_blocks(page: &str) -> Vec<&str> {
    let mut fence: Option<String> = None;
    let mut lines = Vec::new();
    for line in page.lines() {
        let kept = match &fence {
            Some(end) => {
                fence = (line.trim() != end).then(|| end.clone());
                ""
            }
            None => {
                fence = opening(0, line).map(|(_, fence, _)| fence);
                if fence.is_some() { "" } else { line }
            }
        };
        lines.push(kept);
    }
    lines
}

/// The page without blocks, code spans and comments: blanks stand in their place, so that every other byte
/// keeps its own.
pub fn prose(page: &str) -> String {
    let text = without_blocks(page).join("\n");
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find(['`', '<']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match rest.strip_prefix("<!--") {
            Some(comment) => comment.find("-->").map_or(rest.len(), |end| end + 7),
            None if rest.starts_with('<') => 1,
            None => span(rest),
        };
        match length {
            1 => out.push_str(&rest[..1]),
            _ => out.extend(rest[..length].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' })),
        }
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}

/// How long the code span is that begins here; a mark alone is itself.
fn span(text: &str) -> usize {
    let ticks = text.len() - text.trim_start_matches('`').len();
    let mark = &text[..ticks];
    let paragraph = text.find("\n\n").unwrap_or(text.len());
    let mut from = ticks;
    while let Some(at) = text[from..paragraph].find(mark) {
        let run = text[from + at..].len() - text[from + at..].trim_start_matches('`').len();
        if run == ticks {
            return from + at + ticks;
        }
        from += at + run;
    }
    ticks
}

/// The anchors of a page's headings, as the web pages of the project have them.
pub fn anchors(page: &str) -> Vec<String> {
    let mut anchors: Vec<String> = Vec::new();
    for line in without_blocks(page) {
        let text = line.trim_start_matches('#');
        let level = line.len() - text.len();
        if !(1..=6).contains(&level) || !text.starts_with(' ') {
            continue;
        }
        let base = anchor(text.trim());
        let name = |number: usize| if number == 0 { base.clone() } else { format!("{base}-{number}") };
        anchors.extend((0..).map(name).find(|name| !anchors.contains(name)));
    }
    anchors
}

fn anchor(heading: &str) -> String {
    let mut out = String::new();
    let mut in_target = false;
    let mut before = ' ';
    for char in heading.chars() {
        // Of a link only its words count.
        in_target = (in_target && char != ')') || (before == ']' && char == '(');
        before = char;
        match char {
            _ if in_target => {}
            ' ' => out.push('-'),
            '-' | '_' => out.push(char),
            char if char.is_alphanumeric() => out.extend(char.to_lowercase()),
            _ => {}
        }
    }
    out
}
