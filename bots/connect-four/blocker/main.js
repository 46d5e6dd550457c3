// Blocker looks one disc ahead: it wins where it can, blocks where it must, never makes
// room for a winning disc of the other if it can help it, and else takes the square
// that lies on most lines that are still open to it.
"use strict";

const LINES = [[1, 0], [0, 1], [1, 1], [1, -1]];

class Board {
  constructor(view) {
    const lines = view.split("\n");
    this.me = lines[0].split(" ")[1];
    this.other = this.me === "0" ? "1" : "0";
    this.connect = Number(lines[1].split(" ")[1]);
    this.rows = lines.slice(2).filter((line) => line !== "").map((line) => [...line]);
  }

  at(x, y) {
    return this.rows[y]?.[x];
  }

  /* The row in which a disc would lie; -1 where there is no room. */
  landing(x) {
    return this.rows.filter((row) => row[x] === ".").length - 1;
  }

  free() {
    return [...this.rows[0].keys()].filter((x) => this.landing(x) >= 0);
  }

  run(x, y, [dx, dy], disc) {
    let count = 0;
    while (this.at(x + dx * (count + 1), y + dy * (count + 1)) === disc) count++;
    return count;
  }

  wins(x, y, disc) {
    if (y < 0) return false;
    return LINES.some(([dx, dy]) => 1 + this.run(x, y, [dx, dy], disc) + this.run(x, y, [-dx, -dy], disc) >= this.connect);
  }

  /* Counts the discs of mine on all lines through a square that the other has not closed. */
  worth(x, y) {
    let worth = 0;
    for (const [dx, dy] of LINES) {
      for (let start = 1 - this.connect; start <= 0; start++) {
        const squares = Array.from({ length: this.connect }, (_, n) => this.at(x + dx * (start + n), y + dy * (start + n)));
        if (squares.includes(undefined) || squares.includes(this.other)) continue;
        worth += 1 + squares.filter((square) => square === this.me).length ** 2;
      }
    }
    return worth;
  }
}

function choose(view) {
  const board = new Board(view);
  const free = board.free();
  for (const disc of [board.me, board.other]) {
    const column = free.find((x) => board.wins(x, board.landing(x), disc));
    if (column !== undefined) return column;
  }
  const isSafe = (x) => !board.wins(x, board.landing(x) - 1, board.other);
  const safe = free.filter(isSafe);
  const columns = safe.length > 0 ? safe : free;
  const worth = (x) => board.worth(x, board.landing(x));
  return columns.reduce((best, x) => (worth(x) > worth(best) ? x : best));
}

console.log(choose(process.argv[process.argv.length - 1]));
