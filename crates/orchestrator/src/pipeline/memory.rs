//! Memory for all seats at once: the sum of their limits, compared with the available memory.

use joust_sandbox::{MemoryRoom, memory_room};

use joust_config::Event;
use joust_play::executor::available;

/// Returns a message if the seats of so many bouts of an event (`None` for as many as there are
/// cores) were promised more memory than the machine, or the control group around Joust, has.
pub fn memory_shortage(event: &Event, jobs: Option<usize>) -> Option<String> {
    let bouts = jobs.unwrap_or_else(|| available().len());
    let seats = (bouts as u64).saturating_mul(event.players_per_match.into());
    let room = memory_room()?;
    describe(seats, event.limits.memory.0, &room).map(|text| format!("`{}`: {text}", event.id))
}

fn describe(seats: u64, limit: u64, room: &MemoryRoom) -> Option<String> {
    const MIB: u64 = 1 << 20;
    let promised = seats.saturating_mul(limit);
    let there = room.bytes.0;
    (promised > there).then(|| {
        let whose = match &room.group {
            None => "this machine has".to_owned(),
            Some(group) => format!("the control group `{}` allows", group.display()),
        };
        let (limit, promised, there) = (limit / MIB, promised / MIB, there / MIB);
        format!(
            "{seats} bots at once may use {limit} MiB each, {promised} MiB in all, and {whose} {there} MiB; \
             a bout that it ends because memory ran out is played again: lower `memory` under `limits`, or play fewer \
             bouts at once (`--jobs`)"
        )
    })
}

#[cfg(test)]
mod tests {
    use joust_sandbox::Bytes;

    use super::*;

    #[test]
    fn more_than_there_is_is_told_with_what_to_do() {
        let room = MemoryRoom { bytes: Bytes::from_mib(420), group: Some("/sys/fs/x".into()) };
        assert_eq!(describe(4, 100 << 20, &room), None);
        let text = describe(4, 512 << 20, &room).expect("it is too much");
        let start = "4 bots at once may use 512 MiB each, 2048 MiB in all, and the control group \
                     `/sys/fs/x` allows 420 MiB";
        assert!(text.starts_with(start), "{text}");
    }
}
