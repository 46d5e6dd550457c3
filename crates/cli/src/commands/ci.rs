//! `joust ci`: a bot pull request.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use joust_bots::git::GitError;
use joust_config::ConfigErrors;
use joust_model::cancel::Cancel;
use joust_model::fenced;
use joust_orchestrator::candidate::GateSettings;
use joust_orchestrator::ci::{
    self, ChangeReport, CheckOutcome, CheckRequest, CiError, MaxFaults, summary,
};
use joust_orchestrator::pipeline::{BoutFilter, RunMode, RunOptions, RunOutcome};
use joust_report::{Leaderboard, Superiority, TextStyle, json};
use joust_standings::ratings::sprt::{Sprt, SprtError};

use super::{failures, run, shared};
use crate::args::CiArgs;
use crate::error::{Failure, Status};
use crate::output::Screen;

/// Most bytes of all pages that play bouts together.
const LARGEST_REPLAYS: usize = 32 << 20;

pub(super) async fn execute(args: CiArgs, screen: Screen) -> Result<Status, Failure> {
    let cancel = Cancel::default();
    run::stop_on_signal(cancel.clone(), screen);
    let request = request(&args)?;
    let checked = ci::check(&request, run::listener(screen), cancel).await;
    let (report, ended) = match checked {
        Ok(checked) => checked,
        Err(error) => {
            if let (CiError::Config(errors), None) = (&error, args.execution.shard) {
                write_config_errors(errors, &args.out)?;
            }
            return Err(failure(&error));
        }
    };
    if args.execution.shard.is_some() {
        return conclude_shard(&report, ended, screen);
    }
    write_report(&report, &args.out, screen)?;
    conclude(&report, ended)
}

/// Returns the status of a shard, which only plays its part; the run on all shards judges the
/// change.
fn conclude_shard(
    report: &ChangeReport,
    ended: Option<RunOutcome>,
    screen: Screen,
) -> Result<Status, Failure> {
    let status = conclude(report, ended)?;
    screen.message(&format!("this shard: {}", summary::verdict(report.outcome)));
    Ok(match status {
        Status::Refused | Status::BotBroken => Status::Done,
        other => other,
    })
}

fn request(args: &CiArgs) -> Result<CheckRequest, Failure> {
    Ok(CheckRequest {
        games: shared::games(),
        file: args.tournament.file().path().to_owned(),
        database: args.database.database.clone(),
        out: args.execution.shard.is_none().then(|| args.out.clone()),
        base: args.base.clone(),
        base_database: args.base_database.clone(),
        author: args.author.clone(),
        max_faults: args.max_faults.map_or(MaxFaults::Usual, MaxFaults::Percent),
        gate: gate(args)?,
        run: RunOptions {
            selection: BoutFilter {
                events: args.events.event.clone(),
                shard: args.execution.shard,
                ..BoutFilter::default()
            },
            jobs: args.execution.jobs.jobs.map(usize::from),
            budget: args.execution.budget.budget,
            mode: if args.execution.dry_run { RunMode::MakeReady } else { RunMode::Play },
            ..RunOptions::new(
                run::isolation(args.execution.isolation.allow_unsafe)?,
                shared::cache_folder(),
            )
        },
    })
}

fn gate(args: &CiArgs) -> Result<Option<GateSettings>, Failure> {
    if !args.gate.gate {
        return Ok(None);
    }
    let (elo, rates) =
        ([args.gate.gate_h0, args.gate.gate_h1], [args.gate.gate_alpha, args.gate.gate_beta]);
    let test = Sprt::new(elo, rates[0], rates[1])
        .map_err(|error| Failure::from_error(Status::Usage, &error).hint_if(hint(&error)))?;
    let database = args.out.join("gate.db");
    Ok(Some(GateSettings { test, most_pairs: args.gate.gate_pairs, database }))
}

fn hint(error: &SprtError) -> Option<String> {
    let text = match error {
        SprtError::Order(..) => "`--gate-h1` is the larger one of the two",
        SprtError::Rate(_) => "`--gate-alpha` and `--gate-beta` are probabilities, such as 0.05",
        SprtError::Elo(_) => {
            "`--gate-h0` and `--gate-h1` are normalised Elo; 50 shows in some hundred mirror pairs"
        }
    };
    Some(text.to_owned())
}

/// Writes the summary for a tournament's file that cannot be read.
fn write_config_errors(errors: &ConfigErrors, folder: &Path) -> Result<(), Failure> {
    let text = errors.to_string();
    let lines: Vec<&str> = text.lines().collect();
    let page = format!(
        "## Joust: the tournament's file has mistakes\n\nNothing was built or played.\n\n{}",
        fenced(&lines)
    );
    fs::create_dir_all(folder)
        .map_err(|error| Failure::unwritable(Status::Machine, folder, &error))?;
    write_summary(folder, &page)
}

/// Writes pages that play bouts which the change's bots lost, in place of earlier pages.
fn write_replays(report: &ChangeReport, folder: &Path) -> Result<(), Failure> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(Failure::unwritable(Status::Machine, folder, &error));
        }
        _ => {}
    }
    let bots = report.events.iter().flat_map(|event| &event.bots);
    let files = bots.filter_map(|bot| bot.trial.as_ref()).flat_map(|trial| &trial.replays);
    let mut bytes = 0;
    for file in files {
        bytes += file.page.len();
        if bytes > LARGEST_REPLAYS {
            break;
        }
        fs::create_dir_all(folder)
            .map_err(|error| Failure::unwritable(Status::Machine, folder, &error))?;
        write(&folder.join(&file.name), &file.page)?;
    }
    Ok(())
}

