//! Bots that read and write files.

use joust_model::Exit;
use joust_referee::{Limit, Parts, Verdict};

use crate::fixture::{Bot, part, text};
use joust_testkit::suite::Test;

pub(crate) const TESTS: &[Test] = &[
    ("a_bot_finds_its_files_and_leaves_its_answer", reads_and_answers),
    ("key_and_folder_come_before_the_arguments_of_the_manifest", arguments),
    ("the_folder_ends_in_the_layout_of_the_original", layout),
    ("nothing_of_an_earlier_turn_is_there", earlier_turn),
    ("every_answer_file_that_is_there_comes_back_in_order", both_files),
    ("the_exit_status_is_recorded_and_the_file_counts", exit_status),
    ("a_crash_is_recorded_and_the_file_counts", crash),
    ("what_the_original_kept_above_the_folder_is_there", above),
    ("a_file_left_before_the_time_limit_does_not_count", time_limit),
    ("no_file_is_an_empty_answer", no_file),
    ("a_link_is_a_violation_and_is_not_followed", link),
    ("a_folder_in_place_of_the_answer_is_a_violation", folder),
    ("an_answer_above_the_cap_is_the_output_limit", too_long),
    ("a_bot_that_fails_with_a_full_scratch_met_the_disk_limit", full),
    ("a_child_process_is_refused_and_a_violation", child),
    ("threads_are_no_child_processes", threads),
    ("what_is_printed_is_kept_and_is_no_answer", printed),
];

fn reads_and_answers() {
    let answered = Bot::once(
        "state = open(DIR + '/state.json').read(); land = open(os.path.join(DIR, 'map.txt')).read()\n\
         open(DIR + '/command.txt', 'w').write(KEY + state + land + os.getcwd())",
    );
    assert_eq!(answered.verdict, Verdict::Ok, "{answered:?}");
    assert_eq!(text(&answered, "command.txt").unwrap(), "A{\"Round\":12}~~~\n/bot");
    assert_eq!(answered.parts.0.len(), 1);
}

fn arguments() {
    let source = "open(DIR + '/command.txt', 'w').write('|'.join(sys.argv[1:]))";
    let answered = Bot::with_arguments(source, &["--level", "a b"]).ask();
    let said = text(&answered, "command.txt").unwrap();
    assert_eq!(said, "A|/scratch/replay/12/A|--level|a b");
}

fn layout() {
    let source = "open(DIR + '/command.txt', 'w').write(DIR)";
    let answered = Bot::new(source).ask_in("Phase 1 - Round 0/A");
    let said = text(&answered, "command.txt").unwrap();
    assert_eq!(said, "/scratch/replay/Phase 1 - Round 0/A");
}

fn earlier_turn() {
    let mut bot = Bot::new(
        "found = sorted(os.path.join(at, name) for at, _, names in os.walk('/scratch') for name in names)\n\
         open(DIR + '/command.txt', 'w').write(' '.join(found))\n\
         open('/scratch/marker', 'w')",
    );
    bot.ask_in("11/A");
    let said = text(&bot.ask_in("12/A"), "command.txt").unwrap();
    assert_eq!(said, "/scratch/replay/12/A/map.txt /scratch/replay/12/A/state.json");
}

fn both_files() {
    let answered = Bot::once(
        "for name in ('command.txt', 'place.txt', 'other.txt'):\n open(DIR + '/' + name, 'w').write(name)",
    );
    let names: Vec<&str> = answered.parts.0.iter().map(|part| &*part.name).collect();
    assert_eq!(names, ["place.txt", "command.txt"]);
}

fn exit_status() {
    let answered = Bot::once("open(DIR + '/command.txt', 'w').write('1,2,3')\nsys.exit(3)");
    assert_eq!((answered.verdict, answered.exit), (Verdict::ExitNonzero, Exit::Status(3)));
    assert_eq!(text(&answered, "command.txt").unwrap(), "1,2,3");
}

