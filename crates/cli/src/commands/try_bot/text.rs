//! Words and table of a try.

use std::path::Path;

use joust_model::{counted, escaped};
use joust_orchestrator::candidate::{
    FieldTest, OpponentRecord, TestAnswer, TryOutcome, TryRank, TryReport, VersionReport,
};

use joust_report::cut;

use crate::commands::shared::shell_quoted;

/// Digits of a bout's id that are shown.
const DIGITS: usize = 8;

/// Greatest width of a name in the table.
const NAME: usize = 32;

/// Returns the whole of it.
pub(super) fn text(report: &TryReport) -> String {
    let mut text = heading(report);
    text += &table(report);
    if !report.not_built.is_empty() {
        let names: Vec<String> = report.not_built.iter().map(|name| escaped(name)).collect();
        text += &format!("not built, not met: {}\n", names.join(", "));
    }
    text += &faults(report);
    text += "\n";
    text +=
        &report.field.as_ref().map_or_else(String::new, |test| field(test, report.course.ended));
    text += &report.last.as_ref().map_or_else(String::new, last);
    text += &report.rank.as_ref().map_or_else(String::new, rank);
    text
}

/// Describes what went wrong in turns: a bot that fails loses for another reason than its play.
fn faults(report: &TryReport) -> String {
    let mut text = String::new();
    for failing in &report.failing {
        text += &format!("failed in every turn: {}: {failing}\n", escaped(&failing.bot));
    }
    let is_told = report.failing.iter().any(|failing| failing.bot == report.subject.bot);
    if !is_told && !report.faults.is_empty() {
        let each = report.faults.iter().map(|(verdict, count)| format!("{count} {verdict}"));
        let each: Vec<String> = each.collect();
        let all: u64 = report.faults.values().sum();
        text += &format!("faults: {all} of {} turns ({})\n", report.turns, each.join(", "));
    }
    text
}

fn heading(report: &TryReport) -> String {
    let (bot, event) = (escaped(&report.subject.bot), escaped(&report.subject.event));
    format!(
        "{bot} (version {}) against {} of {event}: {}, {} of them now in {:.1} s{}\n\n",
        report.subject.version,
        counted(report.opponents.len(), "bot"),
        counted(report.course.bouts, "bout"),
        report.course.played,
        report.course.took.as_secs_f64(),
        cut_off(report)
    )
}

/// Describes the bouts that have no result because the time was over.
fn cut_off(report: &TryReport) -> String {
    match (report.course.ended, report.course.ended_early) {
        (TryOutcome::TimeOver, 0) => "; the time is over".to_owned(),
        (TryOutcome::TimeOver, 1) => "; the time is over: 1 bout under way was ended".to_owned(),
        (TryOutcome::TimeOver, bouts) => {
            format!("; the time is over: {bouts} bouts under way were ended")
        }
        (TryOutcome::RefereeFailed, _) => "; it ends early, as the referee fails".to_owned(),
        (TryOutcome::Decided | TryOutcome::Interrupted, _) => String::new(),
    }
}

fn table(report: &TryReport) -> String {
    let names: Vec<String> =
        report.opponents.iter().map(|row| cut(&escaped(&row.bot), NAME)).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(8);
    let mut text = format!(
        "{:<width$}  {:>4}  {:>5}  {:>4}  {:>8}  a lost bout\n",
        "opponent", "won", "drawn", "lost", "stronger"
    );
    for (name, row) in names.iter().zip(&report.opponents) {
        let lost = row.lost.last().map_or("", |bout| id(bout));
        let line = format!(
            "{name:<width$}  {:>4}  {:>5}  {:>4}  {:>8}  {lost}",
            row.won.len(),
            row.drawn.len(),
            row.lost.len(),
            row.superiority.map_or_else(|| "-".to_owned(), percent),
        );
        text += line.trim_end();
        text += "\n";
    }
    text
}

fn id(bout: &str) -> &str {
    bout.get(..DIGITS).unwrap_or(bout)
}

/// Never sure: neither 0 nor 100 %.
fn percent(likely: f64) -> String {
    match 100.0 * likely {
        low if low < 0.5 => "< 1 %".to_owned(),
        high if high > 99.5 => "> 99 %".to_owned(),
        other => format!("{other:.0} %"),
    }
}

fn field(test: &FieldTest, ended: TryOutcome) -> String {
    let [score, low, high] = test.score.map(|share| 100.0 * share);
    let found = match (test.state.answer, ended) {
        (TestAnswer::Stronger, _) => "stronger than the field's average",
        (TestAnswer::Weaker, _) => "weaker than the field's average",
        (_, TryOutcome::TimeOver) => "not decided yet; run the same command to continue",
        _ => "not decided",
    };
    format!(
        "field: {score:.0} % of the points (95 %: {low:.0} to {high:.0} %), {found} (LLR {:.2} of \
         {:.2} to {:.2} after {})\n",
        test.state.llr,
        test.state.bounds[0],
        test.state.bounds[1],
        counted(test.sets, "mirror set")
    )
}

