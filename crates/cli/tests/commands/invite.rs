//! Keys for workers, and a server that is not there.

use std::os::unix::fs::PermissionsExt;

use super::env;

#[test]
fn a_worker_is_invited_once_and_the_server_learns_its_public_key_alone() {
    let env = env();
    let ran = env.run(["workers", "invite", "lab-1"]).expect(0);
    assert!(ran.stdout.contains("joust.*.result.lab-1\""), "{}", ran.stdout);
    assert!(ran.stderr.contains("next: joust worker URL --name lab-1"), "{}", ran.stderr);
    let file = env.path().join("lab-1.nk");
    let mode = file.metadata().expect("the key is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let key = std::fs::read_to_string(&file).expect("it is text");
    assert!(key.starts_with("SU"), "no seed of a user");
    assert!(!ran.stdout.contains(key.trim()) && !ran.stderr.contains(key.trim()), "it is told");
    let again = env.run(["workers", "invite", "lab-1"]).expect(2);
    assert!(again.stderr.contains("File exists"), "{}", again.stderr);
    assert!(again.stderr.contains("delete the file"), "{}", again.stderr);
    assert_eq!(std::fs::read_to_string(&file).expect("it is text"), key);
    for name in ["", "a.b", "*", ">", "a b", "../a", "lab.*"] {
        let odd = env.run(["workers", "invite", name]).expect(2);
        assert!(odd.stderr.contains("letters, digits"), "{name}: {}", odd.stderr);
    }
    let lost = env.run(["workers", "invite", "lab-2", "--out", "nowhere"]).expect(2);
    assert!(lost.stderr.contains("nowhere/lab-2.nk"), "{}", lost.stderr);
}

#[test]
fn a_coordinator_may_do_everything() {
    let ran = env().run(["workers", "invite", "main", "--coordinator"]).expect(0);
    assert!(!ran.stdout.contains("imports") && ran.stdout.contains("exports"), "{}", ran.stdout);
    assert!(ran.stderr.contains("--credentials ./main.nk"), "{}", ran.stderr);
}

#[test]
fn a_server_that_is_not_there_is_named_with_what_to_do() {
    let env = env();
    let ran = env.run(["workers", "nats://127.0.0.1:1"]).expect(4);
    assert!(ran.stderr.contains("no server at `nats://127.0.0.1:1`"), "{}", ran.stderr);
    assert!(ran.stderr.contains("nats-server --jetstream"), "{}", ran.stderr);
    let ran = env.run(["workers", "http://127.0.0.1"]).expect(2);
    assert!(ran.stderr.contains("nats://HOST:4222"), "{}", ran.stderr);
    env.run(["workers"]).expect(2);
}
