// What the viewer says: every text of it is a message, and a language that is handed in is spoken everywhere.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { build } from 'esbuild';
import ts from 'typescript';
import { ROOT, axe, launch, newPage, serveFolder, until, visit } from '../browser.mjs';
import { SLOW } from '../slow.mjs';

const SOURCE = join(ROOT, 'www/viewer/src');
const folder = mkdtempSync(join(tmpdir(), 'forebay-messages-'));
const parts = {};
let browser, site;
before(async () => {
  await build({
    stdin: {
      contents: `export * from './messages/en.ts'; export * from './messages/language.ts'; export * from './ui/wording.ts';
        export { msg as curating } from './messages/curating.ts'; export { msg as shell, rich } from './messages/shell.ts';`,
      resolveDir: SOURCE,
      loader: 'ts',
    },
    bundle: true,
    format: 'esm',
    outfile: join(folder, 'messages.mjs'),
    logLevel: 'error',
  });
  Object.assign(parts, await import(join(folder, 'messages.mjs')));
  browser = await launch();
  site = await serveFolder(process.env.FOREBAY_FAKE_SITE ?? join(ROOT, 'target/viewer-fake'));
});
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await browser?.close();
  site?.server.close();
});

/** The sources, without the messages themselves. */
const sources = () =>
  readdirSync(SOURCE, { recursive: true })
    .filter((name) => name.endsWith('.ts') && !name.startsWith('messages'))
    .map((name) => ({ name, text: readFileSync(join(SOURCE, name), 'utf8') }));

/** All messages as `[room, name, text]`. */
const all = () =>
  Object.entries(parts.en).flatMap(([room, texts]) => Object.entries(texts).map(([name, text]) => [room, name, text]));

test('every message is used', () => {
  const files = sources();
  const outliers = readFileSync(join(ROOT, 'src/curate/outliers.rs'), 'utf8');
  const layouts = readFileSync(join(ROOT, 'www/lib/src/base/boxes.ts'), 'utf8').match(/LAYOUTS = .*/)[0];
  const unused = all().filter(([room, name]) => {
    // Reasons to stand out are found by what the core calls them.
    if (room === 'curating' && outliers.includes(`=> "${name}"`)) return false;
    // What four numbers can be is said by the package's word for it.
    if (room === 'samples' && layouts.includes(`"${name}"`)) return false;
    return !files.some(({ text }) => text.includes(`messages/${room}.ts"`) && text.includes(`"${name}"`));
  });
  assert.deepEqual(
    unused.map(([room, name]) => `${room}.${name}`),
    [],
  );
});

test('every message is whole: its places are closed, its numbers have a form for all others, its ends have no space', () => {
  const walk = (pieces) =>
    pieces.flatMap((piece) => {
      if (typeof piece === 'string') return /[{}]/.test(piece) ? [`brace in ${piece}`] : [];
      if (!/^[A-Za-z]\w*$/.test(piece.place)) return [`place ${piece.place}`];
      if (!piece.forms) return [];
      return [...('other' in piece.forms ? [] : ['no other']), ...Object.values(piece.forms).flatMap(walk)];
    });
  for (const [room, name, text] of all()) {
    assert.deepEqual(walk(parts.piecesOf(text)), [], `${room}.${name}`);
    assert.equal(text, text.trim(), `${room}.${name}`);
  }
});

/** What of a template people read: text between tags, and what is read out. */
function wordsOf(template) {
  const text = ts.isNoSubstitutionTemplateLiteral(template)
    ? template.text
    : template.head.text + template.templateSpans.map((span) => `\0${span.literal.text}`).join('');
  const read = [...text.matchAll(/\s(?:title|aria-label|placeholder|label|hint|alt)="([^"]*)"/g)].map((m) => m[1]);
  const between = text
    .replace(/<(code|kbd)>[^<]*<\/\1>/g, '')
    .replace(/<(?:"[^"]*"|[^">])*>/g, '\0')
    .split('\0');
  return [...read, ...between].map((one) => one.trim()).filter((one) => /[A-Za-z]{2}/.test(one));
}
/** Names, which are the same in every language. */
const NAMES = new Set(['Forebay', 'cls', 'Ctrl+A']);

