//! A bout on the table, and what was last seen of it.

use joust_referee::games::battleships_2017::{
    Bout, BoutOptions, GameState, LineEndings, MapSize, Player, Release, Rules, Square, advance,
    read,
};
use joust_referee::{Input, Judge, Output, Outputs, Part, Parts, RequestId, Seat, Verdict};

use super::{FLEET, items, number, point, seat_and_rest};

/// A bout on the table, and what was last seen of it.
pub(crate) struct Table {
    options: BoutOptions,
    start: GameState,
    bout: Option<Bout>,
    requests: [Option<RequestId>; 2],
    views: [Parts; 2],
    /// Verdicts on the last answers.
    pub(crate) judged: [Option<Verdict>; 2],
    unread: Vec<String>,
}

impl Table {
    pub(crate) fn new(rules: Rules) -> Self {
        let options = BoutOptions { size: MapSize::Small, ..BoutOptions::new(rules) };
        Self {
            options,
            start: GameState::start(&options),
            bout: None,
            requests: [None; 2],
            views: [Parts::none(), Parts::none()],
            judged: [None; 2],
            unread: Vec::new(),
        }
    }

    /// Returns the position, after asking for the first round if need be.
    pub(crate) fn state(&mut self) -> &GameState {
        self.begin().state()
    }

    pub(crate) fn bout(&mut self) -> &Bout {
        self.begin()
    }

    /// Returns whether a seat is not asked in this round.
    pub(crate) fn is_skipped(&mut self, seat: usize) -> bool {
        self.begin();
        self.requests[seat].is_none()
    }

    pub(crate) fn given(&mut self, line: &str) -> Result<(), String> {
        if self.bout.is_some() {
            return Err("`given` comes before the first `action`".to_owned());
        }
        items(line).try_for_each(|item| self.give(item))
    }

    fn give(&mut self, item: &str) -> Result<(), String> {
        match item.split_once(' ').unwrap_or((item, "")) {
            ("size", "small") => self.resize(MapSize::Small),
            ("size", "medium") => self.resize(MapSize::Medium),
            ("size", "large") => self.resize(MapSize::Large),
            ("release", "1.0") => self.options.release = Release::Shots,
            ("release", "1.1") => self.options.release = Release::Weapons,
            ("crlf", _) => self.options.line_endings = LineEndings::CrLf,
            ("phase-2-placement", "refused") => self.options.moves_fleet_in_phase_2 = false,
            ("phase-2-placement", "allowed") => self.options.moves_fleet_in_phase_2 = true,
            ("fleets", _) => self.place_fleets(),
            ("round", round) => self.start.round = number(round)?,
            _ => {
                let (seat, rest) = seat_and_rest(item)?;
                return give_player(&mut self.start, seat, rest);
            }
        }
        Ok(())
    }

    fn resize(&mut self, size: MapSize) {
        self.options.size = size;
        self.start = GameState::start(&self.options);
    }

    fn place_fleets(&mut self) {
        self.start = GameState::start(&self.options);
        let command = read(&self.options, &files("place fleet")).command;
        advance(&mut self.start, &self.options, [Some(&command), Some(&command)]);
        for player in &mut self.start.players {
            player.energy = self.options.energy_per_round();
        }
    }

    fn begin(&mut self) -> &Bout {
        if self.bout.is_none() {
            let mut out = Outputs::new();
            let names = ["Bravo".to_owned(), "Kraken".to_owned()];
            self.bout = Some(Bout::from_state(self.options, names, self.start.clone(), &mut out));
            self.see(&mut out);
        }
        self.bout.as_ref().expect("the bout has begun")
    }

    pub(crate) fn play(&mut self, line: &str) -> Result<(), String> {
        self.begin();
        let mut answers: [Option<&str>; 2] = [None; 2];
        for item in items(line) {
            let (seat, said) = seat_and_rest(item)?;
            answers[seat] = Some(said);
        }
        self.answer(answers)
    }

    pub(crate) fn play_idly(&mut self, rounds: &str) -> Result<(), String> {
        self.begin();
        for _ in 0..number::<u32>(rounds)? {
            self.answer([Some("1,99,99"); 2])?;
        }
        Ok(())
    }

    fn answer(&mut self, answers: [Option<&str>; 2]) -> Result<(), String> {
        let mut out = Outputs::new();
        for (seat, said) in (0_u8..).zip(answers) {
            let request = self.requests[usize::from(seat)];
            let (request, said) = match (request, said) {
                (Some(request), Some(said)) => (request, said),
                (None, None) => continue,
                (Some(_), None) => return Err(format!("seat {seat} says nothing")),
                (None, Some(_)) => return Err(format!("seat {seat} is not asked")),
            };
            let (verdict, said) = match said.strip_prefix("!crash") {
                Some(said) => (Verdict::Crash, said.trim()),
                None => (Verdict::Ok, said),
            };
            let input = Input::Answer { seat: Seat(seat), request, parts: files(said), verdict };
            self.bout
                .as_mut()
                .expect("the bout has begun")
                .next(&input, &mut out)
                .expect("the referee cannot fail");
        }
        if out.list.is_empty() {
            return Err("the bout is already over".to_owned());
        }
        self.see(&mut out);
        Ok(())
    }

