// node --test .github/scripts/compare-figures.test.js
'use strict';

const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { test } = require('node:test');

const { compare, figures } = require('./compare-figures.js');

const lines = (...all) => all.map(([name, ratio]) => JSON.stringify({ name, ratio })).join('\n');
const compared = (now, earlier) => compare(figures(lines(...now)), figures(lines(...earlier)));

test('a figure more than a tenth above the earlier one is a warning', () => {
  const { table, warnings } = compared([['turn', 1.2], ['tick', 1.1], ['site', 0.5]], [['turn', 1], ['tick', 1], ['site', 1]]);
  assert.deepEqual(warnings, ['turn: 1.000 before, 1.200 now']);
  assert.match(table, /\| turn \| 1\.000 \| 1\.200 \| \+20\.0 % \|/);
  assert.match(table, /\| site \| 1\.000 \| 0\.5000 \| -50\.0 % \|/);
});

test('a new figure has nothing to be compared with', () => {
  const { table, warnings } = compared([['turn', 1], ['new', 7]], [['turn', 1]]);
  assert.deepEqual(warnings, []);
  assert.match(table, /\| new \| - \| 7\.000 \| - \|/);
});

test('a figure that is no longer measured is a warning', () => {
  assert.deepEqual(compared([['turn', 1]], [['turn', 1], ['tick', 2]]).warnings, ['tick: measured before, and not now']);
});

test('several measurements count with their median', () => {
  assert.equal(figures(lines(['turn', 9], ['turn', 1], ['turn', 2])).get('turn'), 2);
});

test('what is no figure is left out', () => {
  const garbage = ['', 'null', '7', '{', '[]', '{"name":1,"ratio":1}', '{"name":"a","ratio":"1"}', '{"name":"a","ratio":0}',
    '{"name":"a","ratio":-1}', '{"name":"a","ratio":1e999}', '{"ratio":1}', '{"name":"a|b","ratio":1}',
    '{"name":"::error::x","ratio":1}', '{"name":"a\\nb","ratio":1}', '{"name":"<img>","ratio":1}'];
  assert.equal(figures(garbage.join('\n')).size, 0);
  assert.equal(figures(lines(...Array.from({ length: 9000 }, (_, at) => [`f${at}`, 1]))).size, 500);
});

test('the program writes the summary and the warnings, also without earlier figures', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'figures-'));
  const file = (name, text) => (fs.writeFileSync(path.join(folder, name), text), path.join(folder, name));
  const run = (...files) => {
    const summary = path.join(folder, 'summary');
    fs.rmSync(summary, { force: true });
    const env = { ...process.env, GITHUB_STEP_SUMMARY: summary };
    const { status, stdout } = spawnSync(process.execPath, [path.join(__dirname, 'compare-figures.js'), ...files], { env });
    return { status, stdout: String(stdout), summary: fs.existsSync(summary) && fs.readFileSync(summary, 'utf8') };
  };
  const [now, earlier] = [file('now', lines(['turn', 2])), file('earlier', lines(['turn', 1]))];
  const worse = run(now, earlier);
  assert.deepEqual([worse.status, worse.stdout], [0, '::warning title=benchmarks::turn: 1.000 before, 2.000 now\n']);
  assert.match(worse.summary, /\+100\.0 %/);
  const first = run(now, path.join(folder, 'none'));
  assert.deepEqual([first.status, first.stdout], [0, '']);
  assert.match(first.summary, /\| turn \| - \| 2\.000 \| - \|/);
  assert.equal(run(file('empty', ''), earlier).status, 1);
  fs.rmSync(folder, { recursive: true });
});
