//! Limits of a turn, each reached by a program and reported.

use super::*;

#[test]
fn a_sleeper_meets_the_wall_limit() {
    let limit = Duration::from_millis(80);
    let limits = ProgramLimits { wall: limit, ..limits() };
    let report = run(&mut start(&spec()), &["/bin/sleep", "100"], limits);
    assert_eq!(report.ending, Ending::WallLimit);
    assert!(report.usage.limits_hit.contains(LimitHit::Wall));
    assert!(report.usage.wall >= limit);
}

#[test]
fn output_does_not_move_the_deadline() {
    let limit = scaled(Duration::from_millis(120));
    let limits = ProgramLimits { wall: limit, ..limits() };
    let script = "while :; do echo x; sleep 0.01; done";
    let report = run(&mut start(&spec()), &["/bin/sh", "-c", script], limits);
    assert_eq!(report.ending, Ending::WallLimit);
    assert!(!report.stdout.is_empty());
}

#[test]
fn a_busy_loop_meets_the_cpu_limit() {
    let limit = scaled(Duration::from_millis(100));
    let limits = ProgramLimits { cpu: limit, ..limits() };
    let report = run(&mut start(&spec()), &["/bin/sh", "-c", "while :; do :; done"], limits);
    assert_eq!(report.ending, Ending::CpuLimit);
    assert!(report.usage.cpu >= limit && report.usage.cpu < 2 * limit, "{:?}", report.usage.cpu);
}

#[test]
fn orphans_that_burn_count() {
    let limits = ProgramLimits { cpu: Duration::from_millis(100), ..limits() };
    let script = "(sh -c 'while :; do :; done' &) ; sleep 9";
    let report = run(&mut start(&spec()), &["/bin/sh", "-c", script], limits);
    assert_eq!(report.ending, Ending::CpuLimit);
}

#[test]
fn a_heap_bomb_meets_the_memory_limit() {
    let script = "x=0123456789abcdef; while :; do x=$x$x; done";
    let report = shell(script);
    assert_eq!(report.ending, Ending::MemoryLimit);
    assert!(report.usage.limits_hit.contains(LimitHit::Memory));
    // Tier B samples.
    let most = if host().tier() == Tier::A { 68 } else { 64 * 6 / 5 };
    assert!(report.usage.peak_memory <= Bytes::from_mib(most), "{}", report.usage.peak_memory);
}

#[test]
fn memory_comes_back_after_a_memory_limit() {
    let mut seat = start(&spec());
    shell_in(&mut seat, "x=0123456789abcdef; while :; do x=$x$x; done");
    let after = shell_in(&mut seat, "echo fine");
    assert_eq!(after.ending, Ending::Exited(0));
    assert!(after.usage.peak_memory < Bytes::from_mib(16), "{}", after.usage.peak_memory);
}

#[test]
fn endless_output_meets_the_output_limit() {
    let report = shell("while :; do echo 0123456789012345678901234567890123456789; done");
    assert_eq!(report.ending, Ending::OutputLimit);
    assert_eq!(report.stdout.len(), 64 * 1024);
    assert!(report.usage.limits_hit.contains(LimitHit::Stdout));
}

#[test]
fn long_stderr_is_cut_and_the_answer_counts() {
    let report = shell("head -c 1000000 /dev/zero >&2; echo answer");
    assert_eq!(report.ending, Ending::Exited(0));
    assert_eq!(text(&report), "answer\n");
    assert_eq!((report.stderr.len(), report.stderr_seen), (8 * 1024, 1_000_000));
    assert!(report.usage.limits_hit.contains(LimitHit::Stderr));
}

#[test]
fn endless_stderr_meets_the_output_limit() {
    assert_eq!(shell("cat /dev/zero >&2").ending, Ending::OutputLimit);
}

#[test]
fn a_fork_bomb_is_bounded_and_gone_afterwards() {
    let limit = scaled(Duration::from_millis(400));
    let limits = ProgramLimits { wall: limit, ..limits() };
    let mut seat = start(&spec());
    let script = "f() { f | f & f; }; f; sleep 100";
    let report = run(&mut seat, &["/bin/bash", "-c", script], limits);
    assert!(report.usage.limits_hit.contains(LimitHit::Processes));
    assert!(report.left_over_processes <= 32, "{}", report.left_over_processes);
    assert_eq!(text(&shell_in(&mut seat, "echo /proc/[0-9]*")), "/proc/2\n");
}

#[test]
fn a_full_disk_is_bounded_and_empty_again() {
    let mut seat = start(&spec());
    let report = shell_in(&mut seat, "head -c 100000000 /dev/zero > big; ls -l big");
    assert!(report.usage.limits_hit.contains(LimitHit::Disk));
    assert_eq!(
        text(&shell_in(&mut seat, "ls -A /scratch /tmp /dev/shm")),
        "/dev/shm:\n\n/scratch:\n\n/tmp:\n"
    );
}

#[test]
fn the_number_of_files_is_bounded() {
    let script = "i=0; while [ $i -lt 1000 ]; do : > $i || exit 9; i=$((i+1)); done";
    let report = shell(script);
    assert!(matches!(report.ending, Ending::Exited(2 | 9)), "{:?}", report.ending);
    assert!(report.usage.limits_hit.contains(LimitHit::Files));
}
