//! Schedules: pure functions of a field.

mod balanced;
mod published;
