//! M01 to M11: memory in all its forms.

use std::time::Duration;

use joust_referee::Limit::{Descriptors, Disk, Files, Memory};
use joust_referee::Verdict::{InfrastructureError, MemoryLimit, Ok as Answered};

use crate::hostile::row::{ExpectedEnd, Row, Setting, Turn, behaves, ends, row, says, script};
use crate::hostile::{Observation, TestSite};

/// Time limit of rows that make many pages. The kernel charges a program for making pages, and on a
/// virtual machine whose memory is still untouched, 128 MiB of them took up to twenty times as long
/// as they take later (20 to 384 ms).
const WHILE_PAGES_ARE_MADE: Duration = Duration::from_secs(2);

/// A fifth of the limit takes 6 ms to fill at the 2 GB/s at which pages are made here.
const LATE_LOOK: Setting = Setting::Looks {
    tiers: "BC",
    wrong: "not so: the peak is near the limit",
    waited: Duration::from_millis(6),
};

const UNMAPPED: &str = "memory that no process has mapped is not sampled";

pub(super) fn rows() -> Vec<Row> {
    [private(), shared(), harmless()].concat()
}

/// Five parts in a hundred above or below the limit, twenty where it is sampled.
fn peak_is_the_limit(seen: &Observation, _: &TestSite) -> Result<(), String> {
    let (peak, limit) = (seen.peak_bytes, seen.allowed.memory_bytes);
    let slack = if seen.allowed.tier == 'A' { limit / 20 } else { limit / 5 };
    let near = limit - slack..=limit + slack;
    if near.contains(&peak) { Ok(()) } else { Err(format!("peak {peak} of {limit} bytes")) }
}

fn private() -> Vec<Row> {
    let all = || ends(ExpectedEnd::Never).saying(&["did touch all of it"]);
    vec![
        row("M01")
            .with(LATE_LOOK)
            .then(
                behaves("heap_bomb")
                    .earns(&[MemoryLimit])
                    .check("the peak is near the limit", peak_is_the_limit),
            )
            .control(all()),
        // Below its own limit: it is the group around all that cannot hold what was promised.
        row("M01-small-group")
            .with(Setting::SmallGroup)
            .then(behaves("heap_bomb").earns(&[InfrastructureError]))
            .control(all()),
        row("M01-python")
            .then(
                script("heap.py")
                    .earns(&[MemoryLimit])
                    .within(WHILE_PAGES_ARE_MADE)
                    .working(WHILE_PAGES_ARE_MADE),
            )
            .control(all()),
        // What it is called, and whether its first thread continues, is a program's own business.
        behind("M01-name", "nameless_memory", "did fill 96 MiB under a name that is no text"),
        behind(
            "M01-leader",
            "leaderless_memory",
            "did fill 96 MiB behind a first thread that has ended",
        ),
        row("M02")
            .then(behaves("locked_memory").earns(&[MemoryLimit]).may(&["lock"]))
            .control(ends(ExpectedEnd::Never).saying(&["did lock memory", "did fault all of it"])),
        // The kernel gives page tables back a while after their program's end.
        row("M01-tables")
            .then(fills_page_tables())
            .then(behaves("only_answer"))
            .then(fills_page_tables())
            .control(says(&["did fill 96 MiB of page tables"])),
        row("M06").then(behaves("recurse").crashes_by(11)).control(ends(ExpectedEnd::Signal(11))),
        row("M08")
            .then(
                // Where it is sampled, all children may have filled theirs by then: 256 MiB.
                behaves("children_memory").earns(&[MemoryLimit]).working(WHILE_PAGES_ARE_MADE),
            )
            .control(ends(ExpectedEnd::Status(0)).saying(&["did see all children fill"])),
    ]
}

fn behind(id: &'static str, behaviour: &'static str, done: &'static str) -> Row {
    row(id)
        .then(
            behaves(behaviour)
                .earns(&[MemoryLimit])
                .within(WHILE_PAGES_ARE_MADE)
                .working(WHILE_PAGES_ARE_MADE),
        )
        .control(says(&[done]))
}

fn fills_page_tables() -> Turn {
    behaves("page_tables")
        .earns(&[MemoryLimit])
        .within(WHILE_PAGES_ARE_MADE)
        .working(WHILE_PAGES_ARE_MADE)
}

