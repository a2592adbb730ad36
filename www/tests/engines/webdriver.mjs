// WebKitGTK, driven by W3C WebDriver: Playwright knows no WebKit of a distribution. What its few tests need, and no more.
import { spawn } from 'node:child_process';

const KEY = 'element-6066-11e4-a52e-4f735466cecf';

/**
 * Starts a virtual screen, the driver and a window; `stop` ends them. `run` evaluates a function in the page, where
 * `find` looks for a selector inside of all components; `until` waits for one to be true.
 */
export async function start({ driver, browser, screen }) {
  const children = [];
  const begin = (command, args, env) => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    });
    children.push(child);
    return child;
  };
  const end = () => {
    for (const child of children.reverse()) child.kill();
  };
  try {
    // The screen says which number it has.
    const shown = begin(screen, ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp']);
    const display = String(await new Promise((resolve) => shown.stdio[3].once('data', resolve))).trim();
    const port = await freePort();
    begin(driver, [`--port=${port}`, '--host=local'], {
      DISPLAY: `:${display}`,
      // There is nothing to be drawn fast, and containers have no second one for its processes.
      WEBKIT_DISABLE_COMPOSITING_MODE: '1',
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
    });
    const call = async (method, path, body) => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      const { value } = await answer.json();
      if (!answer.ok) throw new Error(`${method} ${path}: ${value?.error}: ${value?.message}`);
      return value;
    };
    const options = { binary: browser, args: ['--automation'] };
    const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': options } };
    const { sessionId, capabilities: has } = await patient(() => call('POST', '/session', { capabilities }));
    const at = `/session/${sessionId}`;
    await call('POST', `${at}/timeouts`, { script: 120_000, pageLoad: 120_000 });
    const page = {
      version: has.browserVersion,
      go: (url) => call('POST', `${at}/url`, { url }),
      run: async (body, ...args) => {
        const script = `const done = arguments[arguments.length - 1]; const find = ${find};
          Promise.resolve((${body})(...[...arguments].slice(0, -1))).then((value) => done({ value }), (e) => done({ failed: String(e) }));`;
        const { value, failed } = await call('POST', `${at}/execute/async`, { script, args });
        if (failed) throw new Error(failed);
        return value;
      },
      async until(body, ...args) {
        for (const end = Date.now() + 60_000; ; ) {
          const value = await page.run(body, ...args).catch(() => null);
          if (value) return value;
          if (Date.now() > end) throw new Error(`never came true: ${body} of ${JSON.stringify(args)}`);
          await new Promise((go) => setTimeout(go, 100));
        }
      },
      /** Types into an element, or gives a file field its files. */
      async type(selector, text) {
        const script = `const find = ${find}; return find(arguments[0]);`;
        const element = await call('POST', `${at}/execute/sync`, { script, args: [selector] });
        await call('POST', `${at}/element/${element[KEY]}/value`, { text });
      },
      stop: () =>
        call('DELETE', at)
          .catch(() => {})
          .finally(end),
    };
    return page;
  } catch (e) {
    end();
    throw e;
  }
}

/** Runs in the page: the first element of a selector that says a text, inside of all components. */
function find(selector, text = '', root = document) {
  for (const element of root.querySelectorAll('*')) {
    if (element.matches(selector) && (element.innerText ?? element.textContent ?? '').includes(text)) return element;
    const inside = element.shadowRoot && find(selector, text, element.shadowRoot);
    if (inside) return inside;
  }
  return null;
}

/** A driver that was just started does not listen yet. */
async function patient(body) {
  for (const end = Date.now() + 60_000; ; ) {
    try {
      return await body();
    } catch (e) {
      if (Date.now() > end || !(e.cause?.code === 'ECONNREFUSED')) throw e;
      await new Promise((go) => setTimeout(go, 100));
    }
  }
}

async function freePort() {
  const { createServer } = await import('node:net');
  const server = createServer();
  await new Promise((go) => server.listen(0, '127.0.0.1', go));
  const { port } = server.address();
  await new Promise((go) => server.close(go));
  return port;
}
