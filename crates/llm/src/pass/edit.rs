//! Texts with some spans replaced and all other bytes kept.

use super::Span;

/// The text with each span replaced. Spans do not overlap; their order does not matter. What lies outside of the
/// text, or overlaps an earlier span, is left as it is.
pub fn edit(text: &str, edits: &[(Span, String)]) -> String {
    let mut in_order: Vec<&(Span, String)> = edits.iter().collect();
    in_order.sort_by_key(|(span, _)| span.start);
    let added: usize = edits.iter().map(|(_, new)| new.len()).sum();
    let mut out = String::with_capacity(text.len() + added);
    let mut at = 0;
    for (span, new) in in_order {
        let Some(before) = text.get(at..span.start).filter(|_| text.get(span.clone()).is_some()) else {
            continue;
        };
        out.push_str(before);
        out.push_str(new);
        at = span.end;
    }
    out.push_str(text.get(at..).unwrap_or(""));
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_the_spans_change() {
        let text = "a bc d";
        assert_eq!(edit(text, &[(5..6, "Ü".into()), (2..4, String::new())]), "a  Ü");
        assert_eq!(edit(text, &[]), text);
        assert_eq!(edit(text, &[(0..0, "x".into()), (6..6, "y".into())]), "xa bc dy");
    }

    #[test]
    fn spans_that_are_no_part_of_the_text_change_nothing() {
        assert_eq!(edit("aä", &[(2..3, "x".into())]), "aä");
        assert_eq!(edit("abc", &[(0..9, "x".into())]), "abc");
        assert_eq!(edit("abc", &[(0..2, "x".into()), (1..3, "y".into())]), "xc");
    }

    proptest! {
        #[test]
        fn a_span_replaced_by_itself_is_no_change(text in "[a-zä\"]{0,40}", at in 0usize..40, len in 0usize..9) {
            let end = (at + len).min(text.len());
            prop_assume!(at <= end && text.is_char_boundary(at) && text.is_char_boundary(end));
            prop_assert_eq!(edit(&text, &[(at..end, text[at..end].to_owned())]), text);
        }
    }
}
