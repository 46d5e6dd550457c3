//! Compiles again when the site's files change.

fn main() {
    for embedded in ["templates", "assets"] {
        println!("cargo::rerun-if-changed=src/site/{embedded}");
    }
}
