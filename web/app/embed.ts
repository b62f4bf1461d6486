// <preadmit-example>: makes a readable piece of code on any page runnable. This
// is the whole script that such a page loads; it has no dependency and builds
// nothing until the reader asks for it.
//
//   <script async src="https://SITE/embed.js"></script>
//   <preadmit-example example="first-look" file="policies">
//     <pre><code>...the text as it should read without the script...</code></pre>
//   </preadmit-example>
//
// The attributes are those of embed-attributes.ts.

import { PASSED_ON } from "./embed-attributes.ts";
import { newName } from "./embed-channel.ts";

/** The site that this script came from. */
const site = new URL(".", (document.currentScript as HTMLScriptElement | null)?.src ?? location.href).href;

/** The name by which the frames of this page know that they belong together. */
const thisPage = newName();

class PreadmitExample extends HTMLElement {
  #frame: HTMLIFrameElement | undefined;

  connectedCallback(): void {
    if (this.shadowRoot !== null) return;
    const root = this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [style()];
    const bar = document.createElement("div");
    bar.className = "bar";
    const run = document.createElement("button");
    run.type = "button";
    run.textContent = "Run this";
    run.addEventListener("click", () => this.#open(root));
    const link = document.createElement("a");
    link.href = this.#playground();
    link.target = "_blank";
    link.rel = "noopener";
    link.textContent = "Open in playground";
    bar.append(run, link);
    // What the page shows stays visible until the reader runs it.
    root.append(document.createElement("slot"), bar);
  }

  #playground(): string {
    const scenario = this.getAttribute("scenario");
    return scenario === null ? `${site}#example=${this.getAttribute("example") ?? ""}` : site + scenario;
  }

  #open(root: ShadowRoot): void {
    theHub();
    const query = new URLSearchParams({ run: "1", hub: thisPage });
    for (const name of PASSED_ON) {
      const value = this.getAttribute(name);
      if (value !== null) query.set(name, value);
    }
    const frame = document.createElement("iframe");
    frame.src = `${site}embed/?${query.toString()}${this.getAttribute("scenario") ?? ""}`;
    frame.title = this.getAttribute("title") ?? "Kubernetes admission, evaluated";
    frame.allow = "clipboard-write";
    frame.style.height = this.#fixedHeight() ?? `${Math.max(320, this.getBoundingClientRect().height)}px`;
    this.#frame = frame;
    root.replaceChildren(frame);
    frame.focus();
    window.addEventListener("message", this.#onMessage);
  }

  #fixedHeight(): string | undefined {
    const height = this.getAttribute("height");
    return height === null ? undefined : /^\d+$/.test(height) ? `${height}px` : height;
  }

  /** The frame says how high its content is. */
  #onMessage = (event: MessageEvent): void => {
    if (event.origin !== new URL(site).origin || event.source !== this.#frame?.contentWindow) return;
    if (this.#fixedHeight() !== undefined) return;
    const height = (event.data as { preadmitHeight?: unknown } | null)?.preadmitHeight;
    if (typeof height === "number" && this.#frame)
      this.#frame.style.height = `${Math.min(Math.max(height, 120), 4000)}px`;
  };

  disconnectedCallback(): void {
    window.removeEventListener("message", this.#onMessage);
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
    .bar { display: flex; gap: 1rem; align-items: center; padding: .35rem 0; font: 0.875rem/1.4 system-ui, sans-serif; }
    button { font: inherit; font-weight: 600; padding: .3rem .8rem; border: 1px solid rgb(255 255 255 / .35); border-radius: 6px; background: #0e5a73; color: #fff; cursor: pointer; }
    button:focus-visible, a:focus-visible { outline: 2px solid currentColor; outline-offset: 2px; }
    a { color: inherit; }
    iframe { display: block; width: 100%; border: 1px solid rgb(128 128 128 / .35); border-radius: 6px; }
  `);
  return sheet;
}

if (!customElements.get("preadmit-example")) customElements.define("preadmit-example", PreadmitExample);
