//! D01 to D08 and F01 to F03: files and descriptors.

use std::time::Duration;

use joust_referee::Limit::{Descriptors, Disk, Files, Memory, Processes};
use joust_referee::Verdict::{DiskLimit, MemoryLimit, Ok as Answered};

use crate::hostile::row::{Meanwhile, Row, Setting, behaves, row, says};

const LATE_LOOK: Setting = Setting::Looks {
    tiers: "C",
    wrong: "it did make more than 2000 files",
    waited: Duration::ZERO,
};

const LATE_MAPS: Setting =
    Setting::Looks { tiers: "C", wrong: "it did hold 16 MiB of files", waited: Duration::ZERO };

pub(super) fn rows() -> Vec<Row> {
    [too_much(), odd(), descriptors()].concat()
}

fn too_much() -> Vec<Row> {
    vec![
        row("D01").then(behaves("fill_disk").hits(&[Disk])).control(says(&["did write 64 MiB"])),
        row("D01-fail")
            .then(behaves("fill_disk_and_fail").earns(&[DiskLimit]).hits(&[Disk]))
            .control(says(&["did write 64 MiB"]).printing(b"N\n")),
        row("D01-silent")
            .then(behaves("fill_disk_in_silence").earns(&[DiskLimit]).hits(&[Disk]))
            .control(says(&["did write 64 MiB"]).printing(b"N\n")),
        row("D01-everywhere")
            .then(behaves("fill_all_folders").hits(&[Disk]))
            .then(behaves("find_in_all_folders"))
            .control(says(&[
                "did write more than 24 MiB in all",
                "did find the file in the scratch",
                "did find the file in /tmp",
                "did find the file in /dev/shm",
            ])),
        row("D02")
            .with(Setting::Huge)
            .with(LATE_LOOK)
            .then(behaves("many_files").earns(&[Answered, DiskLimit]).hits(&[Files]))
            .control(says(&["did make more than 2000 files", "did make more than 20000 files"])),
        row("D02-fail")
            .with(Setting::Huge)
            .with(LATE_LOOK)
            .then(behaves("many_files_and_fail").earns(&[DiskLimit]).hits(&[Files]))
            .control(says(&["did make more than 2000 files", "did make more than 20000 files"])),
        row("D03")
            .then(behaves("sparse_file").may_hit(&[Disk]).may(&["make 1 TiB", "write at its end"]))
            .control(says(&["did make 1 TiB", "did write at its end"])),
        row("D04")
            .then(behaves("deleted_file").may_hit(&[Disk]))
            .control(says(&["did write 64 MiB"])),
        row("D04-many")
            .then(
                behaves("deleted_files")
                    .earns(&[Answered, DiskLimit, MemoryLimit])
                    .may_hit(&[Disk, Memory]),
            )
            .control(says(&["did hold 200 MiB of files without names"])),
        row("D04-mapped")
            .with(LATE_MAPS)
            .then(behaves("mapped_files").earns(&[Answered, DiskLimit]).may_hit(&[Disk]))
            .control(says(&["did hold 16 MiB of files that are only mapped"])),
        row("D04-thread")
            .with(LATE_MAPS)
            .then(
                behaves("files_of_a_thread")
                    .earns(&[Answered, DiskLimit])
                    .may_hit(&[Disk])
                    .may(&["leave the files of others"]),
            )
            .control(says(&["did hold 16 MiB of files of a second thread"])),
    ]
}

fn odd() -> Vec<Row> {
    const SHAPES: [&str; 6] =
        ["go 300 deep", "odd name", "loop", "link to the root", "link to the program", "mode 000"];
    vec![
        row("D05")
            .then(behaves("deep_tree").may(&SHAPES).says("did go 300 deep"))
            .then(behaves("find_marker"))
            .control(says(&["did go 300 deep", "did odd name 7", "did loop", "did mode 000"])),
        row("D06")
            .with(Setting::RootControl)
            .then(behaves("odd_files").may(&["set the user id bit", "fifo"]))
            .then(behaves("find_marker"))
            .control(says(&["did character device", "did block device", "did immutable"])),
        row("D07")
            .then(behaves("hard_links"))
            .control(says(&["did link the program beside itself"])),
        row("D08")
            .then(behaves("hold_locks").while_trying(Meanwhile::LockInterpreter).may(&[
                "lock the interpreter",
                "record lock",
                "descriptor lock",
                "lease",
            ]))
            .control(says(&["did lock the interpreter"]).reached()),
        row("D08-whisper")
            .then(behaves("whisper").may(&["whisper"]).while_trying(Meanwhile::Overhear))
            .control(says(&["did whisper"]).reached()),
    ]
}

fn descriptors() -> Vec<Row> {
    vec![
        // The kernel counts no refusals: one that is over at once may go unseen.
        row("F01")
            .with(Setting::Neighbour)
            .then(behaves("exhaust_descriptors").may_hit(&[Descriptors]))
            .control(says(&["did open 5000 descriptors"])),
        row("F01-stays")
            .with(Setting::Neighbour)
            .then(behaves("exhaust_descriptors_and_stay").hits(&[Descriptors]))
            .control(says(&["did open 5000 descriptors"])),
        row("F02").then(behaves("look_for_descriptors")).control(says(&["did see descriptor 9"])),
        row("F03")
            .with(Setting::Neighbour)
            .then(behaves("kernel_objects").may_hit(&[Descriptors, Processes]).may(&["make"]))
            .then(behaves("make_one_watch").may(&["watch"]).says("did watch"))
            .control(says(&["did make more than 50 of each", "did make a name space of users"])),
        row("F03-parked")
            .with(Setting::RootControl)
            .with(Setting::Neighbour)
            .then(
                behaves("park_descriptors")
                    // Longer than a launcher tries to pass one.
                    .with("2500")
                    .within(Duration::from_secs(4))
                    .may(&["park descriptors", "keep others of the user"])
                    .says("did park descriptors")
                    .while_trying(Meanwhile::MakeSeat),
            )
            .control(says(&[
                "did park descriptors",
                "did keep others of the user from passing any",
            ])),
        row("F03-users")
            .with(Setting::RootControl)
            .with(Setting::OwnUser)
            .then(behaves("get_one_of_each").may(&["get one of each"]).says("did get one of each"))
            .then(
                behaves("park_descriptors")
                    .may(&["park descriptors", "keep others of the user"])
                    .says("did park descriptors")
                    .while_trying(Meanwhile::GetOneOfEach),
            )
            .then(
                behaves("hold_watches")
                    .may(&["hold watches"])
                    .may_hit(&[Descriptors])
                    .says("did hold watches")
                    .while_trying(Meanwhile::GetOneOfEach),
            )
            .control(says(&[
                "did get one of each",
                "did keep others of the user from passing any",
                "did hold watches",
            ])),
    ]
}
