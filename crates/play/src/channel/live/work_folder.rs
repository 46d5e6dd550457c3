//! Working folder of a long-lived bot: a private copy of its folder, in its scratch folder.
//!
//! In the originals of the games with a clock, a bot ran in a folder of its author's. It may write
//! logs there, and replace files with what it has learnt. The build itself stays read-only, and the
//! copy is removed after the bout.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use joust_sandbox::{SandboxError, Seat, WorkFolder};
use joust_toolchain::MADE;

use crate::channel::Opening;

/// Name of the copy in the scratch folder.
const NAME: &str = "bot";

/// Copies the bot's folder into its scratch folder, and makes the program start there and find its
/// files there. The program's executable is still the one in the build.
pub(super) fn move_into(opening: &mut Opening, seat: &mut Seat) -> Result<(), SandboxError> {
    let built = opening.folder.clone();
    let Some(folder) = opening.spec.folders.iter().find(|folder| folder.inside == built) else {
        return Ok(());
    };
    let work = WorkFolder {
        from: folder.host.clone(),
        shown: folder.inside.clone(),
        name: NAME.to_owned(),
        // It has no sources, and what it has was made to be run.
        linked: Some(MADE.into()),
    };
    seat.add_work_folder(&work)?;
    opening.folder = opening.spec.scratch.join(NAME);
    for word in opening.command.iter_mut().skip(1) {
        if let Some(moved) = moved(word, &built, &opening.folder) {
            *word = moved.into_os_string();
        }
    }
    Ok(())
}

/// Returns a path below `from` as the corresponding path below `to`.
fn moved(word: &OsString, from: &Path, to: &Path) -> Option<PathBuf> {
    let rest = Path::new(word).strip_prefix(from).ok()?;
    Some(if rest.as_os_str().is_empty() { to.to_owned() } else { to.join(rest) })
}
