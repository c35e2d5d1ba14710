//! Errors of the file system in words for the model.

use std::io;

/// Numbers of errors that the standard library has no stable name for. They are the same on Linux and macOS,
/// but for the last.
const NOT_PERMITTED: i32 = 1;
const NO_SUCH_DEVICE: i32 = 6;
const IS_A_LINK: i32 = if cfg!(target_os = "linux") { 40 } else { 62 };

/// A path that leads out of its root, as `cap-std` says it.
pub(super) fn escape() -> io::Error {
    io::ErrorKind::PermissionDenied.into()
}

/// Whether a path was refused because it leads out of its root. That error carries no number of the
/// operating system, a refusal of the operating system does.
pub(super) fn is_escape(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none()
}

/// Whether the system does not allow it whoever asks, as for an immutable file.
pub(super) fn is_not_permitted(error: &io::Error) -> bool {
    error.raw_os_error() == Some(NOT_PERMITTED)
}

/// An error in words.
pub(super) fn reason(error: &io::Error) -> String {
    let words = match error.kind() {
        io::ErrorKind::NotFound => "it does not exist",
        io::ErrorKind::PermissionDenied if is_escape(error) => "it leads outside of the allowed folders",
        io::ErrorKind::PermissionDenied if is_not_permitted(error) => {
            "the system does not permit it (perhaps it is immutable or belongs to another user)"
        }
        io::ErrorKind::PermissionDenied => "the system does not allow it (permission denied)",
        io::ErrorKind::NotADirectory => "a part of the path is a file, not a folder",
        io::ErrorKind::StorageFull => "the disk is full",
        io::ErrorKind::ReadOnlyFilesystem => "the disk is read-only",
        io::ErrorKind::CrossesDevices => "the two places are on different file systems",
        io::ErrorKind::InvalidInput if error.raw_os_error().is_some() => {
            "the system takes no such name there, or something on its path was replaced during the call"
        }
        _ => match error.raw_os_error() {
            Some(NO_SUCH_DEVICE) => "it is a socket, or a pipe or device with nothing at its other end",
            Some(IS_A_LINK) => "a symbolic link has taken its place, or its links lead in a circle",
            _ => return error.to_string(),
        },
    };
    words.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn numbers_of_the_system_are_put_in_words() {
        for (number, words) in [
            (1, "immutable"),
            (2, "does not exist"),
            (6, "a socket"),
            (13, "permission denied"),
            (18, "different file systems"),
            (22, "replaced during the call"),
            (28, "the disk is full"),
            (30, "the disk is read-only"),
            (40, "symbolic link"),
        ] {
            let said = reason(&io::Error::from_raw_os_error(number));
            assert!(said.contains(words), "{number}: {said}");
        }
        assert_eq!(reason(&escape()), "it leads outside of the allowed folders");
    }
}
