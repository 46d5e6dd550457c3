//! A scrubbed folder and environment in which the real binary is run.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;

/// Result of a command.
#[derive(Clone, Debug)]
pub struct Ran {
    /// The exit status; `None` when a signal ended it.
    pub status: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Ran {
    /// Fails the test unless the exit status is `status`.
    #[track_caller]
    pub fn expect(self, status: i32) -> Self {
        assert_eq!(self.status, Some(status), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// Reads standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("not JSON: {error}\n{}\n{}", self.stdout, self.stderr))
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            status: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// A folder with a home and a cache of its own, and the binary to run in it.
#[derive(Debug)]
pub struct TestEnv {
    folder: TempDir,
    binary: PathBuf,
    cache: PathBuf,
}

impl TestEnv {
    /// Makes an empty folder for tests of `binary`.
    ///
    /// # Panics
    ///
    /// When no temporary folder can be made.
    pub fn new(binary: &str) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let cache = folder.path().join("cache");
        Self { folder, binary: PathBuf::from(binary), cache }
    }

    /// Returns the cache of builds.
    pub fn cache(&self) -> &Path {
        &self.cache
    }

    /// Shares the build cache at `cache` with other tests.
    #[must_use]
    pub fn with_cache(mut self, cache: &Path) -> Self {
        cache.clone_into(&mut self.cache);
        self
    }

    /// Returns the folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file beneath the folder, with the folders above it.
    ///
    /// # Panics
    ///
    /// When it cannot be written.
    pub fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        let parent = path.parent().expect("a file has a folder");
        fs::create_dir_all(parent).expect("folders can be made");
        fs::write(path, text).expect("a file can be written");
    }

    /// Returns a command that runs the binary here with nothing inherited.
    pub fn command<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(&self.binary);
        command
            .args(arguments)
            .current_dir(self.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path())
            .env("JOUST_CACHE", &self.cache)
            .env("NO_COLOR", "1")
            .env("COLUMNS", "100")
            .stdin(Stdio::null());
        for name in ["PYENV_ROOT", "RUSTUP_HOME", "CARGO_HOME", "JAVA_HOME", "GOROOT"] {
            if let Some(value) = tool_home(name) {
                command.env(name, value);
            }
        }
        command
    }

    /// Returns the environment of [`TestEnv::command`], for programs that start
    /// the binary themselves.
    pub fn variables(&self) -> Vec<(OsString, OsString)> {
        let command = self.command([""; 0]);
        let set = command.get_envs();
        set.filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned()))).collect()
    }

    /// Runs the binary here to its end.
    ///
    /// # Panics
    ///
    /// When it cannot be started.
    pub fn run<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Ran {
        self.command(arguments).output().expect("the binary can be started").into()
    }

    /// Runs the binary to its end where nothing can be isolated; `None` where that cannot be
    /// arranged.
    pub fn run_without_sandbox(&self, arguments: &str) -> Option<Ran> {
        let script = format!(
            "echo 0 > /proc/sys/user/max_user_namespaces || exit 99; \
             exec setpriv --bounding-set -all --inh-caps -all --no-new-privs {} {arguments}",
            self.binary.display()
        );
        let inner = ["--user", "--map-root-user", "bash", "-c", &script];
        let mut command = Command::new("unshare");
        command.args(inner).env_clear().envs(self.variables()).current_dir(self.path());
        let ran = Ran::from(command.output().ok()?);
        // 99 and 127: no right to it, and no `setpriv`.
        let is_arranged =
            ![Some(99), Some(127)].contains(&ran.status) && !ran.stderr.starts_with("unshare: ");
        is_arranged.then_some(ran)
    }

    /// Starts the binary here.
    ///
    /// # Panics
    ///
    /// When it cannot be started.
    pub fn start<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Child {
        self.command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary can be started")
    }
}

/// Version managers find their tools by these variables or in the real home,
/// which a scrubbed environment hides.
fn tool_home(name: &str) -> Option<OsString> {
    if let Some(value) = std::env::var_os(name) {
        return Some(value);
    }
    let home = PathBuf::from(std::env::var_os("HOME")?);
    let folder = match name {
        "PYENV_ROOT" => home.join(".pyenv"),
        "RUSTUP_HOME" => home.join(".rustup"),
        "CARGO_HOME" => home.join(".cargo"),
        _ => return None,
    };
    folder.is_dir().then(|| folder.into_os_string())
}

/// Copies the folder `from` with all that is in it to `to`, which is made.
///
/// # Panics
///
/// When something cannot be read or written.
pub fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder can be made");
    for entry in fs::read_dir(from).expect("a folder can be read") {
        let path = entry.expect("an entry can be read").path();
        let target = to.join(path.file_name().expect("an entry has a name"));
        if path.is_dir() {
            copy_folder(&path, &target);
        } else {
            fs::copy(&path, &target).expect("a file can be copied");
        }
    }
}
