//! Routes of a fetch: hosts as the organiser's configuration names them, passwords to them, and the
//! organiser's own proxy.

use std::fmt;
use std::io::{self, Read, Write};
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// Addresses in a text: `scheme://user:password@host:port/path`. A password may have every
/// character that some program accepts there, also `@` and quotes.
static ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
    let scheme = "([a-z][a-z0-9+.-]*)";
    let host = r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)";
    let port = r#"(?::([^/\s"'<>,|?#]*))?"#;
    let path = r#"(/[^\s"'<>,|?#]*)?"#;
    let text = format!(r"(?i)\b{scheme}://(?:([^/\s<>]*)@)?{host}{port}{path}");
    Regex::new(&text).expect("a pattern")
});

/// Bytes of an answer of the organiser's proxy, before the tunnel.
const LONGEST_ANSWER: usize = 16 << 10;

/// A host and a port.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Authority {
    /// In lower case, without a dot at its end.
    host: String,
    pub(super) port: u16,
}

impl Authority {
    pub(super) fn new(host: &str, port: u16) -> Self {
        Self { host: host.trim_end_matches('.').to_ascii_lowercase(), port }
    }

    /// Returns the name or number by which the host is looked up.
    pub(super) fn name(&self) -> &str {
        self.host.trim_start_matches('[').trim_end_matches(']')
    }

    /// Returns the host as it stands in an address of plain HTTP.
    pub(super) fn of_http(&self) -> String {
        if self.port == 80 { self.host.clone() } else { self.to_string() }
    }

    /// Reads `host:port`.
    pub(super) fn of_connect(target: &str) -> Option<Self> {
        let (host, port) = target.rsplit_once(':')?;
        let is_plain = |one: char| one.is_ascii_alphanumeric() || "._-[]:".contains(one);
        let is_host = !host.is_empty() && host.chars().all(is_plain);
        Some(Self::new(host, port.parse().ok()?)).filter(|_| is_host)
    }

    /// Reads `http://host:port/path`; returns the path with it.
    pub(super) fn of_plain(target: &str) -> Option<(Self, &str)> {
        let found = ADDRESS
            .captures(target)
            .filter(|found| found.get(0).is_some_and(|all| all.start() == 0))?;
        let end = found.get(4).or_else(|| found.get(3))?.end();
        let path = &target[end..];
        let is_plain = found[1].eq_ignore_ascii_case("http") && found.get(2).is_none();
        let path = if path.is_empty() { "/" } else { path };
        let host = authority(&found)?;
        (is_plain && path.starts_with('/')).then_some((host, path))
    }
}

impl fmt::Display for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

/// The organiser's own proxy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Upstream {
    pub(super) address: Authority,
    /// The value of `Proxy-Authorization`.
    pub(super) password: Option<String>,
}

impl Upstream {
    fn of_variable(value: &str) -> Option<Self> {
        let value = with_scheme(value);
        let found = ADDRESS.captures(&value)?;
        let is_plain = found[1].eq_ignore_ascii_case("http");
        let password = found.get(2).map(|user| basic(user.as_str()));
        let address = authority(&found)?;
        is_plain.then_some(Self { address, password })
    }

    /// Asks for a tunnel to `host`, and reads the answer.
    pub(super) fn ask_for_tunnel(
        &self,
        stream: &mut (impl Read + Write),
        host: &Authority,
    ) -> io::Result<()> {
        let mut request = format!("CONNECT {host} HTTP/1.1\r\nHost: {host}\r\n");
        if let Some(password) = &self.password {
            request.push_str(&format!("Proxy-Authorization: {password}\r\n"));
        }
        stream.write_all((request + "\r\n").as_bytes())?;
        let mut answer = Vec::new();
        let mut byte = [0];
        // Byte by byte: the bytes behind the answer belong to the tunnel.
        while !answer.ends_with(b"\r\n\r\n") && answer.len() < LONGEST_ANSWER {
            stream.read_exact(&mut byte)?;
            answer.push(byte[0]);
        }
        let answer = String::from_utf8_lossy(&answer);
        let first = answer.lines().next().unwrap_or_default();
        match first.split(' ').nth(1) {
            Some("200") => Ok(()),
            _ => Err(io::Error::other(format!("the proxy answers `{}`", first.escape_debug()))),
        }
    }
}

