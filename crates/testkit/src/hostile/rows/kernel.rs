//! K01 to K09: the surface of the kernel.

use joust_referee::Verdict::{Crash, Ok as Answered};

use crate::hostile::row::{Row, Setting, behaves, row, says};

pub(super) fn rows() -> Vec<Row> {
    vec![
        row("K01").then(behaves("nest")).control(says(&[
            "did new users",
            "did new mounts",
            "did new network",
            "did mount in the scratch",
        ])),
        row("K02").then(behaves("escape_root").with("{secret-file}")).control(says(&[
            "did change the root",
            "did climb from a descriptor",
            "did go through /proc/1/root",
        ])),
        row("K03")
            .then(behaves("leave_mounts"))
            .then(behaves("find_marker"))
            .control(says(&["did mount", "did bind"])),
        row("K04")
            .then(behaves("raise_privilege"))
            .control(says(&["did find set-user-id programs working"])),
        row("K05")
            .with(Setting::RootControl)
            .then(behaves("use_capabilities"))
            .control(says(&["did have capabilities", "did real time"])),
        row("K06")
            .then(behaves("other_tables").earns(&[Answered, Crash]))
            .control(says(&["did call through the 32-bit gate"])),
        row("K07").then(behaves("control_files")).control(says(&["did open"])),
        row("K08")
            .with(Setting::RootControl)
            .with(Setting::Neighbour)
            .then(behaves("forbidden_calls"))
            .control(says(&[
                "did bpf",
                "did set the host name",
                "did have the right to set the clock",
                "did have the right to reboot",
                "did have the right to swap",
            ])),
        // Known to the filter: one that C libraries make, one that only gives up rights.
        row("K09")
            .then(behaves("unknown_calls").may(&["new call 452", "new call 462"]))
            .control(says(&["did reach new call"])),
        row("K09-requests")
            .then(behaves("unlisted_requests"))
            .control(says(&["did request", "did set option"])),
    ]
}
