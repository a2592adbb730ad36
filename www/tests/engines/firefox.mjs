// Firefox as distributions have it, driven by WebDriver BiDi. What BiDi has no word for, the browser's own scripts do:
// that is what `--remote-allow-system-access` is for. Every engine of this folder has the same exports, which browser.mjs
// explains.
import { firefox } from 'playwright-core';

export const executable = process.env.FIREFOX || '/usr/bin/firefox-esr';
export const cannot = {
  'drop folders': 'Firefox has no protocol that drops files of the machine',
  'use a pen': 'no pen is driven in Firefox here',
  'read the clipboard': 'Firefox asks people before a page reads what was copied',
  'refuse images that end too early': 'Firefox draws a JPEG that ends too early as if it were whole',
  'balance rows': 'Firefox balances lines of text, not what stands in lines',
  'click twice': 'Firefox counts no clicks that come by its protocol',
  'stream what became shorter': 'a stream of Firefox over a file that became shorter neither gives anything nor fails',
  'choose folders': 'Firefox has no protocol that chooses a folder of the machine',
};

/** What a page of Chromium sees where nothing else is asked for. */
const LOOK = {
  'layout.css.prefers-color-scheme.content-override': 1,
  'browser.display.document_color_use': 0,
  'ui.prefersReducedMotion': 0,
};
const PREFERENCES = {
  ...LOOK,
  'dom.w3c_touch_events.enabled': 1,
  // Its panel would take the next key.
  'browser.download.alwaysOpenPanel': false,
  // So that the store may begin anew with a limit of its own.
  'dom.quotaManager.testing': true,
  // Nothing is fetched that no test asked for.
  'app.normandy.enabled': false,
  'browser.newtabpage.activity-stream.asrouter.providers.cfr': '',
  'browser.region.update.enabled': false,
  'extensions.systemAddon.update.enabled': false,
};

export async function launch(more) {
  const names = more.map((flag) => /^--host-resolver-rules=MAP (\S+) 127\.0\.0\.1$/.exec(flag)?.[1]);
  const browser = await firefox.launch({
    channel: 'moz-firefox',
    executablePath: executable,
    args: ['--remote-allow-system-access'],
    firefoxUserPrefs: { ...PREFERENCES, 'network.dns.localDomains': names.filter(Boolean).join() },
  });
  mend(Object.getPrototypeOf(sessionOf(browser)));
  return browser;
}

/** What Playwright and this Firefox do not yet agree on. */
function mend(sessions) {
  if (sessions.mended) return;
  const { send, emit } = sessions;
  Object.assign(sessions, {
    mended: true,
    // It sets the colors of each page with a command that this Firefox does not know; `prepare` does it then.
    send: async function (method, params) {
      return method === 'emulation.setMediaFeaturesOverride' ? {} : send.call(this, method, params);
    },
    // It knows downloads by numbers that this Firefox does not give them.
    emit: function (type, event) {
      const named =
        /^browsingContext\.download/.test(type) && !event.navigation ? { download: event.url, ...event } : event;
      return emit.call(this, type, named);
    },
  });
}

/** Containers of Firefox keep what is stored in files, as profiles do. */
export async function launchWithProfile() {
  const browser = await launch([]);
  const context = await browser.newContext();
  context.on('close', () => browser.close());
  return context;
}

/** Colors are of the whole browser: a page has them until the next one is made. */
export async function prepare(browserOrContext, { colorScheme, forcedColors, reducedMotion, ...options }) {
  const look = { ...LOOK };
  if (colorScheme === 'dark') look['layout.css.prefers-color-scheme.content-override'] = 0;
  if (forcedColors === 'active') look['browser.display.document_color_use'] = 2;
  if (reducedMotion === 'reduce') look['ui.prefersReducedMotion'] = 1;
  await system(browserOrContext.browser?.() ?? browserOrContext, setPreferences, look);
  // Fingers come with every page.
  const { hasTouch, isMobile, ...rest } = options;
  return rest;
}

export async function slowDown() {
  throw new Error('FOREBAY_SLOW: Firefox cannot be slowed down');
}

/** Kills the process that the page lives in. */
export async function crash(page) {
  const pid = await system(
    page.context().browser(),
    (id) => {
      // Playwright wants a browser to end with its first page.
      Services.env.set('MOZ_CRASHREPORTER_SHUTDOWN', '');
      return pageOf(id).currentWindowGlobal.domProcess.osPid;
    },
    idOf(page),
  );
  process.kill(pid, 'SIGKILL');
  await gone(pid);
}

export async function limitStorage(page, bytes) {
  // In KiB, of all origins; one gets the fifth part of it, but at least 10 MiB.
  const limit = bytes === null ? -1 : Math.ceil((bytes * 5) / 1024);
  await system(page.context().browser(), setPreferences, { 'dom.quotaManager.temporaryStorage.fixedLimit': limit });
  // The limit is read where the store begins anew.
  await system(page.context().browser(), () => new Promise((done) => (Services.qms.reset().callback = () => done(0))));
}

export async function dropFiles() {
  throw new Error(cannot['drop folders']);
}

export async function pen() {
  throw new Error(cannot['use a pen']);
}

/** Steps: for each, where every finger is. */
export async function touch(page, steps, hold) {
  const fingers = steps[0].map((_, finger) => ({
    type: 'pointer',
    id: `finger${finger}`,
    parameters: { pointerType: 'touch' },
    actions: [
      ...steps.flatMap((step, k) => {
        const [x, y] = step[finger].map(Math.round);
        const move = { type: 'pointerMove', x, y, duration: k ? 16 : 0 };
        return k ? [move] : [move, { type: 'pointerDown', button: 0 }, { type: 'pause', duration: hold }];
      }),
      { type: 'pointerUp', button: 0 },
    ],
  }));
  await sessionOf(page.context().browser()).send('input.performActions', { context: idOf(page), actions: fingers });
}

const sessionOf = (browser) => browser._connection.toImpl(browser)._browserSession;
const idOf = (page) => page._connection.toImpl(page).delegate._session.sessionId;

/** Runs a function with the rights of the browser itself; `pageOf` is a page by its id. */
async function system(browser, body, ...args) {
  const session = sessionOf(browser);
  const { contexts } = await session.send('browsingContext.getTree', { 'moz:scope': 'chrome' });
  const help = `const pageOf = (id) => {
    const { NavigableManager } = ChromeUtils.importESModule('chrome://remote/content/shared/NavigableManager.sys.mjs');
    return NavigableManager.getBrowsingContextById(id);
  };`;
  const answer = await session.send('script.evaluate', {
    expression: `(async () => { ${help} return (${body})(...${JSON.stringify(args)}); })()`,
    target: { context: contexts[0].context },
    awaitPromise: true,
  });
  if (answer.type === 'exception') throw new Error(`Firefox: ${answer.exceptionDetails.text}`);
  return answer.result.value;
}

/* global Services */
function setPreferences(all) {
  for (const [name, value] of Object.entries(all)) Services.prefs.setIntPref(name, value);
}

async function gone(pid) {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await new Promise((go) => setTimeout(go, 10));
  }
}