    fn see(&mut self, out: &mut Outputs) {
        self.judged = [None; 2];
        self.requests = [None; 2];
        for output in out.drain() {
            match output {
                Output::Ask { seat, request, parts, .. } => {
                    self.requests[seat.index()] = Some(request);
                    self.views[seat.index()] = parts;
                }
                Output::Judged { seat, verdict, .. } => self.judged[seat.index()] = Some(verdict),
                _ => {}
            }
        }
    }

    pub(crate) fn show(&mut self, item: &str) -> Result<(), String> {
        self.begin();
        let (seat, name) = seat_and_rest(item)?;
        let file = self.views[seat].get(name).ok_or_else(|| format!("no file `{name}`"))?;
        let text = String::from_utf8_lossy(file).into_owned();
        self.unread = text.split('\n').rev().map(str::to_owned).collect();
        Ok(())
    }

    pub(crate) fn check_view_line(&mut self, line: &str) -> Result<(), String> {
        if line == "..." {
            return Ok(());
        }
        let line = line.replace("\\r", "\r");
        let fits = |shown: &String| match line.strip_suffix("...") {
            Some(start) => shown.starts_with(start),
            None => *shown == line,
        };
        let place = self.unread.iter().rposition(fits);
        let place =
            place.ok_or_else(|| format!("the file has no such line after that: {line:?}"))?;
        self.unread.truncate(place);
        Ok(())
    }
}

/// Returns the files a bot leaves that says this.
fn files(said: &str) -> Parts {
    let part = |name: &str, text: &str| Part { name: name.into(), bytes: text.as_bytes().into() };
    let place = |lines: &str| {
        let lines = if lines == "fleet" { FLEET } else { lines };
        part("place.txt", &unescape(&lines.replace('/', "\n")))
    };
    if said == "-" {
        return Parts::none();
    }
    if let Some(lines) = said.strip_prefix("place ") {
        return Parts(vec![place(lines)]);
    }
    match said.strip_prefix("both ").and_then(|both| both.split_once(" + ")) {
        Some((lines, command)) => {
            Parts(vec![place(lines), part("command.txt", &unescape(command))])
        }
        None => Parts(vec![part("command.txt", &unescape(said))]),
    }
}

fn unescape(text: &str) -> String {
    text.replace("\\r", "\r").replace("\\n", "\n").replace("\\t", "\t").replace("\\u{a0}", "\u{a0}")
}

fn give_player(state: &mut GameState, seat: usize, words: &str) -> Result<(), String> {
    let round = state.round;
    let player = &mut state.players[seat];
    for word in words.split("; ") {
        if let Some(cell) = word.strip_prefix("hit ") {
            let (x, y) = point(cell)?;
            let cell = player.board.number_of(x.into(), y.into()).ok_or("off the map")?;
            player.board.cell_mut(cell).hit = true;
        } else if let Some(place) = word.strip_prefix("shield ") {
            raise_shield(player, place, round)?;
        } else {
            set(player, word)?;
        }
    }
    Ok(())
}

/// `3,3 charges=2 radius=1`.
fn raise_shield(player: &mut Player, words: &str, round: u32) -> Result<(), String> {
    let mut words = words.split(' ');
    let (x, y) = point(words.next().unwrap_or_default())?;
    words.try_for_each(|word| set(player, word))?;
    player.shield.active = true;
    player.shield.last_used = round;
    player.shield.centre = Square { x, y };
    let radius = i32::try_from(player.shield.radius).map_err(|error| error.to_string())?;
    for number in 0..player.board.side() * player.board.side() {
        let square = player.board.square_of(number);
        let is_near = (square.x - x).abs() <= radius && (square.y - y).abs() <= radius;
        player.board.cell_mut(number).shielded = is_near;
    }
    Ok(())
}

/// Sets one number of a player: `energy=20`.
fn set(player: &mut Player, word: &str) -> Result<(), String> {
    let (name, value) = word.split_once('=').ok_or_else(|| format!("`{word}` is no number"))?;
    match name {
        "energy" => player.energy = number(value)?,
        "points" => player.points = number(value)?,
        "charges" => player.shield.charges = number(value)?,
        "radius" => player.shield.radius = number(value)?,
        "failed" => player.failed_placements = number(value)?,
        "idle" => player.do_nothings = number(value)?,
        "first-hit" => player.first_hit_round = Some(number(value)?),
        _ => return Err(format!("`{name}` cannot be set")),
    }
    Ok(())
}
