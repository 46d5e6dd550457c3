//! The arguments of live pages, for `joust run`, `joust try` and `joust report`.

use std::net::SocketAddr;
use std::time::Duration;

use clap::Args;
use joust_live::Base;

use super::parse_duration;

#[derive(Clone, Debug, Default, Args)]
pub(crate) struct LiveArgs {
    /// Serve live pages here, such as 127.0.0.1:8080; a bare port listens on
    /// localhost, 0 picks a free port
    #[arg(long, value_name = "ADDR:PORT", value_parser = super::common::parse_address)]
    pub(crate) live: Option<SocketAddr>,
    /// Hold results and news back from live pages for this long, such as 10m
    #[arg(long, value_name = "TIME", value_parser = parse_duration, requires = "live")]
    pub(crate) live_delay: Option<Duration>,
    /// The path at which a reverse proxy shows live pages, such as /joust
    #[arg(long, value_name = "PATH", requires = "live")]
    pub(crate) live_base: Option<Base>,
}