fn shared() -> Vec<Row> {
    vec![
        row("M03")
            .then(behaves("memory_files").earns(&[MemoryLimit]).may(&["fill memory files"]))
            .control(says(&["did fill memory files"]))
            .partial("BC", UNMAPPED, Answered),
        row("M03-shm")
            .then(
                behaves("shm_file")
                    .earns(&[MemoryLimit, Answered])
                    .may_hit(&[Disk, Files])
                    .may(&["open shm"]),
            )
            .control(says(&["did fill shm"])),
        row("M03-locks")
            .then(behaves("record_locks"))
            .control(says(&["did hold a thousand locks"])),
        row("M04")
            .then(behaves("sysv_segments").earns(&[MemoryLimit]).may(&["leave segments"]))
            .control(says(&["did leave segments"]).at_least("objects", 64))
            .partial("BC", UNMAPPED, Answered),
        // Where nothing counts them, none can be made.
        row("M04-semaphores")
            .then(
                behaves("semaphore_sets")
                    .earns(&[MemoryLimit, Answered])
                    .may_hit(&[Memory])
                    .within(WHILE_PAGES_ARE_MADE)
                    .working(WHILE_PAGES_ARE_MADE),
            )
            .control(says(&["did make 93 MiB of semaphores"])),
        row("M05")
            .then(
                behaves("pipe_buffers")
                    .earns(&[MemoryLimit, Answered])
                    .may_hit(&[Descriptors, Memory])
                    .may(&["buffer"]),
            )
            .control(says(&["did buffer more than 64 MiB"])),
        row("M05-pipes")
            .then(
                behaves("large_pipes")
                    .may(&["buffer more than 16 MiB"])
                    .may_hit(&[Memory])
                    .check("what is buffered is in the peak or little", pipes_are_counted_or_small),
            )
            .control(says(&["did buffer more than 16 MiB in 25 pipes"])),
        sockets("M05-tcp", "tcp"),
        sockets("M05-udp", "udp"),
        sockets("M05-udp-nameless", "nameless"),
        sockets("M05-tcp-reset", "reset"),
        row("M05-unaccepted")
            .then(
                behaves("unaccepted_connections")
                    .earns(&[MemoryLimit, Answered])
                    .may_hit(&[Memory])
                    .check("what is buffered is in the peak", buffers_are_counted),
            )
            .control(says(&["did buffer more than 64 MiB"])),
        row("M05-spliced")
            .then(
                behaves("spliced_pages")
                    .earns(&[MemoryLimit, Answered])
                    .may_hit(&[Memory])
                    .within(WHILE_PAGES_ARE_MADE)
                    .working(WHILE_PAGES_ARE_MADE)
                    .check("what is buffered is in the peak", buffers_are_counted),
            )
            .control(says(&["did buffer more than 64 MiB"])),
        // Two thousand sockets without an address may hold all that the machine's sockets hold.
        row("M05-parts")
            .then(
                behaves("parts_of_datagrams")
                    .earns(&[MemoryLimit, Answered])
                    .may_hit(&[Descriptors, Memory])
                    .check("what is buffered is in the peak", buffers_are_counted),
            )
            .control(says(&["did buffer more than 64 MiB"])),
    ]
}

fn sockets(id: &'static str, kind: &'static str) -> Row {
    row(id)
        .then(
            behaves("socket_buffers")
                .with(kind)
                .earns(&[MemoryLimit, Answered])
                .may_hit(&[Descriptors, Memory])
                .check("what is buffered is in the peak", buffers_are_counted),
        )
        .control(says(&["did buffer more than 64 MiB"]))
}

/// Checks that pipes are counted, or that each has the size of a new one.
fn pipes_are_counted_or_small(seen: &Observation, place: &TestSite) -> Result<(), String> {
    if seen.said().contains("refused buffer more than 16 MiB") {
        return Ok(());
    }
    buffers_are_counted(seen, place)
}

/// Overhead and charging in batches leave more than half of it.
fn buffers_are_counted(seen: &Observation, _: &TestSite) -> Result<(), String> {
    let said = seen.said();
    let number = said.lines().find_map(|line| line.strip_prefix("buffered ")?.split(' ').next());
    let buffered: u64 = number.and_then(|number| number.parse().ok()).unwrap_or(0);
    match seen.peak_bytes < buffered / 2 {
        true => Err(format!("peak {} of {buffered} bytes", seen.peak_bytes)),
        false => Ok(()),
    }
}

/// Files in memory are no use of memory: what is left is a tiny program's.
fn files_are_not_counted(seen: &Observation, _: &TestSite) -> Result<(), String> {
    match seen.peak_bytes < seen.allowed.memory_bytes / 4 {
        true => Ok(()),
        false => Err(format!("peak {} bytes", seen.peak_bytes)),
    }
}

fn harmless() -> Vec<Row> {
    vec![
        row("M09")
            .then(behaves("reserve_space").says("did reserve 64 GiB"))
            .control(says(&["did reserve 64 GiB"])),
        row("M10")
            .with(Setting::BigFile)
            .then(
                behaves("read_big_file")
                    .within(WHILE_PAGES_ARE_MADE)
                    .working(WHILE_PAGES_ARE_MADE)
                    .says("did read 128 MiB")
                    .check("files are not in the peak", files_are_not_counted),
            )
            .control(says(&["did read 128 MiB"])),
        row("M10-drop")
            .then(behaves("drop_file_pages").may(&["advise", "synchronise"]))
            .control(says(&["did throw a shared file out of memory"])),
        row("M11").then(behaves("lower_oom_score")).control(says(&["did lower the score"])),
    ]
}
