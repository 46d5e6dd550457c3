//! Folder for the files of the base. Its removal does not delay the end of a check that is stopped.

use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use joust_model::cancel::Cancel;
use tempfile::TempDir;

/// Longest time that a stopped check takes to remove the files. Thousands can take a busy disk much
/// longer; the next process removes the rest, as that of a process that was killed.
const LONGEST_REMOVAL: Duration = Duration::from_secs(1);

/// Temporary folder of a check.
pub(super) struct ExportFolder {
    folder: Option<TempDir>,
    cancel: Cancel,
}

impl ExportFolder {
    pub(super) fn new(cancel: &Cancel) -> std::io::Result<Self> {
        let folder = joust_sandbox::temporary_folder()?;
        Ok(Self { folder: Some(folder), cancel: cancel.clone() })
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.as_ref().expect("it is taken only by drop").path()
    }
}

impl Drop for ExportFolder {
    fn drop(&mut self) {
        let Some(folder) = self.folder.take().filter(|_| self.cancel.is_cancelled()) else {
            return;
        };
        let (done, is_done) = mpsc::channel();
        let remove = move || {
            drop(folder);
            let _ = done.send(());
        };
        // Without a thread the folder is removed here.
        if std::thread::Builder::new().spawn(remove).is_ok() {
            let _ = is_done.recv_timeout(LONGEST_REMOVAL);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_removed_whether_the_check_is_stopped_or_not() {
        for is_stopped in [false, true] {
            let cancel = Cancel::default();
            let folder = ExportFolder::new(&cancel).unwrap();
            let path = folder.path().to_owned();
            std::fs::write(path.join("file"), "").unwrap();
            if is_stopped {
                cancel.cancel();
            }
            drop(folder);
            while path.exists() {
                std::thread::yield_now();
            }
        }
    }
}
