//! Listeners of the caller that a seat's programs can connect to.

use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;

use crate::HostSockets;
use crate::error::{SandboxError, Step};
use crate::wire::{Mode, Strings, strings};

/// Returns the environment variables with the ports.
pub(super) fn port_variables(host_sockets: &HostSockets) -> Strings {
    let variable = |listen: &crate::ListenPort| {
        [listen.variable.as_bytes(), b"=", listen.port.to_string().as_bytes()].concat()
    };
    strings(host_sockets.listen.iter().map(variable))
}

/// Takes over the listeners that the launcher opened in the seat's own network; in other networks
/// the launcher keeps them.
pub(super) fn adopt_listeners(
    host_sockets: &HostSockets,
    mode: Mode,
    listeners: Vec<OwnedFd>,
) -> Result<Vec<TcpListener>, SandboxError> {
    let expected = match mode.has_name_spaces() {
        true => host_sockets.listen.len(),
        false => 0,
    };
    if listeners.len() != expected {
        return Err(SandboxError::because("set the launcher up", "listeners are missing"));
    }
    let step = "make a listener one that does not block";
    let listeners: Vec<_> = listeners.into_iter().map(TcpListener::from).collect();
    listeners.iter().try_for_each(|listener| listener.set_nonblocking(true).step(step))?;
    Ok(listeners)
}