/// Routes to hosts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Routes {
    http: Option<Upstream>,
    https: Option<Upstream>,
    /// Ends of names that are reached without the proxy; `*` for all.
    direct: Vec<String>,
    passwords: Vec<Password>,
}

/// Password for plain requests to a folder of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Password {
    host: Authority,
    /// Path with a `/` at its end.
    folder: String,
    /// Value of `Authorization`.
    value: String,
}

impl Routes {
    /// Reads the organiser's proxy from the usual variables.
    pub(super) fn of_variables(variable: impl Fn(&str) -> Option<String>) -> Self {
        let either = |name: &str| {
            let found = variable(&name.to_lowercase()).or_else(|| variable(name));
            found.filter(|value| !value.trim().is_empty())
        };
        let upstream =
            |name: &str| either(name).and_then(|value| Upstream::of_variable(value.trim()));
        let direct = either("NO_PROXY").unwrap_or_default();
        let direct = direct
            .split(',')
            .map(|one| one.trim().trim_start_matches("*.").trim_start_matches('.'));
        Self {
            http: upstream("HTTP_PROXY"),
            https: upstream("HTTPS_PROXY"),
            direct: direct.filter(|one| !one.is_empty()).map(str::to_ascii_lowercase).collect(),
            passwords: Vec::new(),
        }
    }

    /// Remembers a password for plain requests to the folder that contains `path`: the files of an
    /// index are in the same folder as the index.
    pub(super) fn add_password(&mut self, host: Authority, path: &str, user: &str) {
        let parent = path.trim_end_matches('/').rsplit_once('/').map_or("", |(parent, _)| parent);
        self.passwords.push(Password { host, folder: format!("{parent}/"), value: basic(user) });
    }

    /// Returns the password for a plain request, the one of the innermost folder.
    pub(super) fn password(&self, host: &Authority, path: &str) -> Option<&str> {
        let is_of = |one: &&Password| one.host == *host && is_beneath(path, &one.folder);
        let found = self.passwords.iter().filter(is_of).max_by_key(|one| one.folder.len())?;
        Some(&found.value)
    }

    /// Returns the proxy through which a tunnel to `host` leads.
    pub(super) fn tunnel(&self, host: &Authority) -> Option<&Upstream> {
        self.https.as_ref().filter(|_| !self.is_direct(host))
    }

    /// Returns the proxy that is sent plain requests to `host`.
    pub(super) fn plain(&self, host: &Authority) -> Option<&Upstream> {
        self.http.as_ref().filter(|_| !self.is_direct(host))
    }

    /// Returns the host and port of the organiser's own proxy.
    pub(super) fn upstream(&self) -> Option<(String, u16)> {
        let found = self.https.as_ref().or(self.http.as_ref())?;
        Some((found.address.name().to_owned(), found.address.port))
    }

    fn is_direct(&self, host: &Authority) -> bool {
        let whole = host.to_string();
        self.direct.iter().any(|end| {
            let is_end = |name: &str| {
                name.strip_suffix(end.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
            };
            end == "*" || is_end(host.name()) || is_end(&whole)
        })
    }
}

/// Returns whether `path` is beneath `folder` on every server: it is plain, also once decoded.
/// Servers differ in what they read as `..`: `%252e%252e`, `..;x`, `..%00`, dots of full width.
fn is_beneath(path: &str, folder: &str) -> bool {
    let path = path.split('?').next().unwrap_or_default();
    let decoded: Vec<u8> = percent_encoding::percent_decode_str(path).collect();
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/-._~@+!".contains(byte);
    let climbs = |name: &[u8]| !name.is_empty() && name.iter().all(|byte| *byte == b'.');
    path.starts_with(folder)
        && decoded.iter().all(is_plain)
        && !decoded.split(|byte| *byte == b'/').any(climbs)
}

/// An address in the organiser's configuration.
pub(super) struct NamedHost {
    pub(super) host: Authority,
    pub(super) path: String,
    /// `user:password`, as it stands.
    pub(super) user: Option<String>,
    pub(super) protocol: Protocol,
}

/// Protocol of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protocol {
    Http,
    Https,
    Other,
}

