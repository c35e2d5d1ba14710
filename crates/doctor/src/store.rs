//! Where calls are written down and looked up: the state folder, journals, the index, room on the disk.

use std::io::Read;
use std::path::Path;

use toolwright_ledger::StoreAddress;
use toolwright_ledger::index::Store;
use toolwright_ledger::journal::{folders, verify};

use crate::finding::{Area, Check, Finding, Fix, quoted};
use crate::protocol::shown;
use crate::{Examined, files};

/// With less room than this calls are soon not written down any more, in bytes.
const LITTLE_ROOM: u64 = 1 << 30;
const NO_ROOM: u64 = 64 << 20;
/// What every SQLite file begins with.
const SQLITE: &[u8; 16] = b"SQLite format 3\0";
/// The home folder of the user, as the system knows it.
const HOME: &str = "export HOME=\"$(getent passwd \"$(id -u)\" | cut -d: -f6)\"";

pub(crate) async fn check(examined: &Examined) -> Vec<Check> {
    let Some(state) = &examined.state else {
        let finding = Finding::error(
            "no-state-folder",
            "there is no folder to keep anything in",
            "neither XDG_STATE_HOME nor HOME is set: calls are not written down, and the token changes with every start",
            Fix::Run(HOME.to_owned()),
        );
        return vec![Check::new(Area::Store, None, "no folder").with([finding])];
    };
    let mut checks = vec![folder(state)];
    if state.is_dir() {
        checks.extend(journals(state).await);
    }
    checks.push(index(&examined.store).await);
    checks
}

fn folder(state: &Path) -> Check {
    let shown = state.display().to_string();
    let room = files::room(state);
    let said = match room {
        Some(room) => format!("{shown}, {} MiB free", room >> 20),
        None => shown.clone(),
    };
    let check = Check::new(Area::Store, Some("folder"), said);
    let in_the_way = state.ancestors().find(|path| path.exists()).filter(|path| !path.is_dir());
    if let Some(file) = in_the_way {
        let finding = Finding::error(
            "state-is-no-folder",
            "a file is where the state folder should be",
            "nothing can be kept: calls are not written down",
            Fix::Run(format!(
                "mv {} {}",
                quoted(&file.display().to_string()),
                quoted(&format!("{}.old", file.display()))
            )),
        );
        return check.with([finding.at(file.display())]);
    }
    if !files::is_writable(state) {
        let there = state.ancestors().find(|path| path.exists()).unwrap_or(state).display().to_string();
        let finding = Finding::error(
            "state-not-writable",
            "the state folder cannot be written",
            "calls are not written down, and the token changes with every start",
            Fix::Run(format!("chmod u+rwx {}", quoted(&there))),
        );
        return check.with([finding.at(there)]);
    }
    check.with(room.and_then(|room| little_room(&shown, room)))
}

fn little_room(place: &str, room: u64) -> Option<Finding> {
    let fix = || {
        Fix::Do(
            "make room on that disk, or keep less of the journal: \"ledger\": {\"keepBytes\": 67108864}"
                .to_owned(),
        )
    };
    let what = format!("{} MiB are left on the disk", room >> 20);
    let finding = match room {
        room if room < NO_ROOM => {
            Finding::error("disk-full", what, "calls are soon not written down any more", fix())
        }
        room if room < LITTLE_ROOM => {
            Finding::warning("disk-full", what, "the journal keeps up to a few hundred of them", fix())
        }
        _ => return None,
    };
    Some(finding.at(place))
}

