//! The port: who may come in, how much at once, and its end.

mod api;
mod api_described;
mod api_kept_out;
mod api_live;
mod end;
mod guard;
mod limits;
mod port;
mod routes;
mod slow;
mod telling;
mod tokens;
