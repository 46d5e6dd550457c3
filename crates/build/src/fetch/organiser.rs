//! Organiser's configuration, as far as a build with a way out is given it: where registries and proxies
//! are, and certificates. Passwords are not: a build may print whatever it can read.

use std::collections::BTreeSet;

use joust_config::read_plain;
use regex::Regex;

use super::route::{Authority, Routes, named_hosts, without_passwords};
use super::{Overlays, PORT, SEAT_ADDRESS};
use joust_toolchain::{
    Machine, NotBuilt,
    language::{Libraries, Settings},
};

/// Bytes of a file of settings or certificates.
const LARGEST: u64 = 4 << 20;
/// Path of the certificates in a build, thrown away with the rest.
const CERTIFICATES: &str = "/bot/.build/certificates";
/// Variables by which programs find a proxy.
const PROXIES: [&str; 4] = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"];
/// Variables that name what is reached without one.
const DIRECT: [&str; 2] = ["NO_PROXY", "no_proxy"];

/// The organiser's configuration of a package manager.
#[derive(Debug)]
pub(crate) struct OrganiserConfig {
    /// Parts that the build is given.
    pub(crate) overlays: Overlays,
    /// Routes to hosts.
    pub(crate) routes: Routes,
    /// Hosts that it names.
    pub(crate) hosts: BTreeSet<Authority>,
}

/// The way out that a build has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NetworkAccess {
    /// Our own proxy.
    Proxy,
    /// The machine's network.
    Network,
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

impl OrganiserConfig {
    /// Reads it from the environment and from the files that the languages table names.
    ///
    /// # Errors
    ///
    /// [`NotBuilt::Infrastructure`] when a file cannot be read, or an index needs a password that
    /// cannot be kept from the build.
    pub(crate) fn read(
        libraries: Option<&Libraries>,
        machine: &Machine,
        way: NetworkAccess,
    ) -> Result<Self, NotBuilt> {
        let mut config = Self {
            overlays: Overlays::default(),
            routes: Routes::of_variables(variable),
            hosts: BTreeSet::new(),
        };
        if let Some(libraries) = libraries {
            for (name, value) in
                libraries.pass.iter().filter_map(|name| Some((name, variable(name)?)))
            {
                let value = config.pass_text(&value, name, way)?;
                config.overlays.variables.insert(name.clone(), value);
            }
            for name in &libraries.certificates {
                config.pass_certificate(name)?;
            }
            for (path, settings) in &libraries.settings {
                config.pass_settings(path, settings, machine, way)?;
            }
        }
        config.pass_proxy(way);
        Ok(config)
    }

    /// Notes the hosts that a text names, and returns it without passwords.
    fn pass_text(&mut self, text: &str, of: &str, way: NetworkAccess) -> Result<String, NotBuilt> {
        for named in named_hosts(text) {
            if let Some(user) = named.user.filter(|_| way == NetworkAccess::Proxy) {
                if named.is_encrypted {
                    return Err(NotBuilt::Infrastructure(format!(
                        "`{of}` names a password for `{}`: what is fetched could read it, and over \
                         https nobody else can add it; name an index that asks for none, or one \
                         over plain http",
                        named.host
                    )));
                }
                self.routes.add_password(named.host.clone(), &user);
            }
            self.hosts.insert(named.host);
        }
        Ok(without_passwords(text))
    }

    /// Passes a file of certificates and a variable that names it.
    fn pass_certificate(&mut self, name: &str) -> Result<(), NotBuilt> {
        let Some(path) = variable(name) else { return Ok(()) };
        let bytes = read_plain(path.as_ref(), LARGEST).map_err(|error| {
            NotBuilt::Infrastructure(format!("`{name}` names `{path}`: {error}"))
        })?;
        let file = format!("{name}.pem");
        self.overlays.variables.insert(name.to_owned(), format!("{CERTIFICATES}/{file}"));
        self.overlays.files.insert(format!("certificates/{file}"), bytes);
        Ok(())
    }

    /// Passes those parts of a file of settings that say where to fetch from.
    fn pass_settings(
        &mut self,
        path: &str,
        settings: &Settings,
        machine: &Machine,
        way: NetworkAccess,
    ) -> Result<(), NotBuilt> {
        let mut kept = String::new();
        if let Some(file) = machine.file(&settings.places) {
            let shown = file.display().to_string();
            let bytes = read_plain(&file, LARGEST)
                .map_err(|error| NotBuilt::Infrastructure(format!("`{shown}`: {error}")))?;
            let text = String::from_utf8_lossy(&bytes);
            let keep = Regex::new(&settings.keep)
                .map_err(|error| NotBuilt::Refused(format!("the languages table: {error}")))?;
            let parts = keep.find_iter(&text).map(|part| part.as_str());
            kept = parts.collect::<Vec<_>>().join("\n");
            kept = self.pass_text(&kept, &shown, way)?;
        }
        let proxy = self.proxy_address(way).map(|(host, port)| {
            settings.proxy.replace("{host}", &host).replace("{port}", &port.to_string())
        });
        let text = settings.text.replace("{kept}", &kept);
        let text = text.replace("{proxy}", &proxy.unwrap_or_default());
        self.overlays.files.insert(path.to_owned(), text.into_bytes());
        Ok(())
    }

    /// Returns where a build finds a proxy, if there is one.
    fn proxy_address(&self, way: NetworkAccess) -> Option<(String, u16)> {
        match way {
            NetworkAccess::Proxy => Some((SEAT_ADDRESS.to_owned(), PORT)),
            NetworkAccess::Network => self.routes.upstream(),
        }
    }

    fn pass_proxy(&mut self, way: NetworkAccess) {
        let variables = &mut self.overlays.variables;
        match way {
            NetworkAccess::Proxy => {
                let address = format!("http://{SEAT_ADDRESS}:{PORT}");
                variables.extend(PROXIES.map(|name| (name.to_owned(), address.clone())));
            }
            NetworkAccess::Network => {
                let all = PROXIES.into_iter().chain(DIRECT);
                let set = all.filter_map(|name| Some((name, variable(name)?)));
                variables
                    .extend(set.map(|(name, value)| (name.to_owned(), without_passwords(&value))));
            }
        }
    }
}
