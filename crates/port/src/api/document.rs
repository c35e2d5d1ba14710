//! `/api/openapi.json`: what every path takes and gives, for programs.

use http::Response;

use super::json_text;
use super::query::Query;
use crate::inside::InsideBody;
use crate::refusal::Refusal;

/// The description. Tests hold it against the routes and their answers.
const DOCUMENT: &str = include_str!("../../../../docs/openapi.json");

pub(super) fn answer(query: &Query) -> Result<Response<InsideBody>, Refusal> {
    query.allow(&[])?;
    Ok(json_text(DOCUMENT))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::super::API_ROUTES;
    use super::*;

    #[test]
    fn the_description_has_every_route_and_no_other() {
        let document: Value = serde_json::from_str(DOCUMENT).expect("JSON");
        assert_eq!(document["openapi"], "3.1.0");
        assert_eq!(document["info"]["version"], env!("CARGO_PKG_VERSION"));
        let paths = document["paths"].as_object().expect("paths");
        let described: BTreeSet<(String, String)> = paths
            .iter()
            .flat_map(|(path, methods)| {
                let methods = methods.as_object().expect("methods");
                methods
                    .keys()
                    .filter(|key| *key != "parameters")
                    .map(move |method| (method.clone(), path.clone()))
            })
            .collect();
        let routes: BTreeSet<(String, String)> =
            API_ROUTES.iter().map(|(method, path)| ((*method).to_owned(), (*path).to_owned())).collect();
        assert_eq!(described, routes);
    }
}
