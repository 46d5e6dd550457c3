//! Descriptor passing, the caller's side: takes over what a launcher offers.

use std::os::fd::OwnedFd;

use crate::link::{Link, LinkError};
use crate::machine::FirstProcess;
use crate::sys;
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
    if numbers.is_empty() {
        return Ok(Ok(along));
    }
    let process = first.process.descriptor();
    let taken = numbers.iter().map(|number| sys::take_from(process, *number));
    if let Ok(taken) = taken.collect::<Result<Vec<_>, _>>() {
        link.send(&Request::Offer(OfferAnswer::Taken), &[])?;
        return Ok(Ok(taken));
    }
    link.send(&Request::Offer(OfferAnswer::Refused), &[])?;
    Ok(receive(link)?.map(|(_, along)| along))
}

/// Numbers that are offered, and descriptors that came along.
type DescriptorOffer = (Vec<u32>, Vec<OwnedFd>);

fn receive(link: &mut Link) -> Result<Result<DescriptorOffer, Reply>, LinkError> {
    Ok(match link.receive_with_descriptors()? {
        (Reply::Offered(numbers), along) => Ok((numbers, along)),
        (other, _) => Err(other),
    })
}
