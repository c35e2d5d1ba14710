//! Parts of a text that are hidden.

use super::mark::{Mark, Marker, marks_in};

/// How many times the quotes around a mark are escaped. One byte may be a secret, so what stands in its place
/// must stay short.
const MAX_QUOTED_LEVELS: u8 = 3;

/// One part that is hidden.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) mark: Mark,
    /// A value that we hold has the mark of that value, whatever else is said of it.
    pub(super) is_known: bool,
    /// Its key or the words around it reveal it, not its own shape: elsewhere nothing but its value would.
    pub(super) is_named: bool,
    /// For what was no string: the mark gets quotes, which are escaped this many times.
    pub(super) quotes: Option<u8>,
}

/// Collects what is hidden of one text.
pub(super) struct Found<'t> {
    text: &'t str,
    marker: &'t Marker,
    marks: Vec<(usize, usize)>,
    spans: Vec<Span>,
}

impl<'t> Found<'t> {
    pub(super) fn new(text: &'t str, marker: &'t Marker) -> Self {
        Found { text, marker, marks: marks_in(text), spans: Vec::new() }
    }

    /// For a part of a text whose marks somebody else knows: what is found goes to them.
    pub(super) fn within(text: &'t str, marker: &'t Marker) -> Self {
        Found { text, marker, marks: Vec::new(), spans: Vec::new() }
    }

    /// Hides this part, which its name or the words around it reveal.
    pub(super) fn add(&mut self, start: usize, end: usize) {
        self.add_secret(start, end, &self.text[start..end]);
    }

    /// Hides this part, whose own shape reveals it wherever it is repeated.
    pub(super) fn add_evident(&mut self, start: usize, end: usize) {
        let first = self.spans.len();
        self.add(start, end);
        self.spans[first..].iter_mut().for_each(|span| span.is_named = false);
    }

    /// Hides this part, which says `secret` in its own way.
    pub(super) fn add_secret(&mut self, start: usize, end: usize, secret: &str) {
        self.add_span(start, end, None, secret);
    }

    /// Hides this part, which is no string of JSON but must become one.
    pub(super) fn add_scalar(&mut self, start: usize, end: usize) {
        self.add_span(start, end, Some(0), &self.text[start..end]);
    }

    fn add_span(&mut self, start: usize, end: usize, quotes: Option<u8>, secret: &str) {
        let (text, marker) = (self.text, self.marker);
        if start >= end {
            return;
        }
        if !self.touches_mark(start, end) {
            let mark = marker.of(secret.as_bytes());
            self.spans.push(Span { start, end, mark, is_known: false, is_named: true, quotes });
            return;
        }
        for (start, end) in self.without_marks(start, end) {
            let mark = marker.of(&text.as_bytes()[start..end]);
            self.spans.push(Span { start, end, mark, is_known: false, is_named: true, quotes: None });
        }
    }

    /// Hides a value that we hold.
    pub(super) fn add_known(&mut self, start: usize, end: usize, mark: Mark, quotes: Option<u8>) {
        for (start, end) in self.without_marks(start, end) {
            self.spans.push(Span { start, end, mark, is_known: true, is_named: false, quotes });
        }
    }

    /// Takes over what was found in a part of the text.
    pub(super) fn take_over(&mut self, spans: impl IntoIterator<Item = Span>) {
        for span in spans {
            if !self.touches_mark(span.start, span.end) {
                self.spans.push(span);
                continue;
            }
            for (start, end) in self.without_marks(span.start, span.end) {
                self.spans.push(Span { start, end, ..span });
            }
        }
    }

    /// What was found, in order and without overlaps.
    pub(super) fn finish(mut self) -> Vec<Span> {
        merge(&mut self.spans);
        self.spans
    }

    fn touches_mark(&self, start: usize, end: usize) -> bool {
        let next = self.marks.partition_point(|mark| mark.1 <= start);
        self.marks.get(next).is_some_and(|mark| mark.0 < end)
    }

    /// The parts between marks that hold something.
    fn without_marks(&self, start: usize, end: usize) -> Vec<(usize, usize)> {
        let mut parts = Vec::new();
        let mut from = start;
        let touches = self.touches_mark(start, end);
        let first = self.marks.partition_point(|mark| mark.1 <= start);
        let ends = self.marks[first..].iter().take_while(|mark| mark.0 < end);
        for (mark_start, mark_end) in ends.copied().chain([(end, end)]) {
            let part = self.text.get(from..mark_start).unwrap_or_default();
            // What stands between two marks and is no sign was a part of one.
            if !touches || part.contains(char::is_alphanumeric) {
                parts.push((from, mark_start));
            }
            from = mark_end;
        }
        parts
    }
}

/// Puts spans in order and makes one of those that overlap.
fn merge(spans: &mut Vec<Span>) {
    if spans.len() < 2 {
        return;
    }
    spans.sort_by_key(|span| (span.start, span.end));
    spans.dedup_by(|next, span| {
        if next.start >= span.end {
            return false;
        }
        let length = |span: &Span| (span.is_known, span.end - span.start);
        if length(next) > length(span) {
            span.mark = next.mark;
            span.is_known = next.is_known;
        }
        span.is_named |= next.is_named;
        span.quotes = span.quotes.or(next.quotes);
        span.end = span.end.max(next.end);
        true
    });
}

/// The text with marks instead of these parts.
pub(super) fn hidden(text: &str, spans: &[Span]) -> String {
    let mut out = String::with_capacity(text.len() + spans.len() * 4);
    let mut done = 0;
    for span in spans {
        out.push_str(&text[done..span.start]);
        // Each level doubles the backslashes; deep in strings the text around it is valid without quotes.
        let levels = span.quotes.filter(|levels| *levels <= MAX_QUOTED_LEVELS);
        let quote = levels.map(|levels| "\\".repeat((1 << levels) - 1) + "\"").unwrap_or_default();
        out.push_str(&format!("{quote}{}{quote}", span.mark));
        done = span.end;
    }
    out.push_str(&text[done..]);
    out
}
