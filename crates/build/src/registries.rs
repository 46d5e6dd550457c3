//! Registries of a package manager: the hosts that it contacts when it has only the organiser's
//! configuration, and its messages when it cannot reach one, or does not trust its certificate.
//!
//! A bot may print the same in its build. So such a message counts there only if a package manager
//! fails, too, without any file of a bot.

use std::sync::{Arc, LazyLock};
use std::time::Instant;

use joust_bots::SourceTree;
use joust_toolchain::language::Libraries;
use joust_toolchain::{BuildNetwork, NotBuilt, TableBuild};
use regex::Regex;

use crate::build_log::BuildLog;
use crate::build_seat::BuildSeat;
use crate::context::{BuildContext, BuildJob, stage};
use crate::fetch::{Admission, NetworkAccess, OrganiserConfig, Proxy, Registries};

/// Returns the registries of a language's package manager. They are found out once, in a seat
/// without any untrusted files.
pub(crate) fn find(
    context: BuildContext<'_>,
    id: &str,
    libraries: &Libraries,
) -> Result<Arc<Registries>, NotBuilt> {
    let BuildContext { toolchains, store, limits, .. } = context;
    if let Some(known) = store.session.registries.lock().get(id).cloned() {
        return Ok(known);
    }
    let config = OrganiserConfig::read(Some(libraries), &toolchains.machine, NetworkAccess::Proxy)?;
    let proxy = Proxy::new(Admission::Learning, config.routes);
    let files = libraries.files.clone().into_iter().chain(libraries.probe_files.clone());
    let table = TableBuild {
        language: id,
        of: &libraries.of,
        what: "registries",
        network: BuildNetwork::Registries,
        folder: "",
        environment: &libraries.environment,
        build: &libraries.probe,
        files: files.collect(),
    };
    let recipe = table.recipe(toolchains)?;
    let mut job = BuildJob { overlays: config.overlays, ..BuildJob::new(recipe) };
    job.overlays.proxy = Some(Arc::clone(&proxy));
    let work = store.work().map_err(NotBuilt::infrastructure("make a folder to fetch in"))?;
    let staged = stage(&SourceTree::empty(), &job.recipe, work.path())?;
    let mut log = BuildLog::new(limits.output.0.0);
    let mut seat = BuildSeat::open(context, &job, &staged, Instant::now() + limits.time.0)?;
    for command in &job.recipe.inputs.build {
        match seat.run(command, &mut log) {
            // Even a failed run contacted hosts.
            Ok(()) | Err(NotBuilt::Failed { .. } | NotBuilt::Timeout { .. }) => {}
            Err(other) => return Err(other),
        }
    }
    drop(seat);
    let seen = proxy.activity();
    let told = || unreachable(&log.text).map(str::to_owned);
    let trouble = seen.unreachable.or_else(told);
    let found = Arc::new(Registries { hosts: seen.asked, trouble });
    store.session.registries.lock().insert(id.to_owned(), Arc::clone(&found));
    Ok(found)
}

/// Number of characters of a package manager's line that a message shows.
const MOST_TOLD: usize = 400;
/// Messages about a missing network or registry.
static UNREACHABLE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)connection (refused|reset|timed out|aborted)|(network|host) is unreachable|no route to host|name resolution|could ?n.?o?t resolve|no such host|unknown ?host|failed to establish a new connection|(read|connect|i/o|operation) timed? ?out|name or service not known|HTTP error 50[0234]|50[234] (bad gateway|service unavailable|gateway time)|code (ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH)\b|CERTIFICATE_VERIFY_FAILED|certificate (verify|verification) failed|(self.signed|unable to get local issuer|unable to verify the first) certificate|SELF_SIGNED_CERT|SSL certificate problem|x509: |PKIX path|RemoteCertificate",
    )
});

/// Messages about a file with another content than the list names: then the network worked.
static ANOTHER: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"(?i)do not match the hashes|EINTEGRITY|checksum|SECURITY ERROR|has another content")
});

fn regex(text: &str) -> Regex {
    Regex::new(text).expect("the patterns of this file are tested")
}

/// Returns the line in which a package manager reports that it could not reach a registry.
pub(crate) fn unreachable(log: &str) -> Option<&str> {
    if ANOTHER.is_match(log) {
        return None;
    }
    let mut lines = log.lines().map(|line| line.trim().trim_start_matches("| "));
    lines.find(|line| UNREACHABLE.is_match(line))
}

/// Makes an error that blames the network, with the message `told`.
pub(crate) fn fault(told: &str) -> NotBuilt {
    let told: String = told.chars().take(MOST_TOLD).collect();
    NotBuilt::Infrastructure(format!("the network or the registry is at fault, no bot: {told}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_s_words_for_a_network_that_is_down_are_known() {
        for line in [
            "WARNING: Retrying (Retry(total=4)) after connection broken by 'NewConnectionError('<pip>: Failed to establish a new connection: [Errno 111] Connection refused')': /simple/numpy/",
            "WARNING: Retrying (Retry(total=4)) after connection broken by 'NewConnectionError('<pip>: [Errno -3] Temporary failure in name resolution')': /simple/numpy/",
            "npm error code ENOTFOUND",
            "npm error code EAI_AGAIN",
            "warning: spurious network error (3 tries remaining): [6] Could not resolve hostname (Could not resolve host: registry.example)",
            "[6] Couldn't resolve host name (Could not resolve host: registry.example)",
            "go: a.b/c@v1.0.0: Get \"https://proxy.example/a.b/c\": dial tcp: lookup proxy.example: no such host",
            "go: a.b/c@v1.0.0: Get \"https://p/a\": dial tcp 127.0.0.1:9: connect: connection refused",
            "[ERROR] Could not transfer artifact a:b:pom:1 from/to central (https://repo): repository.example: Temporary failure in name resolution",
            "[ERROR] Unknown host repository.example",
            "Could not fetch URL https://r.example/: [SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate",
            "npm error code SELF_SIGNED_CERT_IN_CHAIN",
            "[60] SSL peer certificate or SSH remote key was not OK (SSL certificate problem: unable to get local issuer certificate)",
            "tls: failed to verify certificate: x509: certificate signed by unknown authority",
            "[ERROR] PKIX path building failed: unable to find valid certification path to requested target",
            "error: NuGet: https://packages.example/v3/index.json cannot be fetched: <urlopen error [Errno -3] Temporary failure in name resolution>",
            "error: NuGet: http://127.0.0.1:9/ cannot be fetched: HTTP Error 503: Service Unavailable",
        ] {
            assert_eq!(unreachable(&format!("reading\n  | {line}\n")), Some(line));
        }
    }

    #[test]
    fn missing_or_other_files_are_not_the_network_s_fault() {
        for log in [
            "ERROR: No matching distribution found for numpy==99",
            "npm error code E404\nnpm error 404 Not Found - GET https://registry.example/econnrefused",
            "WARNING: connection reset\nERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.",
            "error: NuGet: http://127.0.0.1:9/x cannot be fetched: HTTP Error 404: Not Found",
            "error: NuGet: `x` 1.0 has another content than the hash in the list says",
        ] {
            assert_eq!(unreachable(log), None, "{log}");
        }
    }
}
