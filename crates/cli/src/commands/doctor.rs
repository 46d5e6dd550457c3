//! `joust doctor`: abilities of this machine, and missing programs and settings.

use std::fmt::Write;
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

use super::install::{self, InstallAdvice};
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
    let InstallAdvice { commands, unavailable } = install::advice(languages, install::available);
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
