// Writes a text from a stranger into a comment.
//
// No part of the text is trusted: it may be anything that a pull request chose to upload. It is cut to a maximum size and
// invisible characters are removed. Then it is rebuilt: headings, tables, lists, code and folds are recognised by their lines
// and written by this file, and their contents are escaped character by character, so that they contain no link, image, mention,
// reference, HTML or Markdown. All structure in the comment is written by this file.
'use strict';

const fs = require('node:fs');

/** Bytes of a text that are read; GitHub takes comments of 65,536 characters. */
const LARGEST = 60000;
/** Characters of a comment after escaping. */
const LARGEST_COMMENT = 64000;
/** Mark by which our own comment is found again; a text cannot contain it, because `<` is escaped. */
const MARKER = '<!-- joust: tournament -->';
/** Names of the pages that play a bout, within the upload `summary`. */
const REPLAY = /^replays\/[0-9A-Za-z_-]{1,80}\.html$/;
/** Invisible character that breaks a word, so that programs do not recognise it. */
const BREAK = '\u200b';

/** Removes control characters, and characters that hide text or reverse its direction. */
function visible(text) {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/\t/g, '    ')
    .replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, '')
    .replace(/[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]/g, '')
    .replace(/[\u{e0000}-\u{e0fff}\u{1d173}-\u{1d17a}]/gu, '')
    .replace(/[\ud800-\udfff]/gu, '\ufffd');
}

/** Undoes the escapes of the Markdown that joust writes, so that they are not escaped twice. */
function plain(text) {
  const names = { lt: '<', gt: '>', amp: '&', quot: '"' };
  const code = (number) => (number > 31 && number < 0x110000 ? String.fromCodePoint(number) : '');
  const decoded = text
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/&(?:(lt|gt|amp|quot)|#(\d{1,7})|#x([0-9a-f]{1,6}));/gi, (whole, name, decimal, hex) =>
      name ? names[name.toLowerCase()] : code(decimal ? Number(decimal) : parseInt(hex, 16)));
  return visible(decoded).replace(/\n/g, ' ');
}

