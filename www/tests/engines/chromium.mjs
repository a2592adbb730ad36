// Chromium, driven by its own protocol. Every engine of this folder has the same exports, which browser.mjs explains.
import { chromium } from 'playwright-core';
import { findChromium } from '../../../scripts/lib/chromium.mjs';

export const executable = findChromium();
/** What this engine cannot do that another can: a test names it, and is skipped with the reason. */
export const cannot = {};

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const launch = (more) => chromium.launch({ executablePath: executable, args: [...FLAGS, ...more] });

export const launchWithProfile = (folder) =>
  chromium.launchPersistentContext(folder, { executablePath: executable, args: FLAGS });

/** Options of a page that are set by hand; the protocol knows them all. */
export const prepare = async (_browser, options) => options;

export async function slowDown(page, rate) {
  await (await session(page)).send('Emulation.setCPUThrottlingRate', { rate });
}

export async function crash(page) {
  const crashed = page.waitForEvent('crash');
  const { send } = bound(await session(page));
  void send('Page.crash').catch(() => {});
  await crashed;
}

export async function limitStorage(page, bytes) {
  const origin = new URL(page.url()).origin;
  await (await session(page)).send('Storage.overrideQuotaForOrigin', { origin, quotaSize: bytes ?? undefined });
}

export async function dropFiles(page, files, { x, y }) {
  const data = { items: [], files, dragOperationsMask: 1 };
  const { send } = bound(await session(page));
  for (const type of ['dragEnter', 'dragOver', 'drop']) await send('Input.dispatchDragEvent', { type, x, y, data });
}

/** Steps: for each, where every finger is. */
export async function touch(page, steps, hold) {
  const { send } = bound(await session(page));
  const points = (step) => step.map(([x, y], id) => ({ x, y, id }));
  await send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: points(steps[0]) });
  if (hold) await new Promise((go) => setTimeout(go, hold));
  for (const step of steps.slice(1))
    await send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: points(step) });
  await send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
}

/** A pen: `what` is `Pressed`, `Moved` or `Released`. */
export async function pen(page, what, [x, y]) {
  const held = what === 'Released' ? 0 : 1;
  const { send } = bound(await session(page));
  await send('Input.dispatchMouseEvent', {
    ...{ type: `mouse${what}`, x, y, button: 'left', buttons: held },
    ...{ clickCount: what === 'Moved' ? 0 : 1, pointerType: 'pen' },
  });
}

const sessions = new WeakMap();
async function session(page) {
  if (!sessions.has(page)) sessions.set(page, await page.context().newCDPSession(page));
  return sessions.get(page);
}
const bound = (one) => ({ send: (method, params) => one.send(method, params) });
