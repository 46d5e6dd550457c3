//! Filters of the templates: texts, numbers, times and the files of pages.

use std::time::Duration;

use minijinja::value::Value;
use minijinja::{Environment, HtmlEscape};

use super::{cross, formatting, markdown, names, rating};
use crate::timestamp::{format_minute, format_rfc3339};
use joust_model::{LimitSet, Score, Verdict, VerdictCounts, public_lines};

/// Adds all filters.
pub(super) fn add_to(environment: &mut Environment<'_>) {
    let safe = Value::from_safe_string;
    // Strangers' texts of several lines, whose line ends stay.
    environment.add_filter("lines", move |text: &str| {
        safe(HtmlEscape(&public_lines(text.as_bytes())).to_string())
    });
    // An address of the organisers, which may have an `@`.
    environment.add_filter("address", move |text: &str| safe(HtmlEscape(text).to_string()));
    environment.add_filter("markdown", move |text: &str, tables: Option<&str>| {
        let text = public_lines(text.as_bytes());
        safe(markdown::html(&text, tables.unwrap_or("Table")))
    });
    environment.add_filter("count", formatting::count);
    environment
        .add_filter("score", |millionths: i64| formatting::score(Score::millionths(millionths)));
    environment.add_filter("signed", rating::signed);
    environment.add_filter("bytes", formatting::bytes);
    environment.add_filter("moment", format_minute);
    environment.add_filter("machine_moment", format_rfc3339);
    environment.add_filter("time", |time: &Value| -> Result<String, minijinja::Error> {
        Ok(formatting::time(duration(time)?))
    });
    environment.add_filter("micros", |micros: u64| formatting::time(Duration::from_micros(micros)));
    environment.add_filter("record", |record: &Value| -> Result<String, minijinja::Error> {
        let [won, drawn, lost] = outcomes(record)?;
        Ok(formatting::record(won, drawn, lost))
    });
    environment.add_filter("percent", |record: &Value| -> Result<Option<u32>, minijinja::Error> {
        Ok(cross::percent(outcomes(record)?))
    });
    environment.add_filter("heat", |percent: u32| format!("h{}", cross::step(percent)));
    environment.add_filter("limits", |bits: u16| {
        let names: Vec<_> = LimitSet(bits).iter().map(|limit| limit.name()).collect();
        names.join(", ")
    });
    environment.add_filter("verdicts", |counts: Vec<u32>| -> Vec<Value> {
        let counts = verdicts(counts);
        let pair = |(verdict, count): (Verdict, u32)| {
            Value::from(vec![Value::from(verdict.name()), Value::from(count)])
        };
        counts.iter().map(pair).collect()
    });
    environment.add_filter("faults", |counts: Vec<u32>| verdicts(counts).faults());
    environment.add_filter("bot_page", names::bot_file);
    environment.add_filter("bout_page", |bout: &str| format!("bouts/{bout}.html"));
}

/// Reads how many bouts of a record were won, drawn and lost.
fn outcomes(record: &Value) -> Result<[u32; 3], minijinja::Error> {
    let part = |name| u32::try_from(record.get_attr(name)?);
    Ok([part("won")?, part("drawn")?, part("lost")?])
}

/// Reads counts as serde writes them.
fn verdicts(counts: Vec<u32>) -> VerdictCounts {
    VerdictCounts(counts.try_into().unwrap_or_default())
}

/// Reads a time as serde writes it.
fn duration(time: &Value) -> Result<Duration, minijinja::Error> {
    let part = |name| u64::try_from(time.get_attr(name)?);
    Ok(Duration::from_secs(part("secs")?) + Duration::from_nanos(part("nanos")?))
}
