//! How many tokens a request has: by the upstream's own count where it has one, else by ours.

use std::sync::Arc;

use bytes::Bytes;
use http::{Method, Request, Response};
use toolwright_llm::exchange::Asked;
use toolwright_llm::{Dialect, Failure, FailureKind, dialects, tokens};

use crate::ProxyBody;
use crate::said::{self, Visit};
use crate::upstream::Ask;
use crate::{LlmFront, LlmPath, headers};

impl LlmFront {
    pub(super) async fn count_tokens(
        self: &Arc<LlmFront>,
        dialect: Dialect,
        request: Request<Bytes>,
        visit: Visit,
    ) -> Response<ProxyBody> {
        let id = said::fresh().id;
        if request.method() != Method::POST {
            return said::wrong_method(
                dialect,
                request.method(),
                LlmPath::CountTokens(dialect).methods(),
                &id,
            );
        }
        let (parts, body) = request.into_parts();
        if let Err(failure) = said::check_encoding(&parts.headers) {
            return said::failure(dialect, &failure, &id);
        }
        let asked = match Asked::read(dialect, &body) {
            Ok(asked) => asked,
            Err(failure) => return said::failure(dialect, &failure, &id),
        };
        if !visit.may_ask(asked.model()) {
            let what = format!("the token \"{}\" may not ask the model \"{}\"", visit.client, asked.model());
            return said::refusal(dialect, 403, &what);
        }
        if let Err(failure) = visit.may_ask_others(&asked) {
            return said::failure(dialect, &failure, &id);
        }
        let ways = match self.router.load().ways(asked.model()) {
            Ok(ways) => ways,
            Err(failure) => return said::failure(dialect, &failure, &id),
        };
        // The first is the one that would be asked.
        let counting = dialects::of(dialect).token_count();
        let own = ways.first().filter(|way| way.upstream.dialect() == dialect);
        if let (Some(way), Some(counting)) = (own, counting) {
            let query = visit.query(&parts.uri);
            let ask = Ask {
                method: Method::POST,
                path: counting.path,
                query: query.as_deref(),
                headers: visit.headers(headers::for_upstream(dialect, dialect, &parts.headers)),
                own_key: &visit.own_key,
                body: Some(asked.body_for(&way.upstream.target(&way.model))),
            };
            if let Ok(response) = way.upstream.send(ask).await {
                let (status, upstream_headers) = (response.status().as_u16(), response.headers().clone());
                // One that has no such path is counted for.
                if !matches!(status, 404 | 405 | 501)
                    && let Ok(body) = way.upstream.whole(response).await
                {
                    let mut answer = said::json(status, body);
                    headers::for_client(dialect, dialect, &upstream_headers, answer.headers_mut());
                    return answer;
                }
            }
        }
        match (asked.request(), counting) {
            (Ok(request), Some(counting)) => said::json(200, (counting.write)(tokens::count(request))),
            (Ok(_), None) => said::failure(dialect, &uncounted(), &id),
            (Err(failure), _) => said::failure(dialect, &failure, &id),
        }
    }
}

/// The dialect has no count: no path of its clients leads here.
fn uncounted() -> Failure {
    Failure::new(FailureKind::NotFound, "tokens are not counted in this dialect")
}
