//! Compiles again when the database's migrations change.

fn main() {
    println!("cargo::rerun-if-changed=../../migrations");
}
