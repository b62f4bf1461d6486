// The few commands of WebDriver (W3C) that the tests in WebKit need, spoken to
// Debian's WebKitWebDriver: playwright's own WebKit is a browser that nobody uses.

import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { createServer } from "node:net";

/** How long anything may take to show, in milliseconds. */
const PATIENCE = 120_000;

/** The name under which WebDriver gives a reference to an element. */
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

/** Finds the first element of a selector whose text has a part, by way of the shadow roots. */
const FIND = `
  const [steps, text] = arguments;
  let roots = [document], found = [];
  for (const step of steps) {
    found = roots.flatMap((root) => [...root.querySelectorAll(step)]);
    roots = found.map((host) => host.shadowRoot).filter((root) => root !== null);
  }
  return found.find((element) => element.textContent.includes(text)) ?? null;`;

/** Where Debian has WebKitGTK's browser for tests. */
function browserPath() {
  const libraries = "/usr/lib";
  for (const folder of readdirSync(libraries)) {
    if (!folder.endsWith("-linux-gnu")) continue;
    const kit = readdirSync(`${libraries}/${folder}`).find((name) => name.startsWith("webkit2gtk-4"));
    if (kit !== undefined) return `${libraries}/${folder}/${kit}/MiniBrowser`;
  }
  throw new Error("there is no MiniBrowser; install the package webkit2gtk-driver");
}

/** A port that is free now. @returns {Promise<number>} */
async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("there is no free port");
  return address.port;
}

/** Starts the driver; close ends it, and its browsers with it. */
export async function startDriver() {
  const port = await freePort();
  const driver = spawn("WebKitWebDriver", [`--port=${port}`], {
    stdio: "ignore",
    env: { ...process.env, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1" }, // it is for users who are not root
  });
  const base = `http://127.0.0.1:${port}`;
  await until("the driver", async () => {
    try {
      return (await fetch(`${base}/status`)).ok;
    } catch {
      return false; // it does not listen yet
    }
  });
  return {
    /** Opens a browser with a fresh profile. */
    async open() {
      const options = { binary: browserPath(), args: ["--automation"] };
      const session = await command(`${base}/session`, "POST", {
        capabilities: { alwaysMatch: { "webkitgtk:browserOptions": options } },
      });
      return new Browser(`${base}/session/${session.sessionId}`, session.capabilities.browserVersion);
    },
    close: () => void driver.kill(),
  };
}

/**
 * @param {string} url
 * @param {string} method
 * @param {unknown} [body]
 * @returns {Promise<any>}
 */
async function command(url, method, body) {
  const response = await fetch(url, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const { value } = /** @type {{ value: any }} */ (await response.json());
  if (!response.ok) throw new Error(`${value.error}: ${value.message}`);
  return value;
}

/**
 * Looks again and again until something is so.
 * @template T
 * @param {string} what
 * @param {() => Promise<T>} look
 */
async function until(what, look) {
  const end = Date.now() + PATIENCE;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`${what}: not seen in ${PATIENCE / 1000} seconds`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** One browser with one page. */
export class Browser {
  #session;
  version;

  /**
   * @param {string} session
   * @param {string} version
   */
  constructor(session, version) {
    this.#session = session;
    this.version = version;
  }

  /** @param {string} url */
  go(url) {
    return command(`${this.#session}/url`, "POST", { url });
  }

  reload() {
    return command(`${this.#session}/refresh`, "POST", {});
  }

  /**
   * What the body of a function gives in the page.
   * @param {string} script
   * @param {...unknown} args
   */
  run(script, ...args) {
    return command(`${this.#session}/execute/sync`, "POST", { script, args });
  }

  /**
   * Waits until an element is there whose text has a part, and gives its address. What
   * is in a shadow root is behind ">>>".
   * @param {string} selector
   * @param {string} [text]
   * @returns {Promise<string>}
   */
  see(selector, text = "") {
    return until(`${selector} with "${text}"`, async () => {
      const found = await this.run(FIND, selector.split(" >>> "), text);
      return found && `${this.#session}/element/${found[ELEMENT]}`;
    });
  }

  /** Waits for the engine. */
  ready() {
    return this.see("#engine-state[data-state=ready]");
  }

  /** @param {string} selector */
  async click(selector) {
    await command(`${await this.see(selector)}/click`, "POST", {});
  }

  /**
   * Types at the end of what an element holds, with the keys of the keyboard.
   * @param {string} selector
   * @param {string} text
   */
  async type(selector, text) {
    await this.click(selector);
    const actions = [...text].flatMap((value) => [
      { type: "keyDown", value },
      { type: "keyUp", value },
    ]);
    await command(`${this.#session}/actions`, "POST", { actions: [{ type: "key", id: "keyboard", actions }] });
  }

  /** A picture of the page, as PNG. @returns {Promise<Buffer>} */
  async picture() {
    return Buffer.from(await command(`${this.#session}/screenshot`, "GET"), "base64");
  }

  close() {
    return command(this.#session, "DELETE");
  }
}