test('no template says anything by itself', () => {
  const found = [];
  for (const { name, text } of sources()) {
    const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
    const visit = (node) => {
      if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'html')
        for (const words of wordsOf(node.template)) if (!NAMES.has(words)) found.push(`${name}: ${words}`);
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  assert.deepEqual(found, []);
});

test('numbers choose their forms by the rules of the language, and what is missing is English', () => {
  const { addMessages, speak, shell, bytes, count, short } = parts;
  assert.equal(shell('samples', { length: 1 }), '1 sample');
  assert.equal(shell('samples', { length: 12_345 }), '12,345 samples');
  addMessages('pl', {
    shell: { samples: '{length, plural, one {# próbka} few {# próbki} many {# próbek} other {# próbki}}' },
  });
  assert.equal(speak('pl-PL'), true);
  assert.equal(speak('pl-PL'), false);
  assert.deepEqual(
    [1, 2, 5, 22, 12_345].map((length) => shell('samples', { length })),
    ['1 próbka', '2 próbki', '5 próbek', '22 próbki', '12\u00a0345 próbek'],
  );
  assert.equal(shell('rows', { length: 1 }), '1 row');
  assert.equal(bytes(20_100_000), '20,1 MB');
  // Nobody handed in Danish: nothing of it is spoken, numbers neither. English has more than one way to write numbers.
  speak('da');
  assert.equal(count(12_345), '12,345');
  speak('en-IN');
  assert.equal(count(1_234_567), '12,34,567');
  speak('not a language');
  assert.deepEqual([count(1e6), bytes(999), bytes(1500), short(12_345)], ['1,000,000', '999 B', '1.5 kB', '12.3k']);
});

test("a translator's slip stops nothing, and elements stand where their places are", () => {
  const { addMessages, speak, shell, rich } = parts;
  addMessages('de', { shell: { samples: '{length, plural, one {# Bild}', rows: '{', open: 'Auf: {name}' } });
  speak('de');
  assert.equal(shell('samples', { length: 1 }), '1 Bild');
  assert.equal(shell('samples', { length: 2 }), '');
  assert.equal(typeof shell('rows', { length: 2 }), 'string');
  const element = {};
  assert.deepEqual(rich('open', { name: element }), ['Auf: ', element]);
  speak('en');
});

test('an error of the core is said by its code, if the language has words for it', () => {
  const { addMessages, speak, trouble } = parts;
  const error = Object.assign(new Error('expected a field [filter.syntax]'), { code: 'filter.syntax' });
  assert.equal(trouble(error).message, 'Expected a field');
  addMessages('fr', { errors: { 'filter.syntax': 'le filtre est mal écrit' } });
  speak('fr');
  assert.deepEqual([trouble(error).message, trouble(error).code], ['Le filtre est mal écrit', 'filter.syntax']);
  speak('en');
});

// A language that nobody speaks: English in strange letters and a third longer, so that what is left of English is seen.

const STRANGE = new Map();
for (const [plain, other] of 'aà bƀ cçdđ eë fƒ gĝ hħ iï jĵ kķ lľ mɱ nñ oö pþ qʠ rŕ sš tţ uü vṽ wŵ xẋ yý zž'.match(
  /\S\S/g,
)) {
  STRANGE.set(plain, other);
  STRANGE.set(plain.toUpperCase(), other.toUpperCase());
}
const strange = (text) => text.replace(/Forebay|[A-Za-z]/g, (c) => STRANGE.get(c) ?? c);
/** A message in it: its places and the names of forms stay. */
function pseudo(message) {
  const write = (pieces, number) =>
    pieces
      .map((piece) => {
        if (typeof piece === 'string') return strange(piece);
        if (piece.place === number) return '#';
        if (!piece.forms) return `{${piece.place}}`;
        const forms = Object.entries(piece.forms).map(([form, of]) => `${form} {${write(of, piece.place)}}`);
        return `{${piece.place}, plural, ${forms.join(' ')}}`;
      })
      .join('');
  const longer = 'ãẽĩõũ '.repeat(Math.ceil(message.replace(/\{.*\}/g, '').length / 18)).trim();
  return `${write(parts.piecesOf(message))} ${longer}`;
}

/** Opens a page that speaks it. */
async function strangePage(hash, { dir, ...options } = {}) {
  const texts = Object.fromEntries(
    Object.entries(parts.en).map(([room, all]) => [
      room,
      Object.fromEntries(Object.entries(all).map(([name, text]) => [name, pseudo(text)])),
    ]),
  );
  const page = await newPage(browser, options);
  await page.addInitScript(
    ({ texts, dir }) => {
      addEventListener('DOMContentLoaded', () => {
        if (dir) document.documentElement.dir = dir;
        const viewer = document.querySelector('forebay-viewer');
        if (viewer) Object.assign(viewer, { lang: 'en-XA', messages: texts });
      });
    },
    { texts, dir },
  );
  await visit(page, `${site.url}#${hash}`);
  return page;
}

/** Every text that is seen or read out, but what stands in a place of data. */
const shownTexts = (page) =>
  page.evaluate(() => {
    // Data and code are not the viewer's words.
    const DATA = 'code, kbd, pre, bdi, style, .value, .key, [data-data], option, .list, h1, .class, .caption, title';
    const found = [];
    const look = (root) => {
      for (const element of root.querySelectorAll('*')) {
        if (element.shadowRoot) look(element.shadowRoot);
        if (element.matches(DATA) || element.parentElement?.closest(DATA)) continue;
        for (const name of ['aria-label', 'title', 'placeholder', 'alt', 'aria-valuetext']) {
          const text = element.getAttribute(name);
          if (text) found.push([`${element.localName}@${name}`, text]);
        }
        for (const node of element.childNodes)
          if (node.nodeType === 3 && node.data.trim()) found.push([element.localName, node.data.trim()]);
      }
    };
    look(document.body);
    return found;
  });
/** Words of data, formats, units and keys: the same in every language. */
const KNOWN =
  /\b(Basel|Kyoto|Lima|Oslo|Turin|feature_\d+|string|[fiu]\d+|bool|score|ok|my tag|a test|vector|dictionary|json\.[\w.]+|json|the (payload's )?checksum differs|payload|group|guide|TBL|TAR|ZIP|TBF|IDV|CSV|TSV|Parquet|Arrow|CVAT|COCO|YOLO|VIA|LabelMe|Label Studio|CreateML|Pascal VOC|Forebay|kB|MB|GB|TurboLoader|Deflate|ML\.NET|jpeg|png|webp|jpg|boat|buoy|gull|pier|none|warehouse|tbl|tbf|SHA|image|Ctrl|cls|width|height|aspect|name|label|\w+\.(png|jpg|tbl|tbf|jsonl?|tar|csv)|null|true|false|id|age|city|bytes|format|fake|pixels?)\b/g;
async function noEnglish(page, where) {
  const left = (await shownTexts(page)).filter(([, text]) => /[A-Za-z]{2,}/.test(text.replace(KNOWN, '')));
  assert.deepEqual(left, [], `English is left ${where}`);
}
/** Nothing is wider than the page, and no button cuts off what it says. */
async function fits(page, where) {
  const wide = await page.evaluate(() => {
    const found = [];
    const { clientWidth } = document.documentElement;
    if (document.documentElement.scrollWidth > clientWidth) found.push(`page ${document.documentElement.scrollWidth}`);
    const look = (root) => {
      for (const element of root.querySelectorAll('*')) {
        if (element.shadowRoot) look(element.shadowRoot);
        if (!element.matches('button, [role=tab], legend, dialog') || !element.checkVisibility()) continue;
        // What scrolls sideways by itself may be as wide as it is.
        if (element.closest('[popover], .scroll, .wide')) continue;
        const { left, right, width } = element.getBoundingClientRect();
        if (width > 0 && (left < -1 || right > clientWidth + 1))
          found.push(`${element.localName} ${element.textContent.trim().slice(0, 40)}: ${left} to ${right}`);
      }
    };
    look(document.body);
    return found;
  });
  assert.deepEqual(wide, [], where);
}

const SCREENS = [
  ['', 'forebay-welcome'],
  ['file=300.tbl&i=8', 'forebay-sample .sum.good'],
  ['file=300.tbl&view=table', '[role=grid] [role=row]'],
  ['file=2000.tbf&i=3', 'forebay-row'],
];
for (const [width, dir] of [
  [1280, 'ltr'],
  [360, 'ltr'],
  [1280, 'rtl'],
])
  test(`in strange letters nothing is English and nothing is cut off, ${width} pixels wide from ${dir === 'ltr' ? 'left' : 'right'}`, async () => {
    for (const [hash, ready] of SCREENS) {
      const where = `at ${hash || 'the beginning'}`;
      const page = await strangePage(hash, { dir, viewport: { width, height: 800 } });
      await page.locator(ready).first().waitFor();
      await page.waitForTimeout(300);
      await noEnglish(page, where);
      await fits(page, where);
      // What a button shows and what it is called are two messages, and each of them is made longer by itself.
      const wrong = (await axe(page)).filter((text) => !text.startsWith('label-content-name-mismatch'));
      assert.deepEqual(wrong, [], where);
      assert.deepEqual(page.faults, []);
      await page.close();
    }
  });

test('dialogs speak it too', SLOW, async () => {
  for (const [hash, keys] of [
    ['file=300.tbl', { c: 'check', e: 'convert', i: 'about', l: 'labels', '?': 'help' }],
    ['file=2000.tbf', { c: 'check', e: 'convert-table', i: 'about' }],
  ]) {
    const page = await strangePage(hash);
    await page.locator('.tile, [role=grid] [role=row]').first().waitFor();
    for (const [key, name] of Object.entries(keys)) {
      await page.locator('.scroll').focus();
      await page.keyboard.press(key);
      await page.locator(`forebay-${name} dialog[open]`).waitFor();
      await page.waitForTimeout(300);
      await noEnglish(page, `in ${name}`);
      await fits(page, name);
      await page.keyboard.press('Escape');
      await page.locator(`forebay-${name} dialog[open]`).waitFor({ state: 'detached' });
    }
    assert.deepEqual(page.faults, []);
    await page.close();
  }
});

test('a language may be changed while something is open, and taken back', async () => {
  const page = await newPage(browser);
  await visit(page, `${site.url}#file=300.tbl&i=3`);
  const heading = page.locator('forebay-sample h2');
  await heading.waitFor();
  const say = (lang, messages) =>
    page.evaluate(
      ({ lang, messages }) => {
        document.documentElement.lang = lang;
        if (messages) document.querySelector('forebay-viewer').messages = messages;
      },
      { lang, messages },
    );
  await say('de', { pictures: { sample2: 'Bild {index}' }, shell: { check: 'Prüfen' } });
  await until(async () => (await heading.innerText()) === 'Bild 3', 'German is spoken');
  await page.getByRole('button', { name: 'Prüfen' }).waitFor();
  await say('en');
  await until(async () => (await heading.innerText()) === 'Sample 3', 'English is spoken again');
  assert.deepEqual(page.faults, []);
  await page.close();
});
