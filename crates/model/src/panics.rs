//! Panics of Joust, caught so that one piece of work fails and not the run.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use tokio::task::JoinError;

/// Runs `work`; when it panics, returns the panic's text.
///
/// # Errors
///
/// The text, after `Joust panicked: `.
pub fn catch_panic<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    // The caller drops or discards the data that `work` was changing.
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| panic_text(&*panic))
}

/// Returns the text of a panic.
pub fn panic_text(panic: &(dyn Any + Send)) -> String {
    let said = panic.downcast_ref::<&str>().copied();
    let said = said.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("Joust panicked: {}", said.unwrap_or("it did not say why"))
}

/// Returns the reason why a task has no result.
pub fn task_error(error: JoinError) -> String {
    match error.try_into_panic() {
        Ok(panic) => panic_text(&*panic),
        Err(error) => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_its_text() {
        let number = 7;
        assert_eq!(catch_panic(|| number), Ok(7));
        let formatted = catch_panic(|| panic!("no {number} here"));
        assert_eq!(formatted, Err::<(), _>("Joust panicked: no 7 here".to_owned()));
        let plain = catch_panic(|| panic!("plain"));
        assert_eq!(plain, Err::<(), _>("Joust panicked: plain".to_owned()));
        let other = catch_panic(|| std::panic::panic_any(3));
        assert_eq!(other, Err::<(), _>("Joust panicked: it did not say why".to_owned()));
    }
}
