//! Numbers of a turn: what a referee counts for each seat.

use std::collections::BTreeMap;

/// Names, each with a value for every seat; `None` where a seat has none.
pub type Numbers = BTreeMap<String, Vec<Option<f64>>>;

/// The most names of a turn.
pub const MOST_NAMES: usize = 32;

/// The longest name, bytes.
const LONGEST_NAME: usize = 32;

/// Checks the numbers of a bout of so many seats.
pub(crate) fn check(numbers: &Numbers, seats: usize) -> Result<(), String> {
    if numbers.len() > MOST_NAMES {
        return Err(format!("`numbers` has {} names, and {MOST_NAMES} are allowed", numbers.len()));
    }
    for (name, values) in numbers {
        if !is_name(name) {
            return Err(format!(
                "`numbers` has the name {name:?}: one has 1 to {LONGEST_NAME} of a to z, 0 to 9, `-` and `_`"
            ));
        }
        if values.len() != seats {
            return Err(format!(
                "`numbers.{name}` has {} values, and there are {seats} seats",
                values.len()
            ));
        }
    }
    Ok(())
}

/// Returns whether a text can be the name of a number.
pub fn is_name(name: &str) -> bool {
    let is_allowed =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
    (1..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(is_allowed)
}
