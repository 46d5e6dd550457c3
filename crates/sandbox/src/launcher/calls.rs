//! System calls of programs that the kernel hands to the launcher instead of doing them.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use nix::errno::Errno;

use super::connections::Connections;
use super::serving::Servers;
use super::sockets::SocketDiag;
use crate::mechanism::notify::{self, MadeObject};
use crate::sys;
use crate::wire::Traces;

/// Answers to the calls that are handed over, and a record of them for the turn.
pub(super) struct HandedCalls {
    /// Descriptor that reports calls; `None` if none are handed over.
    listener: Option<OwnedFd>,
    pub(super) connections: Connections,
    pub(super) servers: Servers,
    /// Attempts to start a process that were refused.
    pub(super) children_refused: u32,
    /// Traces of what was made and noted.
    traces: Traces,
    /// True if unix sockets were made.
    made_unix_sockets: bool,
    /// The kernel's list of unix sockets in the seat's own network, if it has one.
    unix_sockets: Option<SocketDiag>,
}

impl HandedCalls {
    pub(super) fn new(
        listener: Option<OwnedFd>,
        connections: Connections,
        servers: Servers,
        unix_sockets: Option<SocketDiag>,
    ) -> Self {
        Self {
            listener,
            connections,
            servers,
            children_refused: 0,
            traces: Traces::None,
            made_unix_sockets: false,
            unix_sockets,
        }
    }

    pub(super) fn begin_turn(&mut self) {
        self.connections.begin_turn();
        self.servers.begin_turn();
        self.children_refused = 0;
        self.traces = Traces::None;
        self.made_unix_sockets = false;
    }

    /// Returns whether a program can have made System V objects. Without a listener nobody notes
    /// them; beside one, those that it does not note are refused.
    pub(super) fn may_have_made_objects(&self) -> bool {
        self.traces == Traces::Anywhere || self.listener.is_none()
    }

    /// Returns the traces of programs that have all ended. `own` is the number of unix sockets of
    /// the launcher's.
    pub(super) fn traces(&mut self, own: usize) -> Traces {
        if self.has_left_sockets(own) { Traces::Anywhere } else { self.traces }
    }

    /// Returns whether unix sockets are left although no program is: some wait in each other, and
    /// the kernel finds that out when another one is closed. They keep names, locks of files, and
    /// all else that they carry.
    fn has_left_sockets(&mut self, own: usize) -> bool {
        // Without a listener nobody notes them.
        if !self.made_unix_sockets && self.listener.is_some() {
            return false;
        }
        let Some(sockets) = &mut self.unix_sockets else { return self.made_unix_sockets };
        sockets.count().is_none_or(|left| left > own)
    }

    /// Returns the number of unix sockets in the seat's own network now.
    pub(super) fn unix_sockets(&mut self) -> usize {
        self.unix_sockets.as_mut().and_then(SocketDiag::count).unwrap_or_default()
    }

    /// Returns the descriptor that becomes readable when a call waits for its answer.
    pub(super) fn listener(&self) -> Option<BorrowedFd<'_>> {
        self.listener.as_ref().map(AsFd::as_fd)
    }

    /// Makes a connection or a listening socket that a program asks for, notes an object, or
    /// refuses a process.
    pub(super) fn answer(&mut self) {
        let Some(listener) = self.listener.as_ref().map(AsFd::as_fd) else { return };
        let Some(call) = sys::next_call(listener) else { return };
        if call.number == libc::SYS_connect {
            return self.connections.answer(listener, &call);
        }
        if call.number == libc::SYS_bind {
            return self.servers.answer(listener, &call);
        }
        if let Some(object) = notify::made_object(call.number, call.arguments[0]) {
            match object {
                MadeObject::Numbered => self.traces = Traces::Anywhere,
                MadeObject::InternetSocket => self.traces = self.traces.max(Traces::Network),
                MadeObject::UnixSocket => self.made_unix_sockets = true,
            }
            return sys::let_call(listener, &call);
        }
        self.children_refused = self.children_refused.saturating_add(1);
        // The caller may have been killed meanwhile.
        let _ = sys::answer_call(listener, &call, Err(Errno::EPERM));
    }
}
