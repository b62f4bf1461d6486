// The address bar carries what the page shows, so that copying it is sharing. It does not where the
// reader has switched that off, where nothing may be kept on the machine, where a text looks like a
// secret, and where the link would be too long.

import { byID } from "./dom.ts";
import type { EngineClient } from "./engine-client.ts";
import { keepsNothing } from "./kept.ts";
import { rememberLink } from "./own-links.ts";
import type { Scenario } from "./protocol.ts";
import { isChanged, same } from "./store.ts";

/** How long nobody types before the address follows, in milliseconds. */
const REST = 700;

/** From this length on an address is of no use, in characters. */
const LONG = 8000;

const KEY = "preadmit.address";

export class LiveAddress {
  readonly #engine: EngineClient;
  readonly #now: () => Scenario;
  readonly #switch = byID("share-live", HTMLInputElement);
  #timer = 0;
  /** The link that it wrote last. */
  #written = "";

  /** now is the scenario that the page shows. */
  constructor(engine: EngineClient, now: () => Scenario) {
    this.#engine = engine;
    this.#now = now;
    try {
      this.#switch.checked = localStorage.getItem(KEY) !== "off";
    } catch {
      // Storage is off: as by default.
    }
    this.#switch.addEventListener("change", () => {
      try {
        localStorage.setItem(KEY, this.#switch.checked ? "on" : "off");
      } catch {
        // The choice does not outlast the tab.
      }
      this.follow();
    });
  }

  /** The page shows another scenario. */
  follow(): void {
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => void this.#write(), REST);
  }

  async #write(): Promise<void> {
    // An address that names what is shown stays: an example, or a link that was opened.
    if (!isChanged() || (location.hash !== "" && location.hash !== this.#written)) return;
    const scenario = this.#now();
    const link = this.#switch.checked && !keepsNothing() ? await this.#linkOf(scenario).catch(() => "") : "";
    if (!isChanged() || !same(scenario, this.#now()) || location.hash === link) return;
    if (link !== "") rememberLink(link, this.#written);
    history.replaceState(history.state, "", location.pathname + link);
    this.#written = link;
  }

  /** The link; empty where the address must not carry it. */
  async #linkOf(scenario: Scenario): Promise<string> {
    const [{ encodeLink }, { secretIn }] = await Promise.all([import("./link.ts"), import("./secrets.ts")]);
    if (secretIn(scenario) !== undefined) return "";
    const link = encodeLink(scenario);
    if (link.length > LONG) return "";
    const { found, unread } = await this.#engine.call("secrets", { scenario });
    return found.length + unread.length > 0 ? "" : link;
  }
}
