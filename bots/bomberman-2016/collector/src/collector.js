// Collector wants power-ups: the super power-up in the centre first, whatever
// walls lie in between, then every bag and radius it sees, then the walls that
// hide more of them. It keeps away from the others.
//
// Arguments: the own key and the folder with state.json; the answer is the first
// character of move.txt there.
'use strict';

const path = require('path');
const fs = require('fs');
const { Field, STEPS, NOTHING, PLANT, TRIGGER } = require('./field');

const WALL_COST = 7; // rounds: planting, stepping back, coming again
const FAR_AWAY = 1000; // more rounds than any way takes
const CROWD_COST = 4; // rounds a block near another player is worth avoiding for

/** The cheapest costs from `goals` to every block, through walls if need be. */
function costs(field, goals) {
  const costs = new Map(goals.map((goal) => [field.index(...goal), 0]));
  const rings = [[...goals]];
  for (let cost = 0; cost < rings.length; cost++) {
    for (const [x, y] of rings[cost] || []) {
      if (costs.get(field.index(x, y)) !== cost) continue;
      const next = cost + entering(field, x, y);
      for (const [dx, dy] of STEPS.slice(1)) {
        const index = field.index(x + dx, y + dy);
        if (field.ground[index] === '#' || (costs.has(index) && costs.get(index) <= next)) continue;
        costs.set(index, next);
        rings[next] = [...(rings[next] || []), [x + dx, y + dy]];
      }
    }
  }
  return costs;
}

function entering(field, x, y) {
  const wall = field.ground[field.index(x, y)] === '+';
  return (wall ? WALL_COST : 1) + (isCrowded(field, x, y) ? CROWD_COST : 0);
}

function isCrowded(field, x, y) {
  return field.others.some(([ox, oy]) => Math.abs(ox - x) + Math.abs(oy - y) <= 3);
}

/** What to walk to: open power-ups, else the walls that may hide one. */
function goals(field) {
  const best = field.prizes.filter((prize) => prize.isSuper);
  const prizes = best.length && field.radius < 2 ? best : field.prizes;
  if (prizes.length) return prizes.map(({ x, y }) => [x, y]);
  return field.walls();
}

function choose(field) {
  const { lasting } = field.walks();
  if (!lasting.size) return NOTHING;
  const wanted = goals(field);
  const cost = costs(field, wanted.length ? wanted : [field.corner()]);
  const left = (x, y) => (cost.has(field.index(x, y)) ? cost.get(field.index(x, y)) : FAR_AWAY);
  const total = (x, y) => left(x, y) + entering(field, x, y);
  const [x, y] = field.me;

  let ahead = NOTHING;
  for (let command = 1; command < STEPS.length; command++) {
    const [dx, dy] = STEPS[command];
    if (field.ground[field.index(x + dx, y + dy)] === '#') continue;
    if (ahead === NOTHING || total(x + dx, y + dy) < total(x + STEPS[ahead][0], y + STEPS[ahead][1])) ahead = command;
  }
  const facing = field.ground[field.index(x + STEPS[ahead][0], y + STEPS[ahead][1])];
  if (facing === '+' && field.canPlant() && !field.isDoomed(x + STEPS[ahead][0], y + STEPS[ahead][1])) {
    if (field.planted().walks(PLANT).lasting.size) return PLANT;
  }
  const triggered = field.triggered();
  if (lasting.has(NOTHING) && triggered && triggered.walks(TRIGGER).lasting.size) return TRIGGER;

  // Who stands still for 20 rounds is made to bomb itself.
  if (field.round % 10 === 0 && lasting.size > 1) lasting.delete(NOTHING);
  const waits = facing === '+';
  let best = NOTHING;
  let least = Infinity;
  for (const command of lasting) {
    const [dx, dy] = STEPS[command];
    const standing = command === NOTHING && !waits ? 1 : 0;
    const value = left(x + dx, y + dy) + standing + (isCrowded(field, x + dx, y + dy) ? CROWD_COST : 0);
    if (value < least) [best, least] = [command, value];
  }
  return best;
}

function main([key, folder]) {
  const state = JSON.parse(fs.readFileSync(path.join(folder, 'state.json'), 'utf8'));
  fs.writeFileSync(path.join(folder, 'move.txt'), String(choose(new Field(state, key))));
}

if (require.main === module) main(process.argv.slice(2));
module.exports = { choose };
