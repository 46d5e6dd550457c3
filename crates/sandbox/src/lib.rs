//! Sandbox: runs one untrusted process tree under limits.
//!
//! This crate knows no bots, games or tournaments. [`Host::probe`] finds
//! out what this machine can enforce, [`Seat::start`] makes a sandbox,
//! [`Seat::turn`] runs one program in it, [`Seat::start_program`] one that stays.
//!
//! # Theory of operation
//!
//! ## Processes
//!
//! ```text
//! the orchestrator (any number of threads)
//!   `-- launcher      one per seat: the same program started again, argument "__seat"
//!         |           process 1 of the seat's process id name space, or a copy of it
//!         `-- program one per turn, with whatever it starts
//! ```
//!
//! A launcher is started with `clone` and the flags of all name spaces at once,
//! becomes the program again by `exec` (empty environment, no descriptor but a
//! socket), and is moved into its control groups. A thread does all this ahead of
//! time, because entering a group can take milliseconds. When a seat is
//! wanted, a waiting launcher gets its request: it mounts the view of
//! the file system, moves into it, gives up its privileges, locks itself in with
//! Landlock and the system call filter, and says that it is ready. From then on
//! it is single-threaded, allocates little, and only starts programs.
//!
//! The process that waits holds the name spaces, if programs have a user of their own and
//! the seat a network of its own. For each seat it forks a launcher, which gets a mount
//! name space of its own. The other name spaces serve one seat after the other, unless a
//! program has left a trace there that the kernel continues to count (an internet socket,
//! a System V object). After a seat whose programs are reached from outside, the process makes a
//! new network, whatever they did.
//!
//! Each turn is one message there and one back. Nothing is made per turn that can
//! be made per seat: name spaces, groups, filter and limits are inherited.
//!
//! ## Owners of descriptors
//!
//! * The socket pair (`SOCK_SEQPACKET`): one end the orchestrator's [`Seat`], the
//!   other the launcher's descriptor 3, closed on `exec`. When either end closes,
//!   the other side knows: a launcher that is alone ends, and being process 1
//!   takes everything in its name space with it. So nothing outlives a killed
//!   orchestrator but empty groups, which [`Host::remove_left_overs`] removes.
//! * The two output pipes of a turn: both ends made by the launcher; the program
//!   has the writing ends as 1 and 2, the launcher closes its copies and reads.
//!   The orchestrator gets bytes, never a pipe that a program could still hold.
//! * Descriptor 0 of a program is `/dev/null`, opened again for every turn: flags
//!   and signals set on a shared one would be a message to the next turn.
//! * The folder with the writable folders: the launcher hands a descriptor of it
//!   to the orchestrator, which puts files in, takes them out and empties it
//!   between turns, by descriptor and name only, never by path.
//! * The files with the groups' numbers: opened by the orchestrator, read by the
//!   launcher, closed on `exec`.
//!
//! ## A turn, in order
//!
//! 1. The orchestrator writes the files of the turn and sends the message.
//! 2. The launcher makes the pipes, stamps the clock, and calls `clone` with
//!    `CLONE_VM | CLONE_VFORK`: no page table is copied, and the launcher stands
//!    still until the child has called `exec` or ended.
//! 3. Between the two the child shares the launcher's memory, on a stack of its
//!    own. It may only make system calls on what was prepared before: unblock
//!    signals, put the streams in place, become the seat's user, `exec`. Nothing
//!    there allocates, takes a lock, runs a destructor or can panic. The raw
//!    calls are used, since the C library's `setresuid` wants to tell all threads.
//!    A failure is left as a number in the shared memory.
//! 4. The launcher waits for the end of the main process; for the first five
//!    milliseconds for nothing else, then also for output, for the next moment at
//!    which a limit could be passed, and for the other end of the socket. The
//!    deadline is one moment, set once: output does not move it.
//! 5. The clock is stamped. What was written by then is read. If any process is
//!    left, process 1 sends SIGKILL to all others in one call, during which none
//!    can fork, and reaps until there is no child: orphans are its children too.
//! 6. System V objects, if there are any, are removed; the groups' numbers are
//!    read; the answer is sent.
//! 7. The orchestrator takes the files asked for and empties the scratch.
//!
//! ## A program that stays
//!
//! [`Seat::start_program`] starts a program as a turn does and leaves it running. Its two pipes
//! (its descriptors 3 and 4, or its standard input and output) are made by the launcher and their
//! other ends handed to the caller, who speaks with the program directly: the launcher is not in
//! the path. It watches meanwhile, with the loop of a long turn, for limits, questions
//! ([`RunningProgram::read_usage`]) and the order to end it, and says unasked when the program is
//! over, which is what [`RunningProgram::notices`] waits for. Streams that are not among the pipes
//! are for people: the first part of each is kept. In a network of the seat's own the launcher also
//! opens the ports of [`HostSockets`] before any program runs and hands the listening sockets out,
//! so that each seat has every port to itself. In the tiers C and D, where the network is the
//! host's, a program can make TCP sockets and pairs, offer nothing, and no `connect` of it is ever
//! done: the kernel hands the call to the launcher, which copies the address, connects a socket of
//! its own to a listener of its own if that is one of the ports, puts it in the place of the
//! program's, and hands the other end to the caller ([`RunningProgram::take_connections`]). So the
//! ports are the same in all tiers, and no other process can connect to them. In these tiers a
//! program finds no names of this computer and no list of interfaces; in the others it finds that
//! list if it has ports or is a server.
//!
//! A program may also be a server ([`HostSockets::may_listen`]). Then the launcher connects to it
//! when the caller asks ([`RunningProgram::connect`]), and hands the socket over. In the tiers C
//! and D its `bind` is handed to the launcher too, which makes a socket that listens on a free port
//! of 127.0.0.1 and puts it in the place of the program's.
//!
//! ## Programs that are kept warm
//!
//! A seat with [`SeatSpec::warm`] has one process more, its server, which the launcher starts
//! before the first turn and which stops at the end of its own start. Step 2 of a turn is then a
//! question to it; the answer is a copy of it that is the launcher's child. In step 5 the list of
//! children says whether anything but the server is left: if so, all of it goes, the server too,
//! and there is a new one before the next turn. [`TurnReport::start`] says how each turn began.
//! Tiers without process id name spaces, kernels without Landlock's scope of signals (version 6,
//! Linux 6.12) and programs that cannot stop there are started cold, and it says why.
//!
//! ## Starting a launcher
//!
//! The orchestrator has other threads, so the same rule holds between its `clone`
//! and `exec`: system calls only. Signals are blocked meanwhile, because a handler
//! that ran in the child would run on the orchestrator's memory. The child writes
//! its id maps if it has a user name space, places the socket, marks every other
//! descriptor to be closed, gives all signals their default meaning, and calls
//! `exec`. Everything difficult happens after that, in an ordinary process.
//!
//! ## Tiers
//!
//! [`Tier`] says what this machine can do; [`Host::features`] what decided it.
//! Without groups, memory and processor time are sampled from `/proc`. Without
//! name spaces (tier C) the seat's programs run as a user of their own on the
//! host's file system, fenced by Landlock, and are killed by a helper that has
//! become that user; paths inside are translated to the host's.
//!
//! ## Whose processes they are
//!
//! The kernel counts descriptors in messages, pages in pipes, watches of epoll and keys for each
//! user of the host, so every seat's programs are a user of their own where that can be. Root gives
//! out user ids as it likes. An ordinary user may have subordinate ids (`/etc/subuid`): when the
//! host is probed, `newuidmap` and `newgidmap` map a part of them into one user name space. A
//! descriptor keeps it. Launchers are started by a go-between that enters it first, are its
//! superuser, who on the host is the caller, and own the other name spaces; each of their programs
//! becomes one of the ids. The scratch belongs to that id; the orchestrator, who is not it and has
//! no privileges, holds a second mount of it that shows the id's files as its own (`mount_setattr`,
//! Linux 6.3 for file systems in memory). Where any of this is missing, all programs are the
//! caller, in a user name space per seat.
//!
//! A program's descriptor limit is enforced, but no kernel counts refusals, so
//! [`LimitHit::Descriptors`] is reported only when the main process is seen to
//! hold all it may, which takes a turn of more than five milliseconds.
#![deny(unsafe_code)]

