//! The smallest possible bot: a static program without a C library.
//!
//! A program linked with glibc spends 0.7 ms before `main` on some machines,
//! which hides what starting a process costs.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Writes `NO` and exits, in two system calls.
const SOURCE: &str = r#"
static long call(long number, long a, long b, long c) {
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c)
                     : "rcx", "r11", "memory");
    return result;
}
void _start(void) {
    call(1, 1, (long)"NO\n", 3);
    call(231, 0, 0, 0);
}
"#;

/// Compiles the smallest bot into `folder` and returns its path.
///
/// # Errors
///
/// When `gcc` is not there or fails.
pub fn build(folder: &Path) -> io::Result<PathBuf> {
    let (source, program) = (folder.join("tiny.c"), folder.join("tiny"));
    std::fs::write(&source, SOURCE)?;
    let flags =
        ["-O2", "-static", "-nostdlib", "-nostartfiles", "-fno-stack-protector", "-s", "-o"];
    let status = Command::new("gcc").args(flags).arg(&program).arg(&source).status()?;
    if status.success() { Ok(program) } else { Err(io::Error::other("gcc failed")) }
}
