//! Organiser's configuration that a build with a way out sees: addresses of registries and
//! proxies, and certificates. Passwords are left out, because a build may print all it can read.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use joust_config::read_plain;
use regex::{Regex, bytes};

use super::route::{Authority, Protocol, Routes, named_hosts, with_scheme, without_passwords};
use super::{Overlays, PORT, SEAT_ADDRESS};
use joust_toolchain::{
    Machine, NotBuilt,
    language::{Libraries, Settings},
};

/// Largest size of a file of settings or certificates, bytes.
const LARGEST: u64 = 4 << 20;
/// Private keys in a file of certificates.
static KEYS: LazyLock<bytes::Regex> = LazyLock::new(|| {
    let text =
        r"(?s-u)-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)";
    bytes::Regex::new(text).expect("a pattern")
});
/// Path of the certificates in a build, thrown away with the rest.
const CERTIFICATES: &str = "/bot/.build/certificates";
/// Variables by which programs find a proxy.
const PROXIES: [&str; 4] = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"];
/// Variables that name the hosts that are reached without one.
const DIRECT: [&str; 2] = ["NO_PROXY", "no_proxy"];

/// The organiser's configuration of a package manager.
#[derive(Debug)]
pub(crate) struct OrganiserConfig {
    /// Parts that the build sees.
    pub(crate) overlays: Overlays,
    /// Routes to hosts.
    pub(crate) routes: Routes,
    /// Hosts that it names.
    pub(crate) hosts: BTreeSet<Authority>,
}

/// The way out that a build has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NetworkAccess {
    /// Joust's own proxy.
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
        let hosts = named_hosts(text).ok_or_else(|| {
            NotBuilt::Infrastructure(format!(
                "`{of}` names an address whose port is no number: in a password `/` is `%2F`"
            ))
        })?;
        for named in hosts {
            if let Some(user) = named.user.filter(|_| way == NetworkAccess::Proxy) {
                if named.protocol != Protocol::Http {
                    return Err(NotBuilt::Infrastructure(format!(
                        "`{of}` names a password for `{}`: what is fetched could read it, and over \
                         https nobody else can add it; name an index that asks for none, or one \
                         over plain http",
                        named.host
                    )));
                }
                self.routes.add_password(named.host.clone(), &named.path, &user);
            }
            if named.protocol != Protocol::Other {
                self.hosts.insert(named.host);
            }
        }
        Ok(without_passwords(text))
    }

    /// Passes a file of certificates and a variable that names it.
    fn pass_certificate(&mut self, name: &str) -> Result<(), NotBuilt> {
        let Some(path) = variable(name) else { return Ok(()) };
        let bytes = read_plain(path.as_ref(), LARGEST).map_err(|error| {
            NotBuilt::Infrastructure(format!("`{name}` names `{path}`: {error}"))
        })?;
        let bytes = KEYS.replace_all(&bytes, b"").into_owned();
        let file = format!("{name}.pem");
        self.overlays.variables.insert(name.to_owned(), format!("{CERTIFICATES}/{file}"));
        self.overlays.files.insert(format!("certificates/{file}"), bytes);
        Ok(())
    }

    /// Passes the parts of a file of settings that name the places to fetch from.
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

    /// Returns the address of a proxy for a build, if there is one.
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
                for name in PROXIES {
                    let value = variable(name).map(|value| with_scheme(&value));
                    // An address that cannot be read may hide a password.
                    if let Some(value) = value.filter(|value| named_hosts(value).is_some()) {
                        variables.insert(name.to_owned(), without_passwords(&value));
                    }
                }
                let direct = DIRECT.into_iter().filter_map(|name| Some((name, variable(name)?)));
                variables.extend(direct.map(|(name, value)| (name.to_owned(), value)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use joust_toolchain::Languages;

    use super::*;

    /// Returns the part of a file of settings that a build sees.
    fn kept(language: &str, text: &str) -> String {
        let languages = Languages::shipped();
        let libraries = languages.get(language).unwrap().libraries.as_ref().unwrap();
        let settings = libraries.settings.values().next().unwrap();
        let keep = Regex::new(&settings.keep).unwrap();
        keep.find_iter(text).map(|part| part.as_str()).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn tokens_of_cargo_stay_out_in_every_form() {
        let places = "[source.crates-io]\nreplace-with = \"own\"\n[source.'own']\n\
            registry = 'sparse+https://crates.corp/'\n[registries]\n\
            registries.a.index = \"https://a.corp\"\n\
            registries.b = { index = \"https://b.corp\", protocol = 'sparse' }";
        assert_eq!(kept("rust", places), places);
        for token in [
            "registries.a.token = \"s3cr3t\"",
            "registries.\"a\".'token' = \"s3cr3t\"",
            "registries.a = { index = \"https://a.corp\", token = \"s3cr3t\" }",
            "registries.a = { token = \"s3cr3t\" }",
            "registry.token = \"s3cr3t\"",
            "[registry]\ntoken = \"s3cr3t\"",
            "[registries.a] # s3cr3t",
            "index = \"https://a.corp\" # s3cr3t",
            "registries.a.index.token = \"s3cr3t\"",
        ] {
            assert!(!kept("rust", token).contains("s3cr3t"), "{token}");
        }
    }

    #[test]
    fn private_keys_beside_certificates_stay_out() {
        let kept = |text: &[u8]| String::from_utf8_lossy(&KEYS.replace_all(text, b"")).into_owned();
        let certificate = "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n";
        for kind in ["", "RSA ", "ENCRYPTED "] {
            let key =
                format!("-----BEGIN {kind}PRIVATE KEY-----\ns3\n-----END {kind}PRIVATE KEY-----");
            let text = format!("{certificate}{key}{certificate}");
            assert_eq!(kept(text.as_bytes()), format!("{certificate}{certificate}"));
        }
        assert_eq!(kept(b"\xff-----BEGIN PRIVATE KEY-----\ns3\n"), "\u{fffd}");
    }
}
