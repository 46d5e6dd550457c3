// Looks at pages with axe-core: see `check-pages`.
//
//   node check-pages.js URL|FILE [DIR] [playing]
//
// `playing`: they are pages of a run, which has to be under way as long as they are looked at.
'use strict';

const fs = require('fs');
const path = require('path');
const { pathToFileURL } = require('url');
const puppeteer = require('puppeteer-core');
const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const SCREENS = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];
const THEMES = ['light', 'dark'];
const MOST_PAGES = 60;
// Milliseconds: pictures that fade and boards that are drawn are still after so long.
const STILL = 300;

// What kind of page a path is: which bot, match or bout it is does not count, nor, while they are played one
// after the other, of which event.
function kindOf(inner, playing) {
  const kind = inner.replace(/(^|\/)(bots|bouts|matches)\/[^/?]*/, '$1$2').replace(/(^|\/)index\.html/, '$1');
  return (playing ? kind.replace(/^[^/]*\//, 'event/') : kind) || 'first';
}

async function open(page, url, screen) {
  await page.setViewport(screen);
  // Another page between, or an address that differs in its round alone would not be loaded anew.
  await page.goto('about:blank');
  const answer = await page.goto(url, { waitUntil: 'load' });
  if (answer && answer.status() >= 400) {
    throw new Error(`status ${answer.status()}`);
  }
  await page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'));
}

async function look(page) {
  await new Promise((done) => setTimeout(done, STILL));
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run({ resultTypes: ['violations'] }));
  const lines = violations.map(
    (one) => `${one.impact}: ${one.id}: ${one.help}: ${one.nodes[0].target.join(' ')} (${one.nodes.length})`,
  );
  lines.push(...complaints.splice(0));
  return wider > 0 ? [...lines, `serious: ${wider} pixels wider than the screen`] : lines;
}

// What the page or its scripts have complained of since this was asked last.
const complaints = [];

function listen(page) {
  page.on('pageerror', (error) => complaints.push(`serious: error of the page: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') {
      complaints.push(`serious: error on the console: ${message.text()} (${message.location().url ?? 'no address'})`);
    }
  });
}

// Tells what is found, and how much of it is serious.
function told(where, lines) {
  lines.forEach((line) => console.log(`${where}: ${line}`));
  return lines.filter((line) => /^(serious|critical)/.test(line)).length;
}

async function lookAtAll(page, url, kind, pictures) {
  let serious = 0;
  for (const screen of SCREENS) {
    await open(page, url, screen);
    for (const theme of THEMES) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
      serious += told(`${url} ${screen.width} ${theme}`, await look(page));
      if (pictures) {
        const name = `${kind.replace(/\W+/g, '-')}-${screen.width}-${theme}.png`;
        await page.screenshot({ path: path.join(pictures, name), fullPage: true });
      }
    }
  }
  return serious;
}

// Addresses that a page leads to; of a bout with a replay also that of the board alone.
async function linksOf(page, url) {
  const links = await page.$$eval('a[href]', (all) => all.map((link) => link.href.split(/[#?]/)[0]));
  const isBout = /\/bouts\//.test(url) && !url.endsWith('?embed');
  return isBout ? [`${url}?embed`, ...links] : links;
}

const isPlaying = (page) =>
  page.evaluate(() => / of \d+ bouts/.test(document.querySelector('.live-line')?.textContent));

async function main() {
  const [where, pictures, playing] = process.argv.slice(2);
  const first = /^https?:/.test(where) ? where : pathToFileURL(path.resolve(where)).href;
  const start = first.slice(0, first.lastIndexOf('/') + 1);
  const browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    args: ['--no-sandbox', '--allow-file-access-from-files'],
  });
  const page = await browser.newPage();
  await page.setBypassCSP(true);
  listen(page);
  // Of pages that are made while every core plays.
  page.setDefaultTimeout(120000);
  if (pictures) {
    fs.mkdirSync(pictures, { recursive: true });
  }
  const [waiting, kinds] = [[first], new Set()];
  let [serious, whilePlaying] = [0, 0];
  while (waiting.length > 0 && kinds.size < MOST_PAGES) {
    const url = waiting.shift();
    const kind = kindOf(url.slice(start.length), playing);
    if (!url.startsWith(start) || kinds.has(kind) || !/(\/|\.html(\?embed)?)$/.test(url)) {
      continue;
    }
    kinds.add(kind);
    try {
      serious += await lookAtAll(page, url, kind, pictures);
      whilePlaying += (await isPlaying(page)) ? 1 : 0;
      waiting.push(...(await linksOf(page, url)));
    } catch (error) {
      serious += told(url, [`serious: it cannot be looked at: ${error.message}`]);
    }
  }
  await browser.close();
  const during = playing ? `, ${whilePlaying} of them while bouts were played` : '';
  console.log(`${kinds.size} kinds of pages${during}, ${serious} serious findings`);
  process.exit(serious > 0 ? 1 : 0);
}

main();
