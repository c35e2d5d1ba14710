//! Static files: one stylesheet, two scripts, one icon. They are embedded in the binary.

use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, Response};
use toolwright_port::InsideBody;

use crate::whole;

/// One file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asset {
    Style,
    Script,
    Theme,
    Icon,
}

impl Asset {
    pub fn of(name: &str) -> Option<Asset> {
        match name {
            "style.css" => Some(Asset::Style),
            "script.js" => Some(Asset::Script),
            "theme.js" => Some(Asset::Theme),
            "icon.svg" => Some(Asset::Icon),
            _ => None,
        }
    }

    pub fn response(self) -> Response<InsideBody> {
        let (kind, text): (&str, &'static str) = match self {
            Asset::Style => ("text/css; charset=utf-8", include_str!("../assets/style.css")),
            Asset::Script => ("text/javascript; charset=utf-8", include_str!("../assets/script.js")),
            Asset::Theme => ("text/javascript; charset=utf-8", include_str!("../assets/theme.js")),
            Asset::Icon => ("image/svg+xml", include_str!("../assets/icon.svg")),
        };
        let mut response = Response::new(whole(text));
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        // Another version has other files under the same names.
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        response
    }
}
