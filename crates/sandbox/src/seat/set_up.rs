//! Set-up of a seat from outside: the request to its launcher, and the descriptors that it hands
//! out, among them the listeners that its programs can connect to.

use std::ffi::OsString;
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{PidfdGetfdFlags, pidfd_getfd};

use super::claims::Claims;
use super::scratch::{ReadScope, ScratchFolders};
use super::translate::Translation;
use super::{AfterUse, Reuse, Seat, Traces};
use crate::error::{SandboxError, Step};
use crate::link::{Link, LinkError};
use crate::machine::{FirstProcess, Machine};
use crate::mechanism::users::UserClaim;
use crate::wire::{
    Mode, OfferAnswer, Reply, Request, SeatIdentity, SetUp, Shortfall, Strings, strings,
};
use crate::{HostSockets, SeatLimits, SeatSpec};

impl Seat {
    /// Sets a launcher up; `user`, if given, is the user of its programs.
    pub(crate) fn from_launcher(
        machine: Arc<Machine>,
        mut first: FirstProcess,
        spec: &SeatSpec,
        user: Option<UserClaim>,
    ) -> Result<Self, SandboxError> {
        let mut claims = Claims::acquire(machine, spec, user)?;
        let mode = claims.machine.mode;
        let translation = claims.host_scratch.as_deref().map(|path| Translation::new(spec, path));
        let translation = translation.unwrap_or_default();
        if let Some(group) = &mut first.group {
            group.limit(&limits_of_group(spec, mode))?;
        }
        let request = SetUp {
            identity: SeatIdentity {
                mode,
                user: claims.user_id().unwrap_or_else(|| nix::unistd::geteuid().as_raw()),
            },
            folders: strings(spec.folders.iter().map(|folder| bytes(&folder.inside))),
            host_folders: strings(spec.folders.iter().map(|folder| bytes(&folder.host))),
            hidden: strings(spec.hidden.iter().map(|folder| bytes(folder))),
            written: spec.written.as_deref().map(bytes).unwrap_or_default().into(),
            environment: [environment(spec, &translation), port_variables(&spec.host_sockets)]
                .concat(),
            scratch: bytes(&spec.scratch).into(),
            host_scratch: claims.host_scratch.as_deref().map(bytes).unwrap_or_default().into(),
            limits: spec.limits.clone(),
            network: spec.network,
            children: spec.children,
            cores: spec.cores.iter().filter_map(|core| u32::try_from(*core).ok()).collect(),
            ports: spec.host_sockets.listen.iter().map(|listen| listen.port).collect(),
            hosts: strings(spec.host_sockets.hosts.iter().map(|name| name.as_bytes())),
            may_listen: spec.host_sockets.may_listen,
            warm: spec.warm.clone(),
        };
        let mut link = first.launch(request)?;
        let handed_out = receive_ready(&mut link, &mut first)?;
        let listeners = adopt_listeners(&spec.host_sockets, mode, handed_out.listeners)?;
        // In the other mode, files of the scratch already belong to the user of the seat.
        let owner = claims.user_id().filter(|_| mode != Mode::Subordinate);
        let scratch = ScratchFolders::new(handed_out.writable, owner, mode.file_system())?;
        claims.begin_use(&spec.limits, first.group.is_some());
        Ok(Self {
            reuse: Reuse {
                store: None,
                numbers: scratch.numbers(ReadScope::Places)?,
                names_put: 0,
                is_clean: true,
                traces: Traces::None,
                after_use: AfterUse::Removed,
            },
            scratch,
            link,
            first: Some(first),
            claims,
            translation,
            spec: spec.clone(),
            shortfalls: handed_out.shortfalls,
            listeners,
            patience: Duration::ZERO,
        })
    }
}

/// Returns the limits of the group, with one more process for the server of warm starts, and one
/// for the holder of the name spaces.
fn limits_of_group(spec: &SeatSpec, mode: Mode) -> SeatLimits {
    let more = [spec.warm.is_some(), mode.holds_name_spaces(spec.network)];
    let processes = spec.limits.processes + more.map(u32::from).iter().sum::<u32>();
    SeatLimits { processes, ..spec.limits.clone() }
}

