//! Routing of paths.

use percent_encoding::percent_decode_str;

use crate::actions::Action;
use crate::assets::Asset;

/// The target of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
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
    Action(Action),
}

impl Route {
    /// The pages of the menu, with their names.
    pub const MENU: [(Route, &'static str, &'static str); 13] = [
        (Route::Overview, "/", "Overview"),
        (Route::Live, "/live", "Live"),
        (Route::Calls, "/calls", "Calls"),
        (Route::Normalizer, "/normalizer", "Normalizer"),
        (Route::Errors, "/errors", "Error patterns"),
        (Route::Rules, "/rules", "Rules"),
        (Route::Playground, "/playground", "Playground"),
        (Route::Servers, "/servers", "Servers"),
        (Route::Toolboxes, "/toolboxes", "Toolboxes"),
        (Route::Models, "/models", "Models"),
        (Route::Voice, "/voice", "Voice"),
        (Route::Security, "/security", "Security"),
        (Route::About, "/about", "About"),
    ];

    /// Parses a path.
    pub fn of(path: &str) -> Option<Route> {
        if let Some((route, _, _)) = Route::MENU.into_iter().find(|(_, known, _)| *known == path) {
            return Some(route);
        }
        if let Some(id) = path.strip_prefix("/calls/") {
            let id = percent_decode_str(id).decode_utf8().ok()?;
            let is_id = !id.is_empty() && id.len() <= 200 && !id.contains('/');
            return is_id.then(|| Route::Call(id.into_owned()));
        }
        if path == "/notices" {
            return Some(Route::Notices);
        }
        if path == "/rules/edit" {
            return Some(Route::RulesEdit);
        }
        if let Some(name) = path.strip_prefix("/assets/") {
            return Asset::of(name).map(Route::Asset);
        }
        path.strip_prefix("/do/").and_then(Action::of).map(Route::Action)
    }

    /// Whether the menu marks this entry as current.
    pub fn is_under(&self, entry: &Route) -> bool {
        self == entry
            || matches!((self, entry), (Route::Call(_), Route::Calls) | (Route::RulesEdit, Route::Rules))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_of_the_menu_is_there_and_nothing_else() {
        for (route, path, _) in Route::MENU {
            assert_eq!(Route::of(path), Some(route), "{path}");
        }
        assert_eq!(Route::of("/calls/0a%20b"), Some(Route::Call("0a b".to_owned())));
        for nowhere in
            ["", "/x", "/calls/", "/calls/a/b", "/live/", "/assets/../x", "/assets/x", "/do/x", "//"]
        {
            assert_eq!(Route::of(nowhere), None, "{nowhere}");
        }
    }
}
