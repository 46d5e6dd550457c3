// Looks at pages with axe-core: see `check-pages`.
'use strict';

const fs = require('fs');
const path = require('path');
const { pathToFileURL } = require('url');
const puppeteer = require('puppeteer-core');
const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const LOOKS = [
  { width: 1280, height: 800, theme: 'light' },
  { width: 1280, height: 800, theme: 'dark' },
  { width: 390, height: 844, theme: 'light' },
  { width: 390, height: 844, theme: 'dark' },
];
const MOST_PAGES = 40;

// What kind of page a path is: names of events and bots, and ids, are left out.
function kindOf(url, start) {
  const inner = url.slice(start.length);
  const kinds = [/^$|^index\.html$/, /^[\w-]+\.html$/, /\/bots\//, /\/bouts\//, /\/matches\//];
  const found = kinds.findIndex((kind) => kind.test(inner));
  return found === 1 || found < 0 ? inner.replace(/^[^/]*\//, 'event/') : String(found);
}

async function linksOf(page) {
  return page.$$eval('a[href]', (links) => links.map((link) => link.href.split(/[#?]/)[0]));
}

async function look(page, url, { width, height, theme }) {
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
  await page.goto(url, { waitUntil: 'load' });
  // Boards and replays come a moment after the page.
  await new Promise((done) => setTimeout(done, 1500));
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run({ resultTypes: ['violations'] }));
  return { wider, violations: found.violations };
}

function told(url, { width, theme }, { wider, violations }) {
  const lines = violations.map(
    (one) => `${one.impact}: ${one.id}: ${one.help}: ${one.nodes[0].target.join(' ')} (${one.nodes.length})`,
  );
  if (wider > 0) {
    lines.push(`serious: ${wider} pixels wider than the screen`);
  }
  lines.forEach((line) => console.log(`${url} ${width} ${theme}: ${line}`));
  return lines.filter((line) => /^(serious|critical)/.test(line)).length;
}

async function main() {
  const [where, option, pictures] = process.argv.slice(2);
  if (!where || (option && option !== '--pictures')) {
    console.error('usage: scripts/check-pages URL|FILE [--pictures DIR]');
    process.exit(2);
  }
  const first = /^https?:/.test(where) ? where : pathToFileURL(path.resolve(where)).href;
  const start = first.slice(0, first.lastIndexOf('/') + 1);
  const browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    args: ['--no-sandbox', '--allow-file-access-from-files'],
  });
  const page = await browser.newPage();
  await page.setBypassCSP(true);
  const [waiting, kinds] = [[first], new Set()];
  let serious = 0;
  while (waiting.length > 0 && kinds.size < MOST_PAGES) {
    const url = waiting.shift();
    const kind = kindOf(url, start);
    if (!url.startsWith(start) || kinds.has(kind) || !/(\/|\.html)$/.test(url)) {
      continue;
    }
    kinds.add(kind);
    for (const as of LOOKS) {
      serious += told(url, as, await look(page, url, as));
      if (pictures) {
        fs.mkdirSync(pictures, { recursive: true });
        const name = `${kind.replace(/\W+/g, '-') || 'first'}-${as.width}-${as.theme}.png`;
        await page.screenshot({ path: path.join(pictures, name), fullPage: true });
      }
    }
    waiting.push(...(await linksOf(page)));
  }
  await browser.close();
  console.log(`${kinds.size} kinds of pages, ${serious} serious findings`);
  process.exit(serious > 0 ? 1 : 0);
}

main();
