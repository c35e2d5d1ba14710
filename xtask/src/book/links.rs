//! Where links lead: files, headings and images that exist, other sites that are known, and every page of `docs/` found from
//! its first one.

use std::collections::BTreeSet;

use super::Mistake;
use super::markdown::{anchors, prose, without_blocks};
use super::pages::Pages;

/// The page from which all others of `docs/` are found.
const FIRST: &str = "docs/README.md";

/// Sites that pages may point at. A link that nobody can follow in ten years is better a name.
const SITES: [&str; 2] = ["www.rust-lang.org", "zwave-js.github.io"];

/// Beginnings of paths of somebody's machine.
const MACHINES: [&str; 4] = ["/root/", "/work/", "/Users/", "file://"];

/// People whose home stands for everybody's.
const ANYBODY: [&str; 2] = ["/home/me", "/home/ann"];

/// A link as it stands in a page.
#[derive(Debug)]
struct Link {
    line: usize,
    target: String,
}

/// Everything that is wrong with links.
pub fn mistakes(pages: &Pages) -> Vec<Mistake> {
    let mut found = Vec::new();
    for (name, text) in pages.all() {
        let mut tell = |line, what: String| found.push(Mistake { page: name.clone(), line, what });
        for link in links(text) {
            if let Err(what) = follow(pages, name, &link.target) {
                tell(link.line, what);
            }
        }
        for (index, line) in text.lines().enumerate() {
            if let Some(path) = MACHINES.iter().find(|path| has_path(line, path)) {
                tell(index + 1, format!("a path of one machine: {path}…"));
            }
            for (at, _) in line.match_indices("/home/") {
                if !ANYBODY.iter().any(|home| line[at..].starts_with(home)) {
                    tell(index + 1, "somebody's home; write /home/me".to_owned());
                }
            }
        }
    }
    let reached = reached(pages);
    for name in pages.files().iter().filter(|name| name.starts_with("docs/") && !reached.contains(*name)) {
        let what = format!("no way of links leads here from {FIRST}");
        // The list of words is for the check alone.
        if name != super::spelling::WORDS {
            found.push(Mistake { page: name.clone(), line: 1, what });
        }
    }
    found
}

/// How many links there are.
pub fn count(pages: &Pages) -> usize {
    pages.all().values().map(|text| links(text).len()).sum()
}

/// Whether the path begins somewhere in the line, and not inside of a longer one.
fn has_path(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|char| char.is_alphanumeric() || "./~-_}*".contains(char))
    })
}

fn links(page: &str) -> Vec<Link> {
    let prose = prose(page);
    let lines = without_blocks(page);
    let mut found = Vec::new();
    for (at, _) in prose.match_indices("](") {
        let rest = &prose[at + 2..];
        let end = rest.find([')', '\n']).unwrap_or(rest.len());
        let line = prose[..at].matches('\n').count() + 1;
        // A target may hold backticks, which are blank in the prose.
        let begin = prose[..at + 2].rfind('\n').map_or(at + 2, |newline| at + 1 - newline);
        let whole = lines.get(line - 1).copied().unwrap_or_default();
        let target = whole.get(begin..begin + end).unwrap_or(&rest[..end]);
        found.push(Link { line, target: target.trim().to_owned() });
    }
    for (index, line) in prose.lines().enumerate() {
        for (at, _) in line.match_indices("http") {
            let before = line[..at].chars().next_back();
            let address: &str = line[at..].split([' ', ')', '>', '"', '|']).next().unwrap_or_default();
            if before != Some('(') && address.contains("://") {
                found.push(Link { line: index + 1, target: address.trim_end_matches(['.', ',']).to_owned() });
            }
        }
    }
    found
}

fn follow(pages: &Pages, from: &str, target: &str) -> Result<(), String> {
    if let Some((_, rest)) = target.split_once("://") {
        let host = rest.split(['/', ':']).next().unwrap_or_default();
        return match SITES.contains(&host) && target.starts_with("https://") {
            true => Ok(()),
            false => Err(format!("{target} is none of the sites that pages may point at")),
        };
    }
    if target.starts_with('/') {
        return Err(format!("{target} is a path of one machine"));
    }
    let (path, heading) =
        target.split_once('#').map_or((target, None), |(path, anchor)| (path, Some(anchor)));
    let name = resolve(from, path).ok_or_else(|| format!("{target} leads out of the project"))?;
    if !pages.has(&name) {
        return Err(format!("{target} leads nowhere: there is no {name}"));
    }
    let Some(heading) = heading else { return Ok(()) };
    let page = pages.page(&name).ok_or_else(|| format!("{target}: {name} has no headings"))?;
    let known = anchors(page);
    match known.iter().any(|anchor| anchor == heading) {
        true => Ok(()),
        false => Err(format!(
            "{target} leads nowhere: {name} has no heading #{heading}, but #{}",
            known.join(", #")
        )),
    }
}

