//! The values of an `enum`, indexed by value and by form.

use toolwright_jsonrpc::raw::{Kind, Node, Number};

use super::{Literal, Types};
use crate::names::fold_value;

/// Shorter lists are searched linearly.
const FEW: usize = 8;

/// The values that an `enum` allows, in their order.
#[derive(Debug)]
pub(crate) struct EnumOptions {
    list: Box<[Literal]>,
    /// Only for long lists.
    index: Option<OptionIndex>,
    /// The texts in lower case, sorted, each with its index in the list.
    lower: Box<[(Box<str>, u32)]>,
    /// The folded texts, sorted, each with its index in the list.
    folded: Box<[(Box<str>, u32)]>,
}

/// A sorted index of a long list.
#[derive(Debug)]
struct OptionIndex {
    texts: Box<[Box<str>]>,
    numbers: Box<[Number]>,
    /// All other values, by their index in the list.
    others: Box<[u32]>,
}

impl EnumOptions {
    pub fn new(list: Box<[Literal]>) -> EnumOptions {
        let forms = |form: fn(&str) -> String| {
            let texts = (0u32..).zip(&list).filter_map(|(at, option)| Some((option.as_text()?, at)));
            let mut forms: Vec<(Box<str>, u32)> = texts.map(|(text, at)| (form(text).into(), at)).collect();
            forms.sort_unstable();
            forms.into_boxed_slice()
        };
        let (lower, folded) = (forms(|text| text.to_lowercase()), forms(fold_value));
        let index = (list.len() > FEW).then(|| OptionIndex::new(&list));
        EnumOptions { list, index, lower, folded }
    }

    pub fn iter(&self) -> impl Iterator<Item = &Literal> {
        self.list.iter()
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether the value is one of them.
    pub fn contain(&self, value: &Node<'_>) -> bool {
        let Some(index) = &self.index else { return self.iter().any(|option| option.equals(value)) };
        match value.kind {
            Kind::String(text) => {
                let text = text.decode();
                index.texts.binary_search_by(|known| (**known).cmp(&*text)).is_ok()
            }
            Kind::Number(text) => {
                Number::parse(text).is_some_and(|number| index.numbers.binary_search(&number).is_ok())
            }
            _ => index.others.iter().any(|at| self.list[*at as usize].equals(value)),
        }
    }

    /// The texts that equal this one in lower case.
    pub fn with_case(&self, lower: &str) -> impl Iterator<Item = &str> {
        self.with_form(&self.lower, lower)
    }

    /// The texts that fold to this one.
    pub fn with_fold(&self, folded: &str) -> impl Iterator<Item = &str> {
        self.with_form(&self.folded, folded)
    }

    fn with_form<'o>(&'o self, forms: &'o [(Box<str>, u32)], form: &str) -> impl Iterator<Item = &'o str> {
        let start = forms.partition_point(|(known, _)| **known < *form);
        let count = forms[start..].iter().take_while(|(known, _)| **known == *form).count();
        forms[start..start + count].iter().filter_map(|(_, at)| self.list[*at as usize].as_text())
    }

    /// The types of the values.
    pub fn types(&self) -> Types {
        self.iter().fold(Types::NONE, |types, option| types.union(option.types()))
    }
}

impl OptionIndex {
    fn new(list: &[Literal]) -> OptionIndex {
        let mut texts: Vec<Box<str>> =
            list.iter().filter_map(|option| option.as_text()).map(Box::from).collect();
        texts.sort_unstable();
        let mut numbers: Vec<Number> = list.iter().filter_map(Literal::as_number).collect();
        numbers.sort_unstable();
        let is_other = |option: &Literal| option.as_text().is_none() && option.as_number().is_none();
        let others = (0u32..).zip(list).filter(|(_, option)| is_other(option)).map(|(at, _)| at).collect();
        OptionIndex { texts: texts.into(), numbers: numbers.into(), others }
    }
}

#[cfg(test)]
mod tests {
    use super::{EnumOptions, Literal, Node};
    use bumpalo::Bump;
    use toolwright_jsonrpc::raw::parse;

    fn options(json: &str) -> EnumOptions {
        let arena = Bump::new();
        let list = parse(json, &arena).unwrap().root;
        EnumOptions::new(list.as_array().unwrap().iter().map(Literal::of).collect())
    }

    #[test]
    fn long_enum_contains_like_short_one() {
        let short = options(r#"["b", 1, null, "a", {"x": 1}]"#);
        let long = options(r#"["b", 1, null, "a", {"x": 1}, "c", 2.0, true, "d", "e", [3]]"#);
        let arena = Bump::new();
        let node = |json: &'static str| -> Node<'_> { parse(json, &arena).unwrap().root };
        for (value, expected) in [
            (r#""a""#, true),
            (r#""\u0061""#, true),
            (r#""A""#, false),
            ("1.0", true),
            ("5", false),
            ("null", true),
            (r#"{"x":1.0}"#, true),
            (r#""1""#, false),
        ] {
            assert_eq!(short.contain(&node(value)), expected, "{value}");
            assert_eq!(long.contain(&node(value)), expected, "{value}");
        }
        assert!(long.contain(&node("2")) && long.contain(&node("[3]")) && long.contain(&node("true")));
    }

    #[test]
    fn texts_are_found_by_form() {
        let found = options(r#"["In_Progress", "IN_PROGRESS", "done"]"#);
        assert_eq!(found.with_case("in_progress").count(), 2);
        assert_eq!(found.with_fold("inprogress").count(), 2);
        assert_eq!(found.with_case("done").collect::<Vec<_>>(), ["done"]);
        assert_eq!(found.with_fold("do").count(), 0);
    }
}
