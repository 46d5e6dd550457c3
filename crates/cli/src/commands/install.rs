//! Commands that install the languages that this machine lacks.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use joust_toolchain::doctor::LanguageHealth;

const APT: &str = "apt install ";

/// The program that knows the packages of this machine's distribution.
const APT_CACHE: &str = "/usr/bin/apt-cache";

/// Advice on languages without tools.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct InstallAdvice {
    /// One command for all packages, then those that are needed beside it.
    pub(super) commands: Vec<String>,
    /// Packages that apt does not have, sorted.
    pub(super) unavailable: Vec<String>,
}

/// Returns the commands that install missing tools of languages; `available` returns those of some
/// packages that apt has, or `None` where there is no apt.
pub(super) fn advice(
    languages: &[LanguageHealth],
    available: impl FnOnce(&BTreeSet<&str>) -> Option<BTreeSet<String>>,
) -> InstallAdvice {
    let wanted = languages.iter().filter(|language| !language.works());
    let wanted = wanted.filter_map(|language| language.missing.last());
    let (apt, others): (Vec<&str>, Vec<&str>) =
        wanted.map(|tools| tools.install.as_str()).partition(|command| command.starts_with(APT));
    let packages: BTreeSet<&str> =
        apt.iter().flat_map(|command| command[APT.len()..].split_whitespace()).collect();
    let known = if packages.is_empty() { None } else { available(&packages) };
    let is_known = |package: &&str| known.as_ref().is_none_or(|known| known.contains(*package));
    let (named, unavailable): (Vec<&str>, Vec<&str>) = packages.into_iter().partition(is_known);
    let command = (!named.is_empty()).then(|| format!("{APT}{}", named.join(" ")));
    let others = others.into_iter().filter(|command| !command.is_empty()).map(str::to_owned);
    InstallAdvice {
        commands: command.into_iter().chain(others).collect(),
        unavailable: unavailable.into_iter().map(str::to_owned).collect(),
    }
}

/// Asks this machine's apt which packages it can install.
pub(super) fn available(packages: &BTreeSet<&str>) -> Option<BTreeSet<String>> {
    let names = packages.iter().filter(|name| !name.starts_with('-'));
    let output = Command::new(APT_CACHE)
        .arg("policy")
        .args(names)
        .env_clear()
        .env("LC_ALL", "C")
        .current_dir("/")
        .stdin(Stdio::null())
        .output()
        .ok()?;
    output.status.success().then(|| candidates(&String::from_utf8_lossy(&output.stdout)))
}

/// Reads the packages that have a candidate from the output of `apt-cache policy`.
fn candidates(policy: &str) -> BTreeSet<String> {
    let (mut found, mut package) = (BTreeSet::new(), "");
    for line in policy.lines() {
        if let Some(name) = line.strip_suffix(':').filter(|name| !name.starts_with(' ')) {
            package = name;
        } else if line.strip_prefix("  Candidate: ").is_some_and(|version| version != "(none)") {
            found.insert(package.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use joust_toolchain::doctor::MissingTools;

    use super::*;

    fn missing(install: &str) -> LanguageHealth {
        let tools = MissingTools {
            variant: "v".to_owned(),
            reason: "`x` was not found".to_owned(),
            install: install.to_owned(),
        };
        LanguageHealth {
            language: "x".to_owned(),
            title: "X".to_owned(),
            found: Vec::new(),
            missing: vec![tools],
            code_at_start: Vec::new(),
        }
    }

    #[test]
    fn one_command_installs_all_that_is_missing() {
        let languages =
            [missing("apt install b a"), missing("apt install a"), missing("snap install c")];
        let advice = advice(&languages, |_| None);
        assert_eq!(advice.commands, ["apt install a b", "snap install c"]);
        assert!(advice.unavailable.is_empty());
    }

    #[test]
    fn packages_that_apt_does_not_have_are_not_in_the_command() {
        let languages = [missing("apt install gcc python2"), missing("apt install dotnet-sdk-8.0")];
        let policy = "gcc:\n  Installed: (none)\n  Candidate: 4:12.2.0-3\n  Version table:\n     4:12.2.0-3 500\n\
                      python2:\n  Installed: (none)\n  Candidate: (none)\n  Version table:\n";
        let advice = advice(&languages, |_| Some(candidates(policy)));
        assert_eq!(advice.commands, ["apt install gcc"]);
        assert_eq!(advice.unavailable, ["dotnet-sdk-8.0", "python2"]);
    }
}
