//! Unsafe code, all there is in the workspace: system calls that neither the standard library nor
//! `nix` offer safely.
//!
//! Each file has one subject; every function around an unsafe block is safe to
//! call with any argument its types allow.

mod descriptors;
mod name_spaces;
mod notify;
mod process;
mod spawn;
mod tree_clock;
mod wait;

pub(crate) use descriptors::{adopt, can_leave_table, farthest_place, receive};
pub(crate) use name_spaces::{IpcKind, clone_mapped, ipc_in_use, raise_loopback, remove_all_ipc};
pub(crate) use notify::{
    NotifiedCall, answer_call, bind_marked, connect_marked, install_listener, let_call,
    listen_marked, make_token, next_call, put_descriptor, socket_marked, socket_pair_marked,
    still_waits,
};
pub use process::return_large_blocks;
pub(crate) use process::{
    denies_written_code, join_new_keyring, page_size, plain_schedule, plain_settings, wake_promptly,
};
#[cfg(test)]
pub(crate) use spawn::keeper_of;
pub(crate) use spawn::{
    ChildStack, FIRST_FREE, Fork, IdMaps, LAUNCHER_SOCKET, LauncherStart, ProcessGroup,
    StartFailure, TurnStart, fork, is_of_a_seat, kill_user, make_mapping, remove_ipc_of,
    signal_user, start_launcher, start_turn,
};
pub(crate) use tree_clock::TreeClock;
pub(crate) use wait::{
    Exit, Reaped, block_child_signal, exited, ignore_file_limit_signal, reap_any, reap_one,
    restore_pipe_signal, wait_child_signal,
};