pub mod affinity;
mod capability;
mod error;
mod folder;
mod host;
mod kernel_text;
pub mod launcher;
mod limits;
mod link;
mod machine;
mod mechanism;
pub mod poll;
mod report;
mod seat;
mod spec;
#[expect(unsafe_code, reason = "the one place for calls that nobody offers safely")]
mod sys;
mod wire;

pub use capability::{Enforcement, Feature, Tier};
pub use error::{ProbeError, RefusedTier, SandboxError, TurnError};
pub use host::{Host, HostOptions, LeftOvers};
pub use limits::{Bytes, ProgramLimits, SeatLimits, extension, is_starved};
pub use machine::{SeatCounts, temporary_folder};
pub use mechanism::memory::{MemoryRoom, memory_room};
pub use report::{
    Ending, FileOutcome, LimitHit, LimitsHit, OutputFile, ResourceUsage, StartKind, TurnReport,
};
pub use seat::{
    Export, ExportError, Exported, Import, RunningProgram, Seat, ServerConnection, Stopper,
    WorkFolder,
};
pub use spec::{
    Children, ColdCost, Folder, HostSockets, ListenPort, Network, Pipes, Program, PutFile,
    ScratchUse, SeatSpec, TakeFile, Turn, WarmServer,
};
pub use sys::return_large_blocks;

/// Entry points for fuzzers, only in programs that are built for fuzzing; tests compile them, too.
#[cfg(any(fuzzing, test))]
pub mod fuzzing {
    use crate::wire::{Reply, Request, decode};

    /// Reads any bytes as messages between a launcher and the process that started it.
    pub fn read_messages(bytes: &[u8]) {
        let _ = decode::<Request>(bytes);
        let _ = decode::<Reply>(bytes);
    }
}