fn last(last: &VersionReport) -> String {
    let [gain, low, high] = last.gain.map(|gain| 100.0 * gain);
    let found = match last.answer {
        TestAnswer::Stronger => "stronger",
        TestAnswer::Weaker => "weaker",
        _ => "not decided",
    };
    format!(
        "version {} before it: {gain:+.0} % of the points (95 %: {low:+.0} to {high:+.0} %) in the \
         same {}, stronger with {}; {found}\n",
        last.version,
        counted(last.sets, "mirror set"),
        percent(last.superiority)
    )
}

fn rank(rank: &TryRank) -> String {
    let [best, worst] = rank.range;
    let before = rank.before.map_or_else(String::new, |before| format!("; now {before}"));
    let basis = match rank.with_league {
        true => "with the league's results",
        false => "by these bouts alone: the league has no results",
    };
    let [rating, low, high] = rank.rating;
    format!(
        "rank: {} of {} (95 %: {best} to {worst}{before}), {basis}; rating {rating:.0} ({low:.0} to \
         {high:.0})\n",
        rank.rank, rank.of
    )
}

/// Most bouts that are listed which a referee could not finish.
const TOLD: usize = 3;

/// Lists bouts that the referee could not finish, a line each, with advice; empty where there are
/// none.
pub(super) fn referee_errors(report: &TryReport) -> String {
    let (errors, event) = (&report.referee_errors, escaped(&report.subject.event));
    if errors.is_empty() {
        return String::new();
    }
    let told = errors.iter().take(TOLD);
    let mut text: String = told.map(|error| format!("{event}: {error}\n")).collect();
    if errors.len() > TOLD {
        let more = counted(errors.len() - TOLD, "more bout");
        text += &format!("{event}: {more} that the referee could not finish\n");
    }
    let database = report.subject.database.display();
    text + &format!(
        "hint: `joust history BOUT --database {database}` says at whose answer, \
         `joust game check FOLDER` what the referee writes\n"
    )
}

/// Returns the current state in one line.
pub(super) fn progress(report: &TryReport) -> String {
    let sum = |list: fn(&OpponentRecord) -> usize| report.opponents.iter().map(list).sum::<usize>();
    let (won, drawn, lost) =
        (sum(|row| row.won.len()), sum(|row| row.drawn.len()), sum(|row| row.lost.len()));
    let llr = report.field.as_ref().map_or(0.0, |test| test.state.llr);
    format!(
        "{}: {won} won, {drawn} drawn, {lost} lost, LLR {llr:+.2}",
        counted(report.course.bouts, "bout")
    )
}