fn above() {
    let source = "import os, sys\nos.chdir(sys.argv[2])\nname = '../roundInfo.json'\n\
        print(sorted(os.listdir('..')), open(name).read(), file=open('command.txt', 'w'))\n";
    let files = Parts(vec![part("roundInfo.json", "{}")]);
    let said = text(&Bot::new(source).ask_below("12/A", files), "command.txt").unwrap();
    assert_eq!(said, "['A', 'roundInfo.json'] {}\n");
}

fn crash() {
    let answered =
        Bot::once("open(DIR + '/command.txt', 'w').write('1,2,3')\nos.kill(os.getpid(), 11)");
    assert_eq!((answered.verdict, answered.exit), (Verdict::Crash, Exit::Signal(11)));
    assert_eq!(text(&answered, "command.txt").unwrap(), "1,2,3");
}

fn time_limit() {
    let answered = Bot::once(
        "f = open(DIR + '/command.txt', 'w'); f.write('1,2,3'); f.close()\ntime.sleep(600)",
    );
    assert_eq!((answered.verdict, answered.exit), (Verdict::Timeout, Exit::Killed));
    assert_eq!(answered.parts, Parts::none());
}

fn no_file() {
    let answered = Bot::once("pass");
    assert_eq!((answered.verdict, answered.parts), (Verdict::Ok, Parts::none()));
}

fn link() {
    let answered = Bot::once("os.symlink('/etc/passwd', DIR + '/command.txt')");
    assert_eq!(answered.verdict, Verdict::ProtocolViolation);
    assert_eq!(answered.parts, Parts::none());
    assert_eq!(answered.reason, "`command.txt` is not a plain file with one name");
}

fn folder() {
    let answered =
        Bot::once("os.mkdir(DIR + '/place.txt')\nopen(DIR + '/command.txt', 'w').write('1,2,3')");
    assert_eq!(answered.verdict, Verdict::ProtocolViolation);
    assert_eq!(answered.parts, Parts::none());
}

fn too_long() {
    let answered = Bot::once("open(DIR + '/command.txt', 'w').truncate(5000)");
    assert_eq!(answered.verdict, Verdict::OutputLimit);
    assert!(answered.limits_hit.contains(Limit::AnswerFile));
    assert_eq!(answered.reason, "`command.txt` is too long");
}

fn full() {
    let answered = Bot::once("open('/scratch/big', 'wb').write(bytes(2 << 20))");
    assert_eq!(answered.verdict, Verdict::DiskLimit, "{answered:?}");
    let coped = Bot::once(
        "open(DIR + '/command.txt', 'w').write('1,2,3')\nopen('/scratch/big', 'wb').write(bytes(2 << 20))",
    );
    assert_eq!(coped.verdict, Verdict::ExitNonzero, "it had answered before it failed");
    assert!(coped.limits_hit.contains(Limit::Disk));
    assert_eq!(text(&coped, "command.txt").unwrap(), "1,2,3");
}

fn printed() {
    let answered = Bot::once("print('1,2,3')");
    assert_eq!((answered.verdict, answered.parts), (Verdict::Ok, Parts::none()));
    assert_eq!(answered.output, b"1,2,3\n");
}

fn child() {
    let attempts = [
        "os.fork()",
        "import subprocess; subprocess.run(['/bin/true'])",
        "os.posix_spawn('/bin/true', ['true'], {})",
        "os.system('true')",
    ];
    for attempt in attempts {
        let answered = Bot::once(&format!(
            "try:\n {attempt}\nexcept OSError as error:\n print(error.errno)\n\
             open(DIR + '/command.txt', 'w').write('1,2,3')"
        ));
        assert_eq!(answered.verdict, Verdict::ProtocolViolation, "{attempt}: {answered:?}");
        assert_eq!(answered.reason, "child process");
        assert_eq!(answered.parts, Parts::none());
    }
}

fn threads() {
    let answered = Bot::once(
        "import threading\n\
         threads = [threading.Thread(target=time.sleep, args=(0.01,)) for _ in range(20)]\n\
         [one.start() for one in threads]; [one.join() for one in threads]\n\
         open(DIR + '/command.txt', 'w').write('1,2,3')",
    );
    assert_eq!(answered.verdict, Verdict::Ok, "{answered:?}");
    assert_eq!(text(&answered, "command.txt").unwrap(), "1,2,3");
}
