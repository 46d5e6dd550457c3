//! Descriptor passing, the caller's side: takes over what a launcher offers.

use std::os::fd::OwnedFd;

use rustix::process::{PidfdGetfdFlags, pidfd_getfd};

use crate::link::{Link, LinkError};
use crate::machine::FirstProcess;
use crate::wire::{OfferAnswer, Reply, Request};

/// Receives an offer and takes its descriptors; the inner `Err` is the reply that came instead.
pub(super) fn receive_descriptors(
    link: &mut Link,
    first: &FirstProcess,
) -> Result<Result<Vec<OwnedFd>, Reply>, LinkError> {
    let (numbers, along) = match receive(link)? {
        Ok(offered) => offered,
        Err(other) => return Ok(Err(other)),
    };
    take(link, first, numbers, along).map(Ok)
}

/// Takes the descriptors of an offer, which has their numbers or comes along with them.
pub(super) fn take(
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
    let again = receive(link)?.map_err(|_| LinkError::Malformed)?;
    Ok(again.1)
}

/// Numbers that are offered, and descriptors that came along.
type DescriptorOffer = (Vec<u32>, Vec<OwnedFd>);

fn receive(link: &mut Link) -> Result<Result<DescriptorOffer, Reply>, LinkError> {
    Ok(match link.receive_with_descriptors()? {
        (Reply::Offered(numbers), along) => Ok((numbers, along)),
        (other, _) => Err(other),
    })
}
