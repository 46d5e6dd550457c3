//! Cost of an ask with an external referee and bots that stay for the
//! bout, beside bare exchanges over two pipes in the same run. Everything of a bout is on
//! one core, in its sandbox, recorded and hashed.
//!
//! Figures are processor time (as the kernel reports it for each process) or ratios of it, so a
//! busy machine affects them less than wall-clock time. The load is printed nevertheless.
//! The figure of fastchess was measured on another machine: 31 µs of its own for each ply.
//!
//! A missed bar gives status 1.
//!
//! `scripts/bench ask [asks] [bouts] [jobs] [packages]`
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod asks;
mod seated;

use std::error::Error;
use std::process::ExitCode;

use joust_play::executor::available;
use joust_sandbox::affinity;
use joust_testkit::figures::{Bar, Rows, micros, record};

use asks::arena::{Arena, GAME, Program, plan};
use asks::many_bouts::Played;
use asks::{again, anchors, long_bout, many_bouts};

/// fastchess, processor time of its own for each ply on one core.
const FASTCHESS: f64 = 31.0;
/// Bouts of tic-tac-toe.
const BOUTS: u32 = 1_000;

type Done<T> = Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    joust_sandbox::launcher::main_if_seat();
    match run() {
        Ok(0) => ExitCode::SUCCESS,
        Ok(missed) => {
            println!("{missed} bars missed");
            ExitCode::FAILURE
        }
        Err(error) => {
            println!("ask: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Done<usize> {
    let folder = tempfile::tempdir()?;
    let arena = Arena::build(folder.path())?;
    let all = available();
    let core = *all.last().ok_or("there is no processor")?;
    let load = std::fs::read_to_string("/proc/loadavg")?;
    println!("processors {}, load {}", all.len(), load.trim());
    let mut rows = Rows::default();
    if is_wanted("asks") {
        affinity::pin_this_thread(&[core])?;
        asks(&arena, core, &mut rows)?;
        affinity::pin_this_thread(&all)?;
    }
    if is_wanted("bouts") {
        bouts(&arena, &mut rows)?;
    }
    if is_wanted("jobs") {
        jobs(&arena, all.len(), &mut rows)?;
    }
    if is_wanted("packages") {
        packages(&arena, &mut rows)?;
    }
    Ok(rows.missed())
}

/// Returns whether a part of the benchmark is asked for; without a word all of it is.
fn is_wanted(part: &str) -> bool {
    let words: Vec<String> =
        std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    words.is_empty() || words.iter().any(|word| word == part)
}

/// Asks of long bouts, and judging one again.
fn asks(arena: &Arena, core: usize, rows: &mut Rows) -> Done<()> {
    let bare = anchors::exchange(arena.bare(Program::CEcho))?;
    rows.note("bare exchange over two pipes, C: asker", micros(bare.asker), "µs");
    rows.note("  answerer", micros(bare.answerer), "µs");
    let python = anchors::exchange(arena.bare(Program::PythonEcho))?;
    rows.note("bare exchange with Python, both sides", micros(python.all()), "µs");

    let compiled = arena.equipment(Program::CompiledReferee)?;
    let both_c = long_bout::play(&compiled, Program::CBot, core)?.each;
    let bar = Bar::AtMost(FASTCHESS);
    rows.judge("Joust's own an ask, C bots, compiled referee", micros(both_c.own), "µs", bar);
    record(
        "ask: Joust's own, bare exchange of two C programs",
        both_c.own.div_duration_f64(bare.all()),
    );
    rows.note("  of it launchers", micros(both_c.launchers), "µs");
    rows.note("  the referee", micros(both_c.referee), "µs");
    rows.note("  the bots", micros(both_c.bots), "µs");
    let python_bots = long_bout::play(&compiled, Program::PythonBot, core)?.each;
    let bar = Bar::AtMost(3.0 * micros(python.all()));
    let all = micros(python_bots.all());
    rows.judge("a whole ask of a Python bot, compiled referee", all, "µs", bar);
    record(
        "ask: whole with a Python bot, bare exchange",
        python_bots.all().div_duration_f64(python.all()),
    );
    rows.note("  Joust's own", micros(python_bots.own), "µs");
    rows.note("  of it launchers", micros(python_bots.launchers), "µs");
    rows.note("  the bot", micros(python_bots.bots), "µs");

    let interpreted = arena.equipment(Program::PythonReferee)?;
    let bout = long_bout::play(&interpreted, Program::CBot, core)?;
    let bar = Bar::AtMost(FASTCHESS);
    rows.judge("Joust's own an ask, C bots, Python referee", micros(bout.each.own), "µs", bar);
    rows.note("  of it launchers", micros(bout.each.launchers), "µs");
    rows.note("  the referee", micros(bout.each.referee), "µs");
    verify(arena, &interpreted, &bout, rows)
}

/// Measures the cost of judging again, compared with the cost of feeding the referee.
fn verify(
    arena: &Arena,
    equipment: &joust_play::executor::Equipment,
    bout: &long_bout::LongBout,
    rows: &mut Rows,
) -> Done<()> {
    let plan = plan(1, bout.result.rounds, Program::CBot);
    let judged = again::judge(equipment, &plan, &bout.result)?;
    let lines = again::lines(&bout.result, GAME, bout.result.rounds)?;
    let fed = anchors::fed(arena.bare(Program::PythonReferee), &lines)?;
    rows.note("bare referee in Python fed with answers, both sides", micros(fed.all()), "µs");
    let ratio = micros(fed.all()) / micros(judged.all());
    rows.judge("verify with it, against that", ratio, "x", Bar::AtLeast(0.5));
    record("ask: judged again, bare referee", judged.all().div_duration_f64(fed.all()));
    rows.note("  Joust's own", micros(judged.own), "µs");
    rows.note("  of it launchers", micros(judged.launchers), "µs");
    Ok(())
}

fn bouts(arena: &Arena, rows: &mut Rows) -> Done<()> {
    let start = many_bouts::start(arena)?;
    let played = many_bouts::play(arena.equipment(Program::TicTacToe)?, BOUTS, 1)?;
    let each = |duration| micros(duration / BOUTS);
    rows.note("bare start of a C bot", micros(start), "µs");
    rows.note("a bout of tic-tac-toe: the referee", each(played.referee), "µs");
    rows.note("  the bots, with their starts", each(played.bots), "µs");
    rows.note("  Joust's own", each(played.own()), "µs");
    let rest = each(played.referee) + 2.0 * micros(start);
    let own = played.own() / BOUTS;
    record("ask: Joust's own of a short bout, start of a C bot", own.div_duration_f64(start));
    let ratio = each(played.own()) / rest;
    rows.judge("Joust's own against referee and two starts", ratio, "x", Bar::AtMost(1.0));
    Ok(())
}

/// OpenSpiel in Joust beside kaggle-environments in its own runner.
fn packages(arena: &Arena, rows: &mut Rows) -> Done<()> {
    const WHAT: &str = "OpenSpiel's connect_four against kaggle-environments' connectx";
    if let Some(absent) =
        ["pyspiel", "kaggle_environments"].iter().find(|name| !arena.has_package(name))
    {
        let why = format!(
            "no package `{absent}`; `pip install --target DIR open_spiel kaggle-environments`, then JOUST_BENCH_PACKAGES=DIR"
        );
        rows.skip(WHAT, &why);
        return Ok(());
    }
    let played = many_bouts::play(arena.equipment(Program::OpenSpiel)?, BOUTS, 1)?;
    let joust = f64::from(played.asks) / played.all.as_secs_f64();
    let said = arena.bare(Program::Kaggle).output()?;
    let said = String::from_utf8(said.stdout)?;
    let numbers =
        said.lines().last().unwrap_or_default().split_once(' ').ok_or("connectx says nothing")?;
    let kaggle = numbers.0.parse::<f64>()? / numbers.1.parse::<f64>()?;
    rows.note("actions a CPU second, OpenSpiel in Joust, everything", joust, "");
    rows.note("  connectx in kaggle-environments", kaggle, "");
    rows.judge(WHAT, joust / kaggle, "x", Bar::AtLeast(20.0));
    Ok(())
}

fn jobs(arena: &Arena, processors: usize, rows: &mut Rows) -> Done<()> {
    if processors < 2 {
        rows.skip("two jobs on two cores", "there is one processor");
        return Ok(());
    }
    let play = |jobs| many_bouts::play(arena.equipment(Program::TicTacToe)?, BOUTS, jobs);
    let (one, two): (Played, Played) = (play(1)?, play(2)?);
    let ratio = one.wall.as_secs_f64() / two.wall.as_secs_f64();
    rows.judge("two jobs on two cores, bouts a second by the clock", ratio, "x", Bar::AtLeast(1.9));
    let ratio = 2.0 * one.all.as_secs_f64() / two.all.as_secs_f64();
    rows.note("  by the processor time of a bout", ratio, "x");
    Ok(())
}