async fn journals(state: &Path) -> Vec<Check> {
    let found = match folders(state) {
        Ok(found) => found,
        Err(error) => {
            let fix =
                Fix::Run(format!("chmod -R u+rwX {}", quoted(&state.join("journal").display().to_string())));
            let finding =
                Finding::error("journal-unreadable", "the journals cannot be read", error.to_string(), fix);
            return vec![Check::new(Area::Store, Some("journal"), "unreadable").with([finding])];
        }
    };
    let mut checks = Vec::new();
    for folder in found {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let subject = format!("journal {name}");
        let looked = folder.clone();
        let verified = tokio::task::spawn_blocking(move || verify(&looked)).await;
        let check = match verified {
            Ok(Ok(seen)) if seen.is_whole() => {
                Check::new(Area::Store, Some(&subject), format!("whole, {} records", seen.records))
            }
            Ok(Ok(seen)) => {
                let first = seen.first_bad.as_ref().map(ToString::to_string).unwrap_or_default();
                let aside = state.join(format!("journal-{name}.damaged")).display().to_string();
                let finding = Finding::error(
                    "journal-damaged",
                    "the journal is not whole: something in it was changed, taken out or lost",
                    format!("first of {} bad places: {}", seen.bad, shown(&first)),
                    Fix::Run(format!("mv {} {}", quoted(&folder.display().to_string()), quoted(&aside))),
                );
                Check::new(Area::Store, Some(&subject), "NOT WHOLE").with([finding.at(folder.display())])
            }
            Ok(Err(error)) => {
                let fix = Fix::Run(format!("chmod -R u+rwX {}", quoted(&folder.display().to_string())));
                let finding = Finding::error(
                    "journal-unreadable",
                    "the journal cannot be read",
                    error.to_string(),
                    fix,
                );
                Check::new(Area::Store, Some(&subject), "unreadable").with([finding.at(folder.display())])
            }
            Err(_) => Check::new(Area::Store, Some(&subject), "not looked at"),
        };
        checks.push(check);
    }
    checks
}

async fn index(store: &StoreAddress) -> Check {
    match store {
        StoreAddress::Postgres(address) => match Store::postgres_answers(address).await {
            Ok(()) => Check::new(Area::Store, Some("index"), "PostgreSQL answers"),
            Err(error) => {
                let why = error.to_string();
                let why = toolwright_redact::known(&why, std::slice::from_ref(address)).into_owned();
                let fix = Fix::Do(
                    "start the database or correct \"store\"; see what it says: psql \"$STORE\" -c 'select 1' with the address as STORE"
                        .to_owned(),
                );
                let what = "the PostgreSQL database does not let us in";
                let finding = Finding::error("database-away", what, shown(&why), fix).at("store");
                Check::new(Area::Store, Some("index"), "PostgreSQL is away").with([finding])
            }
        },
        StoreAddress::Own(file) | StoreAddress::Sqlite(file) => sqlite(file, store),
    }
}

/// The file is not opened as a database: that would make or mend it.
fn sqlite(file: &Path, store: &StoreAddress) -> Check {
    let shown = file.display().to_string();
    let check = |said: &str| Check::new(Area::Store, Some("index"), format!("{shown}, {said}"));
    let mut begin = Vec::new();
    match std::fs::File::open(file)
        .and_then(|opened| opened.take(SQLITE.len() as u64).read_to_end(&mut begin))
    {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return check("made at the first start");
        }
        Err(error) => {
            let fix = Fix::Run(format!("chmod u+rw {}", quoted(&shown)));
            let finding =
                Finding::error("index-unreadable", "the index cannot be read", error.to_string(), fix);
            return check("unreadable").with([finding.at(&shown)]);
        }
        Ok(_) => {}
    }
    if begin.is_empty() || begin == SQLITE {
        return check("in place");
    }
    let (what, why, fix) = match store {
        StoreAddress::Own(_) => (
            "the index is damaged",
            "it is no SQLite file any more; everything in it can be made again from the journals",
            Fix::Run(format!("rm {} && toolwright audit reindex", quoted(&shown))),
        ),
        _ => (
            "the file that \"store\" names is no index of calls",
            "it begins with something else, and is left as it is",
            Fix::Do("name another file as \"store\", or remove that key".to_owned()),
        ),
    };
    check("damaged").with([Finding::error("index-damaged", what, why, fix).at(&shown)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_room_is_told_and_enough_is_not() {
        let told = |room: u64| little_room("/state", room).map(|finding| finding.severity);
        assert_eq!(told(10 << 20), Some(super::super::Severity::Error));
        assert_eq!(told(200 << 20), Some(super::super::Severity::Warning));
        assert_eq!(told(2 << 30), None);
    }
}
