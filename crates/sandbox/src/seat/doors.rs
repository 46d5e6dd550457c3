//! What of the caller a seat's programs can reach by connecting.

use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;

use crate::Doors;
use crate::error::{SandboxError, Step};
use crate::wire::Mode;

/// The doors of one seat. In a network of the seat's own its launcher opens
/// them; elsewhere they are free ports of the host's loopback.
pub(super) struct OpenDoors<'a> {
    doors: &'a Doors,
    listeners: Vec<TcpListener>,
    ports: Vec<u16>,
}

impl<'a> OpenDoors<'a> {
    pub(super) fn open(doors: &'a Doors, mode: Mode) -> Result<Self, SandboxError> {
        let mut open = Self { doors, listeners: Vec::new(), ports: Vec::new() };
        for listen in &doors.listen {
            let port = match mode {
                Mode::Root | Mode::UserNameSpace => listen.port,
                Mode::Container | Mode::Plain => open.listen_on_any()?,
            };
            open.ports.push(port);
        }
        Ok(open)
    }

    fn listen_on_any(&mut self) -> Result<u16, SandboxError> {
        let step = "listen on a free port";
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).step(step)?;
        let port = listener.local_addr().step(step)?.port();
        self.listeners.push(listener);
        Ok(port)
    }

    /// The ports as they really are.
    pub(super) fn ports(&self) -> Vec<u16> {
        self.ports.clone()
    }

    /// The variables that tell them.
    pub(super) fn variables(&self) -> Vec<Vec<u8>> {
        let names = self.doors.listen.iter().map(|listen| listen.variable.as_bytes());
        let values = self.ports.iter().map(|port| port.to_string().into_bytes());
        names.zip(values).map(|(name, value)| [name, b"=", &value].concat()).collect()
    }

    /// Takes over what the launcher opened.
    pub(super) fn take_over(&mut self, listeners: Vec<OwnedFd>) -> Result<(), SandboxError> {
        self.listeners.extend(listeners.into_iter().map(TcpListener::from));
        if self.listeners.len() != self.doors.listen.len() {
            return Err(SandboxError::because("set the launcher up", "listeners are missing"));
        }
        let step = "make a listener one that does not block";
        self.listeners.iter().try_for_each(|listener| listener.set_nonblocking(true).step(step))
    }

    pub(super) fn into_listeners(self) -> Vec<TcpListener> {
        self.listeners
    }
}
