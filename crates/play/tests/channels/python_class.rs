//! Python agents in a long-lived process.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use joust_model::Exit;
use joust_play::channel::Answered;
use joust_play::channel::live::{Event, LiveChannel, News, open_live};
use joust_play::channel::poll::{Interest, Poll};
use joust_referee::{Part, Parts, RequestId, Verdict};
use joust_testkit::time_scale::scaled;

use crate::fixture::opening;
use joust_testkit::suite::Test;

pub(crate) const TESTS: &[Test] = &[
    ("an_agent_is_ready_then_answers_every_state_in_time", answers),
    ("an_agent_that_is_slow_sees_the_newest_state_next", newest),
    ("states_that_no_pipe_holds_are_replaced_by_newer_ones", full_pipe),
    ("an_agent_that_cannot_be_imported_ends_unready", broken_import),
    ("an_agent_whose_python_cannot_be_started_is_told_of_at_once", cannot_start),
    ("an_agent_that_exits_ends_after_its_last_answer", exits),
    ("an_agent_killed_by_a_signal_has_crashed", killed),
    ("what_an_agent_writes_to_the_wire_is_a_violation_once", noise),
    ("an_agent_that_closes_its_wire_is_not_heard_any_more", closes),
    ("prints_are_kept_and_are_no_answers", prints),
    ("nothing_of_the_host_is_in_the_folder_of_the_agent", own_folder),
    ("a_hanging_agent_can_be_ended", hangs),
];

const GAME: &str = r#"{"tick_number":7,"is_over":false,"size":[12,10],"players":"04040b09","blocks":[["ib","00010002"]],"ammo":"","treasure":"","bombs":""}"#;

/// An agent whose `next_move` has the body `body`, after `prelude`.
fn agent(prelude: &str, body: &str) -> Agent {
    let mut text = format!("import os, sys, time\n{prelude}\nclass Agent:\n");
    text.push_str("    def next_move(self, game_state, player_state):\n");
    body.lines().for_each(|line| text.push_str(&format!("        {line}\n")));
    Agent::start(&text)
}

/// A running agent and what it did.
struct Agent {
    channel: Box<dyn LiveChannel>,
    news: Vec<News>,
    _program: tempfile::TempDir,
}

impl Agent {
    fn start(source: &str) -> Self {
        let program = tempfile::tempdir().expect("a folder can be made");
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(program.path(), mode).expect("it is ours");
        fs::write(program.path().join("bot.py"), source).expect("a file can be written");
        let mut opening = opening(&program, &[]);
        opening.game = joust_testkit::game("coderone-dungeon");
        let mut channel = open_live("python-class", opening).expect("the channel opens");
        channel.start().expect("the machine is well");
        Self { channel, news: Vec::new(), _program: program }
    }

    fn ready(mut self) -> Self {
        let event = self.next();
        assert!(matches!(event, Event::Ready), "{event:?}");
        self
    }

    /// Waits for the next thing it does.
    fn next(&mut self) -> Event {
        let until = Instant::now() + scaled(Duration::from_secs(20));
        while self.news.is_empty() {
            assert!(Instant::now() < until, "nothing happens");
            let mut wanted = Vec::new();
            self.channel.descriptors(&mut wanted);
            let mut poll = Poll::default();
            for it in &wanted {
                let interest = if it.for_writing { Interest::Write } else { Interest::Read };
                poll.add(it.descriptor, interest);
            }
            let wake = self.channel.wake_at().map_or(until, |at| at.min(until));
            poll.wait(Some(wake)).expect("the machine is well");
            drop(poll);
            self.channel.receive(&mut self.news).expect("the machine is well");
        }
        self.news.remove(0).event
    }

