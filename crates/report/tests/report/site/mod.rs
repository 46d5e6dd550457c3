//! The static site, page by page: its contents, the private parts that it leaves out, and the
//! treatment of names that contain mark-up.

mod contrast;
mod damage;
mod history;
mod hostile;
mod pages;
mod public;
mod size;
