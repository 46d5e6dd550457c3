//! W01 to W07: writing where it must not, and keeping state.

use std::time::Duration;

use crate::hostile::row::{Meanwhile, Row, Setting, behaves, row, says};

pub(super) fn rows() -> Vec<Row> {
    [elsewhere(), kept(), marks()].concat()
}

/// Marks that no file and no object carries from turn to turn.
fn marks() -> Vec<Row> {
    vec![
        row("W04-marks")
            .excused('C', "devices are the host's", "it did touch a device")
            .then(behaves("leave_marks").may(&["close the scratch"]))
            .then(behaves("find_marks"))
            .control(says(&[
                "did slow the parent",
                "did slow the group",
                "did make the parent idle",
                "did hint at the program",
                "did touch a device",
                "did find the flag",
                "did find the hint",
            ])),
        row("W04-files")
            .excused('C', "others use the scratch's file system too", "it did find ")
            .then(behaves("use_up_files"))
            .then(behaves("find_used_files"))
            .control(says(&["did find files used up"])),
        row("W04-processes")
            .excused('B', "an ordinary user cannot set process ids back", "it did find process ids")
            .excused('C', "process ids are the host's", "it did find process ids")
            .then(behaves("use_up_processes"))
            .then(behaves("find_used_processes"))
            .control(says(&["did find process ids used up"])),
        row("W05-numbers")
            .then(behaves("use_up_objects"))
            .then(behaves("find_used_objects"))
            .control(says(&["did find semaphores used up", "did find queues used up"])),
        row("W05-sockets").then(behaves("count_sockets")).control(says(&[
            "did learn how many sockets there were",
            "did learn how many networks there were",
        ])),
        row("W04-network")
            .then(behaves("send_datagrams").may(&["send datagrams"]))
            .then(behaves("find_datagrams"))
            .control(says(&["did find datagrams counted"])),
        row("W04-interface")
            .then(behaves("send_datagrams").may(&["send datagrams"]))
            .then(behaves("find_counted"))
            .control(says(&["did find datagrams counted by the interface"])),
        row("W04-label")
            .then(behaves("lease_label").may(&["lease a label"]))
            .then(behaves("find_counted"))
            .control(says(&["did find the label leased"])),
        row("W04-times")
            .excused('C', "the host's one /proc has everybody's times", "it did find the time")
            .then(behaves("spend_time").within(Duration::from_secs(2)))
            .then(behaves("find_time_spent"))
            .control(says(&["did find the time that an earlier turn spent"])),
        // In tier C `/proc` shows the first looks of all processes of the host.
        row("W04-looks")
            .excused(
                'C',
                "the host's one /proc keeps times of which of its files anybody looked at",
                "it did find which ",
            )
            .then(behaves("look_at_some"))
            .then(behaves("find_who_looked"))
            .control(says(&[
                "did find which setting was looked at",
                "did find which file was looked at",
            ])),
    ]
}

fn elsewhere() -> Vec<Row> {
    vec![
        row("W01")
            .with(Setting::RootControl)
            .then(
                behaves("write_everywhere")
                    .with("{host}")
                    .may(&["use the scratch"])
                    .says("did use the scratch"),
            )
            .control(says(&[
                "did create in /etc",
                "did create in /usr/bin",
                "did create in the program",
                "did create in the folder of the host",
                "did open /etc/passwd",
                "did use the scratch",
            ])),
        row("W02").then(behaves("rewrite_itself")).control(says(&[
            "did rename the program",
            "did plant a module",
            "did plant byte code",
            "did plant a link",
        ])),
        row("W03").then(behaves("write_to_opponent").with("{opponent}")).control(says(&[
            "did create in the opponent's folder",
            "did open the opponent's state",
        ])),
        row("W07").then(behaves("use_terminal")).control(says(&["did open the terminal"])),
    ]
}

fn kept() -> Vec<Row> {
    vec![
        row("W04")
            .then(behaves("leave_marker").may(&["leave"]))
            .then(behaves("find_marker"))
            .control(says(&["did find the marker"])),
        row("W05")
            .then(behaves("leave_objects").may(&["leave"]))
            .then(behaves("find_objects"))
            .control(says(&[
                "did find the segment",
                "did find the semaphore",
                "did find the queue",
                "did find the POSIX queue",
                "did find the POSIX memory",
            ])),
        row("W06")
            .then(behaves("leave_server").may(&["bind an abstract socket"]))
            .then(behaves("find_server"))
            .control(says(&["did reach the server"])),
        row("W06-messages")
            .then(
                behaves("leave_server_in_messages")
                    .may(&["bind an abstract socket", "make a pair"]),
            )
            .then(behaves("find_server"))
            .control(says(&["did bind an abstract socket", "did make a pair"])),
        row("W06-meanwhile")
            .then(
                behaves("serve_for_a_while")
                    .may(&["bind an abstract socket"])
                    .while_trying(Meanwhile::ConnectAbstract),
            )
            .control(says(&["did bind an abstract socket"]).reached()),
    ]
}
