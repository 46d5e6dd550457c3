//! Does nothing, but reads its input as a bot would: Joust times it.

use std::path::Path;
use std::{env, fs, hint};

fn main() {
    let request = env::args_os().skip(1).last().unwrap_or_default();
    match fs::read_dir(&request) {
        Ok(entries) => {
            entries.flatten().for_each(|entry| {
                hint::black_box(fs::read(entry.path()).unwrap_or_default());
            });
            let folder = Path::new(&request);
            let _ = fs::write(folder.join("move.txt"), "0\n");
            let _ = fs::write(folder.join("command.txt"), "0,0,0\n");
        }
        Err(_) => {
            hint::black_box(request.to_string_lossy().lines().count());
        }
    }
    println!("NO");
}
