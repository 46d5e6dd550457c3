//! What this machine is called in results.

use std::fs;

use joust_model::digest_text;

/// Returns a name that is the same on every run and tells results of two
/// machines apart without telling the machine's own name: processor count and
/// eight digits of a hash of machine id, host name and processor model.
#[must_use]
pub(super) fn name() -> String {
    let read = |path| fs::read_to_string(path).unwrap_or_default();
    let processor = read("/proc/cpuinfo");
    let model = processor.lines().find(|line| line.starts_with("model name")).unwrap_or_default();
    let (id, host) = (read("/etc/machine-id"), read("/proc/sys/kernel/hostname"));
    let fields = [id.as_bytes(), host.as_bytes(), model.as_bytes()];
    let hash = digest_text("joust-machine-1", &fields, 8);
    let processors = joust_play::executor::available().len();
    format!("{}-{processors}cpu-{hash}", std::env::consts::ARCH)
}
