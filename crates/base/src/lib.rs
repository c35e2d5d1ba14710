//! Small building blocks that the standard library lacks and several crates need, one file per subject.
//!
//! This crate knows nothing of tools, servers, protocols or configuration. It has no settings, logs nothing, and
//! builds without an asynchronous runtime unless the feature `tokio` is enabled.
//!
//! Start with [`FileReplacement`], [`FileStamp`] and [`IgnorePoison`].

mod concurrency_limit;
mod file_replacement;
mod file_stamp;
#[cfg(feature = "tokio")]
mod off_async;
mod poison;
mod private_file;
#[cfg(feature = "tokio")]
mod self_wake;
mod suggestion;
mod unix_time;

pub use concurrency_limit::{ConcurrencyLimit, ConcurrencyPermit};
pub use file_replacement::{FileReplacement, Readers, TEMPORARY_ENDING, replace_private, sync_folder};
pub use file_stamp::FileStamp;
#[cfg(feature = "tokio")]
pub use off_async::{lock_off_async, off_async, off_async_above};
pub use poison::IgnorePoison;
pub use private_file::{close_to_others, lock_private, make_private_folder, private_options, read_bounded};
#[cfg(feature = "tokio")]
pub use self_wake::SelfWakeFilter;
pub use suggestion::{
    closest_by, closest_name, closest_names, fold_name, is_slip, keystrokes_apart, letters_apart,
};
pub use unix_time::{since_epoch, unix_micros, unix_millis, unix_seconds};
