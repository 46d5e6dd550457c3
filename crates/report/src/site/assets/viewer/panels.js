/* Everything beside the board: seats with their counts, the turns of the round,
   all rounds, what a seat was shown. Texts of bots are only ever set as text. */
(function (viewer) {
  const { element, ONLOOKER } = viewer;

  function milliseconds(ms) {
    if (ms >= 1000) return (ms / 1000).toFixed(2) + " s";
    return (ms >= 100 ? ms.toFixed(0) : ms.toFixed(1)) + " ms";
  }

  function ordinal(rank) {
    const ending = rank % 100 > 10 && rank % 100 < 14 ? "th" : { 1: "st", 2: "nd", 3: "rd" }[rank % 10] || "th";
    return rank + ending;
  }

  function isFault(turn) {
    return turn.verdict !== null && turn.verdict !== "ok";
  }

  function said(turn) {
    return turn.action || (isFault(turn) ? "" : "none");
  }

  /* 1:05:09, 3:07.2, 12.3 s or 97 ms. */
  function clock(ms) {
    if (ms < 1000) return ms.toFixed(0) + " ms";
    const tenths = Math.floor(ms / 100) / 10;
    if (tenths < 60) return tenths.toFixed(1) + " s";
    const two = (number) => String(number).padStart(2, "0");
    const [hours, minutes, seconds] = [Math.floor(tenths / 3600), Math.floor(tenths / 60) % 60, Math.floor(tenths % 60)];
    if (hours) return hours + ":" + two(minutes) + ":" + two(seconds);
    return minutes + ":" + two(seconds) + "." + Math.floor(tenths * 10 % 10);
  }

  /* Names and clocks at the board. A screen reader has them from the seats. */
  class Plates {
    constructor(replay) {
      this.replay = replay;
      const title = replay.doc.left_ms ? "Time left" : "Time used so far";
      this.clocks = replay.seats.map(() => element("span", { class: "rv-clock", title, hidden: !replay.clocks }));
      const plates = replay.seats.map(({ bot }, seat) =>
        element("li", { class: "rv-plate rv-seat-" + seat % 12 }, element("strong", {}, bot), this.clocks[seat]));
      this.node = element("ol", { class: "rv-plates", "aria-hidden": "true" }, ...plates);
    }

    show(frame) {
      const { clocks } = this.replay;
      if (clocks) this.clocks.forEach((node, seat) => { node.textContent = clock(clocks[frame][seat]); });
    }
  }

  /* A seat: who, and what the game counts of it. */
  class Seats {
    constructor(replay) {
      this.replay = replay;
      this.node = element("ol", { class: "rv-seats", "aria-label": "Seats" });
      this.cards = replay.seats.map((seat, number) => {
        const stats = element("dl", { class: "rv-stats" });
        const result = element("span", { class: "rv-rank", hidden: true }, ordinal(seat.rank) + " · score " + seat.score);
        const rest = element("span", { class: "rv-fate" });
        const head = element("p", { class: "rv-seat-head" },
          element("span", { class: "rv-swatch", "aria-hidden": "true" }, this.symbol(number)),
          element("strong", {}, seat.bot), rest);
        const counts = element("div", { class: "rv-counts" }, stats, result);
        const card = element("li", { class: "rv-seat rv-seat-" + number % 12, "data-seat": number, "data-rank": seat.rank, "data-score": seat.score }, head, counts);
        this.node.append(card);
        return { card, stats, rest, result };
      });
    }

    symbol(seat) {
      for (const { texts } of this.replay.positions) {
        const line = texts.find(({ colour }) => viewer.seatOf(colour) === seat);
        if (line) return line.text.trim().split(" ")[0];
      }
      return String(seat);
    }

    show(frame, eyes) {
      const isOver = frame === this.replay.last;
      this.replay.stats(frame, eyes).forEach(({ values, rest }, seat) => {
        const { card, stats, rest: fate, result } = this.cards[seat];
        stats.replaceChildren(...values.map(([key, value]) => element("div", {}, element("dt", {}, key), element("dd", {}, value))));
        fate.textContent = rest;
        result.hidden = !isOver;
        card.classList.toggle("rv-won", isOver && this.replay.seats[seat].rank === 1);
      });
    }
  }

  /* The turns of one round, in full. */
  class Turns {
    constructor(replay) {
      this.replay = replay;
      this.title = element("h2", {});
      this.list = element("ul", { class: "rv-turns" });
      this.notes = element("p", { class: "rv-notes" });
      this.node = element("div", { class: "rv-now" }, this.title, this.list, this.notes);
    }

    show(frame, eyes) {
      const { replay } = this;
      this.title.textContent = frame === 0 ? "Start" : "In " + replay.name(frame);
      const turns = replay.turnsOfFrame[frame];
      this.list.replaceChildren(...turns.map((turn) => this.turn(turn)));
      if (!turns.length) this.list.append(element("li", { class: "rv-none" }, frame === 0 ? "Nobody has acted yet." : "Nobody was asked."));
      /* The number of the round is shown above; a position without a board is shown beside it as text. */
      const notes = replay.hasBoard ? replay.notes(frame, eyes) : [];
      const isTold = ({ text }, i) => i === 0 && /^(start$|(phase|round|tick|turn) \d)/.test(text);
      this.notes.textContent = notes.filter((line, i) => !isTold(line, i)).map((line) => line.text).join(" · ");
    }

    turn(turn) {
      const seat = this.replay.seats[turn.seat];
      const node = element("li", { class: "rv-turn rv-seat-" + turn.seat % 12 },
        element("span", { class: "rv-bot" }, seat.bot), " ", element("code", {}, said(turn)));
      if (isFault(turn)) node.append(" ", element("span", { class: "rv-fault" }, turn.verdict));
      if (turn.reason) node.append(" ", element("span", { class: "rv-reason" }, turn.reason));
      if (turn.limits.length) node.append(" ", element("span", { class: "rv-limits" }, "limits hit: " + turn.limits.join(", ")));
      if (turn.wallMs || turn.cpuMs) node.append(this.times(turn, seat));
      for (const name of ["output", "stderr"]) {
        if (turn[name]) node.append(element("details", {}, element("summary", {}, name === "stderr" ? "standard error" : "output"), element("pre", {}, turn[name])));
      }
      return node;
    }

    times(turn, seat) {
      const limit = seat.turn_limit_ms;
      const wall = "wall " + milliseconds(turn.wallMs) + (limit ? " of " + milliseconds(limit) : "");
      const text = turn.cpuMs ? wall + ", cpu " + milliseconds(turn.cpuMs) : wall;
      const node = element("span", { class: "rv-times" }, element("span", {}, text));
      if (limit) node.append(this.bar(turn.wallMs / limit));
      return node;
    }

    bar(part) {
      const fill = element("span", { class: part > 0.8 ? "rv-fill rv-near" : "rv-fill" });
      fill.style.width = Math.min(100, part * 100) + "%";
      return element("span", { class: "rv-bar", "aria-hidden": "true" }, fill);
    }
  }

  /* Every round with its actions; the row of the shown frame is marked. */
  class Rounds {
    constructor(replay) {
      this.replay = replay;
      const heads = [replay.unit, ...replay.seats.map(({ bot }) => bot)];
      const head = element("thead", {}, element("tr", {}, ...heads.map((text) => element("th", { scope: "col" }, text))));
      this.body = element("tbody", {});
      this.rows = replay.positions.map((_, frame) => this.row(frame));
      this.body.append(...this.rows);
      this.frame = element("div", { class: "rv-scroll", tabIndex: 0, role: "region", "aria-label": "All rounds" },
        element("table", {}, head, this.body));
      this.node = element("details", { class: "rv-rounds", open: true }, element("summary", {}, "All " + replay.unit + "s"), this.frame);
    }

    row(frame) {
      const { replay } = this;
      const label = frame === 0 ? "start" : String(replay.roundOf(frame));
      const link = element("a", { href: frame === 0 ? "#start" : "#round=" + label }, label);
      const cells = replay.seats.map((_, seat) => {
        const turns = replay.turnsOfFrame[frame].filter((turn) => turn.seat === seat);
        const cell = element("td", {});
        for (const turn of turns) {
          if (cell.childNodes.length) cell.append(" ");
          cell.append(said(turn));
          if (isFault(turn)) cell.append(" ", element("span", { class: "rv-fault" }, turn.verdict));
        }
        return cell;
      });
      return element("tr", {}, element("th", { scope: "row" }, link), ...cells);
    }

    show(frame) {
      if (this.current) {
        this.current.classList.remove("rv-current");
        this.current.removeAttribute("aria-current");
      }
      this.current = this.rows[frame];
      this.current.classList.add("rv-current");
      this.current.setAttribute("aria-current", "true");
      /* Scrolls the list alone, never the page. */
      const middle = this.current.offsetTop - this.frame.clientHeight / 2;
      if (this.node.open) this.frame.scrollTop = Math.max(0, middle);
    }
  }

  /* The exact view of a seat, and the board in characters. */
  class Texts {
    constructor(replay) {
      this.replay = replay;
      this.view = element("pre", {});
      this.hint = element("p", { class: "rv-hint" });
      this.viewSummary = element("summary", {});
      this.viewBox = element("details", { class: "rv-view", open: true, hidden: true }, this.viewSummary, this.view, this.hint);
      this.board = element("pre", { class: "rv-text-board" });
      this.boardBox = element("details", { class: "rv-as-text" }, element("summary", {}, "Board as text"), this.board);
      this.boardBox.addEventListener("toggle", () => this.showBoard());
      /* A position that is only text takes the board's place. */
      this.node = element("div", { class: "rv-texts" }, this.viewBox, ...(replay.hasBoard ? [this.boardBox] : []));
    }

    show(frame, eyes) {
      Object.assign(this, { frame, eyes });
      this.showBoard();
      this.viewBox.hidden = eyes === ONLOOKER;
      if (eyes === ONLOOKER) return;
      const { replay } = this;
      const round = replay.roundOf(frame) + 1;
      const text = replay.view(frame, eyes);
      this.viewSummary.textContent = "Shown to " + replay.seats[eyes].bot + " before " + replay.unit + " " + round;
      this.view.hidden = text === null;
      this.view.textContent = text === null ? "" : text;
      const command = "joust replay " + replay.doc.bout + " --round " + round + " --seat " + eyes;
      const hint = text === null ? "" : "Byte for byte: " + command;
      this.hint.textContent = frame === replay.last ? "The bout is over: nobody is asked any more." : hint;
    }

    showBoard() {
      if (this.boardBox.open) this.board.textContent = this.replay.text(this.frame, this.eyes);
    }
  }

  Object.assign(viewer, { Plates, Seats, Turns, Rounds, Texts, said, isFault });
})(window.joustViewer);