/// Writes the report to its folder, to the screen and, on GitHub, to the job summary and
/// annotations.
fn write_report(report: &ChangeReport, folder: &Path, screen: Screen) -> Result<(), Failure> {
    let page = summary::markdown(report);
    write(&folder.join("summary.json"), &json::pretty(report))?;
    write_replays(report, &folder.join("replays"))?;
    write(&folder.join("leaderboard.md"), &leaderboards(report, "markdown").join("\n"))?;
    let objects = leaderboards(report, "json");
    let objects: Vec<_> = objects.iter().map(|object| object.trim_end()).collect();
    write(&folder.join("leaderboard.json"), &format!("[{}]\n", objects.join(",\n")))?;
    write_summary(folder, &page)?;
    if variable("GITHUB_ACTIONS").is_some_and(|value| value == "true") {
        for line in ci::annotate::annotations(report) {
            screen.error(&format!("{line}\n"));
        }
    }
    screen.result(&page);
    Ok(())
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn leaderboards(report: &ChangeReport, name: &str) -> Vec<String> {
    let format = joust_report::find(name, TextStyle::default()).expect("it is a registered format");
    let tables: Vec<_> = report.events.iter().filter_map(|event| event.table.as_ref()).collect();
    let text = |(place, table): (usize, &&ci::EventTable)| {
        let mut standings = table.standings.clone();
        // All events share one chain, so that its head is printed once, at the end.
        let is_last = place + 1 == tables.len() || name == "json";
        standings.head = standings.head.filter(|_| is_last);
        let ratings = Some(&table.ratings);
        let superiority = Superiority::default();
        format.leaderboard(&Leaderboard {
            game: None,
            standings: &standings,
            ratings,
            superiority,
            bouts: Some(&table.bouts),
        })
    };
    tables.iter().enumerate().map(text).collect()
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text).map_err(|error| Failure::unwritable(Status::Machine, path, &error))
}

/// Writes the summary, also at the end of that of the workflow's step, if there is one.
fn write_summary(folder: &Path, page: &str) -> Result<(), Failure> {
    write(&folder.join("summary.md"), page)?;
    let Some(place) = variable("GITHUB_STEP_SUMMARY") else { return Ok(()) };
    let file = OpenOptions::new().append(true).create(true).open(&place);
    let written = file.and_then(|mut file| file.write_all(page.as_bytes()));
    written.map_err(|error| Failure::unwritable(Status::Machine, Path::new(&place), &error))
}

/// Returns the exit status: the worst of what happened.
fn conclude(report: &ChangeReport, ended: Option<RunOutcome>) -> Result<Status, Failure> {
    match ended {
        Some(RunOutcome::Interrupted) => return Err(failures::interrupted()),
        Some(RunOutcome::MachineFailed(reason)) => {
            return Err(Failure::new(Status::Machine, reason)
                .hint("every finished bout is kept; run the same command to continue"));
        }
        Some(RunOutcome::Complete | RunOutcome::BudgetUsedUp) | None => {}
    }
    Ok(match report.outcome {
        CheckOutcome::Ok | CheckOutcome::PlaysWithFaults => Status::Done,
        CheckOutcome::Broken => Status::BotBroken,
        CheckOutcome::Weaker => Status::Weaker,
        CheckOutcome::Undecided => Status::Undecided,
        CheckOutcome::Refused => Status::Refused,
        CheckOutcome::Unfinished => Status::BudgetUsedUp,
        CheckOutcome::Infrastructure => Status::Machine,
    })
}

fn failure(error: &CiError) -> Failure {
    match error {
        CiError::Run(error) => error.into(),
        CiError::Store(error) => Failure::from(error),
        CiError::Git(error) => {
            let is_ours = matches!(
                error,
                GitError::NotInstalled
                    | GitError::NotStarted(_)
                    | GitError::Write { .. }
                    | GitError::Failed { .. }
            );
            let status = if is_ours { Status::Machine } else { Status::Usage };
            Failure::from_error(status, error).hint_if(error.hint())
        }
        CiError::Folder(_) => Failure::machine(error),
        CiError::Config(errors) => Failure::usage(errors.to_string()),
        CiError::Out { .. } => Failure::machine(error),
        CiError::NoSettings(_) => Failure::from_error(Status::Refused, error)
            .hint("put the tournament's file into the base first; without `--author` the present one is used"),
        CiError::NoCommit => Failure::from_error(Status::Usage, error)
            .hint("name the commit with `--base`; without `--author` the change is trusted"),
        CiError::Elsewhere(_) => Failure::from_error(Status::Refused, error)
            .hint("name the file by the place where it is, without links"),
        CiError::Own { .. } => Failure::from_error(Status::Refused, error)
            .hint("a change has no results and no reports; name other places with `--database` and `--out`"),
        CiError::BaseIsDatabase(_) => Failure::from_error(Status::Usage, error)
            .hint("name another file for the bouts of the change: `--database pr.db`"),
        CiError::NoBase => Failure::from_error(Status::Usage, error)
            .hint("name a commit with `--base` or a database with `--base-database`"),
    }
}
