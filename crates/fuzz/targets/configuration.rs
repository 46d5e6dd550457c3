//! Configurations of tournaments: any text is a tournament or a list of errors that can be printed.
#![no_main]

use std::path::Path;

use joust_config as config;
use joust_referee::Catalogue;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Err(errors) = config::parse(text, Path::new("tournament.yaml"), &Catalogue::built_in()) {
        assert!(!errors.to_string().is_empty());
    }
});
