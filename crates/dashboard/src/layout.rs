//! The layout of every page, and the login page.

use maud::{DOCTYPE, Markup, html};

use crate::DashboardPage;
use crate::route::PageRoute;

/// The data of the layout.
pub struct PageFrame<'a> {
    /// The current page, if it is in the menu.
    pub current: Option<&'a PageRoute>,
    /// The anti-forgery token that the page sends with every action.
    pub mark: &'a str,
    /// A text above every page.
    pub banner: Option<&'a str>,
}

pub fn frame(frame: &PageFrame<'_>, page: &DashboardPage) -> Markup {
    let head = html! { meta name="toolwright-mark" content=(frame.mark); };
    document(
        &page.title,
        &head,
        &html! {
            a.skip href="#content" { "Skip to the content" }
            (banner(frame.banner))
            header.top {
                a.brand href="/" { "Toolwright" }
                nav aria-label="Pages" {
                    ul {
                        @for (route, path, name) in PageRoute::MENU {
                            li {
                                a href=(path) aria-current=[frame.current.is_some_and(|current| current.is_under(&route)).then_some("page")] { (name) }
                            }
                        }
                    }
                }
                button #notify type="button" hidden { "Notify me" }
                button #theme type="button" hidden { "Theme" }
            }
            main #content tabindex="-1" {
                div #notices.notices role="region" aria-label="Notices" hidden {}
                h1 { (page.title) }
                (page.body)
            }
            footer.bottom {
                p { "Keys: " kbd { "g" } " then the first letter of a page, " kbd { "/" } " to search, " kbd { "j" } " and " kbd { "k" } " through rows." }
            }
            div #said role="status" aria-live="polite" {}
        },
    )
}

pub fn login(problem: Option<&str>, above: Option<&str>) -> Markup {
    document(
        "Log in",
        &html! {},
        &html! {
            (banner(above))
            main #content {
                h1 { "Toolwright" }
                @if let Some(problem) = problem {
                    p.problem role="alert" { (problem) }
                }
                p { "Open the link that the gateway printed when it started, or the one that " code { "toolwright dashboard" } " prints. Or give its token:" }
                form method="post" action="/login" {
                    label for="token" { "Token" }
                    input #token type="password" name="token" autocomplete="current-password" required;
                    button type="submit" { "Log in" }
                }
                p.quiet { code { "toolwright token show" } " tells the token." }
            }
        },
    )
}

fn banner(text: Option<&str>) -> Markup {
    html! {
        @if let Some(text) = text {
            p.banner role="note" { (text) }
        }
    }
}

fn document(title: &str, head: &Markup, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · Toolwright" }
                (head)
                link rel="icon" href="/assets/icon.svg" type="image/svg+xml";
                link rel="stylesheet" href="/assets/style.css";
                script src="/assets/theme.js" {}
                script src="/assets/script.js" defer {}
            }
            body { (body) }
        }
    }
}
