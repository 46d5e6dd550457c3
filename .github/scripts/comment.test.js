// node --test .github/scripts/comment.test.js
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { test } = require('node:test');

const { commentFor, commentOnIssue, commentOnPullRequest, harmless, LARGEST_COMMENT, MARKER } = require('./comment.js');

/** What Markdown and GitHub would make something of, found outside code. */
function meaning(text) {
  const outside = text
    .replace(/^(`{3,})text\n[^]*?\n\1$/gm, '')
    .replace(/\\`/g, ' ')
    .replace(/(?<!`)(`+)(?!`)[^\n]*?[^`\n]\1(?!`)/g, ' ')
    .replace(/\\[!-/:-@[-`{-~]/g, ' ')
    .replace(/^<details><summary>[^<]*<\/summary>$/gm, '')
    .replace(/^<\/details>$/gm, '');
  return outside.match(/[<>[\]!&~$^]|@(?!\u200b)|:\/\/|\bwww\.|#(?=[0-9])/g);
}

const HOSTILE = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<!-- joust: tournament -->',
  '![x](https://evil.example/pixel.png)',
  '[click](javascript:alert(1))',
  '[a]: https://evil.example',
  '<https://evil.example>',
  'https://evil.example www.evil.example http://evil.example/',
  '@everyone @org/team please look',
  'fixes #1, closes owner/repo#2, GH-3',
  '&lt;script&gt;alert(1)&lt;/script&gt; &#64;everyone &#x40;everyone',
  '\\@everyone \\<b\\>',
  '| a | <b>x</b> | [y](z) |\n|---|---|---|\n| @x | ![i](j) | `<i>` |',
  '</details></details><h1>big</h1>',
  '<details><summary><img src=x> @everyone</summary>',
  '<details><summary>a</summary>\n\n</details>\n</details>\n<b>',
  '# @everyone <b>',
  '- [ ] task @everyone',
  '**<b>@everyone**',
  '$\\ce{x}$ $$\\unicode{x}$$',
  '[^1]: note',
  '````\n<b>\n```\n@everyone\n',
  '~~~\n```\n@everyone\n~~~\n@everyone',
  '\u202eevil\u202c \u200b@\u200beveryone \u001b[31mred',
  '<\u0000b>@\u0000everyone',
  '===\n---\n***',
  '`` a `b` `` <b> `` ` `` <i> `c``d` <u>',
  '`a`<b>`c',
  '``<b>`',
  '- ```<b>',
  '` ``` ` <b> `` ` <i>',
  '**`a** <b> `',
];

test('nothing hostile means anything', () => {
  for (const text of HOSTILE) assert.deepEqual(meaning(harmless(text)), null, `${text}\n=>\n${harmless(text)}`);
});

test('nothing hostile means anything inside a table, a heading, a fold or an item', () => {
  for (const hostile of HOSTILE) {
    const flat = hostile.replace(/\n/g, ' ').replace(/\|/g, '\\|');
    const text = `# ${flat}\n\n| a | b |\n|---|--:|\n| ${flat} | 1 |\n\n- ${flat}\n\n<details><summary>${flat}</summary>\n\nx\n\n</details>\n`;
    assert.deepEqual(meaning(harmless(text)), null, harmless(text));
  }
});

test('mentions stay broken even when escapes are undone', () => {
  const text = 'hello @everyone and &#64;everyone and \\@everyone, #12, GH-12, owner/repo#3';
  for (const kind of [text, `<details><summary>${text}</summary>`]) {
    const shown = harmless(kind).replace(/\\([!-/:-@[-`{-~])/g, '$1').replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code));
    assert.equal(/@\w|#\d|GH-\d/.test(shown), false, shown);
  }
});

test('commits are not named', () => {
  for (const name of ['0123abc', '0123456', 'abcdef0123'.repeat(4)]) assert.equal(harmless(name), `${name.slice(0, 6)}\u200b${name.slice(6)}`);
  for (const name of ['0123ab', 'abcdef0123'.repeat(4) + 'a', 'defaced1x']) assert.equal(harmless(name), name);
});

test('a short text makes no endless table', () => {
  const text = `${'|a'.repeat(3000)}|\n${'|-'.repeat(3000)}|\n${'|b|\n'.repeat(3000)}`;
  assert.ok(harmless(text).length < 100000);
});

test('addresses are broken behind a stroke, too', () => {
  const text = harmless('_www.evil.example __mailto:x@evil.example _GH-12');
  const shown = text.replace(/\\([!-/:-@[-`{-~])/g, '$1');
  assert.equal(/www\.|mailto:|GH-\d/i.test(shown), false, shown);
});

test('code cannot end its fence', () => {
  assert.equal(harmless('`````\n````\n@everyone\n`````'), '`````text\n````\n@everyone\n`````');
  assert.equal(harmless('~~~\n```\n@everyone'), '````text\n```\n@everyone\n````');
});

test('what joust writes looks as it was meant', () => {
  const text = '## League\n\n| # | bot | points |\n|--:|---|--:|\n| 1 | my\\_bot | 3 |\n\n**2 of 3** bouts, `build` failed:\n\n- one\n\n<details><summary>log of my\\_bot</summary>\n\n```\nerror: <b>\n```\n\n</details>\n';
  assert.equal(
    harmless(text),
    '## League\n\n| \\# | bot | points |\n| --: | --- | --: |\n| 1 | my\\_bot | 3 |\n\n**2 of 3** bouts\\, `build` failed\\:\n\n- one\n\n<details><summary>log of my&#95;bot</summary>\n\n```text\nerror: <b>\n```\n\n</details>\n\n',
  );
});

test('code spans with backticks in them stay what they are', () => {
  assert.equal(harmless('`` it belongs to `ann` ``'), '`` it belongs to `ann` ``');
  assert.equal(harmless('| `a` | b |\n|---|---|\n| `my_bot` | ` |'), '\n| `a` | b |\n| --- | --- |\n| `my_bot` | \\` |\n');
});

test('folds are closed however many were opened', () => {
  const text = harmless('<details><summary>a</summary>\n<details><summary>b</summary>\nx');
  assert.equal(text.match(/^<\/details>$/gm).length, 2);
  assert.equal(/^<\/details>$/m.test(harmless('</details>')), false);
});

function folder() {
  return fs.mkdtempSync(path.join(os.tmpdir(), 'joust-comment-'));
}

test('an endless text fits into a comment', () => {
  const file = path.join(folder(), 'summary.md');
  for (const text of ['x'.repeat(5e6), '<'.repeat(5e6), '@#'.repeat(2e6), 'a\n'.repeat(2e6), '|'.repeat(3e6), '\u00e4'.repeat(2e6)]) {
    fs.writeFileSync(file, text);
    const comment = commentFor(file, 'end');
    assert.ok(comment.length <= LARGEST_COMMENT + 100, `${comment.length}`);
    assert.ok(comment.includes('too long for a comment') && comment.endsWith('end\n'));
  }
});

test('only a plain file is read', () => {
  const here = folder();
  fs.writeFileSync(path.join(here, 'secret'), 'secret');
  fs.symlinkSync(path.join(here, 'secret'), path.join(here, 'link'));
  assert.equal(commentFor(path.join(here, 'link'), 'x'), null);
  assert.equal(commentFor(here, 'x'), null);
  assert.equal(commentFor(path.join(here, 'none'), 'x'), null);
});

/** A GitHub with one open pull request and the given comments. */
function fake(comments) {
  const calls = [];
  const record = (name) => async (what) => void calls.push([name, what]);
  const github = {
    paginate: async () => comments,
    rest: {
      pulls: { list: async ({ head }) => ({ data: head === 'eve:main' ? [{ number: 7, head: { sha: 'abc' } }] : [] }) },
      actions: { listWorkflowRunArtifacts: async () => ({ data: { artifacts: [{ name: 'summary', id: 41 }, { name: 'database', id: 42 }] } }) },
      issues: { listComments: null, createComment: record('create'), updateComment: record('update') },
    },
  };
  const run = { id: 1, head_sha: 'abc', head_branch: 'main', conclusion: 'failure', html_url: 'https://github.com/o/r/actions/runs/1', head_repository: { owner: { login: 'eve' } } };
  const context = { repo: { owner: 'o', repo: 'r' }, runId: 1, payload: { workflow_run: run } };
  const failures = [];
  const core = { info: () => {}, setFailed: (why) => failures.push(why) };
  return { calls, failures, run, arguments: (file) => ({ github, context, core, file }) };
}

test('a comment is written once and updated from then on', async () => {
  const file = path.join(folder(), 'summary.md');
  fs.writeFileSync(file, '## Moved');
  const first = fake([{ id: 1, user: { type: 'User' }, body: `${MARKER} forged` }]);
  await commentOnPullRequest(first.arguments(file));
  assert.equal(first.calls[0][0], 'create');
  assert.equal(first.calls[0][1].issue_number, 7);
  const second = fake([{ id: 9, user: { type: 'Bot' }, body: first.calls[0][1].body }]);
  await commentOnPullRequest(second.arguments(file));
  assert.deepEqual([second.calls[0][0], second.calls[0][1].comment_id], ['update', 9]);
});

test('a comment links the uploads and the page of each replay', async () => {
  const file = path.join(folder(), 'summary.md');
  fs.writeFileSync(file, '- against `bob`: bout `0123`, played by `replays/bout-0123.html`\n- `replays/../x.html` `replays/a.html)(b`\n```\n`replays/c.html`\n```\n');
  const one = fake([]);
  await commentOnPullRequest(one.arguments(file));
  const { body } = one.calls[0][1];
  const summary = 'https://github.com/o/r/actions/runs/1/artifacts/41';
  assert.ok(body.includes(`played by [\`replays/bout-0123.html\`](${summary})`), body);
  assert.equal(body.split(summary).length, 3, body);
  assert.ok(body.includes('[the database with every bout](https://github.com/o/r/actions/runs/1/artifacts/42)'), body);
});

test('another commit or a closed pull request gets no comment', async () => {
  const one = fake([]);
  one.run.head_sha = 'def';
  await commentOnPullRequest(one.arguments('none'));
  assert.deepEqual(one.calls, []);
});

test('a fork that is gone gets no comment', async () => {
  const one = fake([]);
  one.run.head_repository = null;
  await commentOnPullRequest(one.arguments('none'));
  assert.deepEqual(one.calls, []);
});

test('a run without a summary says how it ended', async () => {
  const one = fake([]);
  await commentOnPullRequest(one.arguments('/nowhere/summary.md'));
  assert.match(one.calls[0][1].body, /ended as `failure` without a summary/);
});

test('an issue that is no number is refused', async () => {
  const one = fake([]);
  await commentOnIssue({ ...one.arguments('none'), issue: '1; rm' });
  assert.equal(one.failures.length, 1);
});
