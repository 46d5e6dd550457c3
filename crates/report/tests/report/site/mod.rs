//! The static site, page by page: what it says, what it keeps back, and what it
//! makes of names that want to be more than text.

mod contrast;
mod damage;
mod history;
mod hostile;
mod pages;
mod public;
mod size;
