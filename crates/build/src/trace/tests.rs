use super::*;

/// Output of runtimes, each beneath the last words expected of it.
const TRACES: &str = include_str!("traces.txt");

#[test]
fn the_line_with_the_error_is_the_last_word_of_every_trace() {
    let traces: Vec<_> = TRACES.split("## ").skip(1).collect();
    assert_eq!(traces.len(), 23);
    for trace in traces {
        let (expected, written) = trace.split_once('\n').expect("a line of its own");
        assert_eq!(last_words(written.as_bytes()).as_deref(), Some(expected), "{written}");
    }
}

#[test]
fn what_says_nothing_has_no_last_word() {
    assert_eq!(last_words(b""), None);
    assert_eq!(last_words(b" \r\n\n"), None);
    assert_eq!(named_error(b"a line\nanother\n"), None);
}

#[test]
fn any_bytes_are_read() {
    let hostile: [&[u8]; 6] = [
        b"\tat ",
        b"panicked at ",
        b"thread 'x' panicked at",
        b"Traceback (most recent call last):",
        b"terminate called after throwing an instance of '\xff",
        b"    at x {\n}",
    ];
    for bytes in hostile {
        assert!(last_words(bytes).is_some(), "{}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn a_trace_that_is_cut_keeps_what_it_names() {
    let frames: String =
        (0..90).map(|line| format!("\tat Bot.search(Bot.java:{line})\n")).collect();
    let trace = format!("Exception in thread \"main\" java.lang.StackOverflowError\n{frames}");
    let kept = shortened(trace.as_bytes(), 1024);
    assert!(kept.len() <= 1024 && kept.ends_with(b"(Bot.java:89)\n"));
    assert_eq!(last_words(&kept).unwrap(), "java.lang.StackOverflowError");
    let short = b"ValueError: x\n";
    assert_eq!(shortened(short, 1024), short);
    let python =
        format!("Traceback (most recent call last):\n{}ValueError: x\n", "  f()\n".repeat(400));
    assert_eq!(shortened(python.as_bytes(), 64), &python.as_bytes()[python.len() - 64..]);
    assert_eq!(shortened(&[b'a'; 5000], 10), [b'a'; 10]);
}
