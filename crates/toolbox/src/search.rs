//! Finds tools by what they do: words of a query against names, descriptions and parameters (BM25).
//!
//! Everything is counted when the index is built; a search looks only at the tools that have a word of the
//! query. Ties fall as the tools stand, so the same question has the same answer.

use std::collections::HashMap;

use toolwright_jsonrpc::Json;

use crate::identifier::Identifier;

mod words;

/// How much a word counts where it stands.
const NAME: f32 = 3.0;
const TITLE: f32 = 2.0;
const DESCRIPTION: f32 = 1.0;
const PARAMETER: f32 = 0.6;
const PARAMETER_DESCRIPTION: f32 = 0.3;
const SERVER: f32 = 0.8;

/// How soon more of a word counts no more, and how much long texts are held back.
const K1: f32 = 1.2;
const B: f32 = 0.6;

/// How much of a tool's texts is read: nobody describes a tool in more words.
const READ_CHARS: usize = 8_000;
const READ_PARAMETERS: usize = 200;

/// How many words of a query count.
const QUERY_WORDS: usize = 64;

/// A tool, as it can be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Which tool.
    pub tool: Identifier,
    /// Its title.
    pub title: Option<String>,
    /// What it does.
    pub description: String,
    /// Its parameters: name and description.
    pub parameters: Vec<(String, String)>,
}

/// A tool that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Its place among the entries that the index was built of.
    pub index: usize,
    /// How well it fits; zero when nothing was asked for.
    pub score: f32,
}

/// Everything that can be found.
#[derive(Clone, Debug, Default)]
pub struct Index {
    /// The places of words in the next list.
    words: HashMap<String, usize>,
    /// The tools that have a word, and how much of it.
    postings: Vec<Vec<(u32, f32)>>,
    /// How long each tool's texts are against the usual, ready for the formula.
    damping: Vec<f32>,
}

impl Entry {
    /// The entry of a tool as its server describes it.
    pub fn of(tool: Identifier, definition: &Json) -> Entry {
        let schema = definition.get("inputSchema").and_then(|schema| schema.get("properties"));
        let members = schema.as_ref().and_then(Json::members).unwrap_or_default();
        let parameters = members
            .iter()
            .take(READ_PARAMETERS)
            .map(|member| {
                let described = member.to_json().get_text("description");
                (member.key.to_string(), described.unwrap_or_default())
            })
            .collect();
        let annotated = definition.get("annotations").and_then(|annotations| annotations.get_text("title"));
        Entry {
            tool,
            title: definition.get_text("title").or(annotated),
            description: definition.get_text("description").unwrap_or_default(),
            parameters,
        }
    }
}

impl Index {
    /// Counts the words of all entries.
    pub fn build(entries: impl IntoIterator<Item = Entry>) -> Index {
        let mut index = Index::default();
        let mut lengths = Vec::new();
        for (at, entry) in entries.into_iter().enumerate() {
            lengths.push(index.add(at as u32, &entry));
        }
        let usual = lengths.iter().sum::<f32>() / lengths.len().max(1) as f32;
        let usual = if usual > 0.0 { usual } else { 1.0 };
        index.damping = lengths.iter().map(|length| K1 * (1.0 - B + B * length / usual)).collect();
        index
    }

    /// Counts the words of the next entry. Tells how long its texts are.
    fn add(&mut self, at: u32, entry: &Entry) -> f32 {
        let mut length = 0.0;
        let mut add = |text: &str, weight: f32| {
            let end = text.char_indices().nth(READ_CHARS).map_or(text.len(), |(end, _)| end);
            words::each(&text[..end], |word| {
                length += weight;
                match self.words.get(word) {
                    None => {
                        self.words.insert(word.to_owned(), self.postings.len());
                        self.postings.push(vec![(at, weight)]);
                    }
                    Some(place) => match self.postings[*place].last_mut() {
                        Some((last, counted)) if *last == at => *counted += weight,
                        _ => self.postings[*place].push((at, weight)),
                    },
                }
            });
        };
        add(&entry.tool.name, NAME);
        add(entry.title.as_deref().unwrap_or_default(), TITLE);
        add(&entry.description, DESCRIPTION);
        add(&entry.tool.server, SERVER);
        for (name, description) in entry.parameters.iter().take(READ_PARAMETERS) {
            add(name, PARAMETER);
            add(description, PARAMETER_DESCRIPTION);
        }
        length
    }

    /// How many tools there are.
    pub fn len(&self) -> usize {
        self.damping.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.damping.is_empty()
    }

    /// The tools that fit best, at most so many. A query without a word that says something (empty, or only
    /// words such as "the") finds the first tools, with a score of zero.
    pub fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        let asked = words::of_query(query, QUERY_WORDS);
        if asked.is_empty() {
            return (0..self.len().min(limit)).map(|index| Hit { index, score: 0.0 }).collect();
        }
        let mut scores = vec![0.0f32; self.len()];
        for (word, importance) in &asked {
            self.count(word, *importance, &mut scores);
        }
        let mut hits: Vec<Hit> = scores
            .iter()
            .enumerate()
            .filter(|(_, score)| **score > 0.0)
            .map(|(index, score)| Hit { index, score: *score })
            .collect();
        hits.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.index.cmp(&other.index)));
        hits.truncate(limit);
        hits
    }

    fn count(&self, word: &str, importance: f32, scores: &mut [f32]) {
        let Some(found) = self.words.get(word).map(|place| &self.postings[*place]) else { return };
        let (all, with) = (self.len() as f32, found.len() as f32);
        let rarity = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
        for (at, weight) in found {
            let at = *at as usize;
            scores[at] += importance * rarity * weight * (K1 + 1.0) / (weight + self.damping[at]);
        }
    }
}
