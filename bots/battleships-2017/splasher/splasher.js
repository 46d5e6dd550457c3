// Splasher shoots at any cell that nobody has shot at yet, and thinks no further.
//
// Arguments: the own key and the folder with state.json; the answer is place.txt
// in phase 1 and command.txt in phase 2, there.
'use strict';

const fs = require('fs');
const path = require('path');

const SHIPS = [['Carrier', 5], ['Battleship', 4], ['Cruiser', 3], ['Submarine', 3], ['Destroyer', 2]];
const SINGLE_SHOT = 1;

/** Random numbers that are the same for the same seed and round (Mulberry32). */
function dice(seed, key, round) {
  let state = [...`${seed} ${key} ${round}`].reduce((hash, symbol) => Math.imul(hash ^ symbol.charCodeAt(0), 16777619), 2166136261);
  return (sides) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  };
}

function place(side, roll) {
  const taken = new Set();
  return SHIPS.map(([name, length]) => {
    for (;;) {
      const east = roll(2) === 0;
      const x = roll(east ? side - length + 1 : side);
      const y = roll(east ? side : side - length + 1);
      const cells = Array.from({ length }, (_, n) => (east ? `${x + n},${y}` : `${x},${y + n}`));
      if (cells.some((cell) => taken.has(cell))) continue;
      cells.forEach((cell) => taken.add(cell));
      return `${name} ${x} ${y} ${east ? 'East' : 'North'}`;
    }
  }).join('\n');
}

function shoot(cells, roll) {
  const fresh = cells.filter((cell) => !cell.Damaged && !cell.Missed);
  const { X, Y } = fresh.length ? fresh[roll(fresh.length)] : cells[0];
  return `${SINGLE_SHOT},${X},${Y}`;
}

function decide(state, key, seed) {
  const roll = dice(seed, key, state.Round);
  if (state.Phase === 1) return ['place.txt', place(state.MapDimension, roll)];
  return ['command.txt', shoot(state.OpponentMap.Cells, roll)];
}

function main([key, folder]) {
  const state = JSON.parse(fs.readFileSync(path.join(folder, 'state.json'), 'utf8'));
  const [file, text] = decide(state, key, process.env.JOUST_SEED || '');
  fs.writeFileSync(path.join(folder, file), `${text}\n`);
}

if (require.main === module) main(process.argv.slice(2));
module.exports = { decide };
