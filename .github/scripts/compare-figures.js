// Compares the figures of benchmarks with those of the night before.
//
//   node compare-figures.js NOW [EARLIER]
//
// A line of a file is a figure: `{"name": "turn in a seat, posix_spawn", "ratio": 1.02}`, a cost as a multiple of a reference
// that was measured in the same run, so that machines of different speed can be compared. A figure that was measured several
// times counts with its median. The table goes into the summary of the job; a figure that is more than a tenth above the
// earlier one is a warning, and so is one that is no longer measured.
'use strict';

const fs = require('node:fs');

/** Growth of a ratio that is a warning. */
const GROWTH = 1.1;
/** Bytes of a file that are read, and figures. */
const LARGEST = 1 << 20;
const MOST = 500;
/** Names of figures: nothing that Markdown or a workflow command would make something of. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9 ,:.'/()_-]{0,99}$/;

/** Returns the median of each figure by its name; other lines are left out. */
function figures(text) {
  const all = new Map();
  for (const line of text.slice(0, LARGEST).split('\n')) {
    let figure;
    try {
      figure = JSON.parse(line);
    } catch {
      continue;
    }
    const { name, ratio } = figure ?? {};
    const isFigure = typeof name === 'string' && NAME.test(name) && Number.isFinite(ratio) && ratio > 0;
    if (!isFigure || (all.size >= MOST && !all.has(name))) continue;
    all.set(name, [...(all.get(name) ?? []), ratio]);
  }
  const median = (ratios) => ratios.sort((one, other) => one - other)[Math.floor((ratios.length - 1) / 2)];
  return new Map([...all].map(([name, ratios]) => [name, median(ratios)]));
}

/** Returns the table of all figures, and the warnings. */
function compare(now, earlier) {
  const shown = (ratio) => (ratio === undefined ? '-' : ratio.toPrecision(4));
  const warnings = [];
  const rows = ['| cost, reference | before | now | change |', '|---|---:|---:|---:|'];
  for (const name of [...new Set([...now.keys(), ...earlier.keys()])].sort()) {
    const [before, after] = [earlier.get(name), now.get(name)];
    const change = before && after ? after / before : undefined;
    if (after === undefined) warnings.push(`${name}: measured before, and not now`);
    if (change > GROWTH) warnings.push(`${name}: ${shown(before)} before, ${shown(after)} now`);
    const percent = change === undefined ? '-' : `${change < 1 ? '' : '+'}${((change - 1) * 100).toFixed(1)} %`;
    rows.push(`| ${name} | ${shown(before)} | ${shown(after)} | ${percent} |`);
  }
  return { table: `${rows.join('\n')}\n`, warnings };
}

function main([now, earlier]) {
  const read = (file) => (file && fs.existsSync(file) ? figures(fs.readFileSync(file, 'utf8')) : new Map());
  const measured = read(now);
  if (measured.size === 0) throw new Error('no benchmark recorded a figure');
  const { table, warnings } = compare(measured, read(earlier));
  warnings.forEach((warning) => console.log(`::warning title=benchmarks::${warning}`));
  fs.appendFileSync(process.env.GITHUB_STEP_SUMMARY || '/dev/stdout', table);
}

if (require.main === module) main(process.argv.slice(2));

module.exports = { compare, figures };