/// Returns what to do next; nothing where no bout was played.
pub(super) fn next(report: &TryReport, file: &Path) -> Option<String> {
    let database = report.subject.database.display();
    let source = match file.to_str() {
        Some("tournament.yaml") | None => format!("--database {database}"),
        Some(file) => format!("-f {file} --database {database}"),
    };
    let last_of = |list: fn(&OpponentRecord) -> &Vec<String>| {
        report.opponents.iter().rev().find_map(|row| list(row).last())
    };
    let lists = |outcome: &str| {
        format!(
            "`joust bouts {source} --bot {} --{outcome}` lists",
            shell_quoted(&report.subject.bot)
        )
    };
    if let Some(bout) = last_of(|row| &row.lost) {
        let (replay, lists) = (id(bout), lists("lost"));
        return Some(format!(
            "next: `joust replay {replay} {source}` shows a lost bout, {lists} them all (or `--won`, \
             `--drawn`)"
        ));
    }
    if last_of(|row| &row.won).is_some() {
        return Some(format!("next: {} the bouts that it won", lists("won")));
    }
    last_of(|row| &row.drawn).map(|_| format!("next: {} the bouts", lists("drawn")))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use joust_orchestrator::candidate::{TestState, TryCourse, TrySubject};

    use super::*;

    fn report() -> TryReport {
        let bouts = |count: usize| vec!["3f2a91c07d11".to_owned(); count];
        let against = |bot: &str, counts: [usize; 3], superiority| OpponentRecord {
            bot: bot.to_owned(),
            won: bouts(counts[0]),
            drawn: bouts(counts[1]),
            lost: bouts(counts[2]),
            superiority,
        };
        TryReport {
            subject: TrySubject {
                bot: "my bot".to_owned(),
                version: "1b2c3d4e".to_owned(),
                event: "league".to_owned(),
                game: "battlebots".to_owned(),
                database: ".joust/try/league/my_bot/1b2c3d4e.db".into(),
                try_event: "try-league".to_owned(),
            },
            course: TryCourse {
                ended: TryOutcome::Decided,
                bouts: 16,
                played: 12,
                ended_early: 0,
                took: Duration::from_millis(3456),
            },
            opponents: vec![
                against("sniper", [6, 1, 1], Some(0.93)),
                against("walker", [8, 0, 0], Some(0.999)),
            ],
            turns: 40,
            faults: [("timeout".to_owned(), 3)].into(),
            failing: Vec::new(),
            referee_errors: Vec::new(),
            not_built: vec!["ivy".to_owned()],
            field: Some(FieldTest {
                state: TestState {
                    answer: TestAnswer::Stronger,
                    llr: 3.12,
                    bounds: [-2.94, 2.94],
                    elo: [-50.0, 50.0],
                    rates: [0.05, 0.05],
                },
                sets: 8,
                score: [0.91, 0.71, 0.98],
                superiority: 0.99,
            }),
            last: Some(VersionReport {
                version: "0a0b0c0d".to_owned(),
                gain: [0.25, -0.05, 0.5],
                sets: 8,
                answer: TestAnswer::Undecided,
                superiority: 0.94,
            }),
            rank: Some(TryRank {
                rank: 1,
                range: [1, 2],
                of: 3,
                before: Some(2),
                rating: [180.4, 20.2, 340.1],
                model: "Elo",
                with_league: true,
            }),
        }
    }

    #[test]
    fn a_try_is_told_with_its_doubts() {
        assert_eq!(
            text(&report()),
            "my bot (version 1b2c3d4e) against 2 bots of league: 16 bouts, 12 of them now in 3.5 s\n\
             \n\
             opponent   won  drawn  lost  stronger  a lost bout\n\
             sniper       6      1     1      93 %  3f2a91c0\n\
             walker       8      0     0    > 99 %\n\
             not built, not met: ivy\n\
             faults: 3 of 40 turns (3 timeout)\n\
             \n\
             field: 91 % of the points (95 %: 71 to 98 %), stronger than the field's average \
             (LLR 3.12 of -2.94 to 2.94 after 8 mirror sets)\n\
             version 0a0b0c0d before it: +25 % of the points (95 %: -5 to +50 %) in the same 8 \
             mirror sets, stronger with 94 %; not decided\n\
             rank: 1 of 3 (95 %: 1 to 2; now 2), with the league's results; rating 180 (20 to 340)\n"
        );
    }

    #[test]
    fn what_the_end_of_the_time_left_is_told() {
        let mut over = report();
        (over.course.ended, over.course.ended_early) = (TryOutcome::TimeOver, 2);
        assert!(
            heading(&over)
                .ends_with("in 3.5 s; the time is over: 2 bouts under way were ended\n\n")
        );
    }

    #[test]
    fn bouts_that_the_referee_could_not_finish_are_told_but_not_all() {
        let errors = |count: usize| {
            let error = "bout 3f2a: referee-error: the referee is gone".to_owned();
            referee_errors(&TryReport { referee_errors: vec![error; count], ..report() })
        };
        let hint = "hint: `joust history BOUT --database .joust/try/league/my_bot/1b2c3d4e.db` says \
                    at whose answer, `joust game check FOLDER` what the referee writes\n";
        let line = "league: bout 3f2a: referee-error: the referee is gone\n";
        assert_eq!((errors(0), errors(1)), (String::new(), format!("{line}{hint}")));
        let more = "league: 2 more bouts that the referee could not finish\n";
        assert_eq!(errors(5), format!("{line}{line}{line}{more}{hint}"));
    }

    #[test]
    fn what_is_next_can_be_pasted() {
        assert_eq!(
            next(&report(), Path::new("tournament.yaml")).expect("it played"),
            "next: `joust replay 3f2a91c0 --database .joust/try/league/my_bot/1b2c3d4e.db` shows a \
             lost bout, `joust bouts --database .joust/try/league/my_bot/1b2c3d4e.db --bot 'my bot' \
             --lost` lists them all (or `--won`, `--drawn`)"
        );
    }

    #[test]
    fn what_is_next_is_of_bouts_that_there_are() {
        let with = |count: [usize; 3]| {
            let mut report = report();
            for row in &mut report.opponents {
                row.won.truncate(count[0]);
                row.drawn.truncate(count[1]);
                row.lost.truncate(count[2]);
            }
            next(&report, Path::new("tournament.yaml"))
        };
        let won = with([1, 1, 0]).expect("it played");
        assert!(won.ends_with(" --bot 'my bot' --won` lists the bouts that it won"), "{won}");
        let drawn = with([0, 1, 0]).expect("it played");
        assert!(drawn.ends_with(" --bot 'my bot' --drawn` lists the bouts"), "{drawn}");
        assert_eq!(with([0, 0, 0]), None);
    }
}
