//! The site of a tournament of all five games, in a real browser.
//!
//! One tournament is played and one site written; every test opens a headless Chromium of its own.
//! The site and the screenshots of it stay in `target/tmp/site`, for people to look at. Without
//! Chromium and its driver these tests fail and print how to install them.

mod damage;
mod keyboard;
mod live;
mod look;
mod pages;
mod played;
mod player;
mod replay;
mod without_board;
