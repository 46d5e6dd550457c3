//! Numbers that bots say of themselves: any standard error has some or none, and what is left of it
//! has no such line.
#![no_main]

use joust_play::fuzzing::said_numbers;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let said = said_numbers(bytes);
    assert!(said.rest.len() <= bytes.len());
    let mut names: Vec<_> = said.of_answer.iter().map(|number| &number.name).collect();
    assert!(names.len() <= 32);
    names.dedup();
    assert_eq!(names.len(), said.of_answer.len());
    for number in said.of_answer.iter().chain(&said.of_answers) {
        assert!((1..=32).contains(&number.name.len()));
        assert!(number.value.get().is_finite());
    }
    let again = said_numbers(&said.rest);
    assert!(again.of_answer.is_empty() && again.of_answers.is_empty());
    assert_eq!(again.rest, said.rest);
});
