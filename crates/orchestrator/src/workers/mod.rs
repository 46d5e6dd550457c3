//! Workers: machines that play bouts of a tournament on another one.

mod invite;
mod roll;

pub use invite::{Invited, NotInvited, invite};
pub use roll::RollCall;

pub use joust_cluster::transport::TransportError;
pub use joust_cluster::transport::nats::Address;
