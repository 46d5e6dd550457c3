/* The board: one canvas, drawn at the screen's own resolution. */
(function (viewer) {
  const { things, height, playerSeat, ONLOOKER } = viewer;
  const GROUND = ["floor", "water", "wall", "brick", "crate", "ore", "ship", "sign"];
  const FLOAT_MS = 1100;

  /* The colours come from the style sheet, so that they follow light and dark. */
  function readColours(node) {
    const read = viewer.colours(node);
    const names = [
      "floor-a", "floor-b", "water-a", "water-b", "wave", "wall-top", "wall-side", "wall-light", "mortar", "brick-a", "brick-b",
      "brick-light", "wood-a", "wood-b", "wood-c", "rock-a", "rock-b", "ore-gem", "crack", "shadow", "bomb-light", "bomb-dark",
      "fuse", "rim", "bullet", "missile", "bonus", "fallen", "scorch", "ripple", "ink", "blast-edge", "gain", "loss",
    ];
    const colours = {};
    for (const name of names) colours[name.replace(/-(.)/, (_, letter) => letter.toUpperCase())] = read("--rv-" + name);
    colours.onSeat = read("--on-seat");
    const seats = Array.from({ length: 12 }, (_, seat) => read("--seat-" + seat));
    colours.seat = (seat) => seats[(seat ?? 0) % seats.length];
    return colours;
  }

  class Board {
    constructor(replay, canvas) {
      Object.assign(this, { replay, canvas, eyes: ONLOOKER, frame: 0, from: 0, progress: 1, floats: [] });
      this.pen = canvas.getContext("2d");
      this.ground = document.createElement("canvas");
      this.refresh();
      new ResizeObserver(() => this.draw()).observe(canvas);
    }

    /* Reads the colours again, after a change of theme. */
    refresh() {
      this.colours = readColours(this.canvas);
      this.groundOf = null;
      this.draw();
    }

    show(frame, eyes) {
      Object.assign(this, { frame, eyes, from: frame, progress: 1 });
      this.draw();
    }

    /* Draws the transition from one frame to the next, `progress` from 0 to 1. */
    between(from, frame, progress) {
      Object.assign(this, { from, frame, progress });
      this.draw();
    }

    /* Lets numbers rise from players whose count has changed. */
    float(frame) {
      const { graph, positions } = this.replay;
      if (!graph || frame === 0) return;
      for (const mark of positions[frame].marks) {
        const seat = playerSeat(mark);
        if (seat === null || !graph.lines[seat]) continue;
        const change = graph.lines[seat][frame] - graph.lines[seat][frame - 1];
        if (change) this.floats.push({ x: mark.x, y: mark.y, change, since: performance.now() });
      }
    }

    get isMoving() {
      return this.floats.length > 0;
    }

    fit() {
      const { width, height: rows } = this.replay.layout;
      const ratio = window.devicePixelRatio || 1;
      const box = this.canvas.getBoundingClientRect();
      const tile = Math.max(1, Math.floor(box.width * ratio / width));
      const [w, h] = [Math.round(tile * width), tile * rows];
      if (this.canvas.width !== w || this.canvas.height !== h) {
        this.canvas.width = w;
        this.canvas.height = h;
        this.groundOf = null;
      }
      return tile;
    }

    draw() {
      if (!this.replay.hasBoard || !this.canvas.isConnected || !this.canvas.getBoundingClientRect().width) return;
      const tile = this.fit();
      this.drawGround(tile);
      const { pen, canvas } = this;
      pen.setTransform(1, 0, 0, 1, 0, 0);
      pen.clearRect(0, 0, canvas.width, canvas.height);
      pen.drawImage(this.ground, 0, 0);
      for (const thing of this.upper()) this.put(pen, tile, thing);
      this.drawLines(tile);
      this.drawFloats(tile);
    }

    put(pen, tile, thing) {
      const draw = things[thing.cell.kind] || things.sign;
      const place = this.replay.layout.place(thing.x, thing.y);
      if (!place) return;
      pen.save();
      pen.setTransform(tile, 0, 0, tile, place.x * tile, place.y * tile);
      /* A bomb under a player peeps out. */
      if (thing.isCovered) pen.transform(0.62, 0, 0, 0.62, 0.44, 0.4);
      if (thing.alpha !== undefined) pen.globalAlpha = thing.alpha;
      draw(pen, { ...thing, colours: this.colours });
      pen.restore();
    }

    /* Walls and floor seldom change: they are drawn once and kept. */
    drawGround(tile) {
      const { positions } = this.replay;
      const { cells, marks } = positions[this.frame];
      const walls = marks.filter((mark) => this.isGround(mark));
      const key = [cells, tile, this.eyes, this.colours];
      const isSame = this.groundOf && key.every((part, i) => part === this.groundOf[i])
        && walls.length === this.walls.length && walls.every((mark, i) => mark === this.walls[i]);
      if (isSame) return;
      Object.assign(this, { groundOf: key, walls });
      this.ground.width = this.canvas.width;
      this.ground.height = this.canvas.height;
      const pen = this.ground.getContext("2d");
      for (const cell of this.cells().filter((cell) => GROUND.includes(cell.cell.kind))) this.put(pen, tile, cell);
      for (const mark of this.onlyTop(walls)) this.put(pen, tile, mark);
      this.drawLabels(pen, tile);
    }

    drawLabels(pen, tile) {
      for (const { text, x, y, size, seat = null, most = 1 } of this.replay.layout.labels()) {
        pen.setTransform(1, 0, 0, 1, 0, 0);
        pen.font = (seat === null ? "500 " : "700 ") + Math.round(size * tile) + "px system-ui, sans-serif";
        pen.fillStyle = seat === null ? this.colours.ink : this.colours.seat(seat);
        pen.textAlign = "center";
        pen.textBaseline = "middle";
        pen.fillText(text, x * tile, y * tile, most * tile);
      }
    }

    isGround(mark) {
      return GROUND.includes(mark.cell.kind) && this.replay.isSeen(mark.seen, this.eyes);
    }

    /* The cells of all layers that are visible to `eyes`. */
    cells() {
      const { replay } = this;
      const { width, height: rows, layers, palette } = replay;
      const { cells } = replay.positions[this.frame];
      const list = [];
      layers.forEach((layer, number) => {
        if (!replay.isSeen(layer.seen, this.eyes)) return;
        const code = (x, y) => (x < 0 || y < 0 || x >= width || y >= rows ? 0 : cells[(number * rows + y) * width + x]);
        for (let y = 0; y < rows; y++) {
          for (let x = 0; x < width; x++) {
            const own = code(x, y);
            if (!own) continue;
            const joined = { n: code(x, y - 1) === own, e: code(x + 1, y) === own, s: code(x, y + 1) === own, w: code(x - 1, y) === own };
            list.push({ x, y, cell: palette[own - 1], joined });
          }
        }
      });
      return list;
    }

    /* Everything above the ground, what covers last. */
    upper() {
      const { replay, frame } = this;
      const cells = this.cells().filter(({ cell }) => !GROUND.includes(cell.kind));
      const seen = replay.positions[frame].marks.filter((mark) => replay.isSeen(mark.seen, this.eyes) && !this.isGround(mark));
      const marks = seen.map((mark) => this.moved(mark));
      const list = this.onlyTop(cells.concat(marks));
      const isCovered = ({ x, y }) => seen.some((mark) => playerSeat(mark) !== null && mark.x === x && mark.y === y);
      for (const thing of list) thing.isCovered = thing.cell.kind === "bomb" && isCovered(thing);
      const order = (thing) => height(thing.isCovered ? "player" : thing.cell.kind) + (thing.isCovered ? 0.5 : 0);
      return list.sort((a, b) => order(a) - order(b));
    }

    /* Of two equal things on a square, the later one knows more. */
    onlyTop(list) {
      const top = new Map();
      for (const thing of list) {
        const { kind, facing, seat } = thing.cell;
        const key = [thing.x, thing.y, kind, facing, kind === "player" ? seat : ""].join();
        top.delete(key);
        top.set(key, thing);
      }
      return [...top.values()];
    }

    moved(mark) {
      const look = this.look(mark);
      if (this.progress >= 1 || this.from === this.frame) return { ...mark, look };
      if (mark.cell.kind === "blast") return { ...mark, alpha: Math.min(1, 0.3 + this.progress) };
      const origin = this.origin(mark);
      if (!origin) return { ...mark, look };
      const ease = mark.cell.facing ? this.progress : 1 - (1 - this.progress) ** 2;
      const x = origin.x + (mark.x - origin.x) * ease;
      const y = origin.y + (mark.y - origin.y) * ease;
      return { ...mark, x, y, look };
    }

    look(mark) {
      const seat = playerSeat(mark);
      return seat === null ? null : this.replay.facings[this.frame][seat];
    }

    /* The position of a moving thing in the frame before. */
    origin(mark) {
      const before = this.replay.positions[this.from].marks;
      const isNear = (old) => Math.max(Math.abs(old.x - mark.x), Math.abs(old.y - mark.y)) <= 2;
      if (playerSeat(mark) !== null) {
        return before.find((old) => playerSeat(old) === playerSeat(mark) && isNear(old));
      }
      const { kind, facing } = mark.cell;
      if (!facing || kind === "snake-body") return null;
      const [dx, dy] = [
        (facing.includes("E") ? 1 : 0) - (facing.includes("W") ? 1 : 0),
        (facing.includes("S") ? 1 : 0) - (facing.includes("N") ? 1 : 0),
      ];
      for (const steps of [2, 1, 3]) {
        const [x, y] = [mark.x - dx * steps, mark.y - dy * steps];
        const old = before.find((old) => old.cell.kind === kind && old.cell.facing === facing && old.x === x && old.y === y);
        if (old) return old;
      }
      return null;
    }

    /* Draws lines from the centre of one square to the centre of another. */
    drawLines(tile) {
      const { pen, replay } = this;
      const { ink, bonus, blastEdge, fallen, seat } = this.colours;
      const meanings = [ink, fallen, blastEdge, bonus];
      for (const { from, to, colour, seen } of replay.positions[this.frame].lines) {
        if (!replay.isSeen(seen, this.eyes)) continue;
        const number = viewer.seatOf(colour);
        pen.save();
        pen.setTransform(tile, 0, 0, tile, 0, 0);
        pen.strokeStyle = number === null ? meanings[colour] : seat(number);
        pen.lineWidth = 0.12;
        pen.lineCap = "round";
        pen.beginPath();
        pen.moveTo(from.x + 0.5, from.y + 0.5);
        pen.lineTo(to.x + 0.5, to.y + 0.5);
        pen.stroke();
        pen.restore();
      }
    }

    drawFloats(tile) {
      const now = performance.now();
      this.floats = this.floats.filter((float) => now - float.since < FLOAT_MS);
      const { pen } = this;
      for (const { x: column, y: row, change, since } of this.floats) {
        const { x, y } = this.replay.layout.place(column, row) || { x: column, y: row };
        const age = (now - since) / FLOAT_MS;
        pen.save();
        pen.setTransform(tile, 0, 0, tile, x * tile, y * tile);
        pen.globalAlpha = 1 - age * age;
        pen.fillStyle = change > 0 ? this.colours.gain : this.colours.loss;
        viewer.letter(pen, (change > 0 ? "+" : "−") + Math.abs(change), 0.5, 0.05 - age * 0.6, 0.46, 800);
        pen.restore();
      }
    }

    /* The square under a point of the page. */
    squareAt(clientX, clientY) {
      const box = this.canvas.getBoundingClientRect();
      const { layout } = this.replay;
      return layout.squareAt((clientX - box.left) / box.width * layout.width, (clientY - box.top) / box.height * layout.height);
    }
  }

  viewer.Board = Board;
})(window.joustViewer);
