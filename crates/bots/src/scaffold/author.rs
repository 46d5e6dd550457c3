//! Author: the name of the person at this machine, found without starting a program.

use std::fs;
use std::path::PathBuf;

use joust_model::author_without_address;

/// Returns the name in this person's git settings, else the name of the account; never an
/// address.
pub fn author() -> Option<String> {
    let of_variable = |name: &str| std::env::var(name).ok();
    let of_git = of_variable("GIT_AUTHOR_NAME")
        .or_else(|| settings().iter().find_map(|file| name_in(&fs::read_to_string(file).ok()?)));
    of_git.or_else(|| of_variable("USER")).as_deref().and_then(author_without_address)
}

/// Returns the files in which git keeps a person's settings.
fn settings() -> Vec<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).filter(|path| !path.is_empty());
    let home = folder("HOME").map(PathBuf::from);
    let more = folder("XDG_CONFIG_HOME").map(PathBuf::from);
    let more = more.or_else(|| home.as_ref().map(|home| home.join(".config")));
    let own = home.map(|home| home.join(".gitconfig"));
    own.into_iter().chain(more.map(|folder| folder.join("git/config"))).collect()
}

/// The `name` of the section `user`.
fn name_in(text: &str) -> Option<String> {
    let mut is_user = false;
    let mut found = None;
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            is_user = line.eq_ignore_ascii_case("[user]");
        } else if let Some((key, value)) = line.split_once('=').filter(|_| is_user)
            && key.trim().eq_ignore_ascii_case("name")
        {
            found = Some(value.trim().trim_matches('"').to_owned());
        }
    }
    found.filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_that_of_the_section_user() {
        let text = "[core]\n\tname = no\n[user]\n\temail = a@b.example\n\tname = \"Ann B\"\n[x]\nname = y\n";
        assert_eq!(name_in(text).as_deref(), Some("Ann B"));
        assert_eq!(name_in("[user]\nname =\n"), None);
    }
}
