//! A PostgreSQL for one test: in its own folder, on a socket in it, removed with the test.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Startup timeout, for a busy machine.
const START: Duration = Duration::from_secs(60);

/// Stops the server when its input closes, which happens when this process exits for any reason.
const WATCH: &str = r#""$@" & server=$!; cat >/dev/null; kill -INT "$server"; wait "$server""#;

/// A cluster of databases.
pub struct Cluster {
    pub folder: TempDir,
    programs: PathBuf,
    account: Option<(u32, u32)>,
    server: Option<Child>,
    /// Port with TLS only, in addition to the socket.
    pub tls_port: Option<u16>,
}

impl Cluster {
    /// Creates one and starts it.
    pub fn start() -> Cluster {
        let mut cluster = Cluster::make();
        cluster.begin();
        cluster
    }

    /// Creates one without starting it.
    pub fn make() -> Cluster {
        let programs = programs().expect(
            "PostgreSQL is needed for this test and `initdb` was not found; `cargo xtask test` installs it, \
             or `apt-get install postgresql` does",
        );
        let folder = tempfile::Builder::new().prefix("tw-pg").tempdir_in("/tmp").expect("a folder");
        // The server refuses to run as root.
        let account = is_root().then(|| account().expect("an account `postgres` or `nobody` to run it as"));
        if let Some((user, group)) = account {
            chown(folder.path(), Some(user), Some(group)).expect("the folder is given to the account");
            fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).expect("its rights");
        }
        let cluster = Cluster { folder, programs, account, server: None, tls_port: None };
        let made = cluster
            .command("initdb")
            .args(["--no-sync", "--auth=trust", "--username=test", "--encoding=UTF8", "--locale=C", "-D"])
            .arg(cluster.data())
            .output()
            .expect("initdb runs");
        assert!(made.status.success(), "initdb failed: {}", String::from_utf8_lossy(&made.stderr));
        cluster
    }

    /// Starts the server again.
    pub fn begin(&mut self) {
        let log = fs::OpenOptions::new().create(true).append(true).open(self.log()).expect("a log");
        let mut command = self.as_account(Command::new("sh"));
        command.args(["-c", WATCH, "sh"]).arg(self.programs.join("postgres")).arg("-D").arg(self.data());
        command.arg("-k").arg(self.folder.path());
        for setting in ["fsync=off", "max_connections=60", "shared_buffers=32MB"] {
            command.args(["-c", setting]);
        }
        match self.tls_port {
            Some(port) => {
                command.args(["-c", "ssl=on", "-c", "listen_addresses=127.0.0.1", "-p"]).arg(port.to_string())
            }
            None => command.args(["-c", "listen_addresses="]),
        };
        let streams =
            command.stdin(Stdio::piped()).stdout(log.try_clone().expect("a second handle")).stderr(log);
        self.server = Some(streams.spawn().expect("the server starts"));
        let begun = Instant::now();
        while !self.answers() {
            let log = || fs::read_to_string(self.log()).unwrap_or_default();
            assert!(begun.elapsed() < START, "PostgreSQL did not start: {}", log());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Stops the server; its connections break.
    pub fn end(&mut self) {
        let Some(mut server) = self.server.take() else { return };
        drop(server.stdin.take());
        let _ = server.wait();
    }

    /// Creates a database and returns its address.
    pub fn database(&self, name: &str) -> String {
        self.run_sql("postgres", &format!("CREATE DATABASE {name}"));
        self.address(name)
    }

    /// The address of a database that may not exist.
    pub fn address(&self, name: &str) -> String {
        let socket = self.folder.path().display().to_string().replace('/', "%2F");
        format!("postgres://test@{socket}/{name}")
    }

    /// The output of `psql`.
    pub fn run_sql(&self, database: &str, sql: &str) -> String {
        let mut psql = Command::new(find("psql", &self.programs));
        psql.arg("-h").arg(self.folder.path()).args([
            "-U",
            "test",
            "-d",
            database,
            "-v",
            "ON_ERROR_STOP=1",
            "-Atc",
            sql,
        ]);
        let ran = psql.output().expect("psql runs");
        assert!(ran.status.success(), "{sql}: {}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8_lossy(&ran.stdout).trim().to_owned()
    }

    fn answers(&self) -> bool {
        let mut ready = Command::new(find("pg_isready", &self.programs));
        ready.arg("-q").arg("-h").arg(self.folder.path());
        ready.args(self.tls_port.map(|port| format!("-p{port}")));
        ready.status().is_ok_and(|status| status.success())
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn log(&self) -> PathBuf {
        std::env::temp_dir()
            .join(format!("{}.log", self.folder.path().file_name().expect("a name").display()))
    }

    fn command(&self, program: &str) -> Command {
        self.as_account(Command::new(self.programs.join(program)))
    }

    pub fn as_account(&self, mut command: Command) -> Command {
        command.current_dir(self.folder.path());
        if let Some((user, group)) = self.account {
            command.uid(user).gid(group);
        }
        command
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.end();
        let _ = fs::remove_file(self.log());
        // The log is lost with the folder, but useful when a test fails.
        let _ = std::io::stderr().flush();
    }
}

/// The folder with `initdb` and `postgres`: on the path, or the one of Debian.
fn programs() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let debian = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path().join("bin"));
    let mut folders: Vec<PathBuf> = debian.collect();
    // The newest first.
    folders.sort();
    folders.reverse();
    folders.extend(std::env::split_paths(&path));
    folders.into_iter().find(|folder| folder.join("initdb").exists() && folder.join("postgres").exists())
}

/// A program next to the server, or on the path.
fn find(program: &str, folder: &Path) -> PathBuf {
    let beside = folder.join(program);
    if beside.exists() { beside } else { PathBuf::from(program) }
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The ids of an account that is not root.
fn account() -> Option<(u32, u32)> {
    let accounts = fs::read_to_string("/etc/passwd").ok()?;
    ["postgres", "nobody"].iter().find_map(|wanted| {
        let line = accounts.lines().find(|line| line.split(':').next() == Some(wanted))?;
        let mut numbers = line.split(':').skip(2).map(str::parse);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    })
}