/** Breaks names, numbers of issues and commits, and addresses, which are looked for in the text that is shown, escaped or not. */
function unlinked(text) {
  return plain(text)
    .replace(/@/g, `@${BREAK}`)
    .replace(/#(?=[0-9])/g, `#${BREAK}`)
    .replace(/(?<![a-z0-9])gh-(?=[0-9])/gi, `$&${BREAK}`)
    .replace(/(?<![a-z0-9])[0-9a-f]{6}(?=[0-9a-f]{1,34}(?![a-z0-9]))/gi, `$&${BREAK}`)
    .replace(/:\/\//g, `:${BREAK}//`)
    .replace(/(?<![a-z0-9])(?:www|mailto|xmpp)(?=[.:])/gi, `$&${BREAK}`);
}

/** Escapes a text for the inside of a line, so that it is shown as it is, without any markup. */
function escaped(text) {
  return unlinked(text).replace(/[!-/:-@[-`{-~]/g, (sign) => `\\${sign}`);
}

/** Returns a text in a code fence that it cannot close. */
function fenced(lines) {
  const longest = lines.join('\n').match(/`+/g) || [];
  const fence = '`'.repeat(Math.max(2, ...longest.map((run) => run.length)) + 1);
  return [`${fence}text`, ...lines, fence];
}

/** Splits a row of a table at the strokes that are not escaped. */
function cells(line) {
  return line.trim().replace(/^\|/, '').replace(/\|$/, '').split(/(?<!\\)\|/).map((cell) => cell.trim());
}

const isRow = (line) => /^\s{0,3}\|.*\|\s*$/.test(line);
const isRule = (line) => isRow(line) && cells(line).every((cell) => /^:?-+:?$/.test(cell));
const row = (cells) => `| ${cells.join(' | ')} |`;

/** Rebuilds a table: a heading, a rule with as many cells, and rows, of which GitHub leaves out further cells. */
function table(lines) {
  const [head, rule, ...rows] = lines.map(cells);
  const sides = head.map((_, at) => ((rule[at] || '').endsWith(':') ? '--:' : '---'));
  const written = (line) => row(line.slice(0, head.length).map((cell) => emphasised(cell) || ' '));
  return [written(head), row(sides), ...rows.map(written)];
}

/** Rebuilds one line that is neither code nor a table. */
function line(text) {
  const heading = /^(#{1,6}) +(.*)$/.exec(text);
  if (heading) return `${'#'.repeat(Math.max(2, heading[1].length))} ${emphasised(heading[2].trim()) || ' '}`;
  const item = /^( {0,6})[-*] +(.*)$/.exec(text);
  if (item) return `${item[1]}- ${emphasised(item[2])}`;
  return emphasised(text.trim());
}

const SPAN = /\*\*([^*\n]+)\*\*|(?<!`)(`+)(?!`)([^\n]*?[^`\n])\2(?!`)/g;

/** Keeps `**strong**` and code spans of one line; everything else is escaped, including the text inside `**`. */
function emphasised(text) {
  let out = '';
  let from = 0;
  for (const span of text.matchAll(SPAN)) {
    out += escaped(text.slice(from, span.index));
    from = span.index + span[0].length;
    out += span[1] === undefined ? (out.endsWith('`') ? ' ' : '') + code(span[3]) : `**${escaped(span[1].trim())}**`;
  }
  return out + escaped(text.slice(from));
}

/** Returns a code span that its text cannot end; nothing in it is interpreted, not even a mention. */
function code(text) {
  const inside = visible(text).replace(/\n/g, ' ').replace(/^ (.*) $/, '$1');
  const runs = (inside.match(/`+/g) || []).map((run) => run.length);
  const fence = '`'.repeat(Math.max(0, ...runs) + 1);
  const blank = inside.startsWith('`') || inside.endsWith('`') || inside.trim() === '' ? ' ' : '';
  return `${fence}${blank}${inside || ' '}${blank}${fence}`;
}

/** Links the names of pages with replays, which a harmless text has in code spans, to the upload that holds them. */
function linked(text, address) {
  if (!address) return text;
  let isCode = false;
  return text.split('\n').map((one) => {
    if (/^`{3,}/.test(one)) isCode = !isCode || !/^`+$/.test(one);
    return isCode ? one : one.replace(/(?<!`)`([^`]+)`(?!`)/g, (span, name) => (REPLAY.test(name) ? `[${span}](${address})` : span));
  }).join('\n');
}

/** Rebuilds a whole text; see the top of this file. */
function harmless(text) {
  const lines = visible(text).split('\n');
  const out = [];
  let folds = 0;
  for (let at = 0; at < lines.length; at += 1) {
    const current = lines[at];
    const fence = /^ {0,3}(`{3,}|~{3,})/.exec(current);
    const fold = /^<details><summary>(.*)<\/summary>$/.exec(current.trim());
    if (fence) {
      const closes = new RegExp(`^ {0,3}\\${fence[1][0]}{${fence[1].length},}\\s*$`);
      let end = at + 1;
      while (end < lines.length && !closes.test(lines[end])) end += 1;
      out.push(...fenced(lines.slice(at + 1, end)));
      at = end;
    } else if (isRow(current) && at + 1 < lines.length && isRule(lines[at + 1])) {
      let end = at + 2;
      while (end < lines.length && isRow(lines[end])) end += 1;
      out.push('', ...table(lines.slice(at, end)), '');
      at = end - 1;
    } else if (fold) {
      folds += 1;
      out.push('', `<details><summary>${html(fold[1])}</summary>`, '');
    } else if (current.trim() === '</details>' && folds > 0) {
      folds -= 1;
      out.push('', '</details>', '');
    } else {
      out.push(line(current));
    }
  }
  while (folds > 0) {
    folds -= 1;
    out.push('', '</details>');
  }
  return out.join('\n').replace(/\n{3,}/g, '\n\n');
}

/** Escapes a text for the inside of an HTML element; every special character becomes a number. */
function html(text) {
  return unlinked(text.replace(/<[^<>]*>/g, ''))
    .replace(/[!-/:-@[-`{-~]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** Reads what was uploaded; `null` when it is not there or no plain file. */
function uploaded(file) {
  let descriptor;
  try {
    descriptor = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
    if (!fs.fstatSync(descriptor).isFile()) return null;
    const bytes = Buffer.alloc(LARGEST + 1);
    const length = fs.readSync(descriptor, bytes, 0, bytes.length, 0);
    const text = new TextDecoder('utf-8').decode(bytes.subarray(0, Math.min(length, LARGEST)));
    return { text, isCut: length > LARGEST };
  } catch {
    return null;
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}

/** Returns the whole comment for an uploaded file, with our own last line; `replays` is the address of the upload with the replays. */
function commentFor(file, footer, replays) {
  const found = uploaded(file);
  if (!found) return null;
  let text = found.text;
  let { isCut } = found;
  let body = harmless(text);
  // Escapes make a text longer, so less of it is kept.
  while (body.length > LARGEST_COMMENT) {
    isCut = true;
    text = text.slice(0, Math.floor(text.length * 0.8));
    body = harmless(text);
  }
  const cut = isCut ? '\n\n*The rest is too long for a comment.*' : '';
  const withLinks = linked(body, replays);
  if (withLinks.length <= LARGEST_COMMENT) body = withLinks;
  return `${body}${cut}\n\n${footer}\n`;
}

/** Returns the pull request of a finished run, from GitHub alone; `null` when it was closed or has changed since. */
async function pullRequestOf(run, github, repo) {
  if (!run.head_repository || !run.head_branch) return null; // a fork that is gone
  const head = `${run.head_repository.owner.login}:${run.head_branch}`;
  const { data } = await github.rest.pulls.list({ ...repo, state: 'open', head, per_page: 100 });
  return data.find((pull) => pull.head.sha === run.head_sha) || null;
}

/** Returns the addresses of a run's uploads, by name, built from GitHub's own numbers and from no uploaded content. */
async function uploadsOf(run, github, repo) {
  const { data } = await github.rest.actions.listWorkflowRunArtifacts({ ...repo, run_id: run.id, per_page: 100 });
  return Object.fromEntries(data.artifacts.map(({ name, id }) => [name, `${run.html_url}/artifacts/${Number(id)}`]));
}

/** Writes or updates the one comment of a pull request's tournament. */
async function commentOnPullRequest({ github, context, core, file }) {
  const run = context.payload.workflow_run;
  const pull = await pullRequestOf(run, github, context.repo);
  if (!pull) return core.info('no open pull request has this commit any more');
  const uploads = await uploadsOf(run, github, context.repo);
  const link = (text, name) => (uploads[name] ? `[${text}](${uploads[name]})` : text);
  const footer = `<sub>[The run](${run.html_url}) has ${link('the summary with its replays', 'summary')} and ${link('the database with every bout', 'database')}.</sub>`;
  const text = commentFor(file, footer, uploads.summary)
    || `The tournament ended as \`${/^[a-z_]{1,20}$/.test(run.conclusion) ? run.conclusion : 'unknown'}\` without a summary.\n\n${footer}\n`;
  const body = `${MARKER}\n${text}`;
  const issue = { ...context.repo, issue_number: pull.number };
  const comments = await github.paginate(github.rest.issues.listComments, { ...issue, per_page: 100 });
  const ours = comments.find((one) => one.user && one.user.type === 'Bot' && (one.body || '').startsWith(MARKER));
  if (ours) return github.rest.issues.updateComment({ ...context.repo, comment_id: ours.id, body });
  return github.rest.issues.createComment({ ...issue, body });
}

/** Writes the verdict on a dispute under its issue. */
async function commentOnIssue({ github, context, core, file, issue }) {
  if (!/^[1-9][0-9]{0,8}$/.test(issue)) return core.setFailed('the issue is told by its number');
  const { owner, repo } = context.repo;
  const footer = `<sub>[The run](https://github.com/${owner}/${repo}/actions/runs/${context.runId}) that played it again.</sub>`;
  const body = commentFor(file, footer);
  if (!body) return core.setFailed('there is no verdict');
  return github.rest.issues.createComment({ owner, repo, issue_number: Number(issue), body });
}

module.exports = { commentFor, commentOnIssue, commentOnPullRequest, harmless, LARGEST_COMMENT, MARKER };
