//! Address on GitHub of the repository that this program was built for.

use std::borrow::Cow;

/// `OWNER/NAME`, which a release is built with.
const BUILT_FOR: Option<&str> = option_env!("JOUST_HOME");
/// Prefix of the package's `repository`.
const GITHUB: &str = "https://github.com/";
/// Registry of images, whose names are in lower case.
const IMAGES: &str = "ghcr.io/";

/// Returns `OWNER/NAME`.
pub(crate) fn repository() -> &'static str {
    BUILT_FOR.filter(|home| !home.is_empty()).unwrap_or_else(package)
}

/// Returns a page with this address in place of the package's address.
pub(crate) fn with_address(page: &str) -> Cow<'_, str> {
    addressed(page, repository())
}

fn addressed<'a>(page: &'a str, home: &str) -> Cow<'a, str> {
    if home == package() || !page.contains(package()) {
        return Cow::Borrowed(page);
    }
    let image = |repository: &str| format!("{IMAGES}{repository}");
    let page = page.replace(&image(package()), &image(&home.to_lowercase()));
    Cow::Owned(page.replace(package(), home))
}

/// Returns `OWNER/NAME` of the package's manifest, which the pages contain, too.
fn package() -> &'static str {
    env!("CARGO_PKG_REPOSITORY").trim_start_matches(GITHUB)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readme_calls_the_workflow_of_this_version() {
        let version = env!("CARGO_PKG_VERSION");
        let called = format!("uses: {}/.github/workflows/contest.yml@v{version}\n", package());
        assert!(include_str!("../../../README.md").contains(&called), "{called}");
    }

    #[test]
    fn pages_have_the_address_of_the_release() {
        let page = format!("from {}, image ghcr.io/{}", package(), package());
        let shown = addressed(&page, "Cup/Joust");
        assert_eq!(shown, "from Cup/Joust, image ghcr.io/cup/joust");
        assert_eq!(addressed("nothing", "Cup/Joust"), "nothing");
        assert_eq!(addressed(&page, package()), page);
    }
}
