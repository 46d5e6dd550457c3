//! Reasons why a site cannot be made.

use std::io;

/// Reason why a site cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// A file cannot be written.
    #[error("`{path}` of the site cannot be written")]
    Write {
        /// The file, from the top of the site.
        path: String,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A template of ours is wrong.
    #[error("page `{path}` cannot be made")]
    Template {
        /// The file, from the top of the site.
        path: String,
        /// Why.
        #[source]
        source: minijinja::Error,
    },
}

impl SiteError {
    /// Returns the reason of the operating system when a file could not be
    /// written.
    pub fn io(&self) -> Option<&io::Error> {
        match self {
            Self::Write { source, .. } => Some(source),
            _ => None,
        }
    }
}
