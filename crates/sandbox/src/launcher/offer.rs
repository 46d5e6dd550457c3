//! Descriptor passing: what a launcher hands to its caller.
//!
//! A descriptor sent along with a message is "in flight", and the kernel limits those per user of
//! the host. If programs run as the launcher's own user, any of them could use up that limit, and
//! no launcher of that user would get a message through. There the launcher only sends the
//! numbers, and the caller, which may trace it, copies the descriptors.

use std::os::fd::{AsRawFd, BorrowedFd};

use crate::link::{Link, LinkError};
use crate::wire::{Mode, OfferAnswer, Reply, Request};

/// Hands descriptors out; when this returns, the launcher's own can be closed.
pub(super) fn hand_out(
    link: &mut Link,
    mode: Mode,
    descriptors: &[BorrowedFd<'_>],
) -> Result<(), LinkError> {
    let along = Reply::Offered(Vec::new());
    if !shares_user(mode) || descriptors.is_empty() {
        return link.send(&along, descriptors);
    }
    let numbers = descriptors.iter().map(|descriptor| descriptor.as_raw_fd().unsigned_abs());
    link.send(&Reply::Offered(numbers.collect()), &[])?;
    match link.receive()? {
        Request::Offer(OfferAnswer::Taken) => Ok(()),
        Request::Offer(OfferAnswer::Refused) => link.send(&along, descriptors),
        _ => Err(LinkError::Malformed),
    }
}

/// Returns whether programs run as the launcher's own user of the host.
fn shares_user(mode: Mode) -> bool {
    matches!(mode, Mode::UserNameSpace | Mode::Plain)
}
