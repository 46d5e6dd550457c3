//! Empty classes: those that had no batch lately are not asked for one each time.

use std::collections::HashMap;
use std::time::Duration;

use crate::message::ClassId;
use crate::time::Moment;

/// How long a class is left alone after it had nothing, the first time; twice as long each time that
/// comes again.
const PAUSE: Duration = Duration::from_millis(250);
const LONGEST: Duration = Duration::from_secs(2);

/// The classes that had nothing, when they were asked last and how often in a row.
#[derive(Debug, Default)]
pub(super) struct Empty(HashMap<ClassId, (Moment, u32)>);

impl Empty {
    /// Says whether a class is to be left alone.
    pub(super) fn has(&self, class: &ClassId) -> bool {
        self.0.get(class).is_some_and(|(asked, times)| {
            asked.elapsed() < PAUSE.saturating_mul(1 << times.min(&8)).min(LONGEST)
        })
    }

    /// Learns that a class had nothing.
    pub(super) fn put(&mut self, class: &ClassId) {
        let times = self.0.get(class).map_or(0, |(_, times)| times.saturating_add(1));
        self.0.insert(class.clone(), (Moment::now(), times));
    }

    /// Learns that a class had something.
    pub(super) fn remove(&mut self, class: &ClassId) {
        self.0.remove(class);
    }
}

#[cfg(test)]
mod tests {
    use joust_play::executor::Needs;

    use super::*;
    use crate::time::{simulate, sleep};

    #[test]
    fn a_class_is_left_alone_longer_each_time_it_has_nothing_but_never_for_long() {
        let class = ClassId::of(&Needs::default());
        let pauses = simulate(async {
            let (mut empty, mut pauses) = (Empty::default(), Vec::new());
            for _ in 0..20 {
                let asked = Moment::now();
                empty.put(&class);
                while empty.has(&class) {
                    sleep(Duration::from_millis(50)).await;
                }
                pauses.push(asked.elapsed());
            }
            empty.remove(&class);
            assert!(!empty.has(&class));
            empty.put(&class);
            sleep(PAUSE).await;
            assert!(!empty.has(&class), "what it had before counts no more");
            pauses
        });
        let expected = [250, 500, 1000, 2000, 2000].map(Duration::from_millis);
        assert_eq!(pauses[..5], expected);
        assert!(pauses[5..].iter().all(|pause| *pause == LONGEST), "{pauses:?}");
    }
}
