// Gunner looks for a firing line at close range, keeps firing while it has one,
// and steps aside when something is about to hit it.
"use strict";

const SIZE = 10;
const STEPS = {
  N: [0, -1], NE: [1, -1], E: [1, 0], SE: [1, 1],
  S: [0, 1], SW: [-1, 1], W: [-1, 0], NW: [-1, -1],
};
const REACH = { B: 3, M: 2 };

function choose(view, seed) {
  const lines = view.split("\n");
  const grid = lines.slice(0, SIZE);
  const me = find(grid, "Y");
  const foe = find(grid, "X");
  if (!me || !foe) return "NO";
  const luck = noise(seed + "\n" + view);
  const shots = lines.slice(SIZE).map(readShot).filter(Boolean);
  if (swept(shots, me) && luck % 4 !== 0) {
    const exit = bestStep(grid, shots, me, foe, luck);
    if (exit) return exit;
  }
  const aiming = onLine(foe.x - me.x, foe.y - me.y) || luck % 3 === 0;
  return (!aiming && bestStep(grid, shots, me, foe, luck)) || fire(me, foe, luck);
}

// The step that no shot sweeps and that ends nearest to a firing line at three
// squares.
function bestStep(grid, shots, me, foe, luck) {
  let best = null;
  let least = Infinity;
  Object.keys(STEPS).forEach((name, number) => {
    const next = { x: me.x + STEPS[name][0], y: me.y + STEPS[name][1] };
    // Row and column 0 are walls under the original rules.
    const open = next.x >= 1 && next.y >= 1 && grid[next.y] && grid[next.y][next.x] === ".";
    if (!open || swept(shots, next)) return;
    const dx = foe.x - next.x;
    const dy = foe.y - next.y;
    const gap = Math.max(Math.abs(dx), Math.abs(dy));
    const cost = 4 * Math.abs(gap - 3) + (onLine(dx, dy) ? 0 : 8) + ((luck >>> (3 * number)) & 7);
    if (cost < least) [least, best] = [cost, name];
  });
  return best;
}

function fire(me, foe, luck) {
  const dx = foe.x - me.x;
  const dy = foe.y - me.y;
  const gap = Math.max(Math.abs(dx), Math.abs(dy));
  if (onLine(dx, dy)) {
    const weapon = gap === 1 || (gap > 3 && luck % 3 === 0) ? "B" : "M";
    return weapon + " " + nameOf(Math.sign(dx), Math.sign(dy));
  }
  return "B " + nearestLine(dx, dy, luck);
}

// Of the two firing lines on either side of the other bot, the nearer one more
// often: that is the one it has to cross first.
function nearestLine(dx, dy, luck) {
  const diagonal = nameOf(Math.sign(dx), Math.sign(dy));
  const straight = Math.abs(dx) > Math.abs(dy)
    ? nameOf(Math.sign(dx), 0)
    : nameOf(0, Math.sign(dy));
  const long = Math.max(Math.abs(dx), Math.abs(dy));
  const short = Math.min(Math.abs(dx), Math.abs(dy));
  const nearer = short * 2 > long ? diagonal : straight;
  const farther = nearer === diagonal ? straight : diagonal;
  return (luck >>> 8) % 3 === 0 ? farther : nearer;
}

// Whether a projectile in flight passes over the square this round.
function swept(shots, square) {
  return shots.some((shot) => {
    for (let n = 1; n <= shot.reach; n++) {
      if (shot.x + n * shot.step[0] === square.x && shot.y + n * shot.step[1] === square.y) {
        return true;
      }
    }
    return false;
  });
}

function readShot(line) {
  const found = /^([BM]) x=(\d+) y=(\d+) dir=([NESW]+)$/.exec(line);
  if (!found || !STEPS[found[4]]) return null;
  return { reach: REACH[found[1]], x: Number(found[2]), y: Number(found[3]), step: STEPS[found[4]] };
}

function find(grid, symbol) {
  for (let y = 0; y < grid.length; y++) {
    const x = grid[y].indexOf(symbol);
    if (x >= 0) return { x, y };
  }
  return null;
}

function onLine(dx, dy) {
  return dx === 0 || dy === 0 || Math.abs(dx) === Math.abs(dy);
}

function nameOf(x, y) {
  return Object.keys(STEPS).find((name) => STEPS[name][0] === x && STEPS[name][1] === y) || "N";
}

// FNV-1a: repeatable from the seed and the view.
function noise(text) {
  let h = 2166136261;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 16777619) >>> 0;
  return (h ^ (h >>> 16)) >>> 0;
}

const view = process.argv.length > 2 ? process.argv[process.argv.length - 1] : "";
console.log(choose(view, process.env.JOUST_SEED || ""));
