//! Routing of paths.

use percent_encoding::percent_decode_str;

use crate::actions::DashboardAction;
use crate::assets::Asset;

/// The target of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageRoute {
    Overview,
    Live,
    Calls,
    Call(String),
    Normalizer,
    Errors,
    Rules,
    RulesEdit,
    Playground,
    Servers,
    Toolboxes,
    Security,
    Notices,
    Models,
    Voice,
    About,
    Asset(Asset),
    Action(DashboardAction),
}

impl PageRoute {
    /// The pages of the menu, with their names.
    pub const MENU: [(PageRoute, &'static str, &'static str); 13] = [
        (PageRoute::Overview, "/", "Overview"),
        (PageRoute::Live, "/live", "Live"),
        (PageRoute::Calls, "/calls", "Calls"),
        (PageRoute::Normalizer, "/normalizer", "Normalizer"),
        (PageRoute::Errors, "/errors", "Error patterns"),
        (PageRoute::Rules, "/rules", "Rules"),
        (PageRoute::Playground, "/playground", "Playground"),
        (PageRoute::Servers, "/servers", "Servers"),
        (PageRoute::Toolboxes, "/toolboxes", "Toolboxes"),
        (PageRoute::Models, "/models", "Models"),
        (PageRoute::Voice, "/voice", "Voice"),
        (PageRoute::Security, "/security", "Security"),
        (PageRoute::About, "/about", "About"),
    ];

    /// Parses a path.
    pub fn of(path: &str) -> Option<PageRoute> {
        if let Some((route, _, _)) = PageRoute::MENU.into_iter().find(|(_, known, _)| *known == path) {
            return Some(route);
        }
        if let Some(id) = path.strip_prefix("/calls/") {
            let id = percent_decode_str(id).decode_utf8().ok()?;
            let is_id = !id.is_empty() && id.len() <= 200 && !id.contains('/');
            return is_id.then(|| PageRoute::Call(id.into_owned()));
        }
        if path == "/notices" {
            return Some(PageRoute::Notices);
        }
        if path == "/rules/edit" {
            return Some(PageRoute::RulesEdit);
        }
        if let Some(name) = path.strip_prefix("/assets/") {
            return Asset::of(name).map(PageRoute::Asset);
        }
        path.strip_prefix("/do/").and_then(DashboardAction::of).map(PageRoute::Action)
    }

    /// Whether the menu marks this entry as current.
    pub fn is_under(&self, entry: &PageRoute) -> bool {
        self == entry
            || matches!(
                (self, entry),
                (PageRoute::Call(_), PageRoute::Calls) | (PageRoute::RulesEdit, PageRoute::Rules)
            )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_of_the_menu_is_there_and_nothing_else() {
        for (route, path, _) in PageRoute::MENU {
            assert_eq!(PageRoute::of(path), Some(route), "{path}");
        }
        assert_eq!(PageRoute::of("/calls/0a%20b"), Some(PageRoute::Call("0a b".to_owned())));
        for nowhere in
            ["", "/x", "/calls/", "/calls/a/b", "/live/", "/assets/../x", "/assets/x", "/do/x", "//"]
        {
            assert_eq!(PageRoute::of(nowhere), None, "{nowhere}");
        }
    }
}
