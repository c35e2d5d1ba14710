//! Errors that are alike, grouped by tool, code and what their messages have in common.
