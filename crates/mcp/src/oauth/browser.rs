//! Opening a page in the browser of the person at this machine.

use std::io;
use std::process::Stdio;

use reqwest::Url;
use tokio::process::Command;

use super::endpoints::is_safe;

/// Opens a page. No shell reads the address, and no other scheme than those of web pages is opened.
/// Must be called on a tokio runtime.
pub fn open_in_browser(url: &Url) -> io::Result<()> {
    if !is_safe(url) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a web page that may be opened"));
    }
    let (program, before): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("rundll32", &["url.dll,FileProtocolHandler"]),
        _ => ("xdg-open", &[]),
    };
    let mut child = Command::new(program)
        .args(before)
        .arg(url.as_str())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    // Waited for, so that it leaves no zombie; how it ends says nothing about the login.
    tokio::spawn(async move { child.wait().await });
    Ok(())
}
