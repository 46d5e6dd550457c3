//! Files and folders that editors, archivers, file managers and package managers leave beside
//! sources. They are no bots, and no parts of one.

use std::path::Path;

/// Endings of documents; a name without an ending is a document's, too.
const TEXT_ENDINGS: [&str; 9] = ["", "md", "txt", "rst", "adoc", "org", "html", "pdf", "markdown"];

/// First words of documents' names.
const DOCUMENTS: [&str; 8] =
    ["readme", "license", "licence", "copying", "notice", "authors", "changelog", "contributing"];

/// Returns whether `name` is one that an archiver or a file manager adds on its own: `__MACOSX`,
/// `._main.py`, `.DS_Store`, `Thumbs.db`, `desktop.ini`.
pub(crate) fn is_system_file(name: &str) -> bool {
    let lower = name.to_lowercase();
    name.starts_with("._")
        || ["__macosx", ".ds_store", "thumbs.db", "desktop.ini"].contains(&lower.as_str())
}

/// Returns whether the folder or file at `path` only accompanies sources: what
/// [`is_system_file`] names, caches, installed packages, virtual environments.
pub(crate) fn accompanies_sources(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if is_system_file(&name) || name.to_lowercase().ends_with(".pyc") {
        return true;
    }
    let is_plain_folder = path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
    is_plain_folder
        && (["__pycache__", "node_modules"].contains(&&*name)
            || is_virtual_environment(path)
            || path.join("CACHEDIR.TAG").is_file())
}

/// Returns whether the folder at `path` is a virtual environment of Python, which holds links
/// out of it and plays on no other machine.
pub(crate) fn is_virtual_environment(path: &Path) -> bool {
    path.join("pyvenv.cfg").is_file()
}

/// Returns whether the file at `path` is a document: `README.md`, `LICENSE`, `LICENSE-MIT`. A
/// source or an archive whose name begins so is not.
pub fn is_document(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let (stem, ending) = name.rsplit_once('.').unwrap_or((&*name, ""));
    let is_text = TEXT_ENDINGS.contains(&ending);
    let known = ["md", "rst", "markdown", "adoc"].contains(&ending)
        || is_text && DOCUMENTS.iter().any(|word| stem.starts_with(word))
        || ["requirements.txt", "__init__.py"].contains(&&*name);
    known && path.is_file()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn documents_are_known_by_ending_and_first_word() {
        let folder = tempfile::tempdir().unwrap();
        let is = |name: &str| {
            let path = folder.path().join(name);
            fs::write(&path, "").unwrap();
            is_document(&path)
        };
        for document in [
            "README",
            "README.md",
            "readme.txt",
            "LICENSE",
            "LICENSE-MIT",
            "Licence.rst",
            "notes.md",
        ] {
            assert!(is(document), "{document}");
        }
        let bots = [
            "license_to_kill.py",
            "readme_first.py",
            "readme.zip",
            "README.tar.gz",
            "notes.py",
            "License.java",
        ];
        for bot in bots {
            assert!(!is(bot), "{bot}");
        }
    }

    #[test]
    fn leftovers_of_tools_accompany_sources() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for file in ["Thumbs.db", "desktop.ini", "._main.py", "a.pyc", "main.py"] {
            fs::write(at(file), "").unwrap();
        }
        for name in ["__pycache__", "node_modules", "__MACOSX", "env", "target", "bin"] {
            fs::create_dir(at(name)).unwrap();
        }
        fs::write(at("env/pyvenv.cfg"), "").unwrap();
        fs::write(at("target/CACHEDIR.TAG"), "").unwrap();
        let of = |name: &str| accompanies_sources(&at(name));
        for name in [
            "Thumbs.db",
            "desktop.ini",
            "._main.py",
            "a.pyc",
            "__pycache__",
            "node_modules",
            "__MACOSX",
            "env",
            "target",
        ] {
            assert!(of(name), "{name}");
        }
        assert!(!of("main.py") && !of("bin"));
    }
}
