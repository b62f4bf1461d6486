// The element <preadmit-example>: makes a readable piece of code on any page runnable. It has no
// dependency, sets no inline style and builds nothing until the reader asks for it. embed.ts is
// the script that defines it, npm/element.ts the module. The attributes are those of embed-attributes.ts.

import { PASSED_ON } from "./embed-attributes.ts";
import { newName } from "./embed-channel.ts";

/** The name of the element. */
export const NAME = "preadmit-example";

/** The site whose pages are shown. */
let site = "";

/** The name by which the frames of this page know that they belong together. */
const thisPage = newName();

/** The height of what runs, in pixels, when the page gives none and its text is lower. */
export const LEAST = 420;

class PreadmitExample extends HTMLElement {
  connectedCallback(): void {
    if (this.shadowRoot !== null) return;
    const root = this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [style()];
    const box = document.createElement("div");
    box.className = "box";
    const height = this.#height();
    if (height !== undefined) box.style.height = height;
    const text = document.createElement("div");
    text.className = "text";
    text.append(document.createElement("slot"));
    const run = document.createElement("button");
    run.type = "button";
    run.textContent = "Run this";
    run.addEventListener("click", () => {
      run.disabled = true;
      this.#open(box, true);
    });
    const link = document.createElement("a");
    link.href = this.#playground();
    link.target = "_blank";
    link.rel = "noopener";
    link.textContent = "Open in playground";
    const bar = document.createElement("div");
    bar.className = "bar";
    bar.append(run, link);
    // What the page shows stays visible until the frame is there.
    box.append(text, bar);
    root.append(box);
    // What the site has made the result of needs no engine yet.
    if (this.hasAttribute("at-once")) this.#open(box, this.hasAttribute("scenario"));
  }

  #playground(): string {
    const scenario = this.getAttribute("scenario");
    return scenario === null ? `${site}#example=${this.getAttribute("example") ?? ""}` : site + scenario;
  }

  /** The frame takes the place of the text: as high as that was, or as the page says, from now on. */
  #open(box: HTMLElement, run: boolean): void {
    theHub();
    if (this.#height() === undefined) box.style.height = `${Math.max(LEAST, box.offsetHeight)}px`;
    const frame = document.createElement("iframe");
    frame.src = this.#address(run);
    if (this.hasAttribute("at-once")) frame.loading = "lazy";
    frame.title = this.getAttribute("title") ?? "Kubernetes admission, evaluated";
    frame.allow = "clipboard-write";
    box.classList.add("is-loading");
    frame.addEventListener(
      "load",
      () => {
        box.className = "box is-run";
        for (const part of [...box.children]) if (part !== frame) part.remove();
        if (!this.hasAttribute("at-once")) frame.focus();
      },
      { once: true },
    );
    box.append(frame);
  }

  #address(run: boolean): string {
    const query = new URLSearchParams({ ...(run && { run: "1" }), hub: thisPage });
    for (const name of PASSED_ON) {
      const value = this.getAttribute(name);
      if (value !== null) query.set(name, value);
    }
    const scenario = this.getAttribute("scenario");
    if (scenario !== null) return `${site}embed/?${query.toString()}${scenario}`;
    const example = (this.getAttribute("example") ?? "").replace(/[^a-z0-9-]/g, "");
    return `${site}embed/examples/${example}/?${query.toString()}`;
  }

  #height(): string | undefined {
    const height = this.getAttribute("height");
    return height === null ? undefined : /^\d+$/.test(height) ? `${height}px` : height;
  }
}

let hub: HTMLIFrameElement | undefined;

/**
 * Adds the hidden frame that holds the workers of all examples of this page. The frames
 * find each other by themselves (embed-channel.ts), by the name of the page.
 */
function theHub(): void {
  if (hub !== undefined) return;
  hub = document.createElement("iframe");
  hub.src = `${site}embed/engine/?page=${thisPage}`;
  hub.title = "Preadmit engine";
  hub.hidden = true;
  hub.style.display = "none";
  document.body.append(hub);
}

function style(): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    :host { display: block; margin-block: 1em; }
    .box { position: relative; display: flex; flex-direction: column; overflow: hidden; }
    .text { flex: 1 1 auto; min-height: 0; overflow: auto; }
    :host([height]) .text { display: flex; flex-direction: column; }
    .text ::slotted(:first-child) { margin-top: 0; }
    .bar { flex: none; display: flex; gap: 1rem; align-items: center; padding: .35rem 0; font-size: 0.875rem; line-height: 1.4; }
    button { font: inherit; font-weight: 600; padding: .3rem .8rem; border: 1px solid rgb(255 255 255 / .35); border-radius: 6px; background: #0e5a73; color: #fff; cursor: pointer; }
    button:focus-visible, a:focus-visible { outline: 2px solid currentColor; outline-offset: 2px; }
    a { color: inherit; }
    iframe { position: absolute; inset: 0; box-sizing: border-box; width: 100%; height: 100%; border: 1px solid rgb(128 128 128 / .35); border-radius: 6px; opacity: 0; pointer-events: none; }
    .is-run > iframe { opacity: 1; pointer-events: auto; }
    .is-loading::after { content: ""; position: absolute; inset: 0 0 auto; height: 3px; background: linear-gradient(90deg, transparent, #2a87a5, transparent) 0 / 40% 100% no-repeat; animation: wait 1.2s linear infinite; }
    @keyframes wait { from { background-position: -70% 0; } to { background-position: 170% 0; } }
    @media (prefers-reduced-motion: reduce) { .is-loading::after { animation: none; background-size: 100% 100%; } }
  `);
  return sheet;
}

/**
 * Makes `<preadmit-example>` an element that shows scenarios with the pages of a site, whose address is
 * given. The first site counts.
 */
export function define(of: string): void {
  if (customElements.get(NAME) !== undefined) return;
  site = new URL(".", of).href;
  customElements.define(NAME, PreadmitExample);
}