impl Protocol {
    /// Reads a scheme; Cargo's is `sparse+https`.
    fn of_scheme(scheme: &str) -> Self {
        let scheme = scheme.to_ascii_lowercase();
        match scheme.rsplit('+').next() {
            Some("http") => Self::Http,
            Some("https") => Self::Https,
            _ => Self::Other,
        }
    }
}

/// Finds the addresses in a text of the organiser's; `None` where one cannot be read.
pub(super) fn named_hosts(text: &str) -> Option<Vec<NamedHost>> {
    let named = |found: Captures<'_>| {
        Some(NamedHost {
            host: authority(&found)?,
            path: found.get(5).map(|path| path.as_str().to_owned()).unwrap_or_default(),
            user: found.get(2).map(|user| user.as_str().to_owned()).filter(|user| !user.is_empty()),
            protocol: Protocol::of_scheme(&found[1]),
        })
    };
    ADDRESS.captures_iter(text).map(named).collect()
}

/// Leaves users and passwords out of the addresses in a text.
pub(super) fn without_passwords(text: &str) -> String {
    let bare = |found: &Captures<'_>| {
        let port = found.get(4).map(|port| format!(":{}", port.as_str())).unwrap_or_default();
        let path = found.get(5).map_or("", |path| path.as_str());
        format!("{}://{}{port}{path}", &found[1], &found[3])
    };
    ADDRESS.replace_all(text, bare).into_owned()
}

/// Returns the address of a proxy with a scheme, which a variable may lack.
pub(super) fn with_scheme(value: &str) -> String {
    if value.contains("://") { value.to_owned() } else { format!("http://{value}") }
}

/// Returns the host and port of an address; `None` for a port that is no number.
fn authority(found: &Captures<'_>) -> Option<Authority> {
    let usual = if Protocol::of_scheme(&found[1]) == Protocol::Https { 443 } else { 80 };
    let port = match found.get(4).map_or("", |port| port.as_str()) {
        "" => usual,
        port => port.parse().ok()?,
    };
    Some(Authority::new(&found[3], port))
}

