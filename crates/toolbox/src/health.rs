//! Whether a server that is connected still answers.

use tokio::time::timeout;
use toolwright_mcp::{Peer, RequestOptions};

use crate::failure::{FailureCause, ServerFailure};
use crate::owner::Keeping;

/// Reports when a server leaves requests unanswered, and asks it by itself until it is back. Returns the reason to restart
/// it when it leaves as many of these questions unanswered: a slow tool is no such reason, because the server answers
/// other requests meanwhile.
pub(crate) async fn keep(peer: &Peer, keeping: &Keeping<'_>) -> ServerFailure {
    let Keeping { server, policy, told, .. } = keeping;
    let mut signs = peer.connection().signs();
    let options = RequestOptions {
        timeout: Some(policy.ping_timeout),
        is_background: true,
        ..RequestOptions::default()
    };
    let limit = policy.unanswered.max(1);
    loop {
        // The sender lives as long as the connection, which `peer` holds.
        let silent = signs.wait_for(|signs| signs.unanswered >= limit).await;
        let count = silent.map_or(0, |signs| signs.unanswered);
        let reason = format!("{count} requests in a row had no answer in time");
        tracing::warn!(server, reason, "a server is degraded");
        let failure = ServerFailure::new(FailureCause::Unresponsive, reason);
        told.send_modify(|seen| seen.troubled(|trouble| trouble.silence = Some(failure)));
        let mut asked = 0;
        while signs.borrow_and_update().unanswered > 0 {
            if asked == limit {
                let message = format!("it left {count} requests and {asked} pings unanswered");
                return ServerFailure::new(FailureCause::Unresponsive, message);
            }
            asked += 1;
            let pause =
                timeout(policy.delay_before(asked + 1), signs.wait_for(|signs| signs.unanswered == 0));
            if pause.await.is_err() {
                // Whatever it answers, it answers.
                let _ = peer.is_there(&options).await;
            }
        }
        tracing::info!(server, "a server answers again");
        told.send_modify(|seen| seen.troubled(|trouble| trouble.silence = None));
    }
}
