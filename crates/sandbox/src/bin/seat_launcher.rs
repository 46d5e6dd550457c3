//! Launcher program: nothing but a seat's launcher, for tests and benches whose own program
//! cannot be started as one.

fn main() {
    joust_sandbox::launcher::main_if_seat();
}