/// Returns the value of a header that names a user, given as in an address.
fn basic(user: &str) -> String {
    let user: Vec<u8> = percent_encoding::percent_decode_str(user).collect();
    format!("Basic {}", data_encoding::BASE64.encode(&user))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connect(target: &str) -> Option<String> {
        Authority::of_connect(target).map(|host| host.to_string())
    }

    #[test]
    fn hosts_are_compared_as_names_are() {
        assert_eq!(connect("Registry.Example.:443"), connect("registry.example:443"));
        assert_eq!(connect("[::1]:80").unwrap(), "[::1]:80");
        for wrong in ["host", ":80", "a b:80", "host:70000", "http://host:80", "user@host:80"] {
            assert_eq!(connect(wrong), None, "{wrong}");
        }
        let (host, path) = Authority::of_plain("http://A.example/x?y").unwrap();
        assert_eq!((host.to_string().as_str(), path), ("a.example:80", "/x?y"));
        for wrong in [
            "https://a.example/",
            "/x",
            "http://u:p@a.example/",
            "http://a.example@b/",
            "http://a.example:65616/",
            "http://a.example:80x/",
            "http://a.example?x",
        ] {
            assert_eq!(Authority::of_plain(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn addresses_of_a_configuration_are_found_and_lose_their_passwords() {
        let text =
            "index-url = https://ada:s%40cret@pypi.corp:8443/simple\nextra = http://10.0.0.1/x";
        let found = named_hosts(text).unwrap();
        let hosts: Vec<String> = found.iter().map(|one| one.host.to_string()).collect();
        assert_eq!(hosts, ["pypi.corp:8443", "10.0.0.1:80"]);
        assert_eq!(found[0].user.as_deref(), Some("ada:s%40cret"));
        assert_eq!(
            found.iter().map(|one| one.protocol).collect::<Vec<_>>(),
            [Protocol::Https, Protocol::Http]
        );
        let bare = "index-url = https://pypi.corp:8443/simple\nextra = http://10.0.0.1/x";
        assert_eq!(without_passwords(text), bare);
    }

    #[test]
    fn a_password_of_any_characters_stays_out() {
        for (text, bare) in [
            ("https://ada:p@ss@pypi.corp/x", "https://pypi.corp/x"),
            ("https://ada:p'w\"@pypi.corp", "https://pypi.corp"),
            ("https://ada:p?s#w@pypi.corp:1/x", "https://pypi.corp:1/x"),
            ("socks5h://ada:s3cr3t@proxy.corp:1080", "socks5h://proxy.corp:1080"),
            (
                "index = \"sparse+http://ada:s@crates.corp/\"",
                "index = \"sparse+http://crates.corp/\"",
            ),
        ] {
            assert_eq!(without_passwords(text), bare);
            let named = named_hosts(text).unwrap();
            assert!(named.len() == 1 && named[0].user.is_some(), "{text}");
        }
        for text in ["https://ada:pa/ss@pypi.corp/x", "http://pypi.corp:70000/"] {
            assert!(named_hosts(text).is_none(), "{text}");
        }
    }

    #[test]
    fn a_password_is_for_the_folder_of_its_index() {
        let host = Authority::new("pypi.corp", 80);
        let mut routes = Routes::default();
        routes.add_password(host.clone(), "/private/simple/", "ada:secret");
        let has = |path: &str| routes.password(&host, path).is_some();
        assert!(has("/private/simple/x/") && has("/private/files/@a%2fb-1.0%2Bcpu.whl?x=/../y"));
        for path in [
            "/",
            "/private",
            "/admin",
            "/privately/x",
            "/private/../admin",
            "/private/%2e%2E/admin",
            "/private/x%2f..%2f../admin",
            "/private/%252e%252e/admin",
            "/private/..;x/admin",
            "/private/..\\admin",
            "/private/..%20/admin",
            "/private/..%00/admin",
            "/private/%c0%ae%c0%ae/admin",
            "/private/\u{ff0e}\u{ff0e}/admin",
            "/private/%ef%bc%8e%ef%bc%8e/admin",
            "/private/x#/../../admin",
            "/private/%u002e%u002e/admin",
            "//private/x",
        ] {
            assert!(!has(path), "{path}");
        }
        assert!(routes.password(&Authority::new("pypi.corp", 81), "/private/simple/").is_none());
        routes.add_password(host.clone(), "", "bob:all");
        assert_ne!(routes.password(&host, "/admin"), routes.password(&host, "/private/simple/"));
    }

    #[test]
    fn the_organiser_s_proxy_is_asked_but_for_what_is_direct() {
        let variables = |name: &str| match name {
            "HTTPS_PROXY" => Some("http://ada:secret@proxy.corp:3128".to_owned()),
            "no_proxy" => Some("corp, .near.example,10.0.0.1:80".to_owned()),
            _ => None,
        };
        let routes = Routes::of_variables(variables);
        let leads = |host: &str| routes.tunnel(&Authority::of_connect(host).unwrap()).is_some();
        let upstream = routes.tunnel(&Authority::new("far.example", 443)).unwrap();
        assert_eq!(upstream.address.to_string(), "proxy.corp:3128");
        assert_eq!(upstream.password.as_deref(), Some("Basic YWRhOnNlY3JldA=="));
        assert!(leads("xcorp:443") && leads("10.0.0.1:443"));
        assert!(!leads("pypi.corp:443") && !leads("near.example:443") && !leads("10.0.0.1:80"));
        assert!(routes.plain(&Authority::new("far.example", 80)).is_none());
    }
}
