//! Live pages of `joust run` and `joust report`.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use joust_live::{Caps, Live, LiveError, RunSource, Settings};
use joust_report::site::SiteOptions;

use crate::args::LiveArgs;
use crate::error::Failure;
use crate::output::Screen;

/// The most of a core that pages take beside a run, per hundred.
const BESIDE_A_RUN: u32 = 25;

/// The same, where this process plays nothing.
const ALONE: u32 = 60;

/// Contents of live pages.
pub(super) struct LiveContents {
    pub(super) database: PathBuf,
    pub(super) name: String,
    pub(super) site: SiteOptions,
}

/// Starts to serve live pages and prints their address; `None` when they are not wanted.
pub(super) fn start(
    args: &LiveArgs,
    shown: LiveContents,
    source: RunSource,
    screen: Screen,
) -> Result<Option<Live>, Failure> {
    let Some(address) = args.live else { return Ok(None) };
    let LiveContents { database, name, site } = shown;
    let base = args.live_base.clone().unwrap_or_default();
    let settings = Settings {
        address,
        base: base.clone(),
        database,
        name,
        site,
        delay: args.live_delay.unwrap_or_default(),
        share: if source == RunSource::ThisProcess { BESIDE_A_RUN } else { ALONE },
        caps: Caps::default(),
    };
    let live = Live::start(settings, source).map_err(|error| failure(&error))?;
    print_address(live.address(), base.as_str(), screen);
    Ok(Some(live))
}

fn print_address(address: SocketAddr, base: &str, screen: Screen) {
    screen.error(&format!("live pages: http://{address}{base}/\n"));
    if !address.ip().is_loopback() {
        screen.error(&format!(
            "warning: {address} can be reached by other machines: anyone who reaches it reads what \
             `report.public` allows, without a password and not encrypted; a proxy in front of \
             127.0.0.1 can change that\n"
        ));
    }
}

fn failure(error: &LiveError) -> Failure {
    let failure = Failure::machine(error);
    match error {
        LiveError::Listen { address, source } if source.kind() == ErrorKind::AddrNotAvailable => {
            let own = SocketAddr::new(Ipv4Addr::LOCALHOST.into(), address.port());
            failure.hint(format!(
                "this machine has no such address; `--live {own}` is for itself alone"
            ))
        }
        LiveError::Listen { address, .. } => {
            let free = SocketAddr::new(address.ip(), 0);
            failure.hint(format!("`--live {free}` takes any free port"))
        }
        _ => failure,
    }
}
