//! The port: who may come in, how much at once, and its end.

mod end;
mod guard;
mod limits;
mod port;
mod routes;
mod slow;
mod tokens;
