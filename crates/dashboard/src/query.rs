//! Query strings.

use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// The longest accepted value, in bytes.
const MOST_BYTES: usize = 64 * 1024;

/// Names and values, in order. An empty value counts as absent: a form sends every field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageQuery(Vec<(String, String)>);

impl PageQuery {
    pub fn read(text: &str) -> PageQuery {
        let decode = |text: &str| {
            let text = text.replace('+', " ");
            percent_decode_str(&text).decode_utf8_lossy().into_owned()
        };
        let pairs = text.split('&').filter_map(|pair| {
            let (name, value) = pair.split_once('=')?;
            let value = decode(value);
            (!value.trim().is_empty() && value.len() <= MOST_BYTES).then(|| (decode(name), value))
        });
        PageQuery(pairs.collect())
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The same query string with another value for one name.
    pub fn with(&self, name: &str, value: &str) -> String {
        let kept = self.0.iter().filter(|(known, _)| known != name);
        let pairs = kept.map(|(name, value)| (name.as_str(), value.as_str())).chain([(name, value)]);
        let pairs: Vec<String> =
            pairs.map(|(name, value)| format!("{}={}", encode(name), encode(value))).collect();
        pairs.join("&")
    }
}

/// Percent-encodes a text for a URL.
pub fn encode(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn form_query_is_parsed() {
        let query = PageQuery::read("tool=read_file&q=a+b%26c&client=&x");
        assert_eq!(
            (query.get("tool"), query.get("q"), query.get("client")),
            (Some("read_file"), Some("a b&c"), None)
        );
        assert_eq!(query.with("q", "é"), "tool=read%5Ffile&q=%C3%A9");
        assert_eq!(PageQuery::read(&query.with("cursor", "i1")).get("q"), Some("a b&c"));
    }
}
