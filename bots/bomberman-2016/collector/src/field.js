// The map, the bombs on it, and which ways lead through the next rounds alive.
'use strict';

const [NOTHING, PLANT, TRIGGER] = [0, 5, 6];
const STEPS = [[0, 0], [0, -1], [-1, 0], [1, 0], [0, 1]]; // nothing, up, left, right, down
const AHEAD = 12; // rounds, longer than any fuse

class Field {
  constructor(state, key) {
    this.side = state.MapWidth;
    this.round = state.CurrentRound;
    this.ground = new Array((this.side + 2) ** 2).fill('#');
    this.prizes = [];
    this.bombs = [];
    for (const block of state.GameBlocks.flat()) this.add(block, key);
    const players = state.RegisteredPlayerEntities;
    const own = players.find((player) => player.Key === key);
    this.me = [own.Location.X, own.Location.Y];
    this.bag = own.BombBag;
    this.radius = own.BombRadius;
    this.others = players
      .filter((player) => player.Key !== key && !player.Killed)
      .map(({ Location: { X, Y } }) => [X, Y]);
  }

  add(block, key) {
    const { X: x, Y: y } = block.Location;
    const kind = block.Entity ? block.Entity.$type : '';
    this.ground[this.index(x, y)] = kind.includes('.Indestructible') ? '#' : kind.includes('.Destructible') ? '+' : ' ';
    if (block.PowerUp) this.prizes.push({ x, y, isSuper: block.PowerUp.$type.includes('Super') });
    if (block.Bomb) {
      const { BombTimer: due, BombRadius: radius, Owner: owner } = block.Bomb;
      this.bombs.push({ x, y, due, radius, mine: owner.Key === key });
    }
  }

  index(x, y) {
    return y * (this.side + 2) + x;
  }

  walls() {
    const walls = [];
    this.ground.forEach((kind, index) => {
      if (kind === '+') walls.push([index % (this.side + 2), Math.floor(index / (this.side + 2))]);
    });
    return walls.filter(([x, y]) => !this.isDoomed(x, y));
  }

  /** A corner to walk to when nothing is left to collect: another one every 30 rounds. */
  corner() {
    const far = this.side - 1;
    return [[2, 2], [far, 2], [far, far], [2, far]][Math.floor(this.round / 30) % 4];
  }

  canPlant() {
    const [x, y] = this.me;
    const ours = this.bombs.filter((bomb) => bomb.mine).length;
    return ours < this.bag && !this.bombs.some((bomb) => bomb.x === x && bomb.y === y);
  }

  /** Says whether a bomb on the map will take the wall at (x, y) down. */
  isDoomed(x, y) {
    if (!this.doomed) this.doomed = new Set(this.bombs.flatMap((bomb) => this.blast(bomb)));
    return this.doomed.has(this.index(x, y));
  }

  /** The indices of the blocks that a bomb covers. */
  blast({ x, y, radius }) {
    const covered = [this.index(x, y)];
    for (const [dx, dy] of STEPS.slice(1)) {
      for (let n = 1; n <= radius; n++) {
        const index = this.index(x + n * dx, y + n * dy);
        if (this.ground[index] === '#') break;
        covered.push(index);
        if (this.ground[index] === '+' || this.bombs.some((bomb) => this.index(bomb.x, bomb.y) === index)) break;
      }
    }
    return covered;
  }

  /**
   * When each bomb explodes and what burns then. A bomb in the blast of another
   * explodes with it; walls and bombs that are gone do not stop a later blast.
   */
  fires() {
    const left = this.with(this.bombs);
    left.ground = [...this.ground];
    const fires = [];
    for (let n = 1; n <= AHEAD; n++) {
      const exploding = new Set(left.bombs.filter(({ due }) => due <= n));
      const blocks = new Set();
      // A set that grows while it is gone through: chains are followed to their end.
      for (const bomb of exploding) {
        for (const index of left.blast(bomb)) {
          blocks.add(index);
          for (const other of left.bombs) if (this.index(other.x, other.y) === index) exploding.add(other);
        }
      }
      for (const bomb of exploding) fires.push({ bomb, due: n, blocks });
      left.bombs = left.bombs.filter((bomb) => !exploding.has(bomb));
      for (const index of blocks) if (left.ground[index] === '+') left.ground[index] = ' ';
    }
    return fires;
  }

  /** The first commands after which we need not die; `first` tries only that one. */
  walks(first) {
    const fires = this.fires();
    const taken = new Set(this.others.map((spot) => this.index(...spot)));
    const shut = new Map(fires.map(({ bomb, due }) => [this.index(bomb.x, bomb.y), due]));
    const only = first === undefined ? [] : [first];
    let edge = new Map([[this.index(...this.me), new Set()]]);
    const offsets = STEPS.map(([dx, dy]) => dy * (this.side + 2) + dx);
    for (let n = 1; n <= AHEAD; n++) {
      const burning = fires.filter((fire) => fire.due === n);
      const burns = (index) => burning.some(({ blocks }) => blocks.has(index));
      const reached = new Map();
      for (const [here, firsts] of edge) {
        if (burns(here)) continue;
        const moves = n === 1 && only.length ? 1 : STEPS.length;
        for (let command = 0; command < moves; command++) {
          const next = here + offsets[command];
          const blocked = command && (this.ground[next] !== ' ' || taken.has(next) || (shut.get(next) || 0) >= n);
          if (blocked || burns(next)) continue;
          if (!reached.has(next)) reached.set(next, new Set());
          for (const start of n > 1 ? firsts : only.length ? only : [command]) reached.get(next).add(start);
        }
      }
      edge = reached;
    }
    return { lasting: new Set([...edge.values()].flatMap((firsts) => [...firsts])) };
  }

  /** This field with `bombs`. */
  with(bombs) {
    return Object.assign(Object.create(Field.prototype), this, { bombs, doomed: undefined });
  }

  planted() {
    const [x, y] = this.me;
    return this.with([...this.bombs, { x, y, due: 2 + Math.min(9, 3 * this.bag), radius: this.radius, mine: true }]);
  }

  /**
   * This field with our shortest fuse at its end; null when that changes nothing.
   * Bombs that explode in this round do so before anybody's command.
   */
  triggered() {
    const explodes = new Map(this.fires().map(({ bomb, due }) => [bomb, due]));
    const waiting = this.bombs.filter((bomb) => bomb.mine && explodes.get(bomb) > 1);
    const shortest = waiting.reduce((a, b) => (a && a.due <= b.due ? a : b), null);
    if (!shortest || explodes.get(shortest) <= 2) return null;
    return this.with(this.bombs.map((bomb) => (bomb === shortest ? { ...bomb, due: 2 } : bomb)));
  }
}

module.exports = { Field, STEPS, NOTHING, PLANT, TRIGGER };
