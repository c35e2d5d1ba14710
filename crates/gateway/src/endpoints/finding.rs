//! Finding tools by what they do.

use toolwright_toolbox::meta::{Found, Identifier};

use super::members::Member;

/// Finds tools.
#[derive(Default)]
pub(super) struct Finder;

impl Finder {
    /// The tools of these servers that have most of the query's words, at most so many.
    pub fn find(&self, members: &[Member], query: &str, limit: usize) -> Vec<Found> {
        let words: Vec<String> = query
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect();
        let mut found: Vec<(usize, Found)> = Vec::new();
        for member in members {
            for (name, item) in &member.offered().tools {
                let (named, text) = (name.to_lowercase(), item.as_str().to_lowercase());
                let hits = |word: &String| {
                    usize::from(text.contains(word.as_str())) + 2 * usize::from(named.contains(word.as_str()))
                };
                let score: usize = words.iter().map(hits).sum();
                if score > 0 {
                    let tool = Identifier::new(&member.toolbox, &member.server, name);
                    found.push((score, Found { tool, definition: item.clone() }));
                }
            }
        }
        found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        found.into_iter().take(limit).map(|(_, found)| found).collect()
    }
}
