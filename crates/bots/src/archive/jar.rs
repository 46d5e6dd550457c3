//! Jar of a bot, checked for a class that `java -jar` can start.

use std::io::Read;
use std::path::Path;

use super::zip_file::ZipFile;

/// Largest size of a manifest that is read, bytes.
const LARGEST: u64 = 256 << 10;
/// The manifest in a jar.
const MANIFEST: &str = "META-INF/MANIFEST.MF";

/// Checks that the jar at `path` has a main class.
///
/// # Errors
///
/// The reason why `java -jar` cannot start it, as a text that follows the jar's name.
pub fn check(path: &Path) -> Result<(), String> {
    let unreadable = |error: &dyn std::fmt::Display| format!("is no jar that can be read: {error}");
    let jar = ZipFile::at(path).map_err(|error| unreadable(&error))?;
    let mut text = Vec::new();
    if let Some(manifest) = jar.find(MANIFEST) {
        let manifest = jar.read(manifest).map_err(|error| unreadable(&error))?;
        manifest.take(LARGEST).read_to_end(&mut text).map_err(|error| unreadable(&error))?;
    }
    let text = String::from_utf8_lossy(&text).into_owned();
    let Some(main) = attribute(&text, "Main-Class") else {
        return Err(
            "has no `Main-Class` in its manifest, so `java -jar` cannot start it".to_owned()
        );
    };
    let class = format!("{}.class", main.replace('.', "/"));
    if jar.find(&class).is_some() || attribute(&text, "Class-Path").is_some() {
        return Ok(());
    }
    Err(format!("does not contain its main class `{main:.200}`"))
}

/// Returns an attribute of the manifest's main section. A line continues in the next
/// one if that begins with a blank.
fn attribute(manifest: &str, name: &str) -> Option<String> {
    let whole = manifest.replace("\r\n", "\n").replace("\n ", "");
    let main = whole.split("\n\n").next().unwrap_or_default();
    main.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        let value = value.trim();
        (key.eq_ignore_ascii_case(name) && !value.is_empty()).then(|| value.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn checked(entries: &[(&str, &str)]) -> Result<(), String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut jar = zip::ZipWriter::new(file.reopen().unwrap());
        for (name, text) in entries {
            jar.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
            jar.write_all(text.as_bytes()).unwrap();
        }
        jar.finish().unwrap();
        check(file.path())
    }

    #[test]
    fn a_jar_with_its_main_class_is_in_order() {
        let manifest =
            "Manifest-Version: 1.0\r\nmain-class: za.co.very.long.na\r\n me.Main\r\n\r\n";
        let entries = [(MANIFEST, manifest), ("za/co/very/long/name/Main.class", "")];
        assert_eq!(checked(&entries), Ok(()));
        let elsewhere = "Main-Class: Main\nClass-Path: lib/bot.jar\n";
        assert_eq!(checked(&[(MANIFEST, elsewhere)]), Ok(()));
    }

    #[test]
    fn a_jar_without_its_main_class_is_refused_with_its_name() {
        let missing = checked(&[(MANIFEST, "Main-Class: a.Main\n"), ("Main.class", "")]);
        assert_eq!(missing.unwrap_err(), "does not contain its main class `a.Main`");
        let other_section = "Manifest-Version: 1.0\n\nName: x\nMain-Class: Main\n";
        for manifest in ["", other_section] {
            let reason = checked(&[(MANIFEST, manifest), ("Main.class", "")]).unwrap_err();
            assert!(reason.starts_with("has no `Main-Class`"), "{reason}");
        }
        assert!(checked(&[("Main.class", "")]).unwrap_err().starts_with("has no `Main-Class`"));
    }

    #[test]
    fn what_is_no_jar_is_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "PK").unwrap();
        assert!(check(file.path()).unwrap_err().starts_with("is no jar that can be read"));
    }
}
