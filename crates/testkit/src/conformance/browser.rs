//! A browser without a person: it goes where the page to log in sends it.

use std::sync::Arc;

use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use toolwright_mcp::oauth::Browser;

use super::Failure;

/// Opens a page in the background and goes on to the first place that it points to.
pub fn headless() -> Browser {
    Arc::new(|page: &Url| {
        let page = page.clone();
        tokio::spawn(async move {
            if let Err(error) = visit(page).await {
                eprintln!("the page to log in leads nowhere: {error}");
            }
        });
    })
}

async fn visit(page: Url) -> Result<(), Failure> {
    let client = Client::builder().redirect(Policy::none()).no_proxy().build()?;
    let answer = client.get(page.clone()).send().await?;
    let location = answer.headers().get("location").ok_or_else(|| format!("HTTP {}", answer.status()))?;
    client.get(page.join(location.to_str()?)?).send().await?;
    Ok(())
}
