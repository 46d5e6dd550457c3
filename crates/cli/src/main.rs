//! Program `joust`. All of it is in the library, which is compiled while what it calls still is.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    joust_cli::main()
}