fn bytes(path: &Path) -> Vec<u8> {
    path.as_os_str().as_bytes().to_vec()
}

pub(super) fn environment(spec: &SeatSpec, translation: &Translation) -> Strings {
    let entry = |(name, value): &(OsString, OsString)| {
        [name.as_bytes(), b"=", translation.text(value).as_bytes()].concat()
    };
    strings(spec.environment.iter().map(entry))
}

/// Descriptors and shortfalls that a ready launcher hands out.
struct HandedOut {
    shortfalls: Vec<Shortfall>,
    writable: OwnedFd,
    listeners: Vec<OwnedFd>,
}

fn receive_ready(link: &mut Link, first: &mut FirstProcess) -> Result<HandedOut, SandboxError> {
    let offered = receive_descriptors(link, first);
    let descriptors = match offered.map_err(|broken| first.no_answer(broken))? {
        Ok(descriptors) => descriptors,
        Err(Reply::Failed(failure)) => return Err(failure.into()),
        Err(_) => return Err(first.no_answer(LinkError::Malformed)),
    };
    let ready = link.receive().map_err(|broken| first.no_answer(broken))?;
    let Reply::Ready(ready) = ready else {
        return Err(first.no_answer(LinkError::Malformed));
    };
    let mut descriptors = descriptors.into_iter();
    let writable = descriptors.next().ok_or_else(|| first.no_answer(LinkError::Malformed))?;
    Ok(HandedOut { shortfalls: ready.shortfalls, writable, listeners: descriptors.collect() })
}

/// Returns the environment variables with the ports.
fn port_variables(host_sockets: &HostSockets) -> Strings {
    let variable = |listen: &crate::ListenPort| {
        [listen.variable.as_bytes(), b"=", listen.port.to_string().as_bytes()].concat()
    };
    strings(host_sockets.listen.iter().map(variable))
}

/// Takes over the listeners that the launcher opened in the seat's own network; in other networks
/// the launcher keeps them.
fn adopt_listeners(
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

/// Receives an offer and takes its descriptors; the inner `Err` is the reply that came instead.
pub(super) fn receive_descriptors(
    link: &mut Link,
    first: &FirstProcess,
) -> Result<Result<Vec<OwnedFd>, Reply>, LinkError> {
    let (numbers, along) = match receive_offer(link)? {
        Ok(offered) => offered,
        Err(other) => return Ok(Err(other)),
    };
    take_descriptors(link, first, numbers, along).map(Ok)
}

/// Takes the descriptors of an offer, which has their numbers or comes along with them.
pub(super) fn take_descriptors(
    link: &mut Link,
    first: &FirstProcess,
    numbers: Vec<u32>,
    along: Vec<OwnedFd>,
) -> Result<Vec<OwnedFd>, LinkError> {
    if numbers.is_empty() {
        return Ok(along);
    }
    let process = first.process.descriptor();
    let none = PidfdGetfdFlags::empty();
    let taken = numbers.iter().map(|number| pidfd_getfd(process, number.cast_signed(), none));
    if let Ok(taken) = taken.collect::<Result<Vec<_>, _>>() {
        link.send(&Request::Offer(OfferAnswer::Taken), &[])?;
        return Ok(taken);
    }
    link.send(&Request::Offer(OfferAnswer::Refused), &[])?;
    let again = receive_offer(link)?.map_err(|_| LinkError::Malformed)?;
    Ok(again.1)
}

/// Numbers that are offered, and descriptors that came along.
type DescriptorOffer = (Vec<u32>, Vec<OwnedFd>);

fn receive_offer(link: &mut Link) -> Result<Result<DescriptorOffer, Reply>, LinkError> {
    Ok(match link.receive_with_descriptors()? {
        (Reply::Offered(numbers), along) => Ok((numbers, along)),
        (other, _) => Err(other),
    })
}
