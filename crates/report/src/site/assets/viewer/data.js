/* Data: from the text of a data file to positions, turns and views. */
(function (viewer) {
  const FORMAT = 3;
  const FIRST_SEAT_COLOUR = 4;
  const ONLOOKER = -1;

  /* An error in a recording, with a message for people. */
  class Damaged extends Error {}

  /* A server that is busy, or down for a moment, may deliver it later. */
  class Missing extends Damaged {}

  function orDamaged(what, attempt) {
    try {
      return attempt();
    } catch {
      throw new Damaged("its data file is damaged: " + what);
    }
  }

  async function inflate(base64) {
    const text = orDamaged("it is not base64", () => atob(base64));
    const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    const json = await new Response(stream).text().catch(() => {
      throw new Damaged("its data file is damaged: it does not inflate");
    });
    return orDamaged("what it inflates to is not JSON", () => JSON.parse(json));
  }

  /* An entry of a list that a number of the file names. */
  function at(list, number) {
    if (list[number] === undefined) throw new RangeError("there is no entry " + number);
    return list[number];
  }

  /* Applies the steps of pack.rs: numbers of entries to keep, to remove and to insert. */
  function nextMarks(before, steps, words, palette, width) {
    if (steps.length === 0) return before;
    const marks = [];
    let next = 0;
    for (let i = 0; i < steps.length;) {
      const [stay, gone, come] = [steps[i], steps[i + 1], steps[i + 2]];
      i += 3;
      for (let k = 0; k < stay; k++) marks.push(at(before, next + k));
      next += stay + gone;
      for (let k = 0; k < come; k++, i += 4) {
        const square = steps[i];
        marks.push({
          x: square % width,
          y: Math.floor(square / width),
          cell: at(palette, steps[i + 1]),
          label: at(words, steps[i + 2]),
          seen: steps[i + 3],
        });
      }
    }
    while (next < before.length) marks.push(before[next++]);
    return marks;
  }

  function nextTexts(before, steps, words) {
    if (steps.length === 0) return before;
    const texts = before.slice(0, steps[0]);
    for (let i = 1; i < steps.length; i += 4) {
      texts[steps[i]] = { colour: steps[i + 1], text: at(words, steps[i + 2]), seen: steps[i + 3] };
    }
    for (let i = 0; i < steps[0]; i++) at(texts, i);
    return texts;
  }

  function nextLines(before, steps, width) {
    if (steps.length === 0) return before;
    const lines = [];
    const square = (number) => ({ x: number % width, y: Math.floor(number / width) });
    for (let i = 1; i + 3 < steps.length; i += 4) {
      lines.push({ from: square(steps[i]), to: square(steps[i + 1]), colour: steps[i + 2], seen: steps[i + 3] });
    }
    return lines;
  }

  function nextPicture(before, steps, words) {
    if (steps.length === 0) return before;
    return steps[0] === 0 ? null : at(words, steps[0] - 1);
  }

  function nextCells(before, steps, palette) {
    if (steps.length === 0) return before;
    const cells = before.slice();
    for (let i = 0; i < steps.length; i += 2) {
      if (steps[i + 1] > 0) at(palette, steps[i + 1] - 1);
      at(cells, steps[i]);
      cells[steps[i]] = steps[i + 1];
    }
    return cells;
  }

  function seatOf(colour) {
    return colour < FIRST_SEAT_COLOUR ? null : colour - FIRST_SEAT_COLOUR;
  }

  function unpackPositions(doc, palette) {
    const squares = doc.width * doc.height;
    let position = { cells: new Uint16Array(squares * doc.layers.length), marks: [], texts: [], lines: [], picture: null };
    return doc.deltas.map(([cells, marks, texts, lines, picture]) => {
      position = {
        cells: nextCells(position.cells, cells, palette),
        marks: nextMarks(position.marks, marks, doc.words, palette, doc.width),
        texts: nextTexts(position.texts, texts, doc.words),
        lines: nextLines(position.lines, lines, doc.width),
        picture: nextPicture(position.picture, picture, doc.words),
      };
      return position;
    });
  }

  function pairs(column) {
    const map = new Map();
    for (let i = 0; i < column.length; i += 2) map.set(column[i], column[i + 1]);
    return map;
  }

  function unpackTurns(doc) {
    const { turns, words } = doc;
    const sparse = {};
    for (const name of ["limits", "reason", "output", "stderr"]) sparse[name] = pairs(turns[name]);
    const word = (name, i) => (sparse[name].has(i) ? words[sparse[name].get(i)] : "");
    return turns.round.map((round, i) => ({
      round,
      seat: doc.seats.indexOf(at(doc.seats, turns.seat[i])),
      action: at(turns.action, i) ? at(words, turns.action[i] - 1) : "",
      verdict: turns.verdict.length ? at(doc.verdicts, turns.verdict[i]) : null,
      wallMs: turns.wall_us.length ? turns.wall_us[i] / 1000 : null,
      cpuMs: turns.cpu_us.length ? turns.cpu_us[i] / 1000 : null,
      limits: doc.limits.filter((_, bit) => (sparse.limits.get(i) || 0) >> bit & 1),
      reason: word("reason", i),
      output: word("output", i),
      stderr: word("stderr", i),
    }));
  }

  function unpackViews(doc) {
    const views = new Map();
    const shown = doc.seats.map(() => []);
    let last = [];
    for (let i = 0; i < doc.views.length;) {
      const [round, seat, length] = [doc.views[i], doc.views[i + 1], doc.views[i + 2]];
      i += 3;
      let lines = last;
      if (length > 0) {
        lines = at(shown, seat).slice(0, doc.views[i]);
        for (let k = 1; k < length; k += 2) lines[doc.views[i + k]] = doc.views[i + k + 1];
        lines.forEach((line) => at(doc.words, line));
      }
      i += length;
      shown[seat] = last = lines;
      views.set(round + ":" + seat, lines);
    }
    return views;
  }

  /* A line of a seat: its symbol, its name, then words `key=value`. */
  function readStats(texts, seats, isSeen) {
    const stats = seats.map(() => ({ values: [], rest: "" }));
    for (const line of texts) {
      const seat = seatOf(line.colour);
      if (seat === null || !stats[seat] || !isSeen(line.seen)) continue;
      let text = line.text.trim();
      const name = text.indexOf(" ") + 1;
      if (text.startsWith(seats[seat].bot, name)) text = text.slice(name + seats[seat].bot.length);
      /* A name of the seat's own, behind its symbol. */
      else text = text.replace(/^\S (?=\S)/u, "");
      const rest = text.replace(/([a-z_]+)=(\S+)/g, (_, key, value) => {
        stats[seat].values.push([key, value]);
        return "";
      });
      stats[seat].rest = (stats[seat].rest + " " + rest.trim()).trim();
    }
    return stats;
  }

  function playerSeat(mark) {
    return mark.cell.kind === "player" || mark.cell.kind === "snake-head" ? seatOf(mark.cell.colour) : null;
  }

  /* The direction in which each player looks: that of its last move. */
  function readFacings(positions, seats) {
    let at = seats.map(() => null);
    let facing = seats.map(() => [0, 1]);
    return positions.map(({ marks }) => {
      const now = at.slice();
      for (const mark of marks) {
        const seat = playerSeat(mark);
        if (seat !== null && seat < now.length) now[seat] = [mark.x, mark.y];
      }
      facing = facing.map((old, seat) => {
        if (!at[seat] || !now[seat]) return old;
        const [dx, dy] = [now[seat][0] - at[seat][0], now[seat][1] - at[seat][1]];
        return dx || dy ? [Math.sign(dx), Math.sign(dy)] : old;
      });
      at = now;
      return facing;
    });
  }

  class Replay {
    constructor(doc) {
      if (doc.rounds.length !== doc.deltas.length - 1) throw new RangeError("rounds and positions differ");
      Object.assign(this, { doc, seats: doc.seats, width: doc.width, height: doc.height, unit: doc.unit });
      this.palette = doc.palette.map(([kind, symbol, colour, count, facing]) => ({
        kind, symbol, colour, count, facing, seat: seatOf(colour),
      }));
      this.layout = new viewer.Layout(doc);
      this.layers = doc.layers.map(([name, seen]) => ({ name, seen }));
      this.positions = unpackPositions(doc, this.palette);
      this.facings = readFacings(this.positions, this.seats);
      this.turns = unpackTurns(doc);
      this.views = unpackViews(doc);
      this.turnsOfFrame = this.positions.map(() => []);
      for (const turn of this.turns) this.turnsOfFrame[this.frameOf(turn.round)].push(turn);
      this.graph = this.readGraph();
      this.clocks = this.readClocks();
    }

    /* The clock of each seat in each position, milliseconds: the time left, or the time used; null where answers are not timed. */
    readClocks() {
      const { left_ms: left, seats } = this.doc;
      if (left) return this.positions.map((_, frame) => seats.map((_, seat) => at(left, frame * seats.length + seat)));
      if (!this.turns.some(({ wallMs }) => wallMs)) return null;
      const used = seats.map(() => 0);
      return this.turnsOfFrame.map((turns) => {
        for (const { seat, wallMs } of turns) used[seat] += wallMs;
        return used.slice();
      });
    }

    get hasBoard() {
      return this.width * this.height > 0;
    }

    get last() {
      return this.positions.length - 1;
    }

    /* The frame after `round`; the last one for rounds that were not played. */
    frameOf(round) {
      const { rounds } = this.doc;
      if (rounds[round - 1] === round) return round;
      const found = rounds.findIndex((played) => played >= round);
      return found < 0 ? this.last : found + 1;
    }

    /* The round after which a frame stands, from 1; 0 for the start. */
    roundOf(frame) {
      return frame === 0 ? 0 : this.doc.rounds[frame - 1];
    }

    name(frame) {
      return frame === 0 ? "start" : this.unit + " " + this.roundOf(frame);
    }

    isSeen(seen, eyes) {
      return eyes === ONLOOKER || seen === 0 || seen === eyes + 2;
    }

    stats(frame, eyes) {
      return readStats(this.positions[frame].texts, this.seats, (seen) => this.isSeen(seen, eyes));
    }

    /* Lines that belong to no seat. */
    notes(frame, eyes) {
      const isOurs = (line) => seatOf(line.colour) === null && this.isSeen(line.seen, eyes);
      return this.positions[frame].texts.filter(isOurs);
    }

    /* The view that a seat had before it acted in the round after a frame. */
    view(frame, seat) {
      const lines = this.views.get(this.roundOf(frame) + 1 + ":" + seat);
      return lines ? lines.map((line) => this.doc.words[line]).join("\n") : null;
    }

    /* The things on a square that `eyes` may see, topmost first. */
    things(frame, x, y, eyes) {
      const { marks, cells } = this.positions[frame];
      const here = marks.filter((mark) => mark.x === x && mark.y === y && this.isSeen(mark.seen, eyes));
      const labels = here.map((mark) => mark.label).reverse();
      for (let layer = this.layers.length - 1; layer >= 0; layer--) {
        const code = cells[(layer * this.height + y) * this.width + x];
        if (code && this.isSeen(this.layers[layer].seen, eyes)) labels.push(this.palette[code - 1].kind.replace("-", " "));
      }
      return labels;
    }

    /* The position as text, as the terminal draws it. */
    text(frame, eyes) {
      const { marks, cells, texts } = this.positions[frame];
      const squares = this.width * this.height;
      const board = new Array(squares).fill(" ");
      this.layers.forEach((layer, number) => {
        if (!this.isSeen(layer.seen, eyes)) return;
        for (let i = 0; i < squares; i++) {
          const code = cells[number * squares + i];
          if (code) board[i] = this.palette[code - 1].symbol;
        }
      });
      for (const mark of marks) if (this.isSeen(mark.seen, eyes)) board[mark.y * this.width + mark.x] = mark.cell.symbol;
      const rows = [];
      for (let y = 0; y < this.height; y++) rows.push(board.slice(y * this.width, (y + 1) * this.width).join(" ").trimEnd());
      const lines = texts.filter((line) => this.isSeen(line.seen, eyes)).map((line) => line.text);
      return rows.concat("", lines).join("\n");
    }

    /* One number for each seat and frame: the value that the game counts. */
    readGraph() {
      const all = this.positions.map((_, frame) => this.stats(frame, ONLOOKER));
      const known = new Set(all.flatMap((stats) => stats.flatMap(({ values }) => values.map(([key]) => key))));
      const key = ["score", "points", "hp"].find((name) => known.has(name));
      if (!key) return null;
      const lines = this.seats.map((_, seat) => {
        let value = 0;
        return all.map((stats) => {
          const found = stats[seat].values.find(([name]) => name === key);
          if (found && Number.isFinite(Number(found[1]))) value = Number(found[1]);
          return value;
        });
      });
      return { key, lines };
    }
  }

  /* Reads all of a recording, so that damage is found before anything is drawn. */
  function read(doc) {
    if (doc === null || typeof doc !== "object" || !("format" in doc)) {
      throw new Damaged("its data file is damaged: it holds no replay");
    }
    if (doc.format !== FORMAT) throw new Damaged("its data file is of another version of Joust");
    return orDamaged("its parts do not fit together", () => new Replay(doc));
  }

  /* Reads a recording that lies in the page itself. */
  function unpack(base64) {
    return isAble() ? inflate(base64).then(read) : Promise.reject(unable());
  }

  function isAble() {
    return typeof DecompressionStream !== "undefined";
  }

  function unable() {
    return new Damaged("this browser cannot inflate; any browser of 2023 or later can");
  }

  /* Loads a data file: a classic script, the only thing that a page opened from
     a folder may load. */
  function load(source) {
    return new Promise((resolve, reject) => {
      if (!isAble()) {
        reject(unable());
        return;
      }
      const script = document.createElement("script");
      let text = null;
      window.joustReplay = (base64) => { text = base64; };
      script.onload = () => {
        if (text === null) reject(new Damaged("its data file is damaged: it holds no replay"));
        else inflate(text).then(read).then(resolve, reject);
      };
      script.onerror = () => reject(new Missing("its data file " + source + " cannot be loaded"));
      script.src = source;
      document.head.append(script);
    });
  }

  Object.assign(viewer, { load, unpack, Missing, ONLOOKER, seatOf, playerSeat });
})(window.joustViewer);
