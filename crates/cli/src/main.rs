//! Program `joust`. All its code is in the library, so that it is compiled while its dependencies
//! still are.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    joust_cli::main()
}