    fn show(&mut self, request: u32, reward: u32) {
        let player =
            format!(r#"{{"id":0,"ammo":2,"hp":3,"location":"0404","reward":{reward},"power":2}}"#);
        let part =
            |name: &str, text: &str| Part { name: name.into(), bytes: text.as_bytes().into() };
        let view = Parts(vec![part("game_state.json", GAME), part("player_state.json", &player)]);
        self.channel.ask(RequestId(request), &view).expect("the machine is well");
    }

    /// Waits for an answer: request, kind, value.
    fn answer(&mut self) -> (u32, String, String) {
        match self.next() {
            Event::Answer { request, parts } => {
                let part = &parts.0[0];
                let value = String::from_utf8_lossy(&part.bytes).into_owned();
                (request.0, part.name.to_string(), value)
            }
            other => panic!("no answer but {other:?}"),
        }
    }

    fn ended(&mut self) -> Answered {
        match self.next() {
            Event::Ended(answered) => *answered,
            other => panic!("no end but {other:?}"),
        }
    }

    fn close(mut self) -> Answered {
        let answered = self.channel.end().expect("the machine is well");
        self.channel.close().expect("it can be closed");
        answered
    }
}

fn said(request: u32, value: &str) -> (u32, String, String) {
    (request, "str".to_owned(), value.to_owned())
}

fn answers() {
    let mut agent = agent("", "return str(game_state.tick_number + player_state.reward)").ready();
    for round in 0..50 {
        agent.show(2 * round, round);
        assert_eq!(agent.answer(), said(2 * round, &(7 + round).to_string()));
    }
    let usage = agent.channel.usage().expect("the machine is well");
    assert!(usage.cpu > Duration::ZERO && usage.peak_memory_bytes > 1_000_000, "{usage:?}");
    assert_eq!(agent.close().verdict, Verdict::Ok);
}

fn newest() {
    let body = "while not os.path.exists('/scratch/go'): time.sleep(0.005)\nreturn str(player_state.reward)";
    let prelude =
        "import threading\nthreading.Timer(0.5, lambda: open('/scratch/go', 'w')).start()";
    let mut agent = agent(prelude, body).ready();
    for round in 1..=5 {
        agent.show(round, round);
    }
    // It saw the first that was there, then the newest; none in between.
    let first = agent.answer();
    let mut last = first.clone();
    while last.0 < 5 {
        last = agent.answer();
        assert_eq!(last, said(5, "5"));
    }
    agent.close();
}

fn full_pipe() {
    let body = "if player_state.reward == 1: time.sleep(1)\nreturn str(player_state.reward)";
    let mut agent = agent("", body).ready();
    for round in 1..=2000 {
        agent.show(round, round);
    }
    let mut last = agent.answer();
    let mut answers = 1;
    while last.0 < 2000 {
        let next = agent.answer();
        assert!(next.0 > last.0, "{last:?} {next:?}");
        assert_eq!(next, said(next.0, &next.0.to_string()));
        last = next;
        answers += 1;
    }
    assert!(answers < 1000, "{answers} answers");
    agent.close();
}

fn broken_import() {
    let mut agent = Agent::start("import no_such_module_anywhere\n");
    let ended = agent.ended();
    assert_eq!((ended.verdict, ended.exit), (Verdict::ExitNonzero, Exit::Status(1)));
    let stderr = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(stderr.contains("No module named 'no_such_module_anywhere'"), "{stderr}");
}

fn exits() {
    let body = "if player_state.reward: sys.exit()\nreturn 'u'";
    let mut agent = agent("", body).ready();
    agent.show(1, 0);
    assert_eq!(agent.answer(), said(1, "u"));
    agent.show(2, 1);
    assert_eq!(agent.ended().verdict, Verdict::ProtocolViolation);
    // Agents that continue are not affected.
    agent.show(3, 0);
    assert_eq!(agent.close().verdict, Verdict::ProtocolViolation);
}

fn killed() {
    let mut agent = agent("import signal", "os.kill(os.getpid(), signal.SIGSEGV)").ready();
    agent.show(1, 0);
    let ended = agent.ended();
    assert_eq!((ended.verdict, ended.exit), (Verdict::Crash, Exit::Signal(11)));
}

fn noise() {
    let body = "if player_state.reward: os.write(4, b'u' * 100000)\nreturn 'u'";
    let mut agent = agent("", body).ready();
    agent.show(1, 0);
    assert_eq!(agent.answer(), said(1, "u"));
    agent.show(2, 1);
    let event = agent.next();
    let is_violation = matches!(event, Event::Fault { verdict: Verdict::ProtocolViolation, .. });
    assert!(is_violation, "{event:?}");
    agent.show(3, 1);
    std::thread::sleep(Duration::from_millis(100));
    agent.channel.receive(&mut agent.news).expect("the machine is well");
    assert!(agent.news.is_empty(), "{:?}", agent.news);
    agent.close();
}

fn closes() {
    let body = "os.close(4)\ntime.sleep(1000)";
    let mut agent = agent("", body).ready();
    agent.show(1, 0);
    let until = Instant::now() + scaled(Duration::from_secs(10));
    loop {
        agent.channel.receive(&mut agent.news).expect("the machine is well");
        let mut wanted = Vec::new();
        agent.channel.descriptors(&mut wanted);
        // Only the notice of its end is left to wait for.
        if wanted.len() == 1 {
            break;
        }
        assert!(Instant::now() < until, "{wanted:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(agent.news.is_empty(), "{:?}", agent.news);
    agent.close();
}

fn prints() {
    let body = "print('A loud', player_state.reward)\nprint('quiet', file=sys.stderr)\nreturn 'u'";
    let mut agent = agent("", body).ready();
    agent.show(1, 12);
    assert_eq!(agent.answer(), said(1, "u"));
    let answered = agent.close();
    assert_eq!(answered.output, b"A loud 12\n");
    assert_eq!(answered.stderr, b"quiet\n");
}

fn cannot_start() {
    let program = tempfile::tempdir().expect("a folder can be made");
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(program.path(), mode).expect("it is ours");
    fs::write(program.path().join("bot.py"), "").expect("a file can be written");
    let mut opening = opening(&program, &[]);
    opening.game = joust_testkit::game("coderone-dungeon");
    opening.command[0] = "/usr/bin/no-such-python".into();
    let mut channel = open_live("python-class", opening).expect("the channel opens");
    channel.start().expect("the machine is well");
    let event = Agent { channel, news: Vec::new(), _program: program }.next();
    let Event::Ended(ended) = event else { panic!("no end but {event:?}") };
    assert!(matches!(ended.exit, Exit::NotStarted(_)), "{ended:?}");
}

fn own_folder() {
    let body =
        "return repr((sorted(os.listdir('/bot')), os.getcwd(), os.listdir('/scratch'), sys.argv))";
    let mut agent = agent("", body).ready();
    agent.show(1, 0);
    assert_eq!(agent.answer().2, "(['bot.py'], '/scratch/bot', ['bot'], ['/scratch/bot/bot.py'])");
    agent.close();
}

fn hangs() {
    let mut agent = agent("", "while True: pass").ready();
    agent.show(1, 0);
    assert_eq!(agent.close().parts, Parts::none());
}
