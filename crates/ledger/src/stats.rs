//! Numbers about calls, by tool, rule, client and server, and over time.
