//! Spawn: starts a program in a child that shares the caller's memory until `exec`.
//!
//! `clone` with `CLONE_VM | CLONE_VFORK` copies no page tables and stops the
//! caller until the child has called `exec` or ended. Between the two the child
//! runs on a stack of its own in the caller's memory, so it may only make
//! system calls: nothing that allocates, locks, or relies on thread-local
//! state. Everything it needs is prepared before.

mod child;
mod fork;
mod helper;
mod id_maps;
mod launcher;
mod turn;

pub(crate) use child::{ChildStack, StartFailure};
pub(crate) use fork::{Fork, fork};
#[cfg(test)]
pub(crate) use helper::keeper_of;
pub(crate) use helper::{is_of_a_seat, kill_user, remove_ipc_of, signal_user};
pub(crate) use id_maps::{IdMaps, make_mapping};
pub(crate) use launcher::{LAUNCHER_SOCKET, LauncherStart, start_launcher};
pub(crate) use turn::{FIRST_FREE, ProcessGroup, TurnStart, start_turn};
