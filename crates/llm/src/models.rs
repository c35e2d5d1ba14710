//! Which upstream has a model, and which models clients are told of.

mod entry;
mod pattern;

pub use entry::ModelEntry;
pub use pattern::{ModelPattern, PatternError};

pub(crate) use entry::null;
#[cfg(test)]
pub(crate) use entry::tests::two;
pub(crate) use pattern::glob;

/// Where the requests for a model go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    /// The name of the upstream in the configuration.
    pub upstream: String,
    /// What the model is called there. `*` stands for the name that was asked for.
    pub model: String,
}

impl Destination {
    /// A destination; `*` is the model as it was asked for.
    pub fn new(upstream: impl Into<String>, model: impl Into<String>) -> Destination {
        Destination { upstream: upstream.into(), model: model.into() }
    }

    /// What the model is called there, when this one was asked for.
    pub fn model_for(&self, asked: &str) -> String {
        match self.model.split_once('*') {
            Some((before, after)) => format!("{before}{asked}{after}"),
            None => self.model.clone(),
        }
    }
}

/// Patterns of models and where their requests go. The first pattern that takes a model decides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelTable {
    routes: Vec<(ModelPattern, Vec<Destination>)>,
}

impl ModelTable {
    /// Adds a pattern after those that are there. Its destinations are tried in order.
    pub fn add(&mut self, pattern: ModelPattern, destinations: Vec<Destination>) {
        self.routes.push((pattern, destinations));
    }

    /// Where the requests for a model go; nothing when no pattern takes it.
    pub fn route(&self, model: &str) -> Option<&[Destination]> {
        let (_, destinations) = self.routes.iter().find(|(pattern, _)| pattern.takes(model))?;
        Some(destinations)
    }

    /// The models that patterns name without a `*`: those that clients can be told of.
    pub fn named(&self) -> impl Iterator<Item = &str> {
        self.routes.iter().map(|(pattern, _)| pattern.as_str()).filter(|text| !text.contains('*'))
    }

    /// Whether there is no pattern.
    pub fn is_empty(&self) -> bool {
        self.routes.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> ModelTable {
        let mut table = ModelTable::default();
        for (pattern, upstream, model) in [
            ("*haiku*", "local", "qwen3"),
            ("gpt-*", "openai", "*"),
            ("or/*", "router", "openrouter/*:free"),
            ("exact", "one", "two"),
        ] {
            table.add(ModelPattern::new(pattern).unwrap(), vec![Destination::new(upstream, model)]);
        }
        table
    }

    #[test]
    fn the_first_pattern_that_takes_a_model_decides() {
        let mut table = table();
        table.add(
            ModelPattern::new("*").unwrap(),
            vec![Destination::new("a", "*"), Destination::new("b", "x")],
        );
        let upstream = |model: &str| table.route(model).unwrap()[0].upstream.clone();
        assert_eq!(upstream("claude-3-5-Haiku-latest"), "local");
        assert_eq!(upstream("gpt-haiku"), "local");
        assert_eq!(upstream("gpt-5"), "openai");
        assert_eq!(upstream("gpt"), "a");
        assert_eq!(table.route("else").unwrap().len(), 2);
    }

    #[test]
    fn a_model_that_no_pattern_takes_has_no_route() {
        assert_eq!(table().route("claude-opus-4"), None);
        assert_eq!(table().route(""), None);
        assert_eq!(table().route("exactly"), None);
        assert!(ModelTable::default().route("x").is_none());
    }

    #[test]
    fn a_star_in_a_destination_is_the_model_as_asked() {
        let named = |asked: &str| table().route(asked).unwrap()[0].model_for(asked);
        assert_eq!(named("gpt-5.1"), "gpt-5.1");
        assert_eq!(named("or/x*y"), "openrouter/or/x*y:free");
        assert_eq!(named("EXACT"), "two");
    }

    #[test]
    fn clients_are_told_of_models_with_a_name_only() {
        assert_eq!(table().named().collect::<Vec<_>>(), ["exact"]);
    }
}
