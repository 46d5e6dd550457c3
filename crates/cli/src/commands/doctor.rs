//! `joust doctor`: abilities of this machine, and missing programs and settings.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::process::{Command, Stdio};
use std::sync::Arc;

use joust_config::Tournament;
use joust_model::escaped;
use joust_orchestrator::machine::are_other_users;
use joust_orchestrator::pipeline::memory_shortage;
use joust_report::json;
use joust_sandbox::{Host, HostOptions, ProbeError};
use joust_toolchain::doctor::{self, LanguageHealth, SandboxHealth};
use joust_toolchain::{Languages, Machine, Toolchains};
use serde_json::json;

use super::{failures, run, shared};
use crate::args::{DoctorArgs, TextFormat};
use crate::error::{Failure, Status};
use crate::output::Screen;

pub(super) fn execute(args: &DoctorArgs, screen: Screen) -> Result<Status, Failure> {
    let host = Host::probe(&HostOptions { tier: run::tier()?, ..HostOptions::default() });
    let (languages, shortages) = if args.sandbox {
        (Vec::new(), Vec::new())
    } else {
        let tournament = shared::tournament_or_default(args.tournament.file().existing(), screen)?;
        let others = host.as_ref().is_ok_and(are_other_users);
        let shortages = tournament.events.iter().filter_map(|event| memory_shortage(event, None));
        let shortages: Vec<String> = shortages.collect();
        let machine = Machine::this().for_other_users(others).excluding(&tournament.folder);
        (languages(&tournament, machine)?, shortages)
    };
    let sandbox = host.map(|host| doctor::sandbox(&host));
    match args.output.format {
        TextFormat::Text => screen.result(&text(&sandbox, &shortages, &languages)),
        TextFormat::Json => screen.result(&as_json(&sandbox, &shortages, &languages)),
    }
    Ok(if sandbox.is_ok() { Status::Done } else { Status::Machine })
}

fn languages(tournament: &Tournament, machine: Machine) -> Result<Vec<LanguageHealth>, Failure> {
    let languages = Languages::with(&tournament.languages).map_err(|errors| {
        let all: Vec<_> = errors.iter().map(ToString::to_string).collect();
        Failure::usage(all.join("\n"))
    })?;
    Ok(doctor::languages(&Toolchains::new(Arc::new(languages), machine)))
}

fn text(
    sandbox: &Result<SandboxHealth, ProbeError>,
    shortages: &[String],
    languages: &[LanguageHealth],
) -> String {
    let mut text = match sandbox {
        Ok(health) => sandbox_text(health),
        Err(error) => format!("sandbox: none\n  {error}\n  {}\n", failures::NO_SANDBOX),
    };
    for shortage in shortages {
        let _ = writeln!(text, "  little memory: {}", escaped(shortage));
    }
    if languages.is_empty() {
        return text;
    }
    text.push_str("\ntoolchains:\n");
    for language in languages {
        text.push_str(&language_text(language));
    }
    let InstallAdvice { commands, unavailable } = advice(languages, available);
    if !commands.is_empty() {
        text.push_str("\nto install what is missing:\n");
    }
    for command in commands {
        let _ = writeln!(text, "  {command}");
    }
    if !unavailable.is_empty() {
        let packages = escaped(&unavailable.join(", "));
        let _ = writeln!(text, "\npackages that this machine's apt does not have: {packages}");
    }
    text
}

fn sandbox_text(health: &SandboxHealth) -> String {
    let mut text = format!("sandbox: tier {}\n", health.tier);
    for feature in &health.features {
        let (name, enforced) = (&feature.name, feature.enforced.to_string());
        let _ = writeln!(text, "  {name:<34} {enforced:<5} {}", escaped(&feature.reason));
    }
    if let Some(seats) = &health.seats {
        let [first, second] = [seats.first_us, seats.second_us].map(|time| time as f64 / 1e3);
        let _ = writeln!(
            text,
            "  two seats, one after the other: {first:.1} and {second:.1} ms; name spaces were ready for {}, {} \
             waited for them",
            seats.ready, seats.waited_for
        );
    }
    if let Some(command) = &health.raise {
        let _ = writeln!(text, "  a better tier, by your decision: {command}");
    }
    text
}

fn language_text(language: &LanguageHealth) -> String {
    let title = &language.title;
    if let Some(found) = language.found.first() {
        let program = found.programs.first().map(|path| path.display().to_string());
        let (version, program) = (escaped(&found.version), program.unwrap_or_default());
        let mut text = format!("  {title:<22} {version} ({})\n", escaped(&program));
        for file in &language.code_at_start {
            let _ = writeln!(text, "    {}", escaped(&doctor::code_at_start_line(file)));
        }
        return text;
    }
    let reason = language.missing.first().map(|missing| missing.reason.as_str());
    format!("  {title:<22} missing: {}\n", escaped(reason.unwrap_or("no tools are known")))
}

fn as_json(
    sandbox: &Result<SandboxHealth, ProbeError>,
    shortages: &[String],
    languages: &[LanguageHealth],
) -> String {
    let sandbox = match sandbox {
        Ok(health) => json!(health),
        Err(error) => json!({ "tier": null, "features": [], "reason": error.to_string() }),
    };
    let toolchains = languages.iter().map(|language| {
        let mut object = json!(language);
        object["works"] = language.works().into();
        object
    });
    let toolchains: Vec<_> = toolchains.collect();
    json::pretty(
        &json!({ "sandbox": sandbox, "little_memory": shortages, "toolchains": toolchains }),
    )
}

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
