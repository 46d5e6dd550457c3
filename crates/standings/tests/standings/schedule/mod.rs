//! Schedules: pure functions of a field.

mod published;
