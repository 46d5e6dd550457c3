//! What an organiser is told of workers that do something wrong.

use std::collections::{HashMap, HashSet};

use joust_cluster::News;

/// How often it is told what one worker does wrong.
const MOST_TOLD: usize = 20;
/// Of how many workers that is counted.
const MOST_WORKERS: usize = 4096;

/// What was told of workers that do something wrong: each thing once, and not without end.
#[derive(Default)]
pub(super) struct Told(HashMap<String, HashSet<News>>);

/// Whether something is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Telling {
    Told,
    /// It is the last of its kind.
    Last,
    Untold,
}

impl Told {
    pub(super) fn take(&mut self, worker: &str, news: &News) -> Telling {
        if !self.0.contains_key(worker) && self.0.len() >= MOST_WORKERS {
            return Telling::Untold;
        }
        let before = self.0.entry(worker.to_owned()).or_default();
        match before.len() {
            MOST_TOLD => Telling::Untold,
            _ if !before.insert(news.clone()) => Telling::Untold,
            count if count + 1 == MOST_TOLD => Telling::Last,
            _ => Telling::Told,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_worker_does_wrong_is_told_once_and_not_without_end() {
        let mut told = Told::default();
        let news = |number: usize| News::Misfit {
            worker: "liar".to_owned(),
            why: format!("lie {}", number / 2),
        };
        let telling: Vec<_> = (0..100).map(|it| told.take("liar", &news(it))).collect();
        let of = |wanted| telling.iter().filter(|it| **it == wanted).count();
        assert_eq!((of(Telling::Told), of(Telling::Last)), (MOST_TOLD - 1, 1));
        assert_eq!(told.take("other", &news(0)), Telling::Told);
        for worker in 0..2 * MOST_WORKERS {
            told.take(&worker.to_string(), &news(0));
        }
        assert_eq!(told.0.len(), MOST_WORKERS);
    }
}