/// The name of what a link on a page leads to.
fn resolve(from: &str, path: &str) -> Option<String> {
    if path.is_empty() {
        return Some(from.to_owned());
    }
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in path.trim_end_matches('/').split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

fn reached(pages: &Pages) -> BTreeSet<String> {
    let mut reached = BTreeSet::from([FIRST.to_owned()]);
    let mut waiting = vec![FIRST.to_owned()];
    while let Some(name) = waiting.pop() {
        for link in pages.page(&name).map(links).unwrap_or_default() {
            let path = link.target.split('#').next().unwrap_or_default();
            if let Some(next) = resolve(&name, path).filter(|next| reached.insert(next.clone())) {
                waiting.push(next);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pages: &Pages) -> Vec<String> {
        mistakes(pages).iter().map(Mistake::to_string).collect()
    }

    fn book(page: &str) -> Pages {
        let mut pages = Pages::default();
        pages.add("README.md", "# Us\n\n[the book](docs/README.md)\n");
        pages.add(FIRST, "# Book\n\n[a page](page.md), [data](data.json)\n");
        pages.add("docs/page.md", page);
        pages.add_file("docs/data.json");
        pages
    }

    #[test]
    fn a_book_that_is_right_has_no_mistakes() {
        let page = "# A page\n\n## Two `words` here\n\n[up](../README.md#us), [here](#two-words-here), `[no](link.md)`\n\n\
                    ```text\n[nor](this.md)\n```\n[Rust](https://www.rust-lang.org/tools)\n";
        assert_eq!(found(&book(page)), Vec::<String>::new());
        assert_eq!(count(&book(page)), 6);
    }

    #[test]
    fn a_planted_link_to_nothing_is_found() {
        for (link, said) in [
            ("[gone](gone.md)", "docs/page.md:3: gone.md leads nowhere: there is no docs/gone.md"),
            ("![gone](gone.png)", "docs/page.md:3: gone.png leads nowhere: there is no docs/gone.png"),
            ("[up](../../x.md)", "docs/page.md:3: ../../x.md leads out of the project"),
            ("[`code`](gone.md)", "docs/page.md:3: gone.md leads nowhere: there is no docs/gone.md"),
            ("[root](/etc/x)", "docs/page.md:3: /etc/x is a path of one machine"),
            ("at /root/me/x", "docs/page.md:3: a path of one machine: /root/…"),
            ("at /home/bob/x", "docs/page.md:3: somebody's home; write /home/me"),
        ] {
            assert_eq!(found(&book(&format!("# A page\n\n{link}\n"))), [said], "{link}");
        }
    }

    #[test]
    fn a_planted_heading_that_is_not_there_is_found() {
        let said = "docs/page.md:3: ../README.md#them leads nowhere: README.md has no heading #them, but #us";
        assert_eq!(found(&book("# A page\n\n[them](../README.md#them)\n")), [said]);
        let twice = "# One\n\n## Same\n\n## Same\n\n[1](#same), [2](#same-1), [3](#same-2)\n";
        let said = "docs/page.md:7: #same-2 leads nowhere: docs/page.md has no heading #same-2, but #one, #same, #same-1";
        assert_eq!(found(&book(twice)), [said]);
    }

    #[test]
    fn a_planted_page_that_nobody_finds_is_told() {
        let mut pages = book("# A page\n");
        pages.add("docs/lost.md", "# Lost\n");
        assert_eq!(found(&pages), ["docs/lost.md:1: no way of links leads here from docs/README.md"]);
    }

    #[test]
    fn a_planted_link_to_an_unknown_site_is_found() {
        let said =
            |address: &str| format!("docs/page.md:3: {address} is none of the sites that pages may point at");
        let other = "https://pages.example/x";
        assert_eq!(found(&book(&format!("# A page\n\n[x]({other})\n"))), [said(other)]);
        assert_eq!(found(&book(&format!("# A page\n\nSee {other}.\n"))), [said(other)]);
        let plain = "http://www.rust-lang.org/";
        assert_eq!(found(&book(&format!("# A page\n\n[x]({plain})\n"))), [said(plain)]);
    }
}
