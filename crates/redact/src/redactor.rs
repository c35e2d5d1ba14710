//! Hides secrets in what is written down, and leaves everything else as it is, byte for byte.
//!
//! A secret is known by its key (`password`), by its shape (`ghp_…`, a private key, `user:password@`), by its
//! looks (a long word that nobody would write), or by its value (one that we hold). What hides one is looked
//! through as well: escapes, `%41`, base64, hexadecimal digits, JSON in a string. Where a secret was stands a
//! mark that is the same for the same secret, so that equal ones can be told without being known.
//!
//! Start with [`Redactor`]. What is found comes from [`Look`], which collects [`Span`](spans::Span)s.

mod addresses;
mod assigned;
mod coded;
mod commands;
mod decoded;
mod entropy;
mod followed;
mod keys;
mod look;
mod mark;
mod named;
mod numbers;
mod options;
mod passed;
mod pem;
mod shapes;
mod spans;
mod values;
mod walk;

use std::borrow::Cow;
use std::sync::Arc;

use keys::Keys;
use look::Look;
use mark::Marker;
use passed::Passed;
use regex::Regex;
use shapes::Shapes;
use spans::hidden;
use values::Values;

pub use named::{MAX_NAMED, NamedValues};
pub use options::{MAX_PATTERNS, OptionsError, RedactOptions};

/// How often a text is looked at: hiding one secret may show that what stands beside it is one too. Nearly
/// always the second look finds nothing.
const MAX_LOOKS: usize = 6;

/// Hides secrets in JSON and in text. Cheap to clone and to share.
#[derive(Clone)]
pub struct Redactor(Arc<Rules>);

/// What the looks need to know.
struct Rules {
    marker: Marker,
    keys: Arc<Keys>,
    shapes: Arc<Shapes>,
    patterns: Arc<[Regex]>,
    /// What is known, and what a record adds to it.
    values: Vec<Arc<Values>>,
    entropy: bool,
    /// It belongs to exactly these rules: others begin with none.
    passed: Passed,
}

impl Redactor {
    /// One whose marks depend on `salt`. Without the salt nobody can try words against a mark, so it belongs
    /// to one installation and stays secret.
    pub fn new(salt: [u8; 32], options: RedactOptions) -> Result<Redactor, OptionsError> {
        let patterns = options.compiled_patterns()?;
        Ok(Redactor(Arc::new(Rules {
            marker: Marker::new(&salt),
            keys: Arc::new(Keys::new(&options)?),
            shapes: Arc::new(Shapes::new()?),
            patterns: patterns.into(),
            values: Vec::new(),
            entropy: options.entropy,
            passed: Passed::default(),
        })))
    }

    /// The same one, that also hides these values wherever they stand, as they are and in base64,
    /// percent-encoded, escaped or in hexadecimal digits. They take the place of those known before.
    pub fn with_known(&self, values: Vec<String>) -> Redactor {
        self.searching_for(vec![Arc::new(Values::new(&values, &self.0.marker))])
    }

    /// The same one, that also hides what was hidden in another text because of its name. It searches for the first
    /// [`MAX_NAMED`]; when there are more, the caller must hide whole texts.
    pub fn and_named(&self, values: &NamedValues) -> Redactor {
        let more = Arc::new(Values::new(values.as_slice(), &self.0.marker));
        self.searching_for(self.0.values.iter().cloned().chain([more]).collect())
    }

    fn searching_for(&self, values: Vec<Arc<Values>>) -> Redactor {
        let rules = &self.0;
        Redactor(Arc::new(Rules {
            marker: rules.marker.clone(),
            keys: Arc::clone(&rules.keys),
            shapes: Arc::clone(&rules.shapes),
            patterns: Arc::clone(&rules.patterns),
            values,
            entropy: rules.entropy,
            passed: Passed::default(),
        }))
    }

    /// The same one with other options: its marks and the values that it knows stay.
    ///
    /// # Errors
    /// When the options cannot be used.
    pub fn with_options(&self, options: &RedactOptions) -> Result<Redactor, OptionsError> {
        let rules = &self.0;
        Ok(Redactor(Arc::new(Rules {
            marker: rules.marker.clone(),
            keys: Arc::new(Keys::new(options)?),
            shapes: Arc::clone(&rules.shapes),
            patterns: options.compiled_patterns()?.into(),
            values: rules.values.clone(),
            entropy: options.entropy,
            passed: Passed::default(),
        })))
    }

    /// Arguments without secrets: JSON, or what was meant to be JSON. Valid JSON stays valid and keeps its
    /// shape; a number that is a secret becomes a string.
    pub fn json<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.json_and(text, |_| {})
    }

    /// The same, and what was hidden because of its name: elsewhere nothing but its value reveals it.
    pub fn json_and_named<'t>(&self, text: &'t str) -> (Cow<'t, str>, NamedValues) {
        let mut named = NamedValues::default();
        let shown = self.json_and(text, |hidden| named.add_raw(hidden));
        (shown, named)
    }

    fn json_and<'t>(&self, text: &'t str, named: impl FnMut(&str)) -> Cow<'t, str> {
        let shown = self.until_nothing_is_found(text, |look, text| look.json(text), named);
        // A value that holds quotes or braces may reach over several parts of the JSON. Then nothing of it may
        // be shown.
        match self.0.values.iter().find_map(|values| values.first_in(&shown)) {
            Some(mark) => Cow::Owned(format!("\"{mark}\"")),
            None => shown,
        }
    }

    /// Text without secrets: an error, a line that a program printed, JSON within words.
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.0.passed.has(text) {
            return Cow::Borrowed(text);
        }
        let shown = self.until_nothing_is_found(text, |look, text| look.text(text), |_| {});
        let cut = self.0.values.iter().filter_map(|values| values.cut_at_end(&shown));
        match cut.min_by_key(|(start, _)| *start) {
            Some((start, mark)) => Cow::Owned(format!("{}{mark}", &shown[..start])),
            None => {
                if let Cow::Borrowed(text) = shown {
                    self.0.passed.add(text);
                }
                shown
            }
        }
    }

    /// The mark that stands where this secret was.
    pub fn mark(&self, secret: &str) -> String {
        self.0.marker.of(secret.as_bytes()).to_string()
    }

    /// Whether the value of this key is hidden.
    pub fn hides_key(&self, key: &str) -> bool {
        self.0.keys.is_secret(key)
    }

    fn until_nothing_is_found<'t>(
        &self,
        text: &'t str,
        look: impl Fn(&Look<'_>, &str) -> Vec<spans::Span>,
        mut named: impl FnMut(&str),
    ) -> Cow<'t, str> {
        let mut shown = Cow::Borrowed(text);
        for _ in 0..MAX_LOOKS {
            let found = look(&Look::new(&self.0, shown.len()), &shown);
            if found.is_empty() {
                break;
            }
            found.iter().filter(|span| span.is_named).for_each(|span| named(&shown[span.start..span.end]));
            shown = Cow::Owned(hidden(&shown, &found));
        }
        shown
    }
}

impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Redactor")
            .field("known", &self.0.values.iter().map(|values| values.len()).sum::<usize>())
            .finish_non_exhaustive()
    }
}
